/* Where bytes go: a file or standard output, plain or as members of a ZIP archive, with edits. */
#include "tptp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct member {
    char name[64];
    uint32_t crc;
    uint64_t offset, packed, size;
} member;

struct tp_output {
    const tp_config *c;
    FILE *f;
    uint64_t written; /* to the file */
    uint64_t at;      /* before edits */
    uint64_t skip;
    bool stopped;
    z_stream z;
    member *members;
    size_t member_count;
    uint8_t packed[1 << 16];
};

static void raw(tp_output *o, const void *p, size_t n)
{
    if (n > 0 && fwrite(p, 1, n, o->f) != n)
        mk_die("cannot write %s: %s", o->c->output, strerror(errno));
    o->written += n;
}

tp_output *tp_output_new(const tp_config *c)
{
    tp_output *o = mk_realloc(NULL, sizeof *o);

    memset(o, 0, sizeof *o);
    o->c = c;
    o->f = strcmp(c->output, "-") == 0 ? stdout : fopen(c->output, "wb");
    if (o->f == NULL)
        mk_die("cannot create %s: %s", c->output, strerror(errno));
    return o;
}

static void put_le(mk_buf *b, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        mk_buf_byte(b, (uint8_t)(v >> (8 * i)));
}

/* The part that the local header and the directory have in common: sizes follow the data. */
static void put_common(mk_buf *b, const member *m, bool sizes)
{
    put_le(b, 20, 2);
    put_le(b, 8, 2); /* flags: sizes after the data */
    put_le(b, 8, 2);
    put_le(b, 0x36a8, 2); /* 2007-05-08 */
    put_le(b, 0x36a8, 2);
    put_le(b, sizes ? m->crc : 0, 4);
    put_le(b, sizes ? m->packed : 0, 4);
    put_le(b, sizes ? m->size : 0, 4);
    put_le(b, strlen(m->name), 2);
    put_le(b, 0, 2);
}

void tp_output_begin(tp_output *o, const char *name)
{
    mk_buf b = {0};
    member *m;

    if (!o->c->zip)
        return;
    o->members = mk_realloc(o->members, (o->member_count + 1) * sizeof *o->members);
    m = &o->members[o->member_count++];
    *m = (member){.offset = o->written};
    snprintf(m->name, sizeof m->name, "%s", name);
    put_le(&b, 0x04034b50, 4);
    put_common(&b, m, false);
    mk_buf_put(&b, m->name, strlen(m->name));
    raw(o, b.p, b.n);
    mk_buf_free(&b);
    o->z = (z_stream){0};
    if (deflateInit2(&o->z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        mk_die("cannot start the compression");
}

static void deflated(tp_output *o, int flush)
{
    do {
        o->z.next_out = o->packed;
        o->z.avail_out = sizeof o->packed;
        (void)deflate(&o->z, flush);
        raw(o, o->packed, sizeof o->packed - o->z.avail_out);
        o->members[o->member_count - 1].packed += sizeof o->packed - o->z.avail_out;
    } while (o->z.avail_out == 0);
}

static void pass(tp_output *o, const void *p, size_t n)
{
    member *m;

    if (!o->c->zip) {
        raw(o, p, n);
        return;
    }
    m = &o->members[o->member_count - 1];
    m->crc = (uint32_t)crc32(m->crc, p, (unsigned)n);
    m->size += n;
    memcpy(&o->z.next_in, &p, sizeof p); /* zlib reads only */
    o->z.avail_in = (unsigned)n;
    deflated(o, Z_NO_FLUSH);
}

/* The first edit at or after the place, or NULL. They are sorted. */
static const tp_edit *next_edit(const tp_output *o)
{
    for (size_t i = 0; i < o->c->edit_count; i++) {
        if (o->c->edits[i].offset >= o->at)
            return &o->c->edits[i];
    }
    return NULL;
}

static void apply(tp_output *o)
{
    for (size_t i = 0; i < o->c->edit_count; i++) {
        const tp_edit *e = &o->c->edits[i];

        if (e->offset != o->at)
            continue;
        if (e->what == TP_CUT)
            o->stopped = true;
        else if (e->what == TP_REMOVE)
            o->skip = e->count;
        else
            pass(o, e->bytes.p, e->bytes.n);
        if (e->what == TP_PATCH)
            o->skip = e->bytes.n;
    }
}

void tp_output_put(tp_output *o, const void *p, size_t n)
{
    const uint8_t *q = p;

    while (n > 0 && !o->stopped) {
        const tp_edit *e;
        size_t part = n;

        if (o->skip > 0) {
            part = o->skip < n ? (size_t)o->skip : n;
            o->skip -= part;
        } else {
            apply(o);
            if (o->stopped || o->skip > 0)
                continue;
            o->at++;
            e = next_edit(o);
            o->at--;
            if (e != NULL && e->offset - o->at < n)
                part = (size_t)(e->offset - o->at);
            pass(o, q, part);
        }
        q += part;
        n -= part;
        o->at += part;
    }
}

void tp_output_stop(tp_output *o)
{
    o->stopped = true;
}

bool tp_output_stopped(const tp_output *o)
{
    return o->stopped;
}

void tp_output_end(tp_output *o)
{
    mk_buf b = {0};
    member *m;

    if (!o->c->zip)
        return;
    deflated(o, Z_FINISH);
    deflateEnd(&o->z);
    m = &o->members[o->member_count - 1];
    if (m->size > UINT32_MAX || o->written > UINT32_MAX)
        mk_die("an archive of 4 GiB or more");
    put_le(&b, 0x08074b50, 4);
    put_le(&b, m->crc, 4);
    put_le(&b, m->packed, 4);
    put_le(&b, m->size, 4);
    raw(o, b.p, b.n);
    mk_buf_free(&b);
}

static void directory(tp_output *o)
{
    mk_buf b = {0};

    for (size_t i = 0; i < o->member_count; i++) {
        const member *m = &o->members[i];

        put_le(&b, 0x02014b50, 4);
        put_le(&b, 20, 2);
        put_common(&b, m, true);
        put_le(&b, 0, 8); /* comment, disk, attributes */
        put_le(&b, 0, 2);
        put_le(&b, m->offset, 4);
        mk_buf_put(&b, m->name, strlen(m->name));
    }
    uint64_t size = b.n;
    put_le(&b, 0x06054b50, 4);
    put_le(&b, 0, 4);
    put_le(&b, o->member_count, 2);
    put_le(&b, o->member_count, 2);
    put_le(&b, size, 4);
    put_le(&b, o->written, 4);
    put_le(&b, 0, 2);
    raw(o, b.p, b.n);
    mk_buf_free(&b);
}

int64_t tp_output_free(tp_output *o)
{
    int64_t written;

    if (o->c->zip)
        directory(o);
    if (fflush(o->f) != 0 || ferror(o->f) != 0)
        mk_die("cannot write %s: %s", o->c->output, strerror(errno));
    if (o->f != stdout)
        fclose(o->f);
    written = (int64_t)o->written;
    free(o->members);
    free(o);
    return written;
}

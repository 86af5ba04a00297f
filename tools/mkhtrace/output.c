#include "output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT_BUFFER = 1 << 20 };

static void write_at(int fd, const uint8_t *p, size_t n, uint64_t off)
{
    while (n > 0) {
        ssize_t w = pwrite(fd, p, n, (off_t)off);

        if (w < 0 && errno == EINTR)
            continue;
        if (w <= 0)
            mk_die("cannot write: %s", strerror(errno));
        p += w;
        n -= (size_t)w;
        off += (uint64_t)w;
    }
}

static void flush(mk_output *o)
{
    write_at(o->fd, o->buf, o->n, o->at);
    o->at += o->n;
    o->n = 0;
}

static void put(mk_output *o, const void *p, size_t n)
{
    if (n == 0)
        return;
    if (n > OUTPUT_BUFFER - o->n)
        flush(o);
    if (n > OUTPUT_BUFFER) {
        write_at(o->fd, p, n, o->at);
        o->at += n;
        return;
    }
    memcpy(o->buf + o->n, p, n);
    o->n += n;
}

void mk_output_init(mk_output *o, int fd)
{
    *o = (mk_output){.fd = fd, .drop = -1, .swap = -1, .repeat = -1};
    o->buf = mk_realloc(NULL, OUTPUT_BUFFER);
}

static void put_le(uint8_t *p, uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static uint64_t header_length(const mk_output *o)
{
    uint64_t header = o->head.absent ? 0 : MK_HEADER_SIZE;
    uint64_t length = header + o->payload + (uint64_t)o->head.length_value;

    if (o->head.length_mode == MK_LENGTH_FIXED)
        length = (uint64_t)o->head.length_value;
    else if (o->head.length_mode == MK_LENGTH_OLD)
        length += (uint64_t)o->messages * 4;
    return length;
}

static void fill_header(mk_output *o, uint8_t h[MK_HEADER_SIZE])
{
    memset(h, 0, MK_HEADER_SIZE);
    memcpy(h, "OHOSPROF", 8);
    put_le(h + 8, header_length(o), 8);
    put_le(h + 16, o->head.version, 4);
    put_le(h + 20, (uint64_t)o->messages * 2, 4);
    if (o->head.sha256)
        ts_sha256_end(&o->sha, h + 24);
    if (o->head.old)
        return;
    put_le(h + 56, o->head.data_type, 4);
    for (size_t i = 0; i < MK_CLOCKS; i++)
        put_le(h + 60 + 8 * i, o->head.clocks[i], 8);
    if (o->head.standalone_name != NULL)
        memcpy(h + 108, o->head.standalone_name, strnlen(o->head.standalone_name, 127));
    if (o->head.plugin_version != NULL)
        memcpy(h + 236, o->head.plugin_version, strnlen(o->head.plugin_version, 7));
    put_le(h + 244, o->head.duration, 8);
}

void mk_section_begin(mk_output *o, const mk_header *head)
{
    static const uint8_t zero[MK_HEADER_SIZE];

    mk_section_end(o);
    o->open = true;
    o->head = *head;
    o->start = o->at + o->n;
    o->payload = 0;
    o->messages = 0;
    ts_sha256_init(&o->sha);
    if (!head->absent)
        put(o, zero, sizeof zero);
}

void mk_section_end(mk_output *o)
{
    uint8_t h[MK_HEADER_SIZE];

    if (!o->open)
        return;
    if (o->holding) {
        o->holding = false;
        mk_output_raw(o, o->held.p, o->held.n);
    }
    o->open = false;
    if (o->head.absent)
        return;
    flush(o);
    fill_header(o, h);
    write_at(o->fd, h, sizeof h, o->start);
}

void mk_output_raw(mk_output *o, const void *p, size_t n)
{
    if (o->head.sha256)
        ts_sha256_add(&o->sha, p, n);
    o->payload += n;
    put(o, p, n);
}

void mk_segment_begin(mk_output *o, uint32_t size)
{
    uint8_t prefix[4];

    put_le(prefix, size, 4);
    if (o->list)
        printf("%" PRId64 "\t%" PRIu64 "\t%" PRIu32 "\n", o->segment, o->at + o->n, size);
    mk_segment_put(o, prefix, 4);
}

void mk_segment_put(mk_output *o, const void *p, size_t n)
{
    if (o->segment == o->drop)
        return;
    if (o->segment == o->swap) {
        mk_buf_put(&o->held, p, n);
        return;
    }
    if (o->segment == o->repeat)
        mk_buf_put(&o->again, p, n);
    mk_output_raw(o, p, n);
}

void mk_segment_end(mk_output *o)
{
    if (o->segment == o->swap)
        o->holding = true;
    if (o->segment != o->drop)
        o->messages++;
    if (o->segment == o->repeat) {
        mk_output_raw(o, o->again.p, o->again.n);
        o->messages++;
    }
    if (o->holding && o->segment == o->swap + 1) {
        o->holding = false;
        mk_output_raw(o, o->held.p, o->held.n);
    }
    o->segment++;
}

void mk_output_finish(mk_output *o)
{
    mk_section_end(o);
    flush(o);
    mk_buf_free(&o->held);
    mk_buf_free(&o->again);
    free(o->buf);
    o->buf = NULL;
}

static uint64_t file_size(int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        mk_die("cannot stat the output: %s", strerror(errno));
    return (uint64_t)st.st_size;
}

static size_t read_at(int fd, uint8_t *p, size_t n, uint64_t off)
{
    ssize_t r = pread(fd, p, n, (off_t)off);

    if (r < 0)
        mk_die("cannot read the output back: %s", strerror(errno));
    return (size_t)r;
}

static void flip_bit(int fd, int64_t bit)
{
    uint8_t c;

    if (bit < 0 || read_at(fd, &c, 1, (uint64_t)bit / 8) != 1)
        mk_die("--flip %" PRId64 " is outside the file", bit);
    c ^= (uint8_t)(1U << (bit % 8));
    write_at(fd, &c, 1, (uint64_t)bit / 8);
}

static void damage_bytes(int fd, const mk_damage *d)
{
    static uint8_t block[1 << 16];
    mk_rand r = {d->seed};
    uint64_t off = d->from;
    uint64_t limit = (uint64_t)(d->percent * 1e6);
    size_t n;

    while ((n = read_at(fd, block, sizeof block, off)) > 0) {
        for (size_t i = 0; i < n; i++) {
            if (mk_below(&r, 100000000) < limit)
                block[i] = (uint8_t)mk_next(&r);
        }
        write_at(fd, block, n, off);
        off += n;
    }
}

void mk_damage_file(int fd, const mk_damage *d)
{
    uint64_t size = file_size(fd);
    int64_t cut = d->size >= 0 ? d->size : (int64_t)size + d->size;

    for (size_t i = 0; i < d->flip_count; i++)
        flip_bit(fd, d->flips[i]);
    if (d->random)
        damage_bytes(fd, d);
    if (!d->cut || (uint64_t)cut >= size)
        return;
    if (cut < 0 || ftruncate(fd, cut) != 0)
        mk_die("cannot cut the output to %" PRId64 " bytes", cut);
}

#include "stream.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { SYNC_BYTES = 16384, PROTOCOL = 100605, PROTOCOL_POSITIONS = 100705 };

static const char *const kind_names[MC_KINDS] = {
    "dictionary",
    "params",
    "suspend",
    "calls",
    "trace",
    "sql",
    "xml",
    "gc",
    "td",
    "top",
    "heap",
    "posDictionary",
    "callsDictionary",
    "calls[3s-60m]",
};

mc_kind mc_kind_named(const char *name, size_t n)
{
    for (size_t i = 0; i < MC_KINDS; i++) {
        if (strlen(kind_names[i]) == n && memcmp(kind_names[i], name, n) == 0)
            return (mc_kind)i;
    }
    mk_die("there is no stream %.*s", (int)n, name);
}

static bool is_meta(mc_kind kind)
{
    return kind <= MC_SUSPEND || kind == MC_POS_DICTIONARY;
}

static FILE *create(const char *path)
{
    FILE *f = fopen(path, "wb");

    if (f == NULL)
        mk_die("cannot create %s: %s", path, strerror(errno));
    return f;
}

static void finish(FILE *f)
{
    if (fflush(f) != 0 || ferror(f) != 0 || fclose(f) != 0)
        mk_die("cannot write: %s", strerror(errno));
}

static void make_directory(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        mk_die("cannot create %s: %s", path, strerror(errno));
}

/* Makes `path` and the directories above it, from the `from`th character on. */
static void make_directories(char *path, size_t from)
{
    for (char *p = path + from; *p != '\0'; p++) {
        if (*p == '/') {
            *p = '\0';
            make_directory(path);
            *p = '/';
        }
    }
    make_directory(path);
}

static void tcp_put(mc_output *o, const mk_buf *b)
{
    if (!o->tcp_ended && b->n > 0)
        fwrite(b->p, 1, b->n, o->tcp);
}

static void tcp_field(mk_buf *b, const char *text)
{
    mc_u32(b, (uint32_t)strlen(text));
    mk_buf_str(b, text);
}

/* The agent asks for the acknowledgements of what it sent; they come together. */
static void tcp_flush(mc_output *o)
{
    mk_buf b = {0};

    mk_buf_byte(&b, 0x11);
    for (uint64_t i = 0; i <= o->unacknowledged; i++)
        mk_buf_byte(&b, 0x00);
    tcp_put(o, &b);
    if (o->config->commands && o->commands % 3 == 0) {
        /* The result of a remote command. */
        b.n = 0;
        mk_buf_byte(&b, 0x13);
        mc_u64(&b, 0x0203111415000208);
        mc_u64(&b, o->unacknowledged);
        mk_buf_byte(&b, o->commands % 2 == 0 ? 'K' : 0xFF);
        tcp_put(o, &b);
    }
    o->unacknowledged = 0;
    mk_buf_free(&b);
}

void mc_output_begin(mc_output *o, const mc_config *c)
{
    *o = (mc_output){.config = c};
    if (c->container == MC_TCP)
        o->tcp = create(c->output);
    else
        make_directory(c->output);
}

static void agent_directory(mc_output *o, int64_t started)
{
    const mc_config *c = o->config;
    time_t seconds = (time_t)(started / 1000);
    struct tm tm;
    char date[32];
    mk_buf list = {0};
    FILE *f;

    gmtime_r(&seconds, &tm);
    strftime(date, sizeof date, "%Y/%m/%d", &tm);
    snprintf(o->root, sizeof o->root, "%s/%s/filelist.blst", c->output, c->pod_name);
    make_directory(c->output);
    *strrchr(o->root, '/') = '\0';
    make_directory(o->root);
    strcat(o->root, "/filelist.blst");
    mc_string(&list, "LOGFORMAT4");
    f = create(o->root);
    fwrite(list.p, 1, list.n, f);
    finish(f);
    mk_buf_free(&list);
    snprintf(o->root, sizeof o->root, "%s/%s/%s/%lld", c->output, c->pod_name, date,
             (long long)started);
    make_directories(o->root, strlen(c->output) + 1);
}

void mc_output_pod(mc_output *o, int64_t pod)
{
    const mc_config *c = o->config;
    int64_t started = c->start + pod * 86400000;
    uint64_t version = c->positions ? PROTOCOL_POSITIONS : PROTOCOL;
    bool refused = pod == c->fault[MC_TCP_REFUSED];
    mk_buf b = {0};

    o->pod = pod;
    snprintf(o->name, sizeof o->name, "%s-%lld_%lld", c->pod_name, (long long)pod,
             (long long)started);
    if (c->container == MC_AGENT)
        agent_directory(o, started);
    if (c->container != MC_TCP)
        return;
    mk_buf_byte(&b, 0x14);
    mc_u64(&b, version);
    tcp_field(&b, o->name);
    tcp_field(&b, c->service);
    tcp_field(&b, c->space);
    mc_u64(&b, refused ? 88888888 : version);
    if (c->commands) {
        /* The version command of older agents. */
        mk_buf_byte(&b, 0x08);
        mc_u64(&b, 100505);
    }
    tcp_put(o, &b);
    o->tcp_ended |= refused;
    mk_buf_free(&b);
}

void mc_output_end(mc_output *o)
{
    if (o->tcp == NULL)
        return;
    tcp_flush(o);
    if (!o->tcp_ended)
        fputc(0x04, o->tcp);
    finish(o->tcp);
}

static const mc_edit *find_edit(const mc_stream *s, mc_edit_kind what, uint64_t offset)
{
    const mc_config *c = s->out->config;

    for (size_t i = 0; s->edited && i < c->edit_count; i++) {
        const mc_edit *e = &c->edits[i];

        if (e->what == what && e->stream == s->kind && e->index == s->index &&
            (offset == UINT64_MAX || e->offset == offset))
            return e;
    }
    return NULL;
}

static void tcp_open(mc_stream *s)
{
    mc_output *o = s->out;
    bool meta = is_meta(s->kind);
    mk_buf b = {0};

    for (size_t i = 0; i < 2; i++) {
        uint64_t v = mk_mix(o->handles * 2 + i + 1);

        for (size_t k = 0; k < 8; k++)
            s->handle[i * 8 + k] = (uint8_t)(v >> (k * 8));
    }
    o->handles++;
    mk_buf_byte(&b, 0x15);
    tcp_field(&b, kind_names[s->kind]);
    mc_u32(&b, s->index - 1);
    mc_u32(&b, s->index == 1 && (s->kind == MC_DICTIONARY || s->kind == MC_POS_DICTIONARY));
    mk_buf_put(&b, s->handle, sizeof s->handle);
    mc_u64(&b, meta ? 0 : 3600000);
    mc_u64(&b, meta ? 0 : 2097152);
    mc_u32(&b, s->index - 1);
    tcp_put(o, &b);
    mk_buf_free(&b);
}

static void file_open(mc_stream *s)
{
    const mc_output *o = s->out;
    const mc_config *c = o->config;
    char path[8192];

    if (c->container == MC_AGENT) {
        snprintf(path, sizeof path, "%s/%s", o->root, kind_names[s->kind]);
        make_directory(path);
        snprintf(path, sizeof path, "%s/%s/%06u%s", o->root, kind_names[s->kind], s->index,
                 c->plain ? "" : ".gz");
    } else if (is_meta(s->kind)) {
        snprintf(path, sizeof path, "%s/%s.%s.%s", c->output, o->name, kind_names[s->kind],
                 c->suffix);
    } else {
        snprintf(path, sizeof path, "%s/%s.%s%s.%u.%s", c->output, o->name, kind_names[s->kind],
                 s->kind == MC_TRACE ? "s" : "", s->index - 1, c->suffix);
    }
    s->file = create(path);
    s->gzip = c->container == MC_AGENT && !c->plain;
    /* The fastest level: large recordings are made for speed tests. */
    if (s->gzip && deflateInit2(&s->z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        mk_die("zlib fails");
}

void mc_stream_open(mc_stream *s, mc_output *o, mc_kind kind, uint32_t index)
{
    const mc_config *c = o->config;

    *s = (mc_stream){.out = o, .kind = kind, .index = index};
    s->framed = is_meta(kind) && c->container != MC_AGENT;
    for (size_t i = 0; o->pod == 0 && i < c->edit_count; i++)
        s->edited |= c->edits[i].stream == kind && c->edits[i].index == index;
    s->missing = find_edit(s, MC_DROP, UINT64_MAX) != NULL;
    if (s->missing)
        return;
    if (c->container == MC_TCP)
        tcp_open(s);
    else
        file_open(s);
}

static void write_compressed(mc_stream *s, uint8_t *p, size_t n)
{
    const mc_config *c = s->out->config;
    const mc_edit *cut = find_edit(s, MC_GZIP_CUT, UINT64_MAX);

    for (size_t i = 0; s->edited && i < c->edit_count; i++) {
        const mc_edit *e = &c->edits[i];

        if (e->what != MC_GZIP_PATCH || e->stream != s->kind || e->index != s->index)
            continue;
        for (size_t k = 0; k < e->bytes.n; k++) {
            if (e->offset + k >= s->compressed && e->offset + k < s->compressed + n)
                p[e->offset + k - s->compressed] = e->bytes.p[k];
        }
    }
    s->compressed += n;
    if (cut != NULL && s->compressed > cut->offset) {
        uint64_t over = s->compressed - cut->offset;

        n = over < n ? n - (size_t)over : 0;
    }
    fwrite(p, 1, n, s->file);
}

static void deflate_more(mc_stream *s, const void *p, size_t n, int flush)
{
    const mc_edit *crc = find_edit(s, MC_GZIP_CRC, UINT64_MAX);
    uint8_t block[SYNC_BYTES];
    mk_buf in = {0};

    /* A copy, because zlib's pointer is not to constant bytes. */
    mk_buf_put(&in, p, n);
    s->z.next_in = in.p;
    s->z.avail_in = (uInt)n;
    do {
        size_t got;

        s->z.next_out = block;
        s->z.avail_out = sizeof block;
        deflate(&s->z, flush);
        got = sizeof block - s->z.avail_out;
        if (flush == Z_FINISH && s->z.avail_out != 0 && crc != NULL && got >= 8)
            block[got - 8] ^= 0xFF;
        write_compressed(s, block, got);
    } while (s->z.avail_out == 0);
    mk_buf_free(&in);
}

static void tcp_data(mc_stream *s)
{
    mc_output *o = s->out;
    const int64_t *fault = o->config->fault;
    int64_t number = o->commands++;
    mk_buf b = {0};

    if (number == fault[MC_TCP_COMMAND])
        mk_buf_byte(&b, 0x7F);
    if (number == fault[MC_TCP_HANDLE]) {
        mk_buf_byte(&b, 0x02);
        mc_u64(&b, 0x0123456789ABCDEF);
        mc_u64(&b, 0xFEDCBA9876543210);
        tcp_field(&b, "nobody's");
        o->unacknowledged++;
    }
    mk_buf_byte(&b, 0x02);
    mk_buf_put(&b, s->handle, sizeof s->handle);
    mc_u32(&b, number == fault[MC_TCP_FIELD] ? INT32_MAX : (uint32_t)s->field.n);
    mk_buf_put(&b, s->field.p, s->field.n);
    o->unacknowledged++;
    tcp_put(o, &b);
    if (number == fault[MC_TCP_ERROR]) {
        fputc(0xFF, o->tcp);
        o->tcp_ended = true;
    }
    if (o->unacknowledged > mk_mix((uint64_t)number) % 24)
        tcp_flush(o);
    s->field.n = 0;
    mk_buf_free(&b);
}

static void put_tcp(mc_stream *s, const uint8_t *p, size_t n)
{
    size_t most = (size_t)s->out->config->field;

    while (n > 0) {
        size_t part = most - s->field.n < n ? most - s->field.n : n;

        mk_buf_put(&s->field, p, part);
        p += part;
        n -= part;
        if (s->field.n == most)
            tcp_data(s);
    }
}

static void put_final(mc_stream *s, const uint8_t *p, size_t n)
{
    if (s->out->config->container == MC_TCP) {
        put_tcp(s, p, n);
        return;
    }
    if (!s->gzip) {
        fwrite(p, 1, n, s->file);
        return;
    }
    while (n > 0) {
        size_t part = SYNC_BYTES - s->unflushed < n ? SYNC_BYTES - (size_t)s->unflushed : n;

        s->unflushed += part;
        if (s->unflushed < SYNC_BYTES) {
            deflate_more(s, p, part, Z_NO_FLUSH);
        } else if (s->out->config->members) {
            deflate_more(s, p, part, Z_FINISH);
            deflateReset(&s->z);
            s->unflushed = 0;
        } else {
            deflate_more(s, p, part, Z_SYNC_FLUSH);
            s->unflushed = 0;
        }
        p += part;
        n -= part;
    }
}

/* Bytes from `at` on, changed as the edits say, into s->altered. */
static void alter(mc_stream *s, uint64_t at, const uint8_t *p, size_t n)
{
    const mc_config *c = s->out->config;

    s->altered.n = 0;
    for (size_t i = 0; i < n && !s->cut; i++) {
        uint64_t here = at + i;
        uint8_t byte = p[i];
        bool keep = true;

        for (size_t k = 0; k < c->edit_count; k++) {
            const mc_edit *e = &c->edits[k];

            if (e->stream != s->kind || e->index != s->index)
                continue;
            if (e->what == MC_CUT && here >= e->offset)
                s->cut = true;
            else if (e->what == MC_PATCH && here >= e->offset && here - e->offset < e->bytes.n)
                byte = e->bytes.p[here - e->offset];
            else if (e->what == MC_INSERT && here == e->offset)
                mk_buf_put(&s->altered, e->bytes.p, e->bytes.n);
            else if (e->what == MC_REMOVE && here >= e->offset &&
                     here - e->offset < (uint64_t)e->number)
                keep = false;
        }
        if (keep && !s->cut)
            mk_buf_byte(&s->altered, byte);
    }
}

void mc_stream_put(mc_stream *s, const void *p, size_t n)
{
    uint64_t at = s->offset;

    s->offset += n;
    if (s->missing || n == 0)
        return;
    if (!s->edited) {
        put_final(s, p, n);
        return;
    }
    alter(s, at, p, n);
    if (s->altered.n > 0)
        put_final(s, s->altered.p, s->altered.n);
}

static void flush_phrase(mc_stream *s)
{
    const mc_edit *e = find_edit(s, MC_PHRASE, (uint64_t)s->phrases);
    mk_buf head = {0};

    if (s->phrase.n == 0)
        return;
    mc_u32(&head, e != NULL ? (uint32_t)e->number : (uint32_t)s->phrase.n);
    mc_stream_put(s, head.p, head.n);
    mc_stream_put(s, s->phrase.p, s->phrase.n);
    mk_buf_free(&head);
    s->phrase.n = 0;
    s->phrases++;
}

void mc_stream_record(mc_stream *s, mk_buf *record)
{
    if (!s->framed) {
        mc_stream_put(s, record->p, record->n);
    } else {
        if (s->phrase.n + record->n > (size_t)s->out->config->phrase)
            flush_phrase(s);
        mk_buf_put(&s->phrase, record->p, record->n);
    }
    record->n = 0;
}

void mc_stream_close(mc_stream *s, bool last)
{
    flush_phrase(s);
    if (s->field.n > 0)
        tcp_data(s);
    if (s->gzip) {
        const mc_config *c = s->out->config;
        bool end = c->trailers || c->members || !last || find_edit(s, MC_GZIP_CRC, UINT64_MAX);

        /* The agent that still runs has flushed but not ended its newest files. */
        deflate_more(s, "", 0, end ? Z_FINISH : Z_SYNC_FLUSH);
        deflateEnd(&s->z);
    }
    if (s->file != NULL)
        finish(s->file);
    mk_buf_free(&s->phrase);
    mk_buf_free(&s->field);
    mk_buf_free(&s->altered);
}

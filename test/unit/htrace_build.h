/* For the tests of the container: builds .htrace bytes by hand, runs them through the reader and
 * records what handlers and tables got. */
#ifndef TS_TEST_HTRACE_BUILD_H
#define TS_TEST_HTRACE_BUILD_H

#include "memsink.h"
#include "support.h"

#include "htrace/htrace.h"

#include <inttypes.h>

/* --- bytes -------------------------------------------------------------------------------------
 */

typedef struct bytes {
    uint8_t *p;
    size_t n;
    size_t cap;
} bytes;

static inline void put(bytes *b, const void *p, size_t n)
{
    if (b->n + n > b->cap) {
        b->cap = (b->n + n) * 2 + 64;
        b->p = realloc(b->p, b->cap);
        assert_non_null(b->p);
    }
    if (n > 0) {
        memcpy(b->p + b->n, p, n);
    }
    b->n += n;
}

static inline void put_le(bytes *b, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t byte = (uint8_t)(v >> (8 * i));
        put(b, &byte, 1);
    }
}

static inline void put_zeros(bytes *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put(b, "", 1);
    }
}

static inline void set_le(bytes *b, size_t at, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        b->p[at + i] = (uint8_t)(v >> (8 * i));
    }
}

static inline void put_varint(bytes *b, uint64_t v)
{
    while (v >= 0x80) {
        put_le(b, (v & 0x7f) | 0x80, 1);
        v >>= 7;
    }
    put_le(b, v, 1);
}

static inline void put_number(bytes *b, uint32_t field, uint64_t v)
{
    put_varint(b, (uint64_t)field << 3);
    put_varint(b, v);
}

static inline void put_field(bytes *b, uint32_t field, const void *p, size_t n)
{
    put_varint(b, (uint64_t)field << 3 | 2);
    put_varint(b, n);
    put(b, p, n);
}

static inline void put_text(bytes *b, uint32_t field, const char *s)
{
    put_field(b, field, s, strlen(s));
}

/* A header; its position in b. Clocks: boottime, realtime, four more; 0 = none. */
static inline size_t put_header(bytes *b, uint64_t length, uint32_t type, uint64_t boottime,
                                uint64_t realtime)
{
    size_t at = b->n;
    put(b, "OHOSPROF", 8);
    put_le(b, length, 8);
    put_le(b, 0x00010000, 4);
    put_le(b, 0, 4);
    put_zeros(b, 32);
    put_le(b, type, 4);
    put_le(b, boottime, 8);
    put_le(b, realtime, 8);
    put_zeros(b, 32 + 128 + 8 + 8 + 772);
    assert_int_equal(b->n - at, 1024);
    return at;
}

/* Sets the header's length so that its section ends at the end of b. */
static inline void close_header(bytes *b, size_t at)
{
    set_le(b, at + 8, b->n - at, 8);
}

/* A length prefix and the body, which is freed. */
static inline void put_raw_segment(bytes *b, bytes *body)
{
    put_le(b, body->n, 4);
    put(b, body->p, body->n);
    free(body->p);
    *body = (bytes){0};
}

static inline void put_segment(bytes *b, const char *name, const char *data, uint64_t sec,
                               uint64_t nsec)
{
    bytes body = {0};
    put_text(&body, 1, name);
    put_text(&body, 3, data);
    put_number(&body, 5, sec);
    put_number(&body, 6, nsec);
    put_raw_segment(b, &body);
}

/* --- running -----------------------------------------------------------------------------------
 */

typedef struct run {
    ts_ctx *ctx;
    memsink *sink;
    ts_store *store;
    ts_htrace *h;
    int64_t source_id;
    ts_code code;
    bytes log;  /* what handlers got: one line a segment, NUL-terminated after run_end */
    bytes data; /* of the segment under way */
    bytes all;  /* data of all segments of "a" */
    unsigned open;
    unsigned pieces;
    ts_code fail_with; /* what data() returns */
    const bytes *file; /* for read_at */
    uint64_t reads;
    uint64_t read_bytes;
} run;

static inline void logf_(run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void logf_(run *r, const char *fmt, ...)
{
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    assert_in_range(n, 0, sizeof line - 1);
    put(&r->log, line, (size_t)n);
}

static inline ts_code rec_begin(void *user, const ts_segment *seg)
{
    run *r = user;
    assert_int_equal(r->open, 0);
    assert_false(seg->truncated);
    r->open = 1;
    r->data.n = 0;
    r->pieces = 0;
    return TS_OK;
}

static inline ts_code rec_data(void *user, const ts_segment *seg, const uint8_t *p, size_t n)
{
    run *r = user;
    (void)seg;
    assert_int_equal(r->open, 1);
    assert_true(n > 0);
    r->pieces++;
    put(&r->data, p, n);
    put(&r->all, p, n);
    return r->fail_with;
}

static inline ts_code rec_end(void *user, const ts_segment *seg)
{
    run *r = user;
    assert_int_equal(r->open, 1);
    r->open = 0;
    logf_(r, "%s@%" PRId64 " ts=%" PRId64 "%s n=%zu %.*s\n", seg->plugin, seg->offset, seg->ts,
          seg->truncated ? " cut" : "", r->data.n, r->data.n > 40 ? 40 : (int)r->data.n,
          r->data.p == NULL ? "" : (const char *)r->data.p);
    return TS_OK;
}

static inline ts_code rec_gap(void *user, int64_t offset)
{
    run *r = user;
    assert_int_equal(r->open, 0);
    logf_(r, "gap@%" PRId64 "\n", offset);
    return TS_OK;
}

static inline ts_code rec_read(void *user, size_t *got, uint64_t off, void *buf, size_t n)
{
    run *r = user;
    const bytes *file = r->file;
    *got = 0;
    if (off < file->n) {
        *got = file->n - off < n ? (size_t)(file->n - off) : n;
        memcpy(buf, file->p + off, *got);
    }
    r->reads++;
    r->read_bytes += *got;
    return TS_OK;
}

static inline ts_code rec_open(void **self, const ts_plugin_host *host)
{
    *self = host->user;
    return TS_OK;
}

/* Reads "a", "arkts-plugin" and "arkts-plugin_config", all in pieces. */
static inline const ts_htrace_plugin *const *rec_plugins(void)
{
    static const ts_plugin_name names[] = {{"a", 0, NULL},
                                           {"arkts-plugin", 0, NULL},
                                           {"arkts-plugin_config", 0, NULL},
                                           {NULL, 0, NULL}};
    static const ts_htrace_plugin plugin = {.names = names,
                                            .open = rec_open,
                                            .begin = rec_begin,
                                            .data = rec_data,
                                            .end = rec_end,
                                            .gap = rec_gap};
    static const ts_htrace_plugin *const list[] = {&plugin, NULL};
    return list;
}

/* file: for the scan ahead. */
static inline void run_begin_with(run *r, const ts_htrace_plugin *const *plugins, const bytes *file,
                                  uint64_t hold)
{
    ts_htrace_config config = {0};
    *r = (run){0};
    r->ctx = test_ctx_new();
    r->sink = memsink_new(r->ctx);
    assert_ok(r->ctx, ts_store_new(&r->store, r->ctx, memsink_sink(r->sink), NULL));
    assert_ok(r->ctx, ts_source_add(&r->source_id, r->store, 0, "input", "t.htrace", "htrace"));
    config.source_id = r->source_id;
    config.plugins = plugins;
    config.user = r;
    config.hold = hold;
    if (file != NULL) {
        r->file = file;
        config.blob_user = r;
        config.read_at = rec_read;
    }
    assert_ok(r->ctx, ts_htrace_new(&r->h, r->ctx, r->store, &config));
}

static inline void run_begin(run *r, const bytes *file, uint64_t hold)
{
    run_begin_with(r, rec_plugins(), file, hold);
}

static inline void run_feed(run *r, const uint8_t *p, size_t n, size_t block)
{
    for (size_t at = 0; at < n && r->code == TS_OK;) {
        size_t m = n - at < block ? n - at : block;
        /* A block of its own, so that reading beyond it is seen. */
        uint8_t *copy = malloc(m);
        assert_non_null(copy);
        memcpy(copy, p + at, m);
        r->code = ts_htrace_feed(r->h, copy, m);
        free(copy);
        at += m;
    }
}

static inline void run_end(run *r)
{
    if (r->code == TS_OK) {
        r->code = ts_htrace_finish(r->h);
    }
    if (r->code == TS_OK) {
        assert_int_equal(r->open, 0);
        assert_ok(r->ctx, ts_store_finish(r->store));
    }
    put(&r->log, "", 1);
}

static inline void run_free(run *r)
{
    ts_htrace_free(r->h);
    ts_store_free(r->store);
    memsink_free(r->sink);
    free(r->log.p);
    free(r->data.p);
    free(r->all.p);
    test_ctx_free(r->ctx);
}

static inline int64_t count_cell(const run *r, const char *item, unsigned column)
{
    size_t row = memsink_find_text(r->sink, TS_T_import_count, TS_C_import_count__item, item);
    return row == SIZE_MAX ? -1 : memsink_int(r->sink, TS_T_import_count, row, column);
}

/* seen, imported, lost and skipped of a kind of items; -1 when there is no row. */
#define SEEN(r, item) count_cell((r), (item), TS_C_import_count__seen)
#define IMPORTED(r, item) count_cell((r), (item), TS_C_import_count__imported)
#define LOST(r, item) count_cell((r), (item), TS_C_import_count__lost)
#define SKIPPED(r, item) count_cell((r), (item), TS_C_import_count__skipped)

/* Rows of import_issue with this code. */
static inline size_t issues(const run *r, const char *code)
{
    size_t n = 0;
    for (size_t i = 0; i < MEM_ROWS(r->sink, import_issue); i++) {
        n += ts_text_is(MEM_TEXT(r->sink, import_issue, i, code), code);
    }
    return n;
}

static inline int64_t issue_offset(const run *r, const char *code)
{
    size_t row = memsink_find_text(r->sink, TS_T_import_issue, TS_C_import_issue__code, code);
    assert_int_not_equal(row, SIZE_MAX);
    return MEM_NULL(r->sink, import_issue, row, offset)
               ? -1
               : MEM_INT(r->sink, import_issue, row, offset);
}

static inline int64_t stat_count(const run *r, const char *event, const char *type)
{
    for (size_t i = 0; i < MEM_ROWS(r->sink, stat); i++) {
        if (ts_text_is(MEM_TEXT(r->sink, stat, i, event_name), event) &&
            ts_text_is(MEM_TEXT(r->sink, stat, i, stat_type), type)) {
            return MEM_INT(r->sink, stat, i, count);
        }
    }
    return -1;
}

/* The value of a source_property, or "". */
static inline const char *property(const run *r, const char *key)
{
    size_t row = memsink_find_text(r->sink, TS_T_source_property, TS_C_source_property__key, key);
    return row == SIZE_MAX ? "" : MEM_TEXT(r->sink, source_property, row, value).p;
}

#define assert_log(r, text) assert_string_equal((const char *)(r)->log.p, (text))

/* What every finished run keeps: each byte is counted once, and items are conserved. */
static inline void check_run(const run *r, size_t n)
{
    assert_int_equal(issues(r, "conservation"), 0);
    assert_int_equal(issues(r, "items_lost"), 0); /* importers name their losses themselves */
    assert_int_equal(SEEN(r, "bytes"), n);
}

/* Runs the whole file, in one block first and then in small ones that must give the same. */
static inline void run_file(run *r, const bytes *file, bool seekable)
{
    static const size_t blocks[] = {1, 2, 3, 7, 4096};
    run_begin(r, seekable ? file : NULL, 0);
    run_feed(r, file->p, file->n, file->n);
    run_end(r);
    if (r->code == TS_OK) {
        check_run(r, file->n);
    }
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        run other;
        run_begin(&other, seekable ? file : NULL, 0);
        run_feed(&other, file->p, file->n, blocks[i]);
        run_end(&other);
        assert_int_equal(other.code, r->code);
        assert_string_equal((const char *)other.log.p, (const char *)r->log.p);
        assert_true(memsink_equal(other.sink, r->sink));
        run_free(&other);
    }
}

#endif

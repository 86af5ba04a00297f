/*
 * ArkTS recordings and bare files must give the same rows for every way to cut them into blocks,
 * must keep all items counted and must give all memory back. The first byte of the input chooses
 * what the rest is:
 *   0 an .htrace file              1 a header with clocks is put before it
 *   2 a bare heap snapshot         3 a bare CPU profile
 *   4 messages, divided by 0x1e, whose first byte says what they are:
 *     m a debugger message, t one that was cut, c a chunk's text, b two chunks (the text is cut in
 *     the middle), f a configuration, g a gap, 1 2 3 a mark
 *   5 the same, but as a snapshot whose text is fed as one chunk per byte
 */
#include "base/alloc.h"
#include "parsers/arkts/formats.h"
#include "parsers/arkts/session.h"
#include "parsers/import_impl.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KINDS = 6, HEADER = 1024 };

typedef struct outcome {
    ts_ctx *ctx;
    ts_store *store;
    ts_sink sink;
    uint64_t rows; /* hash of what the store wrote */
    ts_run run;
    ts_import_options options;
    ts_job job;
    ts_code code;
} outcome;

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

static void mix(uint64_t *hash, uint64_t v)
{
    *hash = (*hash ^ v) * UINT64_C(0x100000001b3);
    *hash ^= *hash >> 29;
}

static ts_code sink_put(void *self, enum ts_table_id table, const void *row, uint64_t reserved)
{
    (void)reserved;
    outcome *o = self;
    const ts_table *t = &ts_schema[table];
    uint64_t null;
    memcpy(&null, row, sizeof null);
    mix(&o->rows, (uint64_t)table);
    mix(&o->rows, null);
    for (unsigned c = 0; c < t->column_count; c++) {
        const char *cell = (const char *)row + t->columns[c].offset;
        if ((null >> c & 1) != 0) {
            continue;
        }
        if (t->columns[c].type == TS_COL_TEXT) {
            ts_text text;
            memcpy(&text, cell, sizeof text);
            mix(&o->rows, text.n);
            for (size_t i = 0; text.p != NULL && i < text.n; i++) {
                mix(&o->rows, (uint8_t)text.p[i]);
            }
        } else {
            uint64_t v;
            memcpy(&v, cell, sizeof v);
            mix(&o->rows, v);
        }
    }
    if (table == TS_T_import_issue) {
        const ts_row_import_issue *issue = row;
        check(!ts_text_is(issue->code, "conservation"));
    }
    return TS_OK;
}

static ts_code sink_complete(void *self, enum ts_table_id table, int64_t rowid, unsigned column,
                             int64_t value)
{
    outcome *o = self;
    check(rowid >= 1 && (uint64_t)rowid <= o->sink.rows[table]);
    mix(&o->rows, column);
    mix(&o->rows, (uint64_t)value);
    return TS_OK;
}

static void begin(outcome *o, ts_ctx *ctx)
{
    memset(o, 0, sizeof *o);
    o->ctx = ctx;
    o->sink = (ts_sink){.self = o, .put = sink_put, .complete = sink_complete};
    check(ts_store_new(&o->store, ctx, &o->sink, NULL) == TS_OK);
    o->run.ctx = ctx;
    o->run.store = o->store;
    o->job = (ts_job){
        .ctx = ctx,
        .store = o->store,
        .options = &o->options,
        .name = "fuzz",
        .run = &o->run,
    };
    check(ts_source_add(&o->job.source_id, o->store, 0, "input", "fuzz", NULL) == TS_OK);
}

static void end(outcome *o)
{
    if (o->code == TS_OK) {
        o->code = ts_store_finish(o->store);
    }
    check(o->code == TS_OK || o->code == TS_ERR_FORMAT); /* no header at all */
    mix(&o->rows, o->code);
    while (o->run.shared != NULL) {
        shared_block *next = o->run.shared->next;
        ts_free(o->ctx, o->run.shared->bytes);
        ts_free(o->ctx, o->run.shared);
        o->run.shared = next;
    }
    ts_store_free(o->store);
}

/* --- whole files ------------------------------------------------------------------------------ */

static void feed(outcome *o, const ts_format *format, void *parser, const uint8_t *p, size_t n,
                 size_t block)
{
    for (size_t at = 0; at < n && o->code == TS_OK;) {
        size_t m = n - at < block ? n - at : block;
        o->code = format->feed(parser, p + at, m);
        at += m;
    }
}

static void run_file(outcome *o, const ts_format *format, bool header, const uint8_t *p, size_t n,
                     size_t block)
{
    static const uint8_t magic[] = {'O', 'H', 'O', 'S', 'P', 'R', 'O', 'F', 0, 4};
    ts_stream_end eof = {n + (header ? HEADER : 0), NULL};
    void *parser;
    check(format->open(&parser, &o->job) == TS_OK);
    if (header) { /* of unknown length, with clocks */
        uint8_t bytes[HEADER] = {0};
        memcpy(bytes, magic, sizeof magic);
        bytes[61] = 1;  /* boottime */
        bytes[70] = 1;  /* realtime */
        bytes[85] = 16; /* monotonic */
        feed(o, format, parser, bytes, HEADER, block);
    }
    feed(o, format, parser, p, n, block);
    if (o->code == TS_OK) {
        o->code = format->finish(parser, &eof);
    }
    format->close(parser);
}

/* --- messages --------------------------------------------------------------------------------- */

typedef struct message {
    uint8_t *p;
    size_t n;
} message;

static void add(message *m, const void *p, size_t n)
{
    if (n > 0) {
        memcpy(m->p + m->n, p, n);
        m->n += n;
    }
}

static message chunk_of(const uint8_t *p, size_t n)
{
    static const char head[] = "{\"params\":{\"chunk\":\"";
    static const char hex[] = "0123456789abcdef";
    message m = {malloc(n * 6 + 64), 0};
    check(m.p != NULL);
    add(&m, head, sizeof head - 1);
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '"' || p[i] == '\\') {
            add(&m, "\\", 1);
            add(&m, &p[i], 1);
        } else if (p[i] < 0x20) {
            char escape[6] = {'\\', 'u', '0', '0', hex[p[i] >> 4], hex[p[i] & 15]};
            add(&m, escape, 6);
        } else {
            add(&m, &p[i], 1);
        }
    }
    add(&m, "\"}}", 3);
    return m;
}

static ts_code send(ts_session *s, const uint8_t *p, size_t n, size_t block, int64_t at, bool cut)
{
    ts_code code = ts_session_message_begin(s, at);
    for (size_t i = 0; i < n && code == TS_OK;) {
        size_t m = n - i < block ? n - i : block;
        code = ts_session_message_feed(s, (const char *)p + i, m);
        i += m;
    }
    return code != TS_OK ? code : ts_session_message_end(s, !cut, 1000 + at, cut);
}

static ts_code send_chunk(ts_session *s, const uint8_t *p, size_t n, size_t block, int64_t at)
{
    message m = chunk_of(p, n);
    ts_code code = send(s, m.p, m.n, block, at, false);
    free(m.p);
    return code;
}

static ts_code one(ts_session *s, const uint8_t *p, size_t n, size_t block, int64_t at)
{
    char mark[] = "{\"id\":0,\"result\":{}}";
    ts_code code;
    if (n == 0) {
        return TS_OK;
    }
    switch (p[0]) {
    case 'c':
        return send_chunk(s, p + 1, n - 1, block, at);
    case 'b':
        code = send_chunk(s, p + 1, (n - 1) / 2, block, at);
        return code != TS_OK ? code
                             : send_chunk(s, p + 1 + (n - 1) / 2, n - 1 - (n - 1) / 2, block, at);
    case 'f':
        return ts_session_config(s, p + 1, n - 1, at, false);
    case 'g':
        return ts_session_gap(s, at);
    case '1':
    case '2':
    case '3':
        mark[6] = (char)p[0];
        return send(s, (const uint8_t *)mark, sizeof mark - 1, block, at, false);
    default:
        return send(s, p + 1, n - 1, block, at, p[0] == 't');
    }
}

static void run_messages(outcome *o, bool bytes, const uint8_t *p, size_t n, size_t block)
{
    static const ts_clock_set clocks = {.at = {0, 1000, 2000, 0, 500}};
    ts_session *s;
    check(ts_session_new(&s, &o->job) == TS_OK);
    ts_session_clocks(s, &clocks);
    for (size_t at = 0; at < n && o->code == TS_OK;) {
        const uint8_t *sep = bytes ? NULL : memchr(p + at, 0x1e, n - at);
        size_t m = bytes ? 1 : sep == NULL ? n - at : (size_t)(sep - p) - at;
        o->code = bytes ? send_chunk(s, p + at, m, block, (int64_t)at)
                        : one(s, p + at, m, block, (int64_t)at);
        at += m + (sep != NULL);
    }
    if (o->code == TS_OK) {
        o->code = ts_session_finish(s);
    }
    ts_session_free(s);
}

static uint64_t run(ts_ctx *ctx, unsigned kind, const uint8_t *p, size_t n, size_t block)
{
    outcome o;
    begin(&o, ctx);
    switch (kind) {
    case 0:
    case 1:
        run_file(&o, &ts_format_htrace, kind == 1, p, n, block);
        break;
    case 2:
        run_file(&o, &ts_format_heapsnapshot, false, p, n, block);
        break;
    case 3:
        run_file(&o, &ts_format_cpuprofile, false, p, n, block);
        break;
    default:
        run_messages(&o, kind == 5, p, n, block);
        break;
    }
    end(&o);
    check(ctx->memory_used == 0);
    return o.rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    unsigned kind = data[0] % KINDS;
    const size_t blocks[] = {1, 7, 8 + (size_t)data[0]};
    ts_ctx *ctx = malloc(sizeof *ctx);
    check(ctx != NULL);
    ts_ctx_init(ctx);
    ctx->limits.json_depth = 1000;
    uint64_t whole = run(ctx, kind, data + 1, size - 1, SIZE_MAX / 2);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        check(run(ctx, kind, data + 1, size - 1, blocks[i]) == whole);
    }
    free(ctx);
    return 0;
}

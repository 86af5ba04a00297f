/*
 * The container reader must hand on the same segments and record the same rows for every way to cut
 * its input into blocks, must count every byte once, and must give all memory back. The first byte
 * of the input chooses how it is run:
 *   bit 0 the input can be read at random   bit 1 segments above 16 bytes are streamed
 *   bit 2 a header with clocks is put before the rest   bit 3 the same without clocks
 */
#include "htrace/htrace.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct outcome {
    ts_ctx *ctx;
    ts_sink sink;
    const uint8_t *p;
    size_t n;
    uint64_t rows;   /* hash of what the store wrote */
    uint64_t events; /* hash of what the handlers got */
    bool open;
    uint64_t seen; /* bytes counted */
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

static void mix_text(uint64_t *hash, const char *p, size_t n)
{
    mix(hash, n);
    for (size_t i = 0; i < n; i++) {
        mix(hash, (uint8_t)p[i]);
    }
}

static ts_code sink_put(void *self, enum ts_table_id table, const void *row, uint64_t reserved)
{
    (void)reserved;
    outcome *o = self;
    const ts_table *t = &ts_schema[table];
    mix(&o->rows, (uint64_t)table);
    for (unsigned c = 0; c < t->column_count; c++) {
        const char *cell = (const char *)row + t->columns[c].offset;
        if (t->columns[c].type == TS_COL_TEXT) {
            ts_text text;
            memcpy(&text, cell, sizeof text);
            mix_text(&o->rows, text.p, text.p == NULL ? 0 : text.n);
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
    (void)self;
    (void)table;
    (void)rowid;
    (void)column;
    (void)value;
    return TS_OK;
}

static void sink_release(void *self, enum ts_table_id table, int64_t rowid)
{
    (void)self;
    (void)table;
    (void)rowid;
}

static ts_code on_begin(void *user, const ts_segment *seg)
{
    outcome *o = user;
    check(!o->open);
    o->open = true;
    mix(&o->events, (uint64_t)seg->offset);
    mix_text(&o->events, seg->plugin, strlen(seg->plugin));
    return TS_OK;
}

static ts_code on_data(void *user, const ts_segment *seg, const uint8_t *p, size_t n)
{
    outcome *o = user;
    (void)seg;
    check(o->open && n > 0);
    for (size_t i = 0; i < n; i++) {
        mix(&o->events, p[i]);
    }
    return TS_OK;
}

static ts_code on_end(void *user, const ts_segment *seg)
{
    outcome *o = user;
    check(o->open);
    o->open = false;
    mix(&o->events, (uint64_t)seg->ts + seg->truncated);
    return TS_OK;
}

static ts_code on_gap(void *user, int64_t offset)
{
    outcome *o = user;
    check(!o->open && offset >= 0 && (uint64_t)offset <= o->n);
    mix(&o->events, (uint64_t)offset);
    return TS_OK;
}

static ts_code read_at(void *user, size_t *got, uint64_t off, void *buf, size_t n)
{
    outcome *o = user;
    *got = 0;
    if (off < o->n) {
        *got = o->n - off < n ? (size_t)(o->n - off) : n;
        memcpy(buf, o->p + off, *got);
    }
    return TS_OK;
}

static void note_bytes(void *user, int64_t source_id, ts_item item, const char *detail,
                       const ts_tally *tally)
{
    outcome *o = user;
    (void)source_id;
    (void)detail;
    if (item == TS_ITEM_bytes) {
        o->seen = tally->seen;
    }
}

static void run(outcome *o, uint8_t flags, const uint8_t *p, size_t n, size_t block)
{
    const ts_plugin_handler handlers[] = {
        {"a", o, on_begin, on_data, on_end, on_gap},
        {"arkts-plugin", o, on_begin, on_data, on_end, NULL},
        {"arkts-plugin_config", o, on_begin, on_data, on_end, NULL},
    };
    ts_htrace_config config = {.handlers = handlers, .handler_count = 3};
    ts_store *store;
    ts_htrace *h;
    memset(o, 0, sizeof *o);
    o->p = p;
    o->n = n;
    o->sink =
        (ts_sink){.self = o, .put = sink_put, .complete = sink_complete, .release = sink_release};
    o->ctx = malloc(sizeof *o->ctx);
    check(o->ctx != NULL);
    ts_ctx_init(o->ctx);
    check(ts_store_new(&store, o->ctx, &o->sink, NULL) == TS_OK);
    check(ts_source_add(&config.source_id, store, 0, "input", "f", "htrace") == TS_OK);
    config.hold = (flags & 2) != 0 ? 16 : 0;
    if ((flags & 1) != 0) {
        config.blob_user = o;
        config.read_at = read_at;
    }
    check(ts_htrace_new(&h, o->ctx, store, &config) == TS_OK);
    for (size_t at = 0; at < n;) {
        size_t m = n - at < block ? n - at : block;
        check(ts_htrace_feed(h, p + at, m) == TS_OK);
        at += m;
    }
    o->code = ts_htrace_finish(h);
    check(o->code == TS_OK || o->code == TS_ERR_FORMAT);
    check(ts_store_finish(store) == TS_OK);
    ts_count_visit(store, note_bytes, o);
    check(o->seen == n);
    ts_htrace_free(h);
    ts_store_free(store);
    check(o->ctx->memory_used == 0);
    free(o->ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t blocks[] = {1, 7, 100};
    size_t head = 0;
    uint8_t *file;
    size_t n;
    outcome whole;
    if (size == 0) {
        return 0;
    }
    head = (data[0] & 12) != 0 ? TS_HTRACE_HEADER : 0;
    n = head + size - 1;
    file = calloc(1, n + 1);
    check(file != NULL);
    if (head > 0) {
        memcpy(file, "OHOSPROF", 8);
        file[18] = 1;
        file[60] = (data[0] & 4) != 0;
        file[68] = 2;
    }
    memcpy(file + head, data + 1, size - 1);
    run(&whole, data[0], file, n, n + 1);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        outcome other;
        run(&other, data[0], file, n, blocks[i]);
        check(other.code == whole.code);
        check(other.rows == whole.rows);
        check(other.events == whole.events);
    }
    free(file);
    return 0;
}

/*
 * The container reader must hand on the same segments and record the same rows for every way to cut
 * its input into blocks, must count every byte once, and must give all memory back. The first byte
 * of the input chooses how it is run:
 *   bit 0 the input can be read at random   bit 1 segments above 16 bytes are streamed
 *   bit 2 a header with clocks is put before the rest   bit 3 the same without clocks
 *
 * Options: -max_len=6000 -len_control=0
 */
#include "fuzz.h"
#include "mutate.h"

#include "htrace/htrace.h"

const size_t fuzz_prefix = 1;

enum { WHOLE = 64 }; /* the longest message that comes whole */

typedef struct outcome {
    ts_ctx *ctx;
    fuzz_sink sink;
    const uint8_t *p;
    size_t n;
    uint64_t events; /* hash of what the handlers got */
    bool open;
    uint64_t seen; /* bytes counted */
    ts_code code;
} outcome;

static ts_code on_begin(void *user, const ts_segment *seg)
{
    outcome *o = user;
    check(!o->open);
    o->open = true;
    mix(&o->events, (uint64_t)seg->offset);
    mix_bytes(&o->events, seg->plugin, strlen(seg->plugin));
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
    check(tally->seen == tally->imported + tally->lost + tally->skipped);
    if (item == TS_ITEM_bytes) {
        o->seen = tally->seen;
    }
}

static bool reads_object(const uint8_t *p, size_t n, uint64_t size)
{
    check(n <= size && n > 0);
    return p[0] == 0x0a;
}

static ts_code on_open(void **self, const ts_plugin_host *host)
{
    *self = host->user;
    return TS_OK;
}

/* A message that comes whole: the same as one in a single piece. */
static ts_code on_message(void *user, const ts_segment *seg, const uint8_t *p, size_t n)
{
    check(n <= WHOLE);
    (void)on_begin(user, seg);
    if (n > 0) {
        (void)on_data(user, seg, p, n);
    }
    return on_end(user, seg);
}

static void run(outcome *o, uint8_t flags, const uint8_t *p, size_t n, size_t block)
{
    static const ts_plugin_name names[] = {
        {"a", 0, NULL},
        {"arkts-plugin", 0, reads_object},
        {"arkts-plugin_config", WHOLE, NULL},
        {NULL, 0, NULL},
    };
    static const ts_htrace_plugin plugin = {
        .names = names,
        .open = on_open,
        .begin = on_begin,
        .data = on_data,
        .end = on_end,
        .message = on_message,
        .gap = on_gap,
    };
    static const ts_htrace_plugin *const plugins[] = {&plugin, NULL};
    ts_htrace_config config = {.plugins = plugins, .user = o};
    ts_store *store;
    ts_htrace *h;
    memset(o, 0, sizeof *o);
    o->p = p;
    o->n = n;
    fuzz_sink_init(&o->sink);
    o->ctx = fuzz_ctx_new();
    check(ts_store_new(&store, o->ctx, &o->sink.sink, NULL) == TS_OK);
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
    fuzz_sink_free(&o->sink);
    fuzz_ctx_free(o->ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t blocks[] = {1, 100};
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
        check(memcmp(other.sink.tables, whole.sink.tables, sizeof whole.sink.tables) == 0);
        check(other.events == whole.events);
    }
    free(file);
    return 0;
}

/*
 * What every importer must keep, whatever it is fed:
 *   - the same rows and issues for every way to cut the input into blocks,
 *   - items are conserved (seen = imported + lost + skipped), every byte is seen once, and what was
 *     imported are rows,
 *   - all memory comes back, no more than 64 MiB and eight times the input is in use at once,
 *   - a short input takes less than a second.
 */
#ifndef TS_FUZZ_IMPORT_CHECK_H
#define TS_FUZZ_IMPORT_CHECK_H

#include "fuzz.h"

#include "memsink.h"
#include "parsers/arkts/session/session.h"
#include "parsers/htrace/plugin_list.h"
#include "parsers/import_impl.h"
#include "parsers/registry.h"

#include <time.h>

typedef struct fuzz_run {
    ts_ctx *ctx;
    ts_store *store;
    fuzz_sink sink;
    ts_run run;
    ts_import_options options;
    ts_job job;
    uint64_t bytes; /* of the input, as the tallies have it */
    uint64_t items[TS_ITEM_COUNT];
    bool lost; /* anything, as the tallies have it */
    ts_code code;
} fuzz_run;

/* Imports p..p + n; cuts: the seed of the block sizes, 0 = one block. Sets r->code. */
typedef void (*fuzz_import)(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts);

/* --- one run ---------------------------------------------------------------------------------- */

static inline void fuzz_visit_tally(void *user, int64_t source_id, ts_item item, const char *detail,
                                    const ts_tally *tally)
{
    fuzz_run *r = user;
    (void)source_id;
    (void)detail;
    check(tally->seen == tally->imported + tally->lost + tally->skipped);
    r->items[item] += tally->imported;
    r->lost = r->lost || tally->lost > 0;
    r->bytes += item == TS_ITEM_bytes ? tally->seen : 0;
}

/* What was counted as imported stands in the table. */
static inline void fuzz_check_items(const fuzz_run *r, const ts_sink *sink)
{
    static const struct {
        ts_item item;
        enum ts_table_id table;
    } pairs[] = {
        {TS_ITEM_nodes, TS_T_js_heap_nodes},
        {TS_ITEM_edges, TS_T_js_heap_edges},
        {TS_ITEM_strings, TS_T_js_heap_string},
        {TS_ITEM_locations, TS_T_js_heap_location},
        {TS_ITEM_heap_samples, TS_T_js_heap_sample},
        {TS_ITEM_trace_functions, TS_T_js_heap_trace_function_info},
        {TS_ITEM_trace_nodes, TS_T_js_heap_trace_node},
        {TS_ITEM_cpu_nodes, TS_T_js_cpu_profiler_node},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (r->items[pairs[i].item] != sink->rows[pairs[i].table]) {
            fprintf(stderr, "%s: %" PRIu64 " imported, %" PRIu64 " rows\n",
                    ts_item_list[pairs[i].item].name, r->items[pairs[i].item],
                    sink->rows[pairs[i].table]);
            fuzz_fail("what was imported stands in the table");
        }
    }
}

static inline void fuzz_run_begin(fuzz_run *r, ts_sink *sink)
{
    memset(r, 0, sizeof *r);
    fuzz_sink_init(&r->sink);
    r->ctx = fuzz_ctx_new();
    check(ts_store_new(&r->store, r->ctx, sink == NULL ? &r->sink.sink : sink, NULL) == TS_OK);
    r->run.ctx = r->ctx;
    r->run.store = r->store;
    r->job = (ts_job){
        .ctx = r->ctx,
        .store = r->store,
        .options = &r->options,
        .name = "fuzz",
        .label = "fuzz",
        .run = &r->run,
    };
}

static inline void fuzz_run_end(fuzz_run *r)
{
    check(r->code == TS_OK || r->ctx->error.count > 0);
    for (shared_block *b = r->run.shared; b != NULL && r->code == TS_OK; b = b->next) {
        if (b->calls.finish != NULL) {
            check(b->calls.finish(r->ctx, r->store, b->bytes) == TS_OK);
        }
    }
    if (r->code == TS_OK) {
        check(ts_store_finish(r->store) == TS_OK);
        ts_count_visit(r->store, fuzz_visit_tally, r);
        fuzz_check_items(r, ts_store_sink(r->store));
        check(r->lost ==
              (ts_issue_total(r->store, TS_DATA_LOSS) + ts_issue_total(r->store, TS_ERROR) > 0));
    }
    while (r->run.shared != NULL) {
        shared_block *next = r->run.shared->next;
        if (r->run.shared->calls.release != NULL) {
            r->run.shared->calls.release(r->ctx, r->run.shared->bytes);
        }
        ts_free(r->ctx, r->run.shared->bytes);
        ts_free(r->ctx, r->run.shared);
        r->run.shared = next;
    }
    ts_store_free(r->store);
}

static inline void fuzz_run_free(fuzz_run *r)
{
    fuzz_sink_free(&r->sink);
    fuzz_ctx_free(r->ctx);
}

static inline double fuzz_cpu_seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* sink: NULL for the one that hashes. Freed with fuzz_run_free. */
static inline void fuzz_run_one(fuzz_run *r, ts_sink *sink, fuzz_import import, const uint8_t *p,
                                size_t n, uint64_t cuts)
{
    double began = fuzz_cpu_seconds();
    fuzz_run_begin(r, sink);
    r->ctx->hash_key.k[0] += cuts; /* rows do not depend on the key either */
    import(r, p, n, cuts);
    fuzz_run_end(r);
    check(r->ctx->memory_peak <= (UINT64_C(64) << 20) + 8 * (uint64_t)n);
    check(fuzz_cpu_seconds() - began < 1 + (double)n / 1e6);
}

/* --- two runs --------------------------------------------------------------------------------- */

static inline bool fuzz_same(const fuzz_run *a, const fuzz_run *b)
{
    return a->code == b->code &&
           memcmp(a->sink.sink.rows, b->sink.sink.rows, sizeof a->sink.sink.rows) == 0 &&
           memcmp(a->sink.tables, b->sink.tables, sizeof a->sink.tables) == 0 &&
           memcmp(a->sink.completed, b->sink.completed, sizeof a->sink.completed) == 0;
}

/* Prints the first cell that two runs have different. */
static inline void fuzz_show_difference(fuzz_import a, uint64_t cuts_a, fuzz_import b,
                                        uint64_t cuts_b, const uint8_t *p, size_t n)
{
    fuzz_run x;
    fuzz_run y;
    memsink *rows_x = memsink_new(NULL);
    memsink *rows_y = memsink_new(NULL);
    fuzz_run_one(&x, memsink_sink(rows_x), a, p, n, cuts_a);
    fuzz_run_one(&y, memsink_sink(rows_y), b, p, n, cuts_b);
    fprintf(stderr, "codes %d and %d: %s / %s\n", (int)x.code, (int)y.code, x.ctx->error.causes[0],
            y.ctx->error.causes[0]);
    (void)memsink_equal(rows_x, rows_y);
    memsink_free(rows_x);
    memsink_free(rows_y);
    fuzz_run_free(&x);
    fuzz_run_free(&y);
}

/* The whole input in one block, and the same in blocks that it chooses itself. Leaves `whole`. */
static inline void fuzz_run_both(fuzz_run *whole, fuzz_import import, const uint8_t *p, size_t n)
{
    fuzz_run parts;
    uint64_t cuts = 1;
    mix_bytes(&cuts, p, n);
    cuts |= 1; /* not 0 */
    fuzz_run_one(whole, NULL, import, p, n, 0);
    fuzz_run_one(&parts, NULL, import, p, n, cuts);
    if (!fuzz_same(whole, &parts)) {
        fuzz_show_difference(import, 0, import, cuts, p, n);
        fuzz_fail("the same rows for every way to cut the input into blocks");
    }
    fuzz_run_free(&parts);
}

/* What two forms of one recording must have in common: these tables. */
static inline void fuzz_check_tables(const fuzz_run *a, const fuzz_run *b,
                                     const enum ts_table_id *tables, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a->sink.sink.rows[tables[i]] != b->sink.sink.rows[tables[i]] ||
            a->sink.tables[tables[i]] != b->sink.tables[tables[i]]) {
            fprintf(stderr, "%s: %" PRIu64 " and %" PRIu64 " rows\n", ts_schema[tables[i]].name,
                    a->sink.sink.rows[tables[i]], b->sink.sink.rows[tables[i]]);
            fuzz_fail("the same rows for every form of the recording");
        }
    }
}

/* --- feeding ---------------------------------------------------------------------------------- */

static inline void fuzz_add_source(fuzz_run *r)
{
    check(ts_source_add(&r->job.source_id, r->store, 0, "input", "fuzz", NULL) == TS_OK);
}

/* Every block stands in memory of its own, so that reading beyond it is seen. */
static inline void fuzz_feed(fuzz_run *r, const ts_format *format, void *parser, const uint8_t *p,
                             size_t n, uint64_t cuts)
{
    uint64_t state = cuts;
    for (size_t at = 0; at < n && r->code == TS_OK;) {
        size_t m = draw_block(&state, cuts == 0, n - at);
        uint8_t *block = malloc(m);
        check(block != NULL);
        memcpy(block, p + at, m);
        r->code = format->feed(parser, block, m);
        free(block);
        at += m;
    }
}

static inline void fuzz_import_format(fuzz_run *r, const ts_format *format, const uint8_t *p,
                                      size_t n, uint64_t cuts)
{
    ts_stream_end eof = {n, NULL, false};
    void *parser;
    fuzz_add_source(r);
    check(format->open(&parser, &r->job) == TS_OK);
    fuzz_feed(r, format, parser, p, n, cuts);
    if (r->code == TS_OK) {
        r->code = format->finish(parser, &eof);
    }
    format->close(parser);
}

/* --- debugger messages ------------------------------------------------------------------------ */

typedef struct fuzz_text {
    char *p;
    size_t n;
} fuzz_text;

static inline void fuzz_text_add(fuzz_text *t, const void *p, size_t n)
{
    if (n > 0) {
        memcpy(t->p + t->n, p, n);
        t->n += n;
    }
}

/* {"params":{"chunk":"..."}} of any bytes. Caller frees with free(). */
static inline fuzz_text fuzz_chunk(const uint8_t *p, size_t n)
{
    static const char head[] = "{\"params\":{\"chunk\":\"";
    static const char hex[] = "0123456789abcdef";
    fuzz_text t = {malloc(n * 6 + 64), 0};
    check(t.p != NULL);
    fuzz_text_add(&t, head, sizeof head - 1);
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '"' || p[i] == '\\') {
            fuzz_text_add(&t, "\\", 1);
            fuzz_text_add(&t, &p[i], 1);
        } else if (p[i] < 0x20) {
            const char escape[6] = {'\\', 'u', '0', '0', hex[p[i] >> 4], hex[p[i] & 15]};
            fuzz_text_add(&t, escape, 6);
        } else {
            fuzz_text_add(&t, &p[i], 1);
        }
    }
    fuzz_text_add(&t, "\"}}", 3);
    return t;
}

/* The text between two others. Caller frees with free(). */
static inline fuzz_text fuzz_wrap(const char *before, const uint8_t *p, size_t n, const char *after)
{
    fuzz_text t = {malloc(strlen(before) + n + strlen(after) + 1), 0};
    check(t.p != NULL);
    fuzz_text_add(&t, before, strlen(before));
    fuzz_text_add(&t, p, n);
    fuzz_text_add(&t, after, strlen(after));
    return t;
}

static inline void fuzz_send(fuzz_run *r, ts_session *s, const void *p, size_t n, uint64_t cuts,
                             int64_t at, bool cut)
{
    uint64_t state = cuts;
    if (r->code == TS_OK) {
        r->code = ts_session_message_begin(s, at);
    }
    for (size_t i = 0; i < n && r->code == TS_OK;) {
        size_t m = draw_block(&state, cuts == 0, n - i);
        r->code = ts_session_message_feed(s, (const char *)p + i, m);
        i += m;
    }
    if (r->code == TS_OK) {
        r->code = ts_session_message_end(s, !cut, 1000 + at, cut);
    }
}

static inline void fuzz_send_chunk(fuzz_run *r, ts_session *s, const uint8_t *p, size_t n,
                                   uint64_t cuts, int64_t at)
{
    fuzz_text t = fuzz_chunk(p, n);
    fuzz_send(r, s, t.p, t.n, cuts, at, false);
    free(t.p);
}

static inline void fuzz_send_mark(fuzz_run *r, ts_session *s, char id, int64_t at)
{
    char mark[] = "{\"id\":0,\"result\":{}}";
    mark[6] = id;
    fuzz_send(r, s, mark, sizeof mark - 1, 0, at, false);
}

/* A session with clocks; finished and freed with fuzz_session_end. */
static inline ts_session *fuzz_session_begin(fuzz_run *r)
{
    static const ts_clock_set clocks = {.at = {0, 1000, 2000, 0, 500}};
    ts_session *s;
    fuzz_add_source(r);
    check(ts_session_new(&s, &r->job) == TS_OK);
    ts_session_clocks(s, &clocks);
    return s;
}

static inline void fuzz_session_end(fuzz_run *r, ts_session *s)
{
    if (r->code == TS_OK) {
        r->code = ts_session_finish(s);
    }
    ts_session_free(s);
}

#endif

/*
 * Which samples of hiperf ran in a native asynchronous work, and the stack that submitted it
 * (perf_napi_async). Three sections of a recording meet here:
 *
 *     native_hook     a mapping of the kind "napi:<traceid>:..." has the stack that submitted
 *     callstack       "H:Native async work execute callback, traceid:<traceid>|" says when and in
 *                     which thread it ran; the thread of a tid is the youngest with such a row
 *     perf_sample     samples in that time whose stack runs through the callback of such works
 *
 * Memory: texts of data_dict that matter; 32 bytes a work that ran; 27 to 53 a stack through the
 * callback and a thread of hiperf.
 */
#include "analysis/analysis.h"

#include "base/ckd.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"
#include "tables/table_rows.h"

#include <stdlib.h>
#include <string.h>

static const enum ts_table_id needs[] = {TS_T_native_hook, TS_T_callstack, TS_T_perf_callchain,
                                         TS_T_perf_sample, TS_TABLE_COUNT};
static const enum ts_table_id writes[] = {TS_T_perf_napi_async, TS_TABLE_COUNT};
static const ts_issue_code issues[] = {TS_ISSUE_COUNT};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* A work that ran. */
typedef struct napi_work {
    int64_t itid;
    int64_t begin, end;
    uint32_t trace;
    uint32_t order; /* of the rows */
} napi_work;

typedef struct napi {
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    ts_idmap tags;      /* id in data_dict of "napi:..." : number of the trace id */
    ts_idmap callbacks; /* ids in data_dict of names of the callback */
    ts_pool traces;     /* trace ids */
    ts_vec callers;     /* int64_t, by trace id: stack that submitted it; NO_CALLER: not yet */
    ts_vec works;       /* napi_work */
    ts_vec tops;        /* int64_t: the latest end of the thread's works up to each */
    ts_idmap of_tid;    /* the youngest thread of a tid that has works: its first one */
    ts_idmap tids;      /* of itids with works, in a finished database */
    ts_idmap chains;    /* stacks of hiperf through the callback */
    ts_idmap pids;      /* of tids of hiperf, the first that was recorded */
} napi;

#define NO_CALLER INT64_MIN

static ts_text text_of(const ts_batch *b, unsigned column, unsigned i)
{
    return (ts_text){b->columns[column].texts[i].p, b->columns[column].texts[i].n};
}

static bool holds(ts_text text, const char *part)
{
    return memmem(text.p, text.n, part, strlen(part)) != NULL;
}

/* --- who submitted works ----------------------------------------------------------------------
 */

/* What is between the kind and the last colon. */
static ts_text trace_of_tag(ts_text tag)
{
    ts_text trace = ts_text_from(tag, sizeof "napi:" - 1);
    const char *colon = memrchr(trace.p, ':', trace.n);
    return colon == NULL ? trace : (ts_text){trace.p, (size_t)(colon - trace.p)};
}

static ts_code take_text(napi *n, const ts_batch *b, unsigned i)
{
    const ts_text text = text_of(b, 1, i);
    if (ts_text_begins(text, "napi:")) {
        const int64_t none = NO_CALLER;
        uint32_t trace;
        bool added;
        TS_TRY(ts_pool_intern(n->ctx, &trace, &added, &n->traces, trace_of_tag(text)));
        if (added) {
            TS_TRY(ts_vec_push(n->ctx, &n->callers, &none, sizeof none));
        }
        TS_TRY(ts_idmap_put(n->ctx, &n->tags, b->columns[0].ints[i], trace));
    }
    return holds(text, "NativeAsyncWork::AsyncWorkCallback")
               ? ts_idmap_put(n->ctx, &n->callbacks, b->columns[0].ints[i], 0)
               : TS_OK;
}

static ts_code take_hook(napi *n, const ts_batch *b, unsigned i)
{
    uint64_t trace;
    if (b->columns[0].null[i] == 0 && ts_idmap_find(&trace, &n->tags, b->columns[0].ints[i])) {
        int64_t *caller = (int64_t *)n->callers.p + trace;
        const int64_t chain = b->columns[1].null[i] != 0 ? -1 : b->columns[1].ints[i];
        *caller = *caller == NO_CALLER ? chain : *caller;
    }
    return TS_OK;
}

/* --- when they ran ---------------------------------------------------------------------------- */

/* The trace id in the name of a row; false: it is no work whose stack is known. */
static bool trace_of_name(uint32_t *trace, const napi *n, ts_text name)
{
    static const char work[] = "H:Native async work execute callback";
    static const char mark[] = "traceid:";
    const char *at =
        ts_text_begins(name, work) ? memmem(name.p, name.n, mark, sizeof mark - 1) : NULL;
    if (at == NULL) {
        return false;
    }
    ts_text rest = ts_text_from(name, (size_t)(at - name.p) + sizeof mark - 1);
    const char *bar = rest.n < 2 ? NULL : memchr(rest.p + 1, '|', rest.n - 1);
    if (bar == NULL) {
        return false;
    }
    rest.n = (size_t)(bar - rest.p);
    return !ts_text_is(rest, "0x0") && ts_pool_find(trace, &n->traces, rest) &&
           ((const int64_t *)n->callers.p)[*trace] != NO_CALLER;
}

static ts_code take_call(napi *n, const ts_batch *b, unsigned i)
{
    enum { TS, DUR, CALLID, NAME };
    const ts_batch_column *c = b->columns;
    napi_work work = {.order = (uint32_t)n->works.n};
    if (c[TS].null[i] != 0 || c[DUR].null[i] != 0 || c[CALLID].null[i] != 0 ||
        !trace_of_name(&work.trace, n, text_of(b, NAME, i))) {
        return TS_OK;
    }
    work.itid = c[CALLID].ints[i];
    work.begin = c[TS].ints[i];
    work.end = ts_sat_add(work.begin, c[DUR].ints[i]);
    return n->works.n == UINT32_MAX
               ? ts_fail(n->ctx, TS_ERR_LIMIT, "more than 4 billion native works")
               : ts_vec_push(n->ctx, &n->works, &work, sizeof work);
}

static int by_thread(const void *a, const void *b)
{
    const napi_work *x = a;
    const napi_work *y = b;
    if (x->itid != y->itid) {
        return x->itid < y->itid ? -1 : 1;
    }
    return x->order < y->order ? -1 : 1;
}

static ts_code take_thread(napi *n, const ts_batch *b, unsigned i)
{
    const bool known = b->columns[0].null[i] == 0 && b->columns[1].null[i] == 0;
    return known ? ts_idmap_put(n->ctx, &n->tids, b->columns[0].ints[i],
                                (uint64_t)b->columns[1].ints[i])
                 : TS_OK;
}

/* Threads of a conversion have no rows yet. */
static bool tid_of(int64_t *tid, const napi *n, int64_t itid)
{
    uint64_t found;
    if (ts_idmap_find(&found, &n->tids, itid)) {
        *tid = (int64_t)found;
        return true;
    }
    if (itid < 0 || (uint64_t)itid >= ts_thread_count(n->store)) {
        return false;
    }
    const ts_row_thread *row = ts_thread_row(n->store, itid);
    *tid = row->tid;
    return (row->null & TS_NULL_BIT(thread, tid)) == 0;
}

/* Works by thread, in the order of their rows; of the threads of a tid the youngest counts. */
static ts_code sort_works(napi *n)
{
    napi_work *w = n->works.p;
    int64_t *tops;
    if (n->works.n == 0) {
        return TS_OK;
    }
    qsort(w, n->works.n, sizeof *w, by_thread);
    TS_TRY(ts_vec_reserve(n->ctx, &n->tops, n->works.n, sizeof *tops));
    tops = n->tops.p;
    for (size_t i = 0; i < n->works.n; i++) {
        const bool first = i == 0 || w[i - 1].itid != w[i].itid;
        int64_t tid;
        tops[i] = first || w[i].end > tops[i - 1] ? w[i].end : tops[i - 1];
        if (first && tid_of(&tid, n, w[i].itid)) {
            TS_TRY(ts_idmap_put(n->ctx, &n->of_tid, tid, i));
        }
    }
    return TS_OK;
}

/* The first work of the thread that ends at the time or later, if it has begun; else NULL. */
static const napi_work *find_work(const napi *n, int64_t tid, int64_t ts)
{
    const napi_work *w = n->works.p;
    const int64_t *tops = n->tops.p;
    uint64_t first;
    if (!ts_idmap_find(&first, &n->of_tid, tid)) {
        return NULL;
    }
    size_t from = (size_t)first; /* all before it end too early, none from `to` on does */
    size_t to = n->works.n;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const bool other = w[middle].itid != w[first].itid;
        if (!other && tops[middle] < ts) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < n->works.n && w[from].itid == w[first].itid && w[from].begin <= ts ? &w[from]
                                                                                     : NULL;
}

/* --- samples ----------------------------------------------------------------------------------
 */

static ts_code take_frame(napi *n, const ts_batch *b, unsigned i)
{
    uint64_t unused;
    return b->columns[0].null[i] == 0 &&
                   ts_idmap_find(&unused, &n->callbacks, b->columns[0].ints[i])
               ? ts_idmap_put(n->ctx, &n->chains, b->columns[1].ints[i], 0)
               : TS_OK;
}

static ts_code take_pid(napi *n, const ts_batch *b, unsigned i)
{
    uint64_t unused;
    return ts_idmap_find(&unused, &n->pids, b->columns[0].ints[i])
               ? TS_OK
               : ts_idmap_put(n->ctx, &n->pids, b->columns[0].ints[i],
                              (uint64_t)b->columns[1].ints[i]);
}

enum { S_ID, S_CHAIN, S_TID, S_COUNT, S_EVENT, S_TS, S_CPU };

static const unsigned sample_columns[] = {
    [S_ID] = TS_C_perf_sample__id,
    [S_CHAIN] = TS_C_perf_sample__callchain_id,
    [S_TID] = TS_C_perf_sample__thread_id,
    [S_COUNT] = TS_C_perf_sample__event_count,
    [S_EVENT] = TS_C_perf_sample__event_type_id,
    [S_TS] = TS_C_perf_sample__timestamp_trace,
    [S_CPU] = TS_C_perf_sample__cpu_id,
};

static ts_code take_sample(napi *n, const ts_batch *b, unsigned i)
{
    const ts_batch_column *c = b->columns;
    const napi_work *work;
    uint64_t pid;
    if (c[S_CHAIN].null[i] != 0 || c[S_TID].null[i] != 0 || c[S_TS].null[i] != 0 ||
        !ts_idmap_find(&pid, &n->chains, c[S_CHAIN].ints[i]) ||
        (work = find_work(n, c[S_TID].ints[i], c[S_TS].ints[i])) == NULL ||
        !ts_idmap_find(&pid, &n->pids, c[S_TID].ints[i])) {
        return TS_OK;
    }
    ts_row_perf_napi_async row = {
        .id = (int64_t)ts_sink_rows(n->sink, TS_T_perf_napi_async),
        .ts = c[S_TS].ints[i],
        .traceid = ts_pool_text(&n->traces, work->trace),
        .cpu_id = c[S_CPU].ints[i],
        .thread_id = c[S_TID].ints[i],
        .process_id = (int64_t)pid,
        .caller_callchainid = ((const int64_t *)n->callers.p)[work->trace],
        .callee_callchainid = c[S_CHAIN].ints[i],
        .perf_sample_id = c[S_ID].ints[i],
        .event_count = c[S_COUNT].ints[i],
        .event_type_id = c[S_EVENT].ints[i],
    };
    TS_NULL_IF(c[S_CPU].null[i] != 0, perf_napi_async, &row, cpu_id);
    return ts_put_perf_napi_async(n->sink, &row);
}

/* --- all of it --------------------------------------------------------------------------------
 */

static ts_code each_row(napi *n, const ts_rows_from *from, enum ts_table_id table,
                        const unsigned *columns, unsigned count,
                        ts_code (*take)(napi *n, const ts_batch *b, unsigned i))
{
    ts_walk rows = ts_walk_of(*from, table, columns, count);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        code = take(n, rows.b, rows.row);
    }
    return code;
}

static ts_code read_works(napi *n, const ts_rows_from *from)
{
    static const unsigned texts[] = {TS_C_data_dict__id, TS_C_data_dict__data};
    static const unsigned hooks[] = {TS_C_native_hook__sub_type_id, TS_C_native_hook__callchain_id};
    static const unsigned calls[] = {TS_C_callstack__ts, TS_C_callstack__dur,
                                     TS_C_callstack__callid, TS_C_callstack__name};
    static const unsigned threads[] = {TS_C_thread__itid, TS_C_thread__tid};
    TS_TRY(each_row(n, from, TS_T_data_dict, texts, COUNT(texts), take_text));
    if (n->tags.count == 0 || n->callbacks.count == 0) {
        return TS_OK;
    }
    TS_TRY(each_row(n, from, TS_T_native_hook, hooks, COUNT(hooks), take_hook));
    TS_TRY(each_row(n, from, TS_T_callstack, calls, COUNT(calls), take_call));
    TS_TRY(each_row(n, from, TS_T_thread, threads, COUNT(threads), take_thread));
    return sort_works(n);
}

static ts_code read_samples(napi *n, const ts_rows_from *from)
{
    static const unsigned frames[] = {TS_C_perf_callchain__name, TS_C_perf_callchain__callchain_id};
    static const unsigned threads[] = {TS_C_perf_thread__thread_id, TS_C_perf_thread__process_id};
    if (n->works.n == 0) {
        return TS_OK;
    }
    TS_TRY(each_row(n, from, TS_T_perf_callchain, frames, COUNT(frames), take_frame));
    TS_TRY(each_row(n, from, TS_T_perf_thread, threads, COUNT(threads), take_pid));
    return each_row(n, from, TS_T_perf_sample, sample_columns, COUNT(sample_columns), take_sample);
}

static ts_code napi_async_run(ts_ctx *ctx, ts_reader *reader, ts_store *store)
{
    const ts_rows_from from = {.ctx = ctx, .reader = reader};
    napi n = {.ctx = ctx, .store = store, .sink = ts_store_sink(store)};
    ts_code code = read_works(&n, &from);
    TS_STEP(code, read_samples(&n, &from));
    ts_idmap_free(ctx, &n.tags);
    ts_idmap_free(ctx, &n.callbacks);
    ts_pool_free(ctx, &n.traces);
    ts_vec_free(ctx, &n.callers);
    ts_vec_free(ctx, &n.works);
    ts_vec_free(ctx, &n.tops);
    ts_idmap_free(ctx, &n.of_tid);
    ts_idmap_free(ctx, &n.tids);
    ts_idmap_free(ctx, &n.chains);
    ts_idmap_free(ctx, &n.pids);
    return code;
}

const ts_analysis ts_analysis_napi_async = {
    .name = "napi_async",
    .title = "samples of native asynchronous works",
    .cost = TS_ANALYSIS_DEFAULT,
    .needs = needs,
    .writes = writes,
    .issues = issues,
    .run = napi_async_run,
};

/* How busy threads were over time, by samples, as the rows of cpu_timeline_buckets. */
#include "model/answer_rows.h"

#include "base/alloc.h"
#include "model/call_paths.h"
#include "model/sample_events.h"
#include "model/select.h"

#include <stdlib.h>

enum { ROW_COLUMNS = 6, BUCKETS_USUAL = 50, BUCKETS_MOST = 1000000, BUCKETS_REPORT = 1 << 16 };

typedef struct bucket {
    ts_wide time[2]; /* of what ran, and of what waited; only the ends of samples that are longer */
    int64_t whole[2]; /* samples that cover all of it, more or less than the bucket before */
    int64_t begins;
} bucket;

typedef struct bucket_rows {
    ts_model *m;
    ts_ctx *ctx;
    ts_events *events;
    const ts_paths *paths;
    ts_select select;
    ts_span span;
    int64_t width;
    uint64_t n;
    bucket *all; /* and one after the last */
} bucket_rows;

/* What trace_range says, where from or to is not given. *any: false without a range. */
static ts_code read_span(bool *any, bucket_rows *r, const char *from, const char *to)
{
    static const unsigned columns[] = {TS_C_trace_range__start_ts, TS_C_trace_range__end_ts};
    ts_walk at = ts_walk_of(*ts_model_rows(r->m), TS_T_trace_range, columns, 2);
    ts_code code = TS_OK;
    *any = false;
    while (ts_walk_next(&code, &at)) {
        if (!*any) {
            *any = (from != NULL || !ts_walk_null(&at, 0)) && (to != NULL || !ts_walk_null(&at, 1));
            r->span = (ts_span){ts_walk_int(&at, 0), ts_walk_int(&at, 1)};
        }
    }
    TS_STEP_IF(code, from != NULL,
               ts_select_time(&r->span.from, r->m, "from", from, &r->select.sources));
    TS_STEP_IF(code, to != NULL, ts_select_time(&r->span.to, r->m, "to", to, &r->select.sources));
    return code;
}

/* The span in equal parts, the last of which may end after it. */
static ts_code divide(bucket_rows *r, const char *buckets)
{
    ts_wide length = (ts_wide)r->span.to - r->span.from;
    int64_t n = buckets == NULL ? BUCKETS_USUAL : (int64_t)strtod(buckets, NULL);
    r->n = n < 1 ? 1 : (uint64_t)n;
    if (r->n > BUCKETS_MOST) {
        return ts_fail(r->ctx, TS_ERR_USAGE, "the parameter buckets is %s; %d are possible at most",
                       buckets, BUCKETS_MOST);
    }
    ts_wide width = (length + (ts_wide)r->n - 1) / (ts_wide)r->n;
    r->width = width < 1 ? 1 : width > INT64_MAX ? INT64_MAX : (int64_t)width;
    TS_NEED(r->ctx, r->all = ts_zalloc(r->ctx, (size_t)r->n + 1, sizeof *r->all));
    return TS_OK;
}

/* A sample in the span, from there on: what it has of the first and last bucket, and all between.
 */
static void add_time(bucket_rows *r, uint64_t from, uint64_t to, bool idle, bool begins)
{
    uint64_t width = (uint64_t)r->width;
    uint64_t first = from / width;
    uint64_t last = to > from ? (to - 1) / width : first;
    r->all[first].begins += begins;
    if (first == last) {
        r->all[first].time[idle] += (ts_wide)(to - from);
        return;
    }
    r->all[first].time[idle] += (ts_wide)((first + 1) * width - from);
    r->all[last].time[idle] += (ts_wide)(to - last * width);
    r->all[first + 1].whole[idle]++;
    r->all[last].whole[idle]--;
}

static ts_code add_sample(bucket_rows *r, const ts_batch *b, unsigned i)
{
    enum { S_SOURCE, S_ITID, S_TS, S_DUR, S_NODE, S_EVENT };
    int64_t ts = b->columns[S_TS].ints[i];
    int64_t dur = b->columns[S_DUR].ints[i];
    int64_t end = ts_sat_add(ts, dur);
    bool timed = !b->columns[S_TS].null[i] && !b->columns[S_DUR].null[i] && dur >= 0;
    if (!timed || ts >= r->span.to || end < r->span.from ||
        !ts_select_thread(&r->select, !b->columns[S_ITID].null[i], b->columns[S_ITID].ints[i])) {
        return TS_OK;
    }
    uint32_t node = b->columns[S_NODE].null[i]
                        ? TS_NO_INDEX
                        : ts_ids_find(&r->paths->nodes, b->columns[S_NODE].ints[i]);
    uint32_t method = node == TS_NO_INDEX ? TS_NO_INDEX : r->paths->method[node];
    ts_event_kind kind;
    TS_TRY(ts_events_sample(
        &kind, r->events, b->columns[S_SOURCE].ints[i],
        b->columns[S_EVENT].null[i] ? TS_TEXT_NULL : ts_cell_text(b, S_EVENT, i), b->rowids[i],
        method == TS_NO_INDEX ? 0 : ts_ids_at(&r->paths->methods, method)));
    int64_t from = ts > r->span.from ? ts : r->span.from;
    int64_t to = end < r->span.to ? end : r->span.to;
    add_time(r, (uint64_t)from - (uint64_t)r->span.from, (uint64_t)to - (uint64_t)r->span.from,
             kind.class == TS_CLASS_waiting, ts >= r->span.from);
    return TS_OK;
}

static ts_code add_samples(bucket_rows *r)
{
    static const unsigned columns[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                       TS_C_stack_sample__ts,        TS_C_stack_sample__dur,
                                       TS_C_stack_sample__node_id,   TS_C_stack_sample__event};
    const ts_rows_from *from = ts_model_rows(r->m);
    uint64_t total = ts_rows_count(from, "stack_sample");
    uint64_t done = 0;
    ts_rows *rows = NULL;
    const ts_batch *b;
    ts_code code = ts_events_get(&r->events, r->m);
    TS_STEP(code, ts_call_paths(&r->paths, r->m));
    TS_STEP(code, ts_rows_open(&rows, from, TS_T_stack_sample, columns, 6));
    while (code == TS_OK && (code = ts_rows_next(&b, rows)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; code == TS_OK && i < b->rows; i++) {
            code = add_sample(r, b, i);
        }
        done += b->rows;
        if (done % BUCKETS_REPORT < b->rows) {
            ts_model_report(r->m, "reading samples", done, total);
        }
    }
    ts_rows_close(rows);
    return code;
}

static ts_code put_rows(bucket_rows *r, const ts_rows_visitor *visitor)
{
    ts_answer_row row = {.ctx = r->ctx};
    ts_wide whole[2] = {0, 0};
    ts_wide start = r->span.from;
    ts_code code = TS_OK;
    for (uint64_t i = 0; code == TS_OK && i < r->n; i++, start += r->width) {
        const bucket *b = &r->all[i];
        ts_answer_begin(&row);
        ts_answer_int(&row, true, (int64_t)i);
        ts_answer_wide(&row, start);
        ts_answer_wide(&row, start + r->width);
        for (unsigned idle = 0; idle < 2; idle++) {
            whole[idle] += b->whole[idle];
            ts_answer_wide(&row, b->time[idle] + whole[idle] * r->width);
        }
        ts_answer_int(&row, true, b->begins);
        code = ts_answer_put(&row, visitor);
    }
    ts_buf_free(r->ctx, &row.text);
    return code;
}

ts_code ts_answer_timeline(ts_model *m, const ts_param *params, size_t count,
                           const ts_rows_visitor *visitor)
{
    static const char *const names[ROW_COLUMNS] = {"bucket",  "start_ts", "end_ts",
                                                   "busy_ns", "idle_ns",  "samples"};
    bucket_rows r = {.m = m, .ctx = ts_model_ctx(m)};
    const ts_wanted wanted = {.thread = ts_answer_param(params, count, "thread")};
    bool any = false;
    ts_code code = ts_select_make(&r.select, m, &wanted);
    TS_STEP(code, read_span(&any, &r, ts_answer_param(params, count, "from"),
                            ts_answer_param(params, count, "to")));
    TS_STEP_IF(code, any, divide(&r, ts_answer_param(params, count, "buckets")));
    TS_STEP_IF(code, any && r.span.from < r.span.to, add_samples(&r));
    TS_STEP_IF(code, visitor->header != NULL, visitor->header(visitor->user, names, ROW_COLUMNS));
    TS_STEP_IF(code, any, put_rows(&r, visitor));
    ts_select_free(r.ctx, &r.select);
    ts_free(r.ctx, r.all);
    return code;
}

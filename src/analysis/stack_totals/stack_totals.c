/*
 * Self and total samples of each method on each thread (table stack_total).
 *
 * Samples are added up by source, thread, event and call path first (model/path_sums.h). Then the
 * numbers of each group (source, thread, event) go from the paths to their callers: a path is done
 * when all paths below it that have samples are. A method counts in full at the outermost path of
 * it only, so that recursion counts once.
 *
 * Memory: 62 bytes a call path, 70 a method, 40 to 96 a (group, path) with samples. Time: linear.
 */
#include "analysis/analysis.h"

#include "base/alloc.h"
#include "model/path_sums.h"

/* Numbers of samples and their time. */
typedef struct totals {
    ts_wide dur; /* ns */
    int64_t count;
    bool timed; /* a sample has a dur */
} totals;

typedef struct work {
    ts_ctx *ctx;
    const ts_paths *paths;
    ts_path_sums *sums; /* a lane is a group */
    uint32_t *first;    /* by group: the place of its first sum in `order`, and of the one after */
    uint32_t *order;    /* sums by group, of each in their order */
    /* By call path; the last of `pending`: of roots. */
    uint32_t *pending;
    bool *outermost, *touched;
    totals *below; /* of the group: the path and all below it */
    /* By method; the last: not known. */
    totals *self, *total;
    bool *seen;
    uint32_t *list; /* paths or methods that a group has touched */
    uint32_t list_n;
} work;

static void add(totals *a, const totals *b)
{
    a->dur += b->dur;
    a->count += b->count;
    a->timed = a->timed || b->timed;
}

static uint32_t method_of(const work *w, uint32_t node)
{
    uint32_t method = w->paths->method[node];
    return method == TS_NO_INDEX ? w->paths->methods.count : method;
}

/* --- samples ------------------------------------------------------------------------------- */

enum { SOURCE, THREAD, DUR, NODE, EVENT, SAMPLE_COLUMNS };

static ts_code add_sample(work *w, const ts_batch *b, unsigned i)
{
    ts_cell itid = ts_cell_of(b, THREAD, i);
    ts_cell node = ts_cell_of(b, NODE, i);
    uint32_t place = node.null ? 0 : ts_ids_find(&w->paths->nodes, node.value);
    const ts_sum_lane lane = {
        .source = b->columns[SOURCE].ints[i], .itid = itid.value, .has_itid = !itid.null};
    if (place == TS_NO_INDEX) {
        return ts_rows_changed(w->ctx, "stack_sample");
    }
    return node.null ? TS_OK /* an empty stack */
                     : ts_path_sums_add(w->sums, &lane,
                                        b->columns[EVENT].null[i] != 0 ? TS_TEXT_NULL
                                                                       : ts_cell_text(b, EVENT, i),
                                        place, ts_cell_of(b, DUR, i));
}

static ts_code order_sums(work *w)
{
    const ts_path_sum *sums = w->sums->sums.p;
    const size_t groups = w->sums->lanes.n;
    w->first = ts_zalloc(w->ctx, groups + 2, sizeof *w->first);
    w->order = ts_alloc(w->ctx, w->sums->sums.n, sizeof *w->order);
    if (w->first == NULL || w->order == NULL) {
        return w->ctx->error.code;
    }
    for (size_t i = 0; i < w->sums->sums.n; i++) {
        w->first[sums[i].lane + 2]++;
    }
    for (size_t i = 2; i < groups + 2; i++) {
        w->first[i] += w->first[i - 1];
    }
    for (uint32_t i = 0; i < w->sums->sums.n; i++) { /* the beginning of a group becomes its end */
        w->order[w->first[sums[i].lane + 1]++] = i;
    }
    return TS_OK;
}

static ts_code make_arrays(work *w)
{
    size_t n = w->paths->nodes.count;
    size_t m = (size_t)w->paths->methods.count + 1;
    w->pending = ts_zalloc(w->ctx, n + 1, sizeof *w->pending);
    w->outermost = ts_alloc(w->ctx, n, sizeof *w->outermost);
    w->touched = ts_zalloc(w->ctx, n, sizeof *w->touched);
    w->below = ts_zalloc(w->ctx, n, sizeof *w->below);
    w->list = ts_alloc(w->ctx, n > m ? n : m, sizeof *w->list);
    w->self = ts_zalloc(w->ctx, m, sizeof *w->self);
    w->total = ts_zalloc(w->ctx, m, sizeof *w->total);
    w->seen = ts_zalloc(w->ctx, m, sizeof *w->seen);
    return w->pending == NULL || w->outermost == NULL || w->touched == NULL || w->below == NULL ||
                   w->list == NULL || w->self == NULL || w->total == NULL || w->seen == NULL
               ? w->ctx->error.code
               : TS_OK;
}

static ts_code read_samples(work *w, ts_model *m)
{
    static const unsigned columns[SAMPLE_COLUMNS] = {
        TS_C_stack_sample__source_id, TS_C_stack_sample__itid, TS_C_stack_sample__dur,
        TS_C_stack_sample__node_id, TS_C_stack_sample__event};
    TS_TRY(ts_call_paths(&w->paths, m));
    if (!w->paths->whole) {
        return ts_rows_changed(w->ctx, "stack_node");
    }
    TS_TRY(make_arrays(w));
    TS_NEED(w->ctx, w->sums = ts_zalloc(w->ctx, 1, sizeof *w->sums));
    TS_TRY(ts_path_sums_begin(w->sums, w->ctx, w->paths));
    ts_walk rows = ts_walk_of(*ts_model_rows(m), TS_T_stack_sample, columns, SAMPLE_COLUMNS);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        code = add_sample(w, rows.b, rows.row);
    }
    TS_TRY(code);
    ts_path_sums_end(w->sums);
    TS_TRY(order_sums(w));
    return ts_paths_outermost(w->outermost, w->ctx, w->paths->parent, w->paths->method,
                              w->paths->nodes.count, w->paths->methods.count);
}

/* --- groups -------------------------------------------------------------------------------- */

static uint32_t *pending_above(const work *w, uint32_t node)
{
    uint32_t up = w->paths->parent[node];
    return &w->pending[up == TS_NO_INDEX ? w->paths->nodes.count : up];
}

/* The paths of the group and their callers, and how many of the paths right below each are among
 * them. */
static void touch_paths(work *w, uint32_t group)
{
    const ts_path_sum *sums = w->sums->sums.p;
    w->list_n = 0;
    for (uint32_t i = w->first[group]; i < w->first[group + 1]; i++) {
        const ts_path_sum *sum = &sums[w->order[i]];
        const totals own = {sum->sum, (int64_t)sum->count + sum->other, sum->count > 0};
        for (uint32_t at = sum->node; at != TS_NO_INDEX && !w->touched[at];
             at = w->paths->parent[at]) {
            w->touched[at] = true;
            w->list[w->list_n++] = at;
            (*pending_above(w, at))++;
        }
        add(&w->below[sum->node], &own);
        add(&w->self[method_of(w, sum->node)], &own);
    }
}

/* Numbers go up from paths below which nothing is left. */
static void totals_add_up(work *w)
{
    for (uint32_t i = 0; i < w->list_n; i++) {
        uint32_t at = w->list[i];
        while (at != TS_NO_INDEX && w->touched[at] && w->pending[at] == 0) {
            uint32_t up = w->paths->parent[at];
            if (w->outermost[at]) {
                add(&w->total[method_of(w, at)], &w->below[at]);
            }
            if (up != TS_NO_INDEX) {
                add(&w->below[up], &w->below[at]);
            }
            w->touched[at] = false;
            (*pending_above(w, at))--;
            at = up;
        }
    }
}

/* A sum that is known and fits 64 bits. */
static bool fits(const totals *sum, const totals *total)
{
    return total->timed && sum->dur <= INT64_MAX && sum->dur >= INT64_MIN;
}

static ts_code put_method(work *w, ts_sink *sink, uint32_t group, uint32_t method)
{
    const ts_sum_lane *lane = (const ts_sum_lane *)w->sums->lanes.p + group;
    const totals *self = &w->self[method];
    const totals *total = &w->total[method];
    ts_row_stack_total row = {
        .source_id = lane->source,
        .itid = lane->itid,
        .event =
            lane->event == TS_NO_INDEX ? TS_TEXT_NULL : ts_pool_text(&w->sums->events, lane->event),
        .method_id = method < w->paths->methods.count ? ts_ids_at(&w->paths->methods, method) : 0,
        .self_count = self->count,
        .total_count = total->count,
        .self_dur = (int64_t)self->dur,
        .total_dur = (int64_t)total->dur,
    };
    row.null = (lane->has_itid ? 0 : TS_NULL_BIT(stack_total, itid)) |
               (method < w->paths->methods.count ? 0 : TS_NULL_BIT(stack_total, method_id)) |
               (fits(self, total) ? 0 : TS_NULL_BIT(stack_total, self_dur)) |
               (fits(total, total) ? 0 : TS_NULL_BIT(stack_total, total_dur));
    return ts_put_stack_total(sink, &row);
}

/* The methods of the group, in the order in which its samples lead to them; all is zero again. */
static ts_code put_group(work *w, ts_sink *sink, uint32_t group)
{
    ts_code code = TS_OK;
    uint32_t methods = 0;
    for (uint32_t i = 0; i < w->list_n; i++) {
        uint32_t method = method_of(w, w->list[i]);
        w->below[w->list[i]] = (totals){0};
        if (!w->seen[method]) {
            w->seen[method] = true;
            w->list[methods++] = method; /* at most i were written */
        }
    }
    for (uint32_t i = 0; i < methods; i++) {
        uint32_t method = w->list[i];
        TS_STEP(code, put_method(w, sink, group, method));
        w->seen[method] = false;
        w->self[method] = w->total[method] = (totals){0};
    }
    TS_STEP(code, ts_check_cancel(w->ctx));
    return code;
}

static ts_code totals_run(ts_ctx *ctx, ts_reader *reader, ts_store *store)
{
    work w = {.ctx = ctx};
    ts_model *m = NULL;
    ts_code code = ts_model_open(&m, ctx);
    if (code == TS_OK) {
        ts_model_read(m, &(ts_rows_from){.ctx = ctx, .reader = reader});
        code = read_samples(&w, m);
    }
    for (uint32_t i = 0; code == TS_OK && i < w.sums->lanes.n; i++) {
        touch_paths(&w, i);
        totals_add_up(&w);
        code = put_group(&w, ts_store_sink(store), i);
    }
    void *arrays[] = {w.first, w.order, w.pending, w.outermost, w.touched,
                      w.below, w.self,  w.total,   w.seen,      w.list};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        ts_free(ctx, arrays[i]);
    }
    if (w.sums != NULL) {
        ts_path_sums_free(ctx, w.sums);
    }
    ts_model_close(m);
    return code;
}

static const enum ts_table_id needs[] = {TS_T_stack_sample, TS_T_stack_node, TS_TABLE_COUNT};
static const enum ts_table_id writes[] = {TS_T_stack_total, TS_TABLE_COUNT};
static const ts_issue_code issues[] = {TS_ISSUE_COUNT};

const ts_analysis ts_analysis_stack_totals = {
    .name = "stack_totals",
    .title = "self and total samples of each method on each thread",
    .cost = TS_ANALYSIS_ASKED,
    .needs = needs,
    .writes = writes,
    .issues = issues,
    .run = totals_run,
};

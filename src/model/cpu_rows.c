/* Methods by the CPU time that they took, as the rows of cpu_hot_methods. */
#include "model/method_rows.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { ROW_COLUMNS = 7 };

/* Of methods that are one: the recording that they are in. */
typedef struct method_source {
    int64_t id; /* 0: not recorded */
    bool several;
} method_source;

static ts_code find_sources(method_source **out, const ts_method_rows *r)
{
    static const unsigned columns[] = {TS_C_stack_method__source_id};
    ts_walk at = ts_walk_of(*ts_model_rows(r->m), TS_T_stack_method, columns, 1);
    ts_code code = TS_OK;
    TS_NEED(r->ctx, *out = ts_zalloc(r->ctx, (size_t)r->sums.n + 1, sizeof **out));
    for (uint32_t i = 0; ts_walk_next(&code, &at); i++) {
        if (i < r->sums.n && !ts_walk_null(&at, 0)) {
            method_source *source = &(*out)[r->one[i]];
            int64_t id = ts_walk_int(&at, 0);
            source->several = source->several || (source->id != 0 && source->id != id);
            source->id = id;
        }
    }
    return code;
}

static bool is_shown(const ts_method_rows *r, uint32_t method)
{
    return method != r->sums.n && r->sums.total[method] > 0 &&
           r->calls.paths->idle[method] != TS_ROOT;
}

static int compare_texts(const void *a, const void *b)
{
    const ts_text *x = a;
    const ts_text *y = b;
    int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
    return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

/* "cpu of cpu,cpu of wall": what was counted. */
static ts_code put_counted(ts_buf *out, ts_ctx *ctx, const ts_pool *events, bool one_event)
{
    ts_code code = TS_OK;
    ts_text *sorted = ts_alloc(ctx, (size_t)events->count + 1, sizeof *sorted);
    TS_NEED(ctx, sorted);
    for (uint32_t i = 0; i < events->count; i++) {
        sorted[i] = ts_pool_text(events, i);
    }
    qsort(sorted, events->count, sizeof *sorted, compare_texts);
    for (uint32_t i = 0; code == TS_OK && i < events->count; i++) {
        code = ts_buf_printf(ctx, out, "%s%s", i > 0 ? "," : "", one_event ? "" : "cpu of ");
        TS_STEP(code, ts_buf_put(ctx, out, sorted[i].p, sorted[i].n));
    }
    ts_free(ctx, sorted);
    return code;
}

static ts_code put_rows(const ts_method_rows *r, const method_source *sources, ts_text counted,
                        const ts_rows_visitor *visitor)
{
    ts_answer_row row = {.ctx = r->ctx};
    ts_code code = TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < r->n; i++) {
        uint32_t at = r->places[i];
        const ts_method_name *name = &r->names[at];
        ts_answer_begin(&row);
        ts_answer_int(&row, !sources[at].several && sources[at].id != 0, sources[at].id);
        ts_answer_text(&row, ts_method_rows_text(r, name->label));
        ts_answer_text(&row, ts_method_rows_text(r, name->file));
        ts_answer_int(&row, name->own_line != INT64_MAX, name->own_line);
        ts_answer_text(&row, counted);
        ts_answer_wide(&row, r->sums.self[at]);
        ts_answer_wide(&row, r->sums.total[at]);
        code = ts_answer_put(&row, visitor);
    }
    ts_buf_free(r->ctx, &row.text);
    return code;
}

static ts_code find_rows(ts_method_rows *r, const ts_param *params, size_t count)
{
    TS_TRY(ts_method_rows_merge(r, params, count));
    TS_TRY(ts_method_sums_make(&r->sums, r->ctx, r->calls.paths, r->one,
                               &ts_method_rows_weight(r)->of));
    TS_TRY(ts_method_rows_choose(r, params, count, is_shown));
    return ts_method_rows_names(r);
}

ts_code ts_answer_cpu_methods(ts_model *m, const ts_param *params, size_t count,
                              const ts_rows_visitor *visitor)
{
    static const char *const names[ROW_COLUMNS] = {"source_id", "method",  "file",    "line",
                                                   "counted",   "self_ns", "total_ns"};
    ts_method_rows r = {.m = m, .ctx = ts_model_ctx(m)};
    const char *event = ts_answer_param(params, count, "event");
    ts_pool events = {0};
    const ts_weigh_asked asked = {.event = event,
                                  .weight = event == NULL ? "cpu/ns" : "dur",
                                  .samples = true,
                                  .events = &events};
    method_source *sources = NULL;
    ts_buf counted = {0};
    ts_code code = ts_method_rows_ask(&r, params, count, &asked);
    TS_STEP_IF(code, !r.nothing, find_rows(&r, params, count));
    TS_STEP_IF(code, !r.nothing, find_sources(&sources, &r));
    TS_STEP(code, put_counted(&counted, r.ctx, &events, event != NULL));
    TS_STEP_IF(code, visitor->header != NULL, visitor->header(visitor->user, names, ROW_COLUMNS));
    TS_STEP(code, put_rows(&r, sources, events.count == 0 ? TS_TEXT_NULL : ts_buf_text(&counted),
                           visitor));
    ts_method_rows_free(&r);
    ts_pool_free(r.ctx, &events);
    ts_buf_free(r.ctx, &counted);
    ts_free(r.ctx, sources);
    return code;
}

/* Functions by what they allocated, as the rows of the question alloc_hot_methods. */
#include "model/method_rows.h"

#include <stdlib.h>

enum { ROW_COLUMNS = 8 };

static const char alloc_value[] = "alloc_space";

/* Whether a source that is wanted has sampled allocations. */
static ts_code has_allocations(bool *out, ts_model *m, const char *source)
{
    const ts_wanted wanted = {.source = source};
    ts_events *events = NULL;
    ts_select select;
    ts_code code = ts_select_make(&select, m, &wanted);
    TS_STEP(code, ts_events_get(&events, m));
    const ts_value_type *kinds = code == TS_OK ? events->kinds.p : NULL;
    *out = false;
    for (size_t id = 0; code == TS_OK && id < events->kinds.n; id++) {
        *out = *out || (kinds[id].source_id != 0 && ts_text_is(kinds[id].name, alloc_value) &&
                        ts_idset_has(&select.sources, kinds[id].source_id));
    }
    ts_select_free(ts_model_ctx(m), &select);
    return code;
}

static bool is_shown(const ts_method_rows *r, uint32_t method)
{
    return r->sums.total[method] != 0 && (method == r->sums.n || r->calls.paths->idle[method] == 0);
}

/* --- the line that allocated most --------------------------------------------------------------
 */

typedef struct line_sum {
    uint32_t method;
    int32_t line;
    ts_wide sum;
} line_sum;

static int compare_lines(const void *a, const void *b)
{
    const line_sum *x = a;
    const line_sum *y = b;
    return x->method != y->method ? (x->method > y->method) - (x->method < y->method)
                                  : (x->line > y->line) - (x->line < y->line);
}

/* Of methods that are shown and have no line: what each of their lines allocated. */
static ts_code line_sums(ts_vec *out, const ts_method_rows *r)
{
    const ts_paths *paths = r->calls.paths;
    const ts_path_weights *w = &ts_method_rows_weight(r)->of;
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t method = paths->method[i] == TS_NO_INDEX ? r->sums.n : r->one[paths->method[i]];
        const ts_method_name *name = &r->names[method];
        const line_sum sum = {method, paths->line[i], w->self[i]};
        if (w->count[i] > 0 && method != r->sums.n && name->shown && name->line != name->to_line &&
            paths->line[i] != TS_PATH_NO_LINE) {
            TS_TRY(ts_vec_push(r->ctx, out, &sum, sizeof sum));
        }
    }
    if (out->n > 1) {
        qsort(out->p, out->n, sizeof(line_sum), compare_lines);
    }
    return TS_OK;
}

static size_t first_of(const ts_vec *lines, uint32_t method)
{
    const line_sum *sums = lines->p;
    size_t low = 0;
    size_t high = lines->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sums[middle].method < method) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The least of those with most. */
static bool best_line(int64_t *line, const ts_vec *lines, uint32_t method)
{
    const line_sum *sums = lines->p;
    bool any = false;
    ts_wide most = 0;
    size_t end;
    for (size_t i = first_of(lines, method); i < lines->n && sums[i].method == method; i = end) {
        ts_wide sum = 0;
        for (end = i; end < lines->n && compare_lines(&sums[end], &sums[i]) == 0; end++) {
            sum += sums[end].sum;
        }
        if (!any || sum > most) {
            most = sum;
            *line = sums[i].line;
            any = true;
        }
    }
    return any;
}

/* --- rows --------------------------------------------------------------------------------------
 */

static ts_code put_rows(const ts_method_rows *r, const ts_vec *lines,
                        const ts_rows_visitor *visitor)
{
    ts_answer_row row = {.ctx = r->ctx};
    ts_code code = TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < r->n; i++) {
        uint32_t at = r->places[i];
        bool known = at != r->sums.n;
        const ts_method_name *name = &r->names[at];
        int64_t first;
        int64_t sources = ts_method_rows_sources(&first, r, at);
        int64_t line = name->line;
        bool has_line = known && (name->line == name->to_line || best_line(&line, lines, at));
        ts_answer_begin(&row);
        ts_answer_text(&row,
                       known ? ts_method_rows_text(r, name->label) : TS_TEXT_LIT("(unknown)"));
        ts_answer_text(&row, known ? ts_method_rows_text(r, name->file) : TS_TEXT_NULL);
        ts_answer_int(&row, has_line, line);
        ts_answer_wide(&row, r->sums.self[at]);
        ts_answer_wide(&row, r->sums.total[at]);
        ts_answer_percent(&row, r->sums.self[at], r->all);
        ts_answer_int(&row, true, sources);
        ts_answer_int(&row, sources == 1, first);
        code = ts_answer_put(&row, visitor);
    }
    ts_buf_free(r->ctx, &row.text);
    return code;
}

static ts_code find_rows(ts_method_rows *r, ts_vec *lines, const ts_param *params, size_t count)
{
    TS_TRY(ts_method_rows_weigh(r, params, count, alloc_value));
    const ts_path_weights *w = &ts_method_rows_weight(r)->of;
    r->by_first = true;
    r->all = w->no_stack;
    for (uint32_t i = 0; i < w->n; i++) {
        r->all += w->self[i];
    }
    TS_TRY(ts_method_rows_add(r));
    TS_TRY(ts_method_rows_choose(r, params, count, is_shown));
    TS_TRY(ts_method_rows_names(r));
    return line_sums(lines, r);
}

ts_code ts_answer_allocations(ts_model *m, const ts_param *params, size_t count,
                              const ts_rows_visitor *visitor)
{
    static const char *const names[ROW_COLUMNS] = {"method", "file",    "line",    "self_bytes",
                                                   "bytes",  "percent", "sources", "source_id"};
    ts_method_rows r = {.m = m, .ctx = ts_model_ctx(m)};
    ts_vec lines = {0};
    bool any = false;
    ts_code code = has_allocations(&any, m, ts_answer_param(params, count, "source"));
    TS_STEP_IF(code, any, find_rows(&r, &lines, params, count));
    TS_STEP_IF(code, visitor->header != NULL, visitor->header(visitor->user, names, ROW_COLUMNS));
    TS_STEP(code, put_rows(&r, &lines, visitor));
    ts_vec_free(r.ctx, &lines);
    ts_method_rows_free(&r);
    return code;
}

/* What methods weigh, as the rows of the question hot_methods. */
#include "model/method_rows.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { ROW_COLUMNS = 10, ROWS_USUAL = 30 };

void ts_method_rows_free(ts_method_rows *r)
{
    ts_method_sums_free(r->ctx, &r->sums);
    ts_vec_free(r->ctx, &r->found);
    ts_free(r->ctx, r->places);
    ts_free(r->ctx, r->names);
    ts_free(r->ctx, r->weighed);
    ts_pool_free(r->ctx, &r->texts);
    ts_calls_free(&r->calls);
}

/* What has no weight above zero is not there, as in statements; what is left is added up. */
static void leave_out(ts_method_rows *r)
{
    ts_path_weights *w = &r->calls.weights[r->calls.chosen].of;
    r->all = w->no_stack > 0 ? w->no_stack : 0;
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->self[i] <= 0) {
            w->self[i] = 0;
            w->count[i] = 0;
        }
        r->all += w->self[i];
    }
}

static ts_code weigh(ts_method_rows *r, const ts_param *params, size_t count,
                     const ts_weigh_asked *asked)
{
    const ts_wanted wanted = {.source = ts_answer_param(params, count, "source"),
                              .thread = ts_answer_param(params, count, "thread"),
                              .from = ts_answer_param(params, count, "from"),
                              .until = ts_answer_param(params, count, "to"),
                              .label = ts_answer_param(params, count, "label")};
    ts_select select;
    ts_code code = ts_select_make(&select, r->m, &wanted);
    if (code == TS_OK) {
        code = ts_calls_weigh(&r->calls, r->m, &select, asked);
        r->nothing = code == TS_ERR_USAGE && asked->weight != NULL;
    }
    ts_select_free(r->ctx, &select);
    return code;
}

ts_code ts_method_rows_merge(ts_method_rows *r, const ts_param *params, size_t count)
{
    const char *by = ts_answer_param(params, count, "by");
    return ts_methods_one(&r->one, r->m, r->calls.paths, by != NULL && strcmp(by, "source") == 0);
}

ts_code ts_method_rows_weigh(ts_method_rows *r, const ts_param *params, size_t count,
                             const char *weight)
{
    const ts_weigh_asked asked = {
        .weight = weight, .samples = true, .calls = weight == NULL, .valueless = true};
    TS_TRY(weigh(r, params, count, &asked));
    return ts_method_rows_merge(r, params, count);
}

/* Call paths that have a weight, or are on the way to one. */
static ts_code mark_weighed(ts_method_rows *r)
{
    const ts_paths *paths = r->calls.paths;
    const ts_path_weights *w = &ts_method_rows_weight(r)->of;
    TS_NEED(r->ctx, r->weighed = ts_zalloc(r->ctx, (size_t)w->n + 1, 1));
    for (uint32_t i = w->n; i-- > 0;) {
        r->weighed[i] = r->weighed[i] || w->count[i] > 0;
        if (r->weighed[i] && paths->parent[i] != TS_NO_INDEX) {
            r->weighed[paths->parent[i]] = 1;
        }
    }
    return TS_OK;
}

ts_code ts_method_rows_ask(ts_method_rows *r, const ts_param *params, size_t count,
                           const ts_weigh_asked *asked)
{
    ts_code code = weigh(r, params, count, asked);
    if (r->nothing) {
        r->ctx->error = (ts_error){0};
        return TS_OK;
    }
    TS_TRY(code);
    leave_out(r);
    return mark_weighed(r);
}

/* --- the sources of methods ------------------------------------------------------------------- */

static int compare_found(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sources are few, and paths of one follow each other: a pair is put when it is not that before. */
static ts_code find_sources(ts_method_rows *r)
{
    static const unsigned columns[] = {TS_C_stack_node__source_id};
    const ts_paths *paths = r->calls.paths;
    uint32_t *last = ts_zalloc(r->ctx, (size_t)r->sums.n + 1, sizeof *last);
    ts_code code = last == NULL ? r->ctx->error.code : mark_weighed(r);
    ts_walk at = ts_walk_of(*ts_model_rows(r->m), TS_T_stack_node, columns, 1);
    for (uint32_t i = 0; ts_walk_next(&code, &at); i++) {
        if (i < paths->nodes.count && r->weighed[i] && !ts_walk_null(&at, 0)) {
            uint32_t method =
                paths->method[i] == TS_NO_INDEX ? r->sums.n : r->one[paths->method[i]];
            uint32_t source = (uint32_t)ts_walk_int(&at, 0);
            const uint64_t pair = (uint64_t)method << 32 | source;
            if (last[method] != source + 1) {
                last[method] = source + 1;
                code = ts_vec_push(r->ctx, &r->found, &pair, sizeof pair);
            }
        }
    }
    if (code == TS_OK && r->found.n > 1) {
        qsort(r->found.p, r->found.n, sizeof(uint64_t), compare_found);
    }
    ts_free(r->ctx, last);
    return code;
}

ts_code ts_method_rows_add(ts_method_rows *r)
{
    TS_TRY(ts_method_sums_make(&r->sums, r->ctx, r->calls.paths, r->one,
                               &ts_method_rows_weight(r)->of));
    return find_sources(r);
}

int64_t ts_method_rows_sources(int64_t *first, const ts_method_rows *r, uint32_t method)
{
    const uint64_t *found = r->found.p;
    size_t low = 0;
    size_t high = r->found.n;
    int64_t n = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (found[middle] >> 32 < method) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (size_t i = low; i < r->found.n && found[i] >> 32 == method; i++) {
        n += i == low || found[i] != found[i - 1];
    }
    *first = n == 0 ? -1 : (int64_t)(uint32_t)found[low];
    return n;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The heaviest first; what has no method is before others that are equal. */
static bool comes_before(const ts_method_rows *r, uint32_t a, uint32_t b)
{
    const ts_method_sums *s = &r->sums;
    int64_t first[2] = {0, 0};
    if (s->self[a] != s->self[b]) {
        return s->self[a] > s->self[b];
    }
    if (s->total[a] != s->total[b]) {
        return s->total[a] > s->total[b];
    }
    if (r->by_first) {
        (void)ts_method_rows_sources(&first[0], r, a);
        (void)ts_method_rows_sources(&first[1], r, b);
    }
    if (first[0] != first[1]) {
        return first[0] < first[1];
    }
    return a == s->n || (b != s->n && a < b);
}

static void sift(uint32_t *heap, size_t n, size_t at, const ts_method_rows *r)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n) {
            return;
        }
        child += child + 1 < n && comes_before(r, heap[child], heap[child + 1]) ? 1 : 0;
        if (!comes_before(r, heap[at], heap[child])) {
            return;
        }
        uint32_t swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

/* A heap has the last on top, so that it ends as what comes first. */
static void sort_places(uint32_t *places, size_t n, const ts_method_rows *r)
{
    for (size_t i = n / 2; i-- > 0;) {
        sift(places, n, i, r);
    }
    for (size_t end = n; end-- > 1;) {
        uint32_t swap = places[0];
        places[0] = places[end];
        places[end] = swap;
        sift(places, end, 0, r);
    }
}

ts_code ts_method_rows_choose(ts_method_rows *r, const ts_param *params, size_t count,
                              bool (*wants)(const ts_method_rows *r, uint32_t method))
{
    TS_NEED(r->ctx, r->places = ts_alloc(r->ctx, (size_t)r->sums.n + 1, sizeof *r->places));
    for (uint32_t i = 0; i <= r->sums.n; i++) {
        if (r->sums.seen[i] && wants(r, i)) {
            r->places[r->n++] = i;
        }
    }
    sort_places(r->places, r->n, r);
    r->n = ts_answer_limit(params, count, ROWS_USUAL, r->n);
    return TS_OK;
}

static ts_code put_label(ts_buf *out, ts_ctx *ctx, const ts_walk *at)
{
    ts_text name = ts_walk_text(at, 2);
    out->n = 0;
    for (unsigned i = 0; i < 2; i++) { /* package, class */
        ts_text text = ts_walk_text(at, i);
        if (text.n > 0) {
            TS_TRY(ts_buf_put(ctx, out, text.p, text.n));
            TS_TRY(ts_buf_putc(ctx, out, '.'));
        }
    }
    name = name.n > 0 ? name : TS_TEXT_LIT("(anonymous)");
    return ts_buf_put(ctx, out, name.p, name.n);
}

static ts_code put_name(ts_method_rows *r, ts_method_name *name, ts_buf *label, const ts_walk *at)
{
    ts_text file = ts_walk_text(at, 3);
    TS_TRY(put_label(label, r->ctx, at));
    TS_TRY(ts_pool_intern(r->ctx, &name->label, NULL, &r->texts, ts_buf_text(label)));
    name->label++;
    name->source_id = ts_walk_int_or(at, 5, INT64_MIN);
    name->own_line = ts_walk_int_or(at, 4, INT64_MAX);
    if (!ts_walk_null(at, 3)) {
        TS_TRY(ts_pool_intern(r->ctx, &name->file, NULL, &r->texts, file));
        name->file++;
    }
    return TS_OK;
}

/* Methods that have call paths with a weight. */
static ts_code used_methods(uint8_t **out, const ts_method_rows *r)
{
    const ts_paths *paths = r->calls.paths;
    TS_NEED(r->ctx, *out = ts_zalloc(r->ctx, (size_t)r->sums.n + 1, 1));
    for (uint32_t i = 0; i < paths->nodes.count; i++) {
        if (r->weighed[i] && paths->method[i] != TS_NO_INDEX) {
            (*out)[paths->method[i]] = 1;
        }
    }
    return TS_OK;
}

ts_code ts_method_rows_names(ts_method_rows *r)
{
    static const unsigned columns[] = {TS_C_stack_method__package, TS_C_stack_method__class,
                                       TS_C_stack_method__name,    TS_C_stack_method__file,
                                       TS_C_stack_method__line,    TS_C_stack_method__source_id};
    ts_buf label = {0};
    uint8_t *used;
    TS_NEED(r->ctx, r->names = ts_zalloc(r->ctx, (size_t)r->sums.n + 1, sizeof *r->names));
    for (uint32_t i = 0; i < r->n; i++) {
        r->names[r->places[i]] =
            (ts_method_name){.shown = true, .line = INT64_MAX, .to_line = INT64_MIN};
    }
    ts_code code = used_methods(&used, r);
    ts_walk at = ts_walk_of(*ts_model_rows(r->m), TS_T_stack_method, columns, 6);
    for (uint32_t i = 0; ts_walk_next(&code, &at); i++) {
        ts_method_name *name = i < r->sums.n ? &r->names[r->one[i]] : NULL;
        if (name == NULL || !name->shown) {
            continue;
        }
        if (r->one[i] == i) {
            code = put_name(r, name, &label, &at);
        }
        if (used[i] && !ts_walk_null(&at, 4)) {
            int64_t line = ts_walk_int(&at, 4);
            name->line = line < name->line ? line : name->line;
            name->to_line = line > name->to_line ? line : name->to_line;
        }
    }
    ts_free(r->ctx, used);
    ts_buf_free(r->ctx, &label);
    return code;
}

/* --- hot_methods ------------------------------------------------------------------------------ */

static bool is_shown(const ts_method_rows *r, uint32_t method)
{
    unsigned idle = method == r->sums.n ? 0 : r->calls.paths->idle[method];
    return idle != TS_ROOT &&
           (idle != TS_IDLE || ts_method_rows_weight(r)->what.class == TS_CLASS_waiting);
}

/* How the statement calls the weight: by its class, a kind of value that a profile means to show,
 * or that is of no class, by its name. */
static ts_text weight_name(const ts_weight *w)
{
    bool named = w->kind == TS_WEIGHT_VALUE && (w->usual || w->what.class == TS_CLASS_other);
    if (w->kind == TS_WEIGHT_ASYNC) {
        return ts_text_of(ts_event_class_name(TS_CLASS_other));
    }
    return (w->kind == TS_WEIGHT_VALUE && !named) || w->kind == TS_WEIGHT_CLASS
               ? ts_text_of(ts_event_class_name(w->what.class))
               : w->name;
}

static ts_code put_rows(ts_method_rows *r, const ts_rows_visitor *visitor)
{
    const ts_weight *w = ts_method_rows_weight(r);
    ts_answer_row row = {.ctx = r->ctx};
    ts_code code = TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < r->n; i++) {
        uint32_t at = r->places[i];
        bool known = at != r->sums.n;
        const ts_method_name *name = &r->names[at];
        int64_t first;
        int64_t sources = ts_method_rows_sources(&first, r, at);
        ts_answer_begin(&row);
        ts_answer_text(&row,
                       known ? ts_method_rows_text(r, name->label) : TS_TEXT_LIT("(anonymous)"));
        ts_answer_wide(&row, r->sums.self[at]);
        ts_answer_wide(&row, r->sums.total[at]);
        ts_answer_int(&row, true, (int64_t)r->sums.count[at]);
        ts_answer_int(&row, true, (int64_t)r->sums.all[at]);
        ts_answer_text(&row, weight_name(w));
        ts_answer_text(&row, w->unit.n == 0 ? TS_TEXT_NULL : w->unit);
        ts_answer_wide(&row, r->all);
        ts_answer_int(&row, true, sources);
        ts_answer_int(&row, known && sources == 1 && name->source_id != INT64_MIN, name->source_id);
        code = ts_answer_put(&row, visitor);
    }
    ts_buf_free(r->ctx, &row.text);
    return code;
}

ts_code ts_answer_methods(ts_model *m, const ts_param *params, size_t count,
                          const ts_rows_visitor *visitor)
{
    static const char *const names[ROW_COLUMNS] = {"method",  "self",     "total", "self_samples",
                                                   "samples", "weight",   "unit",  "all",
                                                   "sources", "source_id"};
    ts_method_rows r = {.m = m, .ctx = ts_model_ctx(m)};
    ts_code code = ts_method_rows_weigh(&r, params, count, NULL);
    if (code == TS_OK) {
        leave_out(&r);
        code = ts_method_rows_add(&r);
    }
    TS_STEP(code, ts_method_rows_choose(&r, params, count, is_shown));
    TS_STEP(code, ts_method_rows_names(&r));
    TS_STEP_IF(code, visitor->header != NULL, visitor->header(visitor->user, names, ROW_COLUMNS));
    TS_STEP(code, put_rows(&r, visitor));
    ts_method_rows_free(&r);
    return code;
}

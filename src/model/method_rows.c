/* What methods weigh, as the rows of the question hot_methods. */
#include "model/answer_rows.h"
#include "model/call_stacks.h"
#include "model/stack_methods.h"
#include "model/stack_tree.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { ROW_COLUMNS = 10, ROWS_USUAL = 30 };

typedef struct method_rows {
    ts_model *m;
    ts_ctx *ctx;
    ts_calls calls;
    const uint32_t *one;
    ts_method_sums sums;
    ts_vec found;     /* uint64_t: place of a method, and source, of call paths with a weight */
    uint32_t *places; /* of methods, as they are shown */
    uint32_t n;
    uint32_t *names;    /* by place of a method: its name in `texts` + 1; 0: not wanted */
    int64_t *source_of; /* by the same */
    ts_pool texts;
    ts_wide all;
} method_rows;

static void rows_free(method_rows *r)
{
    ts_method_sums_free(r->ctx, &r->sums);
    ts_vec_free(r->ctx, &r->found);
    ts_free(r->ctx, r->places);
    ts_free(r->ctx, r->names);
    ts_free(r->ctx, r->source_of);
    ts_pool_free(r->ctx, &r->texts);
    ts_calls_free(&r->calls);
}

static const ts_weight *chosen(const method_rows *r)
{
    return &r->calls.weights[r->calls.chosen];
}

/* What has no weight above zero is not there, as in the statement; what is left is added up. */
static void leave_out(method_rows *r)
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

static ts_code weigh(method_rows *r, const ts_param *params, size_t count)
{
    static const ts_weigh_asked asked = {.samples = true, .calls = true, .valueless = true};
    const ts_wanted wanted = {.source = ts_answer_param(params, count, "source"),
                              .thread = ts_answer_param(params, count, "thread")};
    const char *by = ts_answer_param(params, count, "by");
    ts_select select;
    ts_code code = ts_select_make(&select, r->m, &wanted);
    TS_STEP(code, ts_calls_weigh(&r->calls, r->m, &select, &asked));
    ts_select_free(r->ctx, &select);
    TS_TRY(code);
    leave_out(r);
    TS_TRY(ts_methods_one(&r->one, r->m, r->calls.paths, by != NULL && strcmp(by, "source") == 0));
    return ts_method_sums_make(&r->sums, r->ctx, r->calls.paths, r->one, &chosen(r)->of);
}

/* --- the sources of methods ------------------------------------------------------------------- */

static int compare_found(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Whether a path has a weight, or is on the way to one. */
static ts_code mark_weighed(uint8_t **out, const method_rows *r)
{
    const ts_paths *paths = r->calls.paths;
    const ts_path_weights *w = &chosen(r)->of;
    uint8_t *weighed = ts_zalloc(r->ctx, (size_t)w->n + 1, 1);
    *out = weighed;
    TS_NEED(r->ctx, weighed);
    for (uint32_t i = w->n; i-- > 0;) {
        weighed[i] = weighed[i] || w->count[i] > 0;
        if (weighed[i] && paths->parent[i] != TS_NO_INDEX) {
            weighed[paths->parent[i]] = 1;
        }
    }
    return TS_OK;
}

/* Sources are few, and paths of one follow each other: a pair is put when it is not that before. */
static ts_code find_sources(method_rows *r)
{
    static const unsigned columns[] = {TS_C_stack_node__source_id};
    const ts_paths *paths = r->calls.paths;
    uint8_t *weighed = NULL;
    uint32_t *last = ts_zalloc(r->ctx, (size_t)r->sums.n + 1, sizeof *last);
    ts_code code = last == NULL ? r->ctx->error.code : mark_weighed(&weighed, r);
    ts_walk at = ts_walk_of(*ts_model_rows(r->m), TS_T_stack_node, columns, 1);
    for (uint32_t i = 0; ts_walk_next(&code, &at); i++) {
        if (i < paths->nodes.count && weighed[i] && !ts_walk_null(&at, 0)) {
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
    ts_free(r->ctx, weighed);
    ts_free(r->ctx, last);
    return code;
}

static int64_t count_sources(const method_rows *r, uint32_t method)
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
    return n;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The heaviest first; what has no method is before others that are equal. */
static bool comes_before(const ts_method_sums *s, uint32_t a, uint32_t b)
{
    if (s->self[a] != s->self[b]) {
        return s->self[a] > s->self[b];
    }
    if (s->total[a] != s->total[b]) {
        return s->total[a] > s->total[b];
    }
    return a == s->n || (b != s->n && a < b);
}

static void sift(uint32_t *heap, size_t n, size_t at, const ts_method_sums *s)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n) {
            return;
        }
        child += child + 1 < n && comes_before(s, heap[child], heap[child + 1]) ? 1 : 0;
        if (!comes_before(s, heap[at], heap[child])) {
            return;
        }
        uint32_t swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

/* A heap has the last on top, so that it ends as what comes first. */
static void sort_places(uint32_t *places, size_t n, const ts_method_sums *s)
{
    for (size_t i = n / 2; i-- > 0;) {
        sift(places, n, i, s);
    }
    for (size_t end = n; end-- > 1;) {
        uint32_t swap = places[0];
        places[0] = places[end];
        places[end] = swap;
        sift(places, end, 0, s);
    }
}

static ts_code choose_rows(method_rows *r, const char *limit)
{
    const ts_paths *paths = r->calls.paths;
    const ts_weight *w = chosen(r);
    bool waiting = w->what.class == TS_CLASS_waiting;
    int64_t most = limit == NULL ? ROWS_USUAL : (int64_t)strtod(limit, NULL);
    TS_NEED(r->ctx, r->places = ts_alloc(r->ctx, (size_t)r->sums.n + 1, sizeof *r->places));
    for (uint32_t i = 0; i <= r->sums.n; i++) {
        unsigned idle = i == r->sums.n ? 0 : paths->idle[i];
        if (r->sums.seen[i] && idle != TS_ROOT && (idle != TS_IDLE || waiting)) {
            r->places[r->n++] = i;
        }
    }
    sort_places(r->places, r->n, &r->sums);
    r->n = most >= 0 && most < r->n ? (uint32_t)most : r->n;
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

/* Names and sources of the methods that are shown, in one pass. */
static ts_code read_names(method_rows *r)
{
    static const unsigned columns[] = {TS_C_stack_method__package, TS_C_stack_method__class,
                                       TS_C_stack_method__name, TS_C_stack_method__source_id};
    size_t n = (size_t)r->sums.n + 1;
    ts_buf label = {0};
    TS_NEED(r->ctx, r->names = ts_zalloc(r->ctx, n, sizeof *r->names));
    TS_NEED(r->ctx, r->source_of = ts_zalloc(r->ctx, n, sizeof *r->source_of));
    for (uint32_t i = 0; i < r->n; i++) {
        r->names[r->places[i]] = 1;
    }
    ts_code code = TS_OK;
    ts_walk at = ts_walk_of(*ts_model_rows(r->m), TS_T_stack_method, columns, 4);
    for (uint32_t i = 0; ts_walk_next(&code, &at); i++) {
        if (i < r->sums.n && r->names[i] != 0) {
            uint32_t id = 0;
            code = put_label(&label, r->ctx, &at);
            TS_STEP(code, ts_pool_intern(r->ctx, &id, NULL, &r->texts, ts_buf_text(&label)));
            r->names[i] = id + 1;
            r->source_of[i] = ts_walk_int_or(&at, 3, INT64_MIN);
        }
    }
    ts_buf_free(r->ctx, &label);
    return code;
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

static ts_code put_rows(method_rows *r, const ts_rows_visitor *visitor)
{
    const ts_weight *w = chosen(r);
    ts_answer_row row = {.ctx = r->ctx};
    ts_code code = TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < r->n; i++) {
        uint32_t at = r->places[i];
        bool known = at != r->sums.n;
        int64_t sources = count_sources(r, at);
        ts_answer_begin(&row);
        ts_answer_text(&row, known ? ts_pool_text(&r->texts, r->names[at] - 1)
                                   : TS_TEXT_LIT("(anonymous)"));
        ts_answer_wide(&row, r->sums.self[at]);
        ts_answer_wide(&row, r->sums.total[at]);
        ts_answer_int(&row, true, (int64_t)r->sums.count[at]);
        ts_answer_int(&row, true, (int64_t)r->sums.all[at]);
        ts_answer_text(&row, weight_name(w));
        ts_answer_text(&row, w->unit.n == 0 ? TS_TEXT_NULL : w->unit);
        ts_answer_wide(&row, r->all);
        ts_answer_int(&row, true, sources);
        ts_answer_int(&row, known && sources == 1 && r->source_of[at] != INT64_MIN,
                      r->source_of[at]);
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
    method_rows r = {.m = m, .ctx = ts_model_ctx(m)};
    ts_code code = weigh(&r, params, count);
    TS_STEP(code, find_sources(&r));
    TS_STEP(code, choose_rows(&r, ts_answer_param(params, count, "limit")));
    TS_STEP(code, read_names(&r));
    TS_STEP_IF(code, visitor->header != NULL, visitor->header(visitor->user, names, ROW_COLUMNS));
    TS_STEP(code, put_rows(&r, visitor));
    rows_free(&r);
    return code;
}

/* GET methods: what each method weighs, by itself and with what it calls (v_stack_hot_method). */
#include "serve/flame.h"
#include "serve/frame_tree.h"

enum { P_SORT = TS_P_CHOSEN, P_OFFSET, P_LIMIT };

const ts_view_param ts_methods_params[] = {
    TS_CHOSEN_PARAMS,
    {.name = "sort", .type = TS_VIEW_CHOICE, .choices = "self,total", .doc = "largest first"},
    TS_PARAMS_PAGE(10000, 200, "rows"),
    {.name = NULL}};

typedef struct method_sums {
    uint32_t n; /* methods; what has none is number n */
    ts_wide *self;
    ts_wide *total;
    uint64_t *count; /* own rows */
    uint8_t *seen;   /* it is on a call path with rows */
} method_sums;

static void sums_free(ts_ctx *ctx, method_sums *m)
{
    ts_free(ctx, m->self);
    ts_free(ctx, m->total);
    ts_free(ctx, m->count);
    ts_free(ctx, m->seen);
}

/*
 * Only the outermost frame of a method counts for its total. Which frames are: a walk through the
 * tree keeps how many frames of each method are open.
 */
static ts_code sums_outermost(method_sums *m, ts_ctx *ctx, const ts_tree *t)
{
    size_t n = t->n;
    ts_code code = TS_OK;
    uint32_t *first = ts_alloc(ctx, n + 1, sizeof *first);
    uint32_t *next = ts_alloc(ctx, n, sizeof *next);
    uint32_t *open = ts_zalloc(ctx, (size_t)m->n + 1, sizeof *open);
    if (first == NULL || next == NULL || open == NULL) {
        code = ctx->error.code;
        goto out;
    }
    for (size_t i = 0; i <= n; i++) {
        first[i] = TS_NO_INDEX;
    }
    for (uint32_t i = t->n; i-- > 0;) {
        uint32_t above = t->parent[i] == TS_NO_INDEX ? t->n : t->parent[i];
        next[i] = first[above];
        first[above] = i;
    }
    uint32_t at = first[n];
    while (at != TS_NO_INDEX && at != t->n) {
        uint32_t method = t->method[at] == TS_NO_INDEX ? m->n : t->method[at];
        if (open[method]++ == 0 && t->all[at] > 0) {
            m->total[method] += t->total[at];
            m->seen[method] = 1;
        }
        if (first[at] != TS_NO_INDEX) {
            at = first[at];
            continue;
        }
        for (;;) {
            open[t->method[at] == TS_NO_INDEX ? m->n : t->method[at]]--;
            if (next[at] != TS_NO_INDEX || t->parent[at] == TS_NO_INDEX) {
                break;
            }
            at = t->parent[at];
        }
        at = next[at];
    }
out:
    ts_free(ctx, first);
    ts_free(ctx, next);
    ts_free(ctx, open);
    return code;
}

static ts_code sums_make(method_sums *m, ts_ctx *ctx, const ts_paths *paths, const ts_weights *w)
{
    size_t n = (size_t)paths->methods.count + 1;
    ts_tree tree = {.n = w->n,
                    .parent = paths->parent,
                    .method = paths->method,
                    .self = w->self,
                    .count = w->count};
    m->n = paths->methods.count;
    if ((m->self = ts_zalloc(ctx, n, sizeof *m->self)) == NULL ||
        (m->total = ts_zalloc(ctx, n, sizeof *m->total)) == NULL ||
        (m->count = ts_zalloc(ctx, n, sizeof *m->count)) == NULL ||
        (m->seen = ts_zalloc(ctx, n, 1)) == NULL) {
        return ctx->error.code;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t method = paths->method[i] == TS_NO_INDEX ? m->n : paths->method[i];
        m->self[method] += w->self[i];
        m->count[method] += w->count[i];
    }
    ts_code code = ts_tree_totals(&tree, ctx);
    if (code == TS_OK) {
        code = sums_outermost(m, ctx, &tree);
    }
    ts_free(ctx, tree.total);
    ts_free(ctx, tree.all);
    return code;
}

static ts_code methods_put(ts_view_call *call, const method_sums *m, const uint32_t *places,
                           uint32_t n, const ts_paths *paths, const char *unit)
{
    ts_ctx *ctx = ts_view_ctx(call);
    ts_jout *out = call->out;
    const ts_page page = ts_view_page(call, P_OFFSET);
    uint64_t end = page.end < n ? page.end : n;
    bool capped = false;
    ts_method_list list;
    ts_code code = ts_method_list_begin(&list, ctx, paths);
    ts_jout_open(out, NULL, '{');
    ts_jout_str(out, "unit", unit);
    ts_jout_uint(out, "row_count", n);
    ts_jout_open(out, "method", '[');
    for (uint64_t i = page.first; code == TS_OK && i < end; i++) {
        uint32_t *place = places[i] == m->n ? NULL : ts_vec_add(ctx, &list.methods, sizeof *place);
        if (places[i] != m->n && place == NULL) {
            code = ctx->error.code;
        } else if (place != NULL) {
            *place = places[i];
            list.number[places[i]] = (uint32_t)list.methods.n - 1;
        }
        ts_jout_int(out, NULL, place == NULL ? -1 : (int64_t)list.methods.n - 1);
    }
    ts_jout_close(out, ']');
    ts_jout_open(out, "self", '[');
    for (uint64_t i = page.first; i < end; i++) {
        ts_jout_int(out, NULL, ts_wide_cap(m->self[places[i]], &capped));
    }
    ts_jout_close(out, ']');
    ts_jout_open(out, "total", '[');
    for (uint64_t i = page.first; i < end; i++) {
        ts_jout_int(out, NULL, ts_wide_cap(m->total[places[i]], &capped));
    }
    ts_jout_close(out, ']');
    ts_jout_open(out, "count", '[');
    for (uint64_t i = page.first; i < end; i++) {
        ts_jout_uint(out, NULL, m->count[places[i]]);
    }
    ts_jout_close(out, ']');
    ts_jout_bool(out, "capped", capped);
    if (code == TS_OK) {
        code = ts_method_list_write(call, "methods", &list, paths);
    }
    ts_jout_close(out, '}');
    ts_method_list_free(ctx, &list);
    return code;
}

ts_code ts_methods_run(ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    const ts_paths *paths = NULL;
    ts_chosen chosen;
    ts_weights w = {0};
    method_sums m = {0};
    uint32_t *places = NULL;
    uint32_t n = 0;
    ts_code code = ts_chosen_read(&chosen, call);
    if (code == TS_OK) {
        code = ts_paths_get(&paths, call);
    }
    if (code == TS_OK) {
        code = ts_weights_make(&w, call, &chosen, paths);
    }
    if (code == TS_OK) {
        code = sums_make(&m, ctx, paths, &w);
    }
    if (code == TS_OK && (places = ts_alloc(ctx, (size_t)m.n + 1, sizeof *places)) == NULL) {
        code = ctx->error.code;
    }
    if (code == TS_OK) {
        for (uint32_t i = 0; i <= m.n; i++) {
            if (m.seen[i] && m.total[i] != 0 && (i == m.n || paths->idle[i] == 0)) {
                places[n++] = i;
            }
        }
        ts_sort_places(places, n, ts_view_value_of(call, P_SORT)->number == 1 ? m.total : m.self);
        code = methods_put(call, &m, places, n, paths, w.unit);
    }
    ts_free(ctx, places);
    sums_free(ctx, &m);
    ts_weights_free(ctx, &w);
    return code;
}

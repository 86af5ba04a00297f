#include "model/stack_methods.h"

#include "base/alloc.h"
#include "model/stack_tree.h"

void ts_method_sums_free(ts_ctx *ctx, ts_method_sums *m)
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
static ts_code sums_outermost(ts_method_sums *m, ts_ctx *ctx, const ts_tree *t)
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

ts_code ts_method_sums_make(ts_method_sums *m, ts_ctx *ctx, const ts_paths *paths,
                            const ts_path_weights *w)
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
    TS_STEP(code, sums_outermost(m, ctx, &tree));
    ts_free(ctx, tree.total);
    ts_free(ctx, tree.all);
    return code;
}

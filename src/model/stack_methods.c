#include "model/stack_methods.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/pool.h"
#include "model/stack_tree.h"

/* --- methods that are one -------------------------------------------------------------------- */

enum { ONE_TEXTS = 6, ONE_NAME = 3, ONE_LINE = 6, ONE_SOURCE = 7 };

static ts_code one_key(ts_ctx *ctx, ts_buf *key, const ts_batch *b, unsigned row, bool by_source)
{
    const ts_batch_column *c = b->columns;
    int64_t line = c[ONE_NAME].texts[row].size == 0 && !c[ONE_LINE].null[row]
                       ? c[ONE_LINE].ints[row]
                       : INT64_MIN;
    int64_t source = by_source && !c[ONE_SOURCE].null[row] ? c[ONE_SOURCE].ints[row] : INT64_MIN;
    key->n = 0;
    ts_code code = ts_buf_put(ctx, key, &line, sizeof line);
    TS_STEP(code, ts_buf_put(ctx, key, &source, sizeof source));
    for (unsigned i = 0; code == TS_OK && i < ONE_TEXTS; i++) {
        const ts_scan_text *t = &c[i].texts[row];
        code = ts_buf_put(ctx, key, &t->size, sizeof t->size);
        TS_STEP_IF(code, t->n > 0, ts_buf_put(ctx, key, t->p, t->n));
    }
    return code;
}

static void one_free(ts_ctx *ctx, void *what)
{
    ts_free(ctx, what);
}

static ts_code one_build(void **what, ts_model *m, const void *user)
{
    static const unsigned columns[] = {TS_C_stack_method__library,   TS_C_stack_method__package,
                                       TS_C_stack_method__class,     TS_C_stack_method__name,
                                       TS_C_stack_method__signature, TS_C_stack_method__file,
                                       TS_C_stack_method__line,      TS_C_stack_method__source_id};
    const bool *by_source = user;
    ts_ctx *ctx = ts_model_ctx(m);
    const ts_paths *paths;
    const ts_batch *b;
    ts_rows *rows = NULL;
    ts_pool keys = {0};
    ts_vec first = {0}; /* by key: place of the method */
    ts_buf key = {0};
    uint32_t *one = NULL;
    uint32_t n = 0;
    ts_code code = ts_call_paths(&paths, m);
    if (code == TS_OK &&
        (*what = one = ts_alloc(ctx, (size_t)paths->methods.count + 1, sizeof *one)) == NULL) {
        code = ctx->error.code;
    }
    TS_STEP(code, ts_rows_open(&rows, ts_model_rows(m), TS_T_stack_method, columns, 8));
    while (code == TS_OK && (code = ts_rows_next(&b, rows)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; code == TS_OK && i < b->rows && n < paths->methods.count; i++, n++) {
            uint32_t id = 0;
            bool added = false;
            code = one_key(ctx, &key, b, i, *by_source);
            TS_STEP(code, ts_pool_intern(ctx, &id, &added, &keys, ts_buf_text(&key)));
            uint32_t *place =
                code == TS_OK && added ? ts_vec_add(ctx, &first, sizeof *place) : NULL;
            if (place != NULL) {
                *place = n;
            } else if (code == TS_OK && added) {
                code = ctx->error.code;
            }
            if (code == TS_OK) {
                one[n] = ((const uint32_t *)first.p)[id];
            }
        }
    }
    for (; code == TS_OK && n < paths->methods.count; n++) {
        one[n] = n;
    }
    ts_rows_close(rows);
    ts_pool_free(ctx, &keys);
    ts_vec_free(ctx, &first);
    ts_buf_free(ctx, &key);
    return code;
}

ts_code ts_methods_one(const uint32_t **one, ts_model *m, const ts_paths *paths, bool by_source)
{
    void *what;
    *one = paths->one;
    if (paths->one != NULL) {
        return TS_OK;
    }
    ts_code code = ts_model_keep(&what, m, "methods", by_source ? "source" : "", one_build,
                                 one_free, &by_source);
    *one = what;
    return code;
}

/* --- sums ------------------------------------------------------------------------------------ */

void ts_method_sums_free(ts_ctx *ctx, ts_method_sums *m)
{
    ts_free(ctx, m->self);
    ts_free(ctx, m->total);
    ts_free(ctx, m->count);
    ts_free(ctx, m->all);
    ts_free(ctx, m->seen);
}

ts_code ts_method_sums_make(ts_method_sums *m, ts_ctx *ctx, const ts_paths *paths,
                            const uint32_t *one, const ts_path_weights *w)
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
        (m->all = ts_zalloc(ctx, n, sizeof *m->all)) == NULL ||
        (m->seen = ts_zalloc(ctx, n, 1)) == NULL) {
        return ctx->error.code;
    }
    uint32_t *method = ts_alloc(ctx, w->n, sizeof *method);
    bool *outermost = ts_alloc(ctx, w->n, sizeof *outermost);
    ts_code code =
        method == NULL || outermost == NULL ? ctx->error.code : ts_tree_totals(&tree, ctx);
    for (uint32_t i = 0; code == TS_OK && i < w->n; i++) {
        method[i] = paths->method[i] == TS_NO_INDEX ? m->n : one[paths->method[i]];
        m->self[method[i]] += w->self[i];
        m->count[method[i]] += w->count[i];
    }
    TS_STEP(code, ts_paths_outermost(outermost, ctx, tree.parent, method, tree.n, m->n));
    for (uint32_t i = 0; code == TS_OK && i < tree.n; i++) {
        if (outermost[i] && tree.all[i] > 0) {
            m->total[method[i]] += tree.total[i];
            m->all[method[i]] += tree.all[i];
            m->seen[method[i]] = 1;
        }
    }
    ts_free(ctx, method);
    ts_free(ctx, outermost);
    ts_free(ctx, tree.total);
    ts_free(ctx, tree.all);
    return code;
}

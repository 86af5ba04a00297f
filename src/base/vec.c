#include "base/vec.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <string.h>

enum { FIRST_CAP = 16 };

ts_code ts_vec_reserve(ts_ctx *ctx, ts_vec *v, size_t more, size_t size)
{
    size_t need;
    size_t cap;
    void *p;
    if (more <= v->cap - v->n) {
        return TS_OK;
    }
    /* A sum or product that overflows becomes a size that the allocator refuses. */
    if (ts_ckd_add(&need, v->n, more)) {
        need = SIZE_MAX;
    }
    if (ts_ckd_mul(&cap, v->cap, (size_t)2)) {
        cap = need;
    }
    cap = cap < FIRST_CAP ? FIRST_CAP : cap;
    cap = cap < need ? need : cap;
    TS_NEED(ctx, p = ts_realloc(ctx, v->p, cap, size));
    v->p = p;
    v->cap = cap;
    return TS_OK;
}

void *ts_vec_add(ts_ctx *ctx, ts_vec *v, size_t size)
{
    void *element;
    if (v->n == v->cap && ts_vec_reserve(ctx, v, 1, size) != TS_OK) {
        return NULL;
    }
    element = (char *)v->p + v->n * size;
    memset(element, 0, size);
    v->n++;
    return element;
}

ts_code ts_vec_push(ts_ctx *ctx, ts_vec *v, const void *element, size_t size)
{
    void *added;
    TS_NEED(ctx, added = ts_vec_add(ctx, v, size));
    memcpy(added, element, size);
    return TS_OK;
}

void ts_vec_free(ts_ctx *ctx, ts_vec *v)
{
    ts_free(ctx, v->p);
    *v = (ts_vec){0};
}

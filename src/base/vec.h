/*
 * A growing array of elements of one size. Zeroed: empty. The owner of the struct releases it with
 * ts_vec_free. Elements move when it grows: pointers to them are valid until the next addition.
 *
 *     file *f = ts_vec_add(ctx, &files, sizeof *f);   add one, zeroed; NULL: ctx->error
 *     const file *all = files.p;                      all[0] to all[files.n - 1]
 */
#ifndef TS_BASE_VEC_H
#define TS_BASE_VEC_H

#include "base/context.h"

typedef struct ts_vec {
    void *p; /* NULL while cap is 0 */
    size_t n;
    size_t cap;
} ts_vec;

/* Makes room for `more` elements of `size` bytes after the n that there are; the array at least
 * doubles when it grows. All calls for one array must give the same size. On failure (TS_ERR_NOMEM,
 * TS_ERR_LIMIT) the array stays as it was. */
ts_code ts_vec_reserve(ts_ctx *ctx, ts_vec *v, size_t more, size_t size);

/* Adds an element of zeros and returns it; NULL when there is no memory (ctx->error). */
void *ts_vec_add(ts_ctx *ctx, ts_vec *v, size_t size);

/* Adds a copy of an element. */
ts_code ts_vec_push(ts_ctx *ctx, ts_vec *v, const void *element, size_t size);

/* Releases the array; v is empty then. */
void ts_vec_free(ts_ctx *ctx, ts_vec *v);

#endif

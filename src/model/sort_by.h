/* Places of an array in the order of what is there, and texts in the order that SQLite has. */
#ifndef TS_MODEL_SORT_BY_H
#define TS_MODEL_SORT_BY_H

#include "base/context.h"
#include "base/text.h"

/* Sorts places by a comparison (negative: a first), stable. */
ts_code ts_sort_by(ts_ctx *ctx, uint32_t *places, size_t n,
                   int (*compare)(const void *user, uint32_t a, uint32_t b), const void *user);
/* As SQLite compares texts: bytes, then length; NULL first. */
int ts_text_order(ts_text a, ts_text b);

#endif

/*
 * A vector of int64 that uses as little memory as its values need: blocks of 16 384 values, each
 * block stored with 1, 2, 4 or 8 bytes a value and widened when a larger one comes. Never copies
 * more than one block. 12 M node ids below 2^32 take 48 MB.
 */
#ifndef TS_BASE_INTVEC_H
#define TS_BASE_INTVEC_H

#include "base/context.h"

enum { TS_INTVEC_SHIFT = 14, TS_INTVEC_BLOCK = 1 << TS_INTVEC_SHIFT };

typedef struct ts_intvec_block {
    void *p;
    uint8_t width; /* 1, 2, 4 (unsigned) or 8 (signed) */
} ts_intvec_block;

typedef struct ts_intvec {
    ts_intvec_block *blocks;
    size_t block_cap;
    uint64_t n;
} ts_intvec;

/* ts_intvec_push for any value at any place; to be called through that. */
ts_code ts_intvec_push_any(ts_ctx *ctx, ts_intvec *v, int64_t value);

static inline ts_code ts_intvec_push(ts_ctx *ctx, ts_intvec *v, int64_t value)
{
    size_t in = (size_t)(v->n & (TS_INTVEC_BLOCK - 1));
    if (in != 0) {
        const ts_intvec_block *block = &v->blocks[v->n >> TS_INTVEC_SHIFT];
        if (block->width == 4 && (uint64_t)value <= UINT32_MAX) {
            ((uint32_t *)block->p)[in] = (uint32_t)value;
            v->n++;
            return TS_OK;
        }
        if (block->width == 1 && (uint64_t)value <= UINT8_MAX) {
            ((uint8_t *)block->p)[in] = (uint8_t)value;
            v->n++;
            return TS_OK;
        }
    }
    return ts_intvec_push_any(ctx, v, value);
}

/* Appends n values. After a failure it is not known how many of them are there. */
ts_code ts_intvec_push_many(ts_ctx *ctx, ts_intvec *v, const int64_t *values, size_t n);

/* Copies elements first .. first + n - 1, which there are. False: one of them is not from 0 to
 * INT32_MAX, and what is in `out` is not defined. */
bool ts_intvec_read_small(const ts_intvec *v, uint64_t first, uint32_t *out, size_t n);

/* A value of a block. */
static inline int64_t ts_intvec_load(const ts_intvec_block *block, size_t in)
{
    switch (block->width) {
    case 1:
        return ((const uint8_t *)block->p)[in];
    case 2:
        return ((const uint16_t *)block->p)[in];
    case 4:
        return ((const uint32_t *)block->p)[in];
    default:
        return ((const int64_t *)block->p)[in];
    }
}

/* i < n. */
static inline int64_t ts_intvec_get(const ts_intvec *v, uint64_t i)
{
    return ts_intvec_load(&v->blocks[i >> TS_INTVEC_SHIFT], (size_t)(i & (TS_INTVEC_BLOCK - 1)));
}

/* Lets the cache fetch element i, which is going to be read soon; i < n. */
static inline void ts_intvec_prefetch(const ts_intvec *v, uint64_t i)
{
    const ts_intvec_block *block = &v->blocks[i >> TS_INTVEC_SHIFT];
    __builtin_prefetch((const char *)block->p + (size_t)(i & (TS_INTVEC_BLOCK - 1)) * block->width);
}

/*
 * The elements at n places, each below v->n, as far as they fit 32 bits; returns the bits of all of
 * them, which tells whether they do.
 */
int64_t ts_intvec_gather(uint32_t *out, const ts_intvec *v, const uint32_t *at, size_t n);

/* All elements, of which each has to fit 32 bits; false when it is not known that they do. */
bool ts_intvec_copy(uint32_t *out, const ts_intvec *v);

/* Replaces an element; i < n. */
ts_code ts_intvec_set(ts_ctx *ctx, ts_intvec *v, uint64_t i, int64_t value);

/* Drops all after n; n <= v->n. */
void ts_intvec_truncate(ts_ctx *ctx, ts_intvec *v, uint64_t n);
void ts_intvec_free(ts_ctx *ctx, ts_intvec *v);

#endif

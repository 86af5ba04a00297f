#include "base/intvec.h"

#include "base/alloc.h"

#include <string.h>

static uint8_t width_for(int64_t value)
{
    if (value < 0 || value > UINT32_MAX) {
        return 8;
    }
    return value <= UINT8_MAX ? 1 : value <= UINT16_MAX ? 2 : 4;
}

static void store(ts_intvec_block *block, size_t i, int64_t value)
{
    switch (block->width) {
    case 1:
        ((uint8_t *)block->p)[i] = (uint8_t)value;
        break;
    case 2:
        ((uint16_t *)block->p)[i] = (uint16_t)value;
        break;
    case 4:
        ((uint32_t *)block->p)[i] = (uint32_t)value;
        break;
    default:
        ((int64_t *)block->p)[i] = value;
        break;
    }
}

/* Gives the block `width` bytes a value, moving its first `used` values over. */
static ts_code widen(ts_ctx *ctx, ts_intvec_block *block, size_t used, uint8_t width)
{
    ts_intvec_block wide = {ts_alloc(ctx, TS_INTVEC_BLOCK, width), width};
    TS_NEED(ctx, wide.p);
    for (size_t i = 0; i < used; i++) {
        store(&wide, i, ts_intvec_load(block, i));
    }
    ts_free(ctx, block->p);
    *block = wide;
    return TS_OK;
}

static ts_code grow_directory(ts_ctx *ctx, ts_intvec *v)
{
    size_t cap = v->block_cap == 0 ? 16 : v->block_cap * 2;
    ts_intvec_block *blocks = ts_realloc(ctx, v->blocks, cap, sizeof *blocks);
    TS_NEED(ctx, blocks);
    memset(blocks + v->block_cap, 0, (cap - v->block_cap) * sizeof *blocks);
    v->blocks = blocks;
    v->block_cap = cap;
    return TS_OK;
}

/* Room in the block of the next element for values of this width. */
static ts_code make_room(ts_ctx *ctx, ts_intvec *v, uint8_t width)
{
    size_t at = (size_t)(v->n >> TS_INTVEC_SHIFT);
    size_t in = (size_t)(v->n & (TS_INTVEC_BLOCK - 1));
    ts_code code;
    if (at == v->block_cap && (code = grow_directory(ctx, v)) != TS_OK) {
        return code;
    }
    /* A new block starts as wide as the one before it: neighbours are alike, and this saves steps.
     */
    if (in == 0 && at > 0 && v->blocks[at].p == NULL && v->blocks[at - 1].width > width) {
        width = v->blocks[at - 1].width == 8 ? width : v->blocks[at - 1].width;
    }
    return v->blocks[at].width < width ? widen(ctx, &v->blocks[at], in, width) : TS_OK;
}

ts_code ts_intvec_push_any(ts_ctx *ctx, ts_intvec *v, int64_t value)
{
    ts_code code = make_room(ctx, v, width_for(value));
    if (code == TS_OK) {
        store(&v->blocks[v->n >> TS_INTVEC_SHIFT], (size_t)(v->n & (TS_INTVEC_BLOCK - 1)), value);
        v->n++;
    }
    return code;
}

/* --- many at once --------------------------------------------------------------------------- */

/* A number that needs as many bytes as the largest of them does: all their bits. */
static int64_t all_bits(const int64_t *values, size_t n)
{
    int64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        all |= values[i];
    }
    return all;
}

/* The elements from `in` on, of which the block is wide enough for all. */
static void store_many(ts_intvec_block *block, size_t in, const int64_t *values, size_t n)
{
#define STORE(type)                                                                                \
    do {                                                                                           \
        type *out = (type *)block->p + in;                                                         \
        for (size_t i = 0; i < n; i++) {                                                           \
            out[i] = (type)values[i];                                                              \
        }                                                                                          \
    } while (false)
    switch (block->width) {
    case 1:
        STORE(uint8_t);
        break;
    case 2:
        STORE(uint16_t);
        break;
    case 4:
        STORE(uint32_t);
        break;
    default:
        STORE(int64_t);
        break;
    }
#undef STORE
}

ts_code ts_intvec_push_many(ts_ctx *ctx, ts_intvec *v, const int64_t *values, size_t n)
{
    while (n > 0) {
        size_t in = (size_t)(v->n & (TS_INTVEC_BLOCK - 1));
        size_t now = n < TS_INTVEC_BLOCK - in ? n : TS_INTVEC_BLOCK - in;
        TS_TRY(make_room(ctx, v, width_for(all_bits(values, now))));
        store_many(&v->blocks[v->n >> TS_INTVEC_SHIFT], in, values, now);
        v->n += now;
        values += now;
        n -= now;
    }
    return TS_OK;
}

/* The elements of one block. */
static bool load_small(const ts_intvec_block *block, size_t in, uint32_t *out, size_t n)
{
    uint64_t all = 0;
#define LOAD(type)                                                                                 \
    do {                                                                                           \
        const type *from = (const type *)block->p + in;                                            \
        for (size_t i = 0; i < n; i++) {                                                           \
            out[i] = (uint32_t)from[i];                                                            \
            all |= (uint64_t)from[i];                                                              \
        }                                                                                          \
    } while (false)
    switch (block->width) {
    case 1:
        LOAD(uint8_t);
        break;
    case 2:
        LOAD(uint16_t);
        break;
    case 4:
        LOAD(uint32_t);
        break;
    default:
        LOAD(int64_t);
        break;
    }
#undef LOAD
    return all <= INT32_MAX;
}

bool ts_intvec_read_small(const ts_intvec *v, uint64_t first, uint32_t *out, size_t n)
{
    while (n > 0) {
        size_t in = (size_t)(first & (TS_INTVEC_BLOCK - 1));
        size_t now = n < TS_INTVEC_BLOCK - in ? n : TS_INTVEC_BLOCK - in;
        if (!load_small(&v->blocks[first >> TS_INTVEC_SHIFT], in, out, now)) {
            return false;
        }
        first += now;
        out += now;
        n -= now;
    }
    return true;
}

int64_t ts_intvec_gather(uint32_t *out, const ts_intvec *v, const uint32_t *at, size_t n)
{
    int64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        const ts_intvec_block *block = &v->blocks[at[i] >> TS_INTVEC_SHIFT];
        const size_t in = at[i] & (TS_INTVEC_BLOCK - 1);
        const int64_t value =
            block->width == 4 ? ((const uint32_t *)block->p)[in] : ts_intvec_load(block, in);
        out[i] = (uint32_t)value;
        all |= value;
    }
    return all;
}

bool ts_intvec_copy(uint32_t *out, const ts_intvec *v)
{
    for (uint64_t first = 0; first < v->n; first += TS_INTVEC_BLOCK) {
        const ts_intvec_block *block = &v->blocks[first >> TS_INTVEC_SHIFT];
        const size_t n = (size_t)(v->n - first < TS_INTVEC_BLOCK ? v->n - first : TS_INTVEC_BLOCK);
        if (block->width == 8) {
            return false;
        }
        for (size_t i = 0; i < n && block->width != 4; i++) {
            out[first + i] = (uint32_t)ts_intvec_load(block, i);
        }
        if (block->width == 4) {
            memcpy(out + first, block->p, n * sizeof *out);
        }
    }
    return true;
}

/* --- changes -------------------------------------------------------------------------------- */

ts_code ts_intvec_set(ts_ctx *ctx, ts_intvec *v, uint64_t i, int64_t value)
{
    ts_intvec_block *block = &v->blocks[i >> TS_INTVEC_SHIFT];
    uint64_t first = i & ~(uint64_t)(TS_INTVEC_BLOCK - 1);
    uint64_t used = v->n - first < TS_INTVEC_BLOCK ? v->n - first : TS_INTVEC_BLOCK;
    uint8_t width = width_for(value);
    if (block->width < width) {
        TS_TRY(widen(ctx, block, (size_t)used, width));
    }
    store(block, (size_t)(i - first), value);
    return TS_OK;
}

void ts_intvec_truncate(ts_ctx *ctx, ts_intvec *v, uint64_t n)
{
    size_t keep = (size_t)((n + TS_INTVEC_BLOCK - 1) >> TS_INTVEC_SHIFT);
    for (size_t i = keep; i < v->block_cap && v->blocks[i].p != NULL; i++) {
        ts_free(ctx, v->blocks[i].p);
        v->blocks[i] = (ts_intvec_block){NULL, 0};
    }
    v->n = n;
}

void ts_intvec_free(ts_ctx *ctx, ts_intvec *v)
{
    ts_intvec_truncate(ctx, v, 0);
    ts_free(ctx, v->blocks);
    *v = (ts_intvec){NULL, 0, 0};
}

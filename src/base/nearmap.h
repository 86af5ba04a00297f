/*
 * A map from 64-bit numbers that are mostly near to each other, as addresses of objects are, to
 * values of 32 bits, mostly in the same order. The numbers are multiples of a power of two from the
 * least one on: there is a bit for each, in blocks of a line of the processor's cache, of which
 * those without a bit are left out. Where the values of a block follow each other in the order of
 * its numbers, only the first is kept; those of other blocks are in a list.
 *
 * All numbers are given several times, in any order:
 *
 *     ts_nearmap_begin(&fits, m, ctx, &range);     if it does not fit, the caller needs another map
 *     ts_nearmap_room(m, number);                  for each; some may come more than once
 *     ts_nearmap_blocks(&fits, m, ctx);
 *     had = ts_nearmap_set(m, number);             for each
 *     ts_nearmap_count(m);
 *     ts_nearmap_value(m, number, value);          for each once
 *     ts_nearmap_lists(m, ctx);
 *     ts_nearmap_put(m, number, value);            for each once, with the same value
 *
 *     value = ts_nearmap_find(m, number);          as often as wanted
 *
 * Memory: up to `most` bytes for the blocks and as many for their directory; else it does not fit,
 * and nothing is held. 4 bytes for each value that is in a list.
 */
#ifndef TS_BASE_NEARMAP_H
#define TS_BASE_NEARMAP_H

#include "base/context.h"

#define TS_NEARMAP_NONE UINT32_MAX

enum { TS_NEARMAP_WORDS = 6, TS_NEARMAP_BITS = 64 * TS_NEARMAP_WORDS, TS_NEARMAP_SUM = 10 };

#define TS_NEARMAP_VALUED (UINT64_C(1) << 62) /* in sums: `first` is known */
#define TS_NEARMAP_LISTED (UINT64_C(1) << 63)

typedef struct ts_nearmap_block {
    uint64_t words[TS_NEARMAP_WORDS];
    uint64_t sums;   /* TS_NEARMAP_SUM bits a word: bits in the words before it */
    uint32_t first;  /* value of the first number, or where the values are in the list */
    uint32_t number; /* among all blocks */
} ts_nearmap_block;

typedef struct ts_nearmap_range {
    uint64_t least, greatest;
    uint64_t all_bits; /* of the distances to any one of the numbers */
    uint64_t most;     /* bytes */
} ts_nearmap_range;

/* Zeroed: it has nothing. */
typedef struct ts_nearmap {
    uint64_t least, greatest, most;
    unsigned shift;
    uint32_t *directory; /* by number among all blocks: that among those that are kept, and 1 */
    uint64_t directory_n;
    void *memory;
    ts_nearmap_block *blocks; /* in it */
    uint32_t block_n;
    uint32_t *list;
} ts_nearmap;

ts_code ts_nearmap_begin(bool *fits, ts_nearmap *m, ts_ctx *ctx, const ts_nearmap_range *range);
ts_code ts_nearmap_blocks(bool *fits, ts_nearmap *m, ts_ctx *ctx);
void ts_nearmap_count(ts_nearmap *m);
ts_code ts_nearmap_lists(ts_nearmap *m, ts_ctx *ctx);

/* The least number above this one, which is there and not the greatest. */
uint64_t ts_nearmap_next(const ts_nearmap *m, uint64_t number);

void ts_nearmap_free(ts_nearmap *m, ts_ctx *ctx);

static inline bool ts_nearmap_made(const ts_nearmap *m)
{
    return m->blocks != NULL;
}

static inline uint64_t ts_nearmap_bit(const ts_nearmap *m, uint64_t number)
{
    return (number - m->least) >> m->shift;
}

static inline ts_nearmap_block *ts_nearmap_block_of(const ts_nearmap *m, uint64_t bit)
{
    return &m->blocks[m->directory[bit / TS_NEARMAP_BITS] - 1];
}

/* Of a number from the least to the greatest. */
static inline void ts_nearmap_room(ts_nearmap *m, uint64_t number)
{
    m->directory[ts_nearmap_bit(m, number) / TS_NEARMAP_BITS] = 1;
}

/* Of one that there is room for: whether it is there already, which it is now. */
static inline bool ts_nearmap_set(ts_nearmap *m, uint64_t number)
{
    const uint64_t bit = ts_nearmap_bit(m, number);
    uint64_t *word = &ts_nearmap_block_of(m, bit)->words[bit % TS_NEARMAP_BITS / 64];
    const uint64_t mask = UINT64_C(1) << bit % 64;
    const bool had = (*word & mask) != 0;
    *word |= mask;
    return had;
}

/* Not all processors have an instruction for it. */
static inline unsigned ts_nearmap_ones(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* Bits of the block before this one. */
static inline uint32_t ts_nearmap_before(const ts_nearmap_block *block, uint64_t bit)
{
    const unsigned word = (unsigned)(bit % TS_NEARMAP_BITS / 64);
    const uint64_t below = block->words[word] & ((UINT64_C(1) << bit % 64) - 1);
    return (uint32_t)(block->sums >> word * TS_NEARMAP_SUM & ((1U << TS_NEARMAP_SUM) - 1)) +
           ts_nearmap_ones(below);
}

static inline void ts_nearmap_value(ts_nearmap *m, uint64_t number, uint32_t value)
{
    const uint64_t bit = ts_nearmap_bit(m, number);
    ts_nearmap_block *block = ts_nearmap_block_of(m, bit);
    const uint32_t first = value - ts_nearmap_before(block, bit);
    if ((block->sums & TS_NEARMAP_VALUED) == 0) {
        block->sums |= TS_NEARMAP_VALUED;
        block->first = first;
    } else if (block->first != first) {
        block->sums |= TS_NEARMAP_LISTED;
    }
}

static inline void ts_nearmap_put(ts_nearmap *m, uint64_t number, uint32_t value)
{
    const uint64_t bit = ts_nearmap_bit(m, number);
    const ts_nearmap_block *block = ts_nearmap_block_of(m, bit);
    if ((block->sums & TS_NEARMAP_LISTED) != 0) {
        m->list[block->first + ts_nearmap_before(block, bit)] = value;
    }
}

/* TS_NEARMAP_NONE: the number is not there. */
static inline uint32_t ts_nearmap_find(const ts_nearmap *m, uint64_t number)
{
    if (number < m->least || number > m->greatest ||
        (number - m->least) >> m->shift << m->shift != number - m->least) {
        return TS_NEARMAP_NONE;
    }
    const uint64_t bit = ts_nearmap_bit(m, number);
    const uint32_t at = m->directory[bit / TS_NEARMAP_BITS];
    const ts_nearmap_block *block = &m->blocks[at == 0 ? 0 : at - 1];
    if (at == 0 || (block->words[bit % TS_NEARMAP_BITS / 64] >> bit % 64 & 1) == 0) {
        return TS_NEARMAP_NONE;
    }
    const uint32_t value = block->first + ts_nearmap_before(block, bit);
    return (block->sums & TS_NEARMAP_LISTED) != 0 ? m->list[value] : value;
}

/* Hints of numbers that are going to be looked for, one step after the other for some hundred of
 * them: where their blocks are, then these. */
static inline void ts_nearmap_hint(const ts_nearmap *m, uint64_t number)
{
    if (number >= m->least && number <= m->greatest) {
        __builtin_prefetch(&m->directory[ts_nearmap_bit(m, number) / TS_NEARMAP_BITS]);
    }
}

static inline void ts_nearmap_hint_block(const ts_nearmap *m, uint64_t number)
{
    if (number >= m->least && number <= m->greatest) {
        const uint32_t at = m->directory[ts_nearmap_bit(m, number) / TS_NEARMAP_BITS];
        __builtin_prefetch(&m->blocks[at == 0 ? 0 : at - 1]);
    }
}

#endif

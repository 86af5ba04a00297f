#include "base/nearmap.h"

#include "base/alloc.h"

enum { LINE = sizeof(ts_nearmap_block) };

_Static_assert(LINE == 64, "a block is a line of the cache");

void ts_nearmap_free(ts_nearmap *m, ts_ctx *ctx)
{
    ts_free(ctx, m->directory);
    ts_free(ctx, m->memory);
    ts_free(ctx, m->list);
    *m = (ts_nearmap){0};
}

ts_code ts_nearmap_begin(bool *fits, ts_nearmap *m, ts_ctx *ctx, const ts_nearmap_range *range)
{
    *m = (ts_nearmap){.least = range->least, .greatest = range->greatest, .most = range->most};
    m->shift = range->all_bits == 0 ? 0 : (unsigned)__builtin_ctzll(range->all_bits);
    m->directory_n = ts_nearmap_bit(m, m->greatest) / TS_NEARMAP_BITS + 1;
    *fits = m->directory_n <= m->most / sizeof *m->directory && m->directory_n < UINT32_MAX;
    if (*fits) {
        TS_NEED(ctx, m->directory = ts_zalloc(ctx, (size_t)m->directory_n, sizeof *m->directory));
    }
    return TS_OK;
}

ts_code ts_nearmap_blocks(bool *fits, ts_nearmap *m, ts_ctx *ctx)
{
    size_t size;
    uint8_t *line;
    for (uint64_t i = 0; i < m->directory_n; i++) {
        m->directory[i] = m->directory[i] == 0 ? 0 : ++m->block_n;
    }
    *fits = m->block_n <= m->most / sizeof *m->blocks;
    if (!*fits) {
        ts_nearmap_free(m, ctx);
        return TS_OK;
    }
    size = ((size_t)m->block_n + 1) * sizeof *m->blocks;
    TS_NEED(ctx, m->memory = ts_zalloc(ctx, size, 1));
    ts_alloc_spread(m->memory, size);
    line = m->memory;
    m->blocks = (ts_nearmap_block *)(void *)(line + (LINE - (uintptr_t)line % LINE) % LINE);
    for (uint64_t i = 0; i < m->directory_n; i++) {
        if (m->directory[i] != 0) {
            m->blocks[m->directory[i] - 1].number = (uint32_t)i;
        }
    }
    return TS_OK;
}

static unsigned count_block(ts_nearmap_block *block)
{
    unsigned sum = 0;
    for (unsigned k = 0; k < TS_NEARMAP_WORDS; k++) {
        block->sums |= (uint64_t)sum << k * TS_NEARMAP_SUM;
        sum += ts_nearmap_ones(block->words[k]);
    }
    return sum;
}

void ts_nearmap_count(ts_nearmap *m)
{
    for (uint32_t i = 0; i < m->block_n; i++) {
        m->blocks[i].sums = 0;
        (void)count_block(&m->blocks[i]);
    }
}

ts_code ts_nearmap_lists(ts_nearmap *m, ts_ctx *ctx)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->block_n; i++) {
        ts_nearmap_block *block = &m->blocks[i];
        if ((block->sums & TS_NEARMAP_LISTED) != 0) {
            block->first = n;
            n += count_block(block);
        }
    }
    TS_NEED(ctx, m->list = ts_alloc(ctx, n, sizeof *m->list));
    ts_alloc_spread(m->list, n * sizeof *m->list);
    return TS_OK;
}

uint64_t ts_nearmap_next(const ts_nearmap *m, uint64_t number)
{
    const uint64_t bit = ts_nearmap_bit(m, number);
    const ts_nearmap_block *block = ts_nearmap_block_of(m, bit);
    unsigned word = (unsigned)(bit % TS_NEARMAP_BITS / 64);
    uint64_t left = block->words[word] >> bit % 64 >> 1 << bit % 64 << 1;
    while (left == 0) {
        if (++word == TS_NEARMAP_WORDS) {
            word = 0;
            block++;
        }
        left = block->words[word];
    }
    return m->least + (((uint64_t)block->number * TS_NEARMAP_BITS + (uint64_t)word * 64 +
                        (unsigned)__builtin_ctzll(left))
                       << m->shift);
}

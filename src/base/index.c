#include "base/index.h"

#include "base/alloc.h"

enum { FIRST_SLOTS = 32 };
#define MAX_SLOTS (UINT32_C(1) << 31)

static uint32_t home_of(uint64_t slot, uint32_t mask)
{
    return (uint32_t)(slot >> 32) & mask;
}

ts_code ts_index_grow(ts_ctx *ctx, ts_index *index)
{
    uint32_t count = index->slot_count == 0 ? FIRST_SLOTS : index->slot_count * 2;
    uint64_t *slots;
    if (index->slot_count == MAX_SLOTS) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u entries of a table", index->room);
    }
    TS_NEED(ctx, slots = ts_zalloc(ctx, count, sizeof *slots));
    for (uint32_t i = 0; i < index->slot_count; i++) {
        uint64_t slot = index->slots[i];
        if (slot != 0) {
            uint32_t at = home_of(slot, count - 1);
            while (slots[at] != 0) {
                at = (at + 1) & (count - 1);
            }
            slots[at] = slot;
        }
    }
    if (index->slot_count == 0) {
        index->key = ctx->hash_key;
    }
    ts_free(ctx, index->slots);
    index->slots = slots;
    index->slot_count = count;
    index->room = count / 5 * 4;
    return TS_OK;
}

static uint32_t slot_of(const ts_index *index, uint64_t hash, uint32_t number)
{
    uint64_t wanted = hash << 32 | (number + 1);
    uint32_t mask = index->slot_count - 1;
    uint32_t at = (uint32_t)hash & mask;
    while (index->slots[at] != wanted) {
        at = (at + 1) & mask;
    }
    return at;
}

/* Entries after the hole move into it when it lies between their home and their place. */
void ts_index_remove(ts_index *index, uint64_t hash, uint32_t number)
{
    uint32_t mask = index->slot_count - 1;
    uint32_t hole = slot_of(index, hash, number);
    uint64_t slot;
    index->count--;
    for (uint32_t at = (hole + 1) & mask; (slot = index->slots[at]) != 0; at = (at + 1) & mask) {
        if (((at - home_of(slot, mask)) & mask) >= ((at - hole) & mask)) {
            index->slots[hole] = slot;
            hole = at;
        }
    }
    index->slots[hole] = 0;
}

void ts_index_renumber(ts_index *index, uint64_t hash, uint32_t from, uint32_t to)
{
    index->slots[slot_of(index, hash, from)] = hash << 32 | (to + 1);
}

void ts_index_free(ts_ctx *ctx, ts_index *index)
{
    ts_free(ctx, index->slots);
    *index = (ts_index){0};
}

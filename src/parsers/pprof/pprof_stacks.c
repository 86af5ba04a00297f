/*
 * Stacks that were met before, by the bytes of their lists of locations: most samples of a profile
 * that was not added up have one of a few. A place for each hash; what comes later takes it.
 */
#include "parsers/pprof/pprof.h"

#include "base/alloc.h"

enum { FIRST_SLOTS = 1 << 10, MOST_SLOTS = 1 << 17 };

pprof_stack_key pprof_stack_hash(const pprof *p, const uint8_t *packed, size_t n)
{
    ts_hash h = ts_hash_begin(&p->job->ctx->hash_key);
    pprof_stack_key key;
    ts_hash_bytes(&h, (const char *)packed, n);
    key.a = ts_hash_end(&h);
    key.b = (uint32_t)ts_hash_more(&h);
    if (p->stacks.slots != NULL) {
        __builtin_prefetch(&p->stacks.slots[key.a & (p->stacks.slot_count - 1)]);
    }
    return key;
}

uint32_t pprof_stack_find(const pprof *p, pprof_stack_key key)
{
    const pprof_stack *slot;
    if (p->stacks.slots == NULL) {
        return 0;
    }
    slot = &p->stacks.slots[key.a & (p->stacks.slot_count - 1)];
    return slot->a == key.a && slot->b == key.b ? slot->node : 0;
}

static ts_code grow(ts_ctx *ctx, pprof_stacks *stacks)
{
    pprof_stacks grown = {.slot_count =
                              stacks->slots == NULL ? FIRST_SLOTS : stacks->slot_count * 4};
    grown.slots = ts_zalloc(ctx, grown.slot_count, sizeof *grown.slots);
    if (grown.slots == NULL) {
        return ctx->error.code;
    }
    for (size_t i = 0; i < stacks->slot_count; i++) {
        const pprof_stack *old = &stacks->slots[i];
        if (old->node != 0) {
            pprof_stack *slot = &grown.slots[old->a & (grown.slot_count - 1)];
            grown.count += slot->node == 0 ? 1 : 0;
            *slot = *old;
        }
    }
    ts_free(ctx, stacks->slots);
    *stacks = grown;
    return TS_OK;
}

ts_code pprof_stack_add(pprof *p, pprof_stack_key key, uint32_t node)
{
    pprof_stacks *stacks = &p->stacks;
    pprof_stack *slot;
    ts_code code;
    if (stacks->count >= stacks->slot_count / 4 && stacks->slot_count < MOST_SLOTS &&
        (code = grow(p->job->ctx, stacks)) != TS_OK) {
        return code;
    }
    slot = &stacks->slots[key.a & (stacks->slot_count - 1)];
    stacks->count += slot->node == 0 ? 1 : 0;
    *slot = (pprof_stack){key.a, key.b, node};
    return TS_OK;
}

void pprof_stacks_free(ts_ctx *ctx, pprof_stacks *stacks)
{
    ts_free(ctx, stacks->slots);
    *stacks = (pprof_stacks){0};
}

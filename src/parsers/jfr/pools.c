/* The constant pools of a chunk. */
#include "parsers/jfr/chunk.h"

ts_code jfr_pools_new(jfr_chunk *c)
{
    uint32_t n = (uint32_t)c->schema->meta.classes.n;
    TS_NEED(c->ctx, c->pools.by_class = ts_zalloc(c->ctx, n, sizeof *c->pools.by_class));
    c->pools.class_count = n;
    c->pools.random[0] = ts_hash_number(&c->ctx->hash_key, 0);
    c->pools.random[1] = ts_hash_number(&c->ctx->hash_key, 1) | 1;
    return TS_OK;
}

void jfr_pools_free(ts_ctx *ctx, jfr_pools *pools)
{
    for (uint32_t i = 0; i < pools->class_count; i++) {
        ts_free(ctx, pools->by_class[i].slots);
    }
    ts_free(ctx, pools->by_class);
    for (size_t i = 0; i < pools->blocks.n; i++) {
        ts_free(ctx, ((uint8_t **)pools->blocks.p)[i]);
    }
    ts_vec_free(ctx, &pools->blocks);
    *pools = (jfr_pools){0};
}

/* --- entries by their keys ------------------------------------------------------------------ */

/* A table of its own: with base/index, whose entries and hashes are two places in memory, a
 * conversion took 23 % longer by user CPU (20 chunks of 50 000 events), and 10 % with large pools
 * (60 chunks of 8000 stacks). */

enum { FIRST_SLOTS = 16 };
#define MAX_SLOTS (UINT32_C(1) << 31)

/*
 * The place that holds the key or where it belongs. There is a free one. Both halves of a product
 * with a number that no input knows: a quarter of the time of SipHash, which made the number.
 */
static jfr_entry *place_of(const jfr_pools *pools, jfr_entry *slots, uint32_t mask, uint64_t key)
{
    unsigned __int128 product = (unsigned __int128)(key ^ pools->random[0]) * pools->random[1];
    uint32_t slot = ((uint32_t)(product >> 64) ^ (uint32_t)product) & mask;
    while (slots[slot].p != NULL && slots[slot].key != key) {
        slot = (slot + 1) & mask;
    }
    return &slots[slot];
}

jfr_entry *jfr_pool_find(jfr_chunk *c, uint32_t cls, uint64_t key)
{
    if (cls >= c->pools.class_count || c->pools.by_class[cls].slot_count == 0) {
        return NULL;
    }
    const jfr_pool *pool = &c->pools.by_class[cls];
    jfr_entry *entry = place_of(&c->pools, pool->slots, pool->slot_count - 1, key);
    return entry->p == NULL ? NULL : entry;
}

static ts_code more_slots(jfr_chunk *c, jfr_pool *pool)
{
    uint32_t count = pool->slot_count == 0 ? FIRST_SLOTS : pool->slot_count * 2;
    jfr_entry *slots;
    if (pool->slot_count >= MAX_SLOTS) {
        return ts_fail(c->ctx, TS_ERR_LIMIT, "more than %u entries of a constant pool",
                       MAX_SLOTS / 4 * 3);
    }
    TS_NEED(c->ctx, slots = ts_zalloc(c->ctx, count, sizeof *slots));
    for (uint32_t i = 0; i < pool->slot_count; i++) {
        const jfr_entry *entry = &pool->slots[i];
        if (entry->p != NULL) {
            *place_of(&c->pools, slots, count - 1, entry->key) = *entry;
        }
    }
    ts_free(c->ctx, pool->slots);
    pool->slots = slots;
    pool->slot_count = count;
    return TS_OK;
}

/* --- checkpoints ---------------------------------------------------------------------------- */

/* What is held in memory stays there as long as the chunk is imported. */
static ts_code keep_bytes(jfr_chunk *c, jfr_reader *r)
{
    size_t n = (size_t)(r->end - r->p);
    uint8_t **slot;
    if (c->view->spool == NULL) {
        return TS_OK;
    }
    TS_NEED(c->ctx, slot = ts_vec_add(c->ctx, &c->pools.blocks, sizeof *slot));
    uint8_t *copy = ts_alloc(c->ctx, n, 1);
    TS_NEED(c->ctx, copy);
    *slot = copy;
    if (n > 0) {
        memcpy(copy, r->p, n);
    }
    r->p = copy;
    r->end = copy + n;
    return TS_OK;
}

static ts_code add_entry(jfr_chunk *c, jfr_pool *pool, uint64_t key, const uint8_t *p, size_t n)
{
    ts_code code;
    c->pools.entries++;
    if (pool->count >= pool->slot_count / 4 * 3 && (code = more_slots(c, pool)) != TS_OK) {
        return code;
    }
    jfr_entry *entry = place_of(&c->pools, pool->slots, pool->slot_count - 1, key);
    if (entry->p != NULL) {
        c->pools.repeated++;
        return TS_OK;
    }
    *entry = (jfr_entry){.p = p, .key = key, .n = (uint32_t)n};
    pool->count++;
    return TS_OK;
}

static ts_code add_pool(jfr_chunk *c, jfr_reader *r)
{
    uint32_t cls = jfr_class_find(&c->schema->meta, jfr_raw(r, 8));
    size_t n = jfr_count(r);
    uint32_t plan;
    ts_code code = TS_OK;
    if (r->bad || n == 0) {
        return TS_OK;
    }
    if (cls == JFR_NO_CLASS) {
        r->bad = true;
        return TS_OK;
    }
    jfr_pool *pool = &c->pools.by_class[cls];
    TS_TRY_INTO(code, jfr_chunk_pool_plan(&plan, c, cls));
    r->bad = plan == JFR_NO_PLAN;
    for (size_t i = 0; i < n && code == TS_OK && !r->bad; i++) {
        uint64_t key = jfr_raw(r, 8);
        const uint8_t *p = r->p;
        code = jfr_plan_run(r, &c->schema->plans, jfr_plan_at(&c->schema->plans, plan), NULL, NULL);
        TS_STEP_IF(code, !r->bad, add_entry(c, pool, key, p, (size_t)(r->p - p)));
    }
    return code;
}

ts_code jfr_pools_add(bool *bad, jfr_chunk *c, jfr_reader r)
{
    ts_code code = keep_bytes(c, &r);
    *bad = true;
    if (code != TS_OK) {
        return code;
    }
    (void)jfr_fixed(&r, 1); /* what kind of checkpoint it is makes no difference */
    size_t n = jfr_count(&r);
    for (size_t i = 0; i < n && code == TS_OK && !r.bad; i++) {
        code = add_pool(c, &r);
    }
    *bad = r.bad || r.p != r.end;
    return code;
}

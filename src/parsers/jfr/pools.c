/* The constant pools of a chunk. */
#include "parsers/jfr/pools.h"

#include "parsers/jfr/chunk.h"

ts_code jfr_pools_new(jfr_chunk *c)
{
    uint32_t n = (uint32_t)c->meta.classes.n;
    c->pools.by_class = ts_zalloc(c->ctx, n, sizeof *c->pools.by_class);
    if (c->pools.by_class == NULL) {
        return c->ctx->error.code;
    }
    c->pools.class_count = n;
    return TS_OK;
}

void jfr_pools_free(ts_ctx *ctx, jfr_pools *pools)
{
    for (uint32_t i = 0; i < pools->class_count; i++) {
        ts_idmap_free(ctx, &pools->by_class[i].index);
        ts_vec_free(ctx, &pools->by_class[i].entries);
    }
    ts_free(ctx, pools->by_class);
    for (size_t i = 0; i < pools->blocks.n; i++) {
        ts_free(ctx, ((uint8_t **)pools->blocks.p)[i]);
    }
    ts_vec_free(ctx, &pools->blocks);
    *pools = (jfr_pools){0};
}

jfr_entry *jfr_pool_find(jfr_chunk *c, uint32_t cls, uint64_t key)
{
    jfr_recent *recent = &c->recent[((key ^ key >> 20) + cls) % JFR_RECENT];
    uint64_t number;
    if (recent->entry != NULL && recent->key == key && recent->cls == cls) {
        return recent->entry;
    }
    if (cls >= c->pools.class_count ||
        !ts_idmap_find(&number, &c->pools.by_class[cls].index, (int64_t)key)) {
        return NULL;
    }
    recent->entry = (jfr_entry *)c->pools.by_class[cls].entries.p + number;
    recent->key = key;
    recent->cls = cls;
    return recent->entry;
}

static ts_code keep_bytes(jfr_chunk *c, jfr_reader *r)
{
    size_t n = (size_t)(r->end - r->p);
    uint8_t **slot = ts_vec_add(c->ctx, &c->pools.blocks, sizeof *slot);
    uint8_t *copy;
    if (slot == NULL) {
        return c->ctx->error.code;
    }
    copy = ts_alloc(c->ctx, n, 1);
    if (copy == NULL) {
        return c->ctx->error.code;
    }
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
    uint64_t number;
    jfr_entry *entry;
    c->pools.entries++;
    if (ts_idmap_find(&number, &pool->index, (int64_t)key)) {
        c->pools.repeated++;
        return TS_OK;
    }
    entry = ts_vec_add(c->ctx, &pool->entries, sizeof *entry);
    if (entry == NULL) {
        return c->ctx->error.code;
    }
    *entry = (jfr_entry){.p = p, .n = (uint32_t)n};
    return ts_idmap_put(c->ctx, &pool->index, (int64_t)key, pool->entries.n - 1);
}

static ts_code add_pool(jfr_chunk *c, jfr_reader *r)
{
    uint32_t cls = jfr_class_find(&c->meta, jfr_raw(r, 8));
    size_t n = jfr_count(r);
    jfr_pool *pool;
    ts_code code = TS_OK;
    if (r->bad || n == 0) {
        return TS_OK;
    }
    if (cls == JFR_NO_CLASS) {
        r->bad = true;
        return TS_OK;
    }
    pool = &c->pools.by_class[cls];
    if ((code = jfr_chunk_pool_plan(c, cls)) != TS_OK) {
        return code;
    }
    r->bad = pool->plan == JFR_NO_PLAN;
    for (size_t i = 0; i < n && code == TS_OK && !r->bad; i++) {
        uint64_t key = jfr_raw(r, 8);
        const uint8_t *p = r->p;
        code = jfr_plan_run(r, &c->plans, jfr_plan_at(&c->plans, pool->plan), NULL, NULL);
        if (code == TS_OK && !r->bad) {
            code = add_entry(c, pool, key, p, (size_t)(r->p - p));
        }
    }
    return code;
}

ts_code jfr_pools_add(bool *bad, jfr_chunk *c, jfr_reader r)
{
    ts_code code = keep_bytes(c, &r);
    size_t n;
    *bad = true;
    if (code != TS_OK) {
        return code;
    }
    (void)jfr_fixed(&r, 1); /* what kind of checkpoint it is makes no difference */
    n = jfr_count(&r);
    for (size_t i = 0; i < n && code == TS_OK && !r.bad; i++) {
        code = add_pool(c, &r);
    }
    *bad = r.bad || r.p != r.end;
    return code;
}

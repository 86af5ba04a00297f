#include "base/pool.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <string.h>

enum { CHUNK_BYTES = 64 * 1024, FIRST_SLOTS = 64 };
#define MAX_TEXTS (UINT32_C(1) << 31)

struct ts_pool_chunk {
    ts_pool_chunk *next;
    size_t used;
    size_t cap;
    char bytes[];
};

static uint32_t pool_hash_text(const ts_pool *pool, ts_text text)
{
    ts_hash h = ts_hash_begin(&pool->key);
    ts_hash_bytes(&h, text.p, text.n);
    return (uint32_t)ts_hash_end(&h);
}

/* The slot that holds the text or where it belongs. Slots hold id + 1, 0 is empty. */
static uint32_t pool_find_slot(const ts_pool *pool, ts_text text)
{
    uint32_t mask = pool->slot_count - 1;
    uint32_t slot = pool_hash_text(pool, text) & mask;
    while (pool->slots[slot] != 0) {
        ts_text have = pool->texts[pool->slots[slot] - 1];
        if (have.n == text.n && memcmp(have.p, text.p, text.n) == 0) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static ts_code pool_grow_slots(ts_ctx *ctx, ts_pool *pool)
{
    uint32_t count = pool->slot_count == 0 ? FIRST_SLOTS : pool->slot_count * 2;
    uint32_t *slots;
    if (pool->count >= MAX_TEXTS / 2) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u different texts", MAX_TEXTS / 2);
    }
    slots = ts_zalloc(ctx, count, sizeof *slots);
    if (slots == NULL) {
        return ctx->error.code;
    }
    ts_free(ctx, pool->slots);
    pool->slots = slots;
    pool->slot_count = count;
    pool->key = ctx->hash_key;
    for (uint32_t id = 0; id < pool->count; id++) {
        slots[pool_find_slot(pool, pool->texts[id])] = id + 1;
    }
    return TS_OK;
}

static ts_code grow_texts(ts_ctx *ctx, ts_pool *pool)
{
    uint32_t cap = pool->text_cap == 0 ? FIRST_SLOTS : pool->text_cap * 2;
    ts_text *texts = ts_realloc(ctx, pool->texts, cap, sizeof *texts);
    if (texts == NULL) {
        return ctx->error.code;
    }
    pool->texts = texts;
    pool->text_cap = cap;
    return TS_OK;
}

static char *keep_bytes(ts_ctx *ctx, ts_pool *pool, ts_text text)
{
    ts_pool_chunk *chunk = pool->chunks;
    char *p;
    if (chunk == NULL || chunk->cap - chunk->used < text.n) {
        size_t cap = text.n > CHUNK_BYTES ? text.n : CHUNK_BYTES;
        size_t total;
        if (ts_ckd_add(&total, cap, sizeof *chunk)) {
            ts_fail(ctx, TS_ERR_NOMEM, "out of memory: a text of %zu bytes", text.n);
            return NULL;
        }
        chunk = ts_alloc(ctx, total, 1);
        if (chunk == NULL) {
            return NULL;
        }
        chunk->next = pool->chunks;
        chunk->used = 0;
        chunk->cap = cap;
        pool->chunks = chunk;
    }
    p = chunk->bytes + chunk->used;
    if (text.n > 0) {
        memcpy(p, text.p, text.n);
    }
    chunk->used += text.n;
    return p;
}

ts_code ts_pool_intern(ts_ctx *ctx, uint32_t *id, bool *added, ts_pool *pool, ts_text text)
{
    uint32_t slot;
    char *p;
    ts_code code;
    if (pool->count >= pool->slot_count / 4 * 3 && (code = pool_grow_slots(ctx, pool)) != TS_OK) {
        return code;
    }
    slot = pool_find_slot(pool, text);
    if (added != NULL) {
        *added = pool->slots[slot] == 0;
    }
    if (pool->slots[slot] != 0) {
        *id = pool->slots[slot] - 1;
        return TS_OK;
    }
    if (pool->count == pool->text_cap && (code = grow_texts(ctx, pool)) != TS_OK) {
        return code;
    }
    p = keep_bytes(ctx, pool, text);
    if (p == NULL) {
        return ctx->error.code;
    }
    pool->texts[pool->count] = (ts_text){p, text.n};
    *id = pool->count++;
    pool->slots[slot] = pool->count;
    return TS_OK;
}

bool ts_pool_find(uint32_t *id, const ts_pool *pool, ts_text text)
{
    uint32_t slot;
    if (pool->slot_count == 0) {
        return false;
    }
    slot = pool_find_slot(pool, text);
    if (pool->slots[slot] == 0) {
        return false;
    }
    *id = pool->slots[slot] - 1;
    return true;
}

ts_text ts_pool_key(char key[TS_POOL_KEY], const ts_ctx *ctx, ts_text text)
{
    ts_hash h;
    uint64_t words[3];
    if (text.n <= TS_POOL_LONG) {
        return text;
    }
    h = ts_hash_begin(&ctx->hash_key);
    ts_hash_bytes(&h, text.p, text.n);
    words[0] = text.n;
    words[1] = ts_hash_end(&h);
    words[2] = ts_hash_more(&h);
    key[0] = '\xff';
    memcpy(key + 1, words, sizeof words);
    return (ts_text){key, TS_POOL_KEY};
}

bool ts_pool_is_key(uint64_t *n, ts_text text)
{
    if (text.n != TS_POOL_KEY || text.p[0] != '\xff') {
        return false;
    }
    memcpy(n, text.p + 1, sizeof *n);
    return true;
}

void ts_pool_free(ts_ctx *ctx, ts_pool *pool)
{
    while (pool->chunks != NULL) {
        ts_pool_chunk *next = pool->chunks->next;
        ts_free(ctx, pool->chunks);
        pool->chunks = next;
    }
    ts_free(ctx, pool->texts);
    ts_free(ctx, pool->slots);
    memset(pool, 0, sizeof *pool);
}

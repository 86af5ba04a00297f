#include "base/pool.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <string.h>

enum { CHUNK_BYTES = 64 * 1024, FIRST_TEXTS = 64, FEW_RECENT = 64, MANY_RECENT = 1 << 16 };

struct ts_pool_chunk {
    ts_pool_chunk *next;
    size_t used;
    size_t cap;
    char bytes[];
};

static uint64_t pool_hash(const ts_pool *pool, ts_text text)
{
    ts_hash h = ts_hash_begin(&pool->index.key);
    ts_hash_bytes(&h, text.p, text.n);
    return ts_hash_end(&h);
}

static bool is_text(const void *owner, uint32_t id, const void *key)
{
    return ts_text_equal(((const ts_pool *)owner)->texts[id], *(const ts_text *)key);
}

/* --- texts that were met lately ------------------------------------------------------------- */

static uint64_t load(const char *p, size_t n)
{
    uint64_t v = 0;
    memcpy(&v, p, n);
    return v;
}

/*
 * The same texts come again and again: most are found by a place that some of their bytes give,
 * which takes less than a hash of all. Texts that are made to share a place cost what they would
 * without it.
 */
static uint32_t *recent_place(const ts_pool *pool, ts_text t)
{
    const uint64_t first = pool->index.key.k[0] | 1;
    const uint64_t second = pool->index.key.k[1] | 1;
    uint64_t h = t.n;
    if (t.n >= 8) {
        h += load(t.p, 8) * second;
        h ^= h >> 29;
        h += load(t.p + t.n / 2 - 4, 8) * first;
        h ^= h >> 31;
        h += load(t.p + t.n - 8, 8);
    } else if (t.n >= 4) {
        h += load(t.p, 4) << 32 | load(t.p + t.n - 4, 4);
    } else if (t.n > 0) {
        h += load(t.p, 1) << 16 | load(t.p + t.n / 2, 1) << 8 | load(t.p + t.n - 1, 1);
    }
    h = (h ^ h >> 32) * first;
    return &pool->recent[(h >> 32) & (pool->recent_count - 1)];
}

static ts_code grow_recent(ts_ctx *ctx, ts_pool *pool)
{
    uint32_t count = pool->recent_count == 0 ? FEW_RECENT : 2 * pool->recent_count;
    uint32_t *recent = ts_zalloc(ctx, count, sizeof *recent);
    TS_NEED(ctx, recent);
    ts_free(ctx, pool->recent);
    pool->recent = recent;
    pool->recent_count = count;
    return TS_OK;
}

/* --- all texts ------------------------------------------------------------------------------ */

static ts_code grow_texts(ts_ctx *ctx, ts_pool *pool)
{
    uint32_t cap = pool->text_cap == 0 ? FIRST_TEXTS : pool->text_cap * 2;
    ts_text *texts = ts_realloc(ctx, pool->texts, cap, sizeof *texts);
    TS_NEED(ctx, texts);
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

static ts_code intern_by_index(ts_ctx *ctx, uint32_t *id, bool *added, ts_pool *pool, ts_text text)
{
    ts_index_place place;
    uint32_t found;
    char *p;
    ts_code code;
    TS_TRY_INTO(code, ts_index_reserve(ctx, &pool->index));
    found = ts_index_search(&place, &pool->index, pool_hash(pool, text), is_text, pool, &text);
    if (added != NULL) {
        *added = found == TS_INDEX_NONE;
    }
    if (found != TS_INDEX_NONE) {
        *id = found;
        return TS_OK;
    }
    if (pool->count == pool->text_cap && (code = grow_texts(ctx, pool)) != TS_OK) {
        return code;
    }
    TS_NEED(ctx, p = keep_bytes(ctx, pool, text));
    pool->texts[pool->count] = (ts_text){p, text.n};
    ts_index_add(&pool->index, place, pool->count);
    *id = pool->count++;
    return TS_OK;
}

ts_code ts_pool_intern(ts_ctx *ctx, uint32_t *id, bool *added, ts_pool *pool, ts_text text)
{
    uint32_t *recent;
    if (pool->count >= pool->recent_count / 2 && pool->recent_count < MANY_RECENT) {
        TS_TRY(grow_recent(ctx, pool));
    }
    recent = recent_place(pool, text);
    if (*recent != 0 && is_text(pool, *recent - 1, &text)) {
        *id = *recent - 1;
        if (added != NULL) {
            *added = false;
        }
        return TS_OK;
    }
    TS_TRY(intern_by_index(ctx, id, added, pool, text));
    *recent = *id + 1;
    return TS_OK;
}

bool ts_pool_find(uint32_t *id, const ts_pool *pool, ts_text text)
{
    uint32_t found = pool->count == 0
                         ? TS_INDEX_NONE
                         : ts_index_find(&pool->index, pool_hash(pool, text), is_text, pool, &text);
    if (found == TS_INDEX_NONE) {
        return false;
    }
    *id = found;
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
    ts_free(ctx, pool->recent);
    ts_index_free(ctx, &pool->index);
    memset(pool, 0, sizeof *pool);
}

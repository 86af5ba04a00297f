/*
 * A string pool: equal byte strings get equal ids, dense from 0 in order of first appearance.
 * Bytes are kept for the pool's life; pointers handed out stay valid until ts_pool_free.
 */
#ifndef TS_BASE_POOL_H
#define TS_BASE_POOL_H

#include "base/index.h"
#include "base/text.h"

typedef struct ts_pool_chunk ts_pool_chunk;

typedef struct ts_pool {
    ts_pool_chunk *chunks;
    ts_text *texts; /* by id */
    uint32_t count;
    uint32_t text_cap;
    ts_index index;
    uint32_t *recent; /* ids + 1 of texts that were met lately, by a few of their bytes: 8 to 16
                       * bytes a text, 256 KiB at most */
    uint32_t recent_count;
} ts_pool;

/* Id of the text; *added says whether it is new (may be NULL). At most 1.6 billion texts, else
 * TS_ERR_LIMIT. */
ts_code ts_pool_intern(ts_ctx *ctx, uint32_t *id, bool *added, ts_pool *pool, ts_text text);

/* True and the id when the text is known. */
bool ts_pool_find(uint32_t *id, const ts_pool *pool, ts_text text);

static inline ts_text ts_pool_text(const ts_pool *pool, uint32_t id)
{
    return pool->texts[id];
}

/*
 * Long texts need not be kept to distinguish them: a key of theirs, which is no text (it begins
 * with a byte that UTF-8 does not have), can be interned in their place. It holds the length and a
 * hash of 128 bits with the key of the run; that two of a billion agree by chance has the
 * probability 10^-21.
 */
enum { TS_POOL_LONG = 128, TS_POOL_KEY = 25 };

/* `text` itself up to TS_POOL_LONG bytes, else its key, put into `key`. */
ts_text ts_pool_key(char key[TS_POOL_KEY], const ts_ctx *ctx, ts_text text);

/* True for a key, and the length of its text. */
bool ts_pool_is_key(uint64_t *n, ts_text text);

void ts_pool_free(ts_ctx *ctx, ts_pool *pool);

#endif

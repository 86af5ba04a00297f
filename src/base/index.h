/*
 * A hash table over entries that its owner keeps, by their numbers: open addressing with linear
 * probing. Hashes are made with a key that an input does not know (base/hash.h), so that none can
 * be made to collide. Zeroed: empty.
 *
 *     ts_index_place place;
 *     if ((code = ts_index_reserve(ctx, &index)) != TS_OK) ...
 *     found = ts_index_search(&place, &index, ts_hash_number(&index.key, id), is_id, owner, &id);
 *     if (found == TS_INDEX_NONE) {
 *         entries[n] = ...;
 *         ts_index_add(&index, place, n++);
 *     }
 *
 * A slot has 32 bits of the hash beside the number: entries of other keys are hardly ever looked
 * at, and growing needs neither entries nor keys. 8 bytes a slot, at most four of five are taken:
 * an entry takes 10 to 20 bytes.
 */
#ifndef TS_BASE_INDEX_H
#define TS_BASE_INDEX_H

#include "base/context.h"

#define TS_INDEX_NONE UINT32_MAX

typedef struct ts_index {
    uint64_t *slots;     /* 32 bits of the hash, then the number of the entry + 1; 0: free */
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t room;       /* for so many entries */
    uint32_t count;      /* of them */
    ts_hash_key key;     /* for hashes, from the first ts_index_reserve on */
} ts_index;

/* Where an entry belongs that was not found; until the next call that changes the index. */
typedef struct ts_index_place {
    uint32_t slot;
    uint32_t hash;
} ts_index_place;

/* Whether the entry of the owner has the key. Where it is known when ts_index_search is compiled,
 * it costs no call. */
typedef bool (*ts_index_equal)(const void *owner, uint32_t number, const void *key);

/* The number of the entry with this hash and key; TS_INDEX_NONE when there is none, and its place.
 * There is room for one more. */
static inline uint32_t ts_index_search(ts_index_place *place, const ts_index *index, uint64_t hash,
                                       ts_index_equal equal, const void *owner, const void *key)
{
    uint32_t mask = index->slot_count - 1;
    uint32_t at = (uint32_t)hash & mask;
    uint64_t slot;
    while ((slot = index->slots[at]) != 0 &&
           (slot >> 32 != (uint32_t)hash || !equal(owner, (uint32_t)slot - 1, key))) {
        at = (at + 1) & mask;
    }
    *place = (ts_index_place){at, (uint32_t)hash};
    return (uint32_t)slot - 1; /* of 0: TS_INDEX_NONE */
}

/* The number of the entry with this hash and key, or TS_INDEX_NONE. The index may be empty. */
static inline uint32_t ts_index_find(const ts_index *index, uint64_t hash, ts_index_equal equal,
                                     const void *owner, const void *key)
{
    ts_index_place place;
    return index->count == 0 ? TS_INDEX_NONE
                             : ts_index_search(&place, index, hash, equal, owner, key);
}

/* Adds an entry where ts_index_search has just found none. */
static inline void ts_index_add(ts_index *index, ts_index_place place, uint32_t number)
{
    index->slots[place.slot] = (uint64_t)place.hash << 32 | (number + 1);
    index->count++;
}

/* ts_index_reserve where there is no room. */
ts_code ts_index_grow(ts_ctx *ctx, ts_index *index);

/* Makes room for one more entry. On failure (TS_ERR_NOMEM; TS_ERR_LIMIT, also for more than
 * 1.6 billion entries) the index has what it had. */
static inline ts_code ts_index_reserve(ts_ctx *ctx, ts_index *index)
{
    return index->count < index->room ? TS_OK : ts_index_grow(ctx, index);
}

/* Takes an entry out that is there. */
void ts_index_remove(ts_index *index, uint64_t hash, uint32_t number);

/* The entry, which is there, has another number from now on. */
void ts_index_renumber(ts_index *index, uint64_t hash, uint32_t from, uint32_t to);

/* Releases the slots; the index is empty then. */
void ts_index_free(ts_ctx *ctx, ts_index *index);

#endif

/*
 * The call paths of one source by their keys (parent, method, line), so that equal ones share a
 * row. A path costs 8 bytes for its key, 8 more where its neighbours have lines, and slots of 4
 * bytes at a load of 3/5 to 4/5 (2/5 while there are less than 840 000 paths): at most 15 or 23
 * bytes (18 or 26). Growing needs nothing beside the new slots, because they are filled from the
 * keys. From some 50 000 paths on, those without a line that were met last are kept once more
 * (TS_NODE_RECENT, 384 KiB), because all of them are more than the cache of a processor holds.
 *
 * With base/index and SipHash in the place of these slots, this hash and what was met last, the
 * conversion of 300 000 folded stacks took 16 % more user CPU and 45 % more memory; profiles with
 * few paths took as long.
 */
#ifndef TS_TABLES_STORE_NODES_H
#define TS_TABLES_STORE_NODES_H

#include "base/hash.h"
#include "base/vec.h"
#include "tables/store.h"

/*
 * Slots of 4 bytes with linear probing, for entries that their owner keeps by number: the number in
 * the low bits, bits of the hash above them, so that most other keys are distinguished without
 * reading theirs; 0 is empty. The upper bits of a hash decide about the place.
 */
typedef struct ts_tag_slots {
    uint32_t *slots;
    uint32_t count;
    uint32_t mask; /* of numbers */
} ts_tag_slots;

static inline uint32_t ts_tag_home(const ts_tag_slots *s, uint32_t hash)
{
    return (uint32_t)((uint64_t)hash * s->count >> 32);
}

static inline uint32_t ts_tag_of(const ts_tag_slots *s, uint32_t hash)
{
    return hash * (s->mask + 1);
}

static inline uint32_t ts_tag_next(const ts_tag_slots *s, uint32_t slot)
{
    return slot + 1 == s->count ? 0 : slot + 1;
}

static inline void ts_tag_put(ts_tag_slots *s, uint32_t hash, uint32_t number)
{
    uint32_t slot = ts_tag_home(s, hash);
    while (s->slots[slot] != 0) {
        slot = ts_tag_next(s, slot);
    }
    s->slots[slot] = ts_tag_of(s, hash) | number;
}

/* Other slots, which are empty, for numbers up to `most`: old and new ones are never there
 * together.
 */
ts_code ts_tag_renew(ts_ctx *ctx, ts_tag_slots *s, uint32_t count, uint32_t most);

typedef struct ts_node_key {
    uint32_t parent; /* row ids; 0: none */
    uint32_t method;
} ts_node_key;

/* Keys stay where they are. `lines` is NULL as long as no path of the block has one. */
typedef struct ts_node_block {
    ts_node_key *keys;
    int64_t *lines;
} ts_node_block;

/* Paths from number `first` on have the row ids `id`, id + 1 ... */
typedef struct ts_node_run {
    uint32_t first;
    uint32_t id;
} ts_node_run;

/* A path that was met lately; id 0: none. */
typedef struct ts_node_recent {
    ts_node_key key;
    uint32_t id;
} ts_node_recent;

enum { TS_NODE_RECENT = 1 << 15, TS_NODE_TRIES = 1 << 16 };

/* By the low bits of the hash. Not asked any more when too few of the first tries found theirs. */
typedef struct ts_node_cache {
    uint32_t tries; /* to TS_NODE_TRIES */
    uint32_t hits;
    bool useless;
    ts_node_recent paths[TS_NODE_RECENT];
} ts_node_cache;

typedef struct ts_node_index {
    ts_vec blocks;      /* ts_node_block */
    ts_vec runs;        /* ts_node_run */
    ts_tag_slots slots; /* numbers of paths + 1 */
    uint32_t limit;     /* of paths before the slots have to grow */
    uint32_t count;
    uint32_t (*random)[256]; /* for the hash: a table for each byte of parent, method and line */
    ts_hash_key key;         /* what they were made from, and the hash of lines */
    ts_node_cache *recent;   /* NULL: few paths */
} ts_node_index;

/* Makes room for one more path, so that ts_node_add cannot fail. */
ts_code ts_node_reserve(ts_ctx *ctx, ts_node_index *index);

/* Where a path belongs that was not found. */
typedef struct ts_node_place {
    uint32_t slot;
    uint32_t tag;
} ts_node_place;

/* The hash of a path; not before the first ts_node_reserve. */
uint32_t ts_node_hash(const ts_node_index *index, ts_node_key key, int64_t line);

/* The row id of the path with this hash, or 0, and then its place. There must be room. */
uint32_t ts_node_find_hash(const ts_node_index *index, ts_node_place *place, uint32_t hash,
                           ts_node_key key, int64_t line);

static inline uint32_t ts_node_find(const ts_node_index *index, ts_node_place *place,
                                    ts_node_key key, int64_t line)
{
    return ts_node_find_hash(index, place, ts_node_hash(index, key, line), key, line);
}

/* Lets the cache fetch the place where the path with this hash is or belongs. */
static inline void ts_node_fetch_hash(const ts_node_index *index, uint32_t hash)
{
    if (index->recent != NULL) {
        __builtin_prefetch(&index->recent->paths[hash & (TS_NODE_RECENT - 1)]);
    }
    if (index->slots.count != 0) {
        __builtin_prefetch(&index->slots.slots[ts_tag_home(&index->slots, hash)]);
    }
}

static inline void ts_node_fetch(const ts_node_index *index, ts_node_key key, int64_t line)
{
    if (index->slots.count != 0) {
        ts_node_fetch_hash(index, ts_node_hash(index, key, line));
    }
}

/* Adds a path that ts_node_find has just not found. When it has a line, ts_node_line_reserve came
 * before. */
void ts_node_add(ts_node_index *index, ts_node_place place, ts_node_key key, int64_t line,
                 uint32_t id);

/* Room for the line of the path that comes next. */
ts_code ts_node_line_reserve(ts_ctx *ctx, ts_node_index *index);

void ts_node_index_free(ts_ctx *ctx, ts_node_index *index);

#endif

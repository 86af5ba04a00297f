#include "tables/store_nodes.h"

#include "base/alloc.h"

#include <string.h>

enum {
    BLOCK_SHIFT = 10,
    BLOCK_KEYS = 1 << BLOCK_SHIFT,
    FIRST_SLOTS = 256,
    MANY_SLOTS = 1 << 20,
    RECENT_SLOTS = 1 << 17, /* from so many on, paths that were met lately are kept once more */
    AHEAD = 16,
    KEY_BYTES = 8,
    LINE_BYTES = 4
};
#define MAX_SLOTS (UINT32_C(1) << 31)

/* --- keys ---------------------------------------------------------------------------------- */

static const ts_node_key *key_at(const ts_node_index *index, uint32_t number)
{
    return &index->blocks[number >> BLOCK_SHIFT].keys[number & (BLOCK_KEYS - 1)];
}

static int64_t line_at(const ts_node_index *index, uint32_t number)
{
    const ts_node_block *block = &index->blocks[number >> BLOCK_SHIFT];
    return block->lines == NULL ? TS_NO_LINE : block->lines[number & (BLOCK_KEYS - 1)];
}

/* --- hash ---------------------------------------------------------------------------------- */

/*
 * Simple tabulation (Zobrist): one random number for each byte of the key at its place, all of them
 * by exclusive or. For numbers that are unknown to whoever makes an input, linear probing takes
 * constant expected time whatever the keys are (Patrascu and Thorup, "The power of simple
 * tabulation hashing"). It costs a fifth of SipHash, which makes the numbers.
 */
static ts_code make_random(ts_ctx *ctx, ts_node_index *index)
{
    index->key = ctx->hash_key;
    TS_NEED(ctx, index->random = ts_alloc(ctx, KEY_BYTES + LINE_BYTES, sizeof *index->random));
    for (uint32_t i = 0; i < KEY_BYTES + LINE_BYTES; i++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            ts_hash h = ts_hash_begin(&index->key);
            ts_hash_word(&h, i << 8 | byte);
            index->random[i][byte] = (uint32_t)ts_hash_end(&h);
        }
    }
    return TS_OK;
}

/* Most lines are small; others take two words, so that they are no numbers of the tables. */
static uint32_t hash_line(const ts_node_index *index, int64_t line)
{
    uint32_t(*const random)[256] = index->random + KEY_BYTES;
    ts_hash h;
    if (line >= 0 && line <= UINT32_MAX) {
        return random[0][line & 0xff] ^ random[1][line >> 8 & 0xff] ^ random[2][line >> 16 & 0xff] ^
               random[3][line >> 24 & 0xff];
    }
    h = ts_hash_begin(&index->key);
    ts_hash_word(&h, (uint64_t)line);
    ts_hash_word(&h, KEY_BYTES);
    return (uint32_t)ts_hash_end(&h);
}

static uint32_t hash_of(const ts_node_index *index, ts_node_key key, int64_t line)
{
    uint32_t(*const random)[256] = index->random;
    uint32_t hash = 0;
    for (unsigned i = 0; i < 4; i++) {
        hash ^=
            random[i][key.parent >> (8 * i) & 0xff] ^ random[4 + i][key.method >> (8 * i) & 0xff];
    }
    return line == TS_NO_LINE ? hash : hash ^ hash_line(index, line);
}

/* --- slots --------------------------------------------------------------------------------- */

/* The upper bits of the hash decide about the place, those that are left are the tag. */
static uint32_t home_of(const ts_node_index *index, uint32_t hash)
{
    return (uint32_t)((uint64_t)hash * index->slot_count >> 32);
}

static uint32_t tag_of(const ts_node_index *index, uint32_t hash)
{
    return hash * (index->number_mask + 1);
}

static void put_in_slots(ts_node_index *index, uint32_t hash, uint32_t number)
{
    uint32_t slot = home_of(index, hash);
    while (index->slots[slot] != 0) {
        slot = slot + 1 == index->slot_count ? 0 : slot + 1;
    }
    index->slots[slot] = tag_of(index, hash) | (number + 1);
}

/* The hashes of a few paths first, so that their slots come from memory at the same time. */
static void fill_slots(ts_node_index *index)
{
    for (uint32_t at = 0; at < index->count; at += AHEAD) {
        uint32_t hashes[AHEAD];
        uint32_t n = index->count - at < AHEAD ? index->count - at : AHEAD;
        for (uint32_t i = 0; i < n; i++) {
            hashes[i] = hash_of(index, *key_at(index, at + i), line_at(index, at + i));
            __builtin_prefetch(&index->slots[home_of(index, hashes[i])], 1);
        }
        for (uint32_t i = 0; i < n; i++) {
            put_in_slots(index, hashes[i], at + i);
        }
    }
}

static ts_code remember_recent(ts_ctx *ctx, ts_node_index *index)
{
    if (index->recent == NULL) {
        index->recent = ts_zalloc(ctx, 1, sizeof *index->recent);
    }
    return index->recent == NULL ? ctx->error.code : TS_OK;
}

/* Twice as many; when there are many, by a half and a third in turn: powers of two, and what lies
 * half-way between them. */
static ts_code node_grow_slots(ts_ctx *ctx, ts_node_index *index)
{
    uint32_t old = index->slot_count;
    bool power = (old & (old - 1)) == 0;
    uint32_t count = old == 0           ? FIRST_SLOTS
                     : old < MANY_SLOTS ? 2 * old
                     : power            ? old + old / 2
                                        : old / 3 * 4;
    uint32_t *slots;
    if (old >= MAX_SLOTS) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u call paths", index->limit);
    }
    ts_free(ctx, index->slots); /* first, so that both are never there together */
    index->slots = NULL;
    index->slot_count = 0;
    index->limit = 0;
    TS_NEED(ctx, slots = ts_alloc(ctx, count, sizeof *slots));
    ts_alloc_spread(slots, (size_t)count * sizeof *slots);
    memset(slots, 0, (size_t)count * sizeof *slots);
    index->slots = slots;
    index->slot_count = count;
    index->number_mask = UINT32_MAX >> __builtin_clz(count - 1);
    index->limit = count / 5 * 4;
    fill_slots(index);
    return count < RECENT_SLOTS ? TS_OK : remember_recent(ctx, index);
}

static ts_code grow_blocks(ts_ctx *ctx, ts_node_index *index)
{
    ts_node_block *block;
    if (index->block_count == index->block_cap) {
        size_t cap = index->block_cap == 0 ? 4 : index->block_cap * 2;
        ts_node_block *blocks = ts_realloc(ctx, index->blocks, cap, sizeof *blocks);
        TS_NEED(ctx, blocks);
        index->blocks = blocks;
        index->block_cap = cap;
    }
    block = &index->blocks[index->block_count];
    *block = (ts_node_block){ts_alloc(ctx, BLOCK_KEYS, sizeof(ts_node_key)), NULL};
    TS_NEED(ctx, block->keys);
    index->block_count++;
    return TS_OK;
}

static ts_code grow_runs(ts_ctx *ctx, ts_node_index *index)
{
    size_t cap = index->run_cap == 0 ? 4 : index->run_cap * 2;
    ts_node_run *runs = ts_realloc(ctx, index->runs, cap, sizeof *runs);
    TS_NEED(ctx, runs);
    index->runs = runs;
    index->run_cap = cap;
    return TS_OK;
}

ts_code ts_node_reserve(ts_ctx *ctx, ts_node_index *index)
{
    ts_code code;
    if (index->random == NULL && (code = make_random(ctx, index)) != TS_OK) {
        return code;
    }
    if (index->count >= index->limit && (code = node_grow_slots(ctx, index)) != TS_OK) {
        return code;
    }
    if (index->run_count == index->run_cap && (code = grow_runs(ctx, index)) != TS_OK) {
        return code;
    }
    return index->count >> BLOCK_SHIFT < index->block_count ? TS_OK : grow_blocks(ctx, index);
}

ts_code ts_node_line_reserve(ts_ctx *ctx, ts_node_index *index)
{
    ts_node_block *block = &index->blocks[index->count >> BLOCK_SHIFT];
    if (block->lines != NULL) {
        return TS_OK;
    }
    TS_NEED(ctx, block->lines = ts_alloc(ctx, BLOCK_KEYS, sizeof *block->lines));
    for (size_t i = 0; i < BLOCK_KEYS; i++) {
        block->lines[i] = TS_NO_LINE;
    }
    return TS_OK;
}

/* --- paths --------------------------------------------------------------------------------- */

/* Sources that are imported one after the other have one run each. */
static uint32_t id_of(const ts_node_index *index, uint32_t number)
{
    size_t low = 0;
    size_t high = index->run_count;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (index->runs[mid].first <= number) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return index->runs[low].id + (number - index->runs[low].first);
}

uint32_t ts_node_hash(const ts_node_index *index, ts_node_key key, int64_t line)
{
    return hash_of(index, key, line);
}

static uint32_t find_in_slots(const ts_node_index *index, ts_node_place *place, uint32_t hash,
                              ts_node_key key, int64_t line)
{
    uint32_t tag = tag_of(index, hash);
    uint32_t at = home_of(index, hash);
    uint32_t found;
    while ((found = index->slots[at]) != 0) {
        if ((found & ~index->number_mask) == tag) {
            uint32_t number = (found & index->number_mask) - 1;
            const ts_node_key *k = key_at(index, number);
            if (k->parent == key.parent && k->method == key.method &&
                line_at(index, number) == line) {
                return id_of(index, number);
            }
        }
        at = at + 1 == index->slot_count ? 0 : at + 1;
    }
    *place = (ts_node_place){at, tag};
    return 0;
}

/* The share of tries that must find something, so that it costs less than it saves: 1 / USEFUL. */
enum { USEFUL = 4 };

/*
 * Programs call the same again and again: with many paths, four look-ups in five end here. Where
 * nearly all paths are new, it is one place more that comes from memory.
 */
static bool find_recent(ts_node_recent **place, ts_node_cache *cache, uint32_t hash,
                        ts_node_key key)
{
    ts_node_recent *r = &cache->paths[hash & (TS_NODE_RECENT - 1)];
    bool hit = r->id != 0 && r->key.parent == key.parent && r->key.method == key.method;
    *place = r;
    if (cache->tries < TS_NODE_TRIES) {
        cache->hits += hit;
        cache->tries++;
        cache->useless = cache->tries == TS_NODE_TRIES && cache->hits < TS_NODE_TRIES / USEFUL;
    }
    return hit;
}

uint32_t ts_node_find_hash(const ts_node_index *index, ts_node_place *place, uint32_t hash,
                           ts_node_key key, int64_t line)
{
    ts_node_recent *recent;
    uint32_t found;
    if (index->recent == NULL || index->recent->useless || line != TS_NO_LINE) {
        return find_in_slots(index, place, hash, key, line);
    }
    if (find_recent(&recent, index->recent, hash, key)) {
        return recent->id;
    }
    found = find_in_slots(index, place, hash, key, line);
    if (found != 0) {
        *recent = (ts_node_recent){key, found};
    }
    return found;
}

void ts_node_add(ts_node_index *index, ts_node_place place, ts_node_key key, int64_t line,
                 uint32_t id)
{
    uint32_t number = index->count;
    ts_node_block *block = &index->blocks[number >> BLOCK_SHIFT];
    if (index->run_count == 0 || id_of(index, number) != id) {
        index->runs[index->run_count++] = (ts_node_run){number, id};
    }
    block->keys[number & (BLOCK_KEYS - 1)] = key;
    if (block->lines != NULL) {
        block->lines[number & (BLOCK_KEYS - 1)] = line;
    }
    index->slots[place.slot] = place.tag | (number + 1);
    index->count++;
}

void ts_node_index_free(ts_ctx *ctx, ts_node_index *index)
{
    for (size_t i = 0; i < index->block_count; i++) {
        ts_free(ctx, index->blocks[i].keys);
        ts_free(ctx, index->blocks[i].lines);
    }
    ts_free(ctx, index->blocks);
    ts_free(ctx, index->runs);
    ts_free(ctx, index->slots);
    ts_free(ctx, index->random);
    ts_free(ctx, index->recent);
    *index = (ts_node_index){0};
}

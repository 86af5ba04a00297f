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

static ts_node_block *block_of(const ts_node_index *index, uint32_t number)
{
    return (ts_node_block *)index->blocks.p + (number >> BLOCK_SHIFT);
}

static const ts_node_key *key_at(const ts_node_index *index, uint32_t number)
{
    return &block_of(index, number)->keys[number & (BLOCK_KEYS - 1)];
}

static int64_t line_at(const ts_node_index *index, uint32_t number)
{
    const int64_t *lines = block_of(index, number)->lines;
    return lines == NULL ? TS_NO_LINE : lines[number & (BLOCK_KEYS - 1)];
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

ts_code ts_tag_renew(ts_ctx *ctx, ts_tag_slots *s, uint32_t count, uint32_t most)
{
    ts_free(ctx, s->slots);
    *s = (ts_tag_slots){0};
    TS_NEED(ctx, s->slots = ts_alloc(ctx, count, sizeof *s->slots));
    ts_alloc_spread(s->slots, (size_t)count * sizeof *s->slots);
    memset(s->slots, 0, (size_t)count * sizeof *s->slots);
    s->count = count;
    s->mask = UINT32_MAX >> __builtin_clz(most);
    return TS_OK;
}

/* The hashes of a few paths first, so that their slots come from memory at the same time. */
static void fill_slots(ts_node_index *index)
{
    for (uint32_t at = 0; at < index->count; at += AHEAD) {
        uint32_t hashes[AHEAD];
        uint32_t n = index->count - at < AHEAD ? index->count - at : AHEAD;
        for (uint32_t i = 0; i < n; i++) {
            hashes[i] = hash_of(index, *key_at(index, at + i), line_at(index, at + i));
            __builtin_prefetch(&index->slots.slots[ts_tag_home(&index->slots, hashes[i])], 1);
        }
        for (uint32_t i = 0; i < n; i++) {
            ts_tag_put(&index->slots, hashes[i], at + i + 1);
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
    uint32_t old = index->slots.count;
    bool power = (old & (old - 1)) == 0;
    uint32_t count = old == 0           ? FIRST_SLOTS
                     : old < MANY_SLOTS ? 2 * old
                     : power            ? old + old / 2
                                        : old / 3 * 4;
    if (old >= MAX_SLOTS) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u call paths", index->limit);
    }
    index->limit = 0;
    TS_TRY(ts_tag_renew(ctx, &index->slots, count, count - 1));
    index->limit = count / 5 * 4;
    fill_slots(index);
    return count < RECENT_SLOTS ? TS_OK : remember_recent(ctx, index);
}

static ts_code grow_blocks(ts_ctx *ctx, ts_node_index *index)
{
    ts_node_block *block;
    TS_NEED(ctx, block = ts_vec_add(ctx, &index->blocks, sizeof *block));
    if ((block->keys = ts_alloc(ctx, BLOCK_KEYS, sizeof *block->keys)) == NULL) {
        index->blocks.n--;
    }
    return block->keys == NULL ? ctx->error.code : TS_OK;
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
    if (index->runs.n == index->runs.cap) {
        TS_TRY_INTO(code, ts_vec_reserve(ctx, &index->runs, 1, sizeof(ts_node_run)));
    }
    return index->count >> BLOCK_SHIFT < index->blocks.n ? TS_OK : grow_blocks(ctx, index);
}

ts_code ts_node_line_reserve(ts_ctx *ctx, ts_node_index *index)
{
    ts_node_block *block = block_of(index, index->count);
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
    const ts_node_run *runs = index->runs.p;
    size_t low = 0;
    size_t high = index->runs.n;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (runs[mid].first <= number) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return runs[low].id + (number - runs[low].first);
}

uint32_t ts_node_hash(const ts_node_index *index, ts_node_key key, int64_t line)
{
    return hash_of(index, key, line);
}

static uint32_t find_in_slots(const ts_node_index *index, ts_node_place *place, uint32_t hash,
                              ts_node_key key, int64_t line)
{
    const ts_tag_slots *s = &index->slots;
    uint32_t tag = ts_tag_of(s, hash);
    uint32_t at = ts_tag_home(s, hash);
    uint32_t found;
    while ((found = s->slots[at]) != 0) {
        if ((found & ~s->mask) == tag) {
            uint32_t number = (found & s->mask) - 1;
            const ts_node_key *k = key_at(index, number);
            if (k->parent == key.parent && k->method == key.method &&
                line_at(index, number) == line) {
                return id_of(index, number);
            }
        }
        at = ts_tag_next(s, at);
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
    ts_node_block *block = block_of(index, number);
    if (index->runs.n == 0 || id_of(index, number) != id) {
        ((ts_node_run *)index->runs.p)[index->runs.n++] = (ts_node_run){number, id};
    }
    block->keys[number & (BLOCK_KEYS - 1)] = key;
    if (block->lines != NULL) {
        block->lines[number & (BLOCK_KEYS - 1)] = line;
    }
    index->slots.slots[place.slot] = place.tag | (number + 1);
    index->count++;
}

void ts_node_index_free(ts_ctx *ctx, ts_node_index *index)
{
    for (size_t i = 0; i < index->blocks.n; i++) {
        ts_free(ctx, ((ts_node_block *)index->blocks.p)[i].keys);
        ts_free(ctx, ((ts_node_block *)index->blocks.p)[i].lines);
    }
    ts_vec_free(ctx, &index->blocks);
    ts_vec_free(ctx, &index->runs);
    ts_free(ctx, index->slots.slots);
    ts_free(ctx, index->random);
    ts_free(ctx, index->recent);
    *index = (ts_node_index){0};
}

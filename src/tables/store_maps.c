#include "tables/store_impl.h"

#include "base/alloc.h"

enum { SHELF_SHIFT = 5, SHELF_BLOCK = 1 << SHELF_SHIFT, FIRST_SLOTS = 32 };
#define MAX_KEYS (UINT32_C(1) << 30)

static bool grow_shelf(ts_ctx *ctx, ts_shelf *shelf)
{
    if (shelf->block_count == shelf->block_cap) {
        size_t cap = shelf->block_cap == 0 ? 4 : shelf->block_cap * 2;
        void **blocks = ts_realloc(ctx, shelf->blocks, cap, sizeof *blocks);
        if (blocks == NULL) {
            return false;
        }
        shelf->blocks = blocks;
        shelf->block_cap = cap;
    }
    shelf->blocks[shelf->block_count] = ts_alloc(ctx, SHELF_BLOCK, shelf->size);
    if (shelf->blocks[shelf->block_count] == NULL) {
        return false;
    }
    shelf->block_count++;
    return true;
}

void *ts_shelf_add(ts_ctx *ctx, ts_shelf *shelf)
{
    void *element;
    if (shelf->n >> SHELF_SHIFT == shelf->block_count && !grow_shelf(ctx, shelf)) {
        return NULL;
    }
    shelf->n++;
    element = ts_shelf_at(shelf, shelf->n - 1);
    memset(element, 0, shelf->size);
    return element;
}

void ts_shelf_drop(ts_shelf *shelf)
{
    shelf->n--;
}

void *ts_shelf_at(const ts_shelf *shelf, size_t i)
{
    return (char *)shelf->blocks[i >> SHELF_SHIFT] + (i & (SHELF_BLOCK - 1)) * shelf->size;
}

void ts_shelf_free(ts_ctx *ctx, ts_shelf *shelf)
{
    for (size_t i = 0; i < shelf->block_count; i++) {
        ts_free(ctx, shelf->blocks[i]);
    }
    ts_free(ctx, shelf->blocks);
    shelf->blocks = NULL;
    shelf->block_count = 0;
    shelf->block_cap = 0;
    shelf->n = 0;
}

static uint32_t hash_numbers(const ts_keymap *map, int64_t a, int64_t b, int64_t c)
{
    ts_hash h = ts_hash_begin(&map->key);
    ts_hash_word(&h, (uint64_t)a);
    ts_hash_word(&h, (uint64_t)b);
    ts_hash_word(&h, (uint64_t)c);
    return (uint32_t)ts_hash_end(&h);
}

/* The slot that holds the key or where it belongs. */
static uint32_t find_slot(const ts_keymap *map, int64_t a, int64_t b, int64_t c)
{
    uint32_t mask = map->slot_count - 1;
    uint32_t slot = hash_numbers(map, a, b, c) & mask;
    while (map->slots[slot] != 0) {
        const int64_t *key = map->keys[map->slots[slot] - 1];
        if (key[0] == a && key[1] == b && key[2] == c) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

bool ts_keymap_find(uint32_t *number, const ts_keymap *map, int64_t a, int64_t b, int64_t c)
{
    uint32_t slot;
    if (map->slot_count == 0) {
        return false;
    }
    slot = find_slot(map, a, b, c);
    if (map->slots[slot] == 0) {
        return false;
    }
    *number = map->slots[slot] - 1;
    return true;
}

static ts_code grow_slots(ts_ctx *ctx, ts_keymap *map)
{
    uint32_t count = map->slot_count == 0 ? FIRST_SLOTS : map->slot_count * 2;
    uint32_t *slots;
    if (count > MAX_KEYS) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u keys", MAX_KEYS / 4 * 3);
    }
    slots = ts_zalloc(ctx, count, sizeof *slots);
    if (slots == NULL) {
        return ctx->error.code;
    }
    ts_free(ctx, map->slots);
    map->slots = slots;
    map->slot_count = count;
    map->key = ctx->hash_key;
    for (uint32_t i = 0; i < map->count; i++) {
        slots[find_slot(map, map->keys[i][0], map->keys[i][1], map->keys[i][2])] = i + 1;
    }
    return TS_OK;
}

ts_code ts_keymap_add(ts_ctx *ctx, ts_keymap *map, int64_t a, int64_t b, int64_t c)
{
    ts_code code;
    if (map->count == map->key_cap) {
        uint32_t cap = map->key_cap == 0 ? FIRST_SLOTS : map->key_cap * 2;
        int64_t(*keys)[3] = ts_realloc(ctx, map->keys, cap, sizeof *keys);
        if (keys == NULL) {
            return ctx->error.code;
        }
        map->keys = keys;
        map->key_cap = cap;
    }
    if (map->count >= map->slot_count / 4 * 3 && (code = grow_slots(ctx, map)) != TS_OK) {
        return code;
    }
    map->keys[map->count][0] = a;
    map->keys[map->count][1] = b;
    map->keys[map->count][2] = c;
    map->count++;
    map->slots[find_slot(map, a, b, c)] = map->count;
    return TS_OK;
}

void ts_keymap_free(ts_ctx *ctx, ts_keymap *map)
{
    ts_free(ctx, map->keys);
    ts_free(ctx, map->slots);
    memset(map, 0, sizeof *map);
}

#include "tables/store_impl.h"

#include "base/alloc.h"

enum { ARRAY_SHIFT = 5, ARRAY_BLOCK = 1 << ARRAY_SHIFT, FIRST_SLOTS = 32 };
#define MAX_KEYS (UINT32_C(1) << 30)

static bool grow_array(ts_ctx *ctx, ts_stable_array *array)
{
    if (array->block_count == array->block_cap) {
        size_t cap = array->block_cap == 0 ? 4 : array->block_cap * 2;
        void **blocks = ts_realloc(ctx, array->blocks, cap, sizeof *blocks);
        if (blocks == NULL) {
            return false;
        }
        array->blocks = blocks;
        array->block_cap = cap;
    }
    array->blocks[array->block_count] = ts_alloc(ctx, ARRAY_BLOCK, array->size);
    if (array->blocks[array->block_count] == NULL) {
        return false;
    }
    array->block_count++;
    return true;
}

void *ts_stable_array_add(ts_ctx *ctx, ts_stable_array *array)
{
    void *element;
    if (array->n >> ARRAY_SHIFT == array->block_count && !grow_array(ctx, array)) {
        return NULL;
    }
    array->n++;
    element = ts_stable_array_at(array, array->n - 1);
    memset(element, 0, array->size);
    return element;
}

void ts_stable_array_drop(ts_stable_array *array)
{
    array->n--;
}

void *ts_stable_array_at(const ts_stable_array *array, size_t i)
{
    return (char *)array->blocks[i >> ARRAY_SHIFT] + (i & (ARRAY_BLOCK - 1)) * array->size;
}

void ts_stable_array_free(ts_ctx *ctx, ts_stable_array *array)
{
    for (size_t i = 0; i < array->block_count; i++) {
        ts_free(ctx, array->blocks[i]);
    }
    ts_free(ctx, array->blocks);
    array->blocks = NULL;
    array->block_count = 0;
    array->block_cap = 0;
    array->n = 0;
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
static uint32_t keymap_find_slot(const ts_keymap *map, int64_t a, int64_t b, int64_t c)
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
    slot = keymap_find_slot(map, a, b, c);
    if (map->slots[slot] == 0) {
        return false;
    }
    *number = map->slots[slot] - 1;
    return true;
}

static ts_code keymap_grow_slots(ts_ctx *ctx, ts_keymap *map)
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
        slots[keymap_find_slot(map, map->keys[i][0], map->keys[i][1], map->keys[i][2])] = i + 1;
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
    if (map->count >= map->slot_count / 4 * 3 && (code = keymap_grow_slots(ctx, map)) != TS_OK) {
        return code;
    }
    map->keys[map->count][0] = a;
    map->keys[map->count][1] = b;
    map->keys[map->count][2] = c;
    map->count++;
    map->slots[keymap_find_slot(map, a, b, c)] = map->count;
    return TS_OK;
}

void ts_keymap_free(ts_ctx *ctx, ts_keymap *map)
{
    ts_free(ctx, map->keys);
    ts_free(ctx, map->slots);
    memset(map, 0, sizeof *map);
}

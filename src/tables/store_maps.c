#include "tables/store_impl.h"

#include "base/alloc.h"

enum { ARRAY_SHIFT = 5, ARRAY_BLOCK = 1 << ARRAY_SHIFT };

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

static uint64_t hash_numbers(const ts_keymap *map, const int64_t key[3])
{
    ts_hash h = ts_hash_begin(&map->index.key);
    ts_hash_word(&h, (uint64_t)key[0]);
    ts_hash_word(&h, (uint64_t)key[1]);
    ts_hash_word(&h, (uint64_t)key[2]);
    return ts_hash_end(&h);
}

static bool has_numbers(const void *owner, uint32_t number, const void *key)
{
    return memcmp((const int64_t(*)[3])((const ts_keymap *)owner)->keys.p + number, key,
                  sizeof(int64_t[3])) == 0;
}

bool ts_keymap_find(uint32_t *number, const ts_keymap *map, int64_t a, int64_t b, int64_t c)
{
    const int64_t key[3] = {a, b, c};
    uint32_t found = ts_index_find(&map->index, hash_numbers(map, key), has_numbers, map, key);
    if (found == TS_INDEX_NONE) {
        return false;
    }
    *number = found;
    return true;
}

ts_code ts_keymap_add(ts_ctx *ctx, ts_keymap *map, int64_t a, int64_t b, int64_t c)
{
    const int64_t key[3] = {a, b, c};
    ts_index_place place;
    ts_code code;
    int64_t(*added)[3];
    TS_TRY(code, ts_index_reserve(ctx, &map->index));
    TS_NEED(ctx, added = ts_vec_add(ctx, &map->keys, sizeof *added));
    memcpy(added, key, sizeof key);
    (void)ts_index_search(&place, &map->index, hash_numbers(map, key), has_numbers, map, key);
    ts_index_add(&map->index, place, map->index.count);
    return TS_OK;
}

void ts_keymap_free(ts_ctx *ctx, ts_keymap *map)
{
    ts_vec_free(ctx, &map->keys);
    ts_index_free(ctx, &map->index);
}

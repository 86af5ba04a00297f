#include "tables/store_impl.h"

#include "base/alloc.h"

enum { ARRAY_SHIFT = 5, ARRAY_BLOCK = 1 << ARRAY_SHIFT };

static bool grow_array(ts_ctx *ctx, ts_stable_array *array)
{
    void **block = ts_vec_add(ctx, &array->blocks, sizeof *block);
    if (block != NULL && (*block = ts_alloc(ctx, ARRAY_BLOCK, array->size)) == NULL) {
        array->blocks.n--;
        return false;
    }
    return block != NULL;
}

void *ts_stable_array_add(ts_ctx *ctx, ts_stable_array *array)
{
    if (array->n >> ARRAY_SHIFT == array->blocks.n && !grow_array(ctx, array)) {
        return NULL;
    }
    return memset(ts_stable_array_at(array, array->n++), 0, array->size);
}

void ts_stable_array_drop(ts_stable_array *array)
{
    array->n--;
}

void *ts_stable_array_at(const ts_stable_array *array, size_t i)
{
    return ((char **)array->blocks.p)[i >> ARRAY_SHIFT] + (i & (ARRAY_BLOCK - 1)) * array->size;
}

void ts_stable_array_free(ts_ctx *ctx, ts_stable_array *array)
{
    for (size_t i = 0; i < array->blocks.n; i++) {
        ts_free(ctx, ((void **)array->blocks.p)[i]);
    }
    ts_vec_free(ctx, &array->blocks);
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
    int64_t(*added)[3];
    TS_TRY(ts_index_reserve(ctx, &map->index));
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

#include "parsers/flare/flare_impl.h"

#include "base/alloc.h"

enum { FIRST_SLOTS = 64 };

static uint32_t slot_of(const ts_ctx *ctx, const flare_idmap *map, int64_t key)
{
    ts_hash h = ts_hash_begin(&ctx->hash_key);
    ts_hash_word(&h, (uint64_t)key);
    uint32_t mask = map->slot_count - 1;
    uint32_t slot = (uint32_t)ts_hash_end(&h) & mask;
    while (map->slots[slot] != 0 && map->keys[map->slots[slot] - 1] != key) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

uint32_t *flare_idmap_find(const ts_ctx *ctx, const flare_idmap *map, int64_t key)
{
    if (map->count == 0) {
        return NULL;
    }
    uint32_t slot = slot_of(ctx, map, key);
    return map->slots[slot] == 0 ? NULL : &map->values[map->slots[slot] - 1];
}

static ts_code grow(ts_ctx *ctx, flare_idmap *map)
{
    uint32_t slot_count = map->slot_count == 0 ? FIRST_SLOTS : map->slot_count * 2;
    uint32_t cap = slot_count / 4 * 3;
    int64_t *keys;
    uint32_t *values;
    uint32_t *slots;
    if (slot_count == 0 || slot_count > UINT32_MAX / 2) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u ids", cap);
    }
    if ((keys = ts_realloc(ctx, map->keys, cap, sizeof *keys)) == NULL) {
        return ctx->error.code;
    }
    map->keys = keys;
    if ((values = ts_realloc(ctx, map->values, cap, sizeof *values)) == NULL) {
        return ctx->error.code;
    }
    map->values = values;
    if ((slots = ts_zalloc(ctx, slot_count, sizeof *slots)) == NULL) {
        return ctx->error.code;
    }
    ts_free(ctx, map->slots);
    map->slots = slots;
    map->slot_count = slot_count;
    map->cap = cap;
    for (uint32_t i = 0; i < map->count; i++) {
        slots[slot_of(ctx, map, map->keys[i])] = i + 1;
    }
    return TS_OK;
}

ts_code flare_idmap_add(ts_ctx *ctx, flare_idmap *map, int64_t key, uint32_t value)
{
    ts_code code;
    if (map->count == map->cap && (code = grow(ctx, map)) != TS_OK) {
        return code;
    }
    map->keys[map->count] = key;
    map->values[map->count] = value;
    map->slots[slot_of(ctx, map, key)] = map->count + 1;
    map->count++;
    return TS_OK;
}

void flare_idmap_free(ts_ctx *ctx, flare_idmap *map)
{
    ts_free(ctx, map->keys);
    ts_free(ctx, map->values);
    ts_free(ctx, map->slots);
    *map = (flare_idmap){0};
}

#include "base/idmap.h"

#include "base/alloc.h"

enum { FIRST_SLOTS = 32 };
#define MAX_SLOTS (UINT32_C(1) << 31)

/* How many entries so many slots may hold. */
static uint32_t room_of(uint32_t slot_count)
{
    return slot_count / 4 * 3;
}

/* The slot that holds the id or where it belongs. There is a free one. */
static uint32_t idmap_slot_of(const ts_idmap *map, int64_t id)
{
    uint32_t mask = map->slot_count - 1;
    uint32_t slot = (uint32_t)ts_hash_number(&map->key, id) & mask;
    while (map->slots[slot] != 0 && map->entries[map->slots[slot] - 1].id != id) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

bool ts_idmap_find(uint64_t *value, const ts_idmap *map, int64_t id)
{
    uint32_t slot;
    if (map->count == 0) {
        return false;
    }
    slot = idmap_slot_of(map, id);
    if (map->slots[slot] == 0) {
        return false;
    }
    *value = map->entries[map->slots[slot] - 1].value;
    return true;
}

static ts_code idmap_grow(ts_ctx *ctx, ts_idmap *map)
{
    uint32_t slot_count = map->slot_count == 0 ? FIRST_SLOTS : map->slot_count * 2;
    ts_idmap_entry *entries;
    uint32_t *slots;
    if (map->slot_count == MAX_SLOTS) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u ids", room_of(MAX_SLOTS));
    }
    entries = ts_realloc(ctx, map->entries, room_of(slot_count), sizeof *entries);
    if (entries == NULL) {
        return ctx->error.code;
    }
    map->entries = entries;
    slots = ts_zalloc(ctx, slot_count, sizeof *slots);
    if (slots == NULL) {
        return ctx->error.code;
    }
    ts_free(ctx, map->slots);
    map->slots = slots;
    map->slot_count = slot_count;
    map->key = ctx->hash_key;
    for (uint32_t i = 0; i < map->count; i++) {
        slots[idmap_slot_of(map, map->entries[i].id)] = i + 1;
    }
    return TS_OK;
}

ts_code ts_idmap_put(ts_ctx *ctx, ts_idmap *map, int64_t id, uint64_t value)
{
    uint32_t slot = 0;
    ts_code code;
    if (map->slot_count != 0) {
        slot = idmap_slot_of(map, id);
        if (map->slots[slot] != 0) {
            map->entries[map->slots[slot] - 1].value = value;
            return TS_OK;
        }
    }
    if (map->count == room_of(map->slot_count)) {
        if ((code = idmap_grow(ctx, map)) != TS_OK) {
            return code;
        }
        slot = idmap_slot_of(map, id);
    }
    map->entries[map->count++] = (ts_idmap_entry){id, value};
    map->slots[slot] = map->count;
    return TS_OK;
}

void ts_idmap_free(ts_ctx *ctx, ts_idmap *map)
{
    ts_free(ctx, map->entries);
    ts_free(ctx, map->slots);
    *map = (ts_idmap){0};
}

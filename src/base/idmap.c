#include "base/idmap.h"

#include "base/alloc.h"

static bool is_id(const void *owner, uint32_t number, const void *key)
{
    return ((const ts_idmap *)owner)->entries[number].id == *(const int64_t *)key;
}

static uint32_t entry_of(const ts_idmap *map, int64_t id)
{
    const ts_index *index = &map->index;
    return map->count == 0 ? TS_INDEX_NONE
                           : ts_index_find(index, ts_hash_number(&index->key, id), is_id, map, &id);
}

bool ts_idmap_find(uint64_t *value, const ts_idmap *map, int64_t id)
{
    uint32_t found = entry_of(map, id);
    if (found == TS_INDEX_NONE) {
        return false;
    }
    *value = map->entries[found].value;
    return true;
}

/* What is found is asked for its id, so that places of entries that are gone do no harm. */
bool ts_idmap_find_recent(uint64_t *value, const ts_idmap *map, ts_idmap_recent *recent, int64_t id)
{
    const uint64_t *key = map->index.key.k; /* that no input knows, as in a hash */
    uint64_t spread = ((uint64_t)id ^ key[0]) * (key[1] | 1);
    uint32_t *place = &recent->places[spread >> 32 & (TS_IDMAP_RECENT - 1)];
    if (*place >= map->count || map->entries[*place].id != id) {
        uint32_t found = entry_of(map, id);
        if (found == TS_INDEX_NONE) {
            return false;
        }
        *place = found;
    }
    *value = map->entries[*place].value;
    return true;
}

/* As many entries as the index has room for. */
static ts_code grow_entries(ts_ctx *ctx, ts_idmap *map)
{
    ts_idmap_entry *entries = ts_realloc(ctx, map->entries, map->index.room, sizeof *entries);
    TS_NEED(ctx, entries);
    map->entries = entries;
    map->room = map->index.room;
    return TS_OK;
}

ts_code ts_idmap_put(ts_ctx *ctx, ts_idmap *map, int64_t id, uint64_t value)
{
    ts_index *index = &map->index;
    ts_index_place place;
    uint32_t found;
    ts_code code = ts_index_reserve(ctx, index);
    if (code != TS_OK || (map->room != index->room && (code = grow_entries(ctx, map)) != TS_OK)) {
        return code;
    }
    found = ts_index_search(&place, index, ts_hash_number(&index->key, id), is_id, map, &id);
    if (found != TS_INDEX_NONE) {
        map->entries[found].value = value;
        return TS_OK;
    }
    map->entries[map->count] = (ts_idmap_entry){id, value};
    ts_index_add(index, place, map->count++);
    return TS_OK;
}

void ts_idmap_remove(ts_idmap *map, int64_t id)
{
    ts_index *index = &map->index;
    uint64_t hash = ts_hash_number(&index->key, id);
    uint32_t number = ts_index_find(index, hash, is_id, map, &id);
    uint32_t last = map->count - 1;
    if (number == TS_INDEX_NONE) {
        return;
    }
    ts_index_remove(index, hash, number);
    if (number != last) {
        map->entries[number] = map->entries[last];
        ts_index_renumber(index, ts_hash_number(&index->key, map->entries[last].id), last, number);
    }
    map->count = last;
}

void ts_idmap_free(ts_ctx *ctx, ts_idmap *map)
{
    ts_free(ctx, map->entries);
    ts_index_free(ctx, &map->index);
    *map = (ts_idmap){0};
}

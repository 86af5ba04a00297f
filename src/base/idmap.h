/*
 * A map from 64-bit ids, which may come from an input, to 64-bit values, by a ts_index. An id takes
 * 27 to 53 bytes. Zeroed: empty.
 *
 * The entries are in the order in which their ids came, whatever the key: rows that are made from
 * them are the same in every run. Where ids are removed, there is no order.
 */
#ifndef TS_BASE_IDMAP_H
#define TS_BASE_IDMAP_H

#include "base/index.h"

typedef struct ts_idmap_entry {
    int64_t id;
    uint64_t value;
} ts_idmap_entry;

typedef struct ts_idmap {
    ts_idmap_entry *entries; /* `count` of them */
    uint32_t count;
    uint32_t room; /* for so many entries */
    ts_index index;
} ts_idmap;

/* True and the value when the map has the id. */
bool ts_idmap_find(uint64_t *value, const ts_idmap *map, int64_t id);

/* Where ids that were looked for lately are among the entries. Zeroed: nothing is known. */
enum { TS_IDMAP_RECENT = 256 };
typedef struct ts_idmap_recent {
    uint32_t places[TS_IDMAP_RECENT];
} ts_idmap_recent;

/* The same as ts_idmap_find, for ids of which some come again and again. */
bool ts_idmap_find_recent(uint64_t *value, const ts_idmap *map, ts_idmap_recent *recent,
                          int64_t id);

/* Gives the id a value, also when it has one. On failure (TS_ERR_NOMEM; TS_ERR_LIMIT, also for more
 * than 1.6 billion ids) the map has what it had. */
ts_code ts_idmap_put(ts_ctx *ctx, ts_idmap *map, int64_t id, uint64_t value);

/* Takes the id out of the map when it is there; the last entry gets its place. */
void ts_idmap_remove(ts_idmap *map, int64_t id);

/* Releases the map; it is empty then. */
void ts_idmap_free(ts_ctx *ctx, ts_idmap *map);

#endif

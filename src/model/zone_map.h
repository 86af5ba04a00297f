/* Rows that follow each other, what times they cover and which threads are among them: which rows
 * may lie in a range of time. */
#ifndef TS_MODEL_ZONE_MAP_H
#define TS_MODEL_ZONE_MAP_H

#include "base/ckd.h"
#include "base/vec.h"
#include "tables/table_rows.h"

typedef struct ts_zone {
    int64_t first; /* rowid */
    int64_t min_ts;
    int64_t max_end;
    uint64_t threads;
} ts_zone;

enum { TS_ZONE_ROWS = 4096 };

typedef struct ts_zones {
    ts_vec zones; /* of ts_zone */
    uint64_t rows;
} ts_zones;

static inline uint64_t ts_zone_bit(bool null, int64_t itid)
{
    return null ? UINT64_C(1) << 63 : UINT64_C(1) << ((uint64_t)itid & 63);
}

/* ts: TS_NO_TIME for none. */
ts_code ts_zones_add(ts_ctx *ctx, ts_zones *z, int64_t rowid, uint64_t thread, int64_t ts,
                     int64_t end);

/* The rows that may lie in [from, to) and be of these threads, one run of zones after the other. */
typedef struct ts_zone_walk {
    const ts_zones *zones;
    int64_t from;
    int64_t to;
    uint64_t threads;
    size_t next;
    int64_t last; /* rowid up to which the current run reaches */
    ts_rows *rows;
} ts_zone_walk;

void ts_zone_walk_begin(ts_zone_walk *w, const ts_zones *zones, ts_rows *rows, int64_t from,
                        int64_t to, uint64_t threads);
/* The next rows; *count of them, from the first of the batch on, none at the end. */
ts_code ts_zone_walk_next(const ts_batch **batch, unsigned *count, ts_zone_walk *w);

#endif

/* Which rows may lie in a range of time. */
#include "model/zone_map.h"

ts_code ts_zones_add(ts_ctx *ctx, ts_zones *z, int64_t rowid, uint64_t thread, int64_t ts,
                     int64_t end)
{
    if (z->rows++ % TS_ZONE_ROWS == 0) {
        ts_zone *zone = ts_vec_add(ctx, &z->zones, sizeof *zone);
        TS_NEED(ctx, zone);
        *zone = (ts_zone){.first = rowid, .min_ts = INT64_MAX, .max_end = INT64_MIN};
    }
    ts_zone *zone = (ts_zone *)z->zones.p + z->zones.n - 1;
    if (ts != TS_NO_TIME) {
        zone->threads |= thread;
        zone->min_ts = ts < zone->min_ts ? ts : zone->min_ts;
        zone->max_end = end > zone->max_end ? end : zone->max_end;
        zone->max_end = ts > zone->max_end ? ts : zone->max_end;
    }
    return TS_OK;
}

void ts_zone_walk_begin(ts_zone_walk *w, const ts_zones *zones, ts_rows *rows, int64_t from,
                        int64_t to, uint64_t threads)
{
    *w = (ts_zone_walk){.zones = zones,
                        .from = from,
                        .to = to,
                        .threads = threads,
                        .last = INT64_MIN,
                        .rows = rows};
}

/* Goes to the next run of zones that may hold rows; false when there is none. */
static bool walk_run(int64_t *first, ts_zone_walk *w)
{
    const ts_zone *zones = w->zones->zones.p;
    size_t n = w->zones->zones.n;
    bool open = false;
    for (; w->next < n; w->next++) {
        const ts_zone *z = &zones[w->next];
        bool hit = (z->threads & w->threads) != 0 && z->min_ts < w->to && z->max_end >= w->from;
        if (open && !hit) {
            break;
        }
        if (hit && !open) {
            open = true;
            *first = z->first;
        }
    }
    w->last = w->next < n ? zones[w->next].first - 1 : INT64_MAX;
    return open;
}

ts_code ts_zone_walk_next(const ts_batch **batch, unsigned *count, ts_zone_walk *w)
{
    for (;;) {
        int64_t first = 0;
        if (w->last != INT64_MIN) {
            ts_code code = ts_rows_next(batch, w->rows);
            unsigned n = code == TS_OK ? (*batch)->rows : 0;
            while (n > 0 && (*batch)->rowids[n - 1] > w->last) {
                n--;
            }
            *count = n;
            if (code != TS_OK || n > 0) {
                return code;
            }
        }
        if (!walk_run(&first, w)) {
            *count = 0;
            return TS_OK;
        }
        ts_code code;
        TS_TRY(code, ts_rows_seek(w->rows, first));
    }
}

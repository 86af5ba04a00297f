#include "tables/store_impl.h"

#include "base/ckd.h"

const char *ts_clock_name(ts_clock clock)
{
    static const char *const names[TS_CLOCK_COUNT] = {
        "unknown",   "boottime",         "realtime",      "realtime_coarse",
        "monotonic", "monotonic_coarse", "monotonic_raw", "relative",
    };
    return names[clock];
}

/* Names in clock_snapshot, spelled as readers of that table know them. */
static const char *snapshot_name(ts_clock clock)
{
    static const char *const names[TS_CLOCK_RELATIVE] = {
        NULL,        "boottime",         "realtime",      "realtime_corse",
        "monotonic", "monotonic-coarse", "monotonic-raw",
    };
    return names[clock];
}

ts_code ts_clock_snapshot(ts_store *store, const ts_clock_set *set)
{
    int64_t id = 0;
    if (store->clock_rows_written) {
        return TS_OK;
    }
    for (ts_clock clock = TS_CLOCK_BOOTTIME; clock < TS_CLOCK_RELATIVE; clock++) {
        ts_row_clock_snapshot row = {0, id, clock, ts_store_clamp(set->at[clock]), TS_TEXT_NULL};
        if (set->at[clock] == 0) {
            continue;
        }
        if (set->at[clock] > INT64_MAX) {
            TS_SET_NULL(clock_snapshot, &row, ts);
        }
        row.clock_name = ts_text_of(snapshot_name(clock));
        TS_TRY(ts_store_put(store, TS_T_clock_snapshot, &row));
        store->clock_rows_written = true;
        id++;
    }
    return TS_OK;
}

bool ts_clock_convert(int64_t *out, const ts_clock_set *set, ts_clock from, ts_clock to, int64_t ts)
{
    *out = ts;
    if (from == to) {
        return true;
    }
    if (set->at[from] == 0 || set->at[to] == 0) {
        return false;
    }
    if (set->doubted || set->at[from] > INT64_MAX || set->at[to] > INT64_MAX) {
        *out = TS_NO_TIME;
        return true;
    }
    /* Both are at least 0, so that their difference fits. */
    *out = ts_time_add(ts, (int64_t)set->at[to] - (int64_t)set->at[from]);
    return true;
}

bool ts_wanted_span(ts_span *span, const ts_ctx *ctx, ts_clock clock, const ts_clock_set *set,
                    int64_t begin)
{
    const ts_time_range *range = &ctx->time_range;
    int64_t shift = 0;
    *span = TS_SPAN_ALL;
    if (range->kind == TS_WANTED_ALL) {
        return true;
    }
    if (range->kind == TS_WANTED_OFFSET) {
        shift = begin;
    } else if (clock != TS_CLOCK_REALTIME &&
               (set == NULL || !ts_clock_convert(&shift, set, TS_CLOCK_REALTIME, clock, 0))) {
        return false;
    }
    if (shift == TS_NO_TIME) {
        return false;
    }
    if (range->from != INT64_MIN) {
        span->from = ts_sat_add(range->from, shift);
    }
    if (range->to != INT64_MAX) {
        span->to = ts_sat_add(range->to, shift);
    }
    return true;
}

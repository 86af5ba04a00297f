#include "export/columns/day.h"

#include "base/ckd.h"
#include "tables/table_rows.h"

#define NS_A_DAY (INT64_C(86400) * 1000 * 1000 * 1000)

/* What is added to times of the clock boottime; the first that the recording says. */
static ts_code boottime_to_realtime(int64_t *offset, bool *known, ts_reader *reader)
{
    static const unsigned columns[] = {TS_C_clock_snapshot__clock_name, TS_C_clock_snapshot__ts};
    ts_walk at = ts_walk_of(ts_rows_of(reader), TS_T_clock_snapshot, columns, 2);
    int64_t boottime = 0;
    int64_t realtime = 0;
    bool has_boottime = false;
    bool has_realtime = false;
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &at)) {
        const ts_text clock = ts_walk_text(&at, 0);
        if (!has_boottime && ts_text_is(clock, "boottime") && !ts_walk_null(&at, 1)) {
            boottime = ts_walk_int(&at, 1);
            has_boottime = true;
        } else if (!has_realtime && ts_text_is(clock, "realtime") && !ts_walk_null(&at, 1)) {
            realtime = ts_walk_int(&at, 1);
            has_realtime = true;
        }
    }
    *known = has_boottime && has_realtime && !ts_ckd_sub(offset, realtime, boottime);
    return code;
}

ts_code ts_recording_day(int64_t *day, bool *known, ts_reader *reader)
{
    static const unsigned columns[] = {TS_C_source__clock, TS_C_source__start_ts};
    ts_walk at = ts_walk_of(ts_rows_of(reader), TS_T_source, columns, 2);
    int64_t offset = 0;
    bool has_offset = false;
    *day = 0;
    *known = false;
    ts_code code = boottime_to_realtime(&offset, &has_offset, reader);
    while (ts_walk_next(&code, &at)) {
        const ts_text clock = ts_walk_text(&at, 0);
        int64_t ts = ts_walk_int(&at, 1);
        bool has = !ts_walk_null(&at, 1) && !*known;
        if (has && ts_text_is(clock, "boottime")) {
            has = has_offset && !ts_ckd_add(&ts, ts, offset);
        } else {
            has = has && ts_text_is(clock, "realtime");
        }
        if (has) {
            *day = ts / NS_A_DAY - (ts % NS_A_DAY < 0);
            *known = true;
        }
    }
    return code;
}

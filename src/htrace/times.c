#include "htrace/times.h"

#include "base/ckd.h"

int64_t ts_htrace_time(ts_clock *clock, ts_htrace_times *times, ts_clock from, int64_t ts)
{
    int64_t out;
    *clock = from;
    if (ts == TS_NO_TIME) {
        return ts;
    }
    if (times->clocks != NULL &&
        ts_clock_convert(&out, times->clocks, from, TS_CLOCK_BOOTTIME, ts)) {
        *clock = TS_CLOCK_BOOTTIME;
        times->over += out == TS_NO_TIME && !times->clocks->doubted ? 1 : 0;
        return out;
    }
    if (times->clocks != NULL && times->clocks->at[TS_CLOCK_BOOTTIME] != 0) {
        times->missing = true;
        times->missing_clock = from;
    }
    return ts;
}

ts_code ts_htrace_times_finish(const ts_htrace_times *times, ts_store *store, int64_t source_id,
                               const char *plugin)
{
    ts_code code = TS_OK;
    if (times->missing) {
        code = ts_issue(store, source_id, TS_ISSUE_clock_missing, plugin, TS_NO_OFFSET,
                        "the clock snapshot has no %s; outer times stay in it",
                        ts_clock_name(times->missing_clock));
    }
    if (code == TS_OK && times->over > 0) {
        code =
            ts_issue_n(store, source_id, TS_ISSUE_time_overflow, plugin, TS_NO_OFFSET, times->over,
                       "outer times do not fit 64 bit nanoseconds of the trace clock");
    }
    return code;
}

/* Times of a recording, converted to the clock that all rows of the database share. */
#ifndef TS_HTRACE_TIMES_H
#define TS_HTRACE_TIMES_H

#include "tables/store.h"

/* Zero-initialise but for `clocks`. One for each reader of times, since each has its own issues. */
typedef struct ts_htrace_times {
    const ts_clock_set *clocks; /* borrowed; what is known of them may grow. NULL: nothing */
    uint64_t over;              /* times that do not fit, which are TS_NO_TIME now */
    bool missing;               /* times that could not be converted because a clock is missing */
    ts_clock missing_clock;
} ts_htrace_times;

/*
 * ts (ns, read from clock `from`) in boottime, with *clock = boottime. When the clocks are not
 * related, ts as it is with *clock = from. TS_NO_TIME when it does not fit into 64 bits, or ts is
 * that. Docs: docs/formats.md, ".htrace container".
 */
int64_t ts_htrace_time(ts_clock *clock, ts_htrace_times *times, ts_clock from, int64_t ts);

/* Records as issues of the plugin what went wrong in the conversions. Called once, at the end. */
ts_code ts_htrace_times_finish(const ts_htrace_times *times, ts_store *store, int64_t source_id,
                               const char *plugin);

#endif

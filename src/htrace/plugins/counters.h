/*
 * For plugins with values of counters over time: a row for each value, whose `dur` is the time
 * until the next value of the same counter. Docs: docs/formats.md, "Counters".
 *
 * `dur` of a value is NULL when no other follows, and when values may be missing after it, or the
 * next is earlier. Of a counter, --time-range keeps the values that hold at some time of it.
 *
 * Memory: some 80 bytes a counter.
 */
#ifndef TS_HTRACE_PLUGINS_COUNTERS_H
#define TS_HTRACE_PLUGINS_COUNTERS_H

#include "htrace/plugins/plugin_records.h"

#include "base/idmap.h"
#include "base/vec.h"
#include "tables/store_processes.h"

typedef struct ts_counters {
    ts_records *records;
    enum ts_table_id table; /* sys_mem_measure, process_measure ... */
    ts_tally *values;       /* NULL before the first */
    ts_idmap places;        /* of filters in `open` */
    ts_vec open;            /* their last values */
    ts_vec recent;          /* int64_t: places of those that had one since the last gap */
    uint64_t gapped;
} ts_counters;

/* The table must have the columns of `measure`. */
void ts_counters_init(ts_counters *c, ts_records *records, enum ts_table_id table);

/* A value at a recorded time, or TS_NO_TIME; known: false makes it NULL. */
ts_code ts_counters_put(ts_counters *c, int64_t filter, int64_t raw, int64_t value, bool known);

/* Values may be missing here. */
ts_code ts_counters_gap(ts_counters *c);

/* After the last value. */
ts_code ts_counters_finish(ts_counters *c);
void ts_counters_free(ts_counters *c);

#endif

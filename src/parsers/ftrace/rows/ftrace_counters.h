/*
 * Values of counters: a row each, whose `dur` is the time until the next value of the same counter.
 *
 * Memory: 60 bytes a counter.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_COUNTERS_H
#define TS_PARSERS_FTRACE_FTRACE_COUNTERS_H

#include "base/idmap.h"
#include "base/vec.h"
#include "parsers/ftrace/ftrace_event.h"
#include "tables/rows.h"

struct ftrace_machine;

/* The last value of a counter. */
typedef struct ftrace_value {
    enum ts_table_id table; /* measure or process_measure */
    int64_t row;
    int64_t ts;
    uint64_t begun; /* number of its event (ftrace_loss.h) */
} ftrace_value;

typedef struct ftrace_counters {
    ts_idmap places; /* of filters in `values` */
    ts_vec values;   /* ftrace_value */
} ftrace_counters;

/* Frequencies, idle states, clocks, weights for the killer of processes. */
ts_code ftrace_counter_event(struct ftrace_machine *m, const ftrace_event *event);

/* table: measure or process_measure. */
ts_code ftrace_value_put(struct ftrace_machine *m, enum ts_table_id table, int64_t filter,
                         int64_t ts, int64_t value);
ts_code ftrace_counters_finish(struct ftrace_machine *m);
void ftrace_counters_free(struct ftrace_machine *m);

#endif

/*
 * From events of the kernel in order of time to rows: scheduling, states of threads, slices,
 * counters, interrupts, frames (docs/formats.md, "ftrace-plugin"). One for a recording, whichever
 * reader the events come from.
 *
 * Memory: the open rows, the last state of each thread, each CPU, each counter, each open slice
 * and transaction.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_MACHINE_H
#define TS_PARSERS_FTRACE_FTRACE_MACHINE_H

#include "parsers/ftrace/ftrace_event.h"
#include "tables/store.h"

typedef struct ftrace_machine ftrace_machine;

typedef struct ftrace_machine_options {
    ts_clock clock; /* of the events' times; TS_CLOCK_UNKNOWN: as recorded */
    const ts_clock_set
        *clocks;        /* for times within markers, borrowed; NULL: they are not converted */
    const char *stream; /* for issues: "ftrace-plugin"; borrowed */
} ftrace_machine_options;

/* The caller frees with ftrace_machine_close. */
ts_code ftrace_machine_open(ftrace_machine **out, ts_ctx *ctx, ts_store *store, int64_t source_id,
                            const ftrace_machine_options *options);

/* Only rows that meet the span are wanted (--time-range). Before the first event, and before the
 * first row. */
ts_code ftrace_machine_limit(ftrace_machine *m, const ts_span *wanted);

/* A symbol of the kernel, for names of functions: a row of `symbols`. Before the first event. */
ts_code ftrace_machine_symbol(ftrace_machine *m, uint64_t addr, ts_text name);

/* The name of a thread from a list of names: that of a process that has none at the end. */
ts_code ftrace_machine_comm(ftrace_machine *m, int32_t tid, ts_text name);

/* TN: the name of a thread of a process, which is made when it is new. */
ts_code ftrace_machine_thread(ftrace_machine *m, int32_t tid, int32_t pid, ts_text name);

/* The next event, or what was lost: its time is that of the one before or later. An event that is
 * earlier is handled now, and counted (an issue at the end). Counts the event in `stat` and in
 * import_count. */
ts_code ftrace_machine_event(ftrace_machine *m, const ftrace_event *event);

/* The recording has ended: closes what is known to end, writes what was kept. Once. */
ts_code ftrace_machine_finish(ftrace_machine *m);

/* NULL is allowed. */
void ftrace_machine_close(ftrace_machine *m);

#endif

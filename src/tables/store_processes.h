/*
 * Processes, threads and counters as events mention them: by pid, tid and name, in any order.
 * Spec of the compatible tables: process, thread, measure_filter and the tables of its kinds.
 */
#ifndef TS_TABLES_SEEN_H
#define TS_TABLES_SEEN_H

#include "tables/store.h"

/* The process with this pid of the input; a new one gets its main thread. */
ts_code ts_process_seen(int64_t *ipid, ts_store *store, int64_t source_id, int64_t pid);

/* The same; a name that is not empty becomes that of the process and of its main thread. */
ts_code ts_process_named(int64_t *ipid, ts_store *store, int64_t source_id, int64_t pid,
                         ts_text name);

/* The thread with this tid in the process with this pid (0: in any): one that is there, one whose
 * process was not known, or a new one. */
ts_code ts_thread_seen(int64_t *itid, ts_store *store, int64_t source_id, int64_t tid, int64_t pid);

/* Kinds of counters. */
typedef enum ts_filter_kind {
    TS_FILTER_PROCESS,        /* of a process, its ipid is the owner: process_measure */
    TS_FILTER_SYSTEM,         /* of the memory, owner -1: sys_mem_measure */
    TS_FILTER_VIRTUAL_MEMORY, /* of the virtual memory, owner -1: sys_mem_measure */
    TS_FILTER_XPOWER,         /* of power use, owner 0: xpower_measure */
    TS_FILTER_CPU,            /* of a CPU, its number is the owner: measure */
    TS_FILTER_CLOCK_RATE,     /* of a clock on a CPU, which is the owner: measure */
    TS_FILTER_CLOCK_ENABLE,
    TS_FILTER_CLOCK_DISABLE,
    TS_FILTER_CLK_RATE,
    TS_FILTER_CLK_ENABLE,
    TS_FILTER_CLK_DISABLE,
    TS_FILTER_COUNT
} ts_filter_kind;

/* The counter of (kind, owner, name); a new one has the next number, from 0, and its rows in
 * measure_filter and in the table of its kind. */
ts_code ts_filter(int64_t *id, ts_store *store, ts_filter_kind kind, int64_t owner, ts_text name);

#endif

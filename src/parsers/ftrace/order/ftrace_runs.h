/*
 * Events in any order, which become runs in order of time: packed bytes and keys are collected
 * until the memory is full, then sorted and written to a spool. So many runs that they can be read
 * side by side are left at the end; the caller merges them.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_RUNS_H
#define TS_PARSERS_FTRACE_FTRACE_RUNS_H

#include "base/sorter.h"
#include "base/spool.h"
#include "base/vec.h"
#include "parsers/ftrace/order/ftrace_heap.h"
#include "parsers/ftrace/order/ftrace_pack.h"

/* A run of the spool, and what of it is in memory while it is merged. */
typedef struct ftrace_run {
    uint64_t begin, end;
    uint64_t off; /* of block[at] in the spool */
    uint8_t *block;
    size_t at, have;
    int64_t ts; /* of the next event */
    uint64_t number;
    uint32_t size;
    bool ended;
} ftrace_run;

typedef struct ftrace_runs {
    ts_ctx *ctx;
    size_t memory;
    uint8_t *bytes; /* of the events that are in no run yet */
    size_t n, cap;
    ts_sorter *keys; /* of these; NULL before the first */
    uint64_t count;
    ts_spool *spool; /* NULL: there is no run */
    ts_vec runs;     /* ftrace_run */
    uint8_t *blocks; /* of the runs that are being merged */
    size_t block;    /* bytes of each */
    uint8_t *large;  /* an event that is larger than a block */
    size_t large_room;
} ftrace_runs;

/* memory: bytes. Free with ftrace_runs_free, also after a failure. */
void ftrace_runs_init(ftrace_runs *r, ts_ctx *ctx, size_t memory);
void ftrace_runs_free(ftrace_runs *r);

/* Copies the event, whose number rises. Errors: memory, the spool's, TS_ERR_INTERRUPTED. */
ts_code ftrace_runs_add(ftrace_runs *r, const ftrace_event *event, uint64_t number);

/* All were added: makes runs that can be read side by side, each at its first event. Once. */
ts_code ftrace_runs_finish(ftrace_runs *r);

static inline ftrace_run *ftrace_run_at(const ftrace_runs *r, size_t i)
{
    return (ftrace_run *)r->runs.p + i;
}

/* The next event of a run that has not ended; its texts are borrowed until ftrace_run_step. */
ts_code ftrace_run_event(ftrace_event *event, ftrace_runs *r, ftrace_run *run);

/* Goes to the run's event after it, or to its end. */
ts_code ftrace_run_step(ftrace_runs *r, ftrace_run *run);

#endif

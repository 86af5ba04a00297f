/*
 * BinderRunnable: a thread that sends a synchronous transaction and is switched out
 * while it could run, for the thread that receives the transaction, is in the state R-B and not R+.
 * What counts is the first time that it is switched out after the transaction.
 *
 * Memory: 128 bytes for each such thread and transaction that is not received yet.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_RUNNABLE_H
#define TS_PARSERS_FTRACE_FTRACE_RUNNABLE_H

#include "base/vec.h"
#include "parsers/ftrace/rows/ftrace_open.h"

struct ftrace_machine;
struct ftrace_state;
struct ftrace_thread;

typedef struct ftrace_runnable {
    ftrace_open calls;  /* sender -> its transaction; transaction -> 1 + place in `waits` */
    ftrace_open states; /* thread whose last state waits -> the same */
    ts_vec waits;
    uint32_t free; /* 1 + place, 0: none */
} ftrace_runnable;

/* The thread sends a transaction that needs a reply. */
ts_code ftrace_runnable_call(struct ftrace_machine *m, struct ftrace_thread *thread, int64_t id);

/* After such a call the thread is switched out for `next`; its last state has begun. wanted: it
 * could run, and next is not the idle thread. */
ts_code ftrace_runnable_out(struct ftrace_machine *m, struct ftrace_thread *thread,
                            const struct ftrace_thread *next, bool wanted);

/* The last state of the thread, which waits, is complete: it is kept. */
void ftrace_runnable_keep(struct ftrace_machine *m, struct ftrace_thread *thread,
                          const struct ftrace_state *row);

/* A transaction that needs a reply is received. */
ts_code ftrace_runnable_received(struct ftrace_machine *m, const struct ftrace_thread *thread,
                                 int64_t id);

/* Puts the states that still wait. */
ts_code ftrace_runnable_finish(struct ftrace_machine *m);
void ftrace_runnable_free(struct ftrace_machine *m);

#endif

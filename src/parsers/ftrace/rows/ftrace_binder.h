/*
 * Calls between processes by binder: transactions, their replies and the lock (docs/formats.md,
 * "ftrace-plugin"). They are slices of callstack whose arguments point to each other.
 *
 * Memory: the transactions on their way, 48 to 96 bytes each, and 2 bits a thread.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_BINDER_H
#define TS_PARSERS_FTRACE_FTRACE_BINDER_H

#include "parsers/ftrace/ftrace_event.h"
#include "parsers/ftrace/rows/ftrace_open.h"

struct ftrace_machine;

typedef struct ftrace_binder {
    ftrace_open awaited; /* id of a transaction that needs a reply -> tid of the sender */
    ftrace_open replies; /* ids of replies on their way */
    ftrace_open one_way; /* id of a call without a reply -> its arguments */
    ftrace_open running; /* tid -> tid that its running reply is for */
    ftrace_open locks;   /* tids that have or wait for the lock */
} ftrace_binder;

ts_code ftrace_binder_event(struct ftrace_machine *m, const ftrace_event *event);
void ftrace_binder_free(struct ftrace_machine *m);

#endif

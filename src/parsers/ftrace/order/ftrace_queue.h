/*
 * Puts events in order of time; those of equal times stay in the order in which they were added.
 * Any number of events: what does not fit into the given memory is spooled. Cheapest when those of
 * a CPU come in order.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_QUEUE_H
#define TS_PARSERS_FTRACE_FTRACE_QUEUE_H

#include "base/context.h"
#include "parsers/ftrace/ftrace_event.h"

typedef struct ftrace_queue ftrace_queue;

/* Handed each event in order; its texts are borrowed for the call. */
typedef ts_code ftrace_queue_take(void *user, const ftrace_event *event);

/* memory: bytes. The caller frees with ftrace_queue_close. Errors: memory, and the spool's. */
ts_code ftrace_queue_open(ftrace_queue **out, ts_ctx *ctx, size_t memory);

/* Copies the event. Errors: memory, the spool's, TS_ERR_INTERRUPTED. */
ts_code ftrace_queue_add(ftrace_queue *queue, const ftrace_event *event);

/* All were added: hands them out, and ends at the first code of `take` that is not TS_OK. Once. */
ts_code ftrace_queue_drain(ftrace_queue *queue, ftrace_queue_take *take, void *user);

/* NULL is allowed. */
void ftrace_queue_close(ftrace_queue *queue);

#endif

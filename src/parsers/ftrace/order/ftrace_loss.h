/*
 * What of the events was lost, and when: values of which a part may have been lost are not known
 * (docs/formats.md, "Lost events"). Things note the number of the event that they began with;
 * a loss that is later concerns them.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_LOSS_H
#define TS_PARSERS_FTRACE_FTRACE_LOSS_H

#include "base/context.h"
#include "parsers/ftrace/ftrace_event.h"

struct ftrace_machine;
struct ftrace_thread;
struct ftrace_cpu;

typedef struct ftrace_losses {
    uint64_t now;   /* number of the event, or loss, that is handled */
    uint64_t ended; /* of the end of the last loss, 0: there was none */
    uint64_t all;   /* the same, of those of all CPUs */
    uint32_t open;  /* CPUs that lose events */
} ftrace_losses;

/* The thread runs on the CPU from now on, or (NULL) it is not known where. */
void ftrace_thread_moves(struct ftrace_machine *m, struct ftrace_thread *thread,
                         struct ftrace_cpu *cpu);

/* FTRACE_GAP, FTRACE_LOSS_BEGINS or FTRACE_LOSS_ENDS. */
ts_code ftrace_lose(struct ftrace_machine *m, const ftrace_event *event);

#endif

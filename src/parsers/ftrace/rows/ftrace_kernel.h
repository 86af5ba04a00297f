/*
 * Fences of DMA, work queues, system calls and timers of the kernel.
 *
 * Memory: the last event of each timeline, the last system call of each thread.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_KERNEL_H
#define TS_PARSERS_FTRACE_FTRACE_KERNEL_H

#include "base/vec.h"
#include "parsers/ftrace/ftrace_event.h"
#include "parsers/ftrace/rows/ftrace_open.h"

struct ftrace_machine;

/* The last system call of a thread. */
typedef struct ftrace_call {
    bool open;
    int64_t number;
    int64_t ts;
    uint64_t begun; /* number of its event (ftrace_loss.h) */
    char *args;     /* owned; NULL: not recorded */
    size_t args_n;
} ftrace_call;

/* The last event of a timeline. */
typedef struct ftrace_fence {
    int64_t ts;
    uint64_t number; /* of the event (ftrace_loss.h) */
} ftrace_fence;

typedef struct ftrace_kernel {
    ftrace_open timelines; /* of fences -> 1 + place in `fences` */
    ts_vec fences;         /* ftrace_fence */
} ftrace_kernel;

ts_code ftrace_fence_event(struct ftrace_machine *m, const ftrace_event *event);
ts_code ftrace_work_event(struct ftrace_machine *m, const ftrace_event *event);

/* Is it no system call, or one that --syscalls names? What is not wanted is not counted in `stat`.
 */
bool ftrace_call_wanted(const struct ftrace_machine *m, const ftrace_event *event);
ts_code ftrace_call_event(struct ftrace_machine *m, const ftrace_event *event);
ts_code ftrace_timer_event(struct ftrace_machine *m, const ftrace_event *event);
void ftrace_call_free(ts_ctx *ctx, ftrace_call *call);
void ftrace_kernel_free(struct ftrace_machine *m);

#endif

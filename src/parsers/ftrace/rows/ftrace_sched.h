/*
 * Scheduling: which thread ran on which CPU, and the states of threads (docs/formats.md,
 * "ftrace-plugin"). Rows need the process of their thread: they wait until the end.
 *
 * Memory: the last state of each thread, the open rows of each CPU, two windows of rows and a
 * sorter's block.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_SCHED_H
#define TS_PARSERS_FTRACE_FTRACE_SCHED_H

#include "base/idmap.h"
#include "base/sorter.h"
#include "base/vec.h"
#include "parsers/ftrace/ftrace_event.h"
#include "parsers/ftrace/rows/ftrace_rowlog.h"

enum { FTRACE_NEAR_CPUS = 64 };

struct ftrace_machine;
struct ftrace_thread;

/* A row of thread_state to be. */
typedef struct ftrace_state_row {
    uint64_t ts_key; /* ts_sorter_key(ts) */
    uint64_t number; /* in the order of their making */
    int64_t dur;     /* TS_NO_TIME: until the end, or not known */
    int64_t args;    /* FTRACE_NO_ARGS: none */
    uint32_t itid;
    int32_t cpu;    /* -1: none */
    uint64_t state; /* an index of the list of states */
} ftrace_state_row;

enum { FTRACE_NO_PLACE = 0 };

/* A row that is not complete, and where it will be. */
typedef struct ftrace_state {
    ftrace_state_row row;
    uint64_t place; /* 1 + number in the log; FTRACE_NO_PLACE: it must be sorted */
} ftrace_state;

typedef struct ftrace_thread_sched {
    ftrace_state last;     /* its last state */
    ftrace_state *blocked; /* its last D row, when another one came after it; owned; NULL: never */
    int64_t wake;          /* when it was woken and has not run since */
    uint64_t wake_number;  /* in the order of wakes */
    struct ftrace_cpu *place; /* where it runs; NULL: it does not, or where is not known */
    uint64_t placed;          /* numbers of events (ftrace_losses): since then */
    uint64_t lost;            /* the last before `placed` that may be missing */
    uint64_t begun;           /* with which `last` began */
    uint64_t woken;           /* with which it was woken, */
    uint64_t waits;           /* went to the D row that waits for its reason, */
    uint64_t called;          /* sent its transaction */
    bool has_last;
    bool has_wake;
    bool wake_known;   /* `last` was its state when it was woken */
    bool last_blocked; /* `last` is the D row */
    bool has_blocked;  /* `blocked` waits */
    bool has_call;     /* it sent a transaction and was not switched out since */
    bool last_waits;   /* whether `last` is R-B is known when the transaction is received */
} ftrace_thread_sched;

/* A row of sched_slice to be. */
typedef struct ftrace_slice_row {
    int64_t ts;
    int64_t dur; /* TS_NO_TIME: still running */
    int64_t priority;
    uint32_t itid;
    uint32_t prev_itid;
    uint32_t cpu;
    uint8_t end_state; /* indexes of the list of states; 0: not known */
    uint8_t prev_state;
    uint8_t pad[2];
} ftrace_slice_row;

typedef enum ftrace_interrupt_kind {
    FTRACE_IRQ,
    FTRACE_SOFTIRQ,
    FTRACE_IPI,
    FTRACE_INTERRUPTS
} ftrace_interrupt_kind;

/* A row of irq to be. */
typedef struct ftrace_interrupt {
    uint64_t number; /* in the order of beginnings */
    int64_t ts;
    int64_t dur;  /* TS_NO_TIME: its end was not seen */
    int64_t args; /* FTRACE_NO_ARGS: none */
    uint32_t cpu;
    uint32_t name; /* in `names` of the machine */
    uint8_t kind;
    bool flagged; /* flag is 1 */
    bool used;    /* there is one here */
    uint8_t pad[5];
} ftrace_interrupt;

typedef struct ftrace_cpu {
    uint32_t number;
    uint32_t losing; /* losses of its events that go on */
    uint64_t lost;   /* number of the end of the last one (ftrace_losses) */
    bool has_slice;
    ftrace_slice_row slice;                         /* the open one */
    uint64_t slice_number;                          /* in the log */
    uint64_t slice_begun;                           /* number of its event */
    struct ftrace_thread *running;                  /* thread of the last Running row, or NULL */
    uint64_t running_row;                           /* its number */
    ftrace_interrupt interrupts[FTRACE_INTERRUPTS]; /* those that are open */
    ftrace_interrupt ended_ipi;                     /* the one that ended since the irq began */
    uint64_t interrupted;                           /* number of the last event of those */
} ftrace_cpu;

typedef struct ftrace_sched {
    ftrace_rowlog slices; /* ftrace_slice_row */
    ftrace_rowlog states; /* ftrace_state_row, in the order of ts and number */
    ts_sorter *others;    /* rows that began before the last one of `states`; NULL: none yet */
    uint64_t last_key;    /* of `states` */
    ts_idmap cpu_numbers; /* ftrace_cpu */
    ftrace_cpu *cpus[FTRACE_NEAR_CPUS]; /* those with low numbers; NULL: not met */
    uint64_t state_count;
    uint64_t wake_count;
} ftrace_sched;

void ftrace_sched_init(ftrace_sched *s, ts_ctx *ctx);

/* The state of a CPU; made when new. */
ts_code ftrace_cpu_of(ftrace_cpu **out, struct ftrace_machine *m, uint32_t number);

ts_code ftrace_sched_switch(struct ftrace_machine *m, const ftrace_event *event);
ts_code ftrace_sched_wakeup(struct ftrace_machine *m, const ftrace_event *event);
ts_code ftrace_sched_blocked(struct ftrace_machine *m, const ftrace_event *event);

/* A row that is complete. */
ts_code ftrace_sched_state(struct ftrace_machine *m, const ftrace_state *state);

/* Its state is R-B. */
void ftrace_sched_waits_for_reply(ftrace_state *state);

/* A row of raw; cpu may be FTRACE_NO_CPU. */
#define FTRACE_NO_CPU INT64_MIN
ts_code ftrace_raw_put(struct ftrace_machine *m, const ftrace_event *event, ts_text name,
                       int64_t cpu, int64_t itid);

/* Puts all rows; threads have their processes. */
ts_code ftrace_sched_finish(struct ftrace_machine *m);
void ftrace_sched_free(struct ftrace_machine *m);

#endif

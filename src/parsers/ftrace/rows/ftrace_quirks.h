/*
 * What --compat changes in the rows of events of the kernel: values of the reference converter that
 * are well-defined, and that scripts for it compare. Each has its line in docs/differences.md. All
 * are off by default; nothing else of the machine depends on --compat.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_QUIRKS_H
#define TS_PARSERS_FTRACE_FTRACE_QUIRKS_H

#include <stdbool.h>

/* parent_id of roots and child_callid of slices of a thread. */
#define FTRACE_QUIRK_NO_ROW INT64_C(4294967295)

typedef struct ftrace_quirks {
    bool no_ts_end;         /* QF-7: sched_slice.ts_end is 0 */
    bool last_slice_runs;   /* QF-8: end_state of the last slice of a CPU is R */
    bool last_wakes_lost;   /* QF-10: wakes that nothing came of make no rows */
    bool wake_stays_open;   /* QF-11: R of a thread that is switched out has no end */
    bool blocked_twice;     /* QF-13: sched_blocked_reason counts twice, but not in text */
    bool roots_have_ids;    /* QF-14: FTRACE_QUIRK_NO_ROW in place of NULL */
    bool names_needed;      /* QF-16: B without a name makes no row */
    bool unmatched_silent;  /* QF-20, QF-21: no not_match of slices */
    bool sent_twice;        /* QF-23: arguments of a reply without a set are doubled */
    bool new_sets_lost;     /* QF-24: a set that is made later does not belong to the row */
    bool scores_alone;      /* QF-27: process FTRACE_QUIRK_NO_ROW of one that is not known */
    bool inner_dur;         /* QF-28: dur of an irq is that of the ipi inside, 0 without an end */
    bool work_matches;      /* QF-30: not_match of work that did match */
    bool open_lanes;        /* QF-32: frames without an end do not take a lane */
    bool gpu_ts;            /* QF-35: dur is ts + 1 when the frame was not queued */
    bool tasks_unseen;      /* 2.4: task_newtask makes no thread */
    bool calls_unseen;      /* 2.9: R+ of a thread that makes room for its binder call */
    bool text_wakers;       /* QT-3: raw.itid of a wakeup in text is the waker */
    bool text_idle_rawless; /* QT-4: no row of raw for cpu_idle in text */
    bool text_clock_cpu;    /* QT-5: clock_set_rate in text is of CPU 0 */
} ftrace_quirks;

/* What the context's `compat` stands for. */
static inline ftrace_quirks ftrace_quirks_of(bool compat)
{
    return (ftrace_quirks){compat, compat, compat, compat, compat, compat, compat,
                           compat, compat, compat, compat, compat, compat, compat,
                           compat, compat, compat, compat, compat, compat};
}

#endif

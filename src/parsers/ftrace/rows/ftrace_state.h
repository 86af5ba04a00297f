/* Inside of the machine: what its parts share. */
#ifndef TS_PARSERS_FTRACE_FTRACE_STATE_H
#define TS_PARSERS_FTRACE_FTRACE_STATE_H

#include "base/buf.h"
#include "base/pool.h"
#include "parsers/ftrace/rows/ftrace_args.h"
#include "parsers/ftrace/rows/ftrace_binder.h"
#include "parsers/ftrace/rows/ftrace_counters.h"
#include "parsers/ftrace/rows/ftrace_frames.h"
#include "parsers/ftrace/rows/ftrace_kernel.h"
#include "parsers/ftrace/rows/ftrace_limit.h"
#include "parsers/ftrace/order/ftrace_loss.h"
#include "parsers/ftrace/rows/ftrace_machine.h"
#include "parsers/ftrace/rows/ftrace_runnable.h"
#include "parsers/ftrace/rows/ftrace_quirks.h"
#include "parsers/ftrace/rows/ftrace_threads.h"

/* What became of an event of its kind, for import_count. */
typedef enum ftrace_outcome {
    FTRACE_USED,
    FTRACE_UNUSED,
    FTRACE_OTHER_MARKER, /* not used, and no event at all */
    FTRACE_WRONG,
    FTRACE_INVALID_MARKER, /* wrong, and no event at all */
} ftrace_outcome;

typedef enum ftrace_stat_type {
    FTRACE_NOT_MATCH,
    FTRACE_NOT_SUPPORTED,
    FTRACE_INVALID,
    FTRACE_LOST,
    FTRACE_RECEIVED_AGAIN,
    FTRACE_STAT_TYPES
} ftrace_stat_type;

typedef struct ftrace_kind_count {
    uint64_t received[FTRACE_FROM_FFRT + 1]; /* by reader */
    uint64_t left_out; /* calls that --syscalls does not name: they are not in `received` */
    uint64_t wrong, unused;
    uint64_t stat[FTRACE_STAT_TYPES];
} ftrace_kind_count;

struct ftrace_machine {
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    int64_t source_id;
    ftrace_machine_options options;
    ftrace_quirks quirks; /* of --compat */

    ftrace_threads threads;
    ftrace_args args;
    ftrace_sched sched;
    ftrace_slices slices;
    ftrace_counters counters;
    ftrace_binder binder;
    ftrace_runnable runnable;
    ftrace_interrupts interrupts;
    ftrace_kernel kernel;
    ftrace_frames frames;
    ftrace_losses losses;

    ftrace_outcome outcome; /* of the event that is handled */
    bool began;             /* there was an event */
    int64_t last_ts;
    ts_span wanted;      /* by --time-range */
    ftrace_limit *limit; /* NULL: all rows are wanted */
    bool noted;          /* there was an event in `wanted` */
    int64_t first_noted, last_noted;
    uint64_t late_events;
    uint64_t bad_texts;
    uint64_t bad_markers, other_markers;
    uint64_t empty_names; /* slices without a name */
    ftrace_kind_count counts[FTRACE_KINDS];

    ts_idmap comms;   /* tid -> number in names */
    ts_idmap symbols; /* address -> the same */
    ts_pool names;
    ts_buf scratch; /* a cleaned text */
    ts_buf plain;   /* the name of a marker without its chain */
};

static inline void ftrace_stat(ftrace_machine *m, unsigned kind, ftrace_stat_type type)
{
    m->counts[kind].stat[type]++;
}

/*
 * The number of the last event before which others may be missing, 0: none; that of now, when some
 * are (ftrace_loss.h). Of any CPU; of one; of a thread. What began with an event of a lower number
 * may have ended.
 */
static inline uint64_t ftrace_lost(const ftrace_machine *m)
{
    return m->losses.open > 0 ? m->losses.now : m->losses.ended;
}

static inline uint64_t ftrace_lost_of_cpu(const ftrace_machine *m, const ftrace_cpu *cpu)
{
    return cpu->losing > 0 ? m->losses.now : cpu->lost > m->losses.all ? cpu->lost : m->losses.all;
}

/* Events of a thread are those of its CPU while it is known to run there, else of any. */
static inline uint64_t ftrace_lost_of_thread(const ftrace_machine *m, const ftrace_thread *thread)
{
    const ftrace_thread_sched *t = &thread->sched;
    uint64_t lost = ftrace_lost(m);
    if (lost <= t->placed || (t->place != NULL && ftrace_lost_of_cpu(m, t->place) <= t->placed)) {
        return t->lost;
    }
    return lost;
}

/* Before all that looks at the slices or frames of the thread: are events of it lost since this was
 * last called? */
static inline ts_code ftrace_slices_check(ftrace_machine *m, ftrace_thread *thread)
{
    bool lost = ftrace_lost_of_thread(m, thread) > thread->checked;
    thread->checked = m->losses.now;
    return lost ? ftrace_slices_forget(m, thread) : TS_OK;
}

/* A text as it goes to a row: ill-formed bytes are replaced (in `scratch`, until the next call) and
 * counted. */
ts_code ftrace_clean(ts_text *text, ftrace_machine *m);

/* The text of a marker. */
ts_code ftrace_marker(ftrace_machine *m, const ftrace_event *event);

/* Both, which may be ill-formed at once. */
ts_code ftrace_clean_both(ts_text *a, ts_text *b, ftrace_machine *m);

ts_code ftrace_slices_finish(ftrace_machine *m);
void ftrace_slices_free(ftrace_machine *m);

#endif

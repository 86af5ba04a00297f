/* Inside of the machine: what its parts share. */
#ifndef TS_PARSERS_FTRACE_FTRACE_STATE_H
#define TS_PARSERS_FTRACE_FTRACE_STATE_H

#include "base/buf.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/sorter.h"
#include "base/vec.h"
#include "parsers/ftrace/rows/ftrace_frames.h"
#include "parsers/ftrace/rows/ftrace_machine.h"
#include "parsers/ftrace/rows/ftrace_open.h"
#include "parsers/ftrace/rows/ftrace_threads.h"
#include "tables/sink.h"

/* parent_id of roots, child_callid of slices of a thread and processes of scores with --compat. */
#define FTRACE_NO_ROW INT64_C(4294967295)

/* --- sets of arguments (ftrace_args.c) ------------------------------------------------------ */

/* Rows of args that share a number. Sets of one machine are numbered from 0, or from a number that
 * no machine before it has used. Memory: the texts, in data_dict. */
enum { FTRACE_NO_ARGS = -1 };

/* typeId of data_type */
enum { FTRACE_ARG_INT = 0, FTRACE_ARG_TEXT = 1, FTRACE_ARG_BOOL = 3 };

typedef struct ftrace_args {
    ts_store *store;
    ts_sink *sink;     /* where rows go */
    int64_t first;     /* number of the first set */
    int64_t next;      /* of the next one */
    int64_t slice_key; /* in data_dict: the key whose values are slices; -1: none yet */
} ftrace_args;

void ftrace_args_init(ftrace_args *args, ts_store *store, ts_sink *sink);

/* Adds an argument to the set; FTRACE_NO_ARGS becomes a new one. */
ts_code ftrace_args_put(int64_t *set, ftrace_args *args, const char *key, int64_t type,
                        int64_t value);
static inline ts_code ftrace_args_int(int64_t *set, ftrace_args *args, const char *key,
                                      int64_t value)
{
    return ftrace_args_put(set, args, key, FTRACE_ARG_INT, value);
}
/* The id of a row of callstack. All such arguments have one key. */
ts_code ftrace_args_slice(int64_t *set, ftrace_args *args, const char *key, int64_t slice);
ts_code ftrace_args_text(int64_t *set, ftrace_args *args, const char *key, ts_text value);

/* --- rows of a time range (ftrace_limit.c) -------------------------------------------------- */

/* --time-range. Memory: the blocks of spools and of a sorter, and a quarter of a byte a row of
 * callstack, frame_slice and set of arguments. Rows that begin after the range are not kept. */
typedef struct ftrace_limit ftrace_limit;

/* Rows that meet `wanted` go to `to`, borrowed until the end. The caller frees with
 * ftrace_limit_close. */
ts_code ftrace_limit_open(ftrace_limit **out, ts_ctx *ctx, ts_sink *to, const ts_span *wanted);

/* Where the machine puts its rows: rowids go on from those of `to`. The limit's. */
ts_sink *ftrace_limit_sink(ftrace_limit *limit);

/* All rows were put and completed: writes those that meet the range. args: their sets. Once.
 * Errors: memory, the spools', those of `to`. */
ts_code ftrace_limit_finish(ftrace_limit *limit, const ftrace_args *args);

/* NULL is allowed. */
void ftrace_limit_close(ftrace_limit *limit);

/* --- counters (ftrace_counters.c) ----------------------------------------------------------- */

/* Values of counters: a row each, whose `dur` is the time until the next value of the same counter.
 * Memory: 60 bytes a counter. */
/* The last value of a counter. */
typedef struct ftrace_value {
    enum ts_table_id table; /* measure or process_measure */
    int64_t row;
    int64_t ts;
    uint64_t begun; /* number of its event (ftrace_losses) */
} ftrace_value;

typedef struct ftrace_counters {
    ts_idmap places; /* of filters in `values` */
    ts_vec values;   /* ftrace_value */
} ftrace_counters;

/* Frequencies, idle states, clocks, weights for the killer of processes. */
ts_code ftrace_counter_event(ftrace_machine *m, const ftrace_event *event);

/* table: measure or process_measure. */
ts_code ftrace_value_put(ftrace_machine *m, enum ts_table_id table, int64_t filter, int64_t ts,
                         int64_t value);
ts_code ftrace_counters_finish(ftrace_machine *m);
void ftrace_counters_free(ftrace_machine *m);

/* --- calls between processes (ftrace_binder.c) ---------------------------------------------- */

/* Transactions, their replies and the lock: slices of callstack whose arguments point to each
 * other. Memory: the transactions on their way, 48 to 96 bytes each, and 2 bits a thread. */
typedef struct ftrace_binder {
    ftrace_open awaited; /* id of a transaction that needs a reply -> tid of the sender */
    ftrace_open replies; /* ids of replies on their way */
    ftrace_open one_way; /* id of a call without a reply -> its arguments */
    ftrace_open running; /* tid -> tid that its running reply is for */
    ftrace_open locks;   /* tids that have or wait for the lock */
} ftrace_binder;

ts_code ftrace_binder_event(ftrace_machine *m, const ftrace_event *event);
void ftrace_binder_free(ftrace_machine *m);

/* --- R-B (ftrace_runnable.c) ---------------------------------------------------------------- */

/* A thread that sends a synchronous transaction and is switched out while it could run, for the
 * thread that receives the transaction, is in the state R-B and not R+. What counts is the first
 * time that it is switched out after the transaction. Memory: 128 bytes for each such thread and
 * transaction that is not received yet. */
typedef struct ftrace_runnable {
    ftrace_open calls;  /* sender -> its transaction; transaction -> 1 + place in `waits` */
    ftrace_open states; /* thread whose last state waits -> the same */
    ts_vec waits;
    uint32_t free; /* 1 + place, 0: none */
} ftrace_runnable;

/* The thread sends a transaction that needs a reply. */
ts_code ftrace_runnable_call(ftrace_machine *m, ftrace_thread *thread, int64_t id);

/* After such a call the thread is switched out for `next`; its last state has begun. wanted: it
 * could run, and next is not the idle thread. */
ts_code ftrace_runnable_out(ftrace_machine *m, ftrace_thread *thread, const ftrace_thread *next,
                            bool wanted);

/* The last state of the thread, which waits, is complete: it is kept. */
void ftrace_runnable_keep(ftrace_machine *m, ftrace_thread *thread, const ftrace_state *row);

/* A transaction that needs a reply is received. */
ts_code ftrace_runnable_received(ftrace_machine *m, const ftrace_thread *thread, int64_t id);

/* Puts the states that still wait. */
ts_code ftrace_runnable_finish(ftrace_machine *m);
void ftrace_runnable_free(ftrace_machine *m);

/* --- interrupts (ftrace_irq.c) -------------------------------------------------------------- */

/* Hardware, software, and those between processors. What came of one is known at its end, and rows
 * are in the order of their beginnings: they wait in a sorter. Memory: the open ones of each CPU,
 * the different names, and the sorter's block. */
typedef struct ftrace_interrupts {
    ts_sorter *rows; /* NULL: none yet */
    uint64_t count;
} ftrace_interrupts;

ts_code ftrace_irq_event(ftrace_machine *m, const ftrace_event *event);
ts_code ftrace_irq_finish(ftrace_machine *m);
void ftrace_irq_free(ftrace_machine *m);

/* --- fences, work queues, calls, timers (ftrace_kernel.c) ----------------------------------- */

/* Memory: the last event of each timeline, the last system call of each thread. */
/* The last event of a timeline. */
typedef struct ftrace_fence {
    int64_t ts;
    uint64_t number; /* of the event (ftrace_losses) */
} ftrace_fence;

typedef struct ftrace_kernel {
    ftrace_open timelines; /* of fences -> 1 + place in `fences` */
    ts_vec fences;         /* ftrace_fence */
} ftrace_kernel;

ts_code ftrace_fence_event(ftrace_machine *m, const ftrace_event *event);
ts_code ftrace_work_event(ftrace_machine *m, const ftrace_event *event);

/* Is it no system call, or one that --syscalls names? What is not wanted is not counted in `stat`.
 */
bool ftrace_call_wanted(const ftrace_machine *m, const ftrace_event *event);
ts_code ftrace_call_event(ftrace_machine *m, const ftrace_event *event);
ts_code ftrace_timer_event(ftrace_machine *m, const ftrace_event *event);
void ftrace_kernel_free(ftrace_machine *m);

/* --- what was lost -------------------------------------------------------------------------- */

/* Values of which a part may have been lost are not known (docs/formats.md, "Lost events"). Things
 * note the number of the event that they began with; a loss that is later concerns them. */
typedef struct ftrace_losses {
    uint64_t now;   /* number of the event, or loss, that is handled */
    uint64_t ended; /* of the end of the last loss, 0: there was none */
    uint64_t all;   /* the same, of those of all CPUs */
    uint32_t open;  /* CPUs that lose events */
} ftrace_losses;

/* The thread runs on the CPU from now on, or (NULL) it is not known where. */
void ftrace_thread_moves(ftrace_machine *m, ftrace_thread *thread, ftrace_cpu *cpu);

/* --- the machine -------------------------------------------------------------------------- */

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
    bool compat; /* values of the reference converter: QF-1 and so on of docs/differences.md */

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

/* Time from `from` to `to`; TS_NO_TIME when it goes back. */
static inline int64_t ftrace_time_between(int64_t from, int64_t to)
{
    int64_t dur;
    return to < from || ts_ckd_sub(&dur, to, from) ? TS_NO_TIME : dur;
}

/* For columns that are never NULL. */
static inline ts_text ftrace_or_empty(ts_text t)
{
    return t.p == NULL ? TS_TEXT_LIT("") : t;
}

static inline void ftrace_stat(ftrace_machine *m, unsigned kind, ftrace_stat_type type)
{
    m->counts[kind].stat[type]++;
}

/*
 * The number of the last event before which others may be missing, 0: none; that of now, when some
 * are (ftrace_losses). Of any CPU; of one; of a thread. What began with an event of a lower number
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

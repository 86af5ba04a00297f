/*
 * One session of a TPTP trace: what its records become. A trace holds one session, or several; ids
 * are never shared between them. The readers of both forms give records to tptp_session_take;
 * nothing comes back.
 *
 * Memory: 24 to 43 bytes an id of a thread, class or method and 16 a definition, their names once,
 * 104 an open frame, 22 to 43 an object that was not freed, and what the store keeps (call paths).
 */
#ifndef TS_PARSERS_TPTP_TRACE_SESSION_H
#define TS_PARSERS_TPTP_TRACE_SESSION_H

#include "base/buf.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"
#include "parsers/format.h"
#include "parsers/tptp/record.h"

/* --- threads and their frames ---------------------------------------------------------------- */

/* A CPU time: converted, and as recorded. 0: not recorded. */
typedef struct tptp_cpu_value {
    int64_t ns;
    int64_t raw;
} tptp_cpu_value;

typedef struct tptp_frame {
    int64_t slice; /* 0: outside --time-range */
    int64_t start;
    int64_t children; /* ns of finished callees */
    int64_t method;   /* id of the recording */
    int64_t ticket;
    int64_t object;
    int64_t stack_depth;
    int64_t sequence;
    tptp_cpu_value cpu; /* at the entry, or the thread's last one before it */
    int64_t class_row;
    int64_t node;
    bool cpu_entered; /* `cpu` is of the entry */
    bool cpu_reserved;
    bool unsure; /* a callee's duration is not known */
    bool gap; /* events are missing directly above it: what comes there may have another caller */
} tptp_frame;

/* An invocation that has ended while it is not known what the CPU times of its thread are. */
typedef struct tptp_cpu_wait {
    int64_t slice;
    tptp_cpu_value exit;
    tptp_cpu_value before; /* at the entry, or the last one before it (0: none); -1: not known */
    bool entered;          /* at the entry */
} tptp_cpu_wait;

typedef enum tptp_cpu_mode { TPTP_CPU_UNDECIDED, TPTP_CPU_CLOCK, TPTP_CPU_OWN } tptp_cpu_mode;

enum { TPTP_CPU_WINDOW = 64, TPTP_OPEN_WAITS = 64 };

/* A wait for a monitor whose end was not seen yet. */
typedef struct tptp_open_wait {
    int64_t row;
    int64_t object;
    int64_t start;
    bool contended;
    bool unsure; /* events are missing since it began */
} tptp_open_wait;

typedef struct tptp_aggregate_frame {
    int64_t row;
    int64_t node;
    int64_t method;
    bool gap; /* as in tptp_frame */
} tptp_aggregate_frame;

typedef struct tptp_thread {
    int64_t id;
    int64_t itid;
    int64_t last_ts;      /* of its events; TS_NO_TIME: none */
    int64_t first_ticket; /* of an entry; 0: none had one */
    int64_t last_ticket;  /* the greatest */
    bool exit_tickets;    /* exits have tickets as well */
    bool defined;
    bool ended;
    bool cpu_ns; /* its CPU times are ns and not ticks */
    /*
     * Where events are missing an entry or an exit may be: what is directly above the frames that
     * were open there may have another caller, and their own time is not known. Until one of them
     * ends. What was entered in between is itself not certain to be in its place, so that the
     * first of several gaps says which frames have to end.
     */
    uint64_t gaps;          /* of the session that were taken note of */
    bool unsure;            /* `unsure_above` holds */
    bool aggregates_unsure; /* `aggregates_above` holds */
    size_t marked;          /* so many frames, from the outermost, are unsure */
    size_t unsure_above;    /* number of frames that were open at the first gap */
    size_t aggregates_above;
    tptp_cpu_mode cpu_mode;
    bool no_cpu_is_0; /* entries have 0 where none was recorded: a clock never returns to it */
    tptp_cpu_value cpu_first;
    tptp_cpu_value cpu_last; /* newest */
    int64_t cpu_begin;       /* ts of the first entry */
    ts_vec frames;           /* tptp_frame */
    ts_vec aggregates;       /* tptp_aggregate_frame */
    ts_vec waits;            /* tptp_open_wait, oldest first */
    ts_vec cpu;              /* tptp_cpu_wait, up to TPTP_CPU_WINDOW */
} tptp_thread;

/* --- definitions ------------------------------------------------------------------------------ */

typedef struct tptp_class {
    int64_t row;
    uint32_t name;   /* in the pool */
    uint32_t source; /* in the pool */
} tptp_class;

typedef struct tptp_pause {
    int64_t row;
    int64_t start;
    uint64_t gaps; /* of the session when it began */
} tptp_pause;

/* Rows of stack_slice that side by side lack the same. */
typedef enum tptp_null_kind {
    TPTP_NULL_TIMES, /* dur and self_dur */
    TPTP_NULL_SELF,
    TPTP_NULL_CPU,
    TPTP_NULL_KINDS
} tptp_null_kind;

typedef struct tptp_null_range {
    int64_t first; /* 0: none */
    int64_t last;
} tptp_null_range;

typedef enum tptp_count {
    TPTP_C_MESSAGES,
    TPTP_C_VALUES,
    TPTP_C_DEFINITIONS,
    TPTP_C_CALLS,
    TPTP_C_PAIRS,
    TPTP_C_COUNT
} tptp_count;

typedef struct tptp_session {
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    ts_job *job;
    int64_t source_id;
    ts_tally *counts[TPTP_C_COUNT];
    uint64_t offset; /* of the record that is being taken, for issues */
    uint64_t gaps;   /* places at which events are missing */

    /* Time: known with the first one. */
    bool timed;
    ts_clock clock;
    ts_span wanted;
    int64_t first_ts, last_ts;

    bool trace_ended;
    ts_buf trace_id; /* of the last traceStart */
    int64_t ipid;    /* of the last process with a pid, or -1 */
    bool named;      /* the source has the name of an agent */

    ts_pool names;  /* of classes, their files, nodes, processes, agents and traces */
    ts_idmap nodes; /* number of the id's text -> row */
    ts_idmap processes;
    ts_idmap agents;
    ts_idmap traces;
    ts_idmap threads; /* id -> number in thread_list */
    ts_vec thread_list;
    size_t thread_last; /* the one that was used last */
    ts_idmap classes;   /* id -> number in class_list */
    ts_vec class_list;
    ts_idmap methods; /* id -> id of stack_method */
    ts_idmap_recent thread_places;
    ts_idmap_recent class_places;
    ts_idmap_recent method_places;
    ts_idmap dumps; /* id -> row */
    int64_t last_dump;
    uint64_t dump_gaps; /* of the session when it was defined */
    ts_idmap objects;   /* that are live: row of the allocation, number of the class << 32 */
    ts_vec pauses;      /* tptp_pause, oldest first */

    uint64_t exits_without_cpu; /* since the last one with a CPU time */
    tptp_null_range nulls[TPTP_NULL_KINDS];
    uint64_t steps;       /* of searches for the entry of an exit */
    uint64_t open_issues; /* frames that were open at an end */
    bool cpu_ns;
    bool cpu_ticks;
    ts_buf scratch[4];
} tptp_session;

/* Begins a session: a source below the job's. The caller frees with tptp_session_free, also after a
 * failure. */
ts_code tptp_session_begin(tptp_session **out, ts_job *job, const char *format);
void tptp_session_free(tptp_session *s);

/* No record follows: closes what is open. */
ts_code tptp_session_end(tptp_session *s);

/* True when the record begins another session: a traceStart of another trace after a traceEnd. */
bool tptp_session_is_over(const tptp_session *s, const tptp_record *r);

/* Makes rows of a record. Errors: those of the store. */
ts_code tptp_session_take(tptp_session *s, const tptp_record *r);

/* Events are missing here: what depends on them is not presented as certain. */
static inline void tptp_session_gap(tptp_session *s)
{
    s->gaps++;
}

/* A fact about the session that has no column. */
ts_code tptp_fact(tptp_session *s, const char *key, ts_text value);

/* --- for the files that make rows ------------------------------------------------------------- */

static inline void tptp_count_imported(tptp_session *s, tptp_count c)
{
    s->counts[c]->seen++;
    s->counts[c]->imported++;
}

static inline void tptp_count_lost(tptp_session *s, tptp_count c)
{
    s->counts[c]->seen++;
    s->counts[c]->lost++;
}

static inline void tptp_count_skipped(tptp_session *s, tptp_count c)
{
    s->counts[c]->seen++;
    s->counts[c]->skipped++;
}

/* The record's time, or TS_NO_TIME. */
static inline int64_t tptp_time(const tptp_session *s, const tptp_record *r)
{
    (void)s;
    return (r->has & ~r->bad & TPTP_BIT(TIME)) == 0 ? TS_NO_TIME : r->num[TPTP_N_TIME];
}

/* The static id, or the transient one. */
static inline int64_t tptp_either(int64_t id, int64_t transient)
{
    return id != 0 ? id : transient;
}

static inline int64_t tptp_object(const tptp_record *r)
{
    return tptp_either(r->num[TPTP_N_OBJECT], r->num[TPTP_N_TRANSIENT_OBJECT]);
}

/* NULL for "". */
static inline ts_text tptp_text(const tptp_record *r, unsigned slot)
{
    return r->text[slot].n == 0 ? TS_TEXT_NULL : r->text[slot];
}

/* NULL where the time is not known. */
#define TPTP_NULL_TIME(table, row, column)                                                         \
    TS_NULL_IF((row)->column == TS_NO_TIME, table, row, column)

/* The id of the next row of a table. */
#define TPTP_NEXT_ROW(s, table) ((int64_t)ts_sink_rows((s)->sink, TS_T_##table) + 1)

/* Is the event in --time-range? What has no time is. */
static inline bool tptp_wanted(const tptp_session *s, int64_t ts)
{
    return ts == TS_NO_TIME || ts_span_has(&s->wanted, ts);
}

/* An issue at the record that is being taken. */
#define tptp_issue(s, code, ...)                                                                   \
    ts_issue((s)->store, (s)->source_id, code, NULL, (int64_t)(s)->offset, __VA_ARGS__)

/* A class name as it is stored: dots, <init>. Borrowed until the next call with this scratch. */
ts_code tptp_class_name(ts_text *out, tptp_session *s, ts_text raw, unsigned scratch);
ts_text tptp_method_name(ts_text raw);
/* Splits a class name after its last dot; package NULL when there is none. */
void tptp_split(ts_text *package, ts_text *name, ts_text whole);

/* Makes rows of a record of one kind. */
typedef ts_code tptp_taker(tptp_session *s, const tptp_record *r);
tptp_taker tptp_take_node, tptp_take_process, tptp_take_agent, tptp_take_trace, tptp_take_filter,
    tptp_take_option, tptp_take_event;
tptp_taker tptp_take_thread_start, tptp_take_thread_end, tptp_take_class, tptp_take_method;
tptp_taker tptp_take_entry, tptp_take_exit;
tptp_taker tptp_take_alloc, tptp_take_free, tptp_take_gc_start, tptp_take_gc_finish, tptp_take_dump,
    tptp_take_root, tptp_take_reference, tptp_take_custom;
tptp_taker tptp_take_wait, tptp_take_waited;
tptp_taker tptp_take_aggregate, tptp_take_aggregate_exit;

/* trace_classes.c: threads, classes, methods */
tptp_thread *tptp_thread_at(const tptp_session *s, size_t i);
/* The thread of an id that is not 0, or NULL. */
tptp_thread *tptp_thread_known(tptp_session *s, int64_t id);
/* The thread of an id (0: NULL is given), made when it is not defined. Valid until the next one is
 * made. */
ts_code tptp_thread_of(tptp_thread **out, tptp_session *s, int64_t id);
static inline int64_t tptp_thread_id(const tptp_record *r)
{
    return tptp_either(r->num[TPTP_N_THREAD], r->num[TPTP_N_TRANSIENT_THREAD]);
}
/* Is there a thread of this id? */
bool tptp_thread_is_known(const tptp_session *s, int64_t id);
/* The next record is the entry of a method: its call path comes from memory meanwhile. */
void tptp_fetch_entry(tptp_session *s, int64_t thread, int64_t method);
/* Row of tptp_class of an id, or 0 for 0; made when it is not defined. */
ts_code tptp_class_of(int64_t *row, tptp_session *s, const tptp_record *r);
ts_code tptp_method_of(int64_t *method, tptp_session *s, int64_t id);
/* Name of the class of a number in class_list + 1; NULL for 0. */
ts_text tptp_class_text(const tptp_session *s, uint32_t number);
/* Number of the class in class_list + 1, or 0. */
uint32_t tptp_class_number(tptp_session *s, int64_t id);

/* invocations.c */
typedef enum tptp_end { TPTP_EXITED, TPTP_STILL_OPEN, TPTP_NO_EXIT, TPTP_THREAD_ENDED } tptp_end;
/* Closes all frames of a thread without a time. */
ts_code tptp_close_frames(tptp_session *s, tptp_thread *t, tptp_end end);
/* At the end of the session, after the frames of all threads. */
ts_code tptp_end_calls(tptp_session *s);
/* May the search for what an exit ends go on, `above` frames from the top? A thread may have any
 * depth and exits that belong to nothing: then not all is searched. */
bool tptp_may_search(tptp_session *s, size_t above);
/* Room for one more; the first takes room for 2. */
ts_code tptp_reserve_one(tptp_session *s, ts_vec *v, size_t size);
/* Row of the innermost open invocation, or 0; also when it is not certain. */
int64_t tptp_open_slice(const tptp_thread *t);
/* Takes note of gaps since the thread's last event. */
void tptp_note_gaps(const tptp_session *s, tptp_thread *t);
void tptp_free_thread(tptp_session *s, tptp_thread *t);

/* cpu_times.c */

/* An invocation that is reserved with its CPU time ended, and it is known what the CPU times of the
 * thread are. *cpu is negative when its own is not known. */
ts_code tptp_cpu_of_exit(int64_t *cpu, tptp_session *s, tptp_thread *t, const tptp_frame *f,
                         const tptp_record *r);
/* The same while nothing is known of the thread: the CPU time is set now or later. The other
 * columns were set before. */
ts_code tptp_cpu_exit(tptp_session *s, tptp_thread *t, const tptp_frame *f, const tptp_record *r);
/* Nothing more comes from the thread. */
ts_code tptp_cpu_decide(tptp_session *s, tptp_thread *t);
static inline tptp_cpu_value tptp_cpu_of(const tptp_record *r)
{
    return (tptp_cpu_value){r->num[TPTP_N_CPU], r->cpu_raw};
}

/* invocations.c again: a column of a row of stack_slice is not known; the row is released. */
ts_code tptp_slice_null(tptp_session *s, tptp_null_kind kind, int64_t slice);

/* heap_events.c: allocations, collections, heap dumps */
ts_code tptp_end_pauses(tptp_session *s);

/* monitors.c */
ts_code tptp_end_waits(tptp_session *s, tptp_thread *t);

#endif

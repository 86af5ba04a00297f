/*
 * Events of one recording on their way from a reader to the queue, and where some are missing:
 * what was lost of a CPU was lost between two of its events that are there. For the machine that is
 * FTRACE_LOSS_BEGINS at the time of the one and FTRACE_LOSS_ENDS at that of the other, and
 * FTRACE_GAP where events of any CPU were (docs/formats.md, "Lost events").
 *
 * Memory: 32 bytes a CPU.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_FEED_H
#define TS_PARSERS_FTRACE_FTRACE_FEED_H

#include "base/idmap.h"
#include "parsers/ftrace/ftrace_event.h"
#include "tables/store.h"

/* --- order (ftrace_queue.c) ---------------------------------------------------------------- */

/*
 * Puts events in order of time; those of equal times stay in the order in which they were added.
 * Any number of events: what does not fit into the given memory is spooled. Cheapest when those of
 * a CPU come in order.
 */
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

/* --- losses (ftrace_feed.c) ------------------------------------------------------------------ */

enum { FTRACE_FEED_CPUS = 64 };

/* What was met of a CPU. */
typedef struct ftrace_feed_cpu {
    int64_t latest; /* of its events; INT64_MIN: it had none */
    uint64_t gaps;  /* of the recording when it had the last */
    uint32_t cpu;
    bool lost; /* events after that one were */
} ftrace_feed_cpu;

typedef struct ftrace_feed {
    ts_ctx *ctx;
    ftrace_queue *queue;                          /* NULL: not open */
    ts_idmap cpus;                                /* ftrace_feed_cpu * by number */
    ftrace_feed_cpu *near_cpus[FTRACE_FEED_CPUS]; /* those of low numbers; NULL: not met */
    int64_t latest, earliest;                     /* of all events; the queue has some */
    bool has_events;
    bool lost;        /* something was, since the last event */
    int64_t gap;      /* the latest time when a part of the recording was lost last */
    uint64_t gaps;    /* such parts */
    uint64_t missing; /* all places where events are */
} ftrace_feed;

/* memory: of the queue. ftrace_feed_close releases it, also after a failure. */
ts_code ftrace_feed_open(ftrace_feed *f, ts_ctx *ctx, size_t memory);
void ftrace_feed_close(ftrace_feed *f);

/* The next event of its CPU; those of FTRACE_FROM_FFRT are of none. Copies it. Or what a reader
 * says was lost, but for FTRACE_LOSS_BEGINS and ENDS. */
ts_code ftrace_feed_add(ftrace_feed *f, const ftrace_event *event);

/* Events of the CPU from `begin` to `end`, which may be the same, were lost. */
ts_code ftrace_feed_lost_between(ftrace_feed *f, uint32_t cpu, int64_t begin, int64_t end);

/* The time of the latest event of the CPU, INT64_MIN: it had none. */
int64_t ftrace_feed_latest(const ftrace_feed *f, uint32_t cpu);

/* A part of the recording was lost before the next event: of each CPU all up to its next one may be
 * missing. */
void ftrace_feed_part_lost(ftrace_feed *f);

/* All events came: hands them out, as ftrace_queue_drain. Once. */
ts_code ftrace_feed_drain(ftrace_feed *f, ftrace_queue_take *take, void *user);

/* The issue that there were gaps; none without one. */
ts_code ftrace_feed_note(const ftrace_feed *f, ts_store *store, int64_t source_id,
                         const char *stream);

#endif

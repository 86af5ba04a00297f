/*
 * The events of one .htrace recording, of ftrace-plugin and of ffrt-profiler, on their way to rows:
 * their clocks, order of time, names and symbols that are beside them.
 *
 * Memory: FTRACE_RECORDING_QUEUE for events, the symbols and names.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_RECORDING_H
#define TS_PARSERS_FTRACE_FTRACE_RECORDING_H

#include "base/buf.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"
#include "htrace/plugins/fields.h"
#include "parsers/ftrace/order/ftrace_feed.h"
#include "parsers/ftrace/rows/ftrace_machine.h"

enum { FTRACE_RECORDING_QUEUE = 64 << 20 };

/* What a name beside the events is of. */
typedef enum ftrace_named {
    FTRACE_NAMED_SYMBOL, /* the number is an address */
    FTRACE_NAMED_COMM,   /* a tid */
    FTRACE_NAMED_THREAD  /* tid and pid; of ffrt-profiler */
} ftrace_named;

typedef struct ftrace_recording {
    const ts_plugin_host *host;
    ftrace_feed feed;      /* its queue is NULL before the first event */
    ts_span wanted;        /* of the rows, by --time-range */
    ts_tally *unused;      /* NULL before the first that makes no rows */
    ts_buf names;          /* that are beside the events */
    ts_clock clock;        /* of the events in the queue */
    bool has_clock;        /* there is one */
    ts_htrace_times times; /* what went wrong with them */
    ts_clock rows;         /* clock of the rows */
    int64_t delta;         /* to it */
    ftrace_machine *machine;
    /* A message is repeated, or damaged parts may be: repeated events count once.
     */
    bool repeated;
    bool damaged;     /* something was lost */
    uint64_t doubled; /* events */
    ts_vec same; /* hashes of the events of the time under way, uint64_t; only when there is one */
    int64_t same_ts;
} ftrace_recording;

/* host is borrowed. */
void ftrace_recording_init(ftrace_recording *rec, const ts_plugin_host *host);
void ftrace_recording_free(ftrace_recording *rec);

/* An event; ts is read from `clock`. Errors: memory, the spool's. */
ts_code ftrace_recording_add(ftrace_recording *rec, ftrace_event *event, ts_clock clock);

/* Events of the CPU were lost before its next one. */
ts_code ftrace_recording_lost(ftrace_recording *rec, uint32_t cpu);

/* A part of the recording was lost before the next event. */
void ftrace_recording_gap(ftrace_recording *rec);

/* An event that makes no rows: skipped or lost. */
typedef enum ftrace_unused_kind { FTRACE_SKIPPED, FTRACE_LOST_EVENT } ftrace_unused_kind;
ts_code ftrace_recording_unused(ftrace_recording *rec, ftrace_unused_kind kind);

ts_code ftrace_recording_name(ftrace_recording *rec, ftrace_named what, uint64_t number,
                              ts_text text);

/* The input has ended: all rows are written. */
ts_code ftrace_recording_finish(ftrace_recording *rec);

/* --- ffrt-profiler (ftrace_ffrt.c) ----------------------------------------------------------- */

/* Markers of a scheduler of tasks in user space, which are handled as those of the kernel are
 * (docs/formats.md, "ffrt-profiler"). */
enum { FTRACE_FFRT_MESSAGE = 64 << 20, FTRACE_FFRT_CONFIG = 1 << 20 };
enum { FTRACE_FFRT_NAME_MAX = 1024 };

typedef struct ftrace_ffrt {
    const ts_plugin_host *host;
    ftrace_recording *recording;
    ts_tally *messages; /* NULL before the first */
    ts_tally *configs;
    ts_tally *events;
    ts_clock clock;
    ts_idmap names; /* of threads, by tid and pid: their number in `texts` */
    ts_pool texts;
    ts_buf marker;
} ftrace_ffrt;

/* Both are borrowed. */
void ftrace_ffrt_init(ftrace_ffrt *ffrt, const ts_plugin_host *host, ftrace_recording *recording);
void ftrace_ffrt_free(ftrace_ffrt *ffrt);

/* A message of ffrt-profiler or of ffrt-profiler_config. */
ts_code ftrace_ffrt_message(ftrace_ffrt *ffrt, const ts_segment *seg, const uint8_t *p, size_t n);

#endif

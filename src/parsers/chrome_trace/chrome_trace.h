/*
 * Traces of Chrome, DevTools and Node.js (Trace Event Format, JSON): an object with the list
 * traceEvents, or the list alone. Docs: docs/formats.md, "Traces of Chrome and Node.js".
 *
 *   chrome_format.c    a file: sniffing, feeding, its end
 *   chrome_read.c      JSON events to one event with its members
 *   chrome_raw.c       the text of a member as it was recorded
 *   chrome_number.c    numbers of µs to ns
 *   chrome_event.c     a complete event: its row, and who else gets it
 *   chrome_threads.c   processes and threads
 *   chrome_args.c      arguments of metadata and counters
 *   chrome_pairs.c     begins and ends to spans
 *   chrome_slices.c    spans to rows of stack_slice, callers first
 *   chrome_profile.c   CPU profiles: rows; chrome_profile_read.c: from JSON
 *
 * Every event is written as a row while the file is read. Spans and samples are sorted by time,
 * because files are not in its order, and written at the end.
 *
 * Memory: the sorters below, 1 MiB of arguments, and
 *   96 bytes a thread, 64 an open span, 24 bytes and its text a distinct name of spans,
 *   a call path as tables/store_nodes.h says, 88 bytes and its text a counter,
 *   64 bytes a node of a CPU profile, 28 a sample of the event that is being read.
 */
#ifndef TS_PARSERS_CHROME_TRACE_CHROME_TRACE_H
#define TS_PARSERS_CHROME_TRACE_CHROME_TRACE_H

#include "base/buf.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/intvec.h"
#include "base/pool.h"
#include "base/sorter.h"
#include "base/spool.h"
#include "base/vec.h"
#include "json/json_fields.h"
#include "parsers/format.h"

enum {
    CHROME_PAIR_MEMORY = 12 << 20,
    CHROME_SLICE_MEMORY = 16 << 20,
    CHROME_SAMPLE_MEMORY = 8 << 20,
    CHROME_TEXT_MAX = 64 << 10, /* of a name, a category, an id */
    CHROME_RAW_HELD = 1 << 20,  /* arguments up to this are held in memory, longer ones spooled */
    CHROME_NO_THREAD = -1
};
#define CHROME_NO_NAME UINT32_MAX

/* --- the member that is being read ----------------------------------------------------------- */

typedef enum chrome_key {
    CHROME_OTHER,
    CHROME_PH,
    CHROME_NAME,
    CHROME_CAT,
    CHROME_ID,
    CHROME_SCOPE, /* "scope", and "s" of instants */
    CHROME_TEXTS, /* so many members are texts; CHROME_ID also takes numbers */
    CHROME_PID = CHROME_TEXTS,
    CHROME_TID,
    CHROME_TS,
    CHROME_DUR,
    CHROME_TTS,
    CHROME_TDUR,
    CHROME_ARGS
} chrome_key;

/* Objects and lists of the file. */
enum { CHROME_EVENT = 1, CHROME_ID2, CHROME_LIST, CHROME_TOP, CHROME_FACTS };

/* A text of the event: a part of chrome_trace.texts. */
typedef struct chrome_piece {
    uint32_t at, n;
    bool set;
} chrome_piece;

/* What was recorded of an event. TS_NO_TIME stands for numbers that are not there. */
typedef struct chrome_event {
    int64_t ts, dur, tts, tdur;
    int64_t pid, tid;
    bool has_pid, has_tid;
    bool bad_dur; /* there is a duration that cannot be */
    bool fine;    /* ts or dur has a fraction: its unit is ns, otherwise µs */
    const char *id_kind;
    chrome_piece text[CHROME_TEXTS]; /* by chrome_key */
    chrome_piece pid_text, tid_text;
    chrome_piece time_text; /* a time or duration that is a text, while it is read */
    uint64_t at;            /* where it begins in the input */
} chrome_event;

/* --- the text of a member -------------------------------------------------------------------- */

typedef struct chrome_raw {
    bool on;           /* a value is being read */
    bool extra;        /* it goes to `extras`, otherwise to `held` */
    bool too_long;     /* ... and was left out */
    uint64_t from;     /* position after the key, or where the rest in this block begins */
    ts_buf held;       /* the beginning, when it is in earlier blocks */
    ts_spool *spool;   /* the same when it is longer than CHROME_RAW_HELD */
    uint64_t replaced; /* ill-formed parts before it */
    bool ill_formed;   /* the value that was read last has some */
    ts_text text;  /* the arguments, when they are complete; borrowed from the block or `held` */
    bool borrowed; /* from the block */
    bool complete;
    ts_buf extras; /* "key":value of members without a column */
    ts_buf clean;
} chrome_raw;

/* --- threads --------------------------------------------------------------------------------- */

/* Spans that are open on a thread, or of an asynchronous id. */
typedef struct chrome_track {
    ts_vec frames;     /* chrome_frame, outermost first */
    int64_t doubt_end; /* up to here spans overlap that do not contain each other */
    size_t doubted;    /* so many frames have an own time that is not known */
} chrome_track;

typedef struct chrome_thread {
    int64_t itid, ipid; /* -1: not recorded */
    chrome_track track;
} chrome_thread;

/* --- counts ---------------------------------------------------------------------------------- */

typedef struct chrome_counts {
    uint64_t events, events_lost, events_skipped;
    uint64_t slices, slices_lost, slices_skipped;
    uint64_t ends, ends_lost, ends_missing, ends_unmatched;
    uint64_t counters, counters_lost, counters_skipped;
    uint64_t bad_numbers, negative, texts_cut, unknown_phases, no_time, no_id, text_ids,
        frames_open;
    uint64_t crossing, bad_counters;
    uint64_t profile_nodes, profile_nodes_lost;
    int64_t first_bad_number, first_negative, first_unknown, first_no_time, first_cut;
} chrome_counts;

/* --- the trace ------------------------------------------------------------------------------- */

typedef struct chrome_profiles chrome_profiles;
typedef struct chrome_slices chrome_slices;

typedef struct chrome_trace {
    ts_job *job;
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    ts_json *json;
    int64_t source_id;

    /* the block that is being fed */
    const char *block;
    uint64_t block_at;
    uint64_t fed;

    ts_json_place in;
    bool list_alone; /* no object around it */
    bool has_list, list_closed, done;
    bool no_end;   /* the list was not closed, as it may be */
    bool broken;   /* the text is no JSON */
    char bad_byte; /* ... from this byte on */
    ts_buf fact_value;
    uint64_t facts;

    chrome_event event;
    chrome_piece *text; /* that is being read */
    bool text_cut;
    ts_buf texts;
    chrome_raw raw;

    ts_vec threads; /* chrome_thread */
    ts_pool thread_keys;
    ts_pool text_ids; /* process and thread ids that are texts */
    struct {
        int64_t pid, tid;
        int64_t index;
    } recent[64];

    ts_pool names;  /* of spans */
    ts_vec methods; /* int64_t, by name: id of stack_method, or 0 */
    ts_pool counter_keys;
    ts_vec counter_series; /* int64_t, by key */
    ts_json *inner;        /* arguments of metadata and counters */
    struct {
        ts_json_place in; /* its key: the counter's */
        bool has_name;
        ts_buf value;
        int64_t ipid;
    } args;

    ts_sorter *pairs;
    bool paired;
    chrome_slices *slices;
    chrome_profiles *profiles;

    ts_span wanted;
    bool timed;
    int64_t first_ts, last_ts;
    chrome_counts n;
} chrome_trace;

/* --- chrome_read.c ---------------------------------------------------------------------------- */

extern const ts_json_table chrome_table;

/* --- chrome_number.c -------------------------------------------------------------------------- */

/* A decimal number of µs in ns, rounded once; *fine: it has a fraction. False when it is no number
 * or does not fit. */
bool chrome_ns(int64_t *ns, bool *fine, const char *p, size_t n);

/* A whole decimal number. */
bool chrome_int(int64_t *v, const char *p, size_t n);

/* --- chrome_raw.c ----------------------------------------------------------------------------- */

void chrome_raw_begin(chrome_trace *c, bool extra);
/* The value is complete. key: of a member without a column. */
ts_code chrome_raw_end(chrome_trace *c, ts_text key);
/* The block ends: what was borrowed from it is kept. */
ts_code chrome_raw_keep(chrome_trace *c);
void chrome_raw_reset(chrome_trace *c);
/* Feeds the arguments to a reader. */
ts_code chrome_raw_read(chrome_trace *c, ts_json *json);

/* --- chrome_event.c --------------------------------------------------------------------------- */

/* The event is complete. */
ts_code chrome_event_end(chrome_trace *c);

static inline ts_text chrome_text(const chrome_trace *c, const chrome_piece *piece)
{
    return !piece->set     ? TS_TEXT_NULL
           : piece->n == 0 ? TS_TEXT_LIT("")
                           : (ts_text){c->texts.p + piece->at, piece->n};
}

/* --- chrome_threads.c ------------------------------------------------------------------------- */

/* The number of the event's thread in c->threads. */
ts_code chrome_thread_of(uint32_t *index, chrome_trace *c);
static inline chrome_thread *chrome_thread_at(const chrome_trace *c, uint32_t index)
{
    return (chrome_thread *)c->threads.p + index;
}

/* --- chrome_args.c ---------------------------------------------------------------------------- */

ts_code chrome_metadata(chrome_trace *c, uint32_t thread);
ts_code chrome_counter(chrome_trace *c, uint32_t thread);

/* --- chrome_pairs.c --------------------------------------------------------------------------- */

/* An event that begins or ends a span of two events. event_id: 0 when it has no row. */
ts_code chrome_pair_add(chrome_trace *c, char phase, uint32_t thread, int64_t event_id);
ts_code chrome_pairs_open(chrome_trace *c);
/* All events were read: spans go to the slices. */
ts_code chrome_pairs_finish(chrome_trace *c);

/* --- chrome_slices.c -------------------------------------------------------------------------- */

/* A span, and how spans are sorted. */
typedef struct chrome_slice {
    uint64_t group_ts; /* key of ts; of the first span for asynchronous ones of an id */
    uint64_t group;    /* 0: of a thread; otherwise the first event of the id */
    uint64_t ts;       /* key */
    uint64_t length;   /* UINT64_MAX - ns: longer ones first; 0: open up to the end */
    uint64_t event_id;
    uint64_t end; /* id of the event that ends it, or 0, and flags in the lowest bits */
    int64_t cpu;  /* TS_NO_TIME: not known */
    uint32_t thread, name;
} chrome_slice;

enum {
    CHROME_SLICE_OPEN = 1, /* at the end of the trace */
    CHROME_SLICE_LOST = 2, /* its end: length is what it has at most */
    CHROME_SLICE_FINE = 4,
    CHROME_SLICE_FLAG_BITS = 3
};

static inline uint64_t chrome_slice_end(int64_t event_id, uint64_t flags)
{
    return (uint64_t)event_id << CHROME_SLICE_FLAG_BITS | flags;
}

static inline int64_t chrome_slice_end_event(const chrome_slice *s)
{
    return (int64_t)(s->end >> CHROME_SLICE_FLAG_BITS);
}

ts_code chrome_slices_open(chrome_trace *c);
void chrome_slices_close(chrome_trace *c);
ts_code chrome_slice_add(chrome_trace *c, const chrome_slice *slice);
/* All spans are there: writes their rows. */
ts_code chrome_slices_finish(chrome_trace *c);

/* The number of the event's name. */
ts_code chrome_name_of(uint32_t *name, chrome_trace *c);

/* --- chrome_profile.c ------------------------------------------------------------------------- */

typedef enum chrome_profile_part {
    CHROME_PROFILE_BEGIN,
    CHROME_PROFILE_CHUNK,
    CHROME_PROFILE_WHOLE
} chrome_profile_part;

ts_code chrome_profiles_open(chrome_trace *c);
void chrome_profiles_close(chrome_trace *c);
/* An event with a part of a CPU profile. */
ts_code chrome_profile_add(chrome_trace *c, chrome_profile_part part, uint32_t thread,
                           int64_t event_id);
ts_code chrome_profiles_finish(chrome_trace *c);

#endif

/*
 * A JFR recording: what its chunks have in common. Chunks are decoded one after the other, each
 * with its own classes and pools; names, threads, series and counts are those of the recording.
 *
 * Memory beside that of a chunk: a record for each event type, thread, series and method.
 */
#ifndef TS_PARSERS_JFR_RECORDING_H
#define TS_PARSERS_JFR_RECORDING_H

#include "base/ckd.h"
#include "base/buf.h"
#include "base/idmap.h"
#include "base/index.h"
#include "base/pool.h"
#include "base/sorter.h"
#include "base/vec.h"
#include "input/byte_window.h"
#include "parsers/format.h"
#include "parsers/jfr/plan.h"
#include "tables/store_nodes.h"
#include "tables/store_profiles.h"

/* --- distinct stacks (known_stacks.c) ------------------------------------------------------- */

/*
 * The distinct stacks of a recording, of all its chunks. A stack is known by a hash of 128 bits of
 * its frames (that two of a billion stacks agree by chance has the probability 10^-21), which costs
 * one look-up a stack and not one a frame: chunks repeat the stacks of those before them. Only new
 * ones are looked up frame by frame, in the call paths.
 *
 * Memory: a stack 24 bytes and its place in a ts_index, a path what tables/store_nodes.h says.
 */

/* A frame as rows have it. */
typedef struct jfr_frame {
    uint32_t method;  /* row of stack_method */
    int32_t bytecode; /* index; -1: not recorded */
    int64_t line;     /* above 0, or TS_NO_LINE */
    char type;        /* a letter of jfr_stack.frame_types */
} jfr_frame;

enum { JFR_NO_TYPE = '-', JFR_OTHER_TYPE = '?' };

typedef struct jfr_stack {
    uint64_t a, b; /* its hash */
    uint32_t node; /* row of stack_node; 0: it has no frame */
    bool truncated;
} jfr_stack;

/* A call path of the stack that was added last. */
typedef struct jfr_last_path {
    uint32_t method;
    uint32_t node;
    int64_t line;
} jfr_last_path;

/* Zeroed: empty. */
typedef struct jfr_stacks {
    ts_vec known;     /* jfr_stack, by number */
    ts_index index;   /* by hash; its numbers are those of stacks, from 1 on */
    int64_t row_base; /* + a number: its row in jfr_stack */
    ts_node_index nodes;
    ts_vec last;         /* jfr_last_path, the outermost first */
    ts_buf types, codes; /* scratch: texts of a row */
} jfr_stacks;

/*
 * The number, from 1 on, of the stack with these n frames, the innermost first; writes the rows of
 * a new one. TS_ERR_NOMEM, TS_ERR_LIMIT, those of writing.
 */
ts_code jfr_stack_number(uint32_t *number, jfr_stacks *stacks, ts_ctx *ctx, ts_store *store,
                         int64_t source_id, const jfr_frame *frames, size_t n, bool truncated);

static inline const jfr_stack *jfr_stack_at(const jfr_stacks *stacks, uint32_t number)
{
    return (const jfr_stack *)stacks->known.p + number - 1;
}

void jfr_stacks_free(ts_ctx *ctx, jfr_stacks *stacks);

/* --- the recording -------------------------------------------------------------------------- */

enum { JFR_PARTS = 6, JFR_GC_MEMORY = 1 << 20 };

typedef struct jfr_rule jfr_rule;

/* A type of events, by name: several chunks may give it different ids. */
typedef struct jfr_type {
    uint32_t name;        /* in names */
    const jfr_rule *rule; /* NULL: its events are only counted */
    uint64_t seen, imported, lost, skipped;
    bool keep;     /* --jfr-events names it */
    uint64_t kept; /* in jfr_event */
} jfr_type;

typedef struct jfr_thread {
    int64_t itid;
    int64_t os_tid, java_tid;           /* 0: none */
    uint32_t os_name, java_name, group; /* in names */
    int8_t is_virtual;                  /* -1: not recorded */
} jfr_thread;

/* Values that measure the same thing in several ways must not be added up: the best family has the
 * common name, the others their own. */
typedef enum jfr_family {
    JFR_ALONE,
    JFR_ALLOC_WEIGHTED,
    JFR_ALLOC_SAMPLE,
    JFR_ALLOC_TLAB,
    JFR_FAMILIES
} jfr_family;

typedef struct jfr_value_type {
    const char *name; /* of the rules: static */
    const char *unit;
    jfr_family family;
    int64_t id;
} jfr_value_type;

/* A series that was used, by where its name comes from. */
typedef struct jfr_recent_series {
    const jfr_rule *rule;
    const char *path; /* in the rule, or static */
    int64_t itid;
    int64_t id;
} jfr_recent_series;

enum { JFR_RECENT_SERIES = 256 };

/* An event of a garbage collection, to be brought together by its number. */
typedef enum jfr_gc_part {
    JFR_GC_BEFORE,
    JFR_GC_AFTER,
    JFR_GC_COLLECTION,
    JFR_GC_PAUSE
} jfr_gc_part;

typedef struct jfr_gc_record {
    uint64_t gc; /* keys: its number, then the part */
    uint64_t part;
    int64_t ts, dur;
    int64_t used, size;
    uint32_t name, cause; /* in names; 0: not recorded */
} jfr_gc_record;

typedef struct jfr_schema jfr_schema;

/* The metadata of the last complete chunk, and what of its header the recorder's other chunks have
 * as well: for one that is cut before its own. */
typedef struct jfr_last {
    jfr_schema *schema; /* NULL: there was none */
    uint16_t major, minor;
    uint8_t compressed;
    int64_t ticks_per_second;
} jfr_last;

typedef struct jfr_recording {
    ts_job *job;
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    int64_t source_id;
    jfr_last last;
    ts_window view;     /* of the bytes of the current chunk */
    uint64_t scan_left; /* bytes of it that may still be searched for lost metadata */
    ts_span wanted;
    bool wanted_all, wanted_known;

    ts_pool names;
    ts_vec types;     /* jfr_type */
    ts_idmap by_name; /* number of the type, by its name */
    ts_pool thread_keys;
    ts_vec threads;   /* jfr_thread, numbered by thread_keys */
    ts_idmap by_itid; /* number of the thread */
    ts_pool series_keys;
    ts_vec series; /* int64_t: row of timeseries, numbered by series_keys */
    jfr_recent_series recent[JFR_RECENT_SERIES];
    ts_vec value_types; /* jfr_value_type */
    jfr_stacks stacks;
    ts_sorter *gc;      /* jfr_gc_record of the chunk, or NULL */
    ts_pool facts;      /* properties that were written */
    ts_idmap endpoints; /* of root spans, in names */
    ts_spool *roots;    /* samples with a root span, and it; NULL: there are none */
    ts_buf text, other, label, parts[JFR_PARTS]; /* scratch */

    ts_profile_id id; /* of the bytes of the input */
    uint32_t jvm_name, jvm_version, os_version, os_arch,
        agent_version; /* in names; 0: not recorded */
    int64_t pid;       /* 0: not recorded */
    int64_t start_ts, end_ts;
    int64_t first_ts; /* of the events of the chunk; TS_NO_TIME: none of them has a time */
    int64_t last_ts;
    bool end_known;
    uint64_t chunks, chunks_lost, chunks_cut;
    uint64_t lost_bytes;        /* in chunks */
    int64_t missing_bytes;      /* that headers count and that are not there */
    uint64_t begun_bytes;       /* of events that were being written */
    uint64_t default_intervals; /* samples that stand for an interval that was not recorded */
    int64_t type_base;          /* id of the first type */
    uint64_t samples_before;    /* rows of stack_sample that others made */
    uint64_t events_seen;
    uint64_t events_lost; /* of no type */
    uint64_t unresolved;  /* references without an entry */
    uint64_t replaced;    /* parts of texts that are no text */
    uint64_t bad_values;
} jfr_recording;

/* Number of the type of this name, made when new. */
ts_code jfr_type_number(uint32_t *number, jfr_recording *rec, ts_text name);

static inline jfr_type *jfr_type_at(const jfr_recording *rec, uint32_t i)
{
    return (jfr_type *)rec->types.p + i;
}

/* The value type of (name, unit, family), written when new. */
ts_code jfr_value_type_id(int64_t *id, jfr_recording *rec, const char *name, const char *unit,
                          jfr_family family);

/* The row of the series (name, thread or -1), which is written when new. */
ts_code jfr_series_id(int64_t *id, jfr_recording *rec, ts_text name, const char *unit,
                      int64_t itid);

/* A point of a series; ts may be TS_NO_TIME. */
ts_code jfr_series_put(jfr_recording *rec, int64_t id, int64_t ts, double value);

/* The thread with the ids of *thread, made when new; names that it did not have yet are taken. */
ts_code jfr_thread_find(int64_t *itid, jfr_recording *rec, const jfr_thread *thread);

/* Appends the name of a thread: that of the VM, that of the system, or tid-<id>. */
ts_code jfr_thread_label(jfr_recording *rec, ts_buf *out, int64_t itid);

/* Notes the time of a row; TS_NO_TIME counts nothing. */
void jfr_note_time(jfr_recording *rec, int64_t ts);

/* A sample of a trace: its endpoint may be known later, and is then a label (endpoints.c). */
ts_code jfr_note_root(jfr_recording *rec, int64_t sample, int64_t root);
ts_code jfr_put_endpoints(jfr_recording *rec);

/* All chunks were read: the rows that waited, issues, counts. */
ts_code jfr_recording_finish(jfr_recording *rec);
void jfr_recording_free(jfr_recording *rec);

#endif

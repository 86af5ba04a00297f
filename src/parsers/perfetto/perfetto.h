/*
 * Traces of Perfetto: packets, one after the other, each of a sequence that has a state of its own.
 * Docs: docs/formats.md, "Traces of Perfetto".
 *
 *   perfetto_format.c    a file: sniffing, opening, its end
 *   perfetto_stream.c    bytes to packets: framing, damage of it, compressed packets
 *   perfetto_packet.c    a packet: its sequence, what it changes there, who gets its payload
 *   perfetto_interned.c  entries that later packets name by number
 *   perfetto_clocks.c    snapshots of clocks, and times of one clock on another
 *   perfetto_about.c     packets about the recording and its processes
 *   perfetto_stats.c     what recorder and kernel say that they lost
 *   perfetto_tracks.c    tracks, and the processes and threads that they belong to
 *   perfetto_event.c     track events to records
 *   perfetto_args.c      their arguments as JSON
 *   perfetto_stacks.c    mappings, frames and call stacks, and their rows
 *   perfetto_samples.c   samples of perf and of Chrome's sampler
 *   perfetto_heap.c      dumps of heapprofd
 *   perfetto_series.c    measurements of the system, lines of logs
 *   perfetto_rows.c      records to rows of events and counters
 *   perfetto_slices.c    begins and ends to rows of stack_slice
 *
 * The state of a sequence is known in the order of the file only, clocks and tracks at its end:
 * what a packet says is resolved as far as its sequence goes and kept as a record; rows are made of
 * the records when all packets were read.
 *
 * Memory: the packet that is read, 24 MiB of records (ts_window), the sorters below, and
 *   160 bytes a sequence, 44 an interned entry, 160 a track, 16 a clock of a snapshot,
 *   72 an open slice, a distinct text as base/pool.h says, a call path as tables/store_nodes.h,
 *   90 a distinct frame, 60 a caller of stacks, 100 a symbol, 150 a stack of a heap, 80 a series.
 */
#ifndef TS_PARSERS_PERFETTO_PERFETTO_H
#define TS_PARSERS_PERFETTO_PERFETTO_H

#include "base/buf.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/sorter.h"
#include "base/vec.h"
#include "input/byte_window.h"
#include "parsers/format.h"
#include "parsers/shared/kernel_packets.h"
#include "wire/wire.h"

enum {
    PERFETTO_PAIR_MEMORY = 16 << 20,
    PERFETTO_SLICE_MEMORY = 16 << 20,
    PERFETTO_TEXT_MAX = 64 << 10, /* of a name */
    PERFETTO_PARENTS = 64,        /* of a track */
    PERFETTO_NESTING = 32,        /* of arguments */
    PERFETTO_INLINED = 32,        /* functions at one address */
    PERFETTO_PATHS = 4 << 20,     /* bytes of paths that are made of parts */
    PERFETTO_KINDS = 160,         /* packets with lower numbers are counted by kind */
    PERFETTO_EXTRAS = 256         /* counters of one event */
};
#define PERFETTO_NONE UINT32_MAX

/* Fields of TracePacket that are no payload. */
enum {
    PACKET_UID = 3,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_CLEARED = 41,
    PACKET_DROPPED = 42,
    PACKET_COMPRESSED = 50,
    PACKET_CLOCK = 58,
    PACKET_DEFAULTS = 59,
    PACKET_PID = 79,
    PACKET_FIRST = 87,
    PACKET_MACHINE = 98,
    PACKET_COMPRESSED_ZSTD = 133
};

/* Payloads that are read. */
enum {
    PACKET_FTRACE = 1,
    PACKET_PROCESS_TREE = 2,
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TRACK_EVENT = 11,
    PACKET_SYS_STATS = 7,
    PACKET_PROCESS_STATS = 9,
    PACKET_TRACE_CONFIG = 33,
    PACKET_FTRACE_STATS = 34,
    PACKET_TRACE_STATS = 35,
    PACKET_SYNC = 36,
    PACKET_PROFILE = 37,
    PACKET_BATTERY = 38,
    PACKET_ANDROID_LOG = 39,
    PACKET_POWER_RAILS = 40,
    PACKET_PROCESS_DESCRIPTOR = 43,
    PACKET_THREAD_DESCRIPTOR = 44,
    PACKET_SYSTEM_INFO = 45,
    PACKET_PACKAGES = 47,
    PACKET_GPU_COUNTER = 52,
    PACKET_STREAMING_PROFILE = 54,
    PACKET_TRACK_DESCRIPTOR = 60,
    PACKET_MODULE_SYMBOLS = 61,
    PACKET_PERF_SAMPLE = 66,
    PACKET_GPU_MEMORY = 71,
    PACKET_TRACE_UUID = 89
};

/* --- bytes ----------------------------------------------------------------------------------- */

typedef enum perfetto_bytes { PERFETTO_PACKETS, PERFETTO_SEARCH } perfetto_bytes;

/* Packets of the file, or of a compressed packet. */
typedef struct perfetto_stream {
    ts_buf held;      /* a packet that has not come whole, or where one is searched */
    uint64_t at;      /* of held, or of the next byte, in the stream */
    size_t want;      /* bytes of held that are needed to go on */
    uint64_t lost_at; /* while one is searched: where that began */
    perfetto_bytes state;
    bool cut;   /* it began where the stream ends in a packet */
    bool inner; /* in a compressed packet, whose place in the file is `outer` */
    uint64_t outer;
} perfetto_stream;

/* --- sequences ------------------------------------------------------------------------------- */

typedef struct perfetto_defaults {
    uint64_t track;
    uint32_t clock;
    bool has_track, has_clock;
    ts_vec extra, extra_double; /* uint64_t: tracks of counters */
    uint32_t sampled;           /* text: what samples of perf are taken of */
} perfetto_defaults;

typedef struct perfetto_sequence {
    perfetto_defaults *defaults; /* NULL: none */
    uint32_t id;
    uint32_t generation; /* of its interned entries and counters; no other sequence has it */
    uint32_t losses;     /* places where packets of it are missing */
    uint32_t damages;    /* of the file, when it was made valid */
    uint32_t thread;     /* track of its thread (ThreadDescriptor), or PERFETTO_NONE */
    uint32_t heap_part;  /* generation of what the packets of a heap's dump have in common */
    bool seen, valid, has_heap_index;
    uint64_t heap_index;       /* of the last packet of a dump */
    int64_t time, thread_time; /* that deltas are added to, ns */
    uint64_t dropped, reasons, skipped;
    int64_t dropped_at, skipped_at;
} perfetto_sequence;

/* Kinds of interned entries. */
typedef enum perfetto_interned {
    INTERNED_CATEGORY,
    INTERNED_NAME,
    INTERNED_ARG_NAME,
    INTERNED_LOCATION, /* the text is its JSON */
    INTERNED_LOG_BODY,
    INTERNED_ARG_TEXT,
    INTERNED_CORRELATION,
    INTERNED_FUNCTION, /* the following: bytes as they are */
    INTERNED_BUILD_ID,
    INTERNED_PATH, /* a part of one */
    INTERNED_SOURCE,
    INTERNED_MAPPING, /* a number in `mappings` */
    INTERNED_FRAME,   /* a number in `frames` */
    INTERNED_STACK,   /* a number in `calls` + 1; 0: empty */
    INTERNED_KINDS
} perfetto_interned;

/* Dumps of heaps have entries of their own, all bytes of which are INTERNED_FUNCTION. */
enum { INTERNED_OF_HEAP = 1 << 16 };

typedef struct perfetto_entry {
    uint64_t iid;
    uint32_t sequence, generation, kind;
    uint32_t text;
} perfetto_entry;

/* --- clocks ---------------------------------------------------------------------------------- */

typedef struct perfetto_clock {
    uint64_t key; /* its number, with that of the sequence where it belongs to one */
    uint64_t unit;
    int64_t last; /* what the next difference is added to */
    bool incremental;
    uint8_t hops;          /* to the clock of the trace; UINT8_MAX: no way */
    uint32_t next;         /* on the way there */
    uint64_t first, count; /* its pairs */
    int64_t shown;         /* in the snapshot that is looked at, */
    uint32_t shown_in;     /* whose number + 1 this is */
} perfetto_clock;

/* What a clock showed at a snapshot. */
typedef struct perfetto_shown {
    uint32_t clock, snapshot;
    int64_t ts;
} perfetto_shown;

/* --- tracks ---------------------------------------------------------------------------------- */

typedef enum perfetto_space { SPACE_UUID, SPACE_THREAD } perfetto_space;

typedef struct perfetto_track {
    uint64_t uuid; /* or process and thread */
    uint64_t parent;
    int64_t pid, tid;
    int64_t multiplier;
    int64_t ipid, itid; /* -1: none */
    int64_t series;     /* 0: none yet */
    uint32_t name, thread_name, process_name, unit_name;
    uint8_t space;
    uint8_t unit, counter_type;
    bool described, has_parent, is_process, is_thread, is_counter, incremental;
    /* While slices are matched and written. */
    ts_vec frames;
} perfetto_track;

/* A thread of the trace. */
typedef struct perfetto_thread {
    int64_t ipid, itid;
} perfetto_thread;

/* --- records --------------------------------------------------------------------------------- */

typedef enum perfetto_type {
    PERFETTO_UNKNOWN_TYPE,
    PERFETTO_BEGIN,
    PERFETTO_END,
    PERFETTO_INSTANT,
    PERFETTO_COUNTER,
    PERFETTO_STATE,
    PERFETTO_COMPLETE, /* begin and duration */
    PERFETTO_OTHER,    /* of a legacy phase that has an event only */
    /* No events of tracks; a struct is where arguments of events are. */
    PERFETTO_SAMPLE,
    PERFETTO_POINT, /* its series is in `track` */
    PERFETTO_LINE
} perfetto_type;

/* A track event; its texts and the values of its counters follow it. */
typedef struct perfetto_record {
    int64_t ts, thread_ts, dur; /* ts on `clock` */
    double value;
    uint32_t clock; /* PERFETTO_NONE: no time */
    uint32_t track, name, category;
    uint32_t sequence, generation, losses;
    uint32_t extras;
    uint32_t args, flows, correlation; /* bytes; 0: none */
    uint32_t call;                     /* its call stack, 0: none */
    uint8_t type, phase;
    bool has_value;
} perfetto_record;

typedef struct perfetto_extra {
    double value;
    uint64_t track;
} perfetto_extra;

/* A sample; its values follow it. */
typedef struct perfetto_sample {
    int64_t itid; /* -1: none */
    int64_t pid;  /* of a heap; -1: none */
    uint32_t call, event, heap;
    int32_t cpu;              /* -1: none */
    uint32_t mode, unwinding; /* 0: none */
    uint32_t values;
} perfetto_sample;

/* What values of samples are. */
typedef enum perfetto_value_kind {
    VALUE_ALLOC_SPACE,
    VALUE_ALLOC_OBJECTS,
    VALUE_INUSE_SPACE,
    VALUE_INUSE_OBJECTS,
    VALUE_MAX_SPACE,
    VALUE_KINDS
} perfetto_value_kind;

typedef struct perfetto_value {
    int64_t kind, value;
} perfetto_value;

/* A line of a log; its text follows it. */
typedef struct perfetto_line {
    int64_t pid, tid;
    uint64_t level;
} perfetto_line;

/* Values that are measured again and again. */
typedef struct perfetto_series {
    int64_t ipid; /* of a process: its values are in process_measure; -1: none */
    int64_t id;   /* of the series or the filter; -1: none yet */
    int64_t ts; /* of the last value of a process, which waits for the next one; TS_NO_TIME: none */
    int64_t value;
    uint32_t name;
    const char *unit;
} perfetto_series;

typedef struct perfetto_counts {
    uint64_t seen[PERFETTO_KINDS + 1], lost[PERFETTO_KINDS + 1], skipped[PERFETTO_KINDS + 1];
    uint64_t packets_lost; /* of no known kind */
    uint64_t events, events_skipped;
    uint64_t slices, slices_lost, slices_skipped;
    uint64_t ends, ends_lost, ends_unmatched;
    uint64_t counters, counters_lost, counters_skipped;
    uint64_t typed, texts_cut, bad_texts, no_interned, bad_values, no_time, no_clock, overflow,
        no_track, unknown_types, other_phases, bad_counters, frames_open, frames_lost, crossing,
        other_machines, deep;
    uint64_t samples, samples_skipped, points, points_lost, points_skipped, measures, measures_lost,
        measures_skipped, lines, lines_skipped;
    uint64_t perf_lost, perf_skipped, bad_lists, heap_gaps, sums_lost;
    int64_t first_bad_value, first_no_interned, first_no_time;
} perfetto_counts;

typedef struct perfetto_stats {
    uint64_t overwritten, discarded, writer_losses, invalid, flushes_failed;
    bool final_flush_failed;
} perfetto_stats;

/* --- the trace ------------------------------------------------------------------------------- */

typedef struct perfetto_slices perfetto_slices;

typedef struct perfetto {
    ts_job *job;
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    int64_t source_id;

    perfetto_stream file;
    uint32_t damages; /* of the file: sequences made valid before one are no longer */
    uint32_t strays;  /* packets that may be of another sequence than they say */
    bool broken;

    /* the packet that is read */
    uint64_t at;
    perfetto_sequence *sequence;
    uint32_t sequence_index;
    int64_t ts;
    uint32_t clock;
    bool has_time;

    ts_vec sequences; /* perfetto_sequence */
    ts_idmap sequence_of;
    uint32_t generations;

    ts_vec entries; /* perfetto_entry */
    ts_index entry_index;
    ts_pool texts;

    ts_vec clocks; /* perfetto_clock */
    ts_idmap clock_of;
    ts_vec shown; /* perfetto_shown */
    ts_vec pairs; /* clock_pair */
    uint32_t snapshots;
    uint32_t primary; /* number of the clock of the trace; 0: not said */
    uint32_t target;  /* the same among the clocks */

    ts_vec tracks; /* perfetto_track */
    ts_index track_index;
    int64_t track_base; /* rows of perfetto_track before */
    ts_vec threads;     /* perfetto_thread */
    ts_pool thread_keys;
    ts_idmap tids;
    ts_idmap accumulated; /* (generation, track): last value of a counter of differences */
    ts_vec values;        /* double */

    ts_window records;
    uint64_t record_count;
    ts_buf args, flows, category, clean, scratch;
    ts_vec extras;     /* perfetto_extra */
    ts_idmap typed_of; /* number of a typed argument: how many */

    ts_pool mappings, frames, calls; /* of the structs of perfetto_stacks.c, as bytes */
    ts_pool symbol_keys;
    ts_vec symbols, symbol_lines;
    ts_vec call_nodes; /* by number of the call */
    uint64_t path_bytes;
    ts_vec frame_list; /* uint32_t: of the stack that is written */
    ts_vec list;       /* uint64_t, of the message that is read */
    ts_pool heap_keys;
    ts_vec heap_sums;
    int64_t value_types[VALUE_KINDS]; /* ids; 0: none yet */
    ts_pool series_keys;
    ts_vec series;   /* perfetto_series */
    ts_idmap rails;  /* (sequence, number): text of the name */
    ts_idmap gauges; /* likewise of counters of the GPU */
    ts_vec cpu_losses;
    ts_idmap cpu_losses_of;

    ts_sorter *pairs_sorter;
    perfetto_slices *slices;
    ts_kernel_packets *kernel; /* NULL: no events of the kernel so far */
    ts_span wanted;
    bool timed, any_pair;
    int64_t first_ts, last_ts;
    ts_clock trace_clock;
    perfetto_stats stats;
    uint8_t policy_discards;
    perfetto_counts n;
} perfetto;

/* --- perfetto_stream.c ----------------------------------------------------------------------- */

ts_code perfetto_stream_feed(perfetto *p, perfetto_stream *s, const uint8_t *bytes, size_t n);
/* The stream ends here. */
ts_code perfetto_stream_end(perfetto *p, perfetto_stream *s);
/* A field of compressed packets. */
ts_code perfetto_unpack(perfetto *p, const ts_wire_field *field, bool *good);

/* --- perfetto_packet.c ----------------------------------------------------------------------- */

/* A packet; at: of its first byte in the file. inner: it was compressed. */
ts_code perfetto_packet(perfetto *p, const uint8_t *bytes, size_t n, uint64_t at, bool inner);
/* Bytes of packets are missing here: no sequence knows its state. */
void perfetto_damaged(perfetto *p);
const char *perfetto_kind_name(uint32_t number);
/* The numbers of a message: v[field] of the fields below n (at most 64), 0 where there is none.
 * A bit for each that is there. */
uint64_t perfetto_numbers(uint64_t *v, size_t n, const ts_wire_field *message, bool *good);
/* A message whose parts are messages that one function reads. */
typedef ts_code perfetto_take(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_each(perfetto *p, const ts_wire_field *message, uint32_t field,
                      perfetto_take *take, bool *good);

static inline perfetto_sequence *perfetto_sequence_at(const perfetto *p, uint32_t i)
{
    return (perfetto_sequence *)p->sequences.p + i;
}

/* Places where packets of the sequence are missing so far. */
static inline uint32_t perfetto_losses(const perfetto *p, uint32_t sequence)
{
    return perfetto_sequence_at(p, sequence)->losses + p->damages + p->strays;
}

/* --- perfetto_interned.c --------------------------------------------------------------------- */

ts_code perfetto_interned_data(perfetto *p, const ts_wire_field *message, bool *good);
/* The text of an entry; PERFETTO_NONE: it is not there, which is counted. */
uint32_t perfetto_interned_find(perfetto *p, perfetto_interned kind, uint64_t iid);
/* The same; false: it is not there, and nothing is counted. kind: also with INTERNED_OF_HEAP. */
bool perfetto_interned_look(uint32_t *text, perfetto *p, uint32_t kind, uint64_t iid);
void perfetto_interned_missing(perfetto *p);
ts_code perfetto_interned_put(perfetto *p, uint32_t kind, uint64_t iid, uint32_t text);
/* Texts, mappings, frames and stacks of a dump of a heap. */
ts_code perfetto_interned_heap(perfetto *p, const ts_wire_field *message, bool *good);
/* The number of a text, which is cut and made well-formed. */
ts_code perfetto_text_of(uint32_t *out, perfetto *p, const ts_wire_field *field);
/* Appends {"file":...} of a source location. */
ts_code perfetto_location(perfetto *p, ts_buf *out, const ts_wire_field *message, bool *good);

static inline ts_text perfetto_text(const perfetto *p, uint32_t text)
{
    return text == PERFETTO_NONE ? TS_TEXT_NULL : ts_pool_text(&p->texts, text);
}

/* --- perfetto_clocks.c ----------------------------------------------------------------------- */

/* The clock of a number as the packet's sequence knows it. */
ts_code perfetto_clock_of(uint32_t *clock, perfetto *p, uint32_t id);
/* The packet's time: p->ts and p->clock. */
ts_code perfetto_take_time(perfetto *p, bool has, uint64_t timestamp, bool has_clock, uint32_t id);
ts_code perfetto_clock_snapshot(perfetto *p, const ts_wire_field *message, bool *good);
/* All snapshots were read. */
ts_code perfetto_clocks_ready(perfetto *p);
/* On the clock of the trace; TS_NO_TIME: no way. */
int64_t perfetto_trace_time(const perfetto *p, uint32_t clock, int64_t ts);

/* --- perfetto_about.c ------------------------------------------------------------------------ */

ts_code perfetto_process_tree(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_system_info(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_packages(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_trace_config(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_trace_uuid(perfetto *p, const ts_wire_field *message, bool *good);

/* --- perfetto_stats.c ------------------------------------------------------------------------ */

ts_code perfetto_trace_stats(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_ftrace_stats(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_stats_note(perfetto *p);

/* --- perfetto_tracks.c ----------------------------------------------------------------------- */

ts_code perfetto_track_of(uint32_t *track, perfetto *p, perfetto_space space, uint64_t uuid);
static inline perfetto_track *perfetto_track_at(const perfetto *p, uint32_t i)
{
    return (perfetto_track *)p->tracks.p + i;
}
ts_code perfetto_track_descriptor(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_process_descriptor(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_thread_descriptor(perfetto *p, const ts_wire_field *message, bool *good);
/* pid: 0: not known */
ts_code perfetto_thread_of(perfetto_thread *thread, perfetto *p, int64_t pid, int64_t tid);
/* All descriptors were read: whose the tracks are, and their rows. */
ts_code perfetto_tracks_ready(perfetto *p);
/* Names of tracks become those of their processes and threads. */
ts_code perfetto_tracks_name(perfetto *p);

/* --- perfetto_event.c, perfetto_args.c ------------------------------------------------------- */

ts_code perfetto_track_event(perfetto *p, const ts_wire_field *message, bool *good);

/* Appends `"name":value` of a debug annotation to p->args. */
ts_code perfetto_annotation(perfetto *p, const ts_wire_field *message, bool *good);
/* The beginning of a member of p->args. */
ts_code perfetto_arg(perfetto *p, const char *key);

/* --- perfetto_stacks.c ----------------------------------------------------------------------- */

/* Entries of InternedData or of a dump of a heap; `of_heap` is INTERNED_OF_HEAP or 0. */
ts_code perfetto_mapping(perfetto *p, uint32_t of_heap, const ts_wire_field *message, bool *good);
ts_code perfetto_frame_of(perfetto *p, uint32_t of_heap, const ts_wire_field *message, bool *good);
ts_code perfetto_stack(perfetto *p, uint32_t of_heap, const ts_wire_field *message, bool *good);
/* The stack that an entry is; 0, and it is counted: it is not there. of_heap: it is looked for
 * among those of the dump first. */
uint32_t perfetto_stack_find(perfetto *p, uint32_t of_heap, uint64_t iid);
/* A stack that an event brings itself. */
ts_code perfetto_stack_inline(uint32_t *last, perfetto *p, const ts_wire_field *message,
                              bool *good);
ts_code perfetto_module_symbols(perfetto *p, const ts_wire_field *message, bool *good);
/* All were read: the node of a stack, 0 of an empty one. */
ts_code perfetto_call_node(int64_t *node, perfetto *p, uint32_t call);

/* --- perfetto_samples.c, perfetto_heap.c ----------------------------------------------------- */

ts_code perfetto_sampled_event(perfetto *p, perfetto_defaults *d, const ts_wire_field *message,
                               bool *good);
ts_code perfetto_perf_sample(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_streaming(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_heap_profile(perfetto *p, const ts_wire_field *message, bool *good);
/* Appends a record; ts is on the clock. */
ts_code perfetto_sample_add(perfetto *p, const perfetto_sample *sample,
                            const perfetto_value *values, uint32_t clock, int64_t ts);
/* The row of what was added; ts: TS_NO_TIME: none. */
ts_code perfetto_sample_put(perfetto *p, const uint8_t *bytes, int64_t ts);

/* --- perfetto_series.c ----------------------------------------------------------------------- */

ts_code perfetto_sys_stats(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_process_stats(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_battery(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_power_rails(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_gpu_counters(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_gpu_memory(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_android_log(perfetto *p, const ts_wire_field *message, bool *good);
ts_code perfetto_point_put(perfetto *p, uint32_t series, double value, int64_t ts, bool wanted);
ts_code perfetto_line_put(perfetto *p, const perfetto_record *r, ts_text bytes, int64_t ts);
/* Values of processes that wait. */
ts_code perfetto_series_finish(perfetto *p);

/* --- perfetto_rows.c ------------------------------------------------------------------------- */

/* Appends the record; its texts are in p->args, p->flows and `correlation`. */
ts_code perfetto_record_add(perfetto *p, perfetto_record *record, ts_text correlation);
/* Makes all rows. */
ts_code perfetto_rows_finish(perfetto *p);

/* --- perfetto_slices.c ----------------------------------------------------------------------- */

/* Something that begins or ends a slice. */
typedef struct perfetto_pair {
    uint64_t track;
    uint64_t ts;    /* key */
    uint64_t class; /* at one time: begins and ends in the order of the file, whole ones after them,
                       longer ones first */
    uint64_t order;
    int64_t event_id; /* 0: outside of --time-range */
    int64_t thread_ts, dur;
    uint32_t name, sequence, losses;
    uint32_t type;
} perfetto_pair;

ts_code perfetto_slices_open(perfetto *p);
void perfetto_slices_close(perfetto *p);
ts_code perfetto_pair_add(perfetto *p, const perfetto_pair *pair);
ts_code perfetto_slices_finish(perfetto *p);

#endif

/*
 * The CPU profile reader as a whole, for the profile_*.c files only. Each part's state is changed
 * by its own file, but for what is said beside it. Docs: docs/formats.md, "CPU profiles";
 * docs/trust.md.
 */
#ifndef TS_PARSERS_ARKTS_PROFILE_STATE_H
#define TS_PARSERS_ARKTS_PROFILE_STATE_H

#include "base/ckd.h"
#include "base/index.h"
#include "base/intvec.h"
#include "base/pool.h"
#include "base/spool.h"
#include "base/vec.h"
#include "parsers/arkts/profile/profile.h"

/* --- profile_read.c: JSON events to figures, and to nodes, texts and samples of the parts ----- */

/* A bit for each list. */
enum { LIST_NODES = 1, LIST_SAMPLES = 2, LIST_DELTAS = 4 };

extern const ts_json_table profile_table;

/* All figures of the row are NULL until they come. */
void profile_clear_figures(ts_row_js_cpu_profile *row);

/* --- profile_nodes.c: nodes are kept to the end, found by id, linked, written parents first; ----
 * profile_read.c fills `now`, the node that is being read, and profile_damage.c marks nodes that
 * samples meet. */

#define NO_INDEX UINT32_MAX

/* The id that stands for a sample that is no integer. */
#define PROFILE_NULL INT64_MIN

enum {
    NODE_HAS_ID = 1,
    NODE_HAS_LINE = 2,
    NODE_HAS_COLUMN = 4,
    NODE_HAS_HITS = 8,
    NODE_HAS_PARENT_ID = 16,
    NODE_BAD_HITS = 32,
    NODE_HAS_FRAME = 64,
    NODE_ORPHAN = 128,
    NODE_MET = 256,   /* samples name it, or what it calls */
    NODE_CAME = 512,  /* ... and one of those that were passed over */
    NODE_TICKS = 1024 /* in the table of members only */
};

typedef struct cpu_node {
    int64_t id;
    int64_t line;
    int64_t column;
    int64_t hits;
    int64_t parent_id;    /* a `parent` member, where the runtime writes that instead of children */
    int64_t stack_node;   /* id of the stack_node row */
    uint64_t first_child; /* in children */
    uint32_t child_count;
    uint32_t name, module, url, script; /* ids of texts */
    uint32_t parent;                    /* index, or NO_INDEX */
    /* Union-find: towards the root of its tree. When the node's row is written, its depth; when the
     * samples are, their number. */
    uint32_t root;
    uint32_t flags;
} cpu_node;

typedef struct profile_nodes {
    cpu_node *nodes; /* owned; grows by an eighth, because nodes are large */
    uint32_t count, cap;
    cpu_node now;   /* the node that is being read */
    ts_vec open;    /* of head: cpu_node, those around it; first_child: of those that are kept */
    ts_intvec kept; /* of head: ids of nodes whose callers are being read */
    ts_intvec children;
    ts_index index; /* by id, while nodes come */
    /* Index + 1 by id, from first_id on, when all are there and their ids are dense; or NULL. */
    uint32_t *by_id;
    int64_t first_id;
    uint32_t id_span; /* ids from the first to the last */
    bool ticks;       /* nodes have positionTicks: V8 wrote this */
    uint64_t seen, lost;
    uint32_t root;    /* index of the node that is the root, or NO_INDEX */
    bool root_merged; /* it has no row: an earlier profile's stands for it */
    uint64_t without_frame;
    uint64_t ids_over; /* ids that do not fit with the offset */
} profile_nodes;

void profile_nodes_free(ts_ctx *ctx, profile_nodes *nodes);

/* With by_id: index + 1 of the node whose id is so much more than the first one, or 0. */
static inline uint32_t profile_by_id(const profile_nodes *nodes, uint64_t more)
{
    return more < nodes->id_span ? nodes->by_id[more] : 0;
}

/* The index of the node of this id, or NO_INDEX. */
uint32_t profile_find(const ts_profile *p, int64_t id);

/* The object of a node begins; has come to its end. */
void profile_begin_node(ts_profile *p);
ts_code profile_keep_node(ts_profile *p);

/* The same for nodes that are inside of those that call them. */
ts_code profile_open_node(ts_profile *p);
ts_code profile_close_node(ts_profile *p);

/* An element of nodes that is no node. */
ts_code profile_odd_node(ts_profile *p);

/* All nodes are there: writes their rows. */
ts_code profile_put_nodes(ts_profile *p);

/* The same for references to the node: that of a root without a row is another root's. */
int64_t profile_function_id(ts_profile *p, int64_t id);

/* --- profile_texts.c: names, URLs and script ids, each once in a pool; long ones in a spool --- */

typedef struct profile_texts {
    ts_pool pool;    /* texts, or the keys of long ones */
    ts_intvec at;    /* by id: where a long one is in the spool */
    ts_spool *spool; /* of the long ones, or NULL; owned */
    ts_buf text;     /* the text that is being read; of a node that is written: its children */
    ts_buf clean;
    ts_buf name, module, url; /* long ones on their way into rows */
    bool text_cut;
    uint64_t cut;
    uint64_t replaced; /* ill-formed parts that became U+FFFD */
} profile_texts;

void profile_texts_free(ts_ctx *ctx, profile_texts *texts);

/* Collects a piece of a text; *whole when it was the last one, *out is the text then, as valid
 * UTF-8 and borrowed until the next piece. flags: TS_JSON_FIRST, TS_JSON_LAST. */
ts_code profile_text_piece(ts_profile *p, ts_text *out, bool *whole, const char *s, size_t n,
                           unsigned flags);

/* Keeps a text and gives it an id; an equal one has the same. */
ts_code profile_text_keep(ts_profile *p, uint32_t *id, ts_text text);

/* The text of an id; a long one is read into `buf`. Borrowed. */
ts_code profile_text(ts_profile *p, ts_text *out, ts_buf *buf, uint32_t id);

/* --- profile_samples.c: samples and their times, kept to the end, written in order of time ---- */

typedef struct profile_samples {
    ts_intvec ids;    /* of their nodes */
    ts_intvec deltas; /* µs; when they are sorted: times since startTime */
    uint64_t deltas_bad;
    int64_t latest; /* time of the sample before, of those that have times */
    bool negative;
    bool unmatched; /* samples and deltas do not belong to each other one by one */
    bool end_early; /* endTime lies before the last sample */
    int64_t place;  /* ns, added to times in js_cpu_profiler_sample */
    int64_t extent; /* ns, how far they go, when times are relative */
} profile_samples;

/* Where times go: base + µs, in ns of the clock that the rows are in. */
typedef struct profile_clock {
    ts_clock clock;
    int64_t base_us;   /* added to a time relative to startTime */
    int64_t offset_ns; /* added after the multiplication */
    bool unknown;      /* there is no time to begin with */
    uint64_t over;     /* times that do not fit */
    ts_span wanted;    /* of the samples' times, by --time-range */
    uint64_t skipped;  /* samples outside of it */
} profile_clock;

void profile_samples_free(ts_ctx *ctx, profile_samples *samples);

/* Adds a delta in µs; TS_NO_TIME for one that is no number. */
static inline ts_code profile_add_delta(ts_ctx *ctx, profile_samples *samples, int64_t delta)
{
    samples->negative = samples->negative || (delta < 0 && delta != TS_NO_TIME);
    return ts_intvec_push(ctx, &samples->deltas, delta);
}

/* Adds as many as there are. */
ts_code profile_add_deltas(ts_ctx *ctx, profile_samples *samples, const int64_t *deltas, size_t n);

/* Adds times in µs since whatever: the first delta is the first time. */
ts_code profile_add_times(ts_ctx *ctx, profile_samples *samples, const int64_t *times, size_t n);

/* All was read. An old profile's times become those of today's. */
ts_code profile_date(ts_profile *p);

/* A time since startTime in ns of the clock; TS_NO_TIME when relative_us is, or when it does not
 * fit. */
int64_t profile_time(profile_clock *clock, int64_t relative_us);

/* All samples are there: writes their rows. itid: the thread, or -1. */
ts_code profile_put_samples(ts_profile *p, profile_clock *clock, int64_t itid);

/* --- profile_damage.c: what can be trusted; the end of a profile sets `broken` and `shifted` -- */

typedef struct profile_damage {
    bool broken;          /* a list ends where parts meet that were not neighbours */
    bool shifted;         /* it does not end where the message around it does */
    uint64_t nodes_known; /* samples before the first whose node is not certain */
} profile_damage;

/* Times that endTime or the message contradicts become unknown: sets samples.unmatched. */
ts_code profile_check_times(ts_profile *p);

/* Sets damage.nodes_known. */
ts_code profile_check_samples(ts_profile *p);

/* --- profile.c: the profile's row and name ---------------------------------------------------- */

struct ts_profile {
    ts_ctx *ctx; /* borrowed, as store, sink and ids */
    ts_store *store;
    ts_sink *sink;
    ts_profile_ids *ids;
    bool open;
    bool done;
    int64_t source_id;
    int64_t offset; /* in the input, for issues */
    char name[32];

    ts_row_js_cpu_profile row; /* figures go straight in here */
    bool has_start, has_end;
    int64_t start_us, end_us;
    double start_s, end_s; /* the same numbers; in old profiles they are seconds */
    int64_t id_offset;
    uint64_t bad_numbers;

    ts_json_place in;
    uint32_t properties;
    bool absolute;          /* timestamps came: an old profile, whose times are in seconds */
    unsigned lists, closed; /* those that began, those that came to their end */
    profile_nodes nodes;
    profile_texts texts;
    profile_samples samples;
    profile_damage damage;
};

#endif

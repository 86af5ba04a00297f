/* What the files of the views share. */
#ifndef TS_SERVE_VIEWS_PRIVATE_H
#define TS_SERVE_VIEWS_PRIVATE_H

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "model/ids.h"
#include "model/model.h"
#include "serve/view_params.h"
#include "serve/views.h"

typedef __int128 ts_wide; /* sums: 2^64 numbers of 63 bits fit */

/* 2^63-1 for what is beyond it; *capped is set then. */
int64_t ts_wide_cap(ts_wide sum, bool *capped);
/* Such a sum as SQL has it: a real number beyond 64 bits. */
void ts_wide_put(ts_jout *out, const char *key, ts_wide sum);

/* --- call paths ------------------------------------------------------------------------------- */

enum { TS_NO_LINE = INT32_MIN };
enum { TS_IDLE = 1, TS_ROOT = 2 };

/* stack_node as arrays; parents are before their children. */
typedef struct ts_paths {
    ts_ids nodes;
    uint32_t *parent; /* place of the caller, or TS_NO_INDEX */
    uint32_t *method; /* place in `methods`, or TS_NO_INDEX */
    int32_t *line;    /* TS_NO_LINE: not recorded */
    uint32_t *depth;  /* callers above it */
    ts_ids methods;
    uint8_t *idle; /* per method: TS_IDLE or TS_ROOT when its name is (idle) or (root) */
} ts_paths;

/* --- time ------------------------------------------------------------------------------------- */

enum { TS_BUCKETS = 4096, TS_BUCKETS_LEAST = 64, TS_BUCKETS_ALL = 1 << 20 };

typedef struct ts_bucket {
    uint64_t ns;  /* of what covers a part of it */
    int32_t full; /* difference of the number of spans that cover all of it to the bucket before */
    uint32_t starts; /* spans that begin in it */
} ts_bucket;

/*
 * Time in buckets of 2^shift ns for each lane; bucket b is at place b % per_lane. Numbers of
 * buckets count from the least time there is, so that buckets of every width lie on multiples of
 * it.
 */
typedef struct ts_buckets {
    unsigned shift;
    unsigned per_lane; /* a power of two */
    uint64_t lo;       /* first and last bucket in use; lo > hi: none */
    uint64_t hi;
    ts_bucket **lanes;
    size_t lane_count;
    size_t lane_cap;
} ts_buckets;

static inline uint64_t ts_time_place(int64_t ts)
{
    return (uint64_t)ts ^ (UINT64_C(1) << 63);
}
static inline int64_t ts_time_at(uint64_t place)
{
    return (int64_t)(place ^ (UINT64_C(1) << 63));
}

void ts_buckets_begin(ts_buckets *b, int64_t from, int64_t to);
ts_code ts_buckets_lane(ts_ctx *ctx, ts_buckets *b);
/* Adds a span of a lane; busy: its time counts. */
void ts_buckets_add(ts_buckets *b, size_t lane, int64_t ts, int64_t end, bool busy);
/* The same without counting it, of a busy span that lies in the buckets. */
void ts_buckets_add_time(ts_buckets *b, size_t lane, int64_t ts, int64_t end);
/* After the last span: the time of each bucket is in `ns`. */
void ts_buckets_finish(ts_buckets *b);
void ts_buckets_free(ts_ctx *ctx, ts_buckets *b);

/* Rows that follow each other, what times they cover and which threads are among them. */
typedef struct ts_zone {
    int64_t first; /* rowid */
    int64_t min_ts;
    int64_t max_end;
    uint64_t threads;
} ts_zone;

enum { TS_ZONE_ROWS = 4096 };

typedef struct ts_zones {
    ts_vec zones; /* of ts_zone */
    uint64_t rows;
} ts_zones;

static inline uint64_t ts_zone_bit(bool null, int64_t itid)
{
    return null ? UINT64_C(1) << 63 : UINT64_C(1) << ((uint64_t)itid & 63);
}

/* ts: TS_NO_TIME for none. */
ts_code ts_zones_add(ts_ctx *ctx, ts_zones *z, int64_t rowid, uint64_t thread, int64_t ts,
                     int64_t end);

/* The rows that may lie in [from, to) and be of these threads, one run of zones after the other. */
typedef struct ts_zone_walk {
    const ts_zones *zones;
    int64_t from;
    int64_t to;
    uint64_t threads;
    size_t next;
    int64_t last; /* rowid up to which the current run reaches */
    ts_rows *rows;
} ts_zone_walk;

void ts_zone_walk_begin(ts_zone_walk *w, const ts_zones *zones, ts_rows *rows, int64_t from,
                        int64_t to, uint64_t threads);
/* The next rows; *count of them, from the first of the batch on, none at the end. */
ts_code ts_zone_walk_next(const ts_batch **batch, unsigned *count, ts_zone_walk *w);

/* --- sums of samples and calls ---------------------------------------------------------------- */

typedef enum ts_kind { TS_KIND_SAMPLE, TS_KIND_SLICE, TS_KINDS } ts_kind;

/* Samples of one thread of one source that one thing caused; traced calls of one thread. */
typedef struct ts_lane {
    int64_t source;
    int64_t itid;
    uint32_t event; /* place in `events`; TS_NO_INDEX: none */
    bool has_source;
    bool has_itid;
    bool again; /* there is a lane before for another event of the same thread */
    uint64_t rows;
    uint64_t dur_rows;  /* with a dur; of slices: roots with one */
    uint64_t busy_rows; /* that are idle or have a dur */
    uint64_t cpu_rows;
    ts_wide dur;
    ts_wide busy;
    ts_wide cpu;
    int64_t first; /* ts of the first and end of the last; first > last: no times */
    int64_t last;
} ts_lane;

/* Sums of the rows of a lane that end in one call path. */
typedef struct ts_pair {
    uint32_t lane;
    uint32_t node;
    uint32_t count; /* of samples: with a dur of 0 or more; of slices: all */
    uint32_t other; /* the others */
    ts_wide sum;
} ts_pair;

enum { TS_PAIRS_LISTED = 8 };

typedef struct ts_pairs {
    ts_vec pairs;    /* of ts_pair */
    ts_vec next;     /* uint32_t of each: the next of its list, place + 1, or 0 */
    uint32_t *slots; /* of those that are in no list: place + 1, or 0 */
    uint32_t slot_count;
    uint32_t hashed; /* pairs in it */
    uint32_t *head;  /* of each call path its list of at most TS_PAIRS_LISTED; NULL: no lists */
} ts_pairs;

/* Lists for pairs that are added; without them all pairs are in the table. */
ts_code ts_pairs_begin(ts_ctx *ctx, ts_pairs *p, const ts_paths *paths);
/* Frees what is only for adding: nothing is added any more. */
void ts_pairs_end(ts_ctx *ctx, ts_pairs *p);
/* The pair, made when it is new; NULL: ctx->error. */
ts_pair *ts_pairs_at(ts_ctx *ctx, ts_pairs *p, uint32_t lane, uint32_t node);
/* Counts a row of the pair. */
ts_code ts_pair_count(ts_ctx *ctx, uint32_t *count);
void ts_pairs_free(ts_ctx *ctx, ts_pairs *p);

/* A cell that is an integer. */
typedef struct ts_cell {
    int64_t value;
    bool null;
} ts_cell;

static inline ts_cell ts_cell_of(const ts_batch *b, unsigned column, unsigned row)
{
    return (ts_cell){b->columns[column].ints[row], b->columns[column].null[row] != 0};
}

typedef struct ts_rollup {
    bool timed;    /* it has buckets */
    ts_vec lanes;  /* of ts_lane */
    ts_vec events; /* of ts_event */
    uint32_t *lane_slots;
    uint32_t lane_slot_count;
    ts_pairs pairs;
    ts_pairs no_stack; /* per lane with node 0: rows without a call path */
    ts_buckets buckets;
    ts_zones zones;
} ts_rollup;

typedef struct ts_event {
    char *p;
    size_t n;
} ts_event;

/* The lane, made when it is new; *lane is the one that is looked at first. */
ts_code ts_rollup_lane(uint32_t *lane, ts_ctx *ctx, ts_rollup *r, ts_cell source, ts_cell itid,
                       uint32_t event);
/* The event of a cell. */
ts_code ts_rollup_event(uint32_t *out, ts_ctx *ctx, ts_rollup *r, const ts_batch_column *column,
                        unsigned row);
void ts_rollup_free(ts_ctx *ctx, void *what);

/* --- what is kept ----------------------------------------------------------------------------- */

struct ts_view_db {
    ts_ctx ctx;
    const char *path;
    ts_reader *reader;
    bool reader_tried;
    bool origin_known;
    int64_t origin;
    ts_model *model;
};

/* As ts_model_keep, for what a request builds. */
typedef ts_code ts_keep_build(void **what, ts_view_call *call, const void *user);
ts_code ts_keep(void **what, ts_view_call *call, const char *kind, const char *key,
                ts_keep_build *build, ts_model_release *release, const void *user);

ts_code ts_paths_get(const ts_paths **out, ts_view_call *call);
ts_code ts_rollup_get(const ts_rollup **out, ts_view_call *call, ts_kind kind);

/* --- weights of call paths -------------------------------------------------------------------- */

typedef enum ts_weight {
    TS_WEIGHT_WALL,    /* dur of samples, clipped to the range */
    TS_WEIGHT_SAMPLES, /* their number; of calls: theirs */
    TS_WEIGHT_CPU,     /* their value cpu in ns */
    TS_WEIGHT_VALUE,   /* another value of theirs */
    TS_WEIGHT_SELF     /* self_dur of calls */
} ts_weight;

/* Which rows are meant. */
typedef struct ts_chosen {
    ts_kind kind;
    ts_weight weight;
    ts_text value; /* of TS_WEIGHT_VALUE: its name */
    const ts_view_value *source;
    const ts_view_value *threads; /* itids; none: all */
    const ts_view_value *event;
    bool ranged; /* else those without a time are meant too */
    int64_t from;
    int64_t to;
} ts_chosen;

typedef struct ts_weights {
    uint32_t n;      /* call paths */
    ts_wide *self;   /* of each, what its own rows weigh */
    uint64_t *count; /* and how many these are */
    ts_wide no_stack;
    uint64_t no_stack_count;
    char unit[32];
} ts_weights;

bool ts_chosen_lane(const ts_chosen *c, const ts_rollup *r, const ts_lane *lane);
bool ts_chosen_row(const ts_chosen *c, ts_cell source, ts_cell itid);
uint64_t ts_chosen_threads(const ts_chosen *c); /* bits of zones */
ts_code ts_weights_make(ts_weights *w, ts_view_call *call, const ts_chosen *c,
                        const ts_paths *paths);
/* values.c: of TS_WEIGHT_CPU and TS_WEIGHT_VALUE. */
ts_code ts_values_add(ts_weights *w, ts_view_call *call, const ts_chosen *c, const ts_paths *paths);
/* Adds the sums of the chosen lanes. */
ts_code ts_weights_add_pairs(ts_weights *w, ts_ctx *ctx, const ts_chosen *c, const ts_rollup *r);
void ts_weights_free(ts_ctx *ctx, ts_weights *w);

/* The parameters that flame, methods and others have in common, in this order. */
enum {
    TS_P_KIND,
    TS_P_SOURCE,
    TS_P_THREADS,
    TS_P_EVENT,
    TS_P_FROM,
    TS_P_TO,
    TS_P_WEIGHT,
    TS_P_VALUE,
    TS_P_CHOSEN
};
#define TS_CHOSEN_PARAMS                                                                           \
    {.name = "kind", .type = TS_VIEW_CHOICE, .choices = "sample,slice", .doc = "what is counted"}, \
        TS_PARAM_SOURCE, TS_PARAM_THREADS(false, "itid of threads"),                               \
        TS_PARAM_EVENT("stack_sample.event"), TS_PARAM_TIME("from", false),                        \
        TS_PARAM_TIME("to", false),                                                                \
        {.name = "weight",                                                                         \
         .type = TS_VIEW_CHOICE,                                                                   \
         .choices = "wall,samples,cpu,value,self",                                                 \
         .doc = "default: wall for samples, self for slices"},                                     \
    {                                                                                              \
        .name = "value", .type = TS_VIEW_TEXT, .most = 1000,                                       \
        .doc = "stack_value_type.name, with weight=value"                                          \
    }

/* TS_ERR_USAGE for a weight that the kind does not have. */
ts_code ts_chosen_read(ts_chosen *c, ts_view_call *call);

/* --- a request -------------------------------------------------------------------------------- */

/* From where rows are read. */
ts_rows_from ts_view_rows(ts_view_call *call);
void ts_view_report(ts_view_call *call, const char *what, uint64_t done, uint64_t total);
/* Number of rows of a table by its last rowid; 0 when it is not known. */
uint64_t ts_view_row_count(ts_view_call *call, const char *table);

static inline ts_ctx *ts_view_ctx(const ts_view_call *call)
{
    return &call->views->ctx;
}
static inline const ts_view_value *ts_view_value_of(const ts_view_call *call, unsigned param)
{
    return &call->args->values[param];
}
/* Which rows of a list are in the reply: [first, end). */
typedef struct ts_page {
    uint64_t first;
    uint64_t end;
} ts_page;

/* offset: number of that parameter. */
static inline ts_page ts_view_page(const ts_view_call *call, unsigned offset)
{
    uint64_t first = (uint64_t)ts_view_value_of(call, offset)->number;
    return (ts_page){first, first + (uint64_t)ts_view_value_of(call, offset + 1)->number};
}

/* A parameter that is a time: ns since 1970 again; `none` when it was not given. */
int64_t ts_view_time(ts_view_call *call, unsigned param, int64_t none);
/* A time for the reply. */
int64_t ts_view_since(ts_view_call *call, int64_t ts);

/* A text of at most TS_VIEW_TEXT_MAX bytes, cut between characters. */
enum { TS_VIEW_TEXT_MAX = 4096 };
void ts_view_text(ts_jout *out, const char *key, ts_text text);
/* A column of a result. */
void ts_view_cell(ts_jout *out, const char *key, sqlite3_stmt *stmt, int column);

#endif

/* What the files of the views share. */
#ifndef TS_SERVE_VIEWS_PRIVATE_H
#define TS_SERVE_VIEWS_PRIVATE_H

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/index.h"
#include "base/vec.h"
#include "model/call_paths.h"
#include "model/call_stacks.h"
#include "model/cells.h"
#include "model/ids.h"
#include "model/model.h"
#include "model/path_sums.h"
#include "model/zone_map.h"
#include "serve/views/view_params.h"
#include "serve/views/views.h"

/* 2^63-1 for what is beyond it; *capped is set then. */
int64_t ts_wide_cap(ts_wide sum, bool *capped);
/* Such a sum as SQL has it: a real number beyond 64 bits. */
void ts_wide_put(ts_jout *out, const char *key, ts_wide sum);

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

typedef struct ts_rollup {
    bool timed;    /* it has buckets */
    ts_vec lanes;  /* of ts_lane */
    ts_vec events; /* of ts_event */
    ts_index lane_index;
    ts_buckets buckets;
    ts_zones zones;
} ts_rollup;

typedef struct ts_event {
    char *p;
    size_t n;
} ts_event;

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

static inline ts_code ts_paths_get(const ts_paths **out, ts_view_call *call)
{
    return ts_call_paths(out, call->views->model);
}
ts_code ts_rollup_get(const ts_rollup **out, ts_view_call *call, ts_kind kind);

/* --- what is chosen -------------------------------------------------------------------- */

/* Which samples, or calls, are meant. */
typedef struct ts_chosen {
    ts_kind kind;
    const ts_view_value *source;
    const ts_view_value *threads; /* itids; none: all */
    const ts_view_value *event;
    bool ranged; /* else those without a time are meant too */
    int64_t from;
    int64_t to;
} ts_chosen;

bool ts_chosen_lane(const ts_chosen *c, const ts_rollup *r, const ts_lane *lane);
bool ts_chosen_row(const ts_chosen *c, ts_cell source, ts_cell itid);
uint64_t ts_chosen_threads(const ts_chosen *c); /* bits of zones */

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
    {.name = "kind",                                                                               \
     .type = TS_VIEW_CHOICE,                                                                       \
     .choices = "sample,slice",                                                                    \
     .doc = "only samples or calls"},                                                              \
        TS_PARAM_SOURCE, TS_PARAM_THREADS(false, "itid of threads"),                               \
        TS_PARAM_EVENT("stack_sample.event"), TS_PARAM_TIME("from", false),                        \
        TS_PARAM_TIME("to", false),                                                                \
        {.name = "weight",                                                                         \
         .type = TS_VIEW_TEXT,                                                                     \
         .most = 1000,                                                                             \
         .doc = "cpu, wall, waiting, waiting:lock ..., allocation, live, samples, calls, dur, or " \
                "stack_value_type.name; default: as /api/weights says"},                           \
    {                                                                                              \
        .name = "value", .type = TS_VIEW_TEXT, .most = 1000,                                       \
        .doc = "stack_value_type.name, with weight=value"                                          \
    }

/* What call paths weigh, as the request has chosen. TS_ERR_USAGE for a weight that there is not.
 * Caller frees with ts_calls_free, also after an error. */
ts_code ts_view_weigh(ts_calls *out, ts_view_call *call, bool no_idle);
/* The weight that is chosen. */
static inline ts_weight *ts_view_weight(ts_calls *calls)
{
    return &calls->weights[calls->chosen];
}
/* Members "weight" and "unit" of it. */
void ts_view_weight_put(ts_jout *out, const ts_weight *weight);

/* --- a request -------------------------------------------------------------------------------- */

/* From where rows are read. */
ts_rows_from ts_view_rows(ts_view_call *call);
void ts_view_report(ts_view_call *call, const char *what, uint64_t done, uint64_t total);
/* Number of rows of a table by its last rowid; 0 when it is not known. */
static inline uint64_t ts_view_row_count(ts_view_call *call, const char *table)
{
    const ts_rows_from from = ts_view_rows(call);
    return ts_rows_count(&from, table);
}

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

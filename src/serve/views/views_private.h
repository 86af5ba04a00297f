/* What the files of the views share. */
#ifndef TS_SERVE_VIEWS_PRIVATE_H
#define TS_SERVE_VIEWS_PRIVATE_H

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "model/call_paths.h"
#include "model/call_stacks.h"
#include "model/cells.h"
#include "model/ids.h"
#include "model/time_lanes.h"
#include "model/model.h"
#include "serve/views/view_params.h"
#include "serve/views/views.h"

/* 2^63-1 for what is beyond it; *capped is set then. */
int64_t ts_wide_cap(ts_wide sum, bool *capped);
/* Such a sum as SQL has it: a real number beyond 64 bits. */
void ts_wide_put(ts_jout *out, const char *key, ts_wide sum);

/* --- time ------------------------------------------------------------------------------------- */

/* Places count from the least time there is, so that columns of a power of two lie on multiples of
 * it. */
static inline uint64_t ts_time_place(int64_t ts)
{
    return (uint64_t)ts ^ (UINT64_C(1) << 63);
}

static inline int64_t ts_time_at(uint64_t place)
{
    return (int64_t)(place ^ (UINT64_C(1) << 63));
}

/* Columns of the least power of two that are at most px and one; none when first > last. */
ts_lane_columns ts_view_powers(uint64_t first, uint64_t last, uint64_t px);

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

static inline ts_code ts_paths_get(const ts_paths **out, ts_view_call *call)
{
    return ts_call_paths(out, call->views->model);
}

/* --- what is chosen -------------------------------------------------------------------- */

/* Which samples, or calls, are meant. */
typedef struct ts_chosen {
    const ts_view_value *source;
    const ts_view_value *threads; /* itids; none: all */
    const ts_view_value *event;
    int64_t from;
    int64_t to;
} ts_chosen;

bool ts_chosen_lane(const ts_chosen *c, const ts_time_lanes *all, const ts_lane *lane);
bool ts_chosen_row(const ts_chosen *c, ts_cell source, ts_cell itid);

#define TS_PARAM_DEMANGLE                                                                          \
    {                                                                                              \
        .name = "demangle", .type = TS_VIEW_INT, .least = 0, .most = 1,                            \
        .doc = "1: names of C++ and Rust as they are written"                                      \
    }

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
    TS_P_LABEL,
    TS_P_DEMANGLE,
    TS_P_CHOSEN
};
#define TS_CHOSEN_PARAMS                                                                           \
    {.name = "kind",                                                                               \
     .type = TS_VIEW_CHOICE,                                                                       \
     .choices = "sample,slice,heap,mark",                                                          \
     .doc =                                                                                        \
         "only samples, calls, allocation stacks of heap timelines or slices of a trace of the "   \
         "system; default: samples and calls, else one of the others"},                            \
        TS_PARAM_SOURCE, TS_PARAM_THREADS(false, "itid of threads"),                               \
        TS_PARAM_EVENT("stack_sample.event"), TS_PARAM_TIME("from", false),                        \
        TS_PARAM_TIME("to", false),                                                                \
        {.name = "weight",                                                                         \
         .type = TS_VIEW_TEXT,                                                                     \
         .most = 1000,                                                                             \
         .doc = "cpu, wall, waiting, waiting:lock ..., allocation, live, samples, calls, dur, or " \
                "stack_value_type.name; default: as /api/weights says"},                           \
        {.name = "value",                                                                          \
         .type = TS_VIEW_TEXT,                                                                     \
         .most = 1000,                                                                             \
         .doc = "stack_value_type.name, with weight=value"},                                       \
        {.name = "label",                                                                          \
         .type = TS_VIEW_TEXT,                                                                     \
         .most = 1000,                                                                             \
         .doc = "a label of samples: KEY=VALUE, a glob of that, or KEY"},                          \
        TS_PARAM_DEMANGLE

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
/* What all stacks weigh, also those that filters leave out: what shares are of. And that as member
 * "all". */
void ts_view_all(ts_wide *all, uint64_t *count, const ts_path_weights *w);
void ts_view_all_put(ts_jout *out, ts_wide all, uint64_t count);

/* --- a request -------------------------------------------------------------------------------- */

/* From where rows are read. */
ts_rows_from ts_view_rows(ts_view_call *call);
static inline ts_ctx *ts_view_ctx(const ts_view_call *call)
{
    return &call->views->ctx;
}
static inline const ts_view_value *ts_view_value_of(const ts_view_call *call, unsigned param)
{
    return &call->args->values[param];
}
/* Sorts elements of `size` bytes by their first member, an int64_t that no two share. */
void ts_view_by_key(ts_vec *v, size_t size);

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

/* Ids of sources or threads; none of those that were named: what has no id. Caller frees *set, also
 * after an error. */
ts_code ts_view_ids(ts_idset *set, ts_ctx *ctx, const ts_view_value *v);

/* A text of at most TS_VIEW_TEXT_MAX bytes, cut between characters. */
enum { TS_VIEW_TEXT_MAX = 4096 };
void ts_view_text(ts_jout *out, const char *key, ts_text text);
/* An integer, or null. */
void ts_view_int(ts_jout *out, const char *key, ts_cell cell);
/* A column of a result. */
void ts_view_cell(ts_jout *out, const char *key, sqlite3_stmt *stmt, int column);

#endif

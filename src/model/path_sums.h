/*
 * What samples and calls weigh, added up by where they are from and by call path, in one pass over
 * all rows: what other weights, threads, sources and classes of events weigh is a pass over the
 * sums.
 */
#ifndef TS_MODEL_PATH_SUMS_H
#define TS_MODEL_PATH_SUMS_H

#include "base/index.h"
#include "base/pool.h"
#include "base/vec.h"
#include "model/call_paths.h"
#include "model/cells.h"
#include "model/sample_events.h"
#include "model/model.h"

/* Samples of one thread of one source that one thing caused in one state; calls of one thread. */
typedef struct ts_sum_lane {
    int64_t source; /* 0: none */
    int64_t itid;
    uint32_t event; /* place in `events`; TS_NO_INDEX: none */
    uint8_t state;  /* of samples as ts_events_state has it */
    bool has_itid;
    bool timed; /* its rows have a time */
    bool async; /* calls that belong to no thread */
} ts_sum_lane;

/* Sums of the rows of a lane that end in one call path. */
typedef struct ts_path_sum {
    uint32_t lane;
    uint32_t node;  /* TS_NO_INDEX: of no call path */
    uint32_t count; /* of samples: with a dur of 0 or more; of calls and values: all */
    uint32_t other; /* the others, which have no value */
    ts_wide sum;
} ts_path_sum;

typedef struct ts_path_sums {
    ts_ctx *ctx;
    const ts_paths *paths;
    ts_vec lanes; /* of ts_sum_lane */
    ts_pool keys; /* of lanes, in their order */
    ts_pool events;
    ts_vec sums;    /* of ts_path_sum */
    uint32_t lane;  /* of the row before */
    uint32_t event; /* of it */
    /* While rows are added: */
    uint32_t *head; /* of each call path its list of a few sums: place + 1 */
    ts_vec next;    /* uint32_t of each: the next of its list, place + 1, or 0 */
    ts_index index; /* of those that are in no list */
} ts_path_sums;

/* Sums of all samples, or of all calls; kept by the model. */
ts_code ts_path_sums_get(const ts_path_sums **out, ts_model *m, bool calls);

/*
 * The same beside another pass over all rows, which need not be read twice: each batch that is read
 * is given to ts_path_sums_batch. Its columns begin with source_id, itid, ts, dur, node_id and, of
 * samples, event, of calls self_dur. *out is NULL when the sums are there already.
 * ts_path_sums_kept frees it and, after TS_OK, keeps the sums.
 */
typedef struct ts_sums_pass ts_sums_pass;
ts_code ts_path_sums_pass(ts_sums_pass **out, ts_model *m, bool calls);
ts_code ts_path_sums_batch(ts_sums_pass *p, const ts_batch *b);
ts_code ts_path_sums_kept(ts_sums_pass *p, ts_model *m, ts_code code);

/* Sums without rows, to which values are added. Free with ts_path_sums_free, also after an error.
 */
ts_code ts_path_sums_begin(ts_path_sums *s, ts_ctx *ctx, const ts_paths *paths);
/* A value of a sample with this event, or a sample without one; lane: what it has besides the
 * event. node: TS_NO_INDEX for none. */
ts_code ts_path_sums_add(ts_path_sums *s, const ts_sum_lane *lane, ts_text event, uint32_t node,
                         ts_cell value);
void ts_path_sums_end(ts_path_sums *s); /* nothing is added any more */
void ts_path_sums_free(ts_ctx *ctx, void *what);

#endif

/* Rows of tables as rows of lanes (lane_rows.c). */
#ifndef TS_MODEL_LANE_PRIVATE_H
#define TS_MODEL_LANE_PRIVATE_H

#include "model/call_paths.h"
#include "model/sample_events.h"
#include "model/sources.h"
#include "model/time_lanes.h"

/* Its time is of no kind. */
enum { LANE_NO_STATE = TS_LANE_STATES };

typedef struct lane_key {
    ts_cell source, itid;
    int64_t number;
    ts_text name; /* p NULL: none */
} lane_key;

typedef struct lane_row {
    int64_t rowid;
    int64_t ts; /* TS_NO_TIME: none */
    int64_t end;
    int64_t depth; /* of slices; -1: not known */
    unsigned state;
    bool open;      /* its end was not seen; `end` is that of the recording, or ts */
    bool has_value; /* else a gap */
    double value;
    ts_cell dur, cpu; /* as ts_lane.dur and cpu have it */
} lane_row;

typedef struct lane_reader lane_reader;
typedef ts_code lane_visit(void *user, const lane_key *key, const lane_row *row);

struct lane_reader {
    ts_ctx *ctx;
    ts_lane_kind kind;
    const ts_paths *paths;     /* of samples */
    ts_events *events;         /* likewise */
    const ts_threads *threads; /* of processes */
    int64_t end;               /* of the recording */
    lane_visit *visit;
    void *user;
};

typedef struct lane_table {
    const char *name; /* of the kind */
    enum ts_table_id table;
    ts_code (*row)(lane_reader *r, const ts_batch *b, unsigned i);
    const char *states[TS_LANE_STATES];
    unsigned count;
    unsigned columns[12];
} lane_table;

const lane_table *lane_table_of(ts_lane_kind kind);

/* Samples and traced calls: an error when there is no such table, and the most rows. */
static inline bool lane_is_stacks(ts_lane_kind kind)
{
    return kind == TS_LANE_SAMPLE || kind == TS_LANE_CALL;
}

ts_code lane_reader_make(lane_reader *r, ts_model *m, ts_lane_kind kind, int64_t end);

/* --- blocks ----------------------------------------------------------------------------------- */

/* Longer blocks of samples and traced calls, whose rows are not kept and of which there are most.
 */
enum { LANE_BLOCK_ROWS = 128, LANE_MANY_ROWS = 256, LANE_BLOCK_FAN = 8 };

/* Rows that follow each other, or 8 blocks of the level below. */
typedef struct lane_block {
    int64_t begin, end;  /* least time and greatest end */
    int64_t first, last; /* rowids */
    size_t body;         /* of the lowest level: where its rows are, when they are kept */
    ts_lane_sum sum;
} lane_block;

/* The sum, or 2^63-1. */
int64_t lane_ns_sum(int64_t a, uint64_t b);
ts_lane_values lane_one_value(const lane_row *row);
void lane_values_add(ts_lane_values *to, const ts_lane_values *part);

/* Place of a lane; TS_NO_INDEX: there is none. *last: that of the row before. */
uint32_t lane_place(const ts_time_lanes *all, const lane_key *key, uint32_t *last);

/* What a walk from the widest blocks on does with one: goes on past it, or down into it. */
typedef ts_code lane_block_visit(bool *down, void *user, const lane_block *block, bool lowest);
ts_code lane_blocks_walk(const ts_lane *l, lane_block_visit *visit, void *user);

/* --- rows that are kept (lane_bodies.c)
 * ----------------------------------------------------------- */

bool lane_is_kept(ts_lane_kind kind);
/* Adds a row of the last block of a lane, and ends that block. */
ts_code lane_body_row(ts_ctx *ctx, const ts_time_lanes *all, ts_lane *l, const lane_row *row);
ts_code lane_body_end(ts_ctx *ctx, ts_time_lanes *all, ts_lane *l);
/* The rows of a block of the lowest level. */
ts_code lane_body_each(const ts_time_lanes *all, const lane_block *block, ts_lane_row_visit *visit,
                       void *user);

/* Rowids. */
typedef struct lane_range {
    int64_t first, last;
} lane_range;

ts_code lane_range_add(ts_ctx *ctx, ts_vec *ranges, const lane_block *block);
/* All ranges were added. */
void lane_walk_ready(ts_lane_walk *w, ts_rows *rows);

#endif

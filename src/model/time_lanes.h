/*
 * Rows with times as lanes: what a CPU ran, what state a thread was in, its samples, calls, marks,
 * the values of a counter; and pictures of them in columns of time.
 *
 * A lane is blocks of 128 (samples and traced calls: 256) of its rows in the order of the table,
 * and above them blocks of 8 blocks: the times that its rows cover, their number, ns of each
 * kind, or of values the least, greatest, sum, first and last. A picture takes a block whole
 * that lies in one column; rows of the others are read again, all lanes of a picture in one
 * pass. So numbers and ns of each column are exact, in whatever order the rows are.
 *
 * Memory: 150 bytes a block, 350 a lane, and the names; rows of all but samples and traced calls
 * are kept, 4 to 14 bytes each, as far as there is room.
 */
#ifndef TS_MODEL_TIME_LANES_H
#define TS_MODEL_TIME_LANES_H

#include "base/pool.h"
#include "base/vec.h"
#include "model/cells.h"
#include "model/model.h"

/* What lanes are of: one table each, in the order of docs/serve_views.md. */
typedef enum ts_lane_kind {
    TS_LANE_CPU,         /* sched_slice, by CPU */
    TS_LANE_IRQ,         /* irq, by CPU */
    TS_LANE_STATE,       /* thread_state, by thread */
    TS_LANE_SAMPLE,      /* stack_sample, by source, thread and event */
    TS_LANE_CALL,        /* stack_slice, by source and thread */
    TS_LANE_SLICE,       /* callstack, by thread, asynchronous ones apart */
    TS_LANE_PAUSE,       /* runtime_pause, by source and kind */
    TS_LANE_SUSPEND,     /* cloud_suspend, by source */
    TS_LANE_WAIT,        /* lock_wait, by source, thread and kind */
    TS_LANE_LOG,         /* log, by level */
    TS_LANE_EVENT,       /* hisys_all_event, by level */
    TS_LANE_INSTANT,     /* instant, by name */
    TS_LANE_PROCESS_CPU, /* sched_slice, by process */
    TS_LANE_FRAME,       /* frame_slice, by process and whether it was expected */
    TS_LANE_SERIES,      /* timeseries_value, by series; from here on values */
    TS_LANE_MEASURE,
    TS_LANE_SYS_MEM,
    TS_LANE_PROCESS,
    TS_LANE_XPOWER,    /* by filter, as the two before */
    TS_LANE_CPU_USAGE, /* by column, as the two after it */
    TS_LANE_DISK,
    TS_LANE_NETWORK,
    TS_LANE_LIVE, /* live_process, by process and column */
    TS_LANES
} ts_lane_kind;

enum { TS_LANE_STATES = 5, TS_LANE_COLUMNS = 4097 };

/* Values of a block or a column. */
typedef struct ts_lane_values {
    uint64_t count;                     /* 0: the others say nothing */
    double least, greatest, sum, error; /* of the sum: what rounding left */
    double first, last;
    int64_t first_ts, last_ts, first_row, last_row;
} ts_lane_values;

/* What lies in a block or a column. */
typedef struct ts_lane_sum {
    uint64_t rows; /* that begin in it */
    union {
        int64_t ns[TS_LANE_STATES]; /* of each kind, at most 2^63-1 */
        ts_lane_values values;
    };
} ts_lane_sum;

typedef struct ts_lane {
    ts_cell source, itid; /* of TS_LANE_LIVE the process id, of processes and frames the ipid */
    int64_t number;       /* of the CPU, the filter, the column; 1: asynchronous or expected ones */
    uint32_t name;        /* place in `names`; TS_NO_INDEX: none */
    bool again;           /* there is a lane before for another event of the same thread */
    uint64_t rows;
    uint64_t open;                   /* without an end */
    uint64_t dur_rows, cpu_rows;     /* of samples and outermost calls those that have it */
    ts_wide dur, cpu;                /* of them */
    int64_t longest;                 /* of those with an end; 0: none */
    int64_t first, last;             /* least time and greatest end; first > last: no times */
    int64_t open_ns[TS_LANE_STATES]; /* of those without an end, up to the end of the recording */
    ts_vec blocks;                   /* of one level after the other, the lowest first */
    size_t levels[14];               /* where each begins, and the end of the last */
    unsigned level_count;
    unsigned fill; /* rows in the last block, while rows are added */
    ts_vec staged; /* ts_lane_row of it, likewise */
} ts_lane;

typedef struct ts_time_lanes {
    ts_lane_kind kind;
    ts_vec lanes; /* of ts_lane */
    ts_pool names;
    ts_index index;
    int64_t end;   /* of the recording */
    bool kept;     /* rows of the lowest blocks are in `bodies` */
    ts_vec bodies; /* bytes, see lane_bodies.c */
} ts_time_lanes;

/* All lanes of a kind, from one pass over its table; kept by the model. None when the table is not
 * there. */
ts_code ts_time_lanes_get(const ts_time_lanes **out, ts_model *m, ts_lane_kind kind);

const char *ts_lane_kind_name(ts_lane_kind kind);
/* NULL: there are fewer kinds of time, or its rows have none. */
const char *ts_lane_state_name(ts_lane_kind kind, unsigned state);
/* Which of TS_LANE_STATE's kinds of time a thread is in, by the text of thread_state. */
unsigned ts_lane_state_of(ts_text state);
/* The column of a lane that is one. */
const ts_column *ts_lane_column(const ts_time_lanes *lanes, const ts_lane *lane);
static inline bool ts_lane_has_values(ts_lane_kind kind)
{
    return kind >= TS_LANE_SERIES;
}

/* Columns of time: [begin + i * width, begin + (i + 1) * width). */
typedef struct ts_lane_columns {
    ts_wide begin;
    uint64_t width;
    uint32_t count;   /* at most TS_LANE_COLUMNS */
    int64_t from, to; /* first and last moment in them that is looked at */
} ts_lane_columns;

/* The columns, on multiples of the width from the origin, that hold [from, to), and of them that:
 * at most px and one. */
ts_lane_columns ts_lane_columns_of(int64_t origin, int64_t from, int64_t to, int64_t px);

/* Of a lane of the picture: one sum a column. */
typedef ts_code ts_lane_drawn(void *user, size_t number, const ts_lane_sum *cells);

/* Draws n lanes (places), as many at once as 16 MiB hold, and gives them in their order. */
ts_code ts_time_lanes_draw(ts_model *m, const ts_time_lanes *all, const uint32_t *lanes, size_t n,
                           const ts_lane_columns *columns, ts_lane_drawn *drawn, void *user);

/* Adds what is in one to the other: of parts that have no row in common. */
void ts_lane_sum_add(ts_lane_sum *to, const ts_lane_sum *part, bool values);
/* Sum of the values divided by their number. */
double ts_lane_mean(const ts_lane_values *v);

/* --- rows that are kept ------------------------------------------------------------------------
 */

/* A row with a time. Of slices and values the rowid is known, of slices the depth (or -1). */
typedef struct ts_lane_row {
    int64_t ts, end;
    int64_t rowid, depth;
    double value;
    unsigned state;
    bool open, has_value;
} ts_lane_row;

typedef ts_code ts_lane_row_visit(void *user, const ts_lane_row *row);

/* The rows of blocks of a lane that are not outside of [from, to), when all->kept. */
ts_code ts_lane_rows_each(ts_model *m, const ts_time_lanes *all, const ts_lane *lane, int64_t from,
                          int64_t to, ts_lane_row_visit *visit, void *user);

/* --- rows ------------------------------------------------------------------------------------- */

/* Rows of a table that may be of some lanes and in [from, to): whole batches of those near them. */
typedef struct ts_lane_walk {
    ts_rows *rows;
    ts_vec ranges; /* of rowids */
    size_t next;
    int64_t last; /* rowid up to which the current range reaches */
} ts_lane_walk;

/* rows: of the lanes' table, borrowed. wanted: by lane. Free with ts_lane_walk_free, also after an
 * error. */
ts_code ts_lane_walk_begin(ts_lane_walk *w, ts_model *m, const ts_time_lanes *all,
                           const bool *wanted, int64_t from, int64_t to, ts_rows *rows);
/* The same with the rows of these ids, and of some between them. */
ts_code ts_lane_walk_rows(ts_lane_walk *w, ts_model *m, const int64_t *rowids, size_t n,
                          ts_rows *rows);
/* The next rows: *count of them, from the first of the batch on, none at the end. */
ts_code ts_lane_walk_next(const ts_batch **batch, unsigned *count, ts_lane_walk *w);
void ts_lane_walk_free(ts_ctx *ctx, ts_lane_walk *w);

#endif

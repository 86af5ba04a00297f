/*
 * Samples of CPU profiles, short. Of such samples most columns of stack_sample are the same in long
 * runs of rows, and js_cpu_profiler_sample only says which of them follow each other in one call
 * path. So their rows go to stack_sample_row, of which a record ends with the last column that says
 * something, what many of them have in common to stack_sample_block, and stack_sample and
 * js_cpu_profiler_sample become views of both when the file is finished.
 *
 * A database begins to be written so when the first row of either table is put after
 * TS_SHOW_RUNS; what other formats put into stack_sample then is a row that says everything itself.
 * What the views cannot say (rows that change later, runs that their samples do not show) is found
 * here: the tables are made from the views then, and nothing is left of the short form.
 */
#ifndef TS_TABLES_SAMPLE_ROWS_H
#define TS_TABLES_SAMPLE_ROWS_H

#include "base/buf.h"
#include "base/vec.h"
#include "tables/rows.h"
#include "tables/sample_batch.h"

struct ts_db;

#define TS_SAMPLE_ROWS "stack_sample_row"
#define TS_SAMPLE_BLOCKS "stack_sample_block"

/* Columns of stack_sample_row. A row has either since_us and dur_us, and the rest is that of its
 * block; or source_id and what follows, whatever its block says. */
enum {
    SAMPLE_ID,
    SAMPLE_NODE,   /* stack_sample.node_id */
    SAMPLE_SINCE,  /* µs since the ts of its block */
    SAMPLE_DUR_US, /* µs */
    SAMPLE_BEFORE, /* of the last sample of a run: samples of the run before it */
    SAMPLE_RUN,    /* then: id of js_cpu_profiler_sample */
    SAMPLE_SHIFT,  /* then, if it is not 0: function_id is node_id + shift of the block + this */
    SAMPLE_PLACE,  /* then, if it is not 0: times of the run have place of the block + this added */
    SAMPLE_SOURCE,
    SAMPLE_ITID,
    SAMPLE_TS, /* ns */
    SAMPLE_DUR,
    SAMPLE_EVENT,
    SAMPLE_COLUMNS
};

typedef struct sample_row {
    uint64_t null;
    int64_t id, node_id, since_us, dur_us, before, run, shift, place, source_id, itid, ts, dur;
    ts_text event;
} sample_row;

/* Columns of stack_sample_block. Block n is for the samples whose id / TS_SAMPLE_BLOCK is n. */
enum {
    BLOCK_ID,
    BLOCK_SOURCE,
    BLOCK_ITID,
    BLOCK_TS,
    BLOCK_EVENT,
    BLOCK_SHIFT,
    BLOCK_PLACE, /* what js_cpu_profiler_sample adds to times */
    BLOCK_COLUMNS
};

typedef struct sample_block {
    uint64_t null; /* a bit a column */
    int64_t id, source_id, itid, ts, shift, place;
    size_t event_at, event_n; /* in ts_samples.events */
} sample_block;

extern const ts_table ts_sample_row_table;
extern const ts_table ts_sample_block_table;

/* ns, as the sample was put. */
typedef struct sample_times {
    int64_t ts, dur;
    bool has_ts, has_dur;
} sample_times;

/* What a database keeps while rows come: 72 bytes for each TS_SAMPLE_BLOCK samples. */
typedef struct ts_samples {
    bool on;
    bool whole;  /* the views cannot say what was put */
    bool waits;  /* a sample that may be the last of its run */
    bool closed; /* the last block: no more samples are like it */
    uint64_t in_run;
    int64_t runs; /* rows of js_cpu_profiler_sample */
    int64_t source_id;
    sample_row row;     /* that waits */
    sample_times first; /* of the first sample of the run */
    sample_times is;    /* of the row that waits */
    ts_vec blocks;      /* sample_block */
    ts_buf events;
    ts_buf event; /* of the row that waits */
} ts_samples;

void ts_samples_free(ts_ctx *ctx, ts_samples *s);

/* From the first row of the two tables on, which must have none. */
void ts_samples_begin(struct ts_db *db);

/* A row of stack_sample or js_cpu_profiler_sample. */
ts_code ts_samples_put(struct ts_db *db, enum ts_table_id table, const void *row);

/* The rows of a batch, which are the next ones: the same as one by one. */
ts_code ts_samples_put_batch(struct ts_db *db, const ts_sample_batch *batch);

/* Writes the row that waits; rows that come later are none of the last block. */
ts_code ts_samples_flush(struct ts_db *db);

/* The statement of an index when the samples of the finished file are short; NULL: none. */
const char *ts_samples_index(const ts_sql_index *index);

/* Makes the views, or the tables, of the finished file. */
ts_code ts_samples_finish(struct ts_db *db);

#endif

/*
 * Samples of a CPU profile as they mostly are, many at once: one thread's, each begins where the
 * one before it ends, and those in one call path that follow each other are a run. They are rows of
 * stack_sample, and for each run that ends one of js_cpu_profiler_sample after its last sample.
 */
#ifndef TS_TABLES_SAMPLE_BATCH_H
#define TS_TABLES_SAMPLE_BATCH_H

#include "tables/rows.h"
#include "tables/sink.h"

enum { TS_SAMPLES_MOST = 1024 }; /* in a batch */

/* The arrays have an element for each sample, from 0 to INT32_MAX. All times fit 64 bits. */
typedef struct ts_sample_batch {
    int64_t source_id;
    int64_t itid; /* -1: NULL */
    ts_text event;
    int64_t ts;     /* of the first sample, ns */
    int64_t place;  /* ns, added to the times of runs */
    bool goes_on;   /* the first sample goes on with a run, which */
    int64_t run_ts; /* began at this time, ns */
    unsigned count;
    unsigned runs; /* that end in it */
    const uint32_t *dur_us;
    const uint32_t *node_id;
    const uint32_t *function_id; /* of the run that ends with the sample; 0: it goes on */
} ts_sample_batch;

ts_code ts_sink_put_samples(ts_sink *sink, const ts_sample_batch *batch);

/* Where one is in a batch. */
typedef struct ts_sample_place {
    unsigned i;
    int64_t ts;     /* of sample i */
    int64_t run_ts; /* when the run that it is in began */
    bool goes_on;   /* sample i is not the first one of it */
} ts_sample_place;

ts_sample_place ts_sample_begin(const ts_sample_batch *batch);

/* The row of the sample, but for its id. */
ts_row_stack_sample ts_sample_row(const ts_sample_batch *batch, const ts_sample_place *at);

/* False: no run ends with it. Else the row of the run, but for its id. */
bool ts_sample_run(ts_row_js_cpu_profiler_sample *run, const ts_sample_batch *batch,
                   const ts_sample_place *at);

/* To the sample that is `n` further; the batch may end there. */
void ts_sample_move(ts_sample_place *at, const ts_sample_batch *batch, unsigned n);

#endif

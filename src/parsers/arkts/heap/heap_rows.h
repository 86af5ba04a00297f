/*
 * Rows of the small arrays: locations, samples, trace_function_infos. Owned by heap_rows.c. Docs:
 * docs/formats.md, "Heap snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_ROWS_H
#define TS_PARSERS_ARKTS_HEAP_ROWS_H

#include "parsers/arkts/heap/heap_part.h"

typedef struct heap_rows {
    uint64_t *located; /* a bit per node that has a location; owned */
    int64_t last_sample_us;
    int64_t last_sample_id;
    bool samples_disordered;
    int64_t function_name_max; /* largest string index of a function, -1 without one */
    ts_intvec function_ids;
    uint64_t function_twice; /* functions whose id another one before them has */
} heap_rows;

void heap_rows_begin(heap_rows *rows);
void heap_rows_free(ts_ctx *ctx, heap_rows *rows);

/* A complete row of any array but trace_tree; nulls: a bit per target without a value. */
ts_code heap_put_row(ts_heap *h, enum heap_part part, const int64_t *row, uint32_t nulls);

#endif

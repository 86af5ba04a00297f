/*
 * The flat arrays of a snapshot: from single integers to rows, at once or, when what they refer to
 * has not come yet, after a spool. Owned by heap_array.c; heap_batch.c takes whole rows at once,
 * heap_tree.c the array trace_tree. Docs: docs/formats.md, "Heap snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_ARRAY_H
#define TS_PARSERS_ARKTS_HEAP_ARRAY_H

#include "base/spool.h"
#include "parsers/arkts/heap/heap_meta.h"

typedef struct heap_array {
    enum part_state state;
    heap_fields fields;
    bool described;  /* fields come from the snapshot */
    ts_spool *spool; /* owned; NULL when nothing waits */
    uint64_t spooled;
    uint32_t at; /* position in the row */
    int64_t row[MAX_TARGETS];
    uint32_t nulls;
    uint64_t rows;
    uint64_t bad;     /* elements that are no integers */
    uint64_t partial; /* rows cut by the end of the array */
} heap_array;

ts_code heap_array_open(ts_heap *h, enum heap_part part);
ts_code heap_array_close(ts_heap *h, enum heap_part part);
ts_code heap_array_ints(ts_heap *h, enum heap_part part, const int64_t *v, size_t n);

/* An element that is no integer. */
ts_code heap_array_odd(ts_heap *h, enum heap_part part);

/* Arrays inside the trace tree. */
ts_code heap_array_nested(ts_heap *h, bool begin);

/* The description is complete: what waited for it goes on. */
ts_code heap_array_resume(ts_heap *h);

/* No more will come: resolves everything with what is known. */
ts_code heap_array_finish(ts_heap *h);

/* Releases what the arrays own; they are empty then. */
void heap_array_reset(ts_heap *h);

/* Takes whole rows of nodes or edges from v[0..n) while they are as V8 usually writes them; *used
 * is how many integers. The rest is for the general way, which gives the same rows. */
ts_code heap_batch(ts_heap *h, enum heap_part part, const int64_t *v, size_t n, size_t *used);

#endif

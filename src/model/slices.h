/*
 * Calls and marked sections, whichever table has them: traced calls (stack_slice) and slices of a
 * trace of the system (callstack, whose traced calls are those again). Time in itself is that of a
 * slice without the closed slices right below it; it is not known of a slice without an end, and
 * never negative. Asynchronous slices belong to no thread: nothing is below them.
 *
 * Memory: 8 bytes a slice of the system.
 */
#ifndef TS_MODEL_SLICES_H
#define TS_MODEL_SLICES_H

#include "model/call_paths.h"
#include "model/cells.h"
#include "model/pattern.h"
#include "model/select.h"

typedef struct ts_slice {
    bool mark; /* of callstack */
    bool async;
    int64_t id;
    int64_t parent; /* the one around it; -1: none */
    int64_t ts;     /* TS_NO_TIME: not recorded */
    ts_cell source, itid, dur, self, cpu, depth;
    uint32_t node; /* of a call: place in ts_call_paths, or TS_NO_INDEX */
    ts_text name;  /* of a mark, until the next one */
} ts_slice;

typedef ts_code ts_slice_visit(void *user, const ts_slice *slice);

/* All that begin in the selection, in the order of their tables. */
ts_code ts_slices_each(ts_model *m, const ts_select *select, ts_slice_visit *visit, void *user);

/* Of calls of threads, and of asynchronous slices. */
typedef struct ts_slice_sums {
    uint64_t count, open;
    bool has_dur, has_self, has_cpu;
    ts_wide dur;              /* of all */
    ts_wide outer, self, cpu; /* outer, cpu: of those that nothing is around */
} ts_slice_sums;

typedef struct ts_slice_hits {
    ts_slice_sums sums[2]; /* of calls, asynchronous */
    bool has_next, has_before;
    ts_slice next, before; /* the nearest after a place and before it, by time and id */
    ts_buf next_name, before_name;
} ts_slice_hits;

typedef struct ts_slices_asked {
    const ts_select *select;
    ts_pattern *name; /* NULL: all */
    int64_t ts, id;   /* the place */
    bool near;        /* next and before are wanted */
} ts_slices_asked;

/* What they are together, and those near a place. Caller frees with ts_slice_hits_free, also after
 * an error. */
ts_code ts_slices_find(ts_slice_hits *out, ts_model *m, const ts_slices_asked *asked);
void ts_slice_hits_free(ts_ctx *ctx, ts_slice_hits *hits);

#endif

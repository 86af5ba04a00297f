/* What the files of a profile share (export_profile.h). */
#ifndef TS_EXPORT_EXPORT_PRIVATE_H
#define TS_EXPORT_EXPORT_PRIVATE_H

#include "export/export_profile.h"
#include "tables/rows.h"

/* --- what the filter means (export_select.c) ------------------------------------------------- */

/* Sets select and sliced of p. */
ts_code profile_select(ts_calls *p);

/* TS_ERR_USAGE: `what` went wrong, and what stacks there are. */
ts_code profile_explain(const ts_calls *p, const char *what);

/* --- weights (export_weights.c) --------------------------------------------------------------- */

ts_code profile_add_weight(ts_weight **out, ts_calls *p, ts_weight_kind kind, ts_text name,
                           ts_text unit);

/* Lists what stacks can be weighed by. */
ts_code profile_list_weights(ts_calls *p);

/* Chooses the weight and loads it, with all else that is needed. */
ts_code profile_load_weights(ts_calls *p, ts_calls_load load);

/* --- the tree of heap timelines (export_heap.c) ------------------------------------------------
 */

/* Call paths, weights and frames of it, in place of those of stack_node. */
ts_code profile_read_heap(ts_calls *p, ts_frames *frames);
bool profile_is_heap_weight(const char *name);

/* --- slices of a trace of the system (export_marks.c) --- */

/* The same of callstack. */
ts_code profile_read_marks(ts_calls *p, ts_frames *frames);

/* --- shared ------------------------------------------------------------------------------------
 */

ts_code profile_bad_rows(const ts_calls *p, const char *table);

/* Elements 0 to id are there afterwards, new ones zero. */
ts_code profile_vec_reach(ts_ctx *ctx, ts_vec *v, int64_t id, size_t size);

/* One more call path; the caller knows that parent is smaller. */
ts_code profile_add_node(ts_calls *p, uint32_t *cap, uint32_t parent, uint32_t method,
                         int64_t line);

static inline bool profile_has(const ts_vec *v, int64_t id)
{
    return id >= 0 && (uint64_t)id < v->n && ((const bool *)v->p)[id];
}

static inline ts_text profile_cell(const ts_batch *b, unsigned column, unsigned row)
{
    const ts_scan_text *t = &b->columns[column].texts[row];
    return (ts_text){t->p, t->n};
}

#endif

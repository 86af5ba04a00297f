/* What the files of a profile share (model/call_stacks.h). */
#ifndef TS_MODEL_CALL_STACKS_PRIVATE_H
#define TS_MODEL_CALL_STACKS_PRIVATE_H

#include "model/cells.h"
#include "model/call_stacks.h"
#include "tables/rows.h"

/* --- what the filter means (stacks_found.c) ------------------------------------------------- */

/* Sets select and sliced of p. */
ts_code stacks_select(ts_calls *p);

/* --- weights (stack_weights.c) --------------------------------------------------------------- */

ts_code stacks_add_weight(ts_weight **out, ts_calls *p, ts_weight_kind kind, ts_text name,
                          ts_text unit);

/* Lists what stacks can be weighed by. */
ts_code stacks_list_weights(ts_calls *p);

/* Chooses the weight and loads it, and what else is to be loaded. */
ts_code stacks_load_weights(ts_calls *p, ts_calls_load load);

/* --- the tree of heap timelines (stacks_of_heap.c)
 * ------------------------------------------------
 */

/* Call paths, weights and frames of it, in place of those of stack_node. */
ts_code stacks_read_heap(ts_calls *p, ts_frames *frames);
bool stacks_is_heap_weight(const char *name);

/* --- slices of a trace of the system (stacks_of_slices.c) --- */

/* The same of callstack. */
ts_code stacks_read_marks(ts_calls *p, ts_frames *frames);

/* --- shared ------------------------------------------------------------------------------------
 */

/* One more call path; the caller knows that parent is smaller. */
ts_code stacks_add_node(ts_calls *p, uint32_t *cap, uint32_t parent, uint32_t method, int64_t line);

#endif

/* What the files of a profile share (model/call_stacks.h). */
#ifndef TS_MODEL_CALL_STACKS_PRIVATE_H
#define TS_MODEL_CALL_STACKS_PRIVATE_H

#include "model/path_sums.h"
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

/* Id of the method of a call path; 0: none. */
int64_t stacks_method(const ts_calls *p, uint32_t node);
/* Whether samples without a time count: they are no sums of calls that are there, too. */
bool stacks_wants_untimed(const ts_calls *p, int64_t source_id);
bool stacks_is_of(const ts_weight *weight, const ts_event_kind *what);
/* Whether something waits for nothing to do. */
bool stacks_is_idle(const ts_event_kind *what);
/* Of each kind of value whether it is of the weight; the caller frees it. */
ts_code stacks_kinds_of(bool **wanted, bool *any, const ts_calls *p, const ts_weight *weight);
/* Visits what has a length; values of the weight; values of these kinds. */
ts_code stacks_each_length(const ts_calls *p, const ts_weight *weight, ts_calls_visit visit,
                           void *user);
ts_code stacks_each_value_of(const ts_calls *p, const ts_weight *weight, ts_calls_visit visit,
                             void *user);
typedef struct stacks_values {
    const bool *wanted; /* kinds of values */
    bool ns;
    bool skip_idle;
} stacks_values;
ts_code stacks_each_value(const ts_calls *p, const stacks_values *values, ts_calls_visit visit,
                          void *user);
/* A class that is nothing but one kind of value is called as that is. */
void stacks_settle_class(ts_calls *p, ts_weight *class);

/* --- what call paths weigh (weigh_paths.c) ---------------------------------------------------- */

/* Fills in weight->self, unless it is there, or for a page weight->of and total. *items: rows that
 * were looked at. */
ts_code stacks_weigh(uint64_t *items, ts_calls *p, ts_weight *weight);
/* The same of these weights of classes in ns, by class, NULL: not wanted; for a page only the
 * totals. */
ts_code stacks_weigh_classes(uint64_t *items, ts_calls *p,
                             ts_weight *const classes[TS_CLASS_other]);
void stacks_weighed_free(ts_ctx *ctx, ts_weight *weight);
void stacks_trees_free(ts_calls *p);
/* TS_ERR_USAGE when something but sources is selected of allocation stacks of heaps. */
ts_code stacks_heap_selects(const ts_calls *p, bool others);

/* Chooses the weight and loads it, and what else is wanted. */
ts_code stacks_load_weights(ts_calls *p, ts_calls_load load);

/* --- the tree of heap timelines (stacks_of_heap.c) ------------------------------------------- */

/* Call paths, weights and frames of it, in place of those of stack_node. */
ts_code stacks_read_heap(ts_calls *p, ts_frames *frames);
bool stacks_is_heap_weight(const char *name);

/* --- slices of a trace of the system (stacks_of_slices.c) --- */

/* The same of callstack. */
ts_code stacks_read_marks(ts_calls *p, ts_frames *frames);

/* --- the dominator trees of analysed heaps (stacks_of_dominators.c) --- */

/* The same of js_heap_dominated and java_heap_dominated. */
ts_code stacks_read_dominators(ts_calls *p, ts_frames *frames);

/* Whether stacks come from a tree of rows that are no samples: is_heap, is_marks, is_dominators.
 * `wanted`: heaps, and marks, may be meant. */
typedef struct stacks_trees {
    bool heaps, marks;
} stacks_trees;
ts_code stacks_choose_tree(ts_calls *p, stacks_trees wanted);
/* Their call paths, weights and frames. */
ts_code stacks_read_tree(ts_calls *p, ts_frames *frames);

/* --- shared ---------------------------------------------------------------------------------- */

/* The weights of call paths that are no rows of samples: sums has `n` for each of p->nodes. */
typedef struct stacks_sum {
    const char *name, *unit;
    ts_event_class class;
} stacks_sum;
ts_code stacks_add_sums(ts_calls *p, const stacks_sum *weights, unsigned n, const int64_t *sums);

/* Frames of methods that are texts, numbered from 1. */
ts_code stacks_name_texts(ts_calls *p, const ts_pool *texts, ts_frames *frames);

/* Makes frame and key of p, whose number of methods is known. */
ts_code stacks_methods_room(ts_calls *p);

/* Gives the array whose pointer is at `array` room for `cap` elements. */
ts_code stacks_grow(ts_ctx *ctx, void *array, size_t cap, size_t size);

/* One more call path; the caller knows that parent is smaller. */
ts_code stacks_add_node(ts_calls *p, uint32_t *cap, uint32_t parent, uint32_t method, int64_t line);

#endif

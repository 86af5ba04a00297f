/*
 * Two heap snapshots: their classes, and their nodes by id (model/heaps.h).
 *
 * Memory: 64 MiB a side (or an eighth of --max-memory, if that is less) for sorting nodes, what
 * does not fit goes to a temporary file; some 60 bytes a name of a class, and of nodes the rows
 * that are printed.
 */
#ifndef TS_CLI_DIFF_HEAP_H
#define TS_CLI_DIFF_HEAP_H

#include "cli/diff/diff_side.h"
#include "cli/diff/diff_table.h"

typedef struct diff_heap diff_heap;

/*
 * Opens both files (side.file), of a side that is nothing none. The table gets the classes as its
 * keys; with `by_class` also their values, those of class.sql. Caller frees with diff_heap_free
 * after the last use of the result, and after an error.
 */
ts_code diff_heap_new(diff_heap **out, ts_ctx *ctx, diff_side *sides, diff_table *classes,
                      bool by_class);
void diff_heap_free(diff_heap *h);

/* Fills the table by class: then it is as one that was asked of SQL. What came and went by ids is
 * NULL when ids do not mean the same objects, unless it was `asked` for. */
ts_code diff_heap_classes(diff_heap *h, bool asked);

/* All nodes to the result, whose keys are those of the heap from then on. */
ts_code diff_heap_nodes(diff_heap *h, diff_result *r);

/* After the nodes were read: whether equal ids mean the same objects. */
bool diff_heap_comparable(const diff_heap *h);

#endif

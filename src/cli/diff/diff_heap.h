/*
 * Two heap snapshots: their classes, and their nodes by id. The nodes are read by scans and sorted
 * by id, so that both sides can be merged.
 *
 * Memory: 64 MiB a side (or an eighth of --max-memory, if that is less) for sorting, what does not
 * fit goes to a temporary file; some 60 bytes a name of a class, and of nodes the rows that are
 * printed.
 */
#ifndef TS_CLI_DIFF_HEAP_H
#define TS_CLI_DIFF_HEAP_H

#include "cli/diff/diff_side.h"
#include "cli/diff/diff_table.h"

typedef struct diff_heap diff_heap;

/*
 * Opens both files (side.file). The table gets the classes as its keys, by the question class.sql;
 * with `by_class` its values are those of that question. Caller frees with diff_heap_free after
 * the last use of the result, and after an error.
 */
ts_code diff_heap_new(diff_heap **out, ts_ctx *ctx, diff_side *sides, diff_table *classes,
                      bool by_class, const ts_shipped *sql);
void diff_heap_free(diff_heap *h);

/* Fills the table by class: then it is as one that was asked of SQL. */
ts_code diff_heap_classes(diff_heap *h);

/* All nodes to the result, whose keys are those of the heap from then on. */
ts_code diff_heap_nodes(diff_heap *h, diff_result *r);

/* Whether most nodes of the smaller side have an id and class that the other side has. */
bool diff_heap_related(const diff_heap *h);

#endif

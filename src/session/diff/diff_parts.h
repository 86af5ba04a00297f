/* What the parts of a comparison of databases share, beside its interface. */
#ifndef TS_SESSION_DIFF_PARTS_H
#define TS_SESSION_DIFF_PARTS_H

#include "model/compare_methods.h"
#include "session/diff/diff_compare.h"

/* Tells the caller of something. */
void diff_note(const diff_asked *asked, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* --- diff_side.c ------------------------------------------------------------------------------ */

/* TS_ERR_INPUT when the database that was opened has another version of the schema. */
ts_code diff_side_check(const diff_side *s);

/* Finds the sources that the selector names (model/sources.h). TS_ERR_USAGE: none. */
ts_code diff_side_select(diff_side *s);

/* Which heap file is compared: the first or the last one of the sources. */
ts_code diff_side_heap(diff_side *s, bool first);

/* Makes the label. */
ts_code diff_side_label(diff_side *s);

/* Losses of the input, of which a note is made. */
ts_code diff_side_losses(uint64_t *losses, diff_side *s, const diff_asked *asked);

void diff_side_close(diff_side *s);

/* --- diff_heap.c ------------------------------------------------------------------------------ */

/*
 * Two heap snapshots: their classes, and their nodes by id (model/heaps.h).
 *
 * Memory: 64 MiB a side (or an eighth of --max-memory, if that is less) for sorting nodes, what
 * does not fit goes to a temporary file; some 60 bytes a name of a class, and of nodes the rows
 * that are printed.
 */

typedef struct diff_heap diff_heap;

/*
 * Opens both files (side.file), of a side that is nothing none. The table gets the classes as its
 * keys; with `by_class` also their values, those of class.sql. Caller frees with diff_heap_free
 * after the last use of the result, and after an error.
 */
ts_code diff_heap_new(diff_heap **out, ts_ctx *ctx, diff_side *sides, diff_table *classes,
                      bool by_class, const diff_asked *asked);
void diff_heap_free(diff_heap *h);

/* Fills the table by class: then it is as one that was asked of SQL. What came and went by ids is
 * NULL when ids do not mean the same objects, unless it was `asked` for. */
ts_code diff_heap_classes(diff_heap *h, bool asked);

/* All nodes to the result, whose keys are those of the heap from then on. */
ts_code diff_heap_nodes(diff_heap *h, diff_result *r);

/* After the nodes were read: whether equal ids mean the same objects. */
bool diff_heap_comparable(const diff_heap *h);

/* --- diff_method.c ---------------------------------------------------------------------------- */

/* Profiles of two sides by method (model/compare_methods.h), as method.sql describes them. */

/* A profile by the weight that is compared, and by its number of samples. */
typedef struct diff_method_side {
    ts_reader *reader;
    ts_target *copy;
    ts_frames frames;
    ts_calls weight, count;
} diff_method_side;

typedef struct diff_methods {
    ts_ctx *ctx;
    bool counts_only; /* the weight is the number of samples */
    diff_method_side sides[2];
} diff_methods;

/*
 * Opens the profiles and names the values of the shape after the weight. Of a side that is nothing
 * there is none. TS_ERR_USAGE when a side has no such weight or both have different ones. Caller
 * frees *out with diff_methods_free, also after an error.
 */
ts_code diff_methods_open(diff_methods **out, ts_ctx *ctx, diff_shape *shape,
                          const diff_side *sides, const diff_asked *asked);
void diff_methods_free(diff_methods *m);

/* Their rows into the table. */
ts_code diff_methods_put(diff_methods *m, diff_table *table);

#endif

/* Cells of batches of rows, and arrays by id. */
#ifndef TS_MODEL_CELLS_H
#define TS_MODEL_CELLS_H

#include "base/text.h"
#include "base/vec.h"
#include "tables/rows.h"
#include "tables/table_scan.h"

typedef __int128 ts_wide; /* sums: 2^64 numbers of 63 bits fit */

/* A cell that is an integer. */
typedef struct ts_cell {
    int64_t value;
    bool null;
} ts_cell;

static inline ts_cell ts_cell_of(const ts_batch *b, unsigned column, unsigned row)
{
    return (ts_cell){b->columns[column].ints[row], b->columns[column].null[row] != 0};
}

/* TS_ERR_INPUT: the rows of the table cannot be what was written. */
ts_code ts_rows_changed(ts_ctx *ctx, const char *table);

/* Elements 0 to id are there afterwards, new ones zero. */
ts_code ts_vec_reach(ts_ctx *ctx, ts_vec *v, int64_t id, size_t size);

static inline bool ts_vec_bool(const ts_vec *v, int64_t id)
{
    return id >= 0 && (uint64_t)id < v->n && ((const bool *)v->p)[id];
}

/* The same for an array of int64_t: keeps a number, and gives that of an id, 0 of one without. */
ts_code ts_vec_keep(ts_ctx *ctx, ts_vec *v, int64_t id, int64_t number);

static inline int64_t ts_vec_kept(const ts_vec *v, int64_t id)
{
    return id >= 0 && (uint64_t)id < v->n ? ((const int64_t *)v->p)[id] : 0;
}

/*
 * The rows of a table, one after the other:
 *
 *     ts_walk at = ts_walk_of(reader, TS_T_stack_node, columns, 2);
 *     while (ts_walk_next(&code, &at)) {
 *         code = take(ts_walk_id(&at), ts_walk_int(&at, 0));
 *     }
 *
 * It ends after the last row, and when `code` is a failure, its own or that of the loop; nothing is
 * left to close then.
 */
typedef struct ts_walk {
    ts_reader *reader;
    enum ts_table_id table;
    const unsigned *columns;
    unsigned column_count;
    ts_scan *scan;
    const ts_batch *b;
    unsigned row; /* in the batch */
} ts_walk;

static inline ts_walk ts_walk_of(ts_reader *reader, enum ts_table_id table, const unsigned *columns,
                                 unsigned column_count)
{
    return (ts_walk){
        .reader = reader, .table = table, .columns = columns, .column_count = column_count};
}

/* Opens the scan, or takes its next batch. */
bool ts_walk_batch(ts_code *code, ts_walk *at);

static inline bool ts_walk_next(ts_code *code, ts_walk *at)
{
    return (*code == TS_OK && at->b != NULL && ++at->row < at->b->rows) || ts_walk_batch(code, at);
}

static inline int64_t ts_walk_id(const ts_walk *at)
{
    return at->b->rowids[at->row];
}

static inline bool ts_walk_null(const ts_walk *at, unsigned column)
{
    return at->b->columns[column].null[at->row] != 0;
}

static inline int64_t ts_walk_int(const ts_walk *at, unsigned column)
{
    return at->b->columns[column].ints[at->row];
}

/* The same, `otherwise` when it is NULL. */
static inline int64_t ts_walk_int_or(const ts_walk *at, unsigned column, int64_t otherwise)
{
    return ts_walk_null(at, column) ? otherwise : ts_walk_int(at, column);
}

static inline ts_text ts_cell_text(const ts_batch *b, unsigned column, unsigned row)
{
    const ts_scan_text *t = &b->columns[column].texts[row];
    return (ts_text){t->p, t->n};
}

static inline ts_text ts_walk_text(const ts_walk *at, unsigned column)
{
    return ts_cell_text(at->b, column, at->row);
}

#endif

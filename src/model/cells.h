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

/* The same, `otherwise` when it is NULL. */
static inline int64_t ts_cell_or(const ts_batch *b, unsigned column, unsigned row,
                                 int64_t otherwise)
{
    return b->columns[column].null[row] != 0 ? otherwise : b->columns[column].ints[row];
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

#endif

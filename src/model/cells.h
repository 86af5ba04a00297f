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

static inline ts_text ts_cell_text(const ts_batch *b, unsigned column, unsigned row)
{
    const ts_scan_text *t = &b->columns[column].texts[row];
    return (ts_text){t->p, t->n};
}

#endif

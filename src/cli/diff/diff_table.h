/*
 * A comparison whose rows come from SQL: those of both sides in one table, by their key.
 *
 * Memory: for each key its text, 40 bytes, and 32 bytes for each value.
 */
#ifndef TS_CLI_DIFF_TABLE_H
#define TS_CLI_DIFF_TABLE_H

#include "base/pool.h"
#include "cli/diff/diff_result.h"

typedef struct diff_table {
    ts_ctx *ctx;
    const diff_shape *shape;
    ts_pool pool; /* keys, of which each is encoded as one text */
    ts_vec cells; /* diff_cell: 2 * value_count of each key */
    ts_buf in;    /* a byte each key: bit 0 before, bit 1 after */
    ts_buf scratch;
} diff_table;

void diff_table_init(diff_table *t, ts_ctx *ctx, const diff_shape *shape);
void diff_table_free(diff_table *t);

/* The number of a key; it is new when it was not there. p NULL: NULL. */
ts_code diff_table_key(uint32_t *id, diff_table *t, const ts_text *keys);

/* Notes that a side has the key, and gives one of its values. */
void diff_table_in(diff_table *t, uint32_t id, unsigned side);
diff_cell *diff_table_cell(diff_table *t, uint32_t id, unsigned value, unsigned side);

/* Adds to the values of a side; cells: one each value, shares left out of account. */
void diff_table_add(diff_table *t, uint32_t id, unsigned side, const diff_cell *cells);

/* Runs the statement of the shape on a side. Columns: the key, then the values but shares. */
ts_code diff_table_ask(diff_table *t, ts_db *db, unsigned side, const ts_param *params, size_t n);

/* All rows to the result, whose keys are those of the table until it is freed. */
ts_code diff_table_put(diff_table *t, diff_result *r);

/* The totals and which values there are; before conditions are looked at. */
void diff_table_count(const diff_table *t, diff_result *r);

/* One part of the key. */
ts_text diff_table_text(const diff_table *t, uint64_t id, unsigned key);

#endif

/*
 * The rows of a comparison, whatever makes them: each is counted (totals) and then taken
 * (conditions, and the list that is printed, of which only the largest changes are kept).
 */
#ifndef TS_CLI_DIFF_RESULT_H
#define TS_CLI_DIFF_RESULT_H

#include "cli/diff/diff_fail.h"

/* cells: two of each value of the shape, before and after. */
typedef struct diff_row {
    uint64_t handle; /* of its maker; the smaller one comes first among equals */
    bool alone;      /* on one side only: a change, whatever its values are */
    diff_cell cells[2 * DIFF_VALUES];
} diff_row;

/* The key of a row. The text is borrowed until the next call; p NULL: NULL. */
typedef struct diff_keys {
    void *user;
    ts_code (*text)(ts_text *out, void *user, uint64_t handle, unsigned key);
} diff_keys;

typedef struct diff_result {
    ts_ctx *ctx;
    diff_shape *shape;
    diff_condition *conditions;
    size_t condition_count;
    uint64_t limit; /* 0: none */
    diff_keys keys;
    diff_cell totals[2 * DIFF_VALUES];
    bool seen[2][DIFF_VALUES]; /* a row of the side has the value */
    uint64_t rows[2];          /* rows of each side */
    uint64_t changed;          /* rows with a change */
    ts_vec kept;               /* of row_size bytes each: diff_row, cut to the values there are */
    size_t row_size;
    bool sorted;
} diff_result;

void diff_result_init(diff_result *r, ts_ctx *ctx, diff_shape *shape);
void diff_result_free(diff_result *r);

/* Adds a row to the totals. in: which sides have it. A missing side's cells are NULL. */
void diff_result_count(diff_result *r, const diff_row *row, const bool in[2]);

/* Whether a value is there on both sides (or one side has no rows at all). */
bool diff_result_has(const diff_result *r, unsigned value);

/* Gives cells of a missing side their values, and shares. After all rows were counted. */
void diff_result_complete(const diff_result *r, diff_row *row, const bool in[2]);

/* Shows a completed row to the conditions and keeps it, if it has a change or is alone. */
ts_code diff_result_take(diff_result *r, const diff_row *row);

/* All were taken: the kept ones in order. */
ts_code diff_result_end(diff_result *r);

size_t diff_result_shown(const diff_result *r);
const diff_row *diff_result_row(const diff_result *r, size_t i);

#endif

/*
 * Conditions of --fail-if:
 *
 *     VALUE[ROW] OP NUMBER UNIT        self_size>+5%  self_size[UserSession]>+1MB  count[*]>100k
 *
 * Without [ROW] the total of all rows is meant; [*] is any row; [NAME] the row whose first key is
 * NAME (up to the last bracket). OP is >, >=, < or <=. A number with a sign is a change, with a
 * percent sign a relative one; a number without a sign is the value after. Units: of bytes B, kB,
 * MB, GB (1000) and KiB, MiB, GiB; of times ns, us, ms, s, m; of all values k, M, G.
 */
#ifndef TS_CLI_DIFF_FAIL_H
#define TS_CLI_DIFF_FAIL_H

#include "base/vec.h"
#include "cli/diff/diff_shape.h"
#include "cli/diff/diff_value.h"

typedef enum diff_scope { DIFF_TOTAL, DIFF_ANY, DIFF_NAMED } diff_scope;
typedef enum diff_op { DIFF_GT, DIFF_GE, DIFF_LT, DIFF_LE } diff_op;
typedef enum diff_form { DIFF_AFTER, DIFF_CHANGE, DIFF_RELATIVE } diff_form;

typedef struct diff_condition {
    const char *text;
    ts_text value_name; /* in text */
    ts_text row;        /* of DIFF_NAMED, in text */
    diff_scope scope;
    diff_op op;
    diff_form form;
    double number;
    double scale;
    diff_unit unit; /* that the number has; DIFF_PLAIN: that of the value */
    unsigned value; /* number in the shape */
    bool met;       /* before and after are set */
    bool holds;
    diff_cell before, after;
    ts_buf met_row; /* of DIFF_ANY: the row's first key */
} diff_condition;

/* Reads one; text is borrowed. TS_ERR_USAGE says what is wrong with it. */
ts_code diff_condition_parse(diff_condition *out, ts_ctx *ctx, const char *text);

/* Finds its value. TS_ERR_USAGE: there is none of this name or unit, or it has no total. */
ts_code diff_condition_bind(diff_condition *c, ts_ctx *ctx, const diff_shape *shape);

/* What a row (key: its first key) says to a condition that is not about the total. */
ts_code diff_condition_row(diff_condition *c, ts_ctx *ctx, const diff_shape *shape, ts_text key,
                           const diff_cell *cells);

/* All rows were seen. totals: cells as those of a row. */
void diff_condition_end(diff_condition *c, const diff_cell *totals);

/* "self_size of UserSession was 12 and is 15 bytes (+3, +25.0 %)" */
ts_code diff_condition_say(ts_buf *out, ts_ctx *ctx, const diff_condition *c,
                           const diff_shape *shape);

void diff_condition_free(diff_condition *c, ts_ctx *ctx);

/* " was 12 and is 15 bytes (+3, +25.0 %)" */
ts_code diff_say_change(ts_buf *out, ts_ctx *ctx, diff_cell before, diff_cell after,
                        diff_unit unit);

#endif

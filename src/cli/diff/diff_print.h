/* What a comparison found, as rows (query_rows.h) and as lines on standard error. */
#ifndef TS_CLI_DIFF_PRINT_H
#define TS_CLI_DIFF_PRINT_H

#include "cli/diff/diff_result.h"
#include "cli/diff/diff_side.h"
#include "cli/print.h"

typedef struct diff_report {
    const diff_result *result;
    const diff_side *sides;
    const char *others;     /* "node, series": what else can be compared; "": nothing */
    const uint64_t *losses; /* of each side */
    bool failed;            /* a condition holds */
} diff_report;

/*
 * Prints the rows. Columns are those of the key, then of each value NAME_before, NAME_after,
 * NAME_change and NAME_percent (NULL when there was nothing before; "new" in tables); a table has
 * all four of the value that rows are ordered by and two of the others. json is one object with the
 * rows, the totals and the conditions.
 */
ts_code diff_print(ts_output *out, const diff_report *report, ts_row_format format, bool terminal);

/* What is compared, and the totals. */
ts_code diff_say(ts_ctx *ctx, const diff_report *report);

/* Conditions that hold. */
ts_code diff_say_failures(ts_ctx *ctx, const diff_report *report);

#endif

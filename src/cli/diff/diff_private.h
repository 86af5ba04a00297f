/* What the parts of the verb diff share (what is compared and how: session/diff). */
#ifndef TS_CLI_DIFF_PRIVATE_H
#define TS_CLI_DIFF_PRIVATE_H

#include "cli/options.h"
#include "cli/print.h"
#include "session/diff/diff_compare.h"

/* --- diff_print.c ----------------------------------------------------------------------------- */

/* What a comparison found, as rows (query_rows.h) and as lines on standard error. */

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

/* --- diff_fleet.c ----------------------------------------------------------------------------- */

/*
 * diff --at: both sides are recordings of a fleet, which have such labels. What can be compared are
 * the files of share/sql/fleet/diff, questions to a fleet (fleet/fleet_question.h) with the parts
 * of diff_shape.c; their values are of a recording, so that sides of different numbers can be
 * compared. *failed: a condition holds.
 */
ts_code diff_fleet(bool *failed, ts_ctx *ctx, const ts_options *options, ts_output *out);

/* --- diff_export.c ---------------------------------------------------------------------------- */

/* diff --to=FORMAT -o FILE: two profiles in one picture. */

/* Finds the export before any work is done. TS_ERR_USAGE: there is none, or it shows no difference.
 */
ts_code diff_export_check(ts_ctx *ctx, const ts_options *options);

/* Writes the difference of both sides to the file of -o, which is complete or does not change. */
ts_code diff_export(ts_ctx *ctx, const ts_options *options, const diff_comparison *d);

#endif

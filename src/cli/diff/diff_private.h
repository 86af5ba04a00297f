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
    size_t runs;            /* of a baseline; 0: there is none */
    ts_text notes;          /* what else there is to know, each with a zero byte */
    bool failed;            /* a condition holds */
} diff_report;

/*
 * Prints the rows. Columns are those of the key, then of each value NAME_before, NAME_after,
 * NAME_change and NAME_percent (NULL when there was nothing before; "new" in tables); a table has
 * all four of the value that rows are ordered by and two of the others. json is one object with the
 * rows, the totals and the conditions. The forms of TS_ROWS_MARKDOWN on are below.
 */
ts_code diff_print(ts_output *out, const diff_report *report, ts_row_format format, bool terminal);

/* What is compared, and the totals. */
ts_code diff_say(ts_ctx *ctx, const diff_report *report);

/* Conditions that hold. */
ts_code diff_say_failures(ts_ctx *ctx, const diff_report *report);

/* --- diff_outcome.c --------------------------------------------------------------------------- */

/* What the forms for machines say of a condition. Texts are of the outcome, which the caller frees
 * with diff_outcome_free. */

typedef enum diff_verdict { DIFF_PASSED, DIFF_FAILED, DIFF_NO_ROW } diff_verdict;

typedef struct diff_outcome {
    diff_verdict verdict;
    ts_buf text; /* "self_size of A was 12 and is 15 bytes (+3, +25.0 %)" */
    ts_buf row;  /* its key; empty: it is about the total, or no row met it */
    ts_buf file; /* in which the row's method is; empty: not known */
    int64_t line;
} diff_outcome;

/* May be called again with the same outcome. */
ts_code diff_outcome_of(diff_outcome *out, const diff_result *r, const diff_condition *c);
/* The same of a row: its main value, its key and where it is. */
ts_code diff_outcome_of_row(diff_outcome *out, const diff_result *r, const diff_row *row);
void diff_outcome_free(diff_outcome *o, ts_ctx *ctx);

/* "3 of 4 conditions failed", "no condition failed", "no condition was given" */
ts_code diff_say_verdict(ts_buf *out, ts_ctx *ctx, const diff_result *r);

/* "25 rows differ, 20 shown", and what is noise. */
ts_code diff_say_rows(ts_buf *out, ts_ctx *ctx, const diff_result *r);

/* The next note; false: there is none. *left: report->notes at first. */
bool diff_note_next(ts_text *note, ts_text *left);

/* --- forms for machines ----------------------------------------------------------------------- */

/* Tables of GitHub's Markdown: conditions, those that failed first; what is incomplete; totals;
 * rows. Recorded names are code, so that nothing in them is markup, a link or a mention. */
ts_code diff_markdown(ts_output *out, const diff_report *report);

/* JUnit's XML: a case for each condition, or one for the comparison. Characters that XML does not
 * have are left out. */
ts_code diff_junit(ts_output *out, const diff_report *report);

/* SARIF 2.1.0: a result for each condition and each row, with the place of a method in its file. */
ts_code diff_sarif(ts_output *out, const diff_report *report);

/* Workflow commands of GitHub's runners: errors, warnings for what is incomplete, notices. */
ts_code diff_github(ts_output *out, const diff_report *report);

/* --- diff_runs.c ------------------------------------------------------------------------------ */

/* The databases of --baseline=DIR in order of their names. Caller frees with diff_runs_free. */
typedef struct diff_runs {
    char **paths;
    size_t count;
} diff_runs;

/* TS_ERR_INPUT: the directory cannot be read; TS_ERR_USAGE: it has no database of ours. */
ts_code diff_runs_list(diff_runs *out, ts_ctx *ctx, const char *dir);
void diff_runs_free(diff_runs *runs, ts_ctx *ctx);

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

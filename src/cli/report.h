/*
 * --report: what is in a database, and its largest findings.
 *
 * The shipped questions whose header has a part "Report" (a number for the order, and a title) and
 * that fit what the database holds, each with limit=5. So every number of a report can be asked for
 * by the name of its question.
 */
#ifndef TS_CLI_REPORT_H
#define TS_CLI_REPORT_H

#include "cli/options.h"
#include "cli/print.h"

enum { TS_REPORT_ROWS = 5 };

/*
 * As text: what was recorded, then a table for each question that has rows, with numbers for people
 * (cli/people.h), long texts cut and columns without a value left out; with options->raw the values
 * as they are. As JSON: one object with arrays "holds" (kinds.h) and "sections", each {"question",
 * "title", "rows"}; rows may be empty, values are as they are. TS_ERR_INPUT when the questions are
 * not installed. Where the reader has gone: TS_OK.
 */
ts_code ts_report(ts_db *db, ts_ctx *ctx, const ts_options *options, ts_output *out);

/*
 * The same of all databases of options->paths, one after the other: as text each below a line with
 * its path, as JSON one object whose array "recordings" has an object for each, with "recording",
 * "holds" and "sections". What is wrong with one is printed, and TS_ERR_INPUT the
 * end unless options->keep_going.
 */
ts_code ts_report_many(ts_ctx *ctx, const ts_options *options, ts_output *out);

#endif

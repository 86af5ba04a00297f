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
 * As text: a table for each question that has rows, long texts cut. As JSON: one object with an
 * array "sections", each {"question", "title", "rows"}; rows may be empty. TS_ERR_INPUT when the
 * questions are not installed. Where the reader has gone: TS_OK.
 */
ts_code ts_report(ts_db *db, ts_ctx *ctx, ts_report_form form, ts_output *out);

#endif

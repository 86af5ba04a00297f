/* -q: a question to a database, and its rows printed. */
#ifndef TS_CLI_ASK_PRINT_H
#define TS_CLI_ASK_PRINT_H

#include "cli/options.h"
#include "cli/print.h"
#include "session/questions.h"

/*
 * Runs the statements and prints their rows. Before that, the tables that the question needs are
 * looked at (TS_ERR_USAGE when none has rows; the message says what can be asked instead). A
 * parameter that was left out of a text that does not say which it has is reported on standard
 * error, unless --quiet.
 */
ts_code ts_ask_print(ts_db *db, ts_ctx *ctx, const ts_query *query, const ts_options *options,
                     ts_output *out, bool terminal);

/*
 * The same of all databases of options->paths, one after the other, as one result with the column
 * `recording` before the others: the path. One that lacks what the question needs has no rows; what
 * is wrong with one is printed, and TS_ERR_INPUT the end unless options->keep_going.
 */
ts_code ts_ask_print_many(ts_ctx *ctx, const ts_query *query, const ts_options *options,
                          ts_output *out, bool terminal);

#endif

/* -q: a question to a database. */
#ifndef TS_CLI_ASK_H
#define TS_CLI_ASK_H

#include "cli/options.h"
#include "cli/print.h"
#include "cli/questions.h"

/*
 * What can be known before there is a database: of a question that says which parameters it has
 * (question_text.h), each that is given must be one of them, and those that it needs must be given.
 * TS_ERR_USAGE.
 */
ts_code ts_ask_check(ts_ctx *ctx, const ts_query *query, const ts_options *options);

/*
 * Runs the statements and prints their rows. Before that, the tables that the question needs are
 * looked at (TS_ERR_USAGE when none has rows; the message says what can be asked instead), and
 * what was typed for sources, threads and times (model/select.h) becomes ids and ns: of the
 * parameters that the question says are such, or, when it says nothing, of those named from, to, at
 * and ts times that are relative or dates. A
 * parameter that was left out of such a text is reported on standard error, unless --quiet.
 */
ts_code ts_ask(ts_db *db, ts_ctx *ctx, const ts_query *query, const ts_options *options,
               ts_output *out, bool terminal);

/*
 * Hands the rows of a shipped question to `visitor`, of the model where its first comment says so
 * (model/answers.h), else of its statements; parameters are as above.
 */
ts_code ts_ask_rows(ts_db *db, ts_ctx *ctx, ts_text sql, const ts_param *params, size_t count,
                    const ts_rows_visitor *visitor);

/* Whether one of the tables that a question needs has rows; *what: what the first such has. */
ts_code ts_ask_fits(bool *fits, ts_text *what, ts_db *db, ts_text sql);

/*
 * TS_ERR_USAGE when none of the tables that `sql` says it needs has rows: "<name> does not fit",
 * and what can be asked instead.
 */
ts_code ts_ask_check_fits(ts_db *db, ts_ctx *ctx, const char *name, ts_text sql);

#endif

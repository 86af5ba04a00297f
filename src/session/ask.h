/* A question to a database, in SQL or one that is shipped. */
#ifndef TS_SESSION_ASK_H
#define TS_SESSION_ASK_H

#include "session/questions.h"
#include "tables/question_values.h"

/*
 * What can be known before there is a database: of a question that says which parameters it has
 * (question_text.h), each that is given must be one of them, and those that it needs must be given.
 * TS_ERR_USAGE.
 */
ts_code ts_ask_check(ts_ctx *ctx, const ts_query *query, const ts_param *params, size_t count);

/* Whether the text says which parameters it has. */
bool ts_ask_documented(ts_text sql);

/*
 * Hands the rows of the statements to `visitor`. What was typed for sources, threads and times
 * (model/select.h) becomes ids and ns: of the parameters that the question says are such, or, when
 * it says nothing, of those named from, to, at and ts times that are relative or dates.
 */
ts_code ts_ask_query(ts_db *db, ts_ctx *ctx, const ts_query *query, const ts_param *params,
                     size_t count, const ts_rows_visitor *visitor);

/* The same row by row; *out NULL: the question is answered by the model (model/answers.h), whose
 * rows only ts_ask_query hands over. */
ts_code ts_ask_open(ts_steps **out, ts_db *db, ts_ctx *ctx, const ts_query *query,
                    const ts_param *params, size_t count);

/*
 * Hands the rows of a shipped question to `visitor`, of the model where its first comment says so
 * (model/answers.h), else of its statements; parameters are as above.
 */
ts_code ts_ask_rows(ts_db *db, ts_ctx *ctx, ts_text sql, const ts_param *params, size_t count,
                    const ts_rows_visitor *visitor);

/*
 * The values that a parameter of a question may have in the database (question_values.h), and names
 * of sources and threads where it takes such.
 */
ts_code ts_ask_choices(ts_db *db, ts_ctx *ctx, const ts_question_param *param,
                       const ts_param *given, size_t count, const ts_choices *choices);

/* Whether one of the tables that a question needs has rows; *what: what the first such has. */
ts_code ts_ask_fits(bool *fits, ts_text *what, ts_db *db, ts_text sql);

/*
 * TS_ERR_USAGE when none of the tables that `sql` says it needs has rows: "<name> does not fit",
 * and what can be asked instead.
 */
ts_code ts_ask_check_fits(ts_db *db, ts_ctx *ctx, const char *name, ts_text sql);

#endif

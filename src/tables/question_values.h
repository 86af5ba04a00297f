/*
 * What is typed for a parameter of a question that is neither a source, a thread nor a time (those
 * are the model's): the text that says what it is (question_text.h) begins with the kind of its
 * values.
 *
 *     id in js_heap_files (default 0)       file:  of a row that is there, or the name of the file
 *     one of wait, contended or park (...)  kind:  one of these words
 *     number of rows (default 20)           limit: 0 or more
 */
#ifndef TS_TABLES_QUESTION_VALUES_H
#define TS_TABLES_QUESTION_VALUES_H

#include "base/buf.h"
#include "tables/database.h"
#include "tables/question_text.h"

/*
 * Appends to *out what is bound for given[which], without a zero byte: the id, several ids as a
 * JSON list, or the value as it was typed where any is allowed. TS_ERR_USAGE when there is no such
 * row or the value is of the wrong kind; the message says what there is.
 */
ts_code ts_question_value(ts_buf *out, ts_db *db, ts_ctx *ctx, const ts_question_param *param,
                          const ts_param *given, size_t count, size_t which);

/* Told of a value; an error ends the telling. */
typedef ts_code ts_choice_told(void *user, ts_text value);

typedef struct ts_choices {
    void *user;
    ts_choice_told *told;
} ts_choices;

/*
 * The values that the parameter may have, in the order of the database: names where its rows have
 * names, else ids. None where any value can be, or the database is not known (db NULL: only the
 * words of the text). A value may come twice.
 */
ts_code ts_question_choices(ts_db *db, ts_ctx *ctx, const ts_question_param *param,
                            const ts_param *given, size_t count, const ts_choices *choices);

#endif

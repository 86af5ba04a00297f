/*
 * What is typed for a parameter of a question: the text that says what the parameter is
 * (question_text.h) begins with the kind of its values.
 *
 *     source  id of a source (default: all)         1, a path, a name, or a glob: with the sources
 * in it thread  itid of a thread (default: all)       7, tid=N, pid=N, id=N, process=NAME, a name,
 * or a glob file    id in js_heap_files (default 0)       of a row that is there, or the name of
 * the file kind    one of wait, contended or park (...)  one of these words limit   number of rows
 * (default 20)           0 or more
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

#endif

/*
 * What a database holds and which questions it can answer: the tables that the shipped questions
 * need (part "Needs"), and the order in which a report asks them (part "Report").
 */
#ifndef TS_SESSION_KINDS_H
#define TS_SESSION_KINDS_H

#include "base/vec.h"
#include "session/questions.h"
#include "tables/database.h"

typedef struct ts_kind {
    ts_text table, what; /* "sched_slice", "scheduling": texts of the questions */
    int64_t rows;
} ts_kind;

/* Adds a ts_kind for each table that a question needs and that has rows, in the order of the
 * questions; inputs, which every database has, are left out. Caller frees with ts_vec_free. */
ts_code ts_kinds_found(ts_vec *out, ts_db *db, ts_ctx *ctx, const ts_questions *all);

/* The number of the part "Report" of a question, or 0; *title: its text. */
long ts_report_order(ts_text *title, const ts_shipped *s);

/* Puts questions into the order of the report, those that it does not ask at the end. */
void ts_report_sort(ts_questions *all);

/* Whether a question needs one of these tables, or the inputs; *what: what the first such has. */
bool ts_kinds_has(ts_text *what, const ts_vec *kinds, const ts_shipped *s);

/* Whether one of the tables that a question needs, but the inputs, has rows: rows[t] of table t. */
bool ts_kinds_fit(const ts_shipped *s, const uint64_t *rows);

#endif

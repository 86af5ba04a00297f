/*
 * A finished database is written anew with tokens in the place of texts of the recorded program
 * (redact_text.h). Nothing of the old file is copied but rows, through the classes of their columns
 * (ts_column_text_class): no page, no free space, no table or view that this program did not make.
 * Ids, numbers, row numbers and the order of rows stay.
 *
 * Dictionaries (data_dict, js_heap_string) hold names and values: with TS_REDACT_STRINGS a text
 * stays when a column of TS_TEXT_NAME refers to it.
 */
#ifndef TS_TABLES_REDACT_H
#define TS_TABLES_REDACT_H

#include "tables/database.h"
#include "tables/redact_text.h"

typedef struct ts_redacted {
    uint64_t tokens;   /* texts that became tokens */
    unsigned left_out; /* tables, views, indexes and triggers that are not this program's */
} ts_redacted;

/* Writes to the empty file `to`. TS_ERR_INPUT when `from` has another version of the schema. */
ts_code ts_db_redact(ts_redacted *done, ts_db *from, const char *to, ts_redactor *r);

/* Makes the tokens of all texts of the database, for r->learn. */
ts_code ts_db_redact_learn(ts_db *from, ts_redactor *r);

#endif

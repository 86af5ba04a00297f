/* SQL made from the schema: names and CREATE TABLE. Used inside this layer only. */
#ifndef TS_TABLES_SCHEMA_SQL_H
#define TS_TABLES_SCHEMA_SQL_H

#include "base/buf.h"
#include "tables/schema.h"

/* Declared type of a column: "INTEGER", "REAL", "TEXT", "INTEGER PRIMARY KEY". Static text. */
const char *ts_column_sql_type(ts_column_type type);

/* Appends "CREATE TABLE name(column type, ...)". */
ts_code ts_sql_create(ts_ctx *ctx, ts_buf *out, const ts_table *table);

/* Appends what schema_doc.description says: the sentence, and what NULL means. */
ts_code ts_column_description(ts_ctx *ctx, ts_buf *out, const ts_column *column);

#endif

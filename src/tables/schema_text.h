/* Texts made from the schema: docs/tables.md, --tables. */
#ifndef TS_TABLES_SCHEMA_TEXT_H
#define TS_TABLES_SCHEMA_TEXT_H

#include "base/buf.h"
#include "tables/schema.h"

/* The whole of docs/tables.md (tables, views, indexes, issue codes, items). */
ts_code ts_schema_markdown(ts_ctx *ctx, ts_buf *out);

/* For --tables (name NULL: all, one line each) and --tables=NAME (columns). False: no such table.
 */
ts_code ts_schema_listing(bool *found, ts_ctx *ctx, ts_buf *out, const char *name);

/* For --explain=NAME: a table or view with its columns, TABLE.COLUMN, a column of any table, a code
 * of import_issue, an item of import_count. TS_ERR_USAGE: there is none; names that are near are
 * said. */
ts_code ts_schema_explain(ts_buf *out, ts_ctx *ctx, const char *name);

#endif

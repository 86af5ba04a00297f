/* What rows of finished databases are copied with, one by one, into others. Used inside this layer
 * only. */
#ifndef TS_TABLES_TABLE_COPY_H
#define TS_TABLES_TABLE_COPY_H

#include "tables/database_private.h"

/* The table whose columns a table of a database file has, also under another name;
 * TS_TABLE_COUNT: it is none of this program. */
enum ts_table_id ts_db_table_id(const char *name);

/* A table, view, index or trigger of a database file, and the statement that made it. */
typedef ts_code ts_db_object_call(void *user, const char *type, const char *name, const char *sql);

/* Tells those of one type that this program makes, in the order of the file; *others: how many it
 * does not make. */
ts_code ts_db_each_object(unsigned *others, ts_db *db, const char *type, ts_db_object_call *tell,
                          void *user);

/* sql: NULL for want of memory. The caller finalizes *st. */
ts_code ts_db_prepare(sqlite3_stmt **st, ts_db *db, const char *sql);

/* TS_ERR_INPUT when the schema is not the present one; what: what the database is for ("redact").
 */
ts_code ts_db_check_version(ts_db *db, const char *what);

/* Opens the empty file `path` for writing and begins the transaction that ts_db_end_copy ends;
 * *out is set also after an error, and closed by the caller. */
ts_code ts_db_begin_copy(ts_db **out, ts_ctx *ctx, const char *path);

/* Statistics, when `from` has such, and the end of the transaction. */
ts_code ts_db_end_copy(ts_db *to, ts_db *from);

/* The value of a column of a row becomes that of a parameter. */
ts_code ts_db_bind_value(ts_db *to, sqlite3_stmt *insert, int parameter, sqlite3_stmt *row,
                         int column);

/* Runs a statement that gives no rows, and makes it ready for the next one. */
ts_code ts_db_step(ts_db *to, sqlite3_stmt *insert);

#endif

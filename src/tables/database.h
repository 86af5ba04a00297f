/*
 * The database file: creating it with the whole schema, the sink that writes its rows, indexes, and
 * running SQL on a finished one. With schema.c and views the only code that knows SQL.
 */
#ifndef TS_TABLES_DATABASE_H
#define TS_TABLES_DATABASE_H

#include "base/context.h"
#include "tables/sink.h"

typedef struct ts_db ts_db;

/*
 * Creates the schema in an empty file (tables, views, schema_doc rows, application_id,
 * user_version). Journal and sync are off: the file is not published yet. Page size 4096.
 */
ts_code ts_db_create(ts_db **out, ts_ctx *ctx, const char *path);

/* The sink of the database; valid until ts_db_finish. */
ts_sink *ts_db_sink(ts_db *db);

/* Ends the rows (commit); with_indexes adds ts_indexes and runs ANALYZE. *index_ms = their time. */
ts_code ts_db_finish(ts_db *db, bool with_indexes, double *index_ms);
void ts_db_close(ts_db *db);

/* --- queries ------------------------------------------------------------------------------- */

/* Opens a finished database read-only. TS_ERR_INPUT when it is none. */
ts_code ts_db_open(ts_db **out, ts_ctx *ctx, const char *path);

/* What a path is; directories and pipes are none. */
typedef enum ts_db_kind {
    TS_DB_NONE,    /* no SQLite database */
    TS_DB_FOREIGN, /* one with another application_id */
    TS_DB_OURS
} ts_db_kind;

/* TS_ERR_INPUT when it cannot be read; errno then says why. */
ts_code ts_db_kind_of(ts_db_kind *kind, ts_ctx *ctx, const char *path);

typedef struct ts_param {
    const char *name; /* without ':' */
    const char *value;
} ts_param;

/* Receives result rows. Values are texts; NULL pointers are SQL NULL. */
typedef struct ts_rows_visitor {
    void *user;
    ts_code (*header)(void *user, const char *const *names, int n);
    ts_code (*row)(void *user, const char *const *values, const size_t *lengths, int n);
} ts_rows_visitor;

/*
 * Runs all statements of sql (split by SQLite itself). Parameters :name, @name, $name are bound by
 * name: integers and reals as such, others as text; a parameter without a value is NULL; a value
 * that no statement uses is TS_ERR_USAGE. SQL errors are TS_ERR_USAGE with SQLite's message and the
 * statement's line number.
 */
ts_code ts_db_query(ts_db *db, const char *sql, size_t n, const ts_param *params,
                    size_t param_count, const ts_rows_visitor *visitor);

#endif

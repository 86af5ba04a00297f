/*
 * The database file: creating it with the whole schema, the sink that writes its rows, indexes, and
 * running SQL on a finished one. With schema.c and views the only code that knows SQL.
 */
#ifndef TS_TABLES_DATABASE_H
#define TS_TABLES_DATABASE_H

#include "base/context.h"
#include "tables/sink.h"
#include "tables/store.h"
#include "tables/table_rows.h"

typedef struct ts_db ts_db;

/*
 * Creates the schema in an empty file (tables, views, schema_doc rows, application_id,
 * user_version). Journal and sync are off: the file is not published yet. Page size 4096.
 */
ts_code ts_db_create(ts_db **out, ts_ctx *ctx, const char *path);

/* The sink of the database; valid until ts_db_finish. */
ts_sink *ts_db_sink(ts_db *db);

/*
 * Rows are written by a thread from now on; the sink is another one. Until ts_db_join nothing else
 * of the database may be used but its sink; ts_db_reader, ts_db_finish and ts_db_close join it
 * themselves. Where the system gives no thread everything stays as it is. Errors: memory.
 */
ts_code ts_db_start_thread(ts_db *db);

/* Waits until all rows so far were written, and ends the thread. The first failure of a row. */
ts_code ts_db_join(ts_db *db);

/* Ends the rows (commit); with_indexes adds ts_indexes and runs ANALYZE. *index_ms = their time. */
ts_code ts_db_finish(ts_db *db, bool with_indexes, double *index_ms);
void ts_db_close(ts_db *db);

/* --- what was written, and more rows -------------------------------------------------------- */

/* Reads the rows back (table_scan.h), also those that are not in the file yet; valid until
 * ts_db_finish. Caller frees with ts_reader_free. */
ts_code ts_db_reader(ts_reader **out, ts_db *db);

/* What is added to a finished database of ours, and what it replaces. */
typedef struct ts_addition {
    const enum ts_table_id *tables; /* filled by it; ended by TS_TABLE_COUNT */
    const ts_issue_code *issues;    /* codes that only it records; ended by TS_ISSUE_COUNT */
    const char *name;               /* for messages */
} ts_addition;

/*
 * Copies the finished database `from` to the empty file `to`, as readers see it now, with what
 * is in its write-ahead log. TS_ERR_INPUT when it is no database of this program, cannot be
 * read, is locked, or has another version of the schema; `older`: an older one is copied, too.
 */
ts_code ts_db_copy(ts_ctx *ctx, const char *from, const char *to, bool older);

/*
 * Such a copy of an older version of the schema gets the present one: new tables, last columns that
 * are NULL, views. TS_ERR_INPUT when a table has rows and other columns.
 */
ts_code ts_db_upgrade(ts_ctx *ctx, const char *path);

/*
 * Opens such a copy for more rows. Rows go to the tables of the additions, which must be empty
 * (TS_ERR_USAGE), or with `replace` are emptied, together with the issues; issues and counts may
 * follow when nothing else does. ts_db_finish ends it. Failures of the copy's contents are
 * TS_ERR_INPUT.
 */
ts_code ts_db_add(ts_db **out, ts_ctx *ctx, const char *path, const ts_addition *additions,
                  size_t count, bool replace);

/* --- queries ------------------------------------------------------------------------------- */

/* The version of the schema of a database that is open; 0: it has none. */
ts_code ts_db_version(int64_t *version, ts_db *db);

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

typedef enum ts_cell_type {
    TS_CELL_NULL,
    TS_CELL_INT,
    TS_CELL_REAL,
    TS_CELL_TEXT,
    TS_CELL_BLOB
} ts_cell_type;

/* Receives result rows. Values are texts; NULL pointers are SQL NULL. Names stay valid until the
 * last row of their result. */
typedef struct ts_rows_visitor {
    void *user;
    ts_code (*header)(void *user, const char *const *names, int n);
    ts_code (*row)(void *user, const char *const *values, const size_t *lengths,
                   const ts_cell_type *types, int n);
    void (*unbound)(void *user, const char *name); /* a parameter of a statement has no value */
    /* Before a header: the types that tables declare of its columns; TS_CELL_NULL: of what is no
     * column of a table. Not NULL: reals have all the digits that they need, and not SQLite's 15.
     * Rows that do not come from SQL have none. */
    void (*declared)(void *user, const ts_cell_type *types, int n);
} ts_rows_visitor;

/*
 * Runs all statements of sql (split by SQLite itself). Parameters :name, @name, $name are bound by
 * name: integers and reals as such, others as text; a parameter without a value is NULL; a value
 * that no statement uses is TS_ERR_USAGE. SQL errors are TS_ERR_USAGE with SQLite's message and the
 * statement's line number.
 */
ts_code ts_db_query(ts_db *db, const char *sql, size_t n, const ts_param *params,
                    size_t param_count, const ts_rows_visitor *visitor);

/*
 * The same with the last statement's rows one by one; those before it are run at once, and their
 * rows dropped. Texts are copied. Caller closes it before the database.
 */
typedef struct ts_steps ts_steps;
ts_code ts_steps_open(ts_steps **out, ts_db *db, const char *sql, size_t n, const ts_param *params,
                      size_t param_count);
void ts_steps_close(ts_steps *s);

/* *row: whether there is another row, whose values are those of the statement. */
ts_code ts_steps_next(bool *row, ts_steps *s);
int ts_steps_columns(const ts_steps *s);

/* The name of a column, and the type that its table declares: TS_CELL_NULL for another one, and for
 * what is no column of a table. */
const char *ts_steps_name(ts_steps *s, int column);
ts_cell_type ts_steps_declared(ts_steps *s, int column);

/* A value of the row. Texts have a zero byte after their n bytes; valid until the next step. */
typedef struct ts_step_value {
    ts_cell_type type;
    int64_t i;
    double r;
    const char *p; /* of TS_CELL_TEXT and TS_CELL_BLOB */
    size_t n;
} ts_step_value;

ts_step_value ts_steps_value(ts_steps *s, int column);

/* A number as SQLite prints it; returns `text`. */
enum { TS_NUMBER_TEXT = 32 };
const char *ts_number_text(char text[TS_NUMBER_TEXT], ts_cell_type type, int64_t i, double r);

/* Its rows, by SQL, for as long as it is open. */
ts_rows_from ts_db_rows(ts_db *db);

/* The same from the pages of its file, six times as fast, where nothing is against it: *reader,
 * which the caller frees, else NULL. Errors: memory. */
ts_code ts_db_rows_open(ts_rows_from *out, ts_reader **reader, ts_db *db);

/*
 * The first value of the first row of a statement, as an integer. *found is false when there is no
 * row, when it is NULL, and when the statement does not fit the database (a table is missing).
 */
ts_code ts_db_int(int64_t *out, bool *found, ts_db *db, const char *sql);

#endif

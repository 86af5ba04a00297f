/* What database.c (writing) and query.c (reading) share. Used inside this layer only. */
#ifndef TS_TABLES_DATABASE_PRIVATE_H
#define TS_TABLES_DATABASE_PRIVATE_H

#include "base/buf.h"
#include "base/vec.h"
#include "tables/database.h"
#include "tables/page_writer.h"
#include "tables/sample_rows.h"
#include "tables/sink_thread.h"

#include <sqlite3.h>

typedef enum ts_db_state {
    TS_DB_WRITING,  /* between create and finish */
    TS_DB_FINISHED, /* after finish: queries only */
    TS_DB_READING   /* opened by ts_db_open */
} ts_db_state;

struct ts_db {
    ts_ctx *ctx;            /* while there is a thread, `other` */
    ts_ctx *caller;         /* that of ts_db_create */
    ts_ctx other;           /* of the thread that writes the rows */
    ts_sink_thread *thread; /* NULL: there was none */
    sqlite3 *handle;
    char *path;
    ts_db_state state;
    ts_sink sink;
    int fd;          /* of the page writer; -1 when there is none */
    ts_pages *pages; /* while rows are written */
    ts_vec amended;  /* ts_amendment: `value` of a text is where it is in the buffer */
    ts_buf amended_bytes;
    unsigned shown;                       /* views that take the place of tables: ts_shown */
    ts_samples samples;                   /* of CPU profiles, short */
    bool adding;                          /* rows are added to a finished file (database_add.c) */
    uint32_t roots[TS_TABLE_COUNT];       /* then: where its tables begin; 0: it is no table */
    uint32_t sample_rows, sample_blocks;  /* the same, of short samples (sample_rows.h) */
    bool written[TS_TABLE_COUNT];         /* by the page writer */
    sqlite3_stmt *insert[TS_TABLE_COUNT]; /* for rows of tables that have some already */
};

/* A new ts_db without a connection; the caller closes it with ts_db_close. */
ts_code ts_db_new(ts_db **out, ts_ctx *ctx, const char *path, ts_db_state state);

/*
 * Turns a failure of SQLite into a result: `doing` is what was tried ("write"). Failures of the
 * file are TS_ERR_OUTPUT for a database that is being written, else TS_ERR_INPUT.
 */
ts_code ts_db_fail(ts_db *db, int rc, const char *doing);

/* Keeps a change until the rows are written; ts_db_put_late makes it. self: a ts_db. */
ts_sink_amend_call ts_db_amend;
/* What came after its rows goes into the finished file. */
ts_code ts_db_put_late(ts_db *db);
void ts_db_free_late(ts_db *db);

/*
 * --max-memory holds for SQLite as well: what the program itself has in use is taken off, the rest
 * is SQLite's, in this process. Called before SQLite is given work.
 */
void ts_db_limit_memory(const ts_ctx *ctx);

/* The page writer is done; its file belongs to SQLite again. `code` of what came before stays. */
ts_code ts_db_end_pages(ts_db *db, ts_code code);

/* The calls of the sink of `db`. */
ts_sink ts_db_make_sink(ts_db *db);

/* Runs statements without results; those of ts_db_runf as sqlite3_mprintf makes them. */
ts_code ts_db_run(ts_db *db, const char *sql);
/* ANALYZE, with the same bytes whatever the C library is. */
ts_code ts_db_analyze(ts_db *db);
ts_code ts_db_runf(ts_db *db, const char *fmt, ...);

/* What decides about the bytes that SQLite writes, and BEGIN. */
extern const char ts_db_setup[];

ts_code ts_db_create_table(ts_db *db, const ts_table *table);

/* The rows of schema_doc. */
ts_code ts_db_put_docs(ts_db *db);

/* The statement that makes the view of samples that viewers read by the name of this table; NULL:
 * there is none. */
const char *ts_db_sample_view(ts_text table);

/* A row by SQLite: of a table that the page writer does not fill (database_add.c). */
ts_code ts_db_insert(ts_db *db, enum ts_table_id id, const void *row);

/* What adding rows leaves to be done: indexes and statistics that the file has (database_add.c). */
ts_code ts_db_end_adding(ts_db *db);

/* Lets ts_check_cancel interrupt the statements of the connection. */
void ts_db_watch_cancel(ts_db *db);

#endif

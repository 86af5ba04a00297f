/* What database.c (writing) and query.c (reading) share. Used inside this room only. */
#ifndef TS_TABLES_DATABASE_PRIVATE_H
#define TS_TABLES_DATABASE_PRIVATE_H

#include "tables/database.h"
#include "tables/page_writer.h"

#include <sqlite3.h>

typedef enum ts_db_state {
    TS_DB_WRITING,  /* between create and finish */
    TS_DB_FINISHED, /* after finish: queries only */
    TS_DB_READING   /* opened by ts_db_open */
} ts_db_state;

struct ts_db {
    ts_ctx *ctx;
    sqlite3 *handle;
    char *path;
    ts_db_state state;
    ts_sink sink;
    int fd;          /* of the page writer; -1 when there is none */
    ts_pages *pages; /* while rows are written */
};

/* A new ts_db without a connection; the caller closes it with ts_db_close. */
ts_code ts_db_new(ts_db **out, ts_ctx *ctx, const char *path, ts_db_state state);

/*
 * Turns a failure of SQLite into a result: `doing` is what was tried ("write"). Failures of the
 * file are TS_ERR_OUTPUT for a database that is being written, else TS_ERR_INPUT.
 */
ts_code ts_db_fail(ts_db *db, int rc, const char *doing);

/* Lets ts_check_cancel interrupt the statements of the connection. */
void ts_db_watch_cancel(ts_db *db);

#endif

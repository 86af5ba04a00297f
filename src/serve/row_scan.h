/*
 * Rows of a table in the order of their rowids, chosen columns, a batch at a time: from the pages
 * of the file where their layout is ours and nobody writes it (tables/table_scan.h), else by SQL.
 * A cell that is not of its column's type is an error either way.
 */
#ifndef TS_SERVE_ROW_SCAN_H
#define TS_SERVE_ROW_SCAN_H

#include "serve/sandbox.h"
#include "tables/rows.h"
#include "tables/table_scan.h"

typedef struct ts_rows ts_rows;

typedef struct ts_rows_from {
    ts_ctx *ctx;
    sqlite3 *db;
    ts_reader *reader; /* NULL: by SQL */
    ts_guard *guard;
} ts_rows_from;

/* columns: TS_C_<table>__<column>, integers, keys and texts. Caller frees with ts_rows_close. */
ts_code ts_rows_open(ts_rows **out, const ts_rows_from *from, enum ts_table_id table,
                     const unsigned *columns, unsigned count);
void ts_rows_close(ts_rows *rows);

/* The next rows, none at the end; valid until the next call. Of a text at most TS_SCAN_TEXT_MAX
 * bytes are there. TS_ERR_INPUT for what the database cannot hold, TS_ERR_INTERRUPTED when the
 * guard says so. */
ts_code ts_rows_next(const ts_batch **batch, ts_rows *rows);

/* The next batch begins with the first row whose rowid is at least this. */
ts_code ts_rows_seek(ts_rows *rows, int64_t rowid);

/* One row, or none; the scan goes on behind it. */
ts_code ts_rows_one(const ts_batch **batch, ts_rows *rows, int64_t rowid);

/* Prepares a statement; TS_ERR_INPUT with SQLite's message when the database does not have what it
 * names. Caller finalizes it. */
ts_code ts_stmt_prepare(sqlite3_stmt **out, const ts_rows_from *from, const char *sql);
/* TS_OK with *row = whether there is another row. */
ts_code ts_stmt_step(bool *row, const ts_rows_from *from, sqlite3_stmt *stmt);

#endif

/*
 * Rows of a table in the order of their rowids, chosen columns, a batch at a time: from the pages
 * of the file where their layout is ours and no other program writes it (tables/table_scan.h), else
 * by SQL. A cell that is not of its column's type is an error either way.
 */
#ifndef TS_TABLES_TABLE_ROWS_H
#define TS_TABLES_TABLE_ROWS_H

#include "tables/rows.h"
#include "tables/table_scan.h"

struct sqlite3;
struct sqlite3_stmt;

typedef struct ts_rows ts_rows;

/* Who asks: `check` is called now and then, and ends the work with what it returns. NULL: no one.
 */
typedef struct ts_watch {
    void *user;
    ts_code (*check)(void *user, ts_ctx *ctx);
    /* `what` is static: "reading samples"; done of total rows, total 0: not known. May be NULL. */
    void (*report)(void *user, const char *what, uint64_t done, uint64_t total);
} ts_watch;

/* Where rows come from; all are borrowed. */
typedef struct ts_rows_from {
    ts_ctx *ctx;
    ts_reader *reader;  /* NULL: by SQL */
    struct sqlite3 *db; /* NULL: there is a reader, and tables that it does not have are empty */
    ts_watch watch;
} ts_rows_from;

/* columns: TS_C_<table>__<column>, of any type. Caller frees with ts_rows_close. */
ts_code ts_rows_open(ts_rows **out, const ts_rows_from *from, enum ts_table_id table,
                     const unsigned *columns, unsigned count);
void ts_rows_close(ts_rows *rows);

/* The next rows, none at the end; valid until the next call. Of a text at most TS_SCAN_TEXT_MAX
 * bytes are there. TS_ERR_INPUT for what the database cannot hold, or what the watch
 * returns. */
ts_code ts_rows_next(const ts_batch **batch, ts_rows *rows);

/* The next batch begins with the first row whose rowid is at least this. */
ts_code ts_rows_seek(ts_rows *rows, int64_t rowid);

/* Whether there is such a table with these columns: older databases, and those of other programs,
 * may not have all. */
bool ts_rows_there(const ts_rows_from *from, enum ts_table_id table, const unsigned *columns,
                   unsigned count);

/* About how many rows a table has, by its last rowid, for those who wait; 0 when it is not known.
 */
uint64_t ts_rows_count(const ts_rows_from *from, const char *table);

/* Calls `row` for each row of a table until it fails: row i of b. */
typedef ts_code ts_row_fn(void *user, const ts_batch *b, unsigned i);
ts_code ts_rows_each(const ts_rows_from *from, enum ts_table_id table, const unsigned *columns,
                     unsigned count, ts_row_fn *row, void *user);

/* One row, or none; the scan goes on after it. */
ts_code ts_rows_one(const ts_batch **batch, ts_rows *rows, int64_t rowid);

/* Prepares a statement; TS_ERR_INPUT with SQLite's message when the database does not have what it
 * names. Caller finalizes it. */
ts_code ts_stmt_prepare(struct sqlite3_stmt **out, const ts_rows_from *from, const char *sql);
/* TS_OK with *row = whether there is another row. */
ts_code ts_stmt_step(bool *row, const ts_rows_from *from, struct sqlite3_stmt *stmt);

#endif

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

/* Whether there is such a table with rows. */
ts_code ts_rows_any(bool *any, const ts_rows_from *from, enum ts_table_id table);

/* About how many rows a table has, by its last rowid, for those who wait; 0 when it is not known.
 */
uint64_t ts_rows_count(const ts_rows_from *from, const char *table);

/* Those of a file whose pages are read. */
ts_rows_from ts_rows_of(ts_reader *reader);

/*
 * The rows of a table, one after the other:
 *
 *     ts_walk at = ts_walk_of(*from, TS_T_stack_node, columns, 2);
 *     while (ts_walk_next(&code, &at)) {
 *         code = take(ts_walk_id(&at), ts_walk_int(&at, 0));
 *     }
 *
 * It ends after the last row, and when `code` is a failure, its own or that of the loop; nothing is
 * left to close then.
 */
typedef struct ts_walk {
    ts_rows_from from;
    enum ts_table_id table;
    const unsigned *columns;
    unsigned column_count;
    ts_rows *rows;
    const ts_batch *b;
    unsigned row; /* in the batch */
} ts_walk;

static inline ts_walk ts_walk_of(ts_rows_from from, enum ts_table_id table, const unsigned *columns,
                                 unsigned column_count)
{
    return (ts_walk){
        .from = from, .table = table, .columns = columns, .column_count = column_count};
}

/* Opens the rows, or takes the next of them. */
bool ts_walk_batch(ts_code *code, ts_walk *at);

static inline bool ts_walk_next(ts_code *code, ts_walk *at)
{
    return (*code == TS_OK && at->b != NULL && ++at->row < at->b->rows) || ts_walk_batch(code, at);
}

static inline int64_t ts_walk_id(const ts_walk *at)
{
    return at->b->rowids[at->row];
}

static inline bool ts_walk_null(const ts_walk *at, unsigned column)
{
    return at->b->columns[column].null[at->row] != 0;
}

static inline int64_t ts_walk_int(const ts_walk *at, unsigned column)
{
    return at->b->columns[column].ints[at->row];
}

/* The same, `otherwise` when it is NULL. */
static inline int64_t ts_walk_int_or(const ts_walk *at, unsigned column, int64_t otherwise)
{
    return ts_walk_null(at, column) ? otherwise : ts_walk_int(at, column);
}

static inline ts_text ts_cell_text(const ts_batch *b, unsigned column, unsigned row)
{
    const ts_scan_text *t = &b->columns[column].texts[row];
    return (ts_text){t->p, t->n};
}

static inline ts_text ts_walk_text(const ts_walk *at, unsigned column)
{
    return ts_cell_text(at->b, column, at->row);
}

/* One row, or none; the scan goes on after it. */
ts_code ts_rows_one(const ts_batch **batch, ts_rows *rows, int64_t rowid);

/* Prepares a statement; TS_ERR_INPUT with SQLite's message when the database does not have what it
 * names. Caller finalizes it. */
ts_code ts_stmt_prepare(struct sqlite3_stmt **out, const ts_rows_from *from, const char *sql);
/* TS_OK with *row = whether there is another row. */
ts_code ts_stmt_step(bool *row, const ts_rows_from *from, struct sqlite3_stmt *stmt);

#endif

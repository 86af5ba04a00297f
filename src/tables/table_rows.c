#include "tables/table_rows.h"

#include "tables/scan_private.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "tables/views_impl.h"

#include <sqlite3.h>
#include <stdio.h>

enum { ROWS_BATCH = 256, ROWS_CHECK = 16 };

typedef struct rows_column {
    ts_column_type type;
    int64_t ints[ROWS_BATCH];
    double reals[ROWS_BATCH];
    uint8_t null[ROWS_BATCH];
    ts_scan_text *texts; /* ROWS_BATCH of them, for texts */
    size_t *offsets;     /* of the texts in `bytes` */
} rows_column;

struct ts_rows {
    ts_rows_from from;
    ts_scan *scan; /* NULL: by SQL */
    sqlite3_stmt *stmt;
    bool ended;
    unsigned calls;
    const char *table;
    unsigned count;
    rows_column *columns;
    ts_buf bytes; /* of the texts of a batch */
    int64_t rowids[ROWS_BATCH];
    ts_batch batch;
};

ts_code ts_stmt_prepare(sqlite3_stmt **out, const ts_rows_from *from, const char *sql)
{
    *out = NULL;
    int rc = sqlite3_prepare_v2(from->db, sql, -1, out, NULL);
    if (rc == SQLITE_OK) {
        return TS_OK;
    }
    if ((rc & 0xff) == SQLITE_NOMEM) {
        return ts_fail(from->ctx, TS_ERR_NOMEM, "out of memory");
    }
    return ts_fail(from->ctx, TS_ERR_INPUT, "%s", sqlite3_errmsg(from->db));
}

ts_code ts_stmt_step(bool *row, const ts_rows_from *from, sqlite3_stmt *stmt)
{
    int rc = sqlite3_step(stmt);
    *row = rc == SQLITE_ROW;
    switch (rc & 0xff) {
    case SQLITE_ROW:
    case SQLITE_DONE:
        return TS_OK;
    case SQLITE_NOMEM:
        return ts_fail(from->ctx, TS_ERR_NOMEM, "out of memory");
    case SQLITE_INTERRUPT:
        return ts_fail(from->ctx, TS_ERR_INTERRUPTED, "interrupted");
    default:
        return ts_fail(from->ctx, TS_ERR_INPUT, "%s", sqlite3_errmsg(from->db));
    }
}

static bool rows_any(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    bool any = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_finalize(stmt);
    return any;
}

/*
 * The table that has the rows. With --viewer=edge-names js_heap_edges is a view of another table,
 * and with traced calls callstack is one of these and of its own rows; NULL: it has none.
 */
static const char *rows_name(sqlite3 *db, enum ts_table_id table)
{
    if (table == TS_T_js_heap_edges &&
        rows_any(db, "SELECT 1 FROM sqlite_master WHERE name = 'js_heap_edge_rows'")) {
        return "js_heap_edge_rows";
    }
    if (table == TS_T_callstack &&
        rows_any(db, "SELECT 1 FROM sqlite_master WHERE name = 'callstack' AND type = 'view'")) {
        return rows_any(db, "SELECT 1 FROM sqlite_master WHERE name = '" TS_CALL_ROWS "'")
                   ? TS_CALL_ROWS
                   : NULL;
    }
    return ts_schema[table].name;
}

static ts_code rows_prepare(ts_rows *r, const ts_table *table, const char *name,
                            const unsigned *columns)
{
    ts_ctx *ctx = r->from.ctx;
    ts_buf sql = {0};
    /* A view has no rowid, and runs of samples may be one (sample_rows.h). */
    const bool runs = table == &ts_schema[TS_T_js_cpu_profiler_sample];
    const char *key = table->columns[0].type == TS_COL_KEY ? table->columns[0].name
                      : runs                               ? "id + 1"
                                                           : "rowid";
    ts_code code = ts_buf_printf(ctx, &sql, "SELECT %s", key);
    for (unsigned i = 0; code == TS_OK && i < r->count; i++) {
        code = ts_buf_printf(ctx, &sql, ", \"%s\"", table->columns[columns[i]].name);
    }
    TS_STEP(code,
            ts_buf_printf(ctx, &sql, " FROM \"%s\" WHERE %s >= ?1 ORDER BY 1%c", name, key, 0));
    TS_STEP(code, ts_stmt_prepare(&r->stmt, &r->from, sql.p));
    ts_buf_free(ctx, &sql);
    TS_STEP(code, ts_rows_seek(r, INT64_MIN));
    return code;
}

/* The arrays of the batches that SQL fills. */
static ts_code rows_arrays(ts_rows *r, const ts_table *table, const unsigned *columns)
{
    ts_ctx *ctx = r->from.ctx;
    TS_NEED(ctx, r->columns = ts_zalloc(ctx, r->count, sizeof *r->columns));
    for (unsigned i = 0; i < r->count; i++) {
        rows_column *c = &r->columns[i];
        c->type = table->columns[columns[i]].type;
        if (c->type == TS_COL_TEXT) {
            c->texts = ts_zalloc(ctx, ROWS_BATCH, sizeof *c->texts);
            c->offsets = ts_zalloc(ctx, ROWS_BATCH, sizeof *c->offsets);
            if (c->texts == NULL || c->offsets == NULL) {
                return ctx->error.code;
            }
            r->batch.columns[i].texts = c->texts;
        } else if (c->type == TS_COL_REAL) {
            r->batch.columns[i].reals = c->reals;
        } else {
            r->batch.columns[i].ints = c->ints;
        }
        r->batch.columns[i].null = c->null;
    }
    r->batch.rowids = r->rowids;
    return TS_OK;
}

ts_code ts_rows_open(ts_rows **out, const ts_rows_from *from, enum ts_table_id table,
                     const unsigned *columns, unsigned count)
{
    ts_ctx *ctx = from->ctx;
    ts_rows *r = ts_zalloc(ctx, 1, sizeof *r);
    *out = r;
    TS_NEED(ctx, r);
    r->from = *from;
    r->count = count;
    r->table = ts_schema[table].name;
    if (from->reader != NULL && ts_reader_has_table(from->reader, table)) {
        return ts_scan_open(&r->scan, from->reader, table, columns, count);
    }
    const char *name = from->db == NULL ? NULL : rows_name(from->db, table);
    r->ended = name == NULL;
    if (r->ended) {
        r->count = 0;
        return TS_OK;
    }
    TS_TRY(rows_arrays(r, &ts_schema[table], columns));
    return rows_prepare(r, &ts_schema[table], name, columns);
}

void ts_rows_close(ts_rows *r)
{
    if (r == NULL) {
        return;
    }
    ts_ctx *ctx = r->from.ctx;
    if (r->scan != NULL) {
        ts_scan_close(r->scan);
    }
    sqlite3_finalize(r->stmt);
    for (unsigned i = 0; r->columns != NULL && i < r->count; i++) {
        ts_free(ctx, r->columns[i].texts);
        ts_free(ctx, r->columns[i].offsets);
    }
    ts_free(ctx, r->columns);
    ts_buf_free(ctx, &r->bytes);
    ts_free(ctx, r);
}

static ts_code rows_text(ts_rows *r, rows_column *c, unsigned row, int at)
{
    const unsigned char *p = sqlite3_column_text(r->stmt, at);
    int n = sqlite3_column_bytes(r->stmt, at);
    if (p == NULL) {
        return ts_fail(r->from.ctx, TS_ERR_NOMEM, "out of memory");
    }
    c->texts[row].size = (uint64_t)n;
    c->texts[row].n = n < TS_SCAN_TEXT_MAX ? (size_t)n : (size_t)TS_SCAN_TEXT_MAX;
    c->offsets[row] = r->bytes.n;
    return ts_buf_put(r->from.ctx, &r->bytes, p, c->texts[row].n);
}

static ts_code rows_cell(ts_rows *r, unsigned column, unsigned row)
{
    rows_column *c = &r->columns[column];
    int at = (int)column + 1;
    int type = sqlite3_column_type(r->stmt, at);
    c->null[row] = type == SQLITE_NULL;
    c->ints[row] = 0;
    c->reals[row] = 0;
    if (c->type == TS_COL_TEXT) {
        c->texts[row] = (ts_scan_text){.p = ""};
        c->offsets[row] = r->bytes.n;
    }
    if (type == SQLITE_NULL) {
        return TS_OK;
    }
    if (c->type == TS_COL_REAL && (type == SQLITE_FLOAT || type == SQLITE_INTEGER)) {
        c->reals[row] = sqlite3_column_double(r->stmt, at);
        return TS_OK;
    }
    if (type == SQLITE_INTEGER && c->type != TS_COL_TEXT) {
        c->ints[row] = sqlite3_column_int64(r->stmt, at);
        return TS_OK;
    }
    if (type == SQLITE_TEXT && c->type == TS_COL_TEXT) {
        return rows_text(r, c, row, at);
    }
    return ts_fail(r->from.ctx, TS_ERR_INPUT, "a cell of table %s is not of its column's type",
                   r->table);
}

static ts_code rows_step(const ts_batch **batch, ts_rows *r, unsigned most)
{
    bool row = true;
    unsigned n = 0;
    r->bytes.n = 0;
    *batch = &r->batch;
    r->batch.rows = 0;
    while (!r->ended && n < most && r->bytes.n < 4 * (size_t)TS_SCAN_TEXT_MAX) {
        ts_code code = ts_stmt_step(&row, &r->from, r->stmt);
        r->ended = !row;
        for (unsigned i = 0; code == TS_OK && row && i < r->count; i++) {
            code = rows_cell(r, i, n);
        }
        if (code != TS_OK) {
            r->ended = true;
            return code;
        }
        if (row) {
            r->rowids[n++] = sqlite3_column_int64(r->stmt, 0);
        }
    }
    for (unsigned i = 0; i < r->count; i++) {
        rows_column *c = &r->columns[i];
        for (unsigned k = 0; c->texts != NULL && k < n; k++) {
            c->texts[k].p = r->bytes.n == 0 ? "" : (const char *)r->bytes.p + c->offsets[k];
        }
    }
    r->batch.rows = n;
    return TS_OK;
}

static ts_code rows_check(ts_rows *r)
{
    if (r->calls++ % ROWS_CHECK != 0) {
        return TS_OK;
    }
    return r->from.watch.check == NULL ? TS_OK
                                       : r->from.watch.check(r->from.watch.user, r->from.ctx);
}

ts_code ts_rows_next(const ts_batch **batch, ts_rows *r)
{
    TS_TRY(rows_check(r));
    return r->scan != NULL ? ts_scan_next(batch, r->scan) : rows_step(batch, r, ROWS_BATCH);
}

ts_rows_from ts_rows_of(ts_reader *reader)
{
    return (ts_rows_from){.ctx = reader->ctx, .reader = reader};
}

bool ts_walk_batch(ts_code *code, ts_walk *at)
{
    TS_STEP_IF(*code, at->rows == NULL,
               ts_rows_open(&at->rows, &at->from, at->table, at->columns, at->column_count));
    TS_STEP(*code, ts_rows_next(&at->b, at->rows));
    at->row = 0;
    if (*code == TS_OK && at->b->rows > 0) {
        return true;
    }
    ts_rows_close(at->rows);
    at->rows = NULL;
    return false;
}

ts_code ts_rows_any(bool *any, const ts_rows_from *from, enum ts_table_id table)
{
    const ts_batch *b = NULL;
    ts_rows *rows = NULL;
    bool there = ts_rows_there(from, table, NULL, 0);
    ts_code code = there ? ts_rows_open(&rows, from, table, NULL, 0) : TS_OK;
    TS_STEP_IF(code, there, ts_rows_next(&b, rows));
    *any = code == TS_OK && b != NULL && b->rows > 0;
    ts_rows_close(rows);
    return code;
}

ts_code ts_rows_seek(ts_rows *r, int64_t rowid)
{
    if (r->scan != NULL) {
        return ts_scan_seek(r->scan, rowid);
    }
    if (r->stmt != NULL) {
        sqlite3_reset(r->stmt);
        sqlite3_bind_int64(r->stmt, 1, rowid);
    }
    r->ended = r->stmt == NULL;
    return TS_OK;
}

ts_code ts_rows_one(const ts_batch **batch, ts_rows *r, int64_t rowid)
{
    ts_code code = rows_check(r);
    if (code != TS_OK || r->scan != NULL) {
        return code != TS_OK ? code : ts_scan_row(batch, r->scan, rowid);
    }
    code = ts_rows_seek(r, rowid);
    TS_STEP(code, rows_step(batch, r, 1));
    if (code == TS_OK && r->batch.rows == 1 && r->rowids[0] != rowid) {
        r->batch.rows = 0;
        code = ts_rows_seek(r, rowid);
    }
    return code;
}

bool ts_rows_there(const ts_rows_from *from, enum ts_table_id table, const unsigned *columns,
                   unsigned count)
{
    const ts_table *t = &ts_schema[table];
    bool there = true;
    if (from->reader != NULL && ts_reader_has_table(from->reader, table)) {
        return true;
    }
    for (unsigned i = 0; from->db != NULL && there && i < (count == 0 ? 1 : count); i++) {
        char sql[256];
        sqlite3_stmt *stmt = NULL;
        (void)snprintf(sql, sizeof sql, "SELECT \"%s\" FROM \"%s\"",
                       t->columns[count == 0 ? 0 : columns[i]].name, t->name);
        int rc = sqlite3_prepare_v2(from->db, sql, -1, &stmt, NULL);
        sqlite3_finalize(stmt);
        there = rc != SQLITE_ERROR; /* others show again when rows are read */
    }
    return from->db != NULL && there;
}

/* 0: no rows, or a view. */
static uint64_t last_rowid(sqlite3 *db, const char *table)
{
    char sql[128];
    sqlite3_stmt *stmt = NULL;
    uint64_t rows = 0;
    (void)snprintf(sql, sizeof sql, "SELECT max(rowid) FROM \"%s\"", table);
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_int64(stmt, 0) > 0) {
        rows = (uint64_t)sqlite3_column_int64(stmt, 0);
    }
    sqlite3_finalize(stmt);
    return rows;
}

uint64_t ts_rows_count(const ts_rows_from *from, const char *table)
{
    uint64_t rows = 0;
    if (from->db != NULL && strcmp(table, "stack_sample") == 0) { /* may be a view of it */
        rows = last_rowid(from->db, "stack_sample_row");
    }
    return rows == 0 && from->db != NULL ? last_rowid(from->db, table) : rows;
}

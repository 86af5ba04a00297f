/* For tests of the page reader: a table as scans see it and as SQLite's SELECT sees it. */
#ifndef TS_TEST_TABLES_SCAN_H
#define TS_TEST_TABLES_SCAN_H

#include "tables_files.h"

#include "tables/scan_private.h"

enum { SCAN_COMPARED = 1 << 20 };

/* A text: what is at hand, and the rest in pieces; of one above 2 MiB its begin and its end. */
static inline void scan_assert_text(ts_ctx *ctx, ts_scan *scan, const ts_batch *b, unsigned row,
                                    unsigned k, const char *want, size_t n)
{
    const ts_scan_text *t = &b->columns[k].texts[row];
    char piece[5000];
    assert_int_equal(t->size, n);
    assert_true(t->n == t->size || t->n == TS_SCAN_TEXT_MAX);
    assert_int_equal(n == 0 ? 0 : memcmp(t->p, want, t->n), 0);
    for (uint64_t at = t->n; at < n;) {
        size_t got;
        assert_ok(ctx, ts_scan_text_part(&got, scan, row, k, at, piece, sizeof piece));
        assert_true(got > 0 && got <= n - at);
        assert_memory_equal(piece, want + at, got);
        at += got;
        if (at > SCAN_COMPARED && at + SCAN_COMPARED < n) {
            at = n - SCAN_COMPARED;
        }
    }
    if (n > TS_SCAN_TEXT_MAX) { /* back to the first one, and behind the end */
        size_t got;
        assert_ok(ctx, ts_scan_text_part(&got, scan, row, k, t->n, piece, 100));
        assert_int_equal(got, n - t->n < 100 ? n - t->n : 100);
        assert_memory_equal(piece, want + t->n, got);
        assert_ok(ctx, ts_scan_text_part(&got, scan, row, k, n, piece, 100));
        assert_int_equal(got, 0);
    }
}

/* Cell k of a row against column i of the statement's row. */
static inline void scan_assert_cell(ts_ctx *ctx, ts_scan *scan, const ts_batch *b, unsigned row,
                                    unsigned k, ts_column_type type, sqlite3_stmt *st, int i)
{
    const ts_batch_column *c = &b->columns[k];
    double want;
    if (sqlite3_column_type(st, i) == SQLITE_NULL) {
        assert_int_equal(c->null[row], 1);
        return;
    }
    assert_int_equal(c->null[row], 0);
    switch (type) {
    case TS_COL_KEY:
    case TS_COL_INT:
        assert_int_equal(c->ints[row], sqlite3_column_int64(st, i));
        break;
    case TS_COL_REAL:
        want = sqlite3_column_double(st, i);
        assert_memory_equal(&c->reals[row], &want, sizeof want);
        break;
    case TS_COL_TEXT:
        scan_assert_text(ctx, scan, b, row, k, (const char *)sqlite3_column_text(st, i),
                         (size_t)sqlite3_column_bytes(st, i));
        break;
    }
}

static inline void scan_assert_row(ts_ctx *ctx, ts_scan *scan, const ts_batch *b, unsigned row,
                                   const ts_table *table, const unsigned *columns, unsigned n,
                                   sqlite3_stmt *st)
{
    assert_int_equal(b->rowids[row], sqlite3_column_int64(st, 0));
    for (unsigned k = 0; k < n; k++) {
        scan_assert_cell(ctx, scan, b, row, k, table->columns[columns[k]].type, st,
                         (int)columns[k] + 1);
    }
}

/* rest: behind the name of what numbers the rows. stack_sample may be a view, which has no rowid.
 */
static inline sqlite3_stmt *scan_select(sqlite3 *db, const char *name, const char *rest)
{
    char sql[160];
    sqlite3_stmt *st = NULL;
    const char *key = strcmp(name, "stack_sample") == 0 ? "id" : "rowid";
    snprintf(sql, sizeof sql, "SELECT %s, * FROM \"%s\" WHERE %s %s", key, name, key, rest);
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    return st;
}

/* Reads of single rows, and scans that begin in the middle, at rowids around `rowid`. */
static inline void scan_assert_points(ts_reader *r, unsigned id, const ts_table *table, sqlite3 *db,
                                      ts_scan *scan, const unsigned *columns, unsigned n,
                                      int64_t rowid)
{
    ts_ctx *ctx = r->ctx;
    const ts_batch *b;
    sqlite3_stmt *one = scan_select(db, table->name, "= ?1");
    sqlite3_stmt *rest = scan_select(db, table->name, ">= ?1 LIMIT 3");
    (void)id;
    for (int64_t at = rowid - 1; at <= rowid + 1; at++) {
        sqlite3_bind_int64(one, 1, at);
        bool found = sqlite3_step(one) == SQLITE_ROW;
        assert_ok(ctx, ts_scan_row(&b, scan, at));
        assert_int_equal(b->rows, found ? 1 : 0);
        if (found) {
            scan_assert_row(ctx, scan, b, 0, table, columns, n, one);
        }
        sqlite3_reset(one);
        sqlite3_bind_int64(rest, 1, at);
        assert_ok(ctx, ts_scan_seek(scan, at));
        for (unsigned seen = 0, row = 0; seen < 3; seen++, row++) {
            bool more = sqlite3_step(rest) == SQLITE_ROW;
            if (seen == 0 || row == b->rows) {
                assert_ok(ctx, ts_scan_next(&b, scan));
                row = 0;
            }
            assert_int_equal(more, b->rows > 0);
            if (!more) {
                break;
            }
            scan_assert_row(ctx, scan, b, row, table, columns, n, rest);
        }
        sqlite3_reset(rest);
    }
    sqlite3_finalize(one);
    sqlite3_finalize(rest);
}

/* The chosen columns of all rows, in order; *count rows. */
static inline void scan_assert_columns(ts_reader *r, unsigned id, const ts_table *table,
                                       sqlite3 *db, const unsigned *columns, unsigned n)
{
    ts_ctx *ctx = r->ctx;
    const ts_batch *b;
    ts_scan *scan;
    int64_t picks[4] = {0};
    uint64_t rows = 0;
    sqlite3_stmt *st = scan_select(db, table->name, "IS NOT NULL");
    assert_ok(ctx, ts_scan_open(&scan, r, id, columns, n));
    for (;;) {
        assert_ok(ctx, ts_scan_next(&b, scan));
        for (unsigned i = 0; i < b->rows; i++, rows++) {
            assert_int_equal(sqlite3_step(st), SQLITE_ROW);
            scan_assert_row(ctx, scan, b, i, table, columns, n, st);
            picks[rows < 2 ? rows : 2 + rows * 2654435761U / 7 % 2] = b->rowids[i];
        }
        if (b->rows == 0) {
            break;
        }
    }
    assert_int_equal(sqlite3_step(st), SQLITE_DONE);
    sqlite3_finalize(st);
    assert_ok(ctx, ts_scan_next(&b, scan)); /* the end stays */
    assert_int_equal(b->rows, 0);
    for (unsigned i = 0; i < 4; i++) {
        scan_assert_points(r, id, table, db, scan, columns, n, picks[i]);
    }
    scan_assert_points(r, id, table, db, scan, columns, n, INT64_MAX - 2);
    scan_assert_points(r, id, table, db, scan, columns, n, INT64_MIN + 1);
    ts_scan_close(scan);
}

/* All columns, each third one backwards, the last one alone, and none. */
static inline void scan_assert_table(ts_reader *r, unsigned id, const ts_table *table, sqlite3 *db)
{
    unsigned columns[TS_SCAN_COLUMNS];
    unsigned last = table->column_count - 1;
    unsigned n = 0;
    bool any;
    for (unsigned i = 0; i < table->column_count; i++) {
        columns[i] = i;
    }
    scan_assert_columns(r, id, table, db, columns, table->column_count);
    for (unsigned i = 0; i * 3 <= last; i++) {
        columns[n++] = last - i * 3;
    }
    scan_assert_columns(r, id, table, db, columns, n);
    scan_assert_columns(r, id, table, db, &last, 1);
    scan_assert_columns(r, id, table, db, NULL, 0);
    sqlite3_stmt *st = scan_select(db, table->name, "IS NOT NULL LIMIT 1");
    assert_ok(r->ctx, ts_reader_has_rows(&any, r, id));
    assert_int_equal(any, sqlite3_step(st) == SQLITE_ROW);
    sqlite3_finalize(st);
}

#endif

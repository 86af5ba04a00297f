/*
 * What becomes known after the rows were written: texts, and cells that are wrong. Pages that are
 * written stay as they are while rows come; SQLite changes the rows in the finished file, before
 * the indexes are made. Undamaged inputs have no wrong cells, and their files are not touched.
 */
#include "tables/database_private.h"

ts_code ts_db_late_text(ts_db *db, enum ts_table_id table, int64_t rowid, unsigned column,
                        ts_text value)
{
    size_t at = db->late_bytes.n;
    ts_late_text *t;
    ts_code code;
    if (db->pages == NULL || rowid < 1 || (uint64_t)rowid > db->sink.rows[table] ||
        ts_schema[table].columns[column].type != TS_COL_TEXT) {
        return ts_fail(db->ctx, TS_ERR_INTERNAL, "no row for a text: table=%s, row=%lld",
                       ts_schema[table].name, (long long)rowid);
    }
    TS_TRY(code, ts_buf_put(db->ctx, &db->late_bytes, value.p, value.n));
    TS_NEED(db->ctx, t = ts_vec_add(db->ctx, &db->late, sizeof *t));
    *t = (ts_late_text){table, column, rowid, at, value.n};
    return TS_OK;
}

static int late_put_text(const ts_db *db, const ts_late_text *t)
{
    const ts_table *table = &ts_schema[t->table];
    ts_text value = ts_buf_text(&db->late_bytes);
    sqlite3_stmt *st = NULL;
    int ended;
    int rc;
    char *sql = sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = ?1 WHERE rowid = ?2", table->name,
                                table->columns[t->column].name);
    if (sql == NULL) {
        return SQLITE_NOMEM;
    }
    rc = sqlite3_prepare_v2(db->handle, sql, -1, &st, NULL);
    sqlite3_free(sql);
    if (rc == SQLITE_OK) {
        rc = sqlite3_bind_text64(st, 1, value.p + t->at, t->n, SQLITE_STATIC, SQLITE_UTF8);
    }
    if (rc == SQLITE_OK && (rc = sqlite3_bind_int64(st, 2, t->rowid)) == SQLITE_OK) {
        rc = sqlite3_step(st);
    }
    ended = sqlite3_finalize(st);
    return rc != SQLITE_DONE && rc != SQLITE_OK ? rc : ended;
}

/* --- cells that are wrong ------------------------------------------------------------------- */

static bool can_be_null(const ts_table *table, uint64_t columns)
{
    if (columns == 0 || (table->column_count < 64 && columns >> table->column_count != 0)) {
        return false;
    }
    return (columns & 1) == 0 || table->columns[0].type != TS_COL_KEY;
}

ts_code ts_db_invalidate(ts_db *db, enum ts_table_id table, int64_t first, int64_t last,
                         uint64_t columns)
{
    ts_null_range *all = db->nulls.p;
    ts_null_range *range = db->nulls.n == 0 ? NULL : &all[db->nulls.n - 1];
    if (db->pages == NULL || first < 1 || last < first || (uint64_t)last > db->sink.rows[table] ||
        !can_be_null(&ts_schema[table], columns)) {
        return ts_fail(db->ctx, TS_ERR_INTERNAL, "no rows to invalidate: table=%s, rows=%lld-%lld",
                       ts_schema[table].name, (long long)first, (long long)last);
    }
    if (range != NULL && range->table == table && range->columns == columns &&
        range->last == first - 1) {
        range->last = last;
        return TS_OK;
    }
    TS_NEED(db->ctx, range = ts_vec_add(db->ctx, &db->nulls, sizeof *range));
    *range = (ts_null_range){table, first, last, columns};
    return TS_OK;
}

ts_code ts_db_move(ts_db *db, enum ts_table_id table, int64_t first, int64_t last, uint64_t columns,
                   int64_t delta)
{
    ts_moved_range *moved;
    if (db->pages == NULL || first < 1 || last < first || (uint64_t)last > db->sink.rows[table] ||
        !can_be_null(&ts_schema[table], columns)) {
        return ts_fail(db->ctx, TS_ERR_INTERNAL, "no rows to move: table=%s, rows=%lld-%lld",
                       ts_schema[table].name, (long long)first, (long long)last);
    }
    TS_NEED(db->ctx, moved = ts_vec_add(db->ctx, &db->moves, sizeof *moved));
    *moved = (ts_moved_range){{table, first, last, columns}, delta, false};
    return TS_OK;
}

ts_code ts_db_late_int(ts_db *db, enum ts_table_id table, int64_t rowid, unsigned column,
                       int64_t value)
{
    ts_moved_range *set;
    if (db->pages == NULL || rowid < 1 || (uint64_t)rowid > db->sink.rows[table] ||
        ts_schema[table].columns[column].type != TS_COL_INT) {
        return ts_fail(db->ctx, TS_ERR_INTERNAL, "no row for a number: table=%s, row=%lld",
                       ts_schema[table].name, (long long)rowid);
    }
    TS_NEED(db->ctx, set = ts_vec_add(db->ctx, &db->moves, sizeof *set));
    *set = (ts_moved_range){{table, rowid, rowid, UINT64_C(1) << column}, value, true};
    return TS_OK;
}

/* The new value of a cell. A sum beyond 64 bits would be REAL, and is not known instead. */
static void append_value(sqlite3_str *text, const char *name, const int64_t *delta, bool set)
{
    if (delta != NULL && set) {
        sqlite3_str_appendf(text, "%lld", (long long)*delta);
    } else if (delta != NULL) {
        sqlite3_str_appendf(text,
                            "CASE WHEN typeof(\"%w\" + %lld) = 'integer' THEN \"%w\" + %lld END",
                            name, (long long)*delta, name, (long long)*delta);
    } else {
        sqlite3_str_appendall(text, strcmp(name, TS_COMPLETE_COLUMN) == 0 ? "0" : "NULL");
    }
}

/* Changes the cells of a range. delta NULL: they become NULL; set: they become delta. */
static int put_range(const ts_db *db, const ts_null_range *range, const int64_t *delta, bool set)
{
    const ts_table *table = &ts_schema[range->table];
    sqlite3_str *text = sqlite3_str_new(db->handle);
    const char *between = " SET ";
    char *sql;
    int rc;
    sqlite3_str_appendf(text, "UPDATE \"%w\"", table->name);
    for (unsigned i = 0; i < table->column_count; i++) {
        if ((range->columns >> i & 1) != 0) {
            const char *name = table->columns[i].name;
            sqlite3_str_appendf(text, "%s\"%w\" = ", between, name);
            append_value(text, name, delta, set);
            between = ", ";
        }
    }
    sqlite3_str_appendf(text, " WHERE rowid BETWEEN %lld AND %lld", (long long)range->first,
                        (long long)range->last);
    sql = sqlite3_str_finish(text);
    if (sql == NULL) {
        return SQLITE_NOMEM;
    }
    rc = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return rc;
}

/* --- both ----------------------------------------------------------------------------------- */

ts_code ts_db_put_late(ts_db *db)
{
    const ts_late_text *late = db->late.p;
    const ts_null_range *nulls = db->nulls.p;
    int rc = SQLITE_OK;
    if (db->late.n == 0 && db->nulls.n == 0 && db->moves.n == 0) {
        return TS_OK;
    }
    rc = sqlite3_exec(db->handle, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
    for (size_t i = 0; i < db->late.n && rc == SQLITE_OK; i++) {
        rc = late_put_text(db, &late[i]);
    }
    for (size_t i = 0; i < db->moves.n && rc == SQLITE_OK; i++) {
        const ts_moved_range *moved = (const ts_moved_range *)db->moves.p + i;
        rc = put_range(db, &moved->range, &moved->delta, moved->set);
    }
    for (size_t i = 0; i < db->nulls.n && rc == SQLITE_OK; i++) {
        rc = put_range(db, &nulls[i], NULL, false);
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(db->handle, "COMMIT", NULL, NULL, NULL);
    }
    ts_db_free_late(db);
    return rc == SQLITE_OK ? TS_OK : ts_db_fail(db, rc, "write");
}

void ts_db_free_late(ts_db *db)
{
    ts_vec_free(db->ctx, &db->late);
    ts_vec_free(db->ctx, &db->nulls);
    ts_vec_free(db->ctx, &db->moves);
    ts_buf_free(db->ctx, &db->late_bytes);
}

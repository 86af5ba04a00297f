/*
 * What becomes known after the rows were written: texts, and cells that are wrong. Pages that are
 * written stay as they are while rows come; SQLite changes the rows in the finished file, before
 * the indexes are made. Undamaged inputs have no wrong cells, and their files are not touched.
 */
#include "tables/database_private.h"

static bool can_be_amended(const ts_db *db, const ts_amendment *what)
{
    const ts_table *table = &ts_schema[what->table];
    const uint64_t columns = what->columns;
    if (db->pages == NULL || what->first < 1 || what->last < what->first ||
        (uint64_t)what->last > db->sink.rows[what->table] || columns == 0 ||
        (table->column_count < 64 && columns >> table->column_count != 0)) {
        return false;
    }
    if (what->kind == TS_AMEND_TEXT || what->kind == TS_AMEND_INT) {
        return table->columns[__builtin_ctzll(columns)].type ==
               (what->kind == TS_AMEND_TEXT ? TS_COL_TEXT : TS_COL_INT);
    }
    return (columns & 1) == 0 || table->columns[0].type != TS_COL_KEY;
}

ts_code ts_db_amend(void *self, const ts_amendment *what)
{
    static const char *const names[] = {[TS_AMEND_TEXT] = "no row for a text",
                                        [TS_AMEND_INT] = "no row for a number",
                                        [TS_AMEND_NULL] = "no rows to invalidate",
                                        [TS_AMEND_MOVE] = "no rows to move"};
    ts_db *db = self;
    ts_amendment *last =
        db->amended.n == 0 ? NULL : (ts_amendment *)db->amended.p + db->amended.n - 1;
    const size_t at = db->amended_bytes.n;
    if (!can_be_amended(db, what)) {
        return ts_fail(db->ctx, TS_ERR_INTERNAL, "%s: table=%s, rows=%lld-%lld", names[what->kind],
                       ts_schema[what->table].name, (long long)what->first, (long long)what->last);
    }
    if (what->kind == TS_AMEND_NULL && last != NULL && last->kind == TS_AMEND_NULL &&
        last->table == what->table && last->columns == what->columns &&
        last->last == what->first - 1) {
        last->last = what->last;
        return TS_OK;
    }
    if (what->kind == TS_AMEND_TEXT) {
        TS_TRY(ts_buf_put(db->ctx, &db->amended_bytes, what->text.p, what->text.n));
    }
    TS_NEED(db->ctx, last = ts_vec_add(db->ctx, &db->amended, sizeof *last));
    *last = *what;
    if (what->kind == TS_AMEND_TEXT) {
        last->value = (int64_t)at;
        last->text.p = NULL;
    }
    return TS_OK;
}

static int late_put_text(const ts_db *db, const ts_amendment *t)
{
    const ts_table *table = &ts_schema[t->table];
    ts_text value = ts_buf_text(&db->amended_bytes);
    sqlite3_stmt *st = NULL;
    int ended;
    int rc;
    char *sql = sqlite3_mprintf("UPDATE \"%w\" SET \"%w\" = ?1 WHERE rowid = ?2", table->name,
                                table->columns[__builtin_ctzll(t->columns)].name);
    if (sql == NULL) {
        return SQLITE_NOMEM;
    }
    rc = sqlite3_prepare_v2(db->handle, sql, -1, &st, NULL);
    sqlite3_free(sql);
    if (rc == SQLITE_OK) {
        rc = sqlite3_bind_text64(st, 1, value.p + t->value, t->text.n, SQLITE_STATIC, SQLITE_UTF8);
    }
    if (rc == SQLITE_OK && (rc = sqlite3_bind_int64(st, 2, t->first)) == SQLITE_OK) {
        rc = sqlite3_step(st);
    }
    ended = sqlite3_finalize(st);
    return rc != SQLITE_DONE && rc != SQLITE_OK ? rc : ended;
}

/* The new value of a cell. A sum beyond 64 bits would be REAL, and is not known instead. */
static void append_value(sqlite3_str *text, const char *name, const ts_amendment *what)
{
    const long long value = (long long)what->value;
    if (what->kind == TS_AMEND_INT) {
        sqlite3_str_appendf(text, "%lld", value);
    } else if (what->kind == TS_AMEND_MOVE) {
        sqlite3_str_appendf(text,
                            "CASE WHEN typeof(\"%w\" + %lld) = 'integer' THEN \"%w\" + %lld END",
                            name, value, name, value);
    } else {
        sqlite3_str_appendall(text, strcmp(name, TS_COMPLETE_COLUMN) == 0 ? "0" : "NULL");
    }
}

/* Changes the cells of a range of rows. */
static int put_range(const ts_db *db, const ts_amendment *what)
{
    const ts_table *table = &ts_schema[what->table];
    sqlite3_str *text = sqlite3_str_new(db->handle);
    const char *between = " SET ";
    char *sql;
    int rc;
    sqlite3_str_appendf(text, "UPDATE \"%w\"", table->name);
    for (unsigned i = 0; i < table->column_count; i++) {
        if ((what->columns >> i & 1) != 0) {
            const char *name = table->columns[i].name;
            sqlite3_str_appendf(text, "%s\"%w\" = ", between, name);
            append_value(text, name, what);
            between = ", ";
        }
    }
    sqlite3_str_appendf(text, " WHERE rowid BETWEEN %lld AND %lld", (long long)what->first,
                        (long long)what->last);
    sql = sqlite3_str_finish(text);
    if (sql == NULL) {
        return SQLITE_NOMEM;
    }
    rc = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
    return rc;
}

/* First texts, then numbers, then what is wrong. */
static unsigned turn_of(const ts_amendment *what)
{
    return what->kind == TS_AMEND_TEXT ? 0 : what->kind == TS_AMEND_NULL ? 2 : 1;
}

ts_code ts_db_put_late(ts_db *db)
{
    const ts_amendment *all = db->amended.p;
    int rc;
    if (db->amended.n == 0) {
        return TS_OK;
    }
    rc = sqlite3_exec(db->handle, "BEGIN EXCLUSIVE", NULL, NULL, NULL);
    for (unsigned turn = 0; turn < 3; turn++) {
        for (size_t i = 0; i < db->amended.n && rc == SQLITE_OK; i++) {
            if (turn_of(&all[i]) == turn) {
                rc = turn == 0 ? late_put_text(db, &all[i]) : put_range(db, &all[i]);
            }
        }
    }
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(db->handle, "COMMIT", NULL, NULL, NULL);
    }
    ts_db_free_late(db);
    return rc == SQLITE_OK ? TS_OK : ts_db_fail(db, rc, "write");
}

void ts_db_free_late(ts_db *db)
{
    ts_vec_free(db->ctx, &db->amended);
    ts_buf_free(db->ctx, &db->amended_bytes);
}

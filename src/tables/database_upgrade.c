/*
 * A finished database of an older version of the schema gets the present one, where its rows allow
 * it: new tables are made, new last columns are added and NULL, views and schema_doc are those of
 * this program. A table that has rows and other columns is not changed: the recording must be
 * converted again.
 */
#include "tables/database_private.h"
#include "base/pool.h"
#include "tables/event_classes.h"
#include "tables/schema_sql.h"

#include <stdio.h>

static ts_code cannot_upgrade(ts_db *db, const char *name, const char *why)
{
    return ts_fail(db->ctx, TS_ERR_INPUT,
                   "cannot upgrade the database: %s %s; convert the recording again", name, why);
}

static ts_code upgrade_prepare(sqlite3_stmt **out, ts_db *db, const char *sql)
{
    int rc = sqlite3_prepare_v2(db->handle, sql, -1, out, NULL);
    return rc == SQLITE_OK ? TS_OK : ts_db_fail(db, rc, "upgrade");
}

/* Appends what a statement gives, one text a row; `name` is its parameter, or NULL. */
static ts_code list_names(ts_pool *out, ts_db *db, const char *sql, const char *name)
{
    sqlite3_stmt *st = NULL;
    ts_code code = upgrade_prepare(&st, db, sql);
    int rc = SQLITE_DONE;
    if (code == TS_OK && name != NULL) {
        (void)sqlite3_bind_text(st, 1, name, -1, SQLITE_STATIC);
    }
    while (code == TS_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        uint32_t id;
        const char *text = (const char *)sqlite3_column_text(st, 0);
        ts_text one = {text == NULL ? "" : text, (size_t)sqlite3_column_bytes(st, 0)};
        code = ts_pool_intern(db->ctx, &id, NULL, out, one);
    }
    (void)sqlite3_finalize(st);
    TS_STEP_IF(code, rc != SQLITE_DONE, ts_db_fail(db, rc, "upgrade"));
    return code;
}

/* --- tables -------------------------------------------------------------------------------- */

static ts_code add_columns(ts_db *db, const ts_table *table, unsigned from)
{
    ts_code code = TS_OK;
    for (unsigned i = from; code == TS_OK && i < table->column_count; i++) {
        code = ts_db_runf(db, "ALTER TABLE \"%w\" ADD COLUMN \"%w\" %s", table->name,
                          table->columns[i].name, ts_column_sql_type(table->columns[i].type));
    }
    return code;
}

static ts_code replace_empty(ts_db *db, const ts_table *table)
{
    char sql[160];
    int64_t one;
    bool any;
    snprintf(sql, sizeof sql, "SELECT 1 FROM \"%s\" LIMIT 1", table->name);
    ts_code code = ts_db_int(&one, &any, db, sql);
    if (code == TS_OK && any) {
        return cannot_upgrade(db, table->name, "has rows and other columns");
    }
    TS_STEP(code, ts_db_runf(db, "DROP TABLE IF EXISTS \"%w\"", table->name));
    TS_STEP(code, ts_db_create_table(db, table));
    return code;
}

static ts_code upgrade_table(ts_db *db, const ts_table *table)
{
    ts_pool columns = {0};
    ts_pool kind = {0};
    ts_code code = list_names(
        &kind, db, "SELECT type FROM sqlite_schema WHERE name = ?1 AND type IN ('table', 'view')",
        table->name);
    bool view = code == TS_OK && kind.count > 0 && ts_text_is(ts_pool_text(&kind, 0), "view");
    const char *present = view ? ts_db_sample_view(ts_text_of(table->name)) : NULL;
    if (present != NULL) { /* it may be of a view that was dropped */
        code = ts_db_runf(db, "DROP VIEW \"%w\"", table->name);
        TS_STEP(code, ts_db_run(db, present));
        ts_pool_free(db->ctx, &kind);
        return code;
    }
    TS_STEP(code, list_names(&columns, db, "SELECT name FROM pragma_table_info(?1) ORDER BY cid",
                             table->name));
    unsigned n = code == TS_OK ? columns.count : 0;
    bool same = n <= table->column_count;
    for (unsigned i = 0; i < n && same; i++) {
        same = ts_text_is(ts_pool_text(&columns, i), table->columns[i].name);
    }
    if (code == TS_OK && n == 0) {
        code = ts_db_create_table(db, table);
    } else if (code == TS_OK && view) {
        /* Of samples, of viewers: a way to write the same rows. */
        code = same && n == table->column_count
                   ? TS_OK
                   : cannot_upgrade(db, table->name, "is a view with other columns");
    } else if (code == TS_OK) {
        code = same ? add_columns(db, table, n) : replace_empty(db, table);
    }
    ts_pool_free(db->ctx, &kind);
    ts_pool_free(db->ctx, &columns);
    return code;
}

/* --- views and what describes the schema ---------------------------------------------------- */

static ts_code drop_views(ts_db *db)
{
    ts_pool views = {0};
    ts_code code = list_names(
        &views, db, "SELECT name FROM sqlite_schema WHERE type = 'view' AND name GLOB 'v_*'", NULL);
    for (unsigned i = 0; code == TS_OK && i < ts_view_count; i++) {
        uint32_t id;
        code = ts_pool_intern(db->ctx, &id, NULL, &views, ts_text_of(ts_views[i].name));
    }
    for (uint32_t i = 0; code == TS_OK && i < views.count; i++) {
        ts_text view = ts_pool_text(&views, i);
        code = ts_db_runf(db, "DROP VIEW IF EXISTS \"%.*w\"", (int)view.n, view.p);
    }
    ts_pool_free(db->ctx, &views);
    return code;
}

static ts_code upgrade_docs(ts_db *db)
{
    TS_TRY(ts_db_run(db, "DELETE FROM schema_doc"));
    return ts_db_put_docs(db);
}

/* What events of the formats of this database stand for. */
static ts_code upgrade_events(ts_db *db)
{
    ts_pool formats = {0};
    ts_code code = ts_db_run(db, "DELETE FROM event_class");
    TS_STEP(code, list_names(&formats, db, "SELECT DISTINCT format FROM source", NULL));
    for (size_t i = 0; code == TS_OK && i < ts_event_line_count; i++) {
        const ts_row_event_class row = ts_event_row(&ts_event_lines[i]);
        uint32_t id;
        if (ts_pool_find(&id, &formats, row.format)) {
            code = ts_db_insert(db, TS_T_event_class, &row);
        }
    }
    ts_pool_free(db->ctx, &formats);
    return code;
}

/* --- all ----------------------------------------------------------------------------------- */

static ts_code upgrade_schema(ts_db *db)
{
    ts_code code =
        ts_db_run(db, "PRAGMA trusted_schema = OFF; PRAGMA journal_mode = OFF; PRAGMA synchronous "
                      "= OFF; PRAGMA legacy_alter_table = ON; BEGIN EXCLUSIVE");
    TS_STEP(code, drop_views(db));
    for (unsigned i = 0; code == TS_OK && i < TS_TABLE_COUNT; i++) {
        code = upgrade_table(db, &ts_schema[i]);
    }
    for (unsigned i = 0; code == TS_OK && i < ts_view_count; i++) {
        code = ts_db_run(db, ts_views[i].sql);
    }
    TS_STEP(code, upgrade_docs(db));
    TS_STEP(code, upgrade_events(db));
    TS_STEP(code, ts_db_runf(db, "PRAGMA user_version = %d; COMMIT", TS_SCHEMA_VERSION));
    return code;
}

ts_code ts_db_upgrade(ts_ctx *ctx, const char *path)
{
    ts_db *db = NULL;
    ts_code code;
    TS_TRY_INTO(code, ts_db_new(&db, ctx, path, TS_DB_WRITING));
    ts_db_limit_memory(ctx);
    int rc = sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc != SQLITE_OK) {
        code = ts_db_fail(db, rc, "open");
    } else {
        ts_db_watch_cancel(db);
        code = upgrade_schema(db);
    }
    ts_db_close(db);
    return code;
}

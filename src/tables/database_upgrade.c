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

static ts_code drop(ts_db *db, const char *kind, const char *name)
{
    char sql[256];
    snprintf(sql, sizeof sql, "DROP %s IF EXISTS \"%s\"", kind, name);
    return ts_db_run(db, sql);
}

/* --- tables -------------------------------------------------------------------------------- */

static ts_code upgrade_create(ts_db *db, const ts_table *table)
{
    ts_buf sql = {0};
    ts_code code = ts_sql_create(db->ctx, &sql, table);
    TS_STEP(code, ts_buf_putc(db->ctx, &sql, '\0'));
    TS_STEP(code, ts_db_run(db, sql.p));
    ts_buf_free(db->ctx, &sql);
    return code;
}

static ts_code add_columns(ts_db *db, const ts_table *table, unsigned from)
{
    ts_code code = TS_OK;
    for (unsigned i = from; code == TS_OK && i < table->column_count; i++) {
        char sql[256];
        snprintf(sql, sizeof sql, "ALTER TABLE \"%s\" ADD COLUMN \"%s\" %s", table->name,
                 table->columns[i].name, ts_column_sql_type(table->columns[i].type));
        code = ts_db_run(db, sql);
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
    code = code != TS_OK ? code : drop(db, "TABLE", table->name);
    return code != TS_OK ? code : upgrade_create(db, table);
}

static ts_code upgrade_table(ts_db *db, const ts_table *table)
{
    ts_pool columns = {0};
    ts_pool kind = {0};
    ts_code code = list_names(
        &kind, db, "SELECT type FROM sqlite_schema WHERE name = ?1 AND type IN ('table', 'view')",
        table->name);
    TS_STEP(code, list_names(&columns, db, "SELECT name FROM pragma_table_info(?1) ORDER BY cid",
                             table->name));
    bool view = code == TS_OK && kind.count > 0 && ts_text_is(ts_pool_text(&kind, 0), "view");
    unsigned n = code == TS_OK ? columns.count : 0;
    bool same = n <= table->column_count;
    for (unsigned i = 0; i < n && same; i++) {
        same = ts_text_is(ts_pool_text(&columns, i), table->columns[i].name);
    }
    if (code == TS_OK && n == 0) {
        code = upgrade_create(db, table);
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
        char name[128];
        ts_text view = ts_pool_text(&views, i);
        snprintf(name, sizeof name, "%.*s", (int)view.n, view.p);
        code = strchr(name, '"') != NULL ? TS_OK : drop(db, "VIEW", name);
    }
    ts_pool_free(db->ctx, &views);
    return code;
}

static ts_code put_texts(ts_db *db, sqlite3_stmt *st, const char *const *texts, int n)
{
    for (int i = 0; i < n; i++) {
        (void)sqlite3_bind_text(st, i + 1, texts[i], -1, SQLITE_TRANSIENT);
    }
    (void)sqlite3_step(st);
    int rc = sqlite3_reset(st);
    return rc == SQLITE_OK ? TS_OK : ts_db_fail(db, rc, "write");
}

static ts_code put_column_docs(ts_db *db, sqlite3_stmt *st, const char *table,
                               const ts_column *columns, unsigned n)
{
    ts_buf text = {0};
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < n; i++) {
        const ts_column *c = &columns[i];
        text.n = 0;
        code = ts_column_description(db->ctx, &text, c);
        code = code != TS_OK ? code : ts_buf_putc(db->ctx, &text, '\0');
        if (code == TS_OK) {
            const char *const row[] = {table, c->name, ts_column_sql_type(c->type),
                                       c->unit[0] == '\0' ? NULL : c->unit, text.p};
            code = put_texts(db, st, row, 5);
        }
    }
    ts_buf_free(db->ctx, &text);
    return code;
}

static ts_code upgrade_docs(ts_db *db)
{
    sqlite3_stmt *st = NULL;
    ts_code code = ts_db_run(db, "DELETE FROM schema_doc");
    if (code != TS_OK ||
        (code = upgrade_prepare(&st, db,
                                "INSERT INTO schema_doc(table_name, column_name, type, unit, "
                                "description) VALUES (?, ?, ?, ?, ?)")) != TS_OK) {
        return code;
    }
    for (unsigned i = 0; code == TS_OK && i < TS_TABLE_COUNT; i++) {
        code = put_column_docs(db, st, ts_schema[i].name, ts_schema[i].columns,
                               ts_schema[i].column_count);
    }
    for (unsigned i = 0; code == TS_OK && i < ts_view_count; i++) {
        code = put_column_docs(db, st, ts_views[i].name, ts_views[i].columns,
                               ts_views[i].column_count);
    }
    (void)sqlite3_finalize(st);
    return code;
}

/* What events of the formats of this database stand for. */
static ts_code upgrade_events(ts_db *db)
{
    sqlite3_stmt *st = NULL;
    ts_code code = ts_db_run(db, "DELETE FROM event_class");
    if (code != TS_OK ||
        (code = upgrade_prepare(
             &st, db,
             "INSERT INTO event_class(format, event, state, class, reason) SELECT ?1, ?2, ?3, ?4, "
             "?5 WHERE ?1 IN (SELECT format FROM source)")) != TS_OK) {
        return code;
    }
    for (size_t i = 0; code == TS_OK && i < ts_event_line_count; i++) {
        const ts_event_line *line = &ts_event_lines[i];
        const char *const row[] = {line->format, line->event, line->state,
                                   ts_event_class_name(line->class),
                                   line->reason[0] == '\0' ? NULL : line->reason};
        code = put_texts(db, st, row, 5);
    }
    (void)sqlite3_finalize(st);
    return code;
}

/* --- all ----------------------------------------------------------------------------------- */

static ts_code upgrade_schema(ts_db *db)
{
    char sql[64];
    ts_code code =
        ts_db_run(db, "PRAGMA trusted_schema = OFF; PRAGMA journal_mode = OFF; PRAGMA synchronous "
                      "= OFF; PRAGMA legacy_alter_table = ON; BEGIN EXCLUSIVE");
    if (code != TS_OK || (code = drop_views(db)) != TS_OK) {
        return code;
    }
    for (unsigned i = 0; code == TS_OK && i < TS_TABLE_COUNT; i++) {
        code = upgrade_table(db, &ts_schema[i]);
    }
    for (unsigned i = 0; code == TS_OK && i < ts_view_count; i++) {
        code = ts_db_run(db, ts_views[i].sql);
    }
    if (code != TS_OK || (code = upgrade_docs(db)) != TS_OK ||
        (code = upgrade_events(db)) != TS_OK) {
        return code;
    }
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d; COMMIT", TS_SCHEMA_VERSION);
    return ts_db_run(db, sql);
}

ts_code ts_db_upgrade(ts_ctx *ctx, const char *path)
{
    ts_db *db = NULL;
    ts_code code;
    TS_TRY(code, ts_db_new(&db, ctx, path, TS_DB_WRITING));
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

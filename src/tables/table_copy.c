#include "tables/table_copy.h"

#include "tables/views_impl.h"

/* Rows of a table that has another name in the file, or other columns besides. */
static const struct {
    const char *name;
    enum ts_table_id id;
} physical[] = {
    {TS_SAMPLE_ROWS, TS_T_stack_sample},
    {TS_SAMPLE_BLOCKS, TS_T_stack_sample},
    {TS_CALL_ROWS, TS_T_callstack},
    {TS_EDGE_ROWS, TS_T_js_heap_edges},
};

enum ts_table_id ts_db_table_id(const char *name)
{
    for (size_t i = 0; i < sizeof physical / sizeof physical[0]; i++) {
        if (strcmp(name, physical[i].name) == 0) {
            return physical[i].id;
        }
    }
    unsigned id = 0;
    while (id < TS_TABLE_COUNT && strcmp(ts_schema[id].name, name) != 0) {
        id++;
    }
    return (enum ts_table_id)id;
}

static bool is_known_view(const char *name)
{
    bool known = ts_db_table_id(name) != TS_TABLE_COUNT;
    for (unsigned i = 0; i < ts_view_count && !known; i++) {
        known = strcmp(name, ts_views[i].name) == 0;
    }
    return known;
}

static bool is_known_index(const char *name)
{
    bool known = false;
    for (unsigned i = 0; i < ts_index_count && !known; i++) {
        known = strcmp(name, ts_indexes[i].name) == 0;
    }
    return known;
}

static bool is_ours(const char *type, const char *name)
{
    return strcmp(type, "table") == 0   ? ts_db_table_id(name) != TS_TABLE_COUNT
           : strcmp(type, "view") == 0  ? is_known_view(name)
           : strcmp(type, "index") == 0 ? is_known_index(name)
                                        : false;
}

ts_code ts_db_prepare(sqlite3_stmt **st, ts_db *db, const char *sql)
{
    const int rc = sql == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(db->handle, sql, -1, st, NULL);
    return rc == SQLITE_OK ? TS_OK
                           : ts_db_fail(db, rc, db->state == TS_DB_WRITING ? "write" : "read");
}

ts_code ts_db_each_object(unsigned *others, ts_db *db, const char *type, ts_db_object_call *tell,
                          void *user)
{
    sqlite3_stmt *st = NULL;
    int rc = SQLITE_DONE;
    *others = 0;
    ts_code code = ts_db_prepare(&st, db,
                                 "SELECT name, sql FROM sqlite_schema WHERE type = ?1 AND name NOT "
                                 "LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid");
    if (code == TS_OK) {
        (void)sqlite3_bind_text(st, 1, type, -1, SQLITE_STATIC);
    }
    while (code == TS_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        const char *sql = (const char *)sqlite3_column_text(st, 1);
        if (name == NULL || sql == NULL || !is_ours(type, name)) {
            (*others)++;
        } else {
            code = tell(user, type, name, sql);
        }
    }
    TS_STEP_IF(code, rc != SQLITE_DONE, ts_db_fail(db, rc, "read"));
    (void)sqlite3_finalize(st);
    return code;
}

ts_code ts_db_check_version(ts_db *db, const char *what)
{
    int64_t version;
    TS_TRY(ts_db_version(&version, db));
    return version == TS_SCHEMA_VERSION
               ? TS_OK
               : ts_fail(db->ctx, TS_ERR_INPUT,
                         "cannot %s the database: path=\"%s\": it has version %lld of the "
                         "schema, not %d; `trace_streamer upgrade` makes the present one of an "
                         "older one",
                         what, db->path, (long long)version, TS_SCHEMA_VERSION);
}

ts_code ts_db_begin_copy(ts_db **out, ts_ctx *ctx, const char *path)
{
    TS_TRY(ts_db_new(out, ctx, path, TS_DB_WRITING));
    ts_db_limit_memory(ctx);
    const int rc =
        sqlite3_open_v2(path, &(*out)->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc != SQLITE_OK) {
        return ts_db_fail(*out, rc, "open");
    }
    ts_db_watch_cancel(*out);
    TS_TRY(ts_db_run(*out, ts_db_setup));
    return ts_db_runf(*out, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                      TS_APPLICATION_ID, TS_SCHEMA_VERSION);
}

ts_code ts_db_end_copy(ts_db *to, ts_db *from)
{
    int64_t one;
    bool any;
    TS_TRY(ts_db_int(&one, &any, from, "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'"));
    if (any) {
        TS_TRY(ts_db_analyze(to));
    }
    return ts_db_run(to, "COMMIT");
}

ts_code ts_db_bind_value(ts_db *to, sqlite3_stmt *insert, int parameter, sqlite3_stmt *row,
                         int column)
{
    return sqlite3_bind_value(insert, parameter, sqlite3_column_value(row, column)) == SQLITE_OK
               ? TS_OK
               : ts_db_fail(to, SQLITE_NOMEM, "write");
}

ts_code ts_db_step(ts_db *to, sqlite3_stmt *insert)
{
    (void)sqlite3_step(insert);
    const int rc = sqlite3_reset(insert);
    return rc == SQLITE_OK ? TS_OK : ts_db_fail(to, rc, "write");
}

/*
 * More rows in a finished database: what analyses find out later. The tables that they fill are
 * empty, so the page writer appends to the file as it does in a new one; the few issues and counts
 * go to tables that have rows, and by SQLite's INSERT, when the page writer is done.
 */
#include "tables/database_private.h"
#include "tables/scan_private.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

enum { COPY_PAGES = 1024, BUSY_MS = 1000 };

/* --- the copy ------------------------------------------------------------------------------ */

static ts_code copy_failed(ts_ctx *ctx, const char *from, int rc, const char *reason)
{
    ts_code code = (rc & 0xff) == SQLITE_NOMEM ? TS_ERR_NOMEM : TS_ERR_INPUT;
    if ((rc & 0xff) == SQLITE_BUSY || (rc & 0xff) == SQLITE_LOCKED) {
        reason = "another program has it open and locks it";
    } else if ((rc & 0xff) == SQLITE_FULL || (rc & 0xff) == SQLITE_READONLY) {
        code = TS_ERR_OUTPUT;
    }
    return ts_fail(ctx, code, "cannot copy the database: path=\"%s\": %s", from, reason);
}

static ts_code copy_pages(ts_ctx *ctx, const char *from, sqlite3_backup *backup)
{
    int rc = SQLITE_OK;
    for (int tries = 0; rc == SQLITE_OK || rc == SQLITE_BUSY || rc == SQLITE_LOCKED;) {
        TS_TRY(ts_check_cancel(ctx));
        rc = sqlite3_backup_step(backup, COPY_PAGES);
        if ((rc == SQLITE_BUSY || rc == SQLITE_LOCKED) && tries++ * 20 >= BUSY_MS) {
            break;
        }
        if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED) {
            (void)sqlite3_sleep(20);
        }
    }
    return rc == SQLITE_DONE ? TS_OK : copy_failed(ctx, from, rc, sqlite3_errstr(rc));
}

static int64_t pragma(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st = NULL;
    int64_t value = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW) {
        value = sqlite3_column_int64(st, 0);
    }
    (void)sqlite3_finalize(st);
    return value;
}

static ts_code addition_check_source(ts_ctx *ctx, const char *from, sqlite3 *db, bool older)
{
    int64_t version = pragma(db, "PRAGMA user_version");
    if (version < 0) {
        return copy_failed(ctx, from, sqlite3_errcode(db), sqlite3_errmsg(db));
    }
    if (pragma(db, "PRAGMA application_id") != TS_APPLICATION_ID) {
        return copy_failed(ctx, from, SQLITE_NOTADB, "not a database of trace_streamer");
    }
    if (version != TS_SCHEMA_VERSION && (!older || version > TS_SCHEMA_VERSION)) {
        return ts_fail(ctx, TS_ERR_INPUT,
                       "cannot copy the database: path=\"%s\": it has version %lld of the "
                       "schema, not %d; `trace_streamer upgrade` makes the present one of an older "
                       "one, or convert the recording again",
                       from, (long long)version, TS_SCHEMA_VERSION);
    }
    return TS_OK;
}

ts_code ts_db_copy(ts_ctx *ctx, const char *from, const char *to, bool older)
{
    ts_db *source = NULL;
    sqlite3 *copy = NULL;
    sqlite3_backup *backup = NULL;
    ts_code code;
    TS_TRY_INTO(code, ts_db_open(&source, ctx, from));
    (void)sqlite3_busy_timeout(source->handle, BUSY_MS);
    int rc = SQLITE_OK;
    if ((code = addition_check_source(ctx, from, source->handle, older)) != TS_OK) {
        goto out;
    }
    rc = sqlite3_open_v2(to, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK) {
        rc = sqlite3_exec(copy, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF", NULL, NULL,
                          NULL);
    }
    if (rc == SQLITE_OK) {
        backup = sqlite3_backup_init(copy, "main", source->handle, "main");
    }
    if (backup == NULL) {
        code = ts_fail(ctx, TS_ERR_OUTPUT, "cannot write a copy of the database: path=\"%s\": %s",
                       to, sqlite3_errmsg(copy));
        goto out;
    }
    code = copy_pages(ctx, from, backup);
out:
    (void)sqlite3_backup_finish(backup);
    (void)sqlite3_close(copy);
    ts_db_close(source);
    return code;
}

/* --- which tables -------------------------------------------------------------------------- */

static ts_code cannot_add(const ts_db *db, ts_code code, const char *why)
{
    return ts_fail(db->ctx, code, "cannot add to the database: %s", why);
}

/* What the page writer takes for granted. */
static ts_code check_layout(ts_db *db)
{
    int reserved = -1;
    (void)sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    if (reserved != 0 || pragma(db->handle, "PRAGMA auto_vacuum") != 0) {
        return cannot_add(db, TS_ERR_INPUT,
                          "its pages have reserved bytes, or it is vacuumed automatically; "
                          "PRAGMA auto_vacuum = NONE and VACUUM make it plain");
    }
    return TS_OK;
}

static ts_code empty_table(ts_db *db, enum ts_table_id id, const ts_addition *a, bool replace)
{
    char sql[160];
    int64_t any;
    snprintf(sql, sizeof sql, "SELECT EXISTS(SELECT 1 FROM \"%s\")", ts_schema[id].name);
    any = pragma(db->handle, sql);
    if (any < 0) {
        return ts_db_fail(db, sqlite3_errcode(db->handle), "read");
    }
    if (any > 0 && !replace) {
        return ts_fail(db->ctx, TS_ERR_USAGE,
                       "the database has rows of the analysis %s already (table %s); --force "
                       "replaces them",
                       a->name, ts_schema[id].name);
    }
    return any > 0 ? ts_db_runf(db, "DELETE FROM \"%w\"", ts_schema[id].name) : TS_OK;
}

static ts_code make_way(ts_db *db, const ts_addition *a, bool replace)
{
    ts_code code = TS_OK;
    for (const enum ts_table_id *t = a->tables; *t != TS_TABLE_COUNT && code == TS_OK; t++) {
        code = empty_table(db, *t, a, replace);
    }
    for (const ts_issue_code *i = a->issues; *i != TS_ISSUE_COUNT && code == TS_OK; i++) {
        code = replace ? ts_db_runf(db, "DELETE FROM import_issue WHERE code = %Q",
                                    ts_issue_list[*i].name)
                       : TS_OK;
    }
    return code;
}

/* --- opening ------------------------------------------------------------------------------- */

/* The roots of the tables, whose declarations the reader checks. */
static ts_code find_tables(ts_db *db)
{
    ts_reader *reader = NULL;
    ts_code code = ts_reader_open(&reader, db->ctx, db->path);
    for (unsigned id = 0; code == TS_OK && id < TS_TABLE_COUNT; id++) {
        db->roots[id] = reader->tables[id].root;
        if (db->written[id] && db->roots[id] == 0) {
            code = ts_fail(db->ctx, TS_ERR_INPUT,
                           "cannot add to the database: it has no table %s; convert the "
                           "recording again",
                           ts_schema[id].name);
        }
    }
    if (code == TS_OK) {
        db->sample_rows = reader->sample_rows.root;
        db->sample_blocks = reader->sample_blocks.root;
    }
    ts_reader_free(reader);
    return code;
}

static ts_code open_pages(ts_db *db)
{
    struct stat st;
    ts_code code;
    int64_t page_size = pragma(db->handle, "PRAGMA page_size");
    ts_pages_config config = {.path = db->path, .page_size = (uint32_t)page_size};
    db->fd = ts_sys_open(db->ctx, db->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    if (db->fd < 0 || db->ctx->sys.fstat(db->ctx->sys.user, db->fd, &st) != 0) {
        return ts_fail(db->ctx, TS_ERR_OUTPUT, "cannot open the database: path=\"%s\": %s",
                       db->path, strerror(errno));
    }
    if (page_size < 512 || st.st_size / page_size > PAGE_MAX_NUMBER) {
        return cannot_add(db, TS_ERR_INPUT, "its page size is invalid");
    }
    config.fd = db->fd;
    config.page_count = (uint32_t)(st.st_size / page_size);
    code = ts_pages_new(&db->pages, db->ctx, &config);
    for (unsigned id = 0; code == TS_OK && id < TS_TABLE_COUNT; id++) {
        if (db->written[id]) {
            code = ts_pages_table(db->pages, id, &ts_schema[id], db->roots[id]);
        }
    }
    return code;
}

static const char setup[] = "PRAGMA trusted_schema = OFF; PRAGMA journal_mode = DELETE;"
                            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                            "PRAGMA cache_size = -1024; PRAGMA mmap_size = 0;"
                            "PRAGMA temp_store = FILE; PRAGMA analysis_limit = 1000;"
                            "PRAGMA recursive_triggers = OFF;";

/* SQLite calls what is wrong with the copy a failure of the file: it came with the input. */
static ts_code addition_prepare(ts_db *db, const ts_addition *additions, size_t count, bool replace)
{
    ts_code code;
    for (size_t i = 0; i < count; i++) {
        for (const enum ts_table_id *t = additions[i].tables; *t != TS_TABLE_COUNT; t++) {
            db->written[*t] = true;
        }
    }
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    TS_TRY_INTO(code, ts_db_run(db, setup));
    TS_TRY_INTO(code, check_layout(db));
    TS_TRY_INTO(code, find_tables(db));
    TS_TRY_INTO(code, ts_db_run(db, "BEGIN EXCLUSIVE"));
    for (size_t i = 0; i < count && code == TS_OK; i++) {
        code = make_way(db, &additions[i], replace);
    }
    TS_STEP(code, ts_db_run(db, "COMMIT"));
    return code;
}

ts_code ts_db_add(ts_db **out, ts_ctx *ctx, const char *path, const ts_addition *additions,
                  size_t count, bool replace)
{
    ts_db *db = NULL;
    ts_code code = ts_db_new(&db, ctx, path, TS_DB_WRITING);
    *out = NULL;
    if (code != TS_OK) {
        return code;
    }
    db->adding = true;
    db->sink = ts_db_make_sink(db);
    ts_db_limit_memory(ctx);
    int rc = sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc != SQLITE_OK) {
        code = ts_db_fail(db, rc, "open");
    } else {
        ts_db_watch_cancel(db);
        sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, INT_MAX);
        code = addition_prepare(db, additions, count, replace);
    }
    TS_STEP(code, open_pages(db));
    if (code == TS_OK) {
        *out = db;
        return TS_OK;
    }
    ts_db_close(db);
    return code;
}

/* --- reading what is there ------------------------------------------------------------------ */

ts_code ts_db_reader(ts_reader **out, ts_db *db)
{
    const ts_reader_config config = {
        .fd = db->fd, .path = db->path, .pages = db->pages, .db = db, .given = db->adding};
    *out = NULL;
    if (db->pages == NULL) {
        return ts_fail(db->ctx, TS_ERR_INTERNAL, "the database is finished already");
    }
    ts_code code = ts_db_join(db);
    TS_STEP_IF(code, db->samples.on, ts_samples_flush(db));
    TS_STEP(code, ts_reader_new(out, db->ctx, &config));
    for (unsigned id = 0; code == TS_OK && id < TS_TABLE_COUNT; id++) {
        if (db->written[id] || db->roots[id] != 0) {
            ts_reader_table(*out, id, &ts_schema[id], db->roots[id], db->written[id]);
        }
    }
    if (code == TS_OK && (db->samples.on || db->sample_rows != 0)) {
        (*out)->sample_rows = (reader_table){&ts_sample_row_table, db->sample_rows, db->samples.on};
    }
    if (code == TS_OK && db->sample_blocks != 0) {
        (*out)->sample_blocks = (reader_table){&ts_sample_block_table, db->sample_blocks, false};
    }
    return code;
}

/* --- rows by SQLite ------------------------------------------------------------------------ */

static ts_code prepare_insert(ts_db *db, enum ts_table_id id)
{
    const ts_table *table = &ts_schema[id];
    sqlite3_str *text = sqlite3_str_new(db->handle);
    int rc = SQLITE_NOMEM;
    sqlite3_str_appendf(text, "INSERT INTO \"%w\" VALUES(", table->name);
    for (unsigned i = 0; i < table->column_count; i++) {
        sqlite3_str_appendall(text, i == 0 ? "?" : ", ?");
    }
    sqlite3_str_appendall(text, ")");
    char *sql = sqlite3_str_finish(text);
    if (sql != NULL) {
        rc = sqlite3_prepare_v2(db->handle, sql, -1, &db->insert[id], NULL);
    }
    sqlite3_free(sql);
    return rc == SQLITE_OK ? TS_OK : ts_db_fail(db, rc, "write");
}

static int bind(sqlite3_stmt *st, const ts_table *table, const char *row, unsigned i)
{
    const ts_column *column = &table->columns[i];
    const char *field = row + column->offset;
    uint64_t nulls;
    int64_t v;
    double real;
    ts_text text;
    memcpy(&nulls, row, sizeof nulls);
    if ((nulls >> i & 1) != 0) {
        return sqlite3_bind_null(st, (int)i + 1);
    }
    switch (column->type) {
    case TS_COL_TEXT:
        memcpy(&text, field, sizeof text);
        return sqlite3_bind_text64(st, (int)i + 1, text.p, text.n, SQLITE_STATIC, SQLITE_UTF8);
    case TS_COL_REAL:
        memcpy(&real, field, sizeof real);
        return sqlite3_bind_double(st, (int)i + 1, real);
    case TS_COL_INT:
    case TS_COL_KEY:
        break;
    }
    memcpy(&v, field, sizeof v);
    return sqlite3_bind_int64(st, (int)i + 1, v);
}

/* Issues and counts come when the rows of all others are written. */
ts_code ts_db_insert(ts_db *db, enum ts_table_id id, const void *row)
{
    const ts_table *table = &ts_schema[id];
    ts_code code = TS_OK;
    uint32_t page_count;
    if (db->pages != NULL) {
        code = ts_pages_finish(db->pages, &page_count);
        code = ts_db_end_pages(db, code);
    }
    TS_STEP_IF(code, db->insert[id] == NULL, prepare_insert(db, id));
    int rc = SQLITE_OK;
    for (unsigned i = 0; i < table->column_count && rc == SQLITE_OK && code == TS_OK; i++) {
        rc = bind(db->insert[id], table, row, i);
    }
    if (code == TS_OK && rc == SQLITE_OK) {
        (void)sqlite3_step(db->insert[id]);
        rc = sqlite3_reset(db->insert[id]);
    }
    TS_STEP_IF(code, rc != SQLITE_OK, ts_db_fail(db, rc, "write"));
    return code;
}

/* Entries of indexes are made by SQLite, from the rows that the page writer has put. */
ts_code ts_db_end_adding(ts_db *db)
{
    ts_code code = TS_OK;
    for (unsigned id = 0; id < TS_TABLE_COUNT && code == TS_OK; id++) {
        if (db->written[id] && db->sink.rows[id] > 0) {
            code = ts_db_runf(db, "REINDEX \"%w\"", ts_schema[id].name);
        }
    }
    if (code == TS_OK &&
        pragma(db->handle, "SELECT EXISTS(SELECT 1 FROM sqlite_schema WHERE name = "
                           "'sqlite_stat1')") == 1) {
        code = ts_db_analyze(db);
    }
    return code;
}

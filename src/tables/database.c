/*
 * The database file: made and filled by the page writer, ended by SQLite.
 *
 * 1. ts_db_create writes the schema into the temporary file (schema_pages.h). A connection of
 *    SQLite is opened and stays idle.
 * 2. Rows go to the page writer (page_writer.h), which appends pages; keys must continue the
 *    numbering, since views find rows by position.
 * 3. finish_pages ends the pages; from here on the file is SQLite's. Every setting that decides
 *    about its bytes is stated, so that defaults of the library do not matter.
 * 4. Late texts and invalidated cells, indexes and ANALYZE, and views in the place of tables
 *    follow.
 *
 * Errors of SQLite become codes here, with the errno of the system call below it. No journal and no
 * sync: an unfinished file is thrown away.
 */
#include "tables/database_private.h"
#include "tables/views_impl.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "tables/rows.h"
#include "tables/schema_pages.h"
#include "tables/schema_sql.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <time.h>

/*
 * Pages of 4096 bytes: for writing the size hardly matters, the files are 0.3 % larger than the
 * smallest, and finding single rows costs least (docs/performance.md has the figures).
 */
enum { PROGRESS_STEPS = 20000, DATABASE_PAGE = 4096 };

ts_code ts_db_new(ts_db **out, ts_ctx *ctx, const char *path, ts_db_state state)
{
    *out = NULL;
    ts_db *db = ts_zalloc(ctx, 1, sizeof *db);
    TS_NEED(ctx, db);
    db->ctx = ctx;
    db->caller = ctx;
    db->state = state;
    db->fd = -1;
    db->path = ts_strndup(ctx, path, strlen(path));
    if (db->path == NULL) {
        ts_free(ctx, db);
        return ctx->error.code;
    }
    *out = db;
    return TS_OK;
}

static ts_code class_of(const ts_db *db, int rc)
{
    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return TS_ERR_NOMEM;
    case SQLITE_TOOBIG:
        return TS_ERR_LIMIT;
    case SQLITE_INTERRUPT:
        return TS_ERR_INTERRUPTED;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: /* of a copy: as the input is */
        return db->state == TS_DB_READING || db->adding ? TS_ERR_INPUT : TS_ERR_OUTPUT;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_NOLFS:
        return db->state == TS_DB_READING ? TS_ERR_INPUT : TS_ERR_OUTPUT;
    case SQLITE_ERROR: /* a statement of ours: the schema that was read is another one */
        return db->state == TS_DB_READING ? TS_ERR_INPUT : TS_ERR_INTERNAL;
    default:
        return TS_ERR_INTERNAL;
    }
}

/*
 * errno of the system call that failed below SQLite; 0 when there was none. A read that fails with
 * EIO is called a malformed database, so that is looked at too.
 */
static int errno_of(const ts_db *db, int rc)
{
    int number = 0;
    int kind = rc & 0xff;
    if (db->handle == NULL) {
        return 0;
    }
    if (kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN) {
        number = sqlite3_system_errno(db->handle);
    }
    if (number == 0 && (kind == SQLITE_IOERR || kind == SQLITE_CORRUPT || kind == SQLITE_FULL)) {
        (void)sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
    }
    return number;
}

ts_code ts_db_fail(ts_db *db, int rc, const char *doing)
{
    ts_ctx *ctx = db->ctx;
    ts_code code = class_of(db, rc);
    if (code == TS_ERR_INTERRUPTED && ts_check_cancel(ctx) != TS_OK) {
        return ctx->error.code;
    }
    const char *reason = db->handle == NULL ? sqlite3_errstr(rc) : sqlite3_errmsg(db->handle);
    if (code == TS_ERR_NOMEM && ctx->limits.max_memory != 0) {
        return ts_fail(ctx, TS_ERR_LIMIT,
                       "memory limit reached: SQLite needs more than what is left of --max-memory "
                       "(%llu bytes)",
                       (unsigned long long)ctx->limits.max_memory);
    }
    int number = errno_of(db, rc);
    if (number != 0) {
        return ts_fail(ctx, code, "cannot %s the database: path=\"%s\": %s (%s)", doing, db->path,
                       reason, strerror(number));
    }
    return ts_fail(ctx, code, "cannot %s the database: path=\"%s\": %s", doing, db->path, reason);
}

void ts_db_limit_memory(const ts_ctx *ctx)
{
    uint64_t limit = ctx->limits.max_memory;
    uint64_t left = limit > ctx->memory_used ? limit - ctx->memory_used : 1;
    if (limit != 0) {
        (void)sqlite3_soft_heap_limit64(0); /* each hard limit lowers it as well */
        (void)sqlite3_hard_heap_limit64(left > INT64_MAX ? INT64_MAX : (sqlite3_int64)left);
    }
}

static int on_progress(void *user)
{
    ts_ctx *ctx = user;
    return ctx->cancel != NULL && *ctx->cancel != 0;
}

void ts_db_watch_cancel(ts_db *db)
{
    sqlite3_progress_handler(db->handle, PROGRESS_STEPS, on_progress, db->ctx);
}

ts_code ts_db_run(ts_db *db, const char *sql)
{
    int rc = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? TS_OK : ts_db_fail(db, rc, "write");
}

ts_code ts_db_runf(ts_db *db, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *sql = sqlite3_vmprintf(fmt, ap);
    va_end(ap);
    ts_code code = sql == NULL ? ts_db_fail(db, SQLITE_NOMEM, "write") : ts_db_run(db, sql);
    sqlite3_free(sql);
    return code;
}

ts_code ts_db_create_table(ts_db *db, const ts_table *table)
{
    ts_buf sql = {0};
    ts_code code = ts_sql_create(db->ctx, &sql, table);
    TS_STEP(code, ts_buf_putc(db->ctx, &sql, '\0'));
    TS_STEP(code, ts_db_run(db, sql.p));
    ts_buf_free(db->ctx, &sql);
    return code;
}

/* --- rows ---------------------------------------------------------------------------------- */

/* Why a row is refused: no rows come any more, or its key is wrong. */
static __attribute__((noinline)) ts_code refuse_row(ts_db *db, enum ts_table_id id, int64_t key)
{
    const ts_table *table = &ts_schema[id];
    return db->pages == NULL
               ? ts_fail(db->ctx, TS_ERR_INTERNAL, "row after the end: table=%s", table->name)
               : ts_fail(db->ctx, TS_ERR_INTERNAL,
                         "key out of order: table=%s, key=%lld, rows=%llu", table->name,
                         (long long)key, (unsigned long long)db->sink.rows[id]);
}

/* A key must continue the numbering: positions in the table are relied upon by the views. False: it
 * does not, or no rows come any more. */
static inline bool is_next(int64_t *key, const ts_db *db, enum ts_table_id id, const void *row)
{
    const ts_column *first = &ts_schema[id].columns[0];
    *key = 0;
    if (db->pages == NULL) {
        return false;
    }
    if (first->type != TS_COL_KEY) {
        return true;
    }
    memcpy(key, (const char *)row + first->offset, sizeof *key);
    return *key >= 1 && (uint64_t)*key == db->sink.rows[id] + 1;
}

/* Samples of CPU profiles and their runs: nothing of them comes later. */
static inline bool is_short(const ts_db *db, enum ts_table_id id)
{
    return db->samples.on && (id == TS_T_stack_sample || id == TS_T_js_cpu_profiler_sample);
}

/* A table that is left as it is while rows are added to a database. */
static inline bool is_closed(const ts_db *db, enum ts_table_id id)
{
    return db->adding && !db->written[id];
}

static ts_code put_closed(ts_db *db, enum ts_table_id id, const void *row)
{
    return id == TS_T_import_issue || id == TS_T_import_count
               ? ts_db_insert(db, id, row)
               : ts_fail(db->ctx, TS_ERR_INTERNAL, "nothing is added to table %s",
                         ts_schema[id].name);
}

static ts_code database_put(void *self, enum ts_table_id id, const void *row, uint64_t reserved)
{
    ts_db *db = self;
    int64_t key;
    if (is_closed(db, id)) {
        return put_closed(db, id, row);
    }
    if (!is_next(&key, db, id, row)) {
        return refuse_row(db, id, key);
    }
    return is_short(db, id) ? ts_samples_put(db, id, row)
                            : ts_pages_put(db->pages, id, row, reserved);
}

/* The keys follow each other (ts_sink_put_many). */
static ts_code database_put_many(void *self, enum ts_table_id id, const void *rows, size_t size,
                                 unsigned count)
{
    ts_db *db = self;
    ts_code code = TS_OK;
    if (!is_closed(db, id)) {
        if (db->pages == NULL) {
            return refuse_row(db, id, 0);
        }
        if (!is_short(db, id)) {
            return ts_pages_put_many(db->pages, id, rows, size, count);
        }
    }
    for (unsigned i = 0; i < count && code == TS_OK; i++) {
        const void *row = (const char *)rows + i * size;
        code = is_closed(db, id) ? put_closed(db, id, row) : ts_samples_put(db, id, row);
    }
    return code;
}

static bool database_put_columns(ts_code *code, void *self, enum ts_table_id id,
                                 const uint32_t *const *columns, unsigned count)
{
    ts_db *db = self;
    if (db->pages == NULL || (db->adding && !db->written[id]) ||
        !ts_pages_has_columns(db->pages, id)) {
        return false;
    }
    *code = ts_pages_put_columns(db->pages, id, columns, count);
    return true;
}

static bool database_put_samples(ts_code *code, void *self, const ts_sample_batch *batch)
{
    ts_db *db = self;
    if (db->pages == NULL || !db->samples.on) {
        return false;
    }
    *code = ts_samples_put_batch(db, batch);
    return true;
}

static ts_code database_put_long(void *self, enum ts_table_id id, const void *row, ts_spool *text)
{
    ts_db *db = self;
    int64_t key;
    if (!is_next(&key, db, id, row)) {
        return refuse_row(db, id, key);
    }
    return ts_pages_put_long(db->pages, id, row, text);
}

static ts_code database_complete(void *self, enum ts_table_id id, int64_t rowid, unsigned column,
                                 int64_t value)
{
    ts_db *db = self;
    if (db->pages == NULL) {
        return ts_fail(db->ctx, TS_ERR_INTERNAL, "row after the end: table=%s", ts_schema[id].name);
    }
    return ts_pages_complete(db->pages, id, rowid, column, value);
}

static void database_release(void *self, enum ts_table_id id, int64_t rowid)
{
    ts_db *db = self;
    if (db->pages != NULL) {
        ts_pages_release(db->pages, id, rowid);
    }
}

static ts_code database_settle(void *self, enum ts_table_id id, int64_t rowid, uint64_t columns,
                               const int64_t *values)
{
    ts_db *db = self;
    if (db->pages == NULL) {
        return ts_fail(db->ctx, TS_ERR_INTERNAL, "row after the end: table=%s", ts_schema[id].name);
    }
    return ts_pages_settle(db->pages, id, rowid, columns, values);
}

static void database_show(void *self, ts_shown what)
{
    ts_db *db = self;
    if (what != TS_SHOW_RUNS) {
        db->shown |= what;
    } else if (db->pages != NULL && !db->adding && !db->samples.on &&
               db->sink.rows[TS_T_stack_sample] == 0 &&
               db->sink.rows[TS_T_js_cpu_profiler_sample] == 0) {
        ts_samples_begin(db);
    }
}

ts_sink ts_db_make_sink(ts_db *db)
{
    return ts_sink_of(db, &(ts_sink_calls){.put = database_put,
                                           .put_long = database_put_long,
                                           .put_many = database_put_many,
                                           .put_columns = database_put_columns,
                                           .put_samples = database_put_samples,
                                           .complete = database_complete,
                                           .release = database_release,
                                           .settle = database_settle,
                                           .amend = ts_db_amend,
                                           .show = database_show});
}

/* --- the schema ---------------------------------------------------------------------------- */

/*
 * Everything that decides about the bytes of the file is stated, so that defaults of the library do
 * not matter. The journal and sync are off because an unfinished file is thrown away anyway. The
 * sorter of CREATE INDEX may spill into unlinked temporary files; nothing is written beside the
 * file. It sorts as many keys at once as the cache may hold, by merging lists: 1 MiB of them stays
 * in the processor's cache, and 8 MiB take 40 % longer, 64 MiB as well, with worker threads or
 * without (see docs/performance.md). ANALYZE looks at a thousand rows of an index, which shows the
 * planner as much as all.
 */
const char ts_db_setup[] = "PRAGMA page_size = 4096;"
                           "PRAGMA auto_vacuum = NONE;"
                           "PRAGMA encoding = 'UTF-8';"
                           "PRAGMA journal_mode = OFF;"
                           "PRAGMA synchronous = OFF;"
                           "PRAGMA cache_size = -1024;"
                           "PRAGMA mmap_size = 0;"
                           "PRAGMA temp_store = FILE;"
                           "PRAGMA analysis_limit = 1000;"
                           "BEGIN EXCLUSIVE;";

static ts_code put_column_docs(ts_db *db, ts_buf *text, const char *table, const ts_column *columns,
                               unsigned n)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < n; i++) {
        const ts_column *column = &columns[i];
        text->n = 0;
        code = ts_column_description(db->ctx, text, column);
        if (code == TS_OK) {
            ts_row_schema_doc row = {
                .table_name = ts_text_of(table),
                .column_name = ts_text_of(column->name),
                .type = ts_text_of(ts_column_sql_type(column->type)),
                .unit = column->unit[0] == '\0' ? TS_TEXT_NULL : ts_text_of(column->unit),
                .description = ts_buf_text(text),
            };
            code = db->pages == NULL ? ts_db_insert(db, TS_T_schema_doc, &row)
                                     : ts_put_schema_doc(&db->sink, &row);
        }
    }
    return code;
}

ts_code ts_db_put_docs(ts_db *db)
{
    ts_buf text = {0};
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < TS_TABLE_COUNT; i++) {
        code = put_column_docs(db, &text, ts_schema[i].name, ts_schema[i].columns,
                               ts_schema[i].column_count);
    }
    for (unsigned i = 0; code == TS_OK && i < ts_view_count; i++) {
        code = put_column_docs(db, &text, ts_views[i].name, ts_views[i].columns,
                               ts_views[i].column_count);
    }
    ts_buf_free(db->ctx, &text);
    return code;
}

/* --- from the page writer to SQLite --------------------------------------------------------- */

/* Tells the page writer the root page of every table. */
static ts_code declare_tables(ts_db *db)
{
    ts_code code = TS_OK;
    for (unsigned id = 0; id < TS_TABLE_COUNT && code == TS_OK; id++) {
        db->written[id] = true;
        code = ts_pages_table(db->pages, id, &ts_schema[id], ts_schema_root(id));
    }
    return code;
}

static ts_code check_empty(const ts_db *db)
{
    struct stat st;
    if (db->ctx->sys.fstat(db->ctx->sys.user, db->fd, &st) != 0) {
        return ts_fail(db->ctx, TS_ERR_OUTPUT, "cannot examine the database: path=\"%s\": %s",
                       db->path, strerror(errno));
    }
    return st.st_size == 0 ? TS_OK
                           : ts_fail(db->ctx, TS_ERR_OUTPUT,
                                     "cannot create the database: path=\"%s\": the file is not "
                                     "empty",
                                     db->path);
}

static ts_code start_pages(ts_db *db)
{
    ts_pages_config config = {.path = db->path, .page_size = DATABASE_PAGE};
    db->fd = ts_sys_open(db->ctx, db->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    if (db->fd < 0) {
        return ts_fail(db->ctx, TS_ERR_OUTPUT, "cannot open the database: path=\"%s\": %s",
                       db->path, strerror(errno));
    }
    config.fd = db->fd;
    TS_TRY(check_empty(db));
    TS_TRY(ts_schema_write(&config.page_count, db->ctx, db->fd, db->path, DATABASE_PAGE));
    TS_TRY(ts_pages_new(&db->pages, db->ctx, &config));
    return declare_tables(db);
}

/* The connection stays idle until the end, when the file may have no name any more: it reads
 * nothing before. */
static ts_code open_connection(ts_db *db)
{
    ts_db_limit_memory(db->ctx);
    int rc =
        sqlite3_open_v2(db->path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc != SQLITE_OK) {
        return ts_db_fail(db, rc, "open");
    }
    /* As high as the library was built for: the limit on texts is ts_limits.max_string. */
    sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, INT_MAX);
    return TS_OK;
}

ts_code ts_db_create(ts_db **out, ts_ctx *ctx, const char *path)
{
    *out = NULL;
    ts_db *db = NULL;
    ts_code code = ts_db_new(&db, ctx, path, TS_DB_WRITING);
    if (code != TS_OK) {
        goto out;
    }
    db->sink = ts_db_make_sink(db);
    code = open_connection(db);
    TS_STEP(code, start_pages(db));
    TS_STEP(code, ts_db_put_docs(db));
    if (code == TS_OK) {
        *out = db;
        db = NULL;
    }
out:
    ts_db_close(db);
    return code;
}

ts_sink *ts_db_sink(ts_db *db)
{
    return db->thread == NULL ? &db->sink : ts_sink_thread_sink(db->thread);
}

static void use_context(ts_db *db, ts_ctx *ctx)
{
    db->ctx = ctx;
    ts_pages_use(db->pages, ctx);
}

ts_code ts_db_start_thread(ts_db *db)
{
    ts_ctx *ctx = db->ctx;
    ts_code code;
    db->other = *ctx;
    db->other.memory_of = ctx->memory_of == NULL ? ctx : ctx->memory_of;
    use_context(db, &db->other);
    code = ts_sink_thread_start(&db->thread, ctx, &db->sink, &db->other);
    if (db->thread == NULL) {
        use_context(db, ctx);
    }
    return code;
}

ts_code ts_db_join(ts_db *db)
{
    ts_code code = TS_OK;
    if (db->thread != NULL && db->ctx == &db->other) {
        code = ts_sink_thread_stop(db->thread);
        use_context(db, db->caller);
    }
    return code;
}

/* --- the end ------------------------------------------------------------------------------- */

ts_code ts_db_end_pages(ts_db *db, ts_code code)
{
    int fd = db->fd;
    ts_pages_free(db->pages);
    db->pages = NULL;
    db->fd = -1;
    if (fd >= 0 && ts_sys_close_written(db->ctx, fd) != 0 && code == TS_OK) {
        return ts_fail(db->ctx, TS_ERR_OUTPUT, "cannot write the database: path=\"%s\": %s",
                       db->path, strerror(errno));
    }
    return code;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Table by table: the order in which ANALYZE takes all of them depends on the allocator of the C
 * library, because SQLite's hash tables do. */
ts_code ts_db_analyze(ts_db *db)
{
    static const char all[] =
        "SELECT group_concat('ANALYZE main.\"' || replace(name, '\"', '\"\"') || '\"', ';') FROM "
        "(SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE "
        "'sqlite\\_%' ESCAPE '\\' ORDER BY rowid)";
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(db->handle, all, -1, &st, NULL);
    char *sql = NULL;
    if (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        const unsigned char *text = sqlite3_column_text(st, 0);
        sql = sqlite3_mprintf("%s", text == NULL ? "" : (const char *)text);
        rc = sql == NULL ? SQLITE_NOMEM : SQLITE_OK;
    }
    (void)sqlite3_finalize(st);
    ts_code code = rc == SQLITE_OK ? ts_db_run(db, sql) : ts_db_fail(db, rc, "read the schema of");
    sqlite3_free(sql);
    return code;
}

static ts_code create_indexes(ts_db *db)
{
    ts_code code = ts_db_run(db, "BEGIN EXCLUSIVE");
    for (unsigned i = 0; code == TS_OK && i < ts_index_count; i++) {
        const char *sql = db->samples.on ? ts_samples_index(&ts_indexes[i]) : ts_indexes[i].sql;
        code = sql == NULL ? TS_OK : ts_db_run(db, sql);
        if (code != TS_OK) {
            ts_cause(db->ctx, "cannot create the index %s", ts_indexes[i].name);
        }
    }
    TS_STEP(code, ts_db_analyze(db));
    TS_STEP(code, ts_db_run(db, "COMMIT"));
    return code;
}

/* Views of a table are then of what has its name next. */
#define RENAME(from, to)                                                                           \
    "PRAGMA legacy_alter_table = ON; ALTER TABLE " from " RENAME TO " to                           \
    "; PRAGMA legacy_alter_table = OFF"
#define STACK_ROWS "perf_callchain_rows"

/* A table in the way of a view, and the view. */
typedef struct shown_view {
    ts_shown what;
    const char *clear;
    const char *create;
} shown_view;

static const shown_view shown_views[] = {
    {TS_SHOW_CALLS, "DROP TABLE callstack", ts_view_callstack},
    {TS_SHOW_BOTH_CALLS, RENAME("callstack", TS_CALL_ROWS), ts_view_callstack_union},
    {TS_SHOW_BOTH_CALLS, "DROP VIEW args_view", ts_view_args_view_union},
    {TS_SHOW_SAMPLES, "DROP TABLE perf_report", ts_view_perf_report},
    {TS_SHOW_SAMPLES, "DROP TABLE perf_sample", ts_view_perf_sample},
    {TS_SHOW_STACKS, RENAME("perf_callchain", STACK_ROWS), "CREATE TABLE perf_callchain(id)"},
    {TS_SHOW_SAMPLES, "DROP TABLE perf_callchain", ts_view_perf_callchain},
    {TS_SHOW_STACKS, "INSERT INTO " STACK_ROWS " SELECT * FROM perf_callchain",
     "DROP VIEW perf_callchain;" RENAME(STACK_ROWS, "perf_callchain")},
    {TS_SHOW_SAMPLES, "DROP TABLE perf_thread", ts_view_perf_thread},
    {TS_SHOW_SAMPLES, "DROP TABLE perf_files", ts_view_perf_files},
    {TS_SHOW_NAMES,
     "UPDATE process SET name = ifnull((SELECT min(t.name) FROM thread AS t "
     "WHERE t.ipid = process.ipid AND t.tid = process.pid AND t.name <> ''), "
     "'process ' || pid) WHERE name IS NULL OR name = ''",
     ""},
    {TS_SHOW_EDGE_NAMES, "ALTER TABLE js_heap_edges RENAME TO " TS_EDGE_ROWS,
     ts_view_js_heap_edges},
};

const char *ts_db_sample_view(ts_text table)
{
    for (size_t i = 0; i < sizeof shown_views / sizeof shown_views[0]; i++) {
        const char *drop = shown_views[i].clear;
        if (shown_views[i].what == TS_SHOW_SAMPLES &&
            ts_text_is(table, drop + strlen("DROP TABLE "))) {
            return shown_views[i].create;
        }
    }
    return NULL;
}

/* Viewers look for rows in tables of other programs that common tables hold (src/analysis). */
static ts_code replace_tables(ts_db *db)
{
    bool is_table = true;
    int64_t one;
    ts_code code = TS_OK;
    if (db->shown == 0) {
        return code;
    }
    code = ts_db_int(&one, &is_table, db,
                     "SELECT 1 FROM sqlite_master WHERE "
                     "type = 'table' AND name = 'callstack'");
    if (!is_table) { /* a finished database may have the view */
        db->shown &= ~(unsigned)(TS_SHOW_CALLS | TS_SHOW_BOTH_CALLS);
    }
    if ((db->shown & TS_SHOW_SAMPLES) == 0) {
        db->shown &= ~(unsigned)TS_SHOW_STACKS;
    }
    if (db->shown == 0 || code != TS_OK) {
        return code;
    }
    code = ts_db_run(db, "BEGIN EXCLUSIVE");
    for (size_t i = 0; i < sizeof shown_views / sizeof shown_views[0] && code == TS_OK; i++) {
        if ((db->shown & shown_views[i].what) != 0 &&
            (code = ts_db_run(db, shown_views[i].clear)) == TS_OK) {
            code = ts_db_run(db, shown_views[i].create);
        }
    }
    return code != TS_OK ? code : ts_db_run(db, "COMMIT");
}

/* Whether SQLite has anything to do; it reads the schema before its first statement, which takes as
 * long as all else of a small recording. */
static bool is_changed_later(const ts_db *db, bool with_indexes)
{
    return with_indexes || db->shown != 0 || db->samples.on || db->amended.n != 0;
}

/* Until here the file is the page writer's, then it is SQLite's. */
static ts_code finish_pages(ts_db *db, bool with_indexes)
{
    uint32_t page_count;
    ts_code code = TS_OK;
    if (db->pages != NULL && db->samples.on) {
        code = ts_samples_flush(db);
    }
    if (db->pages != NULL && code == TS_OK) {
        code = ts_pages_finish(db->pages, &page_count);
        code = ts_db_end_pages(db, code);
    }
    ts_db_limit_memory(db->ctx);
    ts_db_watch_cancel(db);
    if (code == TS_OK && !db->adding && is_changed_later(db, with_indexes)) {
        code = ts_db_run(db, ts_db_setup);
        TS_STEP(code, ts_db_run(db, "COMMIT"));
    }
    return code;
}

ts_code ts_db_finish(ts_db *db, bool with_indexes, double *index_ms)
{
    if (index_ms != NULL) {
        *index_ms = 0;
    }
    if (db->state != TS_DB_WRITING || (db->pages == NULL && !db->adding)) {
        return ts_fail(db->ctx, TS_ERR_INTERNAL, "the database is finished already");
    }
    ts_code code = ts_db_join(db);
    TS_STEP(code, finish_pages(db, with_indexes));
    TS_STEP(code, ts_samples_finish(db));
    TS_STEP(code, ts_db_put_late(db));
    if (code == TS_OK && with_indexes) {
        double start = now_ms();
        code = create_indexes(db);
        if (index_ms != NULL) {
            *index_ms = now_ms() - start;
        }
    }
    TS_STEP_IF(code, db->adding, ts_db_end_adding(db));
    TS_STEP(code, replace_tables(db));
    if (code == TS_OK) {
        db->state = TS_DB_FINISHED;
    }
    return code;
}

void ts_db_close(ts_db *db)
{
    if (db == NULL) {
        return;
    }
    (void)ts_db_join(db);
    ts_sink_thread_free(db->thread);
    (void)ts_db_end_pages(db, TS_ERR_OUTPUT); /* given up, if it is not ended already */
    for (unsigned id = 0; id < TS_TABLE_COUNT; id++) {
        (void)sqlite3_finalize(db->insert[id]);
    }
    (void)sqlite3_close(db->handle);
    if (db->ctx->limits.max_memory != 0) {
        (void)sqlite3_hard_heap_limit64(0);
        (void)sqlite3_soft_heap_limit64(0);
    }
    ts_db_free_late(db);
    ts_samples_free(db->ctx, &db->samples);
    ts_free(db->ctx, db->path);
    ts_free(db->ctx, db);
}

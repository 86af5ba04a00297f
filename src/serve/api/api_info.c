/* /api/info, /api/schema and /api/questions: what there is to ask. */
#include "serve/api/app.h"

#include "tables/question_text.h"

#include <inttypes.h>
#include <stdio.h>

/* Kinds of data, by a table of which it has rows. */
static const struct {
    const char *name;
    const char *table;
} kinds[] = {
    {"sample", "stack_sample"}, {"slice", "stack_slice"},
    {"heap", "js_heap_nodes"},  {"heap_timeline", "js_heap_sample"},
    {"calls", "cloud_call"},    {"timeseries", "timeseries_value"},
    {"pause", "runtime_pause"}, {"flare", "flare_thread"},
    {"issues", "import_issue"},
};

static void reply_json(ts_reply *reply, ts_jout *j, ts_ctx *ctx, ts_reply_sink *sink)
{
    reply->status = 200;
    reply->type = "application/json; charset=utf-8";
    *sink = (ts_reply_sink){reply, ctx};
    ts_jout_begin(j, ctx, ts_reply_write, sink);
}

/* The table whose rows stack_sample shows where it is a view, which has no rowid. */
static const char sample_rows[] = "stack_sample_row";

/* The first number that a statement finds, 0 when it finds none. a, b: its parameters. */
static int64_t first_number(ts_sandbox *s, const char *sql, const char *a, const char *b)
{
    sqlite3_stmt *st = NULL;
    int64_t number = 0;
    if (sql != NULL && sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) == SQLITE_OK &&
        (a == NULL || sqlite3_bind_text(st, 1, a, -1, SQLITE_STATIC) == SQLITE_OK) &&
        (b == NULL || sqlite3_bind_text(st, 2, b, -1, SQLITE_STATIC) == SQLITE_OK) &&
        sqlite3_step(st) == SQLITE_ROW) {
        number = sqlite3_column_int64(st, 0);
    }
    (void)sqlite3_finalize(st);
    return number;
}

/* Number of rows of a table, whose rowids are dense; 0 for one without rowids. */
static int64_t rows_of_table(ts_sandbox *s, const char *table)
{
    char *sql = sqlite3_mprintf("SELECT max(rowid) FROM \"%w\"", table);
    int64_t rows = first_number(s, sql, NULL, NULL);
    sqlite3_free(sql);
    return rows;
}

/* Whether it is a table whose column (NULL: none) is stored: a view of a stranger that has its
 * name, or an expression, may take any time. */
static bool is_stored(ts_sandbox *s, const char *table, const char *column)
{
    return first_number(s,
                        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND "
                        "name = ?1 AND (?2 IS NULL OR EXISTS (SELECT 1 FROM "
                        "pragma_table_xinfo(?1) AS c WHERE c.name = ?2 AND hidden = 0))",
                        table, column) != 0;
}

static int64_t table_rows(ts_sandbox *s, const char *table)
{
    int64_t rows = is_stored(s, table, NULL) ? rows_of_table(s, table) : 0;
    return rows == 0 && strcmp(table, "stack_sample") == 0 ? table_rows(s, sample_rows) : rows;
}

/* Calls `each` for all tables of the file; gives SQLite's code. */
static int each_table(ts_sandbox *s, void (*each)(void *user, ts_sandbox *s, const char *name),
                      void *user)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(s->db,
                                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT "
                                "LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid LIMIT 1000",
                                -1, &st, NULL);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(st);
        const char *name = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL;
        if (name != NULL) {
            each(user, s, name);
        }
    }
    (void)sqlite3_finalize(st);
    return rc;
}

static void put_rows(void *user, ts_sandbox *s, const char *name)
{
    int64_t rows = table_rows(s, name);
    if (rows > 0 && strcmp(name, "stack_sample_block") != 0) { /* seen as stack_sample */
        ts_jout_int(user, strcmp(name, sample_rows) == 0 ? "stack_sample" : name, rows);
    }
}

int64_t ts_app_origin(ts_sandbox *s)
{
    return is_stored(s, "trace_range", "start_ts")
               ? first_number(s, "SELECT start_ts FROM trace_range LIMIT 1", NULL, NULL)
               : 0;
}

static void info_rows(ts_jout *j, ts_sandbox *s)
{
    char origin[24];
    (void)snprintf(origin, sizeof origin, "%" PRId64, ts_app_origin(s));
    ts_jout_str(j, "origin", origin);
    ts_jout_open(j, "tables", '{');
    int rc = each_table(s, put_rows, j);
    ts_jout_close(j, '}');
    ts_jout_open(j, "has", '[');
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (table_rows(s, kinds[i].table) > 0) {
            ts_jout_str(j, NULL, kinds[i].name);
        }
    }
    ts_jout_close(j, ']');
    if (rc != SQLITE_DONE) {
        ts_jout_str(j, "error", sqlite3_errmsg(s->db));
    }
}

/* The rows that the database lacks and a copy of it gets. */
static void info_derived(ts_jout *j, const ts_app *app, size_t number)
{
    static const char *const states[] = {"none", "runs", "done", "failed"};
    const ts_derived *d = app->databases.derived;
    if (d == NULL) {
        return;
    }
    const ts_derived_file *one = &d->all[number];
    const int state = atomic_load(&one->state);
    ts_jout_open(j, "derived", '{');
    ts_jout_str(j, "state", states[state]);
    if (state == TS_DERIVED_RUNS) {
        ts_jout_uint(j, "read", atomic_load(&one->read));
    } else if (state == TS_DERIVED_FAILED) {
        ts_jout_str(j, "message", one->message);
    }
    ts_jout_close(j, '}');
}

/* One that cannot be read is in the list all the same, and says why. */
static void info_database(ts_jout *j, ts_app *app, ts_ctx *ctx, size_t number, ts_guard *guard)
{
    ts_database_state state;
    ts_lease *lease;
    const char *path;
    ts_identity read, given = {0};
    char etag[40] = "";
    ts_jout_open(j, NULL, '{');
    ts_jout_str(j, "name", app->databases.all[number].name);
    info_derived(j, app, number);
    (void)ts_database_file(&path, &read, &given, &app->databases, ctx, number);
    ts_code code = ts_database_take(&lease, &state, &app->databases, ctx, number);
    if (code == TS_OK) {
        lease->sandbox.guard = guard;
        ts_app_etag(etag, app, &given, NULL); /* a copy of it is the same database */
        ts_jout_str(j, "etag", etag);
        ts_jout_int(j, "bytes", given.size);
        info_rows(j, &lease->sandbox);
        ts_database_give(&app->databases, lease);
    } else {
        ts_jout_str(j, "etag", "");
        ts_jout_int(j, "bytes", 0);
        ts_jout_str(j, "origin", "0");
        ts_jout_raw(j, "tables", TS_TEXT_LIT("{}"));
        ts_jout_raw(j, "has", TS_TEXT_LIT("[]"));
        ts_jout_str(j, "error", ctx->error.causes[0]);
    }
    ts_jout_close(j, '}');
}

/* What tells whether it is still the same, without opening it; the etag is empty when it is gone.
 */
static void info_brief(ts_jout *j, ts_app *app, ts_ctx *ctx, size_t number)
{
    const char *path;
    ts_identity read, given;
    char etag[40] = "";
    if (ts_database_file(&path, &read, &given, &app->databases, ctx, number) == TS_OK) {
        ts_app_etag(etag, app, &given, NULL);
    }
    ts_jout_open(j, NULL, '{');
    ts_jout_str(j, "name", app->databases.all[number].name);
    ts_jout_str(j, "etag", etag);
    ts_jout_close(j, '}');
    ctx->error = (ts_error){0};
}

ts_code ts_api_info(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    ts_jout j;
    ts_reply_sink sink;
    ts_guard guard = {
        .fd = r->client, .stop = &app->stop, .deadline_ns = ts_guard_now() + app->limits.query_ns};
    reply_json(reply, &j, ctx, &sink);
    ts_jout_open(&j, NULL, '{');
    ts_jout_str(&j, "version", app->base->version);
    ts_jout_open(&j, "databases", '[');
    bool brief = ts_text_is(ts_request_arg(r, "brief"), "1");
    for (size_t i = 0; i < ts_databases_end(&app->databases); i++) {
        if (!ts_database_is_there(&app->databases, i)) {
            continue;
        }
        if (brief) {
            info_brief(&j, app, ctx, i);
        } else {
            info_database(&j, app, ctx, i, &guard);
        }
    }
    ts_jout_close(&j, ']');
    ts_jout_bool(&j, "sampling", app->databases.samplings != NULL);
    ts_jout_open(&j, "limits", '{');
    ts_jout_int(&j, "query_ms", app->limits.query_ns / 1000000);
    ts_jout_uint(&j, "max_rows", app->limits.max_rows);
    ts_jout_uint(&j, "max_memory", app->limits.max_memory);
    ts_jout_uint(&j, "threads", app->limits.threads);
    ts_jout_ends(&j, "}}");
    return ts_jout_end(&j);
}

/* --- /api/schema ----------------------------------------------------------------------------- */

static const char *const schema_columns[] = {"table_name", "column_name", "type", "unit",
                                             "description"};
enum { SCHEMA_COLUMNS = sizeof schema_columns / sizeof schema_columns[0] };

static ts_text schema_text(sqlite3_stmt *st, int i)
{
    const unsigned char *p = sqlite3_column_text(st, i);
    return p == NULL ? TS_TEXT_NULL
                     : (ts_text){(const char *)p, (size_t)sqlite3_column_bytes(st, i)};
}

/* {"tables":[{"name","columns":[{"name","type","unit","description"}]}]}: rows of
 * one table are together. */
static int schema_rows(ts_jout *j, sqlite3_stmt *st, ts_ctx *ctx)
{
    ts_buf last = {0};
    bool open = false;
    int rc;
    while ((rc = sqlite3_step(st)) == SQLITE_ROW && j->code == TS_OK) {
        ts_text table = schema_text(st, 0);
        ts_text column = schema_text(st, 1);
        if (!open || !ts_text_equal(table, ts_buf_text(&last))) {
            if (open) {
                ts_jout_ends(j, "]}");
            }
            open = true;
            last.n = 0;
            ts_jout_fail(j, ts_buf_printf(ctx, &last, "%.*s", (int)table.n, table.p));
            ts_jout_open(j, NULL, '{');
            ts_jout_text(j, "name", table);
            ts_jout_open(j, "columns", '[');
        }
        if (column.p != NULL) {
            ts_jout_open(j, NULL, '{');
            ts_jout_text(j, "name", column);
            for (int i = 2; i < SCHEMA_COLUMNS; i++) {
                ts_jout_text(j, schema_columns[i], schema_text(st, i));
            }
            ts_jout_close(j, '}');
        }
    }
    if (open) {
        ts_jout_ends(j, "]}");
    }
    ts_buf_free(ctx, &last);
    return rc;
}

static ts_code schema_reply(ts_reply *reply, ts_sandbox *s, ts_ctx *ctx)
{
    ts_jout j;
    ts_reply_sink sink;
    sqlite3_stmt *st = NULL;
    static const char documented[] = "SELECT table_name, column_name, type, unit, description "
                                     "FROM schema_doc WHERE table_name IS NOT NULL ORDER BY rowid";
    static const char plain[] =
        "SELECT m.name, c.name, c.type, NULL, NULL FROM sqlite_master AS m, "
        "pragma_table_xinfo(m.name) AS c WHERE m.type IN ('table', 'view') AND m.name NOT LIKE "
        "'sqlite\\_%' ESCAPE '\\' ORDER BY m.rowid, c.cid LIMIT 20000";
    int rc = sqlite3_prepare_v2(s->db, documented, -1, &st, NULL);
    if (rc == SQLITE_ERROR) { /* no table schema_doc: another program's database */
        rc = sqlite3_prepare_v2(s->db, plain, -1, &st, NULL);
    }
    reply_json(reply, &j, ctx, &sink);
    ts_jout_open(&j, NULL, '{');
    ts_jout_open(&j, "tables", '[');
    rc = rc == SQLITE_OK ? schema_rows(&j, st, ctx) : rc;
    ts_jout_ends(&j, "]}");
    ts_code code = ts_jout_end(&j);
    TS_STEP_IF(code, rc != SQLITE_DONE, ts_app_sqlite(reply, s, rc, -1));
    (void)sqlite3_finalize(st);
    return code;
}

/* The arguments of a route that knows only db. */
static ts_code only_db(ts_ctx *ctx, const ts_request *r)
{
    for (size_t i = 0; i < r->arg_count; i++) {
        if (strcmp(r->args[i].name, "db") != 0) {
            return ts_fail(ctx, TS_ERR_USAGE, "a parameter is unknown");
        }
    }
    return TS_OK;
}

ts_code ts_api_schema(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    ts_lease *lease;
    size_t number;
    ts_guard guard = {
        .fd = r->client, .stop = &app->stop, .deadline_ns = ts_guard_now() + app->limits.query_ns};
    ts_code code = only_db(ctx, r);
    if (code != TS_OK || !ts_app_database(&number, reply, app, ctx, ts_request_arg(r, "db")) ||
        !ts_app_lease(&lease, reply, app, ctx, number)) {
        return code;
    }
    if (!ts_app_unchanged(reply, app, &lease->identity, r)) {
        lease->sandbox.guard = &guard;
        lease->sandbox.denied = false;
        code = schema_reply(reply, &lease->sandbox, ctx);
    }
    ts_database_give(&app->databases, lease);
    return code;
}

/* --- /api/questions -------------------------------------------------------------------------- */

/* The lines of a part with line breaks between them. */
static void question_lines(ts_jout *j, const char *key, ts_text sql, const char *part, ts_ctx *ctx)
{
    ts_buf all = {0};
    ts_text rest = ts_question_part(sql, part);
    ts_text line;
    size_t column;
    while (rest.p != NULL && ts_question_line(&line, &column, &rest)) {
        ts_jout_fail(
            j, ts_buf_printf(ctx, &all, "%s%.*s", all.n > 0 ? "\n" : "", (int)line.n, line.p));
    }
    ts_jout_text(j, key, ts_buf_text(&all));
    ts_buf_free(ctx, &all);
}

/* Whether one of the tables that the question needs has rows. */
static bool question_fits(ts_sandbox *s, ts_text sql)
{
    ts_text part = ts_question_part(sql, "Needs");
    ts_question_need need;
    bool any = false;
    while (part.p != NULL && ts_question_need_next(&need, &part)) {
        char table[128];
        any = true;
        (void)snprintf(table, sizeof table, "%.*s",
                       (int)(need.table.n < sizeof table ? need.table.n : 0), need.table.p);
        if (table_rows(s, table) > 0) {
            return true;
        }
    }
    return !any;
}

/* "(default 20)": *out is 20. */
static ts_text fallback_of(ts_text doc)
{
    static const char mark[] = "(default";
    const char *at = doc.n == 0 ? NULL : memmem(doc.p, doc.n, mark, sizeof mark - 1);
    if (at == NULL) {
        return TS_TEXT_NULL;
    }
    at += sizeof mark - 1;
    const char *end = memchr(at, ')', (size_t)(doc.p + doc.n - at));
    end = end == NULL ? doc.p + doc.n : end; /* what follows is in the next line */
    end -= end > at && end[-1] == ',' ? 1 : 0;
    while (at < end && (*at == ' ' || *at == ':')) {
        at++;
    }
    return (ts_text){at, (size_t)(end - at)};
}

static void question_params(ts_jout *j, ts_text sql)
{
    ts_text part = ts_question_part(sql, "Parameters");
    ts_question_param p;
    ts_jout_open(j, "parameters", '[');
    while (part.p != NULL && ts_question_param_next(&p, &part)) {
        ts_text names = p.names;
        ts_text name;
        while (ts_question_name_next(&name, &names)) {
            ts_jout_open(j, NULL, '{');
            ts_jout_text(j, "name", name);
            ts_jout_text(j, "text", p.doc);
            ts_jout_text(j, "fallback", fallback_of(p.doc));
            ts_jout_bool(j, "required", p.required);
            ts_jout_bool(j, "time", p.is_time);
            ts_jout_close(j, '}');
        }
    }
    ts_jout_close(j, ']');
}

static void question_put(ts_jout *j, const ts_serve_question *q, ts_sandbox *s, ts_ctx *ctx)
{
    ts_jout_open(j, NULL, '{');
    ts_jout_str(j, "name", q->name);
    question_lines(j, "question", q->sql, "Question", ctx);
    question_lines(j, "topic", q->sql, "Topic", ctx);
    ts_jout_bool(j, "fits", question_fits(s, q->sql));
    question_params(j, q->sql);
    ts_jout_text(j, "sql", q->sql);
    ts_jout_close(j, '}');
}

ts_code ts_api_questions(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    ts_jout j;
    ts_reply_sink sink;
    ts_lease *lease;
    size_t number;
    ts_code code = only_db(ctx, r);
    if (code != TS_OK || !ts_app_database(&number, reply, app, ctx, ts_request_arg(r, "db")) ||
        !ts_app_lease(&lease, reply, app, ctx, number)) {
        return code;
    }
    if (!ts_app_unchanged(reply, app, &lease->identity, r)) {
        reply_json(reply, &j, ctx, &sink);
        ts_jout_open(&j, NULL, '{');
        ts_jout_open(&j, "questions", '[');
        for (size_t i = 0; i < app->question_count; i++) {
            question_put(&j, &app->questions[i], &lease->sandbox, ctx);
        }
        ts_jout_ends(&j, "]}");
        code = ts_jout_end(&j);
    }
    ts_database_give(&app->databases, lease);
    return code;
}

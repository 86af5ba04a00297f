/* An application on a small database, as tests of the server's parts need it. */
#ifndef TS_TEST_SERVE_APP_H
#define TS_TEST_SERVE_APP_H

#include "support.h"

#include "serve/api/app.h"

#include <unistd.h>

typedef struct test_app {
    ts_ctx *ctx;
    ts_app app;
    char folder[32];
    char path[64];
} test_app;

static inline void test_app_make(const char *path)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER, r REAL, s TEXT, b BLOB);"
                     "INSERT INTO t VALUES (1, 9007199254740993, 0.1, 'a,\"b\"', x'00ff'),"
                     "(2, -5, 1e300, char(10, 9, 13, 92, 124), NULL), (3, NULL, 9e999, '', x'');"
                     "CREATE TABLE schema_doc(table_name, column_name, type, unit, description);"
                     "INSERT INTO schema_doc VALUES ('t', 'n', 'INTEGER', 'ns', 'a number'),"
                     "('t', 's', 'TEXT', NULL, 'a text'), ('u', 'x', NULL, NULL, NULL);"
                     "CREATE TABLE trace_range(start_ts, end_ts);"
                     "INSERT INTO trace_range VALUES (1700000000000000000, 1700000001000000000)",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static inline test_app *test_app_new(void)
{
    static const ts_serve_question questions[] = {
        {"small",
         TS_TEXT_LIT("-- Question:   Which are small?\n-- Topic:      numbers\n"
                     "-- Needs:      t (numbers)\n-- Parameters: most  the largest (default 5)\n"
                     "SELECT id FROM t WHERE n < ifnull(:most, 5)")},
    };
    test_app *a = calloc(1, sizeof *a);
    a->ctx = test_ctx_new();
    strcpy(a->folder, "/tmp/ts_app_XXXXXX");
    assert_non_null(mkdtemp(a->folder));
    (void)snprintf(a->path, sizeof a->path, "%s/a.db", a->folder);
    test_app_make(a->path);
    a->ctx->version = "1.0";
    a->app.base = a->ctx;
    a->app.questions = questions;
    a->app.question_count = 1;
    a->app.limits = (ts_app_limits){INT64_C(5000000000), 1000000, 1 << 30, 2};
    ts_slots_init(&a->app.slots, 2);
    assert_ok(a->ctx, ts_databases_init(&a->app.databases, a->ctx));
    assert_ok(a->ctx, ts_databases_add(&a->app.databases, a->path, a->path));
    assert_ok(a->ctx,
              ts_view_jobs_open(&a->app.views, a->ctx, &a->app.databases, &a->app.slots, NULL, 0));
    return a;
}

static inline void test_app_free(test_app *a)
{
    ts_view_jobs_close(a->app.views);
    ts_databases_free(&a->app.databases);
    ts_slots_free(&a->app.slots);
    assert_int_equal(unlink(a->path), 0);
    assert_int_equal(rmdir(a->folder), 0);
    test_ctx_free(a->ctx);
    free(a);
}

#endif

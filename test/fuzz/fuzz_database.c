/*
 * The bytes are the only input of a whole conversion into a real database: it must be one for
 * SQLite (integrity_check), hold as many rows as were put, and every view must answer. Which files
 * are there is said by the content, as everywhere.
 *
 * Seeds: test/data/tiny test/data/spec_g
 * Options: -max_len=6000 -len_control=0
 */
#include "fuzz.h"
#include "fuzz_dir.h"
#include "fuzz_sqlite.h"
#include "mutate.h"

#include "parsers/import.h"
#include "tables/database.h"
#include "tables/store.h"

#include <fcntl.h>
#include <sys/mman.h>

const size_t fuzz_prefix = 0;

enum { INPUT_FD = 200, VIEW_ROWS = 200 };

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
        fuzz_fail("the statement can be prepared");
    }
    return st;
}

static int64_t number(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *st = prepare(db, sql);
    check(sqlite3_step(st) == SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    (void)sqlite3_finalize(st);
    return n;
}

static void ask_view(sqlite3 *db, const char *name)
{
    char sql[120];
    (void)snprintf(sql, sizeof sql, "SELECT * FROM %s", name);
    sqlite3_stmt *st = prepare(db, sql);
    int rc = SQLITE_ROW;
    for (int i = 0; i < VIEW_ROWS && rc == SQLITE_ROW; i++) {
        rc = sqlite3_step(st);
    }
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        fprintf(stderr, "%s: %s\n", name, sqlite3_errmsg(db));
        fuzz_fail("the view answers");
    }
    (void)sqlite3_finalize(st);
}

static void check_database(const char *path, const uint64_t *rows)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    char sql[120];
    check(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK);
    st = prepare(db, "PRAGMA integrity_check");
    check(sqlite3_step(st) == SQLITE_ROW);
    check(strcmp((const char *)sqlite3_column_text(st, 0), "ok") == 0);
    (void)sqlite3_finalize(st);
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", ts_schema[t].name);
        check(number(db, sql) == (int64_t)rows[t]);
    }
    check(number(db, "SELECT count(*) FROM import_issue WHERE code = 'conservation'") == 0);
    st = prepare(db, "SELECT name FROM sqlite_master WHERE type = 'view'");
    while (sqlite3_step(st) == SQLITE_ROW) {
        ask_view(db, (const char *)sqlite3_column_text(st, 0));
    }
    (void)sqlite3_finalize(st);
    check(sqlite3_close(db) == SQLITE_OK);
}

static ts_code convert(ts_ctx *ctx, ts_db *db)
{
    char input[40];
    const char *paths[] = {input};
    ts_import_request request = {.paths = paths, .path_count = 1};
    ts_import_result result;
    ts_store *store;
    (void)snprintf(input, sizeof input, "/proc/self/fd/%d", INPUT_FD);
    check(ts_store_new(&store, ctx, ts_db_sink(db), NULL) == TS_OK);
    ts_code code = ts_import_run(&result, ctx, store, &request);
    if (code == TS_OK) {
        check(ts_store_finish(store) == TS_OK);
    }
    ts_store_free(store);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[100];
    uint64_t rows[TS_TABLE_COUNT];
    ts_ctx *ctx = fuzz_ctx_new();
    ts_db *db;
    int fd = memfd_create("input", MFD_CLOEXEC);
    check(fd >= 0 && dup2(fd, INPUT_FD) == INPUT_FD && close(fd) == 0);
    check(size == 0 || write(INPUT_FD, data, size) == (ssize_t)size);
    fuzz_dir_make();
    fuzz_sqlite_setup();
    (void)snprintf(path, sizeof path, "%s/out.db", fuzz_dir);
    fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    check(fd >= 0 && close(fd) == 0);
    check(ts_db_create(&db, ctx, path) == TS_OK);
    ts_code code = convert(ctx, db);
    if (code == TS_OK) {
        memcpy(rows, ts_db_sink(db)->rows, sizeof rows);
        check(ts_db_finish(db, (size & 1) != 0, NULL) == TS_OK);
        check_database(path, rows);
    } else {
        check(code == TS_ERR_INPUT || code == TS_ERR_FORMAT || code == TS_ERR_LIMIT);
    }
    ts_db_close(db);
    check(close(INPUT_FD) == 0);
    check(fuzz_dir_clear() == 1);
    fuzz_ctx_free(ctx);
    return 0;
}

/* scan_compare DATABASE: all tables of a database of ours, as scans read them and as SELECT does.
 */
#include "tables_scan.h"

static const char *path; /* cmocka hands over no arguments */

static bool is_view(sqlite3 *db, const char *name)
{
    static const char sql[] = "SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = ?1";
    sqlite3_stmt *stmt = NULL;
    bool found;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
    found = sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_finalize(stmt);
    return found;
}

static void test_tables(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_reader *r = NULL;
    sqlite3 *db = NULL;
    unsigned tables = 0;
    (void)state;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_ok(ctx, ts_reader_open(&r, ctx, path));
    for (unsigned id = 0; id < TS_TABLE_COUNT; id++) {
        if (ts_reader_has_table(r, id)) {
            scan_assert_table(r, id, &ts_schema[id], db);
            tables++;
        } else {
            assert_true(is_view(db, ts_schema[id].name));
        }
    }
    assert_true(tables >=
                TS_TABLE_COUNT - 2); /* callstack and js_cpu_profiler_sample may be views */
    ts_reader_free(r);
    sqlite3_close(db);
    test_ctx_free(ctx);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables)};
    path = argc > 1 ? argv[1] : "";
    return cmocka_run_group_tests(tests, NULL, NULL);
}

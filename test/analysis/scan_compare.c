/* scan_compare DATABASE: all tables of a database of ours, as scans read them and as SELECT does.
 */
#include "tables_scan.h"

static const char *path; /* cmocka hands over no arguments */

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

/*
 * Files beyond 1, 2 and 4 GiB, and levels that become full the long way. They take minutes and 5 GB
 * in /tmp, so they run only when TS_SLOW is set, as in the nightly tests.
 */
#include "tables_pages.h"

#define GIB (UINT64_C(1) << 30)

/* Without a partner: INSERT would need as much again. */
static void alone(pair *x, const fixture *f, uint32_t page_size, const char *specs)
{
    pair_begin(x, f, page_size, 0, specs);
    insertsink_free(x->insert);
    x->insert = NULL;
}

static void put(pair *x, unsigned id, uint64_t reserved)
{
    assert_ok(x->ctx, ts_pages_put(x->pages, id, x->rows[id], reserved));
}

enum { TEXT = 1 << 20, SMALL = 20000 };

/* Large texts with many small rows between them, until the file has reached the size. */
static int64_t write_until(pair *x, uint64_t size)
{
    static char text[TEXT];
    int64_t i = 0;
    for (; page_offset(x->pages, x->pages->next) < size; i++) {
        memset(text, (int)('a' + i % 26), sizeof text);
        set_int(x, 0, 0, i);
        set_text(x, 0, 1, text, (size_t)(TEXT - i % 5000));
        put(x, 0, 0);
        for (int64_t k = 0; k < SMALL; k++) {
            set_int(x, 1, 0, i);
            set_int(x, 1, 1, k);
            set_int(x, 1, 2, i * k);
            put(x, 1, 0);
        }
        set_int(x, 2, 0, i + 1);
        set_int(x, 2, 1, -1);
        put(x, 2, 2);
    }
    for (int64_t k = i; k > 0; k -= 3) { /* they stand everywhere in the file */
        assert_ok(x->ctx, ts_pages_complete(x->pages, 2, k, 1, k * k));
    }
    return i;
}

static void assert_int_sql(sqlite3 *db, const char *sql, int64_t expected)
{
    int64_t value = db_int(db, sql);
    if (value != expected) {
        fail_msg("%s: %lld instead of %lld", sql, (long long)value, (long long)expected);
    }
}

static void check_file(const pair *x, int64_t rows)
{
    struct stat st;
    sqlite3 *db = db_open(x->path);
    db_check(db);
    assert_int_equal(stat(x->path, &st), 0);
    assert_int_equal(st.st_size, (uint64_t)x->page_count * x->page_size);
    assert_int_sql(db, "PRAGMA page_count", x->page_count);
    assert_int_sql(db, "SELECT count(*) FROM t0", rows);
    assert_int_sql(db,
                   "SELECT count(*) FROM t0 WHERE rowid = c0 + 1 AND length(c1) = 1048576 - c0 % "
                   "5000 AND trim(c1, char(97 + c0 % 26)) = ''",
                   rows);
    assert_int_sql(db, "SELECT count(*) FROM t1", rows * SMALL);
    assert_int_sql(db, "SELECT count(*) FROM t1 WHERE rowid = c0 * 20000 + c1 + 1 AND c2 = c0 * c1",
                   rows * SMALL);
    assert_int_sql(db, "SELECT count(*) FROM t2 WHERE c1 IN (-1, c0 * c0) AND rowid = c0", rows);
    assert_int_sql(db, "SELECT count(*) FROM t2 WHERE c1 <> -1", (rows + 2) / 3);
    db_run(db, "DELETE FROM t0 WHERE rowid % 2; INSERT INTO t0 SELECT c0, c1 FROM t0 LIMIT 9");
    db_run(db, "UPDATE t2 SET c1 = 7");
    assert_int_sql(db, "SELECT count(*) FROM t0", rows / 2 + 9);
    sqlite3_close(db);
}

static void write_and_check(const fixture *f, uint32_t page_size, uint64_t size)
{
    pair x;
    alone(&x, f, page_size, "it iii ki");
    int64_t rows = write_until(&x, size);
    assert_ok(x.ctx, ts_pages_finish(x.pages, &x.page_count));
    ts_pages_free(x.pages);
    close(x.fd);
    check_file(&x, rows);
    pair_free(&x);
}

static void test_beyond_1_gib(void **state)
{
    write_and_check(*state, 4096, GIB + 3 * TEXT);
    write_and_check(*state, 512, GIB + 3 * TEXT);
}

static void test_beyond_2_gib(void **state)
{
    write_and_check(*state, 65536, 2 * GIB + 3 * TEXT);
}

static void test_beyond_4_gib(void **state)
{
    write_and_check(*state, 4096, 4 * GIB + 3 * TEXT);
}

/* Leaves of one row each with usual rowids: the page of the third level is full at about 170 000
 * rows. */
static void test_full_third_level(void **state)
{
    fixture *f = *state;
    char text[300];
    memset(text, 'x', sizeof text);
    int64_t full = 0;
    pair x;
    pair_begin(&x, f, 512, 0, "t");
    set_text(&x, 0, 0, text, sizeof text);
    while (x.pages->tables[0].levels < 4) {
        pair_put(&x, 0);
    }
    full = pair_rows(&x, 0);
    pair_finish(&x);
    pair_free(&x);
    for (int64_t rows = full - 2; rows < full + 2; rows++) {
        pair_begin(&x, f, 512, 0, "t");
        set_text(&x, 0, 0, text, sizeof text);
        for (int64_t i = 0; i < rows; i++) {
            pair_put(&x, 0);
        }
        pair_finish(&x);
        assert_int_equal(pair_shape(&x, 0).levels, 4); /* also when ending it fills the page */
        pair_free(&x);
    }
}

/* Rowids of one to four bytes in one table. */
static void test_many_rows(void **state)
{
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 4096, 0, "ii");
    for (int64_t i = 0; i < 2200000; i++) {
        set_int(&x, 0, 0, i);
        set_int(&x, 0, 1, -i * i);
        pair_put(&x, 0);
    }
    pair_finish(&x);
    pair_free(&x);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_beyond_1_gib),     TEST(test_beyond_2_gib), TEST(test_beyond_4_gib),
        TEST(test_full_third_level), TEST(test_many_rows),
    };
    if (!test_slow()) {
        print_message("skipped: TS_SLOW is not set\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The page writer against SQLite's INSERT: trees of every shape, tables that fill at once, the
 * page of the lock byte, and what SQLite does with such a file afterwards. */
#include "tables_pages.h"

static char letters[3000];

static int setup(void **state)
{
    memset(letters, 'x', sizeof letters);
    return fixture_setup(state);
}

/* --- leaves -------------------------------------------------------------------------------- */

static void test_no_rows(void **state)
{
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 512, 0, "i kt tt");
    pair_put(&x, 1);
    uint32_t before = x.pages->next - 1;
    pair_finish(&x);
    assert_int_equal(x.page_count, before);
    pair_free(&x);
}

/* A table of integers with 1, 2, 3 ... rows: every number of leaves from one on. */
static void test_every_number_of_rows(void **state)
{
    fixture *f = *state;
    for (int64_t rows = 1; rows < 400; rows += test_slow() || rows < 100 ? 1 : 3) {
        pair x;
        pair_begin(&x, f, 512, 0, "iii ki");
        for (int64_t i = 0; i < rows; i++) {
            set_int(&x, 0, 0, i);
            set_int(&x, 0, 1, i * i * i);
            set_int(&x, 0, 2, 1 << 20);
            set_int(&x, 1, 1, -i);
            pair_put(&x, 0);
            pair_put(&x, 1);
        }
        x.not_scanned = rows > 100 && rows % 8 != 0;
        pair_finish(&x);
        pair_free(&x);
    }
}

/* One row more or one byte more than a leaf holds, and one less. */
static void test_exactly_full_leaf(void **state)
{
    fixture *f = *state;
    static const uint32_t page_sizes[] = {512, 1024, 4096, 65536};
    for (unsigned s = 0; s < 4; s++) {
        uint32_t room = page_sizes[s] - LEAF_HEADER;
        for (uint32_t last = 0; last < 3; last++) {
            pair x;
            uint32_t left = room;
            pair_begin(&x, f, page_sizes[s], 0, "t");
            /* Cells of 44 bytes and their pointers, until 154 to 199 bytes are left. */
            while (left >= 200) {
                bool small = pair_rows(&x, 0) < 127;
                set_text(&x, 0, 0, letters, small ? 40 : 39);
                pair_put(&x, 0);
                left -= 46;
            }
            /* Pointer, payload size in two bytes, rowid, header of three, and the text. */
            uint32_t n = left - CELL_POINTER - 2 - (pair_rows(&x, 0) < 127 ? 1 : 2) - 3;
            set_text(&x, 0, 0, letters, n - 1 + last);
            pair_put(&x, 0);
            pair_finish(&x);
            walk w = pair_shape(&x, 0);
            assert_int_equal(w.leaves, last < 2 ? 1 : 2);
            pair_free(&x);
        }
    }
}

/* --- levels -------------------------------------------------------------------------------- */

/* Rows of which each fills a leaf of 512 bytes. Rowids of 9 bytes make interior cells as large as
 * can be, so that few rows make many levels. */
static void fill(pair *x, const fixture *f, int64_t rows, int64_t first_rowid)
{
    pair_begin(x, f, 512, 0, "kt");
    pair_start_at(x, 0, first_rowid - 1);
    set_text(x, 0, 1, letters, 300);
    for (int64_t i = 0; i < rows; i++) {
        pair_put(x, 0);
    }
}

enum { EVENTS_MAX = 64 };

/* Numbers of rows at which an interior page of level `at` becomes full. */
static size_t rows_that_fill(int64_t out[EVENTS_MAX], const fixture *f, unsigned at, int64_t rows,
                             int64_t first_rowid)
{
    pair x;
    size_t n = 0;
    uint32_t cells = 0;
    fill(&x, f, 0, first_rowid);
    for (int64_t i = 1; i <= rows && n < EVENTS_MAX; i++) {
        pair_put(&x, 0);
        const page_table *t = &x.pages->tables[0];
        if (t->levels > at && t->level[at].page.cells < cells) {
            out[n++] = i;
        }
        cells = t->levels > at ? t->level[at].page.cells : 0;
    }
    pair_finish(&x);
    pair_free(&x);
    return n;
}

static void test_interior_pages_full_at_the_end(void **state)
{
    fixture *f = *state;
    const struct {
        unsigned at;
        int64_t rows;
        int64_t first;
        size_t events;
        unsigned levels;
    } cases[] = {
        {0, 400, 1, 3, 2},
        {0, 200, INT64_MAX - 100000, 3, 2},
        {1, 5000, 1, 1, 3},
        {1, 3000, INT64_MAX - 100000, 2, 3},
        {2, 40000, INT64_MAX - 100000, 1, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t at[EVENTS_MAX];
        size_t n = rows_that_fill(at, f, cases[i].at, cases[i].rows, cases[i].first);
        assert_true(n >= cases[i].events);
        for (size_t k = 0; k < cases[i].events; k++) {
            /* Around the row with which the page overflows, and the end of the one before. */
            for (int64_t d = test_slow() ? -3 : -1; d < 4; d += test_slow() || d < 1 ? 1 : 2) {
                if (!test_slow() && cases[i].rows > 10000 && (d < 0 || d > 1)) {
                    continue;
                }
                pair x;
                fill(&x, f, at[k] + d, cases[i].first);
                x.not_scanned = d < 0 || d > 1;
                pair_finish(&x);
                walk w = pair_shape(&x, 0);
                assert_int_equal(w.leaves, at[k] + d);
                assert_true(w.levels <= cases[i].levels);
                assert_true(d < 3 || w.levels == cases[i].levels);
                pair_free(&x);
            }
        }
    }
}

static void test_many_levels(void **state)
{
    fixture *f = *state;
    static const struct {
        int64_t rows;
        unsigned levels;
    } cases[] = {{1, 0}, {2, 1}, {100, 2}, {2000, 3}, {45000, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pair x;
        fill(&x, f, cases[i].rows, INT64_MAX - 100000);
        pair_finish(&x);
        walk w = pair_shape(&x, 0);
        assert_int_equal(w.levels, cases[i].levels);
        pair_free(&x);
    }
}

/* --- many tables at once ------------------------------------------------------------------- */

static void put_random(pair *x, unsigned id, uint64_t *mix, uint64_t text_max)
{
    const ts_table *t = &x->tables[id];
    for (unsigned c = 0; c < t->column_count; c++) {
        uint64_t r = next_random(mix);
        if (t->columns[c].type == TS_COL_INT) {
            set_int(x, id, c, (int64_t)next_random(mix) >> (r & 63));
        } else if (t->columns[c].type == TS_COL_REAL) {
            set_real(x, id, c, (double)(int64_t)(r >> 40) / (double)(1 + (r & 3)));
        } else if (t->columns[c].type == TS_COL_TEXT) {
            set_text(x, id, c, letters, (size_t)(r % (1 + (text_max >> (r >> 32 & 7)))));
        }
    }
    set_nulls(x, id, next_random(mix) % 8 == 0 ? next_random(mix) >> (64 - t->column_count) : 0);
    pair_put(x, id);
}

/* Among them tables that get a row seldom, so that their open leaf outlasts the output queue. */
static void test_interleaved_tables(void **state)
{
    fixture *f = *state;
    static const uint32_t page_sizes[] = {512, 4096, 65536};
    for (unsigned s = 0; s < 3; s++) {
        pair x;
        uint64_t mix = 7 + s;
        bool moved = false;
        pair_begin(&x, f, page_sizes[s], 0, "iiiiiii iiiiiiiii itt kiii t iit r kt");
        for (int64_t i = 0; i < (test_slow() ? 60000 : 30000); i++) {
            put_random(&x, (unsigned)(next_random(&mix) % 3), &mix, 600);
            if (i % 100 == 0) {
                put_random(&x, 3, &mix, 1);
                put_random(&x, 4, &mix, 2000);
            }
            if (i % 3000 == 0) {
                put_random(&x, 5, &mix, 300);
                put_random(&x, 7, &mix, 3000);
            }
            moved |= x.pages->tables[3].leaf_number != 0 && !x.pages->tables[3].queued;
        }
        assert_true(moved || s == 2);
        pair_finish(&x);
        pair_free(&x);
    }
}

/* --- the page of the lock byte ------------------------------------------------------------- */

static void lock_byte_at(unsigned offset)
{
    assert_int_equal(sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, offset) != 0, 1);
}

/* SQLite can be configured so that the lock byte is elsewhere, so that every kind of page meets it:
 * leaves, overflow pages first and later in their chain, interior pages, the end of the file. */
static void test_lock_page(void **state)
{
    fixture *f = *state;
    /* Not in its first 4096 bytes: SQLite reads those before it knows the page size. */
    for (uint32_t lock = 9; lock < 150; lock += test_slow() ? 1 : 2) {
        pair x;
        uint64_t mix = 5;
        int64_t open[3] = {0, 0, 0};
        lock_byte_at((lock - 1) * 512);
        pair_begin(&x, f, 512, lock, "ti iit t");
        for (int64_t i = 0; i < 120; i++) {
            set_text(&x, 0, 0, letters, (size_t)(next_random(&mix) % 1500));
            set_int(&x, 0, 1, i);
            open[i % 3] = pair_rows(&x, 0) + 1;
            pair_reserve(&x, 0, 2);
            put_random(&x, 1, &mix, 60);
            put_random(&x, 2, &mix, 500);
            pair_complete(&x, 0, open[(i + 1) % 3] == 0 ? open[i % 3] : open[(i + 1) % 3], 1,
                          (int64_t)next_random(&mix));
        }
        pair_finish(&x);
        assert_true(x.page_count > 150);
        pair_free(&x);
    }
    lock_byte_at(TS_LOCK_BYTE);
}

/* A file that ends before, at and behind the page. */
static void test_lock_page_at_the_end(void **state)
{
    fixture *f = *state;
    enum { LOCK = 40 };
    uint32_t seen = 0;
    lock_byte_at((LOCK - 1) * 512);
    for (int64_t rows = 30; rows < 45; rows++) {
        pair x;
        pair_begin(&x, f, 512, LOCK, "t");
        set_text(&x, 0, 0, letters, 300);
        for (int64_t i = 0; i < rows; i++) {
            pair_put(&x, 0);
        }
        pair_finish(&x);
        assert_int_not_equal(x.page_count, LOCK);
        seen |= x.page_count == LOCK - 1 ? 1U : x.page_count == LOCK + 1 ? 2U : 0U;
        pair_free(&x);
    }
    assert_int_equal(seen, 3);
    lock_byte_at(TS_LOCK_BYTE);
}

static void test_lock_page_by_default(void **state)
{
    fixture *f = *state;
    static const uint32_t page_sizes[] = {512, 4096, 65536};
    for (unsigned s = 0; s < 3; s++) {
        pair x;
        pair_begin(&x, f, page_sizes[s], 0, "i");
        assert_int_equal(page_offset(x.pages, x.pages->lock_page), TS_LOCK_BYTE);
        pair_finish(&x);
        pair_free(&x);
    }
}

/* --- afterwards ---------------------------------------------------------------------------- */

static void change(const char *path)
{
    static const char *const steps[] = {
        "INSERT INTO t0 SELECT c0 + 100000, c1, c2, c1 FROM t0 WHERE rowid % 7 = 0",
        "INSERT INTO t1(c1) SELECT c1 || c1 FROM t1",
        "DELETE FROM t0 WHERE rowid % 5 = 1",
        "UPDATE t1 SET c1 = substr(c1, 1, length(c1) / 2)",
        "UPDATE t0 SET c3 = 'y' || c3 WHERE rowid % 3 = 0",
        "CREATE INDEX ix ON t0(c1, c3)",
        "CREATE INDEX iy ON t1(c1)",
        "ANALYZE",
        "DELETE FROM t1",
        "INSERT INTO t1(c1) VALUES('one')",
        "DROP TABLE t2",
        "VACUUM",
    };

    sqlite3 *db = db_open(path);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        db_run(db, steps[i]);
        sqlite3_stmt *st = NULL;
        assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &st, NULL), 0);
        assert_int_equal(sqlite3_step(st), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(st, 0), "ok");
        sqlite3_finalize(st);
    }
    sqlite3_close(db);
}

static void test_sqlite_goes_on(void **state)
{
    fixture *f = *state;
    static const uint32_t page_sizes[] = {512, 1024, 4096, 65536};
    for (unsigned s = 0; s < 4; s++) {
        pair x;
        uint64_t mix = 3;
        pair_begin(&x, f, page_sizes[s], 0, "iitt kt iiii r");
        x.not_scanned = true;
        for (int64_t i = 0; i < (test_slow() ? 3000 : 600); i++) {
            put_random(&x, 0, &mix, 300);
            set_text(&x, 1, 1, letters, (size_t)(next_random(&mix) % 2900));
            pair_put(&x, 1);
            put_random(&x, 2, &mix, 1);
        }
        pair_finish(&x);
        change(x.path);
        change(x.other);
        sqlite3 *db = db_open(x.path);
        for (unsigned id = 0; id < 4; id++) {
            if (id != 2) {
                compare_cells(id, db, x.db);
            }
        }
        sqlite3_close(db);
        pair_free(&x);
    }
}

/* A connection that was open, with pages in its cache, sees what was written. */
static void test_open_connections_see_the_rows(void **state)
{
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 4096, 0, "it");
    sqlite3 *db = db_open(x.path);
    assert_int_equal(db_int(db, "SELECT count(*) FROM t0"), 0);
    uint64_t mix = 1;
    for (int64_t i = 0; i < 1000; i++) {
        put_random(&x, 0, &mix, 100);
    }
    pair_finish(&x);
    assert_int_equal(db_int(db, "SELECT count(*) FROM t0"), 1000);
    db_run(db, "INSERT INTO t0 VALUES(1, 'after')");
    assert_int_equal(db_int(db, "SELECT max(rowid) FROM t0"), 1001);
    db_check(db);
    sqlite3_close(db);
    pair_free(&x);
}

/* --- the first page ------------------------------------------------------------------------ */

/* The root of sqlite_schema begins after the header of the file: a leaf or an interior page that
 * fits any other root goes one level down when the header leaves it no room. */
static void test_first_page(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "views.db");
    static const uint8_t none[8] = {0x0d, 0, 0, 0, 0, 2, 0, 0};
    unsigned empty_interiors = 0;
    for (unsigned n = 1; n < 300; n += n < 6 || n > 180 ? 1 : 9) {
        for (uint32_t more = 0; more < (n == 3 ? 400U : 1U); more++) {
            struct {
                uint64_t null;
                ts_text type, name, tbl_name;
                int64_t rootpage;
                ts_text sql;
            } row = {0};
            ts_table table;
            ts_pages *pages;
            uint32_t count;
            uint8_t page[512];
            unlink(path);
            sqlite3 *db = db_open(path);
            db_run(db, "PRAGMA page_size = 512; PRAGMA user_version = 7");
            sqlite3_close(db);
            int fd = open(path, O_RDWR | O_CLOEXEC);
            assert_int_equal(pread(fd, page, 512, 0), 512);
            assert_memory_equal(page + 100, none, sizeof none);
            ts_pages_config config = {.fd = fd, .path = path, .page_size = 512, .page_count = 1};
            assert_ok(f->ctx, ts_pages_new(&pages, f->ctx, &config));
            table_make(&table, 0, "tttit");
            assert_int_equal(table.columns[4].offset, (char *)&row.sql - (char *)&row);
            assert_ok(f->ctx, ts_pages_table(pages, 0, &table, 1));
            for (unsigned i = 0; i < n; i++) {
                char name[16];
                char sql[700];
                int name_n = snprintf(name, sizeof name, "v%u", i);
                int sql_n = snprintf(sql, sizeof sql, "CREATE VIEW v%u AS SELECT %u AS x --%.*s", i,
                                     i, (int)(i % 7 * 9 + (i + 1 == n ? more : 0)), letters);
                row.type = TS_TEXT_LIT("view");
                row.name = row.tbl_name = (ts_text){name, (size_t)name_n};
                row.sql = (ts_text){sql, (size_t)sql_n};
                assert_ok(f->ctx, ts_pages_put(pages, 0, &row, 0));
            }
            assert_ok(f->ctx, ts_pages_finish(pages, &count));
            ts_pages_free(pages);
            assert_int_equal(pread(fd, page, 512, 0), 512);
            empty_interiors += page[100] == INTERIOR_TYPE && page[103] == 0 && page[104] == 0;
            close(fd);
            db = db_open(path);
            db_check(db);
            assert_int_equal(db_int(db, "PRAGMA user_version"), 7);
            assert_int_equal(db_int(db, "PRAGMA page_count"), count);
            assert_int_equal(db_int(db, "SELECT count(*) FROM sqlite_schema"), n);
            snprintf((char *)page, sizeof page, "SELECT x FROM v%u", n - 1);
            assert_int_equal(db_int(db, (char *)page), n - 1);
            db_run(db, "CREATE TABLE after(x); INSERT INTO after VALUES(1); DROP VIEW v0");
            assert_int_equal(db_int(db, "SELECT count(*) FROM sqlite_schema"), n);
            assert_int_equal(db_int(db, "SELECT count(*) FROM pragma_integrity_check "
                                        "WHERE integrity_check <> 'ok'"),
                             0);
            sqlite3_close(db);
            table_free(&table);
        }
    }
    assert_true(empty_interiors > 1); /* of leaves, and of interior pages */
    free(path);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_no_rows),
        TEST(test_every_number_of_rows),
        TEST(test_exactly_full_leaf),
        TEST(test_interior_pages_full_at_the_end),
        TEST(test_many_levels),
        TEST(test_interleaved_tables),
        TEST(test_lock_page),
        TEST(test_lock_page_at_the_end),
        TEST(test_lock_page_by_default),
        TEST(test_sqlite_goes_on),
        TEST(test_open_connections_see_the_rows),
        TEST(test_first_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

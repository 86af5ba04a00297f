/* Scans of files that SQLite wrote and changed, of damaged ones, and with failures around them. The
 * tests of the page writer compare scans of its files (tables_pages.h). */
#include "tables_pages.h"

#include "tables/rows.h"

/* --- files that SQLite wrote --------------------------------------------------------------- */

static const char create_plain[] =
    "CREATE TABLE t0(c0 INTEGER PRIMARY KEY, c1 INTEGER, c2 REAL, c3 TEXT, c4 INTEGER, c5 TEXT)";

/* Rows of every size, with gaps between rowids, also negative ones. */
static void fill(sqlite3 *db, int rows)
{
    char sql[700];
    snprintf(
        sql, sizeof sql,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
        "INSERT INTO t0 SELECT i * 3 - 500, CASE i %% 7 WHEN 0 THEN NULL ELSE "
        "(i * 2654435761 << (i %% 40)) * (1 - i %% 2 * 2) END, CASE i %% 5 WHEN 0 THEN NULL WHEN 1 "
        "THEN i ELSE i / 7.0 END, CASE i %% 4 WHEN 0 THEN NULL ELSE "
        "substr(replace(hex(zeroblob(i * i %% 3000)), '0', 'xyz' || i), 1, i * 37 %% 4000) END, i "
        "%% "
        "3, substr('abcdefghijk', 1, i %% 12) FROM n",
        rows);
    db_run(db, sql);
}

static ts_reader *reader_of(const fixture *f, const char *path, const ts_table *table, int *fd,
                            sqlite3 *db)
{
    ts_reader *r = NULL;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(*fd >= 0);
    const ts_reader_config config = {.fd = *fd, .path = path};
    assert_ok(f->ctx, ts_reader_new(&r, f->ctx, &config));
    ts_reader_table(r, 0, table,
                    (uint32_t)db_int(db, "SELECT rootpage FROM sqlite_schema WHERE name = 't0'"),
                    false);
    return r;
}

static void assert_scans(const fixture *f, const char *path, const ts_table *table)
{
    int fd;
    sqlite3 *db = db_open(path);
    ts_reader *r = reader_of(f, path, table, &fd, db);
    scan_assert_table(r, 0, table, db);
    ts_reader_free(r);
    sqlite3_close(db);
    close(fd);
}

static void test_pages_of_sqlite(void **state)
{
    fixture *f = *state;
    static const char *const layouts[] = {
        "PRAGMA page_size = 512",
        "PRAGMA page_size = 1024; PRAGMA auto_vacuum = FULL",
        "PRAGMA page_size = 4096; PRAGMA auto_vacuum = INCREMENTAL",
        "PRAGMA page_size = 65536",
    };
    static const char *const steps[] = {
        "SELECT 1",
        "DELETE FROM t0 WHERE c0 % 5 < 2", /* free blocks and fragments */
        "UPDATE t0 SET c3 = c3 || c5, c1 = c1 / 1000 WHERE c0 % 3 = 0",
        "INSERT INTO t0(c3) SELECT c3 FROM t0 LIMIT 50",
        ("INSERT INTO t0(c3, c5) SELECT group_concat(i), group_concat(-i) FROM (WITH RECURSIVE "
         "n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n)"),
        "CREATE INDEX ix ON t0(c3)",
        "VACUUM",
        "ALTER TABLE t0 ADD COLUMN c6 INTEGER", /* rows without it: NULL */
        "DELETE FROM t0",
    };
    for (unsigned i = 0; i < 4; i++) {
        ts_table table;
        ts_table more;
        char *path = path_of(f, "sqlite.db");
        test_write_file(path, "", 0);
        sqlite3 *db = db_open(path);
        table_make(&table, 0, "kirtit");
        table_make(&more, 0, "kirtiti");
        db_run(db, layouts[i]);
        db_run(db, create_plain);
        fill(db, i == 3 ? 2000 : 700);
        for (unsigned k = 0; k < sizeof steps / sizeof steps[0]; k++) {
            db_run(db, steps[k]);
            assert_scans(f, path, k < 7 ? &table : &more);
        }
        sqlite3_close(db);
        table_free(&table);
        table_free(&more);
        unlink(path);
        free(path);
    }
}

/* --- rows of integers ---------------------------------------------------------------------- */

/* Every size of an integer in every place, NULL, rows without anything, gaps between rowids, and
 * rows with a text or a real in c7 or a text in c9. */
static void fill_integers(sqlite3 *db)
{
    db_run(db,
           "CREATE TABLE t0(c0 INTEGER PRIMARY KEY, c1 INTEGER, c2 INTEGER, c3 INTEGER, c4 INTEGER,"
           "c5 INTEGER, c6 INTEGER, c7 INTEGER, c8 INTEGER, c9 INTEGER, c10 INTEGER)");
    db_run(db, "CREATE TABLE v(i INTEGER PRIMARY KEY, x)");
    db_run(db, "INSERT INTO v(i, x) VALUES (0, NULL), (1, 0), (2, 1), (3, 2), (4, -1), (5, 127),"
               "(6, 128), (7, -129), (8, 32767), (9, 32768), (10, -8388608), (11, 8388608),"
               "(12, 2147483647), (13, 2147483648), (14, -140737488355328), (15, 140737488355328),"
               "(16, 9223372036854775807), (17, -9223372036854775807), (18, NULL)");
    db_run(db,
           "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000), "
           "r(i, a, b, c) AS (SELECT i, i * 7919 % 19, i / 19 % 19, i / 361 % 19 FROM n), "
           "x(i, a, b, c) AS (SELECT i, (SELECT x FROM v WHERE v.i = a), "
           "(SELECT x FROM v WHERE v.i = b), (SELECT x FROM v WHERE v.i = c) FROM r) "
           "INSERT INTO t0 SELECT CASE WHEN i > 2000 THEN i + 16000 ELSE i END, a, b, c, b, a, a, "
           "CASE i % 50 WHEN 0 THEN 'text' WHEN 25 THEN 0.5 ELSE c END, b, "
           "CASE i % 60 WHEN 0 THEN replace(hex(zeroblob(100)), '0', 'x') ELSE a END, c FROM x");
    db_run(db, "UPDATE t0 SET c1 = NULL, c2 = NULL, c3 = NULL, c4 = NULL, c5 = NULL, c6 = NULL, "
               "c7 = NULL, c8 = NULL, c9 = NULL, c10 = NULL WHERE c0 % 37 = 0");
}

/* Scans some columns, beginning at a row, and compares with what SQLite reads. */
static void assert_integers(ts_reader *reader, sqlite3 *db, const unsigned *columns, unsigned n,
                            int64_t from)
{
    char sql[200];
    const ts_batch *b;
    ts_scan *scan;
    sqlite3_stmt *s;
    int length = snprintf(sql, sizeof sql, "SELECT c0");
    for (unsigned k = 0; k < n; k++) {
        length += snprintf(sql + length, sizeof sql - (size_t)length, ", c%u", columns[k]);
    }
    snprintf(sql + length, sizeof sql - (size_t)length, " FROM t0 WHERE c0 >= %lld ORDER BY c0",
             (long long)from);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_ok(reader->ctx, ts_scan_open(&scan, reader, 0, columns, n));
    assert_ok(reader->ctx, ts_scan_seek(scan, from));
    while (ts_scan_next(&b, scan) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows; i++) {
            assert_int_equal(sqlite3_step(s), SQLITE_ROW);
            assert_int_equal(b->rowids[i], sqlite3_column_int64(s, 0));
            for (unsigned k = 0; k < n; k++) {
                bool null = sqlite3_column_type(s, (int)k + 1) == SQLITE_NULL;
                assert_int_equal(b->columns[k].null[i], null);
                assert_int_equal(b->columns[k].ints[i], sqlite3_column_int64(s, (int)k + 1));
            }
        }
    }
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    ts_scan_close(scan);
    sqlite3_finalize(s);
}

static void test_integers(void **state)
{
    static const struct {
        unsigned n;
        unsigned columns[8];
    } chosen[] = {{1, {1}},
                  {1, {8}},
                  {1, {10}},
                  {3, {1, 4, 5}},
                  {3, {6, 2, 3}},
                  {6, {1, 2, 3, 5, 8, 4}},
                  {2, {10, 1}},
                  {6, {1, 2, 3, 4, 8, 10}},
                  {8, {1, 2, 3, 4, 5, 6, 8, 10}}};
    fixture *f = *state;
    ts_table table;
    int fd;
    char *path = path_of(f, "integers.db");
    test_write_file(path, "", 0);
    sqlite3 *db = db_open(path);
    table_make(&table, 0, "kiiiiiiiiii");
    fill_integers(db);
    ts_reader *r = reader_of(f, path, &table, &fd, db);
    for (unsigned i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
        assert_integers(r, db, chosen[i].columns, chosen[i].n, 1);
        assert_integers(r, db, chosen[i].columns, chosen[i].n, 1234);
    }
    /* What no integer column can hold is an error in the columns that are wanted. */
    static const unsigned seven[] = {7};
    const ts_batch *b;
    ts_scan *scan;
    assert_ok(f->ctx, ts_scan_open(&scan, r, 0, seven, 1));
    ts_code code;
    while ((code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
    }
    assert_int_equal(code, TS_ERR_INPUT);
    assert_non_null(strstr(f->ctx->error.causes[0], "column c7 of row 25 holds no integer"));
    ts_scan_close(scan);
    ts_reader_free(r);
    sqlite3_close(db);
    close(fd);
    table_free(&table);
    free(path);
}

/* Reserved bytes at the end of each page, as extensions of SQLite use them. */
static void test_reserved_bytes(void **state)
{
    fixture *f = *state;
    ts_table table;
    int bytes = 40;
    char *path = path_of(f, "reserved.db");
    test_write_file(path, "", 0);
    sqlite3 *db = db_open(path);
    table_make(&table, 0, "kirtit");
    db_run(db, "PRAGMA page_size = 1024");
    assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes),
                     SQLITE_OK);
    db_run(db, create_plain);
    fill(db, 500);
    db_run(db, "VACUUM");
    size_t n;
    char *file = test_read_file(path, &n);
    assert_int_equal(file[20], 40);
    free(file);
    assert_scans(f, path, &table);
    sqlite3_close(db);
    table_free(&table);
    free(path);
}

static ts_code scan_all(ts_reader *r, const ts_table *table, uint64_t *rows)
{
    unsigned columns[TS_SCAN_COLUMNS];
    const ts_batch *b;
    ts_scan *scan = NULL;
    for (unsigned i = 0; i < table->column_count; i++) {
        columns[i] = i;
    }
    *rows = 0;
    ts_code code = ts_scan_open(&scan, r, 0, columns, table->column_count);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        *rows += b->rows;
        for (unsigned k = 0; k < table->column_count && code == TS_OK; k++) {
            const ts_scan_text *t =
                b->columns[k].texts == NULL ? NULL : &b->columns[k].texts[b->rows - 1];
            char piece[100];
            size_t got;
            if (t != NULL && t->size > 0) {
                code = ts_scan_text_part(&got, scan, b->rows - 1, k, t->size - 1, piece, 100);
            }
        }
    }
    for (int64_t at = -600; at < 600 && code == TS_OK; at += 119) {
        code = ts_scan_row(&b, scan, at);
    }
    ts_scan_close(scan);
    return code;
}

static bool says(const ts_ctx *ctx, const char *words)
{
    return strstr(ctx->error.causes[0], words) != NULL;
}

static void test_refused(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *create, *insert, *words;
    } cases[] = {
        {"CREATE TABLE t0(c0 INTEGER, c1 INTEGER PRIMARY KEY) WITHOUT ROWID",
         "INSERT INTO t0 VALUES(1, 2)", "WITHOUT ROWID"},
        {"CREATE TABLE t0(c0, c1)", "INSERT INTO t0 VALUES(1, 'x')",
         "column c1 of row 1 holds no integer"},
        {"CREATE TABLE t0(c0, c1)", "INSERT INTO t0 VALUES(1, 1.5)",
         "column c1 of row 1 holds no integer"},
        {"CREATE TABLE t0(c0, c1)", "INSERT INTO t0 VALUES(x'00', 1)",
         "column c0 of row 1 holds no integer"},
    };
    for (unsigned i = 0; i < 4; i++) {
        ts_table table;
        int fd;
        uint64_t rows;
        char *path = path_of(f, "refused.db");
        test_write_file(path, "", 0);
        sqlite3 *db = db_open(path);
        table_make(&table, 0, "ii");
        db_run(db, cases[i].create);
        db_run(db, cases[i].insert);
        ts_reader *r = reader_of(f, path, &table, &fd, db);
        assert_int_equal(scan_all(r, &table, &rows), TS_ERR_INPUT);
        if (!says(f->ctx, cases[i].words) || !says(f->ctx, "page=2")) {
            fail_msg("%s", f->ctx->error.causes[0]);
        }
        ts_reader_free(r);
        sqlite3_close(db);
        close(fd);
        unlink(path);
        table_free(&table);
        free(path);
    }
}

/* --- damage -------------------------------------------------------------------------------- */

/* A file of a few pages of 512 bytes: interior pages, leaves, overflow. */
static char *small_file(const fixture *f, size_t *n)
{
    char *path = path_of(f, "small.db");
    test_write_file(path, "", 0);
    sqlite3 *db = db_open(path);
    db_run(db, "PRAGMA page_size = 512");
    db_run(db, create_plain);
    fill(db, 24);
    sqlite3_close(db);
    char *file = test_read_file(path, n);
    free(path);
    return file;
}

static ts_code scan_file(const fixture *f, const char *path, const ts_table *table, uint64_t *rows)
{
    ts_reader *r = NULL;
    const ts_reader_config config = {.fd = open(path, O_RDONLY | O_CLOEXEC), .path = path};
    ts_code code = ts_reader_new(&r, f->ctx, &config);
    if (code == TS_OK) {
        ts_reader_table(r, 0, table, 2, false);
        code = scan_all(r, table, rows);
    }
    ts_reader_free(r);
    close(config.fd);
    return code;
}

static ts_code scan_bytes(const fixture *f, const char *path, const char *file, size_t n,
                          const ts_table *table, uint64_t *rows)
{
    test_write_file(path, file, n);
    return scan_file(f, path, table, rows);
}

/* Each byte with other bits: rows or an error that names a page, never a crash or a long way. */
static void test_each_byte_damaged(void **state)
{
    fixture *f = *state;
    static const unsigned char flips[] = {0x01, 0x80, 0xff};
    ts_table table;
    size_t n;
    uint64_t rows;
    unsigned errors = 0;
    char *file = small_file(f, &n);
    char *path = path_of(f, "damaged.db");
    table_make(&table, 0, "kirtit");
    assert_ok(f->ctx, scan_bytes(f, path, file, n, &table, &rows));
    assert_int_equal(rows, 24);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < 3; k++) {
            char flipped = (char)(file[i] ^ flips[k]);
            if ((i >= 100 && i < 512) || (!test_slow() && k != i % 3)) {
                continue; /* the schema is not read here */
            }
            assert_int_equal(pwrite(fd, &flipped, 1, (off_t)i), 1);
            ts_code code = scan_file(f, path, &table, &rows);
            assert_true(code == TS_OK || code == TS_ERR_INPUT);
            assert_true(rows <= 4000);
            errors += code != TS_OK ? 1 : 0;
            if (code != TS_OK && i >= 512 && !says(f->ctx, "page=")) {
                fail_msg("byte %zu: %s", i, f->ctx->error.causes[0]);
            }
        }
        assert_int_equal(pwrite(fd, file + i, 1, (off_t)i), 1);
    }
    close(fd);
    assert_true(errors > (test_slow() ? 300 : 100));
    for (size_t cut = 0; cut < n; cut += 97) {
        ts_code code = scan_bytes(f, path, file, cut, &table, &rows);
        assert_int_equal(code, TS_ERR_INPUT);
    }
    free(file);
    free(path);
    table_free(&table);
}

/* A tree whose pages lead back to itself. */
static void test_cycles(void **state)
{
    fixture *f = *state;
    ts_table table;
    size_t n;
    uint64_t rows;
    char *file = small_file(f, &n);
    char *path = path_of(f, "cycle.db");
    unsigned char *root = (unsigned char *)file + 512;
    table_make(&table, 0, "kirtit");
    assert_int_equal(root[0], INTERIOR_TYPE);
    unsigned char saved[4];
    memcpy(saved, root + 8, 4);
    root[8] = root[9] = root[10] = 0;
    root[11] = 2; /* the last child is the root */
    assert_int_equal(scan_bytes(f, path, file, n, &table, &rows), TS_ERR_INPUT);
    memcpy(root + 8, saved, 4);
    unsigned char *cell = root + be16(root + 12);
    cell[0] = cell[1] = cell[2] = 0;
    cell[3] = 2; /* and the first one */
    assert_int_equal(scan_bytes(f, path, file, n, &table, &rows), TS_ERR_INPUT);
    assert_true(says(f->ctx, "the tree is too deep"));
    free(file);
    free(path);
    table_free(&table);
}

/* A page of 512 bytes in a file of them. */
static unsigned char *page_at(char *file, unsigned number)
{
    return (unsigned char *)file + (size_t)(number - 1) * 512;
}

/* Pages that share all their children, with a leaf without rows below: without a limit on the pages
 * that a scan may look at, it would look at 60 to the power of 15. */
static void test_shared_children(void **state)
{
    fixture *f = *state;
    enum { LEVELS = 15, CELLS = 60 };
    ts_table table;
    size_t n;
    uint64_t rows;
    char *start = small_file(f, &n);
    char *file = calloc(LEVELS + 2, 512);
    char *path = path_of(f, "shared.db");
    assert_non_null(file);
    memcpy(file, start, 512);
    for (unsigned level = 0; level < LEVELS; level++) {
        unsigned char *page = page_at(file, level + 2);
        page[0] = INTERIOR_TYPE;
        page_put16(page + 3, CELLS);
        page_put16(page + 5, 500);
        page_put32(page + 8, level + 3);
        for (unsigned i = 0; i < CELLS; i++) {
            page_put16(page + 12 + (size_t)i * 2, 500);
        }
        page_put32(page + 500, level + 3);
        page[504] = 1;
    }
    page_at(file, LEVELS + 2)[0] = LEAF_TYPE;
    table_make(&table, 0, "kirtit");
    size_t whole = ((size_t)LEVELS + 2) * 512;
    assert_int_equal(scan_bytes(f, path, file, whole, &table, &rows), TS_ERR_INPUT);
    if (!says(f->ctx, "pages are used twice")) {
        fail_msg("%s", f->ctx->error.causes[0]);
    }
    free(start);
    free(file);
    free(path);
    table_free(&table);
}

/* One leaf with one row that leaves its page, its record or its header by a little. */
static void test_row_outside(void **state)
{
    fixture *f = *state;
    static const struct {
        unsigned char cell[8]; /* at the end of the page */
        ts_code code;
        const char *words;
    } cases[] = {
        {{6, 1, 4, 1, 15, 8, 5, 'x'}, TS_OK, ""},
        {{7, 1, 4, 1, 15, 8, 5, 'x'}, TS_ERR_INPUT, "a row lies outside of its page"},
        {{0x83, 0x00, 1, 4, 1, 15, 1, 5}, TS_ERR_INPUT, "a row lies outside of its page"},
        {{6, 1, 4, 1, 17, 8, 5, 'x'}, TS_ERR_INPUT, "a value lies outside of its record"},
        {{6, 1, 7, 1, 15, 8, 5, 'x'}, TS_ERR_INPUT, "longer than the record"},
        {{6, 1, 4, 10, 15, 8, 5, 'x'}, TS_ERR_INPUT, "a value lies outside of its record"},
        {{6, 1, 4, 6, 15, 8, 5, 'x'}, TS_ERR_INPUT, "a value lies outside of its record"},
        {{6, 1, 3, 0x81, 0x80, 1, 5, 'x'}, TS_ERR_INPUT, "a value lies outside of its record"},
    };
    ts_table table;
    size_t n;
    char *start = small_file(f, &n);
    char *path = path_of(f, "outside.db");
    table_make(&table, 0, "iti");
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[1024] = {0};
        uint64_t rows;
        memcpy(file, start, 512);
        unsigned char *page = page_at(file, 2);
        page[0] = LEAF_TYPE;
        page_put16(page + 3, 1);
        page_put16(page + 5, 504);
        page_put16(page + 8, 504);
        memcpy(page + 504, cases[i].cell, 8);
        assert_int_equal(scan_bytes(f, path, file, sizeof file, &table, &rows), cases[i].code);
        if (cases[i].code != TS_OK && !says(f->ctx, cases[i].words)) {
            fail_msg("case %u: %s", i, f->ctx->error.causes[0]);
        }
    }
    free(start);
    free(path);
    table_free(&table);
}

/* --- failures around it -------------------------------------------------------------------- */

typedef struct preads {
    unsigned calls, fail_at;
    int number; /* errno; 0: the end of the file */
} preads;

static ssize_t failing_pread(void *user, int fd, void *p, size_t n, off_t at)
{
    preads *s = user;
    s->calls++;
    if (s->calls == s->fail_at) {
        errno = s->number;
        return s->number == 0 ? 0 : -1;
    }
    return pread(fd, p, n > 700 ? 700 : n, at); /* in pieces */
}

static void test_failing_reads(void **state)
{
    fixture *f = *state;
    static const int numbers[] = {EIO, EINTR, 0};
    ts_table table;
    size_t n;
    uint64_t rows;
    preads s = {0};
    char *file = small_file(f, &n);
    char *path = path_of(f, "reads.db");
    ts_sys sys = f->ctx->sys;
    table_make(&table, 0, "kirtit");
    f->ctx->sys.user = &s;
    f->ctx->sys.pread = failing_pread;
    assert_ok(f->ctx, scan_bytes(f, path, file, n, &table, &rows));
    unsigned calls = s.calls;
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned at = 1; at <= calls; at++) {
            s = (preads){.fail_at = at, .number = numbers[k]};
            ts_code code = scan_bytes(f, path, file, n, &table, &rows);
            assert_int_equal(code, numbers[k] == EINTR ? TS_OK : TS_ERR_INPUT);
        }
    }
    f->ctx->sys = sys;
    free(file);
    free(path);
    table_free(&table);
}

static void test_failing_memory(void **state)
{
    fixture *f = *state;
    ts_table table;
    size_t n;
    uint64_t rows;
    char *file = small_file(f, &n);
    char *path = path_of(f, "memory.db");
    test_failing failing = {0};
    ts_allocator allocator = f->ctx->allocator;
    table_make(&table, 0, "kirtit");
    for (failing.fail_at = 1;; failing.fail_at++) {
        failing.calls = 0;
        f->ctx->allocator = test_failing_allocator(&failing);
        ts_code code = scan_bytes(f, path, file, n, &table, &rows);
        f->ctx->allocator = allocator;
        if (code == TS_OK) {
            break;
        }
        assert_int_equal(code, TS_ERR_NOMEM);
    }
    assert_true(failing.fail_at > 10);
    free(file);
    free(path);
    table_free(&table);
}

static void test_interrupted(void **state)
{
    fixture *f = *state;
    ts_table table;
    size_t n;
    uint64_t rows;
    volatile sig_atomic_t signal_number = 2;
    char *file = small_file(f, &n);
    char *path = path_of(f, "interrupted.db");
    table_make(&table, 0, "kirtit");
    f->ctx->cancel = &signal_number;
    assert_int_equal(scan_bytes(f, path, file, n, &table, &rows), TS_ERR_INTERRUPTED);
    f->ctx->cancel = NULL;
    free(file);
    free(path);
    table_free(&table);
}

/* --- a database of ours -------------------------------------------------------------------- */

/* Rows in the writer's memory, texts that came later, cells that became NULL; then the same from
 * the finished file. */
static void test_late_cells(void **state)
{
    fixture *f = *state;
    static const unsigned columns[] = {TS_C_stack_method__name, TS_C_stack_method__raw_id};
    char *path = path_of(f, "late.db");
    ts_db *db = NULL;
    ts_reader *r = NULL;
    ts_scan *scan = NULL;
    const ts_batch *b;
    test_write_file(path, "", 0);
    assert_ok(f->ctx, ts_db_create(&db, f->ctx, path));
    ts_sink *sink = ts_db_sink(db);
    for (int64_t i = 1; i <= 1000; i++) {
        ts_row_stack_method row = {.id = i, .source_id = 1, .raw_id = i * 10};
        assert_ok(f->ctx, ts_put_stack_method(sink, &row));
    }
    assert_ok(f->ctx, ts_sink_late_text(sink, TS_T_stack_method, 700, TS_C_stack_method__name,
                                        TS_TEXT_LIT("first")));
    assert_ok(f->ctx, ts_sink_late_text(sink, TS_T_stack_method, 3, TS_C_stack_method__name,
                                        TS_TEXT_LIT("other")));
    assert_ok(f->ctx, ts_sink_late_text(sink, TS_T_stack_method, 700, TS_C_stack_method__name,
                                        TS_TEXT_LIT("last")));
    assert_ok(f->ctx, ts_sink_invalidate(sink, TS_T_stack_method, 500, 999,
                                         TS_NULL_BIT(stack_method, raw_id)));
    for (unsigned finished = 0; finished < 2; finished++) {
        int64_t at = 0;
        assert_ok(f->ctx, finished == 0 ? ts_db_reader(&r, db) : ts_reader_open(&r, f->ctx, path));
        assert_ok(f->ctx, ts_scan_open(&scan, r, TS_T_stack_method, columns, 2));
        for (;;) {
            assert_ok(f->ctx, ts_scan_next(&b, scan));
            for (unsigned i = 0; i < b->rows; i++) {
                bool invalid = ++at >= 500 && at <= 999;
                const ts_scan_text *name = &b->columns[0].texts[i];
                assert_int_equal(b->rowids[i], at);
                assert_int_equal(b->columns[1].null[i], invalid);
                assert_int_equal(b->columns[1].ints[i], invalid ? 0 : at * 10);
                assert_int_equal(b->columns[0].null[i], at != 3 && at != 700);
                if (at == 3 || at == 700) {
                    assert_int_equal(name->n, at == 3 ? 5 : 4);
                    assert_memory_equal(name->p, at == 3 ? "other" : "last", name->n);
                }
            }
            if (b->rows == 0) {
                break;
            }
        }
        assert_int_equal(at, 1000);
        ts_scan_close(scan);
        ts_reader_free(r);
        if (finished == 0) {
            assert_ok(f->ctx, ts_db_finish(db, false, NULL));
            ts_db_close(db);
        }
    }
    free(path);
}

/* Ranges of cells that became NULL, in any order and overlapping. */
static void test_null_ranges(void **state)
{
    fixture *f = *state;
    enum { ROWS = 3000, RANGES = 200 };
    static const unsigned columns[] = {TS_C_stack_method__raw_id, TS_C_stack_method__line};
    static const uint64_t bits[] = {TS_NULL_BIT(stack_method, raw_id),
                                    TS_NULL_BIT(stack_method, line)};
    static bool want[2][ROWS + 1];
    char *path = path_of(f, "ranges.db");
    uint32_t seed = 1;
    int64_t at = 0;
    ts_db *db = NULL;
    ts_reader *r = NULL;
    ts_scan *scan = NULL;
    const ts_batch *b;
    test_write_file(path, "", 0);
    assert_ok(f->ctx, ts_db_create(&db, f->ctx, path));
    for (int64_t i = 1; i <= ROWS; i++) {
        ts_row_stack_method row = {.id = i, .source_id = 1, .raw_id = i, .line = i};
        assert_ok(f->ctx, ts_put_stack_method(ts_db_sink(db), &row));
    }
    for (unsigned i = 0; i < RANGES; i++) {
        seed = seed * 1664525 + 1013904223;
        int64_t first = 1 + (seed >> 8) % ROWS;
        int64_t last = first + (seed >> 4) % (i == 0 ? ROWS / 4 : 20);
        last = last > ROWS ? ROWS : last;
        unsigned which = 1 + i % 3;
        assert_ok(f->ctx, ts_sink_invalidate(ts_db_sink(db), TS_T_stack_method, first, last,
                                             ((which & 1) != 0 ? bits[0] : 0) |
                                                 ((which & 2) != 0 ? bits[1] : 0)));
        for (int64_t k = first; k <= last; k++) {
            want[0][k] = want[0][k] || (which & 1) != 0;
            want[1][k] = want[1][k] || (which & 2) != 0;
        }
    }
    assert_ok(f->ctx, ts_db_reader(&r, db));
    assert_ok(f->ctx, ts_scan_open(&scan, r, TS_T_stack_method, columns, 2));
    do {
        assert_ok(f->ctx, ts_scan_next(&b, scan));
        for (unsigned i = 0; i < b->rows; i++) {
            at++;
            for (unsigned c = 0; c < 2; c++) {
                assert_int_equal(b->columns[c].null[i], want[c][at]);
                assert_int_equal(b->columns[c].ints[i], want[c][at] ? 0 : at);
            }
        }
    } while (b->rows > 0);
    assert_int_equal(at, ROWS);
    assert_ok(f->ctx, ts_scan_row(&b, scan, 2));
    assert_int_equal(b->columns[0].null[0], want[0][2]);
    ts_scan_close(scan);
    ts_reader_free(r);
    ts_db_close(db);
    free(path);
}

/* Rows that come after a scan has begun are for the next one, and do not disturb it. */
static void test_rows_during_a_scan(void **state)
{
    fixture *f = *state;
    static const unsigned column = TS_C_stack_sample_value__value;
    char *path = path_of(f, "during.db");
    ts_db *db = NULL;
    ts_reader *r = NULL;
    ts_scan *scan = NULL;
    const ts_batch *b;
    int64_t at = 0;
    int64_t put = 0;
    test_write_file(path, "", 0);
    assert_ok(f->ctx, ts_db_create(&db, f->ctx, path));
    ts_row_stack_sample_value row = {.sample_id = 1};
    for (; put < 300000; put++) {
        row.value = put;
        assert_ok(f->ctx, ts_put_stack_sample_value(ts_db_sink(db), &row));
    }
    assert_ok(f->ctx, ts_db_reader(&r, db));
    assert_ok(f->ctx, ts_scan_open(&scan, r, TS_T_stack_sample_value, &column, 1));
    for (;;) {
        assert_ok(f->ctx, ts_scan_next(&b, scan));
        for (unsigned i = 0; i < b->rows; i++, put++) {
            assert_int_equal(b->columns[0].ints[i], at++);
            row.value = put;
            assert_ok(f->ctx, ts_put_stack_sample_value(ts_db_sink(db), &row));
        }
        if (b->rows == 0) {
            break;
        }
    }
    assert_int_equal(at, 300000);
    ts_scan_close(scan);
    assert_ok(f->ctx, ts_scan_open(&scan, r, TS_T_stack_sample_value, &column, 1));
    assert_ok(f->ctx, ts_scan_row(&b, scan, 600000));
    assert_int_equal(b->rows, 1);
    assert_int_equal(b->columns[0].ints[0], 599999);
    ts_scan_close(scan);
    ts_reader_free(r);
    ts_db_close(db);
    free(path);
}

static void test_databases_refused(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *sql, *words;
    } cases[] = {
        {"PRAGMA application_id = 1", "not a database of trace_streamer"},
        {"PRAGMA user_version = 77", "it has version 77 of the schema"},
        {"DROP TABLE stack_node; CREATE TABLE stack_node(id INTEGER PRIMARY KEY, x) WITHOUT ROWID",
         "stack_node is not as this program makes it"},
        {"ALTER TABLE stack_node ADD COLUMN x", "stack_node is not as this program makes it"},
    };
    for (unsigned i = 0; i < 4; i++) {
        char *path = path_of(f, "ours.db");
        ts_db *db = NULL;
        ts_reader *r = NULL;
        test_write_file(path, "", 0);
        assert_ok(f->ctx, ts_db_create(&db, f->ctx, path));
        assert_ok(f->ctx, ts_db_finish(db, false, NULL));
        ts_db_close(db);
        assert_ok(f->ctx, ts_reader_open(&r, f->ctx, path));
        ts_reader_free(r);
        sqlite3 *handle = db_open(path);
        db_run(handle, cases[i].sql);
        sqlite3_close(handle);
        assert_int_equal(ts_reader_open(&r, f->ctx, path), TS_ERR_INPUT);
        if (!says(f->ctx, cases[i].words)) {
            fail_msg("%s", f->ctx->error.causes[0]);
        }
        unlink(path);
        free(path);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_pages_of_sqlite),   TEST(test_integers),          TEST(test_reserved_bytes),
        TEST(test_refused),           TEST(test_each_byte_damaged), TEST(test_cycles),
        TEST(test_failing_reads),     TEST(test_failing_memory),    TEST(test_interrupted),
        TEST(test_late_cells),        TEST(test_null_ranges),       TEST(test_rows_during_a_scan),
        TEST(test_databases_refused), TEST(test_shared_children),   TEST(test_row_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Running SQL on a finished database: statements, parameters, errors, and that nothing changes. */
#include "tables_files.h"

#include "tables/database.h"
#include "tables/rows.h"

#include <errno.h>
#include <signal.h>

/* A finished database with two processes, opened for queries. */
typedef struct opened {
    fixture *f;
    char *path;
    ts_db *db;
} opened;

static void make_database(const fixture *f, const char *path)
{
    ts_db *db = NULL;
    test_write_file(path, "", 0);
    assert_ok(f->ctx, ts_db_create(&db, f->ctx, path));
    ts_row_process row = {.id = 1, .pid = 100, .name = TS_TEXT_LIT("first")};
    assert_ok(f->ctx, ts_put_process(ts_db_sink(db), &row));
    row = (ts_row_process){.id = 2, .pid = 200, .name = {"nul\0inside", 10}};
    TS_SET_NULL(process, &row, start_ts);
    assert_ok(f->ctx, ts_put_process(ts_db_sink(db), &row));
    assert_ok(f->ctx, ts_db_finish(db, false, NULL));
    ts_db_close(db);
}

static int setup(void **state)
{
    void *f = NULL;
    fixture_setup(&f);
    opened *o = calloc(1, sizeof *o);
    assert_non_null(o);
    o->f = f;
    o->path = path_of(o->f, "a.db");
    make_database(o->f, o->path);
    assert_ok(o->f->ctx, ts_db_open(&o->db, o->f->ctx, o->path));
    *state = o;
    return 0;
}

static int teardown(void **state)
{
    opened *o = *state;
    void *f = o->f;
    ts_db_close(o->db);
    free(o->path);
    free(o);
    return fixture_teardown(&f);
}

/* What the visitor saw: "#" and names, then rows; cells divided by '|'. */
typedef struct seen {
    char text[4096];
    size_t n;
    int stop_at_row; /* 0 = never */
    int rows;
} seen;

static void add(seen *s, const char *p, size_t n)
{
    assert_true(s->n + n < sizeof s->text);
    memcpy(s->text + s->n, p, n);
    s->n += n;
    s->text[s->n] = '\0';
}

static ts_code on_header(void *user, const char *const *names, int n)
{
    seen *s = user;
    add(s, "#", 1);
    for (int i = 0; i < n; i++) {
        add(s, names[i], strlen(names[i]));
        add(s, i + 1 < n ? "|" : "\n", 1);
    }
    return TS_OK;
}

static ts_code on_row(void *user, const char *const *values, const size_t *lengths,
                      const ts_cell_type *types, int n)
{
    (void)types;
    seen *s = user;
    for (int i = 0; i < n; i++) {
        if (values[i] == NULL) {
            assert_int_equal(lengths[i], 0);
            add(s, "NULL", 4);
        } else {
            add(s, values[i], lengths[i]);
        }
        add(s, i + 1 < n ? "|" : "\n", 1);
    }
    s->rows++;
    return s->rows == s->stop_at_row ? TS_ERR_OUTPUT : TS_OK;
}

static ts_code run(ts_db *db, seen *s, const char *sql, const ts_param *params, size_t count)
{
    const ts_rows_visitor visitor = {s, on_header, on_row, NULL, NULL};
    s->n = 0;
    s->rows = 0;
    s->text[0] = '\0';
    return ts_db_query(db, sql, strlen(sql), params, count, &visitor);
}

static void check(const opened *o, const char *sql, const ts_param *params, size_t count,
                  const char *expected)
{
    seen s = {0};
    assert_ok(o->f->ctx, run(o->db, &s, sql, params, count));
    assert_string_equal(s.text, expected);
}

static void refuse(const opened *o, const char *sql, const ts_param *params, size_t count,
                   const char *part)
{
    seen s = {0};
    assert_failure(o->f->ctx, run(o->db, &s, sql, params, count), TS_ERR_USAGE, part);
}

static void test_statements_are_split_by_sqlite(void **state)
{
    const opened *o = *state;
    check(o, "SELECT 1 AS a, 'x;y' AS \"b;c\"; SELECT 2", NULL, 0, "#a|b;c\n1|x;y\n#2\n2\n");
    check(o, "", NULL, 0, "");
    check(o, " ;; ;\n", NULL, 0, "");
    check(o, "-- only a comment; SELECT 1", NULL, 0, "");
    check(o, "/* one ; */ -- two ;\n; SELECT /* ; */ 3 AS a -- end", NULL, 0, "#a\n3\n");
    check(o, "SELECT 4 AS a /* never closed", NULL, 0, "#a\n4\n");
    check(o, "/* never closed", NULL, 0, "");
    refuse(o, "SELECT 4;\n/*", NULL, 0, "line=2: near \"/\": syntax error"); /* as SQLite has it */
    refuse(o, "\v", NULL, 0, "line=1: unrecognized token");
    check(o, "\xef\xbb\xbfSELECT 5", NULL, 0, "#5\n5\n");
    /* A header also where there are no rows. */
    check(o, "SELECT pid, name FROM process WHERE 0", NULL, 0, "#pid|name\n");
    /* Only the first part of the text counts. */
    seen s = {0};
    const ts_rows_visitor visitor = {&s, on_header, on_row, NULL, NULL};
    assert_ok(o->f->ctx, ts_db_query(o->db, "SELECT 67", 8, NULL, 0, &visitor));
    assert_string_equal(s.text, "#6\n6\n");
}

static void test_values_are_texts(void **state)
{
    const opened *o = *state;
    check(o, "SELECT pid, start_ts FROM process", NULL, 0, "#pid|start_ts\n100|0\n200|NULL\n");
    check(o, "SELECT 0.1, -1e300, 9223372036854775807, x'414200', ''", NULL, 0,
          "#0.1|-1e300|9223372036854775807|x'414200'|''\n0.1|-1.0e+300|9223372036854775807|AB");
}

static ts_code length_of_name(void *user, const char *const *values, const size_t *lengths,
                              const ts_cell_type *types, int n)
{
    (void)types;
    assert_int_equal(n, 1);
    assert_memory_equal(values[0], "nul\0inside", 10);
    *(size_t *)user = lengths[0];
    return TS_OK;
}

static void test_texts_have_their_whole_length(void **state)
{
    const opened *o = *state;
    size_t n = 0;
    const ts_rows_visitor visitor = {&n, NULL, length_of_name, NULL, NULL};
    static const char sql[] = "SELECT name FROM process WHERE pid = 200";
    assert_ok(o->f->ctx, ts_db_query(o->db, sql, strlen(sql), NULL, 0, &visitor));
    assert_int_equal(n, 10);
}

static void test_parameters(void **state)
{
    const opened *o = *state;
    const ts_param params[] = {{"i", "-12"}, {"r", "2.50"}, {"t", "two words"}, {"e", "1e3"}};
    check(o,
          "SELECT typeof(:i), :i, typeof(@r), @r, typeof($t), $t, typeof(:e), :missing, ?, ?9;"
          "SELECT :i + 1",
          params, 4,
          "#typeof(:i)|:i|typeof(@r)|@r|typeof($t)|$t|typeof(:e)|:missing|?|?9\n"
          "integer|-12|real|2.5|text|two words|real|NULL|NULL|NULL\n#:i + 1\n-11\n");
    /* The last value of a name counts. */
    const ts_param twice[] = {{"p", "100"}, {"p", "200"}};
    check(o, "SELECT id FROM process WHERE pid = :p", twice, 2, "#id\n2\n");
}

static void test_types_of_parameters(void **state)
{
    const opened *o = *state;
    static const char *const cases[][2] = {
        {"0", "integer"},
        {"+7", "integer"},
        {"-0", "integer"},
        {"007", "integer"},
        {"9223372036854775807", "integer"},
        {"9223372036854775808", "real"},
        {"-9223372036854775808", "integer"},
        {"1.", "real"},
        {".5", "real"},
        {"-.5e-3", "real"},
        {"1E5", "real"},
        {"", "text"},
        {"-", "text"},
        {".", "text"},
        {"1e", "text"},
        {"1e+", "text"},
        {" 1", "text"},
        {"1 ", "text"},
        {"0x10", "text"},
        {"nan", "text"},
        {"inf", "text"},
        {"1_000", "text"},
        {"1,5", "text"},
        {"e5", "text"},
        {"--1", "text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const ts_param param = {"v", cases[i][0]};
        char expected[64];
        snprintf(expected, sizeof expected, "#t\n%s\n", cases[i][1]);
        check(o, "SELECT typeof(:v) AS t", &param, 1, expected);
    }
}

static void test_unknown_parameters(void **state)
{
    const opened *o = *state;
    const ts_param params[] = {{"from", "1"}, {"too", "2"}};
    seen s = {0};
    assert_failure(o->f->ctx, run(o->db, &s, "SELECT :from; SELECT :to", params, 2), TS_ERR_USAGE,
                   "\"too\"");
    /* It is found before anything is printed. */
    assert_int_equal(s.n, 0);
    refuse(o, "", params, 1, "\"from\"");
    refuse(o, "SELECT ':from' -- :from", params, 1, "\"from\"");
    /* Names are compared as they are. */
    refuse(o, "SELECT :From", params, 1, "\"from\"");
    /* Where a later statement needs an earlier one, it is found at the end. */
    refuse(o, "CREATE TEMP TABLE x AS SELECT :from AS a; SELECT a FROM x", params, 2, "\"too\"");
    check(o, "CREATE TEMP TABLE y AS SELECT 1 AS a; SELECT a + :from AS b FROM y", params, 1,
          "#b\n2\n");
}

static void test_errors_name_the_line(void **state)
{
    const opened *o = *state;
    refuse(o, "SELECT 1;\n\n-- comment\n/* two\nlines */ SELECT * FROM nowhere", NULL, 0,
           "line=5: no such table: nowhere");
    refuse(o, "SELEC 1", NULL, 0, "line=1: near \"SELEC\": syntax error");
    refuse(o, "SELECT 1;\nSELECT (", NULL, 0, "line=2: incomplete input");
    refuse(o, "SELECT 1;\nSELECT abs(-9223372036854775807 - 1)", NULL, 0,
           "line=2: integer overflow");
    seen s = {0};
    const ts_rows_visitor visitor = {&s, on_header, on_row, NULL, NULL};
    assert_failure(o->f->ctx, ts_db_query(o->db, "SELECT 1\0;", 10, NULL, 0, &visitor),
                   TS_ERR_USAGE, "NUL byte");
}

/* Not even beside the database, although SQLite would do it on a connection for reading. */
static void refuse_to_write(const opened *o)
{
    char *path = path_of(o->f, "copy.db");
    char sql[200];
    snprintf(sql, sizeof sql, "VACUUM INTO '%s'", path);
    refuse(o, sql, NULL, 0, "line=1: queries cannot change the database");
    assert_false(exists(path));
    snprintf(sql, sizeof sql, "ATTACH '%s' AS copy", path);
    refuse(o, sql, NULL, 0, "line=1: queries cannot change the database");
    assert_false(exists(path));
    refuse(o, "PRAGMA writable_schema = 1", NULL, 0, "line=1: queries cannot");
    free(path);
}

static void test_nothing_can_be_written(void **state)
{
    const opened *o = *state;
    size_t before;
    size_t after;
    char *p = test_read_file(o->path, &before);
    refuse(o, "DELETE FROM process", NULL, 0, "line=1: queries cannot change the database");
    refuse(o, "CREATE TABLE t(a)", NULL, 0, "queries cannot");
    refuse(o, "PRAGMA user_version = 7; INSERT INTO process(id) VALUES (9)", NULL, 0,
           "queries cannot");
    refuse_to_write(o);
    check(o, "SELECT count(*) FROM process", NULL, 0, "#count(*)\n2\n");
    char *q = test_read_file(o->path, &after);
    assert_int_equal(before, after);
    assert_memory_equal(p, q, before);
    free(p);
    free(q);
    assert_int_equal(count_names(o->f->dir), 1);
}

/* The connection that wrote the database answers too, and cannot write any more either. */
static void test_query_after_finish(void **state)
{
    const opened *o = *state;
    fixture *f = o->f;
    char *path = path_of(f, "b.db");
    ts_db *db = NULL;
    seen s = {0};
    test_write_file(path, "", 0);
    assert_ok(f->ctx, ts_db_create(&db, f->ctx, path));
    ts_row_process row = {.id = 1, .pid = 100};
    assert_ok(f->ctx, ts_put_process(ts_db_sink(db), &row));
    assert_int_equal(unlink(path), 0); /* as runs without -e do */
    assert_ok(f->ctx, ts_db_finish(db, true, NULL));
    assert_ok(f->ctx, run(db, &s, "SELECT pid FROM process", NULL, 0));
    assert_string_equal(s.text, "#pid\n100\n");
    static const char *const writing[] = {
        "INSERT INTO process(id) VALUES (2)",
        "UPDATE process SET pid = 1",
        "DELETE FROM process",
        "CREATE TABLE t(a)",
        "CREATE INDEX i ON process(pid)",
        "DROP TABLE process",
        "ALTER TABLE process RENAME TO p",
        "VACUUM",
        "ANALYZE",
        "REINDEX",
        "PRAGMA user_version = 2",
        "PRAGMA journal_mode = WAL",
        "PRAGMA query_only(0)",
        "ATTACH 'x.db' AS x",
        "VACUUM INTO 'x.db'",
    };
    for (size_t i = 0; i < sizeof writing / sizeof writing[0]; i++) {
        assert_failure(f->ctx, run(db, &s, writing[i], NULL, 0), TS_ERR_USAGE,
                       "line=1: queries cannot");
    }
    assert_failure(f->ctx, run(db, &s, "UPDATE sqlite_master SET sql = ''", NULL, 0), TS_ERR_USAGE,
                   "may not be modified");
    assert_false(exists("x.db"));
    assert_ok(f->ctx, run(db, &s,
                          "PRAGMA user_version; CREATE TEMP TABLE t AS SELECT pid FROM process;"
                          "INSERT INTO t VALUES (7); SELECT sum(pid) AS s FROM t; DROP TABLE t;"
                          "SELECT name FROM pragma_table_info('trace_range')",
                          NULL, 0));
    assert_string_equal(s.text, "#user_version\n2\n#s\n107\n#name\nstart_ts\nend_ts\n");
    ts_db_close(db);
    free(path);
}

static void test_visitor_can_stop(void **state)
{
    const opened *o = *state;
    seen s = {.stop_at_row = 1};
    assert_int_equal(run(o->db, &s, "SELECT pid FROM process; SELECT 3", NULL, 0), TS_ERR_OUTPUT);
    assert_string_equal(s.text, "#pid\n100\n");
}

static void test_signal_interrupts(void **state)
{
    const opened *o = *state;
    volatile sig_atomic_t signal_number = SIGINT;
    seen s = {0};
    o->f->ctx->cancel = &signal_number;
    assert_int_equal(run(o->db, &s,
                         "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                         "SELECT count(*) FROM n",
                         NULL, 0),
                     TS_ERR_INTERRUPTED);
    o->f->ctx->cancel = NULL;
    check(o, "SELECT 1", NULL, 0, "#1\n1\n");
}

static void test_open_refuses(void **state)
{
    const opened *o = *state;
    ts_ctx *ctx = o->f->ctx;
    ts_db *db = NULL;
    char *path = path_of(o->f, "x");
    assert_failure(ctx, ts_db_open(&db, ctx, path), TS_ERR_INPUT, strerror(ENOENT));
    assert_false(exists(path));
    assert_failure(ctx, ts_db_open(&db, ctx, o->f->dir), TS_ERR_INPUT, "not an SQLite database");
    test_write_file(path, "", 0);
    assert_failure(ctx, ts_db_open(&db, ctx, path), TS_ERR_INPUT, "not an SQLite database");
    test_write_file(path, "SQLite format 3", 16);
    assert_failure(ctx, ts_db_open(&db, ctx, path), TS_ERR_INPUT, "not an SQLite database");
    /* The right beginning, then nothing that makes sense. */
    char damaged[4096];
    memset(damaged, 0x55, sizeof damaged);
    memcpy(damaged, "SQLite format 3", 16);
    test_write_file(path, damaged, sizeof damaged);
    assert_failure(ctx, ts_db_open(&db, ctx, path), TS_ERR_INPUT, path);
    /* A pipe without a writer must not stop us. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_failure(ctx, ts_db_open(&db, ctx, path), TS_ERR_INPUT, "not an SQLite database");
    assert_failure(ctx, ts_db_open(&db, ctx, ":memory:"), TS_ERR_INPUT, strerror(ENOENT));
    assert_null(db);
    free(path);
}

static void test_damage_is_an_error_of_the_input(void **state)
{
    const opened *o = *state;
    char *path = path_of(o->f, "cut.db");
    size_t n;
    char *p = test_read_file(o->path, &n);
    /* The schema stays readable, the pages of the tables are gone. */
    memset(p + n / 2, 0, n - n / 2);
    test_write_file(path, p, n);
    free(p);
    ts_db *db = NULL;
    seen s = {0};
    assert_ok(o->f->ctx, ts_db_open(&db, o->f->ctx, path));
    assert_failure(o->f->ctx,
                   run(db, &s, "SELECT 1;\nSELECT count(description) FROM schema_doc", NULL, 0),
                   TS_ERR_INPUT, "line=2");
    ts_db_close(db);
    free(path);
}

static void test_odd_names(void **state)
{
    const opened *o = *state;
    ts_ctx *ctx = o->f->ctx;
    char *cwd = getcwd(NULL, 0);
    assert_non_null(cwd);
    assert_int_equal(chdir(o->f->dir), 0);
    static const char *const names[] = {":memory:", "file:a?mode=memory", "a b%20#?.db", "-x"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ts_db *db = NULL;
        seen s = {0};
        assert_int_equal(link("a.db", names[i]), 0);
        assert_true(db_is_ours(ctx, names[i]));
        assert_ok(ctx, ts_db_open(&db, ctx, names[i]));
        assert_ok(ctx, run(db, &s, "SELECT count(*) FROM process", NULL, 0));
        assert_string_equal(s.text, "#count(*)\n2\n");
        ts_db_close(db);
    }
    assert_int_equal(chdir(cwd), 0);
    free(cwd);
}

/* A database in WAL mode whose directory has no room for its side files. */
static void test_wal_database_without_side_files(void **state)
{
    const opened *o = *state;
    sqlite3 *handle = NULL;
    char *path = path_of(o->f, "wal %.db");
    char *side = path_of(o->f, "wal %.db-shm");
    make_database(o->f, path);
    assert_int_equal(sqlite3_open(path, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL), 0);
    sqlite3_close(handle);
    /* What stands where the shared memory should be makes it impossible, for root as well. */
    assert_int_equal(mkdir(side, 0700), 0);
    ts_db *db = NULL;
    seen s = {0};
    assert_ok(o->f->ctx, ts_db_open(&db, o->f->ctx, path));
    assert_ok(o->f->ctx, run(db, &s, "SELECT count(*) FROM process", NULL, 0));
    assert_string_equal(s.text, "#count(*)\n2\n");
    ts_db_close(db);
    free(path);
    free(side);
}

static void test_whose_file_is_it(void **state)
{
    const opened *o = *state;
    ts_ctx *ctx = o->f->ctx;
    char *other = path_of(o->f, "other.db");
    assert_true(db_is_ours(ctx, o->path));
    assert_true(db_is_sqlite(ctx, o->path));
    sqlite3 *handle = NULL;
    assert_int_equal(sqlite3_open(other, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, "CREATE TABLE t(a)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(handle);
    assert_false(db_is_ours(ctx, other));
    assert_true(db_is_sqlite(ctx, other));
    test_write_file(other, "text", 4);
    assert_false(db_is_ours(ctx, other));
    assert_false(db_is_sqlite(ctx, other));
    assert_false(db_is_sqlite(ctx, o->f->dir));
    assert_false(db_is_sqlite(ctx, "/dev/null"));
    assert_false(db_is_sqlite(ctx, "/nowhere/at/all"));
    free(other);
}

static void test_every_allocation_may_fail(void **state)
{
    const opened *o = *state;
    ts_ctx *ctx = o->f->ctx;
    const ts_allocator saved = ctx->allocator;
    const ts_param param = {"a", "x"};
    test_failing c = {.forever = true};
    ts_code code = TS_ERR_NOMEM;
    uint64_t used = ctx->memory_used;
    for (uint64_t n = 0; code == TS_ERR_NOMEM && n < 100; n++) {
        ts_db *db = NULL;
        seen s = {0};
        c.calls = 0;
        c.fail_at = n + 1;
        ctx->allocator = test_failing_allocator(&c);
        code = ts_db_open(&db, ctx, o->path);
        if (code == TS_OK) {
            code = run(db, &s, "SELECT 1, 2; SELECT :a, 3, 4, 5", &param, 1);
        }
        ts_db_close(db);
        assert_int_equal(ctx->memory_used, used);
    }
    ctx->allocator = saved;
    assert_ok(ctx, code);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_statements_are_split_by_sqlite),
        TEST(test_values_are_texts),
        TEST(test_texts_have_their_whole_length),
        TEST(test_parameters),
        TEST(test_types_of_parameters),
        TEST(test_unknown_parameters),
        TEST(test_errors_name_the_line),
        TEST(test_nothing_can_be_written),
        TEST(test_query_after_finish),
        TEST(test_visitor_can_stop),
        TEST(test_signal_interrupts),
        TEST(test_open_refuses),
        TEST(test_damage_is_an_error_of_the_input),
        TEST(test_odd_names),
        TEST(test_wal_database_without_side_files),
        TEST(test_whose_file_is_it),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

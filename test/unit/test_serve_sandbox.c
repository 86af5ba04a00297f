/* The restricted connection: statements that it must refuse and such that must work. */
#include "support.h"

#include "serve/api/sandbox.h"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/ts_sandbox_XXXXXX";
static char path[64];

static int make(void **state)
{
    (void)state;
    sqlite3 *db;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/a b%%?#.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT);"
                     "INSERT INTO t VALUES (1, 2, 'x'), (2, 3.5, NULL);"
                     "CREATE INDEX t_a ON t(a); CREATE VIEW v AS SELECT a, b FROM t WHERE a > 2;"
                     "CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT 1; END",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        (void)unlinkat(dirfd(dir), e->d_name, 0);
    }
    (void)closedir(dir);
    return rmdir(folder);
}

static size_t files_in_folder(void)
{
    size_t n = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        n += e->d_name[0] == '.' ? 0 : 1;
    }
    (void)closedir(dir);
    return n;
}

/* Runs a statement to its end; the code of the first call that failed. */
static int run(ts_sandbox *s, const char *sql)
{
    sqlite3_stmt *st = NULL;
    s->denied = false;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(st);
    }
    (void)sqlite3_finalize(st);
    return rc;
}

static const char *const refused[] = {
    "INSERT INTO t VALUES (3, 4, 'y')",
    "INSERT INTO t DEFAULT VALUES",
    "REPLACE INTO t VALUES (1, 1, 1)",
    "INSERT OR REPLACE INTO t SELECT * FROM t",
    "WITH q AS (SELECT 1) INSERT INTO t(a) SELECT * FROM q",
    "UPDATE t SET a = 1",
    "UPDATE OR IGNORE t SET a = 1 WHERE id = 1",
    "DELETE FROM t",
    "DELETE FROM t WHERE id = 1",
    "DELETE FROM sqlite_master",
    "UPDATE sqlite_master SET sql = ''",
    "INSERT INTO t VALUES (9, 9, 9) RETURNING id",
    "CREATE TABLE u(a)",
    "CREATE TABLE u AS SELECT * FROM t",
    "CREATE TEMP TABLE u(a)",
    "CREATE TEMP VIEW u AS SELECT 1",
    "CREATE VIEW u AS SELECT 1",
    "CREATE INDEX u ON t(b)",
    "CREATE TRIGGER u AFTER INSERT ON t BEGIN SELECT 1; END",
    "CREATE TEMP TRIGGER u AFTER INSERT ON t BEGIN SELECT 1; END",
    "CREATE VIRTUAL TABLE u USING fts5(a)",
    "CREATE VIRTUAL TABLE u USING dbstat",
    "DROP TABLE t",
    "DROP VIEW v",
    "DROP INDEX t_a",
    "DROP TRIGGER tr",
    "ALTER TABLE t RENAME TO u",
    "ALTER TABLE t ADD COLUMN c",
    "ALTER TABLE t DROP COLUMN b",
    "ALTER TABLE t RENAME COLUMN b TO c",
    "ATTACH '/etc/passwd' AS p",
    "ATTACH ':memory:' AS m",
    "ATTACH '' AS m",
    "DETACH main",
    "VACUUM",
    "VACUUM INTO '/tmp/stolen.db'",
    "REINDEX",
    "REINDEX t_a",
    "ANALYZE",
    "ANALYZE t",
    "BEGIN",
    "BEGIN IMMEDIATE",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s",
    "RELEASE s",
    "PRAGMA journal_mode = WAL",
    "PRAGMA journal_mode",
    "PRAGMA query_only = 0",
    "PRAGMA writable_schema = 1",
    "PRAGMA user_version = 5",
    "PRAGMA wal_checkpoint",
    "PRAGMA temp_store_directory = '/tmp'",
    "PRAGMA mmap_size = 100000000",
    "PRAGMA trusted_schema = 1",
    "PRAGMA database_list",
    "PRAGMA integrity_check",
    "PRAGMA optimize",
    "PRAGMA hard_heap_limit = 1",
    "SELECT load_extension('libm.so.6')",
    "SELECT * FROM pragma_database_list",
    "SELECT * FROM pragma_integrity_check",
    "EXPLAIN DELETE FROM t",
};

static const char *const working[] = {
    "SELECT 1",
    "SELECT * FROM t",
    "SELECT * FROM v",
    "SELECT a, count(*) FROM t GROUP BY a HAVING count(*) > 0 ORDER BY 2 DESC LIMIT 5 OFFSET 0",
    "SELECT DISTINCT a FROM t",
    "SELECT * FROM t AS x JOIN t AS y ON x.id = y.id",
    "SELECT * FROM t LEFT JOIN v USING (a)",
    "SELECT * FROM t WHERE id IN (SELECT id FROM t)",
    "SELECT EXISTS (SELECT 1 FROM t)",
    "SELECT * FROM t UNION SELECT * FROM t",
    "SELECT * FROM t UNION ALL SELECT * FROM t EXCEPT SELECT * FROM t",
    "WITH q AS (SELECT a FROM t) SELECT * FROM q",
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10) SELECT n FROM c",
    "VALUES (1, 2), (3, 4)",
    "SELECT row_number() OVER (ORDER BY a), lag(a) OVER w FROM t WINDOW w AS (ORDER BY id)",
    "SELECT sum(a), total(a), avg(a), min(a), max(a), group_concat(b) FROM t",
    "SELECT count(*) FILTER (WHERE a > 2) FROM t",
    "SELECT coalesce(b, 'none'), ifnull(b, 1), nullif(a, 2), iif(a > 2, 1, 0) FROM t",
    "SELECT CASE WHEN a > 2 THEN 'x' ELSE 'y' END FROM t",
    "SELECT CAST(a AS TEXT), typeof(a), hex(b), quote(b) FROM t",
    "SELECT substr('abc', 2), instr('abc', 'b'), replace('abc', 'b', 'x'), trim(' a '), upper('a')",
    "SELECT printf('%d', 5), format('%s', 'a'), char(65), unicode('A')",
    "SELECT * FROM t WHERE b LIKE 'x%' OR b GLOB 'x*'",
    "SELECT abs(-1), round(1.5), random() IS NOT NULL, length(zeroblob(5))",
    "SELECT datetime(0, 'unixepoch'), strftime('%Y', 0), julianday(0)",
    "SELECT json_extract('{\"a\":1}', '$.a'), json_array(1, 2), json_object('a', 1)",
    "SELECT value FROM json_each('[1,2,3]')",
    "SELECT fullkey FROM json_tree('{\"a\":[1]}')",
    "SELECT json_group_array(a) FROM t",
    "SELECT name, type FROM sqlite_master",
    "SELECT * FROM sqlite_schema WHERE type = 'table'",
    "PRAGMA table_info(t)",
    "PRAGMA table_xinfo(t)",
    "PRAGMA table_list",
    "PRAGMA index_list(t)",
    "PRAGMA index_xinfo(t_a)",
    "PRAGMA function_list",
    "PRAGMA compile_options",
    "SELECT name FROM pragma_table_info('t')",
    "EXPLAIN QUERY PLAN SELECT * FROM t WHERE a = 2",
    "EXPLAIN SELECT * FROM v",
    "SELECT log10(100), sqrt(2), pow(2, 3)",
    "SELECT * FROM t INDEXED BY t_a WHERE a = 2",
    "SELECT rowid, * FROM t ORDER BY a COLLATE NOCASE",
    "SELECT x'00ff', 'a' || 'b', 1 << 4, ~1, 7 % 4, 1 <> 2, NOT 1, a IS NULL FROM t",
};

static void test_statements(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    ts_sandbox s;
    struct stat before;
    struct stat after;
    int rc;
    assert_int_equal(stat(path, &before), 0);
    assert_ok(ctx, ts_sandbox_open(&s, &rc, ctx, path));
    assert_true(sizeof refused / sizeof refused[0] >= 60);
    assert_true(sizeof working / sizeof working[0] >= 40);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        bool master = strstr(refused[i], "sqlite_master") != NULL; /* refused before it is asked */
        if (run(&s, refused[i]) == SQLITE_DONE || (!s.denied && !master)) {
            fail_msg("not refused: %s", refused[i]);
        }
    }
    for (size_t i = 0; i < sizeof working / sizeof working[0]; i++) {
        if (run(&s, working[i]) != SQLITE_DONE) {
            fail_msg("%s: %s", working[i], sqlite3_errmsg(s.db));
        }
    }
    ts_sandbox_close(&s);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
    assert_int_equal(files_in_folder(), 1);
    test_ctx_free(ctx);
}

static const char endless[] =
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c";

static void test_guard(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    ts_sandbox s;
    atomic_bool stop = true;
    int pair[2];
    int rc;
    assert_ok(ctx, ts_sandbox_open(&s, &rc, ctx, path));
    int64_t begun = ts_guard_now();
    ts_guard guard = {.fd = -1, .deadline_ns = begun + 50000000};
    s.guard = &guard;
    rc = run(&s, endless);
    assert_int_equal(rc, SQLITE_INTERRUPT);
    assert_int_equal(guard.why, TS_GUARD_TIMEOUT);
    assert_true(ts_guard_now() - begun >= 50000000);
    assert_int_equal(ts_sandbox_fail(&s, rc), TS_ERR_INTERRUPTED);
    assert_string_equal(ctx->error.causes[0], "the time limit was reached");

    guard = (ts_guard){.fd = -1, .stop = &stop};
    assert_int_equal(run(&s, endless), SQLITE_INTERRUPT);
    assert_int_equal(guard.why, TS_GUARD_STOPPED);

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    guard = (ts_guard){.fd = pair[0]};
    assert_false(ts_guard_ended(&guard));
    (void)close(pair[1]);
    assert_int_equal(run(&s, endless), SQLITE_INTERRUPT);
    assert_int_equal(guard.why, TS_GUARD_GONE);
    (void)close(pair[0]);
    assert_false(ts_guard_ended(NULL));
    ts_sandbox_close(&s);
    test_ctx_free(ctx);
}

static ts_code open_code(int *rc, ts_ctx *ctx, const char *name)
{
    ts_sandbox s;
    ts_code code = ts_sandbox_open(&s, rc, ctx, name);
    if (code == TS_OK) {
        *rc = run(&s, "SELECT * FROM t");
        code = *rc == SQLITE_DONE ? TS_OK : ts_sandbox_fail(&s, *rc);
    }
    ts_sandbox_close(&s);
    return code;
}

static void test_files(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    char other[80];
    size_t n;
    int rc;
    assert_int_equal(open_code(&rc, ctx, "/nowhere.db"), TS_ERR_INPUT);
    (void)snprintf(other, sizeof other, "%s/other.db", folder);
    char *bytes = test_read_file(path, &n);
    memset(bytes + 4096, 0x5a, 4096); /* the page of t */
    test_write_file(other, bytes, n);
    assert_int_equal(open_code(&rc, ctx, other), TS_ERR_INPUT);
    assert_non_null(strstr(ctx->error.causes[0], "the database is damaged"));
    test_write_file(other,
                    "not a database, and 100 bytes long .....................................", 73);
    assert_int_equal(open_code(&rc, ctx, other), TS_ERR_INPUT);
    free(bytes);

    /* In WAL mode, without a log: no file is made beside it. */
    bytes = test_read_file(path, &n);
    bytes[18] = bytes[19] = 2;
    test_write_file(other, bytes, n);
    assert_int_equal(open_code(&rc, ctx, other), TS_OK);
    assert_int_equal(files_in_folder(), 2);
    free(bytes);
    test_ctx_free(ctx);
}

/* A log is read when its program runs; one that was left is refused: SQLite would make an index for
 * it. */
static void test_log(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    char live[80];
    char copy[80];
    char from[96];
    char to[96];
    sqlite3 *db;
    size_t n;
    int rc;
    (void)snprintf(live, sizeof live, "%s/live.db", folder);
    (void)snprintf(copy, sizeof copy, "%s/copy.db", folder);
    assert_int_equal(sqlite3_open(live, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA journal_mode = WAL; CREATE TABLE t(a);"
                                  "INSERT INTO t VALUES (1)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    static const char *const ends[] = {"", "-wal"};
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(from, sizeof from, "%s%s", live, ends[i]);
        (void)snprintf(to, sizeof to, "%s%s", copy, ends[i]);
        char *bytes = test_read_file(from, &n);
        test_write_file(to, bytes, n);
        free(bytes);
    }
    size_t files = files_in_folder();
    assert_int_equal(open_code(&rc, ctx, copy), TS_ERR_INPUT);
    assert_int_equal(rc & 0xff, SQLITE_CANTOPEN);
    assert_int_equal(open_code(&rc, ctx, live), TS_OK);
    assert_int_equal(files_in_folder(), files);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements),
        cmocka_unit_test(test_guard),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests(tests, make, remove_all);
}

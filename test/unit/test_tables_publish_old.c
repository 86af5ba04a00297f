/*
 * The database that is replaced, and the files that SQLite keeps beside it: whatever happens on the
 * way, what stands there is the old database, whole, or the new one with nothing beside it.
 */
#include "tables_files.h"

#include "tables/publish.h"

#include <signal.h>
#include <sys/wait.h>

static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
enum { FILES = 4 };

/* The files of a database, to be put back as often as needed. */
typedef struct image {
    char *p[FILES];
    size_t n[FILES];
    const char *rows; /* what SQLite reads in it */
} image;

typedef struct case_of {
    const char *name;
    const char *sql; /* run on a new database before the process dies */
    const char *rows;
} case_of;

#define BIG "hex(zeroblob(100))"
#define ROWS "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) "

static const case_of cases[] = {
    {"a wal with what was committed last",
     "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; UPDATE t SET v = 'second'",
     "second|60\n"},
    {"the journal of a transaction that did not end",
     "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE t SET v = 'third'",
     "first|60\n"},
    {"a journal that is kept", "PRAGMA journal_mode = PERSIST; UPDATE t SET v = 'fourth'",
     "fourth|60\n"},
    {"nothing", "SELECT 1", "first|60\n"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
        _exit(90);
    }
}

static char *side_of(const char *path, int i)
{
    char *p = NULL;
    assert_true(asprintf(&p, "%s%s", path, suffixes[i]) > 0);
    return p;
}

/* Makes the database in a process of its own, which dies without closing it. */
static void make_image(const fixture *f, image *im, const case_of *c, const char *value)
{
    char *path = path_of(f, "made.db");
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        sqlite3 *handle = NULL;
        char sql[512];
        if (sqlite3_open(path, &handle) != SQLITE_OK) {
            _exit(92);
        }
        snprintf(sql, sizeof sql,
                 "PRAGMA page_size = 1024; PRAGMA application_id = %d; CREATE TABLE t(v, b);"
                 "INSERT INTO t " ROWS "SELECT '%s', " BIG " FROM n",
                 TS_APPLICATION_ID, value);
        run_sql(handle, sql);
        run_sql(handle, c->sql);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    *im = (image){.rows = c->rows};
    for (int i = 0; i < FILES; i++) {
        char *side = side_of(path, i);
        if (exists(side)) {
            im->p[i] = test_read_file(side, &im->n[i]);
            assert_int_equal(unlink(side), 0);
        }
        free(side);
    }
    free(path);
}

static void free_image(image *im)
{
    for (int i = 0; i < FILES; i++) {
        free(im->p[i]);
    }
}

static void put_back(const char *path, const image *im)
{
    for (int i = 0; i < FILES; i++) {
        char *side = side_of(path, i);
        (void)unlink(side);
        if (im->p[i] != NULL) {
            test_write_file(side, im->p[i], im->n[i]);
        }
        free(side);
    }
}

static bool has_bytes(const char *path, const image *im)
{
    size_t n;
    char *p = test_read_file(path, &n);
    bool same = n == im->n[0] && memcmp(p, im->p[0], n) == 0;
    free(p);
    return same;
}

static bool nothing_beside(const char *path)
{
    bool nothing = true;
    for (int i = 1; i < FILES; i++) {
        char *side = side_of(path, i);
        nothing = nothing && !exists(side);
        free(side);
    }
    return nothing;
}

/* As another program sees it, which may write. */
static void assert_rows(const char *path, const char *expected)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA schema_version", NULL, NULL, NULL), SQLITE_OK);
    assert_sql(path, "PRAGMA integrity_check", "ok\n");
    assert_sql(path, "SELECT v, count(*) FROM t GROUP BY v", expected);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* --- calls that fail, or are the last of the process ------------------------------------------ */

static struct {
    const char *what; /* NULL: all that change something */
    uint64_t at;
    uint64_t calls;
    bool kill;
} fault;

static bool hit(const char *what)
{
    if (fault.at == 0 || (fault.what != NULL && strcmp(fault.what, what) != 0)) {
        return false;
    }
    if (++fault.calls != fault.at) {
        return false;
    }
    if (fault.kill) {
        (void)kill(getpid(), SIGKILL);
    }
    errno = EIO;
    return true;
}

static int my_open(void *user, const char *path, int flags, mode_t mode)
{
    (void)user;
    return fault.what != NULL && hit("open") ? -1 : open(path, flags, mode);
}

static ssize_t my_pread(void *user, int fd, void *p, size_t n, off_t at)
{
    (void)user;
    return fault.what != NULL && hit("pread") ? -1 : pread(fd, p, n, at);
}

static int my_fstat(void *user, int fd, struct stat *st)
{
    (void)user;
    return fault.what != NULL && hit("fstat") ? -1 : fstat(fd, st);
}

static int my_unlink(void *user, const char *path)
{
    (void)user;
    return hit("unlink") ? -1 : unlink(path);
}

static int my_rename(void *user, const char *from, const char *to)
{
    (void)user;
    return hit("rename") ? -1 : rename(from, to);
}

static int my_fsync(void *user, int fd)
{
    (void)user;
    return hit("fsync") ? -1 : fsync(fd);
}

static int lite_open(const char *path, int flags, int mode)
{
    return fault.what != NULL && hit("sqlite.open") ? -1 : open(path, flags, (mode_t)mode);
}

static ssize_t lite_pread(int fd, void *p, size_t n, off_t at)
{
    return fault.what != NULL && hit("sqlite.pread") ? -1 : pread(fd, p, n, at);
}

static ssize_t lite_pwrite(int fd, const void *p, size_t n, off_t at)
{
    return hit("sqlite.pwrite") ? -1 : pwrite(fd, p, n, at);
}

static int lite_ftruncate(int fd, off_t n)
{
    return hit("sqlite.ftruncate") ? -1 : ftruncate(fd, n);
}

static int lite_unlink(const char *path)
{
    return hit("sqlite.unlink") ? -1 : unlink(path);
}

static const char *const changing[] = {
    "open",        "pread",        "fstat",         "unlink",        "rename",          "fsync",
    "sqlite.open", "sqlite.pread", "sqlite.pwrite", "sqlite.unlink", "sqlite.ftruncate"};

static void install(ts_ctx *ctx)
{
    static const struct {
        const char *name;
        sqlite3_syscall_ptr call;
    } calls[] = {
        {"open", (sqlite3_syscall_ptr)lite_open},
        {"pread", (sqlite3_syscall_ptr)lite_pread},
        {"pread64", (sqlite3_syscall_ptr)lite_pread},
        {"pwrite", (sqlite3_syscall_ptr)lite_pwrite},
        {"pwrite64", (sqlite3_syscall_ptr)lite_pwrite},
        {"ftruncate", (sqlite3_syscall_ptr)lite_ftruncate},
        {"unlink", (sqlite3_syscall_ptr)lite_unlink},
    };
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        (void)vfs->xSetSystemCall(vfs, calls[i].name, calls[i].call);
    }
    ctx->sys.open = my_open;
    ctx->sys.pread = my_pread;
    ctx->sys.fstat = my_fstat;
    ctx->sys.unlink = my_unlink;
    ctx->sys.rename = my_rename;
    ctx->sys.fsync = my_fsync;
}

/* Publishes the image's database in place of `path`. */
static ts_code publish(const fixture *f, const char *path, const image *fresh, bool sync)
{
    const ts_target_options options = {.sync = sync};
    ts_target *t = NULL;
    ts_code code = ts_target_open(&t, f->ctx, path, &options);
    if (code == TS_OK) {
        ssize_t n = write(ts_target_fd(t), fresh->p[0], fresh->n[0]);
        code = n == (ssize_t)fresh->n[0] ? ts_target_commit(t) : TS_ERR_INTERNAL;
    }
    ts_target_free(t);
    return code;
}

static int publish_in_child(const fixture *f, const char *path, const image *fresh, bool sync)
{
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        install(f->ctx);
        ts_code code = publish(f, path, fresh, sync);
        _exit(code == TS_OK ? (fault.calls < fault.at ? 0 : 1) : code == TS_ERR_OUTPUT ? 2 : 3);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void check_old_or_new(const char *path, const image *old, const image *fresh,
                             bool must_be_old)
{
    if (has_bytes(path, fresh)) {
        assert_false(must_be_old);
        assert_true(nothing_beside(path));
    }
    assert_rows(path, has_bytes(path, fresh) ? fresh->rows : old->rows);
}

static void test_killed_at_every_step(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    image fresh;
    make_image(f, &fresh, &(case_of){"", "SELECT 1", "new|60\n"}, "new");
    for (int c = 0; c < CASES; c++) {
        image old;
        int points = 0;
        make_image(f, &old, &cases[c], "first");
        fault.what = NULL;
        fault.kill = true;
        for (fault.at = 1;; fault.at++) {
            put_back(path, &old);
            int status = publish_in_child(f, path, &fresh, fault.at % 2 == 0);
            check_old_or_new(path, &old, &fresh, false);
            if (!WIFSIGNALED(status)) {
                assert_int_equal(status, 0);
                assert_true(has_bytes(path, &fresh));
                break;
            }
            points++;
        }
        print_message("%s: killed at %d points\n", cases[c].name, points);
        assert_true(points > (c < 2 ? 2 : 0));
        free_image(&old);
        fault.at = 0;
    }
    free_image(&fresh);
    free(path);
}

static void test_every_call_fails(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    image fresh;
    make_image(f, &fresh, &(case_of){"", "SELECT 1", "new|60\n"}, "new");
    for (int c = 0; c < CASES; c++) {
        image old;
        make_image(f, &old, &cases[c], "first");
        for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++) {
            if (!test_slow() && (i + (size_t)c) % 2 != 0) { /* each call in every second case */
                continue;
            }
            fault.what = changing[i];
            fault.kill = false;
            int failures = 0;
            for (fault.at = 1;; fault.at++) {
                put_back(path, &old);
                int status = publish_in_child(f, path, &fresh, true);
                assert_true(WIFEXITED(status));
                int code = WEXITSTATUS(status);
                assert_in_range(code, 0, 2);
                failures += code == 2 ? 1 : 0;
                /* Behind the renaming only the directory is synced. */
                bool renamed = strcmp(changing[i], "fsync") == 0 && has_bytes(path, &fresh);
                check_old_or_new(path, &old, &fresh, code == 2 && !renamed);
                if (code == 0) {
                    break;
                }
            }
            if (strcmp(changing[i], "rename") == 0) {
                assert_int_equal(failures, 1);
            }
            fault.at = 0;
        }
        free_image(&old);
    }
    free_image(&fresh);
    free(path);
}

/* Failures leave the files as they were, but for what SQLite does to bring the old one to rest. */
static void test_side_files_without_a_database(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    image fresh;
    make_image(f, &fresh, &(case_of){"", "SELECT 1", "new|60\n"}, "new");
    for (int c = 0; c < 2; c++) {
        image old;
        make_image(f, &old, &cases[c], "first");
        put_back(path, &old);
        assert_int_equal(unlink(path), 0);
        assert_ok(f->ctx, publish(f, path, &fresh, false));
        assert_true(nothing_beside(path));
        assert_rows(path, fresh.rows);
        free_image(&old);
    }
    free_image(&fresh);
    free(path);
}

/* --- what is not SQLite's ----------------------------------------------------------------------
 */

static void test_foreign_side_files(void **state)
{
    const fixture *f = *state;
    const ts_target_options plain = {0};
    const ts_target_options forced = {.force = true};
    for (int i = 1; i < FILES; i++) {
        char *path = path_of(f, "new.db");
        char *side = side_of(path, i);
        ts_target *t = NULL;
        test_write_file(side, "my notes", 8);
        assert_failure(f->ctx, ts_target_open(&t, f->ctx, path, &plain), TS_ERR_OUTPUT, "--force");
        assert_true(exists(side));
        assert_ok(f->ctx, ts_target_open(&t, f->ctx, path, &forced));
        assert_ok(f->ctx, ts_target_commit(t));
        ts_target_free(t);
        assert_true(nothing_beside(path));
        assert_int_equal(unlink(path), 0);
        /* It came meanwhile. */
        assert_ok(f->ctx, ts_target_open(&t, f->ctx, path, &plain));
        test_write_file(side, "my notes", 8);
        assert_failure(f->ctx, ts_target_commit(t), TS_ERR_OUTPUT, side);
        ts_target_free(t);
        assert_int_equal(count_names(f->dir), 1);
        assert_int_equal(unlink(side), 0);
        free(side);
        free(path);
    }
}

/* They would stop SQLite for ever, or have it write elsewhere. */
static void test_side_files_that_are_no_files(void **state)
{
    const fixture *f = *state;
    const ts_target_options forced = {.force = true};
    char *path = path_of(f, "out.db");
    alarm(60);
    for (int i = 1; i < FILES; i++) {
        char *side = side_of(path, i);
        for (int kind = 0; kind < 3; kind++) {
            ts_target *t = NULL;
            assert_int_equal(kind == 0   ? mkfifo(side, 0600)
                             : kind == 1 ? mkdir(side, 0700)
                                         : symlink("/nowhere", side),
                             0);
            assert_failure(f->ctx, ts_target_open(&t, f->ctx, path, &forced), TS_ERR_OUTPUT,
                           "not a regular file");
            assert_int_equal(count_names(f->dir), 1);
            assert_int_equal(kind == 1 ? rmdir(side) : unlink(side), 0);
        }
        free(side);
    }
    alarm(0);
    free(path);
}

/* A journal may name another file, which SQLite opens and may remove. */
static void test_journal_of_several_databases(void **state)
{
    const fixture *f = *state;
    const ts_target_options forced = {.force = true};
    static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    char journal[600] = {0};
    char *path = path_of(f, "out.db");
    char *side = side_of(path, 1);
    ts_target *t = NULL;
    memcpy(journal, magic, sizeof magic);
    memcpy(journal + sizeof journal - sizeof magic, magic, sizeof magic);
    test_write_file(side, journal, sizeof journal);
    assert_failure(f->ctx, ts_target_open(&t, f->ctx, path, &forced), TS_ERR_OUTPUT,
                   "several databases");
    assert_true(exists(side));
    free(side);
    free(path);
}

/* The side files of a symlink's target are what counts, and inputs among them are left alone. */
static void test_links_and_inputs(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    char *soft = path_of(f, "soft.db");
    char *wal = side_of(path, 2);
    image old;
    image fresh;
    struct stat st;
    ts_file_set reads = {0};
    ts_target *t = NULL;
    make_image(f, &old, &cases[0], "first");
    make_image(f, &fresh, &(case_of){"", "SELECT 1", "new|60\n"}, "new");
    put_back(path, &old);
    assert_int_equal(symlink("out.db", soft), 0);
    assert_int_equal(stat(wal, &st), 0);
    assert_ok(f->ctx, ts_file_set_add(f->ctx, &reads, st.st_dev, st.st_ino));
    const ts_target_options guarded = {.force = true, .reads = &reads};
    assert_failure(f->ctx, ts_target_open(&t, f->ctx, soft, &guarded), TS_ERR_USAGE, wal);
    ts_file_set_free(f->ctx, &reads);
    assert_true(exists(wal));
    assert_ok(f->ctx, publish(f, soft, &fresh, false));
    assert_true(nothing_beside(path));
    assert_rows(soft, fresh.rows);
    free_image(&old);
    free_image(&fresh);
    free(path);
    free(soft);
    free(wal);
}

/* SQLite cannot read it. Without side files nothing can be lost; with them --force decides. */
static void test_damaged_database(void **state)
{
    const fixture *f = *state;
    const ts_target_options plain = {0};
    const ts_target_options forced = {.force = true};
    char *path = path_of(f, "out.db");
    char *wal = side_of(path, 2);
    image old;
    ts_target *t = NULL;
    make_image(f, &old, &cases[3], "first");
    memset(old.p[0] + 16, 0xff, 2); /* the size of a page */
    put_back(path, &old);
    assert_ok(f->ctx, ts_target_open(&t, f->ctx, path, &plain));
    test_write_file(wal, "", 0);
    assert_failure(f->ctx, ts_target_commit(t), TS_ERR_OUTPUT, path);
    assert_true(has_bytes(path, &old));
    assert_int_equal(unlink(wal), 0);
    assert_ok(f->ctx, ts_target_commit(t));
    ts_target_free(t);
    put_back(path, &old);
    test_write_file(wal, "", 0);
    assert_ok(f->ctx, ts_target_open(&t, f->ctx, path, &forced));
    assert_ok(f->ctx, ts_target_commit(t));
    ts_target_free(t);
    assert_true(nothing_beside(path));
    free_image(&old);
    free(path);
    free(wal);
}

/* --- locks -------------------------------------------------------------------------------------
 */

/* A process that has run the statements and keeps the connection open. */
static pid_t hold(const char *path, const char *sql)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        sqlite3 *db = NULL;
        alarm(60);
        if (sqlite3_open(path, &db) != SQLITE_OK) {
            _exit(92);
        }
        run_sql(db, sql);
        if (write(ready[1], "x", 1) != 1) {
            _exit(93);
        }
        for (;;) {
            pause();
        }
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return pid;
}

static void let_go(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_another_program_writes(void **state)
{
    const fixture *f = *state;
    const ts_target_options forced = {.force = true};
    static const struct {
        const char *sql;
        const char *rows;
    } holders[] = {
        {"BEGIN IMMEDIATE", "first|60\n"},
        {"BEGIN EXCLUSIVE; UPDATE t SET v = 'never'", "first|60\n"},
        {"PRAGMA journal_mode = WAL; UPDATE t SET v = 'second'", "second|60\n"},
        {"PRAGMA locking_mode = EXCLUSIVE; UPDATE t SET v = 'third'", "third|60\n"},
    };
    char *path = path_of(f, "out.db");
    image old;
    make_image(f, &old, &cases[3], "first");
    for (size_t i = 0; i < sizeof holders / sizeof holders[0]; i++) {
        ts_target *t = NULL;
        ts_target *early = NULL;
        put_back(path, &old);
        assert_ok(f->ctx, ts_target_open(&early, f->ctx, path, &forced));
        pid_t pid = hold(path, holders[i].sql);
        char process[32];
        snprintf(process, sizeof process, "process %d", (int)pid);
        assert_failure(f->ctx, ts_target_open(&t, f->ctx, path, &forced), TS_ERR_OUTPUT, process);
        assert_failure(f->ctx, ts_target_commit(early), TS_ERR_OUTPUT, "another program");
        ts_target_free(early);
        let_go(pid);
        assert_rows(path, holders[i].rows);
    }
    free_image(&old);
    free(path);
}

/* One that holds its lock for a moment only is waited for. */
static void test_another_program_writes_for_a_moment(void **state)
{
    const fixture *f = *state;
    const ts_target_options forced = {.force = true};
    char *path = path_of(f, "out.db");
    ts_target *t = NULL;
    image old;
    make_image(f, &old, &cases[3], "first");
    put_back(path, &old);
    pid_t pid = hold(path, "BEGIN IMMEDIATE");
    fflush(NULL);
    pid_t killer = fork();
    assert_true(killer >= 0);
    if (killer == 0) {
        usleep(100000);
        _exit(kill(pid, SIGKILL));
    }
    assert_ok(f->ctx, ts_target_open(&t, f->ctx, path, &forced));
    ts_target_free(t);
    assert_int_equal(waitpid(killer, NULL, 0), killer);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    free_image(&old);
    free(path);
}

/* Whoever reads keeps the old file. */
static void test_another_program_reads(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    image old;
    image fresh;
    make_image(f, &old, &cases[3], "first");
    make_image(f, &fresh, &(case_of){"", "SELECT 1", "new|60\n"}, "new");
    put_back(path, &old);
    pid_t pid = hold(path, "BEGIN; SELECT count(*) FROM t");
    assert_ok(f->ctx, publish(f, path, &fresh, false));
    let_go(pid);
    assert_rows(path, fresh.rows);
    free_image(&old);
    free_image(&fresh);
    free(path);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_killed_at_every_step),
        TEST(test_every_call_fails),
        TEST(test_side_files_without_a_database),
        TEST(test_foreign_side_files),
        TEST(test_side_files_that_are_no_files),
        TEST(test_journal_of_several_databases),
        TEST(test_links_and_inputs),
        TEST(test_damaged_database),
        TEST(test_another_program_writes),
        TEST(test_another_program_writes_for_a_moment),
        TEST(test_another_program_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

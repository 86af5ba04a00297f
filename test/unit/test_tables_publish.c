/* The promise about the output file: it does not change, or it is complete. */
#include "tables_files.h"

#include "tables/database.h"
#include "tables/publish.h"

#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

static const ts_target_options plain = {0};
static const ts_target_options forced = {.force = true};

/* An empty database of ours. */
static void make_ours(const fixture *f, const char *path)
{
    ts_db *db = NULL;
    test_write_file(path, "", 0);
    assert_ok(f->ctx, ts_db_create(&db, f->ctx, path));
    assert_ok(f->ctx, ts_db_finish(db, false, NULL));
    ts_db_close(db);
}

static ts_target *open_target(const fixture *f, const char *path)
{
    ts_target *t = NULL;
    assert_ok(f->ctx, ts_target_open(&t, f->ctx, path, &plain));
    assert_non_null(t);
    return t;
}

static void refuse(const fixture *f, const char *path, const ts_target_options *options,
                   ts_code expected, const char *part)
{
    ts_target *t = NULL;
    int before = count_names(f->dir);
    assert_failure(f->ctx, ts_target_open(&t, f->ctx, path, options), expected, part);
    assert_null(t);
    assert_int_equal(count_names(f->dir), before);
}

static void fill(const ts_target *t, const char *text)
{
    assert_int_equal(write(ts_target_fd(t), text, strlen(text)), (ssize_t)strlen(text));
}

static void assert_content(const char *path, const char *expected)
{
    size_t n;
    char *p = test_read_file(path, &n);
    assert_string_equal(p, expected);
    free(p);
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void test_new_file(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    mode_t old = umask(027);
    ts_target *t = open_target(f, path);
    /* Nothing has the name yet; the temporary is hidden and beside it. */
    assert_false(exists(path));
    assert_int_equal(count_names(f->dir), 1);
    assert_int_equal(strncmp(ts_target_path(t), f->dir, strlen(f->dir)), 0);
    assert_int_equal(strncmp(ts_target_path(t) + strlen(f->dir), "/.out.db.tmp-", 13), 0);
    fill(t, "data");
    assert_ok(f->ctx, ts_target_commit(t));
    ts_target_free(t);
    umask(old);
    assert_content(path, "data");
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(count_names(f->dir), 1);
    free(path);
}

static void test_abandoned(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    ts_target_free(open_target(f, path));
    ts_target_free(NULL);
    assert_null(ts_target_path(NULL));
    assert_int_equal(count_names(f->dir), 0);
    free(path);
}

static void test_replaced_file_keeps_its_mode(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    const mode_t modes[] = {0600, 0666, 0644, 0777, 0200, 0620};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        make_ours(f, path);
        assert_int_equal(chmod(path, modes[i]), 0);
        ts_target *t = NULL;
        assert_ok(f->ctx, ts_target_open(&t, f->ctx, path, &forced));
        struct stat st;
        assert_int_equal(stat(ts_target_path(t), &st), 0);
        /* Never more open than the file will be, but for us to work with. */
        assert_int_equal(st.st_mode & 0777 & ~(modes[i] | 0600), 0);
        fill(t, "new");
        assert_ok(f->ctx, ts_target_commit(t));
        ts_target_free(t);
        assert_int_equal(mode_of(path), modes[i]);
        assert_int_equal(chmod(path, 0600), 0);
        assert_content(path, "new");
        assert_int_equal(unlink(path), 0);
    }
    free(path);
}

static void test_old_file_stays_until_commit(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    size_t n;
    size_t m;
    make_ours(f, path);
    char *before = test_read_file(path, &n);
    ts_target *t = open_target(f, path);
    fill(t, "half");
    ts_target_free(t);
    char *after = test_read_file(path, &m);
    assert_int_equal(n, m);
    assert_memory_equal(before, after, n);
    assert_int_equal(count_names(f->dir), 1);
    free(before);
    free(after);
    free(path);
}

static void test_whole_way_with_a_database(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    for (int round = 0; round < 2; round++) {
        const ts_target_options sync = {.sync = true};
        ts_target *t = NULL;
        ts_db *db = NULL;
        assert_ok(f->ctx, ts_target_open(&t, f->ctx, path, &sync));
        assert_ok(f->ctx, ts_db_create(&db, f->ctx, ts_target_path(t)));
        assert_ok(f->ctx, ts_db_finish(db, true, NULL));
        ts_db_close(db);
        assert_ok(f->ctx, ts_target_commit(t));
        ts_target_free(t);
        assert_true(db_is_ours(f->ctx, path));
        assert_sql(path, "PRAGMA integrity_check", "ok\n");
        assert_int_equal(count_names(f->dir), 1);
    }
    free(path);
}

/* --- what may not be replaced ---------------------------------------------------------------- */

static void test_foreign_files_need_force(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "notes.txt");
    test_write_file(path, "my notes", 8);
    refuse(f, path, &plain, TS_ERR_OUTPUT, "--force");
    refuse(f, path, &plain, TS_ERR_OUTPUT, path);
    assert_content(path, "my notes");
    /* Somebody else's database is no better. */
    char *other = path_of(f, "other.db");
    sqlite3 *handle = NULL;
    assert_int_equal(sqlite3_open(other, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, "CREATE TABLE t(a)", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(handle);
    refuse(f, other, &plain, TS_ERR_OUTPUT, "not a database of trace_streamer");
    free(other);
    ts_target *t = NULL;
    assert_ok(f->ctx, ts_target_open(&t, f->ctx, path, &forced));
    fill(t, "new");
    assert_ok(f->ctx, ts_target_commit(t));
    ts_target_free(t);
    assert_content(path, "new");
    /* An empty file holds nothing that could be lost (mktemp makes them). */
    test_write_file(path, "", 0);
    ts_target_free(open_target(f, path));
    free(path);
}

static void test_special_files(void **state)
{
    const fixture *f = *state;
    refuse(f, f->dir, &forced, TS_ERR_OUTPUT, "directory");
    refuse(f, "/dev/null", &forced, TS_ERR_OUTPUT, "device");
    refuse(f, "/dev/full", &forced, TS_ERR_OUTPUT, "device");
    char *path = path_of(f, "special");
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse(f, path, &forced, TS_ERR_OUTPUT, "pipe");
    assert_int_equal(unlink(path), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof address.sun_path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    refuse(f, path, &forced, TS_ERR_OUTPUT, "socket");
    close(fd);
    free(path);
}

static void test_names_that_are_none(void **state)
{
    const fixture *f = *state;
    refuse(f, "-", &forced, TS_ERR_USAGE, "cannot be written to a stream");
    refuse(f, "", &forced, TS_ERR_OUTPUT, strerror(ENOENT));
    char *path = path_of(f, "missing/out.db");
    refuse(f, path, &forced, TS_ERR_OUTPUT, strerror(ENOENT));
    refuse(f, path, &forced, TS_ERR_OUTPUT, "/missing/");
    assert_int_equal(strlen(path) > 7, 1);
    path[strlen(path) - 6] = '\0'; /* ".../missing/" */
    refuse(f, path, &forced, TS_ERR_OUTPUT, strerror(EISDIR));
    free(path);
    path = path_of(f, "file");
    test_write_file(path, "x", 1);
    free(path);
    path = path_of(f, "file/out.db");
    refuse(f, path, &forced, TS_ERR_OUTPUT, "Not a directory");
    free(path);
    char name[NAME_MAX + 2];
    memset(name, 'a', NAME_MAX + 1);
    name[NAME_MAX + 1] = '\0';
    path = path_of(f, name);
    refuse(f, path, &forced, TS_ERR_OUTPUT, strerror(ENAMETOOLONG));
    free(path);
}

static void test_read_only_file(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    make_ours(f, path);
    assert_int_equal(chmod(path, 0444), 0);
    refuse(f, path, &plain, TS_ERR_OUTPUT, "read-only");
    refuse(f, path, &forced, TS_ERR_OUTPUT, "read-only");
    free(path);
}

/* A directory that may not be written, as an ordinary user (root may write everywhere). */
static void test_unwritable_directory(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        ts_target *t = NULL;
        if (geteuid() == 0) {
            if (setgid(65534) != 0 || setuid(65534) != 0) {
                _exit(10);
            }
        } else if (chmod(f->dir, 0500) != 0) {
            _exit(11);
        }
        ts_code code = ts_target_open(&t, f->ctx, path, &plain);
        char text[4096];
        causes(f->ctx, text, sizeof text);
        bool ok = code == TS_ERR_OUTPUT && t == NULL && strstr(text, path) != NULL &&
                  strstr(text, strerror(EACCES)) != NULL;
        _exit(ok ? 0 : 12);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    free(path);
}

static void test_input_is_not_the_output(void **state)
{
    const fixture *f = *state;
    ts_target *t = NULL;
    char *path = path_of(f, "a.db");
    char *hard = path_of(f, "hard.db");
    char *soft = path_of(f, "soft.db");
    char *dead = path_of(f, ".other.db.tmp-1-0123456789abcdef");
    char *other = path_of(f, "other.db");
    struct stat st;
    ts_file_set reads = {0};
    make_ours(f, path);
    make_ours(f, other);
    test_write_file(dead, "x", 1);
    assert_int_equal(link(path, hard), 0);
    assert_int_equal(symlink("a.db", soft), 0);
    assert_int_equal(stat(dead, &st), 0);
    assert_ok(f->ctx, ts_file_set_add(f->ctx, &reads, st.st_dev, st.st_ino));
    for (int i = 0; i < 100; i++) {
        assert_ok(f->ctx, ts_file_set_add(f->ctx, &reads, 1, (ino_t)(i * 37 % 100)));
    }
    assert_int_equal(stat(path, &st), 0);
    assert_false(ts_file_set_has(&reads, &st));
    assert_ok(f->ctx, ts_file_set_add(f->ctx, &reads, st.st_dev, st.st_ino));
    assert_true(ts_file_set_has(&reads, &st));
    const ts_target_options guarded = {.force = true, .reads = &reads};
    const ts_target_options text = {.text = true, .reads = &reads};
    const char *const names[] = {path, hard, soft};
    for (size_t i = 0; i < 3; i++) {
        assert_failure(f->ctx, ts_target_open(&t, f->ctx, names[i], &guarded), TS_ERR_USAGE,
                       "the output is an input");
        assert_failure(f->ctx, ts_target_open(&t, f->ctx, names[i], &text), TS_ERR_USAGE,
                       "the output is an input");
    }
    /* What looks like a dead temporary may be an input too. */
    assert_ok(f->ctx, ts_target_open(&t, f->ctx, other, &guarded));
    assert_true(exists(dead));
    /* It became the input meanwhile. */
    assert_int_equal(unlink(other), 0);
    assert_int_equal(link(path, other), 0);
    assert_failure(f->ctx, ts_target_commit(t), TS_ERR_USAGE, "the output is an input");
    ts_target_free(t);
    ts_file_set_free(f->ctx, &reads);
    assert_false(ts_file_set_has(&reads, &st));
    assert_ok(f->ctx, ts_file_set_add(f->ctx, &reads, st.st_dev, st.st_ino)); /* it is empty */
    assert_true(ts_file_set_has(&reads, &st));
    ts_file_set_free(f->ctx, &reads);
    free(path);
    free(hard);
    free(soft);
    free(dead);
    free(other);
}

static void test_symlinks_are_followed(void **state)
{
    const fixture *f = *state;
    char *sub = path_of(f, "sub");
    char *target = path_of(f, "sub/real.db");
    char *link2 = path_of(f, "sub/second");
    char *link1 = path_of(f, "first");
    assert_int_equal(mkdir(sub, 0700), 0);
    /* Relative to where the link is, then absolute; dangling first, then not. */
    assert_int_equal(symlink("sub/second", link1), 0);
    assert_int_equal(symlink(target, link2), 0);
    for (int round = 0; round < 2; round++) {
        ts_target *t = NULL;
        assert_ok(f->ctx, ts_target_open(&t, f->ctx, link1, &forced));
        /* The temporary is on the file system of the target. */
        assert_int_equal(strncmp(ts_target_path(t), sub, strlen(sub)), 0);
        fill(t, round == 0 ? "one" : "two");
        assert_ok(f->ctx, ts_target_commit(t));
        ts_target_free(t);
        assert_content(target, round == 0 ? "one" : "two");
        assert_int_equal(count_names(sub), 2);
        assert_int_equal(count_names(f->dir), 2);
        struct stat st;
        assert_int_equal(lstat(link1, &st), 0);
        assert_true(S_ISLNK(st.st_mode));
    }
    free(sub);
    free(target);
    free(link2);
    free(link1);
}

static void test_symlinks_that_lead_nowhere(void **state)
{
    const fixture *f = *state;
    char *a = path_of(f, "a");
    char *b = path_of(f, "b");
    assert_int_equal(symlink("b", a), 0);
    assert_int_equal(symlink("a", b), 0);
    refuse(f, a, &forced, TS_ERR_OUTPUT, strerror(ELOOP));
    assert_int_equal(unlink(b), 0);
    assert_int_equal(symlink("missing/x", b), 0);
    refuse(f, a, &forced, TS_ERR_OUTPUT, strerror(ENOENT));
    assert_int_equal(unlink(b), 0);
    assert_int_equal(symlink("/dev/null", b), 0);
    refuse(f, a, &forced, TS_ERR_OUTPUT, "device");
    assert_int_equal(unlink(b), 0);
    assert_int_equal(symlink(f->dir, b), 0);
    refuse(f, a, &forced, TS_ERR_OUTPUT, "directory");
    free(a);
    free(b);
}

static void test_many_links(void **state)
{
    const fixture *f = *state;
    char name[16];
    char to[16] = "end.db";
    for (int i = 0; i < 41; i++) {
        snprintf(name, sizeof name, "l%d", i);
        char *path = path_of(f, name);
        assert_int_equal(symlink(to, path), 0);
        memcpy(to, name, sizeof to);
        if (i == 39) { /* 40 links, as many as the kernel follows */
            ts_target_free(open_target(f, path));
        } else if (i == 40) {
            refuse(f, path, &forced, TS_ERR_OUTPUT, strerror(ELOOP));
        }
        free(path);
    }
}

/* A name of /proc that leads to a file without a name. */
static void test_link_to_a_deleted_file(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "gone");
    char proc[64];
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    snprintf(proc, sizeof proc, "/proc/self/fd/%d", fd);
    refuse(f, proc, &forced, TS_ERR_OUTPUT, "without a name");
    close(fd);
    free(path);
}

/* --- dead temporaries ------------------------------------------------------------------------ */

static void test_dead_temporaries_are_removed(void **state)
{
    const fixture *f = *state;
    static const char *const dead[] = {".out.db.tmp-1-0123456789abcdef",
                                       ".out.db.tmp-99999999-ffffffffffffffff"};
    static const char *const others[] = {
        ".out.db.tmp-1-0123456789abcde",  ".out.db.tmp-1-0123456789abcdefa",
        ".out.db.tmp-1-0123456789ABCDEF", ".out.db.tmp--0123456789abcdef",
        ".out.db.tmp-x-0123456789abcdef", ".out2.db.tmp-1-0123456789abcdef",
        "out.db.tmp-1-0123456789abcdef",  ".out.db",
    };
    char *path = path_of(f, "out.db");
    for (size_t i = 0; i < 2; i++) {
        char *name = path_of(f, dead[i]);
        test_write_file(name, "left over", 9);
        free(name);
    }
    for (size_t i = 0; i < 8; i++) {
        char *name = path_of(f, others[i]);
        test_write_file(name, "not ours", 8);
        free(name);
    }
    ts_target *t = open_target(f, path);
    assert_int_equal(count_names(f->dir), 8 + 1);
    for (size_t i = 0; i < 2; i++) {
        char *name = path_of(f, dead[i]);
        assert_false(exists(name));
        free(name);
    }
    ts_target_free(t);
    assert_int_equal(count_names(f->dir), 8);
    free(path);
}

static void test_temporaries_that_are_no_files_stay(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    char *victim = path_of(f, "victim");
    char *soft = path_of(f, ".out.db.tmp-1-0000000000000001");
    char *dir = path_of(f, ".out.db.tmp-1-0000000000000002");
    char *fifo = path_of(f, ".out.db.tmp-1-0000000000000003");
    test_write_file(victim, "x", 1);
    assert_int_equal(symlink("victim", soft), 0);
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    ts_target_free(open_target(f, path));
    assert_int_equal(count_names(f->dir), 4);
    free(path);
    free(victim);
    free(soft);
    free(dir);
    free(fifo);
}

static void test_two_at_work_do_not_harm_each_other(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    ts_target *first = open_target(f, path);
    ts_target *second = open_target(f, path);
    assert_int_equal(count_names(f->dir), 2);
    assert_true(exists(ts_target_path(first)));
    fill(first, "first");
    fill(second, "second");
    assert_ok(f->ctx, ts_target_commit(second));
    ts_target_free(second);
    assert_content(path, "second");
    /* What came between is not one of ours here: it is not replaced unasked. */
    assert_failure(f->ctx, ts_target_commit(first), TS_ERR_OUTPUT, "--force");
    ts_target_free(first);
    assert_content(path, "second");
    assert_int_equal(count_names(f->dir), 1);
    free(path);
}

static void test_killed_run(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    int ready[2];
    make_ours(f, path);
    assert_int_equal(pipe(ready), 0);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        ts_target *t = NULL;
        alarm(60); /* not for ever, should the test itself fail */
        if (ts_target_open(&t, f->ctx, path, &plain) != TS_OK || write(ready[1], "x", 1) != 1) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    /* While it lives, its temporary is left alone. */
    ts_target_free(open_target(f, path));
    assert_int_equal(count_names(f->dir), 2);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(count_names(f->dir), 2);
    assert_true(db_is_ours(f->ctx, path));
    ts_target_free(open_target(f, path));
    assert_int_equal(count_names(f->dir), 1);
    close(ready[0]);
    close(ready[1]);
    free(path);
}

static void test_long_names(void **state)
{
    const fixture *f = *state;
    char name[NAME_MAX + 1];
    /* Two bytes a character: the temporary's name must not end inside one. */
    for (size_t i = 0; i + 1 < NAME_MAX; i += 2) {
        memcpy(name + i, "\xc3\xa4", 2);
    }
    name[NAME_MAX - 1] = '\0';
    char *path = path_of(f, name);
    for (int round = 0; round < 2; round++) {
        ts_target *t = NULL;
        assert_ok(f->ctx, ts_target_open(&t, f->ctx, path, &forced));
        const char *base = strrchr(ts_target_path(t), '/') + 1;
        const char *tail = strstr(base, ".tmp-");
        assert_non_null(tail);
        assert_int_equal((tail - base - 1) % 2, 0);
        assert_true(strlen(base) <= NAME_MAX);
        fill(t, "x");
        if (round == 0) {
            /* As if it had died: the next one finds and removes it. */
            char *copy = strdup(ts_target_path(t));
            assert_non_null(copy);
            ts_target_free(t);
            test_write_file(copy, "x", 1);
            free(copy);
        } else {
            assert_ok(f->ctx, ts_target_commit(t));
            ts_target_free(t);
        }
    }
    assert_int_equal(count_names(f->dir), 1);
    free(path);
}

static void test_relative_path(void **state)
{
    const fixture *f = *state;
    char *cwd = getcwd(NULL, 0);
    assert_non_null(cwd);
    assert_int_equal(chdir(f->dir), 0);
    ts_target *t = open_target(f, "out.db");
    fill(t, "x");
    assert_ok(f->ctx, ts_target_commit(t));
    ts_target_free(t);
    assert_content("out.db", "x");
    assert_int_equal(count_names("."), 1);
    assert_int_equal(chdir(cwd), 0);
    free(cwd);
}

/* --- system calls that fail ------------------------------------------------------------------ */

static int failing_rename(void *user, const char *from, const char *to)
{
    (void)user;
    (void)from;
    (void)to;
    errno = EXDEV;
    return -1;
}

static int failing_fsync(void *user, int fd)
{
    (void)fd;
    int *left = user;
    if (*left == 0) {
        errno = EIO;
        return -1;
    }
    --*left;
    return 0;
}

static int failing_open(void *user, const char *path, int flags, mode_t mode)
{
    (void)user;
    (void)path;
    (void)flags;
    (void)mode;
    errno = ENOSPC;
    return -1;
}

static void test_rename_fails(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    make_ours(f, path);
    ts_target *t = open_target(f, path);
    f->ctx->sys.rename = failing_rename;
    assert_failure(f->ctx, ts_target_commit(t), TS_ERR_OUTPUT, path);
    ts_target_free(t);
    assert_true(db_is_ours(f->ctx, path));
    assert_int_equal(count_names(f->dir), 1);
    free(path);
}

static void test_fsync_fails(void **state)
{
    const fixture *f = *state;
    const ts_target_options sync = {.force = true, .sync = true};
    const ts_sys saved = f->ctx->sys;
    char *path = path_of(f, "out.db");
    /* That of the file, before anything is published; then that of the directory. */
    for (int left = 0; left < 2; left++) {
        ts_target *t = NULL;
        int count = left;
        assert_ok(f->ctx, ts_target_open(&t, f->ctx, path, &sync));
        f->ctx->sys.fsync = failing_fsync;
        f->ctx->sys.user = &count;
        assert_failure(f->ctx, ts_target_commit(t), TS_ERR_OUTPUT, "sync");
        f->ctx->sys = saved;
        ts_target_free(t);
        assert_int_equal(exists(path), left);
        assert_int_equal(count_names(f->dir), left);
    }
    free(path);
}

static void test_create_fails(void **state)
{
    const fixture *f = *state;
    const ts_sys saved = f->ctx->sys;
    char *path = path_of(f, "out.db");
    f->ctx->sys.open = failing_open;
    refuse(f, path, &plain, TS_ERR_OUTPUT, strerror(ENOSPC));
    ts_target *t = NULL;
    assert_failure(f->ctx, ts_target_anonymous(&t, f->ctx), TS_ERR_OUTPUT, strerror(ENOSPC));
    f->ctx->sys = saved;
    assert_null(t);
    free(path);
}

static void test_target_changes_meanwhile(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    ts_target *t = open_target(f, path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_failure(f->ctx, ts_target_commit(t), TS_ERR_OUTPUT, "directory");
    ts_target_free(t);
    assert_int_equal(count_names(f->dir), 1);
    free(path);
}

/* --- without a name -------------------------------------------------------------------------- */

static void test_anonymous(void **state)
{
    const fixture *f = *state;
    ts_target *t = NULL;
    ts_db *db = NULL;
    f->ctx->tmpdir = f->dir;
    assert_ok(f->ctx, ts_target_anonymous(&t, f->ctx));
    assert_int_equal(mode_of(ts_target_path(t)), 0600);
    assert_ok(f->ctx, ts_db_create(&db, f->ctx, ts_target_path(t)));
    assert_ok(f->ctx, ts_target_hide(t));
    assert_ok(f->ctx, ts_target_hide(t));
    assert_int_equal(count_names(f->dir), 0);
    assert_ok(f->ctx, ts_db_finish(db, true, NULL));
    const ts_rows_visitor none = {0};
    assert_ok(f->ctx, ts_db_query(db, "SELECT * FROM meta", 18, NULL, 0, &none));
    ts_db_close(db);
    assert_failure(f->ctx, ts_target_commit(t), TS_ERR_INTERNAL, "nothing to publish");
    ts_target_free(t);
    /* Not hidden, but given up. */
    assert_ok(f->ctx, ts_target_anonymous(&t, f->ctx));
    assert_int_equal(count_names(f->dir), 1);
    ts_target_free(t);
    assert_int_equal(count_names(f->dir), 0);
    f->ctx->tmpdir = "/nowhere/at/all";
    assert_failure(f->ctx, ts_target_anonymous(&t, f->ctx), TS_ERR_OUTPUT, "/nowhere/at/all");
}

static void test_every_allocation_may_fail(void **state)
{
    const fixture *f = *state;
    char *path = path_of(f, "out.db");
    char *soft = path_of(f, "soft");
    test_failing c = {.forever = true};
    ts_code code = TS_ERR_NOMEM;
    assert_int_equal(symlink("out.db", soft), 0);
    f->ctx->allocator = test_failing_allocator(&c);
    for (uint64_t n = 0; code == TS_ERR_NOMEM && n < 100; n++) {
        ts_target *t = NULL;
        char *dead = path_of(f, ".out.db.tmp-1-0123456789abcdef");
        test_write_file(dead, "x", 1);
        free(dead);
        c.calls = 0;
        c.fail_at = n + 1;
        code = ts_target_open(&t, f->ctx, soft, &plain);
        if (code == TS_OK) {
            code = ts_target_commit(t);
        }
        ts_target_free(t);
        assert_int_equal(f->ctx->memory_used, 0);
    }
    assert_ok(f->ctx, code);
    assert_int_equal(count_names(f->dir), 2);
    free(path);
    free(soft);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_new_file),
        TEST(test_abandoned),
        TEST(test_replaced_file_keeps_its_mode),
        TEST(test_old_file_stays_until_commit),
        TEST(test_whole_way_with_a_database),
        TEST(test_foreign_files_need_force),
        TEST(test_special_files),
        TEST(test_names_that_are_none),
        TEST(test_read_only_file),
        TEST(test_unwritable_directory),
        TEST(test_input_is_not_the_output),
        TEST(test_symlinks_are_followed),
        TEST(test_symlinks_that_lead_nowhere),
        TEST(test_many_links),
        TEST(test_link_to_a_deleted_file),
        TEST(test_dead_temporaries_are_removed),
        TEST(test_temporaries_that_are_no_files_stay),
        TEST(test_two_at_work_do_not_harm_each_other),
        TEST(test_killed_run),
        TEST(test_long_names),
        TEST(test_relative_path),
        TEST(test_rename_fails),
        TEST(test_fsync_fails),
        TEST(test_create_fails),
        TEST(test_target_changes_meanwhile),
        TEST(test_anonymous),
        TEST(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

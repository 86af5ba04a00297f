/*
 * Whole conversions into a real database, in this process, while everything below fails in turn:
 * our allocations and SQLite's, our system calls and SQLite's. Whatever fails, the exit code
 * and the message are the documented ones, the old target stays as it was, no file and no
 * descriptor is left and no memory; what succeeds all the same is byte for byte the same database.
 */
#include "faults.h"

#include "cli/verbs.h"
#include "cli/options.h"
#include "cli/signals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* SQLite's hooks have no argument for it. */
static faults *current;

/* --- SQLite's memory ------------------------------------------------------------------------- */

static sqlite3_mem_methods real_memory;
static int64_t sqlite_blocks;

static void *memory_malloc(int n)
{
    if (current != NULL && faults_hit(current, "sqlite")) {
        return NULL;
    }
    void *p = real_memory.xMalloc(n);
    sqlite_blocks += p != NULL ? 1 : 0;
    return p;
}

static void *memory_realloc(void *p, int n)
{
    return current != NULL && faults_hit(current, "sqlite") ? NULL : real_memory.xRealloc(p, n);
}

static void memory_free(void *p)
{
    sqlite_blocks -= p != NULL ? 1 : 0;
    real_memory.xFree(p);
}

static int group_setup(void **state)
{
    (void)state;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory), SQLITE_OK);
    sqlite3_mem_methods mine = real_memory;
    mine.xMalloc = memory_malloc;
    mine.xRealloc = memory_realloc;
    mine.xFree = memory_free;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &mine), SQLITE_OK);
    return sqlite3_initialize();
}

/* --- SQLite's system calls ------------------------------------------------------------------- */

/* Named so that they are not among those of ts_ctx.sys. */
static int lite_open(const char *path, int flags, int mode)
{
    return faults_hit(current, "sqlite.open") ? -1 : open(path, flags, (mode_t)mode);
}

static int lite_fstat(int fd, struct stat *st)
{
    return faults_hit(current, "sqlite.fstat") ? -1 : fstat(fd, st);
}

static int lite_ftruncate(int fd, off_t n)
{
    return faults_hit(current, "sqlite.ftruncate") ? -1 : ftruncate(fd, n);
}

static size_t cut(size_t n)
{
    return current->most != 0 && n > current->most ? current->most : n;
}

static bool interrupted(void)
{
    if (current->interrupt && current->toggle++ % 2 == 0) {
        errno = EINTR;
        return true;
    }
    return false;
}

static ssize_t lite_read(int fd, void *p, size_t n)
{
    return faults_hit(current, "sqlite.read") || interrupted() ? -1 : read(fd, p, cut(n));
}

static ssize_t lite_pread(int fd, void *p, size_t n, off_t at)
{
    return faults_hit(current, "sqlite.pread") || interrupted() ? -1 : pread(fd, p, cut(n), at);
}

static ssize_t lite_write(int fd, const void *p, size_t n)
{
    return faults_hit(current, "sqlite.write") || interrupted() ? -1 : write(fd, p, cut(n));
}

static ssize_t lite_pwrite(int fd, const void *p, size_t n, off_t at)
{
    return faults_hit(current, "sqlite.pwrite") || interrupted() ? -1 : pwrite(fd, p, cut(n), at);
}

static int lite_unlink(const char *path)
{
    return faults_hit(current, "sqlite.unlink") ? -1 : unlink(path);
}

static void replace_calls(void)
{
    static const struct {
        const char *name;
        sqlite3_syscall_ptr call;
    } calls[] = {
        {"open", (sqlite3_syscall_ptr)lite_open},
        {"fstat", (sqlite3_syscall_ptr)lite_fstat},
        {"ftruncate", (sqlite3_syscall_ptr)lite_ftruncate},
        {"read", (sqlite3_syscall_ptr)lite_read},
        {"pread", (sqlite3_syscall_ptr)lite_pread},
        {"pread64", (sqlite3_syscall_ptr)lite_pread},
        {"write", (sqlite3_syscall_ptr)lite_write},
        {"pwrite", (sqlite3_syscall_ptr)lite_pwrite},
        {"pwrite64", (sqlite3_syscall_ptr)lite_pwrite},
        {"unlink", (sqlite3_syscall_ptr)lite_unlink},
    };
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    assert_non_null(vfs);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        /* One of pread and pread64 may be missing in a library. */
        (void)vfs->xSetSystemCall(vfs, calls[i].name, calls[i].call);
    }
}

static void restore_calls(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    assert_int_equal(vfs->xSetSystemCall(vfs, NULL, NULL), SQLITE_OK);
}

/* --- one conversion -------------------------------------------------------------------------- */

typedef struct scenario {
    const char *name;
    const char *input;
    const char *more[4]; /* options */
    bool into_file;      /* -e; else an anonymous database is asked, or ... */
    bool extract;        /* ... -s */
    bool loud;           /* without --quiet */
} scenario;

static const scenario scenarios[] = {
    {"snapshot", "snapshot.htrace", {NULL}, true, false, false},
    {"timeline", "timeline.htrace", {"--sync", "--index", NULL}, true, false, false},
    {"profile in a zip", "all.tar.gz", {"--json=JSON", NULL}, true, false, false},
    {"question", "profile.htrace", {NULL}, false, false, false},
    {"database", NULL, {NULL}, false, false, false}, /* the target, made before */
    {"files of a directory", "recordings", {NULL}, true, false, false},
    {"summary", "all.zip", {NULL}, true, false, true},
    {"extraction", "all.tar.gz", {NULL}, false, true, true},
    {"extraction, forced", "all.zip", {"--force", NULL}, false, true, false},
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

typedef struct place {
    char *dir; /* of the target */
    char *tmp; /* for spools and anonymous databases */
    char *target;
    char *query;
    char *json;
    char *old; /* the bytes of the target before */
    size_t old_n;
    char *right; /* what a conversion gives */
    char *whole; /* the folder with what an extraction gives */
    size_t right_n;
} place;

static const char question[] =
    "SELECT count(*) FROM stack_sample; SELECT * FROM v_stack_hot_method;";

/* The file of --json is the one before, or whole. */
static void check_json(const char *json, const char *before)
{
    size_t n;
    char *text = test_read_file(json, &n);
    bool whole = n > 3 && text[0] == '{' && strcmp(text + n - 3, "\n}\n") == 0 &&
                 strstr(text, "\"exit_code\"") != NULL;
    if (!whole && strcmp(text, before) != 0) {
        fail_msg("the file of --json is neither old nor whole: %zu bytes: %s", n, text);
    }
    free(text);
}

static int run_once(const scenario *s, const place *p, faults *f)
{
    static const char before[] = "an old summary\n";
    char *input = s->input == NULL ? strdup(p->target) : fault_path(TS_FAULT_INPUTS, s->input);
    const char *argv[16] = {"trace_streamer", input, s->into_file ? "-e" : "-q",
                            s->into_file ? p->target : p->query,
                            s->loud ? "--no-progress" : "--quiet"};
    char *json = fault_path(p->tmp, "json");
    char *json_option = NULL;
    int argc = 5;
    if (s->extract) {
        argv[2] = "-s";
        argv[3] = "-o";
        argv[argc++] = argv[4];
        argv[4] = p->dir;
    }
    for (int i = 0; s->more[i] != NULL; i++) {
        argv[argc++] = s->more[i];
        if (strcmp(s->more[i], "--json=JSON") == 0) {
            assert_true(asprintf(&json_option, "--json=%s", json) > 0);
            argv[argc - 1] = json_option;
            test_write_file(json, before, sizeof before - 1);
        }
    }
    ts_ctx *ctx = test_ctx_new();
    ts_options options;
    assert_ok(ctx, ts_options_parse(&options, ctx, argc, (char **)(uintptr_t)argv));
    ctx->tmpdir = p->tmp;
    faults_install(f, ctx);
    current = f;
    replace_calls();
    int code = ts_convert(ctx, &options);
    restore_calls();
    current = NULL;
    assert_int_equal(f->open_files, 0);
    assert_int_equal(f->blocks, 0);
    assert_int_equal(sqlite_blocks, 0);
    ctx->allocator = f->allocator;
    ts_options_free(&options, ctx);
    test_ctx_free(ctx);
    if (json_option != NULL) {
        check_json(json, before);
    }
    (void)unlink(json);
    free(json_option);
    free(json);
    free(input);
    return code;
}

static void begin(place *p, const scenario *s)
{
    *p = (place){.dir = fault_folder(), .tmp = fault_folder()};
    p->target = fault_path(p->dir, "out.db");
    p->query = fault_path(TS_FAULT_INPUTS, "question.sql");
    test_write_file(p->query, question, sizeof question - 1);
    faults none = {0};
    if (s->into_file || s->input == NULL) {
        scenario other = {"", "profile.cpuprofile", {NULL}, true, false, false};
        assert_int_equal(run_once(&other, p, &none), 0);
        p->old = test_read_file(p->target, &p->old_n);
        none = (faults){0};
    }
    assert_int_equal(run_once(s, p, &none), 0);
    if (s->into_file) {
        p->right = test_read_file(p->target, &p->right_n);
    } else if (s->extract) {
        p->right_n = (size_t)fault_names(p->dir);
        p->whole = p->dir;
        p->dir = fault_folder();
        assert_true(p->right_n > 0);
        return;
    } else {
        p->right = strdup(none.text);
        p->right_n = none.text_n;
    }
    assert_true(p->right_n > 10);
}

static void end(place *p)
{
    fault_remove(p->dir);
    fault_remove(p->tmp);
    if (p->whole != NULL) {
        fault_remove(p->whole);
    }
    free(p->target);
    free(p->query);
    free(p->old);
    free(p->right);
}

/* One of them. A member that cannot be read is a loss, and shifts the numbers of those behind it.
 */
static void check_file(const scenario *s, const place *p, int code, const char *name)
{
    size_t n;
    char *path = fault_path(p->whole, name);
    char *made = fault_path(p->dir, name);
    if (access(path, F_OK) == 0) {
        char *bytes = test_read_file(path, &n);
        assert_true(fault_file_is(made, bytes, n));
        free(bytes);
    } else if (code != 0) {
        fail_msg("%s: exit %d leaves %s", s->name, code, name);
    }
    free(made);
    free(path);
}

/* What was extracted before the failure is whole; it makes room for the next run. */
static void check_extracted(const scenario *s, const place *p, int code)
{
    DIR *dir = opendir(p->dir);
    assert_non_null(dir);
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            check_file(s, p, code, e->d_name);
        }
    }
    (void)closedir(dir);
    fault_empty(p->dir);
}

/* Input that could not be read to its end is a loss, which the database itself reports. */
static bool reports_unread_input(const place *p, const faults *f)
{
    static const char sql[] =
        "SELECT count(*) FROM import_issue WHERE code IN"
        " ('input_failed', 'input_read_failed', 'member_failed', 'wire_damage')";
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    if (strcmp(f->what, "pread") != 0 && strcmp(f->what, "read") != 0 &&
        strcmp(f->what, "open") != 0 && strcmp(f->what, "fstat") != 0) {
        return false;
    }
    assert_int_equal(sqlite3_open_v2(p->target, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    bool reported = sqlite3_column_int(st, 0) > 0;
    sqlite3_finalize(st);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return reported;
}

/* Runs with one failure, and looks at what it has left. Returns the exit code. */
static int run_failing(const scenario *s, const place *p, faults *f)
{
    int before = fault_names("/proc/self/fd");
    if (s->into_file) {
        test_write_file(p->target, p->old, p->old_n);
    }
    int code = run_once(s, p, f);
    assert_int_equal(fault_names("/proc/self/fd"), before);
    if (s->into_file && code == 0) {
        if (!fault_file_is(p->target, p->right, p->right_n) && !reports_unread_input(p, f)) {
            fail_msg("%s: %s %llu: another database: %s", s->name, f->what,
                     (unsigned long long)f->fail_at, f->text);
        }
    } else if (s->into_file && (strstr(f->text, "cannot sync the directory") != NULL ||
                                strstr(f->text, "the database is complete and was published"))) {
        /* Too late to take it back: it is complete, but may be lost when the power goes, or the
         * file of --json could not get its name. */
        assert_true(fault_file_is(p->target, p->right, p->right_n));
    } else if (s->into_file) {
        if (!fault_file_is(p->target, p->old, p->old_n)) {
            fail_msg("%s: the target has changed: exit %d: %s", s->name, code, f->text);
        }
    } else if (s->extract) {
        check_extracted(s, p, code);
    } else if (code == 0) {
        assert_int_equal(f->text_n, p->right_n);
        assert_memory_equal(f->text, p->right, p->right_n);
    }
    return code;
}

static void assert_nothing_left(const scenario *s, const place *p)
{
    assert_int_equal(fault_names(p->dir), s->into_file || s->input == NULL ? 1 : 0);
    assert_int_equal(fault_names(p->tmp), 0);
}

/* --- memory ---------------------------------------------------------------------------------- */

/* The first `head` points are those of every conversion: of these every 20th will do. */
static void memory_sweep(const scenario *s, const char *what, uint64_t points, uint64_t head)
{
    place p;
    begin(&p, s);
    faults count = {.what = what};
    assert_int_equal(run_failing(s, &p, &count), 0);
    uint64_t all = count.calls;
    uint64_t harmless = 0;
    uint64_t tried = 0;
    assert_true(all > 5);
    for (uint64_t k = 1; k <= all;
         k += k < head ? fault_step(all, points) * 20 : fault_step(all, points)) {
        for (int forever = 0; forever < 2; forever++) {
            faults f = {.what = what, .fail_at = k, .number = ENOMEM, .forever = forever != 0};
            int code = run_failing(s, &p, &f);
            tried++;
            if (code == 0) {
                harmless++;
            } else if (code != 7 || (strstr(f.text, "memory") == NULL &&
                                     strstr(f.text, "cannot allocate") == NULL)) {
                fail_msg("%s: %s %llu%s: exit %d: %s", s->name, what, (unsigned long long)k,
                         forever != 0 ? " and on" : "", code, f.text);
            }
            assert_nothing_left(s, &p);
        }
    }
    print_message("%s: %llu of %llu allocations (%s), %llu failures did no harm\n", s->name,
                  (unsigned long long)tried / 2, (unsigned long long)all, what,
                  (unsigned long long)harmless);
    end(&p);
}

static void test_every_allocation_of_ours(void **state)
{
    (void)state;
    for (int i = 0; i < SCENARIOS; i++) {
        memory_sweep(&scenarios[i], "realloc", 6, 0);
    }
}

static void test_every_allocation_of_sqlite(void **state)
{
    (void)state;
    for (int i = 0; i < SCENARIOS; i++) {
        if (scenarios[i].extract) { /* -s alone makes no database */
            continue;
        }
        /* That of the schema is by far the most, and the same in all of them. */
        memory_sweep(&scenarios[i], "sqlite", 6, test_slow() && i > 0 ? 29000 : 0);
    }
}

/* --- system calls ---------------------------------------------------------------------------- */

static const char *const calls[] = {
    "open",          "close",        "read",
    "pread",         "write",        "pwrite",
    "fstat",         "fsync",        "ftruncate",
    "rename",        "unlink",       "sqlite.open",
    "sqlite.read",   "sqlite.pread", "sqlite.write",
    "sqlite.pwrite", "sqlite.fstat", "sqlite.ftruncate",
    "sqlite.unlink", "openat",       "linkat",
    "renameat",      "unlinkat",
};

enum { CALLS = sizeof calls / sizeof calls[0] };

static bool names_a_path(const place *p, const char *text)
{
    return strstr(text, p->dir) != NULL || strstr(text, p->tmp) != NULL ||
           strstr(text, TS_FAULT_INPUTS) != NULL || strstr(text, "standard output") != NULL;
}

/* SQLite says some of it in its own words: it opens for reading what it cannot open for writing. */
static bool names_the_reason(const char *what, const char *text, int number)
{
    if (strstr(text, strerror(number)) != NULL) {
        return true;
    }
    return strncmp(what, "sqlite.", 7) == 0 &&
           (strstr(text, "readonly database") != NULL || strstr(text, "disk is full") != NULL);
}

/* `all`: so many calls of this name a conversion makes. */
static void call_sweep(const scenario *s, const place *p, const char *what, uint64_t all,
                       int number)
{
    for (uint64_t k = 1; k <= all; k += fault_step(all, 2)) {
        faults f = {.what = what, .fail_at = k, .number = number};
        int code = run_failing(s, p, &f);
        bool reported =
            f.message_lost || (names_the_reason(what, f.text, number) && names_a_path(p, f.text));
        if (code != 0 && ((code != 4 && code != 1 && code != 2) || !reported)) {
            fail_msg("%s: %s %llu fails with %s: exit %d: %s", s->name, what, (unsigned long long)k,
                     strerror(number), code, f.text);
        }
        if (strcmp(what, "unlink") == 0) { /* the name could not be taken away: the next run does */
            faults none = {0};
            assert_int_equal(run_failing(s, p, &none), 0);
        }
        assert_nothing_left(s, p);
    }
}

/* What a network file system could not keep it tells at the close: the database is not published.
 */
static void test_close_of_what_was_written(void **state)
{
    place p;
    unsigned reported = 0;
    (void)state;
    begin(&p, &scenarios[0]);
    faults count = {.what = "close"};
    assert_int_equal(run_failing(&scenarios[0], &p, &count), 0);
    for (uint64_t k = 1; k <= count.calls; k++) {
        faults f = {.what = "close", .fail_at = k, .number = EDQUOT};
        if (run_failing(&scenarios[0], &p, &f) == 4) {
            assert_non_null(strstr(f.text, strerror(EDQUOT)));
            reported++;
        }
        assert_nothing_left(&scenarios[0], &p);
    }
    assert_int_equal(reported, 1);
    end(&p);
}

static void test_every_system_call(void **state)
{
    static const int numbers[] = {EIO, ENOSPC};
    uint64_t total[CALLS] = {0};
    (void)state;
    for (int i = 0; i < SCENARIOS; i++) {
        place p;
        begin(&p, &scenarios[i]);
        uint64_t seen[CALLS] = {0};
        faults count = {.what = "none", .names = calls, .seen = seen, .name_count = CALLS};
        assert_int_equal(run_failing(&scenarios[i], &p, &count), 0);
        for (size_t c = 0; c < CALLS; c++) {
            total[c] += seen[c];
            /* Only what makes or grows files can find the disk full. */
            bool fills =
                strstr("open,openat,linkat,write,pwrite,fsync,ftruncate,rename,sqlite.open,"
                       "sqlite.write,sqlite.pwrite,sqlite.ftruncate",
                       calls[c]) != NULL;
            for (size_t e = 0; e < (fills ? 2 : 1); e++) {
                if (fills && !test_slow() && (c + (size_t)i) % 2 != e) { /* in turn */
                    continue;
                }
                call_sweep(&scenarios[i], &p, calls[c], seen[c], numbers[e]);
            }
        }
        end(&p);
    }
    for (size_t c = 0; c < 5; c++) {
        assert_true(total[c] > 0); /* open to write */
    }
}

/* Calls that do less than they were asked for, or are interrupted, change nothing. */
static void test_short_and_interrupted_calls(void **state)
{
    static const size_t most[] = {1, 7, 1000, 0};
    (void)state;
    for (int i = 0; i < SCENARIOS; i++) {
        place p;
        begin(&p, &scenarios[i]);
        for (size_t m = 0; m < sizeof most / sizeof most[0]; m++) {
            if (!test_slow() && most[m] != 0 && ((size_t)i + m) % 3 != 0) { /* in turn */
                continue;
            }
            faults f = {.most = most[m], .interrupt = true};
            int code = run_failing(&scenarios[i], &p, &f);
            if (code != 0) {
                fail_msg("%s: %zu bytes a call: exit %d: %s", scenarios[i].name, most[m], code,
                         f.text);
            }
            assert_true(f.toggle > 10);
            assert_nothing_left(&scenarios[i], &p);
        }
        end(&p);
    }
}

/* --- signals ---------------------------------------------------------------------------------- */

/* When the two signals come: around the renaming of the database (1) or of the summary (2). */
static struct {
    int at;
    int calls;
    bool before;
} signals;

static int signalling_rename(void *user, const char *from, const char *to)
{
    (void)user;
    bool now = ++signals.calls == signals.at;
    if (now && signals.before) {
        (void)raise(SIGTERM);
        (void)raise(SIGINT);
    }
    int rc = rename(from, to);
    if (now && !signals.before) {
        (void)raise(SIGTERM);
        (void)raise(SIGINT);
    }
    return rc;
}

static int signalling_fsync(void *user, int fd)
{
    (void)user;
    if (signals.calls++ == 0) {
        (void)raise(SIGTERM);
    }
    return fsync(fd);
}

static int convert_with_signals(const place *p, const char *json, bool early)
{
    char *input = fault_path(TS_FAULT_INPUTS, "snapshot.htrace");
    char *json_option = NULL;
    int status = 0;
    assert_true(asprintf(&json_option, "--json=%s", json) > 0);
    const char *argv[] = {"trace_streamer", input,     "-e",    p->target,
                          json_option,      "--quiet", "--sync"};
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        ts_ctx *ctx = test_ctx_new();
        ts_options options;
        ctx->cancel = ts_signals_install();
        ctx->tmpdir = p->tmp;
        ctx->sys.rename = signalling_rename;
        ctx->sys.fsync = early ? signalling_fsync : ctx->sys.fsync;
        assert_ok(ctx, ts_options_parse(&options, ctx, 7, (char **)(uintptr_t)argv));
        _exit(ts_convert(ctx, &options));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    free(input);
    free(json_option);
    return WEXITSTATUS(status);
}

/* The exit code says what has happened to the outputs, whenever the signals come. */
static void test_signals_around_publishing(void **state)
{
    place p;
    (void)state;
    begin(&p, &scenarios[0]);
    char *json = fault_path(p.tmp, "json");
    for (int at = 1; at <= 2; at++) {
        for (int before = 0; before < 2; before++) {
            signals.at = at;
            signals.before = before == 1;
            test_write_file(p.target, p.old, p.old_n);
            assert_int_equal(convert_with_signals(&p, json, false), 0);
            assert_true(fault_file_is(p.target, p.right, p.right_n));
            check_json(json, "");
            assert_int_equal(fault_names(p.dir), 1);
            assert_int_equal(fault_names(p.tmp), 1);
            (void)unlink(json);
        }
    }
    /* One before it all: nothing is published but the summary, which tells of it. */
    signals.at = 0;
    test_write_file(p.target, p.old, p.old_n);
    assert_int_equal(convert_with_signals(&p, json, true), 128 + SIGTERM);
    assert_true(fault_file_is(p.target, p.old, p.old_n));
    check_json(json, "");
    assert_int_equal(fault_names(p.dir), 1);
    (void)unlink(json);
    assert_int_equal(fault_names(p.tmp), 0);
    free(json);
    end(&p);
}

/* --- what the program says about itself ------------------------------------------------------- */

static void test_about(void **state)
{
    static const char *const words[] = {"--help",       "--version", "--list",
                                        "--info",       "--tables",  "--tables=js_heap_nodes",
                                        "--format=list"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *argv[] = {"trace_streamer", words[i]};
        uint64_t count = 1;
        for (uint64_t k = 0; k <= count; k++) {
            ts_ctx *ctx = test_ctx_new();
            ts_options options;
            ts_buf text = {0};
            assert_ok(ctx, ts_options_parse(&options, ctx, 2, (char **)(uintptr_t)argv));
            faults f = {.what = "realloc", .fail_at = k, .number = ENOMEM};
            faults_install(&f, ctx);
            ts_code code = ts_about(&text, ctx, &options);
            assert_int_equal(code, f.failed ? TS_ERR_NOMEM : TS_OK);
            assert_int_equal(f.failed, k > 0);
            count = k == 0 ? f.calls : count;
            ts_buf_free(ctx, &text);
            assert_int_equal(f.blocks, 0);
            ctx->allocator = f.allocator;
            ts_options_free(&options, ctx);
            test_ctx_free(ctx);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_of_ours),
        cmocka_unit_test(test_every_allocation_of_sqlite),
        cmocka_unit_test(test_close_of_what_was_written),
        cmocka_unit_test(test_every_system_call),
        cmocka_unit_test(test_short_and_interrupted_calls),
        cmocka_unit_test(test_signals_around_publishing),
        cmocka_unit_test(test_about),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, group_setup, NULL);
}

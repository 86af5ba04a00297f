/*
 * Comparisons and other verbs in this process while everything below fails in turn: our allocations
 * and SQLite's, our system calls. Whatever fails, there is a message and the documented exit code,
 * and no memory, no descriptor and no file is left; what succeeds all the same prints and writes
 * the same, and what a failure leaves of several files is whole.
 */
#include "faults.h"

#include "cli/verbs.h"
#include "cli/options.h"

#include <dirent.h>
#include <errno.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

/* SQLite's hooks have no argument for it. */
static faults *current;
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

static char *folder; /* before.db, after.db, tmp/ */
static char *tmp;
static char *runs; /* of a baseline, in the folder */
static char *outs; /* in the folder: what is written */
static char *kept; /* what is written when all goes well */

static int run_verb(ts_ctx *ctx, const ts_options *o)
{
    return o->verb == TS_VERB_DIFF                          ? ts_diff(ctx, o)
           : o->verb == TS_VERB_CUT                         ? ts_cut_verb(ctx, o)
           : o->verb == TS_VERB_MERGE                       ? ts_merge_verb(ctx, o)
           : o->verb == TS_VERB_UNREDACT                    ? ts_unredact_verb(ctx, o)
           : o->verb == TS_VERB_REDACT || o->redact != NULL ? ts_redact_verb(ctx, o)
           : o->each                                        ? ts_convert_each(ctx, o)
                                                            : ts_convert(ctx, o);
}

static int run_once(faults *f, const char *const *words)
{
    const char *argv[16] = {"trace_streamer"};
    char *owned[16] = {NULL};
    int argc = 1;
    for (int i = 0; words[i] != NULL; i++) {
        bool input = strchr(words[i], '.') != NULL && words[i][0] != '-';
        bool made = input && strstr(words[i], ".db") != NULL;
        owned[i] = made    ? fault_path(folder, words[i])
                   : input ? fault_path(TS_FAULT_INPUTS, words[i])
                           : strdup(words[i]);
        argv[argc++] = owned[i];
    }
    ts_ctx *ctx = test_ctx_new();
    ts_options options;
    assert_ok(ctx, ts_options_parse(&options, ctx, argc, (char **)(uintptr_t)argv));
    ctx->tmpdir = tmp;
    faults_install(f, ctx);
    current = f;
    int code = run_verb(ctx, &options);
    current = NULL;
    assert_int_equal(f->open_files, 0);
    assert_int_equal(f->blocks, 0);
    assert_int_equal(sqlite_blocks, 0);
    ctx->allocator = f->allocator;
    ts_options_free(&options, ctx);
    test_ctx_free(ctx);
    for (int i = 0; i < 16; i++) {
        free(owned[i]);
    }
    return code;
}

static int group_setup(void **state)
{
    static const char *const makes[][6] = {
        {"snapshot.heapsnapshot", "-e", "before.db", "--quiet", NULL},
        {"timeline.heaptimeline", "-e", "after.db", "--quiet", NULL},
        {"profile.cpuprofile", "-e", "profile.db", "--quiet", NULL},
        {"profile.cpuprofile", "-e", "runs.db/one.db", "--quiet", NULL},
        {"profile.cpuprofile", "-e", "runs.db/two.db", "--quiet", NULL},
    };
    (void)state;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory), SQLITE_OK);
    sqlite3_mem_methods mine = real_memory;
    mine.xMalloc = memory_malloc;
    mine.xRealloc = memory_realloc;
    mine.xFree = memory_free;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &mine), SQLITE_OK);
    assert_int_equal(sqlite3_initialize(), SQLITE_OK);
    folder = fault_folder();
    tmp = fault_folder();
    runs = fault_path(folder, "runs.db");
    outs = fault_path(folder, "outs.db");
    kept = fault_folder();
    assert_int_equal(mkdir(runs, 0700), 0);
    assert_int_equal(mkdir(outs, 0700), 0);
    char *key = fault_path(folder, "key.db");
    test_write_file(key, "0123456789abcdef0123456789abcdef\n", 33);
    free(key);
    for (size_t i = 0; i < sizeof makes / sizeof makes[0]; i++) {
        faults none = {0};
        assert_int_equal(run_once(&none, makes[i]), 0);
    }
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    fault_remove(runs);
    fault_remove(outs);
    fault_remove(kept);
    fault_remove(folder);
    fault_remove(tmp);
    return 0;
}

/* --- sweeps ---------------------------------------------------------------------------------- */

typedef struct comparison {
    const char *name;
    const char *words[10];
    int code;  /* when all goes well */
    bool each; /* processes of its own: what fails in one of them is 1 */
} comparison;

static const comparison comparisons[] = {
    {"classes",
     {"diff", "before.db", "after.db", "--output=json", "--fail-if=count[*]>0", NULL},
     9,
     false},
    {"classes, analysed",
     {"diff", "snapshot.heapsnapshot", "after.db", "--analyze=heap", "--quiet", NULL},
     0,
     false},
    {"nodes", {"diff", "before.db", "after.db", "--by=node", "--output=table", NULL}, 0, false},
    {"methods",
     {"diff", "profile.db", "profile.cpuprofile", "--quiet", "--limit=0", NULL},
     0,
     false},
    {"a baseline",
     {"diff", "--baseline", "runs.db", "profile.db", "--output=markdown", "--fail-if=samples[*]>0",
      NULL},
     9,
     false},
    {"classes for tests",
     {"diff", "before.db", "after.db", "--output=junit", "--limit=5", "--fail-if=count[*]>0", NULL},
     9,
     false},
    {"methods for findings",
     {"diff", "profile.db", "--before=none", "--output=sarif", "--limit=5", NULL},
     0,
     false},
    {"methods for a workflow",
     {"diff", "profile.db", "--before=none", "--output=github", "--fail-if=samples[*]>0", NULL},
     9,
     false},
    /* Several databases. */
    {"a question to several",
     {"before.db", "profile.db", "-q", "SELECT id, kind, path, bytes FROM source", "--output=arrow",
      NULL},
     0,
     false},
    {"rows of several", {"profile.db", "runs.db/one.db", "-q", "hot_methods", NULL}, 0, false},
    {"reports of several", {"before.db", "profile.db", "--report", NULL}, 0, false},
    {"reports as JSON", {"before.db", "profile.db", "--report=json", NULL}, 0, false},
    {"stacks together",
     {"profile.db", "runs.db/one.db", "--to=flame", "-o", "outs.db/all.html", NULL},
     0,
     false},
    {"stacks apart",
     {"profile.db", "runs.db/one.db", "--to=pprof", "-o", "outs.db", NULL},
     0,
     false},
    /* Databases that are shared. */
    {"redact",
     {"redact", "profile.db", "-e", "outs.db/red.db", "--redact-key", "key.db", NULL},
     0,
     false},
    {"redact a recording",
     {"redact", "snapshot.heapsnapshot", "-e", "outs.db/red.db", "--redact-key", "key.db",
      "--redact-keep=^Arr", NULL},
     0,
     false},
    {"redact at a conversion",
     {"profile.cpuprofile", "-e", "outs.db/red.db", "--redact=names", "--index", "--redact-key",
      "key.db", NULL},
     0,
     false},
    {"unredact",
     {"unredact", "profile.db", "--redact-key", "key.db", "some_token_of_a_name_that_is_long",
      "another_token_of_a_name_that_is_long", NULL},
     0,
     false},
    {"each",
     {"profile.cpuprofile", "snapshot.heapsnapshot", "--each", "-o", "outs.db", "--jobs=1", NULL},
     0,
     true},
    /* Parts and unions. */
    {"a part", {"cut", "before.db", "-e", "part.db", "--from=0", "--force", NULL}, 0, false},
    {"a part of a recording",
     {"cut", "profile.cpuprofile", "-e", "part.db", "--until=+1s", "--force", NULL},
     0,
     false},
    {"a union", {"merge", "before.db", "profile.db", "-e", "both.db", "--force", NULL}, 0, false},
};
enum { COMPARISONS = sizeof comparisons / sizeof comparisons[0] };

static bool is_expected(const comparison *c, int code, const char *what)
{
    if (c->each && code == 1) {
        return true;
    }
    if (strcmp(what, "realloc") == 0 || strcmp(what, "sqlite") == 0) {
        return code == 7;
    }
    return code == 1 || code == 2 || code == 4 || code == 5;
}

/* Each file that was written is whole; all of them are there when all went well. */
static void check_written(const comparison *c, bool all)
{
    DIR *dir = opendir(outs);
    assert_non_null(dir);
    int count = 0;
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            size_t n;
            char *right = fault_path(kept, e->d_name);
            char *made = fault_path(outs, e->d_name);
            if (access(right, F_OK) != 0) {
                fail_msg("%s: %s is left", c->name, e->d_name);
            }
            char *bytes = test_read_file(right, &n);
            if (!fault_file_is(made, bytes, n)) {
                fail_msg("%s: %s is not whole", c->name, e->d_name);
            }
            free(bytes);
            free(made);
            free(right);
            count++;
        }
    }
    (void)closedir(dir);
    assert_true(!all || count == fault_names(kept));
    fault_empty(outs);
}

static void keep_written(void)
{
    fault_empty(kept);
    DIR *dir = opendir(outs);
    assert_non_null(dir);
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            size_t n;
            char *from = fault_path(outs, e->d_name);
            char *to = fault_path(kept, e->d_name);
            char *bytes = test_read_file(from, &n);
            test_write_file(to, bytes, n);
            free(bytes);
            free(from);
            free(to);
        }
    }
    (void)closedir(dir);
    fault_empty(outs);
}

static bool reports_loss(const comparison *c, const faults *f)
{
    return strstr(f->text, "lost data") != NULL ||
           (c->each && strstr(f->text, ", 0 of them with losses") == NULL);
}

static void check_point(const comparison *c, const faults *whole, faults *f)
{
    int before = fault_names("/proc/self/fd");
    int code = run_once(f, c->words);
    assert_int_equal(fault_names("/proc/self/fd"), before);
    assert_int_equal(fault_names(tmp), 0);
    /* What could not be read of a recording is a loss, and said. */
    const bool lossy = code == c->code && reports_loss(c, f);
    if (lossy) {
        fault_empty(outs);
    } else {
        check_written(c, code == c->code);
    }
    if (f->message_lost) {
        return;
    }
    if (code == c->code) {
        if (!lossy) {
            assert_int_equal(f->text_n, whole->text_n);
            assert_memory_equal(f->text, whole->text, whole->text_n);
        }
    } else if (!is_expected(c, code, f->what) || strstr(f->text, "trace_streamer: ") == NULL) {
        fail_msg("%s: %s %llu: exit %d: %s", c->name, f->what, (unsigned long long)f->fail_at, code,
                 f->text);
    }
}

static const char *const writes[] = {"pwrite", "rename", "ftruncate"};

/* What every comparison does; other verbs and files that are written do it or do not. */
static bool must_call(const comparison *c, const char *what)
{
    bool must = strcmp(c->words[0], "diff") == 0;
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        must = must && strcmp(what, writes[i]) != 0;
    }
    return must;
}

static void sweep(const char *what, uint64_t points, int number)
{
    size_t hit = 0;
    for (size_t i = 0; i < COMPARISONS; i++) {
        const comparison *c = &comparisons[i];
        faults whole = {.what = what};
        assert_int_equal(run_once(&whole, c->words), c->code);
        keep_written();
        assert_true(whole.text_n > 50 || fault_names(kept) > 0);
        hit += whole.calls > 0;
        assert_true(whole.calls > 0 || !must_call(c, what));
        /* The processes of --each count on from there. */
        const uint64_t all = c->each ? whole.calls * 40 + 200 : whole.calls;
        uint64_t step = fault_step(all, c->each ? points * 4 : points);
        for (uint64_t k = 1; k <= all; k += step) {
            for (int forever = 0; forever < 2; forever++) {
                faults f = {.what = what, .fail_at = k, .number = number, .forever = forever != 0};
                check_point(c, &whole, &f);
            }
        }
    }
    assert_true(hit > 1);
}

static void memory_of_ours(void **state)
{
    (void)state;
    sweep("realloc", 8, ENOMEM);
}

static void memory_of_sqlite(void **state)
{
    (void)state;
    sweep("sqlite", 4, ENOMEM);
}

static void reading_calls(void **state)
{
    static const char *const calls[] = {"open", "read", "pread", "fstat", "close"};
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        sweep(calls[i], 2, EIO);
    }
}

static void writing_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        sweep(writes[i], 2, EIO);
    }
}

/* fault_diff [TEST] */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_ours),
        cmocka_unit_test(memory_of_sqlite),
        cmocka_unit_test(reading_calls),
        cmocka_unit_test(writing_calls),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}

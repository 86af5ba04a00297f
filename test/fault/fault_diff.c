/*
 * Comparisons, parts and unions in this process while everything below fails in turn: our
 * allocations and SQLite's, our system calls. Whatever fails, there is a message and the documented
 * exit code, and no memory, no descriptor and no file is left; what succeeds all the same prints
 * the same.
 */
#include "faults.h"

#include "cli/verbs.h"
#include "cli/options.h"

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
    int code = options.verb == TS_VERB_DIFF    ? ts_diff(ctx, &options)
               : options.verb == TS_VERB_CUT   ? ts_cut_verb(ctx, &options)
               : options.verb == TS_VERB_MERGE ? ts_merge_verb(ctx, &options)
                                               : ts_convert(ctx, &options);
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
    assert_int_equal(mkdir(runs, 0700), 0);
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
    fault_remove(folder);
    fault_remove(tmp);
    return 0;
}

/* --- sweeps ---------------------------------------------------------------------------------- */

typedef struct comparison {
    const char *name;
    const char *words[10];
    int code; /* when all goes well */
} comparison;

static const comparison comparisons[] = {
    {"classes",
     {"diff", "before.db", "after.db", "--output=json", "--fail-if=count[*]>0", NULL},
     9},
    {"classes, analysed",
     {"diff", "snapshot.heapsnapshot", "after.db", "--analyze=heap", "--quiet", NULL},
     0},
    {"nodes", {"diff", "before.db", "after.db", "--by=node", "--output=table", NULL}, 0},
    {"methods", {"diff", "profile.db", "profile.cpuprofile", "--quiet", "--limit=0", NULL}, 0},
    {"a baseline",
     {"diff", "--baseline", "runs.db", "profile.db", "--output=markdown", "--fail-if=samples[*]>0",
      NULL},
     9},
    {"classes for tests",
     {"diff", "before.db", "after.db", "--output=junit", "--limit=5", "--fail-if=count[*]>0", NULL},
     9},
    {"methods for findings",
     {"diff", "profile.db", "--before=none", "--output=sarif", "--limit=5", NULL},
     0},
    {"methods for a workflow",
     {"diff", "profile.db", "--before=none", "--output=github", "--fail-if=samples[*]>0", NULL},
     9},
    {"a part", {"cut", "before.db", "-e", "part.db", "--from=0", "--force", NULL}, 0},
    {"a part of a recording",
     {"cut", "profile.cpuprofile", "-e", "part.db", "--until=+1s", "--force", NULL},
     0},
    {"a union", {"merge", "before.db", "profile.db", "-e", "both.db", "--force", NULL}, 0},
};
enum { COMPARISONS = sizeof comparisons / sizeof comparisons[0] };

static bool is_expected(int code, const char *what)
{
    if (strcmp(what, "realloc") == 0 || strcmp(what, "sqlite") == 0) {
        return code == 7;
    }
    return code == 1 || code == 2 || code == 4 || code == 5;
}

static void check_point(const comparison *c, const faults *whole, faults *f)
{
    int before = fault_names("/proc/self/fd");
    int code = run_once(f, c->words);
    assert_int_equal(fault_names("/proc/self/fd"), before);
    assert_int_equal(fault_names(tmp), 0);
    if (f->message_lost) {
        return;
    }
    if (code == c->code) {
        /* What could not be read of a recording is a loss, and said. */
        if (strstr(f->text, "lost data") == NULL) {
            assert_string_equal(f->text, whole->text);
        }
    } else if (!is_expected(code, f->what) || strstr(f->text, "trace_streamer: ") == NULL) {
        fail_msg("%s: %s %llu: exit %d: %s", c->name, f->what, (unsigned long long)f->fail_at, code,
                 f->text);
    }
}

static void sweep(const char *what, uint64_t points, int number)
{
    for (size_t i = 0; i < COMPARISONS; i++) {
        const comparison *c = &comparisons[i];
        faults whole = {.what = what};
        assert_int_equal(run_once(&whole, c->words), c->code);
        assert_true(whole.text_n > 50 && whole.calls > 0);
        uint64_t step = fault_step(whole.calls, points);
        for (uint64_t k = 1; k <= whole.calls; k += step) {
            for (int forever = 0; forever < 2; forever++) {
                faults f = {.what = what, .fail_at = k, .number = number, .forever = forever != 0};
                check_point(c, &whole, &f);
            }
        }
    }
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

static void system_calls(void **state)
{
    static const char *const calls[] = {"open", "read", "pread", "fstat", "close"};
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        sweep(calls[i], 2, EIO);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_ours),
        cmocka_unit_test(memory_of_sqlite),
        cmocka_unit_test(system_calls),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}

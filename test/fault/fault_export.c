/*
 * Every export of finished databases while everything below fails in turn: allocations, reads of
 * the database, writes of the file and of spools. Whatever fails, the exit code and the message are
 * the documented ones, the old file stays as it was, no file, descriptor or memory is left; what
 * succeeds all the same is byte for byte the same.
 */
#include "faults.h"

#include "cli/verbs.h"
#include "cli/options.h"
#include "export/export.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

static const char *const inputs[] = {"profile.cpuprofile", "timeline.heaptimeline", "flare",
                                     "sessions.heapprofile", "calls.ftrace"};
enum { INPUTS = sizeof inputs / sizeof inputs[0] };

static const char old_text[] = "what was there before\n";

typedef struct place {
    char *dir; /* of the databases and the file */
    char *tmp; /* for spools */
    char *out;
    char *database;
    char *right; /* what the export gives */
    size_t right_n;
} place;

static int run(const place *p, faults *f, int argc, const char *const *argv)
{
    ts_ctx *ctx = test_ctx_new();
    ts_options options;
    int before = fault_names("/proc/self/fd");
    assert_ok(ctx, ts_options_parse(&options, ctx, argc, (char **)(uintptr_t)argv));
    ctx->tmpdir = p->tmp;
    faults_install(f, ctx);
    int code = ts_convert(ctx, &options);
    assert_int_equal(f->open_files, 0);
    assert_int_equal(f->blocks, 0);
    assert_int_equal(fault_names("/proc/self/fd"), before);
    assert_int_equal(fault_names(p->tmp), 0);
    ctx->allocator = f->allocator;
    ts_options_free(&options, ctx);
    test_ctx_free(ctx);
    return code;
}

static int convert(const place *p, const char *input)
{
    char *path = fault_path(TS_FAULT_INPUTS, input);
    const char *argv[] = {"trace_streamer", path, "-e", p->database, "--quiet", "--force"};
    faults none = {0};
    int code = run(p, &none, 6, argv);
    free(path);
    return code;
}

static int export_once(const place *p, const char *name, faults *f)
{
    char to[64];
    (void)snprintf(to, sizeof to, "--to=%s", name);
    const char *argv[] = {"trace_streamer", p->database, to, "-o", p->out, "--quiet"};
    test_write_file(p->out, old_text, sizeof old_text - 1);
    return run(p, f, 6, argv);
}

/* One failure, and what it has left. */
static int export_failing(const place *p, const char *name, faults *f)
{
    int code = export_once(p, name, f);
    if (code == 0) {
        assert_true(fault_file_is(p->out, p->right, p->right_n));
    } else if (!fault_file_is(p->out, old_text, sizeof old_text - 1)) {
        fail_msg("%s: %s %llu: exit %d, and the file has changed: %s", name, f->what,
                 (unsigned long long)f->fail_at, code, f->text);
    }
    assert_int_equal(fault_names(p->dir), 2);
    return code;
}

static void sweep(const place *p, const char *name, const char *what, int number, uint64_t points)
{
    faults count = {.what = what};
    assert_int_equal(export_failing(p, name, &count), 0);
    for (uint64_t k = 1; k <= count.calls; k += fault_step(count.calls, points)) {
        faults f = {.what = what, .fail_at = k, .number = number};
        int code = export_failing(p, name, &f);
        bool memory = strcmp(what, "realloc") == 0;
        bool said =
            memory ? strstr(f.text, "memory") != NULL || strstr(f.text, "cannot allocate") != NULL
                   : strstr(f.text, strerror(number)) != NULL;
        bool right = memory ? code == 7 : code == 1 || code == 2 || code == 4;
        if (code != 0 && (!right || !said)) {
            fail_msg("%s: %s %llu: exit %d: %s", name, what, (unsigned long long)k, code, f.text);
        }
    }
}

static void sweep_all(const place *p, const char *name)
{
    static const struct {
        const char *what;
        int number;
    } calls[] = {
        {"open", EIO},   {"read", EIO},       {"pread", EIO}, {"write", ENOSPC},
        {"write", EIO},  {"pwrite", ENOSPC},  {"fstat", EIO}, {"ftruncate", ENOSPC},
        {"rename", EIO}, {"realloc", ENOMEM},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        sweep(p, name, calls[i].what, calls[i].number,
              strcmp(calls[i].what, "realloc") == 0 ? 8 : 2);
    }
    faults least = {.most = 7, .interrupt = true}; /* seven bytes a call, each second interrupted */
    assert_int_equal(export_failing(p, name, &least), 0);
}

static void test_every_failure(void **state)
{
    unsigned exported = 0;
    (void)state;
    for (int i = 0; i < INPUTS; i++) {
        place p = {.dir = fault_folder(), .tmp = fault_folder()};
        p.out = fault_path(p.dir, "out");
        p.database = fault_path(p.dir, "in.db");
        assert_int_equal(convert(&p, inputs[i]), 0);
        for (const ts_export *const *e = ts_exports; *e != NULL; e++) {
            faults none = {0};
            if ((*e)->folder) {
                continue; /* below */
            }
            /* Without times, for chrome-json; without samples, for those that need some. */
            if (export_once(&p, (*e)->name, &none) != 0) {
                assert_true(strstr(none.text, "time") != NULL ||
                            strstr(none.text, "cannot answer") != NULL);
                continue;
            }
            p.right = test_read_file(p.out, &p.right_n);
            sweep_all(&p, (*e)->name);
            free(p.right);
            exported++;
        }
        fault_remove(p.dir);
        fault_remove(p.tmp);
        free(p.out);
        free(p.database);
    }
    assert_true(exported >= 4 * INPUTS);
}

/* --- folders ---------------------------------------------------------------------------------- */

/* The number of files in the folder, each of which is that of `right` with its name. */
static int whole_files(const char *dir, const char *right)
{
    int n = 0;
    DIR *d = opendir(dir);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
            continue;
        }
        size_t size;
        char *expected = fault_path(right, e->d_name);
        char *path = fault_path(dir, e->d_name);
        char *bytes = test_read_file(expected, &size);
        assert_true(fault_file_is(path, bytes, size));
        free(bytes);
        free(path);
        free(expected);
        n++;
    }
    if (d != NULL) {
        closedir(d);
    }
    return n;
}

static int folder_once(const place *p, const char *name, const char *out, faults *f)
{
    char to[64];
    (void)snprintf(to, sizeof to, "--to=%s", name);
    const char *argv[] = {"trace_streamer", p->database, to, "-o", out, "--quiet"};
    return run(p, f, 6, argv);
}

/* Nothing or all of it, but that names are given one after the other. */
static void folder_failing(const place *p, const char *name, const char *right, faults *f)
{
    const int all = fault_names(right);
    int code = folder_once(p, name, p->out, f);
    int there = whole_files(p->out, right);
    if (code == 0 ? there != all : there == all || (there > 0 && strcmp(f->what, "linkat") != 0)) {
        fail_msg("%s: %s %llu: exit %d, %d of %d files: %s", name, f->what,
                 (unsigned long long)f->fail_at, code, there, all, f->text);
    }
    if (code != 0 && there == 0) {
        assert_int_equal(access(p->out, F_OK), -1);
    } else {
        fault_empty(p->out);
        assert_int_equal(rmdir(p->out), 0);
    }
    bool memory = f->what != NULL && strcmp(f->what, "realloc") == 0;
    assert_true(code == 0 || code == (memory ? 7 : 4) || (!memory && (code == 1 || code == 2)));
}

static void sweep_folder(const place *p, const char *name, const char *right)
{
    static const struct {
        const char *what;
        int number;
        uint64_t points;
    } calls[] = {
        {"open", EIO, 3},  {"read", EIO, 2},   {"pread", EIO, 6},  {"write", ENOSPC, 6},
        {"fstat", EIO, 2}, {"openat", EIO, 4}, {"linkat", EIO, 4}, {"realloc", ENOMEM, 60},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        faults count = {.what = calls[i].what};
        folder_failing(p, name, right, &count);
        for (uint64_t k = 1; k <= count.calls; k += fault_step(count.calls, calls[i].points)) {
            faults f = {.what = calls[i].what, .fail_at = k, .number = calls[i].number};
            folder_failing(p, name, right, &f);
        }
    }
    faults least = {.what = "write", .most = 7, .interrupt = true};
    folder_failing(p, name, right, &least);
    faults hidden = {.what = "openat", .fail_at = 1, .number = EOPNOTSUPP, .forever = false};
    assert_int_equal(folder_once(p, name, p->out, &hidden), 0);
    assert_int_equal(whole_files(p->out, right), fault_names(right));
    fault_empty(p->out);
    assert_int_equal(rmdir(p->out), 0);
}

static void test_folders(void **state)
{
    (void)state;
    for (int i = 0; i < INPUTS; i++) {
        place p = {.dir = fault_folder(), .tmp = fault_folder()};
        p.out = fault_path(p.dir, "out");
        p.database = fault_path(p.dir, "in.db");
        assert_int_equal(convert(&p, inputs[i]), 0);
        for (const ts_export *const *e = ts_exports; *e != NULL; e++) {
            faults none = {0};
            char *right = fault_folder();
            if ((*e)->folder) {
                assert_int_equal(folder_once(&p, (*e)->name, right, &none), 0);
                assert_true(fault_names(right) > 10);
                sweep_folder(&p, (*e)->name, right);
            }
            fault_remove(right);
        }
        fault_remove(p.dir);
        fault_remove(p.tmp);
        free(p.out);
        free(p.database);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_failure),
        cmocka_unit_test(test_folders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Imports into memory while every allocation of base/alloc.h fails in turn, once and from there on:
 * our own, protobuf-c's and zlib's. (libarchive's do not go through it.) The inputs are files, so
 * that opening, unwrapping, sniffing and spooling are part of it.
 */
#include "faults.h"
#include "memsink.h"

#include "parsers/import.h"

#include <errno.h>

static const char *const inputs[] = {
    "snapshot.htrace",
    "timeline.htrace",
    "profile.htrace",
    "viewer.htrace",
    "snapshot.htrace.gz",
    "snapshot.tar.bz2",
    "snapshot.tar.xz",
    "snapshot.tar.zst",
    "all.zip",
    "all.tar.gz",
    "sorted.heapsnapshot",
    "snapshot.heapsnapshot",
    "timeline.heaptimeline",
    "profile.cpuprofile",
    "sessions.heapprofile",
    "counters.trace.json",
    "profile.pprof",
    "work.jfr",
    "trace.perfetto",
    "samples.perfetto",
    "profile.folded",
    "profile.perf",
    "kernel.ftrace",
    "kernel.sys",
    "hilog.txt",
    "events.txt",
    "upload.form",
    "upload.request",
    "upload",
    "upload.zip",
    "upload-zip.form",
    "profile.speedscope",
    "flare",
    "flare.zip",
    "cloud",
    "cloud-flat",
    "cloud.protocol",
    "cloud-two",
    "cloud-mixed",
    "trace.trcbin",
    "trace.trcxml",
    "wide.trcxml",
    "traces.zip",
    "recordings",
    "split",
    "+split",
};
enum { INPUTS = sizeof inputs / sizeof inputs[0] };

/* "+": the next input is opened while one is read. They are not compressed, so that no thread of
 * its own reads one and calls come in the same order every time. */
static ts_code import(memsink **rows, faults *f, const char *name)
{
    const bool ahead = name[0] == '+';
    name += ahead;
    char *path = name[0] == '/' ? strdup(name) : fault_path(TS_FAULT_INPUTS, name);
    const char *paths[] = {path};
    ts_import_request request = {.paths = paths, .path_count = 1};
    if (strcmp(name, "split") == 0) { /* -D */
        request = (ts_import_request){.directory = path};
    }
    request.read_ahead = ahead;
    ts_import_result result;
    ts_store *store = NULL;
    ts_ctx *ctx = test_ctx_new();
    memsink *sink = memsink_new(ctx);
    faults_install(f, ctx);
    ts_code code = ts_store_new(&store, ctx, memsink_sink(sink), NULL);
    if (code == TS_OK) {
        code = ts_import_run(&result, ctx, store, &request);
    }
    if (code == TS_OK) {
        code = ts_store_finish(store);
    }
    ts_store_free(store);
    assert_true(code == TS_OK || (ctx->error.code == code && ctx->error.count > 0));
    if (f->number == ENOMEM && code != TS_OK) {
        assert_int_equal(code, TS_ERR_NOMEM);
    }
    assert_int_equal(f->open_files, 0);
    assert_int_equal(f->blocks, 0);
    test_ctx_free(ctx);
    free(path);
    if (code == TS_OK) { /* whatever was lost: nothing is counted that is not there */
        assert_int_equal(
            memsink_find_text(sink, TS_T_import_issue, TS_C_import_issue__code, "conservation"),
            SIZE_MAX);
    }
    if (rows != NULL && code == TS_OK) {
        *rows = sink;
    } else {
        memsink_free(sink);
    }
    return code;
}

static void test_every_allocation_fails(void **state)
{
    (void)state;
    for (int i = 0; i < INPUTS; i++) {
        memsink *whole = NULL;
        faults count = {.what = "realloc"};
        assert_int_equal(import(&whole, &count, inputs[i]), TS_OK);
        assert_true(count.calls > 50);
        uint64_t survived = 0;
        for (uint64_t k = 1; k <= count.calls; k += fault_step(count.calls, 400)) {
            for (int forever = 0; forever < 2; forever++) {
                memsink *rows = NULL;
                faults f = {
                    .what = "realloc", .fail_at = k, .number = ENOMEM, .forever = forever != 0};
                ts_code code = import(&rows, &f, inputs[i]);
                assert_true(f.failed);
                assert_true(code == TS_ERR_NOMEM || code == TS_OK);
                if (code == TS_OK) { /* it was not needed: then nothing is missing */
                    assert_true(memsink_equal(rows, whole));
                    memsink_free(rows);
                    survived++;
                }
            }
        }
        print_message("%-22s %5llu allocations, %llu failures did no harm\n", inputs[i],
                      (unsigned long long)count.calls, (unsigned long long)survived);
        memsink_free(whole);
    }
}

static bool tells_loss(const memsink *rows, const char *severity)
{
    return memsink_find_text(rows, TS_T_import_issue, TS_C_import_issue__severity, severity) !=
           SIZE_MAX;
}

/* Input that cannot be read any further is damage, as long as something was read. */
static void test_every_system_call_fails(void **state)
{
    static const int numbers[] = {EIO, ENOSPC};
    (void)state;
    for (int i = 0; i < INPUTS; i++) {
        memsink *whole = NULL;
        faults count = {0};
        assert_int_equal(import(&whole, &count, inputs[i]), TS_OK);
        assert_true(count.calls > 4);
        for (size_t e = 0; e < 2; e++) {
            for (uint64_t k = 1; k <= count.calls; k++) {
                memsink *rows = NULL;
                faults f = {.fail_at = k, .number = numbers[e]};
                ts_code code = import(&rows, &f, inputs[i]);
                assert_true(code == TS_OK || code == TS_ERR_INPUT || code == TS_ERR_OUTPUT);
                if (code == TS_OK) {
                    /* A close after reading; or what was lost is reported, and the rest is kept. */
                    assert_true(tells_loss(rows, "error") || tells_loss(rows, "data_loss") ||
                                memsink_equal(rows, whole));
                    memsink_free(rows);
                }
            }
        }
        memsink_free(whole);
    }
}

/* A disk that fails inside a large file: the rows before stay, the place is reported. */
static void test_read_fails_in_the_middle(void **state)
{
    memsink *whole = NULL;
    memsink *rows = NULL;
    faults none = {.what = "pread", .most = 50000};
    (void)state;
    assert_int_equal(import(&whole, &none, "large.htrace"), TS_OK);
    assert_true(none.calls > 4);
    faults f = {
        .what = "pread", .fail_at = none.calls - 2, .number = EIO, .forever = true, .most = 50000};
    assert_int_equal(import(&rows, &f, "large.htrace"), TS_OK);
    size_t issue =
        memsink_find_text(rows, TS_T_import_issue, TS_C_import_issue__code, "input_read_failed");
    assert_int_not_equal(issue, SIZE_MAX);
    assert_true(MEM_INT(rows, import_issue, issue, offset) > 0);
    assert_int_equal(MEM_INT(rows, source, 0, complete), 0);
    assert_true(MEM_ROWS(rows, js_heap_nodes) > 1000);
    memsink_free(rows);
    memsink_free(whole);
}

/* The same at every read of a directory's files: what could not be read is reported. */
static void test_reads_of_members_fail(void **state)
{
    static const char *const names[] = {"cloud", "cloud-flat", "cloud-mixed", "cloud-large"};
    bool middle = false;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        memsink *whole = NULL;
        size_t most = i < 3 ? 100 : 30000;
        faults count = {.what = "pread", .most = most};
        assert_int_equal(import(&whole, &count, names[i]), TS_OK);
        assert_true(count.calls > 20);
        for (uint64_t k = 1; k <= count.calls; k += fault_step(count.calls, 60)) {
            memsink *rows = NULL;
            faults f = {
                .what = "pread", .fail_at = k, .number = EIO, .most = most, .forever = k % 2 == 0};
            ts_code code = import(&rows, &f, names[i]);
            assert_true(code == TS_OK || code == TS_ERR_INPUT);
            if (code == TS_OK) {
                middle =
                    middle || memsink_find_text(rows, TS_T_import_issue, TS_C_import_issue__code,
                                                "input_read_failed") != SIZE_MAX;
                assert_true(tells_loss(rows, "error") || tells_loss(rows, "data_loss") ||
                            memsink_equal(rows, whole));
                memsink_free(rows);
            }
        }
        memsink_free(whole);
    }
    assert_true(middle); /* once something was read before */
}

static void test_short_and_interrupted_calls(void **state)
{
    static const size_t most[] = {1, 7, 1000, 0};
    (void)state;
    for (int i = 0; i < INPUTS; i++) {
        memsink *whole = NULL;
        faults none = {0};
        assert_int_equal(import(&whole, &none, inputs[i]), TS_OK);
        for (size_t m = 0; m < sizeof most / sizeof most[0]; m++) {
            memsink *rows = NULL;
            faults f = {.most = most[m], .interrupt = true};
            assert_int_equal(import(&rows, &f, inputs[i]), TS_OK);
            assert_true(f.toggle > 4);
            assert_true(memsink_equal(rows, whole));
            memsink_free(rows);
        }
        memsink_free(whole);
    }
}

/* What of a member cannot be unpacked is a loss, also when nothing is left to know it by. */
static void test_member_that_cannot_be_unpacked(void **state)
{
    size_t n;
    char *dir = fault_folder();
    char *path = fault_path(dir, "all.zip");
    char *from = fault_path(TS_FAULT_INPUTS, "all.zip");
    char *zip = test_read_file(from, &n);
    memsink *rows = NULL;
    faults none = {0};
    (void)state;
    /* Behind the first local header: 30 bytes, the name; the extra field's length stands in it. */
    size_t at = 30 + strlen("snapshot.htrace") + (unsigned char)zip[28];
    memset(zip + at, 0xff, 16);
    test_write_file(path, zip, n);
    assert_int_equal(import(&rows, &none, path), TS_OK);
    assert_true(memsink_find_text(rows, TS_T_import_issue, TS_C_import_issue__severity,
                                  "data_loss") != SIZE_MAX);
    assert_int_equal(MEM_INT(rows, source, 0, complete), 0);
    memsink_free(rows);
    free(zip);
    free(from);
    free(path);
    fault_remove(dir);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_every_system_call_fails),
        cmocka_unit_test(test_member_that_cannot_be_unpacked),
        cmocka_unit_test(test_read_fails_in_the_middle),
        cmocka_unit_test(test_reads_of_members_fail),
        cmocka_unit_test(test_short_and_interrupted_calls),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

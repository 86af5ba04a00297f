/* Sample directories that are written: the bytes of the format, and failing memory and files. */
#include "support.h"

#include "sampler/sample_writer.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define T INT64_C(1567669466207)

static const ts_text run = TS_TEXT_LIT("java.lang.Thread.run");
static const ts_text hot = TS_TEXT_LIT("app.Main.hot");

static ts_sample sample_of(int64_t time, int64_t cpu, const ts_text *frames, size_t n)
{
    return (ts_sample){.id = 132,
                       .name = TS_TEXT_LIT("a \"name\"\n"),
                       .state = "RUNNABLE",
                       .priority = 5,
                       .daemon = true,
                       .cpu_ns = cpu,
                       .time_ms = time,
                       .frames = frames,
                       .frame_count = n};
}

/* Four records of which two are kept: the second changes nothing, the third is of the same slot. */
static ts_code write_all(ts_sample_writer *w, ts_ctx *ctx, const char *parent)
{
    const ts_text stack[] = {hot, run};
    ts_sample all[] = {
        sample_of(T, 1000000, stack, 2),
        sample_of(T + 20, 1000000, stack, 2),
        sample_of(T + 19, 1500000, stack, 2),
        sample_of(T + 61, 181000000, &run, 1),
    };
    ts_code code = ts_sample_writer_open(w, ctx, parent, "jvm:7", 20, T - 5, T);
    for (size_t i = 0; i < 4 && code == TS_OK; i++) {
        code = ts_sample_put(w, &all[i], false);
        if (code == TS_OK && i == 0) {
            code = ts_sample_writer_flush(w);
        }
    }
    return code == TS_OK ? ts_sample_writer_flush(w) : code;
}

static char *made_folder(void)
{
    char *folder = strdup("/tmp/sampler-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

/* Removes the folder with the directories in it. */
static void remove_folder(char *folder)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    free(folder);
}

static char *read_in(const char *path, const char *name, size_t *n)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", path, name);
    return test_read_file(full, n);
}

static void check_file(const char *path, const char *name, const void *bytes, size_t n, size_t from)
{
    size_t size;
    char *text = read_in(path, name, &size);
    assert_int_equal(size, from + n);
    assert_memory_equal(text + from, bytes, n);
    free(text);
}

static void test_bytes(void **state)
{
    static const unsigned char series[] = {
        'T', 'S', 'H', 'S', 0, 26, 3, 2, 0, 0, 0, 20,
        /* begin T, end T + 60 */
        0, 0, 1, 0x6d, 0, 0x61, 0xb4, 0x5f, 0, 0, 1, 0x6d, 0, 0x61, 0xb4, 0x9b,
        /* count: 2 values */
        0, 0, 0, 2, 'T', 'S', 'D', 'S',
        /* slots 0 to 3: the last has the 180000 µs since the first record */
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0xbf, 0x20};
    static const unsigned char methods[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 202,
                                            0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 218};
    static const char names[] = "\0\x0e"
                                "app.Main.hot()\0\x16"
                                "java.lang.Thread.run()";
    static const char first[] =
        "{\"id\":132,\"name\":\"a \\\"name\\\"\\u000a\",\"priority\":5,\"daemon\":true,"
        "\"state\":\"RUNNABLE\",\"cpu_time\":1000000,\"cpu_time_delta\":0,"
        "\"sample_time\":1567669466207,\"sample_count\":1,\"stacktrace\":[1,2],\"duration\":0,"
        "\"self_duration\":0,\"self_cpu_time\":0}";
    ts_ctx *ctx = test_ctx_new();
    char *folder = made_folder();
    ts_sample_writer w;
    char *text;
    size_t n;
    (void)state;
    assert_ok(ctx, write_all(&w, ctx, folder));
    assert_non_null(strstr(w.path, "/jvm_7-20190905T"));
    check_file(w.path, "thread_132_cpu_time.fts", series, sizeof series, 0);
    check_file(w.path, "method_info.fidx", methods, sizeof methods, 202);
    check_file(w.path, "method_info.fdata", names, sizeof names - 1, 202);
    text = read_in(w.path, "thread_132_stack.fdata", &n);
    assert_memory_equal(text, "TEHS\0\xc0\x08", 7);
    assert_memory_equal(text + 198, "TEDS", 4);
    assert_int_equal((unsigned char)text[202] * 256 + (unsigned char)text[203], sizeof first - 1);
    assert_memory_equal(text + 204, first, sizeof first - 1);
    free(text);
    text = read_in(w.path, "thread_132_stack.fidx", &n);
    assert_int_equal(n, 202 + 16);
    assert_memory_equal(text + 202, "\0\0\0\0\0\0\0\xca\0\0\0\3", 12); /* slots 0 and 3 */
    free(text);
    text = read_in(w.path, "summary_info.json", &n);
    assert_non_null(strstr(text, "\"sample_start_time\": 1567669466202"));
    assert_non_null(strstr(text, "\"last_record_time\": 1567669466268"));
    assert_non_null(strstr(text, "\"agent_addr\": \"jvm:7\""));
    assert_non_null(strstr(text, "\"cpu_time_delta\":180000000"));
    free(text);
    ts_sample_writer_close(&w);
    remove_folder(folder);
    test_ctx_free(ctx);
}

/* A clock that is behind the one that was read before gives no time back. */
static void test_clock_behind(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    char *folder = made_folder();
    const ts_sample all[] = {sample_of(T, 5000000, &hot, 1), sample_of(T + 40, 3000000, &run, 1),
                             sample_of(T + 80, 6000000, &hot, 1)};
    ts_sample_writer w;
    size_t n;
    (void)state;
    assert_ok(ctx, ts_sample_writer_open(&w, ctx, folder, "jvm:7", 20, T, T));
    for (size_t i = 0; i < 3; i++) {
        assert_ok(ctx, ts_sample_put(&w, &all[i], false));
    }
    assert_ok(ctx, ts_sample_writer_flush(&w));
    char *text = read_in(w.path, "thread_132_stack.fdata", &n);
    static const char behind[] =
        "\"cpu_time\":5000000,\"cpu_time_delta\":0,\"sample_time\":1567669466247";
    static const char after[] = "\"cpu_time\":6000000,\"cpu_time_delta\":1000000";
    assert_non_null(memmem(text, n, behind, sizeof behind - 1));
    assert_non_null(memmem(text, n, after, sizeof after - 1));
    free(text);
    ts_sample_writer_close(&w);
    remove_folder(folder);
    test_ctx_free(ctx);
}

/* A second directory of the same second gets another name. */
static void test_names(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    char *folder = made_folder();
    ts_sample_writer a;
    ts_sample_writer b;
    (void)state;
    assert_ok(ctx, ts_sample_writer_open(&a, ctx, folder, "jvm:7", 20, T, T));
    assert_ok(ctx, ts_sample_writer_open(&b, ctx, folder, "jvm:7", 20, T, T + 1));
    assert_string_not_equal(a.path, b.path);
    ts_sample_writer_close(&a);
    ts_sample_writer_close(&b);
    assert_int_equal(ts_sample_writer_open(&a, ctx, "/nowhere", "jvm:7", 20, T, T), TS_ERR_OUTPUT);
    ts_sample_writer_close(&a);
    remove_folder(folder);
    test_ctx_free(ctx);
}

static void test_long_stack(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    char *folder = made_folder();
    ts_text *frames = calloc(5000, sizeof *frames);
    ts_sample_writer w;
    ts_sample sample;
    char *text;
    size_t n;
    (void)state;
    for (size_t i = 0; i < 5000; i++) {
        frames[i] = i == 2000 ? run : hot; /* the first one that is left out */
    }
    sample = sample_of(T, 1, frames, 5000);
    assert_ok(ctx, ts_sample_writer_open(&w, ctx, folder, "x", 20, T, T));
    assert_ok(ctx, ts_sample_put(&w, &sample, false));
    assert_ok(ctx, ts_sample_writer_flush(&w));
    text = read_in(w.path, "method_info.fidx", &n);
    assert_int_equal(n, 202 + 12);
    free(text);
    ts_sample_writer_close(&w);
    free(frames);
    remove_folder(folder);
    test_ctx_free(ctx);
}

static void test_no_memory(void **state)
{
    uint64_t calls = 1;
    (void)state;
    for (uint64_t at = 1; at <= calls; at++) {
        ts_ctx *ctx = test_ctx_new();
        char *folder = made_folder();
        test_failing failing = {.fail_at = at};
        ts_sample_writer w;
        ts_code code;
        ctx->allocator = test_failing_allocator(&failing);
        code = write_all(&w, ctx, folder);
        assert_true(failing.calls < at ? code == TS_OK : code == TS_ERR_NOMEM);
        calls = failing.calls;
        ts_sample_writer_close(&w);
        remove_folder(folder);
        test_ctx_free(ctx);
    }
}

/* --- failing calls -------------------------------------------------------------------------- */

typedef struct broken {
    ts_sys below;
    uint64_t calls, fail_at;
    int open_files;
} broken;

static bool hit(broken *b)
{
    errno = ENOSPC;
    return ++b->calls == b->fail_at;
}

static int broken_openat(void *user, int dir, const char *name, int flags, mode_t mode)
{
    broken *b = user;
    int fd = hit(b) ? -1 : b->below.openat(b->below.user, dir, name, flags, mode);
    b->open_files += fd >= 0;
    return fd;
}

static int broken_open(void *user, const char *path, int flags, mode_t mode)
{
    broken *b = user;
    int fd = hit(b) ? -1 : b->below.open(b->below.user, path, flags, mode);
    b->open_files += fd >= 0;
    return fd;
}

static int broken_close(void *user, int fd)
{
    broken *b = user;
    bool fails = hit(b);
    b->open_files--;
    return b->below.close(b->below.user, fd) != 0 || fails ? -1 : 0;
}

static ssize_t broken_write(void *user, int fd, const void *p, size_t n)
{
    broken *b = user;
    return hit(b) ? -1 : b->below.write(b->below.user, fd, p, n);
}

static ssize_t broken_pwrite(void *user, int fd, const void *p, size_t n, off_t at)
{
    broken *b = user;
    return hit(b) ? -1 : b->below.pwrite(b->below.user, fd, p, n, at);
}

static int broken_renameat(void *user, int from, const char *a, int to, const char *c)
{
    broken *b = user;
    return hit(b) ? -1 : b->below.renameat(b->below.user, from, a, to, c);
}

static void test_failing_calls(void **state)
{
    uint64_t calls = 1;
    uint64_t failures = 0;
    (void)state;
    for (uint64_t at = 1; at <= calls; at++) {
        ts_ctx *ctx = test_ctx_new();
        char *folder = made_folder();
        broken b = {.below = ctx->sys, .fail_at = at};
        ts_sample_writer w;
        ts_code code;
        ctx->sys.user = &b;
        ctx->sys.open = broken_open;
        ctx->sys.openat = broken_openat;
        ctx->sys.close = broken_close;
        ctx->sys.write = broken_write;
        ctx->sys.pwrite = broken_pwrite;
        ctx->sys.renameat = broken_renameat;
        ctx->sys.unlinkat = NULL;
        ctx->sys.unlinkat = b.below.unlinkat;
        code = write_all(&w, ctx, folder);
        assert_true(code == TS_OK || code == TS_ERR_OUTPUT);
        failures += code != TS_OK;
        calls = code == TS_OK ? b.calls : at + 1;
        b.fail_at = 0;
        ts_sample_writer_close(&w);
        assert_int_equal(b.open_files, 0);
        remove_folder(folder);
        test_ctx_free(ctx);
    }
    assert_true(failures > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),         cmocka_unit_test(test_names),
        cmocka_unit_test(test_long_stack),    cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_failing_calls), cmocka_unit_test(test_clock_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

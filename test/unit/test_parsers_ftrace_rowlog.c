/* Records that are replaced after they were added, against an array. */
#include "parsers/ftrace/rows/ftrace_rowlog.h"
#include "support.h"

#include <errno.h>

typedef struct record {
    uint64_t place;
    uint64_t version;
} record;

enum { COUNT = 5000 };

static uint64_t random_next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Of the records added so far one of the last `back` is replaced, after each. */
static ts_code run(ts_ctx *ctx, size_t count, size_t back, size_t window)
{
    record *want = calloc(count + 1, sizeof *want);
    const void *got = NULL;
    uint64_t random = window + back;
    ftrace_rowlog log;
    ts_code code = TS_OK;
    assert_non_null(want);
    ftrace_rowlog_init(&log, ctx, sizeof *want, window);
    for (size_t i = 0; i < count && code == TS_OK; i++) {
        size_t at = i - random_next(&random) % (i < back ? i + 1 : back);
        want[i] = (record){i, 0};
        assert_int_equal(log.count, i);
        if ((code = ftrace_rowlog_add(&log, &want[i])) == TS_OK) {
            want[at].version = i + 1;
            code = ftrace_rowlog_set(&log, at, &want[at]);
        }
    }
    code = code == TS_OK ? ftrace_rowlog_finish(&log) : code;
    for (size_t i = 0; i <= count && code == TS_OK; i++) {
        code = ftrace_rowlog_next(&got, &log);
        assert_true(code != TS_OK || (got == NULL) == (i == count));
        if (code == TS_OK && got != NULL) {
            assert_memory_equal(got, &want[i], sizeof want[i]);
        }
    }
    ftrace_rowlog_free(&log);
    free(want);
    return code;
}

static void test_replaced(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, 63, 64, 65, COUNT};
    static const size_t backs[] = {1, 10, 1000, COUNT};
    static const size_t windows[] = {0, 64, 1000, 20000, 1 << 20};
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        for (size_t b = 0; b < sizeof backs / sizeof backs[0]; b++) {
            for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++) {
                assert_ok(ctx, run(ctx, counts[c], backs[b], windows[w]));
            }
        }
    }
    test_ctx_free(ctx);
}

/* Words of all sizes, up and down, most of them in the spool. */
static void test_any_numbers(void **state)
{
    enum { WORDS = 7, RECORDS = 20000 };
    ts_ctx *ctx = test_ctx_new();
    uint64_t(*want)[WORDS] = calloc(RECORDS, sizeof *want);
    uint64_t random = 1;
    const void *got = NULL;
    ftrace_rowlog log;
    (void)state;
    assert_non_null(want);
    ftrace_rowlog_init(&log, ctx, sizeof *want, 3000);
    for (size_t i = 0; i < RECORDS; i++) {
        for (size_t k = 0; k < WORDS; k++) {
            uint64_t any = random_next(&random) << 33 ^ random_next(&random) << 3;
            unsigned bits = (unsigned)(random_next(&random) % 65);
            any = bits == 0 ? 0 : any >> (64 - bits);
            want[i][k] = i == 0 || bits % 3 != 0 ? any : want[i - 1][k] + any;
        }
        assert_ok(ctx, ftrace_rowlog_add(&log, want[i]));
    }
    assert_true(log.begin > RECORDS / 2);
    assert_true(log.spool_at == 0 && log.spool != NULL);
    assert_ok(ctx, ftrace_rowlog_finish(&log));
    for (size_t i = 0; i < RECORDS; i++) {
        assert_ok(ctx, ftrace_rowlog_next(&got, &log));
        assert_non_null(got);
        assert_memory_equal(got, want[i], sizeof want[i]);
    }
    assert_ok(ctx, ftrace_rowlog_next(&got, &log));
    assert_null(got);
    ftrace_rowlog_free(&log);
    free(want);
    test_ctx_free(ctx);
}

static void test_a_record_that_is_not_there(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    record one = {0, 0};
    ftrace_rowlog log;
    (void)state;
    ftrace_rowlog_init(&log, ctx, sizeof one, 1000);
    assert_int_equal(ftrace_rowlog_set(&log, 0, &one), TS_ERR_INTERNAL);
    assert_ok(ctx, ftrace_rowlog_add(&log, &one));
    assert_ok(ctx, ftrace_rowlog_set(&log, 0, &one));
    assert_int_equal(ftrace_rowlog_set(&log, 1, &one), TS_ERR_INTERNAL);
    ftrace_rowlog_free(&log);
    test_ctx_free(ctx);
}

static ssize_t other_bytes(void *user, int fd, void *p, size_t n, off_t off)
{
    (void)user;
    (void)fd;
    (void)off;
    memset(p, 0xff, n);
    return (ssize_t)n;
}

static ssize_t fails(void *user, int fd, void *p, size_t n, off_t off)
{
    errno = EIO;
    return other_bytes(user, fd, p, n, off) < 0 ? 0 : -1;
}

/* The spool has larger records than were written, or cannot be read. */
static void test_spool_is_not_read(void **state)
{
    enum { RECORDS = 200000 };
    (void)state;
    for (int i = 0; i < 2; i++) {
        ts_ctx *ctx = test_ctx_new();
        const void *got = NULL;
        ftrace_rowlog log;
        ts_code code = TS_OK;
        ftrace_rowlog_init(&log, ctx, sizeof(record), 1000);
        for (uint64_t k = 0; k < RECORDS; k++) {
            assert_ok(ctx, ftrace_rowlog_add(&log, &(record){k * k, k}));
        }
        assert_ok(ctx, ftrace_rowlog_finish(&log));
        ctx->sys.pread = i == 0 ? other_bytes : fails;
        for (uint64_t k = 0; k < RECORDS && code == TS_OK; k++) {
            code = ftrace_rowlog_next(&got, &log);
        }
        assert_int_equal(code, i == 0 ? TS_ERR_INTERNAL : TS_ERR_OUTPUT);
        ftrace_rowlog_free(&log);
        test_ctx_free(ctx);
    }
}

static void test_each_allocation_fails_once(void **state)
{
    ts_code code = TS_ERR_NOMEM;
    (void)state;
    for (uint64_t fail_at = 1; code != TS_OK; fail_at++) {
        ts_ctx *ctx = test_ctx_new();
        test_failing f = {.fail_at = fail_at};
        ctx->allocator = test_failing_allocator(&f);
        code = run(ctx, 500, 400, 640);
        assert_true(code == TS_OK ? f.calls < fail_at : code == TS_ERR_NOMEM);
        test_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_any_numbers),
        cmocka_unit_test(test_a_record_that_is_not_there),
        cmocka_unit_test(test_spool_is_not_read),
        cmocka_unit_test(test_each_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

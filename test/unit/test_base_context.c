/* The allocator, chains of causes, the log, sums that stop at the ends. */
#include "base/ckd.h"
#include "support.h"

static void test_allocator_counts(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    void *a = ts_alloc(ctx, 10, 10);
    assert_int_equal(ctx->memory_used, 100);
    a = ts_realloc(ctx, a, 40, 1);
    assert_int_equal(ctx->memory_used, 40);
    assert_int_equal(ctx->memory_peak, 100);
    char *z = ts_zalloc(ctx, 3, 1);
    assert_memory_equal(z, "\0\0\0", 3);
    char *s = ts_strndup(ctx, "abcdef", 3);
    assert_string_equal(s, "abc");
    char *empty = ts_strndup(ctx, NULL, 0);
    assert_string_equal(empty, "");
    ts_free(ctx, a);
    ts_free(ctx, z);
    ts_free(ctx, s);
    ts_free(ctx, empty);
    ts_free(ctx, NULL);
    assert_int_equal(ctx->memory_used, 0);
    test_ctx_free(ctx);
}

static void test_allocator_refuses(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    assert_null(ts_alloc(ctx, SIZE_MAX, 2));
    assert_int_equal(ctx->error.code, TS_ERR_NOMEM);
    assert_null(ts_alloc(ctx, SIZE_MAX, 1));
    assert_int_equal(ctx->error.code, TS_ERR_NOMEM);
    assert_null(ts_strndup(ctx, "", SIZE_MAX));
    assert_int_equal(ctx->error.code, TS_ERR_NOMEM);
    ctx->limits.max_memory = 1000;
    char *p = ts_alloc(ctx, 1000, 1);
    assert_non_null(p);
    assert_null(ts_realloc(ctx, p, 1001, 1));
    assert_int_equal(ctx->error.code, TS_ERR_LIMIT);
    assert_string_equal(ctx->error.causes[0],
                        "memory limit reached: 1001 bytes needed, --max-memory allows 1000");
    p[999] = 'x'; /* the old block is valid still */
    p = ts_realloc(ctx, p, 999, 1);
    assert_non_null(p);
    ts_free(ctx, p);
    test_ctx_free(ctx);
}

static void test_chain(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    assert_int_equal(ts_fail(ctx, TS_ERR_INPUT, "cause %d", 0), TS_ERR_INPUT);
    for (int i = 1; i <= 7; i++) {
        assert_int_equal(ts_cause(ctx, "cause %d", i), TS_ERR_INPUT);
    }
    assert_int_equal(ctx->error.count, TS_ERROR_CAUSES);
    assert_string_equal(ctx->error.causes[0], "cause 0");
    assert_string_equal(ctx->error.causes[4], "cause 4");
    assert_string_equal(ctx->error.causes[5], "cause 7");
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_int_equal(ts_fail(ctx, TS_ERR_LIMIT, "%s", text), TS_ERR_LIMIT);
    assert_int_equal(ctx->error.count, 1);
    assert_int_equal(strlen(ctx->error.causes[0]), TS_ERROR_TEXT - 1);
    test_ctx_free(ctx);
}

static void test_names_of_codes(void **state)
{
    (void)state;
    for (int i = 0; i < TS_CODE_COUNT; i++) {
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(ts_code_name((ts_code)i), ts_code_name((ts_code)k));
        }
    }
    assert_string_equal(ts_code_name(TS_CODE_COUNT), "unknown code");
}

static void test_cancel(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    volatile sig_atomic_t signal_number = 0;
    (void)state;
    assert_int_equal(ts_check_cancel(ctx), TS_OK);
    ctx->cancel = &signal_number;
    assert_int_equal(ts_check_cancel(ctx), TS_OK);
    signal_number = SIGTERM;
    assert_int_equal(ts_check_cancel(ctx), TS_ERR_INTERRUPTED);
    assert_string_equal(ctx->error.causes[0], "stopped by signal 15");
    test_ctx_free(ctx);
}

static void remember(void *user, ts_log_level level, const char *line)
{
    snprintf(user, 100, "%d %s", (int)level, line);
}

static void test_log(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    char last[100] = "";
    (void)state;
    ts_log(ctx, TS_LOG_ERROR, "nobody listens");
    ctx->logger = (ts_logger){last, TS_LOG_WARN, remember};
    ts_log(ctx, TS_LOG_INFO, "too low");
    assert_string_equal(last, "");
    ts_log(ctx, TS_LOG_WARN, "line %d", 1);
    assert_string_equal(last, "1 line 1");
    test_ctx_free(ctx);
}

static void test_sums_that_stop(void **state)
{
    (void)state;
    assert_int_equal(ts_sat_add(INT64_MAX, 1), INT64_MAX);
    assert_int_equal(ts_sat_add(INT64_MIN, -1), INT64_MIN);
    assert_int_equal(ts_sat_add(2, -3), -1);
    assert_int_equal(ts_sat_sub(INT64_MIN, 1), INT64_MIN);
    assert_int_equal(ts_sat_sub(INT64_MAX, -1), INT64_MAX);
    assert_int_equal(ts_sat_sub(2, 3), -1);
    assert_int_equal(ts_sat_mul(INT64_MAX, 2), INT64_MAX);
    assert_int_equal(ts_sat_mul(INT64_MAX, -2), INT64_MIN);
    assert_int_equal(ts_sat_mul(INT64_MIN, -1), INT64_MAX);
    assert_int_equal(ts_sat_mul(-3, 4), -12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocator_counts),
        cmocka_unit_test(test_allocator_refuses),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_names_of_codes),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_sums_that_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

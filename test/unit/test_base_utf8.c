/* UTF-8: the tables of the Unicode standard (3-7 to 3-11), and what a terminal is given to see. */
#include "base/utf8.h"
#include "base/intvec.h"
#include "support.h"

#define FFFD "\xef\xbf\xbd"

static void assert_clean(const char *p, size_t n, const char *expected, uint64_t count)
{
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    uint64_t replaced = 0;
    assert_ok(ctx, ts_utf8_clean(ctx, &out, &replaced, p, n));
    assert_int_equal(out.n, strlen(expected));
    assert_memory_equal(ts_buf_text(&out).p, expected, out.n);
    assert_int_equal(replaced, count);
    assert_int_equal(ts_utf8_valid(p, n), count == 0);
    ts_buf_free(ctx, &out);
    test_ctx_free(ctx);
}

#define CLEAN(text, expected, count) assert_clean(text, sizeof(text) - 1, expected, count)

static void test_clean(void **state)
{
    (void)state;
    CLEAN("", "", 0);
    CLEAN("plain", "plain", 0);
    CLEAN("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 0);
    /* table 3-8: overlong forms, each byte alone */
    CLEAN("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A", 8);
    /* table 3-9 has surrogates byte by byte; here one that stands as three bytes is one */
    CLEAN("\xed\xa0\x80\xed\xbf\xbf\x41", FFFD FFFD "A", 2);
    CLEAN("\xed\xa0", FFFD FFFD, 2);
    /* table 3-10: beyond U+10FFFF */
    CLEAN("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B", 7);
    /* table 3-11: truncated sequences are one each */
    CLEAN("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", FFFD FFFD FFFD FFFD "A", 4);
    CLEAN("a\xf0\x9f\x98", "a" FFFD, 1);
}

static void test_bounds(void **state)
{
    (void)state;
    CLEAN("\xc2\x80\xdf\xbf", "\xc2\x80\xdf\xbf", 0);
    CLEAN("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80", "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80", 0);
    CLEAN("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", 0);
    CLEAN("\xf5", FFFD, 1);
    CLEAN("\xc1\xbf", FFFD FFFD, 2);
    assert_true(ts_utf8_valid("\0", 1));
}

static void test_encode(void **state)
{
    static const struct {
        uint32_t cp;
        const char *bytes;
    } known[] = {
        {0x41, "A"},
        {0x7f, "\x7f"},
        {0x80, "\xc2\x80"},
        {0x7ff, "\xdf\xbf"},
        {0x800, "\xe0\xa0\x80"},
        {0xd800, "\xed\xa0\x80"},
        {0xffff, "\xef\xbf\xbf"},
        {0x10000, "\xf0\x90\x80\x80"},
        {0x10ffff, "\xf4\x8f\xbf\xbf"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char out[4];
        size_t n = ts_utf8_encode(out, known[i].cp);
        assert_int_equal(n, strlen(known[i].bytes));
        assert_memory_equal(out, known[i].bytes, n);
    }
}

static void test_cut(void **state)
{
    static const struct {
        const char *bytes;
        size_t left;
    } known[] = {
        {"", 0},
        {"ab", 2},
        {"a\xc3\xa9", 3}, /* whole */
        {"a\xc3", 1},
        {"a\xe2\x82\xac", 4},
        {"a\xe2\x82", 1},
        {"a\xe2", 1},
        {"a\xf0\x9f\x98\x80", 5},
        {"a\xf0\x9f\x98", 1},
        {"a\xed\xa0", 1},    /* of a surrogate */
        {"\x80\x80\x80", 3}, /* no character's first byte: left to cleaning */
        {"a\x80\x80\x80\x80", 5},
        {"\xff\xe2\x82", 1}, /* what is wrong before it changes nothing */
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(ts_utf8_cut(known[i].bytes, strlen(known[i].bytes)), known[i].left);
    }
}

static void assert_shown(const char *p, size_t n, size_t max, const char *expected)
{
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    assert_ok(ctx, ts_utf8_printable(ctx, &out, p, n, max));
    assert_int_equal(out.n, strlen(expected));
    assert_memory_equal(ts_buf_text(&out).p, expected, out.n);
    ts_buf_free(ctx, &out);
    test_ctx_free(ctx);
}

#define SHOWN(text, expected) assert_shown(text, sizeof(text) - 1, 1000, expected)

/* Nothing that steers a terminal or turns the reading direction gets through. */
static void test_printable(void **state)
{
    (void)state;
    SHOWN("Kl\xc3\xa4r", "Kl\xc3\xa4r");
    SHOWN("\x1b[2J", "\\x1b[2J");
    SHOWN("a\0b\x7f", "a\\x00b\\x7f");
    SHOWN("\xc2\x9b"
          "31m",
          "\\u{9b}31m"); /* CSI as one character of C1 */
    SHOWN("\xe2\x80\xae"
          "cod.exe",
          "\\u{202e}cod.exe");
    SHOWN("\xd8\x9c\xe2\x80\x8f\xe2\x81\xa6\xef\xbb\xbf", "\\u{61c}\\u{200f}\\u{2066}\\u{feff}");
    SHOWN("\xff\xe2\x82", "\\xff\\xe2\\x82");
    assert_shown("0123456789abcdef", 16, 12, "01234...");
}

/* --- packed integers ----------------------------------------------------------------------- */

static int64_t value_of(uint64_t i)
{
    static const int64_t steps[] = {
        0, 255, 256, 65535, 65536, UINT32_MAX, (int64_t)1 << 32, INT64_MAX, INT64_MIN, -1};
    return steps[i / 20000];
}

static void test_intvec_widths(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_intvec v = {0};
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        assert_ok(ctx, ts_intvec_push(ctx, &v, value_of(i)));
    }
    for (uint64_t i = 0; i < 200000; i++) {
        assert_int_equal(ts_intvec_get(&v, i), value_of(i));
    }
    ts_intvec_free(ctx, &v);
    test_ctx_free(ctx);
}

static void test_intvec_gather(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_intvec v = {0};
    uint32_t at[200];
    uint32_t got[200];
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        assert_ok(ctx, ts_intvec_push(ctx, &v, value_of(i)));
    }
    for (uint32_t i = 0; i < 200; i++) {
        at[i] = i * 7919 % 200 * 1000;
    }
    for (uint32_t first = 0; first < 200; first++) {
        int64_t all = 0;
        for (uint32_t i = first; i < 200; i++) {
            all |= value_of(at[i]);
        }
        assert_true(ts_intvec_gather(got, &v, at + first, 200 - first) == all);
        for (uint32_t i = first; i < 200; i++) {
            assert_int_equal(got[i - first], (uint32_t)value_of(at[i]));
        }
    }
    ts_intvec_free(ctx, &v);
    test_ctx_free(ctx);
}

static void test_intvec_copy(void **state)
{
    enum { SMALL = 120000 }; /* below them are those that fit 32 bits */
    static uint32_t got[SMALL + 1];
    ts_ctx *ctx = test_ctx_new();
    ts_intvec v = {0};
    (void)state;
    for (uint64_t i = 0; i < SMALL; i++) {
        assert_ok(ctx, ts_intvec_push(ctx, &v, value_of(i)));
    }
    assert_true(ts_intvec_copy(got, &v));
    for (uint64_t i = 0; i < SMALL; i++) {
        assert_int_equal(got[i], (uint32_t)value_of(i));
    }
    assert_ok(ctx, ts_intvec_push(ctx, &v, value_of(SMALL)));
    assert_false(ts_intvec_copy(got, &v));
    ts_intvec_free(ctx, &v);
    test_ctx_free(ctx);
}

static void test_intvec_set_and_cut(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_intvec v = {0};
    (void)state;
    for (int64_t i = 0; i < 40000; i++) {
        assert_ok(ctx, ts_intvec_push(ctx, &v, i & 0xff));
    }
    assert_true(ctx->memory_used < 60000); /* a byte each */
    assert_ok(ctx, ts_intvec_set(ctx, &v, 39999, 70000));
    assert_ok(ctx, ts_intvec_set(ctx, &v, 5, -5));
    assert_ok(ctx, ts_intvec_set(ctx, &v, 6, 7));
    assert_int_equal(ts_intvec_get(&v, 39999), 70000);
    assert_int_equal(ts_intvec_get(&v, 39998), 39998 & 0xff);
    assert_int_equal(ts_intvec_get(&v, 5), -5);
    assert_int_equal(ts_intvec_get(&v, 4), 4);
    ts_intvec_truncate(ctx, &v, 16384);
    assert_int_equal(v.n, 16384);
    assert_ok(ctx, ts_intvec_push(ctx, &v, INT64_MIN));
    assert_int_equal(ts_intvec_get(&v, 16384), INT64_MIN);
    assert_int_equal(ts_intvec_get(&v, 16383), 16383 & 0xff);
    ts_intvec_free(ctx, &v);
    test_ctx_free(ctx);
}

/* Many at once are the same in the same bytes as one by one, wherever a call begins and ends. */
static void assert_many(size_t n, size_t step, int64_t odd, size_t odd_at)
{
    ts_ctx *ctx = test_ctx_new();
    ts_intvec one = {0};
    ts_intvec many = {0};
    int64_t *values = malloc(n * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < n; i++) {
        values[i] = i == odd_at ? odd : (int64_t)(i * 7919 % (i < 16384 ? 200 : 60000));
        assert_ok(ctx, ts_intvec_push(ctx, &one, values[i]));
    }
    for (size_t i = 0; i < n; i += step) {
        assert_ok(ctx, ts_intvec_push_many(ctx, &many, values + i, n - i < step ? n - i : step));
    }
    assert_int_equal(many.n, one.n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(ts_intvec_get(&many, i), values[i]);
        assert_int_equal(many.blocks[i >> TS_INTVEC_SHIFT].width,
                         one.blocks[i >> TS_INTVEC_SHIFT].width);
    }
    ts_intvec_free(ctx, &one);
    ts_intvec_free(ctx, &many);
    free(values);
    test_ctx_free(ctx);
}

static void test_intvec_many(void **state)
{
    static const int64_t odd[] = {0,          255,       256,       65535,       65536,
                                  UINT32_MAX, INT64_MAX, INT64_MIN, INT64_C(-1), INT64_C(1) << 32};
    static const size_t steps[] = {1, 3, 16383, 16384, 16385, 50000};
    (void)state;
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
            assert_many(40000, steps[k], odd[i], 0);
            assert_many(40000, steps[k], odd[i], 16383);
            assert_many(40000, steps[k], odd[i], 20000);
            assert_many(16384, steps[k], odd[i], 16383);
        }
    }
}

static void test_intvec_read_small(void **state)
{
    static const int64_t most[] = {200, 60000, INT32_MAX, INT64_C(1) << 31, INT64_MAX, -1};
    enum { N = 40000 };
    uint32_t out[300];
    (void)state;
    for (size_t k = 0; k < sizeof most / sizeof most[0]; k++) {
        ts_ctx *ctx = test_ctx_new();
        ts_intvec v = {0};
        for (int64_t i = 0; i < N; i++) {
            assert_ok(ctx, ts_intvec_push(ctx, &v, i == 20000 ? most[k] : i % 200));
        }
        for (uint64_t first = 0; first + 300 <= N; first += 277) {
            for (size_t n = 0; n <= 300; n += 150) {
                bool has_odd = first <= 20000 && 20000 < first + n;
                bool is_small = !has_odd || (uint64_t)most[k] <= INT32_MAX;
                assert_int_equal(ts_intvec_read_small(&v, first, out, n), is_small);
                for (size_t i = 0; i < n && is_small; i++) {
                    assert_int_equal(out[i], ts_intvec_get(&v, first + i));
                }
            }
        }
        ts_intvec_free(ctx, &v);
        test_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_encode),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_printable),
        cmocka_unit_test(test_intvec_widths),
        cmocka_unit_test(test_intvec_gather),
        cmocka_unit_test(test_intvec_copy),
        cmocka_unit_test(test_intvec_set_and_cut),
        cmocka_unit_test(test_intvec_many),
        cmocka_unit_test(test_intvec_read_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Names of C++ and Rust; what is none stays as it is. */
#include "symbols/demangle.h"
#include "support.h"

static ts_ctx *ctx;

static void check(const char *name, const char *expected)
{
    ts_buf b = {0};
    ts_text out;
    assert_int_equal(ts_demangle(&out, ctx, &b, ts_text_of(name)), TS_OK);
    if (!ts_text_is(out, expected)) {
        fail_msg("%s became %.*s", name, (int)out.n, out.p);
    }
    ts_buf_free(ctx, &b);
}

static void test_names(void **state)
{
    (void)state;
    check("_ZN1a1bEv", "a::b()");
    check("_Z1fi", "f(int)");
    check("_ZNSt6vectorIiSaIiEE9push_backERKi",
          "std::vector<int, std::allocator<int> >::push_back(int const&)");
    check("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt");
    check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
}

static void test_others_stay(void **state)
{
    (void)state;
    check("f", "f"); /* not the type float */
    check("i", "i");
    check("main", "main");
    check("", "");
    check("_Z", "_Z");
    check("_R", "_R");
    check("_ZN1a1b", "_ZN1a1b");
    check("_Zfoo", "_Zfoo");
    check("_RTsomething", "_RTsomething");
    check("_start", "_start");
}

static void test_bytes_that_are_no_text(void **state)
{
    ts_buf b = {0};
    ts_text out;
    (void)state;
    assert_int_equal(ts_demangle(&out, ctx, &b, (ts_text){"_Z1fi\0x", 7}), TS_OK);
    assert_int_equal(out.n, 7);
    assert_int_equal(ts_demangle(&out, ctx, &b, TS_TEXT_NULL), TS_OK);
    assert_null(out.p);
    /* A name is no longer than it is said to be. */
    assert_int_equal(ts_demangle(&out, ctx, &b, (ts_text){"_Z1fii", 5}), TS_OK);
    assert_true(ts_text_is(out, "f(int)"));
    ts_buf_free(ctx, &b);
}

/* A pair of pairs of pairs: each level doubles the text. */
static size_t pairs(char *to, unsigned levels)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t n = (size_t)sprintf(to, "_Z1fSt4pairIiiE");
    for (unsigned i = 0; i < levels; i++) {
        /* Each level adds two substitutions, the template and the type, which stands here twice. */
        const char d = digits[2 * i];
        n += (size_t)sprintf(to + n, "St4pairIS%c_S%c_E", d, d);
    }
    return n;
}

static void test_no_end(void **state)
{
    char name[1200];
    ts_buf b = {0};
    ts_text out;
    (void)state;
    size_t n = pairs(name, 3);
    assert_int_equal(ts_demangle(&out, ctx, &b, (ts_text){name, n}), TS_OK);
    assert_true(out.p != name && out.n > 100);
    assert_true(ts_text_begins(out, "f(std::pair<int, int>, std::pair<std::pair<int, int>"));
    n = pairs(name, 17);
    assert_int_equal(ts_demangle(&out, ctx, &b, (ts_text){name, n}), TS_OK);
    assert_ptr_equal(out.p, name); /* as it was */
    assert_true(b.n <= TS_DEMANGLE_TEXT);
    ts_buf_free(ctx, &b);
}

static void test_long_names(void **state)
{
    char name[2000];
    ts_buf b = {0};
    ts_text out;
    (void)state;
    for (int length = TS_DEMANGLE_NAME - 1; length <= TS_DEMANGLE_NAME + 1; length++) {
        /* A variable: _Z, a number of four digits, so many letters. */
        const size_t n = (size_t)sprintf(name, "_Z%d", length - 6);
        memset(name + n, 'x', (size_t)length - n);
        assert_int_equal(ts_demangle(&out, ctx, &b, (ts_text){name, (size_t)length}), TS_OK);
        assert_int_equal(out.p != name, length <= TS_DEMANGLE_NAME);
    }
    ts_buf_free(ctx, &b);
}

static void test_without_memory(void **state)
{
    ts_buf b = {0};
    ts_text out;
    (void)state;
    ctx->limits.max_memory = 1;
    assert_int_equal(ts_demangle(&out, ctx, &b, ts_text_of("_Z1fi")), TS_ERR_LIMIT);
    assert_true(ts_text_is(out, "_Z1fi"));
    ctx->limits.max_memory = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_others_stay),
        cmocka_unit_test(test_bytes_that_are_no_text),
        cmocka_unit_test(test_no_end),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_without_memory),
    };
    ctx = test_ctx_new();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_ctx_free(ctx);
    return failed;
}

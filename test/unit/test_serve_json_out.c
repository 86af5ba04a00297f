/* The JSON writer of the server: what JSON (RFC 8259), base64 (RFC 4648) and IEEE 754 say. */
#include "support.h"

#include "serve/json_out.h"

#include <float.h>
#include <math.h>

typedef struct taken {
    char text[512 * 1024];
    size_t n;
    size_t calls;
    size_t refuse_at; /* 0: never */
} taken;

static int take(void *user, const void *bytes, size_t len)
{
    taken *t = user;
    if (++t->calls == t->refuse_at) {
        return 1;
    }
    assert_true(t->n + len < sizeof t->text);
    memcpy(t->text + t->n, bytes, len);
    t->n += len;
    t->text[t->n] = '\0';
    return 0;
}

static void expect(taken *t, ts_jout *j, const char *text)
{
    assert_int_equal(ts_jout_end(j), TS_OK);
    assert_string_equal(t->text, text);
    assert_int_equal(j->written, strlen(text));
}

static void test_structure(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    taken *t = calloc(1, sizeof *t);
    ts_jout j;
    ts_jout_begin(&j, ctx, take, t);
    ts_jout_open(&j, NULL, '{');
    ts_jout_open(&j, "a", '[');
    ts_jout_close(&j, ']');
    ts_jout_open(&j, "b", '[');
    ts_jout_line(&j);
    ts_jout_int(&j, NULL, 1);
    ts_jout_open(&j, NULL, '{');
    ts_jout_bool(&j, "x", true);
    ts_jout_null(&j, "y");
    ts_jout_close(&j, '}');
    ts_jout_close(&j, ']');
    ts_jout_raw(&j, "c", TS_TEXT_LIT("[0]"));
    ts_jout_bool(&j, "d", false);
    ts_jout_close(&j, '}');
    expect(t, &j, "{\"a\":[],\"b\":[\n1,{\"x\":true,\"y\":null}],\"c\":[0],\"d\":false}");
    free(t);
    test_ctx_free(ctx);
}

static void test_numbers(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    taken *t = calloc(1, sizeof *t);
    ts_jout j;
    ts_jout_begin(&j, ctx, take, t);
    ts_jout_open(&j, NULL, '[');
    ts_jout_int(&j, NULL, INT64_MIN);
    ts_jout_uint(&j, NULL, UINT64_MAX);
    j.ints_as_text = true;
    ts_jout_int(&j, NULL, 9007199254740991);
    ts_jout_int(&j, NULL, -9007199254740991);
    ts_jout_int(&j, NULL, 9007199254740992);
    ts_jout_int(&j, NULL, INT64_MIN);
    ts_jout_int(&j, NULL, 0);
    ts_jout_real(&j, NULL, 0.1);
    ts_jout_real(&j, NULL, 1.0);
    ts_jout_real(&j, NULL, -0.0);
    ts_jout_real(&j, NULL, 1.0 / 3.0);
    ts_jout_real(&j, NULL, DBL_MAX);
    ts_jout_real(&j, NULL, 5e-324);
    ts_jout_real(&j, NULL, INFINITY);
    ts_jout_real(&j, NULL, NAN);
    ts_jout_close(&j, ']');
    expect(t, &j,
           "[-9223372036854775808,18446744073709551615,9007199254740991,-9007199254740991,"
           "\"9007199254740992\",\"-9223372036854775808\",0,0.1,1.0,-0.0,0.3333333333333333,"
           "1.7976931348623157e+308,4.94065645841247e-324,null,null]");
    free(t);
    test_ctx_free(ctx);
}

static void test_texts(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    taken *t = calloc(1, sizeof *t);
    ts_jout j;
    ts_jout_begin(&j, ctx, take, t);
    ts_jout_open(&j, NULL, '[');
    ts_jout_text(&j, NULL, TS_TEXT_NULL);
    ts_jout_str(&j, NULL, "");
    ts_jout_str(&j, NULL, "a\"\\\n\x7f");
    ts_jout_str(&j, NULL, "\xc3\xa4\xf0\x9f\x98\x80");
    ts_jout_str(&j, NULL, "x\xff\xed\xa0\x80y"); /* no UTF-8; a surrogate */
    ts_jout_str(&j, NULL, "\xe2\x80\xae");       /* turns the direction */
    ts_jout_text(&j, NULL, (ts_text){"a\0b", 3});
    ts_jout_base64(&j, NULL, TS_TEXT_LIT(""));
    ts_jout_base64(&j, NULL, TS_TEXT_LIT("f"));
    ts_jout_base64(&j, NULL, TS_TEXT_LIT("fo"));
    ts_jout_base64(&j, NULL, TS_TEXT_LIT("foo"));
    ts_jout_base64(&j, NULL, TS_TEXT_LIT("\xff\xef\xbe"));
    ts_jout_close(&j, ']');
    expect(t, &j,
           "[null,\"\",\"a\\\"\\\\\\u000a\\u007f\",\"\xc3\xa4\xf0\x9f\x98\x80\","
           "\"x\xef\xbf\xbd\xef\xbf\xbdy\",\"\\u202e\",\"a\\u0000b\","
           "\"\",\"Zg==\",\"Zm8=\",\"Zm9v\",\"/+++\"]");
    free(t);
    test_ctx_free(ctx);
}

/* Long documents arrive in pieces, and a writer that refuses one gets nothing more. */
static void test_pieces(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    for (size_t refuse = 0; refuse < 3; refuse++) {
        taken *t = calloc(1, sizeof *t);
        ts_jout j;
        t->refuse_at = refuse;
        ts_jout_begin(&j, ctx, take, t);
        ts_jout_open(&j, NULL, '[');
        for (int i = 0; i < 40000; i++) {
            ts_jout_int(&j, NULL, 1000);
        }
        ts_jout_close(&j, ']');
        assert_int_equal(ts_jout_end(&j), refuse == 0 ? TS_OK : TS_ERR_OUTPUT);
        assert_int_equal(t->calls, refuse == 0 ? 4 : refuse);
        if (refuse == 0) {
            assert_int_equal(t->n, 40000 * 5 + 1);
        }
        free(t);
    }
    test_ctx_free(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    taken *t = calloc(1, sizeof *t);
    test_failing failing = {0};
    ts_code code = TS_ERR_NOMEM;
    ctx->allocator = test_failing_allocator(&failing);
    for (uint64_t at = 1; code != TS_OK; at++) {
        ts_jout j;
        failing = (test_failing){.fail_at = at};
        t->n = 0;
        ts_jout_begin(&j, ctx, take, t);
        ts_jout_open(&j, NULL, '{');
        ts_jout_str(&j, "key", "x\xff");
        ts_jout_base64(&j, "b", TS_TEXT_LIT("0123456789"));
        ts_jout_close(&j, '}');
        code = ts_jout_end(&j);
        assert_true(code == TS_OK || code == TS_ERR_NOMEM);
        assert_true(at < 100);
    }
    assert_string_equal(t->text, "{\"key\":\"x\xef\xbf\xbd\",\"b\":\"MDEyMzQ1Njc4OQ==\"}");
    free(t);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structure), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_texts),     cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

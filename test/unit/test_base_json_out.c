/* The JSON writer: what JSON (RFC 8259), base64 (RFC 4648) and IEEE 754 say. */
#include "support.h"

#include "base/json_out.h"
#include "base/utf8.h"

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

static void json_of_hostile_texts(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    ts_jout j = ts_jout_spaced(ctx, &out, 0);
    (void)state;
    ts_jout_open(&j, NULL, '{');
    ts_jout_text(&j, "a\"b", (ts_text){"q\"\\\n\0\x7f\xff z", 9});
    ts_jout_null(&j, "n");
    ts_jout_open(&j, "e", '[');
    ts_jout_close(&j, ']');
    ts_jout_uint(&j, "u", UINT64_MAX);
    ts_jout_int(&j, "i", INT64_MIN);
    ts_jout_seconds(&j, "s", -1);
    ts_jout_bool(&j, "t", true);
    ts_jout_close(&j, '}');
    assert_int_equal(j.code, TS_OK);
    assert_int_equal(ts_buf_putc(ctx, &out, '\0'), TS_OK);
    assert_string_equal(out.p,
                        "{\n  \"a\\\"b\": \"q\\\"\\\\\\u000a\\u0000\\u007f\xef\xbf\xbd z\",\n"
                        "  \"n\": null,\n  \"e\": [],\n  \"u\": 18446744073709551615,\n"
                        "  \"i\": -9223372036854775808,\n  \"s\": 0.000000,\n  \"t\": true\n}");
    ts_buf_free(ctx, &out);
    test_ctx_free(ctx);
}

/* One line below a depth, keys that are texts, elements that begin a line. */
static void test_lines(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    ts_jout j = ts_jout_spaced(ctx, &out, 2);
    ts_jout_open(&j, NULL, '{');
    ts_jout_key(&j, (ts_text){"k\0", 2});
    ts_jout_open(&j, NULL, '[');
    ts_jout_int(&j, NULL, 1);
    ts_jout_printf(&j, NULL, "%d", 2);
    ts_jout_close(&j, ']');
    ts_jout_key(&j, TS_TEXT_NULL);
    ts_jout_null(&j, NULL);
    ts_jout_close(&j, '}');
    j.spaced = false;
    j.comma = false;
    ts_jout_open(&j, NULL, '[');
    ts_jout_next_line(&j);
    ts_jout_key(&j, TS_TEXT_LIT("a"));
    ts_jout_int(&j, NULL, 1);
    ts_jout_next_line(&j);
    ts_jout_int(&j, "b", 2);
    ts_jout_put(&j, " ", 1);
    ts_jout_int(&j, "c", 3);
    ts_jout_line(&j);
    ts_jout_close(&j, ']');
    assert_int_equal(j.code, TS_OK);
    assert_int_equal(ts_buf_putc(ctx, &out, '\0'), TS_OK);
    assert_string_equal(out.p, "{\n  \"k\\u0000\": [1, 2],\n  \"\": null\n}"
                               "[\n\"a\":1,\n\"b\":2 ,\"c\":3\n]");
    ts_buf_free(ctx, &out);
    test_ctx_free(ctx);
}

/* The same by the rules, a character after the other. */
static void quote_slowly(ts_ctx *ctx, ts_buf *out, ts_text text, unsigned escapes)
{
    assert_int_equal(ts_buf_putc(ctx, out, '"'), TS_OK);
    for (size_t i = 0; i < text.n;) {
        uint32_t c;
        char plain[4];
        size_t n = ts_utf8_next(&c, text.p + i, text.n - i);
        const char *letter = c == 0 || c > 0x7f ? NULL : strchr("\bb\ff\nn\rr\tt", (int)c);
        i += n;
        c = c == UINT32_MAX ? 0xfffd : c;
        n = ts_utf8_encode(plain, c);
        if (c == '"' || c == '\\') {
            assert_int_equal(ts_buf_printf(ctx, out, "\\%c", (int)c), TS_OK);
        } else if ((escapes & TS_JOUT_LETTERS) != 0 && c < 0x20 && letter != NULL) {
            assert_int_equal(ts_buf_printf(ctx, out, "\\%c", letter[1]), TS_OK);
        } else if (c < 0x20 || ((escapes & TS_JOUT_STEERS) != 0 && ts_utf8_steers(c)) ||
                   ((escapes & TS_JOUT_MARKUP) != 0 && (c == '<' || c == '>' || c == '&'))) {
            assert_int_equal(ts_buf_printf(ctx, out, "\\u%04x", (unsigned)c), TS_OK);
        } else {
            assert_int_equal(ts_buf_put(ctx, out, plain, n), TS_OK);
        }
    }
    assert_int_equal(ts_buf_putc(ctx, out, '"'), TS_OK);
}

static void test_escapes(void **state)
{
    static const char *const parts[] = {"a",
                                        "\"",
                                        "\\",
                                        "<",
                                        ">",
                                        "&",
                                        "\b",
                                        "\n",
                                        "\x1f",
                                        "\x7f",
                                        "\xc2\x85",
                                        "\xd8\x9c",
                                        "\xff",
                                        "\xed\xa0",
                                        "\xe2",
                                        "\x80",
                                        "\xe2\x80\xa8",
                                        "\xe2\x81\xa7",
                                        "\xef\xbb\xbf",
                                        "\xf0\x9f\x98\x80",
                                        "\xc3\xa4",
                                        "/",
                                        "\t",
                                        "z"};
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    ts_buf text = {0};
    ts_buf got = {0};
    ts_buf want = {0};
    uint32_t random = 1;
    for (unsigned round = 0; round < 4000; round++) {
        text.n = got.n = want.n = 0;
        for (unsigned i = 0; i < round % 23; i++) {
            random = random * 1664525 + 1013904223;
            const char *part = parts[(random >> 16) % (sizeof parts / sizeof parts[0])];
            assert_int_equal(ts_buf_put(ctx, &text, part, strlen(part)), TS_OK);
            if ((random >> 8) % 29 == 0) {
                assert_int_equal(ts_buf_putc(ctx, &text, '\0'), TS_OK);
            }
        }
        for (unsigned escapes = 0; escapes < 8; escapes++) {
            assert_int_equal(ts_json_quote(ctx, &got, ts_buf_text(&text), escapes), TS_OK);
            quote_slowly(ctx, &want, ts_buf_text(&text), escapes);
        }
        assert_int_equal(got.n, want.n);
        assert_memory_equal(got.p, want.p, want.n);
    }
    ts_buf_free(ctx, &text);
    ts_buf_free(ctx, &got);
    ts_buf_free(ctx, &want);
    test_ctx_free(ctx);
}

/* What the writer's function says of its failure stays. */
static int refuse(void *user, const void *bytes, size_t len)
{
    ts_jout *j = user;
    (void)bytes;
    (void)len;
    ts_jout_fail(j, ts_fail(j->ctx, TS_ERR_INTERRUPTED, "enough"));
    return 1;
}

static void test_refusal(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    ts_jout j;
    ts_jout_begin(&j, ctx, refuse, &j);
    ts_jout_int(&j, NULL, 1);
    assert_int_equal(ts_jout_end(&j), TS_ERR_INTERRUPTED);
    assert_string_equal(ctx->error.causes[0], "enough");
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_structure), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_texts),     cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_memory),    cmocka_unit_test(json_of_hostile_texts),
        cmocka_unit_test(test_lines),     cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tokens of redaction: their shape, that different texts have different ones, and what stays. */
#include "tables/redact_text.h"

#include "support.h"

static ts_ctx *ctx;

static ts_redactor redactor(ts_redact_level level)
{
    ts_redactor r = {.key = {{UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)}},
                     .level = level};
    assert_true(ts_redactor_init(&r, ctx) == TS_OK);
    return r;
}

static ts_text token(ts_redactor *r, ts_text_class class, const char *text)
{
    ts_text out;
    assert_true(ts_redact_text(&out, r, class, ts_text_of(text)) == TS_OK);
    return out;
}

static unsigned kind(char c)
{
    return ts_is_digit(c) ? 0 : c >= 'A' && c <= 'Z' ? 1 : 2;
}

/* Every piece of one and of two characters: each has a token of its own, of its kind. */
static void test_short_pieces_are_permuted(void **state)
{
    (void)state;
    static const char all[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    ts_redactor r = redactor(TS_REDACT_ALL);
    ts_pool seen = {0};
    unsigned count = 0;
    for (size_t i = 0; i < sizeof all - 1; i++) {
        for (size_t k = 0; k < sizeof all; k++) { /* the last one is the end */
            const char text[3] = {all[i], all[k], '\0'};
            const ts_text t = token(&r, TS_TEXT_VALUE, text);
            uint32_t id;
            bool added;
            assert_true(ts_pool_intern(ctx, &id, &added, &seen, t) == TS_OK);
            assert_true(added);
            assert_true(kind(t.p[0]) == kind(text[0]));
            count++;
            if (t.n == strlen(text) && strlen(text) == 2 && kind(text[0]) == 0) {
                assert_true((kind(text[1]) == 0) == (kind(t.p[1]) == 0));
            }
        }
    }
    assert_true(seen.count == count);
    ts_pool_free(ctx, &seen);
    ts_redactor_free(&r);
}

/* All numbers of four digits are numbers of four digits. */
static void test_numbers_are_permuted(void **state)
{
    (void)state;
    ts_redactor r = redactor(TS_REDACT_ALL);
    static bool seen[10000];
    memset(seen, 0, sizeof seen);
    for (unsigned i = 0; i < 10000; i++) {
        char text[8];
        snprintf(text, sizeof text, "%04u", i);
        const ts_text t = token(&r, TS_TEXT_VALUE, text);
        unsigned value = 0;
        assert_true(t.n == 4);
        for (size_t k = 0; k < t.n; k++) {
            assert_true(ts_is_digit(t.p[k]));
            value = value * 10 + (unsigned)(t.p[k] - '0');
        }
        assert_true(!seen[value]);
        seen[value] = true;
    }
    ts_redactor_free(&r);
}

static void test_shape_is_kept(void **state)
{
    (void)state;
    static const char *const names[] = {
        "com.example.shop.Basket", "/srv/shop/basket.js.gz",
        "pool-3-thread-17",        "https://host.example:8080/a?b=c#d",
        "(anonymous) <T>",         "_x",
        "Lcom/example/Foo;"};
    ts_redactor r = redactor(TS_REDACT_ALL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const ts_text t = token(&r, TS_TEXT_NAME, names[i]);
        size_t at = 0;
        for (const char *p = names[i]; *p != '\0';
             p++) { /* what is between pieces is there, in order */
            if (!ts_redact_is_piece(*p)) {
                while (at < t.n && ts_redact_is_piece(t.p[at])) {
                    at++;
                }
                assert_true(at < t.n && t.p[at] == *p);
                at++;
            }
        }
        assert_true(!ts_text_is(t, names[i]));
    }
    assert_true(ts_text_ends(token(&r, TS_TEXT_NAME, "/srv/shop/basket.js.gz"), ".js.gz"));
    assert_true(!ts_text_ends(token(&r, TS_TEXT_NAME, "com.example.password"), ".password"));
    assert_true(!ts_text_is(token(&r, TS_TEXT_NAME, ".ts"), ".ts")); /* no extension of anything */
    ts_redactor_free(&r);
}

static void test_long_texts_have_classes_of_length(void **state)
{
    (void)state;
    static const struct {
        size_t n, token;
    } lengths[] = {{18, 18}, {19, 24}, {24, 24},  {25, 32},  {33, 48},
                   {49, 64}, {65, 96}, {97, 128}, {250, 128}};
    ts_redactor r = redactor(TS_REDACT_ALL);
    char text[300];
    memset(text, 'q', sizeof text);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        text[lengths[i].n] = '\0';
        assert_true(token(&r, TS_TEXT_VALUE, text).n == lengths[i].token);
        text[lengths[i].n] = 'q';
    }
    assert_true(token(&r, TS_TEXT_VALUE, "two words").n == 24); /* no name, but a sentence */
    assert_true(token(&r, TS_TEXT_NAME, "two words").n == 9);
    assert_true(token(&r, TS_TEXT_VALUE, "!$%&/").n == 24);
    assert_true(token(&r, TS_TEXT_VALUE, "\xC3\xA4").n == 24);
    assert_true(token(&r, TS_TEXT_VALUE, "").n == 0);
    text[299] = '\0';
    assert_true(token(&r, TS_TEXT_NAME, text).n == 128);
    ts_redactor_free(&r);
}

static void test_classes_and_levels(void **state)
{
    (void)state;
    ts_redactor r = redactor(TS_REDACT_ALL);
    assert_true(ts_text_is(token(&r, TS_TEXT_OWN, "whatever it is"), "whatever it is"));
    assert_true(ts_text_is(token(&r, TS_TEXT_WORD, "TIMED_WAITING"), "TIMED_WAITING"));
    assert_true(ts_text_is(token(&r, TS_TEXT_WORD, "private static"), "private static"));
    assert_true(!ts_text_is(token(&r, TS_TEXT_WORD, "hunter2"), "hunter2"));
    assert_true(ts_text_begins(token(&r, TS_TEXT_WORD, "private hunter2"), "private "));
    assert_true(token(&r, TS_TEXT_WORD, "Q").n == 24); /* a letter would be a state */
    assert_true(ts_text_is(token(&r, TS_TEXT_NAME, "(idle)"), "(idle)"));
    assert_true(!ts_text_is(token(&r, TS_TEXT_VALUE, "(idle)"), "(idle)"));
    assert_true(ts_text_is(token(&r, TS_TEXT_NUMBER, "0x7fff,12|-3.5"), "0x7fff,12|-3.5"));
    assert_true(!ts_text_is(token(&r, TS_TEXT_NUMBER, "12 apples"), "12 apples"));
    r.level = TS_REDACT_NAMES;
    assert_true(ts_text_is(token(&r, TS_TEXT_PLACE, "host-17"), "host-17"));
    assert_true(!ts_text_is(token(&r, TS_TEXT_NAME, "Basket"), "Basket"));
    r.level = TS_REDACT_STRINGS;
    assert_true(ts_text_is(token(&r, TS_TEXT_NAME, "Basket"), "Basket"));
    assert_true(!ts_text_is(token(&r, TS_TEXT_VALUE, "Basket"), "Basket"));
    assert_true(!ts_text_is(token(&r, TS_TEXT_WORD, "hunter2"), "hunter2"));
    ts_redactor_free(&r);
}

static void test_json_stays_json(void **state)
{
    (void)state;
    ts_redactor r = redactor(TS_REDACT_STRINGS);
    const ts_text key =
        token(&r, TS_TEXT_JSON, "{\"user\":\"alice\",\"n\":-1.5e3,\"ok\":[true,null,\"\"]}");
    assert_true(ts_text_begins(key, "{\"user\":\""));
    assert_true(ts_text_ends(key, "\",\"n\":-1.5e3,\"ok\":[true,null,\"\"]}"));
    assert_true(memchr(key.p, ' ', key.n) == NULL &&
                key.n == strlen("{\"user\":\"alice\",\"n\":-1.5e3,\"ok\":[true,null,\"\"]}"));
    assert_true(token(&r, TS_TEXT_JSON, "\"a\\\"b\"").n == 26); /* with an escape it is one token */
    r.level = TS_REDACT_ALL;
    assert_true(!ts_text_begins(token(&r, TS_TEXT_JSON, "{\"account\":1}"), "{\"account\""));
    assert_true(ts_text_is(token(&r, TS_TEXT_JSON, "{\"value\":1}"), "{\"value\":1}")); /* a word */
    /* What is no JSON is a text as any other. */
    assert_true(!ts_text_begins(token(&r, TS_TEXT_JSON, "{\"a\":\"secret"), "{\"a\":\"secret"));
    assert_true(token(&r, TS_TEXT_JSON, "secret word").n == 24);
    assert_true(token(&r, TS_TEXT_JSON, "\"fin\\").n == 5);
    ts_redactor_free(&r);
}

static void test_keys_differ(void **state)
{
    (void)state;
    ts_redactor a = redactor(TS_REDACT_ALL);
    ts_redactor b = redactor(TS_REDACT_ALL);
    char first[TS_TOKEN_MOST];
    b.key.k[1] ^= 1;
    const ts_text one = token(&a, TS_TEXT_VALUE, "com.example.Basket");
    memcpy(first, one.p, one.n);
    assert_true(
        !ts_text_equal((ts_text){first, one.n}, token(&b, TS_TEXT_VALUE, "com.example.Basket")));
    b.key.k[1] ^= 1;
    assert_true(
        ts_text_equal((ts_text){first, one.n}, token(&b, TS_TEXT_VALUE, "com.example.Basket")));
    ts_redactor_free(&a);
    ts_redactor_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_pieces_are_permuted),
        cmocka_unit_test(test_numbers_are_permuted),
        cmocka_unit_test(test_shape_is_kept),
        cmocka_unit_test(test_long_texts_have_classes_of_length),
        cmocka_unit_test(test_classes_and_levels),
        cmocka_unit_test(test_json_stays_json),
        cmocka_unit_test(test_keys_differ),
    };
    ctx = test_ctx_new();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_ctx_free(ctx);
    return failed;
}

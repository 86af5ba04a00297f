/* Strings: escapes, surrogates in all mixes, UTF-8, raw strings, keys, pieces. */
#include "json_check.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FFFD "\\EF\\BF\\BD"

static void test_escapes(void **state)
{
    (void)state;
    static const json_case cases[] = {
        {.in = "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", .events = "s\"\\22\\5C/\\08\\0C\\0A\\0D\\09\" "},
        {.in = "\"\\u0041\\u00e9\\u4E2D\\uFFFF\"",
         .events = "s\"A\\C3\\A9\\E4\\B8\\AD\\EF\\BF\\BF\" "},
        {.in = "\"a\\u0000b\"", .events = "s\"a\\00b\" "},
        {.in = "\"\\u007f\\u0080\\u07ff\\u0800\"",
         .events = "s\"\\7F\\C2\\80\\DF\\BF\\E0\\A0\\80\" "},
        {.in = "\"/\\u002F\\u002f\"", .events = "s\"///\" "},
        {.in = "\"plain text of some length\\nand more of it\"",
         .events = "s\"plain\\20text\\20of\\20some\\20length\\0Aand\\20more\\20of\\20it\" "},
        /* the same escapes far from the end of the text, where they are taken by words */
        {.in = "[\"\\t\\\"a\\\\bc\\/def\\bghij\\fklmnop\\nqrstuvwx\\ryz\\t.\\u0041\\n\"            "
               "  ]",
         .events = "[ s\"\\09\\22a\\5Cbc/def\\08ghij\\0Cklmnop\\0Aqrstuvwx\\0Dyz\\09.A\\0A\" ] "},
    };
    json_check_all(cases, COUNT(cases), 0);
    json_check_all(cases, COUNT(cases), TS_JSON_RAW_STRINGS);
}

/* U+1F600 is D83D DE00, in UTF-8 F0 9F 98 80; as surrogates ED A0 BD, ED B8 80. */
static void test_surrogates(void **state)
{
    (void)state;
    static const json_case cases[] = {
        {.in = "\"\\uD83D\\uDE00\"", .events = "s\"\\F0\\9F\\98\\80\" "},
        {.in = "\"\\ud83d\\ude00\"", .events = "s\"\\F0\\9F\\98\\80\" "},
        {.in = "\"\\uD800\\uDC00\\uDBFF\\uDFFF\"",
         .events = "s\"\\F0\\90\\80\\80\\F4\\8F\\BF\\BF\" "},
        {.in = "\"\xED\xA0\xBD\xED\xB8\x80\"", .events = "s\"\\F0\\9F\\98\\80\" "},
        {.in = "\"\\uD83D\xED\xB8\x80\"", .events = "s\"\\F0\\9F\\98\\80\" "},
        {.in = "\"\xED\xA0\xBD\\uDE00\"", .events = "s\"\\F0\\9F\\98\\80\" "},
        {.in = "\"a\xED\xA0\xBD\\uDE00z\"", .events = "s\"a\\F0\\9F\\98\\80z\" "},
        {.in = "{\"\\uD83D\xED\xB8\x80\":1}", .events = "{ k\"\\F0\\9F\\98\\80\" i1 } "},
        /* one half alone */
        {.in = "\"\\uD83D\"", .events = "s\"" FFFD "\" ", .replaced = 1},
        {.in = "\"\\uDE00\"", .events = "s\"" FFFD "\" ", .replaced = 1},
        {.in = "\"\xED\xA0\xBD\"", .events = "s\"" FFFD "\" ", .replaced = 1},
        {.in = "\"\xED\xB8\x80\"", .events = "s\"" FFFD "\" ", .replaced = 1},
        {.in = "\"\\uD83Dx\"", .events = "s\"" FFFD "x\" ", .replaced = 1},
        {.in = "\"\\uD83D\\n\"", .events = "s\"" FFFD "\\0A\" ", .replaced = 1},
        {.in = "\"\\uD83D\\u0041\"", .events = "s\"" FFFD "A\" ", .replaced = 1},
        {.in = "\"\\uD83D\xC3\xA4\"", .events = "s\"" FFFD "\\C3\\A4\" ", .replaced = 1},
        {.in = "\"\\uD83D\xED\x9F\xBF\"", .events = "s\"" FFFD "\\ED\\9F\\BF\" ", .replaced = 1},
        {.in = "{\"\\uD83D\":1}", .events = "{ k\"" FFFD "\" i1 } ", .replaced = 1},
        /* the wrong order, and twice the same half */
        {.in = "\"\\uDE00\\uD83D\"", .events = "s\"" FFFD FFFD "\" ", .replaced = 2},
        {.in = "\"\xED\xB8\x80\xED\xA0\xBD\"", .events = "s\"" FFFD FFFD "\" ", .replaced = 2},
        {.in = "\"\\uD83D\\uD83D\\uDE00\"",
         .events = "s\"" FFFD "\\F0\\9F\\98\\80\" ",
         .replaced = 1},
        {.in = "\"\\uD83D\xED\xA0\xBD\\uDE00\\uDE00\"",
         .events = "s\"" FFFD "\\F0\\9F\\98\\80" FFFD "\" ",
         .replaced = 2},
        {.in = "\"\\uD83D\xFF\\uDE00\"", .events = "s\"" FFFD FFFD FFFD "\" ", .replaced = 3},
        /* halves in two strings do not belong together */
        {.in = "[\"\\uD83D\",\"\\uDE00\"]",
         .events = "[ s\"" FFFD "\" s\"" FFFD "\" ] ",
         .replaced = 2},
        /* what waits is given up before the error */
        {.in = "[\"\\uD83D\x01",
         .events = "[ s\"" FFFD,
         .replaced = 1,
         .reason = "control character in a string",
         .position = 8},
    };
    json_check_all(cases, COUNT(cases), 0);
}

/* Examples of the Unicode standard for maximal subparts (section 3.9, tables 3-8 to 3-11). */
static void test_utf8(void **state)
{
    (void)state;
    static const json_case cases[] = {
        {.in = "\"\xC2\x80\xDF\xBF\"", .events = "s\"\\C2\\80\\DF\\BF\" "},
        {.in = "\"\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\"",
         .events = "s\"\\E0\\A0\\80\\ED\\9F\\BF\\EE\\80\\80\\EF\\BF\\BF\" "},
        {.in = "\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"",
         .events = "s\"\\F0\\90\\80\\80\\F4\\8F\\BF\\BF\" "},
        /* non-shortest forms */
        {.in = "\"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82"
               "A\"",
         .events = "s\"" FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "A\" ",
         .replaced = 8},
        /* beyond U+10FFFF and bytes that begin nothing */
        {.in = "\"\xF4\x91\x92\x93\xFF"
               "A\x80\xBF"
               "B\"",
         .events = "s\"" FFFD FFFD FFFD FFFD FFFD "A" FFFD FFFD "B\" ",
         .replaced = 7},
        /* truncated sequences: one for each maximal part */
        {.in = "\"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF"
               "A\"",
         .events = "s\"" FFFD FFFD FFFD FFFD "A\" ",
         .replaced = 4},
        {.in = "\"\xC3\"", .events = "s\"" FFFD "\" ", .replaced = 1},
        {.in = "\"\xE4\xB8\"", .events = "s\"" FFFD "\" ", .replaced = 1},
        {.in = "\"\xF0\x9F\x98\"", .events = "s\"" FFFD "\" ", .replaced = 1},
        {.in = "\"\xF0\x9F\x98\\n\"", .events = "s\"" FFFD "\\0A\" ", .replaced = 1},
        {.in = "\"\xC3\xC3\xA4\"", .events = "s\"" FFFD "\\C3\\A4\" ", .replaced = 1},
        {.in = "\"\xE0\x9F\x80\"", .events = "s\"" FFFD FFFD FFFD "\" ", .replaced = 3},
        {.in = "\"\xF0\x8F\x80\x80\"", .events = "s\"" FFFD FFFD FFFD FFFD "\" ", .replaced = 4},
        {.in = "\"\xF5\x80\xC1\x80\"", .events = "s\"" FFFD FFFD FFFD FFFD "\" ", .replaced = 4},
        /* half a surrogate is no part of anything well-formed */
        {.in = "\"\xED\xA0z\"", .events = "s\"" FFFD FFFD "z\" ", .replaced = 2},
        {.in = "\"\xED\x9Fz\"", .events = "s\"" FFFD "z\" ", .replaced = 1},
        {.in = "\"\xEDz\"", .events = "s\"" FFFD "z\" ", .replaced = 1},
        {.in = "{\"\xC3\":\"\xFF\"}", .events = "{ k\"" FFFD "\" s\"" FFFD "\" } ", .replaced = 2},
        {.in = "[\"\xC3\x01",
         .events = "[ s\"" FFFD,
         .replaced = 1,
         .reason = "control character in a string",
         .position = 3},
    };
    json_check_all(cases, COUNT(cases), 0);
}

static void test_raw(void **state)
{
    (void)state;
    static const json_case cases[] = {
        {.in = "\"\xC3\xFF\x80\xED\xA0\"", .events = "s\"\\C3\\FF\\80\\ED\\A0\" "},
        {.in = "\"\\uD83D\\uDE00\"", .events = "s\"\\F0\\9F\\98\\80\" "},
        {.in = "\"\\uD83D\"", .events = "s\"\\ED\\A0\\BD\" "},
        {.in = "\"\\uDE00\"", .events = "s\"\\ED\\B8\\80\" "},
        {.in = "\"\\uDE00\\uD83D\"", .events = "s\"\\ED\\B8\\80\\ED\\A0\\BD\" "},
        {.in = "\"\\uD83D\\uD83D\\uDE00\"", .events = "s\"\\ED\\A0\\BD\\F0\\9F\\98\\80\" "},
        {.in = "\"\\uD83Dx\\uDE00\"", .events = "s\"\\ED\\A0\\BDx\\ED\\B8\\80\" "},
        /* the inner reader joins these */
        {.in = "\"\\uD83D\xED\xB8\x80\"", .events = "s\"\\ED\\A0\\BD\\ED\\B8\\80\" "},
        {.in = "\"\xED\xA0\xBD\\uDE00\"", .events = "s\"\\ED\\A0\\BD\\ED\\B8\\80\" "},
        /* keys are cleaned all the same */
        {.in = "{\"\xFF\\uD83D\":\"\xFF\"}",
         .events = "{ k\"" FFFD FFFD "\" s\"\\FF\" } ",
         .replaced = 2},
    };
    json_check_all(cases, COUNT(cases), TS_JSON_RAW_STRINGS);
}

typedef struct nested {
    ts_json *inner;
} nested;

static ts_code feed_inner(void *user, const char *p, size_t n, unsigned flags)
{
    (void)flags;
    return ts_json_feed(((nested *)user)->inner, p, n);
}

/* A text that goes on in two strings, cut between the halves of a pair in each of the four mixes.
 */
static void test_chunks(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "[\"\\\"a\\uD83D\",\"\\uDE00z\\\"\"]",      "[\"\\\"a\xED\xA0\xBD\",\"\xED\xB8\x80z\\\"\"]",
        "[\"\\\"a\\uD83D\",\"\xED\xB8\x80z\\\"\"]", "[\"\\\"a\\\\uD8\",\"3D\\\\u\",\"DE00z\\\"\"]",
        "[\"\\\"a\\\\uD83D\",\"\\uDE00z\\\"\"]",    "[\"\\\"a\xF0\x9F\",\"\x98\x80z\\\"\"]",
    };
    static const ts_json_handler handler = {.string = feed_inner};
    ts_ctx *ctx = test_ctx_new();
    for (size_t i = 0; i < COUNT(documents); i++) {
        for (size_t block = 1; block < 40; block++) {
            nested chain;
            json_events ev = {.text = NULL};
            ts_json *outer;
            assert_ok(ctx, ts_json_new(&chain.inner, ctx, &json_events_handler, &ev, 0));
            assert_ok(ctx, ts_json_new(&outer, ctx, &handler, &chain, TS_JSON_RAW_STRINGS));
            assert_ok(ctx, json_events_feed(outer, documents[i], strlen(documents[i]), block));
            assert_ok(ctx, ts_json_finish(chain.inner));
            assert_int_equal(ts_json_state(outer), TS_JSON_DONE);
            assert_int_equal(ts_json_state(chain.inner), TS_JSON_DONE);
            assert_int_equal(ts_json_replaced(chain.inner), 0);
            assert_string_equal(ev.text, "s\"a\\F0\\9F\\98\\80z\" ");
            ts_json_free(outer);
            ts_json_free(chain.inner);
            free(ev.text);
        }
    }
    test_ctx_free(ctx);
}

/* A key of `plain` letters, then `tail`; the key that comes out has `want` bytes. */
static void check_key(ts_ctx *ctx, size_t plain, const char *tail, size_t want, const char *end)
{
    char text[3 * TS_JSON_KEY_MAX];
    size_t n = 0;
    text[n++] = '{';
    text[n++] = '"';
    memset(text + n, 'k', plain);
    n += plain;
    memcpy(text + n, tail, strlen(tail));
    n += strlen(tail);
    memcpy(text + n, "\":1}", 4);
    n += 4;
    char events[8 * TS_JSON_KEY_MAX] = "{ k\"";
    size_t letters = want - strlen(end) / 3;
    memset(events + 4, 'k', letters);
    snprintf(events + 4 + letters, sizeof events - 4 - letters, "%s\" i1 } ", end);
    json_case c = {.in = text, .n = n, .events = events};
    json_check(ctx, &c, 0);
}

static void test_long_keys(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    check_key(ctx, 1023, "", 1023, "");
    check_key(ctx, 1024, "", 1024, "");
    check_key(ctx, 1025, "", 1024, "");
    check_key(ctx, 2500, "", 1024, "");
    check_key(ctx, 1022, "\\n\\n", 1024, "\\0A\\0A");
    check_key(ctx, 1023, "\\n\\nkk", 1024, "\\0A");
    /* never half a character, and nothing after the first one that does not fit */
    check_key(ctx, 1021, "\xE4\xB8\xAD", 1024, "\\E4\\B8\\AD");
    check_key(ctx, 1022, "\xE4\xB8\xAD", 1022, "");
    check_key(ctx, 1023, "\\u4E2Dk", 1023, "");
    check_key(ctx, 1023, "\xE4\xB8\xADk", 1023, "");
    test_ctx_free(ctx);
}

/* Strings longer than every buffer, with an escape at each kind of place. */
static void test_long_strings(void **state)
{
    (void)state;
    enum { LENGTH = 50000 };
    ts_ctx *ctx = test_ctx_new();
    char *text = malloc(LENGTH + 64);
    char *events = malloc(LENGTH + 64);
    assert_non_null(text);
    assert_non_null(events);
    for (size_t every = 1; every <= LENGTH * 2; every = every * 3 + 1) {
        size_t n = 0;
        size_t e = 2;
        text[n++] = '"';
        memcpy(events, "s\"", 2);
        while (n < LENGTH) {
            if (n % every == 0) {
                memcpy(text + n, "\\u0041", 6);
                n += 6;
                events[e++] = 'A';
            } else {
                text[n] = (char)('a' + n % 26);
                events[e++] = text[n++];
            }
        }
        text[n++] = '"';
        memcpy(events + e, "\" ", 3);
        json_case c = {.in = text, .n = n, .events = events};
        json_check(ctx, &c, 0);
        json_check(ctx, &c, TS_JSON_RAW_STRINGS);
    }
    free(text);
    free(events);
    test_ctx_free(ctx);
}

/* A short string comes as one piece, borrowed or not; a string full of escapes in few. */
static void test_pieces(void **state)
{
    (void)state;
    enum { ESCAPES = 10000 };
    ts_ctx *ctx = test_ctx_new();
    json_events ev = {.text = NULL};
    ts_json *js;
    assert_ok(ctx, ts_json_new(&js, ctx, &json_events_handler, &ev, 0));
    static const char list[] = "[\"\",\"plain\",\"a\\nb\",\"\\n\",\"a\xFF\"]";
    assert_ok(ctx, ts_json_feed(js, list, sizeof list - 1));
    assert_int_equal(ev.pieces, 5);
    ts_json_reset(js);
    ev.pieces = 0;
    char text[ESCAPES * 2 + 2];
    text[0] = '"';
    for (size_t i = 0; i < ESCAPES; i++) {
        memcpy(text + 1 + 2 * i, "\\t", 2);
    }
    text[sizeof text - 1] = '"';
    assert_ok(ctx, ts_json_feed(js, text, sizeof text));
    assert_int_equal(ts_json_state(js), TS_JSON_DONE);
    assert_int_equal(ev.pieces, 1);
    /* at the end of a feed nothing that is certain is kept back */
    ts_json_reset(js);
    ev.n = 0;
    assert_ok(ctx, ts_json_feed(js, "\"ab\\ncd", 7));
    assert_string_equal(ev.text, "s\"ab\\0Acd");
    ts_json_free(js);
    free(ev.text);
    test_ctx_free(ctx);
}

/* The call that takes a piece fails in the middle of a long string of each kind. */
static void test_failing_pieces(void **state)
{
    (void)state;
    enum { LENGTH = 60000 };
    static const char *const units[] = {"\\n",    "\\uD83D\\uDE00", "\\uD83D",
                                        "abc\\n", "\xC3",           "\\n\xC3\xA4"};
    ts_ctx *ctx = test_ctx_new();
    char *text = malloc(LENGTH);
    assert_non_null(text);
    for (size_t u = 0; u < COUNT(units); u++) {
        size_t len = strlen(units[u]);
        size_t n = 0;
        text[n++] = '"';
        while (n + len < LENGTH) {
            memcpy(text + n, units[u], len);
            n += len;
        }
        text[n] = '"';
        json_events ev = {.fail_at = 1, .fail_code = TS_ERR_OUTPUT};
        ts_json *js;
        assert_ok(ctx, ts_json_new(&js, ctx, &json_events_handler, &ev, 0));
        assert_int_equal(ts_json_feed(js, text, n + 1), TS_ERR_OUTPUT);
        assert_true(ts_json_position(js) < n);
        /* nothing of it is left behind */
        ts_json_reset(js);
        ev.open = false;
        assert_ok(ctx, ts_json_feed(js, "[\"a\"]", 5));
        assert_string_equal(ev.text, "[ s\"a\" ] ");
        ts_json_free(js);
        free(ev.text);
    }
    free(text);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_escapes),        cmocka_unit_test(test_surrogates),
        cmocka_unit_test(test_utf8),           cmocka_unit_test(test_raw),
        cmocka_unit_test(test_chunks),         cmocka_unit_test(test_long_keys),
        cmocka_unit_test(test_long_strings),   cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_failing_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

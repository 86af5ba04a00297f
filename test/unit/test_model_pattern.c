/* Expressions of filters: what they find, what is refused, and that no expression takes long. */
#include "support.h"

#include "model/pattern.h"

#include <time.h>

static bool found(const char *pattern, ts_text text)
{
    ts_ctx *ctx = test_ctx_new();
    ts_pattern p;
    ts_code code = ts_pattern_make(&p, ctx, ts_text_of(pattern));
    if (code != TS_OK) {
        fail_msg("%s: %s", pattern, ctx->error.causes[0]);
    }
    bool in = ts_pattern_in(&p, text);
    assert_true(ts_pattern_in(&p, text) == in); /* it can be asked again */
    ts_pattern_free(&p);
    test_ctx_free(ctx);
    return in;
}

/* What is found by them and what is not, as the RegExp of JavaScript with the flag i. */
static void test_found(void **state)
{
    static const struct {
        const char *pattern;
        const char *in;
        const char *not_in;
    } table[] = {
        {"parse", "JSON.Parse", "pars"},
        {" a.b ", "xA.By", "axb"},
        {"/", "a/b", "ab"},
        {"//", "a//b", "a/b"},
        {"/a.b/", "xaxb", "ab"},
        {"/^ab$/", "AB", "xab"},
        {"/^ab$/", "ab", "abc"},
        {"/a|bc|d/", "xbc", "xbx"},
        {"/^(a|bc|d)$/", "d", "bcd"},
        {"/^(?:a|bc)+$/", "abcbca", "abcb"},
        {"/^a*$/", "", "b"},
        {"/^a+$/", "aaa", ""},
        {"/^ab?c$/", "ac", "abbc"},
        {"/^a{2}$/", "aa", "aaa"},
        {"/^a{2,}$/", "aaaa", "a"},
        {"/^a{2,3}$/", "aaa", "aaaa"},
        {"/^a{0,2}$/", "", "aaa"},
        {"/^a{0,}b$/", "aab", "aac"},
        {"/^(ab){2,3}c$/", "ababc", "abc"},
        {"/^(ab){2,3}c$/", "abababc", "ababababc"},
        {"/^(a|b){3}$/", "bab", "ba"},
        {"/^((a|b)c?){2}$/", "acb", "accb"},
        {"/^(|a)b$/", "b", "aab"},
        {"/a{x/", "a{x", "ax"},
        {"/^[a-c]+$/", "AbC", "abd"},
        {"/^[^a-c]+$/", "xyz", "xay"},
        {"/^[-a]+$/", "a-a", "b"},
        {"/^[a\\]]+$/", "a]", "a["},
        {"/^[\\d_]+$/", "1_2", "1a"},
        {"/^[^\\w]$/", "-", "q"},
        {"/^\\d\\D\\w\\W\\s\\S$/", "1aa- a", "aaa- a"},
        {"/^[^]$/", "x", ""},
        {"/x[]|y/", "y", "x"},
        {"/\\bget\\b/", "a.get()", "target"},
        {"/\\Bget/", "target", "a get"},
        {"/^a\\/b\\.c$/", "a/b.c", "a/bxc"},
        {"/^.$/", "\xc3\xa4", "\xc3\xa4z"},
        {"/^[\xc3\xa4-\xc3\xb6]$/", "\xc3\xa5", "a"},
        {"/^a??b+?$/", "abb", "aab"},
        {"/(a*)*b/", "ab", "aa"},
        {"/(a|aa)+$/", "aaa", "b"},
        {"/^(a?){20}a{20}$/", "aaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaa"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (!found(table[i].pattern, ts_text_of(table[i].in))) {
            fail_msg("%s is not found in \"%s\"", table[i].pattern, table[i].in);
        }
        if (found(table[i].pattern, ts_text_of(table[i].not_in))) {
            fail_msg("%s is found in \"%s\"", table[i].pattern, table[i].not_in);
        }
    }
    assert_true(found("/^a.b$/", TS_TEXT_LIT("a\0b")));
    assert_true(found("/^a.b$/", TS_TEXT_LIT("a\xff"
                                             "b")));
    assert_true(found("/^a..b$/", TS_TEXT_LIT("a\xe2\x82"
                                              "b")));
    assert_false(ts_pattern_wanted(TS_TEXT_LIT("  ")));
    assert_false(ts_pattern_wanted(TS_TEXT_NULL));
}

static void refused(const char *pattern, const char *why)
{
    ts_ctx *ctx = test_ctx_new();
    ts_pattern p;
    assert_int_equal(ts_pattern_make(&p, ctx, ts_text_of(pattern)), TS_ERR_USAGE);
    if (strstr(ctx->error.causes[0], why) == NULL) {
        fail_msg("%s: %s", pattern, ctx->error.causes[0]);
    }
    ts_pattern_free(&p);
    test_ctx_free(ctx);
}

static void test_refused(void **state)
{
    char deep[100];
    (void)state;
    refused("/(a/", "not closed");
    refused("/a)/", "not open");
    refused("/[a/", "not closed");
    refused("/*a/", "nothing to repeat");
    refused("/a**/", "nothing to repeat");
    refused("/(|*)/", "nothing to repeat");
    refused("/^+/", "nothing to repeat");
    refused("/a\\/", "backslash");
    refused("/[z-a]/", "backwards");
    refused("/[a-\\d]/", "no end");
    refused("/(a)\\1/", "escape");
    refused("/\\p/", "escape");
    refused("/(?=a)/", "looking ahead");
    refused("/(?<n>a)/", "looking ahead");
    refused("/a{3,2}/", "repetitions");
    refused("/a{201}/", "repetitions");
    refused("/a{99999999999999999999}/", "repetitions");
    refused("/(a{200}){200}/", "too long");
    refused("/((((a{9}){9}){9}){9})/", "too long");
    memset(deep, '(', sizeof deep);
    deep[0] = deep[sizeof deep - 2] = '/';
    deep[sizeof deep - 1] = '\0';
    refused(deep, "in each other");
}

/* Expressions with which others take years: here at most the steps times the characters. */
static void test_time(void **state)
{
    static const char *const patterns[] = {"/(a*)*b/", "/(a+)+$x/", "/(a|a)*b/", "/(a?){100}b/",
                                           "/(.*a){30}b/"};
    static char text[4096];
    struct timespec begun;
    struct timespec now;
    (void)state;
    memset(text, 'a', sizeof text);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        assert_false(found(patterns[i], (ts_text){text, sizeof text}));
    }
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    assert_true(now.tv_sec - begun.tv_sec < 5);
}

static void test_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        test_failing failing = {.fail_at = n};
        ts_pattern p;
        ts_ctx *ctx = test_ctx_new();
        ctx->allocator = test_failing_allocator(&failing);
        ts_code code = ts_pattern_make(&p, ctx, TS_TEXT_LIT("/(a|[b-d]{3})+x/"));
        ts_pattern_free(&p);
        test_ctx_free(ctx);
        if (code == TS_OK) {
            assert_true(n > 5);
            return;
        }
        assert_int_equal(code, TS_ERR_NOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Numbers: which are integers, exact values, any length, any locale; batches of integers. */
#include "json_check.h"

#include <float.h>
#include <locale.h>
#include <math.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

typedef struct number_case {
    const char *text;
    bool is_int;
    int64_t i;
    double d; /* when it is none */
} number_case;

/* Also remembers the text of the last number. */
typedef struct seen {
    size_t n;
    ts_json_number number;
    char text[65];
} seen;

static ts_code see_number(void *user, const ts_json_number *number)
{
    seen *s = user;
    s->n++;
    s->number = *number;
    memcpy(s->text, number->p, number->n);
    s->text[number->n] = '\0';
    return TS_OK;
}

static const ts_json_handler see_handler = {.number = see_number};

/* The number between brackets in blocks of `block` bytes. */
static void read_number(ts_ctx *ctx, seen *s, const char *text, size_t block)
{
    ts_json *js;
    memset(s, 0, sizeof *s);
    assert_ok(ctx, ts_json_new(&js, ctx, &see_handler, s, 0));
    assert_ok(ctx, ts_json_feed(js, "[", 1));
    size_t n = strlen(text);
    for (size_t at = 0; at < n; at += block) {
        assert_ok(ctx, ts_json_feed(js, text + at, n - at < block ? n - at : block));
    }
    assert_ok(ctx, ts_json_feed(js, "]", 1));
    assert_int_equal(ts_json_state(js), TS_JSON_DONE);
    assert_int_equal(s->n, 1);
    ts_json_free(js);
}

static void check_number(ts_ctx *ctx, const number_case *c)
{
    static const size_t blocks[] = {1, 2, 3, 7, 4096};
    for (size_t b = 0; b < COUNT(blocks); b++) {
        seen s;
        read_number(ctx, &s, c->text, blocks[b]);
        if (s.number.is_int != c->is_int || (c->is_int && s.number.i != c->i) ||
            (!c->is_int && memcmp(&s.number.d, &c->d, sizeof c->d) != 0)) {
            print_error("%s: is_int %d, %" PRId64 ", %.17g\n", c->text, s.number.is_int,
                        s.number.is_int ? s.number.i : 0, s.number.d);
            fail();
        }
        if (c->is_int) {
            assert_true(s.number.d == (double)c->i);
        }
        size_t n = strlen(c->text);
        assert_int_equal(strlen(s.text), n < 64 ? n : 64);
        assert_memory_equal(s.text, c->text, strlen(s.text));
    }
}

static const number_case number_cases[] = {
    {"0", true, 0, 0},
    {"-0", true, 0, 0},
    {"-0.0", true, 0, 0},
    {"0e5", true, 0, 0},
    {"0.000e-400", true, 0, 0},
    {"7", true, 7, 0},
    {"-12", true, -12, 0},
    {"5.0", true, 5, 0},
    {"5.000000000000000000000000000000", true, 5, 0},
    {"1e3", true, 1000, 0},
    {"1E+3", true, 1000, 0},
    {"1.25e2", true, 125, 0},
    {"1200e-2", true, 12, 0},
    {"120e-2", false, 0, 1.2},
    {"1e18", true, 1000000000000000000, 0},
    {"1e19", false, 0, 1e19},
    {"0.5", false, 0, 0.5},
    {"-0.5", false, 0, -0.5},
    {"1.5e300", false, 0, 1.5e300},
    {"1e30", false, 0, 1e30},
    {"9007199254740993", true, 9007199254740993, 0},
    {"999999999999999999", true, 999999999999999999, 0},
    {"9223372036854775807", true, INT64_MAX, 0},
    {"-9223372036854775808", true, INT64_MIN, 0},
    {"9223372036854775808", false, 0, 9223372036854775808.0},
    {"-9223372036854775809", false, 0, -9223372036854775808.0},
    {"9.223372036854775807e18", true, INT64_MAX, 0},
    {"9223372036854775807.5", false, 0, 9223372036854775808.0},
    {"18446744073709551616", false, 0, 18446744073709551616.0},
    {"99999999999999999999", false, 0, 1e20},
    {"123456789012345678901234567890", false, 0, 123456789012345678901234567890.0},
    /* rounding: halfway cases of 2^53 + 1, and a digit that decides far behind */
    {"9007199254740993.0000000000000000000000000000000000000000000000000000000000000000000001",
     false, 0, 9007199254740994.0},
    {"9007199254740992.9999999999999999999999999999999999999999999999999999999999999999999999",
     false, 0, 9007199254740992.0},
    {"0.1", false, 0, 0.1},
    {"3.141592653589793238462643383279502884197", false, 0, 3.141592653589793},
    {"1.7976931348623157e308", false, 0, DBL_MAX},
    {"1.7976931348623159e308", false, 0, DBL_MAX},
    {"1e400", false, 0, DBL_MAX},
    {"-1e400", false, 0, -DBL_MAX},
    {"1e99999999999999999999999999", false, 0, DBL_MAX},
    {"1e-99999999999999999999999999", false, 0, 0.0},
    {"5e-324", false, 0, 5e-324},
    {"2.2250738585072014e-308", false, 0, DBL_MIN},
    {"1e-400", false, 0, 0.0},
    {"-1e-400", false, 0, -0.0},
    {"1e22", false, 0, 1e22},
    {"1e23", false, 0, 1e23},
    {"123456789012345e-22", false, 0, 123456789012345e-22},
    {"123456789012345e-23", false, 0, 123456789012345e-23},
};

static void test_values(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    for (size_t i = 0; i < COUNT(number_cases); i++) {
        check_number(ctx, &number_cases[i]);
    }
    test_ctx_free(ctx);
}

static void test_negative_zero(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    static const char *const texts[] = {"-0", "-0.0", "-0e1"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        seen s;
        read_number(ctx, &s, texts[i], 4096);
        assert_true(s.number.is_int && s.number.i == 0 && signbit(s.number.d));
    }
    test_ctx_free(ctx);
}

static char *filled(const char *before, char c, size_t n, const char *after)
{
    size_t b = strlen(before);
    char *text = malloc(b + n + strlen(after) + 1);
    assert_non_null(text);
    memcpy(text, before, b);
    memset(text + b, c, n);
    strcpy(text + b + n, after);
    return text;
}

/* Numbers longer than anything that is kept of them. */
static void test_long_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *before;
        char c;
        size_t n;
        const char *after;
        number_case want;
    } cases[] = {
        {"1", '0', 100, "e-100", {NULL, true, 1, 0}},
        {"12", '0', 5000, "e-5000", {NULL, true, 12, 0}},
        {"0.", '0', 99, "1e100", {NULL, true, 1, 0}},
        {"0.", '0', 4999, "1234e5002", {NULL, false, 0, 123.4}},
        {"0.", '0', 4999, "1234e5003", {NULL, true, 1234, 0}},
        {"1.", '0', 5000, "", {NULL, true, 1, 0}},
        {"1.", '0', 5000, "1", {NULL, false, 0, 1.0}},
        {"1", '0', 5000, "1e-5001", {NULL, false, 0, 1.0}},
        {"9007199254740993.", '0', 5000, "1", {NULL, false, 0, 9007199254740994.0}},
        {"9007199254740993.", '0', 5000, "", {NULL, true, 9007199254740993, 0}},
        {"0.", '3', 5000, "", {NULL, false, 0, 1.0 / 3.0}},
        {"", '9', 300, "", {NULL, false, 0, 1e300}},
        {"", '9', 5000, "", {NULL, false, 0, DBL_MAX}},
        {"", '9', 5000, "e-5000", {NULL, false, 0, 1.0}},
        {"-", '1', 5000, "e-4999", {NULL, false, 0, -1.1111111111111112}},
        {"1e", '0', 5000, "3", {NULL, true, 1000, 0}},
        {"1e-", '9', 5000, "", {NULL, false, 0, 0.0}},
    };
    ts_ctx *ctx = test_ctx_new();
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = filled(cases[i].before, cases[i].c, cases[i].n, cases[i].after);
        number_case c = cases[i].want;
        c.text = text;
        check_number(ctx, &c);
        free(text);
    }
    test_ctx_free(ctx);
}

/* Doubles printed with 17 digits come back as they were, on every path. */
static void test_round_trip(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    uint64_t x = UINT64_C(88172645463325252);
    for (int i = 0; i < 20000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        double d;
        memcpy(&d, &x, sizeof d);
        if (!isfinite(d)) {
            continue;
        }
        char text[64];
        snprintf(text, sizeof text, i % 2 == 0 ? "%.17g" : "%.9g", d);
        double want = strtod(text, NULL);
        seen s;
        read_number(ctx, &s, text, 4096);
        if (isfinite(want)) {
            assert_memory_equal(&s.number.d, &want, sizeof want);
        }
    }
    test_ctx_free(ctx);
}

static void test_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    const char *set = NULL;
    for (size_t i = 0; i < COUNT(names) && set == NULL; i++) {
        set = setlocale(LC_ALL, names[i]);
    }
    if (set == NULL) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    test_values(state);
    setlocale(LC_ALL, "C");
}

/* At top level a number ends with the text, elsewhere it does not. */
static void test_top_level(void **state)
{
    (void)state;
    static const json_case cases[] = {
        {.in = "12", .events = "i12 "},        {.in = "-0", .events = "i0 "},
        {.in = "1.5", .events = "d0x1.8p+0 "}, {.in = "1e3", .events = "i1000 "},
        {.in = "1e3 ", .events = "i1000 "},    {.in = " 0\n", .events = "i0 "},
    };
    json_check_all(cases, COUNT(cases), 0);
}

/* ---- batches ---- */

static void test_odd_elements(void **state)
{
    (void)state;
    static const json_case cases[] = {
        {.in = "[1,2,3]", .events = "[ i1 i2 i3 ] "},
        {.in = "[ 1 ,\n2\t,\r\n3 ]", .events = "[ i1 i2 i3 ] "},
        {.in = "[1,-2,0,-0,3.5,4,5.0,1e3,6]",
         .events = "[ i1 i-2 i0 i0 d0x1.cp+1 i4 i5 i1000 i6 ] "},
        {.in = "[1,\"a\",2,null,3,true,4,false,5]", .events = "[ i1 s\"a\" i2 n i3 t i4 f i5 ] "},
        {.in = "[1,[2,[3],4],5,{\"a\":6,\"b\":[7]},8]",
         .events = "[ i1 [ i2 [ i3 ] i4 ] i5 { k\"a\" i6 k\"b\" [ i7 ] } i8 ] "},
        {.in = "[9223372036854775807,-9223372036854775808,1]",
         .events = "[ i9223372036854775807 i-9223372036854775808 i1 ] "},
        {.in = "[1,9223372036854775808,2]", .events = "[ i1 d0x1p+63 i2 ] "},
        {.in = "[1,100000000000000000000000000000,2]",
         .events = "[ i1 d0x1.431e0fae6d721p+96 i2 ] "},
        {.in = "[1234567,12345678,123456789,1234567890123456,123456789012345678,"
               "1234567890123456789,-1234567,-12345678,-123456789012345678]",
         .events = "[ i1234567 i12345678 i123456789 i1234567890123456 i123456789012345678 "
                   "i1234567890123456789 i-1234567 i-12345678 i-123456789012345678 ] "},
        {.in = "[1\n,2\n,3\n\n,\n4                              ,5                        ]",
         .events = "[ i1 i2 i3 i4 i5 ] "},
        {.in = "[1,2,3,4,5,6,7,8,9,10,11,x,1,2,3,4,5,6,7,8,9,10]",
         .events = "[ i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 ",
         .reason = "expected a value",
         .position = 25},
        {.in = "[1,2,3,4,5,6,7,8,9,10,11:1,2,3,4,5,6,7,8,9,10]",
         .events = "[ i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 ",
         .reason = "expected ',' or ']'",
         .position = 24},
        {.in = "[1,2,3,4,5,6,,7,8,9,10,11,12,13,14,15,16,17,18,19]",
         .events = "[ i1 i2 i3 i4 i5 i6 ",
         .reason = "expected a value",
         .position = 13},
        {.in = "[1,2,3,4,5,6,-,7,8,9,10,11,12,13,14,15,16,17,18,19]",
         .events = "[ i1 i2 i3 i4 i5 i6 ",
         .reason = "expected a digit",
         .position = 14},
        {.in = "[1,2,3,4,5,6,\xB0\xB1,7,8,9,10,11,12,13,14,15,16,17,18,19]",
         .events = "[ i1 i2 i3 i4 i5 i6 ",
         .reason = "expected a value",
         .position = 13},
        {.in = "[1,2,3,4,5,6 7,7,8,9,10,11,12,13,14,15,16,17,18,19]",
         .events = "[ i1 i2 i3 i4 i5 i6 ",
         .reason = "expected ',' or ']'",
         .position = 13},
        {.in = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,]",
         .events = "[ i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12 i13 i14 i15 i16 i17 i18 i19 ",
         .reason = "expected a value",
         .position = 49},
    };
    json_check_all(cases, COUNT(cases), 0);
}

/* Every pair of neighbours out of a list of awkward elements, with awkward separators. */
static void test_neighbours(void **state)
{
    (void)state;
    static const char *const elements[] = {"0",           "-1", "12345678", "1.5",
                                           "10000000000", "-0", "\"x\""};
    static const char *const events[] = {"i0 ",           "i-1 ", "i12345678 ", "d0x1.8p+0 ",
                                         "i10000000000 ", "i0 ",  "s\"x\" "};
    static const char *const commas[] = {",", "\n,", ",\n", " , ", "\t\t\t\t\t\t\t\t\t\t,"};
    ts_ctx *ctx = test_ctx_new();
    for (size_t a = 0; a < COUNT(elements); a++) {
        for (size_t b = 0; b < COUNT(elements); b++) {
            for (size_t s = 0; s < COUNT(commas); s++) {
                char in[512];
                char want[512];
                int n = snprintf(in, sizeof in, "[%s", elements[a]);
                int w = snprintf(want, sizeof want, "[ %s", events[a]);
                for (int i = 0; i < 4; i++) {
                    size_t k = i % 2 == 0 ? b : a;
                    n += snprintf(in + n, sizeof in - (size_t)n, "%s%s", commas[s], elements[k]);
                    w += snprintf(want + w, sizeof want - (size_t)w, "%s", events[k]);
                }
                snprintf(in + n, sizeof in - (size_t)n, "]");
                snprintf(want + w, sizeof want - (size_t)w, "] ");
                json_case c = {.in = in, .events = want};
                json_check(ctx, &c, 0);
            }
        }
    }
    test_ctx_free(ctx);
}

/* Appends to a text of known room; returns its new length. */
static size_t append(char *text, size_t n, const char *more)
{
    memcpy(text + n, more, strlen(more) + 1);
    return n + strlen(more);
}

static const struct {
    const char *element; /* instead of "5," */
    const char *events;
    const char *reason; /* of an error at offset `bad` of the element */
    size_t bad;
} odd_elements[] = {
    {"9223372036854775807,", "i9223372036854775807 ", NULL, 0},
    {"9223372036854775808,", "d0x1p+63 ", NULL, 0},
    {"9999999999999999999,", "d0x1.158e460913dp+63 ", NULL, 0},
    {"999999999999999999,", "i999999999999999999 ", NULL, 0},
    {"12345678,", "i12345678 ", NULL, 0},
    {"-0,", "i0 ", NULL, 0},
    {"-123456789012345678,", "i-123456789012345678 ", NULL, 0},
    {"7        ,", "i7 ", NULL, 0},
    {"7                                                                            ,", "i7 ", NULL,
     0},
    {"7,                                                                           ", "i7 ", NULL,
     0},
    {"1234567890123 , \n", "i1234567890123 ", NULL, 0},
    {"null,", "n ", NULL, 0},
    {"0.5,", "d0x1p-1 ", NULL, 0},
    {"1e2,", "i100 ", NULL, 0},
    {"[],", "[ ] ", NULL, 0},
    {"05,", "", "a number with a superfluous leading zero", 1},
    {"01234567,", "", "a number with a superfluous leading zero", 1},
    {"0123456789,", "", "a number with a superfluous leading zero", 1},
    {"-05,", "", "a number with a superfluous leading zero", 2},
    {"-,", "", "expected a digit", 1},
    {"--5,", "", "expected a digit", 1},
    {",", "", "expected a value", 0},
    {"+5,", "", "expected a value", 0},
    {"5 5,", "i5 ", "expected ',' or ']'", 2},
    {"5;", "i5 ", "expected ',' or ']'", 1},
    {"5-5,", "i5 ", "expected ',' or ']'", 1},
    {"5\f,", "i5 ", "expected ',' or ']'", 1},
    {"\f5,", "", "expected a value", 0},
    {"\xB5,", "", "expected a value", 0},
};

/* One awkward element, with what stands around it, at every place of a long run of small numbers.
 */
static void test_in_long_runs(void **state)
{
    (void)state;
    enum { ELEMENTS = 100 };
    ts_ctx *ctx = test_ctx_new();
    for (size_t k = 0; k < COUNT(odd_elements); k++) {
        for (size_t place = 1; place < ELEMENTS; place += 1 + place / 40 * 7) {
            char in[4 * ELEMENTS] = "[";
            char want[4 * ELEMENTS] = "[ ";
            json_case c = {.in = in, .events = want, .reason = odd_elements[k].reason};
            size_t n = 1;
            size_t w = 2;
            for (size_t i = 0; i < ELEMENTS; i++) {
                if (i == place) {
                    c.position = n + odd_elements[k].bad;
                    w = append(want, w, odd_elements[k].events);
                }
                n = append(in, n, i == place ? odd_elements[k].element : "5,");
                if (i < place || (i > place && c.reason == NULL)) {
                    w = append(want, w, "i5 ");
                }
            }
            append(in, n, "5]");
            append(want, w, c.reason == NULL ? "i5 ] " : "");
            json_check(ctx, &c, 0);
        }
    }
    test_ctx_free(ctx);
}

/* Integers come in batches again after an element of another kind, and only in arrays. */
static void test_batches_after_nested(void **state)
{
    (void)state;
    static const char text[] = "{\"x\":[1,2,[3,4],5,{\"a\":6},7,\"b\",8,0.5,9]}";
    ts_ctx *ctx = test_ctx_new();
    json_events ev = {.want_ints = true};
    ts_json *js;
    assert_ok(ctx, ts_json_new(&js, ctx, &json_events_handler, &ev, 0));
    assert_ok(ctx, ts_json_feed(js, text, strlen(text)));
    assert_int_equal(ts_json_state(js), TS_JSON_DONE);
    assert_int_equal(ev.batches, 6);
    assert_int_equal(ev.numbers, 2); /* 6 and 0.5 */
    /* after a reset in the middle of such an array too */
    ts_json_reset(js);
    assert_ok(ctx, ts_json_feed(js, "[1,", 3));
    ts_json_reset(js);
    ev.batches = ev.numbers = 0;
    assert_ok(ctx, ts_json_feed(js, "7 ", 2));
    assert_int_equal(ev.batches, 0);
    assert_int_equal(ev.numbers, 1);
    ts_json_free(js);
    free(ev.text);
    test_ctx_free(ctx);
}

/* Long runs come in few calls, and nothing complete is kept back at the end of a feed. */
static void test_batches(void **state)
{
    (void)state;
    enum { VALUES = 10000 };
    ts_ctx *ctx = test_ctx_new();
    char *text = malloc(VALUES * 8);
    char *want = malloc(VALUES * 8);
    assert_non_null(text);
    assert_non_null(want);
    size_t n = (size_t)snprintf(text, 8, "[");
    size_t w = (size_t)snprintf(want, 8, "[ ");
    for (int i = 0; i < VALUES; i++) {
        n += (size_t)snprintf(text + n, 8, "%s%d", i == 0 ? "" : i % 7 == 0 ? "\n," : ",", i);
        w += (size_t)snprintf(want + w, 8, "i%d ", i);
    }
    json_events ev = {.want_ints = true};
    ts_json *js;
    assert_ok(ctx, ts_json_new(&js, ctx, &json_events_handler, &ev, 0));
    assert_ok(ctx, ts_json_feed(js, text, n));
    /* the last number may go on */
    assert_int_equal(ev.n, w - strlen("i9999 "));
    assert_memory_equal(ev.text, want, ev.n);
    assert_true(ev.batches <= VALUES / 1024 + 1);
    assert_int_equal(ev.numbers, 0);
    assert_ok(ctx, ts_json_feed(js, "]", 1));
    snprintf(want + w, 8, "] ");
    assert_string_equal(ev.text, want);
    ts_json_free(js);
    free(ev.text);
    memcpy(text + n, "]", 2);
    json_case c = {.in = text, .events = want};
    json_check(ctx, &c, 0);
    free(text);
    free(want);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),       cmocka_unit_test(test_negative_zero),
        cmocka_unit_test(test_long_numbers), cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_locale),       cmocka_unit_test(test_top_level),
        cmocka_unit_test(test_odd_elements), cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_in_long_runs), cmocka_unit_test(test_batches_after_nested),
        cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

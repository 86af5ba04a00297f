/* Reading JSON by a table: places, numbers with their flags, what is odd, what is passed over. */
#include "support.h"

#include "json/json_fields.h"

#include <stddef.h>
#include <stdio.h>

enum { TOP = 1, PART, PARTS, RUN, ANY };

typedef struct part {
    uint32_t has;
    int64_t size;
    int32_t line;
    int64_t id;
} part;

typedef struct seen {
    ts_json_place in;
    part part;
    bool refuse; /* lists */
    char log[1024];
    size_t n;
} seen;

__attribute__((format(printf, 2, 3))) static void note(seen *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    s->n += (size_t)vsnprintf(s->log + s->n, sizeof s->log - s->n, fmt, ap);
    va_end(ap);
    assert_true(s->n < sizeof s->log);
}

static const ts_json_field fields[] = {
    {0, TS_JSON_OBJECT, .to = TOP},
    {TOP, TS_JSON_OBJECT, .key = "part", .to = PART},
    {TOP, TS_JSON_LIST, .key = "parts", .to = PARTS},
    {TOP, TS_JSON_LIST, .key = "run", .to = RUN, .ints = true},
    {TOP, TS_JSON_OBJECT, .key = "any", .to = ANY},
    {PARTS, TS_JSON_OBJECT, .to = PART},
    {PART, TS_JSON_SIZE, .key = "size", .offset = offsetof(part, size), .flag = 1},
    {PART, TS_JSON_INT32, .key = "line", .offset = offsetof(part, line), .flag = 2},
    {PART, TS_JSON_INT | TS_JSON_TEXT, .key = "id", .offset = offsetof(part, id), .flag = 4},
    {RUN, .kinds = TS_JSON_NUMBER},
    {ANY, TS_JSON_NUMBER, .key = "one"},
    {ANY, TS_JSON_NUMBER | TS_JSON_TEXT, .key = "*"},
};

static ts_code on_begin(void *user, bool *take, unsigned place)
{
    seen *s = user;
    *take = !s->refuse || (place != PARTS && place != RUN);
    s->part = place == PART ? (part){0} : s->part;
    note(s, "<%u", place);
    return TS_OK;
}

static ts_code on_end(void *user, unsigned place)
{
    seen *s = user;
    if (place == PART) {
        note(s, "[%u %d %d %d]", s->part.has, (int)s->part.size, s->part.line, (int)s->part.id);
    }
    note(s, "%u>%u", place, s->in.at);
    return TS_OK;
}

static void *target(uint32_t **flags, void *user)
{
    seen *s = user;
    *flags = &s->part.has;
    return &s->part;
}

static ts_code on_number(void *user, const ts_json_number *number)
{
    seen *s = user;
    note(s, "n%.*s", (int)number->n, number->p);
    if (s->in.at == ANY) {
        note(s, "(%.*s)", (int)s->in.key.n, s->in.key.p == NULL ? "" : s->in.key.p);
    }
    return TS_OK;
}

static ts_code on_text(void *user, const char *p, size_t n, unsigned flags)
{
    seen *s = user;
    note(s, (flags & TS_JSON_FIRST) != 0 ? "t%.*s" : "%.*s", (int)n, p);
    return TS_OK;
}

static ts_code on_ints(void *user, const int64_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        note(user, "i%d", (int)v[i]);
    }
    return TS_OK;
}

static ts_code on_odd(void *user, unsigned kind)
{
    const seen *s = user;
    note(user, "odd%u@%u%s", kind, s->in.at, s->in.field == NULL ? "?" : "");
    return TS_OK;
}

static const ts_json_table table = {
    .fields = fields,
    .count = sizeof fields / sizeof fields[0],
    .begin = on_begin,
    .end = on_end,
    .target = target,
    .number = on_number,
    .text = on_text,
    .ints = on_ints,
    .odd = on_odd,
};

/* The same with blocks of every size. */
static void read_text(const ts_json_table *by, const char *text, bool refuse, const char *expected)
{
    ts_ctx *ctx = test_ctx_new();
    for (size_t block = 1; block <= strlen(text); block++) {
        seen s = {.in = {.table = by, .user = &s, .ctx = ctx}, .refuse = refuse};
        ts_json *js = NULL;
        ts_json_place_begin(&s.in);
        assert_int_equal(ts_json_new(&js, ctx, &ts_json_by_table, &s.in, 0), TS_OK);
        for (size_t at = 0; at < strlen(text); at += block) {
            size_t n = strlen(text) - at < block ? strlen(text) - at : block;
            assert_int_equal(ts_json_feed(js, text + at, n), TS_OK);
        }
        assert_int_equal(ts_json_finish(js), TS_OK);
        assert_int_equal(ts_json_state(js), TS_JSON_DONE);
        assert_string_equal(s.log, expected);
        ts_json_free(js);
        ts_json_place_free(&s.in);
    }
    test_ctx_free(ctx);
}

static void test_members(void **state)
{
    (void)state;
    read_text(&table, "{\"part\":{\"size\":5,\"line\":-2,\"id\":7}}", false,
              "<1<2[7 5 -2 7]2>11>0");
    read_text(&table, "{\"parts\":[{\"id\":\"ab\"},{\"line\":1}]}", false,
              "<1<3<2tab[0 0 0 0]2>3<2[2 0 1 0]2>33>11>0");
    read_text(&table, "{\"run\":[1,2.5],\"any\":{\"one\":1,\"b\":2,\"c\":\"x\"}}", false,
              "<1<4i1n2.54>1<5n1()n2(b)tx5>11>0");
}

/* What is no member of the table goes by with all that is in it. */
static void test_unknown(void **state)
{
    (void)state;
    read_text(&table, "{\"x\":{\"part\":{\"size\":1},\"y\":[[1]]},\"part\":{\"z\":[2]}}", false,
              "<1odd1@1?<2odd2@2?[0 0 0 0]2>11>0");
    read_text(&table, "[{\"part\":{}}]", false, "odd2@0");
    read_text(&table, "{\"z\":1,\"y\":\"t\",\"x\":null}", false, "<1odd32@1?odd64@1?odd128@1?1>0");
}

static void test_odd_values(void **state)
{
    (void)state;
    read_text(&table, "{\"part\":{\"size\":-1,\"line\":2147483648,\"id\":1.5,\"id\":true}}", false,
              "<1<2odd32@2odd32@2odd32@2odd128@2[0 0 0 0]2>11>0");
    read_text(&table, "{\"part\":[3],\"parts\":{\"size\":1},\"run\":\"x\"}", false,
              "<1odd2@1odd1@1odd64@11>0");
    read_text(&table, "{\"parts\":[1,\"a\",[2],null,{}]}", false,
              "<1<3odd32@3odd64@3odd2@3odd128@3<2[0 0 0 0]2>33>11>0");
    read_text(&table, "{\"parts\":[{}],\"run\":[1]}", true, "<1<3odd2@1<4odd2@11>0");
}

static void test_all_texts(void **state)
{
    (void)state;
    ts_json_table all = table;
    all.all_texts = true;
    read_text(&all, "{\"z\":\"a\",\"parts\":[\"b\"],\"y\":[\"c\"]}", false,
              "<1ta<3tb3>1odd2@1?1>0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_odd_values),
        cmocka_unit_test(test_all_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

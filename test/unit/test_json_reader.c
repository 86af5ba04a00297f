/* The reader as an object: depth, handlers, errors, reset, positions, memory. */
#include "json_check.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char sample[] =
    "{\"a\":[1,2,3],\"b\":\"x\\ny\",\"c\":{\"d\":[true,null,1.5]},\"e\":[[],{}]}";
static const char sample_events[] =
    "{ k\"a\" [ i1 i2 i3 ] k\"b\" s\"x\\0Ay\" k\"c\" { k\"d\" [ t n d0x1.8p+0 ] } "
    "k\"e\" [ [ ] { } ] } ";

/* ---- depth ---- */

typedef struct depths {
    ts_json *reader;
    uint64_t begun;
    uint64_t ended;
    uint64_t deepest;
    bool wrong;
} depths;

static ts_code count_begin(void *user, int *want)
{
    depths *d = user;
    (void)want;
    d->begun++;
    uint64_t depth = ts_json_depth(d->reader);
    d->deepest = depth > d->deepest ? depth : d->deepest;
    d->wrong |= depth != d->begun - d->ended;
    return TS_OK;
}

static ts_code count_object(void *user)
{
    int want;
    return count_begin(user, &want);
}

static ts_code count_end(void *user)
{
    depths *d = user;
    d->ended++;
    d->wrong |= ts_json_depth(d->reader) != d->begun - d->ended;
    return TS_OK;
}

static const ts_json_handler count_handler = {.array_begin = count_begin,
                                              .array_end = count_end,
                                              .object_begin = count_object,
                                              .object_end = count_end};

/* `levels` nested arrays and objects, by turns. */
static void feed_nested(ts_ctx *ctx, ts_json *js, uint64_t levels)
{
    static const char both[] = "[{\"a\":";
    for (uint64_t i = 0; i < levels; i += 2) {
        assert_ok(ctx, ts_json_feed(js, both, i + 1 == levels ? 1 : strlen(both)));
    }
    if (levels % 2 == 0) {
        assert_ok(ctx, ts_json_feed(js, "1", 1));
    }
    for (uint64_t i = levels; i > 0; i--) {
        assert_ok(ctx, ts_json_feed(js, i % 2 == 0 ? "}" : "]", 1));
    }
    assert_ok(ctx, ts_json_finish(js));
}

static void test_depth(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    assert_int_equal(ctx->limits.json_depth, 10000000);
    depths d = {.reader = NULL};
    assert_ok(ctx, ts_json_new(&d.reader, ctx, &count_handler, &d, 0));
    feed_nested(ctx, d.reader, 10000000);
    assert_int_equal(ts_json_state(d.reader), TS_JSON_DONE);
    assert_int_equal(d.begun, 10000000);
    assert_int_equal(d.ended, 10000000);
    assert_int_equal(d.deepest, 10000000);
    assert_false(d.wrong);
    assert_int_equal(ts_json_depth(d.reader), 0);
    /* less than one byte a level */
    assert_true(ctx->memory_peak < 10000000);
    ts_json_reset(d.reader);
    feed_nested(ctx, d.reader, 10000002);
    assert_int_equal(ts_json_state(d.reader), TS_JSON_BAD);
    assert_string_equal(ts_json_reason(d.reader), "nested too deep");
    assert_int_equal(ts_json_position(d.reader), 10000000 / 2 * strlen("[{\"a\":"));
    ts_json_free(d.reader);
    test_ctx_free(ctx);
}

static void test_depth_limit(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    ctx->limits.json_depth = 1000;
    for (uint64_t levels = 999; levels <= 1001; levels++) {
        depths d = {.reader = NULL};
        assert_ok(ctx, ts_json_new(&d.reader, ctx, &count_handler, &d, 0));
        feed_nested(ctx, d.reader, levels);
        if (levels <= 1000) {
            assert_int_equal(ts_json_state(d.reader), TS_JSON_DONE);
        } else {
            assert_int_equal(ts_json_state(d.reader), TS_JSON_BAD);
            assert_string_equal(ts_json_reason(d.reader), "nested too deep");
            assert_int_equal(d.begun, 1000);
        }
        ts_json_free(d.reader);
    }
    /* a million brackets: what follows the limit is not even looked at */
    enum { MANY = 1000000 };
    char *text = malloc(MANY);
    assert_non_null(text);
    memset(text, '[', MANY);
    depths d = {.reader = NULL};
    assert_ok(ctx, ts_json_new(&d.reader, ctx, &count_handler, &d, 0));
    assert_ok(ctx, ts_json_feed(d.reader, text, MANY));
    assert_int_equal(ts_json_position(d.reader), 1000);
    assert_ok(ctx, ts_json_feed(d.reader, text, MANY));
    assert_int_equal(ts_json_position(d.reader), 1000);
    assert_ok(ctx, ts_json_finish(d.reader));
    assert_int_equal(d.begun, 1000);
    free(text);
    ts_json_free(d.reader);
    test_ctx_free(ctx);
}

/* ---- handlers ---- */

static void test_no_handlers(void **state)
{
    (void)state;
    static const ts_json_handler none = {.string = NULL};
    ts_ctx *ctx = test_ctx_new();
    ts_json *js;
    assert_ok(ctx, ts_json_new(&js, ctx, &none, NULL, 0));
    assert_ok(ctx, json_events_feed(js, sample, strlen(sample), 3));
    assert_int_equal(ts_json_state(js), TS_JSON_DONE);
    ts_json_free(js);
    test_ctx_free(ctx);
}

static ts_code ask_for_ints(void *user, int *want)
{
    (void)user;
    *want = TS_JSON_WANT_INTS;
    return TS_OK;
}

static ts_code count_number(void *user, const ts_json_number *number)
{
    *(int64_t *)user += number->i;
    return TS_OK;
}

/* Who asks for batches without a call for them gets numbers. */
static void test_ints_without_call(void **state)
{
    (void)state;
    static const ts_json_handler handler = {.array_begin = ask_for_ints, .number = count_number};
    ts_ctx *ctx = test_ctx_new();
    ts_json *js;
    int64_t sum = 0;
    assert_ok(ctx, ts_json_new(&js, ctx, &handler, &sum, 0));
    assert_ok(ctx, json_events_feed(js, "[1,2,3]", 7, 100));
    assert_int_equal(sum, 6);
    ts_json_free(js);
    test_ctx_free(ctx);
}

/* Each call fails in turn: the feed gives its code, nothing more is called, the reader stays dead.
 */
static void check_failing_call(ts_ctx *ctx, size_t fail_at, size_t block, bool want_ints)
{
    json_events ev = {.want_ints = want_ints, .fail_at = fail_at, .fail_code = TS_ERR_OUTPUT};
    ts_json *js;
    assert_ok(ctx, ts_json_new(&js, ctx, &json_events_handler, &ev, 0));
    assert_int_equal(json_events_feed(js, sample, strlen(sample), block), TS_ERR_OUTPUT);
    assert_int_equal(ev.calls, fail_at);
    uint64_t position = ts_json_position(js);
    assert_true(position > 0 && position <= strlen(sample));
    assert_int_equal(ts_json_feed(js, "1", 1), TS_ERR_OUTPUT);
    assert_int_equal(ts_json_finish(js), TS_ERR_OUTPUT);
    assert_int_equal(ev.calls, fail_at);
    assert_int_equal(ts_json_position(js), position);
    /* what came before is a prefix */
    size_t n = ev.n;
    assert_true(n < strlen(sample_events));
    assert_memory_equal(ev.text == NULL ? "" : ev.text, sample_events, n);
    /* and a reset makes it usable again */
    ts_json_reset(js);
    ev.n = 0;
    ev.fail_at = 0;
    ev.open = false;
    assert_ok(ctx, json_events_feed(js, sample, strlen(sample), block));
    assert_string_equal(ev.text, sample_events);
    assert_int_equal(ts_json_position(js), strlen(sample));
    ts_json_free(js);
    free(ev.text);
}

static void test_failing_calls(void **state)
{
    (void)state;
    static const size_t blocks[] = {1, 2, 3, 7, 4096};
    ts_ctx *ctx = test_ctx_new();
    for (size_t b = 0; b < COUNT(blocks); b++) {
        for (int want_ints = 0; want_ints < 2; want_ints++) {
            json_events ev = {.want_ints = want_ints != 0};
            ts_json *js;
            assert_ok(ctx, ts_json_new(&js, ctx, &json_events_handler, &ev, 0));
            assert_ok(ctx, json_events_feed(js, sample, strlen(sample), blocks[b]));
            assert_string_equal(ev.text, sample_events);
            size_t calls = ev.calls;
            ts_json_free(js);
            free(ev.text);
            for (uint64_t k = 1; k <= calls; k++) {
                check_failing_call(ctx, (size_t)k, blocks[b], want_ints != 0);
            }
        }
    }
    test_ctx_free(ctx);
}

/* The call that comes at the very end fails too: a number that finish completes. */
static void test_failing_finish(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    json_events ev = {.fail_at = 1, .fail_code = TS_ERR_LIMIT};
    ts_json *js;
    assert_ok(ctx, ts_json_new(&js, ctx, &json_events_handler, &ev, 0));
    assert_ok(ctx, ts_json_feed(js, "12", 2));
    assert_int_equal(ts_json_finish(js), TS_ERR_LIMIT);
    assert_int_equal(ts_json_feed(js, " ", 1), TS_ERR_LIMIT);
    ts_json_free(js);
    free(ev.text);
    test_ctx_free(ctx);
}

/* ---- state ---- */

static void test_reset(void **state)
{
    (void)state;
    static const char *const unfinished[] = {
        "\xEF\xBB", "{",      "{\"k",     "{\"k\":",      "[1",   "[1.5e",
        "[\"ab",    "[\"a\\", "[\"\\uD8", "[\"\\uD83D",   "[tr",  "[\"a\xF0\x9F",
        "[1,2,3,",  "[1}",    "1 2",      "[\"\\n\\n\\n", "[[{}",
    };
    ts_ctx *ctx = test_ctx_new();
    json_events ev = {.want_ints = true};
    ts_json *js;
    assert_ok(ctx, ts_json_new(&js, ctx, &json_events_handler, &ev, 0));
    for (size_t i = 0; i < COUNT(unfinished); i++) {
        assert_ok(ctx, ts_json_feed(js, unfinished[i], strlen(unfinished[i])));
        ts_json_reset(js);
        assert_int_equal(ts_json_state(js), TS_JSON_MORE);
        assert_int_equal(ts_json_position(js), 0);
        assert_int_equal(ts_json_depth(js), 0);
        assert_int_equal(ts_json_replaced(js), 0);
        assert_null(ts_json_reason(js));
        ev.n = 0;
        ev.open = false;
        assert_ok(ctx, json_events_feed(js, sample, strlen(sample), 5));
        assert_int_equal(ts_json_state(js), TS_JSON_DONE);
        assert_string_equal(ev.text, sample_events);
        ts_json_reset(js);
    }
    assert_false(ev.wrong);
    ts_json_free(js);
    free(ev.text);
    test_ctx_free(ctx);
}

static void test_done_and_more(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    json_events ev = {.text = NULL};
    ts_json *js;
    assert_ok(ctx, ts_json_new(&js, ctx, &json_events_handler, &ev, 0));
    assert_int_equal(ts_json_state(js), TS_JSON_MORE);
    assert_ok(ctx, ts_json_feed(js, "[1", 2));
    assert_int_equal(ts_json_state(js), TS_JSON_MORE);
    assert_ok(ctx, ts_json_feed(js, "]", 1));
    assert_int_equal(ts_json_state(js), TS_JSON_DONE);
    assert_ok(ctx, ts_json_feed(js, " \n", 2));
    assert_ok(ctx, ts_json_feed(js, "", 0));
    assert_ok(ctx, ts_json_finish(js));
    assert_ok(ctx, ts_json_finish(js));
    assert_int_equal(ts_json_state(js), TS_JSON_DONE);
    assert_int_equal(ts_json_position(js), 5);
    assert_ok(ctx, ts_json_feed(js, " }", 2));
    assert_int_equal(ts_json_state(js), TS_JSON_BAD);
    assert_int_equal(ts_json_position(js), 6);
    assert_ok(ctx, ts_json_finish(js));
    assert_int_equal(ts_json_position(js), 6);
    assert_string_equal(ts_json_reason(js), "text after the end of the document");
    assert_string_equal(ev.text, "[ i1 ] ");
    ts_json_free(js);
    free(ev.text);
    test_ctx_free(ctx);
}

/* In a call the position is the byte after the item, whatever the blocks; that is how a reader's
 * user finds the text of a value again. */
static void test_positions_in_calls(void **state)
{
    (void)state;
    static const char text[] = "{\"key\" : [12 ,true], \"b\":\"\\n\", \"c\":1.5}";
    static const char want[] =
        "{ @1 k\"key\" @6 [ @10 i12 @12 t @18 ] @19 k\"b\" @24 s\"\\0A\" @29 "
        "k\"c\" @34 d0x1.8p+0 @38 } @39 ";
    static const size_t blocks[] = {1, 2, 3, 7, 4096};
    ts_ctx *ctx = test_ctx_new();
    for (size_t b = 0; b < COUNT(blocks); b++) {
        json_events ev = {.text = NULL};
        assert_ok(ctx, ts_json_new(&ev.reader, ctx, &json_events_handler, &ev, 0));
        assert_ok(ctx, json_events_feed(ev.reader, text, strlen(text), blocks[b]));
        assert_string_equal(ev.text, want);
        ts_json_free(ev.reader);
        free(ev.text);
    }
    test_ctx_free(ctx);
}

/* What stands before an error is reported before the state says so. */
static void test_error_after_calls(void **state)
{
    (void)state;
    static const char *const texts[] = {"[1,2,3,x]", "[\"a\\nb\n\"]", "[\"a\\n\\x\"]"};
    ts_ctx *ctx = test_ctx_new();
    for (size_t i = 0; i < COUNT(texts); i++) {
        json_events ev = {.want_ints = true};
        assert_ok(ctx, ts_json_new(&ev.reader, ctx, &json_events_handler, &ev, 0));
        assert_ok(ctx, ts_json_feed(ev.reader, texts[i], strlen(texts[i])));
        assert_int_equal(ts_json_state(ev.reader), TS_JSON_BAD);
        assert_int_equal(ev.calls, 2);
        assert_false(ev.wrong);
        ts_json_free(ev.reader);
        free(ev.text);
    }
    test_ctx_free(ctx);
}

/* Every prefix of a document gives a prefix of its events, and is incomplete. */
static void test_prefixes(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    for (size_t n = 0; n < strlen(sample); n++) {
        for (int want_ints = 0; want_ints < 2; want_ints++) {
            json_events ev = {.want_ints = want_ints != 0};
            ts_json *js;
            assert_ok(ctx, ts_json_new(&js, ctx, &json_events_handler, &ev, 0));
            assert_ok(ctx, json_events_feed(js, sample, n, 4096));
            assert_int_equal(ts_json_state(js), TS_JSON_BAD);
            assert_int_equal(ts_json_position(js), n);
            assert_true(ev.n < strlen(sample_events));
            assert_memory_equal(ev.text == NULL ? "" : ev.text, sample_events, ev.n);
            ts_json_free(js);
            free(ev.text);
        }
    }
    test_ctx_free(ctx);
}

/* ---- memory ---- */

/* Deep enough that the stack of levels grows more than once. */
static ts_code run_deep(ts_ctx *ctx, bool *complete)
{
    enum { LEVELS = 2000 };
    static const ts_json_handler none = {.string = NULL};
    char text[2 * LEVELS];
    memset(text, '[', LEVELS);
    memset(text + LEVELS, ']', LEVELS);
    ts_json *js;
    ts_code code = ts_json_new(&js, ctx, &none, NULL, 0);
    if (code != TS_OK) {
        assert_null(js);
        return code;
    }
    code = ts_json_feed(js, text, sizeof text);
    if (code != TS_OK) {
        assert_int_equal(ts_json_feed(js, "[", 1), code);
        assert_int_equal(ts_json_finish(js), code);
    }
    *complete = ts_json_state(js) == TS_JSON_DONE;
    ts_json_free(js);
    return code;
}

static void test_out_of_memory(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    test_failing f = {0};
    ctx->allocator = test_failing_allocator(&f);
    bool complete = false;
    assert_ok(ctx, run_deep(ctx, &complete));
    assert_true(complete);
    uint64_t calls = f.calls;
    assert_true(calls >= 4);
    for (uint64_t k = 1; k <= calls; k++) {
        f.calls = 0;
        f.fail_at = k;
        assert_int_equal(run_deep(ctx, &complete), TS_ERR_NOMEM);
        assert_int_equal(ctx->memory_used, 0);
    }
    ts_json_free(NULL);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_depth_limit),
        cmocka_unit_test(test_no_handlers),
        cmocka_unit_test(test_ints_without_call),
        cmocka_unit_test(test_failing_calls),
        cmocka_unit_test(test_failing_finish),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_done_and_more),
        cmocka_unit_test(test_positions_in_calls),
        cmocka_unit_test(test_error_after_calls),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Views that take long: progress, one reply for several requests, failures, and the end. */
#include "serve_app.h"

#include <time.h>

static atomic_int runs;
static atomic_bool go_on;
static ts_code result;

static void nap(void)
{
    const struct timespec t = {0, 5 * 1000 * 1000};
    (void)nanosleep(&t, NULL);
}

static ts_code slow_view(ts_view_call *call)
{
    (void)atomic_fetch_add(&runs, 1);
    call->progress.report(call->progress.user, "reading rows", 3, 4);
    while (!atomic_load(&go_on) && !ts_guard_ended(call->guard)) {
        nap();
    }
    if (ts_guard_ended(call->guard)) {
        return ts_guard_check(call->guard, ts_view_db_ctx(call->views));
    }
    ts_jout_open(call->out, NULL, '{');
    ts_jout_int(call->out, "n", call->args->values[0].number);
    ts_jout_close(call->out, '}');
    return result == TS_OK ? TS_OK : ts_fail(ts_view_db_ctx(call->views), result, "no such thing");
}

static const ts_view_param params[] = {
    {.name = "n", .type = TS_VIEW_INT, .least = 0, .most = 100},
    {.name = NULL},
};
static const ts_endpoint endpoint = {"slow", "a view", params, slow_view};

static void ask(ts_reply *reply, test_app *a, ts_ctx *ctx, const char *etag)
{
    static const ts_arg args[] = {{"db", TS_TEXT_LIT("a.db")}, {"n", TS_TEXT_LIT("7")}};
    const ts_request r = {.args = args, .arg_count = 2, .client = -1};
    *reply = (ts_reply){0};
    assert_ok(ctx, ts_view_jobs_answer(reply, a->app.views, ctx, &endpoint, 0, etag, &r));
}

static void expect(test_app *a, const char *etag, int status, const char *text)
{
    ts_ctx ctx = *a->ctx;
    ts_reply reply;
    ask(&reply, a, &ctx, etag);
    assert_int_equal(reply.status, status);
    ts_text body = reply.fixed.p != NULL ? reply.fixed : ts_buf_text(&reply.body);
    assert_int_equal(body.n, strlen(text));
    assert_memory_equal(body.p, text, body.n);
    ts_reply_free(&reply, &ctx);
}

static void test_progress(void **state)
{
    (void)state;
    test_app *a = test_app_new();
    atomic_store(&go_on, false);
    atomic_store(&runs, 0);
    result = TS_OK;
    int64_t begun = ts_guard_now();
    expect(a, "\"1\"", 202, "{\"progress\":0.75,\"what\":\"reading rows\"}");
    assert_true(ts_guard_now() - begun >= (int64_t)TS_VIEW_WAIT_MS * 1000000);
    expect(a, "\"2\"", 202, "{\"progress\":0.0,\"what\":\"waiting for other views\"}");
    expect(a, "\"1\"", 202, "{\"progress\":0.75,\"what\":\"reading rows\"}");
    atomic_store(&go_on, true);
    expect(a, "\"1\"", 200, "{\"n\":7}");
    expect(a, "\"2\"", 200, "{\"n\":7}");
    expect(a, "\"1\"", 200, "{\"n\":7}");
    assert_int_equal(atomic_load(&runs), 2);
    test_app_free(a);
}

/* A failure is answered once and not kept. */
static void test_failure(void **state)
{
    static const struct {
        ts_code code;
        int status;
        const char *text;
    } table[] = {
        {TS_ERR_USAGE, 400, "{\"error\":{\"code\":\"bad_request\",\"message\":\"no such thing\"}}"},
        {TS_ERR_INPUT, 500, "{\"error\":{\"code\":\"damaged\",\"message\":\"no such thing\"}}"},
        {TS_ERR_LIMIT, 413, "{\"error\":{\"code\":\"too_large\",\"message\":\"no such thing\"}}"},
    };
    (void)state;
    test_app *a = test_app_new();
    atomic_store(&go_on, true);
    for (size_t i = 0; i < 3; i++) {
        result = table[i].code;
        expect(a, "\"1\"", table[i].status, table[i].text);
    }
    result = TS_OK;
    expect(a, "\"1\"", 200, "{\"n\":7}");
    test_app_free(a);
}

/* What runs is ended with the server, and the rest is refused. */
static void test_stop(void **state)
{
    (void)state;
    test_app *a = test_app_new();
    atomic_store(&go_on, false);
    expect(a, "\"1\"", 202, "{\"progress\":0.75,\"what\":\"reading rows\"}");
    int64_t begun = ts_guard_now();
    ts_view_jobs_stop(a->app.views);
    expect(a, "\"2\"", 503,
           "{\"error\":{\"code\":\"busy\",\"message\":\"too many views are being made\"}}");
    test_app_free(a);
    assert_true(ts_guard_now() - begun < INT64_C(1000000000));
}

/* More replies than are kept: the oldest make room. */
static void test_many(void **state)
{
    (void)state;
    test_app *a = test_app_new();
    char etag[16];
    atomic_store(&go_on, true);
    atomic_store(&runs, 0);
    for (int i = 0; i < TS_VIEW_JOBS + 50; i++) {
        (void)snprintf(etag, sizeof etag, "\"%d\"", i);
        expect(a, etag, 200, "{\"n\":7}");
    }
    expect(a, etag, 200, "{\"n\":7}");
    assert_int_equal(atomic_load(&runs), TS_VIEW_JOBS + 50);
    expect(a, "\"0\"", 200, "{\"n\":7}");
    assert_int_equal(atomic_load(&runs), TS_VIEW_JOBS + 51);
    test_app_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

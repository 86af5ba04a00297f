/* Requests and their replies, without HTTP. */
#include "serve_app.h"

#include <sys/stat.h>

/* The arguments of "path?name=value&name=value", which are cut up in `copy`. */
static ts_request request_of(char *copy, ts_arg *args, const char *method, const char *url)
{
    ts_request r = {.method = ts_text_of(method), .client = -1, .args = args};
    strcpy(copy, url);
    char *rest = strchr(copy, '?');
    r.path = rest == NULL ? ts_text_of(copy) : (ts_text){copy, (size_t)(rest - copy)};
    while (rest != NULL) {
        *rest++ = '\0';
        char *value = strchr(rest, '=');
        *value++ = '\0';
        args[r.arg_count].name = rest;
        rest = strchr(value, '&');
        args[r.arg_count++].value =
            rest == NULL ? ts_text_of(value) : (ts_text){value, (size_t)(rest - value)};
    }
    return r;
}

static ts_reply answer(test_app *a, ts_ctx *ctx, const char *method, const char *url,
                       const char *body, const char *etag)
{
    char copy[2048];
    ts_arg args[16];
    ts_reply reply = {0};
    ts_request r = request_of(copy, args, method, url);
    r.body = ts_text_of(body);
    r.content_type = body == NULL ? TS_TEXT_NULL : TS_TEXT_LIT("application/json");
    r.if_none_match = ts_text_of(etag);
    ts_app_answer(&reply, &a->app, ctx, &r);
    return reply;
}

static void body_of(ts_buf *out, ts_ctx *ctx, ts_reply *reply)
{
    char piece[777];
    assert_ok(ctx, ts_buf_put(ctx, out, reply->body.p, reply->body.n));
    assert_ok(ctx, ts_buf_put(ctx, out, reply->fixed.p, reply->fixed.n));
    for (ssize_t n = 1; reply->stream != NULL && n > 0;) {
        n = reply->stream->read(reply->stream, piece, sizeof piece);
        assert_true(n >= 0);
        assert_ok(ctx, ts_buf_put(ctx, out, piece, (size_t)n));
    }
    assert_ok(ctx, ts_buf_putc(ctx, out, '\0'));
}

/* Status and body of a request; `body` NULL: GET. */
static void expect(test_app *a, const char *url, const char *body, int status, const char *text)
{
    ts_buf got = {0};
    ts_ctx ctx = *a->ctx;
    ts_reply reply = answer(a, &ctx, body == NULL ? "GET" : "POST", url, body, NULL);
    body_of(&got, &ctx, &reply);
    char *elapsed = strstr(got.p, "\"elapsed_ms\":");
    if (elapsed != NULL) { /* a time is never twice the same */
        char *end = strchr(elapsed, ',');
        memmove(elapsed, end + 1, strlen(end + 1) + 1);
    }
    if (reply.status != status || strcmp(got.p, text) != 0) {
        fail_msg("%s: %d %s", url, reply.status, got.p);
    }
    ts_buf_free(&ctx, &got);
    ts_reply_free(&reply, &ctx);
}

static void test_query(void **state)
{
    (void)state;
    test_app *a = test_app_new();
    expect(
        a, "/api/query?sql=SELECT * FROM t", NULL, 200,
        "{\"columns\":[\"id\",\"n\",\"r\",\"s\",\"b\"],\"types\":[\"INTEGER\",\"INTEGER\",\"REAL\","
        "\"TEXT\",\"BLOB\"],\"rows\":[[1,9007199254740993,0.1,\"a,\\\"b\\\"\",{\"base64\":\"AP8=\"}"
        "]\n"
        ",[2,-5,1e+300,\"\\u000a\\u0009\\u000d\\\\|\",null]\n,[3,null,null,\"\",{\"base64\":\"\"}]"
        "\n"
        "],\"row_count\":3,\"truncated\":false,\"error\":null}");
    expect(a, "/api/query?sql=SELECT n FROM t&limit=1&ints=text", NULL, 200,
           "{\"columns\":[\"n\"],\"types\":[\"INTEGER\"],\"rows\":[[\"9007199254740993\"]\n"
           "],\"row_count\":1,\"truncated\":true,\"error\":null}");
    expect(a, "/api/query?sql=SELECT :a, typeof(:b), :c&p.a=1&p.b=x&db=a.db", NULL, 200,
           "{\"columns\":[\":a\",\"typeof(:b)\",\":c\"],\"types\":[\"INTEGER\",\"TEXT\",\"\"],"
           "\"rows\":"
           "[[1,\"text\",null]\n],\"row_count\":1,\"truncated\":false,\"error\":null}");
    expect(a, "/api/query",
           "{\"sql\":\"SELECT :a, :b, :c, typeof(:d) WHERE :e IS NULL\",\"params\":{\"a\":1,\"b\":"
           "2.5,\"c\":\"\\u00e4\",\"d\":true,\"e\":null},\"limit\":5}",
           200,
           "{\"columns\":[\":a\",\":b\",\":c\",\"typeof(:d)\"],\"types\":[\"INTEGER\",\"REAL\","
           "\"TEXT\","
           "\"TEXT\"],\"rows\":[[1,2.5,\"\xc3\xa4\",\"integer\"]\n],\"row_count\":1,\"truncated\":"
           "false,\"error\":null}");
    expect(a, "/api/query?question=small&p.most=0", NULL, 200,
           "{\"columns\":[\"id\"],\"types\":[\"INTEGER\"],\"rows\":[[2]\n],\"row_count\":1,"
           "\"truncated\":false,\"error\":null}");
    expect(a, "/api/query?sql=SELECT 1 WHERE 0", NULL, 200,
           "{\"columns\":[\"1\"],\"types\":[\"\"],\"rows\":[],\"row_count\":0,\"truncated\":false,"
           "\"error\":null}");
    test_app_free(a);
}

static void test_long_text(void **state)
{
    (void)state;
    test_app *a = test_app_new();
    ts_buf got = {0};
    ts_ctx ctx = *a->ctx;
    ts_reply reply = answer(
        a, &ctx, "GET",
        "/api/query?sql=SELECT 'x' || replace(hex(zeroblob(600000)), '0', char(228))", NULL, NULL);
    body_of(&got, &ctx, &reply);
    /* Cut at 1 MiB without the half of a letter; of letters of two bytes there are 1 200 000. */
    assert_non_null(strstr(got.p, "{\"text\":\"x\xc3\xa4"));
    assert_non_null(strstr(got.p, "\xc3\xa4\",\"bytes\":2400001}"));
    assert_true(got.n > 1024 * 1024 && got.n < 1024 * 1024 + 500);
    ts_buf_free(&ctx, &got);
    ts_reply_free(&reply, &ctx);
    test_app_free(a);
}

static void test_exports(void **state)
{
    (void)state;
    test_app *a = test_app_new();
    expect(a, "/api/export?format=csv&sql=SELECT id, n, r, s, b FROM t", NULL, 200,
           "id,n,r,s,b\r\n1,9007199254740993,0.1,\"a,\"\"b\"\"\",X'00FF'\r\n"
           "2,-5,1e+300,\"\n\t\r\\|\",\r\n3,,Inf,\"\",X''\r\n");
    expect(a, "/api/export?format=tsv&sql=SELECT s, n FROM t", NULL, 200,
           "s\tn\na,\"b\"\t9007199254740993\n\\n\\t\\r\\\\|\t-5\n\t\n");
    expect(a, "/api/export?format=md&sql=SELECT s, '<b>' AS x_y FROM t WHERE id = 2", NULL, 200,
           "| s | x\\_y |\n|---|---|\n|  \t\\\\\\| | &lt;b> |\n");
    expect(a, "/api/export?format=json&sql=SELECT id, id, r FROM t WHERE id > 1", NULL, 200,
           "[{\"id\":2,\"id:1\":2,\"r\":1e+300}\n,{\"id\":3,\"id:1\":3,\"r\":null}\n]\n");
    expect(a, "/api/export?format=ndjson&sql=SELECT id FROM t WHERE id > 1", NULL, 200,
           "{\"id\":2}\n{\"id\":3}\n");
    expect(a, "/api/export?format=xls&sql=SELECT 1", NULL, 400,
           "{\"error\":{\"code\":\"bad_request\",\"message\":\"format has to be csv, tsv, json, "
           "ndjson or md\"}}");
    ts_ctx ctx = *a->ctx;
    ts_reply reply = answer(a, &ctx, "GET", "/api/export?format=csv&question=small", NULL, NULL);
    assert_string_equal(reply.file, "a.db.small.csv");
    ts_reply_free(&reply, &ctx);
    test_app_free(a);
}

static void test_about(void **state)
{
    (void)state;
    test_app *a = test_app_new();
    expect(
        a, "/api/schema", NULL, 200,
        "{\"tables\":[{\"name\":\"t\",\"columns\":[{\"name\":\"n\",\"type\":\"INTEGER\",\"unit\":"
        "\"ns\",\"description\":\"a number\"},{\"name\":\"s\",\"type\":\"TEXT\",\"unit\":null,"
        "\"description\":\"a text\"}]},{\"name\":\"u\",\"columns\":[{\"name\":\"x\",\"type\":null,"
        "\"unit\":null,\"description\":null}]}]}");
    expect(a, "/api/questions", NULL, 200,
           "{\"questions\":[{\"name\":\"small\",\"question\":\"Which are small?\",\"topic\":"
           "\"numbers\",\"fits\":true,\"parameters\":[{\"name\":\"most\",\"text\":\"the largest "
           "(default 5)\",\"fallback\":\"5\",\"required\":false,\"time\":false}],\"sql\":\"-- "
           "Question:   Which are small?\\u000a-- Topic:      numbers\\u000a-- Needs:      t "
           "(numbers)\\u000a-- Parameters: most  the largest (default 5)\\u000aSELECT id FROM t "
           "WHERE n < ifnull(:most, 5)\"}]}");
    ts_ctx ctx = *a->ctx;
    ts_buf got = {0};
    ts_reply reply = answer(a, &ctx, "GET", "/api/info", NULL, NULL);
    body_of(&got, &ctx, &reply);
    assert_non_null(
        strstr(got.p, "\"version\":\"1.0\",\"databases\":[{\"name\":\"a.db\",\"etag\":\""));
    assert_non_null(strstr(got.p, "\"origin\":\"1700000000000000000\",\"tables\":{\"t\":3,"
                                  "\"schema_doc\":3,\"trace_range\":1},\"has\":[]}]"));
    assert_non_null(strstr(got.p, "\"limits\":{\"query_ms\":5000,\"max_rows\":1000000,"));
    ts_buf_free(&ctx, &got);
    ts_reply_free(&reply, &ctx);
    test_app_free(a);
}

static void test_etags(void **state)
{
    (void)state;
    test_app *a = test_app_new();
    ts_ctx ctx = *a->ctx;
    ts_reply one = answer(a, &ctx, "GET", "/api/query?sql=SELECT 1", NULL, NULL);
    ts_reply two = answer(a, &ctx, "GET", "/api/query?sql=SELECT 2", NULL, NULL);
    assert_true(strlen(one.etag) == 34 && strcmp(one.etag, two.etag) != 0);
    ts_reply same = answer(a, &ctx, "GET", "/api/query?sql=SELECT 1", NULL, one.etag);
    assert_int_equal(same.status, 304);
    assert_string_equal(same.etag, one.etag);
    ts_reply other = answer(a, &ctx, "GET", "/api/query?sql=SELECT 2", NULL, one.etag);
    assert_int_equal(other.status, 200);
    ts_reply_free(&other, &ctx);
    /* The file is another one. */
    assert_int_equal(unlink(a->path), 0);
    test_app_make(a->path);
    ts_reply fresh = answer(a, &ctx, "GET", "/api/query?sql=SELECT 1", NULL, one.etag);
    assert_int_equal(fresh.status, 200);
    ts_reply *all[] = {&one, &two, &same, &fresh};
    for (size_t i = 0; i < 4; i++) {
        ts_reply_free(all[i], &ctx);
    }
    test_app_free(a);
}

static void test_memory(void **state)
{
    static const char *const urls[] = {"/api/info",
                                       "/api/schema",
                                       "/api/questions",
                                       "/api/query?sql=SELECT * FROM t&p.a=1",
                                       "/api/query?sql=SELECT * FROM t",
                                       "/api/export?format=json&sql=SELECT * FROM t"};
    (void)state;
    test_app *a = test_app_new();
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        for (uint64_t at = 1, made = 1; made >= at; at++) {
            test_failing failing = {.fail_at = at};
            ts_ctx ctx = *a->ctx;
            ctx.allocator = test_failing_allocator(&failing);
            ts_reply reply = answer(a, &ctx, "GET", urls[i], NULL, NULL);
            if (reply.status != 200 && reply.status != 400 && reply.status != 503) {
                fail_msg("%s, allocation %d: %d %.*s", urls[i], (int)at, reply.status,
                         (int)reply.body.n, reply.body.p);
            }
            ts_reply_free(&reply, &ctx);
            assert_int_equal(ctx.memory_used, a->ctx->memory_used);
            made = failing.calls;
            assert_true(at < 2000);
        }
    }
    test_app_free(a);
}

/* Files are read when the server starts, others cannot be reached. */
static void test_files(void **state)
{
    static const char *const names[] = {"index.html", "index.html.gz", "assets/a-1.js",
                                        ".hidden",    "assets/a b.js", "assets/deep/x.css"};
    (void)state;
    test_app *a = test_app_new();
    char folder[] = "/tmp/ts_web_XXXXXX";
    char path[128];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/assets/deep", folder);
    path[strlen(path) - 5] = '\0';
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/deep");
    assert_int_equal(mkdir(path, 0700), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        test_write_file(path, names[i], strlen(names[i]));
    }
    (void)snprintf(path, sizeof path, "%s/assets/link.js", folder);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_ok(a->ctx, ts_assets_read(&a->app.page, a->ctx, folder));
    assert_int_equal(a->app.page.count, 4);
    expect(a, "/", NULL, 200, "index.html");
    expect(a, "/assets/a-1.js", NULL, 200, "assets/a-1.js");
    expect(a, "/assets/deep/x.css", NULL, 200, "assets/deep/x.css");
    static const char *const not_there[] = {
        "/assets/link.js", "/assets/a b.js", "/.hidden",   "/assets/../index.html",
        "/assets/",        "/assets/deep",   "/index.html"};
    for (size_t i = 0; i < sizeof not_there / sizeof not_there[0]; i++) {
        expect(
            a, not_there[i], NULL, 404,
            "{\"error\":{\"code\":\"not_found\",\"message\":\"there is nothing at this path\"}}");
    }
    ts_assets_free(&a->app.page);
    (void)snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
    assert_int_equal(ts_assets_read(&a->app.page, a->ctx, folder), TS_ERR_INPUT);
    test_app_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_query),   cmocka_unit_test(test_long_text),
        cmocka_unit_test(test_exports), cmocka_unit_test(test_about),
        cmocka_unit_test(test_etags),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Who may ask: the table of Host, Origin, Sec-Fetch-Site and tokens of docs/serve.md; the handshake
 * with the examples of RFC 6455 and FIPS 180. */
#include "support.h"

#include "serve/http/request.h"
#include "serve/http/websocket.h"

#define TOKEN "abcdefghijklmnopqrstuv"

static const char *const hosts[] = {"127.0.0.1", "localhost", "[::1]", "box.example"};
static const char *const origins[] = {"https://tool.example", "http://127.0.0.1:*"};

static ts_access access_of(bool no_token)
{
    return (ts_access){.port = 3891,
                       .hosts = hosts,
                       .host_count = 4,
                       .origins = origins,
                       .origin_count = 2,
                       .no_token = no_token,
                       .token = TOKEN};
}

static ts_request request(const char *path)
{
    return (ts_request){.method = TS_TEXT_LIT("GET"),
                        .path = ts_text_of(path),
                        .host_count = 1,
                        .host = TS_TEXT_LIT("127.0.0.1:3891"),
                        .client = -1};
}

static void test_hosts(void **state)
{
    static const struct {
        const char *host;
        unsigned count;
        int status;
    } table[] = {
        {"127.0.0.1:3891", 1, 0},
        {"localhost:3891", 1, 0},
        {"LocalHost:3891", 1, 0},
        {"[::1]:3891", 1, 0},
        {"box.example:3891", 1, 0},
        {"127.0.0.1:3891", 2, 421},
        {NULL, 0, 421},
        {"", 1, 421},
        {"127.0.0.1", 1, 421},
        {"127.0.0.1:3892", 1, 421},
        {"evil.example:3891", 1, 421},
        {"127.0.0.1:3891.evil.example", 1, 421},
        {"127.0.0.1.:3891", 1, 421},
        {"127.0.0.1:03891", 1, 0},
        {"127.0.0.1:69427", 1, 421},      /* 3891 + 2^16 */
        {"127.0.0.1:4294971187", 1, 421}, /* 3891 + 2^32 */
        {":3891", 1, 421},
        {"user@127.0.0.1:3891", 1, 421},
        {"127.0.0.1:3891 ", 1, 421},
        {"::1:3891", 1, 421},
        {"[::1]", 1, 421},
    };
    (void)state;
    ts_access a = access_of(true);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ts_request r = request("/api/info");
        r.host = ts_text_of(table[i].host);
        r.host_count = table[i].count;
        if (ts_access_check(&a, &r).status != table[i].status) {
            fail_msg("host %s: %d", table[i].host, ts_access_check(&a, &r).status);
        }
    }
    a.port = 80;
    ts_request r = request("/");
    r.host = TS_TEXT_LIT("localhost");
    assert_int_equal(ts_access_check(&a, &r).status, 0);
}

static void test_origins(void **state)
{
    static const struct {
        const char *origin, *site, *mode, *path;
        int status;
    } table[] = {
        {NULL, NULL, NULL, "/api/info", 0},
        {"http://127.0.0.1:3891", "same-origin", "cors", "/api/info", 0},
        {"http://localhost:3891", NULL, NULL, "/api/info", 0},
        {"HTTP://LOCALHOST:3891", NULL, NULL, "/api/info", 0},
        {"https://tool.example", "cross-site", "cors", "/api/info", 0},
        {"http://127.0.0.1:8000", "same-site", "cors", "/api/info", 0},
        {"http://127.0.0.1:", NULL, NULL, "/api/info", 403},
        {"http://127.0.0.1:8000x", NULL, NULL, "/api/info", 403},
        {"http://127.0.0.1:123456", NULL, NULL, "/api/info", 403},
        {"http://127.0.0.1", NULL, NULL, "/api/info", 403},
        {"http://localhost:8000", "same-site", "cors", "/api/info", 403},
        {"https://127.0.0.1:3891", NULL, NULL, "/api/info", 403},
        {"http://127.0.0.1:3891/", NULL, NULL, "/api/info", 403},
        {"http://127.0.0.1:3891.evil.example", NULL, NULL, "/api/info", 403},
        {"http://evil.example", NULL, NULL, "/api/info", 403},
        {"https://tool.example.evil.example", NULL, NULL, "/api/info", 403},
        {"https://tool.exampl", NULL, NULL, "/api/info", 403},
        {"null", NULL, NULL, "/api/info", 403},
        {"", NULL, NULL, "/api/info", 403},
        {NULL, "none", "navigate", "/api/info", 0},
        {NULL, "same-origin", "no-cors", "/assets/a.js", 0},
        {NULL, "cross-site", "navigate", "/", 0},
        {NULL, "same-site", "navigate", "/", 0},
        {NULL, "cross-site", "no-cors", "/", 403},
        {NULL, "cross-site", "navigate", "/api/info", 403},
        {NULL, "cross-site", "no-cors", "/api/info", 403},
        {NULL, "same-site", "no-cors", "/assets/a.js", 403},
        {NULL, "something", "navigate", "/api/info", 403},
        {"http://localhost:3891", "cross-site", "cors", "/api/info", 403},
    };
    (void)state;
    ts_access a = access_of(true);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ts_request r = request(table[i].path);
        r.origin = ts_text_of(table[i].origin);
        r.origin_count = table[i].origin == NULL ? 0 : 1;
        r.fetch_site = ts_text_of(table[i].site);
        r.fetch_mode = ts_text_of(table[i].mode);
        ts_verdict v = ts_access_check(&a, &r);
        if (v.status != table[i].status) {
            fail_msg("origin %s, site %s, %s: %d", table[i].origin, table[i].site, table[i].path,
                     v.status);
        }
        if (v.status == 403) {
            assert_string_equal(v.code, "origin");
        }
        if (table[i].origin != NULL) {
            r.origin_count = 2;
            assert_int_equal(ts_access_check(&a, &r).status, 403);
        }
    }
}

static void test_preflight(void **state)
{
    (void)state;
    ts_access a = access_of(false);
    ts_request r = request("/api/query");
    r.method = TS_TEXT_LIT("OPTIONS");
    assert_int_equal(ts_access_check(&a, &r).status, 403);
    r.origin_count = 1;
    r.origin = TS_TEXT_LIT("http://evil.example");
    assert_int_equal(ts_access_check(&a, &r).status, 403);
    r.origin = TS_TEXT_LIT("https://tool.example");
    assert_int_equal(ts_access_check(&a, &r).status, 0);
    assert_true(ts_access_foreign(&a, &r));
}

static void test_allowed_origins(void **state)
{
    (void)state;
    assert_true(ts_origin_valid("http://127.0.0.1:8000"));
    assert_true(ts_origin_valid("http://localhost:*"));
    assert_true(ts_origin_valid("http://[::1]:*"));
    assert_true(ts_origin_valid("https://tool.example"));
    assert_false(ts_origin_valid("http://evil.example:*"));
    assert_false(ts_origin_valid("*"));
    assert_false(ts_origin_valid("null"));
    assert_false(ts_origin_valid("tool.example"));
    assert_false(ts_origin_valid("http://"));
    assert_false(ts_origin_valid("http://tool.example/"));
    assert_false(ts_origin_valid(""));
}

static void test_tokens(void **state)
{
    static const struct {
        const char *authorization, *cookie, *path;
        int status;
        bool wrong;
    } table[] = {
        {NULL, NULL, "/api/info", 401, false},
        {"Bearer " TOKEN, NULL, "/api/info", 0, false},
        {"bearer " TOKEN, NULL, "/api/info", 0, false},
        {"Basic " TOKEN, NULL, "/api/info", 401, false},
        {"Bearer " TOKEN "x", NULL, "/api/info", 401, true},
        {"Bearer abcdefghijklmnopqrstuw", NULL, "/api/info", 401, true},
        {"Bearer ", NULL, "/api/info", 401, true},
        {NULL, "ts_3891=" TOKEN, "/api/info", 0, false},
        {NULL, "a=b; ts_3891=" TOKEN "; c=d", "/api/info", 0, false},
        {NULL, "ts_3890=" TOKEN, "/api/info", 401, false},
        {NULL, "xts_3891=" TOKEN, "/api/info", 401, false},
        {NULL, "ts_3891=", "/api/info", 401, false},
        {NULL, "ts_3891=abcdefghijklmnopqrstuw", "/api/info", 401, true},
    };
    (void)state;
    ts_access a = access_of(false);
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        ts_request r = request(table[i].path);
        r.authorization = ts_text_of(table[i].authorization);
        r.cookie = ts_text_of(table[i].cookie);
        ts_verdict v = ts_access_check(&a, &r);
        if (v.status != table[i].status || v.wrong_token != table[i].wrong) {
            fail_msg("row %zu: %d", i, v.status);
        }
        wrong += table[i].wrong ? 1 : 0;
        assert_int_equal(atomic_load(&a.wrong), wrong);
    }
    /* In the address of "/" only. */
    const ts_arg arg = {"token", TS_TEXT_LIT(TOKEN)};
    ts_request r = request("/");
    r.args = &arg;
    r.arg_count = 1;
    assert_int_equal(ts_access_check(&a, &r).status, 0);
    r.path = TS_TEXT_LIT("/api/info");
    assert_int_equal(ts_access_check(&a, &r).status, 401);
    /* An upgrade without an Origin is no browser's, whose cookie would come by itself. */
    r = request("/");
    r.upgrade = TS_TEXT_LIT("websocket");
    r.cookie = TS_TEXT_LIT("ts_3891=" TOKEN);
    assert_int_equal(ts_access_check(&a, &r).status, 401);
    r.origin = TS_TEXT_LIT("http://127.0.0.1:3891");
    r.origin_count = 1;
    assert_int_equal(ts_access_check(&a, &r).status, 0);
    r.origin_count = 0;
    r.origin = TS_TEXT_NULL;
    r.authorization = TS_TEXT_LIT("Bearer " TOKEN);
    assert_int_equal(ts_access_check(&a, &r).status, 0);
}

static void test_made_token(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    ts_access a = {0};
    ts_access b = {0};
    assert_ok(ctx, ts_access_make_token(&a, ctx));
    assert_ok(ctx, ts_access_make_token(&b, ctx));
    assert_int_equal(strlen(a.token), TS_TOKEN_LENGTH);
    assert_int_equal(strspn(a.token, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789-_"),
                     TS_TOKEN_LENGTH);
    assert_string_not_equal(a.token, b.token);
    assert_true(ts_access_token_is(&a, ts_text_of(a.token)));
    assert_false(ts_access_token_is(&a, ts_text_of(b.token)));
    assert_false(ts_access_token_is(&a, TS_TEXT_NULL));
    test_ctx_free(ctx);
}

/* --- WebSocket ------------------------------------------------------------------------------- */

static void test_sha1(void **state)
{
    static const struct {
        const char *text;
        const char *sum;
    } vectors[] = {
        {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint8_t sum[TS_SHA1_SIZE];
        char text[2 * TS_SHA1_SIZE + 1];
        ts_sha1(sum, vectors[i].text, strlen(vectors[i].text));
        for (size_t k = 0; k < TS_SHA1_SIZE; k++) {
            (void)snprintf(text + 2 * k, 3, "%02x", sum[k]);
        }
        assert_string_equal(text, vectors[i].sum);
    }
}

static void test_handshake(void **state)
{
    char accept[TS_ACCEPT_LENGTH + 1];
    (void)state;
    ts_websocket_accept(accept, TS_TEXT_LIT("dGhlIHNhbXBsZSBub25jZQ==")); /* RFC 6455, 1.3 */
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    ts_request good = request("/");
    good.upgrade = TS_TEXT_LIT("WebSocket");
    good.connection = TS_TEXT_LIT("keep-alive, Upgrade");
    good.socket_key = TS_TEXT_LIT("dGhlIHNhbXBsZSBub25jZQ==");
    good.socket_version = TS_TEXT_LIT("13");
    good.socket_protocols = TS_TEXT_LIT("other, flare-profiler");
    assert_true(ts_websocket_wanted(&good));
    assert_int_equal(ts_websocket_check(&good).status, 0);
    ts_request r = good;
    r.method = TS_TEXT_LIT("POST");
    assert_int_equal(ts_websocket_check(&r).status, 405);
    r = good;
    r.socket_key = TS_TEXT_NULL;
    assert_int_equal(ts_websocket_check(&r).status, 400);
    r.socket_key = TS_TEXT_LIT("dGhlIHNhbXBsZSBub25jZQ");
    assert_int_equal(ts_websocket_check(&r).status, 400);
    r = good;
    r.socket_version = TS_TEXT_LIT("8");
    assert_int_equal(ts_websocket_check(&r).status, 426);
    r = good;
    r.socket_protocols = TS_TEXT_LIT("flare-profilers");
    assert_int_equal(ts_websocket_check(&r).status, 400);
    r = good;
    r.upgrade = TS_TEXT_LIT("h2c");
    assert_false(ts_websocket_wanted(&r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),     cmocka_unit_test(test_origins),
        cmocka_unit_test(test_preflight), cmocka_unit_test(test_allowed_origins),
        cmocka_unit_test(test_tokens),    cmocka_unit_test(test_made_token),
        cmocka_unit_test(test_sha1),      cmocka_unit_test(test_handshake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

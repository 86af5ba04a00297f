/* Replies for other machines: which are compressed, that they are the same bytes, and that they
 * stay as they are without memory. */
#include "support.h"

#include "serve/http/gzip_reply.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <zlib.h>

static void test_addresses(void **state)
{
    static const struct {
        const char *text;
        bool loopback;
    } table[] = {{"127.0.0.1", true},        {"127.9.8.7", true}, {"128.0.0.1", false},
                 {"192.168.1.127", false},   {"::1", true},       {"::2", false},
                 {"::ffff:127.0.0.1", true}, {"fe80::1", false},  {"::ffff:10.0.0.1", false}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct sockaddr_in four = {.sin_family = AF_INET};
        struct sockaddr_in6 six = {.sin6_family = AF_INET6};
        bool is_four = inet_pton(AF_INET, table[i].text, &four.sin_addr) == 1;
        assert_true(is_four || inet_pton(AF_INET6, table[i].text, &six.sin6_addr) == 1);
        const struct sockaddr *address = is_four ? (const void *)&four : (const void *)&six;
        assert_int_equal(ts_address_is_loopback(address), table[i].loopback);
    }
    assert_true(ts_address_is_loopback(NULL));
    assert_true(ts_address_is_loopback(&(struct sockaddr){.sa_family = AF_UNIX}));
}

/* --- bodies ----------------------------------------------------------------------------------- */

static char page[200000];

static void fill_page(void)
{
    for (size_t i = 0; i < sizeof page; i++) {
        page[i] = (char)('a' + i * i % 23);
    }
}

static const char *encoding_of(const ts_reply *r)
{
    const char *encoding = "";
    for (size_t i = 0; i < r->header_count; i++) {
        encoding =
            strcmp(r->headers[i].name, "Content-Encoding") == 0 ? r->headers[i].value : encoding;
    }
    return encoding;
}

/* Undoes gzip. */
static size_t unpack(char *out, size_t room, const char *p, size_t n)
{
    z_stream z = {.avail_in = (uInt)n, .next_out = (Bytef *)out, .avail_out = (uInt)room};
    Bytef *copy = malloc(n + 1);
    assert_non_null(copy);
    memcpy(copy, p, n);
    z.next_in = copy;
    assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    size_t got = z.total_out;
    assert_int_equal(inflateEnd(&z), Z_OK);
    free(copy);
    return got;
}

static void test_bodies(void **state)
{
    static const struct {
        const char *type;
        const char *accepted;
        size_t n;
        bool encoded;
        bool packed;
    } table[] = {
        {"application/json; charset=utf-8", "gzip", sizeof page, false, true},
        {"text/csv", "br, gzip", TS_GZIP_LEAST, false, true},
        {"text/csv", "gzip", TS_GZIP_LEAST - 1, false, false},
        {"text/csv", "br", sizeof page, false, false},
        {"text/csv", NULL, sizeof page, false, false},
        {"image/png", "gzip", sizeof page, false, false},
        {NULL, "gzip", sizeof page, false, false},
        {"text/css", "gzip", sizeof page, true, false},
    };
    (void)state;
    fill_page();
    for (size_t i = 0; i < 2 * sizeof table / sizeof table[0]; i++) {
        size_t k = i / 2;
        ts_ctx *ctx = test_ctx_new();
        ts_reply r = {.status = 200, .type = table[k].type};
        if (i % 2 == 0) {
            r.fixed = (ts_text){page, table[k].n};
        } else {
            assert_ok(ctx, ts_buf_put(ctx, &r.body, page, table[k].n));
        }
        if (table[k].encoded) {
            ts_reply_header(&r, "Content-Encoding", "br");
        }
        ts_reply_gzip(&r, ctx, ts_text_of(table[k].accepted));
        assert_string_equal(encoding_of(&r), table[k].packed    ? "gzip"
                                             : table[k].encoded ? "br"
                                                                : "");
        if (table[k].packed) {
            static char out[sizeof page + 1];
            assert_null(r.fixed.p);
            assert_true(r.body.n < table[k].n);
            assert_int_equal(unpack(out, sizeof out, r.body.p, r.body.n), table[k].n);
            assert_memory_equal(out, page, table[k].n);
        } else {
            assert_int_equal(r.fixed.p != NULL ? r.fixed.n : r.body.n, table[k].n);
        }
        ts_reply_free(&r, ctx);
        test_ctx_free(ctx);
    }
}

/* --- streams ---------------------------------------------------------------------------------- */

typedef struct pieces {
    ts_stream stream;
    size_t at;
    size_t end;
    size_t step; /* bytes that are there at once */
    bool fails;
    unsigned freed;
} pieces;

static ssize_t pieces_read(ts_stream *stream, char *out, size_t max)
{
    pieces *p = (pieces *)stream;
    size_t n = p->end - p->at < p->step ? p->end - p->at : p->step;
    n = n < max ? n : max;
    memcpy(out, page + p->at, n);
    p->at += n;
    return n == 0 && p->fails ? -1 : (ssize_t)n;
}

static void pieces_free(ts_stream *stream)
{
    ((pieces *)stream)->freed++;
}

static void check_stream(size_t length, size_t step, size_t max)
{
    static char packed[2 * sizeof page + 100000];
    static char out[sizeof page + 1];
    ts_ctx *ctx = test_ctx_new();
    pieces p = {.stream = {pieces_read, pieces_free}, .end = length, .step = step};
    ts_reply r = {.status = 200, .type = "application/json", .stream = &p.stream};
    size_t n = 0;
    ssize_t got;
    ts_reply_gzip(&r, ctx, TS_TEXT_LIT("gzip"));
    assert_string_equal(encoding_of(&r), "gzip");
    bool first = true;
    while ((got = r.stream->read(r.stream, packed + n, max)) > 0) {
        assert_true((size_t)got <= max);
        if (first && step < length && max > 1000) {
            assert_true(p.at <= 2 * step); /* what is there is sent, not kept until there is more */
        }
        first = false;
        n += (size_t)got;
        assert_true(n + max <= sizeof packed);
    }
    assert_int_equal(got, 0);
    assert_int_equal(unpack(out, sizeof out, packed, n), length);
    assert_memory_equal(out, page, length);
    ts_reply_free(&r, ctx);
    assert_int_equal(p.freed, 1);
    test_ctx_free(ctx);
}

static void test_streams(void **state)
{
    (void)state;
    fill_page();
    check_stream(0, 1, 65536);
    check_stream(1, 1, 65536);
    check_stream(20000, 700, 65536);
    check_stream(20000, 20000, 1);
    check_stream(sizeof page, 65536, 4096);
    ts_ctx *ctx = test_ctx_new();
    char piece[100];
    pieces p = {.stream = {pieces_read, pieces_free}, .end = 10, .step = 10, .fails = true};
    ts_reply r = {.status = 200, .type = "text/csv", .stream = &p.stream};
    ts_reply_gzip(&r, ctx, TS_TEXT_LIT("gzip"));
    assert_true(r.stream->read(r.stream, piece, sizeof piece) > 0);
    assert_int_equal(r.stream->read(r.stream, piece, sizeof piece), -1);
    ts_reply_free(&r, ctx);
    test_ctx_free(ctx);
}

static void test_memory(void **state)
{
    (void)state;
    fill_page();
    for (unsigned streams = 0; streams < 2; streams++) {
        bool packed = false;
        for (uint64_t n = 1; !packed; n++) {
            test_failing failing = {.fail_at = n};
            ts_ctx *ctx = test_ctx_new();
            pieces p = {.stream = {pieces_read, pieces_free}, .end = 10, .step = 10};
            ts_reply r = {.status = 200, .type = "text/csv"};
            r.fixed = streams != 0 ? TS_TEXT_NULL : (ts_text){page, sizeof page};
            r.stream = streams != 0 ? &p.stream : NULL;
            ctx->allocator = test_failing_allocator(&failing);
            ts_reply_gzip(&r, ctx, TS_TEXT_LIT("gzip"));
            packed = encoding_of(&r)[0] != '\0';
            assert_true(packed || (streams != 0 ? r.stream == &p.stream : r.fixed.p == page));
            assert_true(n < 100);
            ts_reply_free(&r, ctx);
            assert_int_equal(p.freed, streams);
            test_ctx_free(ctx);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

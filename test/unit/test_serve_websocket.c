/* WebSockets over a pair of sockets: frames by hand, close codes of RFC 6455 section 7.4. */
#include "support.h"

#include "serve/http/websocket.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct pair {
    ts_ctx *base;
    ts_ctx *ctx;
    ts_databases databases;
    ts_sockets *flare;
    ts_websocket socket;
    atomic_bool stop;
    pthread_t thread;
    int fd;
} pair;

static void *run(void *user)
{
    pair *p = user;
    ts_sockets_run(p->flare, &p->socket);
    shutdown(p->socket.fd, SHUT_RDWR);
    return NULL;
}

static void begin_with(pair *p, const char *early, size_t early_size, ts_sockets_options options)
{
    int fds[2];
    memset(p, 0, sizeof *p);
    p->base = test_ctx_new();
    p->ctx = test_ctx_new();
    options.databases = &p->databases;
    assert_ok(p->base, ts_sockets_open(&p->flare, p->base, &options));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    p->socket = (ts_websocket){p->ctx, fds[1], early, early_size, &p->stop};
    p->fd = fds[0];
    assert_int_equal(pthread_create(&p->thread, NULL, run, p), 0);
}

static void begin(pair *p, const char *early, size_t early_size)
{
    begin_with(p, early, early_size, (ts_sockets_options){0});
}

static void end(pair *p)
{
    close(p->fd);
    pthread_join(p->thread, NULL);
    close(p->socket.fd);
    ts_sockets_close(p->flare);
    test_ctx_free(p->ctx);
    test_ctx_free(p->base);
}

/* --- frames --------------------------------------------------------------------------------- */

static void put_bytes(const pair *p, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n > 0) {
        struct pollfd fd = {.fd = p->fd, .events = POLLOUT};
        ssize_t sent;
        assert_true(poll(&fd, 1, 5000) > 0);
        sent = send(p->fd, at, n, MSG_NOSIGNAL);
        if (sent < 0) {
            return; /* the server has closed */
        }
        at += sent;
        n -= (size_t)sent;
    }
}

/* A frame as clients send them: masked. */
static void put_frame(const pair *p, unsigned char first, const char *payload, size_t n)
{
    static const unsigned char mask[4] = {1, 2, 3, 4};
    unsigned char *frame = malloc(n + 14);
    size_t at = 2;
    frame[0] = first;
    if (n < 126) {
        frame[1] = (unsigned char)(0x80 | n);
    } else {
        int bytes = n <= 0xffff ? 2 : 8; /* the shortest form is required */
        frame[1] = bytes == 2 ? 0x80 | 126 : 0x80 | 127;
        for (int i = 0; i < bytes; i++) {
            frame[at++] = (unsigned char)((uint64_t)n >> 8 * (bytes - 1 - i));
        }
    }
    memcpy(frame + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < n; i++) {
        frame[at++] = (unsigned char)payload[i] ^ mask[i % 4];
    }
    put_bytes(p, frame, at);
    free(frame);
}

static void get_bytes(const pair *p, void *out, size_t n)
{
    char *at = out;
    while (n > 0) {
        struct pollfd fd = {.fd = p->fd, .events = POLLIN};
        ssize_t got;
        assert_true(poll(&fd, 1, 10000) > 0);
        got = recv(p->fd, at, n, 0);
        assert_true(got > 0);
        at += got;
        n -= (size_t)got;
    }
}

/* The next frame of the server: its first byte, and its payload with a zero byte behind it. */
static unsigned char get_frame(const pair *p, char *payload, size_t room)
{
    unsigned char head[2];
    unsigned char more[8];
    size_t n;
    get_bytes(p, head, 2);
    n = head[1]; /* not masked */
    if (n >= 126) {
        size_t length = n == 126 ? 2 : 8;
        get_bytes(p, more, length);
        n = 0;
        for (size_t i = 0; i < length; i++) {
            n = n << 8 | more[i];
        }
    }
    assert_true(n < room);
    get_bytes(p, payload, n);
    payload[n] = '\0';
    return head[0];
}

static void expect_text(const pair *p, const char *text)
{
    char payload[1000];
    assert_int_equal(get_frame(p, payload, sizeof payload), 0x81);
    assert_string_equal(payload, text);
}

/* A close frame with this code, and then the end. */
static void expect_close(const pair *p, unsigned code)
{
    char payload[200];
    char byte;
    struct pollfd fd = {.fd = p->fd, .events = POLLIN};
    assert_int_equal(get_frame(p, payload, sizeof payload), 0x88);
    assert_int_equal((unsigned char)payload[0] * 256U + (unsigned char)payload[1], code);
    put_frame(p, 0x88, payload, 2);
    assert_true(poll(&fd, 1, 5000) > 0);
    assert_true(recv(p->fd, &byte, 1, 0) <= 0);
}

#define LIST "{\"cmd\":\"list_sessions\"}"
#define NONE "{\"result\":\"success\",\"cmd\":\"list_sessions\",\"data\":{\"sample_sessions\":[]}}"

static void test_requests(void **state)
{
    pair p;
    char payload[1000];
    (void)state;
    begin(&p, NULL, 0);
    put_frame(&p, 0x81, LIST, strlen(LIST));
    expect_text(&p, NONE);
    /* in three fragments, with a ping between them */
    put_frame(&p, 0x01, LIST, 5);
    put_frame(&p, 0x89, "hello", 5);
    put_frame(&p, 0x00, &LIST[5], 7);
    put_frame(&p, 0x80, &LIST[12], strlen(LIST) - 12);
    assert_int_equal(get_frame(&p, payload, sizeof payload), 0x8a);
    assert_string_equal(payload, "hello");
    expect_text(&p, NONE);
    /* what is not JSON is answered, and the connection stays */
    put_frame(&p, 0x81, "nonsense", 8);
    assert_int_equal(get_frame(&p, payload, sizeof payload), 0x81);
    assert_non_null(strstr(payload, "\"result\":\"failure\",\"cmd\":\"\""));
    put_frame(&p, 0x81, "", 0);
    assert_int_equal(get_frame(&p, payload, sizeof payload), 0x81);
    /* several at once are answered in their order */
    put_frame(&p, 0x81, LIST, strlen(LIST));
    put_frame(&p, 0x81, "{\"cmd\":\"a\"}", 11);
    put_frame(&p, 0x81, LIST, strlen(LIST));
    expect_text(&p, NONE);
    assert_int_equal(get_frame(&p, payload, sizeof payload), 0x81);
    assert_non_null(strstr(payload, "unknown cmd: a"));
    expect_text(&p, NONE);
    put_frame(&p, 0x88, "\x03\xe8", 2);
    expect_close(&p, 1000);
    end(&p);
}

static void test_early_bytes(void **state)
{
    static const char early[] = "\x81\x8b\0\0\0\0{\"cmd\":\"a\"}";
    pair p;
    char payload[1000];
    (void)state;
    begin(&p, early, sizeof early - 1);
    assert_int_equal(get_frame(&p, payload, sizeof payload), 0x81);
    assert_non_null(strstr(payload, "unknown cmd: a"));
    put_frame(&p, 0x81, LIST, strlen(LIST));
    expect_text(&p, NONE);
    end(&p);
}

static void closes(unsigned char first, const char *payload, size_t n, unsigned code)
{
    pair p;
    begin(&p, NULL, 0);
    put_frame(&p, first, payload, n);
    expect_close(&p, code);
    end(&p);
}

static void test_close_codes(void **state)
{
    size_t size = (1 << 20) + 1;
    char *large = malloc(size);
    pair p;
    char payload[200];
    (void)state;
    memset(large, ' ', size);
    closes(0x82, "x", 1, 1003);            /* binary */
    closes(0x81, "\xff", 1, 1007);         /* not UTF-8 */
    closes(0x81, "\xed\xa0\x80", 3, 1007); /* a surrogate */
    closes(0x81, large, size, 1009);       /* more than 1 MiB */
    closes(0x80, "x", 1, 1002);            /* a continuation of nothing */
    closes(0xc1, "x", 1, 1002);            /* reserved bits */
    closes(0x83, "x", 1, 1002);            /* an opcode that is not used */
    begin(&p, NULL, 0);
    put_bytes(&p, "\x81\x01x", 3); /* not masked */
    expect_close(&p, 1002);
    end(&p);
    /* 1 MiB itself is a message */
    begin(&p, NULL, 0);
    put_frame(&p, 0x81, large, size - 1);
    assert_int_equal(get_frame(&p, payload, sizeof payload), 0x81);
    end(&p);
    free(large);
}

static void test_stop(void **state)
{
    pair p;
    int64_t before;
    (void)state;
    begin(&p, NULL, 0);
    put_frame(&p, 0x81, LIST, strlen(LIST));
    expect_text(&p, NONE);
    atomic_store(&p.stop, true);
    before = ts_guard_now();
    expect_close(&p, 1001);
    pthread_join(p.thread, NULL);
    assert_true(ts_guard_now() - before < INT64_C(3000000000));
    assert_int_equal(pthread_create(&p.thread, NULL, run, &p), 0);
    end(&p);
}

/* A client that goes without a word, in the middle of a frame. */
static void test_gone(void **state)
{
    pair p;
    (void)state;
    begin(&p, NULL, 0);
    put_bytes(&p, "\x81\xfe\x01", 3);
    end(&p);
}

/* A message at every length up to the changes of the length's form, cut anywhere. */
static void test_lengths(void **state)
{
    pair p;
    char *text = malloc(70000);
    (void)state;
    memset(text, ' ', 70000);
    begin(&p, NULL, 0);
    for (size_t n = 100; n < 70000; n = n < 140 ? n + 1 : n * 3 + 1) {
        memcpy(text + n - strlen(LIST), LIST, strlen(LIST));
        put_frame(&p, 0x81, text, n);
        expect_text(&p, NONE);
        memset(text + n - strlen(LIST), ' ', strlen(LIST));
    }
    end(&p);
    free(text);
}

static int64_t ms_since(int64_t then)
{
    return (ts_guard_now() - then) / 1000000;
}

/* A silent client is asked for a sign, and closed when there is none for long. */
static void test_silence(void **state)
{
    const ts_sockets_options options = {.ping_ms = 250, .silence_ms = 1000};
    pair p;
    char payload[200];
    unsigned pings = 0;
    (void)state;
    begin_with(&p, NULL, 0, options);
    int64_t begun = ts_guard_now();
    unsigned char first;
    while ((first = get_frame(&p, payload, sizeof payload)) == 0x89) {
        assert_true(pings > 0 || ms_since(begun) >= 245);
        pings++;
    }
    assert_int_equal(first, 0x88);
    assert_int_equal((unsigned char)payload[0] * 256U + (unsigned char)payload[1], 1001);
    assert_true(ms_since(begun) >= 995);
    assert_in_range(pings, 1, 3);
    end(&p);
}

/* Whoever answers pings stays, and a message is a sign as well. */
static void test_signs(void **state)
{
    const ts_sockets_options options = {.ping_ms = 250, .silence_ms = 1000};
    pair p;
    char payload[200];
    (void)state;
    begin_with(&p, NULL, 0, options);
    int64_t begun = ts_guard_now();
    while (ms_since(begun) < 1300) {
        assert_int_equal(get_frame(&p, payload, sizeof payload), 0x89);
        put_frame(&p, 0x8a, payload, 0);
    }
    put_frame(&p, 0x81, LIST, strlen(LIST));
    expect_text(&p, NONE);
    put_frame(&p, 0x88, "\x03\xe8", 2);
    expect_close(&p, 1000);
    end(&p);
}

/* The times of the protocol's description. */
static void test_times(void **state)
{
    (void)state;
    assert_int_equal(TS_SOCKET_PING_MS, 30000);
    assert_int_equal(TS_SOCKET_SILENCE_MS, 90000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silence),     cmocka_unit_test(test_signs),
        cmocka_unit_test(test_times),       cmocka_unit_test(test_requests),
        cmocka_unit_test(test_early_bytes), cmocka_unit_test(test_close_codes),
        cmocka_unit_test(test_stop),        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

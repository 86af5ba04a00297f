/* Whole reads and writes through system calls that are interrupted, short, or fail. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A file of 100 bytes, 0 to 99, behind calls that move at most `step` bytes each. */
typedef struct device {
    unsigned char bytes[200];
    size_t size;
    size_t at;
    size_t step;
    int calls;
    int fail_at;   /* this call fails with `error`; 0: none */
    int error;     /* 0: it moves nothing */
    int signal_at; /* after this call a signal has come */
    volatile sig_atomic_t cancel;
} device;

/* 0: go on; else the call ends with -1 or moves nothing. */
static int begin(device *d, size_t *n)
{
    d->calls++;
    if (d->calls == d->signal_at) {
        d->cancel = 15;
    }
    if (*n > d->step) {
        *n = d->step;
    }
    if (d->calls == d->fail_at) {
        errno = d->error;
        return d->error == 0 ? 2 : 1;
    }
    return 0;
}

static ssize_t d_pread(void *user, int fd, void *p, size_t n, off_t off)
{
    device *d = user;
    (void)fd;
    int r = begin(d, &n);
    size_t left = (size_t)off < d->size ? d->size - (size_t)off : 0;
    n = n < left ? n : left;
    if (r != 0) {
        return r == 2 ? 0 : -1;
    }
    memcpy(p, d->bytes + off, n);
    return (ssize_t)n;
}

static ssize_t d_pwrite(void *user, int fd, const void *p, size_t n, off_t off)
{
    device *d = user;
    (void)fd;
    int r = begin(d, &n);
    if (r != 0) {
        return r == 2 ? 0 : -1;
    }
    assert_true((size_t)off + n <= sizeof d->bytes);
    memcpy(d->bytes + off, p, n);
    return (ssize_t)n;
}

static ssize_t d_read(void *user, int fd, void *p, size_t n)
{
    device *d = user;
    ssize_t r = d_pread(user, fd, p, n, (off_t)d->at);
    d->at += r > 0 ? (size_t)r : 0;
    return r;
}

static ssize_t d_write(void *user, int fd, const void *p, size_t n)
{
    device *d = user;
    ssize_t r = d_pwrite(user, fd, p, n, (off_t)d->at);
    d->at += r > 0 ? (size_t)r : 0;
    return r;
}

static ts_ctx *ctx_on(device *d)
{
    ts_ctx *ctx = test_ctx_new();
    d->size = 100;
    for (size_t i = 0; i < d->size; i++) {
        d->bytes[i] = (unsigned char)i;
    }
    ctx->sys.user = d;
    ctx->sys.read = d_read;
    ctx->sys.pread = d_pread;
    ctx->sys.write = d_write;
    ctx->sys.pwrite = d_pwrite;
    ctx->cancel = &d->cancel;
    return ctx;
}

static ssize_t move(ts_ctx *ctx, int kind, void *p, size_t n)
{
    switch (kind) {
    case 0:
        return ts_sys_read_all(ctx, 3, p, n);
    case 1:
        return ts_sys_pread_all(ctx, 3, p, n, 20);
    case 2:
        return ts_sys_write_all(ctx, 3, p, n);
    default:
        return ts_sys_pwrite_all(ctx, 3, p, n, 20);
    }
}

/* Short and interrupted calls are made again until all bytes are there. */
static void test_all_bytes_come(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        for (size_t step = 1; step <= 64; step *= 4) {
            for (int fail_at = 0; fail_at < 3; fail_at++) {
                device d = {.step = step, .fail_at = fail_at, .error = EINTR};
                ts_ctx *ctx = ctx_on(&d);
                unsigned char p[60];
                size_t first = kind % 2 == 0 ? 0 : 20;
                memset(p, 0xee, sizeof p);
                assert_int_equal(move(ctx, kind, p, sizeof p), kind < 2 ? 60 : 0);
                assert_int_equal(d.calls,
                                 (60 + step - 1) / step + (fail_at != 0 && fail_at <= d.calls));
                for (size_t i = 0; i < sizeof p; i++) {
                    assert_int_equal(kind < 2 ? p[i] : d.bytes[first + i],
                                     kind < 2 ? first + i : 0xee);
                }
                assert_int_equal(d.bytes[first + 60], first + 60);
                test_ctx_free(ctx);
            }
        }
    }
}

static void test_the_end_of_the_file(void **state)
{
    device d = {.step = 30};
    ts_ctx *ctx = ctx_on(&d);
    unsigned char p[200];
    (void)state;
    assert_int_equal(ts_sys_read_all(ctx, 3, p, sizeof p), 100);
    assert_int_equal(ts_sys_read_all(ctx, 3, p, sizeof p), 0);
    assert_int_equal(ts_sys_pread_all(ctx, 3, p, sizeof p, 95), 5);
    assert_int_equal(p[4], 99);
    d.calls = 0;
    assert_int_equal(ts_sys_pread_all(ctx, 3, p, 0, 0), 0);
    assert_int_equal(ts_sys_pwrite_all(ctx, 3, p, 0, 0), 0);
    assert_int_equal(d.calls, 0);
    test_ctx_free(ctx);
}

static void test_failures(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        for (int fail_at = 1; fail_at < 4; fail_at++) {
            device d = {.step = 10, .fail_at = fail_at, .error = EIO};
            ts_ctx *ctx = ctx_on(&d);
            unsigned char p[60] = {0};
            assert_int_equal(move(ctx, kind, p, sizeof p), -1);
            assert_int_equal(errno, EIO);
            assert_int_equal(d.calls, fail_at);
            /* A write of nothing is no progress; a read of nothing is the end. */
            d = (device){.step = 10, .fail_at = fail_at, .error = 0};
            ts_ctx *other = ctx_on(&d);
            assert_int_equal(move(other, kind, p, sizeof p), kind < 2 ? 10 * (fail_at - 1) : -1);
            assert_true(kind < 2 || errno == ENOSPC);
            test_ctx_free(ctx);
            test_ctx_free(other);
        }
    }
}

/* A signal that asks to stop ends the loop before the next call. */
static void test_a_signal_stops(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        for (int error = 0; error < 2; error++) {
            unsigned char one[10] = {0};
            device d = {.step = 10, .signal_at = 2, .fail_at = error * 2, .error = EINTR};
            ts_ctx *ctx = ctx_on(&d);
            unsigned char p[60] = {0};
            assert_int_equal(move(ctx, kind, p, sizeof p), -1);
            assert_int_equal(errno, EINTR);
            assert_int_equal(d.calls, 2);
            assert_int_equal(ts_check_cancel(ctx), TS_ERR_INTERRUPTED);
            /* What one call does is done after a signal, too. */
            assert_int_equal(move(ctx, kind, one, sizeof one), kind < 2 ? 10 : 0);
            assert_int_equal(d.calls, 3);
            test_ctx_free(ctx);
        }
    }
}

static void test_places_do_not_overflow(void **state)
{
    device d = {.step = 10};
    ts_ctx *ctx = ctx_on(&d);
    unsigned char p[60] = {0};
    (void)state;
    assert_int_equal(ts_sys_pread_all(ctx, 3, p, sizeof p, INT64_MAX - 59), -1);
    assert_int_equal(errno, EFBIG);
    assert_int_equal(ts_sys_pwrite_all(ctx, 3, p, sizeof p, INT64_MAX - 59), -1);
    assert_int_equal(ts_sys_pwrite_all(ctx, 3, p, sizeof p, -1), -1);
    assert_int_equal(errno, EFBIG);
    assert_int_equal(d.calls, 0);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_bytes_come),
        cmocka_unit_test(test_the_end_of_the_file),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_a_signal_stops),
        cmocka_unit_test(test_places_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "input_make.h"

#include "base/spool.h"

#include <errno.h>
#include <limits.h>

/* What the fake system calls do; the rest goes to the real ones. */
typedef struct faults {
    ts_sys real;
    bool no_tmpfile;
    unsigned opens, creates, unlinks;
    int write_errno;     /* pwrite fails with it */
    size_t write_max;    /* at most so much a call; 0 = all */
    size_t room;         /* bytes until ENOSPC; SIZE_MAX = endless */
    unsigned interrupts; /* every other call gives EINTR */
    bool shrunk;
} faults;

static int f_open(void *user, const char *path, int flags, mode_t mode)
{
    faults *f = user;
    f->opens++;
    if (f->no_tmpfile && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    f->creates += (flags & O_CREAT) != 0;
    return f->real.open(f->real.user, path, flags, mode);
}

static int f_close(void *user, int fd)
{
    faults *f = user;
    return f->real.close(f->real.user, fd);
}

static int f_unlink(void *user, const char *path)
{
    faults *f = user;
    f->unlinks++;
    return f->real.unlink(f->real.user, path);
}

static ssize_t f_pwrite(void *user, int fd, const void *p, size_t n, off_t off)
{
    faults *f = user;
    if (f->write_errno != 0) {
        errno = f->write_errno;
        return -1;
    }
    if (f->interrupts > 0 && f->interrupts++ % 2 == 1) {
        errno = EINTR;
        return -1;
    }
    if (f->room == 0) {
        errno = ENOSPC;
        return -1;
    }
    n = f->write_max > 0 && n > f->write_max ? f->write_max : n;
    n = n > f->room ? f->room : n;
    f->room -= f->room == SIZE_MAX ? 0 : n;
    return f->real.pwrite(f->real.user, fd, p, n, off);
}

static ssize_t f_pread(void *user, int fd, void *p, size_t n, off_t off)
{
    faults *f = user;
    if (f->shrunk) {
        return 0;
    }
    if (f->interrupts > 0 && f->interrupts++ % 2 == 1) {
        errno = EINTR;
        return -1;
    }
    n = f->write_max > 0 && n > f->write_max ? f->write_max : n;
    return f->real.pread(f->real.user, fd, p, n, off);
}

static void use_faults(ts_ctx *ctx, faults *f)
{
    memset(f, 0, sizeof *f);
    f->real = ctx->sys;
    f->room = SIZE_MAX;
    ctx->sys.user = f;
    ctx->sys.open = f_open;
    ctx->sys.close = f_close;
    ctx->sys.unlink = f_unlink;
    ctx->sys.pread = f_pread;
    ctx->sys.pwrite = f_pwrite;
}

static void check_content(place *w, ts_spool *s, bytes want)
{
    bytes got = bytes_new(want.n + 10);
    size_t n;
    assert_int_equal(ts_spool_size(s), want.n);
    assert_ok(w->ctx, ts_spool_read(&n, s, 0, got.p, want.n + 10));
    got.n = n;
    assert_same(got, want);
    uint32_t x = 1;
    for (int i = 0; i < 50; i++) {
        x = x * 1103515245 + 12345;
        uint64_t off = want.n == 0 ? 0 : x % (want.n + 3);
        size_t len = (x >> 16) % 70000;
        size_t left = off < want.n ? want.n - (size_t)off : 0;
        bytes part = bytes_new(len);
        assert_ok(w->ctx, ts_spool_read(&n, s, off, part.p, len));
        assert_int_equal(n, left < len ? left : len);
        if (n > 0) {
            assert_memory_equal(part.p, want.p + off, n);
        }
        free(part.p);
    }
    assert_ok(w->ctx, ts_spool_read(&n, s, UINT64_MAX, got.p, 5));
    assert_int_equal(n, 0);
    free(got.p);
}

/* Sizes around the memory part, written in pieces of several sizes. */
static void test_sizes(void **state)
{
    static const size_t sizes[] = {0, 1, 1023, 1024, 1025, 65535, 65536, 65537, 131072, 200001};
    static const size_t pieces[] = {1, 7, 4096, 65536, 65537, 300000};
    (void)state;
    place *w = place_new();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bytes want = bytes_noise(sizes[i]);
        for (size_t j = 0; j < sizeof pieces / sizeof pieces[0]; j++) {
            ts_spool *s;
            assert_ok(w->ctx, ts_spool_new(&s, w->ctx));
            for (size_t at = 0; at < want.n; at += pieces[j]) {
                size_t n = want.n - at < pieces[j] ? want.n - at : pieces[j];
                assert_ok(w->ctx, ts_spool_write(s, want.p + at, n));
            }
            check_content(w, s, want);
            ts_spool_free(s);
        }
        free(want.p);
    }
    place_free(w);
}

static void test_small_makes_no_file(void **state)
{
    (void)state;
    place *w = place_new();
    faults f;
    use_faults(w->ctx, &f);
    bytes data = bytes_noise(65536);
    ts_spool *s;
    assert_ok(w->ctx, ts_spool_new(&s, w->ctx));
    assert_ok(w->ctx, ts_spool_write(s, data.p, 60000));
    assert_ok(w->ctx, ts_spool_write(s, data.p + 60000, 5536));
    assert_int_equal(f.opens, 0);
    assert_ok(w->ctx, ts_spool_write(s, "x", 1));
    assert_int_equal(f.opens, 1);
    assert_int_equal(count_entries(w->spool), 0);
    ts_spool_free(s);
    free(data.p);
    place_free(w);
}

static void test_named_file_is_unlinked(void **state)
{
    (void)state;
    place *w = place_new();
    faults f;
    use_faults(w->ctx, &f);
    f.no_tmpfile = true;
    bytes data = bytes_noise(150000);
    ts_spool *s;
    assert_ok(w->ctx, ts_spool_new(&s, w->ctx));
    assert_ok(w->ctx, ts_spool_write(s, data.p, data.n));
    assert_int_equal(f.creates, 1);
    assert_int_equal(f.unlinks, 1);
    assert_int_equal(count_entries(w->spool), 0);
    check_content(w, s, data);
    ts_spool_free(s);
    free(data.p);
    place_free(w);
}

/* Where standard input is closed, the file's descriptor is 0. */
static void test_descriptor_zero(void **state)
{
    (void)state;
    place *w = place_new();
    faults f;
    use_faults(w->ctx, &f);
    bytes data = bytes_noise(300000);
    int input = dup(STDIN_FILENO);
    (void)close(STDIN_FILENO);
    ts_spool *s;
    assert_ok(w->ctx, ts_spool_new(&s, w->ctx));
    for (size_t at = 0; at < data.n; at += 100000) {
        assert_ok(w->ctx, ts_spool_write(s, data.p + at, 100000));
    }
    check_content(w, s, data);
    assert_int_equal(f.opens, 1);
    ts_spool_free(s);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1); /* it is closed again */
    if (input >= 0) {
        assert_int_equal(dup2(input, STDIN_FILENO), STDIN_FILENO);
        (void)close(input);
    }
    free(data.p);
    place_free(w);
}

static void test_short_and_interrupted_calls(void **state)
{
    (void)state;
    place *w = place_new();
    faults f;
    use_faults(w->ctx, &f);
    f.write_max = 1000;
    f.interrupts = 1;
    bytes data = bytes_noise(100000);
    ts_spool *s;
    assert_ok(w->ctx, ts_spool_new(&s, w->ctx));
    assert_ok(w->ctx, ts_spool_write(s, data.p, data.n));
    check_content(w, s, data);
    ts_spool_free(s);
    free(data.p);
    place_free(w);
}

/* A full disk is an error that names the directory; what was spooled before stays readable. */
static void test_full_disk(void **state)
{
    (void)state;
    place *w = place_new();
    faults f;
    use_faults(w->ctx, &f);
    bytes data = bytes_noise(65536);
    ts_spool *s;
    assert_ok(w->ctx, ts_spool_new(&s, w->ctx));
    assert_ok(w->ctx, ts_spool_write(s, data.p, data.n));
    f.room = 5000;
    assert_code(w->ctx, ts_spool_write(s, "x", 1), TS_ERR_OUTPUT, w->spool);
    assert_non_null(strstr(w->ctx->error.causes[0], strerror(ENOSPC)));
    check_content(w, s, data);
    f.room = SIZE_MAX;
    assert_ok(w->ctx, ts_spool_write(s, "x", 1));
    assert_int_equal(ts_spool_size(s), 65537);
    ts_spool_free(s);
    free(data.p);
    place_free(w);
}

static void test_missing_directory(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(70000);
    ts_spool *s;
    w->ctx->tmpdir = "/nonexistent/place";
    assert_ok(w->ctx, ts_spool_new(&s, w->ctx));
    assert_code(w->ctx, ts_spool_write(s, data.p, data.n), TS_ERR_OUTPUT, "/nonexistent/place");
    ts_spool_free(s);
    free(data.p);
    place_free(w);
}

static void test_file_that_shrank(void **state)
{
    (void)state;
    place *w = place_new();
    faults f;
    use_faults(w->ctx, &f);
    bytes data = bytes_noise(70000);
    ts_spool *s;
    size_t n;
    assert_ok(w->ctx, ts_spool_new(&s, w->ctx));
    assert_ok(w->ctx, ts_spool_write(s, data.p, data.n));
    f.shrunk = true;
    assert_code(w->ctx, ts_spool_read(&n, s, 0, data.p, 10), TS_ERR_OUTPUT, "shorter");
    ts_spool_free(s);
    free(data.p);
    place_free(w);
}

/* --- integers --- */

/* The zigzag varint of a value has one byte more each time the value passes 2^(7k-1). */
static void test_int_sizes(void **state)
{
    static const struct {
        int64_t v;
        unsigned size;
    } cases[] = {
        {0, 1},         {-1, 1},         {63, 1},         {-64, 1},  {64, 2},
        {-65, 2},       {8191, 2},       {-8192, 2},      {8192, 3}, {INT32_MAX, 5},
        {INT32_MIN, 5}, {INT64_MAX, 10}, {INT64_MIN, 10},
    };
    (void)state;
    place *w = place_new();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ts_spool *s;
        ts_spool_cursor c;
        int64_t v;
        bool end;
        assert_ok(w->ctx, ts_spool_new(&s, w->ctx));
        assert_ok(w->ctx, ts_spool_put_int(s, cases[i].v));
        assert_int_equal(ts_spool_size(s), cases[i].size);
        ts_spool_rewind(&c, s);
        assert_ok(w->ctx, ts_spool_next_int(&v, &end, &c));
        assert_false(end);
        assert_true(v == cases[i].v);
        assert_ok(w->ctx, ts_spool_next_int(&v, &end, &c));
        assert_true(end);
        ts_spool_free(s);
    }
    place_free(w);
}

static int64_t nth_int(uint32_t i)
{
    static const int64_t edges[] = {0,         -1,  1,   INT64_MIN, INT64_MAX,
                                    INT32_MIN, 127, 128, -129,      1 << 20};
    uint64_t mixed = (i * UINT64_C(0x9e3779b97f4a7c15)) >> (i % 64);
    int64_t v;
    memcpy(&v, &mixed, sizeof v);
    return i % 3 == 0 ? edges[i / 3 % (sizeof edges / sizeof edges[0])] : v;
}

static void test_many_ints(void **state)
{
    enum { COUNT = 60000 };
    (void)state;
    place *w = place_new();
    ts_spool *s;
    ts_spool_cursor c;
    bool end = false;
    int64_t v;
    assert_ok(w->ctx, ts_spool_new(&s, w->ctx));
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_ok(w->ctx, ts_spool_put_int(s, nth_int(i)));
    }
    assert_true(ts_spool_size(s) > 3 * 65536);
    for (int round = 0; round < 2; round++) {
        ts_spool_rewind(&c, s);
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_ok(w->ctx, ts_spool_next_int(&v, &end, &c));
            assert_false(end);
            assert_true(v == nth_int(i));
        }
        assert_ok(w->ctx, ts_spool_next_int(&v, &end, &c));
        assert_true(end);
    }
    ts_spool_free(s);
    place_free(w);
}

static void test_cut_int(void **state)
{
    (void)state;
    place *w = place_new();
    ts_spool *s;
    ts_spool_cursor c;
    bool end;
    int64_t v;
    assert_ok(w->ctx, ts_spool_new(&s, w->ctx));
    assert_ok(w->ctx, ts_spool_write(s, "\x80", 1));
    ts_spool_rewind(&c, s);
    assert_int_equal(ts_spool_next_int(&v, &end, &c), TS_ERR_INTERNAL);
    ts_spool_free(s);
    place_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_small_makes_no_file),
        cmocka_unit_test(test_named_file_is_unlinked),
        cmocka_unit_test(test_descriptor_zero),
        cmocka_unit_test(test_short_and_interrupted_calls),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_missing_directory),
        cmocka_unit_test(test_file_that_shrank),
        cmocka_unit_test(test_int_sizes),
        cmocka_unit_test(test_many_ints),
        cmocka_unit_test(test_cut_int),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

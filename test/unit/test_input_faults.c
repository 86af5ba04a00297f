#include "input_pack.h"

#include "input/input_private.h"

#include <errno.h>

/*
 * Every system call and every allocation fails in turn while inputs are opened and read. There must
 * be an error (or, where a failure can be worked around, the right bytes), never a crash or a leak;
 * what was opened must be closed.
 */

typedef struct faults {
    ts_sys sys;
    ts_allocator allocator;
    unsigned calls; /* of the kind that fails */
    unsigned fail_at;
    int error;
    int open_files;
} faults;

static bool fails(faults *f)
{
    if (++f->calls == f->fail_at) {
        errno = f->error;
        return true;
    }
    return false;
}

static int f_open(void *user, const char *path, int flags, mode_t mode)
{
    faults *f = user;
    int fd = fails(f) ? -1 : f->sys.open(f->sys.user, path, flags, mode);
    f->open_files += fd >= 0;
    return fd;
}

static int f_close(void *user, int fd)
{
    faults *f = user;
    f->open_files--;
    return f->sys.close(f->sys.user, fd);
}

static ssize_t f_read(void *user, int fd, void *buf, size_t n)
{
    faults *f = user;
    return fails(f) ? -1 : f->sys.read(f->sys.user, fd, buf, n > 3000 ? 3000 : n);
}

static ssize_t f_pread(void *user, int fd, void *buf, size_t n, off_t off)
{
    faults *f = user;
    return fails(f) ? -1 : f->sys.pread(f->sys.user, fd, buf, n > 3000 ? 3000 : n, off);
}

static ssize_t f_pwrite(void *user, int fd, const void *buf, size_t n, off_t off)
{
    faults *f = user;
    return fails(f) ? -1 : f->sys.pwrite(f->sys.user, fd, buf, n, off);
}

static int f_fstat(void *user, int fd, struct stat *st)
{
    faults *f = user;
    /* fstat is never interrupted */
    return f->error != EINTR && fails(f) ? -1 : f->sys.fstat(f->sys.user, fd, st);
}

static int f_unlink(void *user, const char *path)
{
    faults *f = user;
    return f->sys.unlink(f->sys.user, path);
}

static void *f_realloc(void *user, void *p, size_t n)
{
    faults *f = user;
    return fails(f) ? NULL : f->allocator.realloc(f->allocator.user, p, n);
}

static void f_free(void *user, void *p)
{
    faults *f = user;
    f->allocator.free(f->allocator.user, p);
}

/* --- what is done under faults --- */

/* Everything that this layer can do with the first member at the bottom of a path. */
static ts_code use_input(bytes *out, ts_ctx *ctx, const char *path, bool blob)
{
    ts_fileset *outer = NULL;
    ts_stream *s = NULL;
    ts_code code = ts_fileset_open(&outer, ctx, path);
    ts_fileset *set = outer;
    *out = (bytes){NULL, 0};
    while (code == TS_OK && (code = ts_member_open(&s, set, 0)) == TS_OK) {
        ts_text head;
        ts_wrap wrap = ts_stream_wrap(s);
        if (wrap == TS_WRAP_NONE) {
            break;
        }
        code = ts_stream_peek(&head, s);
        ts_stream_close(s);
        s = NULL;
        code = code == TS_OK ? ts_member_enter(&set, set, 0) : code;
    }
    if (code == TS_OK && blob) {
        ts_blob *b;
        ts_stream_close(s);
        s = NULL;
        if ((code = ts_member_blob(&b, set, 0)) == TS_OK) {
            code = read_blob(out, b);
            ts_blob_close(b);
        }
    } else if (code == TS_OK) {
        code = read_stream(out, s, 100000);
    }
    ts_stream_close(s);
    ts_fileset_close(outer);
    return code;
}

/* Runs until no call fails any more. `memory` fails allocations instead of system calls. */
static void sweep(place *w, const char *path, bytes want, bool blob, bool memory, int error)
{
    ts_ctx *ctx = w->ctx;
    faults f = {.sys = ctx->sys, .allocator = ctx->allocator, .error = error};
    unsigned failed = 0;
    unsigned n = 0;
    if (memory) {
        ctx->allocator = (ts_allocator){&f, f_realloc, f_free};
    } else {
        ctx->sys.user = &f;
        ctx->sys.open = f_open;
        ctx->sys.close = f_close;
        ctx->sys.read = f_read;
        ctx->sys.pread = f_pread;
        ctx->sys.pwrite = f_pwrite;
        ctx->sys.fstat = f_fstat;
        ctx->sys.unlink = f_unlink;
    }
    do {
        bytes out;
        n++;
        f.calls = 0;
        f.fail_at = n;
        ctx->error = (ts_error){.code = TS_OK};
        ts_code code = use_input(&out, ctx, path, blob);
        assert_int_equal(f.open_files, 0);
        assert_int_equal(ctx->memory_used, 0);
        if (code == TS_OK) {
            assert_same(out, want);
        } else {
            assert_int_equal(code, ctx->error.code);
            assert_true(memory ? code == TS_ERR_NOMEM
                               : code == TS_ERR_INPUT || code == TS_ERR_OUTPUT);
            assert_true(ctx->error.count > 0);
            assert_true(memory || strstr(ctx->error.causes[0], strerror(error)) != NULL);
            failed++;
        }
        free(out.p);
    } while (f.calls >= n);
    assert_true(error == EINTR ? failed == 0 : failed > 0);
    ctx->sys = f.sys;
    ctx->allocator = f.allocator;
}

static void sweep_all(bytes in, bytes want)
{
    place *w = place_new();
    put_file(w, "in", in.p, in.n);
    for (int blob = 0; blob <= 1; blob++) {
        sweep(w, w->path, want, blob != 0, false, EIO);
        sweep(w, w->path, want, blob != 0, false, EINTR);
        sweep(w, w->path, want, blob != 0, true, ENOMEM);
    }
    place_free(w);
}

static void test_plain(void **state)
{
    (void)state;
    bytes data = bytes_noise(20000);
    sweep_all(data, data);
    free(data.p);
}

static void test_gzip(void **state)
{
    (void)state;
    bytes data = bytes_noise(100000);
    bytes in = gzip_bytes(data);
    sweep_all(in, data);
    in = zlib_over(in);
    sweep_all(in, data);
    free(in.p);
    free(data.p);
}

/* The memory of libzstd and liblz4 comes from libc and is not made to fail. */
static void test_other_codecs(void **state)
{
    (void)state;
    bytes data = bytes_noise(3000);
    for (int k = PACK_BZIP2; k < PACK_KINDS; k++) {
        bytes in = pack_bytes((enum pack_kind)k, data);
        sweep_all(in, data);
        free(in.p);
    }
    free(data.p);
}

static void test_mark(void **state)
{
    (void)state;
    bytes data = bytes_text(30000);
    bytes in = bytes_join(bytes_of("MarkPositionJSON->\n", 19), gzip_bytes(data));
    sweep_all(in, data);
    free(in.p);
    free(data.p);
}

/* libarchive's own memory does not come through base/alloc.h and is not made to fail. */
static void test_archives(void **state)
{
    (void)state;
    bytes data = bytes_noise(80000);
    for (int kind = MAKE_ZIP; kind <= MAKE_GNU; kind++) {
        bytes in = archive_over((enum maker_kind)kind, "m", bytes_of(data.p, data.n));
        sweep_all(in, data);
        free(in.p);
    }
    bytes in = gzip_over(archive_over(MAKE_ZIP, "m", gzip_bytes(data)));
    sweep_all(in, data);
    free(in.p);
    free(data.p);
}

/* A directory that cannot be opened below the argument is damage, not an error. */
static void test_directory(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(5000);
    assert_int_equal(mkdir(place_path(w, "d"), 0700), 0);
    assert_int_equal(mkdir(place_path(w, "d/sub"), 0700), 0);
    put_file(w, "d/a", data.p, data.n);
    put_file(w, "d/sub/b", data.p, data.n);
    (void)place_path(w, "d");
    sweep(w, w->path, data, false, false, EIO);
    sweep(w, w->path, data, true, true, ENOMEM);
    free(data.p);
    place_free(w);
}

static void test_joined_path(void **state)
{
    (void)state;
    place *w = place_new();
    faults f = {.allocator = w->ctx->allocator, .error = ENOMEM, .fail_at = 1};
    char *path = w->dir;
    assert_ok(w->ctx, ts_join_path(&path, w->ctx, "a/", "b"));
    assert_string_equal(path, "a/b");
    ts_free(w->ctx, path);
    w->ctx->allocator = (ts_allocator){&f, f_realloc, f_free};
    path = w->dir;
    assert_int_equal(ts_join_path(&path, w->ctx, "a", "b"), TS_ERR_NOMEM);
    assert_null(path);
    w->ctx->allocator = f.allocator;
    place_free(w);
}

/* Files that are given one by one. */
static void test_files(void **state)
{
    (void)state;
    place *w = place_new();
    char a[600];
    char b[600];
    const char *const paths[] = {a, b};
    bytes data = bytes_text(100);
    (void)snprintf(a, sizeof a, "%s", put_file(w, "a", data.p, data.n));
    (void)snprintf(b, sizeof b, "%s", put_file(w, "b\xff", data.p, data.n));
    faults f = {.allocator = w->ctx->allocator, .error = ENOMEM};
    w->ctx->allocator = (ts_allocator){&f, f_realloc, f_free};
    do {
        ts_fileset *set;
        f.fail_at++;
        f.calls = 0;
        ts_code code = ts_fileset_open_files(&set, w->ctx, paths, 2);
        assert_int_equal(code, f.calls >= f.fail_at ? TS_ERR_NOMEM : TS_OK);
        assert_int_equal(set != NULL, code == TS_OK);
        ts_fileset_close(set);
        assert_int_equal(w->ctx->memory_used, 0);
    } while (f.calls >= f.fail_at);
    assert_true(f.fail_at > 3);
    w->ctx->allocator = f.allocator;
    free(data.p);
    place_free(w);
}

static void test_unreadable_subdirectory(void **state)
{
    (void)state;
    place *w = place_new();
    ts_fileset *set;
    uint32_t n;
    assert_int_equal(mkdir(place_path(w, "d"), 0700), 0);
    assert_int_equal(mkdir(place_path(w, "d/sub"), 0700), 0);
    put_file(w, "d/a", "x", 1);
    put_file(w, "d/sub/b", "x", 1);
    faults f = {.sys = w->ctx->sys, .error = EACCES, .fail_at = 3}; /* open, fstat, open */
    w->ctx->sys.user = &f;
    w->ctx->sys.open = f_open;
    w->ctx->sys.close = f_close;
    w->ctx->sys.fstat = f_fstat;
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, place_path(w, "d")));
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, 1);
    assert_non_null(ts_fileset_damage(set));
    assert_non_null(strstr(ts_fileset_damage(set)->what, "'sub'"));
    assert_non_null(strstr(ts_fileset_damage(set)->what, strerror(EACCES)));
    ts_fileset_close(set);
    w->ctx->sys = f.sys;
    place_free(w);
}

/* A pipe: what a failed read leaves behind is an error, never a second try with bytes missing. */
static void test_pipe(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(40000);
    bytes in = gzip_bytes(data);
    for (int memory = 0; memory <= 1; memory++) {
        bool failed = true;
        for (unsigned n = 1; failed; n++) {
            bytes out;
            int fds[2];
            char path[40];
            assert_int_equal(pipe(fds), 0);
            assert_int_equal(write(fds[1], in.p, in.n), in.n);
            (void)close(fds[1]);
            (void)snprintf(path, sizeof path, "/dev/fd/%d", fds[0]);
            faults f = {
                .sys = w->ctx->sys, .allocator = w->ctx->allocator, .error = EIO, .fail_at = n};
            if (memory != 0) {
                w->ctx->allocator = (ts_allocator){&f, f_realloc, f_free};
            } else {
                w->ctx->sys.user = &f;
                w->ctx->sys.open = f_open;
                w->ctx->sys.close = f_close;
                w->ctx->sys.read = f_read;
                w->ctx->sys.fstat = f_fstat;
                w->ctx->sys.pread = f_pread;
                w->ctx->sys.pwrite = f_pwrite;
            }
            ts_code code = use_input(&out, w->ctx, path, n % 2 != 0);
            failed = f.calls >= n;
            assert_int_equal(code != TS_OK, failed);
            if (!failed) {
                assert_same(out, data);
            }
            assert_int_equal(w->ctx->memory_used, 0);
            assert_int_equal(f.open_files, 0);
            w->ctx->sys = f.sys;
            w->ctx->allocator = f.allocator;
            (void)close(fds[0]);
            free(out.p);
        }
    }
    free(in.p);
    free(data.p);
    place_free(w);
}

/* --max-memory is an error of its own. */
static void test_memory_limit(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(100000);
    bytes in = gzip_bytes(data);
    bytes out;
    put_file(w, "in", in.p, in.n);
    w->ctx->limits.max_memory = 100000;
    assert_int_equal(use_input(&out, w->ctx, w->path, false), TS_ERR_LIMIT);
    free(out.p);
    w->ctx->limits.max_memory = 2 << 20;
    assert_ok(w->ctx, use_input(&out, w->ctx, w->path, true));
    assert_same(out, data);
    free(out.p);
    free(in.p);
    free(data.p);
    place_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_other_codecs),
        cmocka_unit_test(test_mark),
        cmocka_unit_test(test_archives),
        cmocka_unit_test(test_directory),
        cmocka_unit_test(test_unreadable_subdirectory),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_joined_path),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

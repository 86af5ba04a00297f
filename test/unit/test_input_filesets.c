#include "input_make.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

/* --- single files --- */

static void test_names(void **state)
{
    static const struct {
        const char *path, *name;
    } cases[] = {
        {"plain.htrace", "plain.htrace"},
        {"with space", "with space"},
        {"bad\xff utf8", "bad\xef\xbf\xbd utf8"},
        {"\xe4\xb8\xad.htrace", "\xe4\xb8\xad.htrace"},
    };
    (void)state;
    place *w = place_new();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ts_fileset *set;
        uint32_t n;
        assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, put_file(w, cases[i].path, "abc", 3)));
        assert_int_equal(ts_fileset_kind(set), TS_SET_FILE);
        assert_string_equal(ts_fileset_name(set), cases[i].name);
        assert_ok(w->ctx, ts_fileset_count(&n, set));
        assert_int_equal(n, 1);
        assert_string_equal(ts_member_name(set, 0), cases[i].name);
        assert_int_equal(ts_fileset_raw_size(set), 3);
        assert_int_equal(ts_fileset_raw_offset(set), 0);
        assert_null(ts_fileset_damage(set));
        ts_fileset_close(set);
    }
    place_free(w);
}

static void test_cannot_open(void **state)
{
    (void)state;
    place *w = place_new();
    ts_fileset *set;
    assert_code(w->ctx, ts_fileset_open(&set, w->ctx, "/nonexistent/x"), TS_ERR_INPUT,
                "cannot open '/nonexistent/x': No such file or directory");
    assert_null(set);
    assert_code(w->ctx, ts_fileset_open(&set, w->ctx, ""), TS_ERR_INPUT, "cannot open ''");
    assert_code(w->ctx, ts_fileset_open(&set, w->ctx, "a\x1b[31m"), TS_ERR_INPUT, "\\x1b[31m");
    assert_int_equal(mknod(place_path(w, "socket"), S_IFSOCK | 0600, 0), 0);
    assert_code(w->ctx, ts_fileset_open(&set, w->ctx, w->path), TS_ERR_INPUT, w->path);
    place_free(w);
}

/* 0 bytes are no error here. */
static void test_empty_file(void **state)
{
    (void)state;
    place *w = place_new();
    ts_fileset *set;
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, put_file(w, "empty", "", 0)));
    assert_int_equal(ts_fileset_raw_size(set), 0);
    for (int i = 0; i < 3; i++) {
        ts_stream *s;
        ts_text head;
        bytes out;
        assert_ok(w->ctx, ts_member_open(&s, set, 0));
        assert_ok(w->ctx, ts_stream_peek(&head, s));
        assert_non_null(head.p);
        assert_int_equal(head.n, 0);
        assert_ok(w->ctx, read_stream(&out, s, 100));
        assert_int_equal(out.n, 0);
        assert_null(ts_stream_damage(s));
        ts_stream_close(s);
        free(out.p);
    }
    ts_blob *b;
    assert_ok(w->ctx, ts_member_blob(&b, set, 0));
    assert_int_equal(ts_blob_size(b), 0);
    ts_blob_close(b);
    ts_fileset_close(set);
    place_free(w);
}

static void test_peek(void **state)
{
    static const size_t sizes[] = {1, 4095, 4096, 4097, 100000};
    (void)state;
    place *w = place_new();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        ts_fileset *set;
        ts_stream *s;
        ts_text head;
        bytes data = bytes_noise(sizes[i]);
        bytes out;
        assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, put_file(w, "f", data.p, data.n)));
        assert_ok(w->ctx, ts_member_open(&s, set, 0));
        for (int again = 0; again < 2; again++) {
            assert_ok(w->ctx, ts_stream_peek(&head, s));
            assert_int_equal(head.n, data.n < 4096 ? data.n : 4096);
            assert_memory_equal(head.p, data.p, head.n);
            assert_int_equal(ts_stream_offset(s), 0);
        }
        assert_ok(w->ctx, read_stream(&out, s, 1000));
        assert_same(out, data);
        ts_stream_close(s);
        ts_fileset_close(set);
        free(out.p);
        free(data.p);
    }
    place_free(w);
}

static void test_progress(void **state)
{
    (void)state;
    place *w = place_new();
    ts_fileset *set;
    ts_stream *s;
    char buf[1000];
    size_t got;
    bytes data = bytes_noise(1000000);
    bytes in = gzip_bytes(data);
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, put_file(w, "f", in.p, in.n)));
    assert_int_equal(ts_fileset_raw_size(set), in.n);
    uint64_t last = 0;
    for (int round = 0; round < 2; round++) { /* reading anew does not count twice */
        assert_ok(w->ctx, ts_member_open(&s, set, 0));
        do {
            assert_ok(w->ctx, ts_stream_read(&got, s, buf, sizeof buf));
            assert_true(ts_fileset_raw_offset(set) >= last);
            last = ts_fileset_raw_offset(set);
        } while (got > 0);
        ts_stream_close(s);
        assert_int_equal(last, in.n);
    }
    ts_fileset_close(set);
    free(in.p);
    free(data.p);
    place_free(w);
}

/* A file of /proc has no size and is read all the same. */
static void test_proc_file(void **state)
{
    (void)state;
    place *w = place_new();
    ts_fileset *set;
    ts_blob *b;
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, "/proc/version"));
    assert_false(ts_member_seekable(set, 0));
    assert_ok(w->ctx, ts_member_blob(&b, set, 0));
    assert_true(ts_blob_size(b) > 0);
    ts_blob_close(b);
    ts_fileset_close(set);
    place_free(w);
}

static volatile sig_atomic_t stop;

static void test_cancel(void **state)
{
    (void)state;
    place *w = place_new();
    ts_fileset *set;
    ts_stream *s;
    ts_blob *b;
    bytes data = bytes_noise(1000000);
    char *block = malloc(100000);
    size_t got;
    stop = 0;
    w->ctx->cancel = &stop;
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, put_file(w, "f", data.p, data.n)));
    assert_ok(w->ctx, ts_member_open(&s, set, 0));
    stop = SIGINT;
    ts_code code = TS_OK;
    for (int i = 0; i < 10 && code == TS_OK; i++) {
        code = ts_stream_read(&got, s, block, 100000);
    }
    assert_int_equal(code, TS_ERR_INTERRUPTED);
    assert_int_equal(ts_member_blob(&b, set, 0), TS_ERR_INTERRUPTED);
    ts_stream_close(s);
    ts_fileset_close(set);
    assert_int_equal(ts_fileset_open(&set, w->ctx, w->path), TS_ERR_INTERRUPTED);
    w->ctx->cancel = NULL;
    free(block);
    free(data.p);
    place_free(w);
}

/* --- directories --- */

static void make_tree(place *w)
{
    char link[700];
    static const char *const dirs[] = {"t", "t/b", "t/b/deep", "t/empty", "t/a"};
    static const char *const files[] = {"t/b.x", "t/b/deep/z", "t/b/1", "t/B",
                                        "t/a/x", "t/a-x",      "t/\xff"};
    for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
        assert_int_equal(mkdir(place_path(w, dirs[i]), 0700), 0);
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        put_file(w, files[i], files[i], strlen(files[i]));
    }
    put_file(w, "outside", "outside", 7);
    (void)snprintf(link, sizeof link, "%s/outside", w->dir);
    assert_int_equal(symlink(link, place_path(w, "t/link")), 0);
    assert_int_equal(symlink("..", place_path(w, "t/b/loop")), 0);
    assert_int_equal(symlink("nowhere", place_path(w, "t/dangling")), 0);
    assert_int_equal(mkfifo(place_path(w, "t/fifo"), 0600), 0);
}

/* Relative names in the order of their bytes; links to files are followed, to directories not. */
static void test_directory(void **state)
{
    static const struct {
        const char *name, *content;
    } want[] = {
        {"B", "t/B"},        {"a-x", "t/a-x"},           {"a/x", "t/a/x"},
        {"b.x", "t/b.x"},    {"b/1", "t/b/1"},           {"b/deep/z", "t/b/deep/z"},
        {"link", "outside"}, {"\xef\xbf\xbd", "t/\xff"},
    };
    (void)state;
    place *w = place_new();
    make_tree(w);
    for (int slash = 0; slash <= 1; slash++) {
        ts_fileset *set;
        uint32_t n;
        int64_t total = 0;
        assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, place_path(w, slash != 0 ? "t/" : "t")));
        assert_int_equal(ts_fileset_kind(set), TS_SET_DIRECTORY);
        assert_string_equal(ts_fileset_name(set), "t");
        assert_ok(w->ctx, ts_fileset_count(&n, set));
        assert_int_equal(n, sizeof want / sizeof want[0]);
        const char *first;
        assert_int_equal(ts_fileset_skipped(set), 1); /* the loop */
        assert_int_equal(ts_fileset_unread(&first, set), 2);
        assert_true(strcmp(first, "dangling") == 0 || strcmp(first, "fifo") == 0);
        assert_null(ts_fileset_damage(set));
        for (uint32_t i = 0; i < n; i++) {
            ts_stream *s;
            bytes out;
            assert_string_equal(ts_member_name(set, i), want[i].name);
            assert_true(ts_member_seekable(set, i));
            assert_ok(w->ctx, ts_member_open(&s, set, i));
            assert_ok(w->ctx, read_stream(&out, s, 100));
            assert_int_equal(out.n, strlen(want[i].content));
            assert_memory_equal(out.p, want[i].content, out.n);
            ts_stream_close(s);
            free(out.p);
            total += (int64_t)out.n;
        }
        assert_int_equal(ts_fileset_raw_size(set), total);
        assert_int_equal(ts_fileset_raw_offset(set), total);
        ts_fileset_close(set);
    }
    place_free(w);
}

static void test_directory_of_archives(void **state)
{
    (void)state;
    place *w = place_new();
    ts_fileset *set;
    ts_fileset *inner;
    uint32_t n;
    bytes data = bytes_text(1000);
    bytes zip = archive_over(MAKE_ZIP, "inside", bytes_of(data.p, data.n));
    bytes gz = gzip_bytes(data);
    assert_int_equal(mkdir(place_path(w, "d"), 0700), 0);
    put_file(w, "d/a.zip", zip.p, zip.n);
    put_file(w, "d/b.gz", gz.p, gz.n);
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, place_path(w, "d")));
    assert_ok(w->ctx, ts_member_enter(&inner, set, 0));
    assert_string_equal(ts_fileset_name(inner), "a.zip");
    assert_ok(w->ctx, ts_fileset_count(&n, inner));
    assert_int_equal(n, 1);
    ts_blob *b;
    bytes out;
    assert_ok(w->ctx, ts_member_blob(&b, inner, 0));
    assert_ok(w->ctx, read_blob(&out, b));
    assert_same(out, data);
    free(out.p);
    ts_blob_close(b);
    assert_true(ts_member_seekable(set, 0));
    assert_false(ts_member_seekable(inner, 0));
    assert_false(ts_member_seekable(set, 1));
    assert_ok(w->ctx, ts_member_blob(&b, set, 1));
    assert_ok(w->ctx, read_blob(&out, b));
    assert_same(out, data);
    free(out.p);
    ts_blob_close(b);
    ts_fileset_close(set);
    free(zip.p);
    free(gz.p);
    free(data.p);
    place_free(w);
}

static void test_directory_without_files(void **state)
{
    (void)state;
    place *w = place_new();
    ts_fileset *set;
    assert_int_equal(mkdir(place_path(w, "e"), 0700), 0);
    assert_code(w->ctx, ts_fileset_open(&set, w->ctx, place_path(w, "e")), TS_ERR_INPUT, w->path);
    assert_int_equal(mkdir(place_path(w, "e/f"), 0700), 0);
    assert_code(w->ctx, ts_fileset_open(&set, w->ctx, place_path(w, "e")), TS_ERR_INPUT,
                "holds no files");
    place_free(w);
}

static void test_directory_limit(void **state)
{
    (void)state;
    place *w = place_new();
    ts_fileset *set;
    char name[20];
    w->ctx->limits.archive_members = 5;
    assert_int_equal(mkdir(place_path(w, "l"), 0700), 0);
    for (int i = 1; i <= 6; i++) {
        (void)snprintf(name, sizeof name, "l/%d", i);
        put_file(w, name, "", 0);
        ts_code code = ts_fileset_open(&set, w->ctx, place_path(w, "l"));
        assert_int_equal(code, i <= 5 ? TS_OK : TS_ERR_LIMIT);
        ts_fileset_close(set);
    }
    assert_non_null(strstr(w->ctx->error.causes[0], "more than 5 entries"));
    place_free(w);
}

/* A file that went away, or became something else, after it was listed. */
static void test_member_is_gone(void **state)
{
    (void)state;
    place *w = place_new();
    ts_fileset *set;
    ts_stream *s;
    assert_int_equal(mkdir(place_path(w, "g"), 0700), 0);
    put_file(w, "g/file", "x", 1);
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, place_path(w, "g")));
    assert_int_equal(unlink(place_path(w, "g/file")), 0);
    assert_code(w->ctx, ts_member_open(&s, set, 0), TS_ERR_INPUT, w->path);
    assert_false(ts_member_seekable(set, 0));
    assert_int_equal(mkfifo(w->path, 0600), 0);
    assert_code(w->ctx, ts_member_open(&s, set, 0), TS_ERR_INPUT, "not a regular file any more");
    ts_fileset_close(set);
    place_free(w);
}

/* --- pipes --- */

typedef struct writer {
    bytes data;
    size_t step;
    int fd;
    const char *path; /* opened when fd is -1 */
} writer;

static void *write_pipe(void *user)
{
    writer *x = user;
    if (x->fd < 0) {
        x->fd = open(x->path, O_WRONLY);
    }
    for (size_t at = 0; at < x->data.n;) {
        size_t n = x->data.n - at < x->step ? x->data.n - at : x->step;
        ssize_t r = write(x->fd, x->data.p + at, n);
        if (r <= 0) {
            break;
        }
        at += (size_t)r;
    }
    (void)close(x->fd);
    return NULL;
}

enum pipe_kind { AS_STDIN, AS_DEV_FD, AS_FIFO };

static pthread_t start_pipe(place *w, writer *x, enum pipe_kind kind, char *path, int *keep)
{
    pthread_t thread;
    int fds[2];
    *keep = -1;
    if (kind == AS_FIFO) {
        assert_int_equal(mkfifo(place_path(w, "fifo"), 0600), 0);
        (void)snprintf(path, 600, "%s", w->path);
        x->fd = -1;
        x->path = path;
    } else {
        assert_int_equal(pipe(fds), 0);
        x->fd = fds[1];
        *keep = fds[0];
        (void)snprintf(path, 600, "/dev/fd/%d", fds[0]);
        if (kind == AS_STDIN) {
            assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
            (void)snprintf(path, 600, "-");
        }
    }
    assert_int_equal(pthread_create(&thread, NULL, write_pipe, x), 0);
    return thread;
}

static void check_pipe(enum pipe_kind kind, bytes in, size_t step, bytes want, bool blob)
{
    place *w = place_new();
    char path[600];
    writer x = {in, step, -1, NULL};
    ts_fileset *set;
    ts_stream *s;
    bytes out;
    int keep;
    pthread_t thread = start_pipe(w, &x, kind, path, &keep);
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, path));
    if (kind == AS_STDIN) {
        assert_string_equal(ts_fileset_name(set), "-");
    }
    assert_int_equal(ts_fileset_kind(set), TS_SET_FILE);
    assert_int_equal(ts_fileset_raw_size(set), -1);
    assert_false(ts_member_seekable(set, 0));
    /* To look does not use it up. */
    for (int i = 0; i < 3; i++) {
        ts_text head;
        assert_ok(w->ctx, ts_member_open(&s, set, 0));
        assert_ok(w->ctx, ts_stream_peek(&head, s));
        assert_int_equal(head.n, want.n < 4096 ? want.n : 4096);
        assert_memory_equal(head.p, want.p, head.n);
        ts_stream_close(s);
    }
    if (blob) {
        ts_blob *b;
        assert_ok(w->ctx, ts_member_blob(&b, set, 0));
        assert_ok(w->ctx, read_blob(&out, b));
        ts_blob_close(b);
    } else {
        assert_ok(w->ctx, ts_member_open(&s, set, 0));
        assert_ok(w->ctx, read_stream(&out, s, 5000));
        ts_stream_close(s);
    }
    assert_same(out, want);
    assert_int_equal(ts_fileset_raw_offset(set), in.n);
    if (in.n > 1000000) { /* what went past is gone */
        assert_code(w->ctx, ts_member_open(&s, set, 0), TS_ERR_INPUT, "only once");
    }
    ts_fileset_close(set);
    (void)pthread_join(thread, NULL);
    if (keep >= 0) {
        (void)close(keep);
    }
    free(out.p);
    place_free(w);
}

static void test_pipes(void **state)
{
    static const size_t sizes[] = {0, 1, 5000, 3000000};
    (void)state;
    int saved = dup(STDIN_FILENO);
    for (int kind = AS_STDIN; kind <= AS_FIFO; kind++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            bytes data = bytes_noise(sizes[i]);
            bytes gz = gzip_bytes(data);
            size_t step = sizes[i] > 5000 ? 100000 : 100;
            check_pipe((enum pipe_kind)kind, data, step, data, false);
            check_pipe((enum pipe_kind)kind, gz, step, data, i % 2 == 0);
            check_pipe((enum pipe_kind)kind, gz, step, data, i % 2 != 0);
            free(gz.p);
            free(data.p);
        }
    }
    (void)dup2(saved, STDIN_FILENO);
    (void)close(saved);
}

static void test_archive_in_pipe(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(300000);
    bytes in = archive_over(MAKE_ZIP, "m", bytes_of(data.p, data.n));
    char path[600];
    writer x = {in, 1000, -1, NULL};
    ts_fileset *set;
    ts_fileset *inner;
    ts_stream *s;
    bytes out;
    int keep;
    pthread_t thread = start_pipe(w, &x, AS_FIFO, path, &keep);
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, path));
    assert_ok(w->ctx, ts_member_open(&s, set, 0));
    assert_int_equal(ts_stream_wrap(s), TS_WRAP_ZIP);
    ts_stream *second;
    assert_int_equal(ts_member_open(&second, set, 0), TS_ERR_INTERNAL);
    ts_stream_close(s);
    assert_ok(w->ctx, ts_member_enter(&inner, set, 0));
    assert_ok(w->ctx, ts_member_open(&s, inner, 0));
    assert_ok(w->ctx, read_stream(&out, s, 5000));
    assert_same(out, data);
    ts_stream_close(s);
    ts_fileset_close(inner);
    ts_fileset_close(set);
    (void)pthread_join(thread, NULL);
    free(out.p);
    free(in.p);
    free(data.p);
    place_free(w);
}

/* A regular file as stdin is read at random, from where it stands. */
static void test_stdin_is_a_file(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(10000);
    ts_fileset *set;
    ts_blob *b;
    bytes out;
    int saved = dup(STDIN_FILENO);
    int fd = open(put_file(w, "f", data.p, data.n), O_RDONLY);
    assert_int_equal(lseek(fd, 100, SEEK_SET), 100);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    (void)close(fd);
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, "-"));
    assert_int_equal(ts_fileset_raw_size(set), data.n - 100);
    assert_true(ts_member_seekable(set, 0));
    assert_ok(w->ctx, ts_member_blob(&b, set, 0));
    assert_ok(w->ctx, read_blob(&out, b));
    assert_same(out, ((bytes){data.p + 100, data.n - 100}));
    ts_blob_close(b);
    ts_fileset_close(set);
    fd = open(w->dir, O_RDONLY | O_DIRECTORY);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    (void)close(fd);
    assert_code(w->ctx, ts_fileset_open(&set, w->ctx, "-"), TS_ERR_INPUT, strerror(EISDIR));
    (void)dup2(saved, STDIN_FILENO);
    (void)close(saved);
    free(out.p);
    free(data.p);
    place_free(w);
}

/* --- blobs --- */

static void check_blob(place *w, const char *path, bytes want, bool seekable)
{
    ts_fileset *set;
    ts_blob *b;
    uint8_t *buf = malloc(100000);
    uint32_t x = 7;
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, path));
    assert_int_equal(ts_member_seekable(set, 0), seekable);
    assert_ok(w->ctx, ts_member_blob(&b, set, 0));
    assert_int_equal(ts_blob_size(b), want.n);
    for (int i = 0; i < 300; i++) {
        size_t got;
        x = x * 1103515245 + 12345;
        uint64_t off = x % (want.n + 10);
        size_t n = (x >> 8) % (i % 2 != 0 ? 100000 : 100);
        size_t left = off < want.n ? want.n - (size_t)off : 0;
        assert_ok(w->ctx, ts_blob_read(&got, b, off, buf, n));
        assert_int_equal(got, n < left ? n : left);
        if (got > 0) {
            assert_memory_equal(buf, want.p + off, got);
        }
    }
    size_t got;
    assert_ok(w->ctx, ts_blob_read(&got, b, UINT64_MAX, buf, 10));
    assert_int_equal(got, 0);
    ts_blob_close(b);
    ts_fileset_close(set);
    free(buf);
}

static void test_blobs(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(400000);
    bytes gz = gzip_bytes(data);
    bytes marked = bytes_join(bytes_of("MarkPositionJSON->x\n", 20), bytes_of(data.p, data.n));
    check_blob(w, put_file(w, "plain", data.p, data.n), data, true);
    check_blob(w, put_file(w, "gz", gz.p, gz.n), data, false);
    check_blob(w, put_file(w, "marked", marked.p, marked.n), data, true);
    free(marked.p);
    free(gz.p);
    free(data.p);
    place_free(w);
}

static void test_blob_of_a_file_that_shrinks(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(10000);
    ts_fileset *set;
    ts_blob *b;
    uint8_t buf[1000];
    size_t got;
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, put_file(w, "f", data.p, data.n)));
    assert_ok(w->ctx, ts_member_blob(&b, set, 0));
    assert_int_equal(truncate(w->path, 5500), 0);
    assert_ok(w->ctx, ts_blob_read(&got, b, 5000, buf, 1000));
    assert_int_equal(got, 500);
    assert_ok(w->ctx, ts_blob_read(&got, b, 9000, buf, 1000));
    assert_int_equal(got, 0);
    ts_blob_close(b);
    ts_fileset_close(set);
    free(data.p);
    place_free(w);
}

static void test_blob_damage(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(10000);
    bytes in = gzip_bytes(data);
    ts_fileset *set;
    ts_blob *b;
    assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, put_file(w, "f", in.p, in.n - 500)));
    assert_ok(w->ctx, ts_member_blob(&b, set, 0));
    assert_true(ts_blob_size(b) > 9000 && ts_blob_size(b) < 10000);
    assert_non_null(ts_blob_damage(b));
    assert_int_equal(ts_blob_damage(b)->offset, in.n - 500);
    ts_blob_close(b);
    ts_fileset_close(set);
    free(in.p);
    free(data.p);
    place_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_cannot_open),
        cmocka_unit_test(test_empty_file),
        cmocka_unit_test(test_peek),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_proc_file),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_directory),
        cmocka_unit_test(test_directory_of_archives),
        cmocka_unit_test(test_directory_without_files),
        cmocka_unit_test(test_directory_limit),
        cmocka_unit_test(test_member_is_gone),
        cmocka_unit_test(test_pipes),
        cmocka_unit_test(test_archive_in_pipe),
        cmocka_unit_test(test_stdin_is_a_file),
        cmocka_unit_test(test_blobs),
        cmocka_unit_test(test_blob_of_a_file_that_shrinks),
        cmocka_unit_test(test_blob_damage),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

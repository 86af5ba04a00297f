/*
 * Makes the inputs that the tests of the input layer read: a directory of the test's own,
 * compressed bytes, archives. Everything is made with zlib and libarchive directly, not with the
 * code under test.
 */
#ifndef TS_TEST_INPUT_MAKE_H
#define TS_TEST_INPUT_MAKE_H

#include "support.h"

#include "input/input.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

typedef struct bytes {
    uint8_t *p;
    size_t n;
} bytes;

/* A test's surroundings: a directory for its inputs and one for spools that must stay empty. */
typedef struct place {
    ts_ctx *ctx;
    char dir[256];
    char spool[280];
    char path[600]; /* of the file written last */
} place;

static inline place *place_new(void)
{
    place *w = calloc(1, sizeof *w);
    const char *base = getenv("TMPDIR");
    assert_non_null(w);
    (void)snprintf(w->dir, sizeof w->dir, "%s/ts_input_XXXXXX",
                   base != NULL && strlen(base) < 200 ? base : "/tmp");
    assert_non_null(mkdtemp(w->dir));
    (void)snprintf(w->spool, sizeof w->spool, "%s/spool", w->dir);
    assert_int_equal(mkdir(w->spool, 0700), 0);
    w->ctx = test_ctx_new();
    w->ctx->tmpdir = w->spool;
    return w;
}

static inline int place_remove_one(const char *path, const struct stat *st, int flag,
                                   struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static inline unsigned count_entries(const char *path)
{
    unsigned n = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir) != NULL) {
        n++;
    }
    (void)closedir(dir);
    return n - 2;
}

static inline void place_free(place *w)
{
    assert_int_equal(count_entries(w->spool), 0);
    (void)nftw(w->dir, place_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    test_ctx_free(w->ctx);
    free(w);
}

static inline const char *place_path(place *w, const char *name)
{
    (void)snprintf(w->path, sizeof w->path, "%s/%s", w->dir, name);
    return w->path;
}

/* Writes a file into the directory and returns its path (valid until the next call). */
static inline const char *put_file(place *w, const char *name, const void *p, size_t n)
{
    FILE *f = fopen(place_path(w, name), "wb");
    assert_non_null(f);
    if (n > 0) {
        assert_int_equal(fwrite(p, 1, n, f), n);
    }
    assert_int_equal(fclose(f), 0);
    return w->path;
}

/* --- bytes --- */

static inline bytes bytes_new(size_t n)
{
    bytes b = {calloc(1, n + 1), n};
    assert_non_null(b.p);
    return b;
}

static inline bytes bytes_of(const void *p, size_t n)
{
    bytes b = bytes_new(n);
    if (n > 0) {
        memcpy(b.p, p, n);
    }
    return b;
}

/* Bytes that deflate cannot shrink much; the same on every run. */
static inline bytes bytes_noise(size_t n)
{
    bytes b = bytes_new(n);
    uint32_t x = 12345;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        b.p[i] = (uint8_t)(x >> 24);
    }
    return b;
}

static inline bytes bytes_text(size_t n)
{
    bytes b = bytes_new(n);
    for (size_t i = 0; i < n; i++) {
        b.p[i] = (uint8_t) "trace streamer, line after line\n"[(i + i / 97) % 32];
    }
    return b;
}

static inline bytes bytes_join(bytes a, bytes b)
{
    bytes c = bytes_new(a.n + b.n);
    memcpy(c.p, a.p, a.n);
    memcpy(c.p + a.n, b.p, b.n);
    free(a.p);
    free(b.p);
    return c;
}

/* window_bits 31 = gzip, 15 = zlib. */
static inline bytes deflate_bytes(bytes in, int level, int window_bits)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    bytes out = bytes_new(deflateBound(&z, (uLong)in.n) + 64);
    z.next_in = in.p;
    z.avail_in = (uInt)in.n;
    z.next_out = out.p;
    z.avail_out = (uInt)out.n;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.n = z.total_out;
    (void)deflateEnd(&z);
    return out;
}

static inline bytes gzip_bytes(bytes in)
{
    return deflate_bytes(in, 6, 31);
}

static inline bytes zlib_bytes(bytes in)
{
    return deflate_bytes(in, 6, 15);
}

/* Wraps and frees what was wrapped. */
static inline bytes gzip_over(bytes in)
{
    bytes out = gzip_bytes(in);
    free(in.p);
    return out;
}

static inline bytes zlib_over(bytes in)
{
    bytes out = zlib_bytes(in);
    free(in.p);
    return out;
}

/* --- archives --- */

typedef struct maker {
    struct archive *a;
    bytes out;
} maker;

enum maker_kind { MAKE_ZIP, MAKE_ZIP_STORED, MAKE_USTAR, MAKE_V7, MAKE_PAX, MAKE_GNU };

static inline la_ssize_t maker_write(struct archive *a, void *user, const void *p, size_t n)
{
    maker *m = user;
    (void)a;
    m->out.p = realloc(m->out.p, m->out.n + n + 1);
    assert_non_null(m->out.p);
    memcpy(m->out.p + m->out.n, p, n);
    m->out.n += n;
    return (la_ssize_t)n;
}

static inline void maker_open(maker *m, enum maker_kind kind)
{
    memset(m, 0, sizeof *m);
    m->a = archive_write_new();
    assert_non_null(m->a);
    switch (kind) {
    case MAKE_ZIP:
    case MAKE_ZIP_STORED:
        assert_int_equal(archive_write_set_format_zip(m->a), ARCHIVE_OK);
        assert_int_equal(archive_write_set_options(m->a, kind == MAKE_ZIP
                                                             ? "zip:compression=deflate"
                                                             : "zip:compression=store"),
                         ARCHIVE_OK);
        break;
    case MAKE_USTAR:
        assert_int_equal(archive_write_set_format_ustar(m->a), ARCHIVE_OK);
        break;
    case MAKE_V7:
        assert_int_equal(archive_write_set_format_v7tar(m->a), ARCHIVE_OK);
        break;
    case MAKE_PAX:
        assert_int_equal(archive_write_set_format_pax(m->a), ARCHIVE_OK);
        break;
    case MAKE_GNU:
        assert_int_equal(archive_write_set_format_gnutar(m->a), ARCHIVE_OK);
        break;
    }
    (void)archive_write_set_bytes_in_last_block(m->a, 1);
    assert_int_equal(archive_write_open(m->a, m, NULL, maker_write, NULL), ARCHIVE_OK);
}

static inline void maker_entry(maker *m, const char *name, mode_t type, const char *link, bool hard,
                               const void *p, size_t n)
{
    struct archive_entry *e = archive_entry_new();
    assert_non_null(e);
    archive_entry_set_pathname(e, name);
    archive_entry_set_filetype(e, type);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_mtime(e, 1000000000, 0);
    archive_entry_set_size(e, (la_int64_t)n);
    if (link != NULL && hard) {
        archive_entry_set_hardlink(e, link);
    } else if (link != NULL) {
        archive_entry_set_symlink(e, link);
    }
    assert_true(archive_write_header(m->a, e) >= ARCHIVE_WARN);
    if (n > 0) {
        assert_int_equal(archive_write_data(m->a, p, n), n);
    }
    archive_entry_free(e);
}

static inline void maker_file(maker *m, const char *name, const void *p, size_t n)
{
    maker_entry(m, name, AE_IFREG, NULL, false, p, n);
}

static inline bytes maker_close(maker *m)
{
    assert_int_equal(archive_write_close(m->a), ARCHIVE_OK);
    (void)archive_write_free(m->a);
    return m->out;
}

/* An archive with one member; frees what went in. */
static inline bytes archive_over(enum maker_kind kind, const char *name, bytes in)
{
    maker m;
    maker_open(&m, kind);
    maker_file(&m, name, in.p, in.n);
    free(in.p);
    return maker_close(&m);
}

/* --- reading --- */

/* All bytes of a stream in reads of `step` bytes, until the end or an error. */
static inline ts_code read_stream(bytes *out, ts_stream *s, size_t step)
{
    size_t cap = 64 * 1024;
    uint8_t *block = malloc(step);
    ts_code code = TS_OK;
    size_t got = 1;
    out->p = malloc(cap);
    out->n = 0;
    assert_non_null(out->p);
    assert_non_null(block);
    while ((code = ts_stream_read(&got, s, block, step)) == TS_OK && got > 0) {
        assert_true(got <= step);
        while (out->n + got > cap) {
            cap *= 2;
            out->p = realloc(out->p, cap);
            assert_non_null(out->p);
        }
        memcpy(out->p + out->n, block, got);
        out->n += got;
    }
    free(block);
    return code;
}

static inline ts_code read_blob(bytes *out, ts_blob *b)
{
    size_t got;
    *out = bytes_new((size_t)ts_blob_size(b));
    ts_code code = ts_blob_read(&got, b, 0, out->p, out->n);
    out->n = got;
    return code;
}

#define assert_same(a, b)                                                                          \
    do {                                                                                           \
        assert_int_equal((a).n, (b).n);                                                            \
        if ((a).n > 0) {                                                                           \
            assert_memory_equal((a).p, (b).p, (a).n);                                              \
        }                                                                                          \
    } while (0)

#define assert_code(ctx, call, want, text)                                                         \
    do {                                                                                           \
        assert_int_equal((call), (want));                                                          \
        if (strstr((ctx)->error.causes[0], (text)) == NULL) {                                      \
            fail_msg("\"%s\" is not in \"%s\"", (text), (ctx)->error.causes[0]);                   \
        }                                                                                          \
    } while (0)

#endif

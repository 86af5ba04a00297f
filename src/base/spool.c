#include "base/spool.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/ckd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MEMORY_MIN = 1024,
    MEMORY_MAX = 64 * 1024,
    NAME_TRIES = 100,
    VARINT_MAX = 10,
};

/* Bytes [0, filed) are in the file, bytes [filed, filed + n) in memory. */
struct ts_spool {
    ts_ctx *ctx;
    int fd; /* -1 until the memory part was full for the first time */
    uint64_t filed;
    uint8_t *memory;
    size_t n;
    size_t cap;
};

ts_code ts_spool_new(ts_spool **out, ts_ctx *ctx)
{
    ts_spool *s = ts_zalloc(ctx, 1, sizeof *s);
    *out = s;
    TS_NEED(ctx, s);
    s->ctx = ctx;
    s->fd = -1;
    return TS_OK;
}

void ts_spool_free(ts_spool *s)
{
    if (s == NULL) {
        return;
    }
    ts_ctx *ctx = s->ctx;
    if (s->fd >= 0) {
        (void)ctx->sys.close(ctx->sys.user, s->fd);
    }
    ts_free(ctx, s->memory);
    ts_free(ctx, s);
}

uint64_t ts_spool_size(const ts_spool *s)
{
    return s->filed + s->n;
}

/* --- the file --- */

static ts_code fail_in_tmpdir(ts_ctx *ctx, const char *verb, int error)
{
    return ts_fail(ctx, TS_ERR_OUTPUT, "cannot %s a temporary file in '%s': %s", verb, ctx->tmpdir,
                   strerror(error));
}

/* For file systems without O_TMPFILE: a name of its own, taken away before anything is written. */
static ts_code create_and_unlink(int *fd, ts_ctx *ctx)
{
    char path[4096];
    for (int i = 0; i < NAME_TRIES; i++) {
        uint64_t random = (uint64_t)i;
        if (!ts_random(&random, sizeof random)) {
            random = ((uint64_t)getpid() << 32) + (uint64_t)i;
        }
        int n = snprintf(path, sizeof path, "%s/trace_streamer-%016" PRIx64, ctx->tmpdir, random);
        if (n < 0 || (size_t)n >= sizeof path) {
            return fail_in_tmpdir(ctx, "create", ENAMETOOLONG);
        }
        *fd = ctx->sys.open(ctx->sys.user, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            S_IRUSR | S_IWUSR);
        if (*fd >= 0) {
            if (ctx->sys.unlink(ctx->sys.user, path) == 0) {
                return TS_OK;
            }
            int error = errno;
            (void)ctx->sys.close(ctx->sys.user, *fd);
            *fd = -1;
            return fail_in_tmpdir(ctx, "unlink", error);
        }
        if (errno != EEXIST && errno != EINTR) {
            return fail_in_tmpdir(ctx, "create", errno);
        }
    }
    return fail_in_tmpdir(ctx, "create", EEXIST);
}

static ts_code make_file(ts_spool *s)
{
    ts_ctx *ctx = s->ctx;
#ifdef O_TMPFILE
    for (;;) {
        TS_TRY(ts_check_cancel(ctx));
        s->fd = ctx->sys.open(ctx->sys.user, ctx->tmpdir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC,
                              S_IRUSR | S_IWUSR);
        if (s->fd >= 0) {
            return TS_OK;
        }
        if (errno != EINTR) {
            break;
        }
    }
    /* What kernels and file systems answer that do not know the flag. */
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT) {
        return fail_in_tmpdir(ctx, "create", errno);
    }
#endif
    return create_and_unlink(&s->fd, ctx);
}

static ts_code write_out(ts_spool *s, const uint8_t *p, size_t n)
{
    ts_ctx *ctx = s->ctx;
    ts_code code = TS_OK;
    if (s->fd < 0 && (code = make_file(s)) != TS_OK) {
        return code;
    }
    uint64_t end;
    if (ts_ckd_add(&end, s->filed, (uint64_t)n) || end > INT64_MAX) {
        return fail_in_tmpdir(ctx, "write", EFBIG);
    }
    TS_TRY_INTO(code, ts_check_cancel(ctx));
    if (ts_sys_pwrite_all(ctx, s->fd, p, n, (off_t)s->filed) != 0) {
        return errno == EINTR ? ts_check_cancel(ctx) : fail_in_tmpdir(ctx, "write", errno);
    }
    s->filed = end;
    return TS_OK;
}

/* --- writing --- */

/* Makes room in memory for `more` bytes as far as the memory part may grow. */
static ts_code spool_grow(ts_spool *s, size_t more)
{
    if (s->cap == MEMORY_MAX || more <= s->cap - s->n) {
        return TS_OK;
    }
    size_t cap = s->cap == 0 ? MEMORY_MIN : s->cap;
    while (cap < MEMORY_MAX && cap - s->n < more) {
        cap *= 2;
    }
    void *p = ts_realloc(s->ctx, s->memory, cap, 1);
    TS_NEED(s->ctx, p);
    s->memory = p;
    s->cap = cap;
    return TS_OK;
}

ts_code ts_spool_write(ts_spool *s, const void *p, size_t n)
{
    const uint8_t *bytes = p;
    ts_code code = TS_OK;
    if (n == 0) {
        return TS_OK;
    }
    TS_TRY_INTO(code, spool_grow(s, n));
    if (n > s->cap - s->n) {
        /* A failed write leaves the memory part as it was, so the spool stays readable. */
        if (s->n > 0 && (code = write_out(s, s->memory, s->n)) != TS_OK) {
            return code;
        }
        s->n = 0;
        if (n >= MEMORY_MAX) {
            return write_out(s, bytes, n);
        }
    }
    memcpy(s->memory + s->n, bytes, n);
    s->n += n;
    return TS_OK;
}

ts_code ts_spool_file(int *fd, ts_spool *s)
{
    *fd = -1;
    TS_TRY(s->n > 0 || s->fd >= 0 ? TS_OK : make_file(s));
    TS_TRY(s->n == 0 ? TS_OK : write_out(s, s->memory, s->n));
    s->n = 0;
    *fd = s->fd;
    return TS_OK;
}

/* --- reading --- */

static ts_code spool_read_file(size_t *got, ts_spool *s, uint64_t off, uint8_t *buf, size_t n)
{
    ts_ctx *ctx = s->ctx;
    ts_code code = ts_check_cancel(ctx);
    ssize_t r;
    *got = 0;
    if (code != TS_OK) {
        return code;
    }
    r = ts_sys_pread_all(ctx, s->fd, buf, n, (off_t)off);
    if (r < 0) {
        return errno == EINTR ? ts_check_cancel(ctx) : fail_in_tmpdir(ctx, "read", errno);
    }
    *got = (size_t)r;
    return *got == n ? TS_OK
                     : ts_fail(ctx, TS_ERR_OUTPUT, "a temporary file in '%s' became shorter",
                               ctx->tmpdir);
}

ts_code ts_spool_read(size_t *got, ts_spool *s, uint64_t off, void *buf, size_t n)
{
    uint8_t *out = buf;
    *got = 0;
    if (off < s->filed && n > 0) {
        uint64_t left = s->filed - off;
        TS_TRY(spool_read_file(got, s, off, out, left < n ? (size_t)left : n));
        off += *got;
    }
    if (off >= s->filed && off - s->filed < s->n && *got < n) {
        size_t at = (size_t)(off - s->filed);
        size_t more = s->n - at < n - *got ? s->n - at : n - *got;
        memcpy(out + *got, s->memory + at, more);
        *got += more;
    }
    return TS_OK;
}

/* --- integers --- */

ts_code ts_spool_put_int(ts_spool *s, int64_t v)
{
    uint64_t zigzag = ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
    uint8_t bytes[VARINT_MAX];
    size_t n = 0;
    while (zigzag >= 0x80) {
        bytes[n++] = (uint8_t)(zigzag | 0x80);
        zigzag >>= 7;
    }
    bytes[n++] = (uint8_t)zigzag;
    if (n <= s->cap - s->n) {
        memcpy(s->memory + s->n, bytes, n);
        s->n += n;
        return TS_OK;
    }
    return ts_spool_write(s, bytes, n);
}

void ts_spool_rewind(ts_spool_cursor *c, ts_spool *s)
{
    c->spool = s;
    c->off = 0;
    c->at = 0;
    c->have = 0;
}

static ts_code spool_refill(ts_spool_cursor *c)
{
    size_t left = c->have - c->at;
    memmove(c->buf, c->buf + c->at, left);
    c->at = 0;
    c->have = left;
    size_t got;
    TS_TRY(ts_spool_read(&got, c->spool, c->off, c->buf + left, sizeof c->buf - left));
    c->have += got;
    c->off += got;
    return TS_OK;
}

ts_code ts_spool_next_int(int64_t *v, bool *end, ts_spool_cursor *c)
{
    *v = 0;
    *end = false;
    if (c->have - c->at < VARINT_MAX) {
        TS_TRY(spool_refill(c));
    }
    if (c->at == c->have) {
        *end = true;
        return TS_OK;
    }
    uint64_t zigzag = 0;
    for (unsigned shift = 0; shift < 64 && c->at < c->have; shift += 7) {
        uint8_t byte = c->buf[c->at++];
        zigzag |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            uint64_t value = (zigzag >> 1) ^ ((zigzag & 1) != 0 ? UINT64_MAX : 0);
            memcpy(v, &value, sizeof *v);
            return TS_OK;
        }
    }
    return ts_fail(c->spool->ctx, TS_ERR_INTERNAL, "a spooled integer is incomplete");
}

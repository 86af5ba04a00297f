#include "base/context.h"

#include "base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The calls themselves: `user` is not needed. */
#define SYS(type, name, call, ...)                                                                 \
    static type sys_##name(void *user, __VA_ARGS__)                                                \
    {                                                                                              \
        (void)user;                                                                                \
        return call;                                                                               \
    }
SYS(int, open, open(path, flags, mode), const char *path, int flags, mode_t mode)
SYS(int, close, close(fd), int fd)
SYS(ssize_t, read, read(fd, buf, n), int fd, void *buf, size_t n)
SYS(ssize_t, pread, pread(fd, buf, n, off), int fd, void *buf, size_t n, off_t off)
SYS(ssize_t, write, write(fd, buf, n), int fd, const void *buf, size_t n)
SYS(ssize_t, pwrite, pwrite(fd, buf, n, off), int fd, const void *buf, size_t n, off_t off)
SYS(int, fstat, fstat(fd, st), int fd, struct stat *st)
SYS(int, fsync, fsync(fd), int fd)
SYS(int, ftruncate, ftruncate(fd, len), int fd, off_t len)
SYS(int, rename, rename(from, to), const char *from, const char *to)
SYS(int, unlink, unlink(path), const char *path)
SYS(int, openat, openat(dir, name, flags, mode), int dir, const char *name, int flags, mode_t mode)
SYS(int, linkat, linkat(from_dir, from, to_dir, to, flags), int from_dir, const char *from,
    int to_dir, const char *to, int flags)
SYS(int, renameat, renameat(from_dir, from, to_dir, to), int from_dir, const char *from, int to_dir,
    const char *to)
SYS(int, unlinkat, unlinkat(dir, name, 0), int dir, const char *name)
SYS(void *, realloc, realloc(p, n), void *p, size_t n)

static void sys_free(void *user, void *p)
{
    (void)user;
    free(p);
}

static const ts_sys default_sys = {
    NULL,       sys_open,   sys_close,    sys_read,      sys_pread,  sys_write,
    sys_pwrite, sys_fstat,  sys_fsync,    sys_ftruncate, sys_rename, sys_unlink,
    sys_openat, sys_linkat, sys_renameat, sys_unlinkat,
};

/* Without randomness tables work as well, only not against inputs made to slow them down. */
static ts_hash_key draw_key(void)
{
    ts_hash_key key = {{0, 0}};
    if (!ts_random(&key, sizeof key)) {
        key = (ts_hash_key){{1, 2}};
    }
    return key;
}

void ts_ctx_init(ts_ctx *ctx)
{
    const char *tmpdir = getenv("TMPDIR");
    memset(ctx, 0, sizeof *ctx);
    ctx->allocator = (ts_allocator){NULL, sys_realloc, sys_free};
    ctx->sys = default_sys;
    ctx->logger.level = TS_LOG_ERROR;
    ctx->limits = (ts_limits){
        .max_memory = 0,
        .max_inflate = UINT64_C(64) << 30,
        .inflate_ratio = 1000,
        .inflate_grace = UINT64_C(64) << 20,
        .max_string = UINT64_C(512) << 20,
        .max_message = UINT64_C(256) << 20,
        .json_depth = 10000000,
        .archive_depth = 4,
        .archive_members = 100000,
    };
    ctx->hash_key = draw_key();
    ctx->version = "unknown";
    ctx->tmpdir = tmpdir != NULL && tmpdir[0] == '/' ? tmpdir : "/var/tmp";
}

ts_code ts_fail(ts_ctx *ctx, ts_code code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    ts_error_vset(&ctx->error, code, fmt, ap);
    va_end(ap);
    return code;
}

ts_code ts_cause(ts_ctx *ctx, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    ts_error_vadd(&ctx->error, fmt, ap);
    va_end(ap);
    return ctx->error.code;
}

/* True when a call that was interrupted must be made again. */
static bool again(const ts_ctx *ctx)
{
    return errno == EINTR && (ctx->cancel == NULL || *ctx->cancel == 0);
}

int ts_sys_open(ts_ctx *ctx, const char *path, int flags, mode_t mode)
{
    int fd;
    do {
        fd = ctx->sys.open(ctx->sys.user, path, flags, mode);
    } while (fd < 0 && again(ctx));
    return fd;
}

int ts_sys_fsync(ts_ctx *ctx, int fd)
{
    int r;
    do {
        r = ctx->sys.fsync(ctx->sys.user, fd);
    } while (r != 0 && again(ctx));
    return r;
}

int ts_sys_ftruncate(ts_ctx *ctx, int fd, off_t len)
{
    int r;
    do {
        r = ctx->sys.ftruncate(ctx->sys.user, fd, len);
    } while (r != 0 && again(ctx));
    return r;
}

/* Before all calls but the first. False: the signal asked the conversion to stop. */
static bool go_on(const ts_ctx *ctx, bool first)
{
    if (!first && ctx->cancel != NULL && *ctx->cancel != 0) {
        errno = EINTR;
        return false;
    }
    return true;
}

/* off: -1 for the position of the descriptor. */
static ssize_t read_bytes(ts_ctx *ctx, int fd, void *p, size_t n, off_t off)
{
    const ts_sys *sys = &ctx->sys;
    char *to = p;
    size_t done = 0;
    bool first = true;
    while (done < n) {
        ssize_t r;
        if (!go_on(ctx, first)) {
            return -1;
        }
        first = false;
        r = off < 0 ? sys->read(sys->user, fd, to + done, n - done)
                    : sys->pread(sys->user, fd, to + done, n - done, off + (off_t)done);
        if (r == 0) {
            break;
        }
        if (r > 0) {
            done += (size_t)r;
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return (ssize_t)done;
}

static int write_bytes(ts_ctx *ctx, int fd, const void *p, size_t n, off_t off)
{
    const ts_sys *sys = &ctx->sys;
    const char *from = p;
    size_t done = 0;
    bool first = true;
    while (done < n) {
        ssize_t r;
        if (!go_on(ctx, first)) {
            return -1;
        }
        first = false;
        r = off < 0 ? sys->write(sys->user, fd, from + done, n - done)
                    : sys->pwrite(sys->user, fd, from + done, n - done, off + (off_t)done);
        if (r > 0) {
            done += (size_t)r;
        } else if (r == 0) {
            errno = ENOSPC; /* trying again might never end */
            return -1;
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

/* Places after the largest of files fail before a sum overflows. */
static bool fits(off_t off, size_t n)
{
    int64_t end;
    if (off < 0 || __builtin_add_overflow(off, n, &end)) {
        errno = EFBIG;
        return false;
    }
    return true;
}

ssize_t ts_sys_read_all(ts_ctx *ctx, int fd, void *p, size_t n)
{
    return read_bytes(ctx, fd, p, n, -1);
}

ssize_t ts_sys_pread_all(ts_ctx *ctx, int fd, void *p, size_t n, off_t off)
{
    return fits(off, n) ? read_bytes(ctx, fd, p, n, off) : -1;
}

int ts_sys_write_all(ts_ctx *ctx, int fd, const void *p, size_t n)
{
    return write_bytes(ctx, fd, p, n, -1);
}

int ts_sys_pwrite_all(ts_ctx *ctx, int fd, const void *p, size_t n, off_t off)
{
    return fits(off, n) ? write_bytes(ctx, fd, p, n, off) : -1;
}

int ts_sys_close_written(ts_ctx *ctx, int fd)
{
    int r = ctx->sys.close(ctx->sys.user, fd);
    return r != 0 && errno == EINTR ? 0 : r;
}

ts_code ts_check_cancel(ts_ctx *ctx)
{
    /* The handler of signals runs in one thread, others look as well. */
    int number = ctx->cancel == NULL ? 0 : __atomic_load_n(ctx->cancel, __ATOMIC_RELAXED);
    return number == 0 ? TS_OK : ts_fail(ctx, TS_ERR_INTERRUPTED, "stopped by signal %d", number);
}

void ts_log(ts_ctx *ctx, ts_log_level level, const char *fmt, ...)
{
    char line[1024];
    va_list ap;
    if (ctx->logger.write == NULL || level > ctx->logger.level) {
        return;
    }
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    ctx->logger.write(ctx->logger.user, level, line);
}

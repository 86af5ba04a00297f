/* System calls on files of which one fails: for tests of what uses spools. */
#ifndef TS_TEST_SYS_FAULTS_H
#define TS_TEST_SYS_FAULTS_H

#include "support.h"

#include <errno.h>

typedef struct faults {
    ts_sys sys; /* the real calls */
    int calls;
    int fail_at; /* this call fails with EIO, from 1; 0: none */
    int files;   /* open */
} faults;

static inline bool fails(faults *f)
{
    if (++f->calls == f->fail_at) {
        errno = EIO;
        return true;
    }
    return false;
}

static inline int f_open(void *user, const char *path, int flags, mode_t mode)
{
    faults *f = user;
    int fd = fails(f) ? -1 : f->sys.open(f->sys.user, path, flags, mode);
    f->files += fd >= 0;
    return fd;
}

static inline int f_close(void *user, int fd)
{
    faults *f = user;
    f->files--;
    return f->sys.close(f->sys.user, fd);
}

static inline ssize_t f_pread(void *user, int fd, void *p, size_t n, off_t off)
{
    faults *f = user;
    return fails(f) ? -1 : f->sys.pread(f->sys.user, fd, p, n, off);
}

static inline ssize_t f_pwrite(void *user, int fd, const void *p, size_t n, off_t off)
{
    faults *f = user;
    return fails(f) ? -1 : f->sys.pwrite(f->sys.user, fd, p, n, off);
}

/* The calls of the context go through f, which begins anew. */
static inline void faults_begin(faults *f, ts_ctx *ctx, int fail_at)
{
    *f = (faults){.sys = ctx->sys, .fail_at = fail_at};
    ctx->sys.user = f;
    ctx->sys.open = f_open;
    ctx->sys.close = f_close;
    ctx->sys.pread = f_pread;
    ctx->sys.pwrite = f_pwrite;
}

#endif

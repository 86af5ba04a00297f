#include "cli/nameless.h"

#include "base/alloc.h"
#include "base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

ts_code ts_nameless_cannot(const ts_nameless_folder *folder, const char *verb, const char *name,
                           int error)
{
    return ts_fail(folder->ctx, TS_ERR_OUTPUT, "cannot %s %s: path=\"%s/%s\": %s", verb,
                   folder->what, folder->path, name, strerror(error));
}

/* A hidden name that no other program can guess and take first. */
static ts_code temporary_name(char **out, const ts_nameless *f)
{
    char name[96];
    unsigned long long number = 0;
    /* Without random numbers the names still differ; O_EXCL and linkat refuse what is taken. */
    if (!ts_random(&number, sizeof number)) {
        number = 0;
    }
    int n = snprintf(name, sizeof name, ".trace_streamer-%ld-%u-%016llx.part", (long)getpid(),
                     f->folder->made++, number);
    return ts_copy_text(out, f->folder->ctx, name, (size_t)n);
}

static int nameless_open_in(const ts_nameless *f, const char *name, int flags)
{
    const ts_sys *sys = &f->folder->ctx->sys;
    int fd;
    do {
        fd = sys->openat(sys->user, f->folder->dir, name, flags, 0666);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

ts_code ts_nameless_open(ts_nameless *f, ts_nameless_folder *folder, const char *name)
{
    *f = (ts_nameless){.folder = folder, .fd = -1};
#ifdef O_TMPFILE
    f->fd = nameless_open_in(f, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC);
    if (f->fd >= 0) {
        return TS_OK;
    }
#endif
    TS_TRY(temporary_name(&f->temporary, f));
    f->fd = nameless_open_in(f, f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC);
    if (f->fd < 0) {
        int error = errno;
        ts_free(folder->ctx, f->temporary);
        f->temporary = NULL;
        return ts_nameless_cannot(folder, "create", name, error);
    }
    return TS_OK;
}

ts_code ts_nameless_end(ts_nameless *f, const char *name)
{
    int fd = f->fd;
    if (f->temporary == NULL) {
        return TS_OK; /* it is closed with its name given */
    }
    f->fd = -1;
    return ts_sys_close_written(f->folder->ctx, fd) == 0
               ? TS_OK
               : ts_nameless_cannot(f->folder, "write", name, errno);
}

/* An existing file is never replaced. 0, or errno. */
static int link_as(const ts_nameless *f, const char *name)
{
    const ts_sys *sys = &f->folder->ctx->sys;
    const int dir = f->folder->dir;
    char self[40];
    (void)snprintf(self, sizeof self, "/proc/self/fd/%d", f->fd);
    int rc = f->temporary == NULL
                 ? sys->linkat(sys->user, AT_FDCWD, self, dir, name, AT_SYMLINK_FOLLOW)
                 : sys->linkat(sys->user, dir, f->temporary, dir, name, 0);
    return rc == 0 ? 0 : errno;
}

/* By way of a hidden name, so that the old file is replaced at once or not at all. */
static ts_code replace_file(ts_nameless *f, const char *name)
{
    ts_ctx *ctx = f->folder->ctx;
    const ts_sys *sys = &ctx->sys;
    if (f->temporary == NULL) {
        char *hidden;
        TS_TRY(temporary_name(&hidden, f));
        int error = link_as(f, hidden);
        if (error != 0) {
            ts_free(ctx, hidden);
            return ts_nameless_cannot(f->folder, "write", name, error);
        }
        f->temporary = hidden;
    }
    if (sys->renameat(sys->user, f->folder->dir, f->temporary, f->folder->dir, name) != 0) {
        return ts_nameless_cannot(f->folder, "write", name, errno);
    }
    ts_free(ctx, f->temporary);
    f->temporary = NULL;
    return TS_OK;
}

ts_code ts_nameless_name(ts_nameless *f, const char *name, bool replace)
{
    if (replace) {
        return replace_file(f, name);
    }
    int error = link_as(f, name);
    return error == 0 ? TS_OK : ts_nameless_cannot(f->folder, "write", name, error);
}

void ts_nameless_free(ts_nameless *f)
{
    if (f->folder == NULL) {
        return;
    }
    ts_ctx *ctx = f->folder->ctx;
    if (f->fd >= 0) {
        (void)ctx->sys.close(ctx->sys.user, f->fd);
    }
    if (f->temporary != NULL) {
        (void)ctx->sys.unlinkat(ctx->sys.user, f->folder->dir, f->temporary);
    }
    ts_free(ctx, f->temporary);
    *f = (ts_nameless){.fd = -1};
}

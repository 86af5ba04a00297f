#include "cli/work_folder.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Removes what is in a folder by `empty`; takes the descriptor. */
static void empty_fd(const ts_work_folder *f, int fd)
{
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        (void)close(fd);
        return;
    }
    f->empty(dir);
    (void)closedir(dir);
}

/* Removes a folder of this user that no process holds. */
static void remove_dead(const ts_work_folder *f, int tmpdir, const char *name)
{
    struct stat st;
    int fd = openat(tmpdir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & 077) != 0 ||
        flock(fd, LOCK_EX | LOCK_NB) != 0) {
        (void)close(fd);
        return;
    }
    int held = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* the lock, until the name is gone */
    empty_fd(f, fd);
    (void)unlinkat(tmpdir, name, AT_REMOVEDIR);
    if (held >= 0) {
        (void)close(held);
    }
}

static void remove_all_dead(const ts_work_folder *f, const char *below)
{
    DIR *dir = opendir(below);
    struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, f->prefix, strlen(f->prefix)) == 0) {
            remove_dead(f, dirfd(dir), entry->d_name);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
}

/* Holds a new folder, so that no other run removes it. False: one has done so already. */
static bool hold(ts_work_folder *f)
{
    struct stat st;
    f->held = open(f->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->held >= 0) {
        (void)flock(f->held, LOCK_EX);
    }
    if (stat(f->path, &st) == 0) {
        return true;
    }
    if (f->held >= 0) {
        (void)close(f->held);
    }
    return false;
}

ts_code ts_work_folder_make(ts_work_folder *f, ts_ctx *ctx)
{
    ts_buf path = {0};
    remove_all_dead(f, ctx->tmpdir);
    ts_code code = ts_buf_printf(ctx, &path, "%s/%sXXXXXX%c", ctx->tmpdir, f->prefix, 0);
    TS_STEP(code, ts_copy_text(&f->path, ctx, path.p, path.n - 1));
    if (code == TS_OK && (mkdtemp(f->path) == NULL || !hold(f))) {
        code = ts_fail(ctx, TS_ERR_OUTPUT, "cannot make a directory in %s: %s", ctx->tmpdir,
                       strerror(errno));
        ts_free(ctx, f->path);
        f->path = NULL;
    }
    ts_buf_free(ctx, &path);
    return code;
}

void ts_work_folder_remove(ts_work_folder *f, ts_ctx *ctx)
{
    if (f->path == NULL) {
        return;
    }
    int fd = open(f->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        empty_fd(f, fd);
    }
    (void)rmdir(f->path);
    (void)close(f->held);
    ts_free(ctx, f->path);
    f->path = NULL;
}

#include "cli/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static ts_code open_as_it_is(ts_text_file *f, const char *path)
{
    ts_ctx *ctx = f->ctx;
    f->fd = ts_sys_open(ctx, path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (f->fd < 0 && errno == EINTR && ts_check_cancel(ctx) != TS_OK) {
        return ctx->error.code;
    }
    if (f->fd < 0) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "cannot open the file for writing: path=\"%s\": %s",
                       path, strerror(errno));
    }
    f->owned = true;
    return TS_OK;
}

ts_code ts_text_file_open(ts_text_file *f, ts_ctx *ctx, const char *path, bool sync,
                          ts_outputs *outputs)
{
    struct stat st;
    *f = (ts_text_file){.ctx = ctx, .fd = -1};
    f->name = path == NULL ? "standard output" : path;
    if (path == NULL) {
        f->fd = STDOUT_FILENO;
        return TS_OK;
    }
    if ((stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) ||
        ts_outputs_is_open_file(outputs, path)) {
        ts_code code = open_as_it_is(f, path);
        f->name = code == TS_OK ? f->name : NULL;
        return code;
    }
    const ts_target_options target = {.text = true, .sync = sync, .reads = &outputs->reads};
    ts_code code = ts_target_open(&f->target, ctx, path, &target);
    if (code == TS_OK) {
        f->fd = ts_target_fd(f->target);
    } else {
        f->name = NULL;
    }
    return code;
}

ts_code ts_text_file_restart(ts_text_file *f)
{
    struct stat st;
    bool file = f->target != NULL || (f->owned && fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode));
    if (file && (ts_sys_ftruncate(f->ctx, f->fd, 0) != 0 || lseek(f->fd, 0, SEEK_SET) != 0)) {
        return ts_fail(f->ctx, TS_ERR_OUTPUT, "cannot write to %s: %s", f->name, strerror(errno));
    }
    return TS_OK;
}

ts_code ts_text_file_prepare(ts_text_file *f)
{
    if (f->target == NULL) {
        return TS_OK;
    }
    /* Network file systems report at a close what they could not write; the target's own
     * descriptor holds its lock. */
    int copy = ts_sys_open(f->ctx, ts_target_path(f->target), O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (copy < 0 || ts_sys_close_written(f->ctx, copy) != 0) {
        return ts_fail(f->ctx, TS_ERR_OUTPUT, "cannot write to %s: %s", f->name, strerror(errno));
    }
    return ts_target_prepare(f->target);
}

ts_code ts_text_file_rename(ts_text_file *f)
{
    return f->target == NULL ? TS_OK : ts_target_rename(f->target);
}

void ts_text_file_close(ts_text_file *f)
{
    ts_target_free(f->target);
    if (f->owned) {
        (void)f->ctx->sys.close(f->ctx->sys.user, f->fd);
    }
    f->target = NULL;
    f->owned = false;
}

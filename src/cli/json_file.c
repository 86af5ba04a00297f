#include "cli/json_file.h"

#include "cli/print.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static ts_code open_as_it_is(ts_json_file *j, const char *path)
{
    ts_ctx *ctx = j->ctx;
    j->fd = ts_sys_open(ctx, path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (j->fd < 0 && errno == EINTR && ts_check_cancel(ctx) != TS_OK) {
        return ctx->error.code;
    }
    if (j->fd < 0) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "cannot open the file for writing: path=\"%s\": %s",
                       path, strerror(errno));
    }
    j->owned = true;
    return TS_OK;
}

ts_code ts_json_file_open(ts_json_file *j, ts_ctx *ctx, const ts_options *options,
                          ts_outputs *outputs)
{
    const char *path = options->json_file;
    struct stat st;
    *j = (ts_json_file){.ctx = ctx, .fd = -1};
    if (!options->json) {
        return TS_OK;
    }
    j->name = path == NULL ? "standard output" : path;
    if (path == NULL) {
        j->fd = STDOUT_FILENO;
        return TS_OK;
    }
    if ((stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) ||
        ts_outputs_is_open_file(outputs, path)) {
        ts_code code = open_as_it_is(j, path);
        j->name = code == TS_OK ? j->name : NULL;
        return code;
    }
    const ts_target_options target = {
        .text = true, .sync = options->sync, .reads = &outputs->reads};
    ts_code code = ts_target_open(&j->target, ctx, path, &target);
    if (code == TS_OK) {
        j->fd = ts_target_fd(j->target);
    } else {
        j->name = NULL;
    }
    return code;
}

ts_code ts_json_file_write(ts_json_file *j, const ts_summary *summary)
{
    ts_ctx *ctx = j->ctx;
    ts_output out;
    struct stat st;
    if (j->name == NULL) {
        return TS_OK;
    }
    ts_output_init(&out, ctx, j->fd, j->name);
    ts_code code = ts_summary_json(&out.buf, summary);
    bool file = j->target != NULL || (j->owned && fstat(j->fd, &st) == 0 && S_ISREG(st.st_mode));
    if (code == TS_OK && file &&
        (ts_sys_ftruncate(ctx, j->fd, 0) != 0 || lseek(j->fd, 0, SEEK_SET) != 0)) {
        code = ts_fail(ctx, TS_ERR_OUTPUT, "cannot write to %s: %s", out.name, strerror(errno));
    }
    if (code == TS_OK) {
        code = ts_output_flush(&out);
    }
    if (out.gone) {
        code = TS_OK;
    }
    ts_output_free(&out);
    return code;
}

ts_code ts_json_file_prepare(ts_json_file *j)
{
    if (j->target == NULL) {
        return TS_OK;
    }
    /* Network file systems report at a close what they could not write; the target's own
     * descriptor holds its lock. */
    int copy = ts_sys_open(j->ctx, ts_target_path(j->target), O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0);
    if (copy < 0 || ts_sys_close_written(j->ctx, copy) != 0) {
        return ts_fail(j->ctx, TS_ERR_OUTPUT, "cannot write to %s: %s", j->name, strerror(errno));
    }
    return ts_target_prepare(j->target);
}

ts_code ts_json_file_rename(ts_json_file *j)
{
    return j->target == NULL ? TS_OK : ts_target_rename(j->target);
}

void ts_json_file_close(ts_json_file *j)
{
    ts_target_free(j->target);
    if (j->owned) {
        (void)j->ctx->sys.close(j->ctx->sys.user, j->fd);
    }
    j->target = NULL;
    j->owned = false;
}

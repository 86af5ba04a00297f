#include "cli/log_file.h"

#include "cli/print.h"
#include "cli/progress.h"
#include "session/conversion.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* ts_outputs_check has let the name pass; the file that is opened is asked about once more. */
static ts_code open_log(int *out, ts_ctx *ctx, const char *path, ts_file_set *reads)
{
    const ts_sys *sys = &ctx->sys;
    struct stat st;
    ts_code code = TS_OK;
    int fd = ts_sys_open(ctx, path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_APPEND, 0666);
    if (fd < 0 && errno == EINTR && (code = ts_check_cancel(ctx)) != TS_OK) {
        return code;
    }
    if (fd < 0 || sys->fstat(sys->user, fd, &st) != 0) {
        code = ts_fail(ctx, TS_ERR_OUTPUT, "cannot open the file for writing: path=\"%s\": %s",
                       path, strerror(errno));
    } else if (S_ISREG(st.st_mode) && ts_file_set_has(reads, &st)) {
        code =
            ts_fail(ctx, TS_ERR_USAGE, "the output of --log-file is an input: path=\"%s\"", path);
    }
    if (code == TS_OK) {
        *out = fd;
    } else if (fd >= 0) {
        (void)sys->close(sys->user, fd);
    }
    return code;
}

static void write_line(void *user, ts_log_level level, const char *line)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};
    const ts_log_file *log = user;
    char text[1200];
    int n = snprintf(text, sizeof text, "[%9.3f] %s: %s\n", ts_now() - log->started, names[level],
                     line);
    size_t length = n < 0 ? 0 : (size_t)n;
    length = length < sizeof text ? length : sizeof text - 1;
    /* A log that cannot be written is no reason to stop. */
    (void)log->ctx->sys.write(log->ctx->sys.user, log->fd, text, length);
}

ts_code ts_log_open(ts_log_file *log, ts_ctx *ctx, const ts_options *options, ts_file_set *reads)
{
    *log = (ts_log_file){ctx, -1, false, ts_now()};
    int level = options->level;
    if (level == TS_LEVEL_UNSET) {
        level = options->log_file != NULL ? TS_LOG_INFO : TS_LEVEL_OFF;
    }
    if (options->log_file != NULL) {
        log->owned = true;
        TS_TRY(open_log(&log->fd, ctx, options->log_file, reads));
    } else {
        log->fd = STDERR_FILENO;
    }
    if (level != TS_LEVEL_OFF) {
        ctx->logger = (ts_logger){log, (ts_log_level)level, write_line};
    }
    return TS_OK;
}

void ts_log_close(ts_log_file *log)
{
    if (log->owned && log->fd >= 0) {
        log->ctx->logger.write = NULL;
        (void)log->ctx->sys.close(log->ctx->sys.user, log->fd);
        log->fd = -1;
    }
}

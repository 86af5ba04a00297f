#include "cli/log_file.h"

#include "cli/print.h"
#include "cli/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static bool same_file(const struct stat *a, const char *path)
{
    struct stat b;
    return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

bool ts_is_input(const struct stat *st, const ts_options *options)
{
    for (size_t i = 0; i < options->path_count; i++) {
        if (same_file(st, options->paths[i])) {
            return true;
        }
    }
    return options->query_file != NULL && same_file(st, options->query_file);
}

ts_code ts_open_text_file(int *out, ts_ctx *ctx, const char *path, int flags,
                          const ts_options *options)
{
    static const char twice[] = "a file for text is an input or the database as well: path=\"%s\"";
    const ts_sys *sys = &ctx->sys;
    const char *db = options->export_db;
    struct stat st;
    ts_code code = TS_OK;
    *out = -1;
    if (db != NULL && strcmp(path, db) == 0) { /* before it would be created */
        return ts_fail(ctx, TS_ERR_USAGE, twice, path);
    }
    int fd = ts_sys_open(ctx, path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | flags, 0666);
    if (fd < 0 && errno == EINTR && (code = ts_check_cancel(ctx)) != TS_OK) {
        return code;
    }
    if (fd < 0 || sys->fstat(sys->user, fd, &st) != 0) {
        code = ts_fail(ctx, TS_ERR_OUTPUT, "cannot open the file for writing: path=\"%s\": %s",
                       path, strerror(errno));
    } else if (S_ISREG(st.st_mode) &&
               (ts_is_input(&st, options) || (db != NULL && same_file(&st, db)))) {
        code = ts_fail(ctx, TS_ERR_USAGE, twice, path);
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

ts_code ts_log_open(ts_log_file *log, ts_ctx *ctx, const ts_options *options)
{
    *log = (ts_log_file){ctx, -1, false, ts_now()};
    int level = options->level;
    if (level == TS_LEVEL_UNSET) {
        level = options->log_file != NULL ? TS_LOG_INFO : TS_LEVEL_OFF;
    }
    if (options->log_file != NULL) {
        log->owned = true;
        ts_code code = ts_open_text_file(&log->fd, ctx, options->log_file, O_APPEND, options);
        if (code != TS_OK) {
            return code;
        }
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

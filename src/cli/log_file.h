/* -l and --log-file: the log lines of the conversion, on standard error or in a file. */
#ifndef TS_CLI_LOG_FILE_H
#define TS_CLI_LOG_FILE_H

#include "base/file_set.h"
#include "cli/options.h"

typedef struct ts_log_file {
    ts_ctx *ctx;
    int fd; /* -1: no log */
    bool owned;
    double started;
} ts_log_file;

/*
 * Sets ctx->logger as asked for. The file is appended to. TS_ERR_OUTPUT when it cannot be opened,
 * TS_ERR_USAGE when it is one of `reads`. `log` outlives the context's use; close with
 * ts_log_close.
 */
ts_code ts_log_open(ts_log_file *log, ts_ctx *ctx, const ts_options *options, ts_file_set *reads);
void ts_log_close(ts_log_file *log);

#endif

/* -l and --log-file: the log lines of the conversion, on standard error or in a file. */
#ifndef TS_CLI_LOG_FILE_H
#define TS_CLI_LOG_FILE_H

#include "cli/options.h"

typedef struct ts_log_file {
    ts_ctx *ctx;
    int fd; /* -1: no log */
    bool owned;
    double started;
} ts_log_file;

/*
 * Sets ctx->logger as asked for. The file is appended to. TS_ERR_OUTPUT when it cannot be opened,
 * TS_ERR_USAGE when it is an input. `log` outlives the context's use; close with ts_log_close.
 */
ts_code ts_log_open(ts_log_file *log, ts_ctx *ctx, const ts_options *options);
void ts_log_close(ts_log_file *log);

/*
 * Opens a file for text beside the database: created when missing, not truncated. TS_ERR_USAGE
 * when it is one of the inputs or the database; *out is -1 then and on every error.
 */
ts_code ts_open_text_file(int *out, ts_ctx *ctx, const char *path, int flags,
                          const ts_options *options);

/* True when st is the file of one of the inputs. */
bool ts_is_input(const struct stat *st, const ts_options *options);

#endif

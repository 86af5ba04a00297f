/* Everything that leaves the program as text: standard output (or a file) and standard error. */
#ifndef TS_CLI_PRINT_H
#define TS_CLI_PRINT_H

#include "base/buf.h"

/*
 * A buffered writer on a descriptor that it does not own. A failed write is TS_ERR_OUTPUT with
 * `name`; nothing is lost silently as long as ts_output_flush is called at the end.
 */
typedef struct ts_output {
    ts_ctx *ctx;
    int fd;
    const char *name; /* "standard output", or a path */
    ts_buf buf;
    bool gone; /* nothing reads standard output any more; writing fails, and that is no error */
} ts_output;

/* Caller releases with ts_output_free (which does not flush). */
void ts_output_init(ts_output *out, ts_ctx *ctx, int fd, const char *name);
ts_code ts_output_put(ts_output *out, const char *p, size_t n);
ts_code ts_output_puts(ts_output *out, const char *s);
ts_code ts_output_flush(ts_output *out);
void ts_output_free(ts_output *out);

/* Flushes unless `code` is a failure, and releases it. That the reader has gone is no error. */
ts_code ts_output_end(ts_output *out, ts_code code);

/* Columns of the terminal: COLUMNS of the environment, or what it says itself, or 80. */
size_t ts_screen_columns(int fd);

/* Writes all of text to standard error in one call; failures have nowhere to go. */
void ts_stderr(ts_ctx *ctx, const char *p, size_t n);

/* "trace_streamer: <text>" on standard error, escaped for a terminal. */
void ts_message(ts_ctx *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The error chain, outermost cause first, one line each. */
void ts_print_error(ts_ctx *ctx, const ts_error *error);

/* Says how many tables, views, indexes and triggers of a database were not copied; 0: nothing. */
void ts_print_left_out(ts_ctx *ctx, unsigned others);

#endif

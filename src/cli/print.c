#include "cli/print.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { OUTPUT_BLOCK = 64 * 1024, MESSAGE_MAX = 2048, COLUMNS_MAX = 10000, COLUMNS_ASSUMED = 80 };

void ts_output_init(ts_output *out, ts_ctx *ctx, int fd, const char *name)
{
    *out = (ts_output){.ctx = ctx, .fd = fd, .name = name};
}

/* 0, or errno. */
static int write_all(ts_ctx *ctx, int fd, const char *p, size_t n)
{
    return ts_sys_write_all(ctx, fd, p, n) == 0 ? 0 : errno;
}

static ts_code result_of(ts_output *out, int error)
{
    out->gone = out->gone || (error == EPIPE && out->fd == STDOUT_FILENO);
    if (error == EINTR) {
        return ts_check_cancel(out->ctx);
    }
    if (error != 0) {
        return ts_fail(out->ctx, TS_ERR_OUTPUT, "cannot write to %s: %s", out->name,
                       strerror(error));
    }
    return TS_OK;
}

ts_code ts_output_flush(ts_output *out)
{
    int error = write_all(out->ctx, out->fd, out->buf.p, out->buf.n);
    out->buf.n = 0;
    return result_of(out, error);
}

/* Large texts are written from where they are: --max-memory is for one copy of them. */
static ts_code put_large(ts_output *out, const char *p, size_t n)
{
    ts_code code = ts_output_flush(out);
    int error = code == TS_OK ? write_all(out->ctx, out->fd, p, n) : 0;
    return code != TS_OK ? code : result_of(out, error);
}

ts_code ts_output_put(ts_output *out, const char *p, size_t n)
{
    if (n >= OUTPUT_BLOCK) {
        return put_large(out, p, n);
    }
    ts_code code = ts_buf_put(out->ctx, &out->buf, p, n);
    TS_STEP_IF(code, out->buf.n >= OUTPUT_BLOCK, ts_output_flush(out));
    return code;
}

ts_code ts_output_puts(ts_output *out, const char *s)
{
    return ts_output_put(out, s, strlen(s));
}

void ts_output_free(ts_output *out)
{
    ts_buf_free(out->ctx, &out->buf);
}

ts_code ts_output_end(ts_output *out, ts_code code)
{
    TS_STEP(code, ts_output_flush(out));
    code = out->gone ? TS_OK : code;
    ts_output_free(out);
    return code;
}

size_t ts_screen_columns(int fd)
{
    const char *given = getenv("COLUMNS");
    struct winsize size;
    char *end = NULL;
    const long columns = given == NULL ? 0 : strtol(given, &end, 10);
    if (columns > 0 && *end == '\0' && columns <= COLUMNS_MAX) {
        return (size_t)columns;
    }
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS_ASSUMED;
}

void ts_stderr(ts_ctx *ctx, const char *p, size_t n)
{
    (void)write_all(ctx, STDERR_FILENO, p, n);
}

/* Without memory: what is not plain ASCII becomes a question mark. */
static void print_plain(ts_ctx *ctx, const char *prefix, const char *text)
{
    char line[MESSAGE_MAX];
    int n = snprintf(line, sizeof line - 1, "%s%s", prefix, text);
    size_t length = n < 0 ? 0 : (size_t)n;
    length = length < sizeof line - 1 ? length : sizeof line - 2;
    for (size_t i = 0; i < length; i++) {
        line[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
    }
    line[length] = '\n';
    ts_stderr(ctx, line, length + 1);
}

/* One line. The error chain of the context survives: it may be what is being printed. */
static void print_line(ts_ctx *ctx, const char *prefix, const char *text)
{
    ts_error saved = ctx->error;
    ts_buf line = {0};
    ts_code code = ts_buf_put(ctx, &line, prefix, strlen(prefix));
    TS_STEP(code, ts_utf8_printable(ctx, &line, text, strlen(text), MESSAGE_MAX));
    TS_STEP(code, ts_buf_putc(ctx, &line, '\n'));
    ctx->error = saved; /* `text` may be a part of it */
    if (code == TS_OK) {
        ts_stderr(ctx, line.p, line.n);
    } else {
        print_plain(ctx, prefix, text);
    }
    ts_buf_free(ctx, &line);
}

void ts_message(ts_ctx *ctx, const char *fmt, ...)
{
    char text[MESSAGE_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    print_line(ctx, "trace_streamer: ", text);
}

void ts_print_error(ts_ctx *ctx, const ts_error *error)
{
    for (unsigned i = error->count; i-- > 0;) {
        print_line(ctx,
                   i + 1 == error->count ? "trace_streamer: " : "  because: ", error->causes[i]);
    }
    if (error->count == 0) {
        print_line(ctx, "trace_streamer: ", ts_code_name(error->code));
    }
}

void ts_print_left_out(ts_ctx *ctx, unsigned others)
{
    if (others > 0) {
        ts_message(
            ctx, "%u tables, views, indexes and triggers are not of this program and were left out",
            others);
    }
}

#include "cli/query_file.h"

#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { QUERY_MAX = 16 * 1024 * 1024 };

/* --- reading ------------------------------------------------------------------------------- */

static ts_code query_read_all(ts_buf *sql, ts_ctx *ctx, int fd, const char *name)
{
    const ts_sys *sys = &ctx->sys;
    for (;;) {
        ts_code code = ts_buf_reserve(ctx, sql, 65536);
        if (code != TS_OK) {
            return code;
        }
        ssize_t n = sys->read(sys->user, fd, sql->p + sql->n, 65536);
        if (n == 0) {
            return TS_OK;
        }
        if (n < 0) {
            if (errno == EINTR && ts_check_cancel(ctx) == TS_OK) {
                continue;
            }
            return errno == EINTR
                       ? TS_ERR_INTERRUPTED
                       : ts_fail(ctx, TS_ERR_USAGE, "cannot read the query file \"%s\": %s", name,
                                 strerror(errno));
        }
        sql->n += (size_t)n;
        if (sql->n > QUERY_MAX) {
            return ts_fail(ctx, TS_ERR_LIMIT, "the query file \"%s\" has more than %d MiB", name,
                           QUERY_MAX >> 20);
        }
    }
}

/* Opens dir/name; dir is relative to the program when it has no leading slash. */
static int query_open_in(ts_ctx *ctx, const char *dir, const char *name)
{
    char self[PATH_MAX];
    ts_buf path = {0};
    int fd = -1;
    ts_code code = TS_OK;
    if (dir[0] != '/') {
        ssize_t n = readlink("/proc/self/exe", self, sizeof self);
        while (n > 0 && self[n - 1] != '/') {
            n--;
        }
        code = n <= 0 ? TS_ERR_INPUT : ts_buf_put(ctx, &path, self, (size_t)n);
    }
    if (code == TS_OK) {
        code = ts_buf_printf(ctx, &path, "%s/%s", dir, name);
    }
    if (code == TS_OK) {
        code = ts_buf_putc(ctx, &path, '\0');
    }
    if (code == TS_OK) {
        fd = ts_sys_open(ctx, path.p, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    }
    ts_buf_free(ctx, &path);
    return fd;
}

static bool is_shipped_name(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') == NULL && n > 4 && strcmp(name + n - 4, ".sql") == 0;
}

ts_code ts_query_read(ts_buf *sql, struct stat *st, ts_ctx *ctx, const char *name)
{
    static const char *const places[] = {"../share/trace_streamer/sql", TS_SQL_DIR};
    const ts_sys *sys = &ctx->sys;
    if (strcmp(name, "-") == 0) {
        return sys->fstat(sys->user, STDIN_FILENO, st) != 0
                   ? ts_fail(ctx, TS_ERR_USAGE, "cannot read the query file \"-\": %s",
                             strerror(errno))
                   : query_read_all(sql, ctx, STDIN_FILENO, "-");
    }
    int fd = ts_sys_open(ctx, name, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
    int error = errno;
    if (fd < 0 && error == ENOENT && is_shipped_name(name)) {
        for (size_t i = 0; fd < 0 && i < sizeof places / sizeof places[0]; i++) {
            fd = query_open_in(ctx, places[i], name);
        }
    }
    if (fd < 0 && error == EINTR && ts_check_cancel(ctx) != TS_OK) {
        return ctx->error.code;
    }
    if (fd < 0) {
        return ts_fail(ctx, TS_ERR_USAGE, "cannot open the query file \"%s\": %s", name,
                       strerror(error));
    }
    ts_code code = sys->fstat(sys->user, fd, st) != 0
                       ? ts_fail(ctx, TS_ERR_USAGE, "cannot read the query file \"%s\": %s", name,
                                 strerror(errno))
                       : query_read_all(sql, ctx, fd, name);
    (void)sys->close(sys->user, fd);
    return code;
}

/* --- printing ------------------------------------------------------------------------------ */

typedef struct printer {
    ts_output *out;
    ts_buf scratch; /* a value on its way to a terminal */
    bool terminal;
    bool any; /* a result was printed before */
} printer;

static const char *escape_of(char c)
{
    switch (c) {
    case '\t':
        return "\\t";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\0':
        return "\\0";
    case '\\':
        return "\\\\";
    default:
        return NULL;
    }
}

static ts_code put_plain(printer *p, const char *value, size_t n)
{
    if (!p->terminal) {
        return ts_output_put(p->out, value, n);
    }
    p->scratch.n = 0;
    ts_code code = ts_utf8_printable(p->out->ctx, &p->scratch, value, n, SIZE_MAX);
    if (code != TS_OK) {
        return code;
    }
    return ts_output_put(p->out, p->scratch.p, p->scratch.n);
}

static ts_code query_put_value(printer *p, const char *value, size_t n)
{
    size_t from = 0;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i <= n; i++) {
        const char *escape = i < n ? escape_of(value[i]) : "";
        if (escape == NULL) {
            continue;
        }
        code = i > from ? put_plain(p, value + from, i - from) : TS_OK;
        if (code == TS_OK) {
            code = ts_output_puts(p->out, escape);
        }
        from = i + 1;
    }
    return code;
}

static ts_code query_put_row(printer *p, const char *const *values, const size_t *lengths, int n)
{
    ts_code code = TS_OK;
    for (int i = 0; code == TS_OK && i < n; i++) {
        if (values[i] != NULL) {
            code = query_put_value(p, values[i], lengths == NULL ? strlen(values[i]) : lengths[i]);
        }
        if (code == TS_OK) {
            code = ts_output_put(p->out, i + 1 < n ? "\t" : "\n", 1);
        }
    }
    return code;
}

static ts_code print_header(void *user, const char *const *names, int n)
{
    printer *p = user;
    ts_code code = p->any ? ts_output_put(p->out, "\n", 1) : TS_OK;
    p->any = true;
    if (code != TS_OK) {
        return code;
    }
    return query_put_row(p, names, NULL, n);
}

static ts_code print_row(void *user, const char *const *values, const size_t *lengths, int n)
{
    return query_put_row(user, values, lengths, n);
}

ts_code ts_query_print(ts_db *db, const ts_buf *sql, const ts_options *options, ts_output *out,
                       bool terminal)
{
    printer p = {out, {0}, terminal, false};
    ts_rows_visitor visitor = {&p, print_header, print_row};
    ts_code code = ts_db_query(db, sql->p == NULL ? "" : sql->p, sql->n, options->params,
                               options->param_count, &visitor);
    /* The rows before a failure are right: they are shown, and its cause is kept. */
    ts_error saved = out->ctx->error;
    ts_code flushed = ts_output_flush(out);
    if (code != TS_OK) {
        out->ctx->error = saved;
    }
    ts_buf_free(out->ctx, &p.scratch);
    if (code != TS_OK) {
        return code;
    }
    return flushed;
}

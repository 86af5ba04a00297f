#include "cli/query_rows.h"

#include "base/utf8.h"

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

ts_code ts_query_print(ts_db *db, ts_text sql, const ts_options *options, ts_output *out,
                       bool terminal)
{
    printer p = {out, {0}, terminal, false};
    ts_rows_visitor visitor = {&p, print_header, print_row};
    ts_code code = ts_db_query(db, sql.p, sql.n, options->params, options->param_count, &visitor);
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

/* Signatures of methods among the words. */
#include "parsers/cloud/dictionaries.h"

#include <string.h>

enum { MAX_LINE_DIGITS = 9 };

/* The part before `stop` (or all), and the rest after it. False when `stop` is not there. */
static bool split_text(ts_text *before, ts_text *rest, ts_text t, const char *stop)
{
    const char *at = t.n == 0 ? NULL : memmem(t.p, t.n, stop, strlen(stop));
    if (at == NULL) {
        return false;
    }
    *before = (ts_text){t.p, (size_t)(at - t.p)};
    *rest = (ts_text){at + strlen(stop), t.n - before->n - strlen(stop)};
    return true;
}

/* "Source.java:42" */
static void take_source(ts_method *m, ts_text t)
{
    const char *colon = t.n == 0 ? NULL : memrchr(t.p, ':', t.n);
    int64_t line = 0;
    size_t digits = 0;
    m->file = t;
    if (colon == NULL) {
        return;
    }
    for (const char *p = colon + 1; p < t.p + t.n && *p >= '0' && *p <= '9'; p++, digits++) {
        line = digits < MAX_LINE_DIGITS ? line * 10 + (*p - '0') : line;
    }
    if (digits > 0 && digits <= MAX_LINE_DIGITS && colon + 1 + digits == t.p + t.n) {
        m->file.n = (size_t)(colon - t.p);
        m->line = line;
        m->has_line = true;
    }
}

ts_code cloud_signature_parse(bool *is, ts_method *m, ts_buf *signature, ts_ctx *ctx, ts_text word)
{
    ts_text type;
    ts_text path;
    ts_text types;
    ts_text rest;
    ts_text part;
    const char *dot;
    ts_code code;
    *is = false;
    if (!split_text(&path, &rest, word, "(") || !split_text(&types, &rest, rest, ")") ||
        !split_text(&type, &path, path, " ") || type.n == 0 ||
        memchr(path.p, ' ', path.n) != NULL ||
        (dot = path.n == 0 ? NULL : memrchr(path.p, '.', path.n)) == NULL || dot == path.p ||
        dot + 1 == path.p + path.n) {
        return TS_OK;
    }
    *is = true;
    m->cls = (ts_text){path.p, (size_t)(dot - path.p)};
    m->name = (ts_text){dot + 1, path.n - m->cls.n - 1};
    signature->n = 0;
    code = ts_buf_printf(ctx, signature, "%.*s (%.*s)", (int)type.n, type.p, (int)types.n, types.p);
    m->signature = ts_buf_text(signature);
    if (rest.n > 2 && memcmp(rest.p, " (", 2) == 0 &&
        split_text(&part, &rest, (ts_text){rest.p + 2, rest.n - 2}, ")")) {
        take_source(m, part);
    }
    if (rest.n > 3 && memcmp(rest.p, " [", 2) == 0 && rest.p[rest.n - 1] == ']') {
        m->library = (ts_text){rest.p + 2, rest.n - 3};
    }
    return code;
}

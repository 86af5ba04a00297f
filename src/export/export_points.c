#include "export/export_points.h"

#include "base/ckd.h"
#include "base/utf8.h"

/* Well-formed UTF-8 on one line, without zero bytes. */
static ts_code point_clean(ts_ctx *ctx, ts_buf *out, ts_text text)
{
    uint64_t replaced = 0;
    size_t n = 0;
    ts_code code = ts_utf8_clean(ctx, out, &replaced, text.p, text.n);
    for (size_t i = 0; i < out->n && code == TS_OK; i++) {
        char c = out->p[i];
        if (c != '\0') {
            out->p[n++] = c == '\n' || c == '\r' ? ' ' : c;
        }
    }
    out->n = code == TS_OK ? n : out->n;
    return code;
}

static bool point_ends_token(char c)
{
    return c == ',' || c == '=' || c == ' ';
}

/* A backslash before one of those, or at the end, could not be told from an escape. */
static void point_drop_backslashes(ts_buf *text)
{
    size_t n = text->n;
    bool drop = true;
    for (size_t i = text->n; i-- > 0;) {
        char c = text->p[i];
        if (c != '\\' || !drop) {
            text->p[--n] = c;
            drop = point_ends_token(c);
        }
    }
    if (n > 0) { /* an empty text has no bytes to move */
        memmove(text->p, text->p + n, text->n - n);
        text->n -= n;
    }
}

static void point_write_token(ts_jout *w, ts_text text, bool key)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (point_ends_token(c)) {
            ts_jout_put(w, "\\", 1);
        }
        ts_jout_put(w, key && c == '.' ? "_" : text.p + i, 1);
    }
}

void ts_point_begin(ts_point *p, ts_jout *w, const char *measurement)
{
    *p = (ts_point){.w = w};
    ts_jout_put_str(w, measurement);
}

ts_code ts_point_key(ts_ctx *ctx, ts_buf *out, ts_text key)
{
    ts_buf part = {0};
    ts_code code = point_clean(ctx, &part, key);
    if (code == TS_OK) {
        point_drop_backslashes(&part);
        for (size_t i = 0; i < part.n; i++) {
            part.p[i] = (char)(part.p[i] == '.' ? '_' : part.p[i]);
        }
        code = ts_buf_put(ctx, out, part.n == 0 ? "" : part.p, part.n);
    }
    ts_buf_free(ctx, &part);
    return code;
}

void ts_point_tag(ts_point *p, ts_text key, ts_text value)
{
    ts_buf parts[2] = {{0}, {0}};
    ts_ctx *ctx = p->w->ctx;
    ts_code code = point_clean(ctx, &parts[0], key);
    TS_STEP(code, point_clean(ctx, &parts[1], value));
    for (unsigned i = 0; i < 2 && code == TS_OK; i++) {
        point_drop_backslashes(&parts[i]);
    }
    if (code == TS_OK && parts[0].n > 0 && parts[1].n > 0) {
        ts_jout_put(p->w, ",", 1);
        point_write_token(p->w, ts_buf_text(&parts[0]), true);
        ts_jout_put(p->w, "=", 1);
        point_write_token(p->w, ts_buf_text(&parts[1]), false);
    }
    ts_jout_fail(p->w, code);
    ts_buf_free(ctx, &parts[0]);
    ts_buf_free(ctx, &parts[1]);
}

static void point_field(ts_point *p, const char *key)
{
    ts_jout_put(p->w, p->any_field ? "," : " ", 1);
    ts_jout_put_str(p->w, key);
    ts_jout_put(p->w, "=", 1);
    p->any_field = true;
}

void ts_point_text(ts_point *p, const char *key, ts_text value)
{
    ts_buf text = {0};
    ts_code code = point_clean(p->w->ctx, &text, value);
    if (code == TS_OK && text.n > 0) {
        point_field(p, key);
        ts_jout_put(p->w, "\"", 1);
        for (size_t i = 0; i < text.n; i++) {
            if (text.p[i] == '"' || text.p[i] == '\\') {
                ts_jout_put(p->w, "\\", 1);
            }
            ts_jout_put(p->w, text.p + i, 1);
        }
        ts_jout_put(p->w, "\"", 1);
    }
    ts_jout_fail(p->w, code);
    ts_buf_free(p->w->ctx, &text);
}

void ts_point_int(ts_point *p, const char *key, int64_t value)
{
    point_field(p, key);
    ts_jout_put_int(p->w, value);
    ts_jout_put(p->w, "i", 1);
}

void ts_point_real(ts_point *p, const char *key, double value)
{
    char digits[TS_REAL_DIGITS];
    if (ts_plain_real(digits, value)) {
        point_field(p, key);
        ts_jout_put_str(p->w, digits);
    }
}

void ts_point_end(ts_point *p, int64_t ts)
{
    if (ts != TS_NO_TIME) {
        ts_jout_put(p->w, " ", 1);
        ts_jout_put_int(p->w, ts);
    }
    ts_jout_put(p->w, "\n", 1);
}

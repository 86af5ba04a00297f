#include "export/export_text.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

void ts_writer_begin(ts_writer *w, ts_ctx *ctx, const ts_export_output *out)
{
    w->ctx = ctx;
    w->out = out;
    w->code = TS_OK;
    w->n = 0;
}

void ts_writer_fail(ts_writer *w, ts_code code)
{
    w->code = w->code == TS_OK ? code : w->code;
}

static void writer_flush(ts_writer *w)
{
    if (w->code == TS_OK && w->n > 0) {
        w->code = w->out->put(w->out->user, w->block, w->n);
    }
    if (w->code == TS_OK) {
        w->code = ts_check_cancel(w->ctx);
    }
    w->n = 0;
}

ts_code ts_writer_end(ts_writer *w)
{
    writer_flush(w);
    return w->code;
}

void ts_write(ts_writer *w, const char *p, size_t n)
{
    if (w->code != TS_OK) {
        return;
    }
    if (n > TS_WRITER_BLOCK - w->n) {
        writer_flush(w);
    }
    if (n > TS_WRITER_BLOCK) {
        if (w->code == TS_OK) {
            w->code = w->out->put(w->out->user, p, n);
        }
        return;
    }
    memcpy(w->block + w->n, p, n);
    w->n += n;
}

void ts_write_str(ts_writer *w, const char *s)
{
    ts_write(w, s, strlen(s));
}

void ts_write_char(ts_writer *w, char c)
{
    ts_write(w, &c, 1);
}

/* Formats with millions of numbers go through here: snprintf takes four times as long. */
void ts_write_i64(ts_writer *w, int64_t v)
{
    enum { DIGITS = 20 };
    char digits[DIGITS];
    uint64_t u = v < 0 ? UINT64_C(0) - (uint64_t)v : (uint64_t)v;
    size_t at = DIGITS;
    do {
        digits[--at] = (char)('0' + u % 10);
        u /= 10;
    } while (u > 0);
    if (v < 0) {
        digits[--at] = '-';
    }
    ts_write(w, digits + at, DIGITS - at);
}

void ts_write_us(ts_writer *w, int64_t ns)
{
    char digits[32];
    uint64_t u = ns < 0 ? UINT64_C(0) - (uint64_t)ns : (uint64_t)ns;
    int n = snprintf(digits, sizeof digits, "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", u / 1000,
                     (unsigned)(u % 1000));
    ts_write(w, digits, (size_t)n);
}

/* --- JSON strings -------------------------------------------------------------------------- */

/* The character at p, of well-formed UTF-8, and its bytes; those beyond U+FFFF are given as x:
 * none of them is escaped. */
static uint32_t writer_char_at(const char *p, size_t *bytes)
{
    const unsigned char *u = (const unsigned char *)p;
    *bytes = u[0] < 0x80 ? 1 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    switch (*bytes) {
    case 1:
        return u[0];
    case 2:
        return (u[0] & 31U) << 6 | (u[1] & 63U);
    case 3:
        return (u[0] & 15U) << 12 | (u[1] & 63U) << 6 | (u[2] & 63U);
    default:
        return 'x';
    }
}

static void write_escaped(ts_writer *w, ts_text text)
{
    size_t from = 0;
    size_t bytes;
    for (size_t i = 0; i < text.n; i += bytes) {
        char escape[16];
        uint32_t c = writer_char_at(text.p + i, &bytes);
        bool quoted = c == '"' || c == '\\';
        bool markup = c == '<' || c == '>' || c == '&' || c == 0x2028 || c == 0x2029;
        if (!quoted && !markup && !ts_utf8_steers(c)) {
            continue;
        }
        int n = quoted ? snprintf(escape, sizeof escape, "\\%c", (int)c)
                       : snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
        ts_write(w, text.p + from, i - from);
        ts_write(w, escape, (size_t)n);
        from = i + bytes;
    }
    ts_write(w, text.p + from, text.n - from);
}

void ts_write_json(ts_writer *w, ts_text text)
{
    ts_buf clean = {0};
    uint64_t replaced = 0;
    text.p = text.p == NULL ? "" : text.p;
    ts_write_char(w, '"');
    if (ts_utf8_valid(text.p, text.n)) {
        write_escaped(w, text);
    } else if (w->code == TS_OK) {
        w->code = ts_utf8_clean(w->ctx, &clean, &replaced, text.p, text.n);
        if (w->code == TS_OK) {
            write_escaped(w, ts_buf_text(&clean));
        }
    }
    ts_buf_free(w->ctx, &clean);
    ts_write_char(w, '"');
}

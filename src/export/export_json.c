#include "export/export_json.h"

#include "base/utf8.h"

/* The character at p, of well-formed UTF-8; those of three and four bytes other than U+2xxx are
 * given as x: none of them is escaped. */
static uint32_t json_char_at(const unsigned char *p, size_t *bytes)
{
    *bytes = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    switch (*bytes) {
    case 1:
        return p[0];
    case 2:
        return (p[0] & 31U) << 6 | (p[1] & 63U);
    case 3:
        return (p[0] & 15U) << 12 | (p[1] & 63U) << 6 | (p[2] & 63U);
    default:
        return 'x';
    }
}

static ts_code json_escaped(ts_ctx *ctx, ts_buf *out, ts_text text)
{
    size_t from = 0;
    size_t bytes;
    ts_code code = TS_OK;
    for (size_t i = 0; i < text.n && code == TS_OK; i += bytes) {
        uint32_t c = json_char_at((const unsigned char *)text.p + i, &bytes);
        bool quoted = c == '"' || c == '\\';
        if (!quoted && !ts_utf8_steers(c)) {
            continue;
        }
        code = ts_buf_put(ctx, out, text.p + from, i - from);
        if (code == TS_OK) {
            code = quoted ? ts_buf_printf(ctx, out, "\\%c", (int)c)
                          : ts_buf_printf(ctx, out, "\\u%04x", (unsigned)c);
        }
        from = i + bytes;
    }
    return code == TS_OK ? ts_buf_put(ctx, out, text.p + from, text.n - from) : code;
}

ts_code ts_json_string(ts_ctx *ctx, ts_buf *out, ts_text text)
{
    ts_buf clean = {0};
    uint64_t replaced = 0;
    text.p = text.p == NULL ? "" : text.p;
    ts_code code = ts_buf_putc(ctx, out, '"');
    if (code == TS_OK && !ts_utf8_valid(text.p, text.n)) {
        code = ts_utf8_clean(ctx, &clean, &replaced, text.p, text.n);
        text = ts_buf_text(&clean);
    }
    if (code == TS_OK) {
        code = json_escaped(ctx, out, text);
    }
    if (code == TS_OK) {
        code = ts_buf_putc(ctx, out, '"');
    }
    ts_buf_free(ctx, &clean);
    return code;
}

void ts_write_json_string(ts_writer *w, ts_text text)
{
    ts_buf out = {0};
    if (w->code == TS_OK) {
        w->code = ts_json_string(w->ctx, &out, text);
    }
    ts_write(w, out.p == NULL ? "" : out.p, out.n);
    ts_buf_free(w->ctx, &out);
}

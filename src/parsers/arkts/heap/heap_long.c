/* Strings that are too long to be held: through a spool into their pages. */
#include "parsers/arkts/heap/heap_state.h"

#include "base/utf8.h"

/* Bytes at the end that are the beginning of a sequence which the next piece goes on with. */
static size_t open_end(const char *p, size_t n)
{
    for (size_t k = 1; k <= 3 && k <= n; k++) {
        unsigned char c = (unsigned char)p[n - k];
        if (c >= 0xC0) {
            return k < (c < 0xE0 ? 2U : c < 0xF0 ? 3U : 4U) ? k : 0;
        }
        if (c < 0x80) {
            return 0;
        }
    }
    return 0;
}

/* What is no text becomes U+FFFD. Only raw strings (see TS_JSON_RAW_STRINGS) hold such, and only in
 * them may a piece end inside of a sequence, which waits in h->strings.text. */
static ts_code write_raw(ts_heap *h, const char *p, size_t n, bool last)
{
    size_t whole;
    ts_code code;
    TS_TRY(code, ts_buf_put(h->ctx, &h->strings.text, p, n));
    whole = h->strings.text.n - (last ? 0 : open_end(h->strings.text.p, h->strings.text.n));
    h->strings.clean.n = 0;
    TS_TRY(code, ts_utf8_clean(h->ctx, &h->strings.clean, &h->strings.replaced, h->strings.text.p,
                               whole));
    h->strings.text.n -= whole;
    memmove(h->strings.text.p, h->strings.text.p + whole, h->strings.text.n);
    return ts_spool_write(h->strings.long_text, h->strings.clean.p, h->strings.clean.n);
}

static ts_code begin_long(ts_heap *h)
{
    ts_code code = ts_spool_new(&h->strings.long_text, h->ctx);
    h->strings.long_taken = h->strings.text.n;
    if (code == TS_OK && !h->raw) {
        code = ts_spool_write(h->strings.long_text, h->strings.text.p, h->strings.text.n);
        h->strings.text.n = 0;
    }
    return code;
}

static ts_code end_long(ts_heap *h)
{
    ts_row_js_heap_string row = {.file_id = h->file_id, .file_index = (int64_t)h->strings.count};
    ts_code code = ts_sink_put_long(h->sink, h->ctx, TS_T_js_heap_string, &row, &row.string,
                                    h->strings.long_text);
    ts_spool_free(h->strings.long_text);
    h->strings.long_text = NULL;
    h->strings.count++;
    heap_look_at_string(h, h->strings.long_taken);
    h->strings.cut += h->strings.text_cut ? 1 : 0;
    return code;
}

ts_code heap_long_piece(ts_heap *h, const char *p, size_t n, bool last)
{
    uint64_t left;
    ts_code code;
    TS_TRY(code, h->strings.long_text == NULL ? begin_long(h) : TS_OK);
    left = h->strings.text_cut ? 0 : h->ctx->limits.max_string - h->strings.long_taken;
    if (n > left) {
        n = (size_t)left;
        h->strings.text_cut = true;
        while (n > 0 && ((unsigned char)p[n] & 0xC0) == 0x80) { /* not inside a character */
            n--;
        }
    }
    h->strings.long_taken += n;
    code = h->raw ? write_raw(h, p, n, last) : ts_spool_write(h->strings.long_text, p, n);
    return code != TS_OK || !last ? code : end_long(h);
}

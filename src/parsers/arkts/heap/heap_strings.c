/* Strings of a snapshot: from pieces to rows, or to the texts of the `snapshot` member. */
#include "parsers/arkts/heap/heap_state.h"

#include "base/utf8.h"

void heap_string_begin(ts_heap *h)
{
    h->strings.json_replaced = ts_json_replaced(h->json);
}

void heap_string_end(ts_heap *h, bool kept)
{
    uint64_t replaced = ts_json_replaced(h->json);
    h->strings.replaced += kept ? replaced - h->strings.json_replaced : 0;
    h->strings.json_replaced = replaced;
}

/* Equal texts: by length, beginning and end, which is enough where other numbers contradict too. */
static void note_text(ts_heap *h, ts_text text)
{
    enum { ENDS = 16 };
    ts_hash hash = ts_hash_begin(&h->ctx->hash_key);
    uint64_t value;
    ts_hash_word(&hash, text.n);
    ts_hash_bytes(&hash, text.p, text.n < ENDS ? text.n : ENDS);
    if (text.n > ENDS) {
        ts_hash_bytes(&hash, text.p + text.n - ENDS, ENDS);
    }
    value = ts_hash_end(&hash);
    h->strings.twice |= h->strings.recent[value % HEAP_RECENT_STRINGS] == value;
    h->strings.recent[value % HEAP_RECENT_STRINGS] = value;
}

static ts_code put_string(ts_heap *h, ts_text text)
{
    ts_row_js_heap_string row = {
        .file_id = h->file_id,
        .file_index = (int64_t)h->strings.count,
        .string = text,
    };
    h->strings.count++;
    note_text(h, text);
    heap_look_at_string(h, text.n);
    return ts_put_js_heap_string(h->sink, &row);
}

ts_code heap_string_odd(ts_heap *h)
{
    h->strings.not_text++;
    return put_string(h, TS_TEXT_NULL);
}

static ts_code put_whole(ts_heap *h, ts_text text)
{
    heap_strings *s = &h->strings;
    if (h->raw && !ts_utf8_valid(text.p, text.n)) {
        s->clean.n = 0;
        TS_TRY(ts_utf8_clean(h->ctx, &s->clean, &s->replaced, text.p, text.n));
        text = ts_buf_text(&s->clean);
    }
    return h->part == PART_STRINGS ? put_string(h, text) : heap_meta_text(h, text);
}

/* --- strings that are too long to be held: through a spool into their pages ------------------- */

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
    TS_TRY(ts_buf_put(h->ctx, &h->strings.text, p, n));
    whole = h->strings.text.n - (last ? 0 : open_end(h->strings.text.p, h->strings.text.n));
    h->strings.clean.n = 0;
    TS_TRY(
        ts_utf8_clean(h->ctx, &h->strings.clean, &h->strings.replaced, h->strings.text.p, whole));
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

/* A piece of a string that is longer than HEAP_LONG_TEXT; h->strings.text holds those before the
 * first. */
static ts_code long_piece(ts_heap *h, const char *p, size_t n, bool last)
{
    uint64_t left;
    ts_code code;
    TS_TRY_INTO(code, h->strings.long_text == NULL ? begin_long(h) : TS_OK);
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

/* --- pieces ----------------------------------------------------------------------------------- */

ts_code heap_string_piece(ts_heap *h, const char *p, size_t n, unsigned flags)
{
    heap_strings *s = &h->strings;
    uint64_t max = h->ctx->limits.max_string;
    size_t left;
    ts_code code;
    if ((flags & TS_JSON_FIRST) != 0) {
        s->text.n = 0;
        s->text_cut = false;
        ts_spool_free(s->long_text);
        s->long_text = NULL;
        if ((flags & TS_JSON_LAST) != 0 && n <= max) {
            return put_whole(h, (ts_text){p, n});
        }
    }
    if (h->part == PART_STRINGS && max > HEAP_LONG_TEXT &&
        (s->long_text != NULL || s->text.n + n > HEAP_LONG_TEXT)) {
        return long_piece(h, p, n, (flags & TS_JSON_LAST) != 0);
    }
    left = (size_t)max - s->text.n;
    if (n > left) {
        n = left;
        s->text_cut = true;
    }
    code = ts_buf_put(h->ctx, &s->text, p, n);
    if (code != TS_OK || (flags & TS_JSON_LAST) == 0) {
        return code;
    }
    s->cut += s->text_cut ? 1 : 0;
    if (s->text_cut) {
        s->text.n = ts_utf8_cut(s->text.p, s->text.n);
    }
    return put_whole(h, ts_buf_text(&s->text));
}

/*
 * Strings and keys of the JSON reader.
 *
 * Text that needs no change is passed on from the input where that saves calls; text between
 * escapes is put together in `piece`, so that a string full of escapes does not come in crumbs.
 * Bytes and escapes whose meaning depends on what follows (an incomplete UTF-8 sequence, a high
 * surrogate) wait in `held` and `high`.
 */
#include "json/json_impl.h"

#include "base/utf8.h"

#define REPLACEMENT 0xFFFD

static inline bool is_high(uint32_t cp)
{
    return cp >= 0xD800 && cp <= 0xDBFF;
}

static inline bool is_low(uint32_t cp)
{
    return cp >= 0xDC00 && cp <= 0xDFFF;
}

void json_string_begin(ts_json *js, bool is_key)
{
    js->at++;
    js->state = JSON_IN_STRING;
    js->is_key = is_key;
    js->raw = !is_key && (js->options & TS_JSON_RAW_STRINGS) != 0;
    js->first = TS_JSON_FIRST;
    js->escape = 0;
    js->high = 0;
    js->held_n = 0;
    js->piece_n = 0;
    js->key_n = 0;
    js->key_cut = false;
}

static ts_code pass_on(ts_json *js, const char *p, size_t n, unsigned flags)
{
    flags |= js->first;
    js->first = 0;
    return js->handler->string == NULL ? TS_OK : js->handler->string(js->user, p, n, flags);
}

ts_code json_flush_piece(ts_json *js, unsigned flags)
{
    if (js->piece_n == 0 && flags == 0) {
        return TS_OK;
    }
    size_t n = js->piece_n;
    js->piece_n = 0;
    return pass_on(js, js->piece, n, flags);
}

/* Appends well-formed text to the key, up to the last character that fits. */
static void put_key(ts_json *js, const char *p, size_t n)
{
    if (js->key_cut) {
        return;
    }
    size_t room = sizeof js->key - js->key_n;
    if (n > room) {
        js->key_cut = true;
        n = room;
        while (n > 0 && ((unsigned char)p[n] & 0xC0) == 0x80) {
            n--;
        }
    }
    memcpy(js->key + js->key_n, p, n);
    js->key_n += n;
}

/* A run of unchanged input that is followed by something else than the closing quote. */
static ts_code json_put_run(ts_json *js, const char *p, size_t n)
{
    if (js->is_key) {
        put_key(js, p, n);
        return TS_OK;
    }
    bool at_end = js->at == js->end;
    if (n >= JSON_BORROW || (at_end && n > 0 && js->piece_n == 0)) {
        TS_TRY(json_flush_piece(js, 0));
        return pass_on(js, p, n, 0);
    }
    if (n > sizeof js->piece - js->piece_n) {
        TS_TRY(json_flush_piece(js, 0));
    }
    memcpy(js->piece + js->piece_n, p, n);
    js->piece_n += n;
    return TS_OK;
}

/* The run before the closing quote. */
static ts_code end_string(ts_json *js, const char *p, size_t n)
{
    js->at++;
    if (js->is_key) {
        js->state = JSON_AT_COLON;
        if (js->key_n == 0 && n <= sizeof js->key && !js->key_cut) {
            return js->handler->key == NULL ? TS_OK : js->handler->key(js->user, p, n);
        }
        put_key(js, p, n);
        return js->handler->key == NULL ? TS_OK : js->handler->key(js->user, js->key, js->key_n);
    }
    json_value_done(js);
    if (js->piece_n == 0) {
        return pass_on(js, p, n, TS_JSON_LAST);
    }
    if (n <= sizeof js->piece - js->piece_n && n < JSON_BORROW) {
        memcpy(js->piece + js->piece_n, p, n);
        js->piece_n += n;
        return json_flush_piece(js, TS_JSON_LAST);
    }
    TS_TRY(json_flush_piece(js, 0));
    return pass_on(js, p, n, TS_JSON_LAST);
}

/* A character, or in a raw string a surrogate. */
static ts_code put_encoded(ts_json *js, uint32_t cp)
{
    char text[4];
    size_t n = ts_utf8_encode(text, cp);
    if (js->is_key) {
        put_key(js, text, n);
        return TS_OK;
    }
    if (n > sizeof js->piece - js->piece_n) {
        TS_TRY(json_flush_piece(js, 0));
    }
    memcpy(js->piece + js->piece_n, text, n);
    js->piece_n += n;
    return TS_OK;
}

/* A surrogate without a partner. */
static ts_code put_lone(ts_json *js, uint32_t cp)
{
    if (js->raw) {
        return put_encoded(js, cp);
    }
    js->replaced++;
    return put_encoded(js, REPLACEMENT);
}

/* The high surrogate that waits will find no partner. */
static ts_code give_up_high(ts_json *js)
{
    uint32_t high = js->high;
    js->high = 0;
    return high == 0 ? TS_OK : put_lone(js, high);
}

/* A decoded character or surrogate, from an escape or from a UTF-8 sequence. */
static ts_code put_char(ts_json *js, uint32_t cp)
{
    if (is_low(cp) && js->high != 0) {
        cp = 0x10000 + ((js->high - 0xD800) << 10) + (cp - 0xDC00);
        js->high = 0;
        return put_encoded(js, cp);
    }
    TS_TRY(give_up_high(js));
    if (is_high(cp)) {
        js->high = cp;
        return TS_OK;
    }
    return is_low(cp) ? put_lone(js, cp) : put_encoded(js, cp);
}

/* Ill-formed bytes that count as `parts`. */
static ts_code put_ill_formed(ts_json *js, unsigned parts)
{
    ts_code code = give_up_high(js);
    for (; code == TS_OK && parts > 0; parts--) {
        js->replaced++;
        code = put_encoded(js, REPLACEMENT);
    }
    return code;
}

/* A byte of 0x80 or above where a sequence begins. */
static ts_code begin_sequence(ts_json *js)
{
    unsigned char c = (unsigned char)*js->at++;
    if (c < 0xC2 || c > 0xF4) {
        return put_ill_formed(js, 1);
    }
    js->held[0] = c;
    js->held_n = 1;
    return TS_OK;
}

/* May c come next in the sequence that is held? Three-byte surrogates are let through. */
static bool continues(const ts_json *js, unsigned char c)
{
    if (js->held_n > 1) {
        return (c & 0xC0) == 0x80;
    }
    unsigned char lead = js->held[0];
    unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xF4 ? 0x8F : 0xBF;
    return c >= low && c <= high;
}

static ts_code continue_sequence(ts_json *js)
{
    unsigned char c = (unsigned char)*js->at;
    const unsigned char *h = js->held;
    if (!continues(js, c)) {
        /* ED A0..BF begins nothing well-formed: its two bytes are two ill-formed parts. */
        unsigned parts = h[0] == 0xED && js->held_n == 2 && h[1] >= 0xA0 ? 2 : 1;
        js->held_n = 0;
        return put_ill_formed(js, parts);
    }
    js->at++;
    js->held[js->held_n++] = c;
    unsigned need = h[0] < 0xE0 ? 2 : h[0] < 0xF0 ? 3 : 4;
    if (js->held_n < need) {
        return TS_OK;
    }
    uint32_t cp = h[0] & (0x7Fu >> need);
    for (unsigned i = 1; i < need; i++) {
        cp = cp << 6 | (h[i] & 0x3Fu);
    }
    js->held_n = 0;
    return put_char(js, cp);
}

static ts_code escape_letter(ts_json *js)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meaning[] = "\"\\/\b\f\n\r\t";
    char c = *js->at;
    if (c == 'u') {
        js->at++;
        js->escape = 2;
        js->hex = 0;
        return TS_OK;
    }
    const char *found = memchr(letters, c, sizeof letters - 1);
    if (found == NULL) {
        return json_bad(js, "invalid escape in a string");
    }
    js->at++;
    js->escape = 0;
    return put_char(js, (unsigned char)meaning[found - letters]);
}

static ts_code escape_digit(ts_json *js)
{
    char c = *js->at;
    char lower = (char)(c | 0x20);
    uint32_t v;
    if (json_is_digit(c)) {
        v = (uint32_t)(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
        v = (uint32_t)(lower - 'a') + 10;
    } else {
        return json_bad(js, "expected a hexadecimal digit");
    }
    js->at++;
    js->hex = js->hex << 4 | v;
    if (++js->escape < 6) {
        return TS_OK;
    }
    js->escape = 0;
    return put_char(js, js->hex);
}

/* Something waits for its continuation. */
static ts_code json_resolve(ts_json *js)
{
    char c = *js->at;
    if (js->held_n != 0) {
        return continue_sequence(js);
    }
    if (c == '\\') {
        js->at++;
        js->escape = 1;
        return TS_OK;
    }
    if ((unsigned char)c >= 0x80 && !js->raw) {
        return begin_sequence(js);
    }
    return give_up_high(js);
}

/* Nothing waits: take a run of plain text and look at the byte that ends it. */
static ts_code plain(ts_json *js)
{
    const char *p = js->at;
    char *out = js->piece + js->piece_n;
    if (js->piece_n != 0) {
        p = js->copy_text(&out, js->piece + sizeof js->piece, p, js->end, js->raw);
        js->piece_n = (size_t)(out - js->piece);
    }
    js->at = js->raw ? json_scan_bytes(p, js->end) : json_scan_text(p, js->end);
    size_t n = (size_t)(js->at - p);
    if (js->at < js->end && *js->at == '"') {
        return end_string(js, p, n);
    }
    ts_code code = json_put_run(js, p, n);
    if (code != TS_OK || js->at == js->end) {
        return code;
    }
    if (*js->at == '\\') {
        js->at++;
        js->escape = 1;
        return TS_OK;
    }
    if ((unsigned char)*js->at < 0x20) {
        return json_bad(js, "control character in a string");
    }
    return begin_sequence(js);
}

ts_code json_string_step(ts_json *js)
{
    ts_code code = TS_OK;
    while (code == TS_OK && js->at < js->end && js->state == JSON_IN_STRING) {
        if (js->escape == 1) {
            code = escape_letter(js);
        } else if (js->escape != 0) {
            code = escape_digit(js);
        } else if (js->held_n != 0 || js->high != 0) {
            code = json_resolve(js);
        } else {
            code = plain(js);
        }
    }
    return code;
}

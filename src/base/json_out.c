#include "base/json_out.h"

#include "base/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOUT_BLOCK = 64 * 1024, JOUT_DIGITS = 32, JOUT_VALUE = 400 };

/* --- texts ------------------------------------------------------------------------------------ */

/* Characters that are escaped: 1 always, or twice the flags with which they are. */
static const uint8_t quote_special[128] = {
    ['"'] = 1,
    ['\\'] = 1,
    ['<'] = TS_JOUT_MARKUP << 1,
    ['>'] = TS_JOUT_MARKUP << 1,
    ['&'] = TS_JOUT_MARKUP << 1,
};

/* How many bytes at the beginning just are copied; it ends before control characters and what is no
 * ASCII, too. */
static inline size_t quote_plain(const char *p, size_t n, unsigned escapes)
{
    const unsigned mask = 1 | escapes << 1;
    size_t i = 0;
    while (i < n && p[i] >= ' ' && p[i] < 0x7f &&
           (quote_special[(unsigned char)p[i]] & mask) == 0) {
        i++;
    }
    return i;
}

/* What becomes of the character at p, of *bytes bytes; n 0: it is copied. */
static size_t quote_escape(char out[8], size_t *bytes, const char *p, size_t n, unsigned escapes)
{
    static const unsigned char replacement[] = {0xef, 0xbf, 0xbd}; /* U+FFFD */
    static const char letters[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};
    const unsigned char byte = (unsigned char)*p;
    uint32_t c = byte;
    *bytes = 1;
    if (byte >= 0x80) {
        *bytes = ts_utf8_next(&c, p, n);
        if (c == UINT32_MAX) {
            memcpy(out, replacement, sizeof replacement);
            return sizeof replacement;
        }
    }
    if (byte >= 0x7f && ((escapes & TS_JOUT_STEERS) == 0 || !ts_utf8_steers(c))) {
        return 0;
    }
    if (byte == '"' || byte == '\\' ||
        ((escapes & TS_JOUT_LETTERS) != 0 && byte < sizeof letters && letters[byte] != '\0')) {
        out[0] = '\\';
        out[1] = byte == '"' || byte == '\\' ? (char)byte : letters[byte];
        return 2;
    }
    return (size_t)snprintf(out, 8, "\\u%04x", (unsigned)c & 0xffffU);
}

ts_code ts_json_quote(ts_ctx *ctx, ts_buf *out, ts_text text, unsigned escapes)
{
    size_t from = 0;
    size_t at = 0;
    char escape[8];
    ts_code code = ts_buf_reserve(ctx, out, text.n + 2);
    text.p = text.p == NULL ? "" : text.p;
    if (code == TS_OK) {
        out->p[out->n++] = '"';
    }
    while (code == TS_OK) {
        size_t bytes;
        at += quote_plain(text.p + at, text.n - at, escapes);
        if (at == text.n) {
            break;
        }
        size_t n = quote_escape(escape, &bytes, text.p + at, text.n - at, escapes);
        if (n > 0 && (code = ts_buf_put(ctx, out, text.p + from, at - from)) == TS_OK) {
            code = ts_buf_put(ctx, out, escape, n);
            from = at + bytes;
        }
        at += bytes;
    }
    TS_STEP(code, ts_buf_put(ctx, out, text.p + from, at - from));
    TS_STEP(code, ts_buf_putc(ctx, out, '"'));
    return code;
}

/* --- the writer ------------------------------------------------------------------------------- */

void ts_jout_begin(ts_jout *j, ts_ctx *ctx, ts_jout_write write, void *user)
{
    *j = (ts_jout){.ctx = ctx, .write = write, .user = user, .escapes = TS_JOUT_STEERS};
}

ts_jout ts_jout_into(ts_ctx *ctx, ts_buf *to)
{
    return (ts_jout){.ctx = ctx, .to = to, .escapes = TS_JOUT_STEERS};
}

ts_jout ts_jout_spaced(ts_ctx *ctx, ts_buf *to, int flat)
{
    ts_jout j = ts_jout_into(ctx, to);
    j.spaced = true;
    j.flat = flat;
    return j;
}

void ts_jout_fail(ts_jout *j, ts_code code)
{
    TS_STEP(j->code, code);
}

void ts_jout_flush(ts_jout *j)
{
    if (j->code == TS_OK && j->buf.n > 0) {
        if (j->write(j->user, j->buf.p, j->buf.n) != 0 && j->code == TS_OK) {
            j->code = ts_fail(j->ctx, TS_ERR_OUTPUT, "cannot write the reply");
        }
        j->written += j->buf.n;
        j->buf.n = 0;
    }
}

ts_code ts_jout_end(ts_jout *j)
{
    ts_jout_flush(j);
    ts_buf_free(j->ctx, &j->buf);
    return j->code;
}

static inline ts_buf *jout_to(ts_jout *j)
{
    return j->to == NULL ? &j->buf : j->to;
}

/* The place of n bytes more, of which *to has then to take what was written; NULL: it failed. */
static inline char *jout_room(ts_buf **to, ts_jout *j, size_t n)
{
    ts_buf *b = jout_to(j);
    *to = b;
    TS_STEP_IF(j->code, n > b->cap - b->n, ts_buf_reserve(j->ctx, b, n));
    return j->code == TS_OK ? b->p + b->n : NULL;
}

static inline void jout_put(ts_jout *j, const char *p, size_t n)
{
    ts_buf *to;
    char *place = n == 0 ? NULL : jout_room(&to, j, n);
    if (place != NULL) {
        memcpy(place, p, n);
        to->n += n;
    }
}

/* At the end of each value. */
static inline void jout_value_end(ts_jout *j)
{
    if (j->buf.n >= JOUT_BLOCK) {
        ts_jout_flush(j);
    }
}

void ts_jout_put(ts_jout *j, const char *p, size_t n)
{
    jout_put(j, p, n);
    jout_value_end(j);
}

void ts_jout_put_str(ts_jout *j, const char *s)
{
    ts_jout_put(j, s, strlen(s));
}

/* The text with its quotation marks, and a colon when it is a key. */
static inline void jout_quote(ts_jout *j, ts_text text, bool key)
{
    ts_buf *to;
    char *p = jout_room(&to, j, text.n + 3);
    if (p == NULL) {
        return;
    }
    if (quote_plain(text.p, text.n, j->escapes) < text.n) {
        j->code = ts_json_quote(j->ctx, to, text, j->escapes);
        jout_put(j, ":", key ? 1 : 0);
        return;
    }
    *p++ = '"';
    memcpy(p, text.p, text.n);
    p[text.n] = '"';
    p[text.n + 1] = ':';
    to->n += text.n + (key ? 3 : 2);
}

/* Are members of the present depth in the line of what they are in? */
static bool jout_in_line(const ts_jout *j)
{
    return !j->spaced || (j->flat > 0 && j->depth >= j->flat);
}

static void jout_indent(ts_jout *j)
{
    jout_put(j, "\n", 1);
    for (int i = 0; i < j->depth; i++) {
        jout_put(j, "  ", 2);
    }
}

static inline void jout_begin_value(ts_jout *j, const char *key, size_t n)
{
    if (j->keyed) {
        j->keyed = false;
        return;
    }
    if (j->comma) {
        jout_put(j, ", ", j->spaced && jout_in_line(j) ? 2 : 1);
    }
    if (j->depth > 0 && !jout_in_line(j)) {
        jout_indent(j);
    }
    j->comma = true;
    if (key != NULL) {
        jout_quote(j, (ts_text){key, n}, true);
        jout_put(j, " ", j->spaced ? 1 : 0);
    }
}

/* A value of characters that are JSON. */
static inline void jout_raw(ts_jout *j, const char *key, const char *p, size_t n)
{
    jout_begin_value(j, key, key == NULL ? 0 : strlen(key));
    jout_put(j, p, n);
    jout_value_end(j);
}

void ts_jout_key(ts_jout *j, ts_text key)
{
    jout_begin_value(j, key.p == NULL ? "" : key.p, key.n);
    j->keyed = true;
}

void ts_jout_open(ts_jout *j, const char *key, char bracket)
{
    jout_raw(j, key, &bracket, 1);
    j->comma = false;
    j->depth++;
}

static inline void jout_close(ts_jout *j, char bracket)
{
    const bool line = j->comma && !jout_in_line(j);
    j->depth--;
    if (line) {
        jout_indent(j);
    }
    jout_put(j, &bracket, 1);
    j->comma = true;
}

void ts_jout_close(ts_jout *j, char bracket)
{
    jout_close(j, bracket);
    jout_value_end(j);
}

void ts_jout_ends(ts_jout *j, const char *brackets)
{
    for (; *brackets != '\0'; brackets++) {
        jout_close(j, *brackets);
    }
    jout_value_end(j);
}

void ts_jout_line(ts_jout *j)
{
    ts_jout_put(j, "\n", 1);
}

void ts_jout_next_line(ts_jout *j)
{
    ts_jout_put(j, j->comma ? ",\n" : "\n", j->comma ? 2 : 1);
    j->comma = false;
}

void ts_jout_raw(ts_jout *j, const char *key, ts_text json)
{
    jout_raw(j, key, json.p, json.n);
}

void ts_jout_null(ts_jout *j, const char *key)
{
    ts_jout_raw(j, key, TS_TEXT_LIT("null"));
}

void ts_jout_bool(ts_jout *j, const char *key, bool value)
{
    ts_jout_raw(j, key, value ? TS_TEXT_LIT("true") : TS_TEXT_LIT("false"));
}

void ts_jout_text(ts_jout *j, const char *key, ts_text value)
{
    if (value.p == NULL && !j->null_is_empty) {
        ts_jout_null(j, key);
        return;
    }
    jout_begin_value(j, key, key == NULL ? 0 : strlen(key));
    jout_quote(j, value.p == NULL ? TS_TEXT_LIT("") : value, false);
    jout_value_end(j);
}

void ts_jout_str(ts_jout *j, const char *key, const char *value)
{
    ts_jout_text(j, key, ts_text_of(value));
}

/* The digits of a number, with quotation marks when a JavaScript number would not be exact. */
static void jout_number(ts_jout *j, const char *key, uint64_t magnitude, bool negative)
{
    char digits[JOUT_DIGITS];
    char *end = digits + sizeof digits;
    char *p = end;
    bool quoted = j->ints_as_text && magnitude > TS_JOUT_EXACT;
    if (quoted) {
        *--p = '"';
    }
    do {
        *--p = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude > 0);
    if (negative) {
        *--p = '-';
    }
    if (quoted) {
        *--p = '"';
    }
    jout_raw(j, key, p, (size_t)(end - p));
}

void ts_jout_int(ts_jout *j, const char *key, int64_t value)
{
    jout_number(j, key, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

void ts_jout_put_int(ts_jout *j, int64_t v)
{
    const bool comma = j->comma;
    j->comma = false;
    ts_jout_int(j, NULL, v);
    j->comma = comma;
}

void ts_jout_uint(ts_jout *j, const char *key, uint64_t value)
{
    jout_number(j, key, value, false);
}

size_t ts_shortest_real(char digits[32], double value)
{
    int n = 0;
    for (int precision = 15; precision <= 17; precision++) {
        n = snprintf(digits, JOUT_DIGITS, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) {
            break;
        }
    }
    if (strpbrk(digits, ".e") == NULL) {
        memcpy(digits + n, ".0", 3);
        n += 2;
    }
    return (size_t)n;
}

/* "-d.ddde+XX" as a plain decimal. */
static void real_unfold(char *out, const char *text)
{
    bool minus = *text == '-';
    const char *e = strchr(text, 'e');
    const char *at = text + (minus ? 1 : 0);
    long power = strtol(e + 1, NULL, 10);
    char digits[24];
    size_t n = 0;
    for (; at < e; at++) {
        if (*at != '.') {
            digits[n++] = *at;
        }
    }
    if (minus) {
        *out++ = '-';
    }
    if (power < 0) {
        memcpy(out, "0.", 2);
        memset(out + 2, '0', (size_t)(-power - 1));
        out += 2 + (-power - 1);
        memcpy(out, digits, n);
        out[n] = '\0';
        return;
    }
    for (long i = 0; i <= power || (size_t)i < n; i++) {
        if (i == power + 1) {
            *out++ = '.';
        }
        *out++ = (size_t)i < n ? digits[i] : '0';
    }
    *out = '\0';
}

bool ts_plain_real(char out[TS_REAL_DIGITS], double value)
{
    char text[40];
    if (!isfinite(value)) {
        return false;
    }
    if (value == 0) {
        memcpy(out, "0", 2);
        return true;
    }
    for (int digits = 0; digits <= 16; digits++) {
        (void)snprintf(text, sizeof text, "%.*e", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    real_unfold(out, text);
    return true;
}

void ts_jout_real(ts_jout *j, const char *key, double value)
{
    char digits[JOUT_DIGITS];
    if (isfinite(value)) {
        ts_jout_raw(j, key, (ts_text){digits, ts_shortest_real(digits, value)});
    } else {
        ts_jout_null(j, key);
    }
}

void ts_jout_printf(ts_jout *j, const char *key, const char *fmt, ...)
{
    char value[JOUT_VALUE];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(value, sizeof value, fmt, ap);
    va_end(ap);
    ts_jout_raw(j, key, (ts_text){value, n < JOUT_VALUE ? (size_t)n : JOUT_VALUE - 1});
}

void ts_jout_seconds(ts_jout *j, const char *key, double seconds)
{
    ts_jout_printf(j, key, "%.6f", seconds > 0 ? seconds : 0.0);
}

/* Appends base64 with padding. */
static ts_code ts_base64(ts_ctx *ctx, ts_buf *out, const void *bytes, size_t n)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i += 3) {
        size_t rest = n - i;
        uint32_t v = (uint32_t)p[i] << 16 | (rest > 1 ? (uint32_t)p[i + 1] << 8 : 0U) |
                     (rest > 2 ? p[i + 2] : 0U);
        const char four[4] = {alphabet[v >> 18], alphabet[v >> 12 & 63],
                              rest > 1 ? alphabet[v >> 6 & 63] : '=',
                              rest > 2 ? alphabet[v & 63] : '='};
        TS_TRY(ts_buf_put(ctx, out, four, sizeof four));
    }
    return TS_OK;
}

void ts_jout_base64(ts_jout *j, const char *key, ts_text bytes)
{
    ts_jout_raw(j, key, TS_TEXT_LIT("\""));
    TS_STEP(j->code, ts_base64(j->ctx, jout_to(j), bytes.p, bytes.n));
    ts_jout_put(j, "\"", 1);
}

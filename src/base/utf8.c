#include "base/utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * Looks at the sequence that begins at p. Returns its length when it is well formed. Otherwise
 * *bad is set and the length of the maximal subpart is returned (at least 1).
 */
static size_t utf8_sequence(bool *bad, uint32_t *cp, const uint8_t *p, size_t n)
{
    uint8_t lead = p[0];
    size_t need = lead < 0x80                   ? 1
                  : lead >= 0xc2 && lead < 0xe0 ? 2
                  : lead >= 0xe0 && lead < 0xf0 ? 3
                  : lead >= 0xf0 && lead < 0xf5 ? 4
                                                : 0;
    uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    uint32_t v = need == 1   ? lead
                 : need == 2 ? lead & 0x1fU
                 : need == 3 ? lead & 0x0fU
                             : lead & 0x07U;
    *bad = need == 0;
    if (lead == 0xed && n >= 3 && (p[1] & 0xe0) == 0xa0 && (p[2] & 0xc0) == 0x80) {
        *bad = true; /* a surrogate as three bytes: one unit, however it got there */
        return 3;
    }
    for (size_t i = 1; i < need; i++) {
        if (i >= n || p[i] < low || p[i] > high) {
            *bad = true;
            return i;
        }
        v = v << 6 | (p[i] & 0x3fU);
        low = 0x80;
        high = 0xbf;
    }
    *cp = v;
    return need == 0 ? 1 : need;
}

static inline uint64_t high_bits(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word & UINT64_C(0x8080808080808080);
}

/* Bytes of ASCII at the beginning: all n, or whole words. */
static inline size_t ascii_words(const char *p, size_t n)
{
    const size_t word = sizeof(uint64_t);
    const size_t four = 4 * word;
    size_t i = 0;
    while (n - i >= four &&
           (high_bits(p + i) | high_bits(p + i + word) | high_bits(p + i + word + word) |
            high_bits(p + i + four - word)) == 0) {
        i += four;
    }
    while (n - i >= word && high_bits(p + i) == 0) {
        i += word;
    }
    /* The rest as the end of a word that begins before it. */
    return n >= word && n - i < word && high_bits(p + n - word) == 0 ? n : i;
}

bool ts_utf8_ascii(const char *p, size_t n)
{
    size_t i = ascii_words(p, n);
    while (i < n && (uint8_t)p[i] < 0x80) {
        i++;
    }
    return i == n;
}

bool ts_utf8_valid(const char *p, size_t n)
{
    size_t i = 0;
    while (i < n) {
        bool bad;
        uint32_t cp;
        i += ascii_words(p + i, n - i);
        if (i == n) {
            break;
        }
        i += utf8_sequence(&bad, &cp, (const uint8_t *)p + i, n - i);
        if (bad) {
            return false;
        }
    }
    return true;
}

ts_code ts_utf8_clean(ts_ctx *ctx, ts_buf *out, uint64_t *replaced, const char *p, size_t n)
{
    size_t i = 0;
    size_t start = 0;
    ts_code code = TS_OK;
    while (i < n && code == TS_OK) {
        bool bad;
        uint32_t cp;
        size_t len = utf8_sequence(&bad, &cp, (const uint8_t *)p + i, n - i);
        if (bad) {
            code = ts_buf_put(ctx, out, p + start, i - start);
            TS_STEP(code, ts_buf_put(ctx, out, "\xef\xbf\xbd", 3));
            (*replaced)++;
            start = i + len;
        }
        i += len;
    }
    TS_STEP_IF(code, start < n, ts_buf_put(ctx, out, p + start, n - start));
    return code;
}

ts_code ts_utf8_text(ts_text *text, ts_ctx *ctx, ts_buf *clean, uint64_t *replaced)
{
    ts_code code;
    if (ts_utf8_valid(text->p, text->n)) {
        return TS_OK;
    }
    clean->n = 0;
    code = ts_utf8_clean(ctx, clean, replaced, text->p, text->n);
    *text = ts_buf_text(clean);
    return code;
}

size_t ts_utf8_cut(const char *p, size_t n)
{
    size_t follow = 0;
    while (follow < 3 && follow < n && ((uint8_t)p[n - 1 - follow] & 0xc0) == 0x80) {
        follow++;
    }
    if (follow < n) {
        uint8_t lead = (uint8_t)p[n - 1 - follow];
        size_t need = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
        return need > follow ? n - 1 - follow : n;
    }
    return n;
}

size_t ts_utf8_encode(char *out, uint32_t cp)
{
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, cp >>= 6) {
        out[i] = (char)(0x80 | (cp & 0x3f));
    }
    out[0] = (char)(lead[n] | cp);
    return n;
}

size_t ts_utf8_next(uint32_t *cp, const char *p, size_t n)
{
    bool bad;
    size_t length = utf8_sequence(&bad, cp, (const uint8_t *)p, n);
    *cp = bad ? UINT32_MAX : *cp;
    return length;
}

bool ts_utf8_steers(uint32_t cp)
{
    return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0x061c || cp == 0x200e || cp == 0x200f ||
           (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff;
}

ts_code ts_utf8_printable(ts_ctx *ctx, ts_buf *out, const char *p, size_t n, size_t max)
{
    size_t begin = out->n;
    size_t i = 0;
    ts_code code = TS_OK;
    while (i < n && code == TS_OK) {
        bool bad;
        uint32_t cp = 0;
        size_t len = utf8_sequence(&bad, &cp, (const uint8_t *)p + i, n - i);
        if (out->n - begin + 8 > max) {
            return ts_buf_put(ctx, out, "...", 3);
        }
        if (bad || cp < 0x20 || cp == 0x7f) {
            for (size_t k = 0; k < len && code == TS_OK; k++) {
                code = ts_buf_printf(ctx, out, "\\x%02x", (unsigned)(uint8_t)p[i + k]);
            }
        } else if (ts_utf8_steers(cp)) {
            code = ts_buf_printf(ctx, out, "\\u{%x}", cp);
        } else {
            code = ts_buf_put(ctx, out, p + i, len);
        }
        i += len;
    }
    return code;
}

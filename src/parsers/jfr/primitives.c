/* The primitives of JFR. */
#include "parsers/jfr/primitives.h"

#include "base/utf8.h"

uint64_t jfr_varint_slow(jfr_reader *r)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 9; i++) {
        if (r->p >= r->end) {
            r->bad = true;
            return 0;
        }
        uint64_t byte = *r->p++;
        if (i == 8) {
            return v | byte << 56;
        }
        v |= (byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            break;
        }
    }
    return v;
}

/* Each word begins with a varint, so that one of nine bytes is noticed: none ends in it. */
void jfr_skip_varints(jfr_reader *r, size_t n)
{
    while (n > 0 && !r->bad) {
        uint64_t word;
        uint64_t ends = 0;
        if ((size_t)(r->end - r->p) < sizeof word || (ends = jfr_varint_ends(&word, r->p)) == 0) {
            (void)jfr_varint_slow(r);
            n--;
            continue;
        }
        size_t ended = (size_t)((ends >> 7) * UINT64_C(0x0101010101010101) >> 56);
        if (ended <= n) {
            r->p += (63 - __builtin_clzll(ends)) / 8 + 1;
            n -= ended;
            continue;
        }
        for (; n > 1; n--) {
            ends &= ends - 1;
        }
        r->p += __builtin_ctzll(ends) / 8 + 1;
        n = 0;
    }
}

void jfr_read_varints(uint64_t *out, size_t n, jfr_reader *r)
{
    while (n > 0) {
        uint64_t word;
        uint64_t ends = 0;
        if ((size_t)(r->end - r->p) < sizeof word || (ends = jfr_varint_ends(&word, r->p)) == 0) {
            *out++ = r->bad ? 0 : jfr_varint_slow(r);
            n--;
            continue;
        }
        /* All that end in the word. */
        while (ends != 0 && n > 0) {
            uint64_t first = ends ^ (ends - 1);
            *out++ = jfr_varint_value(word & first);
            n--;
            r->p += __builtin_ctzll(ends) / 8 + 1;
            if (first == UINT64_MAX) { /* eight bytes: the word has no others */
                break;
            }
            word >>= __builtin_ctzll(ends) + 1;
            ends >>= __builtin_ctzll(ends) + 1;
        }
    }
}

/* --- strings -------------------------------------------------------------------------------- */

void jfr_read_string(jfr_string *s, jfr_reader *r)
{
    *s = (jfr_string){.encoding = (uint8_t)jfr_fixed(r, 1)};
    switch (s->encoding) {
    case JFR_STRING_NULL:
    case JFR_STRING_EMPTY:
        break;
    case JFR_STRING_POOL:
        s->key = jfr_raw(r, 8);
        break;
    case JFR_STRING_UTF8:
    case JFR_STRING_LATIN1:
        s->n = jfr_count(r);
        s->p = jfr_take(r, s->n);
        break;
    case JFR_STRING_CHARS:
        s->n = jfr_count(r);
        s->p = r->p;
        if (r->compressed) {
            jfr_skip_varints(r, s->n);
        } else {
            (void)jfr_take(r, s->n * 2);
        }
        s->end = r->p;
        break;
    default:
        r->bad = true;
    }
    if (r->bad) {
        *s = (jfr_string){0};
    }
}

static ts_code put_latin1(ts_ctx *ctx, ts_buf *out, const jfr_string *s)
{
    ts_code code = ts_buf_reserve(ctx, out, s->n * 2);
    for (size_t i = 0; i < s->n && code == TS_OK; i++) {
        out->n += ts_utf8_encode(out->p + out->n, s->p[i]);
    }
    return code;
}

/* Pairs of surrogates are one character; single ones are none. */
static ts_code put_chars(ts_ctx *ctx, ts_buf *out, uint64_t *replaced, const jfr_string *s,
                         bool compressed)
{
    jfr_reader r = {s->p, s->end, compressed, false};
    uint32_t high = 0;
    ts_code code = ts_buf_reserve(ctx, out, (s->n + 1) * 3);
    for (size_t i = 0; i < s->n && code == TS_OK; i++) {
        uint32_t unit = (uint32_t)jfr_raw(&r, 2) & 0xFFFF;
        bool low = unit >= 0xDC00 && unit <= 0xDFFF;
        if (high != 0 && low) {
            out->n += ts_utf8_encode(out->p + out->n,
                                     0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
            high = 0;
            continue;
        }
        if (high != 0 || low) {
            *replaced += (high != 0 ? 1U : 0U) + (low ? 1U : 0U);
            out->n += high != 0 ? ts_utf8_encode(out->p + out->n, 0xFFFD) : 0;
            out->n += low ? ts_utf8_encode(out->p + out->n, 0xFFFD) : 0;
        }
        high = unit >= 0xD800 && unit <= 0xDBFF ? unit : 0;
        if (high == 0 && !low) {
            out->n += ts_utf8_encode(out->p + out->n, unit);
        }
    }
    if (code == TS_OK && high != 0) {
        (*replaced)++;
        out->n += ts_utf8_encode(out->p + out->n, 0xFFFD);
    }
    return code;
}

ts_code jfr_string_put(ts_ctx *ctx, ts_buf *out, uint64_t *replaced, const jfr_string *s,
                       bool compressed)
{
    if (s->n == 0) {
        return TS_OK;
    }
    switch (s->encoding) {
    case JFR_STRING_UTF8:
        return ts_utf8_clean(ctx, out, replaced, (const char *)s->p, s->n);
    case JFR_STRING_LATIN1:
        return put_latin1(ctx, out, s);
    case JFR_STRING_CHARS:
        return put_chars(ctx, out, replaced, s, compressed);
    default:
        return TS_OK;
    }
}

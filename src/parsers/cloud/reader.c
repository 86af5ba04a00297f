#include "parsers/cloud/reader.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <string.h>
#if defined(__SSE2__) && !defined(TS_NO_SSE2)
#define HAS_SSE2 1
#include <emmintrin.h>
#endif

enum { FIRST_WINDOW = 64 * 1024 };

/* Units that are ASCII become characters, several at once. False, and nothing is said about what
 * was written: there are others. Of texts of at least as many units as are taken at once the last
 * ones are taken together, too, some of them again. */
#ifdef HAS_SSE2
static inline bool take_8(char *out, const uint8_t *p)
{
    const __m128i other = _mm_set1_epi16((short)0x80ff); /* bits of units that are no ASCII */
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i ascii = _mm_cmpeq_epi16(_mm_and_si128(v, other), _mm_setzero_si128());
    v = _mm_srli_epi16(v, 8);
    _mm_storel_epi64((__m128i *)(void *)out, _mm_packus_epi16(v, v));
    return _mm_movemask_epi8(ascii) == 0xffff;
}
#endif

static inline bool take_4(char *out, const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned k = 0; k < 8; k++) {
        v = v << 8 | p[k];
    }
    out[0] = (char)(v >> 48);
    out[1] = (char)(v >> 32);
    out[2] = (char)(v >> 16);
    out[3] = (char)v;
    return (v & UINT64_C(0xff80ff80ff80ff80)) == 0;
}

/* A text of ASCII, which nearly all are. False: it is none. */
static inline bool take_ascii(char *out, cloud_string s)
{
    bool ascii = true;
    size_t i = 0;
#ifdef HAS_SSE2
    if (s.units >= 8) {
        for (; i + 8 < s.units && ascii; i += 8) {
            ascii = take_8(out + i, s.p + 2 * i);
        }
        return ascii && take_8(out + s.units - 8, s.p + 2 * (s.units - 8));
    }
#endif
    if (s.units >= 4) {
        for (; i + 4 < s.units && ascii; i += 4) {
            ascii = take_4(out + i, s.p + 2 * i);
        }
        return ascii && take_4(out + s.units - 4, s.p + 2 * (s.units - 4));
    }
    for (; i < s.units && ascii; i++) {
        ascii = s.p[2 * i] == 0 && s.p[2 * i + 1] < 0x80;
        out[i] = (char)s.p[2 * i + 1];
    }
    return ascii;
}

/* Any text, into a buffer with room for it. */
static void take_units(ts_buf *out, cloud_string s)
{
    for (size_t i = 0; i < s.units; i++) {
        uint32_t unit = (uint32_t)s.p[2 * i] << 8 | s.p[2 * i + 1];
        if (unit < 0x80) {
            out->p[out->n++] = (char)unit;
            continue;
        }
        if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < s.units) {
            uint32_t low = (uint32_t)s.p[2 * i + 2] << 8 | s.p[2 * i + 3];
            if (low >= 0xdc00 && low < 0xe000) {
                unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                i++;
            }
        }
        unit = unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit;
        out->n += ts_utf8_encode(out->p + out->n, unit); /* a pair of units takes 4 of 6 bytes */
    }
}

ts_code cloud_utf8(ts_ctx *ctx, ts_buf *out, cloud_string s)
{
    ts_code code;
    out->n = 0;
    if (s.units * 3 + 1 > out->cap && (code = ts_buf_reserve(ctx, out, s.units * 3 + 1)) != TS_OK) {
        return code;
    }
    if (take_ascii(out->p, s)) {
        out->n = s.units;
    } else {
        take_units(out, s);
    }
    return TS_OK;
}

static ts_code reserve_window(cloud_reader *r)
{
    uint8_t *buf;
    if (r->at > 0) {
        memmove(r->buf, r->buf + r->at, r->n - r->at);
        r->base += r->at;
        r->n -= r->at;
        r->at = 0;
    }
    if (r->n < r->cap) {
        return TS_OK;
    }
    size_t cap = r->cap == 0 ? FIRST_WINDOW : r->cap * 2;
    TS_NEED(r->ctx, buf = ts_realloc(r->ctx, r->buf, cap, 1));
    r->buf = buf;
    r->cap = cap;
    return TS_OK;
}

/* Puts more bytes after those of the window; r->ended when there are none. Cursors become
 * invalid. */
static ts_code cloud_more(cloud_reader *r)
{
    size_t got = 0;
    ts_code code;
    TS_TRY_INTO(code, ts_check_cancel(r->ctx));
    TS_TRY_INTO(code, reserve_window(r));
    size_t space = r->cap - r->n;
    space = r->block > 0 && space > r->block ? r->block : space;
    if (r->stream != NULL) {
        code = ts_stream_read(&got, r->stream, r->buf + r->n, space);
        if (code == TS_ERR_INPUT) {
            r->broken = true;
            code = TS_OK;
        }
    } else if (r->spool != NULL) {
        code = ts_spool_read(&got, r->spool, r->base + r->n, r->buf + r->n, space);
    }
    r->n += got;
    r->ended = got == 0;
    return code;
}

ts_code cloud_need(cloud_reader *r, size_t n)
{
    ts_code code = TS_OK;
    while (code == TS_OK && !r->ended && r->n - r->at < n) {
        code = cloud_more(r);
    }
    return code;
}

ts_code cloud_longer(cloud_reader *r)
{
    size_t have = r->n - r->at;
    return cloud_need(r, have > CLOUD_MAX_RECORD / 2 ? CLOUD_MAX_RECORD : 2 * have + 1);
}

ts_code cloud_drain(cloud_reader *r)
{
    ts_code code = TS_OK;
    while (code == TS_OK && !r->ended) {
        r->at = r->n;
        code = cloud_more(r);
    }
    r->at = r->n;
    return code;
}

void cloud_reader_free(cloud_reader *r)
{
    ts_free(r->ctx, r->buf);
    r->buf = NULL;
}

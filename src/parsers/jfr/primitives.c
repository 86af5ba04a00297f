/* The bytes of chunks and the primitives of JFR. */
#include "parsers/jfr/primitives.h"

#include "base/utf8.h"

enum { WINDOW = 256 << 10, LIMIT_PART = 16 };

/* --- bytes ---------------------------------------------------------------------------------- */

static size_t most_held(const jfr_view *v)
{
    uint64_t limit = v->ctx->limits.max_memory;
    return limit != 0 && limit / LIMIT_PART < JFR_HELD ? (size_t)(limit / LIMIT_PART) : JFR_HELD;
}

static ts_code grow_buffer(jfr_view *v, size_t want)
{
    uint8_t *grown;
    if (want <= v->cap) {
        return TS_OK;
    }
    grown = ts_realloc(v->ctx, v->buf, want, 1);
    if (grown == NULL) {
        return v->ctx->error.code;
    }
    v->buf = grown;
    v->cap = want;
    return TS_OK;
}

ts_code jfr_view_begin(jfr_view *v, uint64_t wanted)
{
    ts_spool_free(v->spool);
    v->spool = NULL;
    v->base = 0;
    v->size = 0;
    v->at = 0;
    v->have = 0;
    return wanted != UINT64_MAX && wanted > most_held(v) ? ts_spool_new(&v->spool, v->ctx) : TS_OK;
}

/* What is held goes into a spool, and its memory back. */
static ts_code spill(jfr_view *v)
{
    ts_code code = ts_spool_new(&v->spool, v->ctx);
    if (code == TS_OK && (code = ts_spool_write(v->spool, v->buf, v->have)) == TS_OK) {
        v->have = 0;
        v->cap = 0;
        ts_free(v->ctx, v->buf);
        v->buf = NULL;
    }
    return code;
}

ts_code jfr_view_add(jfr_view *v, const uint8_t *p, size_t n)
{
    ts_code code = TS_OK;
    if (v->spool == NULL && n > most_held(v) - v->have) {
        code = spill(v);
    }
    if (code != TS_OK || v->spool != NULL) {
        return code == TS_OK ? ts_spool_write(v->spool, p, n) : code;
    }
    if (n > v->cap - v->have) {
        size_t want = v->cap < WINDOW ? WINDOW : v->cap;
        while (want - v->have < n) {
            want *= 2;
        }
        if ((code = grow_buffer(v, want)) != TS_OK) {
            return code;
        }
    }
    memcpy(v->buf + v->have, p, n);
    v->have += n;
    return TS_OK;
}

uint64_t jfr_view_total(const jfr_view *v)
{
    return v->spool == NULL ? v->have : ts_spool_size(v->spool);
}

void jfr_view_part(jfr_view *v, uint64_t base, uint64_t size)
{
    v->base = base;
    v->size = size;
}

/* pos is in the spool. Who goes back will go on to do so: half a window before it is read as well.
 */
static ts_code move_window(jfr_view *v, uint64_t pos, size_t need)
{
    uint64_t start = pos;
    uint64_t left;
    size_t want;
    ts_code code;
    if (pos < v->at && need < WINDOW / 2) {
        start = pos > WINDOW / 2 ? pos - WINDOW / 2 : 0;
    }
    left = ts_spool_size(v->spool) - start;
    want = need > WINDOW ? need : WINDOW;
    want = left < want ? (size_t)left : want;
    if ((code = grow_buffer(v, want)) != TS_OK) {
        return code;
    }
    v->at = start;
    v->have = 0;
    return ts_spool_read(&v->have, v->spool, start, v->buf, want);
}

ts_code jfr_view_fill(const uint8_t **p, size_t *n, jfr_view *v, uint64_t pos, size_t need)
{
    uint64_t at = v->base + pos;
    uint64_t left;
    ts_code code = TS_OK;
    *p = NULL;
    *n = 0;
    if (pos >= v->size) {
        return TS_OK;
    }
    left = v->size - pos;
    need = left < need ? (size_t)left : need;
    if (v->spool != NULL &&
        (at < v->at || at - v->at > v->have || v->have - (size_t)(at - v->at) < need)) {
        code = move_window(v, at, need);
    }
    if (code == TS_OK && at - v->at < v->have) {
        *p = v->buf + (size_t)(at - v->at);
        *n = v->have - (size_t)(at - v->at);
        *n = left < *n ? (size_t)left : *n;
    }
    return code;
}

void jfr_view_free(jfr_view *v)
{
    ts_spool_free(v->spool);
    ts_free(v->ctx, v->buf);
    v->spool = NULL;
    v->buf = NULL;
    v->cap = 0;
}

/* --- primitives ----------------------------------------------------------------------------- */

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

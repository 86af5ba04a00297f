/*
 * A reader of the primitives of JFR (docs/formats.md, "JDK Flight Recorder"). Integers are either
 * compressed (little-endian base 128, at most 9 bytes, the 9th with 8 bits) or big-endian of the
 * width of their type.
 */
#ifndef TS_PARSERS_JFR_PRIMITIVES_H
#define TS_PARSERS_JFR_PRIMITIVES_H

#include "base/alloc.h"
#include "base/buf.h"

/* Reads p to end. What is not there, or makes no sense, sets `bad`, and all values are 0 then. */
typedef struct jfr_reader {
    const uint8_t *p;
    const uint8_t *end;
    bool compressed;
    bool bad;
} jfr_reader;

uint64_t jfr_varint_slow(jfr_reader *r);

/* The bytes of a word that end a varint have their highest bit set, the first byte lowest. */
static inline uint64_t jfr_varint_ends(uint64_t *word, const uint8_t *p)
{
    memcpy(word, p, sizeof *word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    *word = __builtin_bswap64(*word);
#endif
    return ~*word & UINT64_C(0x8080808080808080);
}

/* Of the bytes of a varint in a word: pairs of 7, 14 and 28 bits move together. */
static inline uint64_t jfr_varint_value(uint64_t word)
{
    word &= UINT64_C(0x7F7F7F7F7F7F7F7F);
    word = (word & UINT64_C(0x007F007F007F007F)) | (word & UINT64_C(0x7F007F007F007F00)) >> 1;
    word = (word & UINT64_C(0x00003FFF00003FFF)) | (word & UINT64_C(0x3FFF00003FFF0000)) >> 2;
    return (word & UINT64_C(0x000000000FFFFFFF)) | (word & UINT64_C(0x0FFFFFFF00000000)) >> 4;
}

static inline uint64_t jfr_varint(jfr_reader *r)
{
    const uint8_t *p = r->p;
    size_t left = (size_t)(r->end - p);
    uint64_t word;
    uint64_t ends;
    if (left > 0 && p[0] < 0x80) {
        r->p = p + 1;
        return p[0];
    }
    if (left > 1 && p[1] < 0x80) { /* sizes, types of events, keys */
        r->p = p + 2;
        return (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
    }
    if (left <= sizeof word) {
        return jfr_varint_slow(r);
    }
    if ((ends = jfr_varint_ends(&word, p)) == 0) { /* all bits of the ninth byte count: times */
        r->p = p + sizeof word + 1;
        return jfr_varint_value(word) | (uint64_t)p[sizeof word] << 56;
    }
    r->p = p + __builtin_ctzll(ends) / 8 + 1;
    return jfr_varint_value(word & (ends ^ (ends - 1)));
}

/* Passes over n of them. */
void jfr_skip_varints(jfr_reader *r, size_t n);

/* Reads n of them. */
void jfr_read_varints(uint64_t *out, size_t n, jfr_reader *r);

/* width: 1 to 8. */
static inline uint64_t jfr_fixed(jfr_reader *r, unsigned width)
{
    uint64_t v = 0;
    if ((size_t)(r->end - r->p) < width) {
        r->bad = true;
        r->p = r->end;
        return 0;
    }
    for (unsigned i = 0; i < width; i++) {
        v = v << 8 | r->p[i];
    }
    r->p += width;
    return v;
}

/* An integer of a type of this width, as it is recorded. */
static inline uint64_t jfr_raw(jfr_reader *r, unsigned width)
{
    return r->compressed ? jfr_varint(r) : jfr_fixed(r, width);
}

static inline int64_t jfr_long(jfr_reader *r)
{
    return (int64_t)jfr_raw(r, 8);
}

/* Compressed integers are the unsigned image of their own width. */
static inline int32_t jfr_int(jfr_reader *r)
{
    return (int32_t)(uint32_t)jfr_raw(r, 4);
}

/* A number of elements, each of which takes a byte or more: more than there are bytes is bad. */
static inline size_t jfr_count(jfr_reader *r)
{
    uint64_t n = jfr_raw(r, 4);
    if (n > (uint64_t)(r->end - r->p)) {
        r->bad = true;
        r->p = r->end;
        return 0;
    }
    return (size_t)n;
}

static inline const uint8_t *jfr_take(jfr_reader *r, size_t n)
{
    const uint8_t *p = r->p;
    if ((size_t)(r->end - r->p) < n) {
        r->bad = true;
        r->p = r->end;
        return NULL;
    }
    r->p += n;
    return p;
}

/* --- strings -------------------------------------------------------------------------------- */

enum {
    JFR_STRING_NULL = 0,
    JFR_STRING_EMPTY = 1,
    JFR_STRING_POOL = 2,
    JFR_STRING_UTF8 = 3,
    JFR_STRING_CHARS = 4,
    JFR_STRING_LATIN1 = 5
};

/* A string as it is recorded; bytes are borrowed. */
typedef struct jfr_string {
    uint8_t encoding;
    const uint8_t *p;
    size_t n; /* bytes, or units of CHARS, which end at `end` */
    const uint8_t *end;
    uint64_t key; /* of POOL */
} jfr_string;

void jfr_read_string(jfr_string *s, jfr_reader *r);

/* Appends its text as UTF-8; of POOL and NULL nothing. What is no text becomes U+FFFD and counts in
 * *replaced. */
ts_code jfr_string_put(ts_ctx *ctx, ts_buf *out, uint64_t *replaced, const jfr_string *s,
                       bool compressed);

#endif

/*
 * Reads a stream of the Cloud Profiler from front to back through a window that grows with the
 * longest record, and decodes its primitive types. All fixed numbers are big endian.
 */
#ifndef TS_PARSERS_CLOUD_READER_H
#define TS_PARSERS_CLOUD_READER_H

#include "base/buf.h"
#include "input/input.h"
#include "base/spool.h"

/* --- cursors ------------------------------------------------------------------------------- */

/* SHORT: the bytes end before the value does. BAD: invalid. Both are sticky. */
typedef enum cloud_got { CLOUD_GOT, CLOUD_SHORT, CLOUD_BAD } cloud_got;

typedef struct cloud_cursor {
    const uint8_t *p;
    const uint8_t *end;
    cloud_got got;
} cloud_cursor;

/* UTF-16 code units, big endian, borrowed from the window. */
typedef struct cloud_string {
    const uint8_t *p;
    size_t units;
} cloud_string;

/* The writer's own limit of a string. */
#define CLOUD_MAX_UNITS INT32_C(104857600)

static inline void cloud_fail(cloud_cursor *c, cloud_got got)
{
    if (c->got == CLOUD_GOT) {
        c->got = got;
    }
    c->p = c->end;
}

static inline uint8_t cloud_u8(cloud_cursor *c)
{
    if (c->p == c->end) {
        cloud_fail(c, CLOUD_SHORT);
        return 0;
    }
    return *c->p++;
}

/* n bytes as one number, n <= 8. */
static inline uint64_t cloud_fixed(cloud_cursor *c, unsigned n)
{
    uint64_t v = 0;
    if ((size_t)(c->end - c->p) < n) {
        cloud_fail(c, CLOUD_SHORT);
        return 0;
    }
    for (unsigned i = 0; i < n; i++) {
        v = v << 8 | *c->p++;
    }
    return v;
}

/* 1 to 5 bytes; the fifth ends the number whatever its top bit says. The low 32 bits count. */
static inline uint32_t cloud_varint(cloud_cursor *c)
{
    uint32_t v = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint8_t b = cloud_u8(c);
        v |= (uint32_t)(b & 0x7f) << shift;
        if ((b & 0x80) == 0) {
            break;
        }
    }
    return v;
}

/* A var int taken as u32: 0, -1, 1, -2 ... */
static inline int32_t cloud_zigzag(cloud_cursor *c)
{
    uint32_t n = cloud_varint(c);
    return (int32_t)(n >> 1 ^ (0U - (n & 1)));
}

/* Up to five groups of 7 bits; when the fifth says that more follow, a var int of higher bits.
 * *wide: there are more than 64 bits, and those above are cut off. */
static inline uint64_t cloud_varlong(cloud_cursor *c, bool *wide)
{
    uint64_t v = 0;
    uint64_t high;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint8_t b = cloud_u8(c);
        v |= (uint64_t)(b & 0x7f) << shift;
        if ((b & 0x80) == 0) {
            return v;
        }
    }
    high = cloud_varint(c);
    *wide = high >> 29 != 0;
    return v | high << 35;
}

static inline cloud_string cloud_text(cloud_cursor *c)
{
    int32_t n = (int32_t)cloud_varint(c);
    cloud_string s = {c->p, 0};
    if (c->got != CLOUD_GOT || n < 0 || n > CLOUD_MAX_UNITS) {
        cloud_fail(c, CLOUD_BAD);
        return s;
    }
    if ((size_t)n > (size_t)(c->end - c->p) / 2) {
        cloud_fail(c, CLOUD_SHORT);
        return s;
    }
    s.units = (size_t)n;
    c->p += 2 * s.units;
    return s;
}

/* Replaces what `out` holds by the text as UTF-8; a lone half of a pair becomes U+FFFD. */
ts_code cloud_utf8(ts_ctx *ctx, ts_buf *out, cloud_string s);

/* --- readers ------------------------------------------------------------------------------- */

typedef struct cloud_reader {
    ts_ctx *ctx;
    ts_stream *stream; /* one of both */
    ts_spool *spool;
    size_t block; /* bytes per read at most */
    uint8_t *buf;
    size_t cap;
    size_t at;     /* next byte */
    size_t n;      /* bytes in buf */
    uint64_t base; /* offset of buf[0] in the stream */
    bool ended;
    bool broken; /* reading failed after a part */
} cloud_reader;

static inline uint64_t cloud_offset(const cloud_reader *r)
{
    return r->base + r->at;
}

static inline cloud_cursor cloud_window(const cloud_reader *r)
{
    return (cloud_cursor){r->buf + r->at, r->buf + r->n, CLOUD_GOT};
}

/* Moves the reader to the cursor. */
static inline void cloud_take(cloud_reader *r, const cloud_cursor *c)
{
    r->at = (size_t)(c->p - r->buf);
}

/* A record takes no more bytes than this: enough for the longest text. */
#define CLOUD_MAX_RECORD (UINT32_C(1) << 28)

/* For a record that does not end in the window: twice the bytes, so that one that is decoded again
 * from its beginning each time takes time that is linear in its size. */
ts_code cloud_longer(cloud_reader *r);

/* At least `n` bytes in the window, or r->ended. */
ts_code cloud_need(cloud_reader *r, size_t n);

/* Reads to the end and drops it. */
ts_code cloud_drain(cloud_reader *r);

void cloud_reader_free(cloud_reader *r);

#endif

#include "cloud.h"

#include <string.h>

void mc_u32(mk_buf *b, uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        mk_buf_byte(b, (uint8_t)(v >> shift));
}

void mc_u64(mk_buf *b, uint64_t v)
{
    mc_u32(b, (uint32_t)(v >> 32));
    mc_u32(b, (uint32_t)v);
}

void mc_varlong(mk_buf *b, uint64_t v)
{
    mk_buf_reserve(b, 10);
    while (v >= 0x80) {
        b->p[b->n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    b->p[b->n++] = (uint8_t)v;
}

void mc_varint(mk_buf *b, uint32_t v)
{
    mc_varlong(b, v);
}

void mc_zigzag(mk_buf *b, int32_t v)
{
    mc_varint(b, ((uint32_t)v << 1) ^ (v < 0 ? UINT32_MAX : 0));
}

/* The next code point of `*text`, which must not be at its end. */
static uint32_t next_point(const uint8_t **text)
{
    const uint8_t *p = *text;
    uint32_t c = *p++;
    int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;

    c &= more == 3 ? 0x07 : more == 2 ? 0x0F : more == 1 ? 0x1F : 0x7F;
    while (more-- > 0 && *p != 0)
        c = c << 6 | (*p++ & 0x3F);
    *text = p;
    return c;
}

static uint32_t count_units(const char *text)
{
    const uint8_t *p = (const uint8_t *)text;
    uint32_t n = 0;

    while (*p != 0)
        n += next_point(&p) > 0xFFFF ? 2 : 1;
    return n;
}

static void put_unit(mk_buf *b, uint32_t unit)
{
    b->p[b->n++] = (uint8_t)(unit >> 8);
    b->p[b->n++] = (uint8_t)unit;
}

void mc_string(mk_buf *b, const char *text)
{
    const uint8_t *p = (const uint8_t *)text;
    uint32_t units = count_units(text);

    mc_varint(b, units);
    mk_buf_reserve(b, (size_t)units * 2);
    while (*p != 0) {
        uint32_t c = next_point(&p);

        if (c > 0xFFFF) {
            put_unit(b, 0xD800 + ((c - 0x10000) >> 10));
            c = 0xDC00 + ((c - 0x10000) & 0x3FF);
        }
        put_unit(b, c);
    }
}

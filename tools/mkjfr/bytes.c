/* The primitives of JFR. */
#include "mkjfr.h"

#include <stdlib.h>
#include <string.h>

void put_bytes(bytes *b, const void *p, size_t n)
{
    if (b->n + n > b->cap) {
        b->cap = b->cap * 2 + n + 65536;
        b->p = realloc(b->p, b->cap);
        if (b->p == NULL) {
            fputs("mkjfr: out of memory\n", stderr);
            exit(1);
        }
    }
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

void put_byte(bytes *b, unsigned v)
{
    uint8_t byte = (uint8_t)v;
    put_bytes(b, &byte, 1);
}

void put_fixed(bytes *b, uint64_t v, unsigned width)
{
    uint8_t out[8];
    for (unsigned i = 0; i < width; i++) {
        out[i] = (uint8_t)(v >> (8 * (width - 1 - i)));
    }
    put_bytes(b, out, width);
}

static void put_varint(bytes *b, uint64_t v)
{
    uint8_t out[9];
    unsigned n = 0;
    while (v >= 0x80 && n < 8) {
        out[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    out[n++] = (uint8_t)v;
    put_bytes(b, out, n);
}

void put_int(bytes *b, uint64_t v, unsigned width)
{
    if (width < 8) {
        v &= (UINT64_C(1) << 8 * width) - 1;
    }
    if (b->compressed) {
        put_varint(b, v);
    } else {
        put_fixed(b, v, width);
    }
}

void put_real(bytes *b, double v, unsigned width)
{
    float f = (float)v;
    uint64_t bits = 0;
    uint32_t low;
    if (width == 8) {
        memcpy(&bits, &v, 8);
    } else {
        memcpy(&low, &f, 4);
        bits = low;
    }
    put_fixed(b, bits, width);
}

/* ASCII or Latin-1 texts only need one unit a character. */
static unsigned decode(const char **p)
{
    const unsigned char *s = (const unsigned char *)*p;
    unsigned n = s[0] < 0x80 ? 1 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    unsigned cp = n == 1 ? s[0] : s[0] & (0x7FU >> n);
    for (unsigned i = 1; i < n; i++) {
        cp = cp << 6 | (s[i] & 0x3F);
    }
    *p += n;
    return cp;
}

static void put_chars(bytes *b, const char *text)
{
    bytes units = {.compressed = b->compressed};
    unsigned n = 0;
    while (*text != '\0') {
        unsigned cp = decode(&text);
        if (cp >= 0x10000) {
            put_int(&units, 0xD800 + ((cp - 0x10000) >> 10), 2);
            cp = 0xDC00 + ((cp - 0x10000) & 0x3FF);
            n++;
        }
        put_int(&units, cp, 2);
        n++;
    }
    put_int(b, n, 4);
    if (units.n > 0) {
        put_bytes(b, units.p, units.n);
    }
    free(units.p);
}

void put_string(bytes *b, const char *text, unsigned turn)
{
    bool ascii = true;
    if (text == NULL || text[0] == '\0') {
        put_byte(b, text == NULL ? 0 : 1);
        return;
    }
    for (const char *p = text; *p != '\0'; p++) {
        ascii = ascii && (unsigned char)*p < 0x80;
    }
    if (turn % 3 == 1) {
        put_byte(b, 4);
        put_chars(b, text);
        return;
    }
    put_byte(b, turn % 3 == 2 && ascii ? 5 : 3);
    put_int(b, strlen(text), 4);
    put_bytes(b, text, strlen(text));
}

/* Compressed sizes are padded to four bytes, as the JDK does. */
size_t begin_event(bytes *b)
{
    size_t at = b->n;
    put_fixed(b, 0, 4);
    return at;
}

void end_event(bytes *b, size_t at)
{
    size_t n = b->n - at;
    for (unsigned i = 0; i < 4; i++) {
        if (b->compressed) {
            b->p[at + i] = (uint8_t)(((n >> 7 * i) & 0x7F) | (i < 3 ? 0x80U : 0U));
        } else {
            b->p[at + i] = (uint8_t)(n >> (8 * (3 - i)));
        }
    }
}

#include "base/bytes.h"

bool ts_get_span(const uint8_t **out, ts_bytes *b, size_t n)
{
    if (n > ts_bytes_left(b)) {
        return false;
    }
    *out = b->p + b->at;
    b->at += n;
    return true;
}

/* A number of n bytes, the least significant one first or last: both are constants. */
static inline __attribute__((always_inline)) bool get(uint64_t *out, ts_bytes *b, size_t n,
                                                      bool big)
{
    const uint8_t *p;
    uint64_t v = 0;
    if (!ts_get_span(&p, b, n)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        v = v << 8 | p[big ? i : n - 1 - i];
    }
    *out = v;
    return true;
}

#define GETTER(name, type, big)                                                                    \
    bool name(type *out, ts_bytes *b)                                                              \
    {                                                                                              \
        uint64_t v;                                                                                \
        if (!get(&v, b, sizeof *out, big)) {                                                       \
            return false;                                                                          \
        }                                                                                          \
        *out = (type)v;                                                                            \
        return true;                                                                               \
    }
GETTER(ts_get_u8, uint8_t, false)
GETTER(ts_get_u32le, uint32_t, false)
GETTER(ts_get_u64le, uint64_t, false)
GETTER(ts_get_u16be, uint16_t, true)
GETTER(ts_get_u32be, uint32_t, true)
GETTER(ts_get_u64be, uint64_t, true)

bool ts_get_varint(uint64_t *out, ts_bytes *b)
{
    uint64_t v = 0;
    for (size_t i = 0; i < 10; i++) {
        uint8_t byte;
        if (b->at + i >= b->n) {
            return false;
        }
        byte = b->p[b->at + i];
        if (i == 9 && byte > 1) {
            return false;
        }
        v |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            b->at += i + 1;
            *out = v;
            return true;
        }
    }
    return false;
}

/*
 * A bounded reader over bytes in memory. Every call checks the bound; a call that does not fit
 * returns false and moves nothing.
 */
#ifndef TS_BASE_BYTES_H
#define TS_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ts_bytes {
    const uint8_t *p;
    size_t n;
    size_t at; /* next byte; at <= n */
} ts_bytes;

static inline size_t ts_bytes_left(const ts_bytes *b)
{
    return b->n - b->at;
}

bool ts_get_u8(uint8_t *out, ts_bytes *b);
bool ts_get_u32le(uint32_t *out, ts_bytes *b);
bool ts_get_u64le(uint64_t *out, ts_bytes *b);
bool ts_get_u16be(uint16_t *out, ts_bytes *b);
bool ts_get_u32be(uint32_t *out, ts_bytes *b);
bool ts_get_u64be(uint64_t *out, ts_bytes *b);

/* A protobuf varint of 1 to 10 bytes, padded forms included; bits above 64 are an error. */
bool ts_get_varint(uint64_t *out, ts_bytes *b);

/* Borrows n bytes. */
bool ts_get_span(const uint8_t **out, ts_bytes *b, size_t n);

#endif

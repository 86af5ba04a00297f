/* SHA-256 (FIPS 180-4): of what must be told apart for good, such as a recording. */
#ifndef TS_BASE_SHA256_H
#define TS_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct ts_sha256 {
    uint32_t h[8];
    uint64_t bytes;
    uint8_t block[64];
} ts_sha256;

void ts_sha256_init(ts_sha256 *s);
void ts_sha256_add(ts_sha256 *s, const void *p, size_t n);
void ts_sha256_end(ts_sha256 *s, uint8_t out[32]);

#endif

/* SHA-256 (FIPS 180-4), for the header's checksum field. */
#ifndef MK_SHA256_H
#define MK_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct mk_sha256 {
    uint32_t h[8];
    uint64_t bytes;
    uint8_t block[64];
} mk_sha256;

void mk_sha256_init(mk_sha256 *s);
void mk_sha256_add(mk_sha256 *s, const void *p, size_t n);
void mk_sha256_end(mk_sha256 *s, uint8_t out[32]);

#endif

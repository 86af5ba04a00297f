/*
 * SipHash-1-3 (Aumasson and Bernstein) over 64-bit words, with a key that is drawn anew for every
 * context: who makes an input cannot know which texts and numbers collide, so tables stay fast.
 * Slots depend on the key; ids, rows and files do not.
 */
#ifndef TS_BASE_HASH_H
#define TS_BASE_HASH_H

#include "base/text.h"

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ts_hash_key {
    uint64_t k[2];
} ts_hash_key;

typedef struct ts_hash {
    uint64_t v0, v1, v2, v3;
} ts_hash;

static inline uint64_t ts_hash_rotate(uint64_t v, unsigned bits)
{
    return v << bits | v >> (64 - bits);
}

static inline void ts_hash_round(ts_hash *h)
{
    h->v0 += h->v1;
    h->v2 += h->v3;
    h->v1 = ts_hash_rotate(h->v1, 13) ^ h->v0;
    h->v3 = ts_hash_rotate(h->v3, 16) ^ h->v2;
    h->v0 = ts_hash_rotate(h->v0, 32) + h->v3;
    h->v2 += h->v1;
    h->v1 = ts_hash_rotate(h->v1, 17) ^ h->v2;
    h->v3 = ts_hash_rotate(h->v3, 21) ^ h->v0;
    h->v2 = ts_hash_rotate(h->v2, 32);
}

static inline ts_hash ts_hash_begin(const ts_hash_key *key)
{
    return (ts_hash){
        key->k[0] ^ UINT64_C(0x736f6d6570736575),
        key->k[1] ^ UINT64_C(0x646f72616e646f6d),
        key->k[0] ^ UINT64_C(0x6c7967656e657261),
        key->k[1] ^ UINT64_C(0x7465646279746573),
    };
}

static inline void ts_hash_word(ts_hash *h, uint64_t word)
{
    h->v3 ^= word;
    ts_hash_round(h);
    h->v0 ^= word;
}

/* The last 0 to 7 bytes share a word with the length, as SipHash has it. */
static inline void ts_hash_bytes(ts_hash *h, const char *p, size_t n)
{
    size_t i = 0;
    uint64_t word;
    for (; i + 8 <= n; i += 8) {
        memcpy(&word, p + i, 8);
        ts_hash_word(h, le64toh(word)); /* equal bytes have equal hashes on all machines */
    }
    word = (uint64_t)n << 56;
    for (size_t k = 0; i + k < n; k++) {
        word |= (uint64_t)(unsigned char)p[i + k] << (8 * k);
    }
    ts_hash_word(h, word);
}

static inline uint64_t ts_hash_fold(ts_hash *h)
{
    ts_hash_round(h);
    ts_hash_round(h);
    ts_hash_round(h);
    return h->v0 ^ h->v1 ^ h->v2 ^ h->v3;
}

static inline uint64_t ts_hash_end(ts_hash *h)
{
    h->v2 ^= 0xff;
    return ts_hash_fold(h);
}

/* Of one number: for tables whose keys are ids from an input. */
static inline uint64_t ts_hash_number(const ts_hash_key *key, int64_t number)
{
    ts_hash h = ts_hash_begin(key);
    ts_hash_word(&h, (uint64_t)number);
    return ts_hash_end(&h);
}

/* A second value from the same state, for keys of 128 bits; after ts_hash_end. */
static inline uint64_t ts_hash_more(ts_hash *h)
{
    h->v1 ^= 0xdd;
    return ts_hash_fold(h);
}

#endif

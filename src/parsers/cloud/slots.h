/*
 * Slots of a hash table over elements that an array elsewhere holds, in the order of their making.
 * Hashes are keyed (base/hash.h), so that an input cannot be made to collide. 4 bytes a slot, at
 * most 16 an element.
 */
#ifndef TS_PARSERS_CLOUD_SLOTS_H
#define TS_PARSERS_CLOUD_SLOTS_H

#include "base/context.h"
#include "base/hash.h"

typedef struct cloud_slots {
    uint32_t *p;    /* number of the element + 1; 0: free */
    uint32_t count; /* a power of two, or 0 */
} cloud_slots;

/* Hash of an element, and whether it has a key. */
typedef uint64_t (*cloud_hash)(const void *owner, uint32_t number);
typedef bool (*cloud_equal)(const void *owner, uint32_t number, const void *key);

/* True and the number of the element that has the key, whose hash is `hash`. */
bool cloud_slots_find(uint32_t *number, const cloud_slots *s, uint64_t hash, cloud_equal equal,
                      const void *owner, const void *key);

/* Makes the element `number`, the next one, known. Its key must be new. */
ts_code cloud_slots_add(ts_ctx *ctx, cloud_slots *s, uint32_t number, cloud_hash hash,
                        const void *owner);

/* Forgets all elements. */
void cloud_slots_clear(ts_ctx *ctx, cloud_slots *s);

#endif

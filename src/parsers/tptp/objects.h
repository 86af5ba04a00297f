/*
 * Live objects by the recording's id: which allocation made them, and their class. A hash table
 * from which entries are removed, so that it holds those that are live: 16 bytes a slot at a load
 * of at most 3/4. The hash is keyed: an input cannot be made to collide.
 */
#ifndef TS_PARSERS_TPTP_OBJECTS_H
#define TS_PARSERS_TPTP_OBJECTS_H

#include "base/context.h"

typedef struct tptp_object_slot {
    int64_t id; /* 0: free */
    uint32_t allocation;
    uint32_t class_number;
} tptp_object_slot;

typedef struct tptp_objects {
    tptp_object_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t count;
} tptp_objects;

/* The object's entry, or NULL. */
const tptp_object_slot *tptp_objects_find(const ts_ctx *ctx, const tptp_objects *o, int64_t id);

/* Gives an object, whose id is not 0, an entry, also when it has one. Errors: memory. */
ts_code tptp_objects_put(ts_ctx *ctx, tptp_objects *o, tptp_object_slot entry);

/* Removes the entry when there is one. */
void tptp_objects_remove(const ts_ctx *ctx, tptp_objects *o, int64_t id);

void tptp_objects_free(ts_ctx *ctx, tptp_objects *o);

#endif

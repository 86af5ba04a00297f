/*
 * The constant pools of a chunk (docs/formats.md, "JDK Flight Recorder"): the bytes of its
 * checkpoint events are kept, and each entry is found by its class and key. What an entry is
 * becomes known when it is first used.
 */
#ifndef TS_PARSERS_JFR_POOLS_H
#define TS_PARSERS_JFR_POOLS_H

#include "parsers/jfr/plan.h"

/* What an entry was resolved to. A class may be used as one thing by one event, and as another by
 * the next. */
typedef enum jfr_known {
    JFR_KNOWN_NOT,
    JFR_KNOWN_TEXT,   /* the number of its text */
    JFR_KNOWN_THREAD, /* a row */
    JFR_KNOWN_METHOD, /* a row */
    JFR_KNOWN_STACK   /* a row, and the number of the stack */
} jfr_known;

typedef struct jfr_entry {
    const uint8_t *p; /* NULL: a place that is free */
    uint64_t key;
    int64_t value;
    uint32_t n;
    uint8_t known; /* what `value` is: jfr_known */
} jfr_entry;

/* Entries of one class: a table by their keys, of which three of four places are taken at most. */
typedef struct jfr_pool {
    jfr_entry *slots;
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t count;
} jfr_pool;

typedef struct jfr_pools {
    jfr_pool *by_class; /* one a class of the metadata */
    uint32_t class_count;
    ts_vec blocks;      /* uint8_t *: the bytes of checkpoints that are not held anyway */
    uint64_t random[2]; /* of the hash of keys: unknown to whoever makes an input */
    uint64_t entries, repeated;
} jfr_pools;

typedef struct jfr_chunk jfr_chunk;

/* Pools without entries, for the classes of the metadata. */
ts_code jfr_pools_new(jfr_chunk *c);
void jfr_pools_free(ts_ctx *ctx, jfr_pools *pools);

/*
 * Adds the entries of a checkpoint event, `r` after its delta; its bytes are copied unless the
 * chunk's are held. Entries whose key is there already stay: newer checkpoints come first. *bad: it
 * makes no sense from some place on, or has entries of a class that cannot be decoded; those before
 * it are kept.
 */
ts_code jfr_pools_add(bool *bad, jfr_chunk *c, jfr_reader r);

/* The entry of a reference, or NULL. All entries have been added. */
jfr_entry *jfr_pool_find(jfr_chunk *c, uint32_t cls, uint64_t key);

#endif

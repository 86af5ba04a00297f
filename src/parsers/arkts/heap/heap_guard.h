/*
 * The distance that is kept from a contradiction, and rows that are unlike those of V8. Owned by
 * heap_guard.c. Docs: docs/trust.md.
 */
#ifndef TS_PARSERS_ARKTS_HEAP_GUARD_H
#define TS_PARSERS_ARKTS_HEAP_GUARD_H

#include "parsers/arkts/heap/heap_part.h"

/*
 * What contradicts is found a little after the damage: transports and devices lose, double or
 * exchange blocks. So the rows this close before a contradiction are not believed: this many
 * numbers, each of which takes two bytes of text or more, or twice as many bytes of strings.
 */
enum { HEAP_GUARD = 8192 };

/* Places of the nodes or strings that came last, one for each HEAP_TRAIL_STEP numbers (two bytes of
 * a string each): enough of them to go back by HEAP_GUARD. */
enum { HEAP_TRAIL = 16, HEAP_TRAIL_STEP = 1024 };

typedef struct heap_trail {
    heap_place place[HEAP_TRAIL]; /* a ring */
    uint64_t at[HEAP_TRAIL];      /* numbers before it */
    uint64_t count;
    uint64_t next; /* numbers before the next one */
} heap_trail;

typedef struct heap_trails {
    heap_trail nodes;
    heap_trail strings;
    uint64_t string_bytes; /* of those so far, with quotes and comma */
} heap_trails;

/* A node is complete, v is its row: is it one as V8 writes them? Also notes its place. */
void heap_look_at_node(ts_heap *h, const int64_t *v, uint32_t nulls);

/* A string of n bytes is complete. */
void heap_look_at_string(ts_heap *h, size_t n);

/* The place HEAP_GUARD before the row under way. */
heap_place heap_guard(const ts_heap *h, enum heap_part part);

#endif

/*
 * Names that all parts of the heap reader use: the top-level members of a snapshot, the columns
 * that their rows feed, places between rows. The form is that of V8: docs/formats.md, "Heap
 * snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_PART_H
#define TS_PARSERS_ARKTS_HEAP_PART_H

#include "parsers/arkts/heap/heap.h"
#include "tables/formats/arkts/arkts_constants.h"

/* The top-level members of a snapshot. The first six are arrays of integers with a description. */
enum heap_part {
    PART_NODES,
    PART_EDGES,
    PART_LOCATIONS,
    PART_SAMPLES,
    PART_FUNCTIONS,
    PART_TREE,
    PART_INTS, /* number of those */
    PART_STRINGS = PART_INTS,
    PART_SNAPSHOT,
    PART_OTHER
};

enum part_state { PART_ABSENT, PART_OPEN, PART_CLOSED };

enum {
    MAX_FIELDS = 64, /* positions of a row that are looked at */
    MAX_TARGETS = 8, /* columns that a row can feed */
    NODE_TYPE = 0,   /* targets of nodes, in the order of V8's usual description */
    NODE_NAME,
    NODE_ID,
    NODE_SELF_SIZE,
    NODE_EDGE_COUNT,
    NODE_TRACE_NODE_ID,
    NODE_DETACHEDNESS,
    NODE_NATIVE_SIZE,
    V8_NODE_FIELDS = NODE_NATIVE_SIZE, /* all but that, which only ArkTS writes */
    EDGE_TYPE = 0,
    EDGE_NAME,
    EDGE_TO,
    TREE_CHILDREN = 4
};

/* Marks an element that is no integer; a real INT64_MIN in a heap is treated like one. */
#define HEAP_NULL INT64_MIN

/* A place between two rows of an array: how many are before it, and their self_size. */
typedef struct heap_place {
    uint64_t rows; /* UINT64_MAX: there is none */
    int64_t self_size;
} heap_place;

/* Keeps the largest index, and INT64_MAX when one is negative: no string list is that long. */
static inline void heap_note_index(int64_t *max, int64_t index)
{
    if (index < 0) {
        *max = INT64_MAX;
    } else if (index > *max) {
        *max = index;
    }
}

/* Bits of a row's `null` for the columns from `first` on, in the order of the targets. */
static inline uint64_t heap_null_bits(uint32_t nulls, unsigned first)
{
    return (uint64_t)nulls << first;
}

/* The name of a member, for messages. */
const char *heap_part_name(enum heap_part part);

#endif

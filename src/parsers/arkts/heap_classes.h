/*
 * The histogram of classes, added up while the nodes are read. Owned by heap_classes.c. Docs:
 * docs/formats.md, "Heap snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_CLASSES_H
#define TS_PARSERS_ARKTS_HEAP_CLASSES_H

#include "parsers/arkts/heap_part.h"

enum { HEAP_RECENT_CLASSES = 256 };

/* A class of the histogram: a type, and for types whose class is the name also that. */
typedef struct heap_class {
    int64_t type; /* HEAP_NULL: not known */
    int64_t name; /* string index, or HEAP_NULL */
    int64_t count;
    int64_t self_size; /* bytes; HEAP_NULL: the sum does not fit */
} heap_class;

typedef struct heap_classes {
    heap_class *entries;
    uint32_t *slots; /* hash: index + 1 */
    /* Entries that were used last, by the lower bits of their names: most nodes need no hash. An
     * entry is compared before it is used, so that this needs no key. */
    uint32_t recent[HEAP_RECENT_CLASSES];
    uint32_t count;
    uint32_t cap;
} heap_classes;

/* A complete node, as for heap_put_node. */
ts_code heap_classes_add(ts_heap *h, const int64_t *v, uint32_t nulls);

/* Writes what has been added up and begins anew. */
ts_code heap_classes_write(ts_heap *h);

void heap_classes_free(ts_heap *h);

#endif

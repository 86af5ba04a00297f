/*
 * The histogram of classes, added up while the nodes are read. Owned by heap_classes.c. Docs:
 * docs/formats.md, "Heap snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_CLASSES_H
#define TS_PARSERS_ARKTS_HEAP_CLASSES_H

#include "parsers/arkts/heap/heap_part.h"

enum { HEAP_RECENT_CLASSES = 256 };

/* A class of the histogram: a type, and for types whose class is the name also that. */
typedef struct heap_class {
    int64_t type; /* HEAP_NULL: not known */
    int64_t name; /* string index, or HEAP_NULL */
    int64_t count;
    int64_t self_size; /* bytes; HEAP_NULL: the sum does not fit */
} heap_class;

typedef struct heap_recent_class {
    int64_t type;
    int64_t name;
    uint32_t entry; /* its place + 1; 0: none */
} heap_recent_class;

typedef struct heap_classes {
    heap_class *entries;
    uint32_t *slots; /* by hash: index + 1, and bits of the hash */
    /* Those that were used last, by the lower bits of their names: most nodes need no hash. Both
     * parts of a class are compared, so that this needs no key. */
    heap_recent_class recent[HEAP_RECENT_CLASSES];
    uint32_t count;
    uint32_t cap;
} heap_classes;

/* Lets the cache fetch what heap_classes_add needs of the n nodes from v on, as many integers
 * each as they have fields; hashes: of each node, or 0 where none is needed. */
void heap_classes_fetch(uint64_t *hashes, const ts_heap *h, const int64_t *v, size_t n);

/* A complete node, as for heap_put_node. hash: from heap_classes_fetch, or 0. */
ts_code heap_classes_add(ts_heap *h, const int64_t *v, uint32_t nulls, uint64_t hash);

/* Writes what has been added up and begins anew. */
ts_code heap_classes_write(ts_heap *h);

void heap_classes_free(ts_heap *h);

#endif

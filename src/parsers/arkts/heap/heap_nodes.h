/*
 * Nodes: their rows, and what edges need to know of them: ids and edge counts, 16 bytes a node or
 * less, also with the copy of ids that edges have (heap_edges.h). Owned by heap_nodes.c;
 * heap_damage.c corrects sums when nodes are not certain. Docs: docs/formats.md, "Heap snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_NODES_H
#define TS_PARSERS_ARKTS_HEAP_NODES_H

#include "base/intvec.h"
#include "parsers/arkts/heap/heap_part.h"

enum { NODES_AT_ONCE = 256 };

typedef struct heap_nodes {
    ts_intvec ids;
    ts_intvec edge_counts;
    uint64_t edge_count_sum;
    uint64_t bad_edge_counts;
    uint64_t owner_stop; /* first node whose edge_count is unusable, or UINT64_MAX */
    bool complete;       /* the array has ended */
    int64_t self_size;   /* sum, in bytes */
    bool self_size_overflow;
    int64_t name_max; /* largest string index, -1 without one; INT64_MAX: a negative one */
} heap_nodes;

void heap_nodes_begin(heap_nodes *nodes);
void heap_nodes_free(ts_ctx *ctx, heap_nodes *nodes);

/* A complete node; v is its row by targets, nulls a bit per target without a value. */
ts_code heap_put_node(ts_heap *h, const int64_t *v, uint32_t nulls);

/*
 * Whole nodes, as many integers each as they have fields, in the order of the targets, none of
 * them HEAP_NULL; hashes: of each, from heap_classes_fetch. *taken: how many were put: those before
 * the first that has a number that is not small.
 */
ts_code heap_put_usual_nodes(size_t *taken, ts_heap *h, const int64_t *v, const uint64_t *hashes,
                             size_t n);

/* heap_ids.c: how many of the ids, of which 0 is none, follow an equal one. */
ts_code heap_count_duplicate_ids(uint64_t *out, ts_heap *h, const ts_intvec *ids);

#endif

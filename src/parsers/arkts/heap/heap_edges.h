/*
 * Edges: their rows, with the ids of the nodes at both ends, and js_heap_edge_block, which finds
 * the owner of an edge. An edge's owner follows from the edge counts of the nodes, its target from
 * the position in the array of nodes. Owned by heap_edges.c. Docs: docs/formats.md, "Heap
 * snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_EDGES_H
#define TS_PARSERS_ARKTS_HEAP_EDGES_H

#include "parsers/arkts/heap/heap_part.h"

#define HEAP_NO_TARGET UINT64_MAX

enum { EDGES_PER_BLOCK = TS_HEAP_EDGE_BLOCK, EDGE_FIELDS = 3, EDGES_AT_ONCE = 256 };

typedef struct heap_edges {
    bool owners_unknown;
    uint64_t owner;     /* node that owns the next edge; UINT64_MAX: before the first */
    int64_t owner_left; /* edges of it that are to come */
    int64_t owner_id;
    uint64_t target_stop; /* nodes that an edge can point at */
    uint32_t *ids;        /* of the nodes, in one piece; NULL: they are in `nodes` only */
    ts_row_js_heap_edge_block block;
    uint64_t unowned;
    uint64_t bad_target;
    int64_t name_max; /* largest string index, -1 without one; INT64_MAX: a negative one */
} heap_edges;

void heap_edges_begin(heap_edges *edges);
void heap_edges_free(ts_ctx *ctx, heap_edges *edges);

/* The nodes are complete: their ids, when all fit 32 bits and memory has no limit, are put where
 * looking them up takes the least time. */
ts_code heap_edges_copy_ids(ts_heap *h);

/* A complete edge. target: the index of the node that it points at, from heap_edge_target. */
ts_code heap_put_edge(ts_heap *h, const int64_t *v, uint32_t nulls, uint64_t target);

/*
 * Some of n whole edges, three integers each, in the order of the fields of js_heap_edges; *done:
 * how many were put. None: the first has a HEAP_NULL.
 */
ts_code heap_put_edges(size_t *done, ts_heap *h, const int64_t *v, size_t n);

/* HEAP_NO_TARGET when to_node is no node. */
uint64_t heap_edge_target(const ts_heap *h, int64_t to_node);

/* Writes the block that is open, if any. */
ts_code heap_put_edge_block(ts_heap *h);

/* A node can have this number: by what the snapshot declares or by what there is. */
bool heap_is_place(const ts_heap *h, uint64_t index);

#endif

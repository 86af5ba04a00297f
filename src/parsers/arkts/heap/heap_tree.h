/*
 * The trace tree: its tuples become rows, parents first. What is kept of a level is its parent's
 * id. Owned by heap_tree.c. Docs: docs/formats.md, "Heap snapshots".
 */
#ifndef TS_PARSERS_ARKTS_HEAP_TREE_H
#define TS_PARSERS_ARKTS_HEAP_TREE_H

#include "base/intvec.h"
#include "parsers/arkts/heap/heap_part.h"

typedef struct heap_tree {
    ts_intvec parents;    /* ids of the tuples that are open */
    uint64_t bad;         /* places that are not as the fields say */
    int64_t function_max; /* largest function_info_index, -1 without one */
    uint8_t *noted;       /* of ids: enum heap_noted; owned */
    size_t noted_n;
    bool twice; /* two tuples have one id */
} heap_tree;

/* Who has an id of the tree; larger ones than HEAP_MAX_NOTED are not looked at. */
enum heap_noted { HEAP_NOTED_NODE = 1, HEAP_NOTED_TUPLE = 2, HEAP_MAX_NOTED = 1 << 22 };

void heap_tree_reset(heap_tree *tree);
void heap_tree_free(ts_ctx *ctx, heap_tree *tree);

/* A node was allocated in this tuple, or the tuple is there. */
ts_code heap_tree_note(ts_heap *h, int64_t id, enum heap_noted by);

/* A node was allocated in a tuple that is not there. */
bool heap_tree_lacks(const ts_heap *h);

/* An element of a tuple; an array in a tuple begins, ends. */
ts_code heap_tree_value(ts_heap *h, int64_t v);
ts_code heap_tree_begin(ts_heap *h);
ts_code heap_tree_end(ts_heap *h);

#endif

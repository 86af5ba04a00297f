/* Call paths with weights as a tree: what a flame graph shows. */
#ifndef TS_MODEL_STACK_TREE_H
#define TS_MODEL_STACK_TREE_H

#include "base/buf.h"
#include "base/index.h"
#include "base/vec.h"
#include "model/call_paths.h"
#include "model/cells.h"

/* Parents are before their children. Arrays that are NULL are not there. */
typedef struct ts_tree {
    uint32_t n;
    const uint32_t *parent; /* TS_NO_INDEX: a root */
    const uint32_t *method;
    const int32_t *line;
    const ts_ids *nodes;     /* ids of the nodes, or: */
    const uint32_t *node_of; /* place in `nodes` of each */
    const uint32_t *leaf_of; /* and of where its path begins, of an inverted tree */
    uint64_t *path_id;       /* model/path_ids.h */
    ts_wide *self;
    uint64_t *count;
    ts_wide *total; /* ts_tree_totals; with those below */
    uint64_t *all;  /* count, with those below */
} ts_tree;

/* Fills in total and all, which are allocated; caller frees both. */
ts_code ts_tree_totals(ts_tree *t, ts_ctx *ctx);
static inline int64_t ts_tree_id(const ts_tree *t, uint32_t i)
{
    return ts_ids_at(t->nodes, t->node_of == NULL ? i : t->node_of[i]);
}

/* A tree that grows by paths: children with the same method are one. */
typedef struct ts_trie {
    ts_vec parent; /* uint32_t each */
    ts_vec method;
    ts_vec node_of;
    ts_vec self;  /* ts_wide */
    ts_vec count; /* uint64_t */
    ts_index index;
} ts_trie;

/* The child of `parent` (TS_NO_INDEX: a root) of that method, made with node_of when it is new. */
ts_code ts_trie_child(uint32_t *out, ts_ctx *ctx, ts_trie *t, uint32_t parent, uint32_t method,
                      uint32_t node_of);
void ts_trie_add(ts_trie *t, uint32_t at, ts_wide self, uint64_t count);
ts_tree ts_trie_tree(const ts_trie *t, const ts_ids *nodes);
void ts_trie_free(ts_ctx *ctx, ts_trie *t);

/* A heap of places by such an order: restores it below `at`, with what comes last (`last`) or
 * first on top; or above `at`, with the first on top. */
void ts_heap_down(uint32_t *heap, size_t n, size_t at, const ts_wide *values, bool last);
void ts_heap_up(uint32_t *heap, size_t at, const ts_wide *values);
/* Sorts places by descending value, equal ones by rising place. */
void ts_sort_places(uint32_t *places, size_t n, const ts_wide *values);

/* The nodes of a tree that are written: the heaviest, all below one another. */
typedef struct ts_shown_tree {
    uint32_t *order; /* pre-order, heaviest child first */
    uint32_t n;
    uint32_t *number;     /* place in `order` of each node, or TS_NO_INDEX */
    uint32_t *rest_count; /* of each node and, at the end, of the roots: children left out */
    ts_wide *rest_total;
    ts_wide total; /* of the roots, also those left out */
    uint64_t count;
} ts_shown_tree;

/* root: TS_NO_INDEX for the whole tree. */
ts_code ts_tree_choose(ts_shown_tree *s, ts_ctx *ctx, const ts_tree *t, uint32_t root,
                       uint32_t limit);
void ts_shown_tree_free(ts_ctx *ctx, ts_shown_tree *s);

enum { TS_METHOD_TEXT = 4096 }; /* bytes of a text, cut between characters */

/* Appends package, class and name, as people write them: what v_stack_hot_method calls it. */
ts_code ts_method_label(ts_buf *bytes, ts_ctx *ctx, const ts_scan_text *package,
                        const ts_scan_text *class, const ts_scan_text *name);
/* A name of C++ or Rust as it is written (symbols/demangle.h), in `scratch`, others as they are. */
ts_code ts_method_written(ts_scan_text *out, ts_ctx *ctx, ts_buf *scratch,
                          const ts_scan_text *name);
/* Appends a text of at most that many bytes, and `after`. */
ts_code ts_method_text(ts_buf *bytes, ts_ctx *ctx, const ts_scan_text *t, const char *after);

#endif

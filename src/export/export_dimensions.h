/*
 * The tree of a flame graph by one of the dimensions that Datakit knows: by method, by line, by
 * package, or by thread and below it by method.
 *
 * Memory: 32 bytes for each call path with a weight, of each thread where threads are the
 * dimension, 40 for each node of the tree, and twice that while it is being made.
 */
#ifndef TS_EXPORT_EXPORT_DIMENSIONS_H
#define TS_EXPORT_EXPORT_DIMENSIONS_H

#include "base/idmap.h"
#include "export/export_methods.h"
#include "export/export_names.h"

typedef enum ts_dimension {
    TS_DIM_METHOD,
    TS_DIM_PACKAGE,
    TS_DIM_LINE,
    TS_DIM_THREAD,
    TS_DIMENSIONS
} ts_dimension;

extern const char *const ts_dimension_names[TS_DIMENSIONS];

typedef struct ts_dim_node {
    uint32_t parent;
    uint32_t key;     /* of the methods; of a package or thread its place in `words` */
    int32_t line;     /* 0: not known, or not shown */
    uint32_t thread;  /* place in `words` + 1; 0: none is shown */
    bool is_method;   /* false: the root, a package or a thread */
    int64_t value;    /* with what is below it; never negative */
    uint32_t first;   /* place of the first child in `order` */
    uint32_t count;   /* of children */
    uint32_t package; /* of a package: key of the method that it was met with */
} ts_dim_node;

typedef struct ts_dim_tree {
    ts_vec nodes;  /* ts_dim_node; 0 is the root; a parent's number is smaller */
    ts_vec order;  /* uint32_t: children of each node, the heaviest first */
    ts_pool words; /* packages and threads */
    bool available[TS_DIMENSIONS];
    uint64_t skipped; /* samples whose weight is not above zero */
} ts_dim_tree;

/*
 * Makes the tree of a weight of p. TS_ERR_LIMIT when the sum does not fit 64 bits. Release with
 * ts_dim_free, also after an error.
 */
ts_code ts_dim_make(ts_dim_tree *tree, ts_ctx *ctx, ts_calls *p, const ts_weight *weight,
                    const ts_methods *methods, const ts_naming *names, ts_dimension dimension);
void ts_dim_free(ts_dim_tree *tree, ts_ctx *ctx);

static inline const ts_dim_node *ts_dim_at(const ts_dim_tree *tree, uint32_t i)
{
    return &((const ts_dim_node *)tree->nodes.p)[i];
}

#endif

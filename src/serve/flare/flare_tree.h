/*
 * Trees of the Flare protocol: of a range of records, merged where neighbours in time are equal
 * (sequenced) or wherever callers are equal (merged). Nodes are an array; parents come before their
 * children.
 */
#ifndef TS_SERVE_FLARE_TREE_H
#define TS_SERVE_FLARE_TREE_H

#include "base/idmap.h"
#include "serve/flare/flare_data.h"
#include "base/json_out.h"

enum {
    FP_TREE_LEVELS = 5000,  /* below the root; deeper frames are left out and counted */
    FP_TREE_NODES = 500000, /* of one reply */
    FP_TREE_HELD = 10000000 /* in memory */
};

typedef struct fp_tree_node {
    uint32_t method;                    /* number in fp_data */
    uint32_t parent, first, last, next; /* 0: none (the root is nothing's child) */
    uint32_t depth;
    uint32_t cut; /* frames below it that were left out, of the deepest stack */
    int64_t calls;
    int64_t duration; /* ms */
    int64_t start;    /* ms after the first record */
    int64_t cpu;      /* ns */
} fp_tree_node;

typedef struct fp_tree {
    const fp_data *data;
    ts_vec nodes;      /* of fp_tree_node; number 0 is the root */
    ts_idmap children; /* merged trees: from parent << 32 | method to the node */
    bool merged;
    uint32_t *path; /* numbers of fp_data.nodes from leaf to root */
    size_t path_cap;
} fp_tree;

/* Makes an empty tree. Caller frees with fp_tree_close, also after a failure. */
ts_code fp_tree_open(fp_tree *tree, const fp_data *data, bool merged);
void fp_tree_close(fp_tree *tree);

/* The records that a time range selects: list[first] to
 * list[last], both included; *any is false when there are none. A negative time is that end of the
 * recording. */
void fp_tree_range(size_t *first, size_t *last, bool *any, const fp_data *data,
                   const fp_thread *thread, int64_t start, int64_t end);

/*
 * Adds records: each one lasts until the next one of the range, and the last is left out (section
 * 6.6). *begin and *end become the times of the first and the last that was added.
 */
ts_code fp_tree_sequence(fp_tree *tree, int64_t *begin, int64_t *end, const fp_thread *thread,
                         size_t first, size_t last);

/* Adds records: each one gets the time and the CPU time since the one before. */
ts_code fp_tree_merge(fp_tree *tree, const fp_thread *thread, size_t first, size_t last);

/* Writes the tree as nested objects under `key`: the root has this label. TS_ERR_LIMIT "range too
 * large: n nodes". */
ts_code fp_tree_write(ts_jout *j, const char *key, const fp_tree *tree, const char *label);
/* The label of a node, with what was cut below it. */
ts_code fp_tree_label(ts_buf *out, const fp_tree *tree, uint32_t node);

#endif

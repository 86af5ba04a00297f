/* Call paths upside down: what took time, and below it who called it. */
#ifndef TS_MODEL_STACK_INVERTED_H
#define TS_MODEL_STACK_INVERTED_H

#include "model/call_stacks.h"
#include "model/stack_tree.h"

/*
 * The tree of all call paths in reverse, frames of one method joined, of which only the heaviest
 * nodes are made: whole it may have as many nodes as the call paths have frames together. A node is
 * the beginning of a reversed path: `leaf`, the call path where it starts, and `node`, where it is
 * now; its self is what the paths weigh that end there.
 */
typedef struct ts_inverted {
    ts_vec parent; /* uint32_t each */
    ts_vec method;
    ts_vec leaf;
    ts_vec node;
    ts_vec from;  /* its paths */
    ts_vec paths; /* how many */
    ts_vec self;  /* ts_wide each */
    ts_vec total;
    ts_vec count; /* uint64_t each */
    ts_vec all;
} ts_inverted;

/* What is turned around. */
typedef struct ts_inverted_of {
    ts_model *model;
    const ts_paths *paths;
    const ts_path_weights *weights;
    const uint8_t *hidden; /* of each method: its frames are left out; NULL: none */
    uint32_t leaf;         /* with root: a node of the tree, only what lies below it; else */
    uint32_t root;         /* TS_NO_INDEX */
    uint32_t limit;        /* nodes that are shown: these and all right below them are made */
} ts_inverted_of;

/* no_stack gets what has no frame that is not hidden. Caller frees, also after an error. */
ts_code ts_inverted_make(ts_inverted *out, ts_path_weights *no_stack, const ts_inverted_of *of);
ts_tree ts_inverted_tree(const ts_inverted *t, const ts_ids *nodes);
void ts_inverted_free(ts_ctx *ctx, ts_inverted *t);

#endif

/*
 * The call path of the stack before: what a stack has in common with it need not be looked up.
 * Stacks: docs/formats.md, "Flare".
 *
 * The reader of a thread owns the flare_path, zeroed, until flare_path_close; only stack_path.c
 * touches its fields.
 */
#ifndef TS_PARSERS_FLARE_STACK_PATH_H
#define TS_PARSERS_FLARE_STACK_PATH_H

#include "base/context.h"

typedef struct flare_dir flare_dir;

typedef struct flare_path {
    int64_t *ids;   /* of methods, root first */
    int64_t *nodes; /* their rows in stack_node */
    size_t count, cap;
} flare_path;

void flare_path_close(flare_path *path, ts_ctx *ctx);

/* The node of a stack of n frames, ids of methods, leaf first; 0 when it is empty. */
ts_code flare_path_node(int64_t *node, flare_path *path, flare_dir *dir, const int64_t *frames,
                        size_t n);

#endif

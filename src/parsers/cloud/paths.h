/*
 * Call paths of a pod that were met lately, by caller and word: services call the same again and
 * again, and most invocations find theirs here, without their method and without the index of all
 * paths of the source (tables/store_nodes.h).
 *
 * Kept: 768 KiB, from the first trace of a pod on. cloud_paths belongs to the pod, zeroed, until
 * cloud_paths_close; only the functions here touch its fields.
 */
#ifndef TS_PARSERS_CLOUD_PATHS_H
#define TS_PARSERS_CLOUD_PATHS_H

#include "base/alloc.h"

enum { CLOUD_PATHS_SHIFT = 16 };

typedef struct cloud_path {
    uint32_t caller; /* id in stack_node, 0: none */
    uint32_t word;
    uint32_t node; /* id in stack_node; 0: no path */
} cloud_path;

typedef struct cloud_paths {
    cloud_path *list;
} cloud_paths;

/* Nothing happens when it was called before. */
static inline ts_code cloud_paths_open(ts_ctx *ctx, cloud_paths *paths)
{
    if (paths->list == NULL) {
        paths->list = ts_zalloc(ctx, (size_t)1 << CLOUD_PATHS_SHIFT, sizeof *paths->list);
    }
    return paths->list == NULL ? ctx->error.code : TS_OK;
}

static inline void cloud_paths_close(ts_ctx *ctx, cloud_paths *paths)
{
    ts_free(ctx, paths->list);
    paths->list = NULL;
}

/* Where the path is, or may take the place of another one. An input that is made so that all
 * paths have one place only finds none here. */
static inline cloud_path *cloud_path_place(const cloud_paths *paths, uint32_t caller, uint32_t word)
{
    uint32_t hash = caller * UINT32_C(0x9e3779b1) ^ word * UINT32_C(0x85ebca6b);
    return &paths->list[hash >> (32 - CLOUD_PATHS_SHIFT)];
}

static inline bool cloud_path_is(const cloud_path *path, uint32_t caller, uint32_t word)
{
    return path->caller == caller && path->word == word && path->node != 0;
}

#endif

/* Call paths of stacks. */
#include "parsers/flare/stack_path.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "parsers/flare/sample_directory.h"

enum { AHEAD = 8 };

void flare_path_close(flare_path *path, ts_ctx *ctx)
{
    ts_free(ctx, path->ids);
    ts_free(ctx, path->nodes);
}

static ts_code reserve_path(flare_path *path, ts_ctx *ctx, size_t n)
{
    int64_t *ids;
    int64_t *nodes;
    size_t cap;
    if (n <= path->cap) {
        return TS_OK;
    }
    if (ts_ckd_mul(&cap, n, (size_t)2)) {
        return ts_fail(ctx, TS_ERR_LIMIT, "a stack has too many frames");
    }
    TS_NEED(ctx, ids = ts_realloc(ctx, path->ids, cap, sizeof *ids));
    path->ids = ids;
    TS_NEED(ctx, nodes = ts_realloc(ctx, path->nodes, cap, sizeof *nodes));
    path->nodes = nodes;
    path->cap = cap;
    return TS_OK;
}

/* The rows of the methods of frames k to n - 1, kept where those of their nodes will be. */
static ts_code path_methods(flare_path *path, flare_dir *dir, const int64_t *frames, size_t k,
                            size_t n)
{
    ts_code code = TS_OK;
    for (; k < n && code == TS_OK; k++) {
        code = flare_method_row(&path->nodes[k], dir, frames[n - 1 - k]);
    }
    return code;
}

/*
 * Below a node that was added there are none, so the next frames add nodes, too, whose ids follow:
 * the place of one a few frames ahead can be fetched by now. Without this, a stack that is new
 * waits for the memory at each of its frames.
 */
static void fetch_ahead(const flare_path *path, const flare_dir *dir, size_t k, size_t n)
{
    if (AHEAD < n - k) {
        ts_stack_node_fetch(dir->store, dir->source_id, path->nodes[k - 1] + AHEAD,
                            path->nodes[k + AHEAD], TS_NO_LINE);
    }
}

ts_code flare_path_node(int64_t *node, flare_path *path, flare_dir *dir, const int64_t *frames,
                        size_t n)
{
    size_t k = 0;
    bool added = false;
    ts_code code;
    TS_TRY(code, reserve_path(path, dir->ctx, n));
    while (k < n && k < path->count && path->ids[k] == frames[n - 1 - k]) {
        k++;
    }
    path->count = k; /* the entries after it are not valid while this fails */
    code = path_methods(path, dir, frames, k, n);
    for (; k < n && code == TS_OK; k++) {
        if (added) {
            fetch_ahead(path, dir, k, n);
        }
        code = ts_stack_node(&path->nodes[k], &added, dir->store, dir->source_id,
                             k == 0 ? 0 : path->nodes[k - 1], path->nodes[k], TS_NO_LINE,
                             (int64_t)k, NULL);
        if (code == TS_OK) {
            path->ids[k] = frames[n - 1 - k];
            path->count = k + 1;
        }
    }
    *node = code != TS_OK || n == 0 ? 0 : path->nodes[n - 1];
    return code;
}

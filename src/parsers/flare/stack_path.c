/* Call paths of stacks. */
#include "parsers/flare/stack_path.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "parsers/flare/sample_directory.h"

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
    if ((ids = ts_realloc(ctx, path->ids, cap, sizeof *ids)) == NULL) {
        return ctx->error.code;
    }
    path->ids = ids;
    if ((nodes = ts_realloc(ctx, path->nodes, cap, sizeof *nodes)) == NULL) {
        return ctx->error.code;
    }
    path->nodes = nodes;
    path->cap = cap;
    return TS_OK;
}

ts_code flare_path_node(int64_t *node, flare_path *path, flare_dir *dir, const int64_t *frames,
                        size_t n)
{
    size_t k = 0;
    ts_code code = reserve_path(path, dir->ctx, n);
    if (code != TS_OK) {
        return code;
    }
    while (k < n && k < path->count && path->ids[k] == frames[n - 1 - k]) {
        k++;
    }
    for (; k < n; k++) {
        int64_t id = frames[n - 1 - k];
        int64_t method;
        path->count = k; /* the entries behind are not valid while this fails */
        if ((code = flare_method_row(&method, dir, id)) != TS_OK ||
            (code = ts_stack_node(&path->nodes[k], NULL, dir->store, dir->source_id,
                                  k == 0 ? 0 : path->nodes[k - 1], method, TS_NO_LINE, (int64_t)k,
                                  NULL)) != TS_OK) {
            return code;
        }
        path->ids[k] = id;
    }
    path->count = n;
    *node = n == 0 ? 0 : path->nodes[n - 1];
    return TS_OK;
}

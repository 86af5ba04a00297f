/* Where a tree of a reply begins: the node that a request names. */
#include "serve/views/frame_tree.h"

#include "model/path_ids.h"

enum { STEPS_CHECKED = 1 << 20 }; /* frames between two looks at the guard */

ts_code ts_frame_place(uint32_t *out, ts_view_call *call, const ts_view_value *v, const ts_ids *ids,
                       const char *what)
{
    *out = v->given ? ts_ids_find(ids, v->number) : TS_NO_INDEX;
    if (v->given && *out == TS_NO_INDEX) {
        return ts_fail(ts_view_ctx(call), TS_ERR_USAGE, "no %s %lld", what, (long long)v->number);
    }
    return TS_OK;
}

static ts_code root_unknown(const ts_frame_root *r)
{
    return ts_fail(
        ts_view_ctx(r->call), TS_ERR_USAGE,
        "no call path has the id %.*s: it is one of another recording, or of stacks whose "
        "frames are joined or hidden in another way",
        (int)r->root->text.n, r->root->text.p);
}

ts_code ts_frame_root_down(uint32_t *out, const ts_frame_root *r, const ts_tree *tree,
                           const uint32_t *map)
{
    if (!r->root->is_path) {
        ts_code code = ts_frame_place(out, r->call, r->root, &r->paths->nodes, "node");
        if (code == TS_OK && *out != TS_NO_INDEX && map != NULL) {
            *out = map[*out];
        }
        return code;
    }
    for (*out = 0; *out < tree->n; ++*out) {
        if (tree->path_id[*out] == r->root->path) {
            return TS_OK;
        }
    }
    return root_unknown(r);
}

/* --- upside down ------------------------------------------------------------------------------ */

/* The call path, or the nearest caller that is not hidden. */
static uint32_t root_seen(const ts_frame_root *r, uint32_t node)
{
    const ts_paths *p = r->paths;
    while (node != TS_NO_INDEX && r->hidden != NULL && p->method[node] != TS_NO_INDEX &&
           r->hidden[p->method[node]] != 0) {
        node = p->parent[node];
    }
    return node;
}

static uint64_t root_step(const ts_frame_root *r, uint64_t id, uint32_t node)
{
    uint32_t method = r->paths->method[node];
    return ts_path_id(id, method == TS_NO_INDEX ? 0 : r->keys[method], TS_PATH_NO_LINE);
}

/* The reversed path with the id: where it begins, where it ends, the id of what is before it. */
static ts_code root_find(uint32_t *root, uint32_t *leaf, uint64_t *above, const ts_frame_root *r)
{
    uint64_t steps = 0;
    for (*leaf = 0; *leaf < r->paths->nodes.count; ++*leaf) {
        uint64_t id = 0;
        for (*root = root_seen(r, *leaf); *root != TS_NO_INDEX;
             *root = root_seen(r, r->paths->parent[*root])) {
            *above = id;
            id = root_step(r, id, *root);
            if (id == r->root->path) {
                return TS_OK;
            }
            if (++steps % STEPS_CHECKED == 0) {
                TS_TRY(ts_model_check(r->call->views->model));
            }
        }
    }
    return root_unknown(r);
}

ts_code ts_frame_root_up(uint32_t *root, uint32_t *leaf, uint64_t *above, const ts_frame_root *r)
{
    *above = 0;
    *root = *leaf = TS_NO_INDEX;
    if (r->root->is_path) {
        return root_find(root, leaf, above, r);
    }
    TS_TRY(ts_frame_place(root, r->call, r->root, &r->paths->nodes, "node"));
    TS_TRY(ts_frame_place(leaf, r->call, r->leaf, &r->paths->nodes, "node"));
    *leaf = *leaf == TS_NO_INDEX ? *root : *leaf;
    uint32_t end = root_seen(r, *root);
    uint32_t at = *root == TS_NO_INDEX ? TS_NO_INDEX : root_seen(r, *leaf);
    for (; at != end && at != TS_NO_INDEX; at = root_seen(r, r->paths->parent[at])) {
        *above = root_step(r, *above, at);
    }
    return TS_OK;
}

#include "model/stack_inverted.h"

#include "base/alloc.h"

enum { STEPS_CHECKED = 1 << 20 }; /* paths that are moved between two looks at the watch */

/* A call path with a weight, and the frame of it that is at the depth that is looked at. */
typedef struct path {
    uint32_t leaf;
    uint32_t node;
} path;

typedef struct inverting {
    const ts_inverted_of *of;
    ts_inverted *made;
    ts_ctx *ctx;
    path *paths; /* those of a node that has not been opened are together */
    path *other; /* room for as many */
    uint32_t count;
    uint32_t *seen; /* of each frame it or the nearest caller that is not hidden; NULL: none is */
    uint32_t *slot; /* of each method, and of none: node that is made for it + 1 */
    ts_vec heap;    /* uint32_t: nodes that have not been opened */
    uint64_t steps;
} inverting;

static uint32_t seen_at(const inverting *v, uint32_t node)
{
    return v->seen == NULL || node == TS_NO_INDEX ? node : v->seen[node];
}

static uint32_t caller_of(const inverting *v, uint32_t node)
{
    return seen_at(v, v->of->paths->parent[node]);
}

static uint32_t method_slot(const inverting *v, uint32_t node)
{
    uint32_t method = v->of->paths->method[node];
    return method == TS_NO_INDEX ? v->of->paths->methods.count : method;
}

static ts_code inverting_seen(inverting *v)
{
    const ts_paths *p = v->of->paths;
    if (v->of->hidden == NULL) {
        return TS_OK;
    }
    TS_NEED(v->ctx, v->seen = ts_alloc(v->ctx, p->nodes.count, sizeof *v->seen));
    for (uint32_t i = 0; i < p->nodes.count; i++) {
        bool hidden = p->method[i] != TS_NO_INDEX && v->of->hidden[p->method[i]] != 0;
        v->seen[i] = !hidden                       ? i
                     : p->parent[i] == TS_NO_INDEX ? TS_NO_INDEX
                                                   : v->seen[p->parent[i]];
    }
    return TS_OK;
}

static ts_code inverting_begin(inverting *v, ts_path_weights *no_stack)
{
    const ts_path_weights *w = v->of->weights;
    ts_code code;
    TS_TRY_INTO(code, inverting_seen(v));
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        n += w->self[i] != 0 || w->count[i] != 0;
    }
    if ((v->paths = ts_alloc(v->ctx, n, sizeof *v->paths)) == NULL ||
        (v->other = ts_alloc(v->ctx, n, sizeof *v->other)) == NULL ||
        (v->slot = ts_zalloc(v->ctx, (size_t)v->of->paths->methods.count + 1, sizeof *v->slot)) ==
            NULL) {
        return v->ctx->error.code;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t node = seen_at(v, i);
        if (w->self[i] == 0 && w->count[i] == 0) {
            continue;
        }
        if (node == TS_NO_INDEX) { /* nothing is left of its stack */
            no_stack->no_stack += w->self[i];
            no_stack->no_stack_count += w->count[i];
        } else {
            v->paths[v->count++] = (path){i, node};
        }
    }
    return TS_OK;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static ts_code node_add(uint32_t *out, inverting *v, uint32_t parent, const path *first)
{
    ts_inverted *t = v->made;
    ts_vec *const words[] = {&t->parent, &t->method, &t->leaf, &t->node, &t->from, &t->paths};
    const uint32_t values[] = {
        parent, v->of->paths->method[first->node], first->leaf, first->node, 0, 0};
    *out = (uint32_t)t->parent.n;
    if (t->parent.n >= TS_NO_INDEX - 1) {
        return ts_fail(v->ctx, TS_ERR_LIMIT, "too many call paths");
    }
    for (unsigned i = 0; i < 6; i++) {
        uint32_t *word = ts_vec_add(v->ctx, words[i], sizeof *word);
        TS_NEED(v->ctx, word);
        *word = values[i];
    }
    bool good = ts_vec_add(v->ctx, &t->self, sizeof(ts_wide)) != NULL &&
                ts_vec_add(v->ctx, &t->total, sizeof(ts_wide)) != NULL &&
                ts_vec_add(v->ctx, &t->count, sizeof(uint64_t)) != NULL &&
                ts_vec_add(v->ctx, &t->all, sizeof(uint64_t)) != NULL;
    return good ? TS_OK : v->ctx->error.code;
}

static void node_weigh(inverting *v, uint32_t node, const path *p)
{
    ts_inverted *t = v->made;
    ts_wide self = v->of->weights->self[p->leaf];
    uint64_t count = v->of->weights->count[p->leaf];
    ((ts_wide *)t->total.p)[node] += self;
    ((uint64_t *)t->all.p)[node] += count;
    ((uint32_t *)t->paths.p)[node]++;
    if (caller_of(v, p->node) == TS_NO_INDEX) {
        ((ts_wide *)t->self.p)[node] += self;
        ((uint64_t *)t->count.p)[node] += count;
    }
}

/* Makes a node for each method at which the paths [from, from + n) are, and puts the paths of
 * each together. */
static ts_code nodes_make(inverting *v, uint32_t parent, uint32_t from, uint32_t n)
{
    ts_inverted *t = v->made;
    uint32_t first = (uint32_t)t->parent.n;
    ts_code code = TS_OK;
    for (uint32_t i = from; code == TS_OK && i < from + n; i++) {
        uint32_t *slot = &v->slot[method_slot(v, v->paths[i].node)];
        if (*slot == 0) {
            uint32_t node;
            code = node_add(&node, v, parent, &v->paths[i]);
            *slot = node + 1;
        }
        if (code == TS_OK) {
            node_weigh(v, *slot - 1, &v->paths[i]);
        }
    }
    if (code != TS_OK) {
        return code;
    }
    uint32_t *begin = t->from.p;
    const uint32_t *paths = t->paths.p;
    uint32_t at = from;
    for (uint32_t node = first; node < t->parent.n; node++) {
        begin[node] = at;
        at += paths[node];
    }
    for (uint32_t i = from; i < from + n; i++) { /* begin becomes the place after the last one */
        v->other[begin[v->slot[method_slot(v, v->paths[i].node)] - 1]++] = v->paths[i];
    }
    memcpy(&v->paths[from], &v->other[from], n * sizeof *v->paths);
    for (uint32_t node = first; node < t->parent.n; node++) {
        begin[node] -= paths[node];
        v->slot[method_slot(v, ((const uint32_t *)t->node.p)[node])] = 0;
    }
    v->steps += n;
    return TS_OK;
}

/* Moves paths to their callers; those that end fall away. Returns how many are left. */
static uint32_t paths_move(inverting *v, uint32_t from, uint32_t n)
{
    uint32_t left = 0;
    for (uint32_t i = from; i < from + n; i++) {
        uint32_t caller = caller_of(v, v->paths[i].node);
        if (caller != TS_NO_INDEX) {
            v->paths[from + left++] = (path){v->paths[i].leaf, caller};
        }
    }
    return left;
}

/* --- which are made --------------------------------------------------------------------------- */

/* Only paths that begin like that of the leaf, up to the root. */
static ts_code inverting_root(inverting *v, uint32_t *n)
{
    uint32_t root = seen_at(v, v->of->root);
    uint32_t at = seen_at(v, v->of->leaf);
    while (at != TS_NO_INDEX) {
        uint32_t left = 0;
        for (uint32_t i = 0; i < *n; i++) {
            if (method_slot(v, v->paths[i].node) == method_slot(v, at)) {
                v->paths[left++] = v->paths[i];
            }
        }
        *n = left;
        if (at == root) {
            return TS_OK;
        }
        at = caller_of(v, at);
        *n = paths_move(v, 0, *n);
    }
    return ts_fail(v->ctx, TS_ERR_USAGE, "the node of 'root' does not call that of 'leaf'");
}

static ts_code heap_add(inverting *v, uint32_t first)
{
    const uint64_t *all = v->made->all.p;
    for (uint32_t node = first; node < v->made->parent.n; node++) {
        uint32_t *place = all[node] == 0 ? NULL : ts_vec_add(v->ctx, &v->heap, sizeof *place);
        if (place != NULL) {
            *place = node;
            ts_heap_up(v->heap.p, v->heap.n - 1, v->made->total.p);
        } else if (all[node] != 0) {
            return v->ctx->error.code;
        }
    }
    return TS_OK;
}

/* Opens the heaviest nodes, in the order in which ts_tree_choose takes them. */
static ts_code inverting_open(inverting *v)
{
    ts_code code = heap_add(v, 0);
    for (uint32_t shown = 0; code == TS_OK && shown < v->of->limit && v->heap.n > 0; shown++) {
        uint32_t *heap = v->heap.p;
        uint32_t node = heap[0];
        uint32_t first = (uint32_t)v->made->parent.n;
        uint32_t from = ((const uint32_t *)v->made->from.p)[node];
        uint32_t n = paths_move(v, from, ((const uint32_t *)v->made->paths.p)[node]);
        heap[0] = heap[--v->heap.n];
        ts_heap_down(heap, v->heap.n, 0, v->made->total.p, false);
        code = nodes_make(v, node, from, n);
        TS_STEP(code, heap_add(v, first));
        if (code == TS_OK && v->steps >= STEPS_CHECKED) {
            v->steps = 0;
            code = ts_model_check(v->of->model);
        }
    }
    return code;
}

ts_code ts_inverted_make(ts_inverted *out, ts_path_weights *no_stack, const ts_inverted_of *of)
{
    inverting v = {.of = of, .made = out, .ctx = ts_model_ctx(of->model)};
    *out = (ts_inverted){0};
    ts_code code = inverting_begin(&v, no_stack);
    uint32_t n = v.count;
    TS_STEP_IF(code, of->root != TS_NO_INDEX, inverting_root(&v, &n));
    TS_STEP(code, nodes_make(&v, TS_NO_INDEX, 0, n));
    TS_STEP(code, inverting_open(&v));
    ts_free(v.ctx, v.paths);
    ts_free(v.ctx, v.other);
    ts_free(v.ctx, v.seen);
    ts_free(v.ctx, v.slot);
    ts_vec_free(v.ctx, &v.heap);
    return code;
}

ts_tree ts_inverted_tree(const ts_inverted *t, const ts_ids *nodes)
{
    return (ts_tree){.n = (uint32_t)t->parent.n,
                     .parent = t->parent.p,
                     .method = t->method.p,
                     .nodes = nodes,
                     .node_of = t->node.p,
                     .leaf_of = t->leaf.p,
                     .self = t->self.p,
                     .count = t->count.p,
                     .total = t->total.p,
                     .all = t->all.p};
}

void ts_inverted_free(ts_ctx *ctx, ts_inverted *t)
{
    ts_vec *const all[] = {&t->parent, &t->method, &t->leaf,  &t->node,  &t->from,
                           &t->paths,  &t->self,   &t->total, &t->count, &t->all};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        ts_vec_free(ctx, all[i]);
    }
}

/* The references of a heap file as arrays, forwards and backwards, and paths from the root. */
#include "model/heaps.h"

#include "base/alloc.h"

#include <stdio.h>

enum { GRAPH_REPORT = 1 << 17 };

static void graph_free(ts_ctx *ctx, void *what)
{
    ts_heap_graph *g = what;
    ts_free(ctx, g->first_edge);
    ts_free(ctx, g->to);
    ts_free(ctx, g->weak);
    ts_free(ctx, g->first_in);
    ts_free(ctx, g->in);
    ts_free(ctx, g->distance);
    ts_free(ctx, g);
}

static ts_code graph_damaged(ts_ctx *ctx)
{
    return ts_fail(ctx, TS_ERR_INPUT,
                   "the heap file is damaged: it is not certain who holds its references");
}

typedef struct graph_pass {
    ts_heap_graph *g;
    const ts_heap_file *file;
    ts_ctx *ctx;
    uint32_t at;
    uint64_t edges;
} graph_pass;

/* How many references the node has, which says where those of the next one begin. */
static ts_code graph_node(void *user, const ts_batch *b, unsigned i)
{
    graph_pass *p = user;
    const ts_heap_places *d = &p->file->at;
    ts_cell count = ts_cell_of(b, 0, i);
    ts_cell file = ts_cell_of(b, 1, i);
    if (count.null || count.value < 0 || count.value > p->g->edges || file.null ||
        file.value != d->file_id || b->rowids[i] != d->first_node + p->at ||
        p->edges + (uint64_t)count.value > p->g->edges) {
        return graph_damaged(p->ctx);
    }
    p->g->first_edge[p->at++] = (uint32_t)p->edges;
    p->edges += (uint64_t)count.value;
    return TS_OK;
}

static ts_code graph_edge(void *user, const ts_batch *b, unsigned i)
{
    graph_pass *p = user;
    const ts_heap_places *d = &p->file->at;
    ts_cell to = ts_cell_of(b, 0, i);
    const char *type = ts_heap_type(&p->file->edge_types, ts_cell_of(b, 1, i));
    bool known = !to.null && d->stride > 0 && to.value >= 0 && to.value % d->stride == 0 &&
                 to.value / d->stride < p->g->nodes;
    if (b->rowids[i] != d->first_edge + p->at) {
        return graph_damaged(p->ctx);
    }
    p->g->to[p->at] = known ? (uint32_t)(to.value / d->stride) : TS_NO_INDEX;
    p->g->weak[p->at++] = type != NULL && strcmp(type, "weak") == 0;
    return TS_OK;
}

static ts_code graph_read(ts_heap_graph *g, ts_model *m, const ts_heap_file *f)
{
    static const unsigned nodes[] = {TS_C_js_heap_nodes__edge_count, TS_C_js_heap_nodes__file_id};
    static const unsigned edges[] = {TS_C_js_heap_edges__to_node, TS_C_js_heap_edges__type};
    graph_pass p = {.g = g, .file = f, .ctx = ts_model_ctx(m)};
    ts_code code = ts_heap_each(m, TS_T_js_heap_nodes, f->at.first_node, g->nodes, nodes, 2,
                                "reading objects", graph_node, &p);
    g->first_edge[g->nodes] = (uint32_t)p.edges;
    TS_STEP_IF(code, (p.at != g->nodes || p.edges != g->edges), graph_damaged(p.ctx));
    p.at = 0;
    TS_STEP(code, ts_heap_each(m, TS_T_js_heap_edges, f->at.first_edge, g->edges, edges, 2,
                               "reading references", graph_edge, &p));
    TS_STEP_IF(code, p.at != g->edges, graph_damaged(p.ctx));
    return code;
}

/* Edges by their targets. */
static void graph_reverse(ts_heap_graph *g)
{
    for (uint32_t e = 0; e < g->edges; e++) {
        if (g->to[e] != TS_NO_INDEX) {
            g->first_in[g->to[e] + 1]++;
        }
    }
    for (uint32_t i = 0; i < g->nodes; i++) {
        g->first_in[i + 1] += g->first_in[i];
    }
    for (uint32_t e = 0; e < g->edges; e++) { /* first_in becomes the place after the last one */
        if (g->to[e] != TS_NO_INDEX) {
            g->in[g->first_in[g->to[e]]++] = e;
        }
    }
    for (uint32_t i = g->nodes; i > 0; i--) {
        g->first_in[i] = g->first_in[i - 1];
    }
    g->first_in[0] = 0;
}

static ts_code graph_distances(ts_heap_graph *g, ts_model *m)
{
    ts_ctx *ctx = ts_model_ctx(m);
    ts_code code = TS_OK;
    uint32_t *queue = ts_alloc(ctx, g->nodes, sizeof *queue);
    TS_NEED(ctx, queue);
    for (uint32_t i = 0; i < g->nodes; i++) {
        g->distance[i] = TS_NO_INDEX;
    }
    uint32_t n = g->nodes > 0 ? 1 : 0;
    if (n > 0) {
        queue[0] = 0;
        g->distance[0] = 0;
    }
    for (uint32_t done = 0; code == TS_OK && done < n; done++) {
        uint32_t node = queue[done];
        for (uint32_t e = g->first_edge[node]; e < g->first_edge[node + 1]; e++) {
            uint32_t to = g->to[e];
            if (!g->weak[e] && to != TS_NO_INDEX && g->distance[to] == TS_NO_INDEX) {
                g->distance[to] = g->distance[node] + 1;
                queue[n++] = to;
            }
        }
        if (done % GRAPH_REPORT == 0) {
            ts_model_report(m, "measuring distances", done, g->nodes);
            code = ts_model_check(m);
        }
    }
    ts_free(ctx, queue);
    return code;
}

ts_code ts_heap_possible(ts_model *m, enum ts_table_id table, int64_t first, int64_t count)
{
    const ts_batch *b;
    ts_rows *rows = NULL;
    ts_code code = count == 0 ? TS_OK : ts_rows_open(&rows, ts_model_rows(m), table, NULL, 0);
    TS_STEP_IF(code,
               rows != NULL && (code = ts_rows_one(&b, rows, first + count - 1)) == TS_OK &&
                   b->rows == 0,
               graph_damaged(ts_model_ctx(m)));
    ts_rows_close(rows);
    return code;
}

static ts_code graph_build(void **what, ts_model *m, const void *user)
{
    const ts_heap_file *f = user;
    ts_ctx *ctx = ts_model_ctx(m);
    ts_heap_graph *g = ts_zalloc(ctx, 1, sizeof *g);
    *what = g;
    TS_NEED(ctx, g);
    g->nodes = (uint32_t)f->at.node_count;
    g->edges = (uint32_t)f->at.edge_count;
    ts_code code = ts_heap_possible(m, TS_T_js_heap_nodes, f->at.first_node, g->nodes);
    TS_STEP(code, ts_heap_possible(m, TS_T_js_heap_edges, f->at.first_edge, g->edges));
    if (code != TS_OK) {
        return code;
    }
    size_t n = (size_t)g->nodes + 1;
    if ((g->first_edge = ts_alloc(ctx, n, sizeof *g->first_edge)) == NULL ||
        (g->first_in = ts_zalloc(ctx, n, sizeof *g->first_in)) == NULL ||
        (g->distance = ts_alloc(ctx, n, sizeof *g->distance)) == NULL ||
        (g->to = ts_alloc(ctx, g->edges, sizeof *g->to)) == NULL ||
        (g->weak = ts_alloc(ctx, g->edges, sizeof *g->weak)) == NULL ||
        (g->in = ts_alloc(ctx, g->edges, sizeof *g->in)) == NULL) {
        return ctx->error.code;
    }
    code = graph_read(g, m, f);
    if (code == TS_OK) {
        graph_reverse(g);
        code = graph_distances(g, m);
    }
    return code;
}

ts_code ts_heap_graph_get(const ts_heap_graph **out, ts_model *m, const ts_heap_file *f)
{
    char key[32];
    void *what;
    (void)snprintf(key, sizeof key, "%lld", (long long)f->at.file_id);
    ts_code code = ts_model_keep(&what, m, "heap", key, graph_build, graph_free, f);
    *out = what;
    return code;
}

uint32_t ts_heap_owner(const ts_heap_graph *g, uint32_t edge)
{
    uint32_t low = 0;
    uint32_t high = g->nodes;
    while (high - low > 1) { /* first_edge[low] <= edge < first_edge[high] */
        uint32_t middle = low + (high - low) / 2;
        if (g->first_edge[middle] <= edge) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* --- paths ------------------------------------------------------------------------------------ */

/*
 * A search from the node towards the root, the most promising node first: steps made so far and the
 * distance from the root, which no path can be shorter than. Nodes of earlier paths are taken out.
 */
typedef struct path_search {
    ts_model *m;
    const ts_heap_graph *g;
    uint32_t *steps; /* of each node; TS_NO_INDEX: not met */
    uint32_t *edge;  /* the edge by which it was met, towards the node */
    uint8_t *taken;  /* it is on an earlier path */
    ts_vec heap;     /* uint64_t: length of the path, node */
    ts_vec met;      /* uint32_t: nodes whose steps are set */
    uint32_t done;
} path_search;

static ts_code search_push(path_search *s, uint32_t node)
{
    ts_ctx *ctx = ts_model_ctx(s->m);
    uint64_t *entry = ts_vec_add(ctx, &s->heap, sizeof *entry);
    TS_NEED(ctx, entry);
    uint64_t *heap = s->heap.p;
    size_t at = s->heap.n - 1;
    heap[at] = ((uint64_t)s->steps[node] + s->g->distance[node]) << 32 | node;
    while (at > 0 && heap[at] < heap[(at - 1) / 2]) {
        uint64_t moved = heap[at];
        heap[at] = heap[(at - 1) / 2];
        heap[(at - 1) / 2] = moved;
        at = (at - 1) / 2;
    }
    return TS_OK;
}

static uint32_t search_pop(path_search *s)
{
    uint64_t *heap = s->heap.p;
    uint32_t node = (uint32_t)heap[0];
    size_t n = --s->heap.n;
    size_t at = 0;
    heap[0] = heap[n];
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < n; child++) {
            least = heap[child] < heap[least] ? child : least;
        }
        if (least == at) {
            return node;
        }
        uint64_t moved = heap[at];
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

static ts_code search_meet(path_search *s, uint32_t node, uint32_t steps, uint32_t edge)
{
    ts_ctx *ctx = ts_model_ctx(s->m);
    if (s->steps[node] == TS_NO_INDEX) {
        uint32_t *met = ts_vec_add(ctx, &s->met, sizeof *met);
        TS_NEED(ctx, met);
        *met = node;
    }
    s->steps[node] = steps;
    s->edge[node] = edge;
    return search_push(s, node);
}

/* Whether the root was reached; then the edges lead from it to the node. */
static ts_code search_run(bool *found, path_search *s, uint32_t node)
{
    const ts_heap_graph *g = s->g;
    const uint32_t *met = s->met.p;
    for (size_t i = 0; i < s->met.n; i++) {
        s->steps[met[i]] = TS_NO_INDEX;
    }
    s->met.n = 0;
    s->heap.n = 0;
    *found = false;
    ts_code code = g->distance[node] == TS_NO_INDEX ? TS_OK : search_meet(s, node, 0, TS_NO_INDEX);
    while (code == TS_OK && s->heap.n > 0 && !*found) {
        uint32_t at = search_pop(s);
        *found = at == 0;
        for (uint32_t i = g->first_in[at]; code == TS_OK && !*found && i < g->first_in[at + 1];
             i++) {
            uint32_t owner = ts_heap_owner(g, g->in[i]);
            if (!g->weak[g->in[i]] && !s->taken[owner] && g->distance[owner] != TS_NO_INDEX &&
                s->steps[at] + 1 < s->steps[owner]) {
                code = search_meet(s, owner, s->steps[at] + 1, g->in[i]);
            }
        }
        TS_STEP_IF(code, s->done++ % 65536 == 0, ts_model_check(s->m));
    }
    return code;
}

/* Nodes between the ends of the path are not on a later one. A path without any is its only edge: a
 * later one may not have it, so that it ends the search. */
static bool search_take(path_search *s, uint32_t node)
{
    uint32_t at = 0;
    bool between = false;
    while (s->edge[at] != TS_NO_INDEX && at != node) {
        at = s->g->to[s->edge[at]];
        if (at != node) {
            s->taken[at] = 1;
            between = true;
        }
    }
    return between;
}

ts_code ts_heap_path(uint32_t **edges, uint32_t *n, ts_model *m, const ts_heap_graph *g,
                     uint32_t node, uint32_t k)
{
    ts_ctx *ctx = ts_model_ctx(m);
    path_search s = {.m = m, .g = g};
    bool found = true;
    ts_code code = TS_OK;
    *edges = NULL;
    *n = 0;
    if ((s.steps = ts_alloc(ctx, g->nodes, sizeof *s.steps)) == NULL ||
        (s.edge = ts_alloc(ctx, g->nodes, sizeof *s.edge)) == NULL ||
        (s.taken = ts_zalloc(ctx, g->nodes, sizeof *s.taken)) == NULL) {
        code = ctx->error.code;
        goto out;
    }
    memset(s.steps, 0xff, g->nodes * sizeof *s.steps);
    for (uint32_t i = 0; code == TS_OK && found && i <= k; i++) {
        if (i > 0 && !search_take(&s, node)) {
            found = false;
            break;
        }
        code = search_run(&found, &s, node);
    }
    if (code == TS_OK && found && node != 0) {
        *edges = ts_alloc(ctx, s.steps[0], sizeof **edges);
        if (*edges == NULL) {
            code = ctx->error.code;
            goto out;
        }
        for (uint32_t at = 0; at != node; at = g->to[s.edge[at]]) {
            (*edges)[(*n)++] = s.edge[at];
        }
    }
out:
    ts_free(ctx, s.steps);
    ts_free(ctx, s.edge);
    ts_free(ctx, s.taken);
    ts_vec_free(ctx, &s.heap);
    ts_vec_free(ctx, &s.met);
    return code;
}

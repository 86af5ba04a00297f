/* The references of a heap file as arrays, forwards and backwards, and paths from the root. */
#include "serve/heap_private.h"

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

/* How many references each node has, which says where they begin. */
static ts_code graph_nodes(ts_heap_graph *g, ts_view_call *call, const ts_heap_file *f)
{
    static const unsigned columns[] = {TS_C_js_heap_nodes__edge_count, TS_C_js_heap_nodes__file_id};
    ts_ctx *ctx = ts_view_ctx(call);
    const ts_rows_from from = ts_view_rows(call);
    const ts_batch *b;
    ts_rows *rows = NULL;
    uint32_t at = 0;
    uint64_t edges = 0;
    ts_code code = ts_rows_open(&rows, &from, TS_T_js_heap_nodes, columns, 2);
    if (code == TS_OK) {
        code = ts_rows_seek(rows, f->first_node);
    }
    while (code == TS_OK && at < g->nodes && (code = ts_rows_next(&b, rows)) == TS_OK) {
        if (b->rows == 0) {
            code = graph_damaged(ctx);
        }
        for (unsigned i = 0; code == TS_OK && i < b->rows && at < g->nodes; i++) {
            ts_cell count = ts_cell_of(b, 0, i);
            ts_cell file = ts_cell_of(b, 1, i);
            if (count.null || count.value < 0 || count.value > g->edges || file.null ||
                file.value != f->file_id || b->rowids[i] != f->first_node + at ||
                edges + (uint64_t)count.value > g->edges) {
                code = graph_damaged(ctx);
                break;
            }
            g->first_edge[at++] = (uint32_t)edges;
            edges += (uint64_t)count.value;
        }
    }
    ts_rows_close(rows);
    g->first_edge[g->nodes] = (uint32_t)edges;
    return code == TS_OK && edges != g->edges ? graph_damaged(ctx) : code;
}

static ts_code graph_edges(ts_heap_graph *g, ts_view_call *call, const ts_heap_file *f)
{
    static const unsigned columns[] = {TS_C_js_heap_edges__to_node, TS_C_js_heap_edges__type};
    ts_ctx *ctx = ts_view_ctx(call);
    const ts_rows_from from = ts_view_rows(call);
    const ts_batch *b;
    ts_rows *rows = NULL;
    uint32_t at = 0;
    ts_code code = ts_rows_open(&rows, &from, TS_T_js_heap_edges, columns, 2);
    if (code == TS_OK) {
        code = ts_rows_seek(rows, f->first_edge);
    }
    while (code == TS_OK && at < g->edges && (code = ts_rows_next(&b, rows)) == TS_OK) {
        uint32_t before = at;
        if (b->rows == 0 || b->rowids[0] != f->first_edge + at) {
            code = graph_damaged(ctx);
        }
        for (unsigned i = 0; code == TS_OK && i < b->rows && at < g->edges; i++, at++) {
            ts_cell to = ts_cell_of(b, 0, i);
            const char *type = ts_heap_type(&f->edge_types, ts_cell_of(b, 1, i));
            bool known = !to.null && f->stride > 0 && to.value >= 0 && to.value % f->stride == 0 &&
                         to.value / f->stride < g->nodes;
            g->to[at] = known ? (uint32_t)(to.value / f->stride) : TS_NO_INDEX;
            g->weak[at] = type != NULL && strcmp(type, "weak") == 0;
        }
        if (before / GRAPH_REPORT != at / GRAPH_REPORT) {
            ts_view_report(call, "reading references", at, g->edges);
        }
    }
    ts_rows_close(rows);
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

static ts_code graph_distances(ts_heap_graph *g, ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    ts_code code = TS_OK;
    uint32_t *queue = ts_alloc(ctx, g->nodes, sizeof *queue);
    if (queue == NULL) {
        return ctx->error.code;
    }
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
            ts_view_report(call, "measuring distances", done, g->nodes);
            code = ts_guard_check(call->guard, ctx);
        }
    }
    ts_free(ctx, queue);
    return code;
}

static ts_code graph_build(void **what, ts_view_call *call, const void *user)
{
    const ts_heap_file *f = user;
    ts_ctx *ctx = ts_view_ctx(call);
    ts_heap_graph *g = ts_zalloc(ctx, 1, sizeof *g);
    *what = g;
    if (g == NULL) {
        return ctx->error.code;
    }
    g->nodes = f->node_count;
    g->edges = f->edge_count;
    /* counts that the tables cannot have must not take memory first */
    if (ts_view_row_count(call, "js_heap_nodes") < g->nodes ||
        (ts_view_row_count(call, "js_heap_edges") < g->edges &&
         ts_view_row_count(call, "js_heap_edge_rows") < g->edges)) {
        return graph_damaged(ctx);
    }
    ts_view_report(call, "reading references", 0, g->edges);
    size_t n = (size_t)g->nodes + 1;
    if ((g->first_edge = ts_alloc(ctx, n, sizeof *g->first_edge)) == NULL ||
        (g->first_in = ts_zalloc(ctx, n, sizeof *g->first_in)) == NULL ||
        (g->distance = ts_alloc(ctx, n, sizeof *g->distance)) == NULL ||
        (g->to = ts_alloc(ctx, g->edges, sizeof *g->to)) == NULL ||
        (g->weak = ts_alloc(ctx, g->edges, sizeof *g->weak)) == NULL ||
        (g->in = ts_alloc(ctx, g->edges, sizeof *g->in)) == NULL) {
        return ctx->error.code;
    }
    ts_code code = graph_nodes(g, call, f);
    if (code == TS_OK) {
        code = graph_edges(g, call, f);
    }
    if (code == TS_OK) {
        graph_reverse(g);
        code = graph_distances(g, call);
    }
    return code;
}

ts_code ts_heap_graph_get(const ts_heap_graph **out, ts_view_call *call, const ts_heap_file *f)
{
    char key[32];
    void *what;
    (void)snprintf(key, sizeof key, "%lld", (long long)f->file_id);
    ts_code code = ts_keep(&what, call, "heap", key, graph_build, graph_free, f);
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
    ts_view_call *call;
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
    ts_ctx *ctx = ts_view_ctx(s->call);
    uint64_t *entry = ts_vec_add(ctx, &s->heap, sizeof *entry);
    if (entry == NULL) {
        return ctx->error.code;
    }
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
    ts_ctx *ctx = ts_view_ctx(s->call);
    if (s->steps[node] == TS_NO_INDEX) {
        uint32_t *met = ts_vec_add(ctx, &s->met, sizeof *met);
        if (met == NULL) {
            return ctx->error.code;
        }
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
    ts_ctx *ctx = ts_view_ctx(s->call);
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
        if (code == TS_OK && s->done++ % 65536 == 0) {
            code = ts_guard_check(s->call->guard, ctx);
        }
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

ts_code ts_heap_path(uint32_t **edges, uint32_t *n, ts_view_call *call, const ts_heap_graph *g,
                     uint32_t node, uint32_t k)
{
    ts_ctx *ctx = ts_view_ctx(call);
    path_search s = {.call = call, .g = g};
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

#include "model/java_paths.h"

#include "base/alloc.h"
#include "model/heaps.h"
#include "tables/formats/hprof/hprof_numbers.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- kinds of references ---------------------------------------------------------------------- */

static unsigned kind_of(ts_text word)
{
    static const struct {
        const char *name;
        unsigned kinds;
    } all[] = {{"soft", 1U << TS_JAVA_SOFT},
               {"weak", 1U << TS_JAVA_WEAK},
               {"phantom", 1U << TS_JAVA_PHANTOM},
               {"final", 1U << TS_JAVA_FINAL},
               {"finalizer", 1U << TS_JAVA_UNFINALIZED}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (ts_text_is(word, all[i].name)) {
            return all[i].kinds;
        }
    }
    return 0;
}

ts_code ts_java_kinds(unsigned *kinds, ts_ctx *ctx, const char *param, ts_text typed)
{
    const ts_text whole = typed;
    bool good = true;
    *kinds = 0;
    if (ts_text_is(typed, "none")) {
        return TS_OK;
    }
    if (ts_text_is(typed, "all")) {
        *kinds = (1U << (TS_JAVA_UNFINALIZED + 1)) - (1U << TS_JAVA_SOFT);
        return TS_OK;
    }
    while (good) {
        const char *comma = typed.n == 0 ? NULL : memchr(typed.p, ',', typed.n);
        const size_t n = comma == NULL ? typed.n : (size_t)(comma - typed.p);
        const unsigned kind = kind_of((ts_text){typed.p, n});
        good = kind != 0;
        *kinds |= kind;
        if (good && comma == NULL) {
            return TS_OK;
        }
        typed = (ts_text){typed.p + n + 1, typed.n - n - 1};
    }
    return ts_fail(
        ctx, TS_ERR_USAGE,
        "bad value for the parameter %s: \"%.*s\"; there are soft, weak, phantom, final, "
        "finalizer, some of them with commas, none, and all",
        param, (int)whole.n, whole.p);
}

/* --- references of a dump --------------------------------------------------------------------- */

typedef struct java_graph {
    ts_model *m;
    ts_ctx *ctx;
    unsigned without;
    int64_t first_node, node_count, first_edge, edge_count;
    uint32_t *first; /* of each node its first reference, and one more */
    uint32_t *to;    /* of each reference; TS_NO_INDEX: no path takes it */
    uint32_t *by;    /* of each node: the reference by which it was met; TS_NO_INDEX: not met */
    uint32_t *queue;
    uint32_t read;
    uint64_t edges;
} java_graph;

static ts_code find_dump(java_graph *g, int64_t file_id)
{
    static const unsigned columns[] = {
        TS_C_java_heap_file__first_object_rowid, TS_C_java_heap_file__object_count,
        TS_C_java_heap_file__first_reference_rowid, TS_C_java_heap_file__reference_count};
    ts_walk files = ts_walk_of(*ts_model_rows(g->m), TS_T_java_heap_file, columns, 4);
    ts_code code = TS_OK;
    bool found = false;
    while (ts_walk_next(&code, &files)) {
        if (ts_walk_id(&files) == file_id) {
            found = true;
            g->first_node = ts_walk_int(&files, 0);
            g->node_count = ts_walk_int(&files, 1);
            g->first_edge = ts_walk_int(&files, 2);
            g->edge_count = ts_walk_int(&files, 3);
        }
    }
    TS_STEP_IF(
        code, !found,
        ts_fail(g->ctx, TS_ERR_USAGE, "there is no heap dump of Java with id %" PRId64, file_id));
    TS_STEP_IF(code,
               g->node_count < 0 || g->node_count >= INT32_MAX || g->edge_count < 0 ||
                   g->edge_count >= UINT32_MAX,
               ts_rows_changed(g->ctx, "java_heap_file"));
    return code;
}

static ts_code take_node(void *user, const ts_batch *b, unsigned i)
{
    java_graph *g = user;
    const int64_t count = ts_cell_or(b, 0, i, 0);
    if (b->rowids[i] != g->first_node + g->read || count < 0 ||
        (uint64_t)count > (uint64_t)g->edge_count - g->edges) {
        return ts_rows_changed(g->ctx, "java_heap_object");
    }
    g->first[g->read++] = (uint32_t)g->edges;
    g->edges += (uint64_t)count;
    return TS_OK;
}

static ts_code take_edge(void *user, const ts_batch *b, unsigned i)
{
    java_graph *g = user;
    const int64_t target = ts_cell_or(b, 0, i, -1);
    const int64_t strength = ts_cell_or(b, 1, i, 0);
    if (b->rowids[i] != g->first_edge + g->read) {
        return ts_rows_changed(g->ctx, "java_heap_reference");
    }
    const bool out = strength > 0 && strength <= TS_JAVA_UNFINALIZED &&
                     (g->without >> (unsigned)strength & 1) != 0;
    g->to[g->read++] =
        out || target < 0 || target >= g->node_count ? TS_NO_INDEX : (uint32_t)target;
    return TS_OK;
}

static ts_code read_graph(java_graph *g)
{
    static const unsigned nodes[] = {TS_C_java_heap_object__reference_count};
    static const unsigned edges[] = {TS_C_java_heap_reference__target,
                                     TS_C_java_heap_reference__strength};
    const size_t n = (size_t)g->node_count;
    TS_NEED(g->ctx, g->first = ts_alloc(g->ctx, n + 1, sizeof *g->first));
    TS_TRY(ts_heap_each(g->m, TS_T_java_heap_object, g->first_node, g->node_count, nodes, 1,
                        "reading objects", take_node, g));
    if (g->read != n || g->edges != (uint64_t)g->edge_count) {
        return ts_rows_changed(g->ctx, "java_heap_object");
    }
    g->first[n] = (uint32_t)g->edges;
    g->read = 0;
    TS_NEED(g->ctx, g->to = ts_alloc(g->ctx, (size_t)g->edge_count, sizeof *g->to));
    TS_TRY(ts_heap_each(g->m, TS_T_java_heap_reference, g->first_edge, g->edge_count, edges, 2,
                        "reading references", take_edge, g));
    return g->read == (uint64_t)g->edge_count ? TS_OK
                                              : ts_rows_changed(g->ctx, "java_heap_reference");
}

/* --- paths ------------------------------------------------------------------------------------ */

/* Breadth first from the root until the node is met, or nothing is left. */
static ts_code search(java_graph *g, uint32_t node)
{
    const size_t n = (size_t)g->node_count;
    uint32_t met = 0;
    TS_NEED(g->ctx, g->by = ts_alloc(g->ctx, n, sizeof *g->by));
    TS_NEED(g->ctx, g->queue = ts_alloc(g->ctx, n, sizeof *g->queue));
    memset(g->by, 0xff, n * sizeof *g->by);
    g->queue[met++] = 0;
    for (uint32_t done = 0; done < met && g->by[node] == TS_NO_INDEX; done++) {
        const uint32_t at = g->queue[done];
        for (uint32_t e = g->first[at]; e < g->first[at + 1]; e++) {
            const uint32_t to = g->to[e];
            if (to != TS_NO_INDEX && to != 0 && g->by[to] == TS_NO_INDEX) {
                g->by[to] = e;
                g->queue[met++] = to;
            }
        }
        if ((done & 0xffff) == 0) {
            TS_TRY(ts_model_check(g->m));
        }
    }
    return TS_OK;
}

static ts_code put_path(ts_buf *out, const java_graph *g, uint32_t node)
{
    const ts_heap_graph owners = {.nodes = (uint32_t)g->node_count, .first_edge = g->first};
    uint32_t steps = 0;
    if (g->by[node] == TS_NO_INDEX) {
        return ts_buf_printf(g->ctx, out, "[[%" PRIu32 ",null,null]]", node);
    }
    for (uint32_t at = node; at != 0; at = ts_heap_owner(&owners, g->by[at])) {
        steps++;
    }
    for (uint32_t at = node; at != 0; at = ts_heap_owner(&owners, g->by[at]), steps--) {
        TS_TRY(ts_buf_printf(g->ctx, out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]",
                             at == node ? "[" : ",", at, g->by[at], steps));
    }
    return ts_buf_putc(g->ctx, out, ']');
}

ts_code ts_java_path_put(ts_buf *out, ts_model *m, int64_t file_id, int64_t node, unsigned without)
{
    java_graph g = {.m = m, .ctx = ts_model_ctx(m), .without = without};
    ts_code code = find_dump(&g, file_id);
    TS_STEP_IF(code, node < 1 || node >= g.node_count,
               ts_fail(g.ctx, TS_ERR_USAGE, "there is no object %" PRId64 " in heap dump %" PRId64,
                       node, file_id));
    TS_STEP(code, read_graph(&g));
    TS_STEP(code, search(&g, (uint32_t)node));
    TS_STEP(code, put_path(out, &g, (uint32_t)node));
    ts_free(g.ctx, g.first);
    ts_free(g.ctx, g.to);
    ts_free(g.ctx, g.by);
    ts_free(g.ctx, g.queue);
    return code;
}

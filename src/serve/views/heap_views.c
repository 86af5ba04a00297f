/* GET heap/edges, heap/retainers, heap/path and heap/node: objects and what refers to them. */
#include "serve/views/heap_private.h"

enum { P_NODE = 1, P_OFFSET, P_LIMIT };

const ts_view_param ts_heap_edges_params[] = {
    TS_PARAM_FILE, TS_PARAM_NODE, TS_PARAMS_PAGE(10000, 100, "rows"), {.name = NULL}};

/* What all of these begin with. */
typedef struct heap_request {
    ts_view_call *call;
    ts_heap_file file;
    const ts_heap_graph *graph;
    ts_heap_rows rows;
    uint32_t node;
} heap_request;

/* The file, its graph, and the node, which is in it. */
static ts_code request_open(heap_request **out, ts_view_call *call, bool with_graph)
{
    ts_ctx *ctx = ts_view_ctx(call);
    heap_request *q = ts_zalloc(ctx, 1, sizeof *q);
    *out = q;
    TS_NEED(ctx, q);
    q->call = call;
    q->node = (uint32_t)ts_view_value_of(call, P_NODE)->number;
    ts_code code = ts_heap_file_asked(&q->file, call);
    TS_STEP_IF(code, q->node >= q->file.at.node_count,
               ts_fail(ctx, TS_ERR_USAGE, "heap file %lld has no node %u",
                       (long long)q->file.at.file_id, q->node));
    TS_STEP_IF(code, with_graph, ts_heap_graph_get(&q->graph, call->views->model, &q->file));
    TS_STEP(code, ts_heap_rows_open(&q->rows, call, &q->file));
    return code;
}

static void request_close(heap_request *q)
{
    if (q != NULL) {
        ts_heap_rows_close(&q->rows);
        ts_free(ts_view_ctx(q->call), q);
    }
}

/* A reference: the edge, then the node at its other end, then that node's number. */
static ts_code put_reference(heap_request *q, uint32_t edge, uint32_t other)
{
    ts_jout *out = q->call->out;
    ts_jout_open(out, NULL, '[');
    ts_code code = ts_heap_put_edge(&q->rows, edge);
    TS_STEP(code, ts_heap_put_node(&q->rows, other));
    if (other == TS_NO_INDEX) {
        ts_jout_null(out, NULL);
    } else {
        ts_jout_uint(out, NULL, other);
    }
    ts_jout_close(out, ']');
    return code;
}

static ts_code references_put(heap_request *q, bool retainers)
{
    const ts_heap_graph *g = q->graph;
    const uint32_t *first = retainers ? g->first_in : g->first_edge;
    uint64_t begin = first[q->node];
    uint64_t count = first[q->node + 1] - begin;
    const ts_page page = ts_view_page(q->call, P_OFFSET);
    ts_jout *out = q->call->out;
    ts_code code = TS_OK;
    ts_jout_open(out, NULL, '{');
    ts_heap_table(out, retainers ? "edge_index,edge_type,edge_name,retainer_id,retainer_type,"
                                   "retainer_name,retainer_self_size,retainer_edge_count,"
                                   "retainer_index"
                                 : "edge_index,type,name,to_node_id,to_type,to_name,to_self_size,"
                                   "to_edge_count,to_node_index");
    for (uint64_t i = page.first; code == TS_OK && i < count && i < page.end; i++) {
        uint32_t edge = retainers ? g->in[begin + i] : (uint32_t)(begin + i);
        code = put_reference(q, edge, retainers ? ts_heap_owner(g, edge) : g->to[edge]);
    }
    ts_heap_table_end(out, count);
    ts_jout_close(out, '}');
    return code;
}

static ts_code references_run(ts_view_call *call, bool retainers)
{
    heap_request *q;
    ts_code code = request_open(&q, call, true);
    TS_STEP(code, references_put(q, retainers));
    request_close(q);
    return code;
}

ts_code ts_heap_edges_run(ts_view_call *call)
{
    return references_run(call, false);
}

ts_code ts_heap_retainers_run(ts_view_call *call)
{
    return references_run(call, true);
}

/* --- heap/path -------------------------------------------------------------------------------- */

const ts_view_param ts_heap_path_params[] = {
    TS_PARAM_FILE,
    TS_PARAM_NODE,
    {.name = "k",
     .type = TS_VIEW_INT,
     .most = 100,
     .doc = "number of the path, from 0; each has other nodes between root and node"},
    {.name = NULL}};

static ts_code path_put(heap_request *q)
{
    uint32_t *edges = NULL;
    uint32_t n = 0;
    ts_jout *out = q->call->out;
    ts_code code = ts_heap_path(&edges, &n, q->call->views->model, q->graph, q->node,
                                (uint32_t)ts_view_value_of(q->call, P_OFFSET)->number);
    if (code == TS_OK) {
        ts_jout_open(out, NULL, '{');
        ts_jout_bool(out, "found", n > 0);
        if (q->graph->distance[q->node] == TS_NO_INDEX) {
            ts_jout_null(out, "distance");
        } else {
            ts_jout_uint(out, "distance", q->graph->distance[q->node]);
        }
        ts_heap_table(out, "edge_index,edge_type,edge_name,id,type,name,self_size,edge_count,"
                           "node_index");
        if (n > 0) { /* the root, which no edge leads to */
            ts_jout_open(out, NULL, '[');
            for (unsigned i = 0; i < 3; i++) {
                ts_jout_null(out, NULL);
            }
            code = ts_heap_put_node(&q->rows, 0);
            ts_jout_uint(out, NULL, 0);
            ts_jout_close(out, ']');
        }
        for (uint32_t i = 0; code == TS_OK && i < n; i++) {
            code = put_reference(q, edges[i], q->graph->to[edges[i]]);
        }
        ts_jout_close(out, ']');
        ts_jout_close(out, '}');
    }
    ts_free(ts_view_ctx(q->call), edges);
    return code;
}

ts_code ts_heap_path_run(ts_view_call *call)
{
    heap_request *q;
    ts_code code = request_open(&q, call, true);
    TS_STEP(code, path_put(q));
    request_close(q);
    return code;
}

/* --- heap/node -------------------------------------------------------------------------------- */

const ts_view_param ts_heap_node_params[] = {TS_PARAM_FILE, TS_PARAM_NODE, {.name = NULL}};

static const char node_sql[] =
    "SELECT trace_node_id, detachedness FROM js_heap_nodes WHERE rowid = ?1";
static const char retained_sql[] =
    "SELECT r.dominator, r.retainer, r.retaining_edge, r.distance, r.shallow_size, "
    "r.retained_size, r.held_by, r.tree_count, c.name FROM js_heap_retained AS r "
    "LEFT JOIN js_heap_constructor AS c ON c.id = r.constructor_id WHERE r.rowid = ?1";

/* Members of the columns of one row. */
static ts_code put_members(heap_request *q, const char *sql, int64_t rowid,
                           const char *const *names, int n)
{
    const ts_rows_from from = ts_view_rows(q->call);
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    ts_code code = ts_stmt_prepare(&stmt, &from, sql);
    if (code == TS_OK) {
        sqlite3_bind_int64(stmt, 1, rowid);
        code = ts_stmt_step(&row, &from, stmt);
    }
    for (int i = 0; code == TS_OK && row && i < n; i++) {
        ts_view_cell(q->call->out, names[i], stmt, i);
    }
    sqlite3_finalize(stmt);
    return code;
}

ts_code ts_heap_node_run(ts_view_call *call)
{
    static const char *const plain[] = {"trace_node_id", "detachedness"};
    static const char *const analysed[] = {"dominator", "retainer",     "retaining_edge",
                                           "distance",  "shallow_size", "retained_size",
                                           "held_by",   "tree_count",   "constructor"};
    ts_jout *out = call->out;
    heap_request *q;
    ts_code code = request_open(&q, call, false);
    if (code == TS_OK) {
        ts_jout_open(out, NULL, '{');
        ts_heap_columns(out, "id,type,name,self_size,edge_count");
        ts_jout_open(out, "row", '[');
        code = ts_heap_put_node(&q->rows, q->node);
        ts_jout_close(out, ']');
    }
    TS_STEP(code, put_members(q, node_sql, q->file.at.first_node + q->node, plain, 2));
    if (code == TS_OK && q->file.at.analysed) {
        ts_jout_open(out, "analysis", '{');
        code = put_members(q, retained_sql, ts_sat_add(q->file.at.first_retained, q->node),
                           analysed, 9);
        ts_jout_close(out, '}');
    }
    ts_jout_close(out, '}');
    request_close(q);
    return code;
}

/* Views of heaps that are the rows of one statement. */
#include "serve/views/heap_private.h"

enum { P_FILE, P_OFFSET, P_LIMIT };

const ts_view_param ts_heap_files_params[] = {{.name = NULL}};

const ts_view_param ts_heap_rows_params[] = {
    TS_PARAM_FILE, TS_PARAMS_PAGE(10000, 200, "rows"), {.name = NULL}};

/* Writes {"columns","rows"} of a statement whose parameters are bound. */
static ts_code rows_put(ts_view_call *call, sqlite3_stmt *stmt)
{
    const ts_rows_from from = ts_view_rows(call);
    ts_jout *out = call->out;
    int n = sqlite3_column_count(stmt);
    bool row;
    ts_code code = ts_stmt_step(&row, &from, stmt); /* what fails at once writes nothing */
    if (code != TS_OK) {
        return code;
    }
    ts_jout_open(out, NULL, '{');
    ts_jout_open(out, "columns", '[');
    for (int i = 0; i < n; i++) {
        ts_jout_str(out, NULL, sqlite3_column_name(stmt, i));
    }
    ts_jout_close(out, ']');
    ts_jout_open(out, "rows", '[');
    while (code == TS_OK && row) {
        ts_jout_open(out, NULL, '[');
        for (int i = 0; i < n; i++) {
            ts_view_cell(out, NULL, stmt, i);
        }
        ts_jout_close(out, ']');
        code = ts_stmt_step(&row, &from, stmt);
    }
    ts_jout_close(out, ']');
    ts_jout_close(out, '}');
    return code;
}

/* ?1 file, ?2 limit, ?3 offset. */
static ts_code rows_run(ts_view_call *call, const char *sql)
{
    const ts_rows_from from = ts_view_rows(call);
    sqlite3_stmt *stmt = NULL;
    ts_code code = ts_stmt_prepare(&stmt, &from, sql);
    if (code == TS_OK) {
        sqlite3_bind_int64(stmt, 1, ts_view_value_of(call, P_FILE)->number);
        sqlite3_bind_int64(stmt, 2, ts_view_value_of(call, P_LIMIT)->number);
        sqlite3_bind_int64(stmt, 3, ts_view_value_of(call, P_OFFSET)->number);
        code = rows_put(call, stmt);
    }
    sqlite3_finalize(stmt);
    return code;
}

ts_code ts_heap_files_run(ts_view_call *call)
{
    const ts_rows_from from = ts_view_rows(call);
    sqlite3_stmt *stmt = NULL;
    ts_code code = ts_stmt_prepare(
        &stmt, &from,
        "SELECT f.id AS id, f.file_name AS file_name, f.start_time AS start_time, f.end_time AS "
        "end_time, f.self_size AS self_size, d.source_id AS source_id, d.node_count AS node_count, "
        "d.edge_count AS edge_count, d.class_count AS class_count, d.complete AS complete, "
        "(SELECT count(*) FROM js_heap_sample AS s WHERE s.file_id = f.id) AS marks, "
        "EXISTS (SELECT 1 FROM js_heap_analysis AS a WHERE a.file_id = f.id) AS analysed, "
        "(SELECT a.base_file_id FROM js_heap_analysis AS a WHERE a.file_id = f.id) AS base_file_id "
        "FROM js_heap_files AS f JOIN js_heap_file_detail AS d ON d.file_id = f.id "
        "ORDER BY f.id LIMIT 1000");
    TS_STEP(code, rows_put(call, stmt));
    sqlite3_finalize(stmt);
    return code;
}

ts_code ts_heap_strings_run(ts_view_call *call)
{
    return rows_run(call, "SELECT count, self_size, wasted_size, substr(string, 1, 200) AS string, "
                          "file_index FROM v_js_string_duplicates WHERE file_id = ?1 "
                          "ORDER BY wasted_size DESC, file_index LIMIT ?2 OFFSET ?3");
}

ts_code ts_heap_detached_run(ts_view_call *call)
{
    return rows_run(call, "SELECT node_id, name, self_size, node_index, type, edge_count "
                          "FROM v_js_detached WHERE file_id = ?1 "
                          "ORDER BY self_size DESC, node_index LIMIT ?2 OFFSET ?3");
}

ts_code ts_heap_constructors_run(ts_view_call *call)
{
    return rows_run(call, "SELECT name, script_id, line, \"column\", count, distance, "
                          "shallow_size, retained_size, constructor_id FROM v_js_constructor "
                          "WHERE file_id = ?1 ORDER BY retained_size DESC, constructor_id "
                          "LIMIT ?2 OFFSET ?3");
}

ts_code ts_heap_comparison_run(ts_view_call *call)
{
    return rows_run(call,
                    "SELECT base_file_id, name, script_id, line, \"column\", new_count, "
                    "deleted_count, count_delta, new_size, deleted_size, size_delta "
                    "FROM v_js_comparison WHERE file_id = ?1 ORDER BY new_size DESC, deleted_size "
                    "DESC, name, script_id, line, \"column\" LIMIT ?2 OFFSET ?3");
}

ts_code ts_heap_duplicates_run(ts_view_call *call)
{
    return rows_run(call, "SELECT substr(string, 1, 200) AS string, count, shallow_size, "
                          "retained_size, node_id, node_index FROM v_js_duplicate_string "
                          "WHERE file_id = ?1 ORDER BY retained_size DESC, node_index "
                          "LIMIT ?2 OFFSET ?3");
}

/* --- heap/dominated --------------------------------------------------------------------------- */

enum { D_NODE = 1, D_OFFSET, D_LIMIT };

const ts_view_param ts_heap_dominated_params[] = {
    TS_PARAM_FILE, TS_PARAM_NODE, TS_PARAMS_PAGE(10000, 100, "rows"), {.name = NULL}};

/* A node right below: what it dominates are the places up to the next one. */
typedef struct dominated {
    ts_view_call *call;
    ts_heap_file file;
    ts_rows *places; /* js_heap_dominated */
    ts_rows *nodes;  /* js_heap_retained */
    ts_vec children; /* of uint32_t: node_index */
    ts_vec sizes;    /* of ts_wide: retained_size */
} dominated;

/* tree_position, tree_count and retained_size of a node. */
static ts_code node_place(int64_t out[3], dominated *d, int64_t node)
{
    const ts_batch *b = NULL;
    ts_code code = TS_OK;
    if (node >= 0 && node < d->file.at.node_count) {
        code = ts_rows_one(&b, d->nodes, ts_sat_add(d->file.at.first_retained, node));
    }
    bool good = code == TS_OK && b != NULL && b->rows > 0;
    for (unsigned i = 0; good && i < 3; i++) {
        out[i] = b->columns[i].ints[0];
    }
    TS_STEP_IF(code,
               !good || out[0] < 0 || out[0] >= d->file.at.node_count || out[1] < 1 ||
                   out[1] > d->file.at.node_count - out[0],
               ts_fail(ts_view_ctx(d->call), TS_ERR_INPUT, "the tree of dominators is damaged"));
    return code;
}

static ts_code dominated_find(dominated *d, int64_t node)
{
    ts_ctx *ctx = ts_view_ctx(d->call);
    int64_t top[3] = {0};
    ts_code code = node_place(top, d, node);
    int64_t at = code == TS_OK ? top[0] + 1 : 0;
    int64_t until = code == TS_OK ? top[0] + top[1] : 0;
    while (code == TS_OK && at < until) {
        int64_t child[3];
        const ts_batch *b;
        TS_TRY_INTO(code, ts_rows_one(&b, d->places, ts_sat_add(d->file.at.first_dominated, at)));
        int64_t index = b->rows > 0 ? b->columns[0].ints[0] : -1;
        TS_TRY_INTO(code, node_place(child, d, index));
        uint32_t *kept = ts_vec_add(ctx, &d->children, sizeof *kept);
        ts_wide *size = kept == NULL ? NULL : ts_vec_add(ctx, &d->sizes, sizeof *size);
        TS_NEED(ctx, size);
        *kept = (uint32_t)index;
        *size = child[2];
        at += child[1];
        if (d->children.n % 4096 == 0) {
            code = ts_guard_check(d->call->guard, ctx);
        }
    }
    return code;
}

static int by_retained(const void *user, uint32_t a, uint32_t b)
{
    const dominated *d = user;
    const ts_wide *sizes = d->sizes.p;
    const uint32_t *nodes = d->children.p;
    return sizes[a] != sizes[b] ? (sizes[a] < sizes[b]) - (sizes[a] > sizes[b])
                                : (nodes[a] > nodes[b]) - (nodes[a] < nodes[b]);
}

/* The largest first, equal ones by node_index. */
static ts_code dominated_put(dominated *d)
{
    const ts_rows_from from = ts_view_rows(d->call);
    const ts_page page = ts_view_page(d->call, D_OFFSET);
    const uint32_t *children = d->children.p;
    size_t n = d->children.n;
    ts_jout *out = d->call->out;
    sqlite3_stmt *stmt = NULL;
    ts_heap_rows rows = {0};
    uint32_t *places = NULL;
    ts_code code = ts_heap_order(&places, from.ctx, n, by_retained, d);
    TS_STEP(code, ts_stmt_prepare(&stmt, &from,
                                  "SELECT tree_count, distance, shallow_size, retained_size "
                                  "FROM js_heap_retained WHERE rowid = ?1"));
    if (code == TS_OK && (code = ts_heap_rows_open(&rows, d->call, &d->file)) == TS_OK) {
        ts_jout_open(out, NULL, '{');
        ts_heap_table(out, "id,type,name,self_size,edge_count,node_index,tree_count,distance,"
                           "shallow_size,retained_size");
        for (uint64_t i = page.first; code == TS_OK && i < n && i < page.end; i++) {
            uint32_t node = children[places[i]];
            ts_jout_open(out, NULL, '[');
            code = ts_heap_put_node(&rows, node);
            ts_jout_uint(out, NULL, node);
            TS_STEP(code, ts_heap_put_retained(&rows, stmt, node, 4));
            ts_jout_close(out, ']');
        }
        ts_heap_table_end(out, n);
        ts_jout_close(out, '}');
    }
    ts_heap_rows_close(&rows);
    sqlite3_finalize(stmt);
    ts_free(from.ctx, places);
    return code;
}

ts_code ts_heap_dominated_run(ts_view_call *call)
{
    static const unsigned place[] = {TS_C_js_heap_dominated__node_index};
    static const unsigned node_columns[] = {TS_C_js_heap_retained__tree_position,
                                            TS_C_js_heap_retained__tree_count,
                                            TS_C_js_heap_retained__retained_size};
    const ts_rows_from from = ts_view_rows(call);
    int64_t node = ts_view_value_of(call, D_NODE)->number;
    dominated *d = ts_zalloc(from.ctx, 1, sizeof *d);
    TS_NEED(from.ctx, d);
    d->call = call;
    ts_code code = ts_heap_file_asked(&d->file, call);
    if (code == TS_OK && (!d->file.at.analysed || node >= d->file.at.node_count)) {
        code = ts_fail(from.ctx, TS_ERR_USAGE, "heap file %lld %s", (long long)d->file.at.file_id,
                       d->file.at.analysed ? "has no such node" : "was not analysed");
    }
    TS_STEP(code, ts_rows_open(&d->places, &from, TS_T_js_heap_dominated, place, 1));
    TS_STEP(code, ts_rows_open(&d->nodes, &from, TS_T_js_heap_retained, node_columns, 3));
    TS_STEP(code, dominated_find(d, node));
    TS_STEP(code, dominated_put(d));
    ts_rows_close(d->places);
    ts_rows_close(d->nodes);
    ts_vec_free(from.ctx, &d->children);
    ts_vec_free(from.ctx, &d->sizes);
    ts_free(from.ctx, d);
    return code;
}

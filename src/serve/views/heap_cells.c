/* Single rows of a heap file as cells of a reply. */
#include "serve/views/heap_private.h"

#include <stdio.h>

enum { N_TYPE, N_NAME, N_ID, N_SIZE, N_EDGES };
enum { E_INDEX, E_TYPE, E_NAME };

ts_code ts_heap_rows_open(ts_heap_rows *r, ts_view_call *call, const ts_heap_file *f)
{
    static const unsigned nodes[] = {TS_C_js_heap_nodes__type, TS_C_js_heap_nodes__name,
                                     TS_C_js_heap_nodes__id, TS_C_js_heap_nodes__self_size,
                                     TS_C_js_heap_nodes__edge_count};
    static const unsigned edges[] = {TS_C_js_heap_edges__edge_index, TS_C_js_heap_edges__type,
                                     TS_C_js_heap_edges__name_or_index};
    static const unsigned strings[] = {TS_C_js_heap_string__file_index,
                                       TS_C_js_heap_string__string};
    const ts_rows_from from = ts_view_rows(call);
    *r = (ts_heap_rows){.call = call, .file = f};
    ts_code code = ts_rows_open(&r->nodes, &from, TS_T_js_heap_nodes, nodes, 5);
    TS_STEP(code, ts_rows_open(&r->edges, &from, TS_T_js_heap_edges, edges, 3));
    TS_STEP(code, ts_rows_open(&r->strings, &from, TS_T_js_heap_string, strings, 2));
    return code;
}

void ts_heap_rows_close(ts_heap_rows *r)
{
    ts_rows_close(r->nodes);
    ts_rows_close(r->edges);
    ts_rows_close(r->strings);
}

void ts_heap_put_number(ts_jout *out, bool known, ts_wide value)
{
    if (known) {
        ts_wide_put(out, NULL, value);
    } else {
        ts_jout_null(out, NULL);
    }
}

static void put_cell(ts_jout *out, ts_cell cell)
{
    ts_heap_put_number(out, !cell.null, cell.value);
}

static ts_code ts_heap_put_string(ts_heap_rows *r, ts_cell name)
{
    ts_jout *out = r->call->out;
    const ts_batch *b;
    if (name.null || name.value < 0 || name.value >= r->file->at.string_count) {
        ts_jout_null(out, NULL);
        return TS_OK;
    }
    TS_TRY(ts_rows_one(&b, r->strings, r->file->at.first_string + name.value));
    if (b->rows == 0 || b->columns[0].null[0] || b->columns[0].ints[0] != name.value ||
        b->columns[1].null[0]) {
        ts_jout_null(out, NULL);
    } else {
        ts_view_text(out, NULL, (ts_text){b->columns[1].texts[0].p, b->columns[1].texts[0].n});
    }
    return TS_OK;
}

ts_code ts_heap_put_node(ts_heap_rows *r, uint32_t node)
{
    ts_jout *out = r->call->out;
    const ts_batch *b = NULL;
    ts_code code = TS_OK;
    if (node != TS_NO_INDEX) {
        code = ts_rows_one(&b, r->nodes, r->file->at.first_node + node);
    }
    if (code != TS_OK || b == NULL || b->rows == 0) {
        for (unsigned i = 0; i < 5; i++) {
            ts_jout_null(out, NULL);
        }
        return code;
    }
    put_cell(out, ts_cell_of(b, N_ID, 0));
    ts_jout_str(out, NULL, ts_heap_type(&r->file->node_types, ts_cell_of(b, N_TYPE, 0)));
    code = ts_heap_put_string(r, ts_cell_of(b, N_NAME, 0));
    put_cell(out, ts_cell_of(b, N_SIZE, 0));
    put_cell(out, ts_cell_of(b, N_EDGES, 0));
    return code;
}

ts_code ts_heap_put_retained(ts_heap_rows *r, sqlite3_stmt *stmt, uint32_t node, int n)
{
    const ts_rows_from from = ts_view_rows(r->call);
    bool row = false;
    sqlite3_reset(stmt);
    sqlite3_bind_int64(stmt, 1, ts_sat_add(r->file->at.first_retained, node));
    ts_code code = ts_stmt_step(&row, &from, stmt);
    for (int i = 0; code == TS_OK && i < n; i++) {
        if (row) {
            ts_view_cell(r->call->out, NULL, stmt, i);
        } else {
            ts_jout_null(r->call->out, NULL);
        }
    }
    return code;
}

ts_code ts_heap_put_edge(ts_heap_rows *r, uint32_t edge)
{
    ts_jout *out = r->call->out;
    const ts_batch *b;
    ts_code code = ts_rows_one(&b, r->edges, r->file->at.first_edge + edge);
    if (code == TS_OK && b->rows == 0) {
        return ts_fail(ts_view_ctx(r->call), TS_ERR_INPUT, "no row of edge %u", edge);
    }
    if (code != TS_OK) {
        return code;
    }
    const char *type = ts_heap_type(&r->file->edge_types, ts_cell_of(b, E_TYPE, 0));
    ts_cell name = ts_cell_of(b, E_NAME, 0);
    put_cell(out, ts_cell_of(b, E_INDEX, 0));
    ts_jout_str(out, NULL, type);
    if (type == NULL ||
        (strcmp(type, TS_HEAP_EDGE_ELEMENT) != 0 && strcmp(type, TS_HEAP_EDGE_HIDDEN) != 0)) {
        return ts_heap_put_string(r, name);
    }
    if (name.null) {
        ts_jout_null(out, NULL);
    } else { /* an index, as the view has it: a text */
        char digits[24];
        int n = snprintf(digits, sizeof digits, "%lld", (long long)name.value);
        ts_jout_text(out, NULL, (ts_text){digits, (size_t)n});
    }
    return TS_OK;
}

void ts_heap_columns(ts_jout *out, const char *names)
{
    ts_jout_open(out, "columns", '[');
    while (*names != '\0') {
        size_t n = strcspn(names, ",");
        ts_jout_text(out, NULL, (ts_text){names, n});
        names += names[n] == ',' ? n + 1 : n;
    }
    ts_jout_close(out, ']');
}

void ts_heap_table(ts_jout *out, const char *names)
{
    ts_heap_columns(out, names);
    ts_jout_open(out, "rows", '[');
}

void ts_heap_table_end(ts_jout *out, uint64_t row_count)
{
    ts_jout_close(out, ']');
    ts_jout_uint(out, "row_count", row_count);
}

ts_code ts_heap_file_asked(ts_heap_file *f, ts_view_call *call)
{
    return ts_heap_file_read(f, call->views->model, ts_view_value_of(call, 0)->number);
}

ts_code ts_heap_order(uint32_t **places, ts_ctx *ctx, size_t n,
                      int (*order)(const void *user, uint32_t a, uint32_t b), const void *user)
{
    TS_NEED(ctx, *places = ts_alloc(ctx, n, sizeof **places));
    for (size_t i = 0; i < n; i++) {
        (*places)[i] = (uint32_t)i;
    }
    return ts_sort_by(ctx, *places, n, order, user);
}

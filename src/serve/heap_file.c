/* Where the rows of a heap file are, and single rows of it as cells of a reply. */
#include "serve/heap_private.h"

#include <stdio.h>

enum { NODES_REPORT = 1 << 17 };
enum { D_STRIDE, D_NODE, D_NODES, D_EDGE, D_EDGES, D_STRING, D_STRINGS, D_CLASS, D_CLASSES };
enum { D_COMPLETE = 9, D_INFO, D_TYPES, D_EDGE_TYPE, D_EDGE_TYPES, D_CELLS };

static const char detail_sql[] =
    "SELECT node_stride, first_node_rowid, node_count, first_edge_rowid, edge_count, "
    "first_string_rowid, string_count, first_class_rowid, class_count, complete, first_info_rowid, "
    "node_type_count, first_edge_type_rowid, edge_type_count FROM js_heap_file_detail "
    "WHERE file_id = ?1 LIMIT 1";

const char *ts_heap_type(const ts_heap_types *types, ts_cell type)
{
    return type.null || type.value < 0 || type.value >= types->count ? NULL
                                                                     : types->names[type.value];
}

static ts_code types_read(ts_heap_types *types, const ts_rows_from *from, ts_cell first,
                          ts_cell count)
{
    sqlite3_stmt *stmt = NULL;
    if (first.null || count.null || count.value <= 0) {
        return TS_OK;
    }
    if (count.value > TS_HEAP_TYPES) {
        return ts_fail(from->ctx, TS_ERR_INPUT, "the heap file has too many types");
    }
    ts_code code =
        ts_stmt_prepare(&stmt, from, "SELECT str_value FROM js_heap_info WHERE rowid = ?1");
    for (int64_t i = 0; code == TS_OK && i < count.value; i++) {
        bool row;
        sqlite3_bind_int64(stmt, 1, ts_sat_add(first.value, i));
        code = ts_stmt_step(&row, from, stmt);
        const char *name = code == TS_OK && row ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
        if (name != NULL) {
            size_t n = strlen(name);
            memcpy(types->names[i], name,
                   n < TS_HEAP_TYPE_NAME ? n + 1 : (size_t)TS_HEAP_TYPE_NAME - 1);
        }
        sqlite3_reset(stmt);
    }
    types->count = (unsigned)count.value;
    sqlite3_finalize(stmt);
    return code;
}

/* A first rowid and a number of rows that can be. */
static bool rows_possible(int64_t *first, int64_t *count, const ts_cell *cells, int at)
{
    *first = cells[at].null ? 0 : cells[at].value;
    *count = cells[at].null || cells[at + 1].null ? 0 : cells[at + 1].value;
    return *count >= 0 && *count < UINT32_MAX - 1 && *first >= 0 &&
           *first <= INT64_MAX - UINT32_MAX;
}

static ts_code detail_take(ts_heap_file *f, const ts_rows_from *from, const ts_cell *cells)
{
    int64_t nodes;
    int64_t edges;
    if (!rows_possible(&f->first_node, &nodes, cells, D_NODE) ||
        !rows_possible(&f->first_edge, &edges, cells, D_EDGE) ||
        !rows_possible(&f->first_string, &f->string_count, cells, D_STRING) ||
        !rows_possible(&f->first_class, &f->class_count, cells, D_CLASS)) {
        return ts_fail(from->ctx, TS_ERR_INPUT,
                       "js_heap_file_detail: impossible places of rows of file %lld",
                       (long long)f->file_id);
    }
    f->node_count = (uint32_t)nodes;
    f->edge_count = (uint32_t)edges;
    f->stride = cells[D_STRIDE].null || cells[D_STRIDE].value <= 0 ? 0 : cells[D_STRIDE].value;
    f->complete = !cells[D_COMPLETE].null && cells[D_COMPLETE].value == 1;
    ts_code code = types_read(&f->node_types, from, cells[D_INFO], cells[D_TYPES]);
    return code == TS_OK ? types_read(&f->edge_types, from, cells[D_EDGE_TYPE], cells[D_EDGE_TYPES])
                         : code;
}

/* Databases of other programs need not have the tables of the analysis. */
static void analysis_read(ts_heap_file *f, sqlite3 *db)
{
    sqlite3_stmt *stmt = NULL;
    if (sqlite3_prepare_v2(db,
                           "SELECT first_retained_rowid, first_dominated_rowid "
                           "FROM js_heap_analysis WHERE file_id = ?1",
                           -1, &stmt, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(stmt, 1, f->file_id);
        if (sqlite3_step(stmt) == SQLITE_ROW) {
            f->analysed = true;
            f->first_retained = sqlite3_column_int64(stmt, 0);
            f->first_dominated = sqlite3_column_int64(stmt, 1);
        }
    }
    sqlite3_finalize(stmt);
}

ts_code ts_heap_file_read(ts_heap_file *f, ts_view_call *call, int64_t file_id)
{
    const ts_rows_from from = ts_view_rows(call);
    ts_cell cells[D_CELLS];
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    *f = (ts_heap_file){.file_id = file_id};
    ts_code code = ts_stmt_prepare(&stmt, &from, detail_sql);
    if (code == TS_OK) {
        sqlite3_bind_int64(stmt, 1, file_id);
        code = ts_stmt_step(&row, &from, stmt);
    }
    if (code == TS_OK && !row) {
        code = ts_fail(from.ctx, TS_ERR_USAGE, "no heap file %lld", (long long)file_id);
    }
    for (int i = 0; code == TS_OK && i < D_CELLS; i++) {
        cells[i] = (ts_cell){sqlite3_column_int64(stmt, i),
                             sqlite3_column_type(stmt, i) != SQLITE_INTEGER};
    }
    if (code == TS_OK) {
        code = detail_take(f, &from, cells);
    }
    sqlite3_finalize(stmt);
    if (code == TS_OK) {
        analysis_read(f, call->db);
    }
    return code;
}

/* --- rows ------------------------------------------------------------------------------------- */

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
    if (code == TS_OK) {
        code = ts_rows_open(&r->edges, &from, TS_T_js_heap_edges, edges, 3);
    }
    return code == TS_OK ? ts_rows_open(&r->strings, &from, TS_T_js_heap_string, strings, 2) : code;
}

void ts_heap_rows_close(ts_heap_rows *r)
{
    ts_rows_close(r->nodes);
    ts_rows_close(r->edges);
    ts_rows_close(r->strings);
}

static void put_cell(ts_jout *out, ts_cell cell)
{
    if (cell.null) {
        ts_jout_null(out, NULL);
    } else {
        ts_jout_int(out, NULL, cell.value);
    }
}

ts_code ts_heap_put_string(ts_heap_rows *r, ts_cell name)
{
    ts_jout *out = r->call->out;
    const ts_batch *b;
    if (name.null || name.value < 0 || name.value >= r->file->string_count) {
        ts_jout_null(out, NULL);
        return TS_OK;
    }
    ts_code code = ts_rows_one(&b, r->strings, r->file->first_string + name.value);
    if (code != TS_OK) {
        return code;
    }
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
        code = ts_rows_one(&b, r->nodes, r->file->first_node + node);
    }
    if (code != TS_OK || b == NULL || b->rows == 0) {
        for (unsigned i = 0; i < 5; i++) {
            ts_jout_null(out, NULL);
        }
        return code;
    }
    ts_cell name = ts_cell_of(b, N_NAME, 0);
    ts_cell size = ts_cell_of(b, N_SIZE, 0);
    ts_cell edges = ts_cell_of(b, N_EDGES, 0);
    put_cell(out, ts_cell_of(b, N_ID, 0));
    ts_jout_str(out, NULL, ts_heap_type(&r->file->node_types, ts_cell_of(b, N_TYPE, 0)));
    code = ts_heap_put_string(r, name);
    put_cell(out, size);
    put_cell(out, edges);
    return code;
}

ts_code ts_heap_put_edge(ts_heap_rows *r, uint32_t edge)
{
    ts_jout *out = r->call->out;
    const ts_batch *b;
    ts_code code = ts_rows_one(&b, r->edges, r->file->first_edge + edge);
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

ts_code ts_heap_nodes_each(ts_view_call *call, const ts_heap_file *f, const unsigned *columns,
                           unsigned count, const char *what, ts_heap_node_fn *each, void *user)
{
    const ts_rows_from from = ts_view_rows(call);
    int64_t behind = f->first_node + f->node_count;
    const ts_batch *b;
    ts_rows *rows = NULL;
    uint64_t done = 0;
    bool more = true;
    ts_code code = ts_rows_open(&rows, &from, TS_T_js_heap_nodes, columns, count);
    if (code == TS_OK) {
        code = ts_rows_seek(rows, f->first_node);
    }
    while (code == TS_OK && more && (code = ts_rows_next(&b, rows)) == TS_OK) {
        more = b->rows > 0 && b->rowids[b->rows - 1] < behind;
        for (unsigned i = 0; code == TS_OK && i < b->rows && b->rowids[i] < behind; i++) {
            code = each(user, b, i);
        }
        if (done / NODES_REPORT != (done + b->rows) / NODES_REPORT) {
            ts_view_report(call, what, done, f->node_count);
        }
        done += b->rows;
    }
    ts_rows_close(rows);
    return code;
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

/* Where the rows of heap files are, and reading them in their order. */
#include "model/heaps.h"

#include "base/ckd.h"
#include "model/sources.h"

enum { HEAP_REPORT = 1 << 17, PLACES = 16 };

/* --- places ----------------------------------------------------------------------------------- */

static ts_code places_row(ts_vec *out, ts_ctx *ctx, const ts_batch *b, unsigned i)
{
    ts_heap_places *d = ts_vec_add(ctx, out, sizeof *d);
    TS_NEED(ctx, d);
    int64_t *const fields[PLACES] = {
        &d->file_id,      &d->source_id,       &d->stride,          &d->first_info,
        &d->type_count,   &d->first_edge_type, &d->edge_type_count, &d->first_node,
        &d->node_count,   &d->first_edge,      &d->edge_count,      &d->first_string,
        &d->string_count, &d->first_location,  &d->first_class,     &d->class_count};
    for (unsigned k = 0; k < PLACES; k++) {
        *fields[k] = b->columns[k].null[i] != 0 ? 0 : b->columns[k].ints[i];
    }
    d->complete = b->columns[PLACES].null[i] == 0 && b->columns[PLACES].ints[i] == 1;
    /* A snapshot that ends inside its description has counts of what has no rows. */
    d->type_count = d->first_info == 0 ? 0 : d->type_count;
    d->edge_type_count = d->first_edge_type == 0 ? 0 : d->edge_type_count;
    return TS_OK;
}

static void analysed_row(const ts_vec *out, const ts_walk *row)
{
    for (size_t k = 0; k < out->n; k++) {
        ts_heap_places *d = (ts_heap_places *)out->p + k;
        if (ts_walk_int(row, 0) == d->file_id) {
            d->analysed = true;
            d->first_retained = ts_walk_int(row, 1);
            d->first_dominated = ts_walk_int(row, 2);
        }
    }
}

ts_code ts_heap_places_read(ts_vec *out, const ts_rows_from *from)
{
    static const unsigned columns[PLACES + 1] = {
        TS_C_js_heap_file_detail__file_id,
        TS_C_js_heap_file_detail__source_id,
        TS_C_js_heap_file_detail__node_stride,
        TS_C_js_heap_file_detail__first_info_rowid,
        TS_C_js_heap_file_detail__node_type_count,
        TS_C_js_heap_file_detail__first_edge_type_rowid,
        TS_C_js_heap_file_detail__edge_type_count,
        TS_C_js_heap_file_detail__first_node_rowid,
        TS_C_js_heap_file_detail__node_count,
        TS_C_js_heap_file_detail__first_edge_rowid,
        TS_C_js_heap_file_detail__edge_count,
        TS_C_js_heap_file_detail__first_string_rowid,
        TS_C_js_heap_file_detail__string_count,
        TS_C_js_heap_file_detail__first_location_rowid,
        TS_C_js_heap_file_detail__first_class_rowid,
        TS_C_js_heap_file_detail__class_count,
        TS_C_js_heap_file_detail__complete,
    };
    static const unsigned analysed[] = {TS_C_js_heap_analysis__file_id,
                                        TS_C_js_heap_analysis__first_retained_rowid,
                                        TS_C_js_heap_analysis__first_dominated_rowid};
    ts_walk files = ts_walk_of(*from, TS_T_js_heap_file_detail, columns, PLACES + 1);
    ts_walk more = ts_walk_of(*from, TS_T_js_heap_analysis, analysed, 3);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &files)) {
        code = places_row(out, from->ctx, files.b, files.row);
    }
    /* Databases of other programs need not have the table. */
    bool there = code == TS_OK && ts_rows_there(from, TS_T_js_heap_analysis, analysed, 3);
    while (there && ts_walk_next(&code, &more)) {
        analysed_row(out, &more);
    }
    return code;
}

static ts_code java_place(ts_vec *out, const ts_walk *row, ts_ctx *ctx)
{
    enum { SOURCE, NODE, NODES, EDGE, EDGES, CLASS, CLASSES, STRING, STRINGS, COMPLETE };
    ts_heap_places *d = ts_vec_add(ctx, out, sizeof *d);
    TS_NEED(ctx, d);
    *d = (ts_heap_places){.file_id = ts_walk_id(row),
                          .source_id = ts_walk_int(row, SOURCE),
                          .first_node = ts_walk_int(row, NODE),
                          .node_count = ts_walk_int(row, NODES),
                          .first_edge = ts_walk_int(row, EDGE),
                          .edge_count = ts_walk_int(row, EDGES),
                          .first_class = ts_walk_int(row, CLASS),
                          .class_count = ts_walk_int(row, CLASSES),
                          .first_string = ts_walk_int(row, STRING),
                          .string_count = ts_walk_int(row, STRINGS),
                          .complete = ts_walk_int(row, COMPLETE) == 1};
    return TS_OK;
}

ts_code ts_java_places_read(ts_vec *out, const ts_rows_from *from)
{
    static const unsigned columns[] = {
        TS_C_java_heap_file__source_id,       TS_C_java_heap_file__first_object_rowid,
        TS_C_java_heap_file__object_count,    TS_C_java_heap_file__first_reference_rowid,
        TS_C_java_heap_file__reference_count, TS_C_java_heap_file__first_class_id,
        TS_C_java_heap_file__class_count,     TS_C_java_heap_file__first_string_rowid,
        TS_C_java_heap_file__string_count,    TS_C_java_heap_file__complete};
    static const unsigned analysed[] = {TS_C_java_heap_analysis__file_id,
                                        TS_C_java_heap_analysis__first_retained_rowid,
                                        TS_C_java_heap_analysis__first_dominated_rowid};
    ts_walk files = ts_walk_of(*from, TS_T_java_heap_file, columns, 10);
    ts_walk more = ts_walk_of(*from, TS_T_java_heap_analysis, analysed, 3);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &files)) {
        code = java_place(out, &files, from->ctx);
    }
    while (ts_walk_next(&code, &more)) {
        analysed_row(out, &more);
    }
    return code;
}

/* --- one file --------------------------------------------------------------------------------- */

const char *ts_heap_type(const ts_heap_types *types, ts_cell type)
{
    return type.null || type.value < 0 || type.value >= types->count ? NULL
                                                                     : types->names[type.value];
}

static ts_code types_read(ts_heap_types *types, const ts_rows_from *from, int64_t first,
                          int64_t count)
{
    static const unsigned columns[] = {TS_C_js_heap_info__str_value};
    const ts_batch *b;
    ts_rows *rows = NULL;
    if (count <= 0) {
        return TS_OK;
    }
    if (count > TS_HEAP_TYPES) {
        return ts_fail(from->ctx, TS_ERR_INPUT, "the heap file has too many types");
    }
    ts_code code = ts_rows_open(&rows, from, TS_T_js_heap_info, columns, 1);
    for (int64_t i = 0; code == TS_OK && i < count; i++) {
        code = ts_rows_one(&b, rows, ts_sat_add(first, i));
        if (code == TS_OK && b->rows > 0 && b->columns[0].null[0] == 0) {
            const ts_scan_text *name = &b->columns[0].texts[0];
            memcpy(types->names[i], name->p,
                   name->n < TS_HEAP_TYPE_NAME ? name->n : (size_t)TS_HEAP_TYPE_NAME - 1);
        }
    }
    types->count = (unsigned)count;
    ts_rows_close(rows);
    return code;
}

/* A first rowid and a number of rows that can be. */
static bool rows_possible(int64_t first, int64_t *count)
{
    *count = first == 0 ? 0 : *count;
    return *count >= 0 && *count < UINT32_MAX - 1 && first >= 0 && first <= INT64_MAX - UINT32_MAX;
}

ts_code ts_heap_file_read(ts_heap_file *f, ts_model *m, int64_t file_id)
{
    const ts_rows_from *from = ts_model_rows(m);
    ts_heap_places *d = &f->at;
    ts_vec all = {0};
    size_t i = 0;
    *f = (ts_heap_file){0};
    ts_code code = ts_heap_places_read(&all, from);
    const ts_heap_places *places = all.p;
    while (i < all.n && places[i].file_id != file_id) {
        i++;
    }
    TS_STEP_IF(code, i == all.n,
               ts_fail(from->ctx, TS_ERR_USAGE, "no heap file %lld", (long long)file_id));
    if (code == TS_OK) {
        *d = places[i];
        d->stride = d->stride < 0 ? 0 : d->stride;
    }
    ts_vec_free(from->ctx, &all);
    if (code == TS_OK && (!rows_possible(d->first_node, &d->node_count) ||
                          !rows_possible(d->first_edge, &d->edge_count) ||
                          !rows_possible(d->first_string, &d->string_count) ||
                          !rows_possible(d->first_class, &d->class_count))) {
        code = ts_fail(from->ctx, TS_ERR_INPUT,
                       "js_heap_file_detail: impossible places of rows of file %lld",
                       (long long)file_id);
    }
    TS_STEP(code, types_read(&f->node_types, from, d->first_info, d->type_count));
    return code != TS_OK ? code
                         : types_read(&f->edge_types, from, d->first_edge_type, d->edge_type_count);
}

ts_code ts_heap_one_recording(bool *one, ts_model *m, const ts_heap_file *a, const ts_heap_file *b)
{
    const ts_sources *sources = NULL;
    int64_t roots[2] = {a->at.source_id, b->at.source_id};
    ts_code code = ts_sources_get(&sources, m);
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        const ts_source_entry *all = sources->rows.p;
        for (size_t i = sources->rows.n; i-- > 0;) { /* a parent is before what was found in it */
            if (all[i].id == roots[side] && all[i].parent > 0 && all[i].parent < all[i].id) {
                roots[side] = all[i].parent;
            }
        }
    }
    *one = code == TS_OK && roots[0] == roots[1] && roots[0] != 0;
    return code;
}

/* --- rows ------------------------------------------------------------------------------------- */

ts_code ts_heap_each(ts_model *m, enum ts_table_id table, int64_t first, int64_t rows,
                     const unsigned *columns, unsigned count, const char *what,
                     ts_heap_row_fn *each, void *user)
{
    const int64_t end = first + rows;
    const ts_batch *b;
    ts_rows *from = NULL;
    uint64_t done = 0;
    bool more = rows > 0;
    ts_code code = more ? ts_rows_open(&from, ts_model_rows(m), table, columns, count) : TS_OK;
    TS_STEP_IF(code, more, ts_rows_seek(from, first));
    while (code == TS_OK && more && (code = ts_rows_next(&b, from)) == TS_OK) {
        more = b->rows > 0 && b->rowids[b->rows - 1] < end - 1;
        for (unsigned i = 0; code == TS_OK && i < b->rows && b->rowids[i] < end; i++) {
            code = each(user, b, i);
        }
        if (done / HEAP_REPORT != (done + b->rows) / HEAP_REPORT) {
            ts_model_report(m, what, done, (uint64_t)rows);
        }
        done += b->rows;
    }
    ts_rows_close(from);
    return code;
}

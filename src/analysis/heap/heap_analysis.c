/*
 * What keeps heap objects alive, for each heap file: dominators and retained sizes, distances and
 * shortest paths, classes, what came and went since the file before, strings of one text. Values
 * are those of Chrome DevTools; docs/formats.md defines them.
 *
 * A file's rows are read back from their pages. All memory of a file is taken before the first of
 * its rows is written, and given back before the next file. Time: linear, but for jump pointers and
 * path compression, which cost a logarithm. Memory: 52 bytes a node and at most 8 an edge, or 64 a
 * node, what strings and classes take, and for a comparison 28 a node of the older file.
 */
#include "analysis/analysis.h"

#include "analysis/heap/classes.h"
#include "analysis/heap/compare.h"
#include "analysis/heap/duplicates.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct heap_run {
    ts_ctx *ctx;
    ts_reader *reader;
    ts_store *store;
    ts_sink *sink;
    ts_idmap roots;  /* source: root_index */
    ts_idmap extras; /* source: extra_native_bytes */
    hg_classes classes;
    hg_base base;
} heap_run;

/* What is known of a file when its rows are written. */
typedef struct heap_rows {
    hg g;
    ts_vec rows; /* hg_class */
    hg_definitions definitions;
    hg_duplicates duplicates;
    uint32_t *previous; /* NULL: there is no base */
    ts_vec changes;     /* hg_change */
    bool bad_root;
    bool compared; /* with the file before */
} heap_rows;

/* --- what the snapshot states --------------------------------------------------------------- */

static ts_code read_property(heap_run *r, const ts_batch *b, unsigned i)
{
    ts_text key = ts_cell_text(b, 1, i);
    int64_t value = -1; /* what is no integer is no place */
    bool known = hg_integer(&value, &b->columns[2].texts[i]);
    if (ts_text_is(key, "root_index")) {
        return ts_idmap_put(r->ctx, &r->roots, b->columns[0].ints[i], (uint64_t)value);
    }
    return known && ts_text_is(key, "extra_native_bytes")
               ? ts_idmap_put(r->ctx, &r->extras, b->columns[0].ints[i], (uint64_t)value)
               : TS_OK;
}

static int64_t property(const ts_idmap *map, int64_t source)
{
    uint64_t value = 0;
    return ts_idmap_find(&value, map, source) ? (int64_t)value : 0;
}

/* --- finding out ---------------------------------------------------------------------------- */

static ts_code find_classes(heap_run *r, heap_rows *f)
{
    hg *g = &f->g;
    uint32_t *texts = NULL;
    ts_code code = hg_define(&f->definitions, g, &r->classes);
    if (code == TS_OK) {
        texts = ts_alloc(g->ctx, g->shapes.shapes.n, sizeof *texts);
        code = texts == NULL ? g->ctx->error.code : TS_OK;
    }
    TS_STEP(code, hg_shape_classes(texts, g->ctx, &f->definitions, &g->shapes, f->definitions.own));
    ts_free(g->ctx, f->definitions.own);
    f->definitions.own = NULL;
    TS_STEP(code, hg_classify(&f->rows, g, &r->classes, texts));
    ts_free(g->ctx, texts);
    if (code == TS_OK) {
        hg_class_sums(&f->rows, g);
    }
    return code;
}

/* Counts that cannot be are refused later. */
static ts_code arrays_of(hg *g)
{
    uint64_t n =
        g->d.node_count > 0 && g->d.node_count <= HG_MAX_NODES ? (uint64_t)g->d.node_count : 0;
    uint64_t m = g->d.edge_count > 0 && g->d.edge_count < HG_NONE ? (uint64_t)g->d.edge_count : 0;
    return hg_arrays(g, n, m);
}

static ts_code find_out(heap_run *r, heap_rows *f, int64_t input)
{
    hg *g = &f->g;
    ts_code code;
    g->totals.extra = property(&r->extras, g->d.source_id);
    g->totals.extra = g->totals.extra > 0 ? g->totals.extra : 0;
    TS_TRY_INTO(code, arrays_of(g));
    TS_TRY_INTO(code, hg_read_strings(g));
    TS_TRY_INTO(code, hg_read_graph(g, property(&r->roots, g->d.source_id), &f->bad_root));
    TS_TRY_INTO(code, hg_spread(g));
    TS_TRY_INTO(code, hg_distances(g));
    TS_TRY_INTO(code, hg_shallow(g));
    TS_TRY_INTO(code, hg_dominators(g));
    TS_TRY_INTO(code, hg_native(g));
    TS_TRY_INTO(code, find_classes(r, f));
    TS_TRY_INTO(code, hg_find_duplicates(&f->duplicates, g));
    hg_totals_of(g);
    if (r->base.there) {
        code = hg_compare(&f->previous, &f->changes, g, &f->rows, &r->base, &r->classes,
                          &f->definitions, r->base.input == input);
        f->compared = f->previous != NULL;
    }
    return code;
}

/* --- rows ----------------------------------------------------------------------------------- */

static ts_code put_constructors(heap_run *r, const heap_rows *f)
{
    const hg_class *rows = f->rows.p;
    const hg_key *keys = r->classes.keys.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < f->rows.n && code == TS_OK; i++) {
        const hg_key *key = &keys[rows[i].key];
        ts_row_js_heap_constructor row = {
            .id = (int64_t)ts_sink_rows(r->sink, TS_T_js_heap_constructor) + 1,
            .file_id = f->g.d.file_id,
            .name = ts_pool_text(&r->classes.texts, key->text),
            .script_id = key->place[0],
            .line = key->place[1],
            .column = key->place[2],
            .count = rows[i].count,
            .distance = rows[i].distance,
            .shallow_size = rows[i].shallow,
            .retained_size = rows[i].retained,
        };
        row.null = (uint64_t)(key->placed ? key->null : 7) << TS_C_js_heap_constructor__script_id;
        if (rows[i].distance == HG_NONE) {
            TS_SET_NULL(js_heap_constructor, &row, distance);
        }
        code = ts_put_js_heap_constructor(r->sink, &row);
    }
    return code;
}

/* Rows that are put at once. */
enum { AT_ONCE = 256 };

static bool is_small(int64_t v)
{
    return (uint64_t)v <= INT32_MAX;
}

static void retained_row(ts_row_js_heap_retained *row, const heap_rows *f, uint32_t v, int64_t id,
                         int64_t first_constructor)
{
    const hg *g = &f->g;
    const hg_step step = g->steps[v];
    const hg_span span = g->spans[v];
    *row = (ts_row_js_heap_retained){
        .file_id = g->d.file_id,
        .node_id = id,
        .dominator = g->held[v].dominator,
        .retainer = step.retainer,
        .retaining_edge = step.edge,
        .distance = step.distance,
        .shallow_size = hg_size(&g->size, v),
        .retained_size = hg_retained(g, v),
        .detachedness = hg_detachedness(g->flags[v]),
        .constructor_id = first_constructor + g->class[v],
        .held_by = g->flags[v] >> HG_HELD_SHIFT & 7,
        .tree_position = span.position,
        .tree_count = span.count,
        .previous = f->previous == NULL ? HG_NONE : f->previous[v],
        .retained_native_size = g->native == NULL ? 0 : hg_retained_native(g, v),
    };
    row->null = ((g->flags[v] & HG_NO_ID) == 0 ? 0 : TS_NULL_BIT(js_heap_retained, node_id)) |
                (v != g->root ? 0 : TS_NULL_BIT(js_heap_retained, dominator)) |
                (step.retainer != HG_NONE ? 0
                                          : TS_NULL_BIT(js_heap_retained, retainer) |
                                                TS_NULL_BIT(js_heap_retained, retaining_edge)) |
                (step.distance != HG_NONE ? 0 : TS_NULL_BIT(js_heap_retained, distance)) |
                (row->previous != HG_NONE ? 0 : TS_NULL_BIT(js_heap_retained, previous)) |
                (g->native != NULL ? 0 : TS_NULL_BIT(js_heap_retained, retained_native_size));
}

typedef struct retained_columns {
    uint32_t values[TS_N_js_heap_retained][AT_ONCE];
} retained_columns;

/* Rows of nodes that have all but a previous one. False: one lacks it, or a number is too large. */
static bool usual_rows(retained_columns *c, const heap_rows *f, uint32_t first, unsigned n,
                       const int64_t *ids, int64_t first_constructor)
{
#define COLUMN(name) c->values[TS_C_js_heap_retained__##name][i]
    const hg *g = &f->g;
    int64_t all = g->d.file_id | (first_constructor + (int64_t)f->rows.n);
    bool usual = f->previous == NULL;
    for (unsigned i = 0; i < n && usual; i++) {
        const uint32_t v = first + i;
        const uint32_t flags = g->flags[v];
        const hg_step step = g->steps[v];
        const int64_t id = ids == NULL ? g->ids[v] : ids[i];
        const int64_t native = g->native == NULL ? 0 : hg_retained_native(g, v);
        all |= native | id | hg_size(&g->size, v) | hg_retained(g, v) | (int64_t)step.edge |
               (int64_t)step.retainer; /* nodes are less, and HG_NONE is not small */
        usual = v != g->root && (flags & HG_NO_ID) == 0;
        COLUMN(file_id) = (uint32_t)g->d.file_id;
        COLUMN(node_id) = (uint32_t)id;
        COLUMN(dominator) = g->held[v].dominator;
        COLUMN(retainer) = step.retainer;
        COLUMN(retaining_edge) = step.edge;
        COLUMN(distance) = step.distance;
        COLUMN(shallow_size) = (uint32_t)hg_size(&g->size, v);
        COLUMN(retained_size) = (uint32_t)hg_retained(g, v);
        COLUMN(detachedness) = hg_detachedness(flags);
        COLUMN(constructor_id) = (uint32_t)(first_constructor + g->class[v]);
        COLUMN(held_by) = flags >> HG_HELD_SHIFT & 7;
        COLUMN(tree_position) = g->spans[v].position;
        COLUMN(tree_count) = g->spans[v].count;
        COLUMN(retained_native_size) = (uint32_t)native;
    }
    return usual && is_small(all);
#undef COLUMN
}

static ts_code put_usual(heap_run *r, const retained_columns *c, bool native, unsigned n)
{
    const uint32_t *columns[TS_N_js_heap_retained];
    for (unsigned i = 0; i < TS_N_js_heap_retained; i++) {
        columns[i] = i == TS_C_js_heap_retained__previous ? NULL : c->values[i];
    }
    if (!native) {
        columns[TS_C_js_heap_retained__retained_native_size] = NULL;
    }
    return ts_sink_put_columns(r->sink, TS_T_js_heap_retained, columns, n);
}

/* Rows of the nodes from v on. Their ids: those of the file, or those that were read again because
 * they do not fit into 32 bits. */
static ts_code put_retained(heap_run *r, const heap_rows *f, uint32_t v, uint32_t end,
                            const int64_t *ids, int64_t first_constructor)
{
    retained_columns c;
    const hg *g = &f->g;
    ts_code code = TS_OK;
    for (const uint32_t first = v; v < end && code == TS_OK;) {
        const unsigned n = end - v < AT_ONCE ? end - v : AT_ONCE;
        const int64_t *of_these = ids == NULL ? NULL : ids + (v - first);
        if (usual_rows(&c, f, v, n, of_these, first_constructor)) {
            code = put_usual(r, &c, g->native != NULL, n);
            v += n;
            continue;
        }
        for (const uint32_t stop = v + n, from = v; v < stop && code == TS_OK; v++) {
            ts_row_js_heap_retained row;
            retained_row(&row, f, v, ids == NULL ? g->ids[v] : of_these[v - from],
                         first_constructor);
            code = ts_put_js_heap_retained(r->sink, &row);
        }
    }
    return code;
}

typedef struct ids_pass {
    heap_run *r;
    const heap_rows *f;
    int64_t first_constructor;
} ids_pass;

static ts_code put_with_ids(void *user, const hg_range *range)
{
    const ids_pass *p = user;
    uint32_t first = (uint32_t)range->at;
    return put_retained(p->r, p->f, first, first + range->n, range->b->columns[0].ints,
                        p->first_constructor);
}

ts_code hg_put_dominated(ts_sink *sink, const hg *g, enum ts_table_id table)
{
    uint32_t file_ids[AT_ONCE];
    const uint32_t *columns[] = {file_ids, NULL};
    ts_code code = TS_OK;
    for (unsigned i = 0; i < AT_ONCE; i++) {
        file_ids[i] = (uint32_t)g->d.file_id;
    }
    for (uint32_t p = 0; p < g->n && is_small(g->d.file_id) && code == TS_OK; p += AT_ONCE) {
        columns[TS_C_js_heap_dominated__node_index] = g->at_position + p;
        code = ts_sink_put_columns(sink, table, columns, g->n - p < AT_ONCE ? g->n - p : AT_ONCE);
    }
    for (uint32_t p = 0; p < g->n && !is_small(g->d.file_id) && code == TS_OK; p++) {
        const ts_row_js_heap_dominated row = {.file_id = g->d.file_id,
                                              .node_index = g->at_position[p]};
        code = ts_sink_put(sink, table, &row); /* the tables have the same columns */
    }
    return code;
}

static ts_code put_nodes(heap_run *r, heap_rows *f, int64_t first_constructor)
{
    static const unsigned columns[] = {TS_C_js_heap_nodes__id};
    hg *g = &f->g;
    ids_pass ids = {r, f, first_constructor};
    ts_code code = g->ids == NULL ? hg_each(g, TS_T_js_heap_nodes, columns, 1, g->d.first_node,
                                            g->n, put_with_ids, &ids)
                                  : put_retained(r, f, 0, g->n, NULL, first_constructor);
    TS_STEP(code, hg_put_dominated(r->sink, g, TS_T_js_heap_dominated));
    return code;
}

static ts_code put_duplicates(heap_run *r, heap_rows *f)
{
    const hg_group *groups = f->duplicates.groups.p;
    ts_buf text = {0};
    ts_code code = TS_OK;
    for (size_t i = 0; i < f->duplicates.groups.n && code == TS_OK; i++) {
        if (groups[i].count < 2) {
            continue;
        }
        text.n = 0;
        code = hg_string_text(&text, &f->g, groups[i].node);
        ts_row_js_heap_duplicate_string row = {
            .null = (uint64_t)groups[i].null << TS_C_js_heap_duplicate_string__length,
            .file_id = f->g.d.file_id,
            .node_index = groups[i].node,
            .string = ts_buf_text(&text),
            .count = groups[i].count,
            .shallow_size = groups[i].shallow,
            .retained_size = groups[i].retained,
            .truncated = groups[i].truncated,
            .length = groups[i].length,
            .hash = groups[i].hash,
        };
        TS_STEP(code, ts_put_js_heap_duplicate_string(r->sink, &row));
    }
    ts_buf_free(r->ctx, &text);
    return code;
}

static ts_code put_changes(heap_run *r, const heap_rows *f)
{
    const hg_change *changes = f->changes.p;
    const hg_key *keys = r->classes.keys.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < f->changes.n && code == TS_OK; i++) {
        const hg_key *key = &keys[changes[i].key];
        ts_row_js_heap_comparison row = {
            .file_id = f->g.d.file_id,
            .base_file_id = r->base.g.d.file_id,
            .name = ts_pool_text(&r->classes.texts, key->text),
            .script_id = key->place[0],
            .line = key->place[1],
            .column = key->place[2],
            .new_count = changes[i].new_count,
            .deleted_count = changes[i].deleted_count,
            .new_size = changes[i].new_size,
            .deleted_size = changes[i].deleted_size,
        };
        row.null = (uint64_t)(key->placed ? key->null : 7) << TS_C_js_heap_comparison__script_id;
        code = ts_put_js_heap_comparison(r->sink, &row);
    }
    return code;
}

static ts_code put_analysis(heap_run *r, const heap_rows *f, ts_row_js_heap_analysis *row)
{
    const hg *g = &f->g;
    row->file_id = g->d.file_id;
    row->root = g->root;
    row->constructor_count = (int64_t)f->rows.n;
    row->base_file_id = r->base.g.d.file_id;
    row->comparison_count = (int64_t)f->changes.n;
    row->user_roots = g->has_user_roots;
    row->unreached_count = (int64_t)g->unreached;
    row->orphan_count = (int64_t)g->orphans;
    row->total_size = g->totals.total;
    row->native_size = g->totals.native;
    row->typed_array_size = g->totals.typed_array;
    row->code_size = g->totals.code;
    row->string_size = g->totals.string;
    row->js_array_size = g->totals.js_array;
    row->system_size = g->totals.system;
    row->extra_native_size = g->totals.extra;
    row->null = (g->root == HG_NONE ? TS_NULL_BIT(js_heap_analysis, root) : 0) |
                (f->compared ? 0 : TS_NULL_BIT(js_heap_analysis, base_file_id));
    return ts_put_js_heap_analysis(r->sink, row);
}

ts_code hg_note_incomplete(ts_store *store, const hg *g)
{
    if (g->d.complete && g->missing_edges == 0 && g->missing_sizes == 0 && !g->saturated) {
        return TS_OK;
    }
    return ts_issue(store, g->d.source_id, TS_ISSUE_heap_analysis_incomplete, NULL, TS_NO_OFFSET,
                    "the snapshot was %sread whole; %" PRIu64 " edges do not count, %" PRIu64
                    " sizes are not known%s",
                    g->d.complete ? "" : "not ", g->missing_edges, g->missing_sizes,
                    g->saturated ? ", a sum exceeds 64 bits" : "");
}

static ts_code note_issues(heap_run *r, const heap_rows *f)
{
    ts_code code = TS_OK;
    if (f->bad_root) {
        code = ts_issue(r->store, f->g.d.source_id, TS_ISSUE_heap_analysis_root, NULL, TS_NO_OFFSET,
                        "root_index is not a node of the snapshot");
    }
    TS_STEP(code, hg_note_incomplete(r->store, &f->g));
    return code;
}

static ts_code put_rows(heap_run *r, heap_rows *f, int64_t input)
{
    ts_row_js_heap_analysis row = {
        .first_retained_rowid = hg_next_row(r->sink, TS_T_js_heap_retained),
        .first_dominated_rowid = hg_next_row(r->sink, TS_T_js_heap_dominated),
        .first_constructor_id = hg_next_row(r->sink, TS_T_js_heap_constructor),
        .first_comparison_rowid = hg_next_row(r->sink, TS_T_js_heap_comparison),
    };
    hg_base next = {0};
    TS_TRY(put_constructors(r, f));
    TS_TRY(put_nodes(r, f, row.first_constructor_id));
    TS_TRY(put_duplicates(r, f));
    TS_TRY(put_changes(r, f));
    TS_TRY(put_analysis(r, f, &row));
    TS_TRY(note_issues(r, f));
    TS_TRY(hg_base_keep(&next, &f->g, &f->rows, input));
    next.first_retained = row.first_retained_rowid;
    next.first_constructor = row.first_constructor_id;
    hg_base_free(&r->base);
    r->base = next;
    return TS_OK;
}

/* --- files ---------------------------------------------------------------------------------- */

static void rows_free(heap_rows *f)
{
    ts_ctx *ctx = f->g.ctx;
    ts_vec_free(ctx, &f->rows);
    ts_vec_free(ctx, &f->changes);
    hg_definitions_free(ctx, &f->definitions);
    hg_duplicates_free(ctx, &f->duplicates);
    hg_give(&f->g, f->previous);
    hg_free(&f->g);
}

static ts_code analyse_file(heap_run *r, const ts_heap_places *d)
{
    int64_t input = ts_source_root(r->store, d->source_id);
    heap_rows f = {.g = {.ctx = r->ctx,
                         .reader = r->reader,
                         .kept = hg_kept_of(r->sink),
                         .d = *d,
                         .root = HG_NONE}};
    ts_code code;
    code = find_out(r, &f, input);
    if (code == TS_OK) {
        code = put_rows(r, &f, input);
    } else if (code == TS_ERR_LIMIT) {
        code = ts_issue(r->store, d->source_id, TS_ISSUE_heap_analysis_skipped, NULL, TS_NO_OFFSET,
                        "%s", r->ctx->error.causes[0]);
    }
    rows_free(&f);
    return code;
}

static ts_code heap_analyse(ts_ctx *ctx, ts_reader *reader, ts_store *store)
{
    static const unsigned columns[] = {TS_C_source_property__source_id, TS_C_source_property__key,
                                       TS_C_source_property__value};
    const ts_rows_from from = {.ctx = ctx, .reader = reader};
    heap_run r = {.ctx = ctx, .reader = reader, .store = store, .sink = ts_store_sink(store)};
    ts_vec details = {0};
    const ts_heap_places *all;
    ts_walk rows = ts_walk_of(from, TS_T_source_property, columns, 3);
    ts_code code = TS_OK;
    r.classes.ctx = ctx;
    ts_alloc_trim();
    while (ts_walk_next(&code, &rows)) {
        code = read_property(&r, rows.b, rows.row);
    }
    TS_STEP(code, ts_heap_places_read(&details, &from));
    all = details.p;
    for (size_t i = 0; i < details.n && code == TS_OK; i++) {
        code = analyse_file(&r, &all[i]);
    }
    TS_STEP(code, hg_analyse_java(ctx, reader, store));
    hg_base_free(&r.base);
    hg_classes_free(&r.classes);
    ts_idmap_free(ctx, &r.roots);
    ts_idmap_free(ctx, &r.extras);
    ts_vec_free(ctx, &details);
    return code;
}

static const enum ts_table_id needs[] = {TS_T_js_heap_file_detail, TS_T_java_heap_file,
                                         TS_TABLE_COUNT};
static const enum ts_table_id writes[] = {
    TS_T_js_heap_analysis,         TS_T_js_heap_retained,   TS_T_js_heap_dominated,
    TS_T_js_heap_constructor,      TS_T_js_heap_comparison, TS_T_js_heap_duplicate_string,
    TS_T_java_heap_analysis,       TS_T_java_heap_retained, TS_T_java_heap_dominated,
    TS_T_java_heap_class_retained, TS_TABLE_COUNT};
static const ts_issue_code issues[] = {TS_ISSUE_heap_analysis_skipped,
                                       TS_ISSUE_heap_analysis_incomplete,
                                       TS_ISSUE_heap_analysis_root, TS_ISSUE_COUNT};

const ts_analysis ts_analysis_heap = {
    .name = "heap",
    .title = "dominators, retained sizes, distances, classes and changes of heaps",
    .cost = TS_ANALYSIS_ASKED,
    .needs = needs,
    .any = true,
    .writes = writes,
    .issues = issues,
    .run = heap_analyse,
    .watch = hg_keep_begin,
    .unwatch = hg_keep_end,
};

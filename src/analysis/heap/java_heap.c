/*
 * What keeps objects of Java alive, for each heap dump, by the rules of Eclipse MAT: dominators
 * over all references, those of soft, weak and phantom references too; distances and paths without
 * these. What the root does not reach has no dominator and retains nothing.
 *
 * The graph and its passes are those of the other heaps, without what these have of their own: no
 * strings and types of nodes, no user roots, no sizes that move. Memory is taken before the first
 * row of a dump is written: that of graph.h, and 48 bytes a class.
 */
#include "analysis/heap/classes.h"

#include "base/alloc.h"

#include "model/cells.h"
#include "tables/formats/hprof/hprof_numbers.h"
#include "tables/table_rows.h"

typedef struct java_file {
    hg g;
    ts_vec classes; /* hg_class: as in java_heap_class, then that of nodes without one */
    uint64_t size;  /* sum */
    uint64_t edges; /* of the nodes so far */
} java_file;

/* --- reading -------------------------------------------------------------------------------- */

enum { CLASS, SIZE, REFERENCES, NODE_COLUMNS };

static ts_code take_node(java_file *f, const ts_batch *b, unsigned i, uint32_t v)
{
    hg *g = &f->g;
    const int64_t class = ts_cell_or(b, CLASS, i, -1);
    const int64_t size = ts_cell_or(b, SIZE, i, 0);
    const int64_t more = ts_cell_or(b, REFERENCES, i, 0);
    const uint64_t left = (uint64_t)g->d.edge_count - f->edges;
    const bool known = class >= g->d.first_class && class - g->d.first_class < g->d.class_count;
    g->class[v] = (uint32_t)(known ? class - g->d.first_class : g->d.class_count);
    f->edges += more > 0 && (uint64_t)more < left ? (uint64_t)more : more > 0 ? left : 0;
    g->first[v + 1] = (uint32_t)f->edges;
    return hg_put_size(g, &f->size, v, size > 0 ? size : 0);
}

static ts_code take_nodes(void *user, const hg_range *r)
{
    java_file *f = user;
    ts_code code = TS_OK;
    for (unsigned i = 0; i < r->n && code == TS_OK; i++) {
        code = take_node(f, r->b, i, (uint32_t)r->at + i);
    }
    return code;
}

enum { TARGET, STRENGTH, EDGE_COLUMNS };

static ts_code take_edges(void *user, const hg_range *r)
{
    hg *g = user;
    const ts_batch_column *c = r->b->columns;
    for (unsigned i = 0; i < r->n; i++) {
        const uint64_t target = (uint64_t)c[TARGET].ints[i];
        const int64_t strength = c[STRENGTH].ints[i];
        const uint32_t kind =
            strength == TS_JAVA_STRONG || strength == TS_JAVA_FINAL ? HG_PLAIN : HG_LOOSE;
        if (c[TARGET].null[i] != 0 || target >= g->n) {
            g->edges[r->at + i] = HG_NOTHING;
            g->missing_edges++;
            continue;
        }
        g->edges[r->at + i] = kind << HG_TARGET_BITS | (uint32_t)target;
    }
    return TS_OK;
}

static ts_code arrays_of(hg *g)
{
    if (g->d.node_count < 0 || g->d.node_count > HG_MAX_NODES || g->d.edge_count < 0 ||
        g->d.edge_count >= HG_NONE || g->d.class_count < 0 || g->d.class_count >= HG_MAX_NODES) {
        return ts_fail(g->ctx, TS_ERR_LIMIT, "more than %d objects or %u references", HG_MAX_NODES,
                       HG_NONE - 1);
    }
    g->n = (uint32_t)g->d.node_count;
    g->root = g->n == 0 ? HG_NONE : 0;
    g->apart = true;
    TS_TRY(hg_arrays(g, g->n, (uint64_t)g->d.edge_count));
    const size_t n = (size_t)g->n + 1;
    TS_NEED(g->ctx, g->page = hg_bits(g));
    TS_NEED(g->ctx, g->first = hg_take(g, n, sizeof *g->first));
    TS_NEED(g->ctx, g->class = hg_take(g, n, sizeof *g->class));
    TS_NEED(g->ctx, g->flags = hg_take(g, n, sizeof *g->flags));
    memset(g->flags, 0, n * sizeof *g->flags);
    g->first[0] = 0;
    return hg_sizes_take(&g->size, g, false);
}

static ts_code read_graph(java_file *f)
{
    static const unsigned nodes[NODE_COLUMNS] = {TS_C_java_heap_object__class_id,
                                                 TS_C_java_heap_object__shallow_size,
                                                 TS_C_java_heap_object__reference_count};
    static const unsigned edges[EDGE_COLUMNS] = {TS_C_java_heap_reference__target,
                                                 TS_C_java_heap_reference__strength};
    hg *g = &f->g;
    TS_TRY(arrays_of(g));
    TS_TRY(hg_each(g, TS_T_java_heap_object, nodes, NODE_COLUMNS, g->d.first_node, g->n, take_nodes,
                   f));
    g->m = (uint32_t)f->edges;
    TS_NEED(g->ctx, g->edges = hg_take(g, g->m, sizeof *g->edges));
    return hg_each(g, TS_T_java_heap_reference, edges, EDGE_COLUMNS, g->d.first_edge, g->m,
                   take_edges, g);
}

static ts_code find_out(java_file *f)
{
    hg *g = &f->g;
    TS_TRY(read_graph(f));
    TS_TRY(hg_distances(g));
    TS_TRY(hg_dominators(g));
    TS_TRY(ts_vec_reach(g->ctx, &f->classes, g->d.class_count, sizeof(hg_class)));
    hg_class_sums(&f->classes, g);
    return TS_OK;
}

/* --- rows ----------------------------------------------------------------------------------- */

static ts_code put_classes(ts_sink *sink, const java_file *f)
{
    const hg_class *classes = f->classes.p;
    ts_code code = TS_OK;
    for (int64_t i = 0; i < f->g.d.class_count && code == TS_OK; i++) {
        const ts_row_java_heap_class_retained row = {.file_id = f->g.d.file_id,
                                                     .class_id = f->g.d.first_class + i,
                                                     .count = classes[i].count,
                                                     .shallow_size = classes[i].shallow,
                                                     .retained_size = classes[i].retained};
        code = ts_put_java_heap_class_retained(sink, &row);
    }
    return code;
}

static void retained_row(ts_row_java_heap_retained *row, const hg *g, uint32_t v)
{
    const hg_step step = g->steps[v];
    const hg_span span = g->spans[v];
    *row = (ts_row_java_heap_retained){.file_id = g->d.file_id,
                                       .dominator = g->held[v].dominator,
                                       .retainer = step.retainer,
                                       .retaining_reference = step.edge,
                                       .distance = step.distance,
                                       .shallow_size = hg_size(&g->size, v),
                                       .retained_size = hg_retained(g, v),
                                       .tree_position = span.position,
                                       .tree_count = span.count};
    row->null =
        (v != g->root && row->dominator != HG_NONE ? 0
                                                   : TS_NULL_BIT(java_heap_retained, dominator)) |
        (step.retainer != HG_NONE ? 0
                                  : TS_NULL_BIT(java_heap_retained, retainer) |
                                        TS_NULL_BIT(java_heap_retained, retaining_reference)) |
        (step.distance != HG_NONE ? 0 : TS_NULL_BIT(java_heap_retained, distance));
}

static ts_code put_nodes(ts_sink *sink, const hg *g)
{
    enum { AT_ONCE = 256 };
    ts_row_java_heap_retained rows[AT_ONCE];
    ts_code code = TS_OK;
    for (uint32_t v = 0; v < g->n && code == TS_OK;) {
        unsigned n = 0;
        while (n < AT_ONCE && v < g->n) {
            retained_row(&rows[n++], g, v++);
        }
        code = ts_sink_put_many(sink, TS_T_java_heap_retained, rows, sizeof rows[0], n);
    }
    return code;
}

static ts_code put_rows(ts_store *store, java_file *f)
{
    hg *g = &f->g;
    ts_sink *sink = ts_store_sink(store);
    ts_row_java_heap_analysis row = {
        .file_id = g->d.file_id,
        .first_retained_rowid = hg_next_row(sink, TS_T_java_heap_retained),
        .first_dominated_rowid = hg_next_row(sink, TS_T_java_heap_dominated),
        .first_class_rowid = hg_next_row(sink, TS_T_java_heap_class_retained),
        .reached_count = g->attached,
        .reached_size = g->n > 0 ? hg_retained(g, g->root) : 0,
        .unreached_count = g->n - g->attached,
        .pathless_count = (int64_t)g->unreached - (g->n - g->attached),
    };
    for (uint32_t p = g->attached; p < g->n; p++) {
        hg_add(g, &row.unreached_size, hg_size(&g->size, g->at_position[p]));
    }
    TS_TRY(put_classes(sink, f));
    TS_TRY(put_nodes(sink, g));
    TS_TRY(hg_put_dominated(sink, g, TS_T_java_heap_dominated));
    TS_TRY(ts_put_java_heap_analysis(sink, &row));
    return hg_note_incomplete(store, g);
}

/* --- dumps ---------------------------------------------------------------------------------- */

static ts_code analyse_file(ts_ctx *ctx, ts_reader *reader, ts_store *store,
                            const ts_heap_places *d)
{
    java_file f = {.g = {.ctx = ctx, .reader = reader, .d = *d, .root = HG_NONE}};
    ts_code code = find_out(&f);
    if (code == TS_OK) {
        code = put_rows(store, &f);
    } else if (code == TS_ERR_LIMIT) {
        code = ts_issue(store, d->source_id, TS_ISSUE_heap_analysis_skipped, NULL, TS_NO_OFFSET,
                        "%s", ctx->error.causes[0]);
    }
    ts_vec_free(ctx, &f.classes);
    hg_free(&f.g);
    return code;
}

ts_code hg_analyse_java(ts_ctx *ctx, ts_reader *reader, ts_store *store)
{
    const ts_rows_from from = {.ctx = ctx, .reader = reader};
    ts_vec dumps = {0};
    ts_code code = ts_java_places_read(&dumps, &from);
    for (size_t i = 0; i < dumps.n && code == TS_OK; i++) {
        code = analyse_file(ctx, reader, store, (const ts_heap_places *)dumps.p + i);
    }
    ts_vec_free(ctx, &dumps);
    return code;
}

/* What the analysis of heaps keeps of rows as they are put, and when it keeps nothing. */
#include "support.h"

#include "analysis/analysis.h"
#include "analysis/heap/kept_rows.h"
#include "tables/rows.h"

#define ALL (~UINT64_C(0))

typedef struct watched {
    ts_ctx *ctx;
    ts_sink sink;
} watched;

static int set_up(void **state)
{
    watched *w = calloc(1, sizeof *w);
    w->ctx = test_ctx_new();
    w->sink = ts_sink_null();
    assert_ok(w->ctx, ts_analysis_watch(w->ctx, &w->sink, ALL));
    assert_non_null(hg_kept_of(&w->sink));
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    watched *w = *state;
    ts_analysis_unwatch(&w->sink, ALL);
    assert_null(w->sink.watch);
    test_ctx_free(w->ctx); /* nothing is left */
    free(w);
    return 0;
}

static const ts_row_js_heap_nodes a_node = {.null = TS_NULL_BIT(js_heap_nodes, detachedness),
                                            .file_id = 7,
                                            .type = 3,
                                            .name = 50,
                                            .id = UINT32_MAX,
                                            .self_size = 16,
                                            .edge_count = 2};
static const ts_row_js_heap_edges an_edge = {
    .file_id = 7, .type = HG_KEPT_TYPES - 1, .name_or_index = HG_KEPT_NAME, .to_node = UINT32_MAX};

static void put_node(watched *w, ts_row_js_heap_nodes row)
{
    assert_ok(w->ctx, ts_put_js_heap_nodes(&w->sink, &row));
}

static void put_edge(watched *w, ts_row_js_heap_edges row)
{
    assert_ok(w->ctx, ts_put_js_heap_edges(&w->sink, &row));
}

static bool kept(const watched *w, enum hg_kept_table table, int64_t count)
{
    return hg_is_kept(hg_kept_of(&w->sink), table, 7, 1, count);
}

static void test_kept_rows(void **state)
{
    watched *w = *state;
    const hg_kept_rows *rows = hg_kept_of(&w->sink)->rows;
    ts_row_js_heap_nodes second = a_node;
    second.null = 0;
    second.detachedness = 2;
    second.id = 0;
    assert_false(kept(w, HG_KEPT_NODE_ROWS, 0));
    put_node(w, a_node);
    put_node(w, second);
    for (unsigned i = 0; i < 10000; i++) { /* more than there is room for at first */
        ts_row_js_heap_edges edge = an_edge;
        edge.to_node -= i;
        put_edge(w, edge);
    }
    assert_true(kept(w, HG_KEPT_NODE_ROWS, 2));
    assert_false(kept(w, HG_KEPT_NODE_ROWS, 1));
    assert_false(hg_is_kept(hg_kept_of(&w->sink), HG_KEPT_NODE_ROWS, 8, 1, 2));
    assert_false(hg_is_kept(hg_kept_of(&w->sink), HG_KEPT_NODE_ROWS, 7, 2, 2));
    assert_false(hg_is_kept(NULL, HG_KEPT_NODE_ROWS, 7, 1, 2));
    assert_int_equal(rows[HG_KEPT_NODE_ROWS].columns[HG_KEPT_NODE_ID][0], UINT32_MAX);
    assert_int_equal(rows[HG_KEPT_NODE_ROWS].columns[HG_KEPT_NODE_ID][1], 0);
    assert_int_equal(rows[HG_KEPT_NODE_ROWS].columns[HG_KEPT_NODE_NAME][1], 3U << 27 | 50);
    assert_int_equal(rows[HG_KEPT_NODE_ROWS].columns[HG_KEPT_NODE_SIZE][1], 16);
    assert_int_equal(rows[HG_KEPT_NODE_ROWS].columns[HG_KEPT_NODE_EDGES][0], 4U << 29 | 2);
    assert_int_equal(rows[HG_KEPT_NODE_ROWS].columns[HG_KEPT_NODE_EDGES][1], 2U << 29 | 2);
    assert_true(kept(w, HG_KEPT_EDGE_ROWS, 10000));
    assert_int_equal(rows[HG_KEPT_EDGE_ROWS].columns[HG_KEPT_TO][9999], UINT32_MAX - 9999);
    assert_int_equal(rows[HG_KEPT_EDGE_ROWS].columns[HG_KEPT_EDGE_NAME][9999], UINT32_MAX);
}

/* Rows of the next file leave those of the first alone. */
static void test_other_files(void **state)
{
    watched *w = *state;
    ts_row_js_heap_nodes other = a_node;
    other.file_id = 8;
    other.self_size = -1;
    put_node(w, a_node);
    put_node(w, other);
    assert_true(kept(w, HG_KEPT_NODE_ROWS, 1));
    assert_false(hg_is_kept(hg_kept_of(&w->sink), HG_KEPT_NODE_ROWS, 8, 2, 1));
}

/* What does not fit, or is not known, is read from the pages: nothing is kept of its table. */
static void test_misfits(void **state)
{
    watched *w = *state;
    enum { NODES = 9, EDGES = 6 };
    ts_row_js_heap_nodes nodes[NODES];
    ts_row_js_heap_edges edges[EDGES];
    for (unsigned i = 0; i < NODES; i++) {
        nodes[i] = a_node;
    }
    for (unsigned i = 0; i < EDGES; i++) {
        edges[i] = an_edge;
    }
    nodes[0].type = 32;
    nodes[1].name = 1 << 27;
    nodes[2].id = INT64_C(1) << 32;
    nodes[3].self_size = INT64_C(1) << 32;
    nodes[4].edge_count = 1 << 29;
    nodes[5].id = -1;
    nodes[6].null |= TS_NULL_BIT(js_heap_nodes, self_size);
    nodes[7].null |= TS_NULL_BIT(js_heap_nodes, edge_count);
    nodes[8].null |= TS_NULL_BIT(js_heap_nodes, name);
    edges[0].type = 32;
    edges[1].name_or_index = 1 << 27;
    edges[2].to_node = INT64_C(1) << 32;
    edges[3].to_node = -1;
    edges[4].null = TS_NULL_BIT(js_heap_edges, to_node);
    edges[5].null = TS_NULL_BIT(js_heap_edges, type);
    for (unsigned i = 0; i < NODES + EDGES; i++) {
        ts_analysis_unwatch(&w->sink, ALL);
        w->sink = ts_sink_null();
        assert_ok(w->ctx, ts_analysis_watch(w->ctx, &w->sink, ALL));
        put_node(w, a_node);
        put_edge(w, an_edge);
        if (i < NODES) {
            put_node(w, nodes[i]);
        } else {
            put_edge(w, edges[i - NODES]);
        }
        put_node(w, a_node);
        put_edge(w, an_edge);
        const hg_kept *k = hg_kept_of(&w->sink);
        assert_true(k->rows[HG_KEPT_NODE_ROWS].lost == (i < NODES));
        assert_true(k->rows[HG_KEPT_EDGE_ROWS].lost == (i >= NODES));
        assert_true(kept(w, HG_KEPT_NODE_ROWS, 2) == (i >= NODES));
        assert_true(kept(w, HG_KEPT_EDGE_ROWS, 2) == (i < NODES));
    }
}

/* Rows that come as columns: one value that does not fit, in whichever row, and nothing is kept. */
static void test_columns(void **state)
{
    watched *w = *state;
    enum { ROWS = 5 };
    static const struct {
        enum ts_table_id table;
        unsigned column;
        uint32_t most; /* that fits */
    } values[] = {
        {TS_T_js_heap_edges, TS_C_js_heap_edges__type, HG_KEPT_TYPES - 1},
        {TS_T_js_heap_edges, TS_C_js_heap_edges__name_or_index, HG_KEPT_NAME},
        {TS_T_js_heap_edges, TS_C_js_heap_edges__to_node, UINT32_MAX},
        {TS_T_js_heap_nodes, TS_C_js_heap_nodes__type, HG_KEPT_TYPES - 1},
        {TS_T_js_heap_nodes, TS_C_js_heap_nodes__name, HG_KEPT_NAME},
        {TS_T_js_heap_nodes, TS_C_js_heap_nodes__id, UINT32_MAX},
        {TS_T_js_heap_nodes, TS_C_js_heap_nodes__edge_count, HG_KEPT_EDGES},
    };
    for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
        for (unsigned at = 0; at <= ROWS; at++) { /* in that row; ROWS: in none */
            bool edges = values[v].table == TS_T_js_heap_edges;
            uint32_t cells[16][ROWS] = {{0}};
            const uint32_t *columns[16];
            for (unsigned c = 0; c < 16; c++) {
                columns[c] = cells[c];
            }
            for (unsigned i = 0; i < ROWS; i++) {
                cells[edges ? TS_C_js_heap_edges__file_id : TS_C_js_heap_nodes__file_id][i] = 7;
                cells[values[v].column][i] = values[v].most;
            }
            bool fits = at == ROWS || values[v].most == UINT32_MAX;
            if (!fits) {
                cells[values[v].column][at] = values[v].most + 1;
            }
            ts_analysis_unwatch(&w->sink, ALL);
            w->sink = ts_sink_null();
            assert_ok(w->ctx, ts_analysis_watch(w->ctx, &w->sink, ALL));
            assert_ok(w->ctx, w->sink.watch->seen_columns(w->sink.watch->self, values[v].table,
                                                          columns, ROWS));
            const hg_kept_rows *rows =
                &hg_kept_of(&w->sink)->rows[edges ? HG_KEPT_EDGE_ROWS : HG_KEPT_NODE_ROWS];
            assert_true(fits ? !rows->lost && rows->n == ROWS : rows->lost);
        }
    }
}

/* So are rows that change after they were put. */
static void test_changes(void **state)
{
    watched *w = *state;
    put_node(w, a_node);
    put_edge(w, an_edge);
    assert_ok(w->ctx, ts_sink_invalidate(&w->sink, TS_T_js_heap_edges, 1, 1,
                                         TS_NULL_BIT(js_heap_edges, to_node)));
    assert_false(kept(w, HG_KEPT_EDGE_ROWS, 1));
    assert_true(kept(w, HG_KEPT_NODE_ROWS, 1));
    assert_ok(w->ctx, ts_sink_move(&w->sink, TS_T_js_heap_nodes, 1, 1, 1, 5));
    assert_false(kept(w, HG_KEPT_NODE_ROWS, 1));
}

static void test_late_number(void **state)
{
    watched *w = *state;
    put_node(w, a_node);
    assert_ok(w->ctx,
              ts_sink_late_int(&w->sink, TS_T_js_heap_nodes, 1, TS_C_js_heap_nodes__self_size, 5));
    assert_false(kept(w, HG_KEPT_NODE_ROWS, 1));
}

/* --max-memory is for the import. */
static void test_limited(void **state)
{
    watched *w = *state;
    ts_sink sink = ts_sink_null();
    w->ctx->limits.max_memory = 1 << 30;
    assert_ok(w->ctx, ts_analysis_watch(w->ctx, &sink, ALL));
    assert_null(sink.watch);
    w->ctx->limits.max_memory = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kept_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_misfits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_changes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_late_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limited, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

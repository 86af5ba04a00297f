/* The reference's own unit tests, with the values that are right, and the worked example of the
 * documentation. */
#include "parsers_run.h"

static bytes read_data(const char *name)
{
    char path[512];
    bytes b = {0};
    char buf[4096];
    size_t n;
    snprintf(path, sizeof path, "%s/spec_g/%s", TS_TEST_DATA, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    while ((n = fread(buf, 1, sizeof buf, f)) > 0) {
        put(&b, buf, n);
    }
    fclose(f);
    return b;
}

/* The split of those tests: in the middle of the last node. No clocks: times stay as they are. */
static void import_vector(run *r, const char *name, int type)
{
    static const char cut[] = ",8,9,9949,40,";
    bytes text = read_data(name);
    bytes file = {0};
    const uint8_t *at = memmem(text.p, text.n, cut, strlen(cut));
    size_t first = at == NULL ? text.n / 2 : (size_t)(at - text.p) + strlen(cut);
    size_t header = put_header(&file, 0, 0, 0, 0);
    put_config(&file, 1734, type, false);
    if (type == 1) {
        put_mark(&file, 1, 10000);
    } else {
        put_message(&file,
                    "{\"method\":\"HeapProfiler.reportHeapSnapshotProgress\",\"params\":{\"done\":"
                    "1,\"total\":2}}",
                    10000);
    }
    put_chunk_n(&file, (const char *)text.p, first, 11000);
    put_chunk_n(&file, (const char *)text.p + first, text.n - first, 12000);
    put_mark(&file, type == 1 ? 2 : 1, 13000);
    close_header(&file, header);
    import_bytes(r, file);
    free(text.p);
}

/* node_count says 32837: nodes are missing, and where is not known. As far as the first chunk
 * reaches, places are certain. */
static void check_first_node(const run *r)
{
    assert_rows(r, js_heap_nodes, 3);
    assert_mem_row(r->sink, js_heap_nodes, 0, "0|0|9|25571|1|0|3575|0|0|NULL");
    assert_mem_row(r->sink, js_heap_nodes, 1, "0|1|1|3|3|432|52|0|0|NULL");
    assert_mem_row(r->sink, js_heap_nodes, 2, "0|NULL|8|9|9949|40|1|0|0|NULL");
    assert_cell(r, js_heap_files, 0, self_size, 472);
}

static void test_snapshot_nodes(void **state)
{
    run r;
    UNUSED(state);
    import_vector(&r, "nodes.json", 0);
    assert_rows(&r, js_heap_files, 1);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0 (incomplete)|11000|13000|472");
    check_first_node(&r);
    /* 14 + 6 types of nodes, 7 + 2 of edges, 3 counts. */
    assert_rows(&r, js_heap_info, 32);
    assert_mem_row(r.sink, js_heap_info, 0, "0|node_types|0|-1|hidden");
    assert_mem_row(r.sink, js_heap_info, 14, "0|node_types|1|-1|string");
    assert_mem_row(r.sink, js_heap_info, 20, "0|edge_types|0|-1|context");
    assert_mem_row(r.sink, js_heap_info, 27, "0|edge_types|1|-1|string_or_number");
    assert_mem_row(r.sink, js_heap_info, 29, "0|node_count|0|32837|");
    assert_int_equal(issue_sum(&r, "heap_count_mismatch"), 1);
    assert_mem_row(r.sink, js_config, 0, "1734|0|10|1|1|0|1000");
    assert_mem_row(r.sink, trace_range, 0, "11000|13000");
    run_free(&r);
}

static void check_edges(const run *r)
{
    static const int64_t owners[] = {1, 3, 3, 3};
    assert_rows(r, js_heap_edges, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_cell(r, js_heap_edges, i, edge_index, i);
        assert_cell(r, js_heap_edges, i, type, 5);
        assert_cell(r, js_heap_edges, i, name_or_index, 25572);
        assert_cell(r, js_heap_edges, i, to_node, 1);
        if (i < 4) { /* the third node stands behind the first chunk */
            assert_cell(r, js_heap_edges, i, from_node_id, owners[i]);
        } else {
            assert_null_cell(r, js_heap_edges, i, from_node_id);
        }
        assert_null_cell(r, js_heap_edges, i, to_node_id);
    }
    assert_int_equal(issue_sum(r, "heap_edge_bad_target"), 5);
}

static void test_snapshot_edges(void **state)
{
    run r;
    UNUSED(state);
    import_vector(&r, "edges.json", 0);
    check_edges(&r);
    run_free(&r);
}

static void test_timeline_nodes(void **state)
{
    run r;
    UNUSED(state);
    import_vector(&r, "nodes.json", 1);
    assert_rows(&r, js_heap_files, 1);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Timeline (incomplete)|10000|13000|472");
    check_first_node(&r);
    run_free(&r);
}

static void test_timeline_edges(void **state)
{
    run r;
    UNUSED(state);
    import_vector(&r, "edges.json", 1);
    check_edges(&r);
    run_free(&r);
}

static void test_timeline_samples(void **state)
{
    static const int64_t us[] = {0, 200631, 401040, 601899, 804764, 1006866, 1207797};
    run r;
    UNUSED(state);
    import_vector(&r, "samples.json", 1);
    assert_rows(&r, js_heap_sample, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_cell(&r, js_heap_sample, i, timestamp_us, us[i]);
        assert_cell(&r, js_heap_sample, i, last_assigned_id, 42570 + (int64_t)i);
    }
    run_free(&r);
}

static void test_timeline_strings(void **state)
{
    static const char *const texts[] = {"<dummy>", "", "GC roots", "TaggedDict[52]", "JSFunction"};
    run r;
    UNUSED(state);
    import_vector(&r, "strings.json", 1);
    assert_rows(&r, js_heap_string, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_cell(&r, js_heap_string, i, file_index, i);
        assert_mem_text(r.sink, js_heap_string, i, string, texts[i]);
    }
    run_free(&r);
}

static void test_timeline_function_info(void **state)
{
    run r;
    UNUSED(state);
    import_vector(&r, "functions.json", 1);
    assert_rows(&r, js_heap_trace_function_info, 1);
    assert_mem_row(r.sink, js_heap_trace_function_info, 0, "0|0|0|181|1601|0|0|0");
    run_free(&r);
}

static void test_timeline_trace_tree(void **state)
{
    static const int64_t parents[] = {-1, 1,  1,  3,  4,  5,  4, 4,  8,  9, 1,
                                      11, 12, 13, 14, 13, 16, 1, 18, 18, 20};
    run r;
    UNUSED(state);
    import_vector(&r, "tree.json", 1);
    assert_rows(&r, js_heap_trace_node, 21);
    for (size_t i = 0; i < 21; i++) {
        assert_cell(&r, js_heap_trace_node, i, id, i + 1);
        assert_cell(&r, js_heap_trace_node, i, parent_id, parents[i]);
    }
    assert_mem_row(r.sink, js_heap_trace_node, 0, "0|1|0|53|996|-1");
    assert_mem_row(r.sink, js_heap_trace_node, 1, "0|2|1|571|26580|1");
    assert_mem_row(r.sink, js_heap_trace_node, 2, "0|3|2|5|248|1");
    assert_mem_row(r.sink, js_heap_trace_node, 10, "0|11|10|10|348|1");
    run_free(&r);
}

static void test_documented_edges(void **state)
{
    static const int64_t owners[] = {1, 1, 1, 3, 3};
    run r;
    UNUSED(state);
    import_vector(&r, "seed_002.json", 0);
    assert_rows(&r, js_heap_edges, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_cell(&r, js_heap_edges, i, from_node_id, owners[i]);
    }
    run_free(&r);
}

/* The class of an object is its name, that of a text its type. */
static void test_classes(void **state)
{
    snap s = tiny_snap();
    run r;
    UNUSED(state);
    /* Types: hidden, object, string. */
    s.m[M_SNAPSHOT] = "\"snapshot\":{" META_ALL ",\"node_count\":6,\"edge_count\":4,"
                      "\"trace_function_count\":1}";
    s.m[M_NODES] = "\"nodes\":[0,1,1,4,2,0,0,1,2,3,24,2,1,0,2,3,5,16,0,2,2,"
                   "1,4,7,8,0,0,0,1,2,9,12,0,0,0,2,2,11,20,0,0,0]";
    import_snap(&r, &s);
    assert_rows(&r, js_heap_class, 4);
    assert_mem_row(r.sink, js_heap_class, 0, "0|0|NULL|1|4");
    assert_mem_row(r.sink, js_heap_class, 1, "0|1|2|2|36");
    assert_mem_row(r.sink, js_heap_class, 2, "0|2|NULL|2|36");
    assert_mem_row(r.sink, js_heap_class, 3, "0|1|4|1|8");
    run_free(&r);
}

static void import_profile(run *r, const char *key)
{
    bytes profile = read_data("profile.json");
    bytes message = {0};
    bytes file = {0};
    size_t header = put_header(&file, 0, 0, 0, 0);
    put_config(&file, 1734, -1, false);
    put_mark(&file, 3, 10000);
    putf(&message, "{\"id\":3,\"result\":{\"%s\":", key);
    put(&message, profile.p, profile.n);
    put_str(&message, "}}");
    put_message_n(&file, (const char *)message.p, message.n, 11000);
    close_header(&file, header);
    import_bytes(r, file);
    free(profile.p);
    free(message.p);
}

static void test_cpu_nodes(void **state)
{
    run r;
    int64_t name;
    UNUSED(state);
    import_profile(&r, "profile");
    assert_rows(&r, js_cpu_profiler_node, 4);
    for (size_t i = 0; i < 2; i++) {
        assert_mem_text(r.sink, js_cpu_profiler_node, i, script_id, "0");
        assert_cell(&r, js_cpu_profiler_node, i, url_index, 0);
        assert_cell(&r, js_cpu_profiler_node, i, line_number, -1);
        assert_cell(&r, js_cpu_profiler_node, i, column_number, -1);
        assert_cell(&r, js_cpu_profiler_node, i, hit_count, i == 0 ? 0 : 113097);
    }
    assert_mem_text(r.sink, js_cpu_profiler_node, 0, children, "2,3,4");
    assert_mem_text(r.sink, js_cpu_profiler_node, 1, children, "");
    assert_cell(&r, js_cpu_profiler_node, 0, parent_id, 0);
    assert_cell(&r, js_cpu_profiler_node, 3, parent_id, 1);
    assert_cell(&r, js_cpu_profiler_node, 3, line_number, 2922);
    assert_cell(&r, js_cpu_profiler_node, 3, column_number, 36);
    name = MEM_INT(r.sink, js_cpu_profiler_node, 3, function_index);
    assert_true(ts_text_is(dict_text(&r, name), "anonymous"));
    /* The viewer shows nothing when the configuration says 0. */
    assert_mem_row(r.sink, js_config, 0, "1734|-1|10|1|1|1|1000");
    assert_int_equal(issues(&r, "config_cpu_enabled"), 1);
    assert_cell(&r, js_cpu_profile, 0, started_ts, 10000);
    assert_cell(&r, js_cpu_profile, 0, reported_ts, 11000);
    run_free(&r);
}

static void test_cpu_samples(void **state)
{
    static const int64_t deltas[] = {99, 72, 215, 637, 96, 288, 36, 89, 94, 54, 26, 598, 784, 522};
    static const int64_t ids[] = {2, 3, 4, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4};
    static const int64_t runs[][2] = {{2, 72},  {3, 215}, {4, 637},
                                      {2, 509}, {3, 772}, {4, 20838610}};
    int64_t t = INT64_C(8013755173);
    run r;
    UNUSED(state);
    import_profile(&r, "profile");
    assert_rows(&r, stack_sample, 14);
    assert_cell(&r, stack_sample, 0, ts, INT64_C(8013755272000));
    for (size_t i = 0; i < 14; i++) {
        int64_t node = MEM_INT(r.sink, stack_sample, i, node_id);
        t += deltas[i];
        assert_cell(&r, stack_sample, i, ts, t * 1000);
        assert_cell(&r, stack_sample, i, dur,
                    1000 * (i == 13 ? INT64_C(8034596087) - t : deltas[i + 1]));
        assert_cell(&r, stack_node, (size_t)node - 1, raw_id, ids[i]);
    }
    assert_rows(&r, js_cpu_profiler_sample, 6);
    t = INT64_C(8013755272);
    for (size_t i = 0; i < 6; i++) {
        assert_cell(&r, js_cpu_profiler_sample, i, id, i);
        assert_cell(&r, js_cpu_profiler_sample, i, function_id, runs[i][0]);
        assert_cell(&r, js_cpu_profiler_sample, i, start_time, t * 1000);
        assert_cell(&r, js_cpu_profiler_sample, i, dur, runs[i][1] * 1000);
        t += runs[i][1];
        assert_cell(&r, js_cpu_profiler_sample, i, end_time, t * 1000);
    }
    run_free(&r);
}

static void test_cpu_no_profile(void **state)
{
    run r;
    UNUSED(state);
    import_profile(&r, "data");
    assert_rows(&r, js_cpu_profiler_node, 0);
    assert_rows(&r, js_cpu_profiler_sample, 0);
    assert_rows(&r, js_cpu_profile, 0);
    assert_mem_row(r.sink, js_config, 0, "1734|-1|10|1|1|0|1000");
    assert_int_equal(SKIPPED(&r, "messages"), 1);
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshot_nodes),
        cmocka_unit_test(test_snapshot_edges),
        cmocka_unit_test(test_timeline_nodes),
        cmocka_unit_test(test_timeline_edges),
        cmocka_unit_test(test_timeline_samples),
        cmocka_unit_test(test_timeline_strings),
        cmocka_unit_test(test_timeline_function_info),
        cmocka_unit_test(test_timeline_trace_tree),
        cmocka_unit_test(test_documented_edges),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_cpu_nodes),
        cmocka_unit_test(test_cpu_samples),
        cmocka_unit_test(test_cpu_no_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The reference's defects in ArkTS data, QB-1 to QB-32 of docs/differences.md, and what is right.
 */
#include "parsers_run.h"

/* A recording of these messages, with a configuration of this type. */
typedef struct rec {
    bytes b;
    size_t header;
} rec;

static rec new_rec(int64_t type)
{
    rec x = {0};
    x.header = begin_recording(&x.b);
    put_config(&x.b, 1734, type, type < 0);
    return x;
}

static void rec_import(run *r, rec *x)
{
    close_header(&x->b, x->header);
    import_bytes(r, x->b);
}

static void import_profile(run *r, const char *json)
{
    rec x = new_rec(-1);
    put_mark(&x.b, 3, AT(1000));
    put_profile(&x.b, json, AT(2000));
    rec_import(r, &x);
}

static void put_tiny(bytes *b, uint64_t ts)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    put_chunks(b, &text, 0, ts);
    free(text.p);
}

static void test_QB_1_profile_with_chunk_in_a_name(void **state)
{
    run r;
    UNUSED(state);
    import_profile(&r, TINY_PROFILE); /* its url is chunk.js */
    assert_rows(&r, js_cpu_profiler_node, 4);
    assert_rows(&r, js_heap_files, 0);
    run_free(&r);
}

static void test_QB_1_chunk_word_elsewhere(void **state)
{
    run r;
    rec x = new_rec(0);
    UNUSED(state);
    put_message(&x.b,
                "{\"method\":\"Log\",\"params\":{\"text\":\"chunk\",\"x\":{\"chunk\":\"{\"}}}",
                AT(1));
    put_message(&x.b, "{\"chunk\":\"{\"}", AT(2));
    put_message(&x.b, "{\"id\":7,\"result\":{\"chunk\":\"{\"}}", AT(3));
    rec_import(&r, &x);
    assert_rows(&r, js_heap_files, 0);
    assert_int_equal(SKIPPED(&r, "messages"), 3);
    run_free(&r);
}

static void test_QB_2_marks_without_heap_data(void **state)
{
    run r;
    rec x = new_rec(-1);
    UNUSED(state);
    put_mark(&x.b, 1, AT(1));
    put_mark(&x.b, 2, AT(2));
    rec_import(&r, &x);
    assert_rows(&r, js_heap_files, 0);
    run_free(&r);
}

static void test_QB_2_chunks_although_the_type_says_none(void **state)
{
    run r;
    rec x = new_rec(-1);
    UNUSED(state);
    put_tiny(&x.b, AT(11000));
    put_mark(&x.b, 1, AT(13000));
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0|11000|13000|40");
    assert_rows(&r, js_heap_nodes, 3);
    run_free(&r);
}

static void test_QB_3_empty_marks(void **state)
{
    run r;
    rec x = new_rec(0);
    UNUSED(state);
    put_mark(&x.b, 1, AT(1));
    put_mark(&x.b, 2, AT(2));
    put_tiny(&x.b, AT(11000));
    put_mark(&x.b, 1, AT(13000));
    put_mark(&x.b, 1, AT(14000));
    rec_import(&r, &x);
    assert_rows(&r, js_heap_files, 1);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0|11000|13000|40");
    assert_int_equal(issue_sum(&r, "empty_mark"), 3);
    run_free(&r);
}

static void test_QB_3_timeline_mark_in_snapshot_mode(void **state)
{
    run r;
    rec x = new_rec(0);
    UNUSED(state);
    put_tiny(&x.b, AT(11000));
    put_mark(&x.b, 2, AT(13000));
    rec_import(&r, &x);
    assert_rows(&r, js_heap_files, 1);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0|11000|13000|40");
    run_free(&r);
}

static void test_QB_4_marks_by_their_meaning(void **state)
{
    static const char *const marks[] = {"{\"id\":1,\"result\":{} }", "{\"id\":1,\"result\":{}}\n",
                                        " { \"result\" : { } , \"id\" : 1 }",
                                        "{\"id\":1.0,\"result\":{}}"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        run r;
        rec x = new_rec(0);
        put_tiny(&x.b, AT(11000));
        put_message(&x.b, marks[i], AT(13000));
        rec_import(&r, &x);
        assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0|11000|13000|40");
        run_free(&r);
    }
}

static void test_QB_4_no_marks(void **state)
{
    static const char *const others[] = {"{\"id\":1,\"result\":{\"x\":1}}",
                                         "{\"id\":1,\"result\":null}",
                                         "{\"id\":1}",
                                         "{\"id\":1,\"method\":\"x\",\"result\":{}}",
                                         "{\"id\":\"1\",\"result\":{}}",
                                         "{\"id\":1,\"result\":{},\"error\":{\"code\":1}}",
                                         "{\"id\":1.5,\"result\":{}}",
                                         "[{\"id\":1,\"result\":{}}]",
                                         "1",
                                         "{\"x\":{\"id\":1,\"result\":{}}}"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        run r;
        rec x = new_rec(0);
        put_tiny(&x.b, AT(11000));
        put_message(&x.b, others[i], AT(13000));
        rec_import(&r, &x);
        assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0 (incomplete)|11000|11000|40");
        assert_int_equal(issues(&r, "snapshot_no_end_mark"), 1);
        run_free(&r);
    }
}

static void test_QB_5_unfinished_at_the_end(void **state)
{
    run r;
    rec x = new_rec(0);
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    const uint8_t *edges = memmem(text.p, text.n, "\"edges\":[1,0,7\n,2,3", 19);
    UNUSED(state);
    assert_non_null(edges);
    put_chunk_n(&x.b, (const char *)text.p, (size_t)(edges - text.p) + 19, AT(11000));
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0 (incomplete)|11000|NULL|40");
    assert_rows(&r, js_heap_nodes, 3);
    assert_rows(&r, js_heap_edges, 1);
    assert_mem_row(r.sink, js_heap_edges, 0, "0|0|1|0|7|1|3");
    assert_rows(&r, js_heap_string, 0);
    assert_int_equal(issues(&r, "snapshot_incomplete"), 1);
    assert_cell(&r, js_heap_file_detail, 0, complete, 0);
    assert_cell(&r, source, 0, complete, 0);
    assert_cell(&r, source, 1, complete, 0);
    run_free(&r);
    free(text.p);
}

static void test_QB_6_start_is_the_first_chunk(void **state)
{
    run r;
    rec x = new_rec(0);
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    UNUSED(state);
    put_message(&x.b, "{\"method\":\"HeapProfiler.reportHeapSnapshotProgress\"}", AT(500));
    put_chunks(&x.b, &text, 50, AT(11000));
    put_mark(&x.b, 1, AT(13000));
    put_message(&x.b, "{\"method\":\"HeapProfiler.lastSeenObjectId\"}", AT(20000));
    put_chunks(&x.b, &text, 0, AT(21000));
    put_mark(&x.b, 1, AT(23000));
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0|11000|13000|40");
    assert_mem_row(r.sink, js_heap_files, 1, "1|Snapshot1|21000|23000|40");
    assert_mem_row(r.sink, trace_range, 0, "11000|23000");
    run_free(&r);
    free(text.p);
}

static void test_QB_7_profile_in_other_texts(void **state)
{
    run r;
    rec x = new_rec(-1);
    bytes m = {0};
    UNUSED(state);
    /* The word stands before the key, and white space after the message. */
    put_str(&m, "{\"note\":\"profile\",\"profile\":1,\"id\":3,\"result\":{\"x\":[\"profile\"],"
                "\"profile\":");
    put_str(&m, TINY_PROFILE "}} \n\n");
    put_message(&x.b, "{\"method\":\"profile\",\"params\":{\"profile\":{\"nodes\":[]}}}", AT(1));
    put_message_n(&x.b, (const char *)m.p, m.n, AT(2000));
    rec_import(&r, &x);
    assert_rows(&r, js_cpu_profile, 1);
    assert_rows(&r, js_cpu_profiler_node, 4);
    assert_rows(&r, stack_sample, 4);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
    free(m.p);
}

static void test_QB_8_several_timelines(void **state)
{
    run r;
    rec x = new_rec(1);
    snap s = tiny_timeline();
    bytes text = snap_text(&s);
    UNUSED(state);
    for (uint64_t i = 0; i < 2; i++) {
        put_mark(&x.b, 1, AT(5000 + i * 100000));
        put_chunks(&x.b, &text, 100, AT(11000 + i * 100000));
        put_mark(&x.b, 2, AT(13000 + i * 100000));
    }
    rec_import(&r, &x);
    assert_rows(&r, js_heap_files, 2);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Timeline|5000|13000|40");
    assert_mem_row(r.sink, js_heap_files, 1, "1|Timeline|105000|113000|40");
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
    free(text.p);
}

static void test_QB_9_no_file_is_touched(void **state)
{
    char dir[] = "/tmp/ts_test_XXXXXX";
    char name[128];
    char before[4096];
    snap s = tiny_snap();
    run r;
    UNUSED(state);
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(dir));
    assert_int_equal(chdir(dir), 0);
    snprintf(name, sizeof name, "%s/ts_tmp.jsmemory_snapshot_0.heapsnapshot", dir);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    close(fd);
    import_snap(&r, &s);
    run_free(&r);
    assert_int_equal(unlink(name), 0); /* still there, and alone */
    assert_int_equal(chdir(before), 0);
    assert_int_equal(rmdir(dir), 0);
}

static void test_QB_10_edges_of_later_snapshots(void **state)
{
    run r;
    rec x = new_rec(0);
    snap first = tiny_snap();
    snap second = tiny_snap();
    bytes a = snap_text(&first);
    UNUSED(state);
    second.m[M_SNAPSHOT] = "\"snapshot\":{" META_ALL ",\"node_count\":2,\"edge_count\":4,"
                           "\"trace_function_count\":1}";
    second.m[M_NODES] = "\"nodes\":[0,1,101,0,1,0,0,1,2,103,7,3,0,0]";
    second.m[M_EDGES] = "\"edges\":[1,0,7,1,0,0,1,0,7,1,0,0]";
    bytes b = snap_text(&second);
    put_snapshot(&x.b, &a, 0, AT(11000));
    put_snapshot(&x.b, &b, 0, AT(21000));
    put_snapshot(&x.b, &a, 0, AT(31000));
    rec_import(&r, &x);
    assert_rows(&r, js_heap_edges, 12);
    static const char *const rows[] = {
        "0|0|1|0|7|1|3",     "0|1|2|3|14|1|6",    "0|2|2|4|14|3|6",    "0|3|0|1|7|3|3",
        "1|0|1|0|7|101|103", "1|1|1|0|0|103|101", "1|2|1|0|7|103|103", "1|3|1|0|0|103|101",
        "2|0|1|0|7|1|3",     "2|1|2|3|14|1|6",    "2|2|2|4|14|3|6",    "2|3|0|1|7|3|3",
    };
    for (size_t i = 0; i < 12; i++) {
        assert_mem_row(r.sink, js_heap_edges, i, rows[i]);
    }
    assert_cell(&r, js_heap_file_detail, 1, first_node_rowid, 4);
    assert_cell(&r, js_heap_file_detail, 1, first_edge_rowid, 5);
    assert_cell(&r, js_heap_file_detail, 2, first_node_rowid, 6);
    assert_cell(&r, js_heap_file_detail, 2, first_edge_rowid, 9);
    assert_cell(&r, js_heap_files, 1, self_size, 7);
    run_free(&r);
    free(a.p);
    free(b.p);
}

static void test_QB_11_more_edges_than_edge_counts(void **state)
{
    run r;
    snap s = tiny_snap();
    UNUSED(state);
    s.m[M_NODES] = "\"nodes\":[0,1,1,0,1,0,0,1,2,3,24,1,1,0,2,3,6,16,0,2,2]";
    import_snap(&r, &s);
    /* One of the nodes has a wrong count, and nobody knows which. */
    assert_mem_row(r.sink, js_heap_nodes, 0, "0|0|0|1|1|0|NULL|0|0|NULL");
    assert_mem_row(r.sink, js_heap_edges, 0, "0|0|1|0|7|NULL|3");
    assert_mem_row(r.sink, js_heap_edges, 1, "0|1|2|3|14|NULL|6");
    assert_mem_row(r.sink, js_heap_edges, 2, "0|2|2|4|14|NULL|6");
    assert_mem_row(r.sink, js_heap_edges, 3, "0|3|0|1|7|NULL|3");
    assert_int_equal(issue_sum(&r, "heap_edge_no_owner"), 2);
    assert_int_equal(issue_sum(&r, "heap_place_unknown"), 7);
    assert_int_equal(issues(&r, "heap_edge_count_mismatch"), 1);
    run_free(&r);
}

static void test_QB_11_to_node_out_of_range(void **state)
{
    run r;
    snap s = tiny_snap();
    UNUSED(state);
    s.m[M_EDGES] = "\"edges\":[1,0,21,2,3,-7,2,4,9223372036854775807,0,1,4294967295]";
    import_snap(&r, &s);
    assert_mem_row(r.sink, js_heap_edges, 0, "0|0|1|0|21|1|NULL");
    assert_mem_row(r.sink, js_heap_edges, 1, "0|1|2|3|-7|1|NULL");
    assert_mem_row(r.sink, js_heap_edges, 2, "0|2|2|4|9223372036854775807|3|NULL");
    assert_mem_row(r.sink, js_heap_edges, 3, "0|3|0|1|4294967295|3|NULL");
    assert_int_equal(issue_sum(&r, "heap_edge_bad_target"), 4);
    run_free(&r);
}

static void test_QB_11_huge_edge_counts(void **state)
{
    static const char *const nodes[] = {
        "\"nodes\":[0,1,1,0,4294967295,0,0,1,2,3,24,2,1,0,2,3,6,16,0,2,2]",
        "\"nodes\":[0,1,1,0,9223372036854775807,0,0,1,2,3,24,9223372036854775807,1,0,2,3,6,16,"
        "9223372036854775807,2,2]"};
    UNUSED(state);
    for (size_t k = 0; k < 2; k++) {
        run r;
        snap s = tiny_snap();
        s.m[M_NODES] = nodes[k];
        import_snap(&r, &s);
        assert_rows(&r, js_heap_edges, 4);
        for (size_t i = 0; i < 4; i++) { /* the first node claims them all, which cannot be */
            assert_null_cell(&r, js_heap_edges, i, from_node_id);
        }
        assert_int_equal(issues(&r, "heap_edge_count_mismatch"), 1);
        assert_in_range(r.ctx->memory_peak, 0, 2 << 20);
        run_free(&r);
    }
}

static void test_QB_11_negative_edge_count(void **state)
{
    run r;
    snap s = tiny_snap();
    UNUSED(state);
    s.m[M_NODES] = "\"nodes\":[0,1,1,0,1,0,0,1,2,3,24,-1,1,0,2,3,6,16,3,2,2]";
    import_snap(&r, &s);
    assert_cell(&r, js_heap_nodes, 1, edge_count, -1);
    assert_cell(&r, js_heap_edges, 0, from_node_id, 1);
    for (size_t i = 1; i < 4; i++) {
        assert_null_cell(&r, js_heap_edges, i, from_node_id);
    }
    assert_int_equal(issues(&r, "heap_bad_edge_count"), 1);
    run_free(&r);
}

static void test_QB_12_to_node_between_nodes(void **state)
{
    run r;
    snap s = tiny_snap();
    UNUSED(state);
    s.m[M_EDGES] = "\"edges\":[1,0,1,2,3,14,2,4,15,0,1,7]";
    import_snap(&r, &s);
    assert_mem_row(r.sink, js_heap_edges, 0, "0|0|1|0|1|1|NULL");
    assert_mem_row(r.sink, js_heap_edges, 1, "0|1|2|3|14|1|6");
    assert_mem_row(r.sink, js_heap_edges, 2, "0|2|2|4|15|3|NULL");
    assert_int_equal(issue_sum(&r, "heap_edge_bad_target"), 2);
    run_free(&r);
}

static void test_QB_13_fields_by_name(void **state)
{
    run r;
    snap s = tiny_snap();
    UNUSED(state);
    s.m[M_SNAPSHOT] =
        "\"snapshot\":{\"meta\":{\"node_fields\":[\"id\",\"native_size\",\"edge_count\","
        "\"name\",\"self_size\",\"type\"],\"edge_fields\":[\"to_node\",\"type\"]," META_REST
        "},\"node_count\":2,\"edge_count\":1}";
    s.m[M_NODES] = "\"nodes\":[1,77,1,1,8,0,\n3,78,0,2,24,1]";
    s.m[M_EDGES] = "\"edges\":[6,2]";
    import_snap(&r, &s);
    assert_mem_row(r.sink, js_heap_nodes, 0, "0|0|0|1|1|8|1|NULL|NULL|77");
    assert_mem_row(r.sink, js_heap_nodes, 1, "0|1|1|2|3|24|0|NULL|NULL|78");
    assert_mem_row(r.sink, js_heap_edges, 0, "0|0|2|NULL|6|1|3");
    assert_int_equal(issue_sum(&r, "heap_field_missing"), 2); /* and trace_function_count */
    assert_int_equal(issues(&r, "heap_field_extra"), 0);
    run_free(&r);
}

static void test_QB_13_no_fields(void **state)
{
    static const char *const snapshots[] = {
        "\"snapshot\":{\"meta\":{\"node_fields\":[],\"edge_fields\":[]},\"node_count\":3,"
        "\"edge_count\":4,\"trace_function_count\":1}",
        "\"snapshot\":{\"meta\":{},\"node_count\":3,\"edge_count\":4,\"trace_function_count\":1}",
        "\"snapshot\":{}", "\"snapshot\":{\"meta\":null}", NULL};
    UNUSED(state);
    for (size_t i = 0; i < sizeof snapshots / sizeof snapshots[0]; i++) {
        run r;
        snap s = tiny_snap();
        s.m[M_SNAPSHOT] = snapshots[i];
        import_snap(&r, &s);
        assert_rows(&r, js_heap_nodes, 3);
        assert_mem_row(r.sink, js_heap_nodes, 1, "0|1|1|2|3|24|2|1|0|NULL");
        assert_mem_row(r.sink, js_heap_edges, 1, "0|1|2|3|14|1|6");
        assert_rows(&r, js_heap_trace_node, 3);
        assert_true(issues(&r, "heap_missing_meta") >= 1);
        run_free(&r);
    }
}

static void test_QB_14_64_bit(void **state)
{
    run r;
    snap s = tiny_snap();
    UNUSED(state);
    s.m[M_NODES] = "\"nodes\":[0,1,4294967299,5000000000,2,0,0,1,2,9007199254740993,-5,2,1,0,"
                   "2,3,6,6000000000,0,2,2]";
    import_snap(&r, &s);
    assert_cell(&r, js_heap_nodes, 0, id, INT64_C(4294967299));
    assert_cell(&r, js_heap_nodes, 0, self_size, INT64_C(5000000000));
    assert_cell(&r, js_heap_nodes, 1, id, INT64_C(9007199254740993));
    assert_cell(&r, js_heap_nodes, 1, self_size, -5);
    assert_cell(&r, js_heap_files, 0, self_size, INT64_C(10999999995));
    assert_cell(&r, js_heap_edges, 0, from_node_id, INT64_C(4294967299));
    assert_cell(&r, js_heap_edges, 0, to_node_id, INT64_C(9007199254740993));
    run_free(&r);
}

/* As V8 15.6 (Chrome 156) writes a snapshot: node_fields without trace_node_id, locations with
 * script_object_index, three members more. */
#define NODES_156                                                                                  \
    "\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\",\"detachedness\"],"    \
    "\"node_types\":[[\"hidden\",\"object\",\"string\"],\"string\",\"number\",\"number\","         \
    "\"number\"]"

static void newer_snap(snap *s, const char *functions)
{
    static char snapshot[2048];
    *s = tiny_snap();
    snprintf(snapshot, sizeof snapshot,
             "\"snapshot\":{\"meta\":{" NODES_156 "," META_EDGES
             ",\"location_fields\":[\"object_index\",\"script_id\",\"script_object_index\","
             "\"line\",\"column\"],\"scope_fields\":[\"script_node_index\",\"scope_id\"],"
             "\"scope_context_var_fields\":[\"name\"],"
             "\"scope_use_fields\":[\"declaring_scope_id\",\"slot_index\"]},"
             "\"node_count\":2,\"edge_count\":1,\"trace_function_count\":%s,"
             "\"extra_native_bytes\":0}",
             functions);
    s->m[M_SNAPSHOT] = snapshot;
    s->m[M_NODES] = "\"nodes\":[0,1,1,0,1,0,\n1,2,3,24,0,2]";
    s->m[M_EDGES] = "\"edges\":[2,1,6]";
    s->m[M_SAMPLES] = s->m[M_TREE] = s->m[M_FUNCTIONS] = NULL;
    s->m[M_LOCATIONS] = "\"locations\":[6,9,0,4,5],\"scopes\":[0,-2,0,1],"
                        "\"scope_context_vars\":[1],\"scope_uses\":[-2,1]";
}

static void test_fields_of_newer_versions(void **state)
{
    run r;
    snap s;
    UNUSED(state);
    newer_snap(&s, "0");
    import_snap(&r, &s);
    assert_mem_row(r.sink, js_heap_nodes, 1, "0|1|1|2|3|24|0|NULL|2|NULL");
    assert_mem_row(r.sink, js_heap_location, 0, "0|6|9|4|5");
    assert_rows(&r, import_issue, 0);
    /* What was left out is counted. */
    assert_int_equal(SKIPPED(&r, "extra_fields:script_object_index"), 1);
    assert_int_equal(SKIPPED(&r, "extra_members:scopes"), 1);
    assert_int_equal(SKIPPED(&r, "extra_members:scope_context_vars"), 1);
    assert_int_equal(SKIPPED(&r, "extra_members:scope_uses"), 1);
    run_free(&r);
}

/* Allocations were tracked: then nodes have the field. */
static void test_trace_nodes_without_their_field(void **state)
{
    run r;
    snap s;
    UNUSED(state);
    newer_snap(&s, "3");
    import_snap(&r, &s);
    assert_int_equal(issue_sum(&r, "heap_field_missing"), 1);
    run_free(&r);
}

/* A damaged name is neither a field that is left out nor one that is known. */
static void test_damaged_name_of_a_field(void **state)
{
    run r;
    snap s;
    char *at;
    UNUSED(state);
    newer_snap(&s, "0");
    at = strstr(s.m[M_SNAPSHOT], "detachedness");
    assert_non_null(at);
    *at = 'D';
    import_snap(&r, &s);
    assert_int_equal(issue_sum(&r, "heap_field_missing"), 2);
    assert_int_equal(issues(&r, "heap_field_extra"), 1);
    run_free(&r);
}

static void test_QB_15_optional_arrays(void **state)
{
    run r;
    snap s = tiny_snap();
    UNUSED(state);
    s.m[M_LOCATIONS] = s.m[M_SAMPLES] = s.m[M_TREE] = s.m[M_FUNCTIONS] = NULL;
    s.m[M_SNAPSHOT] = "\"snapshot\":{" META_ALL ",\"node_count\":3,\"edge_count\":4,"
                      "\"trace_function_count\":0}";
    import_snap(&r, &s);
    assert_rows(&r, js_heap_nodes, 3);
    assert_rows(&r, js_heap_edges, 4);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
}

static void test_QB_16_deep_trace_tree(void **state)
{
    enum { DEPTH = 100000 };
    bytes text = {0};
    run r;
    UNUSED(state);
    put_str(&text, "{\"snapshot\":{" META_ALL "},\"trace_tree\":");
    for (int i = 0; i < DEPTH; i++) {
        putf(&text, "[%d,0,1,1,", i + 1);
    }
    put_str(&text, "[]");
    for (int i = 0; i < DEPTH; i++) {
        put_str(&text, "]");
    }
    put_str(&text, "}");
    import_bytes(&r, text);
    assert_rows(&r, js_heap_trace_node, DEPTH);
    for (size_t i = 0; i < DEPTH; i++) {
        assert_cell(&r, js_heap_trace_node, i, id, i + 1);
        assert_cell(&r, js_heap_trace_node, i, parent_id, i == 0 ? -1 : (int64_t)i);
    }
    run_free(&r);
}

static void test_QB_18_texts_that_are_none(void **state)
{
    run r;
    snap s = tiny_snap();
    UNUSED(state);
    s.m[M_STRINGS] = "\"strings\":[\"a\\u0000b\",\"\\ud83d\",\"x\\ude00y\",\"\\ud83d\\ude00\","
                     "\"\xff\xfe\",\"\xc3\",\"\xed\xa0\xbd\xed\xb8\x80\",\"\xe2\x82\",\"ok\"]";
    import_snap(&r, &s);
    assert_rows(&r, js_heap_string, 9);
    ts_text t = MEM_TEXT(r.sink, js_heap_string, 0, string);
    assert_int_equal(t.n, 3);
    assert_memory_equal(t.p, "a\0b", 3);
    assert_mem_text(r.sink, js_heap_string, 1, string, "\xef\xbf\xbd");
    assert_mem_text(r.sink, js_heap_string, 2, string, "x\xef\xbf\xbdy");
    assert_mem_text(r.sink, js_heap_string, 3, string, "\xf0\x9f\x98\x80");
    assert_mem_text(r.sink, js_heap_string, 4, string, "\xef\xbf\xbd\xef\xbf\xbd");
    assert_mem_text(r.sink, js_heap_string, 5, string, "\xef\xbf\xbd");
    assert_mem_text(r.sink, js_heap_string, 6, string, "\xf0\x9f\x98\x80");
    assert_mem_text(r.sink, js_heap_string, 7, string, "\xef\xbf\xbd");
    assert_mem_text(r.sink, js_heap_string, 8, string, "ok");
    assert_int_equal(issue_sum(&r, "heap_bad_string"), 6);
    run_free(&r);
}

static void test_QB_19_declared_counts(void **state)
{
    static const struct {
        const char *snapshot;
        const char *value; /* the cell of node_count */
        int mismatches;
        int more; /* than declared, and nothing contradicts */
    } cases[] = {
        {"\"node_count\":3,\"edge_count\":4,\"trace_function_count\":1", "3", 0, 0},
        {"\"node_count\":4,\"edge_count\":3,\"trace_function_count\":0", "4", 1, 2},
        {"\"node_count\":0,\"edge_count\":4,\"trace_function_count\":1", "0", 0, 1},
        {"\"node_count\":-1,\"edge_count\":4,\"trace_function_count\":1", "-1", 1, 0},
        {"\"node_count\":9223372036854775807,\"edge_count\":4,\"trace_function_count\":1",
         "9223372036854775807", 1, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        char text[2048];
        char row[64];
        snap s = tiny_snap();
        snprintf(text, sizeof text, "\"snapshot\":{%s,%s}", META_ALL, cases[i].snapshot);
        s.m[M_SNAPSHOT] = text;
        import_snap(&r, &s);
        snprintf(row, sizeof row, "0|node_count|0|%s|", cases[i].value);
        assert_mem_row(r.sink, js_heap_info, MEM_ROWS(r.sink, js_heap_info) - 3, row);
        assert_int_equal(issue_sum(&r, "heap_count_mismatch"), cases[i].mismatches);
        assert_int_equal(issue_sum(&r, "heap_count_exceeded"), cases[i].more);
        assert_rows(&r, js_heap_nodes, 3);
        run_free(&r);
    }
}

static void test_QB_19_counts_that_are_no_integers(void **state)
{
    static const char *const values[] = {"1.5", "\"3\"", "null", "1e30", "18446744073709551616",
                                         "[3]"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        run r;
        char text[2048];
        snap s = tiny_snap();
        snprintf(text, sizeof text,
                 "\"snapshot\":{%s,\"node_count\":%s,\"edge_count\":4,"
                 "\"trace_function_count\":1}",
                 META_ALL, values[i]);
        s.m[M_SNAPSHOT] = text;
        import_snap(&r, &s);
        assert_mem_row(r.sink, js_heap_info, MEM_ROWS(r.sink, js_heap_info) - 3,
                       "0|node_count|0|NULL|");
        assert_true(issues(&r, "heap_bad_number") == 1);
        run_free(&r);
    }
}

static void test_QB_20_negative_places(void **state)
{
    run r;
    snap s = tiny_snap();
    UNUSED(state);
    s.m[M_LOCATIONS] = "\"locations\":[7,-1,-1,-1,9999,1,2,3]";
    import_snap(&r, &s);
    assert_mem_row(r.sink, js_heap_location, 0, "0|7|-1|-1|-1");
    assert_mem_row(r.sink, js_heap_location, 1, "0|9999|1|2|3"); /* no such node: kept as it is */
    assert_mem_row(r.sink, js_heap_trace_function_info, 0, "0|0|0|1|1|0|-1|-1");
    run_free(&r);
}

static void test_QB_21_first_delta_counts(void **state)
{
    run r;
    UNUSED(state);
    import_profile(&r, TINY_PROFILE);
    /* 1000 us + 100, and from the monotonic clock to boottime: - 10 s. */
    assert_cell(&r, stack_sample, 0, ts, INT64_C(1100000) - INT64_C(10000000000));
    assert_rows(&r, js_cpu_profiler_sample, 3);
    assert_cell(&r, js_cpu_profiler_sample, 0, dur, 100000);
    assert_cell(&r, js_cpu_profiler_sample, 0, function_id, 2);
    assert_cell(&r, js_cpu_profiler_sample, 1, dur, 100000);
    assert_cell(&r, js_cpu_profiler_sample, 1, function_id, 4);
    run_free(&r);
}

static void test_QB_22_last_sample_lasts_to_the_end(void **state)
{
    run r;
    UNUSED(state);
    import_profile(&r, TINY_PROFILE);
    assert_cell(&r, stack_sample, 3, dur, 300000);
    assert_cell(&r, js_cpu_profiler_sample, 2, dur, 300000);
    assert_cell(&r, js_cpu_profiler_sample, 2, end_time, INT64_C(1600000) - INT64_C(10000000000));
    run_free(&r);
    import_profile(
        &r, "{\"nodes\":[" CPU_NODE(1, "(root)", 0, "") "],\"startTime\":0,\"endTime\":50,"
                                                        "\"samples\":[1],\"timeDeltas\":[100]}");
    /* An end before the sample contradicts it: how long it lasts is not known. */
    assert_null_cell(&r, stack_sample, 0, dur);
    assert_null_cell(&r, js_cpu_profiler_sample, 0, dur);
    assert_int_equal(issues(&r, "profile_end_before_start"), 1);
    run_free(&r);
}

static void test_QB_23_negative_deltas(void **state)
{
    static const int64_t us[] = {1100, 1150, 1150, 1180, 1200};
    static const int64_t ids[] = {2, 4, 3, 1, 4};
    run r;
    UNUSED(state);
    /* Times 1100, 1200, 1150, 1150, 1180: stable, so 4 before 3. */
    import_profile(
        &r, "{\"nodes\":[" CPU_NODE(1, "(root)", 0, ",\"children\":[2,3,4]") "," CPU_NODE(
                2, "a", 0,
                "") "," CPU_NODE(3, "b", 0,
                                 "") "," CPU_NODE(4, "c", 0,
                                                  "") "],\"startTime\":1000,\"endTime\":1600,"
                                                      "\"samples\":[2,4,4,3,1],\"timeDeltas\":[100,"
                                                      "100,-50,0,30]}");
    assert_rows(&r, stack_sample, 5);
    for (size_t i = 0; i < 5; i++) {
        int64_t node = MEM_INT(r.sink, stack_sample, i, node_id);
        assert_cell(&r, stack_sample, i, ts, us[i] * 1000 - INT64_C(10000000000));
        assert_true(MEM_INT(r.sink, stack_sample, i, dur) >= 0);
        assert_cell(&r, stack_node, (size_t)node - 1, raw_id, ids[i]);
    }
    assert_cell(&r, stack_sample, 4, dur, 400000);
    assert_int_equal(issues(&r, "cpu_negative_delta"), 1);
    run_free(&r);
}

static void test_QB_24_no_samples(void **state)
{
    run r;
    UNUSED(state);
    import_profile(&r,
                   "{\"nodes\":[" CPU_NODE(1, "(root)", 0, "") "],\"startTime\":0,\"endTime\":50,"
                                                               "\"samples\":[],\"timeDeltas\":[]}");
    assert_rows(&r, js_cpu_profiler_sample, 0);
    assert_rows(&r, stack_sample, 0);
    assert_rows(&r, js_cpu_profile, 1);
    assert_null_cell(&r, js_cpu_profile, 0, first_sample_id);
    run_free(&r);
}

static void test_QB_25_id_like_the_sentinel(void **state)
{
    run r;
    UNUSED(state);
    import_profile(
        &r, "{\"nodes\":[" CPU_NODE(1, "(root)", 0, ",\"children\":[4294967295]") "," CPU_NODE(
                4294967295, "a", 0,
                "") "],\"startTime\":0,\"endTime\":50,"
                    "\"samples\":[4294967295,4294967295,1],\"timeDeltas\":[1,2,3]}");
    assert_rows(&r, js_cpu_profiler_sample, 2);
    assert_cell(&r, js_cpu_profiler_sample, 0, function_id, INT64_C(4294967295));
    assert_cell(&r, js_cpu_profiler_sample, 0, dur, 5000);
    assert_cell(&r, js_cpu_profiler_node, 1, parent_id, 1);
    run_free(&r);
}

static void test_QB_26_parents_first(void **state)
{
    static const int64_t ids[] = {1, 3, 4, 2};
    static const int64_t parents[] = {0, 1, 1, 4};
    run r;
    UNUSED(state);
    import_profile(
        &r,
        "{\"nodes\":[" CPU_NODE(2, "a", 0, "") "," CPU_NODE(
            1, "(root)", 0,
            ",\"children\":[4,3]") "," CPU_NODE(3, "b", 0,
                                                "") "," CPU_NODE(4, "c", 0,
                                                                 ",\"children\":[2]") "],"
                                                                                      "\"startTime"
                                                                                      "\":0,"
                                                                                      "\"endTime\":"
                                                                                      "9,"
                                                                                      "\"samples\":"
                                                                                      "[2],"
                                                                                      "\"timeDeltas"
                                                                                      "\":[1]}");
    for (size_t i = 0; i < 4; i++) {
        assert_cell(&r, js_cpu_profiler_node, i, function_id, ids[i]);
        assert_cell(&r, js_cpu_profiler_node, i, parent_id, parents[i]);
        assert_cell(&r, stack_node, i, depth, i == 0 ? 0 : i == 3 ? 2 : 1);
    }
    assert_int_equal(issues(&r, "cpu_nodes_reordered"), 1);
    run_free(&r);
}

static void test_QB_27_two_profiles(void **state)
{
    run r;
    rec x = new_rec(-1);
    UNUSED(state);
    for (uint64_t i = 0; i < 3; i++) {
        put_mark(&x.b, 3, AT(1000 + 100 * i));
        put_profile(&x.b, TINY_PROFILE, AT(2000 + 100 * i));
    }
    rec_import(&r, &x);
    assert_rows(&r, js_cpu_profile, 3);
    assert_rows(&r, js_cpu_profiler_node, 4 + 3 + 3); /* one root */
    assert_rows(&r, stack_node, 12);
    assert_cell(&r, js_cpu_profiler_node, 0, function_id, 1);
    assert_cell(&r, js_cpu_profiler_node, 0, parent_id, 0);
    assert_mem_text(r.sink, js_cpu_profiler_node, 0, children, "2,3,6,7,10,11");
    for (size_t p = 0; p < 3; p++) {
        int64_t offset = MEM_INT(r.sink, js_cpu_profile, p, id_offset);
        assert_int_equal(offset, 4 * p);
        for (size_t i = 1; i < 4; i++) {
            assert_cell(&r, js_cpu_profiler_node, 3 * p + i, function_id, (int64_t)i + 1 + offset);
        }
        assert_cell(&r, js_cpu_profiler_node, 3 * p + 1, parent_id, 1);
        assert_cell(&r, js_cpu_profiler_node, 3 * p + 3, parent_id, 2 + offset);
        assert_cell(&r, js_cpu_profile, p, node_count, 4);
        assert_cell(&r, js_cpu_profiler_sample, 3 * p, function_id, 2 + offset);
        assert_cell(&r, js_cpu_profiler_sample, 3 * p, id, 3 * p);
        assert_cell(&r, js_cpu_profile, p, started_ts, 1000 + 100 * p);
        assert_cell(&r, js_cpu_profile, p, reported_ts, 2000 + 100 * p);
        assert_cell(&r, js_cpu_profile, p, first_sample_id, 4 * p + 1);
    }
    assert_int_equal(issue_sum(&r, "profile_ids_shifted"), 2);
    run_free(&r);
}

static void test_QB_28_members_that_chrome_leaves_out(void **state)
{
    run r;
    UNUSED(state);
    import_profile(&r,
                   "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"f\",\"scriptId\":12,"
                   "\"url\":\"\"}}],\"startTime\":0,\"endTime\":9,\"samples\":[1],"
                   "\"timeDeltas\":[1]}");
    assert_mem_text(r.sink, js_cpu_profiler_node, 0, script_id, "12");
    assert_mem_text(r.sink, js_cpu_profiler_node, 0, children, "");
    assert_cell(&r, js_cpu_profiler_node, 0, hit_count, 0);
    assert_int_equal(issues(&r, "cpu_bad_number"), 0);
    run_free(&r);
}

static void test_QB_29_lines_keep_their_sign(void **state)
{
    run r;
    UNUSED(state);
    import_profile(&r, TINY_PROFILE);
    assert_cell(&r, js_cpu_profiler_node, 0, line_number, -1);
    assert_cell(&r, js_cpu_profiler_node, 0, column_number, -1);
    assert_cell(&r, js_cpu_profiler_node, 1, line_number, 3);
    run_free(&r);
}

static void test_QB_30_children_are_text(void **state)
{
    run r;
    UNUSED(state);
    import_profile(&r, TINY_PROFILE);
    assert_mem_text(r.sink, js_cpu_profiler_node, 0, children, "2,3");
    assert_mem_text(r.sink, js_cpu_profiler_node, 1, children, "4");
    assert_mem_text(r.sink, js_cpu_profiler_node, 2, children, "");
    run_free(&r);
}

static void test_QB_31_names_keep_their_bytes(void **state)
{
    run r;
    UNUSED(state);
    import_profile(&r,
                   "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"say \\\"x\\\" \\t\","
                   "\"scriptId\":\"0\",\"url\":\"a\\u0000 \"}}],\"startTime\":0,\"endTime\":9,"
                   "\"samples\":[1],\"timeDeltas\":[1]}");
    ts_text name = dict_text(&r, MEM_INT(r.sink, js_cpu_profiler_node, 0, function_index));
    ts_text url = dict_text(&r, MEM_INT(r.sink, js_cpu_profiler_node, 0, url_index));
    assert_true(ts_text_is(name, "say \"x\" \t"));
    assert_int_equal(url.n, 3);
    assert_memory_equal(url.p, "a\0 ", 3);
    run_free(&r);
}

static void test_QB_32_range_covers_samples(void **state)
{
    run r;
    UNUSED(state);
    import_profile(&r, "{\"nodes\":[" CPU_NODE(
                           1, "(root)", 0,
                           "") "],\"startTime\":10000000,"
                               "\"endTime\":10000900,\"samples\":[1,1],\"timeDeltas\":[3,500]}");
    /* Samples at 3 us to 900 us, the marks at 1 and 2 us. */
    assert_mem_row(r.sink, trace_range, 0, "1000|900000");
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_QB_1_profile_with_chunk_in_a_name),
        cmocka_unit_test(test_QB_1_chunk_word_elsewhere),
        cmocka_unit_test(test_QB_2_marks_without_heap_data),
        cmocka_unit_test(test_QB_2_chunks_although_the_type_says_none),
        cmocka_unit_test(test_QB_3_empty_marks),
        cmocka_unit_test(test_QB_3_timeline_mark_in_snapshot_mode),
        cmocka_unit_test(test_QB_4_marks_by_their_meaning),
        cmocka_unit_test(test_QB_4_no_marks),
        cmocka_unit_test(test_QB_5_unfinished_at_the_end),
        cmocka_unit_test(test_QB_6_start_is_the_first_chunk),
        cmocka_unit_test(test_QB_7_profile_in_other_texts),
        cmocka_unit_test(test_QB_8_several_timelines),
        cmocka_unit_test(test_QB_9_no_file_is_touched),
        cmocka_unit_test(test_QB_10_edges_of_later_snapshots),
        cmocka_unit_test(test_QB_11_more_edges_than_edge_counts),
        cmocka_unit_test(test_QB_11_to_node_out_of_range),
        cmocka_unit_test(test_QB_11_huge_edge_counts),
        cmocka_unit_test(test_QB_11_negative_edge_count),
        cmocka_unit_test(test_QB_12_to_node_between_nodes),
        cmocka_unit_test(test_QB_13_fields_by_name),
        cmocka_unit_test(test_fields_of_newer_versions),
        cmocka_unit_test(test_trace_nodes_without_their_field),
        cmocka_unit_test(test_damaged_name_of_a_field),
        cmocka_unit_test(test_QB_13_no_fields),
        cmocka_unit_test(test_QB_14_64_bit),
        cmocka_unit_test(test_QB_15_optional_arrays),
        cmocka_unit_test(test_QB_16_deep_trace_tree),
        cmocka_unit_test(test_QB_18_texts_that_are_none),
        cmocka_unit_test(test_QB_19_declared_counts),
        cmocka_unit_test(test_QB_19_counts_that_are_no_integers),
        cmocka_unit_test(test_QB_20_negative_places),
        cmocka_unit_test(test_QB_21_first_delta_counts),
        cmocka_unit_test(test_QB_22_last_sample_lasts_to_the_end),
        cmocka_unit_test(test_QB_23_negative_deltas),
        cmocka_unit_test(test_QB_24_no_samples),
        cmocka_unit_test(test_QB_25_id_like_the_sentinel),
        cmocka_unit_test(test_QB_26_parents_first),
        cmocka_unit_test(test_QB_27_two_profiles),
        cmocka_unit_test(test_QB_28_members_that_chrome_leaves_out),
        cmocka_unit_test(test_QB_29_lines_keep_their_sign),
        cmocka_unit_test(test_QB_30_children_are_text),
        cmocka_unit_test(test_QB_31_names_keep_their_bytes),
        cmocka_unit_test(test_QB_32_range_covers_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

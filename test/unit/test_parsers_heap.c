/* Heap snapshots: any order of their members, fields and elements of every kind, places where a
 * chunk may end. */
#include "parsers_run.h"

/* --- order ------------------------------------------------------------------------------------ */

static bool next_permutation(int *v, int n)
{
    int i = n - 2;
    int j = n - 1;
    while (i >= 0 && v[i] > v[i + 1]) {
        i--;
    }
    if (i < 0) {
        return false;
    }
    while (v[j] < v[i]) {
        j--;
    }
    int t = v[i];
    v[i] = v[j];
    v[j] = t;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) {
        t = v[a];
        v[a] = v[b];
        v[b] = t;
    }
    return true;
}

static bool next_order(int *order)
{
    bool more = true;
    for (int steps = test_slow() ? 1 : 3; more && steps > 0; steps--) {
        more = next_permutation(order, MEMBERS);
    }
    return more;
}

/* Every third order, all of them with TS_SLOW=1. One after the other in one recording, so that not
 * every one needs a database of its own. */
static void test_every_order_gives_the_same_rows(void **state)
{
    int order[MEMBERS] = {0, 1, 2, 3, 4, 5, 6, 7};
    snap s = tiny_timeline();
    run whole;
    bool more = true;
    unsigned done = 0;
    UNUSED(state);
    import_snap(&whole, &s);
    assert_int_equal(complaints(&whole), 0);
    while (more) {
        bytes b = {0};
        size_t at = begin_recording(&b);
        run r;
        int n = 0;
        put_config(&b, 1, 1, false);
        for (; more && n < 64; more = next_order(order), n++) {
            bytes text = {0};
            put_snap(&text, &s, order);
            put_mark(&b, 1, AT(1000));
            put_chunks(&b, &text, 0, AT(2000));
            put_mark(&b, 2, AT(3000));
            free(text.p);
        }
        close_header(&b, at);
        import_bytes(&r, b);
        assert_int_equal(complaints(&r), 0);
        assert_rows(&r, js_heap_files, n);
        for (size_t t = 0; t < HEAP_TABLES; t++) {
            size_t rows = memsink_rows(whole.sink, heap_tables[t]);
            if (heap_tables[t] == TS_T_js_heap_edge_block) {
                continue; /* it has ids */
            }
            assert_int_equal(memsink_rows(r.sink, heap_tables[t]), rows * (size_t)n);
            for (size_t i = 0; i < rows * (size_t)n; i++) {
                /* The first column is file_id. */
                assert_true(memsink_int(r.sink, heap_tables[t], i, 0) == (int64_t)(i / rows));
                assert_true(memsink_same_cells(r.sink, i, whole.sink, i % rows, heap_tables[t], 1));
            }
        }
        done += (unsigned)n;
        run_free(&r);
    }
    assert_int_equal(done, test_slow() ? 40320 : 13440);
    run_free(&whole);
}

/* --- where a chunk may end -------------------------------------------------------------------- */

static snap escaped_snap(void)
{
    snap s = tiny_snap();
    s.m[M_STRINGS] = "\"strings\":[\"\\\\\\\"\\/\\b\\f\\n\\r\\t\",\"\\ud83d\\ude00\","
                     "\"\xf0\x9f\x98\x80 \xe2\x82\xac \xc3\xa9\",\"\\ud83d\",\"\\ude00\\ud83d\","
                     "\"\\u0000\",\"\xed\xa0\xbd\xed\xb8\x80\",\"\\ud83d\xed\xb8\x80\","
                     "\"\xff\xf0\x9f\x98\",\"\"]";
    return s;
}

static void test_chunks_end_anywhere(void **state)
{
    snap s = escaped_snap();
    bytes text = snap_text(&s);
    run whole;
    UNUSED(state);
    import_one(&whole, &text);
    assert_mem_text(whole.sink, js_heap_string, 0, string, "\\\"/\b\f\n\r\t");
    assert_mem_text(whole.sink, js_heap_string, 1, string, "\xf0\x9f\x98\x80");
    assert_mem_text(whole.sink, js_heap_string, 7, string, "\xf0\x9f\x98\x80");
    for (size_t cut = 1; cut < text.n; cut++) {
        run r;
        bytes b = {0};
        size_t at = begin_recording(&b);
        put_config(&b, 1, 0, false);
        put_chunk_n(&b, (const char *)text.p, cut, AT(1));
        put_chunk_n(&b, (const char *)text.p + cut, text.n - cut, AT(2));
        put_mark(&b, 1, AT(3));
        close_header(&b, at);
        import_bytes(&r, b);
        assert_same_rows(&r, &whole, heap_tables, HEAP_TABLES);
        assert_int_equal(issue_sum(&r, "heap_bad_string"), issue_sum(&whole, "heap_bad_string"));
        run_free(&r);
    }
    run_free(&whole);
    free(text.p);
}

static void test_chunk_sizes(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 7, 100, 4096};
    snap s = escaped_snap();
    bytes text = snap_text(&s);
    run whole;
    UNUSED(state);
    import_one(&whole, &text);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        run r;
        import_bytes(&r, recording_of(&text, sizes[i]));
        assert_same_rows(&r, &whole, heap_tables, HEAP_TABLES);
        assert_mem_text(r.sink, js_heap_files, 0, file_name, "Snapshot0");
        run_free(&r);
    }
    run_free(&whole);
    free(text.p);
}

/* The writer of a message may escape the halves of a pair by itself, in two messages. */
static void test_halves_of_a_pair_in_two_chunks(void **state)
{
    snap s = tiny_snap();
    run r;
    bytes b = {0};
    bytes m = {0};
    bytes n = {0};
    size_t at = begin_recording(&b);
    UNUSED(state);
    s.m[M_STRINGS] = "\"strings\":[\"a@";
    bytes text = snap_text(&s);
    const uint8_t *cut = memchr(text.p, '@', text.n);
    assert_non_null(cut);
    put_str(&m, "{\"params\":{\"chunk\":\"");
    put_escaped(&m, (const char *)text.p, (size_t)(cut - text.p));
    put_str(&m, "\\ud83d\"}}");
    put_str(&n, "{\"params\":{\"chunk\":\"\\ude00\\\"]}\"}}");
    put_message_n(&b, (const char *)m.p, m.n, AT(1));
    put_message_n(&b, (const char *)n.p, n.n, AT(2));
    put_mark(&b, 1, AT(3));
    close_header(&b, at);
    import_bytes(&r, b);
    assert_mem_text(r.sink, js_heap_string, 0, string, "a\xf0\x9f\x98\x80");
    assert_int_equal(issues(&r, "heap_bad_string"), 0);
    run_free(&r);
    free(text.p);
    free(m.p);
    free(n.p);
}

/* --- elements --------------------------------------------------------------------------------- */

static void test_numbers_of_every_kind(void **state)
{
    static const struct {
        const char *written;
        const char *cell;
    } cases[] = {
        {"1e3", "1000"},
        {"5.0", "5"},
        {"-0", "0"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775807", "-9223372036854775807"},
        {"1.5", "NULL"},
        {"1e308", "NULL"},
        {"1e999", "NULL"},
        {"12345678901234567890", "NULL"},
        {"\"24\"", "NULL"},
        {"null", "NULL"},
        {"true", "NULL"},
        {"[1,2,[3]]", "NULL"},
        {"{\"a\":[1]}", "NULL"},
        {"[]", "NULL"},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        char nodes[256];
        char row[128];
        bool bad = strcmp(cases[i].cell, "NULL") == 0;
        snap s = tiny_snap();
        snprintf(nodes, sizeof nodes, "\"nodes\":[0,1,1,0,2,0,0,1,2,3,%s,2,1,0,2,3,6,16,0,2,2]",
                 cases[i].written);
        s.m[M_NODES] = nodes;
        import_snap(&r, &s);
        snprintf(row, sizeof row, "0|1|1|2|3|%s|2|1|0|NULL", cases[i].cell);
        assert_mem_row(r.sink, js_heap_nodes, 1, row);
        assert_mem_row(r.sink, js_heap_nodes, 2, "0|2|2|3|6|16|0|2|2|NULL");
        assert_mem_row(r.sink, js_heap_edges, 3, "0|3|0|1|7|3|3");
        assert_int_equal(issue_sum(&r, "heap_bad_number"), bad ? 1 : 0);
        assert_int_equal(complaints(&r) - issues(&r, "heap_size_overflow"), bad ? 1 : 0);
        run_free(&r);
    }
}

static void test_odd_elements_of_all_arrays(void **state)
{
    snap s = tiny_timeline();
    run r;
    UNUSED(state);
    s.m[M_EDGES] = "\"edges\":[1,0,\"x\",2,null,14,{},4,14,0,1,7.5]";
    s.m[M_FUNCTIONS] = "\"trace_function_infos\":[0,1,1,0,[],-1]";
    s.m[M_SAMPLES] = "\"samples\":[0,3,null,6,7,\"\"]";
    s.m[M_LOCATIONS] = "\"locations\":[7,5,1.25,3]";
    s.m[M_STRINGS] = "\"strings\":[\"a\",1,null,[\"b\"],{\"c\":\"d\"},\"e\"]";
    import_snap(&r, &s);
    assert_mem_row(r.sink, js_heap_edges, 0, "0|0|1|0|NULL|1|NULL");
    assert_mem_row(r.sink, js_heap_edges, 1, "0|1|2|NULL|14|1|6");
    assert_mem_row(r.sink, js_heap_edges, 2, "0|2|NULL|4|14|3|6");
    assert_mem_row(r.sink, js_heap_edges, 3, "0|3|0|1|NULL|3|NULL");
    assert_mem_row(r.sink, js_heap_trace_function_info, 0, "0|0|0|1|1|0|NULL|-1");
    assert_mem_row(r.sink, js_heap_sample, 1, "0|NULL|6");
    assert_mem_row(r.sink, js_heap_sample, 2, "0|7|NULL");
    assert_mem_row(r.sink, js_heap_location, 0, "0|7|5|NULL|3");
    assert_rows(&r, js_heap_string, 6);
    for (size_t i = 1; i < 5; i++) {
        assert_null_cell(&r, js_heap_string, i, string);
    }
    assert_mem_text(r.sink, js_heap_string, 5, string, "e");
    assert_int_equal(issue_sum(&r, "heap_bad_number"), 8);
    assert_int_equal(issue_sum(&r, "heap_string_not_text"), 4);
    run_free(&r);
}

static void test_rows_that_are_cut(void **state)
{
    snap s = tiny_timeline();
    run r;
    UNUSED(state);
    s.m[M_NODES] = "\"nodes\":[0,1,1,0,2,0,0,1,2,3,24,2,1,0,2,3,6]";
    s.m[M_EDGES] = "\"edges\":[1,0,7,2]";
    s.m[M_SAMPLES] = "\"samples\":[0]";
    import_snap(&r, &s);
    assert_rows(&r, js_heap_nodes, 2);
    assert_rows(&r, js_heap_edges, 1);
    assert_rows(&r, js_heap_sample, 0);
    assert_int_equal(issue_sum(&r, "heap_partial_row"), 3);
    assert_int_equal(LOST(&r, "nodes"), 1);
    assert_int_equal(LOST(&r, "edges"), 3);
    run_free(&r);
}

static void test_members_of_another_type(void **state)
{
    static const char *const odd[] = {"\"nodes\":{\"0\":1}", "\"nodes\":5", "\"nodes\":\"x\"",
                                      "\"nodes\":null", NULL};
    UNUSED(state);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        snap s = tiny_snap();
        run r;
        s.m[M_NODES] = odd[i];
        import_snap(&r, &s);
        assert_rows(&r, js_heap_nodes, 0);
        assert_rows(&r, js_heap_edges, 4);
        assert_null_cell(&r, js_heap_edges, 0, from_node_id);
        assert_null_cell(&r, js_heap_edges, 0, to_node_id);
        assert_int_equal(issues(&r, "heap_unexpected_type"), odd[i] == NULL ? 0 : 1);
        assert_int_equal(issues(&r, "heap_missing_array"), 1);
        run_free(&r);
    }
}

static void test_members_twice_and_unknown(void **state)
{
    snap s = tiny_snap();
    run r;
    UNUSED(state);
    s.m[M_LOCATIONS] = "\"x\":[{\"nodes\":[1,2]}],\"nodes\":[9,9,9,9,9,9,9],\"y\":\"nodes\"";
    s.m[M_SAMPLES] = "\"snapshot\":{\"meta\":{\"node_fields\":[\"id\"]}}";
    import_snap(&r, &s);
    assert_rows(&r, js_heap_nodes, 3);
    assert_mem_row(r.sink, js_heap_nodes, 1, "0|1|1|2|3|24|2|1|0|NULL");
    assert_int_equal(issue_sum(&r, "heap_duplicate_array"), 2);
    run_free(&r);
}

static void test_duplicate_node_ids(void **state)
{
    snap s = tiny_snap();
    run r;
    UNUSED(state);
    s.m[M_NODES] = "\"nodes\":[0,1,3,0,2,0,0,1,2,3,24,2,1,0,2,3,3,16,0,2,2]";
    import_snap(&r, &s);
    assert_rows(&r, js_heap_nodes, 3);
    assert_int_equal(issue_sum(&r, "heap_duplicate_node_id"), 2);
    run_free(&r);
    /* The same with ids that lie far apart. */
    s.m[M_NODES] = "\"nodes\":[0,1,-4611686018427387904,0,2,0,0,1,2,4611686018427387904,24,2,1,0,2,"
                   "3,4611686018427387904,16,0,2,2]";
    import_snap(&r, &s);
    assert_int_equal(issue_sum(&r, "heap_duplicate_node_id"), 1);
    run_free(&r);
}

/* Ids of native objects lie far from the others, which lie close together: two of either. */
static void test_duplicate_ids_near_and_far(void **state)
{
    snap s = tiny_snap();
    char nodes[4096] = "\"nodes\":[";
    run r;
    UNUSED(state);
    for (unsigned i = 0; i < 100; i++) {
        unsigned long long id = i % 70 == 0 ? 5 : 2 * i + 1;
        id = i == 20 || i == 60 ? 1ULL << 40 : i == 40 ? (1ULL << 40) + 3200 : id;
        size_t at = strlen(nodes);
        (void)snprintf(nodes + at, sizeof nodes - at, "%s0,1,%llu,0,0,0,0", i == 0 ? "" : ",", id);
    }
    s.m[M_NODES] = strcat(nodes, "]");
    import_snap(&r, &s);
    assert_rows(&r, js_heap_nodes, 100);
    assert_int_equal(issue_sum(&r, "heap_duplicate_node_id"), 3); /* 5 is there three times */
    run_free(&r);
}

static void test_names_outside_the_strings(void **state)
{
    snap s = tiny_snap();
    run r;
    UNUSED(state);
    s.m[M_NODES] = "\"nodes\":[0,1,1,0,2,0,0,1,4294967296,3,24,2,1,0,2,3,6,16,0,2,2]";
    s.m[M_EDGES] = "\"edges\":[1,99,7,2,-1,14,2,4,14,0,1,7]"; /* the first is an element's index */
    import_snap(&r, &s);
    assert_cell(&r, js_heap_nodes, 1, name, INT64_C(4294967296));
    assert_int_equal(issues(&r, "heap_bad_node_name"), 1);
    assert_int_equal(issues(&r, "heap_edge_bad_name"), 1);
    run_free(&r);
    s = tiny_snap();
    s.m[M_EDGES] = "\"edges\":[1,99,7,2,3,14,2,4,14,0,1,7]";
    import_snap(&r, &s);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
}

static void test_sum_of_sizes_that_does_not_fit(void **state)
{
    snap s = tiny_snap();
    run r;
    UNUSED(state);
    s.m[M_NODES] = "\"nodes\":[0,1,1,9223372036854775807,2,0,0,1,2,3,24,2,1,0,2,3,6,16,0,2,2]";
    import_snap(&r, &s);
    assert_int_equal(issues(&r, "heap_size_overflow"), 1);
    assert_null_cell(&r, js_heap_files, 0, self_size);
    run_free(&r);
}

static void test_more_fields_than_columns(void **state)
{
    bytes text = {0};
    run r;
    UNUSED(state);
    put_str(&text,
            "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","
            "\"edge_count\",\"trace_node_id\",\"detachedness\"");
    for (int i = 0; i < 100; i++) {
        putf(&text, ",\"f%d\"", i);
    }
    put_str(&text, "]," META_EDGES "}},\"nodes\":[");
    for (int n = 0; n < 2; n++) {
        putf(&text, "%s0,0,%d,8,1,0,0", n == 0 ? "" : ",", n + 1);
        for (int i = 0; i < 100; i++) {
            put_str(&text, ",7");
        }
    }
    put_str(&text, "],\"edges\":[2,0,107,2,0,0],\"strings\":[\"\"]}");
    import_bytes(&r, text);
    assert_rows(&r, js_heap_nodes, 2);
    assert_mem_row(r.sink, js_heap_edges, 0, "0|0|2|0|107|1|2");
    assert_mem_row(r.sink, js_heap_edges, 1, "0|1|2|0|0|2|1");
    assert_cell(&r, js_heap_file_detail, 0, node_stride, 107);
    run_free(&r);
}

/* --- the trace tree --------------------------------------------------------------------------- */

static void test_trace_trees_of_other_shapes(void **state)
{
    static const struct {
        const char *tree;
        size_t rows;
        bool bad;
    } cases[] = {
        {"[]", 0, false},
        {"[1,0,1,1,[]]", 1, false},
        {"[1,0,1,1,[],2,0,1,1,[]]", 2, false},
        {"[1,0,1,1,7]", 1, true},
        {"[1,0,1,1,null,2,0,1,1,[]]", 2, true},
        {"[1,0,[2,0,1,1,[]],1,1,[]]", 3, true},
        {"[[1,0,1,1,[]]]", 2, true},
        {"[1,0,1]", 0, true},
        {"[1,0,1,1,[2,0]]", 1, true},
        {"[1,0,1,1,{\"a\":1}]", 1, true},
        {"[\"x\",0,1,1,[2,0,1,1,[]]]", 2, true},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char tree[128];
        snap s = tiny_snap();
        run r;
        snprintf(tree, sizeof tree, "\"trace_tree\":%s", cases[i].tree);
        s.m[M_TREE] = tree;
        import_snap(&r, &s);
        if (MEM_ROWS(r.sink, js_heap_trace_node) != cases[i].rows) {
            print_error("%s\n", tree);
            memsink_print(r.sink, TS_T_js_heap_trace_node);
        }
        assert_rows(&r, js_heap_trace_node, cases[i].rows);
        assert_int_equal(complaints(&r) > 0, cases[i].bad);
        assert_rows(&r, js_heap_string, 5);
        run_free(&r);
    }
}

static void test_depth_of_a_million(void **state)
{
    enum { DEPTH = 1000000 };
    snap s = tiny_snap();
    bytes tree = {0};
    run r;
    UNUSED(state);
    put_str(&tree, "\"trace_tree\":");
    for (int i = 0; i < DEPTH; i++) {
        put_str(&tree, "[3,0,1,1,");
    }
    put_str(&tree, "[]");
    for (int i = 0; i < DEPTH; i++) {
        put_str(&tree, "]");
    }
    put(&tree, "", 1);
    s.m[M_TREE] = (const char *)tree.p;
    import_snap(&r, &s);
    assert_rows(&r, js_heap_trace_node, DEPTH);
    assert_cell(&r, js_heap_trace_node, DEPTH - 1, parent_id, 3);
    assert_rows(&r, js_heap_location, 1);
    assert_in_range(r.ctx->memory_peak, 0, 4 << 20);
    run_free(&r);
    free(tree.p);
}

static void test_brackets_without_end(void **state)
{
    static const char *const heads[] = {"{\"snapshot\":{" META_ALL "},\"nodes\":[",
                                        "{\"nodes\":[",
                                        "{\"snapshot\":{" META_ALL "},\"trace_tree\":",
                                        "{\"edges\":",
                                        "{\"snapshot\":{\"x\":",
                                        "{\"strings\":"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        bytes text = bytes_of(heads[i]);
        run r;
        for (int k = 0; k < 1000000; k++) {
            put_str(&text, "[");
        }
        import_bytes(&r, text);
        assert_rows(&r, js_heap_files, 1);
        assert_true(complaints(&r) > 0);
        run_free(&r);
    }
}

/* --- damage ----------------------------------------------------------------------------------- */

static void test_damaged_json(void **state)
{
    static const char *const damage[] = {
        "\"edges\":[1,0,7,2,3,14,2,4,14,0,1,0x7]",    "\"edges\":[1,0,7,2,3,14,2,4,14,0,1,07]",
        "\"edges\":[1,0,7,2,3,14,2,4,14,0,1,7,]",     "\"edges\":[1,0,7,2,3,14,2,4,14,0 1,7]",
        "\"edges\":[1,0,7,2,3,14,2,4,14,/* */0,1,7]", "\"edges\":[1,0,7,2,3,14,2,4,14}"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        snap s = tiny_snap();
        run r;
        s.m[M_EDGES] = damage[i];
        import_snap(&r, &s);
        assert_rows(&r, js_heap_nodes, 3);
        assert_true(MEM_ROWS(r.sink, js_heap_edges) >= 3);
        assert_mem_row(r.sink, js_heap_edges, 2, "0|2|2|4|14|3|6");
        assert_rows(&r, js_heap_string, 0);
        assert_int_equal(issues(&r, "heap_bad_json"), 1);
        assert_mem_text(r.sink, js_heap_files, 0, file_name, "Snapshot0 (incomplete)");
        run_free(&r);
    }
}

/* --- many rows at once ------------------------------------------------------------------------ */

enum { MANY_NODES = 900 };

static long long many_id(unsigned node)
{
    return node % 3 == 0 ? 3000000000LL + node : 2LL * node + 1;
}

static long long many_size(unsigned node)
{
    return node % 50 == 20 ? 5000000000LL : 16;
}

static void many_members(char *nodes, char *edges)
{
    unsigned at = (unsigned)sprintf(nodes, "\"nodes\":[");
    unsigned to = (unsigned)sprintf(edges, "\"edges\":[");
    for (unsigned i = 0; i < MANY_NODES; i++) {
        at += (unsigned)sprintf(nodes + at, "%s%u,%u,%lld,%lld,%u,0,0", i == 0 ? "" : "\n,", i % 3,
                                1 + i % 4, many_id(i), many_size(i), i % 2 * 2);
        to += (unsigned)sprintf(edges + to, "%s2,3,%u", i == 0 ? "" : "\n,",
                                7 * (i * 37 % MANY_NODES));
    }
    (void)strcat(nodes, "]");
    (void)strcat(edges, "]");
}

/* Small and large numbers in turn: rows are the same whether they go together or not. Each second
 * node has two edges. */
static void test_rows_in_turn(void **state)
{
    static char nodes[64 * MANY_NODES];
    static char edges[64 * MANY_NODES];
    snap s = tiny_snap();
    run r;
    UNUSED(state);
    many_members(nodes, edges);
    s.m[M_SNAPSHOT] = "\"snapshot\":{" META_ALL
                      ",\"node_count\":900,\"edge_count\":900,\"trace_function_count\":1}";
    s.m[M_NODES] = nodes;
    s.m[M_EDGES] = edges;
    import_snap(&r, &s);
    assert_rows(&r, js_heap_nodes, MANY_NODES);
    assert_rows(&r, js_heap_edges, MANY_NODES);
    for (unsigned i = 0; i < MANY_NODES; i++) {
        unsigned target = i * 37 % MANY_NODES;
        char expected[200];
        (void)snprintf(expected, sizeof expected, "0|%u|%u|%u|%lld|%lld|%u|0|0|NULL", i, i % 3,
                       1 + i % 4, many_id(i), many_size(i), i % 2 * 2);
        assert_mem_row(r.sink, js_heap_nodes, i, expected);
        (void)snprintf(expected, sizeof expected, "0|%u|2|3|%u|%lld|%lld", i, 7 * target,
                       many_id(i / 2 * 2 + 1), many_id(target));
        assert_mem_row(r.sink, js_heap_edges, i, expected);
    }
    run_free(&r);
}

enum { GROUP_NODES = 300, GROUP_EDGES = 2000 };

#define META_TURNED                                                                                \
    "\"meta\":{" META_NODES ",\"edge_fields\":[\"name_or_index\",\"type\",\"to_node\"],"           \
    "\"edge_types\":[\"string_or_number\",[\"context\",\"element\",\"property\"],\"node\"]"        \
    "," META_REST "}"

#define GROUP_COUNTS ",\"node_count\":300,\"edge_count\":2000,\"trace_function_count\":1}"

static unsigned group_random(unsigned n)
{
    static uint64_t state = 11;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % n;
}

/* odd: one in so many numbers is unlike those of V8; 0: none. */
static void group_nodes(char *out, unsigned odd)
{
    unsigned at = (unsigned)sprintf(out, "\"nodes\":[");
    unsigned left = GROUP_EDGES;
    for (unsigned i = 0; i < GROUP_NODES; i++) {
        unsigned edges = group_random(9) == 0 ? group_random(40) : group_random(9);
        char id[16];
        edges = edges > left || i == GROUP_NODES - 1 ? left : edges;
        left -= edges;
        (void)sprintf(id, "%u", 2 * i + 1);
        if (odd != 0 && group_random(odd) == 0) {
            (void)strcpy(id, group_random(2) == 0 ? "7000000000" : "null");
        }
        at += (unsigned)sprintf(out + at, "%s%u,%u,%s,16,%u,0,0", i == 0 ? "" : "\n,", i % 3, i % 5,
                                id, edges);
    }
    (void)strcat(out, "]");
}

/* The same edges, with their first two fields in both orders. */
static void group_edges(char *out, char *turned, unsigned odd)
{
    static const char *const names[] = {"4294967296", "-1", "null", "2147483648"};
    static const char *const targets[] = {"3", "-7", "null", "2100", "15032385536", "2147483649"};
    unsigned at = (unsigned)sprintf(out, "\"edges\":[");
    unsigned to = (unsigned)sprintf(turned, "\"edges\":[");
    for (unsigned i = 0; i < GROUP_EDGES; i++) {
        const char *comma = i == 0 ? "" : "\n,";
        char type[16];
        char name[16];
        char target[16];
        (void)sprintf(type, "%u", group_random(3));
        (void)sprintf(name, "%u", i / 300);
        (void)sprintf(target, "%u", 7 * group_random(GROUP_NODES));
        if (odd != 0 && group_random(odd) == 0) {
            (void)strcpy(type, group_random(2) == 0 ? "3" : "64");
        } else if (odd != 0 && group_random(odd) == 0) {
            (void)strcpy(name, names[group_random(4)]);
        } else if (odd != 0 && group_random(odd) == 0) {
            (void)strcpy(target, targets[group_random(6)]);
        }
        at += (unsigned)sprintf(out + at, "%s%s,%s,%s", comma, type, name, target);
        to += (unsigned)sprintf(turned + to, "%s%s,%s,%s", comma, name, type, target);
    }
    (void)strcat(out, "]");
    (void)strcat(turned, "]");
}

/* Edges of V8's order go in groups, others one by one: the rows are the same. */
static void test_edges_in_groups(void **state)
{
    static const unsigned odds[] = {0, 2000, 300, 20, 2};
    static const enum ts_table_id tables[] = {TS_T_js_heap_edges, TS_T_js_heap_edge_block,
                                              TS_T_js_heap_files, TS_T_import_issue};
    static char nodes[64 * GROUP_NODES];
    static char edges[64 * GROUP_EDGES];
    static char turned[64 * GROUP_EDGES];
    UNUSED(state);
    for (unsigned round = 0; round < 20; round++) {
        snap s = tiny_snap();
        run r[2];
        group_nodes(nodes, odds[round % 5]);
        group_edges(edges, turned, odds[round / 5 % 5]);
        s.m[M_NODES] = nodes;
        for (int i = 0; i < 2; i++) {
            s.m[M_SNAPSHOT] = i == 0 ? "\"snapshot\":{" META_ALL GROUP_COUNTS
                                     : "\"snapshot\":{" META_TURNED GROUP_COUNTS;
            s.m[M_EDGES] = i == 0 ? edges : turned;
            import_snap(&r[i], &s);
            assert_rows(&r[i], js_heap_edges, GROUP_EDGES);
        }
        if (round == 0) { /* the owners are known */
            assert_int_equal(memsink_int(r[0].sink, TS_T_js_heap_edges, GROUP_EDGES - 1,
                                         TS_C_js_heap_edges__from_node_id),
                             2 * GROUP_NODES - 1);
        }
        for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
            size_t rows = memsink_rows(r[0].sink, tables[t]);
            assert_int_equal(rows, memsink_rows(r[1].sink, tables[t]));
            for (size_t i = 0; i < rows; i++) {
                assert_true(memsink_same_cells(r[0].sink, i, r[1].sink, i, tables[t], 0));
            }
        }
        run_free(&r[0]);
        run_free(&r[1]);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_order_gives_the_same_rows),
        cmocka_unit_test(test_chunks_end_anywhere),
        cmocka_unit_test(test_chunk_sizes),
        cmocka_unit_test(test_halves_of_a_pair_in_two_chunks),
        cmocka_unit_test(test_numbers_of_every_kind),
        cmocka_unit_test(test_odd_elements_of_all_arrays),
        cmocka_unit_test(test_rows_that_are_cut),
        cmocka_unit_test(test_members_of_another_type),
        cmocka_unit_test(test_members_twice_and_unknown),
        cmocka_unit_test(test_duplicate_node_ids),
        cmocka_unit_test(test_duplicate_ids_near_and_far),
        cmocka_unit_test(test_rows_in_turn),
        cmocka_unit_test(test_edges_in_groups),
        cmocka_unit_test(test_names_outside_the_strings),
        cmocka_unit_test(test_sum_of_sizes_that_does_not_fit),
        cmocka_unit_test(test_more_fields_than_columns),
        cmocka_unit_test(test_trace_trees_of_other_shapes),
        cmocka_unit_test(test_depth_of_a_million),
        cmocka_unit_test(test_brackets_without_end),
        cmocka_unit_test(test_damaged_json),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

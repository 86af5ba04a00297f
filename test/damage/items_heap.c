/* Heap snapshots, as bare files. */
#include "catalogue.h"

static void make_text(making *m)
{
    put_str(&m->b, m->arg);
}

/* The tiny snapshot with member n replaced by arg. */
static void make_member(making *m)
{
    snap s = tiny_snap();
    s.m[m->n] = *m->arg == '\0' ? NULL : m->arg;
    put_snap(&m->b, &s, NULL);
}

/* The tiny snapshot with the first `arg` up to its '>' replaced by what follows it. */
static void make_replaced(making *m)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    size_t n = strcspn(m->arg, ">");
    const uint8_t *at = memmem(text.p, text.n, m->arg, n);
    assert_non_null(at);
    size_t before = (size_t)(at - text.p);
    put(&m->b, text.p, before);
    put_str(&m->b, m->arg + n + 1);
    put(&m->b, at + n, text.n - before - n);
    free(text.p);
}

/* Members in the order of the digits of arg. */
static void make_order(making *m)
{
    snap s = tiny_snap();
    int order[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        order[i] = m->arg[i] - '0';
    }
    put_snap(&m->b, &s, order);
}

/* Something before the text. */
static void make_prefixed(making *m)
{
    snap s = tiny_snap();
    put_str(&m->b, m->arg);
    put_snap(&m->b, &s, NULL);
}

static void make_utf16(making *m)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    put(&m->b, "\xff\xfe", 2);
    for (size_t i = 0; i < text.n; i++) {
        put(&m->b, text.p + i, 1);
        put(&m->b, "", 1);
    }
    free(text.p);
}

/* n opening brackets where arg ends, and as many closing ones. */
static void make_nested(making *m)
{
    const char *star = strchr(m->arg, '*');
    assert_non_null(star);
    snap s = tiny_snap();
    bytes member = {0};
    put(&member, m->arg, (size_t)(star - m->arg));
    for (int64_t i = 0; i < m->n; i++) {
        put(&member, "[", 1);
    }
    for (int64_t i = 0; i < m->n; i++) {
        put(&member, "]", 1);
    }
    put(&member, star + 1, strlen(star + 1) + 1);
    s.m[strstr(m->arg, "tree") != NULL ? M_TREE : M_NODES] = (const char *)member.p;
    put_snap(&m->b, &s, NULL);
    free(member.p);
}

/* A head, n brackets, and no end. */
static void make_brackets(making *m)
{
    put_str(&m->b, m->arg);
    for (int64_t i = 0; i < m->n; i++) {
        put(&m->b, "[", 1);
    }
}

/* n nodes in one cycle: each points at the next, the last at the first. */
static void make_cycle(making *m)
{
    bytes nodes = {0};
    bytes edges = {0};
    snap s = tiny_snap();
    put_str(&nodes, "\"nodes\":[");
    put_str(&edges, "\"edges\":[");
    for (int64_t i = 0; i < m->n; i++) {
        putf(&nodes, "%s1,2,%" PRId64 ",8,1,0,0", i == 0 ? "" : ",", 2 * i + 1);
        putf(&edges, "%s2,4,%" PRId64, i == 0 ? "" : ",", 7 * ((i + 1) % m->n));
    }
    put(&nodes, "]", 2);
    put(&edges, "]", 2);
    s.m[M_NODES] = (const char *)nodes.p;
    s.m[M_EDGES] = (const char *)edges.p;
    s.m[M_SNAPSHOT] = "\"snapshot\":{" META_ALL ",\"node_count\":20000,\"edge_count\":20000,"
                      "\"trace_function_count\":1}";
    put_snap(&m->b, &s, NULL);
    free(nodes.p);
    free(edges.p);
}

/* n members of different names, and as many node fields. */
static void make_names(making *m)
{
    put_str(&m->b, "{\"snapshot\":{\"meta\":{\"node_fields\":[\"id\"");
    for (int64_t i = 0; i < m->n; i++) {
        putf(&m->b, ",\"f%" PRId64 "\"", i);
    }
    put_str(&m->b,
            "]," META_EDGES "},\"node_count\":1,\"edge_count\":0,\"trace_function_count\":0},"
            "\"nodes\":[1");
    for (int64_t i = 0; i < m->n; i++) {
        put_str(&m->b, ",0");
    }
    put_str(&m->b, "],\"edges\":[],\"strings\":[]");
    for (int64_t i = 0; i < m->n; i++) {
        putf(&m->b, ",\"m%" PRId64 "\":0", i);
    }
    put_str(&m->b, "}");
}

/* --- checks ----------------------------------------------------------------------------------- */

static void check_same(const run *r)
{
    assert_mem_row(r->sink, js_heap_nodes, 1, "0|1|1|2|3|24|2|1|0|NULL");
    assert_mem_row(r->sink, js_heap_edges, 3, "0|3|0|1|7|3|3");
    assert_mem_text(r->sink, js_heap_files, 0, file_name, "Snapshot0");
}

static void check_null_size(const run *r)
{
    assert_null_cell(r, js_heap_nodes, 1, self_size);
    assert_mem_row(r->sink, js_heap_nodes, 2, "0|2|2|3|6|16|0|2|2|NULL");
    assert_mem_row(r->sink, js_heap_edges, 3, "0|3|0|1|7|3|3");
}

static void check_minus_1(const run *r)
{
    assert_cell(r, js_heap_nodes, 1, self_size, -1);
}

static void check_target(const run *r)
{
    assert_mem_row(r->sink, js_heap_edges, 0, "0|0|1|0|7|1|3");
    assert_null_cell(r, js_heap_edges, 3, to_node_id);
    assert_cell(r, js_heap_edges, 3, from_node_id, 3);
}

static void check_incomplete(const run *r)
{
    assert_mem_text(r->sink, js_heap_files, 0, file_name, "Snapshot0 (incomplete)");
}

static void check_owner_unknown(const run *r)
{
    assert_cell(r, js_heap_edges, 0, to_node_id, 3);
    for (size_t i = 0; i < 4; i++) {
        assert_null_cell(r, js_heap_edges, i, from_node_id);
    }
    assert_null_cell(r, js_heap_nodes, 0, edge_count); /* one of them is wrong */
    check_incomplete(r);
}

static void check_node_places(const run *r)
{
    assert_mem_row(r->sink, js_heap_nodes, 1, "0|NULL|1|2|3|24|2|1|0|NULL");
    assert_mem_row(r->sink, js_heap_edges, 3, "0|3|0|1|7|NULL|NULL");
    assert_cell(r, js_heap_file_detail, 0, complete, 0);
    check_incomplete(r);
}

static void check_edge_places(const run *r)
{
    assert_mem_row(r->sink, js_heap_nodes, 1, "0|1|1|2|3|24|2|1|0|NULL");
    assert_mem_row(r->sink, js_heap_edges, 3, "0|NULL|0|1|7|NULL|3");
    assert_cell(r, js_heap_file_detail, 0, complete, 0);
    check_incomplete(r);
}

static void check_self_loop(const run *r)
{
    assert_mem_row(r->sink, js_heap_edges, 3, "0|3|0|1|7|3|3"); /* of id 3 to id 3 */
}

static void check_strings(const run *r)
{
    assert_mem_text(r->sink, js_heap_string, 0, string, "\xef\xbf\xbd");
    assert_mem_text(r->sink, js_heap_string, 1, string, "a\xef\xbf\xbdz");
    assert_mem_text(r->sink, js_heap_string, 4, string, "next");
}

/* --- the table -------------------------------------------------------------------------------- */

#define WHOLE                                                                                      \
    {TS_T_js_heap_files, 1}, {TS_T_js_heap_nodes, 3},                                              \
    {                                                                                              \
        TS_T_js_heap_edges, 4                                                                      \
    }
#define NODES_COUNT                                                                                \
    {                                                                                              \
        "nodes", 3, 3, 0, 0                                                                        \
    }
#define COUNTS(nodes, edges)                                                                       \
    "\"snapshot\":{" META_ALL ",\"node_count\":" nodes ",\"edge_count\":" edges                    \
    ",\"trace_function_count\":1}"
#define COUNTS_1 ",\"node_count\":3,\"edge_count\":4,\"trace_function_count\":1"
#define THREE_AND_FOUR ",\"node_count\":3,\"edge_count\":4,\"trace_function_count\":0"
#define FIELDS(fields)                                                                             \
    "\"snapshot\":{\"meta\":{" fields "," META_EDGES "," META_REST "}" THREE_AND_FOUR "}"
#define MEMBER(what, member, text)                                                                 \
    .name = "heap." what, .make = make_member, .n = member, .arg = text
#define REPLACED(what, text) .name = "heap." what, .make = make_replaced, .arg = text

/* Nodes may be missing anywhere: the ends of edges, and the places of nodes, are not known. */
#define NODE_MISMATCH(what, nodes, seen, lost)                                                     \
    {                                                                                              \
        MEMBER(what, M_SNAPSHOT, COUNTS(nodes, "4")),                                              \
            .issues = {{"heap_count_mismatch", 1, OFF_ANY},                                        \
                       {"heap_place_unknown", 3, OFF_ANY},                                         \
                       {"heap_edge_no_owner", 4, OFF_ANY},                                         \
                       {"heap_edge_bad_target", 4, OFF_ANY}},                                      \
            .counts = {{"nodes", seen, 3, lost, 0}, {"heap_values", 3, 0, 3, 0}}, .rows = {WHOLE}, \
            .check = check_node_places                                                             \
    }
#define EDGE_MISMATCH(what, edges, seen, lost)                                                     \
    {                                                                                              \
        MEMBER(what, M_SNAPSHOT, COUNTS("3", edges)),                                              \
            .issues = {{"heap_count_mismatch", 1, OFF_ANY}, {"heap_place_unknown", 8, OFF_ANY}},   \
            .counts = {{"edges", seen, 4, lost, 0}, {"heap_values", 8, 0, 8, 0}}, .rows = {WHOLE}, \
            .check = check_edge_places                                                             \
    }
/* More than declared, all whole and agreeing with what refers to them. */
#define MORE(what, nodes, edges)                                                                   \
    {                                                                                              \
        MEMBER(what, M_SNAPSHOT, COUNTS(nodes, edges)),                                            \
            .issues = {{"heap_count_exceeded", 1, OFF_ANY}}, .rows = {WHOLE}, .check = check_same  \
    }
#define NO_COUNT(what, nodes)                                                                      \
    {                                                                                              \
        MEMBER(what, M_SNAPSHOT, COUNTS(nodes, "4")), .issues = {{"heap_bad_number", 1, OFF_ANY}}, \
                                                      .counts = {NODES_COUNT}, .rows = {WHOLE},    \
                                                      .check = check_same                          \
    }
#define NO_SIZE(what, size)                                                                        \
    {                                                                                              \
        REPLACED(what, "1,2,3,24,>1,2,3," size ","), .issues = {{"heap_bad_number", 1, OFF_ANY}},  \
                                                     .counts = {NODES_COUNT}, .rows = {WHOLE},     \
                                                     .check = check_null_size                      \
    }
#define BROKEN(what, text, nodes)                                                                  \
    {                                                                                              \
        REPLACED(what, text), .issues = {{"heap_bad_json", 1, OFF_ANY}},                           \
                              .rows = {{TS_T_js_heap_files, 1}, {TS_T_js_heap_nodes, nodes}},      \
                              .check = check_incomplete                                            \
    }

const item heap_items[] = {
    {MEMBER("node_fields_absent", M_SNAPSHOT,
            "\"snapshot\":{\"meta\":{" META_EDGES "," META_REST "}" COUNTS_1 "}"),
     .issues = {{"heap_missing_meta", 1, OFF_ANY}}, .counts = {NODES_COUNT}, .rows = {WHOLE},
     .check = check_same},
    {MEMBER("node_fields_empty", M_SNAPSHOT,
            "\"snapshot\":{\"meta\":{\"node_fields\":[]," META_EDGES "," META_REST "}" COUNTS_1
            "}"),
     .issues = {{"heap_missing_meta", 1, OFF_ANY}}, .counts = {NODES_COUNT}, .rows = {WHOLE},
     .check = check_same},
    {.name = "heap.node_fields_reordered",
     .make = make_text,
     .arg =
         "{" FIELDS("\"node_fields\":[\"detachedness\",\"edge_count\",\"id\",\"name\",\"self_"
                    "size\",\"trace_node_id\",\"type\"]") ",\"nodes\":[0,2,1,1,0,0,0,0,2,3,2,"
                                                          "24,1,1,2,0,6,3,16,2,2],\"edges\":[1,0,7,"
                                                          "2,3,14,2,4,14,0,1,7],"
                                                          "\"strings\":[\"\",\"\",\"\",\"\",\"\"]}",
     .counts = {NODES_COUNT},
     .rows = {WHOLE},
     .check = check_same},
    {.name = "heap.node_fields_8",
     .make = make_text,
     .arg = "{" FIELDS(
         "\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\","
         "\"trace_node_id\",\"detachedness\",\"native_size\"]") ",\"nodes\":[0,1,1,0,"
                                                                "2,0,0,77,1,2,3,24,2,1,0,77,2,3,6,"
                                                                "16,0,2,2,77],\"edges\":[1,0,8,2,3,"
                                                                "16,2,4,16,0,1,8],"
                                                                "\"strings\":[\"\",\"\",\"\",\"\","
                                                                "\"\"]}",
     .counts = {NODES_COUNT},
     .rows = {WHOLE}},
    {.name = "heap.node_fields_6",
     .make = make_text,
     .arg = "{" FIELDS("\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\","
                       "\"trace_node_id\"]") ",\"nodes\":[0,1,1,0,2,0,1,2,3,24,2,1,2,3,6,16,0,2],"
                                             "\"edges\":[1,0,6,2,3,12,2,4,12,0,1,6],\"strings\":["
                                             "\"\",\"\",\"\",\"\",\"\"]}",
     .counts = {NODES_COUNT},
     .rows = {WHOLE}},
    {REPLACED("nodes_not_a_multiple", "16,0,2,2\n>16,0,2,2,9,9"),
     .issues = {{"heap_partial_row", 1, OFF_ANY}}, .counts = {{"nodes", 4, 3, 1, 0}},
     .rows = {WHOLE}, .check = check_same},
    NODE_MISMATCH("node_count_plus_1", "4", 4, 1),
    MORE("node_count_minus_1", "2", "4"),
    MORE("node_count_0", "0", "4"),
    NODE_MISMATCH("node_count_2_62", "4611686018427387904", INT64_C(4611686018427387904),
                  INT64_C(4611686018427387901)),
    EDGE_MISMATCH("edge_count_plus_1", "5", 5, 1),
    MORE("edge_count_minus_1", "3", "3"),
    MORE("edge_count_0", "3", "0"),
    NO_COUNT("node_count_2_63", "9223372036854775808"),
    NO_COUNT("node_count_float", "3.5"),
    NO_COUNT("node_count_string", "\"3\""),
    NODE_MISMATCH("node_count_negative", "-3", 3, 0),
    {REPLACED("node_owns_2_32_edges", "2,3,6,16,0,>2,3,6,16,4294967295,"),
     .issues = {{"heap_edge_count_mismatch", 1, OFF_ANY}, {"heap_place_unknown", 7, OFF_ANY}},
     .counts = {NODES_COUNT, {"edges", 4, 4, 0, 0}}, .rows = {WHOLE}, .check = check_owner_unknown},
    {REPLACED("edge_counts_below_edges", "1,2,3,24,2,>1,2,3,24,1,"),
     .issues = {{"heap_edge_no_owner", 1, OFF_ANY},
                {"heap_edge_count_mismatch", 1, OFF_ANY},
                {"heap_place_unknown", 7, OFF_ANY}},
     .counts = {{"edges", 4, 4, 0, 0}}, .rows = {WHOLE}, .check = check_owner_unknown},
    {REPLACED("to_node_out_of_range", ",0,1,7\n>,0,1,21\n"),
     .issues = {{"heap_edge_bad_target", 1, OFF_ANY}}, .counts = {{"edges", 4, 4, 0, 0}},
     .rows = {WHOLE}, .check = check_target},
    {REPLACED("to_node_not_a_multiple", ",0,1,7\n>,0,1,8\n"),
     .issues = {{"heap_edge_bad_target", 1, OFF_ANY}}, .counts = {{"edges", 4, 4, 0, 0}},
     .rows = {WHOLE}, .check = check_target},
    {REPLACED("string_index_minus_1", "\n,1,2,3,24>\n,1,-1,3,24"),
     .issues = {{"heap_bad_node_name", 1, OFF_ANY}}, .counts = {NODES_COUNT}, .rows = {WHOLE}},
    {REPLACED("string_index_2_32", "\n,1,2,3,24>\n,1,4294967296,3,24"),
     .issues = {{"heap_bad_node_name", 1, OFF_ANY}, {"heap_place_unknown", 5, OFF_ANY}},
     .counts = {NODES_COUNT}, .rows = {WHOLE}},
    NO_SIZE("number_1e308", "1e308"),
    NO_SIZE("number_1.5", "1.5"),
    NO_SIZE("number_of_20_digits", "12345678901234567890"),
    {REPLACED("number_minus_1", "1,2,3,24,>1,2,3,-1,"), .counts = {NODES_COUNT}, .rows = {WHOLE},
     .check = check_minus_1},
    /* What stands before the x is a number, the rest of its row is lost. */
    {REPLACED("number_0x", "1,2,3,24,>1,2,3,0x18,"),
     .issues = {{"heap_bad_json", 1, OFF_ANY}, {"heap_partial_row", 1, OFF_ANY}},
     .counts = {{"nodes", 3, 1, 2, 0}}, .rows = {{TS_T_js_heap_files, 1}, {TS_T_js_heap_nodes, 1}},
     .check = check_incomplete},
    {.name = "heap.edges_before_nodes",
     .make = make_order,
     .arg = "02134567",
     .counts = {NODES_COUNT, {"edges", 4, 4, 0, 0}},
     .rows = {WHOLE},
     .check = check_same},
    {.name = "heap.strings_first",
     .make = make_order,
     .arg = "70123456",
     .counts = {NODES_COUNT, {"strings", 5, 5, 0, 0}},
     .rows = {WHOLE},
     .check = check_same},
    {MEMBER("key_twice", M_SAMPLES, "\"nodes\":[9,9,9,9,9,9,9]"),
     .issues = {{"heap_duplicate_array", 1, OFF_ANY}}, .rows = {WHOLE}, .check = check_same},
    {MEMBER("key_missing_nodes", M_NODES, ""),
     .issues = {{"heap_missing_array", 1, OFF_ANY},
                {"heap_count_mismatch", 1, OFF_ANY},
                {"heap_edge_count_mismatch", 1, OFF_ANY},
                {"heap_edge_no_owner", 4, OFF_ANY},
                {"heap_edge_bad_target", 4, OFF_ANY}},
     .rows = {{TS_T_js_heap_files, 1}, {TS_T_js_heap_edges, 4}, {TS_T_js_heap_string, 5}}},
    {MEMBER("key_missing_samples", M_SAMPLES, ""), .rows = {WHOLE}, .check = check_same},
    BROKEN("trailing_comma", "16,0,2,2\n]>16,0,2,2\n,]", 3),
    BROKEN("comment", "16,0,2,2\n]>16,0,2,2/* */]", 3),
    {.name = "heap.bom",
     .make = make_prefixed,
     .arg = "\xef\xbb\xbf",
     .rows = {WHOLE},
     .check = check_same},
    {.name = "heap.utf16", .make = make_utf16, .code = TS_ERR_FORMAT},
    {MEMBER("bad_utf8_and_lone_surrogate", M_STRINGS,
            "\"strings\":[\"\xff\",\"a\\ud83dz\",\"\",\"\",\"next\"]"),
     .issues = {{"heap_bad_string", 2, OFF_ANY}}, .counts = {{"strings", 5, 5, 0, 0}},
     .rows = {WHOLE}, .check = check_strings},
    {.name = "heap.self_loop",
     .make = make_member,
     .n = M_SAMPLES,
     .arg = "\"samples\":[]",
     .rows = {WHOLE},
     .check = check_self_loop},
    {.name = "heap.cycle_through_all_nodes",
     .make = make_cycle,
     .n = 20000,
     .counts = {{"nodes", 20000, 20000, 0, 0}, {"edges", 20000, 20000, 0, 0}}},
    {REPLACED("node_unreachable", "2,3,14\n,2,4,14>2,3,7\n,2,4,7"), .rows = {WHOLE}},
    {MEMBER("no_root", M_NODES, "\"nodes\":[1,1,1,0,2,0,0,1,2,3,24,2,1,0,2,3,6,16,0,2,2]"),
     .rows = {WHOLE}},
    {MEMBER("samples_decreasing", M_SAMPLES, "\"samples\":[100,6,50,3,-7,1]"),
     .issues = {{"heap_samples_disordered", 1, OFF_ANY}, {"heap_place_unknown", 6, OFF_ANY}},
     .counts = {{"heap_samples", 3, 3, 0, 0}}, .rows = {WHOLE, {TS_T_js_heap_sample, 3}}},
    {MEMBER("locations_to_missing_nodes", M_LOCATIONS, "\"locations\":[700,5,12,3]"),
     .counts = {{"locations", 1, 1, 0, 0}}, .rows = {WHOLE, {TS_T_js_heap_location, 1}}},
    {.name = "heap.nested_10_5_for_a_number",
     .make = make_nested,
     .arg = "\"nodes\":[0,1,1,0,2,0,0,1,2,3,*,2,1,0,2,3,6,16,0,2,2]",
     .n = 100000,
     .issues = {{"heap_bad_number", 1, OFF_ANY}},
     .counts = {NODES_COUNT},
     .rows = {WHOLE},
     .check = check_null_size},
    {.name = "heap.nested_10_6_for_a_number",
     .make = make_nested,
     .arg = "\"nodes\":[0,1,1,0,2,0,0,1,2,3,*,2,1,0,2,3,6,16,0,2,2]",
     .n = 1000000,
     .issues = {{"heap_bad_number", 1, OFF_ANY}},
     .counts = {NODES_COUNT},
     .rows = {WHOLE},
     .check = check_null_size,
     .large = true},
    {.name = "heap.brackets_without_end",
     .make = make_brackets,
     .arg = "{\"snapshot\":{" META_ALL THREE_AND_FOUR "},\"nodes\":",
     .n = 900000,
     /* The second bracket stands where a number should, the row around it has no end. */
     .issues = {{"snapshot_incomplete", 1, OFF_ANY},
                {"heap_bad_number", 1, OFF_ANY},
                {"heap_partial_row", 1, OFF_ANY}},
     .counts = {{"nodes", 3, 0, 3, 0}},
     .check = check_incomplete},
    {.name = "heap.10_5_names",
     .make = make_names,
     .n = 100000,
     .issues = {{"heap_field_missing", 6, OFF_ANY},
                {"heap_bad_edge_count", 1, OFF_ANY},
                {"heap_field_extra", 100000, OFF_ANY},
                {"heap_unknown_member", 100000, OFF_ANY}},
     .counts = {{"extra_fields", 99984, 0, 0, 99984}, {"extra_members", 99984, 0, 0, 99984}},
     .large = true},
    {.name = "heap.10_4_names",
     .make = make_names,
     .n = 10000,
     .issues = {{"heap_field_missing", 6, OFF_ANY},
                {"heap_bad_edge_count", 1, OFF_ANY},
                {"heap_field_extra", 10000, OFF_ANY},
                {"heap_unknown_member", 10000, OFF_ANY}},
     .counts = {{"extra_fields", 9984, 0, 0, 9984}, {"extra_members", 9984, 0, 0, 9984}}},
    {0},
};

/* CPU profiles: trees that are none, numbers that are none, times. Bare files count from 0. */
#include "parsers_run.h"

#define NODE(id, more) "{\"id\":" #id ",\"callFrame\":{\"functionName\":\"f\"}" more "}"
#define PROFILE(nodes, rest) "{\"nodes\":[" nodes "],\"startTime\":1000,\"endTime\":2000," rest "}"
#define NO_SAMPLES "\"samples\":[],\"timeDeltas\":[]"

static void assert_nodes(const run *r, size_t n, const int64_t ids[], const int64_t parents[])
{
    assert_rows(r, js_cpu_profiler_node, n);
    for (size_t i = 0; i < n; i++) {
        assert_cell(r, js_cpu_profiler_node, i, function_id, ids[i]);
        assert_cell(r, js_cpu_profiler_node, i, parent_id, parents[i]);
    }
}

static void test_second_parent(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ",\"children\":[2,3]") "," NODE(
                                2, ",\"children\":[3,3]") "," NODE(3, ""),
                            NO_SAMPLES));
    assert_nodes(&r, 3, (int64_t[]){1, 2, 3}, (int64_t[]){0, 1, 1});
    assert_int_equal(issue_sum(&r, "cpu_second_parent"), 2);
    run_free(&r);
}

static void test_cycles(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ",\"children\":[2]") "," NODE(2, ",\"children\":[3]") "," NODE(
                                3, ",\"children\":[1]") "," NODE(4, ",\"children\":[4]"),
                            NO_SAMPLES));
    assert_rows(&r, js_cpu_profiler_node, 4);
    assert_cell(&r, js_cpu_profiler_node, 0, parent_id, 0);
    assert_cell(&r, js_cpu_profiler_node, 2, parent_id, 2);
    assert_null_cell(&r, js_cpu_profiler_node, 3, parent_id);
    assert_int_equal(issue_sum(&r, "cpu_cycle"), 2);
    assert_int_equal(issue_sum(&r, "cpu_second_root"), 1);
    run_free(&r);
}

static void test_duplicate_ids(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ",\"children\":[2]") "," NODE(2, ",\"hitCount\":5") "," NODE(
                                2, ",\"hitCount\":6,\"children\":[1]"),
                            NO_SAMPLES));
    assert_nodes(&r, 2, (int64_t[]){1, 2}, (int64_t[]){0, 1});
    assert_cell(&r, js_cpu_profiler_node, 1, hit_count, 5);
    assert_int_equal(issue_sum(&r, "cpu_duplicate_node"), 1);
    assert_int_equal(LOST(&r, "cpu_nodes"), 1);
    run_free(&r);
}

static void test_unknown_children_and_samples(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ",\"children\":[7]"), "\"samples\":[1,9,null,\"x\",1],"
                                                          "\"timeDeltas\":[1,1,1,1,1]"));
    assert_mem_text(r.sink, js_cpu_profiler_node, 0, children, "7");
    assert_int_equal(issues(&r, "cpu_unknown_child"), 1);
    assert_rows(&r, stack_sample, 5);
    for (size_t i = 1; i < 4; i++) {
        assert_null_cell(&r, stack_sample, i, node_id);
    }
    assert_rows(&r, js_cpu_profiler_sample, 4);
    assert_cell(&r, js_cpu_profiler_sample, 1, function_id, 9);
    assert_null_cell(&r, js_cpu_profiler_sample, 2, function_id);
    assert_int_equal(issue_sum(&r, "cpu_unknown_sample"), 1);
    assert_int_equal(issue_sum(&r, "cpu_bad_number"), 2);
    run_free(&r);
}

/* Two samples of nodes that are not there: seams of a part that is not in its place. */
static void test_two_unknown_samples(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ""), "\"samples\":[1,9,1,8,1],\"timeDeltas\":[1,1,1,1,1]"));
    assert_int_equal(issue_sum(&r, "cpu_samples_contradict"), 5);
    assert_null_cell(&r, stack_sample, 0, node_id);
    assert_null_cell(&r, stack_sample, 4, node_id);
    run_free(&r);
}

static void test_ids_of_every_size(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ",\"children\":[-5,9007199254740993,0]") "," NODE(
                                -5, "") "," NODE(9007199254740993, "") "," NODE(0, ""),
                            NO_SAMPLES));
    assert_nodes(&r, 4, (int64_t[]){1, -5, INT64_C(9007199254740993), 0}, (int64_t[]){0, 1, 1, 1});
    run_free(&r);
}

static void test_nodes_that_are_none(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE("{\"callFrame\":{}},5,null,[1],\"x\",{\"id\":\"1\"},{\"id\":1.5}," NODE(
                                1, "") ",{\"id\":2}",
                            NO_SAMPLES));
    assert_rows(&r, js_cpu_profiler_node, 2);
    assert_int_equal(issue_sum(&r, "cpu_bad_node"), 7);
    assert_int_equal(issue_sum(&r, "cpu_field_missing"), 1);
    assert_int_equal(SEEN(&r, "cpu_nodes"), 9);
    assert_int_equal(LOST(&r, "cpu_nodes"), 7);
    run_free(&r);
}

static void test_numbers_that_are_none(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE("{\"id\":1,\"callFrame\":{\"functionName\":\"f\",\"lineNumber\":\"3\","
                            "\"columnNumber\":1.5},\"hitCount\":null,\"children\":[2,\"3\",null,"
                            "[4],{},1.5]}," NODE(2, ""),
                            NO_SAMPLES));
    assert_null_cell(&r, js_cpu_profiler_node, 0, line_number);
    assert_null_cell(&r, js_cpu_profiler_node, 0, column_number);
    assert_null_cell(&r, js_cpu_profiler_node, 0, hit_count);
    assert_mem_text(r.sink, js_cpu_profiler_node, 0, children, "2");
    assert_int_equal(issue_sum(&r, "cpu_bad_number"), 8);
    run_free(&r);
}

static void test_samples_and_deltas_of_unequal_length(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ""), "\"samples\":[1,1,1],\"timeDeltas\":[1,2]"));
    assert_rows(&r, stack_sample, 3);
    for (size_t i = 0; i < 3; i++) { /* which delta is missing is not known */
        assert_null_cell(&r, stack_sample, i, ts);
        assert_null_cell(&r, stack_sample, i, dur);
        assert_cell(&r, stack_sample, i, node_id, 1);
    }
    assert_null_cell(&r, js_cpu_profiler_sample, 0, start_time);
    assert_null_cell(&r, js_cpu_profiler_sample, 0, end_time);
    assert_null_cell(&r, js_cpu_profiler_sample, 0, dur);
    assert_int_equal(issue_sum(&r, "cpu_delta_missing"), 1);
    assert_int_equal(LOST(&r, "cpu_time_deltas"), 2);
    run_free(&r);
    import_text(&r, PROFILE(NODE(1, ""), "\"samples\":[1],\"timeDeltas\":[1,2,3]"));
    assert_rows(&r, stack_sample, 1);
    assert_null_cell(&r, stack_sample, 0, ts);
    assert_int_equal(issue_sum(&r, "cpu_delta_extra"), 2);
    assert_int_equal(LOST(&r, "cpu_time_deltas"), 3);
    run_free(&r);
    /* Cut in the deltas: those that are there belong to the first samples. */
    import_text(&r,
                "{\"nodes\":[" NODE(1, "") "],\"startTime\":0,\"endTime\":9,\"samples\":[1,1,1],"
                                           "\"timeDeltas\":[1,2,");
    assert_rows(&r, stack_sample, 2);
    assert_cell(&r, stack_sample, 1, ts, 3000);
    assert_int_equal(issue_sum(&r, "cpu_delta_missing"), 0);
    run_free(&r);
    /* Cut in the deltas, which are too many for the samples nevertheless. */
    import_text(&r, "{\"nodes\":[" NODE(1, "") "],\"startTime\":0,\"endTime\":9,\"samples\":[1],"
                                               "\"timeDeltas\":[1,2,3,");
    assert_null_cell(&r, stack_sample, 0, ts);
    assert_int_equal(issue_sum(&r, "cpu_delta_extra"), 2);
    run_free(&r);
}

#define TICKS ",\"positionTicks\":[{\"line\":1,\"ticks\":1}]"

/* V8 counts a hit for every sample but the one that it takes at the beginning and that at the end.
 */
static void test_hits_and_samples(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ",\"children\":[2,3]") "," NODE(
                                2, ",\"hitCount\":2" TICKS) "," NODE(3, ",\"hitCount\":1" TICKS),
                            "\"samples\":[2,2,3,2,3],\"timeDeltas\":[1,1,1,1,1]"));
    assert_rows(&r, import_issue, 0);
    assert_cell(&r, stack_sample, 4, node_id, 2);
    run_free(&r);
    /* A digit was lost, or a part is not in its place: any sample may be another's. */
    import_text(&r, PROFILE(NODE(1, ",\"children\":[2,3]") "," NODE(
                                2, ",\"hitCount\":3" TICKS) "," NODE(3, ",\"hitCount\":1" TICKS),
                            "\"samples\":[3,2,3,2,3],\"timeDeltas\":[1,1,1,1,1]"));
    assert_null_cell(&r, stack_sample, 0, node_id);
    assert_int_equal(issue_sum(&r, "cpu_samples_contradict"), 5);
    assert_null_cell(&r, stack_sample, 1, node_id);
    assert_null_cell(&r, stack_sample, 4, node_id);
    assert_null_cell(&r, js_cpu_profiler_sample, 0, function_id);
    assert_cell(&r, stack_sample, 4, ts, 5000);
    run_free(&r);
    /* Without positionTicks it is not a profile of V8: others count in ways of their own. */
    import_text(&r, PROFILE(NODE(1, ",\"hitCount\":9"), "\"samples\":[1],\"timeDeltas\":[1]"));
    assert_rows(&r, import_issue, 0);
    run_free(&r);
}

#define V8_NODES                                                                                      \
    NODE(1, ",\"children\":[2,4,5,6,7,8,9,10]")                                                       \
    "," NODE(2, ",\"hitCount\":0,\"children\":[3]" TICKS) "," NODE(3, HIT) "," NODE(4, HIT) "," NODE( \
        5, HIT) "," NODE(6, HIT) "," NODE(7,                                                          \
                                          HIT) "," NODE(8,                                            \
                                                        HIT) "," NODE(9,                              \
                                                                      HIT) "," NODE(10,               \
                                                                                    ",\"hitCount"     \
                                                                                    "\":9" TICKS)
#define HIT ",\"hitCount\":1" TICKS
#define V8_PROFILE(end, samples, deltas)                                                           \
    "{\"nodes\":[" V8_NODES "],\"startTime\":0,\"endTime\":" end ",\"samples\":[" samples          \
    "],\"timeDeltas\":[" deltas "]}"
#define V8_SAMPLES "3,4,5,6,7,8,9,10,10,10,10,10,10,10,10,10"
#define V8_DELTAS "10,10,10,10,10,10,10,10,10,10,10,10,10,10,10,10"

/* Children of the root have one name, and so one row of stack_node: 2.
 *
 * endTime is not before the last sample. How long after it is not said: stopping takes time. */
static void test_times_that_end_elsewhere(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, V8_PROFILE("165", V8_SAMPLES, V8_DELTAS));
    assert_int_equal(issue_sum(&r, "cpu_times_contradict"), 0);
    assert_cell(&r, stack_sample, 15, ts, 160000);
    assert_cell(&r, stack_sample, 15, node_id, 2);
    run_free(&r);
    import_text(&r, V8_PROFILE("159", V8_SAMPLES, V8_DELTAS));
    assert_int_equal(issue_sum(&r, "cpu_times_contradict"), 16);
    assert_null_cell(&r, stack_sample, 0, ts);
    assert_null_cell(&r, stack_sample, 15, dur);
    assert_cell(&r, stack_sample, 15, node_id, 2);
    run_free(&r);
    import_text(&r, V8_PROFILE("390", V8_SAMPLES, V8_DELTAS));
    assert_rows(&r, import_issue, 0);
    assert_cell(&r, stack_sample, 15, dur, 230000);
    run_free(&r);
}

/* A new node has the next id, unless callers of it are new too: 2 and 3 come together. */
static void test_samples_out_of_order(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, V8_PROFILE("165", "3,4,5,6,7,8,10,10,9,10,10,10,10,10,10,10", V8_DELTAS));
    assert_int_equal(issue_sum(&r, "cpu_samples_contradict"), 16); /* it may begin before */
    assert_null_cell(&r, stack_sample, 5, node_id);
    assert_null_cell(&r, stack_sample, 6, node_id);
    assert_null_cell(&r, stack_sample, 15, node_id);
    assert_cell(&r, stack_sample, 15, ts, 160000);
    run_free(&r);
    /* Several samples that hitCount contradicts: which stand in wrong places is not known. */
    import_text(&r, V8_PROFILE("165", "3,4,5,6,7,8,9,10,8,8,8,10,10,10,10,10", V8_DELTAS));
    assert_int_equal(issue_sum(&r, "cpu_samples_contradict"), 16);
    assert_null_cell(&r, stack_sample, 0, node_id);
    run_free(&r);
}

/* The first samples were exchanged with later ones: those that come behind are in order again, so
 * that the ids are V8's. */
static void test_first_samples_out_of_order(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, V8_PROFILE("165", "3,5,4,6,7,8,9,10,10,10,10,10,10,10,10,10", V8_DELTAS));
    assert_int_equal(issue_sum(&r, "cpu_samples_contradict"), 16);
    assert_null_cell(&r, stack_sample, 0, node_id);
    assert_null_cell(&r, stack_sample, 1, node_id);
    assert_cell(&r, stack_sample, 1, ts, 20000);
    run_free(&r);
}

/* V8 takes samples without a hit when it throws optimised code away, as often as it does that. */
static void test_samples_without_a_hit(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ",\"children\":[2,3]") "," NODE(
                                2, ",\"hitCount\":0" TICKS) "," NODE(3, ",\"hitCount\":1" TICKS),
                            "\"samples\":[2,2,3,2,2,2,2,2],\"timeDeltas\":[1,1,1,1,1,1,1,1]"));
    assert_rows(&r, import_issue, 0);
    assert_cell(&r, stack_sample, 0, node_id, 2);
    run_free(&r);
}

#define OWN(id, name, more) "{\"id\":" #id ",\"callFrame\":{\"functionName\":\"" name "\"}" more "}"
#define OWN_PROFILE(hits_of_4, samples)                                                                                  \
    PROFILE(                                                                                                             \
        NODE(1, ",\"children\":[2,3,4,5,6,7,8,9]") "," NODE(2, HIT) "," OWN(3, "(program)", ",\"hitCount\":9") "," NODE( \
            4,                                                                                                           \
            ",\"hitCount\":" hits_of_4                                                                                   \
                TICKS) "," NODE(5, HIT) "," NODE(6,                                                                      \
                                                 HIT) "," NODE(7,                                                        \
                                                               HIT) "," NODE(8,                                          \
                                                                             HIT) "," NODE(9,                            \
                                                                                           HIT),                         \
        "\"samples\":[" samples "],\"timeDeltas\":[1,1,1,1,1,1,1,1,1,1]")

/* DevTools saves the node before in the place of (program), the first time and later ones, and V8
 * counts hits of samples of its own that it does not keep. */
static void test_samples_of_program(void **state)
{
    static const char *const samples[] = {"2,2,4,4,5,6,7,8,8,9", "2,2,4,4,5,6,3,7,8,9"};
    run r;
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        char text[4096];
        const char *at = OWN_PROFILE("1", "@");
        const char *mark = strchr(at, '@');
        snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - at), at, samples[i], mark + 1);
        import_text(&r, text);
        assert_rows(&r, import_issue, 0);
        for (size_t k = 0; k < 10; k++) {
            assert_false(MEM_NULL(r.sink, stack_sample, k, node_id));
        }
        run_free(&r);
    }
}

/* v8.startCpuProfile({maxBufferSize}) of Node.js 26: hits go on when no sample has room. */
static void test_full_buffer(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, OWN_PROFILE("1", "2,4,5,6,7,8,8,9,9,9"));
    assert_rows(&r, import_issue, 0);
    run_free(&r);
    import_text(&r, OWN_PROFILE("154", "2,4,5,6,7,8,8,9,9,9"));
    assert_rows(&r, import_issue, 0);
    assert_cell(&r, stack_sample, 9, ts, 10000);
    run_free(&r);
}

/* ArkTS writes a sample before a long interval as one of (program): 2; hits stay where they were.
 */
static void test_arkts(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r,
        "{\"tid\":7,\"startTime\":1000,\"endTime\":90000,\"gcTime\":1,\"asmInterpreterDeoptTime\":"
        "2,"
        "\"jitTime\":3,\"nodes\":[" OWN(1, "(root)", ",\"hitCount\":0,\"children\":[2,3,4]") "," OWN(
            2, "(program)",
            ",\"hitCount\":1,\"children\":[]") "," OWN(3, "(idle)",
                                                       ",\"hitCount\":0,\"children\":["
                                                       "]") ",{\"id\":4,\"callFrame\":"
                                                            "{\"functionName\":"
                                                            "\"build(AINT)\","
                                                            "\"moduleName\":\"entry\","
                                                            "\"scriptId\":\"1\","
                                                            "\"url\":\"a.ets\","
                                                            "\"lineNumber\":3,"
                                                            "\"columnNumber\":1},"
                                                            "\"hitCount\":16,"
                                                            "\"children\":[5]}," OWN(
                                                                5, "never",
                                                                ",\"hitCount\":1,"
                                                                "\"children\":[]") "],"
                                                                                   "\""
                                                                                   "sa"
                                                                                   "mp"
                                                                                   "le"
                                                                                   "s"
                                                                                   "\""
                                                                                   ":["
                                                                                   "4,"
                                                                                   "2,"
                                                                                   "4,"
                                                                                   "2,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "4,"
                                                                                   "2]"
                                                                                   ","
                                                                                   "\""
                                                                                   "ti"
                                                                                   "me"
                                                                                   "De"
                                                                                   "lt"
                                                                                   "as"
                                                                                   "\""
                                                                                   ":["
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "40"
                                                                                   "00"
                                                                                   "0,"
                                                                                   "9,"
                                                                                   "40"
                                                                                   "00"
                                                                                   "0,"
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "9,"
                                                                                   "9]"
                                                                                   "}");
    assert_rows(&r, import_issue, 0);
    assert_cell(&r, stack_sample, 2, ts, 40018000);
    assert_cell(&r, stack_sample, 1, node_id, 2);
    assert_cell(&r, js_cpu_profile, 0, tid, 7);
    assert_cell(&r, js_cpu_profile, 0, gc_time_us, 1);
    assert_mem_text(r.sink, source_property, 0, key, "asmInterpreterDeoptTime");
    assert_mem_text(r.sink, source_property, 0, value, "2");
    assert_mem_text(r.sink, source_property, 1, key, "jitTime");
    assert_mem_text(r.sink, stack_method, 3, library, "entry");
    assert_null_cell(&r, stack_method, 4, library);
    run_free(&r);
}

#define OLD(id, name, hits, children)                                                              \
    "{\"functionName\":\"" name "\",\"scriptId\":\"3\",\"url\":\"a.js\",\"lineNumber\":4,"         \
    "\"columnNumber\":5,\"hitCount\":" #hits ",\"callUID\":9,\"children\":[" children              \
    "],\"deoptReason\":\"\",\"id\":" #id ",\"positionTicks\":[{\"line\":1,\"ticks\":2}]}"
#define NEW(id, name, hits, children)                                                              \
    "{\"id\":" #id ",\"callFrame\":{\"functionName\":\"" name                                      \
    "\",\"scriptId\":\"3\",\"url\":\"a.js\","                                                      \
    "\"lineNumber\":4,\"columnNumber\":5},\"hitCount\":" #hits ",\"children\":[" children "]}"
#define OLD_TREE OLD(1, "(root)", 0, OLD(2, "a", 1, OLD(3, "b", 2, "")) "," OLD(4, "c", 1, ""))
static const enum ts_table_id cpu_tables[] = {TS_T_js_cpu_profiler_sample, TS_T_stack_sample,
                                              TS_T_stack_method};

/* Profiles of old V8: one tree, seconds, and times of samples in µs. */
static void test_head(void **state)
{
    static const char *const old[] = {
        "{\"head\":" OLD_TREE ",\"startTime\":8.001,\"endTime\":8.0012,\"samples\":[3,3,2,4],"
        "\"timestamps\":[8001010,8001020,8001040,8001080]}",
        "{\"typeId\":\"CPU\",\"uid\":\"1\",\"title\":\"t\",\"timestamps\":[8001010,8001020,8001040,"
        "8001080],\"samples\":[3,3,2,4],\"startTime\":8.001,\"endTime\":8.0012,\"head\":" OLD_TREE
        "}"};
    run want;
    UNUSED(state);
    import_text(
        &want,
        "{\"nodes\":[" NEW(1, "(root)", 0, "2,4") "," NEW(2, "a", 1, "3") "," NEW(
            3, "b", 2,
            "") "," NEW(4, "c", 1,
                        "") "],\"startTime\":8001000,\"endTime\":8001200,\"samples\":[3,3,2,4],"
                            "\"timeDeltas\":[10,10,20,40]}");
    for (size_t i = 0; i < 2; i++) {
        run r;
        import_text(&r, old[i]);
        assert_int_equal(complaints(&r), 0);
        assert_same_rows(&r, &want, cpu_tables, sizeof cpu_tables / sizeof cpu_tables[0]);
        assert_nodes(&r, 4, (int64_t[]){1, 2, 3, 4}, (int64_t[]){0, 1, 2, 1});
        assert_cell(&r, js_cpu_profiler_node, 2, hit_count, 2);
        assert_mem_text(r.sink, js_cpu_profiler_node, 0, children, "2,4");
        assert_cell(&r, js_cpu_profile, 0, end_time, 200000);
        run_free(&r);
    }
    run_free(&want);
}

/* Some wrote whole seconds: the profile ends with the second, not before its last sample. */
static void test_head_with_whole_seconds(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "{\"head\":" OLD_TREE ",\"startTime\":8,\"endTime\":8,\"samples\":[3,3],"
                    "\"timestamps\":[8001010,8001020]}");
    assert_int_equal(complaints(&r), 0);
    assert_cell(&r, stack_sample, 0, ts, 1010000);
    assert_cell(&r, stack_sample, 1, dur, 0);
    run_free(&r);
}

/* Callers come after what they call: in a tree that is cut off they are not known. */
static void test_head_that_is_cut(void **state)
{
    static const char text[] =
        "{\"head\":" OLD_TREE ",\"startTime\":8,\"endTime\":9,\"samples\":[3],"
        "\"timestamps\":[8001010]}";
    UNUSED(state);
    for (size_t n = 8; n < sizeof text - 1; n++) {
        char cut[sizeof text];
        run r;
        snprintf(cut, sizeof cut, "%.*s", (int)n, text);
        import_text(&r, cut);
        for (size_t i = 0; i < MEM_ROWS(r.sink, js_cpu_profiler_node); i++) {
            const int64_t id = MEM_INT(r.sink, js_cpu_profiler_node, i, function_id);
            assert_true(MEM_NULL(r.sink, js_cpu_profiler_node, i, parent_id) ||
                        MEM_INT(r.sink, js_cpu_profiler_node, i, parent_id) == (id == 3   ? 2
                                                                                : id == 1 ? 0
                                                                                          : 1));
        }
        run_free(&r);
    }
}

/* Node.js 6 gave timeDeltas another name. */
static void test_timestamp_deltas(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ""), "\"samples\":[1,1],\"timestampDeltas\":[10,20]"));
    assert_rows(&r, import_issue, 0);
    assert_cell(&r, stack_sample, 1, ts, 30000);
    run_free(&r);
}

/* A sample of no node beside others that hitCount contradicts, also where another than V8 wrote it:
 * a part of the samples is not in its place. One alone is a changed number. */
static void test_unknown_sample_among_moved_ones(void **state)
{
    run r;
    UNUSED(state);
#define MOVED(samples)                                                                             \
    PROFILE(NODE(1, ",\"children\":[2,3]") "," NODE(2, ",\"hitCount\":3") "," NODE(                \
                3, ",\"hitCount\":3"),                                                             \
            "\"samples\":[" samples "],\"timeDeltas\":[1,1,1,1,1,1]")
    import_text(&r, MOVED("2,3,23,3,2,3"));
    assert_int_equal(issue_sum(&r, "cpu_unknown_sample"), 1);
    assert_int_equal(issue_sum(&r, "cpu_samples_contradict"), 0);
    assert_cell(&r, stack_sample, 0, node_id, 2);
    run_free(&r);
    import_text(&r, MOVED("3,3,32,3,2,3"));
    assert_int_equal(issue_sum(&r, "cpu_samples_contradict"), 6);
    assert_null_cell(&r, stack_sample, 0, node_id);
    assert_cell(&r, stack_sample, 0, ts, 1000);
    run_free(&r);
}

/*
 * The text breaks off at a comma: parts of the list meet that were not neighbours, and what was
 * read may be one of them. A byte that JSON is not made of was damaged itself.
 */
static void test_lists_that_break_off(void **state)
{
    run r;
    UNUSED(state);
#define BREAK(deltas)                                                                              \
    "{\"nodes\":[" NODE(1, "") "],\"startTime\":0,\"endTime\":9,\"samples\":"                      \
                               "[1,1,1],\"timeDeltas\":[" deltas
    import_text(&r, BREAK("1,2,,3]}"));
    assert_rows(&r, stack_sample, 3);
    assert_null_cell(&r, stack_sample, 0, ts);
    assert_int_equal(issue_sum(&r, "cpu_times_contradict"), 3);
    run_free(&r);
    import_text(&r, BREAK("1,2,03]}"));
    assert_null_cell(&r, stack_sample, 0, ts);
    run_free(&r);
    import_text(&r, BREAK("1,2,x]}"));
    assert_rows(&r, stack_sample, 2);
    assert_cell(&r, stack_sample, 1, ts, 3000);
    assert_int_equal(issue_sum(&r, "cpu_times_contradict"), 0);
    run_free(&r);
    import_text(&r, BREAK("1,2,"));
    assert_cell(&r, stack_sample, 1, ts, 3000);
    run_free(&r);
    import_text(&r, "{\"startTime\":0,\"endTime\":9,\"timeDeltas\":[1,1,1],\"nodes\":[" NODE(
                        1, "") "],\"samples\":[1,1,]}");
    assert_rows(&r, stack_sample, 2);
    assert_null_cell(&r, stack_sample, 0, node_id);
    assert_cell(&r, stack_sample, 0, ts, 1000);
    assert_int_equal(issue_sum(&r, "cpu_samples_contradict"), 2);
    run_free(&r);
}

/* Whoever wrote it: with enough samples, an end before the last of them contradicts the deltas. */
static void test_end_before_the_last_sample(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "{\"nodes\":[" NODE(
                        1, "") "],\"startTime\":0,\"endTime\":159,\"samples\":"
                               "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],\"timeDeltas\":[" V8_DELTAS "]}");
    assert_int_equal(issue_sum(&r, "cpu_times_contradict"), 16);
    assert_null_cell(&r, stack_sample, 0, ts);
    run_free(&r);
}

static void test_nodes_of_v8_are_numbered(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ",\"children\":[3]") "," NODE(3, TICKS), NO_SAMPLES));
    assert_int_equal(issue_sum(&r, "cpu_nodes_gap"), 1);
    run_free(&r);
    import_text(&r, PROFILE(NODE(1, ",\"children\":[2]") "," NODE(2, TICKS), NO_SAMPLES));
    assert_int_equal(issue_sum(&r, "cpu_nodes_gap"), 0);
    run_free(&r);
}

static void test_second_root(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r,
                PROFILE(NODE(1, ",\"children\":[2]") "," NODE(2, "") "," NODE(3, ""), NO_SAMPLES));
    assert_int_equal(issue_sum(&r, "cpu_second_root"), 1);
    assert_cell(&r, js_cpu_profiler_node, 0, parent_id, 0);
    assert_null_cell(&r, js_cpu_profiler_node, 2, parent_id);
    run_free(&r);
}

/* Ids are shifted behind those of the profile before. */
static void test_ids_that_cannot_be_shifted(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE("{\"id\":9223372036854775807,\"callFrame\":{}}",
                            "\"samples\":[9223372036854775807],\"timeDeltas\":[1]"));
    assert_cell(&r, js_cpu_profiler_node, 0, function_id, INT64_MAX);
    run_free(&r);
}

static void test_times_beyond_64_bit(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r,
        "{\"nodes\":[" NODE(
            1, "") "],\"startTime\":9223372036854775807,\"endTime\":"
                   "-9223372036854775808,\"samples\":[1,1,1],\"timeDeltas\":[9223372036854775807,"
                   "9223372036854775807,-9223372036854775808]}");
    assert_rows(&r, stack_sample, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_null_cell(&r, stack_sample, i, ts);
        assert_null_cell(&r, stack_sample, i, dur);
    }
    assert_null_cell(&r, js_cpu_profile, 0, end_time);
    assert_true(issue_sum(&r, "time_overflow") >= 1);
    run_free(&r);
    /* The first sample fits; the second does not, and so does no sample behind it. */
    import_text(&r,
                "{\"nodes\":[" NODE(1, "") "],\"startTime\":0,\"endTime\":9,\"samples\":[1,1,1],"
                                           "\"timeDeltas\":[7,9223372036854775807,1]}");
    assert_cell(&r, stack_sample, 0, ts, 7000);
    assert_null_cell(&r, stack_sample, 0, dur);
    assert_null_cell(&r, stack_sample, 1, ts);
    assert_null_cell(&r, stack_sample, 2, ts);
    assert_int_equal(issue_sum(&r, "time_overflow"), 1);
    run_free(&r);
}

typedef struct moment {
    int64_t us;
    int id;
} moment;

static int compare_moments(const void *a, const void *b)
{
    const moment *x = a;
    const moment *y = b;
    return x->us != y->us ? (x->us < y->us ? -1 : 1) : x->id - y->id;
}

/* Sample k has the node k + 1, so that the order of equal times shows. */
static void check_order(unsigned seed, int n, int spread)
{
    moment moments[64];
    bytes nodes = {0};
    bytes samples = {0};
    bytes deltas = {0};
    bytes text = {0};
    int64_t us = 0;
    run r;
    for (int i = 0; i < n; i++) {
        int delta = i == 0
                        ? 1000
                        : (int)((seed = seed * 1664525U + 1013904223U) >> 16) % spread - spread / 3;
        us += delta;
        moments[i] = (moment){us, i + 1};
        putf(&nodes, "%s{\"id\":%d,\"callFrame\":{\"functionName\":\"f%d\"}}", i == 0 ? "" : ",",
             i + 1, i);
        putf(&samples, "%s%d", i == 0 ? "" : ",", i + 1);
        putf(&deltas, "%s%d", i == 0 ? "" : ",", delta);
    }
    qsort(moments, (size_t)n, sizeof moments[0], compare_moments);
    put_str(&text, "{\"nodes\":[");
    put(&text, nodes.p, nodes.n);
    put_str(&text, "],\"startTime\":0,\"endTime\":0,\"samples\":[");
    put(&text, samples.p, samples.n);
    put_str(&text, "],\"timeDeltas\":[");
    put(&text, deltas.p, deltas.n);
    put_str(&text, "]}");
    import_bytes(&r, text);
    assert_rows(&r, stack_sample, (size_t)n);
    for (size_t i = 0; i < (size_t)n; i++) {
        assert_cell(&r, stack_sample, i, ts, moments[i].us * 1000);
        assert_cell(&r, stack_sample, i, node_id, moments[i].id);
        assert_cell(&r, js_cpu_profiler_sample, i, function_id, moments[i].id);
    }
    run_free(&r);
    free(nodes.p);
    free(samples.p);
    free(deltas.p);
}

static void test_order_of_samples(void **state)
{
    UNUSED(state);
    for (int n = 2; n < 64; n++) {
        check_order((unsigned)n, n, 4);
        check_order((unsigned)n + 100, n, 40);
    }
}

static void test_deltas_that_are_no_integers(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, ""), "\"samples\":[1,1,1],\"timeDeltas\":[1.6,null,1e1]"));
    assert_cell(&r, stack_sample, 0, ts, 2000);
    assert_null_cell(&r, stack_sample, 1, ts);
    assert_null_cell(&r, stack_sample, 2, ts);
    assert_int_equal(issue_sum(&r, "cpu_bad_number"), 2);
    run_free(&r);
}

static void test_missing_members(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "{\"startTime\":5,\"endTime\":9,\"timeDeltas\":[]}");
    assert_rows(&r, js_cpu_profile, 1);
    assert_int_equal(issue_sum(&r, "profile_field_missing"), 2);
    run_free(&r);
    import_text(&r, "{\"nodes\":[" NODE(1, "") "],\"samples\":[1],\"timeDeltas\":[5]}");
    assert_cell(&r, stack_sample, 0, ts, 5000);
    assert_null_cell(&r, js_cpu_profile, 0, start_time);
    assert_null_cell(&r, js_cpu_profile, 0, end_time);
    assert_int_equal(issues(&r, "profile_no_start"), 1);
    run_free(&r);
}

static void test_end_before_start(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r,
                "{\"nodes\":[" NODE(1, "") "],\"startTime\":500,\"endTime\":400,\"samples\":[1],"
                                           "\"timeDeltas\":[5]}");
    assert_null_cell(&r, stack_sample, 0, dur);
    assert_int_equal(issues(&r, "profile_end_before_start"), 1);
    run_free(&r);
    import_text(&r, PROFILE(NODE(1, ""), "\"samples\":[1,1],\"timeDeltas\":[5,1000]"));
    assert_cell(&r, stack_sample, 0, dur, 1000000);
    assert_null_cell(&r, stack_sample, 1, dur);
    assert_int_equal(issues(&r, "profile_end_before_start"), 1);
    run_free(&r);
}

static void test_parent_members_instead_of_children(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(1, "") "," NODE(2, ",\"parent\":1") "," NODE(3, ",\"parent\":2"),
                            NO_SAMPLES));
    assert_nodes(&r, 3, (int64_t[]){1, 2, 3}, (int64_t[]){0, 1, 2});
    run_free(&r);
}

static void test_figures_of_the_runtime(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r,
                "{\"tid\":1735,\"title\":\"t\",\"gcTime\":1,\"cInterpreterTime\":2,"
                "\"asmInterpreterTime\":3,\"aotTime\":4,\"builtinTime\":5,\"napiTime\":6,"
                "\"arkuiEngineTime\":7,\"runtimeTime\":8,\"otherTime\":9,\"startTime\":100,"
                "\"endTime\":300,\"nodes\":[" NODE(1, "") "],\"samples\":[1],\"timeDeltas\":[0]}");
    assert_cell(&r, js_cpu_profile, 0, tid, 1735);
    assert_mem_text(r.sink, js_cpu_profile, 0, title, "t");
    assert_cell(&r, js_cpu_profile, 0, gc_time_us, 1);
    assert_cell(&r, js_cpu_profile, 0, other_time_us, 9);
    assert_int_equal(memsink_count_int(r.sink, TS_T_thread, TS_C_thread__tid, 1735), 1);
    assert_cell(&r, stack_sample, 0, itid, 1);
    run_free(&r);
}

static void test_root_with_another_id(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(5, ",\"children\":[1]") "," NODE(1, ""), NO_SAMPLES));
    assert_int_equal(issues(&r, "cpu_no_root"), 1);
    run_free(&r);
}

static void test_names_in_pieces_and_halves(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE("{\"id\":1,\"callFrame\":{\"functionName\":\"\\ud83d\\ude00\\ud83d\","
                            "\"url\":\"\xff\",\"scriptId\":\"\\u0031\"}}",
                            NO_SAMPLES));
    assert_true(ts_text_is(dict_text(&r, MEM_INT(r.sink, js_cpu_profiler_node, 0, function_index)),
                           "\xf0\x9f\x98\x80\xef\xbf\xbd"));
    assert_mem_text(r.sink, js_cpu_profiler_node, 0, script_id, "1");
    assert_int_equal(issue_sum(&r, "cpu_bad_text"), 2);
    run_free(&r);
}

/* --- bare files ------------------------------------------------------------------------------- */

static void test_bare_profile(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, TINY_PROFILE);
    assert_cell(&r, stack_sample, 0, ts, 100000);
    assert_cell(&r, stack_sample, 3, dur, 300000);
    assert_cell(&r, js_cpu_profile, 0, start_time, 0);
    assert_cell(&r, js_cpu_profile, 0, end_time, 600000);
    assert_null_cell(&r, js_cpu_profile, 0, started_ts);
    assert_null_cell(&r, js_cpu_profile, 0, reported_ts);
    assert_mem_row(r.sink, trace_range, 0, "0|600000");
    assert_mem_row(r.sink, js_config, 0, "0|-1|0|0|0|1|0");
    assert_string_equal(property(&r, "js_config"), "made up");
    assert_int_equal(MEM_ROWS(r.sink, import_issue), 0);
    assert_string_equal(property(&r, "startTime"), "1000");
    assert_mem_text(r.sink, source, 1, clock, "relative");
    assert_mem_text(r.sink, source, 0, format, "cpuprofile");
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
}

/* --- a part of the time ----------------------------------------------------------------------- */

static void import_range(run *r, bytes file, ts_wanted_kind kind, int64_t from, int64_t to)
{
    import_begin(r);
    r->ctx->time_range = (ts_time_range){kind, from, to};
    (void)import_files(r, &file, 1, 0);
    free(file.p);
    assert_ok(r->ctx, r->code);
    assert_int_equal(issues(r, "conservation"), 0);
}

/* Samples at 100, 190, 200, 300 us: what starts in [190, 300) is there, whole. */
static void test_time_range_of_a_bare_profile(void **state)
{
    run r;
    UNUSED(state);
    import_range(&r, bytes_of(TINY_PROFILE), TS_WANTED_OFFSET, 190000, 300000);
    assert_rows(&r, stack_sample, 2);
    assert_cell(&r, stack_sample, 0, ts, 190000);
    assert_cell(&r, stack_sample, 0, dur, 10000);
    assert_cell(&r, stack_sample, 1, ts, 200000);
    assert_cell(&r, stack_sample, 1, dur, 100000);
    assert_rows(&r, js_cpu_profiler_sample, 2);
    assert_cell(&r, js_cpu_profiler_sample, 0, start_time, 190000);
    assert_cell(&r, js_cpu_profiler_sample, 1, end_time, 300000);
    assert_int_equal(SKIPPED(&r, "cpu_samples"), 2);
    assert_int_equal(SKIPPED(&r, "cpu_time_deltas"), 2);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
    import_range(&r, bytes_of(TINY_PROFILE), TS_WANTED_OFFSET, 300000, INT64_MAX);
    assert_rows(&r, stack_sample, 1);
    assert_cell(&r, stack_sample, 0, dur, 300000);
    run_free(&r);
    import_range(&r, bytes_of(TINY_PROFILE), TS_WANTED_OFFSET, INT64_MIN, 100000);
    assert_rows(&r, stack_sample, 0);
    assert_rows(&r, js_cpu_profiler_sample, 0);
    assert_int_equal(SKIPPED(&r, "cpu_samples"), 4);
    run_free(&r);
}

/* A bare profile does not say what the time of day was. */
static void test_time_range_that_cannot_be_related(void **state)
{
    run r;
    UNUSED(state);
    import_range(&r, bytes_of(TINY_PROFILE), TS_WANTED_REALTIME, 0, 1);
    assert_rows(&r, stack_sample, 4);
    assert_int_equal(issue_sum(&r, "time_range_unrelated"), 1);
    run_free(&r);
}

/* Samples are on the monotonic clock, 90 s behind realtime. */
static void test_time_range_of_a_recording(void **state)
{
    bytes b = {0};
    run r;
    UNUSED(state);
    size_t at = begin_recording(&b);
    put_config(&b, 1734, -1, true);
    put_profile(&b, TINY_PROFILE, AT(11000));
    close_header(&b, at);
    import_range(&r, b, TS_WANTED_REALTIME, 90 * (int64_t)SECOND + 1150000,
                 90 * (int64_t)SECOND + 1250000);
    assert_rows(&r, stack_sample, 2);
    assert_cell(&r, stack_sample, 0, ts, 1190000 - 10 * (int64_t)SECOND);
    assert_cell(&r, stack_sample, 1, ts, 1200000 - 10 * (int64_t)SECOND);
    assert_int_equal(SKIPPED(&r, "cpu_samples"), 2);
    run_free(&r);
}

static void test_bare_heaps(void **state)
{
    snap s = tiny_snap();
    run r;
    UNUSED(state);
    import_snap(&r, &s);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0|0|1000000|40");
    assert_mem_row(r.sink, trace_range, 0, "0|1000000");
    assert_mem_row(r.sink, js_config, 0, "0|0|0|0|0|0|0");
    assert_mem_text(r.sink, source, 1, clock, "relative");
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
    s = tiny_timeline();
    import_snap(&r, &s);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Timeline|0|200631000|40");
    assert_mem_row(r.sink, trace_range, 0, "0|200631000");
    assert_mem_row(r.sink, js_config, 0, "0|1|0|0|0|0|0");
    run_free(&r);
}

static void test_several_bare_files(void **state)
{
    snap s = tiny_snap();
    snap t = tiny_timeline();
    bytes files[5] = {snap_text(&s), bytes_of(TINY_PROFILE), snap_text(&t), snap_text(&s),
                      bytes_of(TINY_PROFILE)};
    run r;
    UNUSED(state);
    import_all(&r, files, 5);
    assert_rows(&r, js_heap_files, 3);
    assert_mem_text(r.sink, js_heap_files, 0, file_name, "Snapshot0");
    assert_mem_text(r.sink, js_heap_files, 1, file_name, "Timeline");
    assert_mem_text(r.sink, js_heap_files, 2, file_name, "Snapshot2");
    assert_rows(&r, js_config, 1);
    assert_mem_row(r.sink, js_config, 0, "0|1|0|0|0|1|0");
    assert_cell(&r, js_cpu_profile, 1, id_offset, 4);
    /* Side by side: 1 ms a snapshot, the timeline as long as it is, the profile from its start. */
    assert_cell(&r, js_heap_files, 0, start_time, 0);
    assert_cell(&r, js_heap_files, 0, end_time, 1000000);
    assert_cell(&r, js_heap_files, 1, start_time, 1600000);
    assert_cell(&r, js_heap_files, 1, end_time, 202231000);
    assert_cell(&r, js_heap_files, 2, end_time, 203231000);
    assert_mem_row(r.sink, trace_range, 0, "0|203831000");
    assert_rows(&r, source, 10);
    for (size_t i = 0; i < 12; i++) {
        assert_cell(&r, js_heap_edges, i, from_node_id, i % 4 < 2 ? 1 : 3);
    }
    run_free(&r);
    for (size_t i = 0; i < 5; i++) {
        free(files[i].p);
    }
}

static void test_bare_text_after_the_end(void **state)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    run r;
    UNUSED(state);
    put_str(&text, "\n\n");
    import_one(&r, &text);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
    put_str(&text, "x");
    import_one(&r, &text);
    assert_int_equal(issues(&r, "json_trailing_bytes"), 1);
    assert_mem_text(r.sink, js_heap_files, 0, file_name, "Snapshot0");
    run_free(&r);
    import_text(&r, TINY_PROFILE "x");
    assert_int_equal(issues(&r, "json_trailing_bytes"), 1);
    assert_rows(&r, stack_sample, 4);
    run_free(&r);
    free(text.p);
}

static void test_recognised_by_content(void **state)
{
    snap s = tiny_snap();
    run r;
    UNUSED(state);
    s.m[M_STRINGS] = "\"strings\":[\"callFrame\",\"startTime\",\"timeDeltas\"]";
    import_snap(&r, &s);
    assert_rows(&r, js_heap_nodes, 3);
    run_free(&r);
    import_text(&r, "\xef\xbb\xbf \n{ \"nodes\" : [" NODE(
                        1, "") "],\"startTime\":1,\"endTime\":2," NO_SAMPLES "}");
    assert_rows(&r, js_cpu_profiler_node, 1);
    run_free(&r);
    import_text(&r, "\xef\xbb\xbf{\"nodes\":[0,1,1,0,0,0,0],\"snapshot\":{" META_ALL "}}");
    assert_rows(&r, js_heap_nodes, 1);
    run_free(&r);
}

static void test_texts_that_are_no_recording(void **state)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "{}",
                                        "[]",
                                        "{\"a\":1}",
                                        "nodes",
                                        "\"snapshot\"",
                                        "{\"events\":[]}",
                                        "{\"startTime\":"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bytes file = bytes_of(texts[i]);
        run r;
        import_begin(&r);
        (void)import_files(&r, &file, 1, 0);
        assert_true(r.code == TS_ERR_FORMAT || r.code == TS_ERR_INPUT || i == 8);
        assert_rows(&r, js_heap_files, 0);
        run_free(&r);
        free(file.p);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_second_parent),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_duplicate_ids),
        cmocka_unit_test(test_unknown_children_and_samples),
        cmocka_unit_test(test_two_unknown_samples),
        cmocka_unit_test(test_ids_of_every_size),
        cmocka_unit_test(test_nodes_that_are_none),
        cmocka_unit_test(test_numbers_that_are_none),
        cmocka_unit_test(test_samples_and_deltas_of_unequal_length),
        cmocka_unit_test(test_hits_and_samples),
        cmocka_unit_test(test_first_samples_out_of_order),
        cmocka_unit_test(test_samples_without_a_hit),
        cmocka_unit_test(test_samples_of_program),
        cmocka_unit_test(test_full_buffer),
        cmocka_unit_test(test_arkts),
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_head_with_whole_seconds),
        cmocka_unit_test(test_head_that_is_cut),
        cmocka_unit_test(test_timestamp_deltas),
        cmocka_unit_test(test_unknown_sample_among_moved_ones),
        cmocka_unit_test(test_lists_that_break_off),
        cmocka_unit_test(test_end_before_the_last_sample),
        cmocka_unit_test(test_times_that_end_elsewhere),
        cmocka_unit_test(test_samples_out_of_order),
        cmocka_unit_test(test_nodes_of_v8_are_numbered),
        cmocka_unit_test(test_second_root),
        cmocka_unit_test(test_ids_that_cannot_be_shifted),
        cmocka_unit_test(test_times_beyond_64_bit),
        cmocka_unit_test(test_order_of_samples),
        cmocka_unit_test(test_deltas_that_are_no_integers),
        cmocka_unit_test(test_missing_members),
        cmocka_unit_test(test_end_before_start),
        cmocka_unit_test(test_parent_members_instead_of_children),
        cmocka_unit_test(test_figures_of_the_runtime),
        cmocka_unit_test(test_root_with_another_id),
        cmocka_unit_test(test_names_in_pieces_and_halves),
        cmocka_unit_test(test_bare_profile),
        cmocka_unit_test(test_time_range_of_a_bare_profile),
        cmocka_unit_test(test_time_range_that_cannot_be_related),
        cmocka_unit_test(test_time_range_of_a_recording),
        cmocka_unit_test(test_bare_heaps),
        cmocka_unit_test(test_several_bare_files),
        cmocka_unit_test(test_bare_text_after_the_end),
        cmocka_unit_test(test_recognised_by_content),
        cmocka_unit_test(test_texts_that_are_no_recording),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* CPU profiles, as bare files. */
#include "catalogue.h"

static void make_text(making *m)
{
    put_str(&m->b, m->arg);
}

#define CALL(name, script)                                                                         \
    "\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":" script                            \
    ",\"url\":\"u\",\"lineNumber\":1,\"columnNumber\":1},\"hitCount\":1"
#define NODE(id, name, children)                                                                   \
    "{\"id\":" id "," CALL(name, "\"7\"") ",\"children\":[" children "]}"
/* Nodes in braces, then what follows them. */
#define PROFILE(nodes, rest) "{\"nodes\":[" nodes "]," rest "}"
#define TIMES "\"startTime\":1000,\"endTime\":1600,\"samples\":[2,2,3],\"timeDeltas\":[100,90,10]"
#define TREE(children) NODE("1", "(root)", children) "," NODE("2", "a", "") "," NODE("3", "b", "")
#define THREE                                                                                      \
    {TS_T_js_cpu_profiler_node, 3},                                                                \
    {                                                                                              \
        TS_T_stack_sample, 3                                                                       \
    }

static void check_big_id(const run *r)
{
    assert_cell(r, js_cpu_profiler_node, 1, function_id, INT64_C(9007199254740993));
    assert_cell(r, js_cpu_profiler_sample, 0, function_id, INT64_C(9007199254740993));
}

static void check_negative_id(const run *r)
{
    assert_cell(r, js_cpu_profiler_node, 1, function_id, -2);
    assert_cell(r, js_cpu_profiler_node, 1, parent_id, 1);
}

static void check_script(const run *r)
{
    assert_mem_text(r->sink, js_cpu_profiler_node, 1, script_id, "7");
    assert_mem_text(r->sink, js_cpu_profiler_node, 2, script_id, "7");
}

static void check_order(const run *r)
{
    /* t = 1100, 1050, 1060: in time order 1050, 1060, 1100; no duration is negative */
    assert_cell(r, stack_sample, 0, ts, 50000);
    assert_cell(r, stack_sample, 1, ts, 60000);
    assert_cell(r, stack_sample, 2, ts, 100000);
    assert_cell(r, stack_sample, 0, dur, 10000);
    assert_cell(r, stack_sample, 1, dur, 40000);
}

const item profile_items[] = {
    {.name = "profile.children_cycle",
     .make = make_text,
     .arg =
         PROFILE(NODE("1", "(root)", "2") "," NODE("2", "a", "3") "," NODE("3", "b", "2"), TIMES),
     .issues = {{"cpu_second_parent", 1, OFF_ANY}},
     .counts = {{"cpu_nodes", 3, 3, 0, 0}, {"cpu_samples", 3, 3, 0, 0}},
     .rows = {THREE}},
    {.name = "profile.children_cycle_off_the_root",
     .make = make_text,
     .arg = PROFILE(NODE("1", "(root)", "") "," NODE("2", "a", "3") "," NODE("3", "b", "2"), TIMES),
     .issues = {{"cpu_cycle", 1, OFF_ANY}, {"cpu_second_root", 1, OFF_ANY}},
     .counts = {{"cpu_nodes", 3, 3, 0, 0}},
     .rows = {THREE}},
    {.name = "profile.child_of_itself",
     .make = make_text,
     .arg =
         PROFILE(NODE("1", "(root)", "1,2,3") "," NODE("2", "a", "") "," NODE("3", "b", ""), TIMES),
     .issues = {{"cpu_cycle", 1, OFF_ANY}},
     .counts = {{"cpu_nodes", 3, 3, 0, 0}},
     .rows = {THREE}},
    {.name = "profile.child_with_two_parents",
     .make = make_text,
     .arg =
         PROFILE(NODE("1", "(root)", "2,3") "," NODE("2", "a", "3") "," NODE("3", "b", ""), TIMES),
     .issues = {{"cpu_second_parent", 1, OFF_ANY}},
     .counts = {{"cpu_nodes", 3, 3, 0, 0}},
     .rows = {THREE}},
    {.name = "profile.unknown_child",
     .make = make_text,
     .arg = PROFILE(TREE("2,3,99"), TIMES),
     .issues = {{"cpu_unknown_child", 1, OFF_ANY}},
     .counts = {{"cpu_nodes", 3, 3, 0, 0}},
     .rows = {THREE}},
    {.name = "profile.ids_duplicate",
     .make = make_text,
     .arg = PROFILE(TREE("2,3") "," NODE("2", "again", ""), TIMES),
     .issues = {{"cpu_duplicate_node", 1, OFF_ANY}},
     .counts = {{"cpu_nodes", 4, 3, 1, 0}},
     .rows = {THREE}},
    {.name = "profile.ids_negative",
     .make = make_text,
     .arg = PROFILE(NODE("1", "(root)", "-2"), "\"startTime\":1000,\"endTime\":1600,"
                                               "\"samples\":[-2],\"timeDeltas\":[100]"),
     .issues = {{"cpu_unknown_child", 1, OFF_ANY}, {"cpu_unknown_sample", 1, OFF_ANY}},
     .counts = {{"cpu_samples", 1, 1, 0, 0}}},
    {.name = "profile.ids_negative_known",
     .make = make_text,
     .arg = PROFILE(NODE("1", "(root)", "-2") "," NODE("-2", "a", ""),
                    "\"startTime\":1000,\"endTime\":1600,\"samples\":[-2],\"timeDeltas\":[100]"),
     .counts = {{"cpu_nodes", 2, 2, 0, 0}, {"cpu_samples", 1, 1, 0, 0}},
     .check = check_negative_id},
    {.name = "profile.ids_2_53_plus_1",
     .make = make_text,
     .arg = PROFILE(NODE("1", "(root)", "9007199254740993") "," NODE("9007199254740993", "a", ""),
                    "\"startTime\":1000,\"endTime\":1600,\"samples\":[9007199254740993],"
                    "\"timeDeltas\":[100]"),
     .counts = {{"cpu_nodes", 2, 2, 0, 0}, {"cpu_samples", 1, 1, 0, 0}},
     .check = check_big_id},
    {.name = "profile.more_samples_than_deltas",
     .make = make_text,
     .arg = PROFILE(TREE("2,3"), "\"startTime\":1000,\"endTime\":1600,\"samples\":[2,2,3],"
                                 "\"timeDeltas\":[100]"),
     .issues = {{"cpu_delta_missing", 2, OFF_ANY}},
     .counts = {{"cpu_samples", 3, 3, 0, 0}, {"cpu_time_deltas", 1, 0, 1, 0}},
     .rows = {THREE}},
    {.name = "profile.more_deltas_than_samples",
     .make = make_text,
     .arg = PROFILE(TREE("2,3"), "\"startTime\":1000,\"endTime\":1600,\"samples\":[2,2,3],"
                                 "\"timeDeltas\":[100,90,10,7,7]"),
     .issues = {{"cpu_delta_extra", 2, OFF_ANY}},
     .counts = {{"cpu_samples", 3, 3, 0, 0}, {"cpu_time_deltas", 5, 0, 5, 0}},
     .rows = {THREE}},
    {.name = "profile.negative_deltas",
     .make = make_text,
     .arg = PROFILE(TREE("2,3"), "\"startTime\":1000,\"endTime\":1600,\"samples\":[2,2,3],"
                                 "\"timeDeltas\":[100,-50,10]"),
     .issues = {{"cpu_negative_delta", 1, OFF_ANY}},
     .counts = {{"cpu_samples", 3, 3, 0, 0}},
     .rows = {THREE},
     .check = check_order},
    {.name = "profile.start_after_end",
     .make = make_text,
     .arg = PROFILE(TREE("2,3"), "\"startTime\":2000,\"endTime\":1600,\"samples\":[2,2,3],"
                                 "\"timeDeltas\":[100,90,10]"),
     .issues = {{"profile_end_before_start", 1, OFF_ANY}},
     .counts = {{"cpu_samples", 3, 3, 0, 0}},
     .rows = {THREE}},
    {.name = "profile.0_samples",
     .make = make_text,
     .arg = PROFILE(TREE("2,3"), "\"startTime\":1000,\"endTime\":1600,\"samples\":[],"
                                 "\"timeDeltas\":[]"),
     .counts = {{"cpu_nodes", 3, 3, 0, 0}, {"cpu_samples", 0, 0, 0, 0}},
     .rows = {{TS_T_js_cpu_profiler_node, 3}, {TS_T_stack_sample, 0}}},
    {.name = "profile.script_id_number_and_string",
     .make = make_text,
     .arg = PROFILE(NODE("1", "(root)", "2,3") "," NODE("2", "a", "") ",{\"id\":3," CALL(
                        "b", "7") ",\"children\":[]}",
                    TIMES),
     .counts = {{"cpu_nodes", 3, 3, 0, 0}},
     .rows = {THREE},
     .check = check_script},
    {.name = "profile.us_to_ns_overflow",
     .make = make_text,
     .arg = PROFILE(TREE("2,3"), "\"startTime\":0,\"endTime\":9223372036854775807,"
                                 "\"samples\":[2,2,3],"
                                 "\"timeDeltas\":[9223372036854775,1,9223372036854775807]"),
     .issues = {{"time_overflow", 3, OFF_ANY}},
     .counts = {{"cpu_samples", 3, 3, 0, 0}},
     .rows = {THREE}},
    {0},
};

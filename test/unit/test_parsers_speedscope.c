/* Files of speedscope (docs/formats.md, "speedscope"): rows, orders, units, defects, damage. */
#include "parsers_sweep.h"

#define SHARED                                                                                     \
    "\"shared\":{\"frames\":[{\"name\":\"main\",\"file\":\"a.py\",\"line\":3,\"col\":1},"          \
    "{\"name\":\"f\"},{\"name\":\"g\",\"file\":null}]}"
#define SAMPLED(unit, samples, weights)                                                            \
    "{\"type\":\"sampled\",\"name\":\"worker\",\"unit\":\"" unit "\",\"startValue\":100,"          \
    "\"endValue\":160,\"samples\":[" samples "],\"weights\":[" weights "]}"
#define O(frame, at) "{\"type\":\"O\",\"frame\":" #frame ",\"at\":" #at "}"
#define C(frame, at) "{\"type\":\"C\",\"frame\":" #frame ",\"at\":" #at "}"
#define EVENTED(unit, events)                                                                      \
    "{\"type\":\"evented\",\"name\":\"calls\",\"unit\":\"" unit                                    \
    "\",\"startValue\":0,\"endValue\":100,\"events\":[" events "]}"
#define FILE_OF(profiles)                                                                          \
    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"," SHARED                  \
    ",\"profiles\":[" profiles "],\"exporter\":\"test\"}"

#define TWO SAMPLED("microseconds", "[0,1],[0,1,2],[],[0,2]", "10,20,5,25")
#define CALLS                                                                                      \
    EVENTED("milliseconds", O(0, 0) "," O(1, 10) "," O(1, 20) "," C(1, 30) "," C(1, 45) "," O(     \
                                2, 45) "," C(2, 45) "," C(0, 100))

static void test_sampled(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, FILE_OF(TWO));
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_sample, 4);
    assert_mem_row(r.sink, stack_sample, 0, "1|2|1|100000|10000|2|wall");
    assert_mem_row(r.sink, stack_sample, 1, "2|2|1|110000|20000|3|wall");
    assert_mem_row(r.sink, stack_sample, 2, "3|2|1|130000|5000|NULL|wall");
    assert_mem_row(r.sink, stack_sample, 3, "4|2|1|135000|25000|4|wall");
    assert_mem_row(r.sink, stack_method, 0, "1|2|0|main|NULL|a|NULL|a.py|3|NULL|NULL");
    assert_mem_row(r.sink, stack_method, 2, "3|2|2|g|NULL|NULL|NULL|NULL|NULL|NULL|NULL");
    assert_mem_row(r.sink, stack_node, 2, "3|2|2|3|NULL|2|NULL");
    assert_mem_row(r.sink, stack_node, 3, "4|2|1|3|NULL|1|NULL");
    assert_rows(&r, stack_sample_value, 0);
    assert_mem_text(r.sink, thread, 1, name, "worker");
    assert_null_cell(&r, thread, 1, tid);
    assert_mem_text(r.sink, source, 1, name, "worker");
    assert_mem_text(r.sink, source, 1, clock, "relative");
    assert_cell(&r, profile, 0, dur, 60000);
    assert_null_cell(&r, profile, 0, start_ts);
    assert_mem_text(r.sink, profile, 0, profiler, "test");
    run_free(&r);
}

/* Calls in the order of their beginning, callers first. */
static void test_evented(void **state)
{
    static const char *const rows[] = {"1|2|1|NULL|1|0|100000000|65000000|NULL|0|0",
                                       "2|2|1|1|2|10000000|35000000|25000000|NULL|1|0",
                                       "3|2|1|2|3|20000000|10000000|10000000|NULL|2|0",
                                       "4|2|1|1|4|45000000|0|0|NULL|1|0"};
    run r;
    UNUSED(state);
    import_text(&r, FILE_OF(CALLS));
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_slice, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_mem_row(r.sink, stack_slice, i, rows[i]);
    }
    assert_rows(&r, stack_sample, 0);
    run_free(&r);
}

/* Frames may come behind the profiles, and members of a profile in any order. */
static void test_orders(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "{\"profiles\":[{\"weights\":[10,20],\"samples\":[[0],[0,1]],\"unit\":\"none\","
                    "\"name\":\"a\",\"type\":\"sampled\",\"startValue\":0}," CALLS
                    "],\"name\":\"x\"," SHARED "}");
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, profile, 2);
    assert_rows(&r, stack_sample, 2);
    assert_null_cell(&r, stack_sample, 0, ts);
    assert_null_cell(&r, stack_sample, 0, dur);
    assert_mem_row(r.sink, stack_value_type, 0, "1|2|weight|count");
    assert_mem_row(r.sink, stack_sample_value, 1, "2|1|20");
    assert_rows(&r, stack_slice, 4);
    assert_cell(&r, stack_slice, 0, source_id, 3);
    /* Methods of each source are its own. */
    assert_rows(&r, stack_method, 5);
    run_free(&r);
}

/* Fractions are scaled before they are rounded; their sum is not rounded each time. */
static void test_units(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, FILE_OF(SAMPLED("seconds", "[0],[0],[0]", "0.1,0.0000000004,0.25")));
    assert_cell(&r, stack_sample, 0, ts, 100000000000);
    assert_cell(&r, stack_sample, 0, dur, 100000000);
    assert_cell(&r, stack_sample, 1, dur, 0);
    assert_cell(&r, stack_sample, 2, ts, 100100000000);
    assert_cell(&r, stack_sample, 2, dur, 250000000);
    run_free(&r);
    import_text(&r, FILE_OF(SAMPLED("bytes", "[0],[0,1]", "64,128")));
    assert_mem_row(r.sink, stack_value_type, 0, "1|2|weight|bytes");
    assert_mem_row(r.sink, profile_value_type, 0, "1|1|weight|weight|memory|bytes|1");
    assert_mem_row(r.sink, stack_sample_value, 0, "1|1|64");
    run_free(&r);
    /* Calls without times: a sample for each interval with one stack. */
    import_text(&r, FILE_OF(EVENTED("bytes", O(0, 0) "," O(1, 10) "," C(1, 30) "," C(0, 30))));
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_slice, 0);
    assert_rows(&r, stack_sample, 2);
    assert_mem_row(r.sink, stack_sample_value, 0, "1|1|10");
    assert_mem_row(r.sink, stack_sample_value, 1, "2|1|20");
    assert_cell(&r, stack_sample, 1, node_id, 2);
    run_free(&r);
}

static void test_defects(void **state)
{
    static const struct {
        const char *text;
        const char *issue;
        int64_t count;
        size_t samples, slices;
    } cases[] = {
        {FILE_OF(SAMPLED("seconds", "[0],[1]", "1")), "prof_value_count", 2, 2, 0},
        {FILE_OF(SAMPLED("seconds", "[0],[99]", "1,2")), "prof_unknown_id", 1, 2, 0},
        {FILE_OF(SAMPLED("seconds", "[0],[-1,0]", "1,2")), "prof_unknown_id", 1, 2, 0},
        {FILE_OF(SAMPLED("seconds", "[0],[0.5]", "1,2")), "prof_bad_element", 1, 2, 0},
        {FILE_OF(SAMPLED("seconds", "[0],7", "1,2")), "prof_bad_element", 1, 2, 0},
        {FILE_OF(SAMPLED("seconds", "[0],[0]", "1,\"x\"")), "prof_bad_element", 1, 2, 0},
        {FILE_OF(SAMPLED("seconds", "[0],[0]", "1,-2")), "prof_bad_number", 1, 2, 0},
        {FILE_OF(SAMPLED("seconds", "[0]", "1e300")), "time_overflow", 1, 1, 0},
        {FILE_OF(EVENTED("seconds", O(0, 1) "," C(1, 2) "," C(0, 3))), "prof_bad_nesting", 1, 0, 1},
        {FILE_OF(EVENTED("seconds", C(0, 1))), "prof_bad_nesting", 1, 0, 0},
        {FILE_OF(EVENTED("seconds", O(0, 1) "," O(1, 2) "," C(1, 3))), "prof_bad_nesting", 1, 0, 2},
        {FILE_OF(EVENTED("seconds", O(0, 5) "," O(1, 4) "," C(1, 6))), "prof_bad_order", 1, 0, 1},
        {FILE_OF(EVENTED("seconds", O(0, 1) ",7," C(0, 3))), "prof_bad_nesting", 1, 0, 1},
        {FILE_OF("{\"type\":\"other\",\"name\":\"x\",\"unit\":\"none\"}"), "prof_bad_element", 1, 0,
         0},
        {FILE_OF(""), "prof_no_samples", 1, 0, 0},
        {FILE_OF(TWO) "x", "json_trailing_bytes", 1, 4, 0},
        {"{" SHARED ",\"profiles\":[" TWO "x", "prof_incomplete", 1, 4, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        import_text(&r, cases[i].text);
        if (issue_sum(&r, cases[i].issue) != cases[i].count) {
            print_error("%s: no %s\n", cases[i].text, cases[i].issue);
            memsink_print(r.sink, TS_T_import_issue);
            fail();
        }
        assert_rows(&r, stack_sample, cases[i].samples);
        assert_rows(&r, stack_slice, cases[i].slices);
        run_free(&r);
    }
}

/* What is open when events make no sense, or at the end, has no length. */
static void test_open_calls(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, FILE_OF(EVENTED("seconds", O(0, 1) "," O(1, 2) "," C(1, 3))));
    assert_cell(&r, stack_slice, 0, state, 1);
    assert_null_cell(&r, stack_slice, 0, dur);
    assert_cell(&r, stack_slice, 1, state, 0);
    assert_cell(&r, stack_slice, 1, dur, 1000000000);
    run_free(&r);
    /* Another profile of the file is whole. */
    import_text(&r, FILE_OF(EVENTED("seconds", O(0, 1) "," C(1, 2)) "," CALLS));
    assert_cell(&r, stack_slice, 0, state, 2);
    assert_null_cell(&r, stack_slice, 0, dur);
    assert_rows(&r, stack_slice, 5);
    assert_cell(&r, stack_slice, 1, dur, 100000000);
    run_free(&r);
}

/* A frame was taken out: that the last one is missing shows it. */
static void test_frame_missing(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r, "{\"shared\":{\"frames\":[{\"name\":\"f\"},{\"name\":\"g\"}]},\"profiles\":[" TWO "]}");
    assert_true(issue_sum(&r, "prof_unknown_id") > 0);
    assert_rows(&r, stack_method, 0);
    assert_rows(&r, stack_sample, 4);
    run_free(&r);
}

/* --- sweeps --------------------------------------------------------------------------------- */

/* A frame that is not there, far behind the list: stacks may stand beside weights that are not
 * theirs. */
static void test_moved_samples(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, FILE_OF(SAMPLED("microseconds", "[0],[99],[0,1],[0]", "10,20,30,40")));
    assert_int_equal(issue_sum(&r, "prof_unknown_id"), 1);
    assert_rows(&r, stack_sample, 4);
    assert_mem_row(r.sink, stack_sample, 0, "1|2|1|NULL|NULL|1|wall");
    assert_mem_row(r.sink, stack_sample, 1, "2|2|1|NULL|NULL|2|wall");
    assert_mem_row(r.sink, stack_sample, 2, "3|2|1|NULL|NULL|3|wall");
    assert_mem_row(r.sink, stack_sample, 3, "4|2|1|NULL|NULL|1|wall");
    run_free(&r);
    import_text(&r, FILE_OF(SAMPLED("bytes", "[0],[99],[0]", "64,128,32")));
    assert_rows(&r, stack_sample, 3);
    assert_rows(&r, stack_sample_value, 0);
    run_free(&r);
}

static void test_blocks(void **state)
{
    bytes b = bytes_of(FILE_OF(TWO "," CALLS));
    UNUSED(state);
    check_blocks(&b, 0);
    free(b.p);
}

/* Samples and calls before the cut stay; calls that are open have no length. */
static void test_cut_at_every_byte(void **state)
{
    bytes b = bytes_of(FILE_OF(CALLS "," TWO));
    run whole;
    UNUSED(state);
    import_damaged(&whole, &b, 0);
    for (size_t cut = 90; cut < b.n; cut++) {
        bytes part = {b.p, cut, 0};
        run r;
        import_damaged(&r, &part, 0);
        assert_true(r.code != TS_OK || issues(&r, "prof_incomplete") == 1);
        for (size_t i = 0; r.code == TS_OK && i < MEM_ROWS(r.sink, stack_slice); i++) {
            assert_cell(&r, stack_slice, i, ts, MEM_INT(whole.sink, stack_slice, i, ts));
            assert_true(MEM_NULL(r.sink, stack_slice, i, dur) ||
                        MEM_INT(r.sink, stack_slice, i, dur) ==
                            MEM_INT(whole.sink, stack_slice, i, dur));
        }
        for (size_t i = 0; r.code == TS_OK && i < MEM_ROWS(r.sink, stack_sample); i++) {
            assert_true(MEM_NULL(r.sink, stack_sample, i, dur) ||
                        MEM_INT(r.sink, stack_sample, i, dur) ==
                            MEM_INT(whole.sink, stack_sample, i, dur));
        }
        run_free(&r);
    }
    run_free(&whole);
    free(b.p);
}

static void test_every_bit_flipped(void **state)
{
    bytes b = bytes_of(FILE_OF(TWO "," CALLS));
    UNUSED(state);
    check_bits(&b, 1);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sampled),
        cmocka_unit_test(test_evented),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_defects),
        cmocka_unit_test(test_open_calls),
        cmocka_unit_test(test_frame_missing),
        cmocka_unit_test(test_moved_samples),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Profiles of the Firefox Profiler (docs/formats.md): rows of both forms, what versions differ in,
 * defects, damage. Times: 1 700 000 000 000 ms is when they begin. */
#include "parsers_sweep.h"

#include "parsers/registry.h"

#define META(version, more)                                                                        \
    "\"meta\":{\"interval\":1,\"startTime\":1700000000000,\"product\":\"Test\",\"version\":24,"    \
    "\"preprocessedProfileVersion\":" #version ",\"categories\":[{\"name\":\"Other\",\"color\":"   \
    "\"grey\",\"subcategories\":[\"Other\"]},{\"name\":\"Graphics\",\"color\":\"green\","          \
    "\"subcategories\":[\"Other\",\"Layout\"]}],\"markerSchema\":[{\"name\":\"call\","             \
    "\"isStackBased\":true,\"fields\":[{\"key\":\"n\",\"format\":\"unique-string\"}]}]" more "}"
#define STRINGS "\"stringArray\":[\"main\",\"f\",\"a.c\",\"libx\",\"m\"]"
#define TABLES(file)                                                                               \
    "\"stackTable\":{" STACKS "},\"frameTable\":{" FRAMES "},\"funcTable\":{\"name\":[0,1],"       \
    "\"isJS\":[false,true],\"relevantForJS\":[false,true],\"resource\":[0,-1]," file               \
    ",\"lineNumber\":[1,null],\"columnNumber\":[null,null],\"length\":2},"                         \
    "\"resourceTable\":{\"name\":[3],\"host\":[null],\"type\":[1],\"lib\":[null],\"length\":1}"
#define STACKS "\"frame\":[0,1,1],\"prefix\":[null,0,1],\"length\":3"
#define FRAMES                                                                                     \
    "\"func\":[0,1],\"address\":[-1,-1],\"category\":[0,1],\"subcategory\":[0,1],\"line\":[3,"     \
    "null],\"length\":2"
#define SHARED                                                                                     \
    "\"shared\":{" STRINGS                                                                         \
    "," TABLES("\"source\":[0,null]") ",\"sources\":{\"filename\":[2],\"length\":1}}"
#define SAMPLES                                                                                    \
    "\"samples\":{\"stack\":[1,0,null,2],\"time\":[0,1.5,2.25,1e1],\"weight\":[1,2,null,4],"       \
    "\"weightType\":\"samples\",\"length\":4}"
#define MARKERS                                                                                    \
    "\"markers\":{\"data\":[{\"type\":\"call\",\"n\":1},null,{\"type\":\"call\",\"cause\":{"       \
    "\"stack\":1}},null],\"name\":[4,0,1,0],\"startTime\":[1,2,3,null],\"endTime\":[9,null,4,8],"  \
    "\"phase\":[1,2,1,3],\"category\":[0,1,0,1],\"length\":4}"
#define THREAD(tables)                                                                             \
    "{\"name\":\"main\",\"processName\":\"web\",\"processType\":\"tab\",\"pausedRanges\":[],"      \
    "\"pid\":\"7.1\",\"tid\":8," tables "}"
#define COUNTER                                                                                    \
    "{\"name\":\"malloc\",\"category\":\"Memory\",\"description\":\"d\",\"pid\":\"7\","            \
    "\"mainThreadIndex\":0,\"samples\":{\"time\":[0,1,2.5],\"count\":[5,6,-2],\"length\":3}}"
#define PROFILE                                                                                    \
    "{" META(60, "") ",\"libs\":[]," SHARED                                                        \
                     ",\"threads\":[" THREAD(SAMPLES "," MARKERS) "],"                             \
                                                                  "\"counters\":[" COUNTER "]}"

/* Two threads of an old version, each with all of its tables, and the meta last. */
#define OLD_THREAD THREAD(STRINGS "," TABLES("\"fileName\":[2,null]") "," SAMPLES "," MARKERS)
#define OLD "{" META(55, "") ",\"threads\":[" OLD_THREAD "," OLD_THREAD "],\"libs\":[]}"

#define GECKO                                                                                      \
    "{\"meta\":{\"version\":31,\"startTime\":1700000000000.5,\"interval\":2,\"categories\":[]},"   \
    "\"libs\":[{\"name\":\"x\",\"debugName\":\"libx\",\"breakpadId\":\"7\",\"path\":\"/x\","       \
    "\"start\":4096,\"end\":8192}],\"threads\":[{\"name\":\"G\",\"pid\":1,\"tid\":2,"              \
    "\"samples\":{\"schema\":{\"time\":1,\"stack\":0},\"data\":[[1,1],[0,4.25],[null,6]]},"        \
    "\"markers\":{\"schema\":{\"name\":0,\"startTime\":1,\"endTime\":2,\"phase\":3,\"category\""   \
    ":4,\"data\":5},\"data\":[[0,1,3,1,null,{\"type\":\"T\",\"stack\":{\"samples\":{\"schema\":"   \
    "{\"stack\":0},\"data\":[[1,0]]}}}]]},\"stackTable\":{\"schema\":{\"prefix\":0,\"frame\":1},"  \
    "\"data\":[[null,0],[0,1]]},\"frameTable\":{\"schema\":{\"location\":0,\"line\":1},\"data\":"  \
    "[[0],[1,5]]},\"stringTable\":[\"0x1010\",\"fn (https://x/a.js:3:14)[2]\"]}],"                 \
    "\"pausedRanges\":[{\"startTime\":2,\"endTime\":3}],\"processes\":[{\"meta\":{\"startTime\":"  \
    "1700000000001},\"threads\":[{\"name\":\"C\",\"pid\":3,\"tid\":4,\"markers\":{},\"samples\":{" \
    "\"schema\":{"                                                                                 \
    "\"stack\":0,\"time\":1},\"data\":[[null,1]]}}]}]}"

/* --- rows ------------------------------------------------------------------------------------- */

static void test_processed(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE);
    assert_rows(&r, import_issue, 0);
    assert_mem_text(r.sink, source, 1, format_version, "processed 60");
    assert_mem_text(r.sink, source, 1, clock, "realtime");
    assert_mem_text(r.sink, profile, 0, format, "firefox-processed");
    assert_cell(&r, profile, 0, period, 1000000);
    assert_mem_row(r.sink, stack_method, 0, "1|2|NULL|main|NULL|NULL|NULL|a.c|1|libx|Other");
    assert_mem_row(r.sink, stack_method, 1,
                   "2|2|NULL|f|NULL|NULL|NULL|NULL|NULL|NULL|Graphics/Layout");
    assert_mem_row(r.sink, stack_node, 0, "1|2|NULL|1|3|0|NULL");
    assert_mem_row(r.sink, stack_node, 1, "2|2|1|2|NULL|1|NULL");
    assert_mem_row(r.sink, stack_node, 2, "3|2|2|2|NULL|2|NULL");
    assert_mem_row(r.sink, stack_sample, 0, "1|2|1|1700000000000000000|1500000|2|wall");
    assert_mem_row(r.sink, stack_sample, 1, "2|2|1|1700000000001500000|750000|1|wall");
    assert_mem_row(r.sink, stack_sample, 2, "3|2|1|1700000000002250000|7750000|NULL|wall");
    assert_mem_row(r.sink, stack_sample, 3, "4|2|1|1700000000010000000|1000000|3|wall");
    assert_mem_row(r.sink, stack_sample_value, 1, "2|1|2");
    assert_mem_row(r.sink, stack_sample_value, 2, "3|1|1");
    assert_mem_text(r.sink, stack_value_type, 0, name, "wall-samples");
    assert_mem_text(r.sink, process, 1, name, "web");
    assert_cell(&r, process, 1, pid, 7);
    assert_cell(&r, thread, 1, tid, 8);
    assert_mem_text(r.sink, timeseries, 0, name, "Memory.malloc");
    assert_mem_row(r.sink, timeseries_value, 0, "1|1700000000000000000|0");
    assert_mem_row(r.sink, timeseries_value, 2, "1|1700000000002500000|4");
    run_free(&r);
}

/* A span of one marker around one of two, around one that is alone. */
static void test_markers(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE);
    assert_mem_row(r.sink, firefox_marker, 0,
                   "1|2|1|m|Other|1|1700000000001000000|1700000000009000000|call|"
                   "{\"type\":\"call\",\"n\":\"f\"}|NULL");
    assert_mem_row(r.sink, firefox_marker, 1,
                   "2|2|1|main|Graphics|2|1700000000002000000|NULL|NULL|NULL|NULL");
    assert_mem_row(r.sink, firefox_marker, 2,
                   "3|2|1|f|Other|1|1700000000003000000|1700000000004000000|call|"
                   "{\"type\":\"call\",\"cause\":{\"stack\":1}}|2");
    assert_mem_row(r.sink, firefox_marker, 3,
                   "4|2|1|main|Graphics|3|NULL|1700000000008000000|NULL|NULL|NULL");
    assert_mem_row(r.sink, stack_slice, 0,
                   "1|2|1|NULL|4|1700000000001000000|8000000|7000000|NULL|0|0");
    assert_mem_row(r.sink, stack_slice, 1,
                   "2|2|NULL|NULL|5|1700000000002000000|6000000|NULL|NULL|NULL|0");
    assert_mem_row(r.sink, stack_slice, 2,
                   "3|2|1|1|6|1700000000003000000|1000000|1000000|NULL|1|0");
    assert_mem_row(r.sink, firefox_slice, 0, "1|1|NULL|0");
    assert_mem_row(r.sink, firefox_slice, 1, "2|2|4|1");
    assert_mem_row(r.sink, firefox_slice, 2, "3|3|NULL|0");
    run_free(&r);
}

static void test_gecko(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, GECKO);
    assert_rows(&r, import_issue, 0);
    assert_mem_text(r.sink, source, 1, format_version, "gecko 31");
    assert_mem_text(r.sink, profile, 0, format, "firefox-gecko");
    assert_mem_row(r.sink, stack_method, 0, "1|2|NULL|0x1010|NULL|NULL|NULL|NULL|NULL|libx|NULL");
    assert_mem_row(r.sink, stack_method, 1,
                   "2|2|NULL|fn|NULL|NULL|NULL|https://x/a.js|3|NULL|JavaScript");
    assert_mem_row(r.sink, stack_node, 1, "2|2|1|2|5|1|NULL");
    /* The profiler paused at 2. */
    assert_mem_row(r.sink, stack_sample, 0, "1|2|1|1700000000001500000|1000000|2|wall");
    assert_mem_row(r.sink, stack_sample, 1, "2|2|1|1700000000004750000|1750000|1|wall");
    assert_mem_row(r.sink, stack_sample, 2, "3|2|1|1700000000006500000|2000000|NULL|wall");
    assert_mem_row(r.sink, stack_sample, 3, "4|2|2|1700000000002000000|2000000|NULL|wall");
    assert_mem_row(r.sink, firefox_marker, 0,
                   "1|2|1|0x1010|NULL|1|1700000000001500000|1700000000003500000|T|"
                   "{\"type\":\"T\",\"stack\":null}|2");
    assert_mem_text(r.sink, source_property, 0, value, "libx 7 /x");
    run_free(&r);
}

/* Members in another order, and tables in threads. */
static void test_orders(void **state)
{
    static const char *const others[] = {
        "{" META(60, "") ",\"threads\":[" THREAD(MARKERS "," SAMPLES) "],\"counters\":[" COUNTER
                                                                      "]," SHARED ",\"libs\":[]}",
        "{\"counters\":[" COUNTER
        "],\"threads\":[" THREAD(SAMPLES "," MARKERS) "]," SHARED "," META(60, "") "}",
    };
    static const enum ts_table_id tables[] = {TS_T_stack_sample, TS_T_stack_node,
                                              TS_T_stack_method, TS_T_firefox_marker,
                                              TS_T_stack_slice,  TS_T_timeseries_value};
    run whole;
    UNUSED(state);
    import_text(&whole, PROFILE);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        run r;
        import_text(&r, others[i]);
        assert_rows(&r, import_issue, 0);
        assert_same_rows(&r, &whole, tables, sizeof tables / sizeof tables[0]);
        run_free(&r);
    }
    run_free(&whole);
    import_text(&whole, OLD);
    assert_rows(&whole, import_issue, 0);
    assert_rows(&whole, stack_sample, 8);
    assert_rows(&whole, stack_method, 5); /* main and f, and those of markers */
    assert_rows(&whole, thread, 2);
    run_free(&whole);
}

/* A thread with what versions differ in; the shared tables come first. */
static void import_version(run *r, const char *stacks, const char *frames, const char *samples)
{
    bytes b = bytes_of("{" META(75, "") ",\"shared\":{" STRINGS ",\"stackTable\":{");
    putf(&b, "%s},\"frameTable\":{%s},", stacks, frames);
    put_str(&b, "\"funcTable\":{\"name\":[0,1],\"flags\":[24,1],\"resource\":[0,0],"
                "\"source\":[0,0],\"lineNumber\":[9,0],\"length\":2},\"resourceTable\":{\"name\":"
                "[3],\"length\":1},\"sources\":{\"filename\":[2],\"length\":1}},"
                "\"libs\":[{\"debugName\":\"libd\"}],\"threads\":[");
    put_str(&b, "{\"name\":\"t\",\"pid\":\"1\",\"tid\":\"1.2\",\"pausedRanges\":[],\"markers\":{"
                "\"length\":0},");
    putf(&b, "%s}]}", samples);
    import_bytes(r, b);
}

static void test_flags_and_deltas(void **state)
{
    run r;
    UNUSED(state);
    import_version(&r, "\"frame\":[0,1],\"prefixOffset\":[0,1],\"length\":2",
                   "\"func\":[0,1],\"flags\":[18,4],\"lib\":[0,0],\"line\":[7,0],\"category\":[0,"
                   "1],\"subcategory\":[0,0],\"length\":2",
                   "\"samples\":{\"stack\":[1,1,0],\"timeDeltas\":[0.5,0.25,1],"
                   "\"threadCPUDelta\":[9,5,null],\"weightType\":\"tracing-ms\",\"weight\":[0.5,2,"
                   "null],\"length\":3}");
    assert_mem_row(r.sink, stack_method, 0, "1|2|NULL|main|NULL|NULL|NULL|a.c|9|libd|NULL");
    assert_mem_row(r.sink, stack_method, 1, "2|2|NULL|f|NULL|NULL|NULL|NULL|NULL|NULL|Graphics");
    assert_mem_row(r.sink, stack_node, 0, "1|2|NULL|1|7|0|NULL");
    assert_mem_row(r.sink, stack_sample, 0, "1|2|1|1700000000000500000|500000|2|wall");
    assert_mem_row(r.sink, stack_sample, 1, "2|2|1|1700000000000750000|2000000|2|wall");
    assert_mem_row(r.sink, stack_sample, 2, "3|2|1|1700000000001750000|1000000|1|wall");
    assert_rows(&r, stack_sample_value, 1); /* the first number says nothing */
    assert_cell(&r, stack_sample_value, 0, sample_id, 2);
    assert_mem_text(r.sink, stack_value_type, 0, name, "cpu-cycles");
    assert_null_cell(&r, thread, 1, tid);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
}

static void test_allocations(void **state)
{
    run r;
    UNUSED(state);
    import_version(&r, STACKS, FRAMES,
                   "\"nativeAllocations\":{\"time\":[1,2],\"weight\":[8,-8],\"stack\":[0,null],"
                   "\"memoryAddress\":[255,255],\"length\":2},\"jsAllocations\":{\"time\":[3],"
                   "\"className\":[\"Object\"],\"weight\":[16],\"stack\":[0],\"length\":1}");
    assert_mem_row(r.sink, stack_sample, 0, "1|2|1|1700000000003000000|NULL|1|alloc");
    assert_mem_row(r.sink, stack_sample, 1, "2|2|1|1700000000001000000|NULL|1|alloc");
    assert_mem_row(r.sink, stack_sample, 2, "3|2|1|1700000000002000000|NULL|NULL|free");
    assert_mem_row(r.sink, stack_sample_value, 2, "3|2|8");
    assert_mem_row(r.sink, stack_sample_label, 0, "1|className|Object");
    assert_mem_row(r.sink, stack_sample_label, 1, "2|memoryAddress|0xff");
    run_free(&r);
}

/* Times have more digits than a double: the sum is that of the decimal numbers. */
static void test_exact_times(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "{\"meta\":{\"startTime\":1700000000000.1234567,\"interval\":0.5,"
                    "\"preprocessedProfileVersion\":60},\"shared\":{},\"threads\":[{\"samples\":{"
                    "\"stack\":[null,null],\"time\":[0.00000005,1e-7],\"length\":2}}]}");
    assert_cell(&r, stack_sample, 0, ts, 1700000000000123457); /* ...456.75 */
    assert_cell(&r, stack_sample, 1, ts, 1700000000000123457); /* ...456.8 */
    run_free(&r);
}

/* --- defects ---------------------------------------------------------------------------------- */

static void test_newer(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "{" META(76, "") "," SHARED ",\"threads\":[" THREAD(SAMPLES) "]}");
    assert_int_equal(issue_sum(&r, "firefox_newer"), 1);
    assert_rows(&r, stack_sample, 4);
    run_free(&r);
}

static void test_bad_cells(void **state)
{
    run r;
    UNUSED(state);
    import_version(&r, "\"frame\":[0,9,1],\"prefix\":[null,2,0],\"length\":3", FRAMES,
                   "\"samples\":{\"stack\":[0,1,7,2],\"time\":[5,1],\"length\":6}");
    assert_rows(&r, stack_sample, 4);
    assert_int_equal(issue_sum(&r, "firefox_bad_stack"), 1);
    assert_int_equal(issue_sum(&r, "firefox_bad_index"), 1); /* stack 7; frame 9 is of no path */
    assert_int_equal(issue_sum(&r, "firefox_short_column"), 2);
    assert_null_cell(&r, stack_sample, 0, ts); /* which times are missing is not known */
    assert_null_cell(&r, stack_sample, 2, node_id);
    assert_null_cell(&r, stack_sample, 1, node_id);
    assert_cell(&r, stack_sample, 3, node_id, 2);
    assert_int_equal(count_sum(&r, "profile_samples", TS_C_import_count__lost), 2);
    run_free(&r);
    import_version(&r, STACKS, FRAMES, "\"samples\":{\"stack\":[0,0],\"time\":[5,1],\"length\":2}");
    assert_int_equal(complaints(&r), 0);
    assert_null_cell(&r, stack_sample, 0, dur); /* the next one is before it */
    assert_cell(&r, stack_sample, 1, dur, 1000000);
    run_free(&r);
}

/* A text was removed: others may be in its place. */
static void test_texts_moved(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "{" META(60, "") ",\"shared\":{\"stringArray\":[\"f\",\"a.c\"]," TABLES(
                        "\"source\":[null,null]") "},\"threads\":[" THREAD(SAMPLES) "]}");
    assert_null_cell(&r, stack_method, 0, name);
    assert_null_cell(&r, stack_method, 0, library);
    assert_true(issue_sum(&r, "firefox_bad_index") > 0);
    run_free(&r);
}

/* Without one of the columns that say what a row is, a table is not whole. */
static void test_no_column(void **state)
{
    run r;
    UNUSED(state);
    import_version(&r, STACKS, FRAMES, "\"samples\":{\"stack\":[0,0],\"length\":2}");
    assert_rows(&r, stack_sample, 2);
    assert_int_equal(issue_sum(&r, "firefox_short_column"), 1);
    run_free(&r);
}

/* The second span ends after the one around it: from there on nothing is certain. */
static void test_crossing(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "{" META(60, "") "," SHARED ",\"threads\":[" THREAD(
                        "\"markers\":{\"data\":[{\"type\":\"call\"},{\"type\":\"call\"},{\"type\":"
                        "\"call\"},{\"type\":\"call\"}],\"name\":[0,1,2,3],\"startTime\":[0,5,11,"
                        "20],\"endTime\":[10,12,11.5,21],\"phase\":[1,1,1,1],\"category\":[0,0,0,"
                        "0],\"length\":4}") "]}");
    assert_int_equal(issue_sum(&r, "firefox_crossing"), 2);
    assert_mem_row(r.sink, stack_slice, 0,
                   "1|2|1|NULL|1|1700000000000000000|10000000|NULL|NULL|0|0");
    assert_mem_row(r.sink, stack_slice, 1,
                   "2|2|1|NULL|NULL|1700000000005000000|7000000|NULL|NULL|NULL|0");
    assert_mem_row(r.sink, stack_slice, 2,
                   "3|2|1|NULL|NULL|1700000000011000000|500000|NULL|NULL|NULL|0");
    assert_mem_row(r.sink, stack_slice, 3,
                   "4|2|1|NULL|2|1700000000020000000|1000000|1000000|NULL|0|0");
    run_free(&r);
}

static void test_no_profile(void **state)
{
    bytes b = bytes_of("{\"metadata\":{\"preprocessedProfileVersion\":60}}");
    run r;
    UNUSED(state);
    import_damaged(&r, &b, 0);
    assert_int_equal(r.code, TS_ERR_FORMAT);
    run_free(&r);
    free(b.p);
}

/* --- damage ----------------------------------------------------------------------------------- */

static const char *const all[] = {PROFILE, OLD, GECKO};
enum { ALL = sizeof all / sizeof all[0] };

static void test_blocks(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < ALL; i++) {
        bytes b = bytes_of(all[i]);
        check_blocks(&b, 0);
        b.n = b.n * 3 / 4;
        check_blocks(&b, ANY_DEFECTS);
        free(b.p);
    }
}

static void test_cut_at_every_byte(void **state)
{
    static const enum ts_table_id tables[] = {
        TS_T_stack_sample_value, TS_T_stack_method, TS_T_stack_node,      TS_T_firefox_marker,
        TS_T_firefox_slice,      TS_T_stack_slice,  TS_T_timeseries_value};
    UNUSED(state);
    for (size_t i = 0; i < ALL; i++) {
        bytes b = bytes_of(all[i]);
        run whole;
        import_damaged(&whole, &b, 0);
        for (size_t cut = 1; cut < b.n; cut++) {
            bytes part = {b.p, cut, 0};
            size_t row;
            run r;
            import_damaged(&r, &part, 0);
            assert_true(r.code != TS_OK || issues(&r, "prof_incomplete") == 1);
            for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
                assert_true(memsink_is_prefix(&row, r.sink, whole.sink, tables[k]));
            }
            /* Of Gecko, pauses of the profiler come later. */
            assert_true(i == 2 || memsink_is_prefix(&row, r.sink, whole.sink, TS_T_stack_sample));
            run_free(&r);
        }
        run_free(&whole);
        free(b.p);
    }
}

static void test_bits(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < ALL; i++) {
        bytes b = bytes_of(all[i]);
        check_bits(&b, 1);
        free(b.p);
    }
}

static void test_every_allocation_fails(void **state)
{
    bytes b = bytes_of(PROFILE);
    ts_code code = TS_ERR_NOMEM;
    UNUSED(state);
    for (uint64_t k = 1; code != TS_OK; k++) {
        test_failing fail = {.fail_at = k};
        ts_allocator allocator;
        run r;
        import_begin(&r);
        allocator = r.ctx->allocator;
        r.ctx->allocator = test_failing_allocator(&fail);
        (void)import_files(&r, &b, 1, 0);
        code = r.code;
        assert_true(code == TS_OK ? k > 40 : code == TS_ERR_NOMEM);
        r.ctx->allocator = allocator;
        run_free(&r);
    }
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processed),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_gecko),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_flags_and_deltas),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_exact_times),
        cmocka_unit_test(test_newer),
        cmocka_unit_test(test_bad_cells),
        cmocka_unit_test(test_texts_moved),
        cmocka_unit_test(test_no_column),
        cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_no_profile),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Traces of Chrome and Node.js (docs/formats.md, "Traces of Chrome and Node.js"): rows, order,
 * defects, damage. */
#include "parsers_sweep.h"

#define EV(ph, name, ts, more)                                                                     \
    "{\"ph\":\"" ph "\",\"name\":\"" name "\",\"pid\":1,\"tid\":2,\"ts\":" #ts more "}"
#define X(name, ts, dur) EV("X", name, ts, ",\"dur\":" #dur)
/* A list of up to nine events. */
#define JOIN1(a) a
#define JOIN2(a, ...) a "," JOIN1(__VA_ARGS__)
#define JOIN3(a, ...) a "," JOIN2(__VA_ARGS__)
#define JOIN4(a, ...) a "," JOIN3(__VA_ARGS__)
#define JOIN5(a, ...) a "," JOIN4(__VA_ARGS__)
#define JOIN6(a, ...) a "," JOIN5(__VA_ARGS__)
#define JOIN7(a, ...) a "," JOIN6(__VA_ARGS__)
#define JOIN8(a, ...) a "," JOIN7(__VA_ARGS__)
#define JOIN9(a, ...) a "," JOIN8(__VA_ARGS__)
#define PICK(a, b, c, d, e, f, g, h, i, join, ...) join
#define LIST(...)                                                                                  \
    "[" PICK(__VA_ARGS__, JOIN9, JOIN8, JOIN7, JOIN6, JOIN5, JOIN4, JOIN3, JOIN2, JOIN1,           \
             0)(__VA_ARGS__) "]"
#define OBJECT(...) "{\"traceEvents\":" LIST(__VA_ARGS__) "}"
#define ID(id) ",\"cat\":\"net\",\"id\":\"" id "\""

/* id|source|itid|parent|node|ts|dur|self|cpu|depth|state without the first three. */
static void assert_span(const run *r, size_t row, int64_t parent, int64_t ts, int64_t dur,
                        int64_t self, int64_t state)
{
    if (parent == 0) {
        assert_null_cell(r, stack_slice, row, parent_id);
    } else {
        assert_cell(r, stack_slice, row, parent_id, parent);
    }
    assert_cell(r, stack_slice, row, ts, ts);
    if (dur < 0) {
        assert_null_cell(r, stack_slice, row, dur);
    } else {
        assert_cell(r, stack_slice, row, dur, dur);
    }
    if (self < 0) {
        assert_null_cell(r, stack_slice, row, self_dur);
    } else {
        assert_cell(r, stack_slice, row, self_dur, self);
    }
    assert_cell(r, stack_slice, row, state, state);
}

static void test_rows(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "{\"args\":5,\"traceEvents\":" LIST(
                        EV("X", "Run", 10.5,
                           ",\"dur\":100,\"tdur\":7,\"tts\":3,\"cat\":\"a,b\",\"args\":{\"k\": "
                           "[1,\"\\u00e9\"]},"
                           "\"bp\" : \"e\",\"id2\":{\"local\":\"0x7\"}"),
                        X("Inner", 20, 30)) ",\"metadata\":{\"os\":\"Linux\",\"more\":[1]}}");
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, chrome_event, 2);
    assert_mem_text(r.sink, chrome_event, 0, phase, "X");
    assert_mem_text(r.sink, chrome_event, 0, name, "Run");
    assert_mem_text(r.sink, chrome_event, 0, category, "a,b");
    assert_mem_text(r.sink, chrome_event, 0, args, "{\"k\": [1,\"\\u00e9\"]}");
    assert_mem_text(r.sink, chrome_event, 0, extra, "{\"bp\":\"e\"}");
    assert_mem_text(r.sink, chrome_event, 0, event_id, "0x7");
    assert_mem_text(r.sink, chrome_event, 0, id_kind, "local");
    assert_cell(&r, chrome_event, 0, ts, 10500);
    assert_cell(&r, chrome_event, 0, dur, 100000);
    assert_cell(&r, chrome_event, 0, thread_ts, 3000);
    assert_cell(&r, chrome_event, 0, thread_dur, 7000);
    assert_null_cell(&r, chrome_event, 1, thread_ts);
    assert_rows(&r, stack_slice, 2);
    assert_span(&r, 0, 0, 10500, 100000, 70000, 0);
    assert_span(&r, 1, 1, 20000, 30000, 30000, 0);
    assert_cell(&r, stack_slice, 0, cpu_dur, 7000);
    assert_null_cell(&r, stack_slice, 1, cpu_dur);
    assert_cell(&r, stack_slice, 1, depth, 1);
    assert_cell(&r, stack_node, 1, parent_id, 1);
    assert_mem_text(r.sink, stack_method, 1, name, "Inner");
    assert_cell(&r, thread, 1, tid, 2);
    assert_cell(&r, process, 1, pid, 1);
    assert_cell(&r, chrome_slice, 1, event_id, 2);
    assert_null_cell(&r, chrome_slice, 1, end_event_id);
    assert_mem_text(r.sink, source, 1, kind, "trace");
    assert_cell(&r, source, 1, complete, 1);
    assert_cell(&r, source, 1, start_ts, 10500);
    assert_cell(&r, source, 1, end_ts, 110500);
    run_free(&r);
}

/* µs with any number of digits, rounded once: a double has no 19 digits. */
static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        int64_t ns;
    } cases[] = {
        {"1", 1000},
        {"9007199254740993", INT64_C(9007199254740993000)},
        {"9007199254740.993", INT64_C(9007199254740993)},
        {"1234567890123456.789", INT64_C(1234567890123456789)},
        {"0.0004", 0},
        {"0.0005", 1},
        {"-0.0005", -1},
        {"2.00049999999999999999999999", 2000},
        {"1e3", 1000000},
        {"12.5E-1", 1250},
        {"9223372036854775.807", INT64_MAX},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        run r;
        snprintf(text, sizeof text, "[{\"ph\":\"i\",\"ts\":%s}]", cases[i].text);
        import_text(&r, text);
        assert_rows(&r, import_issue, 0);
        assert_cell(&r, chrome_event, 0, ts, cases[i].ns);
        run_free(&r);
    }
    static const char *const bad[] = {
        "9223372036854775.808", "1e16", "-1e300", "\"soon\"", "[1]", "true"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[200];
        run r;
        snprintf(text, sizeof text, "[{\"ph\":\"i\",\"ts\":%s}]", bad[i]);
        import_text(&r, text);
        assert_int_equal(issue_sum(&r, "chrome_bad_number"), 1);
        assert_null_cell(&r, chrome_event, 0, ts);
        run_free(&r);
    }
}

/* Inner spans first, as programs write them that write a span at its end. */
static void test_order(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, LIST(X("c", 30, 5), X("b", 20, 20), X("a", 20, 80), X("d", 90, 10)));
    assert_rows(&r, import_issue, 0);
    assert_span(&r, 0, 0, 20000, 80000, 50000, 0);
    assert_span(&r, 1, 1, 20000, 20000, 15000, 0);
    assert_span(&r, 2, 2, 30000, 5000, 5000, 0);
    assert_span(&r, 3, 1, 90000, 10000, 10000, 0);
    assert_cell(&r, chrome_slice, 0, event_id, 3);
    run_free(&r);
}

/* Whole µs may make an inner span end 1 µs late; with fractions it may not. */
static void test_rounding(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, LIST(X("a", 10, 5), X("b", 11, 5), X("c", 15, 5)));
    assert_rows(&r, import_issue, 0);
    assert_span(&r, 0, 0, 10000, 5000, 1000, 0);
    assert_span(&r, 1, 1, 11000, 5000, 5000, 0);
    assert_span(&r, 2, 0, 15000, 5000, 5000, 0);
    run_free(&r);
    /* Neighbours that overlap by 1 µs: the one around them has no time of its own. */
    import_text(&r, LIST(X("a", 0, 12), X("b", 0, 10), X("c", 9, 3)));
    assert_rows(&r, import_issue, 0);
    assert_span(&r, 0, 0, 0, 12000, 0, 0);
    run_free(&r);
    import_text(&r, LIST(X("a", 10.5, 5), X("b", 11.5, 5)));
    assert_int_equal(issue_sum(&r, "chrome_crossing"), 1);
    run_free(&r);
}

static void test_pairs(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, LIST(EV("E", "before", 1, ""), EV("B", "a", 10, ",\"tts\":100"),
                         EV("B", "b", 20, ""), EV("B", "lost", 25, ""), X("x", 26, 1),
                         EV("E", "b", 30, ""), EV("E", "a", 40, ",\"tts\":105"),
                         EV("B", "open", 50, ""), X("in", 60, 1)));
    assert_int_equal(issue_sum(&r, "chrome_end_unmatched"), 1);
    assert_int_equal(issue_sum(&r, "chrome_end_missing"), 1);
    assert_int_equal(issue_sum(&r, "chrome_frames_open"), 1);
    assert_int_equal(issue_sum(&r, "chrome_crossing"), 0);
    assert_rows(&r, stack_slice, 6);
    assert_span(&r, 0, 0, 10000, 30000, -1, 0);
    assert_span(&r, 1, 1, 20000, 10000, -1, 0);
    assert_span(&r, 2, 2, 25000, -1, -1, 2);
    assert_span(&r, 3, 0, 26000, 1000, 1000, 0); /* in b or in what has no end */
    assert_null_cell(&r, stack_slice, 3, node_id);
    assert_null_cell(&r, stack_slice, 3, depth);
    assert_span(&r, 4, 0, 50000, -1, -1, 1);
    assert_span(&r, 5, 5, 60000, 1000, 1000, 0);
    assert_cell(&r, stack_slice, 0, cpu_dur, 5000);
    assert_cell(&r, chrome_slice, 0, event_id, 2);
    assert_cell(&r, chrome_slice, 0, end_event_id, 7);
    assert_null_cell(&r, chrome_slice, 2, end_event_id);
    run_free(&r);
}

/* Empty spans at one moment: the order of their events says what is around them. */
static void test_empty_spans(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, LIST(EV("B", "a", 10, ""), EV("B", "b", 10, ""), EV("E", "b", 10, ""),
                         EV("E", "a", 10, ""), EV("B", "c", 10, ""), EV("E", "c", 20, "")));
    assert_rows(&r, import_issue, 0);
    assert_span(&r, 0, 0, 10000, 10000, 10000, 0); /* c: the longest one comes first */
    assert_span(&r, 1, 0, 10000, 0, 0, 0);
    assert_span(&r, 2, 2, 10000, 0, 0, 0);
    run_free(&r);
}

/* Ends belong to the innermost span of their name that is open, or to the innermost of all. */
static void test_ends_that_cross(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, LIST(EV("B", "a", 10, ""), EV("B", "b", 20, ""), EV("B", "c", 25, ""),
                         EV("E", "a", 30, ""), EV("E", "b", 40, ""), EV("B", "b", 50, ""),
                         EV("B", "d", 60, ""), "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":70}",
                         EV("E", "b", 80, "")));
    assert_rows(&r, stack_slice, 5);
    assert_span(&r, 0, 0, 10000, 20000, -1, 0);
    assert_span(&r, 1, 0, 20000, 20000, -1, 0);
    assert_null_cell(&r, stack_slice, 1, node_id);
    assert_span(&r, 2, 0, 25000, -1, -1, 2); /* c was over before a */
    assert_span(&r, 3, 0, 50000, 30000, 20000, 0);
    assert_span(&r, 4, 4, 60000, 10000, 10000, 0);
    assert_int_equal(issue_sum(&r, "chrome_end_missing"), 1);
    assert_int_equal(issue_sum(&r, "chrome_end_unmatched"), 0);
    run_free(&r);
}

/* Each span that lost its end is passed over once, not by each end around it. */
static void test_many_lost_ends(void **state)
{
    enum { OUTER = 20000, INNER = 20000 };
    char *text = malloc(70 * (2 * OUTER + INNER));
    size_t n = 1;
    run r;
    UNUSED(state);
    text[0] = '[';
    for (int i = 0; i < 2 * OUTER + INNER; i++) {
        const bool inner = i >= OUTER && i < OUTER + INNER;
        n += (size_t)sprintf(text + n,
                             "{\"ph\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":2,\"ts\":%d},",
                             i < OUTER + INNER ? "B" : "E", inner ? "b" : "a", i);
    }
    text[n - 1] = ']';
    text[n] = '\0';
    import_text(&r, text);
    assert_int_equal(issue_sum(&r, "chrome_end_missing"), INNER);
    assert_rows(&r, stack_slice, OUTER + INNER);
    run_free(&r);
    free(text);
}

/* Hermes writes times as texts. */
static void test_times_as_texts(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r, LIST("{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":2,\"ts\":\"100\",\"dur\":\"5.25\","
                 "\"tts\":\"7\",\"tdur\":\"2\"}",
                 "{\"ph\":\"i\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":\"1O1\"}"));
    assert_cell(&r, stack_slice, 0, ts, 100000);
    assert_cell(&r, stack_slice, 0, dur, 5250);
    assert_cell(&r, stack_slice, 0, cpu_dur, 2000);
    assert_cell(&r, chrome_event, 0, thread_ts, 7000);
    assert_null_cell(&r, chrome_event, 1, ts);
    assert_int_equal(issue_sum(&r, "chrome_bad_number"), 1);
    run_free(&r);
}

static void test_crossing(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r, LIST(X("a", 0, 100), X("b", 10, 40), X("c", 30, 40), X("d", 60, 5), X("e", 80, 10)));
    assert_int_equal(issue_sum(&r, "chrome_crossing"), 2);
    assert_span(&r, 0, 0, 0, 100000, -1, 0);
    assert_span(&r, 1, 1, 10000, 40000, -1, 0);
    assert_span(&r, 2, 0, 30000, 40000, -1, 0); /* c ends behind b */
    assert_span(&r, 3, 0, 60000, 5000, -1, 0);  /* in c, or in a alone */
    assert_span(&r, 4, 1, 80000, 10000, 10000, 0);
    assert_null_cell(&r, stack_slice, 2, node_id);
    assert_null_cell(&r, stack_slice, 3, depth);
    run_free(&r);
}

/* Times at the ends of 64 bits. */
static void test_extremes(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r,
                LIST(EV("B", "a", -9223372036854775, ""), EV("B", "b", -9223372036854774, ""),
                     EV("E", "b", 9223372036854775, ""), X("c", 9223372036854775, 9223372036854775),
                     EV("X", "d", -9223372036854773, "")));
    assert_rows(&r, stack_slice, 4);
    assert_null_cell(&r, stack_slice, 1, dur);
    run_free(&r);
}

static void test_async(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, LIST(EV("b", "req", 10, ID("1")), EV("b", "req", 11, ID("2")),
                         EV("b", "dns", 12, ID("1")), EV("n", "step", 13, ID("1")),
                         EV("e", "dns", 20, ID("1")), EV("e", "req", 30, ID("1")),
                         EV("e", "req", 40, ID("2")), EV("S", "old", 50, ID("1")),
                         EV("F", "old", 60, ID("1"))));
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_slice, 4);
    assert_span(&r, 0, 0, 10000, 20000, 12000, 0);
    assert_span(&r, 1, 1, 12000, 8000, 8000, 0);
    assert_span(&r, 2, 0, 11000, 29000, 29000, 0);
    assert_span(&r, 3, 0, 50000, 10000, 10000, 0);
    for (size_t i = 0; i < 4; i++) {
        assert_null_cell(&r, stack_slice, i, itid);
        assert_cell(&r, chrome_slice, i, async, 1);
    }
    run_free(&r);
}

static void test_counters(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, LIST(EV("C", "mem", 5, ",\"args\":{\"used\":1.5,\"free\":7}"),
                         EV("C", "mem", 4, ",\"args\":{\"used\":-2e3}"),
                         EV("C", "mem", 6, ",\"id\":1,\"args\":{\"used\":3}"),
                         EV("C", "mem", 7, ",\"args\":{\"used\":\"x\",\"free\":{\"a\":1}}")));
    assert_int_equal(issue_sum(&r, "chrome_bad_counter"), 2);
    assert_rows(&r, timeseries, 3);
    assert_mem_text(r.sink, timeseries, 0, name, "mem.used");
    assert_mem_text(r.sink, chrome_counter, 1, key, "free");
    assert_mem_text(r.sink, chrome_counter, 2, event_id, "1");
    assert_rows(&r, timeseries_value, 6);
    assert_cell(&r, timeseries_value, 2, ts, 4000);
    assert_cell(&r, timeseries_value, 3, series_id, 3);
    assert_null_cell(&r, timeseries_value, 4, value);
    run_free(&r);
}

/* Equal thread ids in two processes, names that come late, and ids that are texts. */
static void test_threads(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r, LIST("{\"ph\":\"i\",\"pid\":1,\"tid\":7,\"ts\":1},{\"ph\":\"i\",\"pid\":2,\"tid\":7,"
                 "\"ts\":2},{\"ph\":\"M\",\"pid\":2,\"tid\":7,\"name\":\"thread_name\",\"args\":{"
                 "\"name\":\"Main\"}},{\"ph\":\"M\",\"pid\":2,\"name\":\"process_name\",\"args\":{"
                 "\"name\":\"Renderer\"}},{\"ph\":\"i\",\"pid\":\"gpu\",\"tid\":\"vsync\",\"ts\":3}"
                 ",{\"ph\":\"i\",\"pid\":\"2\",\"tid\":\"7\",\"ts\":4},{\"ph\":\"i\",\"ts\":5}"));
    assert_int_equal(issue_sum(&r, "chrome_text_id"), 2);
    assert_rows(&r, process, 4);
    assert_rows(&r, thread, 4);
    assert_mem_text(r.sink, process, 2, name, "Renderer");
    assert_mem_text(r.sink, thread, 2, name, "Main");
    assert_mem_text(r.sink, process, 3, name, "gpu");
    assert_mem_text(r.sink, thread, 3, name, "vsync");
    assert_cell(&r, process_detail, 3, pid_known, 0);
    assert_cell(&r, chrome_event, 1, itid, 2);
    assert_cell(&r, chrome_event, 5, itid, 2);
    assert_null_cell(&r, chrome_event, 6, itid);
    assert_null_cell(&r, chrome_event, 6, ipid);
    run_free(&r);
}

#define PART(name, tid, ts, data)                                                                  \
    "{\"ph\":\"P\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts                   \
    ",\"id\":\"0x1\",\"args\":{\"data\":{" data "}}}"
#define FRAME(name, line)                                                                          \
    "\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":\"4\",\"url\":\"a.js\","            \
    "\"lineNumber\":" #line "}"

#define CPU(nodes, samples, deltas)                                                                \
    "\"cpuProfile\":{\"nodes\":[" nodes "],\"samples\":[" samples "]},\"timeDeltas\":[" deltas "]"

/* The second part stands first, and brings the caller of what the first one has. */
static void test_profile(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r,
        LIST(PART("ProfileChunk", 9, 300,
                  "\"cpuProfile\":{\"nodes\":[{\"id\":2,\"parent\":1," FRAME(
                      "f", 3) "}],\"samples\":[2,9]},\"timeDeltas\":[20,30],\"lines\":[4,0]"),
             PART("Profile", 2, 100, "\"startTime\":99.5"),
             PART("ProfileChunk", 9, 200,
                  "\"cpuProfile\":{\"nodes\":[{\"id\":1," FRAME(
                      "(root)",
                      -1) "}],\"samples\":[1,1],\"trace_ids\":{\"77\":1}},\"timeDeltas\":[10,5]"),
             PART("ProfileChunk", 9, 400, "\"endTime\":170")));
    assert_int_equal(issue_sum(&r, "cpu_unknown_sample"), 1);
    assert_int_equal(complaints(&r), 1);
    assert_rows(&r, stack_sample, 4);
    static const int64_t ts[] = {109500, 114500, 134500, 164500};
    static const int64_t dur[] = {5000, 20000, 30000, 5500};
    for (size_t i = 0; i < 4; i++) {
        assert_cell(&r, stack_sample, i, ts, ts[i]);
        assert_cell(&r, stack_sample, i, dur, dur[i]);
        assert_cell(&r, stack_sample, i, itid, MEM_INT(r.sink, chrome_event, 1, itid));
        assert_mem_text(r.sink, stack_sample, i, event, "cpu");
    }
    assert_cell(&r, stack_sample, 0, node_id, 1);
    assert_cell(&r, stack_sample, 2, node_id, 2);
    assert_null_cell(&r, stack_sample, 3, node_id);
    assert_cell(&r, chrome_sample, 2, line, 4);
    assert_cell(&r, chrome_sample, 2, event_id, 1);
    assert_null_cell(&r, chrome_sample, 0, line);
    assert_cell(&r, stack_node, 1, parent_id, 1);
    assert_cell(&r, stack_node, 1, raw_id, 2);
    assert_mem_text(r.sink, stack_method, 0, name, "f");
    assert_cell(&r, stack_method, 0, source_id, 2);
    assert_cell(&r, stack_node, 0, source_id, 3);
    assert_cell(&r, chrome_profile_node, 1, script_id, 4);
    assert_mem_text(r.sink, chrome_trace_id, 0, trace_id, "77");
    assert_null_cell(&r, chrome_event, 0, args);
    run_free(&r);
}

/* rspack writes timeDeltas at both places. Lists that differ contradict each other. */
static void test_deltas_at_two_places(void **state)
{
    run r;
    UNUSED(state);
#define TWICE(deltas)                                                                              \
    LIST(PART("Profile", 2, 100, "\"startTime\":100"),                                             \
         PART("ProfileChunk", 9, 200,                                                              \
              "\"cpuProfile\":{\"nodes\":[{\"id\":1," FRAME(                                       \
                  "a", 1) "}],\"samples\":[1,1],\"timeDeltas\":[10,20]},\"timeDeltas\":[" deltas   \
                          "]"))
    import_text(&r, TWICE("10,20"));
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_sample, 2);
    assert_cell(&r, stack_sample, 0, ts, 110000);
    assert_cell(&r, stack_sample, 1, ts, 130000);
    run_free(&r);
    import_text(&r, TWICE("10,21"));
    assert_int_equal(issue_sum(&r, "cpu_delta_extra"), 2);
    assert_null_cell(&r, stack_sample, 0, ts);
    run_free(&r);
}

/* Negative deltas put samples out of order; a part with too few of them has no times. */
static void test_profile_times(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r,
        LIST(PART("Profile", 2, 100, "\"startTime\":100"),
             PART("ProfileChunk", 9, 200,
                  "\"cpuProfile\":{\"nodes\":[{\"id\":1," FRAME(
                      "a", 1) "},{\"id\":2,\"parent\":1," FRAME("b",
                                                                2) "}],\"samples\":[1,2,1]},"
                                                                   "\"timeDeltas\":[50,-20,10]")));
    assert_int_equal(issue_sum(&r, "cpu_negative_delta"), 1);
    assert_cell(&r, stack_sample, 0, ts, 130000);
    assert_cell(&r, stack_sample, 0, node_id, 2);
    assert_cell(&r, stack_sample, 1, ts, 140000);
    assert_cell(&r, stack_sample, 2, ts, 150000);
    assert_null_cell(&r, stack_sample, 2, dur);
    run_free(&r);
    import_text(&r, LIST(PART("Profile", 2, 100, "\"startTime\":100"),
                         PART("ProfileChunk", 9, 200,
                              "\"cpuProfile\":{\"nodes\":[{\"id\":1," FRAME(
                                  "a", 1) "}],\"samples\":[1,1]},\"timeDeltas\":[50]"),
                         PART("ProfileChunk", 9, 300,
                              "\"cpuProfile\":{\"samples\":[1]},\"timeDeltas\":[5]")));
    assert_int_equal(issue_sum(&r, "cpu_delta_missing"), 1);
    assert_rows(&r, stack_sample, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_null_cell(&r, stack_sample, i, ts);
    }
    run_free(&r);
}

/* Old versions write the whole profile at once, with children in place of parents. */
static void test_whole_profile(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r,
        LIST(EV(
            "I", "CpuProfile", 900,
            ",\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":[{\"id\":1,\"children\":[2]," FRAME(
                "(root)",
                -1) "},{\"id\":2," FRAME("f", 3) "}],\"startTime\":100,\"endTime\":200,\"samples\":"
                                                 "[2,1],\"timeDeltas\":[10,20]}}}")));
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_sample, 2);
    assert_cell(&r, stack_sample, 0, ts, 110000);
    assert_cell(&r, stack_sample, 1, dur, 70000);
    assert_cell(&r, stack_node, 1, parent_id, 1);
    run_free(&r);
}

static void test_defects(void **state)
{
    static const struct {
        const char *text;
        const char *issue;
        size_t events, spans;
    } cases[] = {
        {LIST("7," X("a", 1, 1)), "chrome_bad_event", 1, 1},
        {LIST("[]," X("a", 1, 1)), "chrome_bad_event", 1, 1},
        {LIST("\"x\",null," X("a", 1, 1)), "chrome_bad_event", 1, 1},
        {LIST(EV("Z", "a", 1, "")), "chrome_unknown_phase", 1, 0},
        {LIST("{\"ph\":\"XX\",\"ts\":1}"), "chrome_unknown_phase", 1, 0},
        {LIST("{\"ph\":\"X\",\"dur\":1}"), "chrome_no_time", 1, 0},
        {LIST("{\"ph\":\"B\",\"name\":\"a\"}"), "chrome_no_time", 1, 0},
        {LIST("{\"ph\":\"C\",\"args\":{\"a\":1}}"), "chrome_no_time", 1, 0},
        {LIST(X("a", 1, -1)), "chrome_negative_dur", 1, 1},
        {LIST(X("a", 1, "x")), "chrome_bad_number", 1, 1},
        {LIST("{\"ph\":\"X\",\"ts\":1}"), "chrome_frames_open", 1, 1},
        {LIST(X("a", 0, 9), EV("X", "b", 1, "")), "chrome_end_missing", 2, 2},
        {LIST("{\"ph\":\"b\",\"id\":\"\",\"name\":\"\",\"cat\":\"\",\"ts\":1}"),
         "chrome_frames_open", 1, 1},
        {LIST("{\"ph\":\"\"}"), "chrome_unknown_phase", 1, 0},
        {LIST("{\"ph\":\"C\",\"ts\":1,\"args\":{\"\":null}}"), "chrome_bad_counter", 1, 0},
        {LIST("{\"ph\":\"P\",\"name\":\"Profile\"}"), "chrome_profile_no_start", 1, 0},
        {LIST(EV("b", "a", 1, "")), "chrome_no_id", 1, 1},
        {LIST(EV("X", "a\xff", 1, ",\"dur\":1")), "chrome_bad_text", 1, 1},
        {LIST(EV("X", "a", 1, ",\"dur\":1,\"args\":[\"\xC3\"]")), "chrome_bad_text", 1, 1},
        {LIST(PART("ProfileChunk", 9, 1, "\"cpuProfile\":{\"samples\":[1]},\"timeDeltas\":[5]")),
         "chrome_profile_no_start", 1, 0},
        {LIST(PART("Profile", 9, 1,
                   "\"startTime\":1,\"cpuProfile\":{\"nodes\":[{\"id\":2,\"parent\":1}]}")),
         "chrome_profile_no_parent", 1, 0},
        {LIST(PART("Profile", 9, 1,
                   "\"startTime\":1,\"cpuProfile\":{\"nodes\":[{\"id\":2,\"parent\":3},{\"id\":3,"
                   "\"parent\":2}]}")),
         "chrome_profile_no_parent", 1, 0},
        {LIST(PART("Profile", 9, 1,
                   "\"startTime\":1,\"cpuProfile\":{\"nodes\":[{\"id\":2},{\"id\":2}]}")),
         "cpu_duplicate_node", 1, 0},
        {LIST(PART("Profile", 9, 1, "\"startTime\":1,\"cpuProfile\":{\"nodes\":[{}]}")),
         "cpu_bad_node", 1, 0},
        {LIST(PART("Profile", 9, 1, "\"startTime\":1,\"timeDeltas\":[\"x\"]")),
         "chrome_profile_broken", 1, 0},
        {LIST(PART("Profile", 9, 1, "\"startTime\":1,\"timeDeltas\":[5]")), "cpu_delta_extra", 1,
         0},
        {"{\"traceEvents\":7}", "chrome_no_events", 0, 0},
        {"{\"traceEvents\":[" X("a", 1, 1) "],\"stackFrames\":{}}", "chrome_member_skipped", 1, 1},
        {"[" X("a", 1, 1), "chrome_no_end", 1, 1},
        {"[" X("a", 1, 1) ",\n", "chrome_no_end", 1, 1},
        {"[" X("a", 1, 1) ",]", "chrome_no_end", 1, 1},
        {"[" X("a", 1, 1) ",{\"ph\":\"i\"", "chrome_incomplete", 1, 1},
        {"{\"traceEvents\":[" X("a", 1, 1) "]", "chrome_incomplete", 1, 1},
        {"{\"traceEvents\":[" X("a", 1, 1) ",]}", "chrome_incomplete", 1, 1},
        {OBJECT(X("a", 1, 1)) "x", "json_trailing_bytes", 1, 1},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        import_text(&r, cases[i].text);
        if (issues(&r, cases[i].issue) == 0 || MEM_ROWS(r.sink, chrome_event) != cases[i].events ||
            MEM_ROWS(r.sink, stack_slice) != cases[i].spans) {
            print_error("%s: no %s, or other rows\n", cases[i].text, cases[i].issue);
            memsink_print(r.sink, TS_T_import_issue);
            fail();
        }
        run_free(&r);
    }
}

/* The format allows a list without an end: nothing is known to be lost, and the end was not seen.
 */
static void test_no_end(void **state)
{
    static const char *const texts[] = {"[" X("a", 1, 1), "[" X("a", 1, 1) ",\n",
                                        LIST(X("a", 1, 1))};
    UNUSED(state);
    for (size_t i = 0; i < 3; i++) {
        run r;
        import_text(&r, texts[i]);
        assert_rows(&r, import_issue, i < 2 ? 1 : 0);
        assert_int_equal(complaints(&r), 0);
        assert_rows(&r, stack_slice, 1);
        assert_cell(&r, source, 1, complete, i == 2);
        run_free(&r);
    }
}

/* DevTools puts metadata first, of any size. */
static void test_metadata_first(void **state)
{
    bytes b = {0};
    run r;
    UNUSED(state);
    put_str(&b, "{\"metadata\":{\"source\":\"DevTools\",\"maps\":[\"");
    for (size_t i = 0; i < 100000; i++) {
        put_str(&b, "AAAA;");
    }
    put_str(&b, "\"]},\n\"traceEvents\":[" X("a", 1, 2) "]}");
    import_one(&r, &b);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_slice, 1);
    assert_mem_text(r.sink, source_property, 0, value, "DevTools");
    run_free(&r);
    free(b.p);
}

/* Arguments that do not fit into memory go through a file. */
static void test_long_args(void **state)
{
    enum { LONG = 3 << 20 };
    bytes b = {0};
    run r;
    UNUSED(state);
    put_str(&b, "[{\"args\":{\"x\":\"");
    for (size_t i = 0; i < LONG / 8; i++) {
        put_str(&b, "\xC3\xA4"
                    "bcdef ");
    }
    put_str(&b, "\xff\"},\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2}]");
    import_one(&r, &b);
    assert_int_equal(issue_sum(&r, "chrome_bad_text"), 1);
    assert_int_equal(MEM_TEXT(r.sink, chrome_event, 0, args).n, LONG + 11);
    assert_rows(&r, stack_slice, 1);
    run_free(&r);
    free(b.p);
}

/* --- damage ----------------------------------------------------------------------------------- */

/* Members behind args in the order that Chrome does not have: blocks end in each of them. */
static const char sorted[] =
    LIST("{\"args\":{\"k\":[1,2]},\"bp\":\"enclosing\",\"id2\":{\"local\":\"0x1\"},\"ts\":[7,8],"
         "\"ph\":\"X\",\"dur\":5,\"args\":{\"second\":true},\"zz\":{\"a\":[]}}",
         X("b", 1, 2));

static const char tiny[] = "{\"a\":1,\"traceEvents\":" LIST(
    X("a", 10, 50), EV("B", "b", 12, ID("1") ",\"tts\":1.5"), EV("E", "b", 20, ",\"bp\":\"e\""),
    EV("b", "q", 12, ID("1")), EV("e", "q", 13, ID("1")),
    EV("C", "m", 14, ",\"args\":{\"u\":1,\"v\":2}"), PART("Profile", 2, 15, "\"startTime\":15"),
    PART("ProfileChunk", 9, 30,
         CPU("{\"id\":1," FRAME("f", 1) "}", "1,1", "1,2") ",\"lines\":[3,4]"),
    EV("M", "thread_name", 0, ",\"args\":{\"name\":\"T\\u00e4\"}")) ",\"metadata\":{\"os\":\"x\"}}";

static void test_blocks(void **state)
{
    static const char *const texts[] = {tiny, sorted};
    UNUSED(state);
    for (size_t k = 0; k < 2; k++) {
        bytes b = bytes_of(texts[k]);
        check_blocks(&b, k == 0 ? 0 : 2);
        free(b.p);
    }
}

/* Events before the cut stay as they are. */
static void test_cut_at_every_byte(void **state)
{
    bytes b = bytes_of(tiny);
    run whole;
    UNUSED(state);
    import_damaged(&whole, &b, 0);
    for (size_t cut = 30; cut < b.n; cut++) {
        bytes part = {b.p, cut, 0};
        run r;
        size_t row;
        import_damaged(&r, &part, cut % 5);
        if (r.code == TS_OK) {
            assert_int_equal(issues(&r, "chrome_incomplete"), 1);
            assert_true(memsink_is_prefix(&row, r.sink, whole.sink, TS_T_chrome_event));
            assert_true(memsink_is_prefix(&row, r.sink, whole.sink, TS_T_timeseries_value));
        }
        run_free(&r);
    }
    run_free(&whole);
    free(b.p);
}

/* What began in the range counts, also when it ends behind it. */
static void test_time_range(void **state)
{
    bytes b = bytes_of(LIST(EV("M", "process_name", 0, ",\"args\":{\"name\":\"P\"}"),
                            X("a", 100, 90), EV("B", "b", 110, ""), X("c", 120, 10),
                            EV("B", "d", 130, ""), EV("C", "m", 140, ",\"args\":{\"v\":1}"),
                            EV("C", "m", 150, ",\"args\":{\"v\":2}"), EV("E", "d", 160, ""),
                            EV("E", "b", 170, "")));
    run r;
    UNUSED(state);
    import_begin(&r);
    r.ctx->time_range = (ts_time_range){TS_WANTED_OFFSET, 20000, 45000};
    (void)import_files(&r, &b, 1, 0);
    assert_ok(r.ctx, r.code);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, chrome_event, 4);
    assert_rows(&r, stack_slice, 2);
    assert_span(&r, 0, 0, 120000, 10000, 10000, 0);
    assert_span(&r, 1, 0, 130000, 30000, 30000, 0);
    assert_null_cell(&r, chrome_slice, 1, end_event_id);
    assert_rows(&r, timeseries_value, 1);
    assert_mem_text(r.sink, process, 1, name, "P");
    assert_int_equal(count_sum(&r, "chrome_events", TS_C_import_count__skipped), 5);
    assert_int_equal(count_sum(&r, "chrome_slices", TS_C_import_count__skipped), 1);
    run_free(&r);
    free(b.p);
}

static void test_every_bit_flipped(void **state)
{
    bytes b = bytes_of(tiny);
    UNUSED(state);
    for (size_t at = 0; at < b.n; at++) {
        for (size_t bit = 0; bit < 8; bit++) {
            run r;
            if (!test_slow() && (bit != at / 2 % 8 || at % 2 != 0)) {
                continue;
            }
            b.p[at] ^= (uint8_t)(1U << bit);
            import_damaged(&r, &b, 0);
            run_free(&r);
            b.p[at] ^= (uint8_t)(1U << bit);
        }
    }
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_empty_spans),
        cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_ends_that_cross),
        cmocka_unit_test(test_many_lost_ends),
        cmocka_unit_test(test_times_as_texts),
        cmocka_unit_test(test_deltas_at_two_places),
        cmocka_unit_test(test_async),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_profile),
        cmocka_unit_test(test_profile_times),
        cmocka_unit_test(test_whole_profile),
        cmocka_unit_test(test_defects),
        cmocka_unit_test(test_metadata_first),
        cmocka_unit_test(test_no_end),
        cmocka_unit_test(test_long_args),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
        cmocka_unit_test(test_time_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* hisysevent-plugin: messages by hand, rows from the description of the format. */
#include "plugin_build.h"

extern const ts_htrace_plugin ts_plugin_hisysevent;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_hisysevent, NULL};

#define HISYSEVENT "hisysevent-plugin"
#define EXAMPLE                                                                                    \
    "0a670a637b22646f6d61696e5f223a2250222c226e616d655f223a22504f5745525f4944455f435055222c"       \
    "2274696d655f223a31323030302c227461675f223a22506f7765725374617473222c224c4f4144223a5b332c34"   \
    "2e355d2c224e4f5445223a226e227d1001121108501001180120022a0708051807800109"

/* A message with one line. */
static void line(bytes *f, const char *text)
{
    bytes info = {0};
    bytes data = {0};
    put_text(&info, 1, text);
    put_number(&info, 2, 7);
    put_part(&data, 1, &info);
    segment(f, HISYSEVENT, data.p, data.n, 12 * S);
    free(data.p);
}

static void test_worked_example(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, "hisysevent-plugin_config", "0a026d67 1203617070", 12 * S);
    hex(&f, HISYSEVENT, EXAMPLE, 12 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, data_dict, "0|", "1|P", "2|POWER_IDE_CPU", "3|NOTE", "4|domain_", "5|tag_",
               "6|LOAD");
    CHECK_ROWS(&r, hisys_all_event,
               "1|1|2|2000000000|NULL|NULL|NULL|NULL|NULL|NULL|PowerStats|NULL|NULL|NULL|"
               "{\"LOAD\":[3,4.5],\"NOTE\":\"n\"}");
    CHECK_ROWS(&r, app_name, "0|2|3", "1|2|4", "2|2|5", "3|2|6");
    CHECK_ROWS(&r, hisys_event_measure, "0|1|2000000000|2|0|1|0|n", "1|1|2000000000|2|1|1|0|P",
               "2|1|2000000000|2|2|1|0|PowerStats", "3|1|2000000000|2|3|0|3|",
               "4|1|2000000000|2|3|0|4.5|");
    CHECK_ROWS(&r, device_state, "0|80|1|1|2|5|0|7|0|0|0|0|0|0|0|0|0|0|0|0|9");
    CHECK_ROWS(&r, trace_config, "0|hisys_event|message|mg", "1|hisys_event|process_name|app");
    assert_mem_row(r.sink, trace_range, 0, "1999999999|2000000001");
    assert_int_equal(stat_count(&r, "trace_hisys_event", "received"), 1);
    assert_int_equal(stat_count(&r, "trace_hisys_event", "not_match"), 0);
    check_no_issues(&r);
    run_free(&r);
}

/* All members with columns; contents have no white space, and keys in order at every level. */
static void test_all_columns(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    line(&f, " { \"seq_\": 9, \"tz_\":\"+0800\",\"type_\" :4,\"pid_\":11,\"tid_\":12,\"uid_\":13,"
             "\"level_\":\"MINOR\",\"tag_\":\"t\",\"id_\":\"7f\",\"info_\":\"i\",\"name_\":\"N\","
             "\"domain_\":\"D\",\"time_\":13000,\"z\" : { \"b\":[ ] , \"a\":{\"y\":1.50,\"x\":null"
             "} , \"a\":{\"y\":[1, {}, true],\"x\":-0} }, "
             "\"\\u00e4\":\"\\n\\\"\\u0001/\\ud83d\\ude00\"}");
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, hisys_all_event,
               "1|1|2|3000000000|4|+0800|11|12|13|MINOR|t|7f|9|i|"
               "{\"z\":{\"a\":{\"x\":-0,\"y\":[1,{},true]},\"b\":[]},\"\xc3\xa4\":"
               "\"\\x5cn\\x5c\"\\x5cu0001/"
               "\xf0\x9f\x98\x80\"}");
    assert_int_equal(MEM_ROWS(r.sink, hisys_event_measure), 0);
    assert_int_equal(stat_count(&r, "trace_hisys_event", "not_match"), 1);
    check_no_issues(&r);
    run_free(&r);
}

/* Arrays side by side: all first elements, then all second ones. */
static void test_arrays(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    line(&f, "{\"name_\":\"WORK_ADD\",\"time_\":12000,\"B\":[\"x\",2,3],\"A\":[1],\"C\":[],\"D\":["
             "4,5]}");
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, data_dict, "0|", "1|WORK_ADD", "2|A", "3|B", "4|D");
    CHECK_ROWS(&r, hisys_event_measure, "0|7|2000000000|1|0|0|1|", "1|7|2000000000|1|1|1|0|x",
               "2|7|2000000000|1|2|0|4|", "3|7|2000000000|1|1|0|2|", "4|7|2000000000|1|2|0|5|",
               "5|7|2000000000|1|1|0|3|");
    check_no_issues(&r);
    run_free(&r);
}

/* What has another tag is no measurement; without one it is. */
static void test_tags(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    line(&f, "{\"name_\":\"WORK_ADD\",\"time_\":12000,\"tag_\":\"STATS\",\"A\":1}");
    line(&f, "{\"name_\":\"WORK_ADD\",\"time_\":12000,\"A\":2}");
    line(&f, "{\"name_\":\"WORK_ADDED\",\"time_\":12000,\"A\":3}");
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, hisys_event_measure, "0|7|2000000000|1|0|0|2|");
    assert_int_equal(MEM_ROWS(r.sink, hisys_all_event), 3);
    assert_int_equal(stat_count(&r, "trace_hisys_event", "received"), 3);
    assert_int_equal(stat_count(&r, "trace_hisys_event", "not_match"), 1);
    run_free(&r);
}

/* Members of other types than they should have cost their cell only. */
static void test_odd_members(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    line(&f, "{\"name_\":\"WORK_ADD\",\"time_\":\"12000\",\"pid_\":1.5,\"seq_\":1e30,\"level_\":3,"
             "\"A\":{\"b\":1},\"B\":null,\"C\":[true,1]}");
    line(&f, "{\"time_\":12000,\"domain_\":[]}");
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, hisys_all_event,
               "1|NULL|1|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
               "{\"A\":{\"b\":1},\"B\":null,\"C\":[true,1]}",
               "2|NULL|NULL|2000000000|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|null");
    CHECK_ROWS(&r, data_dict, "0|", "1|WORK_ADD", "2|level_", "3|pid_", "4|seq_", "5|C");
    CHECK_ROWS(&r, hisys_event_measure, "0|7|NULL|1|0|0|3|", "1|7|NULL|1|1|0|1.5|",
               "2|7|NULL|1|2|0|1e+30|", "3|7|NULL|1|3|0|1|");
    /* time_, pid_, seq_, level_, A, B, an element of C; domain_ */
    assert_int_equal(LOST(&r, "plugin_values:hisysevent-plugin"), 8 + 1);
    assert_int_equal(issues(&r, "record_untimed"), 1);
    check_counts(&r, "plugin_records:hisysevent-plugin.hisys_event_measure", 4, 3, 0);
    check_counts(&r, "plugin_records:hisysevent-plugin", 2, 0, 0);
    run_free(&r);
}

static void test_lines_that_are_no_events(void **state)
{
    static const char *const lines[] = {"",      "[1]",       "12",    "{\"a\":1",
                                        "{} {}", "{\"a\" 1}", "{a:1}", "\"x\""};
    const size_t n = sizeof lines / sizeof lines[0];
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (size_t i = 0; i < n; i++) {
        line(&f, lines[i]);
    }
    line(&f, "{\"time_\":12000}");
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, hisys_all_event), 1);
    assert_true(issues(&r, "event_bad_line") > 0);
    check_counts(&r, "plugin_records:hisysevent-plugin", 1, (int64_t)n, 0);
    check_counts(&r, "plugin_messages:hisysevent-plugin", 1, (int64_t)n, 0);
    run_free(&r);
}

static void test_long_lines(void **state)
{
    enum { MAX = 1 << 20 };
    char *text = malloc(MAX + 2);
    bytes f;
    run r;
    (void)state;
    assert_non_null(text);
    memset(text, ' ', MAX + 1);
    memcpy(text, "{\"time_\":12000", 14);
    begin(&f);
    text[MAX - 1] = '}';
    text[MAX] = '\0';
    line(&f, text); /* the longest */
    text[MAX - 1] = ' ';
    text[MAX] = '}';
    text[MAX + 1] = '\0';
    line(&f, text);
    run_begin_with(&r, plugins, NULL, 0);
    run_feed(&r, f.p, f.n, f.n);
    run_end(&r);
    assert_int_equal(MEM_ROWS(r.sink, hisys_all_event), 1);
    assert_int_equal(issues(&r, "event_bad_line"), 1);
    run_free(&r);
    free(f.p);
    free(text);
}

static void test_late_clocks(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin_late(&f);
    hex(&f, HISYSEVENT, EXAMPLE, 12 * S);
    late_clocks(&f);
    convert(&r, plugins, &f);
    assert_mem_row(r.sink, hisys_event_measure, 4, "4|1|2000000000|2|3|0|4.5|");
    assert_mem_row(r.sink, trace_range, 0, "1999999999|2000000001");
    run_free(&r);
}

static void test_time_range(void **state)
{
    const ts_time_range range = {TS_WANTED_OFFSET, 0, 2 * S};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HISYSEVENT, EXAMPLE, 12 * S);
    line(&f, "{\"name_\":\"WORK_ADD\",\"time_\":14000,\"A\":2}");
    convert_range(&r, plugins, &f, range);
    assert_int_equal(MEM_ROWS(r.sink, hisys_all_event), 1);
    assert_int_equal(MEM_ROWS(r.sink, hisys_event_measure), 5);
    check_counts(&r, "plugin_records:hisysevent-plugin", 1, 0, 1);
    run_free(&r);
    free(f.p);
}

static void test_repeated(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HISYSEVENT, EXAMPLE, 12 * S);
    hex(&f, HISYSEVENT, EXAMPLE, 12 * S);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, hisys_all_event), 1);
    assert_int_equal(issues(&r, "sample_repeated"), 1);
    run_free(&r);
}

static void test_cut_recording(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    hex(&f, HISYSEVENT, EXAMPLE, 12 * S);
    line(&f, "{\"name_\":\"WORK_ADD\",\"time_\":14000,\"A\":2}");
    check_cuts(plugins, &f, 1024, TS_T_hisys_all_event, 0);
}

static void test_every_allocation_fails(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    hex(&f, "hisysevent-plugin_config", "0a026d67 1203617070", 12 * S);
    hex(&f, HISYSEVENT, EXAMPLE, 12 * S);
    check_allocations(plugins, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example), cmocka_unit_test(test_all_columns),
        cmocka_unit_test(test_arrays),         cmocka_unit_test(test_tags),
        cmocka_unit_test(test_odd_members),    cmocka_unit_test(test_lines_that_are_no_events),
        cmocka_unit_test(test_long_lines),     cmocka_unit_test(test_late_clocks),
        cmocka_unit_test(test_time_range),     cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_cut_recording),  cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

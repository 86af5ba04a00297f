/* hilog-plugin: messages by hand, rows from the description of the format. */
#include "plugin_build.h"

extern const ts_htrace_plugin ts_plugin_hilog;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_hilog, NULL};

#define HILOG "hilog-plugin"
#define EXAMPLE                                                                                    \
    "0a1d0a0e080c100518142015284932025431120973617920226869222018010a190a0e080d100518142015284632" \
    "02"                                                                                           \
    "54321205666174616c18020a170a0e080e100518142015285732025431120367617018050a120a0c080e10051814" \
    "20"                                                                                           \
    "152845320012001805"

/* A line in a message of its own. */
static void line(bytes *f, uint64_t id, const char *text, uint64_t sec)
{
    bytes detail = {0};
    bytes info = {0};
    bytes data = {0};
    put_number(&detail, 1, sec);
    put_number(&detail, 2, 7);
    put_number(&detail, 3, 20);
    put_number(&detail, 4, 21);
    put_number(&detail, 5, 'I');
    put_text(&detail, 6, "T");
    put_part(&info, 1, &detail);
    put_text(&info, 2, text);
    put_number(&info, 3, id);
    put_part(&data, 1, &info);
    segment(f, HILOG, data.p, data.n, 12 * S);
    free(data.p);
}

static void test_worked_example(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HILOG, EXAMPLE, 15 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, log, "1|2000000005|20|21|I|T1|say \"hi\" |12000000005",
               "2|3000000005|20|21|F|T2|fatal|13000000005",
               "5|4000000005|20|21|W|T1|gap|14000000005", "5|4000000005|20|21|E|||14000000005");
    assert_int_equal(stat_count(&r, "hilog", "received"), 4);
    assert_int_equal(stat_count(&r, "hilog", "data_lost"), 1);
    assert_int_equal(stat_count(&r, "hilog", "not_match"), 1);
    assert_int_equal(stat_count(&r, "hilog", "invalid_data"), 0);
    check_counts(&r, "plugin_records:hilog-plugin", 4, 0, 0);
    check_counts(&r, "plugin_messages:hilog-plugin", 1, 0, 0);
    assert_int_equal(LOST(&r, "plugin_values:hilog-plugin"), -1);
    assert_int_equal(issues(&r, "log_lines_missing"), 1);
    assert_int_equal(issues(&r, "log_numbers_back"), 1);
    assert_mem_row(r.sink, trace_range, 0, "2000000005|4000000005");
    assert_mem_row(r.sink, datasource_clockid, 0, "0|hilog-plugin|2");
    run_free(&r);
}

/* Fields in any order, the last of several, padded varints, unknown fields, no fields. */
static void test_forms_of_messages(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HILOG, "", 12 * S);
    hex(&f, HILOG, "2a00 0a17 1881808000 1801 1200 0a0a 2849 1005 080b 088d8000 2a00", 12 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, log, "1|3000000005|0|0|I|||13000000005");
    check_no_issues(&r);
    check_counts(&r, "plugin_messages:hilog-plugin", 2, 0, 0);
    run_free(&r);
}

/* A recording that begins in the middle of the log is whole. */
static void test_begins_late(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    line(&f, 9, "a", 12);
    line(&f, 10, "b", 13);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, log, "9|2000000007|20|21|I|T|a|12000000007",
               "10|3000000007|20|21|I|T|b|13000000007");
    assert_int_equal(stat_count(&r, "hilog", "data_lost"), 1);
    assert_int_equal(issues(&r, "log_begins_late"), 1);
    assert_int_equal(issues(&r, "log_lines_missing"), 0);
    assert_int_equal(ts_issue_losses(r.store), 0);
    run_free(&r);
}

static void test_levels(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HILOG, "0a0a 0a06 080c 1001 2858 1801", 12 * S); /* X */
    hex(&f, HILOG, "0a0a 0a06 080c 1001 2807 1802", 12 * S); /* no letter */
    hex(&f, HILOG, "0a08 0a04 080c 1001 1803", 12 * S);      /* none */
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, log, "1|2000000001|0|0|X|||12000000001", "2|2000000001|0|0|NULL|||12000000001",
               "3|2000000001|0|0|NULL|||12000000001");
    assert_int_equal(stat_count(&r, "hilog", "invalid_data"), 3);
    assert_int_equal(stat_count(&r, "hilog", "received"), 3);
    assert_int_equal(issues(&r, "plugin_bad_field"), 2);
    assert_int_equal(LOST(&r, "plugin_values:hilog-plugin"), 2);
    check_counts(&r, "plugin_messages:hilog-plugin", 1, 2, 0);
    run_free(&r);
}

static void test_times(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HILOG, "0a08 0a04 2849 1801 1801", 12 * S);                 /* none */
    hex(&f, HILOG, "0a0f 0a0b 2849 08808080808080808001 1802", 12 * S); /* too large: cut short */
    hex(&f, HILOG, "0a10 0a0c 2849 08ffffffffffffffff7f 1803", 12 * S); /* beyond ns */
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, log), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(MEM_NULL(r.sink, log, i, ts));
        assert_true(MEM_NULL(r.sink, log, i, origints));
    }
    assert_int_equal(issues(&r, "record_untimed"), 1);
    assert_int_equal(issues(&r, "time_overflow"), 1);
    run_free(&r);
}

static void test_late_clocks(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin_late(&f);
    line(&f, 1, "a", 12);
    line(&f, 2, "b", 13);
    late_clocks(&f);
    line(&f, 3, "c", 14);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, log, "1|2000000007|20|21|I|T|a|12000000007",
               "2|3000000007|20|21|I|T|b|13000000007", "3|4000000007|20|21|I|T|c|14000000007");
    assert_mem_row(r.sink, trace_range, 0, "2000000007|4000000007");
    run_free(&r);
}

static void test_time_range(void **state)
{
    const ts_time_range range = {TS_WANTED_OFFSET, 2 * S, 4 * S};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (uint64_t i = 1; i < 7; i++) {
        line(&f, i, "a", 11 + i); /* at 2 s to 7 s */
    }
    hex(&f, HILOG, "0a06 0a02 2849 1807", 12 * S); /* not known whether in the range */
    convert_range(&r, plugins, &f, range);
    CHECK_ROWS(&r, log, "2|3000000007|20|21|I|T|a|13000000007",
               "3|4000000007|20|21|I|T|a|14000000007");
    check_counts(&r, "plugin_records:hilog-plugin", 2, 0, 5);
    assert_mem_row(r.sink, trace_range, 0, "3000000007|4000000007");
    assert_int_equal(stat_count(&r, "hilog", "received"), 7);
    run_free(&r);
    free(f.p);
}

/* What is wrong in a line is NULL in its row; lines beside it are right. */
static void test_wrong_types(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HILOG, "0801", 12 * S);                          /* a line that is none */
    hex(&f, HILOG, "0a0a 0a06 080c 1001 2849 1a00", 12 * S); /* id */
    hex(&f, HILOG, "0a07 0801 1203 616263", 12 * S);         /* detail */
    hex(&f, HILOG, "0a10 0a0c 080c 1001 1a00 2200 2849 30 01 1804", 12 * S); /* pid, tid, tag */
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, log, "NULL|2000000001|0|0|I|||12000000001",
               "0|NULL|NULL|NULL|NULL|NULL|abc|NULL", "4|2000000001|NULL|NULL|I|NULL||12000000001");
    check_counts(&r, "plugin_records:hilog-plugin", 3, 0, 0);
    check_counts(&r, "plugin_messages:hilog-plugin", 0, 4, 0);
    assert_int_equal(LOST(&r, "plugin_values:hilog-plugin"), 1 + 5 + 3);
    assert_int_equal(issues(&r, "record_untimed"), 1);
    run_free(&r);
}

/* A line that breaks off ends there; its siblings go on. */
static void test_damaged_lines(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HILOG,
        "0a0d 0a06 080c 1001 2849 1201 61 18 ff" /* behind the text */
        "0a03 0a05 08"                           /* nothing of it */
        "0a0a 0a06 080c 1001 2849 1803",
        12 * S);
    hex(&f, HILOG, "0a0a 0a06 080c 1001 2849 1804 0a 7f 00", 12 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, log, "NULL|2000000001|0|0|I||a|12000000001", "3|2000000001|0|0|I|||12000000001",
               "4|2000000001|0|0|I|||12000000001");
    check_counts(&r, "plugin_records:hilog-plugin", 3, 1, 0);
    check_counts(&r, "plugin_messages:hilog-plugin", 0, 2, 0);
    assert_int_equal(issues(&r, "plugin_bad_message"), 3);
    run_free(&r);
}

static void test_texts(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HILOG, "0a11 0a09 080c 1001 2849 3201ff 1202c3a4 1801", 12 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, log, "1|2000000001|0|0|I|\xef\xbf\xbd|\xc3\xa4|12000000001");
    assert_int_equal(issues(&r, "plugin_bad_text"), 1);
    run_free(&r);
}

/* Lines that stand twice are two rows, and an issue. */
static void test_repeated(void **state)
{
    static const unsigned order[] = {1, 2, 1, 2, 3};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (size_t i = 0; i < 5; i++) {
        line(&f, order[i], "a", 11 + order[i]);
    }
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, log), 5);
    assert_int_equal(issues(&r, "log_numbers_back"), 1);
    run_free(&r);
}

static void some_lines(bytes *f)
{
    begin(f);
    for (uint64_t i = 1; i < 6; i++) {
        line(f, i, i % 2 == 0 ? "b\xff" : "a", 11 + i);
    }
    hex(f, HILOG, EXAMPLE, 15 * S);
}

static void test_cut_recording(void **state)
{
    bytes f;
    (void)state;
    some_lines(&f);
    check_cuts(plugins, &f, 1024, TS_T_log, 0);
}

static void test_every_allocation_fails(void **state)
{
    bytes f;
    (void)state;
    some_lines(&f);
    check_allocations(plugins, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_forms_of_messages),
        cmocka_unit_test(test_begins_late),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_late_clocks),
        cmocka_unit_test(test_time_range),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_damaged_lines),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_cut_recording),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* xpower-plugin: messages by hand, rows from the description of the format. */
#include "plugin_build.h"

extern const ts_htrace_plugin ts_plugin_xpower;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_xpower, NULL};

#define XPOWER "xpower-plugin"
#define FIRST                                                                                      \
    "08e05d 10987532 100a04080b100c 2a040833103422 02102a"                                         \
    "3a15 120d 1204a0068407 1a020102 220103 1a0408642007"
#define SECOND "089875 10d08c01 2a1b 08a01f 284f 3a14 d4fdffffffffffffff01 cafdffffffffffffff01"

static void test_worked_example(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, XPOWER, FIRST, 12 * S);
    hex(&f, XPOWER, SECOND, 15 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, data_dict, "0|", "1|audio", "2|cpu", "3|display");
    CHECK_ROWS(&r, xpower_app_statistic, "0|1|2000000000|12|11", "1|2|2000000000|42|NULL",
               "2|3|2000000000|52|51");
    CHECK_ROWS(&r, xpower_app_detail_gpu, "0|800|2000000000|1|3");
    CHECK_ROWS(&r, xpower_app_detail_wifi, "0|2000000000|100|NULL|NULL|7");
    CHECK_ROWS(&r, xpower_measure, "measure|5000000000|NULL|4000|0", "measure|5000000000|NULL|0|1",
               "measure|5000000000|NULL|0|2", "measure|5000000000|NULL|79|3",
               "measure|5000000000|NULL|0|4", "measure|5000000000|100000000|-300|5",
               "measure|5100000000|NULL|-310|5");
    assert_mem_row(r.sink, measure_filter, 5, "5|xpower_filter|Battery.RealCurrent|0");
    assert_int_equal(MEM_ROWS(r.sink, sys_event_filter), 0);
    assert_mem_row(r.sink, trace_range, 0, "2000000000|8000000000");
    CHECK_ROWS(&r, trace_config, "0|xpower_config|bundle_name|");
    assert_int_equal(issues(&r, "lists_differ"), 1); /* 900 and the idle time 2 */
    check_counts(&r, "plugin_records:xpower-plugin.app_detail.gpu", 1, 1, 0);
    check_counts(&r, "plugin_records:xpower-plugin.app_statistic", 3, 0, 0);
    check_counts(&r, "plugin_messages:xpower-plugin", 2, 0, 0);
    run_free(&r);
}

static void list(bytes *out, uint32_t field, uint64_t first, uint64_t second)
{
    bytes packed = {0};
    put_varint(&packed, first);
    put_varint(&packed, second);
    put_part(out, field, &packed);
}

/* A component of the largest users: names a and b, then lists that count from 10 times the field's
 * number. */
static void component(bytes *top, uint32_t number, uint32_t last)
{
    bytes part = {0};
    put_text(&part, 2, "a");
    put_text(&part, 2, "b");
    for (uint32_t field = 3; field <= last; field++) {
        list(&part, field, 10 * field, 10 * field + 1);
    }
    put_part(top, number, &part);
}

static void report_of(bytes *f, uint32_t number, bytes *part)
{
    bytes data = {0};
    put_number(&data, 1, 12000);
    put_number(&data, 2, 13000);
    put_text(&data, 3, "com.example");
    put_part(&data, number, part);
    segment(f, XPOWER, data.p, data.n, 12 * S);
    free(data.p);
}

/* Each component in its own columns; the order of rows is not that of the fields. */
static void test_largest_users(void **state)
{
    bytes top = {0};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    component(&top, 4, 12);
    component(&top, 3, 11);
    component(&top, 7, 4);
    component(&top, 9, 10);
    report_of(&f, 8, &top);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, data_dict, "0|", "1|wifiscan", "2|a", "3|b", "4|gpu", "5|camera", "6|cpu");
#define NULLS "NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL"
    CHECK_ROWS(&r, xpower_component_top,
               "0|1|2000000000|2|30|40|50|60|70|80|90|100|NULL|NULL|NULL|NULL|NULL",
               "1|1|2000000000|3|31|41|51|61|71|81|91|101|NULL|NULL|NULL|NULL|NULL",
               "2|4|2000000000|2|" NULLS "|NULL|NULL|NULL|30|40",
               "3|4|2000000000|3|" NULLS "|NULL|NULL|NULL|31|41",
               "4|5|2000000000|2|40|50|60|70|80|90|100|110|30|NULL|NULL|NULL|NULL",
               "5|5|2000000000|3|41|51|61|71|81|91|101|111|31|NULL|NULL|NULL|NULL",
               "6|6|2000000000|2|40|50|60|70|80|90|100|110|NULL|30|120|NULL|NULL",
               "7|6|2000000000|3|41|51|61|71|81|91|101|111|NULL|31|121|NULL|NULL");
    check_no_issues(&r);
    run_free(&r);
}

static void test_threads_and_display(void **state)
{
    bytes detail = {0};
    bytes cpu = {0};
    bytes display = {0};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_text(&cpu, 3, "main");
    put_text(&cpu, 3, "worker");
    list(&cpu, 2, 7, 8);
    put_number(&cpu, 4, 9); /* not packed */
    put_number(&cpu, 4, 10);
    list(&cpu, 5, 11, 12);
    put_number(&display, 1, 0);
    put_number(&display, 8, 3600);
    put_number(&display, 11, 5);
    put_part(&detail, 4, &display);
    put_part(&detail, 1, &cpu);
    report_of(&f, 7, &detail);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, data_dict, "0|", "1|main", "2|worker");
    CHECK_ROWS(&r, xpower_app_detail_cpu, "0|1|2000000000|9|7|11", "1|2|2000000000|10|8|12");
    CHECK_ROWS(&r, xpower_app_detail_display,
               "0|2000000000|0|NULL|NULL|NULL|NULL|NULL|NULL|3600|NULL|NULL|5");
    CHECK_ROWS(&r, trace_config, "0|xpower_config|bundle_name|com.example");
    check_no_issues(&r);
    run_free(&r);
}

/* The name of the application may come with a later report. */
static void test_named_later(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, XPOWER, "08e05d109875", 12 * S);
    hex(&f, XPOWER, "08e15d1098751a00", 13 * S);
    hex(&f, XPOWER, "08e25d1098751a03612e62", 14 * S);
    hex(&f, XPOWER, "08e35d1098751a03632e64", 15 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, trace_config, "0|xpower_config|bundle_name|a.b");
    check_no_issues(&r);
    run_free(&r);
}

/* A value of a list that is passed over would shift those behind it: no row is certain. */
static void test_list_with_a_wrong_type(void **state)
{
    bytes detail = {0};
    bytes gpu = {0};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_number(&gpu, 2, 800);
    put_double(&gpu, 2, 850); /* no varint */
    put_number(&gpu, 2, 900);
    put_text(&gpu, 3, "\x01\x02");
    put_text(&gpu, 4, "\x03\x04");
    put_part(&detail, 2, &gpu);
    report_of(&f, 7, &detail);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, xpower_app_detail_gpu), 0);
    assert_int_equal(issues(&r, "plugin_bad_field"), 1);
    check_counts(&r, "plugin_records:xpower-plugin.app_detail.gpu", 0, 2, 0);
    check_counts(&r, "plugin_messages:xpower-plugin", 0, 1, 0);
    run_free(&r);
}

/* Without its times a report is lost; of two that begin at one time the first counts. */
static void test_times_of_reports(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, XPOWER, "10d08c01 5204 0801 1002", 15 * S); /* no beginning */
    hex(&f, XPOWER, "089875 5204 0801 1002", 15 * S);   /* no end */
    hex(&f, XPOWER, "089875 10d08c01 5204 0803 1004", 15 * S);
    hex(&f, XPOWER, "089875 10d18c01 5204 0805 1006", 16 * S); /* begins when one did */
    hex(&f, XPOWER, "08ffffffffffffffff7f 10d18c01 5204 0807 1008", 16 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, xpower_measure, "measure|5000000000|NULL|3|0", "measure|5000000000|NULL|4|1",
               "measure|NULL|NULL|7|0", "measure|NULL|NULL|8|1");
    CHECK_ROWS(&r, measure_filter, "0|xpower_filter|ThermalReport.ShellTemp|0",
               "1|xpower_filter|ThermalReport.ThermalLevel|0");
    check_counts(&r, "plugin_messages:xpower-plugin", 2, 2, 1);
    assert_int_equal(issues(&r, "record_untimed"), 1);
    assert_int_equal(issues(&r, "sample_repeated"), 1);
    run_free(&r);
}

static void test_late_clocks(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin_late(&f);
    hex(&f, XPOWER, FIRST, 12 * S);
    hex(&f, XPOWER, SECOND, 15 * S);
    late_clocks(&f);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, xpower_app_detail_wifi, "0|2000000000|100|NULL|NULL|7");
    assert_mem_row(r.sink, xpower_measure, 6, "measure|5100000000|NULL|-310|5");
    assert_mem_row(r.sink, trace_range, 0, "2000000000|8000000000");
    run_free(&r);
}

static void test_time_range(void **state)
{
    const ts_time_range range = {TS_WANTED_OFFSET, 0, 2 * S};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, XPOWER, FIRST, 12 * S);
    hex(&f, XPOWER, SECOND, 15 * S);
    convert_range(&r, plugins, &f, range);
    assert_int_equal(MEM_ROWS(r.sink, xpower_app_statistic), 3);
    assert_int_equal(MEM_ROWS(r.sink, xpower_measure), 0);
    check_counts(&r, "plugin_records:xpower-plugin.xpower_measure", 0, 0, 7);
    run_free(&r);
    free(f.p);
}

/* Each list in turn breaks off: what stands before is right. */
static void test_cut_recording(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    hex(&f, XPOWER, SECOND, 12 * S);
    hex(&f, XPOWER, FIRST, 13 * S);
    check_cuts(plugins, &f, 1024, TS_T_xpower_measure, TS_NULL_BIT(xpower_measure, dur));
}

static void test_cut_lists(void **state)
{
    bytes f;
    bytes top = {0};
    (void)state;
    begin(&f);
    component(&top, 3, 11);
    component(&top, 1, 10);
    report_of(&f, 8, &top);
    check_cuts(plugins, &f, 1024, TS_T_xpower_component_top,
               TS_NULL_BIT(xpower_component_top, id) |
                   TS_NULL_BIT(xpower_component_top, component_type_id) |
                   TS_NULL_BIT(xpower_component_top, appname));
}

static void test_every_allocation_fails(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    hex(&f, XPOWER, FIRST, 12 * S);
    hex(&f, XPOWER, SECOND, 15 * S);
    check_allocations(plugins, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_largest_users),
        cmocka_unit_test(test_threads_and_display),
        cmocka_unit_test(test_named_later),
        cmocka_unit_test(test_list_with_a_wrong_type),
        cmocka_unit_test(test_times_of_reports),
        cmocka_unit_test(test_late_clocks),
        cmocka_unit_test(test_time_range),
        cmocka_unit_test(test_cut_recording),
        cmocka_unit_test(test_cut_lists),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* hidump-plugin: messages by hand, rows from the description of the format. */
#include "plugin_build.h"

extern const ts_htrace_plugin ts_plugin_hidump;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_hidump, NULL};

#define HIDUMP "hidump-plugin"
#define EXAMPLE "0a0e08021208080c1080cab5ee01183c0a08080112020803183b"

static void test_worked_example(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HIDUMP, EXAMPLE, 12 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, hidump, "0|2500000000|60", "1|3000000000|59");
    check_no_issues(&r);
    assert_int_equal(stat_count(&r, "hidump_fps", "received"), 2);
    assert_mem_row(r.sink, trace_range, 0, "2500000000|3000000000");
    assert_mem_row(r.sink, datasource_clockid, 0, "0|hidump-plugin|1"); /* of the last event */
    check_counts(&r, "plugin_records:hidump-plugin", 2, 0, 0);
    run_free(&r);
}

/* Clock 0 is not converted; one that the recording has no snapshot of stays, too. */
static void test_clocks(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HIDUMP, "0a06 1202 0805 1801 0a08 0804 1202 0806 1802 0a08 0809 1202 0807 1803",
        12 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, hidump, "0|5000000000|1", "1|6000000000|2", "2|7000000000|3");
    assert_int_equal(issues(&r, "plugin_odd_value"), 1);
    assert_int_equal(issues(&r, "clock_missing"), 1);
    run_free(&r);
}

static void test_late_clocks(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin_late(&f);
    hex(&f, HIDUMP, EXAMPLE, 12 * S);
    late_clocks(&f);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, hidump, "0|2500000000|60", "1|3000000000|59");
    run_free(&r);
}

static void test_time_range(void **state)
{
    const ts_time_range range = {TS_WANTED_OFFSET, 0, 2 * S};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HIDUMP, EXAMPLE, 12 * S);
    convert_range(&r, plugins, &f, range);
    CHECK_ROWS(&r, hidump, "0|2500000000|60");
    check_counts(&r, "plugin_records:hidump-plugin", 1, 0, 1);
    run_free(&r);
    free(f.p);
}

static void test_damaged(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HIDUMP,
        "0a08 0a00 1202 0803 1801" /* the clock is none: so is the time */
        "0a08 0801 1202 08ff 1802" /* the time breaks off */
        "0a08 0801 1202 0803 1a00" /* fps is none */
        "0a02 08ff"                /* nothing of it */
        "0801",
        12 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, hidump, "0|NULL|1", "1|NULL|2", "2|3000000000|NULL");
    check_counts(&r, "plugin_records:hidump-plugin", 3, 1, 0);
    check_counts(&r, "plugin_messages:hidump-plugin", 0, 1, 0);
    assert_int_equal(LOST(&r, "plugin_values:hidump-plugin"), 3);
    run_free(&r);
}

static void test_repeated(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, HIDUMP, EXAMPLE, 12 * S);
    hex(&f, HIDUMP, EXAMPLE, 12 * S);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, hidump), 2);
    assert_int_equal(issues(&r, "sample_repeated"), 1);
    check_counts(&r, "plugin_messages:hidump-plugin", 1, 0, 1);
    run_free(&r);
}

static void test_cut_recording(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    hex(&f, HIDUMP, EXAMPLE, 12 * S);
    hex(&f, HIDUMP, "0a08 0801 1202 0805 1801", 13 * S);
    check_cuts(plugins, &f, 1024, TS_T_hidump, 0);
}

static void test_every_allocation_fails(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    hex(&f, HIDUMP, EXAMPLE, 12 * S);
    check_allocations(plugins, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example), cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_late_clocks),    cmocka_unit_test(test_time_range),
        cmocka_unit_test(test_damaged),        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_cut_recording),  cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

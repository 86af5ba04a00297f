/* process-plugin: messages by hand, rows from the description of the format. */
#include "plugin_build.h"

extern const ts_htrace_plugin ts_plugin_process;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_process, NULL};

#define PROCESS "process-plugin"
#define FIRST                                                                                      \
    "0a2708011204696e6974180120e8072a0d09000000000000e03f10031864320208643a0528802030000a26081412" \
    "0361"                                                                                         \
    "7070180120e8072a0d09000000000000f03f10031832320208643a052800308040"
#define SECOND                                                                                     \
    "0a2708011204696e6974180120e8072a0d09000000000000d03f1003186e320208643a0528802030000a2a081412" \
    "036170"                                                                                       \
    "70180120e8072a0d09000000000000084010031850320208643a09288080808014308040"

static void sample(bytes *f, uint64_t pid, int64_t ts)
{
    bytes entry = {0};
    bytes data = {0};
    put_number(&entry, 1, pid);
    put_part(&data, 1, &entry);
    segment(f, PROCESS, data.p, data.n, ts);
    free(data.p);
}

static void test_worked_example(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, PROCESS, FIRST, 12 * S);
    hex(&f, PROCESS, SECOND, 13 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, live_process, "2000000000|0|100|1|init|1|1000|1000|0.5|100|3|0|4096",
               "2000000000|0|50|20|app|1|1000|1000|1|100|3|8192|0",
               "3000000000|1000000000|110|1|init|1|1000|1000|0.25|100|3|0|4096",
               "3000000000|1000000000|80|20|app|1|1000|1000|3|100|3|8192|5368709120");
    check_no_issues(&r);
    assert_int_equal(stat_count(&r, "trace_process", "received"), 4);
    check_counts(&r, "plugin_records:process-plugin", 4, 0, 0);
    check_counts(&r, "plugin_messages:process-plugin", 2, 0, 0);
    assert_mem_row(r.sink, trace_range, 0, "2000000000|3000000000");
    assert_mem_row(r.sink, datasource_clockid, 0, "0|process-plugin|2");
    run_free(&r);
}

/* By time, equal ones as they came; pid 0 has no row; a message of no processes is a sample. */
static void test_order(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    sample(&f, 3, 15 * S);
    hex(&f, PROCESS, "", 14 * S);
    sample(&f, 1, 12 * S);
    sample(&f, 0, 13 * S);
    sample(&f, 4, 15 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, live_process, "2000000000|0|0|1||0|0|0|0|0|0|0|0",
               "5000000000|1000000000|0|3||0|0|0|0|0|0|0|0", "5000000000|0|0|4||0|0|0|0|0|0|0|0");
    check_counts(&r, "plugin_records:process-plugin", 3, 0, 1);
    run_free(&r);
}

static void test_repeated(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    sample(&f, 1, 12 * S);
    sample(&f, 1, 13 * S);
    sample(&f, 1, 12 * S);
    sample(&f, 1, 13 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, live_process, "2000000000|0|0|1||0|0|0|0|0|0|0|0",
               "3000000000|1000000000|0|1||0|0|0|0|0|0|0|0");
    assert_int_equal(issues(&r, "sample_repeated"), 1);
    check_counts(&r, "plugin_records:process-plugin", 2, 0, 2);
    run_free(&r);
}

static void test_gaps(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    sample(&f, 1, 12 * S);
    sample(&f, 1, 13 * S);
    put_gap(&f);
    sample(&f, 1, 14 * S);
    sample(&f, 1, 15 * S);
    sample(&f, 2, -1);
    sample(&f, 1, 16 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, live_process, "2000000000|0|0|1||0|0|0|0|0|0|0|0",
               "3000000000|1000000000|0|1||0|0|0|0|0|0|0|0", "4000000000|NULL|0|1||0|0|0|0|0|0|0|0",
               "5000000000|1000000000|0|1||0|0|0|0|0|0|0|0", "6000000000|NULL|0|1||0|0|0|0|0|0|0|0",
               "NULL|NULL|0|2||0|0|0|0|0|0|0|0");
    assert_int_equal(issues(&r, "sample_gap"), 1);
    assert_int_equal(issues(&r, "record_untimed"), 1);
    run_free(&r);
}

static void test_time_range(void **state)
{
    const ts_time_range range = {TS_WANTED_OFFSET, 2 * S, 4 * S};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (int i = 1; i < 7; i++) {
        sample(&f, 1, (11 + i) * S);
    }
    convert_range(&r, plugins, &f, range);
    CHECK_ROWS(&r, live_process, "3000000000|1000000000|0|1||0|0|0|0|0|0|0|0",
               "4000000000|1000000000|0|1||0|0|0|0|0|0|0|0");
    assert_mem_row(r.sink, trace_range, 0, "3000000000|4000000000");
    run_free(&r);
    free(f.p);
}

static void test_damaged(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, PROCESS,
        "0a07 0801 2a01 08 2001" /* a damaged part */
        "0a06 0802 3200 3801"    /* one that is none */
        "0a06 0803 0a02 1801"    /* a pid that is none beside the right one */
        "0a0a 0804 18 ff"        /* behind which all is lost */
        "2a01 61 0a7f",
        12 * S);
    hex(&f, PROCESS, "0a0e 0805 2a0a 18ffffffffffffffff7f", 13 * S); /* too long a number */
    convert(&r, plugins, &f);
    assert_true(MEM_ROWS(r.sink, live_process) >= 3);
    assert_mem_row(r.sink, live_process, 0, "2000000000|0|NULL|1||0|1|1|NULL|0|NULL|0|0");
    assert_mem_row(r.sink, live_process, 1, "2000000000|0|0|2||0|0|0|0|0|0|NULL|NULL");
    assert_mem_row(r.sink, live_process, 2, "2000000000|0|0|3||0|0|0|0|0|0|0|0");
    assert_int_equal(LOST(&r, "plugin_messages:process-plugin"), 1);
    assert_mem_row(r.sink, live_process, MEM_ROWS(r.sink, live_process) - 1,
                   "3000000000|1000000000|9223372036854775807|5||0|0|0|0|0|0|0|0");
    assert_true(LOST(&r, "plugin_values:process-plugin") >= 5);
    run_free(&r);
}

static void some_samples(bytes *f)
{
    begin(f);
    hex(f, PROCESS, FIRST, 12 * S);
    hex(f, PROCESS, SECOND, 13 * S);
    sample(f, 7, 14 * S);
}

static void test_cut_recording(void **state)
{
    bytes f;
    (void)state;
    some_samples(&f);
    check_cuts(plugins, &f, 1024, TS_T_live_process, 0);
}

static void test_every_allocation_fails(void **state)
{
    bytes f;
    (void)state;
    some_samples(&f);
    check_allocations(plugins, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example), cmocka_unit_test(test_order),
        cmocka_unit_test(test_repeated),       cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_time_range),     cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_cut_recording),  cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

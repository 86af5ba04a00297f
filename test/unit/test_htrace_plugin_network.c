/* network-plugin: messages by hand, rows from the description of the format. */
#include "plugin_build.h"

extern const ts_htrace_plugin ts_plugin_network;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_network, NULL};

#define NETWORK "network-plugin"
#define FIRST "120a18e807200a28f4033005"
#define SECOND "120a18b81720142884073009"

static void test_worked_example(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, NETWORK, FIRST, 12 * S);
    hex(&f, NETWORK, SECOND, 14 * S);
    hex(&f, NETWORK, "120a18d00f20152884073009", 15 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, network, "4000000000|2000000000|900|3000|200|1000|20|5|9|2|undefined",
               "5000000000|1000000000|900|2000|0|-1000|21|1|9|0|undefined");
    assert_int_equal(issues(&r, "counter_went_back"), 1);
    assert_int_equal(ts_issue_losses(r.store), 0);
    assert_int_equal(stat_count(&r, "trace_network", "received"), 3);
    assert_mem_row(r.sink, trace_range, 0, "2000000000|5000000000");
    assert_mem_row(r.sink, datasource_clockid, 0, "0|network-plugin|2");
    run_free(&r);
}

/* An empty system part is zeros, none is no sample; two samples of one time have no speed. */
static void test_forms(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, NETWORK, "1200", 12 * S);
    hex(&f, NETWORK, "0a020801", 13 * S);
    hex(&f, NETWORK, "1200", 14 * S);
    hex(&f, NETWORK, "1206 1805 3a02 0801", 14 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, network, "4000000000|2000000000|0|0|0|0|0|0|0|0|undefined",
               "4000000000|0|0|5|NULL|NULL|0|NULL|0|NULL|undefined");
    check_no_issues(&r);
    check_counts(&r, "plugin_messages:network-plugin", 3, 0, 1);
    assert_int_equal(SKIPPED(&r, "extra_fields:network-plugin.networkinfo"), 1);
    assert_int_equal(SKIPPED(&r, "extra_fields:network-plugin.details"), 1);
    run_free(&r);
}

static void test_damaged(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, NETWORK, FIRST, 12 * S);
    hex(&f, NETWORK, "1204 1a00 2005", 13 * S);              /* bytes where a number belongs */
    hex(&f, NETWORK, "1203 1805 20", 14 * S);                /* it breaks off */
    hex(&f, NETWORK, "120b 18ffffffffffffffffff01", 15 * S); /* beyond 63 bits */
    hex(&f, NETWORK, "1001", 16 * S);                        /* no part */
    hex(&f, NETWORK, FIRST, 17 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, network, "3000000000|1000000000|0|NULL|-500|NULL|5|-5|0|-5|undefined",
               "4000000000|1000000000|NULL|5|NULL|NULL|NULL|NULL|NULL|NULL|undefined",
               "5000000000|1000000000|0|NULL|NULL|NULL|0|NULL|0|NULL|undefined",
               "7000000000|NULL|500|1000|NULL|NULL|10|NULL|5|NULL|undefined");
    check_counts(&r, "plugin_messages:network-plugin", 4, 2, 0);
    assert_int_equal(LOST(&r, "plugin_values:network-plugin"), 1 + 3 + 1 + 1);
    run_free(&r);
}

static void test_repeated(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, NETWORK, FIRST, 12 * S);
    hex(&f, NETWORK, SECOND, 13 * S);
    hex(&f, NETWORK, SECOND, 13 * S);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, network), 1);
    assert_int_equal(issues(&r, "sample_repeated"), 1);
    run_free(&r);
}

static void some_samples(bytes *f)
{
    begin(f);
    hex(f, NETWORK, FIRST, 12 * S);
    hex(f, NETWORK, SECOND, 14 * S);
    hex(f, NETWORK, SECOND, 15 * S);
}

static void test_cut_recording(void **state)
{
    bytes f;
    bytes first; /* a sample that is not the first one has a row */
    (void)state;
    begin(&first);
    hex(&first, NETWORK, FIRST, 12 * S);
    some_samples(&f);
    check_cuts(plugins, &f, first.n, TS_T_network, 0);
    free(first.p);
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
        cmocka_unit_test(test_worked_example), cmocka_unit_test(test_forms),
        cmocka_unit_test(test_damaged),        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_cut_recording),  cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

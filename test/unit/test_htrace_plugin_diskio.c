/* diskio-plugin: messages by hand, rows from the description of the format. */
#include "plugin_build.h"

extern const ts_htrace_plugin ts_plugin_diskio;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_diskio, NULL};

#define DISKIO "diskio-plugin"
#define SECOND                                                                                     \
    "08e80710f40320c00c28bc053a31121b0a0373646119000000000000f83f210000000000000440300a381412120a" \
    "03736462"                                                                                     \
    "19000000000000e03f30013802"

static void test_worked_example(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, DISKIO, "0800100020e80728f403", 12 * S);
    hex(&f, DISKIO, SECOND, 14 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, diskio, "4000000000|2000000000|1600|700|300|100|11|22|2|2.5");
    check_no_issues(&r);
    assert_int_equal(stat_count(&r, "trace_diskio", "received"), 2);
    assert_mem_row(r.sink, trace_range, 0, "2000000000|4000000000");
    assert_mem_row(r.sink, datasource_clockid, 0, "0|diskio-plugin|2");
    check_counts(&r, "plugin_samples:diskio-plugin", 1, 0, 1);
    run_free(&r);
}

/* Two samples of one time have no speed; a number that goes back has a negative one. */
static void test_speeds(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, DISKIO, "", 12 * S);
    hex(&f, DISKIO, "2005", 12 * S);
    hex(&f, DISKIO, "0805 2003 1001", 13 * S);
    hex(&f, DISKIO, "20ffffffffffffffff7f 08ffffffffffffffffff01", 14 * S); /* beyond 64 bits */
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, diskio, "2000000000|0|5|0|NULL|NULL|0|0|0|0",
               "3000000000|1000000000|3|0|-2|-1|0|0|0|0",
               "4000000000|1000000000|9223372036854775807|0|NULL|0|0|0|0|0");
    assert_int_equal(issues(&r, "counter_went_back"), 2);
    run_free(&r);
}

static void test_damaged(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, DISKIO, "", 12 * S);
    hex(&f, DISKIO, "2005 3a08 1202 3007 1202 30ff", 13 * S); /* a device that breaks off */
    hex(&f, DISKIO, "2005 3a04 1001 1200", 14 * S);           /* one that is none */
    hex(&f, DISKIO, "2005 0a00 3a04 1202 3001", 15 * S);      /* the number before is none */
    hex(&f, DISKIO, "2005 28ff", 16 * S);
    hex(&f, DISKIO, "08", 17 * S); /* nothing of it can be read */
    hex(&f, DISKIO, "2006", 18 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, diskio, "3000000000|1000000000|5|0|5|0|NULL|NULL|NULL|NULL",
               "4000000000|1000000000|5|0|5|0|NULL|NULL|NULL|NULL",
               "5000000000|1000000000|5|0|NULL|0|1|0|0|0",
               "6000000000|1000000000|5|NULL|NULL|NULL|NULL|NULL|NULL|NULL",
               "8000000000|NULL|6|0|NULL|NULL|0|0|0|0");
    check_counts(&r, "plugin_messages:diskio-plugin", 4, 3, 0);
    assert_int_equal(issues(&r, "sample_gap"), 1);
    run_free(&r);
}

static void test_repeated(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, DISKIO, "2005", 12 * S);
    hex(&f, DISKIO, SECOND, 13 * S);
    hex(&f, DISKIO, SECOND, 13 * S);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, diskio), 1);
    assert_int_equal(issues(&r, "sample_repeated"), 1);
    run_free(&r);
}

static void some_samples(bytes *f)
{
    begin(f);
    hex(f, DISKIO, "0800100020e80728f403", 12 * S);
    hex(f, DISKIO, SECOND, 14 * S);
    hex(f, DISKIO, SECOND, 15 * S);
}

static void test_cut_recording(void **state)
{
    bytes f;
    bytes first; /* a sample that is not the first one has a row */
    (void)state;
    begin(&first);
    hex(&first, DISKIO, "0800100020e80728f403", 12 * S);
    some_samples(&f);
    check_cuts(plugins, &f, first.n, TS_T_diskio, 0);
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
        cmocka_unit_test(test_worked_example), cmocka_unit_test(test_speeds),
        cmocka_unit_test(test_damaged),        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_cut_recording),  cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

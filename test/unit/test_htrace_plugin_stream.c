/* stream-plugin: messages are counted, whole and in pieces, and have no rows. */
#include "plugin_build.h"

extern const ts_htrace_plugin ts_plugin_stream;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_stream, NULL};

static void some_messages(bytes *f)
{
    begin(f);
    hex(f, "stream-plugin", "0807 1203 616263", 12 * S);
    hex(f, "stream-plugin", "0807 1203 616263", 12 * S); /* counted again: it has no table */
    hex(f, "stream-plugin", "", 13 * S);
}

static void test_counted(void **state)
{
    bytes f;
    run r;
    (void)state;
    some_messages(&f);
    convert(&r, plugins, &f);
    check_no_issues(&r);
    check_counts(&r, "plugin_messages:stream-plugin", 0, 0, 3);
    check_counts(&r, "plugin_segments:stream-plugin", 3, 0, 0);
    run_free(&r);
}

static void test_cut_recording(void **state)
{
    bytes f;
    (void)state;
    some_messages(&f);
    for (size_t n = 1024; n < f.n; n++) {
        run r;
        run_begin_with(&r, plugins, NULL, 0);
        run_feed(&r, f.p, n, n);
        run_end(&r);
        assert_int_equal(r.code, TS_OK);
        check_run(&r, n);
        run_free(&r);
    }
    free(f.p);
}

static void test_every_allocation_fails(void **state)
{
    bytes f;
    (void)state;
    some_messages(&f);
    check_allocations(plugins, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counted),
        cmocka_unit_test(test_cut_recording),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

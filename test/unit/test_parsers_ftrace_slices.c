/* callstack, process_measure: the example slices.htrace of the format's description. */
#include "ftrace_events.h"

static void app(bench *b, int64_t at, const char *text)
{
    print_at(b, at, 20, 20, "app", text);
}

static void put_example(bench *b)
{
    app(b, 0, "B|20|H:outer ");
    app(b, 10, "B|20|H:[8b0e,2,1]#C##call");
    app(b, 15, "B|20|H:named|M62|k=v");
    app(b, 18, "E|20");
    app(b, 20, "E|20\n");
    print_at(b, 25, 20, 21, "worker", "S|20|H:load|7|I62|cat|args");
    app(b, 26, "S|20|net$$H:x|7");
    app(b, 27, "S|20|H:load|7");
    app(b, 30, "E|20|");
    app(b, 31, "E|20");
    app(b, 35, "F|20|H:load|7");
    app(b, 36, "F|20|H:none|9");
    app(b, 40, "C|20|H:count|5");
    app(b, 50, "C|20|H:count|-6");
    app(b, 60, "G|20|cat|H:g|1");
    app(b, 61, "G|20|cat|H:g|1");
    print_at(b, 65, 20, 21, "worker", "H|20|cat|H:g|1");
    app(b, 70, "B|20|open");
    app(b, 71, "trace_event_clock_sync: parent_ts=1");
    app(b, 72, "X|20|no");
    app(b, 73, "C|20|H:bad|x");
    print_at(b, 80, 30, 30, "svc", "B|33|H:other");
    print_at(b, 90, 30, 30, "svc", "E|33");
}

/* A row of callstack without its last column, the colour. */
static void check_call(const bench *b, size_t row, const char *expected)
{
    char *text = memsink_row_text(b->mem, TS_T_callstack, row);
    *strrchr(text, '|') = '\0';
    assert_string_equal(text, expected);
    free(text);
}

static void test_example(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    assert_ok(b.ctx, ftrace_machine_comm(b.m, 33, TS_TEXT_LIT("named33")));
    put_example(&b);
    bench_end(&b);
    /* id, ts, dur, callid, cat, name, depth, cookie, parent_id, argsetid, chainId, spanId,
     * parentSpanId, flag, trace_level, trace_tag, custom_category, custom_args, child_callid;
     * threads 1 app, 2 worker, 3 svc, 4 main of 33, 5 svc in 33 */
    static const char *const calls[] = {
        "0|2000000000|30|1|NULL|H:outer|0|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
        "NULL",
        "1|2000000010|10|1|NULL|H:[8b0e,2,1]#C##call|1|NULL|0|NULL|8b0e|2|1|C|NULL|NULL|NULL|NULL|"
        "NULL",
        "2|2000000015|3|1|NULL|H:named|M62|k=v|2|NULL|1|NULL|NULL|NULL|NULL|NULL|M|62|NULL|k=v|"
        "NULL",
        "3|2000000025|10|1|NULL|H:load|0|7|2|NULL|NULL|NULL|NULL|NULL|I|62|cat|args|2",
        "4|2000000026|NULL|1|net|net$$H:x|0|7|1|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|1",
        "5|2000000060|NULL|1|cat|H:g|0|1|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL",
        "6|2000000061|4|1|cat|H:g|0|1|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL",
        "7|2000000070|NULL|1|NULL|open|0|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
        "NULL",
        "8|2000000080|10|5|NULL|H:other|0|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
        "NULL",
    };
    assert_int_equal(MEM_ROWS(b.mem, callstack), 9);
    for (size_t i = 0; i < 9; i++) {
        check_call(&b, i, calls[i]);
    }
    CHECK_ROWS(&b, process_measure, "measure|2000000040|10|5|0", "measure|2000000050|NULL|-6|0");
    assert_mem_text(b.mem, process, 3, name, "named33");
    assert_int_equal(MEM_INT(b.mem, process, 1, slice_count), 1);
    assert_int_equal(MEM_INT(b.mem, process, 1, mem_count), 1);
    assert_int_equal(stat_of(&b, "tracing_mark_write", "not_match"),
                     3); /* S of 27, E of 31, F of 36 */
    assert_int_equal(issues_of(&b, "ftrace_end_alone"), 1);
    assert_int_equal(issues_of(&b, "ftrace_begun_twice"), 1);
    assert_int_equal(issues_of(&b, "ftrace_bad_marker"), 1);
    assert_int_equal(stat_of(&b, "tracing_mark_write", "received"), 23);
    assert_int_equal(stat_of(&b, "print", "received"), 23);
    assert_int_equal(stat_of(&b, "tracing_mark_write", "invalid_data"), 3);
    bench_free(&b);
}

/* A process with asynchronous slices alone has slices: of its one thread, whoever ends them. */
static void test_counted(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    app(&b, 0, "S|20|H:load|7");
    app(&b, 1, "S|20|H:open|8");
    print_at(&b, 2, 30, 30, "svc", "F|20|H:load|7");
    print_at(&b, 3, 30, 30, "svc", "G|30|cat|H:g|1");
    bench_end(&b);
    assert_int_equal(MEM_INT(b.mem, process, 1, slice_count), 1);
    assert_int_equal(MEM_INT(b.mem, process, 2, slice_count), 0);
    bench_free(&b);
}

static void test_range(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    bench_limit(&b, 25, 40);
    put_example(&b);
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, callstack), 3);
    check_call(&b, 0,
               "0|2000000000|30|1|NULL|H:outer|0|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
               "NULL|NULL");
    check_call(&b, 1,
               "1|2000000025|10|1|NULL|H:load|0|7|2|NULL|NULL|NULL|NULL|NULL|I|62|cat|args|2");
    check_call(
        &b, 2,
        "2|2000000026|NULL|1|net|net$$H:x|0|7|1|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
        "1");
    assert_int_equal(MEM_ROWS(b.mem, process_measure), 0);
    assert_int_equal(MEM_ROWS(b.mem, process_measure_filter), 1); /* filters have no time */
    bench_free(&b);
    bench_begin(&b, NULL);
    bench_limit(&b, 15, 18);
    put_example(&b);
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, process_measure), 0);
    assert_int_equal(MEM_ROWS(b.mem, callstack), 3);
    assert_int_equal(MEM_INT(b.mem, callstack, 2, parent_id), 1);
    bench_free(&b);
}

/* A row whose parent ended before the range, but has no end itself. */
static void test_range_parent(void **state)
{
    bench b;
    ftrace_event e;
    (void)state;
    bench_begin(&b, NULL);
    bench_limit(&b, 50, 60);
    app(&b, 0, "B|20|before");
    app(&b, 1, "E|20");
    e = event_of(FTRACE_workqueue_execute_start, 2, 0, 20, 20, "app");
    set_text(&e, FTRACE_T_workqueue_execute_start_function_name, "work");
    put_event(&b, &e);
    print_at(&b, 5, 0, 20, "app", "B|20|inner");
    print_at(&b, 6, 0, 20, "app", "G|20|binder|x|1");
    e = event_of(FTRACE_binder_lock, 7, 0, 20, 20, "app");
    put_event(&b, &e);
    e = event_of(FTRACE_binder_locked, 8, 0, 20, 20, "app");
    put_event(&b, &e);
    e = event_of(FTRACE_binder_transaction, 9, 0, 20, 20, "app");
    put_event(&b, &e);
    e = event_of(FTRACE_binder_unlock, 10, 0, 20, 20, "app");
    put_event(&b, &e);
    bench_end(&b);
    /* work 2, inner 5, x 6, lock waiting 7 to 8, lock held 8 to 10, transaction 9, which is above
     * the lock that has ended and has no end */
    assert_int_equal(MEM_ROWS(b.mem, callstack), 5);
    assert_mem_text(b.mem, callstack, 0, name, "work");
    assert_mem_text(b.mem, callstack, 1, name, "inner");
    assert_mem_text(b.mem, callstack, 2, name, "x");
    assert_mem_text(b.mem, callstack, 3, name, "binder lock held");
    assert_int_equal(MEM_INT(b.mem, callstack, 3, dur), 2);
    assert_int_equal(MEM_INT(b.mem, callstack, 3, parent_id), 1);
    assert_mem_text(b.mem, callstack, 4, name, "binder transaction");
    assert_true(MEM_NULL(b.mem, callstack, 4, dur));
    assert_int_equal(MEM_INT(b.mem, callstack, 4, parent_id), 3);
    assert_int_equal(MEM_INT(b.mem, callstack, 4, argsetid), 0);
    bench_free(&b);
}

/* --compat: 4294967295 stands for no parent and no child; what does not match is not in stat; a
 * marker without a name makes no row, so that its end is that of the caller. */
static void test_compat(void **state)
{
    bench b;
    (void)state;
    bench_begin_compat(&b);
    put_example(&b);
    app(&b, 100, "B|20|caller");
    app(&b, 101, "B|20|");
    app(&b, 105, "E|20");
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, callstack), 10);
    check_call(
        &b, 0,
        "0|2000000000|30|1|NULL|H:outer|0|NULL|4294967295|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
        "NULL|NULL|4294967295");
    assert_int_equal(MEM_INT(b.mem, callstack, 1, parent_id), 0);
    check_call(&b, 3,
               "3|2000000025|10|1|NULL|H:load|0|7|2|NULL|NULL|NULL|NULL|NULL|I|62|cat|args|2");
    check_call(&b, 5,
               "5|2000000060|NULL|1|cat|H:g|0|1|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|"
               "4294967295");
    assert_mem_text(b.mem, callstack, 9, name, "caller");
    assert_int_equal(MEM_INT(b.mem, callstack, 9, dur), 5);
    assert_int_equal(stat_of(&b, "tracing_mark_write", "invalid_data"), 4);
    for (size_t i = 0; i < MEM_ROWS(b.mem, stat); i++) {
        assert_false(ts_text_is(MEM_TEXT(b.mem, stat, i, event_name), "tracing_mark_write") &&
                     ts_text_is(MEM_TEXT(b.mem, stat, i, stat_type), "not_match") &&
                     MEM_INT(b.mem, stat, i, count) != 0);
    }
    assert_int_equal(issues_of(&b, "ftrace_end_alone"), 1);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),      cmocka_unit_test(test_counted),
        cmocka_unit_test(test_range),        cmocka_unit_test(test_compat),
        cmocka_unit_test(test_range_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

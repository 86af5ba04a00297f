/* sched_slice, thread_state, instant, raw: the example sched.htrace of the format's description. */
#include "ftrace_events.h"

static void switch_at(bench *b, int64_t at, uint32_t cpu, const char *prev_comm, int32_t prev,
                      int64_t state, const char *next_comm, int32_t next)
{
    static const int32_t groups[] = {[20] = 20, [21] = 20, [30] = 30};
    ftrace_event e = event_of(FTRACE_sched_switch, at, cpu, groups[prev], prev,
                              prev == 0 ? "swapper" : prev_comm);
    set_text(&e, FTRACE_T_sched_switch_prev_comm, prev_comm);
    set_number(&e, FTRACE_N_sched_switch_prev_pid, prev);
    set_number(&e, FTRACE_N_sched_switch_prev_prio, 120);
    set_number(&e, FTRACE_N_sched_switch_prev_state, state);
    set_text(&e, FTRACE_T_sched_switch_next_comm, next_comm);
    set_number(&e, FTRACE_N_sched_switch_next_pid, next);
    set_number(&e, FTRACE_N_sched_switch_next_prio, 120);
    put_event(b, &e);
}

static void wake_at(bench *b, ftrace_kind kind, int64_t at, uint32_t cpu, int32_t tgid, int32_t pid,
                    const char *comm, int32_t woken, int64_t target)
{
    ftrace_event e = event_of(kind, at, cpu, tgid, pid, comm);
    set_number(&e, FTRACE_N_sched_wakeup_pid, woken);
    set_number(&e, FTRACE_N_sched_wakeup_target_cpu, target);
    put_event(b, &e);
}

static void blocked_at(bench *b, int64_t at, int32_t pid, int64_t iowait, int64_t caller)
{
    ftrace_event e = event_of(FTRACE_sched_blocked_reason, at, 0, 0, 0, "swapper");
    set_number(&e, FTRACE_N_sched_blocked_reason_pid, pid);
    set_number(&e, FTRACE_N_sched_blocked_reason_iowait, iowait);
    set_number(&e, FTRACE_N_sched_blocked_reason_caller, caller);
    put_event(b, &e);
}

static void put_example(bench *b)
{
    ftrace_event e;
    switch_at(b, 0, 0, "swapper", 0, 0, "app", 20);
    wake_at(b, FTRACE_sched_waking, 10, 0, 20, 20, "app", 21, 1);
    wake_at(b, FTRACE_sched_wakeup, 20, 0, 20, 20, "app", 21, 1);
    switch_at(b, 30, 1, "svc", 30, 0, "worker", 21);
    switch_at(b, 100, 0, "app", 20, 2, "swapper", 0);
    blocked_at(b, 110, 20, 1, 0x1000);
    wake_at(b, FTRACE_sched_wakeup, 150, 1, 20, 21, "worker", 20, 0);
    switch_at(b, 160, 0, "swapper", 0, 0, "app", 20);
    switch_at(b, 200, 1, "worker", 21, 2048, "svc", 30);
    switch_at(b, 260, 0, "app", 20, 1, "svc", 30);
    wake_at(b, FTRACE_sched_wakeup, 300, 1, 30, 30, "svc", 20, 0);
    e = event_of(FTRACE_sched_process_exit, 310, 1, 30, 30, "svc");
    set_text(&e, FTRACE_T_sched_process_exit_comm, "worker");
    set_number(&e, FTRACE_N_sched_process_exit_pid, 21);
    put_event(b, &e);
    e = event_of(FTRACE_task_rename, 320, 0, 30, 30, "svc");
    set_number(&e, FTRACE_N_task_rename_pid, 20);
    set_text(&e, FTRACE_T_task_rename_newcomm, "com.app");
    put_event(b, &e);
}

static void test_example(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    put_example(&b);
    bench_end(&b);
    /* id, ts, dur, ts_end, cpu, itid, ipid, end_state, priority, arg_setid, prev_itid, prev_state:
     * threads 1 app, 2 worker, 3 svc, in the order of their first events; processes 1 app, 2 svc */
    CHECK_ROWS(&b, sched_slice, "0|2000000000|100|2000000100|0|1|1|D|120|NULL|0|R",
               "1|2000000030|170|2000000200|1|2|1|R+|120|NULL|3|R",
               "2|2000000100|60|2000000160|0|0|0|R|120|NULL|1|D",
               "3|2000000160|100|2000000260|0|1|1|S|120|NULL|0|R",
               "4|2000000200|NULL|NULL|1|3|2|NULL|120|NULL|2|R+",
               "5|2000000260|NULL|NULL|0|3|2|NULL|120|NULL|1|S");
    /* id, ts, dur, cpu, itid, tid, pid, state, arg_setid */
    CHECK_ROWS(&b, thread_state, "0|2000000000|100|0|1|20|20|Running|NULL",
               "1|2000000020|10|NULL|2|21|20|R|NULL", "2|2000000030|170|1|2|21|20|Running|NULL",
               "3|2000000030|170|NULL|3|30|30|R|NULL", "4|2000000100|50|NULL|1|20|20|D-IO|0",
               "5|2000000150|10|NULL|1|20|20|R|NULL", "6|2000000160|100|0|1|20|20|Running|NULL",
               "7|2000000200|60|1|3|30|30|Running|NULL", "8|2000000200|NULL|NULL|2|21|20|R+|NULL",
               "9|2000000260|NULL|0|3|30|30|Running|NULL", "10|2000000260|40|NULL|1|20|20|S|NULL",
               "11|2000000300|NULL|NULL|1|20|20|R|NULL");
    CHECK_ROWS(&b, instant, "2000000010|sched_waking|2|1|itid|0",
               "2000000020|sched_wakeup|2|1|itid|0", "2000000150|sched_wakeup|1|2|itid|0",
               "2000000300|sched_wakeup|1|3|itid|0");
    CHECK_ROWS(&b, raw, "0|2000000010|sched_waking|1|1", "1|2000000020|sched_wakeup|1|2",
               "2|2000000150|sched_wakeup|0|1", "3|2000000300|sched_wakeup|0|1");
    assert_int_equal(MEM_ROWS(b.mem, args), 2);
    assert_mem_text(b.mem, data_dict, (size_t)MEM_INT(b.mem, args, 0, key), data, "iowait");
    assert_int_equal(MEM_INT(b.mem, args, 0, value), 1);
    assert_mem_text(b.mem, data_dict, (size_t)MEM_INT(b.mem, args, 1, value), data, "0x1000");
    /* Viewers ask for it, whether or not a switch has one. */
    assert_int_not_equal(
        memsink_find_text(b.mem, TS_T_data_dict, TS_C_data_dict__data, "next_info"), SIZE_MAX);
    assert_int_equal(stat_of(&b, "sched_blocked_reason", "received"), 1);
    assert_int_equal(stat_of(&b, "sched_switch", "received"), 6);
    assert_int_equal(MEM_ROWS(b.mem, import_issue), 0);
    assert_mem_row(b.mem, trace_range, 0, "2000000000|2000000320");
    bench_free(&b);
}

/* Worker has ended; the main thread names its process. */
static void test_threads(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    put_example(&b);
    bench_end(&b);
    CHECK_ROWS(&b, thread, "0|0|0|swapper|NULL|NULL|0|1|0", "1|1|20|com.app|NULL|NULL|1|1|1",
               "2|2|21|worker|NULL|2000000310|1|0|1", "3|3|30|svc|NULL|NULL|2|1|1");
    assert_mem_text(b.mem, process, 1, name, "com.app");
    assert_int_equal(MEM_INT(b.mem, process, 1, switch_count), 2);
    assert_int_equal(MEM_INT(b.mem, process, 2, switch_count), 1);
    assert_int_equal(MEM_INT(b.mem, process, 1, slice_count), 0);
    bench_free(&b);
}

/* Rows that end where the range begins are in it, those that begin where it ends are not. */
static void test_range(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    bench_limit(&b, 100, 200);
    put_example(&b);
    bench_end(&b);
    CHECK_ROWS(&b, sched_slice, "0|2000000000|100|2000000100|0|1|1|D|120|NULL|0|R",
               "1|2000000030|170|2000000200|1|2|1|R+|120|NULL|3|R",
               "2|2000000100|60|2000000160|0|0|0|R|120|NULL|1|D",
               "3|2000000160|100|2000000260|0|1|1|S|120|NULL|0|R");
    CHECK_ROWS(&b, thread_state, "0|2000000000|100|0|1|20|20|Running|NULL",
               "1|2000000030|170|1|2|21|20|Running|NULL", "2|2000000030|170|NULL|3|30|30|R|NULL",
               "3|2000000100|50|NULL|1|20|20|D-IO|0", "4|2000000150|10|NULL|1|20|20|R|NULL",
               "5|2000000160|100|0|1|20|20|Running|NULL");
    CHECK_ROWS(&b, instant, "2000000150|sched_wakeup|1|2|itid|0");
    CHECK_ROWS(&b, raw, "0|2000000150|sched_wakeup|0|1");
    assert_int_equal(MEM_ROWS(b.mem, args), 2);
    assert_mem_row(b.mem, trace_range, 0, "2000000100|2000000160");
    assert_mem_text(b.mem, process, 1, name, "com.app");
    assert_int_equal(stat_of(&b, "sched_switch", "received"), 6);
    bench_free(&b);
}

/* The rows that are left, for ranges before, within one row, and behind. */
static void test_ranges(void **state)
{
    static const struct {
        int64_t from, to;
        size_t slices, states, instants;
    } cases[] = {
        {-100, 0, 0, 0, 0},                             /* ends where the first row begins */
        {-100, 1, 1, 1, 0},          {50, 60, 2, 3, 0}, /* CPU 0 app, CPU 1 worker, and svc waits */
        {300, 301, 2, 4, 1}, /* both CPUs run on; worker waits, svc runs, S of app ends, R begins */
        {1000000, 2000000, 2, 3, 0}, /* what has no end goes on */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b;
        bench_begin(&b, NULL);
        bench_limit(&b, cases[i].from, cases[i].to);
        put_example(&b);
        bench_end(&b);
        assert_int_equal(MEM_ROWS(b.mem, sched_slice), cases[i].slices);
        assert_int_equal(MEM_ROWS(b.mem, thread_state), cases[i].states);
        assert_int_equal(MEM_ROWS(b.mem, instant), cases[i].instants);
        assert_int_equal(MEM_ROWS(b.mem, args), 0);
        bench_free(&b);
    }
}

/* The values that the format's description says of the reference: both last slices are R, the row S
 * of 260 is open and R of 300 is missing; ts_end is 0, sched_blocked_reason counts twice. */
static void test_compat(void **state)
{
    bench b;
    (void)state;
    bench_begin_compat(&b);
    put_example(&b);
    bench_end(&b);
    CHECK_ROWS(&b, sched_slice, "0|2000000000|100|0|0|1|1|D|120|NULL|0|R",
               "1|2000000030|170|0|1|2|1|R+|120|NULL|3|R", "2|2000000100|60|0|0|0|0|R|120|NULL|1|D",
               "3|2000000160|100|0|0|1|1|S|120|NULL|0|R",
               "4|2000000200|NULL|0|1|3|2|R|120|NULL|2|R+",
               "5|2000000260|NULL|0|0|3|2|R|120|NULL|1|S");
    assert_int_equal(MEM_ROWS(b.mem, thread_state), 11);
    assert_mem_row(b.mem, thread_state, 10, "10|2000000260|NULL|NULL|1|20|20|S|NULL");
    assert_int_equal(stat_of(&b, "sched_blocked_reason", "received"), 2);
    assert_int_equal(MEM_INT(b.mem, process, 1, thread_count), 1);
    bench_free(&b);
}

/* Woken while it ran on another CPU, whose switch was lost; then switched out. */
static void test_compat_lost_switch(void **state)
{
    static const bool compat[] = {false, true};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        bench b;
        bench_open(&b, NULL, compat[i]);
        switch_at(&b, 0, 0, "app", 20, 1, "swapper", 0);
        wake_at(&b, FTRACE_sched_wakeup, 10, 0, 0, 0, "swapper", 20, 0);
        switch_at(&b, 30, 0, "app", 20, 1, "swapper", 0);
        bench_end(&b);
        assert_mem_row(b.mem, thread_state, 0, "0|2000000000|10|NULL|1|20|20|S|NULL");
        assert_mem_row(b.mem, thread_state, 1,
                       compat[i] ? "1|2000000010|NULL|NULL|1|20|20|R|NULL"
                                 : "1|2000000010|20|NULL|1|20|20|R|NULL");
        bench_free(&b);
    }
}

/* Two waits without interruption that nothing is said of: both rows stay D. */
static void test_waits_without_reason(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    switch_at(&b, 0, 0, "swapper", 0, 0, "app", 20);
    switch_at(&b, 10, 0, "app", 20, 2, "swapper", 0);
    switch_at(&b, 20, 0, "swapper", 0, 0, "app", 20);
    switch_at(&b, 30, 0, "app", 20, 2, "swapper", 0);
    switch_at(&b, 40, 0, "swapper", 0, 0, "app", 20);
    switch_at(&b, 50, 0, "app", 20, 2, "swapper", 0);
    bench_end(&b);
    for (size_t i = 0; i < 6; i++) {
        assert_mem_text(b.mem, thread_state, i, state, i % 2 == 0 ? "Running" : "D");
    }
    assert_int_equal(MEM_ROWS(b.mem, thread_state), 6);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_compat),
        cmocka_unit_test(test_compat_lost_switch),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_waits_without_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

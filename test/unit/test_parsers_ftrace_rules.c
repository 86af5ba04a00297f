/* The rules behind the examples: what is lost, repeated, out of order or without a name. */
#include "ftrace_events.h"

static void switch_at(bench *b, int64_t at, uint32_t cpu, int32_t prev, int64_t state, int32_t next)
{
    ftrace_event e = event_of(FTRACE_sched_switch, at, cpu, prev, prev, "");
    set_number(&e, FTRACE_N_sched_switch_prev_pid, prev);
    set_number(&e, FTRACE_N_sched_switch_prev_state, state);
    set_number(&e, FTRACE_N_sched_switch_next_pid, next);
    put_event(b, &e);
}

/* A number that has no name is U, with an issue; the last slice of a CPU has no end state. */
static void test_unknown_state(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    switch_at(&b, 0, 0, 0, 0, 20);
    switch_at(&b, 10, 0, 20, 48, 0);
    bench_end(&b);
    assert_mem_text(b.mem, sched_slice, 0, end_state, "U");
    assert_mem_text(b.mem, thread_state, 1, state, "U");
    assert_true(MEM_NULL(b.mem, sched_slice, 1, end_state));
    assert_int_equal(issues_of(&b, "ftrace_unknown_state"), 1);
    bench_free(&b);
}

/* The switch away from 20 was lost: its row stays open, and the thread begins anew. */
static void test_lost_switch(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    switch_at(&b, 0, 0, 0, 0, 20);
    switch_at(&b, 10, 0, 0, 0, 30);
    switch_at(&b, 20, 1, 0, 0, 20);
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, thread_state), 3);
    assert_true(MEM_NULL(b.mem, thread_state, 0, dur));
    assert_true(MEM_NULL(b.mem, thread_state, 1, dur));
    assert_true(MEM_NULL(b.mem, thread_state, 2, dur));
    bench_free(&b);
}

/* A number that is used again: the thread that ended keeps its name (QF-12). */
static void test_tid_again(void **state)
{
    bench b;
    ftrace_event e;
    (void)state;
    bench_begin(&b, NULL);
    print_at(&b, 0, 20, 21, "old", "B|20|a");
    print_at(&b, 1, 30, 21, "new", "B|30|b");
    e = event_of(FTRACE_sched_process_exit, 2, 0, 30, 30, "");
    set_number(&e, FTRACE_N_sched_process_exit_pid, 21);
    put_event(&b, &e);
    e = event_of(FTRACE_task_rename, 3, 0, 20, 20, "");
    set_number(&e, FTRACE_N_task_rename_pid, 21);
    set_text(&e, FTRACE_T_task_rename_newcomm, "renamed");
    put_event(&b, &e);
    bench_end(&b);
    assert_int_equal(memsink_find_text(b.mem, TS_T_thread, TS_C_thread__name, "old"), SIZE_MAX);
    assert_int_not_equal(memsink_find_text(b.mem, TS_T_thread, TS_C_thread__name, "new"), SIZE_MAX);
    assert_int_not_equal(memsink_find_text(b.mem, TS_T_thread, TS_C_thread__name, "renamed"),
                         SIZE_MAX);
    bench_free(&b);
}

/* A new thread is one of the process of the event, or its own; one of no process has its own at
 * the end. The number of the event's process may be missing. */
static void test_new_tasks(void **state)
{
    static const struct {
        int32_t tgid;
        int64_t flags;
        int64_t pid; /* of the process that it gets */
    } cases[] = {{20, 0x10000, 20}, {20, 0, 50}, {0, 0x10000, 50}, {-1, 0x10000, 50}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b;
        ftrace_event e = event_of(FTRACE_task_newtask, 5, 0, cases[i].tgid, 20, "app");
        size_t row;
        bench_begin(&b, NULL);
        set_number(&e, FTRACE_N_task_newtask_pid, 50);
        set_number(&e, FTRACE_N_task_newtask_clone_flags, cases[i].flags);
        put_event(&b, &e);
        bench_end(&b);
        row = memsink_find_int(b.mem, TS_T_thread, TS_C_thread__tid, 50);
        assert_int_equal(MEM_INT(b.mem, thread, row, start_ts), BEGIN + 5);
        assert_int_equal(MEM_INT(b.mem, process, (size_t)MEM_INT(b.mem, thread, row, ipid), pid),
                         cases[i].pid);
        assert_int_equal(stat_of(&b, "task_newtask", "received"), 1);
        assert_int_equal(stat_of(&b, "task_newtask", "not_supported"), 1);
        bench_free(&b);
    }
}

/* A counter of process 0 is the idle process's, which then has values of memory. */
static void test_idle_process(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    print_at(&b, 0, 0, 0, "swapper", "C|0|x|5");
    print_at(&b, 1, 0, 0, "swapper", "B|0|y");
    print_at(&b, 2, 0, 0, "swapper", "E|0");
    bench_end(&b);
    assert_int_equal(MEM_INT(b.mem, process, 0, mem_count), 1);
    assert_int_equal(MEM_INT(b.mem, process, 0, slice_count), 1);
    bench_free(&b);
}

/* Texts that are none, that have no name, or a number that is none. */
static void test_markers(void **state)
{
    static const struct {
        const char *text;
        int64_t invalid;
        size_t rows;
        const char *name;
    } cases[] = {
        {"B|20", 1, 0, NULL},
        {"B|20\nz", 1, 0, NULL},
        {"B|20|", 1, 1, ""},
        {"B|20|  ", 1, 1, ""},
        {"B|x|y", 0, 1, "y"},
        {"B", 1, 0, NULL},
        {"B-20|y", 1, 0, NULL},
        {"S|20|n|", 1, 0, NULL},
        {"S|20|n 7", 0, 1, "n"},
        {"S|20||7", 1, 0, NULL},
        {"G|20|c|n", 1, 0, NULL},
        {"G|20|c|n|-7", 0, 1, "n"},
        {"C|20|n|9223372036854775808", 1, 0, NULL},
        {"", 1, 0, NULL},
        {"S|20|H:[a,b,c]#x|7", 0, 1, "H:x"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b;
        bench_begin(&b, NULL);
        print_at(&b, 0, 20, 20, "app", cases[i].text);
        bench_end(&b);
        assert_int_equal(stat_of(&b, "tracing_mark_write", "invalid_data"), cases[i].invalid);
        assert_int_equal(MEM_ROWS(b.mem, callstack), cases[i].rows);
        if (cases[i].rows > 0) {
            assert_mem_text(b.mem, callstack, 0, name, cases[i].name);
        }
        bench_free(&b);
    }
}

/* Work that ends below open slices: they end with it, as soon as time goes on (QF-17). */
static void test_closed_below(void **state)
{
    bench b;
    ftrace_event e;
    (void)state;
    bench_begin(&b, NULL);
    e = event_of(FTRACE_workqueue_execute_start, 0, 0, 7, 8, "kworker");
    set_number(&e, FTRACE_N_workqueue_execute_start_function, 1);
    put_event(&b, &e);
    e = event_of(FTRACE_binder_lock, 1, 0, 7, 8, "kworker");
    put_event(&b, &e);
    put_event(&b, &e);
    e = event_of(FTRACE_workqueue_execute_end, 5, 0, 7, 8, "kworker");
    put_event(&b, &e);
    print_at(&b, 5, 7, 8, "kworker", "B|7|same time");
    print_at(&b, 9, 7, 8, "kworker", "B|7|later");
    bench_end(&b);
    assert_int_equal(MEM_INT(b.mem, callstack, 0, dur), 5);
    assert_int_equal(MEM_INT(b.mem, callstack, 1, dur), 4);
    assert_int_equal(MEM_INT(b.mem, callstack, 2, dur), 4);
    assert_int_equal(MEM_INT(b.mem, callstack, 3, depth), 3);
    assert_int_equal(MEM_INT(b.mem, callstack, 3, dur), 0);
    assert_int_equal(MEM_INT(b.mem, callstack, 4, depth), 0);
    bench_free(&b);
}

/* More open slices than the reference can hold (QF-18). */
static void test_deep(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    for (int64_t i = 0; i < 1000; i++) {
        print_at(&b, i, 20, 20, "app", "B|20|x");
    }
    for (int64_t i = 0; i < 1000; i++) {
        print_at(&b, 1000 + i, 20, 20, "app", "E|20");
    }
    bench_end(&b);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(MEM_INT(b.mem, callstack, i, depth), i);
        assert_int_equal(MEM_INT(b.mem, callstack, i, dur), 1999 - 2 * i);
    }
    bench_free(&b);
}

/* Any number of slices of a group may be open, and end in the opposite order. */
static void test_groups(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    for (int64_t i = 0; i < 100; i++) {
        print_at(&b, i, 20, 20, "app", "G|20|c|n|1");
    }
    for (int64_t i = 0; i < 100; i++) {
        print_at(&b, 100 + i, 20, 20, "app", "H|20|c|n|1");
    }
    print_at(&b, 300, 20, 20, "app", "H|20|c|n|1");
    bench_end(&b);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(MEM_INT(b.mem, callstack, i, dur), 199 - 2 * i);
    }
    assert_int_equal(stat_of(&b, "tracing_mark_write", "not_match"), 1);
    bench_free(&b);
}

/* Ill-formed texts are replaced and counted. */
static void test_bad_text(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    print_at(&b, 0, 20, 20, "app", "B|20|a\xff");
    bench_end(&b);
    assert_mem_text(b.mem, callstack, 0, name, "a\xef\xbf\xbd");
    assert_int_equal(issues_of(&b, "ftrace_bad_text"), 1);
    bench_free(&b);
}

/* A bit of everything. */
static void put_all(bench *b)
{
    static const char *const texts[] = {
        "B|20|H:ReceiveVsync now:1 expectedEnd:9 vsyncId:7",
        "B|20|H:MarshRSTransactionData transactionFlag:[20,8]",
        "E|20",
        "E|20",
        "B|20|H:ReceiveVsync now:3 expectedEnd:9 vsyncId:8",
        "B|20|H:RSMainThread::ProcessCommandUni [20,8]",
        "S|20|H:M: Frame queued|1",
        "F|20|H:M: Frame queued|1",
        "G|20|c|n|1",
        "C|20|x|1",
        "C|20|x|2",
        "B|20|a\xff",
    };
    ftrace_event e;
    switch_at(b, 0, 0, 0, 0, 20);
    switch_at(b, 1, 0, 20, 2, 0);
    e = event_of(FTRACE_sched_blocked_reason, 2, 0, 0, 0, "");
    set_number(&e, FTRACE_N_sched_blocked_reason_pid, 20);
    put_event(b, &e);
    e = event_of(FTRACE_sched_wakeup, 3, 70, 30, 31, "svc");
    set_number(&e, FTRACE_N_sched_wakeup_pid, 20);
    put_event(b, &e);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        print_at(b, 10 + (int64_t)i, 20, 20, "app", texts[i]);
    }
    for (int kind = FTRACE_binder_transaction; kind <= FTRACE_binder_unlock; kind++) {
        e = event_of((ftrace_kind)kind, 40 + kind, 3, 20, 20, "app");
        set_number(&e, 0, 5);
        put_event(b, &e);
    }
    e = event_of(FTRACE_irq_handler_entry, 500, 1, 0, 0, "");
    set_text(&e, FTRACE_T_irq_handler_entry_name, "uart");
    put_event(b, &e);
    e = event_of(FTRACE_dma_fence_init, 501, 1, 0, 0, "");
    set_text(&e, FTRACE_T_dma_fence_init_timeline, "t\xff");
    set_text(&e, FTRACE_T_dma_fence_init_driver, "d\xff");
    put_event(b, &e);
    e = event_of(FTRACE_sys_enter, 502, 1, 20, 20, "app");
    set_text(&e, FTRACE_T_sys_enter_args, "1, 2");
    put_event(b, &e);
    e.kind = FTRACE_sys_exit;
    put_event(b, &e);
}

static void test_every_allocation_fails(void **state)
{
    bool done = false;
    (void)state;
    for (uint64_t k = 1; !done; k++) {
        test_failing fail = {.fail_at = k, .forever = true};
        ts_allocator allocator;
        bench b;
        bench_begin(&b, NULL);
        allocator = b.ctx->allocator;
        b.ctx->allocator = test_failing_allocator(&fail);
        b.may_fail = true;
        put_all(&b);
        b.code = b.code != TS_OK ? b.code : ftrace_machine_finish(b.m);
        done = b.code == TS_OK;
        assert_true(done ? k > 30 : b.code == TS_ERR_NOMEM);
        b.ctx->allocator = allocator;
        bench_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_state),
        cmocka_unit_test(test_lost_switch),
        cmocka_unit_test(test_tid_again),
        cmocka_unit_test(test_new_tasks),
        cmocka_unit_test(test_idle_process),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_closed_below),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

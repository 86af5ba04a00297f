/* Rare ways through the machine: events that go back in time, threads that others knew, names with
 * odd parts, frames that share a key. */
#include "ftrace_events.h"

#include "tables/store_processes.h"

static void put_kind(bench *b, ftrace_kind kind, int64_t at, int32_t tgid, int32_t pid)
{
    ftrace_event e = event_of(kind, at, 0, tgid, pid, "app");
    put_event(b, &e);
}

/* An end before its beginning: the duration is not known. */
static void test_back_in_time(void **state)
{
    bench b;
    ftrace_event e;
    (void)state;
    bench_begin(&b, NULL);
    print_at(&b, 10, 20, 20, "app", "B|20|H:x");
    print_at(&b, 5, 20, 20, "app", "E|20");
    put_kind(&b, FTRACE_irq_handler_entry, 10, 20, 20);
    put_kind(&b, FTRACE_irq_handler_exit, 5, 20, 20);
    for (int64_t at = 10; at > 0; at -= 6) {
        e = event_of(FTRACE_dma_fence_init, at, 0, 20, 20, "app");
        set_text(&e, FTRACE_T_dma_fence_init_timeline, "ring");
        put_event(&b, &e);
    }
    put_kind(&b, FTRACE_sys_enter, 10, 20, 20);
    put_kind(&b, FTRACE_sys_exit, 2, 20, 20);
    bench_end(&b);
    assert_true(MEM_NULL(b.mem, irq, 0, dur));
    assert_true(MEM_NULL(b.mem, dma_fence, 1, dur));
    assert_true(MEM_NULL(b.mem, syscall, 0, dur));
    assert_mem_row(b.mem, trace_range, 0, "2000000002|2000000010");
    assert_int_equal(MEM_ROWS(b.mem, callstack), 1);
    bench_free(&b);
}

static void test_names(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    print_at(&b, 1, 20, 20, "app", "S|20| net $$H:x|7"); /* the category without blanks */
    print_at(&b, 2, 20, 20, "app", "B|20|H:[a,b,c]x");   /* no '#': not distributed */
    print_at(&b, 3, 20, 20, "app",
             "B|20|n|\xc3\xa9"
             "62"); /* the first letter is the level */
    bench_end(&b);
    assert_mem_text(b.mem, callstack, 0, cat, "net");
    const ts_row_callstack *plain = MEM_ROW(b.mem, callstack, 1);
    assert_null(plain->chainId.p);
    assert_mem_text(b.mem, callstack, 2, trace_level, "\xc3\xa9");
    assert_mem_text(b.mem, callstack, 2, trace_tag, "62");
    bench_free(&b);
}

static void life_at(bench *b, ftrace_kind kind, int64_t at, int32_t tgid, unsigned slot,
                    int64_t pid)
{
    ftrace_event e = event_of(kind, at, 0, tgid, 30, "svc");
    set_number(&e, slot, pid);
    put_event(b, &e);
}

/* The idle thread neither ends nor begins; a thread that ended and begins again lives. */
static void test_lives(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    life_at(&b, FTRACE_sched_process_exit, 1, 30, FTRACE_N_sched_process_exit_pid, 0);
    life_at(&b, FTRACE_task_newtask, 2, 30, FTRACE_N_task_newtask_pid, 0);
    life_at(&b, FTRACE_task_newtask, 3, 30, FTRACE_N_task_newtask_pid, 40);
    life_at(&b, FTRACE_sched_process_exit, 4, 30, FTRACE_N_sched_process_exit_pid, 40);
    life_at(&b, FTRACE_task_newtask, 5, 30, FTRACE_N_task_newtask_pid, 40);
    life_at(&b, FTRACE_task_rename, 6, 30, FTRACE_N_task_rename_pid, 40);
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, thread), 3);
    assert_true(MEM_NULL(b.mem, thread, 0, end_ts));
    assert_true(MEM_NULL(b.mem, thread, 0, start_ts));
    assert_int_equal(MEM_INT(b.mem, thread, 2, tid), 40);
    assert_int_equal(MEM_INT(b.mem, thread, 2, start_ts), BEGIN + 3);
    bench_free(&b);
}

/* Another plugin has met a thread before: it keeps its process. */
static void test_known_thread(void **state)
{
    bench b;
    ftrace_event e;
    int64_t itid = 0;
    (void)state;
    bench_begin(&b, NULL);
    assert_ok(b.ctx, ts_thread_seen(&itid, b.store, b.source, 77, 70));
    e = event_of(FTRACE_sched_wakeup, 1, 0, 20, 20, "app");
    set_number(&e, FTRACE_N_sched_wakeup_pid, 77);
    put_event(&b, &e);
    print_at(&b, 2, 70, 77, "x", "B|70|H:x");
    bench_end(&b);
    assert_int_equal(MEM_INT(b.mem, instant, 0, ref), itid);
    assert_int_equal(MEM_INT(b.mem, callstack, 0, callid), itid);
    bench_free(&b);
}

/* CPUs with large numbers are found again. */
static void test_far_cpus(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    for (unsigned i = 0; i < 3; i++) {
        ftrace_event e = event_of(FTRACE_sched_switch, i, i % 2 == 0 ? 70 : 80, 0, 0, "swapper");
        set_number(&e, FTRACE_N_sched_switch_next_pid, 20 + i);
        put_event(&b, &e);
    }
    bench_end(&b);
    assert_int_equal(MEM_INT(b.mem, sched_slice, 0, cpu), 70);
    assert_int_equal(MEM_INT(b.mem, sched_slice, 0, dur), 2);
    assert_true(MEM_NULL(b.mem, sched_slice, 1, dur));
    bench_free(&b);
}

/* A lock that is held below another slice is not given back twice. */
static void test_lock_below(void **state)
{
    static const ftrace_kind kinds[] = {FTRACE_binder_lock, FTRACE_binder_locked,
                                        FTRACE_binder_lock, FTRACE_binder_unlock,
                                        FTRACE_binder_lock, FTRACE_binder_unlock};
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        put_kind(&b, kinds[i], 5, 20, 20);
    }
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, callstack), 4);
    assert_mem_text(b.mem, callstack, 1, name, "binder lock held");
    assert_int_equal(MEM_INT(b.mem, callstack, 1, dur), 0);
    assert_true(MEM_NULL(b.mem, callstack, 2, dur));
    bench_free(&b);
}

/* Frames of one thread with one key: the first one that has it is meant, until it leaves. */
static void test_frames_with_one_key(void **state)
{
    static const char *const keys[] = {"5", "5", "6", "5"};
    bench b;
    int64_t at = 1;
    (void)state;
    bench_begin(&b, NULL);
    print_at(&b, at++, 20, 20, "app", "B|20|H:main");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text[80];
        print_at(&b, at++, 20, 21, "ui", "B|20|H:OnVsyncEvent");
        snprintf(text, sizeof text, "B|20|H:UIVsyncTask[timestamp:5][vsyncID:7]");
        print_at(&b, at++, 20, 21, "ui", text);
        print_at(&b, at++, 20, 21, "ui", "E|20");
        if (strcmp(keys[i], "5") != 0) { /* another key after all */
            print_at(&b, at++, 20, 21, "ui", "B|20|H:UIVsyncTask[timestamp:6][vsyncID:7]");
            print_at(&b, at++, 20, 21, "ui", "E|20");
        }
        print_at(&b, at++, 20, 21, "ui", "E|20");
    }
    for (unsigned i = 0; i < 3; i++) { /* frames 0, 1 and 3 */
        char text[120];
        snprintf(text, sizeof text,
                 "B|20|H:MarshRSTransactionData transactionFlag:[20,%u],tid:21,timestamp:5", i + 1);
        print_at(&b, at++, 20, 20, "app", text);
        print_at(&b, at++, 20, 20, "app", "E|20");
    }
    print_at(&b, at++, 40, 41, "rs", "B|40|H:OnVsyncEvent");
    print_at(&b, at++, 40, 41, "rs", "B|40|H:RSMainThread::ProcessCommandUni [20,1][20,2][20,3]");
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, frame_maps), 3);
    assert_int_equal(MEM_INT(b.mem, frame_maps, 0, src_row), 0);
    assert_int_equal(MEM_INT(b.mem, frame_maps, 1, src_row), 1);
    assert_int_equal(MEM_INT(b.mem, frame_maps, 2, src_row), 3);
    bench_free(&b);
}

static void work_at(bench *b, ftrace_kind kind, int64_t at)
{
    ftrace_event e = event_of(kind, at, 0, 20, 20, "app");
    set_text(&e, FTRACE_T_workqueue_execute_start_function_name, "work");
    put_event(b, &e);
}

/* Ends that come too late: of two that have ended below an open slice the upper one takes what is
 * above it along, and the lower one is off the stack at the time of its end. */
static void test_ends_in_two_orders(void **state)
{
    static const struct {
        int64_t ts, dur, depth;
    } rows[] = {{10, 0, 0}, {10, 0, 1}, {10, 0, 0}, {0, 10, 0},
                {1, 4, 1},  {2, 3, 2},  {4, 1, 3},  {10, -1, 0}};
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    work_at(&b, FTRACE_workqueue_execute_start, 10);
    put_kind(&b, FTRACE_binder_lock, 10, 20, 20);
    work_at(&b, FTRACE_workqueue_execute_end, 10);
    print_at(&b, 10, 20, 20, "app", "E|20");
    print_at(&b, 10, 20, 20, "app", "B|20|H:next");
    print_at(&b, 10, 20, 20, "app", "E|20");
    work_at(&b, FTRACE_workqueue_execute_start, 0);
    work_at(&b, FTRACE_workqueue_execute_start, 1);
    put_kind(&b, FTRACE_binder_lock, 2, 20, 20);
    work_at(&b, FTRACE_workqueue_execute_end, 5);
    work_at(&b, FTRACE_workqueue_execute_end, 10);
    print_at(&b, 4, 20, 20, "app", "B|20|H:z");
    print_at(&b, 10, 20, 20, "app", "B|20|H:last");
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, callstack), 8);
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(MEM_INT(b.mem, callstack, i, ts), BEGIN + rows[i].ts);
        assert_int_equal(MEM_INT(b.mem, callstack, i, depth), rows[i].depth);
        assert_int_equal(MEM_NULL(b.mem, callstack, i, dur), rows[i].dur < 0);
        if (rows[i].dur >= 0) {
            assert_int_equal(MEM_INT(b.mem, callstack, i, dur), rows[i].dur);
        }
    }
    bench_free(&b);
}

/* The time 0 does not count for the range of the trace. */
static void test_time_zero(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    print_at(&b, -BEGIN, 20, 20, "app", "C|20|n|1");
    print_at(&b, 10, 20, 20, "app", "C|20|n|2");
    print_at(&b, 20, 20, 20, "app", "C|20|n|3");
    bench_end(&b);
    assert_mem_row(b.mem, trace_range, 0, "2000000010|2000000020");
    assert_int_equal(MEM_INT(b.mem, process_measure, 0, ts), 0);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_in_two_orders),
        cmocka_unit_test(test_time_zero),
        cmocka_unit_test(test_back_in_time),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_lives),
        cmocka_unit_test(test_known_thread),
        cmocka_unit_test(test_far_cpus),
        cmocka_unit_test(test_lock_below),
        cmocka_unit_test(test_frames_with_one_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

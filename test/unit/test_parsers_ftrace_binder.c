/* Binder, counters, interrupts, fences: the examples binder.htrace and counters.htrace of the
 * format's description. */
#include "ftrace_events.h"

static void transaction_at(bench *b, int64_t at, int32_t pid, int64_t id, int64_t to, bool reply,
                           int64_t flags, int64_t code)
{
    ftrace_event e =
        event_of(FTRACE_binder_transaction, at, 0, pid, pid, pid == 20 ? "app" : "svc");
    set_number(&e, FTRACE_N_binder_transaction_debug_id, id);
    set_number(&e, FTRACE_N_binder_transaction_to_proc, to);
    set_number(&e, FTRACE_N_binder_transaction_to_thread, reply ? to : 0);
    set_number(&e, FTRACE_N_binder_transaction_reply, reply);
    set_number(&e, FTRACE_N_binder_transaction_flags, flags);
    set_number(&e, FTRACE_N_binder_transaction_code, code);
    put_event(b, &e);
}

static void received_at(bench *b, int64_t at, int32_t pid, int64_t id)
{
    ftrace_event e =
        event_of(FTRACE_binder_transaction_received, at, 0, pid, pid, pid == 20 ? "app" : "svc");
    set_number(&e, FTRACE_N_binder_transaction_received_debug_id, id);
    put_event(b, &e);
}

static void lock_at(bench *b, int64_t at, ftrace_kind kind)
{
    ftrace_event e = event_of(kind, at, 0, 20, 20, "app");
    put_event(b, &e);
}

static void put_binder(bench *b)
{
    ftrace_event e;
    print_at(b, -2, 30, 30, "svc", "C|30|x|0"); /* so that svc has its name */
    e = event_of(FTRACE_task_rename, -1, 0, 30, 30, "svc");
    set_number(&e, FTRACE_N_task_rename_pid, 30);
    set_text(&e, FTRACE_T_task_rename_newcomm, "svc");
    put_event(b, &e);
    transaction_at(b, 0, 20, 100, 30, false, 16, 1);
    e = event_of(FTRACE_binder_transaction_alloc_buf, 1, 0, 20, 20, "app");
    set_number(&e, FTRACE_N_binder_transaction_alloc_buf_data_size, 64);
    set_number(&e, FTRACE_N_binder_transaction_alloc_buf_offsets_size, 8);
    put_event(b, &e);
    received_at(b, 10, 30, 100);
    print_at(b, 12, 30, 30, "svc", "B|30|H:work");
    print_at(b, 15, 30, 30, "svc", "E|30");
    transaction_at(b, 20, 30, 101, 20, true, 0, 0);
    received_at(b, 30, 20, 101);
    transaction_at(b, 40, 20, 102, 30, false, 17, 2);
    received_at(b, 50, 30, 102);
    lock_at(b, 60, FTRACE_binder_lock);
    lock_at(b, 61, FTRACE_binder_locked);
    lock_at(b, 65, FTRACE_binder_unlock);
}

/* key=value of an argument, and its set. */
static void check_arg(const bench *b, size_t row, int64_t set, const char *key, const char *text,
                      int64_t number)
{
    assert_int_equal(MEM_INT(b->mem, args, row, argset), set);
    assert_mem_text(b->mem, data_dict, (size_t)MEM_INT(b->mem, args, row, key), data, key);
    if (text != NULL) {
        assert_int_equal(MEM_INT(b->mem, args, row, datatype), 1);
        assert_mem_text(b->mem, data_dict, (size_t)MEM_INT(b->mem, args, row, value), data, text);
    } else {
        assert_int_equal(MEM_INT(b->mem, args, row, value), number);
    }
}

static void check_call(const bench *b, size_t row, int64_t at, int64_t dur, int64_t itid,
                       const char *name, int64_t depth, int64_t set)
{
    assert_int_equal(MEM_INT(b->mem, callstack, row, ts), BEGIN + at);
    assert_int_equal(MEM_INT(b->mem, callstack, row, dur), dur);
    assert_int_equal(MEM_INT(b->mem, callstack, row, callid), itid);
    assert_mem_text(b->mem, callstack, row, name, name);
    assert_int_equal(MEM_INT(b->mem, callstack, row, depth), depth);
    assert_int_equal(MEM_NULL(b->mem, callstack, row, argsetid), set < 0);
    if (set >= 0) {
        assert_int_equal(MEM_INT(b->mem, callstack, row, argsetid), set);
    }
}

static void test_binder(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    put_binder(&b);
    bench_end(&b);
    /* threads 1 svc, 2 app */
    assert_int_equal(MEM_ROWS(b.mem, callstack), 7);
    check_call(&b, 0, 0, 30, 2, "binder transaction", 0, 0);
    check_call(&b, 1, 10, 10, 1, "binder reply", 0, 1);
    check_call(&b, 2, 12, 3, 1, "H:work", 1, -1);
    check_call(&b, 3, 40, 0, 2, "binder transaction async", 0, 2);
    check_call(&b, 4, 50, 0, 1, "binder async rcv", 0, 2);
    check_call(&b, 5, 60, 1, 2, "binder lock waiting", 0, -1);
    check_call(&b, 6, 61, 4, 2, "binder lock held", 0, -1);
    check_arg(&b, 0, 0, "transaction id", NULL, 100);
    check_arg(&b, 1, 0, "destination node", NULL, 0);
    check_arg(&b, 2, 0, "destination process", NULL, 30);
    check_arg(&b, 3, 0, "reply transaction?", NULL, 0);
    check_arg(&b, 4, 0, "flags", "0x10 allow replies with file descriptors; ", 0);
    check_arg(&b, 5, 0, "code", "0x1 Java Layer Dependent", 0);
    check_arg(&b, 6, 0, "calling tid", NULL, 20);
    check_arg(&b, 7, 0, "data size", NULL, 64);
    check_arg(&b, 8, 0, "offsets size", NULL, 8);
    check_arg(&b, 9, 0, "destination thread", NULL, 30);
    check_arg(&b, 10, 0, "destination name", "svc", 0);
    check_arg(&b, 11, 0, "destination slice id", NULL, 1);
    check_arg(&b, 12, 1, "destination slice id", NULL, 0);
    check_arg(&b, 13, 1, "destination thread", NULL, 20);
    check_arg(&b, 15, 1, "transaction id", NULL, 101);
    check_arg(&b, 19, 1, "flags", "0x0 No Flags Set", 0);
    check_arg(&b, 22, 2, "transaction id", NULL, 102);
    assert_int_equal(MEM_ROWS(b.mem, args), 29);
    bench_free(&b);
}

/* A slice that is not in the range is not named by one that is; sets are numbered from 0. */
static void test_range(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    bench_limit(&b, 0, 5);
    put_binder(&b);
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, callstack), 1);
    check_call(&b, 0, 0, 30, 2, "binder transaction", 0, 0);
    assert_int_equal(MEM_ROWS(b.mem, args), 11); /* 12 without the slice of the reply */
    check_arg(&b, 10, 0, "destination name", "svc", 0);
    assert_int_equal(MEM_INT(b.mem, args, 10, id), 10);
    bench_free(&b);
    bench_begin(&b, NULL);
    bench_limit(&b, 35, 61);
    put_binder(&b);
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, callstack), 3);
    check_call(&b, 0, 40, 0, 2, "binder transaction async", 0, 0);
    check_call(&b, 1, 50, 0, 1, "binder async rcv", 0, 0);
    check_call(&b, 2, 60, 1, 2, "binder lock waiting", 0, -1);
    assert_int_equal(MEM_ROWS(b.mem, args), 7);
    check_arg(&b, 0, 0, "transaction id", NULL, 102);
    bench_free(&b);
    bench_begin(&b, NULL);
    bench_limit(&b, 10, 20);
    put_binder(&b);
    bench_end(&b);
    check_arg(&b, 11, 0, "destination slice id", NULL, 1);
    check_arg(&b, 12, 1, "destination slice id", NULL, 0);
    bench_free(&b);
}

/* --compat: what is known of a reply stands twice where its slice has no set; here it has one. */
static void test_compat(void **state)
{
    bench b;
    (void)state;
    bench_begin_compat(&b);
    put_binder(&b);
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, callstack), 7);
    assert_int_equal(MEM_ROWS(b.mem, args), 29);
    check_arg(&b, 0, 0, "transaction id", NULL, 100);
    check_arg(&b, 7, 0, "data size", NULL, 64);
    bench_free(&b);
    bench_begin_compat(&b); /* the reply ends a slice of a marker */
    print_at(&b, 0, 30, 30, "svc", "B|30|H:work");
    transaction_at(&b, 1, 30, 101, 20, true, 0, 0);
    bench_end(&b);
    assert_int_equal(MEM_ROWS(b.mem, args), 14);
    check_arg(&b, 0, 0, "transaction id", NULL, 101);
    check_arg(&b, 7, 0, "transaction id", NULL, 101);
    check_arg(&b, 13, 0, "calling tid", NULL, 30);
    bench_free(&b);
}

static void counter_at(bench *b, int64_t at, ftrace_kind kind, int64_t state, int64_t cpu)
{
    ftrace_event e = event_of(kind, at, 0, 0, 0, "swapper");
    set_number(&e, 0, state);
    set_number(&e, 1, cpu);
    put_event(b, &e);
}

static void clock_at(bench *b, int64_t at, ftrace_kind kind, const char *name, int64_t value,
                     int64_t cpu)
{
    ftrace_event e = event_of(kind, at, 0, 0, 0, "swapper");
    set_text(&e, 0, name);
    set_number(&e, 0, value);
    set_number(&e, 1, cpu);
    put_event(b, &e);
}

static void irq_at(bench *b, int64_t at, ftrace_kind kind, int64_t number, int64_t ret,
                   const char *name)
{
    ftrace_event e = event_of(kind, at, 0, 0, 0, "swapper");
    set_number(&e, 0, number);
    set_number(&e, 1, ret);
    if (name != NULL) {
        set_text(&e, 0, name);
    }
    put_event(b, &e);
}

static void fence_at(bench *b, int64_t at, ftrace_kind kind)
{
    ftrace_event e = event_of(kind, at, 0, 0, 0, "swapper");
    set_text(&e, FTRACE_T_dma_fence_init_driver, "drv");
    set_text(&e, FTRACE_T_dma_fence_init_timeline, "tl");
    set_number(&e, FTRACE_N_dma_fence_init_context, 3);
    set_number(&e, FTRACE_N_dma_fence_init_seqno, 4);
    put_event(b, &e);
}

static void test_counters(void **state)
{
    bench b;
    ftrace_event e;
    (void)state;
    bench_begin(&b, NULL);
    counter_at(&b, 0, FTRACE_cpu_idle, 1, 0);
    counter_at(&b, 10, FTRACE_cpu_idle, 4294967295, 0);
    counter_at(&b, 20, FTRACE_cpu_frequency, 1800000, 1);
    counter_at(&b, 30, FTRACE_cpu_frequency, 2000000, 1);
    e = event_of(FTRACE_cpu_frequency_limits, 35, 0, 0, 0, "swapper");
    set_number(&e, FTRACE_N_cpu_frequency_limits_min_freq, 500000);
    set_number(&e, FTRACE_N_cpu_frequency_limits_max_freq, 2000000);
    put_event(&b, &e);
    clock_at(&b, 40, FTRACE_clock_set_rate, "gpu", 700, 2);
    clock_at(&b, 50, FTRACE_clk_set_rate, "ddr", 900, 0);
    clock_at(&b, 51, FTRACE_clk_enable, "ddr", 0, 0);
    clock_at(&b, 52, FTRACE_clk_disable, "ddr", 0, 0);
    irq_at(&b, 80, FTRACE_irq_handler_entry, 4, 0, "uart");
    irq_at(&b, 85, FTRACE_irq_handler_exit, 4, 1, NULL);
    irq_at(&b, 86, FTRACE_irq_handler_exit, 4, 1, NULL);
    irq_at(&b, 90, FTRACE_softirq_entry, 9, 0, NULL);
    irq_at(&b, 95, FTRACE_softirq_exit, 9, 0, NULL);
    irq_at(&b, 97, FTRACE_softirq_entry, 1, 0, NULL);
    fence_at(&b, 100, FTRACE_dma_fence_init);
    fence_at(&b, 140, FTRACE_dma_fence_signaled);
    bench_end(&b);
    CHECK_ROWS(&b, measure, "measure|2000000000|10|2|0", "measure|2000000010|NULL|0|0",
               "measure|2000000020|10|1800000|1", "measure|2000000030|NULL|2000000|1",
               "measure|2000000035|NULL|2000000|2", "measure|2000000035|NULL|500000|3",
               "measure|2000000040|NULL|700|4", "measure|2000000050|NULL|900|5",
               "measure|2000000051|NULL|1|6", "measure|2000000052|NULL|0|7");
    CHECK_ROWS(&b, cpu_measure_filter, "0|cpu_idle|0", "1|cpu_frequency|1",
               "2|cpu_frequency_limits_max|0", "3|cpu_frequency_limits_min|0");
    CHECK_ROWS(&b, clock_event_filter, "4|clock_set_rate|gpu|2");
    CHECK_ROWS(&b, clk_event_filter, "5|clk_set_rate|ddr|0", "6|clk_enable|ddr|0",
               "7|clk_disable|ddr|0");
    CHECK_ROWS(&b, irq, "0|2000000080|5|0|irq|uart|0|NULL|NULL|0|1",
               "1|2000000090|5|0|softirq|RCU|0|NULL|NULL|1|",
               "2|2000000097|NULL|0|softirq|TIMER|0|NULL|NULL|NULL|");
    check_arg(&b, 0, 0, "irq_ret", "handled", 0);
    check_arg(&b, 1, 0, "irq", NULL, 4);
    CHECK_ROWS(&b, dma_fence, "0|2000000100|0|dma_fence_init|drv|tl|3|4",
               "1|2000000140|40|dma_fence_signaled|drv|tl|3|4");
    assert_int_equal(stat_of(&b, "irq_handler_exit", "received"), 2);
    assert_int_equal(stat_of(&b, "irq_handler_exit", "not_match"), 1);
    bench_free(&b);
}

/* An interrupt between processors inside an irq: both keep their own durations (QF-28). */
/* A value holds until the next one. */
static void test_counters_range(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    bench_limit(&b, 10, 30);
    counter_at(&b, 0, FTRACE_cpu_idle, 1, 0);
    counter_at(&b, 2, FTRACE_cpu_frequency, 1000000, 1);
    counter_at(&b, 9, FTRACE_cpu_frequency, 1500000, 1);
    counter_at(&b, 10, FTRACE_cpu_idle, 4294967295, 0);
    counter_at(&b, 20, FTRACE_cpu_frequency, 1800000, 1);
    counter_at(&b, 30, FTRACE_cpu_frequency, 2000000, 1);
    irq_at(&b, 5, FTRACE_irq_handler_entry, 4, 0, "uart");
    irq_at(&b, 9, FTRACE_irq_handler_exit, 4, 1, NULL);
    irq_at(&b, 15, FTRACE_irq_handler_entry, 5, 0, "spi");
    irq_at(&b, 16, FTRACE_irq_handler_exit, 5, 1, NULL);
    fence_at(&b, 9, FTRACE_dma_fence_init);
    fence_at(&b, 29, FTRACE_dma_fence_signaled);
    bench_end(&b);
    CHECK_ROWS(&b, measure, "measure|2000000000|10|2|0", "measure|2000000009|11|1500000|1",
               "measure|2000000010|NULL|0|0", "measure|2000000020|10|1800000|1");
    CHECK_ROWS(&b, raw, "0|2000000010|cpu_idle|0|0");
    CHECK_ROWS(&b, irq, "0|2000000015|1|0|irq|spi|0|NULL|NULL|0|1");
    CHECK_ROWS(&b, dma_fence, "0|2000000029|20|dma_fence_signaled|drv|tl|3|4");
    assert_int_equal(MEM_INT(b.mem, args, 0, argset), 0);
    bench_free(&b);
}

/* --compat: the process 4294967295, ends that are missing, work that matches, tasks. */
static void test_compat_kernel(void **state)
{
    bench b;
    ftrace_event e;
    (void)state;
    bench_begin_compat(&b);
    e = event_of(FTRACE_oom_score_adj_update, 0, 0, 0, 0, "swapper");
    set_number(&e, FTRACE_N_oom_score_adj_update_pid, 77);
    set_number(&e, FTRACE_N_oom_score_adj_update_oom_score_adj, 900);
    put_event(&b, &e);
    irq_at(&b, 97, FTRACE_softirq_entry, 1, 0, NULL);
    irq_at(&b, 100, FTRACE_irq_handler_entry, 4, 0, "uart");
    e = event_of(FTRACE_ipi_entry, 110, 0, 0, 0, "swapper");
    set_text(&e, FTRACE_T_ipi_entry_reason, "call");
    put_event(&b, &e);
    e = event_of(FTRACE_ipi_exit, 113, 0, 0, 0, "swapper");
    put_event(&b, &e);
    irq_at(&b, 150, FTRACE_irq_handler_exit, 4, 1, NULL);
    for (int64_t at = 0; at < 3; at++) { /* the first row of callstack does not count */
        e = event_of(FTRACE_workqueue_execute_start, 200 + 10 * at, 0, 8, 8, "kworker");
        put_event(&b, &e);
        e = event_of(FTRACE_workqueue_execute_end, 205 + 10 * at, 0, 8, 8, "kworker");
        put_event(&b, &e);
    }
    put_event(&b, &e);
    e = event_of(FTRACE_task_newtask, 300, 0, 8, 8, "kworker");
    set_number(&e, FTRACE_N_task_newtask_pid, 99);
    put_event(&b, &e);
    bench_end(&b);
    CHECK_ROWS(&b, process_measure_filter, "0|oom_score_adj|4294967295");
    CHECK_ROWS(&b, irq, "0|2000000097|0|0|softirq|TIMER|0|NULL|NULL|NULL|",
               "1|2000000100|3|0|irq|uart|0|NULL|NULL|0|",
               "2|2000000110|3|0|ipi|call|0|NULL|NULL|0|1");
    assert_int_equal(stat_of(&b, "workqueue_execute_end", "not_match"), 2);
    assert_int_equal(MEM_ROWS(b.mem, thread), 2);
    bench_free(&b);
}

static void test_ipi(void **state)
{
    bench b;
    ftrace_event e;
    (void)state;
    bench_begin(&b, NULL);
    irq_at(&b, 0, FTRACE_irq_handler_entry, 4, 0, "uart");
    e = event_of(FTRACE_ipi_entry, 2, 0, 0, 0, "swapper");
    set_text(&e, FTRACE_T_ipi_entry_reason, "(Function call interrupts)");
    put_event(&b, &e);
    e = event_of(FTRACE_ipi_exit, 5, 0, 0, 0, "swapper");
    put_event(&b, &e);
    irq_at(&b, 9, FTRACE_irq_handler_exit, 4, 0, NULL);
    bench_end(&b);
    CHECK_ROWS(&b, irq, "0|2000000000|9|0|irq|uart|0|NULL|NULL|0|",
               "1|2000000002|3|0|ipi|(Function call interrupts)|0|NULL|NULL|0|1");
    check_arg(&b, 0, 0, "irq_ret", "unhandled", 0);
    bench_free(&b);
}

/* A reply closes what is open on top, also a marker's slice, which gets the arguments then. */
static void test_reply_closes_marker(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    transaction_at(&b, 0, 20, 100, 30, false, 0, 1);
    received_at(&b, 10, 30, 100);
    print_at(&b, 12, 30, 30, "svc", "B|30|H:work");
    transaction_at(&b, 20, 30, 101, 20, true, 0, 0);
    bench_end(&b);
    check_call(&b, 2, 12, 8, 2, "H:work", 1, 2);
    assert_true(MEM_NULL(b.mem, callstack, 1, dur));
    bench_free(&b);
}

/* Work is of the thread that does it; its end without a beginning is counted (QF-29, QF-30). */
static void test_work(void **state)
{
    bench b;
    ftrace_event e;
    (void)state;
    bench_begin(&b, NULL);
    assert_ok(b.ctx, ftrace_machine_symbol(b.m, 0x1000, TS_TEXT_LIT("work_fn")));
    for (int64_t at = 0; at < 2; at++) {
        e = event_of(FTRACE_workqueue_execute_start, 10 * at, 0, 7, 8, "kworker");
        set_number(&e, FTRACE_N_workqueue_execute_start_function, 0x1000 + at);
        put_event(&b, &e);
        e = event_of(FTRACE_workqueue_execute_end, 10 * at + 4, 0, 7, 8, "kworker");
        put_event(&b, &e);
    }
    put_event(&b, &e);
    bench_end(&b);
    check_call(&b, 0, 0, 4, 2, "work_fn", 0, -1);
    check_call(&b, 1, 10, 4, 2, "0x1001", 0, -1);
    assert_mem_text(b.mem, callstack, 0, cat, "workqueue");
    assert_int_equal(stat_of(&b, "workqueue_execute_end", "not_match"), 1);
    CHECK_ROWS(&b, symbols, "0|work_fn|4096");
    bench_free(&b);
}

/* The call that a thread leaves is the one that it entered. */
static void test_system_calls(void **state)
{
    bench b;
    ftrace_event e;
    (void)state;
    bench_begin(&b, NULL);
    e = event_of(FTRACE_sys_enter, 0, 0, 20, 20, "app");
    set_number(&e, FTRACE_N_sys_enter_id, 63);
    set_text(&e, FTRACE_T_sys_enter_args, "3, 7f0010, 10");
    put_event(&b, &e);
    for (int64_t id = 62; id < 65; id++) {
        e = event_of(FTRACE_sys_exit, 10 + id, 0, 20, 20, "app");
        set_number(&e, FTRACE_N_sys_exit_id, id);
        set_number(&e, FTRACE_N_sys_exit_ret, -id);
        put_event(&b, &e);
    }
    bench_end(&b);
    CHECK_ROWS(&b, syscall, "63|2000000000|73|1|3, 7f0010, 10|-63");
    bench_free(&b);
}

/* --syscalls: others are neither counted nor used; their threads are seen. */
static void test_wanted_calls(void **state)
{
    static const struct {
        const char *wanted;
        size_t rows;
        int64_t received, imported;
    } cases[] = {{NULL, 2, 3, 3}, {"63", 1, 2, 2}, {"6,3,630,64", 1, 1, 1}, {"", 0, -1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const int64_t enters[] = {63, 63, 64};
        bench b;
        bench_begin(&b, NULL);
        b.ctx->syscalls = cases[i].wanted;
        for (int64_t k = 0; k < 3; k++) {
            ftrace_event e = event_of(FTRACE_sys_enter, 10 * k, 0, 20, 20, "app");
            set_number(&e, FTRACE_N_sys_enter_id, enters[k]);
            put_event(&b, &e);
            e = event_of(FTRACE_sys_exit, 10 * k + 5, 0, 20, 20, "app");
            set_number(&e, FTRACE_N_sys_exit_id, k == 0 ? 5 : enters[k]);
            put_event(&b, &e);
        }
        bench_end(&b);
        assert_int_equal(MEM_ROWS(b.mem, syscall), cases[i].rows);
        assert_int_equal(MEM_ROWS(b.mem, thread), 2);
        assert_mem_row(b.mem, trace_range, 0, "2000000000|2000000025");
        if (cases[i].received >= 0) {
            assert_int_equal(stat_of(&b, "sys_enter", "received"), cases[i].received);
        }
        for (size_t k = 0; k < MEM_ROWS(b.mem, import_count); k++) {
            if (ts_text_is(MEM_TEXT(b.mem, import_count, k, item), "ftrace_events:sys_enter")) {
                assert_int_equal(MEM_INT(b.mem, import_count, k, seen), 3);
                assert_int_equal(MEM_INT(b.mem, import_count, k, imported), cases[i].imported);
                assert_int_equal(MEM_INT(b.mem, import_count, k, skipped), 3 - cases[i].imported);
            }
        }
        bench_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binder),        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_range),         cmocka_unit_test(test_compat),
        cmocka_unit_test(test_compat_kernel), cmocka_unit_test(test_counters_range),
        cmocka_unit_test(test_ipi),           cmocka_unit_test(test_reply_closes_marker),
        cmocka_unit_test(test_work),          cmocka_unit_test(test_system_calls),
        cmocka_unit_test(test_wanted_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Allocations that fail in each kind of event, with so many threads, states and slices before it
 * that each array grows in some of them; and the limits that no recording of a bearable size
 * reaches. */
#include "ftrace_events.h"

#include "base/ckd.h"
#include "parsers/ftrace/rows/ftrace_state.h"

#include <sys/mman.h>

/* --- making events -----------------------------------------------------------------------------
 */

static void work_at(bench *b, ftrace_kind kind, int64_t at, int32_t pid)
{
    ftrace_event e = event_of(kind, at, 0, pid, pid, "");
    set_text(&e, FTRACE_T_workqueue_execute_start_function_name, "work");
    put_event(b, &e);
}

/* --- failing allocations -----------------------------------------------------------------------
 */

typedef struct scenario {
    void (*before)(bench *b); /* may be NULL */
    void (*event)(bench *b);
    int most;  /* how often `put_more` comes before */
    bool part; /* with --time-range, which keeps what happens to rows */
} scenario;

/* A thread with two states and a slice that has ended. */
static void put_more(bench *b, int i)
{
    switch_to(b, 10 * i, 0, 0, 1000 + i);
    print_at(b, 10 * i + 1, 1000 + i, 1000 + i, "", "B|0|x");
    print_at(b, 10 * i + 2, 1000 + i, 1000 + i, "", "E|0");
    switch_to(b, 10 * i + 3, 1000 + i, 1, 0);
}

enum { AT = 100000, CHANGES = 64 * 1024 / 32 + 1 };

static void binder_of_new(bench *b)
{
    number_at(b, FTRACE_binder_transaction, AT, 0, 91, FTRACE_N_binder_transaction_debug_id, 1);
}

static void before_receiving(bench *b)
{
    number_at(b, FTRACE_binder_transaction, AT, 0, 91, FTRACE_N_binder_transaction_debug_id, 1);
    work_at(b, FTRACE_workqueue_execute_start, AT, 92);
    number_at(b, FTRACE_binder_lock, AT, 92, 92, 0, 0);
    work_at(b, FTRACE_workqueue_execute_end, AT + 1, 92);
    for (int i = 0; i < CHANGES - 1; i++) { /* each end is kept: so many fill a block */
        print_at(b, AT, 93, 93, "", "B|0|x");
        print_at(b, AT, 93, 93, "", "E|0");
    }
}

static void receiving(bench *b)
{
    number_at(b, FTRACE_binder_transaction_received, AT + 2, 0, 92,
              FTRACE_N_binder_transaction_received_debug_id, 1);
}

static void vsync_of_worker(bench *b)
{
    print_at(b, AT, 90, 91, "", "B|90|H:OnVsyncEvent now:1");
}

static void task_of_worker(bench *b)
{
    print_at(b, AT + 1, 90, 91, "", "B|90|H:UIVsyncTask[timestamp:5][vsyncID:7]");
}

static void call_of_new(bench *b)
{
    number_at(b, FTRACE_sys_enter, AT, 0, 91, FTRACE_N_sys_enter_id, 5);
}

static void wake_of_new(bench *b)
{
    number_at(b, FTRACE_sched_wakeup, AT, 0, 91, FTRACE_N_sched_wakeup_pid, 92);
}

static void reason_of_new(bench *b)
{
    number_at(b, FTRACE_sched_blocked_reason, AT, 0, 0, FTRACE_N_sched_blocked_reason_pid, 92);
}

/* Markers of another process: its thread of this number is a new one. */
static void begin_of_new(bench *b)
{
    print_at(b, AT, 90, 91, "name", "B|95|x");
}

static void end_of_new(bench *b)
{
    print_at(b, AT, 90, 91, "", "E|95");
}

static void async_of_new(bench *b)
{
    print_at(b, AT, 0, 91, "", "S|0|x|1");
}

static void plain_async(bench *b)
{
    print_at(b, AT, 0, 91, "", "S|0|H:[a,b,c]#x|1");
}

static void plain_counter(bench *b)
{
    print_at(b, AT, 20, 20, "", "C|20|H:[a,b,c]#x|1");
}

/* Its wait goes on until it is switched in again. */
static void before_waking(bench *b)
{
    switch_to(b, AT - 1, 0, 0, 95); /* an odd number of states: arrays have room for even ones */
    switch_to(b, AT, 91, 1, 0);
    number_at(b, FTRACE_sched_wakeup, AT + 1, 0, 0, FTRACE_N_sched_wakeup_pid, 91);
}

static void waking(bench *b)
{
    switch_to(b, AT + 2, 0, 0, 91);
}

/* Two threads send a transaction of one number, and are switched out. */
static void before_same_number(bench *b)
{
    for (int32_t pid = 91; pid < 93; pid++) {
        number_at(b, FTRACE_binder_transaction, AT, 0, pid, FTRACE_N_binder_transaction_debug_id,
                  1);
    }
    switch_to(b, AT + 1, 91, 2048, 99);
    switch_to(b, AT + 2, 99, 1, 91);
    switch_to(b, AT + 3, 91, 1, 92);
}

static void same_number(bench *b)
{
    switch_to(b, AT + 4, 92, 2048, 99);
}

static void bad_symbol(bench *b)
{
    b->code = ftrace_machine_symbol(b->m, 1, TS_TEXT_LIT("a\xff"));
}

static const scenario scenarios[] = {
    {NULL, binder_of_new, 40, false},   {before_receiving, receiving, 0, true},
    {NULL, vsync_of_worker, 0, false},  {vsync_of_worker, task_of_worker, 0, false},
    {NULL, call_of_new, 40, false},     {NULL, wake_of_new, 40, false},
    {NULL, reason_of_new, 40, false},   {NULL, begin_of_new, 40, false},
    {NULL, end_of_new, 40, false},      {NULL, async_of_new, 40, false},
    {NULL, plain_async, 0, false},      {NULL, plain_counter, 0, false},
    {before_waking, waking, 40, false}, {before_same_number, same_number, 300, false},
    {NULL, bad_symbol, 0, false},
};

/* The k-th allocation of the event fails; true: there were not so many. */
static bool check_fault(const scenario *s, int more, uint64_t k)
{
    test_failing fail = {.fail_at = k};
    ts_allocator allocator;
    bool done;
    bench b;
    bench_begin(&b, NULL);
    if (s->part) {
        bench_limit(&b, 0, 1 << 30);
    }
    for (int i = 0; i < more; i++) {
        put_more(&b, i);
    }
    if (s->before != NULL) {
        s->before(&b);
    }
    allocator = b.ctx->allocator;
    b.ctx->allocator = test_failing_allocator(&fail);
    b.may_fail = true;
    s->event(&b);
    done = b.code == TS_OK;
    assert_true(done ? fail.calls < k : b.code == TS_ERR_NOMEM);
    b.ctx->allocator = allocator;
    bench_free(&b);
    return done;
}

static void test_events(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        for (int more = 0; more <= scenarios[i].most; more++) {
            uint64_t k = 1;
            while (!check_fault(&scenarios[i], more, k)) {
                k++;
            }
        }
    }
}

/* Each row that cannot be written, of a recording that has rows of many tables. */
static void put_all(bench *b)
{
    for (int i = 0; i < 3; i++) {
        put_more(b, i);
    }
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        if (scenarios[i].part) {
            continue;
        }
        if (scenarios[i].before != NULL) {
            scenarios[i].before(b);
        }
        if (b->code == TS_OK) {
            scenarios[i].event(b);
        }
    }
}

static void test_every_row_fails(void **state)
{
    ts_code code = TS_ERR_OUTPUT;
    (void)state;
    for (uint64_t k = 1; code != TS_OK; k++) {
        bench b;
        bench_begin(&b, NULL);
        b.may_fail = true;
        memsink_fail_at(b.mem, memsink_calls(b.mem) + k);
        put_all(&b);
        code = b.code != TS_OK ? b.code : ftrace_machine_finish(b.m);
        assert_true(code == TS_OK ? k > 30 : code == TS_ERR_OUTPUT);
        bench_free(&b);
    }
}

/* --- limits ------------------------------------------------------------------------------------
 */

static ts_code try_marker(bench *b, const char *text)
{
    ftrace_event e = event_of(FTRACE_print, AT, 0, 20, 20, "app");
    set_text(&e, FTRACE_T_print_buf, text);
    return ftrace_machine_event(b->m, &e);
}

/* What is counted in 32 bits: slices of a thread, asynchronous ones, transactions. */
static void test_counters(void **state)
{
    const size_t most = (size_t)1 << 31;
    ftrace_slice *many;
    ftrace_stack small;
    ftrace_thread *thread;
    ftrace_stack *stack;
    ftrace_event out = event_of(FTRACE_sched_switch, AT, 0, 20, 20, "");
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    print_at(&b, 0, 20, 20, "app", "B|20|x");
    assert_ok(b.ctx, ftrace_thread_any(&thread, &b.m->threads, 20, TS_TEXT_NULL));
    stack = thread->stack;
    small = *stack;
    many = mmap(NULL, most * sizeof *many, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (many != MAP_FAILED) { /* addresses, of which one page is used */
        many[most - 1].end = TS_NO_TIME;
        stack->slices = many;
        stack->count = stack->cap = (uint32_t)most;
        assert_int_equal(try_marker(&b, "B|20|y"), TS_ERR_LIMIT);
        *stack = small;
        munmap(many, most * sizeof *many);
    }
    b.m->slices.asyncs.n = UINT32_MAX - 1;
    assert_int_equal(try_marker(&b, "S|20|y|1"), TS_ERR_LIMIT);
    b.m->slices.asyncs.n = 0;
    number_at(&b, FTRACE_binder_transaction, 1, 20, 20, FTRACE_N_binder_transaction_debug_id, 1);
    b.m->runnable.waits.n = UINT32_MAX - 1;
    set_number(&out, FTRACE_N_sched_switch_prev_pid, 20);
    set_number(&out, FTRACE_N_sched_switch_prev_state, 2048);
    set_number(&out, FTRACE_N_sched_switch_next_pid, 30);
    assert_int_equal(ftrace_machine_event(b.m, &out), TS_ERR_LIMIT);
    b.m->runnable.waits.n = 0;
    bench_free(&b);
}

/* What only a defect of the program can do: it is noticed. */
static void test_defects(void **state)
{
    ftrace_event e = event_of((ftrace_kind)FTRACE_LOST_BEFORE, 0, 0, 20, 20, "app");
    const int64_t dur = 5;
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    bench_limit(&b, 0, 100);
    assert_int_equal(ftrace_machine_event(b.m, &e), TS_ERR_INTERNAL);
    e.kind = FTRACE_print;
    e.reader = FTRACE_FROM_FFRT + 1;
    assert_int_equal(ftrace_machine_event(b.m, &e), TS_ERR_INTERNAL);
    assert_int_equal(ts_sink_complete(b.m->sink, TS_T_callstack, 0, TS_C_callstack__dur, dur),
                     TS_ERR_INTERNAL);
    assert_int_equal(ts_sink_complete(b.m->sink, TS_T_trace_range, 1, 0, dur), TS_ERR_INTERNAL);
    assert_int_equal(
        ts_sink_late_text(b.m->sink, TS_T_callstack, 1, TS_C_callstack__name, TS_TEXT_LIT("late")),
        TS_ERR_INTERNAL);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_every_row_fails),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_defects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* BinderRunnable: R-B instead of R+ for a thread that makes room for the one that receives its
 * transaction. */
#include "ftrace_events.h"

static void send_at(bench *b, int64_t at, int32_t pid, int64_t id, int64_t flags)
{
    ftrace_event e = event_of(FTRACE_binder_transaction, at, 0, pid, pid, "");
    set_number(&e, FTRACE_N_binder_transaction_debug_id, id);
    set_number(&e, FTRACE_N_binder_transaction_flags, flags);
    put_event(b, &e);
}

static void receive_at(bench *b, int64_t at, int32_t pid, int64_t id)
{
    ftrace_event e = event_of(FTRACE_binder_transaction_received, at, 0, pid, pid, "");
    set_number(&e, FTRACE_N_binder_transaction_received_debug_id, id);
    put_event(b, &e);
}

/* The state of the row of thread_state at BEGIN + at without a CPU. */
static void check_state(const bench *b, int64_t at, const char *text)
{
    for (size_t i = 0; i < MEM_ROWS(b->mem, thread_state); i++) {
        if (MEM_INT(b->mem, thread_state, i, ts) == BEGIN + at &&
            MEM_NULL(b->mem, thread_state, i, cpu)) {
            assert_mem_text(b->mem, thread_state, i, state, text);
            return;
        }
    }
    fail_msg("no state at %d", (int)at);
}

static void test_received_later(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    send_at(&b, 0, 20, 100, 0);
    switch_to(&b, 10, 20, 2048, 30);
    receive_at(&b, 20, 30, 100); /* while the sender waits */
    switch_to(&b, 30, 30, 1, 20);
    send_at(&b, 40, 20, 101, 16);
    switch_to(&b, 50, 20, 2048, 30);
    switch_to(&b, 60, 30, 1, 20); /* the sender goes on: the row is complete */
    switch_to(&b, 70, 20, 2048, 40);
    receive_at(&b, 80, 30, 101);
    bench_end(&b);
    check_state(&b, 10, "R-B");
    check_state(&b, 50, "R-B");
    check_state(&b, 70, "R+"); /* the second time that it is switched out */
    bench_free(&b);
}

static void test_others(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    send_at(&b, 0, 20, 100, 1); /* needs no reply */
    switch_to(&b, 10, 20, 2048, 30);
    receive_at(&b, 11, 30, 100);
    switch_to(&b, 12, 30, 1, 20);
    send_at(&b, 13, 20, 101, 0); /* sleeps */
    switch_to(&b, 20, 20, 1, 30);
    receive_at(&b, 21, 30, 101);
    switch_to(&b, 22, 30, 1, 20);
    send_at(&b, 23, 20, 102, 0); /* another thread receives it */
    switch_to(&b, 30, 20, 2048, 40);
    receive_at(&b, 31, 30, 102);
    switch_to(&b, 32, 40, 1, 20);
    send_at(&b, 33, 20, 103, 0); /* nothing runs behind it */
    switch_to(&b, 40, 20, 2048, 0);
    receive_at(&b, 41, 30, 103);
    switch_to(&b, 42, 0, 0, 20);
    send_at(&b, 43, 20, 104, 0); /* is never received */
    switch_to(&b, 50, 20, 2048, 30);
    bench_end(&b);
    check_state(&b, 10, "R+");
    check_state(&b, 20, "S");
    check_state(&b, 30, "R+");
    check_state(&b, 40, "R+");
    check_state(&b, 50, "R+");
    bench_free(&b);
}

/* --compat: as the reference has it without a switch of its configuration. */
static void test_compat(void **state)
{
    bench b;
    (void)state;
    bench_begin_compat(&b);
    send_at(&b, 0, 20, 100, 0);
    switch_to(&b, 10, 20, 2048, 30);
    receive_at(&b, 20, 30, 100);
    bench_end(&b);
    check_state(&b, 10, "R+");
    bench_free(&b);
}

/* A number of a transaction that is used again: the first one is not waited for any more. */
static void test_same_number(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    send_at(&b, 0, 20, 100, 0);
    switch_to(&b, 10, 20, 2048, 30);
    send_at(&b, 20, 30, 100, 0);
    switch_to(&b, 30, 30, 2048, 40);
    receive_at(&b, 40, 40, 100);
    switch_to(&b, 50, 40, 1, 20);
    send_at(&b, 60, 20, 101, 0);
    switch_to(&b, 70, 20, 2048, 30);
    receive_at(&b, 80, 30, 101);
    bench_end(&b);
    check_state(&b, 10, "R+");
    check_state(&b, 30, "R-B");
    check_state(&b, 70, "R-B");
    bench_free(&b);
}

static void test_every_allocation_fails(void **state)
{
    test_failing failing = {0};
    ts_code code = TS_ERR_NOMEM;
    (void)state;
    for (failing.fail_at = 1; code != TS_OK; failing.fail_at++) {
        bench b;
        bench_begin(&b, NULL);
        ts_allocator allocator = b.ctx->allocator;
        failing.calls = 0;
        b.ctx->allocator = test_failing_allocator(&failing);
        b.may_fail = true;
        for (int32_t i = 0; i < 40; i++) {
            send_at(&b, 10 * i, 20 + i, 100 + i, 0);
            switch_to(&b, 10 * i + 1, 20 + i, 2048, 21 + i);
            if (i % 4 == 0) {
                receive_at(&b, 10 * i + 2, 21 + i, 100 + i);
            }
        }
        code = b.code != TS_OK ? b.code : ftrace_machine_finish(b.m);
        assert_true(code == TS_OK || code == TS_ERR_NOMEM);
        b.ctx->allocator = allocator;
        bench_free(&b);
    }
    assert_true(failing.fail_at > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_received_later),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_compat),
        cmocka_unit_test(test_same_number),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

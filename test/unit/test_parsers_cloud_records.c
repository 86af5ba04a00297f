/* Damage that records of calls, and the times of a root's end, tell of the trace. */
#include "cloud_build.h"

static void assert_doubted(const run *r, size_t i)
{
    assert_null_cell(r, stack_slice, i, ts);
    assert_null_cell(r, stack_slice, i, dur);
    assert_null_cell(r, stack_slice, i, node_id);
    assert_null_cell(r, stack_slice, i, parent_id);
    assert_null_cell(r, stack_slice, i, depth);
    assert_null_cell(r, stack_slice, i, state);
}

/* Where the record of the worked call has its difference of time and its number of invocations. */
enum { DELTA = 16, ENTERS = 21 };

/* A block with a root of 10 ms, `at` ms after that of the others. */
static void put_root(bytes *t, uint8_t at)
{
    put_be(t, 1, 8);
    put_be(t, CALL_START, 8);
    HEX(t, 0x80 | 21 << 2, (uint8_t)(34 + at / 32), 9); /* 1109 = 21 | 34 << 5 */
    HEX(t, 0x02 | 10 << 2, 0, 0, 0, 0x01, 0x03);
}

/* The worked trace without a call that is in it: the record says that there is one more. */
static void test_other_number_of_invocations(void **state)
{
    UNUSED(state);
    for (int i = 0; i < 3; i++) {
        run r;
        pod p = worked();
        bytes *c = &p.stream[CALLS];
        c->p[ENTERS] = i == 0 ? 5 : 4;
        c->p[ENTERS - 2] = i == 1 ? 0x9e : 0x9f; /* 414 ms: the root has 415 */
        put_root(&p.stream[TRACE], 32);
        import_pod(&r, p);
        assert_rows(&r, stack_slice, 4 + 1);
        assert_rows(&r, cloud_call, 1);
        assert_slice(&r, 4, 0, 40, 10, 10, 0, 0);
        if (i < 2) {
            assert_int_equal(issue_sum(&r, "cloud_call_mismatch"), 1);
            assert_cell(&r, stack_slice, 0, ts, MS(CALL_START));
            assert_null_cell(&r, stack_slice, 0, dur);
            for (size_t row = 1; row < 4; row++) {
                assert_doubted(&r, row);
            }
            assert_null_cell(&r, cloud_call, 0, calls);
            assert_null_cell(&r, cloud_call, 0, dur);
        } else {
            assert_int_equal(complaints(&r), 0);
            assert_slice(&r, 0, 0, 0, 415, 399, 0, 0);
        }
        run_free(&r);
    }
}

/* The record of a call is written when it has ended: a trace without that end lacks something. */
static void test_record_of_an_open_call(void **state)
{
    run r;
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    UNUSED(state);
    t->n -= 2;
    HEX(t, 0x03);
    import_pod(&r, p);
    assert_int_equal(issue_sum(&r, "cloud_root_lost"), 1);
    assert_cell(&r, stack_slice, 0, state, 1);
    assert_cell(&r, cloud_call, 0, root_slice_id, 1);
    run_free(&r);
    /* Nor was it cut: the second record has no root where the trace goes on. */
    p = worked();
    t = &p.stream[TRACE];
    t->n -= 2;
    HEX(t, 0x03);
    put_be(t, 2, 8);
    put_be(t, CALL_START, 8);
    HEX(t, 0x80 | 21 << 2, 35, 9, 0x02 | 10 << 2, 0, 0, 0, 0x01, 0x03);
    put_varint(&p.stream[CALLS], 2 * 109);
    HEX(&p.stream[CALLS], 9, 10, 1, 0, 0, 0, 1, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    import_pod(&r, p);
    assert_int_equal(issue_sum(&r, "cloud_call_no_root"), 1);
    assert_int_equal(issue_sum(&r, "cloud_root_lost"), 1);
    assert_cell(&r, stack_slice, 0, ts, MS(CALL_START));
    for (size_t row = 1; row < 4; row++) {
        assert_doubted(&r, row);
    }
    assert_cell(&r, stack_slice, 4, dur, MS(10)); /* of another thread */
    run_free(&r);
}

/* call.info, what follows it and the end of its root are of one time. */
static void test_time_behind_the_mark(void **state)
{
    run r;
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    UNUSED(state);
    put_root(t, 32);
    t->n -= 2;
    HEX(t, 0x01 | 1 << 2, 0x03);
    import_pod(&r, p);
    assert_slice(&r, 0, 0, 0, 415, 399, 0, 0);
    assert_doubted(&r, 4);
    assert_int_equal(issue_sum(&r, "cloud_block_bad"), 1);
    run_free(&r);
}

/* A record of another beginning; the next one counts from that, or from the root's. */
static void test_after_a_wrong_beginning(void **state)
{
    UNUSED(state);
    for (int i = 0; i < 2; i++) {
        int wrong = i == 0 ? 500 : 0; /* ms that the next difference makes up for */
        run r;
        pod p = worked();
        bytes *t = &p.stream[TRACE];
        bytes *c = &p.stream[CALLS];
        size_t block = t->n;
        put_root(t, 32); /* 40 ms behind the first, see test_other_number_of_invocations */
        c->p[DELTA] = 0xb5;
        c->p[DELTA + 1] = 0x12; /* zigzag(-1179): 500 ms too early */
        put_varint(c, 2 * (uint32_t)(40 + wrong));
        HEX(c, 9, 10, 1, 0, 0, 0, 1);
        put_varint(c, (uint32_t)block);
        HEX(c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        import_pod(&r, p);
        assert_int_equal(issue_sum(&r, "cloud_call_mismatch"), 1);
        assert_rows(&r, cloud_call, 2);
        assert_null_cell(&r, cloud_call, 0, ts);
        assert_cell(&r, cloud_call, 1, root_slice_id, 5);
        assert_cell(&r, cloud_call, 1, ts, MS(CALL_START + 40));
        assert_cell(&r, stack_slice, 0, dur, MS(415));
        run_free(&r);
    }
}

/* The length of the call becomes this number of ms. */
static void import_length(run *r, uint32_t ms)
{
    pod p = worked();
    bytes *c = &p.stream[CALLS];
    bytes rest = {0};
    put(&rest, c->p + ENTERS, c->n - ENTERS);
    c->n = ENTERS - 2;
    put_varint(c, ms);
    put(c, rest.p, rest.n);
    import_pod(r, p);
    free(rest.p);
}

/* A length below 0 is wrong in the record; the root has one of its own. */
static void test_negative_length(void **state)
{
    run r;
    UNUSED(state);
    import_length(&r, UINT32_MAX);
    assert_int_equal(issue_sum(&r, "cloud_call_implausible"), 1);
    assert_int_equal(issue_sum(&r, "cloud_call_mismatch"), 0);
    assert_slice(&r, 0, 0, 0, 415, 399, 0, 0);
    assert_cell(&r, cloud_call, 0, calls, 4);
    run_free(&r);
}

/* A call of less than 1 ms has the length 0, which its root contradicts here. */
static void test_length_of_nothing(void **state)
{
    run r;
    UNUSED(state);
    import_length(&r, 0);
    assert_int_equal(issue_sum(&r, "cloud_call_implausible"), 0);
    assert_int_equal(issue_sum(&r, "cloud_call_mismatch"), 1);
    assert_null_cell(&r, cloud_call, 0, dur);
    run_free(&r);
}

/* The stream of pauses begins with its file: long after the agent, but never before it. */
static void test_pauses_of_a_long_uptime(void **state)
{
    static const struct {
        const char *start;
        bool right;
    } cases[] = {
        {"p_1691167326615", true},  {"p_1688167326615", true}, /* 3 000 000 s before its pauses */
        {"p_1686167326615", true},                             /* 5 000 000 s */
        {"p_1691170926615", true},  /* an hour behind them: clocks differ */
        {"p_1691170926616", false}, /* and 1 ms more */
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        pod p = worked();
        set s = flat_files(&p, cases[i].start);
        import_begin(&r);
        import_set(&r, &s, 0);
        assert_ok(r.ctx, r.code);
        assert_int_equal(complaints(&r), cases[i].right ? 0 : 1);
        assert_int_equal(issue_sum(&r, "cloud_pauses_contradict"), !cases[i].right);
        assert_rows(&r, cloud_suspend, 2);
        assert_int_equal(MEM_NULL(r.sink, cloud_suspend, 1, ts), !cases[i].right);
        assert_int_equal(MEM_NULL(r.sink, cloud_call, 0, suspend_dur), !cases[i].right);
        run_free(&r);
        pod_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_number_of_invocations),
        cmocka_unit_test(test_record_of_an_open_call),
        cmocka_unit_test(test_time_behind_the_mark),
        cmocka_unit_test(test_after_a_wrong_beginning),
        cmocka_unit_test(test_negative_length),
        cmocka_unit_test(test_length_of_nothing),
        cmocka_unit_test(test_pauses_of_a_long_uptime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

enum { ENTERS = 21 }; /* where the record of the worked call has its number of invocations */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_number_of_invocations),
        cmocka_unit_test(test_record_of_an_open_call),
        cmocka_unit_test(test_time_behind_the_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

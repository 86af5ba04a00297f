/* Lists of foo (docs/formats.md, "foo"): rows, damage, failures. */
#include "parsers_sweep.h"

static const char list[] = "foo 1\n1 a 17\n2 bc 9223372036854775807\n3 a 0\nend\n";

static void test_rows(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, list);
    assert_rows(&r, foo_value, 3);
    assert_cell(&r, foo_value, 1, number, 2);
    assert_cell(&r, foo_value, 1, value, INT64_MAX);
    assert_true(ts_text_is(MEM_TEXT(r.sink, foo_value, 1, name), "bc"));
    assert_rows(&r, import_issue, 0);
    run_free(&r);
}

static void test_bad_lines(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "foo 1\n1 a 1\n1 a 1\n4 a 1\n5 a 9223372036854775808\n6 A 1\n7 a\nend\nx\n");
    assert_rows(&r, foo_value, 2);
    assert_int_equal(issue_sum(&r, "foo_bad_line"), 6);
    assert_int_equal(issue_sum(&r, "foo_incomplete"), 0);
    run_free(&r);
}

static void test_blocks(void **state)
{
    bytes b = bytes_of(list);
    UNUSED(state);
    check_blocks(&b, 0);
    free(b.p);
}

static void test_cut_at_every_byte(void **state)
{
    bytes b = bytes_of(list);
    run whole;
    UNUSED(state);
    import_damaged(&whole, &b, 0);
    for (size_t cut = sizeof "foo 1\n" - 1; cut < b.n; cut++) {
        bytes part = {b.p, cut, 0};
        size_t row;
        run r;
        import_damaged(&r, &part, 0);
        assert_int_equal(r.code, TS_OK);
        assert_true(memsink_is_prefix(&row, r.sink, whole.sink, TS_T_foo_value));
        assert_int_equal(issue_sum(&r, "foo_incomplete"), 1);
        run_free(&r);
    }
    run_free(&whole);
    free(b.p);
}

static void test_every_allocation_fails(void **state)
{
    bytes b = bytes_of("foo 1\n1 a 1\n3 a 1");
    ts_code code = TS_ERR_NOMEM;
    UNUSED(state);
    for (uint64_t k = 1; code != TS_OK; k++) {
        test_failing fail = {.fail_at = k};
        ts_allocator allocator;
        run r;
        import_begin(&r);
        allocator = r.ctx->allocator;
        r.ctx->allocator = test_failing_allocator(&fail);
        (void)import_files(&r, &b, 1, 0);
        code = r.code;
        assert_true(code == TS_OK ? k > 10 : code == TS_ERR_NOMEM);
        r.ctx->allocator = allocator;
        run_free(&r);
    }
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sections of hiperf in .htrace: rows on the clock of everything else, several of them, damage. */
#include "perf_build.h"

#include <zlib.h>

/* Boottime 1 s, monotonic 3 s: times of samples lose 2 s. Takes the payload over. */
static void put_section(bytes *b, bytes payload)
{
    size_t at = put_header(b, 0, 1, 1 * SECOND, 11 * SECOND);
    set_le(b, at + 84, 3 * SECOND, 8);
    put(b, payload.p, payload.n);
    free(payload.p);
    close_header(b, at);
}

static bytes gzipped(bytes in)
{
    bytes out = {0};
    z_stream z = {0};
    put_zeros(&out, in.n + 1000);
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = in.p;
    z.avail_in = (unsigned)in.n;
    z.next_out = out.p;
    z.avail_out = (unsigned)out.n;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.n = z.total_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
    free(in.p);
    return out;
}

static void assert_first(const run *r)
{
    assert_mem_row(r->sink, perf_sample, 0, "0|1|2000000000|21|500|0|0|3|-");
    assert_mem_row(r->sink, perf_sample, 1, "1|2|2000000010|21|7|1|10|3|Suspend");
    assert_cell(r, stack_sample, 2, ts, 20);
    assert_mem_text(r->sink, source, 1, clock, "boottime");
}

static void test_rows(void **state)
{
    bytes b = {0};
    run r;
    UNUSED(state);
    put_section(&b, first_example());
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, perf_sample, 3);
    assert_first(&r);
    assert_cell(&r, trace_range, 0, start_ts, 0);
    assert_cell(&r, trace_range, 0, end_ts, 20);
    run_free(&r);
}

/* Numbers of stacks, files and events go on. */
static void test_repeated(void **state)
{
    bytes b = {0};
    run r;
    UNUSED(state);
    put_section(&b, first_example());
    put_section(&b, first_example());
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, perf_sample, 6);
    assert_first(&r);
    assert_mem_row(r.sink, perf_sample, 3, "3|3|2000000000|21|500|3|0|3|-");
    assert_mem_row(r.sink, perf_sample, 4, "4|4|2000000010|21|7|4|10|3|Suspend");
    assert_mem_row(r.sink, perf_files, 6, "6|5|0|schedule|[kernel.kallsyms]");
    assert_cell(&r, perf_callchain, 8, callchain_id, 3);
    run_free(&r);
}

static void test_compressed(void **state)
{
    bytes b = {0};
    bytes cut = gzipped(first_example());
    run r;
    UNUSED(state);
    put_section(&b, gzipped(first_example()));
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_first(&r);
    run_free(&r);
    cut.n -= 20;
    b = (bytes){0};
    put_section(&b, cut);
    import_bytes(&r, b);
    assert_int_equal(issues(&r, "perf_compressed"), 1);
    run_free(&r);
}

static void test_blocks(void **state)
{
    bytes b = {0};
    UNUSED(state);
    put_section(&b, first_example());
    put_section(&b, gzipped(second_example()));
    check_blocks(&b, 0);
    free(b.p);
}

static void test_cut_recording(void **state)
{
    bytes b = {0};
    UNUSED(state);
    put_section(&b, first_example());
    for (size_t cut = 1024; cut < b.n; cut += 5) {
        bytes part = {b.p, cut, 0};
        run r;
        import_damaged(&r, &part, 0);
        assert_int_equal(r.code, TS_OK);
        assert_true(MEM_ROWS(r.sink, import_issue) > 0);
        run_free(&r);
    }
    free(b.p);
}

static void test_every_allocation_fails(void **state)
{
    bytes b = {0};
    bool done = false;
    UNUSED(state);
    put_section(&b, gzipped(first_example()));
    for (uint64_t k = 1; !done; k++) {
        test_failing fail = {.fail_at = k, .forever = true};
        ts_allocator allocator;
        run r;
        import_begin(&r);
        allocator = r.ctx->allocator;
        r.ctx->allocator = test_failing_allocator(&fail);
        (void)import_files(&r, &b, 1, 0);
        done = r.code == TS_OK;
        assert_true(done ? k > 50 : r.code == TS_ERR_NOMEM);
        r.ctx->allocator = allocator;
        run_free(&r);
    }
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),          cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_compressed),    cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_recording), cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

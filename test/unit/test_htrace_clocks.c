/* Clock snapshots: from headers, from ftrace segments, late ones; QA-7 and QA-8. */
#include "htrace_build.h"

#include "base/ckd.h"

#define BOOT UINT64_C(981192459193)
#define REAL UINT64_C(1502028131300006447)

/* One ClockDetailMsg as field 6 of an ftrace result. */
static void put_detail(bytes *result, uint32_t id, uint64_t sec, uint64_t nsec)
{
    bytes time = {0};
    bytes detail = {0};
    put_number(&time, 1, sec);
    put_number(&time, 2, nsec);
    put_number(&detail, 1, id);
    put_field(&detail, 2, time.p, time.n);
    put_field(&detail, 3, "\x10\x01", 2);
    put_field(result, 6, detail.p, detail.n);
    free(time.p);
    free(detail.p);
}

/* An ftrace segment whose result has `filler` bytes of events around the clocks. */
static void put_ftrace(bytes *f, const char *name, size_t filler, bool name_last)
{
    bytes result = {0};
    bytes body = {0};
    char *events = calloc(1, filler + 1);
    assert_non_null(events);
    put_field(&result, 2, events, filler);
    put_detail(&result, 1, 981, 192459193);
    put_detail(&result, 2, 1502028131, 300006447);
    put_detail(&result, 4, 980, 5);
    put_detail(&result, 9, 1, 1); /* a clock nobody knows */
    put_field(&result, 2, events, filler);
    if (!name_last) {
        put_text(&body, 1, name);
    }
    put_field(&body, 3, result.p, result.n);
    put_number(&body, 5, 1502028131);
    if (name_last) {
        put_text(&body, 1, name);
    }
    put_raw_segment(f, &body);
    free(result.p);
    free(events);
}

static void check_clocks(const run *r)
{
    const ts_clock_set *set = ts_htrace_clocks(r->h);
    assert_int_equal(set->at[TS_CLOCK_BOOTTIME], BOOT);
    assert_int_equal(set->at[TS_CLOCK_REALTIME], REAL);
    assert_int_equal(set->at[TS_CLOCK_REALTIME_COARSE], 0);
    assert_int_equal(set->at[TS_CLOCK_MONOTONIC], UINT64_C(980000000005));
    assert_int_equal(MEM_ROWS(r->sink, clock_snapshot), 3);
    assert_mem_row(r->sink, clock_snapshot, 0, "0|1|981192459193|boottime");
    assert_mem_row(r->sink, clock_snapshot, 1, "1|2|1502028131300006447|realtime");
    assert_mem_row(r->sink, clock_snapshot, 2, "2|4|980000000005|monotonic");
}

/* The worked example: a segment at 1502028137.301132050 happened at boottime 987193584796. */
static void test_header(void **state)
{
    bytes f = {0};
    run r;
    int64_t ts;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    set_le(&f, 84, 5, 8);
    put_segment(&f, "a", "x", 1502028137, 301132050);
    close_header(&f, 0);
    run_file(&r, &f, true);
    assert_int_equal(r.reads, 0);
    assert_true(ts_clock_convert(&ts, ts_htrace_clocks(r.h), TS_CLOCK_REALTIME, TS_CLOCK_BOOTTIME,
                                 INT64_C(1502028137301132050)));
    assert_int_equal(ts, INT64_C(987193584796));
    assert_int_equal(MEM_ROWS(r.sink, clock_snapshot), 3);
    assert_mem_row(r.sink, clock_snapshot, 2, "2|4|5|monotonic");
    assert_int_equal(MEM_ROWS(r.sink, import_issue), 0);
    assert_string_equal(property(&r, "clock_snapshot"), "header");
    run_free(&r);
    free(f.p);
}

/* Eight bytes were taken out of the clocks: those behind stand in the places of others, and no
 * segment begins after the header. */
static void test_header_out_of_step(void **state)
{
    bytes f = {0};
    run r;
    int64_t ts;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    set_le(&f, 76, REAL - 4000000, 8);
    set_le(&f, 84, 5, 8);
    put_segment(&f, "a", "x", 1502028137, 301132050);
    put_segment(&f, "a", "y", 1502028138, 0);
    close_header(&f, 0);
    memmove(f.p + 68, f.p + 76, f.n - 76);
    f.n -= 8;
    run_file(&r, &f, true);
    assert_true(ts_htrace_clocks(r.h)->doubted);
    assert_true(ts_clock_convert(&ts, ts_htrace_clocks(r.h), TS_CLOCK_REALTIME, TS_CLOCK_BOOTTIME,
                                 INT64_C(1502028137301132050)));
    assert_int_equal(ts, TS_NO_TIME);
    assert_true(MEM_ROWS(r.sink, clock_snapshot) > 0);
    for (size_t i = 0; i < MEM_ROWS(r.sink, clock_snapshot); i++) {
        assert_true(MEM_NULL(r.sink, clock_snapshot, i, ts));
    }
    assert_true(MEM_NULL(r.sink, source, 0, start_ts));
    assert_int_equal(issues(&r, "values_doubted"), 1);
    run_free(&r);
    free(f.p);
}

/* The same in a later section, whose header is the first one with clocks. */
static void test_later_header_out_of_step(void **state)
{
    (void)state;
    for (int seekable = 0; seekable < 2; seekable++) {
        bytes f = {0};
        run r;
        put_header(&f, 0, 0, 0, 77);
        close_header(&f, 0);
        size_t at = put_header(&f, 0, 0, BOOT, REAL);
        put(&f, "no segment", 10);
        put_segment(&f, "a", "x", 1502028137, 301132050);
        close_header(&f, at);
        run_file(&r, &f, seekable == 1);
        assert_true(ts_htrace_clocks(r.h)->doubted);
        assert_int_equal(issues(&r, "values_doubted"), 1);
        assert_int_equal(issue_offset(&r, "values_doubted"), at);
        assert_int_equal(MEM_ROWS(r.sink, clock_snapshot), 2);
        assert_true(MEM_NULL(r.sink, clock_snapshot, 0, ts));
        assert_true(MEM_NULL(r.sink, clock_snapshot, 1, ts));
        run_free(&r);
        free(f.p);
    }
}

/* The first header with a boottime counts; the clocks of later ones are not looked at. */
static void test_headers(void **state)
{
    bytes f = {0};
    run r;
    size_t at;
    (void)state;
    put_header(&f, 0, 0, 0, 77); /* no boottime: no clocks */
    put_segment(&f, "a", "x", 1, 0);
    close_header(&f, 0);
    at = put_header(&f, 0, 0, BOOT, REAL);
    close_header(&f, at);
    at = put_header(&f, 0, 0, 5, 6);
    close_header(&f, at);
    run_file(&r, &f, true);
    assert_int_equal(MEM_ROWS(r.sink, clock_snapshot), 2);
    assert_mem_row(r.sink, clock_snapshot, 0, "0|1|981192459193|boottime");
    assert_int_equal(issues(&r, "late_clock_snapshot"), 0);
    run_free(&r);
    /* A pipe: rows may have been written with times as they were. */
    run_file(&r, &f, false);
    assert_int_equal(MEM_ROWS(r.sink, clock_snapshot), 2);
    assert_int_equal(issues(&r, "late_clock_snapshot"), 1);
    run_free(&r);
    free(f.p);
}

/* QA-7 */
static void test_no_clocks(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, 0, 0);
    put_segment(&f, "a", "x", 1, 2);
    put_segment(&f, "ftrace-plugin", "no protobuf \xff\xff", 1, 2);
    close_header(&f, 0);
    for (int seekable = 0; seekable < 2; seekable++) {
        run_file(&r, &f, seekable == 1);
        assert_log(&r, "a@1024 ts=1000000002 n=1 x\n");
        assert_int_equal(MEM_ROWS(r.sink, clock_snapshot), 0);
        assert_int_equal(issues(&r, "no_clock_snapshot"), 1);
        for (size_t i = 0; i < TS_CLOCK_COUNT; i++) {
            assert_int_equal(ts_htrace_clocks(r.h)->at[i], 0);
        }
        run_free(&r);
    }
    free(f.p);
}

/* QA-8 */
static void test_one_clock(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, 0);
    put_segment(&f, "a", "x", 1, 2);
    close_header(&f, 0);
    run_file(&r, &f, true);
    assert_int_equal(MEM_ROWS(r.sink, clock_snapshot), 1);
    assert_mem_row(r.sink, clock_snapshot, 0, "0|1|981192459193|boottime");
    assert_int_equal(issues(&r, "one_clock_only"), 1);
    assert_int_equal(issues(&r, "no_clock_snapshot"), 0);
    run_free(&r);
    free(f.p);
}

static void test_ftrace_first(void **state)
{
    static const char *const names[] = {"ftrace-plugin", "/data/local/tmp/libftrace_plugin.z.so"};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        bytes f = {0};
        run r;
        put_header(&f, 0, 0, 0, 0);
        put_ftrace(&f, names[i / 2], 50, i % 2 == 1);
        put_segment(&f, "a", "x", 1, 2);
        close_header(&f, 0);
        for (int seekable = 0; seekable < 2; seekable++) {
            run_file(&r, &f, seekable == 1);
            check_clocks(&r);
            assert_int_equal(issues(&r, "late_clock_snapshot"), 0);
            assert_int_equal(SKIPPED(&r, "plugin_segments:ftrace-plugin"), 1);
            run_free(&r);
        }
        free(f.p);
    }
}

/* Without memory for one of the readings there is an error, and never a snapshot without it. */
static void test_clocks_without_memory(void **state)
{
    bytes f = {0};
    bool failed = true;
    (void)state;
    put_header(&f, 0, 0, 0, 0);
    put_ftrace(&f, "ftrace-plugin", 50, false);
    put_segment(&f, "a", "x", 1, 2);
    close_header(&f, 0);
    for (uint64_t k = 1; failed; k++) {
        run r;
        test_failing fail = {.fail_at = k};
        run_begin(&r, &f, 0);
        ts_allocator own = r.ctx->allocator;
        r.ctx->allocator = test_failing_allocator(&fail);
        run_feed(&r, f.p, f.n, f.n);
        if (r.code == TS_OK) {
            r.code = ts_htrace_finish(r.h);
        }
        r.ctx->allocator = own;
        failed = fail.calls >= k;
        assert_int_equal(r.code, failed ? TS_ERR_NOMEM : TS_OK);
        if (!failed) {
            assert_true(k > 3);
            check_clocks(&r);
        }
        run_free(&r);
    }
    free(f.p);
}

/* Late: found in time when the input can be read ahead, else too late. */
static void test_ftrace_late(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, 0, 0);
    put_segment(&f, "a", "x", 1, 2);
    put_segment(&f, "hilog-plugin", "\x32\x02\x08\x01", 1, 2); /* no ftrace: not looked at */
    put_ftrace(&f, "ftrace-plugin", 50, false);
    put_segment(&f, "a", "y", 1, 2);
    close_header(&f, 0);
    run_begin(&r, &f, 0);
    assert_ok(r.ctx, ts_htrace_feed(r.h, f.p, 1024));
    assert_int_equal(ts_htrace_clocks(r.h)->at[TS_CLOCK_BOOTTIME], BOOT); /* before any segment */
    assert_ok(r.ctx, ts_htrace_feed(r.h, f.p + 1024, f.n - 1024));
    run_end(&r);
    check_clocks(&r);
    assert_int_equal(issues(&r, "late_clock_snapshot"), 0);
    run_free(&r);
    run_file(&r, &f, false);
    check_clocks(&r);
    assert_int_equal(issues(&r, "late_clock_snapshot"), 1);
    run_free(&r);
    free(f.p);
}

/* Reading ahead passes over what is large: it reads little of a long recording. */
static void test_scan_reads_little(void **state)
{
    bytes f = {0};
    bytes body = {0};
    char *big = calloc(1, 3000000);
    run r;
    (void)state;
    assert_non_null(big);
    put_header(&f, 0, 0, 0, 0);
    for (int i = 0; i < 4; i++) {
        put_text(&body, 1, "arkts-plugin");
        put_field(&body, 3, big, 3000000);
        put_raw_segment(&f, &body);
    }
    put_ftrace(&f, "ftrace-plugin", 3000000, false);
    put_ftrace(&f, "ftrace-plugin", 3000000, false);
    close_header(&f, 0);
    run_begin(&r, &f, 0);
    run_feed(&r, f.p, f.n, 1 << 18);
    assert_true(r.read_bytes < 20 * 4096);
    run_end(&r);
    check_clocks(&r);
    check_run(&r, f.n);
    run_free(&r);
    /* Clocks between 3 MB of events each, through a pipe, in small blocks. */
    run_begin(&r, NULL, 1000);
    run_feed(&r, f.p, f.n, 70001);
    run_end(&r);
    check_clocks(&r);
    run_free(&r);
    free(big);
    free(f.p);
}

/* Readings that are damaged do not count, the others do. */
static void test_damaged_readings(void **state)
{
    bytes f = {0};
    bytes result = {0};
    bytes body = {0};
    char big[300] = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, 0, 0);
    put_field(&result, 6, "\x08\x01\x12\x7f", 4); /* a length beyond its end */
    put_field(&result, 6, "", 0);
    put_field(&result, 6, "\x08\x02", 2); /* no time */
    put_field(&result, 6, big, sizeof big);
    put_number(&result, 6, 7);
    put_detail(&result, 0, 1, 1);
    put_detail(&result, 7, 1, 1);
    put_detail(&result, UINT32_MAX, 1, 1);
    put_detail(&result, 5, UINT64_MAX, 1); /* later than any clock shows */
    put_detail(&result, 3, 1, 1000000001);
    put(&result, "\x0b", 1);
    put_text(&body, 1, "ftrace-plugin");
    put_field(&body, 3, result.p, result.n);
    put_raw_segment(&f, &body);
    put_segment(&f, "a", "x", 1, 2);
    close_header(&f, 0);
    for (int seekable = 0; seekable < 2; seekable++) {
        run_file(&r, &f, seekable == 1);
        assert_int_equal(MEM_ROWS(r.sink, clock_snapshot), 1);
        assert_mem_row(r.sink, clock_snapshot, 0, "0|3|2000000001|realtime_corse");
        run_free(&r);
    }
    free(result.p);
    free(f.p);
}

/* -D: clocks stay; a later file brings them when none were known. */
static void test_next_file(void **state)
{
    bytes f = {0};
    bytes g = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "x", 1, 2);
    close_header(&f, 0);
    put_header(&g, 0, 0, 5, 6);
    put_segment(&g, "a", "y", 1, 2);
    close_header(&g, 0);
    run_begin(&r, NULL, 0);
    run_feed(&r, f.p, f.n, 10);
    assert_ok(r.ctx, ts_htrace_next_file(r.h));
    run_feed(&r, g.p, g.n, 10);
    run_end(&r);
    assert_int_equal(ts_htrace_clocks(r.h)->at[TS_CLOCK_BOOTTIME], BOOT);
    assert_int_equal(MEM_ROWS(r.sink, import_issue), 0);
    run_free(&r);
    set_le(&f, 60, 0, 8);
    run_begin(&r, NULL, 0);
    run_feed(&r, f.p, f.n, 10);
    assert_ok(r.ctx, ts_htrace_next_file(r.h));
    run_feed(&r, g.p, g.n, 10);
    run_end(&r);
    assert_int_equal(ts_htrace_clocks(r.h)->at[TS_CLOCK_BOOTTIME], 5);
    assert_int_equal(issues(&r, "late_clock_snapshot"), 1);
    run_free(&r);
    free(f.p);
    free(g.p);
}

/* Start and end of the source, once rows have times in its clock. */
static void test_source_times(void **state)
{
    bytes f = {0};
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    set_le(&f, 244, 1000, 8);
    put_segment(&f, "a", "x", 1, 2);
    close_header(&f, 0);
    for (int with_rows = 0; with_rows < 2; with_rows++) {
        run r;
        run_begin(&r, NULL, 0);
        run_feed(&r, f.p, f.n, f.n);
        if (with_rows == 1) {
            ts_range_note(r.store, TS_CLOCK_BOOTTIME, TS_RANGE_ROWS, 5);
        }
        run_end(&r);
        assert_int_equal(MEM_NULL(r.sink, source, 0, start_ts), with_rows == 0);
        assert_int_equal(MEM_NULL(r.sink, source, 0, clock), with_rows == 0);
        if (with_rows == 1) {
            assert_int_equal(MEM_INT(r.sink, source, 0, start_ts), BOOT);
            assert_int_equal(MEM_INT(r.sink, source, 0, end_ts), BOOT + 1000);
            assert_mem_text(r.sink, source, 0, clock, "boottime");
        }
        assert_int_equal(MEM_ROWS(r.sink, import_issue), 0);
        run_free(&r);
    }
    free(f.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_header_out_of_step),
        cmocka_unit_test(test_later_header_out_of_step),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_no_clocks),
        cmocka_unit_test(test_one_clock),
        cmocka_unit_test(test_ftrace_first),
        cmocka_unit_test(test_ftrace_late),
        cmocka_unit_test(test_scan_reads_little),
        cmocka_unit_test(test_damaged_readings),
        cmocka_unit_test(test_next_file),
        cmocka_unit_test(test_source_times),
        cmocka_unit_test(test_clocks_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

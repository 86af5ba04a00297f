/* Clocks, trace_range, meta, stat, dictionary and the other rows of every database. */
#include "memsink.h"
#include "support.h"

#include "base/ckd.h"
#include "tables/store.h"

typedef struct bench {
    ts_ctx *ctx;
    memsink *mem;
    ts_store *store;
} bench;

static void open_store(bench *b, const ts_store_options *options)
{
    b->ctx = test_ctx_new();
    b->mem = memsink_new(b->ctx);
    assert_ok(b->ctx, ts_store_new(&b->store, b->ctx, memsink_sink(b->mem), options));
}

static void close_store(bench *b)
{
    ts_store_free(b->store);
    memsink_free(b->mem);
    test_ctx_free(b->ctx);
}

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    open_store(b, NULL);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    close_store(*state);
    free(*state);
    return 0;
}

static void finish(bench *b)
{
    assert_ok(b->ctx, ts_store_finish(b->store));
}

/* --- rows of an empty database ------------------------------------------------------------- */

static void an_empty_database_has_its_fixed_rows(void **state)
{
    bench *b = *state;
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, process), 1);
    assert_mem_row(b->mem, process, 0, "0|0|0|swapper|NULL|0|0|0|0");
    assert_int_equal(MEM_ROWS(b->mem, thread), 1);
    assert_mem_row(b->mem, thread, 0, "0|0|0|swapper|NULL|NULL|0|1|0");
    assert_mem_row(b->mem, process_detail, 0, "0|NULL|NULL|NULL|NULL|1");
    assert_mem_row(b->mem, thread_detail, 0, "0|NULL|os|NULL|NULL|NULL|NULL");
    assert_int_equal(MEM_ROWS(b->mem, device_info), 1);
    assert_mem_row(b->mem, device_info, 0, "NULL|NULL|NULL");
    assert_int_equal(MEM_ROWS(b->mem, data_dict), 1);
    assert_mem_row(b->mem, data_dict, 0, "0|");
    assert_int_equal(MEM_ROWS(b->mem, data_type), 4);
    assert_mem_row(b->mem, data_type, 0, "0|0|int32_t");
    assert_mem_row(b->mem, data_type, 1, "1|1|string");
    assert_mem_row(b->mem, data_type, 2, "2|2|double");
    assert_mem_row(b->mem, data_type, 3, "3|3|boolean");
    assert_int_equal(MEM_ROWS(b->mem, trace_range), 1);
    assert_mem_row(b->mem, trace_range, 0, "0|1");
    assert_int_equal(MEM_ROWS(b->mem, clock_snapshot), 0);
    assert_int_equal(MEM_ROWS(b->mem, datasource_clockid), 0);
    assert_int_equal(MEM_ROWS(b->mem, trace_config), 0);
    assert_int_equal(MEM_ROWS(b->mem, source), 0);
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 0);
}

static void stat_has_five_rows_for_each_of_98_events(void **state)
{
    bench *b = *state;
    assert_ok(b->ctx, ts_stat(b->store, "trace_js_memory", "received", 3));
    assert_ok(b->ctx, ts_stat(b->store, "trace_js_memory", "received", 1));
    assert_ok(b->ctx, ts_stat(b->store, "other", "invalid_data", UINT64_MAX));
    assert_ok(b->ctx, ts_stat(b->store, "other", "invalid_data", 1));
    assert_int_equal(ts_stat(b->store, "trace_js", "received", 1), TS_ERR_INTERNAL);
    assert_int_equal(ts_stat(b->store, "other", "lost", 1), TS_ERR_INTERNAL);
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, stat), 490);
    assert_mem_row(b->mem, stat, 0, "binder_transaction|received|0|info|trace");
    assert_mem_row(b->mem, stat, 1, "binder_transaction|data_lost|0|error|trace");
    assert_mem_row(b->mem, stat, 2, "binder_transaction|not_match|0|info|trace");
    assert_mem_row(b->mem, stat, 3, "binder_transaction|not_supported|0|warn|trace");
    assert_mem_row(b->mem, stat, 4, "binder_transaction|invalid_data|0|error|trace");
    assert_mem_text(b->mem, stat, 6 * 5, event_name, "sched_switch");
    assert_mem_text(b->mem, stat, 50 * 5, event_name, "trace_bblock_bio_queue");
    assert_mem_row(b->mem, stat, 75 * 5, "trace_js_memory|received|4|info|trace");
    assert_mem_row(b->mem, stat, 489, "other|invalid_data|9223372036854775807|error|trace");
}

/* --- meta ---------------------------------------------------------------------------------- */

static void meta_has_nine_rows_in_order(void **state)
{
    static const char *const names[] = {"datasize",          "parse_tool",     "tool_version",
                                        "tool_publish_time", "source_name",    "output_name",
                                        "runtime",           "trace_duration", "source_type"};
    bench *b = *state;
    ts_meta_add_bytes(b->store, 1000);
    ts_meta_add_bytes(b->store, 24);
    assert_ok(b->ctx, ts_meta_source(b->store, NULL, NULL));
    assert_ok(b->ctx, ts_meta_source(b->store, "a\xff.htrace", "proto-based-trace"));
    assert_ok(b->ctx, ts_meta_source(b->store, "b.htrace", "other"));
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_MARKS, 1000);
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_MARKS, INT64_C(12999999999));
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, meta), 9);
    for (size_t i = 0; i < 9; i++) {
        assert_mem_text(b->mem, meta, i, name, names[i]);
    }
    assert_mem_text(b->mem, meta, 0, value, "1024");
    assert_mem_text(b->mem, meta, 1, value, "trace_streamer");
    assert_true(MEM_TEXT(b->mem, meta, 2, value).n >= 5);
    assert_int_equal(MEM_TEXT(b->mem, meta, 3, value).n, 10);
    assert_mem_text(b->mem, meta, 4, value, "a\xef\xbf\xbd.htrace");
    assert_mem_text(b->mem, meta, 5, value, "");
    assert_mem_text(b->mem, meta, 6, value, "");
    assert_mem_text(b->mem, meta, 7, value, "12 s");
    assert_mem_text(b->mem, meta, 8, value, "proto-based-trace");
}

static void meta_holds_times_and_names_only_when_asked(void **state)
{
    bench b;
    ts_store_options options = {
        .with_times = true, .output_name = "/tmp/out.db", .runtime = "2026-01-02 03:04:05"};
    (void)state;
    open_store(&b, &options);
    finish(&b);
    assert_mem_row(b.mem, meta, 5, "output_name|/tmp/out.db");
    assert_mem_row(b.mem, meta, 6, "runtime|2026-01-02 03:04:05");
    assert_mem_row(b.mem, meta, 4, "source_name|");
    close_store(&b);
    options.with_times = false;
    open_store(&b, &options);
    finish(&b);
    assert_mem_row(b.mem, meta, 5, "output_name|");
    assert_mem_row(b.mem, meta, 6, "runtime|");
    close_store(&b);
    options.no_meta = true;
    open_store(&b, &options);
    finish(&b);
    assert_int_equal(MEM_ROWS(b.mem, meta), 0);
    assert_int_equal(MEM_ROWS(b.mem, stat), 490);
    close_store(&b);
}

static void the_longest_range_has_a_duration(void **state)
{
    bench *b = *state;
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_ROWS, INT64_MIN + 1);
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_ROWS, TS_NO_TIME); /* does not count */
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_ROWS, INT64_MAX);
    finish(b);
    assert_mem_row(b->mem, trace_range, 0, "-9223372036854775807|-9223272036854775808");
    assert_mem_row(b->mem, meta, 7, "trace_duration|99999 s");
}

/* --- clocks -------------------------------------------------------------------------------- */

static void clock_rows_bear_their_known_names(void **state)
{
    bench *b = *state;
    ts_clock_set all = {.at = {0, 11, 22, 33, 44, 55, 66, 0}};
    ts_clock_set later = {.at = {0, 1, 2, 3, 4, 5, 6, 0}};
    assert_ok(b->ctx, ts_clock_snapshot(b->store, &all));
    assert_ok(b->ctx, ts_clock_snapshot(b->store, &later));
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, clock_snapshot), 6);
    assert_mem_row(b->mem, clock_snapshot, 0, "0|1|11|boottime");
    assert_mem_row(b->mem, clock_snapshot, 1, "1|2|22|realtime");
    assert_mem_row(b->mem, clock_snapshot, 2, "2|3|33|realtime_corse");
    assert_mem_row(b->mem, clock_snapshot, 3, "3|4|44|monotonic");
    assert_mem_row(b->mem, clock_snapshot, 4, "4|5|55|monotonic-coarse");
    assert_mem_row(b->mem, clock_snapshot, 5, "5|6|66|monotonic-raw");
}

static void clocks_that_were_not_read_have_no_row(void **state)
{
    bench *b = *state;
    ts_clock_set none = {.at = {0}};
    ts_clock_set one = {.at = {0, 0, 0, 0, 44, 0, 0, 0}};
    assert_ok(b->ctx, ts_clock_snapshot(b->store, &none));
    assert_ok(b->ctx, ts_clock_snapshot(b->store, &one));
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, clock_snapshot), 1);
    assert_mem_row(b->mem, clock_snapshot, 0, "0|4|44|monotonic");
}

static void times_convert_by_the_offset_of_the_snapshot(void **state)
{
    ts_clock_set set = {.at = {0}};
    int64_t ts;
    (void)state;
    set.at[TS_CLOCK_BOOTTIME] = UINT64_C(981192459193);
    set.at[TS_CLOCK_REALTIME] = UINT64_C(1502028131300006447);
    assert_true(ts_clock_convert(&ts, &set, TS_CLOCK_REALTIME, TS_CLOCK_BOOTTIME,
                                 INT64_C(1502028137301132050)));
    assert_true(ts == INT64_C(987193584796));
    assert_true(ts_clock_convert(&ts, &set, TS_CLOCK_BOOTTIME, TS_CLOCK_REALTIME, ts));
    assert_true(ts == INT64_C(1502028137301132050));
    assert_false(ts_clock_convert(&ts, &set, TS_CLOCK_MONOTONIC, TS_CLOCK_BOOTTIME, 77));
    assert_int_equal(ts, 77);
    assert_true(ts_clock_convert(&ts, &set, TS_CLOCK_MONOTONIC, TS_CLOCK_MONOTONIC, 78));
    assert_int_equal(ts, 78);
    assert_false(ts_clock_convert(&ts, &set, TS_CLOCK_RELATIVE, TS_CLOCK_BOOTTIME, 79));
}

static void conversion_does_not_overflow(void **state)
{
    ts_clock_set set = {.at = {0, 1, UINT64_MAX, 0, 0, 0, 0, 0}};
    int64_t ts;
    (void)state;
    /* No clock shows more than 64 bits, and what does not fit is no time. */
    assert_true(ts_clock_convert(&ts, &set, TS_CLOCK_BOOTTIME, TS_CLOCK_REALTIME, 5));
    assert_true(ts == TS_NO_TIME);
    set.at[TS_CLOCK_REALTIME] = INT64_MAX;
    assert_true(ts_clock_convert(&ts, &set, TS_CLOCK_BOOTTIME, TS_CLOCK_REALTIME, 1));
    assert_true(ts == INT64_MAX);
    assert_true(ts_clock_convert(&ts, &set, TS_CLOCK_BOOTTIME, TS_CLOCK_REALTIME, 2));
    assert_true(ts == TS_NO_TIME);
    assert_true(ts_clock_convert(&ts, &set, TS_CLOCK_REALTIME, TS_CLOCK_BOOTTIME, -100));
    assert_true(ts == TS_NO_TIME);
}

static void clock_names(void **state)
{
    (void)state;
    assert_string_equal(ts_clock_name(TS_CLOCK_UNKNOWN), "unknown");
    assert_string_equal(ts_clock_name(TS_CLOCK_BOOTTIME), "boottime");
    assert_string_equal(ts_clock_name(TS_CLOCK_REALTIME), "realtime");
    assert_string_equal(ts_clock_name(TS_CLOCK_REALTIME_COARSE), "realtime_coarse");
    assert_string_equal(ts_clock_name(TS_CLOCK_MONOTONIC), "monotonic");
    assert_string_equal(ts_clock_name(TS_CLOCK_MONOTONIC_COARSE), "monotonic_coarse");
    assert_string_equal(ts_clock_name(TS_CLOCK_MONOTONIC_RAW), "monotonic_raw");
    assert_string_equal(ts_clock_name(TS_CLOCK_RELATIVE), "relative");
}

static int64_t source_with_clock(bench *b, int64_t parent, const char *clock, int64_t start)
{
    int64_t id = 0;
    ts_row_source *row;
    assert_ok(b->ctx, ts_source_add(&id, b->store, parent, "x", "y", NULL));
    row = ts_source(b->store, id);
    assert_ok(b->ctx, ts_source_text(b->store, id, &row->clock, clock, strlen(clock)));
    if (start >= 0) {
        row->start_ts = start;
        row->null &= ~TS_NULL_BIT(source, start_ts);
    }
    return id;
}

static void sources_in_another_clock_are_an_issue(void **state)
{
    bench *b = *state;
    int64_t first = source_with_clock(b, 0, "boottime", 5);
    int64_t file = source_with_clock(b, 0, "realtime", 6);
    source_with_clock(b, file, "realtime", 7); /* said of its parent */
    source_with_clock(b, first, "monotonic", 8);
    source_with_clock(b, first, "monotonic", -1); /* has no times */
    source_with_clock(b, first, "boottime", 9);
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_ROWS, 5);
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 2);
    assert_mem_row(b->mem, import_issue, 0,
                   "2|warning|clock_not_related|NULL|NULL|1|times are in the clock realtime, the "
                   "trace clock is boottime");
    assert_int_equal(MEM_INT(b->mem, import_issue, 1, source_id), 4);
}

/* --- trace_range --------------------------------------------------------------------------- */

/* Two inputs, the second with more rows, 100 000 s apart less `less`; a log line is a row. */
static void put_far(bench *b, int64_t less)
{
    static const int64_t begins[] = {1000, INT64_C(100000000000000)};
    for (size_t i = 0; i < 2; i++) {
        int64_t id = 0;
        assert_ok(b->ctx, ts_source_add(&id, b->store, 0, "input", i == 0 ? "a/x" : "y", NULL));
        for (size_t n = 0; n <= i; n++) {
            ts_row_log row = {.seq = 1};
            assert_ok(b->ctx, ts_put_log(ts_store_sink(b->store), &row));
        }
        ts_range_note(b->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, begins[i]);
        ts_range_note(b->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, begins[i] + 1000 - less);
    }
}

/* Viewers have marks for less than 100 000 s. */
static void a_long_range_is_that_of_one_input(void **state)
{
    bench *b = *state;
    put_far(b, 1);
    finish(b);
    assert_mem_row(b->mem, trace_range, 0, "1000|100000000000999");
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 0);
    close_store(b);
    open_store(b, NULL);
    put_far(b, 0);
    finish(b);
    assert_mem_row(b->mem, trace_range, 0, "100000000000000|100000000001000");
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 1);
    assert_mem_row(b->mem, import_issue, 0,
                   "1|warning|outside_of_range|NULL|NULL|1|times from 1000 to 2000 are not all in "
                   "trace_range, which viewers show");
}

static void the_viewer_may_choose_an_input(void **state)
{
    static const char *const names[] = {"1", "x", "a/x"};
    bench *b = *state;
    for (size_t i = 0; i < 3; i++) {
        close_store(b);
        open_store(b, &(ts_store_options){.viewer_source = names[i]});
        put_far(b, 1);
        finish(b);
        assert_mem_row(b->mem, trace_range, 0, "1000|1999");
        assert_int_equal(MEM_INT(b->mem, import_issue, 0, source_id), 2);
    }
    close_store(b);
    open_store(b, &(ts_store_options){.viewer_source = "*"});
    put_far(b, 0);
    finish(b); /* both, together too long */
    assert_mem_row(b->mem, trace_range, 0, "1000|100000000000999");
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 1);
    close_store(b);
    open_store(b, &(ts_store_options){.viewer_source = "/x"});
    put_far(b, 1);
    assert_int_equal(ts_store_finish(b->store), TS_ERR_USAGE);
}

static void a_longer_input_is_cut(void **state)
{
    bench *b = *state;
    int64_t id = 0;
    assert_ok(b->ctx, ts_source_add(&id, b->store, 0, "input", "x", NULL));
    ts_range_note(b->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, -5);
    ts_range_note(b->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, INT64_MAX);
    finish(b);
    assert_mem_row(b->mem, trace_range, 0, "-5|99999999999994");
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 1);
}

static void range_spans_all_times_of_the_trace_clock(void **state)
{
    bench *b = *state;
    assert_int_equal(ts_trace_clock(b->store), TS_CLOCK_UNKNOWN);
    ts_range_note(b->store, TS_CLOCK_REALTIME, TS_RANGE_MARKS, 1);
    assert_int_equal(ts_trace_clock(b->store), TS_CLOCK_REALTIME);
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_MARKS, 500);
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_ROWS, 300);
    assert_int_equal(ts_trace_clock(b->store), TS_CLOCK_BOOTTIME);
    ts_range_note(b->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, 9000);
    ts_range_note(b->store, TS_CLOCK_UNKNOWN, TS_RANGE_ROWS, 9999);
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_ROWS, 400);
    assert_int_equal(ts_trace_clock(b->store), TS_CLOCK_BOOTTIME);
    finish(b);
    assert_mem_row(b->mem, trace_range, 0, "300|500");
}

static void one_time_gives_a_range_around_it(void **state)
{
    bench *b = *state;
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_MARKS, 42);
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_MARKS, 42);
    finish(b);
    assert_mem_row(b->mem, trace_range, 0, "41|43");
}

static void ranges_at_the_ends_saturate(void **state)
{
    bench *b = *state;
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_MARKS, INT64_MAX);
    finish(b);
    assert_mem_row(b->mem, trace_range, 0, "9223372036854775806|9223372036854775807");
}

static void relative_ranges_begin_at_zero(void **state)
{
    bench *b = *state;
    ts_range_note(b->store, TS_CLOCK_RELATIVE, TS_RANGE_ROWS, 100);
    ts_range_note(b->store, TS_CLOCK_RELATIVE, TS_RANGE_ROWS, 2000);
    finish(b);
    assert_mem_row(b->mem, trace_range, 0, "0|2000");
}

static void an_empty_relative_range_is_one_long(void **state)
{
    bench *b = *state;
    ts_range_note(b->store, TS_CLOCK_RELATIVE, TS_RANGE_ROWS, 0);
    finish(b);
    assert_mem_row(b->mem, trace_range, 0, "0|1");
}

/* --- dictionary and configuration ---------------------------------------------------------- */

static void equal_texts_share_an_id(void **state)
{
    bench *b = *state;
    int64_t ids[5];
    assert_ok(b->ctx, ts_dict(&ids[0], b->store, TS_TEXT_LIT("anonymous")));
    assert_ok(b->ctx, ts_dict(&ids[1], b->store, TS_TEXT_LIT("")));
    assert_ok(b->ctx, ts_dict(&ids[2], b->store, TS_TEXT_LIT("say \"hi\" \n")));
    assert_ok(b->ctx, ts_dict(&ids[3], b->store, TS_TEXT_LIT("anonymous")));
    assert_ok(b->ctx, ts_dict(&ids[4], b->store, TS_TEXT_NULL));
    assert_int_equal(ids[0], 1);
    assert_int_equal(ids[1], 0);
    assert_int_equal(ids[2], 2);
    assert_int_equal(ids[3], 1);
    assert_int_equal(ids[4], 0);
    assert_int_equal(MEM_ROWS(b->mem, data_dict), 3);
    assert_mem_row(b->mem, data_dict, 1, "1|anonymous");
    assert_mem_row(b->mem, data_dict, 2, "2|say \"hi\" \\x0a");
}

static void clock_sources_stand_in_their_fixed_order(void **state)
{
    bench *b = *state;
    assert_ok(b->ctx, ts_datasource_clock(b->store, "new-plugin", TS_CLOCK_MONOTONIC));
    assert_ok(b->ctx, ts_datasource_clock(b->store, "arkts-plugin", TS_CLOCK_REALTIME));
    assert_ok(b->ctx, ts_datasource_clock(b->store, "ftrace-plugin", TS_CLOCK_BOOTTIME));
    assert_ok(b->ctx, ts_datasource_clock(b->store, "arkts-plugin", TS_CLOCK_BOOTTIME));
    assert_ok(b->ctx, ts_datasource_clock(b->store, "new-plugin", TS_CLOCK_BOOTTIME));
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, datasource_clockid), 3);
    assert_mem_row(b->mem, datasource_clockid, 0, "0|ftrace-plugin|1");
    assert_mem_row(b->mem, datasource_clockid, 1, "1|arkts-plugin|2");
    assert_mem_row(b->mem, datasource_clockid, 2, "2|new-plugin|4");
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_empty_database_has_its_fixed_rows),
        T(stat_has_five_rows_for_each_of_98_events),
        T(meta_has_nine_rows_in_order),
        cmocka_unit_test(meta_holds_times_and_names_only_when_asked),
        T(the_longest_range_has_a_duration),
        T(clock_rows_bear_their_known_names),
        T(clocks_that_were_not_read_have_no_row),
        cmocka_unit_test(times_convert_by_the_offset_of_the_snapshot),
        cmocka_unit_test(conversion_does_not_overflow),
        cmocka_unit_test(clock_names),
        T(sources_in_another_clock_are_an_issue),
        T(a_long_range_is_that_of_one_input),
        T(the_viewer_may_choose_an_input),
        T(a_longer_input_is_cut),
        T(range_spans_all_times_of_the_trace_clock),
        T(one_time_gives_a_range_around_it),
        T(ranges_at_the_ends_saturate),
        T(relative_ranges_begin_at_zero),
        T(an_empty_relative_range_is_one_long),
        T(equal_texts_share_an_id),
        T(clock_sources_stand_in_their_fixed_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

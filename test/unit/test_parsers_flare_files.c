/* Sample directories of Flare without damage: the worked examples, all layouts, parts of the time,
 * several directories. */
#include "flare_build.h"

static void check_samples(const run *r, const char *const *rows, size_t n)
{
    assert_rows(r, stack_sample, n);
    for (size_t i = 0; i < n; i++) {
        assert_mem_row(r->sink, stack_sample, i, rows[i]);
    }
}

/* --- the worked example ----------------------------------------------------------------------- */

static const int64_t shares[] = {60000000, 60000000, 60000000, 10250000, 10250000, 0};

static void test_mini(void **state)
{
    static const char *const rows[] = {
        "1|1|1|1567669466207000000|21000000|2|wall",  "2|1|1|1567669466228000000|18000000|3|wall",
        "3|1|1|1567669466246000000|191000000|3|wall", "4|1|1|1567669466437000000|21000000|3|wall",
        "5|1|1|1567669466458000000|204000000|2|wall", "6|1|1|1567669466662000000|0|4|wall",
    };
    run r;
    UNUSED(state);
    import_made(&r, mini());
    check_samples(&r, rows, 6);
    assert_rows(&r, stack_method, 4);
    assert_mem_row(r.sink, stack_method, 0,
                   "1|1|547216200|run|java.lang.Thread|NULL|NULL|NULL|NULL|NULL|NULL");
    assert_mem_row(r.sink, stack_method, 3,
                   "4|1|547216299|547216299|NULL|NULL|NULL|NULL|NULL|NULL|NULL");
    assert_rows(&r, stack_node, 4);
    assert_mem_row(r.sink, stack_node, 0, "1|1|NULL|1|NULL|0|NULL");
    assert_mem_row(r.sink, stack_node, 3, "4|1|2|4|NULL|2|NULL");
    assert_mem_row(r.sink, stack_value_type, 0, "1|1|cpu|ns");
    assert_rows(&r, stack_sample_value, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_cell(&r, stack_sample_value, i, sample_id, (int64_t)i + 1);
        assert_cell(&r, stack_sample_value, i, value, shares[i]);
    }
    assert_mem_row(r.sink, flare_stack, 3, "4|11|1180000000|180000000|4|NULL");
    assert_mem_row(r.sink, timeseries, 0, "1|1|1|cpu_time|µs|20000000");
    assert_rows(&r, timeseries_value, 2);
    assert_cell(&r, timeseries_value, 0, ts, (T0 + 220) * MS);
    assert_true(MEM_REAL(r.sink, timeseries_value, 0, value) == 180000.0);
    assert_cell(&r, timeseries_value, 1, ts, 1567669466647 * MS);
    assert_true(MEM_REAL(r.sink, timeseries_value, 1, value) == 20500.0);
    assert_int_equal(issues(&r, "flare_method_missing"), 1);
    assert_int_equal(complaints(&r), 1);
    run_free(&r);
}

static void test_mini_is_described(void **state)
{
    run r;
    UNUSED(state);
    import_made(&r, mini());
    assert_rows(&r, source, 1);
    assert_mem_text(r.sink, source, 0, kind, "sample_directory");
    assert_mem_text(r.sink, source, 0, format, "flare");
    assert_mem_text(r.sink, source, 0, clock, "realtime");
    assert_mem_text(r.sink, source, 0, host, "localhost");
    assert_mem_text(r.sink, source, 0, name, "localhost:3333");
    assert_cell(&r, source, 0, start_ts, T0 * MS);
    assert_cell(&r, source, 0, end_ts, (T0 + 455) * MS);
    assert_cell(&r, source, 0, complete, 0); /* method 547216299 has no name */
    assert_null_cell(&r, source, 0, parent_id);
    assert_string_equal(property(&r, "sample_interval"), "20");
    assert_string_equal(property(&r, "agent_addr"), "localhost:3333");
    assert_string_equal(property(&r, "sample_start_time"), "1567669466000");
    assert_rows(&r, thread, 2);
    assert_mem_text(r.sink, thread, 1, name, "main");
    assert_cell(&r, thread, 1, tid, 132);
    assert_mem_text(r.sink, thread_detail, 1, tid_kind, "java");
    assert_null_cell(&r, thread_detail, 1, priority);
    assert_null_cell(&r, thread_detail, 1, daemon);
    assert_cell(&r, process, 1, pid, 4194305);
    assert_cell(&r, process_detail, 1, pid_known, 0);
    assert_mem_text(r.sink, process, 1, name, "localhost:3333");
    assert_mem_row(r.sink, flare_thread, 0,
                   "1|1|6|1200500000|1567669466662000000|1|1|1567669466207000000|"
                   "1567669466647000000|23|200500");
    assert_int_equal(COUNTED(&r, "stack_records", imported), 6);
    assert_int_equal(COUNTED(&r, "series_slots", imported), 23);
    assert_int_equal(COUNTED(&r, "method_records", imported), 3);
    assert_int_equal(COUNTED(&r, "index_entries", imported), 9);
    assert_int_equal(COUNTED(&r, "bytes", lost), 0);
    assert_mem_row(r.sink, trace_range, 0, "1567669466207000000|1567669466662000000");
    run_free(&r);
}

/* --- layouts ---------------------------------------------------------------------------------- */

#define DOCUMENT                                                                                   \
    "54 53 48 53 00 16 02 02 00 00 01 6d 00 61 b4 5f 00 00 01 6d 00 61 b4 af 00 00 00 04 00 00 "   \
    "05 dc 00 00 4e 20 ff ff"

/* Headers of the first days: text, no padding. H = 102 with these properties. */
static void put_plain_header(bytes *b, bool index, const char *amount)
{
    bytes body = {0};
    put_be(&body, 6, 1);
    put(&body, "first_el_type\0004", 16);
    put(&body, "second_el_type\0004", 17);
    put(&body, "unit_len\0004", 11);
    put(&body, "begin_time\0001567669466200", 25);
    put(&body, "end_time\0001567669466200", 23);
    put(&body, "amount", 7);
    put(&body, amount, strlen(amount) + 1);
    put_str(b, index ? "TIHS" : "TEHS");
    put_be(b, body.n, 2);
    put(b, body.p, body.n);
    put_str(b, index ? "TIDS" : "TEDS");
    free(body.p);
}

static sample early(void)
{
    sample s = {.count = 0};
    put_methods(&s);
    *file_of(&s, "thread_132_cpu_time.fts") = bytes_of_hex(DOCUMENT);
    put_plain_header(file_of(&s, "thread_132_stack.fidx"), true, "2");
    put_plain_header(file_of(&s, "thread_132_stack.fdata"), false, "0");
    put_pair(&s, "thread_132_stack", 0, 4, "*2\r\n:" LOOP "\r\n:" RUN "\r\n", 28);
    put_pair(&s, "thread_132_stack", 2, 4, "*0\r\n", 4);
    return s;
}

static void test_first_days(void **state)
{
    static const char *const rows[] = {"1|1|1|1567669466207000000|40000000|2|wall",
                                       "2|1|1|1567669466247000000|0|NULL|wall"};
    sample s = early();
    run r;
    UNUSED(state);
    assert_int_equal(file_of(&s, "thread_132_cpu_time.fts")->n, 38);
    assert_int_equal(file_of(&s, "thread_132_stack.fidx")->n, 128);
    assert_int_equal(file_of(&s, "thread_132_stack.fdata")->n, 148);
    import_made(&r, s);
    check_samples(&r, rows, 2);
    assert_rows(&r, stack_sample_value, 0);
    assert_mem_row(r.sink, flare_stack, 1, "2|2|NULL|NULL|NULL|NULL");
    assert_rows(&r, timeseries_value, 3);
    assert_cell(&r, timeseries_value, 0, ts, (T0 + 20) * MS);
    assert_true(MEM_REAL(r.sink, timeseries_value, 0, value) == 1500.0);
    assert_true(MEM_REAL(r.sink, timeseries_value, 1, value) == 20000.0);
    assert_cell(&r, timeseries_value, 2, ts, (T0 + 80) * MS);
    assert_true(MEM_REAL(r.sink, timeseries_value, 2, value) == 65535.0);
    assert_int_equal(issue_sum(&r, "flare_value_saturated"), 1);
    assert_int_equal(issue_offset(&r, "flare_value_saturated"), 36);
    assert_int_equal(issues(&r, "flare_summary_missing"), 1);
    assert_mem_text(r.sink, import_issue,
                    memsink_find_text(r.sink, TS_T_import_issue, TS_C_import_issue__code,
                                      "flare_summary_missing"),
                    stream, "summary_info.json");
    assert_cell(&r, source, 0, start_ts, T0 * MS);
    assert_cell(&r, source, 0, end_ts, (T0 + 80) * MS);
    run_free(&r);
}

static void test_document_header_with_magic(void **state)
{
    sample s = early();
    bytes *b = file_of(&s, "thread_132_cpu_time.fts");
    bytes with = {0};
    run r;
    UNUSED(state);
    put(&with, b->p, 28);
    put_str(&with, "TSDS");
    put(&with, b->p + 28, 10);
    free(b->p);
    *b = with;
    import_made(&r, s);
    assert_rows(&r, timeseries_value, 3);
    assert_cell(&r, timeseries_value, 0, ts, (T0 + 20) * MS);
    run_free(&r);
}

/* The values of every type, at their ends. */
static void test_types_of_values(void **state)
{
    static const struct {
        unsigned type;
        int64_t in[3];
        double out[3];
        int64_t negative, saturated;
    } all[] = {
        {1, {-1, -32768, 32767}, {-1, -32768, 32767}, 2, 0},
        {2, {65535, 65535, 32768}, {65535, 65535, 32768}, 0, 2},
        {3, {1, INT32_MIN, INT32_MAX}, {1, -2147483648.0, 2147483647.0}, 1, 0},
        {4, {1, 4294967295, 2147483648}, {1, 4294967295.0, 2147483648.0}, 0, 0},
        {5, {1, -1, INT64_C(1) << 50}, {1, -1, 1125899906842624.0}, 1, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < 5; i++) {
        sample s = {.count = 0};
        run r;
        put_series(&s, "thread_7_cpu_time.fts", all[i].type, 10, T0, all[i].in, 3);
        import_made(&r, s);
        assert_rows(&r, timeseries_value, 3);
        for (size_t k = 0; k < 3; k++) {
            assert_cell(&r, timeseries_value, k, ts, (T0 + 10 * (int64_t)k) * MS);
            assert_true(MEM_REAL(r.sink, timeseries_value, k, value) == all[i].out[k]);
        }
        assert_int_equal(issue_sum(&r, "flare_value_negative"), all[i].negative);
        assert_int_equal(issue_sum(&r, "flare_value_saturated"), all[i].saturated);
        run_free(&r);
    }
}

/* Further fields of the header are passed over. */
static void test_longer_series_header(void **state)
{
    static const int64_t values[] = {5, 0, 6};
    sample s = {.count = 0};
    bytes longer = {0};
    run r;
    UNUSED(state);
    put_series(&s, "thread_7_cpu_time.fts", 3, 10, T0, values, 3);
    bytes *b = file_of(&s, "thread_7_cpu_time.fts");
    put(&longer, b->p, 32);
    put_zeros(&longer, 5);
    put(&longer, b->p + 32, b->n - 32);
    set_be(&longer, 4, 31, 2);
    free(b->p);
    *b = longer;
    import_made(&r, s);
    assert_rows(&r, timeseries_value, 2);
    assert_cell(&r, timeseries_value, 1, ts, (T0 + 20) * MS);
    run_free(&r);
}

/* Volumes are joined in the order of their numbers, 10 after 2. */
static void test_volumes(void **state)
{
    static const int64_t values[] = {7, 8};
    static const char *const names[] = {"thread_7_cpu_time.fts", "thread_7_cpu_time.10.fts",
                                        "thread_7_cpu_time.2.fts"};
    static const int64_t begins[] = {0, 200, 100};
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    for (size_t i = 0; i < 3; i++) {
        put_series(&s, names[i], 3, 10, T0 + begins[i], values, 2);
    }
    import_made(&r, s);
    assert_rows(&r, timeseries, 1);
    assert_rows(&r, timeseries_value, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_cell(&r, timeseries_value, i, series_id, 1);
        assert_cell(&r, timeseries_value, i, ts,
                    (T0 + (int64_t)(i / 2) * 100 + (int64_t)(i % 2) * 10) * MS);
    }
    assert_cell(&r, flare_thread, 0, slot_count, 6);
    assert_cell(&r, flare_thread, 0, series_end_ts, (T0 + 210) * MS);
    run_free(&r);
}

/* A volume whose slots have another length keeps its own times. */
static void test_volume_with_other_slots(void **state)
{
    static const int64_t values[] = {7, 8};
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    put_series(&s, "thread_7_cpu_time.fts", 3, 10, T0, values, 2);
    put_series(&s, "thread_7_cpu_time.1.fts", 3, 50, T0 + 100, values, 2);
    import_made(&r, s);
    assert_rows(&r, timeseries, 1);
    assert_cell(&r, timeseries, 0, interval, 10 * MS);
    assert_rows(&r, timeseries_value, 4);
    assert_cell(&r, timeseries_value, 3, ts, (T0 + 150) * MS);
    assert_int_equal(issues(&r, "flare_series_unit"), 1);
    assert_string_equal(issue_stream(&r, "flare_series_unit"), "thread_7_cpu_time.1.fts");
    run_free(&r);
}

/* Without an index, and with one that has an entry now and then, the rows are the same but for what
 * only the index says. */
static void test_sparse_and_missing_index(void **state)
{
    static const enum ts_table_id tables[] = {TS_T_stack_sample, TS_T_stack_sample_value,
                                              TS_T_flare_stack, TS_T_stack_node};
    sample dense = mini();
    sample sparse = sample_copy(&dense);
    sample none = sample_copy(&dense);
    bytes *b = file_of(&sparse, "thread_132_stack.fidx");
    run r[3];
    UNUSED(state);
    memmove(b->p + 202 + 8, b->p + 202 + 24, 8); /* entries 0 and 3 of 6 */
    b->n = 202 + 16;
    drop_file(&none, "thread_132_stack.fidx");
    import_sample(&r[0], &dense, 0);
    import_sample(&r[1], &sparse, 0);
    import_sample(&r[2], &none, 0);
    assert_same_rows(&r[0], &r[1], tables, 4);
    assert_same_rows(&r[0], &r[2], tables, 4);
    assert_int_equal(complaints(&r[1]), 1); /* the method without a name */
    assert_int_equal(issues(&r[1], "flare_index_short"), 0);
    assert_int_equal(issues(&r[2], "flare_index_missing"), 1);
    for (size_t i = 0; i < 3; i++) {
        run_free(&r[i]);
    }
    sample_free(&dense);
    sample_free(&sparse);
    sample_free(&none);
}

/* --- CPU time --------------------------------------------------------------------------------- */

/* 100 over three records: 33, 33, 34; then -7 over two: -3, -4; the last ones have no increase. */
static void test_shares_sum_up(void **state)
{
    static const int64_t cpu[] = {50, 50, 50, 150, 150, 143, 143};
    static const int64_t expected[] = {33, 33, 34, -3, -4, 0, 0};
    sample s = {.count = 0};
    run r;
    int64_t sum = 0;
    UNUSED(state);
    begin_pair(&s, "thread_1_stack", '4');
    for (unsigned i = 0; i < 7; i++) {
        put_stack(&s, "thread_1_stack", i, cpu[i], 0, T0 + i * 20, i + 1, RUN);
    }
    import_made(&r, s);
    assert_rows(&r, stack_sample_value, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_cell(&r, stack_sample_value, i, sample_id, (int64_t)i + 1);
        assert_cell(&r, stack_sample_value, i, value, expected[i]);
        sum += expected[i];
    }
    assert_int_equal(sum, 143 - 50);
    run_free(&r);
}

/* A record without a reading takes no part. */
static void test_records_without_cpu_time(void **state)
{
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    begin_pair(&s, "thread_1_stack", '4');
    put_stack(&s, "thread_1_stack", 0, 10, 0, T0, 1, RUN);
    put_pair(&s, "thread_1_stack", 1, 4, "*1\r\n:" RUN "\r\n", 16);
    put_stack(&s, "thread_1_stack", 2, 10, 0, T0 + 40, 3, RUN);
    put_stack(&s, "thread_1_stack", 3, 15, 0, T0 + 60, 4, RUN);
    import_made(&r, s);
    assert_rows(&r, stack_sample, 4);
    assert_cell(&r, stack_sample, 1, ts, (T0 + 20) * MS);
    assert_rows(&r, stack_sample_value, 3);
    assert_mem_row(r.sink, stack_sample_value, 0, "1|1|2");
    assert_mem_row(r.sink, stack_sample_value, 1, "3|1|3");
    assert_mem_row(r.sink, stack_sample_value, 2, "4|1|0");
    run_free(&r);
}

/* --- a part of the time ----------------------------------------------------------------------- */

/* 100 records, 20 ms apart, each an entry or every tenth. */
static sample hundred(unsigned every)
{
    sample s = {.count = 0};
    int64_t values[100];
    put_summary(&s, "h:1", T0, T0 + 1980, "");
    put_methods(&s);
    begin_pair(&s, "thread_1_stack", '4');
    for (unsigned i = 0; i < 100; i++) {
        size_t n = file_of(&s, "thread_1_stack.fidx")->n;
        values[i] = i + 1;
        put_stack(&s, "thread_1_stack", i, 1000 * (int64_t)i, 1000 * (int64_t)(i + 1),
                  T0 + 20 * (int64_t)i, i + 1, RUN);
        if (i % every != 0) {
            file_of(&s, "thread_1_stack.fidx")->n = n;
        }
    }
    put_series(&s, "thread_1_cpu_time.fts", 3, 20, T0, values, 100);
    return s;
}

static void check_range(unsigned every, ts_wanted_kind kind, int64_t from, int64_t to,
                        unsigned first, unsigned last, unsigned records_read)
{
    sample s = hundred(every);
    size_t record = file_of(&s, "thread_1_stack.fdata")->n;
    run r;
    import_sample_range(&r, &s, 0, kind, from, to);
    assert_rows(&r, stack_sample, last - first);
    for (unsigned i = first; i < last; i++) {
        assert_cell(&r, stack_sample, i - first, ts, (T0 + 20 * (int64_t)i) * MS);
        assert_cell(&r, stack_sample, i - first, dur, i == 99 ? 0 : 20 * MS);
        assert_cell(&r, stack_sample_value, i - first, value, i == 99 ? 0 : 1000);
    }
    assert_rows(&r, timeseries_value, last - first);
    if (last > first) {
        assert_cell(&r, timeseries_value, 0, ts, (T0 + 20 * (int64_t)first) * MS);
    }
    assert_int_equal(COUNTED(&r, "series_slots", imported), last - first);
    assert_int_equal(COUNTED(&r, "series_slots", skipped), 100 - (last - first));
    assert_int_equal(COUNTED(&r, "stack_records", imported), last - first);
    if (every == 1) { /* each record has an entry: all are accounted for */
        assert_int_equal(COUNTED(&r, "stack_records", seen), 100);
        assert_int_equal(COUNTED(&r, "stack_records", skipped), 100 - (last - first));
        assert_int_equal(COUNTED(&r, "index_entries", imported), records_read + 3); /* methods */
    }
    assert_true(record > 0);
    run_free(&r);
    sample_free(&s);
}

static void test_time_range(void **state)
{
    UNUSED(state);
    /* [T0 + 400, T0 + 600): records 20 to 29, and 30 for the end of 29. */
    check_range(1, TS_WANTED_REALTIME, (T0 + 400) * MS, (T0 + 600) * MS, 20, 30, 11);
    check_range(1, TS_WANTED_OFFSET, 400 * MS, 600 * MS, 20, 30, 11);
    check_range(10, TS_WANTED_REALTIME, (T0 + 400) * MS, (T0 + 600) * MS, 20, 30, 0);
    check_range(50, TS_WANTED_REALTIME, (T0 + 401) * MS, (T0 + 601) * MS, 21, 31, 0);
    check_range(1, TS_WANTED_REALTIME, INT64_MIN, (T0 + 20) * MS, 0, 1, 2);
    check_range(1, TS_WANTED_REALTIME, (T0 + 20) * MS, (T0 + 40) * MS, 1, 2, 2);
    check_range(1, TS_WANTED_REALTIME, (T0 + 1980) * MS, INT64_MAX, 99, 100, 1);
    check_range(1, TS_WANTED_REALTIME, INT64_MIN, T0 * MS, 0, 0, 1);
    check_range(1, TS_WANTED_REALTIME, (T0 + 5000) * MS, INT64_MAX, 0, 0, 1);
    check_range(1, TS_WANTED_REALTIME, (T0 + 401) * MS, (T0 + 402) * MS, 0, 0, 2);
}

/* Without an index all records are looked at. */
static void test_time_range_without_index(void **state)
{
    sample s = hundred(1);
    run r;
    UNUSED(state);
    drop_file(&s, "thread_1_stack.fidx");
    import_sample_range(&r, &s, 0, TS_WANTED_REALTIME, (T0 + 400) * MS, (T0 + 600) * MS);
    assert_rows(&r, stack_sample, 10);
    assert_int_equal(COUNTED(&r, "stack_records", seen), 100);
    assert_int_equal(COUNTED(&r, "stack_records", skipped), 90);
    run_free(&r);
    sample_free(&s);
}

/* An entry that points nowhere is not begun at. */
static void test_time_range_with_a_bad_entry(void **state)
{
    sample s = hundred(1);
    run r;
    UNUSED(state);
    set_be(file_of(&s, "thread_1_stack.fidx"), 202 + 19 * 8 + 4, UINT32_MAX, 4);
    import_sample_range(&r, &s, 0, TS_WANTED_REALTIME, (T0 + 400) * MS, (T0 + 600) * MS);
    assert_rows(&r, stack_sample, 10);
    assert_cell(&r, stack_sample, 0, ts, (T0 + 400) * MS);
    assert_int_equal(COUNTED(&r, "stack_records", seen), 100);
    assert_int_equal(issues(&r, "flare_index_entry"), 1);
    run_free(&r);
    sample_free(&s);
}

/* Nothing says what a part of the time is a part of: all is imported. */
static void test_offset_without_a_begin(void **state)
{
    sample s = hundred(1);
    run r;
    UNUSED(state);
    drop_file(&s, "summary_info.json");
    import_sample_range(&r, &s, 0, TS_WANTED_OFFSET, 400 * MS, 600 * MS);
    assert_rows(&r, stack_sample, 100);
    assert_int_equal(issues(&r, "time_range_unrelated"), 1);
    run_free(&r);
    sample_free(&s);
}

/* Ranges that adjoin give what the whole gives. */
static void test_ranges_adjoin(void **state)
{
    sample s = hundred(10);
    int64_t sum = 0;
    size_t rows = 0;
    UNUSED(state);
    for (int64_t at = 0; at < 2000; at += 130) {
        run r;
        import_sample_range(&r, &s, 0, TS_WANTED_REALTIME, (T0 + at) * MS, (T0 + at + 130) * MS);
        rows += MEM_ROWS(r.sink, stack_sample);
        for (size_t i = 0; i < MEM_ROWS(r.sink, stack_sample_value); i++) {
            sum += MEM_INT(r.sink, stack_sample_value, i, value);
        }
        run_free(&r);
    }
    assert_int_equal(rows, 100);
    assert_int_equal(sum, 99000);
    sample_free(&s);
}

/* --- several directories ---------------------------------------------------------------------- */

/* Directories of one run of the JVM, but for the last; only number `named` has the method's name.
 */
static void import_siblings(run *r, size_t n, size_t named)
{
    sample s[3];
    folder f[3];
    const char *paths[3];
    for (size_t i = 0; i < n; i++) {
        s[i] = (sample){.count = 0};
        put_summary(&s[i], "h:1", i == 2 ? T0 - 1 : T0, T0, "");
        begin_pair(&s[i], "method_info", '5');
        if (i == named) {
            put_method(&s[i], 547216200, "java.lang.Thread.run()");
        }
        begin_pair(&s[i], "thread_5_stack", '4');
        put_stack(&s[i], "thread_5_stack", 0, 0, 0, T0 + (int64_t)i * 1000, 1, RUN);
        f[i] = write_sample(&s[i]);
        paths[i] = f[i].path;
    }
    import_begin(r);
    (void)import_paths(r, paths, n, 0);
    assert_ok(r->ctx, r->code);
    assert_int_equal(issues(r, "conservation"), 0);
    for (size_t i = 0; i < n; i++) {
        remove_sample(&f[i], &s[i]);
        sample_free(&s[i]);
    }
}

/* Whichever comes first, one of the first two lacks a name that the other has; the third is of
 * another run of the JVM. */
static void test_siblings(void **state)
{
    UNUSED(state);
    for (size_t named = 0; named < 2; named++) {
        run r;
        import_siblings(&r, 3, named);
        assert_rows(&r, source, 3);
        assert_rows(&r, stack_method, 3);
        for (size_t i = 0; i < 2; i++) {
            assert_mem_text(r.sink, stack_method, i, name, "run");
            assert_mem_text(r.sink, stack_method, i, class, "java.lang.Thread");
        }
        assert_mem_text(r.sink, stack_method, 2, name, "547216200");
        assert_null_cell(&r, stack_method, 2, class);
        assert_int_equal(issues(&r, "flare_method_from_sibling"), 1);
        assert_int_equal(issues(&r, "flare_method_missing"), 1);
        assert_int_equal(issue_offset(&r, "flare_method_from_sibling"), 202);
        assert_int_equal(issue_offset(&r, "flare_method_missing"), 202);
        assert_string_equal(issue_stream(&r, "flare_method_from_sibling"), "thread_5_stack.fdata");
        assert_string_equal(issue_stream(&r, "flare_method_missing"), "thread_5_stack.fdata");
        assert_rows(&r, thread, 4); /* a thread of each directory */
        run_free(&r);
    }
}

/* Nobody has it: the number stays, and each directory says so. */
static void test_siblings_without_the_name(void **state)
{
    run r;
    UNUSED(state);
    import_siblings(&r, 2, 2);
    assert_mem_text(r.sink, stack_method, 0, name, "547216200");
    assert_mem_text(r.sink, stack_method, 1, name, "547216200");
    assert_int_equal(issues(&r, "flare_method_from_sibling"), 0);
    assert_int_equal(issues(&r, "flare_method_missing"), 2);
    run_free(&r);
}

/* --- names ------------------------------------------------------------------------------------ */

/* Ids of all sizes; names that only look like those of threads are passed over. */
static void test_names_of_files(void **state)
{
    static const int64_t one[] = {1};
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    put_series(&s, "thread_9223372036854775807_cpu_time.fts", 3, 20, T0, one, 1);
    put_series(&s, "thread_-3_cpu_time.fts", 3, 20, T0, one, 1);
    put_series(&s, "thread_9223372036854775808_cpu_time.fts", 3, 20, T0, one, 1);
    put_series(&s, "thread_07_cpu_time.fts", 3, 20, T0, one, 1);
    put_series(&s, "thread_7_cpu_time.x.fts", 3, 20, T0, one, 1);
    put_series(&s, "thread_7_cpu_time.-1.fts", 3, 20, T0, one, 1);
    put_series(&s, "thread_7_cpu_time.1.tmp", 3, 20, T0, one, 1);
    put_series(&s, "thread_-9223372036854775809_cpu_time.fts", 3, 20, T0, one, 1);
    put_series(&s, "thread_-0_cpu_time.fts", 3, 20, T0, one, 1);
    put_series(&s, "thread__cpu_time.fts", 3, 20, T0, one, 1);
    put_str(file_of(&s, "notes.txt"), "x");
    import_made(&r, s);
    assert_rows(&r, flare_thread, 2);
    assert_cell(&r, thread, 1, tid, -3);
    assert_cell(&r, thread, 2, tid, INT64_MAX);
    assert_int_equal(issue_sum(&r, "member_skipped"), 9);
    run_free(&r);
}

/* The files of a thread show what the directory is, each kind of them alone. */
static void test_files_of_a_thread_alone(void **state)
{
    static const char *const names[] = {"thread_132_cpu_time.fts", "thread_132_stack.fidx",
                                        "thread_132_stack.fdata"};
    UNUSED(state);
    for (size_t i = 0; i < 3; i++) {
        sample all = mini();
        sample s = {.count = 0};
        const bytes *b = file_of(&all, names[i]);
        run r;
        put(file_of(&s, names[i]), b->p, b->n);
        sample_free(&all);
        import_made(&r, s);
        assert_mem_text(r.sink, source, 0, format, "flare");
        assert_rows(&r, stack_sample, i == 2 ? 6 : 0);
        assert_int_equal(MEM_ROWS(r.sink, timeseries), i == 0);
        run_free(&r);
    }
}

/* Directories below the input: what stands in one without samples is passed over and counted. */
static void test_directory_without_samples(void **state)
{
    sample parts[2] = {mini(), {.count = 0}};
    run r;
    folder top = write_sample(&parts[1]); /* no files yet */
    const char *path = top.path;
    folder f[2];
    UNUSED(state);
    put_str(file_of(&parts[1], "notes.txt"), "x");
    put_str(file_of(&parts[1], "thread_x_stack.fdata"), "x");
    put_str(file_of(&parts[1], "z.json"), "{}");
    for (size_t i = 0; i < 2; i++) {
        f[i] = write_sample(&parts[i]);
        char *below = path_in(&top, i == 0 ? "a" : "b");
        assert_int_equal(rename(f[i].path, below), 0);
        snprintf(f[i].path, sizeof f[i].path, "%s", below);
        free(below);
    }
    import_begin(&r);
    (void)import_paths(&r, &path, 1, 0);
    assert_ok(r.ctx, r.code);
    assert_rows(&r, stack_sample, 6);
    assert_int_equal(issues(&r, "member_skipped"), 1);
    assert_int_equal(issue_sum(&r, "member_skipped"), 3);
    assert_string_equal(issue_stream(&r, "member_skipped"), "b/notes.txt");
    run_free(&r);
    for (size_t i = 0; i < 2; i++) {
        remove_sample(&f[i], &parts[i]);
        sample_free(&parts[i]);
    }
    assert_int_equal(rmdir(top.path), 0);
}

/* More threads than a directory has room for at first; each keeps its stacks and its series. */
static void test_many_threads(void **state)
{
    enum { THREADS = 20 };
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    for (int64_t i = 0; i < THREADS; i++) {
        const int64_t values[] = {i + 1};
        char name[40];
        snprintf(name, sizeof name, "thread_%lld_stack", (long long)(100 + i));
        begin_pair(&s, name, '4');
        put_stack(&s, name, 0, 1000 * i, 0, T0 + i, 1, RUN);
        snprintf(name, sizeof name, "thread_%lld_cpu_time.fts", (long long)(100 + i));
        put_series(&s, name, 3, 20, T0 + i, values, 1);
    }
    import_made(&r, s);
    assert_rows(&r, flare_thread, THREADS);
    assert_rows(&r, stack_sample, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        size_t itid = (size_t)MEM_INT(r.sink, stack_sample, i, itid);
        assert_cell(&r, stack_sample, i, ts, (T0 + (int64_t)i) * MS);
        assert_cell(&r, thread, itid, tid, 100 + (int64_t)i);
    }
    run_free(&r);
}

/* The row of a thread has the state of its newest record that says one. */
static void test_states(void **state)
{
    static const struct {
        const char *state;
        int64_t after;
    } all[] = {{"RUNNABLE", 0}, {"RUNNABLE", 20}, {"BLOCKED", 40},
               {"WAITING", 60}, {"", 80},         {"NEW", 70}};
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    begin_pair(&s, "thread_132_stack", '4');
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bytes json = {0};
        putf(&json,
             "{\"id\":132,\"name\":\"main\",\"state\":\"%s\",\"sample_time\":%lld,"
             "\"stacktrace\":[" RUN "]}",
             all[i].state, (long long)(T0 + all[i].after));
        put_pair(&s, "thread_132_stack", i, 4, json.p, json.n);
        free(json.p);
    }
    import_made(&r, s);
    assert_rows(&r, stack_sample, 6);
    size_t row =
        memsink_find_text(r.sink, TS_T_thread_detail, TS_C_thread_detail__state, "WAITING");
    assert_int_not_equal(row, SIZE_MAX);
    run_free(&r);
}

/* An index of methods whose names come twice: the last one counts. */
static void test_method_names(void **state)
{
    static const struct {
        const char *text, *cls, *name;
    } all[] = {
        {"a.B$C.<init>()", "a.B$C", "<init>"},
        {"main()", NULL, "main"},
        {"a.b", "a", "b"},
        {"()", NULL, ""},
        {"x.()", "x", ""},
        {"a.b(int)", "a", "b(int)"},
    };
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    put_summary(&s, "h:1", T0, T0, "");
    begin_pair(&s, "method_info", '5');
    put_method(&s, 1, "old.Name.x()");
    for (size_t i = 0; i < 6; i++) {
        put_method(&s, i + 1, all[i].text);
    }
    put_method(&s, 2, "main()");
    import_made(&r, s);
    assert_rows(&r, stack_method, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_mem_text(r.sink, stack_method, i, name, all[i].name);
        if (all[i].cls == NULL) {
            assert_null_cell(&r, stack_method, i, class);
        } else {
            assert_mem_text(r.sink, stack_method, i, class, all[i].cls);
        }
    }
    assert_int_equal(issue_sum(&r, "flare_method_renamed"), 1);
    assert_int_equal(COUNTED(&r, "method_records", imported), 8);
    run_free(&r);
}

static void test_priority_and_daemon(void **state)
{
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    put_summary(&s, "h:1", T0, T0,
                "{\"id\":4,\"name\":\"a\",\"priority\":5,\"daemon\":true,\"state\":\"RUNNABLE\","
                "\"cpu_time\":1,\"cpu_time_delta\":0,\"sample_time\":5,\"sample_count\":0,"
                "\"stacktrace\":[1,2]},{\"id\":2},{}");
    import_made(&r, s);
    assert_rows(&r, flare_thread, 2);
    assert_cell(&r, thread, 1, tid, 4);
    assert_cell(&r, thread_detail, 1, priority, 5);
    assert_cell(&r, thread_detail, 1, daemon, 1);
    assert_mem_text(r.sink, thread_detail, 1, state, "RUNNABLE");
    assert_mem_row(r.sink, flare_thread, 0, "2|1|NULL|NULL|NULL|1|NULL|NULL|NULL|NULL|NULL");
    assert_cell(&r, flare_thread, 1, sample_count, 0);
    run_free(&r);
}

/* --- files that end while they are read ------------------------------------------------------- */

typedef struct early_end {
    ts_sys sys;
    off_t size; /* the file of this size */
    off_t end;  /* ends here when it is read */
} early_end;

static ssize_t pread_until(void *user, int fd, void *p, size_t n, off_t off)
{
    early_end *e = user;
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    if (st.st_size == e->size && off + (off_t)n > e->end) {
        n = off < e->end ? (size_t)(e->end - off) : 0;
    }
    return e->sys.pread(e->sys.user, fd, p, n, off);
}

/* A series of 23 values from byte 36 on, of which the last 48 bytes go before they are read: at
 * once, or behind windows that were read well. */
static void test_file_that_becomes_shorter(void **state)
{
    static const size_t blocks[] = {0, 16};
    sample s = mini();
    folder f = write_sample(&s);
    const char *path = f.path;
    UNUSED(state);
    assert_int_equal(file_of(&s, "thread_132_cpu_time.fts")->n, 128);
    for (size_t i = 0; i < 2; i++) {
        run r;
        import_begin(&r);
        early_end e = {r.ctx->sys, 128, 80};
        r.ctx->sys.user = &e;
        r.ctx->sys.pread = pread_until;
        (void)import_paths(&r, &path, 1, blocks[i]);
        assert_ok(r.ctx, r.code);
        r.ctx->sys = e.sys;
        assert_int_equal(issues(&r, "input_read_failed"), 1);
        assert_int_equal(issue_offset(&r, "input_read_failed"), 80);
        assert_string_equal(issue_stream(&r, "input_read_failed"), "thread_132_cpu_time.fts");
        assert_int_equal(issues(&r, "conservation"), 0);
        assert_int_equal(COUNTED(&r, "bytes", lost), 48);
        assert_cell(&r, flare_thread, 0, slot_count, 11);
        assert_rows(&r, stack_sample, 6);
        assert_cell(&r, source, 0, complete, 0);
        run_free(&r);
    }
    remove_sample(&f, &s);
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mini),
        cmocka_unit_test(test_mini_is_described),
        cmocka_unit_test(test_first_days),
        cmocka_unit_test(test_document_header_with_magic),
        cmocka_unit_test(test_types_of_values),
        cmocka_unit_test(test_longer_series_header),
        cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_volume_with_other_slots),
        cmocka_unit_test(test_sparse_and_missing_index),
        cmocka_unit_test(test_shares_sum_up),
        cmocka_unit_test(test_records_without_cpu_time),
        cmocka_unit_test(test_time_range),
        cmocka_unit_test(test_time_range_without_index),
        cmocka_unit_test(test_time_range_with_a_bad_entry),
        cmocka_unit_test(test_offset_without_a_begin),
        cmocka_unit_test(test_ranges_adjoin),
        cmocka_unit_test(test_siblings),
        cmocka_unit_test(test_siblings_without_the_name),
        cmocka_unit_test(test_files_of_a_thread_alone),
        cmocka_unit_test(test_directory_without_samples),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_names_of_files),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_method_names),
        cmocka_unit_test(test_priority_and_daemon),
        cmocka_unit_test(test_file_that_becomes_shorter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

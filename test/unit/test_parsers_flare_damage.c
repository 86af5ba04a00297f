/* Damaged sample directories: each kind of damage that the format knows, then damage everywhere. */
#include "flare_build.h"

#define FTS "thread_132_cpu_time.fts"
#define FIDX "thread_132_stack.fidx"
#define FDATA "thread_132_stack.fdata"

/* Imports the sample, frees it, and asserts the number of issues of one code. */
static void import_damaged(run *r, sample s, const char *code, int64_t n)
{
    import_made(r, s);
    if (issue_sum(r, code) != n) {
        memsink_print(r->sink, TS_T_import_issue);
        fail_msg("%s: %lld instead of %lld", code, (long long)issue_sum(r, code), (long long)n);
    }
}

/* --- series ----------------------------------------------------------------------------------- */

static void test_unusable_series(void **state)
{
    static const struct {
        size_t at, size; /* size 0: the file ends there */
        uint64_t v;
        const char *why;
    } all[] = {
        {0, 1, 'X', "TSHS"},
        {4, 2, 21, "length of the header"},
        {4, 2, 23, "length of the header"},
        {4, 2, 25, "length of the header"},
        {32, 1, 'X', "TSDS"},
        {6, 1, 0, "type of the values"},
        {6, 1, 6, "type of the values"},
        {0, 0, 0, "is empty"},
        {17, 0, 0, "ends early"},
        {34, 0, 0, "TSDS"},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        sample s = mini();
        run r;
        if (all[i].size > 0) {
            set_be(file_of(&s, FTS), all[i].at, all[i].v, all[i].size);
        } else {
            file_of(&s, FTS)->n = all[i].at;
        }
        import_damaged(&r, s, "flare_series_bad", 1);
        size_t row = memsink_find_text(r.sink, TS_T_import_issue, TS_C_import_issue__code,
                                       "flare_series_bad");
        assert_non_null(strstr(MEM_TEXT(r.sink, import_issue, row, message).p, all[i].why));
        assert_rows(&r, timeseries, 0);
        assert_rows(&r, stack_sample, 6); /* the stacks are whole */
        assert_cell(&r, stack_sample, 5, ts, (T0 + 455) * MS);
        assert_cell(&r, source, 0, complete, 0);
        run_free(&r);
    }
}

static void test_unit_time_from_the_summary(void **state)
{
    sample s = mini();
    run r;
    UNUSED(state);
    set_be(file_of(&s, FTS), 8, 0, 4);
    import_damaged(&r, s, "flare_series_unit", 1);
    assert_cell(&r, timeseries, 0, interval, 20 * MS);
    assert_cell(&r, timeseries_value, 0, ts, (T0 + 220) * MS);
    run_free(&r);
}

static void test_stray_bytes_of_a_series(void **state)
{
    sample s = mini();
    run r;
    UNUSED(state);
    put_zeros(file_of(&s, FTS), 3);
    import_damaged(&r, s, "flare_series_partial", 1);
    assert_int_equal(issue_offset(&r, "flare_series_partial"), 128);
    assert_int_equal(COUNTED(&r, "bytes", lost), 3);
    assert_cell(&r, flare_thread, 0, slot_count, 23);
    run_free(&r);
}

static void test_end_of_a_series(void **state)
{
    sample s = mini();
    run r;
    UNUSED(state);
    set_be(file_of(&s, FTS), 20, (uint64_t)T0, 8);
    import_damaged(&r, s, "flare_series_end", 1);
    assert_cell(&r, flare_thread, 0, series_end_ts, (T0 + 440) * MS);
    run_free(&r);
}

/* --- records ---------------------------------------------------------------------------------- */

static void test_cut_record(void **state)
{
    sample s = mini();
    run r;
    UNUSED(state);
    file_of(&s, FDATA)->n -= 1;
    import_damaged(&r, s, "flare_record_cut", 1);
    assert_rows(&r, stack_sample, 5);
    assert_int_equal(issue_offset(&r, "flare_record_cut"), 1415);
    assert_int_equal(COUNTED(&r, "stack_records", lost), 1);
    assert_int_equal(COUNTED(&r, "bytes", lost), 251);
    assert_cell(&r, stack_sample, 4, dur, 0); /* the last one now */
    run_free(&r);
}

/* A payload that is none: reading goes on at the next entry, wherever the length points. */
static void test_bad_records(void **state)
{
    static const struct {
        size_t at, size;
        uint64_t v;
    } all[] = {
        {439, 1, 'x'},      /* the first byte */
        {500, 1, '}'},      /* not well-formed */
        {437, 2, 0},        /* no length */
        {437, 2, 100},      /* too short */
        {437, 2, 60000},    /* beyond the end */
        {437, 2, 243 + 10}, /* into the next record */
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        sample s = mini();
        run r;
        set_be(file_of(&s, FDATA), all[i].at, all[i].v, all[i].size);
        import_damaged(&r, s, "flare_record_bad", 1);
        assert_rows(&r, stack_sample, 5);
        assert_int_equal(issue_offset(&r, "flare_record_bad"), 437);
        assert_cell(&r, stack_sample, 0, dur, 39 * MS);
        assert_cell(&r, stack_sample, 1, ts, (T0 + 39) * MS);
        assert_int_equal(COUNTED(&r, "bytes", lost), 245);
        run_free(&r);
    }
}

/* What a payload must have. */
static void test_payloads(void **state)
{
    static const char *const bad[] = {
        "{\"sample_time\":5}",
        "{\"stacktrace\":[1]}",
        "{\"sample_time\":5,\"stacktrace\":[1,\"2\"]}",
        "{\"sample_time\":5,\"stacktrace\":[[1]]}",
        "{\"sample_time\":5.5,\"stacktrace\":[1]}",
        "{\"sample_time\":5,\"stacktrace\":[1.5]}",
        "{\"sample_time\":5,\"stacktrace\":[1]}}",
        "{\"sample_time\":5,\"stacktrace\":[1]",
        "{}",
        "[1]",
        "*1\r\n",
        "*1\r\n:1\r\n:2\r\n",
        "*1\r\n:x\r\n",
        "*-1\r\n",
        "*1\n:1\r\n",
        "*1\r\n:9223372036854775808\r\n",
        "*0\r\nx",
    };
    static const char *const good[] = {
        "{\"sample_time\":5,\"stacktrace\":[]}",
        "{\"stacktrace\":[1],\"x\":{\"stacktrace\":[3,4],\"sample_time\":7},\"sample_time\":5.0}",
        "{\"sample_time\":5, \"stacktrace\": [1] } ",
        "*1\r\n:-9223372036854775808\r\n",
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sample s = {.count = 0};
        run r;
        begin_pair(&s, "thread_1_stack", '4');
        put_pair(&s, "thread_1_stack", 0, 4, bad[i], strlen(bad[i]));
        import_damaged(&r, s, "flare_record_bad", 1);
        assert_rows(&r, stack_sample, 0);
        run_free(&r);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        sample s = {.count = 0};
        run r;
        begin_pair(&s, "thread_1_stack", '4');
        put_pair(&s, "thread_1_stack", 0, 4, good[i], strlen(good[i]));
        import_damaged(&r, s, "flare_record_bad", 0);
        assert_rows(&r, stack_sample, 1);
        assert_cell(&r, stack_sample, 0, ts, good[i][0] == '{' ? 5 * MS : 0);
        run_free(&r);
    }
}

/* More than 65535 bytes: the length is what is left over, the index tells the rest. */
static void test_long_records(void **state)
{
    UNUSED(state);
    for (int last = 0; last < 2; last++) {
        sample s = {.count = 0};
        bytes json = {0};
        run r;
        put_str(&json, "{\"sample_time\":5,\"stacktrace\":[1");
        for (int i = 0; i < 35000; i++) {
            put_str(&json, ",22");
        }
        put_str(&json, "]}");
        begin_pair(&s, "thread_1_stack", '4');
        put_pair(&s, "thread_1_stack", 0, 4, json.p, json.n);
        if (last == 0) {
            put_pair(&s, "thread_1_stack", 1, 4, "{\"sample_time\":9,\"stacktrace\":[1]}", 34);
        }
        free(json.p);
        import_damaged(&r, s, "flare_record_long", 1);
        assert_rows(&r, stack_sample, last == 0 ? 2 : 1);
        assert_rows(&r, stack_node, last == 0 ? 35002 : 35001);
        assert_int_equal(COUNTED(&r, "bytes", lost), 0);
        run_free(&r);
    }
}

/* As long as a record would be that is longer than its length says, and none. */
static void test_no_long_record(void **state)
{
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    begin_pair(&s, "thread_1_stack", '4');
    put_pair(&s, "thread_1_stack", 0, 4, "{\"sample_time\":5,\"stacktrace\":[1", 32);
    put_zeros(file_of(&s, "thread_1_stack.fdata"), 65536);
    put_pair(&s, "thread_1_stack", 1, 4, "{\"sample_time\":9,\"stacktrace\":[1]}", 34);
    import_damaged(&r, s, "flare_record_bad", 1);
    assert_rows(&r, stack_sample, 1);
    assert_cell(&r, stack_sample, 0, ts, 9 * MS);
    assert_int_equal(COUNTED(&r, "bytes", lost), 2 + 32 + 65536);
    assert_int_equal(issue_sum(&r, "flare_record_long"), 0);
    run_free(&r);
}

/* Zeros, as a crash leaves them, are one bad record, however many they are. */
static void test_zeros(void **state)
{
    static const size_t counts[] = {1, 2, 3, 1000, 1048576};
    UNUSED(state);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        sample s = mini();
        run r;
        put_zeros(file_of(&s, FDATA), counts[i]);
        import_damaged(&r, s, counts[i] == 1 ? "flare_record_cut" : "flare_record_bad", 1);
        assert_rows(&r, stack_sample, 6);
        assert_int_equal(COUNTED(&r, "stack_records", lost), 1 + (counts[i] == 3));
        assert_int_equal(COUNTED(&r, "bytes", lost), counts[i]);
        run_free(&r);
    }
}

/* The second of two records stands behind 4 GiB, and its offset in the index is what 32 bits hold.
 * What lies between is a hole. */
static void test_offsets_beyond_32_bits(void **state)
{
    enum { BEHIND = 300 }; /* no place behind the first record */
    UNUSED(state);
    for (int part = 0; part < 2; part++) {
        sample s = {.count = 0};
        bytes json = {0};
        folder f;
        run r;
        putf(&json, PAYLOAD, 5LL, 0LL, (long long)T0 + 40, 2U, RUN);
        begin_pair(&s, "thread_1_stack", '4');
        put_stack(&s, "thread_1_stack", 0, 5, 0, T0, 1, RUN);
        put_be(file_of(&s, "thread_1_stack.fidx"), 2, 4);
        put_be(file_of(&s, "thread_1_stack.fidx"), BEHIND, 4);
        f = write_sample(&s);
        char *path = path_in(&f, "thread_1_stack.fdata");
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        uint8_t length[2] = {(uint8_t)(json.n >> 8), (uint8_t)json.n};
        assert_true(fd >= 0);
        assert_int_equal(pwrite(fd, length, 2, (INT64_C(1) << 32) + BEHIND), 2);
        assert_int_equal(pwrite(fd, json.p, json.n, (INT64_C(1) << 32) + BEHIND + 2), json.n);
        close(fd);
        free(path);
        free(json.p);
        import_begin(&r);
        if (part != 0) {
            r.ctx->time_range = (ts_time_range){TS_WANTED_REALTIME, (T0 + 30) * MS, INT64_MAX};
        }
        const char *argument = f.path;
        (void)import_paths(&r, &argument, 1, 0);
        assert_ok(r.ctx, r.code);
        remove_sample(&f, &s);
        sample_free(&s);
        assert_rows(&r, stack_sample, part == 0 ? 2 : 1);
        assert_cell(&r, stack_sample, part == 0, ts, (T0 + 40) * MS);
        assert_cell(&r, flare_stack, part == 0, step, 2);
        assert_int_equal(issues(&r, "flare_index_entry"), 0);
        assert_int_equal(issue_sum(&r, "flare_record_bad"), 1);
        assert_int_equal(COUNTED(&r, "index_entries", imported), 2);
        assert_int_equal(issues(&r, "conservation"), 0);
        run_free(&r);
    }
}

/* --- the index -------------------------------------------------------------------------------- */

static void test_bad_entries(void **state)
{
    static const struct {
        uint32_t offset;
        const char *what;
    } all[] = {{0, "below the data"}, {201, "below the data"}, {100000, "beyond"},
               {700, "in a record"},  {437, "twice"},          {1300, "not in order"}};
    UNUSED(state);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        sample s = mini();
        run r;
        set_be(file_of(&s, FIDX), 202 + 2 * 8 + 4, all[i].offset, 4);
        import_damaged(&r, s, "flare_index_entry", 1);
        assert_int_equal(issue_offset(&r, "flare_index_entry"), 218);
        assert_rows(&r, stack_sample, 6);
        assert_cell(&r, flare_stack, 2, step, 1); /* by its time */
        assert_cell(&r, flare_stack, 3, step, 11);
        assert_int_equal(COUNTED(&r, "index_entries", lost), 1);
        assert_int_equal(COUNTED(&r, "index_entries", imported), 8);
        run_free(&r);
    }
}

static void test_short_index(void **state)
{
    sample s = mini();
    run r;
    UNUSED(state);
    file_of(&s, FIDX)->n -= 8 + 3;
    import_damaged(&r, s, "flare_index_short", 2);
    assert_int_equal(issue_sum(&r, "flare_index_partial"), 1);
    assert_int_equal(issue_offset(&r, "flare_index_partial"), 234);
    assert_int_equal(COUNTED(&r, "bytes", lost), 5);
    assert_rows(&r, stack_sample, 6);
    assert_cell(&r, flare_stack, 5, step, 22);
    run_free(&r);
}

static void test_bad_headers(void **state)
{
    UNUSED(state);
    for (int i = 0; i < 5; i++) {
        sample s = mini();
        bytes *index = file_of(&s, FIDX);
        bytes *data = file_of(&s, FDATA);
        run r;
        if (i == 0) {
            set_be(index, 0, 0, 4);
        } else if (i == 1) {
            set_be(index, 4, 193, 2);
        } else if (i == 2) {
            index->n = 5;
        } else if (i == 3) {
            set_be(data, 0, 0, 4);
        } else {
            set_be(data, 4, 60000, 2);
        }
        import_damaged(&r, s, i < 3 ? "flare_index_bad" : "flare_data_header", 1);
        assert_rows(&r, stack_sample, 6);
        assert_cell(&r, flare_stack, 3, step, 11);
        run_free(&r);
    }
}

static void test_index_without_data(void **state)
{
    sample s = mini();
    run r;
    UNUSED(state);
    drop_file(&s, FDATA);
    import_damaged(&r, s, "flare_data_bad", 1);
    assert_string_equal(issue_stream(&r, "flare_data_bad"), FIDX);
    assert_rows(&r, stack_sample, 0);
    assert_rows(&r, timeseries_value, 2);
    assert_int_equal(COUNTED(&r, "index_entries", lost), 6);
    run_free(&r);
}

/* Properties that end nowhere: the type of the keys is what the file should have. */
static void test_properties_without_an_end(void **state)
{
    sample s = mini();
    bytes *b = file_of(&s, FIDX);
    run r;
    UNUSED(state);
    memset(b->p + 7, 'x', 191);
    import_damaged(&r, s, "flare_index_bad", 0);
    assert_rows(&r, stack_sample, 6);
    assert_int_equal(COUNTED(&r, "index_entries", imported), 9);
    run_free(&r);
}

static void test_data_without_any_header(void **state)
{
    sample s = mini();
    run r;
    UNUSED(state);
    set_be(file_of(&s, FDATA), 0, 0, 4);
    set_be(file_of(&s, FDATA), 198, 0, 4);
    import_damaged(&r, s, "flare_data_bad", 1);
    assert_rows(&r, stack_sample, 0);
    assert_rows(&r, timeseries_value, 2);
    assert_int_equal(COUNTED(&r, "bytes", lost), 1667);
    run_free(&r);
}

/* The worked example: H = 106 with amount 12345; entries begin at 112, the first key is gone. */
static void test_grown_index(void **state)
{
    static const int64_t steps[] = {0, 6, 7};
    sample s = {.count = 0};
    bytes data = {0};
    run r;
    UNUSED(state);
    put_methods(&s);
    put_be(&data, 6, 1);
    put(&data, "first_el_type\0004", 16);
    put(&data, "second_el_type\0004", 17);
    put(&data, "unit_len\0004", 11);
    put(&data, "begin_time\0001567669466200", 25);
    put(&data, "end_time\0001567669466200", 23);
    put(&data, "amount\00012345", 13);
    bytes *index = file_of(&s, FIDX);
    put_str(index, "TIHS");
    put_be(index, data.n, 2);
    put(index, data.p, data.n);
    bytes tail =
        bytes_of_hex("54 49 44 53 00 00 00 70 00 00 00 06 00 00 00 8e 00 00 00 07 00 00 00 "
                     "ac");
    put(index, tail.p, tail.n);
    free(tail.p);
    assert_int_equal(index->n, 136);
    bytes *records = file_of(&s, FDATA);
    put_str(records, "TEHS");
    put_be(records, data.n - 4, 2);
    data.n -= 6;
    put(&data, "0", 2);
    put(records, data.p, data.n);
    put_str(records, "TEDS");
    for (int i = 0; i < 3; i++) {
        put_be(records, 28, 2);
        put_str(records, "*2\r\n:" LOOP "\r\n:" RUN "\r\n");
    }
    assert_int_equal(records->n, 202);
    free(data.p);
    import_damaged(&r, s, "flare_index_grown", 1);
    assert_int_equal(issue_offset(&r, "flare_index_grown"), 112);
    assert_rows(&r, stack_sample, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_cell(&r, flare_stack, i, step, steps[i]);
        assert_cell(&r, stack_sample, i, node_id, 2); /* run;loop */
    }
    run_free(&r);
}

/* An index of stacks whose keys are times, as the document had it first. */
static void test_keys_that_are_no_steps(void **state)
{
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    put_pair_header(file_of(&s, "thread_1_stack.fidx"), true, '5', NULL);
    put_pair_header(file_of(&s, "thread_1_stack.fdata"), false, '4', NULL);
    for (unsigned i = 0; i < 2; i++) {
        static const char json[] = "{\"sample_time\":5,\"stacktrace\":[1]}";
        put_pair(&s, "thread_1_stack", (uint64_t)T0, 8, json, sizeof json - 1);
    }
    import_damaged(&r, s, "flare_index_times", 1);
    assert_rows(&r, stack_sample, 2);
    assert_cell(&r, flare_stack, 1, step, 0);
    run_free(&r);
}

/* --- methods ---------------------------------------------------------------------------------- */

static void test_methods_without_ids(void **state)
{
    sample s = mini();
    run r;
    UNUSED(state);
    file_of(&s, "method_info.fidx")->n -= 12;
    import_damaged(&r, s, "flare_method_no_id", 1);
    assert_int_equal(issue_offset(&r, "flare_method_no_id"), 243);
    assert_int_equal(COUNTED(&r, "method_records", lost), 1);
    assert_int_equal(issue_sum(&r, "flare_method_missing"), 2);
    run_free(&r);
}

static void test_names_that_are_no_utf8(void **state)
{
    sample s = mini();
    run r;
    UNUSED(state);
    set_be(file_of(&s, "method_info.fdata"), 250, 0xff, 1); /* app.D?... */
    import_damaged(&r, s, "flare_bad_text", 1);
    assert_mem_text(r.sink, stack_method, 2, class, "app.D\xef\xbf\xbd");
    run_free(&r);
}

/* Names of threads and the address as well. */
static void test_other_texts_that_are_no_utf8(void **state)
{
    sample s = mini();
    bytes *b = file_of(&s, FDATA);
    run r;
    UNUSED(state);
    for (size_t i = 202; i + 6 < b->n; i++) {
        if (memcmp(b->p + i, "\"main\"", 6) == 0) {
            b->p[i + 2] = 0xff;
        }
    }
    import_damaged(&r, s, "flare_bad_text", 6);
    assert_string_equal(issue_stream(&r, "flare_bad_text"), FDATA);
    assert_int_equal(issue_offset(&r, "flare_bad_text"), 202);
    assert_mem_text(r.sink, thread, 1, name, "m\xef\xbf\xbdin");
    run_free(&r);

    s = mini();
    drop_file(&s, "summary_info.json");
    put_summary(&s, "h\xfe:1", T0, T0 + 455, MINI_THREAD);
    import_damaged(&r, s, "flare_bad_text", 1);
    assert_string_equal(issue_stream(&r, "flare_bad_text"), "summary_info.json");
    assert_mem_text(r.sink, process, 1, name, "h\xef\xbf\xbd:1");
    run_free(&r);
}

/* --- the summary ------------------------------------------------------------------------------ */

static void test_summary(void **state)
{
    static const char *const codes[] = {"flare_summary_missing", "flare_summary_bad",
                                        "json_trailing_bytes", "flare_summary_bad"};
    UNUSED(state);
    for (int i = 0; i < 4; i++) {
        sample s = mini();
        bytes *b = file_of(&s, "summary_info.json");
        run r;
        if (i == 0) {
            drop_file(&s, "summary_info.json");
        } else if (i == 1) {
            b->n = 0;
        } else if (i == 2) {
            put_str(b, "ad\": 0}");
        } else {
            b->n = 20;
        }
        import_damaged(&r, s, codes[i], 1);
        assert_rows(&r, stack_sample, 6);
        assert_cell(&r, source, 0, start_ts, T0 * MS);
        assert_cell(&r, source, 0, end_ts, (T0 + 455) * MS);
        assert_string_equal(property(&r, "sample_interval"), "20");
        assert_mem_text(r.sink, thread, 1, name, "main");
        run_free(&r);
    }
}

/* Text behind the end is reported, wherever blocks end; a number is no summary. */
static void test_behind_the_summary(void **state)
{
    static const size_t blocks[] = {1, 2, 3, 7, 0};
    UNUSED(state);
    for (size_t i = 0; i < 5; i++) {
        sample s = mini();
        run r;
        put_str(file_of(&s, "summary_info.json"), " \n\nx");
        import_sample(&r, &s, blocks[i]);
        assert_int_equal(issues(&r, "json_trailing_bytes"), 1);
        run_free(&r);
        file_of(&s, "summary_info.json")->n = 0;
        put_str(file_of(&s, "summary_info.json"), "2");
        import_sample(&r, &s, blocks[i]);
        assert_int_equal(issues(&r, "flare_summary_bad"), 1);
        run_free(&r);
        sample_free(&s);
    }
}

static void test_stale_summary(void **state)
{
    sample s = mini();
    run r;
    UNUSED(state);
    drop_file(&s, "summary_info.json");
    put_summary(&s, "h:1", T0, T0 + 100, "");
    import_damaged(&r, s, "flare_summary_stale", 1);
    assert_mem_text(r.sink, import_issue,
                    memsink_find_text(r.sink, TS_T_import_issue, TS_C_import_issue__code,
                                      "flare_summary_stale"),
                    stream, "summary_info.json");
    assert_int_equal(issue_sum(&r, "flare_thread_unlisted"), 1);
    assert_cell(&r, source, 0, end_ts, (T0 + 455) * MS);
    run_free(&r);
}

/* --- times ------------------------------------------------------------------------------------ */

static void test_clock_set_back(void **state)
{
    static const int64_t times[] = {0, 100, 40, 60, 20};
    static const int64_t durs[] = {100, 0, 20, 0, 0};
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    begin_pair(&s, "thread_1_stack", '4');
    for (unsigned i = 0; i < 5; i++) {
        put_stack(&s, "thread_1_stack", times[i] / 20, 0, 0, T0 + times[i], i, RUN);
    }
    import_damaged(&r, s, "flare_time_backwards", 2);
    for (size_t i = 0; i < 5; i++) {
        assert_cell(&r, stack_sample, i, ts, (T0 + times[i]) * MS);
        assert_cell(&r, stack_sample, i, dur, durs[i] * MS);
    }
    run_free(&r);
}

static void test_steps_that_are_not_those_of_the_times(void **state)
{
    sample s = mini();
    run r;
    UNUSED(state);
    set_be(file_of(&s, FIDX), 202 + 3 * 8, 13, 4); /* 11: two off */
    set_be(file_of(&s, FIDX), 202 + 4 * 8, 13, 4); /* 12: one off is nothing */
    import_damaged(&r, s, "flare_step_differs", 1);
    assert_cell(&r, flare_stack, 3, step, 13);
    assert_cell(&r, stack_sample, 3, ts, (T0 + 230) * MS);
    run_free(&r);
}

static void test_times_beyond_64_bit(void **state)
{
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    begin_pair(&s, "thread_1_stack", '4');
    put_stack(&s, "thread_1_stack", 0, INT64_MAX, 0, INT64_MAX, 1, RUN);
    put_stack(&s, "thread_1_stack", 1, INT64_MIN, 0, INT64_MIN, 2, RUN);
    put_stack(&s, "thread_1_stack", 2, INT64_MIN, 0, T0, 3, RUN);
    put_stack(&s, "thread_1_stack", 3, INT64_MIN, 0, T0 + 20, 4, RUN);
    /* Two records, the increase of CPU time, the thread's newest record, both ends of the source.
     */
    import_damaged(&r, s, "time_overflow", 6);
    assert_null_cell(&r, stack_sample, 0, ts);
    assert_null_cell(&r, stack_sample, 0, dur);
    assert_null_cell(&r, stack_sample, 1, ts);
    assert_null_cell(&r, stack_sample, 1, dur);
    assert_cell(&r, stack_sample, 2, ts, T0 * MS);
    assert_cell(&r, stack_sample, 2, dur, 20 * MS);
    assert_null_cell(&r, flare_thread, 0, sample_ts);
    assert_null_cell(&r, source, 0, start_ts);
    assert_null_cell(&r, source, 0, end_ts);
    run_free(&r);
}

/* Bytes of a series that are missing, doubled or changed move or change its values: the stacks have
 * them, too. The mini series has 180000 in slot 11 and 20500 in slot 22. */
static void test_series_that_are_not_those_of_the_stacks(void **state)
{
    static const struct {
        size_t at; /* slot where a slot is doubled, or with take taken out */
        bool take;
        bool certain[2]; /* the two values and their times */
    } all[] = {{4, true, {false, false}},
               {15, true, {true, false}},
               {4, false, {false, false}},
               {15, false, {true, false}}};
    UNUSED(state);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        sample s = mini();
        bytes *b = file_of(&s, FTS);
        uint8_t *p = (uint8_t *)b->p + 36 + 4 * all[i].at;
        run r;
        if (all[i].take) {
            memmove(p, p + 4, b->n - (36 + 4 * all[i].at) - 4);
            b->n -= 4;
        } else {
            put_zeros(b, 4);
            p = (uint8_t *)b->p + 36 + 4 * all[i].at;
            memmove(p + 4, p, b->n - (36 + 4 * all[i].at) - 4);
        }
        import_made(&r, s);
        assert_int_equal(issues(&r, "flare_series_differs"), 1);
        assert_rows(&r, timeseries_value, 2);
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(!MEM_NULL(r.sink, timeseries_value, k, ts), all[i].certain[k]);
            assert_int_equal(!MEM_NULL(r.sink, timeseries_value, k, value), all[i].certain[k]);
        }
        run_free(&r);
    }
}

/* With names of equal length, every entry of the index points to a record also when one is taken
 * out of the data, or an ill-formed copy of it is put in: names move to other ids. */
static void test_names_that_moved(void **state)
{
    UNUSED(state);
    for (int copy = 0; copy < 2; copy++) {
        sample s = {.count = 0};
        size_t record = 2 + strlen("a.B.c1()");
        bytes *b;
        uint8_t *p;
        run r;
        begin_pair(&s, "thread_1_stack", '4');
        put_stack(&s, "thread_1_stack", 0, 0, 0, T0, 1, "1,2,3");
        begin_pair(&s, "method_info", '5');
        put_method(&s, 1, "a.B.c1()");
        put_method(&s, 2, "a.B.c2()");
        put_method(&s, 3, "a.B.c3()");
        b = file_of(&s, "method_info.fdata");
        if (copy != 0) {
            put_zeros(b, record);
            p = (uint8_t *)b->p + b->n - 3 * record;
            memmove(p + record, p, 2 * record);
            p[2] = 1; /* no name */
        } else {
            p = (uint8_t *)b->p + b->n - 2 * record;
            memmove(p, p + record, record);
            b->n -= record;
        }
        import_damaged(&r, s, "flare_method_uncertain", copy != 0 ? 1 : 2);
        for (size_t row = 0; row < 3; row++) {
            char id[24];
            char name[32];
            snprintf(id, sizeof id, "%d", (int)MEM_INT(r.sink, stack_method, row, raw_id));
            snprintf(name, sizeof name, "c%s", id);
            if (!ts_text_is(MEM_TEXT(r.sink, stack_method, row, name), name)) {
                assert_mem_text(r.sink, stack_method, row, name, id); /* not known */
            }
        }
        run_free(&r);
    }
}

/* --- numbers of records, which show what is missing ------------------------------------------- */

static void put_numbered(sample *s, const unsigned *numbers, size_t n)
{
    begin_pair(s, "thread_132_stack", '4');
    for (size_t i = 0; i < n; i++) {
        put_stack(s, "thread_132_stack", numbers[i], 0, 0, T0 + 20 * (int64_t)numbers[i],
                  numbers[i], RUN);
    }
}

static void test_records_that_are_missing(void **state)
{
    static const unsigned first[] = {3, 4}; /* 1 and 2 are missing */
    static const unsigned inside[] = {1, 2, 6, 7};
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    put_numbered(&s, first, 2);
    import_damaged(&r, s, "flare_record_gap", 1);
    assert_rows(&r, stack_sample, 2);
    run_free(&r);
    s = (sample){.count = 0};
    put_numbered(&s, inside, 4);
    import_damaged(&r, s, "flare_record_gap", 1);
    assert_rows(&r, stack_sample, 4);
    assert_int_equal(COUNTED(&r, "stack_records", seen), 7);
    assert_int_equal(COUNTED(&r, "stack_records", lost), 3);
    run_free(&r);
}

static void test_records_that_come_twice(void **state)
{
    static const unsigned numbers[] = {1, 2, 3, 2, 3, 4};
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    put_numbered(&s, numbers, 6);
    import_damaged(&r, s, "flare_record_repeated", 2);
    assert_rows(&r, stack_sample, 4);
    assert_cell(&r, stack_sample, 3, ts, (T0 + 80) * MS);
    assert_int_equal(COUNTED(&r, "stack_records", lost), 2);
    run_free(&r);
}

static void test_numbers_that_begin_again(void **state)
{
    sample s = {.count = 0};
    run r;
    UNUSED(state);
    begin_pair(&s, "thread_132_stack", '4');
    for (unsigned i = 0; i < 4; i++) {
        put_stack(&s, "thread_132_stack", i, 0, 0, T0 + 20 * i, i % 2 + 1, RUN);
    }
    import_damaged(&r, s, "flare_record_order", 1);
    assert_rows(&r, stack_sample, 4);
    run_free(&r);
}

/* The summary has a record of a thread that is behind its files, or of one that has no files. */
static void test_records_that_only_the_summary_has(void **state)
{
    sample s = mini();
    bytes *data = file_of(&s, FDATA);
    size_t last = data->n;
    run r;
    UNUSED(state);
    while (data->p[last - 1] != '{') { /* its five first records remain */
        last--;
    }
    data->n = last - 3;
    drop_file(&s, FIDX);
    import_damaged(&r, s, "flare_record_gap", 1);
    assert_rows(&r, stack_sample, 5);
    run_free(&r);
    s = mini();
    drop_file(&s, FIDX);
    drop_file(&s, FDATA);
    drop_file(&s, FTS);
    import_damaged(&r, s, "flare_thread_missing", 1);
    run_free(&r);
    s = mini();
    drop_file(&s, FIDX);
    drop_file(&s, FDATA);
    import_damaged(&r, s, "flare_data_bad", 1);
    run_free(&r);
}

/* --- damage everywhere ------------------------------------------------------------------------ */

static sample small(bool resp)
{
    sample s = mini();
    if (resp) {
        drop_file(&s, FIDX);
        drop_file(&s, FDATA);
        begin_pair(&s, "thread_132_stack", '4');
        put_pair(&s, "thread_132_stack", 0, 4, "*2\r\n:" LOOP "\r\n:" RUN "\r\n", 28);
        put_pair(&s, "thread_132_stack", 2, 4, "*0\r\n", 4);
        put_pair(&s, "thread_132_stack", 5, 4, "*1\r\n:" RUN "\r\n", 16);
    }
    return s;
}

static void test_blocks(void **state)
{
    static const size_t blocks[] = {1, 2, 3, 7, 4096};
    UNUSED(state);
    for (int resp = 0; resp < 2; resp++) {
        sample s = small(resp != 0);
        run whole;
        folder f = write_sample(&s);
        const char *path = f.path;
        import_begin(&whole);
        (void)import_paths(&whole, &path, 1, 0);
        for (size_t i = 0; i < 5; i++) {
            run r;
            import_begin(&r);
            (void)import_paths(&r, &path, 1, blocks[i]);
            assert_ok(r.ctx, r.code);
            assert_true(memsink_equal(r.sink, whole.sink));
            run_free(&r);
        }
        run_free(&whole);
        remove_sample(&f, &s);
        sample_free(&s);
    }
}

/* One file as it is now; nothing may go wrong, and with_parts: blocks of any size read the same. */
static void check_damaged(const sample *s, bool with_parts)
{
    folder f = write_sample(s);
    const char *path = f.path;
    run r;
    run parts;
    import_begin(&r);
    (void)import_paths(&r, &path, 1, 0);
    assert_ok(r.ctx, r.code);
    assert_int_equal(issues(&r, "conservation"), 0);
    if (with_parts) {
        import_begin(&parts);
        (void)import_paths(&parts, &path, 1, 5);
        assert_ok(parts.ctx, parts.code);
        assert_true(memsink_equal(r.sink, parts.sink));
        run_free(&parts);
    }
    run_free(&r);
    remove_sample(&f, s);
}

static unsigned stride(void)
{
    return test_slow() ? 1 : 11;
}

static void test_cut_at_every_byte(void **state)
{
    UNUSED(state);
    for (int resp = 0; resp < 2; resp++) {
        sample s = small(resp != 0);
        for (size_t i = 0; i < s.count; i++) {
            size_t n = s.files[i].n;
            for (s.files[i].n = 0; s.files[i].n < n; s.files[i].n += stride()) {
                check_damaged(&s, s.files[i].n % 5 == 0);
            }
            s.files[i].n = n;
        }
        sample_free(&s);
    }
}

static void test_every_bit(void **state)
{
    UNUSED(state);
    for (int resp = 0; resp < 2; resp++) {
        sample s = small(resp != 0);
        for (size_t i = 0; i < s.count; i++) {
            for (size_t bit = 0; bit < s.files[i].n * 8; bit += stride() * 7 - 6) {
                s.files[i].p[bit / 8] ^= (uint8_t)(1U << bit % 8);
                check_damaged(&s, bit % 5 == 0);
                s.files[i].p[bit / 8] ^= (uint8_t)(1U << bit % 8);
            }
        }
        sample_free(&s);
    }
}

/* What is cut from a data file leaves the samples before it as they were, but for the last end. */
static void test_cut_data_keeps_what_is_before(void **state)
{
    static const size_t ends[] = {437, 682, 927, 1180, 1415, 1667};
    sample s = mini();
    bytes *b = file_of(&s, FDATA);
    run whole;
    UNUSED(state);
    import_sample(&whole, &s, 0);
    for (b->n = 202; b->n < 1667; b->n += stride()) {
        size_t complete = 0;
        run r;
        while (ends[complete] <= b->n) {
            complete++;
        }
        import_sample(&r, &s, 0);
        assert_rows(&r, stack_sample, complete);
        for (size_t i = 0; i + 1 < complete; i++) {
            assert_cell(&r, stack_sample, i, dur, MEM_INT(whole.sink, stack_sample, i, dur));
        }
        run_free(&r);
    }
    run_free(&whole);
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unusable_series),
        cmocka_unit_test(test_unit_time_from_the_summary),
        cmocka_unit_test(test_stray_bytes_of_a_series),
        cmocka_unit_test(test_end_of_a_series),
        cmocka_unit_test(test_cut_record),
        cmocka_unit_test(test_bad_records),
        cmocka_unit_test(test_payloads),
        cmocka_unit_test(test_long_records),
        cmocka_unit_test(test_no_long_record),
        cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_offsets_beyond_32_bits),
        cmocka_unit_test(test_bad_entries),
        cmocka_unit_test(test_short_index),
        cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_index_without_data),
        cmocka_unit_test(test_properties_without_an_end),
        cmocka_unit_test(test_data_without_any_header),
        cmocka_unit_test(test_grown_index),
        cmocka_unit_test(test_keys_that_are_no_steps),
        cmocka_unit_test(test_methods_without_ids),
        cmocka_unit_test(test_names_that_are_no_utf8),
        cmocka_unit_test(test_other_texts_that_are_no_utf8),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_behind_the_summary),
        cmocka_unit_test(test_stale_summary),
        cmocka_unit_test(test_clock_set_back),
        cmocka_unit_test(test_steps_that_are_not_those_of_the_times),
        cmocka_unit_test(test_times_beyond_64_bit),
        cmocka_unit_test(test_series_that_are_not_those_of_the_stacks),
        cmocka_unit_test(test_names_that_moved),
        cmocka_unit_test(test_records_that_are_missing),
        cmocka_unit_test(test_records_that_come_twice),
        cmocka_unit_test(test_numbers_that_begin_again),
        cmocka_unit_test(test_records_that_only_the_summary_has),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit),
        cmocka_unit_test(test_cut_data_keeps_what_is_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

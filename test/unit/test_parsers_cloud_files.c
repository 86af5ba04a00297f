/* Cloud Profiler: stream files, directories of the agent, single files under any name, and parts
 * of the time. */
#include "cloud_build.h"

#define POD "shop-1_1691167326000"

/* The names of sources begin with these bytes, or there is no such source. */
static int64_t source_named(const run *r, const char *name)
{
    for (size_t i = 0; i < MEM_ROWS(r->sink, source); i++) {
        if (ts_text_is(MEM_TEXT(r->sink, source, i, name), name)) {
            return MEM_INT(r->sink, source, i, id);
        }
    }
    fail_msg("no source %s", name);
    return 0;
}

static size_t rows_of(const run *r, int64_t source, enum ts_table_id table, unsigned column)
{
    size_t n = 0;
    for (size_t i = 0; i < memsink_rows(r->sink, table); i++) {
        n += memsink_int(r->sink, table, i, column) == source;
    }
    return n;
}

#define ROWS_OF(r, source, table) rows_of((r), (source), TS_T_##table, TS_C_##table##__source_id)

/* --- stream files ---------------------------------------------------------------------------- */

static void test_stream_files(void **state)
{
    run r;
    pod p = worked();
    set s = flat_files(&p, POD);
    UNUSED(state);
    import_files_of(&r, &s);
    assert_worked_slices(&r);
    assert_rows(&r, source, 1);
    assert_mem_text(r.sink, source, 0, name, POD);
    assert_mem_text(r.sink, source, 0, kind, "pod");
    assert_cell(&r, source, 0, start_ts, MS(INT64_C(1691167326000)));
    assert_cell(&r, source, 0, complete, 1);
    assert_cell(&r, cloud_call, 0, suspend_dur, MS(100));
    assert_int_equal(complaints(&r), 0);
    assert_cell(&r, process, 1, slice_count, 4); /* what a viewer looks at */
    assert_int_equal(stat_count(&r, "print", "received"), 4);
    pod_free(&p);
    run_free(&r);
}

/* Two pods in one folder, in folders of their own, and one of them with .bin and `traces`. */
static void test_pods_of_a_directory(void **state)
{
    run r;
    pod p = worked();
    set s = flat_files(&p, "a/" POD);
    UNUSED(state);
    set_put(&s, p.stream[DICTIONARY], "shop-2.dictionary.bin");
    set_put(&s, p.stream[TRACE], "shop-2.traces.0.bin");
    set_put(&s, p.stream[CALLS], "shop-2.calls.0.bin");
    set_put(&s, p.stream[TRACE], "shop-3.trace.0.bin");
    import_files_of(&r, &s);
    assert_rows(&r, source, 3);
    assert_int_equal(ROWS_OF(&r, source_named(&r, POD), stack_slice), 4);
    assert_int_equal(ROWS_OF(&r, source_named(&r, "shop-2"), stack_slice), 4);
    assert_int_equal(ROWS_OF(&r, source_named(&r, "shop-2"), cloud_call), 1);
    assert_int_equal(ROWS_OF(&r, source_named(&r, "shop-3"), stack_slice), 4);
    assert_int_equal(ROWS_OF(&r, source_named(&r, "shop-3"), cloud_call), 0);
    assert_int_equal(issue_sum(&r, "cloud_word_missing"), 5); /* of shop-3 */
    assert_int_equal(complaints(&r), 5);
    pod_free(&p);
    run_free(&r);
}

/* Every stream may be empty; only texts may be so without a word. */
static void test_empty_files(void **state)
{
    run r;
    set s = {.count = 0};
    UNUSED(state);
    for (int w = 0; w < STREAMS; w++) {
        set_put(&s, (bytes){0}, "p.%s.protocol", stream_names[w]);
    }
    set_put(&s, (bytes){0}, "p.posDictionary.protocol");
    import_files_of(&r, &s);
    assert_rows(&r, source, 1);
    assert_int_equal(issue_sum(&r, "cloud_header_cut"), 6);
    assert_int_equal(complaints(&r), 6);
    assert_rows(&r, cloud_call, 0);
    run_free(&r);
}

/* Headers that are cut after each of their bytes. */
static void test_cut_headers(void **state)
{
    static const size_t sizes[STREAMS] = {[PARAMS] = 5, [SUSPEND] = 8, [TRACE] = 8, [CALLS] = 16};
    pod p = worked();
    UNUSED(state);
    HEX(&p.stream[PARAMS], 0, 0, 0, 1, 1);
    for (int w = 0; w < STREAMS; w++) {
        for (size_t n = 1; n < sizes[w]; n++) {
            run r;
            set s = {.count = 0};
            set_put(&s, (bytes){p.stream[w].p, n, 0}, "p.%s.protocol", stream_names[w]);
            import_files_of(&r, &s);
            assert_int_equal(issue_sum(&r, "cloud_header_cut"), 1);
            assert_int_equal(COUNTED(&r, "bytes", lost), n);
            run_free(&r);
        }
    }
    pod_free(&p);
}

static void test_numbers_of_files(void **state)
{
    run r;
    pod p = worked();
    set s = {.count = 0};
    UNUSED(state);
    set_put(&s, p.stream[DICTIONARY], "p.dictionary.protocol");
    set_put(&s, p.stream[CALLS], "p.calls.0.protocol");
    set_put(&s, p.stream[CALLS], "p.calls.3.protocol"); /* 1 and 2 are missing */
    set_put(&s, p.stream[CALLS], "p.calls.3.bin");
    set_put(&s, p.stream[SQL], "p.gc.0.protocol");
    set_put(&s, p.stream[SUSPEND], "p.td.0.protocol");
    set_put(&s, p.stream[SQL], "readme.txt");
    set_put(&s, p.stream[SQL], "calls.protocol"); /* whose? */
    import_files_of(&r, &s);
    assert_rows(&r, cloud_call, 2);
    assert_cell(&r, cloud_call, 1, calls_file, 4);
    assert_int_equal(issue_sum(&r, "cloud_file_gap"), 2);
    assert_int_equal(issue_sum(&r, "cloud_file_twice"), 1);
    assert_int_equal(issue_sum(&r, "cloud_stream_skipped"), 2);
    assert_int_equal(issue_sum(&r, "member_skipped"), 2);
    assert_int_equal(issue_sum(&r, "cloud_call_no_trace"), 2);
    assert_int_equal(COUNTED(&r, "bytes", skipped), p.stream[SUSPEND].n);
    assert_null_cell(&r, cloud_call, 0, root_slice_id);
    assert_null_cell(&r, cloud_call, 0, itid);
    pod_free(&p);
    run_free(&r);
}

/* Names that only look like those of streams. */
static void test_names_that_are_none(void **state)
{
    static const char *const names[] = {
        "p.calls.1234567890.protocol", /* files have nine digits at most */
        "p.calls[1.protocol",
        "p.calls[].protocol.txt",
        "p.call.protocol",
        ".calls.protocol",
        "calls.0.protocol",
        "p.calls.x.protocol",
        "protocol",
        "calls/00001",
        "calls/00001x",
        "calls/1234567890",
        "call/000001",
        "p.calls[a-span-of-time-that-is-longer-than-any-name-of-a-stream].bin",
        "000001",
    };
    run r;
    pod p = worked();
    set s = flat_files(&p, POD);
    UNUSED(state);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        set_put(&s, p.stream[CALLS], "%s", names[i]);
    }
    import_files_of(&r, &s);
    assert_rows(&r, source, 1);
    assert_rows(&r, cloud_call, 1);
    assert_int_equal(issue_sum(&r, "member_skipped"), sizeof names / sizeof names[0]);
    assert_int_equal(complaints(&r), 0);
    pod_free(&p);
    run_free(&r);
}

static uint32_t crc32_of(const bytes *b)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < b->n; i++) {
        crc ^= b->p[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (0xedb88320 & (0U - (crc & 1)));
        }
    }
    return ~crc;
}

/* A member of gzip with one stored block; `wrong` is added to its checksum. */
static bytes gzip_of(const bytes *b, uint32_t wrong)
{
    bytes z = {0};
    HEX(&z, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1);
    put_le(&z, b->n, 2);
    put_le(&z, ~b->n & 0xffff, 2);
    put(&z, b->p, b->n);
    put_le(&z, crc32_of(b) + wrong, 4);
    put_le(&z, b->n, 4);
    return z;
}

/* Compressed files: whole, without their end as the newest of an agent, with a wrong checksum, two
 * members, and bytes behind the end. */
static void test_compressed_files(void **state)
{
    static const struct {
        size_t cut; /* bytes that are missing at the end */
        uint32_t wrong;
        const char *more;
        const char *issue;
        size_t complaints;
    } cases[] = {
        {0, 0, NULL, NULL, 0},
        {8, 0, NULL, "cloud_live_file", 0},
        {3, 0, NULL, "cloud_live_file", 0},
        {0, 1, NULL, "wire_damage", 1},
        {0, 0, "tail", "wrapper_trailing_bytes", 1},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        pod p = worked();
        bytes zip;
        set s = {.count = 0};
        unframe(&p);
        zip = gzip_of(&p.stream[DICTIONARY], cases[i].wrong);
        zip.n -= cases[i].cut;
        if (cases[i].more != NULL) {
            put_str(&zip, cases[i].more);
        }
        set_put(&s, zip, "1691167326000/dictionary/000001.gz");
        set_put(&s, p.stream[TRACE], "1691167326000/trace/000001");
        set_put(&s, p.stream[CALLS], "1691167326000/calls/000001");
        import_begin(&r);
        import_set(&r, &s, 0);
        assert_ok(r.ctx, r.code);
        assert_int_equal(issues(&r, "conservation"), 0);
        assert_worked_slices(&r);
        assert_rows(&r, cloud_dictionary, WORDS);
        assert_int_equal(complaints(&r), cases[i].complaints);
        if (cases[i].issue != NULL) {
            assert_int_equal(issues(&r, cases[i].issue), 1);
            assert_int_equal(issue_offset(&r, cases[i].issue), p.stream[DICTIONARY].n);
        }
        pod_free(&p);
        free(zip.p);
        run_free(&r);
    }
}

/* Nothing refers to pauses: where the checksum is wrong, none is certain. */
static void test_compressed_pauses(void **state)
{
    UNUSED(state);
    for (uint32_t wrong = 0; wrong < 2; wrong++) {
        run r;
        pod p = worked();
        bytes zip;
        set s = {.count = 0};
        unframe(&p);
        zip = gzip_of(&p.stream[SUSPEND], wrong);
        set_put(&s, zip, "1691167326000/suspend/000001.gz");
        set_put(&s, p.stream[DICTIONARY], "1691167326000/dictionary/000001");
        set_put(&s, p.stream[TRACE], "1691167326000/trace/000001");
        set_put(&s, p.stream[CALLS], "1691167326000/calls/000001");
        import_begin(&r);
        import_set(&r, &s, 0);
        assert_ok(r.ctx, r.code);
        assert_rows(&r, cloud_suspend, 2);
        assert_int_equal(MEM_NULL(r.sink, cloud_suspend, 0, ts), wrong == 1);
        assert_int_equal(MEM_NULL(r.sink, cloud_suspend, 1, dur), wrong == 1);
        assert_int_equal(MEM_NULL(r.sink, cloud_call, 0, suspend_dur), wrong == 1);
        assert_int_equal(issues(&r, "wire_damage"), wrong);
        pod_free(&p);
        free(zip.p);
        run_free(&r);
    }
}

/* --- the agent's own files ------------------------------------------------------------------- */

static void test_agent_directory(void **state)
{
    run r;
    pod p = worked();
    set s = {.count = 0};
    UNUSED(state);
    unframe(&p);
    put_agent(&s, &p, "shop/2023/08/04/1691167326000");
    set_put(&s, p.stream[CALLS], "shop/2023/08/04/1691167326000/calls[100ms-500ms]/000001");
    set_put(&s, (bytes){0}, "shop/2023/08/04/1691167326000/callsDictionary/000001");
    set_put(&s, p.stream[SQL], "shop/filelist.blst");
    import_files_of(&r, &s);
    assert_worked_slices(&r);
    assert_rows(&r, source, 1);
    assert_rows(&r, cloud_call, 1);
    assert_rows(&r, cloud_suspend, 2);
    assert_rows(&r, cloud_dictionary, WORDS);
    assert_cell(&r, source, 0, start_ts, MS(INT64_C(1691167326000)));
    assert_int_equal(issue_sum(&r, "cloud_stream_skipped"), 2);
    assert_int_equal(issue_sum(&r, "member_skipped"), 1);
    assert_int_equal(complaints(&r), 0);
    pod_free(&p);
    run_free(&r);
}

static bytes plain_params(void)
{
    bytes b = {0};
    HEX(&b, 1);
    put_string(&b, "word.1");
    HEX(&b, 1, 0, 100, 0);
    return b;
}

/* A start of the agent without params takes those of the start before, or of the next; not those
 * of another server. */
static void test_params_are_borrowed(void **state)
{
    run r;
    pod p = worked();
    bytes params = plain_params();
    bytes newer = plain_params();
    set s = {.count = 0};
    size_t total;
    UNUSED(state);
    unframe(&p);
    free(p.stream[PARAMS].p);
    p.stream[PARAMS] = (bytes){0};
    newer.p[newer.n - 2] = 50;
    set_put(&s, p.stream[TRACE], "shop/2023/08/03/1691080926000/trace/000001");
    set_put(&s, p.stream[DICTIONARY], "shop/2023/08/04/1691167326000/dictionary/000001");
    set_put(&s, params, "shop/2023/08/04/1691167326000/params/000001");
    put_agent(&s, &p, "shop/2023/08/05/1691253726000");
    set_put(&s, newer, "shop/2023/08/06/1691340126000/params/000001");
    set_put(&s, p.stream[TRACE], "shoq/2023/08/05/1691253726001/trace/000001");
    set_put(&s, p.stream[TRACE], "odd/1691253726002/trace/000001");
    import_files_of(&r, &s);
    total = 4 * p.stream[TRACE].n + 2 * p.stream[DICTIONARY].n + p.stream[SUSPEND].n +
            p.stream[CALLS].n + params.n + newer.n;
    assert_rows(&r, source, 6);
    assert_int_equal(ROWS_OF(&r, source_named(&r, "1691080926000"), cloud_param), 1);
    assert_int_equal(ROWS_OF(&r, source_named(&r, "1691253726000"), cloud_param), 1);
    assert_int_equal(ROWS_OF(&r, source_named(&r, "1691253726001"), cloud_param), 0);
    assert_int_equal(ROWS_OF(&r, source_named(&r, "1691253726002"), cloud_param), 0);
    assert_rows(&r, cloud_param, 4);
    for (size_t i = 0; i < 4; i++) {
        bool own = MEM_INT(r.sink, cloud_param, i, source_id) == source_named(&r, "1691340126000");
        assert_cell(&r, cloud_param, i, sort_order, own ? 50 : 100);
    }
    assert_int_equal(issue_sum(&r, "cloud_params_borrowed"), 2);
    assert_int_equal(COUNTED(&r, "bytes", seen), total);
    assert_int_equal(COUNTED(&r, "cloud_params", seen), 4);
    pod_free(&p);
    free(params.p);
    free(newer.p);
    run_free(&r);
}

/* The directory that was named may be one below the server's. */
static void test_params_are_borrowed_below_the_server(void **state)
{
    static const char *const above[] = {"", "04/", "08/04/", "2023/08/04/", "x/2023/08/04/"};
    pod p = worked();
    bytes params = plain_params();
    UNUSED(state);
    for (size_t i = 0; i < sizeof above / sizeof above[0]; i++) {
        run r;
        set s = {.count = 0};
        set_put(&s, p.stream[TRACE], "%s1691167326000/trace/000001", above[i]);
        set_put(&s, params, "%s1691167326001/params/000001", above[i]);
        import_files_of(&r, &s);
        assert_rows(&r, cloud_param, 2);
        run_free(&r);
    }
    pod_free(&p);
    free(params.p);
}

/* --- single files under any name ------------------------------------------------------------- */

static void import_head(run *r, const bytes *b)
{
    import_begin(r);
    (void)import_files(r, b, 1, 0);
}

/* Framed and plain. The other rows are those of the streams that nothing was said of. */
static void test_streams_are_known_by_their_content(void **state)
{
    pod p = worked();
    UNUSED(state);
    bytes params = plain_params();
    put_phrase(&p.stream[PARAMS], &params);
    free(params.p);
    for (int plain = 0; plain < 2; plain++) {
        for (int w = 0; w < STREAMS; w++) {
            run r;
            if (w == SQL || w == XML) {
                continue; /* only the name tells them */
            }
            import_head(&r, &p.stream[w]);
            assert_ok(r.ctx, r.code);
            assert_rows(&r, cloud_dictionary, w == DICTIONARY ? WORDS : 0);
            assert_rows(&r, cloud_param, w == PARAMS ? 1 : 0);
            assert_rows(&r, cloud_suspend, w == SUSPEND ? 2 : 0);
            assert_rows(&r, stack_slice, w == TRACE ? 4 : 0);
            assert_rows(&r, cloud_call, w == CALLS ? 1 : 0);
            run_free(&r);
        }
        if (!plain) {
            unframe(&p);
        }
    }
    pod_free(&p);
}

/* An icon, a film, zeros, and parameters and pauses that are none. */
static void test_other_files_are_not_taken(void **state)
{
    static const uint8_t heads[][24] = {
        {0, 0, 1, 0, 1, 0, 32, 32, 0, 0, 1, 0, 4, 0, 40, 1, 0, 0, 22, 0, 0, 0, 40, 0},
        {0, 0,    1, 0xba, 68, 0,    4, 0,  4,    1,    0,    0,
         3, 0xf8, 0, 0,    1,  0xbb, 0, 18, 0x80, 0xc4, 0xe1, 4},
        {0},
        {1, 2, 0, 'a', 0, 'b', 2, 0, 100, 0},
        {1, 2, 0, 'a', 0, '\n', 1, 0, 100, 0},
        {1, 0, 1, 1, 100, 0},
        {0, 0, 1, 0x89, 0xc1, 0x6d, 0x81, 0x97, 5, 6, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5},
        {0xff, 0xfe, 0xfd, 0xfc, 0, 0, 0, 5},
        {0x14, 0, 0, 0, 0, 0, 1, 0x88, 0xfe, 0, 0, 0, 1},
        {0x14, 0, 0, 0, 0, 0, 1, 0x88, 0xfd, 0, 0, 4, 0},
        {0, 0, 1, 0x89, 0xc1, 0x6d, 0x81, 0x97, 0, 0, 0, 0, 0, 0, 0, 1},
        {0, 0, 1, 0x89, 0xc1, 0x6d, 0x81, 0x97, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
        {1, 4, 0, 'a', 0, 'b', 0, 'c', 0, 'd', 0, 5, 100, 0},
        {0, 0, 0x30, 0, 1, 1, 0, 'a', 0, 0, 100, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        bytes b = {0};
        run r;
        put(&b, heads[i], sizeof heads[i]);
        import_head(&r, &b);
        assert_int_equal(r.code, TS_ERR_FORMAT);
        run_free(&r);
        free(b.p);
    }
}

/* --- parts of the time ----------------------------------------------------------------------- */

/* A second root 1000 ms after the first one, with a tag, and its call with the first one's
 * parameter. */
static pod two_calls(void)
{
    pod p = worked();
    bytes *c = &p.stream[CALLS];
    bytes *t = &p.stream[TRACE];
    put_be(t, 1, 8);
    put_be(t, CALL_START, 8);
    HEX(t, 0x80 | 21 << 2, 65, 9); /* 2101 = 21 | 65 << 5 */
    HEX(t, 0x02, 3, 0);
    put_string(t, "x");
    HEX(t, 0x02 | 10 << 2, 0, 0, 0, 0x01, 0x03);
    put_varint(c, 2000);
    HEX(c, 9, 10, 1, 0, 0, 0, 1, 46, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    HEX(c, 1, 3, 1, 1, 0, 'y');
    return p;
}

static void import_range(run *r, const char *name, ts_wanted_kind kind, int64_t from, int64_t to)
{
    pod p = two_calls();
    bytes b = {0};
    assert_int_equal(p.stream[TRACE].n, 46 + 16 + 3 + 6 + 6);
    put_pod(&b, name, &p);
    pod_free(&p);
    import_begin(r);
    r->ctx->time_range = (ts_time_range){kind, from, to};
    (void)import_files(r, &b, 1, 0);
    free(b.p);
    assert_ok(r->ctx, r->code);
    assert_int_equal(issues(r, "conservation"), 0);
}

static void assert_counts(const run *r, const char *item, int64_t imported, int64_t skipped)
{
    assert_int_equal(COUNTED(r, item, imported), imported);
    assert_int_equal(COUNTED(r, item, skipped), skipped);
    assert_int_equal(COUNTED(r, item, lost), 0);
    assert_int_equal(COUNTED(r, item, seen), imported + skipped);
}

/* Calls at 327716 and 328716, pauses at 326755 and 327900 ms after 1691167000000. */
static void test_time_range(void **state)
{
    static const struct {
        int64_t from, to;     /* ms after the first call */
        int64_t slices, tags; /* of 5 and 3 */
        int64_t calls, values;
        int64_t pauses;
    } cases[] = {
        {INT32_MIN, INT32_MAX, 5, 3, 2, 3, 2},
        {0, 1, 4, 1, 1, 2, 0},
        {0, 1000, 4, 1, 1, 2, 1},
        {1, 1001, 1, 2, 1, 1, 1}, /* the first call's callees begin in it, but not the call */
        {1000, 1001, 1, 2, 1, 1, 0},
        {-1000, 0, 0, 0, 0, 0, 1},
        {1001, INT32_MAX, 0, 0, 0, 0, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        run r;
        bool offset = i % 2 == 1; /* from the start of the agent, which is in the pod's name */
        size_t k = i / 2;
        int64_t shift = offset ? CALL_START - INT64_C(1691167326000) : CALL_START;
        import_range(&r, POD, offset ? TS_WANTED_OFFSET : TS_WANTED_REALTIME,
                     MS(shift + cases[k].from), MS(shift + cases[k].to));
        assert_counts(&r, "cloud_enters", cases[k].slices, 5 - cases[k].slices);
        assert_counts(&r, "cloud_exits", cases[k].slices, 5 - cases[k].slices);
        assert_counts(&r, "cloud_tags", cases[k].tags, 3 - cases[k].tags);
        assert_counts(&r, "cloud_calls", cases[k].calls, 2 - cases[k].calls);
        assert_counts(&r, "cloud_call_params", cases[k].values, 3 - cases[k].values);
        assert_counts(&r, "cloud_pauses", cases[k].pauses, 2 - cases[k].pauses);
        assert_counts(&r, "cloud_words", WORDS, 0);
        assert_counts(&r, "cloud_blocks", 2, 0);
        assert_rows(&r, stack_slice, cases[k].slices);
        assert_rows(&r, cloud_root, (cases[k].slices + 3) / 4);
        assert_rows(&r, cloud_tag, cases[k].tags);
        assert_rows(&r, cloud_call, cases[k].calls);
        assert_rows(&r, cloud_call_param, cases[k].values);
        assert_rows(&r, cloud_suspend, cases[k].pauses);
        for (size_t c = 0; c < (size_t)cases[k].calls; c++) {
            bool first = MEM_INT(r.sink, cloud_call, c, dur) == MS(415);
            assert_cell(&r, cloud_call, c, suspend_dur, first ? MS(100) : 0);
            assert_false(MEM_NULL(r.sink, cloud_call, c, root_slice_id));
            assert_false(MEM_NULL(r.sink, cloud_call, c, itid));
        }
        assert_int_equal(complaints(&r), 0);
        run_free(&r);
    }
}

static void test_time_range_from_an_unknown_beginning(void **state)
{
    run r;
    UNUSED(state);
    import_range(&r, "shop", TS_WANTED_OFFSET, MS(1), MS(2));
    assert_int_equal(issues(&r, "time_range_unrelated"), 1);
    assert_counts(&r, "cloud_enters", 5, 0);
    run_free(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream_files),
        cmocka_unit_test(test_pods_of_a_directory),
        cmocka_unit_test(test_empty_files),
        cmocka_unit_test(test_cut_headers),
        cmocka_unit_test(test_numbers_of_files),
        cmocka_unit_test(test_names_that_are_none),
        cmocka_unit_test(test_compressed_files),
        cmocka_unit_test(test_compressed_pauses),
        cmocka_unit_test(test_agent_directory),
        cmocka_unit_test(test_params_are_borrowed),
        cmocka_unit_test(test_params_are_borrowed_below_the_server),
        cmocka_unit_test(test_streams_are_known_by_their_content),
        cmocka_unit_test(test_other_files_are_not_taken),
        cmocka_unit_test(test_time_range),
        cmocka_unit_test(test_time_range_from_an_unknown_beginning),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

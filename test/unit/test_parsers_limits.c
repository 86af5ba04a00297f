/* Memory in bounds, work in proportion to the input, and every allocation and every row failing. */
#include "parsers_run.h"

/* --- much data -------------------------------------------------------------------------------- */

typedef struct totals {
    ts_sink sink;
    uint64_t peak;
} totals;

/* Takes the file over. */
static void import_large(totals *t, bytes file)
{
    const char *path = "/proc/self/fd/200";
    ts_import_request request = {.paths = &path, .path_count = 1};
    ts_import_result result;
    ts_ctx *ctx = test_ctx_new();
    ts_store *store;
    *t = (totals){.sink = ts_sink_null()};
    open_input(FIRST_FD, &file);
    free(file.p);
    assert_ok(ctx, ts_store_new(&store, ctx, &t->sink, NULL));
    assert_ok(ctx, ts_import_run(&result, ctx, store, &request));
    assert_ok(ctx, ts_store_finish(store));
    close(FIRST_FD);
    t->peak = ctx->memory_peak;
    ts_store_free(store);
    test_ctx_free(ctx);
}

/* Each node owns two edges. spread: ids that lie far apart. */
static bytes large_snapshot(int n, size_t string, bool edges_first, int64_t spread)
{
    bytes b = {0};
    bytes edges = {0};
    put_str(&edges, "\"edges\":[");
    for (int i = 0; i < 2 * n; i++) {
        putf(&edges, "%s2,0,%d", i == 0 ? "" : "\n,", (i * 31 % n) * 7);
    }
    put_str(&edges, "],");
    put_str(&b, "{\"snapshot\":{" META_ALL "},");
    if (edges_first) {
        put(&b, edges.p, edges.n);
    }
    put_str(&b, "\"nodes\":[");
    for (int i = 0; i < n; i++) {
        putf(&b, "%s1,0,%" PRId64 ",%d,2,0,0", i == 0 ? "" : "\n,", 1 + spread * i, i % 1000);
    }
    put_str(&b, "],");
    if (!edges_first) {
        put(&b, edges.p, edges.n);
    }
    put_str(&b, "\"strings\":[\"");
    for (size_t i = 0; i < string; i++) {
        put_str(&b, i % 50 == 0 ? "\xc3\xa4" : "x");
    }
    put_str(&b, "\"]}");
    free(edges.p);
    return b;
}

enum { MIB = 1 << 20, NODES = 300000 };

static void test_memory_of_a_snapshot(void **state)
{
    totals t;
    UNUSED(state);
    import_large(&t, large_snapshot(NODES, 10, false, 2));
    assert_int_equal(t.sink.rows[TS_T_js_heap_nodes], NODES);
    assert_int_equal(t.sink.rows[TS_T_js_heap_edges], 2 * NODES);
    assert_in_range(t.peak, 1, 4 * MIB + 16 * NODES);
    import_large(&t, large_snapshot(NODES, 10, false, INT64_C(30000000000)));
    assert_in_range(t.peak, 1, 4 * MIB + 16 * NODES);
}

static void test_memory_of_a_snapshot_in_another_order(void **state)
{
    totals t;
    UNUSED(state);
    import_large(&t, large_snapshot(NODES, 10, true, 2));
    assert_int_equal(t.sink.rows[TS_T_js_heap_edges], 2 * NODES);
    assert_in_range(t.peak, 1, 4 * MIB + 16 * NODES);
}

static void test_memory_of_a_long_string(void **state)
{
    enum { LONG = 30000000 };
    totals t;
    UNUSED(state);
    import_large(&t, large_snapshot(10, LONG, false, 2));
    assert_int_equal(t.sink.rows[TS_T_js_heap_string], 1);
    assert_in_range(t.peak, 1, 5 * MIB);
}

/* A string around the length from which it goes through a spool, in pieces that end anywhere. */
static void test_strings_that_are_not_held(void **state)
{
    static const char unit[] = "\xc3\xa4x\xf0\x9f\x98\x80\xe6\x97\xa5";
    UNUSED(state);
    for (size_t n = 104000; n <= 400000; n += 148000) {
        bytes want = {0};
        bytes text = {0};
        bytes object = {0};
        put_str(&text,
                "{\"snapshot\":{" META_ALL "},\"nodes\":[],\"edges\":[],\"strings\":[\"a\",\"");
        for (size_t i = 0; i < n; i++) {
            put_str(&want, unit);
            put_str(&text, i % 3 == 0 ? "\\u00e4x\\ud83d\\ude00\xe6\x97\xa5" : unit);
        }
        put_str(&want, "\xef\xbf\xbd"); /* a surrogate without a partner */
        put_str(&text, "\\ud83d\",\"z\"]}");
        for (size_t block = 0; block < 100000; block = 3 * block + 4099) {
            run r;
            import_begin(&r);
            (void)import_files(&r, &text, 1, block);
            assert_ok(r.ctx, r.code);
            assert_rows(&r, js_heap_string, 3);
            assert_int_equal(MEM_TEXT(r.sink, js_heap_string, 1, string).n, want.n);
            assert_memory_equal(MEM_TEXT(r.sink, js_heap_string, 1, string).p, want.p, want.n);
            assert_mem_text(r.sink, js_heap_string, 2, string, "z");
            assert_int_equal(issue_sum(&r, "heap_bad_string"), 1);
            run_free(&r);
        }
        /* The same as an object inside a message, whose strings come as they were written. */
        size_t at = begin_recording(&object);
        put_str(&want, "");
        bytes message = {0};
        put_str(&message, "{\"params\":{\"chunk\":");
        put(&message, text.p, text.n);
        put_str(&message, "}}");
        put_message_n(&object, (const char *)message.p, message.n, AT(1000));
        put_mark(&object, 1, AT(2000));
        close_header(&object, at);
        run r;
        import_bytes(&r, object);
        assert_int_equal(MEM_TEXT(r.sink, js_heap_string, 1, string).n, want.n);
        assert_memory_equal(MEM_TEXT(r.sink, js_heap_string, 1, string).p, want.p, want.n);
        assert_int_equal(issue_sum(&r, "heap_bad_string"), 1);
        run_free(&r);
        free(message.p);
        free(text.p);
        free(want.p);
    }
}

static void test_limit_of_a_string_that_is_not_held(void **state)
{
    bytes text = large_snapshot(2, 2000000, false, 2); /* 2 040 000 bytes; every 50th has two */
    UNUSED(state);
    for (uint64_t limit = 1999998; limit <= 2000002; limit++) {
        run r;
        uint64_t pair = limit % 51 == 1 ? 1 : 0; /* it would fall inside a character */
        import_begin(&r);
        r.ctx->limits.max_string = limit;
        (void)import_files(&r, &text, 1, 0);
        assert_ok(r.ctx, r.code);
        assert_int_equal(MEM_TEXT(r.sink, js_heap_string, 0, string).n, limit - pair);
        assert_int_equal(issues(&r, "heap_string_too_long"), 1);
        run_free(&r);
    }
    free(text.p);
}

/* A number of n digits. */
static void put_wide(bytes *b, int v, size_t n)
{
    for (size_t i = 4; i < n; i++) {
        put(b, "0", 1);
    }
    putf(b, "%04d", v);
}

static size_t last_digits(ts_text text, size_t n)
{
    size_t v = 0;
    assert_int_equal(text.n, n);
    for (size_t i = n - 4; i < n; i++) {
        v = v * 10 + (size_t)(text.p[i] - '0');
    }
    return v;
}

/* Each node with a name and a URL of its own, both long: they are kept in no memory. */
static void test_memory_of_long_names(void **state)
{
    enum { COUNT = 500, LONG = 40000 };
    bytes b = {0};
    totals t;
    run r;
    UNUSED(state);
    put_str(&b, "{\"nodes\":[");
    for (int i = 1; i <= COUNT; i++) {
        putf(&b, "%s{\"id\":%d,\"callFrame\":{\"functionName\":\"", i == 1 ? "" : ",", i);
        put_wide(&b, i % 250, LONG);
        put_str(&b, "\",\"url\":\"");
        put_wide(&b, i, LONG);
        put_str(&b, "\"}}");
    }
    put_str(&b, "],\"startTime\":0,\"endTime\":1,\"samples\":[],\"timeDeltas\":[]}");
    import_begin(&r);
    (void)import_files(&r, &b, 1, 0);
    assert_ok(r.ctx, r.code);
    assert_rows(&r, data_dict, 1 + 501); /* "" and the numbers from 0 to 500 */
    for (size_t i = 0; i < COUNT; i++) {
        size_t name = (size_t)MEM_INT(r.sink, js_cpu_profiler_node, i, function_index);
        size_t url = (size_t)MEM_INT(r.sink, js_cpu_profiler_node, i, url_index);
        assert_int_equal(last_digits(MEM_TEXT(r.sink, data_dict, name, data), LONG), (i + 1) % 250);
        assert_int_equal(last_digits(MEM_TEXT(r.sink, data_dict, url, data), LONG), i + 1);
    }
    run_free(&r);
    import_large(&t, b);
    assert_in_range(t.peak, 1, 5 * MIB);
}

static void test_limit_of_a_string(void **state)
{
    bytes text = large_snapshot(2, 1000, false, 2);
    UNUSED(state);
    for (uint64_t limit = 1018; limit <= 1021; limit++) { /* it has 1020 bytes */
        run r;
        import_begin(&r);
        r.ctx->limits.max_string = limit;
        (void)import_files(&r, &text, 1, 0);
        assert_ok(r.ctx, r.code);
        assert_int_equal(MEM_TEXT(r.sink, js_heap_string, 0, string).n,
                         limit < 1020 ? limit : 1020);
        assert_int_equal(issues(&r, "heap_string_too_long"), limit < 1020);
        run_free(&r);
    }
    free(text.p);
}

static bytes large_profile(int nodes, int samples, bool negative, bool flood)
{
    bytes b = {0};
    put_str(&b, "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},\"children\":[");
    for (int i = 2; i <= nodes; i++) {
        putf(&b, "%s%d", i == 2 ? "" : ",", flood ? 2 : i);
    }
    put_str(&b, "]}");
    for (int i = 2; i <= nodes; i++) {
        putf(&b, ",{\"id\":%d,\"callFrame\":{\"functionName\":\"f\",\"lineNumber\":%d}}", i, i);
    }
    put_str(&b, "],\"startTime\":1000,\"endTime\":2000000000,\"samples\":[");
    for (int i = 0; i < samples; i++) {
        putf(&b, "%s%d", i == 0 ? "" : ",", 1 + i % nodes);
    }
    put_str(&b, "],\"timeDeltas\":[");
    for (int i = 0; i < samples; i++) {
        putf(&b, "%s%d", i == 0 ? "" : ",", negative && i % 3 == 2 ? -50 : 1000);
    }
    put_str(&b, "]}");
    return b;
}

static void test_memory_of_a_profile(void **state)
{
    enum { SAMPLES = 1000000 };
    totals t;
    UNUSED(state);
    import_large(&t, large_profile(100, SAMPLES, false, false));
    assert_int_equal(t.sink.rows[TS_T_stack_sample], SAMPLES);
    assert_in_range(t.peak, 1, 4 * MIB + 16 * SAMPLES);
    import_large(&t, large_profile(100, SAMPLES, true, false));
    assert_int_equal(t.sink.rows[TS_T_stack_sample], SAMPLES);
    print_message("negative: %u bytes a sample\n", (unsigned)(t.peak / SAMPLES));
    assert_in_range(t.peak, 1, 4 * MIB + 16 * SAMPLES);
}

static void test_memory_of_many_nodes(void **state)
{
    enum { COUNT = 300000 };
    totals t;
    UNUSED(state);
    import_large(&t, large_profile(COUNT, 10, false, false));
    assert_int_equal(t.sink.rows[TS_T_js_cpu_profiler_node], COUNT);
    print_message("%u bytes a node\n", (unsigned)(t.peak / COUNT));
    assert_in_range(t.peak, 1, 32 * MIB + 128 * COUNT);
}

/* --- work ------------------------------------------------------------------------------------- */

static void test_floods_of_defects_are_cheap(void **state)
{
    enum { COUNT = 60000 };
    totals t;
    UNUSED(state);
    import_large(&t, large_profile(COUNT, 1, false, true)); /* as many second parents */
    assert_int_equal(t.sink.rows[TS_T_js_cpu_profiler_node], COUNT);
    bytes b = {0};
    put_str(&b, "{\"snapshot\":{" META_ALL "},\"nodes\":[0,0,1,0,0,0,0],\"trace_tree\":[");
    for (int i = 0; i < 2 * COUNT; i++) {
        put_str(&b, i == 0 ? "[]" : ",[]"); /* arrays in the place of numbers */
    }
    put_str(&b, "]}");
    import_large(&t, b);
    assert_in_range(t.peak, 1, 4 * MIB);
}

static void test_many_small_chunks(void **state)
{
    enum { COUNT = 200000 };
    totals t;
    bytes b = {0};
    size_t at = begin_recording(&b);
    UNUSED(state);
    put_chunk(&b, "{\"nodes\":[1", AT(1));
    for (int i = 0; i < COUNT; i++) {
        put_chunk(&b, i % 2 == 0 ? "," : "7", AT(2));
    }
    put_mark(&b, 1, AT(3));
    close_header(&b, at);
    import_large(&t, b);
    assert_in_range(t.peak, 1, 4 * MIB);
}

/* Many snapshots must not leave anything behind. */
static void test_many_snapshots(void **state)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    uint64_t peaks[2];
    UNUSED(state);
    for (int k = 0; k < 2; k++) {
        totals t;
        bytes b = {0};
        size_t at = begin_recording(&b);
        for (int i = 0; i < (k == 0 ? 100 : 1100); i++) {
            put_snapshot(&b, &text, 0, AT(11000));
        }
        close_header(&b, at);
        import_large(&t, b);
        peaks[k] = t.peak;
    }
    /* What stays of each is its source and its counts. */
    assert_in_range(peaks[1], 0, peaks[0] + 1000 * 4096);
    free(text.p);
}

/* --- failures --------------------------------------------------------------------------------- */

enum { INPUTS = 5 };

static bytes tiny_input(int which)
{
    snap s = which == 1 || which == 3 ? tiny_timeline() : tiny_snap();
    static const int sorted[MEMBERS] = {M_EDGES,    M_LOCATIONS, M_NODES,     M_SAMPLES,
                                        M_SNAPSHOT, M_STRINGS,   M_FUNCTIONS, M_TREE};
    bytes text = {0};
    bytes b = {0};
    put_snap(&text, &s, which == 1 ? sorted : NULL);
    if (which < 2) {
        return text;
    }
    if (which == 2) {
        free(text.p);
        return bytes_of(TINY_PROFILE);
    }
    size_t at = begin_recording(&b);
    put_config(&b, 1734, which == 3 ? 1 : 0, false);
    if (which == 3) {
        put_mark(&b, 1, AT(1));
        put_chunks(&b, &text, 300, AT(2));
        put_mark(&b, 2, AT(3));
        put_profile(&b, TINY_PROFILE, AT(4));
        put_profile(&b, TINY_PROFILE, AT(4));
    } else {
        put_snapshot(&b, &text, 300, AT(11000));
        put_chunk_n(&b, (const char *)text.p, 500, AT(12000)); /* unfinished */
        put_message(&b, "{\"x", AT(13000));
        put_chunk_n(&b, (const char *)text.p + 600, text.n - 600, AT(14000));
        put_chunks(&b, &text, 11, AT(15000));
    }
    close_header(&b, at);
    free(text.p);
    return b;
}

static ts_code import_failing(const bytes *file, test_failing *f)
{
    run r;
    ts_code code;
    import_begin(&r);
    r.ctx->allocator = test_failing_allocator(f);
    (void)import_files(&r, file, 1, 0);
    code = r.code;
    if (code != TS_OK) {
        assert_int_equal(r.ctx->error.code, code);
    }
    run_free(&r);
    return code;
}

static void test_every_allocation_fails(void **state)
{
    UNUSED(state);
    for (int which = 0; which < INPUTS; which++) {
        bytes file = tiny_input(which);
        test_failing count = {0};
        assert_int_equal(import_failing(&file, &count), TS_OK);
        assert_true(count.calls > 20);
        for (uint64_t k = 1; k <= count.calls; k++) {
            /* Once, or from there on; with TS_SLOW=1 both at each place. */
            for (int forever = test_slow() ? 0 : (int)(k % 2); forever < 2;
                 forever += test_slow() ? 1 : 2) {
                test_failing f = {.fail_at = k, .forever = forever != 0};
                ts_code code = import_failing(&file, &f);
                assert_true(code == TS_ERR_NOMEM || (code == TS_OK && forever == 0));
            }
        }
        free(file.p);
    }
}

static void test_every_row_fails(void **state)
{
    UNUSED(state);
    for (int which = 0; which < INPUTS; which++) {
        bytes file = tiny_input(which);
        run r;
        uint64_t calls;
        import_one(&r, &file);
        calls = memsink_calls(r.sink);
        run_free(&r);
        /* Of the hundreds of fixed rows at the end a few are enough. */
        for (uint64_t k = 1; k <= calls; k += k > 250 ? 50 : 1) {
            import_begin(&r);
            memsink_fail_at(r.sink, k);
            (void)import_files(&r, &file, 1, 0);
            assert_int_equal(r.code, TS_ERR_OUTPUT);
            run_free(&r);
        }
        free(file.p);
    }
}

static void test_memory_limit_is_a_limit(void **state)
{
    bytes file = large_snapshot(NODES, 10, false, 2);
    run r;
    UNUSED(state);
    import_begin(&r);
    r.ctx->limits.max_memory = 1 << 20;
    (void)import_files(&r, &file, 1, 0);
    assert_int_equal(r.code, TS_ERR_LIMIT);
    run_free(&r);
    free(file.p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_of_a_snapshot),
        cmocka_unit_test(test_memory_of_a_snapshot_in_another_order),
        cmocka_unit_test(test_memory_of_a_long_string),
        cmocka_unit_test(test_strings_that_are_not_held),
        cmocka_unit_test(test_limit_of_a_string_that_is_not_held),
        cmocka_unit_test(test_memory_of_long_names),
        cmocka_unit_test(test_limit_of_a_string),
        cmocka_unit_test(test_memory_of_a_profile),
        cmocka_unit_test(test_memory_of_many_nodes),
        cmocka_unit_test(test_floods_of_defects_are_cheap),
        cmocka_unit_test(test_many_small_chunks),
        cmocka_unit_test(test_many_snapshots),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_every_row_fails),
        cmocka_unit_test(test_memory_limit_is_a_limit),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

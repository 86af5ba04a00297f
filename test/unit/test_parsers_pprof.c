/* Profiles of pprof (docs/formats.md, "pprof"): rows, any order of fields, defects, damage. */
#include "pprof_build.h"
#include "parsers_sweep.h"

#include "parsers/registry.h"

static void assert_tiny(run *r)
{
    assert_int_equal(complaints(r), 0);
    /* main.main:10, main.(*T).leaf:21, main.inlined:31, 0x3abc */
    assert_rows(r, stack_method, 4);
    assert_mem_row(r->sink, stack_method, 0, "1|2|1|main|NULL|main|NULL|/src/main.go|9|NULL|NULL");
    assert_mem_row(r->sink, stack_method, 1, "2|2|2|leaf|(*T)|main|NULL|/src/main.go|20|NULL|NULL");
    assert_mem_row(r->sink, stack_method, 2,
                   "3|2|3|inlined|NULL|main|NULL|/src/main.go|30|NULL|NULL");
    assert_mem_row(r->sink, stack_method, 3, "4|2|NULL|0x3abc|NULL|NULL|NULL|NULL|NULL|app|NULL");
    assert_mem_row(r->sink, stack_node, 0, "1|2|NULL|1|10|0|NULL");
    assert_mem_row(r->sink, stack_node, 1, "2|2|1|2|21|1|NULL");
    assert_mem_row(r->sink, stack_node, 2, "3|2|2|3|31|2|NULL");
    assert_mem_row(r->sink, stack_node, 3, "4|2|1|4|NULL|1|NULL");
    assert_rows(r, stack_node, 4);
    assert_mem_row(r->sink, stack_sample, 0, "1|2|1|NULL|NULL|3|cpu");
    assert_mem_row(r->sink, stack_sample, 1, "2|2|NULL|NULL|NULL|4|cpu");
    assert_mem_row(r->sink, stack_sample, 2, "3|2|NULL|NULL|NULL|NULL|cpu");
    assert_rows(r, stack_sample, 3);
    assert_mem_row(r->sink, stack_value_type, 0, "1|2|cpu-samples|count");
    assert_mem_row(r->sink, stack_value_type, 1, "2|2|cpu|ns");
    assert_mem_row(r->sink, profile_value_type, 1,
                   "2|1|cpu|cpu-time|duration|milliseconds|1000000");
    /* One sample, several values, in ns. */
    assert_rows(r, stack_sample_value, 6);
    assert_mem_row(r->sink, stack_sample_value, 0, "1|1|1");
    assert_mem_row(r->sink, stack_sample_value, 1, "1|2|10000000");
    assert_mem_row(r->sink, stack_sample_value, 3, "2|2|20000000");
    assert_mem_row(r->sink, stack_sample_value, 5, "3|2|5000000");
    assert_rows(r, stack_sample_label, 4);
    assert_mem_row(r->sink, stack_sample_label, 0, "1|thread name|worker");
    assert_mem_row(r->sink, stack_sample_label, 1, "1|thread native id|4711");
    assert_mem_row(r->sink, stack_sample_label, 2, "1|size|64");
    assert_mem_row(r->sink, stack_sample_label, 3, "2|span id|18446744073709551615");
    assert_rows(r, profile_label_unit, 1);
    assert_mem_row(r->sink, profile_label_unit, 0, "1|size|bytes");
    assert_cell(r, thread, 1, tid, 4711);
    assert_mem_text(r->sink, thread, 1, name, "worker");
    assert_rows(r, profile, 1);
    assert_cell(r, profile, 0, start_ts, 1700000000000000000);
    assert_cell(r, profile, 0, end_ts, 1700000002000000000);
    assert_cell(r, profile, 0, dur, 2000000000);
    assert_cell(r, profile, 0, period, 10);
    assert_cell(r, profile, 0, default_type_id, 2);
    assert_mem_text(r->sink, profile, 0, language, "golang");
    assert_mem_text(r->sink, profile, 0, period_type, "cpu");
    assert_mem_text(r->sink, profile, 0, period_unit, "milliseconds");
    assert_mem_text(r->sink, profile, 0, format, "pprof");
    assert_true(memsink_find_text(r->sink, TS_T_source_property, TS_C_source_property__value,
                                  "made by hand") != SIZE_MAX);
    assert_cell(r, source, 1, complete, 1);
    assert_mem_text(r->sink, source, 1, clock, "realtime");
}

/* Other protobuf whose first field is a message is no profile: packets of Perfetto, profiles of
 * OpenTelemetry. A kind of value has its two numbers only. */
static void test_other_protobuf(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        bool profile;
    } cases[] = {
        {"\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x01x\x32\x01y", 14, true},
        {"\x0a\x04\x40\x64\x50\x01", 6, false},                  /* time, sequence */
        {"\x0a\x06\x08\x01\x10\x02\x18\x03\x32\x00", 10, false}, /* a third number */
        {"\x0a\x06\x12\x04\x0a\x02\x08\x07", 8, false},          /* processes */
        {"\x0a\x00\x0a\x00", 4, false},
        {"\x0a\x04\x08\x01\x10\x02\x12\x06\x1a\x04\x0a\x02\x08\x01", 14, false},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const ts_sniff s = {
            .name = "x", .head = (const uint8_t *)cases[i].bytes, .n = cases[i].n, .whole = true};
        assert_int_equal(ts_format_pprof.sniff(&s) != TS_SNIFF_NO, cases[i].profile);
    }
}

static void test_rows(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, tiny_pprof());
    assert_tiny(&r);
    run_free(&r);
}

/* Fields come in any order: samples before what they refer to, or all of it the other way round. */
static void test_orders(void **state)
{
    void (*const parts[])(bytes *) = {put_types, put_samples, put_places, put_texts, put_rest};
    static const int orders[][5] = {
        {1, 0, 2, 3, 4}, {4, 3, 2, 1, 0}, {3, 2, 0, 4, 1}, {2, 1, 4, 3, 0}};
    UNUSED(state);
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        run r;
        bytes b = {0};
        for (size_t k = 0; k < 5; k++) {
            parts[orders[i][k]](&b);
        }
        import_bytes(&r, b);
        assert_tiny(&r);
        run_free(&r);
    }
}

/* Ids need not be dense or small; functions may come before what uses them or after. */
static void test_sparse_ids(void **state)
{
    static const line_of root[] = {{UINT64_MAX, 10}};
    static const uint64_t stack[] = {UINT64_C(1) << 63, 0};
    static const int64_t values[] = {1, 10};
    run r;
    bytes b = {0};
    UNUSED(state);
    put_types(&b);
    put_inner(&b, 2, sample_of(stack, values, 2, true));
    put_location(&b, 7, 0, 0, NULL, 0);
    put_location(&b, UINT64_C(1) << 63, 0, 0x1000, root, 1);
    put_function(&b, 5, T_LEAF, T_FILE, 9);
    put_function(&b, UINT64_MAX, T_MAIN, T_FILE, 9);
    put_texts(&b);
    import_bytes(&r, b);
    assert_int_equal(complaints(&r), 0);
    assert_rows(&r, stack_method, 1);
    assert_mem_text(r.sink, stack_method, 0, name, "main");
    assert_cell(&r, stack_sample, 0, node_id, 1);
    run_free(&r);
}

/* Lists of one message may be packed in part; padded and empty ones are legal. */
static void test_mixed_lists(void **state)
{
    run r;
    bytes b = {0};
    bytes m = {0};
    UNUSED(state);
    put_types(&b);
    put_number(&m, 1, 2);
    put_field(&m, 1, "\x01", 1);
    put_field(&m, 1, "", 0);
    put_field(&m, 2, "\x07", 1);
    put_number(&m, 2, 8);
    put_number(&m, 9, 1); /* a field that nobody knows */
    put_inner(&b, 2, m);
    put_places(&b);
    put_texts(&b);
    import_bytes(&r, b);
    assert_int_equal(complaints(&r), 0);
    assert_mem_row(r.sink, stack_sample_value, 0, "1|1|7");
    assert_mem_row(r.sink, stack_sample_value, 1, "1|2|8000000");
    assert_cell(&r, stack_sample, 0, node_id, 3);
    run_free(&r);
}

/* Equal stacks may repeat: each is a sample of its own. */
static void test_repeated(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    put_types(&b);
    put_samples(&b);
    put_samples(&b);
    put_places(&b);
    put_texts(&b);
    import_bytes(&r, b);
    assert_rows(&r, stack_sample, 6);
    assert_rows(&r, stack_node, 4);
    assert_cell(&r, stack_sample, 3, node_id, 3);
    run_free(&r);
}

/* A dump has no duration: its time is a moment. */
/*
 * Many samples, more than are looked at together, whose stacks come again: each has its own values
 * and the path of its own stack, damaged ones among them are left out, with their offset.
 */
static void test_many(void **state)
{
    static const uint64_t stacks[][4] = {{2, 1, 0}, {3, 1, 0}, {1, 0}, {3, 2, 1, 0}, {2, 2, 1, 0}};
    /* 1 calls 2 (two frames) and 3; then 3 below 2, and 2 below itself. */
    static const int64_t nodes[] = {3, 4, 1, 5, 7};
    enum { SAMPLES = 400 };
    size_t bad[SAMPLES];
    size_t bad_n = 0;
    size_t rows = 0;
    run r;
    bytes b = {0};
    UNUSED(state);
    put_types(&b);
    for (int64_t i = 0; i < SAMPLES; i++) {
        int64_t values[] = {i, 10};
        if (i % 50 == 33) {
            bad[bad_n++] = b.n;
            put_field(&b, 2, "\x0a\x02\x01", 3);
        } else {
            put_inner(&b, 2, sample_of(stacks[i % 5], values, 2, i % 3 != 0));
        }
    }
    put_places(&b);
    put_texts(&b);
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "prof_bad_message"), bad_n);
    for (size_t i = 0; i < 5; i++) { /* more of a kind share a row */
        assert_cell(&r, import_issue, i, offset, (int64_t)bad[i]);
    }
    assert_rows(&r, stack_node, 7);
    assert_rows(&r, stack_sample, SAMPLES - bad_n);
    for (int64_t i = 0; i < SAMPLES; i++) {
        if (i % 50 != 33) {
            assert_cell(&r, stack_sample, rows, node_id, nodes[i % 5]);
            assert_cell(&r, stack_sample_value, 2 * rows, value, i);
            rows++;
        }
    }
    run_free(&r);
}

/* Locations differ, frames do not: one path. An inlined function's is that of a call. */
static void test_equal_frames(void **state)
{
    static const line_of inlined[] = {{3, 31}, {2, 21}};
    static const line_of outer[] = {{2, 21}};
    static const line_of inner[] = {{3, 31}};
    static const uint64_t stacks[][3] = {{1, 0}, {3, 2, 0}, {5, 4, 0}};
    static const int64_t values[] = {1, 10};
    run r;
    bytes b = {0};
    UNUSED(state);
    put_types(&b);
    for (size_t i = 0; i < 3; i++) {
        put_inner(&b, 2, sample_of(stacks[i], values, 2, true));
    }
    put_mapping(&b, 1, T_IMAGE);
    put_location(&b, 1, 1, 0x10, inlined, 2);
    put_location(&b, 2, 1, 0x20, outer, 1);
    put_location(&b, 3, 1, 0x30, inner, 1);
    put_location(&b, 4, 1, 0x40, outer, 1);
    put_location(&b, 5, 1, 0x50, inner, 1);
    put_function(&b, 2, T_LEAF, T_FILE, 20);
    put_function(&b, 3, T_INLINED, T_FILE, 30);
    put_texts(&b);
    import_bytes(&r, b);
    assert_int_equal(complaints(&r), 0);
    assert_rows(&r, stack_node, 2);
    for (size_t i = 0; i < 3; i++) {
        assert_cell(&r, stack_sample, i, node_id, 2);
    }
    run_free(&r);
}

static void test_times(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    put_types(&b);
    put_samples(&b);
    put_places(&b);
    put_texts(&b);
    put_number(&b, 9, 1700000000000000000);
    import_bytes(&r, b);
    assert_cell(&r, profile, 0, start_ts, 1700000000000000000);
    assert_cell(&r, profile, 0, end_ts, 1700000000000000000);
    assert_null_cell(&r, profile, 0, dur);
    run_free(&r);
    b = (bytes){0};
    put_types(&b);
    put_samples(&b);
    put_places(&b);
    put_texts(&b);
    put_number(&b, 9, INT64_MAX);
    put_number(&b, 10, 1);
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "prof_bad_time"), 1);
    assert_null_cell(&r, profile, 0, end_ts);
    run_free(&r);
}

/* --- defects -------------------------------------------------------------------------------- */

static bytes with(void (*more)(bytes *))
{
    bytes b = {0};
    put_types(&b);
    put_samples(&b);
    put_places(&b);
    put_texts(&b);
    more(&b);
    return b;
}

static void d_values(bytes *b)
{
    static const uint64_t stack[] = {1, 0};
    static const int64_t values[] = {1, 2, 3};
    put_inner(b, 2, sample_of(stack, values, 3, true));
}

static void d_location(bytes *b)
{
    static const uint64_t stack[] = {9, 1, 0};
    static const int64_t values[] = {1, 2};
    put_inner(b, 2, sample_of(stack, values, 2, true));
}

static void d_location_0(bytes *b)
{
    bytes m = {0};
    put_number(&m, 1, 0);
    put_field(&m, 2, "\x01\x02", 2);
    put_inner(b, 2, m);
}

static void d_function(bytes *b)
{
    static const line_of lines[] = {{9, 1}};
    put_location(b, 4, 1, 1, lines, 1);
    static const uint64_t stack[] = {4, 0};
    static const int64_t values[] = {1, 2};
    put_inner(b, 2, sample_of(stack, values, 2, true));
}

static void d_mapping(bytes *b)
{
    put_location(b, 4, 9, 1, NULL, 0);
    static const uint64_t stack[] = {4, 0};
    static const int64_t values[] = {1, 2};
    put_inner(b, 2, sample_of(stack, values, 2, true));
}

static void d_duplicate(bytes *b)
{
    put_function(b, 2, T_MAIN, T_FILE, 99);
}

static void d_id_0(bytes *b)
{
    put_location(b, 0, 1, 1, NULL, 0);
}

static void d_string(bytes *b)
{
    static const line_of lines[] = {{4, 1}};
    put_location(b, 4, 1, 1, lines, 1);
    put_function(b, 4, 1000, 0, 0);
    static const uint64_t stack[] = {4, 0};
    static const int64_t values[] = {1, 2};
    put_inner(b, 2, sample_of(stack, values, 2, true));
}

static void d_string_negative(bytes *b)
{
    static const line_of lines[] = {{4, 1}};
    put_location(b, 4, 1, 1, lines, 1);
    put_function(b, 4, UINT64_MAX, 0, 0);
    static const uint64_t stack[] = {4, 0};
    static const int64_t values[] = {1, 2};
    put_inner(b, 2, sample_of(stack, values, 2, true));
}

static void d_overflow(bytes *b)
{
    static const uint64_t stack[] = {1, 0};
    static const int64_t values[] = {1, INT64_MAX};
    put_inner(b, 2, sample_of(stack, values, 2, true));
}

static void d_label(bytes *b)
{
    static const uint64_t stack[] = {1, 0};
    static const int64_t values[] = {1, 2};
    bytes m = sample_of(stack, values, 2, true);
    put_label(&m, 0, T_WORKER, 0, 0);
    put_field(&m, 3, "\x08", 1);
    put_inner(b, 2, m);
}

static void d_bad_sample(bytes *b)
{
    put_field(b, 2, "\x0a\x05\x01", 3);
}

static void d_bad_function(bytes *b)
{
    put_field(b, 5, "\x0b", 1);
}

static void d_wire_type(bytes *b)
{
    put_field(b, 9, "x", 1);
}

static void d_sample_number(bytes *b)
{
    put_number(b, 2, 7);
}

static void d_group(bytes *b)
{
    put(b, "\x1b", 1);
}

static void d_field_0(bytes *b)
{
    put(b, "\x02\x01", 2);
}

static void d_varint(bytes *b)
{
    put(b, "\x48\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 11);
}

static void d_past_end(bytes *b)
{
    put(b, "\x12\x7f\x0a", 3);
}

static void d_bad_text(bytes *b)
{
    put_field(b, 6, "a\xff", 2);
}

static void test_defects(void **state)
{
    static const struct {
        void (*more)(bytes *);
        const char *issue;
        int64_t count;
        size_t samples, values;
    } cases[] = {
        {d_values, "prof_value_count", 1, 4, 6},
        {d_location, "prof_unknown_id", 1, 4, 8},
        {d_location_0, "prof_unknown_id", 1, 4, 8},
        {d_function, "prof_unknown_id", 1, 4, 8},
        {d_mapping, "prof_unknown_mapping", 1, 4, 8},
        {d_duplicate, "prof_duplicate_id", 1, 3, 6},
        {d_id_0, "prof_duplicate_id", 1, 3, 6},
        {d_string, "prof_bad_string", 1, 4, 8},
        {d_string_negative, "prof_bad_string", 1, 4, 8},
        {d_overflow, "time_overflow", 1, 4, 7},
        {d_label, "prof_bad_label", 2, 4, 8},
        {d_bad_sample, "prof_bad_message", 1, 3, 6},
        {d_bad_function, "prof_bad_message", 1, 3, 6},
        {d_wire_type, "prof_bad_message", 1, 3, 6},
        {d_sample_number, "prof_bad_message", 1, 3, 6},
        {d_group, "prof_incomplete", 1, 3, 6},
        {d_field_0, "prof_incomplete", 1, 3, 6},
        {d_varint, "prof_incomplete", 1, 3, 6},
        {d_past_end, "prof_incomplete", 1, 3, 6},
        {d_bad_text, "prof_bad_text", 1, 3, 6},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        import_bytes(&r, with(cases[i].more));
        if (issue_sum(&r, cases[i].issue) != cases[i].count) {
            print_error("case %zu: %s\n", i, cases[i].issue);
            memsink_print(r.sink, TS_T_import_issue);
            fail();
        }
        assert_rows(&r, import_issue, 1);
        assert_rows(&r, stack_sample, cases[i].samples);
        assert_rows(&r, stack_sample_value, cases[i].values);
        run_free(&r);
    }
}

/* Frames that are not known have their place, without a method. */
static void test_unknown_frames(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, with(d_location));
    assert_mem_row(r.sink, stack_node, 4, "5|2|1|NULL|NULL|1|NULL");
    assert_cell(&r, stack_sample, 3, node_id, 5);
    run_free(&r);
    import_bytes(&r, with(d_function));
    assert_mem_row(r.sink, stack_node, 4, "5|2|NULL|NULL|1|0|NULL");
    run_free(&r);
}

static void test_no_types(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    put_samples(&b);
    put_places(&b);
    put_texts(&b);
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "prof_no_types"), 1);
    assert_rows(&r, import_issue, 1);
    assert_rows(&r, stack_sample, 3);
    assert_rows(&r, stack_sample_value, 0);
    assert_null_cell(&r, stack_sample, 0, event);
    run_free(&r);
}

/* When the first text is not "", each number may stand for another text than it was made for. */
static void test_first_string(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    put_types(&b);
    put_samples(&b);
    put_places(&b);
    put_text(&b, 6, "samples");
    put_texts(&b);
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "prof_first_string"), 1);
    assert_rows(&r, stack_value_type, 0);
    assert_rows(&r, stack_sample_value, 0);
    assert_null_cell(&r, stack_method, 0, name);
    assert_rows(&r, stack_sample, 3);
    run_free(&r);
}

/* What lies behind damage in the list of texts may have moved: those names are not known. */
static void test_damage_in_texts(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    put_types(&b);
    put_samples(&b);
    put_places(&b);
    for (size_t i = 0; i < T_TEXTS; i++) {
        if (i == T_INLINED) { /* where it was, something stands that is no field of a profile */
            put_field(&b, 9, "x", 1);
        } else {
            put_text(&b, 6, tiny_texts[i]);
        }
    }
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "prof_bad_message"), 1);
    assert_true(issue_sum(&r, "prof_bad_string") > 0);
    assert_mem_text(r.sink, stack_method, 0, name, "main.main"); /* no file, no language */
    assert_null_cell(&r, stack_method, 0, file);
    assert_rows(&r, stack_sample_label, 0);
    run_free(&r);
}

/* A text was taken out, and nothing else is wrong: that the last one is missing shows it. */
static void test_text_missing(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    put_types(&b);
    put_samples(&b);
    put_places(&b);
    for (size_t i = 0; i < T_IMAGE + 1; i++) {
        if (i != T_SAMPLES) {
            put_text(&b, 6, tiny_texts[i]);
        }
    }
    import_bytes(&r, b);
    assert_true(issue_sum(&r, "prof_bad_string") > 0);
    assert_rows(&r, stack_value_type, 0);
    assert_null_cell(&r, stack_method, 0, name);
    run_free(&r);
}

/* --- sweeps --------------------------------------------------------------------------------- */

static void test_blocks(void **state)
{
    bytes b = tiny_pprof();
    UNUSED(state);
    check_blocks(&b, 0);
    free(b.p);
}

/* The cut falls between two fields or is reported; samples before it are there, and no name that
 * is there is another than it was. */
static void test_cut_at_every_byte(void **state)
{
    bytes b = tiny_pprof();
    UNUSED(state);
    for (size_t cut = 2; cut < b.n; cut++) {
        bytes part = {b.p, cut, 0};
        run r;
        import_damaged(&r, &part, 0);
        assert_in_range(MEM_ROWS(r.sink, stack_sample), 0, 3);
        for (size_t i = 0; r.code == TS_OK && i < MEM_ROWS(r.sink, stack_method); i++) {
            ts_text name;
            if (MEM_NULL(r.sink, stack_method, i, name)) {
                continue;
            }
            name = MEM_TEXT(r.sink, stack_method, i, name);
            /* Without the files the language is not known, and names are not split. */
            assert_true(ts_text_is(name, "main") || ts_text_is(name, "leaf") ||
                        ts_text_is(name, "inlined") || ts_text_is(name, "0x3abc") ||
                        ts_text_is(name, "main.main") || ts_text_is(name, "main.(*T).leaf") ||
                        ts_text_is(name, "main.inlined"));
        }
        run_free(&r);
    }
    free(b.p);
}

static void test_every_bit_flipped(void **state)
{
    bytes b = tiny_pprof();
    UNUSED(state);
    check_bits(&b, 1);
    free(b.p);
}

static void test_refused(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    put_le(&b, 0, 8);
    put_le(&b, 3, 8);
    put_zeros(&b, 40);
    import_begin(&r);
    (void)import_files(&r, &b, 1, 0);
    assert_int_equal(r.code, TS_ERR_FORMAT);
    assert_non_null(strstr(r.ctx->error.causes[0], "pprof -proto"));
    run_free(&r);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_protobuf),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_sparse_ids),
        cmocka_unit_test(test_mixed_lists),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_equal_frames),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_defects),
        cmocka_unit_test(test_unknown_frames),
        cmocka_unit_test(test_no_types),
        cmocka_unit_test(test_first_string),
        cmocka_unit_test(test_damage_in_texts),
        cmocka_unit_test(test_text_missing),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

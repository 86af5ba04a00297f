/* Header, sections and segments: whole ones, and the odd cases QA-1 to QA-6, QA-9 and QA-10. */
#include "htrace_build.h"

#define BOOT UINT64_C(981192459193)
#define REAL UINT64_C(1502028131300006447)

static void test_two_segments(void **state)
{
    bytes f = {0};
    run r;
    size_t header;
    (void)state;
    header = put_header(&f, 0, 0, BOOT, REAL);
    set_le(&f, header + 20, 4, 4); /* two prefixes, two bodies */
    memcpy(f.p + header + 236, "1.02", 4);
    set_le(&f, header + 244, 5000000000, 8);
    put_segment(&f, "a", "hello", 1502028137, 301132050);
    put_segment(&f, "hilog-plugin", "....", 7, 8);
    put_segment(&f, "a", "world", 1502028138, 0);
    set_le(&f, header + 20, 6, 4);
    close_header(&f, header);
    run_file(&r, &f, false);
    assert_int_equal(r.code, TS_OK);
    assert_log(&r, "a@1024 ts=1502028137301132050 n=5 hello\n"
                   "a@1078 ts=1502028138000000000 n=5 world\n");
    assert_int_equal(SEEN(&r, "segments"), 3);
    assert_int_equal(IMPORTED(&r, "segments"), 2);
    assert_int_equal(SKIPPED(&r, "segments"), 1);
    assert_int_equal(IMPORTED(&r, "sections"), 1);
    assert_int_equal(IMPORTED(&r, "plugin_segments:a"), 2);
    assert_int_equal(SKIPPED(&r, "plugin_segments:hilog-plugin"), 1);
    assert_int_equal(SKIPPED(&r, "plugin_bytes:hilog-plugin"), 28);
    assert_int_equal(SKIPPED(&r, "bytes"), 28);
    assert_int_equal(IMPORTED(&r, "bytes"), f.n - 28);
    assert_int_equal(stat_count(&r, "hilog", "not_supported"), 1);
    assert_int_equal(issues(&r, "plugin_not_decoded"), 1);
    assert_int_equal(MEM_ROWS(r.sink, import_issue), 1);
    assert_string_equal(property(&r, "plugin_version"), "1.02");
    assert_string_equal(property(&r, "duration_ns"), "5000000000");
    assert_string_equal(property(&r, "header_segments"), "6");
    assert_string_equal(property(&r, "start_realtime_ns"), "1502028131300006447");
    assert_mem_text(r.sink, source, 0, format_version, "1.0");
    run_free(&r);
    free(f.p);
}

/* Configurations of plugins that have no use for them are no data that is missing. */
static void test_configurations(void **state)
{
    bytes f = {0};
    run r;
    size_t header;
    (void)state;
    header = put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "cpu-plugin_config", "....", 7, 8);
    put_segment(&f, "what_config", "....", 7, 8);
    close_header(&f, header);
    run_file(&r, &f, false);
    assert_int_equal(SKIPPED(&r, "plugin_segments:cpu-plugin_config"), 1);
    assert_int_equal(SKIPPED(&r, "plugin_segments:what_config"), 1);
    assert_int_equal(stat_count(&r, "trace_cpu_usage", "not_supported"), 0);
    assert_int_equal(stat_count(&r, "other", "not_supported"), 1);
    assert_int_equal(issues(&r, "plugin_not_decoded"), 2);
    run_free(&r);
    free(f.p);
}

static void test_field_orders_and_padding(void **state)
{
    bytes f = {0};
    bytes body = {0};
    run r;
    size_t header;
    (void)state;
    header = put_header(&f, 0, 0, BOOT, REAL);
    /* 1,7,2,3,4,5,6 with explicit zeros, the data's length as a padded varint. */
    put_text(&body, 1, "a");
    put_text(&body, 7, "1.01");
    put_number(&body, 2, 0);
    put(&body,
        "\x1a\x83\x80\x80\x00"
        "abc",
        8);
    put_number(&body, 4, 0);
    put_number(&body, 5, 3);
    put_number(&body, 6, 4);
    put_raw_segment(&f, &body);
    /* Data first, name last; fields nobody knows. */
    put_number(&body, 6, 6);
    put_text(&body, 3, "def");
    put_number(&body, 70000, 1);
    put_number(&body, 5, 5);
    put_text(&body, 1, "a");
    put_raw_segment(&f, &body);
    /* The last of each counts. */
    put_text(&body, 1, "nobody");
    put_number(&body, 5, 1);
    put_text(&body, 3, "old");
    put_number(&body, 5, 7);
    put_text(&body, 1, "a");
    put_text(&body, 3, "new");
    put_raw_segment(&f, &body);
    close_header(&f, header);
    run_file(&r, &f, false);
    assert_log(&r, "a@1024 ts=3000000004 n=3 abc\n"
                   "a@1053 ts=5000000006 n=3 def\n"
                   "a@1073 ts=7000000000 n=3 new\n");
    assert_int_equal(issues(&r, "segment_duplicate_data"), 1);
    assert_int_equal(MEM_ROWS(r.sink, import_issue), 1);
    run_free(&r);
    free(f.p);
}

/* QA-6: proto3 leaves out what is 0. */
static void test_missing_time(void **state)
{
    bytes f = {0};
    bytes body = {0};
    run r;
    size_t header;
    (void)state;
    header = put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "x", 9, 9);
    put_text(&body, 1, "a");
    put_text(&body, 3, "sec");
    put_number(&body, 5, 2);
    put_raw_segment(&f, &body);
    put_text(&body, 1, "a");
    put_text(&body, 3, "nsec");
    put_number(&body, 6, 3);
    put_raw_segment(&f, &body);
    put_text(&body, 1, "a");
    put_text(&body, 3, "none");
    put_raw_segment(&f, &body);
    put_text(&body, 1, "arkts-plugin_config"); /* never has a time */
    put_text(&body, 3, "none");
    put_raw_segment(&f, &body);
    put_segment(&f, "a", "more", 1, 2000000001);
    put_segment(&f, "a", "far", UINT64_C(18446744073), 709551616);
    put_segment(&f, "a", "max", 9223372036, 854775807);
    close_header(&f, header);
    run_file(&r, &f, false);
    assert_non_null(strstr((const char *)r.log.p, "ts=2000000000 n=3 sec\n"));
    assert_non_null(strstr((const char *)r.log.p, "ts=3 n=4 nsec\n"));
    assert_non_null(strstr((const char *)r.log.p, "ts=0 n=4 none\narkts"));
    assert_non_null(strstr((const char *)r.log.p, "ts=3000000001 n=4 more\n"));
    assert_non_null(strstr((const char *)r.log.p, "ts=-9223372036854775808 n=3 far\n"));
    assert_non_null(strstr((const char *)r.log.p, "ts=9223372036854775807 n=3 max\n"));
    assert_int_equal(issues(&r, "time_missing"), 1);
    assert_int_equal(issues(&r, "time_overflow"), 1);
    run_free(&r);
    free(f.p);
}

/* QA-1: the length was never filled in; the space behind may be reserved and empty. */
static void test_unknown_length(void **state)
{
    static const uint64_t lengths[] = {0, 1, 1023, 1024};
    static const size_t tails[] = {0, 4, 8, 4096, 256 * 1024, 256 * 1024 + 3};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (size_t t = 0; t < sizeof tails / sizeof tails[0]; t++) {
            bytes f = {0};
            run r;
            put_header(&f, lengths[i], 0, BOOT, REAL);
            put_segment(&f, "a", "one", 1, 0);
            put_segment(&f, "a", "two", 2, 0);
            put_zeros(&f, tails[t]);
            if (i == 0 || tails[t] < 4096) {
                run_file(&r, &f, false);
            } else {
                run_begin(&r, NULL, 0);
                run_feed(&r, f.p, f.n, 5000);
                run_end(&r);
                check_run(&r, f.n);
            }
            assert_non_null(strstr((const char *)r.log.p, "ts=2000000000 n=3 two\n"));
            /* 0 and 1024 are what recorders leave; nothing writes the others. */
            assert_int_equal(
                issues(&r, i % 3 == 0 ? "header_length_unknown" : "header_length_wrong"), 1);
            assert_int_equal(issues(&r, "zero_run"), tails[t] > 0);
            assert_int_equal(SKIPPED(&r, "bytes"), tails[t]);
            assert_int_equal(LOST(&r, "bytes"), 0);
            assert_int_equal(IMPORTED(&r, "segments"), 2);
            assert_int_equal(MEM_INT(r.sink, source, 0, complete), 1);
            run_free(&r);
            free(f.p);
        }
    }
}

/* Reserved space of the limit's size ends the section; what follows it is looked for. */
static void test_zero_run_threshold(void **state)
{
    (void)state;
    for (int k = -1; k <= 1; k++) {
        bytes f = {0};
        run r;
        size_t n = (size_t)(256 * 1024 + 3 + k);
        put_header(&f, 0, 0, BOOT, REAL);
        put_segment(&f, "a", "one", 1, 0);
        put_zeros(&f, n);
        put_segment(&f, "arkts-plugin", "two", 2, 0);
        run_begin(&r, NULL, 0);
        run_feed(&r, f.p, f.n, 4096);
        run_end(&r);
        check_run(&r, f.n);
        assert_int_equal(issues(&r, "zero_run"), k >= 0);
        assert_int_equal(issues(&r, "segment_bad_wire"), k < 0);
        assert_int_equal(LOST(&r, "bytes") > 4, k < 0);
        assert_non_null(strstr((const char *)r.log.p, "n=3 two\n"));
        run_free(&r);
        free(f.p);
    }
}

/* QA-2: the file ends before the section does. */
static void test_length_beyond_the_end(void **state)
{
    bytes f = {0};
    run r;
    size_t cut;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "one", 1, 0);
    cut = f.n;
    put_segment(&f, "a", "two", 2, 0);
    close_header(&f, 0);
    f.n = cut + 10; /* inside the data field */
    run_file(&r, &f, false);
    assert_log(&r, "a@1024 ts=1000000000 n=3 one\na@1040 ts=0 cut n=1 t\n");
    assert_int_equal(issues(&r, "segment_truncated"), 1);
    assert_int_equal(issue_offset(&r, "segment_truncated"), 1040);
    assert_int_equal(issues(&r, "input_truncated"), 0);
    assert_int_equal(LOST(&r, "bytes"), 10);
    assert_int_equal(LOST(&r, "segments"), 1);
    assert_int_equal(MEM_INT(r.sink, source, 0, complete), 0);
    run_free(&r);
    /* At the end of a segment. */
    f.n = cut;
    run_file(&r, &f, false);
    assert_log(&r, "a@1024 ts=1000000000 n=3 one\n");
    assert_int_equal(issue_offset(&r, "input_truncated"), 1040);
    assert_int_equal(MEM_INT(r.sink, source, 0, complete), 0);
    run_free(&r);
    free(f.p);
}

/* The input ends behind the first byte of a segment. Bytes that the window holds from before say
 * nothing of it: the one behind would be a length that does not fit. */
static void test_first_byte_of_a_segment(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "arkts-plugin_config", "one", 1, 0);
    size_t cut = f.n;
    put(&f, "\x0a\0\0\0\x0a", 5);
    run_file(&r, &f, false);
    assert_int_equal(issues(&r, "segment_truncated"), 1);
    assert_int_equal(issue_offset(&r, "segment_truncated"), cut);
    assert_int_equal(LOST(&r, "segments"), 1);
    assert_int_equal(LOST(&r, "bytes"), 5);
    run_free(&r);
    free(f.p);
}

/* The older writer counts 8 bytes for each prefix: nothing is missing. */
static void test_length_of_the_old_writer(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, 0, 0);
    put_segment(&f, "a", "one", 1, 0);
    put_segment(&f, "a", "two", 2, 0);
    set_le(&f, 8, f.n + 8, 8);
    run_file(&r, &f, false);
    assert_int_equal(issues(&r, "header_length_long"), 1);
    assert_int_equal(issues(&r, "input_truncated"), 0);
    assert_int_equal(MEM_INT(r.sink, source, 0, complete), 1);
    run_free(&r);
    /* The same before another header. */
    put_header(&f, 0, 0, 0, 0);
    run_file(&r, &f, false);
    assert_int_equal(issues(&r, "header_length_long"), 1);
    assert_int_equal(IMPORTED(&r, "sections"), 2);
    run_free(&r);
    free(f.p);
}

static void test_huge_lengths(void **state)
{
    static const uint64_t lengths[] = {UINT64_C(1) << 63, UINT64_MAX, (UINT64_C(1) << 63) - 1,
                                       UINT64_C(1) << 32};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        bytes f = {0};
        run r;
        put_header(&f, lengths[i], 0, BOOT, REAL);
        put_segment(&f, "a", "one", 1, 0);
        run_file(&r, &f, true);
        assert_log(&r, "a@1024 ts=1000000000 n=3 one\n");
        assert_int_equal(issues(&r, "input_truncated"), 1);
        run_free(&r);
        free(f.p);
    }
}

/* QA-3: the section goes on after its declared end. */
static void test_length_too_short(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, 0, 0);
    put_segment(&f, "a", "one", 1, 0);
    put_segment(&f, "a", "two", 2, 0);
    put_segment(&f, "a", "three", 3, 0);
    for (size_t length = 1025; length < f.n; length++) {
        set_le(&f, 8, length, 8);
        run_file(&r, &f, false);
        assert_log(&r, "a@1024 ts=1000000000 n=3 one\n"
                       "a@1040 ts=2000000000 n=3 two\n"
                       "a@1056 ts=3000000000 n=5 three\n");
        assert_int_equal(issues(&r, "header_length_short"), 1);
        assert_int_equal(MEM_ROWS(r.sink, import_issue), 2); /* and no clocks */
        assert_int_equal(LOST(&r, "bytes"), 0);
        run_free(&r);
    }
    free(f.p);
}

/* QA-3: what follows is no segment, then a header that can be trusted. */
static void test_trailing_bytes(void **state)
{
    bytes f = {0};
    run r;
    size_t second;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "one", 1, 0);
    close_header(&f, 0);
    put(&f, "\xff\xff\xff\xff no OHOSPROF no segment at all", 34);
    run_file(&r, &f, false);
    assert_int_equal(issues(&r, "trailing_bytes"), 1);
    assert_int_equal(issue_offset(&r, "trailing_bytes"), 1040);
    assert_int_equal(LOST(&r, "bytes"), 34);
    assert_int_equal(MEM_INT(r.sink, source, 0, complete), 0);
    run_free(&r);
    second = put_header(&f, 0, 0, 0, 0);
    put_segment(&f, "a", "two", 2, 0);
    set_le(&f, second + 8, f.n - second, 8);
    run_file(&r, &f, false);
    assert_log(&r, "a@1024 ts=1000000000 n=3 one\ngap@1040\na@2098 ts=2000000000 n=3 two\n");
    assert_int_equal(issues(&r, "resynchronised"), 1);
    assert_int_equal(issues(&r, "trailing_bytes"), 0);
    assert_int_equal(IMPORTED(&r, "sections"), 2);
    assert_int_equal(LOST(&r, "bytes"), 34);
    run_free(&r);
    free(f.p);
}

/* QA-4: a segment reaches beyond its section, and the next section begins there. */
static void test_segment_crosses_section(void **state)
{
    bytes f = {0};
    run r;
    size_t second;
    size_t length = 0;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "one", 1, 0);
    length = f.n;
    put_segment(&f, "a", "cut off", 2, 0);
    f.n = length + 12; /* "cut" is there */
    close_header(&f, 0);
    second = put_header(&f, 0, 0, 0, 0);
    put_segment(&f, "a", "two", 3, 0);
    set_le(&f, second + 8, f.n - second, 8);
    run_file(&r, &f, false);
    assert_log(&r, "a@1024 ts=1000000000 n=3 one\na@1040 ts=0 cut n=3 cut\n"
                   "gap@1052\na@2076 ts=3000000000 n=3 two\n");
    assert_int_equal(issues(&r, "segment_crosses_section"), 1);
    assert_int_equal(issue_offset(&r, "segment_crosses_section"), 1040);
    assert_int_equal(LOST(&r, "bytes"), 12);
    assert_int_equal(IMPORTED(&r, "sections"), 2);
    run_free(&r);
    /* A prefix that makes no sense: 2^32 - 1. */
    set_le(&f, length, UINT32_MAX, 4);
    run_file(&r, &f, false);
    assert_non_null(strstr((const char *)r.log.p, "gap@1040\na@2076"));
    assert_int_equal(issues(&r, "segment_crosses_section"), 1);
    assert_int_equal(issues(&r, "resynchronised"), 1);
    run_free(&r);
    free(f.p);
}

/* QA-5: no name, no bytes, no message. */
static void test_unreadable_segments(void **state)
{
    bytes f = {0};
    bytes body = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "one", 1, 0);
    put_text(&body, 3, "nameless"); /* 1040 */
    put_raw_segment(&f, &body);
    put_segment(&f, "", "empty name", 1, 0); /* 1054 */
    put_le(&f, 0, 4);
    put_le(&f, 0, 4);
    put_le(&f, 5, 4);
    put(&f, "\xff\xff\xff\xff\xff", 5);
    put_segment(&f, "a", "two", 2, 0);
    put_le(&f, 0, 4); /* the last bytes of the section */
    close_header(&f, 0);
    run_file(&r, &f, false);
    assert_log(&r, "a@1024 ts=1000000000 n=3 one\ngap@1040\na@1093 ts=2000000000 n=3 two\n");
    assert_int_equal(issues(&r, "segment_no_name"), 2);
    assert_int_equal(issues(&r, "segment_empty"), 2);
    assert_int_equal(issues(&r, "segment_bad_wire"), 1);
    assert_int_equal(SEEN(&r, "segments"), 8);
    assert_int_equal(LOST(&r, "segments"), 3);
    assert_int_equal(SKIPPED(&r, "segments"), 3);
    assert_int_equal(stat_count(&r, "other", "invalid_data"), 6);
    run_free(&r);
    free(f.p);
}

/* Damage inside a segment: what stands before it is kept. */
static void test_bad_wire_inside(void **state)
{
    bytes f = {0};
    bytes body = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_text(&body, 1, "a"); /* the data's length is larger than the segment */
    put(&body,
        "\x1a\x20"
        "abc",
        5);
    put_raw_segment(&f, &body);
    put_text(&body, 1, "a"); /* the time is lost, the data not */
    put_text(&body, 3, "def");
    put(&body, "\x0b", 1);
    put_raw_segment(&f, &body);
    put_number(&body, 5, 4); /* everything was there before the damage */
    put_number(&body, 6, 0);
    put_text(&body, 1, "a");
    put_text(&body, 3, "ghi");
    put(&body, "\x0b", 1);
    put_raw_segment(&f, &body);
    put_text(&body, 1, "hilog-plugin");
    put(&body, "\x0b", 1);
    put_raw_segment(&f, &body);
    put_text(&body, 1, "a"); /* no data at all */
    put_number(&body, 5, 5);
    put_raw_segment(&f, &body);
    close_header(&f, 0);
    run_file(&r, &f, false);
    assert_log(&r, "a@1024 ts=0 cut n=3 abc\n"
                   "a@1036 ts=0 cut n=3 def\n"
                   "a@1049 ts=4000000000 n=3 ghi\n"
                   "a@1085 ts=5000000000 n=0 \n");
    assert_int_equal(issues(&r, "segment_bad_wire"), 4);
    assert_int_equal(issues(&r, "segment_no_data"), 1);
    assert_int_equal(LOST(&r, "segments"), 2);
    assert_int_equal(IMPORTED(&r, "segments"), 2);
    run_free(&r);
    free(f.p);
}

/* QA-9, QA-10: sections that are not segments, among others, pass as streams. */
static void test_raw_sections(void **state)
{
    bytes f = {0};
    run r;
    size_t at;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "one", 1, 0);
    close_header(&f, 0);
    at = put_header(&f, 0, 1, 0, 0);
    put(&f, "PERFILE2 OHOSPROF and so on", 27);
    close_header(&f, at);
    set_le(&f, at + 8, f.n - at, 8);
    at = put_header(&f, 0, 1000, 0, 0);
    memcpy(f.p + at + 108, "hiebpf-plugin", 13);
    put_zeros(&f, 300);
    set_le(&f, at + 8, f.n - at, 8);
    at = put_header(&f, 0, 1000, 0, 0);
    memcpy(f.p + at + 108, "of its own", 10);
    put_segment(&f, "a", "not to be read", 9, 0);
    set_le(&f, at + 8, f.n - at, 8);
    at = put_header(&f, 0, 1024, 0, 0);
    put_segment(&f, "a", "two", 2, 0);
    set_le(&f, at + 8, f.n - at, 8);
    run_file(&r, &f, true);
    assert_non_null(strstr((const char *)r.log.p, "n=3 one\na@"));
    assert_non_null(strstr((const char *)r.log.p, "n=3 two\n"));
    assert_null(strstr((const char *)r.log.p, "not"));
    assert_int_equal(SKIPPED(&r, "section_bytes:hiperf"), 27);
    assert_int_equal(SKIPPED(&r, "section_bytes:hiebpf-plugin"), 300);
    assert_int_equal(SKIPPED(&r, "section_bytes:of its own"), 27);
    assert_int_equal(SKIPPED(&r, "sections"), 3);
    assert_int_equal(IMPORTED(&r, "sections"), 2);
    assert_int_equal(SKIPPED(&r, "bytes"), 354);
    assert_int_equal(issues(&r, "section_skipped"), 3);
    assert_int_equal(stat_count(&r, "trace_perf", "not_supported"), 1);
    assert_int_equal(stat_count(&r, "trace_ebpf", "not_supported"), 1);
    assert_string_equal(property(&r, "section3.standalone_plugin"), "hiebpf-plugin");
    run_free(&r);
    /* The end is missing. */
    f.n = 1040 + 1024 + 20;
    run_file(&r, &f, true);
    assert_int_equal(issues(&r, "section_truncated"), 1);
    assert_int_equal(SKIPPED(&r, "section_bytes:hiperf"), 20);
    run_free(&r);
    /* Its length is not known: the next header ends it. */
    set_le(&f, 1040 + 8, 0, 8);
    at = put_header(&f, 0, 0, 0, 0);
    put_segment(&f, "a", "three", 3, 0);
    run_file(&r, &f, true);
    assert_non_null(strstr((const char *)r.log.p, "n=5 three\n"));
    assert_int_equal(SKIPPED(&r, "section_bytes:hiperf"), 20);
    run_free(&r);
    free(f.p);
}

static void test_names(void **state)
{
    bytes f = {0};
    bytes body = {0};
    char name[300];
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "js-memory_config", "c", 1, 0);
    put_segment(&f, "js-memory", "d", 1, 0);
    put_segment(&f, "js-memory", "e", 1, 0);
    memset(name, 'x', sizeof name);
    put_field(&body, 1, name, 256);
    put_raw_segment(&f, &body);
    put_field(&body, 1, name, 255);
    put_raw_segment(&f, &body);
    put_field(&body, 1, "b\xff\n\0c", 5);
    put_raw_segment(&f, &body);
    put_segment(&f, "/data/local/tmp/libhilogplugin.z.so", "g", 1, 0);
    close_header(&f, 0);
    run_file(&r, &f, false);
    assert_log(&r, "arkts-plugin_config@1024 ts=1000000000 n=1 c\n"
                   "arkts-plugin@1053 ts=1000000000 n=1 d\n"
                   "arkts-plugin@1075 ts=1000000000 n=1 e\n");
    assert_int_equal(issues(&r, "plugin_name_alias"), 2);
    assert_int_equal(IMPORTED(&r, "plugin_segments:arkts-plugin"), 2);
    assert_int_equal(SKIPPED(&r, "plugin_segments:hilog-plugin"), 1);
    name[255] = '\0';
    {
        char item[400];
        snprintf(item, sizeof item, "plugin_segments:%s", name);
        assert_int_equal(SKIPPED(&r, item), 1);
        snprintf(item, sizeof item, "plugin_segments:%s...", name);
        assert_int_equal(SKIPPED(&r, item), 1);
    }
    assert_int_equal(SEEN(&r, "segments"), 7);
    run_free(&r);
    free(f.p);
}

/* All names that recorders write, and how each is counted in stat. */
static void test_known_names(void **state)
{
    static const struct {
        const char *name, *plugin, *event;
    } all[] = {
        {"ftrace-plugin", "ftrace-plugin", "other"},
        {"/data/local/tmp/libftrace_plugin.z.so", "ftrace-plugin", "other"},
        {"ffrt-profiler", "ffrt-profiler", "trace_ffrt"},
        {"ffrt-profiler_config", "ffrt-profiler_config", "trace_ffrt"},
        {"memory-plugin", "memory-plugin", "memory"},
        {"memory-plugin_config", "memory-plugin_config", "memory"},
        {"hidump-plugin", "hidump-plugin", "hidump_fps"},
        {"/data/local/tmp/libhidumpplugin.z.so", "hidump-plugin", "hidump_fps"},
        {"hilog-plugin", "hilog-plugin", "hilog"},
        {"/data/local/tmp/libhilogplugin.z.so", "hilog-plugin", "hilog"},
        {"hisysevent-plugin", "hisysevent-plugin", "trace_hisys_event"},
        {"hisysevent-plugin_config", "hisysevent-plugin_config", "trace_hisys_event"},
        {"process-plugin", "process-plugin", "trace_process"},
        {"diskio-plugin", "diskio-plugin", "trace_diskio"},
        {"cpu-plugin", "cpu-plugin", "trace_cpu_usage"},
        {"network-plugin", "network-plugin", "trace_network"},
        {"js-memory", "arkts-plugin", "trace_js_memory"},
        {"js-memory_config", "arkts-plugin_config", "trace_js_memory"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        bytes f = {0};
        run r;
        char item[80];
        bool old = strncmp(all[i].name, "js-", 3) == 0;
        put_header(&f, 0, 0, BOOT, REAL);
        put_segment(&f, "a", "x", 1, 0);
        put_segment(&f, all[i].name, "", 1, 0);
        put_segment(&f, "a", "x", 1, 0);
        close_header(&f, 0);
        run_begin(&r, NULL, 0);
        run_feed(&r, f.p, f.n, f.n);
        run_end(&r);
        snprintf(item, sizeof item, "plugin_segments:%s", all[i].plugin);
        assert_int_equal(SEEN(&r, item), 1);
        assert_int_equal(issues(&r, "plugin_name_alias"), old);
        assert_int_equal(issues(&r, "plugin_name_single"), 0);
        assert_int_equal(issues(&r, "plugin_not_decoded"), !old);
        /* A configuration holds no data. */
        if (!old) {
            bool config = strstr(all[i].name, "_config") != NULL;
            assert_int_equal(stat_count(&r, all[i].event, "not_supported"), config ? 0 : 1);
        }
        run_free(&r);
        free(f.p);
    }
}

/* More names than are counted one by one. */
static void test_many_names(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    for (unsigned i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%u", i);
        put_segment(&f, name, "", 1, 0);
    }
    put_segment(&f, "arkts-plugin", "x", 1, 0);
    put_segment(&f, "a", "y", 1, 0);
    close_header(&f, 0);
    run_file(&r, &f, false);
    assert_int_equal(SKIPPED(&r, "plugin_segments:(other names)"), 1000 - 256);
    assert_int_equal(IMPORTED(&r, "segments"), 2);
    run_free(&r);
    free(f.p);
}

/* Above the hold limit the same data comes in pieces. */
static void test_large_segments(void **state)
{
    bytes f = {0};
    bytes body = {0};
    run held;
    run r;
    char *big = malloc(100000);
    (void)state;
    assert_non_null(big);
    for (int i = 0; i < 100000; i++) {
        big[i] = (char)('a' + i % 26);
    }
    put_header(&f, 0, 0, BOOT, REAL);
    put_text(&body, 1, "a"); /* name, data, time */
    put_field(&body, 3, big, 100000);
    put_number(&body, 5, 1);
    put_raw_segment(&f, &body);
    put_field(&body, 3, big + 1, 99999); /* data before the name */
    put_number(&body, 5, 2);
    put_text(&body, 1, "a");
    put_raw_segment(&f, &body);
    put_field(&body, 3, big + 2, 99998); /* of a plugin that is not decoded */
    put_text(&body, 1, "hilog-plugin");
    put_raw_segment(&f, &body);
    put_text(&body, 1, "hilog-plugin");
    put_field(&body, 3, big + 3, 99997);
    put_raw_segment(&f, &body);
    put_segment(&f, "a", "end", 3, 0);
    close_header(&f, 0);
    run_file(&held, &f, false);
    for (size_t block = 999; block <= f.n; block *= 9) {
        run_begin(&r, NULL, 64);
        run_feed(&r, f.p, f.n, block);
        run_end(&r);
        check_run(&r, f.n);
        assert_string_equal((const char *)r.log.p, (const char *)held.log.p);
        assert_int_equal(r.all.n, 100000 + 99999 + 3);
        assert_memory_equal(r.all.p, held.all.p, r.all.n);
        assert_true(memsink_equal(r.sink, held.sink));
        run_free(&r);
    }
    run_free(&held);
    free(big);
    free(f.p);
}

static void test_large_segments_second_data(void **state)
{
    bytes f = {0};
    bytes body = {0};
    run r;
    char big[200];
    (void)state;
    memset(big, 'q', sizeof big);
    put_header(&f, 0, 0, BOOT, REAL);
    put_text(&body, 1, "a");
    put_field(&body, 3, big, 100);
    put_field(&body, 3, "no", 2);
    put_number(&body, 5, 1);
    put_raw_segment(&f, &body);
    close_header(&f, 0);
    run_begin(&r, NULL, 64);
    run_feed(&r, f.p, f.n, 10);
    run_end(&r);
    check_run(&r, f.n);
    assert_non_null(strstr((const char *)r.log.p, "a@1024 ts=1000000000 n=100 qqq"));
    assert_int_equal(issues(&r, "segment_duplicate_data"), 1);
    run_free(&r);
    /* The same held: the last counts. */
    run_begin(&r, NULL, 0);
    run_feed(&r, f.p, f.n, 10);
    run_end(&r);
    assert_log(&r, "a@1024 ts=1000000000 n=2 no\n");
    run_free(&r);
    free(f.p);
}

/* limits.max_message bounds what is kept of a segment that does not say whose it is. */
static void test_message_limit(void **state)
{
    (void)state;
    for (size_t n = 99; n <= 101; n++) {
        bytes f = {0};
        bytes body = {0};
        run r;
        char big[200];
        memset(big, 'q', sizeof big);
        put_header(&f, 0, 0, BOOT, REAL);
        put_field(&body, 3, big, n);
        put_text(&body, 1, "a");
        put_number(&body, 5, 1);
        put_raw_segment(&f, &body);
        put_segment(&f, "a", "end", 3, 0);
        close_header(&f, 0);
        run_begin(&r, NULL, 64);
        r.ctx->limits.max_message = 100;
        run_feed(&r, f.p, f.n, 1000);
        run_end(&r);
        check_run(&r, f.n);
        assert_int_equal(issues(&r, "segment_too_large"), n > 100);
        assert_int_equal(IMPORTED(&r, "segments"), n > 100 ? 1 : 2);
        assert_int_equal(strstr((const char *)r.log.p, "gap@1024\n") != NULL, n > 100);
        run_free(&r);
        free(f.p);
    }
}

static void test_no_header(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    run_file(&r, &f, false);
    assert_int_equal(r.code, TS_ERR_FORMAT);
    run_free(&r);
    for (size_t i = 0; i < 500; i++) {
        put(&f, "no header", 9);
    }
    run_file(&r, &f, false);
    assert_int_equal(r.code, TS_ERR_FORMAT);
    run_free(&r);
    f.n = 8;
    run_file(&r, &f, false);
    assert_int_equal(r.code, TS_ERR_FORMAT);
    run_free(&r);
    /* One further on is found. */
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "one", 1, 0);
    run_file(&r, &f, false);
    assert_int_equal(r.code, TS_OK);
    assert_log(&r, "gap@0\na@1032 ts=1000000000 n=3 one\n");
    assert_int_equal(issues(&r, "header_bad_magic"), 1);
    run_free(&r);
    free(f.p);
}

static void test_header_cut(void **state)
{
    bytes f = {0};
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    for (f.n = 1; f.n < 1024; f.n += 73) {
        run r;
        run_file(&r, &f, true);
        assert_int_equal(r.code, TS_OK);
        assert_int_equal(issues(&r, "header_truncated"), 1);
        assert_int_equal(LOST(&r, "bytes"), f.n);
        run_free(&r);
    }
    free(f.p);
}

/* -D: offsets begin again, counts go on. */
static void test_next_file(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "one", 1, 0);
    put_segment(&f, "a", "two", 2, 0);
    close_header(&f, 0);
    run_begin(&r, NULL, 0);
    run_feed(&r, f.p, f.n - 3, 100);
    assert_ok(r.ctx, ts_htrace_next_file(r.h));
    run_feed(&r, f.p, f.n, 100);
    run_end(&r);
    check_run(&r, 2 * f.n - 3);
    assert_log(&r, "a@1024 ts=1000000000 n=3 one\na@1040 ts=0 cut n=3 two\ngap@1053\n"
                   "a@1024 ts=1000000000 n=3 one\na@1040 ts=2000000000 n=3 two\n");
    assert_int_equal(IMPORTED(&r, "segments"), 3);
    run_free(&r);
    free(f.p);
}

/* A name that only one segment has is suspicious between segments that were read, and where one
 * segment was read there is no between: offsets of the next file begin again. */
static void test_single_name(void **state)
{
    (void)state;
    for (int before = 1; before < 3; before++) {
        bytes f = {0};
        run r;
        put_header(&f, 0, 0, BOOT, REAL);
        size_t at = f.n;
        put_segment(&f, "a", "x", 1, 0);
        if (before == 2) {
            put_segment(&f, "b", "y", 2, 0);
            put_segment(&f, "a", "z", 3, 0);
        }
        close_header(&f, 0);
        run_begin(&r, NULL, 0);
        run_feed(&r, f.p, f.n, f.n);
        if (before == 1) {
            f.n = at;
            put_segment(&f, "b", "y", 2, 0);
            close_header(&f, 0);
            assert_ok(r.ctx, ts_htrace_next_file(r.h));
            run_feed(&r, f.p, f.n, f.n);
        }
        run_end(&r);
        assert_int_equal(issues(&r, "plugin_not_decoded"), 1);
        assert_int_equal(issues(&r, "plugin_name_single"), before - 1);
        run_free(&r);
        free(f.p);
    }
}

static void test_handler_error_stops(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "one", 1, 0);
    put_segment(&f, "a", "two", 1, 0);
    run_begin(&r, NULL, 0);
    r.fail_with = TS_ERR_OUTPUT;
    assert_int_equal(ts_htrace_feed(r.h, f.p, f.n), TS_ERR_OUTPUT);
    assert_int_equal(ts_htrace_feed(r.h, f.p, f.n), TS_ERR_OUTPUT);
    assert_int_equal(ts_htrace_finish(r.h), TS_ERR_OUTPUT);
    assert_int_equal(r.all.n, 3);
    run_free(&r);
    free(f.p);
}

static void test_header_notes(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 77, BOOT, REAL);
    set_le(&f, 16, 0x00020001, 4);
    set_le(&f, 20, 9, 4);
    put_segment(&f, "a", "one", 1, 0);
    close_header(&f, 0);
    run_file(&r, &f, false);
    assert_int_equal(issues(&r, "section_unknown_type"), 1);
    assert_int_equal(issues(&r, "header_version"), 1);
    assert_int_equal(issues(&r, "header_segments_missing"), 1);
    assert_mem_text(r.sink, source, 0, format_version, "2.1");
    assert_int_equal(IMPORTED(&r, "segments"), 1);
    assert_int_equal(LOST(&r, "segments"), 4); /* 9 prefixes and bodies are those of 5 */
    run_free(&r);
    free(f.p);
    f = (bytes){0};
    put_header(&f, 0, 0, BOOT, REAL);
    set_le(&f, 20, 1, 4);
    put_segment(&f, "a", "one", 1, 0);
    put_segment(&f, "a", "two", 1, 0);
    close_header(&f, 0);
    set_le(&f, 20, 1, 4);
    run_file(&r, &f, false);
    assert_int_equal(issues(&r, "header_segments_mismatch"), 1);
    assert_int_equal(LOST(&r, "segments"), 0);
    run_free(&r);
    free(f.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_configurations),
        cmocka_unit_test(test_two_segments),
        cmocka_unit_test(test_field_orders_and_padding),
        cmocka_unit_test(test_missing_time),
        cmocka_unit_test(test_unknown_length),
        cmocka_unit_test(test_zero_run_threshold),
        cmocka_unit_test(test_length_beyond_the_end),
        cmocka_unit_test(test_length_of_the_old_writer),
        cmocka_unit_test(test_huge_lengths),
        cmocka_unit_test(test_length_too_short),
        cmocka_unit_test(test_trailing_bytes),
        cmocka_unit_test(test_segment_crosses_section),
        cmocka_unit_test(test_unreadable_segments),
        cmocka_unit_test(test_bad_wire_inside),
        cmocka_unit_test(test_raw_sections),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_large_segments),
        cmocka_unit_test(test_large_segments_second_data),
        cmocka_unit_test(test_message_limit),
        cmocka_unit_test(test_no_header),
        cmocka_unit_test(test_header_cut),
        cmocka_unit_test(test_next_file),
        cmocka_unit_test(test_handler_error_stops),
        cmocka_unit_test(test_single_name),
        cmocka_unit_test(test_first_byte_of_a_segment),
        cmocka_unit_test(test_known_names),
        cmocka_unit_test(test_header_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The container: headers, lengths, names, clocks, configurations. */
#include "catalogue.h"

#include <zlib.h>

/* A section with one snapshot in one message and its end mark. */
static void make_good(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_tiny_snapshot(m, 11000);
    end_making(m);
}

static void make_bytes(making *m)
{
    put(&m->b, m->arg, (size_t)m->n);
}

static void make_cut_header(making *m)
{
    make_good(m);
    m->b.n = (size_t)m->n;
}

static void make_wrong_magic(making *m)
{
    make_good(m);
    m->b.p[7] = 'X';
}

/* The header's length is n; the bytes end at mark 0. */
static void make_length(making *m)
{
    make_good(m);
    set_le(&m->b, 8, (uint64_t)m->n, 8);
    mark(m, 0);
}

static void make_length_larger(making *m)
{
    make_good(m);
    set_le(&m->b, 8, m->b.n + 100, 8);
    mark(m, 0);
}

/* The declared end lies after the configuration, where a segment ends. */
static void make_length_smaller(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    end_making(m);
    put_tiny_snapshot(m, 11000);
}

static void make_segment_0(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    mark(m, 0);
    put_le(&m->b, 0, 4);
    put_tiny_snapshot(m, 11000);
    end_making(m);
}

/* A prefix that nothing follows: the next segment is found again. */
static void make_segment_max(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    mark(m, 0);
    put_le(&m->b, UINT32_MAX, 4);
    put_tiny_snapshot(m, 11000);
    end_making(m);
}

/* The last segment of the first section lacks its end; the next section is whole. */
static void make_past_section(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    mark(m, 0);
    put_segment(&m->b, "cpu-plugin_config", "a text that is cut", 1, 1);
    m->b.n -= 10;
    end_making(m);
    m->header = put_header(&m->b, 0, 0, 0, 0);
    put_tiny_snapshot(m, 11000);
    end_making(m);
}

static void make_past_eof(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_tiny_snapshot(m, 11000);
    mark(m, 0);
    put_segment(&m->b, "cpu-plugin_config", "a text that is cut", 1, 1);
    end_making(m);
    m->b.n -= 10;
}

static void make_header_inside(making *m)
{
    bytes inner = {0};
    bytes body = {0};
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_header(&inner, 2048, 0, 7, 7);
    put_text(&body, 1, "bytrace-plugin");
    put_field(&body, 3, inner.p, inner.n);
    put_raw_segment(&m->b, &body);
    put_tiny_snapshot(m, 11000);
    end_making(m);
    free(inner.p);
}

/* --- wrapped in zlib -------------------------------------------------------------------------- */

static void wrap_zlib(making *m)
{
    uLongf n = compressBound(m->b.n);
    uint8_t *p = malloc(n);
    assert_non_null(p);
    assert_int_equal(compress2(p, &n, m->b.p, m->b.n, 9), Z_OK);
    free(m->b.p);
    m->b = (bytes){p, n, n};
}

/* The checksum and 10 bytes of the data are missing: some of the inner file is. */
static void make_zlib_cut(making *m)
{
    make_good(m);
    wrap_zlib(m);
    m->b.n -= 14;
}

static void make_zlib_trailing(making *m)
{
    make_good(m);
    mark(m, 0);
    wrap_zlib(m);
    put(&m->b, "garbage", 7);
}

/* 80 MB of zeros behind the recording: more than 1000 : 1 after the first 64 MiB. */
static void make_zlib_bomb(making *m)
{
    make_good(m);
    size_t n = m->b.n;
    m->b.p = realloc(m->b.p, 80000000);
    assert_non_null(m->b.p);
    memset(m->b.p + n, 0, 80000000 - n);
    m->b.n = m->b.cap = 80000000;
    wrap_zlib(m);
}

/* --- names ------------------------------------------------------------------------------------ */

static void make_plugin_name(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    mark(m, 0);
    put_segment(&m->b, m->arg, "data", 1, 1);
    put_tiny_snapshot(m, 11000);
    end_making(m);
}

static void make_plugin_name_long(making *m)
{
    char *name = malloc(65537);
    assert_non_null(name);
    memset(name, 'n', 65536);
    name[65536] = '\0';
    m->arg = name;
    make_plugin_name(m);
    free(name);
}

static void check_plugin_name(const run *r)
{
    /* Escaped: it may be shown. */
    assert_int_equal(SKIPPED(r, "plugin_segments:\\xff\\xfe\\x1b[31m"), 1);
}

/* --- clocks and times ------------------------------------------------------------------------- */

static void put_reading(bytes *detail, uint64_t id, uint64_t sec)
{
    bytes time = {0};
    bytes one = {0};
    put_number(&time, 1, sec);
    put_number(&time, 2, 0);
    put_number(&one, 1, id);
    put_field(&one, 2, time.p, time.n);
    put_field(detail, 6, one.p, one.n);
    free(time.p);
    free(one.p);
}

/* No clocks in the header; the ftrace segment reads three, one of which nobody knows. */
static void make_unknown_clock(making *m)
{
    bytes detail = {0};
    bytes body = {0};
    m->header = put_header(&m->b, 0, 0, 0, 0);
    put_reading(&detail, 99, 12345);
    put_reading(&detail, 1, 1);
    put_reading(&detail, 2, 101);
    put_text(&body, 1, "ftrace-plugin");
    put_field(&body, 3, detail.p, detail.n);
    put_number(&body, 4, 77);
    put_number(&body, 5, 1);
    put_raw_segment(&m->b, &body);
    put_config(&m->b, 1734, 0, false);
    put_tiny_snapshot(m, 11000);
    end_making(m);
    free(detail.p);
}

static void check_times(const run *r)
{
    assert_cell(r, js_heap_files, 0, start_time, 11000);
    assert_cell(r, js_heap_files, 0, end_time, 13000);
}

/* A second section whose clocks are older: the first ones count. */
static void make_clocks_backwards(making *m)
{
    make_good(m);
    m->header = put_header(&m->b, 0, 0, 1, 1);
    put_tiny_snapshot(m, 21000);
    end_making(m);
}

static void check_second_time(const run *r)
{
    check_times(r);
    assert_cell(r, js_heap_files, 1, start_time, 21000);
}

/* 100 s and 10^10 + 11000 ns: 110.000011 s, which is 10 s and 11000 ns in the trace clock. */
static void make_nsec(making *m)
{
    snap s = tiny_snap();
    bytes json = {0};
    bytes text = snap_text(&s);
    bytes result = {0};
    bytes body = {0};
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_str(&json, "{\"params\":{\"chunk\":\"");
    put_escaped(&json, (const char *)text.p, text.n);
    put_str(&json, "\"}}");
    put_field(&result, 1, json.p, json.n);
    put_text(&body, 1, "arkts-plugin");
    put_field(&body, 3, result.p, result.n);
    put_number(&body, 5, 100);
    put_number(&body, 6, UINT64_C(10000011000));
    put_raw_segment(&m->b, &body);
    put_mark(&m->b, 1, AT(20000000000));
    end_making(m);
    free(json.p);
    free(text.p);
    free(result.p);
}

static void check_nsec(const run *r)
{
    assert_cell(r, js_heap_files, 0, start_time, INT64_C(10000011000));
}

/* --- configurations --------------------------------------------------------------------------- */

static void make_two_configs(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_config(&m->b, 1734, 0, false);
    put_tiny_snapshot(m, 11000);
    end_making(m);
}

static void make_config_last(making *m)
{
    begin_making(m);
    put_tiny_snapshot(m, 11000);
    put_config(&m->b, 1734, 0, false);
    end_making(m);
}

static void make_type_invalid(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, -1, false);
    put_tiny_snapshot(m, 11000);
    end_making(m);
}

/* What a whole snapshot leaves, whatever stands around it. */
#define SNAPSHOT_ROWS                                                                              \
    {                                                                                              \
        {TS_T_js_heap_files, 1}, {TS_T_js_heap_nodes, 3}, {TS_T_js_heap_edges, 4},                 \
            {TS_T_js_config, 1},                                                                   \
        {                                                                                          \
            TS_T_js_heap_string, 5                                                                 \
        }                                                                                          \
    }
#define NO_ROWS                                                                                    \
    {                                                                                              \
        {TS_T_js_heap_files, 0},                                                                   \
        {                                                                                          \
            TS_T_js_heap_nodes, 0                                                                  \
        }                                                                                          \
    }

const item framing_items[] = {
    {.name = "framing.empty_file", .make = make_bytes, .arg = "", .code = TS_ERR_INPUT},
    {.name = "framing.1_byte", .make = make_bytes, .arg = "O", .n = 1, .code = TS_ERR_FORMAT},
    {.name = "framing.1023_byte_header",
     .make = make_cut_header,
     .n = 1023,
     .issues = {{"header_truncated", 1, 0}},
     .counts = {{"bytes", 1023, 0, 1023, 0}, {"sections", 1, 0, 1, 0}},
     .rows = NO_ROWS},
    {.name = "framing.wrong_magic", .make = make_wrong_magic, .code = TS_ERR_FORMAT},
    {.name = "framing.length_0",
     .make = make_length,
     .n = 0,
     .issues = {{"header_length_unknown", 1, 0}},
     .counts = {{"segments", 3, 3, 0, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.length_1023",
     .make = make_length,
     .n = 1023,
     .issues = {{"header_length_wrong", 1, 0}},
     .counts = {{"segments", 3, 3, 0, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.length_2_63",
     .make = make_length,
     .n = INT64_MIN,
     .issues = {{"input_truncated", 1, MARK(0)}},
     .counts = {{"segments", 3, 3, 0, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.length_2_64_minus_1",
     .make = make_length,
     .n = -1,
     .issues = {{"input_truncated", 1, MARK(0)}},
     .counts = {{"segments", 3, 3, 0, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.length_larger_than_file",
     .make = make_length_larger,
     .issues = {{"input_truncated", 1, MARK(0)}},
     .counts = {{"segments", 3, 3, 0, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.length_smaller_than_file",
     .make = make_length_smaller,
     .issues = {{"header_length_short", 1, 0}},
     .counts = {{"segments", 3, 3, 0, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.segment_length_0",
     .make = make_segment_0,
     .issues = {{"segment_empty", 1, MARK(0)}},
     .counts = {{"segments", 4, 3, 0, 1}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.segment_length_max",
     .make = make_segment_max,
     .issues = {{"segment_crosses_section", 1, MARK(0)}, {"resynchronised", 1, MARK(0)}},
     .counts = {{"segments", 3, 3, 0, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.segment_past_section",
     .make = make_past_section,
     .issues = {{"segment_crosses_section", 1, MARK(0)}},
     .counts = {{"segments", 4, 3, 1, 0}, {"sections", 2, 2, 0, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.segment_past_eof",
     .make = make_past_eof,
     .issues = {{"segment_truncated", 1, MARK(0)}},
     .counts = {{"segments", 4, 3, 1, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.header_inside_segment",
     .make = make_header_inside,
     .issues = {{"plugin_name_single", 1, OFF_ANY}},
     .counts = {{"segments", 4, 3, 0, 1}, {"sections", 1, 1, 0, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.zlib_truncated",
     .make = make_zlib_cut,
     .issues = {{"wire_damage", 1, OFF_ANY},
                {"segment_truncated", 1, OFF_ANY},
                {"message_lost", 1, OFF_ANY}, /* the end mark, nothing else */
                {"snapshot_no_end_mark", 1, OFF_ANY}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.zlib_trailing_garbage",
     .make = make_zlib_trailing,
     .issues = {{"wrapper_trailing_bytes", 1, MARK(0)}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.zlib_bomb", .make = make_zlib_bomb, .code = TS_ERR_LIMIT},
    {.name = "framing.plugin_name_empty",
     .make = make_plugin_name,
     .arg = "",
     .issues = {{"segment_no_name", 1, MARK(0)}},
     .counts = {{"segments", 4, 3, 1, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.plugin_name_64_KiB",
     .make = make_plugin_name_long,
     .issues = {{"plugin_not_decoded", 1, MARK(0)}, {"plugin_name_single", 1, MARK(0)}},
     .counts = {{"segments", 4, 3, 0, 1}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.plugin_name_not_utf8",
     .make = make_plugin_name,
     .arg = "\xff\xfe\x1b[31m",
     .issues = {{"plugin_not_decoded", 1, MARK(0)}, {"plugin_name_single", 1, MARK(0)}},
     .counts = {{"segments", 4, 3, 0, 1}},
     .rows = SNAPSHOT_ROWS,
     .check = check_plugin_name},
    {.name = "framing.unknown_clock_ids",
     .make = make_unknown_clock,
     .rows = SNAPSHOT_ROWS,
     .check = check_times},
    {.name = "framing.clocks_going_backwards",
     .make = make_clocks_backwards,
     .counts = {{"sections", 2, 2, 0, 0}},
     .check = check_second_time},
    {.name = "framing.tv_nsec_10_9_and_more",
     .make = make_nsec,
     .rows = SNAPSHOT_ROWS,
     .check = check_nsec},
    {.name = "framing.duplicate_config",
     .make = make_two_configs,
     .counts = {{"configs", 2, 2, 0, 0}},
     .rows = {{TS_T_js_config, 1}, {TS_T_js_heap_files, 1}}},
    {.name = "framing.result_before_config",
     .make = make_config_last,
     .counts = {{"configs", 1, 1, 0, 0}},
     .rows = SNAPSHOT_ROWS},
    {.name = "framing.heap_type_invalid",
     .make = make_type_invalid,
     .counts = {{"configs", 1, 1, 0, 0}},
     .rows = SNAPSHOT_ROWS},
    {0},
};

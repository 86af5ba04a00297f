/* Traces of the TPTP profiler: what docs/formats.md says of bad input, a line of it each. */
#include "catalogue.h"

#include "tptp_build.h"

/* Definitions and calls that all entries have: a thread, a class, a method and two calls. */
#define DEFINED                                                                                    \
    "1009 q0 q7 t1000 s: s: q0 q0 s:w s: s:; "                                                     \
    "1011 q0 q7 t1001 i0 s: q0 q20 s: s: s: q0 q0 s:a.B s: i0 i0 i0 s: s:; "                       \
    "1012 s:run s:()V b0 b0 b0 b0 s: q5 q9 s: q0 q20 q30 s: s:"
#define CALL(ticket)                                                                               \
    "1015 q0 q7 t" #ticket "000 q30 i" #ticket " q0 q20 q0 q0 q0 s: s:; "                          \
    "1016 q0 q7 t" #ticket "500 i" #ticket " q0 q30 q0 q0 q0 q20 s: s: s:"
#define TWO CALL(2) "; " CALL(3)

/* The head and the definitions, what `arg` says, two calls. */
static void make_between(making *m)
{
    put_tptp_head(&m->b);
    put_tptps(&m->b, DEFINED);
    mark(m, 0);
    put_tptps(&m->b, m->arg);
    mark(m, 1);
    put_tptps(&m->b, TWO);
}

static void make_xml(making *m)
{
    put_str(&m->b, TPTP_XML "<threadStart threadId=\"7\" time=\"0.000001\" threadName=\"w\"/>"
                            "<classDef classId=\"20\" name=\"a.B\" time=\"0.000001001\"/>"
                            "<methodDef methodId=\"30\" name=\"run\" classIdRef=\"20\"/>");
    mark(m, 0);
    put_str(&m->b, m->arg);
    mark(m, 1);
    put_str(&m->b, "<methodEntry threadIdRef=\"7\" time=\"0.000002\" methodIdRef=\"30\" "
                   "ticket=\"1\"/><methodExit threadIdRef=\"7\" time=\"0.0000025\" ticket=\"1\"/>"
                   "<methodEntry threadIdRef=\"7\" time=\"0.000003\" methodIdRef=\"30\" "
                   "ticket=\"2\"/><methodExit threadIdRef=\"7\" time=\"0.0000035\" ticket=\"2\"/>");
}

static void make_head(making *m)
{
    put(&m->b, m->arg, (size_t)m->n);
}

/* A header with other bytes at `n`, then all that belongs there. */
static void make_header(making *m)
{
    put_tptp_head(&m->b);
    put_tptps(&m->b, DEFINED "; " TWO);
    memcpy(m->b.p + m->n, m->arg, m->n == 8 ? 4 : 1);
}

/* Bytes that are no message. */
static void make_gap(making *m)
{
    put_tptp_head(&m->b);
    put_tptps(&m->b, DEFINED);
    mark(m, 0);
    for (int64_t i = 0; i < m->n; i++) {
        put(&m->b, m->arg, 1);
    }
    put_tptps(&m->b, TWO);
}

static void make_gap_at_end(making *m)
{
    put_tptp_head(&m->b);
    put_tptps(&m->b, DEFINED "; " TWO);
    mark(m, 0);
    for (int64_t i = 0; i < m->n; i++) {
        put(&m->b, m->arg, 1);
    }
}

/* A message with a size of its own: n. */
static void make_size(making *m)
{
    put_tptp_head(&m->b);
    put_tptps(&m->b, DEFINED);
    mark(m, 0);
    size_t at = m->b.n;
    put_tptps(&m->b, CALL(9));
    set_le(&m->b, at + 2, (uint64_t)m->n, 4);
    put_tptps(&m->b, TWO);
}

/* The last message lacks n bytes. */
static void make_cut(making *m)
{
    size_t at;
    put_tptp_head(&m->b);
    put_tptps(&m->b, DEFINED "; " TWO);
    at = m->b.n;
    mark(m, 0);
    put_tptps(&m->b, "1041 s:never_complete");
    m->b.n -= (size_t)m->n;
    assert_true(m->b.n > at);
}

/* Texts that do not end. */
static void make_no_end(making *m)
{
    put_tptp_head(&m->b);
    put_tptps(&m->b, DEFINED);
    mark(m, 0);
    put_tptps(&m->b, "1041 s:abcd");
    m->b.p[m->b.n - 1] = 'e';
    put_tptps(&m->b, TWO);
}

/* The message 2 with this number. */
static void make_frequency(making *m)
{
    put(&m->b, "0TBF\1\0\1\1\x0c\0\0", 12);
    if (m->n != 0) {
        put_le(&m->b, 2, 2);
        put_le(&m->b, 14, 4);
        put_le(&m->b, (uint64_t)m->n, 8);
    }
    put_tptps(&m->b, m->arg != NULL ? m->arg : DEFINED "; " TWO);
}

static void make_encoding(making *m)
{
    put(&m->b, "0TBF\1\0\1\1\x0c\0\0", 12);
    put_tptps(&m->b, m->arg);
    put_tptps(&m->b, "2 q1000000000; " DEFINED "; 1041 s:x\xff; " TWO);
}

static void make_two_headers(making *m)
{
    for (int i = 0; i < 2; i++) {
        put_tptp_head(&m->b);
        put_tptps(&m->b, DEFINED "; " TWO);
    }
}

/* Calls that are never left, more than 100 000 in each other. */
static void make_deep(making *m)
{
    put_tptp_head(&m->b);
    put_tptps(&m->b, DEFINED);
    for (int64_t i = 0; i < m->n; i++) {
        size_t at = m->b.n;
        put_tptps(&m->b, "1015 q0 q7 t2000 q30 i1 q0 q20 q0 q0 q0 s: s:");
        set_le(&m->b, at + 38, (uint64_t)i + 1, 4);
    }
    put_tptps(&m->b, "1016 q0 q7 t2500 i1 q0 q30 q0 q0 q0 q20 s: s: s:");
}

static void make_nested(making *m)
{
    making inner = *m;
    make_xml(m);
    m->b.n = (size_t)m->marks[0];
    for (int64_t i = 0; i < inner.n; i++) {
        put_str(&m->b, m->arg);
    }
    for (int64_t i = 0; i < inner.n; i++) {
        put_str(&m->b, "</e>");
    }
    put_str(&m->b, "<methodEntry threadIdRef=\"7\" time=\"0.000002\" methodIdRef=\"30\" "
                   "ticket=\"1\"/>");
}

/* The beginning of a document is `arg`, then come two calls. */
static void make_document(making *m)
{
    put_str(&m->b, m->arg);
    put_str(&m->b, "<methodEntry threadIdRef=\"7\" time=\"0.000002\" ticket=\"1\"/>"
                   "<methodExit threadIdRef=\"7\" time=\"0.0000025\" ticket=\"1\"/>");
}

static void make_cut_xml(making *m)
{
    make_xml(m);
    m->b.n -= (size_t)m->n;
}

/* --- what single cells must be ---------------------------------------------------------------- */

static void check_durations(const run *r)
{
    for (size_t i = 0; i < MEM_ROWS(r->sink, stack_slice); i++) {
        assert_cell(r, stack_slice, i, dur, 500);
    }
}

static void check_in_mhz(const run *r)
{
    assert_cell(r, stack_slice, 0, ts, 2000 / 2);
    assert_cell(r, stack_slice, 0, dur, 500 / 2);
}

static void check_milliseconds(const run *r)
{
    assert_cell(r, thread, 1, start_ts, INT64_C(1185890426304) * 1000000);
}

static void check_microseconds(const run *r)
{
    assert_cell(r, thread, 1, start_ts, INT64_C(1185890426304424) * 1000);
}

static void check_null_numbers(const run *r)
{
    assert_null_cell(r, stack_slice, 0, ts);
    assert_null_cell(r, tptp_invocation, 0, stack_depth);
}

static void check_undefined(const run *r)
{
    assert_mem_text(r->sink, stack_method, 1, name, "method#99");
}

static void check_missing_exit(const run *r)
{
    /* the inner one ends with the outer one */
    assert_cell(r, stack_slice, 1, state, 2);
    assert_cell(r, stack_slice, 1, dur, 800);
    assert_cell(r, stack_slice, 0, state, 0);
    assert_cell(r, stack_slice, 0, dur, 900);
    assert_cell(r, stack_slice, 0, self_dur, 100);
}

static void check_backwards(const run *r)
{
    assert_cell(r, stack_slice, 0, dur, 0);
    assert_cell(r, stack_slice, 0, self_dur, 0);
}

static void check_no_depth(const run *r)
{
    assert_true(MEM_NULL(r->sink, stack_slice, 0, depth));
    assert_true(MEM_NULL(r->sink, stack_slice, 1, depth));
}

static void check_deep(const run *r)
{
    size_t n = MEM_ROWS(r->sink, stack_slice);
    assert_cell(r, stack_slice, n - 1, depth, (int64_t)n - 1);
    assert_cell(r, stack_slice, 0, dur, 500);
}

static void check_sessions(const run *r)
{
    assert_int_not_equal(MEM_INT(r->sink, stack_slice, 0, source_id),
                         MEM_INT(r->sink, stack_slice, 2, source_id));
    assert_int_not_equal(MEM_INT(r->sink, stack_slice, 0, itid),
                         MEM_INT(r->sink, stack_slice, 2, itid));
}

#define SLICES(n)                                                                                  \
    {                                                                                              \
        TS_T_stack_slice, n                                                                        \
    }

const item tptp_items[] = {
    {.name = "tptp.magic_only", .make = make_head, .arg = "0TBF", .n = 4, .code = TS_ERR_FORMAT},
    {.name = "tptp.header_of_11_bytes",
     .make = make_head,
     .arg = "0TBF\1\0\1\1\x0c\0",
     .n = 11,
     .code = TS_ERR_FORMAT},
    {.name = "tptp.data_outside",
     .make = make_header,
     .n = 8,
     .arg = "\xff\xff\xff\x7f",
     .code = TS_ERR_FORMAT},
    {.name = "tptp.data_offset_0",
     .make = make_header,
     .n = 8,
     .arg = "\0\0\0\0",
     .issues = {{"tptp_data_offset", 1, OFF_ANY}},
     .rows = {SLICES(2)},
     .check = check_durations},
    {.name = "tptp.wrong_byte_order",
     .make = make_header,
     .n = 7,
     .arg = "\0",
     .issues = {{"tptp_endian", 1, OFF_ANY}},
     .rows = {SLICES(2)},
     .check = check_durations},
    {.name = "tptp.byte_order_7",
     .make = make_header,
     .n = 7,
     .arg = "\7",
     .issues = {{"tptp_endian", 1, OFF_ANY}},
     .rows = {SLICES(2)},
     .check = check_durations},
    {.name = "tptp.major_version_9",
     .make = make_header,
     .n = 4,
     .arg = "\x09",
     .issues = {{"tptp_major_version", 1, OFF_ANY}},
     .rows = {SLICES(2)}},
    {.name = "tptp.size_3",
     .make = make_size,
     .n = 3,
     .issues = {{"tptp_message_size", 1, MARK(0)}, {"tptp_exit_unmatched", 1, OFF_ANY}},
     .rows = {SLICES(2)},
     .check = check_durations},
    {.name = "tptp.size_past_the_end",
     .make = make_size,
     .n = 0x7fffffff,
     .issues = {{"tptp_message_size", 1, MARK(0)}, {"tptp_exit_unmatched", 1, OFF_ANY}},
     .rows = {SLICES(2)},
     .check = check_durations},
    {.name = "tptp.gap",
     .make = make_gap,
     .arg = "\xaa",
     .n = 100,
     .issues = {{"tptp_message_size", 1, MARK(0)}},
     .rows = {SLICES(2)},
     .check = check_durations},
    {.name = "tptp.gap_of_2_MB",
     .make = make_gap,
     .arg = "\xaa",
     .n = 2 << 20,
     .issues = {{"tptp_lost_tail", 1, OFF_ANY}},
     .counts = {{"bytes", 241 + (2 << 20) + 338, 241, (2 << 20) + 338, 0}},
     .rows = {SLICES(0)},
     .large = true},
    {.name = "tptp.zeros_at_the_end",
     .make = make_gap_at_end,
     .arg = "",
     .n = 64,
     .issues = {{"tptp_lost_tail", 1, MARK(0)}},
     .rows = {SLICES(2)},
     .check = check_durations},
    {.name = "tptp.cut_in_a_message",
     .make = make_cut,
     .n = 1,
     .issues = {{"tptp_lost_tail", 1, MARK(0)}},
     .rows = {SLICES(2), {TS_T_tptp_custom, 0}}},
    {.name = "tptp.cut_in_a_head",
     .make = make_cut,
     .n = 18,
     .issues = {{"tptp_lost_tail", 1, MARK(0)}},
     .rows = {SLICES(2), {TS_T_tptp_custom, 0}}},
    {.name = "tptp.text_without_end",
     .make = make_no_end,
     .issues = {{"tptp_message_bad", 1, MARK(0)}},
     .rows = {SLICES(2), {TS_T_tptp_custom, 0}}},
    {.name = "tptp.frames_past_the_message",
     .make = make_between,
     .arg = "1032 q7 t1500 q50 q0 i9 A:a.B.c Q4",
     .issues = {{"tptp_message_bad", 1, MARK(0)}},
     .rows = {SLICES(2), {TS_T_lock_wait, 0}}},
    {.name = "tptp.frames_minus_1",
     .make = make_between,
     .arg = "1032 q7 t1500 q50 q0 i-1",
     .issues = {{"tptp_message_bad", 1, MARK(0)}},
     .rows = {SLICES(2), {TS_T_lock_wait, 0}}},
    {.name = "tptp.frames_65537",
     .make = make_between,
     .arg = "1032 q7 t1500 q50 q0 i65537",
     .issues = {{"tptp_message_bad", 1, MARK(0)}},
     .rows = {SLICES(2), {TS_T_lock_wait, 0}}},
    {.name = "tptp.unknown_message",
     .make = make_between,
     .arg = "1042 q1; 700 q1; 32767 q1; 65535 q1",
     .counts = {{"tptp_unknown:1042", 1, 0, 0, 1}, {"tptp_unknown:65535", 1, 0, 0, 1}},
     .rows = {SLICES(2), {TS_T_tptp_event, 0}}},
    {.name = "tptp.longer_message",
     .make = make_between,
     .arg = "1041 s:x q7",
     .issues = {{"tptp_inexact", 1, OFF_ANY}},
     .rows = {SLICES(2), {TS_T_tptp_custom, 1}}},
    {.name = "tptp.shorter_message",
     .make = make_between,
     .arg = "1001 s:N s:h",
     .issues = {{"tptp_inexact", 1, OFF_ANY}},
     .rows = {SLICES(2), {TS_T_tptp_node, 1}}},
    /* Others of its kind are not longer: the calls behind it are not certain to be roots. */
    {.name = "tptp.one_longer_message",
     .make = make_between,
     .arg = "1041 s:x; 1041 s:x q7",
     .issues = {{"tptp_inexact", 1, OFF_ANY}, {"tptp_size_alone", 1, OFF_ANY}},
     .rows = {SLICES(2), {TS_T_tptp_custom, 2}},
     .check = check_no_depth},
    {.name = "tptp.one_shorter_message",
     .make = make_between,
     .arg = "1001 s:N s:h s: i0 t9; 1001 s:N s:h",
     .issues = {{"tptp_inexact", 1, OFF_ANY}, {"tptp_size_alone", 1, OFF_ANY}},
     .rows = {SLICES(2), {TS_T_tptp_node, 2}},
     .check = check_no_depth},
    {.name = "tptp.no_frequency",
     .make = make_frequency,
     .issues = {{"tptp_no_frequency", 1, OFF_ANY}},
     .rows = {SLICES(2)},
     .check = check_durations},
    {.name = "tptp.no_frequency_milliseconds",
     .make = make_frequency,
     .arg = "1009 q0 q7 t1185890426304 s: s: q0 q0 s:w s: s:",
     .issues = {{"tptp_no_frequency", 1, OFF_ANY}},
     .check = check_milliseconds},
    {.name = "tptp.no_frequency_microseconds",
     .make = make_frequency,
     .arg = "1009 q0 q7 t1185890426304424 s: s: q0 q0 s:w s: s:",
     .issues = {{"tptp_no_frequency", 1, OFF_ANY}},
     .check = check_microseconds},
    {.name = "tptp.frequency_in_MHz",
     .make = make_frequency,
     .n = 2000,
     .issues = {{"tptp_frequency", 1, OFF_ANY}},
     .rows = {SLICES(2)},
     .check = check_in_mhz},
    {.name = "tptp.frequency_as_double",
     .make = make_frequency,
     .n = 0x41cdcd6500000000, /* 10^9 */
     .issues = {{"tptp_frequency", 1, OFF_ANY}},
     .rows = {SLICES(2)},
     .check = check_durations},
    {.name = "tptp.bad_bytes",
     .make = make_encoding,
     .arg = "1 s:UTF-8",
     .issues = {{"tptp_bad_text", 1, OFF_ANY}},
     .rows = {SLICES(2), {TS_T_tptp_custom, 1}}},
    {.name = "tptp.unknown_encoding",
     .make = make_encoding,
     .arg = "1 s:x-nonsense",
     .issues = {{"tptp_encoding", 1, OFF_ANY}, {"tptp_bad_text", 1, OFF_ANY}},
     .rows = {SLICES(2), {TS_T_tptp_custom, 1}}},
    {.name = "tptp.encoding_with_zeros",
     .make = make_encoding,
     .arg = "1 s:UTF-16LE",
     .code = TS_ERR_FORMAT},
    {.name = "tptp.undefined_method",
     .make = make_between,
     .arg = "1015 q0 q7 t1500 q99 i9 q0 q0 q0 q0 q0 s: s:; 1016 q0 q7 t1600 i9 q0 q99 q0 q0 q0 q0 "
            "s: s: s:",
     .issues = {{"tptp_undefined", 1, OFF_ANY}},
     .rows = {SLICES(3)},
     .check = check_undefined},
    {.name = "tptp.undefined_thread",
     .make = make_between,
     .arg = "1015 q0 q9 t1500 q30 i9 q0 q20 q0 q0 q0 s: s:; 1016 q0 q9 t1600 i9 q0 q30 q0 q0 q0 q0 "
            "s: s: s:",
     .issues = {{"tptp_undefined", 1, OFF_ANY}},
     .rows = {SLICES(3)}},
    {.name = "tptp.undefined_class",
     .make = make_between,
     .arg = "1014 q0 q7 t1500 b0 q0 q50 q48 q6 q30 q0 q99 s: s: s:",
     .issues = {{"tptp_undefined", 1, OFF_ANY}},
     .rows = {SLICES(2), {TS_T_tptp_class, 2}}},
    {.name = "tptp.exit_without_entry",
     .make = make_between,
     .arg = "1016 q0 q7 t1600 i9 q0 q30 q0 q0 q0 q0 s: s: s:",
     .issues = {{"tptp_exit_unmatched", 1, OFF_ANY}},
     .rows = {SLICES(2)},
     .check = check_durations},
    {.name = "tptp.missing_exit",
     .make = make_between,
     .arg = "1015 q0 q7 t1000 q30 i8 q0 q20 q0 q0 q0 s: s:; "
            "1015 q0 q7 t1100 q30 i9 q0 q20 q0 q0 q0 s: s:; "
            "1016 q0 q7 t1900 i8 q0 q30 q0 q0 q0 q0 s: s: s:",
     .issues = {{"tptp_exit_missing", 1, OFF_ANY}},
     .rows = {SLICES(4)},
     .check = check_missing_exit},
    {.name = "tptp.free_of_unknown_object",
     .make = make_between,
     .arg = "1024 q0 q7 t1500 q0 q50 q1 q0 q0 s: s:",
     .rows = {SLICES(2), {TS_T_tptp_free, 1}}},
    {.name = "tptp.monitor_end_without_begin",
     .make = make_between,
     .arg = "1033 q7 t1500 q50 q0 i0; 1035 q7 t1500 q50 i0",
     .rows = {SLICES(2), {TS_T_lock_wait, 2}}},
    {.name = "tptp.time_backwards",
     .make = make_between,
     .arg = "1015 q0 q7 t1700 q30 i9 q0 q20 q0 q0 q0 s: s:; 1016 q0 q7 t1600 i9 q0 q30 q0 q0 q0 q0 "
            "s: s: s:",
     .rows = {SLICES(3)},
     .check = check_backwards},
    {.name = "tptp.depth_100_001",
     .make = make_deep,
     .n = 100001,
     .issues = {{"tptp_exit_missing", 100000, OFF_ANY}},
     .rows = {SLICES(100001)},
     .check = check_deep,
     .large = true},
    {.name = "tptp.two_headers",
     .make = make_two_headers,
     .rows = {SLICES(4), {TS_T_tptp_class, 2}},
     .check = check_sessions},

    {.name = "tptp.xml_unknown_element",
     .make = make_xml,
     .arg = "<other a=\"1\"><methodEntry threadIdRef=\"7\"/>text</other><Other/>",
     .counts = {{"tptp_unknown:other", 1, 0, 0, 1}, {"tptp_unknown:Other", 1, 0, 0, 1}},
     .rows = {SLICES(2)}},
    {.name = "tptp.xml_name_not_utf8",
     .make = make_xml,
     .arg = "<meth\xefodEntry threadIdRef=\"7\"/>",
     .issues = {{"tptp_xml_bad", 1, OFF_ANY}},
     .rows = {SLICES(2)}},
    {.name = "tptp.xml_unknown_attribute",
     .make = make_xml,
     .arg = "<customData other=\"1\" body=\"x\"/>",
     .counts = {{"tptp_unknown_attributes:other", 1, 0, 0, 1}},
     .rows = {SLICES(2), {TS_T_tptp_custom, 1}}},
    {.name = "tptp.xml_numbers",
     .make = make_xml,
     .arg = "<methodEntry threadIdRef=\"7\" time=\"1,5\" methodIdRef=\"30\" ticket=\"abc\" "
            "stackDepth=\"99999999999999999999\"/>",
     .issues = {{"tptp_value_bad", 3, OFF_ANY}},
     .counts = {{"tptp_values", 3, 0, 3, 0}},
     .rows = {SLICES(3)},
     .check = check_null_numbers},
    {.name = "tptp.xml_time_beyond_64_bit",
     .make = make_xml,
     .arg = "<traceStart time=\"9223372036.9\"/><traceStart time=\"1e30\"/>",
     .issues = {{"tptp_value_bad", 2, OFF_ANY}},
     .rows = {{TS_T_tptp_trace, 2}}},
    {.name = "tptp.xml_cut_in_a_tag",
     .make = make_cut_xml,
     .arg = "",
     .n = 12,
     .issues = {{"tptp_element_cut", 1, OFF_ANY}},
     .rows = {SLICES(2)}},
    {.name = "tptp.xml_root_open", .make = make_xml, .arg = "", .rows = {SLICES(2)}},
    {.name = "tptp.xml_bad_bytes",
     .make = make_xml,
     .arg = "<customData body=\"a\xff\"/>",
     .issues = {{"tptp_bad_text", 1, OFF_ANY}},
     .rows = {SLICES(2), {TS_T_tptp_custom, 1}}},
    {.name = "tptp.xml_entity",
     .make = make_xml,
     .arg = "<customData body=\"a&nbsp;b\"/>",
     .issues = {{"tptp_entity", 1, OFF_ANY}},
     .rows = {SLICES(2), {TS_T_tptp_custom, 1}}},
    {.name = "tptp.xml_raw_less",
     .make = make_xml,
     .arg = "<customData body=\"a<b\"/>",
     .rows = {SLICES(2), {TS_T_tptp_custom, 1}}},
    {.name = "tptp.xml_text",
     .make = make_xml,
     .arg = "some text between elements",
     .rows = {SLICES(2)}},
    {.name = "tptp.xml_nested_256",
     .make = make_nested,
     .arg = "<e>",
     .n = 250,
     .rows = {SLICES(1)}},
    {.name = "tptp.xml_nested_10_5",
     .make = make_nested,
     .arg = "<e>",
     .n = 100000,
     .issues = {{"tptp_nesting", 1, OFF_ANY}},
     .rows = {SLICES(1)}},
    {.name = "tptp.xml_entities_bomb",
     .make = make_document,
     .arg = "<?xml version=\"1.0\"?><!DOCTYPE TRACE [<!ENTITY a \"aaaaaaaaaaaaaaaa\"><!ENTITY b "
            "\"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c "
            "\"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d "
            "\"&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;\"><!ENTITY e "
            "\"&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;\">]><TRACE><customData body=\"&e;\"/>",
     .issues = {{"tptp_entity", 1, OFF_ANY}, {"tptp_undefined", 1, OFF_ANY}},
     .rows = {SLICES(1)}},
    {.name = "tptp.xml_external_entity",
     .make = make_document,
     .arg = "<?xml version=\"1.0\"?><!DOCTYPE TRACE [<!ENTITY a SYSTEM \"/etc/passwd\">]><TRACE>"
            "<customData body=\"&a;\"/>",
     .issues = {{"tptp_entity", 1, OFF_ANY}, {"tptp_undefined", 1, OFF_ANY}},
     .rows = {SLICES(1)}},
    {.name = "tptp.xml_other_root",
     .make = make_head,
     .arg = "<?xml version=\"1.0\"?><html><head/><body>monWait</body></html>",
     .n = 62,
     .code = TS_ERR_FORMAT},
    {.name = NULL},
};

/*
 * cpu-plugin: messages by hand, rows from the description of the format. The clocks of all
 * recordings: boottime 1 s, realtime 11 s, so that the outer time of 12 s is 2 s.
 */
#include "htrace_build.h"

#include "base/ckd.h"

#include <math.h>

#define S INT64_C(1000000000)

extern const ts_htrace_plugin ts_plugin_cpu;

static const ts_htrace_plugin *const cpu_only[] = {&ts_plugin_cpu, NULL};

/* --- messages ----------------------------------------------------------------------------------
 */

static void begin(bytes *f)
{
    *f = (bytes){0};
    put_header(f, 0, 0, 1 * S, 11 * S);
}

static void segment(bytes *f, const char *name, const void *data, size_t n, int64_t ts)
{
    bytes body = {0};
    put_text(&body, 1, name);
    put_field(&body, 3, data, n);
    if (ts >= 0) {
        put_number(&body, 5, (uint64_t)(ts / S));
        put_number(&body, 6, (uint64_t)(ts % S));
    }
    put_raw_segment(f, &body);
}

/* A message in hexadecimal digits. */
static void hex(bytes *f, const char *digits, int64_t ts)
{
    bytes data = {0};
    for (; digits[0] != '\0'; digits += 2) {
        char two[3] = {digits[0], digits[1], '\0'};
        put_le(&data, strtoul(two, NULL, 16), 1);
    }
    segment(f, "cpu-plugin", data.p, data.n, ts);
    free(data.p);
}

static void put_double(bytes *b, uint32_t field, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_varint(b, (uint64_t)field << 3 | 1);
    put_le(b, bits, 8);
}

/* Loads: user v, system v + 1, total v + 2; v processes. */
static void sample(bytes *f, int v, int64_t ts)
{
    bytes data = {0};
    put_field(&data, 1, "", 0);
    put_number(&data, 3, (uint64_t)v);
    put_double(&data, 4, v);
    put_double(&data, 5, v + 1);
    put_double(&data, 6, v + 2);
    segment(f, "cpu-plugin", data.p, data.n, ts);
    free(data.p);
}

/* --- running -----------------------------------------------------------------------------------
 */

/* What each row has, whatever the blocks and whether messages are held or collected. */
static void convert(run *r, const bytes *f, ts_time_range range)
{
    static const size_t blocks[] = {7, 1};
    run_begin_with(r, cpu_only, NULL, 0);
    r->ctx->time_range = range;
    run_feed(r, f->p, f->n, f->n);
    run_end(r);
    for (size_t i = 0; i < 4; i++) {
        run other;
        run_begin_with(&other, cpu_only, NULL, i / 2 * 8);
        other.ctx->time_range = range;
        run_feed(&other, f->p, f->n, blocks[i % 2]);
        run_end(&other);
        assert_int_equal(other.code, r->code);
        assert_true(memsink_equal(other.sink, r->sink));
        run_free(&other);
    }
}

/* Rows of cpu_usage as text, and numbers of samples and messages. */
typedef struct expected {
    const char *const *rows; /* ends with NULL */
    int64_t samples_skipped;
    int64_t messages[3]; /* imported, lost, skipped */
    int64_t values_lost; /* -1: not counted */
} expected;

static void check_rows(const run *r, const expected *e)
{
    size_t n = 0;
    for (; e->rows[n] != NULL; n++) {
        assert_true(n < MEM_ROWS(r->sink, cpu_usage));
        assert_mem_row(r->sink, cpu_usage, n, e->rows[n]);
    }
    assert_int_equal(MEM_ROWS(r->sink, cpu_usage), n);
    assert_int_equal(IMPORTED(r, "plugin_samples:cpu-plugin"), n);
    assert_int_equal(SKIPPED(r, "plugin_samples:cpu-plugin"), e->samples_skipped);
    assert_int_equal(IMPORTED(r, "plugin_messages:cpu-plugin"), e->messages[0]);
    assert_int_equal(LOST(r, "plugin_messages:cpu-plugin"), e->messages[1]);
    assert_int_equal(SKIPPED(r, "plugin_messages:cpu-plugin"), e->messages[2]);
    assert_int_equal(LOST(r, "plugin_values:cpu-plugin"), e->values_lost);
    assert_int_equal(issues(r, "conservation"), 0);
}

static void check(run *r, bytes *f, const expected *e)
{
    convert(r, f, (ts_time_range){0});
    assert_int_equal(r->code, TS_OK);
    check_rows(r, e);
    free(f->p);
}

/* --- what is right -----------------------------------------------------------------------------
 */

static void test_worked_example(void **state)
{
    static const char *const rows[] = {"3000000000|1000000000|2.75|2|0.75|8", NULL};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, "0a00180721000000000000f83f29000000000000e03f310000000000000040", 12 * S);
    hex(&f, "0a00180821000000000000004029000000000000e83f310000000000000640", 13 * S);
    hex(&f, "1809", 14 * S); /* no field 1 */
    check(&r, &f, &(expected){rows, 1, {2, 0, 1}, -1});
    assert_mem_row(r.sink, trace_range, 0, "2000000000|3000000000");
    assert_mem_row(r.sink, datasource_clockid, 0, "0|cpu-plugin|2");
    assert_int_equal(stat_count(&r, "trace_cpu_usage", "received"), 2);
    assert_int_equal(stat_count(&r, "trace_cpu_usage", "data_lost"), 0);
    assert_int_equal(MEM_ROWS(r.sink, import_issue), issues(&r, "header_length_unknown"));
    run_free(&r);
}

/* Absent numbers are 0, the last of several counts, unknown fields are passed over, varints are
 * padded, fields come in any order. */
static void test_forms_of_messages(void **state)
{
    static const char *const rows[] = {
        "3000000000|1000000000|0|0|0|0",
        "4000000000|1000000000|0|2|0|3",
        "5000000000|1000000000|0|0|0|5",
        "6000000000|1000000000|0|0|0|0",
        NULL,
    };
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, "0a00", 12 * S);
    hex(&f, "0a00", 13 * S);
    hex(&f,
        "21000000000000f83f1807188380800021000000000000004078057a0161"
        "0a00",
        14 * S);
    hex(&f,
        "0a000a00"
        "1885808080808080808000"
        "8d010000803f",
        15 * S);
    hex(&f, "0a001800210000000000000000", 16 * S);
    check(&r, &f, &(expected){rows, 1, {5, 0, 0}, -1});
    assert_int_equal(SKIPPED(&r, "extra_fields:cpu-plugin.cpu_usage_info"), -1); /* all are empty */
    assert_int_equal(MEM_ROWS(r.sink, import_issue), issues(&r, "header_length_unknown"));
    run_free(&r);
}

/* What has no columns is counted. */
static void test_passed_over(void **state)
{
    static const char *const rows[] = {NULL};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f,
        "0a020801"
        "12020801"
        "12020802",
        12 * S);
    check(&r, &f, &(expected){rows, 1, {1, 0, 0}, -1});
    assert_int_equal(SKIPPED(&r, "extra_fields:cpu-plugin.cpu_usage_info"), 1);
    assert_int_equal(SKIPPED(&r, "extra_fields:cpu-plugin.thread_info"), 2);
    /* A single sample: a range around it, as a viewer divides by it. */
    assert_mem_row(r.sink, trace_range, 0, "1999999999|2000000001");
    run_free(&r);
}

/* By time; equal ones as they came, with an interval of nothing. */
static void test_order(void **state)
{
    static const char *const rows[] = {
        "2500000000|500000000|6|4|5|4",
        "3000000000|500000000|4|2|3|2",
        "3000000000|0|5|3|4|3",
        NULL,
    };
    bytes f;
    run r;
    (void)state;
    begin(&f);
    sample(&f, 2, 13 * S);
    sample(&f, 3, 13 * S);
    sample(&f, 1, 12 * S);
    sample(&f, 4, 12 * S + S / 2);
    check(&r, &f, &(expected){rows, 1, {4, 0, 0}, -1});
    run_free(&r);
}

/* Part of a recording that stands in it twice changes no interval. */
static void test_repeated(void **state)
{
    static const char *const rows[] = {"3000000000|1000000000|4|2|3|2",
                                       "4000000000|1000000000|5|3|4|3",
                                       "5000000000|1000000000|6|4|5|4", NULL};
    static const int order[] = {1, 2, 3, 1, 2, 3, 3, 4};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (size_t i = 0; i < 8; i++) {
        sample(&f, order[i], (11 + order[i]) * S);
    }
    check(&r, &f, &(expected){rows, 5, {8, 0, 0}, -1});
    assert_int_equal(issues(&r, "sample_repeated"), 1);
    run_free(&r);
}

/* Many in disorder, against times that were sorted by hand: i * 7 mod 1009 takes every value once.
 */
static void test_many_in_disorder(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (int i = 0; i < 1009; i++) {
        sample(&f, i, (12 + i * 7 % 1009) * S);
    }
    run_begin_with(&r, cpu_only, NULL, 0);
    run_feed(&r, f.p, f.n, f.n);
    run_end(&r);
    assert_int_equal(MEM_ROWS(r.sink, cpu_usage), 1008);
    for (int i = 0; i < 1009; i++) {
        int64_t place = i * 7 % 1009;
        if (place > 0) {
            assert_int_equal(MEM_INT(r.sink, cpu_usage, (size_t)place - 1, ts), (2 + place) * S);
            assert_int_equal(MEM_INT(r.sink, cpu_usage, (size_t)place - 1, dur), S);
            assert_int_equal(MEM_INT(r.sink, cpu_usage, (size_t)place - 1, process_num), i);
        }
    }
    run_free(&r);
    free(f.p);
}

static void test_time_range(void **state)
{
    /* From 3 s on for two seconds after the header's clock of 1 s: samples at 4 and 5 s. The
     * interval before is known. */
    static const char *const rows[] = {
        "4000000000|1000000000|5|3|4|3",
        "5000000000|1000000000|6|4|5|4",
        NULL,
    };
    const ts_time_range range = {TS_WANTED_OFFSET, 3 * S, 5 * S};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (int i = 1; i < 7; i++) {
        sample(&f, i, (11 + i) * S); /* at 2 s to 7 s */
    }
    sample(&f, 9, -1); /* it cannot be said whether it lies in the range */
    convert(&r, &f, range);
    assert_int_equal(r.code, TS_OK);
    check_rows(&r, &(expected){rows, 5, {7, 0, 0}, 2});
    assert_mem_row(r.sink, trace_range, 0, "4000000000|5000000000");
    run_free(&r);
    free(f.p);
}

/* Clocks that an ftrace segment behind the samples relates convert all of them; without any, times
 * stay. */
static void test_clocks(void **state)
{
    static const char *const late[] = {"3000000000|1000000000|4|2|3|2", NULL};
    static const char *const none[] = {"13000000000|1000000000|4|2|3|2", NULL};
    for (int with = 0; with < 2; with++) {
        bytes f = {0};
        bytes clocks = {0};
        run r;
        put_header(&f, 0, 0, 0, 0);
        sample(&f, 1, 12 * S);
        sample(&f, 2, 13 * S);
        /* {1 id, 2 {1 tv_sec}} of boottime and realtime */
        put_field(&clocks, 6, "\x08\x01\x12\x02\x08\x01", 6);
        put_field(&clocks, 6, "\x08\x02\x12\x02\x08\x0b", 6);
        if (with == 1) {
            segment(&f, "ftrace-plugin", clocks.p, clocks.n, 14 * S);
        }
        check(&r, &f, &(expected){with == 1 ? late : none, 1, {2, 0, 0}, -1});
        assert_int_equal(issues(&r, "late_clock_snapshot"), with);
        assert_int_equal(issues(&r, "no_clock_snapshot"), 1 - with);
        run_free(&r);
        free(clocks.p);
    }
    (void)state;
}

/* --- what is wrong -----------------------------------------------------------------------------
 */

/* A field of another type is passed over: its value is not known, which is not 0. */
static void test_wrong_types(void **state)
{
    static const char *const rows[] = {
        "3000000000|1000000000|2|1.5|0.5|NULL",
        "4000000000|1000000000|2|NULL|0.5|7",
        "5000000000|1000000000|2|1.5|NULL|7",
        "6000000000|1000000000|NULL|1.5|0.5|7",
        "8000000000|NULL|2|1.5|0.5|7",
        "9000000000|1000000000|0|0|0|9",
        NULL,
    };
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, "0a00", 12 * S);
    hex(&f, "0a001a010721000000000000f83f29000000000000e03f310000000000000040", 13 * S);
    hex(&f, "0a001807200129000000000000e03f310000000000000040", 14 * S);
    hex(&f, "0a00180721000000000000f83f2d0000803f310000000000000040", 15 * S);
    hex(&f, "0a00180721000000000000f83f29000000000000e03f3201ff", 16 * S);
    hex(&f, "0801180721000000000000f83f",
        17 * S); /* field 1 is no message: whether there is one? */
    hex(&f, "0a00180721000000000000f83f29000000000000e03f310000000000000040", 18 * S);
    hex(&f, "0a0018091a0107", 19 * S); /* the right one stays */
    check(&r, &f, &(expected){rows, 1, {7, 1, 0}, 5});
    assert_int_equal(issues(&r, "plugin_bad_field"), 6);
    assert_int_equal(issues(&r, "sample_gap"), 1);
    assert_int_equal(stat_count(&r, "trace_cpu_usage", "received"), 7);
    run_free(&r);
}

static void put_message(bytes *f, double load, int64_t processes, int64_t ts)
{
    bytes data = {0};
    put_field(&data, 1, "", 0);
    put_number(&data, 3, (uint64_t)processes);
    put_double(&data, 4, load);
    segment(f, "cpu-plugin", data.p, data.n, ts);
    free(data.p);
}

static void test_numbers(void **state)
{
    static const char *const rows[] = {
        "3000000000|1000000000|0|NULL|0|1",
        "4000000000|1000000000|0|NULL|0|1",
        "5000000000|1000000000|0|-1.5|0|-5",
        "6000000000|1000000000|0|1e+22|0|9223372036854775807",
        NULL,
    };
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_message(&f, 1, 1, 12 * S);
    put_message(&f, (double)NAN, 1, 13 * S);
    put_message(&f, (double)INFINITY, 1, 14 * S);
    put_message(&f, -1.5, -5, 15 * S);
    put_message(&f, 1e22, INT64_MAX, 16 * S);
    check(&r, &f, &(expected){rows, 1, {5, 0, 0}, 2});
    assert_int_equal(issues(&r, "plugin_bad_field"), 2);
    assert_int_equal(issues(&r, "plugin_odd_value"), 2);
    run_free(&r);
}

/* Fields before the damage count; those that may stand behind it are not 0. */
static void test_damaged_messages(void **state)
{
    static const char *const rows[] = {
        "3000000000|1000000000|NULL|1.5|NULL|7",
        "5000000000|NULL|3|1|2|1",
        NULL,
    };
    bytes f;
    run r;
    (void)state;
    begin(&f);
    sample(&f, 0, 12 * S);
    hex(&f, "0a00180721000000000000f83f29000000000000e0", 13 * S); /* it ends inside a number */
    hex(&f, "0a05180721", 14 * S);                                 /* nothing of it can be read */
    sample(&f, 1, 15 * S);
    check(&r, &f, &(expected){rows, 1, {2, 2, 0}, 3});
    assert_int_equal(issues(&r, "plugin_bad_message"), 2);
    assert_int_equal(issues(&r, "sample_gap"), 1);
    run_free(&r);
}

/* Every cut of a message: what was read is right, all else NULL. */
static void test_every_cut(void **state)
{
    static const char whole[] = "0a00180721000000000000f83f29000000000000e03f310000000000000040";
    static const struct {
        size_t from; /* bytes of the message that are there, at least */
        const char *row;
    } of[] = {
        {0, NULL},
        {4, "3000000000|1000000000|NULL|NULL|NULL|7"},
        {13, "3000000000|1000000000|NULL|1.5|NULL|7"},
        {22, "3000000000|1000000000|NULL|1.5|0.5|7"},
        {31, "3000000000|1000000000|2|1.5|0.5|7"},
    };
    (void)state;
    for (size_t n = 0, k = 0; n <= 31; n++) {
        char text[sizeof whole];
        bool at_end = n == 4 || n == 13 || n == 22 || n == 31; /* between fields: not damaged */
        bytes f;
        run r;
        memcpy(text, whole, 2 * n);
        text[2 * n] = '\0';
        k += k + 1 < sizeof of / sizeof of[0] && of[k + 1].from == n;
        if (at_end || n == 0 || n == 2) {
            continue;
        }
        begin(&f);
        sample(&f, 0, 12 * S);
        hex(&f, text, 13 * S);
        convert(&r, &f, (ts_time_range){0});
        assert_int_equal(MEM_ROWS(r.sink, cpu_usage), of[k].row != NULL);
        if (of[k].row != NULL) {
            assert_mem_row(r.sink, cpu_usage, 0, of[k].row);
        }
        assert_int_equal(issues(&r, "plugin_bad_message"), 1);
        assert_int_equal(LOST(&r, "plugin_messages:cpu-plugin"), 1);
        run_free(&r);
        free(f.p);
    }
}

static void test_times(void **state)
{
    static const char *const rows[] = {
        "3000000000|1000000000|4|2|3|2", /* 12 s and 13 s */
        "5000000000|NULL|6|4|5|4",       /* behind one that may have lain before it */
        "NULL|NULL|5|3|4|3",
        "NULL|NULL|7|5|6|5",
        NULL,
    };
    bytes f;
    bytes body = {0};
    bytes data = {0};
    run r;
    (void)state;
    begin(&f);
    sample(&f, 1, 12 * S);
    sample(&f, 2, 13 * S);
    sample(&f, 3, -1);
    sample(&f, 4, 15 * S);
    put_field(&data, 1, "", 0);
    put_number(&data, 3, 5);
    put_double(&data, 4, 5);
    put_double(&data, 5, 6);
    put_double(&data, 6, 7);
    put_text(&body, 1, "cpu-plugin");
    put_field(&body, 3, data.p, data.n);
    put_number(&body, 5, UINT64_MAX);
    put_raw_segment(&f, &body);
    check(&r, &f, &(expected){rows, 1, {5, 0, 0}, 5});
    assert_int_equal(issues(&r, "sample_untimed"), 1);
    assert_int_equal(issues(&r, "sample_gap"), 1);
    assert_int_equal(issues(&r, "time_missing"), 1);
    assert_int_equal(issues(&r, "time_overflow"), 1);
    run_free(&r);
    free(data.p);
}

/* Times that fit as they were recorded, but not in the trace clock: NULL, and their intervals are
 * right. */
static void test_times_that_do_not_fit(void **state)
{
    static const char *const rows[] = {"NULL|7|4|2|3|2", NULL};
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, 11 * S, 1 * S);
    sample(&f, 1, INT64_MAX - 7);
    sample(&f, 2, INT64_MAX);
    check(&r, &f, &(expected){rows, 1, {2, 0, 0}, 2});
    assert_int_equal(issues(&r, "time_overflow"), 1);
    run_free(&r);
}

/* Bytes are missing between two segments: the time between their samples is not known. */
static void test_gaps(void **state)
{
    static const char *const first[] = {"2000000000|NULL|3|1|2|1", "3000000000|1000000000|4|2|3|2",
                                        NULL};
    static const char *const middle[] = {"3000000000|1000000000|4|2|3|2", "4000000000|NULL|5|3|4|3",
                                         "5000000000|1000000000|6|4|5|4", NULL};
    static const char *const equal[] = {"2000000000|0|4|2|3|2", "4000000000|NULL|5|3|4|3", NULL};
    static const char *const disorder[] = {"2000000000|NULL|4|2|3|2", "3000000000|NULL|3|1|2|1",
                                           "4000000000|NULL|5|3|4|3", NULL};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    /* (Directly behind the header, such bytes would make its clocks doubtful.) */
    segment(&f, "hilog-plugin", "a", 1, 11 * S);
    put(&f, "\xff\xff\xff\x7f not a segment", 18);
    sample(&f, 1, 12 * S);
    sample(&f, 2, 13 * S);
    check(&r, &f, &(expected){first, 0, {2, 0, 0}, 1});
    run_free(&r);
    begin(&f);
    sample(&f, 1, 12 * S);
    sample(&f, 2, 13 * S);
    put(&f, "\xff\xff\xff\x7f not a segment", 18);
    sample(&f, 3, 14 * S);
    sample(&f, 4, 15 * S);
    check(&r, &f, &(expected){middle, 1, {4, 0, 0}, 1});
    assert_int_equal(issues(&r, "sample_gap"), 1);
    run_free(&r);
    /* Equal times are in order. */
    begin(&f);
    sample(&f, 1, 12 * S);
    sample(&f, 2, 12 * S);
    put(&f, "\xff\xff\xff\x7f not a segment", 18);
    sample(&f, 3, 14 * S);
    check(&r, &f, &(expected){equal, 1, {3, 0, 0}, 1});
    run_free(&r);
    /* The one that is missing may have lain anywhere. */
    begin(&f);
    sample(&f, 1, 13 * S);
    sample(&f, 2, 12 * S);
    put(&f, "\xff\xff\xff\x7f not a segment", 18);
    sample(&f, 3, 14 * S);
    check(&r, &f, &(expected){disorder, 0, {3, 0, 0}, 3});
    run_free(&r);
}

/* A damaged name is corrected when the data is that of the plugin. */
static void test_damaged_names(void **state)
{
    static const char *const rows[] = {"3000000000|1000000000|2|1.5|0.5|7", NULL};
    static const char ok[] = "\x0a\x00\x18\x07\x21\0\0\0\0\0\0\xf8\x3f\x29\0\0\0\0\0\0\xe0\x3f"
                             "\x31\0\0\0\0\0\0\0\x40";
    uint8_t large[300] = {0x0a, 0xa9, 0x02}; /* 297 bytes in field 1 */
    bytes f;
    run r;
    (void)state;
    begin(&f);
    segment(&f, "cpv-plugin", large, sizeof large, 12 * S);
    segment(&f, "cpu-plugim", ok, 31, 13 * S);
    segment(&f, "cpu-plugi", "\x0a\x00\x18", 3, 14 * S);     /* damaged */
    segment(&f, "cpu-plugi", "\x18\x07\x0a\x00", 4, 14 * S); /* not in that order */
    segment(&f, "cpu-plugi", "\x0a\x00\x3a\x00", 4, 14 * S); /* no such field */
    large[1] = 0xaa;
    segment(&f, "cpu-plugi", large, sizeof large, 14 * S); /* longer than the message */
    check(&r, &f, &(expected){rows, 1, {2, 0, 0}, -1});
    assert_int_equal(issues(&r, "plugin_name_damaged"), 2);
    assert_int_equal(SKIPPED(&r, "plugin_segments:cpu-plugi"), 4);
    run_free(&r);
}

static void test_cut_recording(void **state)
{
    bytes f;
    size_t second;
    (void)state;
    begin(&f);
    sample(&f, 1, 12 * S);
    second = f.n;
    sample(&f, 2, 13 * S);
    sample(&f, 3, 14 * S);
    for (size_t n = second; n < f.n; n++) {
        run r;
        run_begin_with(&r, cpu_only, NULL, 0);
        run_feed(&r, f.p, n, n);
        run_end(&r);
        assert_int_equal(r.code, TS_OK);
        for (size_t i = 0; i < MEM_ROWS(r.sink, cpu_usage); i++) {
            /* Each cell is the one of the whole recording, or NULL. */
            bool timed = !MEM_NULL(r.sink, cpu_usage, i, ts);
            if (timed) {
                assert_int_equal(MEM_INT(r.sink, cpu_usage, i, ts), (int64_t)(3 + i) * S);
                assert_true(MEM_NULL(r.sink, cpu_usage, i, dur) ||
                            MEM_INT(r.sink, cpu_usage, i, dur) == S);
            }
            assert_true(MEM_NULL(r.sink, cpu_usage, i, process_num) ||
                        MEM_INT(r.sink, cpu_usage, i, process_num) == (int64_t)i + 2);
            assert_true(MEM_NULL(r.sink, cpu_usage, i, total_load) ||
                        MEM_REAL(r.sink, cpu_usage, i, total_load) == (double)i + 4);
        }
        assert_int_equal(issues(&r, "conservation"), 0);
        assert_int_equal(issues(&r, "plugin_bad_message"), 0); /* the container has said it */
        run_free(&r);
    }
    free(f.p);
}

static void test_every_allocation_fails(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    for (int i = 0; i < 100; i++) {
        sample(&f, i, (12 + i * 7 % 101) * S);
    }
    hex(&f,
        "0a000801"
        "1201611a0108",
        200 * S);
    for (uint64_t k = 0;; k++) {
        run r;
        test_failing fail = {.fail_at = k + 1, .forever = true};
        ts_htrace_config config = {.plugins = cpu_only, .hold = 16};
        ts_allocator allocator;
        bool done;
        run_begin_with(&r, cpu_only, NULL, 16);
        ts_htrace_free(r.h);
        r.h = NULL;
        allocator = r.ctx->allocator;
        config.source_id = r.source_id;
        r.ctx->allocator = test_failing_allocator(&fail);
        r.code = ts_htrace_new(&r.h, r.ctx, r.store, &config);
        run_feed(&r, f.p, f.n, 10);
        if (r.code == TS_OK) {
            r.code = ts_htrace_finish(r.h);
        }
        done = r.code == TS_OK;
        if (!done) {
            assert_int_equal(r.code, TS_ERR_NOMEM);
        }
        r.ctx->allocator = allocator;
        run_free(&r);
        if (done) {
            assert_true(k > 10);
            break;
        }
    }
    free(f.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_forms_of_messages),
        cmocka_unit_test(test_passed_over),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_many_in_disorder),
        cmocka_unit_test(test_time_range),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_damaged_messages),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_times_that_do_not_fit),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_damaged_names),
        cmocka_unit_test(test_cut_recording),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

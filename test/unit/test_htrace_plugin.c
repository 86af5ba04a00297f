/* What the container does for plugins: messages that come whole, numbers and times of segments,
 * gaps, the end. */
#include "htrace_build.h"

#include "base/ckd.h"

#define BOOT UINT64_C(1000000000)
#define REAL UINT64_C(11000000000)

enum { LIMIT = 8 };

/* A plugin that takes "w" (whole, at most LIMIT bytes), its configuration, and "p" (in pieces). */
static ts_code whole_message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    run *r = self;
    assert_non_null(p);
    logf_(r, "%s%s%s %u/%" PRIu64 "@%" PRId64 " %" PRId64 " \"%.*s\"\n", seg->plugin,
          seg->truncated ? " cut" : "", seg->timed ? "" : " untimed", seg->which, seg->number,
          seg->offset, seg->ts, (int)n, (const char *)p);
    return r->fail_with;
}

static ts_code whole_finish(void *self)
{
    run *r = self;
    logf_(r, "finish\n");
    return TS_OK;
}

static void whole_close(void *self)
{
    run *r = self;
    r->pieces = 1000;
}

static const ts_plugin_name whole_names[] = {
    {"w", LIMIT, NULL}, {"w_config", LIMIT, NULL}, {"p", 0, NULL}, {NULL, 0, NULL}};

static const ts_htrace_plugin whole_plugin = {
    .names = whole_names,
    .open = rec_open,
    .begin = rec_begin,
    .data = rec_data,
    .end = rec_end,
    .message = whole_message,
    .gap = rec_gap,
    .finish = whole_finish,
    .close = whole_close,
};

static void run_whole(run *r, const bytes *f, uint64_t hold, size_t block)
{
    static const ts_htrace_plugin *const list[] = {&whole_plugin, NULL};
    ts_htrace_config config = {.plugins = list, .hold = hold, .user = r};
    run_begin(r, NULL, 0);
    ts_htrace_free(r->h);
    config.source_id = r->source_id;
    assert_ok(r->ctx, ts_htrace_new(&r->h, r->ctx, r->store, &config));
    run_feed(r, f->p, f->n, block);
    run_end(r);
}

/* Held by the container or collected from pieces, in blocks of any size: the same. */
static void check_all(const bytes *f, const char *log, void (*also)(run *r))
{
    static const size_t blocks[] = {1, 7, SIZE_MAX};
    static const uint64_t holds[] = {0, 4};
    for (size_t i = 0; i < 6; i++) {
        run r;
        run_whole(&r, f, holds[i % 2], blocks[i / 2]);
        assert_int_equal(r.code, TS_OK);
        assert_string_equal((const char *)r.log.p, log);
        also(&r);
        run_free(&r);
    }
}

static void two_too_large(run *r)
{
    size_t row =
        memsink_find_text(r->sink, TS_T_import_issue, TS_C_import_issue__code, "segment_too_large");
    assert_int_equal(issues(r, "segment_too_large"), 2);
    assert_mem_text(r->sink, import_issue, row, stream, "w");
    assert_mem_text(r->sink, import_issue, row, message, "message 3 has 9 bytes; the limit is 8");
    assert_int_equal(IMPORTED(r, "plugin_segments:w"), 3);
    assert_int_equal(LOST(r, "plugin_segments:w"), 1);
    assert_int_equal(LOST(r, "plugin_segments:w_config"), 1);
    assert_int_equal(IMPORTED(r, "plugin_segments:p"), 1);
}

static void test_whole_messages(void **state)
{
    bytes f = {0};
    size_t header;
    (void)state;
    header = put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "w", "12345678", 12, 5); /* 4 + 3 + 10 + 2 + 2 = 21 bytes */
    put_segment(&f, "w", "", 12, 6);
    put_segment(&f, "w", "123456789", 12, 7);
    put_segment(&f, "p", "123456789", 12, 8);
    put_segment(&f, "w", "abc", 0, 0);
    put_segment(&f, "w_config", "123456789", 0, 0);
    close_header(&f, header);
    check_all(&f,
              "w 0/1@1024 12000000005 \"12345678\"\n"
              "w 0/2@1045 12000000006 \"\"\n"
              "gap@1058\n"
              "p@1080 ts=12000000008 n=9 123456789\n"
              "w 0/4@1102 0 \"abc\"\n"
              "finish\n",
              two_too_large);
    free(f.p);
}

static void one_cut(run *r)
{
    assert_int_equal(LOST(r, "plugin_segments:w"), 1);
    assert_int_equal(issues(r, "segment_truncated"), 1);
}

/* What there is of a message comes with the news that it is cut; a time that was not read is no
 * time. */
static void test_cut_message(void **state)
{
    bytes f = {0};
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "w", "12345678", 12, 5);
    f.n -= 8; /* both times, and four bytes of the data */
    check_all(&f, "w cut untimed 0/1@1024 0 \"1234\"\nfinish\n", one_cut);
    free(f.p);
}

static void nothing(run *r)
{
    (void)r;
}

static void test_times_of_segments(void **state)
{
    bytes f = {0};
    bytes body = {0};
    size_t header;
    (void)state;
    header = put_header(&f, 0, 0, BOOT, REAL);
    put_text(&body, 1, "w");
    put_text(&body, 3, "no");
    put_raw_segment(&f, &body);
    put_text(&body, 1, "w");
    put_text(&body, 3, "ns");
    put_number(&body, 6, 7);
    put_raw_segment(&f, &body);
    put_text(&body, 1, "w");
    put_text(&body, 3, "over");
    put_number(&body, 5, UINT64_MAX);
    put_raw_segment(&f, &body);
    close_header(&f, header);
    check_all(&f,
              "w untimed 0/1@1024 0 \"no\"\n"
              "w 0/2@1035 7 \"ns\"\n"
              "w untimed 0/3@1048 -9223372036854775808 \"over\"\n"
              "finish\n",
              nothing);
    free(f.p);
}

/* A gap is reported once, before the next segment of any plugin, or at once when the caller knows
 * of it. */
static void test_gaps(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    run_whole(&r, &f, 0, SIZE_MAX);
    assert_ok(r.ctx, ts_htrace_gap(r.h, 77));
    put(&r.log, "", 1);
    assert_string_equal((const char *)r.log.p, "finish\n");
    assert_string_equal((const char *)r.log.p + sizeof "finish\n", "gap@77\n");
    run_free(&r);
    free(f.p);
}

static void test_errors_and_closing(void **state)
{
    bytes f = {0};
    run r;
    static const ts_htrace_plugin *const list[] = {&whole_plugin, NULL};
    ts_htrace_config config = {.plugins = list, .user = &r};
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "w", "1", 12, 5);
    run_begin(&r, NULL, 0);
    ts_htrace_free(r.h);
    config.source_id = r.source_id;
    assert_ok(r.ctx, ts_htrace_new(&r.h, r.ctx, r.store, &config));
    r.fail_with = TS_ERR_OUTPUT;
    assert_int_equal(ts_htrace_feed(r.h, f.p, f.n), TS_ERR_OUTPUT);
    assert_int_equal(ts_htrace_finish(r.h), TS_ERR_OUTPUT);
    put(&r.log, "", 1);
    assert_null(strstr((const char *)r.log.p, "finish"));
    r.pieces = 0;
    ts_htrace_free(r.h);
    r.h = NULL;
    assert_int_equal(r.pieces, 1000);
    run_free(&r);
    free(f.p);
}

/* --- times ------------------------------------------------------------------------------------ */

static void test_conversion(void **state)
{
    ts_clock_set clocks = {0};
    ts_htrace_times times = {0};
    ts_clock clock;
    run r;
    (void)state;
    run_begin(&r, NULL, 0);
    assert_int_equal(ts_htrace_time(&clock, &times, TS_CLOCK_REALTIME, 5), 5);
    assert_int_equal(clock, TS_CLOCK_REALTIME);
    times.clocks = &clocks; /* nothing is known: no issue of the plugin, the container has one */
    assert_int_equal(ts_htrace_time(&clock, &times, TS_CLOCK_REALTIME, 5), 5);
    assert_int_equal(clock, TS_CLOCK_REALTIME);
    assert_false(times.missing);
    clocks.at[TS_CLOCK_BOOTTIME] = 100;
    assert_int_equal(ts_htrace_time(&clock, &times, TS_CLOCK_REALTIME, 5), 5);
    assert_true(times.missing);
    clocks.at[TS_CLOCK_REALTIME] = 30;
    assert_int_equal(ts_htrace_time(&clock, &times, TS_CLOCK_REALTIME, 5), 75);
    assert_int_equal(clock, TS_CLOCK_BOOTTIME);
    assert_int_equal(times.over, 0);
    assert_int_equal(ts_htrace_time(&clock, &times, TS_CLOCK_REALTIME, INT64_MAX - 60), TS_NO_TIME);
    assert_int_equal(times.over, 1);
    assert_int_equal(ts_htrace_time(&clock, &times, TS_CLOCK_REALTIME, TS_NO_TIME), TS_NO_TIME);
    assert_int_equal(times.over, 1);
    assert_ok(r.ctx, ts_htrace_times_finish(&times, r.store, r.source_id, "w"));
    assert_ok(r.ctx, ts_store_finish(r.store));
    assert_int_equal(issues(&r, "clock_missing"), 1);
    assert_int_equal(issues(&r, "time_overflow"), 1);
    run_free(&r);
}

static void check_wanted(ts_time_range range, uint64_t boot, ts_clock clock, int64_t from,
                         int64_t to, size_t unrelated)
{
    bytes f = {0};
    ts_span span;
    run r;
    ts_plugin_host host;
    ts_clock_set clocks = {.at = {[TS_CLOCK_BOOTTIME] = BOOT, [TS_CLOCK_REALTIME] = REAL}};
    run_begin(&r, NULL, 0);
    put_header(&f, 0, 0, boot, REAL);
    run_feed(&r, f.p, f.n, SIZE_MAX);
    r.ctx->time_range = range;
    host = (ts_plugin_host){r.ctx, r.store, r.source_id, r.h, &clocks, NULL};
    assert_ok(r.ctx, ts_htrace_wanted(&span, &host, "w", clock, 5000000000));
    assert_int_equal(span.from, from);
    assert_int_equal(span.to, to);
    assert_ok(r.ctx, ts_store_finish(r.store));
    assert_int_equal(issues(&r, "time_range_unrelated"), unrelated);
    run_free(&r);
    free(f.p);
}

static void test_time_range(void **state)
{
    const int64_t s = 1000000000;
    const ts_time_range offsets = {TS_WANTED_OFFSET, 2 * s, 3 * s};
    const ts_time_range real = {TS_WANTED_REALTIME, 12 * s, INT64_MAX};
    (void)state;
    check_wanted((ts_time_range){0}, BOOT, TS_CLOCK_BOOTTIME, INT64_MIN, INT64_MAX, 0);
    check_wanted(offsets, BOOT, TS_CLOCK_BOOTTIME, 3 * s, 4 * s, 0); /* from the header's time */
    check_wanted(offsets, 0, TS_CLOCK_BOOTTIME, 7 * s, 8 * s, 0);    /* from the first row's */
    check_wanted(offsets, BOOT, TS_CLOCK_REALTIME, 7 * s, 8 * s, 0);
    check_wanted(real, BOOT, TS_CLOCK_BOOTTIME, 2 * s, INT64_MAX, 0);
    check_wanted(real, BOOT, TS_CLOCK_REALTIME, 12 * s, INT64_MAX, 0);
    check_wanted(real, BOOT, TS_CLOCK_MONOTONIC, INT64_MIN, INT64_MAX, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_messages),     cmocka_unit_test(test_cut_message),
        cmocka_unit_test(test_times_of_segments),  cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_errors_and_closing), cmocka_unit_test(test_conversion),
        cmocka_unit_test(test_time_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

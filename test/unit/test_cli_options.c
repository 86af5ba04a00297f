/* The command line: sizes, abbreviations, suggestions, combinations. */
#include "support.h"

#include "cli/options.h"

#include "session/conversion.h"
#include "model/when.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/summary.h"

#include <errno.h>

static void sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"0", 0},
        {"1", 1},
        {"512K", 524288},
        {"512k", 524288},
        {"64M", 67108864},
        {"2g", UINT64_C(2147483648)},
        {"1T", UINT64_C(1099511627776)},
        {"9223372036854775807", INT64_MAX},
        {"8388607T", UINT64_C(8388607) << 40},
    };
    static const char *const bad[] = {"",
                                      "K",
                                      "-1",
                                      "+1",
                                      "1.5G",
                                      "1KB",
                                      "1 K",
                                      "0x10",
                                      "12Q",
                                      "8388608T",
                                      "9223372036854775808",
                                      "18446744073709551616"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        uint64_t n = 77;
        assert_true(ts_parse_size(&n, good[i].text));
        assert_true(n == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint64_t n;
        if (ts_parse_size(&n, bad[i])) {
            fail_msg("\"%s\" was taken for a size", bad[i]);
        }
    }
}

#define MS INT64_C(1000000)

static void time_ranges(void **state)
{
    static const struct {
        const char *text;
        ts_time_range value;
    } good[] = {
        {"1567669466207,1567669466307",
         {TS_WANTED_REALTIME, 1567669466207 * MS, 1567669466307 * MS}},
        {",1567669466307", {TS_WANTED_REALTIME, INT64_MIN, 1567669466307 * MS}},
        {"1567669466207,", {TS_WANTED_REALTIME, 1567669466207 * MS, INT64_MAX}},
        {"-1,0", {TS_WANTED_REALTIME, -1 * MS, 0}},
        {"2019-09-05T07:44:26.207Z,2019-09-05T15:44:26.307+08:00",
         {TS_WANTED_REALTIME, 1567669466207 * MS, 1567669466307 * MS}},
        {"2019-09-05 07:44:26.207,2019-09-05T02:14:26.307-0530",
         {TS_WANTED_REALTIME, 1567669466207 * MS, 1567669466307 * MS}},
        {"2019-09-05,2019-09-05T24:00",
         {TS_WANTED_REALTIME, 1567641600000 * MS, 1567728000000 * MS}},
        {"1970-01-01,2000-02-29", {TS_WANTED_REALTIME, 0, 951782400000 * MS}},
        {"1969-12-31T23:59:59.999999999,", {TS_WANTED_REALTIME, -1, INT64_MAX}},
        {"2024-02-29,2100-03-01", {TS_WANTED_REALTIME, 1709164800000 * MS, 4107542400000 * MS}},
        {"2019-09-05t07:44:26z,2019-09-05T07:44:26-23",
         {TS_WANTED_REALTIME, 1567669466000 * MS, 1567752266000 * MS}},
        {"+1,+2.5", {TS_WANTED_OFFSET, 1000 * MS, 2500 * MS}},
        {",+0.000000001", {TS_WANTED_OFFSET, INT64_MIN, 1}},
        {"+100ms,+0.5m", {TS_WANTED_OFFSET, 100 * MS, 30000 * MS}},
        {"+1.9ns,+1.25us", {TS_WANTED_OFFSET, 1, 1250}},
        {"+0s,+1.000000001h", {TS_WANTED_OFFSET, 0, 3600 * 1000 * MS + 3600}},
    };
    static const char *const bad[] = {
        "",
        ",",
        "1",
        "1,1",
        "2,1",
        "1,2,3",
        "+1,2",
        "1,+2",
        "a,b",
        "+,",
        "+1.,+2",
        "1.5,2",
        "2019-02-29,",
        "2019-13-01,",
        "2019-00-01,",
        "2019-09-31,",
        "2019-9-5,",
        "0000-01-01,",
        "2019-09-05T24:01,",
        "2019-09-05T07:60,",
        "2019-09-05T07:44:60,",
        "2019-09-05T07:44x,",
        "2019-09-05T07:44:26.,",
        "2019-09-05T07:44+1,",
        "9999-01-01,",
        "2100-02-29,",
        "2019-09-00,",
        "2019-09,",
        "2019-09-5,",
        "2019-09-0509,",
        "2019/09/05,",
        "2019-09-05T7:44,",
        "2019-09-05T25:00,",
        "2019-09-05T07.44,",
        "2019-09-05T07:4,",
        "2019-09-05T24:00:00.1,",
        "2019-09-05T07:44:2,",
        "2019-09-05T07:44+24,",
        "2019-09-05T07:44+08:60,",
        "2019-09-05T07:44+08:6,",
        "2019-09-05T07:44+08:300,",
        "2262-04-11T23:47:16.854775808,",
        "+9223372036.854775808,",
        "-9999999999999,9999999999999",
        "+99999999999,",
        "99999999999999,",
        "2019-09-05T",
        "+-1,",
        "+1d,",
        "+1Ms,",
        "+ms,",
        "+1 s,",
        "+2562048h,",
        "+0.00000000000000000000000000000000000000000000000000000000000001,"};
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        ts_time_range r;
        assert_true(ts_parse_time_range(&r, good[i].text));
        assert_int_equal(r.kind, good[i].value.kind);
        assert_true(r.from == good[i].value.from);
        assert_true(r.to == good[i].value.to);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ts_time_range r;
        if (ts_parse_time_range(&r, bad[i])) {
            fail_msg("\"%s\" was taken for a range", bad[i]);
        }
    }
}

/* Parses the words (up to a NULL) and frees again; the result's texts are the caller's literals. */
static ts_code parse(ts_ctx *ctx, ts_options *out, const char *const *words)
{
    char *argv[16];
    char copies[16][64];
    int argc = 0;
    for (; words[argc] != NULL; argc++) {
        snprintf(copies[argc], sizeof copies[argc], "%s", words[argc]);
        argv[argc] = copies[argc];
    }
    ts_options options;
    ts_code code = ts_options_parse(&options, ctx, argc, argv);
    *out = options;
    out->export_db = options.export_db == NULL ? NULL : "set";
    ts_options_free(&options, ctx);
    return code;
}

#define PARSE(ctx, out, ...)                                                                       \
    parse((ctx), (out), (const char *const[]){"trace_streamer", __VA_ARGS__, NULL})

static void abbreviations(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_options o;
    (void)state;
    assert_int_equal(PARSE(ctx, &o, "in", "--expo=x"), TS_OK);
    assert_non_null(o.export_db);
    assert_int_equal(PARSE(ctx, &o, "in", "--export-db", "x", "--str", "--q=f"), TS_ERR_USAGE);
    assert_string_equal(ctx->error.causes[0],
                        "ambiguous option \"--q\": --query-file or --questions?");
    assert_int_equal(PARSE(ctx, &o, "in", "-e", "x", "--stri", "--s", "-o", "d"), TS_OK);
    assert_true(o.strict && o.extract);
    assert_int_equal(PARSE(ctx, &o, "--", "--exp=x"), TS_ERR_USAGE); /* an input of this name */
    assert_int_equal(PARSE(ctx, &o, "--help", "--nonsense"), TS_OK);
    assert_int_equal(o.mode, TS_MODE_HELP);
    assert_int_equal(PARSE(ctx, &o, "--tables=x", "-i"), TS_OK);
    assert_int_equal(o.mode, TS_MODE_TABLES);
    test_ctx_free(ctx);
}

/* Each name is one option of a verb, rules name options of their verbs, and numbers have a range.
 */
static void the_table_holds_together(void **state)
{
    (void)state;
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        const char *names[2] = {o->long_name, o->short_name};
        assert_true(o->verbs != 0 && o->verbs < 1U << TS_VERB_COUNT);
        assert_true(o->id != TS_OPT_NUMBER || o->least < o->most);
        for (unsigned k = 0; k < 2 * TS_VERB_COUNT; k++) {
            const char *name = names[k % 2];
            if (name != NULL && (o->verbs & 1U << k / 2) != 0) {
                assert_ptr_equal(ts_option_find(1U << k / 2, name, strlen(name)), o);
            }
        }
    }
    for (size_t i = 0; i < ts_option_rule_count; i++) {
        const ts_option_rule *r = &ts_option_rules[i];
        const char *lists[2] = {r->names == NULL ? "" : r->names, r->others};
        for (unsigned k = 0; k < 2 * TS_VERB_COUNT; k++) {
            const char *name = lists[k % 2];
            for (; (r->verbs & 1U << k / 2) != 0 && *name != '\0'; name += strspn(name, " ")) {
                size_t n = strcspn(name, " ");
                assert_non_null(ts_option_find(1U << k / 2, name, n));
                name += n;
            }
        }
    }
}

static void options_of_verbs(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_options o;
    (void)state;
    assert_int_equal(PARSE(ctx, &o, "diff", "a", "b", "--lim", "3", "--th=x"), TS_ERR_USAGE);
    assert_string_equal(ctx->error.causes[0], "ambiguous option \"--th\": --thread or --threads?");
    assert_int_equal(PARSE(ctx, &o, "serve", "a", "--th=3", "--max-mem=1M"), TS_OK);
    assert_int_equal(o.threads, 3);
    assert_int_equal(o.max_memory, 1 << 20);
    assert_int_equal(PARSE(ctx, &o, "in", "--to=folded", "-o", "x", "--max-output=0"), TS_OK);
    assert_int_equal(o.max_output, 0);
    assert_int_equal(PARSE(ctx, &o, "diff", "-h"), TS_OK);
    assert_true(o.mode == TS_MODE_HELP && o.about == TS_VERB_DIFF);
    assert_int_equal(PARSE(ctx, &o, "help", "serve"), TS_OK);
    assert_true(o.mode == TS_MODE_HELP && o.about == TS_VERB_SERVE);
    assert_int_equal(PARSE(ctx, &o, "serve", "--samples", "d"), TS_OK);
    assert_int_equal(PARSE(ctx, &o, "serve"), TS_ERR_USAGE);
    test_ctx_free(ctx);
}

static void suggestions(void **state)
{
    (void)state;
    assert_string_equal(ts_option_nearest(1U << TS_VERB_NONE, "--exprot-db", 11), "--export-db");
    assert_string_equal(ts_option_nearest(1U << TS_VERB_NONE, "--quite", 7), "--quiet");
    assert_string_equal(ts_option_nearest(1U << TS_VERB_NONE, "--So-dir", 8), "--So_dir");
    assert_string_equal(ts_option_nearest(1U << TS_VERB_NONE, "-mn", 3), "-nm");
    assert_string_equal(ts_option_nearest(1U << TS_VERB_NONE, "--wxy-memory", 12), "--max-memory");
    assert_null(ts_option_nearest(1U << TS_VERB_NONE, "--wxyzmemory",
                                  12)); /* one letter more is no typing error */
    assert_null(ts_option_nearest(1U << TS_VERB_NONE, "--", 2));
    assert_null(ts_option_nearest(1U << TS_VERB_NONE, "--run-metric",
                                  12)); /* a refused one is no suggestion */
    assert_null(
        ts_option_nearest(1U << TS_VERB_NONE, "--completely-different-from-all-of-them", 39));
}

/* Every allocation of the parsing fails in turn: an error, no leak. */
static void out_of_memory(void **state)
{
    (void)state;
    for (int k = 0; k < 10; k++) {
        test_failing f = {.fail_at = (uint64_t)k + 1, .forever = true};
        ts_ctx *ctx = test_ctx_new();
        ts_allocator own = ctx->allocator;
        ts_options o;
        ctx->allocator = test_failing_allocator(&f);
        ts_code code = PARSE(ctx, &o, "in", "-q", "f", "--param", "a=1", "--param", "b=2");
        assert_true(code == TS_ERR_NOMEM || (code == TS_OK && k >= 5));
        ctx->allocator = own;
        test_ctx_free(ctx);
    }
}

/* QD-3: a size or time of nothing is divided by nowhere. */
static void progress_without_time(void **state)
{
    char text[160];
    (void)state;
    ts_progress_text(text, sizeof text, "x", 0, 0, 0);
    assert_string_equal(text, "x  0.0 MB  0.0 MB/s");
    ts_progress_text(text, sizeof text, "x", 5000000, -1, 0);
    assert_string_equal(text, "x  5.0 MB  0.0 MB/s");
    ts_progress_text(text, sizeof text, "x", 5000000, 10000000, 2);
    assert_string_equal(text, "x   50%  2.5 MB/s  0:02 left");
    ts_progress_text(text, sizeof text, "x", 20, 10, 60); /* the file has grown */
    assert_string_equal(text, "x  100%  0.0 MB/s  0:00 left");
    ts_progress_text(text, sizeof text, "a\033[31m\nb", 1, INT64_MAX, 1e9);
    assert_string_equal(text, "a?[31m?b    0%  0.0 MB/s  5999:59 left");
    ts_progress_text(text, sizeof text, "0123456789012345678901234567890123456789", 0, 1, 0);
    assert_string_equal(text, "...789012345678901234567890123456789    0%  0.0 MB/s");
}

/* A writer that takes one byte at a time, is interrupted now and then, and is full after `room`. */
typedef struct slow_disk {
    size_t room;
    size_t n;
    unsigned calls;
    char got[64];
} slow_disk;

static ssize_t slow_write(void *user, int fd, const void *buf, size_t n)
{
    slow_disk *d = user;
    (void)fd;
    (void)n;
    if (d->calls++ % 3 == 2) {
        errno = EINTR;
        return -1;
    }
    if (d->n == d->room) {
        errno = ENOSPC;
        return -1;
    }
    d->got[d->n++] = *(const char *)buf;
    return 1;
}

static void short_writes(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    slow_disk disk = {.room = 12};
    ts_output out;
    (void)state;
    ctx->sys.user = &disk;
    ctx->sys.write = slow_write;
    ts_output_init(&out, ctx, 1, "standard output");
    assert_ok(ctx, ts_output_puts(&out, "hello, world"));
    assert_ok(ctx, ts_output_flush(&out));
    assert_memory_equal(disk.got, "hello, world", 12);
    assert_ok(ctx, ts_output_puts(&out, "!"));
    assert_int_equal(ts_output_flush(&out), TS_ERR_OUTPUT);
    assert_string_equal(ctx->error.causes[0],
                        "cannot write to standard output: No space left on device");
    ts_output_free(&out);
    test_ctx_free(ctx);
}

/* The chain that is printed survives the failures of printing it. */
static void errors_without_memory(void **state)
{
    static const char want[] = "trace_streamer: outer\n  because: inner\n";
    test_failing f = {.fail_at = 1, .forever = true};
    ts_ctx *ctx = test_ctx_new();
    ts_allocator own = ctx->allocator;
    slow_disk disk = {.room = sizeof disk.got};
    (void)state;
    ctx->sys.user = &disk;
    ctx->sys.write = slow_write;
    (void)ts_fail(ctx, TS_ERR_INPUT, "inner");
    (void)ts_cause(ctx, "outer");
    ctx->allocator = test_failing_allocator(&f);
    ts_print_error(ctx, &ctx->error);
    ctx->allocator = own;
    assert_true(f.calls > 0);
    assert_int_equal(disk.n, sizeof want - 1);
    assert_memory_equal(disk.got, want, sizeof want - 1);
    assert_int_equal(ctx->error.code, TS_ERR_INPUT);
    assert_int_equal(ctx->error.count, 2);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(time_ranges),
        cmocka_unit_test(the_table_holds_together),
        cmocka_unit_test(options_of_verbs),
        cmocka_unit_test(abbreviations),
        cmocka_unit_test(suggestions),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(progress_without_time),
        cmocka_unit_test(short_writes),
        cmocka_unit_test(errors_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

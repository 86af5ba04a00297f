/* Logs as text (docs/formats.md, "Logs as text"): forms of lines, times, order, events. */
#include "parsers_sweep.h"

#include "parsers/logs/log_lines.h"

static void test_lines(void **state)
{
    static const struct {
        const char *line, *tag, *text;
        int64_t ts;
        int32_t pid, tid;
        char level;
    } cases[] = {
        {"1.5 20 21 I T1: say \"hi\" ", "T1", "say \"hi\" ", 1500000000, 20, 21, 'I'},
        {"dev 1.000000005  20  21 F C0/x : a: b", "C0/x", "a: b", 1000000005, 20, 21, 'F'},
        {"1970-01-02 00:00:01.250 1 2 E t: x", "t", "x", INT64_C(86401250000000), 1, 2, 'E'},
        {"2024-02-29 23:59:59.000001 1 2 W t:x", "t", "x", INT64_C(1709251199000001000), 1, 2, 'W'},
        {"03-01 00:00:00 1 2 D t: x", "t", "x", INT64_C(951868800000000000), 1, 2, 'D'},
        {"2023-02-29 23:59:59.000 1 2 W t: x", NULL, NULL, 0, 0, 0, 0},
        {"2262-04-12 00:00:00.000 1 2 W t: x", NULL, NULL, 0, 0, 0, 0},
        {"13-01 00:00:00.000 1 2 W t: x", NULL, NULL, 0, 0, 0, 0},
        {"01-01 24:00:00.000 1 2 W t: x", NULL, NULL, 0, 0, 0, 0},
        {"1.5 20 21 X T1: x", NULL, NULL, 0, 0, 0, 0},
        {"1.5 20 21 I T1", NULL, NULL, 0, 0, 0, 0},
        {"1.5 20 I T1: x", NULL, NULL, 0, 0, 0, 0},
        {"1.5 20 99999999999 I T1: x", NULL, NULL, 0, 0, 0, 0},
        {"a b 1.5 20 21 I T1: x", NULL, NULL, 0, 0, 0, 0},
        {"", NULL, NULL, 0, 0, 0, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hilog_line l;
        int64_t ts = 0;
        bool read = hilog_line_read(&l, ts_text_of(cases[i].line)) &&
                    hilog_line_time(&ts, &l, l.year == 0 ? 2000 : l.year);
        assert_true(read == (cases[i].tag != NULL));
        if (read) {
            assert_true(ts_text_is(l.tag, cases[i].tag));
            assert_true(ts_text_is(l.text, cases[i].text));
            assert_int_equal(ts, cases[i].ts);
            assert_int_equal(l.pid, cases[i].pid);
            assert_int_equal(l.tid, cases[i].tid);
            assert_int_equal(l.level, cases[i].level);
        }
    }
}

static const char hilog[] = "2.5 20 21 I T1: b\n"
                            "\n"
                            "1.5 20 20 F T2: a\r\n"
                            "garbage\n"
                            "2.5 30 30 E T3: \xff\n";

/* In order of time; equal times in the order of the lines. */
static void test_hilog(void **state)
{
    run r;
    bytes b = bytes_of(hilog);
    UNUSED(state);
    import_damaged(&r, &b, 0);
    assert_int_equal(r.code, TS_OK);
    assert_rows(&r, log, 3);
    assert_mem_row(r.sink, log, 0, "3|1500000000|20|20|F|T2|a|1500000000");
    assert_mem_row(r.sink, log, 1, "1|2500000000|20|21|I|T1|b|2500000000");
    assert_mem_row(r.sink, log, 2, "5|2500000000|30|30|E|T3|\xef\xbf\xbd|2500000000");
    assert_int_equal(issues(&r, "log_bad_line"), 1);
    assert_int_equal(issues(&r, "plugin_bad_text"), 1);
    assert_rows(&r, thread, 4); /* 0, 20, 21, 30 */
    run_free(&r);
    free(b.p);
}

/* The year goes on where January follows December. */
static void test_years(void **state)
{
    run r;
    bytes b = bytes_of("12-31 23:59:59.000 1 1 I t: a\n01-01 00:00:00.000 1 1 I t: b\n");
    UNUSED(state);
    import_damaged(&r, &b, 0);
    assert_int_equal(MEM_INT(r.sink, log, 0, ts), INT64_C(978307199000000000));
    assert_int_equal(MEM_INT(r.sink, log, 1, ts), INT64_C(978307200000000000));
    assert_int_equal(issues(&r, "log_no_year"), 1);
    run_free(&r);
    free(b.p);
}

/* The example of the description of hisysevent-plugin, as lines; lines are counted from 1. */
static const char events[] =
    "{\"domain_\":\"P\",\"name_\":\"POWER_IDE_CPU\",\"time_\":12000,\"tag_\":\"PowerStats\","
    "\"LOAD\":[3,4.5],\"NOTE\":\"n\"}\n"
    "# comment\n\n{broken\n"
    "{\"domain_\":\"Q\",\"name_\":\"X\",\"time_\":13000}\n";

static void test_hisysevent(void **state)
{
    run r;
    bytes b = bytes_of(events);
    UNUSED(state);
    import_damaged(&r, &b, 0);
    assert_int_equal(r.code, TS_OK);
    assert_rows(&r, hisys_all_event, 2);
    assert_int_equal(MEM_INT(r.sink, hisys_all_event, 0, ts), INT64_C(12000000000));
    assert_mem_text(r.sink, hisys_all_event, 0, contents, "{\"LOAD\":[3,4.5],\"NOTE\":\"n\"}");
    assert_mem_text(r.sink, hisys_all_event, 1, contents, "null");
    assert_rows(&r, hisys_event_measure, 5);
    assert_int_equal(MEM_INT(r.sink, hisys_event_measure, 0, serial), 1);
    assert_int_equal(issues(&r, "event_bad_line"), 1);
    run_free(&r);
    free(b.p);
}

static void test_blocks(void **state)
{
    bytes a = bytes_of(hilog);
    bytes b = bytes_of(events);
    UNUSED(state);
    check_blocks(&a, 2);
    check_blocks(&b, 1);
    free(a.p);
    free(b.p);
}

static void test_cut_at_every_byte(void **state)
{
    static const char *const texts[] = {hilog, events};
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        bytes b = bytes_of(texts[i]);
        for (size_t cut = 1; cut < b.n; cut++) {
            bytes part = {b.p, cut, 0};
            run r;
            import_damaged(&r, &part, 0);
            /* The beginning alone may be a text of another kind. */
            if (r.code == TS_OK && b.p[cut - 1] != '\n' &&
                MEM_ROWS(r.sink, log) + MEM_ROWS(r.sink, hisys_all_event) > 0) {
                assert_int_equal(issues(&r, "log_cut_line"), 1);
            }
            run_free(&r);
        }
        free(b.p);
    }
}

static void test_deleted_and_doubled(void **state)
{
    static const char *const texts[] = {hilog, events};
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        bytes b = bytes_of(texts[i]);
        check_bits(&b, 5);
        for (size_t at = 0; at + 9 < b.n; at += 3) {
            bytes deleted = {0};
            bytes doubled = {0};
            run r;
            put(&deleted, b.p, at);
            put(&deleted, b.p + at + 9, b.n - at - 9);
            put(&doubled, b.p, at + 9);
            put(&doubled, b.p + at, b.n - at);
            import_damaged(&r, &deleted, 0);
            run_free(&r);
            import_damaged(&r, &doubled, 0);
            run_free(&r);
            free(deleted.p);
            free(doubled.p);
        }
        free(b.p);
    }
}

/* Longer than the window of texts, and than a line may be. */
static void test_long_lines(void **state)
{
    bytes b = {0};
    run r;
    char *text = malloc(1100000);
    UNUSED(state);
    memset(text, 'x', 1100000);
    put_str(&b, "2.5 1 1 I t: ");
    put(&b, text, 100000);
    put_str(&b, "\n1.5 1 1 I t: y\n3.5 1 1 I t: ");
    put(&b, text, 1100000);
    put_str(&b, "\n4.5 1 1 I t: z\n");
    import_damaged(&r, &b, 0);
    assert_rows(&r, log, 3);
    assert_mem_text(r.sink, log, 0, context, "y");
    assert_int_equal(MEM_TEXT(r.sink, log, 1, context).n, 100000);
    assert_mem_text(r.sink, log, 2, context, "z");
    assert_int_equal(issues(&r, "log_long_line"), 1);
    run_free(&r);
    free(b.p);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),      cmocka_unit_test(test_hilog),
        cmocka_unit_test(test_years),      cmocka_unit_test(test_hisysevent),
        cmocka_unit_test(test_blocks),     cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_long_lines), cmocka_unit_test(test_deleted_and_doubled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

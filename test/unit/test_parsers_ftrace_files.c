/* Text and raw traces as files: the same events give the same rows, damage, what is recognised
 * (docs/formats.md, "Traces of the kernel as text", "Raw traces of the kernel"). */
#include "parsers/ftrace/text/ftrace_text.h"
#include "parsers_sweep.h"

static bytes data_file(const char *name)
{
    char path[512];
    size_t n;
    bytes b = {0};
    char *text;
    snprintf(path, sizeof path, "%s/%s", TS_TEST_DATA, name);
    text = test_read_file(path, &n);
    put(&b, text, n);
    free(text);
    return b;
}

static void assert_same_table(const run *a, const run *b, enum ts_table_id table)
{
    assert_int_equal(memsink_rows(a->sink, table), memsink_rows(b->sink, table));
    for (size_t i = 0; i < memsink_rows(a->sink, table); i++) {
        char *x = memsink_row_text(a->sink, table, i);
        char *y = memsink_row_text(b->sink, table, i);
        assert_string_equal(x, y);
        free(x);
        free(y);
    }
}

/* Both files hold the same 60 events. */
static void test_same_rows(void **state)
{
    static const enum ts_table_id tables[] = {TS_T_sched_slice, TS_T_thread_state, TS_T_callstack,
                                              TS_T_irq,         TS_T_instant,      TS_T_raw};
    bytes text = data_file("kernel.ftrace");
    bytes raw = data_file("kernel.sys");
    run a;
    run b;
    UNUSED(state);
    import_damaged(&a, &text, 0);
    import_damaged(&b, &raw, 0);
    assert_rows(&a, import_issue, 0);
    assert_rows(&b, import_issue, 0);
    assert_true(MEM_ROWS(a.sink, sched_slice) > 20);
    assert_true(MEM_ROWS(a.sink, callstack) > 5);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        assert_same_table(&a, &b, tables[i]);
    }
    run_free(&a);
    run_free(&b);
    free(text.p);
    free(raw.p);
}

static void test_blocks(void **state)
{
    static const char *const names[] = {"kernel.ftrace", "kernel.sys"};
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        bytes b = data_file(names[i]);
        check_blocks(&b, 0);
        free(b.p);
    }
}

/* Does a text end with a line that is an event? */
static bool ends_with_event(const bytes *b)
{
    const char *p = (const char *)b->p;
    const char *lf = memrchr(p, '\n', b->n);
    size_t at = lf == NULL ? 0 : (size_t)(lf - p) + 1;
    ftrace_line line;
    return ftrace_line_read(&line, (ts_text){p + at, b->n - at});
}

/* What is cut has fewer rows, and says so unless it ends with a line. */
static void test_cut_at_every_byte(void **state)
{
    static const char *const names[] = {"kernel.ftrace", "kernel.sys"};
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        bytes b = data_file(names[i]);
        uint64_t rows = 0;
        for (size_t cut = 1; cut < b.n; cut += test_slow() ? 1 : 41) {
            bytes part = {b.p, cut, 0};
            run r;
            import_damaged(&r, &part, 0);
            if (r.code == TS_OK) {
                /* Texts: a cut at the end of a line cannot be seen. Raw: between sections. */
                assert_true(b.p[cut - 1] == '\n' || i == 1 || ends_with_event(&part) ||
                            MEM_ROWS(r.sink, import_issue) > 0 ||
                            MEM_ROWS(r.sink, sched_slice) == 0);
                assert_true(MEM_ROWS(r.sink, sched_slice) >= rows);
                rows = MEM_ROWS(r.sink, sched_slice);
            }
            run_free(&r);
        }
        free(b.p);
    }
}

static void test_bits(void **state)
{
    static const char *const names[] = {"kernel.ftrace", "kernel.sys"};
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        bytes b = data_file(names[i]);
        check_bits(&b, 97);
        free(b.p);
    }
}

/* Bytes are taken out, or are there twice. */
static void test_deleted_and_doubled(void **state)
{
    static const char *const names[] = {"kernel.ftrace", "kernel.sys"};
    static const size_t sizes[] = {1, 7, 130, 4096};
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        bytes b = data_file(names[i]);
        for (size_t k = 0; k < 4; k++) {
            for (size_t at = 0; at + sizes[k] < b.n; at += test_slow() ? 1 : b.n / 23) {
                bytes deleted = {0};
                bytes doubled = {0};
                run r;
                put(&deleted, b.p, at);
                put(&deleted, b.p + at + sizes[k], b.n - at - sizes[k]);
                put(&doubled, b.p, at + sizes[k]);
                put(&doubled, b.p + at, b.n - at);
                import_damaged(&r, &deleted, 0);
                run_free(&r);
                import_damaged(&r, &doubled, 0);
                run_free(&r);
                free(deleted.p);
                free(doubled.p);
            }
        }
        free(b.p);
    }
}

#define LINE "app-20 (   20) [000] d..2 2.000001: "
#define SWITCH                                                                                     \
    "sched_switch: prev_comm=app prev_pid=20 prev_prio=120 prev_state=S ==> "                      \
    "next_comm=my worker next_pid=21 next_prio=98\n"

/* One loss each: an issue, and stat. */
static void test_losses(void **state)
{
    static const struct {
        const char *text, *issue;
        const char *stat;
        uint64_t gaps;
    } cases[] = {
        {"garbage\n", "ftrace_bad_line", "other", 0}, /* nothing is open behind it */
        {LINE "sched_switch: prev_comm=a\n", "ftrace_bad_args", "sched_switch", 1},
        {"CPU:1 [LOST 7 EVENTS]\n", "ftrace_dropped", NULL, 1},
        {LINE "sched_switch: prev_comm=a", "ftrace_cut_line", NULL, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        run r;
        bytes b;
        snprintf(text, sizeof text, LINE SWITCH "%s", cases[i].text);
        b = bytes_of(text);
        import_damaged(&r, &b, 0);
        assert_int_equal(r.code, TS_OK);
        assert_int_equal(issues(&r, cases[i].issue), 1);
        assert_int_equal(issues(&r, "ftrace_gap"), cases[i].gaps);
        assert_rows(&r, import_issue, 1 + cases[i].gaps);
        assert_rows(&r, sched_slice, 1);
        run_free(&r);
        free(b.p);
    }
}

/* Events of CPU 1 were lost: how long its thread ran is not known, nor how long another one slept,
 * which may have run there; one that ran on CPU 0 meanwhile did not. */
static void test_lost_on_cpu(void **state)
{
    static const char text[] =
        " i-0 [000] 1.0: sched_switch: prev_comm=i prev_pid=0 prev_prio=1 prev_state=R ==> "
        "next_comm=a next_pid=20 next_prio=1\n"
        " i-0 [001] 1.1: sched_switch: prev_comm=i prev_pid=0 prev_prio=1 prev_state=R ==> "
        "next_comm=b next_pid=30 next_prio=1\n"
        " a-20 [000] 1.2: sched_switch: prev_comm=a prev_pid=20 prev_prio=1 prev_state=S ==> "
        "next_comm=c next_pid=40 next_prio=1\n"
        " c-40 [000] 1.3: print: B|40|x\n"
        "CPU:1 [LOST 5 EVENTS]\n"
        " b-30 [001] 1.5: sched_switch: prev_comm=b prev_pid=30 prev_prio=1 prev_state=S ==> "
        "next_comm=i next_pid=0 next_prio=1\n"
        " c-40 [000] 1.6: print: E|40\n"
        " c-40 [000] 1.7: sched_switch: prev_comm=c prev_pid=40 prev_prio=1 prev_state=S ==> "
        "next_comm=a next_pid=20 next_prio=1\n";
    static const int64_t slices[] = {200000000, -1, 500000000, -1, -1}; /* -1: not known */
    static const int64_t states[] = {200000000, -1, 500000000, -1, -1, -1, -1};
    bytes b = bytes_of(text);
    run r;
    UNUSED(state);
    import_damaged(&r, &b, 0);
    assert_int_equal(r.code, TS_OK);
    assert_rows(&r, sched_slice, 5);
    assert_rows(&r, thread_state, 7);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(MEM_NULL(r.sink, sched_slice, i, dur), slices[i] < 0);
        assert_true(slices[i] < 0 || MEM_INT(r.sink, sched_slice, i, dur) == slices[i]);
    }
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(MEM_NULL(r.sink, thread_state, i, dur), states[i] < 0);
        assert_true(states[i] < 0 || MEM_INT(r.sink, thread_state, i, dur) == states[i]);
    }
    assert_int_equal(MEM_INT(r.sink, callstack, 0, dur), 300000000);
    run_free(&r);
    free(b.p);
}

/* Times of text traces are not those of a calendar. */
static void test_time_range(void **state)
{
    bytes b = data_file("kernel.ftrace");
    run r;
    UNUSED(state);
    import_begin(&r);
    r.ctx->time_range = (ts_time_range){TS_WANTED_REALTIME, 0, INT64_MAX};
    (void)import_files(&r, &b, 1, 0);
    assert_int_equal(issues(&r, "time_range_unrelated"), 1);
    assert_true(MEM_ROWS(r.sink, sched_slice) > 20);
    run_free(&r);
    import_begin(&r);
    r.ctx->time_range = (ts_time_range){TS_WANTED_OFFSET, 0, 1};
    (void)import_files(&r, &b, 1, 0);
    assert_rows(&r, import_issue, 0);
    assert_true(MEM_ROWS(r.sink, sched_slice) + MEM_ROWS(r.sink, callstack) == 1);
    run_free(&r);
    free(b.p);
}

/* Every allocation fails in turn, or every row cannot be written. */
static void check_failures(bool memory)
{
    static const char text[] =
        LINE SWITCH "garbage\n" LINE "sched_switch: prev_comm=a\n" LINE "no_such: x\n" LINE
                    "print: B|20|\xff\nCPU:1 [LOST 7 EVENTS]\n" LINE "print: E|20";
    const ts_code expected = memory ? TS_ERR_NOMEM : TS_ERR_OUTPUT;
    for (size_t i = 0; i < 2; i++) {
        bytes b = i == 0 ? bytes_of(text) : data_file("kernel.sys");
        ts_code code = expected;
        for (uint64_t k = 1; code != TS_OK; k++) {
            test_failing fail = {.fail_at = k};
            ts_allocator allocator;
            run r;
            import_begin(&r);
            allocator = r.ctx->allocator;
            if (memory) {
                r.ctx->allocator = test_failing_allocator(&fail);
            } else {
                memsink_fail_at(r.sink, memsink_calls(r.sink) + k);
            }
            (void)import_files(&r, &b, 1, 0);
            code = r.code;
            assert_true(code == TS_OK ? k > 20 : code == expected);
            r.ctx->allocator = allocator;
            run_free(&r);
        }
        free(b.p);
    }
}

static void test_every_allocation_fails(void **state)
{
    UNUSED(state);
    check_failures(true);
}

static void test_every_row_fails(void **state)
{
    UNUSED(state);
    check_failures(false);
}

/* What is said of the monotonic clock counts for frames (QT-6): 5.5 s is 12.25 s there. */
static void test_clock_sync(void **state)
{
    static const char text[] =
        "app-20 (   20) [000] d..2 5.5: tracing_mark_write: trace_event_clock_sync: "
        "parent_ts=12.25\n"
        "app-20 (   20) [000] d..2 5.6: tracing_mark_write: B|20|H:ReceiveVsync "
        "now:12340000000 expectedEnd:12360000000 vsyncId:7\n";
    bytes b = bytes_of(text);
    run r;
    UNUSED(state);
    import_damaged(&r, &b, 0);
    assert_int_equal(r.code, TS_OK);
    assert_rows(&r, frame_slice, 2);
    assert_int_equal(MEM_INT(r.sink, frame_slice, 0, ts), INT64_C(5600000000));
    assert_int_equal(MEM_INT(r.sink, frame_slice, 1, ts), INT64_C(5590000000));
    assert_int_equal(MEM_INT(r.sink, frame_slice, 1, dur), 20000000);
    run_free(&r);
    free(b.p);
}

/* What a marker says that is none has no time (4.1); work begins and ends in the thread of the
 * line, also when another one had its number later. */
static void test_handled(void **state)
{
    static const char text[] =
        "app-20 (   20) [000] d..2 1.0: tracing_mark_write: trace_event_clock_sync: parent_ts=1.5\n"
        "w-7 (    2) [000] d..2 2.0: cpu_idle: state=0 cpu_id=0\n"
        "w-7 (    3) [000] d..2 2.5: cpu_idle: state=0 cpu_id=1\n"
        "w-7 (    2) [000] d..2 3.0: workqueue_execute_start: work struct 1: function f\n"
        "w-7 (    2) [000] d..2 3.5: workqueue_execute_end: work struct 1\n"
        "w-7 (    2) [000] d..2 4.0: sched_wakeup: comm=x pid=9 prio=120 target_cpu=003)\n"
        "w-7 (    2) [000] d..2 4.5: sched_wakeup: comm=x pid=9 prio=120 target_cpu=-\n"
        "w-7 (    2) [000] d..2 5.0: tracing_mark_write: C|2|H:n|x\n";
    bytes b = bytes_of(text);
    run r;
    UNUSED(state);
    import_damaged(&r, &b, 0);
    assert_int_equal(r.code, TS_OK);
    assert_mem_row(r.sink, trace_range, 0, "2000000000|4500000000");
    assert_rows(&r, callstack, 1);
    assert_int_equal(MEM_INT(r.sink, callstack, 0, dur), 500000000);
    assert_rows(&r, raw, 4);
    assert_int_equal(MEM_INT(r.sink, raw, 2, cpu), 3);
    assert_true(MEM_NULL(r.sink, raw, 3, cpu));
    run_free(&r);
    free(b.p);
}

/* Pages whose trace stands behind what is looked at, or nowhere. */
static void test_long_pages(void **state)
{
    static const struct {
        const char *title, *end;
        ts_code code;
    } cases[] = {
        {"<title>Android System Trace</title>",
         "<script class=\"trace-data\" type=\"application/text\">\n" LINE SWITCH "</script>\n",
         TS_OK},
        {"<title>Trace Viewer</title>",
         "<script class=\"trace-data\" type=\"application/text\">\n" LINE SWITCH "</script>\n",
         TS_OK},
        {"<title>Android System Trace</title>", "</html>\n", TS_ERR_FORMAT},
        {"<title>something else</title>", "</html>\n", TS_ERR_FORMAT},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b = bytes_of("<!DOCTYPE html>\n<html><head>");
        run r;
        put(&b, cases[i].title, strlen(cases[i].title));
        for (int line = 0; line < 40000; line++) {
            put(&b, "\n// script", 10);
        }
        put(&b, "\n", 1);
        put(&b, cases[i].end, strlen(cases[i].end));
        import_damaged(&r, &b, 0);
        assert_int_equal(r.code, cases[i].code);
        run_free(&r);
        free(b.p);
    }
}

/* What begins so is a text trace; what does not is none. */
static void test_recognised(void **state)
{
    static const struct {
        const char *text;
        ts_code code;
    } cases[] = {
        {LINE SWITCH, TS_OK},
        {"# tracer: nop\n#\n", TS_OK},
        {"\xef\xbb\xbf# tracer: nop\n#\n", TS_OK},
        {"swapper 0 [000] 1.000001: sched:sched_waking: comm=a pid=1 prio=1 target_cpu=0\n", TS_OK},
        {"<!DOCTYPE html>\n<html><title>x</title>\n"
         "<script class=\"trace-data\" type=\"application/text\">\n" LINE SWITCH "</script>\n",
         TS_OK},
        {"<!DOCTYPE html>\n<html><title>x</title>\n", TS_ERR_FORMAT},
        {"some text\n", TS_ERR_FORMAT},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run r;
        bytes b = bytes_of(cases[i].text);
        import_damaged(&r, &b, 0);
        assert_int_equal(r.code, cases[i].code);
        run_free(&r);
        free(b.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_rows),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_lost_on_cpu),
        cmocka_unit_test(test_recognised),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_every_row_fails),
        cmocka_unit_test(test_clock_sync),
        cmocka_unit_test(test_handled),
        cmocka_unit_test(test_long_pages),
        cmocka_unit_test(test_time_range),
        cmocka_unit_test(test_deleted_and_doubled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

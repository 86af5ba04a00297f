/* Samples of perf as text (docs/formats.md, "Samples of perf as text"): rows, forms of lines,
 * damage. */
#include "parsers_sweep.h"

/* As perf script prints them: name and thread, a time, the period, the event; the innermost frame
 * first. */
#define SAMPLE(name, event, frames)                                                                \
    name " 7/9 [001]    12.000345:       2000 " event ": \n" frames "\n"
#define FRAME_F "\t            1170 f+0x17 (/opt/w)\n"
#define FRAME_MAIN "\t            1225 main (/opt/w)\n"
#define FRAME_KERNEL "\tffffffff821f8b58 __schedule+0x618 ([kernel.kallsyms])\n"

static void test_rows(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r, "# ========\n# captured on    : today\n#\n" SAMPLE("pool 2 worker", "cpu-clock:u",
                                                               FRAME_F FRAME_MAIN)
                SAMPLE("pool 2 worker", "cycles", FRAME_KERNEL FRAME_MAIN) "w 9 13.5: cycles:\n\n");
    assert_rows(&r, import_issue, 0);
    assert_mem_text(r.sink, source, 1, format, "perf-text");
    assert_mem_text(r.sink, profile, 0, format, "perf");
    assert_cell(&r, process, 1, pid, 7);
    assert_cell(&r, thread, 1, tid, 9);
    assert_cell(&r, thread, 1, ipid, 1);
    assert_mem_text(r.sink, thread, 1, name, "pool 2 worker");
    assert_mem_text(r.sink, thread, 2, name, "w"); /* it took another name: the samples tell */
    assert_cell(&r, thread, 2, tid, 9);
    assert_null_cell(&r, thread, 2, ipid);
    assert_mem_row(r.sink, stack_value_type, 0, "1|2|cpu-clock:u|ns");
    assert_mem_row(r.sink, stack_value_type, 1, "2|2|cycles|count");
    assert_mem_row(r.sink, stack_value_type, 2, "3|2|cycles|samples");
    assert_mem_row(r.sink, stack_sample, 0, "1|2|1|12000345000|NULL|2|cpu-clock:u");
    assert_mem_row(r.sink, stack_sample, 1, "2|2|1|12000345000|NULL|3|cycles");
    assert_mem_row(r.sink, stack_sample, 2, "3|2|2|13500000000|NULL|NULL|cycles");
    assert_mem_row(r.sink, stack_sample_value, 0, "1|1|2000");
    assert_mem_row(r.sink, stack_sample_value, 1, "2|2|2000");
    assert_mem_row(r.sink, stack_sample_value, 2, "3|3|1");
    assert_mem_row(r.sink, stack_node, 0, "1|2|NULL|2|NULL|0|NULL");
    assert_mem_row(r.sink, stack_node, 1, "2|2|1|1|NULL|1|NULL");
    assert_mem_row(r.sink, stack_node, 2, "3|2|1|3|NULL|1|NULL");
    assert_mem_text(r.sink, stack_method, 1, name, "main");
    assert_mem_text(r.sink, stack_method, 1, library, "w");
    assert_mem_text(r.sink, stack_method, 2, name, "__schedule");
    assert_mem_text(r.sink, stack_method, 2, library, "[kernel.kallsyms]");
    assert_mem_text(r.sink, stack_method, 2, modifiers, "kernel");
    run_free(&r);
}

/* Lines of a sample: what of them is missing, and what looks like it. comm, pid, tid, ts, period,
 * event; -1 and NULL: not recorded. */
static void test_headers(void **state)
{
    static const struct {
        const char *line, *comm;
        int64_t pid, tid, ts, value;
        const char *event;
    } cases[] = {
        {"w 9 12.000345678: 5 cycles:", "w", -1, 9, 12000345678, 5, "cycles"},
        {"w 9 12.5:", "w", -1, 9, 12500000000, 1, NULL},
        {"w 9 12.5: 77", "w", -1, 9, 12500000000, 77, NULL},
        {"w 9 cpu-clock:", "w", -1, 9, -1, 1, "cpu-clock"},
        {"w 9 250000 cpu-clock:", "w", -1, 9, -1, 250000, "cpu-clock"},
        {"               w 7/9 [003] cpu-clock:", "w", 7, 9, -1, 1, "cpu-clock"},
        {"pool 2 worker 7/9     1.5: cpu/event=0x3c/u:", "pool 2 worker", 7, 9, 1500000000, 1,
         "cpu/event=0x3c/u"},
        {"1 2 3 4.5: 6 x:", "1 2", -1, 3, 4500000000, 6, "x"},
        {"w 9 ", "w", -1, 9, -1, 1, NULL},
        {"pool 2 worker  7/9 ", "pool 2 worker", 7, 9, -1, 1, NULL},
        {"    9     1.5: ", NULL, -1, 9, 1500000000, 1, NULL},
        {"7/9 cycles: ", NULL, 7, 9, -1, 1, "cycles"},
        {"swapper 0/0 [000] 1.5: 6 cycles:ppp:", "swapper", 0, 0, 1500000000, 6, "cycles:ppp"},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = {0};
        run r;
        putf(&b, "first 1/1 1.0: 1 y:\n" FRAME_F "\n%s\n" FRAME_F "\n", cases[i].line);
        import_bytes(&r, b);
        assert_rows(&r, import_issue, 0);
        assert_rows(&r, stack_sample, 2);
        if (cases[i].comm == NULL) {
            assert_null_cell(&r, thread, 2, name);
        } else {
            memsink_assert_text(r.sink, TS_T_thread, 2, TS_C_thread__name, cases[i].comm, __FILE__,
                                (int)i);
        }
        assert_cell(&r, thread, 2, tid, cases[i].tid);
        if (cases[i].pid < 0) {
            assert_null_cell(&r, thread, 2, ipid);
        } else {
            assert_cell(&r, thread, 2, ipid, cases[i].pid == 0 ? 0 : 2);
        }
        if (cases[i].ts < 0) {
            assert_null_cell(&r, stack_sample, 1, ts);
        } else {
            assert_cell(&r, stack_sample, 1, ts, cases[i].ts);
        }
        assert_cell(&r, stack_sample_value, 1, value, cases[i].value);
        if (cases[i].event == NULL) {
            assert_null_cell(&r, stack_sample, 1, event);
        } else {
            memsink_assert_text(r.sink, TS_T_stack_sample, 1, TS_C_stack_sample__event,
                                cases[i].event, __FILE__, (int)i);
        }
        run_free(&r);
    }
}

/* name, library, file, modifiers, line of the node */
static void test_frames(void **state)
{
    static const struct {
        const char *frame, *name, *library, *file, *modifiers;
        int64_t line;
    } cases[] = {
        {"\t            1170 f+0x17 (/opt/w)", "f", "w", NULL, NULL, 0},
        {"\t            1170 f", "f", NULL, NULL, NULL, 0},
        {"\t    7f1200001170", "0x7f1200001170", NULL, NULL, NULL, 0},
        {"\t    7f1200001170 (/opt/w)", "[unknown]", "w", NULL, NULL, 0},
        {"\t            1170 [unknown] ([unknown])", "[unknown]", NULL, NULL, NULL, 0},
        {"\t            1170 [unknown] (/opt/a b (deleted))", "[unknown]", "a b (deleted)", NULL,
         NULL, 0},
        {"\t            1170 a::f(int, char (*)(int)) const+0x1 (/opt/w+0x1170)",
         "a::f(int, char (*)(int)) const", "w", NULL, NULL, 0},
        {"\t            1170 operator+ (/opt/w)", "operator+", "w", NULL, NULL, 0},
        {"\t            1170 f+0x17 (inlined)", "f", NULL, NULL, "inlined", 0},
        {"\t            1170 f+0x17 (/opt/w)\n  a b.c:12", "f", "w", "a b.c", NULL, 12},
        {"\t            1170 f+0x17\n  a.c:12 (inlined)", "f", NULL, "a.c", "inlined", 12},
        {"\t            1170 f+0x17 (/opt/w)\n  ?"
         "?:0",
         "f", "w", NULL, NULL, 0},
        {"\t            1170 f+0x17 (/opt/w)\n  :0", "f", "w", NULL, NULL, 0},
        {"\t            1170 f+0x17 (/opt/w)\n  w[1170]", "f", "w", NULL, NULL, 0},
        {"\t            1170 LMain;::run+0x1 (/tmp/perf-7.map)", "LMain;::run", "perf-7.map", NULL,
         "jit", 0},
        {"\t            1170 f (/boot/vmlinux)", "f", "vmlinux", NULL, "kernel", 0},
        {"\t            1170 f ([vdso])", "f", "[vdso]", NULL, NULL, 0},
        {"     add (/opt/w)", "add", "w", NULL, NULL, 0},
        {"     add", "add", NULL, NULL, NULL, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *expected[] = {cases[i].name, cases[i].library, cases[i].file,
                                  cases[i].modifiers};
        static const unsigned columns[] = {TS_C_stack_method__name, TS_C_stack_method__library,
                                           TS_C_stack_method__file, TS_C_stack_method__modifiers};
        run r;
        bytes b = {0};
        putf(&b, "w 9 1.5: cycles:\n%s\n\n", cases[i].frame);
        import_bytes(&r, b);
        assert_rows(&r, import_issue, 0);
        assert_rows(&r, stack_node, 1);
        for (size_t k = 0; k < 4; k++) {
            if (expected[k] == NULL) {
                assert_true(memsink_is_null(r.sink, TS_T_stack_method, 0, columns[k]));
            } else {
                memsink_assert_text(r.sink, TS_T_stack_method, 0, columns[k], expected[k], __FILE__,
                                    (int)i);
            }
        }
        if (cases[i].line == 0) {
            assert_null_cell(&r, stack_node, 0, line);
        } else {
            assert_cell(&r, stack_node, 0, line, cases[i].line);
        }
        run_free(&r);
    }
}

/* Without stacks the frame stands in the line of its sample; arguments of tracepoints are none. */
static void test_flat(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "   w 9 1.5: 5 cycles:      555b8464f170 f+0x17 (/opt/w)\n"
                    "   w 9 1.6: 5 probe:x: (555b8464f170) arg=1\n"
                    "   w 9 1.7: 5 cycles:      555b8464f17b f+0x22 (/opt/w)\n");
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_sample, 3);
    assert_rows(&r, stack_method, 1);
    assert_cell(&r, stack_sample, 0, node_id, 1);
    assert_null_cell(&r, stack_sample, 1, node_id);
    assert_cell(&r, stack_sample, 2, node_id, 1);
    run_free(&r);
}

/* Events of the kernel of kinds that have rows stay such; others are samples. */
static void test_tracepoints(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r, "w 9 [000] 1.5: sched:sched_wakeup: comm=x pid=5 prio=120 target_cpu=000\n" FRAME_KERNEL
            "\n");
    assert_mem_text(r.sink, source, 0, format, "ftrace-text");
    assert_int_equal(issue_sum(&r, "ftrace_stacks"), 1);
    assert_rows(&r, stack_sample, 0);
    run_free(&r);
    import_text(&r, "w 9 [000] 1.5: probe:f: (1170)\n" FRAME_F "\n");
    assert_mem_text(r.sink, source, 0, format, "perf-text");
    assert_rows(&r, import_issue, 0);
    assert_mem_text(r.sink, stack_sample, 0, event, "probe:f");
    run_free(&r);
    import_text(&r,
                SAMPLE("w", "cycles:u", FRAME_F) SAMPLE("w", "sched:sched_wakeup", FRAME_KERNEL));
    assert_mem_text(r.sink, source, 0, format, "perf-text");
    assert_rows(&r, stack_sample, 2);
    run_free(&r);
}

/* What else perf says: that it lost samples. */
static void test_records(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "w 9 1.1: PERF_RECORD_COMM exec: w:9/9\n" SAMPLE(
                        "w", "cycles", FRAME_F) "w 9 [001] 2.5: PERF_RECORD_LOST lost 12\n");
    assert_rows(&r, stack_sample, 1);
    assert_int_equal(issue_sum(&r, "prof_lost_samples"), 12);
    assert_int_equal(count_sum(&r, "profile_samples", TS_C_import_count__lost), 12);
    run_free(&r);
}

static void test_bad_lines(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, SAMPLE("w", "cycles", FRAME_F "\xff\xff\n" FRAME_MAIN)
                        SAMPLE("w", "cycles",
                               FRAME_F " named (/opt/w)\n") "broken\n" FRAME_F
                                                            "\n" SAMPLE("w", "cycles", FRAME_F));
    assert_rows(&r, stack_sample, 3);
    assert_null_cell(&r, stack_sample, 0, node_id);
    assert_null_cell(&r, stack_sample, 1, node_id);
    assert_cell(&r, stack_sample, 2, node_id, 1);
    assert_int_equal(issue_sum(&r, "prof_bad_line"), 3);
    assert_int_equal(count_sum(&r, "profile_samples", TS_C_import_count__lost), 1);
    run_free(&r);
}

static void test_too_large(void **state)
{
    enum { FRAMES = (1 << 16) + 1, LONG = (1 << 20) + 1 };
    bytes b = bytes_of("w 9 1.5: cycles:\n");
    run r;
    UNUSED(state);
    for (int i = 0; i < FRAMES; i++) {
        put_str(&b, FRAME_F);
    }
    put_str(&b, "\n" SAMPLE("w", "cycles", FRAME_F));
    b.p = realloc(b.p, b.n + LONG + 16);
    b.cap = b.n + LONG + 16;
    memset(b.p + b.n, 'x', LONG);
    b.n += LONG;
    put_str(&b, "\n\n" SAMPLE("w", "cycles", FRAME_F));
    import_bytes(&r, b);
    assert_rows(&r, stack_sample, 3);
    assert_null_cell(&r, stack_sample, 0, node_id);
    assert_int_equal(issue_sum(&r, "prof_too_large"), 2);
    assert_int_equal(count_sum(&r, "profile_samples", TS_C_import_count__lost), 1);
    run_free(&r);
}

static void test_none(void **state)
{
    static const char *const texts[] = {"hello world\n", "", "# captured on today\n", "a b 1: c:\n",
                                        "\n\n"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bytes b = bytes_of(texts[i]);
        run r;
        import_begin(&r);
        (void)import_files(&r, &b, 1, 0);
        assert_true(r.code == TS_ERR_INPUT || r.code == TS_ERR_FORMAT);
        run_free(&r);
        free(b.p);
    }
}

/* --- sweeps --------------------------------------------------------------------------------- */

#define TINY                                                                                       \
    "# made\n" SAMPLE("pool 2 worker", "cycles:u", FRAME_F "  a.c:7\n" FRAME_MAIN)                 \
        SAMPLE("w", "probe:f", FRAME_KERNEL) SAMPLE("w", "cycles:u", FRAME_MAIN)

static void test_blocks(void **state)
{
    bytes b = bytes_of(TINY TINY TINY);
    UNUSED(state);
    check_blocks(&b, 0);
    free(b.p);
}

/* Samples before the cut stay as they are; that which is cut has no stack. */
static void test_cut_at_every_byte(void **state)
{
    bytes b = bytes_of(TINY);
    const char *tiny = TINY;
    size_t first = (size_t)(strstr(tiny, "cycles:u:") - tiny);
    run whole;
    UNUSED(state);
    import_damaged(&whole, &b, 0);
    for (size_t cut = 1; cut < b.n; cut++) {
        bytes part = {b.p, cut, 0};
        run r;
        import_damaged(&r, &part, 0);
        if (cut < first) { /* a line that ends in a number may be a folded stack */
            run_free(&r);
            continue;
        }
        for (size_t i = 0; r.code == TS_OK && i < MEM_ROWS(r.sink, stack_sample); i++) {
            if (!MEM_NULL(r.sink, stack_sample, i, node_id)) {
                assert_cell(&r, stack_sample, i, node_id,
                            MEM_INT(whole.sink, stack_sample, i, node_id));
            }
            assert_cell(&r, stack_sample_value, i, value,
                        MEM_INT(whole.sink, stack_sample_value, i, value));
        }
        run_free(&r);
    }
    run_free(&whole);
    free(b.p);
}

static void test_every_bit_flipped(void **state)
{
    bytes b = bytes_of(TINY);
    UNUSED(state);
    check_bits(&b, 1);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_tracepoints),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Folded stacks (docs/formats.md, "Folded stacks"): rows, forms of frames, bad lines, damage. */
#include "parsers_sweep.h"

static void test_rows(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r, "# comment\n\nmain;f;g 12\nmain;f  3\r\nmain;f;g 12\n  \nmain;name with blanks 9\nx 1");
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_sample, 5);
    assert_rows(&r, stack_method, 5);
    assert_mem_row(r.sink, stack_node, 0, "1|2|NULL|1|NULL|0|NULL");
    assert_mem_row(r.sink, stack_node, 1, "2|2|1|2|NULL|1|NULL");
    assert_mem_row(r.sink, stack_node, 2, "3|2|2|3|NULL|2|NULL");
    assert_mem_row(r.sink, stack_sample, 0, "1|2|NULL|NULL|NULL|3|cpu");
    assert_mem_row(r.sink, stack_sample, 1, "2|2|NULL|NULL|NULL|2|cpu");
    assert_mem_row(r.sink, stack_sample, 2, "3|2|NULL|NULL|NULL|3|cpu");
    assert_mem_row(r.sink, stack_sample, 4, "5|2|NULL|NULL|NULL|5|cpu");
    assert_mem_text(r.sink, stack_method, 3, name, "name with blanks");
    assert_mem_row(r.sink, stack_value_type, 0, "1|2|cpu-samples|count");
    static const int64_t values[] = {12, 3, 12, 9, 1};
    for (size_t i = 0; i < 5; i++) {
        assert_cell(&r, stack_sample_value, i, value, values[i]);
    }
    assert_mem_text(r.sink, profile, 0, format, "collapse");
    assert_null_cell(&r, profile, 0, language);
    run_free(&r);
}

/* name, class, package, library, file, modifiers, line of the node */
static void test_frames(void **state)
{
    static const struct {
        const char *frame, *name, *cls, *package, *library, *file, *modifiers;
        int64_t line;
    } cases[] = {
        {"java/util/HashMap.put_[j]", "put", "HashMap", "java.util", "Standard Library", NULL,
         "jit", 0},
        {"demo/Work$$Lambda$5/12.run", "run", "Work$$Lambda$5", "demo", NULL, NULL, NULL, 0},
        {"Main.main_[0]", "main", "Main", NULL, NULL, NULL, "interpreted", 0},
        {"do_syscall_64_[k]", "do_syscall_64", NULL, NULL, NULL, NULL, "kernel", 0},
        {"f_[i]", "f", NULL, NULL, NULL, NULL, "inlined", 0},
        {"f_[x]", "f_[x]", NULL, NULL, NULL, NULL, NULL, 0},
        {"net/http.(*conn).serve", "net/http.(*conn).serve", NULL, NULL, NULL, NULL, NULL, 0},
        {"run (/app/a.py:12)", "run", NULL, "a", NULL, "/app/a.py", NULL, 12},
        {"run (x (y:3)", "run (x", NULL, NULL, NULL, "y", NULL, 3},
        {"f(int) (12)", "f(int) (12)", NULL, NULL, NULL, NULL, NULL, 0},
        {"libc.so.6`malloc", "malloc", NULL, NULL, "libc.so.6", NULL, NULL, 0},
        {"libz.so+0x1f2", "libz.so+0x1f2", NULL, NULL, "libz.so", NULL, NULL, 0},
        {"operator<< <char>", "operator<< <char>", NULL, NULL, NULL, NULL, NULL, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *expected[] = {cases[i].name,    cases[i].cls,  cases[i].package,
                                  cases[i].library, cases[i].file, cases[i].modifiers};
        static const unsigned columns[] = {
            TS_C_stack_method__name,    TS_C_stack_method__class, TS_C_stack_method__package,
            TS_C_stack_method__library, TS_C_stack_method__file,  TS_C_stack_method__modifiers};
        run r;
        bytes b = {0};
        putf(&b, "root;%s 1\n", cases[i].frame);
        import_bytes(&r, b);
        for (size_t k = 0; k < 6; k++) {
            if (expected[k] == NULL) {
                assert_true(memsink_is_null(r.sink, TS_T_stack_method, 1, columns[k]));
            } else {
                memsink_assert_text(r.sink, TS_T_stack_method, 1, columns[k], expected[k], __FILE__,
                                    (int)i);
            }
        }
        if (cases[i].line == 0) {
            assert_null_cell(&r, stack_node, 1, line);
        } else {
            assert_cell(&r, stack_node, 1, line, cases[i].line);
        }
        run_free(&r);
    }
}

static void test_tokens(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "process 12:\"java -cp a;b\";thread (7): pool-1;f 1\n"
                    "process 12:\"java -cp a;b\";thread (0x1F);f 2\n"
                    "[main tid=44];f 3\n"
                    "thread (x);f 4\n"
                    "thread (7): pool-1 5\n");
    assert_rows(&r, import_issue, 0);
    assert_mem_text(r.sink, profile, 0, pid, "12");
    assert_cell(&r, process, 1, pid, 12);
    assert_mem_text(r.sink, process, 1, name, "java -cp a;b");
    assert_cell(&r, thread, 1, tid, 7);
    assert_mem_text(r.sink, thread, 1, name, "pool-1");
    assert_cell(&r, thread, 1, ipid, 1);
    assert_cell(&r, thread, 2, tid, 31);
    assert_cell(&r, thread, 3, tid, 44);
    assert_mem_text(r.sink, thread, 3, name, "main");
    assert_cell(&r, stack_sample, 0, itid, 1);
    assert_cell(&r, stack_sample, 1, itid, 2);
    assert_cell(&r, stack_sample, 2, itid, 3);
    assert_null_cell(&r, stack_sample, 3, itid);
    assert_cell(&r, stack_sample, 4, itid, 1);
    assert_null_cell(&r, stack_sample, 4, node_id);
    assert_mem_text(r.sink, stack_method, 0, name, "f");
    assert_mem_text(r.sink, stack_method, 1, name, "thread (x)");
    assert_rows(&r, stack_method, 2);
    run_free(&r);
}

/* What a file begins with may look like the beginning of a page or an array: the outermost frame of
 * Python, a thread. */
static void test_beginnings(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "<module> (app.py:9);main (app.py:7) 12\n");
    assert_mem_text(r.sink, stack_method, 0, name, "<module>");
    assert_cell(&r, stack_node, 0, line, 9);
    run_free(&r);
    import_text(&r, "[main tid=44];f 3\n");
    assert_cell(&r, thread, 1, tid, 44);
    run_free(&r);
}

/* Two numbers in all lines: profiles that are compared. In some: frames with numbers. */
static void test_differential(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "a;b 10 12\na 3 0\n");
    assert_rows(&r, stack_value_type, 2);
    assert_mem_text(r.sink, stack_value_type, 0, name, "before");
    assert_mem_text(r.sink, stack_value_type, 1, name, "after");
    assert_mem_row(r.sink, stack_sample_value, 0, "1|1|10");
    assert_mem_row(r.sink, stack_sample_value, 1, "1|2|12");
    assert_mem_row(r.sink, stack_sample_value, 3, "2|2|0");
    run_free(&r);
    import_text(&r, "a;worker 5 12\na 3\n");
    assert_rows(&r, import_issue, 0);
    assert_mem_text(r.sink, stack_method, 1, name, "worker 5");
    assert_rows(&r, stack_sample_value, 2);
    run_free(&r);
}

/* Halves to even; what does not fit is not a number. */
static void test_weights(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
        int64_t rounded;
    } cases[] = {{"1.0", 1, 0},
                 {"1.5", 2, 1},
                 {"2.5", 2, 1},
                 {"2.500001", 3, 1},
                 {"2.49", 2, 1},
                 {"0.6", 1, 1},
                 {"9223372036854775807", INT64_MAX, 0},
                 {"007", 7, 0}};
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        bytes b = {0};
        putf(&b, "a;b %s\n", cases[i].text);
        import_bytes(&r, b);
        assert_cell(&r, stack_sample_value, 0, value, cases[i].value);
        assert_int_equal(issue_sum(&r, "prof_rounded"), cases[i].rounded);
        run_free(&r);
    }
}

static void test_bad_lines(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "a;b 1\na;c\na;d -1\na;e 1e3\n 5\na;f 9223372036854775808\na;g .5\na;h 5.\n"
                    "a;i 2\n");
    assert_rows(&r, stack_sample, 2);
    assert_int_equal(issue_sum(&r, "prof_bad_line"), 6);
    assert_int_equal(issue_sum(&r, "prof_bad_number"), 1);
    assert_int_equal(count_sum(&r, "profile_samples", TS_C_import_count__lost), 7);
    assert_int_equal(count_sum(&r, "profile_samples", TS_C_import_count__seen), 9);
    run_free(&r);
}

static void test_bad_text(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "a;b\xff 1\n");
    assert_int_equal(issue_sum(&r, "prof_bad_text"), 1);
    assert_mem_text(r.sink, stack_method, 1, name, "b\xef\xbf\xbd");
    run_free(&r);
}

/* As long as memory allows, up to 16 MiB. */
/* More lines than are looked up together: those that come again have the rows of the first ones. */
static void test_many_lines(void **state)
{
    enum { LINES = 300 };
    char text[2 * LINES * 32];
    size_t n = 0;
    run r;
    UNUSED(state);
    for (int i = 0; i < 2 * LINES; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "main;f%d;leaf %d\n", i % LINES, i + 1);
    }
    import_text(&r, text);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_method, 2 + LINES);
    assert_rows(&r, stack_node, 1 + 2 * LINES);
    assert_rows(&r, stack_sample, 2 * LINES);
    for (int i = 0; i < 2 * LINES; i++) {
        const int64_t node = 3 + 2 * (i % LINES);
        assert_cell(&r, stack_sample, (size_t)i, id, i + 1);
        assert_cell(&r, stack_sample, (size_t)i, node_id, node);
        assert_cell(&r, stack_sample_value, (size_t)i, sample_id, i + 1);
        assert_cell(&r, stack_sample_value, (size_t)i, value, i + 1);
        assert_cell(&r, stack_node, (size_t)node - 1, parent_id, node - 1);
        assert_cell(&r, stack_node, (size_t)node - 2, parent_id, 1);
        assert_cell(&r, stack_node, (size_t)node - 1, depth, 2);
    }
    run_free(&r);
}

static void test_long_lines(void **state)
{
    enum { FRAMES = 100000, LONG = (16 << 20) + 1 };
    run r;
    bytes b = {0};
    UNUSED(state);
    put_str(&b, "a 1\nroot");
    for (int i = 0; i < FRAMES; i++) {
        put_str(&b, ";f");
    }
    put_str(&b, " 2\n");
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, stack_node, FRAMES + 2);
    assert_cell(&r, stack_node, FRAMES + 1, depth, FRAMES);
    run_free(&r);
    b = (bytes){0};
    put_str(&b, "a;b 1\n");
    b.p = realloc(b.p, b.n + LONG + 16);
    b.cap = b.n + LONG + 16;
    memset(b.p + b.n, 'x', LONG);
    b.n += LONG;
    put_str(&b, " 1\na;c 2\n");
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "prof_too_large"), 1);
    assert_rows(&r, stack_sample, 2);
    run_free(&r);
}

static void test_no_stacks(void **state)
{
    static const char *const texts[] = {"hello world\n",
                                        "a;b\n",
                                        "",
                                        "#only a comment\n",
                                        "\n\n",
                                        "a;b 1\x01\n",
                                        "# austin: 3.6.0\nP1;T2;a.py:f:1 100\n",
                                        "P1;T0x7f;a.py:f:1 100\n"};
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
    "# made\nmain;java/util/HashMap.put_[j] 12\r\n\nprocess 3:\"x\";thread (4): n;main;f "         \
    "(a.py:7) 3\nmain;f "                                                                          \
    "1.5\n"

static void test_blocks(void **state)
{
    bytes b = {0};
    UNUSED(state);
    for (int i = 0; i < 4000; i++) { /* more than what is looked at before lines are read */
        putf(&b, "main;frame%d;g %d\n", i % 50, i);
    }
    put_str(&b, TINY);
    check_blocks(&b, 1); /* 1.5 is rounded */
    free(b.p);
}

/* Lines before the cut stay as they are. */
static void test_cut_at_every_byte(void **state)
{
    bytes b = bytes_of(TINY);
    run whole;
    UNUSED(state);
    import_damaged(&whole, &b, 0);
    for (size_t cut = 1; cut < b.n; cut++) {
        bytes part = {b.p, cut, 0};
        run r;
        import_damaged(&r, &part, 0);
        for (size_t i = 0; r.code == TS_OK && i + 1 < MEM_ROWS(r.sink, stack_sample); i++) {
            assert_cell(&r, stack_sample, i, node_id,
                        MEM_INT(whole.sink, stack_sample, i, node_id));
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
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_beginnings),
        cmocka_unit_test(test_differential),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_no_stacks),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sampling heap profiles (docs/formats.md, "Heap profiles"): rows, other orders, defects, damage.
 */
#include "parsers_sweep.h"

#define FRAME(name, url, script, line, column)                                                     \
    "\"callFrame\":{\"functionName\":\"" name "\",\"scriptId\":\"" #script "\",\"url\":\"" url     \
    "\",\"lineNumber\":" #line ",\"columnNumber\":" #column "}"
#define NODE(frame, size, id, children)                                                            \
    "{" frame ",\"selfSize\":" #size ",\"id\":" #id ",\"children\":[" children "]}"
#define SAMPLE(size, node, ordinal)                                                                \
    "{\"size\":" #size ",\"nodeId\":" #node ",\"ordinal\":" #ordinal "}"
#define PROFILE(head, samples) "{\"head\":" head ",\"samples\":[" samples "]}"

#define ROOT FRAME("(root)", "", 0, -1, -1)
#define LEAK FRAME("leak", "file:///app/a.js", 7, 11, 4)
#define GROW FRAME("grow", "file:///app/a.js", 7, 20, 8)

/* (root) -> leak -> grow, and (root) -> grow. */
#define TREE NODE(ROOT, 0, 1, NODE(LEAK, 300, 2, NODE(GROW, 64, 5, "")) "," NODE(GROW, 40, 3, ""))
#define TINY                                                                                       \
    PROFILE(TREE, SAMPLE(100, 2, 9) "," SAMPLE(64, 5, 4) "," SAMPLE(200, 2, 1) "," SAMPLE(40, 3, 6))

static void test_rows(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, TINY);
    assert_int_equal(r.code, TS_OK);
    assert_rows(&r, import_issue, 0);
    assert_mem_row(r.sink, heap_profile_node, 0, "2|1|1|0|-1|-1|0");
    assert_mem_row(r.sink, heap_profile_node, 1, "2|2|2|7|11|4|300");
    assert_mem_row(r.sink, heap_profile_node, 2, "2|3|5|7|20|8|64");
    assert_mem_row(r.sink, heap_profile_node, 3, "2|4|3|7|20|8|40");
    assert_rows(&r, heap_profile_node, 4);
    /* leak and grow are one method each, wherever they stand. */
    assert_rows(&r, stack_method, 3);
    assert_mem_text(r.sink, stack_method, 1, name, "leak");
    assert_mem_text(r.sink, stack_method, 1, file, "file:///app/a.js");
    assert_cell(&r, stack_method, 1, line, 11);
    assert_null_cell(&r, stack_method, 0, line);
    assert_null_cell(&r, stack_node, 0, parent_id);
    assert_cell(&r, stack_node, 2, parent_id, 2);
    assert_cell(&r, stack_node, 2, depth, 2);
    assert_cell(&r, stack_node, 2, raw_id, 5);
    assert_cell(&r, stack_node, 3, parent_id, 1);
    assert_cell(&r, stack_node, 3, method_id, 3);
    /* In the order of allocation. */
    static const int64_t nodes[] = {2, 3, 4, 2};
    static const int64_t sizes[] = {200, 64, 40, 100};
    static const int64_t ordinals[] = {1, 4, 6, 9};
    assert_rows(&r, stack_sample, 4);
    assert_rows(&r, stack_sample_value, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_cell(&r, stack_sample, i, node_id, nodes[i]);
        assert_null_cell(&r, stack_sample, i, ts);
        assert_mem_text(r.sink, stack_sample, i, event, "alloc");
        assert_cell(&r, stack_sample_value, i, sample_id, (int64_t)i + 1);
        assert_cell(&r, stack_sample_value, i, value, sizes[i]);
        assert_cell(&r, heap_profile_sample, i, ordinal, ordinals[i]);
    }
    assert_rows(&r, stack_value_type, 1);
    assert_mem_text(r.sink, stack_value_type, 0, name, "alloc_space");
    assert_mem_text(r.sink, stack_value_type, 0, unit, "bytes");
    assert_mem_text(r.sink, source, 1, kind, "heap_profile");
    assert_mem_text(r.sink, source, 1, name, "HeapProfile0");
    assert_cell(&r, source, 1, complete, 1);
    run_free(&r);
}

/* Programs that write JSON anew sort its keys, so that children come before id and selfSize. */
static void test_sorted_keys(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r,
        "{\"head\":{" ROOT ",\"children\":[{" LEAK ",\"children\":[],\"id\":2,\"selfSize\":300}],"
        "\"id\":1,\"selfSize\":0},\"samples\":[{\"nodeId\":2,\"ordinal\":1,\"size\":300}]}");
    assert_rows(&r, import_issue, 0);
    assert_mem_row(r.sink, heap_profile_node, 0, "2|1|1|0|-1|-1|0");
    assert_mem_row(r.sink, heap_profile_node, 1, "2|2|2|7|11|4|300");
    assert_cell(&r, stack_sample, 0, node_id, 2);
    run_free(&r);
}

static void test_samples_first(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "{\"samples\":[" SAMPLE(300, 2, 1) "],\"head\":" NODE(
                        ROOT, 0, 1, NODE(LEAK, 300, 2, "")) "}");
    assert_rows(&r, import_issue, 0);
    assert_cell(&r, stack_sample, 0, node_id, 2);
    run_free(&r);
}

/* Old engines wrote neither ids nor samples. */
static void test_no_samples(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, "{\"head\":{" ROOT ",\"selfSize\":0,\"children\":[{" LEAK
                    ",\"selfSize\":300,\"children\":[]}]}}");
    assert_int_equal(issues(&r, "heap_profile_no_samples"), 1);
    assert_rows(&r, import_issue, 1);
    assert_null_cell(&r, heap_profile_node, 1, id);
    assert_rows(&r, stack_sample, 1);
    assert_cell(&r, stack_sample, 0, node_id, 2);
    assert_cell(&r, stack_sample_value, 0, value, 300);
    assert_rows(&r, heap_profile_sample, 0);
    run_free(&r);
}

/* V8 samples on while it writes: of nodes that are not in the tree, or that it has already. */
static void test_late_samples(void **state)
{
    run r;
    UNUSED(state);
    import_text(
        &r,
        PROFILE(TREE, SAMPLE(4096, 8, 12) "," SAMPLE(300, 2, 9) "," SAMPLE(9000, 2, 13) "," SAMPLE(
                          64, 5, 4) "," SAMPLE(40, 3, 6) "," SAMPLE(7, 9, 14)));
    /* 8 is followed by one of a node that is there: it is no such sample. */
    assert_int_equal(issue_sum(&r, "heap_profile_unknown_node"), 1);
    assert_int_equal(issue_sum(&r, "heap_profile_late_samples"), 1);
    assert_rows(&r, stack_sample, 6);
    assert_null_cell(&r, stack_sample, 5, node_id);
    assert_rows(&r, stack_sample_value, 6);
    assert_cell(&r, heap_profile_node, 1, self_size, 300);
    run_free(&r);
}

static void test_unknown_node(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(TREE, SAMPLE(300, 2, 9) "," SAMPLE(64, 5, 4) "," SAMPLE(
                                      40, 3, 6) "," SAMPLE(7, 4, 14)));
    assert_int_equal(issue_sum(&r, "heap_profile_unknown_node"), 1);
    assert_null_cell(&r, stack_sample, 3, node_id);
    run_free(&r);
}

/* A size that is scaled as a whole is at most half as large again as the sum: 2 x 1.49 and 2 x 1.
 */
static void test_sizes(void **state)
{
    run r;
    UNUSED(state);
    import_text(&r, PROFILE(NODE(ROOT, 300, 1, NODE(LEAK, 401, 2, "")),
                            SAMPLE(100, 1, 1) "," SAMPLE(100, 1, 2) "," SAMPLE(199, 2, 3)));
    assert_int_equal(issue_sum(&r, "heap_profile_size_mismatch"), 1);
    assert_cell(&r, heap_profile_node, 0, self_size, 300);
    assert_null_cell(&r, heap_profile_node, 1, self_size);
    assert_rows(&r, stack_sample, 3);
    assert_rows(&r, stack_sample_value, 2);
    run_free(&r);
    import_text(&r, PROFILE(NODE(ROOT, 8, 1, ""), ""));
    assert_int_equal(issue_sum(&r, "heap_profile_size_mismatch"), 1);
    run_free(&r);
}

static void test_defects(void **state)
{
    static const struct {
        const char *text;
        const char *issue;
        size_t nodes, samples;
    } cases[] = {
        {PROFILE(NODE(ROOT, 0, 1, NODE(LEAK, 0, 1, "")), ""), "heap_profile_duplicate_node", 2, 0},
        {PROFILE(NODE(ROOT, 0, 1, "5,null,\"x\",[]"), ""), "heap_profile_bad_element", 1, 0},
        {PROFILE(NODE(ROOT, 0, 1, ""), "7"), "heap_profile_bad_element", 1, 0},
        {PROFILE("{\"selfSize\":0,\"id\":1,\"children\":[]}", ""), "heap_profile_no_frame", 1, 0},
        {PROFILE("{\"children\":[" NODE(LEAK, 0, 2, "") "]," ROOT ",\"selfSize\":0,\"id\":1}", ""),
         "heap_profile_no_frame", 2, 0},
        {PROFILE("{" ROOT ",\"selfSize\":0,\"id\":1,\"children\":[{" LEAK
                 ",\"selfSize\":0,\"children\":[]}]}",
                 ""),
         "heap_profile_field_missing", 2, 0},
        {PROFILE("{" ROOT ",\"id\":1,\"children\":[]}", ""), "heap_profile_field_missing", 1, 0},
        {PROFILE("{\"callFrame\":{\"functionName\":\"f\"},\"selfSize\":0,\"id\":1,\"children\":[]}",
                 ""),
         "heap_profile_field_missing", 1, 0},
        {PROFILE(NODE(ROOT, 0, 1, ""), "{\"size\":0,\"nodeId\":1}"), "heap_profile_field_missing",
         1, 1},
        {PROFILE(NODE(ROOT, -1, 1, ""), ""), "heap_profile_bad_number", 1, 0},
        {PROFILE(NODE(ROOT, 0.5, 1, ""), ""), "heap_profile_bad_number", 1, 0},
        {PROFILE(NODE(ROOT, "x", 1, ""), ""), "heap_profile_bad_number", 1, 0},
        {PROFILE(NODE(FRAME("f", "", 1x, 0, 0), 0, 1, ""), ""), "heap_profile_bad_number", 1, 0},
        {PROFILE(NODE(FRAME("f", "", 1, 2147483648, 0), 0, 1, ""), ""), "heap_profile_bad_number",
         1, 0},
        {PROFILE(NODE(ROOT, 0, 1, ""), "{\"size\":[],\"nodeId\":1}"), "heap_profile_bad_number", 1,
         1},
        {PROFILE(NODE(FRAME("a\\ud83d", "", 1, 1, 1), 0, 1, ""), ""), "heap_profile_bad_text", 1,
         0},
        {"{\"head\":7,\"samples\":[]}", "heap_profile_no_head", 0, 0},
        {PROFILE(NODE(ROOT, 0, 1, ""), "") "x", "json_trailing_bytes", 1, 0},
        {"{\"head\":" NODE(ROOT, 0, 1, "") "x", "heap_profile_incomplete", 1, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        import_text(&r, cases[i].text);
        if (issues(&r, cases[i].issue) == 0 ||
            issues(&r, "conservation") + issues(&r, "items_lost") > 0) {
            print_error("%s: no %s\n", cases[i].text, cases[i].issue);
            memsink_print(r.sink, TS_T_import_issue);
            fail();
        }
        assert_rows(&r, heap_profile_node, cases[i].nodes);
        assert_rows(&r, heap_profile_sample, cases[i].samples);
        run_free(&r);
    }
}

/* Names and files of any length; of more than 1 MiB the beginning. */
static void test_long_names(void **state)
{
    enum { LONG = (1 << 20) - 1 };
    run r;
    bytes b = {0};
    UNUSED(state);
    put_str(&b, "{\"head\":{\"callFrame\":{\"functionName\":\"");
    for (size_t i = 0; i < LONG; i++) {
        put_str(&b, "x");
    }
    put_str(&b, "\xC3\xA4\",\"scriptId\":\"1\",\"url\":\"u\",\"lineNumber\":1,\"columnNumber\":1},"
                "\"selfSize\":0,\"id\":1,"
                "\"children\":[]},\"samples\":[]}");
    import_one(&r, &b);
    assert_int_equal(issue_sum(&r, "heap_profile_text_cut"), 1);
    assert_int_equal(MEM_TEXT(r.sink, stack_method, 0, name).n, LONG);
    run_free(&r);
    free(b.p);
}

/* No recursion: as deep as there is memory. */
static void test_depth(void **state)
{
    enum { DEPTH = 30000 };
    run r;
    bytes b = {0};
    UNUSED(state);
    put_str(&b, "{\"head\":");
    for (int i = 1; i <= DEPTH; i++) {
        putf(&b, "{" GROW ",\"selfSize\":0,\"id\":%d,\"children\":[", i);
    }
    for (int i = 0; i < DEPTH; i++) {
        put_str(&b, "]}");
    }
    put_str(&b, ",\"samples\":[]}");
    import_one(&r, &b);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, heap_profile_node, DEPTH);
    assert_cell(&r, stack_node, DEPTH - 1, depth, DEPTH - 1);
    run_free(&r);
    free(b.p);
}

/* --- damage ----------------------------------------------------------------------------------- */

static void test_blocks(void **state)
{
    size_t n;
    char *p = test_read_file(TS_TEST_DATA "/sessions.heapprofile", &n);
    bytes b = {(uint8_t *)p, n, 0};
    UNUSED(state);
    check_blocks(&b, 1);
    free(p);
}

/* Nodes before the cut stay; one whose size was not read has none. */
static void test_cut_at_every_byte(void **state)
{
    bytes b = bytes_of(TINY);
    run whole;
    UNUSED(state);
    import_damaged(&whole, &b, 0);
    for (size_t cut = 8; cut < b.n; cut++) {
        bytes part = {b.p, cut, 0};
        run r;
        import_damaged(&r, &part, 0);
        if (r.code == TS_OK &&
            (SEEN(&r, "heap_profile_nodes") > 0 || issues(&r, "heap_profile_incomplete") > 0)) {
            assert_int_equal(issues(&r, "heap_profile_incomplete"), 1);
            assert_in_range(MEM_ROWS(r.sink, heap_profile_node), 0, 4);
            for (size_t i = 0; i < MEM_ROWS(r.sink, heap_profile_node); i++) {
                bool last = i + 1 == MEM_ROWS(r.sink, heap_profile_node);
                assert_cell(&r, heap_profile_node, i, node_id, (int64_t)i + 1);
                assert_true(last || MEM_INT(r.sink, heap_profile_node, i, self_size) ==
                                        MEM_INT(whole.sink, heap_profile_node, i, self_size));
            }
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
        cmocka_unit_test(test_sorted_keys),
        cmocka_unit_test(test_samples_first),
        cmocka_unit_test(test_no_samples),
        cmocka_unit_test(test_late_samples),
        cmocka_unit_test(test_unknown_node),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_defects),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

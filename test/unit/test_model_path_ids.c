/* Ids of call paths: known values (test/model/paths.py computes them from the definition), and what
 * makes them different. */
#include "support.h"

#include "model/path_ids.h"

static const ts_method_parts main_method = {.name = {"main", 4}, .line = 3};
static const ts_method_parts work_method = {.name = {"work", 4}, .line = TS_METHOD_NO_LINE};

static void test_keys(void **state)
{
    const ts_method_parts full = {.library = TS_TEXT_LIT("libapp.so"),
                                  .package = TS_TEXT_LIT("com.example"),
                                  .class = TS_TEXT_LIT("Shop"),
                                  .name = TS_TEXT_LIT("sort"),
                                  .signature = TS_TEXT_LIT("(I)V"),
                                  .file = TS_TEXT_LIT("Shop.java"),
                                  .line = 10};
    ts_method_parts moved = full;
    moved.line = 11; /* of another version */
    (void)state;
    assert_int_equal(ts_method_key(&main_method), 0xc55fda53ae4d2a08);
    assert_int_equal(ts_method_key(&work_method), 0xf855112eb8e09f08);
    assert_int_equal(ts_method_key(&full), 0x59a7de3edc553c49);
    assert_int_equal(ts_method_key(&moved), 0x59a7de3edc553c49);
    /* Without a name the line is all there is. */
    ts_method_parts nameless = {.file = TS_TEXT_LIT("a.js"), .line = 7};
    assert_int_equal(ts_method_key(&nameless), 0x1e3e5203c14417f4);
    nameless.line = TS_METHOD_NO_LINE;
    assert_int_equal(ts_method_key(&nameless), 0x021a741fa29f33e3);
    /* Where a text ends counts. */
    const ts_method_parts two = {
        .library = TS_TEXT_LIT("a"), .package = TS_TEXT_LIT("b"), .line = TS_METHOD_NO_LINE};
    const ts_method_parts one = {.library = TS_TEXT_LIT("ab"), .line = TS_METHOD_NO_LINE};
    assert_int_equal(ts_method_key(&two), 0x27942738ad844f3b);
    assert_int_equal(ts_method_key(&one), 0x4406e4a3aaae4b87);
}

/* main calls work, and itself a method that is not known. */
static void test_tree(void **state)
{
    static const uint32_t parent[] = {TS_NO_INDEX, 0, 0};
    static const uint32_t method[] = {0, 1, TS_NO_INDEX};
    static const int32_t line[] = {-1, 4, TS_PATH_NO_LINE};
    const uint64_t keys[] = {ts_method_key(&main_method), ts_method_key(&work_method)};
    ts_tree t = {.n = 3, .parent = parent, .method = method};
    uint64_t id[3];
    (void)state;
    ts_tree_path_ids(id, &t, keys, 0);
    assert_int_equal(id[0], 0x44e0d154dc81fc1c);
    assert_int_equal(id[1], 0x5b9976bf872bfe69);
    assert_int_equal(id[2], 0xee02861215a72fe4);
    t.line = line; /* where lines are apart */
    ts_tree_path_ids(id, &t, keys, 0);
    assert_int_equal(id[1], 0xa100280e0408b029);
    t.line = NULL; /* below work, upside down */
    ts_tree_path_ids(id, &t, keys, ts_path_id(0, keys[1], TS_PATH_NO_LINE));
    assert_int_equal(id[0], 0x78ba1341e4cbd8c2);
}

/* The first of equal ones keeps its id, also where another one has been given it. */
static void test_apart(void **state)
{
    enum { N = 7 };
    static const uint64_t expected[N] = {5, 6, 7, 9, UINT64_MAX, 0, 8};
    static const bool expected_moved[N] = {false, true, true, false, false, true, true};
    uint64_t ids[N] = {5, 5, 6, 9, UINT64_MAX, UINT64_MAX, 5};
    bool moved[N];
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    assert_ok(ctx, ts_path_ids_part(ids, moved, ctx, N));
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(ids[i], expected[i]);
        assert_int_equal(moved[i], expected_moved[i]);
    }
    test_ctx_free(ctx);
}

/* Very many of one path take no more than time in proportion. */
static void test_many(void **state)
{
    enum { N = 200000 };
    ts_ctx *ctx = test_ctx_new();
    uint64_t *ids = calloc(N, sizeof *ids);
    bool *moved = calloc(N, sizeof *moved);
    (void)state;
    assert_true(ids != NULL && moved != NULL);
    assert_ok(ctx, ts_path_ids_part(ids, moved, ctx, N));
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(ids[i], i);
    }
    free(ids);
    free(moved);
    test_ctx_free(ctx);
}

static void test_text(void **state)
{
    static const char *const none[] = {"",
                                       "5",
                                       "5b9976bf872bfe6",
                                       "5b9976bf872bfe690",
                                       "5B9976BF872BFE69",
                                       "5b9976bf872bfe6g",
                                       "-b9976bf872bfe69"};
    ts_ctx *ctx = test_ctx_new();
    ts_buf text = {0};
    ts_jout out = ts_jout_into(ctx, &text);
    uint64_t id = 0;
    (void)state;
    assert_true(ts_path_id_parse(&id, TS_TEXT_LIT("5b9976bf872bfe69")));
    assert_int_equal(id, 0x5b9976bf872bfe69);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_false(ts_path_id_parse(&id, ts_text_of(none[i])));
    }
    ts_path_id_put(&out, NULL, 0x021a741fa29f33e3);
    assert_int_equal(out.code, TS_OK);
    assert_int_equal(text.n, 18);
    assert_memory_equal(text.p, "\"021a741fa29f33e3\"", 18);
    ts_buf_free(ctx, &text);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys), cmocka_unit_test(test_tree), cmocka_unit_test(test_apart),
        cmocka_unit_test(test_many), cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

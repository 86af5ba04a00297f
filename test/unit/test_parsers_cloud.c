/* Cloud Profiler: the format's worked bytes, time, stacks, formats, damage; in conversations. */
#include "cloud_build.h"

static void test_worked_bytes(void **state)
{
    run r;
    UNUSED(state);
    import_pod(&r, worked());
    assert_worked_slices(&r);
    assert_rows(&r, cloud_dictionary, WORDS);
    assert_rows(&r, cloud_call, 1);
    assert_cell(&r, cloud_call, 0, ts, MS(CALL_START));
    assert_cell(&r, cloud_call, 0, dur, MS(415));
    assert_cell(&r, cloud_call, 0, calls, 4);
    assert_mem_text(r.sink, cloud_call, 0, thread_name, "main");
    assert_cell(&r, cloud_call, 0, trace_file, 1);
    assert_cell(&r, cloud_call, 0, trace_offset, 8);
    assert_cell(&r, cloud_call, 0, trace_record, 0);
    assert_cell(&r, cloud_call, 0, root_slice_id, 1);
    assert_cell(&r, cloud_call, 0, cpu_dur, MS(5));
    assert_cell(&r, cloud_call, 0, memory, 7);
    assert_cell(&r, cloud_call, 0, queue_wait_dur, MS(2));
    assert_cell(&r, cloud_call, 0, suspend_dur, MS(100));
    assert_rows(&r, cloud_call_param, 2);
    assert_mem_text(r.sink, cloud_call_param, 0, value, "x");
    assert_cell(&r, cloud_call_param, 1, ordinal, 1);
    assert_mem_text(r.sink, cloud_call_param, 1, value, "");
    assert_rows(&r, cloud_tag, 1);
    assert_cell(&r, cloud_tag, 0, ts, MS(CALL_START + 415));
    assert_cell(&r, cloud_tag, 0, slice_id, 1);
    assert_cell(&r, cloud_tag, 0, record, 7);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
}

static void test_pauses(void **state)
{
    run r;
    UNUSED(state);
    import_pod(&r, worked());
    assert_rows(&r, cloud_suspend, 2);
    assert_cell(&r, cloud_suspend, 0, ts, MS(AGENT_START + 148 - 8));
    assert_cell(&r, cloud_suspend, 0, dur, MS(8));
    assert_cell(&r, cloud_suspend, 1, ts, MS(AGENT_START + 148 + 1237 - 100));
    run_free(&r);
}

static void test_methods(void **state)
{
    run r;
    size_t i;
    UNUSED(state);
    import_pod(&r, worked());
    i = memsink_find_int(r.sink, TS_T_stack_method, TS_C_stack_method__raw_id, 9);
    assert_mem_text(r.sink, stack_method, i, class, "a.b.Cls");
    assert_mem_text(r.sink, stack_method, i, name, "run");
    assert_mem_text(r.sink, stack_method, i, signature, "void (int,java.lang.String[])");
    assert_mem_text(r.sink, stack_method, i, file, "Cls.java");
    assert_cell(&r, stack_method, i, line, 42);
    assert_mem_text(r.sink, stack_method, i, library, "lib/x.jar!/BOOT");
    i = memsink_find_int(r.sink, TS_T_stack_method, TS_C_stack_method__raw_id, 33);
    assert_mem_text(r.sink, stack_method, i, name, "<init>");
    assert_mem_text(r.sink, stack_method, i, file, "B.java");
    assert_null_cell(&r, stack_method, i, line);
    i = memsink_find_int(r.sink, TS_T_stack_method, TS_C_stack_method__raw_id, 148);
    assert_mem_text(r.sink, stack_method, i, name, "word.148");
    run_free(&r);
}

/* Words that are cut at any place, and such as only look like signatures. */
static const struct {
    const char *word;
    const char *class; /* NULL: no method */
    const char *name;
    const char *file;
    int64_t line; /* -1: none */
    const char *library;
} signatures[] = {
    {"int a.B.c() (B.java:7) [x.jar]", "a.B", "c", "B.java", 7, "x.jar"},
    {"int a.B.c() (B.java:7) [x.ja", "a.B", "c", "B.java", 7, NULL},
    {"int a.B.c() (B.java:7)", "a.B", "c", "B.java", 7, NULL},
    {"int a.B.c() (B.java:7", "a.B", "c", NULL, -1, NULL},
    {"int a.B.c() (", "a.B", "c", NULL, -1, NULL},
    {"int a.B.c()", "a.B", "c", NULL, -1, NULL},
    {"int a.B.c() ()", "a.B", "c", "", -1, NULL},
    {"int a.B.c() (B.java:)", "a.B", "c", "B.java:", -1, NULL},
    {"int a.B.c() (B.java:7x)", "a.B", "c", "B.java:7x", -1, NULL},
    {"int a.B.c() (B.java:1234567890)", "a.B", "c", "B.java:1234567890", -1, NULL},
    {"int a.B.c() [x.jar]", "a.B", "c", NULL, -1, "x.jar"},
    {"int a.B.c(", NULL, NULL, NULL, -1, NULL},
    {"a.B.c()", NULL, NULL, NULL, -1, NULL},
    {" a.B.c()", NULL, NULL, NULL, -1, NULL},
    {"int c()", NULL, NULL, NULL, -1, NULL},
    {"int .c()", NULL, NULL, NULL, -1, NULL},
    {"int a.()", NULL, NULL, NULL, -1, NULL},
    {"int ()", NULL, NULL, NULL, -1, NULL},
    {"the int a.B.c()", NULL, NULL, NULL, -1, NULL},
    {"", NULL, NULL, NULL, -1, NULL},
};
enum { CASES = sizeof signatures / sizeof signatures[0] };

static void test_signatures(void **state)
{
    run r;
    pod p = {0};
    bytes phrase = {0};
    UNUSED(state);
    put_string(&phrase, "call.info");
    for (size_t i = 0; i < CASES; i++) {
        put_string(&phrase, signatures[i].word);
    }
    put_phrase(&p.stream[DICTIONARY], &phrase);
    free(phrase.p);
    import_pod(&r, p);
    assert_rows(&r, cloud_dictionary, CASES + 1);
    for (size_t i = 0; i < CASES; i++) {
        size_t m;
        assert_true(MEM_NULL(r.sink, cloud_dictionary, i + 1, method_id) ==
                    (signatures[i].class == NULL));
        if (signatures[i].class == NULL) {
            continue;
        }
        m = (size_t)MEM_INT(r.sink, cloud_dictionary, i + 1, method_id) - 1;
        assert_mem_text(r.sink, stack_method, m, class, signatures[i].class);
        assert_mem_text(r.sink, stack_method, m, name, signatures[i].name);
        assert_true(MEM_NULL(r.sink, stack_method, m, line) == (signatures[i].line < 0));
        if (signatures[i].file != NULL && signatures[i].file[0] != '\0') {
            assert_mem_text(r.sink, stack_method, m, file, signatures[i].file);
        }
        if (signatures[i].library != NULL) {
            assert_mem_text(r.sink, stack_method, m, library, signatures[i].library);
        }
    }
    run_free(&r);
}

/* Pairs of halves, and halves without their partner, at each end. */
static void test_texts(void **state)
{
    run r;
    pod p = worked();
    bytes *b = &p.stream[SQL];
    UNUSED(state);
    HEX(b, 4, 0xd8, 0x3d, 0xde, 0x00, 0x20, 0xac, 0, 0xe9); /* U+1F600 U+20AC U+E9 */
    HEX(b, 4, 0xde, 0x00, 0, 'a', 0xd8, 0x3d, 0, 'b');      /* lone halves */
    HEX(b, 3, 0xd8, 0x3d, 0xd8, 0x3d, 0xde, 0x00);          /* and one before a pair */
    HEX(b, 2, 0xff, 0xff, 0xd8, 0x3d);                      /* and at the end */
    HEX(b, 2, 0xd8, 0x3d, 0xe0, 0x00);                      /* before a private one */
    import_pod(&r, p);
    assert_rows(&r, cloud_text, 5);
    assert_mem_text(r.sink, cloud_text, 0, value, "\xf0\x9f\x98\x80\xe2\x82\xac\xc3\xa9");
    assert_mem_text(r.sink, cloud_text, 1, value,
                    "\xef\xbf\xbd"
                    "a"
                    "\xef\xbf\xbd"
                    "b");
    assert_mem_text(r.sink, cloud_text, 2, value, "\xef\xbf\xbd\xf0\x9f\x98\x80");
    assert_mem_text(r.sink, cloud_text, 3, value, "\xef\xbf\xbf\xef\xbf\xbd");
    assert_mem_text(r.sink, cloud_text, 4, value, "\xef\xbf\xbd\xee\x80\x80");
    run_free(&r);
}

/* More threads than the first table of them holds, cpu and wait of which are below 0. */
static void test_many_threads(void **state)
{
    enum { THREADS = 200 };
    run r;
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    bytes *c = &p.stream[CALLS];
    UNUSED(state);
    for (uint64_t tid = 100; tid < 100 + THREADS; tid++) {
        put_be(t, tid, 8);
        put_be(t, CALL_START, 8);
        HEX(t, 0x80, 0x22, 0x0c, 0x02, 0, 0, 0, 0x01, 0x03);
    }
    HEX(c, 0, 12, 1, 1, 1, 1, 0, 'x', 0, 0, 1, 46, 0);
    HEX(c, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x9c, 0xff, 0xff, 0xff, 0x0f, 1);
    HEX(c, 0, 0, 0, 0, 0, 0, 0);
    import_pod(&r, p);
    assert_rows(&r, thread, 2 + THREADS);
    assert_rows(&r, stack_slice, 4 + THREADS);
    assert_cell(&r, stack_slice, 4, ts, MS(AGENT_START + 1088));
    assert_rows(&r, cloud_call, 2);
    assert_cell(&r, cloud_call, 1, cpu_dur, MS(-1));
    assert_cell(&r, cloud_call, 1, wait_dur, MS(-100));
    assert_cell(&r, cloud_call, 1, root_slice_id, 5);
    assert_mem_text(r.sink, thread, 2, name, "x");
    assert_cell(&r, cloud_call, 0, thread_index, 0);
    assert_cell(&r, cloud_call, 1, thread_index, 1);
    run_free(&r);
}

/* The sum of steps has 32 bits; the block's clock says which turn of it is meant. */
static void test_time_beyond_32_bits(void **state)
{
    /* The last but one: the sum passes 2^32 within the block, whose clock has passed it already. */
    static const int64_t up[] = {0, INT64_C(1) << 31, INT64_C(1) << 32, (INT64_C(1) << 32) - 1200,
                                 INT64_C(5) << 32};
    UNUSED(state);
    for (size_t i = 0; i < sizeof up / sizeof up[0]; i++) {
        run r;
        pod p = worked();
        bytes b = {0};
        uint32_t step = (uint32_t)(1101 + up[i]); /* the first of the block */
        put_be(&b, (uint64_t)(AGENT_START - up[i]), 8);
        put(&b, p.stream[TRACE].p + 8, 8);
        put_be(&b, (uint64_t)CALL_START + 300, 8);
        HEX(&b, (uint8_t)(0x80 | (step & 31) << 2));
        put_varint(&b, step >> 5);
        put(&b, p.stream[TRACE].p + 26, p.stream[TRACE].n - 26);
        free(p.stream[TRACE].p);
        p.stream[TRACE] = b;
        import_pod(&r, p);
        assert_worked_slices(&r);
        run_free(&r);
    }
}

/* The call goes on in a second block, after one of another thread. */
static void test_stack_lives_across_blocks(void **state)
{
    run r;
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    bytes b = {0};
    UNUSED(state);
    put(&b, t->p, 24 + 6); /* two ENTERs */
    HEX(&b, 0x03);
    put_be(&b, 2, 8);
    put_be(&b, CALL_START, 8);
    HEX(&b, 0x80, 0x22, 0x0c, 0x01, 0x03); /* ENTER 12, EXIT at 34 << 5 */
    put(&b, t->p + 8, 16);
    HEX(&b, 0x80 | 26 << 2, 36, 0x21); /* ENTER 33: steps begin anew, 1178 = 26 | 36 << 5 */
    put(&b, t->p + 32, t->n - 32);
    free(t->p);
    *t = b;
    import_pod(&r, p);
    assert_rows(&r, stack_slice, 5);
    assert_slice(&r, 0, 0, 0, 415, 399, 0, 0);
    assert_slice(&r, 1, 1, 77, 3, 0, 1, 0);
    assert_slice(&r, 3, 2, 77, 3, 3, 2, 0);
    assert_slice(&r, 4, 1, 178, 13, 13, 1, 0);
    assert_rows(&r, cloud_block, 3);
    assert_rows(&r, cloud_root, 2);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
}

static void test_open_at_the_end(void **state)
{
    run r;
    pod p = worked();
    UNUSED(state);
    p.stream[TRACE].n = 24 + 8; /* three ENTERs; no FINISH */
    import_pod(&r, p);
    assert_rows(&r, stack_slice, 3);
    assert_slice(&r, 0, 0, 0, 77, 77, 0, 1);
    assert_slice(&r, 2, 2, 77, 0, 0, 2, 1);
    assert_cell(&r, cloud_block, 0, complete, 0);
    assert_int_equal(issue_sum(&r, "cloud_frames_open"), 3);
    assert_int_equal(issue_sum(&r, "cloud_record_cut"), 1);
    run_free(&r);
}

static void test_unknown_value_stops(void **state)
{
    run r;
    pod p = worked();
    UNUSED(state);
    assert_int_equal(p.stream[TRACE].p[24 + 18], 0); /* the kind of the tag's value */
    p.stream[TRACE].p[24 + 18] = 4;
    import_pod(&r, p);
    assert_rows(&r, stack_slice, 4);
    assert_rows(&r, cloud_tag, 0);
    assert_int_equal(issues(&r, "cloud_stream_bad"), 1);
    assert_rows(&r, cloud_call, 1); /* other streams are not touched */
    run_free(&r);
}

static void test_formats_of_calls(void **state)
{
    UNUSED(state);
    for (uint8_t format = 0; format <= 5; format++) {
        run r;
        pod p = worked();
        bytes b = {0};
        if (format > 0) {
            HEX(&b, 0xff, 0xfe, 0xfd, 0xfc, 0, 0, 0, format);
        }
        put_be(&b, UINT64_C(0x189c16d888b), 8);
        for (int i = 0; i < 2; i++) { /* the second begins 679 ms before the first */
            HEX(&b, 0xcd, 0x0a, 0x09, 0x9f, 0x03, 0x04);
            if (format > 0) {
                put_varint(&b, 0);
                if (i == 0) {
                    put_string(&b, "main");
                }
                HEX(&b, 3, 4);
            }
            HEX(&b, i == 0 ? 1 : 9, 8, 0); /* no trace says when the second one began */
            HEX(&b, 9, 8, 7, 6, 5, 4, 3, 2, 1);
            b.n -= format < 2 ? 9 : format < 3 ? 6 : format < 4 ? 2 : 0;
            HEX(&b, 0);
        }
        free(p.stream[CALLS].p);
        p.stream[CALLS] = b;
        import_pod(&r, p);
        if (format == 5) {
            assert_rows(&r, cloud_call, 0);
            assert_int_equal(issues(&r, "cloud_calls_format"), 1);
            assert_int_equal(issue_offset(&r, "cloud_calls_format"), 0);
            run_free(&r);
            continue;
        }
        assert_rows(&r, cloud_call, 2);
        assert_cell(&r, cloud_call, 1, ts, MS(CALL_START - 679));
        assert_cell(&r, cloud_call, 1, dur, MS(415));
        assert_true(MEM_NULL(r.sink, cloud_call, 1, logs_generated) == (format < 1));
        assert_true(MEM_NULL(r.sink, cloud_call, 1, thread_index) == (format < 1));
        assert_true(MEM_NULL(r.sink, cloud_call, 1, cpu_dur) == (format < 2));
        assert_true(MEM_NULL(r.sink, cloud_call, 1, net_written) == (format < 3));
        assert_true(MEM_NULL(r.sink, cloud_call, 1, queue_wait_dur) == (format < 4));
        if (format >= 1) {
            assert_cell(&r, cloud_call, 1, logs_generated, 7);
            assert_mem_text(r.sink, cloud_call, 1, thread_name, "main");
        }
        run_free(&r);
    }
}

/* A phrase of 396 bytes before a time looks like a time itself. */
static void test_length_that_looks_like_a_time(void **state)
{
    run r;
    pod p = worked();
    bytes phrase = {0};
    bytes b = {0};
    UNUSED(state);
    put_be(&phrase, (uint64_t)AGENT_START, 8);
    for (int i = 0; i < 194; i++) {
        HEX(&phrase, 10, 1);
    }
    put_phrase(&b, &phrase);
    free(phrase.p);
    free(p.stream[SUSPEND].p);
    p.stream[SUSPEND] = b;
    import_pod(&r, p);
    assert_rows(&r, cloud_suspend, 194);
    assert_cell(&r, cloud_suspend, 193, ts, MS(AGENT_START + 1939));
    run_free(&r);
}

static void test_lost_words_end_the_dictionary(void **state)
{
    run r;
    pod p = worked();
    bytes phrase = {0};
    UNUSED(state);
    put_string(&phrase, "good");
    HEX(&phrase, 0xff, 0xff, 0xff, 0xff, 0x0f); /* a length of -1 */
    put_phrase(&p.stream[DICTIONARY], &phrase);
    phrase.n = 0;
    put_string(&phrase, "shifted");
    put_phrase(&p.stream[DICTIONARY], &phrase);
    free(phrase.p);
    import_pod(&r, p);
    assert_rows(&r, cloud_dictionary, WORDS + 1);
    assert_mem_text(r.sink, cloud_dictionary, WORDS, word, "good");
    assert_int_equal(count_sum(&r, "cloud_words", TS_C_import_count__lost), 1);
    assert_int_equal(issues(&r, "cloud_phrase_bad"), 1);
    run_free(&r);
}

static void test_pods_are_apart(void **state)
{
    run r;
    pod p = worked();
    bytes b = {0};
    UNUSED(state);
    put_pod(&b, "shop-1_1691167326000", &p);
    put_pod(&b, "shop-2_1691167326001", &p);
    pod_free(&p);
    import_bytes(&r, b);
    assert_rows(&r, source, 2);
    assert_mem_text(r.sink, source, 1, name, "shop-2_1691167326001");
    assert_cell(&r, source, 1, start_ts, MS(INT64_C(1691167326001)));
    assert_rows(&r, stack_slice, 8);
    assert_cell(&r, cloud_call, 1, root_slice_id, 5);
    assert_rows(&r, thread, 3);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
}

/* The old version command is a long, in either direction; the old beginning names a pod. */
static void test_old_commands(void **state)
{
    run r;
    pod p = worked();
    bytes b = {0};
    UNUSED(state);
    put_pod(&b, "shop-1_1691167326000", &p);
    HEX(&b, 0x08, 0, 0, 0, 0, 0, 1, 0x88, 0x99, 0x01); /* 100505 */
    put_field_of(&b, "space", 5);
    put_field_of(&b, "shop", 4);
    put_field_of(&b, "shop-2_1691167326001", 20);
    pod_free(&p);
    import_bytes(&r, b);
    assert_worked_slices(&r);
    assert_int_equal(issues(&r, "cloud_conversation_bad"), 0);
    assert_int_equal(count_sum(&r, "bytes", TS_C_import_count__lost), 0);
    assert_rows(&r, source, 2);
    assert_mem_text(r.sink, source, 1, name, "shop-2_1691167326001");
    run_free(&r);
}

static void test_unknown_command(void **state)
{
    run r;
    pod p = worked();
    bytes b = {0};
    UNUSED(state);
    put_pod(&b, "shop-1_1691167326000", &p);
    pod_free(&p);
    HEX(&b, 0x77, 0x02);
    import_bytes(&r, b);
    assert_worked_slices(&r);
    assert_int_equal(issues(&r, "cloud_conversation_bad"), 1);
    assert_int_equal(count_sum(&r, "bytes", TS_C_import_count__lost), 2);
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_bytes),
        cmocka_unit_test(test_pauses),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_many_threads),
        cmocka_unit_test(test_time_beyond_32_bits),
        cmocka_unit_test(test_stack_lives_across_blocks),
        cmocka_unit_test(test_open_at_the_end),
        cmocka_unit_test(test_unknown_value_stops),
        cmocka_unit_test(test_formats_of_calls),
        cmocka_unit_test(test_length_that_looks_like_a_time),
        cmocka_unit_test(test_lost_words_end_the_dictionary),
        cmocka_unit_test(test_pods_are_apart),
        cmocka_unit_test(test_old_commands),
        cmocka_unit_test(test_unknown_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

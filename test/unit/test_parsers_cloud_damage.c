/* Cloud Profiler: damage, and what the importer repairs. The bytes are put together here. */
#include "cloud_build.h"

/* A length, or a number, of -1. */
#define MINUS_ONE 0xff, 0xff, 0xff, 0xff, 0x0f

static void replace(bytes *old, bytes made)
{
    free(old->p);
    *old = made;
}

/* Phrases of `b`: what they hold was put with `*phrase` before. */
static void end_phrase(bytes *b, bytes *phrase)
{
    put_phrase(b, phrase);
    phrase->n = 0;
}

/* --- calls ----------------------------------------------------------------------------------- */

/* A record at the time of the one before, without a name of its thread. */
static void put_call(bytes *b, uint64_t method, uint64_t thread)
{
    put_varint(b, 0);
    put_varint(b, method);
    HEX(b, 10, 1);
    put_varint(b, thread);
    HEX(b, 0, 0, 1, 8, 0);
    HEX(b, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    HEX(b, 0);
}

static void import_implausible(run *r, uint64_t method, uint64_t thread, bool strict)
{
    pod p = worked();
    bytes b = {0};
    put_call(&p.stream[CALLS], method, thread);
    put_call(&p.stream[CALLS], 9, 0);
    put_pod(&b, "shop-1_1691167326000", &p);
    pod_free(&p);
    import_begin(r);
    r->ctx->strict = strict;
    (void)import_files(r, &b, 1, 0);
    free(b.p);
    assert_ok(r->ctx, r->code);
    assert_int_equal(issues(r, "conservation"), 0);
}

static void test_implausible_calls_are_kept(void **state)
{
    run r;
    UNUSED(state);
    import_implausible(&r, WORDS, 0, false);
    assert_rows(&r, cloud_call, 3);
    assert_int_equal(issue_sum(&r, "cloud_call_implausible"), 1);
    assert_int_equal(issues(&r, "cloud_stream_bad"), 0);
    run_free(&r);
    import_implausible(&r, 9, 2, false);
    assert_rows(&r, cloud_call, 3);
    assert_mem_text(r.sink, cloud_call, 1, thread_name, "unknown # 2");
    assert_int_equal(issue_sum(&r, "cloud_call_implausible"), 1);
    run_free(&r);
}

static void test_strict_stops_at_implausible_calls(void **state)
{
    pod p = worked();
    int64_t end = (int64_t)p.stream[CALLS].n;
    run r;
    UNUSED(state);
    pod_free(&p);
    for (int i = 0; i < 2; i++) {
        import_implausible(&r, i == 0 ? WORDS : 9, i == 0 ? 0 : 2, true);
        assert_rows(&r, cloud_call, 1);
        assert_int_equal(issue_sum(&r, "cloud_call_implausible"), 0);
        assert_int_equal(issues(&r, "cloud_stream_bad"), 1);
        assert_int_equal(issue_offset(&r, "cloud_stream_bad"), end);
        assert_int_equal(COUNTED(&r, "cloud_calls", lost), 1);
        assert_rows(&r, stack_slice, 4); /* other streams are not touched */
        run_free(&r);
    }
    import_implausible(&r, WORDS - 1, 0, true); /* nothing is wrong */
    assert_rows(&r, cloud_call, 3);
    assert_int_equal(issues(&r, "cloud_stream_bad"), 0);
    run_free(&r);
}

/* A method without a word is an issue each time that it is entered, in a call path that was met
 * before, too. */
static void test_missing_words_are_counted_each_time(void **state)
{
    uint64_t missing[2];
    UNUSED(state);
    for (unsigned i = 0; i < 2; i++) {
        run r;
        pod p = worked();
        bytes b = {0};
        bytes t = {0};
        put_be(&t, AGENT_START, 8);
        put_be(&t, 1, 8);
        put_be(&t, CALL_START, 8);
        HEX(&t, 0x00, 0x05); /* enters word 5, in it word 6 once or three times */
        for (unsigned k = 0; k < 1 + 2 * i; k++) {
            HEX(&t, 0x00, 0x06, 0x01);
        }
        HEX(&t, 0x01, 0x03);
        free(p.stream[TRACE].p);
        p.stream[TRACE] = t;
        p.stream[DICTIONARY].n = 0;
        put_pod(&b, "shop-1_1691167326000", &p);
        pod_free(&p);
        import_begin(&r);
        (void)import_files(&r, &b, 1, 0);
        free(b.p);
        assert_ok(r.ctx, r.code);
        assert_rows(&r, stack_slice, 2 + 2 * i);
        assert_rows(&r, stack_node, 2);
        missing[i] = (uint64_t)issue_sum(&r, "cloud_word_missing");
        run_free(&r);
    }
    assert_int_equal(missing[1], missing[0] + 2);
}

/* Where words were lost, a method without a word says nothing about its call. */
static void test_calls_of_lost_words_are_plausible(void **state)
{
    UNUSED(state);
    for (int i = 0; i < 2; i++) {
        run r;
        pod p = worked();
        bytes b = {0};
        p.stream[DICTIONARY].n = i == 0 ? 0 : 4 + 19 + 3; /* call.info, and a part */
        put_pod(&b, "shop-1_1691167326000", &p);
        pod_free(&p);
        import_begin(&r);
        r.ctx->strict = true;
        (void)import_files(&r, &b, 1, 0);
        free(b.p);
        assert_ok(r.ctx, r.code);
        assert_rows(&r, cloud_dictionary, i);
        assert_rows(&r, cloud_call, 1);
        assert_int_equal(issues(&r, "cloud_stream_bad"), 0);
        assert_int_equal(issue_sum(&r, "cloud_word_missing"), 7 - i);
        run_free(&r);
    }
}

/* Nothing begins at the place given, or the file of the trace is not there. */
static void test_calls_without_a_root(void **state)
{
    run r;
    pod p = worked();
    bytes *c = &p.stream[CALLS];
    UNUSED(state);
    for (uint8_t i = 0; i < 4; i++) {
        static const uint8_t places[][3] = {{1, 9, 0}, {1, 8, 1}, {2, 8, 0}, {0, 8, 0}};
        HEX(c, 0, 9, 10, 1, 0, 0, 0);
        put(c, places[i], 3);
        HEX(c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    import_pod(&r, p);
    assert_rows(&r, cloud_call, 5);
    for (size_t i = 1; i < 5; i++) {
        assert_null_cell(&r, cloud_call, i, root_slice_id);
    }
    assert_int_equal(issue_sum(&r, "cloud_call_no_root"), 2);
    assert_int_equal(issue_sum(&r, "cloud_call_no_trace"), 2);
    run_free(&r);
}

/* Too many parameters, too many values, a text of a negative length. */
static void test_impossible_parameters_end_the_calls(void **state)
{
    static const uint64_t params[] = {4097, 1, 1};
    static const uint64_t values[] = {0, (1 << 20) + 1, 1};
    UNUSED(state);
    for (int i = 0; i < 3; i++) {
        run r;
        pod p = worked();
        int64_t end = (int64_t)p.stream[CALLS].n;
        put_call(&p.stream[CALLS], 9, 0);
        p.stream[CALLS].n--;
        put_varint(&p.stream[CALLS], params[i]);
        put_varint(&p.stream[CALLS], 3);
        put_varint(&p.stream[CALLS], values[i]);
        HEX(&p.stream[CALLS], MINUS_ONE);
        import_pod(&r, p);
        assert_rows(&r, cloud_call, 1);
        assert_int_equal(issues(&r, "cloud_stream_bad"), 1);
        assert_int_equal(issue_offset(&r, "cloud_stream_bad"), end);
        assert_int_equal(COUNTED(&r, "cloud_calls", lost), 1);
        run_free(&r);
    }
}

/* --- amounts --------------------------------------------------------------------------------- */

static void put_amount(bytes *b, unsigned kind, const char *value)
{
    HEX(b, 0x02, (uint8_t)(AMOUNT_WORDS + kind), 0);
    put_string(b, value);
}

/* The record holds 7 for memory and 1, 2, 3, 4 for the others. */
static pod with_amounts(void)
{
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    t->n -= 2;
    put_amount(t, 0, "536870919"); /* 2 * 2^28 + 7 */
    put_amount(t, 1, "268435457"); /* 2^28 + 1 */
    put_amount(t, 2, "3");
    put_amount(t, 3, "268435460"); /* 2^28 + 4 */
    put_amount(t, 4, "99999999999999999999");
    HEX(t, 0x01, 0x03);
    return p;
}

static void test_cut_amounts_are_repaired(void **state)
{
    run r;
    UNUSED(state);
    import_pod(&r, with_amounts());
    assert_cell(&r, cloud_call, 0, memory, 536870919);
    assert_cell(&r, cloud_call, 0, file_read, 268435457);
    assert_cell(&r, cloud_call, 0, file_written, 2);
    assert_cell(&r, cloud_call, 0, net_read, 3);
    assert_cell(&r, cloud_call, 0, net_written, 4);
    assert_int_equal(issue_sum(&r, "cloud_amount_repaired"), 2);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
}

/* An amount that the encoder does not cut is what the record says, whatever a tag claims. */
static void test_other_amounts_are_not_touched(void **state)
{
    run r;
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    UNUSED(state);
    t->n -= 2;
    put_amount(t, 0, "268435463x");
    put_amount(t, 1, "9999999999999999999999"); /* more than 64 bits */
    put_amount(t, 2, "27262978");               /* below 2^28 */
    HEX(t, 0x00, 0x0c);                         /* in a callee, not in the root */
    put_amount(t, 3, "268435459");
    HEX(t, 0x01, 0x01, 0x03);
    import_pod(&r, p);
    assert_cell(&r, cloud_call, 0, memory, 7);
    assert_cell(&r, cloud_call, 0, file_read, 1);
    assert_cell(&r, cloud_call, 0, file_written, 2);
    assert_cell(&r, cloud_call, 0, net_read, 3);
    assert_int_equal(issue_sum(&r, "cloud_amount_repaired"), 0);
    run_free(&r);
}

/* Two threads whose roots end in the other order; format 2 has memory only. */
static void test_amounts_belong_to_their_root(void **state)
{
    run r;
    pod p = worked();
    bytes t = {0};
    bytes c = {0};
    UNUSED(state);
    put_be(&t, AGENT_START, 8);
    for (uint64_t tid = 1; tid <= 2; tid++) { /* blocks at 8 and 27 */
        put_be(&t, tid, 8);
        put_be(&t, CALL_START, 8);
        HEX(&t, 0x00, 0x09, 0x03);
    }
    for (uint64_t tid = 2; tid >= 1; tid--) {
        put_be(&t, tid, 8);
        put_be(&t, CALL_START, 8);
        put_amount(&t, 0, tid == 1 ? "268435466" : "268435476"); /* 2^28 + 10, + 20 */
        put_amount(&t, 1, "268435466");
        HEX(&t, 0x01, 0x03);
    }
    replace(&p.stream[TRACE], t);
    HEX(&c, 0xff, 0xfe, 0xfd, 0xfc, 0, 0, 0, 2);
    put_be(&c, AGENT_START, 8);
    HEX(&c, 0, 9, 0, 1, 0, 0, 0, 0, 1, 8, 0, 0, 0, 10, 0);
    HEX(&c, 0, 9, 0, 1, 0, 0, 0, 1, 27, 0, 0, 0, 20, 0);
    replace(&p.stream[CALLS], c);
    import_pod(&r, p);
    assert_rows(&r, cloud_call, 2);
    assert_cell(&r, cloud_call, 0, memory, 268435466);
    assert_cell(&r, cloud_call, 1, memory, 268435476);
    assert_null_cell(&r, cloud_call, 0, file_read);
    assert_int_equal(issue_sum(&r, "cloud_amount_repaired"), 2);
    run_free(&r);
}

/* --- phrases --------------------------------------------------------------------------------- */

static void test_pauses_go_on_in_the_next_phrase(void **state)
{
    run r;
    pod p = worked();
    bytes phrase = {0};
    int64_t bad = (int64_t)p.stream[SUSPEND].n + 4 + 2;
    UNUSED(state);
    HEX(&phrase, 20, 10, 5, MINUS_ONE, 1, 1);
    end_phrase(&p.stream[SUSPEND], &phrase);
    HEX(&phrase, 100, 50);
    end_phrase(&p.stream[SUSPEND], &phrase);
    free(phrase.p);
    import_pod(&r, p);
    assert_rows(&r, cloud_suspend, 4);
    assert_cell(&r, cloud_suspend, 2, ts, MS(AGENT_START + 148 + 1237 + 20 - 10));
    assert_cell(&r, cloud_suspend, 3, ts, MS(AGENT_START + 148 + 1237 + 20 + 100 - 50));
    assert_int_equal(issues(&r, "cloud_phrase_bad"), 1);
    assert_int_equal(issue_offset(&r, "cloud_phrase_bad"), bad);
    assert_int_equal(issues(&r, "cloud_stream_bad"), 0);
    assert_int_equal(COUNTED(&r, "cloud_pauses", lost), 1);
    run_free(&r);
}

static void put_param(bytes *b, const char *name)
{
    put_string(b, name);
    HEX(b, 1, 0, 100, 0);
}

static void test_params_go_on_in_the_next_phrase(void **state)
{
    run r;
    pod p = worked();
    bytes phrase = {0};
    UNUSED(state);
    HEX(&phrase, 1);
    put_param(&phrase, "word.1");
    end_phrase(&p.stream[PARAMS], &phrase);
    put_param(&phrase, "word.2");
    HEX(&phrase, MINUS_ONE);
    end_phrase(&p.stream[PARAMS], &phrase);
    put_param(&phrase, "nobody's");
    end_phrase(&p.stream[PARAMS], &phrase);
    free(phrase.p);
    import_pod(&r, p);
    assert_rows(&r, cloud_param, 3);
    assert_cell(&r, cloud_param, 1, dictionary_id, 3);
    assert_mem_text(r.sink, cloud_param, 2, name, "nobody's");
    assert_null_cell(&r, cloud_param, 2, dictionary_id);
    assert_int_equal(issues(&r, "cloud_phrase_bad"), 1);
    assert_int_equal(COUNTED(&r, "cloud_params", lost), 1);
    assert_int_equal(COUNTED(&r, "cloud_params", seen), 4);
    run_free(&r);
}

static void put_word(bytes *b, uint64_t id, const char *word)
{
    put_varint(b, id);
    put_string(b, word);
}

static void test_words_with_ids_go_on_in_the_next_phrase(void **state)
{
    run r;
    bytes phrase = {0};
    bytes b = {0};
    set s = {.count = 0};
    UNUSED(state);
    put_word(&phrase, 0, "call.info");
    put_word(&phrase, 1, "one");
    end_phrase(&b, &phrase);
    put_word(&phrase, 2, "two");
    HEX(&phrase, 3, MINUS_ONE);
    end_phrase(&b, &phrase);
    put_word(&phrase, 7, "seven");
    put_word(&phrase, 1, "new one");
    end_phrase(&b, &phrase);
    put_word(&phrase, 0x7fffffff, "far away");
    end_phrase(&b, &phrase);
    put_word(&phrase, 8, "eight");
    end_phrase(&b, &phrase);
    set_put(&s, b, "p.posDictionary.protocol");
    import_files_of(&r, &s);
    assert_rows(&r, cloud_dictionary, 6);
    assert_cell(&r, cloud_dictionary, 3, word_id, 7);
    assert_mem_text(r.sink, cloud_dictionary, 4, word, "new one");
    assert_mem_text(r.sink, cloud_dictionary, 5, word, "eight");
    assert_int_equal(issue_sum(&r, "cloud_phrase_bad"), 2);
    assert_int_equal(COUNTED(&r, "cloud_words", lost), 2);
    free(phrase.p);
    free(b.p);
    run_free(&r);
}

/* "whole" takes 11 bytes, "cut" 7. */
static void test_lengths_of_phrases(void **state)
{
    static const struct {
        uint64_t length;
        size_t bytes; /* that are there */
        int64_t rows;
        int64_t bad_streams, bad_phrases, cuts;
    } cases[] = {
        {0, 18, 0, 1, 0, 0},       {(1 << 20) + 1, 18, 0, 1, 0, 0},
        {11, 18, 1, 1, 0, 0},                            /* "cut" is the length of another phrase */
        {12, 18, 1, 1, 1, 0},                            /* the phrase ends inside it */
        {18, 17, 1, 0, 0, 1},      {19, 18, 2, 0, 0, 1}, /* what is missing may be a record */
        {1 << 20, 18, 2, 0, 0, 1}, {18, 18, 2, 0, 0, 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        pod p = worked();
        size_t end = p.stream[DICTIONARY].n + 4;
        put_be(&p.stream[DICTIONARY], cases[i].length, 4);
        put_string(&p.stream[DICTIONARY], "whole");
        put_string(&p.stream[DICTIONARY], "cut");
        p.stream[DICTIONARY].n = end + cases[i].bytes;
        import_pod(&r, p);
        assert_rows(&r, cloud_dictionary, WORDS + cases[i].rows);
        assert_int_equal(issue_sum(&r, "cloud_stream_bad"), cases[i].bad_streams);
        assert_int_equal(issue_sum(&r, "cloud_phrase_bad"), cases[i].bad_phrases);
        assert_int_equal(issue_sum(&r, "cloud_record_cut"), cases[i].cuts);
        run_free(&r);
    }
}

static void test_first_phrase_without_a_header(void **state)
{
    run r;
    pod p = worked();
    UNUSED(state);
    put_zeros(&p.stream[PARAMS], 4);
    p.stream[SUSPEND].p[3] = 7;
    import_pod(&r, p);
    assert_rows(&r, cloud_suspend, 0);
    assert_int_equal(issue_sum(&r, "cloud_header_cut"), 2);
    run_free(&r);
}

/* --- traces ---------------------------------------------------------------------------------- */

static void assert_doubted(const run *r, size_t i)
{
    assert_null_cell(r, stack_slice, i, ts);
    assert_null_cell(r, stack_slice, i, dur);
    assert_null_cell(r, stack_slice, i, node_id);
    assert_null_cell(r, stack_slice, i, parent_id);
    assert_null_cell(r, stack_slice, i, depth);
    assert_null_cell(r, stack_slice, i, state);
}

/* A block with a root of 10 ms, `at` ms after that of the others. */
static void put_root(bytes *t, uint8_t at)
{
    put_be(t, 1, 8);
    put_be(t, CALL_START, 8);
    HEX(t, 0x80 | 21 << 2, (uint8_t)(34 + at / 32), 9); /* 1109 = 21 | 34 << 5 */
    HEX(t, 0x02 | 10 << 2, 0, 0, 0, 0x01, 0x03);
}

/* call.info while two are open: nothing in the block is certain, the root before it is. The next
 * root only tells where the thread is again. */
static void test_mark_within_a_call(void **state)
{
    run r;
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    UNUSED(state);
    put_be(t, 1, 8);
    put_be(t, CALL_START, 8);
    HEX(t, 0x80, 65, 9, 0x00, 33, 0x02, 0, 0, 0, 0x01, 0x00, 33, 0x01, 0x03);
    put_root(t, 32);
    put_root(t, 64);
    import_pod(&r, p);
    assert_rows(&r, stack_slice, 4 + 2 + 1);
    assert_slice(&r, 0, 0, 0, 415, 399, 0, 0);
    assert_slice(&r, 3, 1, 178, 13, 13, 1, 0);
    assert_doubted(&r, 4);
    assert_doubted(&r, 5);
    assert_slice(&r, 6, 0, 72, 10, 10, 0, 0);
    assert_null_cell(&r, cloud_root, 1, slice_id);
    assert_cell(&r, cloud_call, 0, root_slice_id, 1);
    assert_int_equal(issue_sum(&r, "cloud_root_lost"), 1);
    assert_int_equal(issue_sum(&r, "cloud_block_bad"), 1);
    assert_int_equal(COUNTED(&r, "cloud_enters", lost), 2);
    run_free(&r);
}

/* What is read from a wrong place: each is undone back to where the thread had nothing open, which
 * is in a block before. */
static void test_events_out_of_step(void **state)
{
    UNUSED(state);
    for (int i = 0; i < 7; i++) {
        run r;
        pod p = worked();
        bytes *t = &p.stream[TRACE];
        put_be(t, 1, 8);
        put_be(t, CALL_START, 8);
        HEX(t, 0x80, 65, 9, 0x00, 33, 0x02, 3, 0, 1, 0, 'x', 0x03); /* goes on in the next block */
        put_be(t, 1, 8);
        put_be(t, CALL_START, 8);
        HEX(t, 0x80, 66, 35);
        if (i == 0) {
            HEX(t, 0x00, 0); /* enters call.info */
        } else if (i == 1) {
            HEX(t, 0x02, 33, 0, 0); /* a method as a tag */
        } else if (i == 2) {
            HEX(t, 0x00, 0xff, 0x7f); /* no such word by far */
        } else if (i == 3) {
            HEX(t, 0x01, 0x01, 0x01); /* ends without call.info */
        } else if (i == 4) {
            HEX(t, 0x02, 3, 9, 0); /* a kind of value that does not exist */
        } else if (i == 5) {
            HEX(t, 0x03, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16); /* no block */
        } else {
            HEX(t, 0x01, 0x01, 0x02, 0, 0, 0, 0x01, 0x01); /* one end too many */
        }
        HEX(t, 0x03);
        import_pod(&r, p);
        assert_slice(&r, 0, 0, 0, 415, 399, 0, 0);
        assert_cell(&r, cloud_tag, 0, slice_id, 1);
        if (i < 6) {
            assert_true(MEM_ROWS(r.sink, stack_slice) >= 7);
            assert_doubted(&r, 4);
            assert_doubted(&r, 5);
            assert_null_cell(&r, cloud_tag, 1, slice_id);
            assert_null_cell(&r, cloud_tag, 1, word_id);
        }
        assert_doubted(&r, 6);
        assert_int_equal(issue_sum(&r, "cloud_block_bad"), 1);
        run_free(&r);
    }
}

/* The tag that says when the call began says something else. */
static void test_call_that_began_at_another_time(void **state)
{
    UNUSED(state);
    static const char *const values[] = {"1691167327715", "1691167327716", "16911673 2773",
                                         "4 Aug 2023"};
    for (int i = 0; i < 4; i++) {
        bool right = i % 2 == 1; /* a date in another form tells nothing */
        run r;
        pod p = worked();
        bytes phrase = {0};
        bytes *t = &p.stream[TRACE];
        put_string(&phrase, "common.started");
        put_phrase(&p.stream[DICTIONARY], &phrase);
        free(phrase.p);
        t->n -= 2;
        HEX(t, 0x02);
        put_varint(t, WORDS);
        HEX(t, 0);
        put_string(t, values[i]);
        HEX(t, 0x01, 0x03);
        import_pod(&r, p);
        assert_int_equal(issue_sum(&r, "cloud_block_bad"), !right);
        if (right) {
            assert_worked_slices(&r);
        } else {
            assert_doubted(&r, 0);
            assert_null_cell(&r, cloud_call, 0, root_slice_id);
        }
        run_free(&r);
    }
}

/* Words behind one that cannot be have no numbers: the dictionary ends there. */
static void test_words_that_cannot_be(void **state)
{
    static const uint16_t words[][4] = {
        {'a', 0, 'b', 'c'},               /* no text */
        {0x6100, 0x6200, 0x6300, 0x6400}, /* a byte too late */
        {'c', 'a', 'f', 0xe9},            /* nothing against it */
        {0x4e00, 0x4e8c, 0x4e09, 0x6100}, /* likewise */
    };
    UNUSED(state);
    for (size_t i = 0; i < 5; i++) {
        run r;
        pod p = worked();
        bytes phrase = {0};
        bool bad = i < 2 || i == 4;
        HEX(&phrase, 4);
        for (size_t k = 0; k < 4 && i < 4; k++) {
            put_be(&phrase, words[i][k], 2);
        }
        if (i == 4) {
            phrase.n = 0;
            put_string(&phrase, "word.7"); /* has a number already */
        }
        put_string(&phrase, "behind");
        put_phrase(&p.stream[DICTIONARY], &phrase);
        free(phrase.p);
        import_pod(&r, p);
        assert_rows(&r, cloud_dictionary, WORDS + (bad ? 0 : 2));
        assert_int_equal(issue_sum(&r, "cloud_phrase_bad"), bad);
        assert_int_equal(COUNTED(&r, "cloud_words", lost), bad);
        run_free(&r);
    }
}

/* A callee ends 30 ms before it begins: its time is 0, its beginning stays. */
static void test_clock_set_back(void **state)
{
    run r;
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    uint32_t back = (uint32_t)-30;
    UNUSED(state);
    t->n = 24 + 6;
    HEX(t, (uint8_t)(0x80 | 0x01 | (back & 31) << 2));
    put_varint(t, back >> 5);
    HEX(t, 0x01 | 20 << 2, 0x03); /* 67 */
    p.stream[CALLS].p[21] = 2;    /* invocations */
    import_pod(&r, p);
    assert_rows(&r, stack_slice, 2);
    assert_slice(&r, 0, 0, 0, 67, 67, 0, 0);
    assert_slice(&r, 1, 1, 77, 0, 0, 1, 0);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
}

/* The beginning of the worked trace in one file, the rest in a second. */
static void import_two_files(run *r, int second, size_t cut)
{
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    bytes one = {0};
    bytes two = {0};
    set s = {.count = 0};
    put(&one, t->p, 24 + 6);
    HEX(&one, 0x03);
    one.n -= cut;
    put(&two, t->p, 24);
    HEX(&two, 0x80 | 26 << 2, 36, 0x21); /* 1178 = 26 | 36 << 5 */
    put(&two, t->p + 32, t->n - 32);
    replace(t, (bytes){0});
    s = flat_files(&p, "shop-1_1691167326000");
    set_put(&s, one, "shop-1_1691167326000.traces.protocol");
    set_put(&s, two, "shop-1_1691167326000.traces.%d.protocol", second);
    import_files_of(r, &s);
    free(one.p);
    free(two.p);
    pod_free(&p);
}

static void test_stack_lives_across_files(void **state)
{
    run r;
    UNUSED(state);
    import_two_files(&r, 1, 0);
    assert_worked_slices(&r);
    assert_rows(&r, cloud_block, 2);
    assert_cell(&r, cloud_block, 1, file, 2);
    assert_int_equal(complaints(&r), 0);
    run_free(&r);
}

/* A file is missing between them, or the first one is cut: what is open there is lost. */
static void test_stack_ends_at_a_gap(void **state)
{
    run r;
    UNUSED(state);
    for (int i = 0; i < 2; i++) {
        import_two_files(&r, i == 0 ? 2 : 1, i == 0 ? 0 : 1);
        assert_slice(&r, 0, 0, 0, 77, 77, 0, 2);
        assert_slice(&r, 1, 1, 77, 0, 0, 1, 2);
        assert_int_equal(issue_sum(&r, "cloud_frames_lost"), 2);
        assert_int_equal(issue_sum(&r, "cloud_file_gap"), i == 0 ? 1 : 0);
        assert_int_equal(issue_sum(&r, "cloud_record_cut"), i == 0 ? 0 : 1);
        run_free(&r);
    }
}

/* References into the middle of a text, into a file that is not there, and good ones. */
static void test_references_to_texts(void **state)
{
    run r;
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    UNUSED(state);
    put_string(&p.stream[SQL], "select 1"); /* 17 bytes */
    put_string(&p.stream[SQL], "select 2");
    put_string(&p.stream[XML], "bind");
    t->n -= 2;
    HEX(t, 0x02, 3, 3, 1, 17);
    HEX(t, 0x02, 3, 1, 1, 0);
    HEX(t, 0x02, 3, 3, 1, 3);
    HEX(t, 0x02, 3, 1, 2, 0);
    HEX(t, 0x01, 0x03);
    import_pod(&r, p);
    assert_rows(&r, cloud_text, 3);
    assert_rows(&r, cloud_tag, 5);
    assert_cell(&r, cloud_tag, 1, text_id, 2);
    assert_cell(&r, cloud_tag, 2, text_id, 3);
    assert_null_cell(&r, cloud_tag, 3, text_id);
    assert_cell(&r, cloud_tag, 3, text_offset, 3);
    assert_null_cell(&r, cloud_tag, 4, text_id);
    assert_cell(&r, cloud_tag, 4, text_file, 2);
    assert_int_equal(issue_sum(&r, "cloud_text_missing"), 2);
    run_free(&r);
}

/* A million open invocations are taken, one more is damage. Outside of the range they leave no
 * rows. */
static void test_depth_limit(void **state)
{
    enum { LIMIT = 1000000 };
    run r;
    UNUSED(state);
    for (int more = 0; more < 2; more++) {
        bytes b = {0};
        put_be(&b, AGENT_START, 8);
        put_be(&b, 1, 8);
        put_be(&b, CALL_START, 8);
        for (int i = 0; i < LIMIT + more; i++) {
            HEX(&b, 0x00, 9);
        }
        HEX(&b, 0x03);
        import_begin(&r);
        r.ctx->time_range = (ts_time_range){TS_WANTED_REALTIME, 0, 1};
        (void)import_files(&r, &b, 1, 0);
        assert_ok(r.ctx, r.code);
        assert_int_equal(issues(&r, "conservation"), 0);
        assert_int_equal(COUNTED(&r, "cloud_enters", skipped), LIMIT);
        assert_int_equal(COUNTED(&r, "cloud_enters", lost), more);
        assert_int_equal(issues(&r, "cloud_stream_bad"), more);
        free(b.p);
        run_free(&r);
    }
}

/* The same for all threads of a pod together: two million. */
static void test_limit_of_open_invocations(void **state)
{
    enum { LIMIT = 2000000, THREADS = 4 };
    run r;
    bytes b = {0};
    UNUSED(state);
    put_be(&b, AGENT_START, 8);
    for (uint64_t tid = 1; tid <= THREADS; tid++) {
        put_be(&b, tid, 8);
        put_be(&b, CALL_START, 8);
        for (int i = 0; i < LIMIT / THREADS; i++) {
            HEX(&b, 0x00, 9);
        }
        HEX(&b, 0x03);
    }
    put_be(&b, THREADS + 1, 8);
    put_be(&b, CALL_START, 8);
    HEX(&b, 0x00, 9, 0x01, 0x03);
    import_begin(&r);
    r.ctx->time_range = (ts_time_range){TS_WANTED_REALTIME, 0, 1};
    (void)import_files(&r, &b, 1, 0);
    assert_ok(r.ctx, r.code);
    assert_int_equal(COUNTED(&r, "cloud_enters", skipped), LIMIT);
    assert_int_equal(COUNTED(&r, "cloud_enters", lost), 1);
    assert_int_equal(issues(&r, "cloud_stream_bad"), 1);
    free(b.p);
    run_free(&r);
}

/* --- conversations --------------------------------------------------------------------------- */

/* Nothing but the names of a pod: no other complaint, whether they hold a time or not. */
static void test_collector_refuses(void **state)
{
    static const char *const names[] = {"shop-1_1691167326000", "shop-1"};
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        run r;
        bytes b = {0};
        put_version(&b, names[i]);
        b.n -= 8;
        put_be(&b, 88888888, 8);
        import_bytes(&r, b);
        assert_rows(&r, source, 1);
        assert_int_equal(issues(&r, "cloud_refused"), 1);
        assert_int_equal(complaints(&r), 1);
        run_free(&r);
    }
}

/* An error of the collector ends the connection; another one may follow. */
static void test_collector_reports_an_error(void **state)
{
    UNUSED(state);
    for (int again = 0; again < 2; again++) {
        run r;
        pod p = worked();
        bytes b = {0};
        put_pod(&b, "shop-1_1691167326000", &p);
        b.n -= 2; /* its reply to the flush, and the end */
        HEX(&b, 0xff);
        if (again) {
            put_pod(&b, "shop-2_1691167326001", &p);
        } else {
            HEX(&b, 0x11, 0x00);
        }
        pod_free(&p);
        import_bytes(&r, b);
        assert_int_equal(issues(&r, "cloud_refused"), 1);
        assert_int_equal(issues(&r, "cloud_conversation_bad"), again ? 0 : 1);
        assert_int_equal(COUNTED(&r, "bytes", lost), again ? 0 : 2);
        assert_rows(&r, source, again ? 2 : 1);
        assert_rows(&r, cloud_call, again ? 2 : 1);
        run_free(&r);
    }
}

static void put_init(bytes *b, const char *stream, uint64_t handle, int32_t seq)
{
    HEX(b, 0x15);
    put_field_of(b, stream, strlen(stream));
    put_be(b, 0, 4);
    put_be(b, 1, 4);
    put_be(b, handle, 8);
    put_be(b, handle, 8);
    put_be(b, 1, 8);
    put_be(b, 1, 8);
    put_be(b, (uint32_t)seq, 4);
}

static void put_data(bytes *b, uint64_t handle, const void *p, size_t n)
{
    HEX(b, 0x02);
    put_be(b, handle, 8);
    put_be(b, handle, 8);
    put_field_of(b, p, n);
    HEX(b, 0x00);
}

/* A stream that is opened again goes on under its new handle; a long name stays a name. */
static void test_stream_is_opened_again(void **state)
{
    run r;
    bytes b = {0};
    bytes text = {0};
    UNUSED(state);
    put_string(&text, "select 1");
    put_version(&b, "shop-1_1691167326000");
    put_init(&b, "sql", 1, 0);
    put_data(&b, 1, text.p, 5);
    put_init(&b, "sql", 2, 0);
    put_data(&b, 2, text.p + 5, text.n - 5);
    put_init(&b, "sql", 3, 1);
    put_data(&b, 3, text.p, text.n);
    put_init(&b, "a-stream-whose-name-has-more-than-forty-seven-characters", 4, 0);
    put_data(&b, 4, "abc", 3);
    import_bytes(&r, b);
    free(text.p);
    assert_rows(&r, cloud_text, 2);
    assert_mem_text(r.sink, cloud_text, 0, value, "select 1");
    assert_cell(&r, cloud_text, 1, file, 2);
    assert_int_equal(issue_sum(&r, "cloud_stream_skipped"), 1);
    assert_int_equal(issue_sum(&r, "cloud_stream_missing"), 1);
    assert_int_equal(complaints(&r), 1);
    run_free(&r);
}

/* An older agent names its pod with another command. */
static void test_older_agent(void **state)
{
    run r;
    bytes b = {0};
    bytes text = {0};
    UNUSED(state);
    put_string(&text, "select 1");
    put_version(&b, "shop-1_1691167326000");
    HEX(&b, 0x01);
    put_field_of(&b, "prod", 4);
    put_field_of(&b, "shop", 4);
    put_field_of(&b, "shop-2", 6);
    put_init(&b, "sql", 1, 0);
    put_data(&b, 1, text.p, text.n);
    import_bytes(&r, b);
    free(text.p);
    assert_rows(&r, source, 2);
    assert_mem_text(r.sink, source, 1, name, "shop-2");
    assert_cell(&r, cloud_text, 0, source_id, 2);
    run_free(&r);
}

/* A negative number of a file, too many streams, a field of more than any agent writes. */
static void test_commands_that_cannot_be(void **state)
{
    UNUSED(state);
    for (int i = 0; i < 3; i++) {
        run r;
        bytes b = {0};
        size_t good;
        put_version(&b, "shop-1_1691167326000");
        for (int k = 0; i == 1 && k < 4096; k++) {
            put_init(&b, "gc", (uint64_t)k, 0);
        }
        good = b.n;
        if (i < 2) {
            put_init(&b, "sql", 5000, i == 0 ? -2 : 0);
        } else {
            HEX(&b, 0x02);
            put_zeros(&b, 16);
            put_be(&b, (1 << 20) + 1, 4);
        }
        put_zeros(&b, 20);
        import_bytes(&r, b);
        assert_int_equal(issues(&r, "cloud_conversation_bad"), 1);
        assert_int_equal(issue_offset(&r, "cloud_conversation_bad"), good);
        run_free(&r);
    }
}

/* Blocks that come after the end. */
static void test_bytes_behind_the_end(void **state)
{
    pod p = worked();
    bytes b = {0};
    run r;
    UNUSED(state);
    put_pod(&b, "shop-1_1691167326000", &p);
    pod_free(&p);
    HEX(&b, 0x77);
    put_zeros(&b, 5000);
    import_begin(&r);
    (void)import_files(&r, &b, 1, 16);
    assert_ok(r.ctx, r.code);
    assert_int_equal(COUNTED(&r, "bytes", lost), 5001);
    assert_worked_slices(&r);
    free(b.p);
    run_free(&r);
}

static void test_data_of_an_unknown_stream(void **state)
{
    run r;
    pod p = worked();
    bytes b = {0};
    int64_t at;
    UNUSED(state);
    put_pod(&b, "shop-1_1691167326000", &p);
    pod_free(&p);
    at = (int64_t)b.n;
    HEX(&b, 0x02);
    put_be(&b, 77, 8);
    put_be(&b, 77, 8);
    put_field_of(&b, "abc", 3);
    HEX(&b, 0x00, 0x13);
    put_be(&b, 0, 8);
    put_be(&b, 0, 8);
    HEX(&b, 'K', 0x08);
    put_be(&b, 100505, 8);
    HEX(&b, 0x04);
    import_bytes(&r, b);
    assert_worked_slices(&r);
    assert_int_equal(issues(&r, "cloud_handle_unknown"), 1);
    assert_int_equal(issue_offset(&r, "cloud_handle_unknown"), at);
    assert_int_equal(issues(&r, "cloud_conversation_bad"), 0);
    run_free(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_implausible_calls_are_kept),
        cmocka_unit_test(test_strict_stops_at_implausible_calls),
        cmocka_unit_test(test_missing_words_are_counted_each_time),
        cmocka_unit_test(test_calls_of_lost_words_are_plausible),
        cmocka_unit_test(test_calls_without_a_root),
        cmocka_unit_test(test_impossible_parameters_end_the_calls),
        cmocka_unit_test(test_cut_amounts_are_repaired),
        cmocka_unit_test(test_other_amounts_are_not_touched),
        cmocka_unit_test(test_amounts_belong_to_their_root),
        cmocka_unit_test(test_pauses_go_on_in_the_next_phrase),
        cmocka_unit_test(test_params_go_on_in_the_next_phrase),
        cmocka_unit_test(test_words_with_ids_go_on_in_the_next_phrase),
        cmocka_unit_test(test_lengths_of_phrases),
        cmocka_unit_test(test_first_phrase_without_a_header),
        cmocka_unit_test(test_mark_within_a_call),
        cmocka_unit_test(test_events_out_of_step),
        cmocka_unit_test(test_call_that_began_at_another_time),
        cmocka_unit_test(test_words_that_cannot_be),
        cmocka_unit_test(test_clock_set_back),
        cmocka_unit_test(test_stack_lives_across_files),
        cmocka_unit_test(test_stack_ends_at_a_gap),
        cmocka_unit_test(test_references_to_texts),
        cmocka_unit_test(test_depth_limit),
        cmocka_unit_test(test_limit_of_open_invocations),
        cmocka_unit_test(test_collector_refuses),
        cmocka_unit_test(test_collector_reports_an_error),
        cmocka_unit_test(test_stream_is_opened_again),
        cmocka_unit_test(test_older_agent),
        cmocka_unit_test(test_commands_that_cannot_be),
        cmocka_unit_test(test_bytes_behind_the_end),
        cmocka_unit_test(test_data_of_an_unknown_stream),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

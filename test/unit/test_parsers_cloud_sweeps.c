/*
 * Cloud Profiler: damage everywhere. Small recordings in each container, cut at every byte, with
 * every bit flipped, and read in blocks of several sizes. Rows before the damage and those of other
 * streams stay, items are conserved. TS_SLOW=1: no byte of a dictionary is passed over either.
 */
#include "cloud_build.h"

#define POD "shop-1_1691167326000"

/* The dictionary is long and all its words are alike. */
enum { DICTIONARY_STEP = 41 };

/* Something in every stream: texts and references to them, parameters, an amount that was cut, two
 * roots, one of which lacks its end, and calls of both. */
static pod everything(void)
{
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    bytes *c = &p.stream[CALLS];
    bytes phrase = {0};
    HEX(&phrase, 1);
    put_string(&phrase, "word.1");
    HEX(&phrase, 1, 0, 100, 0);
    put_phrase(&p.stream[PARAMS], &phrase);
    phrase.n = 0;
    put_string(&phrase, "word.2");
    HEX(&phrase, 0, 1, 0x80, 1, 1, 0, 's');
    put_phrase(&p.stream[PARAMS], &phrase);
    free(phrase.p);
    put_string(&p.stream[SQL], "select 1");
    put_string(&p.stream[SQL], "select 2");
    put_string(&p.stream[XML], "bind");
    t->n -= 2;
    HEX(t, 0x02, AMOUNT_WORDS, 0);
    put_string(t, "536870919");
    HEX(t, 0x02, 3, 3, 1, 17, 0x02, 3, 1, 1, 0, 0x02, 1, 2, 1, 0, 'x', 0x01, 0x03);
    put_be(t, 2, 8);
    put_be(t, CALL_START + 900, 8);
    HEX(t, 0x80 | 21 << 2, 65, 9, 0x0c, 33, 0x05, 0x02, 0, 0, 0, 0x01, 0x03);
    put_varint(c, 2000);
    HEX(c, 9, 10, 2, 1, 2, 0, 't', 0, '2', 0, 0, 1);
    put_varint(c, t->n - 28);
    put_be(t, 3, 8); /* a call that goes on */
    put_be(t, CALL_START + 950, 8);
    HEX(t, 0x80 | 21 << 2, 65, 9, 0x03);
    HEX(c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    return p;
}

static set files_of(pod *p, bool agent)
{
    set s = {.count = 0};
    if (agent) {
        unframe(p);
        put_agent(&s, p, "shop/2023/08/04/1691167326000");
        return s;
    }
    return flat_files(p, POD);
}

/* The number of the stream's file in the set; the order is that of `which`. */
static void import_damaged(run *r, const set *s, size_t block)
{
    size_t total = 0;
    import_begin(r);
    memsink_drop(r->sink, TS_T_stat);
    memsink_drop(r->sink, TS_T_schema_doc);
    memsink_drop(r->sink, TS_T_meta); /* these two name the folder */
    memsink_drop(r->sink, TS_T_source_property);
    import_set(r, s, block);
    assert_ok(r->ctx, r->code);
    assert_int_equal(issues(r, "conservation"), 0);
    assert_honest(r);
    for (size_t i = 0; i < s->count; i++) {
        total += s->files[i].n;
    }
    assert_int_equal(COUNTED(r, "bytes", seen), total);
}

static bool is_prefix(const run *part, const run *whole, enum ts_table_id table)
{
    size_t row;
    return memsink_is_prefix(&row, part->sink, whole->sink, table);
}

static void assert_same(const run *r, const run *whole, enum ts_table_id table)
{
    assert_int_equal(memsink_rows(r->sink, table), memsink_rows(whole->sink, table));
    assert_true(is_prefix(r, whole, table));
}

/* Tables with rows of this stream only, whose cells no other stream fills. */
static const struct {
    which stream;
    enum ts_table_id table;
} tables[] = {
    {DICTIONARY, TS_T_cloud_dictionary},
    {PARAMS, TS_T_cloud_param},
    {SUSPEND, TS_T_cloud_suspend},
    {XML, TS_T_cloud_text},
    {TRACE, TS_T_cloud_tag},
    {TRACE, TS_T_cloud_root},
    {TRACE, TS_T_stack_slice},
    {CALLS, TS_T_cloud_call},
    {CALLS, TS_T_cloud_call_param},
};
enum { TABLES = sizeof tables / sizeof tables[0] };

/* Invocations that are open at a cut end there; all else of theirs stays. */
static bool slices_begin_alike(const run *part, const run *whole)
{
    size_t n = MEM_ROWS(part->sink, stack_slice);
    bool same = n <= MEM_ROWS(whole->sink, stack_slice);
    for (size_t i = 0; i < n && same; i++) {
        same =
            MEM_INT(part->sink, stack_slice, i, ts) == MEM_INT(whole->sink, stack_slice, i, ts) &&
            MEM_INT(part->sink, stack_slice, i, node_id) ==
                MEM_INT(whole->sink, stack_slice, i, node_id) &&
            (MEM_INT(part->sink, stack_slice, i, state) != 0 ||
             MEM_INT(part->sink, stack_slice, i, dur) == MEM_INT(whole->sink, stack_slice, i, dur));
    }
    return same;
}

static void check_cut(const run *part, const run *whole, which w)
{
    for (size_t i = 0; i < TABLES; i++) {
        enum ts_table_id table = tables[i].table;
        if (tables[i].stream == w) {
            assert_true(table == TS_T_stack_slice ? slices_begin_alike(part, whole)
                                                  : is_prefix(part, whole, table));
        } else if (tables[i].stream < w) { /* they are read before */
            assert_same(part, whole, table);
        }
    }
}

static void sweep_cuts(bool agent)
{
    pod p = everything();
    set s = files_of(&p, agent);
    run whole;
    import_damaged(&whole, &s, 0);
    assert_int_equal(complaints(&whole), 0);
    assert_int_equal(issue_sum(&whole, "cloud_frames_open"), 1);
    for (int w = 0; w < STREAMS; w++) {
        size_t n = s.files[w].n;
        for (size_t cut = 0; cut < n;
             cut += w == DICTIONARY && cut > 8 && !test_slow() ? DICTIONARY_STEP : 1) {
            run r;
            s.files[w].n = cut;
            import_damaged(&r, &s, 0);
            check_cut(&r, &whole, (which)w);
            run_free(&r);
        }
        s.files[w].n = n;
    }
    run_free(&whole);
    pod_free(&p);
}

static void test_files_cut_at_every_byte(void **state)
{
    UNUSED(state);
    sweep_cuts(false);
    sweep_cuts(true);
}

static void sweep_bits(bool agent)
{
    pod p = everything();
    set s = files_of(&p, agent);
    run whole;
    import_damaged(&whole, &s, 0);
    for (int w = 0; w < STREAMS; w++) {
        size_t step = test_slow() ? 1 : w == DICTIONARY ? 8 * DICTIONARY_STEP + 1 : agent ? 7 : 3;
        for (size_t bit = 0; bit < 8 * s.files[w].n; bit += step) {
            run r;
            s.files[w].p[bit / 8] ^= (uint8_t)(1U << bit % 8);
            import_damaged(&r, &s, 0);
            s.files[w].p[bit / 8] ^= (uint8_t)(1U << bit % 8);
            for (size_t i = 0; i < TABLES; i++) {
                /* A record of a call that contradicts its root makes that doubtful. */
                bool judged = w == CALLS && tables[i].stream == TRACE &&
                              issue_sum(&r, "cloud_call_mismatch") > 0;
                if (tables[i].stream < (which)w && !judged) {
                    assert_same(&r, &whole, tables[i].table);
                }
            }
            run_free(&r);
        }
    }
    run_free(&whole);
    pod_free(&p);
}

static void test_files_with_bits_flipped(void **state)
{
    UNUSED(state);
    sweep_bits(false);
    sweep_bits(true);
}

static void compare_blocks(const set *s)
{
    static const size_t blocks[] = {1, 2, 3, 7, 1000};
    run whole;
    import_damaged(&whole, s, 0);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        run r;
        import_damaged(&r, s, blocks[i]);
        assert_true(memsink_equal(r.sink, whole.sink));
        run_free(&r);
    }
    run_free(&whole);
}

static void test_files_in_blocks(void **state)
{
    UNUSED(state);
    for (int agent = 0; agent < 2; agent++) {
        pod p = everything();
        set s = files_of(&p, agent == 1);
        compare_blocks(&s);
        for (int w = 0; w < STREAMS; w++) {
            size_t n = s.files[w].n;
            size_t step = test_slow() ? 1 : w == DICTIONARY ? 997 : 17;
            for (size_t at = 0; at < n; at += step) {
                s.files[w].n = at;
                compare_blocks(&s);
                s.files[w].n = n;
                s.files[w].p[at] ^= (uint8_t)(1U << at % 8);
                compare_blocks(&s);
                s.files[w].p[at] ^= (uint8_t)(1U << at % 8);
            }
        }
        pod_free(&p);
    }
}

/* --- conversations --------------------------------------------------------------------------- */

static bytes conversation(void)
{
    bytes b = {0};
    pod p = everything();
    put_pod(&b, POD, &p);
    pod_free(&p);
    return b;
}

/* What no longer begins as a conversation is no known format. */
static void import_stream(run *r, const bytes *b, size_t block)
{
    import_begin(r);
    memsink_drop(r->sink, TS_T_stat);
    memsink_drop(r->sink, TS_T_schema_doc);
    (void)import_files(r, b, 1, block);
    if (r->code != TS_OK) {
        assert_int_equal(r->code, TS_ERR_FORMAT);
        return;
    }
    assert_int_equal(issues(r, "conservation"), 0);
    assert_honest(r);
    assert_int_equal(COUNTED(r, "bytes", seen), b->n);
}

/* Streams follow one another: those before the cut are whole. */
static void test_conversation_cut_at_every_byte(void **state)
{
    bytes b = conversation();
    run whole;
    UNUSED(state);
    import_stream(&whole, &b, 0);
    assert_ok(whole.ctx, whole.code);
    for (size_t n = 13; n < b.n; n += test_slow() ? 1 : n % 11 + 1) {
        bytes part = {.p = b.p, .n = n};
        run r;
        import_stream(&r, &part, 0);
        for (size_t i = 0; r.code == TS_OK && i < TABLES; i++) {
            if (tables[i].table != TS_T_stack_slice) {
                assert_true(is_prefix(&r, &whole, tables[i].table));
            }
        }
        assert_true(r.code != TS_OK || slices_begin_alike(&r, &whole));
        run_free(&r);
    }
    free(b.p);
    run_free(&whole);
}

static void test_conversation_with_bits_flipped(void **state)
{
    bytes b = conversation();
    UNUSED(state);
    for (size_t at = 0; at < b.n; at += test_slow() || at < 200 ? 1 : 17) {
        for (size_t bit = 0; bit < 8; bit++) {
            run r;
            if (!test_slow() && bit != at % 8) {
                continue;
            }
            b.p[at] ^= (uint8_t)(1U << bit);
            import_stream(&r, &b, 0);
            b.p[at] ^= (uint8_t)(1U << bit);
            run_free(&r);
        }
    }
    free(b.p);
}

static void test_conversation_in_blocks(void **state)
{
    static const size_t blocks[] = {1, 2, 3, 7, 1000};
    bytes b = conversation();
    run whole;
    UNUSED(state);
    import_stream(&whole, &b, 0);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        run r;
        import_stream(&r, &b, blocks[i]);
        assert_true(memsink_equal(r.sink, whole.sink));
        run_free(&r);
    }
    run_free(&whole);
    free(b.p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_cut_at_every_byte),
        cmocka_unit_test(test_files_with_bits_flipped),
        cmocka_unit_test(test_files_in_blocks),
        cmocka_unit_test(test_conversation_cut_at_every_byte),
        cmocka_unit_test(test_conversation_with_bits_flipped),
        cmocka_unit_test(test_conversation_in_blocks),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

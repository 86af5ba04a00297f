/* Cloud Profiler: whatever is missing is data loss, and times that do not fit are NULL. */
#include "cloud_build.h"

#define POD "shop-1_1691167326000"
#define AGENT "1691167326000"

static size_t data_losses(const run *r)
{
    size_t n = 0;
    for (size_t i = 0; i < MEM_ROWS(r->sink, import_issue); i++) {
        ts_text severity = MEM_TEXT(r->sink, import_issue, i, severity);
        n += ts_text_is(severity, "data_loss") || ts_text_is(severity, "error");
    }
    return n;
}

/* A phrase with one more word at the end of the dictionary: common.started, number WORDS. Its tag
 * stands at the end of roots whose calls have records. */
static pod promising(void)
{
    pod p = worked();
    bytes phrase = {0};
    bytes *t = &p.stream[TRACE];
    put_string(&phrase, "common.started");
    put_phrase(&p.stream[DICTIONARY], &phrase);
    phrase.n = 0;
    HEX(&phrase, 1);
    put_string(&phrase, "word.1");
    HEX(&phrase, 1, 0, 100, 0);
    put_phrase(&p.stream[PARAMS], &phrase);
    free(phrase.p);
    put_string(&p.stream[SQL], "select 1");
    put_string(&p.stream[XML], "bind");
    t->n -= 2;
    HEX(t, 0x02, 3, 3, 1, 0, 0x02, 3, 1, 1, 0, 0x02);
    put_varint(t, WORDS);
    HEX(t, 0, 1, 0, '1', 0x01, 0x03);
    return p;
}

static void replace(bytes *old, bytes made)
{
    free(old->p);
    *old = made;
}

/* --- headers and files ----------------------------------------------------------------------- */

static void test_cut_to_less_than_a_header(void **state)
{
    static const which streams[] = {SUSPEND, TRACE, CALLS};
    UNUSED(state);
    for (size_t i = 0; i < 3; i++) {
        for (size_t n = 0; n < 8; n++) {
            run r;
            pod p = promising();
            set s;
            p.stream[streams[i]].n = n;
            s = flat_files(&p, POD);
            import_files_of(&r, &s);
            assert_int_equal(issue_sum(&r, "cloud_header_cut"), 1);
            assert_true(data_losses(&r) > 0);
            run_free(&r);
            pod_free(&p);
        }
    }
}

/* The whole recording has nothing to say, each file that is missing has. */
static void test_missing_files(void **state)
{
    UNUSED(state);
    for (int w = 0; w <= STREAMS; w++) {
        run r;
        pod p = promising();
        set s;
        bool shows = w == DICTIONARY || w == SQL || w == XML || w == TRACE || w == CALLS;
        if (w < STREAMS) {
            replace(&p.stream[w], (bytes){0});
        }
        s = flat_files(&p, POD);
        import_files_of(&r, &s);
        assert_int_equal(data_losses(&r) > 0, shows);
        assert_int_equal(issue_sum(&r, "cloud_call_missing"), w == CALLS ? 1 : 0);
        assert_int_equal(issue_sum(&r, "cloud_call_no_trace"), w == TRACE ? 1 : 0);
        assert_int_equal(issue_sum(&r, "cloud_text_missing"), w == SQL || w == XML ? 1 : 0);
        assert_int_equal(issue_sum(&r, "cloud_word_missing") > 0, w == DICTIONARY);
        run_free(&r);
        pod_free(&p);
    }
}

/* Files of a stream from number 2 on, or with a hole. */
static void test_gaps_of_files(void **state)
{
    UNUSED(state);
    for (int w = SUSPEND; w < STREAMS; w++) {
        run r;
        pod p = worked();
        set s = {.count = 0};
        put_string(&p.stream[SQL], "select 1");
        put_string(&p.stream[XML], "bind");
        set_put(&s, p.stream[DICTIONARY], "p.dictionary.protocol");
        set_put(&s, p.stream[w], "p.%s.3.protocol", stream_names[w]);
        import_files_of(&r, &s);
        assert_int_equal(issue_sum(&r, "cloud_file_gap"), 3);
        assert_true(data_losses(&r) > 0);
        assert_int_equal(COUNTED(&r, "cloud_missing:files", lost), 3);
        run_free(&r);
        pod_free(&p);
    }
}

static void test_second_file_of_a_number(void **state)
{
    run r;
    pod p = worked();
    set s = flat_files(&p, "p");
    UNUSED(state);
    set_put(&s, p.stream[CALLS], "p.calls.0.bin");
    import_files_of(&r, &s);
    assert_int_equal(issue_sum(&r, "cloud_file_twice"), 1);
    assert_int_equal(COUNTED(&r, "cloud_missing:files", lost), 1);
    run_free(&r);
    pod_free(&p);
}

/* What one stream says of another and is not so. */
static void test_contradictions(void **state)
{
    UNUSED(state);
    for (int i = 0; i < 6; i++) {
        static const char *const codes[] = {
            "cloud_stray_exit", "cloud_word_missing",  "cloud_word_missing",
            "cloud_block_bad",  "cloud_call_mismatch", "cloud_frames_lost",
        };
        run r;
        pod p = promising();
        set s;
        bytes *t = &p.stream[TRACE];
        bytes *c = &p.stream[CALLS];
        t->n -= i == 0 ? 1 : 0;
        if (i == 0) {
            HEX(t, 0x01, 0x03); /* an end of nothing */
        } else if (i == 1) {
            c->n -= 7;
            HEX(c, 1, 0x95, 2, 1, 1, 0, 'y'); /* word 277 */
        } else if (i == 2) {
            t->n -= 2;
            HEX(t, 0x02, 0x95, 2, 0, 0, 0x01, 0x03); /* word 277 */
        } else if (i == 3) {
            t->n -= 2;
            HEX(t, 0x00, 9, 0x02, 0, 0, 0, 0x01, 0x03);
        } else if (i == 4) {
            c->p[16 + 2] = 33; /* another method */
        }
        s = flat_files(&p, "p");
        if (i == 5) { /* cut inside a block, and a file follows */
            t->n -= 2;
            s = flat_files(&p, "p");
            set_put(&s, (bytes){t->p, 8, 0}, "p.trace.1.protocol");
        }
        import_files_of(&r, &s);
        assert_true(issue_sum(&r, codes[i]) > 0);
        assert_true(data_losses(&r) > 0);
        run_free(&r);
        pod_free(&p);
    }
}

/* --- compressed files ------------------------------------------------------------------------ */

static uint32_t crc32_of(const bytes *b)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < b->n; i++) {
        crc ^= b->p[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (0xedb88320 & (0U - (crc & 1)));
        }
    }
    return ~crc;
}

/* A member of gzip with one stored block. */
static bytes gzip_of(const bytes *b)
{
    bytes z = {0};
    HEX(&z, 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1);
    put_le(&z, b->n, 2);
    put_le(&z, ~b->n & 0xffff, 2);
    put(&z, b->p, b->n);
    put_le(&z, crc32_of(b), 4);
    put_le(&z, b->n, 4);
    return z;
}

enum { END = 8 };

/* Compressed streams; those that do not run were ended. */
static set agent_files(bytes *z, pod *p, bool running)
{
    set s = {.count = 0};
    unframe(p);
    for (int w = 0; w < STREAMS; w++) {
        z[w] = gzip_of(&p->stream[w]);
        z[w].n -= running ? END : 0;
        set_put(&s, z[w], AGENT "/%s/000001.gz", stream_names[w]);
    }
    return s;
}

static void free_all(bytes *z)
{
    for (int w = 0; w < STREAMS; w++) {
        free(z[w].p);
    }
}

/* An agent that was stopped ended all its streams: each cut of each file shows. */
static void test_cuts_of_ended_files(void **state)
{
    UNUSED(state);
    pod p = promising();
    bytes z[STREAMS];
    set s = agent_files(z, &p, false);
    run r;
    import_files_of(&r, &s);
    assert_int_equal(data_losses(&r), 0);
    run_free(&r);
    for (int w = 0; w < STREAMS; w++) {
        size_t n = z[w].n;
        for (size_t cut = 0; cut < n; cut += w == DICTIONARY && cut > 40 && cut < n - 40 ? 37 : 1) {
            s.files[w].n = cut;
            import_files_of(&r, &s);
            if (data_losses(&r) == 0) {
                fail_msg("%s.gz cut to %zu of %zu bytes", stream_names[w], cut, n);
            }
            run_free(&r);
        }
        s.files[w].n = n;
    }
    free_all(z);
    pod_free(&p);
}

/* The checksum says that something in the dictionary is wrong, but not what: no name is certain. */
static void test_dictionary_with_a_wrong_checksum(void **state)
{
    UNUSED(state);
    for (int bad = 0; bad < 2; bad++) {
        pod p = promising();
        bytes z[STREAMS];
        set s = agent_files(z, &p, false);
        run r;
        if (bad) {
            z[DICTIONARY].p[z[DICTIONARY].n - END] ^= 1;
        }
        import_files_of(&r, &s);
        assert_rows(&r, cloud_dictionary, WORDS + 1);
        assert_rows(&r, stack_slice, 4);
        assert_int_equal(issue_sum(&r, "wire_damage"), bad);
        assert_int_equal(issue_sum(&r, "cloud_word_missing"), 0);
        if (bad) {
            assert_null_cell(&r, cloud_dictionary, 9, word_id);
            assert_null_cell(&r, cloud_dictionary, 9, method_id);
            assert_null_cell(&r, cloud_tag, 0, dictionary_id);
            assert_null_cell(&r, cloud_param, 0, dictionary_id);
            assert_null_cell(&r, stack_method, 0, line);
            assert_null_cell(&r, stack_method, 0, name);
            assert_null_cell(&r, stack_method, 2, name);
        } else {
            assert_cell(&r, cloud_dictionary, 9, word_id, 9);
            assert_cell(&r, stack_method, 0, line, 42);
        }
        run_free(&r);
        free_all(z);
        pod_free(&p);
    }
}

/* An agent that runs has ended none: nothing can be shown. But an older file of a stream has an
 * end, and so has what others refer to. */
static void test_files_of_a_running_agent(void **state)
{
    UNUSED(state);
    for (int older = 0; older < 2; older++) {
        pod p = promising();
        bytes z[STREAMS];
        set s = agent_files(z, &p, true);
        run r;
        if (older) {
            bytes empty = {z[SQL].p, 10, 0};
            set_put(&s, empty, AGENT "/sql/000002.gz");
        }
        import_files_of(&r, &s);
        assert_int_equal(issue_sum(&r, "cloud_live_file"), STREAMS);
        assert_int_equal(issue_sum(&r, "cloud_file_cut"), older);
        assert_int_equal(data_losses(&r), older);
        run_free(&r);
        s.files[CALLS].n = 15 + 16; /* its header */
        import_files_of(&r, &s);
        assert_int_equal(issue_sum(&r, "cloud_call_missing"), 1);
        assert_true(data_losses(&r) > 0);
        run_free(&r);
        free_all(z);
        pod_free(&p);
    }
}

/* --- conversations --------------------------------------------------------------------------- */

/* The agent opens its streams first, as it does. */
static bytes conversation(void)
{
    pod p = promising();
    bytes b = {0};
    put_version(&b, POD);
    for (int w = 0; w < STREAMS; w++) {
        HEX(&b, 0x15);
        put_field_of(&b, stream_names[w], strlen(stream_names[w]));
        put_be(&b, 0, 4);
        put_be(&b, 1, 4);
        put_handle(&b, (which)w);
        put_zeros(&b, 16 + 4);
    }
    for (int w = 0; w < STREAMS; w++) {
        HEX(&b, 0x02);
        put_handle(&b, (which)w);
        put_field_of(&b, p.stream[w].p, p.stream[w].n);
        HEX(&b, 0x11);
        HEX(&b, 0x00, 0x00);
    }
    pod_free(&p);
    return b;
}

static void test_conversation_cut_anywhere(void **state)
{
    bytes b = conversation();
    UNUSED(state);
    for (size_t n = 60; n <= b.n; n++) {
        bytes part = {b.p, n, 0};
        run r;
        import_begin(&r);
        (void)import_files(&r, &part, 1, 0);
        assert_ok(r.ctx, r.code);
        assert_honest(&r);
        if ((data_losses(&r) > 0) != (n < b.n)) {
            fail_msg("cut to %zu of %zu bytes", n, b.n);
        }
        run_free(&r);
    }
    free(b.p);
}

static void test_data_of_a_stream_that_was_not_opened(void **state)
{
    bytes b = conversation();
    run r;
    UNUSED(state);
    HEX(&b, 0x02);
    put_zeros(&b, 16);
    put_field_of(&b, "abc", 3);
    HEX(&b, 0x00);
    import_bytes(&r, b);
    assert_honest(&r);
    assert_int_equal(COUNTED(&r, "bytes", lost), 3);
    run_free(&r);
}

/* One stream, or one pod, more than the limit: the message has the number. */
static void test_limits_of_a_conversation(void **state)
{
    UNUSED(state);
    for (int i = 0; i < 3; i++) {
        bytes b = {0};
        run r;
        size_t good = 0;
        bool said = false;
        put_version(&b, POD);
        for (uint64_t k = 0; k < 4097; k++) {
            good = b.n;
            if (i == 2) {
                put_version(&b, POD);
                good = k == 4095 ? b.n - 57 : good;
                continue;
            }
            HEX(&b, 0x15);
            put_field_of(&b, "sql", 3);
            put_be(&b, 0, 8);
            put_be(&b, i == 0 ? k : 7, 16 - 8);
            put_be(&b, i == 0 ? k : 7, 8);
            put_zeros(&b, 16);
            put_be(&b, i == 0 ? 0 : k, 4);
        }
        import_bytes(&r, b);
        assert_honest(&r);
        assert_int_equal(issues(&r, "cloud_conversation_bad"), 1);
        for (size_t k = 0; k < MEM_ROWS(r.sink, import_issue); k++) {
            ts_text message = MEM_TEXT(r.sink, import_issue, k, message);
            said = said || (message.p != NULL && memmem(message.p, message.n, "4096", 4) != NULL);
        }
        assert_true(said);
        if (i < 2) {
            assert_int_equal(issue_offset(&r, "cloud_conversation_bad"), good);
        } else {
            assert_rows(&r, source, 4096);
        }
        run_free(&r);
    }
}

/* --- times ----------------------------------------------------------------------------------- */

/* Largest ms that fits as ns. */
#define LAST_MS (INT64_MAX / 1000000)

static void put_call_at(bytes *b, int64_t delta, const bytes *numbers)
{
    put_varint(b, (uint32_t)(delta < 0 ? -2 * delta - 1 : 2 * delta));
    HEX(b, 9, 10, 1, 0, 0, 0, 9, 8, 0); /* no trace says when it began */
    put(b, numbers->p, numbers->n);
    HEX(b, 0, 0, 0, 0, 0, 0, 0);
}

static void put_leb(bytes *b, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) {
        HEX(b, (uint8_t)(v | 0x80));
    }
    HEX(b, (uint8_t)v);
}

/* Starts at the last ms that fits, one after it, and back again. */
static void test_calls_at_the_end_of_time(void **state)
{
    run r;
    pod p = worked();
    bytes c = {0};
    bytes none = {0};
    UNUSED(state);
    HEX(&none, 0, 0, 0);
    HEX(&c, 0xff, 0xfe, 0xfd, 0xfc, 0, 0, 0, 4);
    put_be(&c, (uint64_t)LAST_MS - 10, 8);
    put_varint(&c, 0);
    HEX(&c, 9, 10, 1, 0, 1, 0, 't', 0, 0, 9, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    put_call_at(&c, 1, &none);  /* its end does not fit */
    put_call_at(&c, 10, &none); /* nor its beginning */
    put_call_at(&c, -12, &none);
    replace(&p.stream[CALLS], c);
    import_pod(&r, p);
    assert_rows(&r, cloud_call, 4);
    assert_cell(&r, cloud_call, 0, ts, MS(LAST_MS - 10));
    assert_null_cell(&r, cloud_call, 1, ts);
    assert_null_cell(&r, cloud_call, 2, ts);
    assert_null_cell(&r, cloud_call, 2, suspend_dur);
    assert_cell(&r, cloud_call, 2, dur, MS(10));
    assert_cell(&r, cloud_call, 3, ts, MS(LAST_MS - 11));
    assert_int_equal(issue_sum(&r, "time_overflow"), 2);
    free(none.p);
    run_free(&r);
}

/* Beyond 64 bits of ms the starts after it are not known either. */
static void test_calls_beyond_64_bits(void **state)
{
    static const uint64_t bases[] = {INT64_MAX, UINT64_C(1) << 63, UINT64_MAX};
    UNUSED(state);
    for (size_t i = 0; i < 3; i++) {
        run r;
        pod p = worked();
        bytes c = {0};
        bytes none = {0};
        HEX(&none, 0, 0, 0);
        HEX(&c, 0xff, 0xfe, 0xfd, 0xfc, 0, 0, 0, 4);
        put_be(&c, bases[i], 8);
        put_varint(&c, 2); /* 1 */
        HEX(&c, 9, 10, 1, 0, 1, 0, 't', 0, 0, 1, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        put_call_at(&c, -2, &none);
        replace(&p.stream[CALLS], c);
        import_pod(&r, p);
        assert_rows(&r, cloud_call, 2);
        assert_null_cell(&r, cloud_call, 0, ts);
        assert_null_cell(&r, cloud_call, 1, ts);
        assert_int_equal(issue_sum(&r, "time_overflow"), 2);
        free(none.p);
        run_free(&r);
    }
}

/* cpu and wait as ns, amounts of more than 64 bits. */
static void test_numbers_of_calls_that_do_not_fit(void **state)
{
    run r;
    pod p = worked();
    bytes numbers = {0};
    UNUSED(state);
    put_leb(&numbers, (uint64_t)LAST_MS);
    put_leb(&numbers, (uint64_t)LAST_MS + 1);
    put_leb(&numbers, INT64_MAX);
    put_call_at(&p.stream[CALLS], 0, &numbers);
    numbers.n = 0;
    put_leb(&numbers, INT64_MAX);
    put_leb(&numbers, 1);
    HEX(&numbers, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x03);
    put_call_at(&p.stream[CALLS], 0, &numbers);
    free(numbers.p);
    import_pod(&r, p);
    assert_rows(&r, cloud_call, 3);
    assert_cell(&r, cloud_call, 1, cpu_dur, MS(LAST_MS));
    assert_null_cell(&r, cloud_call, 1, wait_dur);
    assert_cell(&r, cloud_call, 1, memory, INT64_MAX);
    assert_null_cell(&r, cloud_call, 2, cpu_dur);
    assert_cell(&r, cloud_call, 2, wait_dur, MS(1));
    assert_null_cell(&r, cloud_call, 2, memory);
    assert_int_equal(issue_sum(&r, "time_overflow"), 2);
    assert_int_equal(issue_sum(&r, "cloud_amount_overflow"), 1);
    run_free(&r);
}

/* Pauses whose deltas add up to more than fits; those before it count for calls as ever. */
static void test_pauses_at_the_end_of_time(void **state)
{
    enum { STEPS = 3600 }; /* of 2^31 - 1 ms: from 2023 to beyond 2262 */
    run r;
    pod p = worked();
    bytes phrase = {0};
    size_t fit = (size_t)((LAST_MS - (AGENT_START + 148 + 1237)) / INT32_MAX);
    UNUSED(state);
    for (int i = 0; i < STEPS; i++) {
        HEX(&phrase, 0xff, 0xff, 0xff, 0xff, 0x07, 1);
    }
    put_phrase(&p.stream[SUSPEND], &phrase);
    free(phrase.p);
    import_pod(&r, p);
    assert_true(fit > 0 && fit < STEPS);
    assert_rows(&r, cloud_suspend, 2 + STEPS);
    assert_cell(&r, cloud_suspend, 1 + fit, ts,
                MS(AGENT_START + 148 + 1237 + (int64_t)fit * INT32_MAX - 1));
    assert_null_cell(&r, cloud_suspend, 2 + fit, ts);
    assert_null_cell(&r, cloud_suspend, 1 + STEPS, ts);
    assert_cell(&r, cloud_suspend, 1 + STEPS, dur, MS(1));
    assert_int_equal(issue_sum(&r, "time_overflow"), STEPS - fit);
    assert_cell(&r, cloud_call, 0, suspend_dur, MS(100));
    run_free(&r);
}

static void test_clock_that_was_set_back_is_named(void **state)
{
    run r;
    pod p = worked();
    bytes *t = &p.stream[TRACE];
    uint32_t back = (uint32_t)-30;
    UNUSED(state);
    t->n = 24 + 6;
    HEX(t, (uint8_t)(0x80 | 0x01 | (back & 31) << 2));
    put_varint(t, back >> 5);
    HEX(t, 0x01 | 20 << 2, 0x03);
    import_pod(&r, p);
    assert_int_equal(issue_sum(&r, "cloud_clock_back"), 1);
    run_free(&r);
}

/* --- words whose numbers are far apart ------------------------------------------------------- */

/* Every 100 000th number has a word; one of them gets another. */
static void test_words_far_apart(void **state)
{
    enum { FAR_WORDS = 40, STEP = 100000 };
    run r;
    bytes b = {0};
    bytes params = {0};
    set s = {.count = 0};
    UNUSED(state);
    for (uint64_t i = 0; i < FAR_WORDS; i++) {
        char word[32];
        snprintf(word, sizeof word, "word.%u", (unsigned)i);
        put_varint(&b, i * STEP);
        put_string(&b, word);
    }
    put_varint(&b, 7 * STEP);
    put_string(&b, "word.new");
    HEX(&params, 1);
    put_string(&params, "word.39");
    HEX(&params, 1, 0, 100, 0);
    put_string(&params, "word.7");
    HEX(&params, 1, 0, 100, 0);
    put_string(&params, "word.new");
    HEX(&params, 1, 0, 100, 0);
    set_put(&s, b, AGENT "/posDictionary/000001");
    set_put(&s, params, AGENT "/params/000001");
    import_files_of(&r, &s);
    assert_rows(&r, cloud_dictionary, FAR_WORDS + 1);
    assert_cell(&r, cloud_dictionary, 39, word_id, 39 * STEP);
    assert_cell(&r, cloud_param, 0, dictionary_id, 40);
    assert_null_cell(&r, cloud_param, 1, dictionary_id);
    assert_cell(&r, cloud_param, 2, dictionary_id, 41);
    assert_int_equal(complaints(&r), 0);
    assert_true(r.ctx->memory_peak < 4 << 20);
    free(b.p);
    free(params.p);
    run_free(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_to_less_than_a_header),
        cmocka_unit_test(test_missing_files),
        cmocka_unit_test(test_gaps_of_files),
        cmocka_unit_test(test_second_file_of_a_number),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_cuts_of_ended_files),
        cmocka_unit_test(test_dictionary_with_a_wrong_checksum),
        cmocka_unit_test(test_files_of_a_running_agent),
        cmocka_unit_test(test_conversation_cut_anywhere),
        cmocka_unit_test(test_data_of_a_stream_that_was_not_opened),
        cmocka_unit_test(test_limits_of_a_conversation),
        cmocka_unit_test(test_calls_at_the_end_of_time),
        cmocka_unit_test(test_calls_beyond_64_bits),
        cmocka_unit_test(test_numbers_of_calls_that_do_not_fit),
        cmocka_unit_test(test_pauses_at_the_end_of_time),
        cmocka_unit_test(test_clock_that_was_set_back_is_named),
        cmocka_unit_test(test_words_far_apart),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

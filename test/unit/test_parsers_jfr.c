/* JFR recordings (docs/formats.md, "JDK Flight Recorder"): primitives, times, rows, damage. */
#include "parsers_sweep.h"

#include "parsers/jfr/primitives.h"
#include "parsers/jfr/chunk.h"

#define CORPUS TS_TEST_DATA "/../fuzz/corpus/jfr/"

/* --- primitives ------------------------------------------------------------------------------- */

static void test_varints(void **state)
{
    static const struct {
        uint8_t bytes[10];
        size_t n;
        uint64_t value;
        bool bad;
    } cases[] = {
        {{0x00}, 1, 0, false},
        {{0x7F}, 1, 127, false},
        {{0x80, 0x01}, 2, 128, false},
        {{0xDF, 0x80, 0x80, 0x00}, 4, 0x5F, false}, /* padded, as sizes are */
        {{0xFF, 0xFF, 0xFF, 0xFF, 0x0F}, 5, UINT32_MAX, false},
        /* The ninth byte has eight bits and is the last. */
        {{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, 9, UINT64_MAX, false},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}, 9, UINT64_C(1) << 63, false},
        {{0x80}, 1, 0, true},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jfr_reader r = {cases[i].bytes, cases[i].bytes + cases[i].n, true, false};
        assert_int_equal(jfr_raw(&r, 8), cases[i].value);
        assert_int_equal(r.bad, cases[i].bad);
        assert_ptr_equal(r.p, cases[i].bytes + cases[i].n);
    }
}

/* Passing over ends where reading ends, whatever stands beside: lengths 1 to 9 in each order of a
 * list, at each distance from the end. */
static void test_skipped_varints(void **state)
{
    uint8_t list[9 * 20];
    UNUSED(state);
    for (unsigned seed = 0; seed < 2000; seed++) {
        size_t n = 0;
        uint32_t random = seed * 2654435761U + 12345;
        for (unsigned k = 0; k < 20; k++) {
            random = random * 1664525 + 1013904223;
            unsigned length = 1 + (random >> 24) % 9;
            memset(list + n, 0xFF, length);
            if (length < 9 || (random >> 16 & 1) != 0) {
                list[n + length - 1] = (uint8_t)(random >> 17 & 0x7F);
            }
            n += length;
        }
        jfr_reader whole = {list, list + n, true, false};
        for (size_t count = 0; count <= 20; count++) {
            jfr_reader r = {list, list + n, true, false};
            jfr_reader cut = {list, whole.p, true, false};
            jfr_skip_varints(&r, count);
            assert_ptr_equal(r.p, whole.p);
            assert_false(r.bad);
            jfr_skip_varints(&cut, count + 1);
            assert_true(cut.bad);
            if (count < 20) {
                (void)jfr_varint_slow(&whole);
            }
        }
        assert_ptr_equal(whole.p, list + n);

        uint64_t values[21];
        jfr_reader r = {list, list + n, true, false};
        jfr_reader one = r;
        jfr_read_varints(values, 20, &r);
        assert_ptr_equal(r.p, list + n);
        assert_false(r.bad);
        for (size_t i = 0; i < 20; i++) {
            assert_int_equal(values[i], jfr_varint_slow(&one));
        }
        jfr_read_varints(values + 20, 1, &r);
        assert_true(r.bad);
        assert_int_equal(values[20], 0);
    }
}

/* A word at a time gives what a byte at a time gives. */
static void test_words_of_varints(void **state)
{
    UNUSED(state);
    for (unsigned bits = 0; bits < 64; bits++) {
        uint64_t v = (UINT64_C(0x9E3779B97F4A7C15) | UINT64_C(1) << 63) >> bits;
        uint8_t list[16];
        uint64_t rest = v;
        size_t n = 0;
        memset(list, 0xA5, sizeof list);
        while (n < 8 && rest >= 0x80) {
            list[n++] = (uint8_t)(rest | 0x80);
            rest >>= 7;
        }
        list[n++] = (uint8_t)rest;
        jfr_reader fast = {list, list + sizeof list, true, false};
        jfr_reader slow = {list, list + n, true, false};
        assert_int_equal(jfr_varint(&fast), v);
        assert_int_equal(jfr_varint_slow(&slow), v);
        assert_ptr_equal(fast.p, list + n);
        assert_ptr_equal(slow.p, list + n);
    }
}

/* A signed number is the image of its own width, in both encodings. */
static void test_signs(void **state)
{
    static const uint8_t compressed[] = {0xFF, 0xFF, 0xFF, 0xFF, 0x0F};
    static const uint8_t fixed[] = {0xFF, 0xFF, 0xFF, 0xFE, 1, 2, 3, 4, 5, 6, 7, 8};
    jfr_reader c = {compressed, compressed + sizeof compressed, true, false};
    jfr_reader f = {fixed, fixed + sizeof fixed, false, false};
    UNUSED(state);
    assert_int_equal(jfr_int(&c), -1);
    assert_int_equal(jfr_int(&f), -2);
    assert_int_equal(jfr_long(&f), INT64_C(0x0102030405060708));
    assert_false(f.bad);
    assert_int_equal(jfr_int(&f), 0);
    assert_true(f.bad);
}

static void assert_string(ts_ctx *ctx, const char *p, size_t n, const char *text, uint64_t replaced)
{
    const uint8_t *at = (const uint8_t *)p;
    jfr_reader r = {at, at + n, true, false};
    jfr_string s;
    ts_buf out = {0};
    uint64_t count = 0;
    jfr_read_string(&s, &r);
    assert_false(r.bad);
    assert_ptr_equal(r.p, at + n);
    assert_int_equal(jfr_string_put(ctx, &out, &count, &s, true), TS_OK);
    assert_int_equal(out.n, strlen(text));
    assert_memory_equal(ts_buf_text(&out).p, text, out.n);
    assert_int_equal(count, replaced);
    ts_buf_free(ctx, &out);
}

static void test_strings(void **state)
{
    ts_ctx ctx;
    static const uint8_t unknown[] = {6, 0};
    jfr_reader r = {unknown, unknown + 2, true, false};
    jfr_string s;
    UNUSED(state);
    ts_ctx_init(&ctx);
    assert_string(&ctx, "\x00", 1, "", 0);
    assert_string(&ctx, "\x01", 1, "", 0);
    assert_string(&ctx, "\x03\x03\x61\xC3\xA9", 5, "a\xC3\xA9", 0);
    assert_string(&ctx, "\x03\x02\x61\xC3", 4, "a\xEF\xBF\xBD", 1);
    assert_string(&ctx, "\x05\x02\x61\xE9", 4, "a\xC3\xA9", 0);
    /* U+1F600 as two units; half of it alone. */
    assert_string(&ctx, "\x04\x02\xBD\xB0\x03\x80\xBC\x03", 8, "\xF0\x9F\x98\x80", 0);
    assert_string(&ctx, "\x04\x02\xBD\xB0\x03\x61", 6, "\xEF\xBF\xBD\x61", 1);
    assert_string(&ctx, "\x04\x01\x80\xBC\x03", 5, "\xEF\xBF\xBD", 1);
    assert_string(&ctx, "\x02\x05", 2, "", 0);
    jfr_read_string(&s, &r);
    assert_true(r.bad);
    assert_int_equal(ctx.memory_used, 0);
}

/* 2.2 GHz for more than 4 s: the product with 10^9 is beyond 64 bits. */
static void test_ticks(void **state)
{
    jfr_chunk *c = calloc(1, sizeof *c);
    UNUSED(state);
    assert_non_null(c);
    c->header = (jfr_header){.start_ns = INT64_C(1700000000000000000),
                             .start_ticks = 1000,
                             .ticks_per_second = INT64_C(2200000000)};
    assert_int_equal(jfr_ticks_time(c, 1000), INT64_C(1700000000000000000));
    assert_int_equal(jfr_ticks_time(c, 1000 + INT64_C(2200000000) * 3600),
                     INT64_C(1700003600000000000));
    assert_int_equal(jfr_ticks_time(c, 1000 - 22), INT64_C(1699999999999999990));
    assert_int_equal(jfr_ticks_span(c, INT64_C(2200000000) * 86400), INT64_C(86400000000000));
    assert_int_equal(jfr_ticks_span(c, 11), 5);
    c->header.ticks_per_second = 1;
    assert_int_equal(jfr_ticks_span(c, INT64_MAX), TS_NO_TIME);
    assert_int_equal(jfr_ticks_time(c, INT64_MIN), TS_NO_TIME);
    free(c);
}

/* --- recordings ------------------------------------------------------------------------------- */

static bytes read_corpus(const char *name)
{
    char path[512];
    size_t n;
    snprintf(path, sizeof path, "%s%s", CORPUS, name);
    char *p = test_read_file(path, &n);
    return (bytes){(uint8_t *)p, n, 0};
}

static void test_whole(void **state)
{
    static const char *const names[] = {"jdk", "async", "datadog", "mixed"};
    UNUSED(state);
    for (size_t i = 0; i < 4; i++) {
        char fixed[32];
        run a;
        run b;
        bytes x = read_corpus(names[i]);
        snprintf(fixed, sizeof fixed, "%s_fixed", names[i]);
        bytes y = read_corpus(fixed);
        import_damaged(&a, &x, 0);
        import_damaged(&b, &y, 0);
        assert_int_equal(a.code, TS_OK);
        assert_int_equal(SEEN(&a, "jfr_chunks"), 2);
        assert_true(MEM_ROWS(a.sink, stack_sample) > 10);
        assert_cell(&a, source, 1, complete, 1);
        /* The encoding changes nothing but sizes. */
        assert_int_equal(MEM_ROWS(a.sink, stack_sample), MEM_ROWS(b.sink, stack_sample));
        assert_int_equal(MEM_ROWS(a.sink, stack_node), MEM_ROWS(b.sink, stack_node));
        for (size_t row = 0; row < MEM_ROWS(a.sink, stack_sample); row++) {
            assert_int_equal(MEM_INT(a.sink, stack_sample, row, ts),
                             MEM_INT(b.sink, stack_sample, row, ts));
            assert_int_equal(MEM_NULL(a.sink, stack_sample, row, node_id),
                             MEM_NULL(b.sink, stack_sample, row, node_id));
            assert_true(MEM_NULL(a.sink, stack_sample, row, node_id) ||
                        MEM_INT(a.sink, stack_sample, row, node_id) ==
                            MEM_INT(b.sink, stack_sample, row, node_id));
        }
        run_free(&a);
        run_free(&b);
        free(x.p);
        free(y.p);
    }
}

static uint64_t header_number(const bytes *b, size_t at)
{
    uint64_t v = 0;
    for (size_t i = 0; i < 8; i++) {
        v = v << 8 | b->p[at + i];
    }
    return v;
}

/*
 * A chunk that is cut before its metadata: those of the chunk before are used when version,
 * encoding and clock are the same. Its events are those that it has, in their order; what its own
 * pools would say is not there.
 */
static void test_cut_before_metadata(void **state)
{
    static const char *const names[] = {"jdk", "async", "datadog", "jdk_fixed"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        bytes x = read_corpus(names[i]);
        size_t size = (size_t)header_number(&x, 8);
        size_t metadata = (size_t)header_number(&x, 24);
        bytes b = {0};
        run whole;
        run r;
        size_t n;
        put(&b, x.p, size);
        import_damaged(&whole, &b, 0);
        n = MEM_ROWS(whole.sink, stack_sample);
        put(&b, x.p, metadata);
        import_damaged(&r, &b, 0);
        assert_int_equal(r.code, TS_OK);
        assert_int_equal(issue_sum(&r, "jfr_old_metadata"), 1);
        assert_int_equal(issue_sum(&r, "jfr_chunk_cut"), 1);
        assert_true(MEM_ROWS(r.sink, stack_sample) > n + 3);
        for (size_t row = n; row < MEM_ROWS(r.sink, stack_sample); row++) {
            assert_int_equal(MEM_INT(r.sink, stack_sample, row, ts),
                             MEM_INT(whole.sink, stack_sample, row - n, ts));
        }
        run_free(&r);
        /* Another clock: another recorder. */
        b.p[size + 63] ^= 1;
        import_damaged(&r, &b, 0);
        assert_int_equal(issue_sum(&r, "jfr_old_metadata"), 0);
        assert_int_equal(issue_sum(&r, "jfr_bad_metadata"), 1);
        assert_int_equal(MEM_ROWS(r.sink, stack_sample), n);
        run_free(&r);
        run_free(&whole);
        free(b.p);
        free(x.p);
    }
}

/*
 * A chunk has as many bytes as its header counts: what the file lacks of them is lost. Others may
 * have followed it, so that the end of the recording is not known, unless it says that it is the
 * last.
 */
static void test_missing_bytes(void **state)
{
    enum { MISSING = 3000, FLAGS = 67, LAST = 2 };
    bytes b = read_corpus("jdk");
    size_t first = (size_t)header_number(&b, 8);
    size_t all = b.n;
    UNUSED(state);
    for (unsigned last = 0; last < 2; last++) {
        run r;
        b.n = all - MISSING;
        b.p[first + FLAGS] = (uint8_t)(last == 0 ? 1 : 1 | LAST);
        import_damaged(&r, &b, 0);
        assert_int_equal(SEEN(&r, "bytes"), all - MISSING);
        assert_int_equal(count_sum(&r, "bytes", TS_C_import_count__declared), all);
        assert_int_equal(issue_sum(&r, "jfr_chunk_cut"), 1);
        assert_int_equal(issue_sum(&r, "jfr_lost_bytes"), 1);
        assert_cell(&r, source, 1, complete, 0);
        assert_false(MEM_NULL(r.sink, source, 1, start_ts));
        assert_int_equal(MEM_NULL(r.sink, source, 1, end_ts), last == 0);
        assert_int_equal(MEM_NULL(r.sink, profile, 0, end_ts), last == 0);
        run_free(&r);
    }
    free(b.p);
}

/* As in the repository of a JVM that runs: the header counts what was written when it was written
 * itself, and more may follow, of which the last event may be a part. */
static void test_open_chunk(void **state)
{
    enum { SIZE_AT = 8, STATE_AT = 64 };
    static const uint8_t part[] = {0xFF, 0x40, 0x70, 1, 2, 3}; /* of 8191 bytes */
    static const uint8_t padding[] = {6, 0, 0, 0, 0, 0};
    bytes x = read_corpus("jdk");
    bytes b = {0};
    size_t first = (size_t)header_number(&x, SIZE_AT);
    run whole;
    UNUSED(state);
    put(&b, x.p, first);
    import_damaged(&whole, &b, 0);
    for (unsigned k = 0; k < 4; k++) {
        size_t n = 0;
        run r;
        b.n = first;
        b.p[STATE_AT] = 5;
        n += k == 1 || k == 3 ? sizeof part : 0;
        put(&b, padding, k >= 2 ? sizeof padding : 0);
        put(&b, part, n);
        import_damaged(&r, &b, 0);
        assert_int_equal(issue_sum(&r, "jfr_chunk_open"), 1);
        assert_int_equal(complaints(&r), complaints(&whole));
        assert_int_equal(count_sum(&r, "bytes", TS_C_import_count__lost), 0);
        assert_int_equal(count_sum(&r, "bytes", TS_C_import_count__skipped), n);
        assert_cell(&r, source, 1, complete, 1);
        assert_cell(&r, source, 1, end_ts, MEM_INT(whole.sink, source, 1, end_ts));
        assert_int_equal(MEM_ROWS(r.sink, stack_sample), MEM_ROWS(whole.sink, stack_sample));
        assert_int_equal(MEM_ROWS(r.sink, stack_node), MEM_ROWS(whole.sink, stack_node));
        run_free(&r);
    }
    run_free(&whole);
    free(b.p);
    free(x.p);
}

static void test_blocks(void **state)
{
    static const char *const names[] = {"mixed", "stray", "chunk-size", "size-zero"};
    UNUSED(state);
    for (size_t n = 0; n < 4; n++) {
        bytes b = read_corpus(names[n]);
        check_blocks(&b, ANY_DEFECTS);
        free(b.p);
    }
}

/* TS_SLOW=1: no byte is passed over. What is cut is said to be, and its samples are those of the
 * whole one, or lack what is not there.
 */
static void test_cut_at_every_byte(void **state)
{
    bytes b = read_corpus("async");
    run whole;
    UNUSED(state);
    import_damaged(&whole, &b, 0);
    for (size_t cut = 8; cut < b.n; cut += test_slow() ? 1 : 3) {
        bytes part = {b.p, cut, 0};
        run r;
        import_damaged(&r, &part, 0);
        if (r.code == TS_OK) {
            /* Between two chunks nothing shows that there was another one. */
            assert_true(ts_issue_losses(r.store) > 0 || SEEN(&r, "jfr_chunks") == 1);
            assert_true(MEM_ROWS(r.sink, stack_sample) <= MEM_ROWS(whole.sink, stack_sample));
            for (size_t i = 0; i < MEM_ROWS(r.sink, stack_sample); i++) {
                assert_int_equal(MEM_INT(r.sink, stack_sample, i, ts),
                                 MEM_INT(whole.sink, stack_sample, i, ts));
                assert_true(MEM_NULL(r.sink, stack_sample, i, node_id) ||
                            MEM_INT(r.sink, stack_sample, i, node_id) ==
                                MEM_INT(whole.sink, stack_sample, i, node_id));
            }
        }
        run_free(&r);
    }
    run_free(&whole);
    free(b.p);
}

static void test_every_bit_flipped(void **state)
{
    bytes b = read_corpus("pool-cycle");
    UNUSED(state);
    for (size_t i = 4; i < b.n; i += test_slow() ? 1 : 3) {
        run r;
        b.p[i] ^= (uint8_t)(1U << i % 8);
        import_damaged(&r, &b, 0);
        b.p[i] ^= (uint8_t)(1U << i % 8);
        run_free(&r);
    }
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_varints),
        cmocka_unit_test(test_skipped_varints),
        cmocka_unit_test(test_words_of_varints),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_cut_before_metadata),
        cmocka_unit_test(test_missing_bytes),
        cmocka_unit_test(test_open_chunk),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

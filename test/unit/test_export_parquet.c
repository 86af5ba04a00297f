/*
 * Encodings of Parquet: the examples of its description byte by byte, and everything else by
 * decoders that are written from that description. Files as a whole are read by other programs
 * (test/export/parquet.py).
 */
#include "support.h"

#include "export/columns/parquet_column.h"

typedef struct bytes_in {
    const uint8_t *p;
    size_t n;
    size_t at;
} bytes_in;

static uint8_t next_byte(bytes_in *in)
{
    assert_true(in->at < in->n);
    return in->p[in->at++];
}

static uint64_t next_varint(bytes_in *in)
{
    uint64_t v = 0;
    unsigned shift = 0;
    uint8_t b;
    do {
        b = next_byte(in);
        v |= (uint64_t)(b & 0x7f) << shift;
        shift += 7;
    } while ((b & 0x80) != 0);
    return v;
}

static int64_t next_zigzag(bytes_in *in)
{
    uint64_t v = next_varint(in);
    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

/* Value i of packed ones, the lowest bit first. */
static uint64_t packed_at(const bytes_in *in, size_t i, unsigned width)
{
    uint64_t v = 0;
    for (unsigned k = 0; k < width; k++) {
        size_t bit = i * width + k;
        assert_true(in->at + bit / 8 < in->n);
        v |= (uint64_t)(in->p[in->at + bit / 8] >> bit % 8 & 1) << k;
    }
    return v;
}

static bytes_in bytes_of(const ts_buf *b)
{
    return (bytes_in){(const uint8_t *)b->p, b->n, 0};
}

static void assert_bytes(const ts_buf *b, const char *expected, size_t n)
{
    assert_int_equal(b->n, n);
    assert_memory_equal(b->p, expected, n);
}
#define bytes_are(b, text) assert_bytes(b, text, sizeof(text) - 1)

/* --- runs and packed bits --------------------------------------------------------------------- */

static void assert_hybrid(ts_ctx *ctx, const uint32_t *v, size_t n, unsigned width)
{
    ts_buf out = {0};
    assert_ok(ctx, ts_pq_hybrid(ctx, &out, v, n, width));
    bytes_in in = bytes_of(&out);
    for (size_t i = 0; i < n;) {
        uint64_t head = next_varint(&in);
        uint64_t count = head >> 1;
        assert_true(count > 0);
        if ((head & 1) != 0) {
            for (size_t k = 0; k < 8 * count; k++) {
                uint64_t got = packed_at(&in, k, width);
                assert_int_equal(got, i + k < n ? v[i + k] : 0);
            }
            in.at += count * width;
            i += 8 * count;
            continue;
        }
        uint64_t value = 0;
        for (unsigned k = 0; k < (width + 7) / 8; k++) {
            value |= (uint64_t)next_byte(&in) << (8 * k);
        }
        for (size_t k = 0; k < count; k++, i++) {
            assert_true(i < n);
            assert_int_equal(value, v[i]);
        }
    }
    assert_int_equal(in.at, in.n);
    ts_buf_free(ctx, &out);
}

static void test_hybrid(void **state)
{
    static const uint32_t eight[] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t v[400];
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    (void)state;
    assert_ok(ctx, ts_pq_hybrid(ctx, &out, eight, 8, 3));
    bytes_are(&out, "\x03\x88\xc6\xfa"); /* the example of the description */
    out.n = 0;
    for (size_t i = 0; i < 100; i++) {
        v[i] = 4;
    }
    assert_ok(ctx, ts_pq_hybrid(ctx, &out, v, 100, 3));
    bytes_are(&out, "\xc8\x01\x04");
    out.n = 0;
    assert_ok(ctx, ts_pq_hybrid(ctx, &out, v, 0, 3));
    assert_int_equal(out.n, 0);
    ts_buf_free(ctx, &out);
    for (unsigned width = 0; width <= 32; width++) {
        const uint32_t most = width == 0 ? 0 : UINT32_MAX >> (32 - width);
        for (size_t run = 1; run < 40; run += width % 3 + 1) {
            for (size_t i = 0; i < 400; i++) {
                v[i] = (uint32_t)(i / run * 2654435761U) & most;
            }
            for (size_t n = run % 10; n <= 400; n += 39) {
                assert_hybrid(ctx, v, n, width);
            }
        }
    }
    test_ctx_free(ctx);
}

/* --- differences ------------------------------------------------------------------------------ */

/* As many values as there are, at most `most`. */
static size_t decode_delta(bytes_in *in, uint64_t *out, size_t most, unsigned bits)
{
    const size_t block = (size_t)next_varint(in);
    const size_t miniblocks = (size_t)next_varint(in);
    const size_t n = (size_t)next_varint(in);
    uint64_t value = (uint64_t)next_zigzag(in);
    size_t done = 0;
    assert_int_equal(block % 128, 0);
    assert_int_equal(block / miniblocks % 32, 0);
    assert_true(n <= most && miniblocks <= 64);
    if (n > 0) {
        out[done++] = value;
    }
    while (done < n) {
        const size_t each = block / miniblocks;
        uint8_t widths[64];
        const int64_t least = next_zigzag(in);
        for (size_t m = 0; m < miniblocks; m++) {
            widths[m] = next_byte(in);
            assert_true(widths[m] <= bits);
        }
        for (size_t m = 0; m < miniblocks && done < n; m++) {
            for (size_t k = 0; k < each && done < n; k++) {
                value += (uint64_t)least + packed_at(in, k, widths[m]);
                out[done++] = value;
            }
            in->at += each / 8 * widths[m];
            assert_true(in->at <= in->n);
        }
    }
    return n;
}

enum { MOST = 700 };

static void assert_delta(ts_ctx *ctx, const int64_t *v, size_t n, unsigned bits)
{
    const uint64_t mask = bits == 32 ? UINT32_MAX : UINT64_MAX;
    static uint64_t got[MOST];
    ts_buf out = {0};
    assert_ok(ctx, ts_pq_delta(ctx, &out, v, n, bits));
    bytes_in in = bytes_of(&out);
    assert_int_equal(decode_delta(&in, got, MOST, bits), n);
    assert_int_equal(in.at, in.n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(got[i] & mask, (uint64_t)v[i] & mask);
    }
    ts_buf_free(ctx, &out);
}

static void test_delta_examples(void **state)
{
    static const int64_t rising[] = {1, 2, 3, 4, 5};
    static const int64_t both[] = {7, 5, 3, 1, 2, 3, 4, 5};
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    (void)state;
    assert_ok(ctx, ts_pq_delta(ctx, &out, rising, 5, 32));
    bytes_are(&out, "\x80\x01\x04\x05\x02\x02\0\0\0\0");
    out.n = 0;
    assert_ok(ctx, ts_pq_delta(ctx, &out, both, 8, 64));
    bytes_are(&out, "\x80\x01\x04\x08\x0e\x03\x02\0\0\0\xc0\x3f\0\0\0\0\0\0");
    out.n = 0;
    assert_ok(ctx, ts_pq_delta(ctx, &out, both, 1, 64));
    bytes_are(&out, "\x80\x01\x04\x01\x0e");
    out.n = 0;
    assert_ok(ctx, ts_pq_delta(ctx, &out, both, 0, 64));
    bytes_are(&out, "\x80\x01\x04\0\0");
    ts_buf_free(ctx, &out);
    test_ctx_free(ctx);
}

static void test_delta(void **state)
{
    static const size_t sizes[] = {0,   1,   2,   31,  32,  33,  34,  127, 128,
                                   129, 130, 161, 255, 256, 257, 258, 640, MOST};
    static int64_t v[MOST];
    ts_ctx *ctx = test_ctx_new();
    uint64_t x = 1;
    (void)state;
    for (unsigned width = 0; width <= 64; width++) {
        for (size_t i = 0; i < MOST; i++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407U;
            v[i] = width == 0 ? 42 : (int64_t)(x >> (64 - width));
        }
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            assert_delta(ctx, v, sizes[k], 64);
            assert_delta(ctx, v, sizes[k], 32);
        }
    }
    for (size_t i = 0; i < MOST; i++) {
        static const int64_t ends[] = {INT64_MIN, INT64_MAX, 0, -1, INT64_MAX, INT64_MIN, 1};
        v[i] = ends[i % 7];
    }
    assert_delta(ctx, v, MOST, 64);
    for (size_t i = 0; i < MOST; i++) {
        static const int64_t ends[] = {0, UINT32_MAX, INT32_MAX, (int64_t)INT32_MAX + 1, 1};
        v[i] = ends[i % 5];
    }
    assert_delta(ctx, v, MOST, 32);
    test_ctx_free(ctx);
}

/* --- texts ------------------------------------------------------------------------------------ */

static ts_pq_texts texts_of(int64_t *lengths, char *bytes, const char *const *texts, size_t n)
{
    bytes[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        lengths[i] = (int64_t)strlen(texts[i]);
        strcat(bytes, texts[i]);
    }
    return (ts_pq_texts){bytes, lengths, n};
}

static void assert_lengths(bytes_in *in, const int64_t *expected, size_t n)
{
    static uint64_t got[MOST];
    assert_int_equal(decode_delta(in, got, MOST, 32), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(got[i], expected[i]);
    }
}

/* The examples of the description. */
static void test_texts(void **state)
{
    static const char *const hello[] = {"Hello", "World", "Foobar", "ABCDEF"};
    static const char *const axis[] = {"axis", "axle", "babble", "babyhood"};
    int64_t lengths[4];
    int64_t scratch[8];
    char bytes[64];
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    (void)state;
    ts_pq_texts texts = texts_of(lengths, bytes, hello, 4);
    assert_ok(ctx, ts_pq_delta_lengths(ctx, &out, &texts));
    bytes_in in = bytes_of(&out);
    assert_lengths(&in, (const int64_t[]){5, 5, 6, 6}, 4);
    assert_int_equal(in.n - in.at, 22);
    assert_memory_equal(in.p + in.at, "HelloWorldFoobarABCDEF", 22);
    out.n = 0;
    texts = texts_of(lengths, bytes, axis, 4);
    assert_ok(ctx, ts_pq_delta_texts(ctx, &out, &texts, scratch));
    in = bytes_of(&out);
    assert_lengths(&in, (const int64_t[]){0, 2, 0, 3}, 4);
    assert_lengths(&in, (const int64_t[]){4, 2, 6, 5}, 4);
    assert_int_equal(in.n - in.at, 17);
    assert_memory_equal(in.p + in.at, "axislebabbleyhood", 17);
    out.n = 0;
    texts.n = 0;
    assert_ok(ctx, ts_pq_delta_texts(ctx, &out, &texts, scratch));
    bytes_are(&out, "\x80\x01\x04\0\0\x80\x01\x04\0\0");
    ts_buf_free(ctx, &out);
    test_ctx_free(ctx);
}

static void test_plain(void **state)
{
    static const int64_t ints[] = {1, -2, 0x0102030405060708};
    static const int64_t bools[] = {1, 0, 1, 1, 0, 0, 0, 0, 1};
    static const double reals[] = {1, -0.0};
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    (void)state;
    assert_ok(ctx, ts_pq_plain_ints(ctx, &out, ints, 3, 8));
    bytes_are(&out, "\1\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff\x08\7\6\5\4\3\2\1");
    out.n = 0;
    assert_ok(ctx, ts_pq_plain_ints(ctx, &out, ints, 2, 4));
    bytes_are(&out, "\1\0\0\0\xfe\xff\xff\xff");
    out.n = 0;
    assert_ok(ctx, ts_pq_plain_bools(ctx, &out, bools, 9));
    bytes_are(&out, "\x0d\1");
    out.n = 0;
    assert_ok(ctx, ts_pq_plain_reals(ctx, &out, reals, 2));
    bytes_are(&out, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x80");
    out.n = 0;
    assert_ok(ctx, ts_pq_plain_text(ctx, &out, (ts_text){"a\0b", 3}));
    bytes_are(&out, "\3\0\0\0a\0b");
    ts_buf_free(ctx, &out);
    test_ctx_free(ctx);
}

/* --- dictionaries ----------------------------------------------------------------------------- */

static void test_dictionary_of_integers(void **state)
{
    enum { N = 2 * TS_PQ_ENTRIES };
    static int64_t v[N];
    static uint32_t numbers[N];
    ts_ctx *ctx = test_ctx_new();
    ts_pq_dictionary d = {0};
    ts_buf out = {0};
    (void)state;
    for (int i = 0; i < 2 * TS_PQ_ENTRIES; i++) {
        v[i] = -(i / 2);
    }
    assert_ok(ctx, ts_pq_number_ints(ctx, numbers, &d, v, (size_t)2 * TS_PQ_ENTRIES));
    assert_false(d.full);
    assert_int_equal(ts_pq_entries(&d), TS_PQ_ENTRIES);
    assert_int_equal(ts_pq_number_bits(&d), 16);
    for (uint32_t i = 0; i < 2 * TS_PQ_ENTRIES; i++) {
        assert_int_equal(numbers[i], i / 2);
    }
    assert_ok(ctx, ts_pq_put_entries(ctx, &out, &d, 4));
    assert_int_equal(out.n, 4 * TS_PQ_ENTRIES);
    assert_memory_equal(out.p, "\0\0\0\0\xff\xff\xff\xff\xfe\xff\xff\xff", 12);
    v[0] = 1; /* one too many */
    assert_ok(ctx, ts_pq_number_ints(ctx, numbers, &d, v, 1));
    assert_true(d.full);
    ts_pq_dictionary_free(ctx, &d);
    ts_buf_free(ctx, &out);
    test_ctx_free(ctx);
}

static void test_dictionary_that_gains_nothing(void **state)
{
    static int64_t v[4096];
    static uint32_t numbers[4096];
    ts_ctx *ctx = test_ctx_new();
    ts_pq_dictionary d = {0};
    (void)state;
    for (int i = 0; i < 4096; i++) {
        v[i] = i;
    }
    assert_ok(ctx, ts_pq_number_ints(ctx, numbers, &d, v, 1024));
    assert_false(d.full); /* so few that it cannot be said */
    ts_pq_dictionary_free(ctx, &d);
    assert_ok(ctx, ts_pq_number_ints(ctx, numbers, &d, v, 4096));
    assert_true(d.full);
    ts_pq_dictionary_free(ctx, &d);
    test_ctx_free(ctx);
}

static void test_dictionary_of_texts(void **state)
{
    static const unsigned bits[] = {0, 0, 1, 2, 2, 3, 3, 3, 3, 4};
    ts_ctx *ctx = test_ctx_new();
    ts_pq_dictionary d = {0};
    ts_buf out = {0};
    uint32_t number[3];
    char *big = calloc(1, TS_PQ_ENTRY_BYTES);
    (void)state;
    for (unsigned n = 1; n < sizeof bits / sizeof bits[0]; n++) {
        const int64_t lengths[] = {n - 1, n - 1, 0};
        assert_ok(ctx, ts_pq_number_texts(ctx, number, &d, &(ts_pq_texts){big, lengths, 3}));
        assert_int_equal(number[0], n - 1);
        assert_int_equal(number[1], n - 1);
        assert_int_equal(number[2], 0);
        assert_int_equal(ts_pq_entries(&d), n);
        assert_int_equal(ts_pq_number_bits(&d), bits[n]);
    }
    assert_ok(ctx, ts_pq_put_entries(ctx, &out, &d, 8));
    assert_memory_equal(out.p, "\0\0\0\0\1\0\0\0\0\2\0\0\0\0\0", 15);
    const int64_t rest[] = {TS_PQ_ENTRY_BYTES - 36, TS_PQ_ENTRY_BYTES - 36, 100};
    assert_ok(ctx, ts_pq_number_texts(ctx, number, &d, &(ts_pq_texts){big, rest, 1}));
    assert_false(d.full); /* 1 MiB in all */
    assert_ok(ctx, ts_pq_number_texts(ctx, number, &d, &(ts_pq_texts){big, rest + 2, 1}));
    assert_true(d.full);
    ts_pq_dictionary_free(ctx, &d);
    ts_buf_free(ctx, &out);
    free(big);
    test_ctx_free(ctx);
}

/* --- columns ---------------------------------------------------------------------------------- */

/* What way a column of these values takes, page after page. */
static void test_a_dictionary_is_left(void **state)
{
    enum { ROWS = TS_COLUMNS_ROWS };
    static int64_t v[ROWS];
    static uint8_t null[ROWS];
    ts_ctx *ctx = test_ctx_new();
    ts_pq_column c = {.name = "c", .type = TS_PQ_INT64, .bytes = 8};
    ts_column_values values = {.ints = v, .null = null};
    ts_pq_work w;
    uint64_t x = 1;
    (void)state;
    assert_ok(ctx, ts_pq_work_open(&w, ctx));
    ts_pq_chunk_next(&c, ctx);
    for (unsigned page = 0; page < 8; page++) {
        for (size_t i = 0; i < ROWS; i++) { /* few values first, then always others */
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407U;
            v[i] = (int64_t)(page == 0 ? (x >> 60) * 1000003 : x);
        }
        assert_ok(ctx, ts_pq_hold(&c, ctx, &values, ROWS));
        assert_int_equal(ts_pq_held(&c), 9 * ROWS);
        assert_ok(ctx, ts_pq_page(&c, &w));
        assert_int_equal(ts_pq_held(&c), 0);
        assert_true(page > 0 || c.way == TS_PQ_DICTIONARY);
    }
    assert_true(c.way == TS_PQ_DELTA || c.way == TS_PQ_PLAIN);
    assert_int_equal(c.values, 8 * ROWS);
    ts_pq_chunk_next(&c, ctx);
    /* A page of NULL alone decides nothing. */
    memset(null, 1, ROWS);
    memset(v, 0, sizeof v);
    values.nulls = ROWS;
    assert_ok(ctx, ts_pq_hold(&c, ctx, &values, ROWS));
    assert_ok(ctx, ts_pq_page(&c, &w));
    assert_int_equal(c.way, -1);
    assert_int_equal(c.stats.nulls, ROWS);
    assert_false(c.stats.any);
    ts_pq_column_free(&c, ctx);
    ts_pq_work_close(&w);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hybrid),
        cmocka_unit_test(test_delta_examples),
        cmocka_unit_test(test_delta),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_dictionary_of_integers),
        cmocka_unit_test(test_dictionary_that_gains_nothing),
        cmocka_unit_test(test_dictionary_of_texts),
        cmocka_unit_test(test_a_dictionary_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

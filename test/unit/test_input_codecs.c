/*
 * bzip2, xz, Zstandard and LZ4 around an input: the same bytes as without, damage and limits as for
 * gzip. Streams come from the libraries of the formats; headers that they do not write are made by
 * hand after the formats' descriptions.
 */
#include "input_pack.h"
#include "input_unwrap.h"

/* --- whole streams --- */

static void test_sizes(void **state)
{
    static const size_t sizes[] = {0, 1, 5000, 262144, 3000000};
    (void)state;
    for (int k = 0; k < PACK_KINDS; k++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            bytes data = i % 2 == 0 ? bytes_text(sizes[i]) : bytes_noise(sizes[i]);
            bytes in = pack_bytes((enum pack_kind)k, data);
            check_whole(in, data, pack_names[k]);
            free(in.p);
            free(data.p);
        }
    }
}

/* Programs that compress in parallel, or append, write several streams. */
static void test_streams_one_behind_another(void **state)
{
    (void)state;
    for (int k = PACK_BZIP2; k < PACK_KINDS; k++) {
        bytes data = bytes_noise(3000);
        bytes in = pack_bytes((enum pack_kind)k, (bytes){data.p, 1000});
        in = bytes_join(in, pack_bytes((enum pack_kind)k, (bytes){data.p, 0}));
        in = bytes_join(in, pack_bytes((enum pack_kind)k, (bytes){data.p + 1000, 2000}));
        in = bytes_join(in, bytes_new(1024)); /* padding, as tapes leave it */
        check_whole(in, data, pack_names[k]);
        free(in.p);
        free(data.p);
    }
}

/* RFC 8878, 3.1.2: frames to be skipped, with any number in the low four bits. */
static void test_skippable_frames(void **state)
{
    static const uint8_t skipped[] = {0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    (void)state;
    bytes data = bytes_text(500);
    bytes in = bytes_of(skipped, sizeof skipped);
    in = bytes_join(in, pack_zstd((bytes){data.p, 100}));
    in = bytes_join(in, bytes_of(skipped, sizeof skipped));
    in = bytes_join(in, pack_zstd((bytes){data.p + 100, 400}));
    in = bytes_join(in, bytes_of(skipped, sizeof skipped));
    check_whole(in, data, "zstd");
    free(in.p);
    free(data.p);
}

static void test_nested(void **state)
{
    (void)state;
    bytes data = bytes_text(20000);
    bytes in = pack_over(PACK_XZ, pack_over(PACK_ZSTD, pack_bytes(PACK_LZ4, data)));
    check_whole(in, data, "xz+zstd+lz4");
    in = pack_over(PACK_GZIP, in);
    check_whole(in, data, "gzip+xz+zstd+lz4");
    free(in.p);
    free(data.p);
}

/* Texts that begin like a stream. */
static void test_false_positives(void **state)
{
    static const char *const texts[] = {
        "BZ",         "BZh",    "BZh9",    "BZh9x",     "BZh9 is a plane",
        "BZh01AY&SY", "(\xb5/", "\x04\"M", "\xfd\x37z", "P*M"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bytes data = bytes_of(texts[i], strlen(texts[i]));
        if (strcmp(texts[i], "BZh9") != 0) { /* which may be a stream that was cut off */
            check_whole(data, data, "");
        }
        free(data.p);
    }
}

/* --- damage --- */

/* Any cut gives a part from the begin, and says so. */
static void test_cut_at_every_byte(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(700);
    for (int k = PACK_BZIP2; k < PACK_KINDS; k++) {
        bytes in = pack_bytes((enum pack_kind)k, (bytes){data.p, 300});
        in = bytes_join(in, pack_bytes((enum pack_kind)k, (bytes){data.p + 300, 400}));
        size_t first = in.n / 2; /* within the second stream, or at the end of the first */
        for (size_t n = 6; n < in.n; n++) {
            ts_damage damage;
            char wrappers[64];
            bytes out;
            assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, (bytes){in.p, n}, 4096));
            assert_true(out.n <= data.n);
            assert_memory_equal(out.p, data.p, out.n);
            assert_string_equal(wrappers, pack_names[k]);
            assert_false(damage.doubtful);
            if (out.n != 300) { /* a cut between the streams cannot be seen */
                assert_non_null(strstr(damage.what, "ends early"));
                assert_int_equal(damage.offset, n);
            }
            assert_true(n < first || out.n >= 300 || n < first + 40);
            free(out.p);
        }
        free(in.p);
    }
    free(data.p);
    place_free(w);
}

/* What cannot be right is damage, and nothing that was decoded of it is certain. */
static void check_changed(place *w, int k, bytes in, bytes data)
{
    ts_damage damage;
    char wrappers[64];
    bytes out;
    ts_code code = unwrap(&out, &damage, wrappers, w, in, 4096);
    if (code != TS_OK) {
        assert_int_equal(code, TS_ERR_LIMIT); /* a header that asks for too much memory */
        return;
    }
    bool plain = strcmp(wrappers, pack_names[k]) != 0;
    bool same = out.n == data.n && memcmp(out.p, data.p, data.n) == 0;
    if (!plain && !same) {
        assert_string_not_equal(damage.what, "");
        bool prefix = out.n <= data.n && memcmp(out.p, data.p, out.n) == 0;
        /* A stream that ends early looks like one that was cut off, whose bytes are right. */
        assert_true(prefix || damage.doubtful || strstr(damage.what, "ends early") != NULL);
    }
    free(out.p);
}

/* Every third bit; with TS_SLOW=1 all of them. */
static void test_bits_flipped(void **state)
{
    const size_t step = test_slow() ? 1 : 3;
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(400);
    for (int k = PACK_BZIP2; k < PACK_KINDS; k++) {
        bytes in = pack_bytes((enum pack_kind)k, data);
        for (size_t bit = 0; bit < in.n * 8; bit += step) {
            in.p[bit / 8] ^= (uint8_t)(1U << bit % 8);
            check_changed(w, k, in, data);
            in.p[bit / 8] ^= (uint8_t)(1U << bit % 8);
        }
        free(in.p);
    }
    free(data.p);
    place_free(w);
}

/* A block of the compressed bytes is missing, or is there twice. */
static void test_deleted_and_doubled(void **state)
{
    enum { BLOCK = 512 };
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(200000);
    for (int k = PACK_BZIP2; k < PACK_KINDS; k++) {
        bytes in = pack_bytes((enum pack_kind)k, data);
        for (size_t at = 0; at + 2 * BLOCK < in.n; at += in.n / 11) {
            bytes head = bytes_of(in.p, at);
            bytes less = bytes_join(head, bytes_of(in.p + at + BLOCK, in.n - at - BLOCK));
            bytes more = bytes_join(bytes_of(in.p, at + BLOCK), bytes_of(in.p + at, in.n - at));
            check_changed(w, k, less, data);
            check_changed(w, k, more, data);
            free(less.p);
            free(more.p);
        }
        free(in.p);
    }
    free(data.p);
    place_free(w);
}

static void test_wrong_checksum(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(3000);
    for (int k = PACK_ZSTD; k < PACK_KINDS; k++) { /* where it is the last thing of a stream */
        ts_damage damage;
        char wrappers[64];
        bytes out;
        bytes in = pack_bytes((enum pack_kind)k, data);
        in.p[in.n - 1] ^= 1;
        assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
        assert_same(out, data);
        assert_non_null(strstr(damage.what, "is damaged"));
        assert_true(damage.doubtful);
        free(out.p);
        free(in.p);
    }
    free(data.p);
    place_free(w);
}

static void test_trailing_bytes(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(1000);
    for (int k = PACK_BZIP2; k < PACK_KINDS; k++) {
        ts_damage damage;
        char wrappers[64];
        bytes out;
        bytes in = pack_bytes((enum pack_kind)k, data);
        size_t whole = in.n;
        in = bytes_join(in, bytes_of("other bytes", 11));
        assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
        assert_same(out, data);
        assert_non_null(strstr(damage.what, "followed by bytes"));
        assert_true(damage.trailing);
        assert_false(damage.doubtful);
        assert_int_equal(damage.offset, whole);
        free(out.p);
        free(in.p);
    }
    free(data.p);
    place_free(w);
}

/* What stands before a damaged block in the same read is not lost. */
static void test_blocks_before_damage(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(1000000);
    for (size_t i = 0; i < data.n; i++) {
        data.p[i] &= 0x1f; /* is compressed, but not much */
    }
    for (int k = PACK_ZSTD; k < PACK_KINDS; k++) {
        ts_damage damage;
        char wrappers[64];
        bytes out;
        bytes in = pack_bytes((enum pack_kind)k, data);
        memset(in.p + in.n - 100000, 0xff, 50000);
        assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
        assert_in_range(out.n, 600000, 950000); /* blocks of at most 128 KiB */
        assert_memory_equal(out.p, data.p, 600000);
        assert_true(damage.doubtful);
        free(out.p);
        free(in.p);
    }
    free(data.p);
    place_free(w);
}

/* --- limits --- */

static void test_max_inflate(void **state)
{
    (void)state;
    place *w = place_new();
    w->ctx->limits.max_inflate = 300000;
    for (int k = 0; k < PACK_KINDS; k++) {
        for (size_t n = 299999; n <= 300001; n++) {
            ts_damage damage;
            char wrappers[64];
            bytes out;
            bytes data = bytes_noise(n);
            bytes in = pack_bytes((enum pack_kind)k, data);
            if (n <= 300000) {
                assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
                assert_same(out, data);
            } else {
                assert_code(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096), TS_ERR_LIMIT,
                            "300000 bytes");
            }
            free(out.p);
            free(in.p);
            free(data.p);
        }
    }
    place_free(w);
}

static void check_limit(place *w, bytes in, const char *text)
{
    ts_damage damage;
    char wrappers[64];
    bytes out;
    assert_code(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096), TS_ERR_LIMIT, text);
    free(out.p);
}

static void test_ratio(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_new(2000000); /* zeros */
    w->ctx->limits.inflate_grace = 0;
    w->ctx->limits.inflate_ratio = 100;
    for (int k = 0; k < PACK_KINDS; k++) {
        bytes in = pack_bytes((enum pack_kind)k, data);
        check_limit(w, in, "100 times");
        free(in.p);
    }
    free(data.p);
    place_free(w);
}

/*
 * RFC 8878, 3.1.1: no checksum, no size, a window of 2^(10 + exponent) bytes; one raw block, the
 * last, of ten bytes.
 */
static bytes zstd_with_window(unsigned log)
{
    uint8_t frame[] = {0x28,        0xb5, 0x2f, 0xfd, 0x00, (uint8_t)((log - 10) << 3),
                       10 << 3 | 1, 0,    0,    '0',  '1',  '2',
                       '3',         '4',  '5',  '6',  '7',  '8',
                       '9'};
    return bytes_of(frame, sizeof frame);
}

static void test_window(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_of("0123456789", 10);
    bytes in = zstd_with_window(27);
    check_whole(in, data, "zstd");
    w->ctx->limits.max_memory = 1 << 20;
    check_limit(w, in, "window of more than 524288 bytes");
    w->ctx->limits.max_memory = 0;
    free(in.p);
    in = zstd_with_window(28);
    check_limit(w, in, "window of more than 134217728 bytes");
    free(in.p);
    free(data.p);
    place_free(w);
}

/* The xz format, 3.1: sizes as varints where the flags say so, then the filters; 5.3.1: the
 * property of LZMA2 is the size of its dictionary. */
static void test_dictionary(void **state)
{
    enum { HEADER = 12, COMPRESSED_SIZE = 0x40, UNCOMPRESSED_SIZE = 0x80, LZMA2 = 0x21 };
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(1000);
    bytes in = pack_xz(data);
    size_t size = ((size_t)in.p[HEADER] + 1) * 4;
    size_t at = HEADER + 2;
    for (int flag = COMPRESSED_SIZE; flag <= UNCOMPRESSED_SIZE; flag *= 2) {
        while ((in.p[HEADER + 1] & flag) != 0 && (in.p[at++] & 0x80) != 0) {
        }
    }
    assert_int_equal(in.p[at], LZMA2);
    assert_int_equal(in.p[at + 1], 1);
    in.p[at + 2] = 40; /* 4 GiB - 1 */
    uint32_t crc = lzma_crc32(in.p + HEADER, size - 4, 0);
    for (unsigned i = 0; i < 4; i++) {
        in.p[HEADER + size - 4 + i] = (uint8_t)(crc >> 8 * i);
    }
    check_limit(w, in, "bytes of memory; the limit is 268435456");
    free(in.p);
    free(data.p);
    place_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_streams_one_behind_another),
        cmocka_unit_test(test_skippable_frames),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_false_positives),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_bits_flipped),
        cmocka_unit_test(test_deleted_and_doubled),
        cmocka_unit_test(test_wrong_checksum),
        cmocka_unit_test(test_trailing_bytes),
        cmocka_unit_test(test_blocks_before_damage),
        cmocka_unit_test(test_max_inflate),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_dictionary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

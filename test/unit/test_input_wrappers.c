#include "input_unwrap.h"

/* --- what is taken off --- */

static void test_plain(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 4095, 4096, 4097, 262143, 262144, 262145, 700000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bytes data = bytes_text(sizes[i]);
        check_whole(data, data, "");
        free(data.p);
    }
}

static void test_gzip(void **state)
{
    static const size_t sizes[] = {0, 1, 5000, 262144, 700000};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bytes data = bytes_noise(sizes[i]);
        bytes in = gzip_bytes(data);
        check_whole(in, data, "gzip");
        free(in.p);
        free(data.p);
    }
}

/* Concatenated members are one stream (RFC 1952, 2.2). */
static void test_gzip_members(void **state)
{
    (void)state;
    bytes data = bytes_text(3000);
    bytes in = gzip_bytes((bytes){data.p, 1000});
    in = bytes_join(in, gzip_bytes((bytes){data.p, 0}));
    in = bytes_join(in, gzip_bytes((bytes){data.p + 1000, 1}));
    in = bytes_join(in, gzip_bytes((bytes){data.p + 1001, 1999}));
    check_whole(in, data, "gzip");
    free(in.p);
    free(data.p);
}

/* zlib's four usual headers: levels 0-1, 2-5, 6, 7-9. */
static void test_zlib_headers(void **state)
{
    static const struct {
        int level;
        uint8_t flg;
    } cases[] = {{1, 0x01}, {0, 0x01}, {5, 0x5e}, {6, 0x9c}, {9, 0xda}};
    static const size_t sizes[] = {0, 1, 20, 5000, 300000};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
            bytes data = bytes_text(sizes[j]);
            bytes in = deflate_bytes(data, cases[i].level, 15);
            assert_int_equal(in.p[0], 0x78);
            assert_int_equal(in.p[1], cases[i].flg);
            check_whole(in, data, "zlib");
            free(in.p);
            free(data.p);
        }
    }
}

/* Smaller windows have other first bytes: 68 .., 58 .., down to 18. */
static void test_zlib_windows(void **state)
{
    (void)state;
    for (int bits = 9; bits <= 15; bits++) {
        bytes data = bytes_text(10000);
        bytes in = deflate_bytes(data, 6, bits);
        assert_int_equal(in.p[0], (bits - 8) * 16 + 8);
        check_whole(in, data, "zlib");
        free(in.p);
        free(data.p);
    }
}

/* Two bytes that could begin zlib data do not make it such. */
static void test_zlib_false_positives(void **state)
{
    static const char *const texts[] = {
        "x",
        "x\x9c",
        "x\x01",
        "x\xda",
        "x^",
        "x^2 + y^2 = z^2, as everybody knows, and more of the same",
        "x\x9c hello, this is text and nothing else, however it may look at first sight ......",
        "x\x9c",
        "hCard is a microformat for publishing details of people and companies",
        "XG",
        "XGBoost: a library, a library, a library, a library, a library, a library, a lib",
        "HK",
        "HKEY_LOCAL_MACHINE\\SOFTWARE",
        "8O",
        "(S)",
        "x^x^x^x^x^x^x^x^x^x^x^x^x^x^x^x^x^x^",
        "x\x9c\xff\xff\xff\xff\xff\xff",
        "x\x01\x01\x05\x00\x05\x00hello",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bytes data = bytes_of(texts[i], strlen(texts[i]));
        check_whole(data, data, "");
        free(data.p);
    }
    /* A preset dictionary is asked for: not ours. 0x78 0x20 is a multiple of 31. */
    bytes data = bytes_text(100);
    data.p[0] = 0x78;
    data.p[1] = 0x20;
    check_whole(data, data, "");
    free(data.p);
    data = bytes_noise(100000);
    data.p[0] = 0x78;
    data.p[1] = 0x9c;
    data.p[2] = 0x07; /* block type 3 does not exist */
    check_whole(data, data, "");
    free(data.p);
}

static void test_nested(void **state)
{
    (void)state;
    bytes data = bytes_text(20000);
    bytes in = gzip_over(gzip_bytes(data));
    check_whole(in, data, "gzip+gzip");
    in = zlib_over(in);
    check_whole(in, data, "zlib+gzip+gzip");
    in = gzip_over(in);
    check_whole(in, data, "gzip+zlib+gzip+gzip");
    free(in.p);
    free(data.p);
}

static void test_depth(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(1000);
    ts_damage damage;
    char wrappers[64];
    bytes out;
    bytes in = gzip_over(gzip_over(gzip_over(gzip_bytes(data))));
    assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
    assert_same(out, data);
    free(out.p);
    in = gzip_over(in);
    assert_code(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096), TS_ERR_LIMIT, "more than 4");
    w->ctx->limits.archive_depth = 5;
    assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
    assert_same(out, data);
    free(out.p);
    w->ctx->limits.archive_depth = 1;
    assert_code(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096), TS_ERR_LIMIT, "more than 1");
    free(in.p);
    free(data.p);
    place_free(w);
}

/* --- limits --- */

/* The error names the member, not the first one of its archive. */
static void test_depth_of_a_member(void **state)
{
    (void)state;
    place *w = place_new();
    bytes a = bytes_text(50);
    bytes b = gzip_over(gzip_bytes(a));
    ts_fileset *outer;
    ts_fileset *set;
    ts_stream *s;
    maker m;
    w->ctx->limits.archive_depth = 2;
    maker_open(&m, MAKE_ZIP);
    maker_file(&m, "a", a.p, a.n);
    maker_file(&m, "b", b.p, b.n);
    bytes in = maker_close(&m);
    assert_ok(w->ctx, ts_fileset_open(&outer, w->ctx, put_file(w, "in.zip", in.p, in.n)));
    assert_ok(w->ctx, ts_member_enter(&set, outer, 0));
    assert_code(w->ctx, ts_member_open(&s, set, 1), TS_ERR_LIMIT, "in.zip: b'");
    ts_fileset_close(outer);
    free(in.p);
    free(b.p);
    free(a.p);
    place_free(w);
}

static void test_max_inflate(void **state)
{
    (void)state;
    place *w = place_new();
    ts_damage damage;
    char wrappers[64];
    bytes out;
    for (int gzip = 0; gzip <= 1; gzip++) {
        for (size_t n = 299999; n <= 300001; n++) {
            bytes data = bytes_noise(n);
            bytes in = gzip != 0 ? gzip_bytes(data) : zlib_bytes(data);
            w->ctx->limits.max_inflate = 300000;
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

static void test_ratio(void **state)
{
    (void)state;
    place *w = place_new();
    ts_damage damage;
    char wrappers[64];
    bytes out;
    bytes data = bytes_new(1000000); /* zeros: about 1000 : 1 */
    bytes in = gzip_bytes(data);
    uint64_t ratio = data.n / in.n; /* reached, and not exceeded by a whole */
    w->ctx->limits.inflate_grace = 0;
    w->ctx->limits.inflate_ratio = ratio + 200;
    assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
    assert_same(out, data);
    free(out.p);
    w->ctx->limits.inflate_ratio = 500;
    assert_code(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096), TS_ERR_LIMIT, "500 times");
    free(out.p);
    /* So much is free of it: L - 1 and L are fine, one byte more is not. */
    w->ctx->limits.inflate_grace = data.n;
    assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
    free(out.p);
    w->ctx->limits.inflate_grace = data.n + 1;
    assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
    free(out.p);
    w->ctx->limits.inflate_grace = data.n - 1;
    assert_code(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096), TS_ERR_LIMIT, "500 times");
    free(out.p);
    free(in.p);
    free(data.p);
    place_free(w);
}

/* One block out: the ratio is judged by all of it. 1000 bytes out of exactly `in.n`. */
static void test_ratio_edges(void **state)
{
    (void)state;
    place *w = place_new();
    ts_damage damage;
    char wrappers[64];
    bytes out;
    bytes data = bytes_new(60000);
    bytes in = zlib_bytes(data);
    data.n = data.n / in.n * in.n; /* a whole multiple of the size, which stays the same */
    free(in.p);
    in = zlib_bytes(data);
    assert_int_equal(data.n % in.n, 0);
    uint64_t ratio = data.n / in.n;
    w->ctx->limits.inflate_grace = 0;
    for (uint64_t limit = ratio - 1; limit <= ratio + 1; limit++) {
        w->ctx->limits.inflate_ratio = limit;
        ts_code code = unwrap(&out, &damage, wrappers, w, in, 4096);
        assert_int_equal(code, limit < ratio ? TS_ERR_LIMIT : TS_OK);
        free(out.p);
    }
    free(in.p);
    free(data.p);
    place_free(w);
}

/* --- damage --- */

/* Every cut of `in` gives a prefix of `want` and damage, except one that is plain by nature. */
static void check_cuts(bytes in, bytes want, size_t from)
{
    place *w = place_new();
    ts_damage damage;
    char wrappers[64];
    for (size_t n = from; n <= in.n; n++) {
        bytes out;
        assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, (bytes){in.p, n}, 4096));
        assert_true(out.n <= want.n);
        assert_memory_equal(out.p, want.p, out.n);
        if (n == in.n) {
            assert_string_equal(damage.what, "");
            assert_int_equal(out.n, want.n);
        } else {
            assert_non_null(strstr(damage.what, "ends early"));
            assert_false(damage.trailing);
            assert_int_equal(damage.offset, n);
        }
        free(out.p);
    }
    place_free(w);
}

static void test_cut_gzip(void **state)
{
    (void)state;
    bytes data = bytes_noise(700);
    bytes in = gzip_bytes(data);
    check_cuts(in, data, 2);
    free(in.p);
    free(data.p);
    data = bytes_text(5000);
    in = gzip_bytes(data);
    check_cuts(in, data, 2);
    free(in.p);
    free(data.p);
}

static void test_cut_zlib(void **state)
{
    (void)state;
    bytes data = bytes_noise(700);
    bytes in = zlib_bytes(data);
    check_cuts(in, data, 66);
    free(in.p);
    free(data.p);
}

/* A cut in the second of two members: all of the first, a part of the second. */
static void test_cut_second_member(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(400);
    bytes first = gzip_bytes((bytes){data.p, 200});
    size_t whole = first.n;
    bytes in = bytes_join(first, gzip_bytes((bytes){data.p + 200, 200}));
    ts_damage damage;
    char wrappers[64];
    for (size_t n = whole + 1; n < in.n; n++) {
        bytes out;
        assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, (bytes){in.p, n}, 4096));
        assert_true(out.n >= 200 && out.n <= 400);
        assert_memory_equal(out.p, data.p, out.n);
        assert_non_null(strstr(damage.what, "ends early"));
        assert_false(damage.trailing);
        free(out.p);
    }
    free(in.p);
    free(data.p);
    place_free(w);
}

static void test_trailing_bytes(void **state)
{
    static const char *const tails[] = {"x", "garbage", "\x1f\x8c", "\x1f\x8b\x07"};
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(1000);
    ts_damage damage;
    char wrappers[64];
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        for (int gzip = 0; gzip <= 1; gzip++) {
            bytes out;
            bytes in = gzip != 0 ? gzip_bytes(data) : zlib_bytes(data);
            size_t whole = in.n;
            in = bytes_join(in, bytes_of(tails[i], strlen(tails[i])));
            assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
            assert_same(out, data);
            assert_non_null(strstr(damage.what, "followed by bytes"));
            assert_true(damage.trailing);
            assert_int_equal(damage.offset, whole);
            free(out.p);
            free(in.p);
        }
    }
    free(data.p);
    place_free(w);
}

static void test_wrong_checksum(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(3000);
    ts_damage damage;
    char wrappers[64];
    bytes out;
    bytes in = gzip_bytes(data);
    in.p[in.n - 8] ^= 1; /* CRC-32 */
    assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
    assert_same(out, data);
    assert_non_null(strstr(damage.what, "gzip data is damaged: incorrect data check"));
    free(out.p);
    in.p[in.n - 8] ^= 1;
    in.p[in.n - 1] ^= 1; /* length */
    assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
    assert_same(out, data);
    assert_non_null(strstr(damage.what, "incorrect length check"));
    free(out.p);
    free(in.p);
    in = zlib_bytes(data);
    in.p[in.n - 1] ^= 1; /* Adler-32 */
    assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
    assert_same(out, data);
    assert_string_equal(wrappers, "zlib");
    assert_non_null(strstr(damage.what, "zlib data is damaged"));
    free(out.p);
    free(in.p);
    free(data.p);
    place_free(w);
}

/* Every bit flipped: never a crash, and never wrong bytes without a word. */
static void test_flipped_bits(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(300);
    bytes in = gzip_bytes(data);
    ts_damage damage;
    char wrappers[64];
    for (size_t bit = 0; bit < in.n * 8; bit++) {
        bytes out;
        in.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        ts_code code = unwrap(&out, &damage, wrappers, w, in, 4096);
        assert_int_equal(code, TS_OK);
        bool right = out.n == data.n && memcmp(out.p, data.p, data.n) == 0;
        assert_true(right || damage.what[0] != '\0' || strcmp(wrappers, "") == 0);
        free(out.p);
        in.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(in.p);
    free(data.p);
    place_free(w);
}

/* The cause is the lowest wrapper that is damaged, and a cut outer one ends the inner one. */
static void test_damage_below(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_noise(2000);
    bytes in = zlib_over(gzip_bytes(data));
    ts_damage damage;
    char wrappers[64];
    bytes out;
    assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, (bytes){in.p, in.n / 2}, 4096));
    assert_string_equal(wrappers, "zlib+gzip");
    assert_non_null(strstr(damage.what, "zlib data ends early"));
    assert_int_equal(damage.offset, in.n / 2);
    assert_true(out.n > 500 && memcmp(out.p, data.p, out.n) == 0);
    free(out.p);
    /* The outer checksum is verified although the inner data ends before it. */
    in.p[in.n - 1] ^= 1;
    assert_ok(w->ctx, unwrap(&out, &damage, wrappers, w, in, 4096));
    assert_same(out, data);
    assert_non_null(strstr(damage.what, "zlib data is damaged"));
    free(out.p);
    free(in.p);
    free(data.p);
    place_free(w);
}

/* --- the viewer's mark (QA-13) --- */

#define MARK "MarkPositionJSON->"

static void test_mark(void **state)
{
    (void)state;
    bytes data = bytes_noise(9000);
    bytes marked = bytes_join(bytes_of(MARK "{\"a\":1}\n", 26), bytes_of(data.p, data.n));
    check_whole(marked, data, "mark");
    bytes in = gzip_bytes(marked);
    check_whole(in, data, "gzip+mark");
    free(in.p);
    free(marked.p);
    marked = bytes_join(bytes_of(MARK "\n", 19), gzip_bytes(data));
    check_whole(marked, data, "mark+gzip");
    free(marked.p);
    /* Only one such line, and only at the begin. */
    marked = bytes_of(MARK "1\n" MARK "2\nrest", 44);
    bytes rest = bytes_of(MARK "2\nrest", 24);
    check_whole(marked, rest, "mark");
    free(marked.p);
    free(rest.p);
    marked = bytes_of(" " MARK "1\nrest", 25);
    check_whole(marked, marked, "");
    free(marked.p);
    free(data.p);
}

static void test_mark_without_newline(void **state)
{
    (void)state;
    bytes in = bytes_of(MARK "never ends", 28);
    check_whole(in, in, "");
    free(in.p);
    in = bytes_of(MARK "\n", 19); /* nothing but the line */
    bytes empty = bytes_new(0);
    check_whole(in, empty, "mark");
    free(empty.p);
    free(in.p);
}

/* The line may end at byte 2^20 - 1, not at 2^20. */
static void test_mark_limit(void **state)
{
    (void)state;
    bytes in = bytes_new((1 << 20) + 100);
    memset(in.p, 'a', in.n);
    memcpy(in.p, MARK, strlen(MARK));
    in.p[(1 << 20) - 1] = '\n';
    check_whole(in, (bytes){in.p + (1 << 20), 100}, "mark");
    in.p[(1 << 20) - 1] = 'a';
    in.p[1 << 20] = '\n';
    check_whole(in, in, "");
    free(in.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_gzip_members),
        cmocka_unit_test(test_zlib_headers),
        cmocka_unit_test(test_zlib_windows),
        cmocka_unit_test(test_zlib_false_positives),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_depth_of_a_member),
        cmocka_unit_test(test_max_inflate),
        cmocka_unit_test(test_ratio),
        cmocka_unit_test(test_ratio_edges),
        cmocka_unit_test(test_cut_gzip),
        cmocka_unit_test(test_cut_zlib),
        cmocka_unit_test(test_cut_second_member),
        cmocka_unit_test(test_trailing_bytes),
        cmocka_unit_test(test_wrong_checksum),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_damage_below),
        cmocka_unit_test(test_mark),
        cmocka_unit_test(test_mark_without_newline),
        cmocka_unit_test(test_mark_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "input_make.h"

/* Opens the bytes as an argument and enters the archive that they are. */
static ts_fileset *enter_bytes(place *w, ts_fileset **outer, bytes in)
{
    ts_fileset *set = NULL;
    assert_ok(w->ctx, ts_fileset_open(outer, w->ctx, put_file(w, "in.zip", in.p, in.n)));
    assert_ok(w->ctx, ts_member_enter(&set, *outer, 0));
    return set;
}

static void check_member(place *w, ts_fileset *set, uint32_t i, const char *name, bytes want)
{
    ts_stream *s;
    bytes out;
    assert_string_equal(ts_member_name(set, i), name);
    assert_ok(w->ctx, ts_member_open(&s, set, i));
    assert_ok(w->ctx, read_stream(&out, s, 4096));
    assert_same(out, want);
    assert_null(ts_stream_damage(s));
    ts_stream_close(s);
    free(out.p);
}

static bool find_member(uint32_t *i, ts_fileset *set, const char *name)
{
    uint32_t n;
    assert_int_equal(ts_fileset_count(&n, set), TS_OK);
    for (uint32_t k = 0; k < n; k++) {
        if (strcmp(ts_member_name(set, k), name) == 0) {
            *i = k;
            return true;
        }
    }
    return false;
}

static void check_all_kinds(enum maker_kind kind)
{
    place *w = place_new();
    bytes a = bytes_text(100000);
    bytes b = bytes_new(0);
    bytes c = bytes_noise(700000);
    ts_fileset *outer;
    uint32_t n;
    maker m;
    maker_open(&m, kind);
    maker_entry(&m, "dir", AE_IFDIR, NULL, false, NULL, 0);
    maker_file(&m, "dir/b.htrace", a.p, a.n);
    maker_file(&m, "a-empty", b.p, b.n);
    maker_file(&m, "z", c.p, c.n);
    bytes in = maker_close(&m);
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_int_equal(ts_fileset_kind(set), TS_SET_ARCHIVE);
    assert_string_equal(ts_fileset_name(set), "in.zip");
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, 3);
    assert_null(ts_fileset_damage(set));
    const char *first;
    assert_int_equal(ts_fileset_skipped(set), 0);
    assert_int_equal(ts_fileset_unread(&first, set), 0);
    assert_null(first);
    assert_int_equal(ts_fileset_raw_size(set), in.n);
    for (int round = 0; round < 2; round++) { /* in order, then backwards */
        check_member(w, set, 0, "dir/b.htrace", a);
        check_member(w, set, 1, "a-empty", b);
        check_member(w, set, 2, "z", c);
        check_member(w, set, 1, "a-empty", b);
    }
    assert_true(ts_fileset_raw_offset(set) <= in.n && ts_fileset_raw_offset(set) > 0);
    ts_fileset_close(set);
    ts_fileset_close(outer);
    free(in.p);
    free(a.p);
    free(b.p);
    free(c.p);
    place_free(w);
}

static void test_kinds(void **state)
{
    (void)state;
    check_all_kinds(MAKE_ZIP);
    check_all_kinds(MAKE_ZIP_STORED);
    check_all_kinds(MAKE_USTAR);
    check_all_kinds(MAKE_V7);
    check_all_kinds(MAKE_PAX);
    check_all_kinds(MAKE_GNU);
}

static void test_wrap_is_reported(void **state)
{
    static const char *const plain[] = {"PK", "PK\3", "PK\1\2", "PKxx", "PK\7\10", "text"};
    (void)state;
    place *w = place_new();
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        ts_fileset *set;
        ts_fileset *inner;
        ts_stream *s;
        ts_text head;
        put_file(w, "in", plain[i], strlen(plain[i]));
        assert_ok(w->ctx, ts_fileset_open(&set, w->ctx, w->path));
        assert_ok(w->ctx, ts_member_open(&s, set, 0));
        assert_ok(w->ctx, ts_stream_peek(&head, s));
        assert_true(ts_text_is(head, plain[i]));
        assert_int_equal(ts_stream_wrap(s), TS_WRAP_NONE);
        ts_stream_close(s);
        assert_code(w->ctx, ts_member_enter(&inner, set, 0), TS_ERR_FORMAT, "not an archive");
        assert_null(inner);
        ts_fileset_close(set);
    }
    place_free(w);
}

/* An empty zip is 22 bytes that begin with PK 5 6. */
static void test_empty_zip(void **state)
{
    (void)state;
    place *w = place_new();
    bytes in = bytes_new(22);
    memcpy(in.p, "PK\5\6", 4);
    ts_fileset *outer;
    uint32_t n;
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, 0);
    assert_null(ts_fileset_damage(set));
    ts_fileset_close(outer); /* closes the inner one too */
    free(in.p);
    place_free(w);
}

/* --- nesting --- */

/* Wrapped `depth` times over: the archive or file found at the bottom. Codes of the last step. */
static ts_code descend(bytes *out, place *w, bytes in)
{
    ts_fileset *outer;
    ts_stream *s = NULL;
    *out = (bytes){NULL, 0};
    ts_code code = ts_fileset_open(&outer, w->ctx, put_file(w, "in", in.p, in.n));
    ts_fileset *set = outer;
    while (code == TS_OK && (code = ts_member_open(&s, set, 0)) == TS_OK) {
        ts_wrap wrap = ts_stream_wrap(s);
        if (wrap == TS_WRAP_NONE) {
            code = read_stream(out, s, 4096);
            ts_stream_close(s);
            break;
        }
        ts_stream_close(s);
        code = ts_member_enter(&set, set, 0);
    }
    ts_fileset_close(outer);
    return code;
}

static void test_nested(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(50000);
    bytes out;
    /* zip in gzip, tar in zip, both with more around them: four wrappers each */
    bytes one =
        gzip_over(gzip_over(gzip_over(archive_over(MAKE_ZIP, "x", bytes_of(data.p, data.n)))));
    bytes two = archive_over(MAKE_ZIP, "t.tar.gz",
                             gzip_over(archive_over(MAKE_USTAR, "x", zlib_bytes(data))));
    assert_ok(w->ctx, descend(&out, w, one));
    assert_same(out, data);
    free(out.p);
    assert_ok(w->ctx, descend(&out, w, two));
    assert_same(out, data);
    free(out.p);
    /* The fifth is refused, whatever it is. */
    one = gzip_over(one);
    assert_code(w->ctx, descend(&out, w, one), TS_ERR_LIMIT, "more than 4 times");
    two = archive_over(MAKE_ZIP, "y", two);
    assert_code(w->ctx, descend(&out, w, two), TS_ERR_LIMIT, "more than 4 times");
    free(one.p);
    free(two.p);
    free(data.p);
    place_free(w);
}

/* Five archives in one another, as in an archive that holds itself. */
static void test_archive_depth(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_text(100);
    bytes out;
    bytes in = bytes_of(data.p, data.n);
    for (int depth = 1; depth <= 6; depth++) {
        in = archive_over(depth % 2 != 0 ? MAKE_USTAR : MAKE_ZIP, "self", in);
        ts_code code = descend(&out, w, in);
        assert_int_equal(code, depth <= 4 ? TS_OK : TS_ERR_LIMIT);
        if (depth <= 4) {
            assert_same(out, data);
        }
        free(out.p);
    }
    free(in.p);
    free(data.p);
    place_free(w);
}

static void test_two_inner_sets(void **state)
{
    (void)state;
    place *w = place_new();
    bytes a = bytes_text(3000);
    bytes b = bytes_noise(3000);
    bytes first = archive_over(MAKE_ZIP, "a", bytes_of(a.p, a.n));
    bytes second = archive_over(MAKE_USTAR, "b", bytes_of(b.p, b.n));
    maker m;
    maker_open(&m, MAKE_ZIP_STORED);
    maker_file(&m, "1.zip", first.p, first.n);
    maker_file(&m, "2.tar", second.p, second.n);
    bytes in = maker_close(&m);
    ts_fileset *outer;
    ts_fileset *x;
    ts_fileset *y;
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_member_enter(&x, set, 0));
    assert_ok(w->ctx, ts_member_enter(&y, set, 1));
    assert_string_equal(ts_fileset_name(x), "1.zip");
    uint32_t n;
    assert_ok(w->ctx, ts_fileset_count(&n, y));
    check_member(w, y, 0, "b", b);
    assert_ok(w->ctx, ts_fileset_count(&n, x));
    check_member(w, x, 0, "a", a);
    ts_fileset_close(x);
    ts_fileset_close(outer);
    free(in.p);
    free(first.p);
    free(second.p);
    free(a.p);
    free(b.p);
    place_free(w);
}

/* --- names --- */

/* Names that lead out of the archive are shown without what leads there; the members are read. */
static void test_hostile_names(void **state)
{
    static const char *const bad[][2] = {
        {"/etc/passwd", "etc/passwd"}, {"../up", "up"}, {"a/../../b", "a/b"}, {"a/..", "a"},
        {"..", "unnamed-4"},           {"C:/x", "x"},   {"\\y", "y"},         {"a\\..\\c", "a\\c"},
    };
    enum { BAD = sizeof bad / sizeof bad[0] };
    (void)state;
    place *w = place_new();
    ts_fileset *outer;
    uint32_t n;
    const char *first;
    maker m;
    maker_open(&m, MAKE_PAX);
    for (size_t i = 0; i < BAD; i++) {
        maker_file(&m, bad[i][0], "x", 1);
    }
    maker_entry(&m, "fifo", AE_IFIFO, NULL, false, NULL, 0);
    maker_entry(&m, "device", AE_IFCHR, NULL, false, NULL, 0);
    maker_file(&m, "./a//b/./c", "good", 4);
    maker_file(&m, "..x/y..z/...", "good", 4);
    bytes in = maker_close(&m);
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, BAD + 2);
    bytes good = bytes_of("good", 4);
    bytes x = bytes_of("x", 1);
    for (uint32_t i = 0; i < BAD; i++) {
        check_member(w, set, i, bad[i][1], x);
    }
    check_member(w, set, BAD, "a/b/c", good);
    check_member(w, set, BAD + 1, "..x/y..z/...", good);
    assert_int_equal(ts_fileset_skipped(set), 0);
    assert_int_equal(ts_fileset_unread(&first, set), 2);
    assert_string_equal(first, "fifo");
    ts_fileset_close(outer);
    free(x.p);
    free(good.p);
    free(in.p);
    place_free(w);
}

/* What was distinguished by "/", ".." or nothing before it still is. */
static void test_names_stay_distinct(void **state)
{
    static const char *const names[][2] = {
        {"pod/calls/1.gz", "pod/calls/1.gz"},
        {"/pod/calls/1.gz", "(2)/pod/calls/1.gz"},
        {"../pod/calls/1.gz", "(3)/pod/calls/1.gz"},
        {"/pod/trace/1.gz", "(2)/pod/trace/1.gz"}, /* stays with the other of its kind */
        {"../../other", "other"},
        {"same", "same"},
        {"same", "same"},
    };
    enum { NAMES = sizeof names / sizeof names[0] };
    (void)state;
    for (int kind = MAKE_ZIP; kind <= MAKE_PAX; kind++) {
        place *w = place_new();
        ts_fileset *outer;
        uint32_t n;
        maker m;
        maker_open(&m, (enum maker_kind)kind);
        for (size_t i = 0; i < NAMES; i++) {
            char text[2] = {(char)('0' + i), 0};
            maker_file(&m, names[i][0], text, 1);
        }
        bytes in = maker_close(&m);
        ts_fileset *set = enter_bytes(w, &outer, in);
        assert_ok(w->ctx, ts_fileset_count(&n, set));
        assert_int_equal(n, NAMES);
        for (uint32_t i = 0; i < NAMES; i++) {
            bytes want = bytes_new(1);
            want.p[0] = (uint8_t)('0' + i);
            check_member(w, set, i, names[i][1], want);
            free(want.p);
        }
        ts_fileset_close(outer);
        free(in.p);
        place_free(w);
    }
}

/* Links are read as what they stand for, as in a directory; those to nowhere are reported. */
static void test_links(void **state)
{
    (void)state;
    for (int kind = MAKE_ZIP; kind <= MAKE_GNU; kind++) {
        place *w = place_new();
        bool hard = kind >= MAKE_USTAR; /* zips know none */
        ts_fileset *outer;
        uint32_t n;
        uint32_t i = UINT32_MAX;
        const char *first;
        maker m;
        maker_open(&m, (enum maker_kind)kind);
        maker_entry(&m, "d/chain", AE_IFLNK, "soft", false, NULL, 0);
        maker_entry(&m, "d/soft", AE_IFLNK, "../e/./file", false, NULL, 0);
        maker_file(&m, "e/file", "good", 4);
        maker_entry(&m, "dir", AE_IFLNK, "e", false, NULL, 0);
        maker_entry(&m, "gone", AE_IFLNK, "nowhere", false, NULL, 0);
        maker_entry(&m, "out", AE_IFLNK, "../e/file", false, NULL, 0);
        maker_entry(&m, "loop", AE_IFLNK, "loop", false, NULL, 0);
        if (hard) {
            maker_entry(&m, "hard", AE_IFREG, "e/file", true, NULL, 0);
            maker_entry(&m, "hard-gone", AE_IFREG, "e/none", true, NULL, 0);
        }
        maker_file(&m, "last", "end", 3);
        bytes in = maker_close(&m);
        bytes good = bytes_of("good", 4);
        bytes last = bytes_of("end", 3);
        ts_fileset *set = enter_bytes(w, &outer, in);
        assert_ok(w->ctx, ts_fileset_count(&n, set));
        assert_int_equal(n, hard ? 5 : 4);
        check_member(w, set, 0, "e/file", good);
        check_member(w, set, 1, "last", last);
        assert_true(find_member(&i, set, "d/soft"));
        check_member(w, set, i, "d/soft", good);
        assert_true(find_member(&i, set, "d/chain"));
        check_member(w, set, i, "d/chain", good);
        assert_int_equal(find_member(&i, set, "hard"), hard);
        check_member(w, set, i, hard ? "hard" : "d/chain", good);
        assert_int_equal(ts_fileset_skipped(set), 1);
        assert_int_equal(ts_fileset_unread(&first, set), hard ? 4 : 3);
        ts_fileset_close(outer);
        free(last.p);
        free(good.p);
        free(in.p);
        place_free(w);
    }
}

/* Names are read whole. */
static void test_long_name(void **state)
{
    enum { LONG = 5000 };
    (void)state;
    place *w = place_new();
    char *name = malloc(LONG + 1);
    ts_fileset *outer;
    uint32_t n;
    maker m;
    assert_non_null(name);
    maker_open(&m, MAKE_PAX);
    memset(name, 'a', LONG);
    for (size_t len = 4095; len <= 4097; len++) {
        name[len] = '\0';
        maker_file(&m, name, "x", 1);
        name[len] = 'a';
    }
    bytes in = maker_close(&m);
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, 3);
    assert_int_equal(strlen(ts_member_name(set, 2)), 4097);
    ts_fileset_close(outer);
    free(in.p);
    free(name);
    place_free(w);
}

/* A zip that a program without libarchive wrote: stored members, by hand. flags bit 11 = UTF-8. */
static bytes raw_zip(const char *name, unsigned flags, const char *data)
{
    uint8_t local[30] = {'P', 'K', 3, 4, 20};
    uint8_t central[46] = {'P', 'K', 1, 2, 20, 3, 20};
    uint8_t end[22] = {'P', 'K', 5, 6};
    size_t len = strlen(data);
    size_t name_len = strlen(name);
    uLong crc = crc32(0, (const Bytef *)data, (uInt)len);
    local[6] = (uint8_t)flags;
    local[7] = (uint8_t)(flags >> 8);
    for (int i = 0; i < 4; i++) {
        local[14 + i] = (uint8_t)(crc >> 8 * i);
    }
    local[18] = local[22] = (uint8_t)len;
    local[26] = (uint8_t)name_len;
    memcpy(central + 8, local + 6, 22);
    central[38] = 0;
    central[41] = 0x81; /* a regular file, as Unix says it */
    end[8] = end[10] = 1;
    end[12] = (uint8_t)(46 + name_len);
    end[16] = (uint8_t)(30 + name_len + len);
    bytes b = bytes_of(local, 30);
    b = bytes_join(b, bytes_of(name, name_len));
    b = bytes_join(b, bytes_of(data, len));
    b = bytes_join(b, bytes_of(central, 46));
    b = bytes_join(b, bytes_of(name, name_len));
    return bytes_join(b, bytes_of(end, 22));
}

/* Names are bytes or UTF-8 in the archive and UTF-8 here, in the C locale of the tests too. */
static void test_name_encodings(void **state)
{
    static const struct {
        const char *name;
        unsigned flags;
        const char *want;
    } cases[] = {
        {"plain", 0, "plain"},
        {"\xc3\xa4\xe4\xb8\xad", 0x800, "\xc3\xa4\xe4\xb8\xad"},
        {"\xc3\xa4\xe4\xb8\xad", 0, "\xc3\xa4\xe4\xb8\xad"},
        {"a\xff z", 0, "a\xef\xbf\xbd z"},
    };
    (void)state;
    place *w = place_new();
    bytes data = bytes_of("content", 7);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ts_fileset *outer;
        uint32_t n;
        bytes in = raw_zip(cases[i].name, cases[i].flags, "content");
        ts_fileset *set = enter_bytes(w, &outer, in);
        assert_ok(w->ctx, ts_fileset_count(&n, set));
        assert_int_equal(n, 1);
        check_member(w, set, 0, cases[i].want, data);
        ts_fileset_close(outer);
        free(in.p);
    }
    /* Said to be UTF-8 and is not: still listed and read. */
    ts_fileset *outer;
    uint32_t n;
    bytes in = raw_zip("a\xff z", 0x800, "content");
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, 1);
    check_member(w, set, 0, ts_member_name(set, 0), data);
    ts_fileset_close(outer);
    free(in.p);
    free(data.p);
    place_free(w);
}

static void test_pax_names(void **state)
{
    (void)state;
    place *w = place_new();
    ts_fileset *outer;
    uint32_t n;
    /* A pax header with a UTF-8 path: "<len> path=<name>\n" */
    bytes data = bytes_of("d", 1);
    bytes in =
        archive_over(MAKE_USTAR, "PaxHeader/x", bytes_of("15 path=\xc3\xa4/\xe2\x82\xac\n", 15));
    in.n = 1024;
    in.p[156] = 'x';
    unsigned sum = 0;
    memset(in.p + 148, ' ', 8);
    for (int i = 0; i < 512; i++) {
        sum += in.p[i];
    }
    (void)snprintf((char *)in.p + 148, 8, "%06o", sum);
    in = bytes_join(in, archive_over(MAKE_USTAR, "short", bytes_of("d", 1)));
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, 1);
    check_member(w, set, 0, "\xc3\xa4/\xe2\x82\xac", data);
    ts_fileset_close(outer);
    free(in.p);
    free(data.p);
    place_free(w);
}

/* --- limits --- */

static void test_member_limit(void **state)
{
    (void)state;
    for (int kind = MAKE_ZIP; kind <= MAKE_USTAR; kind++) {
        place *w = place_new();
        w->ctx->limits.archive_members = 10;
        for (uint32_t n = 9; n <= 11; n++) {
            ts_fileset *outer;
            uint32_t count;
            char name[16];
            maker m;
            maker_open(&m, (enum maker_kind)kind);
            for (uint32_t i = 0; i < n; i++) {
                (void)snprintf(name, sizeof name, "m%u", i);
                maker_file(&m, name, "x", 1);
            }
            bytes in = maker_close(&m);
            ts_fileset *set = enter_bytes(w, &outer, in);
            if (n <= 10) {
                assert_ok(w->ctx, ts_fileset_count(&count, set));
                assert_int_equal(count, n);
            } else {
                for (int again = 0; again < 2; again++) {
                    assert_code(w->ctx, ts_fileset_count(&count, set), TS_ERR_LIMIT,
                                "more than 10 entries");
                    assert_int_equal(count, 0);
                }
            }
            ts_fileset_close(outer);
            free(in.p);
        }
        place_free(w);
    }
}

/* A central directory that is far beyond the limit is not read whole. */
static void test_huge_directory(void **state)
{
    enum { COPIES = 20000 };
    (void)state;
    place *w = place_new();
    ts_fileset *outer;
    uint32_t n;
    bytes one = raw_zip("x", 0, "content");
    bytes entry = {one.p + 38, 47};
    bytes in = bytes_new(38 + 47 * (size_t)COPIES + 22);
    memcpy(in.p, one.p, 38);
    for (size_t i = 0; i < COPIES; i++) {
        memcpy(in.p + 38 + 47 * i, entry.p, 47);
    }
    uint8_t *end = in.p + 38 + 47 * (size_t)COPIES;
    memcpy(end, one.p + 38 + 47, 22);
    for (int i = 0; i < 4; i++) {
        end[12 + i] = (uint8_t)((47U * COPIES) >> 8 * i);
    }
    end[8] = end[10] = (uint8_t)(COPIES & 0xff);
    end[9] = end[11] = COPIES >> 8;
    w->ctx->limits.archive_members = 100;
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_code(w->ctx, ts_fileset_count(&n, set), TS_ERR_LIMIT, "more than 100 entries");
    ts_fileset_close(outer);
    free(in.p);
    free(one.p);
    place_free(w);
}

static void test_unpack_limits(void **state)
{
    (void)state;
    place *w = place_new();
    bytes data = bytes_new(500000);
    bytes in = archive_over(MAKE_ZIP, "zeros", bytes_of(data.p, data.n));
    for (int what = 0; what < 2; what++) {
        for (uint64_t limit = 499999; limit <= 500001; limit++) {
            ts_fileset *outer;
            ts_stream *s;
            bytes out = {NULL, 0};
            w->ctx->limits.max_inflate = what == 0 ? limit : 1 << 30;
            w->ctx->limits.inflate_grace = what == 1 ? limit : 1 << 30;
            w->ctx->limits.inflate_ratio = 10;
            ts_fileset *set = enter_bytes(w, &outer, in);
            ts_code code = ts_member_open(&s, set, 0);
            if (code == TS_OK) {
                code = read_stream(&out, s, 4096);
                ts_stream_close(s);
            }
            assert_int_equal(code, limit < 500000 ? TS_ERR_LIMIT : TS_OK);
            if (code == TS_OK) {
                assert_same(out, data);
            } else {
                assert_non_null(strstr(w->ctx->error.causes[0], what == 0 ? "499999" : "10 times"));
            }
            free(out.p);
            ts_fileset_close(outer);
        }
    }
    free(in.p);
    /* Stored as it is, it may be larger than the limit. */
    ts_fileset *outer;
    uint32_t n;
    w->ctx->limits.max_inflate = 1000;
    w->ctx->limits.inflate_grace = 1000;
    in = archive_over(MAKE_USTAR, "zeros", bytes_of(data.p, data.n));
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    check_member(w, set, 0, "zeros", data);
    ts_fileset_close(outer);
    free(in.p);
    free(data.p);
    place_free(w);
}

/* --- damage --- */

/* What every cut of an archive of three members must keep: names and bytes that are prefixes. */
static void check_cut(place *w, bytes in, size_t n, const bytes *want, const char *const *names)
{
    ts_fileset *outer;
    ts_fileset *set;
    uint32_t count;
    bool loss = false;
    assert_ok(w->ctx, ts_fileset_open(&outer, w->ctx, put_file(w, "in", in.p, n)));
    ts_stream *s;
    assert_ok(w->ctx, ts_member_open(&s, outer, 0));
    ts_wrap wrap = ts_stream_wrap(s);
    ts_stream_close(s);
    if (wrap == TS_WRAP_NONE) {
        assert_true(n < 512);
        ts_fileset_close(outer);
        return;
    }
    assert_ok(w->ctx, ts_member_enter(&set, outer, 0));
    assert_ok(w->ctx, ts_fileset_count(&count, set));
    assert_true(count <= 3);
    for (uint32_t i = 0; i < count; i++) {
        bytes out;
        assert_string_equal(ts_member_name(set, i), names[i]);
        assert_ok(w->ctx, ts_member_open(&s, set, i));
        assert_ok(w->ctx, read_stream(&out, s, 4096));
        assert_true(out.n <= want[i].n);
        assert_memory_equal(out.p, want[i].p, out.n);
        assert_true(out.n == want[i].n || ts_stream_damage(s) != NULL);
        loss = loss || ts_stream_damage(s) != NULL;
        ts_stream_close(s);
        free(out.p);
    }
    assert_true(ts_fileset_damage(set) != NULL || (n == in.n && !loss));
    ts_fileset_close(outer);
}

static void test_cuts(void **state)
{
    static const char *const names[] = {"one", "two", "three"};
    (void)state;
    for (int kind = MAKE_ZIP; kind <= MAKE_GNU; kind++) {
        place *w = place_new();
        bytes want[] = {bytes_text(300), bytes_noise(90), bytes_text(700)};
        maker m;
        maker_open(&m, (enum maker_kind)kind);
        for (int i = 0; i < 3; i++) {
            maker_file(&m, names[i], want[i].p, want[i].n);
        }
        bytes in = maker_close(&m);
        size_t step = kind <= MAKE_ZIP_STORED ? 1 : 13;
        for (size_t n = in.n; n >= 30; n = n > step ? n - step : 0) {
            /* A tar may end anywhere in its zeros; only its last block tells that it is whole. */
            if (kind <= MAKE_ZIP_STORED || n == in.n || n < in.n - 1024) {
                check_cut(w, in, n, want, names);
            }
        }
        for (int i = 0; i < 3; i++) {
            free(want[i].p);
        }
        free(in.p);
        place_free(w);
    }
}

/* The central directory is gone: the members are found by their local headers. */
static void test_zip_without_directory(void **state)
{
    (void)state;
    place *w = place_new();
    bytes a = bytes_text(5000);
    maker m;
    ts_fileset *outer;
    uint32_t n;
    maker_open(&m, MAKE_ZIP);
    maker_file(&m, "a", a.p, a.n);
    maker_file(&m, "b", a.p, a.n);
    bytes in = maker_close(&m);
    in.n -= 60;
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, 2);
    assert_non_null(strstr(ts_fileset_damage(set)->what, "no readable directory"));
    check_member(w, set, 1, "b", a);
    check_member(w, set, 0, "a", a);
    ts_fileset_close(outer);
    free(in.p);
    free(a.p);
    place_free(w);
}

static void test_zip_wrong_crc(void **state)
{
    (void)state;
    place *w = place_new();
    bytes in = raw_zip("x", 0, "content");
    bytes want = bytes_of("cOntent", 7);
    ts_fileset *outer;
    ts_stream *s;
    bytes out;
    in.p[32] = 'O';
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_member_open(&s, set, 0));
    assert_ok(w->ctx, read_stream(&out, s, 100));
    assert_same(out, want);
    assert_non_null(strstr(ts_stream_damage(s)->what, "CRC"));
    ts_stream_close(s);
    free(out.p);
    ts_fileset_close(outer);
    free(want.p);
    free(in.p);
    place_free(w);
}

/* By the old cipher, which a flag says, or by AES, which stands in the place of the method. */
static void test_encrypted(void **state)
{
    (void)state;
    static const char content[] = "content content content";
    enum { LOCAL_METHOD = 8, CENTRAL_METHOD = 30 + 1 + sizeof content - 1 + 10, AES = 99 };
    for (int aes = 0; aes < 2; aes++) {
        place *w = place_new();
        bytes in = raw_zip("x", aes == 0 ? 1 : 0, content);
        in.p[LOCAL_METHOD] = in.p[CENTRAL_METHOD] = aes == 0 ? 0 : AES;
        ts_fileset *outer;
        ts_stream *s;
        bytes out;
        ts_fileset *set = enter_bytes(w, &outer, in);
        assert_ok(w->ctx, ts_member_open(&s, set, 0));
        assert_ok(w->ctx, read_stream(&out, s, 100));
        assert_int_equal(out.n, 0);
        assert_non_null(strstr(ts_stream_damage(s)->what, "encrypted"));
        ts_stream_close(s);
        free(out.p);
        ts_fileset_close(outer);
        free(in.p);
        place_free(w);
    }
}

/* A header with a wrong checksum loses its member; the next one is found again. */
/* Its bytes are there, and none is certain: no header stands where it ends. */
static void check_doubted(place *w, ts_fileset *set, uint32_t i, bytes want)
{
    ts_stream *s;
    assert_ok(w->ctx, ts_member_open(&s, set, i));
    bytes got;
    assert_ok(w->ctx, read_stream(&got, s, 4096));
    assert_int_equal(got.n, want.n);
    assert_non_null(ts_stream_doubt(s));
    ts_stream_close(s);
    free(got.p);
}

static void test_tar_bad_header(void **state)
{
    (void)state;
    place *w = place_new();
    bytes a = bytes_text(600);
    maker m;
    ts_fileset *outer;
    uint32_t n;
    maker_open(&m, MAKE_USTAR);
    maker_file(&m, "a", a.p, a.n);
    maker_file(&m, "b", a.p, a.n);
    maker_file(&m, "c", a.p, a.n);
    bytes in = maker_close(&m);
    in.p[512 + 1024 + 100] ^= 1;
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, 2);
    assert_non_null(ts_fileset_damage(set));
    check_doubted(w, set, 0, a);
    check_member(w, set, 1, "c", a);
    check_doubted(w, set, 0, a);
    ts_fileset_close(outer);
    /* The very first header: nothing but its magic says that it is a tar. */
    in.p[512 + 1024 + 100] ^= 1;
    in.p[100] ^= 1;
    set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_non_null(ts_fileset_damage(set));
    ts_fileset_close(outer);
    free(in.p);
    free(a.p);
    place_free(w);
}

/* One block of zeros is an end; what the member before it holds does not matter. */
static void test_tar_end(void **state)
{
    (void)state;
    place *w = place_new();
    bytes a = bytes_text(1024);
    bytes in = archive_over(MAKE_USTAR, "a", bytes_of(a.p, a.n));
    for (int blocks = 2; blocks >= 0; blocks--) {
        ts_fileset *outer;
        uint32_t n;
        in.n = 512 + 1024 + 512 * (size_t)blocks;
        ts_fileset *set = enter_bytes(w, &outer, in);
        assert_ok(w->ctx, ts_fileset_count(&n, set));
        assert_int_equal(n, 1);
        check_member(w, set, 0, "a", a);
        assert_int_equal(ts_fileset_damage(set) != NULL, blocks == 0);
        ts_fileset_close(outer);
    }
    free(in.p);
    free(a.p);
    place_free(w);
}

/* Two tars behind one another: the second is not lost behind the end mark of the first. */
static void test_tar_concatenated(void **state)
{
    (void)state;
    place *w = place_new();
    bytes a = bytes_text(600);
    bytes in = bytes_join(archive_over(MAKE_USTAR, "a", bytes_of(a.p, a.n)),
                          archive_over(MAKE_USTAR, "b", bytes_of(a.p, a.n)));
    ts_fileset *outer;
    uint32_t n;
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, 2);
    check_member(w, set, 1, "b", a);
    assert_null(ts_fileset_damage(set));
    ts_fileset_close(outer);
    free(in.p);
    free(a.p);
    place_free(w);
}

/* A zip that was split, or could have been, begins with a mark. */
static void test_zip_mark(void **state)
{
    static const char *const marks[] = {"PK\7\10", "PK00"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        place *w = place_new();
        bytes a = bytes_text(600);
        bytes in =
            bytes_join(bytes_of(marks[i], 4), archive_over(MAKE_ZIP, "a", bytes_of(a.p, a.n)));
        ts_fileset *outer;
        uint32_t n;
        uint64_t at;
        ts_fileset *set = enter_bytes(w, &outer, in);
        assert_ok(w->ctx, ts_fileset_count(&n, set));
        assert_int_equal(n, 1);
        check_member(w, set, 0, "a", a);
        assert_null(ts_fileset_damage(set));
        assert_int_equal(ts_fileset_stray(&at, set), 0);
        ts_fileset_close(outer);
        free(in.p);
        free(a.p);
        place_free(w);
    }
}

/* Zips behind one another: both are listed, by the offsets of each. */
static void test_zip_concatenated(void **state)
{
    (void)state;
    place *w = place_new();
    bytes a = bytes_text(600);
    bytes b = bytes_noise(90);
    bytes c = bytes_text(70);
    bytes in = bytes_join(archive_over(MAKE_ZIP, "a", bytes_of(a.p, a.n)),
                          archive_over(MAKE_ZIP_STORED, "b", bytes_of(b.p, b.n)));
    in = bytes_join(in, archive_over(MAKE_ZIP, "c", bytes_of(c.p, c.n)));
    ts_fileset *outer;
    uint32_t n;
    uint64_t at;
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, 3);
    check_member(w, set, 0, "a", a);
    check_member(w, set, 1, "b", b);
    check_member(w, set, 2, "c", c);
    check_member(w, set, 0, "a", a);
    assert_null(ts_fileset_damage(set));
    assert_int_equal(ts_fileset_stray(&at, set), 0);
    ts_fileset_close(outer);
    free(in.p);
    free(a.p);
    free(b.p);
    free(c.p);
    place_free(w);
}

/* Bytes before, between and behind zips belong to nothing, unless they are zero. */
static void test_zip_stray_bytes(void **state)
{
    static const struct {
        size_t before, between, behind;
    } cases[] = {{0, 0, 0}, {0, 0, 30}, {50, 0, 0}, {0, 20, 0}, {5, 6, 7}};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        place *w = place_new();
        size_t before = cases[i / 2].before;
        size_t between = cases[i / 2].between;
        size_t behind = cases[i / 2].behind;
        bool zero = i % 2 != 0;
        bytes in = bytes_new(before);
        bytes one = archive_over(MAKE_ZIP, "a", bytes_text(40));
        bytes two = archive_over(MAKE_ZIP, "b", bytes_text(50));
        uint64_t where = before > 0 ? 0 : between > 0 ? one.n : one.n + two.n;
        memset(in.p, 'j', before);
        memcpy(in.p, "PK\3\4", before > 0 ? 4 : 0); /* else it does not look like a zip */
        in = bytes_join(bytes_join(in, one), bytes_new(between));
        memset(in.p + in.n - between, zero ? 0 : 'j', between);
        in = bytes_join(bytes_join(in, two), bytes_new(behind));
        memset(in.p + in.n - behind, zero ? 0 : 'j', behind);
        ts_fileset *outer;
        uint32_t n;
        uint64_t at;
        ts_fileset *set = enter_bytes(w, &outer, in);
        assert_ok(w->ctx, ts_fileset_count(&n, set));
        assert_int_equal(n, 2);
        assert_int_equal(ts_fileset_stray(&at, set), before + (zero ? 0 : between + behind));
        if (ts_fileset_stray(&at, set) > 0) {
            assert_int_equal(at, where);
        }
        assert_null(ts_fileset_damage(set));
        ts_fileset_close(outer);
        free(in.p);
        place_free(w);
    }
}

/* A damaged gzip around a tar: what came out is listed, the cause is the gzip's. */
static void test_damaged_around(void **state)
{
    (void)state;
    place *w = place_new();
    bytes a = bytes_noise(5000);
    maker m;
    ts_fileset *outer;
    uint32_t n;
    maker_open(&m, MAKE_USTAR);
    maker_file(&m, "a", a.p, a.n);
    maker_file(&m, "b", a.p, a.n);
    bytes in = maker_close(&m);
    for (size_t i = 512 + 5120 + 512; i < in.n - 1024; i++) {
        in.p[i] ^= (uint8_t)(i * i >> 4); /* else it would take no space */
    }
    in = gzip_over(in);
    in.n -= 4000;
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_true(n >= 1);
    assert_non_null(strstr(ts_fileset_damage(set)->what, "gzip data ends early"));
    check_member(w, set, 0, "a", a);
    ts_fileset_close(outer);
    free(in.p);
    free(a.p);
    place_free(w);
}

/* Bits flipped all over small archives: no crash, no leak, and codes that are allowed. */
static void test_flipped_bits(void **state)
{
    (void)state;
    for (int kind = MAKE_ZIP; kind <= MAKE_GNU; kind++) {
        const size_t many = test_slow() ? 3 : 7;
        const size_t step = kind <= MAKE_ZIP_STORED ? many : many * 10 - 1;
        place *w = place_new();
        w->ctx->limits.max_inflate = 1 << 20;
        bytes in = archive_over((enum maker_kind)kind, "name", bytes_text(200));
        for (size_t bit = 0; bit < in.n * 8; bit += step) {
            bytes out;
            in.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
            ts_code code = descend(&out, w, in);
            assert_true(code == TS_OK || code == TS_ERR_INTERNAL || code == TS_ERR_LIMIT);
            if (code == TS_ERR_INTERNAL) {
                assert_non_null(strstr(w->ctx->error.causes[0], "has no member 0"));
            }
            free(out.p);
            in.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        free(in.p);
        place_free(w);
    }
}

/* The local part of a deflated member that claims `more` bytes than it has. */
static bytes local_member(const char *name, bytes data, size_t more)
{
    uint8_t head[30] = {'P', 'K', 3, 4, 20, 0, 0, 0, 8};
    bytes body = deflate_bytes(data, 6, -15);
    size_t claimed = body.n + more;
    uLong crc = crc32(0, data.p, (uInt)data.n);
    for (int i = 0; i < 4; i++) {
        head[14 + i] = (uint8_t)(crc >> 8 * i);
        head[18 + i] = (uint8_t)(claimed >> 8 * i);
        head[22 + i] = (uint8_t)(data.n >> 8 * i);
    }
    head[26] = (uint8_t)strlen(name);
    return bytes_join(bytes_join(bytes_of(head, 30), bytes_of(name, strlen(name))), body);
}

/*
 * A member gives the same bytes whether those before it were read or passed over: the first one
 * claims the bytes of the second, which its data does not need.
 */
static void test_order_of_reading(void **state)
{
    (void)state;
    place *w = place_new();
    bytes a = bytes_text(1000);
    bytes b = bytes_text(2000);
    bytes c = bytes_text(3000);
    bytes second = local_member("b", b, 0);
    bytes in = local_member("a", a, second.n);
    in = bytes_join(bytes_join(in, second), local_member("c", c, 0));
    ts_fileset *outer;
    ts_stream *s;
    bytes out;
    uint32_t n;
    ts_fileset *set = enter_bytes(w, &outer, in);
    assert_ok(w->ctx, ts_fileset_count(&n, set));
    assert_int_equal(n, 2);
    for (int round = 0; round < 2; round++) {
        assert_ok(w->ctx, ts_member_open(&s, set, 0));
        assert_ok(w->ctx, read_stream(&out, s, 4096));
        if (archive_version_number() < 3007000) {
            assert_same(out, a);
        } else { /* gives nothing of it */
            assert_true(out.n <= a.n && memcmp(out.p, a.p, out.n) == 0);
        }
        assert_non_null(ts_stream_damage(s));
        ts_stream_close(s);
        free(out.p);
        check_member(w, set, 1, "c", c);
    }
    ts_fileset_close(outer);
    free(in.p);
    free(a.p);
    free(b.p);
    free(c.p);
    place_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_wrap_is_reported),
        cmocka_unit_test(test_empty_zip),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_archive_depth),
        cmocka_unit_test(test_two_inner_sets),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_names_stay_distinct),
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_long_name),
        cmocka_unit_test(test_name_encodings),
        cmocka_unit_test(test_pax_names),
        cmocka_unit_test(test_member_limit),
        cmocka_unit_test(test_huge_directory),
        cmocka_unit_test(test_unpack_limits),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_zip_without_directory),
        cmocka_unit_test(test_zip_wrong_crc),
        cmocka_unit_test(test_encrypted),
        cmocka_unit_test(test_tar_bad_header),
        cmocka_unit_test(test_tar_end),
        cmocka_unit_test(test_tar_concatenated),
        cmocka_unit_test(test_zip_mark),
        cmocka_unit_test(test_zip_concatenated),
        cmocka_unit_test(test_zip_stray_bytes),
        cmocka_unit_test(test_damaged_around),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_order_of_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The loops over many bytes at once: all ways against each other and against one byte at a time.
 */
#include "json/json_impl.h"

#include "support.h"

#include <stdlib.h>

typedef size_t (*scan_ints)(const char **at, const char *end, int64_t *out, size_t room);
typedef const char *(*copy_text)(char **out, const char *out_end, const char *p, const char *end,
                                 bool any_byte);
typedef const char *(*scan_text)(const char *p, const char *end);

typedef struct way {
    const char *name;
    scan_ints ints;
    copy_text copy;
    scan_text bytes;
    scan_text text;
} way;

static const way ways[] = {
    {"plain", json_plain_scan_ints, json_plain_copy_text, json_plain_scan_bytes,
     json_plain_scan_text},
#if JSON_HAS_SSE2
    {"sse2", json_sse2_scan_ints, json_sse2_copy_text, json_sse2_scan_bytes, json_sse2_scan_text},
#endif
#if JSON_HAS_AVX2
    {"avx2", json_avx2_scan_ints, json_avx2_copy_text, json_scan_bytes, json_scan_text},
#endif
};

/* Those that this processor has. */
static size_t way_count(void)
{
    size_t n = sizeof ways / sizeof ways[0];
#if JSON_HAS_AVX2
    n -= json_may_avx2() ? 0 : 1;
#endif
    return n;
}

enum {
    WAYS = sizeof ways / sizeof ways[0],
    ROOM = 2048,
    TEXT = 4096,
    ALIGNMENTS = 64,
    SLACK = 96 /* how near to an end copy_text may stop */
};

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t below(uint64_t *state, size_t n)
{
    return (size_t)(next(state) % n);
}

/* --- integers ------------------------------------------------------------------------------- */

/* One element by RFC 8259, with a comma behind it: what the scanners may take at most. */
static const char *model_int(int64_t *out, const char *p, const char *end)
{
    const char *first;
    uint64_t v = 0;
    bool negative;
    p = json_skip_space(p, end);
    negative = p < end && *p == '-';
    p += negative;
    for (first = p; p < end && json_is_digit(*p) && p - first < 19; p++) {
        v = v * 10 + (unsigned char)(*p - '0');
    }
    if (p == first || p - first > 18 || (*first == '0' && p - first > 1)) {
        return NULL;
    }
    p = json_skip_space(p, end);
    if (p == end || *p != ',') {
        return NULL;
    }
    *out = negative ? -(int64_t)v : (int64_t)v;
    return p + 1;
}

/* p lies in a block of its own size, so that a sanitizer sees every byte read beyond it. */
static void check_ints(const char *p, size_t n, size_t room)
{
    int64_t out[WAYS][ROOM];
    const char *at[WAYS];
    size_t taken[WAYS];
    const char *q = p;
    for (size_t w = 0; w < way_count(); w++) {
        at[w] = p;
        taken[w] = ways[w].ints(&at[w], p + n, out[w], room);
        assert_int_equal(taken[w], taken[0]);
        assert_ptr_equal(at[w], at[0]);
        assert_memory_equal(out[w], out[0], taken[0] * sizeof out[0][0]);
    }
    assert_true(taken[0] <= room);
    for (size_t i = 0; i < taken[0]; i++) {
        int64_t v = 0;
        q = model_int(&v, q, p + n);
        assert_non_null(q);
        assert_int_equal(v, out[0][i]);
    }
    /* White space before the next element may or may not be behind `at`. */
    assert_ptr_equal(json_skip_space(at[0], p + n), json_skip_space(q, p + n));
    if (taken[0] < room && p + n - json_skip_space(q, p + n) >= 64 + JSON_SCAN_MIN) {
        int64_t v = 0;
        const char *more = model_int(&v, q, p + n);
        assert_true(more == NULL || more - q > JSON_SCAN_MIN || p + n - more < JSON_SCAN_MIN);
    }
}

static void check_ints_everywhere(const char *text, size_t n)
{
    for (size_t shift = 0; shift < ALIGNMENTS; shift++) {
        char *copy = malloc(shift + n + 1);
        assert_non_null(copy);
        memset(copy, '7', shift);
        memcpy(copy + shift, text, n);
        copy = realloc(copy, shift + n + (n == 0));
        assert_non_null(copy);
        check_ints(copy + shift, n, ROOM);
        free(copy);
    }
}

static void put_digits(char *text, size_t *n, uint64_t *seed, size_t max)
{
    size_t digits = 1 + below(seed, max);
    text[(*n)++] = (char)('1' + below(seed, 9));
    for (size_t i = 1; i < digits; i++) {
        text[(*n)++] = (char)('0' + below(seed, 10));
    }
}

/* Elements as V8 writes them, and now and then something else. */
static size_t make_ints(char *text, uint64_t *seed, unsigned odd)
{
    static const char *const odds[] = {"-5,",  "0,",    "00,",  "01,",   "1.5,", "1e3,",   "-,",
                                       " 7 ,", "8\t\n", "9,,",  ",",     "\n",   "null,",  "[",
                                       "]",    "\"x\"", "-0,",  "1\n\n", "2\r,", "\x80,",  "/,",
                                       ":,",   "0\n,",  "0,0,", "-01,",  "1 2,", "3\n4,5", "\0,"};
    size_t fields = 1 + below(seed, 9);
    size_t n = 0;
    for (size_t i = 0; n < TEXT - 64; i++) {
        if (odd != 0 && below(seed, odd) == 0) {
            const char *s = odds[below(seed, sizeof odds / sizeof odds[0])];
            size_t len = strlen(s) + (*s == '\0');
            memcpy(text + n, s, len);
            n += len;
            continue;
        }
        if (below(seed, 4) == 0) {
            text[n++] = (char)('0' + below(seed, 2));
        } else {
            put_digits(text, &n, seed, below(seed, 50) == 0 ? 20 : 8);
        }
        if (i % fields == fields - 1) {
            text[n++] = '\n';
        }
        text[n++] = ',';
    }
    return n;
}

static void ints_read_alike(void **state)
{
    uint64_t seed = 1;
    static char text[TEXT];
    (void)state;
    for (unsigned round = 0; round < 400; round++) {
        unsigned odd = round % 4 == 0 ? 0 : round % 4 == 1 ? 200 : round % 4 == 2 ? 30 : 5;
        size_t n = make_ints(text, &seed, odd);
        size_t from = below(&seed, 100);
        size_t len = round % 3 == 0 ? n - from : below(&seed, n - from);
        char *copy = malloc(len + (len == 0));
        assert_non_null(copy);
        memcpy(copy, text + from, len);
        check_ints(copy, len, round % 2 == 0 ? ROOM : 1 + below(&seed, ROOM));
        free(copy);
    }
}

static void ints_read_alike_at_every_alignment(void **state)
{
    uint64_t seed = 7;
    static char text[TEXT];
    (void)state;
    for (unsigned round = 0; round < 12; round++) {
        size_t n = make_ints(text, &seed, round % 3 == 0 ? 0 : 20);
        check_ints_everywhere(text, 200 + below(&seed, n - 200));
    }
}

/* One odd byte at every place of the first three blocks. */
static void ints_with_any_byte_anywhere(void **state)
{
    static const char good[] = "1,22,333\n,4444,55555,0\n,666666,7777777,88888888\n,1,0,10\n,";
    char text[320];
    (void)state;
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = good[i % (sizeof good - 1)];
    }
    for (size_t at = 0; at < 192; at++) {
        char was = text[at];
        for (int c = 0; c < 256; c++) {
            text[at] = (char)c;
            check_ints(text, sizeof text, ROOM);
        }
        text[at] = was;
    }
}

static void ints_of_every_length(void **state)
{
    (void)state;
    for (size_t digits = 1; digits <= 22; digits++) {
        for (size_t lead = 0; lead < 70; lead++) {
            char text[1024];
            size_t n = 0;
            for (size_t i = 0; i < lead; i++) {
                text[n++] = i % 2 == 0 ? '3' : ',';
            }
            if (n > 0 && text[n - 1] != ',') {
                text[n++] = ',';
            }
            for (size_t i = 0; i < digits; i++) {
                text[n++] = (char)('9' - i % 10);
            }
            text[n++] = ',';
            while (n < 300) {
                text[n++] = '4';
                text[n++] = ',';
            }
            check_ints(text, n, ROOM);
        }
    }
}

/* --- text ----------------------------------------------------------------------------------- */

/* The escape of one letter; 0 when c is none. */
static char model_escape(char c)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meaning[] = "\"\\/\b\f\n\r\t";
    const char *found = c == '\0' ? NULL : strchr(letters, c);
    return found == NULL ? '\0' : meaning[found - letters];
}

static bool must_stop(const char *p, const char *end, bool any_byte)
{
    unsigned char c = (unsigned char)*p;
    if (c == '\\') {
        return p + 1 < end && model_escape(p[1]) == '\0';
    }
    return c < 0x20 || c == '"' || (c >= 0x80 && !any_byte);
}

static void check_copy(const char *p, size_t n, size_t room, bool any_byte)
{
    for (size_t w = 0; w < way_count(); w++) {
        char *buffer = malloc(room + (room == 0));
        char *out = buffer;
        const char *q = p;
        const char *stop;
        assert_non_null(buffer);
        stop = ways[w].copy(&out, buffer + room, p, p + n, any_byte);
        assert_true(out <= buffer + room);
        for (const char *o = buffer; o < out; o++) {
            char c = *q;
            assert_true(q < stop);
            assert_false(must_stop(q, p + n, any_byte));
            if (c == '\\') {
                c = model_escape(*++q);
            }
            q++;
            assert_int_equal(*o, c);
        }
        assert_ptr_equal(q, stop);
        assert_true(p + n - stop < SLACK || buffer + room - out < SLACK ||
                    must_stop(stop, p + n, any_byte));
        free(buffer);
    }
}

static size_t make_text(char *text, uint64_t *seed, unsigned odd)
{
    static const char *const odds[] = {"\\\\",
                                       "\\\"",
                                       "\\n",
                                       "\\u00e9",
                                       "\\x",
                                       "\"",
                                       "\n",
                                       "\x1f",
                                       "\x7f",
                                       "\xc3\xa9",
                                       "\xe2\x82\xac",
                                       "\\",
                                       "\\/",
                                       "\\t",
                                       "\\\\\\",
                                       "\xff",
                                       "\xf0\x9f\x98\x80",
                                       "\xed\xa0\x80",
                                       "\xc3",
                                       "\x80",
                                       "\0",
                                       " ",
                                       "!",
                                       "#",
                                       "["};
    size_t n = 0;
    while (n < TEXT - 64) {
        if (below(seed, odd) == 0) {
            const char *s = odds[below(seed, sizeof odds / sizeof odds[0])];
            size_t len = strlen(s) + (*s == '\0');
            memcpy(text + n, s, len);
            n += len;
        } else if (below(seed, 8) == 0) {
            memcpy(text + n, "\\n", 2);
            n += 2;
        } else {
            text[n++] = (char)(' ' + 1 + (below(seed, 3) != 0 ? 2 + below(seed, 40) : 0));
            text[n - 1] = text[n - 1] == '"' ? '!' : text[n - 1];
        }
    }
    return n;
}

static void text_is_copied_right(void **state)
{
    uint64_t seed = 3;
    static char text[TEXT];
    (void)state;
    for (unsigned round = 0; round < 600; round++) {
        size_t n = make_text(text, &seed, round % 3 == 0 ? 1000 : round % 3 == 1 ? 100 : 10);
        size_t len = below(&seed, n);
        char *copy = malloc(len + (len == 0));
        assert_non_null(copy);
        memcpy(copy, text, len);
        for (size_t skip = 0; skip < 64 && skip < len; skip += 1 + below(&seed, 7)) {
            size_t room = below(&seed, 4) == 0 ? below(&seed, 300) : TEXT + SLACK;
            check_copy(copy + skip, len - skip, room, round % 2 == 0);
        }
        free(copy);
    }
}

/* A backslash before, on and behind every boundary, and what follows it. */
static void escapes_stand_anywhere(void **state)
{
    static const char *const escapes[] = {"\\n",   "\\\"",   "\\\\",     "\\\\\"",   "\\\\\\\"",
                                          "\\u00", "\\q",    "\\\\\\\\", "\"",       "\x1f",
                                          "\x80",  "\\\x80", "\\\n",     "\\n\\n\\n"};
    (void)state;
    for (size_t e = 0; e < sizeof escapes / sizeof escapes[0]; e++) {
        for (size_t at = 0; at < 200; at++) {
            char text[400];
            memset(text, 'a', sizeof text);
            memcpy(text + at, escapes[e], strlen(escapes[e]));
            check_copy(text, sizeof text, sizeof text, true);
            check_copy(text, sizeof text, sizeof text, false);
        }
    }
}

static void scans_stop_alike(void **state)
{
    uint64_t seed = 11;
    static char text[TEXT];
    (void)state;
    for (unsigned round = 0; round < 600; round++) {
        size_t n = make_text(text, &seed, round % 3 == 0 ? 1000 : round % 3 == 1 ? 100 : 10);
        size_t len = below(&seed, n);
        char *copy = malloc(len + (len == 0));
        assert_non_null(copy);
        memcpy(copy, text, len);
        for (size_t skip = 0; skip < len; skip += 1 + below(&seed, 40)) {
            const char *p = copy + skip;
            const char *end = copy + len;
            const char *stop = p;
            while (stop < end && *stop != '"' && *stop != '\\' && (unsigned char)*stop >= 0x20) {
                stop++;
            }
            for (size_t w = 0; w < way_count(); w++) {
                assert_ptr_equal(ways[w].bytes(p, end), stop);
                assert_ptr_equal(ways[w].text(p, end), ways[0].text(p, end));
                assert_true(ways[w].text(p, end) <= stop);
            }
        }
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ints_read_alike),
        cmocka_unit_test(ints_read_alike_at_every_alignment),
        cmocka_unit_test(ints_with_any_byte_anywhere),
        cmocka_unit_test(ints_of_every_length),
        cmocka_unit_test(text_is_copied_right),
        cmocka_unit_test(escapes_stand_anywhere),
        cmocka_unit_test(scans_stop_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

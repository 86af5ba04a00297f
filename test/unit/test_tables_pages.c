/* The page writer against SQLite's INSERT: values of every kind, records of every size. */
#include "tables_pages.h"

#include "tables/sink.h"

#include <math.h>

static const uint32_t page_sizes[] = {512, 1024, 4096, 65536};
enum { SIZES = 4 };

/* A text whose bytes tell their place. */
static char *long_text(size_t n)
{
    char *p = malloc(n + 1);
    assert_non_null(p);
    for (size_t i = 0; i < n; i++) {
        p[i] = (char)('a' + (i * 31 + i / 509) % 26);
    }
    p[n] = '\0';
    return p;
}

/* --- values -------------------------------------------------------------------------------- */

enum { INTEGERS_MAX = 200 };

/* Around every power of two at which an integer needs another size. */
static size_t edge_integers(int64_t out[INTEGERS_MAX])
{
    static const int bits[] = {1, 6, 7, 8, 15, 16, 23, 24, 31, 32, 39, 40, 47, 48, 55, 56, 62, 63};
    size_t n = 0;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        uint64_t edge = UINT64_C(1) << bits[i];
        for (uint64_t d = 0; d < 5; d++) {
            out[n++] = (int64_t)(edge + d - 2);
            out[n++] = (int64_t)(~edge - d + 3);
        }
    }
    out[n++] = 0;
    out[n++] = 1;
    out[n++] = -1;
    assert_true(n <= INTEGERS_MAX);
    return n;
}

static void test_integers(void **state)
{
    fixture *f = *state;
    int64_t v[INTEGERS_MAX];
    size_t n = edge_integers(v);
    static const char *const specs[] = {"i",     "iiiiiii", "iiiiiiii", "iiiiiiiii",
                                        "kiiii", "iit",     "rti"};
    for (unsigned s = 0; s < SIZES; s++) {
        for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
            pair x;
            uint64_t mix = 1;
            pair_begin(&x, f, page_sizes[s], 0, specs[k]);
            for (size_t i = 0; i < n; i++) {
                for (unsigned c = 0; specs[k][c] != '\0'; c++) {
                    if (specs[k][c] == 'i') {
                        set_int(&x, 0, c, v[(i + c * 7) % n]);
                    }
                }
                pair_put(&x, 0);
                set_nulls(&x, 0, next_random(&mix) & ((1U << x.tables[0].column_count) - 1));
                pair_put(&x, 0);
                set_nulls(&x, 0, 0);
            }
            pair_finish(&x);
            pair_free(&x);
        }
    }
}

/* Every pattern of NULLs, in a table with a key, integers, a real and texts. */
static void test_nulls(void **state)
{
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 512, 0, "kirtit iiiiii");
    for (uint64_t bits = 0; bits < 64; bits++) {
        for (unsigned id = 0; id < 2; id++) {
            for (unsigned c = 0; c < 6; c++) {
                if (x.tables[id].columns[c].type == TS_COL_INT) {
                    set_int(&x, id, c, 1000 * (int64_t)bits + c);
                }
            }
            set_nulls(&x, id, bits);
        }
        set_real(&x, 0, 2, 0.5);
        set_text(&x, 0, 3, "abc", 3);
        set_text(&x, 0, 5, "", 0);
        pair_put(&x, 0);
        pair_put(&x, 1);
        set_text(&x, 0, 5, NULL, 0);
        pair_put(&x, 0);
    }
    pair_finish(&x);
    pair_free(&x);
}

/* Rows of a hot table with usual NULLs: usual ones with texts of every short size, and all others.
 */
static void test_tags(void **state)
{
    enum { TEXT = 9, AFTER = 7 << 10, LONGEST = 140 };
    fixture *f = *state;
    int64_t v[INTEGERS_MAX];
    size_t n = edge_integers(v);
    char *text = long_text(LONGEST);
    for (unsigned s = 0; s < SIZES; s++) {
        pair x;
        pair_begin(&x, f, page_sizes[s], 0, "kiiiiiiiitiii kiiiiiiiitiii");
        assert_non_null(x.pages->tables[0].hot);
        for (size_t i = 0; i < (size_t)4 * LONGEST; i++) {
            for (unsigned c = 1; c < 13; c++) {
                if (c != TEXT) {
                    set_int(&x, 0, c, v[(i + c * 7) % n]);
                    set_int(&x, 1, c, v[(i * 3 + c) % n]);
                }
            }
            set_text(&x, 0, TEXT, text, i % LONGEST);
            set_text(&x, 1, TEXT, i % 5 == 0 ? NULL : text, i % 5);
            set_nulls(&x, 0, AFTER);
            pair_put(&x, 0);
            set_nulls(&x, 1, i % 3 == 0 ? 0 : i % 3 == 1 ? AFTER | 1U << i % 13 : i & 0x1fff);
            pair_put(&x, 1);
        }
        pair_finish(&x);
        pair_free(&x);
    }
    free(text);
}

/* SQLite stores whole numbers in REAL columns as integers, and reads them as reals. */
static void test_reals(void **state)
{
    fixture *f = *state;
    static const double reals[] = {0.0,
                                   -0.0,
                                   1.0,
                                   -1.0,
                                   2.0,
                                   0.5,
                                   -0.1,
                                   127,
                                   128,
                                   -128,
                                   -129,
                                   32767,
                                   32768,
                                   -32769,
                                   8388608,
                                   2147483647,
                                   2147483648,
                                   -2147483649.0,
                                   140737488355327.0,
                                   140737488355327.5,
                                   140737488355328.0,
                                   -140737488355328.0,
                                   -140737488355328.5,
                                   -140737488355329.0,
                                   9007199254740991.0,
                                   9007199254740993.0,
                                   9223372036854775807.0,
                                   -9223372036854775808.0,
                                   1e300,
                                   -1e300,
                                   5e-324,
                                   2.2250738585072014e-308,
                                   1.7976931348623157e308,
                                   INFINITY,
                                   -INFINITY,
                                   NAN,
                                   -NAN};
    for (unsigned s = 0; s < SIZES; s++) {
        pair x;
        pair_begin(&x, f, page_sizes[s], 0, "r irt");
        for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
            set_real(&x, 0, 0, reals[i]);
            set_real(&x, 1, 1, reals[i]);
            set_text(&x, 1, 2, "x", 1);
            pair_put(&x, 0);
            pair_put(&x, 1);
        }
        /* A row that does not stay in its page takes another way. */
        char *text = long_text(70000);
        set_text(&x, 1, 2, text, 70000);
        for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
            set_real(&x, 1, 1, reals[i]);
            pair_put(&x, 1);
        }
        free(text);
        pair_finish(&x);
        assert_sql(x.path, "SELECT count(*), group_concat(DISTINCT typeof(c0)) FROM t0",
                   "37|real,null\n");
        pair_free(&x);
    }
}

static void test_texts(void **state)
{
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 4096, 0, "t tt");
    static const struct {
        const char *p;
        size_t n;
    } texts[] = {{"", 0},         {NULL, 0},           {"\0", 1}, {"a\0b", 3}, {"\0\0\0", 3},
                 {"7", 1},        {"1e3", 3},          {"-0", 2}, {"NULL", 4}, {"\xff\xfe", 2},
                 {"\xc3\xa4", 2}, {"\xed\xa0\x80", 3}, {" 5 ", 3}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        set_text(&x, 0, 0, texts[i].p, texts[i].n);
        set_text(&x, 1, 0, texts[i].p, texts[i].n);
        set_text(&x, 1, 1, texts[sizeof texts / sizeof texts[0] - 1 - i].p,
                 texts[sizeof texts / sizeof texts[0] - 1 - i].n);
        pair_put(&x, 0);
        pair_put(&x, 1);
    }
    pair_finish(&x);
    pair_free(&x);
}

/* --- sizes --------------------------------------------------------------------------------- */

/* The text that makes the record of a one-text table `payload` bytes long; false: there is none. */
static bool text_for_payload(size_t *n, size_t payload)
{
    for (size_t type_n = 1; type_n < 6; type_n++) {
        uint8_t type[MAX_VARINT];
        if (payload < 1 + type_n) {
            return false;
        }
        *n = payload - 1 - type_n;
        if (page_varint(type, 13 + 2 * (uint64_t)*n) == type_n) {
            return true;
        }
    }
    return false;
}

static void put_payload(pair *x, const char *text, size_t payload)
{
    size_t n;
    if (text_for_payload(&n, payload)) {
        set_text(x, 0, 0, text, n);
        pair_put(x, 0);
    }
}

/* Every size up to several overflow pages, where pages are small. */
static void test_every_small_size(void **state)
{
    fixture *f = *state;
    char *text = long_text(6000);
    for (unsigned s = 0; s < 2; s++) {
        pair x;
        pair_begin(&x, f, page_sizes[s], 0, "t itit");
        for (size_t n = 0; n < page_sizes[s] * 5; n++) {
            set_text(&x, 0, 0, text, n);
            pair_put(&x, 0);
            set_int(&x, 1, 0, (int64_t)n);
            set_text(&x, 1, 1, text, n / 2);
            set_int(&x, 1, 2, -(int64_t)(n * n));
            set_text(&x, 1, 3, text + 7, n / 3);
            pair_put(&x, 1);
        }
        pair_finish(&x);
        pair_free(&x);
    }
    free(text);
}

/* Texts that stand in a spool give the same pages. */
static void test_texts_in_spools(void **state)
{
    fixture *f = *state;
    enum { LONGEST = 300000 };
    char *text = long_text(LONGEST);
    for (unsigned s = 0; s < SIZES; s++) {
        pair x;
        pair_begin(&x, f, page_sizes[s], 0, "iti");
        for (size_t n = 0; n <= LONGEST; n = n * 2 + 77) {
            ts_spool *spool;
            set_int(&x, 0, 0, (int64_t)n);
            set_text(&x, 0, 1, text, n);
            set_int(&x, 0, 2, -(int64_t)n);
            insertsink_put(x.insert, 0, x.rows[0]);
            assert_ok(x.ctx, ts_spool_new(&spool, x.ctx));
            assert_ok(x.ctx, ts_spool_write(spool, text, n));
            set_text(&x, 0, 1, ts_text_in_spool, n);
            assert_ok(x.ctx, ts_pages_put_long(x.pages, 0, x.rows[0], spool));
            ts_spool_free(spool);
            set_text(&x, 0, 1, "short", 5);
            pair_put(&x, 0);
        }
        pair_finish(&x);
        pair_free(&x);
    }
    free(text);
}

/* What a payload leaves in its leaf, by the rule of the file format. */
static uint64_t local_of(uint64_t usable, uint64_t payload)
{
    uint64_t max = usable - 35;
    uint64_t min = (usable - 12) * 32 / 255 - 23;
    uint64_t k = min + (payload - min) % (usable - 4);
    return payload <= max ? payload : k <= max ? k : min;
}

/* Around the largest local payload, the smallest, and both ends of each of three overflow pages:
 * where K reaches X, where it falls back to M, and where the last overflow page is exactly full. */
static void test_sizes_around_each_step(void **state)
{
    fixture *f = *state;
    char *text = long_text(5 * 65536);
    for (unsigned s = 0; s < SIZES; s++) {
        uint64_t usable = page_sizes[s];
        uint64_t max = usable - 35;
        uint64_t min = (usable - 12) * 32 / 255 - 23;
        const uint64_t steps[] = {127,    max,   min,        usable - 8, usable - 4,
                                  usable, 16383, 2 * usable, 8190};
        pair x;
        unsigned full = 0;
        unsigned whole = 0;
        pair_begin(&x, f, page_sizes[s], 0, "t");
        for (uint64_t pages = 0; pages < 4; pages++) {
            for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
                for (uint64_t d = 0; d < 9; d++) {
                    uint64_t payload = steps[i] + pages * (usable - 4) + d - 4;
                    uint64_t local = local_of(usable, payload);
                    full += local < payload && (payload - local) % (usable - 4) == 0 ? 1 : 0;
                    whole += local == max ? 1 : 0;
                    put_payload(&x, text, (size_t)payload);
                }
            }
        }
        assert_true(full > 3 && whole > 3);
        pair_finish(&x);
        pair_free(&x);
    }
    free(text);
}

/* Sizes at which the varints of texts, headers and payloads become longer. */
static void test_varint_steps(void **state)
{
    fixture *f = *state;
    static const size_t edges[] = {57, 58, 8185, 8186, 1048569, 1048570};
    char *text = long_text(3000000);
    for (unsigned s = 0; s < SIZES; s++) {
        pair x;
        pair_begin(&x, f, page_sizes[s], 0, "t iti");
        /* Texts of megabytes with pages of one size, unless time does not matter. */
        bool large = s == 2 || test_slow();
        for (size_t i = 0; i < (large ? sizeof edges / sizeof edges[0] : 4); i++) {
            for (size_t d = 0; d < 7; d++) {
                set_text(&x, 0, 0, text, edges[i] + d - 3);
                set_text(&x, 1, 1, text + 1, edges[i] + d - 3);
                set_int(&x, 1, 0, (int64_t)i);
                set_int(&x, 1, 2, INT64_MAX);
                pair_put(&x, 0);
                pair_put(&x, 1);
            }
        }
        for (uint64_t payload = 2097148; large && payload < 2097156; payload++) {
            put_payload(&x, text, (size_t)payload);
        }
        pair_finish(&x);
        pair_free(&x);
    }
    free(text);
}

/* 63 columns whose types take one, two or three bytes: headers of 127, 128 and 129 bytes. */
static void test_headers_of_two_bytes(void **state)
{
    fixture *f = *state;
    char spec[PAIR_COLUMNS + 1];
    char *text = long_text(9000);
    memset(spec, 't', PAIR_COLUMNS);
    spec[PAIR_COLUMNS] = '\0';
    for (unsigned s = 0; s < SIZES; s++) {
        pair x;
        pair_begin(&x, f, page_sizes[s], 0, spec);
        for (unsigned three = 0; three < 6; three++) {
            for (unsigned two = PAIR_COLUMNS - 3; two <= PAIR_COLUMNS; two++) {
                for (unsigned c = 0; c < PAIR_COLUMNS; c++) {
                    set_text(&x, 0, c, text + c, c < three ? 8190 : c < two ? 60 : c % 57);
                }
                pair_put(&x, 0);
            }
        }
        /* All of them short: what fits into a page of 65536 bytes takes the short way. */
        for (unsigned c = 0; c < PAIR_COLUMNS; c++) {
            set_text(&x, 0, c, text + c, 58 + c);
        }
        pair_put(&x, 0);
        pair_finish(&x);
        pair_free(&x);
    }
    free(text);
}

/* As many integer columns as there can be: with small pages even they do not stay in a leaf. */
static void test_many_integer_columns(void **state)
{
    fixture *f = *state;
    char spec[PAIR_COLUMNS + 1];
    uint64_t mix = 99;
    memset(spec, 'i', PAIR_COLUMNS);
    spec[PAIR_COLUMNS] = '\0';
    for (unsigned s = 0; s < SIZES; s++) {
        for (unsigned n = 1; n <= PAIR_COLUMNS; n += n < 20 ? 1 : 11) {
            pair x;
            pair_begin(&x, f, page_sizes[s], 0, spec + PAIR_COLUMNS - n);
            for (unsigned i = 0; i < 200; i++) {
                for (unsigned c = 0; c < n; c++) {
                    unsigned shift = i < 100 ? (unsigned)(next_random(&mix) & 63) : i & 63;
                    set_int(&x, 0, c, (int64_t)next_random(&mix) >> shift);
                }
                set_nulls(&x, 0, i % 3 == 0 ? next_random(&mix) & (UINT64_MAX >> (64 - n)) : 0);
                pair_put(&x, 0);
            }
            pair_finish(&x);
            pair_free(&x);
        }
    }
}

static void put_large(fixture *f, const char *text, size_t largest, bool scanned)
{
    const size_t sizes[] = {1 << 20, largest, 0, (1 << 20) + 1};
    char lengths[80];
    pair x;
    pair_begin(&x, f, 4096, 0, "it");
    x.not_scanned = !scanned;
    for (int i = 0; i < 4; i++) {
        set_int(&x, 0, 0, i);
        set_text(&x, 0, 1, text, sizes[i]);
        pair_put(&x, 0);
    }
    pair_finish(&x);
    snprintf(lengths, sizeof lengths, "1048576\n%zu\n0\n1048577\n", largest);
    assert_sql(x.path, "SELECT length(c1) FROM t0", lengths);
    pair_free(&x);
}

static void test_large_texts(void **state)
{
    fixture *f = *state;
    size_t largest = test_slow() ? 100 << 20 : 30 << 20;
    char *text = long_text(largest);
    put_large(f, text, largest, false);
    put_large(f, text, 5 << 20, true);
    free(text);
}

/* --- rowids -------------------------------------------------------------------------------- */

static void test_rowid_steps(void **state)
{
    fixture *f = *state;
    for (unsigned s = 0; s < 3; s++) {
        for (unsigned bits = 7; bits <= 63; bits += 7) {
            pair x;
            int64_t edge = bits == 63 ? INT64_MAX - 400 : (int64_t)(UINT64_C(1) << bits);
            pair_begin(&x, f, page_sizes[s], 0, "ki kit");
            pair_start_at(&x, 0, edge - 90);
            pair_start_at(&x, 1, edge - 90);
            for (int64_t i = 0; i < 300; i++) {
                set_int(&x, 0, 1, i * i);
                set_int(&x, 1, 1, -i);
                set_text(&x, 1, 2, "abcdefghijklmnopqrstuvwxyz", (size_t)i % 26);
                pair_put(&x, 0);
                pair_put(&x, 1);
            }
            pair_finish(&x);
            pair_free(&x);
        }
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_integers),
        TEST(test_nulls),
        TEST(test_tags),
        TEST(test_reals),
        TEST(test_texts),
        TEST(test_texts_in_spools),
        TEST(test_every_small_size),
        TEST(test_sizes_around_each_step),
        TEST(test_varint_steps),
        TEST(test_headers_of_two_bytes),
        TEST(test_many_integer_columns),
        TEST(test_large_texts),
        TEST(test_rowid_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Many rows at once against SQLite's INSERT of each: sizes of columns that rows share. */
#include "tables_pages.h"

#include "tables/rows.h"
#include "tables/sink.h"

enum { ROWS_MAX = 300, WORDS_MAX = MAX_COLUMNS + 1 };

static int64_t batch[ROWS_MAX * WORDS_MAX];

/* Puts the first `count` rows of `batch`. */
static void put_batch(pair *x, unsigned id, unsigned count)
{
    const size_t words = x->tables[id].column_count + 1;
    const bool key = x->tables[id].columns[0].type == TS_COL_KEY;
    int64_t rowid = pair_rows(x, id);
    x->records_differ = true;
    for (unsigned r = 0; r < count; r++) {
        int64_t *row = batch + r * words;
        row[1] = key ? ++rowid : row[1];
        insertsink_put(x->insert, id, row);
    }
    assert_int_equal(x->tables[id].row_size, words * sizeof *batch);
    assert_ok(x->ctx, ts_pages_put_many(x->pages, id, batch, words * sizeof *batch, count));
}

/* Values of up to `bits` bits; of either sign when asked for. */
static int64_t value_of(uint64_t *seed, unsigned bits, bool negative)
{
    int64_t v = (int64_t)(next_random(seed) >> (64 - bits));
    return negative && (next_random(seed) & 1) != 0 ? -v - 1 : v;
}

/* Each column has values of a size of its own; some are NULL in runs of rows, some are always
 * NULL, 0 or 1. */
static void fill_batch(uint64_t *seed, unsigned columns, unsigned count)
{
    uint64_t nulls = 0;
    uint8_t bits[MAX_COLUMNS];
    for (unsigned c = 0; c < columns; c++) {
        bits[c] = (uint8_t)(1 + next_random(seed) % 63);
    }
    for (unsigned r = 0; r < count; r++) {
        int64_t *row = batch + (size_t)r * (columns + 1);
        if (next_random(seed) % 16 == 0) {
            nulls = next_random(seed) & next_random(seed) & ((UINT64_C(1) << columns) - 1);
        }
        row[0] = (int64_t)nulls;
        for (unsigned c = 0; c < columns; c++) {
            unsigned kind = (c * 7 + columns) % 6;
            row[1 + c] = kind < 2 ? (int64_t)kind : value_of(seed, bits[c], kind == 2);
        }
    }
}

static void test_batches(void **state)
{
    static const uint32_t page_sizes[] = {512, 4096, 65536};
    static const char *const specs[] = {"ii",        "i",
                                        "iiiiiii",   "iiiiiiii",
                                        "iiiiiiiii", "iiiiiiiiiiiiii",
                                        "kii",       "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii"};
    fixture *f = *state;
    uint64_t seed = 7;
    for (unsigned s = 0; s < sizeof page_sizes / sizeof page_sizes[0]; s++) {
        for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
            pair x;
            pair_begin(&x, f, page_sizes[s], 0, specs[k]);
            for (unsigned i = 0; i < 12; i++) {
                unsigned count = (unsigned)(next_random(&seed) % ROWS_MAX);
                fill_batch(&seed, x.tables[0].column_count, count);
                put_batch(&x, 0, count);
            }
            pair_finish(&x);
            pair_free(&x);
        }
    }
}

/* A column of all values up to and around each at which another size is needed: alone, and with
 * smaller ones beside it. */
static void test_sizes(void **state)
{
    static const unsigned steps[] = {1, 7, 8, 15, 23, 31, 47, 62};
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 4096, 0, "iii");
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        for (int64_t d = -2; d < 3; d++) {
            int64_t v = (INT64_C(1) << steps[s]) + d;
            for (unsigned r = 0; r < 4; r++) {
                int64_t row[] = {0, r == 3 ? v : 0, r % 2 == 0 ? v : -v, 1};
                memcpy(batch + (size_t)r * 4, row, sizeof row);
            }
            put_batch(&x, 0, 4);
            put_batch(&x, 0, 1);
        }
    }
    pair_finish(&x);
    pair_free(&x);
}

/* Rows between batches, and two tables in turn; rowids that need another byte. */
static void test_in_turn(void **state)
{
    static const unsigned steps[] = {7, 14, 21, 28, 49, 55, 56};
    fixture *f = *state;
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        pair x;
        uint64_t seed = s + 1;
        pair_begin(&x, f, 1024, 0, "kiii iiti");
        pair_start_at(&x, 0, (INT64_C(1) << steps[s]) - 70);
        for (unsigned i = 0; i < 40; i++) {
            fill_batch(&seed, 4, 9);
            put_batch(&x, 0, 9);
            set_int(&x, 0, 2, (int64_t)next_random(&seed));
            pair_put(&x, 0);
            set_text(&x, 1, 2, "abc", i % 4);
            pair_put(&x, 1);
        }
        pair_finish(&x);
        pair_free(&x);
    }
}

/* Tables with texts: one by one. */
static void test_texts(void **state)
{
    struct text_row {
        uint64_t null;
        int64_t number;
        ts_text text;
    } rows[40] = {{0}};
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 512, 0, "it");
    for (unsigned i = 0; i < 40; i++) {
        rows[i].number = (int64_t)i * i * i;
        rows[i].text = (ts_text){"the text of a row, which is longer than others", i};
        insertsink_put(x.insert, 0, &rows[i]);
    }
    assert_ok(x.ctx, ts_pages_put_many(x.pages, 0, rows, sizeof rows[0], 40));
    pair_finish(&x);
    pair_free(&x);
}

/* A usual page of rows is as full as one of single rows but for what sizes differ, here nothing. */
static void test_pages_are_full(void **state)
{
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 4096, 0, "ii ii");
    for (unsigned k = 0; k < 100; k++) {
        for (unsigned r = 0; r < 64; r++) {
            int64_t row[] = {0, 1, 70000 + (int64_t)k * 64 + r};
            memcpy(batch + (size_t)r * 3, row, sizeof row);
            memcpy(x.rows[1], row, sizeof row);
            pair_put(&x, 1);
        }
        put_batch(&x, 0, 64);
    }
    assert_int_equal(x.pages->tables[0].level[0].page.cells,
                     x.pages->tables[1].level[0].page.cells);
    assert_int_equal(x.pages->tables[0].leaf.content, x.pages->tables[1].leaf.content);
    pair_finish(&x);
    pair_free(&x);
}

/* A sink without the call, and one of a table with a key, put one row after the other. */
static unsigned counted;

static ts_code count_put(void *self, enum ts_table_id table, const void *row, uint64_t reserved)
{
    (void)self;
    (void)table;
    (void)row;
    (void)reserved;
    return ++counted == 30 ? TS_ERR_OUTPUT : TS_OK;
}

static void test_sinks(void **state)
{
    ts_sink sink = ts_sink_null();
    (void)state;
    counted = 0;
    sink.calls.put = count_put;
    assert_int_equal(ts_sink_put_many(&sink, TS_T_js_heap_dominated, batch, 24, 10), TS_OK);
    assert_int_equal(sink.rows[TS_T_js_heap_dominated], 10);
    assert_int_equal(ts_sink_put_many(&sink, TS_T_js_heap_dominated, batch, 24, 40), TS_ERR_OUTPUT);
    assert_int_equal(sink.rows[TS_T_js_heap_dominated], 29);
}

static unsigned many; /* rows that came together */

static ts_code count_many(void *self, enum ts_table_id table, const void *rows, size_t size,
                          unsigned count)
{
    (void)self;
    (void)table;
    (void)rows;
    (void)size;
    many += count;
    return TS_OK;
}

/* Rows with keys go together when their keys are the next ones; else each alone, so that the one
 * that is wrong is refused. */
static void test_keys(void **state)
{
    enum { WORDS = TS_N_stack_node + 1, ROWS = 5 };
    ts_sink sink = ts_sink_null();
    int64_t rows[ROWS * WORDS] = {0};
    (void)state;
    counted = 0;
    many = 0;
    sink.calls.put = count_put;
    sink.calls.put_many = count_many;
    for (int64_t i = 0; i < ROWS; i++) {
        rows[i * WORDS + 1] = i + 1;
    }
    assert_int_equal(ts_sink_put_many(&sink, TS_T_stack_node, rows, WORDS * 8, ROWS), TS_OK);
    assert_int_equal(many, ROWS);
    assert_int_equal(counted, 0);
    assert_int_equal(sink.rows[TS_T_stack_node], ROWS);
    assert_int_equal(ts_sink_put_many(&sink, TS_T_stack_node, rows, WORDS * 8, ROWS), TS_OK);
    assert_int_equal(many, ROWS);
    assert_int_equal(counted, ROWS);
}

/* Short and long texts, also none, beside integers of all sizes; with a key and with reals. */
static void test_short_texts(void **state)
{
    static const char *const specs[] = {"it", "kitti", "itititit", "tr", "ititititi"};
    enum { COLUMNS = 9 };
    fixture *f = *state;
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        uint64_t seed = 3 + k;
        pair x;
        pair_begin(&x, f, 1024, 0, specs[k]);
        for (int64_t i = 1; i <= 400; i++) {
            static char letters[300];
            uint64_t row[1 + 2 * COLUMNS] = {0};
            size_t at = 1;
            memset(letters, 'a' + (int)(i % 26), sizeof letters);
            row[0] = next_random(&seed) % 4 == 0 ? next_random(&seed) & 0x1FE : 0;
            for (const char *c = specs[k]; *c != '\0'; c++) {
                ts_text text = {next_random(&seed) % 9 == 0 ? NULL : letters,
                                (size_t)(next_random(&seed) % (i % 10 == 0 ? 300 : 60))};
                double real = (double)(next_random(&seed) % 1000) / 8;
                if (*c == 't') {
                    memcpy(&row[at], &text, sizeof text);
                    at += sizeof text / sizeof row[0];
                } else if (*c == 'r') {
                    memcpy(&row[at++], &real, sizeof real);
                } else {
                    row[at++] = *c == 'k' ? (uint64_t)i
                                          : (uint64_t)value_of(&seed, 1 + (unsigned)i % 63, true);
                }
            }
            insertsink_put(x.insert, 0, row);
            assert_ok(x.ctx, ts_pages_put_many(x.pages, 0, row, at * sizeof row[0], 1));
        }
        pair_finish(&x);
        pair_free(&x);
    }
}

/* --- rows that come as columns -------------------------------------------------------------- */

/* Of each column as many bits as the one before has and some more, with runs of 0 and 1. */
static void fill_columns(uint32_t (*columns)[ROWS_MAX], uint64_t *seed, unsigned n, unsigned count)
{
    for (unsigned c = 0; c < n; c++) {
        for (unsigned r = 0; r < count; r++) {
            unsigned bits = (unsigned)(next_random(seed) % 31) + 1;
            uint32_t v = (uint32_t)(next_random(seed) >> (64 - bits));
            columns[c][r] = c % 3 == 0 ? (r / 5) % 3 : v;
        }
    }
}

/* The records are those of SQLite's INSERT, with each of the ways that this processor has. */
static void test_columns(void **state)
{
    static const char *const specs[] = {"i", "iiiiiii", "iiiiiiii", "iiiiiiiii", "iiiiiiiiiiiiiii"};
    static const uint32_t page_sizes[] = {512, 4096, 65536};
    static uint32_t values[MAX_COLUMNS][ROWS_MAX];
    const uint32_t *columns[MAX_COLUMNS];
    fixture *f = *state;
    uint64_t seed = 11;
    for (unsigned c = 0; c < MAX_COLUMNS; c++) {
        columns[c] = values[c];
    }
    for (unsigned k = 0; k < 3 * 5 * PAGE_WAYS; k++) {
        page_types_call *way = page_types_way((enum page_way)(k % PAGE_WAYS));
        pair x;
        if (way == NULL) {
            continue;
        }
        pair_begin(&x, f, page_sizes[k / PAGE_WAYS % 3], 0, specs[k / PAGE_WAYS / 3]);
        x.pages->types = way;
        assert_true(ts_pages_has_columns(x.pages, 0));
        for (unsigned i = 0; i < 10; i++) {
            const unsigned n = x.tables[0].column_count;
            const unsigned count = (unsigned)(next_random(&seed) % ROWS_MAX);
            fill_columns(values, &seed, n, count);
            for (unsigned r = 0; r < count; r++) {
                int64_t row[1 + MAX_COLUMNS] = {i == 4}; /* one batch: the first is NULL */
                for (unsigned c = 0; c < n; c++) {
                    row[1 + c] = values[c][r];
                }
                insertsink_put(x.insert, 0, row);
            }
            columns[0] = i == 4 ? NULL : values[0];
            assert_ok(x.ctx, ts_pages_put_columns(x.pages, 0, columns, count));
        }
        pair_finish(&x);
        pair_free(&x);
    }
}

/* All sizes and their borders, by all ways; n around what a way takes at once. */
static void test_ways(void **state)
{
    static const uint32_t borders[] = {0,      1,      2,        0x7f,     0x80,
                                       0x7fff, 0x8000, 0x7fffff, 0x800000, INT32_MAX};
    static const uint8_t types[] = {8, 9, 1, 1, 2, 2, 3, 3, 4, 4};
    static const uint8_t sizes[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4};
    enum { MOST = 100, BORDERS = sizeof borders / sizeof borders[0] };
    (void)state;
    for (unsigned way = 0; way < PAGE_WAYS; way++) {
        page_types_call *call = page_types_way((enum page_way)way);
        for (unsigned n = 0; n <= MOST && call != NULL; n++) {
            uint32_t v[MOST];
            uint8_t type[MOST + 1] = {0};
            uint8_t size[MOST + 1] = {0};
            uint8_t sum[MOST + 1] = {0};
            for (unsigned i = 0; i < n; i++) {
                v[i] = borders[(i * 7 + n) % BORDERS];
                sum[i] = 3;
            }
            call(type, size, sum, v, n);
            for (unsigned i = 0; i < n; i++) {
                assert_int_equal(type[i], types[(i * 7 + n) % BORDERS]);
                assert_int_equal(size[i], sizes[(i * 7 + n) % BORDERS]);
                assert_int_equal(sum[i], 3 + size[i]);
            }
            assert_int_equal(type[n] | size[n] | sum[n], 0);
        }
    }
    assert_non_null(page_types_way(PAGE_WAY_PLAIN));
    assert_non_null(page_types_best());
}

/* --- rows that end ---------------------------------------------------------------------------- */

/* Small numbers and large ones, in the last column of both signs; what a row does not have is 0. */
static void fill_first(uint32_t (*columns)[ROWS_MAX], uint8_t *ends, uint64_t *seed, unsigned count,
                       bool has_last)
{
    static const uint32_t borders[] = {0,          1,          2,          0x7f,       0x80,
                                       0x7fff,     0x8000,     0x7fffff,   0x800000,   INT32_MAX,
                                       UINT32_MAX, 0x80000000, 0xffffff80, 0xffffff7f, 0xffff8000,
                                       0xffff7fff, 0xff800000, 0xff7fffff};
    for (unsigned r = 0; r < count; r++) {
        ends[r] = (uint8_t)(2 + next_random(seed) % (has_last ? 6 : 5));
        for (unsigned c = 1; c < TS_FIRST_COLUMNS; c++) {
            const unsigned most = c == TS_FIRST_COLUMNS - 1 ? 18 : 10;
            const unsigned bits = (unsigned)(next_random(seed) % 31) + 1;
            const uint32_t v = next_random(seed) % 2 == 0
                                   ? borders[next_random(seed) % most]
                                   : (uint32_t)(next_random(seed) >> (64 - bits));
            columns[c][r] = c < ends[r] ? v : 0;
        }
    }
}

static void put_first_rows(pair *x, const ts_first_columns *rows, bool single, int64_t *rowid)
{
    for (unsigned r = 0; r < rows->count; r++) {
        int64_t row[1 + MAX_COLUMNS] = {(int64_t)(UINT64_MAX << rows->ends[r])};
        row[1] = ++*rowid;
        for (unsigned c = 1; c < rows->ends[r]; c++) {
            row[1 + c] = c == TS_FIRST_COLUMNS - 1 ? (int32_t)rows->columns[c][r]
                                                   : (int64_t)rows->columns[c][r];
        }
        insertsink_put(x->insert, 0, row);
        if (single) {
            assert_ok(x->ctx, ts_pages_put_first(x->pages, 0, row, rows->ends[r]));
        }
    }
    if (!single) {
        assert_ok(x->ctx, ts_pages_put_first_columns(x->pages, 0, rows));
    }
}

/* The file is, byte by byte, that of single calls, with each of the ways that there are. */
static void test_first_columns(void **state)
{
    static const uint32_t page_sizes[] = {512, 4096, 65536};
    static uint32_t values[TS_FIRST_COLUMNS][ROWS_MAX];
    static uint8_t ends[ROWS_MAX];
    fixture *f = *state;
    const uint64_t seed = 12;
    for (unsigned k = 0; k < 3 * PAGE_WAYS; k++) {
        page_types_call *way = page_types_way((enum page_way)(k % PAGE_WAYS));
        char *files[2] = {NULL, NULL};
        size_t sizes[2] = {0, 0};
        for (unsigned single = 0; single < 2 && way != NULL; single++) {
            uint64_t same = seed + k;
            int64_t rowid = 0;
            pair x;
            pair_begin(&x, f, page_sizes[k / PAGE_WAYS], 0, "kiiiiiiiiiii");
            x.pages->types = way;
            x.records_differ = true; /* they are shorter */
            x.not_scanned = true;
            for (unsigned i = 0; i < 100; i++) {
                const bool has_last = i % 3 != 0;
                ts_first_columns rows = {.ends = ends,
                                         .count = (unsigned)(next_random(&same) % ROWS_MAX)};
                for (unsigned c = 1; c < TS_FIRST_COLUMNS - (has_last ? 0 : 1); c++) {
                    rows.columns[c] = values[c];
                }
                fill_first(values, ends, &same, rows.count, has_last);
                put_first_rows(&x, &rows, single == 1, &rowid);
            }
            pair_finish(&x);
            files[single] = test_read_file(x.path, &sizes[single]);
            pair_free(&x);
        }
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(files[0], files[1], sizes[0]);
        free(files[0]);
        free(files[1]);
    }
}

/* A sink without the call, and a table with texts or a key, get single rows. */
static void test_columns_of_sinks(void **state)
{
    static const uint32_t values[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const uint32_t *columns[TS_N_js_heap_edges];
    ts_sink sink = ts_sink_null();
    fixture *f = *state;
    pair x;
    for (unsigned i = 0; i < TS_N_js_heap_edges; i++) {
        columns[i] = values;
    }
    counted = 0;
    sink.calls.put = count_put;
    assert_int_equal(ts_sink_put_columns(&sink, TS_T_js_heap_edges, columns, 10), TS_OK);
    assert_int_equal(counted, 10);
    assert_int_equal(sink.rows[TS_T_js_heap_edges], 10);
    pair_begin(&x, f, 512, 0, "kii it iiiiiiiiiiiiiiii");
    for (unsigned i = 0; i < 3; i++) {
        assert_false(ts_pages_has_columns(x.pages, i));
    }
    pair_finish(&x);
    pair_free(&x);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_batches),          TEST(test_sizes),
        TEST(test_in_turn),          TEST(test_texts),
        TEST(test_pages_are_full),   cmocka_unit_test(test_sinks),
        TEST(test_short_texts),      cmocka_unit_test(test_keys),
        TEST(test_columns),          cmocka_unit_test(test_ways),
        TEST(test_columns_of_sinks), TEST(test_first_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

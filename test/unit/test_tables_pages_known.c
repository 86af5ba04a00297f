/* Rows of hot tables, for which the page writer has code of their own, against SQLite's INSERT:
 * values of all sizes, texts up to and beyond what the code is for, reserved columns. */
#include "tables_pages.h"

/* Columns of hot tables, the last ones with a key. */
static const char specs[] = "iiiiiiiti iiiiiiitiiit iiiittiiiittttttttii iitii itiitr tiiii "
                            "iiiittiiiit kiiiiiiiitiii";
enum { TABLES = 8, LONGEST = 57, LETTERS = 6000 };

static char letters[LETTERS];

static int setup(void **state)
{
    for (unsigned i = 0; i < LETTERS; i++) {
        letters[i] = (char)('a' + i % 26);
    }
    return fixture_setup(state);
}

static void fill_row(pair *x, unsigned id, uint64_t *seed, size_t longest)
{
    const ts_table *table = &x->tables[id];
    for (unsigned i = 0; i < table->column_count; i++) {
        uint64_t any = next_random(seed);
        unsigned bits = (unsigned)(next_random(seed) % 65);
        int64_t v = bits == 0 ? 0 : (int64_t)(any >> (64 - bits));
        v = any % 3 == 0 ? -v : any % 5 == 0 ? v & 1 : v;
        if (table->columns[i].type == TS_COL_TEXT) {
            size_t n = (size_t)(next_random(seed) % (longest + 1));
            set_text(x, id, i, n == longest && any % 4 == 0 ? NULL : letters + any % 26, n);
        } else if (table->columns[i].type == TS_COL_REAL) {
            set_real(x, id, i, any % 4 > 0 ? 0 : any % 8 == 0 ? -0.0 : (double)v / 4);
        } else if (table->columns[i].type == TS_COL_INT) {
            set_int(x, id, i, v);
        }
    }
    set_nulls(x, id, 0);
    if (next_random(seed) % 2 == 0) {
        uint64_t all = (UINT64_C(1) << table->column_count) - 1;
        set_nulls(x, id, next_random(seed) & next_random(seed) & all);
    }
}

/* Pages of 512 bytes are too small for the row with ten texts. */
static void check_hot(const pair *x, uint32_t page_size)
{
    for (unsigned id = 0; id < TABLES; id++) {
        assert_int_equal(x->pages->tables[id].hot != NULL, page_size > 512 || id != 2);
    }
}

/* Mostly short texts; those of 57 letters are the last that are short. */
static void test_rows(void **state)
{
    static const uint32_t page_sizes[] = {512, 4096, 65536};
    static const size_t longest[] = {3, 12, LONGEST - 1, LONGEST, LONGEST + 1, 200, 5000};
    fixture *f = *state;
    for (unsigned s = 0; s < sizeof page_sizes / sizeof page_sizes[0]; s++) {
        for (unsigned k = 0; k < sizeof longest / sizeof longest[0]; k++) {
            pair x;
            uint64_t seed = 10 * s + k;
            pair_begin(&x, f, page_sizes[s], 0, specs);
            check_hot(&x, page_sizes[s]);
            for (unsigned i = 0; i < 150; i++) {
                for (unsigned id = 0; id < TABLES; id++) {
                    fill_row(&x, id, &seed, longest[k]);
                    pair_put(&x, id);
                }
            }
            pair_finish(&x);
            pair_free(&x);
        }
    }
}

/* Rowids at which another byte is needed. */
static void test_rowids(void **state)
{
    static const unsigned steps[] = {7, 14, 21, 28, 49, 55, 56};
    fixture *f = *state;
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        pair x;
        uint64_t seed = s;
        pair_begin(&x, f, 1024, 0, "kitii");
        pair_start_at(&x, 0, (INT64_C(1) << steps[s]) - 20);
        for (unsigned i = 0; i < 40; i++) {
            fill_row(&x, 0, &seed, 20);
            pair_put(&x, 0);
        }
        pair_finish(&x);
        pair_free(&x);
    }
}

/* Durations that come later, in leaves that are open, queued and written; a column behind those
 * that the code reserves. */
static void test_reserved(void **state)
{
    enum { OPEN = 400, DUR = 2, LAST = 19 };
    static const uint32_t page_sizes[] = {512, 4096};
    fixture *f = *state;
    for (unsigned s = 0; s < 2; s++) {
        for (size_t longest = 10; longest < 100; longest += 60) {
            pair x;
            uint64_t seed = s + longest;
            pair_begin(&x, f, page_sizes[s], 0, "iiiittiiiittttttttii");
            for (int64_t i = 1; i <= 3000; i++) {
                uint64_t late = UINT64_C(1) << (i % 100 == 0 ? LAST : DUR);
                int64_t value = (int64_t)next_random(&seed);
                fill_row(&x, 0, &seed, longest);
                set_nulls(&x, 0, next_random(&seed) & 0x3ff00 & ~late);
                if (i % 50 == 1) { /* two at once */
                    late |= 1;
                }
                pair_reserve(&x, 0, late);
                if (i > OPEN && i % 2 == 0) {
                    int64_t row = i - OPEN;
                    uint64_t columns = UINT64_C(1) << (row % 100 == 0 ? LAST : DUR);
                    pair_settle(&x, 0, row, columns, &value);
                }
            }
            pair_finish(&x);
            pair_free(&x);
        }
    }
}

/* The marks of the schema: only integers come later. */
static void test_marks(void **state)
{
    const fixture *f = *state;
    const ts_pages_config config = {.fd = -1, .path = "", .page_size = 4096, .page_count = 1};
    unsigned hot = 0;
    unsigned late = 0;
    ts_pages *p;
    assert_int_equal(ts_pages_new(&p, f->ctx, &config), TS_OK);
    for (unsigned id = 0; id < TS_TABLE_COUNT; id++) {
        const page_table *t = &p->tables[id];
        assert_int_equal(ts_pages_form(p, id, &ts_schema[id]), TS_OK);
        assert_int_equal(t->late & ~t->reservable, 0);
        assert_int_equal(t->hot == NULL, t->hot_late == NULL);
        hot += t->hot != NULL ? 1 : 0;
        late += t->late != 0 ? 1 : 0;
    }
    ts_pages_free(p);
    assert_true(hot >= 30 && hot < TS_TABLE_COUNT / 2);
    assert_true(late >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows, setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_rowids, setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_reserved, setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_marks, setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

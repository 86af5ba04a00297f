/* Reserved rows of the page writer: completed while their page is open, queued, in the file; many
 * at once; and what is refused. */
#include "tables_pages.h"

static char letters[70000];

static int setup(void **state)
{
    memset(letters, 'q', sizeof letters);
    return fixture_setup(state);
}

/* Rows like those of calls: k parent ts dur self state. */
enum { PARENT = 1, TS, DUR, SELF, STATE };
/* As many of the newest rows are held at most. */
enum { HELD = 128 };
#define LATE (UINT64_C(1) << DUR | UINT64_C(1) << SELF | UINT64_C(1) << STATE)

static int64_t begin_call(pair *x, unsigned id, int64_t parent)
{
    set_int(x, id, PARENT, parent);
    set_int(x, id, TS, 1000 * pair_rows(x, id));
    set_int(x, id, DUR, -1);
    set_int(x, id, SELF, 0);
    set_int(x, id, STATE, 1);
    set_nulls(x, id, parent == 0 ? 1 << PARENT : 0);
    pair_reserve(x, id, LATE);
    return pair_rows(x, id);
}

static void end_call(pair *x, unsigned id, int64_t rowid, uint64_t *mix)
{
    uint64_t r = next_random(mix);
    if ((r & 1) != 0) { /* all at once, or some of them */
        int64_t values[3];
        for (unsigned i = 0; i < 3; i++) {
            values[i] = (int64_t)next_random(mix) >> (next_random(mix) & 63);
        }
        pair_settle(x, id, rowid, (r >> 1 & 7) << DUR, values);
        return;
    }
    pair_complete(x, id, rowid, DUR, (int64_t)next_random(mix) >> (next_random(mix) & 63));
    pair_complete(x, id, rowid, SELF, (int64_t)(next_random(mix) & 1));
    pair_complete(x, id, rowid, STATE, 0);
    ts_pages_release(x->pages, id, rowid);
}

/* A stack that grows and shrinks: ends in the open leaf, in the queue and in the file, in the first
 * leaf, in one that had to leave the queue, and some that never come. */
static void test_calls(void **state)
{
    fixture *f = *state;
    static const uint32_t page_sizes[] = {512, 4096, 65536};
    enum { DEPTH = 3000 };
    for (unsigned s = 0; s < 3; s++) {
        pair x;
        uint64_t mix = 11;
        int64_t *stack = calloc(DEPTH, sizeof *stack);
        size_t depth = 0;
        assert_non_null(stack);
        pair_begin(&x, f, page_sizes[s], 0, "kiiiii kiiiii t");
        set_text(&x, 2, 0, letters, 400);
        int64_t slow = begin_call(&x, 1, 0);
        for (int64_t i = 0; i < (test_slow() ? 40000 : 15000); i++) {
            uint64_t r = next_random(&mix) % 100;
            if (depth < DEPTH && (depth == 0 || r < 52)) {
                stack[depth] = begin_call(&x, 0, depth == 0 ? 0 : stack[depth - 1]);
                depth++;
            } else {
                end_call(&x, 0, stack[--depth], &mix);
            }
            pair_put(&x, 2);
            if (i % 1000 == 0) {
                int64_t next = begin_call(&x, 1, slow);
                if (i % 3000 != 0) {
                    end_call(&x, 1, slow, &mix);
                }
                slow = next;
            }
        }
        while (depth > 5) {
            end_call(&x, 0, stack[--depth], &mix);
        }
        free(stack);
        pair_finish(&x);
        pair_free(&x);
    }
}

/* Rows of a hot table with columns that come later, usual ones and others, with numbers of every
 * size. */
static void test_invocations(void **state)
{
    enum {
        CALLER = 3,
        TIME = 6,
        OWN_TIME = 7,
        CPU = 8,
        DEPTH_NOW = 9,
        HOW = 10,
        COLUMNS = 11,
        ROWS = 3000
    };
    const uint64_t late = UINT64_C(1) << TIME | UINT64_C(1) << OWN_TIME | UINT64_C(1) << HOW;
    fixture *f = *state;
    uint64_t mix = 5;
    pair x;
    pair_begin(&x, f, 4096, 0, "kiiiiiiiiii");
    assert_non_null(x.pages->tables[0].hot_late);
    assert_non_null(x.pages->tables[0].hot_some);
    assert_int_equal(x.pages->tables[0].late, late);
    for (int64_t i = 1; i <= ROWS; i++) {
        uint64_t kind = next_random(&mix) % 8;
        uint64_t nulls = (uint64_t)(kind != 0) << CPU | (uint64_t)(kind % 3 == 1) << CALLER |
                         (uint64_t)(kind == 7) << (1 + next_random(&mix) % 5);
        int64_t values[4];
        for (unsigned c = 1; c < COLUMNS; c++) {
            int64_t v = (int64_t)(next_random(&mix) >> (next_random(&mix) & 63));
            set_int(&x, 0, c, (next_random(&mix) & 3) == 0 ? ~v : v);
        }
        for (unsigned k = 0; k < 4; k++) {
            values[k] = (int64_t)next_random(&mix) >> (next_random(&mix) & 63);
        }
        set_nulls(&x, 0, nulls);
        pair_reserve(&x, 0,
                     kind == 0   ? late | UINT64_C(1) << CPU
                     : kind == 1 ? late | UINT64_C(1) << DEPTH_NOW
                                 : late);
        if (i > 40 && i % 2 == 0) {
            pair_settle(&x, 0, i - 40, i % 3 == 0 ? late : late & ~(UINT64_C(1) << HOW), values);
        }
    }
    pair_finish(&x);
    pair_free(&x);
}

/* Ends of held rows, of rows that just got their cells, and of those in between; rows with other
 * NULLs; rows that come many at once, and scans while rows are held. */
static void test_held_rows(void **state)
{
    fixture *f = *state;
    static const unsigned ages[] = {0, 1, 9, 63, 64, 65, 127, 128, 129, 300};
    for (unsigned a = 0; a < sizeof ages / sizeof ages[0]; a++) {
        pair x;
        uint64_t mix = 29;
        int64_t calls[701];
        pair_begin(&x, f, 512, 0, "kiiiii iii");
        for (int64_t i = 1; i <= 700; i++) {
            calls[i] = begin_call(&x, 0, i % 7 == 0 ? 0 : i);
            set_int(&x, 1, 0, i);
            set_int(&x, 1, 1, (int64_t)next_random(&mix));
            pair_reserve(&x, 1, i % 5 == 0 ? 2 : 0);
            if (i > ages[a] && i % 11 != 0) {
                end_call(&x, 0, calls[i - ages[a]], &mix);
            }
            if (i % 90 == 0) { /* the rows after it follow the held ones */
                for (unsigned k = 0; k < 3; k++) {
                    pair_put(&x, 0);
                }
            }
            if (i % 333 == 0) {
                pair_scan(&x, x.path, x.fd, x.pages, x.db, x.db);
            }
        }
        pair_finish(&x);
        pair_free(&x);
    }
}

/* Rows that come as columns follow the held ones, and are followed by such. */
static void test_columns_after_held_rows(void **state)
{
    enum { COLUMNS = 200 }; /* some of them begin a leaf */
    static const uint32_t values[COLUMNS] = {1, 2, 3};
    const uint32_t *columns[] = {values, values};
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 512, 0, "ii");
    for (int64_t i = 1; i <= 300; i++) {
        const int64_t value = 7 * i;
        set_int(&x, 0, 0, i);
        pair_reserve(&x, 0, 2);
        const int64_t rowid = pair_rows(&x, 0);
        if (i % 50 == 0) {
            for (unsigned r = 0; r < COLUMNS; r++) {
                const int64_t row[] = {0, values[r], values[r]};
                insertsink_put(x.insert, 0, row);
            }
            assert_ok(x.ctx, ts_pages_put_columns(x.pages, 0, columns, COLUMNS));
        }
        if (i % 3 != 0) {
            pair_settle(&x, 0, rowid, 2, &value);
        }
    }
    pair_finish(&x);
    pair_free(&x);
}

/* Calls that end soon are remembered nowhere and take no more bytes than others. */
static void test_held_rows_are_short(void **state)
{
    fixture *f = *state;
    enum { ROWS = 5000 };
    const int64_t values[3] = {3, 2, 1};
    uint32_t pages[2];
    for (unsigned late = 0; late < 2; late++) {
        pair x;
        pair_begin(&x, f, 4096, 0, "kiiiii");
        for (int64_t i = 1; i <= ROWS; i++) {
            (void)begin_call(&x, 0, i);
            if (i > HELD * late) {
                pair_settle(&x, 0, i - HELD * late, LATE, values);
            }
        }
        assert_int_equal(x.pages->tables[0].reserved.cap > 0, late);
        pair_finish(&x);
        pages[late] = x.page_count;
        pair_free(&x);
    }
    assert_true(pages[0] + 20 < pages[1]); /* 3 * 7 bytes a row */
}

/* Rows that came complete have the records that they have in any table, of every size beside each
 * other. */
static void test_complete_rows_among_held(void **state)
{
    fixture *f = *state;
    const int64_t value = 5;
    pair x;
    pair_begin(&x, f, 512, 0, "ii");
    set_int(&x, 0, 0, 1);
    pair_reserve(&x, 0, 2);
    x.records_differ = false; /* the row gets its value while it is held */
    pair_settle(&x, 0, 1, 2, &value);
    for (int64_t i = 0; i < 1000; i++) {
        set_int(&x, 0, 0, i % 3 == 0 ? i << 40 : i % 100);
        set_int(&x, 0, 1, i % 5 == 0 ? -i * i * i : 1);
        pair_put(&x, 0);
    }
    pair_finish(&x);
    pair_free(&x);
}

/* The columns of one row, again and again, from its put to long after its page was written. */
static void test_one_row_at_every_age(void **state)
{
    fixture *f = *state;
    pair x;
    uint64_t mix = 13;
    pair_begin(&x, f, 4096, 0, "kiiiii t");
    set_text(&x, 1, 0, letters, 3000);
    int64_t first = begin_call(&x, 0, 0);
    int64_t second = 0;
    for (int64_t i = 0; i < 1500; i++) {
        pair_complete(&x, 0, first, DUR, (int64_t)next_random(&mix));
        if (i > 200) { /* the first leaf is written, the next one open */
            if (second == 0) {
                second = begin_call(&x, 0, 0);
                for (unsigned k = 0; k < HELD; k++) { /* none of them is held any more */
                    (void)begin_call(&x, 0, first);
                }
            }
            pair_complete(&x, 0, second, SELF, (int64_t)next_random(&mix));
        } else {
            (void)begin_call(&x, 0, first);
        }
        pair_put(&x, 1);
    }
    assert_int_not_equal(x.pages->tables[0].leaf_number, 0);
    assert_false(x.pages->tables[0].queued);
    pair_finish(&x);
    pair_free(&x);
}

/* Texts before the reserved columns push them to the end of the leaf's part, over it, and into
 * overflow pages and over their ends. */
static void test_rows_with_texts(void **state)
{
    fixture *f = *state;
    static const uint32_t page_sizes[] = {512, 1024, 65536};
    for (unsigned s = 0; s < 3; s++) {
        pair x;
        uint64_t mix = 17;
        size_t most = page_sizes[s] > 1024 ? 0 : 4 * page_sizes[s];
        pair_begin(&x, f, page_sizes[s], 0, "itiirt");
        set_text(&x, 0, 5, letters, 3);
        for (size_t n = 0; n < most + 60; n++) {
            size_t text = most > 0 ? n : 65400 + 3 * n;
            set_text(&x, 0, 1, letters, text);
            set_int(&x, 0, 2, 1);
            set_int(&x, 0, 3, 2);
            pair_reserve(&x, 0, 1 | 4 | 8);
            int64_t rowid = pair_rows(&x, 0);
            for (unsigned c = 0; c < 4; c += c == 0 ? 2 : 1) {
                pair_complete(&x, 0, rowid, c, (int64_t)next_random(&mix));
                if (rowid > 100) {
                    pair_complete(&x, 0, rowid - 100, c, (int64_t)next_random(&mix));
                }
                if (rowid > 2000) { /* in the file by now */
                    pair_complete(&x, 0, rowid - 2000, c, (int64_t)next_random(&mix));
                }
            }
        }
        pair_finish(&x);
        pair_free(&x);
    }
}

/* Columns that stand side by side, and columns with something between them, of rows with and
 * without texts, soon and long after their page was written. */
static void test_settled_rows(void **state)
{
    fixture *f = *state;
    enum { ROWS = 4000, AGE = 2000 };
    pair x;
    uint64_t mix = 23;
    pair_begin(&x, f, 512, 0, "iiiiii itiirt");
    set_text(&x, 1, 5, letters, 3);
    for (int64_t i = 1; i <= ROWS; i++) {
        int64_t values[6];
        int64_t old = i - AGE;
        for (unsigned c = 0; c < 6; c++) {
            values[c] = (int64_t)next_random(&mix) >> (next_random(&mix) & 63);
            set_int(&x, 0, c, values[c]);
        }
        pair_reserve(&x, 0, 0x3b);
        set_text(&x, 1, 1, letters, (size_t)i);
        set_int(&x, 1, 2, 1);
        set_int(&x, 1, 3, 2);
        pair_reserve(&x, 1, 13);
        if (i % 3 == 0) {
            pair_settle(&x, 0, i, next_random(&mix) & 0x3b, values);
            pair_settle(&x, 1, i, next_random(&mix) & 13, values);
        }
        if (old > 0 && old % 3 != 0) {
            pair_settle(&x, 0, old, next_random(&mix) & 0x3b, values);
            pair_settle(&x, 1, old, next_random(&mix) & 13, values);
        }
    }
    pair_finish(&x);
    pair_free(&x);
}

/* Nothing is known of a settled row any more, and nothing but reserved columns can be settled. */
static void test_settled_only_once(void **state)
{
    fixture *f = *state;
    pair x;
    int64_t values[2] = {7, 8};
    pair_begin(&x, f, 512, 0, "kii");
    pair_reserve(&x, 0, 2);
    assert_failure(x.ctx, ts_pages_settle(x.pages, 0, 1, 6, values), TS_ERR_INTERNAL,
                   "no such reserved cells");
    assert_failure(x.ctx, ts_pages_settle(x.pages, 0, 2, 2, values), TS_ERR_INTERNAL,
                   "no such reserved cells");
    pair_settle(&x, 0, 1, 2, values);
    assert_failure(x.ctx, ts_pages_settle(x.pages, 0, 1, 2, values), TS_ERR_INTERNAL,
                   "no such reserved cells");
    assert_failure(x.ctx, ts_pages_complete(x.pages, 0, 1, 1, 5), TS_ERR_INTERNAL,
                   "no such reserved cell");
    pair_finish(&x);
    pair_free(&x);
}

enum { OPEN = 100000 };

/* Many open at once, ended in an order that has nothing to do with that of their beginning. */
static void test_many_open_rows(void **state)
{
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 4096, 0, "kiiiii");
    set_int(&x, 0, DUR, 0);
    uint64_t before = x.ctx->memory_used;
    for (int64_t i = 0; i < OPEN; i++) {
        set_int(&x, 0, 0, i + 1);
        assert_ok(x.ctx, ts_pages_put(x.pages, 0, x.rows[0], LATE));
    }
    assert_true(x.ctx->memory_used - before < (uint64_t)OPEN * 100);
    for (int64_t i = 0; i < OPEN; i++) {
        int64_t rowid = i * 7919 % OPEN + 1;
        assert_ok(x.ctx, ts_pages_complete(x.pages, 0, rowid, DUR, rowid * 3));
        assert_ok(x.ctx, ts_pages_complete(x.pages, 0, rowid, STATE, -rowid));
        ts_pages_release(x.pages, 0, rowid);
    }
    /* What is left is the table of slots. */
    assert_true(x.ctx->memory_used - before < (uint64_t)OPEN * 24);
    assert_int_equal(x.pages->tables[0].reserved.count, 0);
    assert_ok(x.ctx, ts_pages_finish(x.pages, &x.page_count));
    assert_sql(x.path, "SELECT count(*), sum(c3 = 3 * c0), sum(c5 = -c0), sum(c4 = 0) FROM t0",
               "100000|100000|100000|100000\n");
    assert_sql(x.path, "PRAGMA integrity_check", "ok\n");
    ts_pages_free(x.pages);
    insertsink_free(x.insert);
    close(x.fd);
    pair_free(&x);
}

static void test_what_is_refused(void **state)
{
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 512, 0, "kirt i");
    set_text(&x, 0, 3, "x", 1);
    pair_reserve(&x, 0, 2);
    pair_put(&x, 1);
    static const struct {
        unsigned id;
        int64_t rowid;
        unsigned column;
    } wrong[] = {{0, 1, 0},  {0, 1, 2}, {0, 1, 3},          {0, 1, 4},        {0, 1, 63},
                 {0, 1, 64}, {0, 2, 1}, {0, 0, 1},          {0, -1, 1},       {0, INT64_MAX, 1},
                 {1, 1, 0},  {1, 2, 0}, {0, 1, UINT32_MAX}, {0, INT64_MIN, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_failure(x.ctx,
                       ts_pages_complete(x.pages, wrong[i].id, wrong[i].rowid, wrong[i].column, 5),
                       TS_ERR_INTERNAL, "no such reserved cell");
    }
    set_int(&x, 0, 0, 2);
    static const uint64_t columns[] = {1, 4, 8, 16, UINT64_C(1) << 63, 3};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        assert_failure(x.ctx, ts_pages_put(x.pages, 0, x.rows[0], columns[i]), TS_ERR_INTERNAL,
                       "cannot be reserved");
    }
    set_nulls(&x, 0, 2);
    assert_failure(x.ctx, ts_pages_put(x.pages, 0, x.rows[0], 2), TS_ERR_INTERNAL,
                   "cannot be reserved");
    set_nulls(&x, 0, 0);
    /* Twice, and what was never reserved: nothing happens. */
    ts_pages_release(x.pages, 0, 1);
    ts_pages_release(x.pages, 0, 1);
    ts_pages_release(x.pages, 0, 77);
    ts_pages_release(x.pages, 1, 1);
    assert_failure(x.ctx, ts_pages_complete(x.pages, 0, 1, 1, 5), TS_ERR_INTERNAL, "row=1");
    /* A row that was refused leaves nothing behind. */
    pair_put(&x, 0);
    pair_finish(&x);
    pair_free(&x);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_columns_after_held_rows),
        TEST(test_complete_rows_among_held),
        TEST(test_held_rows),
        TEST(test_held_rows_are_short),
        TEST(test_calls),
        TEST(test_invocations),
        TEST(test_one_row_at_every_age),
        TEST(test_rows_with_texts),
        TEST(test_settled_rows),
        TEST(test_settled_only_once),
        TEST(test_many_open_rows),
        TEST(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

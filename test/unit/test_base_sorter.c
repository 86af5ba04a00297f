/* The sorter against qsort with the place in the input as the last key. */
#include "base/sorter.h"
#include "sys_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { WORDS_MAX = 8 };

typedef struct table {
    size_t words; /* of a record; the last one is its place when there are more than one */
    size_t keys;
    size_t n;
    uint64_t *p;
} table;

static uint64_t random_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

enum shape {
    SHAPE_EQUAL,
    SHAPE_SORTED,
    SHAPE_REVERSED,
    SHAPE_RANDOM,
    SHAPE_FEW,
    SHAPE_SAW,
    SHAPES
};

static table make(enum shape shape, size_t words, size_t n)
{
    table t = {words, words > 2 ? 2 : 1, n, NULL};
    uint64_t state = n * 31 + words;
    t.p = calloc(n * words + 1, 8);
    assert_non_null(t.p);
    for (size_t i = 0; i < n; i++) {
        uint64_t *r = t.p + i * words;
        for (size_t k = 0; k < words; k++) {
            uint64_t any = random_next(&state);
            r[k] = shape == SHAPE_RANDOM     ? any
                   : shape == SHAPE_FEW      ? any % 3
                   : shape == SHAPE_EQUAL    ? 7
                   : shape == SHAPE_SORTED   ? i / 2
                   : shape == SHAPE_REVERSED ? (n - i) / 2
                                             : i % 100;
        }
        if (words > 1) {
            r[words - 1] = i;
        }
    }
    return t;
}

static const table *sorted_table;

/* By the keys, then by the place: addresses are places before qsort moves anything, so pointers are
 * sorted. */
static int by_place(const void *a, const void *b)
{
    const uint64_t *x = *(const uint64_t *const *)a;
    const uint64_t *y = *(const uint64_t *const *)b;
    for (size_t i = 0; i < sorted_table->keys; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return x < y ? -1 : x > y;
}

static const uint64_t **expected(const table *t)
{
    const uint64_t **refs = calloc(t->n + 1, sizeof *refs);
    assert_non_null(refs);
    for (size_t i = 0; i < t->n; i++) {
        refs[i] = t->p + i * t->words;
    }
    sorted_table = t;
    qsort(refs, t->n, sizeof *refs, by_place);
    return refs;
}

static int compare_first(const void *user, const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    for (size_t i = 0; i < *(const size_t *)user; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Puts the records in and takes them out; `want` NULL: they are not compared. */
static ts_code sort_all(ts_ctx *ctx, const table *t, const ts_sorter_order *order, size_t memory,
                        const uint64_t **want)
{
    ts_sorter *s;
    const void *record = NULL;
    size_t n = 0;
    ts_code code = ts_sorter_open(&s, ctx, t->words * 8, order, memory);
    if (code != TS_OK) {
        assert_null(s);
        return code;
    }
    for (size_t i = 0; i < t->n && code == TS_OK; i++) {
        code = ts_sorter_add(s, t->p + i * t->words);
    }
    code = code == TS_OK ? ts_sorter_finish(s) : code;
    while (code == TS_OK && (code = ts_sorter_next(&record, s)) == TS_OK && record != NULL) {
        assert_true(n < t->n);
        if (want != NULL) {
            assert_memory_equal(record, want[n], t->words * 8);
        }
        n++;
    }
    if (code == TS_OK) {
        assert_int_equal(n, t->n);
        assert_int_equal(ts_sorter_next(&record, s), TS_OK); /* the end stays the end */
        assert_null(record);
    }
    ts_sorter_close(s);
    return code;
}

static void check(ts_ctx *ctx, enum shape shape, size_t words, size_t n, size_t memory)
{
    table t = make(shape, words, n);
    const uint64_t **want = expected(&t);
    ts_sorter_order by_keys = {.key_count = t.keys};
    ts_sorter_order by_call = {.compare = compare_first, .user = &t.keys};
    assert_ok(ctx, sort_all(ctx, &t, &by_keys, memory, want));
    assert_ok(ctx, sort_all(ctx, &t, &by_call, memory, want));
    free(want);
    free(t.p);
}

/* Numbers around the length of pieces, of a block and of a run. */
static void test_in_memory(void **state)
{
    static const size_t numbers[] = {0,  1,  2,  3,   7,   8,   15,  16,   17,
                                     31, 32, 33, 100, 255, 256, 257, 1000, 10007};
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t words = 1; words <= WORDS_MAX; words++) {
            for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
                check(ctx, (enum shape)shape, words, numbers[i], 8 << 20);
            }
        }
    }
    test_ctx_free(ctx);
}

/* Runs of two records and merges of four runs: six passes for 2500 records. */
static void test_tiny_memory(void **state)
{
    static const size_t numbers[] = {0, 1, 2, 3, 4, 8, 9, 32, 33, 127, 128, 129, 2500};
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t words = 1; words <= WORDS_MAX; words++) {
            for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
                check(ctx, (enum shape)shape, words, numbers[i], 0);
            }
        }
    }
    test_ctx_free(ctx);
}

/* One pass and two, with buffers of the usual size; the last run is shorter than the others. */
static void test_runs(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        check(ctx, (enum shape)shape, 4, 20011, 256 << 10); /* 4 runs */
        check(ctx, (enum shape)shape, 4, 60013, 128 << 10); /* 23 runs, 4 at once: 3 passes */
        check(ctx, (enum shape)shape, 3, 30011, 64 << 10);
    }
    test_ctx_free(ctx);
}

/* The key may stand anywhere in the record; ts_sorter_key orders as signed numbers do. */
static void test_signed_key_in_the_middle(void **state)
{
    static const int64_t times[] = {5, -1, INT64_MAX, 0, INT64_MIN, -7, 1, -1};
    static const uint64_t want[] = {4, 5, 1, 7, 3, 6, 0, 2};
    ts_ctx *ctx = test_ctx_new();
    ts_sorter_order order = {.key_offset = 8, .key_count = 1};
    ts_sorter *s;
    const void *record;
    (void)state;
    assert_ok(ctx, ts_sorter_open(&s, ctx, 24, &order, 0));
    for (uint64_t i = 0; i < 8; i++) {
        uint64_t r[3] = {i, ts_sorter_key(times[i]), 8 - i};
        assert_ok(ctx, ts_sorter_add(s, r));
    }
    assert_ok(ctx, ts_sorter_finish(s));
    for (uint64_t i = 0; i < 8; i++) {
        assert_ok(ctx, ts_sorter_next(&record, s));
        assert_int_equal(*(const uint64_t *)record, want[i]);
    }
    ts_sorter_close(s);
    test_ctx_free(ctx);
}

static void test_what_cannot_be_sorted(void **state)
{
    static const struct {
        size_t size;
        ts_sorter_order order;
    } cases[] = {
        {0, {.key_count = 1}},
        {12, {.key_count = 1}},
        {16, {.key_count = 0}},
        {16, {.key_count = 3}},
        {16, {.key_count = 1, .key_offset = 16}},
        {16, {.key_count = 1, .key_offset = 24}},
        {16, {.key_count = 1, .key_offset = 4}},
        {16, {.key_count = SIZE_MAX, .key_offset = 8}},
    };
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ts_sorter *s;
        assert_int_equal(ts_sorter_open(&s, ctx, cases[i].size, &cases[i].order, 4096),
                         TS_ERR_INTERNAL);
        assert_null(s);
    }
    ts_sorter_close(NULL);
    test_ctx_free(ctx);
}

/* What it takes beside the spools stays within what it may, in all phases. */
static void test_memory(void **state)
{
    enum { SPOOLS = 2 * (64 * 1024 + 256), SELF = 1024 };
    static const size_t memories[] = {100000, 1 << 20, 3 << 20};
    (void)state;
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        for (size_t words = 1; words <= WORDS_MAX; words += 3) {
            ts_ctx *ctx = test_ctx_new();
            table t = make(SHAPE_RANDOM, words, 5 * memories[i] / (8 * words));
            ts_sorter_order order = {.key_count = 1};
            assert_ok(ctx, sort_all(ctx, &t, &order, memories[i], NULL));
            assert_in_range(ctx->memory_peak, memories[i] / 2, memories[i] + SPOOLS + SELF);
            free(t.p);
            test_ctx_free(ctx);
        }
    }
    /* And it takes no more than the records need. */
    ts_ctx *ctx = test_ctx_new();
    table t = make(SHAPE_RANDOM, 4, 10);
    ts_sorter_order order = {.key_count = 1};
    assert_ok(ctx, sort_all(ctx, &t, &order, 1 << 30, NULL));
    assert_true(ctx->memory_peak < 70000);
    free(t.p);
    test_ctx_free(ctx);
}

/* A comparison that counts: n records take about n log2 n of them, sorted ones n. */
typedef struct counting {
    uint64_t calls;
} counting;

static int compare_counting(const void *user, const void *a, const void *b)
{
    counting *c = (counting *)(uintptr_t)user;
    const uint64_t *x = a;
    const uint64_t *y = b;
    c->calls++;
    return (*x > *y) - (*x < *y);
}

static void test_comparisons(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    for (int spilled = 0; spilled < 2; spilled++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            table t = make((enum shape)shape, 2, 1 << 15);
            counting c = {0};
            ts_sorter_order order = {.compare = compare_counting, .user = &c};
            assert_ok(ctx, sort_all(ctx, &t, &order, spilled ? 64 << 10 : 8 << 20, NULL));
            /* 15 levels; insertion in pieces of 8 costs up to 28 for 8 records, and the merges of
             * passes look at each record twice a level. */
            assert_true(c.calls < t.n * (spilled ? 24 : 17));
            if (!spilled && (shape == SHAPE_SORTED || shape == SHAPE_EQUAL)) {
                assert_true(c.calls <= t.n);
            }
            free(t.p);
        }
    }
    test_ctx_free(ctx);
}

/* --- failing --- */

static void test_each_system_call_fails_once(void **state)
{
    static const size_t memories[] = {64 << 10, 200 << 10};
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        table t = make(SHAPE_RANDOM, 4, 12000);
        const uint64_t **want = expected(&t);
        ts_sorter_order order = {.key_count = 2};
        ts_code code = TS_ERR_OUTPUT;
        int last = 0;
        for (int fail_at = 1; code != TS_OK; fail_at++) {
            ts_ctx *ctx = test_ctx_new();
            faults f;
            faults_begin(&f, ctx, fail_at);
            code = sort_all(ctx, &t, &order, memories[m], want);
            assert_true(code == TS_OK ? f.calls < fail_at : code == TS_ERR_OUTPUT);
            assert_int_equal(f.files, 0);
            assert_true(fail_at < 10000);
            last = f.calls;
            test_ctx_free(ctx); /* all memory came back */
        }
        assert_true(last > 10);
        free(want);
        free(t.p);
    }
}

static void test_each_allocation_fails_once(void **state)
{
    static const size_t memories[] = {0, 64 << 10, 200 << 10, 8 << 20};
    (void)state;
    for (size_t m = 0; m < 4; m++) {
        table t = make(SHAPE_RANDOM, 4, m == 0 ? 100 : 12000);
        const uint64_t **want = expected(&t);
        ts_sorter_order order = {.key_count = 2};
        ts_code code = TS_ERR_NOMEM;
        for (uint64_t fail_at = 1; code != TS_OK; fail_at++) {
            ts_ctx *ctx = test_ctx_new();
            test_failing f = {.fail_at = fail_at};
            ctx->allocator = test_failing_allocator(&f);
            code = sort_all(ctx, &t, &order, memories[m], want);
            assert_true(code == TS_OK ? f.calls < fail_at : code == TS_ERR_NOMEM);
            assert_true(fail_at < 10000);
            test_ctx_free(ctx);
        }
        free(want);
        free(t.p);
    }
}

/* A signal at any system call, or before any, ends it. */
static void test_it_can_be_stopped(void **state)
{
    table t = make(SHAPE_RANDOM, 4, 30000);
    ts_sorter_order order = {.key_count = 1};
    static const size_t memories[] = {64 << 10, 200 << 10, 8 << 20};
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        ts_ctx *ctx = test_ctx_new();
        volatile sig_atomic_t signal_number = 15;
        ctx->cancel = &signal_number;
        assert_int_equal(sort_all(ctx, &t, &order, memories[m], NULL), TS_ERR_INTERRUPTED);
        test_ctx_free(ctx);
    }
    free(t.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_memory),
        cmocka_unit_test(test_tiny_memory),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_signed_key_in_the_middle),
        cmocka_unit_test(test_what_cannot_be_sorted),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_comparisons),
        cmocka_unit_test(test_each_system_call_fails_once),
        cmocka_unit_test(test_each_allocation_fails_once),
        cmocka_unit_test(test_it_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

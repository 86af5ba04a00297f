/* ts_nearmap against a sorted list. */
#include "base/nearmap.h"

#include "base/alloc.h"

#include "support.h"

enum { MOST = 4000 };

typedef struct numbers {
    uint64_t all[MOST]; /* rising, each once */
    uint32_t values[MOST];
    uint32_t n;
} numbers;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 20;
}

/* Multiples of `step` from `least` on, runs of them with gaps between; values follow each other
 * but for one in `odd`. */
static void make(numbers *s, uint64_t least, uint64_t step, uint32_t n, unsigned odd)
{
    uint64_t at = least;
    uint64_t seed = n + odd;
    for (s->n = 0; s->n < n; s->n++) {
        s->all[s->n] = at;
        s->values[s->n] =
            next_random(&seed) % odd == 0 ? (uint32_t)next_random(&seed) : s->n + 1000;
        at += step * (1 + (next_random(&seed) % 50 == 0 ? next_random(&seed) % 20000
                                                        : next_random(&seed) % 5));
    }
}

static bool build(ts_nearmap *m, ts_ctx *ctx, const numbers *s, uint64_t most)
{
    ts_nearmap_range range = {s->all[0], s->all[s->n - 1], 0, most};
    bool fits;
    for (uint32_t i = 0; i < s->n; i++) {
        range.all_bits |= s->all[i] - s->all[0];
    }
    assert_ok(ctx, ts_nearmap_begin(&fits, m, ctx, &range));
    if (!fits) {
        return false;
    }
    for (uint32_t i = s->n; i-- > 0;) {
        ts_nearmap_room(m, s->all[i]);
    }
    assert_ok(ctx, ts_nearmap_blocks(&fits, m, ctx));
    if (!fits) {
        return false;
    }
    for (uint32_t i = 0; i < 2 * s->n; i++) { /* each twice, in another order than theirs */
        const bool had = ts_nearmap_set(m, s->all[i * UINT64_C(7919) % s->n]);
        assert_int_equal(had, i >= s->n);
    }
    ts_nearmap_count(m);
    for (uint32_t i = s->n; i-- > 0;) {
        ts_nearmap_value(m, s->all[i], s->values[i]);
    }
    assert_ok(ctx, ts_nearmap_lists(m, ctx));
    for (uint32_t i = 0; i < s->n; i++) {
        ts_nearmap_put(m, s->all[i], s->values[i]);
    }
    return true;
}

static void assert_all(const ts_nearmap *m, const numbers *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const uint64_t next = i + 1 < s->n ? s->all[i + 1] : s->all[i];
        ts_nearmap_hint(m, s->all[i]);
        ts_nearmap_hint_block(m, s->all[i]);
        assert_int_equal(ts_nearmap_find(m, s->all[i]), s->values[i]);
        for (uint64_t d = 1; d < 40 && next - s->all[i] > d; d++) {
            assert_int_equal(ts_nearmap_find(m, s->all[i] + d), TS_NEARMAP_NONE);
        }
        assert_true(i + 1 == s->n || ts_nearmap_next(m, s->all[i]) == next);
    }
    assert_int_equal(ts_nearmap_find(m, s->all[0] - 1), TS_NEARMAP_NONE);
    assert_int_equal(ts_nearmap_find(m, s->all[s->n - 1] + 1), TS_NEARMAP_NONE);
    assert_int_equal(ts_nearmap_find(m, 0), TS_NEARMAP_NONE);
    assert_int_equal(ts_nearmap_find(m, UINT64_MAX), TS_NEARMAP_NONE);
}

static void test_nearmap(void **state)
{
    static const struct {
        uint64_t least, step;
        uint32_t n;
        unsigned odd;
    } sets[] = {{0x7f0000000008, 8, MOST, 1000000},
                {0x7f0000000008, 8, MOST, 300},
                {1, 1, MOST, 1},
                {5, 1, 1, 7},
                {UINT64_C(0xffffffffffe00000), 1, 200, 50},
                {3, 24, MOST, 2}};
    (void)state;
    for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++) {
        ts_ctx *ctx = test_ctx_new();
        ts_nearmap m = {0};
        static numbers s;
        make(&s, sets[k].least, sets[k].step, sets[k].n, sets[k].odd);
        assert_true(build(&m, ctx, &s, 1 << 24));
        assert_all(&m, &s);
        ts_nearmap_free(&m, ctx);
        test_ctx_free(ctx);
    }
}

/* The ends of what numbers can be. */
static void test_greatest(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_nearmap m = {0};
    static const numbers s = {{UINT64_MAX - 16, UINT64_MAX}, {7, 3}, 2};
    (void)state;
    assert_true(build(&m, ctx, &s, 1 << 20));
    assert_int_equal(ts_nearmap_find(&m, UINT64_MAX - 16), 7);
    assert_int_equal(ts_nearmap_find(&m, UINT64_MAX), 3);
    assert_int_equal(ts_nearmap_find(&m, UINT64_MAX - 8), TS_NEARMAP_NONE);
    assert_true(ts_nearmap_next(&m, UINT64_MAX - 16) == UINT64_MAX);
    ts_nearmap_free(&m, ctx);
    test_ctx_free(ctx);
}

/* Far apart: neither the directory nor blocks may be larger than was said. */
static void test_does_not_fit(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_nearmap m = {0};
    static numbers s = {{1, 2, UINT64_MAX}, {1, 2, 3}, 3};
    (void)state;
    assert_false(build(&m, ctx, &s, 1 << 20));
    assert_null(m.directory);
    for (s.n = 0; s.n < 100; s.n++) {
        s.all[s.n] = (uint64_t)s.n * TS_NEARMAP_BITS;
    }
    s.all[99]++; /* so that they have no common factor */
    assert_false(build(&m, ctx, &s, 99 * sizeof(ts_nearmap_block)));
    assert_false(ts_nearmap_made(&m));
    assert_null(m.directory);
    assert_true(build(&m, ctx, &s, 100 * sizeof(ts_nearmap_block)));
    ts_nearmap_free(&m, ctx);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearmap),
        cmocka_unit_test(test_greatest),
        cmocka_unit_test(test_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

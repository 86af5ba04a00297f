/* ts_vec, ts_idmap, ts_sort, and numbers in ts_buf. */
#include "base/buf.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/vec.h"
#include "support.h"

typedef struct pair {
    uint64_t a;
    uint32_t b;
} pair;

static void test_vec_keeps_what_was_added(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_vec v = {0};
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        pair *p = ts_vec_add(ctx, &v, sizeof *p);
        assert_non_null(p);
        assert_int_equal(p->a, 0); /* zeroed */
        assert_int_equal(p->b, 0);
        *p = (pair){UINT64_C(1) << 40 | i, i};
        assert_int_equal(v.n, i + 1);
        assert_true(v.n <= v.cap && v.cap <= (i < 16 ? 16 : 2 * (size_t)i));
    }
    const pair *all = v.p;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(all[i].a, UINT64_C(1) << 40 | i);
        assert_int_equal(all[i].b, i);
    }
    ts_vec_free(ctx, &v);
    assert_null(v.p);
    assert_int_equal(v.n + v.cap, 0);
    test_ctx_free(ctx);
}

static void test_vec_reserves(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_vec v = {0};
    (void)state;
    assert_ok(ctx, ts_vec_reserve(ctx, &v, 0, 8));
    assert_null(v.p);
    assert_ok(ctx, ts_vec_reserve(ctx, &v, 1000, 8));
    assert_int_equal(v.cap, 1000);
    assert_int_equal(v.n, 0);
    void *before = v.p;
    v.n = 990;
    assert_ok(ctx, ts_vec_reserve(ctx, &v, 10, 8));
    assert_ptr_equal(v.p, before);
    assert_ok(ctx, ts_vec_reserve(ctx, &v, 11, 8));
    assert_int_equal(v.cap, 2000); /* doubles, though 1001 would do */
    ts_vec_free(ctx, &v);
    test_ctx_free(ctx);
}

/* Sums and products beyond size_t are out of memory, not a small block. */
static void test_vec_sizes_do_not_wrap(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_vec v = {0};
    (void)state;
    assert_non_null(ts_vec_add(ctx, &v, 8));
    assert_int_equal(ts_vec_reserve(ctx, &v, SIZE_MAX, 8), TS_ERR_NOMEM);
    assert_int_equal(ts_vec_reserve(ctx, &v, SIZE_MAX - 1, 8), TS_ERR_NOMEM);
    assert_int_equal(ts_vec_reserve(ctx, &v, SIZE_MAX / 8 + 1, 8), TS_ERR_NOMEM);
    assert_int_equal(v.n, 1);
    assert_int_equal(v.cap, 16);
    ts_vec_free(ctx, &v);
    test_ctx_free(ctx);
}

static void test_vec_without_memory(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    test_failing f = {.fail_at = 2};
    ts_vec v = {0};
    (void)state;
    ctx->allocator = test_failing_allocator(&f);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t *p = ts_vec_add(ctx, &v, sizeof *p);
        assert_non_null(p);
        *p = i;
    }
    assert_null(ts_vec_add(ctx, &v, sizeof(uint32_t)));
    assert_int_equal(ctx->error.code, TS_ERR_NOMEM);
    assert_int_equal(v.n, 16);
    assert_int_equal(((uint32_t *)v.p)[15], 15);
    assert_non_null(ts_vec_add(ctx, &v, sizeof(uint32_t)));
    assert_int_equal(((uint32_t *)v.p)[15], 15);
    ts_vec_free(ctx, &v);
    test_ctx_free(ctx);
}

/* --- ids --- */

/* Ids as inputs have them: counted from 0, multiples of a page, negative, and the ends. */
static int64_t id_of(int kind, int64_t i)
{
    switch (kind) {
    case 0:
        return i;
    case 1:
        return i * 4096;
    case 2:
        return -i;
    case 3:
        return INT64_MIN + i;
    default:
        return INT64_MAX - i;
    }
}

static void test_idmap_finds_what_was_put(void **state)
{
    enum { IDS = 5000 };
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        ts_ctx *ctx = test_ctx_new();
        ts_idmap map = {0};
        uint64_t value;
        for (int64_t i = 0; i < IDS; i++) {
            assert_false(ts_idmap_find(&value, &map, id_of(kind, i)));
            assert_ok(ctx, ts_idmap_put(ctx, &map, id_of(kind, i), UINT64_MAX - (uint64_t)i));
            assert_int_equal(map.count, i + 1);
            /* A free slot is left, so that searching ends. */
            assert_true(map.count <= map.index.slot_count / 5 * 4);
            assert_true(map.index.slot_count <= 32 || map.index.slot_count <= 3 * map.count);
        }
        for (int64_t i = 0; i < IDS; i++) {
            assert_true(ts_idmap_find(&value, &map, id_of(kind, i)));
            assert_int_equal(value, UINT64_MAX - (uint64_t)i);
            assert_int_equal(map.entries[i].id, id_of(kind, i)); /* in the order of coming */
        }
        assert_false(ts_idmap_find(&value, &map, id_of(kind, IDS)));
        ts_idmap_free(ctx, &map);
        assert_false(ts_idmap_find(&value, &map, id_of(kind, 0)));
        test_ctx_free(ctx);
    }
}

static void test_idmap_replaces(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_idmap map = {0};
    uint64_t value;
    (void)state;
    for (int round = 0; round < 3; round++) {
        for (int64_t id = -20; id <= 20; id++) {
            assert_ok(ctx, ts_idmap_put(ctx, &map, id, (uint64_t)(id * 3 + round)));
        }
        assert_int_equal(map.count, 41);
    }
    assert_true(ts_idmap_find(&value, &map, 0));
    assert_int_equal(value, 2);
    assert_true(ts_idmap_find(&value, &map, 7));
    assert_int_equal(value, 23);
    ts_idmap_recent recent = {{0}};
    for (int round = 3; round < 6; round++) { /* the newest value of an id that is known */
        assert_ok(ctx, ts_idmap_put(ctx, &map, 7, (uint64_t)round));
        assert_true(ts_idmap_find_recent(&value, &map, &recent, 7));
        assert_int_equal(value, round);
    }
    ts_idmap_free(ctx, &map);
    test_ctx_free(ctx);
}

/* Ids are found after any others were removed, and take the memory of those that are there. */
static void test_idmap_removes(void **state)
{
    enum { REMOVED = 3000 };
    ts_ctx *ctx = test_ctx_new();
    ts_idmap map = {0};
    ts_idmap_recent recent = {{0}};
    bool live[REMOVED + 1] = {false};
    uint32_t random = 1;
    (void)state;
    ts_idmap_remove(&map, 1);
    for (unsigned step = 0; step < 40000; step++) {
        uint64_t value;
        random = random * 1664525 + 1013904223;
        int64_t id = 1 + (random >> 8) % REMOVED;
        if ((random >> 30) == 0) {
            ts_idmap_remove(&map, id);
            live[id] = false;
        } else if ((random >> 30) == 1) {
            assert_ok(ctx, ts_idmap_put(ctx, &map, id, (uint64_t)id + 7));
            live[id] = true;
        }
        assert_int_equal(ts_idmap_find(&value, &map, id), live[id]);
        assert_true(!live[id] || value == (uint64_t)id + 7);
        /* Those that came lately as well, also when their entries have moved or are gone. */
        for (unsigned again = 0; again < 2; again++) {
            value = 0;
            assert_int_equal(ts_idmap_find_recent(&value, &map, &recent, id), live[id]);
            assert_true(!live[id] || value == (uint64_t)id + 7);
        }
    }
    for (int64_t id = 1; id <= REMOVED; id++) {
        uint64_t value;
        assert_int_equal(ts_idmap_find(&value, &map, id), live[id]);
    }
    assert_true(map.index.slot_count <= 4096);
    ts_idmap_free(ctx, &map);
    test_ctx_free(ctx);
}

/* Which slots are taken depends on the key of the run. */
static void test_idmap_is_keyed(void **state)
{
    ts_ctx *a = test_ctx_new();
    ts_ctx *b = test_ctx_new();
    ts_idmap x = {0};
    ts_idmap y = {0};
    size_t same = 0;
    (void)state;
    for (int64_t id = 1; id <= 1000; id++) {
        assert_ok(a, ts_idmap_put(a, &x, id, 0));
        assert_ok(b, ts_idmap_put(b, &y, id, 0));
    }
    assert_int_equal(x.index.slot_count, y.index.slot_count);
    for (uint32_t i = 0; i < x.index.slot_count; i++) {
        same += (uint32_t)x.index.slots[i] != 0 &&
                (uint32_t)x.index.slots[i] == (uint32_t)y.index.slots[i];
    }
    assert_true(same < 50);
    ts_idmap_free(a, &x);
    ts_idmap_free(b, &y);
    test_ctx_free(a);
    test_ctx_free(b);
}

static void test_idmap_without_memory(void **state)
{
    (void)state;
    for (uint64_t fail_at = 1; fail_at <= 6; fail_at++) {
        ts_ctx *ctx = test_ctx_new();
        test_failing f = {.fail_at = fail_at};
        ts_idmap map = {0};
        uint64_t value;
        int failed = 0;
        ctx->allocator = test_failing_allocator(&f);
        for (int64_t id = 0; id < 60; id++) {
            if (ts_idmap_put(ctx, &map, id, (uint64_t)id) != TS_OK) {
                failed++;
                assert_false(ts_idmap_find(&value, &map, id));
                assert_ok(ctx, ts_idmap_put(ctx, &map, id, (uint64_t)id));
            }
        }
        assert_int_equal(failed, 1); /* 60 ids need 32, 64 and 128 slots, two blocks each */
        ts_idmap_free(ctx, &map);
        test_ctx_free(ctx);
    }
}

static void test_buf_decimal(void **state)
{
    static const int64_t numbers[] = {
        0, 7, -1, 10, -100, 4294967296, INT64_C(999999999999999999), INT64_MAX, INT64_MIN};
    ts_ctx *ctx = test_ctx_new();
    ts_buf b = {0};
    (void)state;
    assert_ok(ctx, ts_buf_putc(ctx, &b, 'x'));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[32];
        b.n = 1;
        snprintf(text, sizeof text, "x%lld", (long long)numbers[i]);
        assert_ok(ctx, ts_buf_decimal(ctx, &b, numbers[i]));
        assert_int_equal(b.n, strlen(text));
        assert_memory_equal(b.p, text, b.n);
    }
    ts_buf_free(ctx, &b);
    test_ctx_free(ctx);
}

/* Elements with a size that is no power of two, larger than what is swapped at once. */
typedef struct sorted {
    int key;
    uint32_t place;
    char more[65];
} sorted;

static int by_sorted_key(const void *a, const void *b, void *user)
{
    const sorted *x = a;
    const sorted *y = b;
    (*(unsigned *)user)++;
    return (x->key > y->key) - (x->key < y->key);
}

static void test_sort_of_every_length(void **state)
{
    (void)state;
    for (size_t n = 0; n < 200; n++) {
        for (unsigned kind = 0; kind < 4; kind++) { /* rising, falling, mixed, few that differ */
            sorted all[200];
            int keys[200];
            bool seen[200] = {false};
            unsigned compared = 0;
            for (size_t i = 0; i < n; i++) {
                const int mixed = (int)((i * 7919 + 31) % 211);
                keys[i] = kind == 0 ? (int)i : kind == 1 ? -(int)i : kind == 2 ? mixed : mixed % 3;
                all[i] = (sorted){.key = keys[i], .place = (uint32_t)i};
                memset(all[i].more, (int)i, sizeof all[i].more);
            }
            ts_sort(all, n, sizeof *all, by_sorted_key, &compared);
            assert_true(compared <= n * 16); /* 2 n log n */
            for (size_t i = 0; i < n; i++) {
                const uint32_t place = all[i].place;
                assert_true(place < n && !seen[place]);
                seen[place] = true;
                assert_int_equal(all[i].key, keys[place]);
                assert_int_equal((unsigned char)all[i].more[64], place);
                assert_true(i == 0 || all[i - 1].key <= all[i].key);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vec_keeps_what_was_added),
        cmocka_unit_test(test_buf_decimal),
        cmocka_unit_test(test_vec_reserves),
        cmocka_unit_test(test_vec_sizes_do_not_wrap),
        cmocka_unit_test(test_vec_without_memory),
        cmocka_unit_test(test_idmap_finds_what_was_put),
        cmocka_unit_test(test_idmap_replaces),
        cmocka_unit_test(test_idmap_removes),
        cmocka_unit_test(test_idmap_is_keyed),
        cmocka_unit_test(test_idmap_without_memory),
        cmocka_unit_test(test_sort_of_every_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

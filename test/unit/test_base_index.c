/* ts_index against a plain list, in which every entry is compared. */
#include "base/index.h"

#include "support.h"

enum { ENTRIES = 3000, IDS = 700 };

typedef struct model {
    int64_t ids[ENTRIES]; /* by number; 0: none */
    uint32_t n;
    unsigned kept_bits; /* of a hash: with few, entries collide */
    uint64_t compared;
} model;

static bool is_id(const void *owner, uint32_t number, const void *key)
{
    model *m = (model *)(uintptr_t)owner;
    m->compared++;
    return m->ids[number] == *(const int64_t *)key;
}

static uint64_t hash_in(const ts_index *index, const model *m, int64_t id)
{
    return ts_hash_number(&index->key, id) & UINT64_MAX >> (64 - m->kept_bits);
}

static uint32_t number_in(const model *m, int64_t id)
{
    for (uint32_t i = 0; i < m->n; i++) {
        if (m->ids[i] == id) {
            return i;
        }
    }
    return TS_INDEX_NONE;
}

static void assert_same(const ts_index *index, const model *m)
{
    assert_int_equal(index->count, m->n);
    for (int64_t id = 1; id <= IDS; id++) {
        uint32_t number = ts_index_find(index, hash_in(index, m, id), is_id, m, &id);
        assert_int_equal(number, number_in(m, id));
    }
}

static void put(ts_ctx *ctx, ts_index *index, model *m, int64_t id)
{
    ts_index_place place;
    assert_ok(ctx, ts_index_reserve(ctx, index));
    if (ts_index_search(&place, index, hash_in(index, m, id), is_id, m, &id) == TS_INDEX_NONE) {
        m->ids[m->n] = id;
        ts_index_add(index, place, m->n++);
    }
}

/* The last entry gets the number of the one that goes. */
static void take(ts_index *index, model *m, int64_t id)
{
    uint32_t number = number_in(m, id);
    uint32_t last = m->n - 1;
    if (number == TS_INDEX_NONE) {
        return;
    }
    ts_index_remove(index, hash_in(index, m, id), number);
    if (number != last) {
        m->ids[number] = m->ids[last];
        ts_index_renumber(index, hash_in(index, m, m->ids[last]), last, number);
    }
    m->n = last;
}

static void test_index_like_a_list(void **state)
{
    static const unsigned bits[] = {1, 3, 6, 20, 64};
    (void)state;
    for (size_t k = 0; k < sizeof bits / sizeof bits[0]; k++) {
        ts_ctx *ctx = test_ctx_new();
        ts_index index = {0};
        model m = {.kept_bits = bits[k]};
        uint32_t random = 1;
        assert_same(&index, &m);
        for (int i = 0; i < 20000; i++) {
            random = random * 1664525 + 1013904223;
            int64_t id = 1 + (random >> 8) % IDS;
            if ((random >> 30) == 0) {
                take(&index, &m, id);
            } else {
                put(ctx, &index, &m, id);
            }
            if (i % 1000 == 0) {
                assert_same(&index, &m);
            }
        }
        assert_same(&index, &m);
        assert_true(index.slot_count <= 4 * IDS);
        while (m.n > 0) {
            take(&index, &m, m.ids[0]);
        }
        for (uint32_t i = 0; i < index.slot_count; i++) {
            assert_int_equal(index.slots[i], 0);
        }
        ts_index_free(ctx, &index);
        test_ctx_free(ctx);
    }
}

/* Nearly every entry that is compared is the one that is looked for. */
static void test_index_compares_little(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_index index = {0};
    model m = {.kept_bits = 64};
    (void)state;
    for (int64_t id = 1; id <= ENTRIES; id++) {
        put(ctx, &index, &m, id);
    }
    for (int64_t id = 1; id <= 2 * ENTRIES; id++) {
        uint32_t number = ts_index_find(&index, hash_in(&index, &m, id), is_id, &m, &id);
        assert_int_equal(number, id <= ENTRIES ? (uint32_t)id - 1 : TS_INDEX_NONE);
    }
    assert_in_range(m.compared, ENTRIES, ENTRIES + 10);
    ts_index_free(ctx, &index);
    test_ctx_free(ctx);
}

/* What was there stays when there is no memory to grow. */
static void test_index_without_memory(void **state)
{
    (void)state;
    for (uint64_t fail_at = 1; fail_at <= 4; fail_at++) {
        ts_ctx *ctx = test_ctx_new();
        test_failing f = {.fail_at = fail_at};
        ts_index index = {0};
        model m = {.kept_bits = 64};
        int failed = 0;
        ctx->allocator = test_failing_allocator(&f);
        for (int64_t id = 1; id <= 150; id++) { /* 32, 64, 128 and 256 slots */
            if (ts_index_reserve(ctx, &index) != TS_OK) {
                assert_int_equal(ctx->error.code, TS_ERR_NOMEM);
                assert_same(&index, &m);
                failed++;
            }
            put(ctx, &index, &m, id);
        }
        assert_same(&index, &m);
        assert_int_equal(failed, 1);
        ts_index_free(ctx, &index);
        test_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_index_like_a_list),
        cmocka_unit_test(test_index_compares_little),
        cmocka_unit_test(test_index_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The hash against SipHash-1-3 as another program computes it (CPython 3.11 with a key of zeros).
 */
#include "base/hash.h"
#include "base/pool.h"
#include "support.h"

static uint64_t of_first_bytes(const ts_hash_key *key, size_t n)
{
    char bytes[64];
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (char)i;
    }
    ts_hash h = ts_hash_begin(key);
    ts_hash_bytes(&h, bytes, n);
    return ts_hash_end(&h);
}

static void test_known_values(void **state)
{
    static const struct {
        size_t n;
        uint64_t hash;
    } known[] = {
        {1, UINT64_C(0x68a914128e01e473)},  {2, UINT64_C(0x010bac45c41e3669)},
        {7, UINT64_C(0x2f098ab0c751325a)},  {8, UINT64_C(0xead411e67ebe2eea)},
        {9, UINT64_C(0x75927f9d95124362)},  {15, UINT64_C(0xf30eb725bb91c9ea)},
        {16, UINT64_C(0x8972188433a5c5b7)}, {17, UINT64_C(0x4883c49a2c009c1d)},
        {63, UINT64_C(0x385d3e39e5f37359)},
    };
    ts_hash_key zero = {{0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(of_first_bytes(&zero, known[i].n), known[i].hash);
    }
}

static void test_the_key_decides(void **state)
{
    ts_hash_key a = {{1, 0}};
    ts_hash_key b = {{0, 1}};
    (void)state;
    assert_int_not_equal(of_first_bytes(&a, 8), of_first_bytes(&b, 8));
    ts_hash h = ts_hash_begin(&a);
    ts_hash_word(&h, 5);
    assert_int_not_equal(ts_hash_end(&h), ts_hash_more(&h));
}

/* Two contexts must not share a key, or an input could be made for it. */
static void test_contexts_differ(void **state)
{
    ts_ctx *a = test_ctx_new();
    ts_ctx *b = test_ctx_new();
    (void)state;
    assert_memory_not_equal(&a->hash_key, &b->hash_key, sizeof a->hash_key);
    test_ctx_free(a);
    test_ctx_free(b);
}

/* Ids come from the order of appearance, whatever the key. */
static void test_pool_ids(void **state)
{
    (void)state;
    for (uint64_t key = 0; key < 20; key++) {
        ts_ctx *ctx = test_ctx_new();
        ts_pool pool = {0};
        ctx->hash_key = (ts_hash_key){{key, key * key}};
        for (uint32_t round = 0; round < 2; round++) {
            for (uint32_t i = 0; i < 5000; i++) {
                char text[16];
                uint32_t id;
                bool added;
                int n = snprintf(text, sizeof text, "%u", i);
                assert_ok(ctx, ts_pool_intern(ctx, &id, &added, &pool, (ts_text){text, (size_t)n}));
                assert_int_equal(id, i);
                assert_int_equal(added, round == 0);
                assert_true(ts_text_is(ts_pool_text(&pool, id), text));
            }
        }
        ts_pool_free(ctx, &pool);
        test_ctx_free(ctx);
    }
}

/* Texts of one length that have the same bytes at their beginning, in their middle and at their
 * end, and so the same place among those that were met lately; some are long. */
static void test_pool_alike(void **state)
{
    enum { TEXTS = 300 };
    static const size_t lengths[] = {25, 40, 200, 5000};
    ts_ctx *ctx = test_ctx_new();
    ts_pool pool = {0};
    (void)state;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < TEXTS; i++) {
            char text[5000];
            size_t n = lengths[i % 4];
            uint32_t id;
            bool added;
            memset(text, 'x', n);
            text[8] = (char)('0' + i / 100); /* 8 bytes before it, 4 up to the middle of 25 */
            text[n - 9] = (char)(i % 100);
            assert_ok(ctx, ts_pool_intern(ctx, &id, &added, &pool, (ts_text){text, n}));
            assert_int_equal(id, i);
            assert_int_equal(added, round == 0);
            assert_true(ts_text_equal(ts_pool_text(&pool, id), (ts_text){text, n}));
        }
    }
    ts_pool_free(ctx, &pool);
    test_ctx_free(ctx);
}

static void test_pool_find(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_pool pool = {0};
    char large[100000];
    uint32_t id;
    (void)state;
    memset(large, 'x', sizeof large);
    assert_false(ts_pool_find(&id, &pool, TS_TEXT_LIT("a")));
    assert_ok(ctx, ts_pool_intern(ctx, &id, NULL, &pool, TS_TEXT_LIT("")));
    assert_ok(ctx, ts_pool_intern(ctx, &id, NULL, &pool, (ts_text){large, sizeof large}));
    assert_ok(ctx, ts_pool_intern(ctx, &id, NULL, &pool, TS_TEXT_LIT("a")));
    assert_true(ts_pool_find(&id, &pool, (ts_text){large, sizeof large}));
    assert_int_equal(id, 1);
    assert_false(ts_pool_find(&id, &pool, (ts_text){large, sizeof large - 1}));
    assert_true(ts_pool_find(&id, &pool, TS_TEXT_LIT("")));
    assert_int_equal(id, 0);
    ts_pool_free(ctx, &pool);
    assert_false(ts_pool_find(&id, &pool, TS_TEXT_LIT("a")));
    test_ctx_free(ctx);
}

/* Texts are spread over the slots: the longest run of used ones grows like the logarithm. */
static void test_pool_spreads(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_pool pool = {0};
    uint32_t run = 0;
    uint32_t longest = 0;
    (void)state;
    for (int i = 0; i < 10000; i++) {
        char text[16];
        uint32_t id;
        int n = snprintf(text, sizeof text, "%d", i);
        assert_ok(ctx, ts_pool_intern(ctx, &id, NULL, &pool, (ts_text){text, (size_t)n}));
    }
    for (uint32_t i = 0; i < pool.index.slot_count; i++) {
        run = pool.index.slots[i] != 0 ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    assert_true(longest > 0 && longest < 1000);
    ts_pool_free(ctx, &pool);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),    cmocka_unit_test(test_the_key_decides),
        cmocka_unit_test(test_contexts_differ), cmocka_unit_test(test_pool_ids),
        cmocka_unit_test(test_pool_alike),      cmocka_unit_test(test_pool_find),
        cmocka_unit_test(test_pool_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

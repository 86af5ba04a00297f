/* Bytes at random places: held in memory, or in a spool below a window that moves. */
#include "input/byte_window.h"
#include "support.h"

static uint8_t byte_at(size_t i)
{
    return (uint8_t)(i * 2654435761U >> 13);
}

/* In memory, in a spool from the beginning, and first the one and then the other: the same bytes.
 */
static void test_held_bytes(void **state)
{
    static const uint64_t wanted[] = {300000, 900000, UINT64_MAX};
    enum { BYTES = 900000, PIECE = 7001 };
    uint8_t *all = malloc(BYTES);
    (void)state;
    assert_non_null(all);
    for (size_t i = 0; i < BYTES; i++) {
        all[i] = byte_at(i);
    }
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        ts_ctx ctx;
        ts_window v = {.ctx = &ctx};
        size_t end = k == 0 ? 300000 : BYTES;
        ts_ctx_init(&ctx);
        ctx.limits.max_memory = 8 << 20; /* of which a sixteenth is held */
        assert_int_equal(ts_window_begin(&v, wanted[k]), TS_OK);
        for (size_t at = 0; at < end; at += PIECE) {
            size_t n = end - at < PIECE ? end - at : PIECE;
            assert_int_equal(ts_window_add(&v, all + at, n), TS_OK);
        }
        assert_int_equal(ts_window_total(&v), end);
        assert_int_equal(v.spool != NULL, end == BYTES);
        ts_window_part(&v, 1000, end - 3000);
        for (size_t pos = 0; pos < end; pos += 4999) {
            /* Forwards and backwards. */
            size_t at = pos / 4999 % 2 == 0 ? pos : end - pos;
            const uint8_t *p;
            size_t n;
            assert_int_equal(ts_window_get(&p, &n, &v, at, 10), TS_OK);
            if (at >= end - 3000) {
                assert_int_equal(n, 0);
                continue;
            }
            assert_true(n >= 10 || n == end - 3000 - at);
            assert_memory_equal(p, all + 1000 + at, n);
        }
        ts_window_free(&v);
    }
    free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_held_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The bounded reader and the growable buffer. */
#include "base/buf.h"
#include "base/bytes.h"
#include "support.h"

static const uint8_t digits[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08};

static ts_bytes first(size_t n)
{
    return (ts_bytes){digits, n, 0};
}

static void test_widths_and_orders(void **state)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    ts_bytes b = first(8);
    (void)state;
    assert_true(ts_get_u8(&u8, &b));
    assert_int_equal(u8, 1);
    assert_int_equal(ts_bytes_left(&b), 7);
    b = first(8);
    assert_true(ts_get_u16be(&u16, &b));
    assert_int_equal(u16, 0x0102);
    b = first(8);
    assert_true(ts_get_u32le(&u32, &b));
    assert_int_equal(u32, 0x04030201);
    assert_true(ts_get_u32be(&u32, &b));
    assert_int_equal(u32, 0x05060708);
    b = first(8);
    assert_true(ts_get_u64le(&u64, &b));
    assert_int_equal(u64, UINT64_C(0x0807060504030201));
    b = first(8);
    assert_true(ts_get_u64be(&u64, &b));
    assert_int_equal(u64, UINT64_C(0x0102030405060708));
    assert_int_equal(ts_bytes_left(&b), 0);
}

/* What does not fit moves nothing. */
static void test_short(void **state)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    const uint8_t *span;
    ts_bytes b = first(0);
    (void)state;
    assert_false(ts_get_u8(&u8, &b));
    b = first(1);
    assert_false(ts_get_u16be(&u16, &b));
    b = first(3);
    assert_false(ts_get_u32le(&u32, &b));
    assert_false(ts_get_u32be(&u32, &b));
    b = first(7);
    assert_false(ts_get_u64le(&u64, &b));
    assert_false(ts_get_u64be(&u64, &b));
    assert_false(ts_get_span(&span, &b, 8));
    assert_false(ts_get_span(&span, &b, SIZE_MAX));
    assert_int_equal(b.at, 0);
    assert_true(ts_get_span(&span, &b, 7));
    assert_ptr_equal(span, digits);
    assert_true(ts_get_span(&span, &b, 0));
}

static bool varint(uint64_t *out, size_t *used, const char *bytes, size_t n)
{
    ts_bytes b = {(const uint8_t *)bytes, n, 0};
    bool good = ts_get_varint(out, &b);
    *used = b.at;
    return good;
}

static void test_varints(void **state)
{
    uint64_t v;
    size_t used;
    (void)state;
    assert_true(varint(&v, &used, "\x00", 1));
    assert_int_equal(v, 0);
    assert_true(varint(&v, &used, "\xac\x02\x7f", 3));
    assert_int_equal(v, 300);
    assert_int_equal(used, 2);
    /* padded to ten bytes */
    assert_true(varint(&v, &used, "\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10));
    assert_int_equal(v, 1);
    assert_int_equal(used, 10);
    assert_true(varint(&v, &used, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10));
    assert_int_equal(v, UINT64_MAX);
    /* a 65th bit, an eleventh byte, the end inside */
    assert_false(varint(&v, &used, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10));
    assert_false(varint(&v, &used, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11));
    assert_false(varint(&v, &used, "\x80\x80", 2));
    assert_int_equal(used, 0);
    assert_false(varint(&v, &used, "", 0));
}

static void test_buffer(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_buf b = {0};
    (void)state;
    assert_int_equal(ts_buf_text(&b).n, 0);
    assert_non_null(ts_buf_text(&b).p);
    for (int i = 0; i < 1000; i++) {
        assert_ok(ctx, ts_buf_printf(ctx, &b, "%03d", i));
    }
    assert_int_equal(b.n, 3000);
    assert_memory_equal(b.p + 2997, "999", 3);
    assert_ok(ctx, ts_buf_put(ctx, &b, NULL, 0));
    assert_ok(ctx, ts_buf_putc(ctx, &b, '!'));
    assert_int_equal(b.n, 3001);
    /* more than there can be: the old bytes stay */
    assert_int_equal(ts_buf_reserve(ctx, &b, SIZE_MAX), TS_ERR_NOMEM);
    assert_int_equal(b.n, 3001);
    ts_buf_free(ctx, &b);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths_and_orders),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_varints),
        cmocka_unit_test(test_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

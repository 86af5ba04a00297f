/* Cloud Profiler: texts of UTF-16 units become UTF-8, whatever stands where. */
#include "support.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "parsers/cloud/reader.h"

enum { LONGEST = 40 };

typedef struct special {
    uint16_t units[2];
    size_t count;
    const char *utf8;
} special;

/* One text of `n` units, ASCII but for what is special, which begins at `at`. */
static void check_text(ts_ctx *ctx, ts_buf *out, const special *s, size_t n, size_t at)
{
    /* As large as the text, so that a byte read beyond it is seen. */
    uint8_t *bytes = malloc(2 * n);
    char wanted[2 * LONGEST];
    size_t wanted_n = 0;
    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++) {
        bool inside = i >= at && i < at + s->count;
        uint16_t unit = inside ? s->units[i - at] : (uint16_t)('A' + i);
        bytes[2 * i] = (uint8_t)(unit >> 8);
        bytes[2 * i + 1] = (uint8_t)unit;
        if (i == at) {
            memcpy(wanted + wanted_n, s->utf8, strlen(s->utf8));
            wanted_n += strlen(s->utf8);
        } else if (!inside) {
            wanted[wanted_n++] = (char)unit;
        }
    }
    assert_ok(ctx, cloud_utf8(ctx, out, (cloud_string){bytes, n}));
    assert_int_equal(out->n, wanted_n);
    assert_memory_equal(out->p, wanted, wanted_n);
    free(bytes);
}

static void test_units_at_every_place(void **state)
{
    static const special all[] = {
        {{0x7f}, 1, "\x7f"},
        {{0x80}, 1, "\xc2\x80"},
        {{0xe9}, 1, "\xc3\xa9"},
        {{0xff}, 1, "\xc3\xbf"},
        {{0x100}, 1, "\xc4\x80"},
        {{0x141}, 1, "\xc5\x81"}, /* its low byte is a letter */
        {{0x7ff}, 1, "\xdf\xbf"},
        {{0x800}, 1, "\xe0\xa0\x80"},
        {{0x8041}, 1, "\xe8\x81\x81"},
        {{0xffff}, 1, "\xef\xbf\xbf"},
        {{0xd83d, 0xde00}, 2, "\xf0\x9f\x98\x80"},
        {{0xd83d}, 1, "\xef\xbf\xbd"}, /* one half alone */
        {{0xde00}, 1, "\xef\xbf\xbd"},
        {{0xde00, 0xd83d}, 2, "\xef\xbf\xbd\xef\xbf\xbd"},
    };
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        for (size_t n = all[k].count; n <= LONGEST; n++) {
            for (size_t at = 0; at + all[k].count <= n; at++) {
                check_text(ctx, &out, &all[k], n, at);
            }
        }
    }
    ts_buf_free(ctx, &out);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_at_every_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tables of symbols, found by address; entries as spec of ELF has them. */
#include "symbols/symbol_table.h"
#include "support.h"

/* Three entries of 16 bytes: f, _ZN1a1bEv and an object named f (the example of symbol tables of
 * hooks). */
static const char ELF32[] = "\x01\x00\x00\x00\x00\x20\x00\x00\x00\x01\x00\x00\x02\x00\x01\x00"
                            "\x03\x00\x00\x00\x00\x21\x00\x00\x40\x00\x00\x00\x12\x00\x01\x00"
                            "\x01\x00\x00\x00\x00\x22\x00\x00\x04\x00\x00\x00\x01\x00\x01\x00";
static const char STRINGS[] = "\0f\0_ZN1a1bEv";

static const ts_text elf32 = {ELF32, sizeof ELF32 - 1};
static const ts_text strings = {STRINGS, sizeof STRINGS};

static void put_number(char *to, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        to[i] = (char)(v >> (8 * i));
    }
}

/* An entry of 24 bytes. */
static void put_entry(char *to, uint32_t name, uint8_t info, uint64_t value, uint64_t size)
{
    memset(to, 0, 24);
    put_number(to, name, 4);
    to[4] = (char)info;
    put_number(to + 8, value, 8);
    put_number(to + 16, size, 8);
}

static void check(const ts_symbol_table *t, uint64_t v, const char *name)
{
    const ts_symbol *s = ts_symbols_find(t, v);
    if (name == NULL) {
        assert_null(s);
        return;
    }
    assert_non_null(s);
    assert_true(ts_text_is(ts_symbol_text(strings, s->name), name));
}

static void test_entries_of_16_bytes(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_symbol_table t = {0};
    (void)state;
    assert_int_equal(ts_symbols_add_elf(ctx, &t, elf32, 16, strings.n), TS_OK);
    assert_int_equal(t.symbols.n, 2); /* not the object */
    assert_int_equal(ts_symbols_sort(ctx, &t, TS_SYMBOL_LAST), TS_OK);
    check(&t, 0x1fff, NULL);
    check(&t, 0x2000, "f");
    check(&t, 0x20ff, "f");
    check(&t, 0x2100, "_ZN1a1bEv");
    check(&t, 0x213f, "_ZN1a1bEv");
    check(&t, 0x2140, NULL); /* the address after a function is not in it */
    check(&t, 0x2200, NULL);
    ts_symbols_free(ctx, &t);
    test_ctx_free(ctx);
}

static void test_entries_of_24_bytes(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_symbol_table t = {0};
    char bytes[8 * 24 + 23];
    (void)state;
    memset(bytes, 0xff, sizeof bytes);
    put_entry(bytes, 3, 0x1a, UINT64_C(0xffffffc010000000), 0x10); /* IFUNC */
    put_entry(bytes + 24, 1, 0x02, 0x5000, 0);                     /* no size */
    put_entry(bytes + 48, 1, 0x12, 0, 0x100);                      /* not defined here */
    put_entry(bytes + 72, 1, 0x03, 0x4000, 0x100);                 /* a section */
    put_entry(bytes + 96, 1, 0x06, 0x4000, 0x100);                 /* of a thread */
    put_entry(bytes + 120, 99, 0x02, 0x6000, 0x10);                /* its name is outside */
    put_entry(bytes + 144, 3, 0x02, 0x3000, 0x10);
    put_entry(bytes + 168, 1, 0x02, 0x3000, 0x20); /* at the same address */
    const ts_text entries = {bytes, sizeof bytes};
    assert_int_equal(ts_symbols_add_elf(ctx, &t, entries, 24, strings.n), TS_OK);
    assert_int_equal(t.symbols.n, 5);
    assert_int_equal(ts_symbols_sort(ctx, &t, TS_SYMBOL_LAST), TS_OK);
    assert_int_equal(t.symbols.n, 4);
    check(&t, UINT64_C(0xffffffc01000000f), "_ZN1a1bEv");
    check(&t, UINT64_C(0xffffffc010000010), NULL);
    check(&t, 0x5fff, "f"); /* up to the next one */
    check(&t, 0x6000, NULL);
    check(&t, 0x6010, NULL);
    check(&t, 0x3000, "f"); /* the last of both, with its size */
    check(&t, 0x301f, "f");
    check(&t, 0x3020, NULL);
    check(&t, 0x4000, NULL);
    ts_symbols_free(ctx, &t);
    test_ctx_free(ctx);
}

static void test_other_sizes_are_refused(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_symbol_table t = {0};
    (void)state;
    assert_true(ts_symbols_elf_size(16) && ts_symbols_elf_size(24));
    assert_false(ts_symbols_elf_size(0) || ts_symbols_elf_size(17) || ts_symbols_elf_size(48));
    assert_int_equal(ts_symbols_add_elf(ctx, &t, elf32, 0, strings.n), TS_ERR_INTERNAL);
    assert_int_equal(t.symbols.n, 0);
    test_ctx_free(ctx);
}

/* Each length, with doubles, against looking at all of them. */
static void test_order_and_doubles(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    uint64_t seed = 88172645463325252u;
    (void)state;
    for (size_t n = 0; n < 70; n++) {
        ts_symbol all[70];
        ts_symbol_table t[2] = {{{0}}, {{0}}};
        for (size_t i = 0; i < n; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            all[i] = (ts_symbol){seed % 100, seed / 100 % 4, i};
            assert_int_equal(ts_symbols_add(ctx, &t[0], all[i]), TS_OK);
            assert_int_equal(ts_symbols_add(ctx, &t[1], all[i]), TS_OK);
        }
        assert_int_equal(ts_symbols_sort(ctx, &t[0], TS_SYMBOL_FIRST), TS_OK);
        assert_int_equal(ts_symbols_sort(ctx, &t[1], TS_SYMBOL_LAST), TS_OK);
        for (uint64_t v = 0; v < 110; v++) {
            const ts_symbol *first = NULL;
            const ts_symbol *last = NULL;
            for (size_t i = 0; i < n; i++) {
                if (all[i].address <= v) {
                    first = first == NULL || all[i].address > first->address ? &all[i] : first;
                    last = last == NULL || all[i].address >= last->address ? &all[i] : last;
                }
            }
            const ts_symbol *expected[] = {first, last};
            for (int k = 0; k < 2; k++) {
                const ts_symbol *e = expected[k];
                const ts_symbol *found = ts_symbols_find(&t[k], v);
                if (e != NULL && e->size != 0 && v >= e->address + e->size) {
                    e = NULL;
                }
                assert_int_equal(e == NULL, found == NULL);
                assert_true(e == NULL || e->name == found->name);
            }
        }
        ts_symbols_free(ctx, &t[0]);
        ts_symbols_free(ctx, &t[1]);
    }
    test_ctx_free(ctx);
}

static void test_last_address(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_symbol_table t = {0};
    (void)state;
    assert_null(ts_symbols_find(&t, 0));
    assert_int_equal(ts_symbols_sort(ctx, &t, TS_SYMBOL_FIRST), TS_OK);
    assert_int_equal(ts_symbols_add(ctx, &t, (ts_symbol){UINT64_MAX, UINT64_MAX, 1}), TS_OK);
    assert_int_equal(ts_symbols_add(ctx, &t, (ts_symbol){UINT64_MAX - 8, UINT64_MAX, 3}), TS_OK);
    assert_int_equal(ts_symbols_sort(ctx, &t, TS_SYMBOL_FIRST), TS_OK);
    check(&t, UINT64_MAX, "f");
    check(&t, UINT64_MAX - 1, "_ZN1a1bEv");
    check(&t, UINT64_MAX - 9, NULL);
    ts_symbols_free(ctx, &t);
    test_ctx_free(ctx);
}

static void test_texts(void **state)
{
    (void)state;
    assert_true(ts_text_is(ts_symbol_text(strings, 0), ""));
    assert_true(ts_text_is(ts_symbol_text((ts_text){"abc", 3}, 1), "bc")); /* up to the end */
    assert_null(ts_symbol_text((ts_text){"abc", 3}, 3).p);
    assert_null(ts_symbol_text(TS_TEXT_NULL, 0).p);
    assert_null(ts_symbol_text(strings, TS_SYMBOL_NAMELESS).p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_of_16_bytes),
        cmocka_unit_test(test_entries_of_24_bytes),
        cmocka_unit_test(test_other_sizes_are_refused),
        cmocka_unit_test(test_order_and_doubles),
        cmocka_unit_test(test_last_address),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

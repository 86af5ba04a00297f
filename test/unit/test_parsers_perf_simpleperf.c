/* Recordings of simpleperf (docs/formats.md, "perf.data"): its features, damage. */
#include "perf_build.h"

static void put_c_text(bytes *b, const char *s)
{
    put(b, s, strlen(s) + 1);
}

/* FILE: liba.so with two symbols, of which it says where its code is, and nosym.so without any. */
static void add_file(made *m)
{
    bytes *b = add_feature(m, 128);
    size_t at = b->n;
    put_zeros(b, 4);
    put_c_text(b, "/system/lib/liba.so");
    put_hex(b, "02000000 0020000000000000 02000000");
    put_hex(b, "0021000000000000 40000000");
    put_c_text(b, "ns::leaf(int)");
    put_hex(b, "0020000000000000 00010000");
    put_c_text(b, "main");
    put_hex(b, "0010000000000000");
    set_le(b, at, b->n - at - 4, 4);
    at = b->n;
    put_zeros(b, 4);
    put_c_text(b, "/system/lib/nosym.so");
    put_hex(b, "02000000 0000000000000000 00000000");
    set_le(b, at, b->n - at - 4, 4);
}

static void add_meta(made *m, const char *key)
{
    bytes *b = add_feature(m, 129);
    put_c_text(b, key);
    put_c_text(b, "1.build.77");
    put_c_text(b, "event_type_info");
    put_c_text(b, "cpu-cycles:u,0,0\nsched:sched_switch,2,47");
}

/* FILE2: the kernel {1: path, 2: 0, 4: {1: 0xffffffc010001000, 2: 0x100, 3: "schedule"}}, and a dex
 * file {1: path, 2: 3, 4: {1: 0x10, 2: 0x100, 3: "Main.run"}}. */
static void add_file2(made *m)
{
    bytes *b = add_feature(m, 132);
    put_hex(b, "2f000000 0a115b6b65726e656c2e6b616c6c73796d735d100022180880a0808081f8ffffff01108"
               "0021a087363686564756c65");
    put_hex(b, "20000000 0a0b2f646174612f782e6162631003220f08101080021a084d61696e2e72756e");
}

static bytes example(const char *key)
{
    made m = begin();
    put_hex(&m.records, KERNEL_MAP COMMS LIBA_MAP);
    put_map(&m.records, 0x9000, "/data/x.abc");
    put_map(&m.records, 0x30000, "/system/lib/nosym.so");
    put_map(&m.records, 0x40000, "/data/other.so");
    put_hex(&m.records, "01800000 0100 1000"); /* 65552 bytes */
    put_zeros(&m.records, 65544);
    put_hex(&m.records, FIRST SECOND_SAMPLE THIRD RENAMED);
    add_file(&m);
    add_meta(&m, key);
    add_file2(&m);
    return whole(&m);
}

static uint64_t get_le(const bytes *b, size_t at)
{
    uint64_t v = 0;
    for (unsigned i = 8; i > 0; i--) {
        v = v << 8 | b->p[at + i - 1];
    }
    return v;
}

/* Where the records end. */
static size_t features_at(const bytes *b)
{
    return (size_t)(get_le(b, 40) + get_le(b, 48));
}

static void test_rows(void **state)
{
    static const frame frames[] = {
        {1, 0, MAIN},
        {1, 1, LEAF},
        {1, 2, UINT64_C(0xffffffc010001010), UINT64_C(0xffffffc010001000), 16, 2, 0, "schedule"},
        {2, 0, 0x50008, 0, 0, -1, -1, "@0x50008"},
        {2, 1, 0x40008, 0, 0, 4, -1, "other.so+0x8"},
        {2, 2, 0x30008, 0, 0, 1, -1, "nosym.so+0x8"},
        {2, 3, 0x9010, 0x10, 0, 3, 0, "Main.run"},
        {2, 4, LEAF},
    };
    frame wanted[sizeof frames / sizeof frames[0]];
    run r;
    UNUSED(state);
    memcpy(wanted, frames, sizeof frames);
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        wanted[i].file -=
            wanted[i].file == 1 && wanted[i].symbol >= 0 ? 1 : 0; /* it is the first */
    }
    import_bytes(&r, example("simpleperf_version"));
    assert_int_equal(r.code, TS_OK);
    assert_rows(&r, import_issue, 0);
    assert_mem_row(r.sink, perf_report, 0, "0|config_name|cpu-cycles:u");
    assert_mem_row(r.sink, perf_report, 1, "1|config_name|cpu-cycles:u");
    assert_rows(&r, perf_files, 6);
    assert_mem_row(r.sink, perf_files, 0, "0|0|0|main|/system/lib/liba.so");
    assert_mem_row(r.sink, perf_files, 1, "1|0|1|ns::leaf(int)|/system/lib/liba.so");
    assert_mem_row(r.sink, perf_files, 2, "2|1|-1|NULL|/system/lib/nosym.so");
    assert_mem_row(r.sink, perf_files, 3, "3|2|0|schedule|[kernel.kallsyms]");
    assert_mem_row(r.sink, perf_files, 4, "4|3|0|Main.run|/data/x.abc");
    assert_mem_row(r.sink, perf_files, 5, "5|4|-1|NULL|/data/other.so");
    assert_rows(&r, perf_sample, 3);
    assert_frames(&r, wanted, sizeof frames / sizeof frames[0]);
    assert_int_equal(count_sum(&r, "perf_symbols", TS_C_import_count__imported), 4);
    assert_mem_row(r.sink, source_property, 0, "2|simpleperf_version|1.build.77");
    run_free(&r);
}

/* Features with these numbers say nothing where the recording does not say that it is one. */
static void test_not_simpleperf(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, example("another_version"));
    assert_int_equal(r.code, TS_OK);
    assert_mem_row(r.sink, perf_report, 0, "0|config_name|event-0");
    assert_int_equal(count_sum(&r, "perf_symbols", TS_C_import_count__imported), 0);
    assert_int_equal(count_sum(&r, "perf_features", TS_C_import_count__skipped), 3);
    assert_rows(&r, source_property, 0);
    run_free(&r);
}

static void test_blocks(void **state)
{
    bytes b = example("simpleperf_version");
    UNUSED(state);
    check_blocks(&b, 0);
    free(b.p);
}

/* Files and symbols before the cut stay as they are. */
static void test_cut_at_every_byte(void **state)
{
    bytes b = example("simpleperf_version");
    run all;
    UNUSED(state);
    import_damaged(&all, &b, 0);
    for (size_t cut = features_at(&b); cut < b.n; cut++) {
        bytes part = {b.p, cut, 0};
        run r;
        import_damaged(&r, &part, 0);
        assert_int_equal(r.code, TS_OK);
        assert_true(MEM_ROWS(r.sink, import_issue) > 0);
        for (size_t i = 0; i < MEM_ROWS(r.sink, perf_files); i++) {
            if (MEM_INT(r.sink, perf_files, i, serial_id) >= 0 && i < 2) {
                assert_cell(&r, perf_files, i, file_id, 0);
            }
        }
        run_free(&r);
    }
    run_free(&all);
    free(b.p);
}

/* One bit of every byte; all of them with TS_SLOW=1. */
static void test_bits_flipped(void **state)
{
    const unsigned step = test_slow() ? 1 : 8;
    bytes b = example("simpleperf_version");
    UNUSED(state);
    for (size_t at = features_at(&b); at < b.n; at++) {
        for (unsigned bit = step == 1 ? 0 : (unsigned)(at % 8); bit < 8; bit += step) {
            run r;
            b.p[at] ^= (uint8_t)(1U << bit);
            import_damaged(&r, &b, 0);
            assert_int_equal(r.code, TS_OK);
            assert_true(MEM_ROWS(r.sink, perf_sample) == 3 || MEM_ROWS(r.sink, import_issue) > 0);
            run_free(&r);
            b.p[at] ^= (uint8_t)(1U << bit);
        }
    }
    free(b.p);
}

static void test_every_allocation_fails(void **state)
{
    bytes b = example("simpleperf_version");
    bool done = false;
    UNUSED(state);
    for (uint64_t k = 1; !done; k++) {
        test_failing fail = {.fail_at = k, .forever = true};
        ts_allocator allocator;
        run r;
        import_begin(&r);
        allocator = r.ctx->allocator;
        r.ctx->allocator = test_failing_allocator(&fail);
        (void)import_files(&r, &b, 1, 0);
        done = r.code == TS_OK;
        assert_true(done ? k > 50 : r.code == TS_ERR_NOMEM);
        r.ctx->allocator = allocator;
        run_free(&r);
    }
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),         cmocka_unit_test(test_not_simpleperf),
        cmocka_unit_test(test_blocks),       cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_bits_flipped), cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

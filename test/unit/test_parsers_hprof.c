/* Heap dumps of Java (docs/formats.md, "Heap dumps of Java"): rows, forms, damage, failures. */
#include "parsers_sweep.h"

#include "tables/formats/hprof/hprof_numbers.h"

#define EXAMPLE_STRINGS 0x400000

static void be(bytes *b, uint64_t value, size_t n)
{
    uint8_t raw[8];
    for (size_t i = 0; i < n; i++) {
        raw[i] = (uint8_t)(value >> (8 * (n - 1 - i)));
    }
    put(b, raw, n);
}

/* Digits in pairs; blanks are for people. */
static void hex(bytes *b, const char *digits)
{
    for (const char *p = digits; *p != 0; p++) {
        unsigned byte;
        if (*p != ' ') {
            assert_int_equal(sscanf(p, "%2x", &byte), 1);
            be(b, byte, 1);
            p++;
        }
    }
}

static void record(bytes *b, unsigned tag, const bytes *body)
{
    be(b, tag, 1);
    be(b, 0, 4);
    be(b, body->n, 4);
    put(b, body->p, body->n);
}

static void record_hex(bytes *b, unsigned tag, const char *digits)
{
    bytes body = {0};
    hex(&body, digits);
    record(b, tag, &body);
    free(body.p);
}

static const char example_roots[] = "8d 00000100  05 00000160  08 00000200 00000001 ffffffff"
                                    "89 00000220  fe 00000041 00400006";
static const char example_objects[] =
    "21 00000200 00000000 00000160 00000004 00000220"
    "20 00000100 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000008 0000 0000 "
    "0000"
    "20 00000120 00000000 00000100 00000000 00000000 00000000 00000000 00000000 00000000 0000 0000 "
    "0000"
    "20 00000140 00000000 00000100 00000000 00000000 00000000 00000000 00000000 00000010 0000 0000 "
    "0002 00400007 0a 00400003 02"
    "20 00000160 00000000 00000100 00000000 00000000 00000000 00000000 00000000 0000000c 0000 0000 "
    "0001 00400005 02"
    "21 00000220 00000000 00000140 00000008 00000000 00000228"
    "23 00000228 00000000 00000002 08 6869"
    "c3 00000300 00000000 000003e8 0a";

/* Header, strings, classes and the empty stack. */
static bytes example_head(void)
{
    static const char *const texts[] = {"java.lang.Object",
                                        "java.lang.Class",
                                        "java.lang.String",
                                        "value",
                                        "A",
                                        "next",
                                        "app",
                                        "hash",
                                        "byte[]"};
    static const unsigned names[] = {0, 1, 2, 4};
    bytes b = {0};
    put(&b, "JAVA PROFILE 1.0.3", 19);
    hex(&b, "00000004 0000018bcfe56800");
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        bytes body = {0};
        be(&body, EXAMPLE_STRINGS + i, 4);
        put_str(&body, texts[i]);
        record(&b, 0x01, &body);
        free(body.p);
    }
    for (unsigned i = 0; i < 4; i++) {
        bytes body = {0};
        be(&body, i + 1, 4);
        be(&body, 0x100 + 0x20 * i, 4);
        be(&body, 0, 4);
        be(&body, EXAMPLE_STRINGS + names[i], 4);
        record(&b, 0x02, &body);
        free(body.p);
    }
    record_hex(&b, 0x05, "00000000 00000000 00000000");
    return b;
}

/* A small dump in the form of Android, of 657 bytes. */
static bytes example(void)
{
    bytes b = example_head();
    bytes body = {0};
    hex(&body, example_roots);
    hex(&body, example_objects);
    assert_int_equal(body.n, 0x12c);
    record(&b, 0x1c, &body);
    record_hex(&b, 0x2c, "");
    free(body.p);
    assert_int_equal(b.n, 657);
    return b;
}

static void check_example(const run *r)
{
    assert_rows(r, java_heap_file, 1);
    assert_rows(r, java_heap_class, 7); /* ClassLoader, byte[] and int[] are not in the dump */
    assert_mem_row(r->sink, java_heap_class, 0,
                   "1|1|2|256|java.lang.Object|NULL|12|1|8|8|8|0|0|0|NULL");
    assert_mem_row(r->sink, java_heap_class, 3, "4|1|5|352|A|1|12|1|12|16|12|1|16|12|NULL");
    assert_rows(r, java_heap_field, 3);
    assert_mem_row(r->sink, java_heap_field, 2, "3|4|next|object|0|NULL|NULL|NULL");
}

static void test_rows(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, example());
    assert_rows(&r, import_issue, 0);
    assert_mem_text(r.sink, source, 1, format, "hprof");
    check_example(&r);
    assert_rows(&r, java_heap_object, 13);
    /* 200 A, 220 the string "hi", 228 its bytes, 300 an array of int without values */
    assert_cell(&r, java_heap_object, 1, address, 0x200);
    assert_cell(&r, java_heap_object, 1, kind, TS_JAVA_INSTANCE);
    assert_cell(&r, java_heap_object, 6, address, 0x220);
    assert_cell(&r, java_heap_object, 7, length, 2);
    assert_cell(&r, java_heap_object, 7, shallow_size, 16);
    assert_cell(&r, java_heap_object, 7, mat_size, 2);
    assert_cell(&r, java_heap_object, 8, length, 1000);
    assert_cell(&r, java_heap_object, 8, shallow_size, 4016);
    for (size_t i = 1; i <= 8; i++) {
        assert_mem_text(r.sink, java_heap_object, i, heap, "app");
    }
    assert_rows(&r, java_heap_root, 4);
    assert_mem_row(r.sink, java_heap_root, 0, "1|2|256|vm_internal|NULL|NULL");
    assert_mem_row(r.sink, java_heap_root, 1, "1|5|352|sticky_class|NULL|NULL");
    assert_mem_row(r.sink, java_heap_root, 2, "1|1|512|thread|1|NULL");
    assert_mem_row(r.sink, java_heap_root, 3, "1|6|544|interned_string|NULL|NULL");
    assert_rows(&r, java_heap_string, 1);
    assert_mem_row(r.sink, java_heap_string, 0, "1|6|hi|2|NULL");
    assert_rows(&r, java_heap_thread, 1);
    assert_cell(&r, java_heap_thread, 0, node_index, 1);
    assert_rows(&r, stack_sample, 0);
    run_free(&r);
}

/* References of the example by owner: the root's, then A's class and field. */
static void test_references(void **state)
{
    static const char *const rows[] = {"1|0|2|6|1|0", "1|0|5|6|2|0",    "1|0|1|6|3|0",
                                       "1|0|6|6|4|0", "1|1|5|0|NULL|0", "1|1|6|4|3|0"};
    run r;
    UNUSED(state);
    import_bytes(&r, example());
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_mem_row(r.sink, java_heap_reference, i, rows[i]);
    }
    run_free(&r);
}

/* One record without segments, lengths of 0, strings behind: the same objects. */
static void test_forms(void **state)
{
    UNUSED(state);
    for (unsigned form = 0; form < 3; form++) {
        bytes b = example_head();
        bytes body = {0};
        size_t at;
        run r;
        hex(&body, example_objects);
        at = b.n;
        record(&b, form == 0 ? 0x0c : 0x1c, &body);
        if (form > 0) {
            memset(b.p + at + 5, 0, 4);
        }
        if (form == 1) {
            record_hex(&b, 0x2c, "");
        }
        import_bytes(&r, b);
        assert_rows(&r, java_heap_file, 1);
        assert_rows(&r, java_heap_object, 13);
        assert_rows(&r, java_heap_string, 1);
        assert_int_equal(issue_sum(&r, "hprof_length"), form > 0);
        assert_int_equal(issue_sum(&r, "hprof_no_end"), form == 2);
        assert_int_equal(issue_sum(&r, "hprof_incomplete"), 0);
        run_free(&r);
        free(body.p);
    }
}

/* Two dumps in one file share strings and classes. */
static void test_two_dumps(void **state)
{
    bytes b = example();
    bytes body = {0};
    run r;
    UNUSED(state);
    hex(&body, example_objects);
    record(&b, 0x1c, &body);
    record_hex(&b, 0x2c, "");
    import_bytes(&r, b);
    assert_rows(&r, java_heap_file, 2);
    assert_rows(&r, java_heap_object, 26);
    assert_rows(&r, java_heap_class, 14);
    assert_cell(&r, java_heap_file, 1, first_object_rowid, 14);
    assert_cell(&r, java_heap_class, 8, super_id, 8);
    assert_rows(&r, import_issue, 0);
    run_free(&r);
    free(body.p);
}

/* What the sub-records of a dump are, and the issue that says so. */
static void test_damage(void **state)
{
    static const struct {
        const char *subs, *issue;
        unsigned dumps;
    } cases[] = {
        {"05 00000160 77 00000160", "hprof_segment_bad", 1},
        {"23 00000400 00000000 ffffffff 08 00", "hprof_segment_bad", 1},
        {"23 00000400 00000000 00000001 03 00", "hprof_segment_bad", 1},
        {"21 00000400 00000000 00000160 00000000", "hprof_fields", 1},
        {"21 00000400 00000000 00000999 00000000", "hprof_class_missing", 1},
        {"23 00000200 00000000 00000000 08", "hprof_duplicate", 1},
        {"20 00000500 00000000 00000520 00000000 00000000 00000000 00000000 00000000 00000008 "
         "000000000000"
         "20 00000520 00000000 00000500 00000000 00000000 00000000 00000000 00000000 00000008 "
         "000000000000",
         "hprof_super_ring", 1},
        {"fe 00000041 00499999 23 00000400 00000000 00000000 08", "hprof_string_missing", 1},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = example_head();
        bytes body = {0};
        run r;
        hex(&body, example_objects);
        hex(&body, cases[i].subs);
        record(&b, 0x1c, &body);
        record_hex(&b, 0x2c, "");
        import_bytes(&r, b);
        assert_int_equal(issue_sum(&r, cases[i].issue), 1);
        assert_rows(&r, java_heap_file, cases[i].dumps);
        assert_cell(&r, java_heap_file, 0, complete, 0);
        assert_cell(&r, java_heap_object, 1, address, 0x200);
        run_free(&r);
        free(body.p);
    }
}

static void test_records(void **state)
{
    bytes b = example();
    bytes other = {0};
    run r;
    UNUSED(state);
    put(&other, b.p, 31);
    record_hex(&other, 0x77, "0011");       /* of no known tag */
    hex(&other, "77 00000000 7fffffff aa"); /* longer than the file */
    put(&other, b.p + 31, b.n - 31);
    import_bytes(&r, other);
    assert_int_equal(issue_sum(&r, "hprof_record_unknown"), 1);
    assert_int_equal(issue_sum(&r, "hprof_record_bad"), 1);
    assert_rows(&r, java_heap_object, 13);
    run_free(&r);
    b.p[22] = 5; /* ids of 5 bytes */
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "hprof_header"), 1);
    assert_rows(&r, java_heap_file, 0);
    run_free(&r);
}

static void test_blocks(void **state)
{
    bytes b = example();
    UNUSED(state);
    check_blocks(&b, 0);
    free(b.p);
}

/* Objects that are whole stay, at their places; what is missing is said. */
static void test_cut_at_every_byte(void **state)
{
    bytes b = example();
    run whole;
    UNUSED(state);
    import_damaged(&whole, &b, 0);
    for (size_t cut = 19; cut < b.n; cut++) {
        bytes part = {b.p, cut, 0};
        run r;
        import_damaged(&r, &part, 0);
        assert_int_equal(r.code, TS_OK);
        assert_int_equal(issue_sum(&r, "hprof_incomplete") + issue_sum(&r, "hprof_no_end") +
                             issue_sum(&r, "hprof_header"),
                         1);
        for (size_t i = 1; i < MEM_ROWS(r.sink, java_heap_object); i++) {
            int64_t kind = MEM_INT(r.sink, java_heap_object, i, kind);
            if (kind >= TS_JAVA_INSTANCE && kind <= TS_JAVA_PRIMITIVE_ARRAY) {
                assert_cell(&whole, java_heap_object, i, kind, kind);
                assert_cell(&whole, java_heap_object, i, address,
                            MEM_INT(r.sink, java_heap_object, i, address));
            }
        }
        run_free(&r);
    }
    run_free(&whole);
    free(b.p);
}

static void test_bits(void **state)
{
    bytes b = example();
    UNUSED(state);
    check_bits(&b, 1);
    free(b.p);
}

static void test_every_allocation_fails(void **state)
{
    bytes b = example();
    ts_code code = TS_ERR_NOMEM;
    UNUSED(state);
    for (uint64_t k = 1; code != TS_OK; k++) {
        test_failing fail = {.fail_at = k};
        ts_allocator allocator;
        run r;
        import_begin(&r);
        allocator = r.ctx->allocator;
        r.ctx->allocator = test_failing_allocator(&fail);
        (void)import_files(&r, &b, 1, 0);
        code = r.code;
        assert_true(code == TS_OK ? k > 10 : code == TS_ERR_NOMEM);
        r.ctx->allocator = allocator;
        run_free(&r);
    }
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_references),
        cmocka_unit_test(test_forms),  cmocka_unit_test(test_two_dumps),
        cmocka_unit_test(test_damage), cmocka_unit_test(test_records),
        cmocka_unit_test(test_blocks), cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_bits),   cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Raw sections, which are not made of segments, and the plugins that read them. */
#include "htrace_build.h"

#define BOOT INT64_C(1000000000)
#define REAL INT64_C(11000000000)

static ts_code section_begin(void *user, const ts_raw_section *s)
{
    run *r = user;
    assert_int_equal(r->open, 0);
    assert_false(s->truncated);
    r->open = 2;
    r->data.n = 0;
    return r->fail_with;
}

static ts_code section_data(void *user, const ts_raw_section *s, const uint8_t *p, size_t n)
{
    run *r = user;
    (void)s;
    assert_int_equal(r->open, 2);
    assert_true(n > 0);
    put(&r->data, p, n);
    put(&r->all, p, n);
    return TS_OK;
}

static ts_code section_end(void *user, const ts_raw_section *s)
{
    run *r = user;
    assert_int_equal(r->open, 2);
    r->open = 0;
    logf_(r, "%u:%s#%" PRIu64 "@%" PRId64 " size=%" PRId64 " boot=%" PRIu64 "%s n=%zu %.*s\n",
          s->which, s->name, s->number, s->offset, (int64_t)s->size,
          s->clocks->at[TS_CLOCK_BOOTTIME], s->truncated ? " cut" : "", r->data.n,
          r->data.n > 40 ? 40 : (int)r->data.n, r->data.p == NULL ? "" : (const char *)r->data.p);
    return TS_OK;
}

/* Reads segments of "a", sections of hiperf and of a standalone plugin "raw-plugin". */
static const ts_htrace_plugin *const *raw_plugins(void)
{
    static const ts_plugin_name names[] = {{"a", 0, NULL}, {NULL, 0, NULL}};
    static const ts_plugin_section sections[] = {
        {"raw-plugin", TS_RAW_STANDALONE}, {"hiperf", TS_RAW_HIPERF}, {NULL, TS_RAW_HIPERF}};
    static const ts_htrace_plugin segments = {.names = names,
                                              .open = rec_open,
                                              .begin = rec_begin,
                                              .data = rec_data,
                                              .end = rec_end,
                                              .gap = rec_gap};
    static const ts_htrace_plugin raw = {.sections = sections,
                                         .section_magic = "RAWMAGIC",
                                         .open = rec_open,
                                         .section_begin = section_begin,
                                         .section_data = section_data,
                                         .section_end = section_end,
                                         .gap = rec_gap};
    static const ts_htrace_plugin *const list[] = {&raw, &segments, NULL};
    return list;
}

/* A section of n bytes; its header's place. */
static size_t put_section(bytes *f, uint32_t type, const char *name, const char *data, size_t n,
                          uint64_t boottime)
{
    const size_t at = put_header(f, 0, type, boottime, boottime == 0 ? 0 : boottime + 10);
    memcpy(f->p + at + 108, name, strlen(name));
    put(f, data, n);
    set_le(f, at + 8, f->n - at, 8);
    return at;
}

static void put_segments(bytes *f, const char *text)
{
    const size_t at = put_header(f, 0, 0, BOOT, REAL);
    put_segment(f, "a", text, 1, 0);
    set_le(f, at + 8, f->n - at, 8);
}

/* Whole, in blocks of each size, with and without random access: all the same. */
static void run_raw(run *r, const bytes *f)
{
    static const size_t blocks[] = {1, 2, 3, 7, 64, 4096};
    run_begin_with(r, raw_plugins(), f, 0);
    run_feed(r, f->p, f->n, f->n);
    run_end(r);
    assert_int_equal(r->code, TS_OK);
    check_run(r, f->n);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        run other;
        run_begin_with(&other, raw_plugins(), f, 0);
        run_feed(&other, f->p, f->n, blocks[i]);
        run_end(&other);
        assert_int_equal(other.code, TS_OK);
        assert_string_equal((const char *)other.log.p, (const char *)r->log.p);
        assert_true(memsink_equal(other.sink, r->sink));
        run_free(&other);
    }
}

static void test_sections_are_given(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_segments(&f, "one");
    put_section(&f, 1, "", "PERFILE2 OHOSPROF", 17, 7);
    put_section(&f, 1000, "raw-plugin", "raw data", 8, 0);
    put_section(&f, 1000, "another", "not to be read", 14, 0);
    put_section(&f, 1, "raw-plugin", "again", 5, 0); /* the type counts */
    put_segments(&f, "two");
    run_raw(&r, &f);
    assert_log(&r, "a@1024 ts=1000000000 n=3 one\n"
                   "1:hiperf#1@2064 size=17 boot=7 n=17 PERFILE2 OHOSPROF\n"
                   "0:raw-plugin#2@3105 size=8 boot=0 n=8 raw data\n"
                   "1:hiperf#3@5175 size=5 boot=0 n=5 again\n"
                   "a@6204 ts=1000000000 n=3 two\n");
    assert_int_equal(IMPORTED(&r, "sections"), 5);
    assert_int_equal(SKIPPED(&r, "sections"), 1);
    assert_int_equal(IMPORTED(&r, "section_bytes:hiperf"), 22);
    assert_int_equal(IMPORTED(&r, "section_bytes:raw-plugin"), 8);
    assert_int_equal(SKIPPED(&r, "section_bytes:another"), 14);
    assert_int_equal(SKIPPED(&r, "bytes"), 14);
    assert_int_equal(LOST(&r, "bytes"), 0);
    assert_int_equal(issues(&r, "section_skipped"), 1);
    assert_int_equal(stat_count(&r, "trace_perf", "not_supported"), 0);
    run_free(&r);
    free(f.p);
}

/* Cut at each byte: what is there is given, and is said to be cut. */
static void test_cuts(void **state)
{
    bytes f = {0};
    (void)state;
    const size_t at = put_section(&f, 1, "", "0123456789", 10, 5);
    const size_t whole = f.n;
    for (size_t n = at + 1025; n <= whole; n++) {
        char expected[100];
        run r;
        f.n = n;
        run_raw(&r, &f);
        sprintf(expected, "1:hiperf#1@1024 size=10 boot=5%s n=%zu %.*s\n", n < whole ? " cut" : "",
                n - 1024, (int)(n - 1024), "0123456789");
        assert_log(&r, expected);
        assert_int_equal(issues(&r, "section_truncated"), n < whole);
        assert_int_equal(LOST(&r, "sections"), n < whole);
        assert_int_equal(IMPORTED(&r, "section_bytes:hiperf"), n - 1024);
        run_free(&r);
    }
    free(f.p);
}

/* A length that was never filled in: up to the next header, or to the end. */
static void test_unknown_length(void **state)
{
    bytes f = {0};
    char data[3000];
    run r;
    (void)state;
    memset(data, 'x', sizeof data);
    memcpy(data + 1500, "OHOSPROF", 8); /* but no header */
    size_t at = put_section(&f, 1, "", data, sizeof data, 5);
    set_le(&f, at + 8, 1024, 8);
    put_segments(&f, "one");
    at = put_section(&f, 1, "", "short", 5, 0);
    set_le(&f, at + 8, 0, 8);
    run_raw(&r, &f);
    assert_log(&r,
               "1:hiperf#1@1024 size=-1 boot=5 n=3000 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
               "a@5048 ts=1000000000 n=3 one\n"
               "1:hiperf#2@6088 size=-1 boot=0 n=5 short\n");
    assert_int_equal(r.all.n, 3008);
    assert_memory_equal(r.all.p, data, sizeof data);
    assert_int_equal(IMPORTED(&r, "sections"), 3);
    assert_int_equal(IMPORTED(&r, "section_bytes:hiperf"), 3005);
    assert_int_equal(LOST(&r, "bytes"), 0);
    run_free(&r);
    free(f.p);
}

/* A loss before it is told first; after damage its header is found again. */
static void test_after_damage(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "one", 1, 0);
    put(&f, "\xff\xff\xff\x7f damage", 11);
    put_section(&f, 1000, "raw-plugin", "raw data", 8, 0);
    run_raw(&r, &f);
    assert_log(&r, "a@1024 ts=1000000000 n=3 one\n"
                   "gap@1040\n"
                   "gap@1040\n" /* each of both plugins */
                   "0:raw-plugin#1@2075 size=8 boot=0 n=8 raw data\n");
    assert_int_equal(LOST(&r, "bytes"), 11);
    run_free(&r);
    free(f.p);
}

/* A section of another name is the plugin's when it begins as one does. */
static void test_damaged_name(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_section(&f, 1000, "raw-plugim", "RAWMAGIC and data", 17, 0);
    put_section(&f, 1000, "raw-plugim", "RAWMAGIK", 8, 0);
    put_section(&f, 1000, "raw-plugim", "RAWMAGI", 7, 0);
    size_t at = put_section(&f, 1000, "raw-plugim", "RAWMAGIC of no length", 21, 0);
    set_le(&f, at + 8, 0, 8);
    at = put_section(&f, 1000, "", "RAW", 3, 0);
    set_le(&f, at + 8, 0, 8);
    run_raw(&r, &f);
    assert_log(&r, "0:raw-plugin#1@1024 size=17 boot=0 n=17 RAWMAGIC and data\n"
                   "0:raw-plugin#2@4128 size=-1 boot=0 n=21 RAWMAGIC of no length\n");
    assert_int_equal(issues(&r, "plugin_name_damaged"), 2);
    assert_int_equal(issues(&r, "section_skipped"), 3);
    assert_int_equal(IMPORTED(&r, "section_bytes:raw-plugin"), 38);
    assert_int_equal(SKIPPED(&r, "section_bytes:raw-plugim"), 15);
    assert_int_equal(SKIPPED(&r, "section_bytes:standalone"), 3);
    run_free(&r);
    free(f.p);
}

/* Bytes of a section that a plugin reads are looked at although they are zeros. */
static void test_zeros(void **state)
{
    bytes f = {0};
    run r;
    uint64_t used = 1;
    (void)state;
    put_section(&f, 1, "", "0123", 4, 5);
    run_begin_with(&r, raw_plugins(), NULL, 0);
    run_feed(&r, f.p, f.n - 4, f.n);
    assert_ok(r.ctx, ts_htrace_feed_zeros(r.h, &used, 4));
    assert_int_equal(used, 0);
    run_feed(&r, (const uint8_t *)"\0\0\0\0", 4, 4);
    run_end(&r);
    assert_int_equal(r.all.n, 4);
    run_free(&r);
    free(f.p);
}

static void test_errors_stop(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_section(&f, 1, "", "0123", 4, 5);
    run_begin_with(&r, raw_plugins(), NULL, 0);
    r.fail_with = TS_ERR_OUTPUT;
    run_feed(&r, f.p, f.n, f.n);
    assert_int_equal(r.code, TS_ERR_OUTPUT);
    run_free(&r);
    free(f.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections_are_given), cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_unknown_length),     cmocka_unit_test(test_after_damage),
        cmocka_unit_test(test_damaged_name),       cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_errors_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

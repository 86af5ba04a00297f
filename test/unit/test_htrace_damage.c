/* Damage everywhere: cut at every byte, every bit flipped, every allocation failing. Nothing
 * crashes, every byte is counted, and what handlers see of a cut file is a prefix of what they see
 * of the whole one. */
#include "htrace_build.h"

#define BOOT UINT64_C(981192459193)
#define REAL UINT64_C(1502028131300006447)

/* A small file with everything in it; the length of its first section is as given, 0 = right. */
static void build(bytes *f, uint64_t length, uint64_t boottime)
{
    bytes body = {0};
    size_t at;
    *f = (bytes){0};
    put_header(f, 0, 0, boottime, REAL);
    put_segment(f, "a", "hello", 1502028137, 301132050);
    put_segment(f, "ftrace-plugin", "\x32\x08\x08\x01\x12\x04\x08\x01\x10\x02", 5, 6);
    put_text(&body, 3, "data first");
    put_number(&body, 5, 9);
    put_number(&body, 6, 9);
    put_text(&body, 1, "a");
    put_raw_segment(f, &body);
    put_segment(f, "", "no name", 1, 1);
    put_le(f, 0, 4);
    put_segment(f, "js-memory", "a debugger's message", 3, 4);
    if (length == 0) {
        close_header(f, 0);
    } else {
        set_le(f, 8, length, 8);
        return;
    }
    at = put_header(f, 0, 1, 0, 0);
    put(f, "PERFILE2", 8);
    set_le(f, at + 8, f->n - at, 8);
    at = put_header(f, 0, 0, 0, 0);
    put_segment(f, "a", "last", 7, 8);
    set_le(f, at + 8, f->n - at, 8);
}

static void run_once(run *r, const bytes *f, bool seekable, uint64_t hold, size_t block)
{
    run_begin(r, seekable ? f : NULL, hold);
    run_feed(r, f->p, f->n, block);
    run_end(r);
}

/* The padding of headers is long and says nothing: a few places in it are enough. */
static bool says_something(const bytes *f, size_t at)
{
    for (size_t i = at < 8 ? 0 : at - 8; i < at + 8 && i < f->n; i++) {
        if (f->p[i] != 0) {
            return true;
        }
    }
    return at % 101 == 0;
}

/* The lines of `part` that are not cut are the first lines of `whole`, gaps aside. */
static void check_prefix(const char *part, const char *whole)
{
    while (*part != '\0') {
        size_t n = strcspn(part, "\n") + 1;
        char line[512];
        assert_in_range(n, 1, sizeof line - 1);
        memcpy(line, part, n);
        line[n] = '\0';
        part += n;
        if (strncmp(line, "gap", 3) == 0 || strstr(line, " cut ") != NULL) {
            continue;
        }
        while (strncmp(whole, "gap", 3) == 0) {
            whole += strcspn(whole, "\n") + 1;
        }
        assert_memory_equal(line, whole, n);
        whole += n;
    }
}

static void test_cut_everywhere(void **state)
{
    static const uint64_t lengths[] = {0, 1024, 5000};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        bytes f;
        run whole;
        size_t n;
        build(&f, lengths[i], i == 1 ? 0 : BOOT);
        n = f.n;
        run_once(&whole, &f, i == 1, 0, n);
        assert_int_equal(whole.code, TS_OK);
        for (f.n = 1; f.n < n; f.n++) {
            run r;
            if (!says_something(&(bytes){f.p, n, 0}, f.n)) {
                continue;
            }
            run_once(&r, &f, i == 1, f.n % 3 == 0 ? 8 : 0, 1 + f.n % 5);
            assert_int_equal(r.code, TS_OK);
            check_run(&r, f.n);
            check_prefix((const char *)r.log.p, (const char *)whole.log.p);
            assert_in_range(r.all.n, 0, whole.all.n);
            assert_memory_equal(r.all.p == NULL ? whole.all.p : r.all.p, whole.all.p, r.all.n);
            if (i == 0) {
                assert_true(MEM_INT(r.sink, source, 0, complete) == 0 || f.n >= 1024);
            }
            run_free(&r);
        }
        run_free(&whole);
        free(f.p);
    }
}

/* A cut inside a section of known length never goes unnoticed. */
static void test_cut_is_told(void **state)
{
    bytes f = {0};
    size_t n;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "hello", 1502028137, 301132050);
    put_segment(&f, "a", "world!", 1502028137, 301132050);
    close_header(&f, 0);
    n = f.n;
    for (f.n = 1; f.n < n; f.n++) {
        run r;
        if (!says_something(&(bytes){f.p, n, 0}, f.n)) {
            continue;
        }
        run_once(&r, &f, false, 0, 100);
        assert_int_equal(MEM_INT(r.sink, source, 0, complete), 0);
        assert_true(MEM_ROWS(r.sink, import_issue) > 0);
        run_free(&r);
    }
    free(f.p);
}

static void test_every_bit_flipped(void **state)
{
    bytes f;
    (void)state;
    build(&f, 0, 0);
    for (size_t bit = 0; bit < f.n * 8; bit++) {
        run r;
        run other;
        if (!says_something(&f, bit / 8)) {
            continue;
        }
        f.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
        run_once(&r, &f, true, 0, f.n);
        run_once(&other, &f, true, 0, 1 + bit % 50);
        assert_int_equal(r.code, other.code);
        assert_string_equal((const char *)r.log.p, (const char *)other.log.p);
        if (r.code == TS_OK) {
            check_run(&r, f.n);
            assert_true(memsink_equal(r.sink, other.sink));
        }
        run_free(&other);
        run_free(&r);
        f.p[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(f.p);
}

/* Each length prefix with values that do not fit. */
static void test_wrong_prefixes(void **state)
{
    static const uint32_t values[] = {0,          1,          2,          0x7fffffff,
                                      0x80000000, 0xfffffffb, 0xfffffffc, 0xffffffff};
    static const size_t places[] = {1024, 1050};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t v = 0; v < 8; v++) {
            bytes f;
            run r;
            build(&f, 0, BOOT);
            set_le(&f, places[i], values[v], 4);
            run_file(&r, &f, true);
            assert_int_equal(r.code, TS_OK);
            /* The last section begins with a header and is always found. */
            assert_non_null(strstr((const char *)r.log.p, "n=4 last\n"));
            assert_non_null(strstr((const char *)r.log.p, "gap@"));
            run_free(&r);
            free(f.p);
        }
    }
}

/* --- allocations that fail ----------------------------------------------------------------------
 */

static void test_every_allocation_fails(void **state)
{
    bytes f;
    (void)state;
    build(&f, 0, 0);
    for (uint64_t k = 0;; k++) {
        run r;
        test_failing fail = {.fail_at = k + 1, .forever = true};
        ts_htrace_config config = {0};
        ts_allocator allocator;
        bool done;
        run_begin(&r, &f, 16);
        ts_htrace_free(r.h);
        r.h = NULL;
        allocator = r.ctx->allocator;
        config.source_id = r.source_id;
        config.plugins = rec_plugins();
        config.user = &r;
        config.hold = 16;
        config.blob_user = &r;
        config.read_at = rec_read;
        r.ctx->allocator = test_failing_allocator(&fail);
        r.code = ts_htrace_new(&r.h, r.ctx, r.store, &config);
        run_feed(&r, f.p, f.n, 10);
        if (r.code == TS_OK) {
            r.code = ts_htrace_finish(r.h);
        }
        done = r.code == TS_OK;
        if (!done) {
            assert_int_equal(r.code, TS_ERR_NOMEM);
        }
        r.ctx->allocator = allocator;
        run_free(&r);
        if (done) {
            assert_true(k > 10);
            break;
        }
    }
    free(f.p);
}

static ts_code broken_read(void *user, size_t *got, uint64_t off, void *buf, size_t n)
{
    run *r = user;
    (void)off;
    (void)buf;
    (void)n;
    *got = 0;
    return ts_fail(r->ctx, TS_ERR_INPUT, "no more");
}

static void test_read_ahead_fails(void **state)
{
    bytes f;
    run r;
    ts_htrace_config config = {0};
    (void)state;
    build(&f, 0, 0);
    run_begin(&r, NULL, 0);
    ts_htrace_free(r.h);
    config.source_id = r.source_id;
    config.blob_user = &r;
    config.read_at = broken_read;
    assert_ok(r.ctx, ts_htrace_new(&r.h, r.ctx, r.store, &config));
    assert_int_equal(ts_htrace_feed(r.h, f.p, f.n), TS_ERR_INPUT);
    assert_int_equal(ts_htrace_finish(r.h), TS_ERR_INPUT);
    run_free(&r);
    free(f.p);
}

static void test_cancel(void **state)
{
    bytes f;
    run r;
    volatile sig_atomic_t signal = 0;
    (void)state;
    build(&f, 0, 0);
    run_begin(&r, NULL, 0);
    r.ctx->cancel = &signal;
    assert_ok(r.ctx, ts_htrace_feed(r.h, f.p, 1100));
    signal = 2;
    assert_int_equal(ts_htrace_feed(r.h, f.p + 1100, 10), TS_ERR_INTERRUPTED);
    run_free(&r);
    free(f.p);
}

/* Fewer bytes are left in the section than a prefix has, and the input ends even before that. */
static void test_cut_in_last_bytes(void **state)
{
    (void)state;
    for (size_t left = 1; left < 4; left++) {
        for (size_t have = 1; have <= left; have++) {
            bytes f = {0};
            run r;
            put_header(&f, 0, 0, BOOT, REAL);
            put_segment(&f, "a", "data", 1, 2);
            size_t end = f.n;
            put(&f, "\x7f\x7f\x7f", have);
            set_le(&f, 8, end + left, 8);
            run_file(&r, &f, false);
            assert_int_equal(r.code, TS_OK);
            assert_int_equal(issues(&r, "trailing_bytes"), 1);
            assert_int_equal(issue_offset(&r, "trailing_bytes"), end);
            assert_int_equal(issues(&r, "input_truncated"), have < left);
            assert_int_equal(LOST(&r, "bytes"), have);
            run_free(&r);
            free(f.p);
        }
    }
}

/* The input ends within the beginning of a segment, behind damage: what the reader's window still
 * holds behind the end, here the letter that is missing, is no part of it. */
static void test_search_at_the_end(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    put_header(&f, 0, 0, BOOT, REAL);
    put_segment(&f, "a", "data", 1, 2);
    size_t end = f.n;
    for (size_t i = 0; i < 2000; i++) {
        put(&f, "a", 1);
    }
    put(&f, "\x20\0\0\0\x0a\x01", 6);
    close_header(&f, 0);
    run_file(&r, &f, false);
    assert_int_equal(issues(&r, "resynchronised"), 0);
    assert_int_equal(issues(&r, "trailing_bytes"), 1);
    assert_int_equal(issue_offset(&r, "trailing_bytes"), end);
    assert_int_equal(LOST(&r, "bytes"), 2006);
    run_free(&r);
    free(f.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_everywhere),
        cmocka_unit_test(test_cut_is_told),
        cmocka_unit_test(test_cut_in_last_bytes),
        cmocka_unit_test(test_every_bit_flipped),
        cmocka_unit_test(test_search_at_the_end),
        cmocka_unit_test(test_wrong_prefixes),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_read_ahead_fails),
        cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

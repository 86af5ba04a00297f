/* The page writer when the disk or the memory fails, and that it gives the same bytes every time.
 */
#include "tables_pages.h"

#include "tables/database.h"
#include "tables/rows.h"

#include <malloc.h>

/* --- system calls that fail ---------------------------------------------------------------- */

typedef struct faults {
    uint64_t calls;
    uint64_t fail_at; /* number of the call, from 1; 0: none */
    int number;       /* errno; 0: the call does nothing and says so */
    size_t most;      /* bytes written or read by one call; 0: all */
    bool interrupt;   /* two of three calls are interrupted */
    bool discard;     /* nothing reaches the file */
    const char *what; /* the only call that fails; NULL: any */
} faults;

static bool fails(faults *s, const char *what)
{
    if (s->what != NULL && strcmp(s->what, what) != 0) {
        return false;
    }
    if (++s->calls == s->fail_at) {
        errno = s->number;
        return true;
    }
    return false;
}

static bool interrupted(faults *s)
{
    if (s->interrupt && s->calls % 3 != 0) {
        errno = EINTR;
        return true;
    }
    return false;
}

static ssize_t fault_pwrite(void *user, int fd, const void *p, size_t n, off_t at)
{
    faults *s = user;
    if (fails(s, "pwrite")) {
        return s->number == 0 ? 0 : -1;
    }
    if (interrupted(s)) {
        return -1;
    }
    n = s->most != 0 && n > s->most ? s->most : n;
    return s->discard ? (ssize_t)n : pwrite(fd, p, n, at);
}

static ssize_t fault_pread(void *user, int fd, void *p, size_t n, off_t at)
{
    faults *s = user;
    if (fails(s, "pread")) {
        return s->number == 0 ? 0 : -1;
    }
    if (interrupted(s)) {
        return -1;
    }
    return pread(fd, p, s->most != 0 && n > s->most ? s->most : n, at);
}

static int fault_open(void *user, const char *path, int flags, mode_t mode)
{
    return fails(user, "open") ? -1 : open(path, flags, mode);
}

static int fault_fstat(void *user, int fd, struct stat *st)
{
    return fails(user, "fstat") ? -1 : fstat(fd, st);
}

static int fault_close(void *user, int fd)
{
    (void)user;
    return close(fd);
}

static void inject(ts_ctx *ctx, faults *s)
{
    ctx->sys.user = s;
    ctx->sys.pwrite = fault_pwrite;
    ctx->sys.pread = fault_pread;
    ctx->sys.open = fault_open;
    ctx->sys.fstat = fault_fstat;
    ctx->sys.close = fault_close;
}

/* --- one small database -------------------------------------------------------------------- */

/* Rows of several tables, reserved ones, long texts; some MB, so that the queue is written. */
static ts_code write_rows(ts_sink *sink)
{
    static char text[9000];
    ts_code code = TS_OK;
    memset(text, 'w', sizeof text);
    for (int64_t i = 0; code == TS_OK && i < 400; i++) {
        ts_row_stack_slice slice = {.id = i + 1, .ts = i, .dur = -1};
        ts_row_js_heap_string string = {.file_index = i, .string = {text, (size_t)i * 21}};
        ts_row_js_heap_nodes node = {.node_index = i, .id = 2 * i + 1};
        code = ts_sink_reserve(sink, TS_T_stack_slice, &slice,
                               TS_NULL_BIT(stack_slice, dur) | TS_NULL_BIT(stack_slice, state));
        if (code == TS_OK) {
            code = ts_put_js_heap_string(sink, &string);
        }
        if (code == TS_OK) {
            code = ts_put_js_heap_nodes(sink, &node);
        }
        if (code == TS_OK && i >= 300) { /* of which the first have been written long ago */
            code = ts_sink_complete(sink, TS_T_stack_slice, i - 299, TS_C_stack_slice__dur, i);
            ts_sink_release(sink, TS_T_stack_slice, i - 299);
        }
    }
    return code;
}

static ts_code write_database(ts_ctx *ctx, const char *path)
{
    ts_db *db = NULL;
    test_write_file(path, "", 0);
    ts_code code = ts_db_create(&db, ctx, path);
    if (code == TS_OK) {
        code = write_rows(ts_db_sink(db));
    }
    if (code == TS_OK) {
        code = ts_db_finish(db, false, NULL);
    }
    ts_db_close(db);
    return code;
}

static int open_files(void)
{
    return count_names("/proc/self/fd");
}

static void test_every_call_may_fail(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    static const int errors[] = {EIO, ENOSPC, 0};
    faults s = {0};
    inject(f->ctx, &s);
    assert_ok(f->ctx, write_database(f->ctx, path));
    uint64_t all = s.calls;
    assert_true(all > 10);
    int before = open_files();
    for (size_t e = 0; e < 3; e++) {
        for (uint64_t n = 1; n <= all; n++) {
            s = (faults){.fail_at = n, .number = errors[e]};
            /* A stat that fails without an error number is none. Each call fails in one way, unless
             * time does not matter. */
            if ((errors[e] == 0 && n <= 2) || (!test_slow() && n > 6 && n % 3 != e)) {
                continue;
            }
            assert_failure(f->ctx, write_database(f->ctx, path), TS_ERR_OUTPUT, path);
            assert_failure(f->ctx, f->ctx->error.code, TS_ERR_OUTPUT,
                           errors[e] == 0 ? "" : strerror(errors[e]));
            assert_int_equal(f->ctx->memory_used, 0);
            assert_int_equal(open_files(), before);
        }
    }
    static const char *const names[] = {"open", "fstat", "pwrite", "pread"};
    for (size_t i = 0; i < 4; i++) { /* each of them is among the calls */
        s = (faults){.fail_at = 1, .number = EACCES, .what = names[i]};
        assert_failure(f->ctx, write_database(f->ctx, path), TS_ERR_OUTPUT, strerror(EACCES));
    }
    free(path);
}

/* Once it has failed, nothing works any more, and nothing crashes. */
static void test_after_a_failure(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    ts_db *db = NULL;
    faults s = {.number = ENOSPC};
    test_write_file(path, "", 0);
    inject(f->ctx, &s);
    assert_ok(f->ctx, ts_db_create(&db, f->ctx, path));
    assert_ok(f->ctx, write_rows(ts_db_sink(db)));
    s.fail_at = s.calls + 1;
    assert_failure(f->ctx, ts_db_finish(db, true, NULL), TS_ERR_OUTPUT, strerror(ENOSPC));
    assert_failure(f->ctx, ts_db_finish(db, true, NULL), TS_ERR_INTERNAL, "finished already");
    ts_row_trace_range row = {0};
    assert_failure(f->ctx, ts_put_trace_range(ts_db_sink(db), &row), TS_ERR_INTERNAL,
                   "table=trace_range");
    assert_failure(
        f->ctx, ts_sink_complete(ts_db_sink(db), TS_T_stack_slice, 400, TS_C_stack_slice__dur, 0),
        TS_ERR_INTERNAL, "table=stack_slice");
    ts_sink_release(ts_db_sink(db), TS_T_stack_slice, 400);
    ts_db_close(db);
    free(path);
}

static void assert_same_file(const char *path, const char *other)
{
    size_t n;
    size_t other_n;
    char *p = test_read_file(path, &n);
    char *q = test_read_file(other, &other_n);
    assert_int_equal(n, other_n);
    assert_int_equal(memcmp(p, q, n), 0);
    free(p);
    free(q);
}

/* Calls that do less than was asked for, or are interrupted, change nothing. */
static void test_short_and_interrupted_calls(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    char *other = path_of(f, "b.db");
    assert_ok(f->ctx, write_database(f->ctx, path));
    static const size_t most[] = {1, 3, 511, 4096, 100000, 0};
    for (size_t i = 0; i < sizeof most / sizeof most[0]; i++) {
        faults s = {.most = most[i], .interrupt = true};
        inject(f->ctx, &s);
        assert_ok(f->ctx, write_database(f->ctx, other));
        assert_same_file(path, other);
    }
    assert_sql(path, "PRAGMA integrity_check", "ok\n");
    free(path);
    free(other);
}

/* --- memory -------------------------------------------------------------------------------- */

typedef struct memory {
    uint64_t left;
    unsigned char fill;
} memory;

/* Memory that is never clean, and ends after so many calls. */
static void *dirty_realloc(void *user, void *p, size_t n)
{
    memory *m = user;
    if (m->left == 0) {
        return NULL;
    }
    m->left--;
    unsigned char *fresh = malloc(n);
    assert_non_null(fresh);
    memset(fresh, m->fill, n);
    if (p != NULL) {
        size_t old = malloc_usable_size(p);
        memcpy(fresh, p, old < n ? old : n);
        free(p);
    }
    return fresh;
}

static void dirty_free(void *user, void *p)
{
    (void)user;
    free(p);
}

static void test_every_allocation_may_fail(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    memory m = {.fill = 0xa5};
    f->ctx->allocator = (ts_allocator){&m, dirty_realloc, dirty_free};
    ts_code code = TS_ERR_NOMEM;
    uint64_t n = 0;
    int before = open_files();
    /* All at first, then every tenth: most are rows that are open. */
    for (; code == TS_ERR_NOMEM && n < 5000; n += n < 60 ? 1 : 10) {
        m.left = n;
        code = write_database(f->ctx, path);
        assert_int_equal(f->ctx->memory_used, 0);
        assert_int_equal(open_files(), before);
    }
    assert_ok(f->ctx, code);
    assert_true(n > 300);
    free(path);
}

static void test_same_bytes_every_time(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    char *other = path_of(f, "b.db");
    assert_ok(f->ctx, write_database(f->ctx, path));
    static const unsigned char fills[] = {0x00, 0xff, 0x5a};
    for (size_t i = 0; i < 3; i++) {
        memory m = {.left = UINT64_MAX, .fill = fills[i]};
        f->ctx->allocator = (ts_allocator){&m, dirty_realloc, dirty_free};
        assert_ok(f->ctx, write_database(f->ctx, other));
        assert_same_file(path, other);
    }
    free(path);
    free(other);
}

/* --- limits -------------------------------------------------------------------------------- */

static void test_last_page_number(void **state)
{
    fixture *f = *state;
    pair x;
    faults s = {.discard = true};
    char text[480];
    ts_code code = TS_OK;
    int64_t rows = 0;
    memset(text, 'x', sizeof text);
    pair_begin(&x, f, 512, 0, "t");
    inject(x.ctx, &s);
    enum { LEFT = 20 };
    x.pages->next = PAGE_MAX_NUMBER - LEFT + 1;
    set_text(&x, 0, 0, text, 400); /* a leaf each */
    while (code == TS_OK && rows < 1000) {
        code = ts_pages_put(x.pages, 0, x.rows[0], 0);
        rows += code == TS_OK ? 1 : 0;
    }
    assert_failure(x.ctx, code, TS_ERR_LIMIT, "more than 4294967294 pages");
    assert_int_equal(rows, LEFT);
    ts_pages_free(x.pages);
    insertsink_free(x.insert);
    close(x.fd);
    pair_free(&x);
}

static void test_largest_record(void **state)
{
    fixture *f = *state;
    pair x;
    faults s = {.discard = true};
    char byte = 'x';
    pair_begin(&x, f, 65536, 0, "tt");
    inject(x.ctx, &s);
    /* Never read, because the row is refused before. Header: 1 + 5 + 1 bytes. */
    set_text(&x, 0, 0, &byte, 1000000000 - 7 + 1);
    set_text(&x, 0, 1, "", 0);
    assert_failure(x.ctx, ts_pages_put(x.pages, 0, x.rows[0], 0), TS_ERR_LIMIT,
                   "table t0 has more than 1000000000 bytes");
    set_text(&x, 0, 0, &byte, SIZE_MAX / 4);
    set_text(&x, 0, 1, &byte, SIZE_MAX / 4);
    assert_failure(x.ctx, ts_pages_put(x.pages, 0, x.rows[0], 0), TS_ERR_LIMIT, "table t0");
    set_text(&x, 0, 0, "a", 1);
    set_text(&x, 0, 1, "b", 1);
    assert_ok(x.ctx, ts_pages_put(x.pages, 0, x.rows[0], 0));
    ts_pages_free(x.pages);
    insertsink_free(x.insert);
    close(x.fd);
    pair_free(&x);
}

static void test_too_many_columns(void **state)
{
    fixture *f = *state;
    pair x;
    pair_begin(&x, f, 512, 0, "i");
    ts_table wide = x.tables[0];
    wide.column_count = PAIR_COLUMNS + 1;
    assert_failure(x.ctx, ts_pages_table(x.pages, 1, &wide, 3), TS_ERR_INTERNAL,
                   "too many columns");
    pair_finish(&x);
    pair_free(&x);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_every_call_may_fail),
        TEST(test_after_a_failure),
        TEST(test_short_and_interrupted_calls),
        TEST(test_every_allocation_may_fail),
        TEST(test_same_bytes_every_time),
        TEST(test_last_page_number),
        TEST(test_largest_record),
        TEST(test_too_many_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

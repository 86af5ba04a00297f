/* The analysis heap when memory fails or is limited, reads fail, or a signal comes: three snapshots
 * of one recording, so that a comparison is part of it. Values are compared in test/analysis. */
#include "parsers_run.h"
#include "tables_files.h"

#include "analysis/analysis.h"

#include <inttypes.h>

typedef struct made {
    char *path;
    ts_db *db;
    ts_store *store;
    ts_reader *reader;
} made;

/* Seeds of the fuzz target: made by test/analysis. */
static const char *const snapshots[] = {"sixteen", "random_3", "random_5"};

static void put_seed(bytes *b, const char *name, uint64_t ts)
{
    char *path = NULL;
    size_t n;
    assert_true(asprintf(&path, "%s/../fuzz/corpus/analysis/%s", TS_TEST_DATA, name) > 0);
    char *text = test_read_file(path, &n);
    const bytes whole = {.p = (unsigned char *)text, .n = n};
    put_snapshot(b, &whole, 0, ts);
    free(text);
    free(path);
}

static char *write_recording(const fixture *f)
{
    bytes b = {0};
    char *path = path_of(f, "made.htrace");
    size_t header = begin_recording(&b);
    put_config(&b, 7, 0, false);
    for (unsigned i = 0; i < 3; i++) {
        put_seed(&b, snapshots[i], AT(i * SECOND));
    }
    close_header(&b, header);
    test_write_file(path, (const char *)b.p, b.n);
    free(b.p);
    return path;
}

static void make(made *m, const fixture *f, const char *recording)
{
    ts_import_result result;
    *m = (made){.path = path_of(f, "made.db")};
    test_write_file(m->path, "", 0);
    const ts_import_request request = {.paths = &recording, .path_count = 1};
    assert_ok(f->ctx, ts_db_create(&m->db, f->ctx, m->path));
    assert_ok(f->ctx, ts_store_new(&m->store, f->ctx, ts_db_sink(m->db), NULL));
    assert_ok(f->ctx, ts_import_run(&result, f->ctx, m->store, &request));
    assert_ok(f->ctx, ts_db_reader(&m->reader, m->db));
}

static void unmake(made *m)
{
    ts_reader_free(m->reader);
    ts_store_free(m->store);
    ts_db_close(m->db);
    unlink(m->path);
    free(m->path);
}

static uint64_t rows(const made *m, enum ts_table_id table)
{
    return ts_sink_rows(ts_store_sink(m->store), table);
}

static void test_failing_memory(void **state)
{
    fixture *f = *state;
    test_failing failing = {0};
    ts_allocator allocator = f->ctx->allocator;
    char *recording = write_recording(f);
    ts_code code = TS_ERR_NOMEM;
    made m;
    make(&m, f, recording);
    for (failing.fail_at = 1; code != TS_OK; failing.fail_at++) {
        uint64_t used = f->ctx->memory_used;
        ts_store *store = m.store;
        failing.calls = 0;
        f->ctx->allocator = test_failing_allocator(&failing);
        code = ts_analysis_heap.run(f->ctx, m.reader, store);
        f->ctx->allocator = allocator;
        assert_true(code == TS_OK || code == TS_ERR_NOMEM);
        /* What stays is the page writer's. */
        assert_true(f->ctx->memory_used < used + (1U << 20));
    }
    assert_true(failing.fail_at > 150);
    unmake(&m);
    free(recording);
}

/* Each amount of memory gives whole files, and says which are missing. */
static void test_memory_limit(void **state)
{
    fixture *f = *state;
    char *recording = write_recording(f);
    uint64_t left_out = 0;
    for (uint64_t more = 200000; more < 1200000; more += 30000) {
        made m;
        uint64_t before;
        make(&m, f, recording);
        before = ts_issue_total(m.store, TS_WARNING);
        f->ctx->limits.max_memory = f->ctx->memory_used + more;
        ts_code code = ts_analysis_heap.run(f->ctx, m.reader, m.store);
        f->ctx->limits.max_memory = 0;
        uint64_t files = rows(&m, TS_T_js_heap_analysis);
        if (code == TS_OK) {
            left_out += 3 - files;
            assert_true(ts_issue_total(m.store, TS_WARNING) - before >= 3 - files);
            assert_int_equal(rows(&m, TS_T_js_heap_retained), rows(&m, TS_T_js_heap_dominated));
        } else { /* the page writer had no page for the first row of a table */
            assert_int_equal(code, TS_ERR_LIMIT);
        }
        unmake(&m);
    }
    assert_true(left_out > 0);
    free(recording);
}

static void test_interrupted(void **state)
{
    fixture *f = *state;
    volatile sig_atomic_t signal_number = 15;
    char *recording = write_recording(f);
    made m;
    make(&m, f, recording);
    f->ctx->cancel = &signal_number;
    assert_int_equal(ts_analysis_heap.run(f->ctx, m.reader, m.store), TS_ERR_INTERRUPTED);
    f->ctx->cancel = NULL;
    unmake(&m);
    free(recording);
}

typedef struct failing_reads {
    ts_sys real;
    uint64_t calls, fail_at;
} failing_reads;

static ssize_t failing_pread(void *user, int fd, void *buf, size_t n, off_t off)
{
    failing_reads *r = user;
    if (++r->calls == r->fail_at) {
        errno = EIO;
        return -1;
    }
    return pread(fd, buf, n, off);
}

static void test_failing_reads(void **state)
{
    fixture *f = *state;
    char *recording = write_recording(f);
    failing_reads reads = {.real = f->ctx->sys};
    ts_code code = TS_ERR_OUTPUT;
    made m;
    make(&m, f, recording);
    for (reads.fail_at = 1; code != TS_OK; reads.fail_at++) {
        reads.calls = 0;
        f->ctx->sys.user = &reads;
        f->ctx->sys.pread = failing_pread;
        code = ts_analysis_heap.run(f->ctx, m.reader, m.store);
        f->ctx->sys = reads.real;
        assert_true(code == TS_OK || code == TS_ERR_OUTPUT);
    }
    unmake(&m);
    free(recording);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_failing_memory),
        TEST(test_memory_limit),
        TEST(test_interrupted),
        TEST(test_failing_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The analysis of native asynchronous works, with rows by hand; what whole recordings become is
 * compared with a computation of its own in test/tools/napi_async.py. */
#include "tables_files.h"

#include "analysis/analysis.h"
#include "tables/rows.h"

typedef struct made {
    const fixture *f;
    char *path;
    ts_db *db;
    ts_store *store;
    ts_reader *reader;
    ts_sink *sink;
    int64_t source, itid;
} made;

static ts_analysis_set napi_async(void)
{
    unsigned i = 0;
    while (strcmp(ts_analyses[i]->name, "napi_async") != 0) {
        i++;
    }
    return UINT64_C(1) << i;
}

static void made_begin(made *m, const fixture *f)
{
    int64_t ipid = 0;
    *m = (made){.f = f, .path = path_of(f, "made.db")};
    test_write_file(m->path, "", 0);
    assert_ok(f->ctx, ts_db_create(&m->db, f->ctx, m->path));
    m->sink = ts_db_sink(m->db);
    assert_ok(f->ctx, ts_store_new(&m->store, f->ctx, m->sink, NULL));
    assert_ok(f->ctx, ts_source_add(&m->source, m->store, 0, "input", "a.htrace", "htrace"));
    assert_ok(f->ctx, ts_process(&ipid, m->store, m->source, 20));
    assert_ok(f->ctx, ts_thread(&m->itid, m->store, m->source, 21, ipid, "os"));
}

static void made_free(made *m)
{
    ts_reader_free(m->reader);
    ts_store_free(m->store);
    ts_db_close(m->db);
    unlink(m->path);
    free(m->path);
}

static int64_t text_id(const made *m, const char *text)
{
    int64_t id = 0;
    assert_ok(m->f->ctx, ts_dict(&id, m->store, ts_text_of(text)));
    return id;
}

static void put_mapping(const made *m, const char *kind, int64_t chain)
{
    ts_row_native_hook row = {.id = (int64_t)ts_sink_rows(m->sink, TS_T_native_hook),
                              .callchain_id = chain,
                              .event_type = TS_TEXT_LIT("MmapEvent"),
                              .sub_type_id = text_id(m, kind)};
    assert_ok(m->f->ctx, ts_put_native_hook(m->sink, &row));
}

/* dur -1: it has no end. */
static void put_call(const made *m, int64_t ts, int64_t dur, const char *name)
{
    ts_row_callstack row = {.id = (int64_t)ts_sink_rows(m->sink, TS_T_callstack),
                            .ts = ts,
                            .dur = dur,
                            .callid = m->itid,
                            .name = ts_text_of(name)};
    row.null |= dur < 0 ? TS_NULL_BIT(callstack, dur) : 0;
    assert_ok(m->f->ctx, ts_put_callstack(m->sink, &row));
}

static void put_frame(const made *m, int64_t chain, const char *name)
{
    ts_row_perf_callchain row = {.id = (int64_t)ts_sink_rows(m->sink, TS_T_perf_callchain),
                                 .callchain_id = chain,
                                 .name = text_id(m, name)};
    assert_ok(m->f->ctx, ts_put_perf_callchain(m->sink, &row));
}

static void put_sample(const made *m, int64_t ts, int64_t chain, int64_t tid, int64_t cpu)
{
    ts_row_perf_sample row = {.id = (int64_t)ts_sink_rows(m->sink, TS_T_perf_sample),
                              .callchain_id = chain,
                              .thread_id = tid,
                              .event_count = 100 + ts,
                              .event_type_id = 3,
                              .timestamp_trace = ts,
                              .cpu_id = cpu};
    row.null |= cpu < 0 ? TS_NULL_BIT(perf_sample, cpu_id) : 0;
    assert_ok(m->f->ctx, ts_put_perf_sample(m->sink, &row));
}

static void put_rows(const made *m)
{
    const ts_row_perf_thread threads[] = {{.thread_id = 21, .process_id = 20},
                                          {.thread_id = 21, .process_id = 30}};
    put_mapping(m, "napi:0x0:1", 7);
    put_mapping(m, "napi:a:b:2", 8); /* a:b */
    put_mapping(m, "napi:a:b:3", 9); /* the first counts */
    put_mapping(m, "napi:|:4", -1);  /* a bar is found from the second character on */
    put_call(m, 10, 10, "H:Native async work execute callback, traceid:a:b|x");
    put_call(m, 12, 2, "H:Native async work execute callback, traceid:||x");
    put_call(m, 30, 10, "H:Native async work execute callback, traceid:0x0|");
    put_call(m, 50, -1, "H:Native async work execute callback, traceid:a:b|");
    put_call(m, 70, 10, "H:Native async work execute callback, traceid:||");
    put_call(m, 90, 10, "H:Native async work execute callback, traceid:a:b");
    put_frame(m, 1, "main");
    put_frame(m, 1, "ns::NativeAsyncWork::AsyncWorkCallback(x)");
    put_frame(m, 2, "main");
    for (unsigned i = 0; i < 2; i++) {
        assert_ok(m->f->ctx, ts_put_perf_thread(m->sink, &threads[i]));
    }
    put_sample(m, 9, 1, 21, 0);
    put_sample(m, 10, 1, 21, 300);
    put_sample(m, 13, 1, 21, -1); /* the first that has not ended, not the innermost */
    put_sample(m, 14, 2, 21, 0);
    put_sample(m, 15, 1, 22, 0);
    put_sample(m, 20, 1, 21, 0);
    put_sample(m, 21, 1, 21, 0);
    put_sample(m, 35, 1, 21, 0);
    put_sample(m, 55, 1, 21, 0);
    put_sample(m, 75, 1, 21, 0);
    put_sample(m, 95, 1, 21, 0);
}

static void check_answer(const made *m, const char *sql, const char *want)
{
    char got[1024] = "";
    size_t n = 0;
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW) {
        n += (size_t)snprintf(got + n, sizeof got - n, "%s\n", sqlite3_column_text(st, 0));
        assert_true(n < sizeof got);
    }
    sqlite3_finalize(st);
    sqlite3_close(db);
    assert_string_equal(got, want);
}

static void test_rows(void **state)
{
    const fixture *f = *state;
    made m;
    made_begin(&m, f);
    put_rows(&m);
    assert_ok(f->ctx, ts_db_reader(&m.reader, m.db));
    assert_ok(f->ctx, ts_analysis_run(f->ctx, m.reader, m.store, napi_async(), NULL));
    ts_reader_free(m.reader);
    m.reader = NULL;
    assert_ok(f->ctx, ts_store_finish(m.store));
    assert_ok(f->ctx, ts_db_finish(m.db, false, NULL));
    check_answer(&m,
                 "SELECT id||' '||ts||' '||traceid||' '||ifnull(cpu_id,'-')||' '||thread_id||' '||"
                 "process_id||' '||caller_callchainid||' '||callee_callchainid||' '||"
                 "perf_sample_id||' '||event_count||' '||event_type_id FROM perf_napi_async "
                 "ORDER BY rowid",
                 "0 10 a:b 300 21 20 8 1 1 110 3\n"
                 "1 13 a:b - 21 20 8 1 2 113 3\n"
                 "2 20 a:b 0 21 20 8 1 5 120 3\n"
                 "3 75 | 0 21 20 -1 1 9 175 3\n");
    made_free(&m);
}

static void test_failing_memory(void **state)
{
    const fixture *f = *state;
    test_failing failing = {0};
    ts_allocator allocator = f->ctx->allocator;
    ts_code code = TS_ERR_NOMEM;
    for (failing.fail_at = 1; code != TS_OK; failing.fail_at++) {
        made m;
        made_begin(&m, f);
        put_rows(&m);
        assert_ok(f->ctx, ts_db_reader(&m.reader, m.db));
        failing.calls = 0;
        f->ctx->allocator = test_failing_allocator(&failing);
        code = ts_analysis_run(f->ctx, m.reader, m.store, napi_async(), NULL);
        f->ctx->allocator = allocator;
        assert_true(code == TS_OK || code == TS_ERR_NOMEM);
        made_free(&m);
    }
    assert_true(failing.fail_at > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_rows, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_failing_memory, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

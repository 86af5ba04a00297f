/* Short rows of samples: what they say is what was put, by SQL and by scans, and they are as short
 * as they should be. Each case is written twice, with and without TS_SHOW_RUNS. */
#include "tables_scan.h"

#include "tables/rows.h"
#include "tables/sample_rows.h"

#define ALL_OF "SELECT * FROM stack_sample ORDER BY id"
#define RUNS_OF "SELECT * FROM js_cpu_profiler_sample ORDER BY id"
#define KIND_OF "SELECT type FROM sqlite_schema WHERE name = 'stack_sample'"

typedef struct written {
    fixture *f;
    ts_db *db;
    ts_sink *sink;
    int64_t runs;
    bool each; /* batches are put one by one */
} written;

enum { NO = -1 }; /* a number that is NULL */

static void sample(const written *w, int64_t source, int64_t itid, int64_t ts, int64_t dur,
                   int64_t node, const char *event)
{
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(w->sink, TS_T_stack_sample) + 1,
        .source_id = source,
        .itid = itid,
        .ts = ts,
        .dur = dur,
        .node_id = node,
        .event = event == NULL ? TS_TEXT_NULL : ts_text_of(event),
    };
    row.null = (itid == NO ? TS_NULL_BIT(stack_sample, itid) : 0) |
               (ts == NO ? TS_NULL_BIT(stack_sample, ts) : 0) |
               (dur == NO ? TS_NULL_BIT(stack_sample, dur) : 0) |
               (node == NO ? TS_NULL_BIT(stack_sample, node_id) : 0);
    assert_ok(w->f->ctx, ts_put_stack_sample(w->sink, &row));
}

static void run(written *w, int64_t function, int64_t start, int64_t end)
{
    ts_row_js_cpu_profiler_sample row = {
        .id = w->runs++, .function_id = function, .start_time = start, .end_time = end};
    row.dur = end - start;
    row.null = (function == NO ? TS_NULL_BIT(js_cpu_profiler_sample, function_id) : 0) |
               (start == NO ? TS_NULL_BIT(js_cpu_profiler_sample, start_time) : 0) |
               (end == NO ? TS_NULL_BIT(js_cpu_profiler_sample, end_time) : 0) |
               (start == NO || end == NO ? TS_NULL_BIT(js_cpu_profiler_sample, dur) : 0);
    assert_ok(w->f->ctx, ts_put_js_cpu_profiler_sample(w->sink, &row));
}

/* Runs of 1 to 5 samples of 7 call paths; `place` is added to the times of runs. */
static void profile(written *w, int64_t source, unsigned runs, int64_t begin, int64_t place)
{
    int64_t ts = begin;
    for (unsigned i = 0; i < runs; i++) {
        int64_t node = (i * 5 + (unsigned)source) % 7 + 1;
        int64_t start = ts;
        for (unsigned k = 0; k <= i % 5; k++) {
            int64_t dur = (int64_t)(i * 7919 + k * 31) % 100000 * 1000;
            sample(w, source, 3, ts, dur, node, "cpu");
            ts += dur;
        }
        /* Two paths of the recording may be one call path. */
        run(w, node + source * 100 + (i % 11 == 0), start + place, ts + place);
    }
}

typedef void put_case(written *w);

static char *write_as(fixture *f, const char *name, put_case *put, bool is_short, bool indexes,
                      bool each)
{
    char *path = path_of(f, name);
    written w = {.f = f, .each = each};
    ts_reader *r = NULL;
    bool any = false;
    test_write_file(path, "", 0);
    assert_ok(f->ctx, ts_db_create(&w.db, f->ctx, path));
    w.sink = ts_db_sink(w.db);
    if (is_short) {
        ts_sink_show(w.sink, TS_SHOW_RUNS);
    }
    put(&w);
    assert_ok(f->ctx, ts_db_reader(&r, w.db));
    assert_ok(f->ctx, ts_reader_has_rows(&any, r, TS_T_stack_sample));
    assert_true(any);
    ts_reader_free(r);
    assert_ok(f->ctx, ts_db_finish(w.db, indexes, NULL));
    ts_db_close(w.db);
    assert_sql(path, "PRAGMA integrity_check", "ok\n");
    return path;
}

static char *write_case(fixture *f, const char *name, put_case *put, bool is_short, bool indexes)
{
    return write_as(f, name, put, is_short, indexes, false);
}

static void assert_same(const char *a, const char *b, const char *sql)
{
    char *x = sql_text(a, sql);
    char *y = sql_text(b, sql);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

static void assert_case(fixture *f, put_case *put, const char *kind, bool indexes)
{
    char *plain = write_case(f, "plain.db", put, false, indexes);
    char *path = write_case(f, "short.db", put, true, indexes);
    ts_reader *r = NULL;
    sqlite3 *db = NULL;
    assert_sql(plain, KIND_OF, "table\n");
    assert_sql(path, KIND_OF, kind);
    assert_same(plain, path, ALL_OF);
    assert_same(plain, path, RUNS_OF);
    assert_same(plain, path, "SELECT * FROM stack_sample WHERE id IN (1, 5, 1024)");
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_ok(f->ctx, ts_reader_open(&r, f->ctx, path));
    scan_assert_table(r, TS_T_stack_sample, &ts_schema[TS_T_stack_sample], db);
    ts_reader_free(r);
    sqlite3_close(db);
    free(plain);
    free(path);
}

/* --- cases ---------------------------------------------------------------------------------- */

static void put_profiles(written *w)
{
    profile(w, 2, 900, 5000000123, 0);
    profile(w, 3, 700, 77, 1000000); /* begins in the middle of a block */
    profile(w, 3, 1, 0, 0);
}

static void test_profiles(void **state)
{
    assert_case(*state, put_profiles, "view\n", false);
    assert_case(*state, put_profiles, "view\n", true);
}

/* 4000 samples in runs of one: 15 bytes each and 6 for the run, where rows of all columns take 27
 * of stack_sample and 32 of js_cpu_profiler_sample. */
static void put_singles(written *w)
{
    for (int64_t i = 0; i < 4000; i++) {
        int64_t ts = 9000000000000 + i * 1000000;
        sample(w, 2, 3, ts, 1000000, i % 100 + 300, "cpu");
        run(w, i % 100 + 300, ts, ts + 1000000);
    }
}

static void test_size(void **state)
{
    fixture *f = *state;
    char *path = write_case(f, "short.db", put_singles, true, false);
    assert_sql(path,
               "SELECT count(*), sum(before), max(run), count(shift), count(source_id) FROM "
               "stack_sample_row",
               "4000|0|3999|0|0\n");
    /* The schema and its documentation aside. */
    char *plain = write_case(f, "plain.db", put_singles, false, false);
    char *pages = sql_text(plain, "PRAGMA page_count");
    char *less = sql_text(path, "PRAGMA page_count");
    assert_true((atol(pages) - atol(less)) * 4096 >= 4000 * 34L);
    free(pages);
    free(less);
    free(plain);
    free(path);
}

/* Times and paths that are not known, and an end that is not. */
static void put_unknown(written *w)
{
    sample(w, 2, NO, NO, NO, 4, "cpu");
    sample(w, 2, NO, NO, NO, 4, "cpu");
    run(w, 104, NO, NO);
    sample(w, 2, NO, NO, NO, NO, "cpu");
    run(w, NO, NO, NO);
    sample(w, 3, 3, 1000, 4000, 4, NULL);
    sample(w, 3, 3, 5000, NO, 4, NULL);
    run(w, 104, 1000, 5000);
    for (int i = 0; i < 1100; i++) {
        sample(w, 3, 3, 5000, 0, i % 2 == 0 ? 5 : NO, "");
        run(w, i % 2 == 0 ? 105 : NO, 5000, 5000);
    }
}

static void test_unknown_values(void **state)
{
    assert_case(*state, put_unknown, "view\n", false);
}

/* Samples of other formats, and times that are no µs. */
static void put_others(written *w)
{
    profile(w, 2, 300, 1000, 0);
    for (int64_t i = 0; i < 2000; i++) {
        sample(w, 9, i % 3 - 1, i * 333 - 7, i % 4 == 0 ? NO : i, i % 5 + 1,
               i % 2 == 0   ? "alloc"
               : i % 3 == 0 ? ""
                            : NULL);
    }
    profile(w, 3, 300, 1234567, 5);
    sample(w, 3, 3, INT64_MAX - 5, 0, 1, "cpu");
    run(w, 301, INT64_MAX, INT64_MAX);
}

static void test_rows_of_other_formats(void **state)
{
    assert_case(*state, put_others, "view\n", true);
}

/* Runs that their samples do not show: all is put into tables then. */
static void put_odd_runs(written *w)
{
    profile(w, 2, 500, 1000, 0);
    sample(w, 2, 3, 5000000000, 1000, NO, "cpu");
    run(w, 77, 5000000000, 5000001000); /* a path of which there is no node */
    profile(w, 2, 10, 6000000000, 0);
}

static void test_runs_that_no_view_can_show(void **state)
{
    assert_case(*state, put_odd_runs, "table\n", false);
}

/* Rows that change later. */
static void put_changed(written *w)
{
    ts_ctx *ctx = w->f->ctx;
    profile(w, 2, 500, 1000, 0);
    assert_ok(ctx, ts_sink_invalidate(w->sink, TS_T_stack_sample, 5, 1030,
                                      TS_NULL_BIT(stack_sample, ts)));
    assert_ok(ctx, ts_sink_move(w->sink, TS_T_js_cpu_profiler_sample, 2, 499,
                                TS_NULL_BIT(js_cpu_profiler_sample, start_time), 7));
}

static void test_rows_that_change(void **state)
{
    assert_case(*state, put_changed, "table\n", true);
}

/* Samples of a format that puts several at once, after those of a profile. */
static void put_batches(written *w)
{
    ts_row_stack_sample rows[40];
    profile(w, 2, 30, 1000, 0);
    for (unsigned batch = 0; batch < 3; batch++) {
        const int64_t first = (int64_t)ts_sink_rows(w->sink, TS_T_stack_sample) + 1;
        for (unsigned i = 0; i < 40; i++) {
            rows[i] = (ts_row_stack_sample){.id = first + i,
                                            .source_id = 4,
                                            .ts = 7 * i,
                                            .node_id = i + 1,
                                            .event = TS_TEXT_LIT("cpu")};
            TS_SET_NULL(stack_sample, &rows[i], itid, dur);
        }
        assert_ok(w->f->ctx,
                  ts_sink_put_many(w->sink, TS_T_stack_sample, rows, sizeof rows[0], 40));
    }
    profile(w, 2, 5, 100000, 0);
}

static void test_batches_of_others(void **state)
{
    assert_case(*state, put_batches, "view\n", false);
}

/* A database whose first samples are others stays as it is. */
static void test_not_the_first(void **state)
{
    fixture *f = *state;
    char *path = path_of(f, "a.db");
    written w = {.f = f};
    test_write_file(path, "", 0);
    assert_ok(f->ctx, ts_db_create(&w.db, f->ctx, path));
    w.sink = ts_db_sink(w.db);
    sample(&w, 9, 1, 5, 5, 1, "alloc");
    ts_sink_show(w.sink, TS_SHOW_RUNS);
    profile(&w, 2, 30, 1000, 0);
    assert_ok(f->ctx, ts_db_finish(w.db, false, NULL));
    ts_db_close(w.db);
    assert_sql(path, KIND_OF, "table\n");
    assert_sql(path, "SELECT count(*) FROM js_cpu_profiler_sample", "30\n");
    free(path);
}

/* Rows without their block are damage. */
static void test_damage(void **state)
{
    fixture *f = *state;
    char *path = write_case(f, "short.db", put_profiles, true, false);
    static const unsigned column = TS_C_stack_sample__ts;
    ts_reader *r = NULL;
    ts_scan *scan = NULL;
    const ts_batch *b = NULL;
    sqlite3 *db = NULL;
    ts_code code = TS_OK;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "DELETE FROM stack_sample_block WHERE id = 1", NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    assert_ok(f->ctx, ts_reader_open(&r, f->ctx, path));
    assert_ok(f->ctx, ts_scan_open(&scan, r, TS_T_stack_sample, &column, 1));
    do {
        code = ts_scan_next(&b, scan);
    } while (code == TS_OK && b->rows > 0);
    assert_int_equal(code, TS_ERR_INPUT);
    ts_scan_close(scan);
    ts_reader_free(r);
    free(path);
}

/* --- many at once --------------------------------------------------------------------------- */

typedef struct stream {
    uint64_t seed;
    ts_sample_batch b;  /* of the thread, and where it is */
    uint32_t node_mask; /* numbers of nodes, and of functions */
    uint32_t function_mask;
    uint32_t function_set; /* these bits are set in numbers of functions */
    uint32_t dur_mask;
    unsigned run_length; /* mostly */
} stream;

static uint64_t next_of(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return *seed >> 33;
}

/* A batch of n samples that goes on where the one before it ended. */
static void put_samples(written *w, stream *s, unsigned n)
{
    static uint32_t durs[TS_SAMPLES_MOST], nodes[TS_SAMPLES_MOST], functions[TS_SAMPLES_MOST];
    ts_sink_put_samples_call *call = w->sink->calls.put_samples;
    ts_sample_place end;
    s->b.runs = 0;
    for (unsigned i = 0; i < n; i++) {
        const bool ends = next_of(&s->seed) % s->run_length == 0;
        durs[i] = (uint32_t)next_of(&s->seed) & s->dur_mask;
        nodes[i] = ((uint32_t)next_of(&s->seed) & s->node_mask) | 1;
        functions[i] =
            !ends ? 0
                  : ((nodes[i] + 7 * (uint32_t)(next_of(&s->seed) % 2)) & s->function_mask) |
                        s->function_set | 1;
        s->b.runs += ends;
    }
    s->b.dur_us = durs;
    s->b.node_id = nodes;
    s->b.function_id = functions;
    s->b.count = n;
    w->sink->calls.put_samples = w->each ? NULL : call;
    assert_ok(w->f->ctx, ts_sink_put_samples(w->sink, &s->b));
    w->sink->calls.put_samples = call;
    w->runs += s->b.runs;
    assert_int_equal(ts_sink_rows(w->sink, TS_T_js_cpu_profiler_sample), w->runs);
    end = ts_sample_begin(&s->b);
    ts_sample_move(&end, &s->b, n);
    s->b.ts = end.ts;
    s->b.run_ts = end.run_ts;
    s->b.goes_on = end.goes_on;
}

static stream new_stream(uint64_t seed, unsigned run_length)
{
    return (stream){.seed = seed,
                    .b = {.source_id = 2, .itid = 3, .event = TS_TEXT_LIT("cpu"), .ts = 5000000123},
                    .node_mask = 0xfff,
                    .function_mask = 0xfff,
                    .dur_mask = 0x3ff,
                    .run_length = run_length};
}

/* Batches of all sizes, so that they begin and end anywhere in blocks and in runs. */
static void put_many_sizes(written *w)
{
    static const unsigned sizes[] = {1, 2, 1023, 1, 1024, 1024, 7, 255, 256, 257, 300, 1000};
    stream s = new_stream(1, 3);
    for (unsigned i = 0; i < 40; i++) {
        put_samples(w, &s, sizes[i % (sizeof sizes / sizeof sizes[0])]);
    }
}

/* Runs that are longer than blocks, and those of one sample. */
static void put_long_runs(written *w)
{
    stream s = new_stream(2, 3000);
    for (unsigned i = 0; i < 12; i++) {
        put_samples(w, &s, 1000);
    }
    s.run_length = 1;
    for (unsigned i = 0; i < 12; i++) {
        put_samples(w, &s, 1000);
    }
}

/* Numbers at the borders of what an array may hold, and times that go far. */
static void put_large(written *w)
{
    stream s = new_stream(3, 2);
    for (unsigned i = 0; i < 31; i++) {
        s.node_mask = INT32_MAX >> i;
        s.function_mask = INT32_MAX >> (30 - i);
        s.dur_mask = INT32_MAX >> (i * 7 % 31);
        put_samples(w, &s, 600 + i);
    }
    for (unsigned i = 0; i < 12; i++) { /* as far from each other as they can be */
        s.node_mask = i % 2 == 0 ? INT32_MAX : 0;
        s.function_mask = 0;
        s.function_set = i % 2 == 0 ? 0 : INT32_MAX;
        s.dur_mask = 0;
        put_samples(w, &s, 100 + i);
    }
    put_samples(w, &s, 1024);
    for (unsigned i = 0; i < 40; i++) { /* far from what the first run of a block says */
        s.node_mask = i / 5 % 2 == 0 ? INT32_MAX >> 3 : 0;
        s.function_mask = 0;
        s.function_set = i / 5 % 2 == 0 ? 0 : INT32_MAX - 1023;
        put_samples(w, &s, 100 + i);
    }
}

/* Other sources, threads, events and places of times; one by one in between. */
static void put_changing(written *w)
{
    stream s = new_stream(4, 4);
    for (unsigned i = 0; i < 60; i++) {
        put_samples(w, &s, 100 + i);
        switch (i % 12) {
        case 1:
            s.b.place = i * 1000;
            break;
        case 2: /* not what the samples before say */
            s.b.goes_on = false;
            break;
        case 4:
            s.b.run_ts -= 1000;
            break;
        case 3:
            s.b.itid = i % 2 == 0 ? -1 : 4;
            break;
        case 5:
            s.b.event = i % 24 == 5 ? TS_TEXT_NULL : TS_TEXT_LIT("");
            break;
        case 7: /* a profile that begins anew, with times before those of the last one */
            s.b.source_id++;
            s.b.ts = i * 1001;
            s.b.goes_on = false;
            s.b.event = TS_TEXT_LIT("cpu");
            break;
        case 9:
            profile(w, s.b.source_id, 3, s.b.ts, 7);
            s.b.goes_on = false;
            break;
        case 11: /* the run ends behind the batch */
            if (s.b.goes_on) {
                run(w, 5000, s.b.run_ts + s.b.place, s.b.ts + s.b.place);
                s.b.goes_on = false;
            }
            break;
        default:
            break;
        }
    }
}

/* Times without a block's, and a shift between nodes and functions that no column of 4 bytes has.
 */
static void put_beside_unknown(written *w)
{
    stream s = new_stream(5, 2);
    sample(w, 2, 3, NO, NO, 4, "cpu");
    run(w, INT64_C(90000000000), NO, NO);
    put_samples(w, &s, 1024);
    put_samples(w, &s, 500);
}

/* The files are the same byte by byte; and they say what tables say. */
static void assert_batches(fixture *f, put_case *put, const char *kind)
{
    char *many = write_as(f, "many.db", put, true, false, false);
    char *each = write_as(f, "each.db", put, true, false, true);
    size_t many_n;
    size_t each_n;
    char *a = test_read_file(many, &many_n);
    char *b = test_read_file(each, &each_n);
    assert_int_equal(many_n, each_n);
    assert_memory_equal(a, b, many_n);
    assert_case(f, put, kind, false);
    free(a);
    free(b);
    free(many);
    free(each);
}

static void test_batches(void **state)
{
    fixture *f = *state;
    assert_batches(f, put_many_sizes, "view\n");
    assert_batches(f, put_long_runs, "view\n");
    assert_batches(f, put_large, "view\n");
    assert_batches(f, put_changing, "table\n");
    assert_batches(f, put_beside_unknown, "view\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_profiles, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_size, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_unknown_values, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_rows_of_other_formats, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_runs_that_no_view_can_show, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_rows_that_change, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_batches_of_others, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_not_the_first, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_damage, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_batches, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

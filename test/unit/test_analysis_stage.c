/* The stage of analyses: what is chosen, its order, what it needs, limits and failures; and the
 * totals of methods against a plain computation. */
#include "tables_files.h"

#include "analysis/analysis.h"
#include "tables/rows.h"

#define ALL (~UINT64_C(0))

static ts_analysis_set named(const char *name)
{
    unsigned i = 0;
    while (strcmp(ts_analyses[i]->name, name) != 0) {
        i++;
    }
    return UINT64_C(1) << i;
}

/* --- choosing ------------------------------------------------------------------------------ */

static void test_choice(void **state)
{
    fixture *f = *state;
    ts_analysis_set set;
    assert_ok(f->ctx, ts_analysis_choose(&set, f->ctx, NULL, true));
    assert_int_equal(set, named("call_views") | named("sample_views") | named("profile_metrics") |
                              named("markers") | named("napi_async"));
    assert_ok(f->ctx, ts_analysis_choose(&set, f->ctx, "none", true));
    assert_int_equal(set, 0);
    assert_ok(f->ctx, ts_analysis_choose(&set, f->ctx, "stack_totals", true));
    assert_int_equal(set, named("call_views") | named("sample_views") | named("stack_totals"));
    assert_ok(f->ctx, ts_analysis_choose(&set, f->ctx, "stack_totals", false));
    assert_int_equal(set, named("stack_totals"));
    assert_ok(f->ctx, ts_analysis_choose(&set, f->ctx, "default,stack_totals,default", false));
    assert_int_equal(set, named("profile_metrics") | named("stack_totals") | named("markers") |
                              named("napi_async"));
    static const char *const wrong[] = {"",
                                        ",",
                                        "stack_totals,",
                                        "stack",
                                        "none,stack_totals",
                                        "STACK_TOTALS",
                                        "stack_totals,,default"};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(ts_analysis_choose(&set, f->ctx, wrong[i], true), TS_ERR_USAGE);
    }
    assert_int_equal(ts_analysis_choose(&set, f->ctx, "x", true), TS_ERR_USAGE);
    assert_string_equal(f->ctx->error.causes[0], "unknown analysis \"x\"; known are: call_views, "
                                                 "sample_views, profile_metrics, stack_totals, "
                                                 "heap, markers, napi_async, default, "
                                                 "none");
}

/* What the list promises to the rest of the program. */
static void test_list(void **state)
{
    (void)state;
    uint64_t written[TS_TABLE_COUNT] = {0};
    for (unsigned i = 0; ts_analyses[i] != NULL; i++) {
        const ts_analysis *a = ts_analyses[i];
        assert_true(i < 64);
        assert_true(strlen(a->name) <= 16 && strcspn(a->name, ", =") == strlen(a->name));
        assert_true(strcmp(a->name, "none") != 0 && strcmp(a->name, "default") != 0 &&
                    strcmp(a->name, "list") != 0);
        assert_non_null(a->title);
        assert_non_null(a->issues);
        for (const enum ts_table_id *t = a->writes; *t != TS_TABLE_COUNT; t++) {
            assert_int_equal(written[*t]++, 0); /* nobody else's */
        }
        for (unsigned k = 0; k < i; k++) {
            assert_string_not_equal(a->name, ts_analyses[k]->name);
        }
    }
}

/* --- a database with samples ---------------------------------------------------------------- */

typedef struct made {
    char *path;
    ts_db *db;
    ts_store *store;
    ts_reader *reader;
} made;

static uint64_t step(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

enum { METHODS = 12 };

/* Random trees with recursion, on several threads. */
static ts_code put_samples(const fixture *f, made *m, uint64_t seed, int64_t nodes, int64_t samples)
{
    static const char *const events[] = {NULL, "cpu", "wall"};
    ts_sink *sink = ts_db_sink(m->db);
    ts_code code = TS_OK;
    (void)f;
    for (int64_t i = 1; i <= METHODS && code == TS_OK; i++) {
        ts_row_stack_method row = {.id = i, .source_id = 1};
        code = ts_put_stack_method(sink, &row);
    }
    for (int64_t i = 1; i <= nodes && code == TS_OK; i++) {
        ts_row_stack_node row = {.id = i, .source_id = 1};
        row.parent_id = (int64_t)(step(&seed) % (uint64_t)i);
        row.method_id = (int64_t)(step(&seed) % (METHODS + 1));
        row.null |= row.parent_id == 0 ? TS_NULL_BIT(stack_node, parent_id) : 0;
        row.null |= row.method_id == 0 ? TS_NULL_BIT(stack_node, method_id) : 0;
        code = ts_put_stack_node(sink, &row);
    }
    for (int64_t i = 1; i <= samples && code == TS_OK; i++) {
        ts_row_stack_sample row = {.id = i, .source_id = 1 + (int64_t)(step(&seed) % 2)};
        row.itid = (int64_t)(step(&seed) % 4);
        row.node_id = (int64_t)(step(&seed) % (uint64_t)(nodes + 1));
        row.dur = (int64_t)(step(&seed) % 1000);
        row.event = ts_text_of(events[step(&seed) % 3]);
        row.null |= row.itid == 3 ? TS_NULL_BIT(stack_sample, itid) : 0;
        row.null |= row.node_id == 0 ? TS_NULL_BIT(stack_sample, node_id) : 0;
        row.null |= row.dur < 300 ? TS_NULL_BIT(stack_sample, dur) : 0;
        code = ts_put_stack_sample(sink, &row);
    }
    return code;
}

static ts_code make(made *m, const fixture *f, uint64_t seed, int64_t nodes, int64_t samples)
{
    *m = (made){.path = path_of(f, "made.db")};
    test_write_file(m->path, "", 0);
    ts_code code = ts_db_create(&m->db, f->ctx, m->path);
    if (code == TS_OK &&
        (code = ts_store_new(&m->store, f->ctx, ts_db_sink(m->db), NULL)) == TS_OK &&
        (code = put_samples(f, m, seed, nodes, samples)) == TS_OK) {
        code = ts_db_reader(&m->reader, m->db);
    }
    return code;
}

static ts_code finish(made *m)
{
    ts_reader_free(m->reader);
    m->reader = NULL;
    ts_code code = ts_store_finish(m->store);
    return code == TS_OK ? ts_db_finish(m->db, false, NULL) : code;
}

static void unmake(made *m)
{
    ts_reader_free(m->reader);
    ts_store_free(m->store);
    ts_db_close(m->db);
    unlink(m->path);
    free(m->path);
}

static int64_t answer(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK || sqlite3_step(st) != SQLITE_ROW) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    int64_t value = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return value;
}

/* Each sample with all methods on its path, by SQL, against the table: rows that only one has. */
static const char plain[] =
    "WITH RECURSIVE up(sample, node) AS (SELECT id, node_id FROM stack_sample WHERE node_id > 0 "
    "UNION ALL SELECT sample, parent_id FROM up JOIN stack_node ON id = node WHERE parent_id > 0), "
    "met AS (SELECT DISTINCT sample, method_id AS m FROM up JOIN stack_node ON id = node), "
    "want AS (SELECT s.source_id, s.itid, s.event, met.m, "
    "sum(n.method_id IS met.m) AS a, count(*) AS b, "
    "CASE WHEN count(s.dur) > 0 THEN sum(CASE WHEN n.method_id IS met.m THEN ifnull(s.dur, 0) ELSE "
    "0 END) END AS c, sum(s.dur) AS d FROM met JOIN stack_sample AS s ON s.id = met.sample "
    "JOIN stack_node AS n ON n.id = s.node_id GROUP BY 1, 2, 3, 4) "
    "SELECT (SELECT count(*) FROM (SELECT * FROM want EXCEPT SELECT * FROM stack_total)) + "
    "(SELECT count(*) FROM (SELECT * FROM stack_total EXCEPT SELECT * FROM want)) + "
    "(SELECT abs(count(*) - (SELECT count(*) FROM want)) FROM stack_total)";

static void test_totals(void **state)
{
    fixture *f = *state;
    static const int64_t sizes[][2] = {{1, 1}, {2, 50}, {30, 400}, {500, 3000}, {4000, 200}};
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const int64_t *size = sizes[seed % 5];
        made m;
        assert_ok(f->ctx, make(&m, f, seed, size[0], size[1]));
        assert_ok(f->ctx, ts_analysis_run(f->ctx, m.reader, m.store, ALL, NULL));
        assert_ok(f->ctx, finish(&m));
        assert_int_equal(answer(m.path, plain), 0);
        assert_int_equal(answer(m.path, "SELECT sum(self_count) FROM stack_total"),
                         answer(m.path, "SELECT count(*) FROM stack_sample WHERE node_id > 0"));
        unmake(&m);
    }
}

/* A chain as deep as it is long: no recursion, and linear. */
static void test_deep_chain(void **state)
{
    fixture *f = *state;
    enum { DEEP = 200000 };
    made m;
    assert_ok(f->ctx, make(&m, f, 1, 0, 0));
    ts_sink *sink = ts_db_sink(m.db);
    for (int64_t i = 1; i <= DEEP; i++) {
        ts_row_stack_node row = {
            .id = i, .source_id = 1, .parent_id = i - 1, .method_id = i % 3 + 1};
        row.null |= i == 1 ? TS_NULL_BIT(stack_node, parent_id) : 0;
        assert_ok(f->ctx, ts_put_stack_node(sink, &row));
    }
    for (int64_t i = 1; i <= 2; i++) {
        ts_row_stack_sample row = {
            .id = i, .source_id = 1, .node_id = DEEP, .dur = INT64_MAX / 2 + 1};
        assert_ok(f->ctx, ts_put_stack_sample(sink, &row));
    }
    assert_ok(f->ctx, ts_analysis_run(f->ctx, m.reader, m.store, ALL, NULL));
    assert_ok(f->ctx, finish(&m));
    assert_int_equal(answer(m.path, "SELECT count(*) FROM stack_total WHERE total_count = 2 AND "
                                    "total_dur IS NULL"), /* beyond 64 bits */
                     3);
    assert_int_equal(answer(m.path, "SELECT sum(self_count) FROM stack_total"), 2);
    unmake(&m);
}

/* --- the stage ------------------------------------------------------------------------------ */

typedef struct order {
    const char *names[8];
    unsigned n;
} order;

static void note(void *user, const ts_analysis *analysis)
{
    order *o = user;
    o->names[o->n++] = analysis->name;
}

static void test_order_and_needs(void **state)
{
    fixture *f = *state;
    order o = {0};
    const ts_analysis_hooks hooks = {&o, note, NULL};
    made m;
    assert_ok(f->ctx, make(&m, f, 1, 0, 0));
    assert_ok(f->ctx, ts_analysis_run(f->ctx, m.reader, m.store, ALL, &hooks));
    assert_int_equal(o.n, 0); /* no rows, nothing to do */
    ts_row_stack_slice slice = {.id = 1, .source_id = 1};
    ts_row_stack_node node = {.id = 1, .source_id = 1, .method_id = 1};
    TS_SET_NULL(stack_node, &node, parent_id);
    ts_row_stack_sample sample = {.id = 1, .source_id = 1, .node_id = 1};
    assert_ok(f->ctx, ts_put_stack_slice(ts_db_sink(m.db), &slice));
    assert_ok(f->ctx, ts_put_stack_node(ts_db_sink(m.db), &node));
    assert_ok(f->ctx, ts_analysis_run(f->ctx, m.reader, m.store, named("stack_totals"), &hooks));
    assert_int_equal(o.n, 0); /* one of two tables that it needs */
    assert_ok(f->ctx, ts_put_stack_sample(ts_db_sink(m.db), &sample));
    assert_ok(f->ctx, ts_analysis_run(f->ctx, m.reader, m.store, ALL, &hooks));
    assert_int_equal(o.n, 3);
    assert_string_equal(o.names[0], "call_views");
    assert_string_equal(o.names[1], "sample_views");
    assert_string_equal(o.names[2], "stack_totals");
    assert_ok(f->ctx, finish(&m));
    assert_int_equal(answer(m.path, "SELECT count(*) FROM sqlite_schema WHERE type = 'view' AND "
                                    "name = 'callstack'"),
                     1);
    unmake(&m);
}

/* Without memory for it the database is complete but for the analysis, and says so. */
static void test_memory_limit(void **state)
{
    fixture *f = *state;
    made m;
    assert_ok(f->ctx, make(&m, f, 3, 20000, 20000));
    f->ctx->limits.max_memory = f->ctx->memory_used + 400000;
    assert_ok(f->ctx, ts_analysis_run(f->ctx, m.reader, m.store, ALL, NULL));
    f->ctx->limits.max_memory = 0;
    assert_ok(f->ctx, finish(&m));
    assert_int_equal(answer(m.path, "SELECT count(*) FROM stack_total"), 0);
    assert_int_equal(answer(m.path,
                            "SELECT count(*) FROM import_issue WHERE code = "
                            "'analysis_skipped' AND severity = 'warning' AND stream = "
                            "'stack_totals' AND source_id IS NULL AND message LIKE '%memory%'"),
                     1);
    assert_int_equal(answer(m.path, "SELECT count(*) FROM stack_sample"), 20000);
    unmake(&m);
}

static void test_interrupted(void **state)
{
    fixture *f = *state;
    volatile sig_atomic_t signal_number = 15;
    made m;
    assert_ok(f->ctx, make(&m, f, 3, 100, 100));
    f->ctx->cancel = &signal_number;
    assert_int_equal(ts_analysis_run(f->ctx, m.reader, m.store, ALL, NULL), TS_ERR_INTERRUPTED);
    f->ctx->cancel = NULL;
    unmake(&m);
}

static void test_failing_memory(void **state)
{
    fixture *f = *state;
    test_failing failing = {0};
    ts_allocator allocator = f->ctx->allocator;
    ts_code code = TS_ERR_NOMEM;
    for (failing.fail_at = 1; code != TS_OK; failing.fail_at++) {
        made m;
        assert_ok(f->ctx, make(&m, f, 5, 2000, 3000));
        failing.calls = 0;
        f->ctx->allocator = test_failing_allocator(&failing);
        code = ts_analysis_run(f->ctx, m.reader, m.store, ALL, NULL);
        f->ctx->allocator = allocator;
        assert_true(code == TS_OK || code == TS_ERR_NOMEM);
        unmake(&m);
    }
    assert_true(failing.fail_at > 30);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_choice),          TEST(test_list),
        TEST(test_totals),          TEST(test_deep_chain),
        TEST(test_order_and_needs), TEST(test_memory_limit),
        TEST(test_interrupted),     TEST(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

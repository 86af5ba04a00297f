/* Names, sources, threads and times as they are typed, in a database that is made here: what is
 * chosen, what is refused and with which words, and failing memory. */
#include "support.h"

#include "base/names.h"
#include "model/select.h"
#include "model/when.h"
#include "tables/schema.h"

#include <sqlite3.h>
#include <stdlib.h>

#define DAY INT64_C(86400000000000)
#define HOUR INT64_C(3600000000000)

static const enum ts_table_id tables[] = {TS_T_source,         TS_T_thread,
                                          TS_T_process,        TS_T_stack_sample,
                                          TS_T_stack_slice,    TS_T_trace_range,
                                          TS_T_clock_snapshot, TS_T_sched_slice,
                                          TS_T_thread_state,   TS_T_stack_sample_label};

static const char rows_sql[] =
    "INSERT INTO source(id, parent_id, path, name, clock) VALUES (1, NULL, 'logs/a.jfr', NULL, "
    "NULL),"
    " (2, 1, NULL, 'chunk', 'realtime'), (3, NULL, 'logs/b.jfr', NULL, NULL),"
    " (4, 3, NULL, 'chunk', 'realtime'), (5, 3, NULL, '2', 'realtime');"
    "INSERT INTO process(id, pid, name) VALUES (0, 0, NULL), (1, 70, 'com.shop'), (2, 71, 'init');"
    "INSERT INTO thread(id, tid, name, ipid) VALUES (0, 0, NULL, 0), (1, 70, 'main', 1), "
    " (2, 3, 'worker-1', 1), (3, 72, 'worker-2', 1), (4, 71, '3', 2), (5, 73, 'a,b', 2);"
    /* Day 19000 is 2022-01-08. */
    "INSERT INTO stack_sample(id, source_id, ts, dur) VALUES (1, 2, 1641600000000000000 + "
    "36000000000000, 5000000000), "
    " (2, 4, 1641600000000000000 + 36010000000000, NULL);"
    "INSERT INTO stack_slice(id, source_id, ts, dur) VALUES (1, 4, 1641600000000000000 + "
    "36020000000000, 10000000000);"
    "INSERT INTO trace_range(start_ts, end_ts) VALUES (1641600000000000000 + 36000000000000, "
    " 1641600000000000000 + 36030000000000);";

#define BEGIN (19000 * DAY + 10 * HOUR)

typedef struct fixture {
    ts_ctx *ctx;
    sqlite3 *db;
    ts_model *model;
} fixture;

static void run(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s", message);
    }
}

static void make_tables(sqlite3 *db)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const ts_table *t = &ts_schema[tables[i]];
        char sql[2000];
        int n = snprintf(sql, sizeof sql, "CREATE TABLE %s(", t->name);
        for (unsigned c = 0; c < t->column_count; c++) {
            n += snprintf(sql + n, sizeof sql - (size_t)n, "%s%s %s", c == 0 ? "" : ", ",
                          t->columns[c].name,
                          t->columns[c].type == TS_COL_KEY ? "INTEGER PRIMARY KEY" : "");
        }
        snprintf(sql + n, sizeof sql - (size_t)n, ")");
        run(db, sql);
    }
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->ctx = test_ctx_new();
    assert_int_equal(sqlite3_open(":memory:", &f->db), SQLITE_OK);
    make_tables(f->db);
    run(f->db, rows_sql);
    assert_ok(f->ctx, ts_model_open(&f->model, f->ctx));
    ts_model_read(f->model, &(ts_rows_from){.ctx = f->ctx, .db = f->db});
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    ts_model_close(f->model);
    sqlite3_close(f->db);
    test_ctx_free(f->ctx);
    free(f);
    return 0;
}

static ts_text text(const char *s)
{
    return ts_text_of(s);
}

static void test_distance(void **state)
{
    (void)state;
    assert_int_equal(ts_edit_distance("worker", 6, "workr", 5), 1);
    assert_int_equal(ts_edit_distance("wroker", 6, "worker", 6), 1);
    assert_int_equal(ts_edit_distance("Main", 4, "main", 4), 0);
    assert_int_equal(ts_edit_distance("", 0, "abc", 3), 3);
}

static void test_glob(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool fits;
    } cases[] = {{"worker-*", "worker-1", true},
                 {"worker-*", "worker-", true},
                 {"worker-*", "a worker-1", false},
                 {"*-?", "worker-1", true},
                 {"*-?", "worker-12", false},
                 {"w[a-p]rker*", "worker", true},
                 {"w[^a-p]rker", "worker", false},
                 {"[]x]", "]", true},
                 {"a[", "a[", true},
                 {"*", "", true},
                 {"", "", true},
                 {"", "a", false},
                 {"*a*b*c", "xaxbxc", true},
                 {"*a*b*c", "xaxbx", false},
                 {"**", "ab", true},
                 {"[a-", "[a-", true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (ts_glob_fits(text(cases[i].pattern), text(cases[i].text)) != cases[i].fits) {
            fail_msg("\"%s\", \"%s\"", cases[i].pattern, cases[i].text);
        }
    }
    assert_true(ts_glob_is(text("a?")) && ts_glob_is(text("[")) && !ts_glob_is(text("a.b")));
}

/* What would take for ever where each * is tried again. */
static void test_glob_time(void **state)
{
    char pattern[200];
    char long_text[20000];
    (void)state;
    for (size_t i = 0; i < sizeof pattern; i++) {
        pattern[i] = i % 2 == 0 ? '*' : 'a';
    }
    memset(long_text, 'a', sizeof long_text);
    pattern[sizeof pattern - 1] = 'b';
    assert_false(
        ts_glob_fits((ts_text){pattern, sizeof pattern}, (ts_text){long_text, sizeof long_text}));
}

/* ids as questions take them, or the message. */
static void check_find(fixture *f, bool threads, const char *typed, const char *expected)
{
    ts_idset set = {0};
    ts_buf out = {0};
    ts_code code = threads ? ts_threads_find(&set, f->model, text(typed))
                           : ts_sources_find(&set, f->model, text(typed));
    if (code == TS_OK) {
        assert_ok(f->ctx, ts_idset_put(&out, f->ctx, &set));
    } else {
        assert_int_equal(code, TS_ERR_USAGE);
        assert_ok(f->ctx, ts_buf_printf(f->ctx, &out, "%s", f->ctx->error.causes[0]));
    }
    assert_ok(f->ctx, ts_buf_putc(f->ctx, &out, '\0'));
    if (strcmp(out.p, expected) != 0) {
        fail_msg("\"%s\": %s, not %s", typed, out.p, expected);
    }
    ts_buf_free(f->ctx, &out);
    ts_idset_free(f->ctx, &set);
}

static void test_sources(void **state)
{
    static const char *const cases[][2] = {
        {"1", "[1,2]"},
        {"2", "2"}, /* the id before the name of source 5 */
        {"5", "5"},
        {"3", "[3,4,5]"},
        {"logs/a.jfr", "[1,2]"},
        {"a.jfr", "[1,2]"},
        {"chunk", "[2,4]"},
        {"logs/b.jfr/chunk", "4"},
        {"b.jfr/chunk", "4"},
        {"*.jfr", "[1,2,3,4,5]"},
        {"logs/*", "[1,2,3,4,5]"},
        {"ch*", "[2,4]"},
        {"c.jfr",
         "there is no source \"c.jfr\"; sources are 1 (logs/a.jfr), 3 (logs/b.jfr), 2 (chunk), "
         "4 (chunk), 5 (2)"},
        {"chnuk",
         "there is no source \"chnuk\"; sources are 2 (chunk), 4 (chunk), 1 (logs/a.jfr), 3 "
         "(logs/b.jfr), 5 (2)"},
        {"", "there is no source \"\"; sources are 1 (logs/a.jfr), 2 (chunk), 3 (logs/b.jfr), 4 "
             "(chunk), "
             "5 (2)"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_find(*state, false, cases[i][0], cases[i][1]);
    }
}

static void test_threads(void **state)
{
    static const char *const cases[][2] = {
        {"main", "1"},
        {"3", "4"}, /* a name before the tid of thread 2 and the itid of thread 3 */
        {"72", "3"},
        {"5", "5"},
        {"tid=3", "2"},
        {"id=3", "3"},
        {"pid=70", "[1,2,3]"},
        {"process=com.*", "[1,2,3]"},
        {"process=init", "[4,5]"},
        {"name=3", "4"},
        {"worker-*", "[2,3]"},
        {"main,tid=3", "[1,2]"},
        {"a,b", "5"},
        {"a\\,b,main", "[1,5]"},
        {"tid=9",
         "there is no thread \"tid=9\"; threads are 1 (main), 2 (worker-1), 3 (worker-2), 4 "
         "(3), 5 (a,b)"},
        {"process=int", "there is no thread \"process=int\"; threads are 4 (init), 5 (init), 1 "
                        "(com.shop), 2 (com.shop), 3 (com.shop)"},
        {"workr-2",
         "there is no thread \"workr-2\"; threads are 3 (worker-2), 2 (worker-1), 1 (main), 4 "
         "(3), 5 (a,b)"},
        {"main,", "there is no thread \"\"; threads are 1 (main), 2 (worker-1), 3 (worker-2), 4 "
                  "(3), 5 (a,b)"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_find(*state, true, cases[i][0], cases[i][1]);
    }
    fixture *f = *state;
    ts_idset none = {0};
    assert_ok(f->ctx, ts_threads_find(&none, f->model, text("-")));
    assert_true(none.no_id && none.count == 0 && !none.all);
    ts_idset_free(f->ctx, &none);
}

static void test_whens(void **state)
{
    static const struct {
        const char *typed;
        ts_when_kind kind;
        int64_t ns;
    } good[] = {{"+2.5s", TS_WHEN_AFTER_BEGIN, 2500000000},
                {"+90ms", TS_WHEN_AFTER_BEGIN, 90000000},
                {"+1m30s", TS_WHEN_AFTER_BEGIN, 90000000000},
                {"+1h1m1s1ms1us1ns", TS_WHEN_AFTER_BEGIN, 3661001001001},
                {"+7", TS_WHEN_AFTER_BEGIN, 7000000000},
                {"-1s", TS_WHEN_BEFORE_END, 1000000000},
                {"-1", TS_WHEN_NS, -1},
                {"1750000010000000000", TS_WHEN_NS, 1750000010000000000},
                {"10:05", TS_WHEN_CLOCK, 10 * HOUR + 5 * HOUR / 60},
                {"10:05:11.25", TS_WHEN_CLOCK, 10 * HOUR + 5 * HOUR / 60 + 11250000000},
                {"2022-01-08", TS_WHEN_DATE, 19000 * DAY},
                {"2022-01-08T01:00+01:00", TS_WHEN_DATE, 19000 * DAY}};
    static const char *const bad[] = {"",      "+",    "-",          "+1s2m",
                                      "+1s1s", "+1s1", "+1x",        "10:5",
                                      "25:00", "1e3",  "2022-13-01", "99999999999999999999",
                                      "+1 s"};
    ts_when when;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        if (!ts_when_parse(&when, good[i].typed) || when.kind != good[i].kind ||
            when.ns != good[i].ns) {
            fail_msg("\"%s\"", good[i].typed);
        }
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (ts_when_parse(&when, bad[i])) {
            fail_msg("\"%s\" was taken for a time", bad[i]);
        }
    }
}

static void check_span(fixture *f, const char *source, const char *from, const char *until,
                       int64_t expected_from, int64_t expected_to)
{
    ts_select s;
    const ts_wanted wanted = {.source = source, .from = from, .until = until};
    assert_ok(f->ctx, ts_select_make(&s, f->model, &wanted));
    assert_true(s.span.from == expected_from && s.span.to == expected_to);
    ts_select_free(f->ctx, &s);
}

static void test_spans(void **state)
{
    fixture *f = *state;
    const int64_t second = 1000000000;
    check_span(f, NULL, NULL, NULL, INT64_MIN, INT64_MAX);
    check_span(f, NULL, "+1s", "-1s", BEGIN + second, BEGIN + 29 * second);
    check_span(f, "b.jfr", "+1s", NULL, BEGIN + 11 * second, INT64_MAX);
    check_span(f, "a.jfr", "-1s", NULL, BEGIN + 4 * second, INT64_MAX);
    check_span(f, NULL, "10:00:10", "2022-01-08T10:00:20Z", BEGIN + 10 * second,
               BEGIN + 20 * second);
    check_span(f, NULL, "7", "9", 7, 9);
    static const char *const bad[][3] = {
        {"x", NULL,
         "bad value for --from: \"x\" is not a time: write ns, 2019-09-05T07:44:26Z, or +2.5s "
         "from the beginning"},
        {NULL, "11:00", "bad value for --until: \"11:00\" is not in the recording"},
        {"9", "9", "--from is not before --until"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ts_select s;
        const ts_wanted wanted = {.from = bad[i][0], .until = bad[i][1]};
        assert_int_equal(ts_select_make(&s, f->model, &wanted), TS_ERR_USAGE);
        assert_string_equal(f->ctx->error.causes[0], bad[i][2]);
        ts_select_free(f->ctx, &s);
    }
}

/* Rows of a clock that is related to realtime, of one that is not, and of two clocks. */
static void test_clocks(void **state)
{
    fixture *f = *state;
    const ts_wanted wanted = {.from = "2022-01-08T10:00:00Z"};
    ts_select s;
    run(f->db, "UPDATE source SET clock = 'boottime' WHERE clock IS NOT NULL");
    assert_int_equal(ts_select_make(&s, f->model, &wanted), TS_ERR_USAGE);
    ts_select_free(f->ctx, &s);
    run(f->db, "INSERT INTO clock_snapshot(id, clock_name, ts) VALUES (0, 'monotonic', 3), "
               "(1, 'boottime', 500), (2, 'realtime', 1641636000000000000), (3, 'boottime', 700)");
    check_span(f, NULL, "2022-01-08T10:00:00Z", NULL, 500, INT64_MAX);
    run(f->db, "UPDATE source SET clock = 'realtime' WHERE id = 2");
    ts_model_close(f->model);
    assert_ok(f->ctx, ts_model_open(&f->model, f->ctx));
    ts_model_read(f->model, &(ts_rows_from){.ctx = f->ctx, .db = f->db});
    assert_int_equal(ts_select_make(&s, f->model, &wanted), TS_ERR_USAGE);
    ts_select_free(f->ctx, &s);
    check_span(f, "2", "2022-01-08T10:00:00Z", NULL, BEGIN, INT64_MAX);
}

static void insert_labels(fixture *f)
{
    run(f->db, "INSERT INTO stack_sample_label(sample_id, key, value) VALUES (1, 'worker', 'w0'), "
               "(2, 'worker', 'w1'), (2, 'kind', NULL), (4, 'a=b', 'c')");
}

static void test_labels(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *label;
        bool has[5]; /* by id of the sample */
    } rows[] = {
        {"worker=w0", {0, 1, 0, 0, 0}}, {"worker=w1", {0, 0, 1, 0, 0}},
        {"worker=w?", {0, 1, 1, 0, 0}}, {"worker", {0, 1, 1, 0, 0}},
        {"kind", {0, 0, 1, 0, 0}},      {"kind=", {0, 0, 1, 0, 0}},
        {"a=b", {0, 0, 0, 0, 1}},       {"a=b=c", {0, 0, 0, 0, 1}},
        {"*=*[01c]", {0, 1, 1, 0, 1}},
    };
    ts_select s;
    insert_labels(f);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const ts_wanted wanted = {.label = rows[i].label};
        assert_ok(f->ctx, ts_select_make(&s, f->model, &wanted));
        for (int64_t id = 0; id < 5; id++) {
            assert_int_equal(ts_select_label(&s, false, id), rows[i].has[id]);
            assert_false(ts_select_label(&s, true, id));
        }
        ts_select_free(f->ctx, &s);
    }
    assert_ok(f->ctx, ts_select_make(&s, f->model, &(ts_wanted){0}));
    assert_true(ts_select_label(&s, false, 3) && ts_select_label(&s, true, 3));
    ts_select_free(f->ctx, &s);
    assert_int_equal(ts_select_make(&s, f->model, &(ts_wanted){.label = "worker=v0"}),
                     TS_ERR_USAGE);
    assert_string_equal(f->ctx->error.causes[0],
                        "there is no label \"worker=v0\"; labels are worker=w0, "
                        "worker=w1, kind=, a=b=c");
    ts_select_free(f->ctx, &s);
}

static void test_memory(void **state)
{
    fixture *f = *state;
    const ts_wanted wanted = {.source = "b.jfr",
                              .thread = "worker-*,pid=71",
                              .from = "+1s",
                              .until = "10:00:30",
                              .label = "worker=w*"};
    bool failed = true;
    insert_labels(f);
    for (uint64_t nth = 1; failed; nth++) {
        test_failing failing = {.fail_at = nth};
        ts_ctx ctx = *f->ctx;
        ts_model *m = NULL;
        ts_select s = {0};
        ctx.allocator = test_failing_allocator(&failing);
        ts_code code = ts_model_open(&m, &ctx);
        if (code == TS_OK) {
            ts_model_read(m, &(ts_rows_from){.ctx = &ctx, .db = f->db});
            code = ts_select_make(&s, m, &wanted);
        }
        failed = failing.calls >= failing.fail_at;
        assert_int_equal(code, failed ? TS_ERR_NOMEM : TS_OK);
        assert_true(failed || s.threads.count == 4);
        ts_select_free(&ctx, &s);
        ts_model_close(m);
        assert_true(ctx.memory_used == f->ctx->memory_used);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_glob),
        cmocka_unit_test(test_glob_time),
        cmocka_unit_test(test_whens),
        cmocka_unit_test_setup_teardown(test_sources, setup, teardown),
        cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_spans, setup, teardown),
        cmocka_unit_test_setup_teardown(test_clocks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_labels, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

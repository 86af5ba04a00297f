/*
 * The Flare protocol over a database that was made by hand: what real recordings do not have (ids
 * beyond 2^53, stacks of thousands of frames, threads without series, damaged rows), and failing
 * memory. The other commands and values: test/serve/flare_commands.py.
 */
#include "support.h"

#include "flare_rows.h"

#include "serve/flare/flare.h"
#include "serve/flare/flare_data.h"

#include <sqlite3.h>
#include <unistd.h>

typedef struct fixture {
    ts_ctx *base;
    ts_ctx *ctx;
    ts_flare_hub *hub;
    char path[64];
    char *reply; /* the last one */
    unsigned replies;
    ts_code refuse; /* what replies are answered with */
} fixture;

static ts_code open_database(ts_sandbox *out, void *user, ts_ctx *ctx, unsigned database)
{
    int rc;
    (void)database;
    return ts_sandbox_open(out, &rc, ctx, ((fixture *)user)->path);
}

static ts_code open_directory(ts_sandbox *out, void *user, ts_ctx *ctx, const char *path)
{
    return strstr(path, "/good") != NULL ? open_database(out, user, ctx, 0)
                                         : ts_fail(ctx, TS_ERR_FORMAT, "nothing in %s", path);
}

static void begin(fixture *f, const char *sql)
{
    sqlite3 *db;
    memset(f, 0, sizeof *f);
    strcpy(f->path, "/tmp/serve-flare-XXXXXX");
    close(mkstemp(f->path));
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, flare_schema, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, flare_rows, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    f->base = test_ctx_new();
    f->ctx = test_ctx_new();
}

static ts_code start(fixture *f)
{
    const ts_flare_hub_options options = {.hooks = {f, open_database, open_directory},
                                          .databases = 1};
    return ts_flare_hub_new(&f->hub, f->base, &options);
}

static void end(fixture *f)
{
    ts_flare_hub_free(f->hub);
    test_ctx_free(f->ctx);
    test_ctx_free(f->base);
    unlink(f->path);
    free(f->reply);
}

static ts_code keep(void *user, const char *text, size_t n)
{
    fixture *f = user;
    free(f->reply);
    f->reply = strndup(text, n);
    f->replies++;
    return f->refuse;
}

static const char *ask(fixture *f, const char *text)
{
    f->replies = 0;
    assert_ok(f->ctx, ts_flare_hub_handle(f->hub, f->ctx, NULL, text, strlen(text), keep, f));
    assert_true(f->replies > 0);
    return f->reply;
}

static void expect(fixture *f, const char *request, const char *part)
{
    const char *got = ask(f, request);
    if (strstr(got, part) == NULL) {
        fail_msg("%s\nhas no %s", got, part);
    }
}

#define IN(cmd, more) "{\"cmd\":\"" cmd "\",\"options\":{\"session_id\":\"one\"" more "}}"
#define OPEN(name) "{\"cmd\":\"open_sample\",\"options\":{\"sample_data_dir\":\"" name "\"}}"

/* --- names, NULL, ids ------------------------------------------------------------------------ */

static void test_names(void **state)
{
    fixture f;
    (void)state;
    begin(&f, "");
    assert_ok(f.base, start(&f));
    expect(&f, "{\"cmd\":\"history_samples\"}",
           "[{\"path\":\"one\",\"type\":\"file\"},{\"path\":\"one#2\",\"type\":\"file\"}]");
    expect(&f, OPEN("one"), "\"session_id\":\"one\"");
    expect(&f, OPEN("x/one"), "sample data dir not found");
    expect(&f, OPEN("one#2"), "\"session_id\":\"one#2\"");
    expect(&f, "{\"cmd\":\"dashboard\",\"options\":{\"session_id\":\"one#2\"}}", "\"threads\":[]}");
    /* One reply with an empty list, where the original says nothing. */
    expect(&f,
           "{\"cmd\":\"cpu_time\",\"options\":{\"session_id\":\"one#2\",\"thread_ids\":[],"
           "\"unit_time_ms\":20}}",
           "\"thread_cpu_times\":[]");
    assert_int_equal(f.replies, 1);
    expect(&f, "{\"cmd\":\"attach_jvm\",\"options\":{\"target_pid\":1}}",
           "not supported: recordings only");
    expect(&f, "{\"cmd\":\"connect_agent\",\"options\":{\"agent_addr\":\"localhost:1\"}}",
           "not supported: recordings only");
    end(&f);
}

/* What is NULL in the tables is 0, "" or false in replies; ids beyond 2^53 - 1 are ours, negative.
 */
static void test_nulls(void **state)
{
    fixture f;
    (void)state;
    begin(&f, "");
    assert_ok(f.base, start(&f));
    ask(&f, OPEN("one"));
    expect(&f, IN("dashboard", ""),
           "\"sample_info\":{\"sample_interval\":20,\"sample_start_time\":1000,"
           "\"record_start_time\":1000,\"last_record_time\":1100,\"agent_addr\":\"a:1\","
           "\"sample_data_dir\":\"one\"}");
    expect(&f, IN("dashboard", ""),
           "{\"id\":7,\"name\":\"seven\",\"priority\":0,\"daemon\":false,\"state\":\"\","
           "\"cpu_time\":0,\"cpu_time_delta\":0,\"sample_time\":0,\"sample_count\":5,"
           "\"stacktrace\":[],");
    expect(
        &f, IN("dashboard", ""),
        "{\"id\":8,\"name\":\"\",\"priority\":0,\"daemon\":false,\"state\":\"\",\"cpu_time\":9,");
    assert_null(strstr(f.reply, "null"));
    /* A method whose name is its id has no label but that. */
    expect(&f, IN("list_methods_by_filter", ""),
           "\"total_method_size\":2,\"method_infos\":[{\"method_id\":-1,\"full_name\":\"C.far()\"},"
           "{\"method_id\":5,\"full_name\":\"near()\"}]");
    expect(&f, IN("search_slow_method_calls", ",\"method_ids\":[-1],\"min_duration\":20"),
           "\"call_stack\":[{\"method_id\":-1,\"full_name\":\"C.far()\"");
    end(&f);
}

static void test_series(void **state)
{
    fixture f;
    (void)state;
    begin(&f, "");
    assert_ok(f.base, start(&f));
    ask(&f, OPEN("one"));
    /* Thread 8 has no series: it is left out, and no failure. */
    expect(&f, IN("cpu_time", ",\"thread_ids\":[8,7,99],\"unit_time_ms\":20"),
           "\"thread_cpu_times\":[{\"id\":7,\"start_time\":1000,\"end_time\":1080,"
           "\"unit_time_ms\":20,\"total_cpu_time\":500,\"steps\":5,\"ts_data\":[0,500,0,0,0]}]");
    expect(&f, IN("cpu_time", ",\"thread_ids\":[7],\"unit_time_ms\":20,\"start_time\":5000"),
           "\"steps\":1,\"ts_data\":[0]");
    expect(&f, IN("cpu_time", ",\"thread_ids\":[7],\"start_time\":1e300"),
           "\"steps\":5"); /* not an integer: the default */
    expect(&f, IN("cpu_time", ",\"thread_ids\":[7],\"unit_time_ms\":9223372036854775807"),
           "\"ts_data\":[500]");
    end(&f);
}

/* Damaged rows: nodes without an end, times that are not there. */
static void test_trees(void **state)
{
    fixture f;
    (void)state;
    begin(&f, "");
    assert_ok(f.base, start(&f));
    ask(&f, OPEN("one"));
    expect(&f, IN("sequenced_call_tree", ",\"thread_id\":7"),
           "\"label\":\"root\",\"calls\":4,\"cpu\":0,\"duration\":80,");
    expect(&f, IN("sequenced_call_tree", ",\"thread_id\":8,\"start_time\":50000"),
           "\"label\":\"root\",\"calls\":0,");
    expect(&f, IN("call_tree", ",\"thread_ids\":[8,99]"), "\"label\":\"CallStack\"");
    expect(&f, IN("flame_graph", ",\"thread_id\":7,\"stats_type\":\"no\""),
           "invalid stats_type: no");
    expect(&f, IN("flame_graph", ",\"thread_id\":8,\"start_time\":50000"),
           "create flame graph failed:");
    expect(&f, IN("flame_graph", ",\"thread_id\":7,\"image_width\":-3"), "\"image_width\":900");
    end(&f);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

/* Trees end at 5000 levels; the last label says how many frames are left out. */
static void test_deep_stack(void **state)
{
    fixture f;
    (void)state;
    begin(&f, "WITH RECURSIVE n(i) AS (SELECT 1001 UNION ALL SELECT i+1 FROM n WHERE i < 8000)"
              "INSERT INTO stack_node SELECT i, 1, CASE WHEN i > 1001 THEN i-1 END, 2 FROM n;"
              "UPDATE stack_sample SET node_id = 8000 WHERE id = 1;"
              "UPDATE stack_sample SET node_id = 7000 WHERE id = 2;");
    assert_ok(f.base, start(&f));
    ask(&f, OPEN("one"));
    expect(&f, IN("sequenced_call_tree", ",\"thread_id\":7"),
           "\"label\":\"near() (+2000 frames)\",\"calls\":2,");
    assert_int_equal(count(f.reply, "\"label\":\"near()\""), 4999);
    expect(&f, IN("call_tree", ",\"thread_ids\":[7]"), "near() (+2000 frames)");
    end(&f);
}

/* More than 500 000 nodes are a failure that says how many. */
static void test_large_range(void **state)
{
    fixture f;
    (void)state;
    begin(&f, "WITH RECURSIVE n(i) AS (SELECT 1001 UNION ALL SELECT i+1 FROM n WHERE i < 5000)"
              "INSERT INTO stack_node SELECT i, 1, CASE WHEN i > 1001 THEN i-1 END, 2 FROM n;"
              /* 200 records with an empty stack between each two */
              "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < 400)"
              "INSERT INTO stack_sample SELECT 100+i, 1, 1, 2000000000+i*20000000,"
              " CASE WHEN i % 2 THEN 1 ELSE 5000 END FROM n;");
    assert_ok(f.base, start(&f));
    ask(&f, OPEN("one"));
    expect(&f, IN("sequenced_call_tree", ",\"thread_id\":7"), "range too large: 8");
    expect(&f, IN("flame_graph", ",\"thread_id\":7"), "range too large: 8");
    expect(&f, IN("call_tree", ",\"thread_ids\":[7]"), "\"result\":\"success\"");
    end(&f);
}

/* --- what cannot be read ---------------------------------------------------------------------- */

static void test_damaged(void **state)
{
    static const char *const all[] = {"DROP TABLE flare_stack",      "DROP TABLE stack_node",
                                      "DROP TABLE timeseries_value", "DROP TABLE flare_thread",
                                      "DROP TABLE source_property",  "DROP TABLE stack_sample"};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        fixture f;
        begin(&f, all[i]);
        assert_ok(f.base, start(&f));
        ask(&f, OPEN("one"));
        ask(&f, IN("dashboard", ""));
        assert_non_null(strstr(f.reply, "\"result\":\"failure\""));
        expect(&f, "{\"cmd\":\"list_sessions\"}", "\"result\":\"success\"");
        end(&f);
    }
}

/* Ids at the ends of their range. */
static void test_far_ids(void **state)
{
    fixture f;
    (void)state;
    begin(&f, "INSERT INTO stack_node VALUES(9223372036854775807,1,NULL,1);");
    assert_ok(f.base, start(&f));
    expect(&f, OPEN("one"), "ids of one source are too far apart");
    expect(&f, "{\"cmd\":\"list_sessions\"}", "[]");
    end(&f);
    begin(&f, "UPDATE stack_sample SET ts = -9223372036854775807 WHERE id = 2;"
              "UPDATE stack_sample SET ts = 9223372036854775807 WHERE id = 4;"
              "UPDATE flare_stack SET step = 9223372036854775807, cpu_time = -9223372036854775807 "
              "WHERE sample_id = 2; UPDATE timeseries SET interval = 1000000;"
              "UPDATE flare_thread SET series_ts = -9223372036854775807, series_end_ts = "
              "9223372036854775807 WHERE itid = 1;"
              "UPDATE source SET start_ts = -9223372036854775807, end_ts = 9223372036854775807;");
    assert_ok(f.base, start(&f));
    ask(&f, OPEN("one"));
    ask(&f, IN("dashboard", ""));
    ask(&f, IN("cpu_time", ",\"thread_ids\":[],\"legacy\":true"));
    ask(&f, IN("cpu_ts", ",\"thread_ids\":[7],\"unit_time_ms\":-9223372036854775807"));
    ask(&f, IN("call_tree", ",\"thread_ids\":[],\"start_time\":-9223372036854775807"));
    ask(&f, IN("sequenced_call_tree", ",\"thread_id\":7,\"end_time\":9223372036854775807"));
    ask(&f, IN("search_slow_method_calls", ",\"method_ids\":[5],\"min_duration\":0"));
    end(&f);
}

/* --- failing memory, a client that goes ------------------------------------------------------- */

static const char *const requests[] = {
    OPEN("one"),
    "{\"cmd\":\"history_samples\"}",
    "{\"cmd\":\"list_sessions\"}",
    IN("dashboard", ""),
    IN("cpu_time", ",\"thread_ids\":[],\"unit_time_ms\":20"),
    IN("cpu_ts", ",\"thread_ids\":[7]"),
    IN("sequenced_call_tree", ",\"thread_id\":7"),
    IN("call_tree", ",\"thread_ids\":[7,8]"),
    IN("flame_graph", ",\"thread_id\":7"),
    IN("list_methods_by_filter", ",\"method_name_filter\":\"a\""),
    IN("search_slow_method_calls", ",\"method_ids\":[5,-1],\"min_duration\":1"),
    IN("nothing", ",\"x\":[{\"a\":[1]},\"b\"],\"y\":1.5,\"z\":true"),
    IN("close_session", ""),
};

static void test_no_memory(void **state)
{
    uint64_t at = 0;
    uint64_t calls = 1;
    fixture f;
    (void)state;
    begin(&f, "");
    while (at < calls) {
        test_failing failing = {.fail_at = ++at};
        f.base->allocator = test_failing_allocator(&failing);
        f.ctx->allocator = f.base->allocator;
        if (start(&f) == TS_OK) {
            for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
                ts_code code = ts_flare_hub_handle(f.hub, f.ctx, NULL, requests[i],
                                                   strlen(requests[i]), keep, &f);
                if (code != TS_OK && code != TS_ERR_NOMEM) {
                    fail_msg("%s at %llu: code %d, %s", requests[i], (unsigned long long)at,
                             (int)code, f.ctx->error.causes[0]);
                }
            }
        }
        ts_flare_hub_free(f.hub);
        f.hub = NULL;
        calls = failing.calls >= at ? at + 1 : at; /* until none fails any more */
    }
    assert_true(at > 100);
    end(&f);
}

/* After a reply that the client did not take nothing more is sent. */
static void test_refused(void **state)
{
    fixture f;
    (void)state;
    begin(&f, "");
    assert_ok(f.base, start(&f));
    ask(&f, OPEN("one"));
    f.refuse = TS_ERR_INTERRUPTED;
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        f.replies = 0;
        assert_int_equal(
            ts_flare_hub_handle(f.hub, f.ctx, NULL, requests[i], strlen(requests[i]), keep, &f),
            TS_ERR_INTERRUPTED);
        assert_int_equal(f.replies, 1);
    }
    end(&f);
}

/* --- what is kept in memory ------------------------------------------------------------------- */

/* Beyond the limit the thread that was not asked for the longest is dropped, and read again. */
static void test_dropped(void **state)
{
    fixture f;
    ts_sandbox sandbox = {0};
    fp_data data;
    fp_thread *seven;
    fp_thread *eight;
    int rc;
    (void)state;
    begin(&f, "");
    assert_ok(f.ctx, ts_sandbox_open(&sandbox, &rc, f.ctx, f.path));
    assert_ok(f.ctx, fp_data_open(&data, f.ctx, sandbox.db, 1));
    assert_int_equal(data.loaded_max, 256 << 20);
    data.loaded_max = 1;
    seven = fp_data_thread(&data, 7);
    eight = fp_data_thread(&data, 8);
    assert_null(fp_data_thread(&data, 9));
    assert_ok(f.ctx, fp_data_records(&data, seven));
    assert_ok(f.ctx, fp_data_slots(&data, seven));
    assert_int_equal(seven->records.n, 5);
    assert_int_equal(seven->slots.n, 2); /* a text is not a number, so it is 0 */
    assert_ok(f.ctx, fp_data_records(&data, eight));
    assert_false(seven->loaded_records);
    assert_int_equal(seven->records.n, 0);
    assert_int_equal(eight->records.n, 2);
    assert_ok(f.ctx, fp_data_records(&data, seven));
    assert_int_equal(seven->records.n, 5);
    assert_false(eight->loaded_records);
    assert_int_equal(((const fp_record *)seven->records.p)[1].cpu, 5000);
    assert_int_equal(data.loaded, seven->records.cap * sizeof(fp_record));
    fp_data_close(&data);
    ts_sandbox_close(&sandbox);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),      cmocka_unit_test(test_nulls),
        cmocka_unit_test(test_series),     cmocka_unit_test(test_trees),
        cmocka_unit_test(test_deep_stack), cmocka_unit_test(test_large_range),
        cmocka_unit_test(test_damaged),    cmocka_unit_test(test_far_ids),
        cmocka_unit_test(test_dropped),    cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

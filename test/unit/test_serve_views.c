/* The views of the server: parameters, times and places of rows against plain computations, kept
 * memory, and what happens when memory, rows or the database fail. */
#include "support.h"

#include "serve/views/views_private.h"
#include "serve_tables.h"

typedef struct fixture {
    ts_ctx *ctx;
    sqlite3 *db;
    ts_view_db *views;
} fixture;

/* Two threads, three call paths, a heap of three nodes, and a few of everything else. */
static const char rows_sql[] =
    "INSERT INTO trace_range VALUES (1000, 2000);"
    "INSERT INTO source(id, path, format) VALUES (1, 'a.jfr', 'cpuprofile'), (2, 'b.jfr', NULL);"
    "INSERT INTO thread(id, itid, tid, name) VALUES (0, 0, 0, NULL), (1, 1, 11, 'main'), "
    " (2, 2, 12, 'io');"
    "INSERT INTO stack_method(id, source_id, name) VALUES (1, 1, 'main'), (2, 1, 'work'), "
    "  (3, 1, '(idle)');"
    "INSERT INTO stack_node(id, source_id, parent_id, method_id, depth) VALUES (1, 1, NULL, 1, 0), "
    "  (2, 1, 1, 2, 1), (3, 1, NULL, 3, 0);"
    "INSERT INTO stack_sample(id, source_id, itid, ts, dur, node_id, event) VALUES "
    "  (1, 1, 1, 1000, 10, 2, 'cpu'), (2, 1, 1, 1010, 20, 1, 'cpu'), (3, 1, 2, 1000, 100, 3, "
    "'cpu'), "
    "  (4, 1, 1, 1030, NULL, 2, 'cpu'), (5, 1, 2, 1100, 7, NULL, 'cpu');"
    "INSERT INTO stack_value_type VALUES (1, 1, 'cpu', 'ns'), (2, 1, 'alloc', 'bytes');"
    "INSERT INTO stack_sample_value VALUES (1, 1, 9), (2, 1, 8), (2, 2, 9223372036854775807), "
    "  (1, 2, 9223372036854775807), (3, 2, 1);"
    "INSERT INTO stack_slice(id, source_id, itid, parent_id, node_id, ts, dur, self_dur, depth) "
    "  VALUES (1, 1, 1, NULL, 1, 1000, 50, 20, 0), (2, 1, 1, 1, 2, 1010, 30, 30, 1);"
    "INSERT INTO timeseries VALUES (1, 1, 1, 'load', '%', NULL);"
    "INSERT INTO timeseries_value VALUES (1, 1000, 1.5), (1, 1001, 2.5);"
    "INSERT INTO callstack(id, ts, dur, callid, depth, name, cookie, parent_id) VALUES "
    "  (0, 1000, 40, 2, 0, 'draw', NULL, NULL), (1, 1010, 10, 2, 1, 'paint', NULL, 0), "
    "  (2, 1500, NULL, 2, 0, 'wait', NULL, NULL), (3, 1000, 900, 2, 0, 'load', 7, NULL);"
    "INSERT INTO measure_filter(id, type, name, source_arg_set_id) VALUES "
    "  (3, 'cpu_measure_filter', 'speed', 1);"
    "INSERT INTO measure(ts, value, filter_id) VALUES (1000, 5, 3), (1400, 8, 3);"
    "INSERT INTO instant(ts, name) VALUES (1100, 'wakeup');"
    "INSERT INTO cloud_call(id, ts, dur) VALUES (1, 1000, 1000), (2, 1999, 999);"
    "INSERT INTO js_heap_files(id, file_name) VALUES (0, 'Snapshot0');"
    "INSERT INTO js_heap_file_detail(file_id, source_id, node_stride, first_info_rowid, "
    "  node_type_count, first_edge_type_rowid, edge_type_count, first_node_rowid, node_count, "
    "  first_edge_rowid, edge_count, first_string_rowid, string_count, first_class_rowid, "
    "  class_count, complete) VALUES (0, 1, 7, 1, 2, 3, 2, 1, 3, 1, 3, 1, 2, 1, 2, 1);"
    "INSERT INTO js_heap_files(id, file_name) VALUES (1, 'without the first node of the other');"
    "INSERT INTO js_heap_file_detail(file_id, source_id, node_stride, first_info_rowid, "
    "  node_type_count, first_edge_type_rowid, edge_type_count, first_node_rowid, node_count, "
    "  first_edge_rowid, edge_count, first_string_rowid, string_count, first_class_rowid, "
    "  class_count, complete) VALUES (1, 1, 7, 1, 2, 3, 2, 2, 2, 3, 1, 1, 2, 1, 2, 1);"
    "INSERT INTO js_heap_info VALUES (0, 'node_types', 0, -1, 'object'), "
    "  (0, 'node_types', 0, -1, 'string'), (0, 'edge_types', 0, -1, 'property'), "
    "  (0, 'edge_types', 0, -1, 'weak');"
    "INSERT INTO js_heap_string VALUES (0, 0, 'A'), (0, 1, 'x');"
    "INSERT INTO js_heap_class VALUES (0, 0, 0, 2, 30), (0, 1, NULL, 1, 5);"
    "INSERT INTO js_heap_nodes VALUES (0, 0, 0, 0, 1, 10, 2, 0, 0, NULL), (0, 1, 0, 0, 3, 20, 1, "
    "0, 2, NULL), "
    "  (0, 2, 1, 1, 5, 5, 0, 0, 0, NULL);"
    "INSERT INTO js_heap_edges VALUES (0, 0, 0, 1, 7, 1, 3), (0, 1, 1, 1, 14, 1, 5), "
    "  (0, 2, 0, 1, 14, 3, 5);"
    "INSERT INTO js_heap_sample VALUES (0, 0, 3), (0, 50, 9);";

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->ctx = test_ctx_new();
    f->db = serve_database();
    serve_run(f->db, rows_sql);
    assert_ok(f->ctx, ts_view_db_open(&f->views, f->ctx, &(ts_view_db_options){0}));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    ts_view_db_close(f->views);
    assert_int_equal(sqlite3_close(f->db), SQLITE_OK);
    test_ctx_free(f->ctx);
    free(f);
    return 0;
}

static void expect(fixture *f, const char *request, const char *part)
{
    serve_reply r = {0};
    serve_ask(&r, f->ctx, f->views, f->db, NULL, request);
    if (r.code != TS_OK) {
        fail_msg("%s: %s", request, ts_view_db_ctx(f->views)->error.causes[0]);
    }
    assert_true(serve_reply_is_json(&r));
    assert_ok(f->ctx, ts_buf_putc(f->ctx, &r.text, '\0'));
    if (strstr(r.text.p, part) == NULL) {
        fail_msg("%s gave %s without %s", request, r.text.p, part);
    }
    serve_reply_free(&r);
}

static void expect_error(fixture *f, const char *request, ts_code code, const char *part)
{
    serve_reply r = {0};
    serve_ask(&r, f->ctx, f->views, f->db, NULL, request);
    const ts_error *e = &ts_view_db_ctx(f->views)->error;
    if (r.code != code || e->count == 0 || strstr(e->causes[0], part) == NULL) {
        fail_msg("%s gave code %d: %s", request, (int)r.code, e->count == 0 ? "" : e->causes[0]);
    }
    serve_reply_free(&r);
}

/* Ids of call paths, as test/model/paths.py computes them. */
#define IDLE "69e041c476d3e88d"
#define MAIN "44e0d154dc81fc1c"
#define MAIN_WORK "5b9976bf872bfe69"
#define WORK "bd1025261b0fa3c6"
#define WORK_MAIN "78ba1341e4cbd8c2" /* upside down */

static void test_paths(void **state)
{
    fixture *f = *state;
    static const char *const joins[] = {"none", "lines", "methods"};
    char request[100];
    for (unsigned i = 0; i < 3; i++) {
        (void)snprintf(request, sizeof request, "flame?kind=sample&weight=dur&join=%s", joins[i]);
        expect(f, request,
               "\"path\":[\"" IDLE "\",\"" MAIN "\",\"" MAIN_WORK "\"],\"unstable\":[]");
        (void)snprintf(request, sizeof request,
                       "flame?kind=sample&weight=dur&root=" MAIN_WORK "&join=%s", joins[i]);
        expect(f, request, "\"id\":[2],\"parent\":[-1],");
        expect(f, request, "\"path\":[\"" MAIN_WORK "\"]");
    }
    /* A path that does not weigh anything is one all the same. */
    expect(f, "flame?kind=sample&weight=dur&thr=1&root=" IDLE, "\"total\":0,\"count\":0,\"id\":[]");
    expect(f, "flame?kind=sample&weight=dur&before_to=5&root=" MAIN_WORK,
           "\"path\":[\"" MAIN_WORK "\"]");
    expect(f, "flame?kind=sample&weight=dur&order=callers",
           "\"path\":[\"" IDLE "\",\"" MAIN "\",\"" WORK "\",\"" WORK_MAIN "\"],\"unstable\":[]");
    expect(f, "flame?kind=sample&weight=dur&order=callers&root=" WORK_MAIN,
           "\"id\":[1],\"leaf\":[2],\"parent\":[-1],\"path\":[\"" WORK_MAIN "\"]");
    expect(f, "flame?kind=sample&weight=dur&order=callers&root=1&leaf=2",
           "\"path\":[\"" WORK_MAIN "\"]");
    expect(f, "flame?kind=sample&weight=dur&order=callers&hide=work&root=" MAIN, "\"totals\":[30]");
    expect(f, "flame?kind=sample&weight=dur&focus=2", "\"path\":[\"" WORK "\",\"" WORK_MAIN "\"]");
    expect_error(f, "flame?root=0123456789abcdef", TS_ERR_USAGE,
                 "no call path has the id 0123456789abcdef");
    expect_error(f, "flame?order=callers&root=" MAIN_WORK, TS_ERR_USAGE, "no call path has");
    expect_error(f, "flame?root=0123456789abcde", TS_ERR_USAGE, "'root' is not an integer");
    /* The same method of another source: apart unless methods are joined. */
    serve_run(f->db,
              "INSERT INTO stack_method(id, source_id, name) VALUES (4, 2, 'main');"
              "INSERT INTO stack_node(id, source_id, parent_id, method_id, line, depth) "
              "VALUES (4, 2, NULL, 4, NULL, 0);"
              "INSERT INTO stack_sample(id, source_id, itid, ts, dur, node_id, event) VALUES "
              " (6, 2, 1, 1050, 1, 4, 'cpu');");
    ts_view_db_close(f->views);
    assert_ok(f->ctx, ts_view_db_open(&f->views, f->ctx, &(ts_view_db_options){0}));
    expect(f, "flame?kind=sample&weight=dur",
           "\"path\":[\"" IDLE "\",\"" MAIN "\",\"" MAIN_WORK
           "\",\"44e0d154dc81fc1d\"],\"unstable\":[3]");
    expect(f, "flame?kind=sample&weight=dur&join=methods",
           "\"path\":[\"" IDLE "\",\"" MAIN "\",\"" MAIN_WORK "\"],\"unstable\":[]");
    expect(f, "flame?kind=sample&weight=dur&root=4", "\"path\":[\"" MAIN "\"]");
}

static void test_replies(void **state)
{
    fixture *f = *state;
    expect(f, "flame?kind=sample&weight=dur",
           "\"total\":130,\"count\":3,\"id\":[3,1,2],\"parent\":[-1,-1,1]");
    expect(f, "flame?kind=sample&weight=dur",
           "\"self\":[100,20,10],\"totals\":[100,30,10],\"counts\":[1,1,1]");
    expect(f, "flame?kind=sample&weight=dur", "\"no_stack\":{\"total\":7,\"count\":1}");
    expect(f, "flame?kind=sample&weight=dur&from=5&to=15",
           "\"id\":[1,2,3],"); /* equal ones by id */
    expect(f, "flame?kind=sample&weight=dur&from=5&to=15", "\"self\":[5,5,10]");
    expect(f, "flame?kind=sample&weight=samples&thr=1", "\"id\":[1,2],\"parent\":[-1,0]");
    expect(f, "flame?kind=sample&weight=samples&thr=1", "\"counts\":[1,2]");
    expect(f, "flame?weight=cpu", "\"total\":17");
    expect(f, "flame?weight=value&value=alloc",
           "\"totals\":[9223372036854775807,9223372036854775807,1]");
    expect(f, "flame?weight=value&value=alloc", "\"capped\":true");
    expect(f, "flame?kind=slice", "\"self\":[20,30]");
    /* (idle); work called by main; main */
    expect(f, "flame?kind=sample&weight=dur&order=callers",
           "\"id\":[3,1,2,1],\"leaf\":[3,1,2,2],\"parent\":[-1,-1,-1,2]");
    expect(f, "flame?kind=sample&weight=dur&order=callers",
           "\"self\":[100,20,0,10],\"totals\":[100,20,10,10],\"counts\":[1,1,0,1]");
    expect(f, "flame?kind=sample&weight=dur&order=callers&limit=2",
           "\"rest\":{\"parent\":[-1],\"n\":[1],\"total\":[10]}");
    expect(f, "flame?kind=sample&weight=dur&order=callers&limit=3",
           "\"rest\":{\"parent\":[2],\"n\":[1],\"total\":[10]}");
    expect(f, "flame?kind=sample&weight=dur&order=callers&root=1&leaf=2",
           "\"id\":[1],\"leaf\":[2],\"parent\":[-1]");
    expect(f, "flame?kind=sample&weight=dur&order=callers&root=2&hide=main",
           "\"self\":[10],\"totals\":[10]");
    expect(f, "flame?kind=sample&weight=dur&order=callers&hide=work",
           "\"totals\":[100,30],\"counts\":[1,2]");
    expect(f, "flame?kind=sample&weight=dur&order=callers&only=nothing",
           "\"total\":0,\"count\":0,\"id\":[]");
    expect_error(f, "flame?order=callers&root=2&leaf=1", TS_ERR_USAGE, "does not call");
    expect_error(f, "flame?leaf=1", TS_ERR_USAGE, "'leaf' needs order=callers");
    expect_error(f, "flame?order=callers&focus=1", TS_ERR_USAGE,
                 "'focus' cannot be given with order=callers");
    expect(f, "flame?kind=sample&weight=dur&limit=1",
           "\"rest\":{\"parent\":[-1],\"n\":[1],\"total\":[30]}");
    expect(f, "methods?kind=sample&weight=dur",
           "\"self\":[20,10],\"total\":[30,10]"); /* (idle) is left out */
    expect(f, "threads?px=0", "\"count\":3,\"dur\":30,");
    expect(f, "threads?px=0", "\"count\":2,\"dur\":107,");
    /* Of an unknown format nothing says what the threads did until the scheduler does. */
    serve_run(f->db, "UPDATE source SET format = NULL");
    ts_view_db_close(f->views);
    assert_ok(f->ctx, ts_view_db_open(&f->views, f->ctx, &(ts_view_db_options){0}));
    expect(f, "threads?px=0", "\"busy_dur\":null,\"cpu_from\":\"\",\"estimated\":false,");
    serve_run(f->db, "INSERT INTO thread_state(id, ts, dur, itid, state) VALUES "
                     "(0, 1000, 20, 1, 'Running'), (1, 1020, 7, 1, 'S'), (2, 1000, 9, 3, 'R'), "
                     "(3, 1009, 2, 3, 'Running')");
    ts_view_db_close(f->views);
    assert_ok(f->ctx, ts_view_db_open(&f->views, f->ctx, &(ts_view_db_options){0}));
    expect(f, "threads?px=0",
           "\"busy_dur\":20,\"cpu_from\":\"scheduling\",\"estimated\":false,"
           "\"waiting\":{\"sleep\":7},\"wait_dur\":7,\"paused\":0,\"unknown\":973,"
           "\"length\":1000");
    expect(f, "threads?px=0",
           "\"kind\":\"sched\",\"busy_dur\":2,\"cpu_from\":\"scheduling\",\"estimated\":false,"
           "\"waiting\":{\"runnable\":9}");
    expect(f, "threads?px=0", "\"thread\":\"io\"");
    expect(f, "slices?thr=1&from=0&to=1000&px=10", "\"x\":[0,0],\"depth\":[0,1],\"n\":[1,1]");
    expect(f, "slices?thr=1&from=0&to=1000&px=25", "\"ts\":[0],\"dur\":[50],\"depth\":[0]");
    expect(f, "slices?thr=2&from=0&to=1000&px=50", "\"id\":[0,2],\"ts\":[0,500],\"dur\":[40,500]");
    expect(f, "slices?thr=2&from=0&to=1000&px=50", "\"name\":[0,1],");
    expect(f, "slices?thr=2&from=0&to=1000&px=50", "\"names\":[\"draw\",\"wait\"]");
    expect(f, "slices?thr=2&from=0&to=1000&px=50", "\"x\":[0],\"depth\":[1],\"n\":[1]");
    expect(f, "series?from=0&to=10&px=1", "\"rows\":[[0,1.5,2.5,2.0]]");
    expect(f, "series?from=0&to=1000&px=1",
           "\"itid\":null,\"ipid\":null,\"name\":\"speed\",\"unit\":null,\"table\":\"measure\","
           "\"owner\":\"CPU 1\","
           "\"before\":null,\"rows\":[[0,5.0,8.0,6.5]]");
    expect(f, "series?from=300&to=390&px=1", "\"owner\":\"CPU 1\",\"before\":5.0,\"rows\":[]");
    expect(f, "lanes?kind=slice&px=2&from=0&to=1000",
           "\"step\":500,\"columns\":2,\"lanes\":[{\"kind\":\"slice\",\"source_id\":null,"
           "\"itid\":2,\"async\":false,\"rows\":3,\"open\":1,");
    expect(f, "lanes?kind=slice&px=2&from=0&to=1000", "\"n\":[2,1],\"busy\":[40,500]");
    expect(f, "lanes?kind=slice&px=2&from=0&to=1000", "\"async\":true,\"rows\":1,");
    expect(f, "lanes?kind=counter&px=1&from=0&to=1000",
           "\"n\":[2],\"least\":[5.0],\"greatest\":[8.0],\"mean\":[6.5],\"last\":[8.0]");
    expect(f, "lanes?kind=instant", "\"name\":\"wakeup\",\"rows\":1,\"open\":0,");
    expect(f, "rows?kind=instant&from=0&to=1000",
           "\"columns\":[\"id\",\"ts\",\"name\",\"itid\",\"wakeup_from\"]");
    expect_error(f, "rows?kind=slice&from=0&to=1", TS_ERR_USAGE, "");
    expect(f, "lanes?thr=1&kind=sample",
           "\"all\":{\"n\":[3],\"busy\":[30],\"idle\":[0],\"waiting\":[0]}");
    expect(f, "rows?kind=sample&thr=1&from=0&to=1000", "\"rows\":[[1,0,10,1,\"cpu\",2,0]");
    expect(f, "rows?kind=sample&thr=1&from=0&to=1000", "\"name\":[\"work\",\"main\"]");
    expect(f, "rows?kind=async&from=0&to=1000", "\"rows\":[[4,0,900,2,\"load\",7]");
    expect(f, "slices/names", "[\"draw\",false,1,40,30,40]");
    expect(f, "slices/names", "[\"load\",true,1,900,null,900]");
    expect(f, "slices/names?from=5&to=20",
           "\"rows\":[[\"paint\",false,1,10,10,10]\n],\"row_count\":1");
    expect(f, "slices/names?thr=1", "\"row_count\":0");
    expect(f, "find?what=paint", "{\"count\":1,\"open\":0,\"dur\":10,\"self\":10,");
    expect(f, "find", "{\"count\":5,\"open\":1,\"dur\":130,\"self\":90,\"async\":{\"count\":1,");
    expect(f, "find?thr=1", "{\"count\":2,\"open\":0,\"dur\":80,\"self\":50,");
    expect(f, "find?what=a&at=0&id=1", "\"next\":{\"table\":\"callstack\",\"id\":3,");
    expect_error(f, "find?what=/(/", TS_ERR_USAGE, "");
    expect(f, "chart?thr=1", "\"depth\":[1,0],\"ts\":[0,0],\"dur\":[10,30],\"node\":[2,1]");
    expect(f, "calls/scatter", "\"x\":[0,999],\"y\":[30,29],\"n\":[1,1],\"any_id\":[1,2]");
}

/* More threads on one call path than its list of sums holds: thread t has t samples of 1 ns. */
static void test_many_threads(void **state)
{
    fixture *f = *state;
    serve_run(f->db,
              "DELETE FROM stack_sample;"
              "WITH RECURSIVE t(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM t WHERE i < 100), "
              "  k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 100) "
              "INSERT INTO stack_sample(source_id, itid, ts, dur, node_id, event) "
              "  SELECT 1, t.i, 1000 + k.i, 1, 2, 'cpu' FROM k, t WHERE k.i <= t.i;");
    expect(f, "flame?kind=sample&weight=dur", "\"total\":5050,\"count\":5050");
    expect(f, "flame?kind=sample&weight=dur&thr=8", "\"self\":[0,8]");
    expect(f, "flame?kind=sample&weight=dur&thr=9", "\"self\":[0,9]");
    expect(f, "flame?kind=sample&weight=dur&thr=100", "\"counts\":[0,100]");
    expect(f, "flame?kind=sample&weight=dur&thr=1,2,99", "\"totals\":[102,102]");
}

static void test_heap_replies(void **state)
{
    fixture *f = *state;
    expect(f, "heap/classes", "[[\"A\",2,30,0],[\"(string)\",1,5,1]]");
    expect(f, "heap/classes?sort=class&filter=STR", "[[\"(string)\",1,5,1]]");
    expect(f, "heap/objects?class=0", "[[3,\"object\",\"A\",20,1,1],[1,\"object\",\"A\",10,2,0]]");
    expect(f, "heap/edges?node=0", "[0,\"property\",\"x\",3,\"object\",\"A\",20,1,1],[1,\"weak\"");
    expect(f, "heap/retainers?node=2",
           "[[1,\"weak\",\"x\",1,\"object\",\"A\",10,2,0],[2,\"property\"");
    /* not by the weak reference */
    expect(f, "heap/path?node=2", "\"found\":true,\"distance\":2");
    expect(f, "heap/path?node=2&k=1", "\"found\":false");
    expect(f, "heap/detached", "[[3,\"A\",20,1,\"object\",1]]");
    expect(f, "heap/allocations", "[[0,2,30,0,3],[50,1,5,3,9]]");
    expect(f, "heap/diff?file=0&base=0", "[\"(string)\",1,1,0,5,5,0]");
    expect(f, "heap/diff?file=0&base=1&by=ids", "\"rows\":[[\"A\",1,0,1,10,0,10,1]]");
    expect(f, "heap/diff?file=1&base=0&by=ids", "\"rows\":[[\"A\",0,1,-1,0,10,-10,1]]");
    expect(f, "heap/diff?file=1&base=0&by=ids", "\"row_count\":1,\"comparable\":true");
    expect(f, "heap/diff?file=1&base=0&by=ids&filter=str", "\"rows\":[],\"row_count\":0");
    expect_error(f, "heap/path?node=3", TS_ERR_USAGE, "no node 3");
    expect_error(f, "heap/dominated?node=0", TS_ERR_USAGE, "was not analysed");
    expect_error(f, "heap/edges?node=0&file=4", TS_ERR_USAGE, "no heap file 4");
}

static void test_parameters(void **state)
{
    fixture *f = *state;
    expect_error(f, "flame?colour=1", TS_ERR_USAGE, "unknown parameter 'colour'");
    expect_error(f, "flame?limit=0", TS_ERR_USAGE, "'limit' is not between 1 and 1000000");
    expect_error(f, "flame?limit=5x", TS_ERR_USAGE, "'limit' is not an integer");
    expect_error(f, "flame?limit=", TS_ERR_USAGE, "not an integer");
    expect_error(f, "flame?from=9223372036854775808", TS_ERR_USAGE, "not an integer");
    expect_error(f, "flame?from=--1", TS_ERR_USAGE, "not an integer");
    expect_error(f, "flame?limit=1&limit=1", TS_ERR_USAGE, "given twice");
    expect_error(f, "flame?thr=1,,2", TS_ERR_USAGE, "not an integer");
    expect_error(f, "flame?thr=1,", TS_ERR_USAGE, "not an integer");
    expect(f, "flame?kind=sample&weight=dur&src=a.jfr&thr=main", "\"totals\":[30,10]");
    expect(f, "flame?kind=sample&weight=dur&thr=tid=11", "\"totals\":[30,10]");
    expect(f, "flame?kind=sample&weight=dur&src=1&thr=m*,io", "\"totals\":[100,30,10]");
    expect(f, "flame?kind=sample&weight=dur&src=b.jfr", "\"total\":0,");
    expect_error(f, "flame?thr=mian", TS_ERR_USAGE,
                 "there is no thread \"mian\"; threads are 1 (main), 2 (io)");
    expect_error(f, "flame?src=c.jfr", TS_ERR_USAGE, "sources are 1 (a.jfr), 2 (b.jfr)");
    expect_error(f, "flame?kind=samples", TS_ERR_USAGE, "not one of sample,slice");
    expect_error(f, "flame?weight=value", TS_ERR_USAGE, "needs the parameter 'value'");
    expect_error(f, "flame?weight=value&value=x", TS_ERR_USAGE,
                 "no value is called \"x\"; there are cpu, alloc");
    expect(f, "flame?kind=slice&weight=self", "\"weight\":\"dur\"");
    expect(f, "flame?kind=slice&weight=cpu", "\"total\":0,");
    expect(f, "flame", "\"weight\":\"cpu\",\"unit\":\"ns\",\"all\":{\"total\":17,");
    expect(f, "flame?kind=slice", "\"weight\":\"wall\",\"unit\":\"ns\",\"all\":{\"total\":50,");
    expect(f, "flame?weight=waiting:idle", "\"all\":{\"total\":100,\"count\":1},");
    expect(f, "flame?kind=sample&weight=dur&idle=without", "\"total\":130,\"count\":3}");
    expect(f, "flame?kind=sample&weight=dur&idle=without", "\"id\":[1,2],");
    expect(f, "weights", "\"weight\":\"cpu\",\"unit\":\"ns\",\"kind\":\"sample\",\"total\":17,");
    expect(f, "weights?kind=slice", "\"kind\":\"slice\",\"total\":50,\"weights\":[");
    expect(f, "weights", "{\"name\":\"alloc\",\"unit\":\"bytes\"}");
    expect_error(f, "flame?root=99", TS_ERR_USAGE, "no node 99");
    expect_error(f, "slices?thr=1", TS_ERR_USAGE, "'from' is missing");
    expect_error(f, "chart", TS_ERR_USAGE, "choose one thread");
    expect(f, "flame?kind=sample&weight=dur&from=-9223372036854775808&to=9223372036854775807",
           "\"total\":130");
    assert_null(ts_endpoint_find("flames"));
    for (const ts_endpoint *e = ts_endpoints; e->path != NULL; e++) {
        unsigned n = 0;
        while (e->params[n].name != NULL) {
            const ts_view_param *p = &e->params[n++];
            assert_true(p->doc != NULL && p->least <= p->default_value);
            assert_true(p->type != TS_VIEW_CHOICE || p->choices != NULL);
        }
        assert_true(n <= TS_VIEW_PARAMS);
    }
}

/* --- what makes no sense ---------------------------------------------------------------------- */

static void with_rows(fixture *f, const char *sql, const char *request, ts_code code,
                      const char *part)
{
    serve_run(f->db, "SAVEPOINT s");
    serve_run(f->db, sql);
    ts_view_db_close(f->views);
    assert_ok(f->ctx, ts_view_db_open(&f->views, f->ctx, &(ts_view_db_options){0}));
    if (code == TS_OK) {
        expect(f, request, part);
    } else {
        expect_error(f, request, code, part);
    }
    serve_run(f->db, "ROLLBACK TO s; RELEASE s");
}

static void test_senseless(void **state)
{
    fixture *f = *state;
    with_rows(f, "UPDATE stack_node SET parent_id = 2 WHERE id = 1", "flame", TS_ERR_INPUT,
              "the caller of node 1 does not come before it");
    with_rows(f, "UPDATE stack_node SET parent_id = 2 WHERE id = 2", "methods", TS_ERR_INPUT,
              "does not come before it");
    with_rows(f, "UPDATE stack_sample SET node_id = 77", "flame", TS_ERR_INPUT, "no call path 77");
    with_rows(f, "UPDATE stack_sample SET ts = 'soon'", "timeline", TS_ERR_INPUT,
              "not of its column's type");
    with_rows(f, "UPDATE stack_sample SET ts = 1e3", "flame?from=0", TS_ERR_INPUT,
              "not of its column's type");
    with_rows(f, "DROP TABLE stack_slice", "threads", TS_ERR_INPUT, "no such table");
    with_rows(f, "UPDATE stack_slice SET depth = -1", "slices?thr=1&from=0&to=9000&px=1",
              TS_ERR_INPUT, "impossible depth");
    with_rows(f, "UPDATE stack_sample SET ts = 9223372036854775807", "timeline?px=4", TS_OK,
              "\"columns\":");
    with_rows(f, "UPDATE stack_sample SET ts = -9223372036854775807 WHERE id = 1", "timeline?px=1",
              TS_OK, "\"columns\":2");
    with_rows(f, "UPDATE stack_sample SET dur = 9223372036854775807 WHERE itid = 1",
              "flame?kind=sample&weight=dur&thr=1", TS_OK, "\"capped\":true");
    with_rows(f, "UPDATE js_heap_nodes SET edge_count = 4000000000", "heap/edges?node=0",
              TS_ERR_INPUT, "damaged");
    with_rows(f, "UPDATE js_heap_nodes SET edge_count = NULL", "heap/retainers?node=0",
              TS_ERR_INPUT, "damaged");
    with_rows(f, "UPDATE js_heap_file_detail SET node_count = 4000000000", "heap/path?node=9",
              TS_ERR_INPUT, "damaged");
    with_rows(f, "UPDATE js_heap_file_detail SET node_count = -1", "heap/path?node=0", TS_ERR_INPUT,
              "impossible places");
    with_rows(f, "UPDATE js_heap_file_detail SET node_type_count = 1000000", "heap/classes",
              TS_ERR_INPUT, "too many types");
    with_rows(f, "UPDATE js_heap_edges SET to_node = 8", "heap/edges?node=0", TS_OK,
              "[0,\"property\",\"x\",null,null,null,null,null,null]");
    with_rows(f, "UPDATE js_heap_edges SET to_node = 0", "heap/path?node=2", TS_OK,
              "\"found\":false,\"distance\":null");
    with_rows(f, "UPDATE js_heap_sample SET last_assigned_id = -1", "heap/allocations",
              TS_ERR_INPUT, "do not rise");
    with_rows(f,
              "INSERT INTO js_heap_analysis(file_id, first_retained_rowid, first_dominated_rowid) "
              "VALUES (0, 1, 1);"
              "INSERT INTO js_heap_retained(tree_position, tree_count) VALUES (0, 3), (1, 0), "
              "(2, 1); INSERT INTO js_heap_dominated VALUES (0, 0), (0, 1), (0, 2)",
              "heap/dominated?node=0", TS_ERR_INPUT, "the tree of dominators is damaged");
}

/* --- memory, guard, output -------------------------------------------------------------------- */

/* Each allocation fails once: the view fails with that, gives all memory back, and works then. */
static void test_no_memory(void **state)
{
    fixture *f = *state;
    test_failing failing = {0};
    for (unsigned i = 0; i < SERVE_REQUESTS; i++) {
        bool failed = true;
        for (uint64_t nth = 1; failed; nth++) {
            ts_view_db *views = NULL;
            ts_ctx base = *f->ctx;
            serve_reply r = {0};
            failing = (test_failing){0};
            base.allocator = test_failing_allocator(&failing);
            assert_ok(&base, ts_view_db_open(&views, &base, &(ts_view_db_options){0}));
            failing.fail_at = failing.calls + nth;
            serve_ask(&r, f->ctx, views, f->db, NULL, serve_requests[i]);
            failed = failing.calls >= failing.fail_at;
            assert_true(!failed || r.code == TS_ERR_NOMEM);
            serve_reply_free(&r);
            if (failed && nth % 7 == 1) {
                failing.fail_at = 0;
                r = (serve_reply){0};
                serve_ask(&r, f->ctx, views, f->db, NULL, serve_requests[i]);
                assert_int_not_equal(r.code, TS_ERR_NOMEM);
                serve_reply_free(&r);
            }
            ts_view_db_close(views);
        }
    }
}

/* What was kept for other views goes when there is too little room. */
static void test_limit(void **state)
{
    fixture *f = *state;
    uint64_t need = 0;
    for (uint64_t kept = 0; kept < 2; kept++) {
        ts_view_db *views = NULL;
        const ts_view_db_options options = {.max_memory = need};
        assert_ok(f->ctx, ts_view_db_open(&views, f->ctx, &options));
        serve_reply r = {0};
        serve_ask(&r, f->ctx, views, f->db, NULL, "heap/path?node=2");
        assert_int_equal(r.code, TS_OK);
        serve_reply_free(&r);
        r = (serve_reply){0};
        serve_ask(&r, f->ctx, views, f->db, NULL, "timeline?px=100");
        assert_int_equal(r.code, TS_OK);
        assert_true(kept == 0 || ts_view_db_memory(views) <= need);
        serve_reply_free(&r);
        need = ts_view_db_ctx(views)->memory_peak - 1;
        ts_view_db_close(views);
    }
    ts_view_db *views = NULL;
    serve_reply r = {0};
    assert_ok(f->ctx, ts_view_db_open(&views, f->ctx, &(ts_view_db_options){.max_memory = 20000}));
    serve_ask(&r, f->ctx, views, f->db, NULL, "timeline?px=100");
    assert_int_equal(r.code, TS_ERR_LIMIT);
    serve_reply_free(&r);
    ts_view_db_close(views);
}

static void test_guard(void **state)
{
    fixture *f = *state;
    atomic_bool stop;
    atomic_init(&stop, true);
    for (unsigned i = 0; i < SERVE_REQUESTS; i++) {
        ts_view_db *views = NULL;
        ts_guard guard = {.fd = -1, .stop = &stop};
        serve_reply r = {0};
        assert_ok(f->ctx, ts_view_db_open(&views, f->ctx, &(ts_view_db_options){0}));
        serve_ask(&r, f->ctx, views, f->db, &guard, serve_requests[i]);
        if (strncmp(serve_requests[i], "series", 6) != 0 &&
            strncmp(serve_requests[i], "heap/", 5) != 0) { /* whose statements ask it themselves */
            assert_true(r.code == TS_ERR_INTERRUPTED || r.code == TS_ERR_USAGE);
        }
        serve_reply_free(&r);
        ts_view_db_close(views);
    }
}

static void test_output_refused(void **state)
{
    fixture *f = *state;
    for (unsigned i = 0; i < SERVE_REQUESTS; i++) {
        serve_reply r = {.room = 1};
        serve_ask(&r, f->ctx, f->views, f->db, NULL, serve_requests[i]);
        assert_true(r.code == TS_ERR_OUTPUT || r.code == TS_ERR_USAGE);
        serve_reply_free(&r);
    }
}

/* --- places of rows ------------------------------------------------------------------ */

static void test_ids(void **state)
{
    fixture *f = *state;
    ts_ids ids = {0};
    for (int64_t id = 1; id <= 5000; id++) {
        assert_ok(f->ctx, ts_ids_add(f->ctx, &ids, id <= 2000 ? id : 3 * id));
    }
    for (int64_t id = -3; id < 15100; id++) {
        bool there = (id >= 1 && id <= 2000) || (id > 6000 && id <= 15000 && id % 3 == 0);
        uint32_t place = ts_ids_find(&ids, id);
        assert_int_equal(place != TS_NO_INDEX, there);
        assert_true(!there || ts_ids_at(&ids, place) == id);
    }
    ts_ids_free(f->ctx, &ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_paths, setup, teardown),
        cmocka_unit_test_setup_teardown(test_replies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_heap_replies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parameters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_senseless, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_guard, setup, teardown),
        cmocka_unit_test_setup_teardown(test_output_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ids, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The analysis of markers: rows by hand of callstack and frame_slice, and what they become. What
 * whole recordings become is compared with a model in test/tools/ftrace.py. */
#include "tables_files.h"

#include "analysis/analysis.h"
#include "tables/rows.h"

typedef struct made {
    const fixture *f;
    char *path;
    ts_db *db;
    ts_store *store;
    ts_reader *reader;
    int64_t source;
    ts_code code; /* of the first step that failed */
} made;

static ts_analysis_set markers(void)
{
    unsigned i = 0;
    while (strcmp(ts_analyses[i]->name, "markers") != 0) {
        i++;
    }
    return UINT64_C(1) << i;
}

static void made_begin(made *m, const fixture *f)
{
    *m = (made){.f = f, .path = path_of(f, "made.db")};
    test_write_file(m->path, "", 0);
    assert_ok(f->ctx, ts_db_create(&m->db, f->ctx, m->path));
    assert_ok(f->ctx, ts_store_new(&m->store, f->ctx, ts_db_sink(m->db), NULL));
    assert_ok(f->ctx, ts_source_add(&m->source, m->store, 0, "input", "a.ftrace", "ftrace-text"));
}

/* Runs the analysis and ends the database. */
static void made_end(made *m)
{
    ts_ctx *ctx = m->f->ctx;
    assert_ok(ctx, ts_db_reader(&m->reader, m->db));
    assert_ok(ctx, ts_analysis_run(ctx, m->reader, m->store, markers(), NULL));
    ts_reader_free(m->reader);
    m->reader = NULL;
    assert_ok(ctx, ts_store_finish(m->store));
    assert_ok(ctx, ts_db_finish(m->db, false, NULL));
}

static void made_free(made *m)
{
    ts_reader_free(m->reader);
    ts_store_free(m->store);
    ts_db_close(m->db);
    unlink(m->path);
    free(m->path);
}

/* A main thread. */
static int64_t thread_of(made *m, int64_t pid, const char *name)
{
    int64_t ipid = 0;
    int64_t itid = 0;
    ts_ctx *ctx = m->f->ctx;
    assert_ok(ctx, ts_process(&ipid, m->store, m->source, pid));
    assert_ok(ctx, ts_thread(&itid, m->store, m->source, pid, ipid, "os"));
    assert_ok(ctx, ts_thread_name(m->store, itid, ts_text_of(name)));
    return itid;
}

/* A call; dur -1: open; cookie -1: no asynchronous one. */
static int64_t call_at(made *m, int64_t itid, int64_t ts, int64_t dur, int64_t cookie,
                       const char *name)
{
    ts_sink *sink = ts_db_sink(m->db);
    ts_row_callstack row = {.id = (int64_t)ts_sink_rows(sink, TS_T_callstack),
                            .ts = ts,
                            .dur = dur,
                            .callid = itid,
                            .name = ts_text_of(name),
                            .cookie = cookie,
                            .child_callid = itid};
    row.null |= dur < 0 ? TS_NULL_BIT(callstack, dur) : 0;
    row.null |=
        cookie < 0 ? TS_NULL_BIT(callstack, cookie) | TS_NULL_BIT(callstack, child_callid) : 0;
    assert_ok(m->f->ctx, ts_put_callstack(sink, &row));
    return row.id;
}

static void frame_at(made *m, int64_t itid, int64_t ts, int64_t dur, int64_t type, int64_t dst)
{
    ts_sink *sink = ts_db_sink(m->db);
    ts_row_frame_slice row = {.id = (int64_t)ts_sink_rows(sink, TS_T_frame_slice),
                              .ts = ts,
                              .dur = dur,
                              .type = type,
                              .dst = dst,
                              .itid = itid,
                              .ipid = ts_thread_row(m->store, itid)->ipid};
    row.null |= dst < 0 ? TS_NULL_BIT(frame_slice, dst) : 0;
    row.null |= dur < 0 ? TS_NULL_BIT(frame_slice, dur) : 0;
    assert_ok(m->f->ctx, ts_put_frame_slice(sink, &row));
}

/* All rows of a statement: columns divided by |, rows by a blank. */
static void check_answer(const made *m, const char *sql, const char *want)
{
    char got[4096] = "";
    size_t n = 0;
    sqlite3 *db = NULL;
    sqlite3_stmt *st = NULL;
    assert_int_equal(sqlite3_open(m->path, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    while (sqlite3_step(st) == SQLITE_ROW && n < sizeof got) {
        for (int i = 0; i < sqlite3_column_count(st); i++) {
            const char *cell = (const char *)sqlite3_column_text(st, i);
            n += (size_t)snprintf(got + n, n < sizeof got ? sizeof got - n : 0, "%s%s",
                                  i > 0   ? "|"
                                  : n > 0 ? " "
                                          : "",
                                  cell == NULL ? "-" : cell);
        }
    }
    sqlite3_finalize(st);
    sqlite3_close(db);
    assert_string_equal(got, want);
}

#define ATTACH                                                                                     \
    "H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication(const pid_t, const "   \
    "sptr<OHOS::AppExecFwk::IAppScheduler> &)##"
#define LAUNCH                                                                                     \
    "H:void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const "                              \
    "std::shared_ptr<AbilityLocalRecord> &)##"
#define STARTED "H:OHOS::ErrCode OHOS::AAFwk::AbilityManagerClient::StartUIAbilityBySCB"
#define LOADED "H:virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility"
#define DONE "H:void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction"

static const char phases[] =
    "SELECT start_name, call_id, ipid, tid, start_time, end_time, packed_name FROM app_startup "
    "ORDER BY id";

/* --- app_startup --------------------------------------------------------------------------- */

static void test_startup(void **state)
{
    made m;
    made_begin(&m, *state);
    int64_t home = thread_of(&m, 70, "launcher");
    int64_t shop = thread_of(&m, 80, "shop");
    int64_t draw = thread_of(&m, 90, "render_service");
    call_at(&m, home, 1, 1, -1, "H:client dispatch touchId:4");
    call_at(&m, home, 5, 1, -1, "H:client dispatch touchId:5"); /* the last one counts */
    call_at(&m, home, 10, 1, -1, STARTED "(x)");
    call_at(&m, home, 20, 1, -1, LOADED "(x)");
    call_at(&m, home, 30, 1, -1, ATTACH "com.shop##x");
    call_at(&m, home, 32, 1, -1, ATTACH "com.never##x"); /* does not reach phase 4 */
    call_at(&m, shop, 40, 9, -1, LAUNCH "com.shop##");
    call_at(&m, shop, 50, 1, -1, DONE "(x)##com.shop##");
    call_at(&m, shop, 55, 1, -1, DONE "(x)##com.shop##"); /* the first one counts */
    frame_at(&m, shop, 35, 3, 0, -1);                     /* before phase 4 */
    frame_at(&m, shop, 60, 4, 0, 3);
    frame_at(&m, shop, 59, 4, 1, 3); /* what was expected */
    frame_at(&m, draw, 76, -1, 0, -1);
    made_end(&m);
    check_answer(&m, phases,
                 "0|1|1|70|5|10|com.shop 1|1|1|70|10|20|com.shop 2|1|1|70|20|30|com.shop "
                 "3|1|1|70|30|40|com.shop 4|2|2|80|40|50|com.shop 5|2|2|80|50|60|com.shop "
                 "6|2|2|80|60|64|com.shop 7|3|3|90|76|-|com.shop");
    made_free(&m);
}

/* Two starts of a process at one time: rows in the order of callstack, with the same frame. */
static void test_startup_at_once(void **state)
{
    made m;
    made_begin(&m, *state);
    int64_t shop = thread_of(&m, 80, "shop");
    call_at(&m, shop, 40, 9, -1, LAUNCH "com.b##");
    call_at(&m, shop, 40, 8, -1, LAUNCH "com.a##");
    frame_at(&m, shop, 60, 4, 0, -1);
    made_end(&m);
    check_answer(&m, phases,
                 "4|1|1|80|40|-|com.b 6|1|1|80|60|64|com.b 4|1|1|80|40|-|com.a "
                 "6|1|1|80|60|64|com.a");
    made_free(&m);
}

/* Phases that are missing, a second start in the same process, phases that go back. */
static void test_startup_parts(void **state)
{
    made m;
    made_begin(&m, *state);
    int64_t home = thread_of(&m, 70, "launcher");
    int64_t shop = thread_of(&m, 80, "shop");
    call_at(&m, shop, 5, 1, -1, DONE); /* of no start */
    call_at(&m, home, 10, 1, -1, STARTED);
    call_at(&m, shop, 40, 9, -1, LAUNCH "com.shop"); /* without phases 2 and 3 */
    call_at(&m, home, 60, 1, -1, LOADED);
    call_at(&m, home, 55, 1, -1, ATTACH "com.shop##");
    call_at(&m, shop, 70, 1, -1, LAUNCH "com.shop##");
    call_at(&m, shop, 80, 1, 3, LAUNCH "com.other##"); /* asynchronous: not one */
    frame_at(&m, shop, 100, 4, 0, 77);                 /* the frame that shows it is not there */
    made_end(&m);
    check_answer(&m, phases,
                 "1|1|1|70|10|-|com.shop 4|2|2|80|40|-|com.shop 6|2|2|80|100|104|com.shop "
                 "2|1|1|70|60|-|com.shop 3|1|1|70|55|70|com.shop 4|2|2|80|70|-|com.shop "
                 "6|2|2|80|100|104|com.shop");
    made_free(&m);
}

/* What is pending in one recording is none of the next one's. */
static void test_startup_of_two(void **state)
{
    made m;
    made_begin(&m, *state);
    int64_t home = thread_of(&m, 70, "launcher");
    call_at(&m, home, 5, 1, -1, "H:client dispatch touchId:5");
    call_at(&m, home, 10, 1, -1, ATTACH "com.shop##");
    assert_ok(m.f->ctx, ts_source_add(&m.source, m.store, 0, "input", "b.ftrace", "ftrace-text"));
    int64_t shop = thread_of(&m, 70, "shop");
    call_at(&m, shop, 40, 9, -1, LAUNCH "com.shop##");
    made_end(&m);
    check_answer(&m, phases, "4|2|2|70|40|-|com.shop");
    made_free(&m);
}

/* --- the others ---------------------------------------------------------------------------- */

static void test_libraries(void **state)
{
    made m;
    made_begin(&m, *state);
    int64_t a = thread_of(&m, 70, "a");
    int64_t b = thread_of(&m, 80, "b");
    call_at(&m, a, 10, 10, -1, "H:dlopen: /lib/libshop.so");
    call_at(&m, a, 12, 3, -1, "dlopen: libinner.so");
    call_at(&m, b, 12, -1, -1, "H:dlopen:x"); /* another process; blocks its lane */
    call_at(&m, a, 15, 1, -1, "H:dlopen:y");  /* the lane of one that ends just then is not free */
    call_at(&m, a, 21, 1, -1, "H:dlopen:z");
    call_at(&m, b, 30, 1, -1, "H:dlopen:z");
    call_at(&m, a, 40, 1, -1, "H:dlopen");
    made_end(&m);
    check_answer(&m,
                 "SELECT ipid, tid, call_id, start_time, end_time, so_name, depth FROM "
                 "static_initalize ORDER BY id",
                 "1|70|1|10|20|H:dlopen: /lib/libshop.so|0 1|70|1|12|15|dlopen: libinner.so|1 "
                 "2|80|2|12|-|H:dlopen:x|0 1|70|1|15|16|H:dlopen:y|2 1|70|1|21|22|H:dlopen:z|0 "
                 "2|80|2|30|31|H:dlopen:z|1");
    made_free(&m);
}

/* A name that does not fit into what a scan has at hand is whole in the table. */
static void test_long_name(void **state)
{
    enum { LONG = 200000 };
    made m;
    made_begin(&m, *state);
    int64_t a = thread_of(&m, 70, "a");
    char *name = malloc(LONG + 1);
    assert_non_null(name);
    memset(name, 'x', LONG);
    memcpy(name, "H:dlopen:", 9);
    name[LONG] = '\0';
    call_at(&m, a, 1, 1, -1, name);
    free(name);
    made_end(&m);
    check_answer(&m, "SELECT length(so_name), so_name LIKE 'H:dlopen:xxx%x' FROM static_initalize",
                 "200000|1");
    check_answer(&m, "SELECT count(*) FROM static_initalize JOIN callstack ON name = so_name", "1");
    made_free(&m);
}

static void test_tasks(void **state)
{
    made m;
    made_begin(&m, *state);
    int64_t a = thread_of(&m, 70, "a");
    int64_t b = thread_of(&m, 80, "b");
    call_at(&m, a, 1, 1, -1, "H:Task Allocation: taskId : 9, priority : 1, executeState : 2");
    call_at(&m, a, 2, 1, -1, "H:Task Allocation: executeId : 3, priority : 0");
    call_at(&m, b, 3, 1, -1, "H:Task Perform: taskId : 9"); /* of another process */
    call_at(&m, a, 4, 1, -1, "H:Task Perform: executeId : 3|M62");
    call_at(&m, a, 5, 1, -1, "H:Task Perform: taskId : 3"); /* the second one */
    call_at(&m, a, 6, 1, -1, "H:Task PerformTask End: taskId : 3, performResult : Successful|M62");
    call_at(&m, b, 7, 1, -1, "H:Task PerformTask End: taskId : 9, performResult : Failed");
    call_at(&m, b, 8, 1, -1, "H:Task PerformTask End: taskId : x");
    call_at(&m, b, 8, 1, 5, "H:Task PerformTask End: taskId : 5"); /* asynchronous */
    made_end(&m);
    check_answer(&m,
                 "SELECT allocation_task_row, execute_task_row, return_task_row, allocation_itid, "
                 "execute_itid, return_itid, task_id, priority, execute_state, return_state, "
                 "timeout_row FROM task_pool ORDER BY id",
                 "0|-|-|1|-|-|9|1|2|-|- 1|3|5|1|1|1|3|0|-|0|- -|2|6|-|2|2|9|-|-|1|-");
    made_free(&m);
}

static void test_animations(void **state)
{
    made m;
    made_begin(&m, *state);
    int64_t app = thread_of(&m, 70, "app");
    int64_t draw = thread_of(&m, 90, "RSUniRenderThre");
    call_at(&m, draw, 1, 4, -1, "H:Repaint"); /* ends at 5 */
    call_at(&m, draw, 5, 20, 1, "H:LAUNCHER_APP_LAUNCH_FROM_ICON, com.shop, 1234");
    call_at(&m, draw, 6, 3, -1, "H:Repaint");
    call_at(&m, app, 7, 20, 1, "H:APP_LIST_FLING, x, 5"); /* no thread that draws */
    call_at(&m, draw, 8, 40, 2, "H:APP_LIST_FLING, x, soon");
    call_at(&m, draw, 20, 6, -1, "H:Repaint"); /* ends behind the first one */
    call_at(&m, draw, 30, 1, -1, "H:RSJankStats::RecordAnimationDynamicFrameRate is 90.5: x");
    call_at(&m, draw, 31, 1, -1, "H:RSJankStats::RecordAnimationDynamicFrameRate: 60, 12");
    call_at(&m, draw, 40, -1, 3, "H:APP_TRANSITION_TO_OTHER_APP");
    call_at(&m, draw, 41, 5, -1, "H:APP_TRANSITION_TO_OTHER_APP"); /* not asynchronous */
    made_end(&m);
    check_answer(&m, "SELECT input_time, start_point, end_point, frame_info, name FROM animation",
                 "1234000000|5|25|2:0|H:LAUNCHER_APP_LAUNCH_FROM_ICON, com.shop, 1234 "
                 "-|8|48|0:60|H:APP_LIST_FLING, x, soon -|40|-|-|H:APP_TRANSITION_TO_OTHER_APP");
    made_free(&m);
}

/* Clocks of the recording: boottime 1 s, realtime 11 s. Those of a second one are not known. */
static void test_input_time(void **state)
{
    made m;
    const ts_clock_set clocks = {
        .at = {[TS_CLOCK_BOOTTIME] = 1000000000, [TS_CLOCK_REALTIME] = 11000000000}};
    made_begin(&m, *state);
    for (unsigned i = 0; i < 2; i++) {
        assert_ok(m.f->ctx,
                  ts_source_add(&m.source, m.store, 0, "input", i == 0 ? "b" : "c", "htrace"));
        assert_ok(m.f->ctx, ts_clock_snapshot(m.store, &clocks));
        int64_t draw = thread_of(&m, 90, "render_service");
        call_at(&m, draw, 5, 20, 1, "H:APP_LIST_FLING, com.shop, 12000, 5");
    }
    made_end(&m);
    check_answer(&m, "SELECT input_time FROM animation", "2000000000 -");
    made_free(&m);
}

static void test_windows(void **state)
{
    made m;
    made_begin(&m, *state);
    int64_t draw = thread_of(&m, 90, "render_service");
    call_at(&m, draw, 1, 4, -1, "H:RSUniRender::Process:[SCBDesktop2] (0, 0, 1260, 2720) Alpha: 1");
    call_at(&m, draw, 2, 4, -1, "H:RSUniRender::Process:[SCBDesktop3] (0, 0, 1, 2) Alpha: 1");
    call_at(&m, draw, 3, 4, -1,
            "H:RSUniRender::Process:[WindowScene_app] (-5, 6, 700, 800) Alpha: 0.50");
    call_at(&m, draw, 8, -1, -1,
            "H:RSSurfaceRenderNodeDrawable::OnDraw:[WindowScene_b](1,2,3,4)Alpha:1.00, x");
    call_at(&m, draw, 9, 1, -1, "H:RSUniRender::Process:[WindowScene_c] (1, 2, 3)");
    call_at(&m, draw, 9, 1, -1, "H:RSUniRender::Process:[other] (1, 2, 3, 4) Alpha: 1");
    for (int64_t i = 0; i < 7; i++) { /* 5 intervals of 11.1 ms: 90 Hz; the seventh is too late */
        call_at(&m, draw, 100 + i * 11100000 * (i == 6 ? 9 : 1), 1, -1, "H:GenerateVsyncCount: 1");
    }
    made_end(&m);
    check_answer(&m, "SELECT x, y, width, height, alpha, name, end_time FROM dynamic_frame",
                 "-5|6|700|800|0.50|WindowScene_app|7 1|2|3|4|1.00|WindowScene_b|-");
    check_answer(&m, "SELECT * FROM device_info", "1260|2720|90");
    made_free(&m);
}

/* --- threads -------------------------------------------------------------------------------- */

/* Of a thread that is none nothing is known; --compat has such numbers. */
static void test_no_thread(void **state)
{
    made m;
    made_begin(&m, *state);
    (void)thread_of(&m, 90, "render_service");
    call_at(&m, INT64_C(4294967295), 1, 5, 1, "H:APP_LIST_FLING, x, 5");
    call_at(&m, INT64_C(4294967295), 2, 5, -1, "H:dlopen: x");
    made_end(&m);
    check_answer(&m, "SELECT count(*) FROM animation", "0");
    check_answer(&m, "SELECT ipid, tid, call_id, so_name FROM static_initalize",
                 "-|-|4294967295|H:dlopen: x");
    made_free(&m);
}

/* Runs the analysis on a finished database, with the k-th allocation failing. */
static ts_code run_finished(const fixture *f, const char *path, uint64_t k, bool *known)
{
    test_failing failing = {.fail_at = k};
    ts_allocator allocator = f->ctx->allocator;
    made to;
    ts_code code;
    made_begin(&to, f);
    assert_ok(f->ctx, ts_reader_open(&to.reader, f->ctx, path));
    f->ctx->allocator = test_failing_allocator(&failing);
    code = ts_analysis_run(f->ctx, to.reader, to.store, markers(), NULL);
    f->ctx->allocator = allocator;
    *known = ts_sink_rows(ts_db_sink(to.db), TS_T_animation) > 0;
    made_free(&to);
    return code;
}

/* Threads of a finished database are its rows, also when somebody changed their numbers. */
static void test_finished(void **state)
{
    const fixture *f = *state;
    for (int changed = 0; changed < 2; changed++) {
        char *path = path_of(f, "finished.db");
        ts_code code = TS_ERR_NOMEM;
        bool known = false;
        made m;
        made_begin(&m, f);
        for (int64_t i = 0; i < 100; i++) {
            (void)thread_of(&m, 100 + i, "other");
        }
        int64_t draw = thread_of(&m, 90, "render_service");
        call_at(&m, draw, 1, 5, 1, "H:APP_LIST_FLING, x, 5");
        assert_ok(f->ctx, ts_store_finish(m.store));
        assert_ok(f->ctx, ts_db_finish(m.db, false, NULL));
        assert_int_equal(rename(m.path, path), 0);
        made_free(&m);
        if (changed) {
            sqlite3 *db;
            assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
            assert_int_equal(sqlite3_exec(db,
                                          "UPDATE thread SET id = id + 1000, itid = itid + 1000",
                                          NULL, NULL, NULL),
                             SQLITE_OK);
            sqlite3_close(db);
        }
        for (uint64_t k = 1; code != TS_OK; k++) {
            code = run_finished(f, path, k, &known);
            assert_true(code == TS_OK || code == TS_ERR_NOMEM);
        }
        assert_int_equal(known, !changed);
        unlink(path);
        free(path);
    }
}

/* --- limits -------------------------------------------------------------------------------- */

/* One of everything, n times. */
static void put_many(made *m, int64_t n)
{
    int64_t draw = thread_of(m, 90, "render_service");
    static const char draws[] = "H:RSUniRender::Process:[WindowScene_";
    static const char box[] = "] (1,2,3,4)";
    char window[2000];
    char text[200];
    for (int64_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, "H:Task Perform: taskId : %d", (int)(i % (n / 2)));
        call_at(m, draw, 10 * i, 5, -1, "H:dlopen: x");
        call_at(m, draw, 10 * i + 1, 5, -1, text);
        call_at(m, draw, 10 * i + 2, i % 3 == 0 ? -1 : 30, 1, "H:APP_LIST_FLING, x, 5");
        call_at(m, draw, 10 * i + 3, 5, -1, "H:Repaint");
        call_at(m, draw, 10 * i + 4, 5, -1, "H:RSUniRender::Process:[WindowScene_b] (1,2,3,4)");
        call_at(m, draw, 10 * i + 5, -1, -1, "H:something else");
    }
    memset(window, 'w', sizeof window - 1); /* longer than all names before it */
    memcpy(window, draws, sizeof draws - 1);
    memcpy(window + sizeof window - sizeof box, box, sizeof box);
    call_at(m, draw, 20 * n - 1, 5, -1, window);
    for (int64_t i = 0; i < 20; i++) {
        snprintf(text, sizeof text, LAUNCH "com.%d##", (int)(i % 15));
        call_at(m, draw, 20 * n + 10 * i, 5, -1, text);
        frame_at(m, draw, 20 * n + 10 * i + 7, 5, 0, i);
    }
}

static void test_every_allocation_fails(void **state)
{
    const fixture *f = *state;
    test_failing failing = {0};
    ts_allocator allocator = f->ctx->allocator;
    ts_code code = TS_ERR_NOMEM;
    for (failing.fail_at = 1; code != TS_OK; failing.fail_at++) {
        made m;
        made_begin(&m, f);
        put_many(&m, 40);
        assert_ok(f->ctx, ts_db_reader(&m.reader, m.db));
        failing.calls = 0;
        f->ctx->allocator = test_failing_allocator(&failing);
        code = ts_analysis_run(f->ctx, m.reader, m.store, markers(), NULL);
        f->ctx->allocator = allocator;
        assert_true(code == TS_OK || code == TS_ERR_NOMEM);
        made_free(&m);
    }
    assert_true(failing.fail_at > 40);
}

/* Six sorters of 4 MiB and what is open: not 50 bytes for each of the 900000 rows. */
static void test_bounded(void **state)
{
    const fixture *f = *state;
    made m;
    int64_t n = test_slow() ? 150000 : 30000;
    made_begin(&m, f);
    put_many(&m, n);
    f->ctx->limits.max_memory = f->ctx->memory_used + (34 << 20);
    made_end(&m);
    f->ctx->limits.max_memory = 0;
    check_answer(&m,
                 "SELECT (SELECT count(*) FROM static_initalize) + 1 = (SELECT count(*) FROM "
                 "dynamic_frame), (SELECT 2 * count(*) FROM task_pool) = (SELECT count(*) FROM "
                 "animation), (SELECT count(*) FROM app_startup WHERE start_name = 4)",
                 "1|1|20");
    made_free(&m);
}

/* Without memory for it the database is complete but for the analysis, and says so. */
static void test_no_memory(void **state)
{
    const fixture *f = *state;
    made m;
    made_begin(&m, f);
    put_many(&m, 2000);
    f->ctx->limits.max_memory = f->ctx->memory_used + (300 << 10);
    assert_ok(f->ctx, ts_db_reader(&m.reader, m.db));
    assert_ok(f->ctx, ts_analysis_run(f->ctx, m.reader, m.store, markers(), NULL));
    f->ctx->limits.max_memory = 0;
    ts_reader_free(m.reader);
    m.reader = NULL;
    assert_ok(f->ctx, ts_store_finish(m.store));
    assert_ok(f->ctx, ts_db_finish(m.db, false, NULL));
    check_answer(&m, "SELECT stream, (SELECT count(*) FROM task_pool) FROM import_issue",
                 "markers|0");
    made_free(&m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_no_thread),  TEST(test_finished),      TEST(test_startup_at_once),
        TEST(test_startup),    TEST(test_startup_parts), TEST(test_startup_of_two),
        TEST(test_libraries),  TEST(test_long_name),     TEST(test_tasks),
        TEST(test_animations), TEST(test_input_time),    TEST(test_windows),
        TEST(test_bounded),    TEST(test_no_memory),     TEST(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

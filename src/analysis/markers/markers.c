#include "analysis/markers/markers.h"

#include "analysis/markers/marker_work.h"
#include "base/alloc.h"

static const enum ts_table_id needs[] = {TS_T_callstack, TS_TABLE_COUNT};
static const enum ts_table_id writes[] = {TS_T_app_startup, TS_T_static_initalize, TS_T_task_pool,
                                          TS_T_animation,   TS_T_dynamic_frame,    TS_TABLE_COUNT};
static const ts_issue_code issues[] = {TS_ISSUE_COUNT};

enum { STARTUP, LIBRARIES, TASKS, ANIMATIONS, WINDOWS, KINDS };

static const marker_kind *const kinds[KINDS] = {
    [STARTUP] = &marker_startup,       [LIBRARIES] = &marker_libraries, [TASKS] = &marker_tasks,
    [ANIMATIONS] = &marker_animations, [WINDOWS] = &marker_windows,
};

/* --- recognising --------------------------------------------------------------------------- */

typedef struct pattern {
    const char *text;
    uint8_t n;
    uint8_t kind;
    uint8_t number;
    bool async;
} pattern;

#define PATTERN(text, kind, number, async)                                                         \
    {                                                                                              \
        (text), sizeof(text) - 1, (kind), (number), (async)                                        \
    }

/* What follows "H:". */
static const pattern patterns[] = {
    PATTERN("client dispatch touchId:", STARTUP, 0, false),
    PATTERN("OHOS::ErrCode OHOS::AAFwk::AbilityManagerClient::StartUIAbilityBySCB", STARTUP, 1,
            false),
    PATTERN("virtual void OHOS::AppExecFwk::AppMgrServiceInner::LoadAbility", STARTUP, 2, false),
    PATTERN("virtual void OHOS::AppExecFwk::AppMgrServiceInner::AttachApplication(const pid_t, "
            "const sptr<OHOS::AppExecFwk::IAppScheduler> &)##",
            STARTUP, 3, false),
    PATTERN("void OHOS::AppExecFwk::MainThread::HandleLaunchAbility(const "
            "std::shared_ptr<AbilityLocalRecord> &)##",
            STARTUP, 4, false),
    PATTERN("void OHOS::AbilityRuntime::FAAbilityThread::HandleAbilityTransaction(", STARTUP, 5,
            false),
    PATTERN("void OHOS::AbilityRuntime::UIAbilityThread::HandleAbilityTransaction", STARTUP, 5,
            false),
    PATTERN("Task Allocation: ", TASKS, MARKER_TASK_BEGIN, false),
    PATTERN("Task Perform: ", TASKS, MARKER_TASK_RUN, false),
    PATTERN("Task PerformTask End: ", TASKS, MARKER_TASK_END, false),
    PATTERN("LAUNCHER_APP_", ANIMATIONS, MARKER_ANIMATION, true),
    PATTERN("APP_TRANSITION_", ANIMATIONS, MARKER_ANIMATION, true),
    PATTERN("APP_LIST_FLING", ANIMATIONS, MARKER_FLING, true),
    PATTERN("Repaint", ANIMATIONS, MARKER_REPAINT, false),
    PATTERN("RSJankStats::RecordAnimationDynamicFrameRate", ANIMATIONS, MARKER_RATE, false),
    PATTERN("RSUniRender::Process:[", WINDOWS, MARKER_WINDOW, false),
    PATTERN("RSSurfaceRenderNodeDrawable::OnDraw:[", WINDOWS, MARKER_WINDOW, false),
    PATTERN("GenerateVsyncCount", WINDOWS, MARKER_VSYNC, false),
};

enum { PATTERNS = sizeof patterns / sizeof *patterns };

static ts_code take(marker_work *w, void *self, const marker_kind *kind, marker *m, unsigned number)
{
    uint32_t source = marker_thread_of(w, m->itid).source;
    w->source = source != 0 ? source : w->source;
    m->source = w->source;
    return kind->take(self, m, number);
}

static ts_code recognise(marker_work *w, void **selves, marker *m)
{
    const ts_text name = m->name;
    ts_code code = TS_OK;
    if (memmem(name.p, name.n, "dlopen:", 7) != NULL) {
        code = take(w, selves[LIBRARIES], kinds[LIBRARIES], m, 0);
    }
    if (!ts_text_begins(name, "H:")) {
        return code;
    }
    for (unsigned i = 0; i < PATTERNS && code == TS_OK; i++) {
        const pattern *p = &patterns[i];
        if (p->async == m->async && name.n - 2 >= p->n && name.p[2] == p->text[0] &&
            memcmp(name.p + 2, p->text, p->n) == 0) {
            m->prefix = (size_t)p->n + 2;
            code = take(w, selves[p->kind], kinds[p->kind], m, p->number);
        }
    }
    return code;
}

/* --- reading ------------------------------------------------------------------------------- */

enum { C_ID, C_TS, C_DUR, C_CALLID, C_NAME, C_COOKIE, C_CHILD, COLUMNS };

static const unsigned columns[COLUMNS] = {
    [C_ID] = TS_C_callstack__id,
    [C_TS] = TS_C_callstack__ts,
    [C_DUR] = TS_C_callstack__dur,
    [C_CALLID] = TS_C_callstack__callid,
    [C_NAME] = TS_C_callstack__name,
    [C_COOKIE] = TS_C_callstack__cookie,
    [C_CHILD] = TS_C_callstack__child_callid,
};

static ts_code read_rows(marker_work *w, void **selves)
{
    ts_walk rows = ts_walk_of(ts_rows_of(w->reader), TS_T_callstack, columns, COLUMNS);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        marker m = {.row = ts_walk_id(&rows),
                    .id = ts_walk_int(&rows, C_ID),
                    .ts = ts_walk_int(&rows, C_TS),
                    .itid = ts_walk_int(&rows, C_CALLID),
                    .emitter = ts_walk_int_or(&rows, C_CHILD, -1),
                    .async = !ts_walk_null(&rows, C_COOKIE),
                    .name = ts_walk_text(&rows, C_NAME)};
        m.end =
            ts_walk_null(&rows, C_DUR) ? TS_NO_TIME : ts_time_add(m.ts, ts_walk_int(&rows, C_DUR));
        code = ts_walk_null(&rows, C_TS) ? TS_OK : recognise(w, selves, &m);
    }
    return code;
}

static ts_code markers_run(ts_ctx *ctx, ts_reader *reader, ts_store *store)
{
    static const unsigned name[] = {TS_C_callstack__name};
    marker_work w = {.ctx = ctx, .reader = reader, .store = store, .sink = ts_store_sink(store)};
    void *selves[KINDS] = {NULL};
    ts_code code = marker_threads_read(&w);
    w.source = marker_thread_of(&w, 1).source; /* that of the first rows */
    for (unsigned i = 0; i < KINDS && code == TS_OK; i++) {
        selves[i] = ts_zalloc(ctx, 1, kinds[i]->size);
        code = selves[i] == NULL ? ctx->error.code : TS_OK;
        if (code == TS_OK) {
            *(marker_work **)selves[i] = &w;
        }
    }
    TS_STEP(code, ts_scan_open(&w.names, reader, TS_T_callstack, name, 1));
    TS_STEP(code, read_rows(&w, selves));
    for (unsigned i = 0; i < KINDS && code == TS_OK; i++) {
        code = kinds[i]->finish(selves[i]);
    }
    for (unsigned i = 0; i < KINDS && selves[i] != NULL; i++) {
        kinds[i]->close(selves[i]);
        ts_free(ctx, selves[i]);
    }
    ts_scan_close(w.names);
    ts_buf_free(ctx, &w.text);
    ts_free(ctx, w.threads);
    return code;
}

const ts_analysis ts_analysis_markers = {
    .name = "markers",
    .title = "starts of applications, libraries, tasks and animations by names of calls",
    .cost = TS_ANALYSIS_DEFAULT,
    .needs = needs,
    .writes = writes,
    .issues = issues,
    .run = markers_run,
};

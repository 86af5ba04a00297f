/*
 * GET rows: the rows of a kind of lanes that lie in a span, each with what it says, for pictures
 * that are near enough to show them one by one. Which rows may lie there is known from the lanes
 * (model/time_lanes.h), so that of a long recording only a part is read.
 */
#include "base/ckd.h"
#include "serve/views/frame_tree.h"
#include "serve/views/timeline.h"
#include "serve/views/views_private.h"

enum { P_KIND, P_THREADS, P_FROM, P_TO, P_LIMIT };
enum { ROWS_USUAL = 4000, ROWS_MOST = 20000, ROWS_COLUMNS = 10 };

const ts_view_param ts_rows_params[] = {
    {.name = "kind",
     .type = TS_VIEW_CHOICE,
     .choices = "cpu,irq,state,log,event,instant,sample,async,frame",
     .required = true,
     .doc = "rows of these lanes"},
    TS_PARAM_THREADS(false, "itid of threads: of the states, samples and slices of these"),
    TS_PARAM_TIME("from", true),
    TS_PARAM_TIME("to", true),
    TS_PARAM_LIMIT(ROWS_MOST, ROWS_USUAL, "rows"),
    {.name = NULL}};

/* The columns that are read, ts first; a column dur, if there is one, is the second. */
typedef struct rows_kind {
    ts_lane_kind kind;
    enum ts_table_id table;
    bool dur;     /* rows last */
    bool lasts;   /* one without an end lasts to that of the recording */
    bool threads; /* the third column is the itid by which rows are chosen */
    unsigned count;
    unsigned columns[ROWS_COLUMNS];
    const char *names[ROWS_COLUMNS];
} rows_kind;

#define C(table, column) TS_C_##table##__##column
static const rows_kind kinds[] = {
    {TS_LANE_CPU,
     TS_T_sched_slice,
     true,
     true,
     false,
     6,
     {C(sched_slice, ts), C(sched_slice, dur), C(sched_slice, cpu), C(sched_slice, itid),
      C(sched_slice, priority), C(sched_slice, end_state)},
     {"ts", "dur", "cpu", "itid", "priority", "end_state"}},
    {TS_LANE_IRQ,
     TS_T_irq,
     true,
     false,
     false,
     5,
     {C(irq, ts), C(irq, dur), C(irq, callid), C(irq, cat), C(irq, name)},
     {"ts", "dur", "cpu", "category", "name"}},
    {TS_LANE_STATE,
     TS_T_thread_state,
     true,
     true,
     true,
     5,
     {C(thread_state, ts), C(thread_state, dur), C(thread_state, itid), C(thread_state, state),
      C(thread_state, cpu)},
     {"ts", "dur", "itid", "state", "cpu"}},
    {TS_LANE_LOG,
     TS_T_log,
     false,
     false,
     false,
     6,
     {C(log, ts), C(log, level), C(log, tag), C(log, context), C(log, pid), C(log, tid)},
     {"ts", "level", "tag", "text", "pid", "tid"}},
    {TS_LANE_EVENT,
     TS_T_hisys_all_event,
     false,
     false,
     false,
     6,
     {C(hisys_all_event, ts), C(hisys_all_event, level), C(hisys_all_event, domain_id),
      C(hisys_all_event, event_name_id), C(hisys_all_event, pid), C(hisys_all_event, tid)},
     {"ts", "level", "domain_id", "event_name_id", "pid", "tid"}},
    {TS_LANE_INSTANT,
     TS_T_instant,
     false,
     false,
     false,
     4,
     {C(instant, ts), C(instant, name), C(instant, ref), C(instant, wakeup_from)},
     {"ts", "name", "itid", "wakeup_from"}},
    {TS_LANE_SAMPLE,
     TS_T_stack_sample,
     true,
     false,
     true,
     5,
     {C(stack_sample, ts), C(stack_sample, dur), C(stack_sample, itid), C(stack_sample, event),
      C(stack_sample, node_id)},
     {"ts", "dur", "itid", "event", "node_id"}},
    {TS_LANE_SLICE,
     TS_T_callstack,
     true,
     true,
     true,
     5,
     {C(callstack, ts), C(callstack, dur), C(callstack, callid), C(callstack, name),
      C(callstack, cookie)},
     {"ts", "dur", "itid", "name", "cookie"}},
    {TS_LANE_FRAME,
     TS_T_frame_slice,
     true,
     false,
     false,
     10,
     {C(frame_slice, ts), C(frame_slice, dur), C(frame_slice, ipid), C(frame_slice, type),
      C(frame_slice, flag), C(frame_slice, vsync), C(frame_slice, itid),
      C(frame_slice, callstack_id), C(frame_slice, dst), C(frame_slice, depth)},
     {"ts", "dur", "ipid", "type", "flag", "vsync", "itid", "callstack_id", "dst", "depth"}},
};
/* Columns of some of them. */
enum { ROW_STATE = 3, ROW_NODE = 4, ROW_COOKIE = 4 };

typedef struct rows_pass {
    ts_view_call *call;
    const rows_kind *kind;
    const ts_time_lanes *all;
    const ts_paths *paths; /* of samples */
    ts_method_list methods;
    ts_chosen chosen;
    int64_t from, to;
    uint64_t limit, count;
} rows_pass;

static bool rows_wants(const rows_pass *p, const ts_batch *b, unsigned i)
{
    static const ts_cell none = {0, true};
    if (b->columns[0].null[i] ||
        !ts_chosen_row(&p->chosen, none, p->kind->threads ? ts_cell_of(b, 2, i) : none)) {
        return false;
    }
    if (p->kind->kind == TS_LANE_SLICE && b->columns[ROW_COOKIE].null[i]) {
        return false; /* of the stack of its thread */
    }
    int64_t ts = b->columns[0].ints[i];
    int64_t end = ts;
    if (p->kind->dur && !b->columns[1].null[i]) {
        end = ts_sat_add(ts, b->columns[1].ints[i]);
    } else if (p->kind->lasts) {
        end = p->all->end;
    }
    return ts < p->to && (ts >= p->from || end > p->from);
}

/* What is found out of a row: of a state its kind, of a sample its method. */
static ts_code rows_more(rows_pass *p, const ts_batch *b, unsigned i)
{
    ts_jout *out = p->call->out;
    if (p->kind->kind == TS_LANE_STATE) {
        unsigned state = ts_lane_state_of(ts_cell_text(b, ROW_STATE, i));
        ts_jout_str(out, NULL, ts_lane_state_name(TS_LANE_STATE, state));
    }
    if (p->paths == NULL) {
        return TS_OK;
    }
    uint32_t number = TS_NO_INDEX;
    uint32_t node = b->columns[ROW_NODE].null[i]
                        ? TS_NO_INDEX
                        : ts_ids_find(&p->paths->nodes, b->columns[ROW_NODE].ints[i]);
    if (node != TS_NO_INDEX) {
        TS_TRY(
            ts_method_list_add(&number, ts_view_ctx(p->call), &p->methods, p->paths->method[node]));
    }
    ts_jout_int(out, NULL, number == TS_NO_INDEX ? -1 : (int64_t)number);
    return TS_OK;
}

static ts_code rows_put(rows_pass *p, const ts_batch *b, unsigned i)
{
    ts_jout *out = p->call->out;
    ts_jout_open(out, NULL, '[');
    ts_jout_int(out, NULL, b->rowids[i]);
    for (unsigned c = 0; c < p->kind->count; c++) {
        const ts_batch_column *column = &b->columns[c];
        if (column->null[i]) {
            ts_jout_null(out, NULL);
        } else if (c == 0) {
            ts_jout_int(out, NULL, ts_view_since(p->call, column->ints[i]));
        } else if (column->texts != NULL) {
            ts_view_text(out, NULL, ts_cell_text(b, c, i));
        } else {
            ts_jout_int(out, NULL, column->ints[i]);
        }
    }
    ts_code code = rows_more(p, b, i);
    ts_jout_close(out, ']');
    ts_jout_line(out);
    return code;
}

static ts_code rows_walk(rows_pass *p, ts_lane_walk *walk)
{
    const ts_batch *b;
    unsigned n = 1;
    ts_code code = TS_OK;
    while (code == TS_OK && n > 0 && p->count <= p->limit) {
        code = ts_lane_walk_next(&b, &n, walk);
        for (unsigned i = 0; code == TS_OK && i < n && p->count <= p->limit; i++) {
            if (rows_wants(p, b, i) && ++p->count <= p->limit) {
                code = rows_put(p, b, i);
            }
        }
    }
    return code;
}

static ts_code rows_each(rows_pass *p)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    ts_model *m = p->call->views->model;
    const ts_lane *lanes = p->all->lanes.p;
    const rows_kind *k = p->kind;
    ts_lane_walk walk = {0};
    ts_rows *rows = NULL;
    bool *wanted = ts_zalloc(ctx, p->all->lanes.n + 1, sizeof *wanted);
    TS_NEED(ctx, wanted);
    for (size_t i = 0; i < p->all->lanes.n; i++) {
        wanted[i] = (!k->threads || ts_chosen_row(&p->chosen, lanes[i].source, lanes[i].itid)) &&
                    (k->kind != TS_LANE_SLICE || lanes[i].number == 1);
    }
    ts_code code = ts_rows_open(&rows, ts_model_rows(m), k->table, k->columns, k->count);
    TS_STEP(code, ts_lane_walk_begin(&walk, m, p->all, wanted, p->from, p->to, rows));
    TS_STEP(code, rows_walk(p, &walk));
    ts_lane_walk_free(ctx, &walk);
    ts_rows_close(rows);
    ts_free(ctx, wanted);
    return code;
}

ts_code ts_rows_run(ts_view_call *call)
{
    static const ts_view_value none;
    ts_jout *out = call->out;
    rows_pass p = {
        .call = call,
        .kind = &kinds[ts_view_value_of(call, P_KIND)->number],
        .chosen = {.source = &none, .threads = ts_view_value_of(call, P_THREADS), .event = &none},
        .from = ts_view_time(call, P_FROM, 0),
        .to = ts_view_time(call, P_TO, 0),
        .limit = (uint64_t)ts_view_value_of(call, P_LIMIT)->number};
    ts_code code;
    TS_TRY_INTO(code, ts_time_lanes_get(&p.all, call->views->model, p.kind->kind));
    if (p.kind->kind == TS_LANE_SAMPLE && p.all->lanes.n > 0) {
        TS_TRY_INTO(code, ts_paths_get(&p.paths, call));
        TS_TRY_INTO(code, ts_method_list_begin(&p.methods, ts_view_ctx(call), p.paths));
    }
    ts_jout_open(out, NULL, '{');
    ts_jout_open(out, "columns", '[');
    ts_jout_str(out, NULL, "id");
    for (unsigned c = 0; c < p.kind->count; c++) {
        ts_jout_str(out, NULL, p.kind->names[c]);
    }
    if (p.kind->kind == TS_LANE_STATE || p.paths != NULL) {
        ts_jout_str(out, NULL, p.paths == NULL ? "kind" : "method");
    }
    ts_jout_close(out, ']');
    ts_jout_open(out, "rows", '[');
    TS_STEP_IF(code, p.all->lanes.n > 0, rows_each(&p));
    ts_jout_close(out, ']');
    TS_STEP_IF(code, p.paths != NULL, ts_method_list_write(call, "methods", &p.methods, p.paths));
    ts_jout_bool(out, "more", p.count > p.limit);
    ts_jout_close(out, '}');
    ts_method_list_free(ts_view_ctx(call), &p.methods);
    return code;
}

/* GET lanes: what there is over time -- CPUs, states of threads, samples, calls, slices, marks,
 * counters -- and pictures of it in columns. GET find: calls and slices by their names. */
#include "model/measured.h"
#include "model/slices.h"
#include "model/when.h"
#include "serve/views/timeline.h"
#include "serve/views/views_private.h"

enum { P_KIND, P_SOURCE, P_THREADS, P_FROM, P_TO, P_PX, P_OFFSET, P_LIMIT };

/* In the order of ts_lane_kind; then counters of all tables. */
#define LANE_KINDS                                                                                 \
    "cpu,irq,state,sample,call,slice,pause,suspend,wait,log,event,instant,process,frame,counter"

const ts_view_param ts_lanes_params[] = {
    {.name = "kind", .type = TS_VIEW_CHOICE, .choices = LANE_KINDS, .doc = "only lanes of it"},
    TS_PARAM_SOURCE,
    TS_PARAM_THREADS(false, "itid of threads"),
    TS_PARAM_TIME("from", false),
    TS_PARAM_TIME("to", false),
    TS_PARAM_PX(0, TS_LANE_COLUMNS - 1, 0, "at most so many columns and one; 0: none"),
    TS_PARAMS_PAGE(256, 256, "lanes"),
    {.name = NULL}};

typedef struct lanes_pass {
    ts_view_call *call;
    ts_chosen chosen;
    bool columns;
    ts_lane_columns of;
    const ts_time_lanes *all; /* of one kind */
    ts_vec shown;             /* uint32_t: its lanes in the reply */
    ts_vec names;             /* const ts_series * of each, of counters */
    uint64_t number;          /* of lanes so far */
} lanes_pass;

static void put_values(ts_jout *out, const ts_lane_sum *cells, uint32_t count)
{
    static const char *const names[] = {"n", "least", "greatest", "mean", "last"};
    for (unsigned part = 0; part < 5; part++) {
        ts_jout_open(out, names[part], '[');
        for (uint32_t c = 0; c < count; c++) {
            const ts_lane_values *v = &cells[c].values;
            if (part == 0) {
                ts_jout_uint(out, NULL, v->count);
            } else if (v->count == 0) {
                ts_jout_null(out, NULL);
            } else {
                ts_jout_real(out, NULL,
                             part == 1   ? v->least
                             : part == 2 ? v->greatest
                             : part == 3 ? ts_lane_mean(v)
                                         : v->last);
            }
        }
        ts_jout_close(out, ']');
    }
}

/* ns of each kind of time, and how many rows begin. */
static void put_times(ts_jout *out, ts_lane_kind kind, const ts_lane_sum *cells, uint32_t count)
{
    const char *name;
    ts_jout_open(out, "n", '[');
    for (uint32_t c = 0; c < count; c++) {
        ts_jout_uint(out, NULL, cells[c].rows);
    }
    ts_jout_close(out, ']');
    for (unsigned s = 0; (name = ts_lane_state_name(kind, s)) != NULL; s++) {
        ts_jout_open(out, name, '[');
        for (uint32_t c = 0; c < count; c++) {
            ts_jout_int(out, NULL, cells[c].ns[s]);
        }
        ts_jout_close(out, ']');
    }
}

static void put_name(lanes_pass *p, const ts_lane *l, size_t number)
{
    ts_jout *out = p->call->out;
    ts_lane_kind kind = p->all->kind;
    if (ts_lane_has_values(kind)) {
        const ts_series *s = ((const ts_series **)p->names.p)[number];
        ts_jout_str(out, "table", ts_lane_kind_name(kind));
        ts_jout_int(out, "id", s->id);
        ts_view_int(out, "source_id", s->source);
        ts_view_int(out, "itid", s->itid);
        ts_view_int(out, "ipid", s->ipid);
        ts_view_text(out, "name", s->name);
        ts_view_text(out, "unit", s->unit);
        ts_view_text(out, "owner", s->owner);
        return;
    }
    ts_view_int(out, "source_id", l->source);
    ts_view_int(out, kind == TS_LANE_PROCESS_CPU || kind == TS_LANE_FRAME ? "ipid" : "itid",
                l->itid);
    if (kind == TS_LANE_CPU || kind == TS_LANE_IRQ) {
        ts_jout_int(out, "cpu", l->number);
    } else if (kind == TS_LANE_SLICE) {
        ts_jout_bool(out, "async", l->number != 0);
    } else if (kind == TS_LANE_FRAME) {
        ts_jout_bool(out, "expected", l->number == 1);
    } else if (l->name != TS_NO_INDEX) {
        ts_view_text(out, "name", ts_pool_text(&p->all->names, l->name));
    }
}

/* cells: of the picture, or one of the whole lane. */
static ts_code put_lane(void *user, size_t number, const ts_lane_sum *cells)
{
    lanes_pass *p = user;
    ts_jout *out = p->call->out;
    const ts_lane *l = (const ts_lane *)p->all->lanes.p + ((const uint32_t *)p->shown.p)[number];
    bool values = ts_lane_has_values(p->all->kind);
    const char *name;
    ts_jout_open(out, NULL, '{');
    ts_jout_str(out, "kind", values ? "counter" : ts_lane_kind_name(p->all->kind));
    put_name(p, l, number);
    ts_jout_uint(out, "rows", l->rows);
    ts_jout_uint(out, "open", l->open);
    if (l->first <= l->last) {
        ts_jout_int(out, "first", ts_view_since(p->call, l->first));
        ts_jout_int(out, "last", ts_view_since(p->call, l->last));
    }
    if (!values && ts_lane_state_name(p->all->kind, 0) != NULL) {
        ts_jout_int(out, "longest", l->longest);
        ts_jout_open(out, "open_ns", '{');
        for (unsigned s = 0; (name = ts_lane_state_name(p->all->kind, s)) != NULL; s++) {
            ts_jout_int(out, name, l->open_ns[s]);
        }
        ts_jout_close(out, '}');
    }
    ts_jout_open(out, p->columns ? "columns" : "all", '{');
    if (values) {
        put_values(out, cells, p->of.count);
    } else {
        put_times(out, p->all->kind, cells, p->of.count);
    }
    ts_jout_close(out, '}');
    ts_jout_close(out, '}');
    ts_jout_line(out);
    return TS_OK;
}

/* Adds a lane that is wanted to those of the reply, if it is on its page. s: what a counter is. */
static ts_code lanes_choose(lanes_pass *p, uint32_t lane, const ts_series *s)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    const ts_page page = ts_view_page(p->call, P_OFFSET);
    const ts_lane *l = (const ts_lane *)p->all->lanes.p + lane;
    bool thread = p->all->kind != TS_LANE_PROCESS_CPU && p->all->kind != TS_LANE_FRAME;
    if (!ts_chosen_row(&p->chosen, s == NULL ? l->source : s->source,
                       s != NULL ? s->itid
                       : thread  ? l->itid
                                 : (ts_cell){0, true})) {
        return TS_OK;
    }
    uint64_t number = p->number++;
    if (number < page.first || number >= page.end) {
        return TS_OK;
    }
    uint32_t *shown = ts_vec_add(ctx, &p->shown, sizeof *shown);
    const ts_series **name = shown == NULL ? NULL : ts_vec_add(ctx, &p->names, sizeof *name);
    TS_NEED(ctx, name);
    *shown = lane;
    *name = s;
    return TS_OK;
}

static ts_code lanes_kind(lanes_pass *p, ts_lane_kind kind)
{
    ts_model *m = p->call->views->model;
    const ts_series_list *list = NULL;
    p->shown.n = 0;
    p->names.n = 0;
    TS_TRY(ts_time_lanes_get(&p->all, m, kind));
    if (ts_lane_has_values(kind)) {
        TS_TRY(ts_series_get(&list, m));
    }
    for (uint32_t i = 0; list == NULL && i < p->all->lanes.n; i++) {
        TS_TRY(lanes_choose(p, i, NULL));
    }
    for (size_t i = 0; list != NULL && i < list->all.n; i++) {
        const ts_series *s = (const ts_series *)list->all.p + i;
        if (s->kind == kind) {
            TS_TRY(lanes_choose(p, s->lane, s));
        }
    }
    return ts_time_lanes_draw(m, p->all, p->shown.p, p->shown.n, &p->of, put_lane, p);
}

/* The columns that are asked for, or one for all times. */
static ts_code lanes_columns(lanes_pass *p)
{
    ts_view_call *call = p->call;
    const ts_idset all = {.all = true};
    int64_t px = ts_view_value_of(call, P_PX)->number;
    ts_span range = {INT64_MIN, INT64_MAX};
    bool known = true;
    p->columns = px > 0;
    if (p->columns) {
        TS_TRY(ts_source_range(&range, &known, call->views->model, &all));
    }
    int64_t from = ts_view_time(call, P_FROM, known ? range.from : 0);
    int64_t to = ts_view_time(call, P_TO, known ? range.to : 0);
    p->of = p->columns ? ts_lane_columns_of(ts_view_db_origin(call->views, call->db), from, to, px)
                       : (ts_lane_columns){from, UINT64_MAX, 1, from, ts_sat_sub(to, 1)};
    return TS_OK;
}

ts_code ts_lanes_run(ts_view_call *call)
{
    static const ts_view_value none;
    const ts_view_value *kind = ts_view_value_of(call, P_KIND);
    lanes_pass p = {.call = call,
                    .chosen = {.source = ts_view_value_of(call, P_SOURCE),
                               .threads = ts_view_value_of(call, P_THREADS),
                               .event = &none}};
    ts_code code;
    TS_TRY_INTO(code, lanes_columns(&p));
    ts_jout_open(call->out, NULL, '{');
    if (p.columns) {
        ts_jout_int(call->out, "from",
                    (int64_t)(p.of.begin - ts_view_db_origin(call->views, call->db)));
        ts_jout_uint(call->out, "step", p.of.width);
        ts_jout_uint(call->out, "columns", p.of.count);
    }
    ts_jout_open(call->out, "lanes", '[');
    for (ts_lane_kind k = 0; code == TS_OK && k < TS_LANES; k++) {
        ts_lane_kind named = k < TS_LANE_SERIES ? k : TS_LANE_SERIES;
        TS_STEP_IF(code, !kind->given || kind->number == (int64_t)named, lanes_kind(&p, k));
    }
    ts_jout_close(call->out, ']');
    ts_jout_uint(call->out, "row_count", p.number);
    ts_jout_close(call->out, '}');
    ts_vec_free(ts_view_ctx(call), &p.shown);
    ts_vec_free(ts_view_ctx(call), &p.names);
    return code;
}

/* --- find ------------------------------------------------------------------------------------- */

enum { F_WHAT, F_SOURCE, F_THREADS, F_FROM, F_TO, F_AT, F_ID };

const ts_view_param ts_find_params[] = {
    TS_PARAM_PATTERN("what", "part of a name, or /an expression/; without it all are meant"),
    TS_PARAM_SOURCE,
    TS_PARAM_THREADS(false, "itid of threads"),
    TS_PARAM_TIME("from", false),
    TS_PARAM_TIME("to", false),
    TS_PARAM_TIME("at", false),
    TS_PARAM_ANY("id", "with `at`: of the call or slice that is the place"),
    {.name = NULL}};

static void put_near(ts_view_call *call, const char *key, bool has, const ts_slice *one,
                     const ts_buf *name)
{
    ts_jout *out = call->out;
    if (!has) {
        ts_jout_null(out, key);
        return;
    }
    ts_jout_open(out, key, '{');
    ts_jout_str(out, "table", one->mark ? "callstack" : "stack_slice");
    ts_jout_int(out, "id", one->id);
    ts_view_int(out, "itid", one->itid);
    ts_jout_int(out, "ts", ts_view_since(call, one->ts));
    ts_view_int(out, "dur", one->dur);
    ts_view_int(out, "self", one->self);
    ts_view_int(out, "depth", one->depth);
    ts_jout_bool(out, "async", one->async);
    ts_view_text(out, "name", ts_buf_text(name));
    ts_jout_close(out, '}');
}

static void put_hits(ts_jout *out, const ts_slice_sums *sums)
{
    ts_jout_uint(out, "count", sums->count);
    ts_jout_uint(out, "open", sums->open);
    ts_wide_put(out, "dur", sums->dur);
    if (sums->has_self) {
        ts_wide_put(out, "self", sums->self);
    } else {
        ts_jout_null(out, "self");
    }
}

ts_code ts_find_run(ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    const ts_view_value *what = ts_view_value_of(call, F_WHAT);
    bool named = what->given && ts_pattern_wanted(what->text);
    ts_select select = {
        .span = {ts_view_time(call, F_FROM, INT64_MIN), ts_view_time(call, F_TO, INT64_MAX)}};
    ts_pattern pattern = {0};
    ts_slice_hits hits = {0};
    const ts_slices_asked asked = {.select = &select,
                                   .name = named ? &pattern : NULL,
                                   .ts = ts_view_time(call, F_AT, INT64_MIN),
                                   .id = ts_view_value_of(call, F_ID)->given
                                             ? ts_view_value_of(call, F_ID)->number
                                             : INT64_MIN,
                                   .near = true};
    ts_code code = ts_view_ids(&select.sources, ctx, ts_view_value_of(call, F_SOURCE));
    TS_STEP(code, ts_view_ids(&select.threads, ctx, ts_view_value_of(call, F_THREADS)));
    TS_STEP_IF(code, named, ts_pattern_make(&pattern, ctx, what->text));
    TS_STEP(code, ts_slices_find(&hits, call->views->model, &asked));
    if (code == TS_OK) {
        ts_jout_open(call->out, NULL, '{');
        put_hits(call->out, &hits.sums[0]);
        ts_jout_open(call->out, "async", '{');
        put_hits(call->out, &hits.sums[1]);
        ts_jout_close(call->out, '}');
        put_near(call, "next", hits.has_next, &hits.next, &hits.next_name);
        put_near(call, "before", hits.has_before, &hits.before, &hits.before_name);
        ts_jout_close(call->out, '}');
    }
    ts_slice_hits_free(ctx, &hits);
    ts_pattern_free(&pattern);
    ts_select_free(ctx, &select);
    return code;
}

/* GET timeline: how busy threads were in columns of time. GET series: measured values in columns.
 */
#include "serve/views/timeline.h"

#include "model/measured.h"
#include "serve/views/views_private.h"

enum { P_SOURCE, P_THREADS, P_FROM, P_TO, P_PX, P_OFFSET, P_LIMIT };
enum { TIMELINE_LANES = 256, TIMELINE_COLUMNS = 4000 };

const ts_view_param ts_timeline_params[] = {
    TS_PARAM_SOURCE,
    TS_PARAM_THREADS(false, "itid of threads"),
    TS_PARAM_TIME("from", false),
    TS_PARAM_TIME("to", false),
    TS_PARAM_PX(1, TIMELINE_COLUMNS, 1600, "at most so many columns and one"),
    TS_PARAMS_PAGE(TIMELINE_LANES, TIMELINE_LANES, "threads"),
    {.name = NULL}};

/* What there is of each column: ns, ns, number. */
enum { T_BUSY, T_WAITING, T_STARTS, T_PARTS };

/* Of one kind: the threads of the reply, each with the lanes of all that it was sampled for. */
typedef struct timeline_kind {
    const ts_time_lanes *all;
    const ts_lane *rows[TIMELINE_LANES]; /* the first lane of each thread */
    unsigned n;
    ts_vec lanes;   /* uint32_t */
    ts_vec row_of;  /* uint32_t of each of them */
    uint64_t *sums; /* of each row and column: T_PARTS */
} timeline_kind;

typedef struct timeline {
    ts_view_call *call;
    ts_chosen chosen; /* only source and threads */
    ts_lane_columns columns;
    timeline_kind kinds[2];
    uint64_t number; /* of rows so far */
} timeline;

static bool same_thread(const ts_lane *a, const ts_lane *b)
{
    return a->source.null == b->source.null && a->source.value == b->source.value &&
           a->itid.null == b->itid.null && a->itid.value == b->itid.value;
}

/* From the least to the greatest time of a kind; first > last: there is none. */
static void lanes_span(uint64_t *first, uint64_t *last, const ts_time_lanes *all)
{
    const ts_lane *lanes = all->lanes.p;
    for (size_t i = 0; i < all->lanes.n; i++) {
        if (lanes[i].first <= lanes[i].last) {
            uint64_t a = ts_time_place(lanes[i].first);
            uint64_t b = ts_time_place(lanes[i].last);
            *first = a < *first ? a : *first;
            *last = b > *last ? b : *last;
        }
    }
}

ts_lane_columns ts_view_powers(uint64_t first, uint64_t last, uint64_t px)
{
    unsigned shift = 0;
    if (first > last) {
        return (ts_lane_columns){0, 1, 0, 0, 0};
    }
    while (shift < 63 && (last - first) >> shift >= px) {
        shift++;
    }
    uint64_t begin = first >> shift << shift;
    uint64_t end = last | ((UINT64_C(1) << shift) - 1);
    return (ts_lane_columns){(ts_wide)begin + INT64_MIN, UINT64_C(1) << shift,
                             (uint32_t)((end - begin) >> shift) + 1, ts_time_at(begin),
                             ts_time_at(end)};
}

static void timeline_columns(timeline *t)
{
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    for (unsigned k = 0; k < 2; k++) {
        lanes_span(&first, &last, t->kinds[k].all);
    }
    if (ts_view_value_of(t->call, P_FROM)->given) {
        first = ts_time_place(ts_view_time(t->call, P_FROM, 0));
    }
    if (ts_view_value_of(t->call, P_TO)->given) {
        uint64_t to = ts_time_place(ts_view_time(t->call, P_TO, 0));
        last = to == 0 ? 0 : to - 1;
    }
    t->columns = ts_view_powers(first, last, (uint64_t)ts_view_value_of(t->call, P_PX)->number);
}

/* The threads of one kind that the request wants, and their lanes. */
static ts_code timeline_rows(timeline *t, timeline_kind *k)
{
    ts_ctx *ctx = ts_view_ctx(t->call);
    const ts_lane *lanes = k->all->lanes.p;
    const ts_page page = ts_view_page(t->call, P_OFFSET);
    for (size_t i = 0; i < k->all->lanes.n; i++) {
        const ts_lane *l = &lanes[i];
        if (!l->again && ts_chosen_row(&t->chosen, l->source, l->itid)) {
            uint64_t number = t->number++;
            if (number >= page.first && number < page.end && k->n < TIMELINE_LANES) {
                k->rows[k->n++] = l;
            }
        }
        for (uint32_t row = 0; row < k->n; row++) {
            if (!same_thread(k->rows[row], l)) {
                continue;
            }
            uint32_t *lane = ts_vec_add(ctx, &k->lanes, sizeof *lane);
            uint32_t *of = lane == NULL ? NULL : ts_vec_add(ctx, &k->row_of, sizeof *of);
            TS_NEED(ctx, of);
            *lane = (uint32_t)i;
            *of = row;
        }
    }
    return TS_OK;
}

typedef struct timeline_sums {
    const timeline *t;
    timeline_kind *kind;
} timeline_sums;

static ts_code timeline_lane(void *user, size_t number, const ts_lane_sum *cells)
{
    const timeline_sums *s = user;
    uint32_t count = s->t->columns.count;
    enum { STATE_BUSY = 0, STATE_WAITING = 2 };
    uint64_t *sums =
        s->kind->sums + T_PARTS * (size_t)count * ((uint32_t *)s->kind->row_of.p)[number];
    for (size_t c = 0; c < count; c++, sums += T_PARTS) {
        uint64_t busy = sums[T_BUSY] + (uint64_t)cells[c].ns[STATE_BUSY];
        uint64_t waiting = sums[T_WAITING] + (uint64_t)cells[c].ns[STATE_WAITING];
        sums[T_BUSY] = busy > INT64_MAX ? INT64_MAX : busy;
        sums[T_WAITING] = waiting > INT64_MAX ? INT64_MAX : waiting;
        sums[T_STARTS] += cells[c].rows;
    }
    return TS_OK;
}

/* --- CPU time that was measured beside samples -------------------------------------------------
 */

/* Flare samples elapsed time, and measures what of it each thread ran. */
static bool series_is_cpu(const ts_series *s, const ts_lane *thread)
{
    return s->kind == TS_LANE_SERIES && !s->itid.null && !thread->itid.null &&
           s->itid.value == thread->itid.value && !s->source.null && !thread->source.null &&
           s->source.value == thread->source.value && ts_text_is(s->name, "cpu_time") &&
           ts_text_is(s->unit, "\xc2\xb5s");
}

static ts_code timeline_measured(void *user, size_t number, const ts_lane_sum *cells)
{
    static const double ns_per_us = 1000;
    const timeline_sums *s = user;
    uint32_t count = s->t->columns.count;
    uint64_t *sums =
        s->kind->sums + T_PARTS * (size_t)count * ((uint32_t *)s->kind->row_of.p)[number];
    for (size_t c = 0; c < count; c++, sums += T_PARTS) {
        const ts_lane_values *v = &cells[c].values;
        double ns = v->count == 0 ? 0 : (v->sum + v->error) * ns_per_us;
        uint64_t cpu = ns > 0 && ns < (double)INT64_MAX ? (uint64_t)ns : 0;
        uint64_t rest = sums[T_BUSY] > cpu ? sums[T_BUSY] - cpu : 0;
        sums[T_BUSY] = cpu;
        sums[T_WAITING] += rest;
    }
    return TS_OK;
}

static ts_code timeline_cpu(timeline *t, timeline_kind *k)
{
    ts_ctx *ctx = ts_view_ctx(t->call);
    ts_model *m = t->call->views->model;
    timeline_sums sums = {t, k};
    const ts_series_list *list = NULL;
    const ts_time_lanes *lanes = NULL;
    k->lanes.n = 0;
    k->row_of.n = 0;
    ts_code code = ts_series_get(&list, m);
    TS_STEP(code, ts_time_lanes_get(&lanes, m, TS_LANE_SERIES));
    for (size_t i = 0; code == TS_OK && i < list->all.n; i++) {
        const ts_series *s = (const ts_series *)list->all.p + i;
        for (uint32_t row = 0; code == TS_OK && row < k->n; row++) {
            TS_STEP_IF(code, series_is_cpu(s, k->rows[row]),
                       ts_vec_push(ctx, &k->lanes, &s->lane, sizeof s->lane));
            TS_STEP_IF(code, series_is_cpu(s, k->rows[row]),
                       ts_vec_push(ctx, &k->row_of, &row, sizeof row));
        }
    }
    TS_STEP(code, ts_time_lanes_draw(m, lanes, k->lanes.p, k->lanes.n, &t->columns,
                                     timeline_measured, &sums));
    return code;
}

/* Only these are read for it. */
static bool timeline_has_series(const timeline *t)
{
    return ts_rows_count(ts_model_rows(t->call->views->model), "flare_thread") > 0;
}

static void timeline_put(timeline *t, const timeline_kind *k, unsigned row)
{
    ts_jout *out = t->call->out;
    static const char *const names[T_PARTS] = {"busy", "waiting", "starts"};
    const uint64_t *sums = k->sums + T_PARTS * (size_t)t->columns.count * row;
    ts_jout_open(out, NULL, '{');
    ts_jout_str(out, "kind", k == t->kinds ? "sample" : "slice");
    ts_view_int(out, "source_id", k->rows[row]->source);
    ts_view_int(out, "itid", k->rows[row]->itid);
    for (unsigned part = 0; part < T_PARTS; part++) {
        ts_jout_open(out, names[part], '[');
        for (uint32_t c = 0; c < t->columns.count; c++) {
            ts_jout_uint(out, NULL, sums[T_PARTS * (size_t)c + part]);
        }
        ts_jout_close(out, ']');
    }
    ts_jout_close(out, '}');
    ts_jout_line(out);
}

static ts_code timeline_draw(timeline *t, timeline_kind *k)
{
    ts_ctx *ctx = ts_view_ctx(t->call);
    timeline_sums sums = {t, k};
    ts_code code;
    TS_TRY_INTO(code, timeline_rows(t, k));
    k->sums = ts_zalloc(ctx, (size_t)k->n * t->columns.count + 1, T_PARTS * sizeof *k->sums);
    TS_NEED(ctx, k->sums);
    code = ts_time_lanes_draw(t->call->views->model, k->all, k->lanes.p, k->lanes.n, &t->columns,
                              timeline_lane, &sums);
    TS_STEP_IF(code, k == t->kinds && timeline_has_series(t), timeline_cpu(t, k));
    for (unsigned i = 0; code == TS_OK && i < k->n; i++) {
        timeline_put(t, k, i);
    }
    return code;
}

static ts_code timeline_all(timeline *t)
{
    ts_jout *out = t->call->out;
    ts_code code = TS_OK;
    timeline_columns(t);
    ts_jout_open(out, NULL, '{');
    if (t->columns.count > 0) {
        ts_jout_int(out, "from", ts_view_since(t->call, (int64_t)t->columns.begin));
        ts_jout_uint(out, "step", t->columns.width);
    }
    ts_jout_uint(out, "columns", t->columns.count);
    ts_jout_open(out, "threads", '[');
    for (unsigned k = 0; code == TS_OK && t->columns.count > 0 && k < 2; k++) {
        code = timeline_draw(t, &t->kinds[k]);
    }
    ts_jout_close(out, ']');
    ts_jout_uint(out, "row_count", t->number);
    ts_jout_close(out, '}');
    return code;
}

ts_code ts_timeline_run(ts_view_call *call)
{
    static const ts_view_value none;
    ts_ctx *ctx = ts_view_ctx(call);
    ts_model *m = call->views->model;
    timeline *t = ts_zalloc(ctx, 1, sizeof *t);
    ts_code code;
    TS_NEED(ctx, t);
    t->call = call;
    t->chosen = (ts_chosen){.source = ts_view_value_of(call, P_SOURCE),
                            .threads = ts_view_value_of(call, P_THREADS),
                            .event = &none};
    if ((code = ts_time_lanes_get(&t->kinds[0].all, m, TS_LANE_SAMPLE)) == TS_OK &&
        (code = ts_time_lanes_get(&t->kinds[1].all, m, TS_LANE_CALL)) == TS_OK) {
        code = timeline_all(t);
    }
    for (unsigned k = 0; k < 2; k++) {
        ts_vec_free(ctx, &t->kinds[k].lanes);
        ts_vec_free(ctx, &t->kinds[k].row_of);
        ts_free(ctx, t->kinds[k].sums);
    }
    ts_free(ctx, t);
    return code;
}

/* --- series ----------------------------------------------------------------------------------- */

enum { S_SOURCE, S_THREAD, S_FROM, S_TO, S_PX, SERIES_ROWS = 20000 };

const ts_view_param ts_series_params[] = {
    TS_PARAM_SOURCE,
    TS_PARAM_ANY("thr", "itid of the thread; else series of all, and of none"),
    TS_PARAM_TIME("from", true),
    TS_PARAM_TIME("to", true),
    TS_PARAM_PX(1, TIMELINE_COLUMNS, 1600, "columns"),
    {.name = NULL}};

int64_t ts_view_column(int64_t from, int64_t to, int64_t px)
{
    uint64_t span = to > from ? (uint64_t)to - (uint64_t)from : 1;
    uint64_t width = span / (uint64_t)px + (span % (uint64_t)px != 0);
    return width > INT64_MAX ? INT64_MAX : (int64_t)width;
}

/* The last value before the range, which holds in it until the next. */
typedef struct series_before {
    bool known;
    double value;
} series_before;

/* Series of one table. */
typedef struct series_pass {
    ts_view_call *call;
    ts_lane_columns columns;
    int64_t first; /* number of the first column */
    uint64_t rows;
    ts_vec before; /* series_before of each */
    ts_vec all;    /* const ts_series * */
    ts_vec lanes;  /* uint32_t of each */
} series_pass;

static void series_value(ts_jout *out, bool known, double value)
{
    if (known) {
        ts_jout_real(out, NULL, value);
    } else {
        ts_jout_null(out, NULL);
    }
}

static ts_code series_lane(void *user, size_t number, const ts_lane_sum *cells)
{
    series_pass *p = user;
    const ts_series *s = ((const ts_series **)p->all.p)[number];
    ts_jout *out = p->call->out;
    const series_before before = ((const series_before *)p->before.p)[number];
    bool any = before.known;
    for (uint32_t c = 0; c < p->columns.count && !any; c++) {
        any = cells[c].rows > 0;
    }
    if (!any) {
        return TS_OK;
    }
    ts_jout_open(out, NULL, '{');
    ts_jout_int(out, "id", s->id);
    ts_view_int(out, "itid", s->itid);
    ts_view_int(out, "ipid", s->ipid);
    ts_view_text(out, "name", s->name);
    ts_view_text(out, "unit", s->unit);
    ts_jout_str(out, "table", ts_lane_kind_name(s->kind));
    ts_view_text(out, "owner", s->owner);
    if (before.known) {
        ts_jout_real(out, "before", before.value);
    } else {
        ts_jout_null(out, "before");
    }
    ts_jout_open(out, "rows", '[');
    for (uint32_t c = 0; c < p->columns.count && p->rows < SERIES_ROWS; c++) {
        const ts_lane_values *v = &cells[c].values;
        if (cells[c].rows == 0) {
            continue;
        }
        p->rows++;
        ts_jout_open(out, NULL, '[');
        ts_jout_int(out, NULL, ts_sat_add(p->first, c));
        series_value(out, v->count > 0, v->least);
        series_value(out, v->count > 0, v->greatest);
        series_value(out, v->count > 0, v->count > 0 ? ts_lane_mean(v) : 0);
        ts_jout_close(out, ']');
    }
    ts_jout_close(out, ']');
    ts_jout_close(out, '}');
    return TS_OK;
}

static ts_code series_earlier(void *user, size_t number, const ts_lane_sum *cells)
{
    series_pass *p = user;
    (void)number;
    series_before *before = ts_vec_add(ts_view_ctx(p->call), &p->before, sizeof *before);
    TS_NEED(ts_view_ctx(p->call), before);
    *before = (series_before){cells[0].values.count > 0, cells[0].values.last};
    return TS_OK;
}

/* Those of the kind that are wanted. */
static ts_code series_kind(series_pass *p, const ts_series_list *list, ts_lane_kind kind)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    const ts_view_value *source = ts_view_value_of(p->call, S_SOURCE);
    const ts_view_value *thread = ts_view_value_of(p->call, S_THREAD);
    const ts_series *all = list->all.p;
    const ts_time_lanes *lanes = NULL;
    ts_code code = ts_time_lanes_get(&lanes, p->call->views->model, kind);
    const ts_lane_columns earlier = {INT64_MIN, UINT64_MAX, 1, INT64_MIN,
                                     ts_sat_sub(p->columns.from, 1)};
    p->all.n = 0;
    p->before.n = 0;
    p->lanes.n = 0;
    for (size_t i = 0; code == TS_OK && i < list->all.n; i++) {
        const ts_series *s = &all[i];
        if (s->kind != kind ||
            (thread->given && (s->itid.null || s->itid.value != thread->number)) ||
            (source->given && (s->source.null || !ts_view_has(source, s->source.value)))) {
            continue;
        }
        const ts_series **one = ts_vec_add(ctx, &p->all, sizeof *one);
        uint32_t *lane = one == NULL ? NULL : ts_vec_add(ctx, &p->lanes, sizeof *lane);
        TS_NEED(ctx, lane);
        *one = s;
        *lane = s->lane;
    }
    TS_STEP(code, ts_time_lanes_draw(p->call->views->model, lanes, p->lanes.p, p->lanes.n, &earlier,
                                     series_earlier, p));
    TS_STEP(code, ts_time_lanes_draw(p->call->views->model, lanes, p->lanes.p, p->lanes.n,
                                     &p->columns, series_lane, p));
    return code;
}

ts_code ts_series_run(ts_view_call *call)
{
    int64_t origin = ts_view_db_origin(call->views, call->db);
    const ts_series_list *list = NULL;
    series_pass p = {.call = call,
                     .columns = ts_lane_columns_of(origin, ts_view_time(call, S_FROM, 0),
                                                   ts_view_time(call, S_TO, 0),
                                                   ts_view_value_of(call, S_PX)->number)};
    p.first = (int64_t)((p.columns.begin - origin) / (ts_wide)p.columns.width);
    ts_code code = ts_series_get(&list, call->views->model);
    ts_jout_open(call->out, NULL, '{');
    ts_jout_uint(call->out, "px_ns", p.columns.width);
    ts_jout_open(call->out, "series", '[');
    for (ts_lane_kind kind = TS_LANE_SERIES; code == TS_OK && kind < TS_LANES; kind++) {
        code = series_kind(&p, list, kind);
    }
    ts_jout_close(call->out, ']');
    ts_jout_bool(call->out, "truncated", p.rows == SERIES_ROWS);
    ts_jout_close(call->out, '}');
    ts_vec_free(ts_view_ctx(call), &p.all);
    ts_vec_free(ts_view_ctx(call), &p.before);
    ts_vec_free(ts_view_ctx(call), &p.lanes);
    return code;
}

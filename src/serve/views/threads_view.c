/*
 * GET threads: the rows of v_thread_cpu, what each thread did with its time (model/spent.h), and
 * how much there was of it over time. Threads of which only the scheduler says something have a row
 * of kind sched.
 */
#include "model/spent.h"
#include "serve/views/flame.h"
#include "serve/views/views_private.h"

enum { P_SOURCE, P_OFFSET, P_LIMIT, P_BUCKETS };

const ts_view_param ts_threads_params[] = {
    TS_PARAM_SOURCE,
    TS_PARAMS_PAGE(10000, 1000, "rows"),
    TS_PARAM_PX(0, 4096, 120, "at most so many columns, and one, of each spark line"),
    {.name = NULL}};

/* The columns of names, found by the rows of the thread. */
static const char names_sql[] =
    "SELECT CASE WHEN q.pid_known THEN p.pid END AS pid, p.name AS process, t.tid AS tid, "
    "t.name AS thread, x.tid_kind AS tid_kind, t.ipid AS ipid FROM (SELECT 1) "
    "LEFT JOIN thread AS t ON t.rowid = ?1 + 1 LEFT JOIN thread_detail AS x ON x.rowid = ?1 + 1 "
    "LEFT JOIN process AS p ON p.rowid = t.ipid + 1 "
    "LEFT JOIN process_detail AS q ON q.rowid = t.ipid + 1";

static ts_code thread_names(ts_view_call *call, sqlite3_stmt *stmt, bool has_itid, int64_t itid)
{
    static const char *const names[] = {"pid", "process", "tid", "thread", "tid_kind", "ipid"};
    const ts_rows_from from = ts_view_rows(call);
    bool row;
    sqlite3_reset(stmt);
    sqlite3_bind_null(stmt, 1);
    if (has_itid) {
        sqlite3_bind_int64(stmt, 1, itid);
    }
    ts_code code = ts_stmt_step(&row, &from, stmt);
    for (int i = 0; code == TS_OK && row && i < 6; i++) {
        ts_view_cell(call->out, names[i], stmt, i);
    }
    return code;
}

static void thread_sum(ts_jout *out, const char *key, bool known, ts_wide sum)
{
    if (known) {
        ts_wide_put(out, key, sum);
    } else {
        ts_jout_null(out, key);
    }
}

static void spent_free(ts_ctx *ctx, void *what)
{
    ts_vec_free(ctx, what);
    ts_free(ctx, what);
}

static ts_code spent_build(void **what, ts_model *m, const void *user)
{
    const ts_select all = {.sources = {.all = true}, .threads = {.all = true}, .span = TS_SPAN_ALL};
    ts_vec *spent = ts_zalloc(ts_model_ctx(m), 1, sizeof *spent);
    (void)user;
    *what = spent;
    return spent == NULL ? ts_model_ctx(m)->error.code : ts_spent_get(spent, m, &all);
}

/* Of the thread, or of the source's samples without one; its place, or the number of them. They are
 * in the order of ts_spent_get. */
static size_t spent_find(const ts_vec *all, bool has_itid, int64_t itid, int64_t source)
{
    const ts_spent *spent = all->p;
    size_t low = 0;
    size_t high = all->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const ts_spent *s = &spent[middle];
        bool before = s->has_itid != has_itid ? has_itid
                      : has_itid              ? s->itid < itid
                                              : s->source_id < source;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    bool found = low < all->n && spent[low].has_itid == has_itid &&
                 (has_itid ? spent[low].itid == itid : spent[low].source_id == source);
    return found ? low : all->n;
}

/* What the thread did: of each row of a thread the same. s NULL: no time is recorded. */
static void thread_spent(ts_jout *out, const ts_spent *s)
{
    thread_sum(out, "busy_dur", s != NULL && s->cpu_from != 0, s == NULL ? 0 : s->cpu);
    ts_jout_str(out, "cpu_from", s == NULL ? "" : ts_spent_cpu_from(s));
    ts_jout_bool(out, "estimated", s != NULL && s->estimated);
    ts_jout_open(out, "waiting", '{');
    for (unsigned i = 0; s != NULL && i < TS_WAIT_REASONS; i++) {
        if (s->waiting[i] > 0) {
            ts_jout_int(out, ts_wait_reason_name(i), s->waiting[i]);
        }
    }
    ts_jout_close(out, '}');
    thread_sum(out, "wait_dur", s != NULL, s == NULL ? 0 : ts_spent_waiting(s));
    thread_sum(out, "paused", s != NULL, s == NULL ? 0 : s->paused);
    thread_sum(out, "unknown", s != NULL && s->length >= 0, s == NULL ? 0 : s->unknown);
    thread_sum(out, "length", s != NULL && s->length >= 0, s == NULL ? 0 : s->length);
}

static void thread_sums(ts_view_call *call, const ts_time_lanes *all, const ts_lane *l, bool sample)
{
    ts_jout *out = call->out;
    if (!sample) {
        ts_jout_str(out, "event", "call");
    } else if (l->name == TS_NO_INDEX) {
        ts_jout_null(out, "event");
    } else {
        ts_view_text(out, "event", ts_pool_text(&all->names, l->name));
    }
    ts_jout_str(out, "kind", sample ? "sample" : "slice");
    ts_jout_uint(out, "count", l->rows);
    thread_sum(out, "dur", l->dur_rows > 0, l->dur);
    thread_sum(out, "cpu_dur", !sample && l->cpu_rows > 0, l->cpu);
    if (l->first <= l->last) {
        ts_jout_int(out, "first", ts_view_since(call, l->first));
        ts_jout_int(out, "last", ts_view_since(call, l->last));
    } else {
        ts_jout_null(out, "first");
        ts_jout_null(out, "last");
    }
}

/* Samples or calls. */
typedef struct threads_kind {
    const ts_time_lanes *all;
    ts_lane_columns columns;
    ts_vec shown; /* uint32_t: lanes in the reply */
} threads_kind;

typedef struct threads_pass {
    ts_view_call *call;
    sqlite3_stmt *names;
    const ts_vec *spent; /* of ts_spent */
    bool *shown;         /* of each: a lane has it */
    uint64_t number;     /* of the row */
    threads_kind kinds[2];
    threads_kind *kind; /* of them */
} threads_pass;

/* cells NULL: without a spark line. */
static ts_code thread_lane(void *user, size_t number, const ts_lane_sum *cells)
{
    threads_pass *p = user;
    ts_jout *out = p->call->out;
    const ts_lane *l =
        (const ts_lane *)p->kind->all->lanes.p + ((const uint32_t *)p->kind->shown.p)[number];
    size_t spent = spent_find(p->spent, !l->itid.null, l->itid.value, l->source.value);
    ts_jout_open(out, NULL, '{');
    ts_view_int(out, "source_id", l->source);
    ts_view_int(out, "itid", l->itid);
    ts_code code = thread_names(p->call, p->names, !l->itid.null, l->itid.value);
    thread_sums(p->call, p->kind->all, l, p->kind == p->kinds);
    thread_spent(out, spent == p->spent->n ? NULL : (const ts_spent *)p->spent->p + spent);
    if (ts_view_value_of(p->call, P_BUCKETS)->number > 0) {
        ts_jout_open(out, "spark", '[');
        for (uint32_t c = 0; c < p->kind->columns.count; c++) {
            ts_jout_int(out, NULL, cells[c].ns[0]);
        }
        ts_jout_close(out, ']');
    }
    ts_jout_close(out, '}');
    ts_jout_line(out);
    return code;
}

static ts_code threads_of(threads_pass *p, threads_kind *kind)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    const ts_view_value *source = ts_view_value_of(p->call, P_SOURCE);
    const ts_page page = ts_view_page(p->call, P_OFFSET);
    const ts_lane *lanes = kind->all->lanes.p;
    for (size_t i = 0; i < kind->all->lanes.n; i++) {
        const ts_lane *l = &lanes[i];
        p->shown[spent_find(p->spent, !l->itid.null, l->itid.value, l->source.value)] = true;
        if (source->given && (l->source.null || !ts_view_has(source, l->source.value))) {
            continue;
        }
        uint64_t number = p->number++;
        uint32_t *shown = NULL;
        if (number >= page.first && number < page.end) {
            TS_NEED(ctx, (shown = ts_vec_add(ctx, &kind->shown, sizeof *shown)));
            *shown = (uint32_t)i;
        }
    }
    p->kind = kind;
    if (kind->columns.count > 0) {
        return ts_time_lanes_draw(p->call->views->model, kind->all, kind->shown.p, kind->shown.n,
                                  &kind->columns, thread_lane, p);
    }
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < kind->shown.n; i++) {
        code = thread_lane(p, i, NULL);
    }
    return code;
}

/* Threads that have neither samples nor calls. */
static ts_code threads_scheduled(threads_pass *p)
{
    const ts_view_value *source = ts_view_value_of(p->call, P_SOURCE);
    const ts_page page = ts_view_page(p->call, P_OFFSET);
    const ts_spent *all = p->spent->p;
    ts_jout *out = p->call->out;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < p->spent->n; i++) {
        if (p->shown[i] || (source->given && !ts_view_has(source, all[i].source_id))) {
            continue;
        }
        uint64_t number = p->number++;
        if (number < page.first || number >= page.end) {
            continue;
        }
        ts_jout_open(out, NULL, '{');
        thread_sum(out, "source_id", all[i].source_id != 0, all[i].source_id);
        thread_sum(out, "itid", all[i].has_itid, all[i].itid);
        code = thread_names(p->call, p->names, all[i].has_itid, all[i].itid);
        ts_jout_str(out, "kind", "sched");
        thread_spent(out, &all[i]);
        ts_jout_close(out, '}');
        ts_jout_line(out);
    }
    return code;
}

/* Where the columns of spark lines begin and how wide they are. */
static void spark_axis(ts_view_call *call, const char *key, const ts_lane_columns *c)
{
    if (c->count == 0) {
        ts_jout_null(call->out, key);
        return;
    }
    ts_jout_open(call->out, key, '{');
    ts_jout_int(call->out, "from", ts_view_since(call, (int64_t)c->begin));
    ts_jout_uint(call->out, "step", c->width);
    ts_jout_close(call->out, '}');
}

/* From the least to the greatest time of the wanted sources; first > last: there is none. */
static void threads_span(uint64_t *first, uint64_t *last, const threads_pass *p,
                         const ts_time_lanes *all)
{
    const ts_view_value *source = ts_view_value_of(p->call, P_SOURCE);
    const ts_lane *lanes = all->lanes.p;
    for (size_t i = 0; i < all->lanes.n; i++) {
        const ts_lane *l = &lanes[i];
        bool wanted = !source->given || (!l->source.null && ts_view_has(source, l->source.value));
        if (wanted && l->first <= l->last) {
            uint64_t a = ts_time_place(l->first);
            uint64_t b = ts_time_place(l->last);
            *first = a < *first ? a : *first;
            *last = b > *last ? b : *last;
        }
    }
}

static ts_code threads_kind_get(threads_pass *p, threads_kind *kind, ts_lane_kind lanes)
{
    int64_t px = ts_view_value_of(p->call, P_BUCKETS)->number;
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    ts_code code = ts_time_lanes_get(&kind->all, p->call->views->model, lanes);
    if (code == TS_OK && px > 0) {
        threads_span(&first, &last, p, kind->all);
        kind->columns = ts_view_powers(first, last, (uint64_t)px);
    }
    return code;
}

/* The kinds of values that samples have, beside their dur. */
static ts_code threads_values(ts_view_call *call)
{
    const ts_rows_from from = ts_view_rows(call);
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    ts_code code = ts_stmt_prepare(
        &stmt, &from, "SELECT source_id, name, unit FROM stack_value_type ORDER BY id LIMIT 1000");
    ts_jout_open(call->out, "values", '[');
    while (code == TS_OK && row) {
        code = ts_stmt_step(&row, &from, stmt);
        if (code == TS_OK && row) {
            ts_jout_open(call->out, NULL, '{');
            ts_view_cell(call->out, "source_id", stmt, 0);
            ts_view_cell(call->out, "name", stmt, 1);
            ts_view_cell(call->out, "unit", stmt, 2);
            ts_jout_close(call->out, '}');
        }
    }
    ts_jout_close(call->out, ']');
    sqlite3_finalize(stmt);
    return code;
}

static ts_code threads_spent(threads_pass *p)
{
    ts_ctx *ctx = ts_view_ctx(p->call);
    void *what;
    ts_code code =
        ts_model_keep(&what, p->call->views->model, "spent", "", spent_build, spent_free, NULL);
    if (code == TS_OK) {
        p->spent = what;
        p->shown = ts_zalloc(ctx, p->spent->n + 1, sizeof *p->shown);
        code = p->shown == NULL ? ctx->error.code : TS_OK;
    }
    return code;
}

ts_code ts_threads_run(ts_view_call *call)
{
    const ts_rows_from from = ts_view_rows(call);
    threads_pass pass = {.call = call};
    ts_code code = threads_kind_get(&pass, &pass.kinds[0], TS_LANE_SAMPLE);
    TS_STEP(code, threads_kind_get(&pass, &pass.kinds[1], TS_LANE_CALL));
    TS_STEP(code, threads_spent(&pass));
    TS_STEP(code, ts_stmt_prepare(&pass.names, &from, names_sql));
    if (code == TS_OK) {
        ts_jout_open(call->out, NULL, '{');
        spark_axis(call, "samples", &pass.kinds[0].columns);
        spark_axis(call, "slices", &pass.kinds[1].columns);
        ts_jout_open(call->out, "threads", '[');
        code = threads_of(&pass, &pass.kinds[0]);
    }
    TS_STEP(code, threads_of(&pass, &pass.kinds[1]));
    if (code == TS_OK) {
        code = threads_scheduled(&pass);
        ts_jout_close(call->out, ']');
        ts_jout_uint(call->out, "row_count", pass.number);
    }
    if (code == TS_OK) {
        code = threads_values(call);
        ts_jout_close(call->out, '}');
    }
    sqlite3_finalize(pass.names);
    for (unsigned i = 0; i < 2; i++) {
        ts_vec_free(ts_view_ctx(call), &pass.kinds[i].shown);
    }
    ts_free(ts_view_ctx(call), pass.shown);
    return code;
}

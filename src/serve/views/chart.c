/*
 * GET chart: the stacks of one thread in the order of time. Frames that follow each other without a
 * gap, below equal callers and of the same method, are one bar; bars below a pixel are added up.
 */
#include "serve/views/timeline.h"

#include "serve/views/frame_tree.h"

enum { P_SOURCE, P_THREAD, P_EVENT, P_FROM, P_TO, P_PX, P_DEMANGLE };
enum { CHART_DEPTH = 5000, CHART_BARS = 16, CHART_STEPS = 1 << 22 };

const ts_view_param ts_chart_params[] = {
    TS_PARAM_SOURCE,
    TS_PARAM_THREADS(false, "itid of the thread; needed when there are several"),
    TS_PARAM_EVENT("stack_sample.event; needed when the thread has several"),
    TS_PARAM_TIME("from", false),
    TS_PARAM_TIME("to", false),
    TS_PARAM_PX(1, 4096, 1600, "columns"),
    TS_PARAM_DEMANGLE,
    {.name = NULL}};

/* A bar, or short bars of one level that begin in one column (n > 0). */
typedef struct chart_bar {
    int64_t begin;
    int64_t end;
    int64_t ns;
    uint64_t n;
    uint32_t node;
    uint32_t depth;
} chart_bar;

/* A frame that is open. */
typedef struct chart_frame {
    uint32_t first; /* node at its beginning */
    uint32_t node;  /* of the last sample: the line may be another */
    int64_t begin;
} chart_frame;

/* A sample in the range. */
typedef struct chart_sample {
    int64_t ts;
    int64_t end;
    uint32_t node;
} chart_sample;

typedef struct chart {
    ts_view_call *call;
    const ts_paths *paths;
    ts_chosen chosen;
    int64_t width;
    size_t most; /* bars; at least one a level is possible */
    chart_frame open[CHART_DEPTH];
    uint32_t depth; /* frames open */
    uint32_t path[CHART_DEPTH];
    chart_sample last; /* not yet taken: the next one may cut it; node TS_NO_INDEX: none */
    bool pending;
    int64_t end;               /* of what was taken */
    ts_vec bars;               /* of chart_bar */
    size_t small[CHART_DEPTH]; /* number of the last short bar of each level + 1 */
    bool disorder;
    bool cut;
    uint64_t steps;
    const ts_time_lanes *lanes;
    bool *wanted;   /* of them: the one that is meant */
    ts_vec samples; /* of chart_sample: all, when they are not in order */
    ts_method_list methods;
} chart;

/* --- bars ------------------------------------------------------------------------------------- */

static uint64_t chart_column(const chart *c, int64_t ts)
{
    return ((uint64_t)ts - (uint64_t)c->chosen.from) / (uint64_t)c->width;
}

/* Adds a short bar to the one before of its level, if that begins in the same column. */
static bool bar_joins(chart *c, chart_bar *bars, const chart_bar *b)
{
    if (c->small[b->depth] == 0) {
        return false;
    }
    chart_bar *before = &bars[c->small[b->depth] - 1];
    if (chart_column(c, before->begin) != chart_column(c, b->begin)) {
        return false;
    }
    before->end = b->end > before->end ? b->end : before->end;
    before->ns = ts_sat_add(before->ns, b->ns);
    before->n += b->n;
    return true;
}

/* Doubles the width of columns and joins anew. */
static void bars_widen(chart *c)
{
    chart_bar *bars = c->bars.p;
    size_t n = 0;
    c->width = ts_sat_mul(c->width, 2);
    memset(c->small, 0, sizeof c->small);
    for (size_t i = 0; i < c->bars.n; i++) {
        chart_bar b = bars[i];
        if (b.n == 0 && b.end - b.begin < c->width) {
            b.n = 1;
        }
        if (b.n > 0 && bar_joins(c, bars, &b)) {
            continue;
        }
        bars[n++] = b;
        c->small[b.depth] = b.n > 0 ? n : c->small[b.depth];
    }
    c->bars.n = n;
}

static ts_code bar_put(chart *c, uint32_t depth, int64_t end)
{
    const chart_frame *f = &c->open[depth];
    chart_bar b = {.begin = f->begin,
                   .end = end,
                   .ns = ts_sat_sub(end, f->begin),
                   .node = f->first,
                   .depth = depth};
    b.n = b.ns < c->width ? 1 : 0;
    if (b.n > 0 && bar_joins(c, c->bars.p, &b)) {
        return TS_OK;
    }
    chart_bar *bar = ts_vec_add(ts_view_ctx(c->call), &c->bars, sizeof *bar);
    if (bar == NULL) {
        return ts_view_ctx(c->call)->error.code;
    }
    *bar = b;
    c->small[depth] = b.n > 0 ? c->bars.n : c->small[depth];
    while (c->bars.n > c->most && c->width < ts_sat_sub(c->chosen.to, c->chosen.from)) {
        bars_widen(c);
    }
    return TS_OK;
}

static ts_code bars_close(chart *c, uint32_t depth)
{
    ts_code code = TS_OK;
    while (code == TS_OK && c->depth > depth) {
        code = bar_put(c, --c->depth, c->end);
    }
    return code;
}

/* --- samples ---------------------------------------------------------------------------------- */

/* Puts the path of a node into c->path, as far up as it is not open already; *same: frames above.
 */
static uint32_t chart_path(uint32_t *same, chart *c, uint32_t node)
{
    const ts_paths *p = c->paths;
    for (; p->depth[node] >= CHART_DEPTH; node = p->parent[node]) {
        c->cut = true;
        c->steps++;
    }
    uint32_t depth = p->depth[node] + 1;
    uint32_t at = depth;
    for (; at > 0; node = p->parent[node], c->steps++) {
        if (at <= c->depth && c->open[at - 1].node == node) {
            break;
        }
        c->path[--at] = node;
    }
    *same = at;
    return depth;
}

/* Takes a sample that begins where the last one ended, or later. */
static ts_code chart_take(chart *c, const chart_sample *s)
{
    const uint32_t *method = c->paths->method;
    ts_code code = TS_OK;
    uint32_t same;
    if (s->ts > c->end) {
        code = bars_close(c, 0);
    }
    uint32_t depth = chart_path(&same, c, s->node);
    while (same < depth && same < c->depth && method[c->path[same]] != TS_NO_INDEX &&
           method[c->open[same].node] == method[c->path[same]]) {
        c->open[same].node = c->path[same];
        same++;
    }
    TS_STEP(code, bars_close(c, same));
    for (uint32_t i = same; code == TS_OK && i < depth; i++) {
        c->open[i] = (chart_frame){c->path[i], c->path[i], s->ts};
    }
    c->depth = code == TS_OK ? depth : c->depth;
    c->end = s->end;
    if (code == TS_OK && c->steps > CHART_STEPS) {
        c->steps = 0;
        code = ts_guard_check(c->call->guard, ts_view_ctx(c->call));
    }
    return code;
}

/* The sample before ends where this one begins, if it lasted longer. */
static ts_code chart_feed(chart *c, const chart_sample *s)
{
    ts_code code = TS_OK;
    if (c->pending) {
        if (s != NULL && c->last.end > s->ts) {
            c->last.end = s->ts;
        }
        if (c->last.end > c->last.ts && c->last.node != TS_NO_INDEX) {
            code = chart_take(c, &c->last);
        }
    }
    c->pending = s != NULL;
    if (s != NULL) {
        c->last = *s;
    }
    return code;
}

enum { C_SOURCE, C_ITID, C_TS, C_DUR, C_NODE, C_EVENT };

static ts_code chart_row(chart *c, const ts_batch *b, unsigned i, bool collect)
{
    ts_ctx *ctx = ts_view_ctx(c->call);
    ts_cell ts = ts_cell_of(b, C_TS, i);
    ts_cell dur = ts_cell_of(b, C_DUR, i);
    ts_cell node = ts_cell_of(b, C_NODE, i);
    const ts_view_value *event = c->chosen.event;
    if (ts.null || dur.null || dur.value <= 0 || ts.value >= c->chosen.to ||
        ts_sat_add(ts.value, dur.value) <= c->chosen.from ||
        !ts_chosen_row(&c->chosen, ts_cell_of(b, C_SOURCE, i), ts_cell_of(b, C_ITID, i)) ||
        (event->given &&
         (b->columns[C_EVENT].null[i] || b->columns[C_EVENT].texts[i].n != event->text.n ||
          memcmp(b->columns[C_EVENT].texts[i].p, event->text.p, event->text.n) != 0))) {
        return TS_OK;
    }
    chart_sample s = {.ts = ts.value, .end = ts_sat_add(ts.value, dur.value), .node = TS_NO_INDEX};
    s.ts = s.ts < c->chosen.from ? c->chosen.from : s.ts;
    s.end = s.end > c->chosen.to ? c->chosen.to : s.end;
    if (!node.null && (s.node = ts_ids_find(&c->paths->nodes, node.value)) == TS_NO_INDEX) {
        return ts_fail(ctx, TS_ERR_INPUT, "no call path %lld", (long long)node.value);
    }
    if (collect) {
        chart_sample *kept = ts_vec_add(ctx, &c->samples, sizeof *kept);
        TS_NEED(ctx, kept);
        *kept = s;
        return TS_OK;
    }
    if (c->pending && s.ts < c->last.ts) {
        c->disorder = true;
        return TS_OK;
    }
    return chart_feed(c, &s);
}

static ts_code chart_scan(chart *c, bool collect)
{
    static const unsigned columns[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                       TS_C_stack_sample__ts,        TS_C_stack_sample__dur,
                                       TS_C_stack_sample__node_id,   TS_C_stack_sample__event};
    const ts_rows_from from = ts_view_rows(c->call);
    const ts_batch *b;
    ts_rows *rows = NULL;
    ts_lane_walk walk = {0};
    unsigned n = 1;
    ts_code code =
        ts_rows_open(&rows, &from, TS_T_stack_sample, columns, c->chosen.event->given ? 6 : 5);
    TS_STEP(code, ts_lane_walk_begin(&walk, c->call->views->model, c->lanes, c->wanted,
                                     c->chosen.from, c->chosen.to, rows));
    while (code == TS_OK && n > 0 && !c->disorder &&
           (code = ts_lane_walk_next(&b, &n, &walk)) == TS_OK) {
        for (unsigned i = 0; code == TS_OK && i < n && !c->disorder; i++) {
            code = chart_row(c, b, i, collect);
        }
    }
    ts_rows_close(rows);
    ts_lane_walk_free(ts_view_ctx(c->call), &walk);
    TS_STEP_IF(code, !collect && !c->disorder, chart_feed(c, NULL));
    return code;
}

static void chart_restart(chart *c)
{
    c->depth = 0;
    c->pending = false;
    c->end = INT64_MIN;
    c->bars.n = 0;
    memset(c->small, 0, sizeof c->small);
}

/* All samples of the range, sorted by ts, equal ones in the order of rows. */
static ts_code chart_sorted(chart *c)
{
    ts_ctx *ctx = ts_view_ctx(c->call);
    uint32_t *places = NULL;
    ts_wide *keys = NULL;
    int64_t width = c->width;
    chart_restart(c);
    c->disorder = false;
    ts_code code = chart_scan(c, true);
    c->width = width;
    size_t n = c->samples.n;
    const chart_sample *samples = c->samples.p;
    TS_STEP_IF(code,
               ((places = ts_alloc(ctx, n, sizeof *places)) == NULL ||
                (keys = ts_alloc(ctx, n, sizeof *keys)) == NULL),
               ctx->error.code);
    if (code == TS_OK) {
        for (size_t i = 0; i < n; i++) {
            places[i] = (uint32_t)i;
            keys[i] = -(ts_wide)samples[i].ts;
        }
        ts_sort_places(places, n, keys);
    }
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        code = chart_feed(c, &samples[places[i]]);
    }
    TS_STEP(code, chart_feed(c, NULL));
    ts_free(ctx, places);
    ts_free(ctx, keys);
    return code;
}

/* --- a request -------------------------------------------------------------------------------- */

/* One thread for one event must be meant. Without a range: all its time. */
static ts_code chart_lane(chart *c)
{
    ts_ctx *ctx = ts_view_ctx(c->call);
    const ts_lane *lanes = c->lanes->lanes.p;
    const ts_lane *found = NULL;
    c->wanted = ts_zalloc(ctx, c->lanes->lanes.n + 1, sizeof *c->wanted);
    TS_NEED(ctx, c->wanted);
    for (size_t i = 0; i < c->lanes->lanes.n; i++) {
        const ts_lane *l = &lanes[i];
        if (l->first > l->last || !ts_chosen_lane(&c->chosen, c->lanes, l)) {
            continue;
        }
        if (found != NULL) {
            bool thread = found->itid.value == l->itid.value &&
                          found->source.value == l->source.value &&
                          found->itid.null == l->itid.null && found->source.null == l->source.null;
            return ts_fail(ctx, TS_ERR_USAGE, "choose %s",
                           thread ? "an event" : "one thread of one source");
        }
        found = l;
        c->wanted[i] = true;
    }
    if (!ts_view_value_of(c->call, P_FROM)->given) {
        c->chosen.from = found == NULL ? 0 : found->first;
    }
    if (!ts_view_value_of(c->call, P_TO)->given) {
        c->chosen.to = found == NULL ? 0 : found->last;
    }
    return TS_OK;
}

static ts_code chart_put(chart *c)
{
    static const char *const names[] = {"depth", "ts", "dur", "node", "method",
                                        "depth", "ts", "dur", "n",    "ns"};
    ts_ctx *ctx = ts_view_ctx(c->call);
    ts_jout *out = c->call->out;
    const chart_bar *bars = c->bars.p;
    ts_code code;
    TS_TRY_INTO(code, ts_method_list_begin(&c->methods, ctx, c->paths));
    c->methods.demangle = ts_view_value_of(c->call, P_DEMANGLE)->number != 0;
    ts_jout_open(out, NULL, '{');
    ts_jout_int(out, "from", ts_view_since(c->call, c->chosen.from));
    ts_jout_int(out, "to", ts_view_since(c->call, c->chosen.to));
    ts_jout_int(out, "px_ns", c->width);
    ts_jout_bool(out, "depth_cut", c->cut);
    for (unsigned column = 0; column < 10; column++) {
        if (column % 5 == 0) {
            ts_jout_open(out, column == 0 ? "bars" : "small", '{');
        }
        ts_jout_open(out, names[column], '[');
        for (size_t i = 0; code == TS_OK && i < c->bars.n; i++) {
            const chart_bar *b = &bars[i];
            uint32_t method = TS_NO_INDEX;
            if ((b->n > 0) != (column >= 5)) {
                continue;
            }
            if (column == 4) {
                code = ts_method_list_add(&method, ctx, &c->methods, c->paths->method[b->node]);
            }
            const int64_t values[] = {
                b->depth, ts_view_since(c->call, b->begin), ts_sat_sub(b->end, b->begin),
                column < 5 ? ts_ids_at(&c->paths->nodes, b->node) : (int64_t)b->n,
                column >= 5             ? b->ns
                : method == TS_NO_INDEX ? -1
                                        : (int64_t)method};
            ts_jout_int(out, NULL, values[column % 5]);
        }
        ts_jout_close(out, ']');
        if (column % 5 == 4) {
            ts_jout_close(out, '}');
        }
    }
    TS_STEP(code, ts_method_list_write(c->call, "methods", &c->methods, c->paths));
    ts_jout_close(out, '}');
    return code;
}

ts_code ts_chart_run(ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    chart *c = ts_zalloc(ctx, 1, sizeof *c);
    TS_NEED(ctx, c);
    int64_t px = ts_view_value_of(call, P_PX)->number;
    c->call = call;
    c->most = (size_t)px * CHART_BARS;
    c->chosen = (ts_chosen){.source = ts_view_value_of(call, P_SOURCE),
                            .threads = ts_view_value_of(call, P_THREAD),
                            .event = ts_view_value_of(call, P_EVENT),
                            .from = ts_view_time(call, P_FROM, 0),
                            .to = ts_view_time(call, P_TO, 0)};
    ts_code code = ts_paths_get(&c->paths, call);
    TS_STEP(code, ts_time_lanes_get(&c->lanes, call->views->model, TS_LANE_SAMPLE));
    TS_STEP(code, chart_lane(c));
    if (code == TS_OK) {
        c->width = ts_view_column(c->chosen.from, c->chosen.to, px);
        chart_restart(c);
        code = chart_scan(c, false);
    }
    if (code == TS_OK && c->disorder) {
        c->width = ts_view_column(c->chosen.from, c->chosen.to, px);
        code = chart_sorted(c);
    }
    TS_STEP(code, bars_close(c, 0));
    TS_STEP(code, chart_put(c));
    ts_vec_free(ctx, &c->bars);
    ts_vec_free(ctx, &c->samples);
    ts_free(ctx, c->wanted);
    ts_method_list_free(ctx, &c->methods);
    ts_free(ctx, c);
    return code;
}

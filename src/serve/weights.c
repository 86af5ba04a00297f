/* What each call path weighs by itself: of all rows from the sums, of a range from its rows. */
#include "serve/views_private.h"

ts_code ts_chosen_read(ts_chosen *c, ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    const ts_view_value *weight = ts_view_value_of(call, TS_P_WEIGHT);
    *c = (ts_chosen){
        .kind = ts_view_value_of(call, TS_P_KIND)->number == 1 ? TS_KIND_SLICE : TS_KIND_SAMPLE,
        .weight = (ts_weight)weight->number,
        .value = ts_view_value_of(call, TS_P_VALUE)->text,
        .source = ts_view_value_of(call, TS_P_SOURCE),
        .threads = ts_view_value_of(call, TS_P_THREADS),
        .event = ts_view_value_of(call, TS_P_EVENT),
        .ranged =
            ts_view_value_of(call, TS_P_FROM)->given || ts_view_value_of(call, TS_P_TO)->given,
        .from = ts_view_time(call, TS_P_FROM, INT64_MIN),
        .to = ts_view_time(call, TS_P_TO, INT64_MAX),
    };
    if (!weight->given && c->kind == TS_KIND_SLICE) {
        c->weight = TS_WEIGHT_SELF;
    }
    if (c->kind == TS_KIND_SLICE && c->weight != TS_WEIGHT_SELF && c->weight != TS_WEIGHT_SAMPLES) {
        return ts_fail(ctx, TS_ERR_USAGE, "calls have the weights self and samples");
    }
    if (c->kind == TS_KIND_SAMPLE && c->weight == TS_WEIGHT_SELF) {
        return ts_fail(ctx, TS_ERR_USAGE, "samples have no weight self");
    }
    if (c->kind == TS_KIND_SLICE && c->event->given) {
        return ts_fail(ctx, TS_ERR_USAGE, "calls have no event");
    }
    if (c->weight == TS_WEIGHT_VALUE && !ts_view_value_of(call, TS_P_VALUE)->given) {
        return ts_fail(ctx, TS_ERR_USAGE, "weight=value needs the parameter 'value'");
    }
    return TS_OK;
}

bool ts_chosen_row(const ts_chosen *c, ts_cell source, ts_cell itid)
{
    if (c->source->given && (source.null || !ts_view_has(c->source, source.value))) {
        return false;
    }
    for (unsigned i = 0; i < c->threads->id_count; i++) {
        if (!itid.null && c->threads->ids[i] == itid.value) {
            return true;
        }
    }
    return c->threads->id_count == 0;
}

static bool chosen_event(const ts_chosen *c, const char *p, size_t n)
{
    return !c->event->given ||
           (p != NULL && n == c->event->text.n && memcmp(p, c->event->text.p, n) == 0);
}

bool ts_chosen_lane(const ts_chosen *c, const ts_rollup *r, const ts_lane *lane)
{
    const ts_event *events = r->events.p;
    const ts_event none = {0};
    const ts_event *e = lane->event == TS_NO_INDEX ? &none : &events[lane->event];
    return ts_chosen_row(c, (ts_cell){lane->source, !lane->has_source},
                         (ts_cell){lane->itid, !lane->has_itid}) &&
           chosen_event(c, e->p, e->n);
}

uint64_t ts_chosen_threads(const ts_chosen *c)
{
    uint64_t bits = c->threads->id_count == 0 ? UINT64_MAX : 0;
    for (unsigned i = 0; i < c->threads->id_count; i++) {
        bits |= ts_zone_bit(false, c->threads->ids[i]);
    }
    return bits;
}

static void weights_put(ts_weights *w, uint32_t node, ts_wide sum, uint64_t count)
{
    if (node == TS_NO_INDEX) {
        w->no_stack += sum;
        w->no_stack_count += count;
    } else {
        w->self[node] += sum;
        w->count[node] += count;
    }
}

ts_code ts_weights_add_pairs(ts_weights *w, ts_ctx *ctx, const ts_chosen *c, const ts_rollup *r)
{
    const ts_lane *lanes = r->lanes.p;
    uint8_t *wanted = ts_alloc(ctx, r->lanes.n, 1);
    if (wanted == NULL) {
        return ctx->error.code;
    }
    for (size_t i = 0; i < r->lanes.n; i++) {
        wanted[i] = ts_chosen_lane(c, r, &lanes[i]);
    }
    for (unsigned part = 0; part < 2; part++) {
        const ts_pairs *p = part == 0 ? &r->pairs : &r->no_stack;
        const ts_pair *pairs = p->pairs.p;
        for (size_t i = 0; i < p->pairs.n; i++) {
            bool number = c->weight == TS_WEIGHT_SAMPLES;
            uint64_t count = (uint64_t)pairs[i].count + (number ? pairs[i].other : 0);
            if (wanted[pairs[i].lane] && count > 0) {
                weights_put(w, part == 0 ? pairs[i].node : TS_NO_INDEX,
                            number ? (ts_wide)count : pairs[i].sum, count);
            }
        }
    }
    ts_free(ctx, wanted);
    return TS_OK;
}

/* What of a sample lies in the range; false: nothing. */
static bool sample_in_range(ts_wide *part, const ts_chosen *c, ts_cell ts, ts_cell dur)
{
    if (ts.null || ts.value >= c->to) {
        return false;
    }
    if (dur.null || dur.value < 0) {
        *part = 1;
        return c->weight == TS_WEIGHT_SAMPLES && ts.value >= c->from;
    }
    int64_t end = ts_sat_add(ts.value, dur.value);
    if (end <= c->from) {
        return false;
    }
    int64_t first = ts.value > c->from ? ts.value : c->from;
    int64_t last = end < c->to ? end : c->to;
    *part = c->weight == TS_WEIGHT_SAMPLES ? 1 : (ts_wide)last - first;
    return true;
}

enum { W_SOURCE, W_ITID, W_TS, W_DUR, W_NODE, W_EVENT };

static ts_code range_row(ts_weights *w, ts_ctx *ctx, const ts_chosen *c, const ts_paths *paths,
                         const ts_batch *b, unsigned i)
{
    ts_wide part = 0;
    ts_cell ts = ts_cell_of(b, W_TS, i);
    ts_cell node = ts_cell_of(b, W_NODE, i);
    if (!ts_chosen_row(c, ts_cell_of(b, W_SOURCE, i), ts_cell_of(b, W_ITID, i))) {
        return TS_OK;
    }
    if (c->event->given &&
        !chosen_event(c, b->columns[W_EVENT].null[i] ? NULL : b->columns[W_EVENT].texts[i].p,
                      b->columns[W_EVENT].texts[i].n)) {
        return TS_OK;
    }
    if (c->kind == TS_KIND_SAMPLE) {
        if (!sample_in_range(&part, c, ts, ts_cell_of(b, W_DUR, i))) {
            return TS_OK;
        }
    } else {
        ts_cell self = ts_cell_of(b, W_DUR, i);
        if (ts.null || ts.value < c->from || ts.value >= c->to) {
            return TS_OK;
        }
        part = c->weight == TS_WEIGHT_SAMPLES ? 1 : self.null ? 0 : self.value;
    }
    uint32_t at = node.null ? TS_NO_INDEX : ts_ids_find(&paths->nodes, node.value);
    if (!node.null && at == TS_NO_INDEX) {
        return ts_fail(ctx, TS_ERR_INPUT, "no call path %lld", (long long)node.value);
    }
    weights_put(w, at, part, 1);
    return TS_OK;
}

static ts_code weights_range(ts_weights *w, ts_view_call *call, const ts_chosen *c,
                             const ts_paths *paths, const ts_rollup *r)
{
    static const unsigned samples[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                       TS_C_stack_sample__ts,        TS_C_stack_sample__dur,
                                       TS_C_stack_sample__node_id,   TS_C_stack_sample__event};
    static const unsigned slices[] = {TS_C_stack_slice__source_id, TS_C_stack_slice__itid,
                                      TS_C_stack_slice__ts, TS_C_stack_slice__self_dur,
                                      TS_C_stack_slice__node_id};
    ts_ctx *ctx = ts_view_ctx(call);
    bool sample = c->kind == TS_KIND_SAMPLE;
    const ts_rows_from from = ts_view_rows(call);
    const ts_batch *b;
    ts_rows *rows = NULL;
    ts_zone_walk walk;
    unsigned n = 1;
    ts_code code = ts_rows_open(&rows, &from, sample ? TS_T_stack_sample : TS_T_stack_slice,
                                sample ? samples : slices, sample && c->event->given ? 6 : 5);
    ts_zone_walk_begin(&walk, &r->zones, rows, c->from, c->to, ts_chosen_threads(c));
    while (code == TS_OK && n > 0 && (code = ts_zone_walk_next(&b, &n, &walk)) == TS_OK) {
        for (unsigned i = 0; code == TS_OK && i < n; i++) {
            code = range_row(w, ctx, c, paths, b, i);
        }
    }
    ts_rows_close(rows);
    return code;
}

ts_code ts_weights_make(ts_weights *w, ts_view_call *call, const ts_chosen *c,
                        const ts_paths *paths)
{
    ts_ctx *ctx = ts_view_ctx(call);
    const ts_rollup *r = NULL;
    *w = (ts_weights){.n = paths->nodes.count};
    w->self = ts_zalloc(ctx, w->n, sizeof *w->self);
    w->count = ts_zalloc(ctx, w->n, sizeof *w->count);
    if (w->self == NULL || w->count == NULL) {
        return ctx->error.code;
    }
    memcpy(w->unit, c->weight == TS_WEIGHT_SAMPLES ? "count" : "ns",
           c->weight == TS_WEIGHT_SAMPLES ? sizeof "count" : sizeof "ns");
    if (c->weight == TS_WEIGHT_CPU || c->weight == TS_WEIGHT_VALUE) {
        return ts_values_add(w, call, c, paths);
    }
    ts_code code = ts_rollup_get(&r, call, c->kind);
    if (code != TS_OK) {
        return code;
    }
    return c->ranged ? weights_range(w, call, c, paths, r) : ts_weights_add_pairs(w, ctx, c, r);
}

void ts_weights_free(ts_ctx *ctx, ts_weights *w)
{
    ts_free(ctx, w->self);
    ts_free(ctx, w->count);
    w->self = NULL;
    w->count = NULL;
}

/*
 * What call paths weigh: for exports, which ask once, by the rows (p->own is there), in 64 bits by
 * number of call path; for a page, which asks again and again, by kept sums, or, of a span, by the
 * rows in it.
 */
#include "model/call_stacks_private.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "model/path_ids.h"

#include <inttypes.h>

typedef struct weigh_work {
    ts_calls *p;
    ts_weight *weight;         /* or: */
    ts_weight *const *classes; /* by the class of what is added; NULL: not wanted */
    bool totals;               /* nothing but these */
    uint64_t items;            /* rows that were looked at */
} weigh_work;

/* What is added to; NULL: nothing. */
static ts_weight *weigh_target(const weigh_work *w, const ts_event_kind *what)
{
    return w->weight != NULL               ? w->weight
           : what->class == TS_CLASS_other ? NULL
                                           : w->classes[what->class];
}

/* node: place of the call path + 1; 0: none. */
static void weigh_add(weigh_work *w, uint32_t node, ts_wide sum, uint64_t count,
                      const ts_event_kind *what, bool call)
{
    ts_weight *weight = weigh_target(w, what);
    if (weight == NULL) {
        return;
    }
    ts_path_weights *of = &weight->of;
    if (node != 0 && sum > 0) { /* as much of the sum as there is */
        weight->total = sum > INT64_MAX - weight->total ? INT64_MAX : weight->total + (int64_t)sum;
        weight->of_calls = weight->of_calls || call;
        weight->of_samples = weight->of_samples || !call;
    }
    weight->length = weight->length || w->weight == NULL;
    if (w->totals) {
        return;
    }
    if (w->p->no_idle && weight->what.class != TS_CLASS_waiting && stacks_is_idle(what)) {
        of->idle += node == 0 ? 0 : sum;
        of->idle_count += node == 0 ? 0 : count;
    } else if (node == 0) {
        of->no_stack += sum;
        of->no_stack_count += count;
    } else {
        of->self[node - 1] += sum;
        of->count[node - 1] += count;
    }
}

/* For who wants to know which events have weight. */
static ts_code note_event(const weigh_work *w, uint32_t node, ts_wide sum, ts_text event)
{
    uint32_t id;
    if (w->p->weighed == NULL || w->totals || node == 0 || sum <= 0 || event.n == 0) {
        return TS_OK;
    }
    return ts_pool_intern(w->p->ctx, &id, NULL, w->p->weighed, event);
}

static ts_code self_room(ts_calls *p, ts_weight *weight)
{
    if (weight->self == NULL) {
        weight->self = ts_zalloc(p->ctx, (size_t)p->nodes + 1, sizeof *weight->self);
    }
    return weight->self == NULL ? p->ctx->error.code : TS_OK;
}

static ts_code weigh_item(void *user, const ts_calls_item *item)
{
    weigh_work *w = user;
    ts_weight *weight = weigh_target(w, &item->what);
    w->items++;
    if (w->p->own == NULL) {
        weigh_add(w, item->node, item->weight, 1, &item->what, item->call);
        return note_event(w, item->node, item->weight, item->event);
    }
    if (weight != NULL) {
        TS_TRY(self_room(w->p, weight));
        int64_t *sum = &weight->self[item->node];
        weight->over = ts_ckd_add(sum, *sum, item->weight) || weight->over;
        weight->length = weight->length || w->weight == NULL;
    }
    return TS_OK;
}

static bool by_sums(const ts_calls *p)
{
    return p->own == NULL && ts_select_whole(&p->select) && !p->select.labelled;
}

/* --- by sums ---------------------------------------------------------------------------------- */

/* What a lane is for the request. */
typedef struct lane_view {
    bool wanted;
    ts_text event;
    ts_event_kind what; /* of call paths whose leaf does not matter */
} lane_view;

static ts_code lane_look(lane_view *out, ts_calls *p, const ts_path_sums *s,
                         const ts_sum_lane *lane, bool call)
{
    const char *event = p->filter.event;
    out->event =
        lane->event == TS_NO_INDEX ? TS_TEXT_LIT("") : ts_pool_text(&s->events, lane->event);
    out->wanted = ts_calls_wants_source(p, lane->source) &&
                  ts_select_thread(&p->select, lane->has_itid, lane->itid);
    if (call) {
        out->wanted = out->wanted && (event == NULL || strcmp(event, "call") == 0);
        out->what = (ts_event_kind){lane->async ? TS_CLASS_other : TS_CLASS_wall, NULL};
        return TS_OK;
    }
    out->wanted =
        out->wanted && (event != NULL ? ts_text_is(out->event, event)
                                      : lane->timed || stacks_wants_untimed(p, lane->source));
    return ts_events_kind(&out->what, p->events, lane->source, out->event, lane->state, 0);
}

/* How much of a sum is of the weight: *count rows, 0 for none. */
static void sum_part(ts_wide *sum, uint64_t *count, const ts_calls *p, const ts_weight *weight,
                     const ts_path_sum *one, const ts_sum_lane *lane, const ts_event_kind *what,
                     bool call)
{
    bool number = weight->kind == TS_WEIGHT_SAMPLES;
    bool wanted =
        weight->kind == TS_WEIGHT_ASYNC ? call && lane->async : stacks_is_of(weight, what);
    if (weight->kind == TS_WEIGHT_CLASS && !call) {
        wanted = wanted && !ts_events_in_ns(p->events, lane->source, what->class);
    }
    *count = wanted ? (uint64_t)one->count + (number || p->valueless ? one->other : 0) : 0;
    *sum = number ? (ts_wide)*count : one->sum;
}

/* weight: which of them; kind TS_WEIGHT_VALUE: all. */
static ts_code each_sum(weigh_work *w, const ts_path_sums *s, const ts_weight *weight, bool call)
{
    ts_calls *p = w->p;
    const ts_sum_lane *lanes = s->lanes.p;
    const ts_path_sum *sums = s->sums.p;
    bool classes = !call && (weight->kind == TS_WEIGHT_CLASS || p->no_idle);
    ts_code code = TS_OK;
    lane_view *views = ts_zalloc(p->ctx, s->lanes.n, sizeof *views);
    TS_NEED(p->ctx, views);
    for (size_t i = 0; code == TS_OK && i < s->lanes.n; i++) {
        code = lane_look(&views[i], p, s, &lanes[i], call);
    }
    for (size_t i = 0; code == TS_OK && i < s->sums.n; i++) {
        const lane_view *view = &views[sums[i].lane];
        const ts_sum_lane *lane = &lanes[sums[i].lane];
        uint32_t node = sums[i].node == TS_NO_INDEX ? 0 : sums[i].node + 1;
        ts_event_kind what = view->what;
        uint8_t leaf = view->wanted && classes && p->events->leaves.n > 0
                           ? ts_events_leaf(p->events, stacks_method(p, node))
                           : 0;
        ts_wide sum = 0;
        uint64_t count = 0;
        if (leaf != 0) {
            code = ts_events_kind(&what, p->events, lane->source, view->event, lane->state, leaf);
        }
        if (view->wanted && code == TS_OK) {
            sum_part(&sum, &count, p, weight, &sums[i], lane, &what, call);
        }
        if (count > 0) {
            weigh_add(w, node, sum, count, &what, call);
            code = note_event(w, node, sum, view->event);
        }
    }
    ts_free(p->ctx, views);
    return code;
}

/* --- sums of values --------------------------------------------------------------------------- */

typedef struct values_build {
    const ts_calls *p;
    const bool *wanted;
    ts_path_sums *sums;
} values_build;

static ts_code values_item(void *user, const ts_calls_item *item)
{
    values_build *v = user;
    const ts_sum_lane lane = {
        .source = item->source_id,
        .itid = item->itid == TS_NO_THREAD ? 0 : item->itid,
        .has_itid = item->itid != TS_NO_THREAD,
        .timed = item->ts != TS_NO_TIME,
        .state = ts_events_state(v->p->events, item->id),
    };
    return ts_path_sums_add(v->sums, &lane, item->event.n == 0 ? TS_TEXT_NULL : item->event,
                            item->node - 1, (ts_cell){item->weight, false});
}

static ts_code values_make(void **what, ts_model *m, const void *user)
{
    values_build v = *(const values_build *)user;
    ts_ctx *ctx = ts_model_ctx(m);
    const ts_calls all = {
        .ctx = ctx,
        .stackless = true,
        .any_sample = true,
        .model = m,
        .select = {.sources.all = true, .threads.all = true, .span = TS_SPAN_ALL},
        .events = v.p->events,
        .paths = v.p->paths,
    };
    *what = v.sums = ts_zalloc(ctx, 1, sizeof *v.sums);
    ts_code code = v.sums == NULL ? ctx->error.code : ts_path_sums_begin(v.sums, ctx, v.p->paths);
    if (code == TS_OK) {
        const stacks_values values = {.wanted = v.wanted};
        code = stacks_each_value(&all, &values, values_item, &v);
        ts_path_sums_end(v.sums);
    }
    return code;
}

/* Values of the weight, by sums that are kept for these kinds of value. */
static ts_code values_by_sums(weigh_work *w, const ts_weight *weight)
{
    static const ts_weight all = {.kind = TS_WEIGHT_VALUE};
    ts_calls *p = w->p;
    values_build v = {.p = p};
    ts_buf key = {0};
    bool *wanted;
    bool any;
    void *sums = NULL;
    ts_code code = stacks_kinds_of(&wanted, &any, p, weight);
    for (size_t id = 0; code == TS_OK && any && id < p->events->kinds.n; id++) {
        code = wanted[id] ? ts_buf_printf(p->ctx, &key, "%zu,", id) : TS_OK;
    }
    TS_STEP_IF(code, any, ts_buf_putc(p->ctx, &key, '\0'));
    v.wanted = wanted;
    TS_STEP_IF(code, any,
               ts_model_keep(&sums, p->model, "values", key.p, values_make, ts_path_sums_free, &v));
    TS_STEP_IF(code, any, each_sum(w, sums, &all, false));
    ts_buf_free(p->ctx, &key);
    ts_free(p->ctx, wanted);
    return code;
}

/* --- a weight --------------------------------------------------------------------------------- */

/* By the length of samples and calls. */
static ts_code add_lengths(weigh_work *w, const ts_weight *weight)
{
    ts_calls *p = w->p;
    if (!by_sums(p)) {
        return stacks_each_length(p, weight, weigh_item, w);
    }
    ts_code code = p->any_sample ? each_sum(w, p->sums[0], weight, false) : TS_OK;
    TS_STEP_IF(code, p->any_slice, each_sum(w, p->sums[1], weight, true));
    return code;
}

static ts_code add_values(weigh_work *w, const ts_weight *weight)
{
    if (!w->p->any_sample) {
        return TS_OK;
    }
    return by_sums(w->p) ? values_by_sums(w, weight)
                         : stacks_each_value_of(w->p, weight, weigh_item, w);
}

static ts_code weigh_room(ts_calls *p, ts_weight *weight)
{
    if (p->own != NULL) {
        return self_room(p, weight);
    }
    stacks_weighed_free(p->ctx, weight);
    weight->total = 0;
    weight->of = (ts_path_weights){.n = p->paths->nodes.count};
    weight->of.self = ts_zalloc(p->ctx, weight->of.n, sizeof *weight->of.self);
    weight->of.count = ts_zalloc(p->ctx, weight->of.n, sizeof *weight->of.count);
    return weight->of.self == NULL || weight->of.count == NULL ? p->ctx->error.code : TS_OK;
}

/* --- call paths that are no rows of stack_node ------------------------------------------------ */

/* Those of *p as others have them. */
typedef struct ts_tree_stacks {
    ts_paths paths;
    ts_frames frames;
} ts_tree_stacks;

void stacks_trees_free(ts_calls *p)
{
    if (p->trees != NULL) {
        ts_call_paths_free(p->ctx, &p->trees->paths);
        ts_frames_free(p->ctx, &p->trees->frames);
        ts_free(p->ctx, p->trees);
    }
}

/* What there are of it: the number of objects, or of slices, is a weight of its own. */
static void add_tree(weigh_work *w)
{
    const ts_calls *p = w->p;
    const ts_weight *count = w->weight;
    while (count + 1 < p->weights + p->weight_count && !ts_text_is(count->unit, "count")) {
        count++;
    }
    for (uint32_t i = 1; w->weight->self != NULL && i <= p->nodes; i++) {
        int64_t n = count->self == NULL ? 0 : count->self[i];
        if (w->weight->self[i] > 0) {
            weigh_add(w, i, w->weight->self[i], n > 0 ? (uint64_t)n : 1, &w->weight->what,
                      p->is_marks);
        }
    }
}

static ts_code tree_paths(ts_calls *p)
{
    ts_paths *paths = &p->trees->paths;
    ts_code code = ts_call_paths_room(paths, p->ctx, (size_t)p->nodes + 1);
    for (uint32_t i = 0; code == TS_OK && i < p->nodes; i++) {
        uint32_t above = p->parent[i + 1] - 1; /* of a root TS_NO_INDEX */
        uint32_t method = p->method[i + 1];
        paths->parent[i] = above;
        paths->depth[i] = above == TS_NO_INDEX ? 0 : paths->depth[above] + 1;
        paths->method[i] = method == 0 ? TS_NO_INDEX : p->frame[method];
        paths->line[i] = TS_PATH_NO_LINE;
    }
    paths->nodes.count = code == TS_OK ? p->nodes : 0;
    paths->frames = &p->trees->frames;
    uint32_t n = paths->frames->keys.count;
    TS_STEP_IF(code, (paths->one = ts_alloc(p->ctx, (size_t)n + 1, sizeof *paths->one)) == NULL,
               p->ctx->error.code);
    TS_STEP_IF(code, (paths->keys = ts_zalloc(p->ctx, (size_t)n + 1, sizeof *paths->keys)) == NULL,
               p->ctx->error.code);
    if (code == TS_OK) {
        ts_frame_keys(paths->keys, p);
    }
    for (uint32_t i = 0; code == TS_OK && i < n; i++) {
        paths->one[i] = i;
        code = ts_call_paths_name(paths, p->ctx, ts_frames_get(paths->frames, i).label, i + 1);
    }
    return code;
}

static ts_code weigh_tree(ts_calls *p)
{
    bool others = !p->select.threads.all || p->filter.event != NULL || p->select.labelled ||
                  !ts_select_whole(&p->select);
    TS_TRY(stacks_heap_selects(p, others));
    TS_NEED(p->ctx, p->trees = ts_zalloc(p->ctx, 1, sizeof *p->trees));
    p->trees->frames.parts = TS_FRAME_FILE | TS_FRAME_LINE;
    p->paths = &p->trees->paths;
    TS_TRY(stacks_read_tree(p, &p->trees->frames));
    return tree_paths(p);
}

ts_code stacks_weigh(uint64_t *items, ts_calls *p, ts_weight *weight)
{
    weigh_work w = {.p = p, .weight = weight};
    bool class = weight->kind == TS_WEIGHT_CLASS;
    bool known = weight->self != NULL || p->is_heap;
    ts_code code = weigh_room(p, weight);
    TS_STEP_IF(code,
               !known && weight->kind != TS_WEIGHT_VALUE &&
                   (!class || ts_text_is(weight->unit, "ns")),
               add_lengths(&w, weight));
    TS_STEP_IF(code, !known && (class || weight->kind == TS_WEIGHT_VALUE), add_values(&w, weight));
    if (code == TS_OK && p->trees != NULL) {
        add_tree(&w);
    }
    *items = w.items;
    return code;
}

ts_code stacks_weigh_classes(uint64_t *items, ts_calls *p, ts_weight *const classes[TS_CLASS_other])
{
    static const ts_weight any = {.kind = TS_WEIGHT_CLASS, .what = {TS_CLASS_other, NULL}};
    weigh_work w = {.p = p, .classes = classes, .totals = true};
    ts_code code = add_lengths(&w, &any);
    for (unsigned c = 0; code == TS_OK && c < TS_CLASS_other; c++) {
        if (classes[c] != NULL) {
            w.weight = classes[c];
            code = p->own != NULL ? self_room(p, w.weight) : TS_OK;
            TS_STEP(code, add_values(&w, w.weight));
            stacks_settle_class(p, w.weight);
        }
    }
    *items = w.items;
    return code;
}

void stacks_weighed_free(ts_ctx *ctx, ts_weight *weight)
{
    ts_free(ctx, weight->of.self);
    ts_free(ctx, weight->of.count);
    weight->of = (ts_path_weights){0};
}

/* --- a request -------------------------------------------------------------------------------- */

/* Sums, and which sources have calls, whose samples without a time are sums of these. */
static ts_code weigh_sums(ts_calls *p)
{
    ts_code code = TS_OK;
    if (p->any_sample) {
        code = ts_path_sums_get(&p->sums[0], p->model, false);
    }
    TS_STEP_IF(code, p->any_slice, ts_path_sums_get(&p->sums[1], p->model, true));
    const ts_sum_lane *lanes = p->sums[1] == NULL ? NULL : p->sums[1]->lanes.p;
    for (size_t i = 0; code == TS_OK && p->any_sample && lanes != NULL && i < p->sums[1]->lanes.n;
         i++) {
        TS_TRY_INTO(code, ts_vec_reach(p->ctx, &p->sliced, lanes[i].source, sizeof(bool)));
        ((bool *)p->sliced.p)[lanes[i].source] = lanes[i].source > 0;
    }
    return code;
}

ts_code ts_calls_weigh(ts_calls *p, ts_model *m, ts_select *select, const ts_weigh_asked *asked)
{
    *p = (ts_calls){.ctx = ts_model_ctx(m),
                    .model = m,
                    .filter = {.event = asked->event, .weight = asked->weight},
                    .select = *select,
                    .stackless = true,
                    .no_idle = asked->no_idle,
                    .valueless = asked->valueless,
                    .weighed = asked->events};
    *select = (ts_select){0};
    const ts_rows_from *from = ts_model_rows(m);
    ts_code code = ts_events_get(&p->events, m);
    TS_STEP_IF(code, asked->samples, ts_rows_any(&p->any_sample, from, TS_T_stack_sample));
    TS_STEP_IF(code, asked->calls, ts_rows_any(&p->any_slice, from, TS_T_stack_slice));
    TS_STEP(code, stacks_choose_tree(p, (stacks_trees){asked->heap, asked->marks}));
    if (code == TS_OK && p->is_heap) {
        code = weigh_tree(p);
    } else if (code == TS_OK) {
        code = ts_call_paths(&p->paths, m);
        TS_STEP(code, weigh_sums(p));
    }
    TS_STEP(code, stacks_list_weights(p));
    return code != TS_OK ? code : stacks_load_weights(p, TS_LOAD_CHOSEN);
}

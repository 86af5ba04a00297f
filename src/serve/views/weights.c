/* Which rows a request wants, and what they weigh. */
#include "serve/views/flame.h"
#include "serve/views/views_private.h"

#include "model/labels.h"

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

bool ts_chosen_lane(const ts_chosen *c, const ts_time_lanes *all, const ts_lane *lane)
{
    ts_text name = lane->name == TS_NO_INDEX ? TS_TEXT_NULL : ts_pool_text(&all->names, lane->name);
    return ts_chosen_row(c, lane->source, lane->itid) &&
           (!c->event->given || (name.p != NULL && ts_text_equal(name, c->event->text)));
}

/* --- what they weigh ---------------------------------------------------------------------------
 */

void ts_view_weight_put(ts_jout *out, const ts_weight *weight)
{
    ts_jout_text(out, "weight", weight->name);
    ts_jout_text(out, "unit", weight->unit);
}

void ts_view_all(ts_wide *all, uint64_t *count, const ts_path_weights *w)
{
    *all = w->idle;
    *count = w->idle_count;
    for (uint32_t i = 0; i < w->n; i++) {
        *all += w->self[i];
        *count += w->count[i];
    }
}

void ts_view_all_put(ts_jout *out, ts_wide all, uint64_t count)
{
    bool capped = false;
    ts_jout_open(out, "all", '{');
    ts_jout_int(out, "total", ts_wide_cap(all, &capped));
    ts_jout_uint(out, "count", count);
    ts_jout_close(out, '}');
}

ts_code ts_view_ids(ts_idset *set, ts_ctx *ctx, const ts_view_value *v)
{
    ts_code code = TS_OK;
    set->all = !v->given;
    set->no_id = v->given && v->id_count == 0;
    for (unsigned i = 0; code == TS_OK && i < v->id_count; i++) {
        code = ts_idset_add(ctx, set, v->ids[i]);
    }
    return code;
}

/* A text with a zero byte after it; NULL when it was not given. */
static ts_code weigh_text(char **out, ts_ctx *ctx, const ts_view_value *v)
{
    *out = v->given ? ts_strndup(ctx, v->text.p, v->text.n) : NULL;
    return v->given && *out == NULL ? ctx->error.code : TS_OK;
}

/* Names that older addresses have: value of another parameter, calls. */
static ts_code weigh_named(ts_weigh_asked *asked, ts_view_call *call, const char *value)
{
    if (asked->weight != NULL && strcmp(asked->weight, "value") == 0) {
        asked->weight = value;
        return value != NULL ? TS_OK
                             : ts_fail(ts_view_ctx(call), TS_ERR_USAGE,
                                       "weight=value needs the parameter 'value'");
    }
    if (asked->weight != NULL && strcmp(asked->weight, "calls") == 0) {
        asked->weight = "samples";
        asked->samples = false;
    }
    return TS_OK;
}

ts_code ts_view_weigh(ts_calls *out, ts_view_call *call, bool no_idle)
{
    ts_ctx *ctx = ts_view_ctx(call);
    const ts_view_value *kind = ts_view_value_of(call, TS_P_KIND);
    ts_select select = {
        .span = {ts_view_time(call, TS_P_FROM, INT64_MIN), ts_view_time(call, TS_P_TO, INT64_MAX)}};
    char *texts[3] = {NULL};
    *out = (ts_calls){0};
    ts_code code = ts_view_ids(&select.sources, ctx, ts_view_value_of(call, TS_P_SOURCE));
    TS_STEP(code, ts_view_ids(&select.threads, ctx, ts_view_value_of(call, TS_P_THREADS)));
    const ts_view_value *label = ts_view_value_of(call, TS_P_LABEL);
    select.labelled = label->given;
    TS_STEP_IF(code, label->given,
               ts_labels_find(&select.samples, call->views->model, label->text));
    for (unsigned i = 0; code == TS_OK && i < 3; i++) {
        static const unsigned params[] = {TS_P_EVENT, TS_P_WEIGHT, TS_P_VALUE};
        code = weigh_text(&texts[i], ctx, ts_view_value_of(call, params[i]));
    }
    ts_weigh_asked asked = {.event = texts[0],
                            .weight = texts[1],
                            .samples = !kind->given || kind->number == 0,
                            .calls = !kind->given || kind->number == 1,
                            .heap = !kind->given || kind->number == 2,
                            .marks = !kind->given || kind->number == 3,
                            .no_idle = no_idle};
    TS_STEP_IF(code, kind->given && kind->number == 1 && asked.event != NULL,
               ts_fail(ctx, TS_ERR_USAGE, "calls have no event"));
    TS_STEP(code, weigh_named(&asked, call, texts[2]));
    if (code == TS_OK) {
        code = ts_calls_weigh(out, call->views->model, &select, &asked);
        out->filter = (ts_stack_filter){0}; /* its texts end here */
    }
    for (unsigned i = 0; i < 3; i++) {
        ts_free(ctx, texts[i]);
    }
    ts_select_free(ctx, &select);
    return code;
}

/* --- GET weights: what can be chosen -----------------------------------------------------------
 */

const ts_view_param ts_weights_params[] = {TS_CHOSEN_PARAMS, {.name = NULL}};

/* Kinds of value that have the name of their class are a part of it. */
static bool is_listed(const ts_calls *p, unsigned i)
{
    const ts_weight *w = &p->weights[i];
    switch (w->kind) {
    case TS_WEIGHT_VALUE:
        return !w->part || !ts_text_is(w->name, ts_event_class_name(w->what.class));
    case TS_WEIGHT_CLASS:
        return i == p->chosen || (w->total > 0 && !w->part);
    case TS_WEIGHT_DUR:
        return i == p->chosen;
    default:
        return true;
    }
}

ts_code ts_weights_run(ts_view_call *call)
{
    ts_jout *out = call->out;
    ts_calls calls;
    ts_code code = ts_view_weigh(&calls, call, false);
    if (code == TS_OK) {
        const ts_weight *chosen = ts_view_weight(&calls);
        ts_jout_open(out, NULL, '{');
        ts_view_weight_put(out, chosen);
        ts_jout_str(out, "kind",
                    calls.is_marks                            ? "mark"
                    : calls.is_heap                           ? "heap"
                    : chosen->of_calls && !chosen->of_samples ? "slice"
                                                              : "sample");
        ts_jout_int(out, "total", chosen->total);
        ts_jout_open(out, "weights", '[');
        for (unsigned i = 0; i < calls.weight_count; i++) {
            if (is_listed(&calls, i)) {
                ts_jout_open(out, NULL, '{');
                ts_jout_text(out, "name", calls.weights[i].name);
                ts_jout_text(out, "unit", calls.weights[i].unit);
                ts_jout_close(out, '}');
            }
        }
        ts_jout_close(out, ']');
        ts_jout_close(out, '}');
    }
    ts_calls_free(&calls);
    return code;
}

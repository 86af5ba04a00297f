#include "export/export_parts.h"

#include "base/alloc.h"

void ts_shown_weight_free(ts_shown_weight *weight, ts_ctx *ctx)
{
    ts_free(ctx, weight->name);
    ts_free(ctx, weight->unit);
    *weight = (ts_shown_weight){0};
}

/* What the first one chose is that of all. */
static ts_code same_weight(ts_shown_weight *shown, const ts_calls *calls)
{
    const ts_weight *own = &calls->weights[calls->chosen];
    if (shown->name == NULL) {
        TS_NEED(calls->ctx, shown->name = ts_strndup(calls->ctx, own->name.p, own->name.n));
        TS_NEED(calls->ctx, shown->unit = ts_strndup(calls->ctx, own->unit.p, own->unit.n));
        return TS_OK;
    }
    return ts_text_is(own->unit, shown->unit)
               ? TS_OK
               : ts_fail(calls->ctx, TS_ERR_USAGE,
                         "\"%s\" has the unit \"%.*s\" here, and \"%s\" in what was read before",
                         shown->name, (int)own->unit.n, own->unit.p, shown->unit);
}

static ts_code add_side(ts_frame_paths *tree, ts_shown_weight *weight, ts_parts *x,
                        const ts_export_side *side, ts_several_seen *seen)
{
    ts_stack_filter filter = side->filter;
    ts_calls calls = {0};
    uint32_t above = 0;
    filter.weight = weight->name != NULL ? weight->name : filter.weight;
    ts_code code = ts_calls_open(&calls, x->ctx, side->reader, &filter, &x->frames, TS_LOAD_CHOSEN);
    TS_STEP(code, same_weight(weight, &calls));
    const ts_frame frame = {ts_text_of(side->title), TS_TEXT_LIT(""), 0};
    TS_STEP(code, ts_frames_intern(x->ctx, &above, &x->frames, &frame));
    TS_STEP(code, ts_frame_paths_add(tree, x->ctx, &calls, above));
    TS_STEP_IF(code, seen != NULL, seen(x, &calls));
    ts_calls_free(&calls);
    return code;
}

ts_code ts_parts_several(ts_frame_paths *tree, ts_shown_weight *weight, ts_parts *x,
                         unsigned frame_parts, ts_several_seen *seen)
{
    const ts_export_several *several = x->input->several;
    ts_export_side side = {0};
    x->frames.parts = frame_parts;
    ts_code code = several->next(&side, several->user);
    while (code == TS_OK && side.reader != NULL) {
        code = add_side(tree, weight, x, &side, seen);
        if (code == TS_ERR_USAGE) {
            several->left_out(several->user);
            code = TS_OK;
        }
        TS_STEP(code, several->next(&side, several->user));
    }
    return code != TS_OK || tree->n > 0
               ? code
               : ts_fail(x->ctx, TS_ERR_USAGE, "none of the databases has such stacks");
}

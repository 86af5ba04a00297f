#include "model/compare_methods.h"

#include "base/alloc.h"
#include "model/call_paths.h"

/* --- methods ---------------------------------------------------------------------------------- */

/* Callers have smaller numbers. No sum is more than that of the weight, which fits. */
static ts_code methods_add_up(int64_t *self, int64_t *total, const ts_calls *p, uint32_t frames)
{
    const int64_t *own = p->weights[p->chosen].self;
    size_t n = (size_t)p->nodes + 1;
    int64_t *below = ts_zalloc(p->ctx, n, sizeof *below); /* by call path: with all below it */
    uint32_t *frame = ts_alloc(p->ctx, n, sizeof *frame);
    bool *outermost = ts_alloc(p->ctx, n, sizeof *outermost);
    ts_code code = below == NULL || frame == NULL || outermost == NULL ? p->ctx->error.code : TS_OK;
    for (uint32_t i = p->nodes; code == TS_OK && i > 0; i--) {
        frame[i] = p->used[i] ? ts_calls_frame(p, i) : TS_NO_INDEX;
        below[i] += own[i];
        below[p->parent[i]] += below[i];
        if (p->used[i]) {
            self[frame[i]] += own[i];
        }
    }
    if (code == TS_OK) {
        frame[0] = TS_NO_INDEX; /* that of no path */
        code = ts_paths_outermost(outermost, p->ctx, p->parent, frame, p->nodes + 1, frames);
    }
    for (uint32_t i = 1; code == TS_OK && i <= p->nodes; i++) {
        if (p->used[i] && outermost[i]) {
            total[frame[i]] += below[i];
        }
    }
    ts_free(p->ctx, below);
    ts_free(p->ctx, frame);
    ts_free(p->ctx, outermost);
    return code;
}

ts_code ts_methods_each(const ts_calls *p, const ts_frames *frames, ts_method_visit visit,
                        void *user)
{
    size_t n = (size_t)frames->keys.count + 1;
    int64_t *self = ts_zalloc(p->ctx, n, sizeof *self);
    int64_t *total = ts_zalloc(p->ctx, n, sizeof *total);
    ts_code code = self == NULL || total == NULL ? p->ctx->error.code : TS_OK;
    TS_STEP_IF(code, p->nodes > 0 && p->weights[p->chosen].self != NULL,
               methods_add_up(self, total, p, frames->keys.count));
    for (uint32_t i = 0; code == TS_OK && i < frames->keys.count; i++) {
        const ts_frame frame = ts_frames_get(frames, i);
        const ts_method_sum sum = {
            .name = frame.label,
            .file = frame.file.n > 0 ? frame.file : TS_TEXT_NULL,
            .self = self[i],
            .total = total[i],
            .line = ts_frames_line(frames, i),
        };
        if (sum.total > 0) {
            code = visit(user, &sum);
        }
    }
    ts_free(p->ctx, self);
    ts_free(p->ctx, total);
    return code;
}

/* --- weights ---------------------------------------------------------------------------------- */

ts_text ts_weight_label(const ts_weight *w)
{
    if (w->kind == TS_WEIGHT_DUR) { /* which wall means where nothing is of that class */
        return ts_text_of(ts_event_class_name(TS_CLASS_wall));
    }
    return w->what.class != TS_CLASS_other ? ts_text_of(ts_event_class_name(w->what.class))
                                           : w->name;
}

ts_code ts_weights_comparable(ts_ctx *ctx, const ts_weight *before, const ts_weight *after)
{
    ts_text a = ts_weight_label(before);
    ts_text b = ts_weight_label(after);
    if (ts_text_equal(a, b) && ts_text_equal(before->unit, after->unit)) {
        return TS_OK;
    }
    return ts_fail(ctx, TS_ERR_USAGE,
                   "before has %.*s (%.*s), after has %.*s (%.*s): name what both have, such as "
                   "samples, with --weight",
                   (int)a.n, a.p, (int)before->unit.n, before->unit.p, (int)b.n, b.p,
                   (int)after->unit.n, after->unit.p);
}

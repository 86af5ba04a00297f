#include "model/compare_methods.h"

#include "base/alloc.h"

/* --- methods ---------------------------------------------------------------------------------- */

typedef struct methods_work {
    ts_ctx *ctx;
    const ts_calls *p;
    const ts_frames *frames;
    int64_t *below;  /* by call path: itself and all below it */
    uint32_t *child; /* by call path and root 0: the first below it, 0: none */
    uint32_t *next;  /* the next below the same caller */
    uint32_t *open;  /* by frame: how many paths of it are open in the walk */
    int64_t *self, *total;
} methods_work;

static ts_code methods_arrays(methods_work *w)
{
    size_t n = (size_t)w->p->nodes + 1;
    size_t m = (size_t)w->frames->keys.count + 1;
    return (w->below = ts_zalloc(w->ctx, n, sizeof *w->below)) == NULL ||
                   (w->child = ts_zalloc(w->ctx, n, sizeof *w->child)) == NULL ||
                   (w->next = ts_zalloc(w->ctx, n, sizeof *w->next)) == NULL ||
                   (w->open = ts_zalloc(w->ctx, m, sizeof *w->open)) == NULL ||
                   (w->self = ts_zalloc(w->ctx, m, sizeof *w->self)) == NULL ||
                   (w->total = ts_zalloc(w->ctx, m, sizeof *w->total)) == NULL
               ? w->ctx->error.code
               : TS_OK;
}

/* Callers have smaller numbers. No sum is more than that of the weight, which fits. */
static void methods_add_up(methods_work *w)
{
    const ts_calls *p = w->p;
    const int64_t *self = p->weights[p->chosen].self;
    for (uint32_t i = p->nodes; i > 0; i--) {
        if (p->used[i]) {
            w->self[ts_calls_frame(p, i)] += self[i];
            w->below[i] += self[i];
            w->below[p->parent[i]] += w->below[i];
            w->next[i] = w->child[p->parent[i]];
            w->child[p->parent[i]] = i;
        }
    }
}

/* Of a method that calls itself the outermost path counts: no other is open around it. */
static ts_code methods_walk(methods_work *w)
{
    uint32_t at = w->child[0];
    uint32_t steps = 0;
    while (at != 0) {
        uint32_t method = ts_calls_frame(w->p, at);
        if (w->open[method]++ == 0) {
            w->total[method] += w->below[at];
        }
        if (w->child[at] != 0) {
            at = w->child[at];
            continue;
        }
        while (at != 0 && w->next[at] == 0) {
            w->open[ts_calls_frame(w->p, at)]--;
            at = w->p->parent[at];
        }
        if (at != 0) {
            w->open[ts_calls_frame(w->p, at)]--;
            at = w->next[at];
        }
        if (steps++ % 65536 == 0 && ts_check_cancel(w->ctx) != TS_OK) {
            return w->ctx->error.code;
        }
    }
    return TS_OK;
}

static ts_code methods_visit(const methods_work *w, ts_method_visit visit, void *user)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < w->frames->keys.count; i++) {
        const ts_frame frame = ts_frames_get(w->frames, i);
        const ts_method_sum sum = {
            .name = frame.label,
            .file = frame.file.n > 0 ? frame.file : TS_TEXT_NULL,
            .self = w->self[i],
            .total = w->total[i],
        };
        if (sum.total > 0) {
            code = visit(user, &sum);
        }
    }
    return code;
}

ts_code ts_methods_each(const ts_calls *p, const ts_frames *frames, ts_method_visit visit,
                        void *user)
{
    methods_work w = {.ctx = p->ctx, .p = p, .frames = frames};
    ts_code code = methods_arrays(&w);
    if (code == TS_OK && p->weights[p->chosen].self != NULL) {
        methods_add_up(&w);
        code = methods_walk(&w);
    }
    TS_STEP(code, methods_visit(&w, visit, user));
    void *arrays[] = {w.below, w.child, w.next, w.open, w.self, w.total};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        ts_free(w.ctx, arrays[i]);
    }
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

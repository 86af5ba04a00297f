/*
 * Folded stacks, the input of flamegraph.pl, inferno and others: a line for each stack, its frames
 * from the outermost on, divided by semicolons, a blank, and the weight. For a difference both
 * weights, the older one first, as difffolded.pl writes it.
 */
#include "base/alloc.h"
#include "base/utf8.h"
#include "export/export_parts.h"

typedef struct folded_work {
    ts_parts x;
    ts_calls before;
    ts_frame_paths tree;
    ts_shown_weight weight;
    uint32_t *path; /* a place for the frames of one stack */
} folded_work;

/* A semicolon would divide the frame, a line break the line. Characters that steer a terminal or
 * turn the reading direction must not reach whoever prints the file. */
static void folded_label(ts_jout *w, ts_text label)
{
    size_t from = 0;
    uint32_t cp;
    for (size_t i = 0, n; i < label.n; i += n) {
        n = ts_utf8_next(&cp, label.p + i, label.n - i);
        if (cp == ';' || cp == UINT32_MAX || ts_utf8_steers(cp)) {
            ts_jout_put(w, label.p + from, i - from);
            ts_jout_put(w, cp == ';' ? ":" : cp == UINT32_MAX ? "?" : " ", 1);
            from = i + n;
        }
    }
    ts_jout_put(w, label.p + from, label.n - from);
}

static void folded_stack(const folded_work *f, ts_jout *w, uint32_t node)
{
    const ts_frame_paths *tree = &f->tree;
    uint32_t n = 0;
    for (uint32_t at = node; at != 0; at = tree->parent[at]) {
        f->path[n++] = at;
    }
    while (n-- > 0) {
        folded_label(w, ts_frames_get(&f->x.frames, tree->frame[f->path[n]]).label);
        ts_jout_put(w, ";", n > 0 ? 1 : 0);
    }
    if (tree->before != NULL) {
        ts_jout_put(w, " ", 1);
        ts_jout_put_int(w, tree->before[node]);
    }
    ts_jout_put(w, " ", 1);
    ts_jout_put_int(w, tree->self[node]);
    ts_jout_line(w);
}

static ts_code folded_tree(folded_work *f)
{
    const ts_export_side *before = f->x.input->before;
    if (f->x.input->several != NULL) {
        return ts_parts_several(&f->tree, &f->weight, &f->x, 0, NULL);
    }
    TS_TRY(ts_parts_calls(&f->x, 0, TS_LOAD_CHOSEN));
    if (before != NULL) {
        TS_TRY(ts_calls_open(&f->before, f->x.ctx, before->reader, &before->filter, &f->x.frames,
                             TS_LOAD_CHOSEN));
    }
    return ts_frame_paths_make(&f->tree, f->x.ctx, &f->x.calls, before != NULL ? &f->before : NULL);
}

static ts_code folded_run(void *work)
{
    folded_work *f = work;
    const ts_frame_paths *tree = &f->tree;
    TS_TRY(folded_tree(f));
    /* The longest path is not longer than there are paths. */
    TS_NEED(f->x.ctx, f->path = ts_alloc(f->x.ctx, (size_t)tree->n + 1, sizeof *f->path));
    for (uint32_t i = 1; i <= tree->n && f->x.w.code == TS_OK; i++) {
        if (tree->self[i] > 0 || (tree->before != NULL && tree->before[i] > 0)) {
            folded_stack(f, &f->x.w, i);
        }
    }
    return TS_OK;
}

static void folded_release(void *work)
{
    folded_work *f = work;
    ts_free(f->x.ctx, f->path);
    ts_shown_weight_free(&f->weight, f->x.ctx);
    ts_frame_paths_free(&f->tree, f->x.ctx);
    ts_calls_free(&f->before);
}

const ts_export ts_export_folded = {
    .name = "folded",
    .title = "folded stacks, for flamegraph.pl and inferno",
    .extension = ".folded",
    .needs = TS_NEEDS_STACKS,
    .difference = true,
    .several = true,
    .work = sizeof(folded_work),
    .run = folded_run,
    .release = folded_release,
};

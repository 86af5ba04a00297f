/*
 * Folded stacks, the input of flamegraph.pl, inferno and others: a line for each stack, its frames
 * from the outermost on, divided by semicolons, a blank, and the weight. For a difference both
 * weights, the older one first, as difffolded.pl writes it.
 */
#include "base/alloc.h"
#include "base/utf8.h"
#include "export/export_formats.h"
#include "model/call_stacks.h"
#include "export/export_text.h"

/* A semicolon would divide the frame, a line break the line. Characters that steer a terminal or
 * turn the reading direction must not reach whoever prints the file. */
static void folded_label(ts_writer *w, ts_text label)
{
    size_t from = 0;
    uint32_t cp;
    for (size_t i = 0, n; i < label.n; i += n) {
        n = ts_utf8_next(&cp, label.p + i, label.n - i);
        if (cp == ';' || cp == UINT32_MAX || ts_utf8_steers(cp)) {
            ts_write(w, label.p + from, i - from);
            ts_write_char(w, cp == ';' ? ':' : cp == UINT32_MAX ? '?' : ' ');
            from = i + n;
        }
    }
    ts_write(w, label.p + from, label.n - from);
}

/* path: a place for the frames of one stack. */
static void folded_stack(ts_writer *w, const ts_frame_paths *tree, const ts_frames *frames,
                         uint32_t node, uint32_t *path)
{
    uint32_t n = 0;
    for (uint32_t at = node; at != 0; at = tree->parent[at]) {
        path[n++] = at;
    }
    while (n-- > 0) {
        folded_label(w, ts_frames_get(frames, tree->frame[path[n]]).label);
        if (n > 0) {
            ts_write_char(w, ';');
        }
    }
    if (tree->before != NULL) {
        ts_write_char(w, ' ');
        ts_write_i64(w, tree->before[node]);
    }
    ts_write_char(w, ' ');
    ts_write_i64(w, tree->self[node]);
    ts_write_char(w, '\n');
}

/* The longest path is not longer than there are paths. */
static ts_code folded_write(ts_writer *w, const ts_frame_paths *tree, const ts_frames *frames)
{
    uint32_t *path = ts_alloc(w->ctx, (size_t)tree->n + 1, sizeof *path);
    TS_NEED(w->ctx, path);
    for (uint32_t i = 1; i <= tree->n && w->code == TS_OK; i++) {
        if (tree->self[i] > 0 || (tree->before != NULL && tree->before[i] > 0)) {
            folded_stack(w, tree, frames, i, path);
        }
    }
    ts_free(w->ctx, path);
    return w->code;
}

static ts_code folded_run(ts_ctx *ctx, const ts_export_input *input, const ts_export_output *output)
{
    ts_frames frames = {.parts = 0};
    ts_calls profiles[2] = {{0}, {0}};
    ts_frame_paths tree = {0};
    ts_writer w;
    bool difference = input->before != NULL;
    ts_writer_begin(&w, ctx, output);
    ts_code code = ts_calls_open(&profiles[0], ctx, input->side.reader, &input->side.filter,
                                 &frames, TS_LOAD_CHOSEN);
    TS_STEP_IF(code, difference,
               ts_calls_open(&profiles[1], ctx, input->before->reader, &input->before->filter,
                             &frames, TS_LOAD_CHOSEN));
    TS_STEP(code, ts_frame_paths_make(&tree, ctx, &profiles[0], difference ? &profiles[1] : NULL));
    TS_STEP(code, folded_write(&w, &tree, &frames));
    ts_writer_fail(&w, code);
    code = ts_writer_end(&w);
    ts_frame_paths_free(&tree, ctx);
    ts_calls_free(&profiles[1]);
    ts_calls_free(&profiles[0]);
    ts_frames_free(ctx, &frames);
    return code;
}

const ts_export ts_export_folded = {
    .name = "folded",
    .title = "folded stacks, for flamegraph.pl and inferno",
    .extension = ".folded",
    .needs = TS_NEEDS_STACKS,
    .difference = true,
    .run = folded_run,
};

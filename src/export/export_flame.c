/*
 * A page that draws stacks: one HTML file without any request, whose script, style and markup are
 * those of web/flame. Its data is one JSON object, which web/flame/flame.js reads:
 *
 *   title, weight, unit, before (null, or {"title": ...}),
 *   files: texts; frames: {label: texts, file: places in files, line: numbers, key: hexadecimal
 *           digits from which ids of call paths are made (model/path_ids.h): that of the first
 *           method that is the frame, unstable: frames whose key is another's and was changed},
 *   nodes: {parent: how far before the node its caller is (its own number: none), frame, self,
 *           before (only for a difference)}, numbered from 1
 *
 * Texts are escaped so that none can end the script (base/json_out.h).
 */
#include "base/alloc.h"
#include "export/export_page.h"
#include "export/export_parts.h"
#include "model/path_ids.h"

typedef struct flame_work {
    ts_parts x;
    ts_calls before;
    ts_frame_paths tree;
    ts_shown_weight weight; /* of several databases */
    ts_pool files;
    uint32_t *file; /* by frame: place in files */
    uint64_t *key;  /* by frame */
    uint32_t keys;
    bool *moved; /* by frame: the key is that of another one, too */
} flame_work;

static ts_code flame_files(flame_work *f)
{
    uint32_t n = f->x.frames.keys.count;
    ts_code code = TS_OK;
    TS_NEED(f->x.ctx, f->file = ts_alloc(f->x.ctx, (size_t)n + 1, sizeof *f->file));
    for (uint32_t i = 0; i < n && code == TS_OK; i++) {
        ts_frame frame = ts_frames_get(&f->x.frames, i);
        code = ts_pool_intern(f->x.ctx, &f->file[i], NULL, &f->files, frame.file);
    }
    return code;
}

/* Keys of the frames that there are by now. */
static ts_code flame_see(void *work, const ts_calls *calls)
{
    flame_work *f = work;
    const uint32_t n = f->x.frames.keys.count;
    uint64_t *key = ts_realloc(f->x.ctx, f->key, (size_t)n + 1, sizeof *key);
    TS_NEED(f->x.ctx, key);
    memset(key + f->keys, 0, ((size_t)n + 1 - f->keys) * sizeof *key);
    f->key = key;
    f->keys = n;
    ts_frame_keys(key, calls);
    return TS_OK;
}

/* Frames of two lines are apart here, as methods of one name and file they are one elsewhere. */
static ts_code flame_keys(flame_work *f)
{
    uint32_t n = f->x.frames.keys.count;
    TS_NEED(f->x.ctx, f->moved = ts_alloc(f->x.ctx, (size_t)n + 1, sizeof *f->moved));
    TS_TRY(flame_see(f, &f->x.calls));
    TS_TRY(flame_see(f, &f->before));
    return ts_path_ids_part(f->key, f->moved, f->x.ctx, n);
}

static void flame_begin_list(ts_jout *w, const char *name)
{
    ts_jout_next_line(w);
    ts_jout_open(w, name, '[');
}

static void flame_frames(flame_work *f)
{
    ts_jout *w = &f->x.w;
    uint32_t n = f->x.frames.keys.count;
    flame_begin_list(w, "files");
    for (uint32_t i = 0; i < f->files.count && w->code == TS_OK; i++) {
        if (i > 0) {
            ts_jout_next_line(w);
        }
        ts_jout_text(w, NULL, ts_pool_text(&f->files, i));
    }
    ts_jout_close(w, ']');
    ts_jout_next_line(w);
    ts_jout_open(w, "frames", '{');
    ts_jout_open(w, "label", '[');
    for (uint32_t i = 0; i < n && w->code == TS_OK; i++) {
        if (i > 0) {
            ts_jout_next_line(w);
        }
        ts_jout_text(w, NULL, ts_frames_get(&f->x.frames, i).label);
    }
    ts_jout_close(w, ']');
    flame_begin_list(w, "file");
    for (uint32_t i = 0; i < n && w->code == TS_OK; i++) {
        ts_jout_int(w, NULL, f->file[i]);
    }
    ts_jout_close(w, ']');
    flame_begin_list(w, "line");
    for (uint32_t i = 0; i < n && w->code == TS_OK; i++) {
        ts_jout_int(w, NULL, ts_frames_get(&f->x.frames, i).line);
    }
    ts_jout_close(w, ']');
    flame_begin_list(w, "key");
    for (uint32_t i = 0; i < n && w->code == TS_OK; i++) {
        ts_path_id_put(w, NULL, f->key[i]);
    }
    ts_jout_close(w, ']');
    flame_begin_list(w, "unstable");
    for (uint32_t i = 0; i < n && w->code == TS_OK; i++) {
        if (f->moved[i]) {
            ts_jout_int(w, NULL, i);
        }
    }
    ts_jout_ends(w, "]}");
}

static void flame_numbers(flame_work *f, const char *name, const int64_t *values)
{
    flame_begin_list(&f->x.w, name);
    for (uint32_t i = 1; i <= f->tree.n && f->x.w.code == TS_OK; i++) {
        ts_jout_int(&f->x.w, NULL, values[i]);
    }
    ts_jout_close(&f->x.w, ']');
}

static void flame_nodes(flame_work *f)
{
    const ts_frame_paths *t = &f->tree;
    ts_jout_next_line(&f->x.w);
    ts_jout_open(&f->x.w, "nodes", '{');
    ts_jout_open(&f->x.w, "parent", '[');
    for (uint32_t i = 1; i <= t->n && f->x.w.code == TS_OK; i++) {
        ts_jout_int(&f->x.w, NULL, (int64_t)i - t->parent[i]);
    }
    ts_jout_close(&f->x.w, ']');
    flame_begin_list(&f->x.w, "frame");
    for (uint32_t i = 1; i <= t->n && f->x.w.code == TS_OK; i++) {
        ts_jout_int(&f->x.w, NULL, t->frame[i]);
    }
    ts_jout_close(&f->x.w, ']');
    flame_numbers(f, "self", t->self);
    if (t->before != NULL) {
        flame_numbers(f, "before", t->before);
    }
    ts_jout_ends(&f->x.w, "}}");
}

static void flame_write(flame_work *f, const ts_export_input *input)
{
    const ts_weight *weight = &f->x.calls.weights[f->x.calls.chosen];
    const bool several = input->several != NULL;
    ts_jout *w = &f->x.w;
    ts_jout_put(w, ts_flame_page_head, ts_flame_page_head_size);
    ts_jout_open(w, NULL, '{');
    ts_jout_str(w, "title", input->side.title);
    ts_jout_text(w, "weight", several ? ts_text_of(f->weight.name) : weight->name);
    ts_jout_text(w, "unit", several ? ts_text_of(f->weight.unit) : weight->unit);
    if (input->before == NULL) {
        ts_jout_null(w, "before");
    } else {
        ts_jout_open(w, "before", '{');
        ts_jout_str(w, "title", input->before->title);
        ts_jout_close(w, '}');
    }
    flame_frames(f);
    flame_nodes(f);
    ts_jout_put(w, ts_flame_page_tail, ts_flame_page_tail_size);
}

/* Both sides are weighed by the same: the name that the newer one chose. */
static ts_code flame_before(flame_work *f, const ts_export_side *before)
{
    const ts_weight *weight = &f->x.calls.weights[f->x.calls.chosen];
    ts_export_side side = *before;
    char *name = NULL;
    if (side.filter.weight == NULL) {
        TS_NEED(f->x.ctx, name = ts_strndup(f->x.ctx, weight->name.p, weight->name.n));
        side.filter.weight = name;
    }
    ts_code code = ts_calls_open(&f->before, f->x.ctx, side.reader, &side.filter, &f->x.frames,
                                 TS_LOAD_CHOSEN);
    f->before.filter.weight = NULL;
    ts_free(f->x.ctx, name);
    return code;
}

static ts_code flame_tree(flame_work *f, const ts_export_input *input)
{
    bool difference = input->before != NULL;
    if (input->several != NULL) {
        return ts_parts_several(&f->tree, &f->weight, &f->x, TS_FRAME_FILE | TS_FRAME_LINE,
                                flame_see);
    }
    /* Lines move from one version of a program to the next. */
    TS_TRY(ts_parts_calls(&f->x, difference ? TS_FRAME_FILE : TS_FRAME_FILE | TS_FRAME_LINE,
                          TS_LOAD_CHOSEN));
    if (difference) {
        TS_TRY(flame_before(f, input->before));
    }
    return ts_frame_paths_make(&f->tree, f->x.ctx, &f->x.calls, difference ? &f->before : NULL);
}

static ts_code flame_run(void *work)
{
    flame_work *f = work;
    const ts_export_input *input = f->x.input;
    f->x.w.escapes |= TS_JOUT_MARKUP;
    ts_code code = flame_tree(f, input);
    TS_STEP(code, flame_files(f));
    TS_STEP(code, flame_keys(f));
    if (code == TS_OK) {
        flame_write(f, input);
    }
    return code;
}

static void flame_release(void *work)
{
    flame_work *f = work;
    ts_free(f->x.ctx, f->file);
    ts_free(f->x.ctx, f->key);
    ts_free(f->x.ctx, f->moved);
    ts_shown_weight_free(&f->weight, f->x.ctx);
    ts_pool_free(f->x.ctx, &f->files);
    ts_frame_paths_free(&f->tree, f->x.ctx);
    ts_calls_free(&f->before);
}

const ts_export ts_export_flame = {
    .name = "flame",
    .title = "flame graph, one HTML page for any browser",
    .extension = ".html",
    .needs = TS_NEEDS_STACKS,
    .difference = true,
    .several = true,
    .work = sizeof(flame_work),
    .run = flame_run,
    .release = flame_release,
};

#include "model/stack_filter.h"

#include "base/alloc.h"
#include "model/pattern.h"
#include "model/stack_tree.h"

#include <inttypes.h>

enum { F_ONLY, F_IGNORE, F_HIDE, F_PATTERNS };
enum { ONLY = 1 << F_ONLY, IGNORE = 1 << F_IGNORE, HIDE = 1 << F_HIDE };
enum { C_NAME, C_CLASS, C_PACKAGE, C_FILE, C_LINE };

typedef struct frame_filter {
    ts_model *model;
    const ts_paths *paths;
    ts_pattern patterns[F_PATTERNS];
    bool wanted[F_PATTERNS];
    bool demangle;
    ts_buf label;
    ts_buf where;
    ts_buf written;
    uint8_t *hits; /* of each method: bits of the patterns that fit it */
} frame_filter;

static ts_code filter_begin(frame_filter *f, const ts_frame_filter *filter, size_t methods)
{
    ts_ctx *ctx = ts_model_ctx(f->model);
    const ts_text texts[F_PATTERNS] = {filter->only, filter->ignore, filter->hide};
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < F_PATTERNS; i++) {
        f->wanted[i] = ts_pattern_wanted(texts[i]);
        code = f->wanted[i] ? ts_pattern_make(&f->patterns[i], ctx, texts[i]) : TS_OK;
    }
    if (code == TS_OK) {
        f->hits = ts_zalloc(ctx, methods, sizeof *f->hits);
        code = f->hits == NULL ? ctx->error.code : TS_OK;
    }
    return code;
}

static void filter_free(frame_filter *f)
{
    ts_ctx *ctx = ts_model_ctx(f->model);
    for (unsigned i = 0; i < F_PATTERNS; i++) {
        ts_pattern_free(&f->patterns[i]);
    }
    ts_buf_free(ctx, &f->label);
    ts_buf_free(ctx, &f->where);
    ts_buf_free(ctx, &f->written);
    ts_free(ctx, f->hits);
}

/* What the patterns say of the method whose label f->label has. */
static ts_code filter_label(frame_filter *f, uint32_t method, ts_text file, int64_t line)
{
    ts_ctx *ctx = ts_model_ctx(f->model);
    ts_code code = TS_OK;
    f->where.n = 0;
    TS_STEP_IF(code, file.n > 0, ts_buf_put(ctx, &f->where, file.p, file.n));
    TS_STEP_IF(code, file.n > 0 && line > 0, ts_buf_printf(ctx, &f->where, ":%" PRId64, line));
    for (unsigned i = 0; code == TS_OK && i < F_PATTERNS; i++) {
        if (f->wanted[i] &&
            (ts_pattern_in(&f->patterns[i], ts_buf_text(&f->label)) ||
             (f->where.n > 0 && ts_pattern_in(&f->patterns[i], ts_buf_text(&f->where))))) {
            f->hits[method] |= (uint8_t)(1U << i);
        }
    }
    return code;
}

static ts_code filter_method(frame_filter *f, const ts_batch *b, unsigned row)
{
    ts_ctx *ctx = ts_model_ctx(f->model);
    uint32_t method = ts_ids_find(&f->paths->methods, b->rowids[row]);
    if (row == 0) {
        ts_model_report(f->model, "looking at methods", method, f->paths->methods.count);
    }
    if (method == TS_NO_INDEX) {
        return TS_OK;
    }
    f->label.n = 0;
    ts_scan_text name = b->columns[C_NAME].texts[row];
    ts_code code = f->demangle ? ts_method_written(&name, ctx, &f->written, &name) : TS_OK;
    TS_STEP(code, ts_method_label(&f->label, ctx, &b->columns[C_PACKAGE].texts[row],
                                  &b->columns[C_CLASS].texts[row], &name));
    TS_STEP(code,
            filter_label(f, method, ts_cell_text(b, C_FILE, row), b->columns[C_LINE].ints[row]));
    return code;
}

static ts_code filter_frames(frame_filter *f, const ts_frames *frames)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < frames->keys.count; i++) {
        const ts_frame frame = ts_frames_get(frames, i);
        f->label.n = 0;
        code = ts_buf_put(ts_model_ctx(f->model), &f->label, frame.label.p, frame.label.n);
        TS_STEP(code, filter_label(f, i, frame.file, frame.line));
    }
    return code;
}

/* Parents are before their children: what is above a node is known when it is looked at. */
static ts_code filter_nodes(const frame_filter *f, ts_path_weights *w, const ts_paths *paths)
{
    ts_ctx *ctx = ts_model_ctx(f->model);
    uint8_t *above = ts_alloc(ctx, paths->nodes.count, sizeof *above);
    TS_NEED(ctx, above);
    for (uint32_t i = 0; i < paths->nodes.count; i++) {
        uint32_t method = paths->method[i];
        above[i] = paths->parent[i] == TS_NO_INDEX ? 0 : above[paths->parent[i]];
        if (method != TS_NO_INDEX) {
            above[i] |= f->hits[method];
        }
        if ((f->wanted[F_ONLY] && (above[i] & ONLY) == 0) || (above[i] & IGNORE) != 0) {
            w->self[i] = 0;
            w->count[i] = 0;
        }
    }
    ts_free(ctx, above);
    return TS_OK;
}

/* Finds out which methods the patterns fit; *any: there are patterns. */
static ts_code filter_match(frame_filter *f, bool *any, const ts_frame_filter *filter)
{
    static const unsigned columns[] = {TS_C_stack_method__name, TS_C_stack_method__class,
                                       TS_C_stack_method__package, TS_C_stack_method__file,
                                       TS_C_stack_method__line};
    ts_code code = filter_begin(f, filter, f->paths->methods.count);
    *any = f->wanted[F_ONLY] || f->wanted[F_IGNORE] || f->wanted[F_HIDE];
    TS_STEP_IF(code, *any && f->paths->frames != NULL, filter_frames(f, f->paths->frames));
    ts_walk rows = ts_walk_of(*ts_model_rows(f->model), TS_T_stack_method, columns, 5);
    while (*any && f->paths->frames == NULL && ts_walk_next(&code, &rows)) {
        code = filter_method(f, rows.b, rows.row);
    }
    return code;
}

ts_code ts_frames_shown(ts_shown_paths *out, ts_model *model, const ts_paths *paths,
                        const ts_frame_filter *filter)
{
    frame_filter f = {.model = model, .paths = paths, .demangle = filter->demangle};
    ts_ctx *ctx = ts_model_ctx(model);
    size_t nodes = paths->nodes.count;
    uint8_t *above = NULL;
    bool any;
    *out = (ts_shown_paths){0};
    ts_code code = filter_match(&f, &any, filter);
    if (code == TS_OK && any) {
        above = ts_zalloc(ctx, nodes + 1, sizeof *above);
        out->visible = ts_zalloc(ctx, nodes + 1, sizeof *out->visible);
        out->passes = ts_zalloc(ctx, nodes + 1, sizeof *out->passes);
        any = above != NULL && out->visible != NULL && out->passes != NULL;
        code = any ? TS_OK : ctx->error.code;
    }
    for (uint32_t i = 1; any && code == TS_OK && i <= nodes; i++) {
        uint32_t caller = paths->parent[i - 1] + 1; /* TS_NO_INDEX becomes 0 */
        uint32_t method = paths->method[i - 1];
        uint8_t hits = method == TS_NO_INDEX ? 0 : f.hits[method];
        above[i] = above[caller] | hits;
        out->visible[i] = (hits & HIDE) != 0 ? out->visible[caller] : i;
        out->passes[i] = (!f.wanted[F_ONLY] || (above[i] & ONLY) != 0) && (above[i] & IGNORE) == 0;
    }
    ts_free(ctx, above);
    filter_free(&f);
    return code;
}

ts_code ts_frames_filter(uint8_t **hidden, ts_path_weights *w, ts_model *model,
                         const ts_paths *paths, const ts_frame_filter *filter)
{
    frame_filter f = {.model = model, .paths = paths, .demangle = filter->demangle};
    bool any;
    *hidden = NULL;
    ts_code code = filter_match(&f, &any, filter);
    TS_STEP_IF(code, any, filter_nodes(&f, w, paths));
    if (code == TS_OK && f.wanted[F_HIDE]) {
        for (uint32_t i = 0; i < paths->methods.count; i++) {
            f.hits[i] = (f.hits[i] & HIDE) != 0;
        }
        *hidden = f.hits;
        f.hits = NULL;
    }
    filter_free(&f);
    return code;
}

/* Call paths and methods of a profile, and what its samples are. */
#include "model/call_stacks_private.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "model/path_ids.h"
#include "model/stack_filter.h"
#include "symbols/demangle.h"

#include <inttypes.h>

enum {
    STACKS_LABEL_MAX = 32 * 1024,
    STACKS_IDS = 1 << 27 /* beyond it ids are no numbers of rows */
};

/* --- shared ---------------------------------------------------------------------------------- */

ts_code stacks_grow(ts_ctx *ctx, void *array, size_t cap, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    void *p = ts_realloc(ctx, old, cap, size);
    TS_NEED(ctx, p);
    memcpy(array, &p, sizeof p);
    return TS_OK;
}

ts_code stacks_add_node(ts_calls *p, uint32_t *cap, uint32_t parent, uint32_t method, int64_t line)
{
    uint32_t id = p->nodes + 1;
    uint32_t more = *cap == 0 ? 1024 : *cap * 2;
    if (id >= *cap) {
        if (*cap > UINT32_MAX / 4) {
            return ts_fail(p->ctx, TS_ERR_LIMIT, "more than %u call paths", *cap);
        }
        TS_TRY(stacks_grow(p->ctx, &p->parent, more, sizeof *p->parent));
        TS_TRY(stacks_grow(p->ctx, &p->method, more, sizeof *p->method));
        TS_TRY(stacks_grow(p->ctx, &p->line, more, sizeof *p->line));
        *cap = more;
        p->parent[0] = 0;
    }
    p->parent[id] = parent;
    p->method[id] = method;
    p->line[id] = line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
    p->nodes = id;
    return TS_OK;
}

ts_code stacks_methods_room(ts_calls *p)
{
    TS_NEED(p->ctx, p->frame = ts_zalloc(p->ctx, (size_t)p->methods + 1, sizeof *p->frame));
    TS_NEED(p->ctx, p->key = ts_zalloc(p->ctx, (size_t)p->methods + 1, sizeof *p->key));
    return TS_OK;
}

ts_code stacks_add_sums(ts_calls *p, const stacks_sum *weights, unsigned n, const int64_t *sums)
{
    for (unsigned k = 0; k < n; k++) {
        ts_weight *w;
        TS_TRY(stacks_add_weight(&w, p, TS_WEIGHT_HEAP, ts_text_of(weights[k].name),
                                 ts_text_of(weights[k].unit)));
        w->what.class = weights[k].class;
        TS_NEED(p->ctx, w->self = ts_zalloc(p->ctx, (size_t)p->nodes + 1, sizeof *w->self));
        for (uint32_t i = 0; i < p->nodes; i++) {
            w->self[i + 1] = sums[(size_t)i * n + k];
        }
    }
    return TS_OK;
}

/* --- call paths ------------------------------------------------------------------------------ */

/* What the patterns of the filter leave; frames that are hidden call nothing. */
static ts_code stacks_find_shown(ts_calls *p, const ts_paths *paths)
{
    const ts_frame_filter filter = {.only = ts_text_of(p->filter.only),
                                    .ignore = ts_text_of(p->filter.ignore),
                                    .hide = ts_text_of(p->filter.hide),
                                    .demangle = p->filter.demangle};
    ts_shown_paths shown;
    ts_code code = ts_frames_shown(&shown, p->model, paths, &filter);
    p->visible = shown.visible;
    p->passes = shown.passes;
    return code;
}

/* The last id of rows, of which a part of a recording does not have all. */
static ts_code stacks_last(uint32_t *last, ts_calls *p, const ts_ids *ids, const char *table)
{
    const int64_t id = ids->count == 0 ? 0 : ts_ids_at(ids, ids->count - 1);
    if (id > STACKS_IDS || (ids->count > 0 && ts_ids_at(ids, 0) < 1)) {
        return ts_rows_changed(p->ctx, table);
    }
    *last = (uint32_t)id;
    return TS_OK;
}

/* From places to ids. Ids that are not there are roots of no method, which nothing uses. */
static ts_code stacks_spread(ts_calls *p, const ts_paths *paths, uint32_t nodes)
{
    const size_t n = (size_t)nodes + 1;
    ts_ctx *ctx = p->ctx;
    uint32_t *parent = ts_zalloc(ctx, n, sizeof *parent);
    uint32_t *method = ts_zalloc(ctx, n, sizeof *method);
    uint32_t *visible = ts_zalloc(ctx, n, sizeof *visible);
    int32_t *line = ts_zalloc(ctx, n, sizeof *line);
    bool *passes = ts_zalloc(ctx, n, sizeof *passes);
    const bool made =
        parent != NULL && method != NULL && visible != NULL && line != NULL && passes != NULL;
    for (uint32_t i = 1; made && i <= paths->nodes.count; i++) {
        const size_t id = (size_t)ts_ids_at(&paths->nodes, i - 1);
        const uint32_t above = p->parent[i];
        parent[id] = above == 0 ? 0 : (uint32_t)ts_ids_at(&paths->nodes, above - 1);
        method[id] = p->method[i] == 0 ? 0 : (uint32_t)ts_ids_at(&paths->methods, p->method[i] - 1);
        line[id] = p->line[i];
        if (p->visible != NULL) {
            visible[id] =
                p->visible[i] == 0 ? 0 : (uint32_t)ts_ids_at(&paths->nodes, p->visible[i] - 1);
            passes[id] = p->passes[i];
        }
    }
    ts_free(ctx, made ? p->parent : parent);
    ts_free(ctx, made ? p->method : method);
    ts_free(ctx, made ? p->line : line);
    p->parent = made ? parent : p->parent;
    p->method = made ? method : p->method;
    p->line = made ? line : p->line;
    const bool shown = made && p->visible != NULL;
    ts_free(ctx, shown ? p->visible : visible);
    ts_free(ctx, shown ? p->passes : passes);
    p->visible = shown ? visible : p->visible;
    p->passes = shown ? passes : p->passes;
    p->nodes = made ? nodes : p->nodes;
    return made ? TS_OK : ctx->error.code;
}

/* Those of the database by their ids: what was place i is number i + 1. */
static ts_code stacks_take_paths(ts_calls *p)
{
    ts_paths paths;
    ts_code code = ts_call_paths_read(&paths, p->model);
    uint32_t nodes = 0;
    TS_STEP_IF(code, !paths.whole, ts_rows_changed(p->ctx, "stack_node"));
    TS_STEP(code, stacks_last(&nodes, p, &paths.nodes, "stack_node"));
    TS_STEP(code, stacks_last(&p->methods, p, &paths.methods, "stack_method"));
    TS_STEP(code, stacks_find_shown(p, &paths));
    if (code == TS_OK && paths.nodes.count > 0) {
        p->parent = paths.parent;
        p->method = paths.method;
        p->line = paths.line;
        p->nodes = paths.nodes.count;
        for (uint32_t i = p->nodes; i > 0; i--) {
            p->parent[i] = p->parent[i - 1] + 1; /* TS_NO_INDEX becomes 0 */
            p->method[i] = p->method[i - 1] + 1;
            p->line[i] = p->line[i - 1] > 0 ? p->line[i - 1] : 0;
        }
        p->parent[0] = 0;
        for (uint32_t i = 1; p->visible != NULL && i <= p->nodes; i++) {
            p->parent[i] = p->visible[p->parent[i]];
        }
        paths.parent = paths.method = NULL;
        paths.line = NULL;
        TS_STEP_IF(code, paths.nodes.ids != NULL || paths.methods.ids != NULL,
                   stacks_spread(p, &paths, nodes));
    }
    ts_call_paths_free(p->ctx, &paths);
    return code;
}

/* --- frames ---------------------------------------------------------------------------------- */

enum { M_NAME, M_CLASS, M_PACKAGE, M_FILE, M_LINE, M_LIBRARY, M_SIGNATURE, M_COLUMNS };

static ts_text stacks_cut(ts_text text)
{
    text.n = text.n > STACKS_LABEL_MAX ? STACKS_LABEL_MAX : text.n;
    return text;
}

/* package.class.name, as the questions on stacks have it. */
static ts_code stacks_label(ts_ctx *ctx, ts_buf *out, ts_text name, const ts_batch *b, unsigned row,
                            bool nameless_line)
{
    ts_code code = TS_OK;
    out->n = 0;
    for (unsigned part = M_PACKAGE; part >= M_CLASS && code == TS_OK; part--) {
        ts_text text = stacks_cut(ts_cell_text(b, part, row));
        if (text.n > 0 && (code = ts_buf_put(ctx, out, text.p, text.n)) == TS_OK) {
            code = ts_buf_putc(ctx, out, '.');
        }
    }
    if (code != TS_OK) {
        return code;
    }
    if (name.n > 0) {
        return ts_buf_put(ctx, out, name.p, name.n);
    }
    return nameless_line && b->columns[M_LINE].null[row] == 0
               ? ts_buf_printf(ctx, out, "(anonymous) %" PRId64, b->columns[M_LINE].ints[row])
               : ts_buf_printf(ctx, out, "(anonymous)");
}

typedef struct frames_pass {
    ts_calls *p;
    ts_frames *frames;
    bool *wanted; /* by method */
    ts_buf label;
    ts_buf written; /* a name that was demangled */
} frames_pass;

static ts_code stacks_frame(frames_pass *f, const ts_batch *b, unsigned i)
{
    ts_calls *p = f->p;
    int64_t id = b->rowids[i];
    if (id < 1 || id > p->methods || !f->wanted[id]) {
        return TS_OK;
    }
    ts_text name = ts_cell_text(b, M_NAME, i);
    p->key[id] = ts_method_key(&(ts_method_parts){
        .library = ts_cell_text(b, M_LIBRARY, i),
        .package = ts_cell_text(b, M_PACKAGE, i),
        .class = ts_cell_text(b, M_CLASS, i),
        .name = name,
        .signature = ts_cell_text(b, M_SIGNATURE, i),
        .file = ts_cell_text(b, M_FILE, i),
        .line = b->columns[M_LINE].null[i] != 0 ? TS_METHOD_NO_LINE : b->columns[M_LINE].ints[i],
    });
    name = stacks_cut(name);
    if (p->filter.demangle) {
        TS_TRY(ts_demangle(&name, p->ctx, &f->written, name));
        name = stacks_cut(name);
    }
    TS_TRY(stacks_label(p->ctx, &f->label, name, b, i,
                        (f->frames->parts & TS_FRAME_NAMELESS_LINE) != 0));
    const ts_frame frame = {ts_buf_text(&f->label), stacks_cut(ts_cell_text(b, M_FILE, i)),
                            b->columns[M_LINE].ints[i]};
    return ts_frames_intern(p->ctx, &p->frame[id], f->frames, &frame);
}

static ts_code stacks_read_frames(ts_calls *p, ts_frames *frames)
{
    static const unsigned columns[M_COLUMNS] = {
        TS_C_stack_method__name,     TS_C_stack_method__class, TS_C_stack_method__package,
        TS_C_stack_method__file,     TS_C_stack_method__line,  TS_C_stack_method__library,
        TS_C_stack_method__signature};
    frames_pass f = {.p = p, .frames = frames};
    ts_walk rows = ts_walk_of(*ts_model_rows(p->model), TS_T_stack_method, columns, M_COLUMNS);
    f.wanted = ts_zalloc(p->ctx, (size_t)p->methods + 1, sizeof *f.wanted);
    ts_code code = stacks_methods_room(p);
    TS_STEP_IF(code, f.wanted == NULL, p->ctx->error.code);
    for (uint32_t i = 1; i <= p->nodes && code == TS_OK; i++) {
        f.wanted[p->method[i]] = f.wanted[p->method[i]] || p->used[i];
    }
    while (ts_walk_next(&code, &rows)) {
        code = stacks_frame(&f, rows.b, rows.row);
    }
    ts_buf_free(p->ctx, &f.label);
    ts_buf_free(p->ctx, &f.written);
    ts_free(p->ctx, f.wanted);
    return code;
}

uint32_t ts_calls_frame(const ts_calls *p, uint32_t node)
{
    return p->method[node] == 0 ? p->unknown : p->frame[p->method[node]];
}

/* --- opening --------------------------------------------------------------------------------- */

/* Whose stacks: samples and calls, or a tree. */
static ts_code stacks_choose_kind(ts_calls *p)
{
    ts_code code = ts_reader_has_rows(&p->any_sample, p->reader, TS_T_stack_sample);
    TS_STEP(code, ts_reader_has_rows(&p->any_slice, p->reader, TS_T_stack_slice));
    TS_STEP(code, stacks_choose_tree(p, (stacks_trees){.heaps = true, .marks = true}));
    p->any_sample = p->any_sample && !p->filter.no_samples;
    p->any_slice = p->any_slice && !p->filter.no_calls;
    bool patterns = p->filter.only != NULL || p->filter.ignore != NULL || p->filter.hide != NULL;
    TS_STEP_IF(code, patterns && p->is_heap,
               ts_fail(p->ctx, TS_ERR_USAGE, "these stacks are not filtered by their frames"));
    return code;
}

static ts_code stacks_mark_used(ts_calls *p)
{
    TS_NEED(p->ctx, p->used = ts_zalloc(p->ctx, (size_t)p->nodes + 1, sizeof *p->used));
    for (uint32_t i = p->nodes; i > 0; i--) {
        for (unsigned k = 0; k < p->weight_count && !p->used[i]; k++) {
            p->used[i] = p->weights[k].self != NULL && p->weights[k].self[i] > 0;
        }
        p->used[p->parent[i]] = p->used[p->parent[i]] || p->used[i];
    }
    return TS_OK;
}

ts_code ts_calls_select(ts_calls *p, ts_ctx *ctx, ts_reader *reader, const ts_stack_filter *filter)
{
    *p = (ts_calls){.ctx = ctx, .reader = reader, .filter = *filter, .no_idle = filter->no_idle};
    ts_code code;
    TS_TRY_INTO(code, ts_model_open(&p->own, ctx));
    p->model = p->own;
    ts_model_read(p->model, &(ts_rows_from){.ctx = ctx, .reader = reader});
    code = stacks_choose_kind(p);
    return code != TS_OK ? code : stacks_select(p);
}

ts_code ts_calls_open(ts_calls *p, ts_ctx *ctx, ts_reader *reader, const ts_stack_filter *filter,
                      ts_frames *frames, ts_calls_load load)
{
    static const ts_frame unknown = {{"(unknown)", 9}, {"", 0}, 0};
    ts_code code = ts_calls_select(p, ctx, reader, filter);
    if (code == TS_OK && p->is_heap) {
        code = stacks_read_tree(p, frames);
    } else if (code == TS_OK) {
        code = stacks_take_paths(p);
    }
    TS_STEP_IF(code, load != TS_LOAD_COUNT && !p->is_heap, ts_events_get(&p->events, p->model));
    TS_STEP_IF(code, load != TS_LOAD_COUNT, stacks_list_weights(p));
    TS_STEP(code, stacks_load_weights(p, load));
    TS_STEP(code, stacks_mark_used(p));
    for (uint32_t i = 1; i <= p->nodes && code == TS_OK; i++) {
        if (p->used[i] && p->method[i] == 0) {
            code = ts_frames_intern(ctx, &p->unknown, frames, &unknown);
            break;
        }
    }
    TS_STEP_IF(code, !p->is_heap, stacks_read_frames(p, frames));
    return code;
}

void ts_calls_free(ts_calls *p)
{
    void *arrays[] = {p->parent, p->method, p->line,    p->used,
                      p->frame,  p->key,    p->visible, p->passes};
    if (p->ctx == NULL) {
        return;
    }
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        ts_free(p->ctx, arrays[i]);
    }
    for (unsigned i = 0; i < p->weight_count; i++) {
        ts_free(p->ctx, p->weights[i].self);
        stacks_weighed_free(p->ctx, &p->weights[i]);
    }
    ts_select_free(p->ctx, &p->select);
    stacks_trees_free(p);
    ts_model_close(p->own);
    ts_vec_free(p->ctx, &p->sliced);
    ts_pool_free(p->ctx, &p->names);
    *p = (ts_calls){0};
}

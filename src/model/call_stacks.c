/* Call paths and methods of a profile, and what its samples are. */
#include "model/call_stacks_private.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <inttypes.h>

enum { STACKS_LABEL_MAX = 32 * 1024 };

/* --- shared ------------------------------------------------------------------------------------
 */

static ts_code stacks_grow(ts_ctx *ctx, void *array, size_t cap, size_t size)
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
    ts_code code;
    if (id >= *cap) {
        if (*cap > UINT32_MAX / 4) {
            return ts_fail(p->ctx, TS_ERR_LIMIT, "more than %u call paths", *cap);
        }
        TS_TRY(code, stacks_grow(p->ctx, &p->parent, more, sizeof *p->parent));
        TS_TRY(code, stacks_grow(p->ctx, &p->method, more, sizeof *p->method));
        TS_TRY(code, stacks_grow(p->ctx, &p->line, more, sizeof *p->line));
        *cap = more;
        p->parent[0] = 0;
    }
    p->parent[id] = parent;
    p->method[id] = method;
    p->line[id] = line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
    p->nodes = id;
    return TS_OK;
}

/* --- call paths ----------------------------------------------------------------------------------
 */

static ts_code stacks_count_methods(ts_calls *p)
{
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, p->reader, TS_T_stack_method, NULL, 0);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            if (b->rowids[i] != (int64_t)p->methods + 1 || p->methods == UINT32_MAX - 1) {
                code = ts_rows_changed(p->ctx, "stack_method");
            }
            p->methods++;
        }
    }
    ts_scan_close(scan);
    return code;
}

static ts_code stacks_read_nodes(ts_calls *p)
{
    static const unsigned columns[] = {TS_C_stack_node__parent_id, TS_C_stack_node__method_id,
                                       TS_C_stack_node__line};
    const ts_batch *b;
    ts_scan *scan = NULL;
    uint32_t cap = 0;
    ts_code code = ts_scan_open(&scan, p->reader, TS_T_stack_node, columns, 3);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            int64_t parent = b->columns[0].ints[i];
            int64_t method = b->columns[1].ints[i];
            code = b->rowids[i] != (int64_t)p->nodes + 1 || parent < 0 || parent > p->nodes ||
                           method < 0 || method > p->methods
                       ? ts_rows_changed(p->ctx, "stack_node")
                       : stacks_add_node(p, &cap, (uint32_t)parent, (uint32_t)method,
                                         b->columns[2].ints[i]);
        }
    }
    ts_scan_close(scan);
    return code;
}

/* --- frames --------------------------------------------------------------------------------------
 */

enum { M_NAME, M_CLASS, M_PACKAGE, M_FILE, M_LINE, M_COLUMNS };

static ts_text stacks_cut(ts_text text)
{
    text.n = text.n > STACKS_LABEL_MAX ? STACKS_LABEL_MAX : text.n;
    return text;
}

/* package.class.name, as the questions on stacks have it. */
static ts_code stacks_label(ts_ctx *ctx, ts_buf *out, const ts_batch *b, unsigned row,
                            bool nameless_line)
{
    ts_text name = stacks_cut(ts_cell_text(b, M_NAME, row));
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

static ts_code stacks_read_frames(ts_calls *p, ts_frames *frames)
{
    static const unsigned columns[M_COLUMNS] = {TS_C_stack_method__name, TS_C_stack_method__class,
                                                TS_C_stack_method__package, TS_C_stack_method__file,
                                                TS_C_stack_method__line};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_buf label = {0};
    const bool nameless_line = (frames->parts & TS_FRAME_NAMELESS_LINE) != 0;
    bool *wanted = ts_zalloc(p->ctx, (size_t)p->methods + 1, sizeof *wanted);
    p->frame = ts_zalloc(p->ctx, (size_t)p->methods + 1, sizeof *p->frame);
    ts_code code = wanted == NULL || p->frame == NULL ? p->ctx->error.code : TS_OK;
    for (uint32_t i = 1; i <= p->nodes && code == TS_OK; i++) {
        wanted[p->method[i]] = wanted[p->method[i]] || p->used[i];
    }
    TS_STEP(code, ts_scan_open(&scan, p->reader, TS_T_stack_method, columns, M_COLUMNS));
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            int64_t id = b->rowids[i];
            if (id < 1 || id > p->methods || !wanted[id] ||
                (code = stacks_label(p->ctx, &label, b, i, nameless_line)) != TS_OK) {
                continue;
            }
            const ts_frame frame = {ts_buf_text(&label), stacks_cut(ts_cell_text(b, M_FILE, i)),
                                    b->columns[M_LINE].ints[i]};
            code = ts_frames_intern(p->ctx, &p->frame[id], frames, &frame);
        }
    }
    ts_scan_close(scan);
    ts_buf_free(p->ctx, &label);
    ts_free(p->ctx, wanted);
    return code;
}

uint32_t ts_calls_frame(const ts_calls *p, uint32_t node)
{
    return p->method[node] == 0 ? p->unknown : p->frame[p->method[node]];
}

/* --- opening -------------------------------------------------------------------------------------
 */

static ts_code stacks_has_type(bool *has, const ts_calls *p, const char *name)
{
    static const unsigned columns[] = {TS_C_stack_value_type__name};
    const ts_batch *b;
    ts_scan *scan = NULL;
    *has = false;
    ts_code code = ts_scan_open(&scan, p->reader, TS_T_stack_value_type, columns, 1);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows; i++) {
            *has = *has || ts_text_is(ts_cell_text(b, 0, i), name);
        }
    }
    ts_scan_close(scan);
    return code;
}

/* Whose stacks: samples and calls, or the tree of heap timelines. */
static ts_code stacks_choose_kind(ts_calls *p)
{
    const char *weight = p->filter.weight;
    bool trees = false;
    bool sampled = true; /* with the weight that is wanted */
    ts_code code = ts_reader_has_rows(&p->any_sample, p->reader, TS_T_stack_sample);
    TS_STEP(code, ts_reader_has_rows(&p->any_slice, p->reader, TS_T_stack_slice));
    TS_STEP(code, ts_reader_has_rows(&trees, p->reader, TS_T_js_heap_trace_node));
    TS_STEP_IF(code, trees && weight != NULL && stacks_is_heap_weight(weight),
               stacks_has_type(&sampled, p, weight));
    p->is_heap = trees && ((!p->any_sample && !p->any_slice) || !sampled);
    if (code == TS_OK && !trees && !p->any_sample && !p->any_slice) {
        code = ts_reader_has_rows(&p->is_marks, p->reader, TS_T_callstack);
        p->is_heap = p->is_marks;
    }
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
    *p = (ts_calls){.ctx = ctx, .reader = reader, .filter = *filter};
    ts_code code;
    TS_TRY(code, ts_model_open(&p->own, ctx));
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
        code = p->is_marks ? stacks_read_marks(p, frames) : stacks_read_heap(p, frames);
    } else if (code == TS_OK && (code = stacks_count_methods(p)) == TS_OK) {
        code = stacks_read_nodes(p);
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
    void *arrays[] = {p->parent, p->method, p->line, p->used, p->frame};
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
    ts_model_close(p->own);
    ts_vec_free(p->ctx, &p->sliced);
    ts_pool_free(p->ctx, &p->names);
    *p = (ts_calls){0};
}

/* stack_node and what of stack_method is asked for each sample. */
#include "model/call_paths.h"

#include "base/alloc.h"

enum { PATHS_REPORT = 1 << 16 };

void ts_call_paths_free(ts_ctx *ctx, ts_paths *p)
{
    ts_ids_free(ctx, &p->nodes);
    ts_ids_free(ctx, &p->methods);
    ts_free(ctx, p->parent);
    ts_free(ctx, p->method);
    ts_free(ctx, p->line);
    ts_free(ctx, p->depth);
    ts_vec_free(ctx, &p->names);
    ts_free(ctx, p->one);
    ts_free(ctx, p->keys);
}

ts_code ts_call_paths_name(ts_paths *p, ts_ctx *ctx, ts_text name, int64_t id)
{
    uint8_t *idle = ts_vec_add(ctx, &p->names, 1);
    TS_NEED(ctx, idle);
    *idle = ts_text_is(name, "(idle)") ? TS_IDLE : ts_text_is(name, "(root)") ? TS_ROOT : 0;
    p->idle = p->names.p;
    return ts_ids_add(ctx, &p->methods, id);
}

ts_code ts_call_paths_room(ts_paths *p, ts_ctx *ctx, size_t cap)
{
    uint32_t **const words[] = {&p->parent, &p->method, &p->depth};
    int32_t *line = ts_realloc(ctx, p->line, cap, sizeof *line);
    TS_NEED(ctx, line);
    p->line = line;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t *word = ts_realloc(ctx, *words[i], cap, sizeof *word);
        TS_NEED(ctx, word);
        *words[i] = word;
    }
    return TS_OK;
}

static ts_code paths_row(ts_paths *p, ts_ctx *ctx, const ts_batch *b, unsigned row)
{
    const ts_batch_column *parent = &b->columns[0];
    const ts_batch_column *method = &b->columns[1];
    const ts_batch_column *line = &b->columns[2];
    uint32_t at = p->nodes.count;
    uint32_t above = TS_NO_INDEX;
    if (!parent->null[row]) {
        above = ts_ids_find(&p->nodes, parent->ints[row]);
        if (above == TS_NO_INDEX) {
            return ts_fail(
                ctx, TS_ERR_INPUT,
                "the rows of table stack_node were changed: the caller of node %lld does "
                "not come before it",
                (long long)b->rowids[row]);
        }
    }
    p->parent[at] = above;
    p->depth[at] = above == TS_NO_INDEX ? 0 : p->depth[above] + 1;
    p->method[at] = method->null[row] ? TS_NO_INDEX : ts_ids_find(&p->methods, method->ints[row]);
    p->whole = p->whole && (method->null[row] != 0 || p->method[at] != TS_NO_INDEX);
    p->line[at] = line->null[row]                         ? TS_PATH_NO_LINE
                  : line->ints[row] > INT32_MAX           ? INT32_MAX
                  : line->ints[row] < TS_PATH_NO_LINE + 1 ? TS_PATH_NO_LINE + 1
                                                          : (int32_t)line->ints[row];
    return ts_ids_add(ctx, &p->nodes, b->rowids[row]);
}

ts_code ts_call_paths_read(ts_paths *p, ts_model *m)
{
    static const unsigned columns[] = {TS_C_stack_node__parent_id, TS_C_stack_node__method_id,
                                       TS_C_stack_node__line};
    static const unsigned methods[] = {TS_C_stack_method__id, TS_C_stack_method__name};
    const ts_rows_from *from = ts_model_rows(m);
    uint64_t total = ts_rows_count(from, "stack_node");
    const ts_batch *b;
    ts_rows *rows = NULL;
    size_t cap = 0;
    *p = (ts_paths){.whole = true};
    ts_code code = TS_OK;
    ts_walk names = ts_walk_of(*from, TS_T_stack_method, methods, 2);
    while (ts_walk_next(&code, &names)) {
        code = ts_call_paths_name(p, from->ctx, ts_walk_text(&names, 1), ts_walk_id(&names));
    }
    TS_STEP(code, ts_rows_open(&rows, from, TS_T_stack_node, columns, 3));
    while (code == TS_OK && (code = ts_rows_next(&b, rows)) == TS_OK && b->rows > 0) {
        if (p->nodes.count + (size_t)b->rows >= cap) {
            cap = cap == 0 && total < UINT32_MAX / 64 ? (size_t)total + b->rows + 1
                                                      : 2 * cap + b->rows + 1;
            code = ts_call_paths_room(p, from->ctx, cap);
        }
        for (unsigned i = 0; code == TS_OK && i < b->rows; i++) {
            code = paths_row(p, from->ctx, b, i);
        }
        if (p->nodes.count % PATHS_REPORT < b->rows) {
            ts_model_report(m, "reading call paths", p->nodes.count, total);
        }
    }
    ts_rows_close(rows);
    return code;
}

static void paths_free(ts_ctx *ctx, void *what)
{
    ts_call_paths_free(ctx, what);
    ts_free(ctx, what);
}

static ts_code paths_build(void **what, ts_model *m, const void *user)
{
    ts_paths *p = ts_zalloc(ts_model_ctx(m), 1, sizeof *p);
    (void)user;
    *what = p;
    TS_NEED(ts_model_ctx(m), p);
    return ts_call_paths_read(p, m);
}

ts_code ts_call_paths(const ts_paths **out, ts_model *m)
{
    void *what;
    ts_code code = ts_model_keep(&what, m, "paths", "", paths_build, paths_free, NULL);
    *out = what;
    return code;
}

/* A walk from each root that keeps how many paths of each method are open. */
ts_code ts_paths_outermost(bool *out, ts_ctx *ctx, const uint32_t *parent, const uint32_t *method,
                           uint32_t n, uint32_t methods)
{
    ts_code code = TS_OK;
    uint32_t *child = ts_alloc(ctx, (size_t)n + 1, sizeof *child);
    uint32_t *next = ts_alloc(ctx, n, sizeof *next);
    uint32_t *open = ts_zalloc(ctx, (size_t)methods + 1, sizeof *open);
    if (child == NULL || next == NULL || open == NULL) {
        code = ctx->error.code;
        goto out;
    }
    memset(child, 0xff, ((size_t)n + 1) * sizeof *child);
    for (uint32_t i = n; i-- > 0;) {
        uint32_t above = parent[i] >= i ? n : parent[i];
        next[i] = child[above];
        child[above] = i;
    }
    uint32_t at = child[n];
    for (uint32_t steps = 1; at != TS_NO_INDEX && code == TS_OK; steps++) {
        out[at] = open[method[at] == TS_NO_INDEX ? methods : method[at]]++ == 0;
        code = steps % PATHS_REPORT == 0 ? ts_check_cancel(ctx) : TS_OK;
        if (child[at] != TS_NO_INDEX) {
            at = child[at];
            continue;
        }
        for (;;) {
            open[method[at] == TS_NO_INDEX ? methods : method[at]]--;
            if (next[at] != TS_NO_INDEX || parent[at] >= at) {
                break;
            }
            at = parent[at];
        }
        at = next[at];
    }
out:
    ts_free(ctx, child);
    ts_free(ctx, next);
    ts_free(ctx, open);
    return code;
}

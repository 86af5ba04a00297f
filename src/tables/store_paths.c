#include "tables/store_paths.h"

#include "tables/store_impl.h"

ts_code ts_paths_frame(uint32_t *number, ts_ctx *ctx, ts_paths *paths, int64_t method, int64_t line)
{
    ts_node_key key = {0, method > 0 ? (uint32_t)method : 0};
    ts_node_place place = {0, 0};
    ts_path_frame *frame;
    ts_code code = ts_node_reserve(ctx, &paths->index);
    line = line > 0 ? line : TS_NO_LINE;
    if (code != TS_OK) {
        return code;
    }
    *number = ts_node_find(&paths->index, &place, key, line);
    if (*number != 0) {
        return TS_OK;
    }
    if (line != TS_NO_LINE && (code = ts_node_line_reserve(ctx, &paths->index)) != TS_OK) {
        return code;
    }
    frame = ts_vec_add(ctx, &paths->frames, sizeof *frame);
    if (frame == NULL) {
        return ctx->error.code;
    }
    *frame = (ts_path_frame){key.method, line};
    *number = (uint32_t)paths->frames.n;
    ts_node_add(&paths->index, place, key, line, *number);
    return TS_OK;
}

ts_code ts_paths_step(uint32_t *node, ts_paths *paths, ts_store *store, int64_t source_id,
                      uint32_t frame, int64_t depth)
{
    const ts_path_frame *f = (const ts_path_frame *)paths->frames.p + frame - 1;
    ts_node_key key = {*node, frame};
    ts_node_place place = {0, 0};
    ts_code code = ts_node_reserve(store->ctx, &paths->nodes);
    if (code != TS_OK) {
        return code;
    }
    *node = ts_node_find(&paths->nodes, &place, key, TS_NO_LINE);
    if (*node != 0) {
        return TS_OK;
    }
    code = ts_stack_node_new(node, store, source_id, key.parent, f->method, f->line, depth);
    if (code == TS_OK) {
        ts_node_add(&paths->nodes, place, key, TS_NO_LINE, *node);
    }
    return code;
}

void ts_paths_free(ts_ctx *ctx, ts_paths *paths)
{
    ts_vec_free(ctx, &paths->frames);
    ts_node_index_free(ctx, &paths->index);
    ts_node_index_free(ctx, &paths->nodes);
}

/*
 * Call paths of one source for importers of many stacks: frames, that is (method, line), get
 * numbers, and paths are found by (caller, frame), which costs one look-up a frame without the
 * line. Rows are those of ts_stack_node, which does not know them; use one or the other in a
 * source.
 *
 * Memory: 15 to 18 bytes a path (store_nodes.h), and up to 42 a frame.
 */
#ifndef TS_TABLES_STORE_PATHS_H
#define TS_TABLES_STORE_PATHS_H

#include "base/vec.h"
#include "tables/store_nodes.h"

/* What the row of a path has beside its caller. */
typedef struct ts_path_frame {
    uint32_t method; /* 0: none */
    int64_t line;    /* or TS_NO_LINE */
} ts_path_frame;

/* Zeroed: empty. */
typedef struct ts_paths {
    ts_vec frames;       /* ts_path_frame */
    ts_node_index index; /* their numbers, by (0, method, line) */
    ts_node_index nodes; /* rows of stack_node, by (caller, frame) */
} ts_paths;

/* The number, from 1 on, of the frame of this method (0 and below: none) and line (0 and below:
 * none). TS_ERR_NOMEM, TS_ERR_LIMIT. */
ts_code ts_paths_frame(uint32_t *number, ts_ctx *ctx, ts_paths *paths, int64_t method,
                       int64_t line);

/* *node, a path or 0, becomes the path of its callee with this frame; writes the row when new. */
ts_code ts_paths_step(uint32_t *node, ts_paths *paths, ts_store *store, int64_t source_id,
                      uint32_t frame, int64_t depth);

void ts_paths_free(ts_ctx *ctx, ts_paths *paths);

#endif

/* The call paths of a database (stack_node), whatever ids they have, kept by the model. */
#ifndef TS_MODEL_CALL_PATHS_H
#define TS_MODEL_CALL_PATHS_H

#include "base/vec.h"
#include "model/cells.h"
#include "model/ids.h"
#include "model/model.h"

enum { TS_PATH_NO_LINE = INT32_MIN };
enum { TS_IDLE = 1, TS_ROOT = 2 };

/* stack_node as arrays, which have room for one more; parents are before their children. */
typedef struct ts_paths {
    ts_ids nodes;
    uint32_t *parent; /* place of the caller, or TS_NO_INDEX */
    uint32_t *method; /* place in `methods`, or TS_NO_INDEX */
    int32_t *line;    /* TS_PATH_NO_LINE: not recorded */
    uint32_t *depth;  /* callers above it */
    ts_ids methods;
    uint8_t *idle; /* per method: TS_IDLE or TS_ROOT when its name is (idle) or (root) */
    ts_vec names;  /* has these */
    bool whole;    /* every method is there */
    /* Not of stack_node: method i is frame i of these, and no two of them are one. */
    const struct ts_frames *frames;
    uint32_t *one;  /* of frames: 0, 1, 2 ... */
    uint64_t *keys; /* of frames (model/path_ids.h) */
} ts_paths;

ts_code ts_call_paths(const ts_paths **out, ts_model *m);

/* The same for a caller that frees them with ts_call_paths_free, also after an error. */
ts_code ts_call_paths_read(ts_paths *p, ts_model *m);
/* Room for `cap` call paths; one more method, whose id is greater than the last one's. */
ts_code ts_call_paths_room(ts_paths *p, ts_ctx *ctx, size_t cap);
ts_code ts_call_paths_name(ts_paths *p, ts_ctx *ctx, ts_text name, int64_t id);
void ts_call_paths_free(ts_ctx *ctx, ts_paths *p);

/*
 * Which call paths are not below another one of their method: out[i] for those of `n` paths, whose
 * callers are before them (parent[i] >= i: a root). Only these count for the total of a method, so
 * that recursion counts once. method: below `methods`, or TS_NO_INDEX, which is one too.
 */
ts_code ts_paths_outermost(bool *out, ts_ctx *ctx, const uint32_t *parent, const uint32_t *method,
                           uint32_t n, uint32_t methods);

#endif

/* The call paths of a database (stack_node), whatever ids they have, kept by the model. */
#ifndef TS_MODEL_CALL_PATHS_H
#define TS_MODEL_CALL_PATHS_H

#include "model/ids.h"
#include "model/model.h"

enum { TS_NO_LINE = INT32_MIN };
enum { TS_IDLE = 1, TS_ROOT = 2 };

/* stack_node as arrays; parents are before their children. */
typedef struct ts_paths {
    ts_ids nodes;
    uint32_t *parent; /* place of the caller, or TS_NO_INDEX */
    uint32_t *method; /* place in `methods`, or TS_NO_INDEX */
    int32_t *line;    /* TS_NO_LINE: not recorded */
    uint32_t *depth;  /* callers above it */
    ts_ids methods;
    uint8_t *idle; /* per method: TS_IDLE or TS_ROOT when its name is (idle) or (root) */
} ts_paths;

ts_code ts_call_paths(const ts_paths **out, ts_model *m);

#endif

/*
 * Lanes for spans that are drawn beneath each other: each span takes the first lane that is free
 * when it begins. A tree over the ends of the lanes' last spans; a span costs O(log lanes), a lane
 * 16 to 32 bytes. Zeroed: no lanes.
 */
#ifndef TS_BASE_LANES_H
#define TS_BASE_LANES_H

#include "base/context.h"

typedef struct ts_lanes {
    int64_t *least; /* each node has the least end below it; least[1] is the root */
    uint32_t cap;   /* lanes; a power of two, or 0 */
} ts_lanes;

/* The first lane, from 0, whose last span ended before `begin`; that of the new span is `end`
 * (INT64_MAX: it blocks its lane). TS_ERR_NOMEM, TS_ERR_LIMIT: nothing has changed. */
ts_code ts_lanes_take(int64_t *lane, ts_ctx *ctx, ts_lanes *lanes, int64_t begin, int64_t end);

void ts_lanes_free(ts_ctx *ctx, ts_lanes *lanes);

#endif

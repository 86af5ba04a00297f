#include "base/lanes.h"

#include "base/alloc.h"

static int64_t least_of(const int64_t *least, size_t i)
{
    return least[2 * i] < least[2 * i + 1] ? least[2 * i] : least[2 * i + 1];
}

static ts_code more_lanes(ts_ctx *ctx, ts_lanes *lanes)
{
    uint32_t cap = lanes->cap == 0 ? 4 : 2 * lanes->cap;
    int64_t *least;
    if (cap < lanes->cap) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u spans at once", lanes->cap);
    }
    TS_NEED(ctx, least = ts_alloc(ctx, 2 * (size_t)cap, sizeof *least));
    for (uint32_t i = 0; i < cap; i++) {
        least[(size_t)cap + i] = i < lanes->cap ? lanes->least[(size_t)lanes->cap + i] : INT64_MIN;
    }
    for (size_t i = cap - 1; i > 0; i--) {
        least[i] = least_of(least, i);
    }
    ts_free(ctx, lanes->least);
    *lanes = (ts_lanes){least, cap};
    return TS_OK;
}

ts_code ts_lanes_take(int64_t *lane, ts_ctx *ctx, ts_lanes *lanes, int64_t begin, int64_t end)
{
    /* Before INT64_MIN, which a free lane has, nothing ends. */
    int64_t free_below = begin == INT64_MIN ? INT64_MIN + 1 : begin;
    size_t i = 1;
    if (lanes->cap == 0 || lanes->least[1] >= free_below) {
        TS_TRY(more_lanes(ctx, lanes));
    }
    while (i < lanes->cap) {
        i = 2 * i + (lanes->least[2 * i] >= free_below);
    }
    *lane = (int64_t)(i - lanes->cap);
    lanes->least[i] = end == INT64_MIN ? INT64_MIN + 1 : end;
    while ((i /= 2) > 0) {
        lanes->least[i] = least_of(lanes->least, i);
    }
    return TS_OK;
}

void ts_lanes_free(ts_ctx *ctx, ts_lanes *lanes)
{
    ts_free(ctx, lanes->least);
    *lanes = (ts_lanes){0};
}

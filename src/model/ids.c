#include "model/ids.h"

#include "base/alloc.h"

static ts_code ids_room(ts_ctx *ctx, ts_ids *ids)
{
    size_t cap = ids->cap < 1024 ? 1024 : ids->cap * 2;
    if (ids->count < ids->cap) {
        return TS_OK;
    }
    int64_t *p = ts_realloc(ctx, ids->ids, cap, sizeof *p);
    TS_NEED(ctx, p);
    ids->ids = p;
    ids->cap = cap;
    return TS_OK;
}

ts_code ts_ids_add(ts_ctx *ctx, ts_ids *ids, int64_t id)
{
    if (ids->count >= TS_NO_INDEX - 1) {
        return ts_fail(ctx, TS_ERR_LIMIT, "too many rows");
    }
    if (ids->cap == 0 && id == (int64_t)ids->count + 1) {
        ids->count++;
        return TS_OK;
    }
    if (ids->cap == 0) { /* the first gap: those before it become numbers of their own */
        size_t cap = (size_t)ids->count + 1024;
        int64_t *p = ts_alloc(ctx, cap, sizeof *p);
        TS_NEED(ctx, p);
        for (uint32_t i = 0; i < ids->count; i++) {
            p[i] = (int64_t)i + 1;
        }
        ids->ids = p;
        ids->cap = cap;
    }
    ts_code code = ids_room(ctx, ids);
    if (code == TS_OK) {
        ids->ids[ids->count++] = id;
    }
    return code;
}

uint32_t ts_ids_find(const ts_ids *ids, int64_t id)
{
    uint32_t low = 0;
    uint32_t high = ids->count;
    if (ids->ids == NULL) {
        return id >= 1 && id <= (int64_t)ids->count ? (uint32_t)(id - 1) : TS_NO_INDEX;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ids->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < ids->count && ids->ids[low] == id ? low : TS_NO_INDEX;
}

int64_t ts_ids_at(const ts_ids *ids, uint32_t place)
{
    return ids->ids == NULL ? (int64_t)place + 1 : ids->ids[place];
}

void ts_ids_free(ts_ctx *ctx, ts_ids *ids)
{
    ts_free(ctx, ids->ids);
    *ids = (ts_ids){0};
}

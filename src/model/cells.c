#include "model/cells.h"

ts_code ts_rows_changed(ts_ctx *ctx, const char *table)
{
    return ts_fail(ctx, TS_ERR_INPUT, "the rows of table %s were changed", table);
}

ts_code ts_vec_reach(ts_ctx *ctx, ts_vec *v, int64_t id, size_t size)
{
    if (id < 0 || id > UINT32_MAX) {
        return ts_fail(ctx, TS_ERR_INPUT, "invalid id in the database: %lld", (long long)id);
    }
    if ((uint64_t)id < v->n) {
        return TS_OK;
    }
    size_t more = (size_t)id + 1 - v->n;
    TS_TRY(ts_vec_reserve(ctx, v, more, size));
    memset((char *)v->p + v->n * size, 0, more * size);
    v->n += more;
    return TS_OK;
}

ts_code ts_vec_keep(ts_ctx *ctx, ts_vec *v, int64_t id, int64_t number)
{
    TS_TRY(ts_vec_reach(ctx, v, id, sizeof number));
    ((int64_t *)v->p)[id] = number;
    return TS_OK;
}

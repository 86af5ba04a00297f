#include "model/idset.h"

#include "base/json_out.h"

enum { IDSET_SMALL = 1 << 22 };

ts_code ts_idset_add(ts_ctx *ctx, ts_idset *set, int64_t id)
{
    if (ts_idset_has(set, id)) {
        return TS_OK;
    }
    set->count++;
    if (id < 0 || id >= IDSET_SMALL) {
        int64_t *place = ts_vec_add(ctx, &set->far, sizeof *place);
        TS_NEED(ctx, place);
        *place = id;
        return TS_OK;
    }
    if ((uint64_t)id >= set->bits.n) {
        size_t more = (size_t)id + 1 - set->bits.n;
        TS_TRY(ts_vec_reserve(ctx, &set->bits, more, 1));
        memset((uint8_t *)set->bits.p + set->bits.n, 0, more);
        set->bits.n += more;
    }
    ((uint8_t *)set->bits.p)[id] = 1;
    return TS_OK;
}

bool ts_idset_has_far(const ts_idset *set, int64_t id)
{
    const int64_t *far = set->far.p;
    for (size_t i = 0; i < set->far.n; i++) {
        if (far[i] == id) {
            return true;
        }
    }
    return false;
}

void ts_idset_free(ts_ctx *ctx, ts_idset *set)
{
    ts_vec_free(ctx, &set->bits);
    ts_vec_free(ctx, &set->far);
    *set = (ts_idset){0};
}

ts_code ts_idset_put(ts_buf *out, ts_ctx *ctx, const ts_idset *set)
{
    const uint8_t *bits = set->bits.p;
    const int64_t *far = set->far.p;
    ts_jout j = ts_jout_into(ctx, out);
    if (set->count != 1) {
        ts_jout_open(&j, NULL, '[');
    }
    for (size_t i = 0; i < set->bits.n; i++) {
        if (bits[i] != 0) {
            ts_jout_int(&j, NULL, (int64_t)i);
        }
    }
    for (size_t i = 0; i < set->far.n; i++) {
        ts_jout_int(&j, NULL, far[i]);
    }
    if (set->count != 1) {
        ts_jout_close(&j, ']');
    }
    return j.code;
}

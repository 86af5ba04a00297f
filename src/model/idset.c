#include "model/idset.h"

#include <inttypes.h>

enum { IDSET_SMALL = 1 << 22 };

ts_code ts_idset_add(ts_ctx *ctx, ts_idset *set, int64_t id)
{
    ts_code code;
    if (ts_idset_has(set, id)) {
        return TS_OK;
    }
    set->count++;
    if (id < 0 || id >= IDSET_SMALL) {
        int64_t *place = ts_vec_add(ctx, &set->far, sizeof *place);
        if (place == NULL) {
            return ctx->error.code;
        }
        *place = id;
        return TS_OK;
    }
    if ((uint64_t)id >= set->bits.n) {
        size_t more = (size_t)id + 1 - set->bits.n;
        if ((code = ts_vec_reserve(ctx, &set->bits, more, 1)) != TS_OK) {
            return code;
        }
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

static ts_code idset_put_id(ts_buf *out, ts_ctx *ctx, bool *first, int64_t id)
{
    const char *comma = *first ? "" : ",";
    *first = false;
    return ts_buf_printf(ctx, out, "%s%" PRId64, comma, id);
}

ts_code ts_idset_put(ts_buf *out, ts_ctx *ctx, const ts_idset *set)
{
    const uint8_t *bits = set->bits.p;
    const int64_t *far = set->far.p;
    bool first = true;
    ts_code code = set->count == 1 ? TS_OK : ts_buf_putc(ctx, out, '[');
    for (size_t i = 0; i < set->bits.n && code == TS_OK; i++) {
        code = bits[i] == 0 ? TS_OK : idset_put_id(out, ctx, &first, (int64_t)i);
    }
    for (size_t i = 0; i < set->far.n && code == TS_OK; i++) {
        code = idset_put_id(out, ctx, &first, far[i]);
    }
    return code != TS_OK || set->count == 1 ? code : ts_buf_putc(ctx, out, ']');
}

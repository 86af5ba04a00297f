/* Ids that are wanted, of sources or threads: all of them, or some. */
#ifndef TS_MODEL_IDSET_H
#define TS_MODEL_IDSET_H

#include "base/buf.h"
#include "base/vec.h"

/* Zeroed: none. */
typedef struct ts_idset {
    bool all;       /* also what has no id */
    bool no_id;     /* what has no id */
    uint32_t count; /* of the ids */
    ts_vec bits;    /* uint8_t by id, of small ids */
    ts_vec far;     /* int64_t, of others */
} ts_idset;

ts_code ts_idset_add(ts_ctx *ctx, ts_idset *set, int64_t id);
void ts_idset_free(ts_ctx *ctx, ts_idset *set);

bool ts_idset_has_far(const ts_idset *set, int64_t id);

static inline bool ts_idset_has(const ts_idset *set, int64_t id)
{
    return set->all ||
           (id >= 0 && (uint64_t)id < set->bits.n ? ((const uint8_t *)set->bits.p)[id] != 0
                                                  : ts_idset_has_far(set, id));
}

/* How questions take it (docs/questions): one id as a number, several as a list in JSON. */
ts_code ts_idset_put(ts_buf *out, ts_ctx *ctx, const ts_idset *set);

#endif

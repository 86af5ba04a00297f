/* Rising ids of a table and their places, in no memory while they are 1, 2, 3 ... */
#ifndef TS_MODEL_IDS_H
#define TS_MODEL_IDS_H

#include "base/context.h"

#define TS_NO_INDEX UINT32_MAX

typedef struct ts_ids {
    int64_t *ids; /* NULL while they are 1, 2, 3 ... */
    uint32_t count;
    size_t cap;
} ts_ids;

/* TS_ERR_LIMIT beyond 2^32-2 ids. The id must be greater than the last. */
ts_code ts_ids_add(ts_ctx *ctx, ts_ids *ids, int64_t id);
/* Its place, or TS_NO_INDEX. */
uint32_t ts_ids_find(const ts_ids *ids, int64_t id);
int64_t ts_ids_at(const ts_ids *ids, uint32_t place);
void ts_ids_free(ts_ctx *ctx, ts_ids *ids);

#endif

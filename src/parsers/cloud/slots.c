#include "parsers/cloud/slots.h"

#include "base/alloc.h"

enum { FIRST_SLOTS = 16 };
#define MAX_SLOTS (UINT32_C(1) << 31)

bool cloud_slots_find(uint32_t *number, const cloud_slots *s, uint64_t hash, cloud_equal equal,
                      const void *owner, const void *key)
{
    uint32_t slot = (uint32_t)hash & (s->count - 1);
    if (s->count == 0) {
        return false;
    }
    for (; s->p[slot] != 0; slot = (slot + 1) & (s->count - 1)) {
        *number = s->p[slot] - 1;
        if (equal(owner, *number, key)) {
            return true;
        }
    }
    return false;
}

static void put(cloud_slots *s, uint32_t number, uint64_t hash)
{
    uint32_t slot = (uint32_t)hash & (s->count - 1);
    while (s->p[slot] != 0) {
        slot = (slot + 1) & (s->count - 1);
    }
    s->p[slot] = number + 1;
}

ts_code cloud_slots_add(ts_ctx *ctx, cloud_slots *s, uint32_t number, cloud_hash hash,
                        const void *owner)
{
    if (number >= s->count / 2) {
        uint32_t count = s->count == 0 ? FIRST_SLOTS : s->count * 2;
        uint32_t *p;
        if (s->count == MAX_SLOTS) {
            return ts_fail(ctx, TS_ERR_LIMIT, "more than %u elements of a table", MAX_SLOTS / 2);
        }
        p = ts_zalloc(ctx, count, sizeof *p);
        if (p == NULL) {
            return ctx->error.code;
        }
        ts_free(ctx, s->p);
        *s = (cloud_slots){p, count};
        for (uint32_t i = 0; i < number; i++) {
            put(s, i, hash(owner, i));
        }
    }
    put(s, number, hash(owner, number));
    return TS_OK;
}

void cloud_slots_clear(ts_ctx *ctx, cloud_slots *s)
{
    ts_free(ctx, s->p);
    *s = (cloud_slots){0};
}

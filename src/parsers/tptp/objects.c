#include "parsers/tptp/objects.h"

#include "base/alloc.h"

enum { FIRST_OBJECTS = 64 };

static size_t home_of(const ts_ctx *ctx, const tptp_objects *o, int64_t id)
{
    return (size_t)ts_hash_number(&ctx->hash_key, id) & (o->slot_count - 1);
}

/* Where the object is, or where it belongs. There are slots, and one is free. */
static size_t object_place(const ts_ctx *ctx, const tptp_objects *o, int64_t id)
{
    size_t i = home_of(ctx, o, id);
    while (o->slots[i].id != 0 && o->slots[i].id != id) {
        i = (i + 1) & (o->slot_count - 1);
    }
    return i;
}

const tptp_object_slot *tptp_objects_find(const ts_ctx *ctx, const tptp_objects *o, int64_t id)
{
    size_t i;
    if (o->slot_count == 0 || id == 0) {
        return NULL;
    }
    i = object_place(ctx, o, id);
    return o->slots[i].id == 0 ? NULL : &o->slots[i];
}

static ts_code grow_objects(ts_ctx *ctx, tptp_objects *o)
{
    tptp_objects bigger = {NULL, o->slot_count == 0 ? FIRST_OBJECTS : 2 * o->slot_count, o->count};
    bigger.slots = ts_zalloc(ctx, bigger.slot_count, sizeof *bigger.slots);
    if (bigger.slots == NULL) {
        return ctx->error.code;
    }
    for (size_t i = 0; i < o->slot_count; i++) {
        if (o->slots[i].id != 0) {
            bigger.slots[object_place(ctx, &bigger, o->slots[i].id)] = o->slots[i];
        }
    }
    ts_free(ctx, o->slots);
    *o = bigger;
    return TS_OK;
}

ts_code tptp_objects_put(ts_ctx *ctx, tptp_objects *o, tptp_object_slot entry)
{
    size_t i;
    ts_code code;
    if (o->count >= o->slot_count / 4 * 3 && (code = grow_objects(ctx, o)) != TS_OK) {
        return code;
    }
    i = object_place(ctx, o, entry.id);
    o->count += o->slots[i].id == 0;
    o->slots[i] = entry;
    return TS_OK;
}

/* Entries after the hole move into it when it lies between their home and their place. */
void tptp_objects_remove(const ts_ctx *ctx, tptp_objects *o, int64_t id)
{
    size_t mask = o->slot_count - 1;
    size_t hole;
    size_t i;
    if (tptp_objects_find(ctx, o, id) == NULL) {
        return;
    }
    hole = object_place(ctx, o, id);
    o->slots[hole].id = 0;
    o->count--;
    for (i = (hole + 1) & mask; o->slots[i].id != 0; i = (i + 1) & mask) {
        size_t home = home_of(ctx, o, o->slots[i].id);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            o->slots[hole] = o->slots[i];
            o->slots[i].id = 0;
            hole = i;
        }
    }
}

void tptp_objects_free(ts_ctx *ctx, tptp_objects *o)
{
    ts_free(ctx, o->slots);
    *o = (tptp_objects){NULL, 0, 0};
}

/* Properties of plain objects: objects with the same names in the same order share a shape. */
#include "analysis/heap/graph.h"

#include "base/alloc.h"

ts_code hg_shape_add(ts_ctx *ctx, hg_shapes *s, uint32_t name)
{
    uint32_t *p = ts_vec_add(ctx, &s->names, sizeof *p);
    TS_NEED(ctx, p);
    *p = name;
    return TS_OK;
}

/* Where the names of the object under way begin: after those of the last shape. */
static size_t shape_begin(const hg_shapes *s)
{
    const hg_shape *shapes = s->shapes.p;
    return s->shapes.n == 0 ? 0 : shapes[s->shapes.n - 1].first + shapes[s->shapes.n - 1].count;
}

static ts_code slots_grow(ts_ctx *ctx, hg_shapes *s)
{
    const hg_shape *shapes = s->shapes.p;
    uint32_t cap = s->slot_count == 0 ? 64 : s->slot_count * 2;
    uint32_t *slots;
    if (s->shapes.n + 1 <= s->slot_count / 2) {
        return TS_OK;
    }
    TS_NEED(ctx, slots = ts_zalloc(ctx, cap, sizeof *slots));
    for (size_t i = 0; i < s->shapes.n; i++) {
        size_t at = (size_t)shapes[i].hash[0] & (cap - 1);
        while (slots[at] != 0) {
            at = (at + 1) & (cap - 1);
        }
        slots[at] = (uint32_t)i + 1;
    }
    ts_free(ctx, s->slots);
    s->slots = slots;
    s->slot_count = cap;
    return TS_OK;
}

static ts_code note_object(ts_ctx *ctx, hg_shapes *s, uint32_t shape)
{
    uint32_t *object = ts_vec_add(ctx, &s->objects, sizeof *object);
    TS_NEED(ctx, object);
    *object = s->last = shape;
    return TS_OK;
}

/* One more object of a shape. */
static ts_code add_object(ts_ctx *ctx, hg_shapes *s, uint32_t shape)
{
    hg_shape *shapes = s->shapes.p;
    shapes[shape].objects++;
    s->names.n = shape_begin(s);
    return note_object(ctx, s, shape);
}

/* Whether the names from `first` on are those of the object before: mostly they are. */
static bool is_last(const hg_shapes *s, size_t first, uint32_t count)
{
    const uint32_t *names = s->names.p;
    const hg_shape *last = s->shapes.p;
    if (s->shapes.n == 0 || last[s->last].count != count) {
        return false;
    }
    return count == 0 ||
           memcmp(names + last[s->last].first, names + first, count * sizeof *names) == 0;
}

ts_code hg_shape_end(ts_ctx *ctx, hg_shapes *s)
{
    const uint32_t *names = s->names.p;
    size_t first = shape_begin(s);
    hg_shape *shape;
    hg_shape made = {.first = first, .objects = 1, .count = (uint32_t)(s->names.n - first)};
    ts_hash h;
    ts_code code;
    size_t at;
    if (is_last(s, first, made.count)) {
        return add_object(ctx, s, s->last);
    }
    h = ts_hash_begin(&ctx->hash_key);
    TS_TRY(code, slots_grow(ctx, s));
    for (size_t i = first; i < s->names.n; i++) {
        ts_hash_word(&h, names[i]);
    }
    ts_hash_word(&h, s->names.n - first);
    made.hash[0] = ts_hash_end(&h);
    made.hash[1] = ts_hash_more(&h);
    shape = s->shapes.p;
    for (at = (size_t)made.hash[0] & (s->slot_count - 1); s->slots[at] != 0;
         at = (at + 1) & (s->slot_count - 1)) {
        uint32_t i = s->slots[at] - 1;
        if (memcmp(shape[i].hash, made.hash, sizeof made.hash) == 0) {
            return add_object(ctx, s, i);
        }
    }
    TS_NEED(ctx, shape = ts_vec_add(ctx, &s->shapes, sizeof *shape));
    *shape = made;
    s->slots[at] = (uint32_t)s->shapes.n;
    return note_object(ctx, s, (uint32_t)s->shapes.n - 1);
}

void hg_shapes_free(ts_ctx *ctx, hg_shapes *s)
{
    ts_vec_free(ctx, &s->shapes);
    ts_vec_free(ctx, &s->names);
    ts_vec_free(ctx, &s->objects);
    ts_free(ctx, s->slots);
    *s = (hg_shapes){0};
}

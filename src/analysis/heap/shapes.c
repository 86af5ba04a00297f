/* Properties of plain objects: objects with the same names in the same order share a shape. */
#include "analysis/heap/graph.h"

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

static bool is_shape(const void *owner, uint32_t number, const void *key)
{
    const hg_shape *shapes = ((const hg_shapes *)owner)->shapes.p;
    return memcmp(shapes[number].hash, key, sizeof shapes[number].hash) == 0;
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
    ts_index_place place;
    uint32_t known;
    if (is_last(s, first, made.count)) {
        return add_object(ctx, s, s->last);
    }
    TS_TRY(ts_index_reserve(ctx, &s->index));
    h = ts_hash_begin(&ctx->hash_key);
    for (size_t i = first; i < s->names.n; i++) {
        ts_hash_word(&h, names[i]);
    }
    ts_hash_word(&h, s->names.n - first);
    made.hash[0] = ts_hash_end(&h);
    made.hash[1] = ts_hash_more(&h);
    known = ts_index_search(&place, &s->index, made.hash[0], is_shape, s, made.hash);
    if (known != TS_INDEX_NONE) {
        return add_object(ctx, s, known);
    }
    TS_NEED(ctx, shape = ts_vec_add(ctx, &s->shapes, sizeof *shape));
    *shape = made;
    ts_index_add(&s->index, place, (uint32_t)s->shapes.n - 1);
    return note_object(ctx, s, (uint32_t)s->shapes.n - 1);
}

void hg_shapes_free(ts_ctx *ctx, hg_shapes *s)
{
    ts_vec_free(ctx, &s->shapes);
    ts_vec_free(ctx, &s->names);
    ts_vec_free(ctx, &s->objects);
    ts_index_free(ctx, &s->index);
    *s = (hg_shapes){0};
}

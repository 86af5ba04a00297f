/*
 * Call paths of samples. Most stacks are known, or share all but a few innermost frames with one
 * that is: paths are found by a hash of their locations, the longest one first.
 */
#include "parsers/pprof/pprof.h"

#include "base/alloc.h"

enum { FIRST_SLOTS = 1 << 10 };

/* --- the table ------------------------------------------------------------------------------ */

typedef struct path_key {
    uint64_t a;
    uint32_t b;
} path_key;

/* ts_hash is taken by value: the next location goes on from it. */
static path_key key_of(ts_hash h)
{
    path_key key;
    key.a = ts_hash_end(&h);
    key.b = (uint32_t)ts_hash_more(&h);
    return key;
}

/* The slot of the path, or the free one where it belongs. */
static pprof_path *find_slot(const pprof_paths *paths, path_key key)
{
    size_t i = (size_t)key.a & (paths->slot_count - 1);
    while (paths->slots[i].node != 0 &&
           (paths->slots[i].a != key.a || paths->slots[i].b != key.b)) {
        i = (i + 1) & (paths->slot_count - 1);
    }
    return &paths->slots[i];
}

static ts_code grow_paths(ts_ctx *ctx, pprof_paths *paths)
{
    pprof_paths grown = {
        .slot_count = paths->slot_count == 0 ? FIRST_SLOTS : paths->slot_count * 2,
        .count = paths->count,
    };
    grown.slots = ts_zalloc(ctx, grown.slot_count, sizeof *grown.slots);
    if (grown.slots == NULL) {
        return ctx->error.code;
    }
    for (size_t i = 0; i < paths->slot_count; i++) {
        const pprof_path *old = &paths->slots[i];
        if (old->node != 0) {
            *find_slot(&grown, (path_key){old->a, old->b}) = *old;
        }
    }
    ts_free(ctx, paths->slots);
    *paths = grown;
    return TS_OK;
}

static ts_code add_path(ts_ctx *ctx, pprof_paths *paths, path_key key, int64_t node)
{
    pprof_path *slot;
    ts_code code;
    if (paths->count >= paths->slot_count / 4 * 3 && (code = grow_paths(ctx, paths)) != TS_OK) {
        return code;
    }
    slot = find_slot(paths, key);
    paths->count += slot->node == 0 ? 1 : 0;
    *slot = (pprof_path){key.a, key.b, (uint32_t)node};
    return TS_OK;
}

void pprof_paths_free(ts_ctx *ctx, pprof_paths *paths)
{
    ts_free(ctx, paths->slots);
    *paths = (pprof_paths){0};
}

/* --- frames --------------------------------------------------------------------------------- */

static ts_code add_frame(int64_t *node, int64_t *depth, pprof *p, int64_t method,
                         const pprof_line *line)
{
    bool added;
    return ts_stack_node(node, &added, p->job->store, p->source_id, *node, method > 0 ? method : 0,
                         line != NULL && line->line > 0 ? line->line : TS_NO_LINE, (*depth)++,
                         NULL);
}

/* The frames of a location: inlined functions are callees of the one that they were put into. */
static ts_code add_location(bool *known, int64_t *node, int64_t *depth, pprof *p, uint64_t id)
{
    pprof_location *location = pprof_find(&p->locations, id);
    pprof_line *lines;
    int64_t method = 0;
    ts_code code = TS_OK;
    if (location == NULL) {
        p->unknown_ids++;
        *known = false;
        return add_frame(node, depth, p, 0, NULL);
    }
    if (location->line_count == 0) {
        code = pprof_method(&method, p, location, NULL);
        return code == TS_OK ? add_frame(node, depth, p, method, NULL) : code;
    }
    lines = (pprof_line *)p->lines.p + location->first_line;
    for (size_t i = location->line_count; i > 0 && code == TS_OK; i--) {
        method = lines[i - 1].method;
        if (method == 0) {
            code = pprof_method(&method, p, location, &lines[i - 1]);
        }
        if (code == TS_OK) {
            code = add_frame(node, depth, p, method, &lines[i - 1]);
        }
    }
    return code;
}

/* Frames of the n outermost locations. */
static int64_t depth_of(const pprof *p, const uint64_t *locations, size_t n, size_t count)
{
    int64_t depth = (int64_t)count;
    for (size_t i = 0; i < count && p->inlined; i++) {
        const pprof_location *location = pprof_find(&p->locations, locations[n - 1 - i]);
        depth +=
            location != NULL && location->line_count > 1 ? (int64_t)location->line_count - 1 : 0;
    }
    return depth;
}

/* --- paths ---------------------------------------------------------------------------------- */

/* Hashes of the first location from the root, of the first two, and so on. */
static ts_code hash_prefixes(pprof *p, const uint64_t *locations, size_t n)
{
    ts_hash h = ts_hash_begin(&p->job->ctx->hash_key);
    ts_hash *prefixes;
    ts_code code = ts_vec_reserve(p->job->ctx, &p->prefixes, n, sizeof h);
    if (code != TS_OK) {
        return code;
    }
    prefixes = p->prefixes.p;
    for (size_t i = 0; i < n; i++) {
        ts_hash_word(&h, locations[n - 1 - i]);
        prefixes[i] = h;
    }
    return TS_OK;
}

/* How many of the outermost locations are those of a path that is known, and that. A path whose
 * frames are not all known is never kept, so that each of its samples counts. */
static size_t known_part(int64_t *node, const pprof *p, size_t n)
{
    const ts_hash *prefixes = p->prefixes.p;
    *node = 0;
    for (; n > 0 && p->paths.slot_count > 0; n--) {
        const pprof_path *found = find_slot(&p->paths, key_of(prefixes[n - 1]));
        if (found->node != 0) {
            *node = found->node;
            return n;
        }
    }
    return 0;
}

ts_code pprof_find_path(int64_t *node, bool *known, pprof *p, const uint64_t *locations, size_t n)
{
    int64_t depth = 0;
    size_t i;
    ts_code code = hash_prefixes(p, locations, n);
    *node = 0;
    *known = true;
    if (code != TS_OK) {
        return code;
    }
    i = known_part(node, p, n);
    if (i < n) {
        depth = depth_of(p, locations, n, i);
    }
    for (; i < n && code == TS_OK; i++) {
        code = add_location(known, node, &depth, p, locations[n - 1 - i]);
        if (code == TS_OK && *known) {
            code = add_path(p->job->ctx, &p->paths, key_of(((const ts_hash *)p->prefixes.p)[i]),
                            *node);
        }
    }
    return code;
}

static path_key stack_key(const pprof *p, const uint8_t *packed, size_t n)
{
    ts_hash h = ts_hash_begin(&p->job->ctx->hash_key);
    ts_hash_bytes(&h, (const char *)packed, n);
    return key_of(h);
}

int64_t pprof_find_stack(const pprof *p, const uint8_t *packed, size_t n)
{
    return p->stacks.slot_count == 0 ? 0 : find_slot(&p->stacks, stack_key(p, packed, n))->node;
}

ts_code pprof_add_stack(pprof *p, const uint8_t *packed, size_t n, int64_t node)
{
    return add_path(p->job->ctx, &p->stacks, stack_key(p, packed, n), node);
}

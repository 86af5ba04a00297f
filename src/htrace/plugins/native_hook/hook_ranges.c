#include "htrace/plugins/native_hook/hook_ranges.h"

#include "base/alloc.h"

enum { CHUNK = 128 };

typedef struct hook_chunk {
    uint32_t n; /* at least 1 */
    hook_range at[CHUNK];
} hook_chunk;

/* A place in the set; of one that is empty it is the first of no chunk. */
typedef struct range_place {
    size_t chunk;
    uint32_t at;
} range_place;

static hook_chunk *chunk_at(const hook_ranges *set, size_t i)
{
    return ((hook_chunk **)set->chunks.p)[i];
}

static hook_range *range_at(const hook_ranges *set, range_place place)
{
    return &chunk_at(set, place.chunk)->at[place.at];
}

/* The last range that begins at the address or before it; false: there is none. */
static bool locate(range_place *out, const hook_ranges *set, uint64_t address)
{
    size_t low = 0;
    size_t high = set->chunks.n;
    uint32_t from = 0;
    uint32_t to;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (chunk_at(set, middle)->at[0].first <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return false;
    }
    out->chunk = low - 1;
    to = chunk_at(set, out->chunk)->n;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (chunk_at(set, out->chunk)->at[middle].first <= address) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    out->at = from - 1;
    return true;
}

bool hook_ranges_find(hook_range *out, const hook_ranges *set, uint64_t address)
{
    range_place place;
    if (!locate(&place, set, address) || range_at(set, place)->last < address) {
        return false;
    }
    *out = *range_at(set, place);
    return true;
}

/* A new chunk at this place of the list, which may be its end. */
static ts_code add_chunk(hook_chunk **out, ts_ctx *ctx, hook_ranges *set, size_t i)
{
    hook_chunk *chunk = NULL;
    hook_chunk **all;
    TS_TRY(ts_vec_reserve(ctx, &set->chunks, 1, sizeof chunk));
    TS_NEED(ctx, chunk = ts_alloc(ctx, 1, sizeof *chunk));
    all = set->chunks.p;
    memmove(all + i + 1, all + i, (set->chunks.n - i) * sizeof *all);
    all[i] = chunk;
    set->chunks.n++;
    chunk->n = 0;
    *out = chunk;
    return TS_OK;
}

static void drop_chunk(ts_ctx *ctx, hook_ranges *set, size_t i)
{
    hook_chunk **all = set->chunks.p;
    ts_free(ctx, all[i]);
    set->chunks.n--;
    memmove(all + i, all + i + 1, (set->chunks.n - i) * sizeof *all);
}

/* Room in the chunk of the place: a full one is halved. */
static ts_code make_room(ts_ctx *ctx, hook_ranges *set, range_place *place)
{
    hook_chunk *full = chunk_at(set, place->chunk);
    hook_chunk *half = NULL;
    if (full->n < CHUNK) {
        return TS_OK;
    }
    TS_TRY(add_chunk(&half, ctx, set, place->chunk + 1));
    half->n = CHUNK / 2;
    full->n = CHUNK / 2;
    memcpy(half->at, full->at + CHUNK / 2, CHUNK / 2 * sizeof half->at[0]);
    if (place->at > CHUNK / 2) {
        place->chunk++;
        place->at -= CHUNK / 2;
    }
    return TS_OK;
}

ts_code hook_ranges_add(ts_ctx *ctx, hook_ranges *set, hook_range range)
{
    range_place place = {0, 0};
    hook_chunk *chunk;
    if (set->chunks.n == 0) {
        TS_TRY(add_chunk(&chunk, ctx, set, 0));
    } else if (locate(&place, set, range.first)) {
        place.at++;
    }
    TS_TRY(make_room(ctx, set, &place));
    chunk = chunk_at(set, place.chunk);
    memmove(chunk->at + place.at + 1, chunk->at + place.at,
            (chunk->n - place.at) * sizeof chunk->at[0]);
    chunk->at[place.at] = range;
    chunk->n++;
    return TS_OK;
}

static void remove_range(ts_ctx *ctx, hook_ranges *set, range_place place)
{
    hook_chunk *chunk = chunk_at(set, place.chunk);
    chunk->n--;
    memmove(chunk->at + place.at, chunk->at + place.at + 1,
            (chunk->n - place.at) * sizeof chunk->at[0]);
    if (chunk->n == 0) {
        drop_chunk(ctx, set, place.chunk);
    }
}

/* The first range that ends at the address or after it. */
static bool locate_end(range_place *out, const hook_ranges *set, uint64_t address)
{
    if (!locate(out, set, address)) {
        *out = (range_place){0, 0};
    } else if (range_at(set, *out)->last < address) {
        out->at++;
        if (out->at == chunk_at(set, out->chunk)->n) {
            *out = (range_place){out->chunk + 1, 0};
        }
    }
    return out->chunk < set->chunks.n;
}

ts_code hook_ranges_cut(ts_ctx *ctx, hook_ranges *set, uint64_t first, uint64_t last,
                        hook_ranges_taken *taken, void *user)
{
    range_place place;
    ts_code code = TS_OK;
    while (code == TS_OK && locate_end(&place, set, first) && range_at(set, place)->first <= last) {
        hook_range *range = range_at(set, place);
        const hook_range whole = *range;
        const hook_range part = {whole.first < first ? first : whole.first,
                                 whole.last > last ? last : whole.last, whole.value};
        if (part.first > whole.first) {
            range->last = part.first - 1;
        } else if (part.last < whole.last) {
            range->first = part.last + 1;
        } else {
            remove_range(ctx, set, place);
        }
        if (part.first > whole.first && part.last < whole.last) {
            code = hook_ranges_add(ctx, set, (hook_range){part.last + 1, whole.last, whole.value});
        }
        TS_STEP_IF(code, taken != NULL, taken(user, &part));
        if (part.last == last) {
            break;
        }
        first = part.last + 1;
    }
    return code;
}

void hook_ranges_free(ts_ctx *ctx, hook_ranges *set)
{
    for (size_t i = 0; i < set->chunks.n; i++) {
        ts_free(ctx, chunk_at(set, i));
    }
    ts_vec_free(ctx, &set->chunks);
}

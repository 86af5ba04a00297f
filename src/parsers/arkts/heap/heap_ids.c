/*
 * Are the ids of the nodes, or of functions, different? Not 0, which ArkTS gives to each of its
 * further roots and V8 to what is no function of a script. Without a hash table of all of them: ids
 * of a V8 heap lie close together, so that a bitmap over their range takes at most 4 bytes a node.
 * Where some are far away, as those of native objects are, it covers less, and those above it are
 * sorted: when there are many of them in several passes, each over those with the same hash.
 */
#include "parsers/arkts/heap/heap_state.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { BITS_PER_NODE = 32, BITS_BELOW_FAR = 8, PASSES = 8 };

static bool id_range(int64_t *min, uint64_t *range, const ts_intvec *ids)
{
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    for (uint64_t i = 0; i < ids->n; i++) {
        int64_t id = ts_intvec_get(ids, i);
        if (id != HEAP_NULL && id != 0) {
            low = id < low ? id : low;
            high = id > high ? id : high;
        }
    }
    *min = low;
    *range = low > high ? 0 : (uint64_t)high - (uint64_t)low;
    return low <= high;
}

/* Ids that are less than `range` above the least; *above: how many others there are. */
static ts_code count_dense(uint64_t *out, uint64_t *above, ts_heap *h, const ts_intvec *ids,
                           int64_t min, uint64_t range)
{
    uint64_t *bits = ts_zalloc(h->ctx, (size_t)(range / 64 + 1), sizeof *bits);
    TS_NEED(h->ctx, bits);
    for (uint64_t i = 0; i < ids->n; i++) {
        int64_t id = ts_intvec_get(ids, i);
        uint64_t at = (uint64_t)id - (uint64_t)min;
        if (id == HEAP_NULL || id == 0) {
            continue;
        }
        if (at >= range) {
            ++*above;
            continue;
        }
        *out += bits[at / 64] >> (at % 64) & 1;
        bits[at / 64] |= UINT64_C(1) << (at % 64);
    }
    ts_free(h->ctx, bits);
    return TS_OK;
}

static void sift_id(int64_t *v, size_t root, size_t n)
{
    for (;;) {
        size_t child = 2 * root + 1;
        int64_t t;
        if (child >= n) {
            return;
        }
        if (child + 1 < n && v[child + 1] > v[child]) {
            child++;
        }
        if (v[root] >= v[child]) {
            return;
        }
        t = v[root];
        v[root] = v[child];
        v[child] = t;
        root = child;
    }
}

/* In place and without allocating, unlike qsort. */
static void sort_ids(int64_t *v, size_t n)
{
    for (size_t i = n / 2; i > 0; i--) {
        sift_id(v, i - 1, n);
    }
    for (size_t i = n; i > 1; i--) {
        int64_t t = v[0];
        v[0] = v[i - 1];
        v[i - 1] = t;
        sift_id(v, 0, i - 1);
    }
}

/* The ids that are looked at one after the other: those at least `range` above `min`. */
typedef struct far_ids {
    const ts_intvec *ids;
    int64_t min;
    uint64_t range;
    unsigned passes;
} far_ids;

/* In this pass? By the upper bits of a product with the key of the run, which no input can know:
 * ids cannot be chosen so that one pass has to take them all. */
static bool is_taken(const ts_heap *h, const far_ids *f, unsigned pass, int64_t id)
{
    const uint64_t *key = h->ctx->hash_key.k;
    uint64_t hash = ((uint64_t)id ^ (uint64_t)id >> 32) * (key[0] | 1) + key[1];
    return id != HEAP_NULL && id != 0 && (uint64_t)id - (uint64_t)f->min >= f->range &&
           (f->passes == 1 || hash >> 61 == pass);
}

static ts_code count_pass(uint64_t *out, ts_heap *h, const far_ids *f, unsigned pass)
{
    size_t n = 0;
    int64_t *v;
    for (uint64_t i = 0; i < f->ids->n; i++) {
        n += is_taken(h, f, pass, ts_intvec_get(f->ids, i)) ? 1 : 0;
    }
    TS_NEED(h->ctx, v = ts_alloc(h->ctx, n, sizeof *v));
    n = 0;
    for (uint64_t i = 0; i < f->ids->n; i++) {
        int64_t id = ts_intvec_get(f->ids, i);
        if (is_taken(h, f, pass, id)) {
            v[n++] = id;
        }
    }
    sort_ids(v, n);
    for (size_t i = 1; i < n; i++) {
        *out += v[i] == v[i - 1] ? 1 : 0;
    }
    ts_free(h->ctx, v);
    return TS_OK;
}

ts_code heap_count_duplicate_ids(uint64_t *out, ts_heap *h, const ts_intvec *ids)
{
    far_ids f = {.ids = ids};
    uint64_t above = 0;
    uint64_t range;
    ts_code code;
    *out = 0;
    if (!id_range(&f.min, &range, ids)) {
        return TS_OK;
    }
    f.range = range / BITS_PER_NODE <= ids->n ? range + 1 : ids->n * BITS_BELOW_FAR;
    code = count_dense(out, &above, h, ids, f.min, f.range);
    f.passes = above == 0 ? 0 : above < ids->n / PASSES ? 1 : PASSES;
    for (unsigned pass = 0; pass < f.passes && code == TS_OK; pass++) {
        code = count_pass(out, h, &f, pass);
    }
    return code;
}

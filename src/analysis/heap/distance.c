/*
 * Distances from the root, the shortest path to each node, and what is held only by detached nodes,
 * contexts or the console: walks breadth first.
 */
#include "analysis/heap/graph.h"

#include "base/alloc.h"

typedef struct walk {
    hg *g;
    uint32_t *queue;
    size_t head, tail;
    uint64_t *pending; /* pairs of WeakMaps that were met once: a bit each */
} walk;

/* --- edges that the walk leaves out --------------------------------------------------------- */

static bool is_skipped(const hg *g, uint32_t edge)
{
    const uint32_t *skipped = g->skipped.p;
    size_t low = 0;
    size_t high = g->skipped.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (skipped[middle] < edge) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < g->skipped.n && skipped[low] == edge;
}

static uint32_t pair_of(const hg *g, uint32_t edge)
{
    const hg_pair_edge *pairs = g->pair_edges.p;
    size_t low = 0;
    size_t high = g->pair_edges.n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (pairs[middle].edge <= edge) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return pairs[low].pair;
}

/* True at every second edge of a pair: a value is reached by the later of key and table. */
static bool second_of_pair(walk *k, uint32_t edge)
{
    uint32_t pair = pair_of(k->g, edge);
    uint64_t bit = UINT64_C(1) << pair % 64;
    k->pending[pair / 64] ^= bit;
    return (k->pending[pair / 64] & bit) == 0;
}

static bool is_taken(walk *k, uint32_t flags, uint32_t edge)
{
    const hg *g = k->g;
    if ((flags & (HG_DESCRIPTORS | HG_NATIVE_CONTEXT)) != 0 && is_skipped(g, edge)) {
        return false;
    }
    return (flags & HG_DESCRIPTORS) != 0 || hg_code_of(g->edges[edge]) < HG_PAIR ||
           second_of_pair(k, edge);
}

/* --- distances ------------------------------------------------------------------------------ */

static const uint32_t special = HG_DESCRIPTORS | HG_NATIVE_CONTEXT;

static ts_code walk_all(walk *k)
{
    hg *g = k->g;
    ts_code code = TS_OK;
    while (k->head < k->tail && code == TS_OK) {
        uint32_t v = k->queue[k->head++];
        uint32_t next = g->distance[v] + 1;
        uint32_t end = g->first[v + 1];
        for (uint32_t e = g->first[v]; e < end; e++) {
            uint32_t edge = g->edges[e];
            uint32_t w = hg_target(edge);
            if (hg_code_of(edge) == HG_WEAK || g->distance[w] != HG_NONE) {
                continue;
            }
            if (((g->flags[v] & special) != 0 || hg_code_of(edge) >= HG_PAIR) &&
                !is_taken(k, g->flags[v], e)) {
                continue;
            }
            g->distance[w] = next;
            g->retainer[w] = v;
            g->retaining_edge[w] = e;
            k->queue[k->tail++] = w;
        }
        code = hg_poll(g->ctx, (uint32_t)k->head);
    }
    return code;
}

static ts_code walk_from_user_roots(walk *k)
{
    hg *g = k->g;
    for (uint32_t e = g->first[g->root]; e < g->first[g->root + 1]; e++) {
        uint32_t w = hg_target(g->edges[e]);
        if (w == HG_TARGET || (g->flags[w] & HG_USER_ROOT) == 0) {
            continue;
        }
        k->queue[k->tail++] = w; /* as often as the root names it */
        if (g->distance[w] == HG_NONE) {
            g->distance[w] = 1;
            g->retainer[w] = g->root;
            g->retaining_edge[w] = e;
        }
    }
    return walk_all(k);
}

static ts_code find_distances(hg *g)
{
    size_t named = g->first[g->root + 1] - g->first[g->root];
    walk k = {.g = g};
    ts_code code = TS_OK;
    k.queue = hg_array(g->ctx, (size_t)g->n + named + 1, sizeof *k.queue, false);
    k.pending = ts_zalloc(g->ctx, g->strings.pair_count / 64 + 1, sizeof *k.pending);
    if (k.queue == NULL || k.pending == NULL) {
        code = g->ctx->error.code;
        goto out;
    }
    if (g->has_user_roots && (code = walk_from_user_roots(&k)) != TS_OK) {
        goto out;
    }
    g->distance[g->root] = g->has_user_roots ? TS_HEAP_SYSTEM_DISTANCE : 0;
    g->retainer[g->root] = HG_NONE;
    g->retaining_edge[g->root] = HG_NONE;
    k.head = k.tail = 0;
    k.queue[k.tail++] = g->root;
    code = walk_all(&k);
out:
    ts_free(g->ctx, k.queue);
    ts_free(g->ctx, k.pending);
    return code;
}

/* --- what is held by few -------------------------------------------------------------------- */

enum { BY_DETACHED, BY_CONTEXTS, BY_CONSOLE, HOLDERS };

static bool is_holder(const hg *g, uint32_t edge, unsigned holder)
{
    uint32_t flags = g->flags[hg_target(edge)];
    switch (holder) {
    case BY_DETACHED:
        return hg_detachedness(flags) == 2;
    case BY_CONTEXTS:
        return (flags & HG_CONTEXT) != 0;
    default:
        return (flags & HG_CONSOLE) != 0;
    }
}

/* Walks from the root around the holders: what has a distance and is not met is held by them. */
static ts_code find_held(hg *g, uint32_t *queue, unsigned holder)
{
    uint32_t head = 0;
    uint32_t tail = 0;
    ts_code code = TS_OK;
    queue[tail++] = g->root;
    g->flags[g->root] |= HG_VISITED;
    while (head < tail && code == TS_OK) {
        uint32_t v = queue[head++];
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
            uint32_t edge = g->edges[e];
            if (hg_code_of(edge) == HG_WEAK || (g->flags[hg_target(edge)] & HG_VISITED) != 0 ||
                is_holder(g, edge, holder)) {
                continue;
            }
            g->flags[hg_target(edge)] |= HG_VISITED;
            queue[tail++] = hg_target(edge);
        }
        code = hg_poll(g->ctx, head);
    }
    for (uint32_t v = 0; v < g->n; v++) {
        if ((g->flags[v] & HG_VISITED) == 0 && g->distance[v] != HG_NONE) {
            g->flags[v] |= UINT32_C(1) << (HG_HELD_SHIFT + holder);
        }
        g->flags[v] &= ~(uint32_t)HG_VISITED;
    }
    return code;
}

/* Without holders everything that has a distance is met, unless only a weak edge leads to a user
 * root. */
static void who_holds(bool there[HOLDERS], const hg *g)
{
    bool weak = false;
    for (uint32_t e = g->first[g->root]; e < g->first[g->root + 1]; e++) {
        weak = weak || hg_code_of(g->edges[e]) == HG_WEAK;
    }
    for (unsigned i = 0; i < HOLDERS; i++) {
        there[i] = weak && g->has_user_roots;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        there[BY_DETACHED] = there[BY_DETACHED] || hg_detachedness(g->flags[v]) == 2;
        there[BY_CONTEXTS] = there[BY_CONTEXTS] || (g->flags[v] & HG_CONTEXT) != 0;
        there[BY_CONSOLE] = there[BY_CONSOLE] || (g->flags[v] & HG_CONSOLE) != 0;
    }
}

ts_code hg_distances(hg *g)
{
    bool there[HOLDERS];
    ts_code code = TS_OK;
    uint32_t *queue;
    g->distance = hg_array(g->ctx, g->n, sizeof *g->distance, false);
    g->retainer = hg_array(g->ctx, g->n, sizeof *g->retainer, false);
    g->retaining_edge = hg_array(g->ctx, g->n, sizeof *g->retaining_edge, false);
    if (g->distance == NULL || g->retainer == NULL || g->retaining_edge == NULL) {
        return g->ctx->error.code;
    }
    memset(g->distance, 0xff, g->n * sizeof *g->distance);
    memset(g->retainer, 0xff, g->n * sizeof *g->retainer);
    memset(g->retaining_edge, 0xff, g->n * sizeof *g->retaining_edge);
    if (g->n == 0 || (code = find_distances(g)) != TS_OK) {
        return code;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        g->unreached += g->distance[v] == HG_NONE;
    }
    who_holds(there, g);
    if (!there[0] && !there[1] && !there[2]) {
        return TS_OK;
    }
    queue = hg_array(g->ctx, g->n, sizeof *queue, false);
    if (queue == NULL) {
        return g->ctx->error.code;
    }
    for (unsigned i = 0; i < HOLDERS && code == TS_OK; i++) {
        code = there[i] ? find_held(g, queue, i) : TS_OK;
    }
    ts_free(g->ctx, queue);
    return code;
}

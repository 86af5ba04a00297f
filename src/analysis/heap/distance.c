/*
 * Distances from the root, the shortest path to each node, and what is held only by detached nodes,
 * contexts or the console: walks breadth first.
 */
#include "analysis/heap/graph.h"

#include "base/alloc.h"

typedef struct walk {
    hg *g;
    uint32_t *queue;
    uint32_t head, tail;
    uint64_t *met;     /* bits: has a distance */
    uint64_t *context; /* bits: is one */
    uint64_t *clear;   /* bits: the path leads through no context and no weak edge */
    uint64_t *beside;  /* bits: clear nodes lead to it, but its path is not clear; no context */
    uint64_t *pending; /* pairs of WeakMaps that were met once: a bit each */
    ts_vec *skipped;   /* uint32_t: targets of edges that rules left out; NULL: not wanted */
} walk;

/* --- edges that the walk leaves out --------------------------------------------------------- */

static bool is_skipped(const hg *g, uint32_t edge)
{
    size_t at = hg_search(&g->skipped, sizeof edge, edge);
    return at < g->skipped.n && ((const uint32_t *)g->skipped.p)[at] == edge;
}

static uint32_t pair_of(const hg *g, uint32_t edge)
{
    const hg_pair_edge *pairs = g->pair_edges.p;
    return pairs[hg_search(&g->pair_edges, sizeof *pairs, edge)].pair;
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

static ts_code note_skipped(walk *k, uint32_t w)
{
    uint32_t *p = k->skipped == NULL ? NULL : ts_vec_add(k->g->ctx, k->skipped, sizeof *p);
    if (p == NULL) {
        return k->skipped == NULL ? TS_OK : k->g->ctx->error.code;
    }
    *p = w;
    return TS_OK;
}

/* The edges of v to nodes that were not met. */
static inline ts_code walk_node(walk *k, uint32_t v)
{
    const hg *g = k->g;
    const uint32_t next = g->steps[v].distance + 1;
    const uint32_t flags = g->flags[v];
    const uint32_t end = g->first[v + 1];
    const bool clear = hg_bit(k->clear, v);
    for (uint32_t e = g->first[v]; e < end; e++) {
        uint32_t edge = g->edges[e];
        uint32_t w = hg_target(edge);
        if (hg_is_no_step(hg_code_of(edge))) {
            continue;
        }
        if (hg_bit(k->met, w)) { /* mostly clear, and nothing to write */
            if (clear && !hg_bit(k->clear, w)) {
                hg_set(k->beside, w);
            }
            continue;
        }
        if (((flags & special) != 0 || hg_code_of(edge) >= HG_PAIR) && !is_taken(k, flags, e)) {
            ts_code code = note_skipped(k, w);
            k->beside[w / 64] |= (uint64_t)clear << w % 64;
            if (code != TS_OK) {
                return code;
            }
            continue;
        }
        hg_set(k->met, w);
        k->clear[w / 64] |= (uint64_t)(clear && !hg_bit(k->context, w)) << w % 64;
        g->steps[w] = (hg_step){next, v, e};
        k->queue[k->tail++] = w;
    }
    return TS_OK;
}

/* What is asked of a node itself. */
static inline void fetch_node(const walk *k)
{
    enum { FAR = 16 };
    if (k->tail - k->head > FAR) {
        __builtin_prefetch(&k->g->flags[k->queue[k->head + FAR]]);
        __builtin_prefetch(&k->g->steps[k->queue[k->head + FAR]]);
    }
}

static ts_code walk_all(walk *k)
{
    ts_code code = TS_OK;
    while (k->head < k->tail && code == TS_OK) {
        hg_fetch_ahead(k->g, k->queue, k->head, k->tail);
        fetch_node(k);
        code = walk_node(k, k->queue[k->head++]);
        TS_STEP(code, hg_poll(k->g->ctx, k->head));
    }
    return code;
}

/* All user roots have distance 1 before the first of them is looked at, as often as the root names
 * it. */
static ts_code walk_from_user_roots(walk *k)
{
    const hg *g = k->g;
    const uint32_t end = g->first[g->root + 1];
    ts_code code = TS_OK;
    for (uint32_t e = g->first[g->root]; e < end; e++) {
        uint32_t w = hg_target(g->edges[e]);
        if (w == HG_TARGET || (g->flags[w] & HG_USER_ROOT) == 0) {
            continue;
        }
        if (hg_code_of(g->edges[e]) != HG_WEAK && !hg_bit(k->context, w)) {
            hg_set(k->clear, w);
        }
        if (!hg_bit(k->met, w)) {
            hg_set(k->met, w);
            g->steps[w] = (hg_step){1, g->root, e};
        }
    }
    for (uint32_t e = g->first[g->root]; e < end && code == TS_OK; e++) {
        uint32_t w = hg_target(g->edges[e]);
        code = w != HG_TARGET && (g->flags[w] & HG_USER_ROOT) != 0 ? walk_node(k, w) : TS_OK;
    }
    TS_STEP(code, walk_all(k));
    return code;
}

/* From the user roots, then from the root. */
static ts_code walk_twice(walk *k)
{
    hg *g = k->g;
    ts_vec skipped = {0};
    ts_code code = TS_OK;
    if (g->has_user_roots) {
        k->skipped = g->walk_finds_page ? &skipped : NULL;
        code = walk_from_user_roots(k);
        if (code == TS_OK && g->walk_finds_page) {
            memcpy(g->page, k->met, ((size_t)g->n / 64 + 1) * sizeof *g->page);
            code = hg_flood(g, g->page, &skipped);
        }
        k->skipped = NULL;
        ts_vec_free(g->ctx, &skipped);
    }
    if (code != TS_OK) {
        return code;
    }
    hg_set(k->met, g->root);
    g->steps[g->root] =
        (hg_step){g->has_user_roots ? TS_HEAP_SYSTEM_DISTANCE : 0, HG_NONE, HG_NONE};
    k->head = k->tail = 0;
    k->queue[k->tail++] = g->root;
    return walk_all(k);
}

/* clear: to where no context and no weak edge leads on the paths; beside: to where these lead. */
static ts_code find_distances(hg *g, uint64_t *clear, uint64_t *beside)
{
    walk k = {.g = g, .clear = clear, .beside = beside};
    ts_code code;
    k.queue = hg_take(g, (size_t)g->n + 1, sizeof *k.queue);
    k.met = hg_bits(g);
    k.context = hg_bits(g);
    k.pending = ts_zalloc(g->ctx, g->strings.pair_count / 64 + 1, sizeof *k.pending);
    if (k.queue == NULL || k.met == NULL || k.context == NULL || k.pending == NULL) {
        code = g->ctx->error.code;
        goto out;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        k.context[v / 64] |= (uint64_t)((g->flags[v] & HG_CONTEXT) != 0) << v % 64;
    }
    hg_set(k.clear, g->root);
    code = walk_twice(&k);
    for (uint32_t v = 0; v < g->n && code == TS_OK; v++) {
        if (!hg_bit(k.met, v)) {
            g->steps[v] = (hg_step){HG_NONE, HG_NONE, HG_NONE};
            g->unreached++;
        }
    }
out:
    HG_GIVE(g, k.queue);
    ts_free(g->ctx, k.met);
    ts_free(g->ctx, k.context);
    ts_free(g->ctx, k.pending);
    return code;
}

/* --- what is held by few -------------------------------------------------------------------- */

enum { BY_DETACHED, BY_CONTEXTS, BY_CONSOLE, HOLDERS };

static bool is_holder(uint32_t flags, unsigned holder)
{
    switch (holder) {
    case BY_DETACHED:
        return hg_detachedness(flags) == 2;
    case BY_CONTEXTS:
        return (flags & HG_CONTEXT) != 0;
    default:
        return (flags & HG_CONSOLE) != 0;
    }
}

/* The nodes in `beside` that are not in `met`. */
static ts_code list_beside(ts_vec *next, const hg *g, const uint64_t *beside, const uint64_t *met)
{
    for (uint32_t i = 0; i <= g->n / 64; i++) {
        for (uint64_t bits = beside[i] & ~met[i]; bits != 0; bits &= bits - 1) {
            uint32_t *p = ts_vec_add(g->ctx, next, sizeof *p);
            TS_NEED(g->ctx, p);
            *p = i * 64 + (uint32_t)__builtin_ctzll(bits);
        }
    }
    return TS_OK;
}

/* Of what is not met or is a holder, what has a distance. */
static void note_held(hg *g, unsigned holder, const uint64_t *met, const uint64_t *holders)
{
    for (uint32_t i = 0; i <= g->n / 64; i++) {
        for (uint64_t bits = ~met[i] | holders[i]; bits != 0; bits &= bits - 1) {
            const uint32_t v = i * 64 + (uint32_t)__builtin_ctzll(bits);
            if (v < g->n && g->steps[v].distance != HG_NONE) {
                g->flags[v] |= UINT32_C(1) << (HG_HELD_SHIFT + holder);
            }
        }
    }
}

/* Floods from the root around the holders: what has a distance and is not met is held by them.
 * clear: what is known to be met already, and where it leads to, or NULL. */
static ts_code find_held(hg *g, unsigned holder, const uint64_t *clear, const uint64_t *beside)
{
    ts_vec next = {0};
    const ts_vec root = {.p = &g->root, .n = 1};
    uint64_t *holders = hg_bits(g);
    uint64_t *met = hg_bits(g);
    ts_code code = met == NULL || holders == NULL ? g->ctx->error.code : TS_OK;
    for (uint32_t v = 0; v < g->n && code == TS_OK; v++) {
        holders[v / 64] |= (uint64_t)is_holder(g->flags[v], holder) << v % 64;
    }
    if (code == TS_OK) {
        holders[g->root / 64] &= ~(UINT64_C(1) << g->root % 64);
        for (size_t i = 0; i <= g->n / 64; i++) {
            met[i] = holders[i] | (clear == NULL ? 0 : clear[i]);
        }
    }
    TS_STEP_IF(code, clear != NULL, list_beside(&next, g, beside, met));
    TS_STEP(code, hg_flood(g, met, clear == NULL ? &root : &next));
    if (code == TS_OK) {
        note_held(g, holder, met, holders);
    }
    ts_free(g->ctx, met);
    ts_free(g->ctx, holders);
    ts_vec_free(g->ctx, &next);
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

static ts_code find_all_held(hg *g, const uint64_t *clear, const uint64_t *beside)
{
    bool there[HOLDERS];
    ts_code code = TS_OK;
    who_holds(there, g);
    for (unsigned i = 0; i < HOLDERS && code == TS_OK; i++) {
        if (there[i]) {
            code = find_held(g, i, i == BY_CONTEXTS ? clear : NULL, beside);
        }
    }
    return code;
}

ts_code hg_distances(hg *g)
{
    uint64_t *clear = hg_bits(g);
    uint64_t *beside = hg_bits(g);
    ts_code code = TS_OK;
    g->steps = hg_take(g, (size_t)g->n + 1, sizeof *g->steps);
    if (g->steps == NULL || clear == NULL || beside == NULL) {
        code = g->ctx->error.code;
    } else if (g->n > 0) {
        code = find_distances(g, clear, beside);
        TS_STEP(code, find_all_held(g, clear, beside));
    }
    ts_free(g->ctx, clear);
    ts_free(g->ctx, beside);
    return code;
}

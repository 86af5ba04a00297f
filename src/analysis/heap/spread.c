/* Detachedness of nodes that native nodes hold, user roots, page-owned nodes, sizes of helpers. */
#include "analysis/heap/graph.h"

#include "base/alloc.h"

/* --- detachedness --------------------------------------------------------------------------- */

static void set_detachedness(hg *g, uint32_t v, uint32_t value)
{
    g->flags[v] =
        (g->flags[v] & ~(UINT32_C(3) << HG_DETACHEDNESS_SHIFT)) | value << HG_DETACHEDNESS_SHIFT;
}

/* From the native nodes of this value to the native nodes that they hold. */
static ts_code spread_value(hg *g, uint32_t *stack, uint32_t value)
{
    uint32_t top = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        if (hg_kind(g->flags[v]) == HG_KIND_NATIVE && hg_detachedness(g->flags[v]) == value) {
            stack[top++] = v;
        }
    }
    for (uint32_t steps = 0; top > 0; steps++) {
        uint32_t v = stack[--top];
        TS_TRY(hg_poll(g->ctx, steps));
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
            uint32_t bits = hg_code_of(g->edges[e]);
            uint32_t w = hg_target(g->edges[e]);
            if (bits == HG_HIDDEN || bits == HG_WEAK || (g->flags[w] & HG_SETTLED) != 0) {
                continue;
            }
            g->flags[w] |= HG_SETTLED;
            if (hg_kind(g->flags[w]) == HG_KIND_NATIVE) {
                set_detachedness(g, w, value);
                stack[top++] = w;
            }
        }
    }
    return TS_OK;
}

/* Detached native nodes are called "Detached ..." from here on: rules that look for their names do
 * not find them. */
static void rename_detached(hg *g)
{
    for (uint32_t v = 0; v < g->n; v++) {
        if (hg_kind(g->flags[v]) == HG_KIND_NATIVE && hg_detachedness(g->flags[v]) == 2) {
            g->flags[v] &= ~(uint32_t)(HG_HELPER | HG_BUFFER | HG_CONTEXT | HG_TRUE);
        }
    }
}

static ts_code spread_detachedness(hg *g)
{
    uint32_t *stack;
    ts_code code;
    if (!g->has_detachedness) {
        for (uint32_t v = 0; v < g->n; v++) {
            set_detachedness(g, v, (g->flags[v] & HG_NAMED_DETACHED) != 0 ? 2 : 0);
        }
        return TS_OK;
    }
    TS_NEED(g->ctx, stack = hg_take(g, (size_t)g->n + 1, sizeof *stack));
    code = spread_value(g, stack, 1);
    TS_STEP(code, spread_value(g, stack, 2));
    HG_GIVE(g, stack);
    rename_detached(g);
    return code;
}

/* --- user roots, page-owned nodes ----------------------------------------------------------- */

static void find_user_roots(hg *g)
{
    for (uint32_t e = g->first[g->root]; e < g->first[g->root + 1]; e++) {
        uint32_t w = hg_target(g->edges[e]);
        if (w != HG_TARGET &&
            (hg_kind(g->flags[w]) != HG_KIND_SYNTHETIC || (g->flags[w] & HG_DOM_ROOT) != 0)) {
            g->flags[w] |= HG_USER_ROOT;
            g->has_user_roots = true;
        }
    }
}

ts_code hg_flood(hg *g, uint64_t *bits, const ts_vec *from)
{
    const uint32_t *entries = from->p;
    uint32_t head = 0;
    uint32_t tail = 0;
    ts_code code = TS_OK;
    uint32_t *queue;
    if (from->n == 0) {
        return TS_OK;
    }
    TS_NEED(g->ctx, queue = hg_take(g, (size_t)g->n + 1, sizeof *queue));
    for (size_t i = 0; i < from->n; i++) {
        if (!hg_bit(bits, entries[i])) {
            hg_set(bits, entries[i]);
            queue[tail++] = entries[i];
        }
    }
    while (head < tail && code == TS_OK) {
        uint32_t v = queue[head];
        hg_fetch_ahead(g, queue, head++, tail);
        code = hg_poll(g->ctx, head);
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
            uint32_t w = hg_target(g->edges[e]);
            if (hg_code_of(g->edges[e]) != HG_WEAK && !hg_bit(bits, w)) {
                hg_set(bits, w);
                queue[tail++] = w;
            }
        }
    }
    HG_GIVE(g, queue);
    return code;
}

/* Whether page-owned nodes are found from the user roots and nothing else. */
static bool entries_are_user_roots(const hg *g)
{
    const uint32_t *entries = g->entries.p;
    bool same = true;
    for (size_t i = 0; i < g->entries.n; i++) {
        g->flags[entries[i]] |= HG_ENTRY;
    }
    for (uint32_t e = g->first[g->root]; e < g->first[g->root + 1]; e++) {
        uint32_t w = hg_target(g->edges[e]);
        same = same && (w == HG_TARGET ||
                        ((g->flags[w] & HG_ENTRY) != 0) == ((g->flags[w] & HG_USER_ROOT) != 0));
    }
    return same;
}

ts_code hg_spread(hg *g)
{
    ts_code code = spread_detachedness(g);
    if (code != TS_OK || g->n == 0) {
        return code;
    }
    find_user_roots(g);
    g->walk_finds_page = g->has_user_roots && entries_are_user_roots(g);
    return g->walk_finds_page ? TS_OK : hg_flood(g, g->page, &g->entries);
}

/* --- sizes of helpers ----------------------------------------------------------------------- */

enum { NOBODY = HG_TARGET, MANY = HG_TARGET - 1 };

typedef struct owning {
    uint64_t *helpers;  /* bits */
    uint64_t *elements; /* bits: elements of arrays */
    uint64_t *either;   /* bits: one of both */
    uint64_t *once;     /* bits: elements that an edge leads to */
    uint64_t *twice;    /* bits: more than one */
    uint32_t *owner;    /* of a helper: NOBODY, a node, MANY; bit 31: in the list */
    uint32_t *list;
    uint32_t top;
} owning;

#define LISTED (UINT32_C(1) << 31)

/* A helper is reached from this owner, or from MANY. */
static void give(owning *o, uint32_t helper, uint32_t owner)
{
    uint32_t old = o->owner[helper] & ~LISTED;
    if (old == MANY || old == owner) {
        return;
    }
    o->owner[helper] = (old == NOBODY ? owner : (uint32_t)MANY) | (o->owner[helper] & LISTED);
    if ((o->owner[helper] & LISTED) == 0) {
        o->owner[helper] |= LISTED;
        o->list[o->top++] = helper;
    }
}

static inline void give_along(const hg *g, owning *o, uint32_t v, uint32_t owner)
{
    for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
        uint32_t w = hg_target(g->edges[e]);
        if (hg_code_of(g->edges[e]) != HG_WEAK && hg_bit(o->helpers, w)) {
            give(o, w, owner);
        }
    }
}

static void move_sizes(hg *g, const owning *o)
{
    for (uint32_t v = 0; v < g->n; v++) {
        uint32_t owner = o->owner[v] & ~LISTED;
        if (!hg_bit(o->helpers, v) || owner == NOBODY || owner == MANY || owner == g->root ||
            hg_kind(g->flags[owner]) == HG_KIND_SYNTHETIC) {
            continue;
        }
        if (g->size.wide == NULL) {
            g->size.narrow[owner] += g->size.narrow[v];
            g->size.narrow[v] = 0;
            continue;
        }
        hg_add(g, &g->size.wide[owner], g->size.wide[v]);
        g->size.wide[v] = 0;
    }
}

static ts_code owning_prepare(owning *o, hg *g)
{
    const hg_part *elements = g->elements.p;
    o->helpers = hg_bits(g);
    o->elements = hg_bits(g);
    o->either = hg_bits(g);
    o->once = hg_bits(g);
    o->twice = hg_bits(g);
    if (o->helpers == NULL || o->elements == NULL || o->either == NULL || o->once == NULL ||
        o->twice == NULL) {
        return g->ctx->error.code;
    }
    for (size_t i = 0; i < g->elements.n; i++) {
        hg_set(o->elements, elements[i].target);
        hg_set(o->either, elements[i].target);
    }
    if (!g->has_user_roots) {
        return TS_OK;
    }
    o->owner = hg_take(g, (size_t)g->n + 1, sizeof *o->owner);
    o->list = hg_take(g, (size_t)g->n + 1, sizeof *o->list);
    if (o->owner == NULL || o->list == NULL) {
        return g->ctx->error.code;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        o->owner[v] = NOBODY;
        o->helpers[v / 64] |= (uint64_t)((g->flags[v] & HG_HELPER) != 0) << v % 64;
    }
    for (size_t i = 0; i <= g->n / 64; i++) {
        o->either[i] |= o->helpers[i];
    }
    return TS_OK;
}

/* All edges once: helpers of nodes that own themselves, and how many lead to elements. */
static ts_code own_and_count(const hg *g, owning *o)
{
    ts_code code = TS_OK;
    for (uint32_t v = 0; v < g->n && code == TS_OK; v++) {
        const bool owns = !hg_bit(o->helpers, v);
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
            uint32_t w = hg_target(g->edges[e]);
            if (w == HG_TARGET || !hg_bit(o->either, w)) {
                continue;
            }
            if (hg_bit(o->elements, w)) {
                o->twice[w / 64] |= o->once[w / 64] & UINT64_C(1) << w % 64;
                hg_set(o->once, w);
            }
            if (owns && hg_code_of(g->edges[e]) != HG_WEAK && hg_bit(o->helpers, w)) {
                give(o, w, v);
            }
        }
        code = hg_poll(g->ctx, v);
    }
    return code;
}

ts_code hg_shallow(hg *g)
{
    owning o = {0};
    ts_code code = TS_OK;
    if (!g->has_user_roots && g->elements.n == 0) {
        return TS_OK;
    }
    if ((code = owning_prepare(&o, g)) != TS_OK || (code = own_and_count(g, &o)) != TS_OK) {
        goto out;
    }
    for (uint32_t steps = 0; o.top > 0 && code == TS_OK; steps++) {
        uint32_t v = o.list[--o.top];
        o.owner[v] &= ~LISTED;
        give_along(g, &o, v, o.owner[v]);
        code = hg_poll(g->ctx, steps);
    }
    if (code == TS_OK && g->has_user_roots) {
        move_sizes(g, &o);
    }
    for (size_t i = 0; i <= g->n / 64; i++) {
        o.once[i] &= ~o.twice[i];
    }
    g->held_once = o.once;
    o.once = NULL;
out:
    ts_free(g->ctx, o.helpers);
    ts_free(g->ctx, o.elements);
    ts_free(g->ctx, o.either);
    ts_free(g->ctx, o.once);
    ts_free(g->ctx, o.twice);
    HG_GIVE(g, o.owner);
    HG_GIVE(g, o.list);
    return code;
}

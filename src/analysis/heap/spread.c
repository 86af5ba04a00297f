/* Detachedness of nodes that native nodes hold, user roots, page-owned nodes, sizes of helpers. */
#include "analysis/heap/graph.h"

#include "base/alloc.h"
#include "base/ckd.h"

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
        ts_code code = hg_poll(g->ctx, steps);
        if (code != TS_OK) {
            return code;
        }
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
    stack = hg_array(g->ctx, g->n, sizeof *stack, false);
    if (stack == NULL) {
        return g->ctx->error.code;
    }
    code = spread_value(g, stack, 1);
    if (code == TS_OK) {
        code = spread_value(g, stack, 2);
    }
    ts_free(g->ctx, stack);
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

static ts_code find_page_owned(hg *g)
{
    const uint32_t *entries = g->entries.p;
    uint32_t top = 0;
    ts_code code = TS_OK;
    uint32_t *stack;
    if (g->entries.n == 0) {
        return TS_OK;
    }
    stack = hg_array(g->ctx, g->n, sizeof *stack, false);
    if (stack == NULL) {
        return g->ctx->error.code;
    }
    for (size_t i = 0; i < g->entries.n; i++) {
        if ((g->flags[entries[i]] & HG_PAGE) == 0) {
            g->flags[entries[i]] |= HG_PAGE;
            stack[top++] = entries[i];
        }
    }
    for (uint32_t steps = 0; top > 0 && code == TS_OK; steps++) {
        uint32_t v = stack[--top];
        code = hg_poll(g->ctx, steps);
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
            uint32_t w = hg_target(g->edges[e]);
            if (hg_code_of(g->edges[e]) != HG_WEAK && (g->flags[w] & HG_PAGE) == 0) {
                g->flags[w] |= HG_PAGE;
                stack[top++] = w;
            }
        }
    }
    ts_free(g->ctx, stack);
    return code;
}

ts_code hg_spread(hg *g)
{
    ts_code code = spread_detachedness(g);
    if (code != TS_OK || g->n == 0) {
        return code;
    }
    find_user_roots(g);
    return find_page_owned(g);
}

/* --- sizes of helpers ----------------------------------------------------------------------- */

enum { NOBODY = HG_TARGET, MANY = HG_TARGET - 1 };

typedef struct owning {
    uint32_t *owner; /* of a helper: NOBODY, a node, MANY; bit 31: in the list */
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

static void give_along(hg *g, owning *o, uint32_t v, uint32_t owner)
{
    for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
        uint32_t w = hg_target(g->edges[e]);
        if (hg_code_of(g->edges[e]) != HG_WEAK && (g->flags[w] & HG_HELPER) != 0) {
            give(o, w, owner);
        }
    }
}

static void move_sizes(hg *g, const owning *o)
{
    for (uint32_t v = 0; v < g->n; v++) {
        uint32_t owner = o->owner[v] & ~LISTED;
        if ((g->flags[v] & HG_HELPER) == 0 || owner == NOBODY || owner == MANY ||
            owner == g->root || hg_kind(g->flags[owner]) == HG_KIND_SYNTHETIC) {
            continue;
        }
        if (ts_ckd_add(&g->size[owner], g->size[owner], g->size[v])) {
            g->size[owner] = INT64_MAX;
            g->saturated = true;
        }
        g->size[v] = 0;
    }
}

ts_code hg_shallow(hg *g)
{
    owning o = {0};
    ts_code code = TS_OK;
    if (!g->has_user_roots) {
        return TS_OK;
    }
    o.owner = hg_array(g->ctx, g->n, sizeof *o.owner, false);
    o.list = hg_array(g->ctx, g->n, sizeof *o.list, false);
    if (o.owner == NULL || o.list == NULL) {
        code = g->ctx->error.code;
        goto out;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        o.owner[v] = NOBODY;
    }
    for (uint32_t v = 0; v < g->n && code == TS_OK; v++) {
        if ((g->flags[v] & HG_HELPER) == 0) {
            give_along(g, &o, v, v);
        }
        code = hg_poll(g->ctx, v);
    }
    for (uint32_t steps = 0; o.top > 0 && code == TS_OK; steps++) {
        uint32_t v = o.list[--o.top];
        o.owner[v] &= ~LISTED;
        give_along(g, &o, v, o.owner[v]);
        code = hg_poll(g->ctx, steps);
    }
    if (code == TS_OK) {
        move_sizes(g, &o);
    }
out:
    ts_free(g->ctx, o.owner);
    ts_free(g->ctx, o.list);
    return code;
}

/* Totals of a heap file by kinds of nodes, and native memory. */
#include "analysis/heap/graph.h"

/* Elements that nothing but their array refers to count for it. */
static void add_elements(hg *g)
{
    const hg_part *elements = g->elements.p;
    for (size_t i = 0; i < g->elements.n; i++) {
        if (hg_bit(g->held_once, elements[i].target)) {
            hg_add(g, &g->totals.js_array, hg_size(&g->size, elements[i].target));
        }
    }
}

static void add_node(hg *g, uint32_t v)
{
    hg_totals *t = &g->totals;
    int64_t size = hg_size(&g->size, v);
    switch (hg_kind(g->flags[v])) {
    case HG_KIND_HIDDEN:
        hg_add(g, &t->system, size);
        break;
    case HG_KIND_NATIVE:
        hg_add(g, &t->native, size);
        if ((g->flags[v] & HG_BUFFER) != 0) {
            hg_add(g, &t->typed_array, size);
        }
        break;
    case HG_KIND_CODE:
        hg_add(g, &t->code, size);
        break;
    case HG_KIND_STRING:
    case HG_KIND_CONCATENATED:
    case HG_KIND_SLICED:
        hg_add(g, &t->string, size);
        break;
    default:
        if ((g->flags[v] & HG_NAMED_ARRAY) != 0) {
            hg_add(g, &t->js_array, size);
        }
        break;
    }
}

void hg_totals_of(hg *g)
{
    for (uint32_t v = 0; v < g->n; v++) {
        add_node(g, v);
        hg_add(g, &g->totals.total, hg_size(&g->size, v));
    }
    hg_add(g, &g->totals.total, g->totals.extra);
    hg_add(g, &g->totals.native, g->totals.extra);
    add_elements(g);
}

/* --- native memory ---------------------------------------------------------------------------
 *
 * What objects of ArkTS hold, and what goes with each in the dominator tree: nodes below one are in
 * a run of positions, so that one sum for each position is enough. */

/* A file whose first node has no such size has none. */
static ts_code has_native(void *user, const hg_range *r)
{
    *(bool *)user = r->b->columns[0].null[0] == 0;
    return TS_OK;
}

static ts_code take_native(void *user, const hg_range *r)
{
    hg *g = user;
    const ts_batch_column *c = &r->b->columns[0];
    for (unsigned i = 0; i < r->n; i++) {
        const uint32_t position = g->spans[r->at + i].position;
        g->native[position + 1] = c->null[i] == 0 && c->ints[i] > 0 ? c->ints[i] : 0;
    }
    return TS_OK;
}

ts_code hg_native(hg *g)
{
    static const unsigned columns[] = {TS_C_js_heap_nodes__native_size};
    bool overflow = false;
    bool there = false;
    ts_code code = hg_each(g, TS_T_js_heap_nodes, columns, 1, g->d.first_node, g->n > 0 ? 1 : 0,
                           has_native, &there);
    if (code != TS_OK || !there) {
        return code;
    }
    TS_NEED(g->ctx, g->native = hg_take(g, (size_t)g->n + 1, sizeof *g->native));
    g->native[0] = 0;
    code = hg_each(g, TS_T_js_heap_nodes, columns, 1, g->d.first_node, g->n, take_native, g);
    for (uint32_t p = 0; p < g->n && code == TS_OK && !overflow; p++) {
        overflow = ts_ckd_add(&g->native[p + 1], g->native[p + 1], g->native[p]);
    }
    if (overflow) {
        HG_GIVE(g, g->native);
    }
    return code;
}

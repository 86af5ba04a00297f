/* Totals of a heap file by kinds of nodes. */
#include "analysis/heap/graph.h"

#include "base/ckd.h"

static void total_add(hg *g, int64_t *sum, int64_t value)
{
    if (ts_ckd_add(sum, *sum, value)) {
        *sum = INT64_MAX;
        g->saturated = true;
    }
}

/* Elements that nothing but their array refers to count for it. */
static void add_elements(hg *g)
{
    const hg_part *elements = g->elements.p;
    for (size_t i = 0; i < g->elements.n; i++) {
        if (hg_bit(g->held_once, elements[i].target)) {
            total_add(g, &g->totals.js_array, hg_size(&g->size, elements[i].target));
        }
    }
}

static void add_node(hg *g, uint32_t v)
{
    hg_totals *t = &g->totals;
    int64_t size = hg_size(&g->size, v);
    switch (hg_kind(g->flags[v])) {
    case HG_KIND_HIDDEN:
        total_add(g, &t->system, size);
        break;
    case HG_KIND_NATIVE:
        total_add(g, &t->native, size);
        if ((g->flags[v] & HG_BUFFER) != 0) {
            total_add(g, &t->typed_array, size);
        }
        break;
    case HG_KIND_CODE:
        total_add(g, &t->code, size);
        break;
    case HG_KIND_STRING:
    case HG_KIND_CONCATENATED:
    case HG_KIND_SLICED:
        total_add(g, &t->string, size);
        break;
    default:
        if ((g->flags[v] & HG_NAMED_ARRAY) != 0) {
            total_add(g, &t->js_array, size);
        }
        break;
    }
}

void hg_totals_of(hg *g)
{
    for (uint32_t v = 0; v < g->n; v++) {
        add_node(g, v);
        total_add(g, &g->totals.total, hg_size(&g->size, v));
    }
    total_add(g, &g->totals.total, g->totals.extra);
    total_add(g, &g->totals.native, g->totals.extra);
    add_elements(g);
}

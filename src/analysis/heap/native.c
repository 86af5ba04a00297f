/* Native memory that objects of ArkTS hold, and what goes with each in the dominator tree: nodes
 * below one are in a run of positions, so that one sum for each position is enough. */
#include "analysis/heap/graph.h"

#include "base/ckd.h"

static ts_code open_sizes(hg_range *range, hg *g, uint64_t count)
{
    static const unsigned columns[] = {TS_C_js_heap_nodes__native_size};
    ts_code code =
        hg_range_open(range, g->reader, TS_T_js_heap_nodes, columns, 1, g->d.first_node, count);
    return code != TS_OK ? code : hg_range_next(range, g->ctx, TS_T_js_heap_nodes);
}

/* A file whose first node has no such size has none. */
static ts_code has_native(bool *out, hg *g)
{
    hg_range range = {0};
    ts_code code = TS_OK;
    *out = false;
    if (g->n > 0 && (code = open_sizes(&range, g, 1)) == TS_OK) {
        *out = range.b->columns[0].null[0] == 0;
    }
    hg_range_close(&range);
    return code;
}

static ts_code read_native(hg *g)
{
    hg_range range = {0};
    ts_code code = open_sizes(&range, g, g->n);
    while (code == TS_OK && range.n > 0) {
        const ts_batch_column *c = &range.b->columns[0];
        for (unsigned i = 0; i < range.n; i++) {
            const uint32_t position = g->spans[range.at + i].position;
            g->native[position + 1] = c->null[i] == 0 && c->ints[i] > 0 ? c->ints[i] : 0;
        }
        code = hg_range_next(&range, g->ctx, TS_T_js_heap_nodes);
    }
    hg_range_close(&range);
    return code;
}

ts_code hg_native(hg *g)
{
    bool overflow = false;
    bool there;
    ts_code code = has_native(&there, g);
    if (code != TS_OK || !there) {
        return code;
    }
    TS_NEED(g->ctx, g->native = hg_take(g, (size_t)g->n + 1, sizeof *g->native));
    g->native[0] = 0;
    code = read_native(g);
    for (uint32_t p = 0; p < g->n && code == TS_OK && !overflow; p++) {
        overflow = ts_ckd_add(&g->native[p + 1], g->native[p + 1], g->native[p]);
    }
    if (overflow) {
        HG_GIVE(g, g->native);
    }
    return code;
}

/*
 * The dominator tree of the essential edges, by semi-NCA (L. Georgiadis, "Linear-Time Algorithms
 * for Dominators and Related Problems", 2005): numbers depth first, semidominators with path
 * compression, then the nearest common ancestors by jump pointers, so that no shape is quadratic.
 * Nothing recurses.
 *
 * Nodes that no essential edge leads to are held by the root too. What cannot be reached even so
 * (rings that hold each other) is below the root and counts for nobody else.
 */
#include "analysis/heap/graph.h"

#include "base/alloc.h"
#include "base/ckd.h"

/* A number in the forest of those that are done: where it hangs, and the least semidominator on the
 * way there. */
typedef struct hung {
    uint32_t up;
    uint32_t least;
} hung;

typedef struct work {
    hg *g;
    uint32_t reached; /* numbers of the tree; others follow */
    uint32_t *parent; /* by number; becomes the dominator */
    uint32_t *semi;
    uint32_t *into;   /* cross edges into a number, then the end of their list */
    uint32_t *cursor; /* next edge of a number */
    uint32_t *from;   /* lists of cross edges */
    uint64_t crossing;
} work;

/* --- numbers -------------------------------------------------------------------------------- */

static void enter(work *w, uint32_t node, uint32_t parent)
{
    hg *g = w->g;
    uint32_t number = w->reached++;
    g->number[node] = number;
    g->node[number] = node;
    w->parent[number] = parent;
    w->semi[number] = parent;
    w->cursor[number] = g->first[node];
}

/* An edge from number `v` to a number that exists already. */
static void meet(work *w, uint32_t v, uint32_t number)
{
    if (number > v) {
        w->semi[number] = w->semi[number] < v ? w->semi[number] : v;
    } else if (number != 0) {
        w->into[number]++;
        w->crossing++;
    }
}

/* Goes down from number `v`, and up again to number 0. */
static ts_code number_below(work *w, uint32_t v)
{
    hg *g = w->g;
    ts_code code = TS_OK;
    for (uint32_t steps = 1; code == TS_OK; steps++) {
        uint32_t node = g->node[v];
        uint32_t end = g->first[node + 1];
        uint32_t e = w->cursor[v];
        uint32_t next = HG_NONE;
        for (; e < end && next == HG_NONE; e++) {
            uint32_t to = hg_target(g->edges[e]);
            if (!hg_essential(g, node, to, hg_code_of(g->edges[e]))) {
                continue;
            }
            if (g->number[to] == HG_NONE) {
                next = w->reached;
                enter(w, to, v);
            } else {
                meet(w, v, g->number[to]);
            }
        }
        w->cursor[v] = e;
        if (next != HG_NONE) {
            v = next;
        } else if (v == 0) {
            return TS_OK;
        } else {
            v = w->parent[v];
        }
        code = hg_poll(g->ctx, steps);
    }
    return code;
}

/* Marks what an essential edge leads to. */
static ts_code mark_led_to(hg *g)
{
    ts_code code = TS_OK;
    for (uint32_t v = 0; v < g->n && code == TS_OK; v++) {
        for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
            uint32_t to = hg_target(g->edges[e]);
            if (hg_essential(g, v, to, hg_code_of(g->edges[e]))) {
                g->flags[to] |= HG_VISITED;
            }
        }
        code = hg_poll(g->ctx, v);
    }
    return code;
}

static ts_code number_all(work *w)
{
    hg *g = w->g;
    ts_code code;
    memset(g->number, 0xff, g->n * sizeof *g->number);
    enter(w, g->root, 0);
    code = number_below(w, 0);
    if (code != TS_OK || w->reached == g->n || (code = mark_led_to(g)) != TS_OK) {
        return code;
    }
    for (uint32_t v = 0; v < g->n && code == TS_OK; v++) {
        if ((g->flags[v] & HG_VISITED) == 0 && v != g->root) {
            g->orphans++;
            enter(w, v, 0);
            code = number_below(w, w->reached - 1);
        }
        g->flags[v] &= ~(uint32_t)HG_VISITED;
    }
    return code;
}

/* --- cross edges ---------------------------------------------------------------------------- */

static ts_code list_cross_edges(work *w)
{
    hg *g = w->g;
    uint32_t sum = 0;
    ts_code code = TS_OK;
    w->from = hg_array(g->ctx, (size_t)w->crossing, sizeof *w->from, false);
    if (w->from == NULL) {
        return g->ctx->error.code;
    }
    for (uint32_t v = 0; v < w->reached; v++) {
        uint32_t n = w->into[v];
        w->into[v] = sum;
        sum += n;
    }
    for (uint32_t v = 0; v < w->reached && code == TS_OK; v++) {
        uint32_t node = g->node[v];
        for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
            uint32_t to = hg_target(g->edges[e]);
            if (hg_essential(g, node, to, hg_code_of(g->edges[e])) && g->number[to] < v &&
                g->number[to] != 0) {
                w->from[w->into[g->number[to]]++] = v;
            }
        }
        code = hg_poll(g->ctx, v);
    }
    return code;
}

/* --- semidominators ------------------------------------------------------------------------- */

/* The least semidominator on the way from v up to where it hangs in a number that is not done:
 * those above `done` are. Halves the way. */
static uint32_t least_above(hung *h, uint32_t v, uint32_t done)
{
    uint32_t least = h[v].least;
    while (h[v].up > done) {
        uint32_t up = h[v].up;
        least = h[up].least < least ? h[up].least : least;
        if (h[up].up > done) {
            h[v].least = h[up].least < h[v].least ? h[up].least : h[v].least;
            h[v].up = h[up].up;
        }
        v = up;
    }
    return least;
}

static ts_code find_semidominators(work *w)
{
    ts_code code = TS_OK;
    hung *h = hg_array(w->g->ctx, w->reached, sizeof *h, false);
    if (h == NULL) {
        return w->g->ctx->error.code;
    }
    for (uint32_t v = 0; v < w->reached; v++) {
        h[v] = (hung){w->parent[v], w->semi[v]};
    }
    for (uint32_t v = w->reached - 1; v > 0 && code == TS_OK; v--) {
        uint32_t semi = w->semi[v];
        for (uint32_t i = w->into[v - 1]; i < w->into[v] && semi > 0; i++) {
            uint32_t least = least_above(h, w->from[i], v);
            semi = least < semi ? least : semi;
        }
        w->semi[v] = semi;
        h[v].least = semi;
        code = hg_poll(w->g->ctx, v);
    }
    ts_free(w->g->ctx, h);
    return code;
}

/* --- immediate dominators ------------------------------------------------------------------- */

/* Of a number: an ancestor far above, and its depth. */
typedef struct jump {
    uint32_t to;
    uint32_t depth;
} jump;

static ts_code find_dominators(work *w)
{
    ts_code code = TS_OK;
    uint32_t *dominator = w->parent;
    jump *j = hg_array(w->g->ctx, w->reached, sizeof *j, false);
    if (j == NULL) {
        return w->g->ctx->error.code;
    }
    j[0] = (jump){0, 0};
    for (uint32_t v = 1; v < w->reached && code == TS_OK; v++) {
        uint32_t semi = w->semi[v];
        uint32_t up = semi == 0 ? 0 : w->parent[v];
        while (up > semi) {
            up = j[up].to >= semi ? j[up].to : dominator[up];
        }
        dominator[v] = up;
        uint32_t far = j[up].to;
        bool doubled = j[up].depth - j[far].depth == j[far].depth - j[j[far].to].depth;
        j[v] = (jump){doubled ? j[far].to : up, j[up].depth + 1};
        code = hg_poll(w->g->ctx, v);
    }
    ts_free(w->g->ctx, j);
    return code;
}

/* --- the tree ------------------------------------------------------------------------------- */

/* Numbers for what was not reached, below the root. */
static void number_rest(work *w)
{
    hg *g = w->g;
    uint32_t number = w->reached;
    for (uint32_t v = 0; v < g->n; v++) {
        if (g->number[v] == HG_NONE) {
            g->number[v] = number;
            g->node[number] = v;
            w->parent[number++] = 0;
        }
    }
}

static void hg_add(hg *g, int64_t *sum, int64_t value)
{
    if (ts_ckd_add(sum, *sum, value)) {
        *sum = INT64_MAX;
        g->saturated = true;
    }
}

/* Sums go up; places go down: those of siblings in the order of their nodes. */
static void order_tree(hg *g, uint32_t *below)
{
    for (uint32_t v = 0; v < g->n; v++) {
        g->retained[v] = g->size[g->node[v]];
        g->count[v] = 1;
        below[v] = 0;
    }
    for (uint32_t v = g->n - 1; v > 0; v--) {
        hg_add(g, &g->retained[g->dominator[v]], g->retained[v]);
        g->count[g->dominator[v]] += g->count[v];
    }
    for (uint32_t node = 0; node < g->n; node++) {
        uint32_t v = g->number[node];
        if (v != 0) {
            g->position[v] = below[g->dominator[v]];
            below[g->dominator[v]] += g->count[v];
        }
    }
    g->position[0] = 0;
    for (uint32_t v = 1; v < g->n; v++) {
        g->position[v] += g->position[g->dominator[v]] + 1;
    }
}

static ts_code build_tree(work *w)
{
    hg *g = w->g;
    uint32_t *below;
    g->dominator = w->parent;
    w->parent = NULL;
    g->count = w->semi; /* as long as it is needed */
    w->semi = NULL;
    g->retained = hg_array(g->ctx, g->n, sizeof *g->retained, false);
    g->position = hg_array(g->ctx, g->n, sizeof *g->position, false);
    below = hg_array(g->ctx, g->n, sizeof *below, false);
    if (g->retained == NULL || g->position == NULL || below == NULL) {
        ts_free(g->ctx, below);
        return g->ctx->error.code;
    }
    order_tree(g, below);
    ts_free(g->ctx, below);
    return TS_OK;
}

static ts_code tree_prepare(work *w)
{
    hg *g = w->g;
    g->number = hg_array(g->ctx, g->n, sizeof *g->number, false);
    g->node = hg_array(g->ctx, g->n, sizeof *g->node, false);
    w->parent = hg_array(g->ctx, g->n, sizeof *w->parent, false);
    w->semi = hg_array(g->ctx, g->n, sizeof *w->semi, false);
    w->into = hg_array(g->ctx, g->n, sizeof *w->into, true);
    w->cursor = hg_array(g->ctx, g->n, sizeof *w->cursor, false);
    return g->number == NULL || g->node == NULL || w->parent == NULL || w->semi == NULL ||
                   w->into == NULL || w->cursor == NULL
               ? g->ctx->error.code
               : TS_OK;
}

static ts_code find_tree(work *w)
{
    hg *g = w->g;
    ts_code code = number_all(w);
    HG_FREE(g, w->cursor);
    if (code == TS_OK) {
        code = list_cross_edges(w);
    }
    HG_FREE(g, g->edges);
    HG_FREE(g, g->first);
    if (code == TS_OK) {
        code = find_semidominators(w);
    }
    HG_FREE(g, w->from);
    HG_FREE(g, w->into);
    if (code == TS_OK) {
        code = find_dominators(w);
    }
    if (code != TS_OK) {
        return code;
    }
    number_rest(w);
    return build_tree(w);
}

ts_code hg_dominators(hg *g)
{
    work w = {.g = g};
    ts_code code = tree_prepare(&w);
    if (code == TS_OK && g->n > 0) {
        code = find_tree(&w);
    }
    ts_free(g->ctx, w.parent);
    ts_free(g->ctx, w.semi);
    ts_free(g->ctx, w.into);
    ts_free(g->ctx, w.cursor);
    ts_free(g->ctx, w.from);
    return code;
}

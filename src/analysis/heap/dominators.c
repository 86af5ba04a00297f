/*
 * The dominator tree of the essential edges, by semi-NCA (L. Georgiadis, "Linear-Time Algorithms
 * for Dominators and Related Problems", 2005): numbers depth first, semidominators with path
 * compression, then the nearest common ancestors by jump pointers, so that no shape is quadratic.
 * Nothing recurses.
 *
 * Nodes that no essential edge leads to are held by the root too. What cannot be reached even so
 * (rings that hold each other) is below the root and counts for nothing else. With hg.apart what
 * the root does not reach is no part of the tree: it has no dominator and retains nothing.
 */
#include "analysis/heap/graph.h"

#include "base/alloc.h"
#include "base/touch.h"

/* A number in the forest of those that are done: where it hangs, and the least semidominator on the
 * way there. */
typedef struct hung {
    uint32_t up;
    uint32_t least;
} hung;

/* Of a node, side by side: what follows an edge reads both. */
typedef struct place {
    uint32_t first; /* of its edges */
    uint32_t number;
} place;

typedef struct work {
    hg *g;
    uint32_t reached; /* numbers of the tree; others follow */
    place *places;
    uint32_t *parent; /* by number; becomes the dominator */
    uint32_t *semi;   /* the next edge to follow, as long as there is one */
    uint32_t **cross; /* numbers that cross edges lead to, in the order of their owners: pieces */
    uint32_t *ends;   /* by number: where those of it end */
    uint64_t *below;  /* bits: numbers whose semidominator is the root */
    uint32_t *into;   /* cross edges into a number, then the end of their list */
    uint32_t *from;   /* lists of cross edges */
    uint64_t *led_to; /* bits */
    uint32_t *number; /* of a node */
    uint32_t *node;   /* of a number */
    uint32_t *count;  /* by number, like what follows */
    uint32_t *position;
    hg_sizes retained;
    uint32_t crossing;
} work;

/* Edges are read once: instead of their own code they have these then. */
enum {
    DROPPED,    /* nothing to follow: also what is in the list of cross edges then */
    FOLLOW,     /* to a node that had no number */
    FOLLOW_LAST /* the last of these of its owner */
};

enum { AHEAD = 24, PIECE_BITS = 18, PIECE = 1 << PIECE_BITS };

static inline uint32_t cross_at(const work *w, uint32_t i)
{
    return w->cross[i >> PIECE_BITS][i & (PIECE - 1)];
}

/* An edge to a number that was made before. */
static inline ts_code add_cross(work *w, uint32_t number)
{
    uint32_t **piece = &w->cross[w->crossing >> PIECE_BITS];
    if (*piece == NULL) {
        TS_NEED(w->g->ctx, *piece = ts_alloc(w->g->ctx, PIECE, sizeof **piece));
        ts_touch(*piece, PIECE * sizeof **piece);
    }
    (*piece)[w->crossing++ & (PIECE - 1)] = number;
    return TS_OK;
}

/* --- numbers -------------------------------------------------------------------------------- */

static void enter(work *w, uint32_t node, uint32_t parent)
{
    uint32_t number = w->reached++;
    w->places[node].number = number;
    w->node[number] = node;
    w->parent[number] = parent;
}

static uint32_t with_code(uint32_t code, uint32_t target)
{
    return code << HG_TARGET_BITS | target;
}

static inline ts_code look_at_edge(uint32_t *edge, work *w, uint32_t node)
{
    const hg *g = w->g;
    const uint32_t to = hg_target(*edge);
    uint32_t number;
    if (!hg_essential(g, node, to, hg_code_of(*edge))) {
        *edge = with_code(DROPPED, 0);
        return TS_OK;
    }
    number = w->places[to].number;
    if (number == HG_NONE) {
        __builtin_prefetch(&g->edges[w->places[to].first]);
        *edge = with_code(FOLLOW, to);
        return TS_OK;
    }
    *edge = with_code(DROPPED, 0);
    return number == 0 ? TS_OK : add_cross(w, number);
}

/* The edges of number `v`, which is new. */
static ts_code look_at(work *w, uint32_t v)
{
    const hg *g = w->g;
    const uint32_t node = w->node[v];
    const uint32_t first = w->places[node].first;
    const uint32_t end = w->places[node + 1].first;
    uint32_t last = HG_NONE;
    ts_code code = TS_OK;
    w->semi[v] = HG_NONE;
    for (uint32_t e = first; e < end && e < first + AHEAD; e++) {
        __builtin_prefetch(&w->places[hg_target(g->edges[e])]);
    }
    for (uint32_t e = end; e-- > first && code == TS_OK;) {
        code = look_at_edge(&g->edges[e], w, node);
        if (hg_code_of(g->edges[e]) == FOLLOW) {
            w->semi[v] = e;
            last = last == HG_NONE ? e : last;
        }
    }
    if (last != HG_NONE) {
        g->edges[last] = with_code(FOLLOW_LAST, hg_target(g->edges[last]));
    }
    w->ends[v] = w->crossing;
    return code;
}

/* The target of the next edge of `v` to follow; there is one. */
static inline uint32_t next_target(work *w, uint32_t v)
{
    const uint32_t *edges = w->g->edges;
    uint32_t e = w->semi[v];
    uint32_t to = hg_target(edges[e]);
    if (hg_code_of(edges[e]) == FOLLOW_LAST) {
        w->semi[v] = HG_NONE;
        return to;
    }
    do {
        e++;
    } while (hg_code_of(edges[e]) < FOLLOW);
    w->semi[v] = e;
    return to;
}

/* What is reached from the last number, depth first. */
static ts_code number_below(work *w)
{
    const uint32_t top = w->reached - 1;
    uint32_t v = top;
    ts_code code = look_at(w, v);
    for (uint32_t steps = 1; code == TS_OK; steps++) {
        uint32_t to;
        uint32_t number;
        if (w->semi[v] == HG_NONE) { /* from here on: its semidominator */
            w->semi[v] = w->parent[v];
            if (v == top) {
                return TS_OK;
            }
            v = w->parent[v];
            continue;
        }
        to = next_target(w, v);
        number = w->places[to].number;
        if (number == HG_NONE) {
            enter(w, to, v);
            v = w->reached - 1;
            code = look_at(w, v);
        } else { /* met since then, so that it is below v */
            w->semi[number] = w->semi[number] < v ? w->semi[number] : v;
        }
        TS_STEP(code, hg_poll(w->g->ctx, steps));
    }
    return code;
}

/* Marks what an essential edge leads to of what has no number. */
static ts_code mark_led_to(work *w)
{
    const hg *g = w->g;
    ts_code code = TS_OK;
    TS_NEED(g->ctx, w->led_to = hg_bits(w->g));
    for (uint32_t v = 0; v < g->n && code == TS_OK; v++) {
        const uint32_t end = w->places[v].number == HG_NONE ? w->places[v + 1].first : 0;
        for (uint32_t e = w->places[v].first; e < end; e++) {
            uint32_t to = hg_target(g->edges[e]);
            if (hg_essential(g, v, to, hg_code_of(g->edges[e]))) {
                hg_set(w->led_to, to);
            }
        }
        code = hg_poll(g->ctx, v);
    }
    return code;
}

static ts_code number_orphans(work *w)
{
    hg *g = w->g;
    ts_code code = mark_led_to(w);
    for (uint32_t v = 0; v < g->n && code == TS_OK; v++) {
        if (w->places[v].number == HG_NONE && !hg_bit(w->led_to, v)) {
            g->orphans++;
            enter(w, v, 0);
            code = number_below(w);
        }
    }
    return code;
}

static ts_code number_all(work *w)
{
    hg *g = w->g;
    ts_code code;
    enter(w, g->root, 0);
    code = number_below(w);
    TS_STEP_IF(code, w->reached < g->n && !g->apart, number_orphans(w));
    g->attached = g->apart ? w->reached : g->n;
    return code;
}

/* --- cross edges ---------------------------------------------------------------------------- */

/*
 * The semidominator of a number is the root when the root leads to it, or when an edge does whose
 * owner is, or is below, a later number of which that holds. Where nodes are in no order nearly all
 * numbers are of this kind and their cross edges are of no use; a few passes over the edges in the
 * order of their owners find nearly all of them, without following paths.
 */
static ts_code find_below_root(work *w)
{
    enum { ROUNDS = 4, FEW = 64 };
    hg *g = w->g;
    uint32_t gained = w->reached;
    ts_code code = TS_OK;
    uint32_t *above = hg_take(g, w->reached, sizeof *above); /* the next one, or itself */
    w->below = hg_bits(g);
    if (above == NULL || w->below == NULL) {
        code = g->ctx->error.code;
    }
    for (uint32_t v = 1; v < w->reached && code == TS_OK; v++) {
        w->below[v / 64] |= (uint64_t)(w->semi[v] == 0) << v % 64;
    }
    for (unsigned round = 0; round < ROUNDS && gained > w->reached / FEW && code == TS_OK;
         round++) {
        gained = 0;
        above[0] = 0;
        for (uint32_t v = 1, i = w->ends[0]; v < w->reached && code == TS_OK; v++) {
            const uint32_t up = above[v] = hg_bit(w->below, v) ? v : above[w->parent[v]];
            for (; i < w->ends[v]; i++) {
                uint32_t to = cross_at(w, i);
                if (up > to && !hg_bit(w->below, to)) {
                    hg_set(w->below, to);
                    w->semi[to] = 0;
                    gained++;
                }
            }
            code = hg_poll(g->ctx, v);
        }
    }
    hg_give(g, above);
    return code;
}

/* Lists of the owners of edges into each number, of those that matter. */
static ts_code list_cross_edges(work *w)
{
    hg *g = w->g;
    uint32_t sum = 0;
    ts_code code = TS_OK;
    TS_NEED(g->ctx, w->into = hg_take(g, (size_t)g->n + 1, sizeof *w->into));
    memset(w->into, 0, ((size_t)g->n + 1) * sizeof *w->into);
    for (uint32_t i = 0; i < w->crossing; i++) {
        uint32_t to = cross_at(w, i);
        if (w->crossing - i > AHEAD) {
            __builtin_prefetch(&w->into[cross_at(w, i + AHEAD)], 1);
        }
        w->into[to] += hg_bit(w->below, to) ? 0 : 1;
    }
    for (uint32_t v = 0; v < w->reached; v++) {
        uint32_t n = w->into[v];
        w->into[v] = sum;
        sum += n;
    }
    TS_NEED(g->ctx, w->from = hg_take(g, sum, sizeof *w->from));
    for (uint32_t v = 0, i = 0; v < w->reached && code == TS_OK; v++) {
        for (; i < w->ends[v]; i++) {
            uint32_t to = cross_at(w, i);
            if (w->crossing - i > AHEAD) {
                __builtin_prefetch(&w->into[cross_at(w, i + AHEAD)], 1);
                __builtin_prefetch(&w->from[w->into[cross_at(w, i + AHEAD / 2)]], 1);
            }
            if (!hg_bit(w->below, to)) {
                w->from[w->into[to]++] = v;
            }
        }
        code = hg_poll(g->ctx, v);
    }
    return code;
}

static void give_cross(work *w)
{
    const size_t pieces = ((size_t)w->g->m >> PIECE_BITS) + 1;
    for (size_t i = 0; i < pieces && w->cross != NULL; i++) {
        ts_free(w->g->ctx, w->cross[i]);
    }
    ts_free(w->g->ctx, w->cross);
    w->cross = NULL;
    HG_GIVE(w->g, w->ends);
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
    hung *h = hg_take(w->g, (size_t)w->g->n + 1, sizeof *h);
    TS_NEED(w->g->ctx, h);
    for (uint32_t v = 0; v < w->reached; v++) {
        h[v] = (hung){w->parent[v], w->semi[v]};
    }
    for (uint32_t v = w->reached - 1; v > 0 && code == TS_OK; v--) {
        uint32_t semi = w->semi[v];
        for (uint32_t i = w->into[v]; i-- > w->into[v - 1] && semi > 0;) {
            if (i >= AHEAD) { /* lists are looked at from the last to the first */
                __builtin_prefetch(&h[w->from[i - AHEAD]]);
                __builtin_prefetch(&h[h[w->from[i - AHEAD / 2]].up]);
            }
            uint32_t least = least_above(h, w->from[i], v);
            semi = least < semi ? least : semi;
        }
        w->semi[v] = semi;
        h[v].least = semi;
        code = hg_poll(w->g->ctx, v);
    }
    HG_GIVE(w->g, h);
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
    jump *j = hg_take(w->g, (size_t)w->g->n + 1, sizeof *j);
    TS_NEED(w->g->ctx, j);
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
    HG_GIVE(w->g, j);
    return code;
}

/* --- the tree ------------------------------------------------------------------------------- */

/* Numbers for what was not reached, in the order of rows, below the root if they are in the tree;
 * numbers of all nodes, nodes of all numbers. */
static ts_code number_rest(work *w)
{
    hg *g = w->g;
    uint32_t number = w->reached;
    TS_NEED(g->ctx, w->number = hg_take(g, (size_t)g->n + 1, sizeof *w->number));
    for (uint32_t v = 0; v < g->n; v++) {
        w->number[v] = w->places[v].number;
        if (w->number[v] == HG_NONE) {
            w->number[v] = number;
            w->node[number] = v;
            w->parent[number++] = 0;
        }
    }
    HG_GIVE(g, w->places);
    return TS_OK;
}

/* Sums of sizes and nodes go up. */
static void add_up(work *w)
{
    hg *g = w->g;
    const uint32_t *dominator = w->parent;
    for (uint32_t v = 0; v < g->n; v++) {
        w->count[v] = 1;
        if (g->size.wide != NULL) {
            w->retained.wide[v] = v < g->attached ? g->size.wide[w->node[v]] : 0;
        } else {
            w->retained.narrow[v] = v < g->attached ? g->size.narrow[w->node[v]] : 0;
        }
    }
    for (uint32_t v = g->attached - 1; v > 0; v--) {
        w->count[dominator[v]] += w->count[v];
        if (g->size.wide != NULL) {
            hg_add(g, &w->retained.wide[dominator[v]], w->retained.wide[v]);
        } else {
            w->retained.narrow[dominator[v]] += w->retained.narrow[v];
        }
    }
}

/* Places go down: those of siblings in the order of their nodes. below: becomes the nodes of the
 * positions. */
static void order_tree(work *w, uint32_t *below)
{
    const hg *g = w->g;
    const uint32_t *dominator = w->parent;
    memset(below, 0, g->n * sizeof *below);
    for (uint32_t node = 0; node < g->n; node++) {
        uint32_t v = w->number[node];
        if (v >= g->attached) {
            w->position[v] = v;
        } else if (v != 0) {
            w->position[v] = below[dominator[v]];
            below[dominator[v]] += w->count[v];
        }
    }
    w->position[0] = 0;
    for (uint32_t v = 1; v < g->attached; v++) {
        w->position[v] += w->position[dominator[v]] + 1;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        below[w->position[v]] = w->node[v];
    }
}

/* From numbers to nodes, which are in the order of rows. */
static ts_code held_of_nodes(work *w)
{
    enum { FAR = 16 };
    hg *g = w->g;
    g->held = hg_take(g, (size_t)g->n + 1, sizeof *g->held);
    if (g->size.wide != NULL) {
        g->retained = hg_take(g, (size_t)g->n + 1, sizeof *g->retained);
    }
    if (g->held == NULL || (g->size.wide != NULL && g->retained == NULL)) {
        return g->ctx->error.code;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        const uint32_t node = w->node[v];
        if (g->n - v > FAR) {
            __builtin_prefetch(&g->held[w->node[v + FAR]], 1);
        }
        g->held[node].dominator = v < g->attached ? w->node[w->parent[v]] : HG_NONE;
        if (g->retained != NULL) {
            g->retained[node] = w->retained.wide[v];
        } else {
            g->held[node].retained = w->retained.narrow[v];
        }
    }
    HG_GIVE(g, w->parent);
    HG_GIVE(g, w->retained.wide);
    HG_GIVE(g, w->retained.narrow);
    return TS_OK;
}

static ts_code spans_of_nodes(work *w)
{
    enum { FAR = 16 };
    hg *g = w->g;
    TS_NEED(g->ctx, g->spans = hg_take(g, (size_t)g->n + 1, sizeof *g->spans));
    for (uint32_t v = 0; v < g->n; v++) {
        if (g->n - v > FAR) {
            __builtin_prefetch(&g->spans[w->node[v + FAR]], 1);
        }
        g->spans[w->node[v]] = (hg_span){w->position[v], w->count[v]};
    }
    return TS_OK;
}

static ts_code build_tree(work *w)
{
    hg *g = w->g;
    ts_code code;
    w->count = w->semi; /* as long as it is needed */
    w->semi = NULL;
    if (hg_sizes_take(&w->retained, g, g->size.wide != NULL) != TS_OK) {
        return g->ctx->error.code;
    }
    w->position = hg_take(g, (size_t)g->n + 1, sizeof *w->position);
    g->at_position = hg_take(g, (size_t)g->n + 1, sizeof *g->at_position);
    if (w->position == NULL || g->at_position == NULL) {
        return g->ctx->error.code;
    }
    add_up(w);
    order_tree(w, g->at_position);
    HG_GIVE(g, w->number);
    code = held_of_nodes(w);
    TS_STEP(code, spans_of_nodes(w));
    return code;
}

/* The edges' places move from g->first to w->places. */
static ts_code tree_prepare(work *w)
{
    hg *g = w->g;
    const size_t n = (size_t)g->n + 1;
    TS_NEED(g->ctx, w->places = hg_take(g, n, sizeof *w->places));
    for (size_t i = 0; i < n; i++) {
        w->places[i] = (place){g->first[i], HG_NONE};
    }
    HG_GIVE(g, g->first);
    w->node = hg_take(g, n, sizeof *w->node);
    w->parent = hg_take(g, n, sizeof *w->parent);
    w->semi = hg_take(g, n, sizeof *w->semi);
    w->ends = hg_take(g, n, sizeof *w->ends);
    w->cross = ts_zalloc(g->ctx, ((size_t)g->m >> PIECE_BITS) + 1, sizeof *w->cross);
    return w->node == NULL || w->parent == NULL || w->semi == NULL || w->ends == NULL ||
                   w->cross == NULL
               ? g->ctx->error.code
               : TS_OK;
}

/* From numbers to dominators. What a step alone needs is given back after it. */
static ts_code find_tree(work *w)
{
    hg *g = w->g;
    ts_code code = number_all(w);
    HG_GIVE(g, g->edges);
    TS_STEP(code, find_below_root(w));
    TS_STEP(code, list_cross_edges(w));
    give_cross(w);
    TS_STEP(code, number_rest(w));
    TS_STEP(code, find_semidominators(w));
    HG_GIVE(g, w->from);
    HG_GIVE(g, w->into);
    TS_STEP(code, find_dominators(w));
    TS_STEP(code, build_tree(w));
    return code;
}

ts_code hg_dominators(hg *g)
{
    work w = {.g = g};
    ts_code code = g->n > 0 ? tree_prepare(&w) : TS_OK;
    TS_STEP_IF(code, g->n > 0, find_tree(&w));
    hg_give(g, w.places);
    hg_give(g, w.parent);
    hg_give(g, w.semi);
    hg_give(g, w.into);
    hg_give(g, w.from);
    hg_give(g, w.number);
    hg_give(g, w.node);
    hg_give(g, w.count);
    hg_give(g, w.position);
    hg_give(g, w.retained.narrow);
    hg_give(g, w.retained.wide);
    give_cross(&w);
    ts_free(g->ctx, w.below);
    ts_free(g->ctx, w.led_to);
    return code;
}

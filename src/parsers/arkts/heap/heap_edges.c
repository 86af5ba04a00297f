/* Edges of a snapshot: their owners, their targets, their rows and blocks. */
#include "parsers/arkts/heap/heap_state.h"

#include "base/alloc.h"

ts_code heap_edges_copy_ids(ts_heap *h)
{
    const size_t n = (size_t)h->nodes.ids.n;
    if (h->ctx->limits.max_memory != 0 || n == 0) {
        return TS_OK;
    }
    TS_NEED(h->ctx, h->edges.ids = ts_alloc(h->ctx, n, sizeof *h->edges.ids));
    ts_alloc_spread(h->edges.ids, n * sizeof *h->edges.ids);
    if (!ts_intvec_copy(h->edges.ids, &h->nodes.ids)) {
        ts_free(h->ctx, h->edges.ids);
        h->edges.ids = NULL;
    }
    return TS_OK;
}

/* Moves on to the node that owns the next edge. False: no node is known to own it. */
static bool find_owner(ts_heap *h)
{
    if (h->edges.owners_unknown) {
        return false;
    }
    while (h->edges.owner_left == 0) {
        uint64_t next = h->edges.owner + 1; /* from UINT64_MAX, "before the first", to 0 */
        if (next >= h->nodes.ids.n || next >= h->nodes.owner_stop) {
            return false;
        }
        h->edges.owner = next;
        h->edges.owner_left = ts_intvec_get(&h->nodes.edge_counts, next);
        h->edges.owner_id = ts_intvec_get(&h->nodes.ids, next);
    }
    return true;
}

ts_code heap_put_edge_block(ts_heap *h)
{
    ts_code code;
    if (h->edges.block.id == 0) {
        return TS_OK;
    }
    code = ts_put_js_heap_edge_block(h->sink, &h->edges.block);
    h->edges.block.id = 0;
    return code;
}

/* The block of the next edge. */
static ts_code find_block(ts_heap *h)
{
    ts_code code = TS_OK;
    if (h->arrays[PART_EDGES].rows % EDGES_PER_BLOCK == 0) {
        code = heap_put_edge_block(h);
        h->edges.block = (ts_row_js_heap_edge_block){
            .null = TS_NULL_BIT(js_heap_edge_block, first_node_rowid) |
                    TS_NULL_BIT(js_heap_edge_block, last_node_rowid),
            .id = (int64_t)ts_sink_rows(h->sink, TS_T_js_heap_edge_block) + 1,
            .file_id = h->file_id,
        };
    }
    return code;
}

/* Notes the owner of an edge in the block. */
static void note_owner(ts_heap *h, uint64_t owner)
{
    int64_t rowid = (int64_t)(h->first[TS_T_js_heap_nodes] + owner + 1);
    if ((h->edges.block.null & TS_NULL_BIT(js_heap_edge_block, first_node_rowid)) != 0) {
        h->edges.block.first_node_rowid = rowid;
    }
    h->edges.block.last_node_rowid = rowid;
    h->edges.block.null = 0;
}

uint64_t heap_edge_target(const ts_heap *h, int64_t to_node)
{
    uint32_t stride = h->arrays[PART_NODES].fields.stride;
    uint64_t to = (uint64_t)to_node;
    uint64_t index;
    if (to_node < 0 || stride == 0) {
        return HEAP_NO_TARGET;
    }
    /* Dividing 32 bits takes a fraction of the time that 64 bits take. */
    index = to <= UINT32_MAX ? (uint32_t)to / stride : to / stride;
    return index * stride == to && index < h->edges.target_stop ? index : HEAP_NO_TARGET;
}

bool heap_is_place(const ts_heap *h, uint64_t index)
{
    return index < h->arrays[PART_NODES].rows || !h->meta.has_count[0] || h->meta.count[0] < 0 ||
           index < (uint64_t)h->meta.count[0];
}

/* An edge that points at no node, or whose type is none: such a row may be one out of step. */
static void look_at_edge(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    uint64_t stride = h->arrays[PART_NODES].fields.stride;
    uint64_t names = h->meta.types[1].names;
    uint64_t to = (uint64_t)v[EDGE_TO];
    bool bad_to = (nulls & 1U << EDGE_TO) == 0 && stride > 0 &&
                  (v[EDGE_TO] < 0 || to % stride != 0 || !heap_is_place(h, to / stride));
    bool bad_type = (nulls & 1U << EDGE_TYPE) == 0 && names > 0 && (uint64_t)v[EDGE_TYPE] >= names;
    if (bad_to || bad_type) {
        heap_bad_row(h, PART_EDGES);
    }
}

ts_code heap_put_edge(ts_heap *h, const int64_t *v, uint32_t nulls, uint64_t target)
{
    ts_row_js_heap_edges row = {
        .null = heap_null_bits(nulls, TS_C_js_heap_edges__type),
        .file_id = h->file_id,
        .edge_index = (int64_t)h->arrays[PART_EDGES].rows,
        .type = v[EDGE_TYPE],
        .name_or_index = v[EDGE_NAME],
        .to_node = v[EDGE_TO],
        .to_node_id = target == HEAP_NO_TARGET ? HEAP_NULL : ts_intvec_get(&h->nodes.ids, target),
    };
    bool owned = find_owner(h);
    TS_TRY(find_block(h));
    if (owned) {
        note_owner(h, h->edges.owner);
        h->edges.owner_left--;
    }
    row.from_node_id = h->edges.owner_id;
    if (!owned || h->edges.owner_id == HEAP_NULL) {
        TS_SET_NULL(js_heap_edges, &row, from_node_id);
        h->edges.unowned += owned ? 0 : 1;
    }
    if ((nulls & (1U << EDGE_NAME | 1U << EDGE_TYPE)) == 0 &&
        (v[EDGE_TYPE] < 0 || v[EDGE_TYPE] >= 64 ||
         (h->meta.index_types >> v[EDGE_TYPE] & 1) == 0)) {
        heap_note_index(&h->edges.name_max, v[EDGE_NAME]);
        if (v[EDGE_NAME] >= h->damage.next_name) {
            heap_first_use(h, PART_EDGES, v[EDGE_NAME]);
        }
    }
    if (target == HEAP_NO_TARGET || (uint64_t)v[EDGE_TYPE] >= h->meta.types[1].names) {
        look_at_edge(h, v, nulls);
    }
    if (row.to_node_id == HEAP_NULL) {
        TS_SET_NULL(js_heap_edges, &row, to_node_id);
        h->edges.bad_target++;
    }
    return ts_put_js_heap_edges(h->sink, &row);
}

/* --- many at once --------------------------------------------------------------------------- */

enum {
    OWNER_STEP = 8 /* as many ids of an owner are stored at once, whether they are wanted or not */
};

__extension__ typedef unsigned __int128 wide;

/* Edges that are looked at together, as columns. */
typedef struct edge_group {
    uint32_t values[TS_N_js_heap_edges][EDGES_AT_ONCE + OWNER_STEP];
    uint32_t target[EDGES_AT_ONCE]; /* places of the nodes */
    bool odd[EDGES_AT_ONCE]; /* has a number that is not small, or says something of damage */
    bool any_odd;
} edge_group;

static bool is_small(int64_t v)
{
    return (uint64_t)v <= INT32_MAX;
}

/*
 * The fields of all edges, and the places of the nodes that they point at, whose ids the cache is
 * told to fetch; false when a number is not small, a type is none or there is no such node. As
 * heap_edge_target has it, but a product takes less time than a division: of numbers below 2^32 it
 * is the same, and what is no multiple of the stride is found out.
 */
static bool read_fields(edge_group *g, const ts_heap *h, const int64_t *v, size_t n)
{
    /* cppcheck-suppress uninitvar ; only the place is taken */
    uint32_t *types = g->values[TS_C_js_heap_edges__type];
    uint32_t *names = g->values[TS_C_js_heap_edges__name_or_index];
    uint32_t *to = g->values[TS_C_js_heap_edges__to_node];
    const uint64_t stride = h->arrays[PART_NODES].fields.stride;
    const uint64_t inverse = UINT64_MAX / stride + 1;
    const uint64_t stop = h->edges.target_stop;
    const uint32_t type_stop = h->meta.types[1].names < 64 ? h->meta.types[1].names : 64;
    int64_t all = 0;
    bool odd = false;
    for (size_t i = 0; i < n; i++, v += EDGE_FIELDS) {
        const uint64_t place = (uint32_t)v[EDGE_TO];
        const uint64_t index = (uint64_t)((wide)place * inverse >> 64);
        const bool found = index * stride == place && index < stop;
        all |= v[EDGE_TYPE] | v[EDGE_NAME] | v[EDGE_TO];
        types[i] = (uint32_t)v[EDGE_TYPE];
        names[i] = (uint32_t)v[EDGE_NAME];
        to[i] = (uint32_t)place;
        g->target[i] = found ? (uint32_t)index : 0;
        odd |= !found | (types[i] >= type_stop);
        if (h->edges.ids != NULL) {
            __builtin_prefetch(&h->edges.ids[g->target[i]]);
        } else {
            ts_intvec_prefetch(&h->nodes.ids, g->target[i]);
        }
    }
    return is_small(all) && !odd;
}

/* The ids at the places of n edges; false when one is not small. */
static bool read_ids(edge_group *g, const ts_heap *h, size_t n)
{
    uint32_t *out = g->values[TS_C_js_heap_edges__to_node_id];
    const uint32_t *ids = h->edges.ids;
    uint32_t all = 0;
    if (ids == NULL) {
        return is_small(ts_intvec_gather(out, &h->nodes.ids, g->target, n));
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = ids[g->target[i]];
        all |= out[i];
    }
    return is_small(all);
}

static bool is_odd_edge(const ts_heap *h, const int64_t *v)
{
    const uint64_t type = (uint64_t)v[EDGE_TYPE];
    const uint64_t target = heap_edge_target(h, v[EDGE_TO]);
    return type >= h->meta.types[1].names || type >= 64 || !is_small(v[EDGE_NAME]) ||
           !is_small(v[EDGE_TO]) || target == HEAP_NO_TARGET ||
           !is_small(ts_intvec_get(&h->nodes.ids, target));
}

static void read_group(edge_group *g, const ts_heap *h, const int64_t *v, size_t n)
{
    uint32_t *ids = g->values[TS_C_js_heap_edges__to_node_id];
    const uint64_t rows = h->arrays[PART_EDGES].rows;
    const bool usual = is_small(h->file_id) && rows + EDGES_AT_ONCE <= INT32_MAX &&
                       h->nodes.ids.n > 0 && h->arrays[PART_NODES].fields.stride > 0;
    g->any_odd = !usual || !read_fields(g, h, v, n);
    for (size_t i = 0; i < n; i++) {
        g->values[TS_C_js_heap_edges__file_id][i] = (uint32_t)h->file_id;
        g->values[TS_C_js_heap_edges__edge_index][i] = (uint32_t)(rows + i);
    }
    g->any_odd = g->any_odd || !read_ids(g, h, n);
    for (size_t i = 0; i < n && g->any_odd; i++) {
        g->odd[i] = !usual || is_odd_edge(h, v + i * EDGE_FIELDS);
        ids[i] = g->odd[i] ? 0 : (uint32_t)ts_intvec_get(&h->nodes.ids, g->target[i]);
    }
}

/* Ids of the owners of at most n edges; returns of how many, which are those before the first whose
 * owner is not known or has a large id. */
static size_t take_owners(uint32_t *ids, ts_heap *h, size_t n, uint64_t *first, uint64_t *last)
{
    heap_edges *e = &h->edges;
    size_t i = 0;
    while (i < n && find_owner(h) && is_small(e->owner_id)) {
        const size_t take = (uint64_t)e->owner_left < n - i ? (size_t)e->owner_left : n - i;
        *first = i == 0 ? e->owner : *first;
        *last = e->owner;
        for (size_t k = 0; k < take; k += OWNER_STEP) {
            for (size_t j = 0; j < OWNER_STEP; j++) {
                ids[i + k + j] = (uint32_t)e->owner_id;
            }
        }
        e->owner_left -= (int64_t)take;
        i += take;
    }
    return i;
}

/* What the names of edges say, as heap_put_edge has it. */
static void note_names(ts_heap *h, const edge_group *g, size_t at, size_t n)
{
    const uint32_t *types = g->values[TS_C_js_heap_edges__type] + at;
    const uint32_t *names = g->values[TS_C_js_heap_edges__name_or_index] + at;
    int32_t max = -1;
    for (size_t i = 0; i < n; i++) {
        const uint32_t no_name = 0 - (uint32_t)(h->meta.index_types >> types[i] & 1);
        const int32_t name = (int32_t)(names[i] | no_name); /* -1 for an index */
        max = name > max ? name : max;
    }
    h->edges.name_max = max > h->edges.name_max ? max : h->edges.name_max;
    for (size_t i = 0; i < n && max >= h->damage.next_name && !h->damage.names_disordered; i++) {
        if ((h->meta.index_types >> types[i] & 1) == 0 && names[i] >= h->damage.next_name) {
            h->arrays[PART_EDGES].rows += i; /* as if those before it were put */
            heap_first_use(h, PART_EDGES, names[i]);
            h->arrays[PART_EDGES].rows -= i;
        }
    }
}

/* Edges that are not odd, from `at` on, at most n and to the end of the block; *taken: how many. */
static ts_code put_usual_edges(size_t *taken, ts_heap *h, edge_group *g, size_t at, size_t n)
{
    const uint64_t rows = h->arrays[PART_EDGES].rows;
    const size_t left = (size_t)(EDGES_PER_BLOCK - rows % EDGES_PER_BLOCK);
    const uint32_t *columns[TS_N_js_heap_edges];
    uint64_t first = 0;
    uint64_t last = 0;
    ts_code code;
    *taken = take_owners(g->values[TS_C_js_heap_edges__from_node_id] + at, h, n < left ? n : left,
                         &first, &last);
    if (*taken == 0) {
        return TS_OK;
    }
    note_names(h, g, at, *taken);
    TS_TRY_INTO(code, find_block(h));
    note_owner(h, first);
    note_owner(h, last);
    for (unsigned i = 0; i < TS_N_js_heap_edges; i++) {
        columns[i] = g->values[i] + at;
    }
    code = ts_sink_put_columns(h->sink, TS_T_js_heap_edges, columns, (unsigned)*taken);
    h->arrays[PART_EDGES].rows += *taken;
    return code;
}

static size_t usual_run(const edge_group *g, size_t at, size_t n)
{
    size_t end = at;
    while (end < n && !g->odd[end]) {
        end++;
    }
    return end - at;
}

ts_code heap_put_edges(size_t *done, ts_heap *h, const int64_t *v, size_t n)
{
    /* To the end of a block: rows are put in as few calls as possible. */
    const size_t most = EDGES_AT_ONCE - h->arrays[PART_EDGES].rows % EDGES_PER_BLOCK;
    edge_group g;
    ts_code code = TS_OK;
    n = n < most ? n : most;
    read_group(&g, h, v, n);
    for (*done = 0; *done < n && code == TS_OK;) {
        const size_t run = g.any_odd ? usual_run(&g, *done, n) : n - *done;
        const int64_t *edge = v + *done * EDGE_FIELDS;
        size_t taken = 0;
        code = run == 0 ? TS_OK : put_usual_edges(&taken, h, &g, *done, run);
        if (taken == 0 && code == TS_OK) {
            if (edge[EDGE_TYPE] == HEAP_NULL || edge[EDGE_NAME] == HEAP_NULL ||
                edge[EDGE_TO] == HEAP_NULL) {
                return TS_OK;
            }
            code = heap_put_edge(h, edge, 0, heap_edge_target(h, edge[EDGE_TO]));
            h->arrays[PART_EDGES].rows++;
            taken = 1;
        }
        *done += taken;
    }
    return code;
}

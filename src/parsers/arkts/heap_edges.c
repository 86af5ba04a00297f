/* Edges of a snapshot: their owners, their targets, their rows and blocks. */
#include "parsers/arkts/heap_state.h"

void heap_edges_begin(heap_edges *edges)
{
    *edges = (heap_edges){.owner = UINT64_MAX, .target_stop = UINT64_MAX, .name_max = -1};
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

/* Notes the owner under way in the block. */
static void note_owner(ts_heap *h)
{
    int64_t rowid = (int64_t)(h->first[TS_T_js_heap_nodes] + h->edges.owner + 1);
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
    ts_code code = find_block(h);
    if (code != TS_OK) {
        return code;
    }
    if (owned) {
        note_owner(h);
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

typedef struct edge_columns {
    uint32_t values[TS_N_js_heap_edges][EDGES_AT_ONCE];
} edge_columns;

static bool is_small(int64_t v)
{
    return (uint64_t)v <= INT32_MAX;
}

/* An edge whose numbers are all small and say nothing of damage. */
static inline bool take_usual(edge_columns *c, ts_heap *h, size_t i, const int64_t *v,
                              uint64_t target)
{
    const uint64_t type = (uint64_t)v[EDGE_TYPE];
    int64_t id;
    if (type >= h->meta.types[1].names || type >= 64 || !is_small(v[EDGE_NAME]) ||
        !is_small(v[EDGE_TO]) || target == HEAP_NO_TARGET ||
        !is_small(id = ts_intvec_get(&h->nodes.ids, target))) {
        return false;
    }
    c->values[TS_C_js_heap_edges__type][i] = (uint32_t)type;
    c->values[TS_C_js_heap_edges__name_or_index][i] = (uint32_t)v[EDGE_NAME];
    c->values[TS_C_js_heap_edges__to_node][i] = (uint32_t)v[EDGE_TO];
    c->values[TS_C_js_heap_edges__to_node_id][i] = (uint32_t)id;
    if ((h->meta.index_types >> type & 1) == 0) {
        h->edges.name_max = v[EDGE_NAME] > h->edges.name_max ? v[EDGE_NAME] : h->edges.name_max;
        if (v[EDGE_NAME] >= h->damage.next_name) {
            h->arrays[PART_EDGES].rows += i; /* as if those before it were put */
            heap_first_use(h, PART_EDGES, v[EDGE_NAME]);
            h->arrays[PART_EDGES].rows -= i;
        }
    }
    return true;
}

/* Of the owner under way: at most n. */
static size_t take_of_owner(edge_columns *c, ts_heap *h, size_t i, const int64_t *v,
                            const uint64_t *target, size_t n)
{
    const size_t first = i;
    const size_t end = (uint64_t)h->edges.owner_left < n - i ? i + (size_t)h->edges.owner_left : n;
    while (i < end && take_usual(c, h, i, v + i * EDGE_FIELDS, target[i])) {
        i++;
    }
    for (size_t k = first; k < i; k++) {
        c->values[TS_C_js_heap_edges__from_node_id][k] = (uint32_t)h->edges.owner_id;
    }
    h->edges.owner_left -= (int64_t)(i - first);
    return i - first;
}

static ts_code put_columns(ts_heap *h, edge_columns *c, unsigned n)
{
    const uint32_t *columns[TS_N_js_heap_edges];
    const uint32_t index = (uint32_t)h->arrays[PART_EDGES].rows;
    for (unsigned i = 0; i < TS_N_js_heap_edges; i++) {
        columns[i] = c->values[i];
    }
    for (unsigned i = 0; i < n; i++) {
        c->values[TS_C_js_heap_edges__file_id][i] = (uint32_t)h->file_id;
        c->values[TS_C_js_heap_edges__edge_index][i] = index + i;
    }
    return ts_sink_put_columns(h->sink, TS_T_js_heap_edges, columns, n);
}

ts_code heap_put_usual_edges(size_t *taken, ts_heap *h, const int64_t *v, const uint64_t *target,
                             size_t n)
{
    const uint64_t rows = h->arrays[PART_EDGES].rows;
    const size_t left = (size_t)(EDGES_PER_BLOCK - rows % EDGES_PER_BLOCK);
    edge_columns c;
    ts_code code = TS_OK;
    bool more = is_small(h->file_id) && rows + EDGES_AT_ONCE <= INT32_MAX;
    n = n < left ? n : left;
    *taken = 0;
    while (*taken < n && more) {
        size_t wanted;
        size_t got;
        if (!find_owner(h) || !is_small(h->edges.owner_id)) {
            break;
        }
        wanted =
            (uint64_t)h->edges.owner_left < n - *taken ? (size_t)h->edges.owner_left : n - *taken;
        got = take_of_owner(&c, h, *taken, v, target, n);
        if (got > 0) {
            code = *taken == 0 ? find_block(h) : TS_OK;
            note_owner(h);
        }
        *taken += got;
        more = got == wanted && code == TS_OK;
    }
    if (*taken > 0 && code == TS_OK) {
        code = put_columns(h, &c, (unsigned)*taken);
    }
    h->arrays[PART_EDGES].rows += *taken;
    return code;
}

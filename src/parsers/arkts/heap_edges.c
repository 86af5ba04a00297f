/* Edges of a snapshot: their owners, their targets, their rows and blocks. */
#include "parsers/arkts/heap_state.h"

void heap_edges_begin(heap_edges *edges)
{
    *edges = (heap_edges){.owner = UINT64_MAX, .target_stop = UINT64_MAX, .name_max = -1};
}

/* Moves on to the node that owns the next edge. False: no node is known to own it. */
static bool next_owner(ts_heap *h)
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
    h->edges.owner_left--;
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

/* Notes the owner of an edge in the block that the edge stands in. */
static ts_code enter_block(ts_heap *h, bool owned)
{
    int64_t rowid = (int64_t)(h->first[TS_T_js_heap_nodes] + h->edges.owner + 1);
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
    if (owned) {
        if ((h->edges.block.null & TS_NULL_BIT(js_heap_edge_block, first_node_rowid)) != 0) {
            h->edges.block.first_node_rowid = rowid;
        }
        h->edges.block.last_node_rowid = rowid;
        h->edges.block.null = 0;
    }
    return code;
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
    bool owned = next_owner(h);
    ts_code code = enter_block(h, owned);
    if (code != TS_OK) {
        return code;
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

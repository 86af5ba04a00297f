/* Rows of the js_heap_* tables, and what the edges need to know of the nodes. */
#include "parsers/arkts/heap_impl.h"

#include "base/alloc.h"
#include "base/ckd.h"

/* Bits of `null` for the columns from `first` on, in the order of the targets. */
static uint64_t null_bits(uint32_t nulls, unsigned first)
{
    return (uint64_t)nulls << first;
}

/* Keeps the largest index, and INT64_MAX when one is negative: no string list is that long. */
static void note_index(int64_t *max, int64_t index)
{
    if (index < 0) {
        *max = INT64_MAX;
    } else if (index > *max) {
        *max = index;
    }
}

ts_code heap_remember_node(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    bool has_id = (nulls & 1U << NODE_ID) == 0;
    bool has_size = (nulls & 1U << NODE_SELF_SIZE) == 0;
    bool has_count = (nulls & 1U << NODE_EDGE_COUNT) == 0 && v[NODE_EDGE_COUNT] >= 0;
    int64_t edges = has_count ? v[NODE_EDGE_COUNT] : 0;
    ts_code code;
    heap_look_at_node(h, v, nulls);
    if ((nulls & 1U << NODE_NAME) == 0) {
        note_index(&h->node_name_max, v[NODE_NAME]);
    }
    if (!has_count) {
        h->bad_edge_counts++;
        if (h->owner_stop == UINT64_MAX) {
            h->owner_stop = h->ids.n;
        }
    }
    if (has_size && ts_ckd_add(&h->self_size, h->self_size, v[NODE_SELF_SIZE])) {
        h->self_size = v[NODE_SELF_SIZE] < 0 ? INT64_MIN : INT64_MAX;
        h->self_size_overflow = true;
    }
    if (ts_ckd_add(&h->edge_count_sum, h->edge_count_sum, (uint64_t)edges)) {
        h->edge_count_sum = UINT64_MAX;
    }
    if ((nulls & 1U << NODE_NAME) == 0 && v[NODE_NAME] >= h->next_name) {
        heap_first_use(h, PART_NODES, v[NODE_NAME]);
    }
    if ((nulls & 1U << NODE_TYPE) == 0 && h->meta.types[0].names > 0 &&
        (uint64_t)v[NODE_TYPE] >= h->meta.types[0].names) {
        heap_bad_row(h, PART_NODES);
    }
    code = ts_intvec_push(h->ctx, &h->ids, has_id ? v[NODE_ID] : HEAP_NULL);
    return code != TS_OK ? code : ts_intvec_push(h->ctx, &h->edge_counts, edges);
}

ts_code heap_put_node(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    ts_row_js_heap_nodes row = {
        .null = null_bits(nulls, TS_C_js_heap_nodes__type),
        .file_id = h->file_id,
        .node_index = (int64_t)h->arrays[PART_NODES].rows,
        .type = v[NODE_TYPE],
        .name = v[NODE_NAME],
        .id = v[NODE_ID],
        .self_size = v[NODE_SELF_SIZE],
        .edge_count = v[NODE_EDGE_COUNT],
        .trace_node_id = v[NODE_TRACE_NODE_ID],
        .detachedness = v[NODE_DETACHEDNESS],
    };
    ts_code code;
    if ((code = heap_remember_node(h, v, nulls)) != TS_OK ||
        (code = heap_classes_add(h, v, nulls)) != TS_OK) {
        return code;
    }
    return ts_put_js_heap_nodes(h->sink, &row);
}

/* --- edges --------------------------------------------------------------------------------- */

/* Moves on to the node that owns the next edge. False: no node is known to own it. */
static bool next_owner(ts_heap *h)
{
    if (h->owners_unknown) {
        return false;
    }
    while (h->owner_left == 0) {
        uint64_t next = h->owner + 1; /* from UINT64_MAX, "before the first", to 0 */
        if (next >= h->ids.n || next >= h->owner_stop) {
            return false;
        }
        h->owner = next;
        h->owner_left = ts_intvec_get(&h->edge_counts, next);
        h->owner_id = ts_intvec_get(&h->ids, next);
    }
    h->owner_left--;
    return true;
}

ts_code heap_put_edge_block(ts_heap *h)
{
    ts_code code;
    if (h->block.id == 0) {
        return TS_OK;
    }
    code = ts_put_js_heap_edge_block(h->sink, &h->block);
    h->block.id = 0;
    return code;
}

/* Notes the owner of an edge in the block that the edge stands in. */
static ts_code enter_block(ts_heap *h, bool owned)
{
    int64_t rowid = (int64_t)(h->first[TS_T_js_heap_nodes] + h->owner + 1);
    ts_code code = TS_OK;
    if (h->arrays[PART_EDGES].rows % EDGES_PER_BLOCK == 0) {
        code = heap_put_edge_block(h);
        h->block = (ts_row_js_heap_edge_block){
            .null = TS_NULL_BIT(js_heap_edge_block, first_node_rowid) |
                    TS_NULL_BIT(js_heap_edge_block, last_node_rowid),
            .id = (int64_t)ts_sink_rows(h->sink, TS_T_js_heap_edge_block) + 1,
            .file_id = h->file_id,
        };
    }
    if (owned) {
        if ((h->block.null & TS_NULL_BIT(js_heap_edge_block, first_node_rowid)) != 0) {
            h->block.first_node_rowid = rowid;
        }
        h->block.last_node_rowid = rowid;
        h->block.null = 0;
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
    return index * stride == to && index < h->target_stop ? index : HEAP_NO_TARGET;
}

/* A node can have this number: by what the snapshot declares or by what there is. */
static bool is_place(const ts_heap *h, uint64_t index)
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
                  (v[EDGE_TO] < 0 || to % stride != 0 || !is_place(h, to / stride));
    bool bad_type = (nulls & 1U << EDGE_TYPE) == 0 && names > 0 && (uint64_t)v[EDGE_TYPE] >= names;
    if (bad_to || bad_type) {
        heap_bad_row(h, PART_EDGES);
    }
}

ts_code heap_put_edge(ts_heap *h, const int64_t *v, uint32_t nulls, uint64_t target)
{
    ts_row_js_heap_edges row = {
        .null = null_bits(nulls, TS_C_js_heap_edges__type),
        .file_id = h->file_id,
        .edge_index = (int64_t)h->arrays[PART_EDGES].rows,
        .type = v[EDGE_TYPE],
        .name_or_index = v[EDGE_NAME],
        .to_node = v[EDGE_TO],
        .to_node_id = target == HEAP_NO_TARGET ? HEAP_NULL : ts_intvec_get(&h->ids, target),
    };
    bool owned = next_owner(h);
    ts_code code = enter_block(h, owned);
    if (code != TS_OK) {
        return code;
    }
    row.from_node_id = h->owner_id;
    if (!owned || h->owner_id == HEAP_NULL) {
        TS_SET_NULL(js_heap_edges, &row, from_node_id);
        h->edges_unowned += owned ? 0 : 1;
    }
    if ((nulls & (1U << EDGE_NAME | 1U << EDGE_TYPE)) == 0 &&
        (v[EDGE_TYPE] < 0 || v[EDGE_TYPE] >= 64 ||
         (h->meta.index_types >> v[EDGE_TYPE] & 1) == 0)) {
        note_index(&h->edge_name_max, v[EDGE_NAME]);
        if (v[EDGE_NAME] >= h->next_name) {
            heap_first_use(h, PART_EDGES, v[EDGE_NAME]);
        }
    }
    if (target == HEAP_NO_TARGET || (uint64_t)v[EDGE_TYPE] >= h->meta.types[1].names) {
        look_at_edge(h, v, nulls);
    }
    if (row.to_node_id == HEAP_NULL) {
        TS_SET_NULL(js_heap_edges, &row, to_node_id);
        h->edges_bad_target++;
    }
    return ts_put_js_heap_edges(h->sink, &row);
}

static ts_code put_edge(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    bool has_target = (nulls & 1U << EDGE_TO) == 0;
    return heap_put_edge(h, v, nulls,
                         has_target ? heap_edge_target(h, v[EDGE_TO]) : HEAP_NO_TARGET);
}

/* --- the small ones ------------------------------------------------------------------------ */

/* A node has one place: a location that is there twice is damage. One bit a node. */
static ts_code note_location(ts_heap *h, uint64_t index)
{
    uint64_t bit = UINT64_C(1) << index % 64;
    if (index >= h->arrays[PART_NODES].rows) {
        return TS_OK;
    }
    if (h->located == NULL) {
        h->located =
            ts_zalloc(h->ctx, (size_t)(h->arrays[PART_NODES].rows / 64 + 1), sizeof *h->located);
        if (h->located == NULL) {
            return h->ctx->error.code;
        }
    }
    if ((h->located[index / 64] & bit) != 0) {
        heap_bad_row(h, PART_LOCATIONS);
    }
    h->located[index / 64] |= bit;
    return TS_OK;
}

static ts_code put_location(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    ts_row_js_heap_location row = {
        .null = null_bits(nulls, TS_C_js_heap_location__object_index),
        .file_id = h->file_id,
        .object_index = v[0],
        .script_id = v[1],
        .line = v[2],
        .column = v[3],
    };
    uint64_t stride = h->arrays[PART_NODES].fields.stride;
    if ((nulls & 1U) == 0 && stride > 0 &&
        (v[0] < 0 || (uint64_t)v[0] % stride != 0 || !is_place(h, (uint64_t)v[0] / stride))) {
        heap_bad_row(h, PART_LOCATIONS);
    }
    if (h->nodes_done && (nulls & 1U) == 0 && stride > 0 && v[0] >= 0) {
        ts_code code = note_location(h, (uint64_t)v[0] / stride);
        if (code != TS_OK) {
            return code;
        }
    }
    return ts_put_js_heap_location(h->sink, &row);
}

static ts_code put_sample(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    ts_row_js_heap_sample row = {
        .null = null_bits(nulls, TS_C_js_heap_sample__timestamp_us),
        .file_id = h->file_id,
        .timestamp_us = v[0],
        .last_assigned_id = v[1],
    };
    if ((nulls & 3U) == 0) { /* both only grow */
        bool first = h->arrays[PART_SAMPLES].rows == 0;
        h->samples_disordered = h->samples_disordered || v[0] < 0 ||
                                (!first && (v[0] < h->last_sample_us || v[1] < h->last_sample_id));
        h->last_sample_id = v[1];
    }
    if ((nulls & 1U) == 0 && v[0] > h->last_sample_us) {
        h->last_sample_us = v[0];
    }
    return ts_put_js_heap_sample(h->sink, &row);
}

static ts_code put_function(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    ts_row_js_heap_trace_function_info row = {
        .null = null_bits(nulls, TS_C_js_heap_trace_function_info__function_id),
        .file_id = h->file_id,
        .function_index = (int64_t)h->arrays[PART_FUNCTIONS].rows,
        .function_id = v[0],
        .name = v[1],
        .script_name = v[2],
        .script_id = v[3],
        .line = v[4],
        .column = v[5],
    };
    for (int i = 1; i <= 2; i++) {
        if ((nulls >> i & 1) == 0) {
            note_index(&h->function_name_max, v[i]);
        }
    }
    return ts_put_js_heap_trace_function_info(h->sink, &row);
}

static ts_code put_trace_node(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    ts_row_js_heap_trace_node row = {
        .null = null_bits(nulls & ((1U << TREE_CHILDREN) - 1), TS_C_js_heap_trace_node__id),
        .file_id = h->file_id,
        .id = v[0],
        .function_info_index = v[1],
        .count = v[2],
        .size = v[3],
        .parent_id = h->parents.n == 0 ? -1 : ts_intvec_get(&h->parents, h->parents.n - 1),
    };
    if ((nulls & 1U << 1) == 0) {
        note_index(&h->function_index_max, v[1]);
    }
    if ((nulls & 1U) == 0 && v[0] > h->tree_id_max) {
        h->tree_id_max = v[0];
    }
    if (row.parent_id == HEAP_NULL) {
        TS_SET_NULL(js_heap_trace_node, &row, parent_id);
    }
    return ts_put_js_heap_trace_node(h->sink, &row);
}

ts_code heap_put_row(ts_heap *h, enum heap_part part, const int64_t *row, uint32_t nulls)
{
    switch (part) {
    case PART_NODES:
        return heap_put_node(h, row, nulls);
    case PART_EDGES:
        return put_edge(h, row, nulls);
    case PART_LOCATIONS:
        return put_location(h, row, nulls);
    case PART_SAMPLES:
        return put_sample(h, row, nulls);
    case PART_FUNCTIONS:
        return put_function(h, row, nulls);
    default:
        return put_trace_node(h, row, nulls);
    }
}

ts_code heap_put_string(ts_heap *h, ts_text text)
{
    ts_row_js_heap_string row = {
        .file_id = h->file_id,
        .file_index = (int64_t)h->strings,
        .string = text,
    };
    h->strings++;
    heap_look_at_string(h, text.n);
    return ts_put_js_heap_string(h->sink, &row);
}

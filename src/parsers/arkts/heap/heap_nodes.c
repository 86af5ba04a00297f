/* Nodes of a snapshot: their rows, and what the edges need to know of them. */
#include "parsers/arkts/heap/heap_state.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/sorter.h"

/* Notes what edges need of a node. */
static ts_code remember_node(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    bool has_id = (nulls & 1U << NODE_ID) == 0;
    bool has_size = (nulls & 1U << NODE_SELF_SIZE) == 0;
    bool has_count = (nulls & 1U << NODE_EDGE_COUNT) == 0 && v[NODE_EDGE_COUNT] >= 0;
    int64_t edges = has_count ? v[NODE_EDGE_COUNT] : 0;
    ts_code code;
    heap_look_at_node(h, v, nulls);
    if ((nulls & 1U << NODE_TRACE_NODE_ID) == 0 && v[NODE_TRACE_NODE_ID] > 0 &&
        (code = heap_tree_note(h, v[NODE_TRACE_NODE_ID], HEAP_NOTED_NODE)) != TS_OK) {
        return code;
    }
    if ((nulls & 1U << NODE_NAME) == 0) {
        heap_note_index(&h->nodes.name_max, v[NODE_NAME]);
    }
    if (!has_count) {
        h->nodes.bad_edge_counts++;
        if (h->nodes.owner_stop == UINT64_MAX) {
            h->nodes.owner_stop = h->nodes.ids.n;
        }
    }
    if (has_size && ts_ckd_add(&h->nodes.self_size, h->nodes.self_size, v[NODE_SELF_SIZE])) {
        h->nodes.self_size = v[NODE_SELF_SIZE] < 0 ? INT64_MIN : INT64_MAX;
        h->nodes.self_size_overflow = true;
    }
    if (ts_ckd_add(&h->nodes.edge_count_sum, h->nodes.edge_count_sum, (uint64_t)edges)) {
        h->nodes.edge_count_sum = UINT64_MAX;
    }
    if ((nulls & 1U << NODE_NAME) == 0 && v[NODE_NAME] >= h->damage.next_name) {
        heap_first_use(h, PART_NODES, v[NODE_NAME]);
    }
    if ((nulls & 1U << NODE_TYPE) == 0 && h->meta.types[0].names > 0 &&
        (uint64_t)v[NODE_TYPE] >= h->meta.types[0].names) {
        heap_bad_row(h, PART_NODES);
    }
    code = ts_intvec_push(h->ctx, &h->nodes.ids, has_id ? v[NODE_ID] : HEAP_NULL);
    return code != TS_OK ? code : ts_intvec_push(h->ctx, &h->nodes.edge_counts, edges);
}

ts_code heap_put_node(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    ts_row_js_heap_nodes row = {
        .null = heap_null_bits(nulls, TS_C_js_heap_nodes__type),
        .file_id = h->file_id,
        .node_index = (int64_t)h->arrays[PART_NODES].rows,
        .type = v[NODE_TYPE],
        .name = v[NODE_NAME],
        .id = v[NODE_ID],
        .self_size = v[NODE_SELF_SIZE],
        .edge_count = v[NODE_EDGE_COUNT],
        .trace_node_id = v[NODE_TRACE_NODE_ID],
        .detachedness = v[NODE_DETACHEDNESS],
        .native_size = (nulls & 1U << NODE_NATIVE_SIZE) == 0 ? v[NODE_NATIVE_SIZE] : 0,
    };
    ts_code code = remember_node(h, v, nulls);
    TS_STEP(code, heap_classes_add(h, v, nulls, 0));
    TS_STEP(code, ts_put_js_heap_nodes(h->sink, &row));
    return code;
}

/* --- many at once --------------------------------------------------------------------------- */

/* Columns of the fields: they follow each other in the order of the targets. */
enum { FIRST_FIELD = TS_C_js_heap_nodes__type };

typedef struct node_columns {
    uint32_t values[TS_N_js_heap_nodes][NODES_AT_ONCE];
} node_columns;

static inline bool are_small(const int64_t *v, unsigned fields)
{
    int64_t all = 0;
    for (unsigned i = 0; i < fields; i++) {
        all |= v[i];
    }
    return (uint64_t)all <= INT32_MAX;
}

/* Unrolled for both numbers of fields. */
static inline __attribute__((always_inline)) ts_code put_usual_nodes(size_t *taken, ts_heap *h,
                                                                     const int64_t *v,
                                                                     const uint64_t *hashes,
                                                                     size_t n, unsigned fields)
{
    heap_array *a = &h->arrays[PART_NODES];
    const uint32_t *columns[TS_N_js_heap_nodes];
    node_columns c;
    ts_code code = TS_OK;
    bool usual = (uint64_t)h->file_id <= INT32_MAX && a->rows + NODES_AT_ONCE <= INT32_MAX;
    n = n < NODES_AT_ONCE ? n : NODES_AT_ONCE;
    *taken = 0;
    for (; *taken < n && usual && are_small(v, fields) && code == TS_OK; ++*taken, v += fields) {
        c.values[TS_C_js_heap_nodes__file_id][*taken] = (uint32_t)h->file_id;
        c.values[TS_C_js_heap_nodes__node_index][*taken] = (uint32_t)a->rows;
        for (unsigned i = 0; i < fields; i++) {
            c.values[FIRST_FIELD + i][*taken] = (uint32_t)v[i];
        }
        code = remember_node(h, v, a->fields.missing);
        TS_STEP(code, heap_classes_add(h, v, 0, hashes[*taken]));
        a->rows++;
    }
    for (unsigned i = 0; i < TS_N_js_heap_nodes; i++) {
        columns[i] = c.values[i]; /* cppcheck-suppress uninitvar ; only the place is taken */
    }
    if (fields == V8_NODE_FIELDS) {
        columns[TS_C_js_heap_nodes__native_size] = NULL;
    }
    TS_STEP_IF(code, *taken > 0,
               ts_sink_put_columns(h->sink, TS_T_js_heap_nodes, columns, (unsigned)*taken));
    return code;
}

ts_code heap_put_usual_nodes(size_t *taken, ts_heap *h, const int64_t *v, const uint64_t *hashes,
                             size_t n)
{
    return h->arrays[PART_NODES].fields.stride == V8_NODE_FIELDS
               ? put_usual_nodes(taken, h, v, hashes, n, V8_NODE_FIELDS)
               : put_usual_nodes(taken, h, v, hashes, n, NODE_NATIVE_SIZE + 1);
}

/* --- are ids different? ----------------------------------------------------------------------- */

/*
 * Are the ids of the nodes, or of functions, different? Not 0, which ArkTS gives to each of its
 * further roots and V8 to what is no function of a script. Without a hash table of all of them: ids
 * of a V8 heap lie close together, so that a bitmap over their range takes at most 4 bytes a node.
 * Where some are far away, as those of native objects are, it covers less, and those above it are
 * sorted in bounded memory.
 */
enum { BITS_PER_NODE = 32, BITS_BELOW_FAR = 8, FAR_MEMORY = 4 << 20 };

static bool id_range(int64_t *min, uint64_t *range, const ts_intvec *ids)
{
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    for (uint64_t i = 0; i < ids->n; i++) {
        int64_t id = ts_intvec_get(ids, i);
        if (id != HEAP_NULL && id != 0) {
            low = id < low ? id : low;
            high = id > high ? id : high;
        }
    }
    *min = low;
    *range = low > high ? 0 : (uint64_t)high - (uint64_t)low;
    return low <= high;
}

/* Ids that are less than `range` above the least; *above: how many others there are. */
static ts_code count_dense(uint64_t *out, uint64_t *above, ts_heap *h, const ts_intvec *ids,
                           int64_t min, uint64_t range)
{
    uint64_t *bits = ts_zalloc(h->ctx, (size_t)(range / 64 + 1), sizeof *bits);
    TS_NEED(h->ctx, bits);
    for (uint64_t i = 0; i < ids->n; i++) {
        int64_t id = ts_intvec_get(ids, i);
        uint64_t at = (uint64_t)id - (uint64_t)min;
        if (id == HEAP_NULL || id == 0) {
            continue;
        }
        if (at >= range) {
            ++*above;
            continue;
        }
        *out += bits[at / 64] >> (at % 64) & 1;
        bits[at / 64] |= UINT64_C(1) << (at % 64);
    }
    ts_free(h->ctx, bits);
    return TS_OK;
}

/* The same of those at least `range` above the least. */
static ts_code count_far(uint64_t *out, ts_heap *h, const ts_intvec *ids, int64_t min,
                         uint64_t range)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    ts_sorter *sorter = NULL;
    const void *record = NULL;
    bool any = false;
    uint64_t last = 0;
    ts_code code = ts_sorter_open(&sorter, h->ctx, sizeof last, &order, FAR_MEMORY);
    for (uint64_t i = 0; i < ids->n && code == TS_OK; i++) {
        const int64_t id = ts_intvec_get(ids, i);
        const uint64_t at = (uint64_t)id - (uint64_t)min;
        TS_STEP_IF(code, id != HEAP_NULL && id != 0 && at >= range, ts_sorter_add(sorter, &at));
    }
    TS_STEP(code, ts_sorter_finish(sorter));
    while (code == TS_OK && (code = ts_sorter_next(&record, sorter)) == TS_OK && record != NULL) {
        const uint64_t at = *(const uint64_t *)record;
        *out += any && at == last ? 1 : 0;
        any = true;
        last = at;
    }
    ts_sorter_close(sorter);
    return code;
}

ts_code heap_count_duplicate_ids(uint64_t *out, ts_heap *h, const ts_intvec *ids)
{
    uint64_t above = 0;
    uint64_t range;
    int64_t min;
    ts_code code;
    *out = 0;
    if (!id_range(&min, &range, ids)) {
        return TS_OK;
    }
    range = range / BITS_PER_NODE <= ids->n ? range + 1 : ids->n * BITS_BELOW_FAR;
    code = count_dense(out, &above, h, ids, min, range);
    TS_STEP_IF(code, above > 0, count_far(out, h, ids, min, range));
    return code;
}

/*
 * Whole rows of nodes and edges at once, straight from the integers that the JSON reader found. The
 * look-up of an edge's target is a jump to anywhere in the ids: they are fetched ahead.
 */
#include "parsers/arkts/heap_state.h"

__extension__ typedef unsigned __int128 wide;

/* The fields stand in V8's order and every column has one. */
static bool is_usual(const heap_fields *fields, enum heap_part part)
{
    if (fields->stride != heap_targets(part) || fields->missing != 0) {
        return false;
    }
    for (uint32_t i = 0; i < fields->stride; i++) {
        if (fields->target[i] != (int8_t)i) {
            return false;
        }
    }
    return true;
}

/* An integer that stands for "none" takes the general way. */
static bool has_null(const int64_t *v, uint32_t n)
{
    bool found = false;
    for (uint32_t i = 0; i < n; i++) {
        found |= v[i] == HEAP_NULL;
    }
    return found;
}

static ts_code put_nodes(ts_heap *h, const int64_t *v, size_t rows, size_t *done)
{
    uint64_t hashes[NODES_AT_ONCE];
    ts_code code = TS_OK;
    for (*done = 0; *done < rows && code == TS_OK;) {
        size_t n = rows - *done < NODES_AT_ONCE ? rows - *done : NODES_AT_ONCE;
        size_t taken;
        heap_classes_fetch(hashes, h, v, n);
        for (size_t i = 0; i < n && code == TS_OK; i += taken, *done += taken) {
            code = heap_put_usual_nodes(&taken, h, v, hashes + i, n - i);
            v += taken * NODE_FIELDS;
            if (taken == 0 && code == TS_OK) {
                if (has_null(v, NODE_FIELDS)) {
                    return TS_OK;
                }
                code = heap_put_node(h, v, 0);
                h->arrays[PART_NODES].rows++;
                v += NODE_FIELDS;
                taken = 1;
            }
        }
    }
    return code;
}

/* heap_edge_target of each. A product takes less time than a division: of numbers below 2^32 it is
 * the same, and what is no multiple of the stride is found out. */
static void find_targets(uint64_t *target, const ts_heap *h, const int64_t *v, size_t n)
{
    const uint64_t stride = h->arrays[PART_NODES].fields.stride;
    const uint64_t inverse = stride == 0 ? 0 : UINT64_MAX / stride + 1;
    for (size_t i = 0; i < n; i++) {
        const uint64_t to = (uint64_t)v[i * EDGE_FIELDS + EDGE_TO];
        const uint64_t index = (uint64_t)((wide)to * inverse >> 64);
        const bool usual = to <= UINT32_MAX && stride > 1 && index * stride == to;
        target[i] = usual && index < h->edges.target_stop ? index : HEAP_NO_TARGET;
        if (!usual) {
            target[i] = heap_edge_target(h, (int64_t)to);
        }
        if (target[i] != HEAP_NO_TARGET) {
            ts_intvec_prefetch(&h->nodes.ids, target[i]);
        }
    }
}

static ts_code put_edges(ts_heap *h, const int64_t *v, size_t rows, size_t *done)
{
    uint64_t target[EDGES_AT_ONCE];
    ts_code code = TS_OK;
    for (*done = 0; *done < rows && code == TS_OK;) {
        size_t n = rows - *done < EDGES_AT_ONCE ? rows - *done : EDGES_AT_ONCE;
        size_t taken;
        find_targets(target, h, v, n);
        for (size_t i = 0; i < n && code == TS_OK; i += taken, *done += taken) {
            code = heap_put_usual_edges(&taken, h, v, target + i, n - i);
            v += taken * EDGE_FIELDS;
            if (taken == 0 && code == TS_OK) {
                if (has_null(v, EDGE_FIELDS)) {
                    return TS_OK;
                }
                code = heap_put_edge(h, v, 0, target[i]);
                h->arrays[PART_EDGES].rows++;
                v += EDGE_FIELDS;
                taken = 1;
            }
        }
    }
    return code;
}

ts_code heap_batch(ts_heap *h, enum heap_part part, const int64_t *v, size_t n, size_t *used)
{
    const heap_fields *fields = &h->arrays[part].fields;
    size_t done = 0;
    ts_code code = TS_OK;
    if (is_usual(fields, part)) {
        size_t rows = n / fields->stride;
        code = part == PART_EDGES ? put_edges(h, v, rows, &done) : put_nodes(h, v, rows, &done);
    }
    *used = done * fields->stride;
    return code;
}

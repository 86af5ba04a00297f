/*
 * Whole rows of nodes and edges at once, straight from the integers that the JSON reader found. The
 * look-up of an edge's target is a jump to anywhere in the ids: they are fetched ahead.
 */
#include "parsers/arkts/heap_state.h"

enum {
    EDGE_FIELDS = 3,
    AHEAD =
        256 /* edges whose targets are fetched together: their cache lines fit the first level */
};

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

static ts_code put_nodes(ts_heap *h, const int64_t *v, size_t rows, uint32_t stride, size_t *done)
{
    ts_code code = TS_OK;
    for (*done = 0; *done < rows && code == TS_OK && !has_null(v, stride); ++*done, v += stride) {
        code = heap_put_node(h, v, 0);
        h->arrays[PART_NODES].rows++;
    }
    return code;
}

static ts_code put_edges(ts_heap *h, const int64_t *v, size_t rows, size_t *done)
{
    uint64_t target[AHEAD];
    ts_code code = TS_OK;
    for (*done = 0; *done < rows && code == TS_OK;) {
        size_t n = rows - *done < AHEAD ? rows - *done : AHEAD;
        for (size_t i = 0; i < n; i++) {
            target[i] = heap_edge_target(h, v[i * EDGE_FIELDS + EDGE_TO]);
            if (target[i] != HEAP_NO_TARGET) {
                ts_intvec_prefetch(&h->nodes.ids, target[i]);
            }
        }
        for (size_t i = 0; i < n && code == TS_OK; i++, v += EDGE_FIELDS, ++*done) {
            if (has_null(v, EDGE_FIELDS)) {
                return TS_OK;
            }
            code = heap_put_edge(h, v, 0, target[i]);
            h->arrays[PART_EDGES].rows++;
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
        code = part == PART_EDGES ? put_edges(h, v, rows, &done)
                                  : put_nodes(h, v, rows, fields->stride, &done);
    }
    *used = done * fields->stride;
    return code;
}

/*
 * Whole rows of nodes and edges at once, straight from the integers that the JSON reader found. The
 * look-up of an edge's target is a jump to anywhere in the ids: they are fetched ahead.
 */
#include "parsers/arkts/heap_impl.h"

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

static void fetch_targets(const ts_heap *h, const int64_t *v, size_t rows)
{
    uint32_t stride = h->arrays[PART_NODES].fields.stride;
    if (stride == 0) {
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        uint64_t index = (uint64_t)v[i * 3 + EDGE_TO] / stride;
        if (index < h->ids.n) {
            ts_intvec_prefetch(&h->ids, index);
        }
    }
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

ts_code heap_batch(ts_heap *h, enum heap_part part, const int64_t *v, size_t n, size_t *used)
{
    heap_array *a = &h->arrays[part];
    uint32_t stride = a->fields.stride;
    size_t rows = n / stride;
    ts_code code = TS_OK;
    *used = 0;
    if (!is_usual(&a->fields, part)) {
        return TS_OK;
    }
    if (part == PART_EDGES) {
        fetch_targets(h, v, rows);
    }
    for (size_t i = 0; i < rows && code == TS_OK; i++, v += stride) {
        if (has_null(v, stride)) {
            break;
        }
        code = heap_put_row(h, part, v, 0);
        a->rows++;
        *used += stride;
    }
    return code;
}

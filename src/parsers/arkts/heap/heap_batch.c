/* Whole rows of nodes and edges at once, straight from the integers that the JSON reader found. */
#include "parsers/arkts/heap/heap_state.h"

/* The fields are in V8's order and every column has one, but for native_size. */
static bool is_usual(const heap_fields *fields, enum heap_part part)
{
    uint32_t most = heap_targets(part);
    uint32_t least = part == PART_NODES ? V8_NODE_FIELDS : most;
    if (fields->stride < least || fields->stride > most) {
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
    const heap_fields *fields = &h->arrays[PART_NODES].fields;
    uint64_t hashes[NODES_AT_ONCE];
    ts_code code = TS_OK;
    for (*done = 0; *done < rows && code == TS_OK;) {
        size_t n = rows - *done < NODES_AT_ONCE ? rows - *done : NODES_AT_ONCE;
        size_t taken;
        heap_classes_fetch(hashes, h, v, n);
        for (size_t i = 0; i < n && code == TS_OK; i += taken, *done += taken) {
            code = heap_put_usual_nodes(&taken, h, v, hashes + i, n - i);
            v += taken * fields->stride;
            if (taken == 0 && code == TS_OK) {
                if (has_null(v, fields->stride)) {
                    return TS_OK;
                }
                code = heap_put_node(h, v, fields->missing);
                h->arrays[PART_NODES].rows++;
                v += fields->stride;
                taken = 1;
            }
        }
    }
    return code;
}

static ts_code put_edges(ts_heap *h, const int64_t *v, size_t rows, size_t *done)
{
    size_t put = 1;
    ts_code code = TS_OK;
    for (*done = 0; *done < rows && put > 0 && code == TS_OK; *done += put) {
        code = heap_put_edges(&put, h, v + *done * EDGE_FIELDS, rows - *done);
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

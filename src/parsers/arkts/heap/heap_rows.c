/* Rows of the small arrays: locations, samples, trace_function_infos. */
#include "parsers/arkts/heap/heap_state.h"

#include "base/alloc.h"

/* A node has one place: a location that is there twice is damage. One bit a node. */
static ts_code note_location(ts_heap *h, uint64_t index)
{
    uint64_t bit = UINT64_C(1) << index % 64;
    if (index >= h->arrays[PART_NODES].rows) {
        return TS_OK;
    }
    if (h->rows.located == NULL) {
        TS_NEED(h->ctx,
                h->rows.located = ts_zalloc(h->ctx, (size_t)(h->arrays[PART_NODES].rows / 64 + 1),
                                            sizeof *h->rows.located));
    }
    if ((h->rows.located[index / 64] & bit) != 0) {
        heap_bad_row(h, PART_LOCATIONS);
    }
    h->rows.located[index / 64] |= bit;
    return TS_OK;
}

static ts_code put_location(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    ts_row_js_heap_location row = {
        .null = heap_null_bits(nulls, TS_C_js_heap_location__object_index),
        .file_id = h->file_id,
        .object_index = v[0],
        .script_id = v[1],
        .line = v[2],
        .column = v[3],
    };
    uint64_t stride = h->arrays[PART_NODES].fields.stride;
    if ((nulls & 1U) == 0 && stride > 0 &&
        (v[0] < 0 || (uint64_t)v[0] % stride != 0 || !heap_is_place(h, (uint64_t)v[0] / stride))) {
        heap_bad_row(h, PART_LOCATIONS);
    }
    if (h->nodes.complete && (nulls & 1U) == 0 && stride > 0 && v[0] >= 0) {
        ts_code code;
        TS_TRY(code, note_location(h, (uint64_t)v[0] / stride));
    }
    return ts_put_js_heap_location(h->sink, &row);
}

static ts_code put_allocation_sample(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    ts_row_js_heap_sample row = {
        .null = heap_null_bits(nulls, TS_C_js_heap_sample__timestamp_us),
        .file_id = h->file_id,
        .timestamp_us = v[0],
        .last_assigned_id = v[1],
    };
    if ((nulls & 3U) == 0) { /* both only grow */
        bool first = h->arrays[PART_SAMPLES].rows == 0;
        h->rows.samples_disordered =
            h->rows.samples_disordered || v[0] < 0 ||
            (!first && (v[0] < h->rows.last_sample_us || v[1] < h->rows.last_sample_id));
        h->rows.last_sample_id = v[1];
    }
    if ((nulls & 1U) == 0 && v[0] > h->rows.last_sample_us) {
        h->rows.last_sample_us = v[0];
    }
    return ts_put_js_heap_sample(h->sink, &row);
}

static ts_code put_function(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    ts_row_js_heap_trace_function_info row = {
        .null = heap_null_bits(nulls, TS_C_js_heap_trace_function_info__function_id),
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
            heap_note_index(&h->rows.function_name_max, v[i]);
        }
    }
    if (ts_intvec_push(h->ctx, &h->rows.function_ids, (nulls & 1U) == 0 ? v[0] : HEAP_NULL) !=
        TS_OK) {
        return h->ctx->error.code;
    }
    return ts_put_js_heap_trace_function_info(h->sink, &row);
}

static ts_code put_edge(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    bool has_target = (nulls & 1U << EDGE_TO) == 0;
    return heap_put_edge(h, v, nulls,
                         has_target ? heap_edge_target(h, v[EDGE_TO]) : HEAP_NO_TARGET);
}

void heap_rows_begin(heap_rows *rows)
{
    *rows = (heap_rows){.function_name_max = -1};
}

void heap_rows_free(ts_ctx *ctx, heap_rows *rows)
{
    ts_free(ctx, rows->located);
    rows->located = NULL;
    ts_intvec_free(ctx, &rows->function_ids);
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
        return put_allocation_sample(h, row, nulls);
    default:
        return put_function(h, row, nulls);
    }
}

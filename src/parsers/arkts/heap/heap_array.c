/* The flat arrays of a snapshot: from single integers to rows, at once or after spooling. */
#include "parsers/arkts/heap/heap_state.h"

#include "base/alloc.h"

/* In a spool, HEAP_NULL is followed by one of these. */
enum { SPOOL_NULL, SPOOL_BEGIN, SPOOL_END };

static bool ready(const ts_heap *h, enum heap_part part)
{
    return h->meta.complete && (part != PART_EDGES || h->nodes.complete);
}

static heap_fields *fields_of(ts_heap *h, enum heap_part part)
{
    heap_array *a = &h->arrays[part];
    if (a->fields.stride == 0) {
        heap_fields_default(&a->fields, part);
    }
    return &a->fields;
}

/* --- spooling ------------------------------------------------------------------------------ */

static ts_code spool_of(ts_heap *h, enum heap_part part)
{
    heap_array *a = &h->arrays[part];
    ts_code code;
    if (a->spool != NULL) {
        return TS_OK;
    }
    h->trust[part].spooled = true;
    code = ts_spool_new(&a->spool, h->ctx);
    return code != TS_OK ? code
                         : ts_issue(h->store, h->source_id, TS_ISSUE_heap_not_canonical, h->label,
                                    h->offset, "an array came before what it refers to");
}

static ts_code spool_ints(ts_heap *h, enum heap_part part, const int64_t *v, size_t n)
{
    heap_array *a = &h->arrays[part];
    ts_code code = spool_of(h, part);
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        code = ts_spool_put_int(a->spool, v[i]);
        TS_STEP_IF(code, v[i] == HEAP_NULL, ts_spool_put_int(a->spool, SPOOL_NULL));
    }
    a->spooled += n;
    return code;
}

static ts_code spool_bracket(ts_heap *h, int which)
{
    ts_spool *spool;
    ts_code code;
    TS_TRY_INTO(code, spool_of(h, PART_TREE));
    spool = h->arrays[PART_TREE].spool;
    code = ts_spool_put_int(spool, HEAP_NULL);
    return code != TS_OK ? code : ts_spool_put_int(spool, which);
}

/* --- rows of the small arrays ----------------------------------------------------------------- */

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
        TS_TRY(note_location(h, (uint64_t)v[0] / stride));
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

/* A complete row of any array but trace_tree; nulls: a bit per target without a value. */
static ts_code put_row(ts_heap *h, enum heap_part part, const int64_t *row, uint32_t nulls)
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

/* --- whole rows of nodes and edges at once ---------------------------------------------------- */

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

/* Takes whole rows of nodes or edges from v[0..n) while they are as V8 usually writes them; *used
 * is how many integers. The rest is for the general way, which gives the same rows. */
static ts_code take_batch(ts_heap *h, enum heap_part part, const int64_t *v, size_t n, size_t *used)
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

/* --- integers to rows ------------------------------------------------------------------------- */

/* One integer of a row. */
static ts_code take_int(ts_heap *h, enum heap_part part, int64_t v)
{
    heap_array *a = &h->arrays[part];
    int target = a->at < MAX_FIELDS ? a->fields.target[a->at] : -1;
    ts_code code = TS_OK;
    if (target >= 0) {
        a->row[target] = v;
        if (v == HEAP_NULL) {
            a->nulls |= 1U << target;
            a->bad++;
        }
    }
    if (++a->at == a->fields.stride) {
        code = put_row(h, part, a->row, a->nulls | a->fields.missing);
        a->at = 0;
        a->nulls = 0;
        a->rows += code == TS_OK ? 1 : 0;
    }
    return code;
}

/* Batches begin anywhere in a row: single integers lead to its end, then whole rows follow. */
static ts_code take_ints(ts_heap *h, enum heap_part part, const int64_t *v, size_t n)
{
    heap_array *a = &h->arrays[part];
    uint32_t stride = fields_of(h, part)->stride;
    bool batch = part <= PART_EDGES;
    ts_code code = TS_OK;
    for (size_t i = 0; i < n && code == TS_OK;) {
        if (batch && a->at == 0 && n - i >= stride) {
            size_t done;
            code = take_batch(h, part, v + i, n - i, &done);
            i += done;
            batch = done > 0; /* what stopped it is left to the general way */
        } else {
            code = take_int(h, part, v[i++]);
        }
    }
    return code;
}

static ts_code take_tree(ts_heap *h, const int64_t *v, size_t n)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        code = heap_tree_value(h, v[i]);
    }
    return code;
}

ts_code heap_array_ints(ts_heap *h, enum heap_part part, const int64_t *v, size_t n)
{
    if (!ready(h, part)) {
        return spool_ints(h, part, v, n);
    }
    return part == PART_TREE ? take_tree(h, v, n) : take_ints(h, part, v, n);
}

ts_code heap_array_odd(ts_heap *h, enum heap_part part)
{
    static const int64_t null = HEAP_NULL;
    return heap_array_ints(h, part, &null, 1);
}

ts_code heap_array_nested(ts_heap *h, bool begin)
{
    if (!ready(h, PART_TREE)) {
        return spool_bracket(h, begin ? SPOOL_BEGIN : SPOOL_END);
    }
    return begin ? heap_tree_begin(h) : heap_tree_end(h);
}

/* --- beginning and end --------------------------------------------------------------------- */

static ts_code replay_spool(ts_heap *h, enum heap_part part)
{
    heap_array *a = &h->arrays[part];
    ts_spool_cursor cursor;
    ts_code code = TS_OK;
    bool end = false;
    int64_t v;
    if (a->spool == NULL) {
        return TS_OK;
    }
    ts_spool_rewind(&cursor, a->spool);
    while ((code = ts_spool_next_int(&v, &end, &cursor)) == TS_OK && !end) {
        int64_t what = SPOOL_NULL;
        if (v == HEAP_NULL && ((code = ts_spool_next_int(&what, &end, &cursor)) != TS_OK || end)) {
            break;
        }
        code = what == SPOOL_BEGIN ? heap_tree_begin(h)
               : what == SPOOL_END ? heap_tree_end(h)
                                   : heap_array_ints(h, part, &v, 1);
        if (code != TS_OK) {
            break;
        }
    }
    ts_spool_free(a->spool);
    a->spool = NULL;
    return code;
}

/* The nodes are complete: edges can be resolved. Those that came before know their number now. */
static ts_code nodes_complete(ts_heap *h)
{
    heap_array *edges = &h->arrays[PART_EDGES];
    ts_code code = heap_edges_copy_ids(h);
    h->nodes.complete = true;
    TS_STEP(code, heap_judge_nodes(h));
    if (edges->spool == NULL || code != TS_OK) {
        return code;
    }
    if (h->arrays[PART_NODES].state == PART_CLOSED && edges->state == PART_CLOSED &&
        edges->spooled / fields_of(h, PART_EDGES)->stride != h->nodes.edge_count_sum) {
        h->edges.owners_unknown = true;
    }
    return replay_spool(h, PART_EDGES);
}

ts_code heap_array_close(ts_heap *h, enum heap_part part)
{
    heap_array *a = &h->arrays[part];
    a->state = PART_CLOSED;
    if (part == PART_NODES && h->meta.complete) {
        return nodes_complete(h);
    }
    return TS_OK;
}

ts_code heap_array_resume(ts_heap *h)
{
    static const enum heap_part order[] = {PART_NODES, PART_LOCATIONS, PART_SAMPLES, PART_FUNCTIONS,
                                           PART_TREE};
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof order / sizeof order[0] && code == TS_OK; i++) {
        code = replay_spool(h, order[i]);
    }
    TS_STEP_IF(code, h->arrays[PART_NODES].state == PART_CLOSED, nodes_complete(h));
    return code;
}

/* A row of which only a part came, at the end of its array or of the text. */
static ts_code drop_partial(ts_heap *h, enum heap_part part)
{
    heap_array *a = &h->arrays[part];
    if (a->at == 0) {
        return TS_OK;
    }
    a->partial++;
    return ts_issue(h->store, h->source_id, TS_ISSUE_heap_partial_row, h->label, h->offset,
                    "%s: the last row has %u of %u numbers", heap_part_name(part), (unsigned)a->at,
                    (unsigned)a->fields.stride);
}

ts_code heap_array_finish(ts_heap *h)
{
    bool waiting = false;
    ts_code code = TS_OK;
    for (int i = 0; i < PART_INTS; i++) {
        waiting = waiting || h->arrays[i].spool != NULL;
    }
    if (waiting && !h->meta.complete) {
        h->meta.complete = true;
        code = heap_array_resume(h);
    }
    TS_STEP_IF(code, !h->nodes.complete, nodes_complete(h));
    TS_STEP(code, heap_put_edge_block(h));
    for (int i = 0; i < PART_INTS && code == TS_OK; i++) {
        code = drop_partial(h, (enum heap_part)i);
    }
    return code;
}

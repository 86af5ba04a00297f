/* The flat arrays of a snapshot: from single integers to rows, at once or after spooling. */
#include "parsers/arkts/heap/heap_state.h"

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
    TS_TRY(code, spool_of(h, PART_TREE));
    spool = h->arrays[PART_TREE].spool;
    code = ts_spool_put_int(spool, HEAP_NULL);
    return code != TS_OK ? code : ts_spool_put_int(spool, which);
}

/* --- rows ---------------------------------------------------------------------------------- */

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
        code = heap_put_row(h, part, a->row, a->nulls | a->fields.missing);
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
            code = heap_batch(h, part, v + i, n - i, &done);
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

ts_code heap_array_open(ts_heap *h, enum heap_part part)
{
    h->arrays[part].state = PART_OPEN;
    return TS_OK;
}

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

void heap_array_reset(ts_heap *h)
{
    for (int i = 0; i < PART_INTS; i++) {
        ts_spool_free(h->arrays[i].spool);
    }
    memset(h->arrays, 0, sizeof h->arrays);
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

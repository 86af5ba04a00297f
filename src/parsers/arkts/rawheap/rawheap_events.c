/*
 * A dump as the events of the JSON that the translator of the runtime makes of it: what the numbers
 * of nodes and edges mean, nodes, edges, strings.
 */
#include "parsers/arkts/rawheap/rawheap.h"

#include "tables/formats/arkts/arkts_constants.h"

enum { NODE_FIELDS = 8, EDGE_FIELDS = 3, AT_ONCE = 256, NUMBER = 7 };

typedef struct events {
    rawheap *r;
    const ts_json_handler *to;
    ts_heap *heap;
    int64_t batch[AT_ONCE * NODE_FIELDS];
    size_t n; /* in the batch */
} events;

static ts_code put_text(events *e, const char *p, size_t n)
{
    return e->to->string(e->heap, p, n, TS_JSON_FIRST | TS_JSON_LAST);
}

static ts_code put_key(events *e, const char *key)
{
    return e->to->key(e->heap, key, strlen(key));
}

static ts_code begin_list(events *e)
{
    int want = TS_JSON_PLAIN;
    return e->to->array_begin(e->heap, &want);
}

static ts_code put_number(events *e, const char *key, uint64_t n)
{
    const ts_json_number number = {.is_int = true, .i = (int64_t)n, .d = (double)n};
    TS_TRY(put_key(e, key));
    return e->to->number(e->heap, &number);
}

/* Elements of a list, of which a nested one comes first when it is given. */
static ts_code put_names(events *e, const char *const *nested, size_t nested_n,
                         const char *const *names, size_t n)
{
    TS_TRY(begin_list(e));
    if (nested != NULL) {
        TS_TRY(put_names(e, NULL, 0, nested, nested_n));
    }
    for (size_t i = 0; i < n; i++) {
        TS_TRY(put_text(e, names[i], strlen(names[i])));
    }
    return e->to->array_end(e->heap);
}

static ts_code put_description(events *e, uint64_t nodes)
{
    static const char *const node_fields[NODE_FIELDS] = {
        "type",       "name",          "id",           "self_size",
        "edge_count", "trace_node_id", "detachedness", "native_size"};
    static const char *const node_types[RAWHEAP_NODE_TYPES] = {TS_HEAP_EDGE_HIDDEN,
                                                               "array",
                                                               "string",
                                                               TS_HEAP_NODE_OBJECT,
                                                               "code",
                                                               "closure",
                                                               "regexp",
                                                               "number",
                                                               TS_HEAP_NODE_NATIVE,
                                                               "synthetic",
                                                               "concatenated string",
                                                               "slicedstring",
                                                               "symbol",
                                                               "bigint",
                                                               "framework",
                                                               "handle",
                                                               "class"};
    static const char *const other_types[] = {"string", "number", "number", "number",
                                              "number", "number", "number"};
    static const char *const edge_fields[EDGE_FIELDS] = {"type", "name_or_index", "to_node"};
    static const char *const edge_types[RAWHEAP_EDGE_TYPES] = {
        "context",           TS_HEAP_EDGE_ELEMENT, "property", "internal",
        TS_HEAP_EDGE_HIDDEN, "shortcut",           "weak",     "xref"};
    static const char *const edge_others[] = {"string_or_number", "node"};
    TS_TRY(put_key(e, "snapshot"));
    TS_TRY(e->to->object_begin(e->heap));
    TS_TRY(put_key(e, "meta"));
    TS_TRY(e->to->object_begin(e->heap));
    TS_TRY(put_key(e, "node_fields"));
    TS_TRY(put_names(e, NULL, 0, node_fields, NODE_FIELDS));
    TS_TRY(put_key(e, "node_types"));
    TS_TRY(put_names(e, node_types, RAWHEAP_NODE_TYPES, other_types,
                     sizeof other_types / sizeof other_types[0]));
    TS_TRY(put_key(e, "edge_fields"));
    TS_TRY(put_names(e, NULL, 0, edge_fields, EDGE_FIELDS));
    TS_TRY(put_key(e, "edge_types"));
    TS_TRY(put_names(e, edge_types, RAWHEAP_EDGE_TYPES, edge_others,
                     sizeof edge_others / sizeof edge_others[0]));
    TS_TRY(e->to->object_end(e->heap));
    TS_TRY(put_number(e, "node_count", nodes));
    TS_TRY(put_number(e, "edge_count", e->r->edge_count));
    TS_TRY(put_number(e, "trace_function_count", 0));
    return e->to->object_end(e->heap);
}

static ts_code flush(events *e)
{
    const size_t n = e->n;
    e->n = 0;
    return n == 0 ? TS_OK : e->to->ints(e->heap, e->batch, n);
}

static ts_code put_row(events *e, const int64_t *row, size_t n)
{
    memcpy(e->batch + e->n, row, n * sizeof *row);
    e->n += n;
    return e->n + n <= (size_t)AT_ONCE * NODE_FIELDS ? TS_OK : flush(e);
}

/* Nodes that are a value and nothing else. */
static ts_code put_values(events *e)
{
    const uint32_t *all = e->r->values.p;
    for (size_t i = 0; i < e->r->values.n; i++) {
        const int64_t row[NODE_FIELDS] = {NUMBER, all[i]};
        TS_TRY(put_row(e, row, NODE_FIELDS));
    }
    return TS_OK;
}

static ts_code put_late(events *e)
{
    const uint32_t *all = e->r->late.p;
    for (size_t i = 0; i < e->r->late.n; i++) {
        const int64_t size = e->r->metadata != RAWHEAP_NONE && i < 3; /* texts of the metadata */
        const int64_t row[NODE_FIELDS] = {NUMBER, all[i], 0, size};
        TS_TRY(put_row(e, row, NODE_FIELDS));
    }
    return TS_OK;
}

static ts_code put_nodes(events *e)
{
    rawheap *r = e->r;
    TS_TRY(put_key(e, "nodes"));
    TS_TRY(begin_list(e));
    for (uint32_t i = 0; i < r->nodes.n; i++) {
        const rawheap_node *n = rawheap_nodes(r) + i;
        uint32_t native;
        TS_TRY(rawheap_native_size(&native, r, i));
        const int64_t row[NODE_FIELDS] = {
            n->type, n->name, n->id, n->size, ts_intvec_get(&r->edge_counts, i), 0, 0, native};
        TS_TRY(put_row(e, row, NODE_FIELDS));
    }
    TS_TRY(put_values(e));
    TS_TRY(put_late(e));
    TS_TRY(flush(e));
    return e->to->array_end(e->heap);
}

static ts_code put_edges(events *e)
{
    rawheap *r = e->r;
    const uint64_t late = r->nodes.n + r->values.n;
    rawheap_edge *all = r->open_edges;
    size_t got = sizeof r->open_edges;
    TS_TRY(put_key(e, "edges"));
    TS_TRY(begin_list(e));
    for (uint64_t at = 0; got == sizeof r->open_edges; at += got) {
        TS_TRY(ts_check_cancel(r->ctx));
        TS_TRY(ts_spool_read(&got, r->edges, at, all, sizeof r->open_edges));
        for (size_t i = 0; i < got / sizeof *all; i++) {
            const uint64_t to =
                (all[i].to & RAWHEAP_LATE) != 0 ? late + (all[i].to & ~RAWHEAP_LATE) : all[i].to;
            const int64_t row[EDGE_FIELDS] = {all[i].type, all[i].name, (int64_t)to * NODE_FIELDS};
            TS_TRY(put_row(e, row, EDGE_FIELDS));
        }
    }
    TS_TRY(flush(e));
    return e->to->array_end(e->heap);
}

static ts_code put_string(events *e, uint32_t number)
{
    static const char *const first[RAWHEAP_FIRST_TEXT] = {"<dummy>", "", "GC roots"};
    rawheap *r = e->r;
    const rawheap_text *place;
    ts_text text;
    const uint8_t *p;
    size_t n;
    if (number < RAWHEAP_FIRST_TEXT) {
        return put_text(e, first[number], strlen(first[number]));
    }
    place = (const rawheap_text *)r->text_places.p + (number - RAWHEAP_FIRST_TEXT);
    text = ts_pool_text(&r->texts, number - RAWHEAP_FIRST_TEXT);
    if (place->size == 0) {
        return put_text(e, text.p, text.n);
    }
    TS_TRY(ts_window_get(&p, &n, r->in, place->at, place->size));
    return put_text(e, (const char *)p, n < place->size ? n : place->size);
}

static ts_code put_strings(events *e)
{
    const uint32_t n = rawheap_text_count(e->r);
    TS_TRY(put_key(e, "strings"));
    TS_TRY(begin_list(e));
    for (uint32_t i = 0; i < n; i++) {
        TS_TRY(put_string(e, i));
    }
    return e->to->array_end(e->heap);
}

ts_code rawheap_put_events(rawheap *r, ts_heap *heap)
{
    events e = {.r = r, .to = ts_heap_handler(), .heap = heap};
    const uint64_t nodes = (uint64_t)r->nodes.n + r->values.n + r->late.n;
    ts_heap_take_events(heap);
    TS_TRY(e.to->object_begin(heap));
    TS_TRY(put_description(&e, nodes));
    TS_TRY(put_nodes(&e));
    TS_TRY(put_edges(&e));
    TS_TRY(put_strings(&e));
    return e.to->object_end(heap);
}

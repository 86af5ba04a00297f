/* The `snapshot` member: what the arrays hold, and the counts that the file declares. */
#include "parsers/arkts/heap/heap_state.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_TYPE_BYTES = 1 << 20, MAX_TYPES = 65536, MAX_PROPERTIES = 32 };

static const char *const targets[PART_INTS][MAX_TARGETS] = {
    [PART_NODES] = {"type", "name", "id", "self_size", "edge_count", "trace_node_id",
                    "detachedness", "native_size"},
    [PART_EDGES] = {"type", "name_or_index", "to_node"},
    [PART_LOCATIONS] = {"object_index", "script_id", "line", "column"},
    [PART_SAMPLES] = {"timestamp_us", "last_assigned_id"},
    [PART_FUNCTIONS] = {"function_id", "name", "script_name", "script_id", "line", "column"},
    [PART_TREE] = {"id", "function_info_index", "count", "size", "children"},
};

/*
 * What recorders leave out or add, so that neither is a sign of damage. Old ones have no
 * detachedness; V8 from 13.6 (Node.js 24) on has a trace_node_id only in timelines, and 15.6
 * (Chrome 156) adds a script_object_index to locations. ArkTS alone has native_size.
 */
static bool heap_comes_and_goes(enum heap_part part, const char *field)
{
    return part == PART_NODES &&
           (strcmp(field, "trace_node_id") == 0 || strcmp(field, "detachedness") == 0 ||
            strcmp(field, "native_size") == 0);
}

static bool heap_known_extra(enum heap_part part, ts_text field)
{
    return part == PART_LOCATIONS && ts_text_is(field, "script_object_index");
}

unsigned heap_targets(enum heap_part part)
{
    unsigned n = 0;
    while (n < MAX_TARGETS && targets[part][n] != NULL) {
        n++;
    }
    return n;
}

void heap_fields_default(heap_fields *fields, enum heap_part part)
{
    memset(fields, 0, sizeof *fields);
    memset(fields->target, -1, sizeof fields->target);
    fields->stride = part == PART_NODES ? V8_NODE_FIELDS : heap_targets(part);
    for (unsigned i = 0; i < fields->stride; i++) {
        fields->target[i] = (int8_t)i;
    }
    fields->missing = part == PART_NODES ? 1U << NODE_NATIVE_SIZE : 0;
}

/* --- reading ------------------------------------------------------------------------------- */

/* Depth 3 is inside snapshot.meta: the key says which list comes. */
static void choose_list(heap_meta *meta)
{
    static const struct {
        const char *key;
        enum meta_list list;
        enum heap_part part;
    } lists[] = {
        {"node_fields", LIST_FIELDS, PART_NODES},
        {"edge_fields", LIST_FIELDS, PART_EDGES},
        {"location_fields", LIST_FIELDS, PART_LOCATIONS},
        {"sample_fields", LIST_FIELDS, PART_SAMPLES},
        {"trace_function_info_fields", LIST_FIELDS, PART_FUNCTIONS},
        {"trace_node_fields", LIST_FIELDS, PART_TREE},
        {"node_types", LIST_TYPES, PART_NODES},
        {"edge_types", LIST_TYPES, PART_EDGES},
    };
    meta->list = LIST_NONE;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (strcmp(meta->key, lists[i].key) == 0) {
            meta->list = lists[i].list;
            meta->list_part = lists[i].part;
        }
    }
}

static const char *const counts[3] = {"node_count", "edge_count", "trace_function_count"};

ts_code heap_meta_key(ts_heap *h, const char *p, size_t n)
{
    heap_meta *meta = &h->meta;
    n = n < sizeof meta->key ? n : sizeof meta->key - 1;
    memcpy(meta->key, p, n);
    meta->key[n] = '\0';
    meta->list = LIST_NONE;
    for (int i = 0; i < 3; i++) {
        meta->names_count[i] =
            meta->names_count[i] || (h->depth == 2 && strcmp(meta->key, counts[i]) == 0);
    }
    return TS_OK;
}

static heap_types *types_of(heap_meta *meta)
{
    return &meta->types[meta->list_part == PART_EDGES ? 1 : 0];
}

/* Depths: 2 the snapshot object, 3 meta, 4 a list, 5 a list of type names. */
ts_code heap_meta_begin(ts_heap *h, bool array)
{
    heap_meta *meta = &h->meta;
    if (h->depth == 3 && !array && strcmp(meta->key, "meta") == 0) {
        return TS_OK;
    }
    if (h->depth == 4 && array) {
        choose_list(meta);
        if (meta->list == LIST_FIELDS && !h->arrays[meta->list_part].described) {
            heap_fields *fields = &h->arrays[meta->list_part].fields;
            memset(fields, 0, sizeof *fields);
            memset(fields->target, -1, sizeof fields->target);
            meta->field = 0;
            return TS_OK;
        }
        if (meta->list == LIST_TYPES && types_of(meta)->count == 0) {
            return TS_OK;
        }
    }
    if (h->depth == 5 && array && meta->list == LIST_TYPES) {
        heap_types *types = types_of(meta);
        types->in_list = !types->has_list;
        types->in_other = types->has_list;
        if (types->in_list) {
            types->has_list = true;
            types->names_at = types->count;
        }
        return TS_OK;
    }
    h->skip = 1;
    return TS_OK;
}

static ts_code no_field(ts_heap *h, const char *field)
{
    return ts_issue(h->store, h->source_id, TS_ISSUE_heap_field_missing, h->label, h->offset,
                    "the snapshot has no field %s; its column is NULL", field);
}

/* A list of fields has come to its end: which columns does nothing feed? A name that is not known
 * may be the damaged one of a field that seems to be left out. */
static ts_code close_fields(ts_heap *h)
{
    enum heap_part part = h->meta.list_part;
    heap_array *a = &h->arrays[part];
    bool fed[MAX_TARGETS] = {false};
    ts_code code = TS_OK;
    a->fields.stride = h->meta.field;
    a->described = h->meta.field > 0;
    for (unsigned i = 0; i < MAX_FIELDS; i++) {
        if (a->fields.target[i] >= 0) {
            fed[a->fields.target[i]] = true;
        }
    }
    for (unsigned t = 0; a->described && t < heap_targets(part) && code == TS_OK; t++) {
        if (!fed[t]) {
            a->fields.missing |= 1U << t;
            if (!heap_comes_and_goes(part, targets[part][t]) ||
                (h->meta.unknown[part] && strcmp(targets[part][t], "native_size") != 0)) {
                code = no_field(h, targets[part][t]);
            }
        }
    }
    return code;
}

ts_code heap_meta_end(ts_heap *h)
{
    heap_meta *meta = &h->meta;
    ts_code code = TS_OK;
    if (h->depth == 3) {
        if (meta->list == LIST_FIELDS) {
            code = close_fields(h);
        }
        meta->list = LIST_NONE;
        meta->key[0] = '\0';
    } else if (h->depth == 4) {
        types_of(meta)->in_list = false;
    } else {
        meta->key[0] = '\0';
    }
    return code;
}

static ts_code add_field(ts_heap *h, ts_text name)
{
    heap_meta *meta = &h->meta;
    enum heap_part part = meta->list_part;
    heap_fields *fields = &h->arrays[part].fields;
    uint32_t at = meta->field++;
    char detail[64];
    ts_tally *tally;
    for (unsigned t = 0; at < MAX_FIELDS && t < heap_targets(part); t++) {
        if (ts_text_is(name, targets[part][t])) {
            fields->target[at] = (int8_t)t;
            return TS_OK;
        }
    }
    snprintf(detail, sizeof detail, "%.*s", (int)(name.n < 48 ? name.n : 48), name.p);
    if (meta->extras < HEAP_MAX_EXTRA) {
        TS_TRY(ts_count(&tally, h->store, h->source_id, TS_ITEM_extra_fields, detail));
        meta->extra[meta->extras] = tally;
        meta->extra_part[meta->extras++] = part;
    } else {
        meta->further[part]++;
    }
    if (heap_known_extra(part, name)) {
        return TS_OK;
    }
    meta->unknown[part] = true;
    return ts_issue(h->store, h->source_id, TS_ISSUE_heap_field_extra, h->label, h->offset,
                    "there is no column for the field %s", detail);
}

static ts_code add_type(ts_heap *h, ts_text name)
{
    heap_types *types = types_of(&h->meta);
    char listed = types->in_list ? 1 : 0;
    if (h->depth == 5 && !types->in_list) {
        if (!types->in_other) {
            return TS_OK;
        }
        types->in_other = false;
    }
    if (types->entries.n + name.n > MAX_TYPE_BYTES || types->count >= MAX_TYPES) {
        return ts_issue(h->store, h->source_id, TS_ISSUE_heap_unexpected_type, h->label, h->offset,
                        "the list of types is longer than %d names or %d bytes", MAX_TYPES,
                        MAX_TYPE_BYTES);
    }
    name.n = strnlen(name.p, name.n);
    TS_TRY(ts_buf_putc(h->ctx, &types->entries, listed));
    TS_TRY(ts_buf_put(h->ctx, &types->entries, name.p, name.n));
    TS_TRY(ts_buf_putc(h->ctx, &types->entries, '\0'));
    if (types == &h->meta.types[1] && listed != 0 && types->names < 64 &&
        (ts_text_is(name, TS_HEAP_EDGE_ELEMENT) || ts_text_is(name, TS_HEAP_EDGE_HIDDEN))) {
        h->meta.index_types |= UINT64_C(1) << types->names;
    }
    if (types == &h->meta.types[0] && listed != 0 && types->names < 64 &&
        (ts_text_is(name, TS_HEAP_NODE_OBJECT) || ts_text_is(name, TS_HEAP_NODE_NATIVE))) {
        h->meta.named_types |= UINT64_C(1) << types->names;
    }
    if (types == &h->meta.types[0] && listed != 0 && types->names < 64 &&
        (ts_text_is(name, "synthetic") || ts_text_is(name, "string") ||
         ts_text_is(name, TS_HEAP_NODE_NATIVE))) {
        h->meta.foreign_types |= UINT64_C(1) << types->names;
    }
    types->count++;
    types->names += listed != 0 ? 1U : 0U;
    return TS_OK;
}

ts_code heap_meta_text(ts_heap *h, ts_text text)
{
    if (h->meta.list == LIST_FIELDS && h->depth == 4) {
        return add_field(h, text);
    }
    if (h->meta.list == LIST_TYPES && (h->depth == 4 || h->depth == 5)) {
        return add_type(h, text);
    }
    return TS_OK;
}

ts_code heap_meta_number(ts_heap *h, const ts_json_number *number)
{
    heap_meta *meta = &h->meta;
    if (h->depth != 2) {
        return TS_OK;
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(meta->key, counts[i]) == 0) {
            meta->has_count[i] = number->is_int;
            meta->count[i] = number->is_int ? number->i : 0;
            return TS_OK;
        }
    }
    if (meta->properties >= MAX_PROPERTIES) {
        return TS_OK;
    }
    meta->properties++;
    return ts_source_property(h->store, h->source_id, meta->key, (ts_text){number->p, number->n});
}

/* --- rows of js_heap_info ------------------------------------------------------------------ */

static ts_code put_types(ts_heap *h, const char *key, const heap_types *types)
{
    const char *p = types->entries.p;
    const char *end = p == NULL ? NULL : p + types->entries.n;
    ts_code code = TS_OK;
    while (p < end && code == TS_OK) {
        size_t n = strlen(p + 1);
        ts_row_js_heap_info row = {
            .file_id = h->file_id,
            .key = ts_text_of(key),
            .type = types->has_list         ? 1 - p[0]
                    : p == types->entries.p ? 0
                                            : 1,
            .int_value = -1,
            .str_value = {p + 1, n},
        };
        code = ts_put_js_heap_info(h->sink, &row);
        p += n + 2;
    }
    return code;
}

/* A counter that is not there, or is none. */
static ts_code no_count(ts_heap *h, int i)
{
    bool there = h->meta.names_count[i];
    return ts_issue(h->store, h->source_id,
                    there ? TS_ISSUE_heap_bad_number : TS_ISSUE_heap_field_missing, h->label,
                    h->offset, "snapshot.%s is %s", counts[i],
                    there ? "no integer; it is NULL" : "missing");
}

/* Nodes lack the field, and that was not reported. */
static bool heap_lacks(const ts_heap *h, const char *field)
{
    const heap_array *a = &h->arrays[PART_NODES];
    for (unsigned t = 0; t < heap_targets(PART_NODES) && !h->meta.unknown[PART_NODES]; t++) {
        if (strcmp(targets[PART_NODES][t], field) == 0) {
            return (a->fields.missing >> t & 1U) != 0;
        }
    }
    return false;
}

ts_code heap_meta_write(ts_heap *h)
{
    static const ts_item items[3] = {TS_ITEM_nodes, TS_ITEM_edges, TS_ITEM_trace_functions};
    ts_code code;
    TS_TRY_INTO(code, put_types(h, "node_types", &h->meta.types[0]));
    TS_TRY_INTO(code, put_types(h, "edge_types", &h->meta.types[1]));
    if (h->meta.count[2] > 0 && heap_lacks(h, "trace_node_id")) {
        code = no_field(h, "trace_node_id");
    }
    for (int i = 0; i < 3 && code == TS_OK; i++) {
        ts_row_js_heap_info row = {
            .file_id = h->file_id,
            .key = ts_text_of(counts[i]),
            .type = 0,
            .int_value = h->meta.count[i],
            .str_value = TS_TEXT_LIT(""),
        };
        ts_tally *tally;
        if (!h->meta.has_count[i]) {
            TS_SET_NULL(js_heap_info, &row, int_value);
            TS_TRY_INTO(code, no_count(h, i));
        }
        code = ts_put_js_heap_info(h->sink, &row);
        if (code == TS_OK && h->meta.has_count[i] && h->meta.count[i] >= 0 &&
            (code = ts_count(&tally, h->store, h->source_id, items[i], NULL)) == TS_OK) {
            tally->has_declared = true;
            tally->declared = (uint64_t)h->meta.count[i];
        }
    }
    return code;
}

/* Nodes and locations of a heap file. */
#include "analysis/heap/graph.h"

#include "base/alloc.h"

#include "tables/formats/arkts/arkts_constants.h"

/* --- names of types ------------------------------------------------------------------------- */

typedef struct types_pass {
    void *user;
    void (*type)(void *user, int64_t number, ts_text name);
} types_pass;

static ts_code take_types(void *user, const hg_range *r)
{
    const types_pass *t = user;
    for (unsigned i = 0; i < r->n; i++) {
        t->type(t->user, (int64_t)(r->at + i), ts_cell_text(r->b, 0, i));
    }
    return TS_OK;
}

ts_code hg_read_types(hg *g, int64_t first, int64_t count, void *user,
                      void (*type)(void *user, int64_t number, ts_text name))
{
    static const unsigned columns[] = {TS_C_js_heap_info__str_value};
    types_pass t = {user, type};
    return hg_each(g, TS_T_js_heap_info, columns, 1, first, (uint64_t)count, take_types, &t);
}

static void note_kind(void *user, int64_t number, ts_text name)
{
    static const struct {
        const char *name;
        enum hg_kind kind;
    } kinds[] = {
        {TS_HEAP_EDGE_HIDDEN, HG_KIND_HIDDEN}, /* nodes and edges alike */
        {"array", HG_KIND_ARRAY},
        {"string", HG_KIND_STRING},
        {"concatenated string", HG_KIND_CONCATENATED},
        {"sliced string", HG_KIND_SLICED},
        {TS_HEAP_NODE_OBJECT, HG_KIND_OBJECT},
        {"code", HG_KIND_CODE},
        {"closure", HG_KIND_CLOSURE},
        {"regexp", HG_KIND_REGEXP},
        {TS_HEAP_NODE_NATIVE, HG_KIND_NATIVE},
        {"synthetic", HG_KIND_SYNTHETIC},
        {"number", HG_KIND_NUMBER},
    };
    hg *g = user;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (ts_text_is(name, kinds[i].name)) {
            g->kinds[number] = (uint8_t)kinds[i].kind;
        }
    }
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* What the rules ask of a node, by kind and name. */
static uint32_t flags_of(uint32_t kind, uint16_t bits)
{
    uint32_t word = bits & HG_WORD_MASK;
    uint32_t flags = kind;
    flags |= (bits & HG_TEXT_CONTEXT) != 0 ? HG_CONTEXT : 0;
    flags |= word == HG_WORD_TRUE ? HG_TRUE : 0;
    switch (kind) {
    case HG_KIND_HIDDEN:
        return flags | HG_HELPER | (word == HG_WORD_NATIVE_CONTEXT ? HG_NATIVE_CONTEXT : 0);
    case HG_KIND_ARRAY:
        flags |= HG_HELPER | (word == HG_WORD_DESCRIPTORS ? HG_DESCRIPTORS : 0);
        return flags | (word == HG_WORD_ARRAY ? HG_NAMED_ARRAY : 0);
    case HG_KIND_NATIVE:
        flags |= word == HG_WORD_EXTERNAL ? HG_HELPER : 0;
        flags |= (bits & HG_TEXT_DETACHED) != 0 ? HG_NAMED_DETACHED : 0;
        return flags | (word == HG_WORD_BUFFER ? HG_BUFFER : 0);
    case HG_KIND_SYNTHETIC:
        flags |= word == HG_WORD_DOM_TREES ? HG_DOM_ROOT : 0;
        flags |= (bits & HG_TEXT_CONSOLE) != 0 ? HG_CONSOLE : 0;
        break;
    case HG_KIND_OBJECT:
        flags |= word == HG_WORD_OBJECT ? HG_PLAIN_OBJECT : 0;
        break;
    case HG_KIND_NUMBER:
        flags |= word == HG_WORD_BOOL ? HG_BOOL : 0;
        flags |= word == HG_WORD_INT ? HG_INT : 0;
        break;
    case HG_KIND_STRING:
    case HG_KIND_CONCATENATED:
    case HG_KIND_SLICED:
    case HG_KIND_CODE:
        return flags;
    default:
        break;
    }
    return flags | (word == HG_WORD_ARRAY ? HG_NAMED_ARRAY : 0);
}

enum { TYPE, NAME, SIZE, EDGES, DETACHED, ID, NODE_COLUMNS };

typedef struct filling {
    hg *g;
    uint64_t edges;
    bool stopped; /* the owners of the edges after are not known */
    bool wide_ids;
    uint64_t size;
} filling;

/* From the node on whose size makes the sum too large. */
static ts_code widen_sizes(hg *g, uint32_t v)
{
    uint32_t *narrow = g->size.narrow;
    ts_code code = hg_sizes_take(&g->size, g, true);
    for (uint32_t i = 0; i < v && code == TS_OK; i++) {
        g->size.wide[i] = narrow[i];
    }
    hg_give(g, narrow);
    return code;
}

ts_code hg_put_size(hg *g, uint64_t *sum, uint32_t v, int64_t size)
{
    *sum += size > UINT32_MAX ? UINT32_MAX : (uint64_t)size;
    if (*sum >= UINT32_MAX && g->size.wide == NULL) {
        TS_TRY(widen_sizes(g, v));
    }
    if (g->size.wide != NULL) {
        g->size.wide[v] = size;
    } else {
        g->size.narrow[v] = (uint32_t)size;
    }
    return TS_OK;
}

static ts_code take_far_type(hg *g, uint32_t v, uint32_t type)
{
    hg_far_type *far = ts_vec_add(g->ctx, &g->far_types, sizeof *far);
    TS_NEED(g->ctx, far);
    *far = (hg_far_type){v, type};
    return TS_OK;
}

/* Name and flags of a node by its type and its string; -1: not known. */
static inline void name_node(hg *g, uint32_t v, int64_t type, int64_t string)
{
    uint32_t kind = HG_KIND_OTHER;
    uint32_t number = HG_NO_TYPE;
    uint32_t name = HG_NONE;
    uint16_t bits = 0;
    if (type >= 0 && type < g->d.type_count) {
        number = type < HG_TYPES ? (uint32_t)type : (uint32_t)HG_FAR_TYPE;
        kind = g->kinds[type];
    }
    if (string >= 0 && string < g->strings.count) {
        name = hg_same(&g->strings, string);
        bits = g->strings.bits[name];
        if (kind == HG_KIND_OBJECT || kind == HG_KIND_NATIVE) {
            g->strings.bits[name] |= HG_TEXT_CLASS;
        }
    }
    g->name[v] = name;
    g->flags[v] = flags_of(kind, bits) | number << HG_TYPE_SHIFT;
}

static ts_code take_node(hg *g, filling *f, const ts_batch *b, unsigned i, uint32_t v)
{
    const ts_batch_column *c = b->columns;
    const int64_t type = c[TYPE].null[i] == 0 ? c[TYPE].ints[i] : -1;
    ts_code code;
    name_node(g, v, type, c[NAME].null[i] == 0 ? c[NAME].ints[i] : -1);
    g->ids[v] = (uint32_t)c[ID].ints[i];
    f->wide_ids = f->wide_ids || g->ids[v] != c[ID].ints[i];
    g->flags[v] |= c[ID].null[i] != 0 ? HG_NO_ID : 0;
    g->missing_sizes += c[SIZE].null[i] != 0;
    if (c[DETACHED].null[i] == 0) {
        uint32_t value = (uint32_t)c[DETACHED].ints[i] & 3;
        g->has_detachedness = true;
        g->flags[v] |= value << HG_DETACHEDNESS_SHIFT | (value != 0 ? HG_SETTLED : 0);
    }
    f->stopped = f->stopped || c[EDGES].null[i] != 0 || c[EDGES].ints[i] < 0;
    if (!f->stopped) {
        uint64_t left = (uint64_t)g->d.edge_count - f->edges;
        f->edges += (uint64_t)c[EDGES].ints[i] < left ? (uint64_t)c[EDGES].ints[i] : left;
    }
    g->first[v + 1] = (uint32_t)f->edges;
    if (type >= HG_TYPES && type < g->d.type_count &&
        (code = take_far_type(g, v, (uint32_t)type)) != TS_OK) {
        return code;
    }
    return hg_put_size(g, &f->size, v,
                       c[SIZE].null[i] == 0 && c[SIZE].ints[i] > 0 ? c[SIZE].ints[i] : 0);
}

static ts_code take_nodes(void *user, const hg_range *r)
{
    filling *f = user;
    ts_code code = TS_OK;
    for (unsigned i = 0; i < r->n && code == TS_OK; i++) {
        code = take_node(f->g, f, r->b, i, (uint32_t)r->at + i);
    }
    return code;
}

static ts_code read_nodes(hg *g)
{
    static const unsigned columns[NODE_COLUMNS] = {
        TS_C_js_heap_nodes__type,         TS_C_js_heap_nodes__name,
        TS_C_js_heap_nodes__self_size,    TS_C_js_heap_nodes__edge_count,
        TS_C_js_heap_nodes__detachedness, TS_C_js_heap_nodes__id};
    filling f = {.g = g};
    g->first[0] = 0;
    ts_code code = hg_each(g, TS_T_js_heap_nodes, columns, NODE_COLUMNS, g->d.first_node, g->n,
                           take_nodes, &f);
    g->m = (uint32_t)f.edges;
    if (f.wide_ids) {
        HG_GIVE(g, g->ids);
    }
    return code;
}

/* The same of kept rows: their arrays become those of the graph. */
static ts_code read_kept_nodes(hg *g)
{
    const uint64_t most = (uint64_t)g->d.edge_count;
    uint64_t edges = 0;
    ts_code code = TS_OK;
    for (uint32_t v = 0; v < g->n && code == TS_OK; v++) {
        const uint32_t name = g->name[v];
        const uint32_t counts = g->first[v];
        const uint32_t detachedness = counts >> HG_KEPT_EDGE_BITS;
        const uint64_t more = counts & HG_KEPT_EDGES;
        name_node(g, v, name >> HG_KEPT_NAME_BITS, name & HG_KEPT_NAME);
        if (detachedness != HG_KEPT_NO_DETACHEDNESS) {
            g->has_detachedness = true;
            g->flags[v] |=
                detachedness << HG_DETACHEDNESS_SHIFT | (detachedness != 0 ? HG_SETTLED : 0);
        }
        g->first[v] = (uint32_t)edges;
        edges += more < most - edges ? more : most - edges;
        code = hg_poll(g->ctx, v);
    }
    g->first[g->n] = (uint32_t)edges;
    g->m = (uint32_t)edges;
    return code;
}

/* Kept rows: their sizes are narrow ones when all of them together are. */
static bool nodes_are_kept(const hg *g)
{
    const hg_kept_rows *rows;
    uint64_t sum = 0;
    if (!hg_is_kept(g->kept, HG_KEPT_NODE_ROWS, g->d.file_id, g->d.first_node, g->d.node_count)) {
        return false;
    }
    rows = &g->kept->rows[HG_KEPT_NODE_ROWS];
    for (size_t i = 0; i < rows->n; i++) {
        sum += rows->columns[HG_KEPT_NODE_SIZE][i];
    }
    return sum < UINT32_MAX;
}

/* The arrays that rows fill. */
static ts_code take_arrays(hg *g)
{
    const size_t n = (size_t)g->n + 1;
    if (nodes_are_kept(g)) {
        uint32_t **columns = g->kept->rows[HG_KEPT_NODE_ROWS].columns;
        g->nodes_kept = true;
        g->ids = hg_adopt(g, &columns[HG_KEPT_NODE_ID], n);
        g->name = hg_adopt(g, &columns[HG_KEPT_NODE_NAME], n);
        g->size.narrow = hg_adopt(g, &columns[HG_KEPT_NODE_SIZE], n);
        g->first = hg_adopt(g, &columns[HG_KEPT_NODE_EDGES], n);
        return TS_OK;
    }
    g->first = hg_take(g, n, sizeof *g->first);
    g->name = hg_take(g, n, sizeof *g->name);
    g->ids = hg_take(g, n, sizeof *g->ids);
    if (hg_sizes_take(&g->size, g, false) != TS_OK) {
        return g->ctx->error.code;
    }
    return g->first == NULL || g->name == NULL || g->ids == NULL ? g->ctx->error.code : TS_OK;
}

static ts_code nodes_prepare(hg *g)
{
    if (g->d.node_count < 0 || g->d.node_count > HG_MAX_NODES || g->d.edge_count < 0 ||
        g->d.edge_count >= HG_NONE || g->d.type_count < 0 || g->d.type_count > 1 << 20 ||
        g->d.edge_type_count < 0 || g->d.edge_type_count > 1 << 20) {
        return ts_fail(g->ctx, TS_ERR_LIMIT, "more than %d nodes or %u edges", HG_MAX_NODES,
                       HG_NONE - 1);
    }
    g->n = (uint32_t)g->d.node_count;
    g->kinds = ts_zalloc(g->ctx, (size_t)g->d.type_count, 1);
    g->page = hg_bits(g);
    if (g->kinds == NULL || g->page == NULL) {
        return g->ctx->error.code;
    }
    ts_code code;
    TS_TRY_INTO(code, take_arrays(g));
    g->flags = hg_take(g, (size_t)g->n + 1, sizeof *g->flags);
    return g->flags == NULL ? g->ctx->error.code : TS_OK;
}

static void choose_root(hg *g, int64_t root_index, bool *bad_root)
{
    *bad_root = false;
    g->root = g->n == 0 ? HG_NONE : 0;
    if (root_index == 0) {
        return;
    }
    if (g->d.stride <= 0 || root_index < 0 || root_index % g->d.stride != 0 ||
        root_index / g->d.stride >= g->n) {
        *bad_root = true;
        return;
    }
    g->root = (uint32_t)(root_index / g->d.stride);
}

/* --- locations ------------------------------------------------------------------------------ */

enum { FILE_ID, OBJECT, LOCATION_COLUMNS };

static ts_code take_location(hg *g, const ts_batch *b, unsigned i)
{
    const ts_batch_column *c = b->columns;
    hg_location *place;
    int64_t index;
    if (c[OBJECT].null[i] != 0 || g->d.stride <= 0 || c[OBJECT].ints[i] < 0 ||
        c[OBJECT].ints[i] % g->d.stride != 0) {
        return TS_OK;
    }
    index = c[OBJECT].ints[i] / g->d.stride;
    if (b->rowids[i] - g->d.first_location > UINT32_MAX || index >= g->n ||
        hg_kind(g->flags[index]) != HG_KIND_OBJECT) {
        return TS_OK;
    }
    TS_NEED(g->ctx, place = ts_vec_add(g->ctx, &g->locations, sizeof *place));
    *place = (hg_location){(uint32_t)index, (uint32_t)(b->rowids[i] - g->d.first_location)};
    return TS_OK;
}

/* By node, and in the order of the rows: a stable merge sort, because they are in order mostly. */
static ts_code sort_locations(hg *g)
{
    hg_location *from = g->locations.p;
    size_t n = g->locations.n;
    bool sorted = true;
    hg_location *to;
    for (size_t i = 1; i < n; i++) {
        sorted = sorted && from[i - 1].node <= from[i].node;
    }
    if (sorted) {
        return TS_OK;
    }
    TS_NEED(g->ctx, to = ts_alloc(g->ctx, n, sizeof *to));
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t middle = low + width < n ? low + width : n;
            size_t high = low + 2 * width < n ? low + 2 * width : n;
            size_t a = low;
            size_t b = middle;
            for (size_t k = low; k < high; k++) {
                bool left = a < middle && (b >= high || from[a].node <= from[b].node);
                to[k] = left ? from[a++] : from[b++];
            }
        }
        memcpy(from, to, n * sizeof *to);
    }
    ts_free(g->ctx, to);
    return TS_OK;
}

/* Those of the file follow each other. */
static ts_code read_locations(hg *g)
{
    static const unsigned columns[LOCATION_COLUMNS] = {TS_C_js_heap_location__file_id,
                                                       TS_C_js_heap_location__object_index};
    ts_scan *scan = NULL;
    const ts_batch *b;
    bool ours = true;
    ts_code code = TS_OK;
    if (g->d.first_location == 0) {
        return TS_OK;
    }
    code = ts_scan_open(&scan, g->reader, TS_T_js_heap_location, columns, LOCATION_COLUMNS);
    TS_STEP(code, ts_scan_seek(scan, g->d.first_location));
    while (ours && code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && ours && code == TS_OK; i++) {
            ours = b->columns[FILE_ID].ints[i] == g->d.file_id;
            if (ours) {
                code = take_location(g, b, i);
            }
        }
    }
    ts_scan_close(scan);
    TS_STEP(code, sort_locations(g));
    return code;
}

ts_code hg_read_graph(hg *g, int64_t root_index, bool *bad_root)
{
    ts_code code = nodes_prepare(g);
    TS_STEP(code, hg_read_types(g, g->d.first_info, g->d.type_count, g, note_kind));
    TS_STEP(code, g->nodes_kept ? read_kept_nodes(g) : read_nodes(g));
    if (code == TS_OK) {
        choose_root(g, root_index, bad_root);
        code = read_locations(g);
    }
    TS_STEP(code, hg_read_edges(g));
    if (g->kept != NULL) { /* what was not of use */
        hg_keep_forget(g->kept, HG_KEPT_NODE_ROWS);
        hg_keep_forget(g->kept, HG_KEPT_EDGE_ROWS);
    }
    return code;
}

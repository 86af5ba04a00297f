/*
 * Edges of a heap file. One pass takes from their names all that the rules need: codes, edges that
 * distances leave out, properties of plain objects, parts of strings, elements of arrays.
 */
#include "analysis/heap/graph.h"

#include "base/alloc.h"

#include "tables/formats/arkts/arkts_constants.h"

__extension__ typedef unsigned __int128 wide;

enum edge_type {
    TYPE_OTHER,
    TYPE_ELEMENT,
    TYPE_HIDDEN,
    TYPE_INVISIBLE,
    TYPE_PROPERTY,
    TYPE_INTERNAL,
    TYPE_SHORTCUT,
    TYPE_WEAK
};

/* An edge to a value in a WeakMap, before it is known whether its owner is the table. */
typedef struct pair_found {
    uint32_t edge, owner, pair;
    uint64_t table;
} pair_found;

typedef struct passing {
    hg *g;
    uint8_t *types; /* enum edge_type by number; one more than there are */
    uint8_t *codes; /* enum hg_code, of the same */
    ts_vec found;   /* pair_found */
    uint32_t owner;
    uint32_t end;   /* of the owner's edges */
    uint32_t flags; /* of the owner */
    bool special;   /* its edges' names matter */
    bool usual;     /* nothing but targets and codes does */
    bool worded;    /* of names, those of properties and those with a word do */
    bool has_elements;
    uint64_t inverse; /* of the stride, times 2^64; 0: there is none */
} passing;

static const uint32_t special_flags =
    HG_DESCRIPTORS | HG_NATIVE_CONTEXT | HG_PLAIN_OBJECT | HG_NAMED_ARRAY | HG_BOOL | HG_INT;

static void note_type(void *user, int64_t number, ts_text name)
{
    static const struct {
        const char *name;
        enum edge_type type;
    } types[] = {
        {TS_HEAP_EDGE_ELEMENT, TYPE_ELEMENT}, {TS_HEAP_EDGE_HIDDEN, TYPE_HIDDEN},
        {"property", TYPE_PROPERTY},          {"internal", TYPE_INTERNAL},
        {"shortcut", TYPE_SHORTCUT},          {"weak", TYPE_WEAK},
    };
    passing *p = user;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (ts_text_is(name, types[i].name)) {
            p->types[number] = (uint8_t)types[i].type;
        }
    }
}

/* --- owners whose edges' names matter ------------------------------------------------------- */

static ts_code push_u32(ts_ctx *ctx, ts_vec *v, uint32_t value)
{
    uint32_t *p = ts_vec_add(ctx, v, sizeof *p);
    TS_NEED(ctx, p);
    *p = value;
    return TS_OK;
}

static ts_code push_part(ts_ctx *ctx, ts_vec *v, uint32_t node, uint32_t target, uint32_t word)
{
    hg_part *p = ts_vec_add(ctx, v, sizeof *p);
    TS_NEED(ctx, p);
    *p = (hg_part){node, target, (uint8_t)word};
    return TS_OK;
}

/* Rule 2 of distances, by the number that the edge has or that its name begins with. */
static bool is_skipped(uint32_t type, int64_t name, uint16_t bits)
{
    if (type == TYPE_ELEMENT || type == TYPE_HIDDEN) {
        return name >= 2 && name % 3 == 1;
    }
    return (bits & HG_TEXT_SKIPPED) != 0;
}

/* string: of the name; HG_NONE when it is none. */
static ts_code take_special(passing *p, uint32_t edge, uint32_t type, int64_t name, uint32_t string,
                            uint32_t target)
{
    hg *g = p->g;
    uint16_t bits = string == HG_NONE ? 0 : g->strings.bits[string];
    uint32_t word = bits & HG_WORD_MASK;
    uint32_t kind = hg_kind(p->flags);
    if (((p->flags & HG_DESCRIPTORS) != 0 && is_skipped(type, name, bits)) ||
        ((p->flags & HG_NATIVE_CONTEXT) != 0 && word == HG_WORD_SLOPPY)) {
        return push_u32(g->ctx, &g->skipped, edge);
    }
    if ((p->flags & HG_PLAIN_OBJECT) != 0 && type == TYPE_PROPERTY && word != HG_WORD_PROTO) {
        if (string != HG_NONE) {
            g->strings.bits[g->strings.same[string]] |= HG_TEXT_PROPERTY;
        }
        return hg_shape_add(g->ctx, &g->shapes,
                            string == HG_NONE ? HG_NONE : g->strings.same[string]);
    }
    if (type != TYPE_INTERNAL) {
        return TS_OK;
    }
    if ((p->flags & HG_NAMED_ARRAY) != 0 && word == HG_WORD_ELEMENTS && !p->has_elements) {
        p->has_elements = true;
        return push_part(g->ctx, &g->elements, p->owner, target, word);
    }
    if ((kind == HG_KIND_CONCATENATED && (word == HG_WORD_FIRST || word == HG_WORD_SECOND)) ||
        ((kind == HG_KIND_STRING || kind == HG_KIND_CONCATENATED) &&
         (word == HG_WORD_TRUNCATED || word == HG_WORD_LENGTH || word == HG_WORD_HASH)) ||
        ((p->flags & (HG_BOOL | HG_INT)) != 0 && word == HG_WORD_VALUE)) {
        return push_part(g->ctx, &g->parts, p->owner, target, word);
    }
    return TS_OK;
}

static ts_code enter_owner(passing *p, uint32_t v)
{
    hg *g = p->g;
    uint32_t kind;
    p->owner = v;
    p->end = g->first[v + 1];
    p->flags = g->flags[v];
    kind = hg_kind(p->flags);
    p->special =
        (p->flags & special_flags) != 0 || kind == HG_KIND_STRING || kind == HG_KIND_CONCATENATED;
    p->usual = !p->special && v != g->root && g->d.complete && p->inverse != 0;
    p->worded = p->special && (p->flags & (HG_DESCRIPTORS | HG_NATIVE_CONTEXT)) == 0 &&
                v != g->root && g->d.complete && p->inverse != 0;
    p->has_elements = false;
    return TS_OK;
}

static ts_code leave_owner(passing *p)
{
    return (p->flags & HG_PLAIN_OBJECT) != 0 ? hg_shape_end(p->g->ctx, &p->g->shapes) : TS_OK;
}

/* Moves on to the owner of this edge, or of none after the last. */
static ts_code owner_of(passing *p, uint32_t edge)
{
    ts_code code = TS_OK;
    while (code == TS_OK && edge >= p->end && p->owner < p->g->n) {
        code = leave_owner(p);
        if (code == TS_OK && p->owner + 1 < p->g->n) {
            code = enter_owner(p, p->owner + 1);
        } else {
            p->owner++;
            p->flags = 0;
            p->usual = p->worded = false;
        }
    }
    return code;
}

/* --- edges ---------------------------------------------------------------------------------- */

static ts_code note_pair(passing *p, uint32_t edge, uint32_t string)
{
    const ts_vec *pairs = &p->g->strings.pairs;
    const hg_pair_text *pair =
        (const hg_pair_text *)pairs->p + hg_search(pairs, sizeof *pair, string);
    pair_found *found = ts_vec_add(p->g->ctx, &p->found, sizeof *found);
    TS_NEED(p->g->ctx, found);
    *found = (pair_found){edge, p->owner, pair->pair, pair->table};
    return TS_OK;
}

enum { TYPE, NAME, TO, PLAIN_COLUMNS, INDEX = PLAIN_COLUMNS, FROM_ID, TO_ID, EDGE_COLUMNS };

/* What is in an edge's row; -1: it is not known. */
typedef struct edge_row {
    int64_t type, name, to;
    const ts_batch *b; /* of a file that was not read whole: where it is */
    unsigned i;
} edge_row;

/* In a file that was not read whole: whether owner and target are certain. */
static bool certain(const hg *g, const edge_row *row, uint32_t owner, uint32_t target)
{
    const ts_batch_column *c = row->b->columns;
    const unsigned i = row->i;
    if (c[INDEX].null[i] != 0) {
        return false;
    }
    return (c[FROM_ID].null[i] == 0 || (g->flags[owner] & HG_NO_ID) != 0) &&
           (c[TO_ID].null[i] == 0 || (g->flags[target] & HG_NO_ID) != 0);
}

static uint32_t target_of(const hg *g, int64_t to)
{
    uint64_t index;
    if (to < 0 || g->d.stride <= 0) {
        return HG_NONE;
    }
    /* Dividing 32 bits takes a fraction of the time that 64 bits take. */
    index = to <= UINT32_MAX && g->d.stride <= UINT32_MAX ? (uint32_t)to / (uint32_t)g->d.stride
                                                          : (uint64_t)to / (uint64_t)g->d.stride;
    return index < g->n && index * (uint64_t)g->d.stride == (uint64_t)to ? (uint32_t)index
                                                                         : HG_NONE;
}

static uint32_t code_of(uint32_t type)
{
    switch (type) {
    case TYPE_HIDDEN:
    case TYPE_INVISIBLE:
        return HG_HIDDEN;
    case TYPE_SHORTCUT:
        return HG_SHORTCUT;
    case TYPE_WEAK:
        return HG_WEAK;
    default:
        return HG_PLAIN;
    }
}

/* What usual edges need, apart from what is written meanwhile. */
typedef struct usual {
    const int64_t *type, *name, *to;
    const uint8_t *no_type, *no_name, *no_to;
    const uint8_t *types, *codes;
    const uint16_t *bits; /* of strings */
    uint64_t type_count, string_count, stride, inverse;
    uint32_t n;
} usual;

/* An edge that says nothing but its code and target, which are known. Dividing takes longer than
 * all of this. */
static inline bool usual_edge(uint32_t *edge, const usual *u, unsigned i)
{
    const uint64_t type = (uint64_t)u->type[i];
    const uint64_t name = (uint64_t)u->name[i];
    const uint64_t to = (uint64_t)u->to[i];
    const uint64_t target = (uint64_t)((wide)to * u->inverse >> 64);
    if ((u->no_type[i] | u->no_name[i] | u->no_to[i]) != 0 || type >= u->type_count ||
        to > UINT32_MAX || target >= u->n || target * u->stride != to ||
        (u->types[type] == TYPE_INTERNAL && name < u->string_count &&
         (u->bits[name] & HG_TEXT_PAIR) != 0)) {
        return false;
    }
    *edge = (uint32_t)u->codes[type] << HG_TARGET_BITS | (uint32_t)target;
    return true;
}

static ts_code take_edge(passing *p, const edge_row *row, uint32_t edge)
{
    hg *g = p->g;
    uint32_t target = target_of(g, row->to);
    uint32_t type = TYPE_OTHER;
    uint32_t string = HG_NONE;
    uint32_t code_bits;
    ts_code code = TS_OK;
    if (target == HG_NONE || (!g->d.complete && !certain(g, row, p->owner, target))) {
        g->edges[edge] = HG_NOTHING;
        g->missing_edges++;
        return TS_OK;
    }
    if (row->type >= 0 && row->type <= g->d.edge_type_count) {
        type = p->types[row->type];
    }
    code_bits = code_of(type);
    if (type != TYPE_ELEMENT && type != TYPE_HIDDEN && row->name >= 0 &&
        row->name < g->strings.count) {
        string = (uint32_t)row->name;
    }
    if (type == TYPE_INTERNAL && string != HG_NONE &&
        (g->strings.bits[string] & HG_TEXT_PAIR) != 0) {
        code_bits = HG_PAIR;
        code = note_pair(p, edge, string);
    }
    g->edges[edge] = code_bits << HG_TARGET_BITS | target;
    if (p->special && code == TS_OK) {
        code = take_special(p, edge, type, row->name, string, target);
    }
    if (p->owner == g->root && code == TS_OK &&
        (type == TYPE_SHORTCUT ||
         (type == TYPE_ELEMENT && (g->flags[target] & HG_DOM_ROOT) != 0))) {
        code = push_u32(g->ctx, &g->entries, target);
    }
    return code;
}

static ts_code take_batch(void *user, const hg_range *r)
{
    passing *p = user;
    const ts_batch *b = r->b;
    const unsigned rows = r->n;
    const uint32_t first = (uint32_t)r->at;
    const hg *g = p->g;
    const ts_batch_column *c = b->columns;
    const usual u = {c[TYPE].ints,     c[NAME].ints,
                     c[TO].ints,       c[TYPE].null,
                     c[NAME].null,     c[TO].null,
                     p->types,         p->codes,
                     g->strings.bits,  (uint64_t)g->d.edge_type_count,
                     g->strings.count, (uint64_t)g->d.stride,
                     p->inverse,       g->n};
    uint32_t *edges = g->edges + first;
    ts_code code = TS_OK;
    for (unsigned i = 0; i < rows && code == TS_OK;) {
        if (first + i >= p->end && (code = owner_of(p, first + i)) != TS_OK) {
            break;
        }
        if (p->usual) {
            const unsigned end = p->end - first < rows ? p->end - first : rows;
            while (i < end && usual_edge(&edges[i], &u, i)) {
                i++;
            }
            if (i == end) {
                continue;
            }
        }
        const edge_row row = {c[TYPE].null[i] == 0 ? c[TYPE].ints[i] : -1,
                              c[NAME].null[i] == 0 ? c[NAME].ints[i] : -1,
                              c[TO].null[i] == 0 ? c[TO].ints[i] : -1, b, i};
        code = take_edge(p, &row, first + i);
        i++;
    }
    return code;
}

/* --- kept edges ----------------------------------------------------------------------------- */

/* What kept edges need, apart from what is written meanwhile. */
typedef struct kept_edges {
    const uint32_t *names;
    const uint8_t *types, *codes;
    const uint16_t *bits; /* of strings */
    uint64_t inverse;
    uint32_t stride, n, strings;
} kept_edges;

/* Puts an edge with code and target in the place of its target's; false: there is more to it, or
 * no such target. *bits: of its name, when it is an internal one. */
static inline bool kept_edge(uint32_t *edge, uint32_t *type, uint16_t *bits, const kept_edges *k,
                             uint32_t name)
{
    const uint32_t to = *edge;
    const uint64_t target = (uint64_t)((wide)to * k->inverse >> 64);
    const uint32_t number = name >> HG_KEPT_NAME_BITS;
    *type = k->types[number];
    name &= HG_KEPT_NAME;
    *bits = *type == TYPE_INTERNAL && name < k->strings ? k->bits[name] : 0;
    if (target >= k->n || (uint32_t)target * k->stride != to || (*bits & HG_TEXT_PAIR) != 0) {
        return false;
    }
    *edge = (uint32_t)k->codes[number] << HG_TARGET_BITS | (uint32_t)target;
    return true;
}

/* The edges of usual owners from `edge` on, until one is unusual: the one after them. */
static uint32_t take_usual(const passing *p, const kept_edges *k, uint32_t edge)
{
    uint32_t *edges = p->g->edges;
    const uint32_t end = p->end;
    uint32_t type;
    uint16_t bits;
    while (edge < end && kept_edge(&edges[edge], &type, &bits, k, k->names[edge])) {
        edge++;
    }
    return edge;
}

/* The same of owners whose properties, or edges with certain names, matter. */
static ts_code take_worded(uint32_t *at, passing *p, const kept_edges *k)
{
    uint32_t *edges = p->g->edges;
    const bool plain = (p->flags & HG_PLAIN_OBJECT) != 0;
    uint32_t edge = *at;
    uint32_t type;
    uint16_t bits;
    ts_code code = TS_OK;
    for (; edge < p->end && code == TS_OK; edge++) {
        if (!kept_edge(&edges[edge], &type, &bits, k, k->names[edge])) {
            break;
        }
        if ((bits & HG_WORD_MASK) != 0 || (plain && type == TYPE_PROPERTY)) {
            const uint32_t name = k->names[edge] & HG_KEPT_NAME;
            code = take_special(p, edge, type, name, name < k->strings ? name : HG_NONE,
                                hg_target(edges[edge]));
        }
    }
    *at = edge;
    return code;
}

static ts_code take_kept(passing *p, const uint32_t *names)
{
    const hg *g = p->g;
    const kept_edges k = {
        names, p->types,        p->codes, g->strings.bits, p->inverse, (uint32_t)g->d.stride,
        g->n,  g->strings.count};
    ts_code code = TS_OK;
    for (uint32_t edge = 0, owners = 0; edge < g->m && code == TS_OK;) {
        if (edge >= p->end &&
            ((code = owner_of(p, edge)) != TS_OK || (code = hg_poll(g->ctx, ++owners)) != TS_OK)) {
            break;
        }
        if (p->usual) {
            edge = take_usual(p, &k, edge);
        } else if (p->worded) {
            code = take_worded(&edge, p, &k);
        }
        if (code != TS_OK || ((p->usual || p->worded) && edge == p->end)) {
            continue;
        }
        const edge_row row = {.type = names[edge] >> HG_KEPT_NAME_BITS,
                              .name = names[edge] & HG_KEPT_NAME,
                              .to = g->edges[edge]};
        code = take_edge(p, &row, edge++);
    }
    TS_STEP(code, owner_of(p, HG_NONE));
    return code;
}

/* Their targets' array becomes the edges, that of their names is free then. */
static ts_code read_kept_edges(passing *p)
{
    hg *g = p->g;
    uint32_t **columns = g->kept->rows[HG_KEPT_EDGE_ROWS].columns;
    uint32_t *names = hg_adopt(g, &columns[HG_KEPT_EDGE_NAME], (size_t)g->d.edge_count);
    g->edges = hg_adopt(g, &columns[HG_KEPT_TO], (size_t)g->d.edge_count);
    ts_code code = take_kept(p, names);
    hg_give(g, names);
    return code;
}

/* --- edges of pages ------------------------------------------------------------------------- */

static ts_code read_all(passing *p)
{
    static const unsigned columns[EDGE_COLUMNS] = {
        TS_C_js_heap_edges__type,         TS_C_js_heap_edges__name_or_index,
        TS_C_js_heap_edges__to_node,      TS_C_js_heap_edges__edge_index,
        TS_C_js_heap_edges__from_node_id, TS_C_js_heap_edges__to_node_id};
    hg *g = p->g;
    TS_NEED(g->ctx, g->edges = hg_take(g, g->m, sizeof *g->edges));
    ts_code code =
        hg_each(g, TS_T_js_heap_edges, columns, g->d.complete ? PLAIN_COLUMNS : EDGE_COLUMNS,
                g->d.first_edge, g->m, take_batch, p);
    TS_STEP(code, owner_of(p, HG_NONE));
    return code;
}

/* Whether the table whose id a name holds is the edge's owner: owners come in the order of their
 * rows. */
static ts_code settle_pairs(passing *p)
{
    static const unsigned columns[] = {TS_C_js_heap_nodes__id};
    hg *g = p->g;
    const pair_found *found = p->found.p;
    const ts_batch *b = NULL;
    ts_scan *scan = NULL;
    int64_t id = -1;
    ts_code code = TS_OK;
    if (p->found.n == 0) {
        return TS_OK;
    }
    if (g->ids == NULL) {
        code = ts_scan_open(&scan, g->reader, TS_T_js_heap_nodes, columns, 1);
    }
    for (size_t i = 0; i < p->found.n && code == TS_OK; i++) {
        hg_pair_edge *pair = ts_vec_add(g->ctx, &g->pair_edges, sizeof *pair);
        if (pair == NULL) {
            code = g->ctx->error.code;
            break;
        }
        *pair = (hg_pair_edge){found[i].edge, found[i].pair};
        if (g->ids != NULL) {
            id = g->ids[found[i].owner];
        } else if (i == 0 || found[i].owner != found[i - 1].owner) {
            code = ts_scan_row(&b, scan, g->d.first_node + found[i].owner);
            id = code == TS_OK && b->rows == 1 ? b->columns[0].ints[0] : -1;
        }
        if (code == TS_OK && (g->flags[found[i].owner] & HG_NO_ID) == 0 && id >= 0 &&
            (uint64_t)id == found[i].table) {
            g->edges[found[i].edge] =
                (uint32_t)HG_PAIR_TABLE << HG_TARGET_BITS | hg_target(g->edges[found[i].edge]);
        }
    }
    ts_scan_close(scan);
    return code;
}

ts_code hg_read_edges(hg *g)
{
    passing p = {.g = g};
    ts_code code = TS_OK;
    p.types = ts_zalloc(g->ctx, (size_t)g->d.edge_type_count + 1 + HG_KEPT_TYPES, 1);
    p.codes = ts_zalloc(g->ctx, (size_t)g->d.edge_type_count + 1 + HG_KEPT_TYPES, 1);
    if (p.types == NULL || p.codes == NULL) {
        code = g->ctx->error.code;
        goto out;
    }
    code = hg_read_types(g, g->d.first_edge_type, g->d.edge_type_count, &p, note_type);
    if (code != TS_OK) {
        goto out;
    }
    p.types[g->d.edge_type_count] = TYPE_INVISIBLE;
    for (int64_t i = 0; i <= g->d.edge_type_count; i++) {
        p.codes[i] = (uint8_t)code_of(p.types[i]);
    }
    if (g->d.stride > 1 && g->d.stride <= UINT32_MAX) {
        p.inverse = UINT64_MAX / (uint64_t)g->d.stride + 1;
    }
    if (g->n > 0) {
        code = enter_owner(&p, 0);
    }
    TS_STEP(code, g->d.complete && hg_is_kept(g->kept, HG_KEPT_EDGE_ROWS, g->d.file_id,
                                              g->d.first_edge, g->d.edge_count)
                      ? read_kept_edges(&p)
                      : read_all(&p));
    TS_STEP(code, settle_pairs(&p));
    g->missing_edges += (uint64_t)g->d.edge_count - g->m;
out:
    ts_free(g->ctx, p.types);
    ts_free(g->ctx, p.codes);
    ts_vec_free(g->ctx, &p.found);
    return code;
}

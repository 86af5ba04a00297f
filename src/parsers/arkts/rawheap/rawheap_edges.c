/*
 * Edges, in the order of the nodes that own them. They wait in a spool: rows of nodes come first
 * and say how many edges each has, and nodes of values are made while edges are.
 */
#include "parsers/arkts/rawheap/rawheap.h"

#include <inttypes.h>
#include <stdio.h>

/* --- what all have ---------------------------------------------------------------------------- */

static ts_code flush_edges(rawheap *r)
{
    const size_t n = r->open_count * sizeof r->open_edges[0];
    r->open_count = 0;
    return ts_spool_write(r->edges, r->open_edges, n);
}

ts_code rawheap_edge_add(rawheap *r, unsigned type, uint32_t name, uint32_t to)
{
    r->open_edges[r->open_count++] = (rawheap_edge){type, name, to};
    r->own_edges++;
    r->edge_count++;
    return r->open_count < RAWHEAP_EDGES_AT_ONCE ? TS_OK : flush_edges(r);
}

ts_code rawheap_end_node(rawheap *r)
{
    const uint32_t n = r->own_edges;
    r->own_edges = 0;
    return ts_intvec_push(r->ctx, &r->edge_counts, n);
}

ts_code rawheap_late_add(uint32_t *out, rawheap *r, uint32_t name)
{
    *out = RAWHEAP_LATE | (uint32_t)r->late.n;
    return ts_vec_push(r->ctx, &r->late, &name, sizeof name);
}

ts_code rawheap_field_number(uint32_t *out, rawheap *r, rawheap_field *f)
{
    if (f->number == RAWHEAP_NONE) {
        TS_TRY(rawheap_number(&f->number, r, f->name));
    }
    *out = f->number;
    return TS_OK;
}

ts_code rawheap_head_edges(rawheap *r, uint32_t node)
{
    const rawheap_node *n = rawheap_nodes(r) + node;
    char name[24];
    uint32_t hclass;
    uint32_t word;
    uint64_t hash;
    TS_TRY(rawheap_word_number(&hclass, r, WORD_HCLASS));
    TS_TRY(rawheap_word_number(&word, r, WORD_HASH));
    if (n->class != RAWHEAP_NONE && rawheap_nodes(r)[n->class].id != n->id) {
        TS_TRY(rawheap_edge_add(r, RAWHEAP_PROPERTY, hclass, n->class));
    }
    if (r->hashes.count > 0 && ts_idmap_find(&hash, &r->hashes, node)) {
        uint32_t late;
        snprintf(name, sizeof name, "Int:%" PRIu64, hash);
        TS_TRY(rawheap_number(&late, r, ts_text_of(name)));
        TS_TRY(rawheap_late_add(&late, r, late));
        TS_TRY(rawheap_edge_add(r, RAWHEAP_PROPERTY, word, late));
    }
    return TS_OK;
}

/* --- nodes that stand for groups -------------------------------------------------------------- */

static ts_code root_edges(rawheap *r)
{
    const rawheap_list *roots = &r->layout.roots;
    uint32_t name;
    TS_TRY(rawheap_word_number(&name, r, WORD_SUBROOT));
    for (uint32_t i = 1; i <= RAWHEAP_GROUPS; i++) {
        TS_TRY(rawheap_edge_add(r, RAWHEAP_SHORTCUT, name, i));
    }
    if (r->metadata != RAWHEAP_NONE) {
        TS_TRY(rawheap_edge_add(r, RAWHEAP_SHORTCUT, name, r->metadata));
    }
    if (r->references != RAWHEAP_NONE) {
        TS_TRY(rawheap_edge_add(r, RAWHEAP_SHORTCUT, name, r->references));
    }
    for (uint32_t i = 0; i < roots->count; i++) {
        uint64_t address;
        uint32_t to;
        TS_TRY(rawheap_address(&address, r, roots->at + (uint64_t)i * r->layout.word));
        to = rawheap_find(r, address);
        if (to != RAWHEAP_NONE) {
            TS_TRY(rawheap_edge_add(r, RAWHEAP_SHORTCUT, name, to));
        }
    }
    return rawheap_end_node(r);
}

/* The members that are nodes are counted. */
static ts_code group_edges(rawheap *r, const rawheap_list *list)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        uint64_t address;
        uint32_t to;
        TS_TRY(rawheap_address(&address, r, list->at + (uint64_t)i * r->layout.word));
        to = rawheap_find(r, address);
        if (to != RAWHEAP_NONE) {
            TS_TRY(rawheap_edge_add(r, RAWHEAP_ELEMENT, index++, to));
        }
    }
    return rawheap_end_node(r);
}

static ts_code metadata_edges(rawheap *r)
{
    for (uint32_t i = 0; i < 3 && r->metadata != RAWHEAP_NONE; i++) {
        TS_TRY(rawheap_edge_add(r, RAWHEAP_PROPERTY, r->metadata_names[i], RAWHEAP_LATE | i));
    }
    return rawheap_end_node(r);
}

/* All nodes before the first object. */
static ts_code begin_edges(rawheap *r)
{
    TS_TRY(root_edges(r));
    for (unsigned i = 0; i < RAWHEAP_GROUPS; i++) {
        TS_TRY(group_edges(r, &r->layout.groups[i]));
    }
    if (r->metadata != RAWHEAP_NONE || r->layout.version == 2) {
        TS_TRY(metadata_edges(r));
    }
    if (r->references == RAWHEAP_NONE) {
        return TS_OK;
    }
    for (uint32_t i = 0; i < r->reference_count; i++) {
        TS_TRY(rawheap_edge_add(r, RAWHEAP_ELEMENT, i, r->first_reference + i));
    }
    return rawheap_end_node(r);
}

/* Of the node of a reference. */
static ts_code reference_edges(rawheap *r, uint32_t node)
{
    const uint32_t to = rawheap_find(r, rawheap_nodes(r)[node].address);
    uint32_t name;
    if (to != RAWHEAP_NONE) {
        TS_TRY(rawheap_word_number(&name, r, WORD_JS_OBJECT));
        TS_TRY(rawheap_edge_add(r, RAWHEAP_PROPERTY, name, to));
    }
    return rawheap_end_node(r);
}

/* --- the whole -------------------------------------------------------------------------------- */

static ts_code object_edges(rawheap *r, uint32_t node)
{
    const rawheap_node *n = rawheap_nodes(r) + node;
    if (n->at != 0) {
        TS_TRY(rawheap_head_edges(r, node));
        if (!r->types.of[n->kind].string) {
            TS_TRY(rawheap_slot_edges(r, node));
        }
    }
    return rawheap_end_node(r);
}

ts_code rawheap_make_edges(rawheap *r)
{
    enum { OFTEN = 4096 };
    TS_TRY(ts_spool_new(&r->edges, r->ctx));
    TS_TRY(begin_edges(r));
    for (uint32_t i = r->first_object; i < r->nodes.n; i++) {
        TS_TRY(!rawheap_is_object(r, i) ? reference_edges(r, i)
               : r->layout.version == 1 ? object_edges(r, i)
                                        : rawheap_token_edges(r, i));
        if (i % OFTEN == 0) {
            TS_TRY(ts_check_cancel(r->ctx));
        }
    }
    if (r->tokens_cut > 0) {
        TS_TRY(RAWHEAP_ISSUE(r, rawheap_section_bad, r->tokens.at,
                             "the memory of %" PRIu64 " objects is not in their section",
                             r->tokens_cut));
    }
    if (rawheap_has_enough(r)) {
        TS_TRY(RAWHEAP_ISSUE(r, rawheap_section_bad, TS_NO_OFFSET,
                             "objects have more slots in all than a dump of this size can have; "
                             "those of the last ones were left out"));
    }
    return flush_edges(r);
}

/*
 * What objects refer to, in version 2: their memory is a row of tokens, one for each slot of 8
 * bytes, object after object. A token is an address of 4 bytes, or says that there is none: names
 * of properties, weak references and numbers are not in the file.
 */
#include "parsers/arkts/rawheap/rawheap.h"

enum {
    NO_REFERENCE = 2, /* bits of a token's first byte: 1 byte */
    RESERVED = 4,     /* 5 bytes */
    ADDRESS = 4
};

/* *to: the node that the next token refers to, or RAWHEAP_NONE; *whole: the token is there. */
static ts_code next_token(uint32_t *to, bool *whole, rawheap *r)
{
    rawheap_part *t = &r->tokens;
    const uint8_t *p;
    size_t n;
    size_t length;
    *to = RAWHEAP_NONE;
    *whole = false;
    if (t->size == 0) {
        return TS_OK;
    }
    TS_TRY(ts_window_get(&p, &n, r->in, t->at, t->size < 5 ? (size_t)t->size : 5));
    length = n == 0 ? 1 : (p[0] & NO_REFERENCE) != 0 ? 1 : (p[0] & RESERVED) != 0 ? 5 : ADDRESS;
    if (length > t->size || length > n) {
        t->size = 0; /* nothing after it has a place */
        return TS_OK;
    }
    if (length == ADDRESS && rawheap_u32(p) != 0) {
        *to = rawheap_find(r, rawheap_u32(p));
    }
    *whole = true;
    t->at += length;
    t->size -= length;
    return TS_OK;
}

static ts_code token_elements(bool *whole, rawheap *r, uint64_t slots)
{
    uint32_t index = 0;
    for (uint64_t i = 0; i < slots; i++) {
        uint32_t to;
        TS_TRY(next_token(&to, whole, r));
        if (!*whole) {
            return TS_OK;
        }
        if (to != RAWHEAP_NONE) {
            TS_TRY(rawheap_edge_add(r, RAWHEAP_ELEMENT, index++, to));
        }
    }
    return TS_OK;
}

static ts_code inline_edge(rawheap *r, uint32_t to)
{
    uint32_t name;
    if (to == RAWHEAP_NONE) {
        return TS_OK;
    }
    TS_TRY(rawheap_word_number(&name, r, WORD_INLINE));
    return rawheap_edge_add(r, RAWHEAP_PROPERTY, name, to);
}

/* Fields by their order, then what is after them. */
static ts_code token_fields(bool *whole, rawheap *r, const rawheap_type *type, uint64_t slots)
{
    const uint64_t kept = type->last < slots ? type->last : slots;
    const uint64_t end = type->end < 8 ? 0 : type->end / 8 - 1;
    rawheap_field *all = r->types.fields.p;
    const uint32_t *to;
    uint64_t i = 0;
    r->kept.n = 0;
    TS_TRY(ts_vec_reserve(r->ctx, &r->kept, (size_t)kept + 1, sizeof *to));
    for (; i < kept && *whole; i++) {
        uint32_t node;
        TS_TRY(next_token(&node, whole, r));
        TS_TRY(ts_vec_push(r->ctx, &r->kept, &node, sizeof node));
    }
    to = r->kept.p;
    for (size_t f = type->first; f < type->first + type->count && !rawheap_enough(r); f++) {
        const uint64_t slot = all[f].offset / 8;
        uint32_t name;
        if (slot > 0 && slot <= r->kept.n && to[slot - 1] != RAWHEAP_NONE) {
            TS_TRY(rawheap_field_number(&name, r, &all[f]));
            TS_TRY(rawheap_edge_add(r, RAWHEAP_PROPERTY, name, to[slot - 1]));
        }
    }
    for (uint64_t k = end; k < r->kept.n && type->object; k++) {
        TS_TRY(inline_edge(r, to[k]));
    }
    for (; i < slots && *whole; i++) {
        uint32_t node;
        TS_TRY(next_token(&node, whole, r));
        if (type->object && i >= end) {
            TS_TRY(inline_edge(r, node));
        }
    }
    return TS_OK;
}

ts_code rawheap_token_edges(rawheap *r, uint32_t node)
{
    rawheap_node *n = rawheap_nodes(r) + node;
    const rawheap_type *type = &r->types.of[n->kind];
    const uint64_t slots = n->size > 8 ? ((uint64_t)n->size + 7) / 8 - 1 : 0;
    bool whole;
    TS_TRY(next_token(&n->class, &whole, r));
    if (whole) {
        TS_TRY(rawheap_head_edges(r, node));
        if (n->kind >= r->types.count || !type->string) {
            TS_TRY(type->array ? token_elements(&whole, r, slots)
                               : token_fields(&whole, r, type, slots));
        }
    }
    r->tokens_cut += whole ? 0 : 1;
    return rawheap_end_node(r);
}

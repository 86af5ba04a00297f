/*
 * What the slots of an object refer to, in version 1: memory as it was on the device. Lengths and
 * counts in it are never trusted: a slot beyond the memory of its object does not exist.
 */
#include "parsers/arkts/rawheap/rawheap.h"

#include <inttypes.h>
#include <stdio.h>

enum { SLOT = 8, WEAK = 1, KEY_STEP = 16, IS_INLINE = 0x10 };

#define NO_REFERENCE UINT64_C(0xFFFF000000000006)

/* Values of a slot that are no references. */
enum { HOLE = 5, UNDEFINED = 2, NULL_VALUE = 3, FALSE_VALUE = 6, TRUE_VALUE = 7, EXCEPTION = 0xA };

/* Bytes of memory that a node has. */
static uint64_t memory(const rawheap *r, const rawheap_node *n)
{
    const bool head = r->types.of[n->kind].string || (n->flags & RAWHEAP_CUT) != 0;
    return n->at == 0 ? 0 : head ? SLOT : n->size;
}

/* A slot of another object than the one under way, or *has is false. */
static ts_code other_slot(uint64_t *out, bool *has, rawheap *r, const rawheap_node *n,
                          uint64_t offset)
{
    uint8_t p[SLOT];
    *has = offset + SLOT <= memory(r, n);
    *out = 0;
    if (*has) {
        TS_TRY(rawheap_read(r, p, n->at + offset, sizeof p));
        *out = rawheap_u64(p);
    }
    return TS_OK;
}

static ts_code other_u32(uint32_t *out, bool *has, rawheap *r, const rawheap_node *n,
                         uint64_t offset)
{
    uint8_t p[4];
    *has = offset + sizeof p <= memory(r, n);
    *out = 0;
    if (*has) {
        TS_TRY(rawheap_read(r, p, n->at + offset, sizeof p));
        *out = rawheap_u32(p);
    }
    return TS_OK;
}

/* A slot of the object under way: these follow each other in the file. */
static ts_code own_slot(uint64_t *out, bool *has, rawheap *r, const rawheap_node *n,
                        uint64_t offset)
{
    const uint8_t *p;
    size_t got;
    *has = offset + SLOT <= memory(r, n);
    *out = 0;
    if (*has) {
        TS_TRY(ts_window_get(&p, &got, r->in, n->at + offset, SLOT));
        *has = got >= SLOT;
        *out = *has ? rawheap_u64(p) : 0;
    }
    return TS_OK;
}

/* The node that a slot refers to, not weakly. */
static uint32_t referred(const rawheap *r, uint64_t slot)
{
    return slot != 0 && (slot & (NO_REFERENCE | WEAK)) == 0 ? rawheap_find(r, slot) : RAWHEAP_NONE;
}

/* A node with memory that a slot refers to, not weakly; NULL: there is none. */
static const rawheap_node *object_at(const rawheap *r, uint64_t slot)
{
    const uint32_t node = referred(r, slot);
    return node != RAWHEAP_NONE && rawheap_nodes(r)[node].at != 0 ? rawheap_nodes(r) + node : NULL;
}

/* --- values ----------------------------------------------------------------------------------- */

static enum rawheap_word value_word(uint64_t slot)
{
    switch (slot) {
    case UNDEFINED:
        return WORD_UNDEFINED;
    case NULL_VALUE:
        return WORD_NULL;
    case FALSE_VALUE:
        return WORD_FALSE;
    case TRUE_VALUE:
        return WORD_TRUE;
    case EXCEPTION:
        return WORD_EXCEPTION;
    default:
        return slot >> 48 == 0xFFFF ? WORD_INT : slot >> 48 != 0 ? WORD_DOUBLE : WORD_ILLEGAL;
    }
}

/* The node of a value; name: RAWHEAP_NONE for an address outside of the heap. */
static ts_code value_node(uint32_t *out, rawheap *r, ts_idmap *map, uint64_t slot)
{
    char text[24];
    uint64_t node = 0;
    uint32_t name;
    if (!ts_idmap_find(&node, map, (int64_t)slot)) {
        node = r->nodes.n + r->values.n;
        if (map == &r->native_of) {
            snprintf(text, sizeof text, "0x%" PRIx64, slot);
            TS_TRY(rawheap_number(&name, r, ts_text_of(text)));
        } else {
            TS_TRY(rawheap_word_number(&name, r, value_word(slot)));
        }
        TS_TRY(ts_vec_push(r->ctx, &r->values, &name, sizeof name));
        TS_TRY(ts_idmap_put(r->ctx, map, (int64_t)slot, node));
    }
    *out = (uint32_t)node;
    return TS_OK;
}

/* The edge for what a slot of `node` holds, if any. */
static ts_code slot_edge(rawheap *r, uint32_t node, unsigned type, uint32_t name, uint64_t slot)
{
    const bool weak = (slot & WEAK) != 0;
    uint32_t to;
    if (slot == HOLE) {
        return TS_OK;
    }
    if ((slot & NO_REFERENCE) != 0) {
        TS_TRY(value_node(&to, r, &r->value_of, slot));
        return rawheap_edge_add(r, type, name, to);
    }
    to = referred(r, slot - (weak ? WEAK : 0));
    return to == RAWHEAP_NONE || to == node
               ? TS_OK
               : rawheap_edge_add(r, weak ? RAWHEAP_WEAK : type, name, to);
}

static ts_code native_edge(rawheap *r, uint32_t name, uint64_t address)
{
    uint32_t to;
    if (address == 0) {
        return TS_OK;
    }
    TS_TRY(value_node(&to, r, &r->native_of, address));
    return rawheap_edge_add(r, RAWHEAP_PROPERTY, name, to);
}

/* --- arrays ----------------------------------------------------------------------------------- */

/* Weak references have a name where others have an index: it is the index as a text. */
static ts_code index_name(uint32_t *name, rawheap *r, uint32_t node, uint32_t i, uint64_t slot)
{
    const bool weak = (slot & (NO_REFERENCE | WEAK)) == WEAK;
    const uint32_t to = weak ? referred(r, slot - WEAK) : RAWHEAP_NONE;
    char text[16];
    *name = i;
    if (to == RAWHEAP_NONE || to == node) {
        return TS_OK;
    }
    snprintf(text, sizeof text, "%" PRIu32, i);
    return rawheap_number(name, r, ts_text_of(text));
}

/* Slots from `offset` on, numbered from 0, at most `most`. */
static ts_code element_edges(rawheap *r, uint32_t node, uint64_t offset, uint64_t most)
{
    const rawheap_node *n = rawheap_nodes(r) + node;
    bool has = true;
    for (uint32_t i = 0; i < most && !rawheap_enough(r); i++) {
        uint64_t slot;
        uint32_t name;
        TS_TRY(own_slot(&slot, &has, r, n, offset + SLOT * (uint64_t)i));
        if (!has) {
            break;
        }
        TS_TRY(index_name(&name, r, node, i, slot));
        TS_TRY(slot_edge(r, node, RAWHEAP_ELEMENT, name, slot));
    }
    return TS_OK;
}

static ts_code array_edges(rawheap *r, uint32_t node)
{
    const rawheap_types *t = &r->types;
    uint32_t length;
    bool has;
    if (t->length == NULL || t->data == NULL || t->data->size != SLOT) {
        return TS_OK;
    }
    TS_TRY(other_u32(&length, &has, r, rawheap_nodes(r) + node, t->length->offset));
    return element_edges(r, node, t->data->offset, length);
}

/* --- properties ------------------------------------------------------------------------------- */

/* Entry by entry: the name of the node of the key, the value as it is. */
static ts_code dictionary_edges(rawheap *r, uint32_t node, const rawheap_node *p)
{
    const rawheap_types *t = &r->types;
    const uint64_t step = SLOT * ((uint64_t)t->entry_size & UINT32_MAX);
    uint64_t at = t->data->offset + SLOT * ((uint64_t)t->header_size & UINT32_MAX);
    uint32_t n;
    bool has;
    TS_TRY(other_u32(&n, &has, r, p, t->data->offset + UINT64_C(2) * SLOT));
    for (uint32_t e = 0; e < n && step > 0 && at + step <= memory(r, p) && !rawheap_enough(r);
         e++, at += step) {
        uint64_t key;
        uint64_t value;
        uint32_t named;
        TS_TRY(other_slot(&key, &has, r, p, at + SLOT * ((uint64_t)t->key_index & UINT32_MAX)));
        named = referred(r, key);
        if (named != RAWHEAP_NONE) {
            TS_TRY(other_slot(&value, &has, r, p,
                              at + SLOT * ((uint64_t)t->value_index & UINT32_MAX)));
            if (has && ((value & NO_REFERENCE) != 0 || (value & WEAK) == 0)) {
                TS_TRY(slot_edge(r, node, RAWHEAP_PROPERTY, rawheap_nodes(r)[named].name, value));
            }
        }
    }
    return TS_OK;
}

/* Property i of a layout, whose key and attributes are there: in the object, or in p. */
static ts_code layout_edge(rawheap *r, uint32_t node, const rawheap_node *p, uint32_t named,
                           uint64_t attributes, int64_t i, int64_t inlined)
{
    const rawheap_node *n = rawheap_nodes(r) + node;
    uint32_t name = rawheap_nodes(r)[named].name;
    uint64_t slot = HOLE;
    bool has = false;
    if ((attributes & IS_INLINE) != 0) {
        TS_TRY(own_slot(&slot, &has, r, n, r->types.of[n->kind].end + SLOT * (uint64_t)i));
    } else if (i >= inlined) {
        TS_TRY(
            other_slot(&slot, &has, r, p, r->types.data->offset + SLOT * (uint64_t)(i - inlined)));
    }
    if (rawheap_is_empty(r, name)) {
        TS_TRY(rawheap_word_number(&name, r, WORD_INLINE));
    }
    return has ? slot_edge(r, node, RAWHEAP_PROPERTY, name, slot) : TS_OK;
}

/* The layout is that of the class: 16 bytes for each property, key and attributes. */
static ts_code layout_edges(rawheap *r, uint32_t node, const rawheap_node *p)
{
    const rawheap_types *t = &r->types;
    const rawheap_node *n = rawheap_nodes(r) + node;
    const rawheap_node *class = n->class == RAWHEAP_NONE ? NULL : rawheap_nodes(r) + n->class;
    const rawheap_node *layout;
    uint64_t slot;
    uint32_t bits;
    uint32_t word;
    bool has;
    if (class == NULL || t->layout == NULL || t->bit_field1 == NULL) {
        return TS_OK;
    }
    TS_TRY(other_slot(&slot, &has, r, class, t->layout->offset));
    layout = object_at(r, slot);
    TS_TRY(other_u32(&bits, &has, r, class, t->bit_field1->offset));
    if (layout == NULL || !has) {
        return TS_OK;
    }
    TS_TRY(rawheap_word_number(&word, r, WORD_INLINE));
    for (uint32_t i = 0; i < (bits & 1023) && !rawheap_enough(r); i++) {
        const uint64_t at = t->data->offset + KEY_STEP * (uint64_t)i;
        const int64_t inlined = (int64_t)(bits >> 15 & 32767) - (bits >> 10 & 31);
        uint64_t key;
        uint32_t named;
        TS_TRY(other_slot(&key, &has, r, layout, at));
        named = referred(r, key);
        TS_TRY(other_slot(&slot, &has, r, layout, at + SLOT));
        if (!has) {
            break;
        }
        if (named != RAWHEAP_NONE) {
            TS_TRY(layout_edge(r, node, p, named, slot, i, inlined));
        }
    }
    return TS_OK;
}

static ts_code property_edges(rawheap *r, uint32_t node)
{
    const rawheap_types *t = &r->types;
    const rawheap_node *p;
    uint64_t slot;
    bool has;
    if (t->properties == NULL || t->data == NULL) {
        return TS_OK;
    }
    TS_TRY(own_slot(&slot, &has, r, rawheap_nodes(r) + node, t->properties->offset));
    p = object_at(r, slot);
    return p == NULL                  ? TS_OK
           : p->kind == t->dictionary ? dictionary_edges(r, node, p)
                                      : layout_edges(r, node, p);
}

/* --- objects of native modules ---------------------------------------------------------------- */

/* The array of native pointers of a wrapped object: the address of each. */
static ts_code native_edges(rawheap *r, uint32_t node)
{
    const rawheap_types *t = &r->types;
    const rawheap_node *array;
    char text[32];
    uint64_t slot;
    uint32_t length;
    bool has;
    if (t->native_pointers == NULL || t->external == NULL || t->length == NULL || t->data == NULL) {
        return TS_OK;
    }
    TS_TRY(own_slot(&slot, &has, r, rawheap_nodes(r) + node, t->native_pointers->offset));
    array = object_at(r, slot);
    if (array == NULL) {
        return TS_OK;
    }
    TS_TRY(other_u32(&length, &has, r, array, t->length->offset));
    if (!has || t->data->offset + SLOT * (uint64_t)length > memory(r, array)) {
        return TS_OK;
    }
    for (uint32_t i = 0; i < length && !rawheap_enough(r); i++) {
        const rawheap_node *pointer;
        uint32_t name;
        TS_TRY(other_slot(&slot, &has, r, array, t->data->offset + SLOT * (uint64_t)i));
        pointer = object_at(r, slot);
        if (pointer == NULL) {
            continue;
        }
        TS_TRY(other_slot(&slot, &has, r, pointer, t->external->offset));
        if (has && slot != 0) {
            snprintf(text, sizeof text, "NativeAddress%" PRIu32, i);
            TS_TRY(rawheap_number(&name, r, ts_text_of(text)));
            TS_TRY(native_edge(r, name, slot));
        }
    }
    return TS_OK;
}

/* --- objects ---------------------------------------------------------------------------------- */

static ts_code field_edges(rawheap *r, uint32_t node)
{
    const rawheap_node *n = rawheap_nodes(r) + node;
    const rawheap_type *type = &r->types.of[n->kind];
    rawheap_field *all = r->types.fields.p;
    for (size_t i = type->first; i < type->first + type->count && !rawheap_enough(r); i++) {
        const bool native = n->kind == r->types.native_pointer && &all[i] == r->types.external;
        uint64_t slot;
        uint32_t name;
        bool has;
        if (all[i].size != SLOT) {
            continue;
        }
        TS_TRY(rawheap_field_number(&name, r, &all[i]));
        TS_TRY(own_slot(&slot, &has, r, n, all[i].offset));
        if (has) {
            TS_TRY(native ? native_edge(r, name, slot)
                          : slot_edge(r, node, RAWHEAP_PROPERTY, name, slot));
        }
    }
    return TS_OK;
}

ts_code rawheap_slot_edges(rawheap *r, uint32_t node)
{
    const unsigned kind = rawheap_nodes(r)[node].kind;
    const rawheap_type *type = &r->types.of[kind];
    if (kind == r->types.global_env) {
        return element_edges(r, node, SLOT, UINT32_MAX);
    }
    if (type->array) {
        return array_edges(r, node);
    }
    TS_TRY(field_edges(r, node));
    if (kind == r->types.native_pointer) {
        return TS_OK;
    }
    if (type->object) {
        TS_TRY(property_edges(r, node));
    }
    return kind == r->types.wrapped ? native_edges(r, node) : TS_OK;
}

ts_code rawheap_native_size(uint32_t *out, rawheap *r, uint32_t node)
{
    const rawheap_node *n = rawheap_nodes(r) + node;
    bool has;
    *out = 0;
    if (!rawheap_is_object(r, node)) {
        return TS_OK;
    }
    if (r->layout.version == 2) {
        *out = n->at;
    } else if (n->at != 0 && n->kind == r->types.native_pointer && r->types.binding_size != NULL) {
        return other_u32(out, &has, r, n, r->types.binding_size->offset);
    }
    return TS_OK;
}

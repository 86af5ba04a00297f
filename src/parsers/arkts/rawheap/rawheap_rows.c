/*
 * Rows of objects: where their memory is and what type they are of. A class says the type of its
 * objects, and is an object itself: in version 1 its memory is looked at when all rows are known.
 */
#include "parsers/arkts/rawheap/rawheap.h"

#include <inttypes.h>

enum { ROW = 24, ROWS_AT_ONCE = 256, FRAMEWORK = 14, TEXT = 2 };

/* A table of objects: rows, then memory. */
typedef struct rows {
    rawheap_part part;
    uint64_t step; /* bytes of a row */
    uint32_t count;
} rows;

/* *declared: how many rows there should be. */
static ts_code rows_of(rows *t, uint32_t *declared, rawheap *r, const rawheap_part *part)
{
    uint8_t head[8];
    uint64_t fit;
    *t = (rows){.part = *part};
    TS_TRY(rawheap_read(r, head, part->at, sizeof head));
    *declared = rawheap_u32(head);
    t->step = rawheap_u32(head + 4);
    fit = t->step < ROW ? 0 : (part->size - sizeof head) / t->step;
    t->count = *declared < fit ? *declared : (uint32_t)fit;
    return TS_OK;
}

/* Rows from i on, copied; *n: how many. */
static ts_code read_rows(uint8_t *out, uint32_t *n, rawheap *r, const rows *t, uint32_t i)
{
    *n = t->count - i < ROWS_AT_ONCE ? t->count - i : ROWS_AT_ONCE;
    for (uint32_t k = 0; k < *n; k++) {
        const uint8_t *p;
        size_t have;
        TS_TRY(ts_window_get(&p, &have, r->in, t->part.at + 8 + (uint64_t)(i + k) * t->step, ROW));
        memset(out + (size_t)k * ROW, 0, ROW);
        memcpy(out + (size_t)k * ROW, p, have < ROW ? have : ROW);
    }
    return TS_OK;
}

static ts_code set_hash(rawheap *r, uint32_t node, uint32_t hash)
{
    if (r->hashes.count > 0) {
        ts_idmap_remove(&r->hashes, node); /* of a row before it */
    }
    return hash == 0 ? TS_OK : ts_idmap_put(r->ctx, &r->hashes, node, hash);
}

/* Where the memory of a row of version 1 is; 0: not in the section. */
static uint32_t memory_of(const rows *t, const uint8_t *row)
{
    const uint64_t at = 8 + (uint64_t)rawheap_u32(row + 20);
    return at + 8 <= t->part.size ? (uint32_t)(t->part.at + at) : 0;
}

static ts_code take_first(rawheap *r, const rows *t, const uint8_t *row)
{
    const uint32_t at = memory_of(t, row);
    const uint32_t size = rawheap_u32(row + 16);
    rawheap_node *node;
    uint32_t number;
    if (at == 0) {
        r->cut++;
        return TS_OK;
    }
    TS_TRY(rawheap_meet(&number, r, rawheap_u64(row)));
    node = rawheap_nodes(r) + number;
    node->at = at;
    node->size = size;
    node->id = rawheap_u32(row + 8);
    node->flags &= (uint8_t)~RAWHEAP_CUT;
    node->flags |= at + (uint64_t)size > t->part.at + t->part.size ? RAWHEAP_CUT : 0;
    return set_hash(r, number, rawheap_u32(row + 12));
}

static ts_code take_second(rawheap *r, const uint8_t *row)
{
    const rawheap_node node = {
        .address = rawheap_u32(row),
        .size = rawheap_u32(row + 4),
        .id = rawheap_u32(row + 8),
        .at = rawheap_u32(row + 16),
        .kind = row[20],
        .name = RAWHEAP_EMPTY,
        .class = RAWHEAP_NONE,
        .type = RAWHEAP_NO_TYPE,
    };
    const uint32_t number = (uint32_t)r->nodes.n;
    TS_TRY(ts_vec_push(r->ctx, &r->nodes, &node, sizeof node));
    return set_hash(r, number, rawheap_u32(row + 12));
}

static ts_code take_rows(rawheap *r, const rows *t)
{
    uint8_t all[ROWS_AT_ONCE * ROW];
    uint32_t n = 1;
    for (uint32_t i = 0; i < t->count && n > 0; i += n) {
        TS_TRY(read_rows(all, &n, r, t, i));
        for (uint32_t k = 0; k < n; k++) {
            const uint8_t *row = all + (size_t)k * ROW;
            TS_TRY(r->layout.version == 1 ? take_first(r, t, row) : take_second(r, row));
        }
    }
    return ts_check_cancel(r->ctx);
}

ts_code rawheap_count_rows(uint64_t *out, rawheap *r)
{
    const rawheap_part *parts = r->layout.tables.p;
    *out = 0;
    for (size_t i = 0; i < r->layout.tables.n; i++) {
        rows t;
        uint32_t declared;
        TS_TRY(rows_of(&t, &declared, r, &parts[i]));
        *out += t.count;
    }
    return TS_OK;
}

ts_code rawheap_read_objects(rawheap *r)
{
    const rawheap_part *parts = r->layout.tables.p;
    for (size_t i = 0; i < r->layout.tables.n; i++) {
        rows t;
        uint32_t declared;
        TS_TRY(rows_of(&t, &declared, r, &parts[i]));
        if (declared > t.count) {
            TS_TRY(RAWHEAP_ISSUE(r, rawheap_section_bad, parts[i].at,
                                 "%" PRIu32 " of %" PRIu32
                                 " rows of objects do not fit their section",
                                 declared - t.count, declared));
        }
        TS_TRY(take_rows(r, &t));
        r->tokens.at = parts[i].at + 8 + t.count * t.step;
        r->tokens.size = parts[i].at + parts[i].size - r->tokens.at;
    }
    TS_TRY(rawheap_settle(r));
    if (r->cut > 0) {
        TS_TRY(RAWHEAP_ISSUE(r, rawheap_section_bad, TS_NO_OFFSET,
                             "%" PRIu64 " objects have no memory in their section", r->cut));
    }
    if (r->twice > 0) {
        TS_TRY(ts_issue_n(r->store, r->job->source_id, TS_ISSUE_rawheap_address_twice, NULL,
                          TS_NO_OFFSET, r->twice,
                          "objects have the address of another one, which references mean"));
    }
    return TS_OK;
}

/* --- types of version 1 ----------------------------------------------------------------------- */

/* The class of the object of a row, from its first slot. */
static ts_code find_class(rawheap *r, const rows *t, const uint8_t *row)
{
    const uint32_t at = memory_of(t, row);
    const uint32_t node = at == 0 ? RAWHEAP_NONE : rawheap_find(r, rawheap_u64(row));
    uint64_t address;
    if (node != RAWHEAP_NONE && rawheap_nodes(r)[node].at == at) {
        TS_TRY(rawheap_address(&address, r, at));
        rawheap_nodes(r)[node].class = rawheap_find(r, address);
    }
    return TS_OK;
}

static ts_code find_classes(rawheap *r, const rows *t)
{
    uint8_t all[ROWS_AT_ONCE * ROW];
    uint32_t n = 1;
    for (uint32_t i = 0; i < t->count && n > 0; i += n) {
        TS_TRY(read_rows(all, &n, r, t, i));
        for (uint32_t k = 0; k < n; k++) {
            TS_TRY(find_class(r, t, all + (size_t)k * ROW));
        }
    }
    return ts_check_cancel(r->ctx);
}

/* The type number that a class gives its objects; 0: none. */
static ts_code kind_of(uint8_t *out, rawheap *r, const rawheap_node *class)
{
    const uint64_t offset = r->types.bit_field->offset;
    uint8_t bits = 0;
    if (class->at != 0 && (class->flags & RAWHEAP_CUT) == 0 && offset + 4 <= class->size) {
        TS_TRY(rawheap_read(r, &bits, class->at + offset, 1));
    }
    *out = bits < r->types.count ? bits : 0;
    return TS_OK;
}

static ts_code find_kinds(rawheap *r)
{
    rawheap_node *all = rawheap_nodes(r);
    uint32_t last = RAWHEAP_NONE; /* neighbours often have one class */
    uint8_t kind = 0;
    for (size_t i = r->first_object; i < r->nodes.n; i++) {
        if (all[i].at != 0 && all[i].class != RAWHEAP_NONE) {
            if (all[i].class != last) {
                last = all[i].class;
                TS_TRY(kind_of(&kind, r, &all[last]));
            }
            all[i].kind = kind;
        }
    }
    return TS_OK;
}

/* Memory that is not whole is that of strings, of which no more is written than the class. What has
 * no class may be one. */
static ts_code leave_cut(rawheap *r)
{
    rawheap_node *all = rawheap_nodes(r);
    uint64_t n = 0;
    for (size_t i = r->first_object; i < r->nodes.n; i++) {
        if ((all[i].flags & RAWHEAP_CUT) != 0 && all[i].kind != 0 &&
            !r->types.of[all[i].kind].string) {
            all[i].at = 0;
            all[i].kind = 0;
            all[i].class = RAWHEAP_NONE;
            n++;
        }
    }
    return n == 0 ? TS_OK
                  : RAWHEAP_ISSUE(r, rawheap_section_bad, TS_NO_OFFSET,
                                  "the memory of %" PRIu64 " objects leaves their section", n);
}

ts_code rawheap_find_types(rawheap *r)
{
    const rawheap_part *parts = r->layout.tables.p;
    for (size_t i = 0; i < r->layout.tables.n; i++) {
        rows t;
        uint32_t declared;
        TS_TRY(rows_of(&t, &declared, r, &parts[i]));
        TS_TRY(find_classes(r, &t));
    }
    TS_TRY(find_kinds(r));
    return leave_cut(r);
}

/* --- names ------------------------------------------------------------------------------------ */

static ts_code type_name(uint32_t *out, rawheap *r, unsigned kind)
{
    rawheap_type *type = &r->types.of[kind];
    if (kind >= r->types.count) {
        return rawheap_word_number(out, r, WORD_UNKNOWN);
    }
    if (type->number == RAWHEAP_NONE) {
        TS_TRY(rawheap_number(&type->number, r, type->name));
    }
    *out = type->number;
    return TS_OK;
}

static ts_code name_node(rawheap *r, rawheap_node *node)
{
    const bool first = r->layout.version == 1;
    const bool known = first ? node->kind != 0 : node->kind < r->types.count;
    const bool listed = (node->flags & RAWHEAP_LISTED) != 0;
    const bool row = !first || node->at != 0;
    const rawheap_type *type = &r->types.of[node->kind];
    node->type = known ? type->node_type : first && listed ? TEXT : RAWHEAP_NO_TYPE;
    if (row && !listed && !(node->kind < r->types.count && type->string)) {
        TS_TRY(type_name(&node->name, r, node->kind));
    }
    if (first ? row && rawheap_is_global(r, node->name) : (node->flags & RAWHEAP_GLOBAL) != 0) {
        node->type = FRAMEWORK;
    }
    return TS_OK;
}

ts_code rawheap_name_nodes(rawheap *r)
{
    uint32_t name;
    if (r->layout.version == 2 && r->metadata == RAWHEAP_NONE) {
        TS_TRY(type_name(&rawheap_nodes(r)[RAWHEAP_GROUPS + 1].name, r, 0));
    }
    for (uint32_t i = r->first_object; i < r->nodes.n; i++) {
        if (rawheap_is_object(r, i)) {
            TS_TRY(name_node(r, rawheap_nodes(r) + i));
        }
    }
    return r->layout.tracked ? rawheap_word_number(&name, r, WORD_JS_OBJECT) : TS_OK;
}

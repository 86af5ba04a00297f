/*
 * The nodes of a dump in their order, and where each address has its node. Version 1: nodes that
 * stand for groups, then each address when it is met: among the roots, in groups, with a string, in
 * the rows of objects. Version 2: a node for each row. What values and hashes are comes after all
 * objects, when edges are made.
 */
#include "parsers/arkts/rawheap/rawheap.h"

#include <inttypes.h>
#include <stdio.h>

enum { GROUP_TYPE = 15, SYNTHETIC = 9, NATIVE = 8, OBJECT = 3 };

static bool is_address(const void *owner, uint32_t number, const void *key)
{
    return ((const rawheap_node *)owner)[number].address == *(const uint64_t *)key;
}

uint32_t rawheap_find(const rawheap *r, uint64_t address)
{
    if (ts_nearmap_made(&r->map)) {
        return ts_nearmap_find(&r->map, address);
    }
    return ts_index_find(&r->by_address, ts_hash_number(&r->by_address.key, (int64_t)address),
                         is_address, r->nodes.p, &address);
}

/* A node is that of its address from now on, unless there is one. */
static ts_code index_node(rawheap *r, uint32_t node)
{
    const uint64_t address = rawheap_nodes(r)[node].address;
    ts_index_place place;
    TS_TRY(ts_index_reserve(r->ctx, &r->by_address));
    if (ts_index_search(&place, &r->by_address,
                        ts_hash_number(&r->by_address.key, (int64_t)address), is_address,
                        r->nodes.p, &address) != TS_INDEX_NONE) {
        r->twice++;
        return TS_OK;
    }
    ts_index_add(&r->by_address, place, node);
    return TS_OK;
}

ts_code rawheap_address(uint64_t *out, rawheap *r, uint64_t at)
{
    const uint8_t *p;
    size_t n;
    *out = 0;
    TS_TRY(ts_window_get(&p, &n, r->in, at, r->layout.word));
    if (n >= r->layout.word) {
        *out = r->layout.word == 4 ? rawheap_u32(p) : rawheap_u64(p);
    }
    return TS_OK;
}

/* --- those that stand for groups -------------------------------------------------------------- */

static ts_code add_made(uint32_t *out, rawheap *r, unsigned type, uint32_t id, uint32_t size,
                        const char *name)
{
    rawheap_node node = {.type = (uint8_t)type, .id = id, .size = size, .class = RAWHEAP_NONE};
    TS_TRY(rawheap_number(&node.name, r, ts_text_of(name)));
    *out = (uint32_t)r->nodes.n;
    return ts_vec_push(r->ctx, &r->nodes, &node, sizeof node);
}

/* What the header says. Version 2 has a node for it in any case, which is none of a known type
 * then. */
static ts_code add_metadata(rawheap *r)
{
    const rawheap_layout *l = &r->layout;
    const rawheap_node none = {.type = NATIVE, .name = RAWHEAP_EMPTY, .class = RAWHEAP_NONE};
    if (l->texts[0][0] != '\0' || l->texts[1][0] != '\0') {
        return add_made(&r->metadata, r, NATIVE, 0, 1, "HeapMetadata");
    }
    return l->version == 1 ? TS_OK : ts_vec_push(r->ctx, &r->nodes, &none, sizeof none);
}

static ts_code add_metadata_texts(rawheap *r)
{
    static const char *const names[] = {"spaceType", "heapType", "vmType"};
    for (size_t i = 0; i < 3 && r->metadata != RAWHEAP_NONE; i++) {
        uint32_t number;
        TS_TRY(rawheap_number(&number, r, ts_text_of(r->layout.texts[i])));
        TS_TRY(rawheap_late_add(&number, r, number));
        TS_TRY(rawheap_number(&r->metadata_names[i], r, ts_text_of(names[i])));
    }
    return TS_OK;
}

/* References that the runtime keeps: the first of equal ones counts. Until they are named, `at` and
 * `size` have the address of the reference. */
static ts_code find_references(ts_vec *out, rawheap *r)
{
    const rawheap_list *list = &r->layout.references;
    const unsigned step = 8 + r->layout.word;
    ts_idmap met = {0};
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < list->count && code == TS_OK; i++) {
        rawheap_node node = {.type = OBJECT, .class = RAWHEAP_NONE};
        uint64_t other;
        const uint8_t *p;
        size_t n;
        code = ts_window_get(&p, &n, r->in, list->at + (uint64_t)i * step, step);
        if (code != TS_OK || n < step || ts_idmap_find(&other, &met, (int64_t)rawheap_u64(p))) {
            continue;
        }
        node.at = rawheap_u32(p);
        node.size = rawheap_u32(p + 4);
        node.address = r->layout.word == 4 ? rawheap_u32(p + 8) : rawheap_u64(p + 8);
        code = ts_idmap_put(r->ctx, &met, (int64_t)rawheap_u64(p), i);
        TS_STEP(code, ts_vec_push(r->ctx, out, &node, sizeof node));
    }
    ts_idmap_free(r->ctx, &met);
    return code;
}

static ts_code add_references(ts_vec *references, rawheap *r)
{
    rawheap_node *all;
    char name[64];
    if (!r->layout.tracked) {
        return TS_OK;
    }
    TS_TRY(find_references(references, r));
    r->reference_count = (uint32_t)references->n;
    snprintf(name, sizeof name, "GlobalHandleObject[%" PRIu32 "]", r->reference_count);
    TS_TRY(add_made(&r->references, r, GROUP_TYPE, 0, 1, name));
    all = references->p;
    for (size_t i = 0; i < references->n; i++) {
        snprintf(name, sizeof name, "ReferenceAddress:0x%" PRIx64,
                 (uint64_t)all[i].size << 32 | all[i].at);
        TS_TRY(rawheap_number(&all[i].name, r, ts_text_of(name)));
        all[i].at = 0;
        all[i].size = 0;
    }
    return TS_OK;
}

/* The root, the groups, what the header says, and the node that has the references. */
static ts_code add_begin(ts_vec *references, rawheap *r)
{
    static const char *const groups[RAWHEAP_GROUPS] = {"LocalHandleRoot", "GlobalHandleRoot",
                                                       "VMRoot", "FrameRoot"};
    char name[64];
    uint32_t out;
    TS_TRY(add_made(&out, r, SYNTHETIC, 1, 0, "SyntheticRoot"));
    TS_TRY(rawheap_word_number(&out, r, WORD_SUBROOT));
    for (unsigned i = 0; i < RAWHEAP_GROUPS; i++) {
        snprintf(name, sizeof name, "%s[%" PRIu32 "]", groups[i], r->layout.groups[i].count);
        TS_TRY(add_made(&out, r, GROUP_TYPE, 0, 1, name));
    }
    TS_TRY(add_metadata(r));
    TS_TRY(add_references(references, r));
    return add_metadata_texts(r);
}

static ts_code put_references(rawheap *r, const ts_vec *references)
{
    const rawheap_node *all = references->p;
    r->first_reference = (uint32_t)r->nodes.n;
    for (size_t i = 0; i < references->n; i++) {
        TS_TRY(ts_vec_push(r->ctx, &r->nodes, &all[i], sizeof all[i]));
    }
    return TS_OK;
}

/* --- addresses that are met (version 1) ------------------------------------------------------- */

ts_code rawheap_meet(uint32_t *out, rawheap *r, uint64_t address)
{
    const rawheap_node node = {
        .address = address, .name = RAWHEAP_EMPTY, .class = RAWHEAP_NONE, .type = RAWHEAP_NO_TYPE};
    *out = rawheap_find(r, address);
    if (*out != RAWHEAP_NONE) {
        return TS_OK;
    }
    *out = (uint32_t)r->nodes.n;
    TS_TRY(ts_vec_push(r->ctx, &r->nodes, &node, sizeof node));
    return index_node(r, *out);
}

static ts_code meet_list(rawheap *r, const rawheap_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        uint64_t address;
        uint32_t node;
        TS_TRY(rawheap_address(&address, r, list->at + (uint64_t)i * r->layout.word));
        TS_TRY(rawheap_meet(&node, r, address));
    }
    return TS_OK;
}

/* --- all that are there ----------------------------------------------------------------------- */

enum { MAP_LEAST = 1 << 20 }; /* bytes that are no matter */

/* Room for the bits of all addresses. */
static ts_code make_room(bool *fits, rawheap *r)
{
    const rawheap_node *all = rawheap_nodes(r);
    const uint64_t most = 2 * (uint64_t)(r->nodes.n - r->first_object);
    ts_nearmap_range range = {UINT64_MAX, 0, 0, most > MAP_LEAST ? most : MAP_LEAST};
    const uint64_t any = all[r->first_object].address;
    for (uint32_t i = r->first_object; i < r->nodes.n; i++) {
        if (rawheap_is_object(r, i)) {
            const uint64_t a = all[i].address;
            range.least = a < range.least ? a : range.least;
            range.greatest = a > range.greatest ? a : range.greatest;
            range.all_bits |= a > any ? a - any : any - a;
        }
    }
    TS_TRY(ts_nearmap_begin(fits, &r->map, r->ctx, &range));
    for (uint32_t i = r->first_object; *fits && i < r->nodes.n; i++) {
        if (rawheap_is_object(r, i)) {
            ts_nearmap_room(&r->map, all[i].address);
        }
    }
    return *fits ? ts_nearmap_blocks(fits, &r->map, r->ctx) : TS_OK;
}

/* Gives the map the value of each number; put: for the second time, when lists have their places.
 */
static void give_values(rawheap *r, const ts_vec *twice, bool put)
{
    const rawheap_node *all = rawheap_nodes(r);
    const uint32_t *others = twice->p;
    size_t other = 0;
    for (uint32_t i = r->first_object; i < r->nodes.n; i++) {
        if (other < twice->n && others[other] == i) {
            other++;
        } else if (rawheap_is_object(r, i) && put) {
            ts_nearmap_put(&r->map, all[i].address, i);
        } else if (rawheap_is_object(r, i)) {
            ts_nearmap_value(&r->map, all[i].address, i);
        }
    }
}

static ts_code fill_map(rawheap *r)
{
    ts_vec twice = {0}; /* uint32_t: nodes of addresses that have one */
    ts_code code = TS_OK;
    for (uint32_t i = r->first_object; i < r->nodes.n && code == TS_OK; i++) {
        if (rawheap_is_object(r, i) && ts_nearmap_set(&r->map, rawheap_nodes(r)[i].address)) {
            code = ts_vec_push(r->ctx, &twice, &i, sizeof i);
        }
    }
    if (code == TS_OK) {
        r->twice += twice.n;
        ts_nearmap_count(&r->map);
        give_values(r, &twice, false);
        code = ts_nearmap_lists(&r->map, r->ctx);
    }
    if (code == TS_OK) {
        give_values(r, &twice, true);
    }
    ts_vec_free(r->ctx, &twice);
    return code;
}

ts_code rawheap_settle(rawheap *r)
{
    bool fits = false;
    ts_index_free(r->ctx, &r->by_address);
    if (r->layout.version == 2) {
        r->first_reference = (uint32_t)r->nodes.n; /* they come after the objects */
    }
    if (r->nodes.n > r->first_object) {
        TS_TRY(make_room(&fits, r));
    }
    if (fits) {
        return fill_map(r);
    }
    for (uint32_t i = r->first_object; i < r->nodes.n; i++) {
        if (rawheap_is_object(r, i)) {
            TS_TRY(index_node(r, i));
        }
    }
    return TS_OK;
}

/* --- strings ---------------------------------------------------------------------------------- */

/* The objects that have a text; of several texts the last. */
static ts_code name_objects(rawheap *r, uint32_t number, uint64_t addresses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t address;
        uint32_t node;
        TS_TRY(rawheap_address(&address, r, addresses + (uint64_t)i * r->layout.word));
        if (r->layout.version == 1) {
            TS_TRY(rawheap_meet(&node, r, address));
        } else {
            node = rawheap_find(r, address);
        }
        if (node != RAWHEAP_NONE) {
            rawheap_node *of = rawheap_nodes(r) + node;
            of->name = number;
            of->flags |= RAWHEAP_LISTED;
            of->flags |= rawheap_is_global(r, number) ? RAWHEAP_GLOBAL : 0;
        }
    }
    return TS_OK;
}

static ts_code string_cut(rawheap *r, uint64_t at, uint32_t left)
{
    return RAWHEAP_ISSUE(r, rawheap_section_bad, at,
                         "%" PRIu32 " strings do not fit the section of strings", left);
}

/* The table of strings: length, number of objects, their addresses, text and a NUL. */
static ts_code read_strings(rawheap *r)
{
    const uint64_t end = r->layout.strings.at + r->layout.strings.size;
    uint64_t at = r->layout.strings.at;
    uint8_t head[8];
    uint32_t count = 0;
    if (r->layout.strings.size > 0) {
        TS_TRY(rawheap_read(r, head, at, sizeof head));
        count = rawheap_u32(head);
        at += sizeof head;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *p;
        size_t n;
        uint32_t number;
        if (end - at < sizeof head) {
            return string_cut(r, at, count - i);
        }
        TS_TRY(ts_window_get(&p, &n, r->in, at, sizeof head));
        const uint32_t length = n < sizeof head ? 0 : rawheap_u32(p);
        const uint32_t objects = n < sizeof head ? 0 : rawheap_u32(p + 4);
        const uint64_t addresses = (uint64_t)objects * r->layout.word;
        if (n < sizeof head || addresses + length + 1 > end - at - sizeof head) {
            return string_cut(r, at, count - i);
        }
        at += sizeof head;
        TS_TRY(rawheap_file_text(&number, r, at + addresses, length));
        TS_TRY(name_objects(r, number, at, objects));
        at += addresses + length + 1;
    }
    return TS_OK;
}

/* --- the whole -------------------------------------------------------------------------------- */

static ts_code make_first(rawheap *r, const ts_vec *references)
{
    TS_TRY(meet_list(r, &r->layout.roots));
    for (unsigned i = 0; i < RAWHEAP_GROUPS; i++) {
        TS_TRY(meet_list(r, &r->layout.groups[i]));
    }
    TS_TRY(put_references(r, references));
    TS_TRY(read_strings(r));
    TS_TRY(rawheap_read_objects(r));
    return rawheap_find_types(r);
}

static ts_code make_second(rawheap *r, const ts_vec *references)
{
    TS_TRY(rawheap_read_objects(r));
    TS_TRY(put_references(r, references));
    return read_strings(r);
}

ts_code rawheap_make_nodes(rawheap *r)
{
    ts_vec references = {0};
    ts_code code;
    uint64_t rows;
    r->metadata = RAWHEAP_NONE;
    r->references = RAWHEAP_NONE;
    code = rawheap_count_rows(&rows, r);
    TS_STEP(code, ts_vec_reserve(r->ctx, &r->nodes, (size_t)rows, sizeof(rawheap_node)));
    TS_STEP(code, add_begin(&references, r));
    r->first_object = (uint32_t)r->nodes.n;
    TS_STEP(code,
            r->layout.version == 1 ? make_first(r, &references) : make_second(r, &references));
    TS_STEP(code, rawheap_name_nodes(r));
    ts_vec_free(r->ctx, &references);
    return code;
}

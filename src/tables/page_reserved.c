/* Rows that are completed later: what is remembered of them, and the patches. */
#include "tables/page_private.h"

#include "base/alloc.h"

enum { FIRST_SLOTS = 16, MAX_SPARE = 64 };

static uint32_t reserved_slot_of(const reserved_map *map, int64_t rowid)
{
    return (uint32_t)((uint64_t)rowid * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->cap - 1);
}

static ts_code reserved_grow(ts_pages *p, reserved_map *map)
{
    reserved_map bigger = *map;
    bigger.cap = map->cap == 0 ? FIRST_SLOTS : 2 * map->cap;
    TS_NEED(p->ctx, bigger.slots = ts_zalloc(p->ctx, bigger.cap, sizeof *bigger.slots));
    for (uint32_t i = 0; i < map->cap; i++) {
        for (reserved_row *r = map->slots[i]; r != NULL;) {
            reserved_row *next = r->next;
            reserved_row **slot = &bigger.slots[reserved_slot_of(&bigger, r->rowid)];
            r->next = *slot;
            *slot = r;
            r = next;
        }
    }
    ts_free(p->ctx, map->slots);
    *map = bigger;
    return TS_OK;
}

ts_code page_reserve(reserved_row **out, ts_pages *p, page_table *t, int64_t rowid,
                     uint64_t columns)
{
    reserved_map *map = &t->reserved;
    size_t n = t->reservable_count;
    reserved_row *r = map->spare;
    reserved_row **slot;
    ts_code code;
    if (map->count == map->cap && (code = reserved_grow(p, map)) != TS_OK) {
        return code;
    }
    if (r != NULL) {
        map->spare = r->next;
        map->spare_count--;
    } else if ((r = ts_alloc(p->ctx, 1, sizeof *r + n * sizeof r->offsets[0])) == NULL) {
        return p->ctx->error.code;
    }
    slot = &map->slots[reserved_slot_of(map, rowid)];
    *r = (reserved_row){.next = *slot, .rowid = rowid, .columns = columns};
    *slot = r;
    map->count++;
    *out = r;
    return TS_OK;
}

/* The link to the row; *link is NULL, or the result itself, when it is not there. */
static reserved_row **find(reserved_map *map, int64_t rowid)
{
    reserved_row **link;
    if (map->cap == 0) {
        return NULL;
    }
    link = &map->slots[reserved_slot_of(map, rowid)];
    while (*link != NULL && (*link)->rowid != rowid) {
        link = &(*link)->next;
    }
    return *link == NULL ? NULL : link;
}

static void reserved_drop(ts_pages *p, reserved_map *map, reserved_row **link)
{
    reserved_row *gone = *link;
    *link = gone->next;
    map->count--;
    if (map->spare_count == MAX_SPARE) {
        ts_free(p->ctx, gone);
        return;
    }
    gone->next = map->spare;
    map->spare = gone;
    map->spare_count++;
}

void ts_pages_release(ts_pages *p, unsigned id, int64_t rowid)
{
    page_table *t = &p->tables[id];
    reserved_map *map = &t->reserved;
    int64_t *held;
    uint64_t *open = page_held_open(&held, t, rowid);
    if (open != NULL) {
        *open = 0;
        return;
    }
    reserved_row **link = find(map, rowid);
    if (link != NULL) {
        reserved_drop(p, map, link);
    }
}

static void free_chain(ts_pages *p, reserved_row *r)
{
    while (r != NULL) {
        reserved_row *next = r->next;
        ts_free(p->ctx, r);
        r = next;
    }
}

void page_forget_all(ts_pages *p, page_table *t)
{
    reserved_map *map = &t->reserved;
    for (uint32_t i = 0; i < map->cap; i++) {
        free_chain(p, map->slots[i]);
    }
    free_chain(p, map->spare);
    ts_free(p->ctx, map->slots);
    *map = (reserved_map){0};
}

static uint32_t leaf_of(const page_table *t, const reserved_row *r)
{
    return r->page != 0 ? r->page : t->first_leaf; /* 0 for the first one while it is open */
}

/* The row's leaf when it is still in memory, or NULL. */
static uint8_t *leaf_in_memory(const ts_pages *p, const page_table *t, const reserved_row *r)
{
    uint32_t number = leaf_of(t, r);
    return number == t->leaf_number ? t->leaf.bytes : page_queued(p, number);
}

static ts_code patch_leaf(ts_pages *p, page_table *t, const reserved_row *r, uint32_t at,
                          const uint8_t *bytes, uint32_t n)
{
    uint8_t *page = leaf_in_memory(p, t, r);
    if (page != NULL) {
        memcpy(page + at, bytes, n);
        return TS_OK;
    }
    return page_write_at(p, page_offset(p, leaf_of(t, r)) + at, bytes, n);
}

/* Writes 8 bytes at `offset` of the record, of which some may stand in overflow pages. */
static ts_code patch_record(ts_pages *p, page_table *t, const reserved_row *r, uint32_t offset,
                            const uint8_t bytes[8])
{
    uint32_t room = p->page_size - OVERFLOW_HEADER;
    uint32_t done = 0;
    ts_code code = TS_OK;
    while (done < 8 && code == TS_OK) {
        uint32_t left = 8 - done;
        uint32_t n;
        if (offset < r->local) {
            n = r->local - offset < left ? r->local - offset : left;
            code = patch_leaf(p, t, r, r->at + offset, bytes + done, n);
        } else {
            uint32_t page = page_after(p, r->overflow, (offset - r->local) / room);
            uint32_t at = (offset - r->local) % room;
            n = room - at < left ? room - at : left;
            code = page_patch(p, page, OVERFLOW_HEADER + at, bytes + done, n);
        }
        done += n;
        offset += n;
    }
    return code;
}

ts_code ts_pages_complete(ts_pages *p, unsigned id, int64_t rowid, unsigned column, int64_t value)
{
    page_table *t = &p->tables[id];
    int64_t *held;
    const uint64_t *open = page_held_open(&held, t, rowid);
    reserved_row **link = open != NULL ? NULL : find(&t->reserved, rowid);
    const uint64_t columns = open != NULL ? *open : link != NULL ? (*link)->columns : 0;
    uint8_t bytes[8];
    unsigned before;
    if (column >= MAX_COLUMNS || (columns >> column & 1) == 0) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL,
                       "no such reserved cell: table=%s, row=%lld, column=%u", t->table->name,
                       (long long)rowid, column);
    }
    if (link == NULL) {
        held[1 + column] = value;
        return TS_OK;
    }
    before = (unsigned)__builtin_popcountll(columns & ((UINT64_C(1) << column) - 1));
    page_put_be64(bytes, (uint64_t)value);
    return patch_record(p, t, *link, (*link)->offsets[before], bytes);
}

/* Of a row that lies in its leaf as a whole, and the leaf in the file: columns that stand side by
 * side in one piece. */
static ts_code write_columns(ts_pages *p, page_table *t, const reserved_row *r, uint64_t columns,
                             const int64_t *values)
{
    uint8_t bytes[MAX_COLUMNS * 8];
    uint32_t at = 0;
    uint32_t n = 0;
    unsigned k = 0;
    ts_code code = TS_OK;
    for (uint64_t left = r->columns; left != 0 && code == TS_OK; left &= left - 1, k++) {
        if ((columns & left & -left) == 0) {
            continue;
        }
        if (n > 0 && r->offsets[k] != at + n) {
            code = patch_leaf(p, t, r, r->at + at, bytes, n);
            n = 0;
        }
        at = n == 0 ? r->offsets[k] : at;
        page_put_be64(bytes + n, (uint64_t)*values++);
        n += 8;
    }
    TS_STEP(code, patch_leaf(p, t, r, r->at + at, bytes, n));
    return code;
}

static ts_code set_columns(ts_pages *p, page_table *t, const reserved_row *r, uint64_t columns,
                           const int64_t *values)
{
    uint8_t *leaf = leaf_in_memory(p, t, r);
    unsigned k = 0;
    ts_code code = TS_OK;
    if (r->overflow == 0 && leaf == NULL) {
        return write_columns(p, t, r, columns, values);
    }
    for (uint64_t left = r->columns; left != 0 && code == TS_OK; left &= left - 1, k++) {
        uint8_t bytes[8];
        if ((columns & left & -left) == 0) {
            continue;
        }
        page_put_be64(bytes, (uint64_t)*values++);
        if (r->overflow == 0) {
            memcpy(leaf + r->at + r->offsets[k], bytes, 8);
        } else {
            code = patch_record(p, t, r, r->offsets[k], bytes);
        }
    }
    return code;
}

ts_code ts_pages_settle(ts_pages *p, unsigned id, int64_t rowid, uint64_t columns,
                        const int64_t *values)
{
    page_table *t = &p->tables[id];
    int64_t *held;
    uint64_t *open = page_held_open(&held, t, rowid);
    reserved_row **link = open != NULL ? NULL : find(&t->reserved, rowid);
    const uint64_t reserved = open != NULL ? *open : link != NULL ? (*link)->columns : 0;
    ts_code code = TS_OK;
    if (reserved == 0 || (columns & ~reserved) != 0) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL,
                       "no such reserved cells: table=%s, row=%lld, columns=%#llx", t->table->name,
                       (long long)rowid, (unsigned long long)columns);
    }
    if (link == NULL) {
        for (; columns != 0; columns &= columns - 1) {
            held[1 + __builtin_ctzll(columns)] = *values++;
        }
        *open = 0;
        return TS_OK;
    }
    if (columns != 0) {
        code = set_columns(p, t, *link, columns, values);
    }
    reserved_drop(p, &t->reserved, link);
    return code;
}

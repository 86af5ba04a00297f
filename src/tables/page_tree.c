/* Table b-trees that only grow: the open leaf and the open interior pages above it. */
#include "tables/page_private.h"

#include "base/alloc.h"

static void start_page(const ts_pages *p, open_page *page, uint8_t type)
{
    page->bytes[0] = type;
    page->header = type == LEAF_TYPE ? LEAF_HEADER : INTERIOR_HEADER;
    page->cells = 0;
    page->content = p->page_size;
}

/* Completes a page that is about to be written: its header, and what holds nothing. */
static void close_page(const open_page *page)
{
    uint32_t pointers_end = page->header + CELL_POINTER * page->cells;
    page_put16(page->bytes + 1, 0); /* no free blocks */
    page_put16(page->bytes + 3, page->cells);
    page_put16(page->bytes + 5, page->content & 0xffff); /* 65536 is stored as 0 */
    page->bytes[7] = 0;                                  /* no fragments */
    memset(page->bytes + pointers_end, 0, page->content - pointers_end);
}

/* Takes n bytes for a cell; NULL when there is no room. */
static uint8_t *page_take(open_page *page, uint32_t n)
{
    uint32_t pointers = page->header + CELL_POINTER * (page->cells + 1);
    if (pointers + n > page->content) {
        return NULL;
    }
    page->content -= n;
    page_put16(page->bytes + page->header + (size_t)CELL_POINTER * page->cells, page->content);
    page->cells++;
    return page->bytes + page->content;
}

static uint32_t encode_child(uint8_t cell[4 + MAX_VARINT], uint32_t child, int64_t key)
{
    page_put32(cell, child);
    return 4 + page_varint(cell + 4, (uint64_t)key);
}

static uint32_t last_child(const open_page *page, int64_t *key, uint32_t *size)
{
    const uint8_t *cell = page->bytes + page->content;
    uint64_t v = 0;
    uint32_t n = 0;
    uint8_t byte;
    do {
        byte = cell[4 + n];
        v = n == 8 ? v << 8 | byte : v << 7 | (byte & 0x7f);
        n++;
    } while (byte >= 0x80 && n < MAX_VARINT);
    *key = (int64_t)v;
    *size = 4 + n;
    return (uint32_t)cell[0] << 24 | (uint32_t)cell[1] << 16 | (uint32_t)cell[2] << 8 | cell[3];
}

static ts_code new_level(ts_pages *p, page_table *t, uint32_t child, int64_t key)
{
    open_level *level = &t->level[t->levels];
    if (t->levels == MAX_LEVELS) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL, "table %s is too deep", t->table->name);
    }
    TS_NEED(p->ctx, level->page.bytes = ts_alloc(p->ctx, p->page_size, 1));
    start_page(p, &level->page, INTERIOR_TYPE);
    level->child = child;
    level->key = key;
    t->levels++;
    return TS_OK;
}

/* Writes an interior page with the right-most child given: its number and largest rowid. */
static ts_code emit_interior(ts_pages *p, const open_page *page, uint32_t right, uint32_t *number)
{
    page_put32(page->bytes + 8, right);
    close_page(page);
    return page_emit(p, number, page->bytes);
}

/*
 * Hangs a written page below level `at`, which may be one that does not exist yet. A full interior
 * page is written with its last cell's child as the right-most one, so that the page after it
 * begins with two children and is never empty.
 */
static ts_code add_child(ts_pages *p, page_table *t, unsigned at, uint32_t child, int64_t key)
{
    for (; at < t->levels; at++) {
        open_level *level = &t->level[at];
        uint8_t cell[4 + MAX_VARINT];
        uint32_t n = encode_child(cell, level->child, level->key);
        uint8_t *place = page_take(&level->page, n);
        uint32_t number;
        uint32_t size;
        int64_t last_key;
        level->child = child;
        level->key = key;
        if (place != NULL) {
            memcpy(place, cell, n);
            return TS_OK;
        }
        child = last_child(&level->page, &last_key, &size);
        level->page.cells--;
        level->page.content += size;
        TS_TRY(emit_interior(p, &level->page, child, &number));
        start_page(p, &level->page, INTERIOR_TYPE);
        memcpy(page_take(&level->page, n), cell, n);
        child = number;
        key = last_key;
    }
    return new_level(p, t, child, key);
}

/* --- leaves ---------------------------------------------------------------------------------- */

static ts_code first_leaf(ts_pages *p, page_table *t)
{
    TS_NEED(p->ctx, t->own = ts_alloc(p->ctx, p->page_size, 1));
    t->leaf.bytes = t->own;
    start_page(p, &t->leaf, LEAF_TYPE);
    return TS_OK;
}

static ts_code page_next_leaf(ts_pages *p, page_table *t)
{
    ts_code code = page_claim(p, &t->leaf_number, &t->leaf.bytes);
    if (code == TS_OK) {
        t->queued = true;
        start_page(p, &t->leaf, LEAF_TYPE);
    }
    return code;
}

/* Ends the open leaf, wherever it is, and hangs it into the tree. */
static ts_code end_leaf(ts_pages *p, page_table *t)
{
    ts_code code = TS_OK;
    close_page(&t->leaf);
    if (t->leaf_number == 0) {
        code = page_emit(p, &t->leaf_number, t->leaf.bytes);
        t->first_leaf = t->leaf_number;
    } else if (!t->queued) {
        code = page_write_at(p, page_offset(p, t->leaf_number), t->leaf.bytes, p->page_size);
    }
    t->queued = false;
    TS_STEP(code, add_child(p, t, 0, t->leaf_number, t->rows));
    return code;
}

ts_code page_cell(ts_pages *p, page_table *t, uint32_t n, uint8_t **cell)
{
    ts_code code;
    if (t->leaf.bytes == NULL && (code = first_leaf(p, t)) != TS_OK) {
        return code;
    }
    *cell = page_take(&t->leaf, n);
    if (*cell == NULL) {
        TS_TRY_INTO(code, end_leaf(p, t));
        TS_TRY_INTO(code, page_next_leaf(p, t));
        *cell = page_take(&t->leaf, n);
    }
    return *cell == NULL ? ts_fail(p->ctx, TS_ERR_INTERNAL, "a cell of %u bytes does not fit", n)
                         : TS_OK;
}

/* --- the end --------------------------------------------------------------------------------- */

/* The first page of the file begins with the header of the database, which stays. */
static uint32_t before_root(const page_table *t)
{
    return t->root == 1 ? PAGE_DATABASE_HEADER : 0;
}

static bool fits_root(const page_table *t, const open_page *page)
{
    uint32_t pointers_end = page->header + CELL_POINTER * page->cells;
    return page->content - pointers_end >= before_root(t);
}

static ts_code write_root(ts_pages *p, const page_table *t, const open_page *page)
{
    uint32_t before = before_root(t);
    close_page(page);
    memmove(page->bytes + before, page->bytes, page->header + (size_t)CELL_POINTER * page->cells);
    return page_write_at(p, page_offset(p, t->root) + before, page->bytes + before,
                         p->page_size - before);
}

ts_code page_close_table(ts_pages *p, page_table *t)
{
    TS_TRY(page_held_put(p, t, t->held.last));
    if (t->rows == 0) {
        return TS_OK; /* the root that was there stays */
    }
    if (t->levels == 0 && fits_root(t, &t->leaf)) {
        return write_root(p, t, &t->leaf);
    }
    TS_TRY(end_leaf(p, t));
    for (unsigned at = 0;; at++) {
        open_level *level = &t->level[at];
        uint32_t number;
        if (at + 1 == t->levels && fits_root(t, &level->page)) {
            page_put32(level->page.bytes + 8, level->child);
            return write_root(p, t, &level->page);
        }
        TS_TRY(emit_interior(p, &level->page, level->child, &number));
        TS_TRY(add_child(p, t, at + 1, number, level->key));
    }
}

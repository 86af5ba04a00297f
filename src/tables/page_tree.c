/* Table b-trees that only grow: the open leaf and the open interior pages above it. */
#include "tables/page_private.h"

#include "base/alloc.h"

static void start_page(const ts_pages *p, open_page *page, uint8_t type)
{
    memset(page->bytes, 0, p->page_size);
    page->bytes[0] = type;
    page->header = type == LEAF_TYPE ? LEAF_HEADER : INTERIOR_HEADER;
    page->cells = 0;
    page->content = p->page_size;
}

/* Completes the header of a page that is about to be written. 65536 is stored as 0. */
static void close_page(const open_page *page)
{
    page_put16(page->bytes + 3, page->cells);
    page_put16(page->bytes + 5, page->content & 0xffff);
}

/* Takes n bytes for a cell; NULL when there is no room. */
static uint8_t *take(open_page *page, uint32_t n)
{
    uint32_t pointers = page->header + CELL_POINTER * (page->cells + 1);
    if (pointers + n > page->content) {
        return NULL;
    }
    page->content -= n;
    page_put16(page->bytes + page->header + CELL_POINTER * page->cells, page->content);
    page->cells++;
    return page->bytes + page->content;
}

static ts_code make_page(ts_pages *p, open_page *page, uint8_t type)
{
    page->bytes = ts_alloc(p->ctx, p->page_size, 1);
    if (page->bytes == NULL) {
        return p->ctx->error.code;
    }
    start_page(p, page, type);
    return TS_OK;
}

static uint32_t encode_child(uint8_t cell[4 + MAX_VARINT], uint32_t child, int64_t key)
{
    page_put32(cell, child);
    return 4 + page_varint(cell + 4, (uint64_t)key);
}

/* The last cell of a full interior page goes back to being its right-most child. */
static void pop_cell(open_page *page, uint32_t size)
{
    page->cells--;
    page_put16(page->bytes + page->header + CELL_POINTER * page->cells, 0);
    memset(page->bytes + page->content, 0, size);
    page->content += size;
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

/*
 * Hangs a written page below level `at`, which may be one that does not exist yet. A full interior page is written with its last cell's child
 * as the right-most one, so that the page after it begins with two children and is never empty.
 */
static ts_code add_child(ts_pages *p, page_table *t, unsigned at, uint32_t child, int64_t key)
{
    for (;; at++) {
        open_level *level = &t->level[at];
        uint8_t cell[4 + MAX_VARINT];
        uint32_t n;
        uint8_t *place;
        uint32_t number;
        uint32_t right;
        int64_t right_key;
        uint32_t size;
        ts_code code;
        if (at == MAX_LEVELS) {
            return ts_fail(p->ctx, TS_ERR_INTERNAL, "table %s is too deep", t->table->name);
        }
        if (at == t->levels) {
            if ((code = make_page(p, &level->page, INTERIOR_TYPE)) != TS_OK) {
                return code;
            }
            t->levels++;
            level->child = child;
            level->key = key;
            return TS_OK;
        }
        n = encode_child(cell, level->child, level->key);
        place = take(&level->page, n);
        if (place != NULL) {
            memcpy(place, cell, n);
            level->child = child;
            level->key = key;
            return TS_OK;
        }
        right = last_child(&level->page, &right_key, &size);
        pop_cell(&level->page, size);
        page_put32(level->page.bytes + 8, right);
        close_page(&level->page);
        if ((code = page_emit(p, &number, level->page.bytes)) != TS_OK) {
            return code;
        }
        start_page(p, &level->page, INTERIOR_TYPE);
        place = take(&level->page, n);
        memcpy(place, cell, n);
        level->child = child;
        level->key = key;
        child = number;
        key = right_key;
    }
}

static void locate_reserved(page_table *t, uint32_t number)
{
    for (reserved_row *r = t->reserved; r != NULL && r->page == 0; r = r->next) {
        r->page = number;
    }
}

static ts_code flush_leaf(ts_pages *p, page_table *t)
{
    uint32_t number;
    ts_code code;
    close_page(&t->leaf);
    if ((code = page_emit(p, &number, t->leaf.bytes)) != TS_OK) {
        return code;
    }
    locate_reserved(t, number);
    start_page(p, &t->leaf, LEAF_TYPE);
    return add_child(p, t, 0, number, t->rows);
}

ts_code page_cell(ts_pages *p, page_table *t, uint32_t n, uint8_t **cell)
{
    ts_code code;
    if (t->leaf.bytes == NULL && (code = make_page(p, &t->leaf, LEAF_TYPE)) != TS_OK) {
        return code;
    }
    *cell = take(&t->leaf, n);
    if (*cell == NULL) {
        if ((code = flush_leaf(p, t)) != TS_OK) {
            return code;
        }
        *cell = take(&t->leaf, n);
    }
    return *cell == NULL ? ts_fail(p->ctx, TS_ERR_INTERNAL, "a cell of %u bytes does not fit", n)
                         : TS_OK;
}

static ts_code write_root(ts_pages *p, const page_table *t, const open_page *page)
{
    close_page(page);
    return page_write_at(p, (uint64_t)(t->root - 1) * p->page_size, page->bytes, p->page_size);
}

ts_code page_close_table(ts_pages *p, page_table *t)
{
    ts_code code;
    if (t->leaf.bytes == NULL) {
        return TS_OK; /* no rows: the root that SQLite made stays */
    }
    if (t->levels == 0) {
        return write_root(p, t, &t->leaf);
    }
    if ((code = flush_leaf(p, t)) != TS_OK) {
        return code;
    }
    for (unsigned at = 0;; at++) {
        open_level *level = &t->level[at];
        uint32_t number;
        page_put32(level->page.bytes + 8, level->child);
        if (at + 1 == t->levels) {
            return write_root(p, t, &level->page);
        }
        close_page(&level->page);
        if ((code = page_emit(p, &number, level->page.bytes)) != TS_OK) {
            return code;
        }
        if ((code = add_child(p, t, at + 1, number, level->key)) != TS_OK) {
            return code;
        }
    }
}

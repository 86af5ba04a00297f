/*
 * Rows that wait for their last columns: of a table of integers that has reserved rows, the newest
 * 64 to 128 are kept as they came and become cells when others follow. Most rows get their values
 * within that time: they are written like rows without reserved columns, many at once and in as few
 * bytes, and are neither remembered nor patched in their page. The others become reserved cells
 * (page_reserved.c) with what they have by then. Rows that came complete only keep their turn: they
 * are written one by one, since rows that are written at once share the sizes of their columns.
 *
 * Row r is at (r - 1) % HELD_ROWS; those that have no cell yet are t->rows + 1 to t->held.last.
 */
#include "tables/page_private.h"

#include "base/alloc.h"

enum { HELD_PART = 64, HELD_ROWS = 2 * HELD_PART };

static unsigned held_place(int64_t rowid)
{
    return (unsigned)(rowid - 1) & (HELD_ROWS - 1);
}

static ts_code held_begin(ts_pages *p, page_table *t)
{
    held_rows *h = &t->held;
    TS_NEED(p->ctx, h->rows = ts_alloc(p->ctx, HELD_ROWS, t->table->row_size));
    h->open = ts_zalloc(p->ctx, HELD_ROWS, sizeof *h->open);
    h->complete = ts_zalloc(p->ctx, HELD_ROWS, sizeof *h->complete);
    if (h->open == NULL || h->complete == NULL) {
        page_held_free(p, t);
        return p->ctx->error.code;
    }
    h->last = t->rows;
    return TS_OK;
}

ts_code page_hold(ts_pages *p, page_table *t, const void *row, uint64_t reserved)
{
    held_rows *h = &t->held;
    const size_t size = t->table->row_size;
    if (h->rows == NULL) {
        TS_TRY(held_begin(p, t));
    }
    h->last = page_rows(t); /* others may have come as columns after the held ones */
    if (h->last % HELD_PART == 0 && h->last - t->rows > HELD_PART) {
        TS_TRY(page_held_put(p, t, h->last - HELD_PART));
    }
    const unsigned at = held_place(h->last + 1);
    memcpy(h->rows + at * size, row, size);
    h->open[at] = reserved;
    h->complete[at] = reserved == 0;
    h->last++;
    return TS_OK;
}

ts_code page_held_put(ts_pages *p, page_table *t, int64_t to)
{
    const held_rows *h = &t->held;
    ts_code code = TS_OK;
    while (t->rows < to && code == TS_OK) {
        const unsigned at = held_place(t->rows + 1);
        const void *row = h->rows + at * t->table->row_size;
        const unsigned most =
            to - t->rows < HELD_ROWS - at ? (unsigned)(to - t->rows) : HELD_ROWS - at;
        unsigned whole = 0;
        while (whole < most && h->open[at + whole] == 0 && !h->complete[at + whole]) {
            whole++;
        }
        code = whole > 0 ? page_put_mixed(p, t, row, whole) : page_put_row(p, t, row, h->open[at]);
    }
    return code;
}

uint64_t *page_held_open(int64_t **row, page_table *t, int64_t rowid)
{
    held_rows *h = &t->held;
    if (rowid <= t->rows || rowid > h->last) {
        return NULL;
    }
    const unsigned at = held_place(rowid);
    *row = (int64_t *)(void *)(h->rows + at * t->table->row_size);
    return &h->open[at];
}

void page_held_free(ts_pages *p, page_table *t)
{
    ts_free(p->ctx, t->held.rows);
    ts_free(p->ctx, t->held.open);
    ts_free(p->ctx, t->held.complete);
    t->held = (held_rows){0};
}

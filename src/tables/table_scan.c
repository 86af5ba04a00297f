/* Ways through the tree of a table: the path from the root to the leaf is in frames. */
#include "tables/scan_private.h"

#include "base/alloc.h"
#include "tables/database_private.h"

#include <stdlib.h>

enum { MIN_CELL = 4 + CELL_POINTER };

/* --- frames -------------------------------------------------------------------------------- */

static ts_code frame_bytes(const ts_scan *s, scan_frame *f)
{
    if (f->bytes == NULL) {
        f->bytes = ts_zalloc(s->reader->ctx, (size_t)s->reader->page_size + SCAN_PAD, 1);
    }
    return f->bytes == NULL ? s->reader->ctx->error.code : TS_OK;
}

/* What the page header says, once its bytes are there. */
static ts_code frame_header(const ts_scan *s, scan_frame *f)
{
    const uint8_t *head;
    uint32_t size;
    f->header = f->page == 1 ? 100 : 0;
    head = f->bytes + f->header;
    f->leaf = head[0] == LEAF_TYPE;
    if (head[0] == 0x0a || head[0] == 0x02) {
        return scan_damaged(s, f->page, "it is an index (of a table WITHOUT ROWID)");
    }
    if (!f->leaf && head[0] != INTERIOR_TYPE) {
        return scan_damaged(s, f->page, "it is not a page of a table");
    }
    size = f->leaf ? LEAF_HEADER : INTERIOR_HEADER;
    f->cells = scan_be16(head + 3);
    f->children = f->leaf ? f->cells : f->cells + 1;
    if (f->header + size + CELL_POINTER * f->cells > s->reader->usable || f->cells > s->capacity) {
        return scan_damaged(s, f->page, "it has more cells than fit");
    }
    return TS_OK;
}

/* Goes down to a page of the file. */
static ts_code scan_enter(ts_scan *s, uint32_t number)
{
    scan_frame *f = &s->frames[s->depth];
    if (s->depth == SCAN_DEPTH) {
        return scan_damaged(s, number, "the tree is too deep");
    }
    if (++s->visited > scan_pages_max(s)) {
        return scan_damaged(s, number, "pages are used twice");
    }
    if (!f->loaded || f->page != number) {
        f->loaded = false;
        TS_TRY(frame_bytes(s, f));
        TS_TRY(scan_fetch(s, number, f->bytes));
        f->page = number;
        TS_TRY(frame_header(s, f));
        f->loaded = true;
    }
    f->next = 0;
    s->depth++;
    return TS_OK;
}

/* Goes down to a page that was being filled when the scan began. */
static ts_code enter_open(ts_scan *s, unsigned at)
{
    scan_frame *f = &s->frames[s->depth];
    uint8_t *bytes;
    if (s->depth == SCAN_DEPTH) {
        return scan_damaged(s, SCAN_OPEN, "the tree is too deep");
    }
    TS_TRY(frame_bytes(s, f));
    if (!f->loaded || f->page != SCAN_OPEN) {
        bytes = f->bytes;
        *f = s->open[at];
        f->bytes = bytes;
        memcpy(bytes, s->open[at].bytes, s->reader->page_size);
        f->loaded = true;
    }
    f->next = 0;
    s->depth++;
    return TS_OK;
}

static bool scan_is_open(const scan_frame *f)
{
    return f->page == SCAN_OPEN;
}

/* Goes down to child `i` of the interior page on top. */
static ts_code enter_child(ts_scan *s, uint32_t i)
{
    const scan_frame *f = &s->frames[s->depth - 1];
    const uint8_t *pointers = f->bytes + f->header + INTERIOR_HEADER;
    uint32_t first = f->header + INTERIOR_HEADER + CELL_POINTER * f->cells;
    uint32_t offset;
    if (i == f->cells && scan_is_open(f)) {
        return scan_enter(s, f->last_child);
    }
    if (i > f->cells) {
        return enter_open(s, s->depth); /* open pages are one below the other */
    }
    if (i == f->cells) {
        return scan_enter(s, scan_be32(f->bytes + f->header + 8));
    }
    offset = scan_be16(pointers + (size_t)CELL_POINTER * i);
    if (offset < first || offset + 4 > s->reader->usable) {
        return scan_damaged(s, f->page, "a cell lies outside of its page");
    }
    return scan_enter(s, scan_be32(f->bytes + offset));
}

static ts_code enter_root(ts_scan *s)
{
    s->depth = 0;
    s->visited = 0;
    s->any_row = false;
    return s->open_count > 0 ? enter_open(s, 0) : s->root == 0 ? TS_OK : scan_enter(s, s->root);
}

/* --- rows ---------------------------------------------------------------------------------- */

/* Until a leaf with cells that were not read is on top; depth 0: there is none. */
static ts_code scan_next_leaf(ts_scan *s)
{
    while (s->depth > 0) {
        scan_frame *f = &s->frames[s->depth - 1];
        if (f->next == f->children) {
            s->depth--;
            continue;
        }
        if (f->leaf) {
            return TS_OK;
        }
        TS_TRY(enter_child(s, f->next++));
    }
    return TS_OK;
}

/* At most `most` rows of the leaf on top. */
static ts_code read_cells(ts_scan *s, uint32_t most)
{
    scan_frame *leaf = &s->frames[s->depth - 1];
    uint32_t n = leaf->cells - leaf->next < most ? leaf->cells - leaf->next : most;
    unsigned row = 0;
    bool done = true;
    s->chained = false;
    while (row < n && done && !s->chained) {
        unsigned after = s->integers ? scan_integer_cells(s, leaf, row, n) : row;
        leaf->next += after - row;
        row = after;
        if (row == n) {
            break;
        }
        TS_TRY(scan_cell(&done, s, leaf, leaf->next, row));
        leaf->next += done ? 1 : 0;
        row += done ? 1 : 0;
    }
    s->batch.rows = row;
    if (s->late_count > 0 || s->null_count > 0) {
        scan_apply_late(s);
    }
    return TS_OK;
}

ts_code ts_scan_next(const ts_batch **batch, ts_scan *scan)
{
    ts_code code;
    *batch = &scan->batch;
    scan->batch.rows = 0;
    if (scan->samples != NULL) {
        return scan_samples_next(scan);
    }
    if ((code = scan_next_leaf(scan)) != TS_OK) {
        scan->depth = 0;
        return code;
    }
    if (scan->depth == 0) {
        return TS_OK;
    }
    code = read_cells(scan, scan->capacity);
    if (code != TS_OK) {
        scan->depth = 0;
        scan->batch.rows = 0;
    }
    return code;
}

/* The rowid of a cell: the last field but the payload of a leaf's, the last of an interior's. */
static ts_code key_of(int64_t *key, const ts_scan *s, const scan_frame *f, uint32_t i)
{
    uint32_t head = f->leaf ? LEAF_HEADER : INTERIOR_HEADER;
    uint32_t offset = scan_be16(f->bytes + f->header + head + (size_t)CELL_POINTER * i);
    const uint8_t *at = f->bytes + offset + (f->leaf ? 0 : 4);
    if (offset >= s->reader->usable) {
        return scan_damaged(s, f->page, "a cell lies outside of its page");
    }
    if (f->leaf) {
        (void)scan_varint(&at);
    }
    *key = (int64_t)scan_varint(&at);
    return TS_OK;
}

/* The first cell of a page whose key is at least this; cells when there is none. */
static ts_code find_cell(uint32_t *out, const ts_scan *s, const scan_frame *f, int64_t rowid)
{
    uint32_t low = 0;
    uint32_t high = f->cells;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int64_t key = 0;
        TS_TRY(key_of(&key, s, f, middle));
        if (key < rowid) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *out = low;
    return TS_OK;
}

/* Whether the row is further on in the leaf on top: its place there then is the next. */
static bool seek_near(ts_scan *s, int64_t rowid)
{
    scan_frame *f = s->depth > 0 ? &s->frames[s->depth - 1] : NULL;
    const uint8_t *at;
    uint64_t steps;
    uint32_t offset;
    if (f == NULL || !f->leaf || !s->any_row || rowid <= s->last_rowid) {
        return false;
    }
    steps = (uint64_t)rowid - (uint64_t)s->last_rowid - 1;
    if (steps >= f->cells - f->next) {
        return false;
    }
    offset =
        scan_be16(f->bytes + f->header + LEAF_HEADER + CELL_POINTER * (f->next + (size_t)steps));
    at = f->bytes + offset;
    if (offset >= s->reader->usable) {
        return false;
    }
    (void)scan_varint(&at);
    if ((int64_t)scan_varint(&at) != rowid) {
        return false;
    }
    f->next += (uint32_t)steps;
    return true;
}

static ts_code scan_seek(ts_scan *s, int64_t rowid)
{
    ts_code code;
    if (seek_near(s, rowid)) {
        return TS_OK;
    }
    code = enter_root(s);
    while (code == TS_OK && s->depth > 0) {
        scan_frame *f = &s->frames[s->depth - 1];
        uint32_t i = 0;
        if ((code = find_cell(&i, s, f, rowid)) != TS_OK) {
            break;
        }
        if (f->leaf) {
            f->next = i;
            break;
        }
        if (i == f->cells && scan_is_open(f) && f->last_key < rowid) {
            i++;
        }
        f->next = i + 1;
        code = enter_child(s, i);
    }
    if (code != TS_OK) {
        s->depth = 0;
    }
    return code;
}

ts_code ts_scan_seek(ts_scan *scan, int64_t rowid)
{
    scan->batch.rows = 0;
    return scan->samples != NULL ? scan_samples_seek(scan, rowid) : scan_seek(scan, rowid);
}

ts_code ts_scan_row(const ts_batch **batch, ts_scan *scan, int64_t rowid)
{
    ts_code code;
    *batch = &scan->batch;
    scan->batch.rows = 0;
    if (scan->samples != NULL) {
        return scan_samples_row(scan, rowid);
    }
    if ((code = scan_seek(scan, rowid)) != TS_OK || (code = scan_next_leaf(scan)) != TS_OK ||
        scan->depth == 0) {
        return code;
    }
    if ((code = read_cells(scan, 1)) != TS_OK) {
        scan->depth = 0;
        scan->batch.rows = 0;
        return code;
    }
    if (scan->rowids[0] != rowid) {
        scan->batch.rows = 0;
        scan->frames[scan->depth - 1].next--;
        scan->any_row = false;
    }
    return TS_OK;
}

ts_code ts_scan_text_part(size_t *got, ts_scan *scan, unsigned row, unsigned column,
                          uint64_t offset, char *out, size_t n)
{
    const ts_scan_text *text;
    *got = 0;
    if (row >= scan->batch.rows || column >= scan->slot_count ||
        scan->chosen[column].type != TS_COL_TEXT) {
        return ts_fail(scan->reader->ctx, TS_ERR_INTERNAL, "no text in this cell");
    }
    text = &scan->chosen[column].texts[row];
    if (offset >= text->size) {
        return TS_OK;
    }
    n = text->size - offset < n ? (size_t)(text->size - offset) : n;
    *got = n;
    if (offset + n <= text->n) {
        memcpy(out, text->p + offset, n);
        return TS_OK;
    }
    if (scan->samples != NULL) {
        return scan_samples_text(got, scan, row, offset, out, n);
    }
    return scan_chain_read(scan, scan->text_at[column] + offset, (uint8_t *)out, n);
}

/* --- what comes after the rows -------------------------------------------------------------- */

static int by_rowid(const void *a, const void *b)
{
    const scan_late *x = a;
    const scan_late *y = b;
    if (x->rowid != y->rowid) {
        return x->rowid < y->rowid ? -1 : 1;
    }
    return x->order < y->order ? -1 : 1;
}

static ts_code scan_prepare_late(ts_scan *s, enum ts_table_id table)
{
    const ts_db *db = s->reader->db;
    const ts_amendment *all = db == NULL ? NULL : db->amended.p;
    size_t n = 0;
    if (all == NULL) {
        return TS_OK;
    }
    TS_NEED(s->reader->ctx, s->late = ts_alloc(s->reader->ctx, db->amended.n, sizeof *s->late));
    for (size_t i = 0; i < db->amended.n; i++) {
        const ts_amendment *t = &all[i];
        int slot = t->kind == TS_AMEND_TEXT && t->table == table
                       ? s->slot_of[__builtin_ctzll(t->columns)]
                       : -1;
        if (slot >= 0) {
            s->late[n++] = (scan_late){
                t->first, (unsigned)slot, (uint32_t)i, {db->amended_bytes.p + t->value, t->text.n}};
        }
    }
    qsort(s->late, n, sizeof *s->late, by_rowid);
    s->late_count = n;
    return TS_OK;
}

void scan_apply_late(ts_scan *s)
{
    unsigned rows = s->batch.rows;
    size_t at;
    if (rows == 0) {
        return;
    }
    at = scan_lower_bound(s->late, s->late_count, sizeof *s->late, offsetof(scan_late, rowid),
                          s->rowids[0]);
    for (unsigned row = 0; at < s->late_count && s->late[at].rowid <= s->rowids[rows - 1]; at++) {
        const scan_late *t = &s->late[at];
        while (s->rowids[row] < t->rowid) {
            row++;
        }
        if (s->rowids[row] == t->rowid) {
            s->chosen[t->slot].texts[row] = (ts_scan_text){t->text.p, t->text.n, t->text.n};
            s->chosen[t->slot].null[row] = 0;
        }
    }
    if (s->null_count > 0) {
        scan_apply_nulls(s);
    }
}

/* --- opening ------------------------------------------------------------------------------- */

static ts_code prepare_slot(ts_scan *s, unsigned column)
{
    ts_ctx *ctx = s->reader->ctx;
    scan_slot *slot = &s->chosen[s->slot_count];
    ts_batch_column *out = &s->batch.columns[s->slot_count];
    if (column >= s->table->column_count || s->slot_of[column] >= 0) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "no such column, or twice: table=%s, column=%u",
                       s->table->name, column);
    }
    s->slot_of[column] = (int8_t)s->slot_count++;
    s->columns = column + 1 > s->columns ? column + 1 : s->columns;
    slot->column = column;
    s->integers =
        s->integers && s->table->columns[column].type == TS_COL_INT && column < 8 * SCAN_WORDS;
    slot->type = s->table->columns[column].type;
    slot->null = ts_zalloc(ctx, s->capacity, 1);
    if (slot->type == TS_COL_TEXT) {
        out->texts = slot->texts = ts_alloc(ctx, s->capacity, sizeof *slot->texts);
    } else if (slot->type == TS_COL_REAL) {
        out->reals = slot->reals = ts_alloc(ctx, s->capacity, sizeof *slot->reals);
    } else {
        out->ints = slot->ints = ts_alloc(ctx, s->capacity, sizeof *slot->ints);
    }
    out->null = slot->null;
    return slot->null == NULL || (slot->texts == NULL && slot->reals == NULL && slot->ints == NULL)
               ? ctx->error.code
               : TS_OK;
}

/* A page that the writer is filling, as it is now. */
static ts_code copy_open(ts_scan *s, const open_page *page, bool leaf)
{
    scan_frame *f = &s->open[s->open_count];
    TS_TRY(frame_bytes(s, f));
    memcpy(f->bytes, page->bytes, s->reader->page_size);
    f->page = SCAN_OPEN;
    f->leaf = leaf;
    f->cells = page->cells;
    f->children = leaf ? page->cells : page->cells + 2;
    s->open_count++;
    return TS_OK;
}

static ts_code copy_open_pages(ts_scan *s, page_table *t)
{
    ts_code code = TS_OK;
    TS_TRY(page_held_put(s->reader->pages, t, t->held.last));
    if (t->rows == 0 || t->leaf.bytes == NULL) {
        s->root = 0;
        return TS_OK;
    }
    for (unsigned at = t->levels; at-- > 0 && code == TS_OK;) {
        scan_frame *f = &s->open[s->open_count];
        code = copy_open(s, &t->level[at].page, false);
        f->last_child = t->level[at].child;
        f->last_key = t->level[at].key;
    }
    TS_STEP(code, copy_open(s, &t->leaf, true));
    return code;
}

static ts_code scan_prepare(ts_scan *s, const reader_table *t, enum ts_table_id id, bool from_short)
{
    ts_ctx *ctx = s->reader->ctx;
    uint32_t window = s->reader->page_size > SCAN_WINDOW ? s->reader->page_size : SCAN_WINDOW;
    ts_code code;
    s->rowids = ts_alloc(ctx, s->capacity, sizeof *s->rowids);
    s->window = ts_alloc(ctx, window, 1);
    s->overflow = ts_zalloc(ctx, (size_t)s->reader->page_size + SCAN_PAD, 1);
    if (s->rowids == NULL || s->window == NULL || s->overflow == NULL) {
        return ctx->error.code;
    }
    s->batch.rowids = s->rowids;
    if (from_short) { /* its pages are read by scans of its own */
        return TS_OK;
    }
    TS_TRY_INTO(code, scan_prepare_late(s, id));
    TS_TRY_INTO(code, scan_prepare_nulls(s));
    if (t->written) {
        code = copy_open_pages(s, &s->reader->pages->tables[id]);
    }
    TS_STEP(code, enter_root(s));
    return code;
}

ts_code scan_open_table(ts_scan **out, ts_reader *reader, const reader_table *t,
                        enum ts_table_id id, const unsigned *columns, unsigned column_count)
{
    bool from_short = t == &reader->tables[TS_T_stack_sample] && reader->sample_rows.table != NULL;
    ts_scan *s;
    ts_code code = TS_OK;
    *out = NULL;
    TS_NEED(reader->ctx, s = ts_zalloc(reader->ctx, 1, sizeof *s));
    s->reader = reader;
    s->table = t->table;
    s->integers = column_count > 0 && column_count <= SCAN_INTEGERS;
    s->root = t->root;
    s->capacity = reader->page_size / MIN_CELL;
    memset(s->slot_of, -1, sizeof s->slot_of);
    for (unsigned i = 0; i < SCAN_LAYOUTS; i++) {
        s->layouts[i].types[0] = UINT64_MAX; /* no types are like this */
    }
    for (unsigned i = 0; i < column_count && code == TS_OK; i++) {
        code = prepare_slot(s, columns[i]);
    }
    TS_STEP(code, scan_prepare(s, t, id, from_short));
    TS_STEP_IF(code, from_short, scan_samples_open(s));
    if (code != TS_OK) {
        ts_scan_close(s);
        return code;
    }
    *out = s;
    return TS_OK;
}

ts_code ts_scan_open(ts_scan **out, ts_reader *reader, enum ts_table_id table,
                     const unsigned *columns, unsigned column_count)
{
    const reader_table *t = &reader->tables[table];
    *out = NULL;
    if (t->table == NULL) {
        return ts_fail(reader->ctx, reader->damage,
                       "cannot read the database: path=\"%s\": it has no table %s", reader->path,
                       ts_schema[table].name);
    }
    return scan_open_table(out, reader, t, table, columns, column_count);
}

void ts_scan_close(ts_scan *scan)
{
    ts_ctx *ctx;
    if (scan == NULL) {
        return;
    }
    ctx = scan->reader->ctx;
    scan_samples_close(scan);
    for (unsigned i = 0; i < scan->slot_count; i++) {
        ts_free(ctx, scan->chosen[i].ints);
        ts_free(ctx, scan->chosen[i].reals);
        ts_free(ctx, scan->chosen[i].texts);
        ts_free(ctx, scan->chosen[i].null);
    }
    for (unsigned i = 0; i < SCAN_DEPTH; i++) {
        ts_free(ctx, scan->frames[i].bytes);
    }
    for (unsigned i = 0; i <= MAX_LEVELS; i++) {
        ts_free(ctx, scan->open[i].bytes);
    }
    ts_free(ctx, scan->late);
    ts_free(ctx, scan->nulls);
    ts_free(ctx, scan->rowids);
    ts_free(ctx, scan->window);
    ts_free(ctx, scan->overflow);
    ts_free(ctx, scan->text);
    ts_free(ctx, scan);
}

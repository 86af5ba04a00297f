/*
 * Rows that are put: cells that fit into a leaf are those of page_cell.c, made where they stay when
 * there is room for them; what is too large for a leaf is put together forwards.
 */
#include "tables/page_private.h"
#include "tables/sink.h"

#include "base/alloc.h"

/* --- cells that fit into a leaf -------------------------------------------------------------- */

/* The bytes of a row's texts, or more than fits into a leaf. */
static uint32_t text_bytes(const ts_pages *p, const page_table *t, const void *row)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < t->text_count; i++) {
        ts_text text;
        memcpy(&text, (const char *)row + t->text_at[i], sizeof text);
        if (text.p != NULL) {
            if (text.n > p->max_local - sum) {
                return p->page_size;
            }
            sum += (uint32_t)text.n;
        }
    }
    return sum;
}

static inline bool has_room(const open_page *leaf, uint32_t most)
{
    return leaf->content >= leaf->header + CELL_POINTER * (leaf->cells + 1) + most;
}

/* Where a cell is made that takes at most that much: in the leaf, or else in the scratch. */
static inline uint8_t *cell_place(const ts_pages *p, const page_table *t, uint32_t most)
{
    return has_room(&t->leaf, most) ? t->leaf.bytes + t->leaf.content : p->scratch + p->page_size;
}

static inline void take_cell(page_table *t, const uint8_t *at)
{
    open_page *leaf = &t->leaf;
    leaf->content = (uint32_t)(at - leaf->bytes);
    page_put16(leaf->bytes + leaf->header + (size_t)CELL_POINTER * leaf->cells, leaf->content);
    leaf->cells++;
    t->rows++;
}

/* Puts the cell that was made from `at` to `end`, with some columns that come later. */
static ts_code put_cell(ts_pages *p, page_table *t, const uint8_t *at, const uint8_t *end,
                        uint64_t reserved, const uint32_t *from_end)
{
    const uint32_t n = (uint32_t)(end - at);
    reserved_row *kept = NULL;
    ts_code code;
    if (reserved != 0 && (code = page_reserve(&kept, p, t, t->rows + 1, reserved)) != TS_OK) {
        return code;
    }
    if (end != p->scratch + p->page_size) {
        take_cell(t, at);
    } else {
        uint8_t *cell;
        TS_TRY_INTO(code, page_cell(p, t, n, &cell));
        memcpy(cell, at, n);
        t->rows++;
    }
    if (kept != NULL) {
        const uint32_t end_at = t->leaf.content + n;
        const unsigned columns = page_count_bits(reserved);
        kept->page = t->leaf_number;
        kept->local = p->page_size;
        for (unsigned k = 0; k < columns; k++) {
            kept->offsets[k] = end_at - from_end[k];
        }
    }
    return TS_OK;
}

/* --- records of any size --------------------------------------------------------------------- */

/* A record in parts, so that large texts are never copied together. */
typedef struct record {
    uint8_t header[HEADER_VARINT + MAX_COLUMNS * MAX_VARINT];
    uint32_t header_n;
    uint8_t numbers[MAX_COLUMNS * 8];
    ts_text parts[MAX_COLUMNS + 1];
    unsigned part_n;
    uint64_t size;
    uint64_t offsets[MAX_COLUMNS]; /* of columns, after the header */
} record;

/* One column: its type into `types`, its bytes into the parts. */
static unsigned encode_column(record *r, uint8_t *types, uint8_t **numbers, ts_column_type column,
                              const char *field, bool reserved)
{
    unsigned form = PAGE_FORM_LATE;
    unsigned n;
    ts_text text;
    int64_t v;
    if (column == TS_COL_TEXT) {
        memcpy(&text, field, sizeof text);
        if (text.p == NULL) {
            types[0] = PAGE_TYPE_NULL;
            return 1;
        }
        r->parts[r->part_n++] = text;
        r->size += text.n;
        return page_varint(types, PAGE_TYPE_TEXT + 2 * (uint64_t)text.n);
    }
    memcpy(&v, field, sizeof v);
    if (column == TS_COL_REAL) {
        form = page_real_form(&v);
    } else if (!reserved) {
        form = page_integer_form(v, column == TS_COL_KEY);
    }
    types[0] = (uint8_t)form;
    n = form >> PAGE_FORM_SIZE;
    if (n > 0) {
        page_put_be64(*numbers, (uint64_t)v << (64 - 8 * n));
        r->parts[r->part_n++] = (ts_text){(const char *)*numbers, n};
        r->size += n;
        *numbers += 8;
    }
    return 1;
}

static void make_record(record *r, const ts_table *table, const void *row, uint64_t reserved)
{
    uint8_t types[MAX_COLUMNS * MAX_VARINT];
    /* cppcheck-suppress ctuuninitvar ; only the place is taken, nothing is read */
    uint8_t *numbers = r->numbers;
    uint32_t types_n = 0;
    uint64_t nulls;
    unsigned n;
    memcpy(&nulls, row, sizeof nulls);
    r->part_n = 1;
    r->size = 0;
    for (unsigned i = 0; i < table->column_count; i++) {
        const ts_column *column = &table->columns[i];
        r->offsets[i] = r->size;
        if ((nulls >> i & 1) != 0) {
            types[types_n++] = PAGE_TYPE_NULL;
            continue;
        }
        types_n += encode_column(r, types + types_n, &numbers, column->type,
                                 (const char *)row + column->offset, (reserved >> i & 1) != 0);
    }
    n = page_varint(r->header, page_header_size(types_n));
    /* cppcheck-suppress uninitvar ; the loop has written types_n bytes */
    memcpy(r->header + n, types, types_n);
    r->header_n = n + types_n;
    r->parts[0] = (ts_text){(const char *)r->header, r->header_n};
    r->size += r->header_n;
}

static ts_code read_long(ts_pages *p, uint8_t *out, size_t n)
{
    size_t got = 0;
    ts_code code = ts_spool_read(&got, p->long_text, p->long_at, out, n);
    p->long_at += got;
    TS_STEP_IF(code, got != n, ts_fail(p->ctx, TS_ERR_INTERNAL, "a temporary file became shorter"));
    return code;
}

/* Copies the next n bytes of the record to `out`, moving through its parts. */
static ts_code copy_record(ts_pages *p, record *r, unsigned *part, uint8_t *out, size_t n)
{
    ts_code code = TS_OK;
    while (n > 0 && code == TS_OK) {
        ts_text *t = &r->parts[*part];
        /* The parts hold r->size bytes, of which n are left. NOLINTNEXTLINE(clang-analyzer-*) */
        size_t m = t->n < n ? t->n : n;
        if (t->p == ts_text_in_spool) {
            code = read_long(p, out, m);
        } else if (m > 0) {
            memcpy(out, t->p, m);
            t->p += m;
        }
        out += m;
        n -= m;
        t->n -= m;
        *part += t->n == 0 ? 1 : 0;
    }
    return code;
}

static ts_code put_overflow(ts_pages *p, record *r, unsigned *part, uint64_t left)
{
    uint32_t room = p->page_size - OVERFLOW_HEADER;
    ts_code code = TS_OK;
    while (left > 0) {
        uint32_t n = left < room ? (uint32_t)left : room;
        uint32_t number;
        uint8_t *page;
        TS_TRY_INTO(code, page_claim(p, &number, &page));
        page_put32(page, left > room ? page_peek(p) : 0);
        TS_TRY_INTO(code, copy_record(p, r, part, page + OVERFLOW_HEADER, n));
        memset(page + OVERFLOW_HEADER + n, 0, room - n);
        left -= n;
    }
    return code;
}

/* How much of a payload stays in the leaf (file format, "overflow"). */
static uint32_t page_local_size(const ts_pages *p, uint64_t size)
{
    uint32_t k;
    if (size <= p->max_local) {
        return (uint32_t)size;
    }
    k = p->min_local + (uint32_t)((size - p->min_local) % (p->page_size - OVERFLOW_HEADER));
    return k <= p->max_local ? k : p->min_local;
}

static ts_code remember(ts_pages *p, page_table *t, const record *r, uint64_t reserved, uint32_t at,
                        uint32_t local)
{
    reserved_row *kept;
    unsigned n = 0;
    TS_TRY(page_reserve(&kept, p, t, t->rows + 1, reserved));
    kept->page = t->leaf_number;
    kept->at = at;
    kept->local = local;
    kept->overflow = local < r->size ? page_peek(p) : 0;
    for (unsigned i = 0; i < t->table->column_count; i++) {
        if ((reserved >> i & 1) != 0) {
            /* Set for every column. NOLINTNEXTLINE(clang-analyzer-*) */
            kept->offsets[n++] = (uint32_t)(r->header_n + r->offsets[i]);
        }
    }
    return TS_OK;
}

static ts_code put_record(ts_pages *p, page_table *t, const void *row, uint64_t reserved)
{
    record r;
    uint8_t head[2 * MAX_VARINT];
    unsigned head_n;
    uint32_t local;
    unsigned part = 0;
    uint8_t *cell;
    ts_code code;
    make_record(&r, t->table, row, reserved);
    if (r.size > PAGE_MAX_RECORD) {
        return ts_fail(p->ctx, TS_ERR_LIMIT, "a row of table %s has more than %llu bytes",
                       t->table->name, (unsigned long long)PAGE_MAX_RECORD);
    }
    local = page_local_size(p, r.size);
    head_n = page_varint(head, r.size);
    head_n += page_varint(head + head_n, (uint64_t)t->rows + 1);
    TS_TRY_INTO(code,
                page_cell(p, t, head_n + local + (local < r.size ? OVERFLOW_HEADER : 0), &cell));
    memcpy(cell, head, head_n);
    TS_TRY_INTO(code, copy_record(p, &r, &part, cell + head_n, local));
    if (local < r.size) {
        page_put32(cell + head_n + local, page_peek(p));
    }
    if (reserved != 0) {
        code = remember(p, t, &r, reserved, (uint32_t)(cell + head_n - t->leaf.bytes), local);
    }
    TS_STEP_IF(code, local < r.size, put_overflow(p, &r, &part, r.size - local));
    return code;
}

/* --- rows ------------------------------------------------------------------------------------ */

ts_code page_prepare(ts_pages *p, page_table *t, const ts_table *table)
{
    uint32_t payload = HEADER_VARINT;
    if (table->column_count > MAX_COLUMNS) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL, "table %s has too many columns", table->name);
    }
    t->table = table;
    t->text_count = 0;
    t->word_rowid = INT64_MIN;
    t->reservable = 0;
    t->reservable_count = 0;
    t->integers = true;
    t->keys = table->columns[0].type == TS_COL_KEY ? 1 : 0;
    for (unsigned i = 0; i < table->column_count; i++) {
        const ts_column *column = &table->columns[i];
        bool is_int = column->type == TS_COL_INT;
        t->columns[i] = (page_column){(uint16_t)column->type, (uint16_t)column->offset};
        if (column->type == TS_COL_TEXT) {
            t->text_at[t->text_count++] = (uint16_t)column->offset;
        }
        payload += column->type == TS_COL_TEXT ? TEXT_VARINT : 1 + INT_BYTES;
        t->reservable |= is_int ? UINT64_C(1) << i : 0;
        t->reservable_count += is_int ? 1 : 0;
        t->integers = t->integers && (is_int || column->type == TS_COL_KEY) &&
                      column->offset == sizeof(uint64_t) + i * sizeof(int64_t);
    }
    t->payload_max = payload;
    t->cell_max = payload + PAYLOAD_VARINT + MAX_VARINT + SLACK;
    t->hot_max = t->cell_max + t->text_count * PAGE_SHORT_TEXT;
    page_find_hot(t);
    if (payload + t->text_count * PAGE_SHORT_TEXT > p->max_local) {
        t->hot = NULL;
        t->hot_late = NULL;
        t->hot_some = NULL;
    }
    return TS_OK;
}

static ts_code check_reserved(ts_pages *p, const page_table *t, const void *row, uint64_t reserved)
{
    uint64_t nulls;
    memcpy(&nulls, row, sizeof nulls);
    if ((reserved & ~t->reservable) != 0 || (reserved & nulls) != 0) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL,
                       "columns that cannot be reserved: table=%s, columns=%#llx", t->table->name,
                       (unsigned long long)reserved);
    }
    return TS_OK;
}

/* A row of any table and size, of which columns may come later. */
static __attribute__((noinline)) ts_code put_cold(ts_pages *p, page_table *t, const void *row,
                                                  uint64_t reserved)
{
    uint32_t texts = t->text_count == 0 ? 0 : text_bytes(p, t, row);
    uint32_t from_end[MAX_COLUMNS];
    uint8_t *end;
    uint8_t *at;
    ts_code code;
    if (t->payload_max + texts > p->max_local) {
        code = put_record(p, t, row, reserved);
        t->rows += code == TS_OK ? 1 : 0;
        return code;
    }
    end = cell_place(p, t, t->cell_max + texts);
    at = page_encode(end, t, row, t->table->column_count, reserved, from_end);
    return put_cell(p, t, at, end, reserved, from_end);
}

static __attribute__((noinline)) ts_code put_with_late(ts_pages *p, page_table *t, const void *row,
                                                       uint64_t reserved)
{
    const bool usual = reserved == t->late && t->hot_late != NULL;
    if (usual || t->hot_some != NULL) {
        uint32_t from_end[MAX_COLUMNS];
        uint8_t *end = cell_place(p, t, t->hot_max);
        const uint8_t *at = usual ? t->hot_late(end, t, row, from_end)
                                  : t->hot_some(end, t, row, from_end, reserved);
        if (at != NULL) {
            return put_cell(p, t, at, end, reserved, from_end);
        }
    }
    return put_cold(p, t, row, reserved);
}

/* A row for which the leaf may have no room: the last ones of each page. */
static __attribute__((noinline)) ts_code put_last(ts_pages *p, page_table *t, const void *row)
{
    if (t->hot != NULL) {
        uint8_t *end = cell_place(p, t, t->hot_max);
        const uint8_t *at = t->hot(end, t, row, NULL);
        if (at != NULL) {
            return put_cell(p, t, at, end, 0, NULL);
        }
    }
    return put_cold(p, t, row, 0);
}

/* Nothing but a choice, so that the usual rows pay for what they need only. */
static inline __attribute__((always_inline)) ts_code put_row(ts_pages *p, page_table *t,
                                                             const void *row, uint64_t reserved)
{
    if (reserved != 0) {
        return put_with_late(p, t, row, reserved);
    }
    if (t->hot != NULL && has_room(&t->leaf, t->hot_max)) {
        const uint8_t *at = t->hot(t->leaf.bytes + t->leaf.content, t, row, NULL);
        if (at != NULL) {
            take_cell(t, at);
            return TS_OK;
        }
    }
    return put_last(p, t, row);
}

ts_code page_put_row(ts_pages *p, page_table *t, const void *row, uint64_t reserved)
{
    return put_row(p, t, row, reserved);
}

/* Rows of a table that has held ones follow them. */
static __attribute__((noinline)) ts_code put_after_held(ts_pages *p, page_table *t, const void *row,
                                                        uint64_t reserved)
{
    TS_TRY(check_reserved(p, t, row, reserved));
    return t->integers ? page_hold(p, t, row, reserved) : put_row(p, t, row, reserved);
}

ts_code ts_pages_put(ts_pages *p, unsigned id, const void *row, uint64_t reserved)
{
    page_table *t = &p->tables[id];
    return reserved != 0 || t->held.rows != NULL ? put_after_held(p, t, row, reserved)
                                                 : put_row(p, t, row, 0);
}

ts_code ts_pages_put_first(ts_pages *p, unsigned id, const void *row, unsigned n)
{
    page_table *t = &p->tables[id];
    TS_TRY(page_held_put(p, t, t->held.last));
    uint8_t *end =
        cell_place(p, t, HEADER_VARINT + n * (1 + INT_BYTES) + PAYLOAD_VARINT + MAX_VARINT + SLACK);
    return put_cell(p, t, page_encode(end, t, row, n, 0, NULL), end, 0, NULL);
}

ts_code ts_pages_put_long(ts_pages *p, unsigned id, const void *row, ts_spool *text)
{
    page_table *t = &p->tables[id];
    ts_code code;
    p->long_text = text;
    p->long_at = 0;
    code = put_record(p, t, row, 0);
    p->long_text = NULL;
    t->rows += code == TS_OK ? 1 : 0;
    return code;
}

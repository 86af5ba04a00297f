/*
 * Many rows of integers at once: those that follow each other on a page share the sizes of their
 * columns, so that the head of their cells is made once and each value is stored at a known place.
 * Values may take more bytes than they need; SQLite reads them like any others.
 */
#include "tables/page_private.h"

enum {
    BATCH_ROWS = 64,
    SHORT_PAYLOAD = 0x7f /* its varint is one byte */
};

/* A column of the rows: where its value is in the struct, how far from the end of the cell the
 * word begins that ends with it. */
typedef struct batch_place {
    uint32_t column;
    uint32_t word;
} batch_place;

/* Cells of rows that have NULL in the same columns. */
typedef struct batch_form {
    batch_place places[MAX_COLUMNS]; /* of those that have bytes, the last column first */
    unsigned place_n;
    uint32_t values_n;              /* bytes of all values */
    uint8_t types[8 + MAX_COLUMNS]; /* bytes that are copied in words, then the types */
} batch_form;

/* --- sizes of columns ----------------------------------------------------------------------- */

/* The serial type and size that hold every value of which `all` has all bits. */
static uint8_t type_of_bits(unsigned *size, uint64_t all)
{
    unsigned highest = 63U ^ (unsigned)__builtin_clzll(all | 1);
    unsigned form = page_forms[highest < 63 ? highest + 1 : 63]; /* beside the sign */
    *size = form >> PAGE_FORM_SIZE;
    return (uint8_t)form;
}

static bool all_ones(const int64_t *column, unsigned stride, unsigned rows)
{
    for (unsigned r = 0; r < rows; r++) {
        if (column[(size_t)r * stride] != 1) {
            return false;
        }
    }
    return true;
}

/* values: of the first row, after the mask of NULLs; n columns, n + 1 words a row. */
static void make_form(batch_form *f, const int64_t *values, unsigned n, unsigned rows,
                      uint64_t nulls)
{
    uint64_t all[MAX_COLUMNS];
    memcpy(all, values, n * sizeof all[0]);
    for (unsigned r = 1; r < rows; r++) {
        const int64_t *row = values + (size_t)r * (n + 1);
        for (unsigned i = 0; i < n; i++) {
            all[i] |= (uint64_t)row[i];
        }
    }
    f->place_n = 0;
    f->values_n = 0;
    memset(f->types, 0, 8);
    for (unsigned i = n; i-- > 0;) {
        unsigned size = 0;
        uint8_t type = PAGE_TYPE_NULL;
        if ((nulls >> i & 1) == 0) {
            if (all[i] == 0) {
                type = PAGE_TYPE_ZERO;
            } else if (all[i] == 1 && all_ones(values + i, n + 1, rows)) {
                type = PAGE_TYPE_ONE;
            } else {
                type = type_of_bits(&size, all[i]);
            }
        }
        f->types[8 + i] = type;
        if (size > 0) {
            f->places[f->place_n++] = (batch_place){i, f->values_n + INT_BYTES};
            f->values_n += size;
        }
    }
}

/* --- cells ---------------------------------------------------------------------------------- */

static unsigned rowid_bytes(int64_t rowid)
{
    uint8_t varint[MAX_VARINT];
    return page_varint(varint, (uint64_t)rowid);
}

/* Cells of `rows` rows, of which there is room for all: downwards from the leaf's content. */
static void put_cells(page_table *t, const batch_form *f, const int64_t *values, unsigned n,
                      unsigned rows)
{
    open_page *leaf = &t->leaf;
    const uint32_t payload = f->values_n + n + 1;
    const uint8_t *types_end = f->types + 8 + n;
    uint8_t *end = leaf->bytes + leaf->content;
    uint8_t *pointer = leaf->bytes + leaf->header + (size_t)CELL_POINTER * leaf->cells;
    unsigned rowid_n;
    uint64_t rowid = page_rowid_word(&rowid_n, t->rows + 1);
    for (unsigned r = 0; r < rows; r++, values += n + 1, pointer += CELL_POINTER) {
        uint8_t *at = end - f->values_n;
        for (unsigned k = 0; k < f->place_n; k++) {
            page_put_be64(end - f->places[k].word, (uint64_t)values[f->places[k].column]);
        }
        for (unsigned i = 0; i < n; i += 8) {
            memcpy(at - i - 8, types_end - i - 8, 8);
        }
        at -= n;
        *--at = (uint8_t)(n + 1);
        page_put_be64(at - 8, rowid);
        at -= rowid_n;
        *--at = (uint8_t)payload;
        end = at;
        page_put16(pointer, (uint32_t)(at - leaf->bytes));
        if ((rowid & 0x7f) != 0x7f) {
            rowid++;
        } else {
            rowid = page_rowid_word(&rowid_n, t->rows + 1 + r + 1);
        }
    }
    leaf->content = (uint32_t)(end - leaf->bytes);
    leaf->cells += rows;
    t->rows += rows;
}

/* How many of `wanted` cells of at most n bytes fit for certain. */
static unsigned cells_that_fit(const open_page *leaf, uint32_t n, unsigned wanted)
{
    uint32_t pointers = leaf->header + CELL_POINTER * leaf->cells + SLACK;
    uint32_t room = leaf->bytes == NULL || leaf->content < pointers ? 0 : leaf->content - pointers;
    uint32_t each = n + CELL_POINTER;
    return wanted <= BATCH_ROWS && wanted * each <= room ? wanted : room / each;
}

/* Rows with the same NULLs. */
static ts_code put_alike(ts_pages *p, unsigned id, const int64_t *rows, unsigned count)
{
    page_table *t = &p->tables[id];
    const unsigned n = t->table->column_count;
    batch_form f;
    ts_code code = TS_OK;
    make_form(&f, rows + 1, n, count, (uint64_t)rows[0] | t->keys);
    while (count > 0 && code == TS_OK) {
        uint32_t payload = f.values_n + n + 1;
        unsigned fit =
            payload > SHORT_PAYLOAD || t->rows >= INT64_C(1) << 55
                ? 0
                : cells_that_fit(&t->leaf, payload + 1 + rowid_bytes(t->rows + count), count);
        unsigned now = fit < count ? fit : count;
        if (now > 0) {
            put_cells(t, &f, rows + 1, n, now);
        } else {
            now = 1;
            code = ts_pages_put(p, id, rows, 0);
        }
        rows += (size_t)now * (n + 1);
        count -= now;
    }
    return code;
}

ts_code ts_pages_put_many(ts_pages *p, unsigned id, const void *rows, size_t size, unsigned count)
{
    const page_table *t = &p->tables[id];
    const char *row = rows;
    ts_code code = TS_OK;
    while (count > 0 && code == TS_OK) {
        unsigned alike = 1;
        if (!t->integers) {
            code = ts_pages_put(p, id, row, 0);
        } else {
            while (alike < count && alike < BATCH_ROWS &&
                   memcmp(row, row + alike * size, sizeof(uint64_t)) == 0) {
                alike++;
            }
            code = put_alike(p, id, (const int64_t *)(const void *)row, alike);
        }
        row += alike * size;
        count -= alike;
    }
    return code;
}

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
    uint64_t nulls;
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

/* Four columns of a row at a time, wherever they are; where processors have no such registers, the
 * compiler takes two or one. */
typedef uint64_t four_words __attribute__((vector_size(32), aligned(8), may_alias));

/* The bits that the rows have in each of their n + 1 words: those of the mask of NULLs too. What is
 * left over by fours is taken with some that were taken before. */
static void or_rows(uint64_t *all, const int64_t *rows, unsigned n, unsigned count)
{
    const unsigned words = n + 1;
    const size_t four = sizeof(four_words) / sizeof *all;
    memcpy(all, rows, words * sizeof *all);
    for (unsigned r = 1; r < count; r++) {
        const int64_t *row = rows + (size_t)r * words;
        if (words < four) {
            for (unsigned i = 0; i < words; i++) {
                all[i] |= (uint64_t)row[i];
            }
            continue;
        }
        for (size_t i = 0; i < words; i += four) {
            const size_t at = i + four <= words ? i : words - four;
            *(four_words *)(all + at) |= *(const four_words *)(row + at);
        }
    }
}

/* all: of rows that begin with this one and are written by this form; n columns, n + 1 words a
 * row. */
static void make_form(batch_form *f, const uint64_t *all, const int64_t *row, unsigned n,
                      unsigned rows, uint64_t nulls)
{
    f->nulls = nulls;
    f->place_n = 0;
    f->values_n = 0;
    memset(f->types, 0, 8);
    for (unsigned i = n; i-- > 0;) {
        const uint64_t bits = all[1 + i];
        unsigned size = 0;
        uint8_t type = PAGE_TYPE_NULL;
        if ((nulls >> i & 1) == 0) {
            if (bits == 0) {
                type = PAGE_TYPE_ZERO;
            } else if (bits == 1 && all_ones(row + 1 + i, n + 1, rows)) {
                type = PAGE_TYPE_ONE;
            } else {
                type = type_of_bits(&size, bits);
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

/* Of rowids from 1 that are smaller than 2^55. */
static unsigned rowid_bytes(int64_t rowid)
{
    enum { BITS = 7 };
    return (BITS + 63U - (unsigned)__builtin_clzll((uint64_t)rowid)) / BITS;
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
    for (unsigned r = 0; r < rows; r++, values += n + 1, pointer += CELL_POINTER) {
        uint8_t *at = end - f->values_n;
        unsigned rowid_n;
        const uint64_t rowid = page_next_rowid_word(&rowid_n, t, t->rows + 1 + r);
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

/* Rows with the same NULLs, by their form. */
static ts_code put_alike(ts_pages *p, page_table *t, const batch_form *f, const int64_t *rows,
                         unsigned count)
{
    const unsigned n = t->table->column_count;
    const uint32_t payload = f->values_n + n + 1;
    ts_code code = TS_OK;
    while (count > 0 && code == TS_OK) {
        unsigned fit =
            payload > SHORT_PAYLOAD || t->rows >= INT64_C(1) << 55
                ? 0
                : cells_that_fit(&t->leaf, payload + 1 + rowid_bytes(t->rows + count), count);
        unsigned now = fit < count ? fit : count;
        if (now > 0) {
            put_cells(t, f, rows + 1, n, now);
        } else {
            now = 1;
            code = page_put_row(p, t, rows, 0);
        }
        rows += (size_t)now * (n + 1);
        count -= now;
    }
    return code;
}

/* How many of the rows have the NULLs of the first one. */
static unsigned count_alike(const int64_t *rows, unsigned n, unsigned count)
{
    unsigned alike = 1;
    while (alike < count && rows[(size_t)alike * (n + 1)] == rows[0]) {
        alike++;
    }
    return alike;
}

/* Columns have the sizes that all of them need: rows whose NULLs differ every now and then, as
 * those of callers and callees, have few forms. */
ts_code page_put_mixed(ts_pages *p, page_table *t, const int64_t *rows, unsigned count)
{
    enum { FORMS = 2 };
    const unsigned n = t->table->column_count;
    uint64_t all[1 + MAX_COLUMNS];
    batch_form forms[FORMS];
    unsigned known = 0;
    unsigned older = 0; /* the form that a third one replaces */
    ts_code code = TS_OK;
    or_rows(all, rows, n, count);
    for (unsigned r = 0; r < count && code == TS_OK;) {
        const int64_t *row = rows + (size_t)r * (n + 1);
        const uint64_t nulls = (uint64_t)row[0] | t->keys;
        const unsigned alike = count_alike(row, n, count - r);
        unsigned at = 0;
        while (at < known && forms[at].nulls != nulls) {
            at++;
        }
        if (at == known) {
            at = known < FORMS ? known++ : older;
            make_form(&forms[at], all, rows, n, count, nulls);
        }
        older = at ^ 1;
        code = put_alike(p, t, &forms[at], row, alike);
        r += alike;
    }
    return code;
}

static ts_code put_integers(ts_pages *p, page_table *t, const int64_t *rows, unsigned count)
{
    const unsigned n = t->table->column_count;
    ts_code code = TS_OK;
    while (count > 0 && code == TS_OK) {
        const unsigned alike = count_alike(rows, n, count < BATCH_ROWS ? count : BATCH_ROWS);
        uint64_t all[1 + MAX_COLUMNS];
        batch_form f;
        or_rows(all, rows, n, alike);
        make_form(&f, all, rows, n, alike, (uint64_t)rows[0] | t->keys);
        code = put_alike(p, t, &f, rows, alike);
        rows += (size_t)alike * (n + 1);
        count -= alike;
    }
    return code;
}

ts_code ts_pages_put_many(ts_pages *p, unsigned id, const void *rows, size_t size, unsigned count)
{
    page_table *t = &p->tables[id];
    ts_code code = TS_OK;
    if (t->integers && t->held.rows == NULL) {
        return put_integers(p, t, rows, count);
    }
    for (unsigned i = 0; i < count && code == TS_OK; i++) {
        code = ts_pages_put(p, id, (const char *)rows + i * size, 0);
    }
    return code;
}

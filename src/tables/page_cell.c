/*
 * Rows as cells. Cells grow down in their leaf, so a row is encoded from its end: values, types,
 * header size, rowid, payload size, each before the one that follows it, and nothing has to be
 * moved.
 *
 * There is one encoder of a column. For the tables that their declarations call hot, the code for a
 * row is made from the schema when the program is built: unrolled, with the kinds and places of its
 * columns in it, for rows of which all texts are short. All others go through a loop.
 */
#include "tables/page_private.h"
#include "tables/rows.h"

enum { HOT_COLUMNS = 32, TYPES_A_WORD = 8 };

/* A cell in the making: where its values begin so far, and their types. Those of hot tables have a
 * byte each, the last column in the lowest byte of the first word; others grow down too, with room
 * for a word before them. */
typedef struct cell {
    uint8_t *at;
    uint8_t *types;
    uint64_t words[HOT_COLUMNS / TYPES_A_WORD];
} cell;

/* --- columns --------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void set_type(cell *c, bool hot, unsigned from_end,
                                                           uint64_t type)
{
    if (hot) {
        c->words[from_end / TYPES_A_WORD] |= type << from_end % TYPES_A_WORD * 8;
    } else {
        c->types = page_varint_before(c->types, type);
    }
}

/* Without a branch for integers: they are of any size, in any order. False: a text is too long for
 * the code of hot tables. */
static inline __attribute__((always_inline)) bool put_column(cell *c, bool hot, unsigned from_end,
                                                             page_column column, const char *row,
                                                             bool null, bool late)
{
    const char *field = row + column.field;
    unsigned form;
    int64_t v;
    if (column.type == TS_COL_TEXT) {
        ts_text text;
        memcpy(&text, field, sizeof text);
        if (null || text.p == NULL) {
            set_type(c, hot, from_end, PAGE_TYPE_NULL);
            return true;
        }
        if (hot && text.n > PAGE_SHORT_TEXT) {
            return false;
        }
        c->at -= text.n;
        page_copy_text(c->at, text.p, text.n);
        set_type(c, hot, from_end, PAGE_TYPE_TEXT + 2 * (uint64_t)text.n);
        return true;
    }
    memcpy(&v, field, sizeof v);
    if (late) {
        form = PAGE_FORM_LATE;
    } else if (column.type == TS_COL_REAL && !null) {
        form = page_real_form(&v);
    } else {
        form = page_integer_form(v, null);
    }
    page_put_be64(c->at - INT_BYTES, (uint64_t)v);
    c->at -= form >> PAGE_FORM_SIZE;
    set_type(c, hot, from_end, form & UINT8_MAX);
    return true;
}

/* Header size, rowid and payload size before the types of a record that ends at `end`. */
static uint8_t *put_head(uint8_t *at, const uint8_t *end, uint32_t types_n, page_table *t)
{
    int64_t rowid = t->rows + 1;
    uint64_t payload;
    uint64_t word;
    unsigned word_n;
    at = page_varint_before(at, page_header_size(types_n));
    payload = (uint64_t)(end - at);
    if (rowid >= INT64_C(1) << 55) {
        at = page_varint_before(at, (uint64_t)rowid);
    } else {
        word = page_next_rowid_word(&word_n, t, rowid);
        page_put_be64(at - 8, word);
        at -= word_n;
    }
    return page_varint_before(at, payload);
}

/* The same of records with few columns, most of which are short and have the rowid after the last
 * one. */
static inline __attribute__((always_inline)) uint8_t *
put_short_head(uint8_t *at, const uint8_t *end, const unsigned types_n, page_table *t)
{
    const int64_t rowid = t->rows + 1;
    const size_t payload = (size_t)(end - at) + 1;
    if (rowid != t->word_rowid + 1 || (rowid & 0x7f) == 0 || payload >= 0x80) {
        return put_head(at, end, types_n, t);
    }
    *--at = (uint8_t)(types_n + 1);
    t->word_rowid = rowid;
    page_put_be64(at - 8, ++t->word);
    at -= t->word_n;
    *--at = (uint8_t)payload;
    return at;
}

/* --- any table ------------------------------------------------------------------------------- */

uint8_t *page_encode(uint8_t *end, page_table *t, const void *row, unsigned n, uint64_t reserved,
                     uint32_t *from_end)
{
    uint8_t types[8 + MAX_COLUMNS * TEXT_VARINT];
    uint8_t *const types_end = types + sizeof types;
    cell c = {.at = end, .types = types_end};
    unsigned k = page_count_bits(reserved);
    uint32_t types_n;
    uint64_t nulls;
    memcpy(&nulls, row, sizeof nulls);
    nulls |= t->keys;
    for (unsigned i = n; i-- > 0;) {
        bool late = (reserved >> i & 1) != 0;
        (void)put_column(&c, false, 0, t->columns[i], row, (nulls >> i & 1) != 0, late);
        if (late) {
            from_end[--k] = (uint32_t)(end - c.at);
        }
    }
    types_n = (uint32_t)(types_end - c.types);
    memset(c.types - 8, 0, 8);
    for (uint32_t i = 0; i < types_n; i += 8) {
        memcpy(c.at - i - 8, types_end - i - 8, 8);
    }
    return put_head(c.at - types_n, end, types_n, t);
}

/* --- hot tables ------------------------------------------------------------------------------ */

/* All calls give constants for `columns` and `n`, for `late` but where any columns may come later,
 * and for `nulls` where it is the usual one. */
static inline __attribute__((always_inline)) uint8_t *
encode_hot(uint8_t *end, page_table *t, const char *row, const page_column *columns,
           const unsigned n, const uint64_t nulls, const uint64_t late, uint32_t *from_end)
{
    cell c = {.at = end};
    unsigned k = page_count_bits(late);
#pragma GCC unroll 32
    for (unsigned i = n; i-- > 0;) {
        bool null = columns[i].type == TS_COL_KEY || (nulls >> i & 1) != 0;
        bool is_late = (late >> i & 1) != 0;
        if (!put_column(&c, true, n - 1 - i, columns[i], row, null, is_late)) {
            return NULL;
        }
        if (is_late) {
            from_end[--k] = (uint32_t)(end - c.at);
        }
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < n; i += TYPES_A_WORD) {
        page_put_be64(c.at - i - 8, c.words[i / TYPES_A_WORD]);
    }
    return put_short_head(c.at - n, end, n, t);
}

/* columns_<table>. */
#define TS_TABLE(t, c, d) static const page_column __attribute__((unused)) columns_##t[] = {
#define TS_INT(t, c, u, n, d) {TS_COL_INT, offsetof(ts_row_##t, c)},
#define TS_REAL(t, c, u, n, d) {TS_COL_REAL, offsetof(ts_row_##t, c)},
#define TS_STR(t, c, u, n, d) {TS_COL_TEXT, offsetof(ts_row_##t, c)},
#define TS_KEY(t, c, d) {TS_COL_KEY, offsetof(ts_row_##t, c)},
#define TS_TABLE_END(t)                                                                            \
    }                                                                                              \
    ;
#include "tables/formats/each.h"

/* The usual NULLs, if there are any, make code of their own. */
static inline __attribute__((always_inline)) uint8_t *
encode_usual(uint8_t *end, page_table *t, const char *row, const page_column *columns,
             const unsigned n, const uint64_t usual, const uint64_t late, uint32_t *from_end)
{
    uint64_t nulls;
    memcpy(&nulls, row, sizeof nulls);
    return usual != 0 && nulls == usual
               ? encode_hot(end, t, row, columns, n, usual, late, from_end)
               : encode_hot(end, t, row, columns, n, nulls, late, from_end);
}

#define TS_HOT(t, usual, late)                                                                     \
    _Static_assert((unsigned)TS_N_##t <= (unsigned)HOT_COLUMNS, "too many columns to be hot");     \
    static uint8_t *encode_##t(uint8_t *end, page_table *table, const void *row,                   \
                               uint32_t *from_end)                                                 \
    {                                                                                              \
        return encode_usual(end, table, row, columns_##t, TS_N_##t, usual, 0, from_end);           \
    }                                                                                              \
    static uint8_t *encode_late_##t(uint8_t *end, page_table *table, const void *row,              \
                                    uint32_t *from_end)                                            \
    {                                                                                              \
        return encode_usual(end, table, row, columns_##t, TS_N_##t, usual, late, from_end);        \
    }                                                                                              \
    static uint8_t *encode_some_##t(uint8_t *end, page_table *table, const void *row,              \
                                    uint32_t *from_end, uint64_t reserved)                         \
    {                                                                                              \
        return encode_usual(end, table, row, columns_##t, TS_N_##t, 0, reserved, from_end);        \
    }
#include "tables/formats/each.h"

static const struct {
    const page_column *columns;
    unsigned n;
    uint64_t late;
    page_hot_call *encode;
    page_hot_call *encode_late;
    page_some_call *encode_some;
} hot_tables[] = {
/* Code of tables of which nothing usually comes later is left out of the program. */
#define TS_HOT(t, usual, late)                                                                     \
    {columns_##t, TS_N_##t,        late,                                                           \
     encode_##t,  encode_late_##t, (late) == 0 ? NULL : encode_some_##t},
#include "tables/formats/each.h"
};

/* Tables with the same columns have the same rows, whatever their names are. The first mark of the
 * same columns counts. */
void page_find_hot(page_table *t)
{
    const unsigned n = t->table->column_count;
    t->hot = NULL;
    t->hot_late = NULL;
    t->hot_some = NULL;
    t->late = 0;
    for (size_t i = 0; i < sizeof hot_tables / sizeof *hot_tables && t->hot == NULL; i++) {
        if (hot_tables[i].n == n &&
            memcmp(hot_tables[i].columns, t->columns, n * sizeof *t->columns) == 0) {
            t->hot = hot_tables[i].encode;
            t->hot_late = hot_tables[i].encode_late;
            t->hot_some = hot_tables[i].encode_some;
            t->late = hot_tables[i].late;
        }
    }
}

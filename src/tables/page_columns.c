/*
 * Rows of small integers that come as columns: the serial types and sizes of a column are found
 * for many rows at once, and a cell is then a few stores from its end. The cells are those that
 * single rows get.
 *
 * The loop that finds types is compiled twice on x86-64: for every processor, and with AVX2 for
 * those that have it. Heads of rows are turned with SSE2, which all of these have.
 */
#include "tables/page_private.h"
#include "tables/sink.h"

#include <string.h>

#if defined(__SSE2__) && !defined(TS_NO_SSE2)
#include <immintrin.h>
#define HAS_SSE2 1
#if defined(__GNUC__) && !defined(TS_NO_AVX2)
#define HAS_AVX2 1
#endif
#endif

/* clang makes vectors of loops anyway. */
#if defined(__GNUC__) && !defined(__clang__)
#define WITH_VECTORS __attribute__((optimize("O3")))
#else
#define WITH_VECTORS
#endif

enum {
    RUN = 256,
    MOST_COLUMNS = 15, /* their types, and the size of the header before them, are 16 bytes */
    HEAD = 16,
    WORDS_SLACK = 16, /* whole words are stored, which reach below what they stand for */
    FIRST_COLUMNS = TS_FIRST_COLUMNS,
    FIRST_SIGNED = TS_FIRST_COLUMNS - 1
};

/* --- serial types --------------------------------------------------------------------------- */

/* (Without a branch, and `restrict`: bytes may be anything's.) */
#define TYPES(name, target)                                                                        \
    static target WITH_VECTORS void name(uint8_t *restrict types, uint8_t *restrict sizes,         \
                                         uint8_t *restrict sums, const uint32_t *restrict v,       \
                                         unsigned n)                                               \
    {                                                                                              \
        for (unsigned i = 0; i < n; i++) {                                                         \
            uint8_t bytes = (uint8_t)(1 + (v[i] > 0x7f) + (v[i] > 0x7fff) + (v[i] > 0x7fffff));    \
            uint8_t few = v[i] < 2 ? UINT8_MAX : 0; /* 0 and 1 */                                  \
            uint8_t size = (uint8_t)(bytes & ~few);                                                \
            types[i] = (uint8_t)(size | (few & (PAGE_TYPE_ZERO + v[i])));                          \
            sizes[i] = size;                                                                       \
            sums[i] = (uint8_t)(sums[i] + size);                                                   \
        }                                                                                          \
    }
TYPES(types_plain, )
#ifdef HAS_AVX2
TYPES(types_avx2, __attribute__((target("avx2"))))
#endif

page_types_call *page_types_way(enum page_way way)
{
#ifdef HAS_AVX2
    if (way == PAGE_WAY_AVX2) {
        return __builtin_cpu_supports("avx2") ? types_avx2 : NULL;
    }
#endif
    return way == PAGE_WAY_PLAIN ? types_plain : NULL;
}

page_types_call *page_types_best(void)
{
    page_types_call *best = page_types_way(PAGE_WAY_AVX2);
    return best != NULL ? best : types_plain;
}

/* --- heads ---------------------------------------------------------------------------------- */

/* Rows of a run: of each the sizes of its values, their sum, and the last bytes of its head. */
typedef struct run {
    const uint32_t *const *columns;
    const uint32_t *at[MOST_COLUMNS]; /* their values in the run */
    const uint32_t *none;             /* stands for those of a column of NULLs */
    const uint8_t *ends;              /* columns of each row, or NULL: all */
    unsigned n;                       /* columns */
    uint8_t sizes[MOST_COLUMNS][RUN];
    uint8_t sums[RUN];
    uint8_t types[HEAD][RUN]; /* of the columns, the last one last, before them the header's size */
    uint8_t heads[RUN][HEAD];
} run;

static void turn_plain(run *r, unsigned from, unsigned rows)
{
    for (unsigned i = from; i < rows; i++) {
        for (unsigned k = HEAD - 1 - r->n; k < HEAD; k++) {
            r->heads[i][k] = r->types[k][i];
        }
    }
}

#ifdef HAS_SSE2
static inline __m128i sixteen(const uint8_t *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

/* Eight bytes of each of 16 rows, from eight of the rows of bytes in `from`. */
static inline void turn_16(uint8_t (*heads)[HEAD], const uint8_t (*from)[RUN])
{
    for (size_t half = 0; half < 2; half++) { /* of the rows */
        __m128i two[4];
        __m128i four[4];
        for (size_t k = 0; k < 4; k++) {
            __m128i a = sixteen(from[2 * k]);
            __m128i b = sixteen(from[2 * k + 1]);
            two[k] = half == 0 ? _mm_unpacklo_epi8(a, b) : _mm_unpackhi_epi8(a, b);
        }
        for (size_t k = 0; k < 2; k++) {
            four[k] = _mm_unpacklo_epi16(two[2 * k], two[2 * k + 1]);
            four[2 + k] = _mm_unpackhi_epi16(two[2 * k], two[2 * k + 1]);
        }
        for (size_t k = 0; k < 2; k++) {
            __m128i low = _mm_unpacklo_epi32(four[2 * k], four[2 * k + 1]);
            __m128i high = _mm_unpackhi_epi32(four[2 * k], four[2 * k + 1]);
            uint8_t(*at)[HEAD] = heads + 8 * half + 4 * k;
            _mm_storel_epi64((__m128i *)(void *)at[0], low);
            _mm_storel_epi64((__m128i *)(void *)at[1], _mm_unpackhi_epi64(low, low));
            _mm_storel_epi64((__m128i *)(void *)at[2], high);
            _mm_storel_epi64((__m128i *)(void *)at[3], _mm_unpackhi_epi64(high, high));
        }
    }
}
#endif

/* Types of columns become heads of rows. */
static void turn(run *r, unsigned rows)
{
    unsigned done = 0;
#ifdef HAS_SSE2
    for (; done + 16 <= rows; done += 16) {
        for (unsigned k = r->n < HEAD / 2 ? HEAD / 2 : 0; k < HEAD; k += HEAD / 2) {
            const uint8_t(*from)[RUN] = (const uint8_t(*)[RUN])(r->types[k] + done);
            turn_16((uint8_t(*)[HEAD])(r->heads[done] + k), from);
        }
    }
#endif
    turn_plain(r, done, rows);
}

/* Numbers from 0 on of the same types and sizes as signed ones: a negative number needs as many
 * bytes as the one with its bits turned, and none of its own type is 0 or 1. */
static void turn_signs(uint32_t *out, const uint32_t *values, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t sign = values[i] >> 31;
        out[i] = (values[i] ^ (0 - sign)) | sign << 1;
    }
}

static void make_run(run *r, page_types_call *types, unsigned first, unsigned rows)
{
    unsigned head = HEAD - 1 - r->n;
    memset(r->sums, 0, rows);
    memset(r->types[head], (int)(r->n + 1), rows);
    for (unsigned i = 0; i < rows && r->ends != NULL; i++) {
        r->types[head][i] = (uint8_t)(r->ends[first + i] + 1);
    }
    for (unsigned i = 0; i < r->n; i++) {
        r->at[i] = r->columns[i] == NULL ? r->none : r->columns[i] + first;
        if (r->columns[i] != NULL && r->ends != NULL && i == FIRST_SIGNED) {
            uint32_t turned[RUN];
            turn_signs(turned, r->at[i], rows);
            types(r->types[head + 1 + i], r->sizes[i], r->sums, turned, rows);
        } else if (r->columns[i] != NULL) {
            types(r->types[head + 1 + i], r->sizes[i], r->sums, r->at[i], rows);
        } else {
            memset(r->types[head + 1 + i], PAGE_TYPE_NULL, rows);
            memset(r->sizes[i], 0, rows);
        }
    }
    turn(r, rows);
}

/* --- cells ---------------------------------------------------------------------------------- */

/* The head of a row that has `end` of 7 columns, before `at`: what its other columns would have is
 * cut off. */
static inline void put_cut_head(uint8_t *at, const uint8_t *head, unsigned end)
{
    uint64_t word;
    memcpy(&word, head + HEAD / 2, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word >>= 8 * (FIRST_COLUMNS - end);
#else
    word <<= 8 * (FIRST_COLUMNS - end);
#endif
    memcpy(at - sizeof word, &word, sizeof word);
}

/* Cells of the rows from `row` on, as long as the leaf has room; returns the row after them. Rows
 * have n columns, or, with `ends`, as many as it says. */
static inline __attribute__((always_inline)) unsigned
put_cells(page_table *t, const run *r, unsigned n, const uint8_t *ends, unsigned row, unsigned rows)
{
    open_page *leaf = &t->leaf;
    uint8_t *end = leaf->bytes + leaf->content;
    uint8_t *pointer = leaf->bytes + leaf->header + (size_t)CELL_POINTER * leaf->cells;
    unsigned rowid_n;
    uint64_t rowid = page_rowid_word(&rowid_n, t->rows + 1);
    const unsigned from = row;
    for (; row < rows; row++, pointer += CELL_POINTER) {
        const unsigned heads_n = (ends == NULL ? n : ends[row]) + 1;
        const unsigned payload = r->sums[row] + heads_n;
        uint8_t *at = end;
        if ((uint32_t)(end - pointer) < payload + 1 + rowid_n + CELL_POINTER + WORDS_SLACK) {
            break;
        }
        for (unsigned i = n; i-- > (ends == NULL ? 0 : 1);) {
            page_put32(at - 4, r->at[i][row]);
            at -= r->sizes[i][row];
        }
        if (ends != NULL) {
            put_cut_head(at, r->heads[row], ends[row]);
        } else {
            memcpy(at - HEAD / 2, r->heads[row] + HEAD / 2, HEAD / 2);
        }
        if (n >= HEAD / 2) {
            memcpy(at - HEAD, r->heads[row], HEAD / 2);
        }
        at -= heads_n;
        page_put_be64(at - 8, rowid);
        at -= rowid_n;
        *--at = (uint8_t)payload;
        end = at;
        page_put16(pointer, (uint32_t)(at - leaf->bytes));
        if ((rowid & 0x7f) != 0x7f) {
            rowid++;
        } else {
            rowid = page_rowid_word(&rowid_n, t->rows + 1 + (row - from) + 1);
        }
    }
    leaf->content = (uint32_t)(end - leaf->bytes);
    leaf->cells += row - from;
    t->rows += row - from;
    return row;
}

/* Unrolled for the usual numbers of columns. */
static unsigned put_some(page_table *t, const run *r, unsigned row, unsigned rows)
{
    if (t->leaf.bytes == NULL || t->rows >= INT64_C(1) << 55) {
        return row;
    }
    switch (r->n) {
#define UNROLLED(count)                                                                            \
    case count:                                                                                    \
        return put_cells(t, r, count, NULL, row, rows);
        UNROLLED(2)
        UNROLLED(7)
        UNROLLED(10)
        UNROLLED(15)
#undef UNROLLED
    default:
        return put_cells(t, r, r->n, NULL, row, rows);
    }
}

static ts_code put_single(ts_pages *p, unsigned id, const uint32_t *const *columns, unsigned row)
{
    int64_t values[1 + MAX_COLUMNS];
    ts_row_of_columns(values, columns, p->tables[id].table->column_count, row);
    return page_put_row(p, &p->tables[id], values, 0);
}

bool ts_pages_has_columns(const ts_pages *p, unsigned id)
{
    const page_table *t = &p->tables[id];
    return t->integers && t->keys == 0 && t->table->column_count <= MOST_COLUMNS;
}

ts_code ts_pages_put_columns(ts_pages *p, unsigned id, const uint32_t *const *columns,
                             unsigned count)
{
    page_table *t = &p->tables[id];
    static const uint32_t nothing[RUN] = {0};
    run r;
    ts_code code = page_held_put(p, t, t->held.last);
    r.columns = columns;
    r.n = t->table->column_count;
    r.none = nothing;
    r.ends = NULL;
    for (unsigned first = 0; first < count && code == TS_OK; first += RUN) {
        const unsigned rows = count - first < RUN ? count - first : RUN;
        make_run(&r, p->types, first, rows);
        for (unsigned row = 0; row < rows && code == TS_OK;) {
            row = put_some(t, &r, row, rows);
            if (row < rows) { /* it begins another leaf, perhaps */
                code = put_single(p, id, columns, first + row++);
            }
        }
    }
    return code;
}

/* --- first columns --------------------------------------------------------------------------- */

static ts_code put_single_first(ts_pages *p, unsigned id, const ts_first_columns *rows,
                                unsigned row)
{
    int64_t values[1 + FIRST_COLUMNS] = {0}; /* the first is the mask of NULLs */
    for (unsigned i = 1; i < FIRST_COLUMNS; i++) {
        uint32_t v = rows->columns[i] == NULL ? 0 : rows->columns[i][row];
        values[1 + i] = i == FIRST_SIGNED ? (int64_t)(int32_t)v : (int64_t)v;
    }
    return ts_pages_put_first(p, id, values, rows->ends[row]);
}

static unsigned put_some_first(page_table *t, const run *r, unsigned row, unsigned rows,
                               const uint8_t *ends)
{
    if (t->leaf.bytes == NULL || t->rows >= INT64_C(1) << 55) {
        return row;
    }
    return r->columns[FIRST_SIGNED] == NULL ? put_cells(t, r, FIRST_COLUMNS - 1, ends, row, rows)
                                            : put_cells(t, r, FIRST_COLUMNS, ends, row, rows);
}

ts_code ts_pages_put_first_columns(ts_pages *p, unsigned id, const ts_first_columns *rows)
{
    page_table *t = &p->tables[id];
    static const uint32_t nothing[RUN] = {0};
    run r;
    ts_code code = page_held_put(p, t, t->held.last);
    r.columns = rows->columns;
    r.n = FIRST_COLUMNS;
    r.none = nothing;
    r.ends = rows->ends;
    for (unsigned first = 0; first < rows->count && code == TS_OK; first += RUN) {
        const unsigned n = rows->count - first < RUN ? rows->count - first : RUN;
        make_run(&r, p->types, first, n);
        for (unsigned row = 0; row < n && code == TS_OK;) {
            row = put_some_first(t, &r, row, n, rows->ends + first);
            if (row < n) { /* it begins another leaf, perhaps */
                code = put_single_first(p, id, rows, first + row++);
            }
        }
    }
    return code;
}

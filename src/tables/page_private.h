/* What the files of the page writer share. */
#ifndef TS_TABLES_PAGE_PRIVATE_H
#define TS_TABLES_PAGE_PRIVATE_H

#include "base/text.h"
#include "tables/page_writer.h"

#include <string.h>

enum {
    LEAF_HEADER = 8,
    INTERIOR_HEADER = 12,
    LEAF_TYPE = 0x0d,
    INTERIOR_TYPE = 0x05,
    CELL_POINTER = 2,
    OVERFLOW_HEADER = 4, /* number of the next page of the chain */
    PAGE_DATABASE_HEADER = 100,
    MAX_LEVELS = 12, /* of interior pages; 7 hold all pages of 512 bytes that there can be */
    MAX_COLUMNS = 63,
    MAX_VARINT = 9,
    OUT_BYTES = 1 << 20
};

/* Limits of SQLite as it is usually built: bytes of a row, and the greatest page number. */
#define PAGE_MAX_RECORD UINT64_C(1000000000)
#define PAGE_MAX_NUMBER UINT32_C(0xfffffffe)

/* A page in the making: cells grow down from its end, their pointers up from its header. What lies
 * between is not defined before the page is closed. */
typedef struct open_page {
    uint8_t *bytes;
    uint32_t header;
    uint32_t cells;
    uint32_t content; /* offset of the lowest cell */
} open_page;

/* An interior page. Its last child waits: it becomes a cell when another one follows, and the
 * right-most pointer when none does. */
typedef struct open_level {
    open_page page;
    uint32_t child;
    int64_t key; /* largest rowid below the child */
} open_level;

/* Where a reserved row is. All those of a table have the same size, so that what one has left
 * is used by the next. */
typedef struct reserved_row {
    struct reserved_row *next;
    int64_t rowid;
    uint64_t columns;
    uint32_t page;      /* its leaf; 0: the first one of the table */
    uint32_t at;        /* of the record in the leaf */
    uint32_t local;     /* bytes of the record in the leaf */
    uint32_t overflow;  /* first page of the rest */
    uint32_t offsets[]; /* in the record, of each of the columns */
} reserved_row;

/* Rows that may be completed, by rowid. */
typedef struct reserved_map {
    reserved_row **slots; /* chains */
    uint32_t cap;         /* a power of two, or 0 */
    uint32_t count;
    reserved_row *spare; /* a chain of a few */
    uint32_t spare_count;
} reserved_map;

/* The newest rows of a table that has reserved ones (page_held.c). */
typedef struct held_rows {
    char *rows;     /* NULL: none are held */
    uint64_t *open; /* of each, the columns that are still to come */
    bool *complete; /* whether it came with all */
    int64_t last;   /* rowid of the newest row; those after the table's cells are held */
} held_rows;

/* Serial types of the record format, in order, and the bytes of their values. Blobs and texts come
 * after two types that there are not: even and odd numbers, with twice as many as they have bytes
 * added. */
#define PAGE_TYPES(T)                                                                              \
    T(NULL, 0)                                                                                     \
    T(INT8, 1)                                                                                     \
    T(INT16, 2)                                                                                    \
    T(INT24, 3)                                                                                    \
    T(INT32, 4)                                                                                    \
    T(INT48, 6)                                                                                    \
    T(INT64, 8)                                                                                    \
    T(REAL, 8)                                                                                     \
    T(ZERO, 0)                                                                                     \
    T(ONE, 0)
#define PAGE_TYPE(name, size) PAGE_TYPE_##name,
#define PAGE_BYTES(name, size) PAGE_SIZE_##name = (size),
enum { PAGE_TYPES(PAGE_TYPE) PAGE_TYPES_KNOWN, PAGE_TYPE_BLOB = 12, PAGE_TYPE_TEXT };
enum { PAGE_TYPES(PAGE_BYTES) };
#undef PAGE_TYPE
#undef PAGE_BYTES

enum {
    HEADER_VARINT = 2,    /* header size: at most 63 columns of 9 bytes */
    TEXT_VARINT = 3,      /* type of a text that fits into a leaf */
    PAYLOAD_VARINT = 3,   /* size of a record that fits into a leaf */
    PAGE_SHORT_TEXT = 57, /* its type is one byte */
    INT_BYTES = 8,
    SLACK = 8 /* whole words are stored, which reach below what they stand for */
};

/* A column of the row struct. */
typedef struct page_column {
    uint16_t type; /* ts_column_type */
    uint16_t field;
} page_column;

struct page_table;

/* Makes the cell of the table's next row, which ends at `end`: where it begins, or NULL when a text
 * is longer than PAGE_SHORT_TEXT. from_end: how far from the end each of the columns that come
 * later begins, which take 8 bytes. */
typedef uint8_t *page_hot_call(uint8_t *end, struct page_table *t, const void *row,
                               uint32_t *from_end);

/* The same for rows of which these columns come later. */
typedef uint8_t *page_some_call(uint8_t *end, struct page_table *t, const void *row,
                                uint32_t *from_end, uint64_t reserved);

typedef struct page_table {
    const ts_table *table;
    page_hot_call *hot;      /* NULL: the table is not hot, or its rows do not fit into a leaf */
    page_hot_call *hot_late; /* the same for rows of which the columns `late` come later */
    page_some_call
        *hot_some; /* and for any columns, of tables that have rows of the kind; or NULL */
    uint64_t late;
    uint32_t hot_max; /* space that a cell of these takes at most */
    uint32_t root;
    bool integers;       /* all columns are integers, one after the other: the short way */
    uint64_t reservable; /* the columns that can be */
    uint32_t reservable_count;
    uint64_t keys;        /* the columns that are never stored: the key, or none */
    uint32_t payload_max; /* size of a record at most, without its texts */
    uint32_t cell_max;    /* space that its cell takes at most */
    page_column columns[MAX_COLUMNS];
    unsigned text_count;
    uint16_t text_at[MAX_COLUMNS]; /* offsets of texts in the row struct */
    int64_t rows;
    /* The rowid that was put last as page_rowid_word gives it, from which the next one is made. */
    int64_t word_rowid;
    uint64_t word;
    unsigned word_n;
    /* The open leaf. The first one is in `own` and has no number, because it may become the
     * root. Those after it are numbered when they begin and are filled where they are written from,
     * unless the queue has to go earlier: then they move to `own` too. */
    open_page leaf;
    uint8_t *own;
    uint32_t leaf_number;
    uint32_t first_leaf; /* number of the first leaf once it is written */
    bool queued;         /* the open leaf is in the queue */
    unsigned levels;
    open_level level[MAX_LEVELS];
    reserved_map reserved;
    held_rows held;
} page_table;

/* Serial types and sizes of n integers from 0 to INT32_MAX; sizes are added to `sums` too. */
typedef void page_types_call(uint8_t *types, uint8_t *sizes, uint8_t *sums, const uint32_t *values,
                             unsigned n);

struct ts_pages {
    ts_ctx *ctx;
    page_types_call *types;
    int fd;
    const char *path;
    uint32_t page_size;
    uint32_t max_local; /* largest payload that stays in a leaf */
    uint32_t min_local;
    uint32_t lock_page;
    uint32_t next; /* number of the next page */
    /* Pages that wait to be written: out_first, out_first + 1 ... */
    uint8_t *out;
    uint32_t out_first;
    uint32_t out_count;
    uint32_t out_cap;
    uint8_t *scratch;    /* space for a cell whose place is not known yet */
    ts_spool *long_text; /* of the row that is being put, or NULL */
    uint64_t long_at;
    page_table tables[TS_TABLE_COUNT];
};

/* --- page_file.c: pages on their way to the file --------------------------------------------- */

/* The next number, and the place in the queue where the page is made, which is valid until
 * the next call. */
ts_code page_claim(ts_pages *p, uint32_t *number, uint8_t **bytes);
/* Queues a finished page. */
ts_code page_emit(ts_pages *p, uint32_t *number, const uint8_t *bytes);
/* The number that the next page will get. */
uint32_t page_peek(const ts_pages *p);
/* Page n of a run of pages claimed one after the other. */
uint32_t page_after(const ts_pages *p, uint32_t first, uint64_t n);
/* Writes the queue. Leaves that are open in it go on in the memory of their tables. */
ts_code page_flush(ts_pages *p);
/* Where a page is in the queue, or NULL. */
uint8_t *page_queued(const ts_pages *p, uint32_t number);
/* Writes bytes at an offset of the file, or into the queue when the page is still there. */
ts_code page_patch(ts_pages *p, uint32_t number, uint32_t at, const void *bytes, size_t n);
ts_code page_write_at(ts_pages *p, uint64_t offset, const void *bytes, size_t n);
ts_code page_read_at(ts_pages *p, uint64_t offset, void *bytes, size_t n);

static inline uint64_t page_offset(const ts_pages *p, uint32_t number)
{
    return (uint64_t)(number - 1) * p->page_size;
}

/* --- page_tree.c: leaves, interior pages, roots ---------------------------------------------- */

/* Room for a cell of n bytes in the table's leaf: its place. A full leaf is written first. */
ts_code page_cell(ts_pages *p, page_table *t, uint32_t n, uint8_t **cell);
ts_code page_close_table(ts_pages *p, page_table *t);

/* --- page_record.c: rows as cells ------------------------------------------------------------ */

/* What of a column has to be known before rows come. */
ts_code page_prepare(ts_pages *p, page_table *t, const ts_table *table);

/* The next row as a cell, and some of a table of integers without reserved columns. */
ts_code page_put_row(ts_pages *p, page_table *t, const void *row, uint64_t reserved);
ts_code page_put_mixed(ts_pages *p, page_table *t, const int64_t *rows, unsigned count);

/* --- page_held.c: rows that wait for their last columns -------------------------------------- */

/* Takes the next row of a table of integers, some of whose columns may come later. */
ts_code page_hold(ts_pages *p, page_table *t, const void *row, uint64_t reserved);
/* Makes cells of the held rows up to this one. */
ts_code page_held_put(ts_pages *p, page_table *t, int64_t to);
/* The columns of a held row that are still to come, and the row; NULL: it is not held. */
uint64_t *page_held_open(int64_t **row, page_table *t, int64_t rowid);
void page_held_free(ts_pages *p, page_table *t);

/* Rows that the table has, with those that have no cell yet. */
static inline int64_t page_rows(const page_table *t)
{
    return t->rows > t->held.last ? t->rows : t->held.last;
}

/* --- page_cell.c: cells that fit into a leaf ------------------------------------------------- */

/* Finds out whether the table, whose columns are known, is hot. */
void page_find_hot(page_table *t);
/* The cell of any table's next row, of its first n columns: where it begins. Reserved columns take
 * 8 bytes; from_end: how far from the end each of them begins. */
uint8_t *page_encode(uint8_t *end, page_table *t, const void *row, unsigned n, uint64_t reserved,
                     uint32_t *from_end);

/* Short texts, without a call. */
static inline void page_copy_short(uint8_t *at, const char *p, size_t n)
{
    if (n >= 8) {
        for (size_t i = 0; i + 8 < n; i += 8) {
            memcpy(at + i, p + i, 8);
        }
        memcpy(at + n - 8, p + n - 8, 8);
    } else if (n >= 4) {
        uint32_t first;
        uint32_t last;
        memcpy(&first, p, 4);
        memcpy(&last, p + n - 4, 4);
        memcpy(at, &first, 4);
        memcpy(at + n - 4, &last, 4);
    } else {
        for (size_t i = 0; i < n; i++) {
            at[i] = (uint8_t)p[i];
        }
    }
}

/* --- page_reserved.c: rows that are completed later ------------------------------------------ */

/* A new entry with room for the offsets of `columns`, of which the table can reserve each; the
 * caller fills it. */
ts_code page_reserve(reserved_row **out, ts_pages *p, page_table *t, int64_t rowid,
                     uint64_t columns);
void page_forget_all(ts_pages *p, page_table *t);

static inline void page_put_be64(uint8_t *out, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(out, &v, 8);
}

static inline void page_put16(uint8_t *b, uint32_t v)
{
    b[0] = (uint8_t)(v >> 8);
    b[1] = (uint8_t)v;
}

static inline void page_put32(uint8_t *b, uint32_t v)
{
    b[0] = (uint8_t)(v >> 24);
    b[1] = (uint8_t)(v >> 16);
    b[2] = (uint8_t)(v >> 8);
    b[3] = (uint8_t)v;
}

/* Any text; most are short. */
static inline void page_copy_text(uint8_t *at, const char *p, size_t n)
{
    if (n > 64) {
        memcpy(at, p, n);
    } else {
        page_copy_short(at, p, n);
    }
}

/* SQLite's varint: 7 bits a byte, most significant first, the ninth byte whole. */
static inline unsigned page_varint(uint8_t *out, uint64_t v)
{
    uint8_t reversed[MAX_VARINT];
    unsigned n = 0;
    if (v < 0x80) {
        out[0] = (uint8_t)v;
        return 1;
    }
    if (v < 0x4000) {
        out[0] = (uint8_t)(v >> 7 | 0x80);
        out[1] = (uint8_t)(v & 0x7f);
        return 2;
    }
    if (v >> 56 != 0) {
        out[8] = (uint8_t)v;
        v >>= 8;
        for (unsigned i = 8; i > 0; i--) {
            out[i - 1] = (uint8_t)((v & 0x7f) | 0x80);
            v >>= 7;
        }
        return MAX_VARINT;
    }
    while (v != 0) {
        reversed[n++] = (uint8_t)((v & 0x7f) | 0x80);
        v >>= 7;
    }
    reversed[0] &= 0x7f;
    for (unsigned i = 0; i < n; i++) {
        out[i] = reversed[n - 1 - i];
    }
    return n;
}

/* The rowid as a varint in the lowest bytes of a word, the first byte highest. */
static inline uint64_t page_rowid_word(unsigned *n, int64_t rowid)
{
    uint8_t varint[MAX_VARINT];
    uint64_t word = 0;
    *n = page_varint(varint, (uint64_t)rowid);
    for (unsigned i = 0; i < *n; i++) {
        word = word << 8 | varint[i];
    }
    return word;
}

/* The same of rowids that mostly follow each other. */
static inline uint64_t page_next_rowid_word(unsigned *n, page_table *t, int64_t rowid)
{
    if (rowid == t->word_rowid + 1 && (rowid & 0x7f) != 0) {
        t->word++;
    } else {
        t->word = page_rowid_word(&t->word_n, rowid);
    }
    t->word_rowid = rowid;
    *n = t->word_n;
    return t->word;
}

/* A varint that ends before `at`: returns where it begins. */
static inline uint8_t *page_varint_before(uint8_t *at, uint64_t v)
{
    if (v >> 56 != 0) {
        at -= MAX_VARINT;
        (void)page_varint(at, v);
        return at;
    }
    *--at = (uint8_t)(v & 0x7f);
    while ((v >>= 7) != 0) {
        *--at = (uint8_t)(v | 0x80);
    }
    return at;
}

static inline uint32_t page_header_size(uint32_t types_n)
{
    return types_n + (types_n < 0x7f ? 1 : 2); /* the varint counts itself */
}

static inline unsigned page_count_bits(uint64_t v)
{
    unsigned n = 0;
    for (; v != 0; v &= v - 1) { /* few, and not every processor counts them at once */
        n++;
    }
    return n;
}

/* --- serial types of numbers ----------------------------------------------------------------- */

/*
 * Serial types, and sizes above them, of integers by the place of the highest bit of the zigzag
 * form: 0 to 63; 64 and 65 are the numbers 0 and 1, 66 is NULL.
 */
enum { PAGE_FORM_NULL = 66, PAGE_FORM_SIZE = 8 };
#define PAGE_FORM(name) (PAGE_TYPE_##name | PAGE_SIZE_##name << PAGE_FORM_SIZE)
#define PAGE_FORM_LATE PAGE_FORM(INT64)
#define PAGE_EIGHT(f) f, f, f, f, f, f, f, f
static const uint16_t page_forms[PAGE_FORM_NULL + 1] = {PAGE_EIGHT(PAGE_FORM(INT8)),
                                                        PAGE_EIGHT(PAGE_FORM(INT16)),
                                                        PAGE_EIGHT(PAGE_FORM(INT24)),
                                                        PAGE_EIGHT(PAGE_FORM(INT32)),
                                                        PAGE_EIGHT(PAGE_FORM(INT48)),
                                                        PAGE_EIGHT(PAGE_FORM(INT48)),
                                                        PAGE_EIGHT(PAGE_FORM(INT64)),
                                                        PAGE_EIGHT(PAGE_FORM(INT64)),
                                                        PAGE_FORM(ZERO),
                                                        PAGE_FORM(ONE),
                                                        PAGE_FORM(NULL)};
#undef PAGE_EIGHT

/* Without a branch: values are of any size, in any order. */
static inline unsigned page_integer_form(int64_t v, bool null)
{
    uint64_t zigzag = (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
    unsigned highest = 63U ^ (unsigned)__builtin_clzll(zigzag | 1);
    highest |= (unsigned)((uint64_t)v <= 1) << 6; /* of 0 and 1: themselves */
    return page_forms[null ? PAGE_FORM_NULL : highest];
}

/* Of a real's bits. Reals with whole values are stored as integers where that is shorter, and NaN
 * as NULL, as SQLite does with columns of type REAL; it reads them as reals again. */
static inline unsigned page_real_form(int64_t *bits)
{
    double v;
    memcpy(&v, bits, sizeof v);
    if (v != v) {
        return page_forms[PAGE_FORM_NULL];
    }
    if (v > -140737488355329.0 && v < 140737488355328.0) { /* 6 bytes */
        int64_t whole = (int64_t)v;
        if ((double)whole == v) {
            *bits = whole;
            return page_integer_form(whole, false);
        }
    }
    return PAGE_FORM(REAL);
}

/* --- page_columns.c: rows that come as columns ----------------------------------------------- */

/* The best first. */
enum page_way { PAGE_WAY_AVX2, PAGE_WAY_PLAIN, PAGE_WAYS };

/* NULL: not in this program, or not on this processor. */
page_types_call *page_types_way(enum page_way way);
page_types_call *page_types_best(void);

#endif

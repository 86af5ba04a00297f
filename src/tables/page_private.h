/* What the files of the page writer share. */
#ifndef TS_TABLES_PAGE_PRIVATE_H
#define TS_TABLES_PAGE_PRIVATE_H

#include "base/text.h"
#include "tables/page_writer.h"

enum {
    LEAF_HEADER = 8,
    INTERIOR_HEADER = 12,
    LEAF_TYPE = 0x0d,
    INTERIOR_TYPE = 0x05,
    CELL_POINTER = 2,
    MAX_LEVELS = 12, /* of interior pages; 4 hold 2^31 pages of 4096 bytes */
    MAX_COLUMNS = 63,
    MAX_VARINT = 9,
    OUT_BYTES = 1 << 20
};

/* A page in the making: cells grow down from its end, their pointers up from its header. */
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

/* Where a reserved row stands. */
typedef struct reserved_row {
    struct reserved_row *next;
    int64_t rowid;
    uint64_t columns;
    uint32_t page;      /* 0: still in the open leaf */
    uint32_t at;        /* of the record's body, in the page */
    uint16_t offsets[MAX_COLUMNS]; /* of the columns in the body */
} reserved_row;

typedef struct page_table {
    const ts_table *table;
    uint32_t root;
    bool integers;   /* all columns are integers: the short way */
    bool has_key;
    int64_t rows;
    open_page leaf;
    unsigned levels;
    open_level level[MAX_LEVELS];
    reserved_row *reserved;
} page_table;

struct ts_pages {
    ts_ctx *ctx;
    int fd;
    const char *path;
    uint32_t page_size;
    uint32_t max_local; /* largest payload that stays in a leaf */
    uint32_t min_local;
    uint32_t lock_page;
    uint32_t next; /* number of the next page */
    /* Pages that are to be written: out_first, out_first + 1 ... */
    uint8_t *out;
    uint32_t out_first;
    uint32_t out_count;
    uint32_t out_cap;
    uint8_t *overflow; /* one page */
    page_table tables[TS_TABLE_COUNT];
};

/* --- page_file.c: pages on their way to the file ------------------------------------------------ */

/* Gives the page the next number and queues it. */
ts_code page_emit(ts_pages *p, uint32_t *number, const uint8_t *bytes);
/* The number that the next page will get. */
uint32_t page_peek(const ts_pages *p);
ts_code page_flush(ts_pages *p);
/* Writes bytes at an offset of the file, or into the queue when the page is still there. */
ts_code page_patch(ts_pages *p, uint32_t number, uint32_t at, const void *bytes, size_t n);
ts_code page_write_at(ts_pages *p, uint64_t offset, const void *bytes, size_t n);

/* --- page_tree.c: leaves, interior pages, roots ------------------------------------------------- */

/* Room for a cell of n bytes in the table's leaf: its place. A full leaf is written first. */
ts_code page_cell(ts_pages *p, page_table *t, uint32_t n, uint8_t **cell);
ts_code page_close_table(ts_pages *p, page_table *t);

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

#endif

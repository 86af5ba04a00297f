/* What the files of the page reader share (table_scan.h). */
#ifndef TS_TABLES_SCAN_PRIVATE_H
#define TS_TABLES_SCAN_PRIVATE_H

#include "tables/page_private.h"
#include "tables/table_scan.h"

struct ts_db;

enum {
    SCAN_WINDOW = 256 * 1024,
    SCAN_DEPTH = 20,    /* as deep as SQLite goes */
    SCAN_PAD = 32,      /* bytes after a page that may be read, not used */
    SCAN_HEADER = 1024, /* of a record at most: 63 columns and its own size */
    SCAN_OPEN = 0       /* "number" of the pages that are being filled */
};

typedef struct reader_table {
    const ts_table *table;
    uint32_t root; /* 0: the file has no such table */
    bool written;  /* it is filled by `pages` */
} reader_table;

struct ts_reader {
    ts_ctx *ctx;
    char *own_path;
    const char *path;
    int fd;
    bool owns_fd;
    ts_code damage; /* code for what the file cannot hold */
    uint32_t page_size;
    uint32_t usable;
    uint32_t page_count;
    ts_pages *pages;        /* the writer, or NULL */
    const struct ts_db *db; /* what it keeps until the file is finished, or NULL */
    ts_reader_progress progress;
    reader_table tables[TS_TABLE_COUNT];
    /* stack_sample when its rows are short (sample_rows.h): its place in `tables` is not used. */
    reader_table sample_rows;
    reader_table sample_blocks;
};

/* A page on the way from the root to the leaf. */
typedef struct scan_frame {
    uint8_t *bytes; /* page_size + SCAN_PAD; NULL until it is needed */
    uint32_t page;
    bool loaded;
    bool leaf;
    uint32_t header; /* offset of the page's header: 100 in page 1 */
    uint32_t cells;
    uint32_t children; /* cells of a leaf */
    uint32_t next;     /* child, or cell, that comes next */
    /* Of an interior page that is being filled: the child after its cells. */
    uint32_t last_child;
    int64_t last_key;
} scan_frame;

/* Cells of one column of the batch. */
typedef struct scan_slot {
    ts_column_type type;
    unsigned column;
    int64_t *ints; /* of these three one */
    double *reals;
    ts_scan_text *texts;
    uint8_t *null;
} scan_slot;

/* Where a wanted integer is in the values of a record. */
typedef struct scan_place {
    uint8_t at;
    uint8_t shift;
    int8_t keep; /* -1; 0: it has no bytes */
    uint8_t null;
    uint8_t fixed; /* then: its value, 0 or 1 */
} scan_place;

/* Records of integers that have the same types in their first columns. */
enum { SCAN_WORDS = 2, SCAN_LAYOUTS = 128, SCAN_INTEGERS = 8 };
typedef struct scan_layout {
    uint64_t types[SCAN_WORDS]; /* a byte each */
    uint32_t end;               /* of the values of these columns */
    scan_place cells[SCAN_INTEGERS];
} scan_layout;

/* A record that does not fit its leaf. */
typedef struct scan_chain {
    const uint8_t *local;
    uint32_t local_n;
    uint32_t leaf;  /* number of its page, for messages */
    uint32_t first; /* overflow page */
    uint64_t size;
    uint32_t page; /* that is in the buffer; 0: none */
    uint32_t next; /* page after it */
    uint64_t at;   /* offset in the record of the buffer's first byte */
    uint64_t seen; /* overflow pages counted already */
} scan_chain;

/* A text that came after its row. */
typedef struct scan_late {
    int64_t rowid;
    unsigned slot;
    uint32_t order;
    ts_text text;
} scan_late;

/* Cells that count as NULL. */
typedef struct scan_nulls {
    int64_t first, last; /* rowids */
    uint64_t columns;
} scan_nulls;

struct ts_scan {
    ts_reader *reader;
    const ts_table *table;
    uint32_t root;
    scan_slot chosen[TS_SCAN_COLUMNS];
    unsigned slot_count;
    int8_t slot_of[TS_SCAN_COLUMNS + 1]; /* by column; -1: not wanted */
    unsigned columns;                    /* up to the last one that is wanted */
    unsigned capacity;                   /* rows of a batch */
    int64_t *rowids;
    ts_batch batch;

    scan_frame frames[SCAN_DEPTH];
    unsigned depth;
    scan_frame open[MAX_LEVELS + 1]; /* copies of the pages being filled, topmost first */
    unsigned open_count;
    int64_t last_rowid;
    bool any_row;
    uint64_t visited; /* pages since the beginning, or since a seek */

    uint8_t *window;
    uint32_t window_first;
    uint32_t window_count;
    uint32_t window_next; /* pages to read next time */

    scan_chain chain;
    uint8_t *overflow; /* a page of the chain */
    char *text;        /* texts of the row with the chain */
    size_t text_n;
    uint64_t text_at[TS_SCAN_COLUMNS]; /* their offsets in its record */
    bool chained;                      /* the batch is one such row */
    bool integers; /* few columns are chosen, integers and all of them among the first 16 */
    scan_layout layouts[SCAN_LAYOUTS]; /* by a hash of their types */

    scan_late *late;
    size_t late_count;
    scan_nulls *nulls; /* in their order; they do not overlap */
    size_t null_count;
    struct scan_samples *samples; /* the rows are made from those of other tables */
};

/* How many pages a way through a tree can have: that many are different. */
static inline uint64_t scan_pages_max(const ts_scan *s)
{
    const ts_reader *r = s->reader;
    return (r->pages == NULL ? r->page_count : r->pages->next) + (uint64_t)MAX_LEVELS + 1;
}

/* Sets the error for page `number`: what is wrong there. */
ts_code scan_damaged(const ts_scan *s, uint32_t number, const char *what);

/* The bytes of a page, from the writer, the window or the file. */
ts_code scan_fetch(ts_scan *s, uint32_t number, uint8_t *bytes);

/* The cell `cell` of the leaf as row `row` of the batch. *done: false when the row has overflow
 * pages that are needed and is not the first of the batch. */
ts_code scan_cell(bool *done, ts_scan *s, const scan_frame *leaf, uint32_t cell, unsigned row);

/* The next cells of a leaf as rows of the batch, from `row` on and below `end`, until one is
 * unusual: the row after them. */
uint32_t scan_integer_cells(ts_scan *s, const scan_frame *leaf, uint32_t row, uint32_t end);

/* n bytes of the record with overflow pages. */
ts_code scan_chain_read(ts_scan *s, uint64_t offset, uint8_t *out, size_t n);

/* A scan of one of the tables that short samples are in, or of any other. */
ts_code scan_open_table(ts_scan **out, ts_reader *reader, const reader_table *t,
                        enum ts_table_id id, const unsigned *columns, unsigned column_count);

/* scan_samples.c: rows of stack_sample from short ones. s->samples is set, and freed here. */
ts_code scan_samples_open(ts_scan *s);
ts_code scan_samples_next(ts_scan *s);
ts_code scan_samples_seek(ts_scan *s, int64_t rowid);
ts_code scan_samples_row(ts_scan *s, int64_t rowid);
ts_code scan_samples_text(size_t *got, ts_scan *s, unsigned row, uint64_t offset, char *out,
                          size_t n);
void scan_samples_close(ts_scan *s);

/* What the writer keeps until the end, on the cells of the batch. */
void scan_apply_late(ts_scan *s);

/* Cells that count as NULL: before the first row, and for the rows of a batch. */
ts_code scan_prepare_nulls(ts_scan *s);
void scan_apply_nulls(ts_scan *s);

/* A reader of a file whose tables the caller declares. path and pages are borrowed. */
typedef struct ts_reader_config {
    int fd;
    const char *path;
    ts_pages *pages;        /* NULL: a finished file */
    const struct ts_db *db; /* or NULL */
    bool given;             /* not all of the file is ours, also with `pages` */
} ts_reader_config;
ts_code ts_reader_new(ts_reader **out, ts_ctx *ctx, const ts_reader_config *config);
void ts_reader_table(ts_reader *reader, unsigned id, const ts_table *table, uint32_t root,
                     bool written);

/* The place of the first of n records of `size` bytes whose number at `offset`, by which they are
 * in order, is at least this. */
static inline size_t scan_lower_bound(const void *records, size_t n, size_t size, size_t offset,
                                      int64_t least)
{
    size_t low = 0;
    while (low < n) {
        size_t middle = low + (n - low) / 2;
        int64_t number;
        memcpy(&number, (const char *)records + middle * size + offset, sizeof number);
        if (number < least) {
            low = middle + 1;
        } else {
            n = middle;
        }
    }
    return low;
}

static inline void scan_set_null(const scan_slot *slot, unsigned row)
{
    slot->null[row] = 1;
    if (slot->type == TS_COL_TEXT) {
        slot->texts[row] = (ts_scan_text){"", 0, 0};
    } else if (slot->type == TS_COL_REAL) {
        slot->reals[row] = 0;
    } else {
        slot->ints[row] = 0;
    }
}

static inline uint32_t scan_be16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t scan_be32(const uint8_t *p)
{
    return scan_be16(p) << 16 | scan_be16(p + 2);
}

static inline uint64_t scan_be64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* At most 9 bytes are read. */
static inline uint64_t scan_varint(const uint8_t **p)
{
    const uint8_t *at = *p;
    uint64_t v = 0;
    for (unsigned i = 0; i < MAX_VARINT - 1; i++) {
        uint8_t byte = *at++;
        v = v << 7 | (byte & 0x7f);
        if (byte < 0x80) {
            *p = at;
            return v;
        }
    }
    v = v << 8 | *at++;
    *p = at;
    return v;
}

#endif

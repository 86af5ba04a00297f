/*
 * One column of a Parquet file: the pages of its chunk, and what is known of the chunk. Values are
 * held until there are enough for a page: zstd finds what repeats within a page only. The first
 * page of a chunk with values is encoded in all ways that suit the type, and the smallest decides
 * how the chunk goes on; a dictionary that grows too large is left for the best of the other ways.
 *
 * Memory: the values that are held, the compressed pages, a dictionary of at most 65 536 values and
 * 1 MiB of texts, and for all columns together three times what a page of one of them takes.
 */
#ifndef TS_EXPORT_COLUMNS_PARQUET_COLUMN_H
#define TS_EXPORT_COLUMNS_PARQUET_COLUMN_H

#include "export/columns/columns.h"
#include "export/columns/parquet_dictionary.h"
#include "export/columns/parquet_thrift.h"

/* Physical types. */
enum { TS_PQ_BOOLEAN = 0, TS_PQ_INT32 = 1, TS_PQ_INT64 = 2, TS_PQ_DOUBLE = 5, TS_PQ_BYTES = 6 };

enum { TS_PQ_LEAST_TEXT = 64 }; /* longer texts are no least and greatest values */

typedef struct ts_pq_stats {
    uint64_t nulls;
    bool any;
    int64_t least, most;
    double least_real, most_real;
    bool texts_long; /* one that counts is too long */
    size_t least_n, most_n;
    char least_text[TS_PQ_LEAST_TEXT], most_text[TS_PQ_LEAST_TEXT];
} ts_pq_stats;

/* Values without those that are NULL. */
typedef struct ts_pq_values {
    ts_buf nulls; /* a byte a row; empty in a column without them */
    ts_vec ints;  /* int64_t: integers, or lengths of texts */
    ts_vec reals; /* double */
    ts_buf bytes; /* of texts */
    size_t rows;
} ts_pq_values;

typedef struct ts_pq_column {
    const char *name;
    int type;
    unsigned bytes;   /* of a value of INT32, INT64 */
    bool is_unsigned; /* of them */
    bool required;    /* no value is NULL */
    bool not_utf8;    /* a text of the file is no UTF-8 */
    /* of the chunk */
    int way;       /* the encoding of its pages; -1: not decided */
    int other;     /* if the dictionary is left */
    unsigned ways; /* bit of each encoding that was used */
    uint64_t values;
    uint64_t size;       /* of its pages before compression, with their headers */
    size_t dictionary_n; /* bytes of the dictionary's page, which comes first */
    ts_buf pages;
    ts_pq_dictionary dictionary;
    /* of the page that is being held */
    ts_pq_values held;
    ts_pq_stats stats;
} ts_pq_column;

/* What encoding a page takes, shared by all columns. */
typedef struct ts_pq_work {
    ts_ctx *ctx;
    void *zstd;
    size_t lent;
    ts_vec numbers;     /* uint32_t */
    ts_vec scratch;     /* int64_t */
    ts_buf raw, packed; /* a page, before and after compression */
} ts_pq_work;

ts_code ts_pq_work_open(ts_pq_work *w, ts_ctx *ctx);
void ts_pq_work_close(ts_pq_work *w);

/* Holds the values of a batch. */
ts_code ts_pq_hold(ts_pq_column *c, ts_ctx *ctx, const ts_column_values *v, unsigned rows);
/* Bytes of what is held. */
size_t ts_pq_held(const ts_pq_column *c);
/* What is held becomes a page. */
ts_code ts_pq_page(ts_pq_column *c, ts_pq_work *w);

/* The chunk is complete: its dictionary becomes a page, in `out` before c->pages. */
ts_code ts_pq_chunk_end(ts_buf *out, ts_pq_column *c, ts_pq_work *w);
/* The next chunk of the column, which has no values yet. The memory of what is held stays. */
void ts_pq_chunk_next(ts_pq_column *c, ts_ctx *ctx);
void ts_pq_column_free(ts_pq_column *c, ts_ctx *ctx);

#endif

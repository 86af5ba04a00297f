/*
 * A table as a file of Apache Parquet (https://parquet.apache.org/docs/file-format/): row groups of
 * at most TS_PQ_GROUP_ROWS rows, in each a chunk a column (parquet_column.h), pages of version 1,
 * compressed by zstd, and the footer. The first column is `row`, the rowid; the others are those of
 * the table, each of them optional, with the type that its declaration says:
 *
 *     u8, u16, u32     INT32 with INTEGER(8 | 16 | 32, unsigned)
 *     u64              INT64 with INTEGER(64, unsigned)
 *     bool             BOOLEAN
 *     other integers   INT64
 *     reals            DOUBLE
 *     texts            BYTE_ARRAY with STRING, without it when a text of the file is no UTF-8
 *
 * A column with a value that its declaration does not allow is INT64 in that file. Columns that are
 * named as the folders of a layout (day, recording) have a "_" after their names.
 *
 * Memory: a batch of columns, TS_PQ_PAGE_BYTES of values that are held and what encoding them takes
 * (parquet_column.h), TS_PQ_GROUP_BYTES of compressed pages, and the dictionaries.
 */
#ifndef TS_EXPORT_COLUMNS_PARQUET_H
#define TS_EXPORT_COLUMNS_PARQUET_H

#include "export/columns/columns.h"

enum {
    TS_PQ_PAGE_ROWS = 128 * 1024,
    TS_PQ_PAGE_BYTES = 10 * 1024 * 1024, /* of what is held of all columns */
    TS_PQ_GROUP_ROWS = 1024 * 1024,
    TS_PQ_GROUP_BYTES = 16 * 1024 * 1024
};

/* Where the bytes go. */
typedef struct ts_pq_output {
    void *user;
    /* A file begins, or once more from its beginning. */
    ts_code (*begin)(void *user, const char *table);
    ts_code (*put)(void *user, const char *p, size_t n);
} ts_pq_output;

/* What writes tables, one after the other: its memory serves all of them. */
typedef struct ts_parquet ts_parquet;

/* Close it also after an error. */
ts_code ts_parquet_open(ts_parquet **out, ts_ctx *ctx, ts_reader *reader,
                        const ts_pq_output *output);
void ts_parquet_close(ts_parquet *f);

/* Writes one table of the reader's, also one without rows. Errors are those of the scan, of memory
 * and of the output; TS_ERR_LIMIT for texts that no page may have. */
ts_code ts_parquet_table(ts_parquet *f, enum ts_table_id table);

#endif

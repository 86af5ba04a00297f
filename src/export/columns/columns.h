/*
 * Tables of a finished database as columns: batches of rows, for formats that keep the values of a
 * column together (native.h, parquet). Rows come from typed scans (tables/table_scan.h) in the
 * order of their rowids. What is a view in the database is no table (callstack of traced calls,
 * js_cpu_profiler_sample of short rows, tables of which --analyze made views).
 *
 * Memory: 9 bytes a cell of at most TS_COLUMNS_ROWS rows, and their texts: at most
 * TS_COLUMNS_TEXT bytes of them and one row more. Larger batches are slower: they leave the cache,
 * and most tables touch them once.
 */
#ifndef TS_EXPORT_COLUMNS_COLUMNS_H
#define TS_EXPORT_COLUMNS_COLUMNS_H

#include "base/buf.h"
#include "tables/table_scan.h"

enum { TS_COLUMNS_ROWS = 16384, TS_COLUMNS_TEXT = 8 * 1024 * 1024 };

/* A column of the batch; of ints, reals and offsets that of its type is set. */
typedef struct ts_column_values {
    const ts_column *column; /* name, type, unit, documentation */
    ts_width width;          /* of integers, as declared; values may be beyond it (min, max) */
    bool nullable;           /* the declaration says what NULL means */
    unsigned nulls;          /* cells that are NULL, also where it does not say so */
    uint8_t *null;           /* 1: the cell is NULL, and its value 0 or an empty text */
    int64_t *ints;
    double *reals;
    uint32_t *offsets; /* text i: bytes.p + offsets[i] up to offsets[i + 1] */
    ts_buf bytes;
    int64_t min, max; /* of ints, those of NULL (0) with them when there are some; no rows: 0 */
} ts_column_values;

typedef struct ts_columns {
    ts_ctx *ctx;
    enum ts_table_id table;
    const char *name; /* of the table */
    unsigned count;
    ts_column_values *columns; /* all of the table, in the order of the declaration */
    unsigned rows;
    int64_t *rowids;
    ts_scan *scan;
    const ts_batch *from; /* rows of the scan, */
    unsigned taken;       /* of which this many were taken */
} ts_columns;

/* Begins before the first row; the table must be one of the reader's (ts_reader_has_table). Close
 * it before the reader, also after an error. */
ts_code ts_columns_open(ts_columns *c, ts_ctx *ctx, ts_reader *reader, enum ts_table_id table);
void ts_columns_close(ts_columns *c);

/* The next batch in place of the last one: as many rows as the bounds above allow; rows == 0 at the
 * end. Errors are those of ts_scan_next. */
ts_code ts_columns_next(ts_columns *c);

/* Leaves only the rows of the batch for which `keep` is set; a batch of none may follow, which is
 * not the end. */
void ts_columns_keep(ts_columns *c, const bool *keep);

/* Whether all values of the batch are of the column's width. */
bool ts_column_fits(const ts_column_values *v);

static inline ts_text ts_column_text(const ts_column_values *v, unsigned row)
{
    return (ts_text){v->bytes.p + v->offsets[row], v->offsets[row + 1] - v->offsets[row]};
}

#endif

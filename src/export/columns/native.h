/*
 * ClickHouse's format Native: blocks of columns. A block is
 *
 *     varint columns, varint rows, and a column: name, type (varint length, bytes each), a byte a
 *     row where the type is Nullable (1: NULL), the values
 *
 * Integers and reals are little endian, a String is its length as a varint and its bytes, one that
 * is NULL has any value (here 0, or no bytes). A block of 0 rows is its columns without values.
 * Servers do not cast: the types must be those of the table (ts_native_type).
 */
#ifndef TS_EXPORT_COLUMNS_NATIVE_H
#define TS_EXPORT_COLUMNS_NATIVE_H

#include "export/columns/columns.h"

enum { TS_NATIVE_TYPE_MAX = 32 };

/* UInt8 (also of booleans: servers before 2021 have no Bool), UInt16, UInt32, UInt64, Int64,
 * Float64 or String, in Nullable() where the declaration says what NULL means. Needs column, width
 * and nullable. */
void ts_native_type(char out[TS_NATIVE_TYPE_MAX], const ts_column_values *v);

/* The column's name, in rows of which ts_native_load is before the columns: a column that is called
 * as one of those has "_" after its name, and so has `interval`: servers of 2018 ask others for it
 * without quotation marks, and those read INTERVAL. Static, or borrowed. */
const char *ts_native_name(const ts_column *column);

/* What rows have before the columns of their table. */
typedef struct ts_native_load {
    uint64_t load; /* number of the attempt */
    uint16_t day;  /* since 1970 */
} ts_native_load;

/*
 * Adds the batch as one block: load UInt64, row UInt32 (the rowid), day Date, then the columns of
 * the table; with load NULL `row` alone is before them. TS_ERR_LIMIT when a value does not have its
 * column's width or is NULL where the declaration says never; the message names the cell.
 */
ts_code ts_native_block(ts_buf *out, const ts_columns *batch, const ts_native_load *load);

#endif

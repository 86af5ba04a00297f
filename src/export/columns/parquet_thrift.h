/*
 * Thrift's compact protocol, as the headers and footers of Parquet are written: fields in rising
 * order of their ids. Errors are those of memory, and are kept: later calls do nothing.
 */
#ifndef TS_EXPORT_COLUMNS_PARQUET_THRIFT_H
#define TS_EXPORT_COLUMNS_PARQUET_THRIFT_H

#include "base/buf.h"

#include <stdint.h>

enum { TS_THRIFT_DEPTH = 8 };

typedef struct ts_thrift {
    ts_ctx *ctx;
    ts_buf *out;
    ts_code code;
    unsigned depth;
    int last[TS_THRIFT_DEPTH]; /* ids of the last fields */
} ts_thrift;

/* A struct of its own, which ends with ts_thrift_end. */
ts_thrift ts_thrift_begin(ts_ctx *ctx, ts_buf *out);
/* Ends a struct: that of ts_thrift_begin, of ts_thrift_struct or an element of a list. */
void ts_thrift_end(ts_thrift *t);

void ts_thrift_bool(ts_thrift *t, int id, bool v);
void ts_thrift_i8(ts_thrift *t, int id, int8_t v);
void ts_thrift_i32(ts_thrift *t, int id, int32_t v);
void ts_thrift_i64(ts_thrift *t, int id, int64_t v);
void ts_thrift_bytes(ts_thrift *t, int id, ts_text v);
void ts_thrift_struct(ts_thrift *t, int id);

/* A list; as many elements follow, each by one of the functions below. */
typedef enum ts_thrift_type {
    TS_THRIFT_I32 = 5,
    TS_THRIFT_BYTES = 8,
    TS_THRIFT_STRUCT = 12
} ts_thrift_type;
void ts_thrift_list(ts_thrift *t, int id, ts_thrift_type type, uint32_t count);
void ts_thrift_item_i32(ts_thrift *t, int32_t v);
void ts_thrift_item_bytes(ts_thrift *t, ts_text v);
void ts_thrift_item_struct(ts_thrift *t);
/* Elements that are encoded already. */
void ts_thrift_items(ts_thrift *t, ts_text encoded);

#endif

#include "export/columns/parquet_thrift.h"

#include "export/columns/parquet_encode.h"

enum { TRUE_FIELD = 1, FALSE_FIELD = 2, I8 = 3, I64 = 6, LIST = 9, SHORT_LIST = 15 };

ts_thrift ts_thrift_begin(ts_ctx *ctx, ts_buf *out)
{
    return (ts_thrift){.ctx = ctx, .out = out};
}

static void thrift_byte(ts_thrift *t, unsigned v)
{
    TS_STEP(t->code, ts_buf_putc(t->ctx, t->out, (char)v));
}

static void thrift_varint(ts_thrift *t, uint64_t v)
{
    TS_STEP(t->code, ts_buf_varint(t->ctx, t->out, v));
}

static void thrift_number(ts_thrift *t, int64_t v)
{
    thrift_varint(t, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static void thrift_field(ts_thrift *t, int id, unsigned type)
{
    int step = id - t->last[t->depth];
    t->last[t->depth] = id;
    if (step > 0 && step <= 15) {
        thrift_byte(t, (unsigned)step << 4 | type);
    } else {
        thrift_byte(t, type);
        thrift_number(t, id);
    }
}

void ts_thrift_end(ts_thrift *t)
{
    thrift_byte(t, 0);
    t->depth -= t->depth > 0 ? 1 : 0;
}

void ts_thrift_bool(ts_thrift *t, int id, bool v)
{
    thrift_field(t, id, v ? TRUE_FIELD : FALSE_FIELD);
}

void ts_thrift_i8(ts_thrift *t, int id, int8_t v)
{
    thrift_field(t, id, I8);
    thrift_byte(t, (uint8_t)v);
}

void ts_thrift_i32(ts_thrift *t, int id, int32_t v)
{
    thrift_field(t, id, TS_THRIFT_I32);
    thrift_number(t, v);
}

void ts_thrift_i64(ts_thrift *t, int id, int64_t v)
{
    thrift_field(t, id, I64);
    thrift_number(t, v);
}

void ts_thrift_item_bytes(ts_thrift *t, ts_text v)
{
    thrift_varint(t, v.n);
    TS_STEP(t->code, ts_buf_put(t->ctx, t->out, v.p, v.n));
}

void ts_thrift_bytes(ts_thrift *t, int id, ts_text v)
{
    thrift_field(t, id, TS_THRIFT_BYTES);
    ts_thrift_item_bytes(t, v);
}

void ts_thrift_item_struct(ts_thrift *t)
{
    t->depth += t->depth + 1 < TS_THRIFT_DEPTH ? 1 : 0;
    t->last[t->depth] = 0;
}

void ts_thrift_struct(ts_thrift *t, int id)
{
    thrift_field(t, id, TS_THRIFT_STRUCT);
    ts_thrift_item_struct(t);
}

void ts_thrift_list(ts_thrift *t, int id, ts_thrift_type type, uint32_t count)
{
    thrift_field(t, id, LIST);
    if (count < SHORT_LIST) {
        thrift_byte(t, count << 4 | type);
    } else {
        thrift_byte(t, SHORT_LIST << 4 | type);
        thrift_varint(t, count);
    }
}

void ts_thrift_item_i32(ts_thrift *t, int32_t v)
{
    thrift_number(t, v);
}

void ts_thrift_items(ts_thrift *t, ts_text encoded)
{
    TS_STEP(t->code, ts_buf_put(t->ctx, t->out, encoded.p, encoded.n));
}

#include "wasm/rows_proto.h"

#include <string.h>

enum { VARINT = 0, BYTES = 2, BATCH_VALUES = 1, VARINT_MOST = 10 };

/* A field of a row: a number, or a text of so many bytes. */
typedef struct proto_value {
    uint64_t n;
    const char *text; /* NULL: a number */
} proto_value;

static size_t varint_size(uint64_t v)
{
    size_t n = 1;
    while (v >= 0x80) {
        v >>= 7;
        n++;
    }
    return n;
}

static char *put_varint(char *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (char)(v | 0x80);
        v >>= 7;
    }
    *p++ = (char)v;
    return p;
}

/* Tags are one byte up to field 15. */
static uint64_t tag(uint32_t field, uint32_t wire)
{
    return (uint64_t)field << 3 | wire;
}

static proto_value value_of(const tst_rows *rows, int column, char kind)
{
    const bool null = tst_rows_type(rows, column) == TST_NULL;
    size_t n = 0;
    if (kind == 's') {
        const char *p = null ? NULL : tst_rows_text(rows, column, &n);
        return (proto_value){p == NULL ? 0 : n, p == NULL ? "" : p};
    }
    const int64_t v = null ? -1 : tst_rows_int64(rows, column);
    return (proto_value){(uint64_t)(kind == 'i' ? (int32_t)(uint32_t)v : v), NULL};
}

/* Bytes of the field; none for 0 and the empty text, which readers take for what is missing. */
static size_t value_size(const proto_value *v, uint32_t field)
{
    const size_t head = varint_size(tag(field, VARINT)) + varint_size(v->n);
    return v->n == 0 ? 0 : v->text == NULL ? head : head + (size_t)v->n;
}

static char *put_value(char *p, const proto_value *v, uint32_t field)
{
    if (v->n == 0) {
        return p;
    }
    p = put_varint(p, tag(field, v->text == NULL ? VARINT : BYTES));
    p = put_varint(p, v->n);
    if (v->text != NULL) {
        memcpy(p, v->text, (size_t)v->n);
        p += v->n;
    }
    return p;
}

static ts_code put_row(ts_buf *out, ts_ctx *ctx, const tst_rows *rows, const proto_type *type)
{
    proto_value values[PROTO_COLUMNS];
    const uint32_t count = (uint32_t)strlen(type->columns);
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = value_of(rows, (int)i, type->columns[i]);
        size += value_size(&values[i], i + 1);
    }
    const uint64_t member = tag(type->member, BYTES);
    const size_t outer = varint_size(member) + varint_size(size) + size;
    TS_TRY(ts_buf_reserve(ctx, out, 1 + VARINT_MOST + outer));
    char *p = out->p + out->n;
    p = put_varint(p, tag(BATCH_VALUES, BYTES));
    p = put_varint(p, outer);
    p = put_varint(p, member);
    p = put_varint(p, size);
    for (uint32_t i = 0; i < count; i++) {
        p = put_value(p, &values[i], i + 1);
    }
    out->n = (size_t)(p - out->p);
    return TS_OK;
}

int rows_proto(ts_buf *out, ts_ctx *ctx, tst_rows *rows, const proto_type *type)
{
    int code;
    while ((code = tst_rows_next(rows)) == TST_ROW) {
        if (put_row(out, ctx, rows, type) != TS_OK) {
            return TST_MEMORY;
        }
    }
    return code;
}

#include "export/columns/native.h"

#include <inttypes.h>
#include <stdio.h>

static ts_code put_text(ts_ctx *ctx, ts_buf *out, ts_text text)
{
    TS_TRY(ts_buf_varint(ctx, out, text.n));
    return ts_buf_put(ctx, out, text.p, text.n);
}

static ts_code begin_block(ts_ctx *ctx, ts_buf *out, uint64_t columns, uint64_t rows)
{
    TS_TRY(ts_buf_varint(ctx, out, columns));
    return ts_buf_varint(ctx, out, rows);
}

static ts_code begin_column(ts_ctx *ctx, ts_buf *out, const char *name, const char *type)
{
    TS_TRY(put_text(ctx, out, ts_text_of(name)));
    return put_text(ctx, out, ts_text_of(type));
}

void ts_native_type(char out[TS_NATIVE_TYPE_MAX], const ts_column_values *v)
{
    static const char *const ints[] = {
        [TS_WIDTH_I64] = "Int64",  [TS_WIDTH_U8] = "UInt8",   [TS_WIDTH_U16] = "UInt16",
        [TS_WIDTH_U32] = "UInt32", [TS_WIDTH_U64] = "UInt64", [TS_WIDTH_BOOL] = "UInt8",
    };
    const char *name = v->column->type == TS_COL_TEXT   ? "String"
                       : v->column->type == TS_COL_REAL ? "Float64"
                                                        : ints[v->width];
    (void)snprintf(out, TS_NATIVE_TYPE_MAX, v->nullable ? "Nullable(%s)" : "%s", name);
}

const char *ts_native_name(const ts_column *column)
{
    static const char *const taken[] = {"load_", "row_", "day_", "interval_"};
    const size_t n = strlen(column->name);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (strlen(taken[i]) == n + 1 && memcmp(taken[i], column->name, n) == 0) {
            return taken[i];
        }
    }
    return column->name;
}

/* --- values ---------------------------------------------------------------------------------- */

static void put_le(uint8_t *to, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(v >> (8 * i));
    }
}

/* The lowest bytes of each; compilers make single stores of the inner loop. */
static void put_lowest(uint8_t *to, const int64_t *from, unsigned n, unsigned bytes)
{
    switch (bytes) {
    case 1:
        for (unsigned i = 0; i < n; i++) {
            to[i] = (uint8_t)from[i];
        }
        break;
    case 2:
        for (unsigned i = 0; i < n; i++) {
            put_le(to + 2 * (size_t)i, (uint64_t)from[i], 2);
        }
        break;
    case 4:
        for (unsigned i = 0; i < n; i++) {
            put_le(to + 4 * (size_t)i, (uint64_t)from[i], 4);
        }
        break;
    default:
        for (unsigned i = 0; i < n; i++) {
            put_le(to + 8 * (size_t)i, (uint64_t)from[i], 8);
        }
    }
}

static ts_code put_ints(ts_ctx *ctx, ts_buf *out, const int64_t *from, unsigned n, unsigned bytes)
{
    TS_TRY(ts_buf_reserve(ctx, out, (size_t)n * bytes));
    put_lowest((uint8_t *)out->p + out->n, from, n, bytes);
    out->n += (size_t)n * bytes;
    return TS_OK;
}

static ts_code put_reals(ts_ctx *ctx, ts_buf *out, const double *from, unsigned n)
{
    TS_TRY(ts_buf_reserve(ctx, out, 8 * (size_t)n));
    for (unsigned i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &from[i], sizeof bits);
        put_le((uint8_t *)out->p + out->n, bits, 8);
        out->n += 8;
    }
    return TS_OK;
}

static ts_code put_texts(ts_ctx *ctx, ts_buf *out, const ts_column_values *v, unsigned n)
{
    TS_TRY(ts_buf_reserve(ctx, out, v->bytes.n + 5 * (size_t)n));
    for (unsigned i = 0; i < n; i++) {
        TS_TRY(put_text(ctx, out, ts_column_text(v, i)));
    }
    return TS_OK;
}

/* --- blocks ---------------------------------------------------------------------------------- */

static ts_code check_column(const ts_columns *b, const ts_column_values *v)
{
    if (v->nulls > 0 && !v->nullable) {
        return ts_fail(b->ctx, TS_ERR_LIMIT,
                       "%s.%s is NULL in %u of the rows from %" PRId64
                       " on, which the declaration of the table does not allow",
                       b->name, v->column->name, v->nulls, b->rowids[0]);
    }
    if (!ts_column_fits(v)) {
        char type[TS_NATIVE_TYPE_MAX];
        ts_native_type(type, v);
        return ts_fail(b->ctx, TS_ERR_LIMIT,
                       "%s.%s has values from %" PRId64 " to %" PRId64 " in the rows from %" PRId64
                       " on, which do not fit its type %s",
                       b->name, v->column->name, v->min, v->max, b->rowids[0], type);
    }
    return TS_OK;
}

static ts_code put_column(ts_buf *out, const ts_columns *b, const ts_column_values *v, bool loaded)
{
    static const uint8_t bytes[] = {
        [TS_WIDTH_I64] = 8, [TS_WIDTH_U8] = 1,  [TS_WIDTH_U16] = 2,
        [TS_WIDTH_U32] = 4, [TS_WIDTH_U64] = 8, [TS_WIDTH_BOOL] = 1,
    };
    char type[TS_NATIVE_TYPE_MAX];
    ts_native_type(type, v);
    TS_TRY(check_column(b, v));
    TS_TRY(begin_column(b->ctx, out, loaded ? ts_native_name(v->column) : v->column->name, type));
    if (v->nullable) {
        TS_TRY(ts_buf_put(b->ctx, out, v->null, b->rows));
    }
    return v->offsets != NULL ? put_texts(b->ctx, out, v, b->rows)
           : v->reals != NULL ? put_reals(b->ctx, out, v->reals, b->rows)
                              : put_ints(b->ctx, out, v->ints, b->rows, bytes[v->width]);
}

static ts_code put_constant(ts_ctx *ctx, ts_buf *out, uint64_t v, unsigned bytes, unsigned rows)
{
    TS_TRY(ts_buf_reserve(ctx, out, (size_t)rows * bytes));
    for (unsigned i = 0; i < rows; i++, out->n += bytes) {
        put_le((uint8_t *)out->p + out->n, v, bytes);
    }
    return TS_OK;
}

static ts_code put_rowids(ts_buf *out, const ts_columns *b)
{
    if (b->rows > 0 && (b->rowids[0] < 0 || b->rowids[b->rows - 1] > UINT32_MAX)) {
        return ts_fail(b->ctx, TS_ERR_LIMIT,
                       "rowids of %s do not fit into UInt32: %" PRId64 " to %" PRId64, b->name,
                       b->rowids[0], b->rowids[b->rows - 1]);
    }
    TS_TRY(begin_column(b->ctx, out, "row", "UInt32"));
    return put_ints(b->ctx, out, b->rowids, b->rows, 4);
}

ts_code ts_native_block(ts_buf *out, const ts_columns *b, const ts_native_load *load)
{
    ts_ctx *ctx = b->ctx;
    TS_TRY(begin_block(ctx, out, b->count + (load == NULL ? 1U : 3U), b->rows));
    if (load != NULL) {
        TS_TRY(begin_column(ctx, out, "load", "UInt64"));
        TS_TRY(put_constant(ctx, out, load->load, 8, b->rows));
    }
    TS_TRY(put_rowids(out, b));
    if (load != NULL) {
        TS_TRY(begin_column(ctx, out, "day", "Date"));
        TS_TRY(put_constant(ctx, out, load->day, 2, b->rows));
    }
    for (unsigned i = 0; i < b->count; i++) {
        TS_TRY(put_column(out, b, &b->columns[i], load != NULL));
    }
    return TS_OK;
}

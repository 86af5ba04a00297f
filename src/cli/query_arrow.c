/*
 * Rows as an Arrow IPC stream. A column of Arrow has one type, and the values of SQLite have each
 * their own: the type is known after the last row only. Until then rows wait in a spool, in blocks
 * of at most BLOCK_ROWS rows or BLOCK_BYTES, each of which becomes a record batch. Memory is that
 * of two blocks, or of the largest row.
 *
 * A block: its length and the number of its rows, then for each value one byte of its type and, but
 * for NULL, its length and the text that SQLite makes of it.
 */
#include "cli/query_rows.h"

#include "base/alloc.h"
#include "base/spool.h"
#include "base/utf8.h"
#include "cli/arrow_message.h"

#include <endian.h>
#include <stdlib.h>

enum { BLOCK_ROWS = 16384, BLOCK_BYTES = 4 << 20 };

/* What values of a column there were. */
enum { SEEN_INT = 1, SEEN_REAL = 2, SEEN_TEXT = 4, SEEN_BLOB = 8, SEEN_LARGE = 16 };

typedef struct arrow_column {
    const char *name; /* of the caller */
    unsigned seen;
    ts_cell_type declared; /* TS_CELL_NULL: nothing is known */
    ts_arrow_type type;
    uint64_t nulls; /* these are of the batch that is being written */
    ts_buf valid, offsets, values;
} arrow_column;

typedef struct block_head {
    uint64_t bytes;
    uint64_t rows;
} block_head;

struct ts_arrow_rows {
    ts_output *out;
    ts_spool *spool;
    arrow_column *columns;
    size_t count;
    ts_buf block;
    uint64_t rows; /* of it */
    ts_buf clean;  /* a text that was no UTF-8 */
};

ts_code ts_arrow_rows_new(ts_arrow_rows **out, ts_output *to, const char *const *names,
                          const ts_cell_type *declared, size_t n)
{
    ts_ctx *ctx = to->ctx;
    ts_arrow_rows *a = ts_zalloc(ctx, 1, sizeof *a);
    *out = a;
    TS_NEED(ctx, a);
    a->out = to;
    TS_TRY(ts_spool_new(&a->spool, ctx));
    TS_NEED(ctx, a->columns = ts_zalloc(ctx, n, sizeof *a->columns));
    a->count = n;
    for (size_t i = 0; i < n; i++) {
        a->columns[i].name = names[i];
        a->columns[i].declared = declared == NULL ? TS_CELL_NULL : declared[i];
    }
    return TS_OK;
}

void ts_arrow_rows_free(ts_arrow_rows *a)
{
    if (a == NULL) {
        return;
    }
    ts_ctx *ctx = a->out->ctx;
    for (size_t i = 0; i < a->count; i++) {
        ts_buf_free(ctx, &a->columns[i].valid);
        ts_buf_free(ctx, &a->columns[i].offsets);
        ts_buf_free(ctx, &a->columns[i].values);
    }
    ts_free(ctx, a->columns);
    ts_spool_free(a->spool);
    ts_buf_free(ctx, &a->block);
    ts_buf_free(ctx, &a->clean);
    ts_free(ctx, a);
}

/* --- rows that wait -------------------------------------------------------------------------- */

static ts_code end_block(ts_arrow_rows *a)
{
    const block_head head = {a->block.n, a->rows};
    if (a->rows == 0) {
        return TS_OK;
    }
    TS_TRY(ts_spool_write(a->spool, &head, sizeof head));
    TS_TRY(ts_spool_write(a->spool, a->block.p, a->block.n));
    a->block.n = 0;
    a->rows = 0;
    return TS_OK;
}

/* An integer that float64 may not have exactly. */
static bool is_large(const char *digits)
{
    const long long v = strtoll(digits, NULL, 10);
    return v > TS_JOUT_EXACT || v < -TS_JOUT_EXACT;
}

static unsigned seen_of(const char *value, ts_cell_type type)
{
    switch (type) {
    case TS_CELL_INT:
        return SEEN_INT | (is_large(value) ? SEEN_LARGE : 0);
    case TS_CELL_REAL:
        return SEEN_REAL;
    case TS_CELL_TEXT:
        return SEEN_TEXT;
    case TS_CELL_BLOB:
        return SEEN_BLOB;
    case TS_CELL_NULL:
        break;
    }
    return 0;
}

ts_code ts_arrow_rows_add(ts_arrow_rows *a, const char *const *values, const size_t *lengths,
                          const ts_cell_type *types)
{
    ts_ctx *ctx = a->out->ctx;
    for (size_t i = 0; i < a->count; i++) {
        const uint64_t n = lengths[i];
        a->columns[i].seen |= seen_of(values[i], types[i]);
        TS_TRY(ts_buf_putc(ctx, &a->block, (char)types[i]));
        if (types[i] != TS_CELL_NULL) {
            TS_TRY(ts_buf_put(ctx, &a->block, &n, sizeof n));
            TS_TRY(ts_buf_put(ctx, &a->block, values[i], lengths[i]));
            TS_TRY(ts_buf_putc(ctx, &a->block, '\0')); /* it is read as a number */
        }
    }
    a->rows++;
    return a->rows >= BLOCK_ROWS || a->block.n >= BLOCK_BYTES ? end_block(a) : TS_OK;
}

/* --- types ----------------------------------------------------------------------------------- */

static ts_arrow_type type_of(const arrow_column *c)
{
    static const ts_arrow_type declared[] = {[TS_CELL_NULL] = TS_ARROW_UTF8,
                                             [TS_CELL_INT] = TS_ARROW_INT64,
                                             [TS_CELL_REAL] = TS_ARROW_FLOAT64,
                                             [TS_CELL_TEXT] = TS_ARROW_UTF8,
                                             [TS_CELL_BLOB] = TS_ARROW_BINARY};
    switch (c->seen) {
    case 0:
        return declared[c->declared];
    case SEEN_INT:
    case SEEN_INT | SEEN_LARGE:
        return TS_ARROW_INT64;
    case SEEN_REAL:
    case SEEN_REAL | SEEN_INT:
        return TS_ARROW_FLOAT64;
    default:
        return (c->seen & SEEN_BLOB) != 0 ? TS_ARROW_BINARY : TS_ARROW_UTF8;
    }
}

static ts_code put_schema(ts_arrow_rows *a)
{
    ts_ctx *ctx = a->out->ctx;
    ts_arrow_field *fields = ts_alloc(ctx, a->count, sizeof *fields);
    TS_NEED(ctx, fields);
    for (size_t i = 0; i < a->count; i++) {
        a->columns[i].type = type_of(&a->columns[i]);
        fields[i] = (ts_arrow_field){a->columns[i].name, a->columns[i].type};
    }
    ts_code code = ts_arrow_put_schema(ctx, &a->out->buf, fields, a->count);
    ts_free(ctx, fields);
    return code;
}

/* --- batches --------------------------------------------------------------------------------- */

static ts_code put_word(ts_ctx *ctx, ts_buf *to, uint64_t word)
{
    const uint64_t le = htole64(word);
    return ts_buf_put(ctx, to, &le, sizeof le);
}

static ts_code put_offset(ts_ctx *ctx, arrow_column *c)
{
    const uint32_t le = htole32((uint32_t)c->values.n);
    return ts_buf_put(ctx, &c->offsets, &le, sizeof le);
}

static ts_code put_bytes(ts_arrow_rows *a, arrow_column *c, ts_text value)
{
    ts_ctx *ctx = a->out->ctx;
    uint64_t replaced = 0;
    if (c->type == TS_ARROW_UTF8) {
        TS_TRY(ts_utf8_text(&value, ctx, &a->clean, &replaced));
    }
    if (value.n > INT32_MAX - c->values.n) {
        return ts_fail(ctx, TS_ERR_LIMIT, "texts of one batch of Arrow have more than 2 GiB");
    }
    TS_TRY(ts_buf_put(ctx, &c->values, value.p, value.n));
    return put_offset(ctx, c);
}

/* value.p NULL: NULL, which has a place in numbers too. */
static ts_code put_value(ts_arrow_rows *a, arrow_column *c, ts_text value)
{
    ts_ctx *ctx = a->out->ctx;
    double real = 0;
    uint64_t bits = 0;
    switch (c->type) {
    case TS_ARROW_INT64:
        return put_word(ctx, &c->values,
                        value.p == NULL ? 0 : (uint64_t)strtoll(value.p, NULL, 10));
    case TS_ARROW_FLOAT64:
        real = value.p == NULL ? 0 : strtod(value.p, NULL);
        memcpy(&bits, &real, sizeof bits);
        return put_word(ctx, &c->values, bits);
    case TS_ARROW_BINARY:
    case TS_ARROW_UTF8:
        break;
    }
    return value.p == NULL ? put_offset(ctx, c) : put_bytes(a, c, value);
}

/* Bits, the lowest first; a bit that is set is a value. */
static ts_code put_valid(ts_ctx *ctx, arrow_column *c, uint64_t row, bool valid)
{
    if (row % 8 == 0) {
        TS_TRY(ts_buf_putc(ctx, &c->valid, '\0'));
    }
    if (valid) {
        c->valid.p[row / 8] = (char)((uint8_t)c->valid.p[row / 8] | 1U << row % 8);
    }
    c->nulls += valid ? 0 : 1;
    return TS_OK;
}

static ts_code begin_batch(ts_arrow_rows *a)
{
    for (size_t i = 0; i < a->count; i++) {
        arrow_column *c = &a->columns[i];
        c->nulls = c->valid.n = c->offsets.n = c->values.n = 0;
        if (c->type == TS_ARROW_UTF8 || c->type == TS_ARROW_BINARY) {
            TS_TRY(put_offset(a->out->ctx, c));
        }
    }
    return TS_OK;
}

/* From rows to columns. */
static ts_code turn(ts_arrow_rows *a, uint64_t rows)
{
    const char *at = a->block.p;
    for (uint64_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < a->count; i++) {
            const bool valid = *at++ != TS_CELL_NULL;
            uint64_t n = 0;
            ts_text value = TS_TEXT_NULL;
            if (valid) {
                memcpy(&n, at, sizeof n);
                value = (ts_text){at + sizeof n, (size_t)n};
                at = value.p + n + 1;
            }
            TS_TRY(put_valid(a->out->ctx, &a->columns[i], row, valid));
            TS_TRY(put_value(a, &a->columns[i], value));
        }
    }
    return TS_OK;
}

static ts_code put_padded(ts_output *out, const ts_buf *buf)
{
    static const char zeros[8];
    TS_TRY(ts_output_put(out, buf->p, buf->n));
    return ts_output_put(out, zeros, ts_arrow_padded(buf->n) - buf->n);
}

static ts_code put_body(ts_arrow_rows *a)
{
    for (size_t i = 0; i < a->count; i++) {
        const arrow_column *c = &a->columns[i];
        TS_TRY(put_padded(a->out, &c->valid));
        if (c->offsets.n > 0) {
            TS_TRY(put_padded(a->out, &c->offsets));
        }
        TS_TRY(put_padded(a->out, &c->values));
    }
    return TS_OK;
}

static ts_code put_batch(ts_arrow_rows *a, uint64_t rows)
{
    ts_ctx *ctx = a->out->ctx;
    TS_TRY(begin_batch(a));
    TS_TRY(turn(a, rows));
    ts_arrow_node *nodes = ts_alloc(ctx, a->count, sizeof *nodes);
    TS_NEED(ctx, nodes);
    for (size_t i = 0; i < a->count; i++) {
        const arrow_column *c = &a->columns[i];
        nodes[i] = c->offsets.n > 0
                       ? (ts_arrow_node){c->nulls, 3, {c->valid.n, c->offsets.n, c->values.n}}
                       : (ts_arrow_node){c->nulls, 2, {c->valid.n, c->values.n, 0}};
    }
    ts_code code = ts_arrow_put_batch(ctx, &a->out->buf, rows, nodes, a->count);
    ts_free(ctx, nodes);
    return code != TS_OK ? code : put_body(a);
}

/* The next block of the spool as a batch. */
static ts_code put_block(ts_arrow_rows *a, uint64_t *off)
{
    block_head head;
    size_t got = 0;
    TS_TRY(ts_check_cancel(a->out->ctx));
    TS_TRY(ts_spool_read(&got, a->spool, *off, &head, sizeof head));
    a->block.n = 0;
    TS_TRY(ts_buf_reserve(a->out->ctx, &a->block, head.bytes));
    TS_TRY(ts_spool_read(&a->block.n, a->spool, *off + sizeof head, a->block.p, head.bytes));
    *off += sizeof head + head.bytes;
    return put_batch(a, head.rows);
}

ts_code ts_arrow_rows_end(ts_arrow_rows *a)
{
    uint64_t off = 0;
    TS_TRY(end_block(a));
    TS_TRY(put_schema(a));
    while (off < ts_spool_size(a->spool)) {
        TS_TRY(put_block(a, &off));
    }
    return ts_arrow_put_end(a->out->ctx, &a->out->buf);
}

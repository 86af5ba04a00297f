/*
 * A flatbuffer is written from its beginning: a table comes before what it points to, and its
 * offsets are set when that is written. Positions count from the beginning of the flatbuffer, which
 * is a multiple of 8 in the stream.
 */
#include "cli/arrow_message.h"

#include "base/utf8.h"

#include <endian.h>

enum {
    METADATA_V5 = 4,
    HEADER_SCHEMA = 1,
    HEADER_RECORD_BATCH = 3,
    DOUBLE_PRECISION = 2,
    TABLE_FIELDS = 6 /* of Field, the largest */
};

/* The first failure is kept, and calls after it do nothing. */
typedef struct flat {
    ts_ctx *ctx;
    ts_buf *out;
    size_t base; /* where the flatbuffer begins */
    ts_code code;
} flat;

/* A field of a table; size 0: it is left out. */
typedef struct flat_part {
    uint8_t size; /* 1, 2, 4 or 8 bytes */
    uint64_t value;
    size_t at; /* where it was written */
} flat_part;

static size_t place(const flat *f)
{
    return f->out->n - f->base;
}

static void put(flat *f, const void *p, size_t n)
{
    TS_STEP(f->code, ts_buf_put(f->ctx, f->out, p, n));
}

/* The lowest bytes of the value, the lowest first. */
static void put_number(flat *f, uint64_t value, size_t size)
{
    const uint64_t le = htole64(value);
    put(f, &le, size);
}

/* Zeros until the place is `rest` more than a multiple of `unit`. */
static void align(flat *f, size_t unit, size_t rest)
{
    while (f->code == TS_OK && place(f) % unit != rest) {
        put_number(f, 0, 1);
    }
}

/* The offset at `at` points to `target`, which is after it. */
static void point(flat *f, size_t at, size_t target)
{
    const uint32_t le = htole32((uint32_t)(target - at));
    if (f->code == TS_OK) {
        memcpy(f->out->p + f->base + at, &le, sizeof le);
    }
}

/* A table with its vtable before it; wide fields first, so that each is aligned. */
static size_t put_table(flat *f, flat_part *parts, size_t n)
{
    uint16_t offsets[TABLE_FIELDS] = {0};
    size_t end = sizeof(uint32_t);
    for (size_t size = 8; size > 0; size /= 2) {
        for (size_t i = 0; i < n; i++) {
            if (parts[i].size == size) {
                offsets[i] = (uint16_t)end;
                end += size;
            }
        }
    }
    align(f, 2, 0);
    while (f->code == TS_OK && (place(f) + 2 * (n + 2)) % 8 != 4) {
        put_number(f, 0, 2);
    }
    const size_t vtable = place(f);
    put_number(f, 2 * (n + 2), 2);
    put_number(f, end, 2);
    for (size_t i = 0; i < n; i++) {
        put_number(f, offsets[i], 2);
    }
    const size_t table = place(f);
    put_number(f, table - vtable, 4);
    for (size_t size = 8; size > 0; size /= 2) {
        for (size_t i = 0; i < n; i++) {
            if (parts[i].size == size) {
                parts[i].at = place(f);
                put_number(f, parts[i].value, size);
            }
        }
    }
    return table;
}

/* The length of a vector, and where it is; its elements of `unit` bytes follow. */
static size_t put_length(flat *f, size_t count, size_t unit)
{
    align(f, 4, 0);
    align(f, unit, unit == 8 ? 4 : 0);
    const size_t at = place(f);
    put_number(f, count, 4);
    return at;
}

static size_t put_string(flat *f, const char *name)
{
    ts_buf clean = {0};
    uint64_t replaced = 0;
    ts_text text = ts_text_of(name);
    TS_STEP(f->code, ts_utf8_text(&text, f->ctx, &clean, &replaced));
    const size_t at = put_length(f, text.n, 1);
    put(f, text.p, text.n);
    put_number(f, 0, 1);
    ts_buf_free(f->ctx, &clean);
    return at;
}

/* --- messages ------------------------------------------------------------------------------- */

/* Message: version, type of the header, header, length of the body. Returns where the offset of the
 * header is. */
static size_t begin_message(flat *f, ts_ctx *ctx, ts_buf *out, unsigned header, uint64_t body)
{
    flat_part parts[] = {{2, METADATA_V5, 0}, {1, header, 0}, {4, 0, 0}, {8, body, 0}};
    *f = (flat){.ctx = ctx, .out = out, .base = out->n};
    put_number(f, UINT32_MAX, 4);
    put_number(f, 0, 4);
    f->base = out->n;
    put_number(f, 0, 4);
    point(f, 0, put_table(f, parts, sizeof parts / sizeof parts[0]));
    return parts[2].at;
}

static ts_code end_message(flat *f)
{
    align(f, 8, 0);
    if (f->code == TS_OK && place(f) > INT32_MAX) {
        return ts_fail(f->ctx, TS_ERR_LIMIT, "the schema of Arrow has more than 2 GiB");
    }
    const uint32_t le = htole32((uint32_t)place(f));
    if (f->code == TS_OK) {
        memcpy(f->out->p + f->base - sizeof le, &le, sizeof le);
    }
    return f->code;
}

/* Field: name, nullable, type, its table, dictionary, children (of which readers want a vector). */
static void put_field(flat *f, const ts_arrow_field *field, size_t from)
{
    flat_part parts[] = {{4, 0, 0}, {1, 1, 0}, {1, field->type, 0},
                         {4, 0, 0}, {0, 0, 0}, {4, 0, 0}};
    flat_part integer[] = {{4, 64, 0}, {1, 1, 0}}; /* bits, signed */
    flat_part real[] = {{2, DOUBLE_PRECISION, 0}};
    point(f, from, put_table(f, parts, sizeof parts / sizeof parts[0]));
    point(f, parts[0].at, put_string(f, field->name));
    point(f, parts[3].at,
          field->type == TS_ARROW_INT64     ? put_table(f, integer, 2)
          : field->type == TS_ARROW_FLOAT64 ? put_table(f, real, 1)
                                            : put_table(f, NULL, 0));
    point(f, parts[5].at, put_length(f, 0, 4));
}

ts_code ts_arrow_put_schema(ts_ctx *ctx, ts_buf *out, const ts_arrow_field *fields, size_t n)
{
    flat f;
    flat_part parts[] = {{2, 0, 0}, {4, 0, 0}}; /* endianness: little; fields */
    const size_t header = begin_message(&f, ctx, out, HEADER_SCHEMA, 0);
    point(&f, header, put_table(&f, parts, 2));
    const size_t list = put_length(&f, n, 4);
    point(&f, parts[1].at, list);
    for (size_t i = 0; i < n; i++) {
        put_number(&f, 0, 4);
    }
    for (size_t i = 0; i < n; i++) {
        put_field(&f, &fields[i], list + 4 + 4 * i);
    }
    return end_message(&f);
}

/* FieldNode: length, count of NULL. */
static size_t put_nodes(flat *f, uint64_t rows, const ts_arrow_node *nodes, size_t n)
{
    const size_t at = put_length(f, n, 8);
    for (size_t i = 0; i < n; i++) {
        put_number(f, rows, 8);
        put_number(f, nodes[i].nulls, 8);
    }
    return at;
}

/* Buffer: where it begins in the body, and its length without what pads it. */
static size_t put_buffers(flat *f, const ts_arrow_node *nodes, size_t n)
{
    uint64_t begin = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        count += nodes[i].buffers;
    }
    const size_t at = put_length(f, count, 8);
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < nodes[i].buffers; k++) {
            put_number(f, begin, 8);
            put_number(f, nodes[i].lengths[k], 8);
            begin += ts_arrow_padded(nodes[i].lengths[k]);
        }
    }
    return at;
}

ts_code ts_arrow_put_batch(ts_ctx *ctx, ts_buf *out, uint64_t rows, const ts_arrow_node *nodes,
                           size_t n)
{
    flat f;
    flat_part parts[] = {{8, rows, 0}, {4, 0, 0}, {4, 0, 0}}; /* length, nodes, buffers */
    uint64_t body = 0;
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < nodes[i].buffers; k++) {
            body += ts_arrow_padded(nodes[i].lengths[k]);
        }
    }
    const size_t header = begin_message(&f, ctx, out, HEADER_RECORD_BATCH, body);
    point(&f, header, put_table(&f, parts, 3));
    point(&f, parts[1].at, put_nodes(&f, rows, nodes, n));
    point(&f, parts[2].at, put_buffers(&f, nodes, n));
    return end_message(&f);
}

ts_code ts_arrow_put_end(ts_ctx *ctx, ts_buf *out)
{
    static const unsigned char end[8] = {0xff, 0xff, 0xff, 0xff};
    return ts_buf_put(ctx, out, end, sizeof end);
}

/*
 * The metadata of an Arrow IPC stream (the columnar format's "encapsulated message"): four bytes
 * 0xFF, the length of the metadata, a flatbuffer with the root Message, and zeros up to a multiple
 * of 8 bytes. What follows a record batch's metadata is its body: the buffers of its columns, each
 * padded the same way. Eight bytes, 0xFFFFFFFF and zero, end a stream.
 */
#ifndef TS_CLI_ARROW_MESSAGE_H
#define TS_CLI_ARROW_MESSAGE_H

#include "base/buf.h"

/* The types of columns, by their numbers in the union Type of Arrow's schema. */
typedef enum ts_arrow_type {
    TS_ARROW_INT64 = 2,
    TS_ARROW_FLOAT64 = 3,
    TS_ARROW_BINARY = 4,
    TS_ARROW_UTF8 = 5
} ts_arrow_type;

typedef struct ts_arrow_field {
    const char *name;
    ts_arrow_type type;
} ts_arrow_field;

/* Of a column in a record batch: how many rows are NULL, and how long its buffers are. */
enum { TS_ARROW_BUFFERS = 3 };
typedef struct ts_arrow_node {
    uint64_t nulls;
    unsigned buffers; /* 2: validity and values; 3: offsets between them */
    uint64_t lengths[TS_ARROW_BUFFERS];
} ts_arrow_node;

/* The length with what pads it. */
static inline uint64_t ts_arrow_padded(uint64_t n)
{
    return (n + 7) & ~UINT64_C(7);
}

/* Appends the message with the columns, which all may be NULL; names that are no UTF-8 are
 * cleaned. Fails with memory, or TS_ERR_LIMIT. */
ts_code ts_arrow_put_schema(ts_ctx *ctx, ts_buf *out, const ts_arrow_field *fields, size_t n);

/* Appends the metadata of a batch, whose body the caller writes after it. */
ts_code ts_arrow_put_batch(ts_ctx *ctx, ts_buf *out, uint64_t rows, const ts_arrow_node *nodes,
                           size_t n);

/* Appends the end of the stream. */
ts_code ts_arrow_put_end(ts_ctx *ctx, ts_buf *out);

#endif

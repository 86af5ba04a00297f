/*
 * Encodings of Apache Parquet (https://parquet.apache.org/docs/file-format/data-pages/encodings/).
 * Each function adds the encoded values to `out`; NULLs are not among them. Errors: memory.
 */
#ifndef TS_EXPORT_COLUMNS_PARQUET_ENCODE_H
#define TS_EXPORT_COLUMNS_PARQUET_ENCODE_H

#include "base/buf.h"

#include <stdint.h>

/* Numbers of the encodings in the format. */
enum {
    TS_PQ_PLAIN = 0,
    TS_PQ_RLE = 3,
    TS_PQ_DELTA = 5,         /* DELTA_BINARY_PACKED */
    TS_PQ_DELTA_LENGTHS = 6, /* DELTA_LENGTH_BYTE_ARRAY */
    TS_PQ_DELTA_TEXTS = 7,   /* DELTA_BYTE_ARRAY */
    TS_PQ_DICTIONARY = 8     /* RLE_DICTIONARY */
};

/* Texts that follow each other. */
typedef struct ts_pq_texts {
    const char *bytes;
    const int64_t *lengths;
    size_t n;
} ts_pq_texts;

ts_code ts_pq_le(ts_ctx *ctx, ts_buf *out, uint64_t v, unsigned bytes);

/* PLAIN: 4 or 8 bytes each; booleans a bit each; texts with 4 bytes of length before them. */
ts_code ts_pq_plain_ints(ts_ctx *ctx, ts_buf *out, const int64_t *v, size_t n, unsigned bytes);
ts_code ts_pq_plain_bools(ts_ctx *ctx, ts_buf *out, const int64_t *v, size_t n);
ts_code ts_pq_plain_reals(ts_ctx *ctx, ts_buf *out, const double *v, size_t n);
ts_code ts_pq_plain_text(ts_ctx *ctx, ts_buf *out, ts_text text);

/* The hybrid of runs and packed bits, of values below 2^width, width 0 to 32. */
ts_code ts_pq_hybrid(ts_ctx *ctx, ts_buf *out, const uint32_t *v, size_t n, unsigned width);

/* DELTA_BINARY_PACKED of integers of 32 or 64 bits, whose differences are taken modulo 2^bits. */
ts_code ts_pq_delta(ts_ctx *ctx, ts_buf *out, const int64_t *v, size_t n, unsigned bits);

/* DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY. `scratch` has room for 2 * n numbers. */
ts_code ts_pq_delta_lengths(ts_ctx *ctx, ts_buf *out, const ts_pq_texts *texts);
ts_code ts_pq_delta_texts(ts_ctx *ctx, ts_buf *out, const ts_pq_texts *texts, int64_t *scratch);

#endif

/*
 * The dictionary of a column chunk: its different values, numbered in the order in which they came,
 * as long as they are few.
 */
#ifndef TS_EXPORT_COLUMNS_PARQUET_DICTIONARY_H
#define TS_EXPORT_COLUMNS_PARQUET_DICTIONARY_H

#include "base/index.h"
#include "base/pool.h"
#include "base/vec.h"
#include "export/columns/parquet_encode.h"

enum { TS_PQ_ENTRIES = 65536, TS_PQ_ENTRY_BYTES = 1024 * 1024 };

typedef struct ts_pq_dictionary {
    bool full; /* it took a value too many; what it says of further values does not count */
    ts_pool texts;
    size_t text_bytes;
    ts_vec ints; /* int64_t */
    ts_index index;
} ts_pq_dictionary;

/* The numbers of n values. Afterwards `full` may be set, also where so many of the values are
 * different that a dictionary gains nothing. */
ts_code ts_pq_number_ints(ts_ctx *ctx, uint32_t *out, ts_pq_dictionary *d, const int64_t *v,
                          size_t n);
ts_code ts_pq_number_texts(ts_ctx *ctx, uint32_t *out, ts_pq_dictionary *d,
                           const ts_pq_texts *texts);

uint32_t ts_pq_entries(const ts_pq_dictionary *d);
/* Bits of the greatest number. */
unsigned ts_pq_number_bits(const ts_pq_dictionary *d);
/* The values as PLAIN; integers of 4 or 8 bytes. */
ts_code ts_pq_put_entries(ts_ctx *ctx, ts_buf *out, const ts_pq_dictionary *d, unsigned bytes);
/* It is empty then. */
void ts_pq_dictionary_free(ts_ctx *ctx, ts_pq_dictionary *d);

#endif

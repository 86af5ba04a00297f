/*
 * Compressed bytes inside of a recording, which come in blocks of any size: what is unpacked is
 * handed on. Streams that follow each other are as one. Limits are those of compressed files.
 */
#ifndef TS_INPUT_UNPACK_H
#define TS_INPUT_UNPACK_H

#include "base/context.h"

typedef struct ts_unpack ts_unpack;
typedef enum ts_unpack_kind { TS_UNPACK_GZIP, TS_UNPACK_ZSTD, TS_UNPACK_ZLIB } ts_unpack_kind;

/* n > 0 bytes, borrowed for the call. */
typedef ts_code ts_unpack_take(void *user, const uint8_t *p, size_t n);

/* Caller frees with ts_unpack_close. Errors of all: memory, limits, those of `take`. */
ts_code ts_unpack_open(ts_unpack **out, ts_ctx *ctx, ts_unpack_kind kind, ts_unpack_take *take,
                       void *user);

/* After a fault nothing more is unpacked. */
ts_code ts_unpack_feed(ts_unpack *u, const uint8_t *p, size_t n);

/* What is wrong with the data so far, or NULL. Static text. */
const char *ts_unpack_fault(const ts_unpack *u);

/* Did the bytes so far end with the end of a stream? */
bool ts_unpack_ended(const ts_unpack *u);

/* NULL is allowed. */
void ts_unpack_close(ts_unpack *u);

#endif

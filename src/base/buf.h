/* A growable run of bytes. Owner: whoever holds the struct; ts_buf_free releases the bytes. */
#ifndef TS_BASE_BUF_H
#define TS_BASE_BUF_H

#include "base/context.h"
#include "base/text.h"

typedef struct ts_buf {
    char *p;
    size_t n;
    size_t cap;
} ts_buf;

/* Makes room for `more` bytes after n. */
ts_code ts_buf_reserve(ts_ctx *ctx, ts_buf *b, size_t more);
ts_code ts_buf_put(ts_ctx *ctx, ts_buf *b, const void *p, size_t n);
ts_code ts_buf_putc(ts_ctx *ctx, ts_buf *b, char c);
/* A varint of protobuf: 7 bits a byte, lowest first. */
ts_code ts_buf_varint(ts_ctx *ctx, ts_buf *b, uint64_t v);
/* A number in decimal, as "%" PRId64 writes it. */
ts_code ts_buf_decimal(ts_ctx *ctx, ts_buf *b, int64_t v);
ts_code ts_buf_printf(ts_ctx *ctx, ts_buf *b, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void ts_buf_free(ts_ctx *ctx, ts_buf *b);

static inline ts_text ts_buf_text(const ts_buf *b)
{
    return (ts_text){b->p == NULL ? "" : b->p, b->n};
}

#endif

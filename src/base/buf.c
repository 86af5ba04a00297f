#include "base/buf.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <stdio.h>

ts_code ts_buf_reserve(ts_ctx *ctx, ts_buf *b, size_t more)
{
    size_t need;
    size_t cap = b->cap == 0 ? 256 : b->cap;
    char *p;
    if (ts_ckd_add(&need, b->n, more)) {
        return ts_fail(ctx, TS_ERR_NOMEM, "out of memory: a text of more than %zu bytes", b->n);
    }
    if (need <= b->cap) {
        return TS_OK;
    }
    while (cap < need) {
        cap = cap > SIZE_MAX / 2 ? need : cap * 2;
    }
    TS_NEED(ctx, p = ts_realloc(ctx, b->p, cap, 1));
    b->p = p;
    b->cap = cap;
    return TS_OK;
}

ts_code ts_buf_put(ts_ctx *ctx, ts_buf *b, const void *p, size_t n)
{
    ts_code code = ts_buf_reserve(ctx, b, n);
    if (code == TS_OK && n > 0) {
        memcpy(b->p + b->n, p, n);
        b->n += n;
    }
    return code;
}

ts_code ts_buf_putc(ts_ctx *ctx, ts_buf *b, char c)
{
    return ts_buf_put(ctx, b, &c, 1);
}

ts_code ts_buf_varint(ts_ctx *ctx, ts_buf *b, uint64_t v)
{
    uint8_t bytes[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7) {
        bytes[n++] = (uint8_t)(v | 0x80);
    }
    bytes[n++] = (uint8_t)v;
    return ts_buf_put(ctx, b, bytes, n);
}

ts_code ts_buf_decimal(ts_ctx *ctx, ts_buf *b, int64_t v)
{
    char text[20]; /* a sign and 19 digits */
    char *const end = text + sizeof text;
    char *at = end;
    uint64_t left = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do {
        *--at = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (v < 0) {
        *--at = '-';
    }
    return ts_buf_put(ctx, b, at, (size_t)(end - at));
}

ts_code ts_buf_printf(ts_ctx *ctx, ts_buf *b, const char *fmt, ...)
{
    va_list ap;
    int need;
    va_start(ap, fmt);
    need = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (need < 0) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "a text cannot be formatted");
    }
    TS_TRY(ts_buf_reserve(ctx, b, (size_t)need + 1));
    va_start(ap, fmt);
    vsnprintf(b->p + b->n, (size_t)need + 1, fmt, ap);
    va_end(ap);
    b->n += (size_t)need;
    return TS_OK;
}

void ts_buf_free(ts_ctx *ctx, ts_buf *b)
{
    ts_free(ctx, b->p);
    *b = (ts_buf){NULL, 0, 0};
}

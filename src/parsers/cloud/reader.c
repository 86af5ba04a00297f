#include "parsers/cloud/reader.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <string.h>

enum { FIRST_WINDOW = 64 * 1024 };

/* Four units at once as long as all are ASCII, which nearly all texts are; how many were taken. */
static size_t take_ascii(ts_buf *out, cloud_string s)
{
    size_t i = 0;
    for (; i + 4 <= s.units; i += 4) {
        uint64_t v;
        uint8_t low[4];
        memcpy(&v, s.p + 2 * i, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        v = __builtin_bswap64(v);
#endif
        if ((v & UINT64_C(0xff80ff80ff80ff80)) != 0) {
            break;
        }
        low[0] = (uint8_t)(v >> 48);
        low[1] = (uint8_t)(v >> 32);
        low[2] = (uint8_t)(v >> 16);
        low[3] = (uint8_t)v;
        memcpy(out->p + i, low, sizeof low);
    }
    out->n = i;
    return i;
}

ts_code cloud_utf8(ts_ctx *ctx, ts_buf *out, cloud_string s)
{
    ts_code code;
    out->n = 0;
    if ((code = ts_buf_reserve(ctx, out, s.units * 3 + 1)) != TS_OK) {
        return code;
    }
    for (size_t i = take_ascii(out, s); i < s.units; i++) {
        uint32_t unit = (uint32_t)s.p[2 * i] << 8 | s.p[2 * i + 1];
        if (unit < 0x80) {
            out->p[out->n++] = (char)unit;
            continue;
        }
        if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < s.units) {
            uint32_t low = (uint32_t)s.p[2 * i + 2] << 8 | s.p[2 * i + 3];
            if (low >= 0xdc00 && low < 0xe000) {
                unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                i++;
            }
        }
        if (unit >= 0xd800 && unit < 0xe000) {
            unit = 0xfffd;
        }
        out->n += ts_utf8_encode(out->p + out->n, unit); /* a pair of units takes 4 of 6 bytes */
    }
    return TS_OK;
}

static ts_code make_room(cloud_reader *r)
{
    uint8_t *buf;
    size_t cap;
    if (r->at > 0) {
        memmove(r->buf, r->buf + r->at, r->n - r->at);
        r->base += r->at;
        r->n -= r->at;
        r->at = 0;
    }
    if (r->n < r->cap) {
        return TS_OK;
    }
    cap = r->cap == 0 ? FIRST_WINDOW : r->cap * 2;
    buf = ts_realloc(r->ctx, r->buf, cap, 1);
    if (buf == NULL) {
        return r->ctx->error.code;
    }
    r->buf = buf;
    r->cap = cap;
    return TS_OK;
}

ts_code cloud_more(cloud_reader *r)
{
    size_t got = 0;
    size_t room;
    ts_code code = ts_check_cancel(r->ctx);
    if (code != TS_OK || (code = make_room(r)) != TS_OK) {
        return code;
    }
    room = r->cap - r->n;
    if (r->block > 0 && room > r->block) {
        room = r->block;
    }
    if (r->stream != NULL) {
        code = ts_stream_read(&got, r->stream, r->buf + r->n, room);
        if (code == TS_ERR_INPUT) {
            r->broken = true;
            code = TS_OK;
        }
    } else if (r->spool != NULL) {
        code = ts_spool_read(&got, r->spool, r->base + r->n, r->buf + r->n, room);
    }
    r->n += got;
    r->ended = got == 0;
    return code;
}

ts_code cloud_need(cloud_reader *r, size_t n)
{
    ts_code code = TS_OK;
    while (code == TS_OK && !r->ended && r->n - r->at < n) {
        code = cloud_more(r);
    }
    return code;
}

ts_code cloud_drain(cloud_reader *r)
{
    ts_code code = TS_OK;
    while (code == TS_OK && !r->ended) {
        r->at = r->n;
        code = cloud_more(r);
    }
    r->at = r->n;
    return code;
}

void cloud_reader_free(cloud_reader *r)
{
    ts_free(r->ctx, r->buf);
    r->buf = NULL;
}

/* gzip and zlib streams, by zlib; and raw deflate for others (ts_inflate_open). */
#include "input/codec.h"

#include "base/alloc.h"
#include "input/input_private.h"

#include <limits.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

enum {
    GZIP_WINDOW_BITS = 15 + 16, /* zlib: the largest window, with a gzip header and trailer */
    ZLIB_WINDOW_BITS = 15,
    PROBE_OUT = 64 * 1024, /* so much without an error is no accident */
    PROBE_IN = 64,         /* likewise, of input */
};

/* --- memory of zlib from base/alloc.h --- */

static voidpf hook_alloc(voidpf opaque, uInt items, uInt size)
{
    return ts_alloc(opaque, items, size);
}

static void hook_free(voidpf opaque, voidpf p)
{
    ts_free(opaque, p);
}

ts_code ts_inflate_open(z_stream *z, ts_ctx *ctx, int window_bits)
{
    memset(z, 0, sizeof *z);
    z->zalloc = hook_alloc;
    z->zfree = hook_free;
    z->opaque = ctx;
    int r = inflateInit2(z, window_bits);
    if (r == Z_MEM_ERROR) {
        return ctx->error.code;
    }
    if (r != Z_OK) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "zlib cannot be used: %s", zError(r));
    }
    return TS_OK;
}

/* --- the codecs --- */

static ts_codec_next gzip_next(const uint8_t *p, size_t n)
{
    static const uint8_t magic[] = {0x1f, 0x8b, 8};
    if (n == 0 || memcmp(p, magic, n < 3 ? n : 3) != 0) {
        return TS_CODEC_NONE;
    }
    return n < 2 ? TS_CODEC_PART : TS_CODEC_ANOTHER;
}

/* Two bytes say too little, and no program writes one stream after another. */
static ts_codec_next zlib_next(const uint8_t *p, size_t n)
{
    (void)p;
    (void)n;
    return TS_CODEC_NONE;
}

static ts_code inflate_begin(z_stream *z, ts_ctx *ctx, int window_bits)
{
    if (z->state == NULL) {
        return ts_inflate_open(z, ctx, window_bits);
    }
    return inflateReset(z) == Z_OK
               ? TS_OK
               : ts_fail(ctx, TS_ERR_INTERNAL, "zlib cannot begin a new gzip member");
}

static ts_code gzip_begin(void *decoder, ts_ctx *ctx)
{
    return inflate_begin(decoder, ctx, GZIP_WINDOW_BITS);
}

static ts_code zlib_begin(void *decoder, ts_ctx *ctx)
{
    return inflate_begin(decoder, ctx, ZLIB_WINDOW_BITS);
}

static void zlib_end(void *decoder, ts_ctx *ctx)
{
    z_stream *z = decoder;
    z->opaque = ctx;
    (void)inflateEnd(z);
}

static ts_code zlib_step(ts_codec_state *state, void *decoder, ts_ctx *ctx, ts_codec_io *io)
{
    z_stream *z = decoder;
    uInt in = io->in_n < UINT_MAX ? (uInt)io->in_n : UINT_MAX;
    uInt out = io->out_n < UINT_MAX ? (uInt)io->out_n : UINT_MAX;
    int r;
    z->opaque = ctx;
    z->next_in = io->in;
    z->avail_in = in;
    z->next_out = io->out;
    z->avail_out = out;
    r = inflate(z, Z_NO_FLUSH);
    io->used = in - z->avail_in;
    io->made = out - z->avail_out;
    switch (r) {
    case Z_OK:
    case Z_BUF_ERROR: /* no room left or more input needed: both are seen by the caller */
        *state = TS_CODEC_MORE;
        return TS_OK;
    case Z_STREAM_END:
        *state = TS_CODEC_END;
        return TS_OK;
    case Z_MEM_ERROR:
        return ctx->error.code;
    default:
        io->why = z->msg != NULL ? z->msg : zError(r);
        *state = TS_CODEC_DAMAGED;
        return TS_OK;
    }
}

const ts_codec ts_codec_gzip = {"gzip",     sizeof(z_stream), gzip_next,
                                gzip_begin, zlib_step,        zlib_end};
const ts_codec ts_codec_zlib = {"zlib",     sizeof(z_stream), zlib_next,
                                zlib_begin, zlib_step,        zlib_end};

/* --- is it zlib data? --- */

/*
 * Two bytes that fit a zlib header also begin many texts ("x^2", "hC", "XG"). So the first bytes
 * must inflate: to the end, or for so long that it cannot be an accident. A file that ends early
 * gives little to judge by: then the header must be one that text cannot be.
 */
static bool judge(int r, const z_stream *z, const uint8_t *p, bool whole)
{
    bool checksum_reached = r == Z_STREAM_END || (r == Z_DATA_ERROR && z->msg != NULL &&
                                                  strcmp(z->msg, "incorrect data check") == 0);
    if (checksum_reached || z->total_in >= PROBE_IN || z->total_out >= PROBE_OUT) {
        return true;
    }
    if (r == Z_DATA_ERROR || !whole) {
        return false;
    }
    return z->total_out > 0 && p[0] == 0x78 && (p[1] == 0x01 || p[1] == 0x9c || p[1] == 0xda);
}

ts_code ts_inflate_probe(bool *likely, ts_ctx *ctx, const uint8_t *p, size_t n, bool whole)
{
    z_stream z;
    uint8_t *scratch = NULL;
    *likely = false;
    ts_code code;
    TS_TRY_INTO(code, ts_inflate_open(&z, ctx, ZLIB_WINDOW_BITS));
    scratch = ts_alloc(ctx, PROBE_OUT, 1);
    if (scratch == NULL) {
        code = ctx->error.code;
        goto out;
    }
    z.next_in = p;
    z.avail_in = n < UINT_MAX ? (uInt)n : UINT_MAX;
    z.next_out = scratch;
    z.avail_out = PROBE_OUT;
    int r = inflate(&z, Z_NO_FLUSH);
    if (r == Z_MEM_ERROR) {
        code = ctx->error.code;
    } else {
        *likely = judge(r, &z, p, whole);
    }
out:
    (void)inflateEnd(&z);
    ts_free(ctx, scratch);
    return code;
}

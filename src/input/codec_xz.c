/* xz, by liblzma. */
#include "input/codec.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <lzma.h>
#include <string.h>

/* xz -9 needs 65 MiB; larger dictionaries have to be asked for. */
#define XZ_MEMORY (UINT64_C(256) << 20)

typedef struct xz_decoder {
    lzma_stream z;
    lzma_allocator allocator;
} xz_decoder;

static ts_codec_next xz_next(const uint8_t *p, size_t n)
{
    static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    if (n == 0 || memcmp(p, magic, n < sizeof magic ? n : sizeof magic) != 0) {
        return TS_CODEC_NONE;
    }
    return n < sizeof magic ? TS_CODEC_PART : TS_CODEC_ANOTHER;
}

static void *xz_alloc(void *ctx, size_t items, size_t size)
{
    return ts_alloc(ctx, items, size);
}

static void xz_free(void *ctx, void *p)
{
    ts_free(ctx, p);
}

static ts_code xz_again(void *decoder, ts_ctx *ctx)
{
    xz_decoder *d = decoder;
    d->allocator.opaque = ctx;
    lzma_ret r = lzma_stream_decoder(&d->z, XZ_MEMORY, 0);
    if (r == LZMA_MEM_ERROR) {
        return ctx->error.code;
    }
    return r == LZMA_OK ? TS_OK
                        : ts_fail(ctx, TS_ERR_INTERNAL, "liblzma cannot be used: error %d", (int)r);
}

static void xz_close(void *decoder, ts_ctx *ctx)
{
    xz_decoder *d = decoder;
    if (d != NULL) {
        d->allocator.opaque = ctx;
        lzma_end(&d->z);
    }
    ts_free(ctx, d);
}

static ts_code xz_open(void **decoder, ts_ctx *ctx)
{
    static const lzma_stream none = LZMA_STREAM_INIT;
    xz_decoder *d = ts_zalloc(ctx, 1, sizeof *d);
    ts_code code;
    *decoder = d;
    TS_NEED(ctx, d);
    d->z = none;
    d->allocator = (lzma_allocator){xz_alloc, xz_free, ctx};
    d->z.allocator = &d->allocator;
    if ((code = xz_again(d, ctx)) != TS_OK) {
        xz_close(d, ctx);
        *decoder = NULL;
    }
    return code;
}

static ts_code xz_step(ts_codec_state *state, void *decoder, ts_ctx *ctx, ts_codec_io *io)
{
    xz_decoder *d = decoder;
    lzma_ret r;
    d->allocator.opaque = ctx;
    d->z.next_in = io->in;
    d->z.avail_in = io->in_n;
    d->z.next_out = io->out;
    d->z.avail_out = io->out_n;
    r = lzma_code(&d->z, LZMA_RUN);
    io->used = io->in_n - d->z.avail_in;
    io->made = io->out_n - d->z.avail_out;
    switch (r) {
    case LZMA_OK:
    case LZMA_BUF_ERROR: /* no step was possible: more input or room is needed */
        *state = TS_CODEC_MORE;
        return TS_OK;
    case LZMA_STREAM_END:
        *state = TS_CODEC_END;
        return TS_OK;
    case LZMA_MEM_ERROR:
        return ctx->error.code;
    case LZMA_MEMLIMIT_ERROR:
        return ts_fail(ctx, TS_ERR_LIMIT,
                       "xz data needs %" PRIu64 " bytes of memory; the limit is %" PRIu64,
                       lzma_memusage(&d->z), XZ_MEMORY);
    case LZMA_OPTIONS_ERROR:
        io->why = "options that are not supported";
        break;
    default:
        io->why = "invalid data or wrong checksum";
        break;
    }
    *state = TS_CODEC_DAMAGED;
    return TS_OK;
}

const ts_codec ts_codec_xz = {"xz", xz_next, xz_open, xz_step, xz_again, xz_close};

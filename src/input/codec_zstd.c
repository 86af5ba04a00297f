/*
 * Zstandard frames (RFC 8878), by libzstd. Its memory comes from libc: a window of the size that
 * the frame says, at most ZSTD_WINDOW_LOG, and some hundred KiB.
 */
#include "input/codec.h"

#include "base/alloc.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { ZSTD_WINDOW_LOG = 27 }; /* what decoders should accept; more has to be asked for */

typedef struct zstd_decoder {
    ZSTD_DCtx *z;
    size_t want; /* bytes of input with which the next block is complete */
} zstd_decoder;

static bool is_skippable(const uint8_t *p, size_t n)
{
    static const uint8_t tail[] = {0x2a, 0x4d, 0x18};
    return (p[0] & 0xf0) == 0x50 && memcmp(p + 1, tail, n - 1 < 3 ? n - 1 : 3) == 0;
}

static ts_codec_next zstd_next(const uint8_t *p, size_t n)
{
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    if (n == 0 || (memcmp(p, magic, n < 4 ? n : 4) != 0 && !is_skippable(p, n))) {
        return TS_CODEC_NONE;
    }
    return n < 4 ? TS_CODEC_PART : TS_CODEC_ANOTHER;
}

static ts_code zstd_again(void *decoder, ts_ctx *ctx)
{
    zstd_decoder *d = decoder;
    (void)ctx;
    (void)ZSTD_DCtx_reset(d->z, ZSTD_reset_session_only);
    d->want = 1;
    return TS_OK;
}

static void zstd_close(void *decoder, ts_ctx *ctx)
{
    zstd_decoder *d = decoder;
    if (d != NULL) {
        (void)ZSTD_freeDCtx(d->z);
    }
    ts_free(ctx, d);
}

/* The largest window that fits into half of the memory that is allowed. */
static int zstd_window(const ts_ctx *ctx)
{
    int log = ZSTD_WINDOW_LOG;
    while (ctx->limits.max_memory != 0 && log > 10 && UINT64_C(2) << log > ctx->limits.max_memory) {
        log--;
    }
    return log;
}

static ts_code zstd_open(void **decoder, ts_ctx *ctx)
{
    zstd_decoder *d = ts_zalloc(ctx, 1, sizeof *d);
    *decoder = NULL;
    TS_NEED(ctx, d);
    d->z = ZSTD_createDCtx();
    d->want = 1;
    if (d->z == NULL) {
        ts_free(ctx, d);
        return ts_fail(ctx, TS_ERR_NOMEM, "out of memory for zstd data");
    }
    if (ZSTD_isError(ZSTD_DCtx_setParameter(d->z, ZSTD_d_windowLogMax, zstd_window(ctx)))) {
        zstd_close(d, ctx);
        return ts_fail(ctx, TS_ERR_INTERNAL, "libzstd cannot be used");
    }
    *decoder = d;
    return TS_OK;
}

/* One block at a time: what came before a damaged one in the same call would be lost. */
static ts_code zstd_step(ts_codec_state *state, void *decoder, ts_ctx *ctx, ts_codec_io *io)
{
    zstd_decoder *d = decoder;
    ZSTD_inBuffer in = {io->in, io->in_n < d->want ? io->in_n : d->want, 0};
    ZSTD_outBuffer out = {io->out, io->out_n, 0};
    size_t r = ZSTD_decompressStream(d->z, &out, &in);
    io->used = in.pos;
    io->made = out.pos;
    if (!ZSTD_isError(r)) {
        *state = r == 0 ? TS_CODEC_END : TS_CODEC_MORE;
        d->want = r == 0 ? 1 : r;
        return TS_OK;
    }
    switch (ZSTD_getErrorCode(r)) {
    case ZSTD_error_memory_allocation:
        return ts_fail(ctx, TS_ERR_NOMEM, "out of memory for zstd data");
    case ZSTD_error_frameParameter_windowTooLarge:
        return ts_fail(ctx, TS_ERR_LIMIT, "zstd data needs a window of more than %u bytes",
                       1U << zstd_window(ctx));
    default:
        io->why = ZSTD_getErrorName(r);
        *state = TS_CODEC_DAMAGED;
        return TS_OK;
    }
}

const ts_codec ts_codec_zstd = {"zstd", zstd_next, zstd_open, zstd_step, zstd_again, zstd_close};

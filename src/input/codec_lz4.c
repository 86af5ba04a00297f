/* LZ4 frames, by liblz4. Its memory comes from libc: twice a block, which is at most 4 MiB. */
#include "input/codec.h"

#include "base/alloc.h"

#include <lz4frame.h>
#include <string.h>

typedef struct lz4_decoder {
    LZ4F_dctx *z;
    size_t want; /* bytes of input with which the next block is complete */
} lz4_decoder;

static ts_codec_next lz4_next(const uint8_t *p, size_t n)
{
    static const uint8_t magic[] = {0x04, 0x22, 0x4d, 0x18};
    if (n == 0 || memcmp(p, magic, n < 4 ? n : 4) != 0) {
        return TS_CODEC_NONE;
    }
    return n < 4 ? TS_CODEC_PART : TS_CODEC_ANOTHER;
}

static ts_code lz4_again(void *decoder, ts_ctx *ctx)
{
    lz4_decoder *d = decoder;
    (void)ctx;
    LZ4F_resetDecompressionContext(d->z);
    d->want = 1;
    return TS_OK;
}

static void lz4_close(void *decoder, ts_ctx *ctx)
{
    lz4_decoder *d = decoder;
    if (d != NULL) {
        (void)LZ4F_freeDecompressionContext(d->z);
    }
    ts_free(ctx, d);
}

static ts_code lz4_open(void **decoder, ts_ctx *ctx)
{
    lz4_decoder *d = ts_zalloc(ctx, 1, sizeof *d);
    *decoder = NULL;
    TS_NEED(ctx, d);
    if (LZ4F_isError(LZ4F_createDecompressionContext(&d->z, LZ4F_VERSION))) {
        ts_free(ctx, d);
        return ts_fail(ctx, TS_ERR_NOMEM, "out of memory for lz4 data");
    }
    d->want = 1;
    *decoder = d;
    return TS_OK;
}

/* One block at a time: what came before a damaged one in the same call would be lost. */
static ts_code lz4_step(ts_codec_state *state, void *decoder, ts_ctx *ctx, ts_codec_io *io)
{
    lz4_decoder *d = decoder;
    size_t in = io->in_n < d->want ? io->in_n : d->want;
    size_t out = io->out_n;
    size_t r = LZ4F_decompress(d->z, io->out, &out, io->in, &in, NULL);
    if (LZ4F_isError(r)) {
        const char *name = LZ4F_getErrorName(r);
        if (strcmp(name, "ERROR_allocation_failed") == 0) {
            return ts_fail(ctx, TS_ERR_NOMEM, "out of memory for lz4 data");
        }
        io->why = name;
        *state = TS_CODEC_DAMAGED;
        return TS_OK;
    }
    io->used = in;
    io->made = out;
    *state = r == 0 ? TS_CODEC_END : TS_CODEC_MORE;
    d->want = r == 0 ? 1 : r;
    return TS_OK;
}

const ts_codec ts_codec_lz4 = {"lz4", lz4_next, lz4_open, lz4_step, lz4_again, lz4_close};

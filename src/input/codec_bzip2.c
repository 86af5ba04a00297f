/* bzip2, by libbz2: blocks of up to 900 000 bytes, a checksum for each and one for the stream. */
#include "input/codec.h"

#include "base/alloc.h"

#include <bzlib.h>
#include <limits.h>
#include <string.h>

typedef struct bzip2_decoder {
    bz_stream z;
    bool open;
} bzip2_decoder;

/* "BZh", the size of blocks, and the first six digits of pi for a block or of its root for the end.
 */
static ts_codec_next bzip2_next(const uint8_t *p, size_t n)
{
    static const uint8_t block[] = {0x31, 0x41, 0x59, 0x26, 0x53, 0x59};
    static const uint8_t end[] = {0x17, 0x72, 0x45, 0x38, 0x50, 0x90};
    size_t marked = n < TS_CODEC_HEAD ? n : TS_CODEC_HEAD;
    if (n == 0 || memcmp(p, "BZh", n < 3 ? n : 3) != 0 || (n > 3 && (p[3] < '1' || p[3] > '9'))) {
        return TS_CODEC_NONE;
    }
    if (marked > 4 && memcmp(p + 4, block, marked - 4) != 0 &&
        memcmp(p + 4, end, marked - 4) != 0) {
        return TS_CODEC_NONE;
    }
    return marked < TS_CODEC_HEAD ? TS_CODEC_PART : TS_CODEC_ANOTHER;
}

static void *bzip2_alloc(void *ctx, int items, int size)
{
    return items < 0 || size < 0 ? NULL : ts_alloc(ctx, (size_t)items, (size_t)size);
}

static void bzip2_free(void *ctx, void *p)
{
    ts_free(ctx, p);
}

static ts_code bzip2_init(bzip2_decoder *d, ts_ctx *ctx)
{
    int r;
    memset(&d->z, 0, sizeof d->z);
    d->z.bzalloc = bzip2_alloc;
    d->z.bzfree = bzip2_free;
    d->z.opaque = ctx;
    r = BZ2_bzDecompressInit(&d->z, 0, 0);
    if (r == BZ_MEM_ERROR) {
        return ctx->error.code;
    }
    d->open = r == BZ_OK;
    return d->open ? TS_OK : ts_fail(ctx, TS_ERR_INTERNAL, "libbz2 cannot be used: error %d", r);
}

static void bzip2_close(void *decoder, ts_ctx *ctx)
{
    bzip2_decoder *d = decoder;
    if (d != NULL && d->open) {
        d->z.opaque = ctx;
        (void)BZ2_bzDecompressEnd(&d->z);
    }
    ts_free(ctx, d);
}

static ts_code bzip2_open(void **decoder, ts_ctx *ctx)
{
    bzip2_decoder *d = ts_zalloc(ctx, 1, sizeof *d);
    ts_code code;
    *decoder = d;
    TS_NEED(ctx, d);
    if ((code = bzip2_init(d, ctx)) != TS_OK) {
        bzip2_close(d, ctx);
        *decoder = NULL;
    }
    return code;
}

static ts_code bzip2_again(void *decoder, ts_ctx *ctx)
{
    bzip2_decoder *d = decoder;
    d->z.opaque = ctx;
    (void)BZ2_bzDecompressEnd(&d->z);
    d->open = false;
    return bzip2_init(d, ctx);
}

static ts_code bzip2_step(ts_codec_state *state, void *decoder, ts_ctx *ctx, ts_codec_io *io)
{
    bzip2_decoder *d = decoder;
    unsigned in = io->in_n < UINT_MAX ? (unsigned)io->in_n : UINT_MAX;
    unsigned out = io->out_n < UINT_MAX ? (unsigned)io->out_n : UINT_MAX;
    int r;
    union {
        const uint8_t *in;
        char *p;
    } in_of_library = {io->in}; /* which does not write there */
    d->z.opaque = ctx;
    d->z.next_in = in_of_library.p;
    d->z.avail_in = in;
    d->z.next_out = (char *)io->out;
    d->z.avail_out = out;
    r = BZ2_bzDecompress(&d->z);
    io->used = in - d->z.avail_in;
    io->made = out - d->z.avail_out;
    if (r == BZ_MEM_ERROR) {
        return ctx->error.code;
    }
    *state = r == BZ_OK ? TS_CODEC_MORE : r == BZ_STREAM_END ? TS_CODEC_END : TS_CODEC_DAMAGED;
    io->why = r == BZ_DATA_ERROR_MAGIC ? "invalid header" : "invalid data or wrong checksum";
    return TS_OK;
}

const ts_codec ts_codec_bzip2 = {"bzip2",    bzip2_next,  bzip2_open,
                                 bzip2_step, bzip2_again, bzip2_close};

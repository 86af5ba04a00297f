/*
 * bzip2, xz, Zstandard frames (RFC 8878) and LZ4 frames, each by its library. Those of bzip2 and xz
 * take their memory from base/alloc.h. libzstd takes it from libc: a window of the size that the
 * frame says, at most ZSTD_WINDOW_LOG, and some hundred KiB; so does liblz4: twice a block, which
 * is at most 4 MiB. Both get one block at a time: what came before a damaged one in the same call
 * would be lost.
 */
#include "input/codec.h"

#include "base/alloc.h"

#include <bzlib.h>
#include <inttypes.h>
#include <limits.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zstd.h>
#include <zstd_errors.h>

/* --- bzip2: blocks of up to 900 000 bytes, a checksum for each and one for the stream -------- */

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

static void bzip2_end(void *decoder, ts_ctx *ctx)
{
    bzip2_decoder *d = decoder;
    if (d->open) {
        d->z.opaque = ctx;
        (void)BZ2_bzDecompressEnd(&d->z);
        d->open = false;
    }
}

static ts_code bzip2_begin(void *decoder, ts_ctx *ctx)
{
    bzip2_decoder *d = decoder;
    int r;
    bzip2_end(d, ctx);
    d->z = (bz_stream){.bzalloc = bzip2_alloc, .bzfree = bzip2_free, .opaque = ctx};
    r = BZ2_bzDecompressInit(&d->z, 0, 0);
    if (r == BZ_MEM_ERROR) {
        return ctx->error.code;
    }
    d->open = r == BZ_OK;
    return d->open ? TS_OK : ts_fail(ctx, TS_ERR_INTERNAL, "libbz2 cannot be used: error %d", r);
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

const ts_codec ts_codec_bzip2 = {
    "bzip2", sizeof(bzip2_decoder), bzip2_next, bzip2_begin, bzip2_step, bzip2_end};

/* --- xz --------------------------------------------------------------------------------------- */

/* xz -9 needs 65 MiB; larger dictionaries have to be asked for. */
#define XZ_MEMORY (UINT64_C(256) << 20)

typedef struct xz_decoder {
    lzma_stream z;
    lzma_allocator allocator;
} xz_decoder;

static ts_codec_next xz_next(const uint8_t *p, size_t n)
{
    static const uint8_t magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    return ts_codec_begins(p, n, magic, sizeof magic);
}

static void *xz_alloc(void *ctx, size_t items, size_t size)
{
    return ts_alloc(ctx, items, size);
}

static void xz_free(void *ctx, void *p)
{
    ts_free(ctx, p);
}

static ts_code xz_begin(void *decoder, ts_ctx *ctx)
{
    xz_decoder *d = decoder;
    d->allocator = (lzma_allocator){xz_alloc, xz_free, ctx};
    d->z.allocator = &d->allocator;
    lzma_ret r = lzma_stream_decoder(&d->z, XZ_MEMORY, 0);
    if (r == LZMA_MEM_ERROR) {
        return ctx->error.code;
    }
    return r == LZMA_OK ? TS_OK
                        : ts_fail(ctx, TS_ERR_INTERNAL, "liblzma cannot be used: error %d", (int)r);
}

static void xz_end(void *decoder, ts_ctx *ctx)
{
    xz_decoder *d = decoder;
    d->allocator.opaque = ctx;
    lzma_end(&d->z);
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

const ts_codec ts_codec_xz = {"xz", sizeof(xz_decoder), xz_next, xz_begin, xz_step, xz_end};

/* --- Zstandard -------------------------------------------------------------------------------- */

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
    return n > 0 && is_skippable(p, n) ? (n < sizeof magic ? TS_CODEC_PART : TS_CODEC_ANOTHER)
                                       : ts_codec_begins(p, n, magic, sizeof magic);
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

static ts_code zstd_begin(void *decoder, ts_ctx *ctx)
{
    zstd_decoder *d = decoder;
    d->want = 1;
    if (d->z != NULL) {
        (void)ZSTD_DCtx_reset(d->z, ZSTD_reset_session_only);
        return TS_OK;
    }
    if ((d->z = ZSTD_createDCtx()) == NULL) {
        return ts_fail(ctx, TS_ERR_NOMEM, "out of memory for zstd data");
    }
    return ZSTD_isError(ZSTD_DCtx_setParameter(d->z, ZSTD_d_windowLogMax, zstd_window(ctx)))
               ? ts_fail(ctx, TS_ERR_INTERNAL, "libzstd cannot be used")
               : TS_OK;
}

static void zstd_end(void *decoder, ts_ctx *ctx)
{
    (void)ctx;
    (void)ZSTD_freeDCtx(((zstd_decoder *)decoder)->z);
}

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

const ts_codec ts_codec_zstd = {"zstd",  sizeof(zstd_decoder), zstd_next, zstd_begin, zstd_step,
                                zstd_end};

/* --- LZ4 -------------------------------------------------------------------------------------- */

typedef struct lz4_decoder {
    LZ4F_dctx *z;
    size_t want; /* bytes of input with which the next block is complete */
} lz4_decoder;

static ts_codec_next lz4_next(const uint8_t *p, size_t n)
{
    static const uint8_t magic[] = {0x04, 0x22, 0x4d, 0x18};
    return ts_codec_begins(p, n, magic, sizeof magic);
}

static ts_code lz4_begin(void *decoder, ts_ctx *ctx)
{
    lz4_decoder *d = decoder;
    d->want = 1;
    if (d->z != NULL) {
        LZ4F_resetDecompressionContext(d->z);
        return TS_OK;
    }
    return LZ4F_isError(LZ4F_createDecompressionContext(&d->z, LZ4F_VERSION))
               ? ts_fail(ctx, TS_ERR_NOMEM, "out of memory for lz4 data")
               : TS_OK;
}

static void lz4_end(void *decoder, ts_ctx *ctx)
{
    (void)ctx;
    (void)LZ4F_freeDecompressionContext(((lz4_decoder *)decoder)->z);
}

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

const ts_codec ts_codec_lz4 = {"lz4", sizeof(lz4_decoder), lz4_next, lz4_begin, lz4_step, lz4_end};

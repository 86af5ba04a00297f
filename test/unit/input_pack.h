/* Compressed streams of all kinds that are read, made by the libraries of their formats. */
#ifndef TS_TEST_INPUT_PACK_H
#define TS_TEST_INPUT_PACK_H

#include "input_make.h"

#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zstd.h>

enum pack_kind { PACK_GZIP, PACK_ZLIB, PACK_BZIP2, PACK_XZ, PACK_ZSTD, PACK_LZ4, PACK_KINDS };

static const char *const pack_names[PACK_KINDS] = {"gzip", "zlib", "bzip2", "xz", "zstd", "lz4"};

static inline bytes pack_bzip2(bytes in)
{
    bytes out = bytes_new(in.n + in.n / 50 + 1000);
    unsigned n = (unsigned)out.n;
    assert_int_equal(
        BZ2_bzBuffToBuffCompress((char *)out.p, &n, (char *)in.p, (unsigned)in.n, 1, 0, 0), BZ_OK);
    out.n = n;
    return out;
}

static inline bytes pack_xz(bytes in)
{
    bytes out = bytes_new(lzma_stream_buffer_bound(in.n));
    size_t n = 0;
    assert_int_equal(
        lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, in.p, in.n, out.p, &n, out.n), LZMA_OK);
    out.n = n;
    return out;
}

/* With a checksum, as the program zstd writes it. */
static inline bytes pack_zstd(bytes in)
{
    ZSTD_CCtx *z = ZSTD_createCCtx();
    bytes out = bytes_new(ZSTD_compressBound(in.n));
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1)));
    out.n = ZSTD_compress2(z, out.p, out.n, in.p, in.n);
    assert_false(ZSTD_isError(out.n));
    (void)ZSTD_freeCCtx(z);
    return out;
}

/* Blocks of 64 KiB, each with a checksum, and one for the whole. */
static inline bytes pack_lz4(bytes in)
{
    LZ4F_preferences_t p = {0};
    p.frameInfo.blockSizeID = LZ4F_max64KB;
    p.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    p.frameInfo.blockChecksumFlag = LZ4F_blockChecksumEnabled;
    bytes out = bytes_new(LZ4F_compressFrameBound(in.n, &p));
    out.n = LZ4F_compressFrame(out.p, out.n, in.p, in.n, &p);
    assert_false(LZ4F_isError(out.n));
    return out;
}

static inline bytes pack_bytes(enum pack_kind kind, bytes in)
{
    switch (kind) {
    case PACK_GZIP:
        return gzip_bytes(in);
    case PACK_ZLIB:
        return zlib_bytes(in);
    case PACK_BZIP2:
        return pack_bzip2(in);
    case PACK_XZ:
        return pack_xz(in);
    case PACK_ZSTD:
        return pack_zstd(in);
    default:
        return pack_lz4(in);
    }
}

/* Packs and frees what was packed. */
static inline bytes pack_over(enum pack_kind kind, bytes in)
{
    bytes out = pack_bytes(kind, in);
    free(in.p);
    return out;
}

#endif

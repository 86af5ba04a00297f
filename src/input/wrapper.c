/*
 * What the first bytes of a stream are wrapped in.
 *
 * A signature decides, in this order: gzip, zlib, the other codecs, then zip, tar and forms. zlib
 * has only a checksum of two bytes for a header, which plain text may pass, so some of it is
 * inflated before it is believed. A tar without the magic of POSIX is known by the checksum of its
 * first header.
 *
 * The answer depends on the bytes p[0..n) alone; `whole` says that nothing follows them, so that a
 * file that ends inside a header is still recognised. Wrappers are recognised by content, never by
 * the name of a file.
 */
#include "input/input_private.h"

#include "input/codec.h"

#include <string.h>

enum {
    TAR_BLOCK = 512,
    TAR_CHECKSUM = 148,
    TAR_CHECKSUM_LEN = 8,
    TAR_MAGIC = 257,
    ZLIB_CM_DEFLATE = 8,
    ZLIB_CINFO_MAX = 7,
    ZLIB_PRESET_DICT = 0x20,
    GZIP_RESERVED_FLAGS = 0xe0,
};

/* RFC 1952: magic, deflate, no reserved flag. A file that ends within its header counts too. */
static bool is_gzip(const uint8_t *p, size_t n)
{
    return n >= 2 && p[0] == 0x1f && p[1] == 0x8b && (n < 3 || p[2] == 8) &&
           (n < 4 || (p[3] & GZIP_RESERVED_FLAGS) == 0);
}

/* RFC 1950: CMF and FLG. Plain text may begin like this too. */
static bool is_zlib_header(const uint8_t *p, size_t n)
{
    return n >= 2 && (p[0] & 0x0f) == ZLIB_CM_DEFLATE && p[0] >> 4 <= ZLIB_CINFO_MAX &&
           (p[0] * 256U + p[1]) % 31 == 0 && (p[1] & ZLIB_PRESET_DICT) == 0;
}

/* Fewer than four bytes may be anything. */
static bool begins_stream(const ts_codec *codec, const uint8_t *p, size_t n)
{
    ts_codec_next next = n < 4 ? TS_CODEC_NONE : codec->next(p, n);
    return next == TS_CODEC_ANOTHER || (next == TS_CODEC_PART && n < TS_CODEC_HEAD);
}

ts_code ts_sniff_wrapper(ts_sniffed *out, ts_ctx *ctx, const uint8_t *p, size_t n, bool whole)
{
    static const ts_codec *const codecs[] = {&ts_codec_zstd, &ts_codec_xz, &ts_codec_bzip2,
                                             &ts_codec_lz4};
    ts_code code = TS_OK;
    *out = (ts_sniffed){NULL, false};
    if (is_gzip(p, n)) {
        out->codec = &ts_codec_gzip;
        return TS_OK;
    }
    if (is_zlib_header(p, n)) {
        bool likely = false;
        code = ts_inflate_probe(&likely, ctx, p, n, whole);
        out->codec = likely ? &ts_codec_zlib : NULL;
        return code;
    }
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0] && out->codec == NULL; i++) {
        out->codec = begins_stream(codecs[i], p, n) ? codecs[i] : NULL;
    }
    out->mark = n >= strlen(TS_MARK_TEXT) && memcmp(p, TS_MARK_TEXT, strlen(TS_MARK_TEXT)) == 0;
    return TS_OK;
}

/* The sum of a header's bytes with the checksum field read as blanks. Old programs summed signed
 * ones. */
static bool tar_checksum_fits(const uint8_t *p)
{
    int64_t sum = 0;
    int64_t signed_sum = 0;
    int64_t want = 0;
    bool digits = false;
    for (size_t i = 0; i < TAR_BLOCK; i++) {
        bool in_field = i >= TAR_CHECKSUM && i < TAR_CHECKSUM + TAR_CHECKSUM_LEN;
        uint8_t byte = in_field ? ' ' : p[i];
        sum += byte;
        signed_sum += byte < 0x80 ? byte : byte - 0x100;
    }
    for (size_t i = TAR_CHECKSUM; i < TAR_CHECKSUM + TAR_CHECKSUM_LEN; i++) {
        if (p[i] >= '0' && p[i] <= '7') {
            want = want * 8 + (p[i] - '0');
            digits = true;
        } else if (digits) {
            break;
        } else if (p[i] != ' ') {
            return false;
        }
    }
    return digits && (want == sum || want == signed_sum);
}

static bool is_tar(const uint8_t *p, size_t n)
{
    enum { MAGIC_LEN = 6 };
    if (n >= TAR_MAGIC + MAGIC_LEN && (memcmp(p + TAR_MAGIC, "ustar\0", MAGIC_LEN) == 0 ||
                                       memcmp(p + TAR_MAGIC, "ustar ", MAGIC_LEN) == 0)) {
        return true;
    }
    return n >= TAR_BLOCK && p[0] != '\0' && tar_checksum_fits(p);
}

static bool wrap_begins(const uint8_t *p, size_t n, const char *signature, size_t len)
{
    return n >= len && memcmp(p, signature, len) == 0;
}

ts_wrap ts_sniff_archive(const uint8_t *p, size_t n)
{
    /* A first member, an empty archive, and the two marks of archives that were or could be split.
     */
    if (wrap_begins(p, n, "PK\3\4", 4) || wrap_begins(p, n, "PK\5\6", 4) ||
        wrap_begins(p, n, "PK\7\10PK\3\4", 8) || wrap_begins(p, n, "PK00PK\3\4", 8)) {
        return TS_WRAP_ZIP;
    }
    return is_tar(p, n)                         ? TS_WRAP_TAR
           : ts_form_begins((const char *)p, n) ? TS_WRAP_FORM
                                                : TS_WRAP_NONE;
}

ts_code ts_input_bare(bool *bare, ts_ctx *ctx, const uint8_t *p, size_t n, bool whole)
{
    ts_sniffed sniffed;
    *bare = false;
    TS_TRY(ts_sniff_wrapper(&sniffed, ctx, p, n, whole));
    *bare = sniffed.codec == NULL && !sniffed.mark && ts_sniff_archive(p, n) == TS_WRAP_NONE;
    return TS_OK;
}

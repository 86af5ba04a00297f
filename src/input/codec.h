/*
 * Formats of compressed streams: gzip and zlib (RFC 1952, 1950), bzip2, xz, Zstandard (RFC 8878)
 * and LZ4 frames. A codec decodes one stream after the other; decompress.c makes a layer of one.
 * Only src/input includes this.
 */
#ifndef TS_INPUT_CODEC_H
#define TS_INPUT_CODEC_H

#include "base/context.h"

#include <stddef.h>
#include <string.h>

/* One call of a decoder: what it may read and write, and how much of it it did. */
typedef struct ts_codec_io {
    const uint8_t *in;
    size_t in_n;
    size_t used;
    uint8_t *out;
    size_t out_n;
    size_t made;
    const char *why; /* of damage; a text that stays */
} ts_codec_io;

typedef enum ts_codec_state {
    TS_CODEC_MORE,   /* needs more input or more room */
    TS_CODEC_END,    /* a stream has ended, and its checksum is right */
    TS_CODEC_DAMAGED /* what was decoded of this stream may be wrong */
} ts_codec_state;

typedef enum ts_codec_next {
    TS_CODEC_NONE,    /* these bytes begin no stream */
    TS_CODEC_PART,    /* they may, but end too early */
    TS_CODEC_ANOTHER, /* another stream begins here */
} ts_codec_next;

/* Calls may get another context than the first one did: that of another thread, which counts memory
 * together with it. */
typedef struct ts_codec {
    const char *name;
    size_t size; /* of a decoder, which is zeroed before its first stream */

    /* What n bytes at a stream's end are; fewer than TS_CODEC_HEAD only at the end of the file. */
    ts_codec_next (*next)(const uint8_t *p, size_t n);

    /* Gets ready for the first stream, or after TS_CODEC_END for another. Errors: memory;
     * TS_ERR_INTERNAL. */
    ts_code (*begin)(void *decoder, ts_ctx *ctx);
    /* One step. in_n > 0 and out_n > 0. Errors: memory; TS_ERR_LIMIT when the stream needs more
     * of it than is allowed. */
    ts_code (*step)(ts_codec_state *state, void *decoder, ts_ctx *ctx, ts_codec_io *io);
    /* Releases what `begin` took, also when it failed. */
    void (*end)(void *decoder, ts_ctx *ctx);
} ts_codec;

enum { TS_CODEC_HEAD = 10 }; /* bytes that tell what a stream is */

/* `next` of streams that begin with these bytes. */
static inline ts_codec_next ts_codec_begins(const uint8_t *p, size_t n, const void *magic,
                                            size_t magic_n)
{
    if (n == 0 || memcmp(p, magic, n < magic_n ? n : magic_n) != 0) {
        return TS_CODEC_NONE;
    }
    return n < magic_n ? TS_CODEC_PART : TS_CODEC_ANOTHER;
}

extern const ts_codec ts_codec_gzip;
extern const ts_codec ts_codec_zlib;
extern const ts_codec ts_codec_bzip2;
extern const ts_codec ts_codec_xz;
extern const ts_codec ts_codec_zstd;
extern const ts_codec ts_codec_lz4;

#endif

/*
 * Formats of compressed streams: gzip and zlib (RFC 1952, 1950), bzip2, xz, Zstandard (RFC 8878)
 * and LZ4 frames. A codec decodes one stream after the other; decompress.c makes a layer of one.
 * Only src/input includes this.
 */
#ifndef TS_INPUT_CODEC_H
#define TS_INPUT_CODEC_H

#include "base/context.h"

#include <stddef.h>

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

typedef struct ts_codec {
    const char *name;

    /* What n bytes at a stream's end are; fewer than TS_CODEC_HEAD only at the end of the file. */
    ts_codec_next (*next)(const uint8_t *p, size_t n);

    /* Takes memory for one decoder. Errors: memory; TS_ERR_INTERNAL. */
    ts_code (*open)(void **decoder, ts_ctx *ctx);
    /* This and the others may get another context than `open` did: that of another thread, which
     * counts memory together with it.
     * One step. in_n > 0 and out_n > 0. Errors: memory; TS_ERR_LIMIT when the stream needs more
     * of it than is allowed. */
    ts_code (*step)(ts_codec_state *state, void *decoder, ts_ctx *ctx, ts_codec_io *io);
    /* After TS_CODEC_END: gets ready for another stream. */
    ts_code (*again)(void *decoder, ts_ctx *ctx);
    void (*close)(void *decoder, ts_ctx *ctx); /* NULL is allowed */
} ts_codec;

enum { TS_CODEC_HEAD = 10 }; /* bytes that tell what a stream is */

extern const ts_codec ts_codec_gzip;
extern const ts_codec ts_codec_zlib;
extern const ts_codec ts_codec_bzip2;
extern const ts_codec ts_codec_xz;
extern const ts_codec ts_codec_zstd;
extern const ts_codec ts_codec_lz4;

#endif

/* Compressed bytes that are pushed (unpack.h), by the codecs of compressed files. */
#include "input/unpack.h"

#include "base/alloc.h"
#include "input/codec.h"
#include "input/input_private.h"

enum { ROOM = 128 << 10 };

struct ts_unpack {
    ts_ctx *ctx;
    const ts_codec *codec;
    void *decoder;
    ts_unpack_take *take;
    void *user;
    const char *fault;
    bool ended; /* the next byte begins another stream */
    bool full;  /* the last step had no room left, so there may be more without another byte */
    uint64_t in, out;
    uint8_t room[ROOM];
};

ts_code ts_unpack_open(ts_unpack **out, ts_ctx *ctx, ts_unpack_kind kind, ts_unpack_take *take,
                       void *user)
{
    ts_unpack *u = ts_zalloc(ctx, 1, sizeof *u);
    ts_code code;
    *out = NULL;
    TS_NEED(ctx, u);
    u->ctx = ctx;
    u->codec = kind == TS_UNPACK_GZIP   ? &ts_codec_gzip
               : kind == TS_UNPACK_ZLIB ? &ts_codec_zlib
                                        : &ts_codec_zstd;
    u->take = take;
    u->user = user;
    u->decoder = ts_zalloc(ctx, 1, u->codec->size);
    if (u->decoder == NULL || u->codec->begin(u->decoder, ctx) != TS_OK) {
        code = ctx->error.code;
        ts_unpack_close(u);
        return code;
    }
    *out = u;
    return TS_OK;
}

void ts_unpack_close(ts_unpack *u)
{
    if (u == NULL) {
        return;
    }
    if (u->decoder != NULL) {
        u->codec->end(u->decoder, u->ctx);
    }
    ts_free(u->ctx, u->decoder);
    ts_free(u->ctx, u);
}

const char *ts_unpack_fault(const ts_unpack *u)
{
    return u->fault;
}

bool ts_unpack_ended(const ts_unpack *u)
{
    return u->ended;
}

/* One step of the decoder; *idle: it did nothing. */
static ts_code step(bool *idle, ts_unpack *u, const uint8_t **p, size_t *n)
{
    ts_codec_io io = {.in = *p, .in_n = *n, .out = u->room, .out_n = ROOM};
    ts_codec_state state = TS_CODEC_MORE;
    if (u->ended) {
        u->ended = false;
        TS_TRY(u->codec->begin(u->decoder, u->ctx));
    }
    TS_TRY(u->codec->step(&state, u->decoder, u->ctx, &io));
    *p += io.used;
    *n -= io.used;
    u->in += io.used;
    u->out += io.made;
    *idle = io.used == 0 && io.made == 0;
    u->full = io.made == ROOM && u->codec == &ts_codec_zstd;
    u->fault = state == TS_CODEC_DAMAGED ? io.why : NULL;
    u->ended = state == TS_CODEC_END;
    TS_TRY(ts_check_unpacked(u->ctx, "compressed data in a recording inflates", u->out, u->in));
    return io.made == 0 ? TS_OK : u->take(u->user, u->room, io.made);
}

ts_code ts_unpack_feed(ts_unpack *u, const uint8_t *p, size_t n)
{
    unsigned idle = 0;
    while ((n > 0 || u->full) && u->fault == NULL) {
        bool nothing;
        TS_TRY(step(&nothing, u, &p, &n));
        idle = nothing ? idle + 1 : 0;
        if (idle == 2) {
            u->fault = "no progress";
        }
    }
    return ts_check_cancel(u->ctx);
}

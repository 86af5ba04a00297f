/*
 * A layer that decompresses what the one below gives, by a codec: limits, damage, what follows.
 *
 * A codec takes steps: bytes in, bytes out, and MORE, END or DAMAGED. After an END another stream
 * of the same kind may follow, which goes on as if it were one; zeros up to the end are padding (at
 * most PADDING_MAX are looked at); anything else is trailing damage, which costs no byte that was
 * given.
 *
 * Data that ends early is only cut: what came before is right. Invalid data or a wrong checksum
 * doubts every byte that was given, because the fault may be anywhere before the place where it
 * shows. Two steps in a row without progress are damage too. Bytes are counted against
 * --max-inflate and the ratio of this layer, and charged to the archives around it.
 */
#include "input/input_private.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "input/codec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PADDING_MAX = 64 << 20 };

typedef struct decompress_layer {
    ts_layer base;
    const ts_codec *codec;
    void *decoder;
    bool done;
    bool idle; /* the last step neither read nor wrote */
    uint64_t in;
    uint64_t out;
} decompress_layer;

static void decompress_damage(decompress_layer *l, bool trailing, const char *what)
{
    ts_layer_damage(&l->base, l->in, trailing, "%s data %s", l->codec->name, what);
    l->done = true;
}

/* What a wrong checksum or an invalid code stands for may be anywhere before it. */
static void decompress_invalid(decompress_layer *l, const char *why)
{
    ts_layer_damage(&l->base, l->in, false, "%s data is damaged: %s", l->codec->name, why);
    ts_layer_doubt(&l->base);
    l->done = true;
}

/* Zero bytes up to the end are padding, as tapes and disks leave it: there is nothing in them. */
static ts_code is_padding(bool *is, ts_layer *below)
{
    static const uint8_t zero[512];
    uint64_t looked = 0;
    *is = true;
    for (;;) {
        const uint8_t *p;
        size_t n;
        ts_code code = ts_layer_window(&p, &n, below, 1);
        if (code != TS_OK || n == 0) {
            return code;
        }
        n = n < sizeof zero ? n : sizeof zero;
        looked += n;
        if (memcmp(p, zero, n) != 0 || looked > PADDING_MAX) {
            *is = false;
            return TS_OK;
        }
        ts_layer_take(below, n);
    }
}

/* After the end of a stream: another one, the end, or bytes that belong nowhere. */
static ts_code next_stream(decompress_layer *l)
{
    const uint8_t *p;
    size_t n;
    ts_code code = ts_layer_window(&p, &n, l->base.below, TS_CODEC_HEAD);
    ts_codec_next next;
    if (code != TS_OK) {
        return code;
    }
    next = n == 0 ? TS_CODEC_NONE : l->codec->next(p, n);
    if (n == 0) {
        l->done = true;
    } else if (next == TS_CODEC_PART) {
        decompress_damage(l, false, "ends early");
    } else if (next == TS_CODEC_ANOTHER) {
        code = l->codec->begin(l->decoder, l->base.ctx);
    } else {
        bool padding;
        code = is_padding(&padding, l->base.below);
        l->done = true;
        if (code == TS_OK && !padding) {
            decompress_damage(l, true, "is followed by bytes that do not belong to it");
        }
    }
    return code;
}

/* One step of the decoder with the bytes at hand. */
static ts_code decompress_step(decompress_layer *l, uint8_t *out, size_t room, size_t *made)
{
    ts_layer *below = l->base.below;
    ts_codec_io io = {.out = out, .out_n = room};
    ts_codec_state state = TS_CODEC_MORE;
    ts_code code = ts_layer_window(&io.in, &io.in_n, below, 1);
    *made = 0;
    if (code != TS_OK) {
        return code;
    }
    if (io.in_n == 0) {
        decompress_damage(l, false, "ends early");
        return TS_OK;
    }
    TS_TRY_INTO(code, l->codec->step(&state, l->decoder, l->base.ctx, &io));
    *made = io.made;
    l->in += io.used;
    ts_layer_take(below, io.used);
    if (state == TS_CODEC_DAMAGED) {
        decompress_invalid(l, io.why);
    } else if (state == TS_CODEC_END) {
        code = next_stream(l);
    } else if (io.used == 0 && io.made == 0 && l->idle) {
        decompress_invalid(l, "no progress");
    }
    l->idle = io.used == 0 && io.made == 0;
    return code;
}

ts_code ts_check_unpacked(ts_ctx *ctx, const char *what, uint64_t out, uint64_t in)
{
    const ts_limits *limits = &ctx->limits;
    uint64_t allowed;
    if (out > limits->max_inflate) {
        return ts_fail(ctx, TS_ERR_LIMIT,
                       "%s to more than %" PRIu64 " bytes, which is the limit (--max-inflate)",
                       what, limits->max_inflate);
    }
    if (out > limits->inflate_grace && !ts_ckd_mul(&allowed, limits->inflate_ratio, in) &&
        out > allowed) {
        return ts_fail(ctx, TS_ERR_LIMIT,
                       "%s to more than %" PRIu64 " times its size, which is the limit: %" PRIu64
                       " bytes from %" PRIu64,
                       what, limits->inflate_ratio, out, in);
    }
    return TS_OK;
}

static ts_code decompress_pull(size_t *got, ts_layer *base, uint8_t *buf, size_t cap)
{
    decompress_layer *l = (decompress_layer *)base;
    ts_code code = ts_check_cancel(base->ctx);
    char what[32];
    size_t have = 0;
    *got = 0;
    while (code == TS_OK && !l->done && have < cap) {
        size_t made;
        code = decompress_step(l, buf + have, cap - have, &made);
        have += made;
    }
    if (code != TS_OK) {
        return code;
    }
    *got = have;
    l->out += have;
    (void)snprintf(what, sizeof what, "%s data inflates", l->codec->name);
    TS_TRY_INTO(code, ts_check_unpacked(base->ctx, what, l->out, l->in));
    return ts_fileset_charge(l->base.set, have);
}

static void decompress_release(ts_layer *base)
{
    decompress_layer *l = (decompress_layer *)base;
    l->codec->end(l->decoder, base->ctx);
    ts_free(base->ctx, l->decoder);
}

ts_code ts_decompress_layer(ts_layer **out, ts_fileset *set, ts_layer *below, const ts_codec *codec)
{
    ts_ctx *ctx = set->ctx;
    decompress_layer *l = ts_zalloc(ctx, 1, sizeof *l);
    void *decoder = l == NULL ? NULL : ts_zalloc(ctx, 1, codec->size);
    ts_code code;
    *out = NULL;
    if (decoder == NULL) {
        ts_free(ctx, l);
        ts_layer_free(below);
        return ctx->error.code;
    }
    l->base = (ts_layer){.ctx = ctx,
                         .below = below,
                         .pull = decompress_pull,
                         .release = decompress_release,
                         .set = set};
    l->codec = codec;
    l->decoder = decoder;
    if ((code = codec->begin(decoder, ctx)) != TS_OK) {
        ts_layer_free(&l->base);
        return code;
    }
    *out = &l->base;
    return TS_OK;
}

#include "input/input_private.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

enum {
    GZIP_WINDOW_BITS = 15 + 16, /* zlib: the largest window, with a gzip header and trailer */
    ZLIB_WINDOW_BITS = 15,
    PROBE_OUT = 64 * 1024, /* so much without an error is no accident */
    PROBE_IN = 64,         /* likewise, of input */
    PADDING_MAX = 64 << 20,
};

typedef struct inflate_layer {
    ts_layer base;
    ts_fileset *set;
    z_stream z;
    bool open; /* z is initialised */
    bool gzip;
    bool done;
    uint64_t in;
    uint64_t out;
} inflate_layer;

/* --- memory of zlib from base/alloc.h --- */

static voidpf hook_alloc(voidpf opaque, uInt items, uInt size)
{
    return ts_alloc(opaque, items, size);
}

static void hook_free(voidpf opaque, voidpf p)
{
    ts_free(opaque, p);
}

ts_code ts_inflate_open(z_stream *z, ts_ctx *ctx, int window_bits)
{
    memset(z, 0, sizeof *z);
    z->zalloc = hook_alloc;
    z->zfree = hook_free;
    z->opaque = ctx;
    int r = inflateInit2(z, window_bits);
    if (r == Z_MEM_ERROR) {
        return ctx->error.code;
    }
    if (r != Z_OK) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "zlib cannot be used: %s", zError(r));
    }
    return TS_OK;
}

/* --- the layer --- */

static const char *format_name(const inflate_layer *l)
{
    return l->gzip ? "gzip" : "zlib";
}

static void inflate_damage(inflate_layer *l, bool trailing, const char *what)
{
    ts_layer_damage(&l->base, l->in, trailing, "%s data %s", format_name(l), what);
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

/* After the end of a compressed stream: another gzip member, the end, or bytes that belong nowhere.
 */
static ts_code next_part(inflate_layer *l)
{
    const uint8_t *p;
    size_t n;
    ts_code code = ts_layer_window(&p, &n, l->base.below, 3);
    if (code != TS_OK) {
        return code;
    }
    if (n == 0) {
        l->done = true;
    } else if (l->gzip && n == 1 && p[0] == 0x1f) {
        inflate_damage(l, false, "ends early");
    } else if (l->gzip && n >= 2 && p[0] == 0x1f && p[1] == 0x8b && (n == 2 || p[2] == 8)) {
        if (inflateReset(&l->z) != Z_OK) {
            return ts_fail(l->base.ctx, TS_ERR_INTERNAL, "zlib cannot begin a new gzip member");
        }
    } else {
        bool padding;
        code = is_padding(&padding, l->base.below);
        l->done = true;
        if (code == TS_OK && !padding) {
            inflate_damage(l, true, "is followed by bytes that do not belong to it");
        }
    }
    return code;
}

/* One call of inflate on the bytes at hand. */
static ts_code inflate_step(inflate_layer *l)
{
    ts_layer *below = l->base.below;
    const uint8_t *p;
    size_t n;
    ts_code code = ts_layer_window(&p, &n, below, 1);
    if (code != TS_OK) {
        return code;
    }
    if (n == 0) {
        inflate_damage(l, false, "ends early");
        return TS_OK;
    }
    uInt avail = n < UINT_MAX ? (uInt)n : UINT_MAX;
    l->z.next_in = p;
    l->z.avail_in = avail;
    int r = inflate(&l->z, Z_NO_FLUSH);
    l->in += avail - l->z.avail_in;
    ts_layer_take(below, avail - l->z.avail_in);
    switch (r) {
    case Z_OK:
    case Z_BUF_ERROR: /* no room left or more input needed: both are seen by the caller */
        return TS_OK;
    case Z_STREAM_END:
        return next_part(l);
    case Z_MEM_ERROR:
        return l->base.ctx->error.code;
    default:
        ts_layer_damage(&l->base, l->in, false, "%s data is damaged: %s", format_name(l),
                        l->z.msg != NULL ? l->z.msg : zError(r));
        ts_layer_doubt(&l->base);
        l->done = true;
        return TS_OK;
    }
}

static ts_code check_limits(const inflate_layer *l)
{
    ts_ctx *ctx = l->base.ctx;
    const ts_limits *limits = &ctx->limits;
    uint64_t allowed;
    if (l->out > limits->max_inflate) {
        return ts_fail(ctx, TS_ERR_LIMIT,
                       "%s data inflates to more than %" PRIu64
                       " bytes, which is the limit (--max-inflate)",
                       format_name(l), limits->max_inflate);
    }
    if (l->out > limits->inflate_grace && !ts_ckd_mul(&allowed, limits->inflate_ratio, l->in) &&
        l->out > allowed) {
        return ts_fail(ctx, TS_ERR_LIMIT,
                       "%s data inflates to more than %" PRIu64
                       " times its size, which is the limit: %" PRIu64 " bytes from %" PRIu64,
                       format_name(l), limits->inflate_ratio, l->out, l->in);
    }
    return TS_OK;
}

static ts_code inflate_pull(size_t *got, ts_layer *base, uint8_t *buf, size_t cap)
{
    inflate_layer *l = (inflate_layer *)base;
    ts_code code = ts_check_cancel(base->ctx);
    *got = 0;
    if (code != TS_OK) {
        return code;
    }
    uInt room = cap < UINT_MAX ? (uInt)cap : UINT_MAX;
    l->z.next_out = buf;
    l->z.avail_out = room;
    while (!l->done && l->z.avail_out > 0) {
        if ((code = inflate_step(l)) != TS_OK) {
            return code;
        }
    }
    *got = room - l->z.avail_out;
    l->out += *got;
    if ((code = check_limits(l)) != TS_OK) {
        return code;
    }
    return ts_fileset_charge(l->set, *got);
}

static void inflate_release(ts_layer *base)
{
    inflate_layer *l = (inflate_layer *)base;
    if (l->open) {
        (void)inflateEnd(&l->z);
    }
}

ts_code ts_inflate_layer(ts_layer **out, ts_fileset *set, ts_layer *below, bool gzip)
{
    ts_ctx *ctx = set->ctx;
    inflate_layer *l = ts_zalloc(ctx, 1, sizeof *l);
    *out = NULL;
    if (l == NULL) {
        ts_layer_free(below);
        return ctx->error.code;
    }
    l->base.ctx = ctx;
    l->base.below = below;
    l->base.pull = inflate_pull;
    l->base.release = inflate_release;
    l->set = set;
    l->gzip = gzip;
    ts_code code = ts_inflate_open(&l->z, ctx, gzip ? GZIP_WINDOW_BITS : ZLIB_WINDOW_BITS);
    if (code != TS_OK) {
        ts_layer_free(&l->base);
        return code;
    }
    l->open = true;
    *out = &l->base;
    return TS_OK;
}

/* --- is it zlib data? --- */

/*
 * Two bytes that fit a zlib header also begin many texts ("x^2", "hC", "XG"). So the first bytes
 * must inflate: to the end, or for so long that it cannot be an accident. A file that ends early
 * gives little to judge by: then the header must be one that text cannot be.
 */
static bool judge(int r, const z_stream *z, const uint8_t *p, bool whole)
{
    bool checksum_reached = r == Z_STREAM_END || (r == Z_DATA_ERROR && z->msg != NULL &&
                                                  strcmp(z->msg, "incorrect data check") == 0);
    if (checksum_reached || z->total_in >= PROBE_IN || z->total_out >= PROBE_OUT) {
        return true;
    }
    if (r == Z_DATA_ERROR || !whole) {
        return false;
    }
    return z->total_out > 0 && p[0] == 0x78 && (p[1] == 0x01 || p[1] == 0x9c || p[1] == 0xda);
}

ts_code ts_inflate_probe(bool *likely, ts_ctx *ctx, const uint8_t *p, size_t n, bool whole)
{
    z_stream z;
    uint8_t *scratch = NULL;
    *likely = false;
    ts_code code = ts_inflate_open(&z, ctx, ZLIB_WINDOW_BITS);
    if (code != TS_OK) {
        return code;
    }
    scratch = ts_alloc(ctx, PROBE_OUT, 1);
    if (scratch == NULL) {
        code = ctx->error.code;
        goto out;
    }
    z.next_in = p;
    z.avail_in = n < UINT_MAX ? (uInt)n : UINT_MAX;
    z.next_out = scratch;
    z.avail_out = PROBE_OUT;
    int r = inflate(&z, Z_NO_FLUSH);
    if (r == Z_MEM_ERROR) {
        code = ctx->error.code;
    } else {
        *likely = judge(r, &z, p, whole);
    }
out:
    (void)inflateEnd(&z);
    ts_free(ctx, scratch);
    return code;
}

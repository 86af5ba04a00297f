/* The bytes of a zip's member by what the directory says of it. */
#include "input/archive_private.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

enum { STORED = 0, DEFLATED = 8, LOCAL_LEN = 30, RAW_WINDOW_BITS = -15 };

typedef struct zip_layer {
    ts_layer base;
    ts_archive *archive;
    uint64_t at;  /* of the next byte of the data */
    uint64_t end; /* where the data ends, or what can be data of it */
    uint64_t size;
    uint64_t out;
    uint32_t want_crc;
    uLong crc;
    bool deflated;
    bool done;
    bool open; /* z is initialised */
    z_stream z;
} zip_layer;

bool ts_zip_method_known(uint16_t method)
{
    return method == STORED || method == DEFLATED;
}

static void zip_damage(zip_layer *l, const char *what)
{
    ts_layer_damage(&l->base, l->at, false, "archive member is damaged: %s", what);
    l->done = true;
}

/* No more bytes: are they what the directory says? */
static void zip_check_end(zip_layer *l)
{
    l->done = true;
    if (l->out < l->size) {
        ts_layer_damage(&l->base, l->at, false,
                        "archive member ends after %" PRIu64 " of %" PRIu64 " bytes", l->out,
                        l->size);
    } else if (l->at < l->end || l->out > l->size) {
        zip_damage(l, "its size differs from that in the directory of the archive");
        ts_layer_doubt(&l->base);
    } else if (l->crc != l->want_crc) {
        zip_damage(l, "its CRC is wrong");
        ts_layer_doubt(&l->base);
    }
}

static ts_code pull_stored(size_t *got, zip_layer *l, uint8_t *buf, size_t cap)
{
    const uint8_t *p;
    size_t n;
    TS_TRY(ts_archive_window(&p, &n, l->archive, l->at, 1));
    n = n < l->end - l->at ? n : (size_t)(l->end - l->at);
    *got = n < cap ? n : cap;
    if (*got == 0) {
        zip_check_end(l);
        return TS_OK;
    }
    memcpy(buf, p, *got);
    l->at += *got;
    return TS_OK;
}

/* One call of inflate. */
static ts_code zip_step(zip_layer *l)
{
    const uint8_t *p;
    size_t n;
    ts_code code;
    TS_TRY_INTO(code, ts_archive_window(&p, &n, l->archive, l->at, 1));
    n = n < l->end - l->at ? n : (size_t)(l->end - l->at);
    l->z.next_in = p;
    l->z.avail_in = (uInt)n;
    int r = inflate(&l->z, Z_NO_FLUSH);
    l->at += n - l->z.avail_in;
    switch (r) {
    case Z_STREAM_END:
        l->done = true;
        return TS_OK;
    case Z_OK:
        return TS_OK;
    case Z_BUF_ERROR: /* no room left, or no more input */
        if (n == 0) {
            zip_damage(l, "its compressed data ends early");
        }
        return TS_OK;
    case Z_MEM_ERROR:
        return l->base.ctx->error.code;
    default:
        zip_damage(l, l->z.msg != NULL ? l->z.msg : zError(r));
        ts_layer_doubt(&l->base);
        return TS_OK;
    }
}

static ts_code pull_deflated(size_t *got, zip_layer *l, uint8_t *buf, size_t cap)
{
    uInt room = cap < UINT_MAX ? (uInt)cap : UINT_MAX;
    ts_code code = TS_OK;
    l->z.next_out = buf;
    l->z.avail_out = room;
    while (code == TS_OK && !l->done && l->z.avail_out > 0) {
        code = zip_step(l);
    }
    *got = room - l->z.avail_out;
    return code;
}

static ts_code zip_pull(size_t *got, ts_layer *base, uint8_t *buf, size_t cap)
{
    zip_layer *l = (zip_layer *)base;
    ts_code code = ts_check_cancel(base->ctx);
    *got = 0;
    if (code != TS_OK || l->done) {
        return code;
    }
    TS_TRY_INTO(code,
                l->deflated ? pull_deflated(got, l, buf, cap) : pull_stored(got, l, buf, cap));
    l->crc = crc32_z(l->crc, buf, *got);
    l->out += *got;
    if (l->done && !l->base.damaged) {
        zip_check_end(l);
    }
    return ts_fileset_charge(l->archive->set, *got);
}

static void zip_release(ts_layer *base)
{
    zip_layer *l = (zip_layer *)base;
    if (l->open) {
        (void)inflateEnd(&l->z);
    }
}

/* Finds the data after the member's own header. */
static ts_code find_data(zip_layer *l, const ts_member *m)
{
    const uint8_t *p;
    size_t n;
    ts_code code = ts_archive_window(&p, &n, l->archive, m->at, LOCAL_LEN);
    l->at = m->at;
    l->end = m->at;
    if (code != TS_OK) {
        return code;
    }
    if (n < LOCAL_LEN || memcmp(p, "PK\3\4", 4) != 0) {
        ts_layer_damage(&l->base, m->at, false,
                        "archive member is not at the offset "
                        "given in the directory of the archive");
        l->done = true;
        return TS_OK;
    }
    l->at += LOCAL_LEN + p[26] + p[27] * 256U + p[28] + p[29] * 256U;
    uint64_t room = m->room > l->at ? m->room - l->at : 0;
    l->end = l->at + (m->packed < room ? m->packed : room);
    return TS_OK;
}

ts_code ts_zip_layer(ts_layer **out, ts_archive *ar, const ts_member *m)
{
    ts_ctx *ctx = ar->ctx;
    zip_layer *l = ts_zalloc(ctx, 1, sizeof *l);
    *out = NULL;
    TS_NEED(ctx, l);
    l->base.ctx = ctx;
    l->base.pull = zip_pull;
    l->base.release = zip_release;
    l->archive = ar;
    l->size = (uint64_t)m->size;
    l->want_crc = m->crc;
    l->deflated = m->method == DEFLATED;
    l->base.direct = true;
    ts_code code = find_data(l, m);
    if (code == TS_OK && l->deflated) {
        code = ts_inflate_open(&l->z, ctx, RAW_WINDOW_BITS);
        l->open = code == TS_OK;
    }
    if (code != TS_OK) {
        ts_layer_free(&l->base);
        return code;
    }
    *out = &l->base;
    return TS_OK;
}

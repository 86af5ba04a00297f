#include "export/export_gzip.h"

#include "base/alloc.h"

enum { GZIP_WINDOW = 15 + 16 };

static void *gzip_zalloc(void *user, unsigned count, unsigned size)
{
    return ts_alloc(user, count, size);
}

static void gzip_zfree(void *user, void *p)
{
    ts_free(user, p);
}

void ts_gzip_begin(ts_gzip *z, ts_jout *w, int level)
{
    z->w = w;
    z->zip.zalloc = gzip_zalloc;
    z->zip.zfree = gzip_zfree;
    z->zip.opaque = w->ctx;
    int rc = deflateInit2(&z->zip, level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY);
    if (rc == Z_MEM_ERROR) {
        w->code = w->ctx->error.code;
    } else if (rc != Z_OK) {
        w->code = ts_fail(w->ctx, TS_ERR_INTERNAL, "zlib does not start: %d", rc);
    }
    z->begun = w->code == TS_OK;
}

static void gzip_deflate(ts_gzip *z, const void *p, size_t n, int flush)
{
    union {
        const void *in;
        Bytef *out;
    } from = {p}; /* zlib's pointer lacks the const, without ZLIB_CONST */
    int rc = Z_OK;
    z->zip.next_in = from.out;
    z->zip.avail_in = (uInt)n;
    while (z->w->code == TS_OK &&
           (z->zip.avail_in > 0 || (flush == Z_FINISH && rc != Z_STREAM_END))) {
        z->zip.next_out = z->block;
        z->zip.avail_out = TS_GZIP_BLOCK;
        rc = deflate(&z->zip, flush);
        size_t got = TS_GZIP_BLOCK - z->zip.avail_out;
        if (rc != Z_OK && rc != Z_STREAM_END) {
            z->w->code = ts_fail(z->w->ctx, TS_ERR_INTERNAL, "zlib failed: %d", rc);
        } else if (got > 0) {
            ts_jout_put(z->w, (const char *)z->block, got);
        }
    }
}

void ts_gzip_put(ts_gzip *z, const void *p, size_t n)
{
    gzip_deflate(z, p, n, Z_NO_FLUSH);
}

void ts_gzip_end(ts_gzip *z)
{
    gzip_deflate(z, "", 0, Z_FINISH);
}

void ts_gzip_free(ts_gzip *z)
{
    if (z->begun) {
        (void)deflateEnd(&z->zip);
    }
    z->begun = false;
}

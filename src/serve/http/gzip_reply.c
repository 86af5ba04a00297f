#include "serve/http/gzip_reply.h"

#include "base/alloc.h"
#include "serve/http/request.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <zlib.h>

enum { GZIP_LEVEL = 1, GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 8, GZIP_PIECE = 32 * 1024 };

bool ts_address_is_loopback(const struct sockaddr *address)
{
    const struct sockaddr_in *four = (const void *)address;
    const struct sockaddr_in6 *six = (const void *)address;
    if (address == NULL) {
        return true;
    }
    if (address->sa_family == AF_INET) {
        return ntohl(four->sin_addr.s_addr) >> 24 == 127;
    }
    if (address->sa_family != AF_INET6) {
        return true; /* no address of another machine */
    }
    return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr) ||
           (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) && six->sin6_addr.s6_addr[12] == 127);
}

static void *gzip_alloc(void *ctx, unsigned n, unsigned size)
{
    return ts_alloc(ctx, n, size);
}

static void gzip_free(void *ctx, void *p)
{
    ts_free(ctx, p);
}

static bool gzip_begin(z_stream *z, ts_ctx *ctx)
{
    *z = (z_stream){.zalloc = gzip_alloc, .zfree = gzip_free, .opaque = ctx};
    return deflateInit2(z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY, Z_DEFAULT_STRATEGY) ==
           Z_OK;
}

static void gzip_input(z_stream *z, const char *p, size_t n)
{
    union {
        const char *in;
        Bytef *out;
    } bytes = {p}; /* which zlib does not change */
    z->next_in = bytes.out;
    z->avail_in = (uInt)n;
}

/* --- a reply that is there -------------------------------------------------------------------- */

static bool gzip_body(ts_buf *out, ts_ctx *ctx, ts_text body)
{
    z_stream z;
    if (body.n > UINT_MAX / 2 || !gzip_begin(&z, ctx)) {
        return false;
    }
    uLong most = deflateBound(&z, body.n);
    bool done = most <= UINT_MAX && ts_buf_reserve(ctx, out, most) == TS_OK;
    if (done) {
        gzip_input(&z, body.p, body.n);
        z.next_out = (Bytef *)out->p;
        z.avail_out = (uInt)most;
        done = deflate(&z, Z_FINISH) == Z_STREAM_END;
        out->n = z.total_out;
    }
    (void)deflateEnd(&z);
    return done;
}

/* --- a reply that is being made --------------------------------------------------------------- */

typedef struct gzip_stream {
    ts_stream stream;
    ts_ctx *ctx;
    ts_stream *from;
    z_stream z;
    bool ended; /* of `from` */
    bool done;
    char piece[GZIP_PIECE];
} gzip_stream;

/* What is read is sent on at once, however little it is: rows arrive as they are found. */
static ssize_t gzip_read(ts_stream *stream, char *out, size_t max)
{
    gzip_stream *g = (gzip_stream *)stream;
    g->z.next_out = (Bytef *)out;
    g->z.avail_out = max < UINT_MAX ? (uInt)max : UINT_MAX;
    uInt room = g->z.avail_out;
    while (!g->done && g->z.avail_out == room) {
        if (g->z.avail_in == 0 && !g->ended) {
            ssize_t n = g->from->read(g->from, g->piece, sizeof g->piece);
            if (n < 0) {
                return n;
            }
            g->ended = n == 0;
            gzip_input(&g->z, g->piece, (size_t)n);
        }
        int rc = deflate(&g->z, g->ended ? Z_FINISH : Z_SYNC_FLUSH);
        g->done = rc == Z_STREAM_END;
        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
            return -1;
        }
    }
    return (ssize_t)(room - g->z.avail_out);
}

static void gzip_stream_free(ts_stream *stream)
{
    gzip_stream *g = (gzip_stream *)stream;
    ts_ctx *ctx = g->ctx;
    (void)deflateEnd(&g->z);
    g->from->free(g->from);
    ts_free(ctx, g);
}

static bool gzip_wrap(ts_reply *reply, ts_ctx *ctx)
{
    gzip_stream *g = ts_alloc(ctx, 1, sizeof *g);
    if (g == NULL) {
        return false;
    }
    *g = (gzip_stream){.stream = {gzip_read, gzip_stream_free}, .ctx = ctx, .from = reply->stream};
    if (!gzip_begin(&g->z, ctx)) {
        ts_free(ctx, g);
        return false;
    }
    reply->stream = &g->stream;
    return true;
}

/* --- which ------------------------------------------------------------------------------------ */

static bool reply_is_text(const ts_reply *r)
{
    static const char *const types[] = {"text/", "application/json", "application/x-ndjson",
                                        "image/svg"};
    for (size_t i = 0; r->type != NULL && i < sizeof types / sizeof types[0]; i++) {
        if (strncmp(r->type, types[i], strlen(types[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool reply_is_encoded(const ts_reply *r)
{
    for (size_t i = 0; i < r->header_count; i++) {
        if (strcmp(r->headers[i].name, "Content-Encoding") == 0) {
            return true;
        }
    }
    return r->header_count + 2 > TS_REPLY_HEADERS;
}

void ts_reply_gzip(ts_reply *reply, ts_ctx *ctx, ts_text accepted)
{
    ts_text body = reply->fixed.p != NULL ? reply->fixed : ts_buf_text(&reply->body);
    ts_buf less = {0};
    if (!ts_token_in(accepted, "gzip") || !reply_is_text(reply) || reply_is_encoded(reply) ||
        (reply->stream == NULL && body.n < TS_GZIP_LEAST)) {
        return;
    }
    bool done = reply->stream != NULL ? gzip_wrap(reply, ctx) : gzip_body(&less, ctx, body);
    if (done && reply->stream == NULL) {
        ts_buf_free(ctx, &reply->body);
        reply->body = less;
        reply->fixed = TS_TEXT_NULL;
    } else {
        ts_buf_free(ctx, &less);
    }
    if (done) {
        ts_reply_header(reply, "Content-Encoding", "gzip");
        ts_reply_header(reply, "Vary", "Accept-Encoding");
    }
}

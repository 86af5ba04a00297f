/* The Flare protocol on an upgraded connection. */
#include "serve/websocket.h"

#include "base/alloc.h"

#include <sys/socket.h>

struct ts_flare {
    ts_ctx ctx;
    ts_flare_options options;
};

ts_code ts_flare_open(ts_flare **out, const ts_ctx *base, const ts_flare_options *options)
{
    ts_ctx ctx = *base;
    ts_flare *f = ts_zalloc(&ctx, 1, sizeof *f);
    *out = f;
    if (f == NULL) {
        return ctx.error.code;
    }
    f->ctx = ctx;
    f->options = *options;
    return TS_OK;
}

void ts_flare_close(ts_flare *flare)
{
    if (flare != NULL) {
        ts_ctx ctx = flare->ctx;
        ts_free(&ctx, flare);
    }
}

void ts_flare_run(ts_flare *flare, ts_websocket *socket)
{
    /* A close frame, 1011: what was asked for is not there. */
    static const unsigned char bye[] = {0x88, 0x02, 0x03, 0xf3};
    (void)flare;
    (void)send(socket->fd, bye, sizeof bye, MSG_NOSIGNAL | MSG_DONTWAIT);
}

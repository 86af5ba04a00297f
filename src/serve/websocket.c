/* The Flare protocol on an upgraded connection. */
#include "serve/websocket.h"

#include "base/alloc.h"

#include <sys/socket.h>

struct ts_sockets {
    ts_ctx ctx;
    ts_sockets_options options;
};

ts_code ts_sockets_open(ts_sockets **out, const ts_ctx *base, const ts_sockets_options *options)
{
    ts_ctx ctx = *base;
    ts_sockets *f = ts_zalloc(&ctx, 1, sizeof *f);
    *out = f;
    if (f == NULL) {
        return ctx.error.code;
    }
    f->ctx = ctx;
    f->options = *options;
    return TS_OK;
}

void ts_sockets_close(ts_sockets *sockets)
{
    if (sockets != NULL) {
        ts_ctx ctx = sockets->ctx;
        ts_free(&ctx, sockets);
    }
}

void ts_sockets_run(ts_sockets *sockets, ts_websocket *socket)
{
    /* A close frame, 1011: what was asked for is not there. */
    static const unsigned char bye[] = {0x88, 0x02, 0x03, 0xf3};
    (void)sockets;
    (void)send(socket->fd, bye, sizeof bye, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/*
 * The Flare protocol on an upgraded connection: framing by wslay, one request after the other.
 *
 * Each connection has a thread, which is in `serve` until the connection ends. While a message
 * waits for its answer, or a reply is queued, nothing is read: what the client sends stays in the
 * socket, so it cannot fill the memory. Messages are put together here up to MESSAGE_MAX bytes,
 * because the library keeps a block for each frame, however short.
 *
 * Binary messages are closed with 1003, larger ones with 1009, and 1011 is for want of memory; what
 * the client does wrong in the framing, wslay closes. A ping goes out after ping_ms of silence, and
 * after silence_ms, or when the server stops, the connection is closed with 1001. A close frame
 * waits CLOSE_MS for its answer, a client that takes nothing is given up after STUCK_MS, and *stop
 * is looked at every TICK_MS.
 */
#include "serve/http/websocket.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/vec.h"
#include "serve/flare/flare.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <wslay/wslay.h>

enum {
    MESSAGE_MAX = 1 << 20,
    TICK_MS = 100,    /* how often *stop is looked at */
    STUCK_MS = 60000, /* a client that takes nothing */
    CLOSE_MS = 1000,  /* for the other side's close frame */
    STOP_MS = 400     /* for what is left to send when the server stops */
};

struct ts_sockets {
    ts_ctx ctx;
    ts_sockets_options options;
    ts_flare_hub *hub;
};

/* --- what the protocol reads ------------------------------------------------------------------ */

static ts_code flare_database(ts_sandbox *out, void *user, ts_ctx *ctx, unsigned database)
{
    ts_sockets *sockets = user;
    int rc;
    return ts_sandbox_open(out, &rc, ctx, sockets->options.databases->all[database].path);
}

static ts_code flare_directory(ts_sandbox *out, void *user, ts_ctx *ctx, const char *path)
{
    ts_sockets *sockets = user;
    return sockets->options.open_directory(out, ctx, path);
}

ts_code ts_sockets_open(ts_sockets **out, const ts_ctx *base, const ts_sockets_options *options)
{
    ts_ctx ctx = *base;
    ts_sockets *f = ts_zalloc(&ctx, 1, sizeof *f);
    ts_flare_hub_options hub = {
        .hooks = {.user = f, .open_database = flare_database},
        .databases = (unsigned)options->databases->count,
        .samples = options->samples,
        .attach = options->samples != NULL,
    };
    ts_code code;
    *out = f;
    if (f == NULL) {
        return ctx.error.code;
    }
    hub.hooks.open_directory = options->open_directory == NULL ? NULL : flare_directory;
    f->ctx = ctx;
    f->options = *options;
    f->options.ping_ms = options->ping_ms > 0 ? options->ping_ms : TS_SOCKET_PING_MS;
    f->options.silence_ms = options->silence_ms > 0 ? options->silence_ms : TS_SOCKET_SILENCE_MS;
    code = ts_flare_hub_new(&f->hub, &f->ctx, &hub);
    if (code != TS_OK) {
        *out = NULL;
        ts_free(&ctx, f);
    }
    return code;
}

void ts_sockets_close(ts_sockets *sockets)
{
    if (sockets != NULL) {
        ts_flare_hub_free(sockets->hub);
        ts_ctx ctx = sockets->ctx;
        ts_free(&ctx, sockets);
    }
}

/* --- one connection --------------------------------------------------------------------------- */

typedef struct peer {
    ts_sockets *sockets;
    ts_websocket *socket;
    wslay_event_context_ptr ws;
    ts_vec messages; /* of ts_buf: those that were received and wait */
    ts_buf part;     /* of the message that is being received */
    bool control;    /* the frame is no part of it */
    size_t early;    /* bytes of socket->early that were read */
    int64_t heard;   /* when the last bytes came, CLOCK_MONOTONIC */
    int64_t pinged;  /* when the last ping was sent since; 0: none */
    int64_t closing; /* when a close frame was queued; 0: none */
    bool gone;       /* nothing can be sent any more */
} peer;

static int64_t ms_since(int64_t then)
{
    return (ts_guard_now() - then) / 1000000;
}

static bool stopped(const peer *p)
{
    return p->socket->stop != NULL && atomic_load(p->socket->stop);
}

/* One message after the other: while one waits, or an answer (each ping has one), nothing more is
 * read, so that a client cannot fill the memory; what it sends stays in the socket. */
static ssize_t on_recv(wslay_event_context_ptr ws, uint8_t *buf, size_t len, int flags, void *user)
{
    peer *p = user;
    ssize_t n = 0;
    (void)flags;
    if (p->messages.n > 0 || wslay_event_get_queued_msg_count(ws) > 0) {
        wslay_event_set_error(ws, WSLAY_ERR_WOULDBLOCK);
        return -1;
    }
    if (p->early < p->socket->early_size) {
        size_t left = p->socket->early_size - p->early;
        n = (ssize_t)(left < len ? left : len);
        memcpy(buf, p->socket->early + p->early, (size_t)n);
        p->early += (size_t)n;
    } else {
        do {
            n = recv(p->socket->fd, buf, len, 0);
        } while (n < 0 && errno == EINTR);
    }
    if (n > 0) {
        p->heard = ts_guard_now();
        p->pinged = 0;
        return n;
    }
    wslay_event_set_error(ws, n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
                                  ? WSLAY_ERR_WOULDBLOCK
                                  : WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

static ssize_t on_send(wslay_event_context_ptr ws, const uint8_t *data, size_t len, int flags,
                       void *user)
{
    peer *p = user;
    ssize_t n;
    do {
        n = send(p->socket->fd, data, len,
                 MSG_NOSIGNAL | ((flags & WSLAY_MSG_MORE) != 0 ? MSG_MORE : 0));
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        wslay_event_set_error(ws, errno == EAGAIN || errno == EWOULDBLOCK
                                      ? WSLAY_ERR_WOULDBLOCK
                                      : WSLAY_ERR_CALLBACK_FAILURE);
    }
    return n;
}

static void queue_close(peer *p, uint16_t status)
{
    if (p->closing == 0) {
        (void)wslay_event_queue_close(p->ws, status, NULL, 0);
        p->closing = ts_guard_now();
    }
}

static void on_frame(wslay_event_context_ptr ws,
                     const struct wslay_event_on_frame_recv_start_arg *arg, void *user)
{
    peer *p = user;
    (void)ws;
    p->control = wslay_is_ctrl_frame(arg->opcode);
}

/* Messages are put together here: the library keeps a block for each frame, however short. */
static void on_piece(wslay_event_context_ptr ws,
                     const struct wslay_event_on_frame_recv_chunk_arg *arg, void *user)
{
    peer *p = user;
    (void)ws;
    if (p->control || p->closing != 0) {
        return;
    }
    if (p->part.n + arg->data_length > MESSAGE_MAX) {
        queue_close(p, WSLAY_CODE_MESSAGE_TOO_BIG);
    } else if (ts_buf_put(p->socket->ctx, &p->part, arg->data, arg->data_length) != TS_OK) {
        queue_close(p, WSLAY_CODE_INTERNAL_SERVER_ERROR);
    }
}

static void on_message(wslay_event_context_ptr ws, const struct wslay_event_on_msg_recv_arg *arg,
                       void *user)
{
    peer *p = user;
    ts_buf *message;
    (void)ws;
    if (arg->opcode == WSLAY_BINARY_FRAME) {
        queue_close(p, WSLAY_CODE_UNSUPPORTED_DATA);
    }
    if (arg->opcode != WSLAY_TEXT_FRAME || p->closing != 0) {
        return;
    }
    message = ts_vec_add(p->socket->ctx, &p->messages, sizeof *message);
    if (message == NULL) {
        queue_close(p, WSLAY_CODE_INTERNAL_SERVER_ERROR);
    } else {
        *message = p->part;
        p->part = (ts_buf){0};
    }
}

/* --- sending ---------------------------------------------------------------------------------- */

/* Sends what is queued; false when the client has gone or takes nothing. */
static bool flush(peer *p)
{
    int64_t began = ts_guard_now();
    size_t left = wslay_event_get_queued_msg_length(p->ws);
    while (!p->gone && wslay_event_want_write(p->ws)) {
        struct pollfd fd = {.fd = p->socket->fd, .events = POLLOUT};
        size_t now;
        if (wslay_event_send(p->ws) != 0) {
            p->gone = true;
            break;
        }
        if (!wslay_event_want_write(p->ws)) {
            break;
        }
        (void)poll(&fd, 1, TICK_MS);
        now = wslay_event_get_queued_msg_length(p->ws);
        if (now != left || (fd.revents & POLLOUT) != 0) {
            left = now;
            if (!stopped(p)) {
                began = ts_guard_now();
            }
        }
        if (ms_since(began) > (stopped(p) ? STOP_MS : STUCK_MS)) {
            p->gone = true;
        }
    }
    return !p->gone;
}

static ts_code on_reply(void *user, const char *text, size_t n)
{
    peer *p = user;
    const struct wslay_event_msg message = {WSLAY_TEXT_FRAME, (const uint8_t *)text, n};
    if (p->closing != 0 || stopped(p) || wslay_event_queue_msg(p->ws, &message) != 0 || !flush(p)) {
        return ts_fail(p->socket->ctx, TS_ERR_INTERRUPTED, "the client has gone");
    }
    return TS_OK;
}

/* --- the loop --------------------------------------------------------------------------------- */

/* Answers what was received, in its order. */
static void answer_all(peer *p)
{
    for (size_t i = 0; i < p->messages.n; i++) {
        ts_buf *message = (ts_buf *)p->messages.p + i;
        if (!p->gone && p->closing == 0 && !stopped(p)) {
            ts_guard guard = {.fd = p->socket->fd, .stop = p->socket->stop};
            ts_code code =
                ts_flare_hub_handle(p->sockets->hub, p->socket->ctx, &guard,
                                    message->n == 0 ? "" : message->p, message->n, on_reply, p);
            if (code == TS_ERR_NOMEM || code == TS_ERR_LIMIT) {
                queue_close(p, WSLAY_CODE_INTERNAL_SERVER_ERROR);
            }
        }
        ts_buf_free(p->socket->ctx, message);
    }
    p->messages.n = 0;
}

static void look_at_clock(peer *p)
{
    const struct wslay_event_msg ping = {WSLAY_PING, NULL, 0};
    const ts_sockets_options *o = &p->sockets->options;
    if (stopped(p) || (p->closing == 0 && ms_since(p->heard) >= o->silence_ms)) {
        queue_close(p, WSLAY_CODE_GOING_AWAY);
    } else if (p->closing == 0 && ms_since(p->pinged != 0 ? p->pinged : p->heard) >= o->ping_ms) {
        p->pinged = ts_guard_now();
        (void)wslay_event_queue_msg(p->ws, &ping);
    }
}

/* Whether the connection goes on. A close frame of ours gets some time for its answer. */
static bool goes_on(const peer *p)
{
    if (p->gone || (!wslay_event_want_read(p->ws) && !wslay_event_want_write(p->ws))) {
        return false;
    }
    return p->closing == 0 || ms_since(p->closing) < (stopped(p) ? STOP_MS : CLOSE_MS);
}

static void serve(peer *p)
{
    while (flush(p) && goes_on(p)) {
        struct pollfd fd = {.fd = p->socket->fd, .events = POLLIN};
        if (p->early == p->socket->early_size) {
            (void)poll(&fd, 1, TICK_MS);
        }
        if (wslay_event_recv(p->ws) != 0) {
            p->gone = true;
            return;
        }
        if (p->closing == 0 && wslay_event_get_close_sent(p->ws)) {
            p->closing = ts_guard_now(); /* by wslay, for what the client did wrong */
        }
        answer_all(p);
        look_at_clock(p);
    }
}

void ts_sockets_run(ts_sockets *sockets, ts_websocket *socket)
{
    const struct wslay_event_callbacks callbacks = {.recv_callback = on_recv,
                                                    .send_callback = on_send,
                                                    .on_frame_recv_start_callback = on_frame,
                                                    .on_frame_recv_chunk_callback = on_piece,
                                                    .on_msg_recv_callback = on_message};
    peer p = {.sockets = sockets, .socket = socket, .heard = ts_guard_now()};
    if (wslay_event_context_server_init(&p.ws, &callbacks, &p) != 0) {
        return;
    }
    wslay_event_config_set_no_buffering(p.ws, 1);
    wslay_event_config_set_max_recv_msg_length(p.ws, MESSAGE_MAX);
    serve(&p);
    for (size_t i = 0; i < p.messages.n; i++) {
        ts_buf_free(socket->ctx, (ts_buf *)p.messages.p + i);
    }
    ts_vec_free(socket->ctx, &p.messages);
    ts_buf_free(socket->ctx, &p.part);
    wslay_event_context_free(p.ws);
}

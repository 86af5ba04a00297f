/*
 * WebSocket (RFC 6455): the handshake (handshake.c), and what a connection that was upgraded is
 * given to (websocket.c: framing and dispatch of the Flare protocol).
 */
#ifndef TS_SERVE_WEBSOCKET_H
#define TS_SERVE_WEBSOCKET_H

#include "serve/api/databases.h"
#include "serve/http/request.h"

#define TS_FLARE_PROTOCOL "flare-profiler"

/* --- handshake.c ------------------------------------------------------------------------------ */

enum { TS_SHA1_SIZE = 20, TS_ACCEPT_LENGTH = 28 };

/* FIPS 180-4. */
void ts_sha1(uint8_t out[TS_SHA1_SIZE], const void *bytes, size_t n);

/* Sec-WebSocket-Accept for a key. */
void ts_websocket_accept(char out[TS_ACCEPT_LENGTH + 1], ts_text key);

/* Whether a request wants to become a WebSocket: it has "Upgrade: websocket". */
bool ts_websocket_wanted(const ts_request *r);

/* Why it cannot: 400 without a key or the sub-protocol, 426 for another version than 13, 405 for
 * another method than GET. status 0: it can. */
ts_verdict ts_websocket_check(const ts_request *r);

/* --- websocket.c ------------------------------------------------------------------------------ */

enum { TS_SOCKET_PING_MS = 30000, TS_SOCKET_SILENCE_MS = 90000 };

/* What all connections share: the sessions of flare.h, and where their data comes from. */
typedef struct ts_sockets ts_sockets;

/* Converts a sample directory of Flare into a temporary database and opens that; the caller closes
 * with ts_sandbox_close. TS_ERR_FORMAT when nothing of a sample is there. Called by many threads.
 */
typedef ts_code (*ts_open_directory)(ts_sandbox *out, ts_ctx *ctx, const char *path);

typedef struct ts_sockets_options {
    ts_databases *databases;          /* borrowed */
    const char *samples;              /* directory of --samples, or NULL; borrowed */
    ts_open_directory open_directory; /* NULL: samples cannot be opened */
    int64_t ping_ms;    /* after which a silent client is asked for a sign; 0: TS_SOCKET_PING_MS */
    int64_t silence_ms; /* after which it is closed; 0: TS_SOCKET_SILENCE_MS */
} ts_sockets_options;

/* base is copied. The caller frees with ts_sockets_close, after the last ts_sockets_run has
 * returned.
 */
ts_code ts_sockets_open(ts_sockets **out, const ts_ctx *base, const ts_sockets_options *options);
void ts_sockets_close(ts_sockets *sockets);

/* A connection whose handshake was sent. */
typedef struct ts_websocket {
    ts_ctx *ctx; /* of this thread */
    int fd;      /* non-blocking, TCP_NODELAY is set; stays open when ts_sockets_run returns */
    const char *early; /* bytes that came with the request, to be read before those of fd */
    size_t early_size;
    const atomic_bool *stop; /* the server stops: close with 1001 and return within a second */
} ts_websocket;

/* Serves the connection until it is closed. Called by many threads at once. */
void ts_sockets_run(ts_sockets *sockets, ts_websocket *socket);

#endif

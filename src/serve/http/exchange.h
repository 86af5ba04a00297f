/* One request and its reply on a connection of libmicrohttpd. */
#ifndef TS_SERVE_EXCHANGE_H
#define TS_SERVE_EXCHANGE_H

#include "serve/api/app.h"
#include "serve/http/websocket.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>

/* --- connections.c ---------------------------------------------------------------------------- */

/*
 * The connections of a server and how long each has been in what it does: libmicrohttpd's own time
 * limit is one of idleness, which a header that arrives byte by byte never reaches.
 */

enum {
    TS_CONNECTIONS_SERVED = 64,
    TS_CONNECTIONS_OPEN = 320, /* more wait in the queue of the system */
    TS_WEBSOCKETS = 16
};

typedef enum ts_phase {
    TS_PHASE_FREE,   /* no connection */
    TS_PHASE_NEW,    /* the first header is awaited: 10 s */
    TS_PHASE_IDLE,   /* another request may come: 15 s */
    TS_PHASE_BODY,   /* the body is awaited: 30 s */
    TS_PHASE_WORK,   /* the reply is being made */
    TS_PHASE_SEND,   /* the client takes what was made: 60 s for each piece */
    TS_PHASE_SOCKET, /* a WebSocket, which has rules of its own */
    TS_PHASE_CLOSING /* was shut down */
} ts_phase;

typedef struct ts_connection {
    ts_phase phase;
    bool refused; /* one too many: its requests are answered with 503 */
    int fd;
    int64_t since; /* ns of ts_guard_now, when the phase began */
} ts_connection;

typedef struct ts_connections {
    pthread_mutex_t lock;
    ts_connection all[TS_CONNECTIONS_OPEN];
} ts_connections;

void ts_connections_init(ts_connections *c);
void ts_connections_free(ts_connections *c);

/*
 * A new connection; NULL when the table is full. When more than TS_CONNECTIONS_SERVED are open, the
 * one that has waited longest for a header is shut down, or, when all of them work, this one is
 * refused.
 */
ts_connection *ts_connections_add(ts_connections *c, int fd);
/* Before its descriptor is closed. */
void ts_connections_remove(ts_connections *c, ts_connection *one);

void ts_connections_enter(ts_connections *c, ts_connection *one, ts_phase phase);

/* Becomes a WebSocket; false when there are TS_WEBSOCKETS. */
bool ts_connections_upgrade(ts_connections *c, ts_connection *one);

/* Shuts down what has been in its phase for too long at this time; returns how many. */
unsigned ts_connections_watch(ts_connections *c, int64_t now);

/* Shuts down all but WebSockets. */
void ts_connections_shut(ts_connections *c);

/* --- exchange.c ------------------------------------------------------------------------------- */

/* What all of them share; the argument `cls` of the callbacks. */
typedef struct ts_exchanges {
    ts_app *app;
    ts_connections *connections;
    ts_sockets *sockets;
} ts_exchanges;

/* The callbacks of the daemon: MHD_AccessHandlerCallback, MHD_NotifyConnectionCallback,
 * MHD_RequestCompletedCallback. */
enum MHD_Result ts_exchange_handle(void *cls, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *upload_data,
                                   size_t *upload_data_size, void **con_cls);
void ts_exchange_connection(void *cls, struct MHD_Connection *connection, void **socket_context,
                            enum MHD_ConnectionNotificationCode code);
void ts_exchange_completed(void *cls, struct MHD_Connection *connection, void **con_cls,
                           enum MHD_RequestTerminationCode code);

#endif

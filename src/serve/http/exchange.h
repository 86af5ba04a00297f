/* One request and its reply on a connection of libmicrohttpd. */
#ifndef TS_SERVE_EXCHANGE_H
#define TS_SERVE_EXCHANGE_H

#include "serve/api/app.h"
#include "serve/http/connections.h"
#include "serve/http/websocket.h"

#include <microhttpd.h>

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

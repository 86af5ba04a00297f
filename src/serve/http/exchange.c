/*
 * One request and its reply on a connection of libmicrohttpd, from its callbacks.
 *
 * The library calls ts_exchange_handle several times: first when the header is there, then for
 * pieces of the body, then once more. A request without a body is checked and answered in the
 * second call, because the library closes connections that are answered in the first; one with a
 * body is checked at once and refused before its body is read.
 *
 * The order of checks: two lengths (400, and the connection closes, because what follows may be
 * another request), too many connections (503), access (request.c), the number of parameters, an
 * upgrade. Each thread works with a copy of the base context, which is the exchange's. An exchange
 * is freed in ts_exchange_completed, so a streamed reply may read from it until then. Phases are
 * reported to connections.c, which ends connections that take too long.
 */
#include "serve/http/exchange.h"

#include "base/alloc.h"
#include "serve/http/gzip_reply.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>

enum { EXCHANGE_BLOCK = 64 * 1024, WRONG_TOKEN_TENTHS = 10 };

typedef struct exchange {
    const ts_exchanges *all;
    ts_connection *connection;
    ts_ctx ctx;
    ts_request request;
    ts_arg args[TS_REQUEST_ARGS];
    size_t too_many_args;
    ts_buf body;
    bool checked;   /* the header lets it be answered */
    bool too_large; /* the body is longer than TS_API_BODY */
    ts_reply reply;
} exchange;

/* --- the request ----------------------------------------------------------------------------- */

static enum MHD_Result take_header(void *cls, enum MHD_ValueKind kind, const char *key,
                                   const char *value)
{
    ts_request *r = cls;
    const struct {
        const char *name;
        ts_text *to;
    } wanted[] = {
        {"Host", &r->host},
        {"Origin", &r->origin},
        {"Sec-Fetch-Site", &r->fetch_site},
        {"Sec-Fetch-Mode", &r->fetch_mode},
        {"Authorization", &r->authorization},
        {"Cookie", &r->cookie},
        {"Content-Type", &r->content_type},
        {"If-None-Match", &r->if_none_match},
        {"Accept-Encoding", &r->accept_encoding},
        {"Upgrade", &r->upgrade},
        {"Connection", &r->connection},
        {"Sec-WebSocket-Key", &r->socket_key},
        {"Sec-WebSocket-Version", &r->socket_version},
        {"Sec-WebSocket-Protocol", &r->socket_protocols},
    };
    (void)kind;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (strcasecmp(key, wanted[i].name) == 0) {
            *wanted[i].to = ts_text_of(value == NULL ? "" : value);
            r->host_count += wanted[i].to == &r->host ? 1 : 0;
            r->origin_count += wanted[i].to == &r->origin ? 1 : 0;
        }
    }
    r->length_count += strcasecmp(key, "Content-Length") == 0 ? 1 : 0;
    r->length_count += strcasecmp(key, "Transfer-Encoding") == 0 ? 1 : 0;
    return MHD_YES;
}

static enum MHD_Result take_arg(void *cls, enum MHD_ValueKind kind, const char *key, size_t key_n,
                                const char *value, size_t value_n)
{
    exchange *x = cls;
    (void)kind;
    (void)key_n;
    if (x->request.arg_count == TS_REQUEST_ARGS) {
        x->too_many_args++;
        return MHD_NO;
    }
    x->args[x->request.arg_count++] =
        (ts_arg){key, value == NULL ? TS_TEXT_LIT("") : (ts_text){value, value_n}};
    return MHD_YES;
}

static exchange *exchange_new(const ts_exchanges *all, struct MHD_Connection *connection,
                              const char *url, const char *method)
{
    ts_ctx ctx = *all->app->base;
    exchange *x = ts_zalloc(&ctx, 1, sizeof *x);
    if (x == NULL) {
        return NULL;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    x->all = all;
    x->ctx = ctx;
    x->connection = info == NULL ? NULL : info->socket_context;
    x->request.method = ts_text_of(method);
    x->request.path = ts_text_of(url);
    x->request.args = x->args;
    x->request.client = x->connection == NULL ? -1 : x->connection->fd;
    (void)MHD_get_connection_values(connection, MHD_HEADER_KIND, take_header, &x->request);
    (void)MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, take_arg, x);
    return x;
}

static void exchange_enter(const exchange *x, ts_phase phase)
{
    if (x->connection != NULL) {
        ts_connections_enter(x->all->connections, x->connection, phase);
    }
}

static void exchange_free(exchange *x)
{
    ts_ctx ctx;
    ts_reply_free(&x->reply, &x->ctx);
    ts_buf_free(&x->ctx, &x->body);
    ctx = x->ctx;
    ts_free(&ctx, x);
}

/* --- the reply ------------------------------------------------------------------------------- */

static ssize_t exchange_read(void *cls, uint64_t at, char *out, size_t max)
{
    exchange *x = cls;
    (void)at;
    exchange_enter(x, TS_PHASE_WORK);
    ssize_t n = x->reply.stream->read(x->reply.stream, out, max);
    exchange_enter(x, TS_PHASE_SEND);
    return n > 0    ? n
           : n == 0 ? (ssize_t)MHD_CONTENT_READER_END_OF_STREAM
                    : (ssize_t)MHD_CONTENT_READER_END_WITH_ERROR;
}

static void response_header(struct MHD_Response *response, const char *name, const char *value)
{
    (void)MHD_add_response_header(response, name, value);
}

static void response_headers(struct MHD_Response *response, exchange *x)
{
    const ts_reply *r = &x->reply;
    char text[240];
    response_header(response, "X-Content-Type-Options", "nosniff");
    response_header(response, "Referrer-Policy", "no-referrer");
    response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
    if (r->type != NULL) {
        response_header(response, "Content-Type", r->type);
    }
    if (r->etag[0] != '\0') {
        response_header(response, "ETag", r->etag);
    }
    if (r->file[0] != '\0') {
        (void)snprintf(text, sizeof text, "attachment; filename=\"%s\"", r->file);
        response_header(response, "Content-Disposition", text);
    }
    bool policy = false;
    for (size_t i = 0; i < r->header_count; i++) {
        response_header(response, r->headers[i].name, r->headers[i].value);
        policy = policy || strcmp(r->headers[i].name, "Content-Security-Policy") == 0;
    }
    if (!policy) { /* what is no page is shown in none, either */
        response_header(response, "Content-Security-Policy",
                        "default-src 'none'; frame-ancestors 'none'");
    }
    if (ts_access_foreign(&x->all->app->access, &x->request) && x->request.origin.n < sizeof text) {
        (void)snprintf(text, sizeof text, "%.*s", (int)x->request.origin.n, x->request.origin.p);
        response_header(response, "Access-Control-Allow-Origin", text);
        response_header(response, "Vary", "Origin");
    }
}

static bool from_elsewhere(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info != NULL && !ts_address_is_loopback(info->client_addr);
}

static enum MHD_Result exchange_send(exchange *x, struct MHD_Connection *connection)
{
    if (from_elsewhere(connection)) {
        ts_reply_gzip(&x->reply, &x->ctx, x->request.accept_encoding);
    }
    union {
        const char *in;
        char *out;
    } bytes = {x->reply.fixed.p}; /* which the library does not change */
    struct MHD_Response *response;
    if (x->reply.stream != NULL) {
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, EXCHANGE_BLOCK,
                                                     exchange_read, x, NULL);
    } else if (x->reply.fixed.p != NULL) {
        response =
            MHD_create_response_from_buffer(x->reply.fixed.n, bytes.out, MHD_RESPMEM_PERSISTENT);
    } else {
        response = MHD_create_response_from_buffer(x->reply.body.n, x->reply.body.p,
                                                   MHD_RESPMEM_PERSISTENT);
    }
    if (response == NULL) {
        return MHD_NO;
    }
    response_headers(response, x);
    exchange_enter(x, TS_PHASE_SEND);
    enum MHD_Result queued = MHD_queue_response(connection, (unsigned)x->reply.status, response);
    MHD_destroy_response(response);
    ts_log(&x->ctx, TS_LOG_INFO, "%.*s %.*s %d", (int)x->request.method.n, x->request.method.p,
           (int)x->request.path.n, x->request.path.p, x->reply.status);
    return queued;
}

static enum MHD_Result exchange_refuse(exchange *x, struct MHD_Connection *connection, int status,
                                       const char *code, const char *message)
{
    (void)ts_reply_error(&x->reply, &x->ctx, status, code, message, -1);
    return exchange_send(x, connection);
}

/* --- WebSockets ------------------------------------------------------------------------------ */

static void socket_serve(void *cls, struct MHD_Connection *connection, void *con_cls,
                         const char *extra_in, size_t extra_in_size, MHD_socket fd,
                         struct MHD_UpgradeResponseHandle *urh)
{
    exchange *x = con_cls;
    const int one = 1;
    const ts_exchanges *all = cls;
    (void)connection;
    ts_websocket socket = {&x->ctx, fd, extra_in, extra_in_size, &all->app->stop};
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    ts_sockets_run(all->sockets, &socket);
    (void)MHD_upgrade_action(urh, MHD_UPGRADE_ACTION_CLOSE);
}

static enum MHD_Result socket_begin(exchange *x, struct MHD_Connection *connection)
{
    union {
        const ts_exchanges *in;
        void *out;
    } all = {x->all};
    char accept[TS_ACCEPT_LENGTH + 1];
    ts_verdict v = ts_websocket_check(&x->request);
    if (v.status != 0) {
        (void)ts_reply_error(&x->reply, &x->ctx, v.status, v.code, v.message, -1);
        if (v.status == 426) {
            ts_reply_header(&x->reply, "Sec-WebSocket-Version", "13");
        }
        return exchange_send(x, connection);
    }
    if (x->connection == NULL || !ts_connections_upgrade(x->all->connections, x->connection)) {
        return exchange_refuse(x, connection, 503, "busy", "too many WebSockets");
    }
    struct MHD_Response *response = MHD_create_response_for_upgrade(socket_serve, all.out);
    if (response == NULL) {
        return MHD_NO;
    }
    ts_websocket_accept(accept, x->request.socket_key);
    response_header(response, "Upgrade", "websocket");
    response_header(response, "Sec-WebSocket-Accept", accept);
    response_header(response, "Sec-WebSocket-Protocol", TS_FLARE_PROTOCOL);
    enum MHD_Result queued = MHD_queue_response(connection, MHD_HTTP_SWITCHING_PROTOCOLS, response);
    MHD_destroy_response(response);
    return queued;
}

/* --- callbacks ------------------------------------------------------------------------------- */

/* Guessing is slow; the server's end is not. */
static void wrong_token(const exchange *x)
{
    const struct timespec tenth = {0, 100000000};
    ts_app *app = x->all->app;
    if (atomic_load(&app->access.wrong) > TS_TOKEN_PATIENCE) {
        for (int i = 0; i < WRONG_TOKEN_TENTHS && !atomic_load(&app->stop); i++) {
            (void)nanosleep(&tenth, NULL);
        }
    }
}

/* What is decided by the header alone. *done: a reply was queued. */
static enum MHD_Result exchange_header(bool *done, exchange *x, struct MHD_Connection *connection)
{
    ts_verdict v = ts_access_check(&x->all->app->access, &x->request);
    *done = true;
    if (x->request.length_count > 1) { /* what follows may be another request, or not */
        (void)ts_reply_error(&x->reply, &x->ctx, 400, "bad_request", "the length is said twice",
                             -1);
        ts_reply_header(&x->reply, "Connection", "close");
        return exchange_send(x, connection);
    }
    if (x->connection == NULL || x->connection->refused) {
        return exchange_refuse(x, connection, 503, "busy", "too many connections");
    }
    if (v.wrong_token) {
        wrong_token(x);
    }
    if (v.status == 401 && ts_text_is(x->request.path, "/")) {
        x->reply.status = 401;
        x->reply.type = "text/plain; charset=utf-8";
        x->reply.fixed = TS_TEXT_LIT("The address of this page has a token, which was missing or "
                                     "wrong. Open the one that trace_streamer serve has printed "
                                     "in its terminal.\n");
        return exchange_send(x, connection);
    }
    if (v.status != 0) {
        return exchange_refuse(x, connection, v.status, v.code, v.message);
    }
    if (x->too_many_args > 0) {
        return exchange_refuse(x, connection, 400, "bad_request", "too many parameters");
    }
    if (ts_websocket_wanted(&x->request)) {
        return socket_begin(x, connection);
    }
    *done = false;
    return MHD_YES;
}

static enum MHD_Result exchange_answer(exchange *x, struct MHD_Connection *connection)
{
    exchange_enter(x, TS_PHASE_WORK);
    x->request.body = ts_buf_text(&x->body);
    if (x->too_large) {
        return exchange_refuse(x, connection, 413, "size", "the body is larger than 1 MiB");
    }
    ts_app_answer(&x->reply, x->all->app, &x->ctx, &x->request);
    return exchange_send(x, connection);
}

static bool body_too_large(struct MHD_Connection *connection)
{
    const char *length = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length");
    return length != NULL && strtoull(length, NULL, 10) > TS_API_BODY;
}

/* Without a body the reply waits for the second call: the library closes connections that are
 * answered in the first. */
static enum MHD_Result exchange_begin(exchange *x, struct MHD_Connection *connection)
{
    bool done;
    bool has_body =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Length") != NULL ||
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Transfer-Encoding") != NULL;
    exchange_enter(x, has_body ? TS_PHASE_BODY : TS_PHASE_WORK);
    if (!has_body) {
        return MHD_YES;
    }
    enum MHD_Result result = exchange_header(&done, x, connection);
    x->checked = true;
    x->too_large = body_too_large(connection);
    if (done || (!x->too_large && ts_app_wants_body(&x->request))) {
        return result;
    }
    return exchange_answer(x, connection);
}

static enum MHD_Result exchange_check(exchange *x, struct MHD_Connection *connection)
{
    bool done;
    enum MHD_Result result = exchange_header(&done, x, connection);
    return done ? result : exchange_answer(x, connection);
}

static void exchange_body(exchange *x, const char *p, size_t n)
{
    x->too_large =
        x->too_large || x->body.n + n > TS_API_BODY || ts_buf_put(&x->ctx, &x->body, p, n) != TS_OK;
}

enum MHD_Result ts_exchange_handle(void *cls, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *upload_data,
                                   size_t *upload_data_size, void **con_cls)
{
    exchange *x = *con_cls;
    (void)version;
    if (x == NULL) {
        x = exchange_new(cls, connection, url, method);
        *con_cls = x;
        return x == NULL ? MHD_NO : exchange_begin(x, connection);
    }
    if (*upload_data_size > 0) {
        exchange_body(x, upload_data, *upload_data_size);
        *upload_data_size = 0;
        return MHD_YES;
    }
    return x->checked ? exchange_answer(x, connection) : exchange_check(x, connection);
}

void ts_exchange_connection(void *cls, struct MHD_Connection *connection, void **socket_context,
                            enum MHD_ConnectionNotificationCode code)
{
    const ts_exchanges *all = cls;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *socket_context =
            info == NULL ? NULL : ts_connections_add(all->connections, info->connect_fd);
    } else if (*socket_context != NULL) {
        ts_connections_remove(all->connections, *socket_context);
        *socket_context = NULL;
    }
}

void ts_exchange_completed(void *cls, struct MHD_Connection *connection, void **con_cls,
                           enum MHD_RequestTerminationCode code)
{
    exchange *x = *con_cls;
    (void)cls;
    (void)connection;
    (void)code;
    if (x != NULL) {
        exchange_enter(x, TS_PHASE_IDLE);
        exchange_free(x);
        *con_cls = NULL;
    }
}

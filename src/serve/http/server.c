/*
 * Starting and stopping a server: the order is what matters.
 *
 * Start: token, databases, files of the page, then the process that forks others (ts_remote_open),
 * because a process must not be forked from one with threads; only then come the threads of views
 * and WebSockets and the daemon of libmicrohttpd, which has a thread for each connection. The
 * listening socket is made by the caller and belongs to the server, also after a failure.
 *
 * Stop: `stop` is set, which every wait looks at; views are told to end; the daemon takes no more
 * connections, those that are open are shut down, and their threads are joined. Only then are
 * WebSockets, views, processes and databases freed, which they used. Each part can be freed when it
 * was never started.
 */
#include "serve/http/server.h"

#include "base/alloc.h"
#include "serve/http/exchange.h"
#include "serve/http/websocket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SERVER_HOSTS = 64, SERVER_BACKLOG = 256, SERVER_HEADER = 32 * 1024 };

struct ts_server {
    ts_ctx *ctx;
    ts_ctx base; /* copied for each request */
    ts_exchanges exchanges;
    ts_app app;
    ts_connections connections;
    const char *hosts[SERVER_HOSTS];
    char listen_host[80]; /* of --listen, as in URLs */
    struct MHD_Daemon *daemon;
    bool begun; /* locks and the like were made */
};

/* --- the address ----------------------------------------------------------------------------- */

bool ts_server_is_local(const char *listen)
{
    return listen == NULL || strcmp(listen, "localhost") == 0 || strcmp(listen, "::1") == 0 ||
           strncmp(listen, "127.", 4) == 0;
}

static int listen_on(const struct addrinfo *a)
{
    const int one = 1;
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, SERVER_BACKLOG) != 0) {
        int error = errno;
        (void)close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static unsigned port_of(int fd)
{
    struct sockaddr_storage address = {0};
    socklen_t n = sizeof address;
    char text[16] = "0";
    (void)getsockname(fd, (struct sockaddr *)&address, &n);
    (void)getnameinfo((struct sockaddr *)&address, n, NULL, 0, text, sizeof text, NI_NUMERICSERV);
    return (unsigned)strtoul(text, NULL, 10);
}

ts_code ts_server_listen(int *fd, unsigned *port, ts_ctx *ctx, const char *listen)
{
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found = NULL;
    char service[16];
    const char *host = listen == NULL ? "127.0.0.1" : listen;
    (void)snprintf(service, sizeof service, "%u", *port);
    hints.ai_flags |= strcmp(host, "localhost") == 0 ? 0 : AI_NUMERICHOST;
    if (getaddrinfo(host, service, &hints, &found) != 0) {
        return ts_fail(ctx, TS_ERR_USAGE, "bad value for --listen: \"%s\" is not an address", host);
    }
    *fd = listen_on(found);
    int error = errno;
    freeaddrinfo(found);
    if (*fd < 0) {
        return ts_fail(ctx, TS_ERR_OUTPUT,
                       "cannot listen on %s port %u: %s; --port chooses another one, 0 a free one",
                       host, *port, strerror(error));
    }
    *port = port_of(*fd);
    return TS_OK;
}

/* --- starting -------------------------------------------------------------------------------- */

static void server_hosts(ts_server *s, const ts_serve_options *o)
{
    size_t n = 0;
    s->hosts[n++] = "127.0.0.1";
    s->hosts[n++] = "localhost";
    s->hosts[n++] = "[::1]";
    if (o->listen != NULL) {
        bool six = strchr(o->listen, ':') != NULL;
        (void)snprintf(s->listen_host, sizeof s->listen_host, six ? "[%s]" : "%s", o->listen);
        s->hosts[n++] = s->listen_host;
    }
    for (size_t i = 0; i < o->name_count && n < SERVER_HOSTS; i++) {
        s->hosts[n++] = o->names[i];
    }
    s->app.access.hosts = s->hosts;
    s->app.access.host_count = n;
    s->app.access.origins = o->origins;
    s->app.access.origin_count = o->origin_count;
    s->app.access.no_token = o->no_token;
}

static void server_limits(ts_server *s, const ts_serve_options *o)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = cores < 1 ? 1 : cores > 8 ? 8 : (unsigned)cores;
    s->app.limits = (ts_app_limits){
        .query_ns = (int64_t)(o->query_s == 0 ? TS_API_QUERY_S : o->query_s) * 1000000000,
        .max_rows = o->max_rows == 0 ? TS_API_MAX_ROWS : o->max_rows,
        .max_memory = o->max_memory == 0 ? TS_SERVE_MEMORY : o->max_memory,
        .threads = o->threads == 0 ? threads : o->threads,
    };
    (void)sqlite3_hard_heap_limit64((int64_t)s->app.limits.max_memory);
    s->app.questions = o->questions;
    s->app.question_count = o->question_count;
}

static ts_code server_files(ts_server *s, const ts_serve_options *o)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < o->path_count; i++) {
        code = ts_databases_add(&s->app.databases, o->paths[i], o->named[i]);
        if (code != TS_OK) {
            s->ctx->error = s->app.databases.ctx->error;
        }
    }
    TS_STEP_IF(code, o->web != NULL, ts_assets_read(&s->app.page, s->ctx, o->web));
    if (code == TS_OK && o->flare_ui != NULL) {
        s->app.has_flare_ui = true;
        code = ts_assets_read(&s->app.flare_ui, s->ctx, o->flare_ui);
    }
    return code;
}

static ts_code server_daemon(ts_server *s, int fd)
{
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
                     MHD_USE_POLL | MHD_ALLOW_UPGRADE | MHD_USE_ITC;
    s->daemon = MHD_start_daemon(flags, 0, NULL, NULL, ts_exchange_handle, &s->exchanges,
                                 MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                                 (size_t)SERVER_HEADER, MHD_OPTION_CONNECTION_LIMIT,
                                 (unsigned)TS_CONNECTIONS_OPEN, MHD_OPTION_NOTIFY_CONNECTION,
                                 ts_exchange_connection, &s->exchanges, MHD_OPTION_NOTIFY_COMPLETED,
                                 ts_exchange_completed, &s->exchanges, MHD_OPTION_END);
    return s->daemon != NULL
               ? TS_OK
               : ts_fail(s->ctx, TS_ERR_INTERNAL, "cannot start the server: %s", strerror(errno));
}

ts_code ts_server_start(ts_server **out, ts_ctx *ctx, const ts_serve_options *options, int fd,
                        unsigned port)
{
    *out = NULL;
    ts_server *s = ts_zalloc(ctx, 1, sizeof *s);
    if (s == NULL) {
        (void)close(fd);
        return ctx->error.code;
    }
    s->ctx = ctx;
    s->base = *ctx;
    s->base.limits.max_memory = 0; /* one request's memory says nothing about the server's */
    s->base.cancel = NULL;
    s->app.base = &s->base;
    s->app.access.port = port;
    server_hosts(s, options);
    server_limits(s, options);
    ts_slots_init(&s->app.slots, s->app.limits.threads);
    ts_connections_init(&s->connections);
    s->exchanges = (ts_exchanges){&s->app, &s->connections, NULL};
    ts_code code = ts_access_make_token(&s->app.access, ctx);
    TS_STEP(code, ts_databases_init(&s->app.databases, &s->base));
    s->app.databases.derived = options->derived;
    TS_STEP(code, server_files(s, options));
    TS_STEP(code, ts_databases_sampled(&s->app.databases, options->samplings));
    if (code == TS_OK) { /* before there are threads */
        code = ts_remote_open(&s->app.remote, ctx, &s->app, fd);
    }
    TS_STEP(code, ts_view_jobs_open(&s->app.views, &s->base, &s->app.databases, &s->app.slots,
                                    s->app.remote, s->app.limits.max_memory));
    if (code == TS_OK) {
        const ts_sockets_options sockets = {.databases = &s->app.databases,
                                            .samples = options->samples,
                                            .open_directory = options->open_directory};
        code = ts_sockets_open(&s->exchanges.sockets, &s->base, &sockets);
    }
    TS_STEP(code, server_daemon(s, fd));
    if (code != TS_OK && ctx->error.count == 0) { /* in a context of the part that failed */
        (void)ts_fail(ctx, code, "%s",
                      code == TS_ERR_NOMEM ? "out of memory" : "cannot start the server");
    }
    if (code != TS_OK) {
        (void)close(fd);
        ts_server_stop(s);
        return code;
    }
    *out = s;
    return TS_OK;
}

ts_code ts_server_url(ts_buf *out, ts_ctx *ctx, const ts_server *server)
{
    const ts_access *a = &server->app.access;
    const char *host = server->listen_host[0] == '\0' ? "127.0.0.1" : server->listen_host;
    return ts_buf_printf(ctx, out, "http://%s:%u/%s%s", host, a->port,
                         a->no_token ? "" : "?token=", a->no_token ? "" : a->token);
}

bool ts_server_has_page(const ts_server *server)
{
    return ts_assets_find(&server->app.page, TS_TEXT_LIT("index.html")) != NULL;
}

/* --- running and stopping -------------------------------------------------------------------- */

void ts_server_watch(ts_server *server)
{
    (void)ts_connections_watch(&server->connections, ts_guard_now());
    ts_remote_watch(server->app.remote);
}

void ts_server_stop(ts_server *server)
{
    if (server == NULL) {
        return;
    }
    atomic_store(&server->app.stop, true);
    ts_view_jobs_stop(server->app.views);
    if (server->daemon != NULL) {
        int listener = MHD_quiesce_daemon(server->daemon); /* which is ours again */
        if (listener >= 0) {
            (void)shutdown(listener, SHUT_RDWR);
        }
        ts_connections_shut(&server->connections);
        MHD_stop_daemon(server->daemon);
        if (listener >= 0) {
            (void)close(listener);
        }
    }
    ts_sockets_close(server->exchanges.sockets);
    ts_view_jobs_close(server->app.views);
    ts_remote_close(server->app.remote);
    ts_databases_free(&server->app.databases);
    ts_assets_free(&server->app.page);
    ts_assets_free(&server->app.flare_ui);
    ts_slots_free(&server->app.slots);
    ts_connections_free(&server->connections);
    ts_free(server->ctx, server);
}

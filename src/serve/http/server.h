/* The server: an address, databases, and threads that answer (docs/serve.md). */
#ifndef TS_SERVE_SERVER_H
#define TS_SERVE_SERVER_H

#include "serve/api/app.h"
#include "serve/http/websocket.h"

enum { TS_SERVE_PORT = 3891 };
#define TS_SERVE_MEMORY (UINT64_C(1024) * 1024 * 1024)

/* Texts and arrays are borrowed for the life of the server. */
typedef struct ts_serve_options {
    const char *const *paths; /* of databases */
    const char *const *named; /* paths whose last parts are their names: those of recordings */
    size_t path_count;
    const char *listen; /* address; NULL: 127.0.0.1 */
    bool no_token;
    const char *const *origins; /* of --allow-origin, valid ones */
    size_t origin_count;
    const char *const *names; /* of --allow-host */
    size_t name_count;
    const char *flare_ui; /* directories, or NULL */
    const char *web;
    const char *samples;
    ts_open_directory open_directory; /* for the directories in `samples` */
    uint64_t query_s;                 /* 0: the default, as in the following */
    uint64_t max_rows;
    uint64_t max_memory;
    unsigned threads;
    ts_samplings *samplings;   /* Java VMs that are sampled; NULL: none */
    const ts_derived *derived; /* copies with more rows; NULL: none */
    const ts_serve_question *questions;
    size_t question_count;
} ts_serve_options;

typedef struct ts_server ts_server;

/*
 * Takes an address: *fd listens there, *port is what was asked for or, for 0, a free one. listen
 * NULL: 127.0.0.1. TS_ERR_OUTPUT when it is not available, TS_ERR_USAGE when it is no address.
 */
ts_code ts_server_listen(int *fd, unsigned *port, ts_ctx *ctx, const char *listen);

/* Whether the address is reached from this machine only. */
bool ts_server_is_local(const char *listen);

/*
 * Starts serving on a listening descriptor, which it takes over. ctx is copied for each request;
 * its logger is called by several threads. TS_ERR_INPUT for a directory that cannot be read. The
 * caller ends it with ts_server_stop.
 */
ts_code ts_server_start(ts_server **out, ts_ctx *ctx, const ts_serve_options *options, int fd,
                        unsigned port);

/* The address of the page, with the token. */
ts_code ts_server_url(ts_buf *out, ts_ctx *ctx, const ts_server *server);

/* Looks after slow clients; to be called ten times in a second. */
void ts_server_watch(ts_server *server);

/* Ends queries and connections, closes WebSockets with 1001, and frees the server. NULL is allowed.
 */
void ts_server_stop(ts_server *server);

/* Whether there are files of a page. */
bool ts_server_has_page(const ts_server *server);

#endif

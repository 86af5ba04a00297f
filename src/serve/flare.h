/*
 * The protocol of the Flare profiler's UI over the tables of databases: a request
 * is a text of JSON, each reply another; what carries them is not known here. Sessions belong to
 * the server, not to a connection.
 */
#ifndef TS_SERVE_FLARE_H
#define TS_SERVE_FLARE_H

#include "base/context.h"

#include <sqlite3.h>

/* How databases are opened and sample directories converted, which this layer does not know. */
typedef struct ts_flare_hooks {
    void *user;
    /* Opens database number `database` read-only. The connection is used by one thread at a time.
     * ctx is the caller's, whose error says why not. */
    ts_code (*open_database)(sqlite3 **db, void *user, ts_ctx *ctx, unsigned database);
    /* Converts a sample directory into a temporary database and opens that; NULL: not supported.
     * TS_ERR_FORMAT when the directory holds nothing of a sample. */
    ts_code (*open_directory)(sqlite3 **db, void *user, ts_ctx *ctx, const char *path);
    /* Closes what one of both opened. */
    void (*close)(void *user, sqlite3 *db);
} ts_flare_hooks;

typedef struct ts_flare_hub_options {
    ts_flare_hooks hooks;
    unsigned databases;
    const char *samples; /* the directory of sample directories; NULL: none; copied */
    bool attach;         /* attach_jvm may sample processes and write below `samples` */
} ts_flare_hub_options;

typedef struct ts_flare_hub ts_flare_hub;

/* Sessions get contexts of their own with the allocator, system calls and limits of ctx, which must
 * outlive it. Caller frees with ts_flare_hub_free when no request runs any more; that ends the
 * sampling of Java VMs. */
ts_code ts_flare_hub_new(ts_flare_hub **out, ts_ctx *ctx, const ts_flare_hub_options *options);
void ts_flare_hub_free(ts_flare_hub *flare);

/* One reply. Anything but TS_OK ends the request: the client has gone, or the server stops. */
typedef ts_code (*ts_flare_reply)(void *user, const char *text, size_t n);

/*
 * Answers one request; failures of the protocol are replies too. ctx is that of the caller's
 * thread; requests of several threads may run at once. Returns what `reply` returned, or TS_OK;
 * when not even the failure could be written, TS_ERR_NOMEM or TS_ERR_LIMIT.
 */
ts_code ts_flare_hub_handle(ts_flare_hub *flare, ts_ctx *ctx, const char *text, size_t n,
                            ts_flare_reply reply, void *user);

#endif

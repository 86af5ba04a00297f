/*
 * The protocol of the Flare profiler's UI (docs/flare.md) over the tables of databases: a request
 * is a text of JSON, each reply another; what carries them is not known here. Sessions belong to
 * the server, not to a connection.
 */
#ifndef TS_SERVE_FLARE_H
#define TS_SERVE_FLARE_H

#include "serve/api/sandbox.h"

/* How databases are opened and sample directories converted, which this layer does not know. What
 * they open is closed with ts_sandbox_close, also after a failure; ctx, whose error says why,
 * outlives it. */
typedef struct ts_flare_hooks {
    void *user;
    /* Opens database number `database`. */
    ts_code (*open_database)(ts_sandbox *out, void *user, ts_ctx *ctx, unsigned database);
    /* Converts a sample directory into a temporary database and opens that; NULL: not supported.
     * TS_ERR_FORMAT when the directory holds nothing of a sample. */
    ts_code (*open_directory)(ts_sandbox *out, void *user, ts_ctx *ctx, const char *path);
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
 * thread; requests of several threads may run at once. guard ends statements early; NULL: nothing
 * does. Returns what `reply` returned, or TS_OK; when not even the failure could be written,
 * TS_ERR_NOMEM or TS_ERR_LIMIT.
 */
ts_code ts_flare_hub_handle(ts_flare_hub *flare, ts_ctx *ctx, ts_guard *guard, const char *text,
                            size_t n, ts_flare_reply reply, void *user);

#endif

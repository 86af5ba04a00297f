/*
 * Requests to a server of ClickHouse by HTTP (libcurl, the only user of it). One connection, which
 * is kept. Redirects are not followed, answers are taken as they come (never unpacked) and only up
 * to a length; the environment's proxies are used.
 */
#ifndef TS_FLEET_HTTP_H
#define TS_FLEET_HTTP_H

#include "base/buf.h"
#include "fleet/address.h"

typedef struct ts_http ts_http;

typedef enum ts_http_end {
    TS_HTTP_ANSWERED, /* `status` is what the server said */
    TS_HTTP_UNSENT,   /* no connection: the server has seen nothing */
    TS_HTTP_LOST      /* no whole answer: the server may have done what was asked */
} ts_http_end;

typedef struct ts_http_answer {
    ts_http_end end;
    char why[256];      /* of those that are not ANSWERED */
    long status;        /* of HTTP */
    long retry_after;   /* seconds; -1: not said */
    char location[256]; /* of a redirect */
    ts_buf body;        /* there is a zero byte after it */
} ts_http_answer;

/* The address is borrowed; credentials are copied. Caller frees with ts_http_close. */
ts_code ts_http_open(ts_http **out, ts_ctx *ctx, const ts_address *address,
                     const ts_credentials *credentials, uint64_t timeout_s);
void ts_http_close(ts_http *http);

/* What is asked for. */
typedef struct ts_http_request {
    const char *parameters[12]; /* name, value, ...; NULL ends them */
    ts_text body;
    bool zipped;      /* with gzip */
    bool once;        /* libcurl must not send it again by itself, see ts_http_post */
    uint64_t longest; /* bytes of the answer */
} ts_http_request;

/*
 * Posts it. On a connection that was used before, libcurl sends a request again by itself when that
 * connection breaks without an answer, whatever the server has done: `once` takes a new one. TS_OK
 * whatever the end is; the caller frees answer->body, whose memory is used again. TS_ERR_LIMIT for
 * an answer that is too long, TS_ERR_INTERRUPTED after a signal, TS_ERR_NOMEM.
 */
ts_code ts_http_post(ts_http *http, ts_http_answer *answer, const ts_http_request *request);

#endif

/*
 * What a request says, and whether it may be answered: Host, Origin, Sec-Fetch-Site, token, methods
 * (docs/serve.md, "Security"). No function here knows HTTP's wire form or a socket.
 */
#ifndef TS_SERVE_REQUEST_H
#define TS_SERVE_REQUEST_H

#include "base/buf.h"

#include <stdatomic.h>

/* A parameter of the URL, decoded. */
typedef struct ts_arg {
    const char *name;
    ts_text value;
} ts_arg;

enum { TS_REQUEST_ARGS = 64 };

/* A request; texts are borrowed, p NULL: no such header. */
typedef struct ts_request {
    ts_text method;
    ts_text path; /* decoded, without parameters */
    unsigned host_count;
    unsigned origin_count;
    unsigned length_count; /* Content-Length and Transfer-Encoding: what says where it ends */
    ts_text host;
    ts_text origin;
    ts_text fetch_site; /* Sec-Fetch-Site */
    ts_text fetch_mode; /* Sec-Fetch-Mode */
    ts_text authorization;
    ts_text cookie;
    ts_text content_type;
    ts_text if_none_match;
    ts_text accept_encoding;
    ts_text upgrade;
    ts_text connection;
    ts_text socket_key;       /* Sec-WebSocket-Key */
    ts_text socket_version;   /* Sec-WebSocket-Version */
    ts_text socket_protocols; /* Sec-WebSocket-Protocol */
    const ts_arg *args;
    size_t arg_count;
    ts_text body;
    int client; /* descriptor of the connection, only to see that it is gone; -1: none */
} ts_request;

/* --- request_texts.c ------------------------------------------------------------------------- */

/* The value of a parameter; p NULL when it is not there. */
ts_text ts_request_arg(const ts_request *r, const char *name);

/* Whether it is this text, in either case. */
bool ts_text_is_case(ts_text t, const char *s);

/* Takes an element off a list, without blanks around it; false at the end. */
bool ts_list_next(ts_text *item, ts_text *rest, char separator);

/* Whether a list of tokens with commas between them has the token, in either case. */
bool ts_token_in(ts_text list, const char *token);

/* --- request.c ------------------------------------------------------------------------------- */

enum { TS_TOKEN_LENGTH = 22, TS_TOKEN_PATIENCE = 5 };

/* Who may ask. Texts are borrowed. */
typedef struct ts_access {
    unsigned port;
    const char *const *hosts; /* names and addresses that the server is known by, without a port */
    size_t host_count;
    const char *const *origins; /* of --allow-origin */
    size_t origin_count;
    bool no_token;
    char token[TS_TOKEN_LENGTH + 1];
    atomic_uint wrong; /* tokens that were wrong */
} ts_access;

/* Fills in a random token. TS_ERR_INTERNAL when the system has no random bytes. */
ts_code ts_access_make_token(ts_access *a, ts_ctx *ctx);

/* Whether a text of --allow-origin is one: scheme://host[:port], with * as the port of loopback
 * hosts. */
bool ts_origin_valid(const char *origin);

/* Why a request is not answered; status 0: it is. Texts are static. */
typedef struct ts_verdict {
    int status;
    const char *code;
    const char *message;
    bool wrong_token; /* one was given, and it is not right */
} ts_verdict;

/* Checks everything that does not depend on the path's meaning, in the order Host, Origin,
 * Sec-Fetch-Site, token. `OPTIONS` of an allowed origin passes without a token. */
ts_verdict ts_access_check(ts_access *a, const ts_request *r);

/* Whether the Origin is one of --allow-origin, so that the reply names it. */
bool ts_access_foreign(const ts_access *a, const ts_request *r);

/* Whether the parameter token of a request for "/" is right: it then gets the cookie. */
bool ts_access_token_is(const ts_access *a, ts_text token);

/* A navigation that a page of another site began: SameSite cookies do not come with it. */
bool ts_request_from_elsewhere(const ts_request *r);

#endif

/*
 * Whether a request may be answered, from its header alone: the checks of docs/serve.md,
 * "Security".
 *
 * 1. Exactly one Host, which is ours with our port: a foreign name that points to this machine (DNS
 *    rebinding) is 421.
 * 2. At most one Origin, which is ours or allowed. Without a foreign one, Sec-Fetch-Site must not
 *    name another site, unless the request is a navigation to "/". Everything else is 403.
 * 3. OPTIONS is answered for allowed origins only, and needs no token.
 * 4. The token: of the header Authorization, else of our cookie, else, for "/" only, of the
 *    address. An upgrade without an Origin does not count the cookie. Else 401.
 *
 * Tokens are compared in a time that does not depend on where they differ, and wrong ones are
 * counted. Texts are borrowed from the request; names are compared without regard to case.
 */
#include "serve/http/request.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

/* --- texts ----------------------------------------------------------------------------------- */

static bool text_begins(ts_text t, const char *s)
{
    size_t n = strlen(s);
    return t.p != NULL && t.n >= n && strncasecmp(t.p, s, n) == 0;
}

/* --- hosts and origins ----------------------------------------------------------------------- */

/* Splits "name:port"; the port is 80 when there is none. False: no such text. */
static bool split_host(ts_text *name, unsigned *port, ts_text host)
{
    size_t at = host.n;
    *port = 80;
    while (at > 0 && host.p[at - 1] >= '0' && host.p[at - 1] <= '9') {
        at--;
    }
    if (at > 0 && at < host.n && host.p[at - 1] == ':') {
        unsigned n = 0;
        for (size_t i = at; i < host.n && n <= UINT16_MAX; i++) {
            n = n * 10 + (unsigned)(host.p[i] - '0');
        }
        *port = n;
        host.n = at - 1;
    }
    *name = host;
    return host.n > 0 && *port > 0 && *port <= UINT16_MAX;
}

static bool is_ours(const ts_access *a, ts_text host)
{
    ts_text name;
    unsigned port;
    if (host.p == NULL || !split_host(&name, &port, host) || port != a->port) {
        return false;
    }
    for (size_t i = 0; i < a->host_count; i++) {
        if (ts_text_is_case(name, a->hosts[i])) {
            return true;
        }
    }
    return false;
}

static bool is_loopback(ts_text name)
{
    return ts_text_is_case(name, "127.0.0.1") || ts_text_is_case(name, "localhost") ||
           ts_text_is_case(name, "[::1]");
}

/* The host of "http://host[:port]" in *host; false: another scheme, or more than that. */
static bool origin_host(ts_text *host, ts_text origin)
{
    static const char scheme[] = "http://";
    if (!text_begins(origin, scheme)) {
        return false;
    }
    *host = (ts_text){origin.p + sizeof scheme - 1, origin.n - (sizeof scheme - 1)};
    return host->n > 0 && memchr(host->p, '/', host->n) == NULL;
}

/* *stem: what is in front of the port of "http://127.0.0.1:*", with the colon. */
static bool open_port(ts_text *stem, const char *allowed)
{
    size_t n = strlen(allowed);
    ts_text host;
    *stem = (ts_text){allowed, n - (n > 0 ? 1 : 0)};
    if (n < 3 || strcmp(allowed + n - 2, ":*") != 0 ||
        !origin_host(&host, (ts_text){allowed, n - 2})) {
        return false;
    }
    return is_loopback(host);
}

bool ts_origin_valid(const char *origin)
{
    ts_text stem;
    const char *host = strstr(origin, "://");
    if (open_port(&stem, origin)) {
        return true;
    }
    return host != NULL && host > origin && host[3] != '\0' && strpbrk(host + 3, "/*? ") == NULL;
}

static bool origin_allowed(const char *allowed, ts_text origin)
{
    ts_text stem;
    if (!open_port(&stem, allowed)) {
        return ts_text_is_case(origin, allowed);
    }
    if (origin.n <= stem.n || strncasecmp(origin.p, stem.p, stem.n) != 0) {
        return false;
    }
    for (size_t i = stem.n; i < origin.n; i++) {
        if (origin.p[i] < '0' || origin.p[i] > '9') {
            return false;
        }
    }
    return origin.n - stem.n <= 5;
}

bool ts_access_foreign(const ts_access *a, const ts_request *r)
{
    for (size_t i = 0; i < a->origin_count && r->origin.p != NULL; i++) {
        if (origin_allowed(a->origins[i], r->origin)) {
            return true;
        }
    }
    return false;
}

static bool own_origin(const ts_access *a, ts_text origin)
{
    ts_text host;
    return origin_host(&host, origin) && is_ours(a, host);
}

bool ts_request_from_elsewhere(const ts_request *r)
{
    return ts_text_is_case(r->fetch_site, "cross-site") ||
           ts_text_is_case(r->fetch_site, "same-site");
}

/* Sec-Fetch-Site of a request without an Origin, or with ours. */
static bool site_allowed(const ts_request *r)
{
    if (r->fetch_site.p == NULL || ts_text_is_case(r->fetch_site, "same-origin") ||
        ts_text_is_case(r->fetch_site, "none")) {
        return true;
    }
    return ts_request_from_elsewhere(r) && ts_text_is_case(r->fetch_mode, "navigate") &&
           ts_text_is(r->path, "/") && ts_text_is(r->method, "GET") && r->upgrade.p == NULL;
}

/* --- tokens ---------------------------------------------------------------------------------- */

ts_code ts_access_make_token(ts_access *a, ts_ctx *ctx)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char bytes[18] = {0};
    if (getrandom(bytes, 16, 0) != 16) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "cannot read random bytes: %s", strerror(errno));
    }
    for (unsigned i = 0; i < TS_TOKEN_LENGTH; i++) {
        unsigned bit = i * 6;
        unsigned pair = (unsigned)bytes[bit / 8] << 8 | bytes[bit / 8 + 1];
        a->token[i] = alphabet[pair >> (10 - bit % 8) & 63];
    }
    a->token[TS_TOKEN_LENGTH] = '\0';
    return TS_OK;
}

bool ts_access_token_is(const ts_access *a, ts_text token)
{
    unsigned different = 0;
    if (token.p == NULL || token.n != TS_TOKEN_LENGTH) {
        return false;
    }
    /* In a time that does not depend on the place of the first difference. */
    for (size_t i = 0; i < TS_TOKEN_LENGTH; i++) {
        different |= (unsigned)(unsigned char)token.p[i] ^ (unsigned char)a->token[i];
    }
    return different == 0;
}

/* The value of our cookie; p NULL: none. Other servers on this host have cookies of their own. */
static ts_text own_cookie(const ts_access *a, ts_text cookies)
{
    char name[16];
    ts_text item;
    int n = snprintf(name, sizeof name, "ts_%u=", a->port);
    while (ts_list_next(&item, &cookies, ';')) {
        if (item.n > (size_t)n && memcmp(item.p, name, (size_t)n) == 0) {
            return (ts_text){item.p + n, item.n - (size_t)n};
        }
    }
    return TS_TEXT_NULL;
}

static ts_text bearer(const ts_request *r)
{
    static const char scheme[] = "Bearer ";
    if (!text_begins(r->authorization, scheme)) {
        return TS_TEXT_NULL;
    }
    return (ts_text){r->authorization.p + sizeof scheme - 1,
                     r->authorization.n - (sizeof scheme - 1)};
}

static ts_verdict check_token(ts_access *a, const ts_request *r)
{
    ts_text given = bearer(r);
    if (a->no_token) {
        return (ts_verdict){0};
    }
    if (given.p == NULL && (r->upgrade.p == NULL || r->origin.p != NULL)) {
        given = own_cookie(a, r->cookie);
    }
    if (given.p == NULL && ts_text_is(r->path, "/")) {
        given = ts_request_arg(r, "token");
    }
    if (ts_access_token_is(a, given)) {
        return (ts_verdict){0};
    }
    return (ts_verdict){.status = 401,
                        .code = "token",
                        .message = "the token is missing or wrong: open the address that "
                                   "trace_streamer serve has printed",
                        .wrong_token = given.p != NULL};
}

/* --- all of it ------------------------------------------------------------------------------- */

ts_verdict ts_access_check(ts_access *a, const ts_request *r)
{
    static const ts_verdict host = {
        .status = 421, .code = "host", .message = "the server is not known by this name"};
    static const ts_verdict origin = {
        .status = 403, .code = "origin", .message = "pages of this origin may not ask here"};
    if (r->host_count != 1 || !is_ours(a, r->host)) {
        return host;
    }
    bool foreign = ts_access_foreign(a, r);
    if (r->origin_count > 1 || (r->origin_count == 1 && !foreign && !own_origin(a, r->origin)) ||
        (!foreign && !site_allowed(r))) {
        return origin;
    }
    if (ts_text_is(r->method, "OPTIONS") && !foreign) {
        return origin;
    }
    if (ts_text_is(r->method, "OPTIONS")) {
        return (ts_verdict){0};
    }
    ts_verdict v = check_token(a, r);
    if (v.wrong_token) {
        (void)atomic_fetch_add(&a->wrong, 1);
    }
    return v;
}

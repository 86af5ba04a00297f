#include "fleet/http.h"

#include "base/alloc.h"
#include "fleet/curl_functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { CONNECT_SECONDS = 10 };

struct ts_http {
    ts_ctx *ctx;
    const ts_address *address;
    ts_curl lib;
    CURL *curl;
    struct curl_slist *plain;  /* headers */
    struct curl_slist *zipped; /* with Content-Encoding */
    char error[CURL_ERROR_SIZE];
    ts_http_answer *answer; /* of the request that runs */
    uint64_t longest;
    ts_code code; /* why we ended it */
};

/* --- what curl calls -------------------------------------------------------------------------- */

static size_t take_body(char *p, size_t size, size_t n, void *user)
{
    ts_http *h = user;
    n *= size;
    if (h->answer->body.n + n > h->longest) {
        h->code = ts_fail(h->ctx, TS_ERR_LIMIT,
                          "the server's answer is longer than %" PRIu64 " bytes", h->longest);
    } else {
        h->code = ts_buf_put(h->ctx, &h->answer->body, p, n);
    }
    return h->code == TS_OK ? n : 0;
}

/* The value of a header line of that name, or no text. */
static bool header_value(ts_text *value, ts_text line, const char *name)
{
    const size_t n = strlen(name);
    if (line.n <= n || strncasecmp(line.p, name, n) != 0 || line.p[n] != ':') {
        return false;
    }
    *value = (ts_text){line.p + n + 1, line.n - n - 1};
    while (value->n > 0 && (value->p[0] == ' ' || value->p[0] == '\t')) {
        value->p++;
        value->n--;
    }
    while (value->n > 0 && strchr("\r\n \t", value->p[value->n - 1]) != NULL) {
        value->n--;
    }
    return true;
}

/* Seconds only: a date is taken for "not said". */
static long seconds_of(ts_text t)
{
    long seconds = 0;
    for (size_t i = 0; i < t.n; i++) {
        if (t.p[i] < '0' || t.p[i] > '9' || i >= 6) {
            return -1;
        }
        seconds = seconds * 10 + (t.p[i] - '0');
    }
    return t.n == 0 ? -1 : seconds;
}

static size_t take_header(char *p, size_t size, size_t n, void *user)
{
    ts_http *h = user;
    ts_text value;
    const ts_text line = {p, size * n};
    if (header_value(&value, line, "Retry-After")) {
        h->answer->retry_after = seconds_of(value);
    } else if (header_value(&value, line, "Location")) {
        (void)snprintf(h->answer->location, sizeof h->answer->location, "%.*s",
                       value.n > 200 ? 200 : (int)value.n, value.p);
    }
    return size * n;
}

static int look_at_signal(void *user, curl_off_t total_down, curl_off_t down, curl_off_t total_up,
                          curl_off_t up)
{
    ts_http *h = user;
    (void)total_down;
    (void)down;
    (void)total_up;
    (void)up;
    h->code = h->code != TS_OK ? h->code : ts_check_cancel(h->ctx);
    return h->code == TS_OK ? 0 : 1;
}

/* --- one server ------------------------------------------------------------------------------- */

static ts_code add_line(ts_http *h, struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = h->lib.slist_append(*list, line);
    if (longer == NULL) {
        return ts_fail(h->ctx, TS_ERR_NOMEM, "out of memory for a request");
    }
    *list = longer;
    return TS_OK;
}

static ts_code add_secret(ts_http *h, struct curl_slist **list, const char *name, const char *value)
{
    char line[2 * TS_FLEET_SECRET];
    if (value[0] == '\0') {
        return TS_OK;
    }
    (void)snprintf(line, sizeof line, "%s: %s", name, value);
    ts_code code = add_line(h, list, line);
    explicit_bzero(line, sizeof line);
    return code;
}

static ts_code add_headers(ts_http *h, struct curl_slist **list, const ts_credentials *who)
{
    TS_TRY(add_line(h, list, "Content-Type: application/octet-stream"));
    TS_TRY(add_line(h, list, "Expect:")); /* no header of that name */
    TS_TRY(add_secret(h, list, "X-ClickHouse-User", who->user));
    return add_secret(h, list, "X-ClickHouse-Key", who->password);
}

static bool set_options(ts_http *h, uint64_t timeout_s)
{
    CURLcode rc = CURLE_OK;
#define SET(option, value) rc = rc == CURLE_OK ? h->lib.easy_setopt(h->curl, option, value) : rc
#if LIBCURL_VERSION_NUM >= 0x075500
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
#else
    SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_POST, 1L);
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    SET(CURLOPT_TIMEOUT, (long)timeout_s);
    SET(CURLOPT_ERRORBUFFER, h->error);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, h);
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, h);
    SET(CURLOPT_NOPROGRESS, 0L);
    SET(CURLOPT_XFERINFOFUNCTION, look_at_signal);
    SET(CURLOPT_XFERINFODATA, h);
#undef SET
    return rc == CURLE_OK;
}

ts_code ts_http_open(ts_http **out, ts_ctx *ctx, const ts_address *address,
                     const ts_credentials *credentials, uint64_t timeout_s)
{
    ts_http *h = ts_zalloc(ctx, 1, sizeof *h);
    *out = NULL;
    TS_NEED(ctx, h);
    h->ctx = ctx;
    h->address = address;
    ts_code code = ts_curl_load(&h->lib, ctx);
    if (code != TS_OK) {
        ts_free(ctx, h);
        return code;
    }
    h->curl = h->lib.easy_init();
    if (h->curl == NULL || !set_options(h, timeout_s)) {
        code = ts_fail(ctx, TS_ERR_INTERNAL, "libcurl does not start");
    }
    TS_STEP(code, add_headers(h, &h->plain, credentials));
    TS_STEP(code, add_headers(h, &h->zipped, credentials));
    TS_STEP(code, add_line(h, &h->zipped, "Content-Encoding: gzip"));
    if (code != TS_OK) {
        ts_http_close(h);
        return code;
    }
    *out = h;
    return TS_OK;
}

void ts_http_close(ts_http *h)
{
    if (h != NULL) {
        h->lib.slist_free_all(h->plain);
        h->lib.slist_free_all(h->zipped);
        h->lib.easy_cleanup(h->curl);
        ts_free(h->ctx, h);
    }
}

/* --- one request ------------------------------------------------------------------------------ */

static ts_code put_url(ts_buf *out, const ts_http *h, const ts_http_request *r)
{
    ts_code code = ts_buf_printf(h->ctx, out, "%s", h->address->base);
    for (size_t i = 0; code == TS_OK && r->parameters[i] != NULL; i += 2) {
        char *value = h->lib.easy_escape(h->curl, r->parameters[i + 1], 0);
        code = value == NULL ? ts_fail(h->ctx, TS_ERR_NOMEM, "out of memory for a request")
                             : ts_buf_printf(h->ctx, out, "%c%s=%s", i == 0 ? '?' : '&',
                                             r->parameters[i], value);
        h->lib.free(value);
    }
    TS_STEP(code, ts_buf_putc(h->ctx, out, '\0'));
    return code;
}

/* What a failure says about the server: whether it can have seen the request. */
static ts_http_end end_of(CURLcode rc)
{
    return rc == CURLE_OK ? TS_HTTP_ANSWERED
           : rc == CURLE_COULDNT_CONNECT || rc == CURLE_COULDNT_RESOLVE_HOST ||
                   rc == CURLE_COULDNT_RESOLVE_PROXY || rc == CURLE_SSL_CONNECT_ERROR ||
                   rc == CURLE_PEER_FAILED_VERIFICATION
               ? TS_HTTP_UNSENT
               : TS_HTTP_LOST;
}

ts_code ts_http_post(ts_http *h, ts_http_answer *answer, const ts_http_request *r)
{
    ts_buf url = {0};
    answer->status = 0;
    answer->retry_after = -1;
    answer->location[0] = '\0';
    answer->body.n = 0;
    h->answer = answer;
    h->longest = r->longest;
    h->error[0] = '\0';
    h->code = put_url(&url, h, r);
    CURLcode rc = CURLE_OK;
    if (h->code == TS_OK) {
        rc = h->lib.easy_setopt(h->curl, CURLOPT_URL, url.p);
        rc = rc != CURLE_OK ? rc : h->lib.easy_setopt(h->curl, CURLOPT_POSTFIELDS, r->body.p);
        rc = rc != CURLE_OK
                 ? rc
                 : h->lib.easy_setopt(h->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n);
        rc = rc != CURLE_OK ? rc
                            : h->lib.easy_setopt(h->curl, CURLOPT_HTTPHEADER,
                                                 r->zipped ? h->zipped : h->plain);
        rc = rc != CURLE_OK ? rc
                            : h->lib.easy_setopt(h->curl, CURLOPT_FRESH_CONNECT, r->once ? 1L : 0L);
        rc = rc != CURLE_OK ? rc : h->lib.easy_perform(h->curl);
    }
    ts_buf_free(h->ctx, &url);
    if (h->code != TS_OK) {
        return h->code;
    }
    if (rc == CURLE_OUT_OF_MEMORY) {
        return ts_fail(h->ctx, TS_ERR_NOMEM, "out of memory for a request");
    }
    answer->end = end_of(rc);
    (void)snprintf(answer->why, sizeof answer->why, "%s",
                   h->error[0] != '\0' ? h->error : h->lib.easy_strerror(rc));
    (void)h->lib.easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &answer->status);
    TS_TRY(ts_buf_putc(h->ctx, &answer->body, '\0'));
    answer->body.n--;
    return TS_OK;
}

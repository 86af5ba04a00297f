#include "serve/api/app.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>

enum { APP_GET = 1, APP_POST = 2 };

/* All paths that are no files; an end in "/" stands for everything below it. */
static const struct {
    const char *path;
    unsigned methods;
    ts_route_run *run;
} routes[] = {
    {"/api/info", APP_GET, ts_api_info},           {"/api/schema", APP_GET, ts_api_schema},
    {"/api/questions", APP_GET, ts_api_questions}, {"/api/query", APP_GET | APP_POST, ts_api_query},
    {"/api/export", APP_GET, ts_api_export},       {"/api/jvms", APP_GET, ts_api_jvms},
    {"/api/sample", APP_POST, ts_api_sample},
};

/* --- what routes share ----------------------------------------------------------------------- */

bool ts_app_database(size_t *number, ts_reply *reply, ts_app *app, ts_ctx *ctx, ts_text name)
{
    if (ts_databases_find(number, &app->databases, name)) {
        return true;
    }
    (void)ts_reply_error(reply, ctx, 404, "not_found", "there is no such database", -1);
    return false;
}

static const struct {
    int status;
    const char *code;
} of_state[] = {
    [TS_DATABASE_OK] = {500, "internal"},
    [TS_DATABASE_GONE] = {410, "gone"},
    [TS_DATABASE_DAMAGED] = {500, "damaged"},
    [TS_DATABASE_BUSY] = {409, "busy_file"},
};

bool ts_app_lease(ts_lease **lease, ts_reply *reply, ts_app *app, ts_ctx *ctx, size_t number)
{
    char message[TS_ERROR_TEXT];
    ts_database_state state;
    ts_code code = ts_database_take(lease, &state, &app->databases, ctx, number);
    if (code == TS_OK) {
        return true;
    }
    (void)snprintf(message, sizeof message, "%s", ctx->error.causes[0]);
    if (state == TS_DATABASE_OK) {
        (void)ts_reply_failure(reply, ctx);
    } else {
        (void)ts_reply_error(reply, ctx, of_state[state].status, of_state[state].code, message, -1);
    }
    return false;
}

ts_code ts_app_sqlite(ts_reply *reply, ts_sandbox *s, int rc, long offset)
{
    char message[TS_ERROR_TEXT];
    ts_database_state state = ts_database_state_of(rc);
    ts_code code = ts_sandbox_fail(s, rc);
    (void)snprintf(message, sizeof message, "%s", s->ctx->error.causes[0]);
    if (s->denied || (rc & 0xff) == SQLITE_READONLY) {
        return ts_reply_error(reply, s->ctx, 403, "read_only",
                              "statements that change, attach or load are refused", offset);
    }
    if (state != TS_DATABASE_OK) {
        return ts_reply_error(reply, s->ctx, of_state[state].status, of_state[state].code, message,
                              -1);
    }
    if (code == TS_ERR_USAGE) {
        return ts_reply_error(reply, s->ctx, 400, "sql", message, offset);
    }
    return ts_reply_failure(reply, s->ctx);
}

static void hash_text(ts_hash *h, ts_text t)
{
    ts_hash_bytes(h, t.p == NULL ? "" : t.p, t.n);
}

void ts_app_etag(char out[40], const ts_app *app, const ts_identity *identity, const ts_request *r)
{
    ts_hash h = ts_hash_begin(&app->base->hash_key);
    ts_hash_word(&h, (uint64_t)identity->dev);
    ts_hash_word(&h, (uint64_t)identity->ino);
    ts_hash_word(&h, (uint64_t)identity->size);
    ts_hash_word(&h, (uint64_t)identity->changed.tv_sec);
    ts_hash_word(&h, (uint64_t)identity->changed.tv_nsec);
    if (r != NULL) {
        hash_text(&h, r->path);
        for (size_t i = 0; i < r->arg_count; i++) {
            hash_text(&h, ts_text_of(r->args[i].name));
            hash_text(&h, r->args[i].value);
        }
    }
    uint64_t first = ts_hash_end(&h);
    (void)snprintf(out, 40, "\"%016" PRIx64 "%016" PRIx64 "\"", first, ts_hash_more(&h));
}

bool ts_app_unchanged(ts_reply *reply, ts_app *app, const ts_identity *identity,
                      const ts_request *r)
{
    ts_app_etag(reply->etag, app, identity, r);
    if (!ts_token_in(r->if_none_match, reply->etag)) {
        return false;
    }
    reply->status = 304;
    return true;
}

/* --- files ----------------------------------------------------------------------------------- */

static void answer_text(ts_reply *reply, int status, const char *text)
{
    reply->status = status;
    reply->type = "text/plain; charset=utf-8";
    reply->fixed = ts_text_of(text);
}

/* The file in the encoding that the client takes, if the page was built with it. */
static const ts_asset *asset_encoded(ts_reply *reply, const ts_assets *a, const ts_asset *plain,
                                     ts_text accepted)
{
    static const char *const encodings[][2] = {{"br", ".br"}, {"gzip", ".gz"}};
    char name[1024];
    for (size_t i = 0; i < 2; i++) {
        if (!ts_token_in(accepted, encodings[i][0])) {
            continue;
        }
        int n = snprintf(name, sizeof name, "%s%s", plain->name, encodings[i][1]);
        const ts_asset *made =
            n > 0 && (size_t)n < sizeof name ? ts_assets_find(a, (ts_text){name, (size_t)n}) : NULL;
        if (made != NULL) {
            ts_reply_header(reply, "Content-Encoding", encodings[i][0]);
            return made;
        }
    }
    return plain;
}

static bool answer_asset(ts_reply *reply, const ts_assets *a, ts_text name, const ts_request *r,
                         const char *cache)
{
    const ts_asset *plain = ts_assets_find(a, name);
    if (plain == NULL) {
        return false;
    }
    const ts_asset *sent = asset_encoded(reply, a, plain, r->accept_encoding);
    reply->status = 200;
    reply->type = plain->type;
    reply->fixed = ts_buf_text(&sent->bytes);
    ts_reply_header(reply, "Cache-Control", cache);
    ts_reply_header(reply, "Vary", "Accept-Encoding");
    return true;
}

static bool path_below(ts_text *rest, ts_text path, const char *folder)
{
    size_t n = strlen(folder);
    if (path.n <= n || memcmp(path.p, folder, n) != 0) {
        return false;
    }
    *rest = (ts_text){path.p + n, path.n - n};
    return true;
}

/* Policies of pages: ours runs its own files only; the interface of Flare brings code that
 * was made without such a policy. */
static const char page_policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
    "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
static const char flare_policy[] =
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' "
    "'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self' "
    "ws://127.0.0.1:* ws://localhost:*; frame-ancestors 'self'; object-src 'none'";

/* The address with the token was opened: the cookie is set, and the token leaves the address. */
static void answer_token(ts_reply *reply, const ts_app *app, const ts_request *r)
{
    static const char again[] =
        "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" "
        "content=\"0;url=/\"><title>trace_streamer</title>";
    (void)snprintf(reply->value, sizeof reply->value, "ts_%u=%s; HttpOnly; SameSite=Strict; Path=/",
                   app->access.port, app->access.token);
    ts_reply_header(reply, "Set-Cookie", reply->value);
    ts_reply_header(reply, "Cache-Control", "no-store");
    /* A redirect of a navigation that another site began would not bring the cookie. */
    if (ts_request_from_elsewhere(r)) {
        reply->status = 200;
        reply->type = "text/html; charset=utf-8";
        reply->fixed = ts_text_of(again);
    } else {
        answer_text(reply, 303, "");
        ts_reply_header(reply, "Location", "/");
    }
}

static void answer_start(ts_reply *reply, ts_app *app, const ts_request *r)
{
    ts_reply_header(reply, "Content-Security-Policy", page_policy);
    if (!app->access.no_token && ts_request_arg(r, "token").p != NULL &&
        ts_access_token_is(&app->access, ts_request_arg(r, "token"))) {
        answer_token(reply, app, r);
    } else if (!answer_asset(reply, &app->page, TS_TEXT_LIT("index.html"), r, "no-cache")) {
        ts_reply_header(reply, "Cache-Control", "no-cache");
        answer_text(reply, 200,
                    "This build has no page. The API and Flare's UI work: GET /api/info lists the "
                    "databases, docs/serve.md describes the rest.\n");
    }
}

static bool answer_file(ts_reply *reply, ts_app *app, const ts_request *r)
{
    ts_text rest;
    if (ts_text_is(r->path, "/")) {
        answer_start(reply, app, r);
        return true;
    }
    if (path_below(&rest, r->path, "/flare/") && app->has_flare_ui) {
        ts_reply_header(reply, "Content-Security-Policy", flare_policy);
        return answer_asset(reply, &app->flare_ui, rest, r, "no-cache");
    }
    ts_reply_header(reply, "Content-Security-Policy", page_policy);
    return path_below(&rest, r->path, "/assets/") &&
           answer_asset(reply, &app->page, (ts_text){r->path.p + 1, r->path.n - 1}, r,
                        "public, max-age=31536000, immutable");
}

/* --- routing --------------------------------------------------------------------------------- */

static unsigned method_of(const ts_request *r)
{
    return ts_text_is(r->method, "GET") || ts_text_is(r->method, "HEAD") ? APP_GET
           : ts_text_is(r->method, "POST")                               ? APP_POST
                                                                         : 0;
}

bool ts_app_wants_body(const ts_request *r)
{
    return (ts_text_is(r->path, "/api/query") || ts_text_is(r->path, "/api/sample")) &&
           ts_text_is(r->method, "POST");
}

static void answer_method(ts_reply *reply, ts_ctx *ctx, unsigned allowed)
{
    (void)ts_reply_error(reply, ctx, 405, "method", "this path does not know the method", -1);
    ts_reply_header(reply, "Allow",
                    allowed == APP_POST         ? "POST"
                    : (allowed & APP_POST) != 0 ? "GET, HEAD, POST"
                                                : "GET, HEAD");
}

static bool type_is_json(ts_text type)
{
    static const char json[] = "application/json";
    size_t n = sizeof json - 1;
    return type.p != NULL && type.n >= n && memcmp(type.p, json, n) == 0 &&
           (type.n == n || type.p[n] == ';' || type.p[n] == ' ');
}

/* Method, type and size of a request for a route. False: it was answered. */
static bool route_accepts(ts_reply *reply, ts_ctx *ctx, unsigned allowed, const ts_request *r)
{
    if ((method_of(r) & allowed) == 0) {
        answer_method(reply, ctx, allowed);
        return false;
    }
    if (method_of(r) == APP_POST && !type_is_json(r->content_type)) {
        (void)ts_reply_error(reply, ctx, 415, "type", "the body has to be application/json", -1);
        return false;
    }
    if (r->body.n > TS_API_BODY) {
        (void)ts_reply_error(reply, ctx, 413, "size", "the body is larger than 1 MiB", -1);
        return false;
    }
    return true;
}

static bool answer_preflight(ts_reply *reply, const ts_request *r)
{
    if (!ts_text_is(r->method, "OPTIONS")) {
        return false;
    }
    reply->status = 204;
    ts_reply_header(reply, "Access-Control-Allow-Methods", "GET, POST");
    ts_reply_header(reply, "Access-Control-Allow-Headers", "Content-Type, Authorization");
    ts_reply_header(reply, "Access-Control-Max-Age", "600");
    return true;
}

/* The parameters but for the database. */
static ts_code view_check(ts_ctx *ctx, const ts_endpoint *endpoint, const ts_request *r)
{
    ts_view_args args;
    ts_view_pair pairs[TS_REQUEST_ARGS];
    size_t n = 0;
    for (size_t i = 0; i < r->arg_count; i++) {
        if (strcmp(r->args[i].name, "db") != 0) {
            pairs[n++] = (ts_view_pair){r->args[i].name, r->args[i].value};
        }
    }
    return ts_endpoint_parse(&args, ctx, endpoint, pairs, n);
}

static ts_code app_view(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r,
                        const ts_endpoint *endpoint)
{
    char etag[sizeof reply->etag];
    size_t number;
    const char *path;
    ts_identity identity = {0};
    ts_code code = view_check(ctx, endpoint, r);
    if (code != TS_OK || !ts_app_database(&number, reply, app, ctx, ts_request_arg(r, "db"))) {
        return code;
    }
    if (ts_database_file(&path, &identity, NULL, &app->databases, ctx, number) != TS_OK) {
        return ts_reply_error(reply, ctx, 410, "gone", "the database is not there any more", -1);
    }
    if (ts_app_unchanged(reply, app, &identity, r)) {
        return TS_OK;
    }
    memcpy(etag, reply->etag, sizeof etag);
    reply->etag[0] = '\0';
    code = ts_view_jobs_answer(reply, app->views, ctx, endpoint, number, etag, r);
    if (code == TS_OK && reply->status == 200) {
        memcpy(reply->etag, etag, sizeof etag);
        ts_reply_header(reply, "Cache-Control", "no-cache");
    }
    return code;
}

static bool answer_view(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    char path[64];
    ts_text rest;
    if (!path_below(&rest, r->path, "/api/") || rest.n >= sizeof path) {
        return false;
    }
    memcpy(path, rest.p, rest.n);
    path[rest.n] = '\0';
    const ts_endpoint *endpoint = ts_endpoint_find(path);
    if (endpoint == NULL) {
        return false;
    }
    if (route_accepts(reply, ctx, APP_GET, r) && app_view(reply, app, ctx, r, endpoint) != TS_OK) {
        (void)ts_reply_failure(reply, ctx);
    }
    return true;
}

void ts_app_answer(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    if (answer_preflight(reply, r)) {
        return;
    }
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        if (ts_text_is(r->path, routes[i].path)) {
            if (!route_accepts(reply, ctx, routes[i].methods, r)) {
                return;
            }
            if (app->remote != NULL) {
                ts_remote_answer(reply, app->remote, ctx, r, ts_api_time(app, ctx, r));
            } else if (routes[i].run(reply, app, ctx, r) != TS_OK) {
                (void)ts_reply_failure(reply, ctx);
            }
            if (reply->header_count == 0) {
                ts_reply_header(reply, "Cache-Control", "no-cache");
            }
            return;
        }
    }
    if (answer_view(reply, app, ctx, r)) {
        return;
    }
    if (method_of(r) != APP_GET) {
        answer_method(reply, ctx, APP_GET);
    } else if (!answer_file(reply, app, r)) {
        (void)ts_reply_error(reply, ctx, 404, "not_found", "there is nothing at this path", -1);
    }
}

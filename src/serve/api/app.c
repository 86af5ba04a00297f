#include "serve/api/app.h"
#include "serve/api/routes.h"

#include <stdio.h>

/* Paths of the server alone, beside those of routes.c. */
static const ts_route server_routes[] = {
    {"/api/jvms", TS_ROUTE_GET, ts_api_jvms},
    {"/api/sample", TS_ROUTE_POST, ts_api_sample},
    {NULL, 0, NULL},
};

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

bool ts_app_wants_body(const ts_request *r)
{
    return (ts_text_is(r->path, "/api/query") || ts_text_is(r->path, "/api/sample")) &&
           ts_text_is(r->method, "POST");
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

static ts_code app_view(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r,
                        const ts_endpoint *endpoint)
{
    char etag[sizeof reply->etag];
    size_t number;
    const char *path;
    ts_identity identity = {0};
    ts_code code = ts_route_view_check(ctx, endpoint, r);
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
    const ts_endpoint *endpoint = ts_route_view(r);
    if (endpoint == NULL) {
        return false;
    }
    if (ts_route_accepts(reply, ctx, TS_ROUTE_GET, r) &&
        app_view(reply, app, ctx, r, endpoint) != TS_OK) {
        (void)ts_reply_failure(reply, ctx);
    }
    return true;
}

static bool answer_route(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    const ts_route *route = ts_route_find(ts_data_routes, r->path);
    route = route != NULL ? route : ts_route_find(server_routes, r->path);
    if (route == NULL) {
        return false;
    }
    if (!ts_route_accepts(reply, ctx, route->methods, r)) {
        return true;
    }
    if (app->remote != NULL) {
        ts_remote_answer(reply, app->remote, ctx, r, ts_api_time(app, ctx, r));
    } else if (route->run(reply, app, ctx, r) != TS_OK) {
        (void)ts_reply_failure(reply, ctx);
    }
    if (reply->header_count == 0) {
        ts_reply_header(reply, "Cache-Control", "no-cache");
    }
    return true;
}

void ts_app_answer(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    if (answer_preflight(reply, r) || answer_route(reply, app, ctx, r) ||
        answer_view(reply, app, ctx, r)) {
        return;
    }
    if (ts_route_method(r) != TS_ROUTE_GET) {
        ts_route_refuse(reply, ctx, TS_ROUTE_GET);
    } else if (!answer_file(reply, app, r)) {
        (void)ts_reply_error(reply, ctx, 404, "not_found", "there is nothing at this path", -1);
    }
}

#include "serve/api/routes.h"

const ts_route ts_data_routes[] = {
    {"/api/info", TS_ROUTE_GET, ts_api_info},
    {"/api/schema", TS_ROUTE_GET, ts_api_schema},
    {"/api/questions", TS_ROUTE_GET, ts_api_questions},
    {"/api/query", TS_ROUTE_GET | TS_ROUTE_POST, ts_api_query},
    {"/api/export", TS_ROUTE_GET, ts_api_export},
    {NULL, 0, NULL},
};

const ts_route *ts_route_find(const ts_route *routes, ts_text path)
{
    for (; routes->path != NULL; routes++) {
        if (ts_text_is(path, routes->path)) {
            return routes;
        }
    }
    return NULL;
}

const ts_endpoint *ts_route_view(const ts_request *r)
{
    static const char below[] = "/api/";
    const size_t n = sizeof below - 1;
    char path[64];
    if (r->path.n <= n || memcmp(r->path.p, below, n) != 0 || r->path.n - n >= sizeof path) {
        return NULL;
    }
    memcpy(path, r->path.p + n, r->path.n - n);
    path[r->path.n - n] = '\0';
    return ts_endpoint_find(path);
}

unsigned ts_route_method(const ts_request *r)
{
    return ts_text_is(r->method, "GET") || ts_text_is(r->method, "HEAD") ? TS_ROUTE_GET
           : ts_text_is(r->method, "POST")                               ? TS_ROUTE_POST
                                                                         : 0;
}

void ts_route_refuse(ts_reply *reply, ts_ctx *ctx, unsigned allowed)
{
    (void)ts_reply_error(reply, ctx, 405, "method", "this path does not know the method", -1);
    ts_reply_header(reply, "Allow",
                    allowed == TS_ROUTE_POST         ? "POST"
                    : (allowed & TS_ROUTE_POST) != 0 ? "GET, HEAD, POST"
                                                     : "GET, HEAD");
}

static bool type_is_json(ts_text type)
{
    static const char json[] = "application/json";
    size_t n = sizeof json - 1;
    return type.p != NULL && type.n >= n && memcmp(type.p, json, n) == 0 &&
           (type.n == n || type.p[n] == ';' || type.p[n] == ' ');
}

bool ts_route_accepts(ts_reply *reply, ts_ctx *ctx, unsigned allowed, const ts_request *r)
{
    if ((ts_route_method(r) & allowed) == 0) {
        ts_route_refuse(reply, ctx, allowed);
        return false;
    }
    if (ts_route_method(r) == TS_ROUTE_POST && !type_is_json(r->content_type)) {
        (void)ts_reply_error(reply, ctx, 415, "type", "the body has to be application/json", -1);
        return false;
    }
    if (r->body.n > TS_API_BODY) {
        (void)ts_reply_error(reply, ctx, 413, "size", "the body is larger than 1 MiB", -1);
        return false;
    }
    return true;
}

ts_code ts_route_view_check(ts_ctx *ctx, const ts_endpoint *endpoint, const ts_request *r)
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

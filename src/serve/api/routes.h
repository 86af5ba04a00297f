/* The paths of the API that need nothing but databases: a server answers them, and a page that has
 * the databases itself (serve/page/page.h). */
#ifndef TS_SERVE_ROUTES_H
#define TS_SERVE_ROUTES_H

#include "serve/api/app.h"

enum { TS_ROUTE_GET = 1, TS_ROUTE_POST = 2 };

typedef struct ts_route {
    const char *path; /* NULL ends a list */
    unsigned methods;
    ts_route_run *run;
} ts_route;

extern const ts_route ts_data_routes[];

/* NULL: none of them has this path. */
const ts_route *ts_route_find(const ts_route *routes, ts_text path);

/* GET (and HEAD), POST, or 0. */
unsigned ts_route_method(const ts_request *r);

/* Answers a request whose method is not one of the allowed ones. */
void ts_route_refuse(ts_reply *reply, ts_ctx *ctx, unsigned allowed);

/* Method, type and size of a request for a route. False: it was answered. */
bool ts_route_accepts(ts_reply *reply, ts_ctx *ctx, unsigned allowed, const ts_request *r);

/* The view of the request's path, or NULL. */
const ts_endpoint *ts_route_view(const ts_request *r);

/* Checks its parameters but for the database. */
ts_code ts_route_view_check(ts_ctx *ctx, const ts_endpoint *endpoint, const ts_request *r);

#endif

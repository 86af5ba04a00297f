/* The views of the page: parameters are checked here, the rest is view_jobs.c's. */
#include "serve/api/app.h"

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

ts_code ts_api_view(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r,
                    const ts_endpoint *endpoint)
{
    char etag[sizeof reply->etag];
    size_t number;
    ts_identity identity = {0};
    ts_code code = view_check(ctx, endpoint, r);
    if (code != TS_OK || !ts_app_database(&number, reply, app, ctx, ts_request_arg(r, "db"))) {
        return code;
    }
    if (ts_identity_of(&identity, ctx, app->databases.all[number].path) != TS_OK) {
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

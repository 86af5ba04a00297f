/* The server's part that answers requests, on a database of the fuzz target. */
#ifndef TS_FUZZ_SERVE_APP_H
#define TS_FUZZ_SERVE_APP_H

#include "fuzz.h"
#include "fuzz_dir.h"
#include "fuzz_sqlite.h"

#include "json/json.h"
#include "serve/api/app.h"

enum { SERVE_QUERY_MS = 50, SERVE_BODY = 1 << 20 };

static ts_app serve_app;
static char serve_path[100];

/* Before the first input. `path` is there already. */
static inline void serve_prepare(ts_ctx *ctx)
{
    serve_app.base = ctx;
    serve_app.limits = (ts_app_limits){INT64_C(1000000) * SERVE_QUERY_MS, 10000, 64 << 20, 1};
    serve_app.access.no_token = false;
    ts_slots_init(&serve_app.slots, 1);
    (void)sqlite3_hard_heap_limit64(64 << 20);
    check(ts_databases_init(&serve_app.databases, ctx) == TS_OK);
    check(ts_databases_add(&serve_app.databases, serve_path, "a.db") == TS_OK);
    check(ts_view_jobs_open(&serve_app.views, ctx, &serve_app.databases, &serve_app.slots, NULL,
                            0) == TS_OK);
}

/* Ends what one input has opened, so that the next one finds the same. */
static inline void serve_forget(void)
{
    ts_view_jobs_close(serve_app.views);
    ts_databases_free(&serve_app.databases);
    memset(&serve_app.databases, 0, sizeof serve_app.databases);
    ts_slots_free(&serve_app.slots);
}

static inline void serve_json(ts_ctx *ctx, const char *p, size_t n)
{
    static const ts_json_handler nothing = {.object_begin = NULL};
    ts_json *json;
    check(ts_json_new(&json, ctx, &nothing, NULL, 0) == TS_OK);
    check(ts_json_feed(json, p, n) == TS_OK && ts_json_finish(json) == TS_OK);
    if (ts_json_state(json) != TS_JSON_DONE || ts_json_replaced(json) > 0) {
        fprintf(stderr, "%.*s\n", (int)n, p);
        fuzz_fail("the reply is JSON");
    }
    ts_json_free(json);
}

/* Takes the whole reply; what says that it is JSON is, also when it broke off in the middle. */
static inline void serve_take(ts_ctx *ctx, ts_reply *reply)
{
    ts_buf all = {0};
    char piece[5000];
    bool whole = true;
    check(reply->status >= 200 && reply->status < 600);
    check(ts_buf_put(ctx, &all, reply->body.p, reply->body.n) == TS_OK);
    check(ts_buf_put(ctx, &all, reply->fixed.p, reply->fixed.n) == TS_OK);
    while (reply->stream != NULL && whole) {
        ssize_t n = reply->stream->read(reply->stream, piece, sizeof piece);
        check(n <= (ssize_t)sizeof piece);
        whole = n >= 0 && all.n < SERVE_BODY;
        if (n <= 0) {
            break;
        }
        check(ts_buf_put(ctx, &all, piece, (size_t)n) == TS_OK);
    }
    if (whole && reply->type != NULL && strncmp(reply->type, "application/json", 16) == 0 &&
        all.n > 0) {
        serve_json(ctx, all.p, all.n);
    }
    ts_buf_free(ctx, &all);
    ts_reply_free(reply, ctx);
}

#endif

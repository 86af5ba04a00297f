/*
 * What the server serves, without HTTP: from a request to a reply. Requests come from several
 * threads; each brings a context of its own.
 */
#ifndef TS_SERVE_APP_H
#define TS_SERVE_APP_H

#include "serve/http/assets.h"
#include "serve/api/databases.h"
#include "serve/http/reply.h"
#include "serve/http/request.h"
#include "serve/views/view_jobs.h"
#include "serve/api/work_slots.h"

/* A shipped question. */
typedef struct ts_serve_question {
    const char *name;
    ts_text sql;
} ts_serve_question;

typedef struct ts_app_limits {
    int64_t query_ns;    /* time of a query */
    uint64_t max_rows;   /* of a reply */
    uint64_t max_memory; /* bytes; 0: none */
    unsigned threads;    /* queries at once */
} ts_app_limits;

enum { TS_API_ROWS = 100000 };                           /* of a reply that names no limit */
enum { TS_API_QUERY_S = 30, TS_API_MAX_ROWS = 1000000 }; /* when nothing else is said */
#define TS_API_BYTES (UINT64_C(256) * 1024 * 1024)       /* of a reply of /api/query */
#define TS_API_BODY ((size_t)1024 * 1024)                /* of a request */

typedef struct ts_app {
    const ts_ctx *base; /* copied for each request */
    ts_access access;
    ts_databases databases;
    ts_slots slots;
    ts_view_jobs *views;
    ts_remote *remote; /* NULL: requests are answered in this process */
    ts_assets page;
    ts_assets flare_ui;
    bool has_flare_ui;
    ts_app_limits limits;
    const ts_serve_question *questions; /* borrowed */
    size_t question_count;
    atomic_bool stop;
} ts_app;

/*
 * Answers a request whose ts_access_check was passed: finds the route, checks method, type and
 * size, and makes the reply, whose stream uses `ctx` and `app`. No failure is left: what goes wrong
 * becomes a reply.
 */
void ts_app_answer(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r);

/* Whether the path and method of a request have a body that must be read: those of POST. */
bool ts_app_wants_body(const ts_request *r);

/* A route's function; errors that it returns become the reply that fits their code. */
typedef ts_code ts_route_run(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r);

ts_route_run ts_api_info;
ts_route_run ts_api_schema;
ts_route_run ts_api_questions;
ts_route_run ts_api_query;
ts_route_run ts_api_export;
ts_route_run ts_api_jvms;
ts_route_run ts_api_sample;

/* How long a request may take: as its parameters say, at most what any query may. */
int64_t ts_api_time(const ts_app *app, ts_ctx *ctx, const ts_request *r);

/* An export of stacks; `format` is a name of --to. */
ts_code ts_api_stacks(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r, size_t number,
                      const char *format);

/* trace_range.start_ts, from which views count times; 0: the database does not say. */
int64_t ts_app_origin(ts_sandbox *s);

/* The database that the parameter db names; false: it was answered with 404. */
bool ts_app_database(size_t *number, ts_reply *reply, ts_app *app, ts_ctx *ctx, ts_text name);

/* A connection; false: it was answered with 409, 410 or 500. */
bool ts_app_lease(ts_lease **lease, ts_reply *reply, ts_app *app, ts_ctx *ctx, size_t number);

/* Answers a failed call of SQLite; offset in the statement, or -1. */
ts_code ts_app_sqlite(ts_reply *reply, ts_sandbox *s, int rc, long offset);

/*
 * Sets the reply's ETag for a file and the request's URL. True: If-None-Match has it, and the reply
 * is 304.
 */
bool ts_app_unchanged(ts_reply *reply, ts_app *app, const ts_identity *identity,
                      const ts_request *r);
/* The ETag of a file alone. */
void ts_app_etag(char out[40], const ts_app *app, const ts_identity *identity, const ts_request *r);

#endif

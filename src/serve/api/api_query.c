/* /api/query and /api/export: a statement and its rows. */
#include "serve/api/query.h"

#include <stdio.h>

/* Parameters besides those of ts_asked_url. */
static const char *const query_more[] = {NULL};
static const char *const export_more[] = {
    "source", "thread", "event", "label", "weight",     "from",        "to",        "only",
    "ignore", "hide",   "idle",  "kind",  "before_src", "before_from", "before_to", NULL};

static ts_code query_usage(ts_ctx *ctx, const char *message)
{
    return ts_fail(ctx, TS_ERR_USAGE, "%s", message);
}

/* The text of the statement: its own, or that of a shipped question. False: it was answered. */
static bool query_sql(ts_text *sql, ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_asked *q)
{
    if (q->sql.given == q->question.given) {
        (void)query_usage(ctx, "either sql or question has to be given");
        (void)ts_reply_failure(reply, ctx);
        return false;
    }
    *sql = ts_buf_text(&q->sql.text);
    for (size_t i = 0; q->question.given && i < app->question_count; i++) {
        if (ts_text_is(ts_buf_text(&q->question.text), app->questions[i].name)) {
            *sql = app->questions[i].sql;
            return true;
        }
    }
    if (q->question.given) {
        (void)ts_reply_error(reply, ctx, 404, "not_found", "there is no such question", -1);
    }
    return q->sql.given;
}

static ts_result_plan query_plan(const ts_app *app, const ts_request *r, const ts_asked *q)
{
    int64_t time = app->limits.query_ns;
    uint64_t rows = q->limit >= 0 ? (uint64_t)q->limit : TS_API_ROWS;
    if (q->timeout_ms >= 0 && q->timeout_ms < time / 1000000) {
        time = q->timeout_ms * 1000000;
    }
    return (ts_result_plan){
        .format = TS_FORMAT_REPLY,
        .max_rows = rows < app->limits.max_rows ? rows : app->limits.max_rows,
        .max_bytes = TS_API_BYTES,
        .time_ns = time,
        .ints_as_text = q->ints.given,
        .client = r->client,
    };
}

/* Runs what was asked for; the reply gets an ETag when it is whole. */
static ts_code query_run(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r,
                         ts_asked *q, const ts_result_plan *plan)
{
    ts_lease *lease;
    ts_text sql;
    size_t number;
    bool done;
    if (!ts_app_database(&number, reply, app, ctx,
                         q->db.given ? ts_buf_text(&q->db.text) : TS_TEXT_NULL) ||
        !query_sql(&sql, reply, app, ctx, q) || !ts_app_lease(&lease, reply, app, ctx, number)) {
        return TS_OK;
    }
    bool get = !ts_text_is(r->method, "POST");
    ts_identity identity = lease->identity;
    if (get && ts_app_unchanged(reply, app, &identity, r)) {
        ts_database_give(&app->databases, lease);
        return TS_OK;
    }
    char etag[sizeof reply->etag];
    memcpy(etag, reply->etag, sizeof etag);
    reply->etag[0] = '\0';
    /* The texts of q move, and so do not those of its statement. */
    ts_result_start(reply, &done, app, ctx, lease, q, sql, plan);
    if (done && get && plan->format == TS_FORMAT_REPLY) {
        memcpy(reply->etag, etag, sizeof etag);
    }
    return TS_OK;
}

int64_t ts_api_time(const ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    int64_t time = app->limits.query_ns;
    ts_asked q = {0};
    bool query = ts_text_is(r->path, "/api/query");
    if (query || ts_text_is(r->path, "/api/export")) {
        ts_code code = query && ts_text_is(r->method, "POST")
                           ? ts_asked_body(&q, ctx, r->body)
                           : ts_asked_url(&q, ctx, r, query ? query_more : export_more);
        time = code == TS_OK ? query_plan(app, r, &q).time_ns : time;
        ts_asked_free(&q, ctx);
        ctx->error = (ts_error){0};
    }
    return time;
}

ts_code ts_api_query(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    ts_asked q;
    ts_code code = ts_text_is(r->method, "POST") ? ts_asked_body(&q, ctx, r->body)
                                                 : ts_asked_url(&q, ctx, r, query_more);
    TS_STEP_IF(code, (q.format.given || q.view.given),
               query_usage(ctx, "format and view are parameters of /api/export"));
    if (code == TS_OK) {
        ts_result_plan plan = query_plan(app, r, &q);
        code = query_run(reply, app, ctx, r, &q, &plan);
    }
    ts_asked_free(&q, ctx);
    return code;
}

/* --- exports --------------------------------------------------------------------------------- */

/* The name of the file: that of the database, what it is, and the format, of harmless letters. */
static void export_name(ts_reply *reply, const char *database, const char *what,
                        const char *extension)
{
    char *p = reply->file;
    (void)snprintf(reply->file, sizeof reply->file, "%.60s.%.30s.%.16s", database, what, extension);
    for (; *p != '\0'; p++) {
        bool harmless = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                        (*p >= '0' && *p <= '9') || *p == '.' || *p == '_' || *p == '-';
        *p = harmless ? *p : '_';
    }
    reply->file[0] = reply->file[0] == '.' ? '_' : reply->file[0];
}

static ts_code export_rows(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r,
                           ts_asked *q)
{
    char what[32] = "rows";
    ts_result_plan plan = query_plan(app, r, q);
    size_t number = 0;
    plan.format = ts_result_format_of(ts_buf_text(&q->format.text));
    plan.max_bytes = 0;
    plan.max_rows = q->limit >= 0 ? (uint64_t)q->limit : UINT64_MAX;
    if (!q->format.given || plan.format == TS_FORMATS) {
        return query_usage(ctx, "format has to be csv, tsv, json, ndjson or md");
    }
    if (q->question.given) {
        (void)snprintf(what, sizeof what, "%.*s",
                       (int)(q->question.text.n < sizeof what ? q->question.text.n : 30),
                       ts_buf_text(&q->question.text).p);
    }
    (void)ts_databases_find(&number, &app->databases,
                            q->db.given ? ts_buf_text(&q->db.text) : TS_TEXT_NULL);
    ts_code code = query_run(reply, app, ctx, r, q, &plan);
    if (code == TS_OK && reply->status == 200) {
        export_name(reply, app->databases.all[number].name, what, ts_result_extension(plan.format));
    }
    return code;
}

/* The stacks in a format of --to. */
static ts_code export_stacks(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r,
                             ts_asked *q)
{
    size_t number;
    if (!ts_text_is(ts_buf_text(&q->view.text), "flame") || q->sql.given || q->question.given) {
        return query_usage(ctx, "view can only be flame, and takes no statement");
    }
    if (!ts_app_database(&number, reply, app, ctx,
                         q->db.given ? ts_buf_text(&q->db.text) : TS_TEXT_NULL)) {
        return TS_OK;
    }
    ts_code code = ts_buf_putc(ctx, &q->format.text, '\0');
    TS_STEP(code, ts_api_stacks(reply, app, ctx, r, number, q->format.text.p));
    if (code == TS_OK && reply->status == 200) {
        export_name(reply, app->databases.all[number].name, "stacks", q->format.text.p);
    }
    return code;
}

ts_code ts_api_export(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r)
{
    ts_asked q;
    ts_code code = ts_asked_url(&q, ctx, r, export_more);
    if (code == TS_OK && q.view.given) {
        code = export_stacks(reply, app, ctx, r, &q);
    } else if (code == TS_OK) {
        code = export_rows(reply, app, ctx, r, &q);
    }
    ts_asked_free(&q, ctx);
    return code;
}

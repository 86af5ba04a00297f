#include "serve/api/query.h"

#include "base/alloc.h"

#include <stdio.h>

enum {
    RESULT_BLOCK = 64 * 1024,
    RESULT_FLUSH_NS = 100 * 1000 * 1000,
    RESULT_FIRST_NS = 20 * 1000 * 1000, /* a reply that is whole within it is sent at once */
};

struct ts_result {
    ts_stream stream; /* first */
    ts_app *app;
    ts_ctx *ctx;
    ts_lease *lease;
    ts_asked asked; /* whose texts are bound */
    sqlite3_stmt *st;
    ts_guard guard;
    ts_result_plan plan;
    ts_result_out out;
    ts_result_end end;
    ts_buf pending; /* made and not sent */
    size_t sent;    /* of it */
    uint64_t bytes; /* made before it */
    int64_t used_ns;
    bool at_row;   /* the statement is at a row that was not put yet */
    bool finished; /* nothing more will be made */
    bool broken;   /* and the document is not whole */
};

/* --- preparing ------------------------------------------------------------------------------- */

/* Whether nothing but blanks, comments and empty statements follow. */
static bool only_one(sqlite3 *db, const char *tail, const char *end)
{
    while (tail < end) {
        sqlite3_stmt *st = NULL;
        const char *next = tail;
        int rc = sqlite3_prepare_v2(db, tail, (int)(end - tail), &st, &next);
        bool another = rc != SQLITE_OK || st != NULL;
        (void)sqlite3_finalize(st);
        if (another) {
            return false;
        }
        if (next <= tail) {
            break;
        }
        tail = next;
    }
    return true;
}

static long error_offset(sqlite3 *db)
{
#if SQLITE_VERSION_NUMBER >= 3038000
    return sqlite3_error_offset(db);
#else
    (void)db;
    return -1;
#endif
}

/* False: the reply says why. */
static bool result_prepare(ts_result *x, ts_reply *reply, ts_text sql)
{
    ts_sandbox *s = &x->lease->sandbox;
    const char *tail = NULL;
    ts_text unknown;
    if (memchr(sql.p, '\0', sql.n) != NULL) {
        (void)ts_reply_error(reply, x->ctx, 400, "sql", "the statement has a zero byte", -1);
        return false;
    }
    s->denied = false;
    int rc = sqlite3_prepare_v2(s->db, sql.p, (int)sql.n, &x->st, &tail);
    if (rc != SQLITE_OK) {
        (void)ts_app_sqlite(reply, s, rc, error_offset(s->db));
        return false;
    }
    if (x->st == NULL || !only_one(s->db, tail, sql.p + sql.n)) {
        (void)ts_reply_error(reply, x->ctx, 400, "sql",
                             x->st == NULL ? "there is no statement"
                                           : "there is more than one statement",
                             x->st == NULL ? -1 : (long)(tail - sql.p));
        return false;
    }
    if (sqlite3_stmt_readonly(x->st) == 0) {
        (void)ts_reply_error(reply, x->ctx, 403, "read_only",
                             "statements that change, attach or load are refused", -1);
        return false;
    }
    rc = ts_asked_bind(&unknown, &x->asked, x->st);
    if (rc == SQLITE_OK && unknown.p != NULL) {
        (void)ts_fail(x->ctx, TS_ERR_USAGE, "the statement has no parameter \"%.*s\"",
                      (int)(unknown.n < 80 ? unknown.n : 80), unknown.p);
        (void)ts_reply_failure(reply, x->ctx);
        return false;
    }
    if (rc != SQLITE_OK) {
        (void)ts_app_sqlite(reply, s, rc, -1);
    }
    return rc == SQLITE_OK;
}

/* --- running --------------------------------------------------------------------------------- */

static int result_step(ts_result *x)
{
    int rc = sqlite3_step(x->st);
    return rc == SQLITE_ROW && sqlite3_errcode(x->lease->sandbox.db) == SQLITE_NOMEM ? SQLITE_NOMEM
                                                                                     : rc;
}

/* The connection is free for others as soon as there are no more rows. */
static void result_release(ts_result *x)
{
    (void)sqlite3_finalize(x->st);
    x->st = NULL;
    ts_database_give(&x->app->databases, x->lease);
    x->lease = NULL;
}

static void result_end(ts_result *x, int rc)
{
    char message[TS_ERROR_TEXT];
    x->finished = true;
    if (rc != SQLITE_DONE) {
        ts_code code =
            rc == SQLITE_OK ? x->ctx->error.code : ts_sandbox_fail(&x->lease->sandbox, rc);
        (void)snprintf(message, sizeof message, "%s", x->ctx->error.causes[0]);
        x->end.message = message;
        x->end.error = code == TS_ERR_INTERRUPTED ? "timeout"
                       : code == TS_ERR_LIMIT     ? "too_large"
                       : code == TS_ERR_INPUT     ? "damaged"
                       : code == TS_ERR_NOMEM     ? "memory"
                                                  : "sql";
        x->broken = x->plan.format != TS_FORMAT_REPLY || x->guard.why == TS_GUARD_GONE;
    }
    ts_result_out_end(&x->out, &x->end);
    x->end.message = NULL;
    result_release(x);
}

static uint64_t result_made(const ts_result *x)
{
    return x->bytes + x->pending.n + x->out.json.buf.n;
}

/* Goes to the next row, unless the statement is at one that was not put yet, and puts it. */
static int result_row(ts_result *x)
{
    int rc = x->at_row ? SQLITE_ROW : result_step(x);
    x->at_row = false;
    if (rc != SQLITE_ROW) {
        return rc;
    }
    if (x->end.rows == x->plan.max_rows) {
        x->end.truncated = true;
        return SQLITE_DONE;
    }
    ts_result_out_row(&x->out, x->st);
    x->end.rows++;
    if (x->out.code != TS_OK || x->out.json.code != TS_OK) {
        return SQLITE_OK;
    }
    if (x->plan.max_bytes != 0 && result_made(x) > x->plan.max_bytes) {
        (void)ts_fail(x->ctx, TS_ERR_LIMIT, "the reply is larger than %llu bytes",
                      (unsigned long long)x->plan.max_bytes);
        return SQLITE_OK;
    }
    return SQLITE_ROW;
}

/* Makes rows until there are `want` bytes or the time is over. */
static void result_pump(ts_result *x, size_t want, int64_t most_ns)
{
    int64_t begun = ts_guard_now();
    int rc = SQLITE_ROW;
    bool enough = false;
    x->guard.deadline_ns = begun + x->plan.time_ns - x->used_ns;
    while (rc == SQLITE_ROW && !enough) {
        rc = result_row(x);
        enough = x->pending.n + x->out.json.buf.n >= want || ts_guard_now() - begun >= most_ns;
    }
    x->used_ns += ts_guard_now() - begun;
    x->end.elapsed_ns = x->used_ns;
    if (rc != SQLITE_ROW) {
        result_end(x, rc);
    }
    ts_jout_flush(&x->out.json);
    x->broken = x->broken || x->out.code != TS_OK || x->out.json.code != TS_OK;
}

/* --- the stream ------------------------------------------------------------------------------ */

static ssize_t result_read(ts_stream *stream, char *out, size_t max)
{
    ts_result *x = (ts_result *)stream;
    if (x->sent == x->pending.n && !x->finished) {
        x->bytes += x->pending.n;
        x->pending.n = 0;
        x->sent = 0;
        x->guard.deadline_ns = 0; /* waiting for others costs no time */
        if (!ts_slots_take(&x->app->slots, &x->guard, false)) {
            return -1;
        }
        result_pump(x, RESULT_BLOCK, RESULT_FLUSH_NS);
        ts_slots_give(&x->app->slots, false);
    }
    if (x->broken) {
        return -1;
    }
    size_t n = x->pending.n - x->sent < max ? x->pending.n - x->sent : max;
    if (n > 0) {
        memcpy(out, x->pending.p + x->sent, n);
        x->sent += n;
    }
    return (ssize_t)n;
}

static void result_free(ts_stream *stream)
{
    ts_result *x = (ts_result *)stream;
    ts_ctx *ctx = x->ctx;
    (void)sqlite3_finalize(x->st);
    ts_database_give(&x->app->databases, x->lease);
    (void)ts_result_out_free(&x->out);
    ts_asked_free(&x->asked, ctx);
    ts_buf_free(ctx, &x->pending);
    ts_free(ctx, x);
}

/* --- the beginning --------------------------------------------------------------------------- */

/* The statement's first step. False: the reply says why it failed. */
static bool result_first(ts_result *x, ts_reply *reply)
{
    int64_t begun = ts_guard_now();
    x->guard.deadline_ns = begun + x->plan.time_ns;
    int rc = result_step(x);
    x->used_ns = ts_guard_now() - begun;
    x->end.elapsed_ns = x->used_ns;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) {
        (void)ts_app_sqlite(reply, &x->lease->sandbox, rc, -1);
        return false;
    }
    x->at_row = rc == SQLITE_ROW;
    ts_result_out_begin(&x->out, x->st, x->at_row);
    if (rc == SQLITE_DONE) {
        result_end(x, rc);
    } else {
        /* Rows that come slowly are shown as they come. */
        result_pump(x, RESULT_BLOCK, x->used_ns < RESULT_FIRST_NS ? RESULT_FIRST_NS : 0);
    }
    if (x->broken) {
        TS_STEP(x->ctx->error.code, TS_ERR_NOMEM);
        (void)ts_reply_failure(reply, x->ctx);
    }
    return !x->broken;
}

static bool result_begin(ts_result *x, ts_reply *reply, ts_text sql)
{
    bool begun = false;
    if (!ts_slots_take(&x->app->slots, &x->guard, true)) {
        (void)ts_reply_error(reply, x->ctx, 503, "busy", "too many queries run", -1);
        return false;
    }
    begun = result_prepare(x, reply, sql) && result_first(x, reply);
    ts_slots_give(&x->app->slots, false);
    return begun;
}

void ts_result_start(ts_reply *reply, bool *done, ts_app *app, ts_ctx *ctx, ts_lease *lease,
                     ts_asked *q, ts_text sql, const ts_result_plan *plan)
{
    ts_result *x = ts_zalloc(ctx, 1, sizeof *x);
    *done = false;
    if (x == NULL) {
        ts_database_give(&app->databases, lease);
        (void)ts_reply_failure(reply, ctx);
        return;
    }
    *x = (ts_result){.stream = {result_read, result_free},
                     .app = app,
                     .ctx = ctx,
                     .lease = lease,
                     .asked = *q,
                     .guard = {.fd = plan->client, .stop = &app->stop},
                     .plan = *plan};
    *q = (ts_asked){0};
    lease->sandbox.guard = &x->guard;
    ts_result_out_init(&x->out, ctx, &x->pending, plan);
    if (!result_begin(x, reply, sql)) {
        result_free(&x->stream);
        return;
    }
    reply->status = 200;
    reply->type = ts_result_type(plan->format);
    if (x->finished) {
        *done = true;
        reply->body = x->pending;
        x->pending = (ts_buf){0};
        result_free(&x->stream);
    } else {
        reply->stream = &x->stream;
    }
}

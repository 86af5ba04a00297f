#include "serve/page/page.h"

#include "base/alloc.h"
#include "serve/api/routes.h"
#include "session/questions.h"

#include <stdio.h>

enum { PAGE_PIECE = 64 * 1024 };

struct ts_page {
    ts_ctx base;
    ts_ctx ctx; /* of a request; what is kept between them is of it too */
    ts_app app;
    ts_questions shipped;
    ts_serve_question *questions;
    ts_page_options options;
    ts_view_maker makers[TS_DATABASES];
    ts_reply reply; /* the last one */
    ts_buf texts;   /* of the last request, decoded */
};

/* --- opening --------------------------------------------------------------------------------- */

static ts_code page_questions(ts_page *page)
{
    TS_TRY(ts_questions_load(&page->shipped, &page->ctx));
    const size_t n = page->shipped.count;
    page->questions = ts_zalloc(&page->ctx, n + 1, sizeof *page->questions);
    TS_NEED(&page->ctx, page->questions);
    for (size_t i = 0; i < n; i++) {
        page->questions[i].name = page->shipped.all[i].name;
        page->questions[i].sql = ts_buf_text(&page->shipped.all[i].sql);
    }
    page->app.questions = page->questions;
    page->app.question_count = n;
    return TS_OK;
}

ts_code ts_page_open(ts_page **out, const ts_ctx *base, const ts_page_options *options)
{
    ts_ctx ctx = *base;
    ts_page *page = ts_zalloc(&ctx, 1, sizeof *page);
    *out = NULL;
    if (page == NULL) {
        return TS_ERR_NOMEM;
    }
    page->base = *base;
    page->ctx = ctx;
    page->options = *options;
    page->app.base = &page->base;
    page->app.limits = (ts_app_limits){
        .query_ns =
            options->query_ns > 0 ? options->query_ns : TS_API_QUERY_S * INT64_C(1000000000),
        .max_rows = options->max_rows > 0 ? options->max_rows : TS_API_MAX_ROWS,
        .max_memory = options->max_memory,
        .threads = 1,
    };
    ts_slots_init(&page->app.slots, 1);
    ts_code code = ts_databases_init(&page->app.databases, &page->base);
    TS_STEP(code, page_questions(page));
    if (code != TS_OK) {
        ts_page_close(page);
        return code;
    }
    *out = page;
    return TS_OK;
}

void ts_page_close(ts_page *page)
{
    if (page == NULL) {
        return;
    }
    for (size_t i = 0; i < TS_DATABASES; i++) {
        ts_view_maker_free(&page->makers[i]);
    }
    ts_reply_free(&page->reply, &page->ctx);
    ts_buf_free(&page->ctx, &page->texts);
    ts_databases_free(&page->app.databases);
    ts_slots_free(&page->app.slots);
    ts_free(&page->ctx, page->questions);
    ts_questions_free(&page->shipped, &page->ctx);
    ts_ctx last = page->ctx;
    ts_free(&last, page);
}

ts_code ts_page_add(ts_page *page, const char *path, const char *named)
{
    ts_databases *d = &page->app.databases;
    d->ctx->error = (ts_error){0};
    const size_t number = d->count;
    TS_TRY(ts_databases_add(d, path, named));
    page->makers[number] = (ts_view_maker){.base = &page->base, .databases = d, .database = number};
    for (size_t i = 0; i < d->count; i++) { /* they share it */
        page->makers[i].max_memory = page->options.max_memory / d->count;
    }
    return TS_OK;
}

ts_ctx *ts_page_ctx(ts_page *page)
{
    return page->app.databases.ctx;
}

/* --- what is asked -----------------------------------------------------------------------------
 */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Adds a part of the target without its encoding and a zero byte; its place is from *at on. */
static ts_text decode(char **at, ts_text part, bool plus)
{
    char *p = *at;
    size_t n = 0;
    for (size_t i = 0; i < part.n; i++) {
        const int high = part.p[i] == '%' && i + 2 < part.n ? hex_digit(part.p[i + 1]) : -1;
        const int low = high >= 0 ? hex_digit(part.p[i + 2]) : -1;
        if (low >= 0) {
            p[n++] = (char)(high * 16 + low);
            i += 2;
        } else {
            p[n++] = plus && part.p[i] == '+' ? ' ' : part.p[i];
        }
    }
    p[n] = '\0';
    *at = p + n + 1;
    return (ts_text){p, n};
}

/* Takes what is in front of the first c off a text; without c all of it. False: there is nothing.
 */
static bool take_until(ts_text *out, ts_text *rest, char c)
{
    if (rest->n == 0) {
        return false;
    }
    const char *end = memchr(rest->p, c, rest->n);
    const size_t n = end == NULL ? rest->n : (size_t)(end - rest->p);
    const size_t gone = end == NULL ? n : n + 1;
    *out = (ts_text){rest->p, n};
    *rest = (ts_text){rest->p + gone, rest->n - gone};
    return true;
}

/* Path and parameters. Decoded texts are no longer than encoded ones, but for a zero byte each. */
static ts_code read_target(ts_request *r, ts_arg args[TS_REQUEST_ARGS], ts_page *page,
                           ts_text target)
{
    ts_text path = TS_TEXT_LIT("");
    ts_text pair;
    page->texts.n = 0;
    TS_TRY(ts_buf_reserve(&page->ctx, &page->texts, target.n + 2 * ((size_t)TS_REQUEST_ARGS + 1)));
    char *at = page->texts.p;
    (void)take_until(&path, &target, '?');
    r->path = decode(&at, path, false);
    r->args = args;
    while (take_until(&pair, &target, '&')) {
        ts_text name = TS_TEXT_LIT("");
        if (r->arg_count == TS_REQUEST_ARGS) {
            return ts_fail(&page->ctx, TS_ERR_USAGE, "there are too many parameters");
        }
        (void)take_until(&name, &pair, '=');
        args[r->arg_count].name = decode(&at, name, true).p;
        args[r->arg_count++].value = decode(&at, pair, true);
    }
    return TS_OK;
}

/* --- views -------------------------------------------------------------------------------------
 */

typedef struct view_sink {
    ts_reply_sink to;
    ts_page *page;
} view_sink;

static int view_write(void *user, const void *bytes, size_t n)
{
    view_sink *sink = user;
    return ts_reply_write(&sink->to, bytes, n);
}

static void view_report(void *user, const char *what, uint64_t done, uint64_t total)
{
    const view_sink *sink = user;
    const ts_page_options *o = &sink->page->options;
    if (o->report != NULL) {
        o->report(o->user, what, done, total);
    }
}

static ts_code answer_view(ts_page *page, const ts_request *r, const ts_endpoint *endpoint)
{
    ts_ctx *ctx = &page->ctx;
    ts_reply *reply = &page->reply;
    char message[TS_ERROR_TEXT];
    size_t number;
    ts_view_pair pairs[TS_REQUEST_ARGS];
    view_sink sink = {{reply, ctx}, page};
    ts_guard guard = {.fd = -1};
    ts_view_order order = {.endpoint = endpoint,
                           .pairs = pairs,
                           .user = &sink,
                           .write = view_write,
                           .report = view_report,
                           .guard = &guard};
    TS_TRY(ts_route_view_check(ctx, endpoint, r));
    if (!ts_app_database(&number, reply, &page->app, ctx, ts_request_arg(r, "db"))) {
        return TS_OK;
    }
    for (size_t i = 0; i < r->arg_count; i++) {
        if (strcmp(r->args[i].name, "db") != 0) {
            pairs[order.pair_count++] = (ts_view_pair){r->args[i].name, r->args[i].value};
        }
    }
    ts_code code = ts_view_make(&page->makers[number], &order, message);
    if (code == TS_ERR_LIMIT || code == TS_ERR_NOMEM) {
        return ts_reply_error(reply, ctx, 413, "too_large", message, -1);
    }
    if (code != TS_OK) {
        return ts_fail(ctx, code, "%s", message);
    }
    reply->status = 200;
    reply->type = "application/json; charset=utf-8";
    return TS_OK;
}

/* --- answers -----------------------------------------------------------------------------------
 */

static ts_code answer(ts_page *page, const ts_request *r)
{
    ts_reply *reply = &page->reply;
    const ts_route *route = ts_route_find(ts_data_routes, r->path);
    const ts_endpoint *endpoint = ts_route_view(r);
    if (route != NULL) {
        return ts_route_accepts(reply, &page->ctx, route->methods, r)
                   ? route->run(reply, &page->app, &page->ctx, r)
                   : TS_OK;
    }
    if (endpoint != NULL) {
        return ts_route_accepts(reply, &page->ctx, TS_ROUTE_GET, r) ? answer_view(page, r, endpoint)
                                                                    : TS_OK;
    }
    return ts_reply_error(reply, &page->ctx, 404, "not_found", "there is nothing at this path", -1);
}

/* The rest of a body that is made while it is sent. */
static ts_code read_stream(ts_page *page)
{
    ts_reply *reply = &page->reply;
    ts_stream *stream = reply->stream;
    ts_code code = TS_OK;
    ssize_t n = 1;
    while (code == TS_OK && n > 0) {
        code = ts_buf_reserve(&page->ctx, &reply->body, PAGE_PIECE);
        n = code == TS_OK ? stream->read(stream, reply->body.p + reply->body.n, PAGE_PIECE) : 0;
        reply->body.n += n > 0 ? (size_t)n : 0;
    }
    if (code == TS_OK && n < 0) {
        code = page->ctx.error.code != TS_OK
                   ? page->ctx.error.code
                   : ts_fail(&page->ctx, TS_ERR_INTERRUPTED, "the time limit was reached");
    }
    return code;
}

void ts_page_ask(ts_page_answer *out, ts_page *page, const ts_page_request *request)
{
    ts_arg args[TS_REQUEST_ARGS];
    ts_request r = {.method = request->method,
                    .content_type = TS_TEXT_LIT("application/json"),
                    .body = request->body,
                    .client = -1};
    ts_reply *reply = &page->reply;
    ts_reply_free(reply, &page->ctx);
    *reply = (ts_reply){0};
    page->ctx.error = (ts_error){0};
    ts_code code = read_target(&r, args, page, request->target);
    TS_STEP(code, answer(page, &r));
    TS_STEP_IF(code, reply->stream != NULL, read_stream(page));
    if (code != TS_OK) {
        (void)ts_reply_failure(reply, &page->ctx);
    }
    *out = (ts_page_answer){.status = reply->status, .type = reply->type};
    memcpy(out->file, reply->file, sizeof out->file);
    out->bytes = reply->fixed.p != NULL ? reply->fixed : ts_buf_text(&reply->body);
}

/* Requests: sent to a process whole, answered with the reply's beginning and then in pieces, each
 * of which is asked for. */
#include "base/alloc.h"
#include "serve/api/remote.h"
#include "serve/api/remote_private.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

/* --- in a process ----------------------------------------------------------------------------- */

static void request_take(ts_request *r, ts_arg args[TS_REQUEST_ARGS], ts_text from)
{
    *r = (ts_request){.client = -1, .args = args};
    r->method = ts_take_text(&from);
    r->path = ts_take_text(&from);
    r->content_type = ts_take_text(&from);
    r->if_none_match = ts_take_text(&from);
    r->body = ts_take_text(&from);
    r->arg_count = (size_t)ts_take_number(&from);
    r->arg_count = r->arg_count < TS_REQUEST_ARGS ? r->arg_count : TS_REQUEST_ARGS;
    for (size_t i = 0; i < r->arg_count; i++) {
        args[i].name = ts_take_text(&from).p;
        args[i].value = ts_take_text(&from);
    }
}

static bool reply_send(const ts_reply *reply, int fd, ts_ctx *ctx)
{
    ts_buf out = {0};
    ts_text body = reply->fixed.p != NULL ? reply->fixed : ts_buf_text(&reply->body);
    ts_code code = ts_put_number(ctx, &out, (uint64_t)reply->status);
    TS_STEP(code, ts_put_number(ctx, &out, reply->stream != NULL ? 1 : 0));
    const char *const texts[] = {reply->type, reply->etag, reply->file};
    for (size_t i = 0; code == TS_OK && i < sizeof texts / sizeof texts[0]; i++) {
        code = ts_put_text(ctx, &out, texts[i] == NULL ? TS_TEXT_NULL : ts_text_of(texts[i]));
    }
    TS_STEP(code, ts_put_number(ctx, &out, reply->header_count));
    for (size_t i = 0; code == TS_OK && i < reply->header_count; i++) {
        code = ts_put_text(ctx, &out, ts_text_of(reply->headers[i].name));
        TS_STEP(code, ts_put_text(ctx, &out, ts_text_of(reply->headers[i].value)));
    }
    TS_STEP(code, ts_put_text(ctx, &out, body.p == NULL ? TS_TEXT_LIT("") : body));
    bool sent = code == TS_OK && ts_channel_send(fd, TS_MESSAGE_REPLY, out.p, out.n);
    ts_buf_free(ctx, &out);
    return sent;
}

/* A piece for each message that asks for one. */
static bool stream_send(ts_stream *stream, int fd, ts_buf *message, ts_ctx *ctx)
{
    ts_buf piece = {0};
    ts_message kind;
    ssize_t n = 1;
    bool sent = ts_buf_reserve(ctx, &piece, REMOTE_PIECE) == TS_OK;
    while (sent && n > 0) {
        sent = ts_channel_receive(fd, &kind, message, ctx) && kind == TS_MESSAGE_MORE;
        n = sent ? stream->read(stream, piece.p, REMOTE_PIECE) : 0;
        sent = sent && ts_channel_send(fd,
                                       n > 0    ? TS_MESSAGE_PIECE
                                       : n == 0 ? TS_MESSAGE_END
                                                : TS_MESSAGE_BROKEN,
                                       piece.p, n > 0 ? (size_t)n : 0);
    }
    ts_buf_free(ctx, &piece);
    return sent;
}

bool ts_remote_serve_request(ts_app *app, int fd, ts_buf *message, ts_ctx *ctx)
{
    ts_arg args[TS_REQUEST_ARGS];
    ts_request r;
    ts_reply reply = {0};
    ts_ctx own = *app->base;
    int64_t begun = ts_guard_now();
    request_take(&r, args, ts_buf_text(message));
    ts_app_answer(&reply, app, &own, &r);
    bool sent = reply_send(&reply, fd, ctx);
    if (sent && reply.stream != NULL) {
        sent = stream_send(reply.stream, fd, message, ctx);
    }
    ts_reply_free(&reply, &own);
    if (ts_guard_now() - begun > (int64_t)TS_SLOTS_SHORT_MS * 1000000) {
        ts_alloc_trim();
    }
    return sent;
}

/* --- in the server ---------------------------------------------------------------------------- */

typedef struct remote {
    ts_stream stream; /* first */
    ts_remote *all;
    ts_ctx *ctx;
    ts_worker process;
    ts_guard guard;
    int64_t left_ns; /* of its time */
    bool idle;       /* the process waits for the next request */
    bool slow;       /* it was put aside, where it is less urgent for ever */
    ts_buf message;
    size_t sent; /* of it */
    char type[80];
    char names[TS_REPLY_HEADERS][40];
    char values[TS_REPLY_HEADERS][80];
} remote;

/* Takes a process that waits, unless it has ended meanwhile, or a new one. */
static ts_code process_take(remote *x)
{
    ts_remote *all = x->all;
    (void)pthread_mutex_lock(&all->lock);
    if (all->kept_count > 0) {
        x->process = all->kept[--all->kept_count];
    }
    (void)pthread_mutex_unlock(&all->lock);
    struct pollfd ended = {.fd = x->process.fd, .events = POLLIN};
    if (x->process.pid != 0 &&
        (!ts_worker_wakes(&x->process, all->workers) || poll(&ended, 1, 0) != 0)) {
        ts_worker_end(&x->process, all->workers);
    }
    return x->process.pid != 0 ? TS_OK : ts_worker_start(&x->process, all->workers, x->ctx);
}

static void process_give(remote *x)
{
    ts_remote *all = x->all;
    (void)pthread_mutex_lock(&all->lock);
    if (x->process.pid != 0 && x->idle && !x->slow && all->kept_count < REMOTE_KEPT) {
        ts_worker_rests(&x->process, all->workers);
        all->kept[all->kept_count++] = x->process;
        x->process = (ts_worker){0};
    }
    (void)pthread_mutex_unlock(&all->lock);
    ts_worker_end(&x->process, all->workers);
}

static void remote_free(ts_stream *stream)
{
    remote *x = (remote *)stream;
    ts_ctx *ctx = x->ctx;
    process_give(x);
    ts_buf_free(ctx, &x->message);
    ts_free(ctx, x);
}

/* Sends a message and waits for the answer, in a place for work. */
static ts_code remote_ask(remote *x, ts_message *kind, ts_message what, const ts_buf *bytes)
{
    ts_slots *slots = &x->all->app->slots;
    bool aside = false;
    if (!ts_slots_take(slots, &x->guard, what == TS_MESSAGE_REQUEST)) {
        return ts_fail(x->ctx, TS_ERR_LIMIT, "too many queries run");
    }
    int64_t begun = ts_guard_now();
    bool good = ts_channel_send(x->process.fd, what, bytes->p, bytes->n);
    ts_waited waited = TS_WAITED_READY;
    if (good) {
        waited = ts_remote_wait(&aside, x->all, &x->process, &x->guard,
                                begun + x->left_ns + (int64_t)REMOTE_GRACE_MS * 1000000);
    }
    good = good && waited == TS_WAITED_READY &&
           ts_channel_receive(x->process.fd, kind, &x->message, x->ctx);
    ts_slots_give(slots, aside);
    x->slow = x->slow || aside;
    x->left_ns -= ts_guard_now() - begun;
    x->left_ns = x->left_ns < 0 ? 0 : x->left_ns;
    if (waited != TS_WAITED_READY) {
        return ts_fail(x->ctx, TS_ERR_INTERRUPTED, "the time limit was reached");
    }
    return good ? TS_OK : ts_remote_lost(x->all, &x->process, x->ctx);
}

static ssize_t remote_read(ts_stream *stream, char *out, size_t max)
{
    static const ts_buf nothing = {0};
    remote *x = (remote *)stream;
    if (x->sent == x->message.n && !x->idle) {
        ts_message kind = TS_MESSAGE_BROKEN;
        x->sent = 0;
        x->message.n = 0;
        if (remote_ask(x, &kind, TS_MESSAGE_MORE, &nothing) != TS_OK) {
            return -1;
        }
        x->idle = kind == TS_MESSAGE_END || kind == TS_MESSAGE_BROKEN;
        if (kind != TS_MESSAGE_END && kind != TS_MESSAGE_PIECE) {
            return -1;
        }
    }
    size_t n = x->message.n - x->sent < max ? x->message.n - x->sent : max;
    if (n > 0) {
        memcpy(out, x->message.p + x->sent, n);
        x->sent += n;
    }
    return (ssize_t)n;
}

/* A text of a reply, cut where there is no room for it. */
static void take_into(char *out, size_t room, ts_text *from)
{
    ts_text text = ts_take_text(from);
    (void)snprintf(out, room, "%s", text.p == NULL ? "" : text.p);
}

/* Header and body of a reply. Its texts are kept in x. */
static ts_code remote_reply(remote *x, ts_reply *reply)
{
    ts_text from = ts_buf_text(&x->message);
    reply->status = (int)ts_take_number(&from);
    x->idle = ts_take_number(&from) == 0;
    take_into(x->type, sizeof x->type, &from);
    take_into(reply->etag, sizeof reply->etag, &from);
    take_into(reply->file, sizeof reply->file, &from);
    reply->type = x->type[0] == '\0' ? NULL : x->type;
    uint64_t headers = ts_take_number(&from);
    for (uint64_t i = 0; i < headers && i < TS_REPLY_HEADERS; i++) {
        take_into(x->names[i], sizeof x->names[i], &from);
        take_into(x->values[i], sizeof x->values[i], &from);
        ts_reply_header(reply, x->names[i], x->values[i]);
    }
    ts_text body = ts_take_text(&from);
    return reply->status < 100 || reply->status > 599
               ? ts_fail(x->ctx, TS_ERR_INTERNAL, "the process of the request sent nonsense")
               : ts_buf_put(x->ctx, &reply->body, body.p, body.n);
}

static ts_code request_put(ts_buf *out, ts_ctx *ctx, const ts_request *r)
{
    const ts_text texts[] = {r->method, r->path, r->content_type, r->if_none_match, r->body};
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < sizeof texts / sizeof texts[0]; i++) {
        code = ts_put_text(ctx, out, texts[i]);
    }
    TS_STEP(code, ts_put_number(ctx, out, r->arg_count));
    for (size_t i = 0; code == TS_OK && i < r->arg_count; i++) {
        code = ts_put_text(ctx, out, ts_text_of(r->args[i].name));
        TS_STEP(code, ts_put_text(ctx, out, r->args[i].value));
    }
    return code;
}

/* From the request to the reply's beginning. */
static ts_code remote_begin(remote *x, ts_reply *reply, const ts_request *r)
{
    ts_message kind = TS_MESSAGE_BROKEN;
    ts_buf request = {0};
    ts_code code = request_put(&request, x->ctx, r);
    TS_STEP(code, process_take(x));
    TS_STEP(code, remote_ask(x, &kind, TS_MESSAGE_REQUEST, &request));
    TS_STEP_IF(code, kind != TS_MESSAGE_REPLY,
               ts_fail(x->ctx, TS_ERR_INTERNAL, "the process of the request sent nonsense"));
    ts_buf_free(x->ctx, &request);
    TS_STEP(code, remote_reply(x, reply));
    return code;
}

static void remote_release(void *held)
{
    remote *x = held;
    remote_free(&x->stream);
}

void ts_remote_answer(ts_reply *reply, ts_remote *all, ts_ctx *ctx, const ts_request *r,
                      int64_t limit_ns)
{
    remote *x = ts_zalloc(ctx, 1, sizeof *x);
    if (x == NULL) {
        (void)ts_reply_failure(reply, ctx);
        return;
    }
    *x = (remote){.stream = {remote_read, remote_free},
                  .all = all,
                  .ctx = ctx,
                  .guard = {.fd = r->client, .stop = &all->app->stop},
                  .left_ns = limit_ns};
    if (remote_begin(x, reply, r) != TS_OK) {
        *reply = (ts_reply){.body = reply->body};
        (void)ts_reply_failure(reply, ctx);
        remote_free(&x->stream);
        return;
    }
    if (x->idle) { /* the process is free for others while this is sent */
        process_give(x);
        reply->release = remote_release;
        reply->held = x;
    } else {
        x->message.n = 0;
        reply->stream = &x->stream;
    }
}

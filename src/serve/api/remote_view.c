/* Views: an order goes to the process of the database, progress and the view come from it. */
#include "serve/api/remote.h"
#include "serve/api/remote_private.h"

#include <stdio.h>

enum { VIEW_REPORT_NS = 50 * 1000 * 1000 };

/* --- in a process ----------------------------------------------------------------------------- */

typedef struct view_sender {
    int fd;
    ts_ctx *ctx;
    ts_buf report;
    int64_t reported; /* when */
} view_sender;

static int sender_write(void *user, const void *bytes, size_t n)
{
    const view_sender *s = user;
    return ts_channel_send(s->fd, TS_MESSAGE_PIECE, bytes, n) ? 0 : 1;
}

static void sender_report(void *user, const char *what, uint64_t done, uint64_t total)
{
    view_sender *s = user;
    if (ts_guard_now() - s->reported < VIEW_REPORT_NS) {
        return;
    }
    s->reported = ts_guard_now();
    s->report.n = 0;
    ts_code code = ts_put_text(s->ctx, &s->report, ts_text_of(what));
    TS_STEP(code, ts_put_number(s->ctx, &s->report, done));
    TS_STEP(code, ts_put_number(s->ctx, &s->report, total));
    if (code == TS_OK) {
        (void)ts_channel_send(s->fd, TS_MESSAGE_PROGRESS, s->report.p, s->report.n);
    }
}

bool ts_remote_serve_view(ts_view_maker *maker, const ts_remote *all, int fd, ts_buf *message,
                          ts_ctx *ctx)
{
    char why[TS_ERROR_TEXT];
    ts_view_pair pairs[TS_REQUEST_ARGS];
    ts_text from = ts_buf_text(message);
    view_sender sender = {.fd = fd, .ctx = ctx};
    maker->database = (size_t)ts_take_number(&from);
    maker->max_memory = ts_take_number(&from);
    (void)sqlite3_hard_heap_limit64((int64_t)maker->max_memory);
    ts_text path = ts_take_text(&from);
    size_t count = (size_t)ts_take_number(&from);
    for (size_t i = 0; i < count && i < TS_REQUEST_ARGS; i++) {
        pairs[i].name = ts_take_text(&from).p;
        pairs[i].value = ts_take_text(&from);
    }
    ts_guard guard = {.fd = fd, .stop = &all->shared->cancel[maker->database]};
    const ts_view_order order = {.endpoint = ts_endpoint_find(path.p),
                                 .pairs = pairs,
                                 .pair_count = count,
                                 .user = &sender,
                                 .write = sender_write,
                                 .report = sender_report,
                                 .guard = &guard};
    ts_code code = ts_view_make(maker, &order, why);
    message->n = 0;
    bool sent = ts_put_number(ctx, message, (uint64_t)code) == TS_OK &&
                ts_put_text(ctx, message, ts_text_of(why)) == TS_OK &&
                ts_channel_send(fd, TS_MESSAGE_MADE, message->p, message->n);
    ts_buf_free(ctx, &sender.report);
    return sent;
}

/* --- in the server ---------------------------------------------------------------------------- */

static ts_code order_put(ts_buf *out, ts_ctx *ctx, size_t database, uint64_t memory,
                         const ts_view_order *order)
{
    ts_code code = ts_put_number(ctx, out, database);
    TS_STEP(code, ts_put_number(ctx, out, memory));
    TS_STEP(code, ts_put_text(ctx, out, ts_text_of(order->endpoint->path)));
    TS_STEP(code, ts_put_number(ctx, out, order->pair_count));
    for (size_t i = 0; code == TS_OK && i < order->pair_count; i++) {
        code = ts_put_text(ctx, out, ts_text_of(order->pairs[i].name));
        TS_STEP(code, ts_put_text(ctx, out, order->pairs[i].value));
    }
    return code;
}

typedef struct remote_view {
    ts_remote *all;
    ts_worker *process;
    const ts_view_order *order;
    ts_ctx *ctx;
    ts_buf message;
    char *why;
} remote_view;

static void view_progress(const remote_view *v)
{
    ts_text from = ts_buf_text(&v->message);
    ts_text what = ts_take_text(&from);
    uint64_t done = ts_take_number(&from);
    v->order->report(v->order->user, what.p == NULL ? "" : what.p, done, ts_take_number(&from));
}

static ts_code view_made(const remote_view *v)
{
    ts_text from = ts_buf_text(&v->message);
    uint64_t code = ts_take_number(&from);
    ts_text why = ts_take_text(&from);
    (void)snprintf(v->why, TS_ERROR_TEXT, "%s", why.p == NULL ? "" : why.p);
    return code < TS_CODE_COUNT ? (ts_code)code : TS_ERR_INTERNAL;
}

/*
 * Takes messages until the view is made: *ended. False: the process has gone, or has brought
 * nothing for patience_ns, or the guard has ended it.
 */
static bool view_receive(remote_view *v, ts_code *code, ts_guard *guard, int64_t patience_ns)
{
    ts_message kind = TS_MESSAGE_PROGRESS;
    *code = TS_OK;
    while (kind != TS_MESSAGE_MADE) {
        ts_waited waited = ts_channel_wait(v->process->fd, guard, ts_guard_now() + patience_ns);
        if (waited != TS_WAITED_READY) {
            (void)snprintf(v->why, TS_ERROR_TEXT, "the time limit was reached");
            *code = TS_ERR_INTERRUPTED;
            return false;
        }
        if (!ts_channel_receive(v->process->fd, &kind, &v->message, v->ctx)) {
            *code = ts_remote_lost(v->all, v->process, v->ctx);
            (void)snprintf(v->why, TS_ERROR_TEXT, "%s", v->ctx->error.causes[0]);
            return false;
        }
        if (kind == TS_MESSAGE_PROGRESS) {
            view_progress(v);
        } else if (kind == TS_MESSAGE_PIECE && *code == TS_OK &&
                   v->order->write(v->order->user, v->message.p, v->message.n) != 0) {
            *code = TS_ERR_NOMEM;
        }
    }
    ts_code made = view_made(v);
    TS_STEP(*code, made);
    return true;
}

/* Sends the order; when the view takes too long it is asked to end, and then killed. */
static ts_code view_run(remote_view *v, const ts_buf *order, atomic_bool *cancel)
{
    ts_guard nothing = {.fd = -1};
    ts_code code;
    ts_code late;
    atomic_store(cancel, false);
    if (!ts_channel_send(v->process->fd, TS_MESSAGE_VIEW, order->p, order->n)) {
        ts_worker_end(v->process, v->all->workers);
        return TS_ERR_INTERNAL;
    }
    bool made = view_receive(v, &code, v->order->guard, v->all->app->limits.query_ns);
    if (!made && code == TS_ERR_INTERRUPTED) {
        atomic_store(cancel, true);
        made = view_receive(v, &late, &nothing, (int64_t)REMOTE_GRACE_MS * 1000000);
    }
    if (!made) {
        ts_worker_end(v->process, v->all->workers);
    }
    return code;
}

/* What is left of --max-memory for one of so many: an eighth is for what processes have beside
 * what they count, so that a view that needs too much is told so instead of being killed. */
static uint64_t view_share(const ts_app *app, unsigned views)
{
    uint64_t share = ts_remote_share(app, views);
    uint64_t less = share - share / 8;
    return less < (uint64_t)REMOTE_LEAST ? share : less;
}

ts_code ts_remote_view(ts_worker *one, ts_remote *all, size_t database, const ts_view_order *order,
                       char message[TS_ERROR_TEXT])
{
    ts_ctx ctx = *all->app->base;
    ts_buf bytes = {0};
    remote_view v = {.all = all, .process = one, .order = order, .ctx = &ctx, .why = message};
    message[0] = '\0';
    unsigned views = atomic_fetch_add(&all->views, 1) + 1;
    ts_code code = order_put(&bytes, &ctx, database, view_share(all->app, views), order);
    if (one->pid != 0 && !ts_worker_wakes(one, all->workers)) {
        ts_worker_end(one, all->workers); /* what it had read is read again */
    }
    TS_STEP_IF(code, one->pid == 0, ts_worker_start(one, all->workers, &ctx));
    TS_STEP(code, view_run(&v, &bytes, &all->shared->cancel[database]));
    ts_worker_rests(one, all->workers);
    (void)atomic_fetch_sub(&all->views, 1);
    ts_buf_free(&ctx, &bytes);
    ts_buf_free(&ctx, &v.message);
    return code;
}

void ts_remote_view_end(ts_worker *one, ts_remote *all)
{
    if (one->pid != 0) {
        ts_worker_end(one, all->workers);
    }
}

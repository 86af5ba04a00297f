/* /api/export?view=flame: the stacks of a database in the formats of --to. */
#include "serve/api/app.h"
#include "serve/api/query.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/spool.h"
#include "export/export.h"

#include <inttypes.h>

/* An export as it is made, and then a stream of it. */
typedef struct stacks {
    ts_stream stream; /* first */
    ts_ctx *ctx;
    ts_spool *spool;
    ts_guard guard;
    uint64_t at;
} stacks;

static ts_code stacks_put(void *user, const char *p, size_t n)
{
    stacks *s = user;
    ts_code code = ts_guard_check(&s->guard, s->ctx);
    return code != TS_OK ? code : ts_spool_write(s->spool, p, n);
}

static ssize_t stacks_read(ts_stream *stream, char *out, size_t max)
{
    stacks *s = (stacks *)stream;
    size_t got = 0;
    if (ts_spool_read(&got, s->spool, s->at, out, max) != TS_OK) {
        return -1;
    }
    s->at += got;
    return (ssize_t)got;
}

static void stacks_free(ts_stream *stream)
{
    stacks *s = (stacks *)stream;
    ts_spool_free(s->spool);
    ts_free(s->ctx, s);
}

/* A parameter with a zero byte in `texts`, whose memory is there already; NULL: not given. */
static const char *stacks_text(ts_buf *texts, ts_ctx *ctx, const ts_request *r, const char *name)
{
    ts_text value = ts_request_arg(r, name);
    size_t at = texts->n;
    if (value.p == NULL || value.n == 0 || ts_buf_put(ctx, texts, value.p, value.n) != TS_OK ||
        ts_buf_putc(ctx, texts, '\0') != TS_OK) {
        return NULL;
    }
    return texts->p + at;
}

/* A number is ns since the beginning of the recording, anything else as in model/when.h. */
static const char *stacks_time(ts_buf *texts, ts_ctx *ctx, const ts_request *r, const char *name,
                               int64_t origin)
{
    ts_asked_param n;
    ts_text value = ts_request_arg(r, name);
    size_t at = texts->n;
    if (value.p == NULL || !ts_asked_number(&n, value) || n.type != TS_ASKED_INT) {
        return stacks_text(texts, ctx, r, name);
    }
    return ts_buf_printf(ctx, texts, "%" PRId64 "%c", ts_sat_add(n.i, origin), 0) == TS_OK
               ? texts->p + at
               : NULL;
}

/* The older side of a difference: another source, with threads and times of its own, or another
 * time. False: no difference is asked for. */
static bool stacks_before(ts_export_side *before, const ts_export_side *side, ts_buf *texts,
                          ts_ctx *ctx, const ts_request *r, int64_t origin)
{
    const char *source = stacks_text(texts, ctx, r, "before_src");
    const char *from = stacks_time(texts, ctx, r, "before_from", origin);
    const char *until = stacks_time(texts, ctx, r, "before_to", origin);
    *before = *side;
    if (source != NULL) {
        before->filter.wanted.source = source;
        before->filter.wanted.thread = NULL;
    }
    before->filter.wanted.from = from;
    before->filter.wanted.until = until;
    return source != NULL || from != NULL || until != NULL;
}

static ts_code stacks_run(stacks *s, ts_app *app, size_t number, const ts_export *what,
                          const ts_request *r, int64_t origin)
{
    ts_reader *reader = NULL;
    ts_identity identity;
    const char *path = NULL;
    ts_reader *older = NULL;
    ts_export_side before;
    ts_buf texts = {0};
    const ts_export_output output = {s, stacks_put, NULL};
    ts_export_input input = {.side = {.title = app->databases.all[number].name}};
    ts_stack_filter *f = &input.side.filter;
    ts_code code = ts_buf_reserve(s->ctx, &texts, TS_API_BODY); /* so that it does not move */
    if (code == TS_OK) {
        f->wanted.source = stacks_text(&texts, s->ctx, r, "source");
        f->wanted.thread = stacks_text(&texts, s->ctx, r, "thread");
        f->wanted.from = stacks_time(&texts, s->ctx, r, "from", origin);
        f->wanted.until = stacks_time(&texts, s->ctx, r, "to", origin);
        f->event = stacks_text(&texts, s->ctx, r, "event");
        f->wanted.label = stacks_text(&texts, s->ctx, r, "label");
        f->weight = stacks_text(&texts, s->ctx, r, "weight");
        f->only = stacks_text(&texts, s->ctx, r, "only");
        f->ignore = stacks_text(&texts, s->ctx, r, "ignore");
        f->hide = stacks_text(&texts, s->ctx, r, "hide");
        f->no_idle = ts_text_is(ts_request_arg(r, "idle"), "without");
        f->no_samples = ts_text_is(ts_request_arg(r, "kind"), "slice");
        f->no_calls = ts_text_is(ts_request_arg(r, "kind"), "sample");
        code = ts_database_file(&path, &identity, NULL, &app->databases, s->ctx, number);
    }
    TS_STEP(code, ts_reader_open(&reader, s->ctx, path));
    if (code == TS_OK) {
        input.side.reader = reader;
        if (stacks_before(&before, &input.side, &texts, s->ctx, r, origin)) {
            input.before = &before;
            code = ts_reader_open(&older, s->ctx, path);
            before.reader = older;
        }
    }
    TS_STEP(code, ts_export_run(s->ctx, what, &input, &output));
    ts_reader_free(reader);
    ts_reader_free(older);
    ts_buf_free(s->ctx, &texts);
    return code;
}

/* The beginning of the recording; 0 when the database does not say. */
static ts_code stacks_origin(int64_t *origin, ts_app *app, ts_ctx *ctx, size_t number,
                             ts_reply *reply)
{
    ts_lease *lease;
    *origin = 0;
    if (!ts_app_lease(&lease, reply, app, ctx, number)) {
        return TS_OK; /* it was answered */
    }
    *origin = ts_app_origin(&lease->sandbox);
    ts_database_give(&app->databases, lease);
    return TS_OK;
}

ts_code ts_api_stacks(ts_reply *reply, ts_app *app, ts_ctx *ctx, const ts_request *r, size_t number,
                      const char *format)
{
    const ts_export *what;
    int64_t origin;
    ts_code code = ts_export_find(&what, ctx, format);
    TS_STEP(code, stacks_origin(&origin, app, ctx, number, reply));
    if (code != TS_OK || reply->status != 0) {
        return code;
    }
    stacks *s = ts_zalloc(ctx, 1, sizeof *s);
    TS_NEED(ctx, s);
    *s = (stacks){.stream = {stacks_read, stacks_free},
                  .ctx = ctx,
                  .guard = {.fd = r->client, .stop = &app->stop}};
    if (!ts_slots_take(&app->slots, &s->guard, true)) {
        stacks_free(&s->stream);
        return ts_reply_error(reply, ctx, 503, "busy", "too many queries run", -1);
    }
    s->guard.deadline_ns = ts_guard_now() + app->limits.query_ns;
    code = ts_spool_new(&s->spool, ctx);
    TS_STEP(code, stacks_run(s, app, number, what, r, origin));
    ts_slots_give(&app->slots, false);
    if (code != TS_OK) {
        stacks_free(&s->stream);
        return code;
    }
    reply->status = 200;
    reply->type = "application/octet-stream";
    reply->stream = &s->stream;
    return TS_OK;
}

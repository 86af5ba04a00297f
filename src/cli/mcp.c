/*
 * "mcp": lines of standard input are messages of a client, lines of standard output the answers.
 * One thread reads, so that a request can be cancelled while it is answered; this one answers.
 */
#include "cli/verbs.h"

#include "cli/exit_codes.h"
#include "cli/print.h"
#if TS_MCP_BUILT
#include "mcp/mcp.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

enum {
    WAIT_MS = 200,         /* how often the reader looks for signals and the time */
    QUEUE_MOST = 16 << 20, /* bytes of messages that wait */
    TIMEOUT_DEFAULT = 120  /* seconds */
};

typedef struct mcp_pipe {
    ts_ctx *ctx; /* of the thread that answers */
    ts_mcp *m;
    double timeout;
    bool gone; /* the client reads no more answers: the end, as that of a pipe */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    ts_ctx shared; /* what follows is changed below the lock only */
    ts_buf queue;  /* whole lines */
    size_t taken;  /* bytes of it that were answered */
    bool ended;    /* the input, or by a signal */
    bool stopped;  /* nothing is answered any more */
    ts_code code;  /* why the reader stopped */
} mcp_pipe;

/* --- reading --------------------------------------------------------------------------------- */

static void end_reading(mcp_pipe *p, ts_code code)
{
    (void)pthread_mutex_lock(&p->lock);
    p->ended = true;
    p->code = code;
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->lock);
}

static ts_code push_line(mcp_pipe *p, ts_text line)
{
    (void)pthread_mutex_lock(&p->lock);
    while (p->queue.n - p->taken > QUEUE_MOST && !p->stopped) {
        (void)pthread_cond_wait(&p->changed, &p->lock);
    }
    ts_code code = ts_buf_put(&p->shared, &p->queue, line.p, line.n);
    TS_STEP(code, ts_buf_putc(&p->shared, &p->queue, '\n'));
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->lock);
    return code;
}

/* The request is answered now, waits, or is none any more: it is taken out of those that wait. All
 * of this below the lock, under which it goes from one to the other. */
static ts_code cancel_request(mcp_pipe *p, ts_ctx *ctx, ts_text id)
{
    ts_code code = TS_OK;
    (void)pthread_mutex_lock(&p->lock);
    bool found = ts_mcp_cancel(p->m, id);
    for (size_t at = p->taken; code == TS_OK && !found && at < p->queue.n;) {
        char *begin = p->queue.p + at;
        const char *end = memchr(begin, '\n', p->queue.n - at);
        const size_t n = (size_t)(end - begin);
        code = ts_mcp_is_request(&found, ctx, (ts_text){begin, n}, id);
        if (code == TS_OK && found) {
            memmove(begin, end + 1, p->queue.n - at - n - 1);
            p->queue.n -= n + 1;
        }
        at += n + 1;
    }
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->lock);
    return code;
}

static ts_code take_line(mcp_pipe *p, ts_ctx *ctx, ts_text line)
{
    ts_buf id = {0};
    ts_code code = ts_mcp_cancels(&id, ctx, line);
    if (code == TS_OK && id.n > 0) {
        code = cancel_request(p, ctx, ts_buf_text(&id));
    } else {
        TS_STEP(code, push_line(p, line));
    }
    ts_buf_free(ctx, &id);
    return code;
}

/* Bytes of the input: lines of them, and the beginning of the next one. Of one that is too long the
 * beginning is kept, which says so. */
static ts_code take_bytes(mcp_pipe *p, ts_ctx *ctx, ts_buf *open, ts_text bytes)
{
    while (bytes.n > 0) {
        const char *end = memchr(bytes.p, '\n', bytes.n);
        const size_t n = end == NULL ? bytes.n : (size_t)(end - bytes.p);
        const size_t room = MCP_LINE_MOST + 1 - open->n;
        TS_TRY(ts_buf_put(ctx, open, bytes.p, n < room ? n : room));
        if (end == NULL) {
            return TS_OK;
        }
        TS_TRY(take_line(p, ctx, ts_buf_text(open)));
        open->n = 0;
        bytes = ts_text_from(bytes, n + 1);
    }
    return TS_OK;
}

static bool stopped(mcp_pipe *p)
{
    (void)pthread_mutex_lock(&p->lock);
    const bool is = p->stopped;
    (void)pthread_mutex_unlock(&p->lock);
    return is;
}

/* *n: bytes that were read, 0 at the end; -1: none yet. */
static ts_code read_some(ssize_t *n, mcp_pipe *p, char *bytes, size_t room)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    const int ready = poll(&input, 1, WAIT_MS);
    *n = -1;
    if ((p->ctx->cancel != NULL && *p->ctx->cancel != 0) || stopped(p)) {
        return TS_ERR_INTERRUPTED;
    }
    if (ts_mcp_busy(p->m) > p->timeout) {
        (void)ts_mcp_cancel(p->m, TS_TEXT_NULL);
    }
    if (ready <= 0) {
        return TS_OK;
    }
    *n = read(STDIN_FILENO, bytes, room);
    if (*n < 0 && errno != EINTR && errno != EAGAIN) {
        *n = 0; /* what cannot be read is at its end */
    }
    return TS_OK;
}

static void *read_lines(void *user)
{
    enum { BYTES = 1 << 16 };
    mcp_pipe *p = user;
    ts_ctx ctx;
    ts_buf open = {0};
    char bytes[BYTES];
    ssize_t n = -1;
    ts_ctx_init(&ctx);
    ts_code code = TS_OK;
    while (code == TS_OK && n != 0) {
        code = read_some(&n, p, bytes, sizeof bytes);
        TS_STEP_IF(code, n > 0, take_bytes(p, &ctx, &open, (ts_text){bytes, (size_t)n}));
    }
    TS_STEP_IF(code, open.n > 0, take_line(p, &ctx, ts_buf_text(&open)));
    if (code != TS_OK) {
        (void)ts_mcp_cancel(p->m, TS_TEXT_NULL);
    }
    ts_buf_free(&ctx, &open);
    end_reading(p, code);
    return NULL;
}

/* --- answering ---------------------------------------------------------------------------------
 */

static ts_code put_message(void *user, ts_text message)
{
    mcp_pipe *p = user;
    ts_output out;
    ts_output_init(&out, p->ctx, STDOUT_FILENO, "standard output");
    ts_code code = ts_buf_put(p->ctx, &out.buf, message.p, message.n);
    TS_STEP(code, ts_buf_putc(p->ctx, &out.buf, '\n'));
    TS_TRY_INTO(code, ts_output_end(&out, code));
    p->gone = out.gone;
    return TS_OK;
}

/* The next line into `line`. False: there is none any more. */
static bool next_line(ts_code *code, mcp_pipe *p, ts_buf *line)
{
    (void)pthread_mutex_lock(&p->lock);
    while (p->taken == p->queue.n && !p->ended) {
        (void)pthread_cond_wait(&p->changed, &p->lock);
    }
    const bool found = p->taken < p->queue.n && p->code == TS_OK;
    line->n = 0;
    *code = p->code;
    if (found) {
        const char *begin = p->queue.p + p->taken;
        const char *end = memchr(begin, '\n', p->queue.n - p->taken);
        *code = ts_buf_put(p->ctx, line, begin, (size_t)(end - begin));
        TS_STEP(*code, ts_mcp_next(p->m, ts_buf_text(line)));
        p->taken += (size_t)(end - begin) + 1;
        if (p->taken == p->queue.n) {
            p->taken = p->queue.n = 0;
        }
        (void)pthread_cond_broadcast(&p->changed);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return found && *code == TS_OK;
}

static ts_code run(mcp_pipe *p)
{
    pthread_t reader;
    ts_buf line = {0};
    ts_code code = TS_OK;
    if (pthread_create(&reader, NULL, read_lines, p) != 0) {
        return ts_fail(p->ctx, TS_ERR_NOMEM, "cannot start a thread");
    }
    while (code == TS_OK && !p->gone && next_line(&code, p, &line)) {
        code = ts_mcp_take(p->m, ts_buf_text(&line));
    }
    (void)pthread_mutex_lock(&p->lock);
    p->stopped = true;
    (void)pthread_cond_broadcast(&p->changed);
    (void)pthread_mutex_unlock(&p->lock);
    (void)pthread_join(reader, NULL);
    ts_buf_free(p->ctx, &line);
    return code;
}

int ts_mcp_verb(ts_ctx *ctx, const ts_options *options)
{
    mcp_pipe p = {.ctx = ctx,
                  .timeout =
                      options->timeout == TS_NOT_GIVEN ? TIMEOUT_DEFAULT : (double)options->timeout,
                  .lock = PTHREAD_MUTEX_INITIALIZER,
                  .changed = PTHREAD_COND_INITIALIZER};
    ts_ctx_init(&p.shared);
    ts_code code = ts_mcp_new(&p.m, ctx, put_message, &p);
    for (size_t i = 0; i < options->path_count && code == TS_OK; i++) {
        code = ts_mcp_add(p.m, options->paths[i]);
    }
    TS_STEP(code, run(&p));
    if (code != TS_OK && code != TS_ERR_INTERRUPTED) {
        ts_print_error(ctx, &ctx->error);
    }
    ts_mcp_free(p.m);
    ts_buf_free(&p.shared, &p.queue);
    return ts_exit_code(ctx, code);
}

#else

int ts_mcp_verb(ts_ctx *ctx, const ts_options *options)
{
    (void)options;
    (void)ts_fail(ctx, TS_ERR_USAGE, "this build has no mcp: it was made without the library");
    ts_print_error(ctx, &ctx->error);
    return ts_exit_code(ctx, TS_ERR_USAGE);
}

#endif

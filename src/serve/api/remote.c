/*
 * Requests and views in processes of their own, so that each can be killed.
 *
 * A process runs process_run until its channel closes. What comes first decides what it is for:
 * requests, one after the other, or the views of one database; it keeps what it has read for the
 * next. Its memory is limited by SQLite's hard limit, to a quarter of --max-memory for requests
 * and, for views, to a share for each database whose views are being made; all processes together
 * are watched by ts_remote_watch, for which those that wait go first.
 *
 * In the server, waiting for a process is a wait on its channel. Work that takes longer than
 * TS_SLOTS_SHORT_MS leaves its place to others and gets a lower priority. A process that does not
 * end REMOTE_GRACE_MS after its time is killed, and so is one whose answer is not wanted any more;
 * the error then says whether it was its memory. At most REMOTE_KEPT idle processes are kept.
 */
#include "serve/api/remote.h"

#include "base/alloc.h"
#include "serve/api/remote_private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* --- in a process ----------------------------------------------------------------------------- */

uint64_t ts_remote_share(const ts_app *app, uint64_t parts)
{
    uint64_t share = app->limits.max_memory / parts;
    return app->limits.max_memory == 0      ? 0
           : share < (uint64_t)REMOTE_LEAST ? (uint64_t)REMOTE_LEAST
                                            : share;
}

/* A process serves either requests or the views of a database: what comes first says which. */
static void process_run(void *user, int fd)
{
    const ts_remote *all = user;
    ts_app app = *all->app;
    ts_ctx base = *all->app->base;
    ts_view_maker maker = {.base = all->app->base, .databases = &app.databases};
    ts_ctx ctx = base; /* of the messages */
    ts_buf message = {0};
    ts_message kind;
    bool goes_on = true;
    app.remote = NULL;
    app.views = NULL;
    base.limits.max_memory = ts_remote_share(all->app, REMOTE_SHARE);
    app.base = &base;
    while (goes_on && ts_channel_receive(fd, &kind, &message, &ctx)) {
        if (kind == TS_MESSAGE_VIEW) {
            goes_on = ts_remote_serve_view(&maker, all, fd, &message, &ctx);
        } else {
            (void)sqlite3_hard_heap_limit64((int64_t)base.limits.max_memory);
            goes_on =
                kind == TS_MESSAGE_REQUEST && ts_remote_serve_request(&app, fd, &message, &ctx);
        }
    }
}

/* --- in the server ---------------------------------------------------------------------------- */

ts_code ts_remote_open(ts_remote **out, ts_ctx *ctx, ts_app *app, int listener)
{
    ts_ctx own = *app->base;
    ts_remote *all = ts_zalloc(&own, 1, sizeof *all);
    *out = all;
    if (all == NULL) {
        return own.error.code;
    }
    all->ctx = own;
    all->app = app;
    (void)pthread_mutex_init(&all->lock, NULL);
    void *shared =
        mmap(NULL, sizeof *all->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ts_code code = TS_OK;
    if (shared == MAP_FAILED) {
        code = ts_fail(ctx, TS_ERR_NOMEM, "cannot map %zu bytes: %s", sizeof *all->shared,
                       strerror(errno));
    } else {
        all->shared = shared;
        code = ts_workers_open(&all->workers, ctx, process_run, all, listener);
    }
    if (code != TS_OK) {
        ts_remote_close(all);
        *out = NULL;
    }
    return code;
}

void ts_remote_close(ts_remote *all)
{
    if (all == NULL) {
        return;
    }
    while (all->kept_count > 0) {
        ts_worker_end(&all->kept[--all->kept_count], all->workers);
    }
    ts_workers_close(all->workers);
    if (all->shared != NULL) {
        (void)munmap(all->shared, sizeof *all->shared);
    }
    (void)pthread_mutex_destroy(&all->lock);
    ts_ctx ctx = all->ctx;
    ts_free(&ctx, all);
}

void ts_remote_watch(ts_remote *all)
{
    ts_workers_watch(all->workers, all->app->limits.max_memory);
}

ts_waited ts_remote_wait(bool *aside, ts_remote *all, const ts_worker *one, ts_guard *guard,
                         int64_t until)
{
    const int64_t step = (int64_t)TS_SLOTS_SHORT_MS * 1000000;
    ts_waited waited = TS_WAITED_LATE;
    int64_t next = ts_guard_now() + step;
    while (waited == TS_WAITED_LATE && ts_guard_now() < until) {
        waited = ts_channel_wait(one->fd, guard, *aside || until < next ? until : next);
        if (waited == TS_WAITED_LATE && !*aside) {
            next = ts_guard_now() + step;
            *aside = ts_slots_aside(&all->app->slots);
            if (*aside) {
                (void)setpriority(PRIO_PROCESS, (id_t)one->pid, REMOTE_NICE);
            }
        }
    }
    return waited;
}

ts_code ts_remote_lost(ts_remote *all, const ts_worker *one, ts_ctx *ctx)
{
    return ts_worker_was_large(one, all->workers)
               ? ts_fail(ctx, TS_ERR_LIMIT, "all queries together need more than --max-memory")
               : ts_fail(ctx, TS_ERR_INTERNAL, "the process of the request has ended");
}

/*
 * Views that are made, wait or are kept: at most TS_VIEW_JOBS jobs, found by their etag.
 *
 * A job WAITS, RUNS and is DONE or FAILED, and never goes back. Each database has a thread that
 * makes its jobs in the order in which they came, so a database's views are never made twice at
 * once; a request waits TS_VIEW_WAIT_MS for its job and is then answered with the progress. The
 * thread works without the lock; the body, the progress and the state are changed with it.
 *
 * A job is freed only when it is over and has no waiters: a reply that is being sent from its body
 * is one. Bodies are kept up to TS_VIEW_KEPT bytes, those longest unused going first. A running job
 * for which no request has asked in TS_VIEW_PATIENCE_S is cancelled. When the server stops, waiting
 * requests are woken and fail.
 */
#include "serve/views/view_jobs.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef enum job_state { JOB_WAITS, JOB_RUNS, JOB_DONE, JOB_FAILED } job_state;

typedef struct view_job {
    ts_view_jobs *jobs;
    job_state state;
    const ts_endpoint *endpoint;
    size_t database;
    char etag[40];
    ts_view_pair pairs[TS_REQUEST_ARGS]; /* whose texts are in `texts` */
    size_t pair_count;
    ts_buf texts;
    ts_buf body;
    ts_code code; /* of JOB_FAILED */
    char message[TS_ERROR_TEXT];
    unsigned waiters; /* requests that look at it, and replies that are being sent */
    int64_t asked;    /* when a request last wanted it */
    uint64_t order;
    atomic_bool cancel;
    char what[40]; /* progress */
    uint64_t done;
    uint64_t total;
} view_job;

/* The thread of a database, and what makes its views. */
typedef struct view_worker {
    ts_view_jobs *jobs;
    bool started;
    pthread_t thread;
    ts_view_maker maker;
    ts_worker process; /* instead, when there is jobs->remote */
} view_worker;

struct ts_view_jobs {
    const ts_ctx *base; /* borrowed */
    ts_ctx ctx;         /* under the lock */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a job was added or has ended, or everything stops */
    bool stopping;
    ts_databases *databases;
    ts_slots *slots;
    ts_remote *remote; /* borrowed; NULL: views are made in this process */
    uint64_t max_memory;
    uint64_t order;
    uint64_t kept; /* bytes of bodies */
    view_job *all[TS_VIEW_JOBS];
    view_worker workers[TS_DATABASES];
};

/* --- jobs; with the lock ---------------------------------------------------------------------- */

static void job_free(ts_view_jobs *jobs, size_t at)
{
    view_job *job = jobs->all[at];
    jobs->kept -= job->body.n;
    ts_buf_free(&jobs->ctx, &job->body);
    ts_buf_free(&jobs->ctx, &job->texts);
    ts_free(&jobs->ctx, job);
    jobs->all[at] = NULL;
}

static bool job_over(const view_job *job)
{
    return job->state == JOB_DONE || job->state == JOB_FAILED;
}

/* Frees what was not wanted for the longest, until the replies fit and a place is free. */
static void jobs_tidy(ts_view_jobs *jobs)
{
    for (;;) {
        size_t oldest = TS_VIEW_JOBS;
        bool room = false;
        for (size_t i = 0; i < TS_VIEW_JOBS; i++) {
            const view_job *job = jobs->all[i];
            room = room || job == NULL;
            if (job != NULL && job_over(job) && job->waiters == 0 &&
                (oldest == TS_VIEW_JOBS || job->order < jobs->all[oldest]->order)) {
                oldest = i;
            }
        }
        if ((room && jobs->kept <= TS_VIEW_KEPT) || oldest == TS_VIEW_JOBS) {
            return;
        }
        job_free(jobs, oldest);
    }
}

static size_t job_find(const ts_view_jobs *jobs, const char *etag)
{
    size_t i = 0;
    while (i < TS_VIEW_JOBS && (jobs->all[i] == NULL || strcmp(jobs->all[i]->etag, etag) != 0)) {
        i++;
    }
    return i;
}

/* Copies the parameters, but for the database. */
static ts_code job_pairs(view_job *job, ts_ctx *ctx, const ts_request *r)
{
    size_t at = 0;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < r->arg_count; i++) {
        const ts_arg *a = &r->args[i];
        if (strcmp(a->name, "db") != 0) {
            code = ts_buf_printf(ctx, &job->texts, "%s%c", a->name, 0);
        }
        TS_STEP_IF(code, strcmp(a->name, "db") != 0,
                   ts_buf_put(ctx, &job->texts, a->value.p, a->value.n));
    }
    for (size_t i = 0; code == TS_OK && i < r->arg_count; i++) {
        const ts_arg *a = &r->args[i];
        if (strcmp(a->name, "db") != 0) {
            const char *name = job->texts.p + at;
            at += strlen(a->name) + 1;
            job->pairs[job->pair_count++] = (ts_view_pair){name, {job->texts.p + at, a->value.n}};
            at += a->value.n;
        }
    }
    return code;
}

/* A new job that waits for its thread; TS_VIEW_JOBS: there is no place or memory. */
static size_t job_add(ts_view_jobs *jobs, const ts_endpoint *endpoint, size_t database,
                      const char *etag, const ts_request *r)
{
    size_t at = 0;
    jobs_tidy(jobs);
    while (at < TS_VIEW_JOBS && jobs->all[at] != NULL) {
        at++;
    }
    if (at == TS_VIEW_JOBS) {
        return at;
    }
    view_job *job = ts_zalloc(&jobs->ctx, 1, sizeof *job);
    if (job == NULL) {
        return TS_VIEW_JOBS;
    }
    jobs->all[at] = job;
    job->jobs = jobs;
    job->state = JOB_WAITS;
    job->endpoint = endpoint;
    job->database = database;
    (void)snprintf(job->what, sizeof job->what, "waiting for other views");
    job->order = ++jobs->order;
    (void)snprintf(job->etag, sizeof job->etag, "%s", etag);
    if (job_pairs(job, &jobs->ctx, r) != TS_OK) {
        job_free(jobs, at);
        return TS_VIEW_JOBS;
    }
    return at;
}

/* --- making one ------------------------------------------------------------------------------ */

typedef struct view_run {
    ts_view_jobs *jobs;
    view_job *job;
} view_run;

static int run_write(void *user, const void *bytes, size_t len)
{
    view_run *run = user;
    ts_view_jobs *jobs = run->jobs;
    (void)pthread_mutex_lock(&jobs->lock);
    ts_code code = ts_buf_put(&jobs->ctx, &run->job->body, bytes, len);
    jobs->kept += code == TS_OK ? len : 0;
    (void)pthread_mutex_unlock(&jobs->lock);
    return code == TS_OK ? 0 : 1;
}

static void run_report(void *user, const char *what, uint64_t done, uint64_t total)
{
    view_run *run = user;
    (void)pthread_mutex_lock(&run->jobs->lock);
    (void)snprintf(run->job->what, sizeof run->job->what, "%s", what);
    run->job->done = done;
    run->job->total = total;
    bool forgotten = ts_guard_now() - run->job->asked > (int64_t)TS_VIEW_PATIENCE_S * 1000000000;
    if (forgotten) {
        atomic_store(&run->job->cancel, true);
    }
    (void)pthread_mutex_unlock(&run->jobs->lock);
}

/* Makes the view of a job, without the lock. The message of a failure goes to `message`. */
static ts_code worker_make(view_worker *w, view_job *job, char message[TS_ERROR_TEXT])
{
    ts_view_jobs *jobs = w->jobs;
    view_run run = {jobs, job};
    ts_guard guard = {.fd = -1, .stop = &job->cancel};
    const ts_view_order order = {.endpoint = job->endpoint,
                                 .pairs = job->pairs,
                                 .pair_count = job->pair_count,
                                 .user = &run,
                                 .write = run_write,
                                 .report = run_report,
                                 .guard = &guard};
    if (jobs->remote != NULL) {
        return ts_remote_view(&w->process, jobs->remote, w->maker.database, &order, message);
    }
    if (!ts_slots_take(jobs->slots, &guard, false)) {
        return TS_ERR_INTERRUPTED;
    }
    ts_code code = ts_view_make(&w->maker, &order, message);
    ts_slots_give(jobs->slots, false);
    return code;
}

/* --- the threads ----------------------------------------------------------------------------- */

static view_job *worker_next(const view_worker *w)
{
    view_job *next = NULL;
    for (size_t i = 0; i < TS_VIEW_JOBS; i++) {
        view_job *job = w->jobs->all[i];
        if (job != NULL && job->state == JOB_WAITS && job->database == w->maker.database &&
            (next == NULL || job->order < next->order)) {
            next = job;
        }
    }
    return next;
}

/* A body is kept for long: without the room that it was given to grow. */
static void job_shrink(ts_view_jobs *jobs, view_job *job)
{
    void *p = job->body.n == 0 ? NULL : ts_realloc(&jobs->ctx, job->body.p, job->body.n, 1);
    if (p != NULL) {
        job->body.p = p;
        job->body.cap = job->body.n;
    }
}

static void job_end(ts_view_jobs *jobs, view_job *job, ts_code code, const char *message)
{
    job_shrink(jobs, job);
    job->state = code == TS_OK ? JOB_DONE : JOB_FAILED;
    job->code = code;
    memcpy(job->message, message, sizeof job->message);
    if (code != TS_OK) {
        jobs->kept -= job->body.n;
        ts_buf_free(&jobs->ctx, &job->body);
        job->body = (ts_buf){0};
    }
    (void)pthread_cond_broadcast(&jobs->changed);
}

static void *worker_main(void *user)
{
    view_worker *w = user;
    ts_view_jobs *jobs = w->jobs;
    char message[TS_ERROR_TEXT];
    (void)pthread_mutex_lock(&jobs->lock);
    while (!jobs->stopping) {
        view_job *job = worker_next(w);
        if (job == NULL) {
            (void)pthread_cond_wait(&jobs->changed, &jobs->lock);
            continue;
        }
        job->state = JOB_RUNS;
        (void)pthread_mutex_unlock(&jobs->lock);
        ts_code code = worker_make(w, job, message);
        (void)pthread_mutex_lock(&jobs->lock);
        job_end(jobs, job, code, message);
    }
    (void)pthread_mutex_unlock(&jobs->lock);
    ts_view_maker_free(&w->maker);
    ts_remote_view_end(&w->process, jobs->remote);
    return NULL;
}

static bool worker_start(ts_view_jobs *jobs, size_t database)
{
    view_worker *w = &jobs->workers[database];
    if (!w->started) {
        w->jobs = jobs;
        w->maker = (ts_view_maker){
            .base = jobs->base,
            .databases = jobs->databases,
            .database = database,
            .max_memory = jobs->max_memory / jobs->databases->count,
        };
        w->started = pthread_create(&w->thread, NULL, worker_main, w) == 0;
    }
    return w->started;
}

ts_code ts_view_jobs_open(ts_view_jobs **out, const ts_ctx *base, ts_databases *databases,
                          ts_slots *slots, ts_remote *remote, uint64_t max_memory)
{
    pthread_condattr_t attributes;
    ts_ctx ctx = *base;
    ts_view_jobs *jobs = ts_zalloc(&ctx, 1, sizeof *jobs);
    *out = jobs;
    if (jobs == NULL) {
        return ctx.error.code;
    }
    jobs->base = base;
    jobs->ctx = ctx;
    jobs->databases = databases;
    jobs->slots = slots;
    jobs->remote = remote;
    jobs->max_memory = max_memory;
    (void)pthread_mutex_init(&jobs->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&jobs->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    return TS_OK;
}

void ts_view_jobs_stop(ts_view_jobs *jobs)
{
    if (jobs == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&jobs->lock);
    jobs->stopping = true;
    for (size_t i = 0; i < TS_VIEW_JOBS; i++) {
        if (jobs->all[i] != NULL) {
            atomic_store(&jobs->all[i]->cancel, true);
        }
    }
    (void)pthread_cond_broadcast(&jobs->changed);
    (void)pthread_mutex_unlock(&jobs->lock);
}

void ts_view_jobs_close(ts_view_jobs *jobs)
{
    if (jobs == NULL) {
        return;
    }
    ts_view_jobs_stop(jobs);
    for (size_t i = 0; i < TS_DATABASES; i++) {
        if (jobs->workers[i].started) {
            (void)pthread_join(jobs->workers[i].thread, NULL);
        }
    }
    for (size_t i = 0; i < TS_VIEW_JOBS; i++) {
        if (jobs->all[i] != NULL) {
            job_free(jobs, i);
        }
    }
    (void)pthread_cond_destroy(&jobs->changed);
    (void)pthread_mutex_destroy(&jobs->lock);
    ts_ctx ctx = jobs->ctx;
    ts_free(&ctx, jobs);
}

/* --- requests -------------------------------------------------------------------------------- */

static ts_code answer_progress(ts_reply *reply, ts_ctx *ctx, const view_job *job)
{
    ts_jout j;
    ts_reply_sink sink = {reply, ctx};
    double part = job->total == 0 ? 0 : (double)job->done / (double)job->total;
    reply->status = 202;
    reply->type = "application/json; charset=utf-8";
    ts_reply_header(reply, "Cache-Control", "no-store");
    ts_jout_begin(&j, ctx, ts_reply_write, &sink);
    ts_jout_open(&j, NULL, '{');
    ts_jout_real(&j, "progress", part > 1 ? 1 : part);
    ts_jout_str(&j, "what", job->what);
    ts_jout_close(&j, '}');
    return ts_jout_end(&j);
}

/* The error of a view. Memory is asked for in vain however often the client comes back: no 503. */
static ts_code answer_failure(ts_reply *reply, ts_ctx *ctx, const view_job *job)
{
    if (job->code == TS_ERR_LIMIT || job->code == TS_ERR_NOMEM) {
        return ts_reply_error(reply, ctx, 413, "too_large", job->message, -1);
    }
    if (job->code == TS_ERR_INTERRUPTED && atomic_load(&job->cancel)) {
        return ts_reply_error(reply, ctx, 503, "busy", "the view was given up", -1);
    }
    (void)ts_fail(ctx, job->code, "%s", job->message);
    return ts_reply_failure(reply, ctx);
}

/* Waits for the end of the job, which is not freed meanwhile. */
static void wait_for(ts_view_jobs *jobs, view_job *job)
{
    int64_t until = ts_guard_now() + (int64_t)TS_VIEW_WAIT_MS * 1000000;
    struct timespec t = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
    int rc = 0;
    job->waiters++;
    while (!job_over(job) && !jobs->stopping && rc == 0) {
        rc = pthread_cond_timedwait(&jobs->changed, &jobs->lock, &t);
    }
    job->waiters--;
}

/* The reply was sent. */
static void job_sent(void *held)
{
    view_job *job = held;
    ts_view_jobs *jobs = job->jobs;
    (void)pthread_mutex_lock(&jobs->lock);
    job->waiters--;
    (void)pthread_mutex_unlock(&jobs->lock);
}

/* The body is sent from where it is kept. */
static void answer_done(ts_reply *reply, ts_view_jobs *jobs, view_job *job)
{
    job->order = ++jobs->order;
    job->waiters++;
    reply->status = 200;
    reply->type = "application/json; charset=utf-8";
    reply->fixed = ts_buf_text(&job->body);
    reply->release = job_sent;
    reply->held = job;
}

static ts_code answer_job(ts_reply *reply, ts_view_jobs *jobs, ts_ctx *ctx, size_t at)
{
    view_job *job = jobs->all[at];
    ts_code code;
    job->asked = ts_guard_now();
    wait_for(jobs, job);
    switch (job->state) {
    case JOB_DONE:
        answer_done(reply, jobs, job);
        return TS_OK;
    case JOB_FAILED:
        code = answer_failure(reply, ctx, job);
        if (job->waiters == 0) {
            job_free(jobs, at);
        }
        return code;
    default:
        return answer_progress(reply, ctx, job);
    }
}

ts_code ts_view_jobs_answer(ts_reply *reply, ts_view_jobs *jobs, ts_ctx *ctx,
                            const ts_endpoint *endpoint, size_t database, const char *etag,
                            const ts_request *r)
{
    (void)pthread_mutex_lock(&jobs->lock);
    size_t at = job_find(jobs, etag);
    if (at == TS_VIEW_JOBS && !jobs->stopping && worker_start(jobs, database)) {
        at = job_add(jobs, endpoint, database, etag, r);
        (void)pthread_cond_broadcast(&jobs->changed);
    }
    ts_code code = at == TS_VIEW_JOBS ? ts_reply_error(reply, ctx, 503, "busy",
                                                       "too many views are being made", -1)
                                      : answer_job(reply, jobs, ctx, at);
    (void)pthread_mutex_unlock(&jobs->lock);
    return code;
}

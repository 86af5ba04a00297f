/* attach_jvm, connect_agent, stop_sample: live processes. */
#include "base/alloc.h"
#include "base/ckd.h"
#include "sampler/sampler.h"
#include "serve/flare/flare_private.h"
#include "tables/formats/flare/flare_constants.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>

enum {
    LIVE_MAX = 16,       /* processes that are sampled at once */
    READ_EACH_MS = 1000, /* at least between two readings of a growing directory */
    READ_SHARE = 4       /* so many times what a reading takes passes between two of them */
};

struct fp_live {
    ts_ctx ctx; /* of the sampling thread */
    ts_sampler *sampler;
    atomic_bool stop;
    atomic_bool stop_agent;
    atomic_bool done;
    bool running; /* the thread has to be joined */
    pthread_t thread;
    uint64_t seen;   /* flushes of the sampler when its directory was read last */
    int64_t read_ns; /* when that was; CLOCK_MONOTONIC */
    int64_t cost_ns; /* and how long it took */
};

/* --- reading what grows --------------------------------------------------------------------- */

/* The whole directory is imported again, so the time between two readings grows with it. */
static bool is_due(const fp_live *live, const fp_session *session, uint64_t flushes)
{
    int64_t since = ts_guard_now() - live->read_ns;
    if (session->data.ctx == NULL) {
        return true;
    }
    return flushes != live->seen &&
           (atomic_load(&live->done) || (since >= READ_EACH_MS * INT64_C(1000000) &&
                                         since >= ts_sat_mul(live->cost_ns, READ_SHARE)));
}

ts_code fp_live_refresh(ts_flare_hub *flare, fp_session *session)
{
    fp_live *live = session->live;
    char path[4096];
    uint64_t flushes = ts_sampler_path(path, sizeof path, live->sampler);
    ts_code code;
    if (!is_due(live, session, flushes)) {
        return TS_OK;
    }
    ts_free(&session->ctx, session->path);
    TS_TRY_INTO(code, ts_copy_text(&session->path, &session->ctx, path, strlen(path)));
    live->read_ns = ts_guard_now();
    code = fp_session_read(flare, session);
    live->cost_ns = ts_guard_now() - live->read_ns;
    live->seen = flushes;
    return session->data.ctx != NULL ? TS_OK : code; /* what was read before still holds */
}

void fp_live_end(fp_session *session)
{
    fp_live *live = session->live;
    session->live = NULL;
    atomic_store(&live->stop, true);
    if (live->running) {
        pthread_join(live->thread, NULL);
    }
    ts_sampler_free(live->sampler);
    ts_free(&session->ctx, live);
}

/* --- attach_jvm ----------------------------------------------------------------------------- */

static void *run(void *user)
{
    fp_live *live = user;
    (void)ts_sampler_run(live->sampler); /* what was sampled until then can be read */
    atomic_store(&live->done, true);
    return NULL;
}

/* what: the process (int); 0: an agent, whose address is the id of the session. */
static ts_code start(fp_call *call, fp_session *session, const void *what)
{
    const int pid = *(const int *)what;
    fp_live *live = ts_zalloc(&session->ctx, 1, sizeof *live);
    ts_sampler_options options = {
        .pid = pid,
        .agent = pid == 0 ? session->id : NULL,
        .interval_ms = fp_request_int(call->request, "sample_interval_ms", 20),
        .duration_ms = ts_sat_mul(fp_request_int(call->request, "sample_duration_sec", 0), 1000),
        .directory = call->flare->samples,
        .address = session->id,
    };
    ts_code code;
    if (live == NULL) {
        return session->ctx.error.code;
    }
    live->ctx = *call->flare->ctx;
    live->ctx.memory_used = 0;
    live->ctx.memory_peak = 0;
    atomic_init(&live->stop, false);
    atomic_init(&live->stop_agent, false);
    atomic_init(&live->done, false);
    options.stop = &live->stop;
    options.stop_agent = &live->stop_agent;
    code = ts_sampler_open(&live->sampler, &live->ctx, &options);
    if (code == TS_OK && pthread_create(&live->thread, NULL, run, live) != 0) {
        code = ts_fail(&live->ctx, TS_ERR_NOMEM, "cannot start a thread");
        ts_sampler_free(live->sampler);
    }
    if (code != TS_OK) {
        session->ctx.error = live->ctx.error;
        ts_free(&session->ctx, live);
        return code;
    }
    live->running = true;
    session->live = live;
    session->attach = true;
    return TS_OK;
}

static unsigned count_live(ts_flare_hub *flare)
{
    unsigned n = 0;
    pthread_mutex_lock(&flare->lock);
    for (const fp_session *s = flare->sessions; s != NULL; s = s->next) {
        n += s->attach;
    }
    pthread_mutex_unlock(&flare->lock);
    return n;
}

/* What both commands need of the server. */
static ts_code check_live(const fp_call *call)
{
    const ts_flare_hub_options *o = &call->flare->options;
    if (!o->attach || o->hooks.open_directory == NULL || call->flare->samples == NULL) {
        return ts_fail(call->ctx, TS_ERR_USAGE, "not supported: recordings only");
    }
    if (count_live(call->flare) >= LIVE_MAX) {
        return ts_fail(call->ctx, TS_ERR_USAGE, "%d processes are sampled already", LIVE_MAX);
    }
    return TS_OK;
}

static ts_code reply_attached(fp_call *call, ts_text id)
{
    fp_reply_begin(call);
    ts_jout_text(&call->json, "session_id", id);
    ts_jout_str(&call->json, "type", "attach");
    return fp_reply_end(call);
}

ts_code fp_attach_jvm(fp_call *call)
{
    int64_t pid = fp_request_int(call->request, "target_pid", 0);
    char id[32];
    ts_code code;
    if (fp_request_option(call->request, "target_pid") == NULL) {
        return ts_fail(call->ctx, TS_ERR_USAGE, "missing option 'target_pid'");
    }
    code = check_live(call);
    TS_STEP_IF(code, (pid <= 0 || pid > INT32_MAX),
               ts_fail(call->ctx, TS_ERR_USAGE, "option 'target_pid' is not a process id"));
    snprintf(id, sizeof id, "jvm:%" PRId64, pid);
    /* One session a process: attaching twice is the same. */
    const int process = (int)pid;
    TS_STEP(code, fp_session_open(call, ts_text_of(id), start, &process));
    return code != TS_OK ? code : reply_attached(call, ts_text_of(id));
}

/* --- the others ----------------------------------------------------------------------------- */

ts_code fp_connect_agent(fp_call *call)
{
    static const int none = 0;
    ts_text address = fp_request_text(call->request, TS_FLARE_AGENT_ADDR, "");
    ts_code code = check_live(call);
    TS_STEP_IF(code, (address.n == 0 || memchr(address.p, '\0', address.n) != NULL),
               ts_fail(call->ctx, TS_ERR_USAGE, "missing option 'agent_addr'"));
    TS_STEP(code, fp_session_open(call, address, start, &none));
    return code != TS_OK ? code : reply_attached(call, address);
}

/* An agent is to end when its session does. */
static void mark_agent(ts_flare_hub *flare, ts_text id)
{
    fp_session *session = fp_session_hold(flare, id);
    if (session == NULL) {
        return;
    }
    pthread_mutex_lock(&session->lock);
    if (session->live != NULL) {
        atomic_store(&session->live->stop_agent, true);
    }
    pthread_mutex_unlock(&session->lock);
    fp_session_release(flare, session);
}

/* The document names it and no reply. The session is closed, which ends the sampling; what was
 * sampled is among the history's directories. */
ts_code fp_stop_sample(fp_call *call)
{
    ts_text id;
    TS_TRY(fp_request_need_text(&id, call->ctx, call->request, "session_id"));
    mark_agent(call->flare, id);
    return fp_close_session(call);
}

/* The loop that samples a Java VM (see sampler.h). */
#include "sampler/sampler.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "sampler/agent.h"
#include "sampler/hotspot.h"
#include "sampler/sample_writer.h"
#include "sampler/thread_cpu.h"
#include "sampler/thread_dump.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { FLUSH_MS = 500, NAP_MS = 20, FAILURES_MAX = 3, AGENT_MS = 3000 };

struct ts_sampler {
    ts_ctx *ctx;
    ts_sampler_options options;
    ts_jvm jvm;
    ts_thread_cpu cpu;
    ts_agent agent;
    ts_pool names;   /* of methods that the agent has named */
    ts_idmap named;  /* from their ids to numbers of `names` */
    bool introduced; /* the agent has said what it samples */
    ts_sample_writer writer;
    ts_buf dump;
    int64_t sample_start_ms, now_ms; /* wall clock, never backwards */
    int64_t tick_ns, begin_ns;       /* CLOCK_MONOTONIC: of the next dump, of the first */
    int64_t flushed_ns;
    bool last;   /* the records of this dump end the directory */
    bool enough; /* goes_on has said so */
    unsigned failures;
    pthread_mutex_t lock; /* of the two below */
    char path[4096];
    uint64_t flushes;
};

static int64_t monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void read_clock(ts_sampler *s)
{
    struct timespec t;
    int64_t ms;
    clock_gettime(CLOCK_REALTIME, &t);
    ms = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
    s->now_ms = ms > s->now_ms ? ms : s->now_ms;
}

/* --- one dump ------------------------------------------------------------------------------- */

/* Threads of the Java VM itself have no id of Java and no frames: they are left out. */
static ts_code take_thread(void *user, const ts_dump_thread *t)
{
    ts_sampler *s = user;
    ts_sample sample = {
        .id = t->id,
        .name = t->name,
        .state = ts_dump_state_name(t->state),
        .priority = t->priority,
        .daemon = t->daemon,
        .time_ms = s->now_ms,
        .frames = t->frames,
        .frame_count = t->frame_count,
    };
    ts_code code = TS_OK;
    if (t->id <= 0) {
        return TS_OK;
    }
    sample.cpu_ns = -1;
    if (t->nid > 0) {
        code = ts_thread_cpu_read(&sample.cpu_ns, &s->cpu, t->nid);
    }
    if (sample.cpu_ns < 0) {
        sample.cpu_ns = t->cpu_ns < 0 ? 0 : t->cpu_ns;
    }
    return code != TS_OK ? code : ts_sample_put(&s->writer, &sample, s->last);
}

static ts_code flush(ts_sampler *s)
{
    ts_code code = ts_sample_writer_flush(&s->writer);
    s->flushed_ns = monotonic_ns();
    pthread_mutex_lock(&s->lock);
    s->flushes++;
    snprintf(s->path, sizeof s->path, "%s", s->writer.path);
    pthread_mutex_unlock(&s->lock);
    return code;
}

/* The records of a directory that ends show where each thread was until then. */
static ts_code take_dump(ts_sampler *s)
{
    bool complete = false;
    ts_code code;
    read_clock(s);
    code = ts_jvm_command(&s->dump, &s->jvm, s->ctx, "threaddump", "");
    TS_STEP(code, ts_thread_dump(&complete, s->ctx, s->dump.p, s->dump.n, take_thread, s));
    s->failures = code == TS_ERR_INPUT ? s->failures + 1 : 0;
    return code == TS_ERR_INPUT && s->failures < FAILURES_MAX && !ts_jvm_gone(&s->jvm) ? TS_OK
                                                                                       : code;
}

/* --- directories ---------------------------------------------------------------------------- */

static ts_code begin_directory(ts_sampler *s)
{
    ts_code code;
    if (s->options.agent == NULL) {
        read_clock(s); /* an agent's records have its times */
    }
    code = ts_sample_writer_open(&s->writer, s->ctx, s->options.directory, s->options.address,
                                 s->options.interval_ms, s->sample_start_ms, s->now_ms);
    return code != TS_OK ? code : flush(s);
}

/* What was sampled goes into the files, with a last record of each thread. */
static ts_code end_directory(ts_sampler *s)
{
    ts_code code = TS_OK;
    ts_code flushed;
    s->last = true;
    if (s->options.agent == NULL && !ts_jvm_gone(&s->jvm)) {
        code = take_dump(s);
    }
    s->last = false;
    flushed = flush(s);
    return code == TS_OK || code == TS_ERR_INPUT ? flushed : code;
}

static ts_code begin_volume(ts_sampler *s)
{
    ts_code code = end_directory(s);
    ts_sample_writer_close(&s->writer);
    return code != TS_OK ? code : begin_directory(s);
}

/* --- the loop ------------------------------------------------------------------------------- */

static bool asked_to_stop(ts_sampler *s)
{
    if (!s->enough && s->options.goes_on != NULL) {
        int64_t elapsed = (monotonic_ns() - s->begin_ns) / 1000000;
        s->enough = !s->options.goes_on(s->options.user, elapsed);
    }
    return s->enough || (s->options.stop != NULL && atomic_load(s->options.stop));
}

/* Sleeps until the next dump, an interval after the beginning of the last one; false when the
 * sampling is over. The Java VM gets at least as much time for itself as the last dump took. */
static bool wait_for_tick(ts_sampler *s, int64_t dump_ns)
{
    int64_t now = monotonic_ns();
    int64_t end = s->options.duration_ms <= 0
                      ? INT64_MAX
                      : s->begin_ns + s->options.duration_ms * INT64_C(1000000);
    int64_t interval = s->options.interval_ms * INT64_C(1000000);
    s->tick_ns = now - dump_ns + (dump_ns * 2 > interval ? dump_ns * 2 : interval);
    while ((now = monotonic_ns()) < s->tick_ns && now < end && !asked_to_stop(s)) {
        int64_t left = s->tick_ns - now;
        struct timespec t = {0};
        left = left > NAP_MS * INT64_C(1000000) ? NAP_MS * INT64_C(1000000) : left;
        left = left > end - now ? end - now : left;
        t.tv_nsec = (long)left;
        nanosleep(&t, NULL);
    }
    return now < end && !asked_to_stop(s) && !ts_jvm_gone(&s->jvm);
}

/* --- an agent --------------------------------------------------------------------------------- */

static ts_code take_method(ts_sampler *s, const ts_agent_event *e)
{
    uint32_t number;
    ts_code code = ts_pool_intern(s->ctx, &number, NULL, &s->names, e->name);
    return code != TS_OK ? code : ts_idmap_put(s->ctx, &s->named, e->id, number);
}

/* Names come before the records that use them; each directory gets those that its records use. */
static ts_code take_record(ts_sampler *s, const ts_agent_event *e)
{
    ts_sample sample = {
        .id = e->id,
        .name = e->name.p == NULL ? TS_TEXT_LIT("") : e->name,
        .state = "",
        .cpu_ns = e->cpu_ns,
        .time_ms = e->time_ms,
        .ids = e->stack == NULL ? &e->id : e->stack,
        .frame_count = e->stack_n,
    };
    ts_code code = TS_OK;
    s->now_ms = e->time_ms > s->now_ms ? e->time_ms : s->now_ms;
    for (size_t i = 0; i < e->stack_n && code == TS_OK; i++) {
        uint64_t number;
        if (ts_idmap_find(&number, &s->named, e->stack[i])) {
            code = ts_sample_method(&s->writer, e->stack[i],
                                    ts_pool_text(&s->names, (uint32_t)number));
        }
    }
    return code != TS_OK ? code : ts_sample_put(&s->writer, &sample, true);
}

static ts_code take_event(void *user, const ts_agent_event *e)
{
    ts_sampler *s = user;
    if (ts_text_is(e->kind, "sample_info") && !s->introduced) {
        s->introduced = true;
        s->now_ms = e->last_ms > 0 ? e->last_ms : s->now_ms;
        s->sample_start_ms = e->start_ms > 0 ? e->start_ms : s->sample_start_ms;
        if (e->interval_ms >= TS_SAMPLER_MIN_MS && e->interval_ms <= TS_SAMPLER_MAX_MS) {
            s->options.interval_ms = e->interval_ms;
        }
        return begin_directory(s);
    }
    if (ts_text_is(e->kind, "method") && e->name.p != NULL) {
        return take_method(s, e);
    }
    if (ts_text_is(e->kind, "thread") && e->id > 0 && e->time_ms > 0 && s->writer.dir >= 0) {
        return take_record(s, e);
    }
    return TS_OK;
}

/* Connects, and waits until the agent says what it samples. */
static ts_code open_agent(ts_sampler *s)
{
    bool ended = false;
    ts_code code = ts_agent_open(&s->agent, s->ctx, s->options.agent);
    for (int waited = 0; code == TS_OK && !s->introduced && waited < AGENT_MS; waited += NAP_MS) {
        code = ts_agent_read(&ended, &s->agent, NAP_MS, take_event, s);
        waited = ended ? AGENT_MS : waited;
    }
    TS_STEP_IF(code, !s->introduced,
               ts_fail(s->ctx, TS_ERR_INPUT, "%s is not an agent of Flare", s->options.agent));
    return code;
}

static ts_code run_agent(ts_sampler *s)
{
    int64_t volume = s->options.volume_ms > 0 ? s->options.volume_ms : TS_SAMPLER_VOLUME_MS;
    bool ended = false;
    ts_code code = TS_OK;
    while (code == TS_OK && !ended && !asked_to_stop(s)) {
        code = ts_agent_read(&ended, &s->agent, NAP_MS, take_event, s);
        TS_STEP_IF(code, s->now_ms - s->writer.record_start_ms > volume, begin_volume(s));
        TS_STEP_IF(code, monotonic_ns() - s->flushed_ns > FLUSH_MS * INT64_C(1000000), flush(s));
    }
    if (s->options.stop_agent != NULL && atomic_load(s->options.stop_agent)) {
        ts_agent_stop(&s->agent);
    }
    TS_STEP(code, flush(s));
    return code;
}

/* --- beginning and end ------------------------------------------------------------------------ */

ts_code ts_sampler_run(ts_sampler *s)
{
    int64_t volume = s->options.volume_ms > 0 ? s->options.volume_ms : TS_SAMPLER_VOLUME_MS;
    int64_t spent = monotonic_ns() - s->begin_ns;
    ts_code code = TS_OK;
    if (s->options.agent != NULL) {
        return run_agent(s);
    }
    while (code == TS_OK && wait_for_tick(s, spent)) {
        int64_t before = monotonic_ns();
        if (s->now_ms - s->writer.record_start_ms > volume) {
            code = begin_volume(s);
        }
        TS_STEP(code, take_dump(s));
        spent = monotonic_ns() - before;
        TS_STEP_IF(code, monotonic_ns() - s->flushed_ns > FLUSH_MS * INT64_C(1000000), flush(s));
    }
    if (code == TS_OK) {
        code = end_directory(s);
    } else if (code == TS_ERR_INPUT && ts_jvm_gone(&s->jvm)) {
        code = flush(s);
    }
    return code;
}

ts_code ts_sampler_open(ts_sampler **out, ts_ctx *ctx, const ts_sampler_options *options)
{
    ts_sampler *s = ts_zalloc(ctx, 1, sizeof *s);
    ts_code code;
    *out = NULL;
    TS_NEED(ctx, s);
    s->ctx = ctx;
    s->options = *options;
    s->jvm.pidfd = -1;
    s->writer.dir = -1;
    if (s->options.interval_ms < TS_SAMPLER_MIN_MS || s->options.interval_ms > TS_SAMPLER_MAX_MS) {
        s->options.interval_ms =
            s->options.interval_ms < TS_SAMPLER_MIN_MS ? 20 : TS_SAMPLER_MAX_MS;
    }
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        ts_free(ctx, s);
        return ts_fail(ctx, TS_ERR_NOMEM, "cannot make a lock");
    }
    s->agent.fd = -1;
    read_clock(s);
    s->sample_start_ms = s->now_ms;
    ts_thread_cpu_open(&s->cpu, ctx, &s->jvm);
    code = options->agent != NULL ? open_agent(s)
                                  : ts_jvm_open(&s->jvm, ctx, "/proc", options->pid, options->stop);
    TS_STEP_IF(code, options->agent == NULL, begin_directory(s));
    s->begin_ns = s->tick_ns = monotonic_ns();
    TS_STEP_IF(code, options->agent == NULL, take_dump(s));
    TS_STEP(code, flush(s));
    if (code != TS_OK) {
        ts_sampler_free(s);
        return code;
    }
    *out = s;
    return TS_OK;
}

void ts_sampler_free(ts_sampler *s)
{
    if (s == NULL) {
        return;
    }
    ts_jvm_close(&s->jvm, s->ctx);
    ts_thread_cpu_close(&s->cpu);
    ts_sample_writer_close(&s->writer);
    ts_agent_close(&s->agent);
    ts_pool_free(s->ctx, &s->names);
    ts_idmap_free(s->ctx, &s->named);
    ts_buf_free(s->ctx, &s->dump);
    pthread_mutex_destroy(&s->lock);
    ts_free(s->ctx, s);
}

uint64_t ts_sampler_path(char *path, size_t n, ts_sampler *s)
{
    uint64_t flushes;
    pthread_mutex_lock(&s->lock);
    snprintf(path, n, "%s", s->path);
    flushes = s->flushes;
    pthread_mutex_unlock(&s->lock);
    return flushes;
}

/*
 * Samples Java VMs for the page (serve/api/vm_sampling.h), one after the other, in a process that
 * is forked before the server has threads. Databases are made in a folder of its own, as those of
 * recordings are, which goes with the process; it ends with the server.
 */
#include "cli/serve/serve_private.h"

#if TS_SERVE_BUILT

#include "cli/exit_codes.h"
#include "cli/sample.h"
#include "cli/signals.h"

#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 50000000, END_TRIES = 300 };

typedef struct sampler {
    ts_ctx *ctx;
    ts_samplings *all;
    ts_work_folder folder;
    size_t at; /* the one that is worked on */
} sampler;

static bool goes_on(void *user, int64_t elapsed_ms)
{
    const sampler *s = user;
    ts_sampling *one = &s->all->all[s->at];
    atomic_store(&one->elapsed_ms, elapsed_ms);
    return !atomic_load(&one->stop);
}

static ts_code make_folder(sampler *s)
{
    if (s->folder.path != NULL) {
        return TS_OK;
    }
    TS_TRY(ts_serve_folder_make(&s->folder, s->ctx));
    ts_signals_guard(TS_GUARD_FOLDER, s->folder.path);
    return TS_OK;
}

static void sample_one(sampler *s)
{
    ts_sampling *one = &s->all->all[s->at];
    char pid[16];
    const char *paths[] = {pid};
    ts_error error = {0};
    const ts_sample_watch watch = {s, goes_on, &error};
    int exit_code = TS_EXIT_OUTPUT;
    (void)snprintf(pid, sizeof pid, "%d", one->pid);
    atomic_store(&one->state, TS_SAMPLING_RUNS);
    if (make_folder(s) == TS_OK) {
        (void)snprintf(one->path, sizeof one->path, "%s/%zu.db", s->folder.path, s->at);
        const ts_options options = {.export_db = one->path,
                                    .paths = paths,
                                    .path_count = 1,
                                    .force = true,
                                    .quiet = true,
                                    .level = TS_LEVEL_OFF,
                                    .threads = TS_NOT_GIVEN,
                                    .interval = TS_NOT_GIVEN,
                                    .seconds = (uint64_t)one->seconds};
        exit_code = ts_sample_into(s->ctx, &options, &watch);
    } else {
        error = s->ctx->error;
    }
    if (exit_code != TS_EXIT_DONE) {
        (void)snprintf(one->message, sizeof one->message, "%.*s", TS_SAMPLING_TEXT - 1,
                       error.count > 0 ? error.causes[0] : "the sampling failed");
    }
    atomic_store(&one->state, exit_code == TS_EXIT_DONE ? TS_SAMPLING_DONE : TS_SAMPLING_FAILED);
}

static void sample_until_the_end(sampler *s)
{
    const struct timespec pause = {0, LOOK_NS};
    while (*s->ctx->cancel == 0) {
        for (s->at = 0; s->at < s->all->room && *s->ctx->cancel == 0; s->at++) {
            if (atomic_load(&s->all->all[s->at].state) == TS_SAMPLING_ASKED) {
                sample_one(s);
            }
        }
        (void)nanosleep(&pause, NULL);
    }
    ts_signals_guard(TS_GUARD_FOLDER, NULL);
    ts_work_folder_remove(&s->folder, s->ctx);
}

ts_code ts_serve_sampler_start(ts_serve_sampler *out, ts_ctx *ctx, size_t room, int listener)
{
    const pid_t server = getpid();
    *out = (ts_serve_sampler){.all = ts_samplings_open(room)};
    if (out->all == NULL) {
        return TS_OK;
    }
    out->pid = fork();
    if (out->pid == 0) {
        sampler s = {.ctx = ctx, .all = out->all};
        ts_signals_guard(TS_GUARD_FOLDER, NULL); /* the server's */
        ts_signals_patient();
        (void)close(listener);
        if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == server) {
            sample_until_the_end(&s);
        }
        _exit(0);
    }
    return out->pid > 0
               ? TS_OK
               : ts_fail(ctx, TS_ERR_INTERNAL, "cannot start a process: %s", strerror(errno));
}

void ts_serve_sampler_stop(ts_serve_sampler *one)
{
    ts_serve_process_end(one->pid);
    ts_samplings_close(one->all);
}

void ts_serve_process_end(pid_t pid)
{
    const struct timespec pause = {0, 10000000};
    bool ended = pid <= 0;
    if (!ended) {
        (void)kill(pid, SIGTERM);
    }
    for (int i = 0; !ended && i < END_TRIES; i++) {
        ended = waitpid(pid, NULL, WNOHANG) != 0;
        (void)nanosleep(&pause, NULL);
    }
    if (!ended) {
        (void)kill(pid, SIGKILL); /* what it leaves is removed by the next one */
        (void)waitpid(pid, NULL, 0);
    }
}

#endif

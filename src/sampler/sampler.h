/*
 * Records a running Java VM into a sample directory that grows meanwhile: from outside, with a
 * thread dump at each interval and the CPU time of its threads, or from what an agent of Flare in
 * it sends. From outside nothing is loaded into the Java VM, which stops for each dump as long as
 * that takes; when the sampler ends, in whatever way, it goes on.
 */
#ifndef TS_SAMPLER_SAMPLER_H
#define TS_SAMPLER_SAMPLER_H

#include "base/context.h"

#include <stdatomic.h>

enum {
    TS_SAMPLER_MIN_MS = 1,
    TS_SAMPLER_MAX_MS = 60000,
    TS_SAMPLER_VOLUME_MS = 900000 /* then a new directory begins, as collectors do */
};

typedef struct ts_sampler_options {
    int pid;           /* of the Java VM */
    const char *agent; /* not NULL: address of an agent in the place of pid; borrowed */
    int64_t interval_ms;
    int64_t duration_ms;   /* 0: until it is stopped */
    const char *directory; /* where the sample directory is made; borrowed */
    const char *address;   /* what the recording is called; borrowed */
    const atomic_bool *stop;
    const atomic_bool *stop_agent; /* NULL, or: the agent is asked to end when the sampling ends */
    int64_t volume_ms;             /* 0: TS_SAMPLER_VOLUME_MS */
    /* NULL, or: asked between two samples, 50 times in a second; false ends the sampling. */
    bool (*goes_on)(void *user, int64_t elapsed_ms);
    void *user;
} ts_sampler_options;

typedef struct ts_sampler ts_sampler;

/* Attaches to the Java VM and takes the first sample. TS_ERR_USAGE when the process is none that
 * can be sampled, TS_ERR_INPUT when it does not answer, TS_ERR_OUTPUT. ctx is used by
 * ts_sampler_run later. Caller frees with ts_sampler_free. */
ts_code ts_sampler_open(ts_sampler **out, ts_ctx *ctx, const ts_sampler_options *options);

/* Samples until the duration is over, *stop is set or the process ends, which all are TS_OK, and
 * ends the files. To be called once; it blocks. */
ts_code ts_sampler_run(ts_sampler *sampler);
void ts_sampler_free(ts_sampler *sampler);

/* Copies the path of the directory that is being written; may be called from another thread.
 * Returns how often it was flushed, which tells whether there is more to read. */
uint64_t ts_sampler_path(char *path, size_t n, ts_sampler *sampler);

#endif

/*
 * Java VMs that are sampled because the page asked for it: one at a time, each into a database that
 * the server then serves. The server only asks; another process samples and writes
 * (cli/serve/serve_sampler.c). What both know is in shared memory.
 *
 * A sampling goes from FREE over TAKEN (its fields are being written) to ASKED, RUNS, and then DONE
 * or FAILED. Who asks takes a FREE or FAILED one by compare and exchange; all other changes are
 * made by the process that samples. The path of the database is written before DONE and stays.
 */
#ifndef TS_SERVE_SAMPLING_H
#define TS_SERVE_SAMPLING_H

#include "sampler/jvms.h"

#include <limits.h>
#include <stdatomic.h>

enum { TS_SAMPLINGS = 4, TS_SAMPLING_SECONDS = 3600, TS_SAMPLING_TEXT = 200 };

typedef enum ts_sampling_state {
    TS_SAMPLING_FREE,
    TS_SAMPLING_TAKEN,
    TS_SAMPLING_ASKED,
    TS_SAMPLING_RUNS,
    TS_SAMPLING_DONE,
    TS_SAMPLING_FAILED
} ts_sampling_state;

typedef struct ts_sampling {
    atomic_int state;
    atomic_bool stop; /* it is enough: what was sampled is wanted */
    int pid, seconds;
    atomic_int_least64_t elapsed_ms;
    char name[TS_JVM_NAME];
    char message[TS_SAMPLING_TEXT]; /* why it failed; its last byte is always 0 */
    char path[PATH_MAX];            /* of the database */
} ts_sampling;

typedef struct ts_samplings {
    size_t room; /* how many can be made */
    ts_sampling all[TS_SAMPLINGS];
} ts_samplings;

/* Shared with processes that are forked later; NULL without memory or room. */
ts_samplings *ts_samplings_open(size_t room);
void ts_samplings_close(ts_samplings *s);

/* One of them is worked on, or asked for. */
bool ts_samplings_busy(ts_samplings *s);

/* The path of a database that was made, or NULL. s NULL: none was. */
const char *ts_sampling_path(ts_samplings *s, size_t number);

/* Asks for one. TS_ERR_USAGE for a process that cannot be sampled; *number is TS_SAMPLINGS when
 * another one runs, or there is no room. */
ts_code ts_sampling_ask(size_t *number, ts_samplings *s, ts_ctx *ctx, int pid, int seconds);

#endif

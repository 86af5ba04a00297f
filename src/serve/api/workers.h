/*
 * Processes for work on a database that may not be trusted to end: a function of SQLite that runs
 * cannot be interrupted, a process can be killed. They are made by one that is forked before the
 * server has threads, and that ends, with all of them, when the server does, however that happens.
 */
#ifndef TS_SERVE_WORKERS_H
#define TS_SERVE_WORKERS_H

#include "base/context.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct ts_workers ts_workers;

/* One of them; zeroed: none. */
typedef struct ts_worker {
    pid_t pid;
    int fd; /* of a channel (channel.h) to it */
} ts_worker;

/* What a process does with the other end of its channel, until that is closed. */
typedef void ts_worker_run(void *user, int fd);

/*
 * To be called while there is one thread. `user` is read in the processes, as it is now; `listener`
 * is closed there. TS_ERR_INTERNAL when the system refuses. The caller ends with
 * ts_workers_close, when all processes have ended.
 */
ts_code ts_workers_open(ts_workers **out, ts_ctx *ctx, ts_worker_run *run, void *user,
                        int listener);
void ts_workers_close(ts_workers *all);

/* Starts one. TS_ERR_LIMIT when the system refuses. Called by several threads. */
ts_code ts_worker_start(ts_worker *out, ts_workers *all, ts_ctx *ctx);

/* Kills the one that has most memory when all have more than `most` bytes together; to be called
 * ten times in a second. */
void ts_workers_watch(ts_workers *all, uint64_t most);

/* Whether ts_workers_watch has killed it. */
bool ts_worker_was_large(const ts_worker *one, ts_workers *all);

/* Kills it, whatever it does. A zeroed one is none. */
void ts_worker_end(ts_worker *one, ts_workers *all);

#endif

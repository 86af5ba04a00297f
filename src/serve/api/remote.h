/*
 * Requests and views that are answered by processes, so that no statement, and no
 * view that has the name of a table, runs longer than it may: its process is killed. The processes
 * run the same code as a server without them.
 */
#ifndef TS_SERVE_REMOTE_H
#define TS_SERVE_REMOTE_H

#include "serve/http/reply.h"
#include "serve/http/request.h"
#include "serve/views/view_maker.h"

#include <sys/types.h>

/* --- workers.c -------------------------------------------------------------------------------- */

/*
 * Processes for work on a database that may not be trusted to end: a function of SQLite that runs
 * cannot be interrupted, a process can be killed. They are made by one that is forked before the
 * server has threads, and that ends, with all of them, when the server does, however that happens.
 */

typedef struct ts_workers ts_workers;

/* One of them; zeroed: none. */
typedef struct ts_worker {
    pid_t pid;
    int fd; /* of a channel (remote_private.h) to it */
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

/* It waits for more work: it is the first to go when there is too little memory. */
void ts_worker_rests(const ts_worker *one, ts_workers *all);
/* It is to work. False: it went meanwhile. */
bool ts_worker_wakes(const ts_worker *one, ts_workers *all);

/* When all have more than `most` bytes together: kills the one with most memory of those that wait
 * for work, else of all. To be called ten times in a second. */
void ts_workers_watch(ts_workers *all, uint64_t most);

/* Whether ts_workers_watch has killed it. */
bool ts_worker_was_large(const ts_worker *one, ts_workers *all);

/* Kills it, whatever it does. A zeroed one is none. */
void ts_worker_end(ts_worker *one, ts_workers *all);

/* --- remote.c, remote_request.c, remote_view.c ------------------------------------------------ */

struct ts_app;
typedef struct ts_remote ts_remote;

/* To be called while there is one thread, with an app that is complete but for its views. app is
 * borrowed; listener: closed in the processes. */
ts_code ts_remote_open(ts_remote **out, ts_ctx *ctx, struct ts_app *app, int listener);
/* When all replies were freed and all views are made. NULL is allowed. */
void ts_remote_close(ts_remote *all);

/* Sees to it that all have no more than --max-memory; to be called ten times in a second. */
void ts_remote_watch(ts_remote *all);

/* Answers a request as its route in app.c does, in at most limit_ns and a moment. No failure is
 * left. */
void ts_remote_answer(ts_reply *reply, ts_remote *all, ts_ctx *ctx, const ts_request *r,
                      int64_t limit_ns);

/*
 * Makes a view as ts_view_make does, in the process *one, which is started when there is none, and
 * killed when it brings nothing for longer than a query may take, or does not end when the order's
 * guard says so: TS_ERR_INTERRUPTED.
 */
ts_code ts_remote_view(ts_worker *one, ts_remote *all, size_t database, const ts_view_order *order,
                       char message[TS_ERROR_TEXT]);
void ts_remote_view_end(ts_worker *one, ts_remote *all);

#endif

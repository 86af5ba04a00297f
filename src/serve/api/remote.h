/*
 * Requests and views that are answered by processes (workers.h), so that no statement, and no
 * view that has the name of a table, runs longer than it may: its process is killed. The processes
 * run the same code as a server without them.
 */
#ifndef TS_SERVE_REMOTE_H
#define TS_SERVE_REMOTE_H

#include "serve/api/workers.h"
#include "serve/http/reply.h"
#include "serve/http/request.h"
#include "serve/views/view_maker.h"

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

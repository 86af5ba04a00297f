/*
 * A sink on a thread of its own: calls are written into batches and made there, in their order, on
 * the sink that writes the database. Numbers of rows are known at once; a failure is reported by a
 * later call. The rows, and so the bytes of the database, are those of the sink alone.
 *
 * Memory: 8 batches of 256 KiB.
 */
#ifndef TS_TABLES_SINK_THREAD_H
#define TS_TABLES_SINK_THREAD_H

#include "tables/sink.h"

typedef struct ts_sink_thread ts_sink_thread;

/*
 * `to` and `own` are the thread's until it has stopped: own is the context that `to` uses, and
 * counts its memory with ctx. Both are borrowed. *out is NULL when the system gives no thread.
 * Errors: memory. The caller frees with ts_sink_thread_free.
 */
ts_code ts_sink_thread_start(ts_sink_thread **out, ts_ctx *ctx, ts_sink *to, ts_ctx *own);

/* Where to put rows. It stays valid after ts_sink_thread_stop, when calls go to `to` at once. */
ts_sink *ts_sink_thread_sink(ts_sink_thread *t);

/* Waits until all calls were made, and ends the thread. The first failure of any, in ctx as well.
 */
ts_code ts_sink_thread_stop(ts_sink_thread *t);

/* Stops first. NULL is allowed. */
void ts_sink_thread_free(ts_sink_thread *t);

#endif

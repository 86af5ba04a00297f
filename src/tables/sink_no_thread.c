/* In the place of sink_thread.c in builds without threads (TS_THREADS): as on a system that gives
 * none. */
#include "tables/sink_thread.h"

ts_code ts_sink_thread_start(ts_sink_thread **out, ts_ctx *ctx, ts_sink *to, ts_ctx *own)
{
    (void)ctx;
    (void)to;
    (void)own;
    *out = NULL;
    return TS_OK;
}

/* There is no thread that these could be called with. */
ts_sink *ts_sink_thread_sink(ts_sink_thread *t)
{
    (void)t;
    return NULL;
}

ts_code ts_sink_thread_stop(ts_sink_thread *t)
{
    (void)t;
    return TS_OK;
}

void ts_sink_thread_free(ts_sink_thread *t)
{
    (void)t;
}

/* The trace stream: what its decoder (trace.c) and the stacks of threads (threads.c) share. */
#ifndef TS_PARSERS_CLOUD_TRACE_H
#define TS_PARSERS_CLOUD_TRACE_H

#include "parsers/cloud/cloud_impl.h"

/* Deeper stacks are taken for damage. */
enum { CLOUD_MAX_DEPTH = 1000000 };

/* The thread's number, given when new. */
ts_code cloud_thread_of(uint32_t *number, cloud_pod *pod, uint64_t tid);

/* An invocation begins or ends on the thread; the stack is not empty for a pop. */
ts_code cloud_push(cloud_pod *pod, cloud_thread *t, uint32_t word, int64_t ms);
ts_code cloud_pop(cloud_pod *pod, cloud_thread *t, int64_t ms, int state);

#endif

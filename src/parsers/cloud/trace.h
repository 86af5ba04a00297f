/* The trace stream: what the reader of its blocks (trace.c), the decoder of events (events.c) and
 * the stacks of threads (threads.c) share. */
#ifndef TS_PARSERS_CLOUD_TRACE_H
#define TS_PARSERS_CLOUD_TRACE_H

#include "parsers/cloud/cloud_impl.h"

/* Deeper stacks are taken for damage, and so is more that is open on all threads of a pod. */
enum { CLOUD_MAX_DEPTH = 1000000, CLOUD_MAX_OPEN = 2000000 };

/* --- events (events.c) --------------------------------------------------------------------- */

enum { CLOUD_ENTER, CLOUD_EXIT, CLOUD_TAG, CLOUD_FINISH };
enum { CLOUD_INLINE_VALUE, CLOUD_XML_VALUE, CLOUD_INDEX_VALUE, CLOUD_SQL_VALUE };

typedef struct cloud_event {
    const uint8_t *end; /* where the next one begins */
    uint8_t kind;
    uint8_t type;
    uint8_t first; /* an ENTER: number in the batch of the callee that comes last; or none */
    uint8_t next;  /* an ENTER: that of the caller's callee before this one */
    uint32_t step;
    uint32_t word;
    uint32_t file;
    uint32_t offset;
    cloud_string value;
} cloud_event;

enum { CLOUD_BATCH = 64, CLOUD_NO_EVENT = 255 };

/* Events of a block that stand one after the other in the window. */
typedef struct cloud_batch {
    unsigned n;
    cloud_got got; /* what stopped it: nothing, or what events[n] lacks */
    cloud_event events[CLOUD_BATCH + 1];
} cloud_batch;

/* Decodes events up to the end of the block, or of the window, or as many as there is room for. */
void cloud_decode_events(cloud_batch *batch, cloud_cursor c);

/* Call paths are spread all over the memory. What the events of a batch will look up is fetched as
 * soon as the caller's path is known: before the batch is applied, and after each ENTER in it. */
void cloud_look_ahead(const cloud_pod *pod, const cloud_thread *t, cloud_batch *batch);
void cloud_look_below(const cloud_pod *pod, const cloud_thread *t, const cloud_batch *batch,
                      unsigned i);

/* --- doubt (doubt.c) ------------------------------------------------------------------------ */

cloud_rows cloud_rows_now(const cloud_pod *pod);

/* --- threads (threads.c) ------------------------------------------------------------------- */

/* The thread's number, given when new. */
ts_code cloud_thread_of(uint32_t *number, cloud_pod *pod, uint64_t tid);

/* Something of the thread may be open from now on; cloud_close_frames will look at it. */
ts_code cloud_thread_busy(cloud_pod *pod, cloud_thread *t);

/* An invocation begins or ends on the thread; the stack is not empty for a pop. */
ts_code cloud_push(cloud_pod *pod, cloud_thread *t, uint32_t word, int64_t ms);
ts_code cloud_pop(cloud_pod *pod, cloud_thread *t, int64_t ms, int state);

#endif

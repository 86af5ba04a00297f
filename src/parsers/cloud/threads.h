/*
 * Threads of a pod: their open frames, which live across blocks and files. Stream trace:
 * docs/formats.md, "Cloud Profiler".
 *
 * Kept: the open frames of each thread. cloud_threads belongs to the pod, zeroed, until
 * cloud_threads_close; only threads.c touches its fields. A thread's state within the trace
 * (cloud_thread.at) is of trace.c and interrupt.c. Threads move when one is added. Times are ms
 * since 1970.
 */
#ifndef TS_PARSERS_CLOUD_THREADS_H
#define TS_PARSERS_CLOUD_THREADS_H

#include "base/idmap.h"
#include "base/vec.h"
#include "parsers/cloud/trace.h"
#include "parsers/format.h"

typedef struct cloud_pod cloud_pod;

/* Deeper stacks are taken for damage, and so is more that is open on all threads of a pod. */
enum { CLOUD_MAX_DEPTH = 1000000, CLOUD_MAX_OPEN = 2000000 };

/* How an invocation ends: stack_slice.state. */
typedef enum cloud_end {
    CLOUD_ENDED,
    CLOUD_OPEN, /* the recording ends before it */
    CLOUD_LOST  /* the end may be in a part that is missing */
} cloud_end;

typedef struct cloud_frame {
    int64_t slice; /* 0: not wanted */
    int64_t node;
    int64_t start;    /* ms */
    int64_t children; /* ms of its callees */
} cloud_frame;

struct cloud_thread {
    uint64_t tid;
    int64_t itid;
    cloud_frame *frames;
    uint32_t depth;
    uint32_t cap;
    bool named;
    bool busy; /* is in cloud_threads.busy */
    cloud_trace_place at;
};

typedef struct cloud_threads {
    ts_vec list;   /* cloud_thread */
    ts_idmap ids;  /* to places in list */
    ts_vec busy;   /* uint32_t: numbers of threads that may have something open */
    uint32_t open; /* invocations, on all threads */
} cloud_threads;

void cloud_threads_close(cloud_pod *pod);

/* The thread's number, given when new. */
ts_code cloud_thread_of(uint32_t *number, cloud_pod *pod, uint64_t tid);

static inline cloud_thread *cloud_thread_at(const cloud_threads *threads, uint32_t number)
{
    return (cloud_thread *)threads->list.p + number;
}

static inline uint64_t cloud_thread_tid(const cloud_thread *t)
{
    return t->tid;
}

static inline int64_t cloud_thread_itid(const cloud_thread *t)
{
    return t->itid;
}

static inline size_t cloud_thread_count(const cloud_threads *threads)
{
    return threads->list.n;
}

/* Invocations that are open on all threads. */
static inline uint32_t cloud_threads_open(const cloud_threads *threads)
{
    return threads->open;
}

/* Invocations that are open on the thread. */
static inline uint32_t cloud_thread_depth(const cloud_thread *t)
{
    return t->depth;
}

/* The outermost open one, and the innermost; there is one. */
static inline const cloud_frame *cloud_thread_root(const cloud_thread *t)
{
    return &t->frames[0];
}

static inline const cloud_frame *cloud_thread_top(const cloud_thread *t)
{
    return &t->frames[t->depth - 1];
}

/* The call path of the frame at this depth, from 1; 0 for depth 0. */
static inline int64_t cloud_thread_node(const cloud_thread *t, uint32_t depth)
{
    return depth == 0 ? 0 : t->frames[depth - 1].node;
}

/* Something of the thread may be open from now on: it is among the busy ones. */
ts_code cloud_thread_busy(cloud_pod *pod, cloud_thread *t);

/* The busy thread with this number among them, which is busy no longer, or NULL. */
cloud_thread *cloud_thread_idle(cloud_threads *threads, size_t i);

/* No thread is busy; each was given by cloud_thread_idle. */
void cloud_threads_idle(cloud_threads *threads);

/* An invocation begins or ends on the thread; the stack is not empty for a pop. */
ts_code cloud_push(cloud_pod *pod, cloud_thread *t, uint32_t word, int64_t ms);
ts_code cloud_pop(cloud_pod *pod, cloud_thread *t, int64_t ms, cloud_end end);

/* The thread's name, unless it has one. */
ts_code cloud_name_thread(cloud_pod *pod, cloud_thread *thread, ts_text name);

#endif

/*
 * The text of a HotSpot thread dump (the command `threaddump`, as jstack prints it; JDK 8 to 21):
 * a header, then for each thread a line with its name and numbers, its state, and its frames, the
 * innermost first; Java threads have a number (#1), those of the Java VM itself have none.
 */
#ifndef TS_SAMPLER_THREAD_DUMP_H
#define TS_SAMPLER_THREAD_DUMP_H

#include "base/text.h"
#include "base/vec.h"

typedef enum ts_dump_state {
    TS_DUMP_UNKNOWN, /* not said, as of threads of the Java VM itself */
    TS_DUMP_NEW,
    TS_DUMP_RUNNABLE,
    TS_DUMP_BLOCKED,
    TS_DUMP_WAITING,
    TS_DUMP_TIMED_WAITING,
    TS_DUMP_TERMINATED
} ts_dump_state;

/* A thread; texts are parts of the dump. */
typedef struct ts_dump_thread {
    ts_text name;
    int64_t id;       /* Thread.getId; -1: a thread of the Java VM itself */
    int64_t nid;      /* thread id of the system, as the Java VM sees it; -1: not said */
    int64_t cpu_ns;   /* since it began; -1: not said (before JDK 11) */
    int64_t priority; /* -1: not said */
    bool daemon;
    ts_dump_state state;
    const ts_text *frames; /* "class.method", the innermost first */
    size_t frame_count;
    size_t locked;      /* monitors that it holds */
    ts_text waiting_on; /* class of the object that it waits for; p NULL: none */
} ts_dump_thread;

/* "RUNNABLE" ...; "" when unknown. */
const char *ts_dump_state_name(ts_dump_state state);

typedef ts_code (*ts_dump_visit)(void *user, const ts_dump_thread *thread);

/*
 * Calls `visit` for each thread in the order of the text. A thread is passed on when what follows
 * it was seen, so that of a text that was cut nothing is passed on in part; *complete says whether
 * the end of a dump was seen. Lines that are not known are passed over. Fails with what `visit`
 * returns, or without memory.
 */
ts_code ts_thread_dump(bool *complete, ts_ctx *ctx, const char *text, size_t n, ts_dump_visit visit,
                       void *user);

#endif

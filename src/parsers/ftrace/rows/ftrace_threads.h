/*
 * Processes and threads as events of the kernel name them: by pid, tid and name, and by time, since
 * the kernel uses numbers again (docs/differences.md, QF-12). The rows are the store's.
 *
 * Memory: some 370 bytes a thread (64 more when it has slices), 60 a process.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_THREADS_H
#define TS_PARSERS_FTRACE_FTRACE_THREADS_H

#include "base/idmap.h"
#include "base/vec.h"
#include "parsers/ftrace/rows/ftrace_frames.h"
#include "parsers/ftrace/rows/ftrace_sched.h"
#include "parsers/ftrace/rows/ftrace_slices.h"
#include "tables/store.h"

typedef struct ftrace_process ftrace_process;

struct ftrace_process {
    int64_t ipid;
    int64_t pid;
    struct ftrace_thread *main; /* the last one with this number; NULL: not known */
    const char *name;           /* the store's, or NULL; below 4 GiB */
    uint32_t name_n;
    bool started;    /* start_ts is set */
    bool has_memory; /* there is a value of one of its counters */
};

typedef struct ftrace_tid ftrace_tid;

/* The last system call of a thread. */
typedef struct ftrace_call {
    bool open;
    int64_t number;
    int64_t ts;
    uint64_t begun; /* number of its event (ftrace_losses) */
    char *args;     /* owned; NULL: not recorded */
    size_t args_n;
} ftrace_call;

void ftrace_call_free(ts_ctx *ctx, ftrace_call *call);

typedef struct ftrace_thread {
    int64_t itid;
    int64_t tid;
    ftrace_process *process;      /* NULL: not known */
    ftrace_tid *same;             /* all threads with its tid */
    struct ftrace_thread *before; /* the next older one that has not ended */
    ts_text name;                 /* the store's, or NULL */
    bool ended;
    bool has_slice;   /* one of its slices has ended */
    bool switched;    /* it was switched out */
    bool end_noticed; /* an end without a beginning was found */
    ftrace_thread_sched sched;
    uint64_t checked; /* number of the last event of its slices and frames (ftrace_losses) */
    /* Made when first needed, and owned. */
    ftrace_stack *stack;
    ftrace_call *call;
    ftrace_thread_frames *frames;
} ftrace_thread;

/* The threads of one number. */
struct ftrace_tid {
    int64_t tid;
    ftrace_thread *youngest;
    ftrace_thread *alive; /* the youngest that has not ended, or NULL */
};

enum { FTRACE_NEAR_TIDS = 1024, FTRACE_NEAR_PIDS = 256 };

typedef struct ftrace_threads {
    ts_ctx *ctx;
    ts_store *store;
    int64_t source_id;
    ts_idmap tids;                           /* ftrace_tid */
    ftrace_tid *near_tids[FTRACE_NEAR_TIDS]; /* of them, those met last, by the low bits; or NULL */
    ts_idmap pairs; /* ftrace_thread, by tid and pid; of those in a process */
    ts_idmap pids;  /* ftrace_process */
    ftrace_process *near_pids[FTRACE_NEAR_PIDS]; /* likewise */
    ts_vec threads;                              /* ftrace_thread *, in the order of their coming */
    ts_vec processes;                            /* ftrace_process * */
    ftrace_thread *idle;                         /* thread 0 */
} ftrace_threads;

/* Thread 0 of process 0 is there. Free with ftrace_threads_free, also after a failure. */
ts_code ftrace_threads_init(ftrace_threads *all, ts_ctx *ctx, ts_store *store, int64_t source_id);
void ftrace_threads_free(ftrace_threads *all);

/* P: the process with this pid; ts becomes its beginning when it has none (TS_NO_TIME: unknown). */
ts_code ftrace_process_seen(ftrace_process **out, ftrace_threads *all, int64_t pid, int64_t ts);

/* Has an event named this process before? */
bool ftrace_process_known(const ftrace_threads *all, int64_t pid);

/* PN: the same; a name that is not empty becomes that of the process and of its main thread. */
ts_code ftrace_process_named(ftrace_threads *all, int64_t pid, ts_text name);

/* T1: the youngest thread with this tid that has not ended, or the youngest, or a new one without a
 * process. A name that is not empty becomes its name. */
ts_code ftrace_thread_any(ftrace_thread **out, ftrace_threads *all, int64_t tid, ts_text name);

/* T: the thread with this tid in the process with this pid; pid 0: as T1. */
ts_code ftrace_thread_seen(ftrace_thread **out, ftrace_threads *all, int64_t tid, int64_t pid);

/* T(pid, pid), T1(tid), T(tid, pid): of the thread that an event happened in. */
ts_code ftrace_thread_of_event(ftrace_thread **out, ftrace_threads *all, int64_t tid, int64_t pid);

/* TN: T, with its name, also an empty one; a main thread names its process. */
ts_code ftrace_thread_named(ftrace_thread **out, ftrace_threads *all, int64_t tid, int64_t pid,
                            ts_text name);

/* The youngest of its tid that has not ended, or the youngest, has ended: its tid may be given to
 * another one. */
void ftrace_thread_ended(ftrace_threads *all, ftrace_thread *thread, int64_t ts);

/* A new one has come with this tid and process, which may have been there before. Not the idle
 * thread. */
void ftrace_thread_began(ftrace_threads *all, ftrace_thread *thread, int64_t ts);

/* All events were seen: each thread gets a process, counts of processes are set. Names of processes
 * are set by ftrace_threads_name, after names from a list. */
ts_code ftrace_threads_finish(ftrace_threads *all);
ts_code ftrace_threads_name(ftrace_threads *all);

static inline ftrace_thread *ftrace_thread_at(const ftrace_threads *all, size_t i)
{
    return ((ftrace_thread **)all->threads.p)[i];
}

#endif

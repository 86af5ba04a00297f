/*
 * What threads did with their time. CPU time is what is recorded of it, else what the scheduler
 * says, else what CPU samples say, each where those before it say nothing; else it is not known.
 * Elapsed time is no CPU time.
 *
 *   recorded    closed outermost calls with a CPU time, calls of the Cloud Profiler, Flare's
 *               records: cpu of their time, the rest of it is waiting
 *   scheduling  thread_state, sched_slice of threads without; the last state of a thread that is
 *               open lasts to the end of the recording
 *   samples     of class cpu, each for its length. Samples whose CPU time is a value (JFR: of an
 *               interval that the recorder chose) add it up and have no place: an estimate
 *
 * Waiting is states, waits that were recorded (lock_wait, samples of class waiting) and idle
 * samples, each moment once: where two overlap, it belongs to the one that began earlier, and what
 * was recorded counts before idle samples. In a recorded call it is what is not CPU time, for a
 * reason that is known of recorded waits. Paused is what pauses of the runtime took of the rest.
 * Asynchronous spans are no thread's time.
 */
#ifndef TS_MODEL_SPENT_H
#define TS_MODEL_SPENT_H

#include "base/buf.h"
#include "model/select.h"

/* What a thread waited for, in the words of event_class. */
typedef enum ts_wait_reason {
    TS_WAIT_RUNNABLE, /* a processor */
    TS_WAIT_SLEEP,
    TS_WAIT_BLOCKED, /* in the kernel, without interruption */
    TS_WAIT_IO,
    TS_WAIT_LOCK,
    TS_WAIT_WAIT, /* to be notified */
    TS_WAIT_PARK,
    TS_WAIT_IDLE,  /* work */
    TS_WAIT_OTHER, /* not known */
    TS_WAIT_REASONS
} ts_wait_reason;

const char *ts_wait_reason_name(ts_wait_reason reason);

/* Where CPU time is known from. */
enum { TS_CPU_RECORDED = 1, TS_CPU_SCHEDULING = 2, TS_CPU_SAMPLES = 4 };

typedef struct ts_spent {
    bool has_itid; /* else: samples of the source without a thread */
    int64_t itid;
    int64_t source_id; /* of the thread */
    unsigned cpu_from; /* bits; 0: its CPU time is not known */
    bool estimated;
    int64_t cpu;
    int64_t waiting[TS_WAIT_REASONS];
    int64_t paused;
    int64_t unknown; /* at least 0 */
    int64_t length;  /* of its source's range in what is selected; -1: not known */
} ts_spent;

/*
 * Adds a ts_spent to *out for each selected thread of which time is recorded, in the order of their
 * ids, those without one first. Memory: 16 MiB, 300 bytes a thread, 4 a call path. Caller frees
 * with ts_vec_free, also after an error.
 */
ts_code ts_spent_get(ts_vec *out, ts_model *m, const ts_select *select);

/* All reasons together. */
int64_t ts_spent_waiting(const ts_spent *s);

/* "recorded, samples"; "" when it is not known. */
const char *ts_spent_cpu_from(const ts_spent *s);

#endif

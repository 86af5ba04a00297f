/* CPU time of a thread of another process, from /proc/PID/task. */
#ifndef TS_SAMPLER_THREAD_CPU_H
#define TS_SAMPLER_THREAD_CPU_H

#include "base/idmap.h"
#include "sampler/hotspot.h"

typedef struct ts_thread_cpu {
    ts_ctx *ctx;
    const ts_jvm *jvm;
    int64_t tick_ns; /* of the clock of `stat` */
    ts_buf text;
    ts_idmap outer; /* inside a PID namespace: from its thread ids to ours */
} ts_thread_cpu;

/* Nothing is taken. Caller frees with ts_thread_cpu_close. */
void ts_thread_cpu_open(ts_thread_cpu *cpu, ts_ctx *ctx, const ts_jvm *jvm);
void ts_thread_cpu_close(ts_thread_cpu *cpu);

/*
 * CPU time in ns of the thread that the Java VM knows by this id: of schedstat, in ns, or else of
 * stat, in ticks of the kernel. -1: not known (it has ended). Fails without memory only.
 */
ts_code ts_thread_cpu_read(int64_t *ns, ts_thread_cpu *cpu, int64_t nid);

#endif

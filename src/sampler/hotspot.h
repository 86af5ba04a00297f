/*
 * The attach interface of a HotSpot Java VM on this machine: a file .attach_pidN in its directory
 * and SIGQUIT make it listen on the socket .java_pidN, which takes commands (protocol version 1)
 * and answers with text. Only Java VMs of the same user are talked to, and SIGQUIT is sent only to
 * a process that has libjvm.so mapped and handles that signal: it would end any other.
 */
#ifndef TS_SAMPLER_HOTSPOT_H
#define TS_SAMPLER_HOTSPOT_H

#include "base/buf.h"

#include <stdatomic.h>

typedef struct ts_jvm {
    const char *proc; /* "/proc", or a folder of a test; borrowed */
    int pid;
    int inner_pid; /* its number inside its own PID namespace */
    int pidfd;     /* stands for this process and no later one of its number; -1: none */
    unsigned uid;
    const atomic_bool *stop; /* NULL, or ends waiting */
} ts_jvm;

/*
 * Looks at a process without touching it. TS_ERR_USAGE with a sentence when it is not there, is not
 * one of the caller's, or is no HotSpot Java VM that handles SIGQUIT.
 */
ts_code ts_jvm_check(ts_jvm *jvm, ts_ctx *ctx, const char *proc, int pid);

/* The same, and makes the Java VM listen: at most 5 s. Caller closes with ts_jvm_close, also after
 * a failure (TS_ERR_INPUT when it does not listen). */
ts_code ts_jvm_open(ts_jvm *jvm, ts_ctx *ctx, const char *proc, int pid, const atomic_bool *stop);
void ts_jvm_close(ts_jvm *jvm, ts_ctx *ctx);

/* Whether the process has ended. */
bool ts_jvm_gone(const ts_jvm *jvm);

/*
 * Sends a command with up to one argument and reads the whole answer into `out` (replaced), without
 * the line of its result code. TS_ERR_INPUT when there is no answer in 10 s, the code is not 0 or
 * it is larger than 256 MiB.
 */
ts_code ts_jvm_command(ts_buf *out, const ts_jvm *jvm, ts_ctx *ctx, const char *command,
                       const char *argument);

/* Reads a small file below proc/PID into `out` (replaced). TS_ERR_INPUT with errno kept. */
ts_code ts_jvm_read(ts_buf *out, const ts_jvm *jvm, ts_ctx *ctx, const char *name);

#endif

/* Java VMs of this user that can be sampled. */
#ifndef TS_SAMPLER_JVMS_H
#define TS_SAMPLER_JVMS_H

#include "base/text.h"
#include "base/vec.h"

enum { TS_JVM_NAME = 96 };

typedef struct ts_jvm_found {
    int pid;
    char name[TS_JVM_NAME]; /* what it runs: a class, a module, or the file of a jar or source */
} ts_jvm_found;

/* The processes below `proc` that ts_jvm_check takes, by their numbers, without this one's. *out
 * is replaced and freed by the caller. Fails without memory only. */
ts_code ts_jvms_find(ts_vec *out, ts_ctx *ctx, const char *proc);

/* What a command line runs; arguments end with zero bytes. The last part of a path, without what is
 * no letter, digit, dot, '$', '-' or '_'; "java" when it says nothing. */
void ts_jvm_name(char name[TS_JVM_NAME], ts_text command);

#endif

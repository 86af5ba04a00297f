/* CPU times of threads (see thread_cpu.h). */
#include "sampler/thread_cpu.h"

#include "base/ckd.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ts_thread_cpu_open(ts_thread_cpu *cpu, ts_ctx *ctx, const ts_jvm *jvm)
{
    long ticks = sysconf(_SC_CLK_TCK);
    *cpu =
        (ts_thread_cpu){.ctx = ctx, .jvm = jvm, .tick_ns = 1000000000 / (ticks <= 0 ? 100 : ticks)};
}

void ts_thread_cpu_close(ts_thread_cpu *cpu)
{
    if (cpu->ctx != NULL) {
        ts_buf_free(cpu->ctx, &cpu->text);
        ts_idmap_free(cpu->ctx, &cpu->outer);
    }
    *cpu = (ts_thread_cpu){0};
}

/* --- thread ids of another PID namespace ---------------------------------------------------- */

/* *whole becomes false when the thread has ended, or its file cannot be read now. */
static ts_code note_thread(bool *whole, ts_thread_cpu *cpu, const char *task)
{
    char name[sizeof "task//status" + NAME_MAX];
    const char *inner;
    const char *end;
    ts_code code;
    snprintf(name, sizeof name, "task/%s/status", task);
    code = ts_jvm_read(&cpu->text, cpu->jvm, cpu->ctx, name);
    inner = code == TS_OK ? strstr(cpu->text.p, "\nNSpid:\t") : NULL;
    if (inner == NULL) {
        *whole = *whole && code == TS_OK; /* kernels before 4.1 do not say it */
        return code == TS_ERR_INPUT ? TS_OK : code;
    }
    end = inner + 1 + strcspn(inner + 1, "\n");
    while (end > inner && end[-1] != '\t') {
        end--;
    }
    return ts_idmap_put(cpu->ctx, &cpu->outer, strtoll(end, NULL, 10), strtoull(task, NULL, 10));
}

/* *whole: all threads were seen. */
static ts_code read_threads(bool *whole, ts_thread_cpu *cpu)
{
    char path[256];
    const struct dirent *entry;
    DIR *dir;
    bool noted = true;
    ts_code code = TS_OK;
    *whole = false;
    snprintf(path, sizeof path, "%s/%d/task", cpu->jvm->proc, cpu->jvm->pid);
    dir = opendir(path);
    if (dir == NULL) {
        return TS_OK;
    }
    while (errno = 0, code == TS_OK && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.' && strlen(entry->d_name) < 24) {
            code = note_thread(&noted, cpu, entry->d_name);
        }
    }
    *whole = errno == 0 && noted;
    closedir(dir);
    return code;
}

static ts_code outer_id(int64_t *tid, ts_thread_cpu *cpu, int64_t nid)
{
    uint64_t known = 0;
    bool whole = false;
    ts_code code = TS_OK;
    *tid = nid;
    if (cpu->jvm->inner_pid == cpu->jvm->pid) {
        return TS_OK;
    }
    if (!ts_idmap_find(&known, &cpu->outer, nid)) {
        code = read_threads(&whole, cpu);
        if (code == TS_OK && !ts_idmap_find(&known, &cpu->outer, nid)) {
            known = 0; /* and is not looked for again, when it is certain that there is none */
            code = whole ? ts_idmap_put(cpu->ctx, &cpu->outer, nid, 0) : TS_OK;
        }
    }
    *tid = (int64_t)known;
    return code;
}

/* --- times ---------------------------------------------------------------------------------- */

/* utime and stime: the 14th and 15th field; the 2nd is a name in brackets that may hold anything.
 */
static int64_t ticks_of(const char *stat)
{
    const char *p = strrchr(stat, ')');
    char *end;
    int64_t user;
    for (int field = 2; p != NULL && field < 14; field++) {
        p = strchr(p + 1, ' ');
    }
    if (p == NULL) {
        return -1;
    }
    user = strtoll(p, &end, 10);
    return ts_sat_add(user, strtoll(end, NULL, 10));
}

ts_code ts_thread_cpu_read(int64_t *ns, ts_thread_cpu *cpu, int64_t nid)
{
    char name[64];
    int64_t tid = nid;
    ts_code code = outer_id(&tid, cpu, nid);
    *ns = -1;
    if (code != TS_OK || tid <= 0) {
        return code;
    }
    snprintf(name, sizeof name, "task/%" PRId64 "/schedstat", tid);
    code = ts_jvm_read(&cpu->text, cpu->jvm, cpu->ctx, name);
    if (code == TS_OK) {
        *ns = strtoll(cpu->text.p, NULL, 10);
    }
    if (code != TS_ERR_INPUT && *ns > 0) { /* kernels without accounting say 0 */
        return code;
    }
    snprintf(name, sizeof name, "task/%" PRId64 "/stat", tid);
    code = ts_jvm_read(&cpu->text, cpu->jvm, cpu->ctx, name);
    if (code == TS_OK) {
        int64_t ticks = ticks_of(cpu->text.p);
        *ns = ticks < 0 ? -1 : ts_sat_mul(ticks, cpu->tick_ns);
    }
    return code == TS_ERR_INPUT ? TS_OK : code;
}

#include "serve/api/vm_sampling.h"

#include "sampler/hotspot.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

ts_samplings *ts_samplings_open(size_t room)
{
    void *p = room == 0 ? MAP_FAILED
                        : mmap(NULL, sizeof(ts_samplings), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ts_samplings *s = p == MAP_FAILED ? NULL : p;
    if (s != NULL) {
        s->room = room < TS_SAMPLINGS ? room : TS_SAMPLINGS;
    }
    return s;
}

void ts_samplings_close(ts_samplings *s)
{
    if (s != NULL) {
        (void)munmap(s, sizeof *s);
    }
}

bool ts_samplings_busy(ts_samplings *s)
{
    for (size_t i = 0; i < s->room; i++) {
        int state = atomic_load(&s->all[i].state);
        if (state != TS_SAMPLING_FREE && state != TS_SAMPLING_DONE && state != TS_SAMPLING_FAILED) {
            return true;
        }
    }
    return false;
}

/* One that nothing was sampled into; TS_SAMPLINGS: there is none. */
static size_t take_free(ts_samplings *s)
{
    for (size_t i = 0; i < s->room; i++) {
        int before = atomic_load(&s->all[i].state);
        if ((before == TS_SAMPLING_FREE || before == TS_SAMPLING_FAILED) &&
            atomic_compare_exchange_strong(&s->all[i].state, &before, TS_SAMPLING_TAKEN)) {
            return i;
        }
    }
    return TS_SAMPLINGS;
}

ts_code ts_sampling_ask(size_t *number, ts_samplings *s, ts_ctx *ctx, int pid, int seconds)
{
    ts_jvm jvm;
    ts_buf command = {0};
    *number = TS_SAMPLINGS;
    ts_code code = ts_jvm_check(&jvm, ctx, "/proc", pid);
    TS_STEP(code, ts_jvm_read(&command, &jvm, ctx, "cmdline"));
    if (code == TS_OK && !ts_samplings_busy(s) && (*number = take_free(s)) < TS_SAMPLINGS) {
        ts_sampling *one = &s->all[*number];
        one->pid = pid;
        one->seconds = seconds;
        one->message[0] = '\0';
        ts_jvm_name(one->name, (ts_text){command.p, command.n - 1});
        atomic_store(&one->stop, false);
        atomic_store(&one->elapsed_ms, 0);
        atomic_store(&one->state, TS_SAMPLING_ASKED);
    }
    ts_buf_free(ctx, &command);
    return code;
}

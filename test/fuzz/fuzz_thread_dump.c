/*
 * A thread dump of a Java VM. What must hold: texts of threads lie within the dump and in its
 * order, a dump that is cut gives the first threads of the whole one, and reading ends.
 */
#include "fuzz.h"

#include "sampler/thread_dump.h"

typedef struct seen {
    const char *begin;
    const char *end;
    const char *at; /* no thread begins before it */
    uint64_t hashes[64];
    size_t n;
} seen;

static void within(const seen *s, ts_text t)
{
    check(t.n == 0 || (t.p >= s->begin && t.p <= s->end && t.n <= (size_t)(s->end - t.p)));
}

static ts_code visit(void *user, const ts_dump_thread *t)
{
    seen *s = user;
    uint64_t hash = 1;
    within(s, t->name);
    check(t->name.p >= s->at);
    s->at = t->name.p;
    within(s, t->waiting_on);
    check(t->id == -1 || t->id > 0);
    check(t->nid >= -1 && t->cpu_ns >= -1 && t->priority >= -1);
    check(ts_dump_state_name(t->state) != NULL);
    mix_bytes(&hash, t->name.p, t->name.n);
    mix(&hash, (uint64_t)t->id);
    mix(&hash, (uint64_t)t->state);
    mix(&hash, t->locked);
    for (size_t i = 0; i < t->frame_count; i++) {
        within(s, t->frames[i]);
        check(t->frames[i].n > 0);
        mix_bytes(&hash, t->frames[i].p, t->frames[i].n);
    }
    if (s->n < 64) {
        s->hashes[s->n] = hash;
    }
    s->n++;
    return TS_OK;
}

static void read_dump(seen *s, ts_ctx *ctx, const char *p, size_t n)
{
    bool complete;
    *s = (seen){.begin = p, .end = p + n, .at = p};
    check(ts_thread_dump(&complete, ctx, p, n, visit, s) == TS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ts_ctx *ctx = fuzz_ctx_new();
    const char *text = (const char *)data;
    seen whole;
    seen part;
    size_t cut = size == 0 ? 0 : size * (data[0] + 1U) / 257;
    read_dump(&whole, ctx, text, size);
    read_dump(&part, ctx, text, cut);
    check(part.n <= whole.n);
    for (size_t i = 0; i < part.n && i < 64; i++) {
        check(part.hashes[i] == whole.hashes[i]);
    }
    fuzz_ctx_free(ctx);
    return 0;
}

/*
 * Dumps of heapprofd: what the stacks of a process allocated and released since it is watched.
 * Numbers grow from dump to dump; a sample is what came since the dump before, so that samples add
 * up. A dump may be divided among packets: what these explain holds up to the last of them.
 */
#include "parsers/perfetto/perfetto.h"

#include <inttypes.h>
#include <stdio.h>

enum { CLOCK_MONOTONIC_COARSE_ID = 4 };

/* What sums are of: kept as bytes, without padding. */
typedef struct heap_key {
    int64_t pid;
    uint32_t heap, call;
} heap_key;

/* Numbers of the last dump, by kind of value. */
typedef struct heap_sum {
    int64_t at[VALUE_KINDS];
    uint64_t allocated, freed;
    uint32_t losses; /* of the sequence, then */
} heap_sum;

/* What a dump says of itself. */
typedef struct dump {
    int64_t pid, ts;
    uint32_t heap, clock;
    ts_text wrong; /* what of it is not complete; empty: nothing */
    char text[96];
} dump;

/* --- samples --------------------------------------------------------------------------------- */

static int64_t size_of(uint64_t v)
{
    return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

static ts_code find_sum(heap_sum **sum, perfetto *p, const dump *d, uint32_t call)
{
    const heap_key key = {d->pid, d->heap, call};
    uint32_t number;
    bool added;
    TS_TRY(ts_pool_intern(p->ctx, &number, &added, &p->heap_keys,
                          (ts_text){(const char *)&key, sizeof key}));
    if (added) {
        TS_NEED(p->ctx, ts_vec_add(p->ctx, &p->heap_sums, sizeof(heap_sum)));
        ((heap_sum *)p->heap_sums.p)[number] = (heap_sum){0};
    }
    *sum = (heap_sum *)p->heap_sums.p + number;
    return TS_OK;
}

/* HeapSample: the sums of a stack. */
static ts_code take_sample(perfetto *p, const dump *d, const ts_wire_field *message, bool *good)
{
    enum { STACK = 1, ALLOCATED, FREED, ALLOCATIONS = 5, RELEASES, MAX = 8, NUMBERS };
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    perfetto_sample s = {.itid = -1, .pid = d->pid, .heap = d->heap, .cpu = -1};
    perfetto_value values[VALUE_KINDS];
    heap_sum now = {.allocated = v[ALLOCATED],
                    .freed = v[FREED],
                    .losses = perfetto_losses(p, p->sequence_index)};
    heap_sum *sum = NULL;
    bool any = false;
    if (!*good) {
        return TS_OK;
    }
    now.at[VALUE_ALLOC_SPACE] = size_of(v[ALLOCATED]);
    now.at[VALUE_ALLOC_OBJECTS] = size_of(v[ALLOCATIONS]);
    now.at[VALUE_INUSE_SPACE] = size_of(v[ALLOCATED]) - size_of(v[FREED]);
    now.at[VALUE_INUSE_OBJECTS] = size_of(v[ALLOCATIONS]) - size_of(v[RELEASES]);
    now.at[VALUE_MAX_SPACE] = size_of(v[MAX]);
    s.call = perfetto_stack_find(p, INTERNED_OF_HEAP, v[STACK]);
    TS_TRY(find_sum(&sum, p, d, s.call));
    if (now.allocated < sum->allocated || now.freed < sum->freed) {
        if (now.losses != sum->losses) { /* which of the dumps is the older one is not known */
            p->n.sums_lost++;
            return TS_OK;
        }
        *sum = (heap_sum){0}; /* another process has the number */
    }
    s.values = (there >> MAX & 1) != 0 ? VALUE_KINDS : VALUE_MAX_SPACE;
    for (uint32_t i = 0; i < s.values; i++) {
        values[i] = (perfetto_value){i, 0};
        if (ts_ckd_sub(&values[i].value, now.at[i], sum->at[i])) {
            values[i].value = now.at[i] < 0 ? INT64_MIN : INT64_MAX;
        }
        any = any || values[i].value != 0;
    }
    *sum = now;
    if (!any) { /* nothing since then */
        p->n.samples++;
        p->n.samples_skipped++;
        return TS_OK;
    }
    TS_TRY(ts_pool_intern(p->ctx, &s.event, NULL, &p->texts, TS_TEXT_LIT("alloc")));
    return perfetto_sample_add(p, &s, values, d->clock, d->ts);
}

/* --- dumps ----------------------------------------------------------------------------------- */

/* What of a dump is missing, by its fields. */
static void take_faults(dump *d, const uint64_t *v)
{
    static const struct {
        uint32_t field;
        const char *text;
    } faults[] = {
        {4, "rejected"},  {6, "disconnected"},     {7, "buffer overran"},
        {8, "corrupted"}, {10, "hit a guardrail"}, {14, "error of the client"},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (v[faults[i].field] != 0) {
            n += (size_t)snprintf(d->text + n, sizeof d->text - n, "%s%s", n == 0 ? "" : ", ",
                                  faults[i].text);
        }
    }
    d->wrong = (ts_text){d->text, n};
}

/* ProcessHeapSamples: one heap of a process. */
static ts_code take_dump(perfetto *p, const ts_wire_field *message, bool *good)
{
    enum { PID = 1, SAMPLES, TIMESTAMP = 9, HEAP = 11, NUMBERS = 16 };
    uint64_t v[NUMBERS];
    dump d = {.ts = p->ts, .clock = p->clock, .heap = PERFETTO_NONE};
    int64_t ipid;
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    (void)perfetto_numbers(v, NUMBERS, message, good);
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        if (f.number == HEAP && f.type == TS_WIRE_BYTES) {
            code = perfetto_text_of(&d.heap, p, &f);
        }
    }
    if (code != TS_OK || !*good) {
        return code;
    }
    d.pid = (int32_t)v[PID];
    if (v[TIMESTAMP] != 0 && v[TIMESTAMP] <= INT64_MAX) {
        d.ts = (int64_t)v[TIMESTAMP];
        TS_TRY_INTO(code, perfetto_clock_of(&d.clock, p, CLOCK_MONOTONIC_COARSE_ID));
    }
    TS_TRY_INTO(code, ts_process(&ipid, p->store, p->source_id, d.pid));
    take_faults(&d, v);
    if (d.wrong.n > 0) {
        TS_TRY_INTO(code, ts_issue(p->store, p->source_id, TS_ISSUE_heapprofd_incomplete, NULL,
                                   (int64_t)p->at, "process %" PRId64 ": %s", d.pid, d.text));
    }
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        if (f.number == SAMPLES && f.type == TS_WIRE_BYTES) {
            code = take_sample(p, &d, &f, good);
        }
    }
    return code;
}

ts_code perfetto_heap_profile(perfetto *p, const ts_wire_field *message, bool *good)
{
    enum { DUMPS = 5, CONTINUED, INDEX, NUMBERS };
    perfetto_sequence *s = p->sequence;
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    ts_code code;
    if (!*good) {
        return TS_OK;
    }
    if ((there >> INDEX & 1) != 0) {
        p->n.heap_gaps += s->has_heap_index && v[INDEX] != s->heap_index + 1;
        s->has_heap_index = true;
        s->heap_index = v[INDEX];
    }
    if (s->heap_part == 0) {
        s->heap_part = ++p->generations;
    }
    code = perfetto_interned_heap(p, message, good);
    TS_STEP_IF(code, *good, perfetto_each(p, message, DUMPS, take_dump, good));
    if (v[CONTINUED] == 0) {
        s->heap_part = 0;
    }
    return code;
}

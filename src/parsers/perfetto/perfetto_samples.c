/*
 * Samples: those of perf, of Chrome's sampler, and what is kept of dumps of heaps
 * (perfetto_heap.c). A sample waits as a record until times and names of frames are known.
 */
#include "parsers/perfetto/perfetto.h"

#include <inttypes.h>
#include <stdio.h>

enum { CLOCK_MONOTONIC_ID = 3 };

/* --- what is sampled ------------------------------------------------------------------------- */

/* The name of a tracepoint: {1 name}. */
static ts_code tracepoint(uint32_t *name, perfetto *p, const ts_wire_field *message, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1) {
            code = perfetto_text_of(name, p, &f);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

/* Counters of time and of cycles are cpu, as those of other profilers. */
static const char *counter_name(uint64_t counter)
{
    static const char *const names[] = {
        [1] = "cpu",
        [2] = "page-faults",
        [3] = "cpu",
        [4] = "context-switches",
        [5] = "cpu-migrations",
        [6] = "minor-faults",
        [7] = "major-faults",
        [8] = "alignment-faults",
        [9] = "emulation-faults",
        [10] = "cpu",
        [11] = "instructions",
        [12] = "cache-references",
        [13] = "cache-misses",
        [14] = "branch-instructions",
        [15] = "branch-misses",
        [16] = "bus-cycles",
        [17] = "stalled-cycles-frontend",
        [18] = "stalled-cycles-backend",
        [19] = "ref-cycles",
        [20] = "dummy",
    };
    return counter < sizeof names / sizeof names[0] ? names[counter] : NULL;
}

/* The event whose counts cause samples. */
static ts_code take_timebase(perfetto *p, perfetto_defaults *d, const ts_wire_field *message,
                             bool *good)
{
    enum { TRACEPOINT = 3, COUNTER, RAW, NAME = 10, NUMBERS };
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    uint32_t name = PERFETTO_NONE;
    uint32_t point = PERFETTO_NONE;
    const char *counter = counter_name(v[COUNTER]);
    char number[40];
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == NAME && f.type == TS_WIRE_BYTES) {
            code = perfetto_text_of(&name, p, &f);
        } else if (f.number == TRACEPOINT && f.type == TS_WIRE_BYTES) {
            code = tracepoint(&point, p, &f, good);
        }
    }
    if (code != TS_OK) {
        return code;
    }
    if (counter == NULL || strcmp(counter, "cpu") != 0) {
        d->sampled = name != PERFETTO_NONE ? name : point;
        if (d->sampled != PERFETTO_NONE) {
            return TS_OK;
        }
    }
    snprintf(number, sizeof number, "%s-%" PRIu64, (there >> RAW & 1) != 0 ? "raw" : "counter",
             v[COUNTER]);
    counter = counter != NULL ? counter : there >> COUNTER & 1 || there >> RAW & 1 ? number : "cpu";
    return ts_pool_intern(p->ctx, &d->sampled, NULL, &p->texts, ts_text_of(counter));
}

ts_code perfetto_sampled_event(perfetto *p, perfetto_defaults *d, const ts_wire_field *message,
                               bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_BYTES) {
            code = take_timebase(p, d, &f, good);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

/* --- records --------------------------------------------------------------------------------- */

ts_code perfetto_sample_add(perfetto *p, const perfetto_sample *sample,
                            const perfetto_value *values, uint32_t clock, int64_t ts)
{
    perfetto_record r = {.ts = ts,
                         .clock = clock,
                         .type = PERFETTO_SAMPLE,
                         .sequence = p->sequence_index,
                         .dur = TS_NO_TIME};
    p->extras.n = 0;
    p->flows.n = 0;
    p->args.n = 0;
    TS_TRY(ts_buf_put(p->ctx, &p->args, sample, sizeof *sample));
    TS_TRY(ts_buf_put(p->ctx, &p->args, values, sample->values * sizeof *values));
    return perfetto_record_add(p, &r, TS_TEXT_NULL);
}

static ts_code event_text(uint32_t *text, perfetto *p)
{
    const perfetto_defaults *d = p->sequence->defaults;
    *text = d == NULL ? PERFETTO_NONE : d->sampled;
    return *text != PERFETTO_NONE
               ? TS_OK
               : ts_pool_intern(p->ctx, text, NULL, &p->texts, TS_TEXT_LIT("cpu"));
}

/* A sample of perf, or a record that says that some are missing. */
ts_code perfetto_perf_sample(perfetto *p, const ts_wire_field *message, bool *good)
{
    enum {
        CPU = 1,
        PID,
        TID,
        STACK,
        MODE,
        UNWINDING = 16,
        LOST,
        SKIPPED,
        PRODUCER,
        NUMBERS,
        NOT_WANTED = 4 /* why it was skipped: samples of the process were not asked for */
    };
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    perfetto_sample s = {.pid = -1, .heap = PERFETTO_NONE, .cpu = -1};
    perfetto_thread thread;
    ts_wire w;
    ts_wire_field f;
    bool producer = false;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        producer = producer || (f.number == PRODUCER && f.type == TS_WIRE_BYTES && f.n > 0);
    }
    if (!*good) {
        return TS_OK;
    }
    if (producer || v[LOST] != 0) {
        uint64_t lost = v[LOST] == 0 ? 1 : v[LOST] > INT64_MAX ? INT64_MAX : v[LOST];
        p->n.perf_lost += lost;
        p->n.perf_lost = p->n.perf_lost > INT64_MAX ? INT64_MAX : p->n.perf_lost;
        return TS_OK;
    }
    if ((there >> SKIPPED & 1) != 0) {
        p->n.perf_skipped += v[SKIPPED] != NOT_WANTED;
    } else if ((there >> STACK & 1) != 0) {
        s.call = perfetto_stack_find(p, 0, v[STACK]);
    }
    TS_TRY(perfetto_thread_of(&thread, p, (int32_t)v[PID], (int32_t)v[TID]));
    s.itid = thread.itid;
    s.cpu = (there >> CPU & 1) != 0 && v[CPU] <= INT32_MAX ? (int32_t)v[CPU] : -1;
    s.mode = v[MODE] < 16 ? (uint32_t)v[MODE] : 0;
    s.unwinding = v[UNWINDING] < 1000 ? (uint32_t)v[UNWINDING] : 0;
    TS_TRY(event_text(&s.event, p));
    return perfetto_sample_add(p, &s, NULL, p->clock, p->ts);
}

/* --- Chrome's sampler ------------------------------------------------------------------------ */

/* Appends the numbers of a field that is a list, packed or not. */
static ts_code read_list(perfetto *p, const ts_wire_field *message, uint32_t field, bool *good)
{
    ts_wire w;
    ts_wire inner;
    ts_wire_field f;
    uint64_t v;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number != field) {
            continue;
        }
        if (f.type != TS_WIRE_BYTES) {
            TS_TRY(ts_vec_push(p->ctx, &p->list, &f.value, sizeof f.value));
            continue;
        }
        ts_wire_init(&inner, f.p, f.n);
        while (ts_wire_packed(&v, &inner)) {
            TS_TRY(ts_vec_push(p->ctx, &p->list, &v, sizeof v));
        }
        *good = *good && inner.fault == TS_WIRE_OK;
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return TS_OK;
}

/* Stacks of the thread of the sequence, and times that add up from its descriptor on. */
ts_code perfetto_streaming(perfetto *p, const ts_wire_field *message, bool *good)
{
    enum { STACKS = 1, DELTAS };
    perfetto_sequence *q = p->sequence;
    perfetto_sample s = {.itid = -1, .pid = -1, .heap = PERFETTO_NONE, .cpu = -1};
    perfetto_thread thread = {-1, -1};
    uint32_t clock;
    size_t stacks;
    size_t deltas;
    ts_code code = TS_OK;
    p->list.n = 0;
    TS_TRY_INTO(code, read_list(p, message, STACKS, good));
    stacks = p->list.n;
    TS_TRY_INTO(code, read_list(p, message, DELTAS, good));
    deltas = p->list.n - stacks;
    if (!*good) {
        q->losses++;
        return TS_OK;
    }
    p->n.bad_lists += stacks != deltas;
    if (q->thread != PERFETTO_NONE) {
        const perfetto_track *t = perfetto_track_at(p, q->thread);
        TS_TRY_INTO(code, perfetto_thread_of(&thread, p, t->pid, t->tid));
    }
    s.itid = thread.itid;
    TS_TRY_INTO(code, ts_pool_intern(p->ctx, &s.event, NULL, &p->texts, TS_TEXT_LIT("cpu")));
    TS_TRY_INTO(code, perfetto_clock_of(&clock, p, CLOCK_MONOTONIC_ID));
    for (size_t i = 0; i < stacks && i < deltas && code == TS_OK; i++) {
        const uint64_t *list = p->list.p;
        int64_t delta;
        q->time = ts_ckd_mul(&delta, (int64_t)list[stacks + i], 1000) ? TS_NO_TIME
                                                                      : ts_time_add(q->time, delta);
        s.call = perfetto_stack_find(p, 0, list[i]);
        code = perfetto_sample_add(p, &s, NULL, q->time == TS_NO_TIME ? PERFETTO_NONE : clock,
                                   q->time);
    }
    return code;
}

/* --- rows ------------------------------------------------------------------------------------ */

static ts_code put_label(perfetto *p, int64_t sample, const char *key, ts_text value)
{
    const ts_row_stack_sample_label row = {
        .sample_id = sample, .key = ts_text_of(key), .value = value};
    return ts_put_stack_sample_label(p->sink, &row);
}

static ts_code put_number_label(perfetto *p, int64_t sample, const char *key, int64_t value)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRId64, value);
    return put_label(p, sample, key, (ts_text){text, (size_t)n});
}

static ts_code put_labels(perfetto *p, int64_t id, const perfetto_sample *s)
{
    static const char *const modes[] = {NULL,         "kernel",       "user",
                                        "hypervisor", "guest_kernel", "guest_user"};
    const char *mode = s->mode < sizeof modes / sizeof modes[0] ? modes[s->mode] : NULL;
    ts_code code = TS_OK;
    TS_STEP_IF(code, s->cpu >= 0, put_number_label(p, id, "cpu", s->cpu));
    TS_STEP_IF(code, mode != NULL, put_label(p, id, "cpu_mode", ts_text_of(mode)));
    TS_STEP_IF(code, s->unwinding != 0, put_number_label(p, id, "unwind_error", s->unwinding));
    TS_STEP_IF(code, s->pid >= 0, put_number_label(p, id, "pid", s->pid));
    TS_STEP_IF(code, s->heap != PERFETTO_NONE, put_label(p, id, "heap", perfetto_text(p, s->heap)));
    return code;
}

static ts_code put_value(perfetto *p, int64_t sample, const perfetto_value *v)
{
    static const struct {
        const char *name, *unit;
    } kinds[VALUE_KINDS] = {
        [VALUE_ALLOC_SPACE] = {"alloc_space", "bytes"},
        [VALUE_ALLOC_OBJECTS] = {"alloc_objects", "count"},
        [VALUE_INUSE_SPACE] = {"inuse_space", "bytes"},
        [VALUE_INUSE_OBJECTS] = {"inuse_objects", "count"},
        [VALUE_MAX_SPACE] = {"max_space", "bytes"},
    };
    int64_t *type = &p->value_types[v->kind];
    ts_row_stack_sample_value row = {.sample_id = sample, .value = v->value};
    if (*type == 0) {
        const ts_row_stack_value_type of = {
            .id = (int64_t)ts_sink_rows(p->sink, TS_T_stack_value_type) + 1,
            .source_id = p->source_id,
            .name = ts_text_of(kinds[v->kind].name),
            .unit = ts_text_of(kinds[v->kind].unit),
        };
        TS_TRY(ts_put_stack_value_type(p->sink, &of));
        *type = of.id;
    }
    row.value_type_id = *type;
    return ts_put_stack_sample_value(p->sink, &row);
}

ts_code perfetto_sample_put(perfetto *p, const uint8_t *bytes, int64_t ts)
{
    perfetto_sample s;
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(p->sink, TS_T_stack_sample) + 1,
        .source_id = p->source_id,
        .ts = ts,
    };
    ts_code code = TS_OK;
    memcpy(&s, bytes, sizeof s);
    TS_TRY_INTO(code, perfetto_call_node(&row.node_id, p, s.call));
    row.itid = s.itid;
    row.event = perfetto_text(p, s.event);
    TS_SET_NULL(stack_sample, &row, dur);
    TS_NULL_IF(s.itid < 0, stack_sample, &row, itid);
    TS_NULL_IF(ts == TS_NO_TIME, stack_sample, &row, ts);
    TS_NULL_IF(row.node_id == 0, stack_sample, &row, node_id);
    TS_TRY_INTO(code, ts_put_stack_sample(p->sink, &row));
    for (uint32_t i = 0; i < s.values && code == TS_OK; i++) {
        perfetto_value v;
        memcpy(&v, bytes + sizeof s + i * sizeof v, sizeof v);
        code = put_value(p, row.id, &v);
    }
    TS_STEP(code, put_labels(p, row.id, &s));
    return code;
}

/* Track events: what the packet and its sequence say of one becomes a record. */
#include "parsers/perfetto/perfetto.h"

#include "base/json_out.h"

#include <inttypes.h>
#include <stdio.h>

enum { CLOCK_MONOTONIC_ID = 3, TYPED_FIRST = 1000, TYPED_MAX = 10000 };

/* Members of a legacy event that are used. */
typedef struct legacy {
    uint64_t name_iid;
    int64_t dur, thread_dur; /* ns; TS_NO_TIME: none */
    int64_t pid, tid;        /* TS_NO_TIME: as the track */
    char phase;
    bool there;
} legacy;

/* An event while its fields are read. */
typedef struct event {
    perfetto_record r;
    uint64_t track, name_iid;
    uint32_t correlation;
    bool has_track, has_name_iid, ends_flows;
    int64_t time, time_delta, thread_delta; /* ns; TS_NO_TIME: not there */
    legacy old;
} event;

/* --- texts ----------------------------------------------------------------------------------- */

/* Categories are joined with commas. */
static ts_code add_category(perfetto *p, uint32_t text)
{
    ts_text t = text == PERFETTO_NONE ? TS_TEXT_LIT("NULL") : perfetto_text(p, text);
    ts_code code = TS_OK;
    if (p->category.n > PERFETTO_TEXT_MAX) {
        return TS_OK;
    }
    if (p->category.n > 0) {
        code = ts_buf_putc(p->ctx, &p->category, ',');
    }
    TS_STEP(code, ts_buf_put(p->ctx, &p->category, t.p, t.n));
    return code;
}

static ts_code add_categories(perfetto *p, const ts_wire_field *f, bool *good)
{
    uint32_t text;
    ts_wire w;
    uint64_t iid;
    ts_code code = TS_OK;
    if (f->number == 22) {
        code = perfetto_text_of(&text, p, f);
        TS_STEP_IF(code, text != PERFETTO_NONE, add_category(p, text));
        return code;
    }
    if (f->type != TS_WIRE_BYTES) {
        return add_category(p, perfetto_interned_find(p, INTERNED_CATEGORY, f->value));
    }
    ts_wire_init(&w, f->p, f->n);
    while (code == TS_OK && ts_wire_packed(&iid, &w)) {
        code = add_category(p, perfetto_interned_find(p, INTERNED_CATEGORY, iid));
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

/* Ids with commas, those of flows that end here after a bar. Fixed numbers, also packed. */
static ts_code add_flow(perfetto *p, event *e, uint64_t id, bool ends)
{
    const char *before = ends && !e->ends_flows ? "|" : p->flows.n > 0 ? "," : "";
    e->ends_flows = e->ends_flows || ends;
    return ts_buf_printf(p->ctx, &p->flows, "%s%" PRIu64, before, id);
}

static ts_code add_flows(perfetto *p, event *e, const ts_wire_field *f, bool *good)
{
    bool ends = f->number == 48 || f->number == 42;
    bool fixed = f->number >= 47;
    ts_wire w;
    uint64_t id;
    ts_code code = TS_OK;
    if (f->type != TS_WIRE_BYTES) {
        return add_flow(p, e, f->value, ends);
    }
    ts_wire_init(&w, f->p, f->n);
    while (code == TS_OK && (fixed ? ts_get_u64le(&id, &w.in) : ts_wire_packed(&id, &w))) {
        code = add_flow(p, e, id, ends);
    }
    *good = *good && w.fault == TS_WIRE_OK && ts_bytes_left(&w.in) == 0;
    return code;
}

/* --- counters -------------------------------------------------------------------------------- */

static double real_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Tracks (31, 45) and values (12, 46) of the extra counters of an event, whole numbers and real
 * ones apart. */
typedef struct numbers {
    uint64_t id[2][PERFETTO_EXTRAS];
    double value[2][PERFETTO_EXTRAS];
    size_t ids[2], values[2];
    bool over;
} numbers;

static void add_number(numbers *x, uint32_t field, uint64_t v)
{
    unsigned real = field >= 45;
    bool id = field == 31 || field == 45;
    size_t *n = id ? &x->ids[real] : &x->values[real];
    if (*n == PERFETTO_EXTRAS) {
        x->over = true;
    } else if (id) {
        x->id[real][(*n)++] = v;
    } else {
        x->value[real][(*n)++] = real ? real_of(v) : (double)(int64_t)v;
    }
}

static void add_numbers(numbers *x, const ts_wire_field *f, bool *good)
{
    ts_wire w;
    uint64_t v;
    if (f->type != TS_WIRE_BYTES) {
        add_number(x, f->number, f->value);
        return;
    }
    ts_wire_init(&w, f->p, f->n);
    while (f->number == 46 ? ts_get_u64le(&v, &w.in) : ts_wire_packed(&v, &w)) {
        add_number(x, f->number, v);
    }
    *good = *good && w.fault == TS_WIRE_OK && ts_bytes_left(&w.in) == 0;
}

/* Values belong to tracks by their places; the tracks are the event's, or those of the sequence. */
static ts_code pair_numbers(perfetto *p, const numbers *x)
{
    const perfetto_defaults *d = p->sequence->defaults;
    for (unsigned real = 0; real < 2; real++) {
        const ts_vec *ids = d == NULL ? NULL : real ? &d->extra_double : &d->extra;
        const uint64_t *id = x->ids[real] > 0 || ids == NULL ? x->id[real] : ids->p;
        size_t n = x->ids[real] > 0 || ids == NULL ? x->ids[real] : ids->n;
        p->n.bad_counters += x->values[real] > n ? x->values[real] - n : 0;
        for (size_t i = 0; i < x->values[real] && i < n; i++) {
            perfetto_extra extra = {.value = x->value[real][i]};
            uint32_t track;
            TS_TRY(perfetto_track_of(&track, p, SPACE_UUID, id[i]));
            extra.track = track;
            TS_TRY(ts_vec_push(p->ctx, &p->extras, &extra, sizeof extra));
        }
    }
    return TS_OK;
}

/* --- fields ---------------------------------------------------------------------------------- */

static int64_t us(uint64_t v)
{
    int64_t ns;
    return ts_ckd_mul(&ns, (int64_t)v, 1000) ? TS_NO_TIME : ns;
}

static void take_legacy(legacy *old, const ts_wire_field *message, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    *old = (legacy){.dur = TS_NO_TIME,
                    .thread_dur = TS_NO_TIME,
                    .pid = TS_NO_TIME,
                    .tid = TS_NO_TIME,
                    .there = true};
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.type != TS_WIRE_VARINT) {
            continue;
        }
        old->name_iid = f.number == 1 ? f.value : old->name_iid;
        old->phase = f.number == 2 && f.value < 0x7f ? (char)f.value : old->phase;
        old->dur = f.number == 3 ? us(f.value) : old->dur;
        old->thread_dur = f.number == 4 ? us(f.value) : old->thread_dur;
        old->pid = f.number == 18 ? (int32_t)f.value : old->pid;
        old->tid = f.number == 19 ? (int32_t)f.value : old->tid;
    }
    *good = *good && w.fault == TS_WIRE_OK;
}

/* A number; false: it is none of these fields. */
static bool take_event_number(event *e, const ts_wire_field *f)
{
    switch (f->number) {
    case 1:
        e->time_delta = us(f->value);
        return true;
    case 16:
        e->time = us(f->value);
        return true;
    case 2:
        e->thread_delta = us(f->value);
        return true;
    case 17:
        e->r.thread_ts = us(f->value);
        return true;
    case 9:
        e->r.type = f->value <= PERFETTO_STATE ? (uint8_t)f->value : PERFETTO_UNKNOWN_TYPE;
        return true;
    case 10:
        e->name_iid = f->value;
        e->has_name_iid = true;
        return true;
    case 11:
        e->track = f->value;
        e->has_track = true;
        return true;
    case 30:
        e->r.value = (double)(int64_t)f->value;
        e->r.has_value = true;
        return true;
    case 44:
        e->r.value = real_of(f->value);
        e->r.has_value = true;
        return true;
    default:
        return false;
    }
}

static bool is_typed(uint32_t number)
{
    return (number >= 24 && number <= 29) || number == 32 || number == 35 ||
           (number >= 38 && number <= 41) || number == 43 || number == 49 || number == 50 ||
           number >= TYPED_FIRST;
}

static ts_code count_typed(perfetto *p, uint32_t number)
{
    uint64_t count = 0;
    number = number > TYPED_MAX ? TYPED_MAX : number;
    (void)ts_idmap_find(&count, &p->typed_of, number);
    return ts_idmap_put(p->ctx, &p->typed_of, number, count + 1);
}

/* --- arguments that are no annotations ------------------------------------------------------- */

static ts_code put_interned(perfetto *p, const char *key, perfetto_interned kind, uint64_t iid)
{
    uint32_t text = perfetto_interned_find(p, kind, iid);
    ts_code code = perfetto_arg(p, key);
    if (text == PERFETTO_NONE) {
        TS_STEP(code, ts_buf_put(p->ctx, &p->args, "null", 4));
    } else if (kind == INTERNED_LOCATION) {
        TS_STEP(code,
                ts_buf_put(p->ctx, &p->args, perfetto_text(p, text).p, perfetto_text(p, text).n));
    } else {
        TS_STEP(code, ts_json_quote(p->ctx, &p->args, perfetto_text(p, text), TS_JOUT_PLAIN));
    }
    return code;
}

/* The task's origin, or a line of a log: entries by number in fields 1 and 2. */
static ts_code put_message(perfetto *p, const ts_wire_field *message, bool *good)
{
    bool task = message->number == 5;
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_VARINT) {
            code =
                put_interned(p, task ? "posted_from" : "log_location", INTERNED_LOCATION, f.value);
        } else if (f.number == 2 && f.type == TS_WIRE_VARINT && !task) {
            code = put_interned(p, "log_message", INTERNED_LOG_BODY, f.value);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

static ts_code take_correlation(perfetto *p, event *e, const ts_wire_field *f)
{
    char text[24];
    int n;
    if (f->number == 53) {
        return perfetto_text_of(&e->correlation, p, f);
    }
    if (f->number == 54) {
        e->correlation = perfetto_interned_find(p, INTERNED_CORRELATION, f->value);
        return TS_OK;
    }
    n = snprintf(text, sizeof text, "%" PRIu64, f->value);
    return ts_pool_intern(p->ctx, &e->correlation, NULL, &p->texts, (ts_text){text, (size_t)n});
}

static ts_code take_event_field(perfetto *p, event *e, numbers *x, const ts_wire_field *f,
                                bool *good)
{
    bool bytes = f->type == TS_WIRE_BYTES;
    ts_code code;
    switch (f->number) {
    case 3:
    case 22:
        return add_categories(p, f, good);
    case 23:
        return perfetto_text_of(&e->r.name, p, f);
    case 12:
    case 31:
    case 45:
    case 46:
        add_numbers(x, f, good);
        return TS_OK;
    case 36:
    case 42:
    case 47:
    case 48:
        return add_flows(p, e, f, good);
    case 4:
        return bytes ? perfetto_annotation(p, f, good) : TS_OK;
    case 5:
    case 21:
        return bytes ? put_message(p, f, good) : TS_OK;
    case 6:
        if (bytes) {
            take_legacy(&e->old, f, good);
        }
        return TS_OK;
    case 33:
        code = perfetto_arg(p, "source_location");
        TS_STEP(code, perfetto_location(p, &p->args, f, good));
        return code;
    case 34:
        return put_interned(p, "source_location", INTERNED_LOCATION, f->value);
    case 52:
    case 53:
    case 54:
        return take_correlation(p, e, f);
    case 55:
        return bytes ? perfetto_stack_inline(&e->r.call, p, f, good) : TS_OK;
    case 56:
        e->r.call = perfetto_stack_find(p, 0, f->value);
        return TS_OK;
    default:
        return is_typed(f->number) ? count_typed(p, f->number) : TS_OK;
    }
}

/* --- the record ------------------------------------------------------------------------------ */

/* Times of old events: µs of the monotonic clock, or differences that add up. */
static ts_code take_event_time(perfetto *p, event *e)
{
    perfetto_sequence *s = p->sequence;
    if (e->thread_delta != TS_NO_TIME) {
        s->thread_time = ts_time_add(s->thread_time, e->thread_delta);
        e->r.thread_ts = s->thread_time;
    }
    if (e->time_delta != TS_NO_TIME) {
        s->time = ts_time_add(s->time, e->time_delta);
        e->time = s->time;
    }
    if (e->time != TS_NO_TIME) {
        e->r.ts = e->time;
        return perfetto_clock_of(&e->r.clock, p, CLOCK_MONOTONIC_ID);
    }
    e->r.ts = p->ts;
    e->r.clock = p->clock;
    return TS_OK;
}

/* Which of its types an event of an old phase is. */
static void take_phase(perfetto *p, event *e)
{
    e->r.phase = (uint8_t)e->old.phase;
    switch (e->old.phase) {
    case 'B':
        e->r.type = PERFETTO_BEGIN;
        return;
    case 'E':
        e->r.type = PERFETTO_END;
        return;
    case 'X':
        e->r.type =
            e->old.dur != TS_NO_TIME && e->old.dur >= 0 ? PERFETTO_COMPLETE : PERFETTO_BEGIN;
        e->r.dur = e->old.dur;
        return;
    case 'I':
    case 'i':
    case 'R':
        e->r.type = PERFETTO_INSTANT;
        return;
    default:
        e->r.type = PERFETTO_OTHER;
        p->n.other_phases++;
        return;
    }
}

/* Its own track, that of the sequence, the thread of the sequence, or the trace. */
static ts_code take_track(perfetto *p, event *e)
{
    const perfetto_sequence *s = p->sequence;
    const perfetto_defaults *d = s->defaults;
    int64_t pid = e->old.pid;
    int64_t tid = e->old.tid;
    if (e->old.there && tid != TS_NO_TIME) {
        const perfetto_track *t =
            s->thread == PERFETTO_NONE ? NULL : perfetto_track_at(p, s->thread);
        pid = pid != TS_NO_TIME ? pid : t == NULL ? 0 : t->pid;
        return perfetto_track_of(&e->r.track, p, SPACE_THREAD,
                                 (uint64_t)(uint32_t)pid << 32 | (uint32_t)tid);
    }
    if (!e->has_track && (d == NULL || !d->has_track) && s->thread != PERFETTO_NONE) {
        e->r.track = s->thread;
        return TS_OK;
    }
    return perfetto_track_of(&e->r.track, p, SPACE_UUID,
                             e->has_track                ? e->track
                             : d != NULL && d->has_track ? d->track
                                                         : 0);
}

static ts_code finish_event(perfetto *p, event *e, const numbers *x)
{
    const uint32_t missing = e->r.name;
    if (e->old.there && e->r.type == PERFETTO_UNKNOWN_TYPE) {
        take_phase(p, e);
    }
    if (missing == PERFETTO_NONE && (e->has_name_iid || e->old.name_iid != 0)) {
        e->r.name = perfetto_interned_find(p, INTERNED_NAME,
                                           e->has_name_iid ? e->name_iid : e->old.name_iid);
        if (e->r.name == PERFETTO_NONE) {
            TS_TRY(ts_pool_intern(p->ctx, &e->r.name, NULL, &p->texts, TS_TEXT_LIT("NULL")));
        }
    }
    TS_TRY(take_event_time(p, e));
    TS_TRY(take_track(p, e));
    TS_TRY(pair_numbers(p, x));
    p->n.bad_counters += x->over ? 1 : 0;
    if (p->category.n > 0) {
        TS_TRY(ts_pool_intern(p->ctx, &e->r.category, NULL, &p->texts, ts_buf_text(&p->category)));
    }
    e->r.sequence = p->sequence_index;
    e->r.generation = p->sequence->generation;
    e->r.losses = perfetto_losses(p, p->sequence_index);
    if (p->args.n > 0) {
        TS_TRY(ts_buf_putc(p->ctx, &p->args, '}'));
    }
    return perfetto_record_add(p, &e->r, perfetto_text(p, e->correlation));
}

ts_code perfetto_track_event(perfetto *p, const ts_wire_field *message, bool *good)
{
    event e = {.r = {.thread_ts = TS_NO_TIME,
                     .dur = TS_NO_TIME,
                     .name = PERFETTO_NONE,
                     .category = PERFETTO_NONE},
               .correlation = PERFETTO_NONE,
               .time = TS_NO_TIME,
               .time_delta = TS_NO_TIME,
               .thread_delta = TS_NO_TIME};
    numbers x;
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    x.ids[0] = x.ids[1] = x.values[0] = x.values[1] = 0;
    x.over = false;
    p->args.n = 0;
    p->flows.n = 0;
    p->category.n = 0;
    p->extras.n = 0;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.type == TS_WIRE_BYTES || !take_event_number(&e, &f)) {
            code = take_event_field(p, &e, &x, &f, good);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    if (code != TS_OK || !*good) {
        p->sequence->losses += *good ? 0 : 1;
        return code;
    }
    return finish_event(p, &e, &x);
}

#include "model/spent.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "model/cells.h"
#include "model/sample_events.h"
#include "model/spent_private.h"
#include "model/when.h"

#include <stdio.h>
#include <stdlib.h>

enum { SPENT_MEMORY = 16 * 1024 * 1024, SPENT_WATCH = 1 << 16, STATES_KEPT = 32 };
/* Of threads of the scheduler, which has most rows: itids whose place is kept beside the map. */
enum { PLACES_KEPT = 1 << 20, LANE_OUT = 1 };

const char *ts_wait_reason_name(ts_wait_reason reason)
{
    static const char *const names[] = {"runnable", "sleep", "blocked", "io",   "lock",
                                        "wait",     "park",  "idle",    "other"};
    return names[reason];
}

static ts_wait_reason reason_of(const char *name)
{
    unsigned i = 0;
    while (i < TS_WAIT_OTHER && (name == NULL || strcmp(ts_wait_reason_name(i), name) != 0)) {
        i++;
    }
    return (ts_wait_reason)i;
}

int64_t ts_spent_waiting(const ts_spent *s)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < TS_WAIT_REASONS; i++) {
        sum = ts_sat_add(sum, s->waiting[i]);
    }
    return sum;
}

const char *ts_spent_cpu_from(const ts_spent *s)
{
    static const char *const texts[] = {
        "",        "recorded",          "scheduling",          "recorded, scheduling",
        "samples", "recorded, samples", "scheduling, samples", "recorded, scheduling, samples"};
    return texts[s->cpu_from];
}

/* --- threads ---------------------------------------------------------------------------------- */

typedef struct spent_thread {
    ts_spent spent;
    bool states;     /* it has some */
    bool placed;     /* pieces that nominal samples must not be in */
    bool open;       /* its state at last_ts has no end */
    int64_t last_ts; /* beginning of its last state */
    unsigned last_kind;
    int64_t taken;   /* with `direct`: its time up to here is counted */
    spent_piece run; /* samples that follow each other, not put yet; end 0: none */
} spent_thread;

/* A state that was met, and what it is. */
typedef struct state_kind {
    char text[15];
    uint8_t n;
    unsigned kind;
} state_kind;

typedef struct spent_work {
    ts_ctx *ctx;
    ts_model *m;
    const ts_select *select;
    ts_sorter *sorter;
    ts_vec threads;     /* of spent_thread */
    ts_idmap by_itid;   /* place in threads */
    ts_idmap by_source; /* of those without a thread */
    ts_idmap sources;   /* of threads, by itid */
    ts_vec pauses;      /* of spent_pause */
    ts_vec paused;      /* of those of one source, without overlaps */
    ts_vec methods;     /* uint32_t by call path: its method */
    ts_vec places; /* uint32_t by itid: LANE_OUT, or its place in threads and 2; 0: not known */
    /* Only the scheduler says what threads did: states that follow each other are counted at once,
     * without sorting them. */
    bool direct;
    bool mixed;        /* but some overlap or are in another order, or there is more than states */
    ts_span range;     /* in which they are counted */
    ts_events *events; /* kept by the model */
    state_kind kinds[STATES_KEPT];
    unsigned kind_count;
    ts_rows *values; /* of samples */
    const ts_batch *value_batch;
    unsigned value_row;
} spent_work;

static int64_t source_of_thread(const spent_work *w, int64_t itid)
{
    uint64_t source = 0;
    return ts_idmap_find(&source, &w->sources, itid) ? (int64_t)source : 0;
}

/* NULL: it is not selected. source: of the row, 0: it has none. */
static ts_code thread_of(spent_thread **out, uint64_t *lane, spent_work *w, bool has_itid,
                         int64_t itid, int64_t source)
{
    int64_t own = has_itid ? source_of_thread(w, itid) : source;
    ts_idmap *places = has_itid ? &w->by_itid : &w->by_source;
    int64_t id = has_itid ? itid : source;
    *out = NULL;
    source = source == 0 ? own : source;
    if (!ts_select_thread(w->select, has_itid, itid) ||
        (source != 0 ? !ts_idset_has(&w->select->sources, source) : !w->select->sources.all)) {
        return TS_OK;
    }
    if (!ts_idmap_find(lane, places, id)) {
        spent_thread *t = ts_vec_add(w->ctx, &w->threads, sizeof *t);
        TS_NEED(w->ctx, t);
        t->spent.has_itid = has_itid;
        t->spent.itid = itid;
        t->spent.source_id = own != 0 && ts_idset_has(&w->select->sources, own) ? own : source;
        t->last_ts = INT64_MIN;
        t->taken = INT64_MIN;
        *lane = w->threads.n - 1;
        TS_TRY(ts_idmap_put(w->ctx, places, id, *lane));
    }
    *out = (spent_thread *)w->threads.p + *lane;
    return TS_OK;
}

static ts_code put_piece(spent_work *w, uint64_t lane, spent_class class, unsigned kind,
                         int64_t begin, int64_t end, int64_t cpu, int64_t lock)
{
    const spent_piece piece = {.lane = lane,
                               .begin = ts_sorter_key(begin),
                               .what = (uint64_t) class << 8 | kind,
                               .end = ts_sorter_key(end),
                               .cpu = cpu,
                               .lock = lock};
    w->mixed = true;
    return ts_sorter_add(w->sorter, &piece);
}

/* --- tables ----------------------------------------------------------------------------------- */

typedef ts_code spent_row(spent_work *w, const ts_batch *b, unsigned i);

static ts_code each_row(spent_work *w, enum ts_table_id table, const unsigned *columns, unsigned n,
                        spent_row *row)
{
    ts_walk rows = ts_walk_of(*ts_model_rows(w->m), table, columns, n);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        code = row(w, rows.b, rows.row);
    }
    return code;
}

static ts_code detail_row(spent_work *w, const ts_batch *b, unsigned i)
{
    return ts_idmap_put(w->ctx, &w->sources, b->columns[0].ints[i],
                        (uint64_t)b->columns[1].ints[i]);
}

static ts_code node_row(spent_work *w, const ts_batch *b, unsigned i)
{
    ts_code code = ts_vec_reach(w->ctx, &w->methods, b->rowids[i], sizeof(uint32_t));
    if (code == TS_OK && b->columns[0].ints[i] > 0 && b->columns[0].ints[i] <= UINT32_MAX) {
        ((uint32_t *)w->methods.p)[b->rowids[i]] = (uint32_t)b->columns[0].ints[i];
    }
    return code;
}

static ts_code pause_row(spent_work *w, const ts_batch *b, unsigned i)
{
    if (b->columns[1].null[i] || b->columns[2].ints[i] <= 0) {
        return TS_OK;
    }
    spent_pause *p = ts_vec_add(w->ctx, &w->pauses, sizeof *p);
    TS_NEED(w->ctx, p);
    w->mixed = true;
    *p = (spent_pause){b->columns[0].ints[i], b->columns[1].ints[i],
                       ts_sat_add(b->columns[1].ints[i], b->columns[2].ints[i])};
    return TS_OK;
}

/* A call with recorded CPU time; a row without is none. */
static ts_code recorded(spent_work *w, const ts_batch *b, unsigned i, int64_t lock)
{
    enum { R_SOURCE, R_ITID, R_TS, R_DUR, R_CPU };
    int64_t ts = b->columns[R_TS].ints[i];
    int64_t dur = b->columns[R_DUR].ints[i];
    int64_t cpu = b->columns[R_CPU].ints[i];
    uint64_t lane = 0;
    spent_thread *t;
    if (b->columns[R_TS].null[i] || dur <= 0 || b->columns[R_CPU].null[i] || cpu < 0) {
        return TS_OK;
    }
    ts_code code =
        thread_of(&t, &lane, w, true, b->columns[R_ITID].ints[i], b->columns[R_SOURCE].ints[i]);
    if (code != TS_OK || t == NULL) {
        return code;
    }
    t->placed = true;
    return put_piece(w, lane, SPENT_RECORDED, TS_WAIT_OTHER, ts, ts_sat_add(ts, dur), cpu, lock);
}

static ts_code call_row(spent_work *w, const ts_batch *b, unsigned i)
{
    enum { C_SOURCE, C_ITID, C_PARENT = 5 };
    uint64_t lane;
    spent_thread *t;
    if (b->columns[C_ITID].null[i] || !b->columns[C_PARENT].null[i] ||
        ts_vec_bool(&w->events->async, b->rowids[i])) {
        return TS_OK;
    }
    ts_code code =
        thread_of(&t, &lane, w, true, b->columns[C_ITID].ints[i], b->columns[C_SOURCE].ints[i]);
    TS_STEP(code, recorded(w, b, i, 0));
    return code;
}

static ts_code cloud_row(spent_work *w, const ts_batch *b, unsigned i)
{
    int64_t lock = b->columns[5].ints[i];
    return b->columns[1].null[i] ? TS_OK : recorded(w, b, i, lock > 0 ? lock : 0);
}

/* --- scheduling ------------------------------------------------------------------------------- */

static unsigned kind_of_state(spent_work *w, ts_text state)
{
    const char *reason;
    for (unsigned i = 0; i < w->kind_count; i++) {
        const state_kind *k = &w->kinds[i];
        if (k->n == state.n && memcmp(k->text, state.p, state.n) == 0) {
            return k->kind;
        }
    }
    ts_event_class class =
        ts_class_of(&reason, TS_TEXT_LIT("ftrace"), TS_TEXT_LIT("thread_state"), state);
    unsigned kind = class == TS_CLASS_cpu       ? (unsigned)SPENT_RAN
                    : class == TS_CLASS_waiting ? (unsigned)reason_of(reason)
                                                : (unsigned)SPENT_NEITHER;
    if (w->kind_count < STATES_KEPT && state.n <= sizeof w->kinds[0].text) {
        state_kind *k = &w->kinds[w->kind_count++];
        memcpy(k->text, state.p, state.n);
        k->n = (uint8_t)state.n;
        k->kind = kind;
    }
    return kind;
}

/* As the sweep counts a piece after which none begins earlier. */
static void count_state(spent_work *w, spent_thread *t, unsigned kind, int64_t begin, int64_t end)
{
    w->mixed = w->mixed || begin < t->taken;
    t->taken = end;
    int64_t from = begin > w->range.from ? begin : w->range.from;
    int64_t to = end < w->range.to ? end : w->range.to;
    if (from >= to) {
        return;
    }
    t->spent.cpu_from |= TS_CPU_SCHEDULING;
    int64_t *sum = kind == SPENT_RAN        ? &t->spent.cpu
                   : kind < TS_WAIT_REASONS ? &t->spent.waiting[kind]
                                            : NULL;
    if (sum != NULL) {
        *sum = ts_sat_add(*sum, ts_sat_sub(to, from));
    }
}

static ts_code put_state(spent_work *w, spent_thread *t, uint64_t lane, unsigned kind,
                         int64_t begin, int64_t end)
{
    if (w->direct) {
        count_state(w, t, kind, begin, end);
        return TS_OK;
    }
    return put_piece(w, lane, SPENT_STATE, kind, begin, end, 0, 0);
}

static ts_code scheduled(spent_work *w, spent_thread *t, uint64_t lane, const ts_batch *b,
                         unsigned i, unsigned kind)
{
    int64_t ts = b->columns[1].ints[i];
    bool open = b->columns[2].null[i];
    t->placed = true;
    if (ts >= t->last_ts) {
        t->last_ts = ts;
        t->open = open;
        t->last_kind = kind;
    }
    return open || b->columns[2].ints[i] <= 0
               ? TS_OK
               : put_state(w, t, lane, kind, ts, ts_sat_add(ts, b->columns[2].ints[i]));
}

/* thread_of for rows without a source. */
static ts_code scheduled_thread(spent_thread **out, uint64_t *lane, spent_work *w, int64_t itid)
{
    bool kept = itid >= 0 && itid < PLACES_KEPT;
    ts_code code = kept ? ts_vec_reach(w->ctx, &w->places, itid, sizeof(uint32_t)) : TS_OK;
    uint32_t *place = code == TS_OK && kept ? (uint32_t *)w->places.p + itid : NULL;
    *out = NULL;
    if (place == NULL || *place == 0) {
        TS_STEP(code, thread_of(out, lane, w, true, itid, 0));
        if (code == TS_OK && place != NULL) {
            *place = *out == NULL ? (uint32_t)LANE_OUT : (uint32_t)*lane + LANE_OUT + 1;
        }
        return code;
    }
    *lane = *place - LANE_OUT - 1;
    *out = *place == LANE_OUT ? NULL : (spent_thread *)w->threads.p + *lane;
    return TS_OK;
}

static ts_code state_row(spent_work *w, const ts_batch *b, unsigned i)
{
    uint64_t lane = 0;
    spent_thread *t;
    ts_code code = b->columns[0].null[i] || b->columns[1].null[i]
                       ? TS_OK
                       : scheduled_thread(&t, &lane, w, b->columns[0].ints[i]);
    if (code != TS_OK || b->columns[0].null[i] || b->columns[1].null[i] || t == NULL) {
        return code;
    }
    t->states = true;
    return scheduled(w, t, lane, b, i, kind_of_state(w, ts_cell_text(b, 3, i)));
}

/* Of the thread 0, which runs on a processor that has nothing to do, there is no time. */
static ts_code slice_row(spent_work *w, const ts_batch *b, unsigned i)
{
    uint64_t lane = 0;
    spent_thread *t;
    if (b->columns[0].ints[i] == 0 || b->columns[1].null[i]) {
        return TS_OK;
    }
    ts_code code = scheduled_thread(&t, &lane, w, b->columns[0].ints[i]);
    return code != TS_OK || t == NULL || t->states ? code : scheduled(w, t, lane, b, i, SPENT_RAN);
}

/* --- samples and waits ------------------------------------------------------------------------ */

static ts_code wait_row(spent_work *w, const ts_batch *b, unsigned i)
{
    enum { W_SOURCE, W_ITID, W_TS, W_DUR, W_KIND };
    ts_text kind = ts_cell_text(b, W_KIND, i);
    unsigned reason = ts_text_is(kind, "wait")   ? TS_WAIT_WAIT
                      : ts_text_is(kind, "park") ? TS_WAIT_PARK
                                                 : TS_WAIT_LOCK;
    int64_t ts = b->columns[W_TS].ints[i];
    uint64_t lane = 0;
    spent_thread *t;
    if (b->columns[W_ITID].null[i] || b->columns[W_TS].null[i] || b->columns[W_DUR].ints[i] <= 0) {
        return TS_OK;
    }
    ts_code code =
        thread_of(&t, &lane, w, true, b->columns[W_ITID].ints[i], b->columns[W_SOURCE].ints[i]);
    return code != TS_OK || t == NULL ? code
                                      : put_piece(w, lane, SPENT_WAIT, reason, ts,
                                                  ts_sat_add(ts, b->columns[W_DUR].ints[i]), 0, 0);
}

/* The CPU time that values of the sample say; samples and their values are in one order. */
static ts_code cpu_of_values(int64_t *cpu, bool *has, spent_work *w, int64_t sample)
{
    ts_code code = TS_OK;
    *cpu = 0;
    *has = false;
    while (code == TS_OK && w->values != NULL) {
        const ts_batch *b = w->value_batch;
        if (b == NULL || w->value_row == b->rows) {
            code = ts_rows_next(&w->value_batch, w->values);
            w->value_row = 0;
            if (code != TS_OK || w->value_batch->rows == 0) {
                ts_rows_close(w->values);
                w->values = NULL;
            }
            continue;
        }
        int64_t of = b->columns[0].ints[w->value_row];
        const ts_value_type *type = ts_events_value(w->events, b->columns[1].ints[w->value_row]);
        if (of > sample) {
            break;
        }
        if (of == sample && type != NULL && type->kind.class == TS_CLASS_cpu &&
            ts_text_is(type->unit, "ns") && b->columns[2].ints[w->value_row] >= 0) {
            *has = true;
            *cpu = ts_sat_add(*cpu, b->columns[2].ints[w->value_row]);
        }
        w->value_row++;
    }
    return code;
}

/* Samples of one kind that follow each other are one piece. */
static ts_code put_run(spent_work *w, spent_thread *t, const spent_piece *next)
{
    ts_code code = TS_OK;
    if (t->run.end != 0 && next != NULL && next->what == t->run.what && next->begin == t->run.end) {
        t->run.end = next->end;
        return TS_OK;
    }
    if (t->run.end != 0) {
        code = ts_sorter_add(w->sorter, &t->run);
    }
    t->run = next != NULL ? *next : (spent_piece){.end = 0};
    w->mixed = w->mixed || next != NULL;
    return code;
}

typedef struct spent_sample {
    bool has_ts, has_cpu;
    int64_t ts, dur, cpu;
    ts_event_kind kind;
} spent_sample;

/* CPU time that samples of their class have as values has no place. */
static ts_code add_nominal_sample(spent_work *w, spent_thread *t, uint64_t lane,
                                  const spent_sample *s)
{
    if (!ts_select_ts(w->select, s->has_ts ? s->ts : TS_NO_TIME)) {
        return TS_OK;
    }
    if (t->placed && s->has_ts) {
        return put_piece(w, lane, SPENT_NOMINAL, 0, s->ts, s->ts, s->cpu, 0);
    }
    t->spent.cpu = ts_sat_add(t->spent.cpu, s->cpu);
    t->spent.cpu_from |= TS_CPU_SAMPLES;
    t->spent.estimated = true;
    return TS_OK;
}

static ts_code add_sample(spent_work *w, spent_thread *t, uint64_t lane, int64_t source,
                          const spent_sample *s)
{
    bool idle = s->kind.class == TS_CLASS_waiting && reason_of(s->kind.reason) == TS_WAIT_IDLE;
    bool cpu = s->kind.class == TS_CLASS_cpu;
    unsigned reason = s->kind.class == TS_CLASS_waiting ? (unsigned)reason_of(s->kind.reason)
                                                        : (unsigned)TS_WAIT_OTHER;
    int64_t end = ts_sat_add(s->ts, s->dur);
    if (cpu && (ts_events_in_ns(w->events, source, TS_CLASS_cpu) || !s->has_ts)) {
        const spent_sample length = {.cpu = s->dur};
        return s->has_cpu || !ts_events_in_ns(w->events, source, TS_CLASS_cpu)
                   ? add_nominal_sample(w, t, lane, s->has_cpu ? s : &length)
                   : TS_OK;
    }
    if (!s->has_ts || s->dur <= 0) {
        return TS_OK;
    }
    if (!cpu && s->has_cpu) {
        t->placed = true;
        return put_piece(w, lane, SPENT_RECORDED, reason, s->ts, end, s->cpu, 0);
    }
    if (cpu || idle) {
        const spent_piece piece = {.lane = lane,
                                   .begin = ts_sorter_key(s->ts),
                                   .what = (uint64_t)SPENT_SAMPLE << 8 |
                                           (cpu ? (unsigned)SPENT_RAN : reason),
                                   .end = ts_sorter_key(end)};
        return put_run(w, t, &piece);
    }
    return s->kind.class != TS_CLASS_waiting
               ? TS_OK
               : put_piece(w, lane, SPENT_WAIT, reason, s->ts, end, 0, 0);
}

static ts_code sample_row(spent_work *w, const ts_batch *b, unsigned i)
{
    enum { S_SOURCE, S_ITID, S_TS, S_DUR, S_NODE, S_EVENT };
    int64_t source = b->columns[S_SOURCE].ints[i];
    int64_t node = b->columns[S_NODE].ints[i];
    int64_t method =
        node > 0 && (uint64_t)node < w->methods.n ? ((const uint32_t *)w->methods.p)[node] : 0;
    spent_sample s = {.has_ts = !b->columns[S_TS].null[i],
                      .ts = b->columns[S_TS].ints[i],
                      .dur = b->columns[S_DUR].ints[i]};
    uint64_t lane = 0;
    spent_thread *t = NULL;
    ts_text event = b->columns[S_EVENT].null[i] ? TS_TEXT_NULL : ts_cell_text(b, S_EVENT, i);
    ts_code code = ts_events_sample(&s.kind, w->events, source, event, b->rowids[i], method);
    TS_STEP(code, cpu_of_values(&s.cpu, &s.has_cpu, w, b->rowids[i]));
    TS_STEP_IF(
        code, s.kind.class <= TS_CLASS_waiting,
        thread_of(&t, &lane, w, !b->columns[S_ITID].null[i], b->columns[S_ITID].ints[i], source));
    return code != TS_OK || t == NULL ? code : add_sample(w, t, lane, source, &s);
}

static ts_code values_open(spent_work *w)
{
    static const unsigned columns[] = {TS_C_stack_sample_value__sample_id,
                                       TS_C_stack_sample_value__value_type_id,
                                       TS_C_stack_sample_value__value};
    bool any = false;
    for (size_t i = 0; i < w->events->in_ns.n; i++) {
        any = any || ts_events_in_ns(w->events, (int64_t)i, TS_CLASS_cpu);
    }
    return any ? ts_rows_open(&w->values, ts_model_rows(w->m), TS_T_stack_sample_value, columns, 3)
               : TS_OK;
}

/* What covers time comes first: nominal samples need to know whether there is any. */
static ts_code read_tables(spent_work *w)
{
    static const unsigned details[] = {TS_C_thread_detail__itid, TS_C_thread_detail__source_id};
    static const unsigned nodes[] = {TS_C_stack_node__method_id};
    static const unsigned pauses[] = {TS_C_runtime_pause__source_id, TS_C_runtime_pause__ts,
                                      TS_C_runtime_pause__dur};
    static const unsigned suspends[] = {TS_C_cloud_suspend__source_id, TS_C_cloud_suspend__ts,
                                        TS_C_cloud_suspend__dur};
    static const unsigned calls[] = {TS_C_stack_slice__source_id, TS_C_stack_slice__itid,
                                     TS_C_stack_slice__ts,        TS_C_stack_slice__dur,
                                     TS_C_stack_slice__cpu_dur,   TS_C_stack_slice__parent_id};
    static const unsigned cloud[] = {TS_C_cloud_call__source_id, TS_C_cloud_call__itid,
                                     TS_C_cloud_call__ts,        TS_C_cloud_call__dur,
                                     TS_C_cloud_call__cpu_dur,   TS_C_cloud_call__wait_dur};
    static const unsigned states[] = {TS_C_thread_state__itid, TS_C_thread_state__ts,
                                      TS_C_thread_state__dur, TS_C_thread_state__state};
    static const unsigned slices[] = {TS_C_sched_slice__itid, TS_C_sched_slice__ts,
                                      TS_C_sched_slice__dur};
    static const unsigned waits[] = {TS_C_lock_wait__source_id, TS_C_lock_wait__itid,
                                     TS_C_lock_wait__ts, TS_C_lock_wait__dur, TS_C_lock_wait__kind};
    static const unsigned samples[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                       TS_C_stack_sample__ts,        TS_C_stack_sample__dur,
                                       TS_C_stack_sample__node_id,   TS_C_stack_sample__event};
    static const struct {
        enum ts_table_id table;
        const unsigned *columns;
        unsigned n;
        spent_row *row;
    } steps[] = {
        {TS_T_thread_detail, details, 2, detail_row}, {TS_T_stack_node, nodes, 1, node_row},
        {TS_T_runtime_pause, pauses, 3, pause_row},   {TS_T_cloud_suspend, suspends, 3, pause_row},
        {TS_T_stack_slice, calls, 6, call_row},       {TS_T_cloud_call, cloud, 6, cloud_row},
        {TS_T_thread_state, states, 4, state_row},    {TS_T_sched_slice, slices, 3, slice_row},
        {TS_T_lock_wait, waits, 5, wait_row},         {TS_T_stack_sample, samples, 6, sample_row}};
    ts_code code = values_open(w);
    for (size_t i = 0; code == TS_OK && i < sizeof steps / sizeof steps[0]; i++) {
        code = each_row(w, steps[i].table, steps[i].columns, steps[i].n, steps[i].row);
    }
    return code;
}

/* --- ranges and pauses ------------------------------------------------------------------------ */

/* Whether one of both sources was found in the other. */
static bool related(const ts_vec *parents, int64_t a, int64_t b)
{
    const int64_t *all = parents->p;
    for (int64_t low, high; a != b;) {
        low = a < b ? a : b;
        high = a < b ? b : a;
        if (low <= 0 || (uint64_t)high >= parents->n || all[high] >= high) {
            return false;
        }
        a = low;
        b = all[high]; /* parents come before their children */
    }
    return true;
}

static int compare_pauses(const void *a, const void *b)
{
    const spent_pause *x = a;
    const spent_pause *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->end > y->end) - (x->end < y->end);
}

/* The pauses of a source, in their order, without overlaps. */
static ts_code pauses_of(spent_work *w, const ts_vec *parents, int64_t source)
{
    const spent_pause *all = w->pauses.p;
    int64_t taken = INT64_MIN;
    w->paused.n = 0;
    for (size_t i = 0; i < w->pauses.n; i++) {
        spent_pause p = all[i];
        p.begin = p.begin > taken ? p.begin : taken;
        if (!related(parents, source, p.source_id) || p.begin >= p.end) {
            continue;
        }
        spent_pause *kept = ts_vec_add(w->ctx, &w->paused, sizeof *kept);
        TS_NEED(w->ctx, kept);
        *kept = p;
        taken = p.end;
    }
    return TS_OK;
}

typedef struct source_range {
    bool asked, known;
    ts_span span;
} source_range;

/* The range of a source with what was found in it; 0: of all of them. */
static ts_code range_of(source_range *out, ts_vec *ranges, spent_work *w, int64_t source)
{
    char text[24];
    ts_idset set = {.all = source == 0};
    ts_code code = ts_vec_reach(w->ctx, ranges, source, sizeof *out);
    source_range *r = code == TS_OK ? (source_range *)ranges->p + source : NULL;
    memset(out, 0, sizeof *out);
    if (r == NULL) {
        return code;
    }
    if (r->asked) {
        *out = *r;
        return TS_OK;
    }
    snprintf(text, sizeof text, "%lld", (long long)source);
    code = source == 0 ? TS_OK : ts_sources_find(&set, w->m, ts_text_of(text));
    TS_STEP(code, ts_source_range(&r->span, &r->known, w->m, &set));
    /* trace_range of a database without any times */
    r->known = r->known && (r->span.from != 0 || r->span.to != 1);
    r->asked = true;
    *out = *r;
    ts_idset_free(w->ctx, &set);
    return code;
}

/* The part of a source's range that is selected. */
static ts_code selected_of(ts_span *out, spent_work *w, ts_vec *ranges, int64_t source)
{
    const ts_span *wanted = &w->select->span;
    source_range r;
    ts_code code = range_of(&r, ranges, w, source);
    *out = *wanted;
    if (r.known) {
        out->from = r.span.from > out->from ? r.span.from : out->from;
        out->to = r.span.to < out->to ? r.span.to : out->to;
        out->to = out->to > out->from ? out->to : out->from;
    }
    return code;
}

/* The part of a thread's range that is selected. */
static ts_code span_of(ts_span *out, spent_work *w, ts_vec *ranges, spent_thread *t)
{
    ts_code code = selected_of(out, w, ranges, t->last_ts != INT64_MIN ? 0 : t->spent.source_id);
    bool bounded = out->from != INT64_MIN && out->to != INT64_MAX;
    t->spent.length = bounded ? ts_sat_sub(out->to, out->from) : -1;
    return code;
}

/* --- all -------------------------------------------------------------------------------------- */

/* What is known only when all rows were read. */
static ts_code finish_threads(spent_work *w, ts_vec *spans, ts_vec *ranges)
{
    spent_thread *all = w->threads.p;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < w->threads.n; i++) {
        ts_span *span = ts_vec_add(w->ctx, spans, sizeof *span);
        code = span == NULL ? w->ctx->error.code : span_of(span, w, ranges, &all[i]);
        TS_STEP(code, put_run(w, &all[i], NULL));
        TS_STEP_IF(code, all[i].open && span->to > all[i].last_ts,
                   put_state(w, &all[i], i, all[i].last_kind, all[i].last_ts, span->to));
    }
    return code;
}

static bool only_scheduled(const spent_work *w)
{
    static const enum ts_table_id others[] = {TS_T_runtime_pause, TS_T_cloud_suspend,
                                              TS_T_stack_slice,   TS_T_cloud_call,
                                              TS_T_lock_wait,     TS_T_stack_sample};
    bool only = true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        only = only && ts_rows_count(ts_model_rows(w->m), ts_schema[others[i]].name) == 0;
    }
    return only;
}

/* All pieces of all threads; where it was wrong that states need no sorting, once more. */
static ts_code read_threads(spent_work *w, ts_vec *spans, ts_vec *ranges)
{
    const ts_sorter_order order = {.key_offset = 0, .key_count = SPENT_KEYS};
    ts_code code;
    w->direct = only_scheduled(w);
    TS_TRY_INTO(code, selected_of(&w->range, w, ranges, 0));
    do {
        w->direct = w->direct && !w->mixed;
        w->threads.n = 0;
        w->pauses.n = 0;
        ts_vec_free(w->ctx, &w->places);
        spans->n = 0;
        ts_idmap_free(w->ctx, &w->by_itid);
        ts_idmap_free(w->ctx, &w->by_source);
        ts_sorter_close(w->sorter);
        w->sorter = NULL;
        code = ts_sorter_open(&w->sorter, w->ctx, sizeof(spent_piece), &order, SPENT_MEMORY);
        TS_STEP(code, read_tables(w));
        TS_STEP(code, finish_threads(w, spans, ranges));
    } while (code == TS_OK && w->direct && w->mixed);
    return code;
}

static ts_code parents_of(ts_vec *parents, spent_work *w)
{
    const ts_sources *all = NULL;
    ts_code code = ts_sources_get(&all, w->m);
    const ts_source_entry *rows = code == TS_OK ? all->rows.p : NULL;
    for (size_t i = 0; code == TS_OK && i < all->rows.n; i++) {
        code = ts_vec_reach(w->ctx, parents, rows[i].id, sizeof(int64_t));
        if (code == TS_OK) {
            ((int64_t *)parents->p)[rows[i].id] = rows[i].parent;
        }
    }
    if (w->pauses.n > 1) {
        qsort(w->pauses.p, w->pauses.n, sizeof(spent_pause), compare_pauses);
    }
    return code;
}

static ts_code sweep_threads(spent_work *w, const ts_vec *spans, const ts_vec *parents)
{
    const ts_watch *watch = &ts_model_rows(w->m)->watch;
    spent_thread *all = w->threads.p;
    const void *record = NULL;
    spent_sweep *sweep = NULL;
    int64_t source = INT64_MIN; /* whose pauses are there */
    uint64_t done = 0;
    ts_code code = spent_sweep_open(&sweep, w->ctx);
    TS_STEP(code, ts_sorter_finish(w->sorter));
    TS_STEP(code, ts_sorter_next(&record, w->sorter));
    for (size_t i = 0; code == TS_OK && i < w->threads.n; i++) {
        if (all[i].spent.source_id != source) {
            source = all[i].spent.source_id;
            code = pauses_of(w, parents, source);
        }
        spent_sweep_begin(sweep, &all[i].spent, ((const ts_span *)spans->p)[i], w->paused.p,
                          w->paused.n);
        while (code == TS_OK && record != NULL && ((const spent_piece *)record)->lane == i) {
            code = spent_sweep_add(sweep, record);
            TS_STEP_IF(code, ++done % SPENT_WATCH == 0 && watch->check != NULL,
                       watch->check(watch->user, w->ctx));
            TS_STEP(code, ts_sorter_next(&record, w->sorter));
        }
        if (code == TS_OK) {
            spent_sweep_end(sweep);
        }
    }
    spent_sweep_close(sweep);
    return code;
}

static int compare_spent(const void *a, const void *b)
{
    const ts_spent *x = a;
    const ts_spent *y = b;
    if (x->has_itid != y->has_itid) {
        return x->has_itid ? 1 : -1;
    }
    return x->has_itid ? (x->itid > y->itid) - (x->itid < y->itid)
                       : (x->source_id > y->source_id) - (x->source_id < y->source_id);
}

static ts_code put_all(ts_vec *out, const spent_work *w)
{
    const spent_thread *all = w->threads.p;
    ts_code code = ts_vec_reserve(w->ctx, out, w->threads.n, sizeof(ts_spent));
    for (size_t i = 0; code == TS_OK && i < w->threads.n; i++) {
        ((ts_spent *)out->p)[out->n++] = all[i].spent;
    }
    if (code == TS_OK && out->n > 1) {
        qsort(out->p, out->n, sizeof(ts_spent), compare_spent);
    }
    return code;
}

ts_code ts_spent_get(ts_vec *out, ts_model *m, const ts_select *select)
{
    spent_work w = {.ctx = ts_model_ctx(m), .m = m, .select = select};
    ts_vec spans = {0};
    ts_vec ranges = {0};
    ts_vec parents = {0};
    ts_code code = ts_events_get(&w.events, m);
    if (code == TS_OK && (code = read_threads(&w, &spans, &ranges)) == TS_OK &&
        (code = parents_of(&parents, &w)) == TS_OK &&
        (code = sweep_threads(&w, &spans, &parents)) == TS_OK) {
        code = put_all(out, &w);
    }
    ts_vec *const vecs[] = {&w.threads, &w.pauses, &w.paused, &w.methods,
                            &w.places,  &spans,    &ranges,   &parents};
    for (size_t i = 0; i < sizeof vecs / sizeof vecs[0]; i++) {
        ts_vec_free(w.ctx, vecs[i]);
    }
    ts_idmap_free(w.ctx, &w.by_itid);
    ts_idmap_free(w.ctx, &w.by_source);
    ts_idmap_free(w.ctx, &w.sources);
    ts_rows_close(w.values);
    ts_sorter_close(w.sorter);
    return code;
}

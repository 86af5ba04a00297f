/* The time of one thread, from pieces that come in the order of their beginnings. */
#include "model/spent_private.h"

#include "base/alloc.h"

/* A piece without what earlier ones of its class have taken. */
typedef struct part {
    int64_t from, end;
    int64_t begin, dur; /* of the whole piece */
    int64_t cpu, lock;
    unsigned kind;
} part;

/* The parts of a class that are not over; they do not overlap. */
typedef struct class_parts {
    ts_vec parts;
    size_t first;
    int64_t taken; /* up to here */
} class_parts;

struct spent_sweep {
    ts_ctx *ctx;
    ts_spent *thread;
    ts_span range;
    int64_t at; /* what is before has been counted */
    class_parts classes[SPENT_CLASSES];
    const spent_pause *pauses;
    size_t pause, pause_count;
    /* Of the recorded part at `at`: */
    int64_t owned;
    int64_t waits[TS_WAIT_REASONS];
    int64_t paused;
};

ts_code spent_sweep_open(spent_sweep **out, ts_ctx *ctx)
{
    spent_sweep *s = ts_zalloc(ctx, 1, sizeof *s);
    *out = s;
    TS_NEED(ctx, s);
    s->ctx = ctx;
    return TS_OK;
}

void spent_sweep_close(spent_sweep *s)
{
    for (unsigned i = 0; s != NULL && i < SPENT_CLASSES; i++) {
        ts_vec_free(s->ctx, &s->classes[i].parts);
    }
    if (s != NULL) {
        ts_free(s->ctx, s);
    }
}

void spent_sweep_begin(spent_sweep *s, ts_spent *thread, ts_span range, const spent_pause *pauses,
                       size_t pause_count)
{
    s->thread = thread;
    s->range = range;
    s->at = range.from;
    s->pauses = pauses;
    s->pause = 0;
    s->pause_count = pause_count;
    for (unsigned i = 0; i < SPENT_CLASSES; i++) {
        s->classes[i].parts.n = 0;
        s->classes[i].first = 0;
        s->classes[i].taken = range.from;
    }
}

static void add_to(int64_t *sum, int64_t ns)
{
    *sum = ts_sat_add(*sum, ns);
}

/* The share of a sum that falls on `ns` of `dur`. */
static int64_t share_of(int64_t sum, int64_t ns, int64_t dur)
{
    return ns == dur ? sum : (int64_t)((__int128)sum * ns / dur);
}

static int64_t take(int64_t *rest, int64_t wanted)
{
    int64_t taken = wanted < *rest ? wanted : *rest;
    *rest -= taken;
    return taken;
}

/* A recorded part is over: what of it was not CPU time was waiting or paused. */
static void settle(spent_sweep *s, const part *p)
{
    ts_spent *t = s->thread;
    if (s->owned == 0) {
        return;
    }
    int64_t cpu = share_of(p->cpu, s->owned, p->dur);
    int64_t lock = share_of(p->lock, s->owned, p->dur);
    int64_t rest = cpu < s->owned ? s->owned - cpu : 0;
    int64_t more = cpu > s->owned ? cpu - s->owned : 0; /* two clocks: other parts have less */
    t->cpu_from |= TS_CPU_RECORDED;
    add_to(&t->cpu, cpu);
    if (lock > s->waits[TS_WAIT_LOCK]) {
        s->waits[TS_WAIT_LOCK] = lock;
    }
    for (unsigned i = 0; i < TS_WAIT_REASONS; i++) {
        add_to(&t->waiting[i], take(&rest, s->waits[i]));
    }
    add_to(&t->paused, take(&rest, s->paused));
    add_to(&t->waiting[p->kind < TS_WAIT_REASONS ? p->kind : TS_WAIT_OTHER], rest);
    add_to(&t->waiting[TS_WAIT_OTHER], -more);
    s->owned = 0;
    s->paused = 0;
    memset(s->waits, 0, sizeof s->waits);
}

/* The part of a class that has the moment; *next becomes the next one at which that changes. */
static const part *part_at(int64_t *next, spent_sweep *s, spent_class class)
{
    class_parts *c = &s->classes[class];
    const part *parts = c->parts.p;
    while (c->first < c->parts.n && parts[c->first].end <= s->at) {
        if (class == SPENT_RECORDED) {
            settle(s, &parts[c->first]);
        }
        c->first++;
    }
    if (c->first == c->parts.n) {
        c->first = c->parts.n = 0;
        return NULL;
    }
    const part *p = &parts[c->first];
    bool has = p->from <= s->at;
    int64_t change = has ? p->end : p->from;
    *next = change < *next ? change : *next;
    return has ? p : NULL;
}

static bool pause_at(int64_t *next, spent_sweep *s)
{
    while (s->pause < s->pause_count && s->pauses[s->pause].end <= s->at) {
        s->pause++;
    }
    if (s->pause == s->pause_count) {
        return false;
    }
    const spent_pause *p = &s->pauses[s->pause];
    bool has = p->begin <= s->at;
    int64_t change = has ? p->end : p->begin;
    *next = change < *next ? change : *next;
    return has;
}

/* The waiting that a moment outside of recorded CPU time is; NULL: none. */
static const part *waiting_of(const part *state, const part *sample, const part *wait)
{
    if (state != NULL && state->kind < TS_WAIT_REASONS) {
        return wait != NULL && wait->begin < state->begin ? wait : state;
    }
    if (wait == NULL && state == NULL) {
        return sample;
    }
    return wait;
}

static void count(spent_sweep *s, const part *const at[SPENT_CLASSES], bool paused, int64_t ns)
{
    ts_spent *t = s->thread;
    const part *state = at[SPENT_STATE];
    const part *sample = at[SPENT_SAMPLE];
    const part *wait = at[SPENT_WAIT];
    if (at[SPENT_RECORDED] != NULL) {
        add_to(&s->owned, ns);
        add_to(wait != NULL ? &s->waits[wait->kind] : &s->paused, wait != NULL || paused ? ns : 0);
        return;
    }
    t->cpu_from |= (state != NULL ? TS_CPU_SCHEDULING : 0U) |
                   (state == NULL && sample != NULL ? TS_CPU_SAMPLES : 0U);
    const part *ran = state != NULL ? state : sample;
    const part *waited = waiting_of(state, sample, wait);
    if (ran != NULL && ran->kind == SPENT_RAN) {
        add_to(&t->cpu, ns);
    } else if (waited != NULL) {
        add_to(&t->waiting[waited->kind], ns);
    } else if (paused) {
        add_to(&t->paused, ns);
    }
}

/* Counts the time up to here. */
static void advance(spent_sweep *s, int64_t until)
{
    while (s->at < until) {
        const part *at[SPENT_CLASSES];
        int64_t next = until;
        for (unsigned i = 0; i < SPENT_CLASSES; i++) {
            at[i] = part_at(&next, s, (spent_class)i);
        }
        bool paused = pause_at(&next, s);
        count(s, at, paused, ts_sat_sub(next, s->at));
        s->at = next;
    }
}

/* CPU time without a place counts where nothing better says what the thread did. */
static void add_nominal(spent_sweep *s, int64_t ts, int64_t cpu)
{
    int64_t next = INT64_MAX;
    advance(s, ts < s->range.to ? ts : s->range.to);
    if (part_at(&next, s, SPENT_RECORDED) == NULL && part_at(&next, s, SPENT_STATE) == NULL) {
        add_to(&s->thread->cpu, cpu);
        s->thread->cpu_from |= TS_CPU_SAMPLES;
        s->thread->estimated = true;
    }
}

static int64_t time_of(uint64_t key)
{
    return (int64_t)(key ^ UINT64_C(1) << 63);
}

ts_code spent_sweep_add(spent_sweep *s, const spent_piece *piece)
{
    unsigned class = (unsigned)(piece->what >> 8);
    int64_t begin = time_of(piece->begin);
    int64_t end = time_of(piece->end);
    if (class == SPENT_NOMINAL) {
        add_nominal(s, begin, piece->cpu);
        return TS_OK;
    }
    class_parts *c = &s->classes[class];
    int64_t from = begin > c->taken ? begin : c->taken;
    int64_t to = end < s->range.to ? end : s->range.to;
    if (from >= to) {
        return TS_OK;
    }
    advance(s, begin);
    if (c->first > 64 && c->first > c->parts.n / 2) {
        part *parts = c->parts.p;
        c->parts.n -= c->first;
        memmove(parts, parts + c->first, c->parts.n * sizeof *parts);
        c->first = 0;
    }
    part *p = ts_vec_add(s->ctx, &c->parts, sizeof *p);
    TS_NEED(s->ctx, p);
    c->taken = to;
    *p = (part){from,
                to,
                begin,
                ts_sat_sub(end, begin),
                piece->cpu,
                piece->lock,
                (unsigned)(piece->what & 255)};
    return TS_OK;
}

void spent_sweep_end(spent_sweep *s)
{
    ts_spent *t = s->thread;
    int64_t next = INT64_MAX;
    advance(s, s->range.to);
    (void)part_at(&next, s, SPENT_RECORDED); /* settles the last one */
    t->waiting[TS_WAIT_OTHER] = t->waiting[TS_WAIT_OTHER] > 0 ? t->waiting[TS_WAIT_OTHER] : 0;
    int64_t known = ts_sat_add(ts_sat_add(t->cpu, ts_spent_waiting(t)), t->paused);
    t->unknown = t->length > known ? t->length - known : 0;
}

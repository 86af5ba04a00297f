/*
 * Clocks. A snapshot says what several of them showed at one moment; times of one are those of
 * another by the snapshot before them. Snapshots may come after the packets that need them: times
 * stay on their own clock until the end.
 *
 * Numbers 64 to 127 are of one sequence: such clocks may count in other units, and their times may
 * be differences to the packet before.
 */
#include "parsers/perfetto/perfetto.h"

#include "base/sort.h"

enum { CLOCK_BOOTTIME = 6, CLOCK_FIRST_OWN = 64, CLOCK_LAST_OWN = 127, HOPS = 3 };
#define OWN_CLOCK (UINT64_C(1) << 63)

/* A time of a clock and of the next one on the way to that of the trace. */
typedef struct clock_pair {
    uint32_t clock, snapshot;
    int64_t ts, to;
} clock_pair;

static bool is_own(uint32_t id)
{
    return id >= CLOCK_FIRST_OWN && id <= CLOCK_LAST_OWN;
}

static perfetto_clock *clock_at(const perfetto *p, uint32_t i)
{
    return (perfetto_clock *)p->clocks.p + i;
}

static ts_code clock_by_key(uint32_t *clock, perfetto *p, uint64_t key)
{
    perfetto_clock *c;
    uint64_t found;
    if (ts_idmap_find(&found, &p->clock_of, (int64_t)key)) {
        *clock = (uint32_t)found;
        return TS_OK;
    }
    *clock = (uint32_t)p->clocks.n;
    TS_TRY(ts_idmap_put(p->ctx, &p->clock_of, (int64_t)key, *clock));
    TS_NEED(p->ctx, c = ts_vec_add(p->ctx, &p->clocks, sizeof *c));
    c->key = key;
    c->unit = 1;
    c->hops = UINT8_MAX;
    return TS_OK;
}

ts_code perfetto_clock_of(uint32_t *clock, perfetto *p, uint32_t id)
{
    return clock_by_key(
        clock, p, is_own(id) ? OWN_CLOCK | (uint64_t)p->sequence->id << 8 | id : (uint64_t)id);
}

/* In ns; TS_NO_TIME: it does not fit. */
static int64_t in_ns(perfetto *p, uint64_t v, uint64_t unit)
{
    uint64_t ns;
    if (ts_ckd_mul(&ns, v, unit) || ns > INT64_MAX) {
        p->n.overflow++;
        return TS_NO_TIME;
    }
    return (int64_t)ns;
}

ts_code perfetto_take_time(perfetto *p, bool has, uint64_t timestamp, bool has_clock, uint32_t id)
{
    const perfetto_defaults *d = p->sequence->defaults;
    perfetto_clock *c;
    p->has_time = has;
    if (!has) {
        return TS_OK; /* what needs one takes that of the packet before */
    }
    id = has_clock ? id : d != NULL && d->has_clock ? d->clock : CLOCK_BOOTTIME;
    TS_TRY(perfetto_clock_of(&p->clock, p, id));
    c = clock_at(p, p->clock);
    p->ts = in_ns(p, timestamp, c->unit);
    if (c->incremental) {
        p->ts = ts_time_add(c->last, p->ts);
        c->last = p->ts;
    }
    return TS_OK;
}

/* --- snapshots ------------------------------------------------------------------------------- */

static ts_code take_clock(perfetto *p, ts_clock_set *set, const ts_wire_field *message, bool *good)
{
    static const ts_clock clocks[] = {
        [1] = TS_CLOCK_REALTIME,         [2] = TS_CLOCK_REALTIME_COARSE, [3] = TS_CLOCK_MONOTONIC,
        [4] = TS_CLOCK_MONOTONIC_COARSE, [5] = TS_CLOCK_MONOTONIC_RAW,   [6] = TS_CLOCK_BOOTTIME,
    };
    perfetto_shown shown = {.snapshot = p->snapshots};
    uint64_t v[5] = {0};
    perfetto_clock *c;
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number < 5 && f.type == TS_WIRE_VARINT) {
            v[f.number] = f.value;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    if (!*good) {
        return TS_OK;
    }
    TS_TRY(perfetto_clock_of(&shown.clock, p, (uint32_t)v[1]));
    c = clock_at(p, shown.clock);
    c->unit = v[4] == 0 ? 1 : v[4];
    c->incremental = v[3] != 0 && is_own((uint32_t)v[1]);
    shown.ts = in_ns(p, v[2], c->unit);
    c->last = shown.ts;
    if (v[1] < sizeof clocks / sizeof clocks[0] && shown.ts > 0) {
        set->at[clocks[v[1]]] = (uint64_t)shown.ts;
    }
    return shown.ts == TS_NO_TIME ? TS_OK : ts_vec_push(p->ctx, &p->shown, &shown, sizeof shown);
}

ts_code perfetto_clock_snapshot(perfetto *p, const ts_wire_field *message, bool *good)
{
    ts_clock_set set = {0};
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_BYTES) {
            code = take_clock(p, &set, &f, good);
        } else if (f.number == 2 && f.type == TS_WIRE_VARINT && p->primary == 0) {
            p->primary = (uint32_t)f.value;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    p->snapshots++;
    set.at[TS_CLOCK_UNKNOWN] = 0;
    TS_STEP(code, ts_clock_snapshot(p->store, &set));
    return code;
}

/* --- ways ------------------------------------------------------------------------------------ */

/* The next snapshot: shown[*from .. *to). */
static bool next_snapshot(size_t *from, size_t *to, const perfetto *p)
{
    const perfetto_shown *shown = p->shown.p;
    *from = *to;
    while (*to < p->shown.n && shown[*to].snapshot == shown[*from].snapshot) {
        ++*to;
    }
    return *to > *from;
}

/* Clocks that are in one snapshot with one that is `hop - 1` steps away from the trace's are one
 * more. */
static void find_ways(perfetto *p, unsigned hop)
{
    const perfetto_shown *shown = p->shown.p;
    size_t from;
    size_t to = 0;
    while (next_snapshot(&from, &to, p)) {
        size_t via = from;
        while (via < to && clock_at(p, shown[via].clock)->hops != hop - 1) {
            via++;
        }
        for (size_t i = from; i < to && via < to; i++) {
            perfetto_clock *c = clock_at(p, shown[i].clock);
            if (c->hops > hop) {
                c->hops = (uint8_t)hop;
                c->next = shown[via].clock;
            }
        }
    }
}

static ts_code make_pairs(perfetto *p)
{
    const perfetto_shown *shown = p->shown.p;
    size_t from;
    size_t to = 0;
    while (next_snapshot(&from, &to, p)) {
        for (size_t i = from; i < to; i++) {
            clock_at(p, shown[i].clock)->shown_in = shown[i].snapshot + 1;
            clock_at(p, shown[i].clock)->shown = shown[i].ts;
        }
        for (size_t i = from; i < to; i++) {
            const perfetto_clock *c = clock_at(p, shown[i].clock);
            clock_pair pair = {shown[i].clock, shown[i].snapshot, shown[i].ts, 0};
            if (c->hops != 0 && c->hops != UINT8_MAX &&
                clock_at(p, c->next)->shown_in == shown[i].snapshot + 1) {
                pair.to = clock_at(p, c->next)->shown;
                TS_TRY(ts_vec_push(p->ctx, &p->pairs, &pair, sizeof pair));
            }
        }
    }
    return TS_OK;
}

static int by_clock_and_time(const void *a, const void *b, void *user)
{
    const clock_pair *x = a;
    const clock_pair *y = b;
    (void)user;
    if (x->clock != y->clock) {
        return x->clock < y->clock ? -1 : 1;
    }
    if (x->ts != y->ts) {
        return x->ts < y->ts ? -1 : 1;
    }
    return x->snapshot < y->snapshot ? -1 : x->snapshot > y->snapshot;
}

ts_code perfetto_clocks_ready(perfetto *p)
{
    static const ts_clock clocks[] = {
        [0] = TS_CLOCK_BOOTTIME,  [1] = TS_CLOCK_REALTIME,         [2] = TS_CLOCK_REALTIME_COARSE,
        [3] = TS_CLOCK_MONOTONIC, [4] = TS_CLOCK_MONOTONIC_COARSE, [5] = TS_CLOCK_MONOTONIC_RAW,
        [6] = TS_CLOCK_BOOTTIME,
    };
    const clock_pair *pairs;
    TS_TRY(clock_by_key(&p->target, p, p->primary == 0 ? CLOCK_BOOTTIME : p->primary));
    p->trace_clock =
        p->primary < sizeof clocks / sizeof clocks[0] ? clocks[p->primary] : TS_CLOCK_UNKNOWN;
    clock_at(p, p->target)->hops = 0;
    for (unsigned hop = 1; hop <= HOPS; hop++) {
        find_ways(p, hop);
    }
    TS_TRY(make_pairs(p));
    ts_sort(p->pairs.p, p->pairs.n, sizeof(clock_pair), by_clock_and_time, NULL);
    pairs = p->pairs.p;
    for (size_t i = 0; i < p->pairs.n; i++) {
        perfetto_clock *c = clock_at(p, pairs[i].clock);
        c->first = c->count == 0 ? i : c->first;
        c->count++;
    }
    return TS_OK;
}

/* By the last pair that is not later, or the first. */
static int64_t convert(const perfetto *p, const perfetto_clock *c, int64_t ts)
{
    const clock_pair *pairs = (const clock_pair *)p->pairs.p + c->first;
    uint64_t low = 0;
    uint64_t high = c->count;
    int64_t diff;
    while (high - low > 1) {
        uint64_t mid = low + (high - low) / 2;
        if (pairs[mid].ts <= ts) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return ts_ckd_sub(&diff, ts, pairs[low].ts) ? TS_NO_TIME : ts_time_add(diff, pairs[low].to);
}

int64_t perfetto_trace_time(const perfetto *p, uint32_t clock, int64_t ts)
{
    while (ts != TS_NO_TIME && clock != p->target) {
        const perfetto_clock *c = clock_at(p, clock);
        if (c->hops == UINT8_MAX || c->count == 0) {
            return TS_NO_TIME;
        }
        ts = convert(p, c, ts);
        clock = c->next;
    }
    return ts;
}

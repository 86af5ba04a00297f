/*
 * Samples of a CPU profile. Sample i was taken at startTime + the sum of timeDeltas[0..i] and lasts
 * until the next one in time, the last one until endTime. Negative deltas put samples out of order:
 * they are sorted by time then, stably.
 */
#include "parsers/arkts/profile/profile_state.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/sorter.h"
#include "tables/sample_batch.h"

#include <inttypes.h>
#include <math.h>

enum { SORT_MEMORY = 4 << 20 };

void profile_samples_free(ts_ctx *ctx, profile_samples *samples)
{
    ts_intvec_free(ctx, &samples->ids);
    ts_intvec_free(ctx, &samples->deltas);
}

ts_code profile_add_deltas(ts_ctx *ctx, profile_samples *samples, const int64_t *deltas, size_t n)
{
    int64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        all |= deltas[i];
    }
    for (size_t i = 0; i < n && all < 0; i++) {
        samples->negative = samples->negative || (deltas[i] < 0 && deltas[i] != TS_NO_TIME);
    }
    return ts_intvec_push_many(ctx, &samples->deltas, deltas, n);
}

ts_code profile_add_times(ts_ctx *ctx, profile_samples *samples, const int64_t *times, size_t n)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        int64_t delta;
        if (times[i] == TS_NO_TIME || ts_ckd_sub(&delta, times[i], samples->latest)) {
            delta = TS_NO_TIME;
        }
        samples->latest = times[i];
        code = profile_add_delta(ctx, samples, delta);
    }
    return code;
}

/* Some wrote startTime and endTime as whole seconds: then the last sample was before the end. */
ts_code profile_date(ts_profile *p)
{
    const int64_t first = p->samples.deltas.n == 0 ? 0 : ts_intvec_get(&p->samples.deltas, 0);
    int64_t delta;
    if (!p->absolute || fabs(p->start_s) > 9e12 || fabs(p->end_s) > 9e12) {
        return TS_OK;
    }
    p->start_us = llround(p->start_s * 1e6);
    p->end_us = llround(p->end_s * 1e6);
    if (p->end_s == floor(p->end_s) && p->end_us < p->samples.latest) {
        p->end_us = p->samples.latest;
    }
    if (p->samples.deltas.n == 0 || !p->has_start || first == TS_NO_TIME) {
        return TS_OK;
    }
    if (ts_ckd_sub(&delta, first, p->start_us)) {
        delta = TS_NO_TIME;
    }
    p->samples.negative = p->samples.negative || (delta < 0 && delta != TS_NO_TIME);
    return ts_intvec_set(p->ctx, &p->samples.deltas, 0, delta);
}

int64_t profile_time(profile_clock *clock, int64_t relative_us)
{
    int64_t us;
    int64_t ns;
    if (clock->unknown || relative_us == TS_NO_TIME) {
        return TS_NO_TIME;
    }
    if (clock->offset_ns == TS_NO_TIME || ts_ckd_add(&us, clock->base_us, relative_us) ||
        ts_ckd_mul(&ns, us, INT64_C(1000)) || ts_ckd_add(&ns, ns, clock->offset_ns) ||
        ns == TS_NO_TIME) {
        clock->over++;
        return TS_NO_TIME;
    }
    return ns;
}

/* The time of the next sample. After an unknown time all are unknown. */
static int64_t add_delta(profile_clock *clock, int64_t us, int64_t delta)
{
    int64_t sum = ts_time_add(us, delta);
    clock->over += sum == TS_NO_TIME && us != TS_NO_TIME && delta != TS_NO_TIME ? 1 : 0;
    return sum;
}

/* Turns the deltas into times since startTime, in place. */
static ts_code sum_deltas(ts_profile *p, profile_clock *clock, uint64_t n)
{
    int64_t t = 0;
    ts_code code = TS_OK;
    for (uint64_t i = 0; i < n && code == TS_OK; i++) {
        t = add_delta(clock, t, ts_intvec_get(&p->samples.deltas, i));
        code = ts_intvec_set(p->ctx, &p->samples.deltas, i, t);
    }
    return code;
}

/* A sample that is sorted by its time; those that have none stay at the end. */
typedef struct timed_sample {
    uint64_t key;
    uint64_t number;
} timed_sample;

/* order: the samples in time, stably. */
static ts_code sort_by_time(ts_profile *p, uint32_t *order, uint32_t n)
{
    static const ts_sorter_order by_key = {.key_offset = 0, .key_count = 1};
    ts_sorter *sorter = NULL;
    const void *record = NULL;
    ts_code code = ts_sorter_open(&sorter, p->ctx, sizeof(timed_sample), &by_key, SORT_MEMORY);
    for (uint32_t i = 0; i < n && code == TS_OK; i++) {
        const int64_t t = ts_intvec_get(&p->samples.deltas, i);
        const timed_sample s = {t == TS_NO_TIME ? UINT64_MAX : ts_sorter_key(t), i};
        code = ts_sorter_add(sorter, &s);
    }
    TS_STEP(code, ts_sorter_finish(sorter));
    while (code == TS_OK && (code = ts_sorter_next(&record, sorter)) == TS_OK && record != NULL) {
        *order++ = (uint32_t)((const timed_sample *)record)->number;
    }
    ts_sorter_close(sorter);
    return code;
}

/* --- rows ----------------------------------------------------------------------------------- */

typedef struct sample_run {
    bool open;
    int64_t id; /* of the node, PROFILE_NULL for none */
    int64_t start;
} sample_run;

/* False when it is not known or does not fit. */
static bool span_of(int64_t *out, int64_t start, int64_t end)
{
    return start != TS_NO_TIME && end != TS_NO_TIME && !ts_ckd_sub(out, end, start);
}

static ts_code put_run(ts_profile *p, const sample_run *run, int64_t end)
{
    ts_row_js_cpu_profiler_sample row = {
        .id = (int64_t)ts_sink_rows(p->sink, TS_T_js_cpu_profiler_sample),
        .function_id = run->id == PROFILE_NULL ? PROFILE_NULL : profile_function_id(p, run->id),
        .start_time = ts_time_add(run->start, p->samples.place),
        .end_time = ts_time_add(end, p->samples.place),
    };
    TS_NULL_IF(row.function_id == PROFILE_NULL, js_cpu_profiler_sample, &row, function_id);
    TS_NULL_IF(row.start_time == TS_NO_TIME, js_cpu_profiler_sample, &row, start_time);
    TS_NULL_IF(row.end_time == TS_NO_TIME, js_cpu_profiler_sample, &row, end_time);
    TS_NULL_IF(!span_of(&row.dur, run->start, end), js_cpu_profiler_sample, &row, dur);
    return ts_put_js_cpu_profiler_sample(p->sink, &row);
}

/* end: TS_NO_TIME when it is not known. */
static ts_code put_sample(ts_profile *p, int64_t id, int64_t ts, int64_t end, int64_t itid)
{
    uint32_t node = id == PROFILE_NULL ? NO_INDEX : profile_find(p, id);
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(p->sink, TS_T_stack_sample) + 1,
        .source_id = p->source_id,
        .itid = itid,
        .ts = ts,
        .node_id = node == NO_INDEX ? 0 : p->nodes.nodes[node].stack_node,
        .event = TS_TEXT_LIT("cpu"),
    };
    ts_code code = TS_OK;
    TS_NULL_IF(itid < 0, stack_sample, &row, itid);
    TS_NULL_IF(ts == TS_NO_TIME, stack_sample, &row, ts);
    TS_NULL_IF(!span_of(&row.dur, ts, end), stack_sample, &row, dur);
    if (node == NO_INDEX) {
        TS_SET_NULL(stack_sample, &row, node_id);
        if (id != PROFILE_NULL) {
            code = ts_issue(
                p->store, p->source_id, TS_ISSUE_cpu_unknown_sample, p->name, p->offset,
                "the sample at %" PRId64 " ns names node %" PRId64 ", which is not there", ts, id);
        }
    }
    return code != TS_OK ? code : ts_put_stack_sample(p->sink, &row);
}

/* End of the last sample: endTime, which cannot lie before it. Not known in a profile that was cut.
 */
static int64_t last_end(ts_profile *p, profile_clock *clock, int64_t last_us)
{
    int64_t end_us;
    if (!p->done || !p->has_end || last_us == TS_NO_TIME) {
        return profile_time(clock, last_us);
    }
    if (ts_ckd_sub(&end_us, p->end_us, p->start_us)) {
        return TS_NO_TIME;
    }
    p->samples.end_early = end_us < last_us;
    return p->samples.end_early ? TS_NO_TIME : profile_time(clock, end_us);
}

/* A time of a row: trace_range covers it where the compatible tables show it. */
static void note_time(ts_profile *p, const profile_clock *clock, int64_t ts)
{
    ts_range_note(p->store, clock->clock, TS_RANGE_ROWS, ts_time_add(ts, p->samples.place));
    p->samples.extent = ts != TS_NO_TIME && ts > p->samples.extent ? ts : p->samples.extent;
}

/* Samples on their way to rows. */
typedef struct sample_writer {
    ts_profile *p;
    profile_clock *clock;
    int64_t itid;
    const uint32_t *order; /* NULL: as they came */
    uint64_t n;
    sample_run run;
    bool any;    /* the sample before was wanted */
    int64_t sum; /* time of the next sample since startTime, µs */
    int64_t ts;  /* the same in ns of the clock */
    /* By id: stack nodes of those that samples may name in a batch, or 0; NULL: of none. */
    uint32_t *stack_nodes;
} sample_writer;

/* The time of the sample after sample k. */
static int64_t next_time(const sample_writer *w, uint64_t k)
{
    const ts_intvec *deltas = &w->p->samples.deltas;
    if (w->p->samples.unmatched) {
        return TS_NO_TIME;
    }
    return k + 1 == w->n      ? w->sum
           : w->order == NULL ? add_delta(w->clock, w->sum, ts_intvec_get(deltas, k + 1))
                              : ts_intvec_get(deltas, w->order[k + 1]);
}

static ts_code put_next(sample_writer *w, uint64_t k)
{
    ts_profile *p = w->p;
    const uint64_t i = w->order == NULL ? k : w->order[k];
    const bool last = k + 1 == w->n;
    const int64_t next_us = next_time(w, k);
    const int64_t next = last ? last_end(p, w->clock, w->sum) : profile_time(w->clock, next_us);
    const bool wanted = w->ts == TS_NO_TIME || ts_span_has(&w->clock->wanted, w->ts);
    int64_t id = ts_intvec_get(&p->samples.ids, i);
    ts_code code = TS_OK;
    if (i >= p->damage.nodes_known) {
        id = PROFILE_NULL;
    }
    if (wanted != w->any && (wanted || w->run.open)) { /* the first, or the end of the last one */
        note_time(p, w->clock, w->ts);
        w->any = wanted;
    }
    if (w->run.open && (w->run.id != id || !wanted)) {
        code = put_run(p, &w->run, w->ts);
        w->run.open = false;
    }
    if (!wanted) {
        w->clock->skipped++;
    } else if (!w->run.open) {
        w->run = (sample_run){true, id, w->ts};
    }
    if (wanted && code == TS_OK) {
        code = put_sample(p, id, w->ts, last && !p->done ? TS_NO_TIME : next, w->itid);
    }
    if (last && w->run.open && code == TS_OK) {
        code = put_run(p, &w->run, next);
        note_time(p, w->clock, next);
    }
    w->sum = next_us;
    w->ts = next;
    return code;
}

/* --- many at once --------------------------------------------------------------------------- */

/* The arrays of a batch, and the sample after it. */
typedef struct usual_samples {
    uint32_t ids[TS_SAMPLES_MOST + 1];
    uint32_t durs[TS_SAMPLES_MOST];
    uint32_t nodes[TS_SAMPLES_MOST];
    uint32_t functions[TS_SAMPLES_MOST];
} usual_samples;

/* Of nodes whose ids are dense and small, with and without their offset. */
static ts_code find_stack_nodes(sample_writer *w)
{
    const profile_nodes *nodes = &w->p->nodes;
    const int64_t offset = w->p->id_offset;
    if (nodes->by_id == NULL || nodes->first_id < 0 ||
        nodes->first_id > INT32_MAX - nodes->id_span || offset < 1 - nodes->first_id ||
        offset > INT32_MAX - nodes->first_id - (int64_t)nodes->id_span) {
        return TS_OK;
    }
    TS_NEED(w->p->ctx,
            w->stack_nodes = ts_zalloc(w->p->ctx, nodes->id_span, sizeof *w->stack_nodes));
    for (uint32_t i = 0; i < nodes->count; i++) {
        const cpu_node *node = &nodes->nodes[i];
        w->stack_nodes[node->id - nodes->first_id] =
            node->stack_node <= INT32_MAX ? (uint32_t)node->stack_node : 0;
    }
    return TS_OK;
}

/* False: not all of them are known. *runs: that end. */
static bool name_nodes(const sample_writer *w, usual_samples *u, unsigned n, unsigned *runs)
{
    const profile_nodes *nodes = &w->p->nodes;
    const uint32_t first = (uint32_t)nodes->first_id;
    const uint32_t offset = (uint32_t)w->p->id_offset;
    /* No sample has the id UINT32_MAX. */
    const uint32_t root = nodes->root_merged ? (uint32_t)nodes->nodes[nodes->root].id : UINT32_MAX;
    uint32_t unknown = 0;
    uint32_t ended = 0;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t at = u->ids[i] - first;
        u->nodes[i] = w->stack_nodes[at < nodes->id_span ? at : 0];
        unknown |= (at >= nodes->id_span) | (u->nodes[i] == 0);
    }
    for (unsigned i = 0; i < n; i++) {
        const uint32_t ends = u->ids[i] != u->ids[i + 1] ? UINT32_MAX : 0;
        const uint32_t function = u->ids[i] == root ? TS_PROFILE_ROOT : u->ids[i] + offset;
        u->functions[i] = function & ends;
        ended -= ends;
    }
    *runs = ended;
    return unknown == 0;
}

/* The samples from k on, at most this many, have times that are known and wanted. Their end. */
static bool time_samples(sample_writer *w, const usual_samples *u, unsigned n, int64_t *end_us,
                         int64_t *end)
{
    const uint64_t over = w->clock->over;
    int64_t sum = 0;
    int64_t unused;
    for (unsigned i = 0; i < n; i++) {
        sum += u->durs[i];
    }
    if (w->ts == TS_NO_TIME || ts_ckd_add(end_us, w->sum, sum)) {
        return false;
    }
    *end = profile_time(w->clock, *end_us);
    w->clock->over = over; /* what does not fit is found again, one by one */
    return *end != TS_NO_TIME && ts_span_has(&w->clock->wanted, w->ts) &&
           ts_span_has(&w->clock->wanted, *end) &&
           !ts_ckd_add(&unused, w->ts, w->p->samples.place) &&
           !ts_ckd_add(&unused, *end, w->p->samples.place);
}

static ts_code put_batch(sample_writer *w, const usual_samples *u, unsigned n, unsigned runs)
{
    ts_profile *p = w->p;
    ts_code code = TS_OK;
    if (w->run.open && w->run.id != u->ids[0]) {
        code = put_run(p, &w->run, w->ts);
        w->run.open = false;
    }
    if (!w->any) {
        note_time(p, w->clock, w->ts);
        w->any = true;
    }
    const ts_sample_batch batch = {
        .source_id = p->source_id,
        .itid = w->itid,
        .event = TS_TEXT_LIT("cpu"),
        .ts = w->ts,
        .place = p->samples.place,
        .goes_on = w->run.open,
        .run_ts = w->run.start,
        .count = n,
        .runs = runs,
        .dur_us = u->durs,
        .node_id = u->nodes,
        .function_id = u->functions,
    };
    return code != TS_OK ? code : ts_sink_put_samples(p->sink, &batch);
}

/* The run that is open after a batch. */
static void keep_run_open(sample_writer *w, const usual_samples *u, unsigned n, int64_t end)
{
    unsigned i = n;
    if (u->functions[n - 1] != 0) {
        w->run.open = false;
        return;
    }
    for (; i > 0 && u->ids[i - 1] == u->ids[n - 1]; i--) {
        end -= u->durs[i - 1] * INT64_C(1000);
    }
    if (i > 0 || !w->run.open) {
        w->run = (sample_run){true, u->ids[n - 1], end};
    }
}

/*
 * Samples from k on at once, as far as they are as most are: n, or none. The last sample of all,
 * whose end is found otherwise, is not among them.
 */
static bool put_usual(ts_code *code, sample_writer *w, uint64_t k, unsigned n)
{
    const profile_samples *samples = &w->p->samples;
    usual_samples u;
    unsigned runs;
    int64_t end_us;
    int64_t end;
    if (w->stack_nodes == NULL || n == 0 || k + n >= w->p->damage.nodes_known ||
        !ts_intvec_read_small(&samples->ids, k, u.ids, n + 1) ||
        !ts_intvec_read_small(&samples->deltas, k + 1, u.durs, n) ||
        !time_samples(w, &u, n, &end_us, &end) || !name_nodes(w, &u, n, &runs)) {
        return false;
    }
    *code = put_batch(w, &u, n, runs);
    keep_run_open(w, &u, n, end);
    w->sum = end_us;
    w->ts = end;
    return true;
}

static ts_code put_all(ts_profile *p, profile_clock *clock, int64_t itid, const uint32_t *order,
                       uint64_t n)
{
    sample_writer w = {.p = p, .clock = clock, .itid = itid, .order = order, .n = n};
    ts_code code = TS_OK;
    w.sum = p->samples.unmatched ? TS_NO_TIME
                                 : ts_intvec_get(&p->samples.deltas, order == NULL ? 0 : order[0]);
    w.ts = profile_time(clock, w.sum);
    if (order == NULL && !p->samples.unmatched) {
        code = find_stack_nodes(&w);
    }
    for (uint64_t k = 0; k < n && code == TS_OK;) {
        const uint64_t left = n - 1 - k;
        const unsigned most = left < TS_SAMPLES_MOST ? (unsigned)left : TS_SAMPLES_MOST;
        const uint64_t end = k + (most == 0 ? 1 : most);
        if (put_usual(&code, &w, k, most)) {
            k = end;
        }
        for (; k < end && code == TS_OK; k++) {
            code = put_next(&w, k);
        }
    }
    ts_free(p->ctx, w.stack_nodes);
    return code;
}

static ts_code put_sorted(ts_profile *p, profile_clock *clock, int64_t itid, uint64_t n)
{
    uint32_t *order;
    ts_code code;
    if (n > UINT32_MAX) {
        return ts_fail(p->ctx, TS_ERR_LIMIT, "a CPU profile has more than %" PRIu32 " samples",
                       UINT32_MAX);
    }
    TS_TRY_INTO(code,
                ts_issue(p->store, p->source_id, TS_ISSUE_cpu_negative_delta, p->name, p->offset,
                         "negative timeDeltas: the samples were put in time order"));
    TS_TRY_INTO(code, sum_deltas(p, clock, n));
    TS_NEED(p->ctx, order = ts_alloc(p->ctx, (size_t)n, sizeof *order));
    code = sort_by_time(p, order, (uint32_t)n);
    TS_STEP(code, put_all(p, clock, itid, order, n));
    ts_free(p->ctx, order);
    return code;
}

static ts_code count_samples(ts_profile *p, uint64_t n, uint64_t skipped)
{
    uint64_t used = p->samples.unmatched ? 0 : n;
    TS_TRY(ts_count_add(p->store, p->source_id, TS_ITEM_cpu_samples, NULL, n - skipped,
                        p->samples.ids.n - n, skipped));
    skipped = skipped < used ? skipped : used;
    return ts_count_add(p->store, p->source_id, TS_ITEM_cpu_time_deltas, NULL, used - skipped,
                        p->samples.deltas.n - used, skipped);
}

/* --- checks --------------------------------------------------------------------------------- */

/*
 * Each sample has a delta. An array that is complete cannot be shorter than the other one: then
 * elements are missing at a place that is not known, and no sample's time is.
 */
static ts_code match_arrays(ts_profile *p)
{
    uint64_t samples = p->samples.ids.n;
    uint64_t deltas = p->samples.deltas.n;
    bool all_samples = p->done || (p->closed & LIST_SAMPLES) != 0;
    bool all_deltas = p->done || (p->closed & LIST_DELTAS) != 0;
    if (all_samples && samples < deltas) {
        p->samples.unmatched = true;
        return ts_issue_n(p->store, p->source_id, TS_ISSUE_cpu_delta_extra, p->name, p->offset,
                          deltas - samples, "%" PRIu64 " samples have %" PRIu64 " timeDeltas",
                          samples, deltas);
    }
    if (all_deltas && deltas < samples) {
        p->samples.unmatched = true;
        return ts_issue_n(p->store, p->source_id, TS_ISSUE_cpu_delta_missing, p->name, p->offset,
                          samples - deltas, "%" PRIu64 " samples have %" PRIu64 " timeDeltas",
                          samples, deltas);
    }
    return TS_OK;
}

static ts_code check_end(ts_profile *p)
{
    bool before_start = p->done && p->has_end && p->has_start && p->end_us < p->start_us;
    if (!before_start && !p->samples.end_early) {
        return TS_OK;
    }
    return ts_issue(p->store, p->source_id, TS_ISSUE_profile_end_before_start, p->name, p->offset,
                    before_start ? "endTime %" PRId64 " lies before startTime %" PRId64
                                 : "endTime %" PRId64 " lies before the last sample (startTime "
                                   "%" PRId64 ")",
                    p->end_us, p->start_us);
}

ts_code profile_put_samples(ts_profile *p, profile_clock *clock, int64_t itid)
{
    uint64_t n;
    ts_code code;
    TS_TRY_INTO(code, match_arrays(p));
    TS_TRY_INTO(code, profile_check_times(p));
    TS_TRY_INTO(code, profile_check_samples(p));
    n = p->samples.unmatched || p->samples.ids.n < p->samples.deltas.n ? p->samples.ids.n
                                                                       : p->samples.deltas.n;
    if (n > 0) {
        if (ts_sink_rows(p->sink, TS_T_stack_sample) == 0) {
            ts_sink_show(p->sink, TS_SHOW_RUNS);
        }
        code = p->samples.negative && !p->samples.unmatched ? put_sorted(p, clock, itid, n)
                                                            : put_all(p, clock, itid, NULL, n);
    }
    TS_STEP(code, check_end(p));
    return code != TS_OK ? code : count_samples(p, n, clock->skipped);
}

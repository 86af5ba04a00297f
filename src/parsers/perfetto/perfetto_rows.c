/*
 * Records to rows, when the whole trace was read: clocks and tracks are known now. Records are in
 * the order of the file, and so are the rows of events and counters.
 */
#include "parsers/perfetto/perfetto.h"

#include <inttypes.h>

/* A record and what follows it. */
typedef struct read_record {
    perfetto_record r;
    const uint8_t *extras;
    ts_text args, flows, correlation;
    int64_t ts; /* on the clock of the trace */
} read_record;

ts_code perfetto_record_add(perfetto *p, perfetto_record *record, ts_text correlation)
{
    ts_code code;
    record->extras = (uint32_t)p->extras.n;
    record->args = (uint32_t)p->args.n;
    record->flows = (uint32_t)p->flows.n;
    record->correlation = (uint32_t)correlation.n;
    p->record_count++;
    code = ts_window_add(&p->records, record, sizeof *record);
    TS_STEP_IF(code, p->extras.n > 0,
               ts_window_add(&p->records, p->extras.p, p->extras.n * sizeof(perfetto_extra)));
    TS_STEP_IF(code, p->args.n > 0, ts_window_add(&p->records, p->args.p, p->args.n));
    TS_STEP_IF(code, p->flows.n > 0, ts_window_add(&p->records, p->flows.p, p->flows.n));
    TS_STEP_IF(code, correlation.n > 0, ts_window_add(&p->records, correlation.p, correlation.n));
    return code;
}

/* Of the window, until the next one. */
static ts_code next_record(read_record *out, perfetto *p, uint64_t *pos)
{
    const uint8_t *bytes;
    size_t n;
    size_t need;
    TS_TRY(ts_window_get(&bytes, &n, &p->records, *pos, sizeof out->r));
    memcpy(&out->r, bytes, sizeof out->r);
    need = sizeof out->r + out->r.extras * sizeof(perfetto_extra) + out->r.args + out->r.flows +
           out->r.correlation;
    TS_TRY(ts_window_get(&bytes, &n, &p->records, *pos, need));
    out->extras = bytes + sizeof out->r;
    bytes = out->extras + out->r.extras * sizeof(perfetto_extra);
    out->args = (ts_text){(const char *)bytes, out->r.args};
    out->flows = (ts_text){out->args.p + out->r.args, out->r.flows};
    out->correlation = (ts_text){out->flows.p + out->r.flows, out->r.correlation};
    *pos += need;
    return TS_OK;
}

/* --- time ------------------------------------------------------------------------------------ */

/* The first time says where --time-range counts from. */
static ts_code begin_time(perfetto *p, int64_t ts)
{
    p->timed = true;
    if (ts_wanted_span(&p->wanted, p->ctx, p->trace_clock, NULL, ts)) {
        return TS_OK;
    }
    p->wanted = TS_SPAN_ALL;
    return ts_issue(p->store, p->source_id, TS_ISSUE_time_range_unrelated, NULL, TS_NO_OFFSET,
                    "the times of the trace are not those of the range's clock");
}

static ts_code take_record_time(perfetto *p, read_record *x)
{
    if (x->r.clock == PERFETTO_NONE) {
        p->n.no_time++;
        x->ts = TS_NO_TIME;
        return TS_OK;
    }
    x->ts = perfetto_trace_time(p, x->r.clock, x->r.ts);
    if (x->ts == TS_NO_TIME) {
        p->n.no_clock++;
        return TS_OK;
    }
    return p->timed ? TS_OK : begin_time(p, x->ts);
}

static void note_time(perfetto *p, int64_t ts)
{
    p->first_ts = p->first_ts == TS_NO_TIME || ts < p->first_ts ? ts : p->first_ts;
    p->last_ts = p->last_ts == TS_NO_TIME || ts > p->last_ts ? ts : p->last_ts;
}

/* --- counters -------------------------------------------------------------------------------- */

static ts_code new_series(perfetto *p, uint32_t track)
{
    static const char *const units[] = {NULL, "ns", "count", "bytes"};
    perfetto_track *t = perfetto_track_at(p, track);
    ts_text unit = perfetto_text(p, t->unit_name);
    ts_text name = perfetto_text(p, t->name);
    ts_row_timeseries row = {
        .id = (int64_t)ts_sink_rows(p->sink, TS_T_timeseries) + 1,
        .source_id = p->source_id,
        .itid = t->itid,
        .name = name.p != NULL         ? name
                : t->counter_type == 1 ? TS_TEXT_LIT("thread_time")
                : t->counter_type == 2 ? TS_TEXT_LIT("thread_instruction_count")
                                       : TS_TEXT_LIT("NULL"),
        .unit = unit.p != NULL         ? unit
                : t->counter_type == 1 ? TS_TEXT_LIT("ns")
                : t->counter_type == 2 ? TS_TEXT_LIT("count")
                : t->unit < 4          ? ts_text_of(units[t->unit])
                                       : TS_TEXT_NULL,
    };
    ts_row_perfetto_counter more = {.series_id = row.id, .track_id = p->track_base + track + 1};
    t->series = row.id;
    TS_NULL_IF(t->itid < 0, timeseries, &row, itid);
    TS_SET_NULL(timeseries, &row, interval);
    TS_TRY(ts_put_timeseries(p->sink, &row));
    return ts_put_perfetto_counter(p->sink, &more);
}

/* Values of some counters are differences to the last one of the sequence's state. */
static ts_code add_up(double *value, perfetto *p, uint32_t track, uint32_t generation)
{
    const perfetto_track *t = perfetto_track_at(p, track);
    int64_t key = (int64_t)((uint64_t)generation << 32 | track);
    uint64_t place;
    *value *= (double)t->multiplier;
    if (!t->incremental) {
        return TS_OK;
    }
    if (!ts_idmap_find(&place, &p->accumulated, key)) {
        double zero = 0;
        place = p->values.n;
        TS_TRY(ts_vec_push(p->ctx, &p->values, &zero, sizeof zero));
        TS_TRY(ts_idmap_put(p->ctx, &p->accumulated, key, place));
    }
    ((double *)p->values.p)[place] += *value;
    *value = ((const double *)p->values.p)[place];
    return TS_OK;
}

static ts_code put_value(perfetto *p, const read_record *x, uint32_t track, double value,
                         bool wanted)
{
    ts_row_timeseries_value row = {.ts = x->ts, .value = value};
    p->n.counters++;
    if (x->ts == TS_NO_TIME) {
        p->n.counters_lost++;
        return TS_OK;
    }
    if (!wanted) {
        p->n.counters_skipped++;
        return TS_OK;
    }
    if (perfetto_track_at(p, track)->series == 0) {
        TS_TRY(new_series(p, track));
    }
    row.series_id = perfetto_track_at(p, track)->series;
    return ts_put_timeseries_value(p->sink, &row);
}

/* All values of an event. Time of the thread is what slices get, too. */
static ts_code put_values(perfetto *p, read_record *x, bool wanted)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < x->r.extras && code == TS_OK; i++) {
        perfetto_extra extra;
        memcpy(&extra, x->extras + i * sizeof extra, sizeof extra);
        code = add_up(&extra.value, p, (uint32_t)extra.track, x->r.generation);
        TS_STEP(code, put_value(p, x, (uint32_t)extra.track, extra.value, wanted));
        if (perfetto_track_at(p, (uint32_t)extra.track)->counter_type == 1 && extra.value > -9e18 &&
            extra.value < 9e18) {
            x->r.thread_ts = (int64_t)extra.value;
        }
    }
    if (code != TS_OK || x->r.type != PERFETTO_COUNTER) {
        return code;
    }
    if (!x->r.has_value) {
        p->n.bad_counters++;
        return TS_OK;
    }
    code = add_up(&x->r.value, p, x->r.track, x->r.generation);
    TS_STEP(code, put_value(p, x, x->r.track, x->r.value, wanted));
    return code;
}

/* --- events ---------------------------------------------------------------------------------- */

static ts_text type_text(const read_record *x, char phase[2])
{
    static const char *const names[] = {"unknown", "begin", "end",      "instant",
                                        "counter", "state", "complete", NULL};
    if (x->r.type != PERFETTO_OTHER) {
        return ts_text_of(names[x->r.type]);
    }
    phase[0] = x->r.phase >= 0x20 && x->r.phase < 0x7f ? (char)x->r.phase : '?';
    phase[1] = '\0';
    return (ts_text){phase, 1};
}

static ts_code put_event(perfetto *p, const read_record *x, int64_t node)
{
    const perfetto_track *t = perfetto_track_at(p, x->r.track);
    char phase[2];
    ts_row_perfetto_event row = {
        .id = (int64_t)ts_sink_rows(p->sink, TS_T_perfetto_event) + 1,
        .source_id = p->source_id,
        .type = type_text(x, phase),
        .name = perfetto_text(p, x->r.name),
        .category = perfetto_text(p, x->r.category),
        .track_id = p->track_base + x->r.track + 1,
        .ipid = t->ipid,
        .itid = t->itid,
        .ts = x->ts,
        .dur = x->r.dur,
        .thread_ts = x->r.thread_ts,
        .flow_ids = x->r.flows > 0 ? x->flows : TS_TEXT_NULL,
        .correlation = x->r.correlation > 0 ? x->correlation : TS_TEXT_NULL,
        .args = x->r.args > 0 ? x->args : TS_TEXT_NULL,
        .node_id = node,
        .sequence = perfetto_sequence_at(p, x->r.sequence)->id,
    };
    TS_NULL_IF(t->ipid < 0, perfetto_event, &row, ipid);
    TS_NULL_IF(t->itid < 0, perfetto_event, &row, itid);
    TS_NULL_IF(x->ts == TS_NO_TIME, perfetto_event, &row, ts);
    TS_NULL_IF(x->r.dur == TS_NO_TIME, perfetto_event, &row, dur);
    TS_NULL_IF(x->r.thread_ts == TS_NO_TIME, perfetto_event, &row, thread_ts);
    TS_NULL_IF(node == 0, perfetto_event, &row, node_id);
    return ts_put_perfetto_event(p->sink, &row);
}

static ts_code give_pair(perfetto *p, const read_record *x, uint64_t order, int64_t event_id)
{
    bool end = x->r.type == PERFETTO_END;
    bool whole = x->r.type == PERFETTO_COMPLETE;
    perfetto_pair pair = {
        .track = x->r.track,
        .ts = ts_sorter_key(x->ts),
        .class = whole ? UINT64_C(1) << 63 | (UINT64_MAX - (uint64_t)x->r.dur) >> 1 : order,
        .order = order,
        .event_id = event_id,
        .thread_ts = x->r.thread_ts,
        .dur = x->r.dur,
        .name = x->r.name,
        .sequence = x->r.sequence,
        .losses = x->r.losses,
        .type = x->r.type,
    };
    *(end ? &p->n.ends : &p->n.slices) += 1;
    if (x->ts == TS_NO_TIME) {
        *(end ? &p->n.ends_lost : &p->n.slices_lost) += 1;
        return TS_OK;
    }
    return perfetto_pair_add(p, &pair);
}

/* What is no event of a track. */
static ts_code put_other(perfetto *p, const read_record *x, bool wanted)
{
    uint64_t *seen = x->r.type == PERFETTO_SAMPLE ? &p->n.samples : &p->n.lines;
    if (x->r.type == PERFETTO_POINT) {
        return perfetto_point_put(p, x->r.track, x->r.value, x->ts, wanted);
    }
    ++*seen;
    if (!wanted) {
        *(x->r.type == PERFETTO_SAMPLE ? &p->n.samples_skipped : &p->n.lines_skipped) += 1;
        return TS_OK;
    }
    return x->r.type == PERFETTO_SAMPLE ? perfetto_sample_put(p, (const uint8_t *)x->args.p, x->ts)
                                        : perfetto_line_put(p, &x->r, x->args, x->ts);
}

static ts_code put_record(perfetto *p, read_record *x, uint64_t order)
{
    bool wanted;
    int64_t id = 0;
    int64_t node;
    ts_code code = take_record_time(p, x);
    wanted = x->ts == TS_NO_TIME || ts_span_has(&p->wanted, x->ts);
    TS_STEP(code, put_values(p, x, wanted));
    if (code != TS_OK) {
        return code;
    }
    if (wanted && x->ts != TS_NO_TIME) {
        note_time(p, x->ts);
        if (x->r.dur != TS_NO_TIME && ts_time_add(x->ts, x->r.dur) != TS_NO_TIME) {
            note_time(p, ts_time_add(x->ts, x->r.dur));
        }
    }
    if (x->r.type == PERFETTO_COUNTER) {
        return TS_OK;
    }
    if (x->r.type >= PERFETTO_SAMPLE) {
        return put_other(p, x, wanted);
    }
    p->n.events++;
    p->n.events_skipped += wanted ? 0 : 1;
    p->n.unknown_types += x->r.type == PERFETTO_UNKNOWN_TYPE;
    if (wanted) {
        TS_TRY_INTO(code, perfetto_call_node(&node, p, x->r.call));
        TS_TRY_INTO(code, put_event(p, x, node));
        id = (int64_t)ts_sink_rows(p->sink, TS_T_perfetto_event);
    }
    return x->r.type == PERFETTO_BEGIN || x->r.type == PERFETTO_END ||
                   x->r.type == PERFETTO_COMPLETE
               ? give_pair(p, x, order, id)
               : TS_OK;
}

ts_code perfetto_rows_finish(perfetto *p)
{
    uint64_t pos = 0;
    read_record x;
    ts_code code = perfetto_clocks_ready(p);
    TS_STEP(code, perfetto_tracks_ready(p));
    TS_STEP_IF(code, p->kernel != NULL, ts_kernel_packets_finish(p->kernel));
    TS_STEP(code, perfetto_tracks_name(p));
    if (code == TS_OK) {
        ts_window_part(&p->records, 0, ts_window_total(&p->records));
    }
    for (uint64_t i = 0; i < p->record_count && code == TS_OK; i++) {
        code = next_record(&x, p, &pos);
        TS_STEP(code, put_record(p, &x, i + 1));
        TS_STEP_IF(code, i % 4096 == 0, ts_check_cancel(p->ctx));
    }
    ts_window_free(&p->records);
    TS_STEP(code, perfetto_series_finish(p));
    TS_STEP(code, perfetto_slices_finish(p));
    return code;
}

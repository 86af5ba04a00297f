/* A CPU profile from its beginning to its end: its row, its clock, its issues. */
#include "parsers/arkts/profile/profile_state.h"
#include "parsers/shared/notes.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

/* --- life of a profile ---------------------------------------------------------------------- */

ts_code ts_profile_new(ts_profile **out, ts_ctx *ctx, ts_store *store, ts_profile_ids *ids)
{
    ts_profile *p = ts_zalloc(ctx, 1, sizeof *p);
    *out = p;
    TS_NEED(ctx, p);
    p->ctx = ctx;
    p->store = store;
    p->sink = ts_store_sink(store);
    p->ids = ids;
    return TS_OK;
}

static void clear_profile(ts_profile *p)
{
    profile_nodes_free(p->ctx, &p->nodes);
    profile_samples_free(p->ctx, &p->samples);
    profile_texts_free(p->ctx, &p->texts);
    ts_json_place_free(&p->in);
    p->in = (ts_json_place){0};
    p->open = false;
}

void ts_profile_free(ts_profile *p)
{
    if (p != NULL) {
        clear_profile(p);
        ts_free(p->ctx, p);
    }
}

ts_code ts_profile_begin(ts_profile *p, int64_t parent_source)
{
    ts_profile fresh = {.ctx = p->ctx, .store = p->store, .sink = p->sink, .ids = p->ids};
    uint32_t empty;
    ts_code code;
    *p = fresh;
    p->in = (ts_json_place){.table = &profile_table, .user = p, .ctx = p->ctx};
    ts_json_place_begin(&p->in);
    p->offset = TS_NO_OFFSET;
    p->id_offset = p->ids->any ? p->ids->max_id : 0;
    profile_clear_figures(&p->row);
    snprintf(p->name, sizeof p->name, "Profile%" PRIu64,
             ts_sink_rows(p->sink, TS_T_js_cpu_profile));
    code = profile_text_keep(p, &empty, TS_TEXT_LIT(""));
    TS_STEP(code, ts_source_add(&p->source_id, p->store, parent_source, "cpu_profile", NULL,
                                "cpuprofile"));
    p->open = code == TS_OK;
    return code;
}

void ts_profile_broken(ts_profile *p, char c)
{
    p->damage.broken = !p->done && c != '\0' && strchr("0123456789+-.,:[]{}\"", c) != NULL;
}

ts_json_place *ts_profile_place(ts_profile *p)
{
    return &p->in;
}

bool ts_profile_is_open(const ts_profile *p)
{
    return p->open;
}

int64_t ts_profile_source(const ts_profile *p)
{
    return p->source_id;
}

const char *ts_profile_name(const ts_profile *p)
{
    return p->name;
}

void ts_profile_at(ts_profile *p, int64_t offset)
{
    p->offset = offset;
}

bool ts_profile_complete(const ts_profile *p)
{
    return p->done;
}

int64_t ts_profile_extent(const ts_profile *p)
{
    return p->samples.extent;
}

/* --- the end -------------------------------------------------------------------------------- */

static profile_clock choose_clock(const ts_profile *p, const ts_profile_end *end_of)
{
    profile_clock clock = {.clock = TS_CLOCK_MONOTONIC, .base_us = p->start_us};
    if (end_of->relative) {
        clock.clock = TS_CLOCK_RELATIVE;
        clock.base_us = 0;
    } else if (end_of->clocks != NULL &&
               ts_clock_convert(&clock.offset_ns, end_of->clocks, TS_CLOCK_MONOTONIC,
                                TS_CLOCK_BOOTTIME, 0)) {
        clock.clock = TS_CLOCK_BOOTTIME;
        clock.unknown = end_of->clocks->doubted;
    }
    clock.unknown = clock.unknown || (!end_of->relative && !p->has_start);
    return clock;
}

/* Which samples --time-range asks for. */
static ts_code choose_span(ts_profile *p, const ts_profile_end *end_of, profile_clock *clock)
{
    uint64_t over = clock->over;
    int64_t begin = profile_time(clock, 0);
    clock->over = over; /* it is no time of a row */
    if ((begin != TS_NO_TIME || p->ctx->time_range.kind == TS_WANTED_ALL) &&
        ts_wanted_span(&clock->wanted, p->ctx, clock->clock, end_of->clocks, begin)) {
        return TS_OK;
    }
    return ts_issue(p->store, p->source_id, TS_ISSUE_time_range_unrelated, p->name, TS_NO_OFFSET,
                    "the times are in clock %s; all samples were imported",
                    ts_clock_name(clock->clock));
}

static ts_code record_issues(ts_profile *p, const ts_profile_end *end_of,
                             const profile_clock *clock)
{
    bool no_monotonic = clock->clock == TS_CLOCK_MONOTONIC && end_of->clocks != NULL &&
                        end_of->clocks->at[TS_CLOCK_BOOTTIME] != 0;
    const unsigned gone = p->done ? ~p->lists : 0; /* lists */
    const ts_note notes[] = {
        {TS_ISSUE_clock_missing, no_monotonic ? 1 : 0,
         "the clock snapshot has no monotonic clock; the samples' times stay in it"},
        {TS_ISSUE_profile_field_missing, gone & LIST_NODES, "nodes is missing"},
        {TS_ISSUE_profile_field_missing, (gone & LIST_SAMPLES) != 0, "samples is missing"},
        {TS_ISSUE_profile_field_missing, (gone & LIST_DELTAS) != 0, "timeDeltas is missing"},
        {TS_ISSUE_profile_incomplete, p->done ? 0 : 1,
         end_of->reason != NULL ? end_of->reason : "the profile is cut off"},
        {TS_ISSUE_profile_no_start, p->has_start ? 0 : 1, "startTime is missing"},
        {TS_ISSUE_profile_field_missing, p->has_end || !p->done ? 0 : 1,
         "endTime is missing; the last sample lasts 0"},
        {TS_ISSUE_cpu_bad_number, p->bad_numbers,
         "numbers that are none, or no integers, are NULL"},
        {TS_ISSUE_cpu_bad_number, p->samples.deltas_bad,
         "timeDeltas that are not integers were rounded; what is not a number ends the known "
         "times"},
        {TS_ISSUE_cpu_bad_number, p->nodes.ids_over,
         "node ids that do not fit into 64 bits with id_offset are NULL"},
        {TS_ISSUE_cpu_text_cut, p->texts.cut, "texts longer than 1 MiB were cut"},
        {TS_ISSUE_cpu_bad_text, p->texts.replaced,
         "parts of names that are not valid text became U+FFFD"},
        {TS_ISSUE_cpu_field_missing, p->nodes.without_frame, "nodes without a callFrame"},
        {TS_ISSUE_profile_ids_shifted, p->id_offset != 0 ? 1 : 0,
         "node ids were shifted by id_offset"},
        {TS_ISSUE_time_overflow, clock->over,
         "times of the profile or its samples do not fit into 64 bits of nanoseconds"},
    };
    return ts_notes_put(p->store, p->source_id, p->name, p->offset, notes,
                        sizeof notes / sizeof notes[0]);
}

static ts_code describe_profile(ts_profile *p, const profile_clock *clock)
{
    ts_row_source *source = ts_source(p->store, p->source_id);
    const char *name = ts_clock_name(clock->clock);
    ts_code code;
    source->complete = p->done;
    if ((p->row.null & TS_NULL_BIT(js_cpu_profile, start_time)) == 0) {
        TS_SET_VALUE(source, source, start_ts, p->row.start_time);
    }
    if ((p->row.null & TS_NULL_BIT(js_cpu_profile, end_time)) == 0) {
        TS_SET_VALUE(source, source, end_ts, p->row.end_time);
    }
    code = ts_source_text(p->store, p->source_id, &source->name, p->name, strlen(p->name));
    return code != TS_OK
               ? code
               : ts_source_text(p->store, p->source_id, &source->clock, name, strlen(name));
}

static void fill_times(ts_profile *p, const ts_profile_end *end_of, profile_clock *clock)
{
    ts_row_js_cpu_profile *row = &p->row;
    int64_t length;
    if (ts_ckd_sub(&length, p->end_us, p->start_us)) {
        length = TS_NO_TIME;
    }
    row->start_time = p->has_start ? profile_time(clock, 0) : TS_NO_TIME;
    row->end_time = p->has_end ? profile_time(clock, length) : TS_NO_TIME;
    clock->over += p->has_end && length == TS_NO_TIME ? 1 : 0;
    row->started_ts = end_of->started_ts;
    row->reported_ts = end_of->reported_ts;
    TS_NULL_IF(row->start_time == TS_NO_TIME, js_cpu_profile, row, start_time);
    TS_NULL_IF(row->end_time == TS_NO_TIME, js_cpu_profile, row, end_time);
    TS_NULL_IF(!end_of->has_started, js_cpu_profile, row, started_ts);
    TS_NULL_IF(!end_of->has_reported, js_cpu_profile, row, reported_ts);
}

/* A profile's tid makes a thread; its process is that of the configuration. */
static ts_code find_thread(ts_profile *p, const ts_profile_end *end_of, int64_t *itid)
{
    int64_t ipid = -1;
    ts_code code = TS_OK;
    *itid = -1;
    if ((p->row.null & TS_NULL_BIT(js_cpu_profile, tid)) != 0) {
        return TS_OK;
    }
    if (end_of->pid >= 0) {
        code = ts_process(&ipid, p->store, p->source_id, end_of->pid);
    }
    return code != TS_OK ? code : ts_thread(itid, p->store, p->source_id, p->row.tid, ipid, "os");
}

/* Everything but the profile's own row. */
static ts_code put_parts(ts_profile *p, const ts_profile_end *end_of, profile_clock *clock)
{
    int64_t itid = -1;
    ts_code code = choose_span(p, end_of, clock);
    TS_STEP(code, find_thread(p, end_of, &itid));
    TS_STEP(code, profile_put_nodes(p));
    TS_STEP(code, profile_put_samples(p, clock, itid));
    return code != TS_OK ? code : record_issues(p, end_of, clock);
}

ts_code ts_profile_finish(ts_profile *p, const ts_profile_end *end_of)
{
    profile_clock clock;
    uint64_t samples = ts_sink_rows(p->sink, TS_T_stack_sample);
    uint64_t nodes = ts_sink_rows(p->sink, TS_T_js_cpu_profiler_node);
    char text[32];
    ts_code code = profile_date(p);
    if (code != TS_OK) {
        goto out;
    }
    clock = choose_clock(p, end_of);
    p->damage.shifted = end_of->shifted;
    p->samples.place = end_of->place;
    fill_times(p, end_of, &clock);
    code = put_parts(p, end_of, &clock);
    if (code != TS_OK) {
        goto out;
    }
    p->row.id = (int64_t)ts_sink_rows(p->sink, TS_T_js_cpu_profile) + 1;
    p->row.source_id = p->source_id;
    p->row.id_offset = p->id_offset;
    p->row.node_count =
        (int64_t)(ts_sink_rows(p->sink, TS_T_js_cpu_profiler_node) - nodes) + p->nodes.root_merged;
    p->row.sample_count = (int64_t)(ts_sink_rows(p->sink, TS_T_stack_sample) - samples);
    p->row.first_sample_id = (int64_t)samples + 1;
    TS_NULL_IF(p->row.sample_count == 0, js_cpu_profile, &p->row, first_sample_id);
    if (end_of->relative && p->has_start) {
        snprintf(text, sizeof text, "%" PRId64, p->start_us);
        code = ts_source_property(p->store, p->source_id, "startTime", ts_text_of(text));
    }
    TS_STEP(code, ts_put_js_cpu_profile(p->sink, &p->row));
    TS_STEP(code, describe_profile(p, &clock));
out:
    p->ids->any = true;
    ts_stack_release(p->store, p->source_id);
    clear_profile(p);
    return code;
}

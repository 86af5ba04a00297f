#include "parsers/arkts/session_impl.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>

enum { MARK_SNAPSHOT = 1, MARK_TIMELINE_STOP = 2, MARK_CPU = 3 };

/* --- life ----------------------------------------------------------------------------------- */

ts_code ts_session_new(ts_session **out, ts_job *job)
{
    ts_session *s = ts_zalloc(job->ctx, 1, sizeof *s);
    void *run;
    ts_code code;
    *out = NULL;
    if (s == NULL) {
        return job->ctx->error.code;
    }
    s->ctx = job->ctx;
    s->store = job->store;
    s->job = job;
    s->pid = -1;
    if ((code = ts_job_shared(&run, job, "arkts", sizeof(ts_arkts_run), (ts_shared_calls){0})) !=
        TS_OK) {
        goto out;
    }
    s->run = run;
    if ((code = ts_heap_new(&s->heap, s->ctx, s->store)) != TS_OK ||
        (code = ts_profile_new(&s->profile, s->ctx, s->store, &s->run->profile_ids)) != TS_OK ||
        (code = ts_json_new(&s->json, s->ctx, &session_message_handler, s, TS_JSON_RAW_STRINGS)) !=
            TS_OK ||
        (code = ts_count(&s->messages, s->store, job->source_id, TS_ITEM_messages, NULL)) !=
            TS_OK ||
        (code = ts_count(&s->text_bytes, s->store, job->source_id, TS_ITEM_text_bytes, NULL)) !=
            TS_OK) {
        goto out;
    }
    *out = s;
out:
    if (code != TS_OK) {
        ts_session_free(s);
    }
    return code;
}

void ts_session_free(ts_session *s)
{
    if (s == NULL) {
        return;
    }
    /* Only after an error are files still open here: they are not complete, and said so. */
    extract_drop(s, &s->heap_file);
    extract_drop(s, &s->profile_file);
    ts_heap_free(s->heap);
    ts_profile_free(s->profile);
    ts_json_free(s->json);
    ts_free(s->ctx, s->configs);
    ts_free(s->ctx, s);
}

void ts_session_clocks(ts_session *s, const ts_clock_set *clocks)
{
    s->clocks = clocks;
}

int64_t session_time(ts_session *s, ts_clock *clock, int64_t ts)
{
    int64_t out;
    if (s->clocks != NULL &&
        ts_clock_convert(&out, s->clocks, TS_CLOCK_REALTIME, TS_CLOCK_BOOTTIME, ts)) {
        *clock = TS_CLOCK_BOOTTIME;
        s->times_over += out == TS_NO_TIME && !s->clocks->doubted ? 1 : 0;
        return out;
    }
    s->clock_missing =
        s->clock_missing || (s->clocks != NULL && s->clocks->at[TS_CLOCK_BOOTTIME] != 0);
    *clock = TS_CLOCK_REALTIME;
    return ts;
}

/* --- marks and gaps ------------------------------------------------------------------------- */

static void note_mark(ts_session *s, int64_t ts)
{
    ts_clock clock;
    int64_t t = session_time(s, &clock, ts);
    ts_range_note(s->store, clock, TS_RANGE_MARKS, t);
}

static ts_code heap_mark(ts_session *s, int64_t id, bool has_ts, int64_t ts)
{
    bool starts = id == MARK_SNAPSHOT && s->has_type && s->type == TS_HEAP_TIMELINE;
    bool lost = s->lost;
    s->lost = false;
    s->finder.n = 0;
    if (lost && !starts) { /* the end of what could not be read */
        return TS_OK;
    }
    if (ts_heap_is_open(s->heap)) {
        ts_code code;
        if (!starts || !ts_heap_has_samples(s->heap)) {
            return session_close_heap(s, has_ts, ts, id);
        }
        /* The end of a timeline is missing: this is the start of the next one. */
        code = session_close_heap(s, false, 0, 0);
        if (code != TS_OK) {
            return code;
        }
    }
    if (starts || (id == MARK_SNAPSHOT && (!s->has_type || s->type != TS_HEAP_SNAPSHOT))) {
        s->has_timeline_start = has_ts;
        s->timeline_start = ts;
        return TS_OK;
    }
    return ts_issue(s->store, s->job->source_id, TS_ISSUE_empty_mark, "arkts-plugin", s->now.offset,
                    "an end mark (id %" PRId64 ") follows no heap data", id);
}

ts_code session_mark(ts_session *s, int64_t id, bool has_ts, int64_t ts)
{
    switch (id) {
    case MARK_SNAPSHOT:
    case MARK_TIMELINE_STOP:
        if (has_ts) {
            note_mark(s, ts);
        }
        return heap_mark(s, id, has_ts, ts);
    case MARK_CPU:
        if (has_ts && !s->has_started) { /* the first since the profile before */
            note_mark(s, ts);
            s->has_started = true;
            s->started_ts = ts;
        }
        return TS_OK;
    default:
        return TS_OK;
    }
}

ts_code session_gap(ts_session *s, int64_t offset, const char *why)
{
    ts_code code = TS_OK;
    if (ts_heap_is_open(s->heap)) {
        if (!ts_heap_complete(s->heap)) { /* else no more than its end mark can be missing */
            code = ts_issue(s->store, ts_heap_source(s->heap), TS_ISSUE_snapshot_gap, NULL, offset,
                            "%s: the snapshot ends here", why);
        }
        if (code == TS_OK) {
            code = session_close_heap(s, false, 0, 0);
        }
    }
    s->lost = true;
    s->finder.n = 0;
    return code;
}

ts_code ts_session_gap(ts_session *s, int64_t offset)
{
    return session_gap(s, offset, "bytes are missing");
}

/* --- the end -------------------------------------------------------------------------------- */

/* The viewer shows heaps of the configured type only. */
static ts_code fit_type(ts_session *s, session_config *config)
{
    int64_t type = config->row.type;
    bool heaps = config->snapshots + config->timelines > 0;
    bool fits = (type == TS_HEAP_SNAPSHOT && config->snapshots > 0) ||
                (type == TS_HEAP_TIMELINE && config->timelines > 0);
    if (!heaps || fits) {
        return TS_OK;
    }
    config->row.type = config->snapshots > 0 ? TS_HEAP_SNAPSHOT : TS_HEAP_TIMELINE;
    return ts_issue(s->store, s->job->source_id, TS_ISSUE_config_type_changed,
                    "arkts-plugin_config", TS_NO_OFFSET,
                    "the type was %" PRId64 " although the data is of type %" PRId64, type,
                    config->row.type);
}

static ts_code put_configs(ts_session *s)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < s->config_count && code == TS_OK; i++) {
        ts_row_js_config *row = &s->configs[i].row;
        code = fit_type(s, &s->configs[i]);
        if (code == TS_OK && s->profiles > 0 && row->enable_cpu_profiler == 0) {
            row->enable_cpu_profiler = 1;
            code = ts_issue(s->store, s->job->source_id, TS_ISSUE_config_cpu_enabled,
                            "arkts-plugin_config", TS_NO_OFFSET,
                            "enable_cpu_profiler was 0 although there is a CPU profile");
        }
        if (code == TS_OK) {
            code = ts_put_js_config(ts_store_sink(s->store), row);
        }
    }
    return code;
}

static bool has_rows(ts_store *store, enum ts_table_id table)
{
    return ts_sink_rows(ts_store_sink(store), table) > 0;
}

ts_code ts_arkts_need_config(ts_job *job, ts_arkts_run *run, ts_issue_code issue)
{
    ts_sink *sink = ts_store_sink(job->store);
    bool heap = has_rows(job->store, TS_T_js_heap_files);
    bool cpu = has_rows(job->store, TS_T_js_cpu_profile);
    bool timeline = has_rows(job->store, TS_T_js_heap_sample);
    ts_row_js_config row = {
        .type = !heap      ? TS_HEAP_NONE
                : timeline ? TS_HEAP_TIMELINE
                           : TS_HEAP_SNAPSHOT,
        .enable_cpu_profiler = cpu,
    };
    ts_code code;
    if ((!heap && !cpu) || (has_rows(job->store, TS_T_js_config) && run->made_up_config == 0)) {
        return TS_OK;
    }
    if (run->made_up_config != 0) { /* made up for an earlier input: it shows this one as well */
        code = ts_sink_complete(sink, TS_T_js_config, run->made_up_config, TS_C_js_config__type,
                                row.type);
        return code != TS_OK
                   ? code
                   : ts_sink_complete(sink, TS_T_js_config, run->made_up_config,
                                      TS_C_js_config__enable_cpu_profiler, row.enable_cpu_profiler);
    }
    run->made_up_config = (int64_t)ts_sink_rows(sink, TS_T_js_config) + 1;
    code =
        ts_sink_reserve(sink, TS_T_js_config, &row,
                        TS_NULL_BIT(js_config, type) | TS_NULL_BIT(js_config, enable_cpu_profiler));
    return code != TS_OK ? code
                         : ts_issue(job->store, job->source_id, issue, NULL, TS_NO_OFFSET,
                                    "one js_config row was made up: type %" PRId64
                                    ", enable_cpu_profiler %" PRId64,
                                    row.type, row.enable_cpu_profiler);
}

ts_code ts_session_finish(ts_session *s)
{
    ts_tally *tally;
    ts_code code = TS_OK;
    if (ts_heap_is_open(s->heap)) {
        code = session_close_heap(s, false, 0, 0);
    }
    if (code == TS_OK && ts_profile_is_open(s->profile)) {
        code = session_close_profile(s, false, 0, "the recording ends inside it", false);
    }
    if (code == TS_OK && s->clock_missing) {
        code = ts_issue(s->store, s->job->source_id, TS_ISSUE_clock_missing, "arkts-plugin",
                        TS_NO_OFFSET, "the clock snapshot has no realtime; outer times stay in it");
    }
    if (code == TS_OK && s->times_over > 0) {
        code = ts_issue_n(s->store, s->job->source_id, TS_ISSUE_time_overflow, "arkts-plugin",
                          TS_NO_OFFSET, s->times_over,
                          "outer times do not fit 64 bit nanoseconds of the trace clock");
    }
    if (code == TS_OK && s->config_count > 0) {
        code = put_configs(s);
    } else if (code == TS_OK && s->heaps + s->profiles > 0) {
        code = ts_arkts_need_config(s->job, s->run, TS_ISSUE_config_made_up);
    }
    if (code == TS_OK && s->heaps > 0 &&
        (code = ts_count(&tally, s->store, s->job->source_id, TS_ITEM_snapshots, NULL)) == TS_OK) {
        tally->seen += s->heaps;
        tally->imported += s->heaps;
    }
    if (code == TS_OK && s->profiles > 0 &&
        (code = ts_count(&tally, s->store, s->job->source_id, TS_ITEM_profiles, NULL)) == TS_OK) {
        tally->seen += s->profiles;
        tally->imported += s->profiles;
    }
    return code;
}

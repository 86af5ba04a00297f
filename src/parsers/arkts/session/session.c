#include "parsers/arkts/session/session_state.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

enum { MARK_SNAPSHOT = 1, MARK_TIMELINE_STOP = 2, MARK_CPU = 3 };

/* --- life ----------------------------------------------------------------------------------- */

ts_code ts_session_new(ts_session **out, ts_job *job)
{
    ts_session *s = ts_zalloc(job->ctx, 1, sizeof *s);
    ts_code code;
    *out = NULL;
    TS_NEED(job->ctx, s);
    s->ctx = job->ctx;
    s->store = job->store;
    s->job = job;
    s->configs.pid = -1;
    code = ts_arkts_run_of(&s->run, job);
    TS_STEP(code, ts_heap_new(&s->heap, s->ctx, s->store));
    TS_STEP(code, ts_profile_new(&s->profile, s->ctx, s->store, &s->run->profile_ids));
    TS_STEP(code, ts_json_new(&s->json, s->ctx, &session_message_handler, s, TS_JSON_RAW_STRINGS));
    TS_STEP(code, ts_count(&s->messages, s->store, job->source_id, TS_ITEM_messages, NULL));
    TS_STEP(code, ts_count(&s->text_bytes, s->store, job->source_id, TS_ITEM_text_bytes, NULL));
    if (code != TS_OK) {
        ts_session_free(s);
        return code;
    }
    *out = s;
    return TS_OK;
}

void ts_session_free(ts_session *s)
{
    if (s == NULL) {
        return;
    }
    /* Only after an error are files still open here: they are not complete. */
    extract_drop(s->job, &s->heaps.file);
    extract_drop(s->job, &s->profiles.file);
    ts_heap_free(s->heap);
    ts_profile_free(s->profile);
    ts_json_free(s->json);
    ts_vec_free(s->ctx, &s->configs.all);
    ts_free(s->ctx, s);
}

void ts_session_clocks(ts_session *s, const ts_clock_set *clocks)
{
    s->times.clocks = clocks;
}

int64_t session_time(ts_session *s, ts_clock *clock, int64_t ts)
{
    return ts_htrace_time(clock, &s->times, TS_CLOCK_REALTIME, ts);
}

/* --- marks and gaps ------------------------------------------------------------------------- */

static void note_mark(ts_session *s, int64_t ts)
{
    ts_clock clock;
    int64_t t = session_time(s, &clock, ts);
    ts_range_note(s->store, clock, TS_RANGE_MARKS, t);
}

static ts_code session_heap_mark(ts_session *s, int64_t id, bool has_ts, int64_t ts)
{
    bool starts = id == MARK_SNAPSHOT && s->configs.has_type && s->configs.type == TS_HEAP_TIMELINE;
    bool lost = s->heaps.lost;
    s->heaps.lost = false;
    s->heaps.finder.n = 0;
    if (lost && !starts) { /* the end of what could not be read */
        return TS_OK;
    }
    if (ts_heap_is_open(s->heap)) {
        if (!starts || !ts_heap_has_samples(s->heap)) {
            return session_close_heap(s, has_ts, ts, id);
        }
        /* The end of a timeline is missing: this is the start of the next one. */
        TS_TRY(session_close_heap(s, false, 0, 0));
    }
    if (starts ||
        (id == MARK_SNAPSHOT && (!s->configs.has_type || s->configs.type != TS_HEAP_SNAPSHOT))) {
        s->heaps.has_timeline_start = has_ts;
        s->heaps.timeline_start = ts;
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
        return session_heap_mark(s, id, has_ts, ts);
    case MARK_CPU:
        if (has_ts && !s->profiles.has_started) { /* the first since the profile before */
            note_mark(s, ts);
            s->profiles.has_started = true;
            s->profiles.started_ts = ts;
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
        TS_STEP(code, session_close_heap(s, false, 0, 0));
    }
    s->heaps.lost = true;
    s->heaps.finder.n = 0;
    return code;
}

ts_code ts_session_gap(ts_session *s, int64_t offset)
{
    return session_gap(s, offset, "bytes are missing");
}

/* --- CPU profiles ----------------------------------------------------------------------------- */

ts_code session_open_profile(ts_session *s)
{
    char file[48];
    TS_TRY(ts_profile_begin(s->profile, s->job->source_id));
    s->profiles.count++;
    ts_profile_at(s->profile, s->now.offset);
    snprintf(file, sizeof file, "%s.cpuprofile", ts_profile_name(s->profile));
    return extract_begin(s->job, &s->profiles.file, file);
}

ts_code session_close_profile(ts_session *s, bool has_ts, int64_t ts, const char *reason,
                              bool shifted)
{
    ts_clock clock = TS_CLOCK_UNKNOWN;
    ts_profile_end end = {
        .clocks = s->times.clocks,
        .has_started = s->profiles.has_started,
        .has_reported = has_ts,
        .pid = s->configs.pid,
        .reason = reason,
        .shifted = shifted,
    };
    bool complete = ts_profile_complete(s->profile);
    ts_code code;
    if (s->profiles.has_started) {
        end.started_ts = session_time(s, &clock, s->profiles.started_ts);
        end.has_started = end.started_ts != TS_NO_TIME;
    }
    if (has_ts) {
        end.reported_ts = session_time(s, &clock, ts);
        end.has_reported = end.reported_ts != TS_NO_TIME;
        ts_range_note(s->store, clock, TS_RANGE_MARKS, end.reported_ts);
    }
    s->profiles.has_started = false;
    code = ts_profile_finish(s->profile, &end);
    return code != TS_OK ? code : extract_end(s->job, &s->profiles.file, complete);
}

/* --- the end -------------------------------------------------------------------------------- */

/* So many recordings of this kind were read. */
static ts_code count_recordings(ts_session *s, ts_item item, uint64_t n)
{
    return n == 0 ? TS_OK : ts_count_add(s->store, s->job->source_id, item, NULL, n, 0, 0);
}

ts_code ts_session_finish(ts_session *s)
{
    ts_code code = TS_OK;
    if (ts_heap_is_open(s->heap)) {
        code = session_close_heap(s, false, 0, 0);
    }
    TS_STEP_IF(code, ts_profile_is_open(s->profile),
               session_close_profile(s, false, 0, "the recording ends inside it", false));
    TS_STEP(code, ts_htrace_times_finish(&s->times, s->store, s->job->source_id, "arkts-plugin"));
    if (code == TS_OK && s->configs.all.n > 0) {
        code = session_config_put(s, s->profiles.count > 0);
    } else if (code == TS_OK && s->heaps.count + s->profiles.count > 0) {
        code = ts_arkts_need_config(s->job, s->run, false);
    }
    TS_STEP(code, count_recordings(s, TS_ITEM_snapshots, s->heaps.count));
    return code != TS_OK ? code : count_recordings(s, TS_ITEM_profiles, s->profiles.count);
}

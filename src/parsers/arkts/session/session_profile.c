/* The CPU side of a session. */
#include "parsers/arkts/session/session_state.h"

#include "base/ckd.h"

#include <stdio.h>

ts_code session_open_profile(ts_session *s)
{
    char file[48];
    ts_code code;
    TS_TRY(code, ts_profile_begin(s->profile, s->job->source_id));
    s->profiles.count++;
    ts_profile_at(s->profile, s->now.offset);
    snprintf(file, sizeof file, "%s.cpuprofile", ts_profile_name(s->profile));
    return extract_begin(s, &s->profiles.file, file);
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
    return code != TS_OK ? code : extract_end(s, &s->profiles.file, complete);
}

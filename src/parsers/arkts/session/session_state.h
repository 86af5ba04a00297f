/*
 * The ArkTS session as a whole, for the session_*.c files only: each part's header
 * describes its state and who changes it; session.c owns what is left, the readers and counts.
 */
#ifndef TS_PARSERS_ARKTS_SESSION_STATE_H
#define TS_PARSERS_ARKTS_SESSION_STATE_H

#include "htrace/times.h"
#include "parsers/arkts/heap/heap.h"
#include "parsers/arkts/session/session_config.h"
#include "parsers/arkts/session/session_heap.h"
#include "parsers/arkts/session/session_message.h"
#include "parsers/arkts/session/session_profile.h"

struct ts_session {
    ts_ctx *ctx; /* borrowed, as store, job and run */
    ts_store *store;
    ts_job *job;
    ts_arkts_run *run;
    ts_heap *heap;
    ts_profile *profile;
    ts_json *json;
    ts_htrace_times times; /* clocks, and problems of converting with them */
    ts_tally *messages;
    ts_tally *text_bytes;
    message_state now;
    session_configs configs;
    session_heaps heaps;
    session_profiles profiles;
};

/* Outer time (realtime) to the clock of the rows; *clock says which. TS_NO_TIME does not fit. */
int64_t session_time(ts_session *s, ts_clock *clock, int64_t ts);
ts_code session_mark(ts_session *s, int64_t id, bool has_ts, int64_t ts);
ts_code session_gap(ts_session *s, int64_t offset, const char *why);

#endif

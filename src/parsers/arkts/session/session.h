/*
 * One ArkTS recording: debugger messages in their order of arrival become heap snapshots,
 * timelines and CPU profiles. What a message is, is decided from its parsed JSON: params.chunk, a
 * result with a profile, or an id with an empty result (a mark). Messages are fed in pieces of any
 * size and never held. Docs: docs/formats.md, "ArkTS messages".
 */
#ifndef TS_PARSERS_ARKTS_SESSION_H
#define TS_PARSERS_ARKTS_SESSION_H

#include "base/context.h"
#include "parsers/arkts/arkts_run.h"
#include "parsers/arkts/profile/profile.h"
#include "parsers/format.h"
#include "tables/store.h"

typedef struct ts_session ts_session;

/* Caller frees with ts_session_free. The job is borrowed. */
ts_code ts_session_new(ts_session **out, ts_job *job);
void ts_session_free(ts_session *s);

/* The clocks known now: outer times are realtime, those of CPU samples monotonic. Borrowed. */
void ts_session_clocks(ts_session *s, const ts_clock_set *clocks);

/* A configuration message (ArkTSConfig, serialised), found at `offset` of the input. One that was
 * cut is lost: what it does not hold would read as zeros. */
ts_code ts_session_config(ts_session *s, const uint8_t *p, size_t n, int64_t offset,
                          bool truncated);

/* A debugger message: its text in pieces. ts: its outer time, realtime ns as recorded, unless it is
 * not known (has_ts). truncated: the text is cut off. */
ts_code ts_session_message_begin(ts_session *s, int64_t offset);
ts_code ts_session_message_feed(ts_session *s, const char *p, size_t n);
ts_code ts_session_message_end(ts_session *s, bool has_ts, int64_t ts, bool truncated);

/* Messages may be missing here. */
ts_code ts_session_gap(ts_session *s, int64_t offset);

/* The input has ended: what is open is finished, configurations are written. */
ts_code ts_session_finish(ts_session *s);

#endif

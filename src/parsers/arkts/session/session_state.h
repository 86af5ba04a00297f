/*
 * The ArkTS session as a whole, for the session_*.c files only. Each part's state is changed by its
 * own file; session.c owns what is left, the readers and counts. Docs: docs/formats.md, "ArkTS
 * messages".
 */
#ifndef TS_PARSERS_ARKTS_SESSION_STATE_H
#define TS_PARSERS_ARKTS_SESSION_STATE_H

#include "base/vec.h"
#include "htrace/times.h"
#include "json/json_fields.h"
#include "parsers/arkts/heap/heap.h"
#include "parsers/arkts/session/session.h"

/* --- session_config.c: configurations, which the run gets at its end -------------------------- */

/* A configuration, and how many heaps came after it. */
typedef struct session_config {
    ts_row_js_config row;
    uint64_t snapshots, timelines;
} session_config;

typedef struct session_configs {
    ts_vec all; /* session_config */
    bool has_type;
    int64_t type; /* of the last one */
    int64_t pid;  /* -1: not known */
} session_configs;

/* A heap came after the last configuration. */
void session_config_note_heap(session_configs *configs, bool timeline);

/* Hands all of them to the run. profiles: there were CPU profiles. */
ts_code session_config_put(ts_session *s, bool profiles);

/* --- session_heap.c: chunks and marks become snapshots and timelines -------------------------- */

/* Finds where a snapshot begins in text whose beginning is lost: {"word" with a word of its own. */
typedef struct start_finder {
    char text[28];
    size_t n;
} start_finder;

typedef struct session_heaps {
    uint64_t count;
    bool lost; /* text is missing: what comes is passed over up to a mark or a new beginning */
    start_finder finder;
    bool start_pending; /* the message that began the snapshot gives its start time */
    bool has_start;
    int64_t start_ts; /* raw */
    bool has_last;    /* time of the last message with text of the snapshot */
    int64_t last_ts;
    bool has_timeline_start;
    int64_t timeline_start; /* raw */
    extract_file file;
} session_heaps;

/* A chunk begins; a piece of its text. */
void session_chunk_begin(ts_session *s);
ts_code session_chunk_text(ts_session *s, const char *p, size_t n);

/* Begins a snapshot; ends it. mark: the id of the end mark, 0 when there is none. */
ts_code session_open_heap(ts_session *s);
ts_code session_close_heap(ts_session *s, bool has_end, int64_t end_ts, int64_t mark);

/* --- session_message.c: the message that is being read, and what it carries ------------------- */

/* Where in a message the reader is. */
enum message_top { TOP_OTHER, TOP_ID, TOP_METHOD, TOP_PARAMS, TOP_RESULT, TOP_ERROR };

/* An object inside a message whose events go to another reader. */
enum message_route { ROUTE_NONE, ROUTE_HEAP, ROUTE_PROFILE };

enum chunk_state { CHUNK_NONE, CHUNK_OPEN, CHUNK_WHOLE };

typedef struct message_state {
    int64_t offset;
    uint64_t depth;
    uint64_t skip;
    enum message_top top;
    bool wanted; /* the member inside params or result that counts */
    bool has_id, has_method, has_error;
    int64_t id;
    bool result_object, result_empty;
    enum chunk_state chunk;
    bool chunk_bad;
    bool profile; /* it carried result.profile */
    enum message_route route;
    const ts_json_handler *to; /* that of the route, and its user */
    void *inner;
    uint64_t route_depth;
    uint64_t bytes;
    /* The raw bytes of a routed object, for -s. */
    const char *block;
    uint64_t block_at;
    uint64_t raw_from;
} message_state;

extern const ts_json_handler session_message_handler; /* user: the ts_session */

/* --- session.c: start marks and CPU profiles, and the whole ----------------------------------- */

typedef struct session_profiles {
    uint64_t count;
    bool has_started;
    int64_t started_ts; /* raw */
    extract_file file;
} session_profiles;

ts_code session_open_profile(ts_session *s);

/* reason: why it is not complete; shifted: see ts_profile_end. */
ts_code session_close_profile(ts_session *s, bool has_ts, int64_t ts, const char *reason,
                              bool shifted);

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

/* Inside of the ArkTS session, shared by the session_*.c files and by nobody else. */
#ifndef TS_PARSERS_ARKTS_SESSION_IMPL_H
#define TS_PARSERS_ARKTS_SESSION_IMPL_H

#include "json/json.h"
#include "htrace/times.h"
#include "parsers/arkts/heap.h"
#include "parsers/arkts/session.h"

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
    bool in_result;
    enum chunk_state chunk;
    bool chunk_bad;
    bool profile; /* it carried result.profile */
    enum message_route route;
    uint64_t route_depth;
    uint64_t bytes;
    /* The raw bytes of a routed object, for -s. */
    const char *block;
    uint64_t block_at;
    uint64_t raw_from;
} message_state;

/* Finds where a snapshot begins in text whose beginning is lost: {"word" with a word of its own. */
typedef struct start_finder {
    char text[28];
    size_t n;
} start_finder;

/* Joins surrogates that a chunk's end has cut apart, for files that are written with -s. */
typedef struct extract_file {
    void *file;
    char held[3];
    size_t held_n;
} extract_file;

/* A configuration, and what came after it. */
typedef struct session_config {
    ts_row_js_config row;
    uint64_t snapshots, timelines;
} session_config;

struct ts_session {
    ts_ctx *ctx;
    ts_store *store;
    ts_job *job;
    ts_arkts_run *run;
    ts_heap *heap;
    ts_profile *profile;
    ts_json *json;
    ts_htrace_times times; /* clocks, and what converting with them came upon */
    message_state now;

    session_config *configs;
    uint32_t config_count, config_cap;
    bool has_type;
    int64_t type;
    int64_t pid; /* -1: not known */

    /* Heap. */
    bool lost; /* text is missing: what comes is passed over up to a mark or a new beginning */
    start_finder finder;
    bool start_pending; /* the message that began the snapshot gives its start time */
    bool has_start;
    int64_t start_ts; /* raw */
    bool has_timeline_start;
    int64_t timeline_start; /* raw */
    extract_file heap_file;

    /* CPU profiles. */
    bool has_started;
    int64_t started_ts; /* raw */
    extract_file profile_file;

    uint64_t heaps, profiles;
    ts_tally *messages;
    ts_tally *text_bytes;
};

/* session.c */
/* Outer time (realtime) to the clock of the rows; *clock says which. TS_NO_TIME does not fit. */
int64_t session_time(ts_session *s, ts_clock *clock, int64_t ts);
ts_code session_mark(ts_session *s, int64_t id, bool has_ts, int64_t ts);
ts_code session_gap(ts_session *s, int64_t offset, const char *why);

/* session_heap.c */
void session_chunk_begin(ts_session *s);
ts_code session_chunk_text(ts_session *s, const char *p, size_t n);
ts_code session_open_heap(ts_session *s);
ts_code session_close_heap(ts_session *s, bool has_end, int64_t end_ts, int64_t mark);

/* session_profile.c */
ts_code session_open_profile(ts_session *s);
ts_code session_close_profile(ts_session *s, bool has_ts, int64_t ts, const char *reason,
                              bool shifted);

/* session_extract.c */
ts_code extract_begin(ts_session *s, extract_file *file, const char *name);
/* joined: the bytes are text that may end inside a surrogate pair. */
ts_code extract_write(ts_session *s, extract_file *file, bool joined, const char *p, size_t n);
ts_code extract_end(ts_session *s, extract_file *file, bool complete);

/* After an error: the file that is open, if any, is not to be. */
void extract_drop(ts_session *s, extract_file *file);

/* session_message.c */
extern const ts_json_handler session_message_handler;

#endif

/*
 * The heap side of a session: chunks and marks become snapshots and timelines. Owned by
 * session_heap.c; session_message.c notes the time of the first chunk. Docs: docs/formats.md,
 * "ArkTS messages".
 */
#ifndef TS_PARSERS_ARKTS_SESSION_HEAP_H
#define TS_PARSERS_ARKTS_SESSION_HEAP_H

#include "parsers/arkts/session/session_extract.h"

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

#endif

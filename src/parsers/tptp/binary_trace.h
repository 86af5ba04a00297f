/* The binary form of a TPTP trace: streams, messages, and where reading goes on after damage
 * (docs/formats.md, "TPTP traces"). */
#ifndef TS_PARSERS_TPTP_BINARY_TRACE_H
#define TS_PARSERS_TPTP_BINARY_TRACE_H

#include "parsers/tptp/decode.h"
#include "parsers/tptp/texts_in.h"
#include "parsers/tptp/ticks.h"
#include "parsers/tptp/trace_import.h"

enum { TPTP_STREAM_HEADER = 12 };

typedef enum tptp_binary_state {
    TPTP_AT_HEADER,
    TPTP_SKIPPING, /* the gap after a header, or a message that is not wanted */
    TPTP_PROBING,
    TPTP_RUNNING,
    TPTP_SEARCHING, /* after damage, for the next messages */
    TPTP_STOPPED    /* nothing was found */
} tptp_binary_state;

/*
 * Holds the bytes of a message until it is complete, 1 MiB to find the layout, and about 1.2 MiB to
 * find the next messages after damage.
 */
typedef struct tptp_binary {
    tptp_import import;
    ts_ctx *ctx;
    tptp_forced forced;
    tptp_layout layout;
    tptp_binary_state state;
    tptp_binary_state behind; /* the state after TPTP_SKIPPING */
    uint64_t skip;
    uint64_t *skip_counted; /* where skipped bytes are counted once all are there, or NULL */
    uint64_t skip_done;     /* bytes that were skipped */
    bool skip_header; /* the gap of a header is skipped: the offset may lie outside the input */
    ts_buf held;
    size_t at;       /* in held */
    uint64_t offset; /* of held.p[0] in the input */
    size_t want;     /* bytes after `at` without which nothing can be done */
    bool streams;    /* a header was read */
    bool events;     /* an event was read */
    uint64_t exact;  /* a bit per kind of event of which a message was as long as its attributes */
    uint64_t tail;   /* bytes since reading stopped */
    uint64_t tail_at;
    uint64_t work; /* bytes that searches looked at */

    uint8_t header[TPTP_STREAM_HEADER];
    tptp_ticks ticks;
    tptp_encoding encoding;
    ts_buf encoding_name;
    ts_buf texts;
    tptp_stack_frame *frames;
    tptp_record record;
} tptp_binary;

ts_code tptp_binary_open(tptp_binary **out, ts_job *job, const tptp_forced *forced);
void tptp_binary_close(tptp_binary *b);
ts_code tptp_binary_feed(tptp_binary *b, const uint8_t *p, size_t n);
ts_code tptp_binary_finish(tptp_binary *b);

/* --- binary_events.c: one message --- */

/* Facts about the stream, for a session that has begun. */
ts_code tptp_binary_facts(tptp_binary *b);
/* Messages 1 and 2. */
ts_code tptp_binary_encoding(tptp_binary *b, ts_text name, uint64_t offset);
ts_code tptp_binary_frequency(tptp_binary *b, uint64_t raw, uint64_t offset);
/*
 * One of the events of which no description gives the attributes: kept with its number, size and
 * first bytes, p[0..n) of those after the head. Where it begins as events of threads do, with a
 * thread that is defined and a time that fits, it has these too.
 */
ts_code tptp_binary_undescribed(tptp_binary *b, const tptp_message *m, const uint8_t *p, size_t n);
/* A decoded record: its times and texts are converted and it becomes rows. */
ts_code tptp_binary_event(tptp_binary *b, const tptp_event_info *event, uint64_t offset);

#endif

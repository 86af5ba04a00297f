/* The binary form of a TPTP trace: streams, messages, and where reading goes on after damage
 * (docs/formats.md, "TPTP traces"). */
#ifndef TS_PARSERS_TPTP_BINARY_TRACE_H
#define TS_PARSERS_TPTP_BINARY_TRACE_H

#include "parsers/tptp/trace_import.h"

/* --- times (ticks.c) ------------------------------------------------------------------------ */

/* Ticks of a clock whose frequency the trace states, or without one ns, us or ms. */
typedef struct tptp_ticks {
    uint64_t frequency; /* ticks a second; 0: not known */
    uint64_t scale;     /* without a frequency: ns of one unit; 0: no time was seen yet */
    uint64_t each;      /* ns of one tick, when they are a whole number; else 0 */
} tptp_ticks;

/* How a recorded frequency was taken. */
typedef enum tptp_rate {
    TPTP_RATE_PLAIN,
    TPTP_RATE_MHZ,
    TPTP_RATE_DOUBLE,
    TPTP_RATE_NONE
} tptp_rate;

/* Takes the 8 bytes of message 2 as a number. */
tptp_rate tptp_ticks_rate(tptp_ticks *t, uint64_t raw);

/* Without a frequency: says what the unit is, from the first time. */
void tptp_ticks_guess(tptp_ticks *t, uint64_t first);

/* False when ns do not fit into 63 bits. */
bool tptp_ticks_ns(int64_t *ns, const tptp_ticks *t, uint64_t ticks);
bool tptp_ticks_span(int64_t *ns, const tptp_ticks *t, int64_t ticks);

/* --- messages and layouts (decode.c) -------------------------------------------------------- */

/* What the format leaves open; found from the data. */
typedef struct tptp_layout {
    bool big;       /* byte order */
    bool exclusive; /* the size does not count the 6 bytes of the head */
    bool bare;      /* messages 1 and 2 have no size */
    bool counted;   /* each array of a stack begins with its own count */
    bool strict;    /* arrays as in `counted` only, and not the other way when that is exact */
} tptp_layout;

enum { TPTP_HEAD = 6, TPTP_ENCODING = 1, TPTP_FREQUENCY = 2 };

/* n bytes as an unsigned number, n <= 8. */
static inline uint64_t tptp_fixed(const uint8_t *p, unsigned n, bool big)
{
    uint64_t v = 0;
    if (n == 8) {
        memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        return big ? __builtin_bswap64(v) : v;
#else
        return big ? v : __builtin_bswap64(v);
#endif
    }
    for (unsigned i = 0; i < n; i++) {
        v |= (uint64_t)p[i] << 8 * (big ? n - 1 - i : i);
    }
    return v;
}

/* How the attributes of a table fit into a message. SHORT: it ends between two of them; LONG: bytes
 * are left; BAD: it ends inside one, or a stack has an impossible count. */
typedef enum tptp_fit { TPTP_EXACT, TPTP_SHORT, TPTP_LONGER, TPTP_BAD } tptp_fit;

/*
 * Decodes the n bytes after the head of a message. Of the layouts of its event the first that ends
 * exactly is taken, else the table's. The record is cleared before; it gets raw numbers (times in
 * ticks) and texts as they stand. frames: room for TPTP_MAX_FRAMES. record NULL: only looks.
 * *used: bytes of the attributes.
 */
tptp_fit tptp_decode(tptp_record *record, size_t *used, const tptp_event_info *event,
                     const tptp_layout *layout, const uint8_t *p, size_t n,
                     tptp_stack_frame *frames);

/* What is at a place. */
typedef struct tptp_message {
    uint32_t id;
    uint64_t size; /* of all of it; SHORT of bytes: what is needed to know it */
    size_t head;   /* bytes before its attributes */
} tptp_message;

/* OK: the sizes are known, not that the bytes are there. NEED: message.size bytes are needed to say
 * more. WRONG: the size cannot be right. */
typedef enum tptp_look { TPTP_LOOK_OK, TPTP_LOOK_NEED, TPTP_LOOK_WRONG } tptp_look;
tptp_look tptp_look_at(tptp_message *m, const tptp_layout *layout, const uint8_t *p, size_t n);

/* Do so many exact messages of known kinds follow one another? Each of at most TPTP_TRY bytes.
 * *work: bytes that were looked at. */
enum { TPTP_TRY = 65536 };
bool tptp_are_exact(unsigned count, uint64_t *work, const tptp_layout *layout, const uint8_t *p,
                    size_t n);

/* What must not be looked for: -1 is open, else 0 or 1 as in the layout. */
typedef struct tptp_forced {
    int exclusive;
    int bare;
    int counted;
} tptp_forced;

/*
 * The layout that fits best to what follows a header, and its score; below 0 more is wrong than
 * right. whole: no bytes follow.
 */
int64_t tptp_probe(tptp_layout *layout, const tptp_forced *forced, const uint8_t *p, size_t n,
                   bool whole);

/* --- the trace (binary_trace.c) ------------------------------------------------------------- */

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
    tptp_binary_state after; /* the state after TPTP_SKIPPING */
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
ts_code tptp_binary_event(tptp_binary *b, uint64_t offset);

#endif

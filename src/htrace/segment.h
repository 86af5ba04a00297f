/*
 * The segment that is under way: its fields, what becomes of its data. Owned by segment.c;
 * plugin_host.c fills in what the plugin sees of it (`seg`, `begun`, `too_large`). Docs:
 * docs/formats.md,
 * ".htrace container".
 */
#ifndef TS_HTRACE_SEGMENT_H
#define TS_HTRACE_SEGMENT_H

#include "base/buf.h"
#include "base/spool.h"
#include "htrace/plugin_names.h"
#include "wire/wire.h"

enum { TS_HTRACE_HOLD = 4 * 1024 * 1024 /* a segment up to this is delivered in one piece */ };

typedef enum ts_data_mode {
    TS_DATA_NONE,   /* no data field yet */
    TS_DATA_HOLD,   /* kept until the end of the segment */
    TS_DATA_STREAM, /* delivered as it comes */
    TS_DATA_SPOOL,  /* kept in a file: too large to hold, and no name yet */
    TS_DATA_SKIP    /* not decoded */
} ts_data_mode;

typedef struct ts_segment_state {
    uint64_t start; /* offset of its length prefix */
    uint64_t end;   /* offset after it */
    bool crosses;   /* reaches beyond the declared end of its section */
    bool whole;     /* all of it lies in the block at hand: nothing needs to be copied */
    bool big;       /* above the hold limit */
    ts_wire_push wire;
    char next_name[TS_HTRACE_NAME]; /* the name that is being read */
    size_t next_len;
    bool next_over;    /* it is longer */
    bool name_late;    /* another name came after data that was dealt with */
    ts_plugin *plugin; /* by the name so far; NULL without one; borrowed */
    bool guessed;      /* the name is damaged: the data decides */
    uint64_t sec;
    uint64_t nsec;
    bool has_sec;
    bool has_nsec;
    ts_data_mode mode; /* of the data field that counts */
    unsigned data_fields;
    bool ignoring;  /* inside a further data field that does not count */
    bool data_done; /* all of it came */
    bool data_cut;
    bool data_lost;          /* too large for the spool */
    bool scanning;           /* the data goes through the clock scan */
    const uint8_t *borrowed; /* the data, when the segment is whole */
    size_t borrowed_len;
    bool begun;     /* the plugin knows of it */
    bool too_large; /* to be held whole for the plugin */
    ts_segment seg;
} ts_segment_state;

typedef struct ts_segments {
    ts_segment_state now;
    uint64_t hold;   /* bytes of a segment that is delivered in one piece */
    ts_buf held;     /* data of the segment; owned, as the spool */
    ts_spool *spool; /* NULL without one */
} ts_segments;

void ts_segments_free(ts_ctx *ctx, ts_segments *segments);

/* The outer time from the fields so far; false, and TS_NO_TIME, when it does not fit. */
bool ts_segment_time(int64_t *ts, const ts_segment_state *s);

/* True when this can be the beginning of a segment of n bytes: a size that is allowed and a field
 * that segments have. p holds `have` bytes of its body, possibly none. */
bool ts_segment_plausible(const ts_htrace *h, uint32_t n, const uint8_t *p, size_t have);

/* Begins a segment of n bytes whose prefix ends at the offset; `block` = bytes at hand. */
ts_code ts_segment_begin(ts_htrace *h, uint32_t n, bool crosses, size_t block);
ts_code ts_htrace_take_segment(size_t *used, ts_htrace *h, const uint8_t *p, size_t n);

/* Bytes were taken: is this the end of the segment, or of its section? */
ts_code ts_segment_after(ts_htrace *h);

/* Ends it; cut: its bytes did not all come. */
ts_code ts_segment_finish(ts_htrace *h, bool cut);

/* Where the bytes of the segment that may be taken now end. */
uint64_t ts_segment_limit(const ts_htrace *h);

#endif

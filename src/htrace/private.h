/*
 * Inside of the container reader, shared by its files; nothing outside of this room includes it.
 *
 *   htrace.c   what callers see: new, feed, finish; the loop over the states; sections
 *   next.c     what comes next: a header, a segment, zeros, or nothing that can be trusted
 *   search.c   looking for the next place that can be trusted
 *   segment.c  one segment: its fields, and what becomes of it
 *   host.c     plugins that are open: their segments' data, gaps, the end
 *   plugins.c  names of plugins, what is known of them, their counts
 *   clocks.c   clock snapshots of headers and of ftrace segments, the scan ahead
 *   account.c  issues, counts, properties
 *
 * Every byte of the input is counted exactly once, as imported, skipped or lost, when it is decided
 * what it is. Until then it waits in `head` (at most TS_HTRACE_HEADER bytes) or belongs to a
 * segment that is under way.
 */
#ifndef TS_HTRACE_PRIVATE_H
#define TS_HTRACE_PRIVATE_H

#include "base/buf.h"
#include "htrace/header.h"
#include "htrace/htrace.h"
#include "wire/wire.h"
#include "base/spool.h"

enum {
    TS_HTRACE_HOLD = 4 * 1024 * 1024, /* a segment up to this is handed on in one piece */
    TS_HTRACE_ZEROS = 256 * 1024,     /* so many zero bytes are reserved space, not segments */
    TS_HTRACE_HOLE = 4096,            /* so many zero bytes are a hole where something stood */
    TS_HTRACE_NAME = 255,             /* bytes of a plugin's name that are looked at */
    TS_HTRACE_SHOWN = 4 * 255 + 8,    /* room for such a name with every byte escaped */
    TS_HTRACE_PLUGINS = 256,          /* names that are counted one by one */
    TS_HTRACE_PLUGIN_ROOM = TS_HTRACE_PLUGINS + 64, /* all further known ones, and the others */
    TS_HTRACE_LOOK = 8,                             /* bytes that tell what comes next */
    TS_HTRACE_WINDOW = 64, /* bytes that tell a header, or a segment of a known plugin */
    TS_HTRACE_SCAN_FIRST = 4 * 1024,
    TS_HTRACE_SCAN_BLOCK = 64 * 1024,
    TS_HTRACE_CLOCK_DETAIL = 256 /* a longer clock reading is none */
};

/* What is known of a plugin by its name alone. */
typedef struct ts_plugin_known {
    const char *name;      /* on the wire */
    const char *canonical; /* the name it is handed on under */
    const char *event;     /* where it counts in stat */
    bool alias;            /* an older name, worth a note */
} ts_plugin_known;

/* NULL when the name is not in the table. */
const ts_plugin_known *ts_plugin_find(const char *name, size_t n);

/* A plugin of the list, open for this input. */
typedef struct ts_reader {
    const ts_htrace_plugin *plugin;
    ts_plugin_host host;
    void *self;
    ts_buf message; /* of the segment under way, when it is to come whole but comes in pieces */
    uint64_t size;  /* bytes of it that came */
} ts_reader;

/* The known plugin that is decoded whose name this may be although one letter or two bits differ.
 */
const ts_plugin_known *ts_plugin_guess(const ts_htrace *h, const char *name, size_t n);

/* A plugin met in this input. */
typedef struct ts_plugin {
    char *name;               /* canonical, fit to be shown */
    const char *event;        /* in stat */
    ts_reader *reader;        /* NULL: not decoded */
    const ts_plugin_name *as; /* the reader's name for it */
    bool is_ftrace;           /* its result may hold the clocks */
    bool is_config;           /* has no time of its own */
    bool alias_noted;
    int64_t first_offset;
    ts_tally *segments; /* NULL while scanning ahead */
    ts_tally *bytes;
} ts_plugin;

/* --- clocks ------------------------------------------------------------------------------------
 */

/* Reads the clock readings out of an ftrace result that comes in pieces. */
typedef struct ts_clock_scan {
    ts_wire_push wire;
    uint8_t detail[TS_HTRACE_CLOCK_DETAIL];
    size_t have;
    ts_clock_set set;
    ts_ctx *ctx;
} ts_clock_scan;

void ts_clock_scan_begin(ts_clock_scan *scan, ts_ctx *ctx, uint64_t size);
ts_code ts_clock_scan_feed(ts_clock_scan *scan, const uint8_t *p, size_t n);

/* --- segments ----------------------------------------------------------------------------------
 */

typedef enum ts_data_mode {
    TS_DATA_NONE,   /* no data field yet */
    TS_DATA_HOLD,   /* kept until the end of the segment */
    TS_DATA_STREAM, /* handed on as it comes */
    TS_DATA_SPOOL,  /* kept in a file: too large to hold, and no name yet */
    TS_DATA_SKIP    /* not decoded */
} ts_data_mode;

/* The segment that is under way. */
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
    ts_plugin *plugin; /* by the name so far; NULL without one */
    bool guessed;      /* the name is damaged: the data has to tell */
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

/* --- the reader --------------------------------------------------------------------------------
 */

typedef enum ts_htrace_state {
    TS_AT_HEADER, /* collecting a header */
    TS_AT_NEXT,   /* collecting the bytes that tell what comes next */
    TS_AT_SEGMENT,
    TS_AT_CROSSING, /* like NEXT, at the declared end of a section inside a segment */
    TS_AT_ZEROS,
    TS_AT_RAW, /* a section that is not made of segments */
    TS_AT_SEARCH
} ts_htrace_state;

struct ts_htrace {
    ts_ctx *ctx;
    ts_store *store; /* NULL while scanning ahead: nothing is recorded */
    ts_htrace_config config;
    uint64_t hold;
    ts_code dead; /* the code that stopped everything */

    ts_htrace_state state;
    uint64_t offset; /* of the next byte */
    uint8_t head[TS_HTRACE_HEADER];
    size_t have;
    uint8_t replay[2 * TS_HTRACE_HEADER]; /* bytes to be looked at again, before new ones */
    size_t replay_at;
    size_t replay_len;

    /* The section. */
    bool any_section;
    bool bounded; /* section_end is to be believed */
    ts_htrace_header header;
    uint64_t section_start;
    uint64_t section_end;
    uint64_t section_segments;
    uint64_t section_count;
    char *raw_kind;    /* name of a section that is not made of segments, else NULL */
    bool search_skips; /* bytes passed while searching are skipped, not lost */
    uint64_t search_start;
    uint64_t zero_start;
    bool tail_told; /* an issue says that the end of the input is missing */

    /* Segments. */
    ts_segment_state segment;
    ts_buf held;
    ts_spool *spool;
    uint64_t handed;      /* segments given to plugins */
    int64_t first_handed; /* their offsets */
    int64_t last_handed;

    ts_reader *readers; /* of the plugins in the configuration, in their order */
    size_t reader_count;

    /* A loss that plugins have not heard of yet. */
    bool gap;
    int64_t gap_offset;

    ts_plugin *plugins; /* room for TS_HTRACE_PLUGIN_ROOM, so that none ever moves */
    size_t plugin_count;
    ts_plugin *last_plugin;
    size_t last_len; /* its name on the wire, as most segments have the same as the one before */
    char last[TS_HTRACE_NAME];

    /* Clocks. */
    bool has_clocks;
    bool scanned_ahead; /* the whole file was looked through for clocks */
    ts_clock_set clocks;
    uint64_t clocks_offset; /* of the header or segment that they are from */
    ts_clock_scan clock_scan;
    bool has_start; /* start_ts of the source is known */
    bool has_end;
    int64_t start_ts;
    int64_t end_ts;

    ts_tally *bytes; /* NULL while scanning ahead */
    ts_tally *sections;
    ts_tally *segments;
};

/* --- account.c ---------------------------------------------------------------------------------
 */

/* What becomes of bytes or items. */
typedef enum ts_outcome { TS_IMPORTED, TS_SKIPPED, TS_LOST } ts_outcome;

ts_code ts_htrace_open_counts(ts_htrace *h);
void ts_tally_add(ts_tally *tally, ts_outcome outcome, uint64_t n); /* tally may be NULL */

/* ts_issue for this source, unless scanning ahead. */
#define ts_htrace_issue(h, code, stream, offset, ...)                                              \
    ((h)->store == NULL ? TS_OK                                                                    \
                        : ts_issue((h)->store, (h)->config.source_id, TS_ISSUE_##code, (stream),   \
                                   (int64_t)(offset), __VA_ARGS__))

ts_code ts_htrace_stat(ts_htrace *h, const char *event, const char *type, uint64_t n);

/* Notes that bytes at this offset are missing from what plugins see. */
void ts_htrace_note_gap(ts_htrace *h, uint64_t offset);

/* What a header says, as properties of the source; issues about it. */
ts_code ts_htrace_record_header(ts_htrace *h);

/* Closing notes: plugins that are not decoded. */
ts_code ts_htrace_record_end(ts_htrace *h);

/* Times of the source, when all rows are there. */
ts_code ts_htrace_record_times(ts_htrace *h);

/* --- plugins.c ---------------------------------------------------------------------------------
 */

/* The plugin of this name (n > 0), made when new. */
ts_code ts_plugin_get(ts_plugin **out, ts_htrace *h, const char *name, size_t n, bool over);
void ts_plugins_free(ts_htrace *h);

/* --- host.c ------------------------------------------------------------------------------------
 */

/* Opens all plugins of the configuration. */
ts_code ts_readers_open(ts_htrace *h);
ts_code ts_readers_finish(ts_htrace *h);
void ts_readers_close(ts_htrace *h);

/* The reader that claims this canonical name, and its name for it; NULL when none does. */
ts_reader *ts_reader_find(const ts_plugin_name **as, const ts_htrace *h, const char *name,
                          size_t n);

/* Hands on the segment that is under way: its beginning (after a gap that was noted), a piece of
 * its data, its end. `ts_deliver_whole` stands for the last two when all data is at hand. */
ts_code ts_deliver_begin(ts_htrace *h);
ts_code ts_deliver_data(ts_htrace *h, const uint8_t *p, size_t n);
ts_code ts_deliver_end(ts_htrace *h);
ts_code ts_deliver_whole(ts_htrace *h, const uint8_t *p, size_t n);

/* --- clocks.c ----------------------------------------------------------------------------------
 */

/* Takes these clocks when none are known. `where` is for messages. */
ts_code ts_htrace_take_clocks(ts_htrace *h, const ts_clock_set *set, const char *where,
                              uint64_t offset);

/* Looks for the first clocks from the header at `offset` on, when the input can be read at random.
 */
ts_code ts_htrace_scan_ahead(ts_htrace *h, uint64_t offset);

/* Whether data of ftrace segments has to be looked into. */
static inline bool ts_htrace_wants_clocks(const ts_htrace *h)
{
    return !h->has_clocks && !h->scanned_ahead;
}

/* --- next.c ------------------------------------------------------------------------------------
 */

/*
 * Bytes are taken and judged in two steps, so that bytes which were looked at can be given back in
 * between: `take` moves some of p[0..n), n > 0, into the reader (*used, at least one unless the
 * state changed); `settle` then decides when enough of them are there, or when the input is at its
 * end.
 */
ts_code ts_htrace_take_next(size_t *used, ts_htrace *h, const uint8_t *p, size_t n);
ts_code ts_htrace_settle_next(ts_htrace *h, bool at_end);
ts_code ts_htrace_settle_crossing(ts_htrace *h, bool at_end);

ts_code ts_htrace_take_zeros(size_t *used, ts_htrace *h, const uint8_t *p, size_t n);
ts_code ts_htrace_end_zeros(ts_htrace *h, bool at_end);

/* The section that is under way is over; says what does not fit its header. */
ts_code ts_htrace_close_section(ts_htrace *h);

/* --- search.c ----------------------------------------------------------------------------------
 */

/* Begins to search; what is in head belongs to it. skips: nothing is lost by it. */
void ts_htrace_begin_search(ts_htrace *h, bool skips);
ts_code ts_htrace_settle_search(ts_htrace *h, bool at_end);

/* --- segment.c ---------------------------------------------------------------------------------
 */

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

/* --- htrace.c ----------------------------------------------------------------------------------
 */

/* ts_htrace_new; without a store the reader records nothing and has no plugins. */
ts_code ts_htrace_make(ts_htrace **out, ts_ctx *ctx, ts_store *store,
                       const ts_htrace_config *config);

/* Keeps the first n bytes of head for the caller and has the others looked at again. */
void ts_htrace_unread(ts_htrace *h, size_t keep);

/* Opens the section whose header is in head. */
ts_code ts_htrace_open_section(ts_htrace *h);

/* Takes all of p[0..n), and all bytes that are to be looked at again. */
ts_code ts_htrace_run(ts_htrace *h, const uint8_t *p, size_t n);

/* Bytes that follow next and need not be read; moving on without them. */
uint64_t ts_htrace_unseen(const ts_htrace *h);
ts_code ts_htrace_skip(ts_htrace *h, uint64_t n);

#endif

/*
 * The container reader as a whole, for the files of this folder and no others. Each part's state is
 * changed by its own file, but for what is said beside it; htrace.c has what callers see, new, feed
 * and finish, and the loop over the states. Docs: docs/formats.md, ".htrace container";
 * docs/trust.md.
 */
#ifndef TS_HTRACE_STATE_H
#define TS_HTRACE_STATE_H

#include "base/buf.h"
#include "base/spool.h"
#include "htrace/htrace.h"
#include "wire/wire.h"

/* --- the input window: where it is, bytes that wait for a decision, and those looked at again - */

/*
 * Every byte of the input is counted exactly once, as imported, skipped or lost, when it is decided
 * what it is. Until then it waits in `head` or belongs to a segment that is under way.
 */
enum {
    TS_HTRACE_LOOK = 8,   /* bytes that decide what comes next */
    TS_HTRACE_WINDOW = 64 /* bytes that decide a header, or a segment of a known plugin */
};

typedef struct ts_window {
    uint64_t offset; /* of the next byte */
    uint8_t head[TS_HTRACE_HEADER];
    size_t have;                          /* bytes in head */
    uint8_t replay[2 * TS_HTRACE_HEADER]; /* bytes to be looked at again, before new ones */
    size_t replay_at;
    size_t replay_len;
} ts_window;

/* The offset of head[0]. */
static inline uint64_t ts_window_start(const ts_window *w)
{
    return w->offset - w->have;
}

/* Moves bytes of p[0..n) to head until it has `want`; *used is how many. */
static inline void ts_window_take(size_t *used, ts_window *w, size_t want, const uint8_t *p,
                                  size_t n)
{
    size_t left = want - w->have;
    *used = n < left ? n : left;
    memcpy(w->head + w->have, p, *used);
    w->have += *used;
    w->offset += *used;
}

/* Keeps the first `keep` bytes of head for the caller and has the others looked at again. */
void ts_window_unread(ts_window *w, size_t keep);

/* A length prefix: 4 bytes, little endian. */
static inline uint32_t ts_htrace_prefix(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline bool ts_htrace_all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != 0) {
            return false;
        }
    }
    return true;
}

/* --- section.c: the section under way: its header, its bounds, what was found in it ----------- */

enum {
    TS_HTRACE_MAGIC = 8,
    TS_HTRACE_TYPE_SEGMENTS = 0,
    TS_HTRACE_TYPE_HIPERF = TS_RAW_HIPERF,
    TS_HTRACE_TYPE_STANDALONE = TS_RAW_STANDALONE,
    TS_HTRACE_TYPE_UNKNOWN = 1024,
    TS_HTRACE_STANDALONE_NAME = 128,
    TS_HTRACE_PLUGIN_VERSION = 8
};

typedef struct ts_htrace_header {
    uint64_t length;     /* header and payload of this section; <= 1024 when never filled in */
    uint32_t version;    /* major << 16 | minor */
    uint32_t pieces;     /* length prefixes and bodies: twice the number of segments */
    uint8_t sha256[32];  /* of the payload; known to be wrong in real files, so never checked */
    uint32_t data_type;  /* TS_HTRACE_TYPE_... */
    ts_clock_set clocks; /* ns, all read at the start of the recording; 0 = not read */
    char standalone[TS_HTRACE_STANDALONE_NAME + 1];    /* NUL-terminated, bytes as they are */
    char plugin_version[TS_HTRACE_PLUGIN_VERSION + 1]; /* likewise */
    uint64_t duration_ns;
} ts_htrace_header;

/* True when p begins with the eight bytes OHOSPROF. */
bool ts_htrace_magic(const uint8_t *p, size_t n);

typedef struct ts_section {
    bool any;     /* there was one */
    bool bounded; /* `end` can be trusted */
    ts_htrace_header header;
    uint64_t start; /* offsets in the input */
    uint64_t end;
    uint64_t segments;        /* found in it */
    uint64_t count;           /* sections of the input so far */
    char *raw_kind;           /* owned; name of a section that is not made of segments, else NULL */
    struct ts_reader *reader; /* of a raw section that a plugin is given; NULL between such ones */
    ts_raw_section raw;       /* as the reader sees it */
    uint64_t zero_start;      /* of the zero bytes that are being passed over */
    bool end_reported;        /* an issue says that the end of the input is missing */
} ts_section;

/* Opens the section whose header is in head. */
ts_code ts_section_open(ts_htrace *h);

/* The first bytes of a raw section whose name is not known: takes them, then decides whose it is.
 */
ts_code ts_section_take_raw(size_t *used, ts_htrace *h, const uint8_t *p, size_t n);
ts_code ts_section_settle_raw(ts_htrace *h, bool at_end);

/* The section that is under way is over; says what does not fit its header. */
ts_code ts_section_close(ts_htrace *h);

/* The header counts 8 bytes for each length prefix of 4: its length is `excess` bytes too large. */
ts_code ts_section_length_long(ts_htrace *h, uint64_t excess);

/* --- boundaries.c: a header, a segment or zeros come next, or nothing that is known --- */

/*
 * Bytes are taken and judged in two steps, so that bytes which were looked at can be given back in
 * between: `take` moves some of p[0..n), n > 0, into the reader (*used, at least one unless the
 * state changed); `settle` then decides when enough of them are there, or when the input has ended.
 */
enum {
    TS_HTRACE_ZEROS = 256 * 1024, /* so many zero bytes are reserved space, not segments */
    TS_HTRACE_HOLE = 4096,        /* so many zero bytes are a hole where something was */
    TS_HTRACE_BLOCK = 512         /* of a file system, the smallest */
};

ts_code ts_htrace_take_next(size_t *used, ts_htrace *h, const uint8_t *p, size_t n);
ts_code ts_htrace_settle_next(ts_htrace *h, bool at_end);
ts_code ts_htrace_settle_crossing(ts_htrace *h, bool at_end);

ts_code ts_htrace_take_zeros(size_t *used, ts_htrace *h, const uint8_t *p, size_t n);
ts_code ts_htrace_end_zeros(ts_htrace *h, bool at_end);

/* --- search.c: the search for the next place that can be trusted, after damage ---------------- */

typedef struct ts_search {
    bool skips; /* bytes passed over are those of a raw section, not lost */
    uint64_t start;
} ts_search;

/* Begins to search; what is in head belongs to it. skips: nothing is lost by it. */
void ts_htrace_begin_search(ts_htrace *h, bool skips);

/* Decides when enough bytes are in head, or when the input has ended. */
ts_code ts_htrace_settle_search(ts_htrace *h, bool at_end);

/* --- plugin_host.c: plugins that are open: their segments, gaps, the end (plugin.h) ----------- */

/* A plugin of the list, open for this input. */
typedef struct ts_reader {
    const ts_htrace_plugin *plugin;
    ts_plugin_host host;
    void *self;
    uint64_t sections; /* raw ones that it was given */
    ts_buf message;    /* of the segment under way, when it is to come whole but comes in pieces */
    uint64_t size;     /* bytes of it that came */
} ts_reader;

typedef struct ts_host {
    ts_reader *readers; /* of the plugins in the configuration, in their order; owned */
    size_t count;
    uint64_t delivered; /* segments given to plugins */
    uint64_t sections;  /* raw ones given to plugins */
    uint64_t timed;     /* of the segments, what has its times converted as it comes: no ftrace */
    int64_t first;      /* their offsets */
    int64_t last;
    bool gap; /* a loss that plugins do not know of yet */
    int64_t gap_offset;
} ts_host;

/* Opens all plugins of the configuration. */
ts_code ts_readers_open(ts_htrace *h);
ts_code ts_readers_finish(ts_htrace *h);
void ts_readers_close(ts_htrace *h);

/* The reader that claims this canonical name, and its name for it; NULL when none does. */
ts_reader *ts_reader_find(const ts_plugin_name **as, const ts_htrace *h, const char *name,
                          size_t n);

/* Notes that bytes at this offset are missing from what plugins see. */
void ts_htrace_note_gap(ts_htrace *h, uint64_t offset);

/* Gives the plugin the segment that is under way: its beginning (after a gap that was noted), a
 * piece of its data, its end. `ts_deliver_whole` replaces the last two when all data is there. */
ts_code ts_deliver_begin(ts_htrace *h);
ts_code ts_deliver_data(ts_htrace *h, const uint8_t *p, size_t n);
ts_code ts_deliver_end(ts_htrace *h);
ts_code ts_deliver_whole(ts_htrace *h, const uint8_t *p, size_t n);

/* The raw section that was opened: it begins for the plugin that reads it, if there is one, which
 * is section.reader then, up to its end. Data without such a plugin goes nowhere. `magic`: NULL,
 * the name decides; else the first TS_RAW_MAGIC bytes of the data. */
ts_code ts_raw_begin(ts_htrace *h, const uint8_t *magic);
ts_code ts_raw_data(ts_htrace *h, const uint8_t *p, size_t n);
ts_code ts_raw_end(ts_htrace *h, bool truncated);

/* --- plugin_names.c: names of plugins: those that are known, those found, with their counts --- */

enum {
    TS_HTRACE_NAME = 255,          /* bytes of a plugin's name that are looked at */
    TS_HTRACE_SHOWN = 4 * 255 + 8, /* bytes of such a name with every byte escaped */
    TS_HTRACE_PLUGINS = 256,       /* names that are counted one by one */
    TS_HTRACE_PLUGINS_MAX = TS_HTRACE_PLUGINS + 64 /* all further known ones, and the others */
};

/* What is known of a plugin by its name alone. */
typedef struct ts_plugin_known {
    const char *name;      /* on the wire */
    const char *canonical; /* the name that plugins see */
    const char *event;     /* where it counts in stat */
    bool alias;            /* an older name, worth a note */
} ts_plugin_known;

/* A plugin found in this input. */
typedef struct ts_plugin {
    char *name;               /* canonical, fit to be shown; owned */
    const char *event;        /* in stat */
    ts_reader *reader;        /* NULL: not decoded */
    const ts_plugin_name *as; /* the reader's name for it */
    bool is_ftrace;           /* its result may hold the clocks */
    bool is_config;           /* has no time of its own */
    bool is_settings;         /* of a plugin that is decoded: nothing of it is missing */
    bool alias_noted;
    int64_t first_offset;
    ts_tally *segments; /* NULL while scanning ahead */
    ts_tally *bytes;
} ts_plugin;

typedef struct ts_names {
    ts_plugin *plugins; /* owned; TS_HTRACE_PLUGINS_MAX entries, so that none ever moves */
    size_t count;
    ts_plugin *last_plugin;
    size_t last_len; /* its name on the wire, as most segments have the same as the one before */
    char last[TS_HTRACE_NAME];
} ts_names;

ts_code ts_names_open(ts_htrace *h);
void ts_names_free(ts_htrace *h);

/* NULL when the name is not known. */
const ts_plugin_known *ts_plugin_find(const char *name, size_t n);

/* The known plugin that is decoded whose name this may be although one letter or two bits differ.
 */
const ts_plugin_known *ts_plugin_guess(const ts_htrace *h, const char *name, size_t n);

/* The plugin of this name (n > 0), made when new. over: the name was longer and was cut. */
ts_code ts_plugin_get(ts_plugin **out, ts_htrace *h, const char *name, size_t n, bool over);

/* --- segment.c: the segment under way; plugin_host.c fills in `seg`, `begun`, `too_large` ----- */

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

/* --- clocks.c: clock snapshots of headers and ftrace segments, the scan ahead for late ones --- */

enum {
    TS_HTRACE_SCAN_FIRST = 4 * 1024,
    TS_HTRACE_SCAN_BLOCK = 64 * 1024,
    TS_HTRACE_CLOCK_DETAIL = 256 /* a longer clock reading is none */
};

/* Reads the clock readings out of an ftrace result that comes in pieces. */
typedef struct ts_clock_scan {
    ts_wire_push wire;
    uint8_t detail[TS_HTRACE_CLOCK_DETAIL];
    size_t have;
    ts_clock_set set;
    ts_ctx *ctx;
} ts_clock_scan;

typedef struct ts_htrace_clock_state {
    bool known;
    bool scanned_ahead; /* the whole file was looked through for clocks */
    ts_clock_set set;   /* plugins see it through ts_plugin_host.clocks */
    uint64_t offset;    /* of the header or segment that they are from */
    uint64_t row;       /* rows of clock_snapshot before theirs */
    ts_clock_scan scan; /* of the segment under way */
} ts_htrace_clock_state;

/* size: bytes of the result. */
void ts_clock_scan_begin(ts_clock_scan *scan, ts_ctx *ctx, uint64_t size);
ts_code ts_clock_scan_feed(ts_clock_scan *scan, const uint8_t *p, size_t n);

/* Takes these clocks when none are known. `where` is for messages. */
ts_code ts_htrace_take_clocks(ts_htrace *h, const ts_clock_set *set, const char *where,
                              uint64_t offset);

/*
 * The bytes at `at` are no segment. Directly after the header that the clocks are from, this
 * header may have lost or got bytes: they are not believed. An issue says so. Errors: memory.
 */
ts_code ts_htrace_doubt_clocks(ts_htrace *h, uint64_t at);

/* Looks for the first clocks from the header at `offset` on, when the input can be read at random.
 */
ts_code ts_htrace_scan_ahead(ts_htrace *h, uint64_t offset);

/* Whether data of ftrace segments has to be looked into. */
static inline bool ts_clocks_wanted(const ts_htrace_clock_state *clocks)
{
    return !clocks->known && !clocks->scanned_ahead;
}

/* --- account.c: what is recorded: issues, counts, properties and times of the source ---------- */

/* What becomes of bytes or items. */
typedef enum ts_outcome { TS_IMPORTED, TS_SKIPPED, TS_LOST } ts_outcome;

typedef struct ts_account {
    ts_tally *bytes; /* borrowed; NULL while scanning ahead */
    ts_tally *sections;
    ts_tally *segments;
    bool has_start; /* start_ts of the source is known */
    bool has_end;
    int64_t start_ts; /* ns, boottime */
    int64_t end_ts;
} ts_account;

ts_code ts_htrace_open_counts(ts_htrace *h);
void ts_tally_add(ts_tally *tally, ts_outcome outcome, uint64_t n); /* tally may be NULL */

/* Bytes of the raw section that is open: imported when a plugin is given them, else skipped. */
ts_code ts_htrace_count_raw(ts_htrace *h, uint64_t n);

/* ts_issue for this source, unless scanning ahead. */
#define ts_htrace_issue(h, code, stream, offset, ...)                                              \
    ((h)->store == NULL ? TS_OK                                                                    \
                        : ts_issue((h)->store, (h)->config.source_id, TS_ISSUE_##code, (stream),   \
                                   (int64_t)(offset), __VA_ARGS__))

ts_code ts_htrace_stat(ts_htrace *h, const char *event, const char *type, uint64_t n);

/* What a header says, as properties of the source; issues about it. */
ts_code ts_htrace_record_header(ts_htrace *h);

/* Closing notes: plugins that are not decoded. */
ts_code ts_htrace_record_end(ts_htrace *h);

/* Times of the source, when all rows are there. */
ts_code ts_htrace_record_times(ts_htrace *h);

/* --- the whole -------------------------------------------------------------------------------- */

typedef enum ts_htrace_state {
    TS_AT_HEADER, /* collecting a header */
    TS_AT_NEXT,   /* collecting the bytes that decide what comes next */
    TS_AT_SEGMENT,
    TS_AT_CROSSING, /* like NEXT, at the declared end of a section inside a segment */
    TS_AT_ZEROS,
    TS_AT_RAW_NAME, /* collecting the bytes that decide whose section it is */
    TS_AT_RAW,      /* a section that is not made of segments */
    TS_AT_SEARCH
} ts_htrace_state;

struct ts_htrace {
    ts_ctx *ctx;
    ts_store *store; /* NULL while scanning ahead: nothing is recorded */
    ts_htrace_config config;
    ts_code failed; /* the code that stopped everything */
    ts_htrace_state state;
    ts_window in;
    ts_section section;
    ts_search search;
    ts_segments segments;
    ts_host host;
    ts_names names;
    ts_htrace_clock_state clocks;
    ts_account account;
};

/* Takes all of p[0..n), and all bytes that must be looked at again. */
ts_code ts_htrace_run(ts_htrace *h, const uint8_t *p, size_t n);

/* Bytes that follow next and need not be read; moving on without them. */
uint64_t ts_htrace_unseen(const ts_htrace *h);
ts_code ts_htrace_skip(ts_htrace *h, uint64_t n);

#endif

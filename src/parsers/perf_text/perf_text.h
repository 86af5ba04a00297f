/*
 * Samples of Linux perf as text, as `perf script` writes them: a line for each sample, its stack
 * below it, the innermost frame first, and an empty line.
 *
 * Memory: the longest line (up to PERF_MAX_LINE), 16 bytes for each frame of the longest stack (up
 * to PERF_MAX_FRAMES); for each thread, event and distinct frame 32 bytes and its text up to 128
 * bytes; what the store keeps of call paths, methods and threads.
 * Docs: docs/formats.md, "Samples of perf as text".
 */
#ifndef TS_PARSERS_PERF_TEXT_PERF_TEXT_H
#define TS_PARSERS_PERF_TEXT_PERF_TEXT_H

#include "base/ckd.h"
#include "tables/frame_names.h"
#include "base/lines.h"
#include "base/pool.h"
#include "base/vec.h"
#include "parsers/format.h"
#include "tables/store_profiles.h"

enum {
    PERF_MAX_LINE = 1 << 20,
    PERF_MAX_FRAMES = 1 << 16 /* perf itself has 127, and kernel.perf_event_max_stack of them */
};

/* --- lines (perf_text_line.c) ----------------------------------------------------------------- */

/* "comm pid/tid [cpu] secs.frac: period event: rest"; all but a number may be missing. */
typedef struct perf_header {
    ts_text comm;   /* NULL: not written */
    int64_t pid;    /* -1: not recorded */
    int64_t tid;    /* where one number is written, it is this one; -1: not recorded */
    int64_t ts;     /* ns, or TS_NO_TIME */
    int64_t period; /* -1: not recorded */
    ts_text event;  /* NULL: not written */
    ts_text rest;   /* what is after the event: one frame, or arguments of a tracepoint */
    bool record;    /* no sample: rest is the name of a record, such as PERF_RECORD_COMM */
    bool bare;      /* a name and a number are all of it */
} perf_header;

/*
 * False: the line is none. first: the line before it was empty, or there is none; only there is a
 * line with nothing but comm and number one of a sample.
 */
bool perf_header_read(perf_header *out, ts_text line, bool first);

/* Is the event one of the kernel's tracepoints ("sched:sched_switch")? "cycles:u" is none. */
bool perf_is_tracepoint(ts_text event);

/* "address symbol+0xoffset (image)"; the symbol may be missing, and the others too. */
typedef struct perf_frame {
    ts_text address; /* its digits, or NULL */
    ts_text symbol;  /* without the offset; "" */
    ts_text image;   /* NULL: not written */
    bool inlined;
} perf_frame;

/* False: the line is none. */
bool perf_frame_read(perf_frame *out, ts_text line);

/* "  file:line" below a frame, with or without "(inlined)". *file is NULL when it is not known. */
bool perf_source_read(ts_text *file, int64_t *line, bool *inlined, ts_text text);

/* --- rows (perf_text_rows.c) ------------------------------------------------------------------ */

/* A frame of the sample that is open. */
typedef struct perf_step {
    int64_t method;
    int64_t line;
} perf_step;

typedef enum perf_place {
    PERF_BETWEEN, /* no sample is open */
    PERF_SAMPLE,
    PERF_LOST /* the line of the sample could not be read: its frames are passed over */
} perf_place;

typedef struct perf_text {
    ts_job *job;
    ts_sink *sink;
    int64_t source_id;
    char name[TS_SOURCE_NAME];
    ts_profile_id id;
    ts_lines lines;
    ts_buf clean, key, scratch;

    perf_place place;
    perf_frame last;  /* the frame whose line was read last; its texts are in `key` */
    bool has_last;    /* it is not in the stack yet: its place in the source may follow */
    ts_vec stack;     /* perf_step, the innermost first */
    bool stack_bad;   /* a frame of the sample is not known */
    bool flat;        /* the frame was in the line of the sample */
    bool stacks;      /* a sample had frames on lines of their own */
    int8_t addresses; /* frames have addresses: 1, they have none: -1, not known: 0 */
    int64_t itid;
    int64_t ts;
    int64_t period;
    int64_t type;  /* index of `types` */
    ts_text event; /* in the pool of events */

    ts_pool threads; /* "pid/tid comm" */
    ts_vec itids;
    ts_pool events; /* a letter (with a period or without) and the name */
    ts_vec types;   /* ts_profile_type */
    ts_pool frames;
    ts_vec methods; /* int64_t */

    bool spanned;
    ts_span wanted;
    bool skip; /* the open sample is out of the range */
    int64_t first_ts, last_ts;
    uint64_t good, lost, skipped, records, bad_texts, bad_lines;
} perf_text;

/* The sample that begins with this line. Errors: memory. */
ts_code perf_sample_begin(perf_text *p, const perf_header *h);

/* The next frame of its stack. */
ts_code perf_sample_frame(perf_text *p, const perf_frame *frame);

/* Where the frame before is in its source. */
ts_code perf_sample_source(perf_text *p, ts_text file, int64_t line, bool inlined);

/* Its end: the rows. */
ts_code perf_sample_end(perf_text *p);

#endif

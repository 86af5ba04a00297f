/*
 * Text of traces of the kernel: a line for each event, as atrace, bytrace, systrace, trace-cmd
 * report and perf script write them (docs/formats.md, "Traces of the kernel as text"). This is the
 * reader: lines to events.
 *
 * Memory: the longest line, up to FTRACE_TEXT_MAX_LINE bytes, twice, and 64 KiB for what lines
 * begin with and the forms of their arguments.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_TEXT_H
#define TS_PARSERS_FTRACE_FTRACE_TEXT_H

#include "base/buf.h"
#include "parsers/ftrace/ftrace_event.h"
#include "parsers/ftrace/order/ftrace_feed.h"

enum { FTRACE_TEXT_MAX_LINE = 1 << 20 };

/* --- one line (ftrace_text_line.c) ----------------------------------------------------------- */

/* The parts of a line; texts are parts of it. */
typedef struct ftrace_line {
    int64_t ts; /* ns, as written */
    int32_t pid;
    int32_t tgid; /* 0: not written */
    uint32_t cpu;
    bool perf;           /* the form of perf script; of the other one: */
    const char *bracket; /* before the number of the CPU */
    ts_text comm;        /* without blanks around it; "" for <...> */
    ts_text event;       /* without its system */
    ts_text args;        /* without blanks around them */
} ftrace_line;

/*
 * Finds the event of a line without its end: "comm-pid ( tgid) [cpu] flags secs.frac: event: args",
 * anywhere in it, the leftmost one; or "comm pid [cpu] secs.frac: system:event: args". False: it
 * has none, or a number does not fit. Linear in the line.
 */
bool ftrace_line_read(ftrace_line *out, ts_text line);

/* Whether it would be one if its time had a fraction: clocks such as counter, uptime and x86-tsc
 * count no seconds. */
bool ftrace_line_ticks(ts_text line);

/* Nanoseconds of a decimal number of seconds, exactly; digits beyond ns are cut. False: it is none,
 * or it does not fit. */
bool ftrace_seconds(int64_t *ns, ts_text t);

/* A whole text as a decimal number with an optional sign, or as a hexadecimal one with or without
 * 0x. False: it is none, or it does not fit. */
bool ftrace_decimal(int64_t *v, ts_text t);
bool ftrace_hex(int64_t *v, ts_text t);

/* --- arguments (ftrace_text_args.c) ---------------------------------------------------------- */

typedef struct ftrace_names ftrace_names;

/* What texts call events and their fields. The caller frees with ts_free. */
ts_code ftrace_names_new(ftrace_names **out, ts_ctx *ctx);

/* The kind of an event by its name; FTRACE_KINDS: it is none that is handled. */
unsigned ftrace_names_kind(const ftrace_names *names, ts_text name);

/* The arguments of a line into event->number and text, whose kind is set. False: an argument that
 * the kind needs is missing or is no number. *names keeps where the values of each kind were, so
 * that the next arguments in the same form are only compared. */
bool ftrace_args_read(ftrace_event *event, ftrace_names *names, ts_text args);

/* --- lines that begin as others did (ftrace_text_known.c) ------------------------------------ */

typedef struct ftrace_known ftrace_known;

/* Nothing is known. The caller frees with ts_free. */
ts_code ftrace_known_new(ftrace_known **out, ts_ctx *ctx);

/* What ftrace_line_read says of the line and ftrace_names_kind of its event, when an equal thread
 * and an event with this name were read before. False: the line has to be read by these. */
bool ftrace_known_line(ftrace_line *out, unsigned *kind, const ftrace_known *known, ts_text line);

/* That is what they said. */
void ftrace_known_keep(ftrace_known *known, ts_text line, const ftrace_line *read, unsigned kind);

/* --- the stream (ftrace_text.c) -------------------------------------------------------------- */

/* What was met in a text. */
typedef struct ftrace_text_counts {
    uint64_t lines; /* but comments and empty ones */
    uint64_t events;
    uint64_t not_events;        /* lines of other forms that are known: titles, stacks */
    uint64_t frames;            /* of these, frames of stacks */
    uint64_t unknown;           /* lines that are no event */
    bool ticks;                 /* the first of them has a time that is no seconds */
    uint64_t too_long;          /* lines */
    uint64_t cut;               /* 1: the last line is, or the page */
    uint64_t not_supported;     /* events of other kinds */
    uint64_t bad[FTRACE_KINDS]; /* events whose arguments cannot be read */
    uint64_t bad_texts;         /* parts of texts that are no UTF-8 */
    uint64_t overruns;          /* notes that events were lost before they were read */
    uint64_t overrun_events;    /* of which so many are numbered */
    bool html;                  /* it is a page ... */
    bool html_trace;            /* ... with a trace in it */
    bool synced;                /* a line relates the clock of the lines to others: */
    int64_t sync_ts;            /* time of the line */
    int64_t sync_monotonic;     /* ns, 0: not known */
    int64_t sync_realtime;      /* ns, 0: not known */
} ftrace_text_counts;

/* What is wrong with a line: for an issue. */
typedef enum ftrace_text_defect {
    FTRACE_TEXT_UNKNOWN,
    FTRACE_TEXT_BAD_ARGS,
    FTRACE_TEXT_TOO_LONG,
    FTRACE_TEXT_CUT
} ftrace_text_defect;

typedef struct ftrace_text_calls {
    void *user;
    /* Each event in the order of the lines, and what is lost between them (FTRACE_GAP, ...);
     * texts are borrowed. */
    ftrace_queue_take *take;
    /* line: its number from 1; at: offset of its beginning; what: a few words on it. */
    ts_code (*defect)(void *user, ftrace_text_defect defect, uint64_t line, uint64_t at,
                      ts_text what);
} ftrace_text_calls;

typedef struct ftrace_text ftrace_text;

/* The caller frees with ftrace_text_close. */
ts_code ftrace_text_open(ftrace_text **out, ts_ctx *ctx, const ftrace_text_calls *calls);

/* Blocks of any size. Errors: memory, and those of the calls. */
ts_code ftrace_text_feed(ftrace_text *t, const char *p, size_t n);

/* The end of the text. A last line without its end that is no event is cut. */
ts_code ftrace_text_end(ftrace_text *t);

const ftrace_text_counts *ftrace_text_count(const ftrace_text *t);

/* NULL is allowed. */
void ftrace_text_close(ftrace_text *t);

#endif

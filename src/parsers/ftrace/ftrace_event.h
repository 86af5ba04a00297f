/*
 * One event of the kernel, whichever reader it comes from: protobuf messages, text lines or raw
 * pages (docs/formats.md, "ftrace-plugin"). Readers make events, the queue (ftrace_queue.c) puts
 * them in order of time, the machine (ftrace_machine.h) makes rows of them.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_EVENT_H
#define TS_PARSERS_FTRACE_FTRACE_EVENT_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum { FTRACE_NUMBERS = 8, FTRACE_TEXTS = 4 };

typedef enum ftrace_kind {
#define FTRACE_KIND(kind, stat, number, use) FTRACE_##kind,
#include "parsers/ftrace/event_kinds.def"
    FTRACE_KINDS
} ftrace_kind;

/* No events: something was lost, so that what is open may have ended. */
enum {
    FTRACE_GAP = FTRACE_KINDS, /* here, of any CPU */
    FTRACE_LOSS_BEGINS,        /* of a CPU from here on */
    FTRACE_LOSS_ENDS,          /* up to here */
    /* What readers say, of which ftrace_feed makes the others. */
    FTRACE_LOST_BEFORE, /* of a CPU before its next event */
    FTRACE_LOST_HERE,   /* an event of a CPU and its time */
    FTRACE_STARTED      /* a CPU begins: if it had events, more of them may be missing */
};

/* Slots of fields: FTRACE_N_sched_switch_prev_pid, FTRACE_T_print_buf. */
enum ftrace_slot {
#define FTRACE_INT(kind, slot, name, number, width, text) FTRACE_N_##kind##_##name = (slot),
#define FTRACE_TEXT(kind, slot, name, number, text) FTRACE_T_##kind##_##name = (slot),
#include "parsers/ftrace/event_kinds.def"
};

/* Kinds that are handled alike have a field in the same slot. */
#define FTRACE_SAME(slot, of_a, of_b, name)                                                        \
    _Static_assert((int)FTRACE_##slot##_##of_a##_##name == (int)FTRACE_##slot##_##of_b##_##name,   \
                   #name " of " #of_a " and " #of_b)

/* Where an event was read: the three differ in a few rules. */
typedef enum ftrace_reader {
    FTRACE_FROM_PROTOBUF,
    FTRACE_FROM_TEXT,
    FTRACE_FROM_RAW,
    FTRACE_FROM_FFRT /* a marker of the ffrt profiler (docs/formats.md, "ffrt-profiler") */
} ftrace_reader;

typedef struct ftrace_event {
    int64_t ts;   /* ns in the trace clock */
    int32_t pid;  /* the thread */
    int32_t tgid; /* the process; 0: not known, or idle; negative: recorded so */
    uint32_t cpu;
    uint16_t kind;   /* ftrace_kind */
    uint8_t reader;  /* ftrace_reader */
    uint8_t numbers; /* a bit per slot of `number` that was recorded; the others are 0 */
    uint8_t texts;   /* likewise of `text`; the others are empty */
    ts_text comm;    /* name of the thread, or empty; texts are borrowed for the call */
    int64_t number[FTRACE_NUMBERS];
    ts_text text[FTRACE_TEXTS];
} ftrace_event;

/* Types of fields of messages. */
enum {
    FTRACE_WIDTH_TEXT = 1,
    FTRACE_WIDTH_INT32,  /* the low 32 bits count, with their sign */
    FTRACE_WIDTH_UINT32, /* the low 32 bits count */
    FTRACE_WIDTH_INT64
};

/* Fields of lines of text: without it the event cannot be read; how its value is written. */
enum { FTRACE_NEEDED = 1, FTRACE_HEX = 2, FTRACE_STATE = 4, FTRACE_HANDLED = 8 };

/* What is known of a kind. */
typedef struct ftrace_field_info {
    const char *name;
    uint32_t number; /* field of the message, 0: none */
    uint8_t slot;
    uint8_t width; /* FTRACE_WIDTH_... */
    uint8_t text;  /* FTRACE_NEEDED, ... */
    bool is_text;
} ftrace_field_info;

typedef struct ftrace_kind_info {
    const char *name; /* of the event */
    const char *stat; /* its name in `stat`; NULL: it is not counted there */
    uint32_t number;  /* field of FtraceEvent; 0: not in protobuf */
    const ftrace_field_info *fields;
    unsigned field_count;
} ftrace_kind_info;

extern const ftrace_kind_info ftrace_kinds[FTRACE_KINDS];

/* The kind with this name, FTRACE_KINDS: none. Slow. */
unsigned ftrace_kind_of(ts_text name);

/* An event without fields. By parts: all at once is a string instruction, which begins slowly. */
static inline void ftrace_event_clear(ftrace_event *event)
{
    event->ts = 0;
    event->pid = 0;
    event->tgid = 0;
    event->cpu = 0;
    event->kind = 0;
    event->reader = 0;
    event->numbers = 0;
    event->texts = 0;
    event->comm = (ts_text){"", 0};
    for (unsigned i = 0; i < FTRACE_NUMBERS; i++) {
        event->number[i] = 0;
    }
    for (unsigned i = 0; i < FTRACE_TEXTS; i++) {
        event->text[i] = (ts_text){NULL, 0};
    }
}

/* A CPU of which nothing is known. */
#define FTRACE_UNKNOWN_CPU UINT32_MAX

/* No event, but what was lost: FTRACE_GAP and those after it. */
static inline ftrace_event ftrace_loss(unsigned kind, uint32_t cpu, int64_t ts)
{
    return (ftrace_event){.ts = ts, .cpu = cpu, .kind = (uint16_t)kind, .comm = {"", 0}};
}

static inline bool ftrace_has_number(const ftrace_event *event, unsigned slot)
{
    return (event->numbers >> slot & 1) != 0;
}

/* The process, 0: not known. */
static inline int64_t ftrace_process_of(const ftrace_event *event)
{
    return event->tgid > 0 ? event->tgid : 0;
}

static inline bool ftrace_has_text(const ftrace_event *event, unsigned slot)
{
    return (event->texts >> slot & 1) != 0;
}

#endif

/*
 * Events of the kernel in messages of ftrace-plugin: one FtraceEvent becomes one ftrace_event
 * (docs/formats.md, "ftrace-plugin").
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_PROTOBUF_H
#define TS_PARSERS_FTRACE_FTRACE_PROTOBUF_H

#include "parsers/ftrace/ftrace_event.h"

enum {
    FTRACE_EVENT_FIELDS = 4096, /* fields of FtraceEvent that may be a handled event are below */
    FTRACE_BODY_FIELDS = 16,    /* likewise of the event's own message */
    FTRACE_BODY_TAGS = 128,     /* tags of these fields are one byte below */
    FTRACE_PROTOBUF_SLACK = 8   /* bytes after an event that make reading it cheap */
};

/* What the reader knows of fields. */
typedef struct ftrace_protobuf {
    uint8_t kind_of[FTRACE_EVENT_FIELDS]; /* by field of FtraceEvent, kind + 1; 0: not handled */
    uint8_t tags[FTRACE_KINDS][FTRACE_BODY_TAGS]; /* what a tag begins; 0: what it should not */
} ftrace_protobuf;

typedef enum ftrace_found {
    FTRACE_FOUND_EVENT,
    FTRACE_FOUND_OTHER,   /* an event of a kind that is not handled */
    FTRACE_FOUND_UNTIMED, /* its time has more than 63 bits */
    FTRACE_FOUND_ODD,     /* a field has another type than it should */
    FTRACE_FOUND_DAMAGE   /* it breaks off */
} ftrace_found;

/* Fills the tables of a zeroed reader. */
void ftrace_protobuf_init(ftrace_protobuf *reader);

/*
 * The event p[0..n) of a CPU; its time is as recorded. Texts are borrowed from p, and may hold any
 * bytes. *event is complete only with FTRACE_FOUND_EVENT.
 *
 * room: bytes from p on that may be read, n or more. What is after the event changes nothing,
 * but with FTRACE_PROTOBUF_SLACK bytes there an event as the kernel writes it is read in words.
 */
ftrace_found ftrace_protobuf_event(ftrace_event *event, const ftrace_protobuf *reader, uint32_t cpu,
                                   const uint8_t *p, size_t n, size_t room);

#endif

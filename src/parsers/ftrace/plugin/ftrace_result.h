/*
 * The message of ftrace-plugin (TracePluginResult; docs/formats.md, "ftrace-plugin"), which comes
 * in pieces of any size: its parts and the events of its CPUs. At most 4 MiB of it are held.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_RESULT_H
#define TS_PARSERS_FTRACE_FTRACE_RESULT_H

#include "base/buf.h"
#include "htrace/plugins/fields.h"
#include "wire/wire.h"

enum {
    FTRACE_RESULT_HELD = 4 << 20,  /* the largest events of a CPU that are looked at as a whole */
    FTRACE_RESULT_PART = 1 << 20,  /* the largest part of another kind */
    FTRACE_RESULT_EVENT = 1 << 20, /* the largest event */
};

/* Counters of a CPU's buffer. */
typedef struct ftrace_cpu_stats {
    bool at_end; /* read when the recording ended */
    uint64_t cpu;
    uint64_t overrun;
    uint64_t dropped;
} ftrace_cpu_stats;

/* What is found; p and texts are borrowed for the call. None is NULL. */
typedef struct ftrace_result_calls {
    /* The name of the clock of the events that follow; stats without a name call it with "". */
    ts_code (*clock)(void *user, ts_text name);
    ts_code (*stats)(void *user, const ftrace_cpu_stats *stats);
    /* A CPU's part of events begins. */
    void (*part)(void *user);
    /* It ends: so many were overwritten before its events. */
    ts_code (*overwrite)(void *user, uint32_t cpu, uint64_t n);
    /* room: bytes from p on that may be read, n or more. */
    ts_code (*event)(void *user, uint32_t cpu, const uint8_t *p, size_t n, size_t room);
    /* An event that is too large, or (why is NULL) breaks off, which is recorded as damage of what
     * is around it. */
    ts_code (*lost)(void *user, uint32_t cpu, const char *why);
    ts_code (*symbol)(void *user, uint64_t addr, ts_text name);
    ts_code (*comm)(void *user, int32_t tid, ts_text name);
} ftrace_result_calls;

typedef struct ftrace_result {
    const ts_plugin_host *host;
    const ftrace_result_calls *calls;
    void *user;
    ts_message message; /* under way */
    ts_wire_push wire;  /* of the message */
    ts_buf part;        /* held */
    bool at_end;        /* of the stats under way */
    bool passed;        /* the part is too large, and is passed over */
    /* Events of a CPU. */
    bool streamed; /* its part is larger than FTRACE_RESULT_HELD */
    bool told;     /* its number was read before its events */
    ts_wire_push detail;
    const uint8_t *readable; /* end of the bytes around those that it is fed */
    uint32_t cpu;
    uint64_t overwrite;
    bool has_events;
    bool moved; /* the number came after events, for which it was taken as 0 */
    ts_buf event;
    bool large; /* the event is too large */
} ftrace_result;

/* All borrowed. */
void ftrace_result_init(ftrace_result *r, const ts_plugin_host *host,
                        const ftrace_result_calls *calls, void *user);

/* A message, its bytes, and its end. seg: until the end. *m: counts its faults. */
void ftrace_result_begin(ftrace_result *r, const ts_segment *seg);
ts_code ftrace_result_feed(ftrace_result *r, const ts_segment *seg, const uint8_t *p, size_t n);
ts_code ftrace_result_end(uint64_t *faults, ftrace_result *r, const ts_segment *seg);

void ftrace_result_free(ftrace_result *r);

#endif

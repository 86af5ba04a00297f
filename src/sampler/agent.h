/*
 * The agent of the Flare profiler: a library in a Java VM that sends what it samples over TCP, as
 * arrays of the Redis protocol (docs/flare.md). Only agents on this machine are talked
 * to.
 */
#ifndef TS_SAMPLER_AGENT_H
#define TS_SAMPLER_AGENT_H

#include "base/buf.h"
#include "base/vec.h"

#include <stdatomic.h>

/* A message. Texts are parts of the buffer, valid during the call. */
typedef struct ts_agent_event {
    ts_text kind;    /* sample_info, method, thread ... */
    int64_t id;      /* of the method or thread; 0: not said */
    ts_text name;    /* of the same; p NULL: not said */
    int64_t time_ms; /* of a thread's record; 0: not said */
    int64_t cpu_ns;
    int64_t start_ms;    /* of sample_info */
    int64_t last_ms;     /* of the same: of the last record before; 0: not said */
    int64_t interval_ms; /* of the same; 0: not said */
    ts_text state;
    const int64_t *stack; /* ids of methods, the innermost first */
    size_t stack_n;
} ts_agent_event;

typedef ts_code (*ts_agent_visit)(void *user, const ts_agent_event *event);

typedef struct ts_agent {
    ts_ctx *ctx;
    int fd;
    ts_buf in;    /* bytes that came and are no whole message yet */
    ts_vec stack; /* of int64_t: of the message that is being read */
} ts_agent;

/*
 * Connects to "host:port" (port 3333 when there is none) and subscribes, which ends the
 * subscription of any other program. TS_ERR_USAGE when the host is not this machine, TS_ERR_INPUT
 * with the system's text. Caller closes with ts_agent_close, also after a failure.
 */
ts_code ts_agent_open(ts_agent *agent, ts_ctx *ctx, const char *address);
void ts_agent_close(ts_agent *agent);

/* Waits at most so long for bytes and calls `visit` for each message that is whole then. *ended:
 * the agent has closed the connection. TS_ERR_INPUT for what is no such message. */
ts_code ts_agent_read(bool *ended, ts_agent *agent, int timeout_ms, ts_agent_visit visit,
                      void *user);

/* Asks the agent to end its server. What it answers does not matter. */
void ts_agent_stop(const ts_agent *agent);

/*
 * The messages at the beginning of a text: *used bytes of whole ones, for each of which `visit` was
 * called. TS_ERR_INPUT for what is none.
 */
ts_code ts_agent_parse(size_t *used, ts_agent *agent, const char *p, size_t n, ts_agent_visit visit,
                       void *user);

#endif

/*
 * The thread object (JSON): the summary holds one for each thread, and it is the payload of a stack
 * record. Format: docs/formats.md, "Flare".
 *
 * A reader owns its object, zeroed but for ctx, until flare_object_free, or its payloads from
 * flare_payloads_open to flare_payloads_close. Values are read by all; only object.c writes them.
 */
#ifndef TS_PARSERS_FLARE_OBJECT_H
#define TS_PARSERS_FLARE_OBJECT_H

#include "base/buf.h"
#include "json/json.h"

enum {
    FLARE_HAS_ID = 1,
    FLARE_HAS_NAME = 2,
    FLARE_HAS_PRIORITY = 4,
    FLARE_HAS_DAEMON = 8,
    FLARE_HAS_STATE = 16,
    FLARE_HAS_CPU = 32,
    FLARE_HAS_DELTA = 64,
    FLARE_HAS_TIME = 128,
    FLARE_HAS_COUNT = 256,
    FLARE_HAS_STACK = 512
};

typedef struct flare_object {
    ts_ctx *ctx;
    unsigned has, field;
    bool bad_frame; /* an element of stacktrace is no integer */
    int64_t id, priority, daemon, cpu_time, cpu_time_delta, sample_time, sample_count;
    ts_buf name, state;
    int64_t *frames; /* leaf first */
    size_t frame_count, frame_cap;
} flare_object;

void flare_object_clear(flare_object *o);
void flare_object_free(flare_object *o);
void flare_object_key(flare_object *o, const char *p, size_t n);
ts_code flare_object_string(flare_object *o, const char *p, size_t n, unsigned flags);
void flare_object_number(flare_object *o, const ts_json_number *number);
void flare_object_literal(flare_object *o, ts_json_kind kind);
/* True when the array is stacktrace: its elements are frames. */
bool flare_object_array(flare_object *o);

/* Does the object have the members? FLARE_HAS_ID ... */
static inline bool flare_object_has(const flare_object *o, unsigned members)
{
    return (o->has & members) == members;
}

/* Reads stack payloads of both kinds. */
typedef struct flare_payloads {
    flare_object object;
    ts_json *json;
    uint64_t depth;
    uint64_t stack_depth; /* depth inside of stacktrace, 0 outside */
} flare_payloads;

ts_code flare_payloads_open(flare_payloads *p, ts_ctx *ctx);
void flare_payloads_close(flare_payloads *p);
/* *why: NULL, or what is wrong with it. */
ts_code flare_payload_read(const char **why, flare_payloads *p, const uint8_t *bytes, size_t n);

#endif

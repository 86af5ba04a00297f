/*
 * What the samples of a database stand for: the class of each by its event, the state of its thread
 * and its leaf (tables/event_classes.h), as view v_sample has it, and the class of each kind of
 * value. Traced calls are elapsed time.
 */
#ifndef TS_MODEL_SAMPLE_EVENTS_H
#define TS_MODEL_SAMPLE_EVENTS_H

#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"
#include "model/model.h"
#include "tables/event_classes.h"

/* A class and, of waiting mostly, for what; static, NULL: none. */
typedef struct ts_event_kind {
    ts_event_class class;
    const char *reason;
} ts_event_kind;

/* A kind of value that samples carry. */
typedef struct ts_value_type {
    ts_text name, unit; /* of the events; "ns" for nanoseconds */
    int64_t source_id;  /* 0: there is no such kind */
    ts_event_kind kind;
    bool usual; /* what its profile, which has allocations and what is in use, means to show */
} ts_value_type;

/* By id of what they belong to. */
typedef struct ts_events {
    ts_ctx *ctx;
    ts_vec formats; /* of sources: uint32_t, place in format_names + 1 */
    ts_vec kinds;   /* of stack_value_type: ts_value_type */
    ts_vec states;  /* of stack_sample: uint8_t, see sample_events.c */
    ts_vec leaves;  /* of stack_method: uint8_t */
    ts_vec in_ns;   /* of sources: uint8_t, a bit for each class that values in ns have */
    ts_vec async;   /* of stack_slice: bool, it belongs to no thread */
    ts_vec words;   /* that lines name, see sample_events.c */
    ts_pool texts;  /* of kinds */
    ts_pool format_names;
    ts_pool events;
    ts_idmap known; /* of what samples were asked for -> place in `found` */
    ts_vec found;   /* of ts_event_kind */
    uint32_t last;  /* event of the last sample */
} ts_events;

/* What classes depend on in the model's rows, kept by it. */
ts_code ts_events_get(ts_events **out, ts_model *m);

/* A number for the state of a sample's thread, and for a method as a leaf (its id, 0: not known),
 * as far as classes depend on them. */
uint8_t ts_events_state(const ts_events *e, int64_t sample_id);
uint8_t ts_events_leaf(const ts_events *e, int64_t method);

/* What a sample of the source is with these; event TS_TEXT_NULL: not recorded. */
ts_code ts_events_kind(ts_event_kind *out, ts_events *e, int64_t source_id, ts_text event,
                       uint8_t state, uint8_t leaf);

/* Of a sample; event TS_TEXT_NULL: not recorded; method: id of its leaf, 0: not known. */
ts_code ts_events_sample(ts_event_kind *out, ts_events *e, int64_t source_id, ts_text event,
                         int64_t sample_id, int64_t method);

/* The kind of value with this id; NULL: there is none. */
const ts_value_type *ts_events_value(const ts_events *e, int64_t id);

/* Whether the time of this class is in values in ns, and not in the length of samples. */
bool ts_events_in_ns(const ts_events *e, int64_t source_id, ts_event_class class);

#endif
